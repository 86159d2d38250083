//! Which signs (symbols and punctuation) a model carries over.
//!
//! A sign in the model's vocabulary may still have been rare in training: the model then says anything in its place. Whether it can be trusted
//! is measured: the sign stands in frames, next to names and numbers, which stay the same in every language, and must come out between the
//! same neighbours, as often as it went in. This is a measure, not a proof, and a strict one: signs that a language writes in another way
//! (quotation marks, amounts of money) do not count as carried over.

use super::translator::{Sentences, TranslateOptions, Translator};
use crate::text::repair::Repairs;

/// A sentence with a place for the sign.
struct Frame {
    before: &'static str,
    /// What must be in the translation; `{}` stands for the sign.
    kept: &'static str,
    after: &'static str,
}

const fn frame(before: &'static str, kept: &'static str, after: &'static str) -> Frame {
    Frame { before, kept, after }
}

/// The sign apart, between names and between numbers; directly before and after a number; at the beginning.
const FRAMES: usize = 5;

const ENGLISH: [Frame; FRAMES] = [
    frame("The report names ", "Anna {} Peter", "."),
    frame("The new size is ", "4 {} 12", " today."),
    frame("You will find ", "{}25", " on the page."),
    frame("Please call ", "30{}", " tomorrow."),
    frame("", "{} Anna", " lives in Berlin."),
];

const GERMAN: [Frame; FRAMES] = [
    frame("Der Bericht nennt ", "Anna {} Peter", "."),
    frame("Die neue Größe ist heute ", "4 {} 12", "."),
    frame("Sie finden ", "{}25", " auf der Seite."),
    frame("Rufen Sie morgen ", "30{}", " an."),
    frame("", "{} Anna", " lebt in Berlin."),
];

/// For every other language: text that needs no translation.
const NAMES_AND_NUMBERS: [Frame; FRAMES] = [
    frame("", "Anna {} Peter", ""),
    frame("", "4 {} 12", ""),
    frame("Berlin ", "{}25", " Anna"),
    frame("Anna ", "30{}", " Berlin"),
    frame("", "{} Anna", " Berlin"),
];

impl Frame {
    fn kept(&self, sign: char) -> String {
        self.kept.replace("{}", sign.encode_utf8(&mut [0; 4]))
    }

    fn source(&self, sign: char) -> String {
        format!("{}{}{}", self.before, self.kept(sign), self.after)
    }

    /// Whether the sign and its neighbours came through, and nothing else became a question mark.
    fn is_carried(&self, sign: char, translation: &str) -> bool {
        let source = self.source(sign);
        let as_often = |sign: char| translation.matches(sign).count() == source.matches(sign).count();
        translation.contains(&self.kept(sign)) && as_often(sign) && as_often('?')
    }
}

impl Translator {
    /// Those of the `candidates` that the source vocabulary has and that the model carries over in five sentences; in ascending order.
    /// `source_language` is a BCP 47 tag: the sentences are in English or German, or else made of names and numbers.
    pub fn measure_signs(&self, source_language: &str, candidates: impl IntoIterator<Item = char>) -> String {
        let frames = match source_language.split(['-', '_']).next().unwrap_or_default().to_ascii_lowercase().as_str() {
            "en" => &ENGLISH,
            "de" => &GERMAN,
            _ => &NAMES_AND_NUMBERS,
        };
        let vocabulary = &self.engine.source_vocabulary;
        let mut signs: Vec<char> =
            candidates.into_iter().filter(|sign| vocabulary.covers(sign.encode_utf8(&mut [0; 4]))).collect();
        signs.sort_unstable();
        signs.dedup();
        // What the model itself does, with nothing repaired afterwards.
        let options = TranslateOptions {
            repairs: Repairs::NONE,
            beam: 1,
            sentences: Sentences::AreLines,
            ..TranslateOptions::default()
        };
        // Most signs that are lost at all are lost in the first sentence; the others then need no translation.
        for frame in frames {
            let sentences: Vec<String> = signs.iter().map(|&sign| frame.source(sign)).collect();
            let mut translations = self.translate_batch(&sentences, &options).into_iter();
            signs.retain(|&sign| translations.next().is_some_and(|found| frame.is_carried(sign, &found.text)));
        }
        signs.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sign_must_come_out_as_it_went_in() {
        let frame = &ENGLISH[0];
        assert_eq!(frame.source('→'), "The report names Anna → Peter.");
        assert!(frame.is_carried('→', "Der Bericht nennt Anna → Peter."));
        for harmed in [
            "Der Bericht nennt Anna Peter.",
            "Der Bericht nennt Anna →→ Peter.",
            "Der Bericht nennt Anna → Peter →.",
            "Der Bericht nennt Anna→Peter.",
            "Der Bericht nennt Ana → Peter.",
            "Der Bericht nennt Anna → Peter?",
        ] {
            assert!(!frame.is_carried('→', harmed), "{harmed}");
        }
        // Signs that the frame itself contains.
        assert!(frame.is_carried('.', "Der Bericht nennt Anna . Peter."));
        assert!(!frame.is_carried('.', "Der Bericht nennt Anna . Peter"));
        assert!(frame.is_carried('?', "Der Bericht nennt Anna ? Peter."));
    }

    #[test]
    fn every_frame_has_one_place() {
        for frame in [ENGLISH, GERMAN, NAMES_AND_NUMBERS].iter().flatten() {
            assert_eq!(frame.kept.matches("{}").count(), 1);
            assert!(!frame.before.contains('{') && !frame.after.contains('{'));
            assert!(frame.is_carried('§', &frame.source('§')));
        }
    }
}

//! The sign with which a sentence ends.
//!
//! A model now and then leaves out the last full stop, above all after an abbreviation.

use super::Sentence;
use super::draft::{Draft, Side};
use crate::text::language::{Language, Script};

/// Puts back a full stop, exclamation mark or question mark that is the source's last sign, as the target language writes it.
pub fn repair(sentence: &Sentence, draft: &mut Draft) {
    put_back(sentence.source, sentence.context.target_language, draft);
}

fn put_back(source: &str, target: Language, draft: &mut Draft) {
    let end = source.trim_end();
    let Some((sign, length)) = end.chars().next_back().and_then(|c| Some((meaning(c)?, c.len_utf8()))) else { return };
    let Some(written) = written(sign, target) else { return };
    let before = &end[..end.len() - length];
    let lost = draft.text().trim_end().ends_with(char::is_alphanumeric) && before.ends_with(char::is_alphanumeric);
    if lost {
        let end = draft.text().trim_end().len();
        draft.insert(end, Side::Before, written, source.len());
    }
}

/// What ends a sentence.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ending {
    Stop,
    Exclamation,
    Question,
}

/// What a sign means where it ends a sentence. A sign that is something else in other languages, such as the Greek question mark, is left alone.
fn meaning(sign: char) -> Option<Ending> {
    match sign {
        '.' | '。' | '।' | '۔' => Some(Ending::Stop),
        '!' | '！' => Some(Ending::Exclamation),
        '?' | '？' | '؟' => Some(Ending::Question),
        _ => None,
    }
}

/// How a language writes it; none where it has no such sign at the end.
fn written(sign: Ending, language: Language) -> Option<&'static str> {
    use Ending::{Exclamation, Question, Stop};
    Some(match (language.tag, sign) {
        ("th", Stop) => return None,
        ("hy", Stop) => "։",
        // These stand over a vowel of the word.
        ("hy", Exclamation | Question) => return None,
        ("zh" | "zh-Hant" | "ja", Stop) => "。",
        ("zh" | "zh-Hant" | "ja", Exclamation) => "！",
        ("zh" | "zh-Hant" | "ja", Question) => "？",
        ("hi" | "bn", Stop) => "।",
        ("ur", Stop) => "۔",
        ("el", Question) => ";",
        (_, Question) if language.script == Script::Arabic => "؟",
        (_, Stop) => ".",
        (_, Exclamation) => "!",
        (_, Question) => "?",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lost_sign_comes_back_as_the_target_language_writes_it() {
        for (source, translation, to, expected) in [
            ("He works at ACME Inc.", "Er arbeitet bei ACME", "de", "Er arbeitet bei ACME."),
            ("He left.", "他走了", "zh", "他走了。"),
            ("Is he here?", "彼はここにいますか", "ja", "彼はここにいますか？"),
            ("He left.", "เขาไปแล้ว", "th", "เขาไปแล้ว"),
            ("He left!", "वह गया", "hi", "वह गया!"),
            ("He went home.", "वह घर गया", "hi", "वह घर गया।"),
            ("Is he here?", "هل هو هنا", "ar", "هل هو هنا؟"),
            ("Is he here?", "Είναι εδώ", "el", "Είναι εδώ;"),
            ("他走了。", "He left", "en", "He left."),
            ("هل هو هنا؟", "Is he here", "en", "Is he here?"),
            // What is there stays, whatever sign it is.
            ("He left.", "他走了。", "zh", "他走了。"),
            ("He left", "他走了", "zh", "他走了"),
        ] {
            let mut draft = Draft::aligned(source, &[(translation, source)]);
            put_back(source, Language::from_tag(to).unwrap(), &mut draft);
            assert_eq!(draft.text(), expected, "{source}");
        }
    }
}

//! The sign with which a sentence ends.
//!
//! A model now and then leaves out the last full stop, above all after an abbreviation.

use super::Sentence;
use super::draft::{Draft, Side};
use crate::text::language::{Language, Script};

/// Puts back a full stop, exclamation mark or question mark that is the source's last sign, as the target language writes it.
pub fn repair(sentence: &Sentence, draft: &mut Draft) {
    close_quotation(sentence.source, draft);
    put_back(sentence.source, sentence.context.target_language, draft);
    drop_stop(sentence.source, draft);
}

/// Quotation marks that open or close.
const MARKS: [char; 6] = ['"', '“', '”', '„', '«', '»'];

/// Closes a quotation at the end, if the source's is closed there and only that mark is missing.
fn close_quotation(source: &str, draft: &mut Draft) {
    let is_stop = |c: char| matches!(c, '.' | '!' | '?' | '…');
    let marks = |text: &str| text.chars().filter(|c| MARKS.contains(c)).count();
    let end = source.trim_end().trim_end_matches(is_stop);
    let quoted = end.ends_with(MARKS);
    let text = draft.text();
    let (written, wanted) = (marks(text), marks(source));
    let opening = text.chars().rev().find(|c| MARKS.contains(c));
    let closing = match opening {
        Some('"') => "\"",
        Some('“') => "”",
        Some('„') => "“",
        Some('«') => "»",
        Some('»') => "«",
        _ => return,
    };
    let words = text.trim_end().trim_end_matches(is_stop);
    let lost = wanted >= 2 && wanted % 2 == 0 && written + 1 == wanted && words.ends_with(char::is_alphanumeric);
    if quoted && lost {
        // On that side of the stop where the source has it.
        let outside = end.len() == source.trim_end().len();
        let at = if outside { text.trim_end().len() } else { words.len() };
        draft.insert(at, Side::Before, closing, source.len());
    }
}

/// Takes out a full stop after a number that ends a text without one, as a line of opening hours.
fn drop_stop(source: &str, draft: &mut Draft) {
    let text = draft.text();
    let ends_open = source.trim_end().ends_with(char::is_alphanumeric);
    let number = text.strip_suffix('.').filter(|text| text.ends_with(|c: char| c.is_ascii_digit()));
    if let Some(number) = number.filter(|_| ends_open) {
        let at = number.len();
        draft.replace(at..at + 1, "", None);
    }
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
    fn a_quotation_is_closed_and_no_stop_is_invented() {
        for (source, translation, expected) in [
            ("Er las „Der Mensch“.", "He read \"The human.", "He read \"The human\"."),
            ("Er sagte: „Der Mensch.“", "He said: “The human.", "He said: “The human.”"),
            ("He said: \"Come.\"", "Er sagte: „Komm.", "Er sagte: „Komm.“"),
            ("„Komm“, sagte er.", "\"Come, he said.", "\"Come, he said."),
            ("Er las „Der Mensch“.", "He read The human.", "He read The human."),
            ("Täglich 8–18 Uhr", "Daily 8:00–18:00.", "Daily 8:00–18:00"),
            ("Es ist 8.", "It is 8.", "It is 8."),
            ("Hallo", "Hello.", "Hello."),
        ] {
            let mut draft = Draft::aligned(source, &[(translation, source)]);
            close_quotation(source, &mut draft);
            drop_stop(source, &mut draft);
            assert_eq!(draft.text(), expected, "{source}");
        }
    }

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

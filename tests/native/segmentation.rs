//! Sentences found in texts, and long sentences cut.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::segment_cases::Case;
use proptest::prelude::*;
use wanderwort::text::language::Language;
use wanderwort::text::segment::{LineBreaks, is_translatable, segment, split_long};
use wanderwort::text::vocab::Vocabulary;

fn language_of(tag: &str) -> Language {
    Language::from_tag(tag).unwrap_or(Language::UNKNOWN)
}

fn mark(text: &str, sentences: &[std::ops::Range<usize>]) -> String {
    let mut marked = String::new();
    let mut end = 0;
    for sentence in sentences {
        marked += &text[end..sentence.start];
        marked += &format!("⟦{}⟧", &text[sentence.clone()]);
        end = sentence.end;
    }
    marked + &text[end..]
}

#[test]
fn hand_made_cases() {
    let cases = crate::segment_cases::read();
    let mut wrong = Vec::new();
    for Case { language, text, sentences } in &cases {
        let expected = mark(text, sentences);
        let found = mark(text, &segment(text, language_of(language), LineBreaks::EndSentences));
        if found != expected {
            wrong.push(format!("{language} expected {expected:?}\n      found {found:?}"));
        }
    }
    let languages: BTreeSet<&str> = cases.iter().map(|case| case.language.as_str()).collect();
    assert!(cases.len() >= 400 && languages.len() >= 30, "{} cases in {} languages", cases.len(), languages.len());
    assert!(wrong.is_empty(), "{} of {} wrong\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

#[test]
fn wrapped_paragraphs() {
    let text = "This is a line\nthat goes on.  It ends\r\nhere.\n\nNew paragraph\n \n\nLast\n";
    let found = mark(text, &segment(text, Language::ENGLISH, LineBreaks::AreSpaces));
    assert_eq!(found, "⟦This is a line\nthat goes on.⟧  ⟦It ends\r\nhere.⟧\n\n⟦New paragraph⟧\n \n\n⟦Last⟧\n");
}

#[test]
fn what_is_translatable() {
    for text in ["Hello", "5 km", "see https://example.org", "Ωmega x", "ﬁ", "Ｆｕｌｌ"] {
        assert!(is_translatable(text, Language::ENGLISH), "{text}");
    }
    for text in [
        "",
        " ",
        "42",
        "3 + 4 = 7",
        "😀",
        "\u{0}\u{7}",
        "https://example.org/x",
        "www.example.org",
        "a@b.org",
        "你好",
        "Привет",
        "…",
    ] {
        assert!(!is_translatable(text, Language::GERMAN), "{text}");
    }
    assert!(!is_translatable(&"QUJD".repeat(100), Language::ENGLISH));
    assert!(is_translatable("Привет", language_of("ru")));
    assert_eq!(Language::from_tag("de-AT"), Some(Language::GERMAN));
    assert_eq!(Language::from_tag("EN_us"), Some(Language::ENGLISH));
    assert_eq!(Language::from_tag("den"), None);
}

fn vocabulary() -> Vocabulary {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/en-de.prototype/vocab.ende.spm");
    Vocabulary::from_bytes("vocab.ende.spm", &std::fs::read(path).unwrap()).unwrap()
}

fn count(vocabulary: &Vocabulary, text: &str) -> usize {
    let mut pieces = Vec::new();
    vocabulary.encode(text, &mut pieces);
    pieces.len()
}

#[test]
fn long_sentences_are_cut_at_sensible_places() {
    let vocabulary = vocabulary();
    let text = "The committee met on Monday, and it discussed the budget for the next year; afterwards the members went home because it was late";
    let cut = |max: usize| -> Vec<&str> {
        split_long(&vocabulary, Language::ENGLISH, text, 0..text.len(), max)
            .into_iter()
            .map(|range| &text[range])
            .collect()
    };
    assert_eq!(cut(100), [text]);
    assert_eq!(
        cut(20),
        [
            "The committee met on Monday, and it discussed the budget for the next year;",
            "afterwards the members went home because it was late"
        ]
    );
}

#[test]
fn long_lines_take_linear_time() {
    let vocabulary = vocabulary();
    let unit = |text: &str| text.repeat(100_000 / text.len());
    for text in [
        unit("a"),
        unit("."),
        unit(". "),
        unit("…"),
        unit("….)"),
        unit("- "),
        unit("1. "),
        unit("a. "),
        unit(")"),
        unit("A. b"),
        unit("é"),
        unit("\u{301}"),
        unit("Word "),
        unit("A.)"),
        unit("?)"),
        unit("\u{1f468}\u{200d}"),
        unit("., "),
        unit("a\n"),
        unit("z. B. "),
        unit("ﷺ"),
        unit("。"),
        unit("。」"),
        unit("? »"),
        unit(".[1]"),
        unit(". [1] "),
        unit(".¹,"),
        unit("!A"),
        unit("I. "),
        unit("i. ii. "),
        "x. ".to_owned() + &unit(","),
        "x.".to_owned() + &unit("\""),
    ] {
        for language in ["en", "de", "fr", "zh"].map(language_of) {
            for breaks in [LineBreaks::EndSentences, LineBreaks::AreSpaces] {
                let start = Instant::now();
                for range in segment(&text, language, breaks) {
                    split_long(&vocabulary, language, &text, range, 128);
                }
                // A quadratic algorithm takes minutes.
                assert!(start.elapsed() < Duration::from_secs(4), "{:?} for {:?}", start.elapsed(), text.get(..9));
            }
        }
    }
}

/// A text without the labels of lists' items, which are no part of the sentences: "a)", "(ii)", "[x]", "IV.", "I:".
fn without_labels(text: &str) -> String {
    let is_label = |word: &&str| {
        let name: String = word.chars().filter(|c| c.is_alphabetic()).collect();
        let is_roman = !name.is_empty()
            && (name.chars().all(|c| "ivx".contains(c)) || name.chars().all(|c| "IVXLCDM".contains(c)));
        (is_roman || name.len() == 1) && (word.len() == name.len() || word.ends_with([')', ']', '.', ':']))
    };
    text.split_whitespace().filter(|word| !is_label(word)).collect::<Vec<_>>().join(" ")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn sentences_ascend_and_are_trimmed(text in "(\\PC|[ .!?…\n\r\t\"')(A-Da-c0-3\u{fe0f}\u{20e3}\u{301}😀-]|z\\. B\\.|Dr\\. |.|\n){0,60}") {
        for language in ["en", "de", "fr", "el", "zh", "und"].map(language_of) {
            for breaks in [LineBreaks::EndSentences, LineBreaks::AreSpaces] {
                let sentences = segment(&text, language, breaks);
                let mut end = 0;
                for range in &sentences {
                    prop_assert!(range.start >= end && range.start < range.end);
                    let sentence = text.get(range.clone()).expect("character boundaries");
                    prop_assert_eq!(sentence.trim(), sentence);
                    prop_assert!(is_translatable(sentence, language));
                    prop_assert!(breaks == LineBreaks::AreSpaces || !sentence.contains(['\n', '\r']));
                    // Nothing to translate is left between.
                    prop_assert!(!is_translatable(&without_labels(&text[end..range.start]), language));
                    end = range.end;
                }
                prop_assert!(!is_translatable(&without_labels(&text[end..]), language));
            }
        }
    }

    #[test]
    fn parts_are_short_and_lose_nothing(text in "([a-z]{1,12}|[ ,;:]|\\PC|\u{301}|ﷺ|😀|and ){0,120}", max in 1usize..20) {
        let vocabulary = vocabulary();
        let parts = split_long(&vocabulary, Language::ENGLISH, &text, 0..text.len(), max);
        let mut end = 0;
        for part in &parts {
            prop_assert!(part.start >= end && part.start < part.end);
            prop_assert!(text.get(part.clone()).is_some());
            prop_assert!(text[end..part.start].trim().is_empty());
            prop_assert!(count(&vocabulary, &text[part.clone()]) <= max || text[part.clone()].chars().count() == 1);
            end = part.end;
        }
        prop_assert!(text[end..].trim().is_empty());
    }
}

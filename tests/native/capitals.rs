//! Sentences in capitals, or without any: what the model is given, and what comes back.

use proptest::prelude::*;
use std::ops::Range;
use std::path::Path;
use std::slice;
use wanderwort::text::language::Language;
use wanderwort::text::repair::capitals::{Capitals, recase};
use wanderwort::text::vocab::Vocabulary;
use wanderwort::{LoadOptions, Repairs, TranslateOptions, Translator};

fn vocabulary() -> Vocabulary {
    let path = Path::new(crate::prototype::FOLDER).join("vocab.ende.spm");
    Vocabulary::from_bytes("vocab.ende.spm", &std::fs::read(path).expect("a file")).expect("a vocabulary")
}

fn recased(text: &str, verbatim: &[Range<usize>]) -> Option<(String, Capitals)> {
    recase(text, &vocabulary(), Language::ENGLISH, verbatim).map(|recased| (recased.text, recased.capitals))
}

#[test]
fn shouted_sentences_become_ordinary_ones() {
    for (text, expected) in [
        ("THE CHILDREN ARE PLAYING IN THE GARDEN.", "The children are playing in the garden."),
        ("I LOVE YOU, AND I DON’T KNOW WHY", "I love you, and I don’t know why"),
        ("MY BROTHER LIVES IN BERLIN", "My brother lives in Berlin"),
    ] {
        assert_eq!(recased(text, &[]), Some((expected.to_owned(), Capitals::All)), "{text}");
    }
}

#[test]
fn names_and_the_first_person_get_their_capitals() {
    for (text, expected) in [
        ("my brother lives in berlin", "my brother lives in Berlin"),
        ("yes, i think i'm late", "yes, I think I'm late"),
    ] {
        assert_eq!(recased(text, &[]), Some((expected.to_owned(), Capitals::None)), "{text}");
    }
}

#[test]
fn first_words_are_given_as_the_vocabulary_knows_them() {
    for (text, expected) in [("Kitchen:", "kitchen:"), ("“Opening hours” today", "“opening hours” today")] {
        assert_eq!(recased(text, &[]), Some((expected.to_owned(), Capitals::Initial)), "{text}");
    }
    for text in [
        "Berlin is big",
        "The garden",
        "X-rays are rays",
        "USA today",
        "3 Shoes",
        "I'm here",
        "eBay is a shop",
        "Shoes of a good walker",
    ] {
        assert_eq!(recased(text, &[]), None, "{text}");
    }
    assert_eq!(recased("Kitchen:", slice::from_ref(&(0..7))), None);
    assert_eq!(recase("Kitchen:", &vocabulary(), Language::GERMAN, &[]), None, "nouns have capitals");
}

#[test]
fn what_may_be_meant_so_stays() {
    for text in ["The UN met.", "USA", "1984", "", "in the garden", "p:first-child(berlin)", "berlin.example", "Привет"]
    {
        assert_eq!(recased(text, &[]), None, "{text}");
    }
    let text = "OPEN THE FILE FOO_BAR AND CLOSE THE DOOR";
    assert_eq!(
        recased(text, slice::from_ref(&(14..21))),
        Some(("Open the file FOO_BAR and close the door".to_owned(), Capitals::All))
    );
    assert_eq!(
        recased("DOWNLOAD THE GARDEN from here", slice::from_ref(&(20..29))).expect("shouted").0,
        "Download the garden from here"
    );
}

#[test]
fn translations_are_in_capitals_again() {
    let translator = Translator::open(crate::prototype::FOLDER, &LoadOptions::default()).expect("a model");
    let options = TranslateOptions::default();
    let text = "THE CHILDREN ARE PLAYING IN THE GARDEN. LOOK AT https://example.com/a AND %d!";
    let found = translator.translate(text, &options);
    let shown = found.text.replace("https://example.com/a", "").replace("%d", "");
    assert!(found.text.contains("https://example.com/a") && found.text.contains("%d"), "{}", found.text);
    assert!(shown.contains("KINDER") && !shown.contains(char::is_lowercase), "{}", found.text);
    let mut end = 0;
    for token in &found.tokens {
        assert!(token.link.target.start >= end && found.text.get(token.link.target.clone()).is_some());
        end = token.link.target.end;
    }
    let raw = translator
        .translate(text, &TranslateOptions { repairs: Repairs::ALL.without("capitals").expect("a repair"), ..options });
    assert!(!raw.text.contains("KINDER") || raw.text.contains(char::is_lowercase), "{}", raw.text);
}

proptest! {
    #[test]
    fn every_character_keeps_its_place(text in "[A-ZÄÖÜẞİŉ'’ .,-]{0,40}|[a-zäöüßı'’ .,-]{0,40}|\\PC{0,30}", at in 0usize..40, length in 0usize..10) {
        let vocabulary = vocabulary();
        let boundary = |at: usize| (0..=at.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
        let verbatim = boundary(at)..boundary(at + length).max(boundary(at));
        if let Some(found) = recase(&text, &vocabulary, Language::ENGLISH, slice::from_ref(&verbatim)) {
            prop_assert_eq!(found.text.len(), text.len());
            prop_assert_eq!(found.text.to_lowercase(), text.to_lowercase());
            prop_assert_eq!(&found.text[verbatim.clone()], &text[verbatim]);
            let places = |text: &str| text.char_indices().map(|(at, _)| at).collect::<Vec<_>>();
            prop_assert_eq!(places(&found.text), places(&text));
        }
    }
}

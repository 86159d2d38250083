//! Signs in short sentences: each comes once and in its place, nothing beside it is harmed, and none becomes a word.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

use regex_syntax::hir::{Class, HirKind};
use wanderwort::{LoadOptions, TranslateOptions, Translator};

/// Punctuation and symbols of the blocks that people type and fonts have, from Latin-1 to the signs of Chinese, Japanese and
/// Korean text. Without ASCII, which is the markup of plain text, without quotation marks, which German writes otherwise, and without the full
/// stop of Chinese, which ends sentences, and the lines of tables, which stand between cells.
const SIGNS: &str = r"[[\p{P}\p{S}]&&[\u{a1}-\u{bf}×÷\u{2010}-\u{205e}\u{207a}-\u{208e}\u{20a0}-\u{20c0}\u{2100}-\u{218b}\u{2190}-\u{23ff}\u{2460}-\u{27bf}\u{2b05}-\u{2b59}\u{3001}-\u{303f}\u{ffe0}-\u{ffe6}]--[“”‘’‚„‟‛«»。\u{2500}-\u{257f}]]";

/// Sentences with a place for a sign.
const FRAMES: [Frame; 5] = [
    Frame {
        name: "between words",
        text: "Anna saw the sign {} on the old door.",
        beside: None,
        synonyms: "Schild Zeichen sah gesehen",
    },
    Frame {
        name: "before a number",
        text: "Anna wrote {} 40 in the book.",
        beside: Some("40"),
        synonyms: "schrieb geschrieben",
    },
    Frame {
        name: "behind a number",
        text: "Peter found 35{} in his house.",
        beside: Some("35"),
        synonyms: "fand gefunden",
    },
    Frame { name: "at the start", text: "{} Maria lives in London.", beside: Some("Maria"), synonyms: "lebt wohnt" },
    Frame {
        name: "before a word",
        text: "Thomas comes from {}Berlin today.",
        beside: Some("Berlin"),
        synonyms: "kommt stammt",
    },
];

/// German words that name no thing. With a sign, a sentence may take others of them.
const FUNCTION_WORDS: &str = "am an auf aus bei beim bis das dem den der des die ein eine einem einen einer für hat im in ins \
    ist mit nach seinem sich und vom von war wird zu zum zur";

struct Frame {
    name: &'static str,
    text: &'static str,
    /// What stays beside the sign, on either side and with blanks between them or not.
    beside: Option<&'static str>,
    /// Words that are as good as those that the model has for the sentence without a sign.
    synonyms: &'static str,
}

fn signs() -> Vec<char> {
    let class = regex_syntax::parse(SIGNS).expect("a class of characters");
    let HirKind::Class(Class::Unicode(class)) = class.kind() else { panic!("no class of characters: {class:?}") };
    class.iter().flat_map(|range| range.start()..=range.end()).collect()
}

/// Runs of letters, in small ones.
fn words(text: &str) -> BTreeSet<String> {
    let lower = text.to_lowercase();
    lower.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// Whether the word is in the text as one of its own.
fn has_word(text: &str, word: &str) -> bool {
    let letter = |c: char| c.is_alphanumeric();
    text.match_indices(word)
        .any(|(start, _)| !text[..start].ends_with(letter) && !text[start + word.len()..].starts_with(letter))
}

fn stands_beside(item: &str, sign: char, text: &str) -> bool {
    text.match_indices(item).any(|(start, _)| {
        text[..start].trim_end().ends_with(sign) || text[start + item.len()..].trim_start().starts_with(sign)
    })
}

/// What went wrong in the translations of a frame: signs by fault, with the words that they became.
type Faults = BTreeMap<String, Vec<String>>;

/// As many of a fault's signs are printed.
const PRINTED: usize = 60;

fn faults(frame: &Frame, translator: &Translator, signs: &[char]) -> Faults {
    let options = TranslateOptions::default();
    let plain = translator.translate(frame.text.replace("{}", "").replace("  ", " ").trim_start(), &options).text;
    let kept: Vec<&str> = frame
        .text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit()) && has_word(&plain, word))
        .collect();
    assert!(!kept.is_empty(), "{plain:?} has nothing of {:?}", frame.text);

    let sources: Vec<String> = signs.iter().map(|sign| frame.text.replace("{}", &sign.to_string())).collect();
    let translations = translator.translate_batch(&sources, &options);
    // Some signs are letters in circles: they must not be taken for a part of the word that they touch.
    let rests: Vec<String> =
        signs.iter().zip(&translations).map(|(sign, translation)| translation.text.replace(*sign, " ")).collect();
    let mut counts = BTreeMap::<String, usize>::new();
    for word in rests.iter().flat_map(|rest| words(rest)) {
        *counts.entry(word).or_default() += 1;
    }
    // The model may word the sentence otherwise where it has a sign: one in thirty signs must call for that.
    let mut own = words(&plain);
    own.extend(counts.into_iter().filter(|(_, count)| count * 30 >= signs.len()).map(|(word, _)| word));
    own.extend(words(FUNCTION_WORDS));
    own.extend(words(frame.synonyms));

    let mut faults = Faults::new();
    for ((sign, translation), rest) in signs.iter().copied().zip(&translations).zip(&rests) {
        let text = &translation.text;
        let mut add = |fault: String| faults.entry(fault).or_default().push(sign.to_string());
        match text.matches(sign).count() {
            0 => add("lost".to_owned()),
            1 => {}
            _ => add("more than once".to_owned()),
        }
        if text.contains('?') {
            add("with a question mark".to_owned());
        }
        for item in kept.iter().filter(|item| !has_word(rest, item)) {
            add(format!("without {item}"));
        }
        if let Some(item) = frame.beside
            && kept.contains(&item)
            && text.contains(sign)
            && has_word(rest, item)
            && !stands_beside(item, sign, text)
        {
            add(format!("away from {item}"));
        }
        let others: Vec<String> = words(rest).difference(&own).cloned().collect();
        if !others.is_empty() {
            let fault = "with words that nobody wrote".to_owned();
            faults.entry(fault).or_default().push(format!("{sign}={}", others.join("+")));
        }
    }
    faults
}

fn come_through(model: &Path) {
    let translator = Translator::open(model, &LoadOptions::default()).expect("the model loads");
    let signs = signs();
    assert!(signs.len() >= 605, "{} signs", signs.len());
    let mut report = String::new();
    for frame in &FRAMES {
        for (fault, signs) in faults(frame, &translator, &signs) {
            let more = if signs.len() > PRINTED { " …" } else { "" };
            let printed = signs[..signs.len().min(PRINTED)].join(" ");
            writeln!(report, "{}, {fault}: {}: {printed}{more}", frame.name, signs.len()).expect("text takes all");
        }
    }
    assert!(report.is_empty(), "{} signs in {} sentences each:\n{report}", signs.len(), FRAMES.len());
}

#[test]
fn of_the_shipped_model() {
    come_through(&crate::shipped::model("en-de"));
}

#[test]
fn of_a_folder_of_marian_files() {
    come_through(crate::prototype::FOLDER.as_ref());
}

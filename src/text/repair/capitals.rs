//! Sentences written all in capitals, or without any, and first words that have a capital only because of their place.
//!
//! A vocabulary knows few words in capitals: "GARDEN" falls apart into pieces that mean nothing, "berlin" into others than "Berlin". So
//! the model gets such a sentence in the case that it knows, each word in the one that takes the fewest pieces, and what was written in
//! capitals is put in capitals again afterwards. In a sentence in mixed case only the first word may change, in labels of a few words (not in
//! German, where nouns have capitals): "Ingredients" falls apart as well, "ingredients" does not; the translation's first letter is then made a
//! capital.

use std::ops::Range;

use super::amounts::unit_in_its_case;
use super::draft::Draft;
use super::{Preparation, Sentence};
use crate::text::language::Language;
use crate::text::vocab::{Piece, Vocabulary};

/// A sentence in another case; every character has its place, byte for byte.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recased {
    /// What the model gets.
    pub text: String,
    /// What the translation gets.
    pub capitals: Capitals,
}

/// Which part of a translation is put in capitals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Capitals {
    /// Nothing: it stays as the model wrote it.
    #[default]
    None,
    /// Its first letter.
    Initial,
    /// All of it.
    All,
}

/// Gives the model the case that it knows.
pub fn prepare(preparation: &mut Preparation) {
    let kept = preparation.kept_ranges();
    let (vocabulary, language) = (preparation.context.source_vocabulary, preparation.context.source_language);
    let Some(recased) = recase(preparation.source, vocabulary, language, &kept) else { return };
    preparation.capitals = recased.capitals;
    for word in words(preparation.source, &kept) {
        let given = &recased.text[word.clone()];
        if given != &preparation.source[word.clone()] {
            preparation.substitutions.recase(word, given);
        }
    }
}

/// Puts a draft in the case of its source.
pub fn repair(sentence: &Sentence, draft: &mut Draft) {
    match sentence.plan.capitals {
        Capitals::All => capitalize(draft),
        Capitals::Initial => capitalize_initial(draft),
        Capitals::None if begins_with_capital(sentence.source, sentence.context.source_language) => {
            let first = draft.text().find(char::is_alphanumeric).unwrap_or_default();
            let word = word_at(draft.text(), first);
            // "iPhone" and "pH" begin as they do.
            let own = word.contains(char::is_uppercase)
                || word.contains(|c: char| c.is_ascii_digit() || c == '_')
                || sentence.source.split(|c: char| !c.is_alphanumeric()).any(|other| other == word);
            if !own {
                capitalize_initial(draft);
            }
        }
        Capitals::None => {}
    }
}

fn word_at(text: &str, start: usize) -> &str {
    let rest = &text[start..];
    &rest[..rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len())]
}

/// Whether a text begins with a capital because a sentence begins there, and not because its first word always has one.
fn begins_with_capital(source: &str, language: Language) -> bool {
    let content = source.trim_start_matches(|c: char| !c.is_alphanumeric());
    let is_sentence = source.trim_end().ends_with(['.', '!', '?', '…', ':'])
        || content.split_whitespace().nth(MOST_WORDS_OF_LABEL).is_some();
    content.starts_with(char::is_uppercase) && (is_sentence || has_small_nouns(language))
}

/// A text of more words says enough about what each is, and models know sentences that start with a capital.
const MOST_WORDS_OF_LABEL: usize = 3;

/// The case that the model knows for a sentence written all in capitals or without any, or for a label's first word; none if the vocabulary knows
/// it equally well as it stands (a word of capitals may be an abbreviation). `verbatim` are ranges that do not count and stay.
pub fn recase(text: &str, vocabulary: &Vocabulary, language: Language, verbatim: &[Range<usize>]) -> Option<Recased> {
    let words = words(text, verbatim);
    let has = |such: fn(char) -> bool| words.iter().any(|word| text[word.clone()].contains(such));
    let shouted = match (has(char::is_uppercase), has(char::is_lowercase)) {
        (true, false) => true,
        (false, true) => false,
        (true, true) if has_small_nouns(language) && words.len() <= MOST_WORDS_OF_LABEL => {
            return uncapitalize(text, words.first()?, vocabulary);
        }
        _ => return None,
    };
    if !shouted && !is_prose(text) {
        return None;
    }
    let mut pieces: Vec<Piece> = Vec::new();
    let mut count = |word: &str| {
        pieces.clear();
        vocabulary.encode(word, &mut pieces);
        pieces.len()
    };
    let mut recased = String::with_capacity(text.len());
    let (mut before, mut after) = (0, 0);
    for (index, range) in words.iter().enumerate() {
        let word = &text[range.clone()];
        let lower: String = word.chars().map(lower).collect();
        let capitalized: String = lower.chars().take(1).map(upper).chain(lower.chars().skip(1)).collect();
        // Of those that take equally few pieces, the first.
        // "150 KW" is no word that the vocabulary may know in small letters.
        let follows_number = || text[..range.start].trim_end().ends_with(|c: char| c.is_ascii_digit());
        let unit = if shouted && follows_number() {
            unit_in_its_case(&text[range.start..end_of_unit(text, range.end)])
        } else {
            None
        };
        let in_case = unit.and_then(|unit| unit.get(..word.len()));
        let forms: &[&str] = if let Some(unit) = &in_case {
            std::slice::from_ref(unit)
        } else if shouted && follows_number() && word.chars().nth(1).is_none() {
            &[word]
        } else if language.is_capital_word(&lower) {
            &[&capitalized]
        } else if !shouted {
            // A part of a compound says little alone: "p" in "p-value", "nth" in "nth-child".
            let hyphenated = text[..range.start].ends_with('-') || text[range.end..].starts_with('-');
            if hyphenated { &[word] } else { &[word, &capitalized] }
        } else if index == 0 {
            &[&capitalized, &lower, word]
        } else {
            &[&lower, &capitalized, word]
        };
        let (pieces, form) =
            forms.iter().map(|form| (count(form), form)).min_by_key(|(pieces, _)| *pieces).expect("there is a form");
        before += count(word);
        after += pieces;
        recased.push_str(&text[recased.len()..range.start]);
        recased.push_str(form);
    }
    recased.push_str(&text[recased.len()..]);
    let capitals = if shouted { Capitals::All } else { Capitals::None };
    (after < before || !shouted && recased != text).then_some(Recased { text: recased, capitals })
}

/// Where the unit that a word begins ends: after the bar and letter of "KM/H".
fn end_of_unit(text: &str, end: usize) -> usize {
    let rest = &text[end..];
    let letters = rest.strip_prefix('/').map_or(0, |rest| rest.bytes().take_while(u8::is_ascii_alphabetic).count());
    if letters > 0 { end + 1 + letters } else { end }
}

/// The label with its first word in lower case, if the vocabulary knows the word whole only in that form: names it does not.
fn uncapitalize(text: &str, first: &Range<usize>, vocabulary: &Vocabulary) -> Option<Recased> {
    let word = &text[first.clone()];
    let lower: String = word.chars().map(lower).collect();
    let capitalized = word.chars().skip(1).all(char::is_lowercase) && word.starts_with(char::is_uppercase);
    let starts = !text[..first.start].contains(char::is_alphanumeric);
    // "X-ray" and "I'm" are not what they seem alone.
    let alone = !text[first.end..].starts_with(['-', '\'', '’', '.', '_', '/', '@']);
    // Another capital makes a name or a title: "Pink Floyd".
    let named = text[first.end..].contains(char::is_uppercase);
    if word.chars().nth(1).is_none() || !capitalized || !starts || !alone || named {
        return None;
    }
    let count = |word: &str| {
        let mut pieces = Vec::new();
        vocabulary.encode(word, &mut pieces);
        pieces.len()
    };
    let text = || [&text[..first.start], &lower, &text[first.end..]].concat();
    (count(&lower) == 1 && count(word) > 1).then(|| Recased { text: text(), capitals: Capitals::Initial })
}

/// Makes a translation's first letter a capital, unless it must stay. No byte changes its place.
fn capitalize_initial(draft: &mut Draft) {
    let first = draft.text().char_indices().find(|(_, c)| c.is_alphanumeric()).map(|(at, _)| at);
    draft.map_characters(|at, c, out| out.push(if Some(at) == first { upper(c) } else { c }));
}

/// Puts a translation in capitals, except for what must stay. No byte changes its place: "ß" becomes "SS".
fn capitalize(draft: &mut Draft) {
    draft.map_characters(|_, c, out| match c {
        'ß' => out.push_str("SS"),
        _ => out.push(upper(c)),
    });
}

/// Runs of letters, with the apostrophes between them, outside `verbatim`.
fn words(text: &str, verbatim: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut words: Vec<Range<usize>> = Vec::new();
    let mut verbatim = verbatim.iter().peekable();
    // Where one stands directly after a word.
    let mut apostrophe = None;
    for (at, c) in text.char_indices() {
        while verbatim.next_if(|range| range.end <= at).is_some() {}
        let inside = verbatim.peek().is_some_and(|range| range.start <= at);
        if c.is_alphabetic() && !inside {
            let end = at + c.len_utf8();
            match words.last_mut() {
                Some(word) if word.end == at || apostrophe == Some(word.end) => word.end = end,
                _ => words.push(at..end),
            }
            apostrophe = None;
        } else {
            let follows = words.last().is_some_and(|word| word.end == at);
            apostrophe = (matches!(c, '\'' | '’') && follows && !inside).then_some(at);
        }
    }
    words
}

/// Whether a text contains nothing of code or markup, where lower case means something.
fn is_prose(text: &str) -> bool {
    let is_sign =
        |c: char| matches!(c, '.' | ',' | ';' | ':' | '!' | '?' | '\'' | '’' | '"' | '“' | '”' | '-' | '–' | '—' | '…');
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        let next = characters.peek().copied();
        if !(c.is_alphanumeric() || c.is_whitespace() || is_sign(c))
            || matches!(c, '.' | ':' | ';') && next.is_some_and(char::is_alphabetic)
        {
            return false;
        }
    }
    true
}

/// Whether a noun has a capital only where a sentence starts.
fn has_small_nouns(language: Language) -> bool {
    language != Language::UNKNOWN && !language.capital_nouns
}

/// The other case of a character if that takes as many bytes, else the character.
fn lower(c: char) -> char {
    same_length(c, c.to_lowercase())
}

fn upper(c: char) -> char {
    same_length(c, c.to_uppercase())
}

fn same_length(c: char, mut other: impl Iterator<Item = char>) -> char {
    match (other.next(), other.next()) {
        (Some(other), None) if other.len_utf8() == c.len_utf8() => other,
        _ => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::slice;

    #[test]
    fn words_are_runs_of_letters_with_apostrophes_inside() {
        let text = "DON'T 'QUOTE' A1B x@y ROCK ’N’ ROLL'";
        let found: Vec<&str> = words(text, slice::from_ref(&(18..21))).into_iter().map(|word| &text[word]).collect();
        assert_eq!(found, ["DON'T", "QUOTE", "A", "B", "ROCK", "N", "ROLL"]);
    }

    #[test]
    fn capitals_keep_every_place() {
        let text = "Straße nach %d, ﬁx ŉ öffnen";
        let mut draft = Draft::aligned(text, &[(text, text)]);
        draft.keep(13..15);
        capitalize(&mut draft);
        assert_eq!(draft.text(), "STRASSE NACH %d, ﬁX ŉ ÖFFNEN");
        assert_eq!(draft.text().len(), text.len());
    }

    #[test]
    fn initials_are_capitals_unless_kept() {
        for (text, keep, expected) in [
            ("öffnungszeiten", 0..0, "Öffnungszeiten"),
            ("„zutaten“", 0..0, "„Zutaten“"),
            ("example.org ist", 0..11, "example.org ist"),
            ("3 äpfel", 0..0, "3 äpfel"),
            ("…", 0..0, "…"),
        ] {
            let mut draft = Draft::aligned(text, &[(text, text)]);
            draft.keep(keep);
            capitalize_initial(&mut draft);
            assert_eq!(draft.text(), expected);
        }
    }

    #[test]
    fn sentences_begin_with_a_capital() {
        for (text, language, expected) in [
            ("Um 14 Uhr.", Language::GERMAN, true),
            ("Um 17 Uhr bin ich da", Language::GERMAN, true),
            ("Haus", Language::GERMAN, false),
            ("House", Language::ENGLISH, true),
            ("house.", Language::ENGLISH, false),
            ("„Komm her“, rief sie.", Language::GERMAN, true),
            ("3 Äpfel", Language::GERMAN, false),
            ("", Language::GERMAN, false),
        ] {
            assert_eq!(begins_with_capital(text, language), expected, "{text}");
        }
    }

    #[test]
    fn prose_is_told_from_code() {
        for text in ["where is the station", "i am here: look, 2 cats! well-known… \"yes\"", ""] {
            assert!(is_prose(text), "{text}");
        }
        for text in ["tr:nth-child(even)", "a.b", "x = 1", "foo_bar", "n/a", "<b>", "50%"] {
            assert!(!is_prose(text), "{text}");
        }
    }
}

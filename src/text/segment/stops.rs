//! What a full stop may be: the end of a sentence, or part of an abbreviation, a number or an initial.

use super::boundaries::is_opener;
use crate::text::language::Language;

/// What a full stop after a word may be.
pub(super) enum Stop {
    /// The end of a sentence.
    Sentence,
    /// Part of an abbreviation that something always follows.
    Abbreviation,
    /// Part of an abbreviation if a number follows.
    BeforeNumber,
    /// Either: an end if a word that sentences start with follows.
    Doubtful,
}

/// What the full stop that ends `core` is, where `word` stands before it.
pub(super) fn kind_of_stop(core: &str, word: &str, language: Language) -> Stop {
    if spaced_abbreviation(core, language.abbreviations.spaced) {
        return Stop::Abbreviation;
    }
    if let Some(kind) = listed(word, language).or_else(|| listed(&without_capital(word, language)?, language)) {
        return kind;
    }
    // "U.S.", "Ph.D.", "J.R.R."
    if word.contains('.')
        && word.split('.').all(|part| part.chars().count() <= 2 && part.chars().all(char::is_alphabetic))
    {
        return Stop::Doubtful;
    }
    if word.chars().count() == 1 && word.chars().all(char::is_alphabetic) {
        // "So am I." ends; "J. Smith", "z. B." and "p. 5" do not, "Plan B. Then" does.
        return if language.is_capital_word(word) { Stop::Sentence } else { Stop::Doubtful };
    }
    if language.abbreviations.suffixes.iter().any(|suffix| word.ends_with(suffix)) {
        return Stop::Doubtful;
    }
    if language.ordinal_stop {
        // Ordinals: "3. Oktober", "der 250. Geburtstag", "am 3.10. nachts", "Ludwig XIV. von". Not so after an abbreviation: "S. 5."
        let digits = |most: usize| {
            move |part: &str| (1..=most).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit())
        };
        let ordinal = digits(3)(word) || word.len() <= 5 && word.split('.').all(digits(2));
        let counted = core[..core.len() - 1 - word.len()].trim_end();
        let after_abbreviation = counted.strip_suffix('.').is_some_and(|rest| rest.ends_with(char::is_alphabetic));
        if (ordinal && !after_abbreviation) || is_roman_number(word) {
            // Where only names have capitals, hardly any name follows an ordinal, but in dates a number does: "3. 10. 1990".
            return if language.capital_nouns || is_roman_number(word) { Stop::Doubtful } else { Stop::BeforeNumber };
        }
    }
    Stop::Sentence
}

/// What the stop is after a word that is in the language's lists.
fn listed(word: &str, language: Language) -> Option<Stop> {
    let lists = &language.abbreviations;
    match () {
        () if !word.contains(char::is_alphabetic) => None,
        () if lists.always.contains(word) => Some(Stop::Abbreviation),
        () if lists.before_number.contains(word) => Some(Stop::BeforeNumber),
        () if lists.doubtful.contains(word) => Some(Stop::Doubtful),
        () => None,
    }
}

/// The word in lower case, if it may have its capital because it begins a sentence. Where nouns have capitals, it may be a noun.
fn without_capital(word: &str, language: Language) -> Option<String> {
    let first = word.chars().next().filter(|c| c.is_uppercase() && !language.capital_nouns)?;
    let rest = &word[first.len_utf8()..];
    (!rest.is_empty()).then(|| first.to_lowercase().chain(rest.chars()).collect())
}

/// Whether the text ends with one of these abbreviations of several words, with or without spaces between them.
fn spaced_abbreviation(core: &str, abbreviations: &[&str]) -> bool {
    abbreviations.iter().any(|abbreviation| {
        let mut rest = core;
        for part in abbreviation.rsplit(' ') {
            match rest.trim_end().strip_suffix(part) {
                Some(shorter) => rest = shorter,
                None => return false,
            }
        }
        !rest.ends_with(char::is_alphanumeric)
    })
}

/// Whether a word is a Roman number, in capitals, of more than one letter or one that stands for nothing else: not "I", "C", "D", "L" and "M".
pub(in crate::text) fn is_roman_number(word: &str) -> bool {
    let mut rest = word;
    for (one, five, ten) in [('M', ' ', ' '), ('C', 'D', 'M'), ('X', 'L', 'C'), ('I', 'V', 'X')] {
        if let Some(after) = rest.strip_prefix(one).and_then(|rest| rest.strip_prefix([five, ten])) {
            rest = after;
            continue;
        }
        rest = rest.strip_prefix(five).unwrap_or(rest);
        for _ in 0..3 {
            rest = rest.strip_prefix(one).unwrap_or(rest);
        }
    }
    rest.is_empty() && !matches!(word, "" | "I" | "C" | "D" | "L" | "M")
}

/// Whether a word that often starts sentences follows.
pub(super) fn is_starter(next: &str, word: &str, language: Language) -> bool {
    // "A. Smith" after an initial.
    let initial = word.chars().count() == 1 && next[word.len()..].starts_with('.');
    if initial || word.is_empty() {
        return false;
    }
    let word = word.split(['\'', '’']).next().unwrap_or(word);
    language.starters.contains(word)
}

/// The letters (and apostrophes within) at the start.
pub(super) fn first_word(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_alphabetic() && c != '\'' && c != '’').unwrap_or(text.len());
    &text[..end]
}

/// The characters at the end up to white space or an opening bracket or quote; at most as long as any abbreviation is. Where words are not
/// spaced, only letters of the same kind.
pub(super) fn last_word(text: &str, language: Language) -> &str {
    let mut start = text.len();
    for (index, c) in text.char_indices().rev().take(24) {
        let rest = &text[start..];
        // The Hebrew mark of abbreviations, in "ש"ח", is written as a quotation mark.
        let inside = c == '"' && rest.starts_with(char::is_alphabetic) && text[..index].ends_with(char::is_alphabetic);
        let separates = c.is_whitespace() || is_opener(c) || matches!(c, '/' | '-' | '–' | '—' | ',' | ';' | ':');
        if separates && !inside || !language.spaced && rest.starts_with(|first: char| first.is_ascii() != c.is_ascii())
        {
            break;
        }
        start = index;
    }
    &text[start..]
}

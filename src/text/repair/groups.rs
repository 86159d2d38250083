//! Numbers whose groups have spaces or apostrophes between them, and chapter and verse.
//!
//! "1 234,56" are two numbers to a small model, of which it drops one; "1'234.50" lost a digit. The model is given such a number as its language writes
//! it with signs, "1.234,56", and the target language's form must be in its translation. Two numbers may also stand side by side: a single plain
//! space joins them only where a fraction or a unit follows.
//!
//! In "Joh 3,16" the comma stands between chapter and verse, which English writes with a colon, and not before a fraction.

use std::ops::Range;

use super::numbers::{is_name_before, localized, numbers, value};
use super::signs::is_currency;
use super::{Kept, Preparation};
use crate::text::language::Language;

/// A number, how the model reads it, and what must be in the translation.
struct Rewritten {
    range: Range<usize>,
    given: String,
    form: String,
}

/// Keeps each such number.
pub fn prepare(preparation: &mut Preparation) {
    let source = preparation.source;
    let languages = (preparation.context.source_language, preparation.context.target_language);
    if languages.0 == Language::UNKNOWN || languages.1 == Language::UNKNOWN {
        return;
    }
    for Rewritten { range, given, form } in grouped(source, languages).into_iter().chain(verses(source, languages)) {
        preparation.keep(Kept { given: Some(given), form: Some(form), ..Kept::exactly(range) });
    }
}

/// Spaces and apostrophes between groups of digits.
fn is_gap(c: char) -> bool {
    matches!(c, ' ' | '\u{a0}' | '\u{202f}' | '\u{2009}' | '\'' | '’')
}

fn digits(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_digit).count()
}

fn grouped(source: &str, languages: (Language, Language)) -> Vec<Rewritten> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = source[at..].find(|c: char| c.is_ascii_digit()).map(|found| at + found) {
        at = start + digits(&source[start..]);
        let before = &source[..start];
        let follows =
            |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | ',' | '/' | ':' | '–' | '#' | '+' | '\'' | '’');
        let minus = before.strip_suffix(['-', '−']);
        let apart = !before.ends_with(follows)
            && !before.trim_end_matches(is_gap).ends_with(|c: char| c.is_ascii_digit())
            && minus.is_none_or(|before| before.is_empty() || before.ends_with(char::is_whitespace));
        if !apart || is_name_before(before, languages.0) {
            continue;
        }
        if let Some((length, given)) = in_groups(&source[start..], languages.0) {
            let form = localized(&given, languages);
            found.push(Rewritten { range: start..start + length, given, form });
            at = start + length;
        }
    }
    found
}

/// The length of the number that a text begins with, if it is in such groups, and the number with the language's own signs.
fn in_groups(text: &str, language: Language) -> Option<(usize, String)> {
    let (decimal, group) = (language.numbers.decimal, language.numbers.group);
    let first = digits(text);
    let gap = text[first..].chars().next().filter(|&c| is_gap(c))?;
    if !(1..=3).contains(&first) || text.starts_with('0') {
        return None;
    }
    let mut plain = text[..first].to_owned();
    let (mut end, mut groups) = (first, 0);
    while let Some(rest) = text[end..].strip_prefix(gap).filter(|rest| digits(rest) == 3) {
        plain.push(if group.is_ascii() { group } else { ',' });
        plain.push_str(&rest[..3]);
        end = text.len() - rest.len() + 3;
        groups += 1;
    }
    // A language with such gaps is read as it is.
    if groups == 0 || !group.is_ascii() {
        return None;
    }
    let sign = text[end..].chars().next().filter(|c| matches!(c, '.' | ','));
    let fraction = sign.map_or(0, |_| digits(&text[end + 1..]));
    if fraction > 0 {
        // Three digits after the other language's sign may be one more group.
        if sign != Some(decimal) && fraction == 3 {
            return None;
        }
        plain.push(decimal);
        plain.push_str(&text[end + 1..end + 1 + fraction]);
        end += 1 + fraction;
    }
    let behind = &text[end..];
    let next = behind.trim_start_matches(is_gap);
    let goes_on = behind.starts_with(|c: char| c.is_alphanumeric() || c == '_')
        || next.starts_with(|c: char| c.is_ascii_digit())
        || behind.starts_with(['-', '/', ':', '.', ',']) && behind[1..].starts_with(|c: char| c.is_ascii_digit());
    let word = &next[..next.find(|c: char| !c.is_alphabetic()).unwrap_or(next.len())];
    let capitalized: String = word.chars().take(1).flat_map(char::to_uppercase).chain(word.chars().skip(1)).collect();
    let is_measured =
        next.starts_with(|c: char| is_currency(c) || c == '%') || language.measures.contains(&capitalized);
    let is_one = gap != ' ' || groups > 1 || fraction > 0 || is_measured;
    (is_one && !goes_on && value(&plain, language).is_some()).then_some((end, plain))
}

/// Chapter and verse after the name of a book, where the source language has a comma between them and the target language has none.
fn verses(source: &str, languages: (Language, Language)) -> Vec<Rewritten> {
    let (books, in_target) = (languages.0.comma_before_verses, languages.1.comma_before_verses);
    if books.is_empty() || !in_target.is_empty() {
        return Vec::new();
    }
    let mut found = Vec::new();
    for number in numbers(source, &[]) {
        let text = &source[number.range.clone()];
        let before = source[..number.range.start].strip_suffix([' ', '\u{a0}']).unwrap_or_default();
        let word = before.trim_end_matches('.').rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        let is_verse = text.split_once(',').is_some_and(|(chapter, verse)| {
            (1..=3).contains(&chapter.len()) && (1..=3).contains(&digits(verse)) && digits(chapter) == chapter.len()
        });
        if !is_verse || !books.contains(word) {
            continue;
        }
        let rest = &source[number.range.end..];
        let dash = rest.chars().next().filter(|c| matches!(c, '-' | '–')).map_or(0, char::len_utf8);
        let last = digits(&rest[dash..]);
        let end = number.range.end + if dash > 0 && last > 0 { dash + last } else { 0 };
        let form = source[number.range.start..end].replace(',', ":");
        found.push(Rewritten { range: number.range.start..end, given: form.clone(), form });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(languages: (Language, Language), text: &str, expected: &[(&str, &str, &str)]) {
        let found = grouped(text, languages).into_iter().chain(verses(text, languages));
        let found: Vec<_> = found.map(|number| (&text[number.range], number.given, number.form)).collect();
        let found: Vec<_> = found.iter().map(|(text, given, form)| (*text, &**given, &**form)).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn groups_are_one_number() {
        let to_english = (Language::GERMAN, Language::ENGLISH);
        let to_german = (Language::ENGLISH, Language::GERMAN);
        check(to_english, "es sind 1 234,56 Euro", &[("1 234,56", "1.234,56", "1,234.56")]);
        check(to_english, "12\u{a0}345 Leute", &[("12\u{a0}345", "12.345", "12,345")]);
        check(to_english, "1 500 000 Leute", &[("1 500 000", "1.500.000", "1,500,000")]);
        check(to_english, "1'234.50 Franken", &[("1'234.50", "1.234,50", "1,234.50")]);
        check(to_english, "für 12 345 €", &[("12 345", "12.345", "12,345")]);
        check(to_english, "-1 234,5 Grad", &[("1 234,5", "1.234,5", "1,234.5")]);
        check(to_german, "it is 1 234.56.", &[("1 234.56", "1,234.56", "1.234,56")]);
        check(to_german, "1’234’567 francs", &[("1’234’567", "1,234,567", "1.234.567")]);
    }

    #[test]
    fn numbers_side_by_side_are_two() {
        let languages = (Language::GERMAN, Language::ENGLISH);
        for text in [
            "in Zimmer 12 345 Leute",
            "0161 4960018",
            "030 123 456",
            "Tel. 123 456 789",
            "1 800 555 1234",
            "5 12/24",
            "1 2345",
            "1'23",
            "A1 234,5",
            "1 234.567",
            "1 234 56",
            "2024 3,5",
        ] {
            check(languages, text, &[]);
        }
    }

    #[test]
    fn verses_have_a_colon_in_english() {
        let languages = (Language::GERMAN, Language::ENGLISH);
        check(languages, "Lies Joh 3,16.", &[("3,16", "3:16", "3:16")]);
        check(languages, "In Mt. 5,3-12 steht", &[("5,3-12", "5:3-12", "5:3-12")]);
        check(languages, "1. Kor 13,4–7 und Psalm 23,1", &[("13,4–7", "13:4–7", "13:4–7"), ("23,1", "23:1", "23:1")]);
        check(languages, "Kurs 3,16 und Joh 3", &[]);
        check((Language::ENGLISH, Language::GERMAN), "John 3,16", &[]);
    }
}

//! Short forms, mostly before and after numbers, given to the model written out.
//!
//! "Feb 29th, 2024" became "29., 2024", "No. 7" "Nein. 7" and "im 19. Jh." "in the 19th. Jh.": a small model has seen too few of them. Written out it
//! knows them. The languages' data says what they are short for ([`ShortForms`](crate::text::language::ShortForms)).
//!
//! A German "24.12." at a place where a date stands is read and comes through with the month's name; of the figures a model makes the end of the
//! sentence.

use std::ops::Range;

use super::numbers::number_ending;
use super::signs::is_currency;
use super::{Kept, Preparation};
use crate::text::language::Language;

#[rustfmt::skip]
const MONTHS: [&str; 12] = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December",
];

#[rustfmt::skip]
const GERMAN_MONTHS: [&str; 12] = [
    "Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober", "November", "Dezember",
];

/// Gives the model short forms written out.
pub fn prepare(preparation: &mut Preparation) {
    let source = preparation.source;
    let (from, to) = (preparation.context.source_language, preparation.context.target_language);
    for (range, given) in no_cents(source) {
        preparation.substitutions.add(range, given);
    }
    for (range, word) in written_out(source, from) {
        // "MwSt." looks like a name in a program.
        preparation.release(&range);
        if !preparation.is_kept(&range) {
            preparation.substitutions.add(range, word);
        }
    }
    if (from, to) == (Language::GERMAN, Language::ENGLISH) {
        for (range, day, month) in days(source) {
            let form = format!("{day} {}", MONTHS[month]);
            let given = format!("{day}. {}", GERMAN_MONTHS[month]);
            preparation.keep(Kept { form: Some(form), given: Some(given), ..Kept::exactly(range) });
        }
    }
    if from == Language::ENGLISH {
        prepare_english(preparation);
    }
}

/// The dashes for no cents, "20,–" and "50.-", and what is read instead: nothing, or the currency's sign behind them, which belongs to the number.
fn no_cents(source: &str) -> Vec<(Range<usize>, String)> {
    let mut found = Vec::new();
    for (at, _) in source.match_indices([',', '.']) {
        let rest = &source[at + 1..];
        let behind = ["--", "-", "–", "—"].into_iter().find_map(|dash| rest.strip_prefix(dash));
        let Some(behind) = behind.filter(|_| source[..at].ends_with(|c: char| c.is_ascii_digit())) else { continue };
        let next = behind.trim_start_matches([' ', '\u{a0}', '\u{202f}']);
        if let Some(sign) = next.chars().next().filter(|&c| is_currency(c)) {
            let end = source.len() - next.len() + sign.len_utf8();
            found.push((at..end, format!(" {sign}")));
        } else if behind.is_empty() || next.len() < behind.len() || next.starts_with(['.', ')', ';']) {
            found.push((at..source.len() - behind.len(), String::new()));
        }
    }
    found
}

/// The short forms of a text, with their words. One at the end leaves its stop, which is also the sentence's.
fn written_out(source: &str, language: Language) -> Vec<(Range<usize>, &'static str)> {
    let forms = language.short_forms;
    let mut found = Vec::new();
    for (kind, list) in [forms.before_number, forms.after_number, forms.anywhere].into_iter().enumerate() {
        for (short, word) in list {
            for (at, _) in source.match_indices(short) {
                let (before, behind) = (&source[..at], &source[at + short.len()..]);
                let spaces = [' ', '\u{a0}', '\u{202f}'];
                let digit = |c: char| c.is_ascii_digit();
                let fits = match kind {
                    0 => {
                        behind.len() > behind.trim_start_matches(spaces).len()
                            && behind.trim_start_matches(spaces).starts_with(digit)
                    }
                    1 => {
                        before.len() > before.trim_end_matches(spaces).len()
                            && before.trim_end_matches(spaces).trim_end_matches('.').ends_with(digit)
                    }
                    _ => true,
                };
                let apart = before.is_empty()
                    || before.ends_with(|c: char| c.is_whitespace() || matches!(c, '(' | '„' | '"' | '“'));
                let ends = !behind.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '.' | '-'));
                if fits && apart && ends {
                    let is_last = behind.trim_start_matches([')', '“', '"', '”']).trim().is_empty();
                    found.push((at..at + short.len() - usize::from(is_last), *word));
                }
            }
        }
    }
    found
}

/// German words before a day.
const BEFORE_DAY: [&str; 10] = ["am", "vom", "bis", "zum", "den", "dem", "ab", "seit", "der", "und"];

/// Days with a month in figures and without a year, with the month's index: "am 24.12. ist".
fn days(source: &str) -> Vec<(Range<usize>, u32, usize)> {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = source[at..].find(|c: char| c.is_ascii_digit()).map(|found| at + found) {
        let of_day = digits(&source[start..]);
        at = start + of_day;
        let Some(rest) = source[at..].strip_prefix('.') else { continue };
        let of_month = digits(rest);
        let Some(behind) = rest[of_month..].strip_prefix('.') else { continue };
        let end = source.len() - behind.len();
        let (day, month) = (source[start..at].parse::<u32>(), rest[..of_month].parse::<usize>());
        let (Ok(day @ 1..=31), Ok(month @ 1..=12)) = (day, month) else { continue };
        let before = source[..start].strip_suffix([' ', '\u{a0}']);
        let word = before.and_then(|before| before.rsplit(|c: char| !c.is_alphabetic()).next()).unwrap_or_default();
        let is_dated = BEFORE_DAY.contains(&&*word.to_lowercase());
        let next = behind.trim_start();
        let goes_on = behind.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '-' | '–' | '.' | '/'))
            || next.starts_with(|c: char| c.is_ascii_digit());
        let ends_sentence = next.is_empty() || next.starts_with(char::is_uppercase);
        if of_day <= 2 && of_month <= 2 && is_dated && !goes_on {
            found.push((start..end - usize::from(ends_sentence && next.is_empty()), day, month - 1));
            at = end;
        }
    }
    found
}

/// Months, days and words for numbers of English.
fn prepare_english(preparation: &mut Preparation) {
    let source = preparation.source;
    for (size, word) in sizes(source) {
        preparation.substitutions.add(size, word);
    }
    let mut at = 0;
    while let Some(start) = source[at..].find(|c: char| c.is_ascii_uppercase() || c == 'n').map(|found| at + found) {
        let word = &source[start..];
        let word = &word[..word.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(word.len())];
        at = start + word.len().max(1);
        if word.is_empty() || source[..start].ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.')) {
            continue;
        }
        let rest = &source[at..];
        let stop = usize::from(rest.starts_with('.'));
        let Some(number) =
            rest[stop..].strip_prefix(' ').filter(|number| number.starts_with(|c: char| c.is_ascii_digit()))
        else {
            continue;
        };
        let digits = number.bytes().take_while(u8::is_ascii_digit).count();
        if let Some(month) = month(word).filter(|_| digits <= 2) {
            if month != word {
                preparation.substitutions.add(start..at + stop, month);
            }
            let ending = number[digits..].get(..2).filter(|ending| matches!(*ending, "st" | "nd" | "rd" | "th"));
            let ends = !number[digits..].get(2..).is_some_and(|rest| rest.starts_with(char::is_alphanumeric));
            if ending.is_some() && ends {
                let behind = source.len() - number.len() + digits;
                preparation.substitutions.add(behind..behind + 2, "");
            }
        } else if stop == 1 && matches!(word, "No" | "no" | "Nos" | "nos") {
            let first = if word.starts_with('N') { "N" } else { "n" };
            let rest = if word.ends_with('s') { "umbers" } else { "umber" };
            preparation.substitutions.add(start..at + stop, format!("{first}{rest}"));
        }
    }
}

/// Letters that say how large the number they touch is, and the words for them. "m" and "k" may also be units of length and heat; after an
/// amount of money they are not.
fn sizes(source: &str) -> Vec<(Range<usize>, &'static str)> {
    let mut found = Vec::new();
    for (short, word, of_money) in [
        ("bn", " billion", false),
        ("mn", " million", true),
        ("m", " million", true),
        ("k", " thousand", true),
        ("B", " billion", true),
        ("M", " million", true),
        ("K", " thousand", true),
    ] {
        for (at, _) in source.match_indices(short) {
            let before = &source[..at];
            let number = number_ending(before).map(|length| at - length);
            let behind = &source[at + short.len()..];
            if let Some(number) = number
                && (!of_money || source[..number].ends_with(is_currency))
                && !behind.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '²' | '³' | '/'))
            {
                found.push((at..at + short.len(), word));
            }
        }
    }
    found
}

/// The month that a word names or is short for.
fn month(word: &str) -> Option<&'static str> {
    let found = MONTHS.into_iter().find(|month| month.get(..3) == word.get(..3))?;
    (word.len() == 3 || word == found || word == "Sept").then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_of_amounts_are_known_in_short() {
        for (text, expected) in [
            ("£3m, €4.2bn, 5bn people, $20k", vec!["bn", "bn", "m", "k"]),
            ("$1.5M, $2B, €30K", vec!["B", "M", "K"]),
            ("ran 300m in the 5k", vec![]),
            ("$20kg, €5m², $5MB", vec![]),
        ] {
            let found: Vec<&str> = sizes(text).into_iter().map(|(range, _)| &text[range]).collect();
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn short_forms_are_written_out() {
        for (text, language, expected) in [
            ("im 19. Jh. war", Language::GERMAN, vec![("Jh.", "Jahrhundert")]),
            ("im 19. Jh.", Language::GERMAN, vec![("Jh", "Jahrhundert")]),
            (
                "Vgl. Abb. 3, S. 12",
                Language::GERMAN,
                vec![("Abb.", "Abbildung"), ("S.", "Seite"), ("Vgl.", "Vergleiche")],
            ),
            ("500 Tsd. Euro", Language::GERMAN, vec![("Tsd.", "Tausend")]),
            ("(inkl. MwSt.)", Language::GERMAN, vec![("inkl.", "einschließlich"), ("MwSt", "Mehrwertsteuer")]),
            ("S. Müller, Jh. und max.Wert", Language::GERMAN, vec![]),
            ("see Fig. 3 on p. 12", Language::ENGLISH, vec![("Fig.", "Figure"), ("p.", "page")]),
            ("the p. value", Language::ENGLISH, vec![]),
        ] {
            let mut found: Vec<_> =
                written_out(text, language).into_iter().map(|(range, word)| (&text[range], word)).collect();
            found.sort_unstable();
            let mut expected = expected;
            expected.sort_unstable();
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn days_have_a_month_and_no_year() {
        for (text, expected) in [
            ("Am 24.12. ist Heiligabend.", vec![("24.12.", 24, 11)]),
            ("Bis zum 3.4. offen, ab dem 1.2., und am 5.6.", vec![("3.4.", 3, 3), ("1.2.", 1, 1), ("5.6", 5, 5)]),
            ("am 24.12.2024, am 24.13. da, 17.07.–29.08., Abschnitt 3.4. gilt, am 1.1. 2020, am 3.4.1. da", vec![]),
        ] {
            let found: Vec<_> = days(text).into_iter().map(|(range, day, month)| (&text[range], day, month)).collect();
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn no_cents_are_not_read() {
        let text = "20,- Euro, 5,– €, 7,--. CHF 50.– da. Von 3,-4 und 1, - 2";
        let found: Vec<_> = no_cents(text).into_iter().map(|(range, given)| (&text[range], given)).collect();
        let expected = [(",-", ""), (",– €", " €"), (",--", ""), (".–", "")];
        assert_eq!(found, expected.map(|(range, given)| (range, given.to_owned())));
    }

    #[test]
    fn months_are_known_in_short() {
        for (word, expected) in [
            ("Feb", Some("February")),
            ("Sept", Some("September")),
            ("May", Some("May")),
            ("December", Some("December")),
            ("Mar", Some("March")),
            ("Mars", None),
            ("Decem", None),
            ("No", None),
            ("", None),
        ] {
            assert_eq!(month(word), expected, "{word}");
        }
    }
}

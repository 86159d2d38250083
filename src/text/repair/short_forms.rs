//! Short forms before and after numbers, given to the model written out.
//!
//! "Feb 29th, 2024" became "29., 2024", and "No. 7" "Nein. 7": a small model has seen too few of them. Written out it knows both. So far English
//! ones are known.

use std::ops::Range;

use super::Preparation;
use super::numbers::number_ending;
use super::signs::is_currency;
use crate::text::language::Language;

#[rustfmt::skip]
const MONTHS: [&str; 12] = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December",
];

/// Gives the model each month and each day of a date, and the word for a number, written out.
pub fn prepare(preparation: &mut Preparation) {
    if preparation.context.source_language != Language::ENGLISH {
        return;
    }
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
    for (short, word, of_money) in
        [("bn", " billion", false), ("mn", " million", true), ("m", " million", true), ("k", " thousand", true)]
    {
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
            ("ran 300m in the 5k", vec![]),
            ("$20kg, €5m²", vec![]),
        ] {
            let found: Vec<&str> = sizes(text).into_iter().map(|(range, _)| &text[range]).collect();
            assert_eq!(found, expected, "{text}");
        }
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

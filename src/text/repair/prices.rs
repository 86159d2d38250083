//! Prices that stand alone, as in the cells of a table: "5,50 €" is "€5.50" in English.
//!
//! No model is needed for them: the number gets the target language's signs, and the currency's sign stands where that language has it. What
//! might be read as another value stays as it is: a number that is not written as in the source language, and three digits after the decimal sign,
//! which may be thousands in the eyes of whoever wrote them.

use super::numbers::{has_thousands, localized, number_starting, value};
use super::signs::is_currency;
use crate::text::language::Language;

const MINUS: [char; 3] = ['-', '−', '–'];

/// Whether a text is a price, which some languages may write in another way.
pub fn is_price(text: &str) -> bool {
    price(text.trim_start_matches(MINUS)).is_some()
}

/// The price that a text is, as the target language writes it; none if it is not a price or stays as it is.
pub fn in_target_form(text: &str, languages: (Language, Language)) -> Option<String> {
    let (from, to) = languages;
    if from == Language::UNKNOWN || to == Language::UNKNOWN {
        return None;
    }
    let unsigned = text.trim_start_matches(MINUS);
    let minus = &text[..text.len() - unsigned.len()];
    let Price { number, sign, gap } = price(unsigned)?;
    let in_doubt = !has_thousands(number, from) && value(number, from).is_none_or(|digits| digits > 2);
    if in_doubt || minus.chars().nth(1).is_some() {
        return None;
    }
    let number = localized(number, languages);
    let gap = match (to.currency.gap, gap) {
        ("", _) => "",
        (_, "") => " ",
        (_, gap) => gap,
    };
    let form = match to.currency.before {
        true => format!("{minus}{sign}{gap}{number}"),
        false => format!("{minus}{number}{gap}{sign}"),
    };
    (form != text).then_some(form)
}

/// A number and the sign of a currency on one side of it.
struct Price<'a> {
    number: &'a str,
    sign: &'a str,
    /// What stands between the two: at most one space.
    gap: &'a str,
}

fn price(text: &str) -> Option<Price<'_>> {
    let first = text.chars().next().filter(|&c| is_currency(c));
    let last = text.chars().next_back().filter(|&c| is_currency(c));
    let (sign, rest) = match (first, last) {
        (Some(sign), None) => text.split_at(sign.len_utf8()),
        (None, Some(sign)) => {
            let (rest, sign) = text.split_at(text.len() - sign.len_utf8());
            (sign, rest)
        }
        _ => return None,
    };
    let number = rest.trim_matches([' ', '\u{a0}', '\u{202f}', '\u{2009}']);
    let (before, after) = (&rest[..rest.len() - rest.trim_start().len()], &rest[rest.trim_end().len()..]);
    let gap = if first.is_some() { before } else { after };
    let is_alone = before.len() + after.len() == gap.len() && gap.chars().nth(1).is_none();
    let is_number = number.is_ascii() && number_starting(number) == Some(number.len());
    (is_alone && is_number).then_some(Price { number, sign, gap })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_are_in_the_target_s_form() {
        let (english, german) = (Language::ENGLISH, Language::GERMAN);
        for (text, languages, expected) in [
            ("5,50 €", (german, english), Some("€5.50")),
            ("5,50\u{a0}€", (german, english), Some("€5.50")),
            ("1.234,50 $", (german, english), Some("$1,234.50")),
            ("-12 €", (german, english), Some("-€12")),
            ("1.200 £", (german, english), Some("£1,200")),
            ("€ 3,20", (german, english), Some("€3.20")),
            ("$1,234.50", (english, german), Some("1.234,50 $")),
            ("$1,234", (english, german), Some("1.234 $")),
            ("−€0.99", (english, german), Some("−0,99 €")),
            ("€\u{a0}5", (english, german), Some("5\u{a0}€")),
            ("20 €", (english, german), None),
            ("€5.50", (german, english), None),
        ] {
            assert_eq!(in_target_form(text, languages).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn what_may_be_another_value_stays() {
        let (english, german) = (Language::ENGLISH, Language::GERMAN);
        for (text, languages) in [
            ("5.50 €", (german, english)),
            ("$1,234.50", (german, english)),
            ("1,599 €", (german, english)),
            ("€1.500", (english, german)),
            ("$1,23", (english, german)),
            ("5,50", (german, english)),
            ("€", (german, english)),
            ("5 € $", (german, english)),
            ("$5 $", (english, german)),
            ("5 - €", (german, english)),
            ("--5 €", (german, english)),
            ("1 200 €", (german, english)),
            ("٥ €", (german, english)),
            ("5,50 €", (Language::UNKNOWN, english)),
            ("5,50 €", (german, Language::UNKNOWN)),
            ("", (german, english)),
        ] {
            assert_eq!(in_target_form(text, languages), None, "{text}");
        }
    }
}

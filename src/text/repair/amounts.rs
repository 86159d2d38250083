//! Units of measure and currency signs that a translation lost.
//!
//! Small models now and then lose the short word after a number: "200 ml of milk" becomes "200 Milch", "$1,299" becomes "1.299". If the
//! number of an amount is in the translation, and its unit, as a symbol or in words, is there less often than in the source, the number
//! without it gets it back: [`repair`].
//!
//! Symbols are the same in most languages; where the target language's words for them are not known, nothing is done.

use std::ops::Range;

use super::Sentence;
use super::draft::{Draft, Edit};
use super::numbers::{Number, numbers};
use super::signs::is_currency;
use crate::text::language::Language;

/// Units: how each is written, first as the languages' data names it. None is a word of a language after a number ("in", "a", "t", "l" and "m"
/// may be).
#[rustfmt::skip]
const UNITS: &[&[&str]] = &[
    &["kg"], &["g"], &["mg"], &["ml", "mL"], &["cl", "cL"], &["km/h"], &["km"], &["cm"], &["mm"], &["GHz"], &["MHz"], &["kHz"], &["Hz"], &["TB"],
    &["GB"], &["MB"], &["kB", "KB"], &["kWh"], &["kW"], &["h"], &["min"], &["mAh"], &["mA"], &["mW"], &["MW"], &["°C"], &["°F"], &["%", "٪", "％"], &["€"], &["$"], &["£"], &["¥"],
    &["₹"], &["₩"], &["₽"], &["₺"], &["₫"], &["₿"], &["¢"],
];

/// A number with a unit.
struct Amount<'a> {
    number: &'a Number,
    /// Where the number ends, including the word for its size.
    end: usize,
    unit: usize,
    /// Where the unit stands.
    place: Range<usize>,
}

/// Puts units that a draft lost back after their numbers.
pub fn repair(sentence: &Sentence, draft: &mut Draft) {
    let languages = (sentence.context.source_language, sentence.context.target_language);
    put_back(sentence.source, languages, &sentence.plan.kept_ranges(), draft);
    place_signs(languages.1, draft);
    space_sizes(languages.1, draft);
}

/// Puts the signs of currencies on that side of their numbers where the target language has them, each once: "2.50 €" is "€2.50" in English, and
/// "2.3€ million" "€2.3 million".
fn place_signs(language: Language, draft: &mut Draft) {
    if language == Language::UNKNOWN || language.units.is_empty() {
        return;
    }
    let spaces = [' ', '\u{a0}', '\u{202f}'];
    // "$n > 5$": dollar signs around a formula.
    let names = |text: &str| text.starts_with(|c: char| c.is_alphabetic() || c == '\\');
    if draft.text().match_indices('$').any(|(at, sign)| names(&draft.text()[at + sign.len()..])) {
        return;
    }
    let found = numbers(draft.text(), &[]);
    for (index, number) in found.iter().enumerate().rev() {
        let text = draft.text();
        let end = end_of_size(text, language, number.range.end);
        let before = &text[..number.range.start];
        let sign_before = before.chars().next_back().filter(|&c| is_currency(c));
        let is_named = |start: usize| text[..start].ends_with(|c: char| c.is_alphanumeric() || is_currency(c));
        // Directly after the number, or after the word for its size.
        let after = [number.range.end, end].into_iter().find_map(|end| {
            let rest = text[end..].trim_start_matches(spaces);
            let sign = rest.chars().next().filter(|&c| is_currency(c))?;
            let start = text.len() - rest.len();
            let behind = &rest[sign.len_utf8()..];
            let free = !behind.starts_with(|c: char| c.is_alphanumeric() || is_currency(c));
            (free && start - end <= 3).then_some((end..start + sign.len_utf8(), start..start + sign.len_utf8(), sign))
        });
        let source = |draft: &Draft, place: &Range<usize>| {
            draft.tokens_in(place.clone()).next().map(|token| token.link.source.clone())
        };
        match (sign_before, after) {
            // Twice the same.
            (Some(sign), Some((gap, place, other))) if sign == other && !draft.is_kept(&place) => {
                let keep_first = language.currency.before;
                let first = number.range.start - sign.len_utf8()..number.range.start;
                let range = if keep_first { gap } else { first };
                draft.replace(range, "", None);
            }
            (None, Some((gap, place, sign))) if language.currency.before && !draft.is_kept(&gap) => {
                let mut start = number.range.start;
                // "15–40 $": the sign is that of both.
                if let Some(first) = index.checked_sub(1).map(|first| &found[first])
                    && matches!(&text[first.range.end..start], "-" | "–" | "−")
                {
                    start = first.range.start;
                }
                let origin = source(draft, &place);
                let apart = !is_named(start) && !draft.is_inside_kept(start);
                let opens = !text[..start].trim_end_matches(spaces).ends_with(is_currency);
                if let (Some(origin), true) = (origin, apart && opens) {
                    draft.replace(gap, "", None);
                    draft.replace(start..start, sign.encode_utf8(&mut [0; 4]), Some(origin));
                }
            }
            (Some(sign), None) if !language.currency.before => {
                let place = number.range.start - sign.len_utf8()..number.range.start;
                let is_amount = number.digits.len() > 1 || end > number.range.end;
                let behind = &text[end..];
                let ends =
                    !behind.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '-' | '–' | '/' | '_' | '{'));
                let has_another = behind.trim_start_matches(spaces).starts_with(is_currency);
                let origin = source(draft, &place);
                let free = !draft.is_kept(&place) && !draft.is_inside_kept(end) && !is_named(place.start);
                if let (Some(origin), true) = (origin, is_amount && ends && free && !has_another) {
                    draft.replace(end..end, &format!(" {sign}"), Some(origin));
                    draft.replace(place, "", None);
                }
            }
            _ => {}
        }
    }
}

/// Puts a space between a number and the word for its size: "300tausend".
fn space_sizes(language: Language, draft: &mut Draft) {
    let mut repairs = Vec::new();
    for number in numbers(draft.text(), draft.kept()) {
        let (end, rest) = (number.range.end, &draft.text()[number.range.end..]);
        let word = &rest[..rest.find(|c: char| !c.is_alphabetic()).unwrap_or(rest.len())];
        let is_long = word.chars().count() > 3 && word.chars().count() < 12;
        if is_long && !rest[word.len()..].starts_with('-') && language.is_size_word(&word.to_lowercase()) {
            let source = draft.tokens_in(number.range.clone()).next().map_or(0..0, |token| token.link.source.clone());
            repairs.push(Edit { range: end..end, text: " ".to_owned(), source });
        }
    }
    draft.replace_all(repairs);
}

fn put_back(source: &str, languages: (Language, Language), in_source: &[Range<usize>], draft: &mut Draft) {
    let (source_language, target_language) = languages;
    if target_language.units.is_empty() {
        return;
    }
    let originals = numbers(source, in_source);
    let wanted: Vec<Amount> = originals.iter().filter_map(|number| amount(source, source_language, number)).collect();
    if wanted.is_empty() {
        return;
    }
    let found = numbers(draft.text(), draft.kept());
    let has: Vec<Option<Amount>> = found.iter().map(|number| amount(draft.text(), target_language, number)).collect();
    let mut taken = vec![false; found.len()];
    let mut lost = Vec::new();
    // First what is right, so that it is not taken for what lacks its unit.
    for original in wanted {
        let is_right = |index: &usize| {
            !taken[*index]
                && found[*index].digits == original.number.digits
                && has[*index].as_ref().is_some_and(|amount| amount.unit == original.unit)
        };
        match (0..found.len()).find(is_right) {
            Some(index) => taken[index] = true,
            None => lost.push(original),
        }
    }
    let text = draft.text().to_lowercase();
    let mut repairs: Vec<Edit> = Vec::new();
    for original in lost {
        let mut words = target_language.unit_words(UNITS[original.unit][0]).peekable();
        // "kilometres an hour" and the like, away from the number.
        if words.peek().is_none() || words.any(|word| text.contains(word)) {
            continue;
        }
        let mut places =
            (0..found.len()).filter(|index| !taken[*index] && found[*index].digits == original.number.digits);
        let (Some(index), None) = (places.next(), places.next()) else { continue };
        taken[index] = true;
        let end = end_of_size(draft.text(), target_language, found[index].range.end);
        // "a 5-km run", "100%ige".
        let behind = draft.text()[end..].trim_start_matches([' ', '\u{a0}', '\u{202f}', '-', '‑', '–', ',']);
        if UNITS[original.unit].iter().any(|symbol| behind.starts_with(symbol)) {
            continue;
        }
        // "5 bis 10 kg" for "5 kg to 10 kg".
        if let Some(Some(next)) = has.get(index + 1)
            && next.unit == original.unit
            && next.number.range.start - end <= " bis zu ".len()
        {
            continue;
        }
        let replaced = match &has[index] {
            // Another unit, which belongs to another number.
            Some(other) if other.place.start >= other.end => other.place.clone(),
            Some(_) => continue,
            None => end..end + in_other_case(&draft.text()[end..], UNITS[original.unit]),
        };
        let symbol = match &source[original.place.clone()] {
            "٪" | "％" => "%",
            symbol => symbol,
        };
        let gap = if symbol == "%" && target_language.numbers.percent_gap.is_empty() { "" } else { " " };
        let text = format!("{gap}{symbol}");
        repairs.push(Edit { range: end..replaced.end, text, source: original.place });
    }
    draft.replace_all(repairs);
}

/// A unit in its own case, if what follows a number is one except for that.
pub(super) fn unit_in_its_case(symbol: &str) -> Option<&'static str> {
    UNITS
        .iter()
        .flat_map(|symbols| symbols.iter())
        .copied()
        .find(|unit| unit.len() > 1 && unit.eq_ignore_ascii_case(symbol))
}

/// Whether a number has a unit or a currency's sign.
pub(super) fn has_unit(text: &str, language: Language, number: &Number) -> bool {
    amount(text, language, number).is_some()
}

/// Where a number that ends at `end` ends with the word that says how large it is: "3,4 Milliarden".
pub(super) fn end_of_size(text: &str, language: Language, end: usize) -> usize {
    let rest = &text[end..];
    let word = rest.trim_start_matches([' ', '\u{a0}', '\u{202f}']);
    let length = word.find(|c: char| !c.is_alphabetic()).unwrap_or(word.len());
    if !language.is_size_word(&word[..length].to_lowercase()) {
        return end;
    }
    let is_short = word[..length].chars().count() <= 3;
    text.len() - word.len() + length + usize::from(is_short && word[length..].starts_with('.'))
}

/// How far spaces and a unit in the wrong case ("5000 MAh") reach at the start of `text`; 0 where there is none.
fn in_other_case(text: &str, symbols: &[&str]) -> usize {
    let start = text.len() - text.trim_start_matches([' ', '\u{a0}', '\u{202f}']).len();
    let end = symbols.iter().map(|symbol| start + symbol.len()).find(|end| {
        text.get(start..*end).is_some_and(|found| symbols.iter().any(|symbol| found.eq_ignore_ascii_case(symbol)))
            && !text[*end..].starts_with(char::is_alphanumeric)
    });
    end.unwrap_or(0)
}

/// The amount that a number is part of: a unit after it, or a currency sign before it.
fn amount<'a>(text: &str, language: Language, number: &'a Number) -> Option<Amount<'a>> {
    let end = end_of_size(text, language, number.range.end);
    let start = text.len() - text[end..].trim_start_matches([' ', '\u{a0}', '\u{202f}']).len();
    let rest = &text[start..];
    let behind = UNITS.iter().enumerate().flat_map(|(unit, symbols)| {
        symbols.iter().filter(|symbol| rest.starts_with(**symbol)).map(move |symbol| (unit, symbol.len()))
    });
    if let Some((unit, length)) = behind.max_by_key(|(_, length)| *length)
        && !rest[length..].starts_with(|c: char| c.is_alphanumeric() || matches!(c, '/' | '_' | '\'' | '’'))
    {
        return Some(Amount { number, end, unit, place: start..start + length });
    }
    let before = text[..number.range.start].trim_end_matches([' ', '\u{a0}']);
    let sign = before.chars().next_back()?;
    let place = before.len() - sign.len_utf8()..before.len();
    let unit = UNITS.iter().position(|unit| unit.contains(&&text[place.clone()]))?;
    let glued = text[..place.start].ends_with(char::is_alphanumeric);
    (is_currency(sign) && !glued).then_some(Amount { number, end, unit, place })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Source and translation in words, with the source words that each translated word is aligned to.
    fn repaired(source: &str, translation: &[(&str, &str)]) -> String {
        let mut draft = Draft::aligned(source, translation);
        put_back(source, (Language::ENGLISH, Language::GERMAN), &[], &mut draft);
        draft.tiled(source)
    }

    #[test]
    fn lost_units_come_back() {
        let found = repaired(
            "Add 200 ml of milk and 15 g of sugar.",
            &[
                ("Fügen Sie", "Add"),
                (" 200", "200"),
                (" Milch", "milk"),
                (" und", "and"),
                (" 15", "15"),
                (" Zucker", "sugar"),
                (" hinzu", "Add"),
                (".", "."),
            ],
        );
        assert_eq!(found, "Fügen Sie 200 ml Milch und 15 g Zucker hinzu.");
        let found = repaired("It cost £3 million.", &[("Es kostete ", "cost"), ("3 Millionen", "3"), (".", ".")]);
        assert_eq!(found, "Es kostete 3 Millionen £.");
        let found = repaired("It costs $1,299.99.", &[("Es kostet ", "costs"), ("1.299,99", "1,299.99"), (".", ".")]);
        assert_eq!(found, "Es kostet 1.299,99 $.");
        assert_eq!(repaired("It fell by 12%.", &[("Es fiel um ", "by"), ("12", "12"), (".", ".")]), "Es fiel um 12 %.");
    }

    #[test]
    fn signs_stand_where_the_language_has_them_and_once() {
        let (english, german) = (Language::ENGLISH, Language::GERMAN);
        for (text, language, expected) in [
            ("It is 2.50 €.", english, "It is €2.50."),
            ("a loss of 2.3€ million", english, "a loss of €2.3 million"),
            ("a loss of 2.3 million €", english, "a loss of €2.3 million"),
            ("from 15–40 $ each", english, "from $15–40 each"),
            ("it is -5 €", english, "it is -€5"),
            ("it is €5 €", english, "it is €5"),
            ("it is €5 and 7 €", english, "it is €5 and €7"),
            ("it is 20 US$", english, "it is 20 US$"),
            ("it is $5 million", english, "it is $5 million"),
            ("20 $HOME", english, "20 $HOME"),
            ("let $n > 5$ be", english, "let $n > 5$ be"),
            ("Kaffee: $2,80", german, "Kaffee: 2,80 $"),
            ("es sind $5 Millionen", german, "es sind 5 Millionen $"),
            ("es sind $20 $", german, "es sind 20 $"),
            ("es sind 20 $", german, "es sind 20 $"),
            ("aus $1 und C$25", german, "aus $1 und C$25"),
            ("es sind $20-Scheine", german, "es sind $20-Scheine"),
        ] {
            let mut draft = Draft::aligned(text, &[(text, text)]);
            place_signs(language, &mut draft);
            assert_eq!(draft.text(), expected);
        }
        let mut draft = Draft::aligned("x", &[("es sind 300tausend und 1000er", "x")]);
        space_sizes(german, &mut draft);
        assert_eq!(draft.text(), "es sind 300 tausend und 1000er");
    }

    #[test]
    fn units_keep_their_capitals() {
        let found =
            repaired("It holds 5000 mAh.", &[("Er hält", "holds"), (" 5000", "5000"), (" MAh", "mAh"), (".", ".")]);
        assert_eq!(found, "Er hält 5000 mAh.");
        let found = repaired("at 40 MHz", &[("bei ", "at"), ("40", "40"), ("mhz", "MHz")]);
        assert_eq!(found, "bei 40 MHz");
    }

    #[test]
    fn another_number_s_unit_gives_way() {
        let found = repaired(
            "It runs at 2.4 GHz with 16 GB.",
            &[("Es läuft mit", "runs"), (" 16 GB", "16 GB"), (" mit", "with"), (" 2,4 GB", "2.4 GHz"), (".", ".")],
        );
        assert_eq!(found, "Es läuft mit 16 GB mit 2,4 GHz.");
    }

    #[test]
    fn what_is_right_stays() {
        for (source, translation) in [
            ("at 5 km/h", "mit 5 Stundenkilometern"),
            ("5 kg of rice", "5 Kilo Reis"),
            ("5 kg of rice", "5kg Reis"),
            ("$20 and $20", "20 Dollar und 20 Dollar"),
            ("20 % off", "20 Prozent weniger"),
            ("for €20", "für 20 €"),
            ("2 g and 2 kg", "2 kg und 2 g"),
            ("a 5 km run", "ein Fünf-Kilometer-Lauf"),
            ("5 km and 5 cm", "5 und 5"),
            ("a 5 km run", "ein 5-km-Lauf"),
            ("100% natural", "100%ig natürlich"),
            ("5 kg to 10 kg", "5 bis 10 kg"),
            ("16 GB of memory", "16 GByte Speicher"),
            ("it is $20", "das sind 20 US$"),
            ("€3.4 billion", "3,4 Milliarden €"),
            ("a loss of $5 million", "ein Verlust von 5 Mio. $"),
            ("the G8 and 3 gs", "die G8 und 3"),
        ] {
            assert_eq!(repaired(source, &[(translation, source)]), translation, "{source}");
        }
    }

    #[test]
    fn other_languages_have_words_of_their_own() {
        let mut draft = Draft::aligned("12 kg", &[("12", "12")]);
        put_back("12 kg", (Language::UNKNOWN, Language::UNKNOWN), &[], &mut draft);
        assert_eq!(draft.text(), "12");
    }
}

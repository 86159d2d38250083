//! Dates, ranges, ratios, scores, fractions with a bar, telephone numbers and numbers with a unit glued to them.
//!
//! What joins several numbers means the same in every language as long as it stays whole: "3/4/2025" made half German, "3.4/2025", is no longer
//! a date, and a small model turns "5-10" into "5:10". So such figures come through as they are, except for the signs in amounts ("1,5–2,5 m",
//! "1:25.000"); those in the digits of another script come through in ASCII digits, which all languages read.

use std::ops::Range;

use super::amounts;
use super::digits::{in_ascii, is_digit, is_separator};
use super::groups;
use super::numbers::{
    Number, has_decimal_comma, has_thousands, localized, number_starting, numbers, value, with_localized_numbers,
};
use super::signs::is_currency;
use super::{Kept, Preparation};
use crate::text::language::Language;
use crate::text::segment::is_roman_number;

/// Most signs between the numbers of a figure.
const MOST_JOINTS: usize = 8;

/// Keeps each figure.
pub fn prepare(preparation: &mut Preparation) {
    let source = preparation.source;
    let languages = (preparation.context.source_language, preparation.context.target_language);
    for numeral in numerals(source, languages.0) {
        preparation.keep(Kept::exactly(numeral));
    }
    for numeral in small_numerals(source) {
        preparation.keep(Kept { stood_for: true, ..Kept::exactly(numeral) });
    }
    for account in accounts(source) {
        preparation.keep(Kept::exactly(account));
    }
    groups::prepare(preparation);
    dollars(preparation);
    let mut at = 0;
    while let Some(found) = source[at..].find(|c: char| is_digit(c) || c == '+') {
        let start = at + found;
        let apart = !source[..start].ends_with(|c: char| {
            c.is_alphanumeric() || matches!(c, '_' | '.' | ',' | '/' | ':' | '-' | '–' | '$' | '#')
        });
        let price = prices(source, start).or_else(|| priced(source, start));
        let found = figure(&source[start..]).filter(|_| apart);
        let end = price.as_ref().map(|price| price.end).or(found.as_ref().map(|figure| start + figure.length));
        if let Some(price) = price {
            let form = with_localized_numbers(&source[price.clone()], languages);
            preparation.keep(Kept { form, ..Kept::exactly(price) });
        } else if let Some(Figure { length, given }) = found {
            // With a unit, a fraction is in the target's form, as in any amount.
            let text = &source[start..start + length];
            let form = match &given {
                Some(_) => Some(localized(text, languages)),
                None if text.contains(|c: char| !c.is_ascii() && is_digit(c)) => Some(in_ascii(text, ('.', ','))),
                None => joined_amounts(source, start..start + length, languages),
            };
            preparation.keep(Kept { given, form, ..Kept::exactly(start..start + length) });
        }
        let number = end_of_digits(source, start);
        at = end.unwrap_or(number).max(number);
    }
}

/// The form of a range or scale of amounts in the target language; none where it may be anything else (dates, scores, pages, times,
/// telephone numbers), or nothing in it changes.
fn joined_amounts(source: &str, figure: Range<usize>, languages: (Language, Language)) -> Option<String> {
    let (text, from) = (&source[figure.clone()], languages.0);
    let inside = |number: &Number| figure.start <= number.range.start && number.range.end <= figure.end;
    let parts: Vec<Number> = numbers(source, &[]).into_iter().filter(inside).collect();
    let part = |number: &Number| &source[number.range.clone()];
    let (Some(first), Some(last)) = (parts.first(), parts.last()) else { return None };
    let is_code = part(first).starts_with('0') && part(first).chars().all(is_digit);
    if is_code || parts.iter().any(|number| value(part(number), from).is_none()) {
        return None;
    }
    let has_comma = |number: &Number| has_decimal_comma(source, number, from);
    let has_fraction = |number: &Number| value(part(number), from).is_some_and(|digits| digits > 0);
    let joints: Vec<&str> = parts.windows(2).map(|pair| &source[pair[0].range.end..pair[1].range.start]).collect();
    let are_amounts = match joints[..] {
        // In "1.5-2.5 kg" the last one has the unit of all.
        ["-" | "–" | "−"] => {
            amounts::has_unit(source, from, last)
                || amounts::end_of_size(source, from, last.range.end) > last.range.end
                || parts.iter().all(has_comma)
                || parts.iter().all(|number| has_thousands(part(number), from))
        }
        // "1:25.000" and "1.5:1", but not a lap time.
        [":"] if has_thousands(part(last), from) && part(last).ends_with("00") => true,
        [":"] if has_fraction(first) && !has_fraction(last) => true,
        // No date has a comma, and a time has it in its seconds: "1:32:07,9", "1,5/2,5 mg".
        ["/"] => parts.iter().any(has_comma),
        _ => joints.iter().all(|joint| *joint == ":") && has_comma(last),
    };
    with_localized_numbers(text, languages).filter(|_| are_amounts)
}

/// Where the digits end that begin at `start`, or after the plus that stands there.
fn end_of_digits(text: &str, start: usize) -> usize {
    let mut rest = text[start..].chars();
    rest.next();
    rest.as_str().find(|c: char| !is_digit(c)).map_or(text.len(), |length| text.len() - rest.as_str().len() + length)
}

/// A figure at the start of a text.
struct Figure {
    /// Its length in bytes.
    length: usize,
    /// What the model reads instead of it, if that is something else.
    given: Option<String>,
}

/// The figure that a text begins with.
fn figure(text: &str) -> Option<Figure> {
    let whole = telephone(text)
        .or_else(|| mixed_fraction(text))
        .or_else(|| feet_and_inches(text))
        .or_else(|| joined(text))
        .map(|length| Figure { length, given: None });
    whole.or_else(|| with_unit(text))
}

/// Keeps dollars of a named kind, "A$30" and "HK$25", where the target language has the sign behind: "30 A$". A model takes all for those of the
/// United States, which it knows well.
fn dollars(preparation: &mut Preparation) {
    let source = preparation.source;
    let languages = (preparation.context.source_language, preparation.context.target_language);
    if !languages.0.currency.before || languages.1.currency.before || languages.1 == Language::UNKNOWN {
        return;
    }
    for (at, _) in source.match_indices('$') {
        let before = &source[..at];
        let letters = before.bytes().rev().take_while(u8::is_ascii_uppercase).count();
        let (start, kind) = (at - letters, &before[at - letters..]);
        let apart = !source[..start].ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '-'));
        let Some(length) =
            number_starting(&source[at + 1..]).filter(|_| apart && (1..=2).contains(&letters) && kind != "US")
        else {
            continue;
        };
        let end = at + 1 + length;
        let number = &source[at + 1..end];
        if is_end(&source[end..]) && amounts::end_of_size(source, languages.0, end) == end {
            let form = format!("{} {kind}$", localized(number, languages));
            preparation.keep(Kept { form: Some(form), given: Some(format!("${number}")), ..Kept::exactly(start..end) });
        }
    }
}

/// "$204.72 USD": a number with a currency sign and its code.
fn priced(source: &str, number: usize) -> Option<Range<usize>> {
    let sign = source[..number].chars().next_back().filter(|c| is_currency(*c))?;
    let end = number + number_starting(&source[number..])?;
    let rest = source[end..].strip_prefix([' ', '\u{a0}'])?;
    let code = rest.bytes().take_while(u8::is_ascii_uppercase).count();
    let apart = !rest[code.min(rest.len())..].starts_with(char::is_alphanumeric);
    (code == 3 && apart).then(|| number - sign.len_utf8()..source.len() - rest.len() + code)
}

/// "+1 (555) 123-4567": a plus, then groups of digits.
fn telephone(text: &str) -> Option<usize> {
    let rest = text.strip_prefix('+').filter(|rest| rest.starts_with(is_digit))?;
    let length = rest
        .find(|c: char| !(is_digit(c) || matches!(c, ' ' | '(' | ')' | '-' | '/' | '.' | '\u{a0}')))
        .unwrap_or(rest.len());
    let number = rest[..length].trim_end_matches(|c: char| !is_digit(c));
    let digits = number.chars().filter(|&c| is_digit(c)).count();
    let spaced = number.contains("  ");
    ((7..=15).contains(&digits) && !spaced && is_end(&rest[number.len()..])).then_some(1 + number.len())
}

/// "1 1/2": a whole number and what is added to it.
fn mixed_fraction(text: &str) -> Option<usize> {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let whole = digits(text);
    let rest = text[whole..].strip_prefix([' ', '\u{a0}', '\u{202f}'])?;
    let (numerator, denominator) = rest.split_once('/')?;
    let denominator = &denominator[..digits(denominator)];
    let is_small = |text: &str| (1..=2).contains(&text.len()) && digits(text) == text.len();
    let fits = (1..=3).contains(&whole) && is_small(numerator) && is_small(denominator);
    let is_part = || numerator.parse::<u32>().ok() < denominator.parse::<u32>().ok() && !numerator.starts_with('0');
    let end = text.len() - rest.len() + numerator.len() + 1 + denominator.len();
    (fits && is_part() && is_end(&text[end..])).then_some(end)
}

/// "5'10\"" and "2' 6\"".
fn feet_and_inches(text: &str) -> Option<usize> {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let feet = digits(text);
    let rest = text[feet..].strip_prefix(['\'', '’'])?;
    let rest = rest.strip_prefix(' ').unwrap_or(rest);
    let inches = digits(rest);
    let behind = rest[inches..].strip_prefix(['"', '”'])?;
    let fits =
        (1..=2).contains(&feet) && (1..=2).contains(&inches) && rest[..inches].parse::<u32>().is_ok_and(|n| n < 12);
    (fits && is_end(behind)).then_some(text.len() - behind.len())
}

/// Numbers with a bar, colon or dash between each two.
fn joined(text: &str) -> Option<usize> {
    let digits = |text: &str| text.find(|c: char| !is_digit(c)).unwrap_or(text.len());
    let number = |from: usize| {
        let whole = digits(&text[from..]);
        let rest = text[from + whole..].strip_prefix(is_separator).filter(|_| whole > 0).unwrap_or_default();
        match digits(rest) {
            0 => whole,
            fraction => text.len() - from - rest.len() + fraction,
        }
    };
    let mut end = number(0);
    let mut joints: Vec<char> = Vec::new();
    while joints.len() < MOST_JOINTS
        && let Some(joint) = text[end..].chars().next().filter(|c| matches!(c, '/' | ':' | '-' | '–' | '−'))
    {
        let next = number(end + joint.len_utf8());
        if next == 0 {
            break;
        }
        joints.push(joint);
        end += joint.len_utf8() + next;
    }
    // "24/7" and "9/11" are words of a kind, and figures all the same. A time of twelve hours is for the model.
    let is_time = joints == [':'] && HALVES.iter().any(|half| starts_with_word(&text[end..], half));
    (!joints.is_empty() && !is_time && is_end(&text[end..])).then_some(end)
}

const HALVES: [&str; 4] = ["am", "pm", "a.m", "p.m"];

/// Whether a text begins with a word, with or without white space before it.
fn starts_with_word(text: &str, word: &str) -> bool {
    let text = text.trim_start();
    text.get(..word.len()).is_some_and(|found| found.eq_ignore_ascii_case(word))
        && !text[word.len()..].starts_with(char::is_alphanumeric)
}

/// "¥300–¥500": amounts with a dash between them.
fn prices(source: &str, number: usize) -> Option<Range<usize>> {
    let sign = source[..number].chars().next_back().filter(|c| is_currency(*c))?;
    let end = number + number_starting(&source[number..])?;
    let dash = source[end..].chars().next().filter(|c| matches!(c, '-' | '–' | '−'))?;
    let second = source[end + dash.len_utf8()..].strip_prefix(sign)?;
    let length = number_starting(second)?;
    Some(number - sign.len_utf8()..source.len() - second.len() + length)
}

/// "100m", "9.58s": a number with letters that are not a word. The model reads them apart.
fn with_unit(text: &str) -> Option<Figure> {
    let number = number_starting(text)?;
    let letters: usize = text[number..].chars().take_while(|c| c.is_alphabetic()).map(char::len_utf8).sum();
    let unit = &text[number..number + letters];
    // Ordinals, decades, times and words of size change.
    let changes = matches!(
        unit.to_ascii_lowercase().as_str(),
        "st" | "nd"
            | "rd"
            | "th"
            | "am"
            | "pm"
            | "k"
            | "bn"
            | "mn"
            | "er"
            | "ste"
            | "ten"
            | "te"
            | "ter"
            | "tes"
            | "tem"
            | "mal"
            | "uhr"
            | "mio"
            | "mrd"
            | "yr"
            | "yrs"
            | "hr"
            | "hrs"
    ) || unit == "s" && !text[..number].contains(['.', ',']);
    let is_unit = (1..=3).contains(&letters) && unit.is_ascii() && !changes;
    let end = number + letters;
    let more = text[end..].starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '-'));
    let given = Some(format!("{} {unit}", &text[..number]));
    (is_unit && !more && is_end(&text[end..])).then_some(Figure { length: end, given })
}

/// Whether what follows does not continue the figure.
fn is_end(rest: &str) -> bool {
    let mut characters = rest.chars();
    match characters.next() {
        None => true,
        Some(c) if c.is_alphanumeric() || matches!(c, '_' | '/' | '%' | '°') => false,
        Some('.' | ',' | ':' | '-' | '–') => !characters.next().is_some_and(|c| c.is_ascii_alphanumeric()),
        Some(_) => true,
    }
}

/// Roman numbers in lower case, which are not words: "page ix".
fn small_numerals(source: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for word in source.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '\'' | '’' | '-'))) {
        let start = word.as_ptr() as usize - source.as_ptr() as usize;
        let spaced = source[..start].is_empty() || source[..start].ends_with([' ', '\u{a0}', '(']);
        // "vi" is a word in many languages.
        let is_roman = word.bytes().all(|b| matches!(b, b'i' | b'v' | b'x'))
            && is_roman_number(&word.to_ascii_uppercase())
            && word.len() > 1
            && (word != "vi" || source[..start].ends_with('('));
        if spaced && is_roman {
            found.push(start..start + word.len());
        }
    }
    found
}

/// Where the English "I" is a Roman numeral: after a capitalized word or an operator, and before the end or a sign that ends.
fn numerals(source: &str, language: Language) -> Vec<Range<usize>> {
    if !language.is_capital_word("I") {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (at, _) in source.match_indices('I') {
        let (before, after) = (&source[..at], &source[at + 1..]);
        let ends = after.chars().next().is_none_or(|c| matches!(c, '.' | ':' | ',' | ';' | ')'));
        let Some(before) = before.strip_suffix([' ', '\u{a0}']).filter(|_| ends) else { continue };
        let word = before.rsplit(|c: char| c.is_whitespace()).next().unwrap_or_default();
        let named = word.starts_with(char::is_uppercase)
            && word.chars().all(char::is_alphabetic)
            && word.chars().nth(1).is_some()
            && !language.starters.contains(word)
            // "Honestly I, too"
            && !word.ends_with("ly")
            && !AUXILIARIES.contains(&word);
        if named || matches!(word, "=" | "·" | "×" | "+" | "/") {
            found.push(at..at + 1);
        }
    }
    found
}

/// Capitalized verbs that ask: "Am I."
const AUXILIARIES: [&str; 14] =
    ["Am", "Was", "Can", "Could", "Did", "Do", "Had", "Have", "May", "Might", "Must", "Shall", "Should", "Would"];

/// Bank account numbers: DE02 1203 0000 0000 2020 51.
fn accounts(source: &str) -> Vec<Range<usize>> {
    let bytes = source.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at + 4 <= bytes.len() {
        let starts = bytes[at].is_ascii_uppercase()
            && bytes[at + 1].is_ascii_uppercase()
            && bytes[at + 2].is_ascii_digit()
            && bytes[at + 3].is_ascii_digit()
            && (at == 0 || !bytes[at - 1].is_ascii_alphanumeric());
        if !starts {
            at += 1;
            continue;
        }
        let mut end = at + 4;
        let mut groups = 0;
        while groups < 8 && bytes.get(end) == Some(&b' ') {
            let group = bytes[end + 1..].iter().take_while(|b| b.is_ascii_digit() || b.is_ascii_uppercase()).count();
            if !(1..=4).contains(&group) || !bytes[end + 1].is_ascii_digit() {
                break;
            }
            end += 1 + group;
            groups += 1;
        }
        if groups >= 3 {
            found.push(at..end);
        }
        at = end;
    }
    found
}

/// The figures of a text.
#[cfg(test)]
fn figures(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = text[at..].find(|c: char| is_digit(c) || c == '+').map(|found| at + found) {
        let number = end_of_digits(text, start);
        let end = figure(&text[start..]).map(|figure| figure.length);
        found.extend(end.map(|length| start..start + length));
        at = end.map_or(number, |length| (start + length).max(number));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_whole() {
        for (text, expected) in [
            ("on 3/4/2025 and 2024-12-31.", vec!["3/4/2025", "2024-12-31"]),
            ("between 5-10 people, 2–1, 3:1", vec!["5-10", "2–1", "3:1"]),
            ("call +1 (555) 123-4567 now", vec!["+1 (555) 123-4567"]),
            ("ISBN 978-3-16-148410-0.", vec!["978-3-16-148410-0"]),
            ("1/2 cup, 24/7, at 14:30.", vec!["1/2", "24/7", "14:30"]),
            ("for 1 1/2 hours, 2 3/4, on 5 12/24", vec!["1 1/2", "2 3/4", "5 12/24"]),
            ("in 2024 3/4 of them, 2 24/7", vec!["3/4", "24/7"]),
            ("is 5'10\" tall, 2' 6\" long, 5'20\", 27\" wide", vec!["5'10\"", "2' 6\""]),
            ("10:30 pm and 9:15 a.m.", vec![]),
            ("ran 100m in 9.58s, weighs 180lbs", vec!["100m", "9.58s", "180lbs"]),
            ("the 21st, 1990s, 5pm, 100k, 1,299.99", vec![]),
            ("3mal, das 2te, um 20Uhr, a 5yr plan", vec![]),
            ("5-year-old and 10-minute", vec![]),
            ("1.5-2.5 m", vec!["1.5-2.5"]),
            ("5 + 3", vec![]),
            ("在２０２５-１２-３１，", vec!["２０２５-１２-３１"]),
            ("في ٣/٤/٢٠٢٥ من ٥-١٠", vec!["٣/٤/٢٠٢٥", "٥-١٠"]),
            ("१०:३० और १.५-२.५ के बीच", vec!["१०:३०", "१.५-२.५"]),
            ("+۹۸ (۲۱) ۵۵۵-۱۲۳۴", vec!["+۹۸ (۲۱) ۵۵۵-۱۲۳۴"]),
        ] {
            let found: Vec<&str> = figures(text).into_iter().map(|range| &text[range]).collect();
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn amounts_in_figures_are_in_the_target_s_form() {
        let (english, german) = (Language::ENGLISH, Language::GERMAN);
        for (source, figure, languages, expected) in [
            ("Maßstab 1:25.000", "1:25.000", (german, english), Some("1:25,000")),
            ("etwa 1,5–2,5 lang", "1,5–2,5", (german, english), Some("1.5–2.5")),
            ("about 1.5-2.5 kg", "1.5-2.5", (english, german), Some("1,5-2,5")),
            ("about 1.5-2.5 million people", "1.5-2.5", (english, german), Some("1,5-2,5")),
            ("from 1,000-2,000", "1,000-2,000", (english, german), Some("1.000-2.000")),
            ("see 1.5-2.5", "1.5-2.5", (english, german), None),
            ("am 3.4/2025", "3.4/2025", (german, english), None),
            ("um 14:30", "14:30", (german, english), None),
            ("etwa 1,5/2,5 mg", "1,5/2,5", (german, english), Some("1.5/2.5")),
            ("a ratio of 1.5:1", "1.5:1", (english, german), Some("1,5:1")),
            ("in 1:32:07,986 und 3:08,24", "1:32:07,986", (german, english), Some("1:32:07.986")),
            ("siegte 7,5:5,5", "7,5:5,5", (german, english), Some("7.5:5.5")),
            ("Seiten 1-3,5", "1-3,5", (german, english), None),
            ("S. 12-14,17-19", "12-14,17-19", (german, english), None),
            ("von 9.30-14.00 h", "9.30-14.00", (german, english), None),
            ("Runde in 1:23.456", "1:23.456", (german, english), None),
            ("Tel. 0711-123.456", "0711-123.456", (german, english), None),
            ("open 9.30-10.30 for 25 €", "9.30-10.30", (english, german), None),
        ] {
            let start = source.find(figure).unwrap();
            let found = joined_amounts(source, start..start + figure.len(), languages);
            assert_eq!(found.as_deref(), expected, "{source}");
        }
    }

    #[test]
    fn a_numeral_is_no_pronoun() {
        for (text, expected) in [
            ("Part I. The house", 1),
            ("Elizabeth I", 1),
            ("U = R · I.", 1),
            ("So am I.", 0),
            ("Honestly I, as a teacher", 0),
            ("Am I, then?", 0),
            ("I, too", 0),
            ("Part II.", 0),
        ] {
            assert_eq!(numerals(text, Language::ENGLISH).len(), expected, "{text}");
        }
        assert_eq!(numerals("Teil I.", Language::GERMAN).len(), 0);
    }

    #[test]
    fn small_numerals_are_whole_words() {
        let text = "See page ix, (iv) and xii. An ix-file, iix, xi's, mix, i.";
        let found: Vec<&str> = small_numerals(text).into_iter().map(|range| &text[range]).collect();
        assert_eq!(found, ["ix", "iv", "xii"]);
    }

    #[test]
    fn accounts_are_whole() {
        let text = "IBAN: DE02 1203 0000 0000 2020 51, or call";
        assert_eq!(
            accounts(text).into_iter().map(|range| &text[range]).collect::<Vec<_>>(),
            ["DE02 1203 0000 0000 2020 51"]
        );
        assert!(accounts("ABC 12 and AB12 3").is_empty());
    }
}

//! The checks themselves.

use std::collections::HashMap;
use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

/// Something that must hold for a translation, given its source.
#[derive(Clone, Debug, PartialEq)]
pub enum Check {
    /// `contains:X`: X is in it, at least as often as in the source.
    Contains(String),
    /// `count:X`: X is in it exactly as often as in the source.
    Count(String),
    /// `any:X|Y`: one of these is in it, whatever the case.
    Any(Vec<String>),
    /// `none:X|Y`: none of these is in it, whatever the case.
    NoneOf(Vec<String>),
    /// `is:X|Y`: it is one of these.
    Is(Vec<String>),
    /// `order:X|Y`: these are in it, one after the other.
    Order(Vec<String>),
    /// `starts:X`.
    Starts(String),
    /// `ends:X`.
    Ends(String),
    /// `equal`: it is the source.
    Equal,
    /// `different`: it is not the source.
    Different,
    /// `similar:S`: normalized Levenshtein similarity to the source is at least S.
    Similar(f64),
    /// `upper`: nine of ten letters are capitals.
    Upper,
    /// `not-upper`: at least half of the letters are not capitals.
    NotUpper,
    /// `starts-upper`: the first letter is a capital.
    StartsUpper,
    /// `digits`: the numbers of the source, and no others.
    Digits,
    /// `length:A..B`: it has from A to B times as many characters as the source.
    Length(RangeInclusive<f64>),
    /// `lines`: as many lines as the source has, empty ones in the same places.
    Lines,
    /// `cells`: each line has as many cells between tabs as in the source, empty ones in the same places.
    Cells,
    /// `balanced`: every bracket that opens is closed, and every one that closes was opened.
    Balanced,
    /// `no-loops`: nothing is said over and over unless the source does so.
    NoLoops,
}

impl FromStr for Check {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (name, value) = text.split_once(':').map_or((text, None), |(name, value)| (name, Some(value)));
        let parts = |value: &str| {
            let parts: Vec<String> = value.split('|').map(str::to_owned).collect();
            if parts.contains(&String::new()) { Err("expected a text on each side of |") } else { Ok(parts) }
        };
        let number = |text: &str| text.parse::<f64>().ok().filter(|number| number.is_finite());
        Ok(match (name, value) {
            ("contains", Some(value)) if !value.is_empty() => Check::Contains(value.to_owned()),
            ("count", Some(value)) if !value.is_empty() => Check::Count(value.to_owned()),
            ("any", Some(value)) => Check::Any(parts(&value.to_lowercase())?),
            ("none", Some(value)) => Check::NoneOf(parts(&value.to_lowercase())?),
            ("is", Some(value)) => Check::Is(parts(value)?),
            ("order", Some(value)) => Check::Order(parts(value)?),
            ("starts", Some(value)) if !value.is_empty() => Check::Starts(value.to_owned()),
            ("ends", Some(value)) if !value.is_empty() => Check::Ends(value.to_owned()),
            ("equal", None) => Check::Equal,
            ("different", None) => Check::Different,
            ("similar", Some(value)) => Check::Similar(number(value).ok_or("expected a number, as in similar:0.8")?),
            ("upper", None) => Check::Upper,
            ("not-upper", None) => Check::NotUpper,
            ("starts-upper", None) => Check::StartsUpper,
            ("digits", None) => Check::Digits,
            ("length", Some(value)) => {
                let bounds = value.split_once("..").and_then(|(from, to)| Some((number(from)?, number(to)?)));
                let (from, to) = bounds.ok_or("expected two numbers, as in length:0.5..2")?;
                Check::Length(from..=to)
            }
            ("lines", None) => Check::Lines,
            ("cells", None) => Check::Cells,
            ("balanced", None) => Check::Balanced,
            ("no-loops", None) => Check::NoLoops,
            _ => return Err("there is no such check"),
        })
    }
}

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Check::Contains(text) => write!(f, "contains:{text}"),
            Check::Count(text) => write!(f, "count:{text}"),
            Check::Any(choices) => write!(f, "any:{}", choices.join("|")),
            Check::NoneOf(choices) => write!(f, "none:{}", choices.join("|")),
            Check::Is(choices) => write!(f, "is:{}", choices.join("|")),
            Check::Order(parts) => write!(f, "order:{}", parts.join("|")),
            Check::Starts(text) => write!(f, "starts:{text}"),
            Check::Ends(text) => write!(f, "ends:{text}"),
            Check::Equal => f.write_str("equal"),
            Check::Different => f.write_str("different"),
            Check::Similar(least) => write!(f, "similar:{least}"),
            Check::Upper => f.write_str("upper"),
            Check::NotUpper => f.write_str("not-upper"),
            Check::StartsUpper => f.write_str("starts-upper"),
            Check::Digits => f.write_str("digits"),
            Check::Length(bounds) => write!(f, "length:{}..{}", bounds.start(), bounds.end()),
            Check::Lines => f.write_str("lines"),
            Check::Cells => f.write_str("cells"),
            Check::Balanced => f.write_str("balanced"),
            Check::NoLoops => f.write_str("no-loops"),
        }
    }
}

impl Check {
    /// Whether it holds.
    pub fn holds(&self, source: &str, translation: &str) -> bool {
        match self {
            Check::Contains(text) => translation.matches(text).count() >= source.matches(text).count().max(1),
            Check::Count(text) => translation.matches(text).count() == source.matches(text).count(),
            Check::Any(choices) => {
                let translation = translation.to_lowercase();
                choices.iter().any(|choice| translation.contains(choice) || with_blanks(&translation).contains(choice))
            }
            Check::NoneOf(choices) => {
                let translation = translation.to_lowercase();
                !choices.iter().any(|choice| translation.contains(choice))
            }
            Check::Is(choices) => {
                choices.iter().any(|choice| translation == choice || with_blanks(translation) == *choice)
            }
            Check::Order(parts) => {
                let in_order = |text: &str| {
                    let behind = |rest, part: &String| str::split_once(rest, part.as_str()).map(|(_, rest)| rest);
                    parts.iter().try_fold(text, behind).is_some()
                };
                in_order(translation) || in_order(&with_blanks(translation))
            }
            Check::Starts(text) => translation.starts_with(text),
            Check::Ends(text) => translation.ends_with(text),
            Check::Equal => translation == source,
            Check::Different => translation != source,
            Check::Similar(least) => strsim::normalized_levenshtein(source, translation) >= *least,
            Check::Upper => share_of_capitals(translation) >= 0.9,
            Check::NotUpper => share_of_capitals(translation) <= 0.5,
            Check::StartsUpper => translation.chars().find(|c| c.is_alphabetic()).is_some_and(char::is_uppercase),
            Check::Digits => has_numbers_of(source, translation),
            Check::Length(bounds) => {
                let length = |text: &str| text.chars().count() as f64;
                bounds.contains(&(length(translation) / length(source).max(1.0)))
            }
            Check::Lines => {
                let shape = |text: &str| text.split('\n').map(|line| line.trim().is_empty()).collect::<Vec<_>>();
                shape(source) == shape(translation)
            }
            Check::Cells => {
                let row = |line: &str| line.split('\t').map(|cell| cell.trim().is_empty()).collect::<Vec<_>>();
                let rows = |text: &str| text.split('\n').map(row).collect::<Vec<_>>();
                rows(source) == rows(translation)
            }
            Check::Balanced => has_pairs_of_brackets(translation),
            Check::NoLoops => {
                let (found, allowed) = (Repetition::of(translation), Repetition::of(source));
                found.in_a_row <= allowed.in_a_row.max(2)
                    && found.anywhere <= allowed.anywhere.max(2)
                    && found.in_a_word <= allowed.in_a_word.max(3)
            }
        }
    }
}

/// The text with blanks in place of the no-break, narrow and thin ones that may stand between a number and its unit.
fn with_blanks(text: &str) -> String {
    text.replace(['\u{a0}', '\u{202f}', '\u{2009}'], " ")
}

/// Whether round, square and curly brackets come in pairs, nested or one after the other.
fn has_pairs_of_brackets(text: &str) -> bool {
    let mut open = Vec::new();
    text.chars().all(|character| match character {
        '(' | '[' | '{' => {
            open.push(character);
            true
        }
        ')' => open.pop() == Some('('),
        ']' => open.pop() == Some('['),
        '}' => open.pop() == Some('{'),
        _ => true,
    }) && open.is_empty()
}

/// The share of capitals among the letters; 0 without letters. "ß" has no capital in common use and does not count.
fn share_of_capitals(text: &str) -> f64 {
    let letters = || text.chars().filter(|c| c.is_alphabetic() && *c != 'ß');
    letters().filter(|c| c.is_uppercase()).count() as f64 / letters().count().max(1) as f64
}

/// English and German words that a number may become.
const NUMBER_WORDS: [&[&str]; 13] = [
    &["zero", "null"],
    &["one", "first", "ein", "eins", "eine", "einen", "einem", "einer", "eines", "erste", "ersten", "erster", "erstes"],
    &["two", "second", "zwei", "zweite", "zweiten", "zweiter", "zweites"],
    &["three", "third", "drei", "dritte", "dritten", "dritter", "drittes"],
    &["four", "fourth", "vier", "vierte", "vierten"],
    &["five", "fifth", "fünf", "fünfte", "fünften"],
    &["six", "sixth", "sechs", "sechste", "sechsten"],
    &["seven", "seventh", "sieben", "siebte", "siebten"],
    &["eight", "eighth", "acht", "achte", "achten"],
    &["nine", "ninth", "neun", "neunte", "neunten"],
    &["ten", "tenth", "zehn", "zehnte", "zehnten"],
    &["eleven", "eleventh", "elf", "elfte", "elften"],
    &["twelve", "twelfth", "zwölf", "zwölfte", "zwölften"],
];

/// Whether both texts have the same numbers, as runs of digits in any order: separators, the order in dates and leading zeros
/// may change, thousands may be grouped or not, and numbers up to twelve may be words.
fn has_numbers_of(source: &str, translation: &str) -> bool {
    let mut missing = HashMap::<String, i32>::new();
    for number in numbers(source) {
        *missing.entry(number).or_default() += 1;
    }
    for number in numbers(translation) {
        *missing.entry(number).or_default() -= 1;
    }
    let lower = translation.to_lowercase();
    let mut words: Vec<&str> = lower.split(|c: char| !c.is_alphabetic()).collect();
    missing.into_iter().all(|(number, count)| {
        let spelled = number.parse::<usize>().ok().and_then(|number| NUMBER_WORDS.get(number)).copied().unwrap_or(&[]);
        count == 0
            || count > 0
                && (0..count).all(|_| {
                    let word = words.iter().position(|word| spelled.contains(word));
                    word.map(|word| words.remove(word)).is_some()
                })
    })
}

/// Runs of digits without leading zeros; a separator before a group of three digits is left out.
fn numbers(text: &str) -> Vec<String> {
    let characters: Vec<char> = text.chars().collect();
    let digits_from = |start: usize| characters[start..].iter().take_while(|c| c.is_ascii_digit()).count();
    let mut found = Vec::new();
    let mut index = 0;
    while index < characters.len() {
        let length = digits_from(index);
        if length == 0 {
            index += 1;
            continue;
        }
        let mut number: String = characters[index..index + length].iter().collect();
        index += length;
        let groups = length <= 3 && !number.starts_with('0');
        while groups
            && matches!(characters.get(index), Some('.' | ',' | '\'' | '’' | ' ' | '\u{a0}' | '\u{2009}' | '\u{202f}'))
            && digits_from(index + 1) == 3
        {
            number.extend(&characters[index + 1..index + 4]);
            index += 4;
        }
        let significant = number.trim_start_matches('0');
        found.push(if significant.is_empty() { "0".to_owned() } else { significant.to_owned() });
    }
    found
}

/// How often a text repeats itself.
struct Repetition {
    /// The most times that a run of up to 20 words occurs in a row.
    in_a_row: usize,
    /// The most times that the same four words occur in the same order.
    anywhere: usize,
    /// The most times that a run of 2 to 8 characters occurs in a row within a word.
    in_a_word: usize,
}

impl Repetition {
    fn of(text: &str) -> Self {
        let lower = text.to_lowercase();
        let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
        let in_a_word = words.iter().map(|word| most_in_a_row(&word.chars().collect::<Vec<_>>(), 2..=8));
        let mut counts = HashMap::<&[&str], usize>::new();
        for run in words.windows(4) {
            *counts.entry(run).or_default() += 1;
        }
        Self {
            in_a_row: most_in_a_row(&words, 1..=20),
            anywhere: counts.into_values().max().unwrap_or(0),
            in_a_word: in_a_word.max().unwrap_or(0),
        }
    }
}

/// The most times that a run of one of these lengths occurs in a row.
fn most_in_a_row<T: PartialEq>(items: &[T], lengths: RangeInclusive<usize>) -> usize {
    let times = |length: usize| {
        // Successive items that equal the one `length` before.
        let (mut same, mut most) = (0, 0);
        for index in length..items.len() {
            same = if items[index] == items[index - length] { same + 1 } else { 0 };
            most = most.max(same);
        }
        1 + most / length
    };
    lengths.map(times).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::{Check, numbers};

    /// Whether the check holds.
    fn holds(check: &str, source: &str, translation: &str) -> bool {
        check.parse::<Check>().expect(check).holds(source, translation)
    }

    #[test]
    fn what_is_contained() {
        assert!(holds("contains:%s", "from %s to %s", "von %s nach %s"));
        assert!(!holds("contains:%s", "from %s to %s", "von %s"));
        assert!(holds("contains:a:b", "", "xa:by"));
        assert!(holds("any:Haus|Gebäude", "", "IM GEBÄUDE") && !holds("any:Haus|Gebäude", "", "Heim"));
        assert!(holds("starts:- ", "", "- a") && !holds("starts:- ", "", "a"));
        assert!(holds("ends:?!", "", "a?!") && !holds("ends:?!", "", "a?"));
    }

    #[test]
    fn how_often_in_which_order() {
        assert!(holds("count:§", "§ 5", "§ 5") && !holds("count:§", "§ 5", "§§ 5") && !holds("count:§", "§ 5", "5"));
        assert!(holds("count:?", "", "nein") && !holds("count:?", "", "nein?"));
        assert!(holds("none:ja|nein", "", "vielleicht") && !holds("none:ja|nein", "", "NEIN"));
        assert!(holds("order:<b>|gut|</b>", "", "<b>sehr gut</b>") && !holds("order:<b>|gut|</b>", "", "<b></b>gut"));
        assert!(!holds("order:a|a", "", "a") && holds("order:a|a", "", "aa"));
        assert!(holds("is:5 $|$5", "", "$5") && !holds("is:5 $|$5", "", "$5."));
    }

    #[test]
    fn a_blank_also_stands_for_a_no_break_one() {
        for check in ["any:5 €", "is:5 €", "order:5 €"] {
            assert!(holds(check, "", "5 €") && holds(check, "", "5\u{a0}€") && holds(check, "", "5\u{202f}€"));
            assert!(!holds(check, "", "5€"));
        }
        assert!(holds("any:5\u{a0}€", "", "5\u{a0}€") && !holds("any:5\u{a0}€", "", "5 €"));
        assert!(!holds("contains:5 €", "", "5\u{a0}€") && !holds("count:5 €", "5 €", "5\u{a0}€"));
    }

    #[test]
    fn brackets_in_pairs() {
        assert!(holds("balanced", "", "Datei(en) [{1}]") && holds("balanced", "", "Dateien"));
        for text in ["Elemente)", "(Elemente", "([)]", ")("] {
            assert!(!holds("balanced", "", text), "{text}");
        }
    }

    #[test]
    fn likeness() {
        assert!(holds("equal", "a", "a") && !holds("equal", "a", "a "));
        assert!(holds("different", "a", "b") && !holds("different", "a", "a"));
        assert!(holds("similar:0.8", "abcdefghij", "abcdefghxx") && !holds("similar:0.8", "abcdefghij", "abcdefgxxx"));
        assert!(holds("length:0.5..2", "äöü", "abcdef") && !holds("length:0.5..2", "äöü", "abcdefg"));
        assert!(holds("lines", "a\n\nb", "c\n\nd") && !holds("lines", "a\n\nb", "c\nd\n"));
        assert!(holds("cells", "a\t\tb\n\tc", "d\t\te\n\tf") && !holds("cells", "a\t\tb", "d\te\t"));
        assert!(!holds("cells", "a\tb", "d e") && !holds("cells", "a\tb\nc", "d\nb\tc"));
    }

    #[test]
    fn capitals() {
        assert!(holds("upper", "", "DIE STRAßE 5!") && !holds("upper", "", "DIE Straße") && !holds("upper", "", "5"));
        assert!(holds("not-upper", "", "Die NATO tagt in Genf.") && !holds("not-upper", "", "DIE NATO tagt"));
        assert!(holds("starts-upper", "", "„Ähre“") && !holds("starts-upper", "", "der Hund"));
    }

    #[test]
    fn numbers_up_to_localization() {
        assert_eq!(numbers("1,234.56 and 1 000 000, 007; 3.14.15"), ["1234", "56", "1000000", "7", "3", "14", "15"]);
        assert!(holds("digits", "1,234.5 km", "1.234,5 km") && holds("digits", "48,250", "48250"));
        assert!(holds("digits", "12/31/2024", "31.12.2024") && holds("digits", "4 July", "04. Juli"));
        assert!(holds("digits", "3 dogs, 3 cats", "drei Hunde, 3 Katzen"));
        assert!(holds("digits", "3 Hunde, 2. Stock", "Three dogs, second floor"));
        assert!(!holds("digits", "3 dogs, 3 cats", "drei Hunde und Katzen"));
        assert!(!holds("digits", "1984", "1948") && !holds("digits", "5", "5 6") && !holds("digits", "13", "dreizehn"));
    }

    #[test]
    fn loops() {
        let loops = |translation: &str| !holds("no-loops", "A long text.", translation);
        assert!(!loops("sehr, sehr gut und der Mann, der den Mann sah"));
        assert!(loops("sehr sehr sehr gut") && loops("und dann und dann und dann"));
        assert!(loops("er ist ein Mann und man sagt, er ist ein Mann, weil er ist ein Mann"));
        assert!(loops("Giulianianianianian"));
        assert!(holds("no-loops", "very very very good", "sehr sehr sehr gut"));
        assert!(!holds("no-loops", "very very very good", "sehr sehr sehr sehr gut"));
    }

    #[test]
    fn what_is_no_check_is_refused() {
        let no_checks = [
            "",
            "contains",
            "contains:",
            "count:",
            "any:a||b",
            "none:",
            "is:a|",
            "order:|b",
            "similar:x",
            "similar:NaN",
            "length:1",
            "upper:1",
            "cells:2",
            "Equal",
        ];
        for text in no_checks {
            assert!(text.parse::<Check>().is_err(), "{text}");
        }
    }

    #[test]
    fn checks_print_as_they_are_written() {
        let checks = [
            "contains:a:b",
            "count:a|b",
            "any:x|y",
            "none:x|y",
            "is:X|Y",
            "order:X|Y",
            "starts:a",
            "ends:b",
            "equal",
            "different",
            "similar:0.8",
            "upper",
            "not-upper",
            "starts-upper",
            "digits",
            "length:0.5..2",
            "lines",
            "cells",
            "balanced",
            "no-loops",
        ];
        for text in checks {
            assert_eq!(text.parse::<Check>().expect(text).to_string(), text);
        }
    }
}

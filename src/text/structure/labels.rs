//! What stands before the text of a line and numbers or marks it: "a)", "(ii)", "IV.", "1.2.3", "- ", "[x]", "[12:30:45]".

use super::reports::LEVELS;
use crate::text::language::Language;
use std::ops::Range;

/// A mark at the start of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Label {
    /// Its bytes, with the white space after it.
    pub length: usize,
    /// Whether it can be nothing else; otherwise it may also be an initial or a number at the start of a sentence.
    pub is_certain: bool,
}

/// Largest Roman number that is taken for one: larger ones are words too ("CV", "MIX").
const MAX_ROMAN: u32 = 50;

/// Most bytes of a field's name.
const MAX_FIELD: usize = 48;

/// What stands before each line of a quotation or comment, with white space before and after: "> ", "> > ", "# ", "// ".
pub fn leader(line: &str) -> usize {
    let mut rest = line.trim_start();
    loop {
        let behind = rest.trim_start_matches('>');
        if behind.len() == rest.len() || !(behind.is_empty() || behind.starts_with([' ', '\t'])) {
            break;
        }
        rest = behind.trim_start();
    }
    for sign in ['#', '/'] {
        let behind = rest.trim_start_matches(sign);
        let signs = rest.len() - behind.len();
        // "# 8" is a number.
        let is_number = signs == 1 && behind.trim_start().starts_with(|c: char| c.is_ascii_digit());
        if signs > usize::from(sign == '/') && behind.starts_with([' ', '\t']) && !is_number {
            rest = behind.trim_start();
            break;
        }
    }
    line.len() - rest.len()
}

/// The label that a text without white space before it begins with, if text follows it.
pub fn label(text: &str) -> Option<Label> {
    let first = text.chars().next()?;
    let found = match first {
        '[' => bracketed(text),
        '-' | '*' | '+' | '•' | '·' | '‣' | '⁃' | '–' | '—' | '|' => Some((first.len_utf8(), true)),
        '>' | '#' => Some((text.len() - text.trim_start_matches(first).len(), true)),
        '(' => parenthesized(text),
        ':' => field(text),
        _ if first.is_ascii_alphanumeric() => named(text),
        _ => None,
    };
    let (end, is_certain) = found?;
    let rest = &text[end..];
    let content = rest.trim_start();
    let spaced = content.len() < rest.len();
    // "# 8" is a number.
    if first == '#' && end == 1 && content.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    // Times of lyrics stand directly before the words.
    let timed = first == '[' && text[..end].contains(':');
    ((spaced || timed) && !content.is_empty()).then_some(Label { length: text.len() - content.len(), is_certain })
}

/// ":Author:", ":param name:" of reStructuredText, not ":smile:" within words.
fn field(text: &str) -> Option<(usize, bool)> {
    let (name, _) = text[1..text.floor_char_boundary(MAX_FIELD.min(text.len()))].split_once(": ")?;
    let is_part = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b' ' | b'*');
    let fits = name.starts_with(|c: char| c.is_ascii_alphabetic()) && name.bytes().all(is_part);
    (fits && name.split(' ').count() <= 3).then_some((name.len() + 2, true))
}

/// "[ ]", "[x]", "[1]", "[^note]:", "[2024-05-01 12:30:45]", the last one with a level after it.
fn bracketed(text: &str) -> Option<(usize, bool)> {
    let inside = &text[1..text.char_indices().nth(40).map_or(text.len(), |(at, _)| at)];
    let (name, _) = inside.split_once(']')?;
    let end = name.len() + 2;
    if name.starts_with('^') && text[end..].starts_with(':') {
        return Some((end + 1, true));
    }
    if matches!(name, " " | "x" | "X") {
        return Some((end, true));
    }
    let figures = |c: char| c.is_ascii_digit() || matches!(c, ':' | '.' | ',' | '-' | '/' | '+' | ' ' | 'T' | 'Z');
    if !name.starts_with(|c: char| c.is_ascii_digit()) || !name.chars().all(figures) {
        return None;
    }
    if !name.contains(':') {
        return Some((end, true));
    }
    let rest = text[end..].trim_start();
    let word = &rest[..rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len())];
    let level = if LEVELS.contains(&word) { text.len() - rest.len() + word.len() - end } else { 0 };
    let colon = usize::from(level > 0 && text[end + level..].starts_with(':'));
    Some((end + level + colon, true))
}

/// "(a)", "(ii)", "(12)".
fn parenthesized(text: &str) -> Option<(usize, bool)> {
    let name = &text[1..1 + text[1..].bytes().take(6).take_while(u8::is_ascii_alphanumeric).count()];
    (text[1 + name.len()..].starts_with(')') && is_name(name)).then_some((name.len() + 2, true))
}

/// "a)", "12)", "IV.", "A.", "1.2.3", "II -", "I:".
fn named(text: &str) -> Option<(usize, bool)> {
    let length = text.bytes().take(12).take_while(|b| b.is_ascii_alphanumeric() || *b == b'.').count();
    let name = &text[..length];
    let rest = &text[length..];
    if rest.starts_with(')') && is_name(name) {
        return Some((length + 1, true));
    }
    let next = rest.trim_start();
    let capital = next.starts_with(char::is_uppercase);
    let word = &next[..next.find(|c: char| !c.is_alphanumeric()).unwrap_or(next.len())];
    if let Some(short) = name.strip_suffix('.')
        && short.bytes().all(|b| b.is_ascii_alphabetic())
    {
        // "z. B.", "J. R. R. Tolkien", "p. 5" are not labels.
        let abbreviation = word.chars().nth(1).is_none() && next[word.len()..].starts_with('.');
        let letter = short.len() == 1 && (capital && short.bytes().all(|b| b.is_ascii_uppercase() || b <= b'h'));
        let roman = roman(short).is_some() && (capital || short.len() > 1 || short == "i");
        return (!abbreviation && next.starts_with(char::is_alphabetic) && (letter || roman))
            .then_some((length, short.len() > 1));
    }
    if let Some(value) = roman(name)
        && name.bytes().all(|b| matches!(b, b'I' | b'V' | b'X'))
        && (value > 1 || !rest.starts_with(' ') || rest.starts_with(" - ") || rest.starts_with(" – "))
    {
        // "II – Methods", "I: Introduction".
        let dash = [" - ", " – ", " — ", ": "].iter().find_map(|dash| rest.strip_prefix(dash));
        let length =
            dash.filter(|text| text.starts_with(char::is_uppercase)).map(|text| length + rest.len() - text.len());
        return length.map(|length| (length - 1, true));
    }
    let numbers = name.strip_suffix('.').unwrap_or(name);
    let parts = numbers.split('.').count();
    let is_number =
        numbers.split('.').all(|part| matches!(part.len(), 1..=4) && part.bytes().all(|b| b.is_ascii_digit()));
    if !is_number || parts < 2 || !capital {
        return None;
    }
    // "1.1 Overview" is a section; "3.5 Million" and "2.4 GHz" are amounts.
    let is_word = word.chars().count() > 2 && word.chars().skip(1).all(|c| !c.is_uppercase()) && !is_counted(word);
    (parts > 2 || is_word).then_some((length, parts > 2))
}

/// Whether a capitalized word is a measure or size in some language, so that a number before it counts and is not a section number.
fn is_counted(word: &str) -> bool {
    Language::all()
        .iter()
        .any(|language| language.measures.contains(word) || language.is_size_word(&word.to_lowercase()))
}

/// What may stand before or between parentheses: a letter, a number of at most three digits, a Roman number.
fn is_name(name: &str) -> bool {
    matches!(name.as_bytes(), [b] if b.is_ascii_alphabetic())
        || matches!(name.len(), 1..=3) && name.bytes().all(|b| b.is_ascii_digit())
        || roman(name).is_some()
}

/// The value of a Roman number, all in upper or all in lower case, up to [`MAX_ROMAN`].
fn roman(name: &str) -> Option<u32> {
    if !matches!(name.len(), 1..=8)
        || !(name.bytes().all(|b| b.is_ascii_uppercase()) || name.bytes().all(|b| b.is_ascii_lowercase()))
    {
        return None;
    }
    let value = |b: u8| match b.to_ascii_uppercase() {
        b'I' => Some(1),
        b'V' => Some(5),
        b'X' => Some(10),
        b'L' => Some(50),
        _ => None,
    };
    let values = name.bytes().map(value).collect::<Option<Vec<u32>>>()?;
    let mut sum = 0;
    for (index, &value) in values.iter().enumerate() {
        if values.get(index + 1).is_some_and(|&next| next > value) { sum -= value as i32 } else { sum += value as i32 }
    }
    let sum = u32::try_from(sum).ok()?;
    // Only what one would write: "IIX" is not a number.
    (sum <= MAX_ROMAN && to_roman(sum) == name.to_ascii_uppercase()).then_some(sum)
}

fn to_roman(mut number: u32) -> String {
    let mut name = String::new();
    for (value, sign) in [(50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I")] {
        while number >= value {
            name.push_str(sign);
            number -= value;
        }
    }
    name
}

/// Labels that count on inside a line, "(a) … (b) … (c) …" or "1. Do this. 2. Do that.", including the first; none if there is only one.
pub fn enumeration(text: &str) -> Vec<Range<usize>> {
    let open = usize::from(text.starts_with('('));
    let length = text[open..].bytes().take(4).take_while(u8::is_ascii_alphanumeric).count();
    let name = &text[open..open + length];
    let close = match text[open + length..].chars().next() {
        Some(')') if is_name(name) => ')',
        Some('.') if open == 0 && is_name(name) && name.bytes().all(|b| b.is_ascii_digit()) => '.',
        _ => return Vec::new(),
    };
    let first = open + length + 1;
    if !text[first..].starts_with(' ') {
        return Vec::new();
    }
    // "i)" is followed by "ii)" or by "j)".
    let ways: [fn(&str) -> Option<String>; 2] = [next_roman, next_name];
    for next in ways {
        let mut found: Vec<Range<usize>> = std::iter::once(0..first).collect();
        let (mut name, mut from) = (name.to_owned(), first);
        while let Some(following) = next(&name) {
            let wanted = if open == 1 { format!(" ({following}) ") } else { format!(" {following}{close} ") };
            let place = text[from..].match_indices(&wanted).map(|(at, _)| from + at).find(|&at| {
                // A number with a full stop may also end a sentence: "See chapter 2."
                close == ')' || text[..at].trim_end().ends_with(['.', '!', '?', ';', ','])
            });
            let Some(at) = place else { break };
            found.push(at..at + wanted.len());
            (name, from) = (following, at + wanted.len() - 1);
        }
        if found.len() > 1 {
            return found;
        }
    }
    Vec::new()
}

fn next_roman(name: &str) -> Option<String> {
    let next = to_roman(roman(name)? + 1);
    Some(if name.starts_with(|c: char| c.is_ascii_lowercase()) { next.to_ascii_lowercase() } else { next })
}

fn next_name(name: &str) -> Option<String> {
    match name.as_bytes() {
        [b @ (b'a'..=b'y' | b'A'..=b'Y')] => Some(char::from(b + 1).to_string()),
        _ => name.parse::<u32>().ok().map(|number| (number + 1).to_string()),
    }
}

/// A number followed by a full stop and white space at the start of a line: where it begins, its value, and where the text begins.
pub fn numbered(line: &str) -> Option<(usize, u32, usize)> {
    let content = line.trim_start_matches([' ', '\t', '>']);
    let digits = content.bytes().take(4).take_while(u8::is_ascii_digit).count();
    let rest = content[digits..].strip_prefix('.')?;
    let behind = rest.trim_start();
    if !matches!(digits, 1..=3) || behind.len() == rest.len() || behind.is_empty() {
        return None;
    }
    Some((line.len() - content.len(), content[..digits].parse().ok()?, line.len() - behind.len()))
}

#[cfg(test)]
mod tests {
    use super::{enumeration, label, roman};

    #[test]
    fn labels_and_what_only_looks_like_one() {
        for (name, text) in [
            ("I. ", "Opening"),
            ("XIV. ", "Last words"),
            ("(iv) ", "a fourth one"),
            ("b) ", "another"),
            ("12) ", "the twelfth"),
            ("C. ", "Closing"),
            ("ii. ", "more of it"),
            ("II - ", "Materials"),
            ("I: ", "Beginnings"),
            ("2.3 ", "Results"),
            ("2.3.1 ", "in detail is capital: No"),
            ("[x] ", "Sell milk"),
            ("[3] ", "Third reference"),
            ("[^note]: ", "A footnote"),
            (":Author: ", "Ann"),
            (":param name: ", "The name"),
            ("[00:12.50]", "Words of a song"),
            ("[2024-05-01 12:30:45] INFO ", "Ready"),
            ("- ", "item"),
            ("## ", "Heading"),
            (">> ", "quoted"),
        ] {
            let whole = format!("{name}{text}");
            let found = label(&whole).map(|label| label.length);
            let expected = if text.starts_with("in detail") { None } else { Some(name.len()) };
            assert_eq!(found, expected, "{whole}");
        }
        for text in [
            "z. B. das",
            "J. R. R. Tolkien",
            "p. 5",
            "3.5 Million people",
            "2.4 GHz",
            "I think so",
            "I am",
            "V is a letter",
            "CV. Send it",
            "a)",
            "(see below) more",
            "[Music]",
            "[door opens] now",
            "-5 degrees",
            "e. g. this",
            "2024. Then",
            "# 8 of them",
            ": so it is",
            ":) is it: yes",
            "it. Then",
        ] {
            assert_eq!(label(text), None, "{text}");
        }
    }

    #[test]
    fn lines_may_count() {
        let parts = |text: &'static str| enumeration(text).into_iter().map(|range| &text[range]).collect::<Vec<_>>();
        assert_eq!(parts("(a) red (b) blue (c) green"), ["(a)", " (b) ", " (c) "]);
        assert_eq!(parts("i) red ii) blue iii) green"), ["i)", " ii) ", " iii) "]);
        assert_eq!(parts("1. Read it. 2. Sign it."), ["1.", " 2. "]);
        assert!(parts("1. See chapter 2. It is long.").is_empty());
        assert!(parts("(a) red (c) green").is_empty());
    }

    #[test]
    fn roman_numbers_are_written_in_one_way() {
        assert_eq!(roman("XLIX"), Some(49));
        assert_eq!(roman("viii"), Some(8));
        for name in ["", "IIX", "VV", "Iv", "MIX", "DC", "civil"] {
            assert_eq!(roman(name), None, "{name}");
        }
    }
}

//! Numbers that a translation got wrong.
//!
//! Small models now and then lose or change digits: "$1,299.99" becomes "$299.99". Where a number of the source is missing in the
//! translation, and a number stands there that no number of the source accounts for, aligned to the missing one or the only such, it gives
//! way to the right one in the target language's form: [`repair`]. An amount of which only the sign is left gets its number back, and a number
//! with one and the same sign between its thousands and before its fraction ("1,299,99") the right signs.
//!
//! Only numbers that a translator takes over are looked for: not times and parts of words, which change ("10:30 pm", "3rd", "20th"), nor
//! amounts with a word of size behind them ("1.5 million" may become "1.500.000"), nor single digits, which may be words.

use std::ops::Range;

use super::language::Language;
use super::restore::{Restored, RestoredToken};

/// A run of digits, with full stops and commas between them.
pub(super) struct Number {
    pub(super) range: Range<usize>,
    /// The digits, without leading zeros: equal in every language's form.
    pub(super) digits: String,
}

/// Puts right the numbers of `restored`, a translation of `source`. `in_source` and `in_translation` are ranges that are not looked at,
/// since they are right.
pub fn repair(
    source: &str,
    languages: (Language, Language),
    in_source: &[Range<usize>],
    in_translation: &[Range<usize>],
    restored: &mut Restored,
) {
    let originals = numbers(source, in_source);
    if originals.is_empty() {
        return;
    }
    let mut surplus = numbers(&restored.text, in_translation);
    let mut repairs: Vec<(Range<usize>, String, Range<usize>)> = Vec::new();
    for original in originals.iter().filter(|number| !is_misgrouped(&source[number.range.clone()])) {
        let misgrouped =
            |found: &&Number| found.digits == original.digits && is_misgrouped(&restored.text[found.range.clone()]);
        if let Some(found) = surplus.iter().find(misgrouped) {
            let wanted = localized(&source[original.range.clone()], languages);
            repairs.push((found.range.clone(), wanted, original.range.clone()));
        }
    }
    let mut missing: Vec<&Number> = Vec::new();
    for original in &originals {
        if !take(&mut surplus, &restored.text, &original.digits) {
            missing.push(original);
        }
    }
    missing.retain(|number| is_taken_over(source, languages.0, number));
    let single = missing.len() == 1 && surplus.len() == 1;
    for number in missing {
        let aligned = |found: &Number| {
            let stands_for =
                |token: &RestoredToken| token.source.start < number.range.end && token.source.end > number.range.start;
            let within =
                |token: &&RestoredToken| token.target.start < found.range.end && token.target.end > found.range.start;
            restored.tokens.iter().filter(within).any(stands_for)
        };
        let wanted = localized(&source[number.range.clone()], languages);
        if let Some(index) = surplus.iter().position(aligned).or(single.then_some(0)) {
            let found = surplus.remove(index);
            let letter = |c: Option<char>| c.is_some_and(char::is_alphabetic);
            let glued = letter(restored.text[..found.range.start].chars().next_back())
                && !letter(source[..number.range.start].chars().next_back());
            let wanted = if glued { format!(" {wanted}") } else { wanted };
            repairs.push((found.range, wanted, number.range.clone()));
        } else if let Some(sign) = source[..number.range.start].chars().next_back().filter(|&c| is_currency(c))
            && let Some(at) = lone_sign(&restored.text, sign)
        {
            if languages.1.currency.before {
                let at = at + sign.len_utf8();
                repairs.push((at..at, wanted, number.range.clone()));
            } else {
                repairs.push((at..at, format!("{wanted} "), number.range.clone()));
            }
        }
    }
    // A number that two of the source ask for is repaired once.
    repairs.sort_by_key(|(range, ..)| range.start);
    repairs.dedup_by(|a, b| a.0 == b.0);
    restored.splice_all(repairs);
}

/// The numbers of a text outside of `except`, in order.
pub(super) fn numbers(text: &str, except: &[Range<usize>]) -> Vec<Number> {
    let bytes = text.as_bytes();
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let mut except = except.iter().peekable();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        while except.next_if(|range| range.end <= at).is_some() {}
        if let Some(range) = except.peek().filter(|range| range.start <= at) {
            at = range.end;
            continue;
        }
        if !digit(at) {
            at += 1;
            continue;
        }
        let start = at;
        while digit(at) || matches!(bytes.get(at), Some(b'.' | b',')) && digit(at + 1) {
            at += 1;
        }
        let digits: String = text[start..at].chars().filter(char::is_ascii_digit).collect();
        let digits = digits.trim_start_matches('0').to_owned();
        found.push(Number { range: start..at, digits });
    }
    found
}

/// Whether the sign before a number's last digits, which are no thousand, is the one between its groups too.
fn is_misgrouped(number: &str) -> bool {
    let mut separators = number.char_indices().filter(|(_, c)| !c.is_ascii_digit()).rev();
    let Some((last, sign)) = separators.next() else { return false };
    let groups = separators.clone().count() > 0 && separators.all(|(_, other)| other == sign);
    groups && number.len() - last != "000,".len()
}

/// Takes the number with these digits out of the list, also if it is written in groups with spaces between; whether there was one.
fn take(numbers: &mut Vec<Number>, text: &str, digits: &str) -> bool {
    if let Some(index) = numbers.iter().position(|number| number.digits == digits) {
        numbers.remove(index);
        return true;
    }
    for first in 0..numbers.len() {
        let mut joined = numbers[first].digits.clone();
        for next in first + 1..numbers.len() {
            let between = &text[numbers[next - 1].range.end..numbers[next].range.start];
            if !matches!(between, " " | "\u{a0}" | "\u{2009}" | "\u{202f}" | "'" | "’") || joined.len() >= digits.len()
            {
                break;
            }
            joined.extend(text[numbers[next].range.clone()].chars().filter(char::is_ascii_digit));
            if joined == digits {
                numbers.drain(first..=next);
                return true;
            }
        }
    }
    false
}

/// Whether a translation is sure to have the number, but for its separators.
fn is_taken_over(source: &str, language: Language, number: &Number) -> bool {
    let (before, after) = (&source[..number.range.start], &source[number.range.end..]);
    let touches = |c: char| c.is_alphabetic() || matches!(c, ':' | '/' | '_' | '\'' | '’');
    let separated = !before.ends_with(|c: char| touches(c) || c == '.') && !after.starts_with(|c: char| touches(c));
    let words = after.split(|c: char| c.is_whitespace() || c == '-').filter(|word| !word.is_empty());
    let next = words.take(1).map(|word| word.trim_end_matches(|c: char| !c.is_alphanumeric()).to_lowercase()).next();
    let changes = |word: &str| {
        // Where the words are not known, any may be one.
        let is_word = language.size_words.is_empty() && word.contains(char::is_alphabetic);
        is_word || language.is_size_word(word) || language.clock_words.contains(word)
    };
    number.range.len() > 1 && separated && !next.is_some_and(|word| changes(&word))
}

/// A number of the first language in the form of the second.
fn localized(number: &str, languages: (Language, Language)) -> String {
    let (from, to) = languages;
    if from == Language::UNKNOWN || to == Language::UNKNOWN {
        return number.to_owned();
    }
    let sign = |c: char| match c {
        _ if c == from.numbers.decimal => to.numbers.decimal,
        _ if c == from.numbers.group => to.numbers.group,
        _ => c,
    };
    number.chars().map(sign).collect()
}

fn is_currency(c: char) -> bool {
    matches!(c, '$' | '€' | '£' | '¥' | '₹' | '₽' | '₩' | '₺')
}

/// Where a sign stands without a number beside it, if that is just one place.
fn lone_sign(text: &str, sign: char) -> Option<usize> {
    let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    let mut places = text.match_indices(sign).map(|(at, _)| at).filter(|&at| {
        let (before, after) = (text[..at].trim_end(), text[at + sign.len_utf8()..].trim_start());
        !digit(before.chars().next_back()) && !digit(after.chars().next())
    });
    places.next().filter(|_| places.next().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Source and translation in words, with the source word that each translated word is aligned to.
    fn repaired(source: &str, translation: &[(&str, &str)]) -> String {
        let mut restored = Restored::aligned(source, translation);
        repair(source, (Language::ENGLISH, Language::GERMAN), &[], &[], &mut restored);
        restored.tiled(source)
    }

    #[test]
    fn wrong_numbers_give_way() {
        let found = repaired("It costs $1,299.99.", &[("Es kostet ", "costs"), ("$299.99", "299.99"), (".", ".")]);
        assert_eq!(found, "Es kostet $1.299,99.");
        // In several tokens, of which one reaches beyond.
        let found =
            repaired("Room 407 is 3.5 m", &[("Raum ", "Room"), ("40", "407"), ("8 ist ", "is"), ("3,5 m", "3.5")]);
        assert_eq!(found, "Raum 407 ist 3,5 m");
        let found = repaired("The rent is 850 now", &[("Miete ist", "rent is"), ("85 jetzt", "now")]);
        assert_eq!(found, "Miete ist 850 jetzt", "the only one on both sides");
    }

    #[test]
    fn signs_of_thousands_and_fractions_differ() {
        let found =
            repaired("It costs 1,299.99 now", &[("Es kostet ", "costs"), ("1,299,99", "1,299.99"), (" nun", "now")]);
        assert_eq!(found, "Es kostet 1.299,99 nun");
        for number in ["1.2.3", "1.000.000", "10,5", "1,299.99", "2024"] {
            let source = format!("It is {number}.");
            assert_eq!(repaired(&source, &[(&source, &source)]), source);
        }
    }

    #[test]
    fn lost_amounts_come_back_to_their_sign() {
        let found =
            repaired("A ticket costs €20 for us", &[("Ein Ticket kostet ", "costs"), ("€", "€"), (" für uns", "us")]);
        assert_eq!(found, "Ein Ticket kostet 20 € für uns");
    }

    #[test]
    fn right_numbers_stay() {
        for (source, translation) in [
            ("1,000 people in 2020", "1.000 Leute 2020"),
            ("10,000 people", "10 000 Leute"),
            ("3.50 euros and 12 cents", "12 Cent und 3,50 Euro"),
            ("at 10:30 pm", "um 22:30 Uhr"),
            ("at 11 p.m.", "um 23 Uhr"),
            ("1.5 million people", "1.500.000 Leute"),
            ("on the 21st", "am 22."),
            ("in 15 minutes", "in fünfzehn Minuten"),
            ("twenty and 30", "20 und 30"),
            ("3 cats", "2 Katzen"),
        ] {
            let found = repaired(source, &[(translation, source)]);
            assert_eq!(found, translation, "{source}");
        }
    }

    #[test]
    fn what_is_verbatim_is_not_looked_at() {
        let source = "v12.5 of 34";
        let mut restored = Restored::aligned(source, &[("v12.5 von 35", source)]);
        repair(
            source,
            (Language::ENGLISH, Language::GERMAN),
            std::slice::from_ref(&(0..5)),
            std::slice::from_ref(&(0..5)),
            &mut restored,
        );
        assert_eq!(restored.text, "v12.5 von 34");
    }
}

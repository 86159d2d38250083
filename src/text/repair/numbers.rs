//! Numbers that a translation got wrong.
//!
//! Small models now and then lose or change digits: "$1,299.99" becomes "$299.99". If a number of the source is missing in the
//! translation, and the translation has a number that no number of the source accounts for, aligned to the missing one or the only such, it is
//! replaced by the right one in the target language's form: [`repair`]. An amount of which only the sign is left gets its number back; a number
//! of the same digits but another value ("1,20" for "120", "1,299,99") gets the right signs; a number that has thousands or
//! a unit and kept the source language's form ("1,299.99 $") gets the target language's. Where a comma begins the fraction, any number with one
//! gets it ("0,03"), since no version is written like that. English ordinals get the letters of their number ("21th").
//!
//! Only numbers that a translator takes over are looked for: not times and parts of words, which change ("10:30 pm", "3rd", "20th"), nor
//! single digits, which may be words. An amount followed by a word of size may also be written out ("1.5 million" as "1.500.000"); a
//! number with such a word that is not the source's is replaced.
//!
//! Digits of all scripts are digits: a number is replaced in the digits of its own script.

use std::ops::Range;

use super::Sentence;
use super::amounts;
use super::digits::{self, ascii_digits, in_digits_of, is_digit, is_separator};
use super::draft::{Draft, Edit};
use super::signs::is_currency;
use crate::text::language::Language;
use crate::text::segment::is_roman_number;

/// A run of digits of any script, with full stops and commas between them.
pub(super) struct Number {
    pub(super) range: Range<usize>,
    /// The digits in ASCII, without leading zeros: equal in every language's form.
    pub(super) digits: String,
}

/// Puts right the numbers of a draft.
pub fn repair(sentence: &Sentence, draft: &mut Draft) {
    let languages = (sentence.context.source_language, sentence.context.target_language);
    put_right(sentence.source, languages, &sentence.plan.kept_ranges(), draft);
}

fn put_right(source: &str, languages: (Language, Language), in_source: &[Range<usize>], draft: &mut Draft) {
    if languages.1 == Language::ENGLISH && languages.0.ordinal_stop {
        drop_ordinal_stops(source, draft);
    }
    let originals = numbers(source, in_source);
    if originals.is_empty() {
        return;
    }
    let mut surplus = numbers(draft.text(), draft.kept());
    let mut repairs: Vec<Edit> = Vec::new();
    // In "from 0.5 to 5", neither number is the other.
    let is_same = |original: &Number, found: &Number| {
        let values = [(source, original, languages.0), (draft.text(), found, languages.1)]
            .map(|(text, number, language)| self::value(&text[number.range.clone()], language));
        original.digits == found.digits && values[0].is_some() && values[0] == values[1]
    };
    for original in &originals {
        let form = &source[original.range.clone()];
        let wanted = localized(form, languages);
        let Some(value) = value(form, languages.0) else { continue };
        let is_wrong = |found: &&Number| {
            let text = &draft.text()[found.range.clone()];
            let unchanged = text == form && !(wanted != form && is_amount(source, original, languages.0));
            found.digits == original.digits
                && !unchanged
                && self::value(text, languages.1) != Some(value)
                && !originals.iter().any(|other| is_same(other, found))
        };
        // Where the languages are not known, no form says what a number's value is.
        for found in surplus.iter().filter(is_wrong).filter(|_| languages.1 != Language::UNKNOWN) {
            let text = in_digits_of(&draft.text()[found.range.clone()], &wanted, separators(languages.1));
            repairs.push(Edit { range: found.range.clone(), text, source: original.range.clone() });
        }
    }
    // A model forgets the space before a number now and then.
    let spaced = languages.1.spaced;
    for original in originals.iter().filter(|number| spaced && !follows_letter(source, number)) {
        let glued =
            surplus.iter().filter(|found| found.digits == original.digits && follows_letter(draft.text(), found));
        for at in glued.map(|found| found.range.start).filter(|&at| draft.is_aligned(&(at..at + 1), &original.range)) {
            repairs.push(Edit { range: at..at, text: " ".to_owned(), source: original.range.clone() });
        }
    }
    let mut missing: Vec<&Number> = Vec::new();
    for original in &originals {
        if !take(&mut surplus, draft.text(), &original.digits) {
            missing.push(original);
        }
    }
    let sized = |text: &str, language: Language, number: &Number| {
        amounts::end_of_size(text, language, number.range.end) > number.range.end
    };
    // "−1 Milliarden" for "−2.1 billion".
    for original in missing.extract_if(.., |number| sized(source, languages.0, number)).collect::<Vec<_>>() {
        let is_like = |found: &Number| sized(draft.text(), languages.1, found);
        let written_out =
            surplus.iter().any(|found| found.digits.trim_end_matches('0') == original.digits.trim_end_matches('0'));
        let mut alike = (0..surplus.len()).filter(|&index| is_like(&surplus[index]));
        if let (Some(index), None, false) = (alike.next(), alike.next(), written_out) {
            let found = surplus.remove(index);
            let text = localized(&source[original.range.clone()], languages);
            let text = in_digits_of(&draft.text()[found.range.clone()], &text, separators(languages.1));
            repairs.push(Edit { range: found.range, text, source: original.range.clone() });
        }
    }
    missing.retain(|number| is_taken_over(source, languages.0, number));
    let single = missing.len() == 1 && surplus.len() == 1;
    for number in missing {
        let aligned = |found: &Number| draft.is_aligned(&found.range, &number.range);
        let wanted = localized(&source[number.range.clone()], languages);
        let edit = |range: Range<usize>, text: String| Edit { range, text, source: number.range.clone() };
        if let Some(index) = surplus.iter().position(aligned).or(single.then_some(0)) {
            let found = surplus.remove(index);
            let wanted = in_digits_of(&draft.text()[found.range.clone()], &wanted, separators(languages.1));
            let glued = spaced && follows_letter(draft.text(), &found) && !follows_letter(source, number);
            let wanted = if glued { format!(" {wanted}") } else { wanted };
            repairs.push(edit(found.range, wanted));
        } else if let Some(sign) = source[..number.range.start].chars().next_back().filter(|&c| is_currency(c))
            && let Some(at) = lone_sign(draft.text(), sign)
        {
            // In the digits of the translation's other numbers.
            let wanted = in_digits_of(draft.text(), &wanted, separators(languages.1));
            if languages.1.currency.before {
                let at = at + sign.len_utf8();
                repairs.push(edit(at..at, wanted));
            } else {
                repairs.push(edit(at..at, format!("{wanted} ")));
            }
        }
    }
    draft.replace_all(repairs);
    put_signs_back(source, &originals, in_source, draft);
    if languages.1 == Language::ENGLISH {
        put_ordinals_right(draft);
    }
}

/// Writes ordinals that kept the stop of the source language as English does: "the 2. chapter" as "the 2nd chapter", "Louis XIV. was" without it.
fn drop_ordinal_stops(source: &str, draft: &mut Draft) {
    let mut repairs = Vec::new();
    let text = draft.text();
    for (at, _) in text.match_indices(". ") {
        let before = &text[..at];
        let word = &before[before
            .rfind(|c: char| !c.is_alphanumeric())
            .map_or(0, |end| end + before[end..].chars().next().map_or(1, char::len_utf8))..];
        let start = at - word.len();
        // At the start of a sentence, a number with a stop counts the items of a list.
        let inside = text[..start].ends_with(' ') && !text[..start].trim_end().ends_with(['.', ':', '!', '?', '…']);
        let goes_on = text[at + 2..].starts_with(char::is_lowercase);
        let stopped = format!("{word}. ");
        let is_number = (1..=2).contains(&word.len()) && word.bytes().all(|b| b.is_ascii_digit());
        let is_roman = word.len() > 1 && is_roman_number(word);
        if !inside
            || !goes_on
            || !(is_number || is_roman)
            || !source.contains(&stopped)
            || draft.is_kept(&(start..at + 1))
        {
            continue;
        }
        let origin = draft.tokens_in(at..at + 1).next().map_or(0..0, |token| token.link.source.clone());
        let text = if is_number { "th" } else { "" };
        repairs.push(Edit { range: at..at + 1, text: text.to_owned(), source: origin });
    }
    draft.replace_all(repairs);
}

/// Gives English ordinals the letters of their number: of a German "21." a model makes "21th".
fn put_ordinals_right(draft: &mut Draft) {
    let mut repairs = Vec::new();
    for number in numbers(draft.text(), draft.kept()) {
        let rest = &draft.text()[number.range.end..];
        let Some((found, behind)) = rest.split_at_checked(2) else { continue };
        let last_two = number.digits.parse::<u64>().map(|value| value % 100);
        let is_ordinal = ["st", "nd", "rd", "th"].contains(&found) && !behind.starts_with(char::is_alphanumeric);
        let (true, Ok(last_two)) = (is_ordinal, last_two) else { continue };
        let right = match (last_two / 10, last_two % 10) {
            (1, _) => "th",
            (_, 1) => "st",
            (_, 2) => "nd",
            (_, 3) => "rd",
            _ => "th",
        };
        if found != right && !follows_letter(draft.text(), &number) {
            let range = number.range.end..number.range.end + 2;
            let source = draft.tokens_in(range.clone()).next().map_or(0..0, |token| token.link.source.clone());
            repairs.push(Edit { range, text: right.to_owned(), source });
        }
    }
    draft.replace_all(repairs);
}

/// Puts back the minus of a number that stands in the translation without it: "−$2.1 billion" is no profit.
fn put_signs_back(source: &str, originals: &[Number], in_source: &[Range<usize>], draft: &mut Draft) {
    for original in originals {
        let Some((at, sign)) = minus(source, original) else { continue };
        let same = |number: &&Number| number.digits == original.digits;
        let alone = originals.iter().filter(same).count() == 1
            && in_source.iter().all(|range| original.range.end <= range.start || range.end <= original.range.start);
        let found = numbers(draft.text(), draft.kept());
        let found: Vec<&Number> = found.iter().filter(same).collect();
        let [found] = found[..] else { continue };
        let words = draft.text()[..found.range.start].trim_end().ends_with("minus");
        if !alone || words || minus(draft.text(), found).is_some() {
            continue;
        }
        let before = &draft.text()[..found.range.start];
        // Before the currency sign, if that stands before the number; in place of a dash that is apart.
        let before = before.strip_suffix([' ', '\u{a0}']).filter(|text| text.ends_with(is_currency)).unwrap_or(before);
        let before = before.strip_suffix(is_currency).unwrap_or(before);
        let apart = before.strip_suffix(' ').and_then(|text| text.strip_suffix(['-', '–', '−']));
        let apart = apart.filter(|text| text.is_empty() || text.ends_with(char::is_whitespace)).unwrap_or(before);
        draft.replace_all(vec![Edit {
            range: apart.len()..before.len(),
            text: sign.to_string(),
            source: at..at + sign.len_utf8(),
        }]);
    }
}

/// The minus of a number and its place, with or without a currency sign in between: a dash that touches what follows and nothing before.
fn minus(text: &str, number: &Number) -> Option<(usize, char)> {
    let before = &text[..number.range.start];
    let before = before.strip_suffix([' ', '\u{a0}']).filter(|text| text.ends_with(is_currency)).unwrap_or(before);
    let before = before.strip_suffix(is_currency).unwrap_or(before);
    let sign = before.chars().next_back().filter(|c| matches!(c, '-' | '−' | '–'))?;
    let at = before.len() - sign.len_utf8();
    let apart = text[..at].chars().next_back().is_none_or(|c| c.is_whitespace() || matches!(c, '(' | '[' | ':'));
    apart.then_some((at, sign))
}

/// Whether a number of the source is sure to be an amount and not a version or the like: it has thousands, a fraction after a comma, or a
/// unit or currency.
fn is_amount(source: &str, number: &Number, language: Language) -> bool {
    if has_thousands(&source[number.range.clone()], language) && !is_name(source, number, language)
        || has_decimal_comma(source, number, language)
        || amounts::has_unit(source, language, number)
    {
        return true;
    }
    let words = source[number.range.end..].split_whitespace();
    let mut words = words.map(|word| word.trim_end_matches(|c: char| !c.is_alphanumeric()));
    // "3.5 million", "3.5 and 4.5 million", "3.5 to 4 kg"
    words.next().is_some_and(|word| {
        let joins =
            language.function_words.conjunctions.contains(word) || language.function_words.prepositions.contains(word);
        let next =
            || numbers(source, &[]).into_iter().find(|next| next.range.start == number.range.end + 2 + word.len());
        let capitalized: String =
            word.chars().take(1).flat_map(char::to_uppercase).chain(word.chars().skip(1)).collect();
        language.is_size_word(&word.to_lowercase())
            || language.measures.contains(&capitalized)
            || joins && next().is_some_and(|next| is_amount(source, &next, language))
    })
}

/// Whether a number has groups of three, as the language writes thousands.
pub(super) fn has_thousands(number: &str, language: Language) -> bool {
    let plain = plain(number, language);
    let (whole, _) = parts(&plain, language);
    let mut groups = whole.split(separators(language).1);
    let first = groups.next().unwrap_or_default();
    let grouped = whole.len() > first.len() && (1..=3).contains(&first.len()) && !first.starts_with('0');
    grouped && groups.all(|group| group.len() == 3)
}

/// Whether a number has a fraction after a comma, as the language writes it. In brackets, "[1,2]", and in chemical names,
/// "1,2-Dichlorethan", the comma is that of a list.
pub(super) fn has_decimal_comma(source: &str, number: &Number, language: Language) -> bool {
    let text = &plain(&source[number.range.clone()], language);
    let (before, after) = (&source[..number.range.start], &source[number.range.end..]);
    if is_name(source, number, language) {
        return false;
    }
    let round = before.ends_with('(') || after.starts_with(')');
    let listed = before.ends_with(['[', '{']) || after.starts_with([']', '}']) || round && !text.starts_with('0');
    let is_chemical = after.strip_prefix(['-', '‑']).is_some_and(|after| after.starts_with(char::is_alphabetic));
    let has_comma = separators(language).0 == ',' && text.contains(',') && value(text, language).is_some();
    has_comma && !listed && !is_chemical && !counts_on(text, after, language)
}

/// Whether a number with a comma and what follows count on: "1,2 und 3".
fn counts_on(number: &str, after: &str, language: Language) -> bool {
    let mut words = after.split_whitespace();
    let joined = words.next().is_some_and(|word| language.function_words.conjunctions.contains(word));
    let next = words.next().and_then(|word| word.trim_end_matches(|c: char| !c.is_ascii_digit()).parse::<u32>().ok());
    let parts = number.split_once(',').map(|(first, second)| (first.parse::<u32>(), second.parse::<u32>()));
    joined && matches!((parts, next), (Some((Ok(first), Ok(second))), Some(next)) if first < second && second < next)
}

/// Whether a number is the name of something: "Nr. 1.234", "Tel. 555.123.456".
fn is_name(source: &str, number: &Number, language: Language) -> bool {
    is_name_before(&source[..number.range.start], language)
}

/// Whether a number that follows this text is the name of something.
pub(super) fn is_name_before(before: &str, language: Language) -> bool {
    let Some(before) = before.strip_suffix([' ', '\u{a0}']) else { return false };
    let named = before.trim_end_matches(['.', ':']);
    let word = named.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    let telephones = ["tel", "telefon", "telephone", "phone", "fax", "mobil"];
    telephones.iter().any(|name| word.eq_ignore_ascii_case(name))
        || named.len() < before.len() && language.abbreviations.before_number.contains(word)
}

/// A text that comes through as it is except for the signs in its numbers, which are all amounts; none if nothing changes.
pub(super) fn with_localized_numbers(text: &str, languages: (Language, Language)) -> Option<String> {
    let mut written = text.to_owned();
    for number in numbers(text, &[]).into_iter().rev() {
        let found = &text[number.range.clone()];
        let has_fraction = value(found, languages.0).is_some_and(|digits| digits > 0);
        if has_fraction || has_thousands(found, languages.0) {
            written.replace_range(number.range, &localized(found, languages));
        }
    }
    (written != text).then_some(written)
}

/// The signs before the fraction and between groups where a language writes numbers in ASCII digits.
fn separators(language: Language) -> (char, char) {
    digits::ascii_separators((language.numbers.decimal, language.numbers.group))
}

/// A number of the language in ASCII digits.
fn plain(number: &str, language: Language) -> String {
    digits::in_ascii(number, separators(language))
}

/// The whole part of a [`plain`] number with its groups, and the fraction with the sign before it.
fn parts(number: &str, language: Language) -> (&str, &str) {
    number.split_at(number.rfind(separators(language).0).unwrap_or(number.len()))
}

/// Length in bytes of the number that a text begins with, if it begins with one.
pub(super) fn number_starting(text: &str) -> Option<usize> {
    let end = |at: usize, c: char| at + c.len_utf8();
    let mut characters = text.char_indices().peekable();
    let mut number = None;
    while let Some((at, c)) = characters.next() {
        let between = number.is_some() && is_separator(c) && characters.peek().is_some_and(|&(_, c)| is_digit(c));
        match (is_digit(c), between) {
            (true, _) => number = Some(end(at, c)),
            (false, true) => {}
            (false, false) => break,
        }
    }
    number
}

/// Length in bytes of the number that a text ends with, if it ends with one.
pub(super) fn number_ending(text: &str) -> Option<usize> {
    let mut characters = text.char_indices().rev().peekable();
    let mut start = None;
    while let Some((at, c)) = characters.next() {
        let between = start.is_some() && is_separator(c) && characters.peek().is_some_and(|&(_, c)| is_digit(c));
        match (is_digit(c), between) {
            (true, _) => start = Some(at),
            (false, true) => {}
            (false, false) => break,
        }
    }
    start.map(|start| text.len() - start)
}

/// The numbers of a text outside `except`, in order.
pub(super) fn numbers(text: &str, except: &[Range<usize>]) -> Vec<Number> {
    let next = |at: usize| text[at..].chars().next();
    let digit = |at: usize| next(at).is_some_and(is_digit);
    let mut except = except.iter().peekable();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(c) = next(at) {
        while except.next_if(|range| range.end <= at).is_some() {}
        if let Some(range) = except.peek().filter(|range| range.start <= at) {
            at = range.end;
            continue;
        }
        if !is_digit(c) {
            at += c.len_utf8();
            continue;
        }
        let start = at;
        while let Some(c) = next(at).filter(|&c| is_digit(c) || is_separator(c) && digit(at + c.len_utf8())) {
            at += c.len_utf8();
        }
        let digits = ascii_digits(&text[start..at]).trim_start_matches('0').to_owned();
        found.push(Number { range: start..at, digits });
    }
    found
}

/// Whether a letter stands directly before a number.
fn follows_letter(text: &str, number: &Number) -> bool {
    text[..number.range.start].ends_with(char::is_alphabetic)
}

/// How many digits of a number belong to its fraction, if it is written as the language writes numbers: with or without signs between its
/// groups. Together with its digits, that is its value.
pub(super) fn value(number: &str, language: Language) -> Option<usize> {
    let (number, (decimal, group)) = (plain(number, language), separators(language));
    let (whole, fraction) = parts(&number, language);
    let fraction = fraction.strip_prefix(decimal).unwrap_or(fraction);
    let mut groups = whole.split(group);
    let first = groups.next().unwrap_or_default();
    let sizes: Vec<usize> = groups.map(str::len).collect();
    let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    let regular = match sizes.split_last() {
        Some((last, others)) => {
            *last == 3 && others.iter().all(|size| matches!(size, 2 | 3)) && (1..=3).contains(&first.len())
        }
        None => true,
    };
    (regular && digits(fraction) && whole.chars().all(|c| c.is_ascii_digit() || c == group)).then_some(fraction.len())
}

/// Takes the number with these digits out of the list, even if it is written in groups with spaces between; returns whether there was one.
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
            joined += &ascii_digits(&text[numbers[next].range.clone()]);
            if joined == digits {
                numbers.drain(first..=next);
                return true;
            }
        }
    }
    false
}

/// Whether a translation is sure to have the number, except for its separators.
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
    source[number.range.clone()].chars().nth(1).is_some() && separated && !next.is_some_and(|word| changes(&word))
}

/// A number of the first language in the form of the second, in ASCII digits.
pub(super) fn localized(number: &str, languages: (Language, Language)) -> String {
    let (from, to) = languages;
    if from == Language::UNKNOWN || to == Language::UNKNOWN {
        return number.to_owned();
    }
    let number = &plain(number, from);
    let (whole, _) = parts(number, from);
    let ((from_decimal, from_group), (to_decimal, to_group)) = (separators(from), separators(to));
    let mut groups = whole.split(from_group).skip(1);
    // "2,50,000" in groups of two, which the target language does not have.
    if groups.clone().count() > 1 && groups.any(|group| group.len() == 2) && to.numbers.group_size == 3 {
        let digits: String = whole.chars().filter(char::is_ascii_digit).collect();
        let first = (digits.len() + 2) % 3 + 1;
        let mut grouped = digits[..first].to_owned();
        for group in digits.as_bytes()[first..].chunks(3) {
            grouped.push(from_group);
            grouped.extend(group.iter().map(|&digit| char::from(digit)));
        }
        return localized(&format!("{grouped}{}", &number[whole.len()..]), languages);
    }
    let sign = |c: char| match c {
        _ if c == from_decimal => to_decimal,
        _ if c == from_group => to_group,
        _ => c,
    };
    number.chars().map(sign).collect()
}

/// Where a sign stands without a number beside it, if that is just one place.
fn lone_sign(text: &str, sign: char) -> Option<usize> {
    let digit = |c: Option<char>| c.is_some_and(is_digit);
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
        let mut draft = Draft::aligned(source, translation);
        put_right(source, (Language::ENGLISH, Language::GERMAN), &[], &mut draft);
        draft.tiled(source)
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
    fn a_loss_is_no_profit() {
        for (source, translation, expected) in [
            (
                "The loss was -$2.1 billion.",
                "Der Verlust war 2,1 Milliarden Dollar.",
                "Der Verlust war -2,1 Milliarden Dollar.",
            ),
            ("Profit: −€4.5 million", "Gewinn: € 4,5 Millionen", "Gewinn: −€ 4,5 Millionen"),
            ("It fell to -300.", "Es fiel auf - 300.", "Es fiel auf -300."),
            ("It fell to -300.", "Es fiel auf minus 300.", "Es fiel auf minus 300."),
            ("It fell to -300.", "Es fiel auf −300.", "Es fiel auf −300."),
            ("a plan - 300 pages", "ein Plan - 300 Seiten", "ein Plan - 300 Seiten"),
            ("from 200-300", "von 200-300", "von 200-300"),
            (
                "The loss was $2.1 billion.",
                "Der Verlust war 1 Milliarde Dollar.",
                "Der Verlust war 2,1 Milliarde Dollar.",
            ),
            ("He has 1.5 million.", "Er hat 1.500.000.", "Er hat 1.500.000."),
        ] {
            assert_eq!(repaired(source, &[(translation, source)]), expected, "{source}");
        }
    }

    #[test]
    fn signs_of_thousands_and_fractions_differ() {
        let found =
            repaired("It costs 1,299.99 now", &[("Es kostet ", "costs"), ("1,299,99", "1,299.99"), (" nun", "now")]);
        assert_eq!(found, "Es kostet 1.299,99 nun");
        for number in ["1.2.3", "1.000.000", "10,5", "2024"] {
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
    fn amounts_are_in_the_target_s_form() {
        for (source, translation, expected) in [
            ("It costs $1,299.99 now", "Es kostet jetzt 1,299.99 $", "Es kostet jetzt 1.299,99 $"),
            ("It has 3.5 MB", "Es hat 3.5 MB", "Es hat 3,5 MB"),
            ("Over 1,250 people", "Über 1,250 Leute", "Über 1.250 Leute"),
            ("It is 1.0832 dollars", "Es sind 1.0832 Dollar", "Es sind 1,0832 Dollar"),
            ("See section 3.5", "Siehe Abschnitt 3.5", "Siehe Abschnitt 3.5"),
            ("It took ₺120 from us", "Es nahm uns 1,20 ₺", "Es nahm uns 120 ₺"),
            ("It cost $1,050,000", "Es kostete 1,050.000 Dollar", "Es kostete 1.050.000 Dollar"),
            ("It costs ₹2,50,000 now", "Es kostet jetzt 2,50,000 ₹", "Es kostet jetzt 250.000 ₹"),
            ("It costs 0.5 € now", "Es kostet jetzt0,5 €", "Es kostet jetzt 0,5 €"),
            ("Between 3.5 and 4.5 million", "Zwischen 3.5 und 4,5 Millionen", "Zwischen 3,5 und 4,5 Millionen"),
            ("the numbers 1,2 and 3", "die Zahlen 1,2 und 3", "die Zahlen 1,2 und 3"),
        ] {
            assert_eq!(repaired(source, &[(translation, source)]), expected);
        }
    }

    #[test]
    fn a_comma_begins_a_fraction_only() {
        for (source, translation, expected) in [
            ("Er gewann mit 0,03 Sekunden.", "He won with 0,03 seconds.", "He won with 0.03 seconds."),
            ("Der Wert ist 1,6.", "The value is 1,6.", "The value is 1.6."),
            ("Es sind 1.200 Leute.", "There are 1.200 people.", "There are 1,200 people."),
            ("Abschnitt 3.5 gilt.", "Section 3.5 applies.", "Section 3.5 applies."),
            ("in [0,1] und (1,2)", "in [0,1] and (1,2)", "in [0,1] and (1,2)"),
            ("das 1,2-Dichlorethan", "the 1,2-dichloroethane", "the 1,2-dichloroethane"),
            ("Artikel 1,2 und 3", "Articles 1,2 and 3", "Articles 1,2 and 3"),
            ("2,5 und 3 Meter", "2,5 and 3 metres", "2.5 and 3 metres"),
            ("Nr. 1.234 und Tel. 555.123.456", "No 1.234 and tel. 555.123.456", "No 1.234 and tel. 555.123.456"),
            ("Von 0,5 auf 5.", "From 0.5 to 5.", "From 0.5 to 5."),
            ("Erst 1,20, dann 120.", "First 1.20, then 120.", "First 1.20, then 120."),
            ("Rufen Sie 030.123.456 an.", "Call 030.123.456.", "Call 030.123.456."),
            ("Das 21. Jahrhundert", "The 21th century", "The 21st century"),
            ("der 12. und der 22.", "the 12nd and the 22th", "the 12th and the 22nd"),
            ("am 3. und 111. Tag", "on the 3th and 111st day", "on the 3rd and 111th day"),
            ("Das 2. Kapitel ist", "The 2. chapter is", "The 2nd chapter is"),
            ("Ludwig XIV. war", "Louis XIV. was", "Louis XIV was"),
            ("2. Kapitel und 3. Teil", "2. chapter. 3. part", "2. chapter. 3. part"),
            ("Er wurde 2. Er ging.", "He was 2. He left.", "He was 2. He left."),
            ("Es kostet 5 €.", "It costs 5 €.", "It costs 5 €."),
            ("der 5.", "the 5ths of 2nds and the 4th", "the 5ths of 2nds and the 4th"),
        ] {
            let mut draft = Draft::aligned(source, &[(translation, source)]);
            put_right(source, (Language::GERMAN, Language::ENGLISH), &[], &mut draft);
            assert_eq!(draft.text(), expected, "{source}");
        }
        let formula = |text| with_localized_numbers(text, (Language::GERMAN, Language::ENGLISH));
        assert_eq!(formula("p < 0,01"), Some("p < 0.01".to_owned()));
        assert_eq!(formula("1.200 × 0,5 = 600"), Some("1,200 × 0.5 = 600".to_owned()));
        assert_eq!(formula("x > 3"), None);
        let german = |text| with_localized_numbers(text, (Language::ENGLISH, Language::GERMAN));
        assert_eq!(german("n = 1,200"), Some("n = 1.200".to_owned()));
        assert_eq!(german("$1,204.72 USD"), Some("$1.204,72 USD".to_owned()));
    }

    #[test]
    fn numbers_are_found_at_both_ends() {
        assert_eq!(
            (number_starting("1,299.99 $"), number_starting("x1"), number_starting("5.")),
            (Some(8), None, Some(1))
        );
        assert_eq!(
            (number_ending("it is 1,299.99"), number_ending("5."), number_ending("a1.5")),
            (Some(8), None, Some(3))
        );
        assert_eq!((number_ending(".5"), number_ending("")), (Some(1), None));
    }

    #[test]
    fn digits_of_other_scripts_are_digits() {
        let language = |tag| Language::from_tag(tag).unwrap();
        for (source, from, translation, to, expected) in [
            // Right ones stay, also beside a currency's sign.
            ("It costs $25.", "en", "يكلف $٢٥.", "ar", "يكلف $٢٥."),
            ("It has 1,299.5 km", "en", "يبلغ ١٬٢٩٩٫٥ كم", "ar", "يبلغ ١٬٢٩٩٫٥ كم"),
            ("It has 3.5 MB", "en", "۳٫۵ مگابایت", "fa", "۳٫۵ مگابایت"),
            ("It has 3.5 MB", "en", "3.5 مگابایت", "fa", "3.5 مگابایت"),
            ("In 1999", "en", "१९९९ में", "hi", "१९९९ में"),
            ("他们有３５人", "zh", "They are 35", "en", "They are 35"),
            ("٢٥ كتابا و 30 قلما", "ar", "25 books and 30 pens", "en", "25 books and 30 pens"),
            // Wrong ones are replaced in their own digits.
            ("Room 407 now", "en", "कमरा ४०८", "hi", "कमरा ४०७"),
            ("It has 3.5 MB", "en", "۳۵ مگابایت", "fa", "۳٫۵ مگابایت"),
            ("الغرفة ٤٠٧ هنا", "ar", "Room 408 here", "en", "Room 407 here"),
            // No space is missing where words have none between them.
            ("There are 25 people", "en", "共有25人", "zh", "共有25人"),
            ("There are 25 people", "en", "有26人", "zh", "有25人"),
            ("There are 25 people", "en", "มี25คน", "th", "มี25คน"),
        ] {
            let mut draft = Draft::aligned(source, &[(translation, source)]);
            put_right(source, (language(from), language(to)), &[], &mut draft);
            assert_eq!(draft.text(), expected, "{source}");
        }
    }

    #[test]
    fn what_must_come_through_is_not_looked_at() {
        let source = "v12.5 of 34";
        let mut draft = Draft::aligned(source, &[("v12.5 von 35", source)]);
        draft.keep(0..5);
        put_right(source, (Language::ENGLISH, Language::GERMAN), std::slice::from_ref(&(0..5)), &mut draft);
        assert_eq!(draft.text(), "v12.5 von 34");
    }
}

//! Times of a twelve-hour clock, and those that such a clock does not have.
//!
//! A small model drops what tells noon from midnight: "12:00 AM" became "12:00 Uhr". Where the target language counts the hours to 24,
//! the model is given the time in that form, "0:00", and that must be in its translation. It says whole hours except twelve ("5 pm") well.
//!
//! The other way round, it turns "14 Uhr" and "14.30 Uhr" into "2:30", since English has no hours beyond twelve. It is given "14:00 Uhr", and
//! "14:00", which is read everywhere, must be in its translation. Of two hours ("14 bis 16 Uhr"), neither is touched.

use std::ops::Range;

use super::draft::Draft;
use super::{Kept, Preparation, Sentence};

/// Keeps each such time in its 24-hour form.
pub fn prepare(preparation: &mut Preparation) {
    let source = preparation.source;
    let clock = preparation.context.target_language.clock_words;
    if clock.contains("pm") {
        for (hour, form) in times_of_24_hours(source) {
            preparation.keep(Kept { given: Some(format!("{form} Uhr")), form: Some(form), ..Kept::exactly(hour) });
        }
    }
    if clock.is_empty() || clock.contains("pm") {
        return;
    }
    let bytes = source.as_bytes();
    let mut at = 0;
    while let Some(found) = bytes[at..].iter().position(u8::is_ascii_digit) {
        let start = at + found;
        let length = bytes[start..].iter().take_while(|b| b.is_ascii_digit()).count();
        at = start + length;
        let apart =
            !source[..start].ends_with(|c: char| c.is_alphanumeric() || matches!(c, '.' | ',' | ':' | '/' | '-' | '–'));
        if let Some((end, form)) = time(&source[start..]).filter(|_| apart) {
            let range = start..start + end;
            preparation.keep(Kept { form: Some(form.clone()), given: Some(form), ..Kept::exactly(range) });
            at = start + end;
        }
    }
}

/// Takes out what says which half of the day it is after hours that are counted to 24, in languages that say so: "14:00 p.m.".
pub fn repair(sentence: &Sentence, draft: &mut Draft) {
    if !sentence.context.target_language.clock_words.contains("pm") {
        return;
    }
    let mut found = Vec::new();
    for (at, _) in draft.text().match_indices(':') {
        let (before, after) = (&draft.text()[..at], &draft.text()[at + 1..]);
        let hour = &before[before.len() - before.bytes().rev().take_while(u8::is_ascii_digit).count()..];
        let minutes = after.bytes().take_while(u8::is_ascii_digit).count();
        if minutes == 2 && hour.parse().is_ok_and(|hour: u32| hour == 0 || (13..=24).contains(&hour)) {
            let start = at + 1 + minutes;
            found.push(start..start + left_over(&draft.text()[start..]));
        }
    }
    for range in found.into_iter().rev().filter(|range| !range.is_empty()) {
        draft.replace(range, "", None);
    }
}

/// Length in bytes of the half of the day that a text begins with, or of the full stop that is left of it.
fn left_over(text: &str) -> usize {
    let rest = text.trim_start_matches([' ', '\u{a0}', '\u{202f}']);
    let half = HALVES.iter().find_map(|(half, _)| {
        let (found, behind) = rest.split_at_checked(half.len())?;
        let is_half = found.eq_ignore_ascii_case(half) && !behind.starts_with(char::is_alphanumeric);
        is_half.then_some((found, behind))
    });
    match half {
        // The full stop of "p.m." at the end of a sentence is also the sentence's.
        Some((half, behind)) => {
            text.len() - behind.len() - usize::from(half.ends_with('.') && behind.trim_end().is_empty())
        }
        None => {
            let behind = text.strip_prefix('.').unwrap_or_default();
            let next = behind.strip_prefix(' ').map(|next| next.starts_with(char::is_lowercase));
            usize::from(behind.starts_with([',', ';', ':', ')']) || next == Some(true))
        }
    }
}

/// Times that only a clock of 24 hours has, "14 Uhr" and "0.30 Uhr", and their form with a colon. The word behind says that they are times of day
/// and not durations.
fn times_of_24_hours(source: &str) -> Vec<(Range<usize>, String)> {
    let mut found = Vec::new();
    for (at, word) in source.match_indices("Uhr") {
        let (before, after) = (&source[..at], &source[at + word.len()..]);
        let Some(before) = before.strip_suffix([' ', '\u{a0}', '\u{202f}']) else { continue };
        let digits = |text: &str| text.len() - text.bytes().rev().take_while(u8::is_ascii_digit).count();
        let (mut before, mut hour) = before.split_at(digits(before));
        let mut minutes = "00";
        if let (Some(rest), true) = (before.strip_suffix(['.', ':']), hour.len() == 2 && hour < "60") {
            (minutes, (before, hour)) = (hour, rest.split_at(digits(rest)));
        }
        let goes_on = after.starts_with(|c: char| c.is_alphanumeric() || c == '-')
            || after.trim_start().starts_with(|c: char| c.is_ascii_digit());
        let apart = before.is_empty() || before.ends_with([' ', '\u{a0}', '(']);
        // "14 bis 16", "14 – 16"
        let mut words = before.split_whitespace().rev();
        let joined = words.next().is_some_and(|joint| matches!(joint, "bis" | "und" | "oder" | "-" | "–"))
            && words.next().is_some_and(|word| word.ends_with(|c: char| c.is_ascii_digit()));
        let is_time = hour.len() <= 2
            && hour.parse().is_ok_and(|hour: u32| matches!((hour, minutes), (0 | 13..=23, _) | (24, "00")));
        if apart && !goes_on && !joined && is_time {
            found.push((before.len()..at + word.len(), format!("{hour}:{minutes}")));
        }
    }
    found
}

/// The length of the time that a text begins with, if it is a twelve-hour time with minutes or at twelve, and its 24-hour form.
fn time(text: &str) -> Option<(usize, String)> {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let length = digits(text);
    let hour: u32 = text[..length].parse().ok().filter(|hour| (1..=12).contains(hour))?;
    let (minutes, rest) = match text[length..].strip_prefix(':') {
        Some(rest) if digits(rest) == 2 && &rest[..2] < "60" => (Some(&rest[..2]), &rest[2..]),
        Some(_) => return None,
        None => (None, &text[length..]),
    };
    let half = rest.strip_prefix([' ', '\u{a0}', '\u{202f}']).unwrap_or(rest);
    let (afternoon, length) = HALVES.iter().find_map(|(name, afternoon)| {
        let found = half.get(..name.len()).filter(|found| found.eq_ignore_ascii_case(name))?;
        let ends = !half[found.len()..].starts_with(|c: char| c.is_alphanumeric());
        ends.then_some((*afternoon, found.len()))
    })?;
    if minutes.is_none() && hour != 12 {
        return None;
    }
    let hour = hour % 12 + if afternoon { 12 } else { 0 };
    // The full stop of "p.m." at the end of a sentence is also the sentence's.
    let ends_in_stop = half[..length].ends_with('.') && half[length..].trim_start().is_empty();
    let length = text.len() - half.len() + length - usize::from(ends_in_stop);
    Some((length, format!("{hour}:{}", minutes.unwrap_or("00"))))
}

/// What follows a time before and after noon.
const HALVES: [(&str, bool); 4] = [("a.m.", false), ("p.m.", true), ("am", false), ("pm", true)];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_24_hours_are_written_with_a_colon() {
        let text = "Um 14 Uhr, nicht um 8 Uhr oder 8.15 Uhr; um 13.15 Uhr, 0:05 Uhr, bis 24\u{a0}Uhr, 18 Uhren, 9-17 Uhr, 25 Uhr, 14 bis 16 Uhr, \
                    9 – 17 Uhr, 13/14 Uhr, 14.75 Uhr, 24.30 Uhr, 000 Uhr, am 3.10.14 Uhr, 13.30 bis 15.00 Uhr, 20 Uhr 15.";
        let found: Vec<_> = times_of_24_hours(text).into_iter().map(|(time, form)| (&text[time], form)).collect();
        let expected = [("14 Uhr", "14:00"), ("13.15 Uhr", "13:15"), ("0:05 Uhr", "0:05"), ("24\u{a0}Uhr", "24:00")];
        assert_eq!(found, expected.map(|(time, form)| (time, form.to_owned())));
    }

    #[test]
    fn no_half_of_the_day_is_left_behind_such_hours() {
        for (text, expected) in [
            (" p.m., and", 5),
            ("pm.", 2),
            (" p.m.", 4),
            ("., and", 1),
            (". on Monday", 1),
            (". On Monday", 0),
            (".", 0),
            (" pmax", 0),
            ("", 0),
        ] {
            assert_eq!(left_over(text), expected, "{text}");
        }
    }

    #[test]
    fn hours_are_counted_to_24() {
        for (text, expected) in [
            ("12:00 AM is", Some((8, "0:00"))),
            ("12 pm", Some((5, "12:00"))),
            ("10:30pm.", Some((7, "22:30"))),
            ("9:05 a.m. on", Some((9, "9:05"))),
            ("1:15 p.m.", Some((8, "13:15"))),
            ("5 pm", None),
            ("13:00 pm", None),
            ("10:75 pm", None),
            ("10:30 amps", None),
            ("10:30", None),
        ] {
            assert_eq!(time(text), expected.map(|(length, form)| (length, form.to_owned())), "{text}");
        }
    }
}

//! Times of a twelve-hour clock, and those that such a clock does not have.
//!
//! A small model drops what tells one half of the day from the other: "12:00 AM" became "12:00 Uhr", "3 pm" "3 Uhr", and "between 2 and 4 pm"
//! "zwischen 14 und 4 Uhr". Where the target language counts the hours to 24, the model is given each time in that form, "15:00", and that must be in
//! its translation.
//!
//! The other way round, it turns "14 Uhr" and "14.30 Uhr" into "2:30", since English has no hours beyond twelve, and "9-17 Uhr" into "9-17 9:00
//! p.m.". It is given "14:00 Uhr", and "14:00", which is read everywhere, must be in its translation. An hour up to twelve alone ("8 Uhr") is left to
//! it, except for a half of the day that nothing in the source speaks of. "Halb zwölf" is half past eleven, and is given as that.

use std::ops::Range;

use super::draft::{Draft, Edit};
use super::{Kept, Preparation, Sentence};
use crate::text::language::Words;

/// Keeps each such time in its 24-hour form.
pub fn prepare(preparation: &mut Preparation) {
    let source = preparation.source;
    let clock = preparation.context.target_language.clock_words;
    if clock.contains("pm") {
        for Time { range, given, form } in times_of_24_hours(source).into_iter().chain(half_hours(source)) {
            preparation.keep(Kept { given: Some(given), form: Some(form), ..Kept::exactly(range) });
        }
        return;
    }
    if clock.is_empty() {
        return;
    }
    let says_halves = preparation.context.source_language.clock_words.contains("pm");
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(digit) = source[at..].find(|c: char| c.is_ascii_digit()) {
        let start = at + digit;
        at = start + source[start..].bytes().take_while(u8::is_ascii_digit).count();
        let apart =
            !source[..start].ends_with(|c: char| c.is_alphanumeric() || matches!(c, '.' | ',' | ':' | '/' | '-' | '–'));
        // "5 am" alone is a time only where the language says so: in German, it is "5 at the".
        for (time, form) in if apart { times(&source[start..], says_halves) } else { Vec::new() } {
            at = at.max(start + time.end);
            let zone = zone(&source[start + time.end..]);
            let form = form + &source[start + time.end..start + time.end + zone];
            found.push((start + time.start..start + time.end + zone, form));
        }
    }
    if says_halves {
        found.extend(parts_of_hours(source));
    }
    for (range, form) in found {
        preparation.keep(Kept { form: Some(form.clone()), given: Some(form), ..Kept::exactly(range) });
    }
}

/// Takes out what says which half of the day it is where no such word is right, in languages that say so: "14:00 p.m.", and "8 p.m." for "8 Uhr".
pub fn repair(sentence: &Sentence, draft: &mut Draft) {
    drop_invented_seconds(draft);
    drop_words_behind_zones(sentence.context.target_language.clock_words, draft);
    if !sentence.context.target_language.clock_words.contains("pm") {
        return;
    }
    let is_told = names_half(sentence.source);
    let mut found = Vec::new();
    for (at, _) in draft.text().match_indices(':') {
        let (before, after) = (&draft.text()[..at], &draft.text()[at + 1..]);
        let digits = before.bytes().rev().take_while(u8::is_ascii_digit).count();
        let minutes = after.bytes().take_while(u8::is_ascii_digit).count();
        let is_late = || before[at - digits..].parse().is_ok_and(|hour: u32| hour == 0 || (13..=24).contains(&hour));
        // What was given in this form says the half of the day by its hour.
        let is_rewritten = || {
            let given = sentence.plan.kept.iter().filter_map(|kept| kept.form.as_deref());
            given.into_iter().any(|form| form.ends_with(&draft.text()[at - digits..at + 1 + minutes]))
        };
        let is_given = || draft.is_kept(&(at - digits..at + 1 + minutes)) && (!is_told || is_rewritten());
        if minutes == 2 && digits > 0 && (is_late() || is_given()) {
            let start = at + 1 + minutes;
            found.push(start..start + left_over(&draft.text()[start..]));
        }
    }
    for range in found.into_iter().rev().filter(|range| !range.is_empty()) {
        draft.replace(range, "", None);
    }
    if !is_told {
        drop_invented_halves(sentence.source, draft);
    }
}

/// Takes out seconds that follow a time that is right without them: "17:00:00".
fn drop_invented_seconds(draft: &mut Draft) {
    let is_seconds = |end: usize| {
        let rest = draft.text()[end..].strip_prefix(':').unwrap_or_default();
        rest.bytes().take_while(u8::is_ascii_digit).count() == 2
            && draft.text()[..end].ends_with(|c: char| c.is_ascii_digit())
    };
    let is_time = |kept: &Range<usize>| draft.text()[kept.clone()].contains(':');
    let found: Vec<usize> =
        draft.kept().iter().filter(|kept| is_time(kept)).map(|kept| kept.end).filter(|&end| is_seconds(end)).collect();
    for end in found.into_iter().rev() {
        draft.replace(end..end + 3, "", None);
    }
}

/// Takes out the word for a time of day behind a time zone: "13:00 ET Uhr".
fn drop_words_behind_zones(words: Words, draft: &mut Draft) {
    let ends_in_zone = |kept: &Range<usize>| {
        let text = &draft.text()[kept.clone()];
        text.contains(':') && text.rsplit_once(' ').is_some_and(|(_, name)| zone(&format!(" {name}")) == 1 + name.len())
    };
    let found = draft.kept().iter().filter(|kept| ends_in_zone(kept)).filter_map(|kept| {
        let rest = draft.text()[kept.end..].strip_prefix(' ')?;
        let word = &rest[..rest.find(|c: char| !c.is_alphabetic()).unwrap_or(rest.len())];
        words.contains(&word.to_lowercase()).then_some(kept.end..kept.end + 1 + word.len())
    });
    for range in found.collect::<Vec<_>>().into_iter().rev() {
        draft.replace(range, "", None);
    }
}

/// Writes "8:00" for "8 p.m." where the source has "8 Uhr", which says nothing of the afternoon.
fn drop_invented_halves(source: &str, draft: &mut Draft) {
    let mut edits = Vec::new();
    for (at, _) in source.match_indices("Uhr") {
        let Some(hour) = source[..at].strip_suffix([' ', '\u{a0}', '\u{202f}']).and_then(hour_before) else { continue };
        if !(1..=11).contains(&hour.hour) || hour.minutes.is_some() {
            continue;
        }
        let number = hour.hour.to_string();
        for (place, _) in draft.text().match_indices(&number) {
            let (before, after) = (&draft.text()[..place], &draft.text()[place + number.len()..]);
            let apart = !before.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '.' | ',' | ':' | '-' | '–'));
            let afternoon = after.trim_start_matches([' ', '\u{a0}', '\u{202f}']).starts_with(['p', 'P']);
            let length = left_over(after);
            if apart && afternoon && length > 1 {
                let range = place + number.len()..place + number.len() + length;
                edits.push(Edit { range, text: ":00".to_owned(), source: hour.start..at });
            }
        }
    }
    draft.replace_all(edits);
}

/// Whether a German text says which half of the day a time is in.
fn names_half(source: &str) -> bool {
    let source = source.to_lowercase();
    ["abend", "nachmittag", "mittag", "nacht", "spät", "p.m.", "pm"].iter().any(|word| source.contains(word))
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
        // The full stop of "p.m." at the end of a sentence is also the sentence's; of several, one stays.
        Some((half, behind)) => {
            let stops = behind.trim_end();
            let is_end = stops.bytes().all(|b| b == b'.') && (half.ends_with('.') || stops.len() > 1);
            text.len() - behind.len() + if is_end { stops.len() } else { 0 } - usize::from(is_end)
        }
        None => {
            let behind = text.strip_prefix('.').unwrap_or_default();
            let next = behind.strip_prefix(' ').map(|next| next.starts_with(char::is_lowercase));
            usize::from(behind.starts_with([',', ';', ':', ')']) || next == Some(true))
        }
    }
}

/// A time of the source.
#[derive(Debug, PartialEq, Eq)]
struct Time {
    range: Range<usize>,
    /// What the model reads.
    given: String,
    /// What must be in the translation.
    form: String,
}

/// Hours and minutes that a text ends with: "14", "14.30", "14:30".
struct Hour<'a> {
    start: usize,
    hour: u32,
    minutes: Option<&'a str>,
}

impl Hour<'_> {
    /// With a colon.
    fn form(&self) -> String {
        format!("{}:{}", self.hour, self.minutes.unwrap_or("00"))
    }
}

/// The hour of a clock of 24 hours that a text ends with.
fn hour_before(text: &str) -> Option<Hour<'_>> {
    let digits = |text: &str| text.len() - text.bytes().rev().take_while(u8::is_ascii_digit).count();
    let (mut before, mut hour) = text.split_at(digits(text));
    let mut minutes = None;
    if let (Some(rest), true) = (before.strip_suffix(['.', ':']), hour.len() == 2 && hour < "60") {
        (minutes, (before, hour)) = (Some(hour), rest.split_at(digits(rest)));
    }
    let value = hour.parse().ok().filter(|_| hour.len() <= 2)?;
    (value < 24 || value == 24 && minutes.is_none_or(|minutes| minutes == "00")).then_some(Hour {
        start: before.len(),
        hour: value,
        minutes,
    })
}

/// Times that only a clock of 24 hours has, "14 Uhr" and "0.30 Uhr", those with minutes behind, "8 Uhr 30", and those from one hour to another. The word
/// behind says that they are times of day and not durations.
fn times_of_24_hours(source: &str) -> Vec<Time> {
    let mut found = Vec::new();
    for (at, word) in source.match_indices("Uhr") {
        let (before, after) = (&source[..at], &source[at + word.len()..]);
        let Some(before) = before.strip_suffix([' ', '\u{a0}', '\u{202f}']) else { continue };
        let Some(mut last) = hour_before(before) else { continue };
        let mut end = at + word.len();
        if let Some((minutes, length)) = minutes_behind(after).filter(|_| last.minutes.is_none() && last.hour < 24) {
            last.minutes = Some(minutes);
            end += length;
        } else if after.starts_with(|c: char| c.is_alphanumeric() || c == '-')
            || after.trim_start().starts_with(|c: char| c.is_ascii_digit())
        {
            continue;
        }
        let has_minutes = end > at + word.len();
        let half = half_of_day(&source[end..], last.hour);
        if let Some((length, hour)) = half {
            end += length;
            last.hour = hour;
        }
        let apart = |start: usize| start == 0 || source[..start].ends_with([' ', '\u{a0}', '(']);
        let form = last.form();
        let given = format!("{form} Uhr");
        match first_of_two(&source[..last.start]) {
            // A model that reads two times of day with a word between them loses the word.
            Some((first, joint @ ("-" | "–" | "−" | "bis"))) if apart(first.start) => {
                let range = first.start..end;
                let dash = if joint == "bis" { "–" } else { joint };
                let form = format!("{}{dash}{form}", first.form());
                found.push(Time { range, given: format!("{form} Uhr"), form });
            }
            Some((first, _)) if apart(first.start) && apart(last.start) => {
                let (number, form_of_first) =
                    (source[first.start..last.start].split([' ', '\u{a0}']).next(), first.form());
                let length = number.map_or(0, str::len);
                let range = first.start..first.start + length;
                found.push(Time { range, given: form_of_first.clone(), form: form_of_first });
                found.push(Time { range: last.start..end, given, form });
            }
            _ if apart(last.start) && (has_minutes || half.is_some() || last.hour == 0 || last.hour > 12) => {
                found.push(Time { range: last.start..end, given, form });
            }
            _ => {}
        }
    }
    found
}

/// The length of the words for a later half of the day that a text begins with, " abends", and the hour in that half.
fn half_of_day(text: &str, hour: u32) -> Option<(usize, u32)> {
    // The hours that are after noon there, and whether twelve is midnight.
    const HALVES: [(&str, Range<u32>, bool); 8] = [
        (" abends", 4..12, false),
        (" am Abend", 4..12, false),
        (" nachmittags", 1..12, false),
        (" am Nachmittag", 1..12, false),
        (" mittags", 1..4, false),
        (" am Mittag", 1..4, false),
        (" nachts", 9..12, true),
        (" in der Nacht", 9..12, true),
    ];
    let is_whole = |words: &str| !text[words.len()..].starts_with(char::is_alphanumeric);
    let (words, late, is_night) = HALVES.iter().find(|(words, ..)| text.starts_with(words) && is_whole(words))?;
    let hour = match hour {
        12 if *is_night => 0,
        _ if late.contains(&hour) => hour + 12,
        _ => hour,
    };
    Some((words.len(), hour))
}

/// The minutes after the word for the hour, "20 Uhr 15", and the length with the space before them, if they are no number of something.
fn minutes_behind(text: &str) -> Option<(&str, usize)> {
    let rest = text.strip_prefix([' ', '\u{a0}'])?;
    let minutes = rest.get(..2).filter(|minutes| minutes.bytes().all(|b| b.is_ascii_digit()) && *minutes < "60")?;
    let behind = &rest[2..];
    let next = behind.trim_start();
    let ends = behind.is_empty()
        || behind.starts_with([',', ';', '!', '?', ')'])
        || behind.starts_with('.') && !behind[1..].starts_with(|c: char| c.is_ascii_digit())
        || behind.starts_with(' ') && next.starts_with(char::is_lowercase);
    ends.then_some((minutes, text.len() - behind.len()))
}

/// The first of two hours, and what joins them, before where the second begins: "9-", "14 bis ".
fn first_of_two(before: &str) -> Option<(Hour<'_>, &str)> {
    let rest = before.trim_end_matches([' ', '\u{a0}']);
    let joints = ["-", "–", "−", "bis", "und", "oder"];
    let joint = joints.into_iter().find(|joint| rest.ends_with(joint))?;
    let rest = &rest[..rest.len() - joint.len()];
    let hour = rest.trim_end_matches([' ', '\u{a0}']);
    let is_word = joint.starts_with(char::is_alphabetic);
    let spaced = hour.len() < rest.len() && before.ends_with([' ', '\u{a0}']);
    (spaced || !is_word).then(|| hour_before(hour)).flatten().map(|hour| (hour, joint))
}

/// "Halb zwölf": the half hour before the hour that is named.
fn half_hours(source: &str) -> Vec<Time> {
    const HOURS: [&str; 12] =
        ["eins", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun", "zehn", "elf", "zwölf"];
    let mut found = Vec::new();
    for (at, half) in source.match_indices("alb ") {
        let Some(before) = source[..at].strip_suffix(['h', 'H']) else { continue };
        let name = &source[at + half.len()..];
        let name = &name[..name.find(|c: char| !c.is_alphanumeric()).unwrap_or(name.len())];
        let apart = !before.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '-' | '_'));
        if let Some(hour) = HOURS.iter().position(|hour| *hour == name).filter(|_| apart) {
            let form = format!("{}:30", if hour == 0 { 12 } else { hour });
            let range = before.len()..at + half.len() + name.len();
            found.push(Time { range, given: format!("{form} Uhr"), form });
        }
    }
    found
}

/// "Half past eight", and "a quarter to four" after a word that is used with times: of the one a model makes "halb acht", which is an hour before.
fn parts_of_hours(source: &str) -> Vec<(Range<usize>, String)> {
    const HOURS: [&str; 12] =
        ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];
    const BEFORE: [&str; 11] =
        ["at", "by", "until", "till", "around", "about", "before", "after", "since", "is", "was"];
    let mut found = Vec::new();
    for (words, minutes) in [("alf past ", 30), ("quarter to ", 45)] {
        for (at, _) in source.match_indices(words) {
            let is_half = minutes == 30;
            let start = match is_half {
                true => source[..at].strip_suffix(['h', 'H']).map(str::len),
                false => Some(source[..at].strip_suffix("a ").map_or(at, str::len)),
            };
            let Some(start) = start else { continue };
            let word = source[..start].trim_end().rsplit(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
            let apart = !source[..start].ends_with(|c: char| c.is_alphanumeric() || c == '-');
            let name = &source[at + words.len()..];
            let name = &name[..name.find(|c: char| !c.is_alphanumeric() && c != '-').unwrap_or(name.len())];
            let hour = HOURS.iter().position(|hour| *hour == name);
            if let Some(hour) = hour.filter(|_| apart && (is_half || BEFORE.contains(&word))) {
                // The name's index is the hour before it.
                let hour = if is_half { hour + 1 } else { (hour + 11) % 12 + 1 };
                found.push((start..at + words.len() + name.len(), format!("{hour}:{minutes}")));
            }
        }
    }
    found
}

/// A time of a twelve-hour clock that a text begins with.
struct Twelve<'a> {
    length: usize,
    hour: u32,
    minutes: Option<&'a str>,
    /// Whether it is after noon, if it says so.
    afternoon: Option<bool>,
}

impl Twelve<'_> {
    /// The hour in this half of the day.
    fn hour(&self, afternoon: bool) -> u32 {
        self.hour % 12 + if afternoon { 12 } else { 0 }
    }

    fn form(&self, afternoon: bool) -> String {
        format!("{}:{}", self.hour(afternoon), self.minutes.unwrap_or("00"))
    }
}

/// What stands between two times of which only the second need say which half of the day it is.
const JOINTS: [&str; 12] =
    ["-", "–", "—", " - ", " – ", " — ", " to ", " and ", " or ", " until ", " till ", " through "];

/// The one or two times that a text begins with, with their 24-hour form. Whole hours but twelve only if `says_halves`.
fn times(text: &str, says_halves: bool) -> Vec<(Range<usize>, String)> {
    let Some(first) = time(text) else { return Vec::new() };
    let counts = |time: &Twelve| says_halves || time.minutes.is_some() || time.hour == 12;
    let rest = &text[first.length..];
    let joint = JOINTS.iter().find(|joint| rest.starts_with(**joint));
    let second = joint.and_then(|joint| time(&rest[joint.len()..]));
    if let (Some(joint), Some(second)) = (joint, second)
        && let Some(afternoon) = second.afternoon
        && says_halves
    {
        // The latest hour that is before the second: "9 to 5 pm", "2 to 4 pm", "10 to 2 am".
        let last = second.hour(afternoon);
        let of_first = first.afternoon.unwrap_or_else(|| first.hour(true) < last || first.hour(false) >= last);
        let (start, end) = (first.length + joint.len(), first.length + joint.len() + second.length);
        let forms = [first.form(of_first), second.form(afternoon)];
        // A dash holds them together.
        if !joint.contains(char::is_alphabetic) {
            return vec![(0..end, [&*forms[0], joint, &*forms[1]].concat())];
        }
        let [of_first, of_second] = forms;
        return vec![(0..first.length, of_first), (start..end, of_second)];
    }
    let alone = first.afternoon.filter(|_| counts(&first)).map(|afternoon| (0..first.length, first.form(afternoon)));
    alone.into_iter().collect()
}

/// The time that a text begins with: hours up to twelve, with or without minutes and the half of the day.
fn time(text: &str) -> Option<Twelve<'_>> {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let length = digits(text);
    let hour: u32 = text[..length].parse().ok().filter(|hour| (1..=12).contains(hour))?;
    let (minutes, rest) = match text[length..].strip_prefix(':') {
        Some(rest) if digits(rest) == 2 && &rest[..2] < "60" => (Some(&rest[..2]), &rest[2..]),
        Some(_) => return None,
        None => (None, &text[length..]),
    };
    let half = rest.strip_prefix([' ', '\u{a0}', '\u{202f}']).unwrap_or(rest);
    let found = HALVES.iter().find_map(|(name, afternoon)| {
        let found = half.get(..name.len()).filter(|found| found.eq_ignore_ascii_case(name))?;
        let ends = !half[found.len()..].starts_with(|c: char| c.is_alphanumeric());
        ends.then_some((*afternoon, found.len()))
    });
    let Some((afternoon, length)) = found else {
        return Some(Twelve { length: text.len() - rest.len(), hour, minutes, afternoon: None });
    };
    // The full stop of "p.m." at the end of a sentence is also the sentence's.
    let ends_in_stop = half[..length].ends_with('.') && half[length..].trim_start().is_empty();
    let length = text.len() - half.len() + length - usize::from(ends_in_stop);
    Some(Twelve { length, hour, minutes, afternoon: Some(afternoon) })
}

/// The length of the time zone, with the space before it, that a text begins with.
fn zone(text: &str) -> usize {
    const ZONES: [&str; 17] = [
        "ET", "EST", "EDT", "CT", "CST", "CDT", "MT", "MST", "MDT", "PT", "PST", "PDT", "GMT", "UTC", "BST", "CET",
        "CEST",
    ];
    let word = text.strip_prefix(' ').unwrap_or_default();
    let word = &word[..word.find(|c: char| !c.is_alphanumeric()).unwrap_or(word.len())];
    if ZONES.contains(&word) { 1 + word.len() } else { 0 }
}

/// What follows a time before and after noon.
const HALVES: [(&str, bool); 4] = [("a.m.", false), ("p.m.", true), ("am", false), ("pm", true)];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_24_hours_are_written_with_a_colon() {
        let text = "Um 14 Uhr, nicht um 8 Uhr oder 8.15 Uhr; um 13.15 Uhr, 0:05 Uhr, bis 24\u{a0}Uhr, 18 Uhren, 25 Uhr, 13/14 Uhr, 14.75 Uhr, \
                    24.30 Uhr, 000 Uhr, am 3.10.14 Uhr.";
        let found: Vec<_> = times_of_24_hours(text).into_iter().map(|time| (&text[time.range], time.form)).collect();
        let expected = [("14 Uhr", "14:00"), ("13.15 Uhr", "13:15"), ("0:05 Uhr", "0:05"), ("24\u{a0}Uhr", "24:00")];
        assert_eq!(found, expected.map(|(time, form)| (time, form.to_owned())));
    }

    #[test]
    fn of_two_hours_both_are_times() {
        for (text, expected) in [
            ("von 9-17 Uhr", vec![("9-17 Uhr", "9:00-17:00")]),
            ("9 – 17 Uhr", vec![("9 – 17 Uhr", "9:00–17:00")]),
            ("Sa 9–13 Uhr", vec![("9–13 Uhr", "9:00–13:00")]),
            ("8:00-18:30 Uhr", vec![("8:00-18:30 Uhr", "8:00-18:30")]),
            ("14 bis 16 Uhr", vec![("14 bis 16 Uhr", "14:00–16:00")]),
            ("zwischen 8 und 10 Uhr", vec![("8", "8:00"), ("10 Uhr", "10:00")]),
            ("13.30 bis 15.00 Uhr", vec![("13.30 bis 15.00 Uhr", "13:30–15:00")]),
            ("um 6 Uhr abends essen", vec![("6 Uhr abends", "18:00")]),
            ("um 12 Uhr nachts und um 2 Uhr nachts", vec![("12 Uhr nachts", "0:00"), ("2 Uhr nachts", "2:00")]),
            (
                "um 12 Uhr mittags, um 3 Uhr am Nachmittag",
                vec![("12 Uhr mittags", "12:00"), ("3 Uhr am Nachmittag", "15:00")],
            ),
            ("um 6 Uhr morgens, um 6 Uhr abendsonne", vec![]),
            ("um 20 Uhr 15 an", vec![("20 Uhr 15", "20:15")]),
            ("um 8 Uhr 30.", vec![("8 Uhr 30", "8:30")]),
            ("um 20 Uhr 15 Leute", vec![]),
            ("um 20 Uhr 75", vec![]),
            ("3-5-17 Uhr", vec![]),
            ("A9-17 Uhr", vec![]),
        ] {
            let found: Vec<_> =
                times_of_24_hours(text).into_iter().map(|time| (&text[time.range], time.form)).collect();
            let found: Vec<(&str, &str)> = found.iter().map(|(time, form)| (*time, &**form)).collect();
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn half_hours_are_before_the_hour() {
        let text = "Um halb zwölf, Halb eins, deshalb zwei und halb leer.";
        let found: Vec<_> = half_hours(text).into_iter().map(|time| (&text[time.range], time.form)).collect();
        assert_eq!(
            found,
            [("halb zwölf", "11:30"), ("Halb eins", "12:30")].map(|(time, form)| (time, form.to_owned()))
        );
        let text = "It is a quarter to four, and at quarter to one we give a quarter to two.";
        let found: Vec<_> = parts_of_hours(text).into_iter().map(|(time, form)| (&text[time], form)).collect();
        let expected = [("a quarter to four", "3:45"), ("quarter to one", "12:45")];
        assert_eq!(found, expected.map(|(time, form)| (time, form.to_owned())));
        let text = "At half past eight, half past twelve, half past sixty, behalf past one.";
        let found: Vec<_> = parts_of_hours(text).into_iter().map(|(time, form)| (&text[time], form)).collect();
        let expected = [("half past eight", "8:30"), ("half past twelve", "12:30")];
        assert_eq!(found, expected.map(|(time, form)| (time, form.to_owned())));
    }

    #[test]
    fn zones_stay_with_their_times() {
        assert_eq!(zone(" ET, and"), 3);
        assert_eq!(zone(" GMT"), 4);
        assert_eq!((zone(" ETA"), zone(" at"), zone("ET")), (0, 0, 0));
    }

    #[test]
    fn no_half_of_the_day_is_invented() {
        for (source, translation, expected) in [
            ("Wir kommen um 8 Uhr.", "We'll come at 8pm.", "We'll come at 8:00."),
            ("Wir kommen um 8 Uhr an.", "We arrive at 8 p.m.", "We arrive at 8:00."),
            ("Wir kommen um 8 Uhr.", "We'll come at 8 a.m.", "We'll come at 8 a.m."),
            ("Wir kommen um 8 Uhr.", "We'll come at 18 pm.", "We'll come at 18 pm."),
        ] {
            let mut draft = Draft::aligned(source, &[(translation, source)]);
            drop_invented_halves(source, &mut draft);
            assert_eq!(draft.text(), expected, "{source}");
        }
        assert!(names_half("Um 8 Uhr abends.") && names_half("Am Nachmittag um 3 Uhr") && !names_half("Um 8 Uhr"));
    }

    #[test]
    fn no_half_of_the_day_is_left_behind_such_hours() {
        for (text, expected) in [
            (" p.m., and", 5),
            ("pm.", 2),
            (" p.m.", 4),
            (" p.m...", 6),
            (" pm.", 3),
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
            ("12:00 AM is", vec![(8, "0:00")]),
            ("12 pm", vec![(5, "12:00")]),
            ("10:30pm.", vec![(7, "22:30")]),
            ("9:05 a.m. on", vec![(9, "9:05")]),
            ("1:15 p.m.", vec![(8, "13:15")]),
            ("5 pm", vec![(4, "17:00")]),
            ("9 AM", vec![(4, "9:00")]),
            ("2 and 4 pm", vec![(1, "14:00"), (10, "16:00")]),
            ("9 to 5 pm", vec![(1, "9:00"), (9, "17:00")]),
            ("11 to 12 pm", vec![(2, "11:00"), (11, "12:00")]),
            ("10 to 2 am", vec![(2, "22:00"), (10, "2:00")]),
            ("9 a.m. to 5 p.m.", vec![(6, "9:00"), (15, "17:00")]),
            ("9am-5pm.", vec![(7, "9:00-17:00")]),
            ("2–4:30 pm", vec![(11, "14:00–16:30")]),
            ("13:00 pm", vec![]),
            ("10:75 pm", vec![]),
            ("10:30 amps", vec![]),
            ("10:30", vec![]),
            ("2 and 4", vec![]),
        ] {
            let found = times(text, true);
            let found: Vec<(usize, &str)> = found.iter().map(|(time, form)| (time.end, &**form)).collect();
            assert_eq!(found, expected, "{text}");
        }
        assert!(times("5 am", false).is_empty() && !times("5:30 pm", false).is_empty());
    }
}

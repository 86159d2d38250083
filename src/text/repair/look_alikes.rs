//! Signs that the model is given in a form that it knows, and that come back where it wrote that.
//!
//! A yen sign, which the model has hardly seen, is given as a dollar sign, which it has: "for ¥900" is read as "for $900", and in "für 900 $"
//! the sign becomes the yen sign again. For what stands for what, see [`signs`](super::signs).

use std::ops::Range;

use super::amounts::end_of_size;
use super::draft::{Draft, Side};
use super::numbers::numbers;
use super::taken_out::{operand_after, operand_before};
use super::{Context, Sentence};
use crate::text::language::Language;
use crate::text::segment::joins_previous;

/// A sign, and what the model is given for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LookAlike {
    /// The sign's bytes in the source.
    pub range: Range<usize>,
    /// What the model reads instead.
    pub given: &'static str,
    /// What becomes of it in a translation.
    pub kind: Kind,
}

/// What a sign does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Joins parts of a word, as hyphens do: it occurs as often as the target language has it.
    Joins,
    /// Belongs to a number, and must be there.
    OfNumber,
    /// Stands where it stands in the source, and must be there.
    Stands,
}

/// Turns what was given for signs back into the signs.
pub fn give_back(sentence: &Sentence, draft: &mut Draft) {
    let source = sentence.source;
    let Context { source_language, target_language, .. } = sentence.context;
    for LookAlike { range, given, kind } in &sentence.plan.look_alikes {
        let sign = &source[range.clone()];
        if *kind == Kind::Joins {
            let word = word_around(source, range);
            for place in places(draft, given).into_iter().rev() {
                let inside = draft.text()[..place.start].ends_with(char::is_alphanumeric);
                if inside && draft.is_aligned(&place, &word) {
                    draft.replace(place, sign, Some(range.clone()));
                }
            }
            continue;
        }
        // A sign may be given as itself, and several as the same one.
        let others = source.match_indices(given).any(|(at, _)| at != range.start)
            || sentence.plan.look_alikes.iter().any(|other| other.range != *range && other.given == *given);
        let beside = number_beside(source, source_language, range);
        let belongs = |place: &Range<usize>| match &beside {
            Some(digits) => number_beside(draft.text(), target_language, place).as_ref() == Some(digits),
            None => draft.is_aligned(place, range),
        };
        let found = places(draft, given);
        let place = found.iter().find(|place| belongs(place)).or_else(|| found.first().filter(|_| !others));
        let place = place.cloned();
        match place {
            Some(place) => {
                draft.replace(place.clone(), sign, Some(range.clone()));
                draft.keep(place.start..place.start + sign.len());
            }
            None => put_beside(sentence, range, draft),
        }
    }
}

/// Where a text occurs that is not kept.
fn places(draft: &Draft, text: &str) -> Vec<Range<usize>> {
    let found = draft.text().match_indices(text).map(|(at, _)| at..at + text.len());
    found.filter(|range| !draft.is_kept(range)).collect()
}

/// The word whose parts a sign joins, up to white space.
fn word_around(source: &str, range: &Range<usize>) -> Range<usize> {
    let before = &source[..range.start];
    let start =
        before.rfind(char::is_whitespace).map_or(0, |at| at + before[at..].chars().next().map_or(0, char::len_utf8));
    let after = &source[range.end..];
    start..range.end + after.find(char::is_whitespace).unwrap_or(after.len())
}

/// The digits of the number that a sign stands before, or else after, with or without a word for its size in between.
pub(super) fn number_beside(text: &str, language: Language, range: &Range<usize>) -> Option<String> {
    let digits = |part: &Range<usize>| numbers(&text[part.clone()], &[]).into_iter().next().map(|number| number.digits);
    // "Mio.", "Mrd."
    let before = |end: usize| {
        let part = &text[..end];
        operand_before(text, part.trim_end_matches([' ', '\u{a0}']).strip_suffix('.').map_or(end, str::len))
    };
    let of_size = |word: Range<usize>| {
        let is_size = language.is_size_word(&text[word.clone()].to_lowercase());
        before(word.start).filter(|_| is_size).and_then(|part| digits(&part))
    };
    let behind = || before(range.start).and_then(|part| digits(&part).or_else(|| of_size(part)));
    operand_after(text, range.end).and_then(|part| digits(&part)).or_else(behind)
}

/// Puts back a sign whose look-alike the model left out, beside what it stood beside.
fn put_beside(sentence: &Sentence, range: &Range<usize>, draft: &mut Draft) {
    let Sentence { source, context, .. } = sentence;
    let sign = &source[range.clone()];
    let wanted = number_beside(source, context.source_language, range);
    let number = numbers(draft.text(), &[]).into_iter().find(|number| Some(&number.digits) == wanted.as_ref());
    if let Some(number) = number {
        let at = draft.kept().iter().find(|kept| kept.start < number.range.end && number.range.start < kept.end);
        let end = end_of_size(draft.text(), context.target_language, number.range.end);
        let at = at.map_or(end, |kept| kept.end);
        draft.insert(at, Side::Before, &format!(" {sign}"), source.len());
        return;
    }
    let aligned =
        draft.tokens().iter().filter(|token| token.link.source.end <= range.start && !token.link.source.is_empty());
    let at = aligned.max_by_key(|token| token.link.source.end).map_or(0, |token| token.link.target.end);
    let at = end_of_term(draft.text(), at, context.target_language.spaced);
    let at = draft.kept().iter().find(|kept| kept.start < at && at < kept.end).map_or(at, |kept| kept.end);
    let space = if at > 0 && source[..range.start].ends_with(char::is_whitespace) { " " } else { "" };
    draft.insert(at, Side::Before, &format!("{space}{sign}"), source.len());
}

/// `at`, or the end of the word or number that it is inside of. Where words are not `spaced` apart, only numbers are told.
fn end_of_term(text: &str, at: usize, spaced: bool) -> usize {
    let (before, after) = text.split_at(at);
    let inside = |c: char| if spaced { c.is_alphanumeric() || joins_previous(c) } else { c.is_ascii_digit() };
    if !before.ends_with(|c| inside(c) || matches!(c, '.' | ',')) {
        return at;
    }
    let mut end = 0;
    for (index, c) in after.char_indices() {
        let joins = matches!(c, '.' | ',') && after[index + 1..].starts_with(|c: char| c.is_ascii_digit());
        if !inside(c) && !joins {
            break;
        }
        end = index + c.len_utf8();
    }
    at + end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_put_inside_a_word_or_number() {
        for (text, at, expected) in [
            ("2,550 mehr", 3, 5),
            ("2,550 mehr", 1, 5),
            ("2,550 mehr", 2, 5),
            ("2, mehr", 1, 1),
            ("ein Wort.", 5, 8),
            ("ein Wort.", 3, 3),
            ("ein Wort.", 4, 4),
            ("Größe", 2, 7),
            ("", 0, 0),
        ] {
            assert_eq!(end_of_term(text, at, true), expected, "{text} {at}");
        }
        for (text, at, expected) in [("他说你好", 6, 6), ("他有2,550元", 8, 11)] {
            assert_eq!(end_of_term(text, at, false), expected, "{text} {at}");
        }
    }
}

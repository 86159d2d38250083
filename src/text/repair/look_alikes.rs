//! Signs that the model is given in a form that it knows, and that come back where it wrote that.
//!
//! A yen sign that the model has hardly seen is given as a dollar sign, which it has: "for ¥900" is read as "for $900", and of "für 900 $"
//! the sign becomes the yen's again. What stands for what: [`signs`](super::signs).

use std::ops::Range;

use super::Sentence;
use super::draft::{Draft, Side};
use super::numbers::numbers;
use super::taken_out::{operand_after, operand_before};

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
    /// Joins parts of a word, as hyphens do: it is there as often as the target language has it.
    Joins,
    /// Belongs to a number, and must be there.
    OfNumber,
    /// Stands where it stands in the source, and must be there.
    Stands,
}

/// Makes what was given for signs the signs again.
pub fn give_back(sentence: &Sentence, draft: &mut Draft) {
    let source = sentence.source;
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
        let others = source.matches(given).count() > 0;
        let beside = number_beside(source, range);
        let belongs = |place: &Range<usize>| match &beside {
            Some(digits) => number_beside(draft.text(), place).as_ref() == Some(digits),
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
            None => put_beside(source, range, draft),
        }
    }
}

/// Where a text stands that is not kept.
fn places(draft: &Draft, text: &str) -> Vec<Range<usize>> {
    let found = draft.text().match_indices(text).map(|(at, _)| at..at + text.len());
    found.filter(|range| !draft.is_kept(range)).collect()
}

/// The word that a sign joins the parts of, up to white space.
fn word_around(source: &str, range: &Range<usize>) -> Range<usize> {
    let before = &source[..range.start];
    let start =
        before.rfind(char::is_whitespace).map_or(0, |at| at + before[at..].chars().next().map_or(0, char::len_utf8));
    let after = &source[range.end..];
    start..range.end + after.find(char::is_whitespace).unwrap_or(after.len())
}

/// The digits of the number that a sign stands in front of, or else behind.
pub(super) fn number_beside(text: &str, range: &Range<usize>) -> Option<String> {
    let digits = |part: Range<usize>| numbers(&text[part], &[]).into_iter().next().map(|number| number.digits);
    operand_after(text, range.end).and_then(digits).or_else(|| operand_before(text, range.start).and_then(digits))
}

/// Puts a sign back whose stand-in the model left out, beside what it stood beside.
fn put_beside(source: &str, range: &Range<usize>, draft: &mut Draft) {
    let sign = &source[range.clone()];
    let wanted = number_beside(source, range);
    let number = numbers(draft.text(), &[]).into_iter().find(|number| Some(&number.digits) == wanted.as_ref());
    if let Some(number) = number {
        let at = draft.kept().iter().find(|kept| kept.start < number.range.end && number.range.start < kept.end);
        let at = at.map_or(number.range.end, |kept| kept.end);
        draft.insert(at, Side::Before, &format!(" {sign}"), source.len());
        return;
    }
    let aligned =
        draft.tokens().iter().filter(|token| token.link.source.end <= range.start && !token.link.source.is_empty());
    let at = aligned.max_by_key(|token| token.link.source.end).map_or(0, |token| token.link.target.end);
    let space = if at > 0 && source[..range.start].ends_with(char::is_whitespace) { " " } else { "" };
    draft.insert(at, Side::Before, &format!("{space}{sign}"), source.len());
}

//! What the model is not given, put back beside the words that it stood beside.

use std::ops::Range;

use super::Sentence;
use super::draft::{Draft, Side};
use super::marks::is_mark;
use super::numbers::{self, numbers};
use crate::text::link::overlap;
use crate::text::vocab::Piece;

/// A part of the source that the model is not given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TakenOut {
    /// Bytes in the source, including the white space between it and what it belongs to.
    pub range: Range<usize>,
    /// What it belongs to.
    pub anchor: Anchor,
}

/// What in the source something that was taken out belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// The word that it stands in, after, or else before.
    Word,
    /// A word or number that it precedes.
    InFrontOf(Range<usize>),
    /// A word or number that it follows.
    Behind(Range<usize>),
}

/// Puts back the parts that were taken out and that `such` accepts. Those in unknown pieces and in what must come through are there already.
pub fn put_back(sentence: &Sentence, draft: &mut Draft, such: impl Fn(&Anchor) -> bool) {
    let (source, plan) = (sentence.source, sentence.plan);
    let unknown = sentence.context.source_vocabulary.unknown();
    for TakenOut { range, anchor } in plan.taken_out.iter().filter(|part| such(&part.anchor)) {
        let covers = |other: &Range<usize>| other.start <= range.start && range.end <= other.end;
        let comes_back = |piece: &Piece| piece.id == unknown && !sentence.is_part_of_kept(piece);
        let copied = plan.pieces.iter().any(|piece| comes_back(piece) && covers(&piece.range()));
        if copied || plan.kept.iter().any(|kept| covers(&kept.range)) {
            continue;
        }
        let text = &source[range.clone()];
        match anchor {
            Anchor::Word => put_back_mark(source, range, draft),
            Anchor::InFrontOf(word) => match in_front_of(source, word, draft) {
                Some(at) => {
                    let at = closed_up(source, range, at, draft);
                    draft.insert(at, Side::After, text, source.len());
                }
                None => put_back_alone(source, range, draft),
            },
            Anchor::Behind(word) => match behind(source, word, draft) {
                Some(at) => draft.insert(at, Side::Before, text, source.len()),
                None => put_back_alone(source, range, draft),
            },
        }
    }
}

/// The place, without the space before it if what stands there touches the part in the source.
fn closed_up(source: &str, range: &Range<usize>, at: usize, draft: &mut Draft) -> usize {
    let touching = source[..range.start].chars().next_back().filter(|c| !c.is_whitespace());
    let before = draft.text()[..at].strip_suffix(' ');
    if touching.is_some() && before.is_some_and(|before| before.chars().next_back() == touching) {
        draft.replace(at - 1..at, "", None);
        return at - 1;
    }
    at
}

/// Puts back what belongs to a word that the model left out: after what stood before it, with a space.
fn put_back_alone(source: &str, range: &Range<usize>, draft: &mut Draft) {
    let text = source[range.clone()].trim();
    match behind_mark(source, range, draft) {
        Some(at) => draft.insert(at, Side::Before, &format!(" {text}"), source.len()),
        None => draft.insert(0, Side::After, &format!("{text} "), source.len()),
    }
}

fn put_back_mark(source: &str, mark: &Range<usize>, draft: &mut Draft) {
    let (before, after) = (&source[..mark.start], &source[mark.end..]);
    let spaced = before.is_empty() || before.ends_with(char::is_whitespace);
    let alone = spaced && (after.is_empty() || after.starts_with(char::is_whitespace));
    let rest = &source[mark.end..];
    let word = mark.end..mark.end + word_length(rest.chars());
    let (at, side) = match if spaced && !alone { in_front_of(source, &word, draft) } else { None } {
        Some(at) => (at, Side::After),
        None => behind_mark(source, mark, draft).map_or((0, Side::After), |at| (at, Side::Before)),
    };
    let space = if alone && side == Side::Before { " " } else { "" };
    draft.insert(at, side, &format!("{space}{}", &source[mark.clone()]), source.len());
}

/// Where the translation has a number of the source, if the part is one: of those of equal value, the one aligned to it, or the first.
fn number_at(source: &str, part: &Range<usize>, draft: &Draft) -> Option<Range<usize>> {
    let wanted = numbers(&source[part.clone()], &[]);
    let [number] = &wanted[..] else { return None };
    let found = numbers(draft.text(), &[]);
    let mut equal = found.iter().filter(|other| other.digits == number.digits).map(|other| other.range.clone());
    let aligned = equal.clone().find(|range| draft.is_aligned(range, part));
    aligned.or_else(|| equal.next())
}

/// The place before what a part of the source became.
fn in_front_of(source: &str, part: &Range<usize>, draft: &Draft) -> Option<usize> {
    if let Some(number) = number_at(source, part, draft) {
        return Some(outside_kept(draft, number.start));
    }
    let token = draft.tokens_from(part.clone()).next()?;
    let (text, target) = (draft.text(), &token.link.target);
    let mut at = target.end - text[target.clone()].trim_start().len();
    while text[at..].starts_with(char::is_alphanumeric)
        && let Some(previous) = text[..at].chars().next_back().filter(|c| c.is_alphanumeric())
    {
        at -= previous.len_utf8();
    }
    // A token may begin in the middle of a number: ",1".
    let inside = numbers(text, &[]).into_iter().find(|number| number.range.start < at && at < number.range.end);
    Some(outside_kept(draft, inside.map_or(at, |number| number.range.start)))
}

/// The place after what a part of the source became.
fn behind(source: &str, part: &Range<usize>, draft: &Draft) -> Option<usize> {
    if let Some(number) = number_at(source, part, draft) {
        return Some(draft.kept().iter().find(|kept| overlap(kept, &number)).map_or(number.end, |kept| kept.end));
    }
    let end = draft.tokens_from(part.clone()).next_back()?.link.target.end;
    Some(end_of_word(draft, end))
}

/// The place after what became of the word that a mark stands in or after, or else of what stands before that.
fn behind_mark(source: &str, mark: &Range<usize>, draft: &Draft) -> Option<usize> {
    let before = source[..mark.start].trim_end_matches(|c: char| c.is_whitespace() || is_mark(c));
    let start = before.len() - word_length(before.chars().rev());
    let in_word = before.len() == mark.start && before.ends_with(char::is_alphanumeric);
    let rest = &source[mark.end..];
    let end = if in_word && rest.starts_with(char::is_alphanumeric) {
        mark.end + word_length(rest.chars())
    } else {
        before.len()
    };
    let token = draft.tokens_from(start..end).next_back().or_else(|| {
        let earlier = draft.tokens_from(0..start);
        earlier.max_by_key(|token| (token.link.source.start, token.link.source.end))
    })?;
    Some(end_of_word(draft, token.link.target.end))
}

fn end_of_word(draft: &Draft, at: usize) -> usize {
    let rest = &draft.text()[at..];
    let end = at + rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
    let number =
        numbers(draft.text(), &[]).into_iter().find(|number| number.range.start < end && end < number.range.end);
    let end = number.map_or(end, |number| number.range.end);
    draft.kept().iter().find(|kept| kept.start < end && end < kept.end).map_or(end, |kept| kept.end)
}

fn outside_kept(draft: &Draft, at: usize) -> usize {
    draft.kept().iter().find(|kept| kept.start < at && at < kept.end).map_or(at, |kept| kept.start)
}

/// Length in bytes of the letters and digits that come first, or of the first character if that is neither.
fn word_length(characters: impl Iterator<Item = char> + Clone) -> usize {
    let word: usize = characters.clone().take_while(|c| c.is_alphanumeric()).map(char::len_utf8).sum();
    if word > 0 { word } else { characters.take(1).map(char::len_utf8).sum() }
}

/// A number or word of the source that ends at `end`, apart from one space: for anchors.
pub(super) fn operand_before(source: &str, end: usize) -> Option<Range<usize>> {
    let text = &source[..end];
    let trimmed = text.strip_suffix([' ', '\u{a0}', '\u{202f}', '\u{2009}']).unwrap_or(text);
    let number = numbers::number_ending(trimmed);
    let length =
        number.unwrap_or_else(|| trimmed.chars().rev().take_while(|c| c.is_alphanumeric()).map(char::len_utf8).sum());
    (length > 0).then(|| trimmed.len() - length..trimmed.len())
}

/// A number or word of the source that starts at `start`, apart from one space.
pub(super) fn operand_after(source: &str, start: usize) -> Option<Range<usize>> {
    let text = &source[start..];
    let trimmed = text.strip_prefix([' ', '\u{a0}', '\u{202f}', '\u{2009}']).unwrap_or(text);
    let start = source.len() - trimmed.len();
    let length = numbers::number_starting(trimmed)
        .unwrap_or_else(|| trimmed.chars().take_while(|c| c.is_alphanumeric()).map(char::len_utf8).sum());
    (length > 0).then_some(start..start + length)
}

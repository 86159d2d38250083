//! What a small model says over and over.
//!
//! Where a model does not know how to go on, it may say the same again: "zu Fuß zu Fuß zu Fuß zu Fuß zu gehen". What follows is often right,
//! so the copies are taken out and the rest stays.

use super::{Sentence, Written};
use crate::text::vocab::{Piece, Vocabulary};
use std::ops::Range;

/// Length of the longest block that is looked for, in pieces.
const LONGEST: usize = 32;

/// A block of pieces said several times in a row.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Run {
    start: usize,
    /// How many pieces the block has.
    length: usize,
    /// How often it occurs, at least twice.
    copies: usize,
}

/// The runs of blocks of `length` pieces.
///
/// `ids[i] == ids[i + length]` for n indices i in a row means that n + length pieces have that period, which hold
/// n / length + 1 whole copies, whichever piece one starts from.
fn runs<T: PartialEq>(ids: &[T], length: usize) -> impl Iterator<Item = Run> {
    let mut start = 0;
    let last = ids.len().saturating_sub(length);
    std::iter::from_fn(move || {
        while start < last {
            let equal = (start..last).take_while(|&i| ids[i] == ids[i + length]).count();
            let run = Run { start, length, copies: equal / length + 1 };
            start += equal + 1;
            if run.copies > 1 {
                return Some(run);
            }
        }
        None
    })
}

/// The pieces of a translation to take out so that nothing is said over and over that is not in the source. Of three or more copies in a
/// row, or of two copies of several words, one stays, or as many as the source has of anything.
fn superfluous(source: &[Piece], words: &[u32], vocabulary: &Vocabulary) -> Option<Range<usize>> {
    let source: Vec<u32> = source.iter().map(|piece| piece.id).collect();
    let lengths = |ids: &[u32]| 1..=LONGEST.min(ids.len() / 2);
    let allowed = || {
        let copies = lengths(&source).flat_map(|length| runs(&source, length)).map(|run| run.copies);
        copies.max().unwrap_or(1)
    };
    let pieces = |range: Range<usize>| words[range].iter().filter_map(|&id| vocabulary.piece(id));
    let is_loop = |run: &Run| {
        let block = run.start..run.start + run.length;
        let is_long = run.length > 2 && pieces(block.clone()).filter(|piece| piece.starts_with('▁')).count() > 1;
        (run.copies > 2 || is_long)
            // Not zeros of a number, lines of a table, the places of unknown words.
            && pieces(block.clone()).any(|piece| piece.contains(char::is_alphabetic))
            && !words[block].contains(&vocabulary.unknown())
    };
    let mut found = lengths(words).flat_map(|length| runs(words, length)).filter(is_loop).peekable();
    found.peek()?;
    let allowed = allowed();
    let run = found.find(|run| run.copies > allowed)?;
    Some(run.start + allowed * run.length..run.start + run.copies * run.length)
}

/// Takes out of a translation what is said over and over but not in the source, and with the words their alignment and, if there
/// are any, their attention and log-probabilities.
pub fn collapse(sentence: &Sentence, written: &mut Written) {
    let Written { words, alignment, attention, log_probabilities } = written;
    while let Some(range) = superfluous(&sentence.plan.pieces, words, sentence.context.target_vocabulary) {
        words.drain(range.clone());
        alignment.drain(range.clone());
        if !attention.is_empty() {
            attention.drain(range.clone());
        }
        if !log_probabilities.is_empty() {
            log_probabilities.drain(range);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_found_whatever_they_start_from() {
        let found = |text: &str, length| runs(text.as_bytes(), length).collect::<Vec<_>>();
        assert_eq!(found("xabababy", 2), [Run { start: 1, length: 2, copies: 3 }]);
        assert_eq!(found("xababay", 2), [Run { start: 1, length: 2, copies: 2 }]);
        assert_eq!(found("aabbb", 1), [Run { start: 0, length: 1, copies: 2 }, Run { start: 2, length: 1, copies: 3 }]);
        assert_eq!(found("abcab", 3), []);
        assert_eq!(found("", 1), []);
        assert_eq!(found("ab", 5), []);
    }
}

//! Characters that no translation model knows and that must not be lost: control characters, zero-width characters and marks of
//! direction.
//!
//! SentencePiece's normalizer deletes them, turns them into spaces, or leaves them in the middle of a word that the model then does
//! not recognize. So the model gets the text without them, and each comes back where it stood: after the words aligned to what it
//! stood after or in, or, at the start of a word, before the words aligned to that. Soft hyphens do not come back: they say where
//! the source's word may be broken, which means nothing for another word.

use std::ops::Range;

use super::draft::Draft;
use super::taken_out::{self, Anchor, TakenOut};
use super::{Preparation, Sentence};
use crate::text::segment::is_invisible;

/// Whether a character is one of them. U+FFFD, which stands for half a surrogate pair, and U+2581, which stands for spaces in pieces, are
/// visible, but normalizers turn them into spaces as well.
pub fn is_mark(c: char) -> bool {
    c.is_control() && !c.is_whitespace() || is_invisible(c) || matches!(c, '\u{fffd}' | '\u{2581}')
}

/// Where marks stand in a text; adjacent ones as one.
fn find(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for (start, c) in text.char_indices().filter(|(_, c)| is_mark(*c)) {
        let end = start + c.len_utf8();
        match found.last_mut() {
            Some(last) if last.end == start => last.end = end,
            _ => found.push(start..end),
        }
    }
    found
}

/// Takes the marks out of what the model is given.
pub fn prepare(preparation: &mut Preparation) {
    for range in find(preparation.source) {
        let added = preparation.substitutions.add(range.clone(), "");
        if added && preparation.source[range.clone()].contains(|c| c != SOFT_HYPHEN) {
            preparation.taken_out.push(TakenOut { range, anchor: Anchor::Word });
        }
    }
}

/// Puts the marks back.
pub fn repair(sentence: &Sentence, draft: &mut Draft) {
    taken_out::put_back(sentence, draft, |anchor| *anchor == Anchor::Word);
}

const SOFT_HYPHEN: char = '\u{ad}';

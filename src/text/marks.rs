//! Characters that no translation model knows and that must not be lost: control characters, zero-width characters and marks of
//! direction.
//!
//! SentencePiece's normalizer deletes them, makes them spaces, or leaves them in the middle of a word that the model then does
//! not recognize. So the model gets the text without them, and each comes back where it stood: behind the words aligned to what it
//! stood behind or in, or, at the start of a word, in front of the words aligned to that.

use std::ops::Range;

use super::restore::{Restored, RestoredToken};
use super::segment::is_invisible;
use super::vocab::{Piece, Vocabulary};

/// Whether a character is one of them. U+FFFD, which stands for half a surrogate pair, and U+2581, which stands for spaces in pieces, are
/// visible, but normalizers make spaces of them as well.
pub fn is_mark(c: char) -> bool {
    c.is_control() && !c.is_whitespace() || is_invisible(c) || matches!(c, '\u{fffd}' | '\u{2581}')
}

/// Where marks stand in a text; those side by side as one.
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

/// The pieces of `text` without its marks; `join` may still work on them, together with the text that they are of. Their ranges
/// are then made those in `text`, where a mark belongs to what it stands behind.
pub fn encode(vocabulary: &Vocabulary, text: &str, join: impl FnOnce(&str, &mut Vec<Piece>)) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let marks = find(text);
    if marks.is_empty() {
        vocabulary.encode(text, &mut pieces);
        join(text, &mut pieces);
        return pieces;
    }
    let plain: String = text.chars().filter(|&c| !is_mark(c)).collect();
    vocabulary.encode(&plain, &mut pieces);
    join(&plain, &mut pieces);
    // Both ascend, and so do starts and ends.
    let original = || {
        let mut marks = marks.iter().peekable();
        let mut dropped = 0;
        move |place: &mut usize| {
            while let Some(mark) = marks.next_if(|mark| mark.start <= *place + dropped) {
                dropped += mark.len();
            }
            *place += dropped;
        }
    };
    let (mut start, mut end) = (original(), original());
    for piece in &mut pieces {
        start(&mut piece.start);
        end(&mut piece.end);
    }
    pieces
}

/// Puts the marks of `source` into its translation. Those in unknown pieces are there already.
pub(super) fn put_back(source: &str, pieces: &[Piece], unknown: u32, restored: &mut Restored) {
    for mark in find(source) {
        let copied = |piece: &Piece| piece.id == unknown && piece.start <= mark.start && mark.end <= piece.end;
        if pieces.iter().any(copied) {
            continue;
        }
        let (before, after) = (&source[..mark.start], &source[mark.end..]);
        let spaced = before.is_empty() || before.ends_with(char::is_whitespace);
        let alone = spaced && (after.is_empty() || after.starts_with(char::is_whitespace));
        let place = Place { source, restored };
        let (at, leads) = match if spaced && !alone { place.in_front(mark.end) } else { None } {
            Some(at) => (at, true),
            None => place.behind(&mark).map_or((0, true), |at| (at, false)),
        };
        let space = if alone && !leads { " " } else { "" };
        insert(restored, at, leads, &format!("{space}{}", &source[mark]), source.len());
    }
}

/// Finds places in a translation.
struct Place<'a> {
    source: &'a str,
    restored: &'a Restored,
}

impl Place<'_> {
    /// The tokens that say something and come from these bytes of the source.
    fn tokens(&self, from: Range<usize>) -> impl DoubleEndedIterator<Item = &RestoredToken> {
        self.restored.tokens.iter().filter(move |token| {
            token.source.start < from.end
                && from.start < token.source.end
                && !self.restored.text[token.target.clone()].trim().is_empty()
        })
    }

    /// In front of what the word that starts at `start` became.
    fn in_front(&self, start: usize) -> Option<usize> {
        let rest = &self.source[start..];
        let token = self.tokens(start..start + word_length(rest.chars())).next()?;
        let text = &self.restored.text;
        let mut at = token.target.end - text[token.target.clone()].trim_start().len();
        while text[at..].starts_with(char::is_alphanumeric)
            && let Some(previous) = text[..at].chars().next_back().filter(|c| c.is_alphanumeric())
        {
            at -= previous.len_utf8();
        }
        Some(at)
    }

    /// Behind what became of the word that the mark stands in or behind, or else of what stands before that.
    fn behind(&self, mark: &Range<usize>) -> Option<usize> {
        let before = self.source[..mark.start].trim_end_matches(|c: char| c.is_whitespace() || is_mark(c));
        let start = before.len() - word_length(before.chars().rev());
        let in_word = before.len() == mark.start && before.ends_with(char::is_alphanumeric);
        let rest = &self.source[mark.end..];
        let end = if in_word && rest.starts_with(char::is_alphanumeric) {
            mark.end + word_length(rest.chars())
        } else {
            before.len()
        };
        let token = self.tokens(start..end).next_back().or_else(|| {
            let earlier = self.tokens(0..start);
            earlier.max_by_key(|token| (token.source.start, token.source.end))
        })?;
        let rest = &self.restored.text[token.target.end..];
        Some(token.target.end + rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len()))
    }
}

/// Bytes of the letters and digits that come first, or of the first character if that is neither.
fn word_length(characters: impl Iterator<Item = char> + Clone) -> usize {
    let word: usize = characters.clone().take_while(|c| c.is_alphanumeric()).map(char::len_utf8).sum();
    if word > 0 { word } else { characters.take(1).map(char::len_utf8).sum() }
}

/// Inserts `mark` at `at`; it becomes a part of the token behind it if it `leads`, else of that before.
pub(super) fn insert(restored: &mut Restored, at: usize, leads: bool, mark: &str, end_of_sentence: usize) {
    restored.text.insert_str(at, mark);
    let leads = leads || at == 0;
    let mut taken = false;
    for RestoredToken { target, .. } in &mut restored.tokens {
        let takes = !taken && if leads { target.end > at } else { target.start < at && target.end >= at };
        taken |= takes;
        if takes {
            target.end += mark.len();
        } else if target.start >= at && (taken || !leads) {
            *target = target.start + mark.len()..target.end + mark.len();
        }
    }
    if !taken {
        let token = RestoredToken { target: at..at + mark.len(), source: end_of_sentence..end_of_sentence, id: None };
        restored.tokens.push(token);
    }
}

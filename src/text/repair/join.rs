//! From the pieces that the model wrote to a draft, with the characters that the vocabulary lacks (emoji, foreign scripts, rare signs).
//!
//! The model sees each run of them as one `<unk>` and mostly writes nothing for it. The word alignment says where it belongs:
//! - an `<unk>` that the model did write is the source's `<unk>` it is aligned to, or the nearest one not taken yet;
//! - any other is put after the words aligned to what stands before it in the source, or, if it touches what follows and not what
//!   precedes ("<b"), before the words aligned to what follows.
//!
//! White space around it is as in the source. So each is in the translation exactly once. (Copying by attention follows Luong et al.,
//! "Addressing the Rare Word Problem", 2015, section 3.)

use super::draft::Draft;
use super::marks::is_mark;
use crate::text::language::is_latin_letter;
use crate::text::vocab::{Piece, Vocabulary};

/// Joins each `<unk>` with the pieces that touch it and are of another script than Latin, since the parts of such a word that happen to be in
/// the vocabulary mean nothing by themselves: "Привет" becomes one `<unk>`. `unknown` is its id.
pub fn join_foreign_words(text: &str, pieces: &mut Vec<Piece>, unknown: u32) {
    if pieces.iter().all(|piece| piece.id != unknown) {
        return;
    }
    let surface = |piece: &Piece| &text[piece.range()];
    let is_foreign = |piece: &Piece| {
        let word = surface(piece).trim_start();
        !word.is_empty()
            && word.chars().all(|c| c.is_alphabetic() && !is_latin_letter(c) || ('\u{300}'..'\u{370}').contains(&c))
    };
    let mut joined: Vec<Piece> = Vec::with_capacity(pieces.len());
    // Runs of foreign pieces without white space between them: if one is unknown, all are.
    for run in pieces.chunk_by(|a, b| {
        (is_foreign(a) || a.id == unknown)
            && (is_foreign(b) || b.id == unknown)
            && !surface(b).starts_with(char::is_whitespace)
    }) {
        if run.len() > 1 && run.iter().any(|piece| piece.id == unknown) {
            joined.push(Piece { id: unknown, start: run[0].start, end: run[run.len() - 1].end });
        } else {
            joined.extend_from_slice(run);
        }
    }
    *pieces = joined;
}

/// Decodes `ids` with the source's unknown characters in their places. `source` is the source sentence, `pieces` its pieces
/// with ranges in it, `unknown` the source vocabulary's `<unk>` and `alignment` for each id the
/// index of the piece it is aligned to (past the end for the end of the sentence).
pub fn join(
    vocabulary: &Vocabulary,
    ids: &[u32],
    source: &str,
    pieces: &[Piece],
    unknown: u32,
    alignment: &[usize],
) -> Draft {
    let decoded = vocabulary.decode_with(ids, |_| Some(""));
    let aligned = |index: usize| alignment.get(index).copied().unwrap_or(pieces.len()).min(pieces.len());
    let mut missing: Vec<usize> = (0..pieces.len())
        .filter(|&piece| pieces[piece].id == unknown && !source[pieces[piece].range()].trim().is_empty())
        .collect();

    // For each place in the translation (before token `i`, or the end), the pieces to put there, and for which id.
    let mut insertions: Vec<(usize, usize, Option<usize>)> = Vec::new();
    let mut written: Vec<usize> = (0..ids.len()).filter(|&index| ids[index] == vocabulary.unknown()).collect();
    // Those aligned exactly take theirs before others take the nearest.
    written.sort_by_key(|&index| !missing.contains(&aligned(index)));
    for index in written {
        let nearest = missing.iter().enumerate().min_by_key(|(_, piece)| piece.abs_diff(aligned(index)));
        if let Some((position, _)) = nearest {
            insertions.push((index, missing.remove(position), Some(index)));
        }
    }
    for piece in missing {
        insertions.push((place(vocabulary, ids, source, pieces, piece, &aligned), piece, None));
    }
    insertions.sort_unstable();

    let mut draft = Draft::default();
    let mut insertions = insertions.into_iter().peekable();
    let mut pending_space = false;
    // The piece that was put back last.
    let mut last = None;
    for (index, id) in ids.iter().map(Some).chain([None]).enumerate() {
        while let Some((_, piece, written)) = insertions.next_if(|(place, ..)| *place == index) {
            let Piece { start, end, .. } = pieces[piece];
            let surface = &source[start..end];
            let spaced = ends_with_space(&source[..start]) || surface.starts_with(char::is_whitespace);
            let text = draft.text();
            let space = (spaced || pending_space) && !text.is_empty() && !text.ends_with(char::is_whitespace);
            draft.push(space, surface.trim(), start..end, written);
            pending_space = starts_with_space(&source[end..]) || surface.ends_with(char::is_whitespace);
            last = Some(piece);
        }
        let Some(id) = id else { break };
        let range = &decoded.ranges[index];
        let text = &decoded.text[range.clone()];
        // The first word's own space is gone; after something that was put before it, it needs one, unless that stood there in the source.
        let is_first = range.start == 0 && vocabulary.piece(*id).is_some_and(|piece| piece.starts_with('\u{2581}'));
        let apart = is_first && last.is_some_and(|piece| aligned(index) != piece + 1);
        let space = (pending_space || apart) && text.starts_with(char::is_alphanumeric);
        pending_space &= text.is_empty();
        if *id == vocabulary.unknown() {
            continue;
        }
        // A piece's own space is one too many after a restored character that brought one.
        let doubled = draft.text().ends_with(' ') && text.starts_with(' ') && range.start > 0;
        let text = if doubled { &text[1..] } else { text };
        let source = pieces.get(aligned(index)).map_or(source.len()..source.len(), Piece::range);
        draft.push(space, text, source, Some(index));
    }
    draft
}

fn ends_with_space(text: &str) -> bool {
    text.trim_end_matches(is_mark).ends_with(char::is_whitespace)
}

fn starts_with_space(text: &str) -> bool {
    text.trim_start_matches(is_mark).starts_with(char::is_whitespace)
}

/// The index of the token before which the unknown piece belongs.
fn place(
    vocabulary: &Vocabulary,
    ids: &[u32],
    source: &str,
    pieces: &[Piece],
    piece: usize,
    aligned: &dyn Fn(usize) -> usize,
) -> usize {
    let Piece { start, end, .. } = pieces[piece];
    let touches_previous = start > 0 && !ends_with_space(&source[..start]);
    let touches_next = end < source.len() && !starts_with_space(&source[end..]);
    let starts_word = |index: usize| {
        ids.get(index)
            .is_none_or(|&id| vocabulary.piece(id).is_none_or(|text| !text.starts_with(char::is_alphanumeric)))
    };
    if touches_next
        && !touches_previous
        && let Some(first) = (0..ids.len()).find(|&index| aligned(index) == piece + 1)
    {
        return first;
    }
    for previous in (0..piece).rev() {
        if let Some(last) = (0..ids.len()).rev().find(|&index| aligned(index) == previous) {
            let mut place = last + 1;
            // Not into the middle of a word, unless it stood in one.
            while !touches_previous && place < ids.len() && !starts_word(place) {
                place += 1;
            }
            return place;
        }
    }
    0
}

//! Letters that stand for what the vocabulary lacks while the model reads and writes.
//!
//! Small models have hardly seen `<unk>` and write nonsense around it: "In Japanese, 猫 means cat." became "In Japanisch bedeutet . 猫» cat«.". A
//! capital letter on its own they take for a name and copy, and what stands around it comes out as in any sentence. So each emoji, foreign word
//! or word with an unknown letter is given to the model as a letter that the sentence does not have, and where the model writes that letter,
//! [`join`](super::join::join) finds an `<unk>` aligned to what it stands for. The same is done with formulas and other parts that mean nothing
//! to the model ([`Kept::stood_for`](super::Kept::stood_for)).

use std::ops::Range;

use super::{Context, Kept, Plan, Sentence, Written, verbatim};
use crate::text::segment::is_picture;
use crate::text::vocab::Piece;

/// In the order in which they are taken. "A" and "I" are words, "C" and others are grades, notes and units.
const LETTERS: [&str; 7] = ["X", "Y", "Z", "Q", "W", "V", "K"];

/// A letter and the piece that it stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StandIn {
    /// The index of the piece.
    pub piece: usize,
    /// The letter's id in the source's vocabulary.
    pub source: u32,
    /// Its ids in the target's vocabulary, at a word's start and within a word.
    target: [Option<u32>; 2],
}

/// Chooses letters for unknown pieces that are words or signs of their own, whose pieces are joined into one, and for what the plan wants
/// stood for. Words with letters that the vocabulary lacks must come through from then on, and are stood for as a whole.
pub fn choose(context: &Context, plan: &mut Plan, text: &str) {
    let (source, target) = (context.source_vocabulary, context.target_vocabulary);
    let unknown = source.unknown();
    let wanted: Vec<Range<usize>> =
        plan.kept.iter().filter(|kept| kept.stood_for).map(|kept| kept.range.clone()).collect();
    if wanted.is_empty() && plan.pieces.iter().all(|piece| piece.id != unknown) {
        return;
    }
    add_unknown_words(text, unknown, plan);
    let verbatim = plan.kept_ranges();
    let words = |word: &str, letter: &str| word.split(|c: char| !c.is_alphanumeric()).any(|word| word == letter);
    let is_free = |letter: &str| !words(text, letter) && !words(&plan.given, letter);
    let mut letters = LETTERS.iter().filter(|letter| is_free(letter)).filter_map(|letter| {
        let initial = format!("▁{letter}");
        let target = [target.id(&initial), target.id(letter)];
        let initial = source.id(&initial)?;
        target[0].map(|_| ([initial, source.id(letter).unwrap_or(initial)], target))
    });
    let pieces = &mut plan.pieces;
    let mut at = 0;
    while at < pieces.len() {
        let own = pieces[at].range();
        let starts = |range: &&Range<usize>| own.start < range.end && range.start < own.end;
        let is_wanted = || wanted.iter().any(|range| starts(&range) && !text[own.clone()].trim().is_empty());
        if (pieces[at].id == unknown || is_wanted())
            && let Some((first, last)) = whole(text, &verbatim, pieces, at)
        {
            let Some(([initial, within], target)) = letters.next() else { break };
            let joined = Piece { id: unknown, start: pieces[first].start, end: pieces[last].end };
            pieces.splice(first..=last, [joined]);
            let surface = &text[joined.range()];
            let before = text[..joined.end - surface.trim_start().len()].chars().next_back();
            // After a bracket or quotation mark, no new word begins.
            let letter = if before.is_none_or(|c| c.is_whitespace() || c.is_alphanumeric()) { initial } else { within };
            plan.stand_ins.push(StandIn { piece: first, source: letter, target });
            at = first;
        }
        at += 1;
    }
}

/// Makes the words with letters that the vocabulary lacks come through whole: their known parts mean nothing by themselves.
fn add_unknown_words(text: &str, unknown: u32, plan: &mut Plan) {
    let mut found: Vec<Range<usize>> = Vec::new();
    for piece in plan.pieces.iter().filter(|piece| piece.id == unknown) {
        let letter = text[piece.range()].char_indices().find(|(_, c)| c.is_alphabetic());
        let Some(at) = letter.map(|(index, _)| piece.start + index) else { continue };
        let surface = &text[piece.range()];
        let piece_end = piece.start + surface.trim_end().len();
        if let Some(last) = found.last_mut().filter(|last| last.end > at) {
            last.end = last.end.max(piece_end);
            continue;
        }
        let in_word = |c: &char| c.is_alphanumeric() || verbatim::is_mark(*c) || matches!(c, '\'' | '’');
        let before: usize = text[..at].chars().rev().take_while(in_word).map(char::len_utf8).sum();
        let after: usize = text[at..].chars().take_while(in_word).map(char::len_utf8).sum();
        let word = &text[at - before..at + after];
        let word = verbatim::without_genitive(word.trim_start_matches(['\'', '’']));
        let start = word.as_ptr() as usize - text.as_ptr() as usize;
        // What the vocabulary lacks after the word is part of the same piece, and comes back with it.
        let end = (start + word.len()).max(piece_end);
        found.push(start.min(piece.end - surface.trim_start().len())..end);
    }
    for word in found {
        // What it overlaps is part of it.
        let (mut start, mut end) = (word.start, word.end);
        plan.kept.retain(|kept| {
            let touches = kept.range.start < end && start < kept.range.end;
            if touches {
                (start, end) = (start.min(kept.range.start), end.max(kept.range.end));
            }
            !touches
        });
        let at = plan.kept.partition_point(|kept| kept.range.start < start);
        plan.kept.insert(at, Kept::exactly(start..end));
    }
}

/// The first and last of the pieces that make up the word or sign that a piece is part of, if they belong to nothing else.
fn whole(text: &str, verbatim: &[Range<usize>], pieces: &[Piece], at: usize) -> Option<(usize, usize)> {
    let without_space = |range: Range<usize>| {
        let surface = &text[range.clone()];
        let start = range.end - surface.trim_start().len();
        start..start + surface.trim().len()
    };
    let own = without_space(pieces[at].range());
    if own.is_empty() {
        return None;
    }
    let span = verbatim.iter().find(|span| span.start <= own.start && own.end <= span.end).cloned().unwrap_or(own);
    let first = pieces.iter().position(|piece| piece.end > span.start)?;
    let last = pieces.iter().rposition(|piece| piece.start < span.end)?;
    let alone = text[span.clone()].chars().all(is_picture)
        || !text[..span.start].ends_with(char::is_alphanumeric) && !text[span.end..].starts_with(char::is_alphanumeric);
    // The space before it may be a piece of its own.
    let space = first > 0 && text[pieces[first - 1].range()].trim().is_empty();
    let covered = without_space(pieces[first].start..pieces[last].end) == span;
    (alone && covered).then_some((if space { first - 1 } else { first }, last))
}

/// Turns the letters that the model wrote into `<unk>`, each aligned to what it stands for. Letters that go on as words are left alone.
pub fn resolve(sentence: &Sentence, written: &mut Written) {
    let vocabulary = sentence.context.target_vocabulary;
    let Written { words, alignment, .. } = written;
    let continues = |id: Option<&u32>| {
        id.and_then(|&id| vocabulary.piece(id)).is_some_and(|piece| piece.starts_with(char::is_alphanumeric))
    };
    for index in 0..words.len() {
        let stand_in = sentence.plan.stand_ins.iter().find(|stand_in| stand_in.target.contains(&Some(words[index])));
        if let Some(stand_in) = stand_in
            && !continues(words.get(index + 1))
            && let Some(aligned) = alignment.get_mut(index)
        {
            words[index] = vocabulary.unknown();
            *aligned = stand_in.piece;
        }
    }
}

//! Sentences that are longer than a model takes, cut into parts.

use std::ops::Range;

use super::boundaries::is_wide_stop;
use super::edges::trim;
use super::stops::first_word;
use crate::text::language::Language;
use crate::text::vocab::Vocabulary;

/// Cuts the sentence `range` of `text` into parts of at most `max_pieces` pieces each, if it has more: after a semicolon or colon, a comma or
/// dash, before a conjunction, at white space, or as a last resort between characters, in parts of about equal length. Parts
/// have no white space at the ends; what lies between them is to be kept. Nothing is lost, and only a single character that
/// makes more than `max_pieces` pieces stays longer than that.
pub fn split_long(
    vocabulary: &Vocabulary,
    language: Language,
    text: &str,
    range: Range<usize>,
    max_pieces: usize,
) -> Vec<Range<usize>> {
    let max_pieces = max_pieces.max(1);
    let mut parts = Vec::new();
    let mut pieces = Vec::new();
    // Parts still to be looked at, the next one last. A part can turn out longer than the cut meant it to be, since a word cut in two has
    // other pieces.
    let mut pending = vec![range];
    while let Some(range) = pending.pop() {
        let range = trim(text, range, char::is_whitespace);
        pieces.clear();
        vocabulary.encode(&text[range.clone()], &mut pieces);
        let characters = text[range.clone()].chars().nth(1).is_some();
        if pieces.len() <= max_pieces || !characters {
            if !range.is_empty() {
                parts.push(range);
            }
            continue;
        }
        let count = pieces.len().div_ceil(max_pieces);
        let mut cuts = Vec::with_capacity(count);
        let mut start = 0;
        for part in 0..count - 1 {
            // Where this part would end if the rest were shared out evenly, and how far from there a good place may lie.
            let ideal = start + (pieces.len() - start).div_ceil(count - part);
            let last = (start + max_pieces).min(pieces.len() - 1);
            let ideal = ideal.min(last);
            let first = (ideal - (ideal - start) / 2).max(start + 1);
            let last = last.min(ideal + (ideal - start) / 2).max(first);
            let best = (first..=last).max_by_key(|&piece| {
                let place = range.start + pieces[piece].start;
                (quality_of_cut(text, language, &range, place), std::cmp::Reverse(piece.abs_diff(ideal)))
            });
            let Some(best) = best else { break };
            cuts.push(range.start + pieces[best].start);
            start = best;
            if start + 1 >= pieces.len() {
                break;
            }
        }
        cuts.retain(|&cut| cut > range.start && cut < range.end);
        cuts.dedup();
        if cuts.is_empty() {
            // Every piece border lies inside one character: cut after the first, so that there is progress.
            cuts.extend(text[range.clone()].char_indices().nth(1).map(|(index, _)| range.start + index));
        }
        let mut end = range.end;
        for cut in cuts.into_iter().rev() {
            pending.push(cut..end);
            end = cut;
        }
        pending.push(range.start..end);
    }
    parts
}

/// How good a place is for a cut; higher is better.
fn quality_of_cut(text: &str, language: Language, range: &Range<usize>, place: usize) -> u8 {
    let (before, after) = (&text[range.start..place], &text[place..range.end]);
    let spaced = after.starts_with(char::is_whitespace) || before.ends_with(char::is_whitespace);
    let Some(previous) = before.chars().rev().find(|c| !c.is_whitespace()) else { return 0 };
    if spaced {
        let word = first_word(after.trim_start());
        return match previous {
            ';' | ':' | '.' | '!' | '?' | '…' | '؛' => 6,
            _ if is_wide_stop(previous) => 6,
            ',' | '–' | '—' | ')' | ']' | '،' => 5,
            _ if language.conjunctions.contains(&word.to_lowercase()) => 4,
            _ => 3,
        };
    }
    match previous {
        '、' | '，' | '；' | '：' => 5,
        _ if is_wide_stop(previous) => 6,
        _ if !after.starts_with(joins_previous) && previous != '\u{200d}' => {
            let same_class = after.chars().next().is_some_and(|c| c.is_alphanumeric()) == previous.is_alphanumeric();
            if same_class { 1 } else { 2 }
        }
        _ => 0,
    }
}

/// Whether a character belongs to the one before: the combining marks of the scripts at hand, variation selectors, skin tones, tags, and
/// the joiner.
pub(in crate::text) fn joins_previous(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{483}'..='\u{489}' | '\u{591}'..='\u{5bd}' | '\u{64b}'..='\u{65f}' | '\u{1ab0}'..='\u{1aff}'
        | '\u{1dc0}'..='\u{1dff}' | '\u{200c}' | '\u{200d}' | '\u{20d0}'..='\u{20ff}' | '\u{fe00}'..='\u{fe0f}' | '\u{fe20}'..='\u{fe2f}'
        | '\u{1f3fb}'..='\u{1f3ff}' | '\u{e0020}'..='\u{e007f}')
}

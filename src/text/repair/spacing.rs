//! No-break spaces, thin spaces and other wide and narrow ones.
//!
//! Every normalizer turns them into plain spaces. Where the translation has a plain space between the same two words or numbers, the source's
//! space comes back.

use std::ops::Range;

use super::Sentence;
use super::draft::Draft;

/// Gives a draft the spaces of the source.
pub fn repair(sentence: &Sentence, draft: &mut Draft) {
    let source = sentence.source;
    for (at, c) in source.char_indices().filter(|(_, c)| is_special(*c)) {
        let end = at + c.len_utf8();
        let (before, after) = (word_before(source, at), word_after(source, end));
        if before.is_empty() || after.is_empty() {
            continue;
        }
        // The same words as in the source, or else words that are aligned to them.
        let literal = format!("{} {}", &source[before.clone()], &source[after.clone()]);
        let same = draft.text().find(&literal).map(|found| found + before.len());
        let place = same.or_else(|| {
            let spaces = draft.text().match_indices(' ').map(|(at, _)| at);
            let mut fitting = spaces.filter(|&at| {
                let (left, right) = (word_before(draft.text(), at), word_after(draft.text(), at + 1));
                !left.is_empty()
                    && !right.is_empty()
                    && draft.is_aligned(&left, &before)
                    && draft.is_aligned(&right, &after)
            });
            fitting.next()
        });
        if let Some(place) = place {
            let mut text = [0; 4];
            draft.replace(place..place + 1, c.encode_utf8(&mut text), Some(at..end));
        }
    }
}

/// Spaces that no normalizer preserves.
fn is_special(c: char) -> bool {
    matches!(c, '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}')
}

fn word_before(text: &str, end: usize) -> Range<usize> {
    end - text[..end].chars().rev().take_while(|c| !c.is_whitespace()).map(char::len_utf8).sum::<usize>()..end
}

fn word_after(text: &str, start: usize) -> Range<usize> {
    start..start + text[start..].chars().take_while(|c| !c.is_whitespace()).map(char::len_utf8).sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spaces_are_told_apart() {
        assert!(
            is_special('\u{a0}')
                && is_special('\u{2009}')
                && !is_special(' ')
                && !is_special('\t')
                && !is_special('\u{200b}')
        );
        assert_eq!((word_before("ab cd", 2), word_after("ab cd", 3)), (0..2, 3..5));
    }
}

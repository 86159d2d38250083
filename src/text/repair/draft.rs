//! A translation that is being put right.

use std::ops::Range;

use crate::text::link::{Link, overlap};

/// A piece of a draft.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// Where it stands, and what it is aligned to.
    pub link: Link,
    /// Index among the ids that the model wrote; `None` if it wrote none for this.
    pub id: Option<usize>,
}

/// A change to a draft.
#[derive(Clone, Debug)]
pub struct Edit {
    /// Bytes of the draft that are replaced; empty to insert.
    pub range: Range<usize>,
    /// What replaces them.
    pub text: String,
    /// Bytes of the source that the new text is aligned to.
    pub source: Range<usize>,
}

/// On which side of an insertion the token is that the text becomes part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The token before it.
    Before,
    /// The token after it.
    After,
}

/// A sentence's translation with its tokens and the ranges that are right and must stay.
///
/// Every change goes through the methods below, which move tokens and kept ranges along: a range that was read before a change can be out
/// of date, one that the draft holds cannot. Tokens ascend and tile the text except for single spaces; kept ranges ascend and do
/// not overlap.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Draft {
    text: String,
    tokens: Vec<Token>,
    kept: Vec<Range<usize>>,
}

impl Draft {
    /// The translation as it stands.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Its tokens, in the order of the text.
    pub fn tokens(&self) -> &[Token] {
        &self.tokens
    }

    /// What must stay as it is, ascending.
    pub fn kept(&self) -> &[Range<usize>] {
        &self.kept
    }

    /// The text and its tokens.
    pub fn into_parts(self) -> (String, Vec<Token>) {
        (self.text, self.tokens)
    }

    /// Appends a token; `space` puts a single space before it that belongs to no token.
    pub fn push(&mut self, space: bool, text: &str, source: Range<usize>, id: Option<usize>) {
        if space {
            self.text.push(' ');
        }
        let start = self.text.len();
        self.text.push_str(text);
        self.tokens.push(Token { link: Link { target: start..self.text.len(), source }, id });
    }

    /// Marks a part of the text as right. Nothing changes where it overlaps what is kept already.
    pub fn keep(&mut self, range: Range<usize>) {
        let at = self.kept.partition_point(|kept| kept.end <= range.start);
        let free = self.kept.get(at).is_none_or(|next| next.start >= range.end);
        if free && !range.is_empty() {
            self.kept.insert(at, range);
        }
    }

    /// Whether any part of a range must stay.
    pub fn is_kept(&self, range: &Range<usize>) -> bool {
        self.kept.iter().any(|kept| overlap(kept, range))
    }

    /// Whether a place lies inside what must stay.
    pub fn is_inside_kept(&self, at: usize) -> bool {
        self.kept.iter().any(|kept| kept.start < at && at < kept.end)
    }

    /// Replaces a part of the text. Tokens keep what is left of them; the new text is a token of its own where `source` says what it is
    /// aligned to, and otherwise belongs to none. Kept ranges after it move along. Nothing happens where a kept range would change.
    /// Returns whether it was replaced.
    pub fn replace(&mut self, range: Range<usize>, text: &str, source: Option<Range<usize>>) -> bool {
        if self.is_kept(&range) || range.is_empty() && self.is_inside_kept(range.start) {
            return false;
        }
        let new = source.filter(|_| !text.is_empty());
        let target = range.start..range.start + text.len();
        self.splice(range, text, new.map(|source| Token { link: Link { target, source }, id: None }));
        true
    }

    /// Replaces a part of the text by one that must stay from now on, with a space on either side if asked for. Nothing happens
    /// where a kept range would change.
    pub fn put(
        &mut self,
        range: Range<usize>,
        text: &str,
        (space_before, space_after): (bool, bool),
        source: Range<usize>,
    ) {
        if self.is_kept(&range) || range.is_empty() && self.is_inside_kept(range.start) {
            return;
        }
        let space = |wanted| if wanted { " " } else { "" };
        let start = range.start + usize::from(space_before);
        let target = start..start + text.len();
        let spaced = [space(space_before), text, space(space_after)].concat();
        self.splice(range, &spaced, Some(Token { link: Link { target: target.clone(), source }, id: None }));
        self.keep(target);
    }

    /// Makes several changes that were found in the same state of the draft. Of overlapping ones, the first is made.
    pub fn replace_all(&mut self, mut edits: Vec<Edit>) {
        edits.sort_by_key(|edit| edit.range.start);
        let mut end = None;
        edits.retain(|edit| {
            let free = end.is_none_or(|end: usize| {
                edit.range.start >= end && !(edit.range.is_empty() && edit.range.start == end)
            });
            if free {
                end = Some(edit.range.end);
            }
            free
        });
        // From the end on, so that what is yet to be replaced stays where it is.
        for Edit { range, text, source } in edits.into_iter().rev() {
            self.replace(range, &text, Some(source));
        }
    }

    /// Inserts a text that becomes a part of a token beside it. If there is no token, it is aligned to `source_end`, the length of the source.
    pub fn insert(&mut self, at: usize, side: Side, text: &str, source_end: usize) {
        self.text.insert_str(at, text);
        let leads = side == Side::After || at == 0;
        let mut taken = false;
        for Token { link: Link { target, .. }, .. } in &mut self.tokens {
            let takes = !taken && if leads { target.end > at } else { target.start < at && target.end >= at };
            taken |= takes;
            if takes {
                target.end += text.len();
            } else if target.start >= at && (taken || !leads) {
                *target = target.start + text.len()..target.end + text.len();
            }
        }
        if !taken {
            let link = Link { target: at..at + text.len(), source: source_end..source_end };
            self.tokens.push(Token { link, id: None });
        }
        for kept in &mut self.kept {
            if kept.start >= at {
                *kept = kept.start + text.len()..kept.end + text.len();
            } else if kept.end > at {
                kept.end += text.len();
            }
        }
    }

    /// Changes characters outside what must stay: `change` writes the replacement, in as many bytes as the character has, so that
    /// every place stays what it is.
    ///
    /// # Panics
    /// If `change` writes more or less.
    pub fn map_characters(&mut self, mut change: impl FnMut(usize, char, &mut String)) {
        let mut changed = String::with_capacity(self.text.len());
        let mut kept = self.kept.iter().peekable();
        for (at, c) in self.text.char_indices() {
            while kept.next_if(|range| range.end <= at).is_some() {}
            if kept.peek().is_some_and(|range| range.start <= at) {
                changed.push(c);
            } else {
                change(at, c, &mut changed);
            }
            assert_eq!(changed.len(), at + c.len_utf8(), "every character keeps its place");
        }
        self.text = changed;
    }

    /// The tokens that say something and come from these bytes of the source.
    pub fn tokens_from(&self, source: Range<usize>) -> impl DoubleEndedIterator<Item = &Token> {
        self.tokens.iter().filter(move |token| {
            overlap(&token.link.source, &source) && !self.text[token.link.target.clone()].trim().is_empty()
        })
    }

    /// The tokens that a part of the text touches.
    pub fn tokens_in(&self, target: Range<usize>) -> impl Iterator<Item = &Token> {
        let first = self.tokens.partition_point(|token| token.link.target.end <= target.start);
        self.tokens[first..].iter().take_while(move |token| token.link.target.start < target.end)
    }

    /// Whether a part of the text is aligned to some of these bytes of the source.
    pub fn is_aligned(&self, target: &Range<usize>, source: &Range<usize>) -> bool {
        self.tokens_in(target.clone()).any(|token| overlap(&token.link.source, source))
    }

    fn splice(&mut self, range: Range<usize>, text: &str, mut new: Option<Token>) {
        self.text.replace_range(range.clone(), text);
        let moved = |at: usize| at - range.len() + text.len();
        let mut tokens = Vec::with_capacity(self.tokens.len() + 2);
        for Token { link, id: mut own } in self.tokens.drain(..) {
            let Link { target, source } = link;
            if target.end <= range.start {
                tokens.push(Token { link: Link { target, source }, id: own });
                continue;
            }
            if target.start < range.start {
                let before = target.start..range.start;
                // A space that stood before the word is not a token.
                if !self.text[before.clone()].trim().is_empty() {
                    tokens.push(Token { link: Link { target: before, source: source.clone() }, id: own.take() });
                }
            }
            if target.end > range.end || target.start >= range.end {
                tokens.extend(new.take());
                let after = moved(target.start.max(range.end))..moved(target.end);
                tokens.push(Token { link: Link { target: after, source }, id: own });
            }
        }
        tokens.extend(new);
        self.tokens = tokens;
        for kept in &mut self.kept {
            if kept.start >= range.end {
                *kept = moved(kept.start)..moved(kept.end);
            }
        }
    }
}

#[cfg(test)]
impl Draft {
    /// A translation in words, each with the words of the source that it is aligned to, at their first occurrence.
    pub(super) fn aligned(source: &str, translation: &[(&str, &str)]) -> Draft {
        let mut draft = Draft::default();
        for (index, (word, origin)) in translation.iter().enumerate() {
            let at = source.find(origin).expect("a word of the source");
            draft.push(false, word, at..at + origin.len(), Some(index));
        }
        draft
    }

    /// The text, whose tokens must tile it.
    pub(super) fn tiled(self, source: &str) -> String {
        let mut end = 0;
        for Token { link, .. } in &self.tokens {
            assert!(link.target.start == end && link.target.end > end, "{self:?}");
            assert!(source.get(link.source.clone()).is_some());
            end = link.target.end;
        }
        assert_eq!(end, self.text.len());
        self.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(range: Range<usize>, text: &str) -> Edit {
        Edit { range, text: text.to_owned(), source: 0..1 }
    }

    #[test]
    fn what_is_kept_moves_along_and_never_changes() {
        let mut draft = Draft::aligned("a b c", &[("eins ", "a"), ("zwei ", "b"), ("drei", "c")]);
        draft.keep(5..9);
        draft.replace_all(vec![edit(0..4, "ein"), edit(6..8, "x"), edit(10..14, "vier")]);
        assert_eq!(draft.text(), "ein zwei vier");
        assert_eq!(&draft.text()[draft.kept()[0].clone()], "zwei");
        assert!(!draft.replace(6..6, "x", None), "inside of what is kept");
        draft.insert(0, Side::After, ">> ", 5);
        assert_eq!(&draft.text()[draft.kept()[0].clone()], "zwei");
        draft.keep(8..12);
        assert_eq!(draft.kept().len(), 1, "what overlaps is not kept a second time");
        assert_eq!(draft.tiled("a b c"), ">> ein zwei vier");
    }

    #[test]
    fn of_edits_that_overlap_the_first_is_made() {
        let mut draft = Draft::aligned("a", &[("abcdef", "a")]);
        draft.replace_all(vec![edit(2..4, "-"), edit(3..5, "+"), edit(4..4, "!"), edit(5..6, ".")]);
        assert_eq!(draft.text(), "ab-e.");
    }
}

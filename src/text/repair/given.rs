//! What the model is given for a sentence, and where each byte of that stands in the source.

use std::ops::Range;

use crate::text::link::overlap;
use crate::text::vocab::Piece;

/// Changes to a sentence before the model sees it: parts that are replaced by another text. They ascend and do not overlap.
#[derive(Clone, Debug, Default)]
pub struct Substitutions {
    parts: Vec<Substitution>,
}

#[derive(Clone, Debug)]
struct Substitution {
    range: Range<usize>,
    text: String,
    /// Whether each byte of the text stands for the one in its place, as in another case.
    in_place: bool,
}

impl Substitutions {
    /// Gives `text` to the model in place of a part of the source. Returns false and changes nothing where another part is in the way.
    pub fn add(&mut self, range: Range<usize>, text: impl Into<String>) -> bool {
        self.insert(Substitution { range, text: text.into(), in_place: false })
    }

    /// Gives a part in another case, in which every character has as many bytes.
    ///
    /// # Panics
    /// If it does not.
    pub fn recase(&mut self, range: Range<usize>, text: impl Into<String>) -> bool {
        let text = text.into();
        assert_eq!(text.len(), range.len(), "every character keeps its place");
        self.insert(Substitution { range, text, in_place: true })
    }

    fn insert(&mut self, new: Substitution) -> bool {
        let at = self.parts.partition_point(|part| part.range.end <= new.range.start);
        let free = self.parts.get(at).is_none_or(|part| part.range.start >= new.range.end);
        if free && !new.range.is_empty() {
            self.parts.insert(at, new);
        }
        free
    }

    /// Whether any part of a range is given in another form.
    pub fn touch(&self, range: &Range<usize>) -> bool {
        self.parts.iter().any(|part| overlap(&part.range, range))
    }

    /// What the model is given for a part of the source.
    pub fn given(&self, source: &str, range: Range<usize>) -> String {
        let mut text = String::with_capacity(range.len());
        let mut copied = range.start;
        let inside = |part: &&Substitution| range.start <= part.range.start && part.range.end <= range.end;
        for part in self.parts.iter().filter(inside) {
            text.push_str(&source[copied..part.range.start]);
            text.push_str(&part.text);
            copied = part.range.end;
        }
        text.push_str(&source[copied..range.end]);
        text
    }

    /// The whole sentence as the model is given it.
    pub fn apply(self, source: &str) -> Given {
        let text = self.given(source, 0..source.len());
        let mut shift = 0isize;
        let parts = self
            .parts
            .into_iter()
            .map(|Substitution { range, text, in_place }| {
                let start = range.start.wrapping_add_signed(shift);
                shift += text.len() as isize - range.len() as isize;
                Part { source: range, given: start..start + text.len(), in_place }
            })
            .collect();
        Given { text, parts }
    }
}

/// A sentence as the model is given it.
#[derive(Clone, Debug)]
pub struct Given {
    text: String,
    parts: Vec<Part>,
}

/// A range of the source and what stands for it in the text.
#[derive(Clone, Debug)]
struct Part {
    source: Range<usize>,
    given: Range<usize>,
    in_place: bool,
}

impl Given {
    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Maps the ranges of the text's pieces to the source. A piece within a part that was given in another form stands for all of it, unless
    /// that is the same in another case; what was taken out belongs to the piece before it.
    pub fn to_source(&self, pieces: &mut [Piece]) {
        if self.parts.is_empty() {
            return;
        }
        for piece in pieces {
            (piece.start, piece.end) = (self.start_in_source(piece.start), self.end_in_source(piece.end));
        }
    }

    fn start_in_source(&self, at: usize) -> usize {
        let next = self.parts.partition_point(|part| part.given.start <= at);
        let Some(Part { source, given, in_place }) = next.checked_sub(1).map(|last| &self.parts[last]) else {
            return at;
        };
        match at.checked_sub(given.end) {
            Some(behind) => source.end + behind,
            None if *in_place => source.start + (at - given.start),
            None => source.start,
        }
    }

    fn end_in_source(&self, at: usize) -> usize {
        // What starts where a piece ends is not part of that piece, unless it was taken out.
        let next =
            self.parts.partition_point(|Part { given, .. }| given.start < at || given.is_empty() && given.start <= at);
        let Some(Part { source, given, in_place }) = next.checked_sub(1).map(|last| &self.parts[last]) else {
            return at;
        };
        match at.checked_sub(given.end) {
            Some(behind) => source.end + behind,
            None if *in_place => source.start + (at - given.start),
            None => source.end,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pieces of one byte each, as parts of the source.
    fn origins<'a>(source: &'a str, parts: &[(Range<usize>, &str)]) -> (String, Vec<&'a str>) {
        let mut substitutions = Substitutions::default();
        for (range, text) in parts {
            let recased = text.eq_ignore_ascii_case(&source[range.clone()]);
            let range = range.clone();
            assert!(if recased { substitutions.recase(range, *text) } else { substitutions.add(range, *text) });
        }
        let given = substitutions.apply(source);
        let mut pieces: Vec<Piece> =
            (0..given.text().len()).map(|at| Piece { id: 0, start: at, end: at + 1 }).collect();
        given.to_source(&mut pieces);
        (given.text().to_owned(), pieces.iter().map(|piece| &source[piece.range()]).collect())
    }

    #[test]
    fn pieces_know_where_they_come_from() {
        let (given, found) = origins("ab12cd", &[(2..4, "x")]);
        assert_eq!((given.as_str(), found), ("abxcd", vec!["a", "b", "12", "c", "d"]));
        let (given, found) = origins("ab1cd", &[(2..3, "xyz")]);
        assert_eq!((given.as_str(), found), ("abxyzcd", vec!["a", "b", "1", "1", "1", "c", "d"]));
        let (given, found) = origins("ABcd", &[(0..2, "ab"), (3..4, "D")]);
        assert_eq!((given.as_str(), found), ("abcD", vec!["A", "B", "c", "d"]));
        let (given, found) = origins("a12b", &[(1..3, "xy")]);
        assert_eq!((given.as_str(), found), ("axyb", vec!["a", "12", "12", "b"]));
        let (given, found) = origins("a--bc", &[(1..3, ""), (4..5, "x")]);
        assert_eq!((given.as_str(), found), ("abx", vec!["a--", "b", "c"]));
        let (given, found) = origins("--ab--", &[(0..2, ""), (4..6, "")]);
        assert_eq!((given.as_str(), found), ("ab", vec!["a", "b--"]));
    }

    #[test]
    fn what_overlaps_is_refused() {
        let mut substitutions = Substitutions::default();
        assert!(substitutions.add(2..4, "x"));
        assert!(!substitutions.add(3..5, "y"));
        assert!(substitutions.add(4..5, "z"));
        assert!(substitutions.touch(&(0..3)) && !substitutions.touch(&(0..2)));
        assert_eq!(substitutions.given("abcdef", 1..6), "bxzf");
    }
}

//! Changes to a text, and where things lie before and after them.

use std::ops::Range;

/// What was changed, ascending: bytes of the old text and the bytes of the new one that replace them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Edits(Vec<Edit>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Edit {
    old: Range<usize>,
    new: Range<usize>,
}

impl Edits {
    /// Whether nothing was changed.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Where in the new text a range of the old one lies: what was inserted at its ends is outside, what was changed across an end is inside.
    pub fn forward(&self, range: &Range<usize>) -> Range<usize> {
        map_range(&self.0, range, |edit| &edit.old, |edit| &edit.new)
    }

    /// Where in the old text a range of the new one lay.
    pub fn backward(&self, range: &Range<usize>) -> Range<usize> {
        map_range(&self.0, range, |edit| &edit.new, |edit| &edit.old)
    }
}

type Side = fn(&Edit) -> &Range<usize>;

fn map_range(edits: &[Edit], range: &Range<usize>, from: Side, to: Side) -> Range<usize> {
    let end = map_offset(edits, range.end, from, to, false);
    let start = map_offset(edits, range.start, from, to, true);
    start.min(end)..end
}

/// `is_start`: for something that was inserted at the offset, the place is its end, not its start.
fn map_offset(edits: &[Edit], offset: usize, from: Side, to: Side, is_start: bool) -> usize {
    // The last edit that begins at or before the offset; for an end, before it.
    let after =
        edits.partition_point(|edit| if is_start { from(edit).start <= offset } else { from(edit).start < offset });
    let Some(edit) = after.checked_sub(1).map(|index| &edits[index]) else { return offset };
    let (from, to) = (from(edit), to(edit));
    if offset >= from.end {
        to.end + (offset - from.end)
    } else if is_start {
        to.start
    } else {
        to.end
    }
}

/// Makes a text out of another one, one change at a time.
#[derive(Debug)]
pub struct Editor<'a> {
    old: &'a str,
    new: String,
    copied: usize,
    edits: Vec<Edit>,
}

impl<'a> Editor<'a> {
    /// A text that has not been changed yet.
    pub fn new(old: &'a str) -> Self {
        Self { old, new: String::with_capacity(old.len()), copied: 0, edits: Vec::new() }
    }

    /// Replaces `range`, which must not begin before the end of the last change, by `with`.
    pub fn replace(&mut self, range: Range<usize>, with: &str) {
        if &self.old[range.clone()] == with {
            return;
        }
        self.new.push_str(&self.old[self.copied..range.start]);
        let start = self.new.len();
        self.new.push_str(with);
        self.copied = range.end;
        self.edits.push(Edit { old: range, new: start..self.new.len() });
    }

    /// The new text, and what was changed.
    pub fn finish(mut self) -> (String, Edits) {
        self.new.push_str(&self.old[self.copied..]);
        (self.new, Edits(self.edits))
    }
}

#[cfg(test)]
mod tests {
    use super::Editor;

    #[test]
    fn ranges_move_with_their_text() {
        let old = "say \"hi\" to all";
        let mut editor = Editor::new(old);
        editor.replace(0..0, "\"");
        editor.replace(4..5, "\"\"");
        editor.replace(7..8, "\"\"");
        editor.replace(15..15, "\"");
        let (new, edits) = editor.finish();
        assert_eq!(new, "\"say \"\"hi\"\" to all\"");
        for word in ["say", "hi", "to all"] {
            let place = |text: &str| text.find(word).map(|start| start..start + word.len()).expect("it is in there");
            assert_eq!(edits.forward(&place(old)), place(&new), "{word}");
            assert_eq!(edits.backward(&place(&new)), place(old), "{word}");
        }
        // The quotes around it are not the text's, the doubled ones are.
        assert_eq!(&new[edits.forward(&(0..old.len()))], "say \"\"hi\"\" to all");
        assert_eq!(&new[edits.forward(&(4..8))], "\"\"hi\"\"");
        assert_eq!(edits.backward(&(6..7)), 4..5);
        assert_eq!(edits.forward(&(2..2)), 3..3);
    }
}

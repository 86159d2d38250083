//! Strings between quotes, with backslashes inside, as JSON, gettext and programs write them.

use super::{Cell, Escape};
use std::ops::Range;

/// The bytes between the quotes of a string that begins at `start`, a quote; none if it does not end before `end`.
pub fn string(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let quote = *text.as_bytes().get(start)?;
    let mut at = start + 1;
    while at < end {
        match text.as_bytes()[at] {
            b'\\' => at += 2,
            b if b == quote => return Some(start + 1..at),
            _ => at += 1,
        }
    }
    None
}

/// The cells between the quotes of a string: its lines, since `\n` and `\t` are borders. None for a line that is written in a way that could
/// not be reproduced.
pub fn cells(text: &str, content: Range<usize>, quote: Option<char>, cells: &mut Vec<Cell>) {
    let mut start = content.start;
    let mut at = content.start;
    let mut push = |range: Range<usize>| {
        let written = &text[range.clone()];
        if written.contains(char::is_alphanumeric)
            && let Some(escape) = Escape::backslash(quote, written)
        {
            cells.push(Cell { range, escape });
        }
    };
    while at < content.end {
        match &text.as_bytes()[at..content.end] {
            [b'\\', b'n' | b't' | b'r' | b'f' | b'b', ..] => {
                push(start..at);
                at += 2;
                start = at;
            }
            [b'\\', _, ..] => at += 2,
            _ => at += 1,
        }
    }
    push(start..content.end);
}

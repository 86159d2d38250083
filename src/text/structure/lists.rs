//! Numbers of list items, "1. ", which on their own may also be a date or an ordinal: their neighbours tell.

use super::labels::numbered;
use super::lines::{Form, Line};
use std::collections::HashMap;

/// Most lines from one item to the next.
const MAX_LINES: usize = 12;

/// Finds the numbers that count on from line to line.
pub fn mark(text: &str, lines: &mut [Line]) {
    // By the place where it begins: the last number, its line and its length.
    let mut last: HashMap<usize, (u32, usize, usize)> = HashMap::new();
    for index in 0..lines.len() {
        if lines[index].form != Form::Unknown {
            continue;
        }
        let Some((indent, value, length)) = numbered(lines[index].of(text)) else { continue };
        if let Some((before, line, length_before)) = last.insert(indent, (value, index, length))
            && before.checked_add(1) == Some(value)
            && index - line <= MAX_LINES
        {
            lines[line].number = length_before;
            lines[index].number = length;
        }
    }
}

//! The structure of plain text: what is not language stays byte for byte, and the text in it is translated piece by piece.
//!
//! A text is read as lines, and a line as cells: what stands between tabs, columns of spaces, bars, signs of paths; in the fields of CSV files; as
//! values of JSON, YAML, properties and gettext; after labels of lists; between the tags around it; under the times of subtitles. What programs
//! write for programs (code, diffs, reports, armour, HTTP messages) has no text. Structure that could also be prose is taken as prose unless the
//! lines around it leave no doubt. [`cells`] gives the cells as ranges. Time is linear in the text.
//!
//! Three things need more than ranges, and a [`Reading`] does them: text that is written differently in its place ([`Escape`]), columns of
//! spaces that have to line up again, and paragraphs of fixed width, which are translated as one text and wrapped again ([`Paragraph`]).

mod armour;
mod bars;
mod code;
mod columns;
mod csv;
mod diffs;
mod edits;
mod escape;
mod fences;
mod frames;
mod http;
mod json;
mod labels;
mod lines;
mod lists;
mod pairs;
mod reading;
mod references;
mod reports;
mod rst;
mod strings;
mod subtitles;
mod tags;
mod wrap;

pub use edits::Edits;
pub use escape::{BeyondAscii, Escape};
pub use reading::{Reading, Written};
pub use wrap::{Paragraph, Wrapped, unwrap};

use lines::{Form, Line, trim};
use std::ops::Range;

/// A piece of a text that is translated on its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Its bytes in the text; within one line.
    pub range: Range<usize>,
    /// How its text is written in its place.
    pub escape: Escape,
}

/// The cells of a text, ascending. What lies between them is structure and is to be kept as it is.
///
/// ```
/// # use wanderwort::text::structure::cells;
/// let text = "7,\"Red house\",\"big, old\"\nFile → Save As\n\ta) First item";
/// let found: Vec<&str> = cells(text).into_iter().map(|cell| &text[cell.range]).collect();
/// assert_eq!(found, ["7", "Red house", "big, old", "File", "Save As", "First item"]);
/// ```
pub fn cells(text: &str) -> Vec<Cell> {
    scan(text).into_iter().flat_map(|line| line.cells).collect()
}

/// The lines of a text, each with its form and cells.
fn scan(text: &str) -> Vec<Line> {
    let mut lines = lines::split(text);
    fences::mark(text, &mut lines);
    armour::mark(text, &mut lines);
    diffs::mark(text, &mut lines);
    reports::mark(text, &mut lines);
    http::mark(text, &mut lines);
    rst::mark(text, &mut lines);
    code::mark(text, &mut lines);
    subtitles::mark(text, &mut lines);
    json::mark(text, &mut lines);
    references::mark(text, &mut lines);
    pairs::mark(text, &mut lines);
    csv::mark(text, &mut lines);
    lists::mark(text, &mut lines);
    let rows = table_rows(text, &lines);
    let gaps = columns::find(text, &lines);
    for ((line, is_row), gaps) in lines.iter_mut().zip(rows).zip(gaps) {
        if line.form == Form::Unknown {
            divide(text, line, is_row, gaps);
        }
    }
    lines
}

/// Which lines are rows of tables without bars at both ends: those around Markdown's row of dashes, up to one without a bar, and those that
/// follow each other with as many bars.
fn table_rows(text: &str, lines: &[Line]) -> Vec<bool> {
    let mut rows = bars::tight_rows(text, lines);
    for (index, line) in lines.iter().enumerate() {
        let above = index.checked_sub(1).map(|above| &lines[above]);
        if line.form == Form::Unknown
            && !rows[index]
            && bars::is_delimiter_row(line.of(text))
            && above.is_some_and(|above| above.of(text).contains('|'))
        {
            rows[index - 1] = true;
            let body = lines[index..].iter().take_while(|line| line.of(text).contains('|')).count();
            rows[index..index + body].fill(true);
        }
    }
    rows
}

/// Finds the cells of a line that has no special form.
fn divide(text: &str, line: &mut Line, is_row: bool, gaps: Vec<Range<usize>>) {
    let start = line.range.start;
    let content = line.of(text);
    let mut borders = Vec::new();
    bars::borders(content, is_row, &mut borders);
    if content.contains('<') {
        // Not within a tag.
        let tags = tags::places(content);
        borders.retain(|border| {
            let before = tags.partition_point(|tag| tag.start < border.start);
            before.checked_sub(1).is_none_or(|tag| tags[tag].end <= border.start)
        });
    }
    borders.extend(closing_sign(content));
    let has_tab = content.contains('\t');
    borders.extend(gaps.iter().map(|gap| gap.start - start..gap.end - start));
    borders.sort_by_key(|border| (border.start, border.end));
    let first = labels::leader(content).max(line.number);
    let mut cells = Vec::new();
    let mut from = first;
    for border in borders.into_iter().chain(std::iter::once(content.len()..content.len())) {
        if border.end <= first {
            continue;
        }
        if from < border.start {
            divide_piece(text, start + from..start + border.start, &mut cells);
        }
        from = from.max(border.end);
    }
    let form = match (cells.len(), gaps.is_empty()) {
        (1, true) => Form::Plain,
        // Nobody knows how many spaces a tab stands for.
        (_, false) if !has_tab => Form::Columns,
        _ => Form::Structured,
    };
    line.set(form, cells);
}

/// The signs that close a heading as they opened it: "## Title ##".
fn closing_sign(content: &str) -> Option<Range<usize>> {
    let heading = content.trim_end();
    let title = heading.trim_end_matches('#');
    let closes = content.starts_with('#') && title.len() < heading.len() && title.ends_with([' ', '\t']);
    closes.then(|| title.trim_end().len()..heading.len())
}

/// Where the text of a line begins, after marks of quotations and comments, and after numbers and labels of list items.
fn text_start(text: &str, line: &Line) -> usize {
    let content = line.of(text);
    let number = labels::numbered(content).map_or(0, |(_, _, length)| length);
    let start = line.range.start + labels::leader(content).max(number);
    behind_labels(text, start..line.range.end).start
}

/// Finds the cells between two borders: after labels, between the signs of a path and tags.
fn divide_piece(text: &str, range: Range<usize>, cells: &mut Vec<Cell>) {
    let range = trim(text, range);
    between(text, range, labels::enumeration, |range| {
        let range = behind_labels(text, range);
        between(text, range, bars::path, |range| {
            between(text, range, tags::borders, |range| {
                let range = behind_labels(text, range);
                if text[range.clone()].contains(char::is_alphanumeric) {
                    cells.push(Cell { range, escape: Escape::None });
                }
            });
        });
    });
}

/// Calls `piece` with what lies between the borders that `find` finds in a range.
fn between(text: &str, range: Range<usize>, find: fn(&str) -> Vec<Range<usize>>, mut piece: impl FnMut(Range<usize>)) {
    let mut start = range.start;
    for border in find(&text[range.clone()]) {
        if start < range.start + border.start {
            piece(start..range.start + border.start);
        }
        start = range.start + border.end;
    }
    if start < range.end {
        piece(start..range.end);
    }
}

/// The text of a range without labels before it and white space around it.
fn behind_labels(text: &str, range: Range<usize>) -> Range<usize> {
    let mut range = trim(text, range);
    while let Some(label) = labels::label(&text[range.clone()]) {
        range.start += label.length;
    }
    range
}

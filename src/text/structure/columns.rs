//! Columns made of spaces: where they are, and how they line up again after translation.
//!
//! A gap is two or more spaces inside a line. In a sentence it is a slip; where columns of neighbouring lines begin too, it is a border.

use super::lines::{Form, Line};
use std::collections::BTreeMap;
use std::ops::Range;
use unicode_width::UnicodeWidthStr;

/// How many lines up and down may have a column that begins at the same place, not counting blank ones and rules.
const NEIGHBOURS: usize = 2;

/// Spaces that nobody types in a sentence.
const WIDE: usize = 4;

/// Fewest spaces between two columns.
const LEAST: usize = 2;

/// Two or more spaces, and the cell after them.
#[derive(Clone, Debug)]
struct Gap {
    range: Range<usize>,
    /// Columns of the screen that the cell after it takes.
    cell: Range<usize>,
    is_figure: bool,
}

/// The columns of the screen that a text takes.
pub fn width(text: &str) -> usize {
    UnicodeWidthStr::width(text)
}

fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\u{3000}')
}

/// Whether a cell ends with a figure, and so may be aligned to the right.
fn is_figure(cell: &str) -> bool {
    cell.ends_with(|c: char| c.is_numeric() || matches!(c, '%' | '€' | '$'))
}

fn gaps(text: &str, line: &Line) -> Vec<Gap> {
    // Spaces after labels are not gaps.
    let start = super::text_start(text, line);
    let content = start..line.range.start + line.of(text).trim_end().len();
    let mut gaps: Vec<Gap> = Vec::new();
    let mut column = width(&text[line.range.start..content.start]);
    let mut at = content.start;
    while at < content.end {
        let rest = &text[at..content.end];
        // The next run of spaces, and what stands before it.
        let word = rest.find(is_space).unwrap_or(rest.len());
        let run = rest[word..].find(|c| !is_space(c)).unwrap_or(rest.len() - word);
        column += width(&rest[..word]);
        if let Some(gap) = gaps.last_mut() {
            gap.cell.end = column;
            gap.is_figure = is_figure(&rest[..word]);
        }
        column += width(&rest[word..word + run]);
        if rest[word..word + run].chars().nth(1).is_some() {
            gaps.push(Gap { range: at + word..at + word + run, cell: column..column, is_figure: false });
        }
        at += word + run;
    }
    gaps
}

/// The gaps that divide cells, for each line; [`Form::Columns`] is not set yet, since other signs may divide the line as well.
pub fn find(text: &str, lines: &[Line]) -> Vec<Vec<Range<usize>>> {
    let mut found: Vec<Vec<Gap>> = Vec::with_capacity(lines.len());
    for line in lines {
        let may_have =
            line.form == Form::Unknown && (line.of(text).contains("  ") || line.of(text).contains('\u{3000}'));
        found.push(if may_have { gaps(text, line) } else { Vec::new() });
    }
    let are_neighbours: Vec<usize> = (0..lines.len()).filter(|&index| !is_rule(lines[index].of(text))).collect();
    let mut borders = vec![Vec::new(); lines.len()];
    for (place, &index) in are_neighbours.iter().enumerate() {
        let gaps = &found[index];
        if gaps.is_empty() {
            continue;
        }
        let near = place.saturating_sub(NEIGHBOURS)..(place + NEIGHBOURS + 1).min(are_neighbours.len());
        let near =
            are_neighbours[near].iter().filter(|&&other| other != index && other.abs_diff(index) <= 2 * NEIGHBOURS);
        let near: Vec<&[Gap]> = near.map(|&other| &found[other][..]).collect();
        if are_columns(lines[index].of(text), text, gaps, &near) {
            borders[index] = gaps.iter().map(|gap| gap.range.clone()).collect();
        }
    }
    borders
}

/// Whether a line is blank or a rule between others.
pub fn is_rule(line: &str) -> bool {
    line.chars().all(|c| c.is_whitespace() || matches!(c, '-' | '=' | '+' | '_' | '─'))
}

/// The gaps of a rule that has a part above each column: `=====  =====`.
pub fn gaps_of_rule(line: &str) -> Vec<Range<usize>> {
    let mut gaps = Vec::new();
    if line.trim().is_empty() || !is_rule(line) {
        return gaps;
    }
    let (mut at, end) = (line.len() - line.trim_start().len(), line.trim_end().len());
    while let Some(space) = line[at..end].find(' ') {
        let from = at + space;
        at = from + line[from..].len() - line[from..].trim_start_matches(' ').len();
        gaps.push(from..at);
    }
    gaps
}

fn are_columns(line: &str, text: &str, gaps: &[Gap], near: &[&[Gap]]) -> bool {
    let spaces = |gap: &Gap| text[gap.range.clone()].chars().count();
    let widest = gaps.iter().map(spaces).max().unwrap_or(0);
    let narrowest = gaps.iter().map(spaces).min().unwrap_or(0);
    let singles = line.trim().split(is_space).filter(|word| !word.is_empty()).count() - 1 - gaps.len();
    if widest >= WIDE || narrowest >= 3 || singles == 0 {
        return true;
    }
    let begins = |column: usize, others: &[Gap]| others.binary_search_by_key(&column, |other| other.cell.start).is_ok();
    let ends = |column: usize, others: &[Gap]| others.binary_search_by_key(&column, |other| other.cell.end).is_ok();
    let lines_up = |gap: &&Gap| {
        near.iter().any(|others| begins(gap.cell.start, others) || gap.is_figure && ends(gap.cell.end, others))
    };
    let aligned = gaps.iter().filter(lines_up).count();
    // Spaces that fill up a line of a justified paragraph stand below others by chance, but not all of them do.
    if widest > LEAST { aligned * 2 > gaps.len() } else { aligned == gaps.len() }
}

/// A line of cells with gaps between them, in a text that is to be translated.
#[derive(Clone, Debug)]
pub struct Row {
    /// Bytes of the whole line.
    pub line: Range<usize>,
    /// Bytes of its gaps.
    pub gaps: Vec<Range<usize>>,
}

/// The spaces that make the columns of neighbouring `rows` of `text` line up in `translated`, where `place` says where an offset
/// of the text is now: ranges of the translation and what replaces them, ascending.
///
/// Cells that began, or figures that ended, below each other are one column. It stays where it was, or moves to the right as far as the longest
/// cell before it requires, in all rows alike. Two spaces always stay.
pub fn pad(
    text: &str,
    rows: &[Row],
    translated: &str,
    mut place: impl FnMut(usize) -> usize,
) -> Vec<(Range<usize>, String)> {
    let mut cells: Vec<PaddedCell> = Vec::new();
    for Row { line, gaps } in rows {
        let (mut from, mut target, mut column) = (line.start, place(line.start), 0);
        let mut gap = None;
        for next in gaps.iter().cloned().chain(std::iter::once(line.end..line.end)) {
            let source = &text[from..next.start];
            let end = column + width(source);
            let now = place(next.start)..place(next.end);
            cells.push(PaddedCell {
                gap,
                columns: column..end,
                width: width(&translated[target..now.start]),
                is_figure: is_figure(source.trim_end()),
                fill: source.chars().next_back().filter(|_| !source.is_empty() && is_rule(source)),
                start: column,
            });
            let spaces = width(&text[next.clone()]);
            (from, target, column) = (next.end, now.end, end + spaces);
            gap = Some(PaddedGap { range: now, least: spaces.min(LEAST) });
        }
    }
    let columns = columns_of(&cells);
    for column in columns {
        let shift = |&(index, is_right): &(usize, bool)| {
            let (least, cell) = (cells[index].least_start(&cells[index - 1]), &cells[index]);
            if is_right {
                (least + cell.width).saturating_sub(cell.columns.end)
            } else {
                least.saturating_sub(cell.columns.start)
            }
        };
        let shift = column.iter().map(shift).max().unwrap_or(0);
        for (index, is_right) in column {
            let least = cells[index].least_start(&cells[index - 1]);
            let cell = &mut cells[index];
            let start = if is_right {
                (cell.columns.end + shift).saturating_sub(cell.width)
            } else {
                cell.columns.start + shift
            };
            cell.start = start.max(least);
        }
    }
    let mut changes = Vec::new();
    for pair in 1..cells.len() {
        // Where rows are irregular, a cell's column can have been placed before the one to its left.
        let least = cells[pair].least_start(&cells[pair - 1]);
        cells[pair].start = cells[pair].start.max(least);
        let (before, cell) = (&cells[pair - 1], &cells[pair]);
        if let Some(gap) = &cell.gap {
            let spaces = cell.start - (before.start + before.width);
            let stood = width(&translated[gap.range.clone()]);
            // A rule is as long as its column.
            let filled = before.fill.map(|fill| fill.to_string().repeat(spaces.saturating_sub(stood)));
            let filled = filled.unwrap_or_default();
            if spaces != stood {
                let rest = spaces - filled.chars().count();
                changes.push((gap.range.clone(), filled + &" ".repeat(rest)));
            }
        }
    }
    changes
}

struct PaddedCell {
    /// None: the first of its row.
    gap: Option<PaddedGap>,
    /// Columns of the screen that it had.
    columns: Range<usize>,
    /// Columns that it takes now.
    width: usize,
    is_figure: bool,
    /// The sign of a rule, if it is a part of one.
    fill: Option<char>,
    /// The column it begins at now.
    start: usize,
}

struct PaddedGap {
    /// Bytes of the translation.
    range: Range<usize>,
    /// Fewest spaces that it has.
    least: usize,
}

impl PaddedCell {
    /// The first column at which it can begin after the cell `before` it.
    fn least_start(&self, before: &PaddedCell) -> usize {
        self.gap.as_ref().map_or(0, |gap| before.start + before.width + gap.least)
    }
}

/// Which cells form a column, from left to right: their indices, and whether the cell is aligned at its end.
fn columns_of(cells: &[PaddedCell]) -> Vec<Vec<(usize, bool)>> {
    let mut starts: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let mut ends: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (index, cell) in cells.iter().enumerate().filter(|(_, cell)| cell.gap.is_some()) {
        starts.entry(cell.columns.start).or_default().push(index);
        ends.entry(cell.columns.end).or_default().push(index);
    }
    let is_right: Vec<bool> = cells
        .iter()
        .map(|cell| {
            let count = |map: &BTreeMap<usize, Vec<usize>>, column| map.get(&column).map_or(0, Vec::len);
            cell.is_figure && count(&ends, cell.columns.end) > count(&starts, cell.columns.start)
        })
        .collect();
    ends.retain(|_, cells| cells.iter().any(|&cell| is_right[cell]));
    // Cells that are linked by a common start or end are one column.
    let mut columns = Vec::new();
    let order: Vec<usize> = starts.values().flatten().copied().collect();
    let mut is_taken = vec![false; cells.len()];
    for first in order {
        if is_taken[first] {
            continue;
        }
        let mut column = Vec::new();
        let mut pending = vec![first];
        is_taken[first] = true;
        while let Some(index) = pending.pop() {
            column.push((index, is_right[index]));
            let Range { start, end } = cells[index].columns;
            // Each list is visited once.
            let linked = [starts.remove(&start), ends.remove(&end)];
            for other in linked.into_iter().flatten().flatten() {
                if !std::mem::replace(&mut is_taken[other], true) {
                    pending.push(other);
                }
            }
        }
        columns.push(column);
    }
    columns
}

#[cfg(test)]
mod tests {
    use super::{Row, find, pad};
    use crate::text::structure::lines::split;

    fn cells(text: &str) -> Vec<Vec<&str>> {
        let lines = split(text);
        let borders = find(text, &lines);
        let of_line = |(line, borders): (&super::Line, &Vec<std::ops::Range<usize>>)| {
            let mut start = line.range.start;
            let mut cells = Vec::new();
            for border in borders {
                cells.push(text[start..border.start].trim());
                start = border.end;
            }
            cells.push(text[start..line.range.end].trim());
            cells
        };
        lines.iter().zip(&borders).map(of_line).collect()
    }

    #[test]
    fn gaps_that_line_up_are_borders() {
        let table = "Fruit  Price\nGreen pear  2\nRed plum    3\nA  slip of the  hand here";
        assert_eq!(
            cells(table)[1..],
            [vec!["Green pear", "2"], vec!["Red plum", "3"], vec!["A  slip of the  hand here"]]
        );
        let commands = "ls  list the files\ncp  copy a file";
        assert_eq!(cells(commands), [["ls", "list the files"], ["cp", "copy a file"]]);
        assert_eq!(cells("Green pear      2.50"), [["Green pear", "2.50"]]);
        assert_eq!(cells("It ends.  It begins again."), [["It ends.  It begins again."]]);
        let justified = "the quick  brown fox  jumps over the\nlazy  dog and runs  away from  there";
        assert_eq!(cells(justified).iter().flatten().count(), 2);
    }

    #[test]
    fn columns_line_up_again() {
        let text = "Fruit    Price  Colour\nPear      2.50  green\nPlum     12.00  dark";
        let lines = split(text);
        let rows: Vec<Row> =
            lines.iter().zip(find(text, &lines)).map(|(line, gaps)| Row { line: line.range.clone(), gaps }).collect();
        let padded = |long: &str| {
            let translated = text.replacen("Plum", long, 1);
            let place = |offset: usize| {
                let at = text.find("Plum").expect("it is in there");
                if offset >= at + 4 { offset + long.len() - 4 } else { offset }
            };
            let mut result = translated.clone();
            for (range, spaces) in pad(text, &rows, &translated, place).into_iter().rev() {
                result.replace_range(range, &spaces);
            }
            result
        };
        assert_eq!(padded("Plum"), text);
        assert_eq!(padded("Pfläum"), text.replace("Plum  ", "Pfläum"));
        assert_eq!(padded("Zwetschge"), "Fruit      Price  Colour\nPear        2.50  green\nZwetschge  12.00  dark");
    }
}

//! A text as it is given to the translator, and the way from its translation back into the structure.

use super::columns::{Row, gaps_of_rule, is_rule, pad};
use super::edits::{Editor, Edits};
use super::frames::{self, Frame};
use super::lines::Form;
use super::wrap::{self, Paragraph, Wrapped};
use super::{Cell, Escape, scan};
use std::ops::Range;

use crate::text::link::Link;

/// A text read for translation: paragraphs joined, escapes resolved, and the cells, each of which is translated on its own.
#[derive(Clone, Debug, Default)]
pub struct Reading {
    text: String,
    cells: Vec<Cell>,
    /// From the source to `text`.
    edits: Edits,
    paragraphs: Vec<ReadParagraph>,
    /// Lines with columns of spaces, a group for each run of neighbouring ones.
    tables: Vec<Vec<Row>>,
    /// Tables between bars, and titles with lines below.
    frames: Vec<Frame>,
}

/// A paragraph in the text that was read.
#[derive(Clone, Debug)]
struct ReadParagraph {
    range: Range<usize>,
    paragraph: Paragraph,
    /// Where the lines were joined, and what stood there.
    joints: Vec<(Range<usize>, String)>,
}

/// A translation in the source's structure.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// The text.
    pub text: String,
    /// What was changed in the translation to make it so.
    pub edits: Edits,
}

impl Reading {
    /// Reads a text.
    pub fn new(source: &str, wrapped: Wrapped) -> Self {
        let lines = scan(source);
        let paragraphs = wrap::find(source, &lines, wrapped);
        let mut editor = Editor::new(source);
        // Cells and paragraphs by their bytes in the source, ascending.
        let mut cells: Vec<Cell> = Vec::new();
        let mut rows: Vec<Vec<Row>> = Vec::new();
        let mut next = paragraphs.iter().peekable();
        let mut frames = frames::find(source, &lines);
        // Whether the line before has columns, or is a rule among lines that have.
        let mut in_table = false;
        let mut index = 0;
        while index < lines.len() {
            if let Some((of_lines, paragraph)) = next.next_if(|(of_lines, _)| of_lines.start == index) {
                for (range, joint) in paragraph.breaks.iter().zip(&paragraph.joints) {
                    editor.replace(range.clone(), joint);
                }
                cells.push(Cell { range: paragraph.range.clone(), escape: Escape::None });
                index = of_lines.end;
                in_table = false;
                continue;
            }
            let line = &lines[index];
            for cell in &line.cells {
                for (range, c) in cell.escape.unescapes(&source[cell.range.clone()]) {
                    let range = cell.range.start + range.start..cell.range.start + range.end;
                    editor.replace(range, c.encode_utf8(&mut [0; 4]));
                }
            }
            let content = line.of(source);
            let gaps = match line.form {
                Form::Columns => gaps_between(source, &line.cells),
                _ => gaps_of_rule(content)
                    .into_iter()
                    .map(|gap| line.range.start + gap.start..line.range.start + gap.end)
                    .collect(),
            };
            let is_row = line.form == Form::Columns || !gaps.is_empty();
            if is_row && !in_table {
                rows.push(Vec::new());
            }
            in_table = is_row || in_table && !content.trim().is_empty() && is_rule(content);
            if let Some(table) = rows.last_mut().filter(|_| !gaps.is_empty()) {
                table.push(Row { line: line.range.clone(), gaps });
            }
            cells.extend(line.cells.iter().cloned());
            index += 1;
        }
        let (text, edits) = editor.finish();
        for cell in &mut cells {
            cell.range = edits.forward(&cell.range);
        }
        let read = |(_, paragraph): (_, Paragraph)| ReadParagraph {
            range: edits.forward(&paragraph.range),
            joints: paragraph
                .breaks
                .iter()
                .map(|range| (edits.forward(range), source[range.clone()].to_owned()))
                .collect(),
            paragraph,
        };
        let paragraphs = paragraphs.into_iter().map(read).collect();
        for row in rows.iter_mut().flatten() {
            row.line = edits.forward(&row.line);
            row.gaps.iter_mut().for_each(|gap| *gap = edits.forward(gap));
        }
        rows.retain(|rows| !rows.is_empty());
        frames.iter_mut().for_each(|frame| frame.move_by(&edits));
        Self { text, cells, edits, paragraphs, tables: rows, frames }
    }

    /// A text in which nothing is structure: one cell.
    pub fn unstructured(source: &str) -> Self {
        let cells = vec![Cell { range: 0..source.len(), escape: Escape::None }];
        Self { text: source.to_owned(), cells, ..Self::default() }
    }

    /// What is to be translated, with the structure in between.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The cells of [`Self::text`], ascending, each to be translated on its own.
    pub fn cells(&self) -> &[Cell] {
        &self.cells
    }

    /// Where in the source a range of [`Self::text`] lies.
    pub fn source(&self, range: &Range<usize>) -> Range<usize> {
        self.edits.backward(range)
    }

    /// Where in [`Self::text`] a range of the source lies.
    pub fn read(&self, range: &Range<usize>) -> Range<usize> {
        self.edits.forward(range)
    }

    /// Puts a translation of [`Self::text`] into the source's structure. `sentences` says which part of the text was translated to which part of
    /// the translation, ascending; what lies between must be the same in both, and a sentence must not go beyond its cell.
    pub fn write(&self, translation: String, sentences: &[Link]) -> Written {
        let place = |offset: usize| {
            let before = sentences.partition_point(|link| link.source.start < offset);
            let place = match before.checked_sub(1).map(|index| &sentences[index]) {
                Some(Link { source, target }) => target.end + offset.saturating_sub(source.end),
                None => offset,
            };
            translation.floor_char_boundary(place.min(translation.len()))
        };
        let of = |range: &Range<usize>| {
            let start = place(range.start);
            start..place(range.end).max(start)
        };
        let mut changes: Vec<(Range<usize>, String)> = Vec::new();
        for cell in self.cells.iter().filter(|cell| cell.escape != Escape::None) {
            let range = of(&cell.range);
            // An apostrophe in a field that was not quoted is none, and neither was what looked like a separator before.
            let escapes = cell.escape.escapes(&translation[range.clone()]);
            changes.extend(escapes.into_iter().map(|(at, with)| (range.start + at.start..range.start + at.end, with)));
        }
        for table in &self.tables {
            changes.extend(pad(&self.text, table, &translation, place));
        }
        for frame in &self.frames {
            changes.extend(frame.fit(&self.text, &translation, place));
        }
        for ReadParagraph { range, paragraph, joints } in &self.paragraphs {
            let target = of(range);
            if translation[target.clone()] == self.text[range.clone()] {
                let moved = |at: usize| at - range.start + target.start;
                changes.extend(joints.iter().map(|(at, stood)| (moved(at.start)..moved(at.end), stood.clone())));
                continue;
            }
            let breaks = paragraph.break_at(&translation[target.clone()]).into_iter();
            changes.extend(breaks.map(|at| (target.start + at.start..target.start + at.end, paragraph.prefix.clone())));
        }
        if changes.is_empty() {
            return Written { text: translation, edits: Edits::default() };
        }
        changes.sort_by_key(|(range, _)| range.start);
        let mut editor = Editor::new(&translation);
        changes.into_iter().for_each(|(range, with)| editor.replace(range, &with));
        let (text, edits) = editor.finish();
        Written { text, edits }
    }
}

/// The runs of spaces between the cells of a line.
fn gaps_between(source: &str, cells: &[Cell]) -> Vec<Range<usize>> {
    let between = cells.windows(2).map(|pair| pair[0].range.end..pair[1].range.start);
    between.filter(|gap| source[gap.clone()].chars().all(|c| matches!(c, ' ' | '\u{3000}')) && gap.len() > 1).collect()
}

//! Lines, and what is known of them.

use super::Cell;
use crate::text::segment::is_line_break;
use std::ops::Range;

/// A line of a text.
#[derive(Debug)]
pub struct Line {
    /// Its bytes, without what ends it.
    pub range: Range<usize>,
    /// Where the next line begins.
    pub next: usize,
    /// What it is, once that is known.
    pub form: Form,
    /// What is text in it; empty while the form is [`Form::Unknown`].
    pub cells: Vec<Cell>,
    /// Bytes at its start that number it in a list, as its neighbours tell.
    pub number: usize,
    /// Whether it is what is said under a time line of subtitles.
    pub is_cue: bool,
}

/// What a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Not known yet.
    Unknown,
    /// Text in one piece, which may go on in the next line, after marks and white space.
    Plain,
    /// Cells, with runs of spaces between some of them.
    Columns,
    /// Cells, or nothing but structure.
    Structured,
}

impl Line {
    /// Its content.
    pub fn of<'a>(&self, text: &'a str) -> &'a str {
        &text[self.range.clone()]
    }

    /// Whether it has nothing but white space.
    pub fn is_blank(&self, text: &str) -> bool {
        self.of(text).trim().is_empty()
    }

    /// Gives it a form, with its text in `cells`.
    pub fn set(&mut self, form: Form, cells: Vec<Cell>) {
        self.form = form;
        self.cells = cells;
    }

    /// Whether it can still be anything, and is not empty.
    pub fn is_open(&self, text: &str) -> bool {
        self.form == Form::Unknown && !self.is_blank(text)
    }
}

/// The lines of a text: as many as there are line breaks, and one more.
pub fn split(text: &str) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut start = 0;
    let line = |range: Range<usize>, next| Line {
        range,
        next,
        form: Form::Unknown,
        cells: Vec::new(),
        number: 0,
        is_cue: false,
    };
    while let Some(at) = text[start..].find(is_line_break).map(|at| start + at) {
        let length =
            if text[at..].starts_with("\r\n") { 2 } else { text[at..].chars().next().map_or(0, char::len_utf8) };
        lines.push(line(start..at, at + length));
        start = at + length;
    }
    lines.push(line(start..text.len(), text.len()));
    lines
}

/// The range without white space at its ends.
pub fn trim(text: &str, range: Range<usize>) -> Range<usize> {
    let content = &text[range.clone()];
    let start = range.start + content.len() - content.trim_start().len();
    start..start + content.trim().len()
}

/// Whether a text ends as a sentence does, with or without quotes and brackets after the stop.
pub fn ends_sentence(text: &str) -> bool {
    let closers = |c: char| matches!(c, '"' | '\'' | '”' | '“' | '’' | '‘' | '»' | '«' | ')' | ']' | '*' | '_');
    text.trim_end()
        .trim_end_matches(closers)
        .ends_with(['.', '!', '?', '…', ':', '。', '！', '？', '：', '।', '؟', '۔'])
}

/// The lines with text that a kind of structure leaves to others, for its tests.
#[cfg(test)]
pub fn left_open(text: &str, mark: fn(&str, &mut [Line])) -> Vec<&str> {
    let mut lines = split(text);
    mark(text, &mut lines);
    let open = lines.iter().filter(|line| line.form == Form::Unknown && !line.is_blank(text));
    open.map(|line| line.of(text)).collect()
}

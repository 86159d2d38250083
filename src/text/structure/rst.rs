//! reStructuredText: directives, comments and targets after two dots, and literal blocks. Their names and what is no text stay.

use super::Cell;
use super::Escape;
use super::lines::{Form, Line, trim};
use std::ops::Range;

/// Directives with text after them and below.
#[rustfmt::skip]
const WITH_TEXT: &[&str] = &[
    "admonition", "attention", "caution", "centered", "danger", "deprecated", "epigraph", "error", "hint", "important", "note", "pull-quote", "rubric", "seealso",
    "sidebar", "tip", "title", "todo", "topic", "warning",
];

/// Directives whose lines below are text, while what stands beside their name is not.
#[rustfmt::skip]
const ABOVE_TEXT: &[&str] = &[
    "attribute", "class", "container", "csv-table", "data", "exception", "figure", "function", "glossary", "list-table", "method", "module", "only", "table",
    "tab", "versionadded", "versionchanged", "versionremoved", "image",
];

/// Options of directives that are text.
const TEXTS: [&str; 4] = ["alt", "caption", "title", "header"];

/// Finds the lines.
pub fn mark(text: &str, lines: &mut [Line]) {
    // Two dots alone may also be those of a sentence that goes on.
    let is_sure =
        |line: &Line| line.of(text).trim().strip_prefix(".. ").is_some_and(|rest| !is_comment(rest.trim_start()));
    let has_comments = lines.iter().any(is_sure);
    let mut index = 0;
    while index < lines.len() {
        let line = &lines[index];
        if line.form != Form::Unknown {
            index += 1;
            continue;
        }
        let content = trim(text, line.range.clone());
        let indent = content.start - line.range.start;
        let dots = text[content.clone()].strip_prefix(".. ");
        if let Some(dots) = dots.filter(|rest| has_comments || !is_comment(rest.trim_start())) {
            let dots = content.end - dots.trim_start().len()..content.end;
            let below = index + 1..block_end(text, lines, index + 1, indent);
            let (cells, is_text) = explicit(text, dots);
            lines[index].set(Form::Structured, cells);
            index += 1;
            if is_text {
                options(text, &mut lines[below]);
            } else {
                index = below.end;
                lines[below].iter_mut().for_each(|line| line.set(Form::Structured, Vec::new()));
            }
        } else if text[content.clone()].ends_with("::") {
            let below = index + 1..block_end(text, lines, index + 1, indent);
            if below.is_empty() {
                index += 1;
                continue;
            }
            // "Run this::": the second colon says that what follows is literal.
            let said = content.start..content.end - 1;
            let cells = if text[said.clone()].contains(char::is_alphanumeric) {
                vec![Cell { range: super::behind_labels(text, said), escape: Escape::None }]
            } else {
                Vec::new()
            };
            lines[index].set(Form::Structured, cells);
            index = below.end;
            lines[below].iter_mut().for_each(|line| line.set(Form::Structured, Vec::new()));
        } else {
            index += 1;
        }
    }
}

/// Where the lines that are indented further end, with blank ones between; `start` if there are none.
fn block_end(text: &str, lines: &[Line], start: usize, indent: usize) -> usize {
    let mut end = start;
    for (at, line) in lines.iter().enumerate().skip(start) {
        if line.is_blank(text) {
            continue;
        }
        if line.of(text).len() - line.of(text).trim_start().len() <= indent {
            break;
        }
        end = at + 1;
    }
    end
}

/// Whether what stands behind two dots is no directive, footnote, target or substitution.
fn is_comment(text: &str) -> bool {
    !text.starts_with(['[', '_', '|']) && directive(text).is_none()
}

/// The name of a directive: "code-block::".
fn directive(text: &str) -> Option<&str> {
    let (name, _) = text.split_once("::")?;
    let is_name =
        !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b':' | b'_'));
    is_name.then_some(name)
}

/// The text of a line behind its two dots, and whether what stands below is text.
fn explicit(text: &str, range: Range<usize>) -> (Vec<Cell>, bool) {
    let content = &text[range.clone()];
    let cell = |range: Range<usize>| {
        let range = trim(text, range);
        if text[range.clone()].contains(char::is_alphanumeric) {
            vec![Cell { range, escape: Escape::None }]
        } else {
            Vec::new()
        }
    };
    // A footnote or citation: "[1] Text", "[#note] Text".
    if content.starts_with('[')
        && let Some(end) = content.find("] ")
    {
        return (cell(range.start + end + 1..range.end), true);
    }
    match directive(content) {
        Some(name) if WITH_TEXT.contains(&name) => (cell(range.start + name.len() + 2..range.end), true),
        Some(name) => (Vec::new(), ABOVE_TEXT.contains(&name)),
        // A target, a substitution or a comment.
        None => (Vec::new(), false),
    }
}

/// Options directly below a directive: only some of them are text.
fn options(text: &str, lines: &mut [Line]) {
    for line in lines {
        let content = trim(text, line.range.clone());
        let option = text[content.clone()].strip_prefix(':').and_then(|rest| rest.split_once(':'));
        let Some((name, value)) = option else { break };
        let value = trim(text, content.end - value.len()..content.end);
        let is_text = TEXTS.contains(&name) && !value.is_empty();
        line.set(
            Form::Structured,
            if is_text { vec![Cell { range: value, escape: Escape::None }] } else { Vec::new() },
        );
    }
}

#[cfg(test)]
mod tests {
    use super::mark;
    use crate::text::structure::lines::{Form, split};

    /// What is text, and in brackets the lines that are not known yet.
    fn texts(text: &str) -> Vec<String> {
        let mut lines = split(text);
        mark(text, &mut lines);
        let mut found = Vec::new();
        for line in lines.iter().filter(|line| !line.is_blank(text)) {
            found.extend(line.cells.iter().map(|cell| text[cell.range.clone()].to_owned()));
            if line.form == Form::Unknown {
                found.push(format!("[{}]", line.of(text)));
            }
        }
        found
    }

    #[test]
    fn directives() {
        assert_eq!(texts(".. note::\n   It is old.\n\nMore"), ["[   It is old.]", "[More]"]);
        assert_eq!(texts(".. note:: It is old."), ["It is old."]);
        assert_eq!(texts(".. code-block:: python\n\n   def main():\n\n       pass\n\nMore"), ["[More]"]);
        assert_eq!(texts(".. toctree::\n   :maxdepth: 2\n\n   start\nMore"), ["[More]"]);
        assert_eq!(texts(".. image:: a.png\n   :alt: A house\n   :width: 20"), ["A house"]);
        assert_eq!(texts(".. [1] A footnote."), ["A footnote."]);
        assert_eq!(texts(".. _a-label:\n.. |x| replace:: y\n.. A comment"), [""; 0]);
    }

    #[test]
    fn literal_blocks() {
        assert_eq!(texts("Do this::\n\n    make it\n\nMore"), ["Do this:", "[More]"]);
        assert_eq!(texts("::\n\n  a\nMore"), ["[More]"]);
        assert_eq!(texts("call std::\nMore"), ["[call std::]", "[More]"]);
        assert_eq!(texts("... and so on\n.. and more"), ["[... and so on]", "[.. and more]"]);
    }
}

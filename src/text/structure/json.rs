//! Lines of JSON and of objects in programs: values between quotes are text.

use super::Cell;
use super::lines::{Form, Line, trim};
use super::strings::{cells, string};
use std::ops::Range;

/// What a line of JSON contains.
#[derive(Debug, Default)]
struct Tokens {
    /// Strings that are values: bytes between the quotes.
    values: Vec<Range<usize>>,
    keys: usize,
    /// Whether one of the keys has no quotes.
    bare_key: bool,
    brackets: usize,
    /// Whether a comma or semicolon ends it.
    is_ended: bool,
}

/// Finds the lines of JSON: those with keys, or with brackets around strings, are certain; others count where they stand among these.
pub fn mark(text: &str, lines: &mut [Line]) {
    let mut tokens: Vec<Option<Tokens>> = Vec::with_capacity(lines.len());
    for line in lines.iter() {
        tokens.push(if line.is_open(text) { tokenize(text, trim(text, line.range.clone())) } else { None });
    }
    let mut index = 0;
    while index < lines.len() {
        // A run of lines that could all be JSON, with blank ones between.
        let run = tokens[index..].iter().zip(&lines[index..]);
        let length = run.take_while(|(found, line)| found.is_some() || line.is_blank(text)).count();
        let found = &tokens[index..index + length];
        let certain = |tokens: &Tokens| {
            let has_key = tokens.keys > 0 && (!tokens.bare_key || tokens.brackets > 0 || tokens.is_ended);
            has_key || tokens.brackets > 0 && !tokens.values.is_empty()
        };
        if found.iter().flatten().any(certain) {
            for (line, tokens) in lines[index..index + length].iter_mut().zip(found) {
                let Some(tokens) = tokens else { continue };
                let mut found: Vec<Cell> = Vec::new();
                for value in &tokens.values {
                    cells(text, value.clone(), text[..value.start].chars().next_back(), &mut found);
                }
                line.set(Form::Structured, found);
            }
        }
        index += length.max(1);
    }
}

/// The tokens of a range that is all JSON; none if it is not.
fn tokenize(text: &str, range: Range<usize>) -> Option<Tokens> {
    let mut tokens = Tokens::default();
    let mut at = range.start;
    // Whether a value has just ended, so that another one cannot follow.
    let mut after_value = false;
    let mut open = 0usize;
    while at < range.end {
        let byte = text.as_bytes()[at];
        match byte {
            b' ' | b'\t' => at += 1,
            b'{' | b'[' if !after_value => {
                open += 1;
                tokens.brackets += 1;
                at += 1;
            }
            b'}' | b']' | b',' => {
                // A comma first, or two of them, is prose or program.
                if byte == b',' && !after_value {
                    return None;
                }
                after_value = byte != b',';
                open = open.saturating_sub(usize::from(after_value));
                tokens.brackets += usize::from(after_value);
                at += 1;
                tokens.is_ended |= byte == b',' && at == range.end;
            }
            b';' if text[at..range.end].trim_end() == ";" && after_value => {
                tokens.is_ended = true;
                at = range.end;
            }
            b'"' | b'\'' if !after_value => {
                let content = string(text, at, range.end)?;
                at = content.end + 1;
                let behind = text[at..range.end].trim_start();
                if behind.starts_with(':') {
                    at = range.end - behind.len() + 1;
                    tokens.keys += 1;
                } else {
                    // 'rock 'n' roll' and "he said "no"" are prose.
                    if !behind.is_empty() && !behind.starts_with([',', '}', ']', ';']) {
                        return None;
                    }
                    tokens.values.push(content);
                    after_value = true;
                }
            }
            _ if !after_value => {
                let rest = &text[at..range.end];
                let name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '-' | '.' | '+');
                let word = &rest[..rest.find(|c| !name(c)).unwrap_or(rest.len())];
                at += word.len();
                let behind = rest[word.len()..].trim_start();
                if word.is_empty() {
                    return None;
                }
                if let Some(value) = behind.strip_prefix(':') {
                    // `title: "…"` of a program; in prose, a word before a colon has more than a string after it.
                    let value = value.trim_start();
                    if word.starts_with(|c: char| c.is_ascii_uppercase())
                        || !(value.starts_with(['"', '\'', '{', '[']) || open > 0)
                    {
                        return None;
                    }
                    tokens.keys += 1;
                    tokens.bare_key = true;
                    at = range.end - behind.len() + 1;
                } else if matches!(word, "true" | "false" | "null" | "undefined") || word.parse::<f64>().is_ok() {
                    after_value = true;
                } else {
                    return None;
                }
            }
            _ => return None,
        }
    }
    Some(tokens)
}

#[cfg(test)]
mod tests {
    use super::mark;
    use crate::text::structure::lines::split;

    fn values(text: &str) -> Vec<Vec<&str>> {
        let mut lines = split(text);
        mark(text, &mut lines);
        lines.iter().map(|line| line.cells.iter().map(|cell| &text[cell.range.clone()]).collect()).collect()
    }

    #[test]
    fn values_are_text() {
        let text = "{\n  \"heading\": \"Old town\",\n  \"list\": [\n    \"green\", \"red and \\\"blue\\\"\",\n    \"one\\ntwo\"\n  ],\n  \"count\": 5, \"on\": true\n}";
        assert_eq!(
            values(text),
            [
                vec![],
                vec!["Old town"],
                vec![],
                vec!["green", "red and \\\"blue\\\""],
                vec!["one", "two"],
                vec![],
                vec![],
                vec![]
            ]
        );
        assert_eq!(values("  \"heading\": \"Old town\","), [["Old town"]]);
        assert_eq!(values("[\"green\", \"red\"]"), [["green", "red"]]);
        assert_eq!(values("  heading: 'Old town',"), [["Old town"]]);
    }

    #[test]
    fn prose_is_none() {
        for text in [
            "\"A heading\"",
            "[Music]",
            "{name}",
            "\"Hello,\" she said.",
            "Note: \"this\"",
            "note: this",
            "'rock 'n' roll'",
            "[1, 2]",
            "Yes, no",
        ] {
            assert_eq!(values(text).concat(), [""; 0], "{text}");
        }
    }
}

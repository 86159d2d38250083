//! Fields between commas or semicolons (RFC 4180), where a line or its neighbours leave no doubt that they are fields.

use super::lines::{Form, Line, split};
use super::{Cell, Escape};
use std::ops::Range;

/// Most lines that one record may span, since quoted fields may hold line breaks.
const MAX_LINES: usize = 64;

/// A field: its text without the quotes around it.
#[derive(Debug)]
struct Field {
    range: Range<usize>,
    is_quoted: bool,
}

/// The fields of a record.
#[derive(Debug)]
struct Record {
    fields: Vec<Field>,
    /// How many lines it spans.
    lines: usize,
    /// Whether white space follows a separator, as in prose.
    is_spaced: bool,
}

/// Finds the records.
pub fn mark(text: &str, lines: &mut [Line]) {
    for separator in [';', ','] {
        let mut index = 0;
        while index < lines.len() {
            let mut records = Vec::new();
            let mut next = index;
            while let Some(record) = record(text, lines, next, separator) {
                let first = records.first().map_or(record.fields.len(), |first: &(usize, Record)| first.1.fields.len());
                if record.fields.len() != first {
                    break;
                }
                let count = record.lines;
                records.push((next, record));
                next += count;
            }
            let all = are_records(text, &records, separator);
            for pair in records.chunks(1).filter(|alone| all || are_records(text, alone, separator)) {
                let (index, record) = &pair[0];
                set(text, &mut lines[*index..index + record.lines], record, separator);
            }
            index = next.max(index + 1);
        }
    }
}

fn set(text: &str, lines: &mut [Line], record: &Record, separator: char) {
    let mut cells = Vec::new();
    for Field { range, is_quoted } in &record.fields {
        let escape = if *is_quoted { Escape::Doubled('"') } else { Escape::Unquoted { separator } };
        for line in split(&text[range.clone()]) {
            let range = range.start + line.range.start..range.start + line.range.end;
            if !text[range.clone()].trim().is_empty() && escape.is_faithful(&text[range.clone()]) {
                cells.push(Cell { range, escape });
            }
        }
    }
    lines.iter_mut().for_each(|line| line.set(Form::Structured, Vec::new()));
    lines[0].cells = cells;
}

/// Reads the record that begins with a line, if it is one of at least two fields.
fn record(text: &str, lines: &[Line], index: usize, separator: char) -> Option<Record> {
    let line = lines.get(index).filter(|line| line.form == Form::Unknown)?;
    if !line.of(text).contains(separator) && !line.of(text).starts_with('"') {
        return None;
    }
    let last = (index + MAX_LINES).min(lines.len()) - 1;
    let mut record = Record { fields: Vec::new(), lines: 1, is_spaced: false };
    let mut at = line.range.start;
    loop {
        let end = lines[index + record.lines - 1].range.end;
        let spaces = text[at..end].len() - text[at..end].trim_start_matches(' ').len();
        if text[at + spaces..end].starts_with('"') {
            let start = at + spaces + 1;
            // The quote that is not doubled.
            let mut close = start;
            loop {
                let quote = text[close..lines[last].range.end].find('"')?;
                close += quote + 1;
                if !text[close..].starts_with('"') {
                    break;
                }
                close += 1;
            }
            record.fields.push(Field { range: start..close - 1, is_quoted: true });
            while lines[index + record.lines - 1].range.end < close {
                record.lines += 1;
                lines.get(index + record.lines - 1).filter(|line| line.form == Form::Unknown)?;
            }
            let end = lines[index + record.lines - 1].range.end;
            at = close + text[close..end].len() - text[close..end].trim_start_matches(' ').len();
        } else {
            let length = text[at..end].find([separator, '"']).unwrap_or(end - at);
            // An unquoted field with a quote inside, such as for inches, goes on to the separator.
            let length = length + text[at + length..end].find(separator).unwrap_or(end - at - length);
            record.fields.push(Field { range: at..at + length, is_quoted: false });
            at += length;
        }
        let end = lines[index + record.lines - 1].range.end;
        if at == end {
            break;
        }
        let rest = text[at..end].strip_prefix(separator)?;
        record.is_spaced |= rest.starts_with(' ');
        at += separator.len_utf8();
    }
    (record.fields.len() >= 2).then_some(record)
}

/// Whether consecutive records of the same number of fields are certainly records.
fn are_records(text: &str, records: &[(usize, Record)], separator: char) -> bool {
    let Some((_, first)) = records.first() else { return false };
    let count = first.fields.len();
    let field = |field: &Field| text[field.range.clone()].trim();
    let has_letter = |field: &Field| text[field.range.clone()].contains(char::is_alphabetic);
    if !records.iter().any(|(_, record)| record.fields.iter().any(has_letter)) {
        return false;
    }
    let tight = records.iter().all(|(_, record)| !record.is_spaced);
    // "1,234" and "https://example.org/a,b" have commas too.
    let divides = |record: &Record| {
        record.fields.windows(2).any(|pair| {
            let figure = |place: Option<char>| place.is_some_and(|c| c.is_ascii_digit());
            pair[0].is_quoted
                || pair[1].is_quoted
                || !(figure(field(&pair[0]).chars().next_back()) && figure(field(&pair[1]).chars().next()))
        })
    };
    // Programs, addresses, styles ("color:red;"), and semicolons of entities ("&lt;").
    let is_code = |f: &Field| {
        let text = field(f);
        let entity =
            text.rfind('&').is_some_and(|at| text[at + 1..].bytes().all(|b| b.is_ascii_alphanumeric() || b == b'#'));
        let declaration = text.split_once(':').is_some_and(|(name, value)| is_name(name) && !value.starts_with(' '));
        text.contains("://")
            || !f.is_quoted
                && (text.contains(['(', ')', '{', '}', '<', '>', '=', '`'])
                    || separator == ';' && (entity || declaration))
    };
    let code = |record: &Record| record.fields.iter().any(is_code);
    if let [(_, record)] = records {
        if record.lines > 1 || !tight || code(record) {
            return false;
        }
        let quoted = record.fields.iter().filter(|field| field.is_quoted).count();
        let bare = record.fields.iter().filter(|field| !field.is_quoted && has_letter(field)).count();
        if quoted > 0 && (count > 2 || bare == 0) {
            return true;
        }
        let lettered = record.fields.iter().filter(|&field| has_letter(field)).count();
        let words = record.fields.iter().all(|f| !field(f).contains(char::is_whitespace));
        let ends = field(record.fields.last().unwrap_or(&record.fields[0])).ends_with(['.', '!', '?']);
        return count > 2 && lettered >= 2 && divides(record) && (words || separator == ';' && !ends);
    }
    if tight {
        let short = |record: &Record| record.fields.iter().any(|f| !field(f).contains(char::is_whitespace));
        return records
            .iter()
            .all(|(_, record)| divides(record) && !((count == 2 || separator == ';') && code(record)))
            && (count > 2 || records.iter().any(|(_, record)| short(record)));
    }
    // With spaces after the separators: short fields in several lines, none of which is a sentence.
    let short = |f: &Field| {
        f.is_quoted || field(f).split_whitespace().count() <= 3 && !field(f).ends_with(['.', '!', '?', ':'])
    };
    records.len() > 2
        && count > 2
        && records.iter().all(|(_, record)| record.fields.iter().all(short) && divides(record) && !code(record))
}

/// A word of a style sheet.
fn is_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_lowercase() || b == b'-')
}

#[cfg(test)]
mod tests {
    use super::mark;
    use crate::text::structure::lines::split;

    fn fields(text: &str) -> Vec<Vec<&str>> {
        let mut lines = split(text);
        mark(text, &mut lines);
        lines.iter().map(|line| line.cells.iter().map(|cell| text[cell.range.clone()].trim()).collect()).collect()
    }

    #[test]
    fn records_are_divided() {
        let text =
            "number,colour,remark\n7,\"dark green\",\"wide, with \"\"handles\"\"\"\n8,red,\n\n9;light blue;narrow";
        assert_eq!(
            fields(text),
            [
                vec!["number", "colour", "remark"],
                vec!["7", "dark green", "wide, with \"\"handles\"\""],
                vec!["8", "red"],
                vec![],
                vec!["9", "light blue", "narrow"],
            ]
        );
        assert_eq!(fields("dog,Hund\nold tree,alter Baum"), [["dog", "Hund"], ["old tree", "alter Baum"]]);
        assert_eq!(
            fields("a,\"two\nlines\",c\nd,\"three\nmore\",f"),
            [vec!["a", "two", "lines", "c"], vec![], vec!["d", "three", "more", "f"], vec![]]
        );
        assert_eq!(
            fields("Town, Land, River\nBonn, Germany, Rhine\nLinz, Austria, Danube")[1],
            ["Bonn", "Germany", "Rhine"]
        );
    }

    #[test]
    fn prose_is_none() {
        for text in [
            "Yes, I do, and so does she.",
            "Yes, I do\nNo, I do not",
            "It cost 1,200 pounds\nIt weighs 3,400 tons",
            "\"Hello,\" she said.",
            "\"Hello\nworld\", she said.\nNo, he said.",
            "He came; he saw; he won.",
            "Wait;then go",
            "call(first,second,third)",
            "see https://example.org/a,b,c",
            "1,200,300",
            "a&lt;b&gt;c&amp;d",
            "color:red;margin:auto;border:none",
        ] {
            assert!(fields(text).iter().all(Vec::is_empty), "{text}: {:?}", fields(text));
        }
    }
}

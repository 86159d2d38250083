//! Signs between the cells of a line: tabs, bars, middle dots, bullets, box drawings, leaders, arrows of menu paths.

use super::lines::{Form, Line};
use std::ops::Range;

/// Longest override of subtitles, `{\an8}`, in characters.
const MAX_OVERRIDE: usize = 100;

/// Most words in a menu entry; more are a sentence.
const MAX_ENTRY_WORDS: usize = 4;

/// Appends the ranges of a line that divide its cells, ascending for each kind of sign.
pub fn borders(line: &str, is_row: bool, found: &mut Vec<Range<usize>>) {
    let code = line.contains('`');
    let row = is_row || is_closed_row(line);
    let is_sentence = line.trim_end().ends_with(['.', '!', '?']);
    let mut in_code = false;
    let mut skip = 0;
    for (at, c) in line.char_indices() {
        if at < skip {
            continue;
        }
        let end = at + c.len_utf8();
        match c {
            '\t' => found.push(at..end),
            '`' => in_code = !in_code,
            '|' if row && (in_code || line[..at].ends_with('\\')) => {}
            '|' if row => found.push(at..end),
            // In a line with code a bar may be a pipe.
            '|' | '¦' if !code && stands_alone(line, at..end) && !(is_sentence && is_named(line, at..end)) => {
                found.push(at..end);
            }
            '·' | '•' if !code && stands_alone(line, at..end) => found.push(at..end),
            '\u{2500}'..='\u{257f}' => found.push(at..end),
            '.' | '_' | '=' | '~' | '*' | '-' | '…' => {
                let run = leader(&line[at..], c);
                if run > 0 {
                    found.push(at..at + run);
                }
                // A run that is no leader from its start is none from further on.
                let same = line[at..].len() - line[at..].trim_start_matches(c).len();
                skip = at + run.max(same);
            }
            '{' if line[end..].starts_with('\\') => {
                let length =
                    line[end..].chars().take(MAX_OVERRIDE).take_while(|c| *c != '}').map(char::len_utf8).sum::<usize>();
                if line[end + length..].starts_with('}') {
                    skip = end + length + 1;
                    found.push(at..skip);
                }
            }
            '\\' => {
                if let Some(length) = written_break(line, skip, at) {
                    skip = at + length;
                    found.push(at..skip);
                } else if line[end..].starts_with('\\') {
                    skip = end + 1;
                }
            }
            _ => {}
        }
    }
}

/// A row of a table that has bars at both ends.
fn is_closed_row(line: &str) -> bool {
    let row = line.trim();
    row.len() > 2 && row.starts_with('|') && row.ends_with('|')
}

/// Which lines are rows without spaces around their bars, as in "Ann|12|red": two or more bars, and as many in a line beside it.
pub fn tight_rows(text: &str, lines: &[Line]) -> Vec<bool> {
    let bars: Vec<usize> = lines
        .iter()
        .map(|line| {
            let content = line.of(text);
            let is_open = line.form == Form::Unknown && content.contains('|');
            // Two bars in a row are an operator, and a row with code may have pipes.
            if is_open && !content.contains("||") && !content.contains(['`', '(', '{', '\\']) {
                content.matches('|').count()
            } else {
                0
            }
        })
        .collect();
    let is_row = |index: usize| {
        bars[index] >= 2
            && (index > 0 && bars[index - 1] == bars[index]
                || bars.get(index + 1).is_some_and(|next| *next == bars[index]))
    };
    (0..lines.len()).map(is_row).collect()
}

/// Whether there is white space or nothing on both sides.
fn stands_alone(line: &str, sign: Range<usize>) -> bool {
    let (before, after) = (line[..sign.start].chars().next_back(), line[sign.end..].chars().next());
    before.is_none_or(char::is_whitespace) && after.is_none_or(char::is_whitespace)
}

/// Whether a sentence goes on across a bar, which it mentions or which is a pipe: "the | character".
fn is_named(line: &str, sign: Range<usize>) -> bool {
    let (before, after) = (line[..sign.start].trim_end(), line[sign.end..].trim_start());
    before.ends_with(char::is_alphanumeric) && after.starts_with(char::is_lowercase)
}

/// The length in bytes of a run of one sign that leads the eye, as in a table of contents or a form; dots may have spaces between them.
fn leader(text: &str, sign: char) -> usize {
    let run = text.len() - text.trim_start_matches(sign).len();
    // Two are an ellipsis in Chinese.
    let least = if sign == '…' { 3 } else { 5 };
    if run / sign.len_utf8() >= least {
        return run;
    }
    if sign == '.' && run == 1 {
        let dots =
            text.as_bytes().chunks(2).take_while(|pair| pair[0] == b'.' && pair.get(1).is_none_or(|&b| b == b' '));
        let dots = dots.count();
        if dots >= 4 {
            return (2 * dots).min(text.len());
        }
    }
    0
}

/// The length in bytes of line breaks and tabs written with backslashes, "\n", where they cannot be part of a path: what follows is a capital,
/// white space, a quote, the end, or another one. Looks back no further than `from`.
fn written_break(line: &str, from: usize, at: usize) -> Option<usize> {
    let mut length = 0;
    while let Some([b'\\', b'n' | b't' | b'r' | b'N']) = line.as_bytes().get(at + length..at + length + 2) {
        length += 2;
    }
    let next = line[at + length..].chars().next();
    let ends = next.is_none_or(|c| c.is_uppercase() || c.is_whitespace() || matches!(c, '"' | '\'' | '-' | '•'));
    // The word it is in, as far as it reaches back: "C:\New" and "\\host\Notes" are paths.
    let mut word = line[from.min(at)..at].chars().rev().take(64).take_while(|c| !c.is_whitespace());
    let in_path = word.any(|c| matches!(c, ':' | '\\' | '/' | '='));
    (length > 0 && ends && !in_path).then_some(length)
}

/// The signs of a path through menus or pages, "File → Save As", if the whole piece is one: entries of few words without sentence
/// punctuation.
pub fn path(piece: &str) -> Vec<Range<usize>> {
    let mut signs: Vec<Range<usize>> = Vec::new();
    let mut arrows_only = true;
    let (quotes, single_quotes) = (piece.contains('«'), piece.contains('‹'));
    for (at, c) in piece.char_indices() {
        let range = at..at + c.len_utf8();
        let is_sign = match c {
            '→' | '⇒' | '➔' | '➜' | '▸' | '►' => true,
            '›' => !single_quotes,
            '»' => !quotes,
            '>' => true,
            _ => false,
        };
        if is_sign && stands_alone(piece, range.clone()) {
            arrows_only &= c != '>';
            signs.push(range);
        }
    }
    let mut start = 0;
    let entries = signs.iter().map(|sign| sign.start).chain([piece.len()]);
    let starts = signs.iter().map(|sign| sign.end);
    let mut are_entries = !signs.is_empty();
    for (end, next) in entries.zip(starts.chain([piece.len()])) {
        are_entries &= is_entry(piece[start..end].trim(), arrows_only);
        start = next;
    }
    if are_entries { signs } else { Vec::new() }
}

/// Whether this can be an entry of a menu. `arrows`: the sign between them has no other meaning.
fn is_entry(entry: &str, arrows: bool) -> bool {
    let words = entry.split_whitespace().take(MAX_ENTRY_WORDS + 1).count();
    let starts = entry.starts_with(|c: char| {
        c.is_uppercase() || c.is_alphabetic() && !c.is_lowercase() || arrows && c.is_ascii_digit()
    });
    let named = entry.chars().take(2).filter(|c| c.is_alphabetic()).count() == 2 || arrows;
    let stop = |c: char| matches!(c, '.' | '!' | '?' | ',' | ';' | ':' | '=' | '<' | '(' | ')' | '{' | '}');
    let stops = entry.trim_end_matches('…').trim_end_matches("...").contains(stop);
    (1..=MAX_ENTRY_WORDS).contains(&words) && starts && named && !stops
}

/// Whether a line divides a Markdown table's head from its body: `|---|:--:|`.
pub fn is_delimiter_row(line: &str) -> bool {
    let row = line.trim();
    row.contains('|')
        && row.contains('-')
        && row.trim_matches('|').split('|').all(|cell| {
            let cell = cell.trim();
            let dashes = cell.strip_prefix(':').unwrap_or(cell);
            let dashes = dashes.strip_suffix(':').unwrap_or(dashes);
            !dashes.is_empty() && dashes.bytes().all(|b| b == b'-')
        })
}

#[cfg(test)]
mod tests {
    use super::{borders, is_delimiter_row, path};

    fn cells(line: &str) -> Vec<&str> {
        let mut found = Vec::new();
        borders(line, false, &mut found);
        let mut start = 0;
        let mut cells = Vec::new();
        for border in found {
            cells.push(line[start..border.start].trim());
            start = border.end;
        }
        cells.push(line[start..].trim());
        cells.retain(|cell| !cell.is_empty());
        cells
    }

    #[test]
    fn signs_divide() {
        assert_eq!(cells("Home · News | About • us"), ["Home", "News", "About", "us"]);
        assert_eq!(cells("|Name|a `x|y` b|5\\|6|"), ["Name", "a `x|y` b", "5\\|6"]);
        assert_eq!(cells("Run `ls | wc` first"), ["Run `ls | wc` first"]);
        assert_eq!(cells("either|or"), ["either|or"]);
        assert_eq!(cells("Put the | sign between them."), ["Put the | sign between them."]);
        assert_eq!(cells("red | green | dark blue"), ["red", "green", "dark blue"]);
        assert_eq!(cells("│ Name │ Age │"), ["Name", "Age"]);
        assert_eq!(cells("First steps ........ 12"), ["First steps", "12"]);
        assert_eq!(cells("First steps . . . . . 12"), ["First steps", "12"]);
        assert_eq!(cells("Name: ________ Date: ________"), ["Name:", "Date:"]);
        assert_eq!(cells("Well... I think so."), ["Well... I think so."]);
        assert_eq!(cells("{\\an8}\u{266a} Above"), ["\u{266a} Above"]);
        assert_eq!(cells("First line\\nSecond\\tThird\\n"), ["First line", "Second", "Third"]);
        assert_eq!(cells("in C:\\New\\Texts or path\\to\\notes"), ["in C:\\New\\Texts or path\\to\\notes"]);
    }

    #[test]
    fn paths_are_whole_lines_of_names() {
        for (text, count) in [
            ("File → Save As", 1),
            ("Settings › Privacy › Cookies", 2),
            ("Home » Garden Chairs » Green", 2),
            ("Tools > Options > Fonts", 2),
            ("Einstellungen → Ton → 2 Kanäle", 2),
            ("x > y", 0),
            ("Price > 100", 0),
            ("« Bonjour » dit Paul", 0),
            ("Choose File → Save As and then go home.", 0),
            ("File", 0),
        ] {
            assert_eq!(path(text).len(), count, "{text}");
        }
    }

    #[test]
    fn delimiter_rows() {
        for row in ["|---|", "--- | :--:", "| :-- | --: | - |"] {
            assert!(is_delimiter_row(row), "{row}");
        }
        for row in ["---", "| a | b |", "||", "- | x"] {
            assert!(!is_delimiter_row(row), "{row}");
        }
    }
}

//! Markdown's definitions of references, `[manual]: https://example.org "The manual"`, and marks of callouts, `[!NOTE]`: of these only the title is
//! text.

use super::lines::{Form, Line, trim};
use super::{Cell, Escape};
use std::ops::Range;

/// Finds the lines.
pub fn mark(text: &str, lines: &mut [Line]) {
    for line in lines.iter_mut().filter(|line| line.form == Form::Unknown) {
        let content = trim(text, line.range.clone());
        let marks = text[content.clone()].trim_start_matches(['>', ' ']);
        if is_callout(marks) {
            line.set(Form::Structured, Vec::new());
        } else if let Some(title) = definition(&text[content.clone()]) {
            let range = content.start + title.start..content.start + title.end;
            let is_text = text[range.clone()].contains(char::is_alphabetic);
            let cells = if is_text { vec![Cell { range, escape: Escape::None }] } else { Vec::new() };
            line.set(Form::Structured, cells);
        }
    }
}

/// `[!NOTE]`
fn is_callout(text: &str) -> bool {
    let name = text.strip_prefix("[!").and_then(|rest| rest.strip_suffix(']'));
    name.is_some_and(|name| !name.is_empty() && name.bytes().all(|b| b.is_ascii_uppercase()))
}

/// The title of a definition, empty if it has none.
fn definition(line: &str) -> Option<Range<usize>> {
    let (name, rest) = line.strip_prefix('[')?.split_once("]:")?;
    let target = rest.trim_start();
    let spaced = target.len() < rest.len();
    let length = target.find(char::is_whitespace).unwrap_or(target.len());
    let address = &target[..length];
    let is_bracketed = address.starts_with('<') && address.ends_with('>');
    let is_address = is_bracketed
        || address.contains("://")
        || address.starts_with(['/', '#', '.']) && address.len() > 1
        || address.starts_with("mailto:");
    if name.is_empty() || name.starts_with('^') || name.contains(['[', ']']) || !spaced || !is_address {
        return None;
    }
    let title = target[length..].trim();
    let end = line.trim_end().len();
    let quotes = [('"', '"'), ('\'', '\''), ('(', ')')];
    let quoted =
        quotes.iter().any(|&(open, close)| title.len() > 2 && title.starts_with(open) && title.ends_with(close));
    match (title.is_empty(), quoted) {
        (true, _) => Some(end..end),
        (false, true) => Some(end - title.len() + 1..end - 1),
        (false, false) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{definition, is_callout};

    #[test]
    fn definitions() {
        let title = |line: &'static str| definition(line).map(|range| &line[range]);
        assert_eq!(title("[ref]: https://example.org/a \"The manual\""), Some("The manual"));
        assert_eq!(title("[the guide]: <https://example.org>"), Some(""));
        assert_eq!(title("[a]: ./notes.md 'My notes'"), Some("My notes"));
        for line in
            ["[Ann]: well, yes", "[^1]: https://example.org", "[a]: https://example.org is here", "[a]:b", "[]: /x"]
        {
            assert_eq!(title(line), None, "{line}");
        }
    }

    #[test]
    fn callouts() {
        assert!(is_callout("[!NOTE]") && !is_callout("[!]") && !is_callout("[!Well]") && !is_callout("[NOTE]"));
    }
}

//! Code between Markdown fences: lines of backticks or tildes. It is not text.

use super::lines::{Form, Line};

/// A line that opens or closes code.
#[derive(Clone, Copy, Debug)]
struct Fence {
    line: usize,
    sign: u8,
    length: usize,
    /// Whether the line has nothing else, so that it can close.
    is_bare: bool,
}

/// Finds fenced code that is closed.
pub fn mark(text: &str, lines: &mut [Line]) {
    let fences: Vec<Fence> = lines.iter().enumerate().filter_map(|(index, line)| fence(index, line.of(text))).collect();
    if fences.is_empty() {
        return;
    }
    // For each fence, the longest bare ones of either sign after it: whether looking for a partner is worthwhile.
    let mut longest = vec![[0usize; 2]; fences.len() + 1];
    for (index, fence) in fences.iter().enumerate().rev() {
        longest[index] = longest[index + 1];
        if fence.is_bare {
            let slot = &mut longest[index][usize::from(fence.sign == b'~')];
            *slot = (*slot).max(fence.length);
        }
    }
    let mut index = 0;
    while index < fences.len() {
        let open = fences[index];
        let closes = |close: &Fence| close.sign == open.sign && close.is_bare && close.length >= open.length;
        let worth = longest[index + 1][usize::from(open.sign == b'~')] >= open.length;
        let close = if worth { fences[index + 1..].iter().position(closes) } else { None };
        match close.map(|offset| index + 1 + offset) {
            Some(close) => {
                lines[open.line..=fences[close].line]
                    .iter_mut()
                    .for_each(|line| line.set(Form::Structured, Vec::new()));
                index = close + 1;
            }
            None => index += 1,
        }
    }
}

fn fence(line: usize, text: &str) -> Option<Fence> {
    let content = text.trim_start_matches([' ', '>']);
    let sign = *content.as_bytes().first().filter(|sign| matches!(sign, b'`' | b'~'))?;
    let rest = content.trim_start_matches(char::from(sign));
    let length = content.len() - rest.len();
    // Backticks after it would be code within a line.
    (length >= 3 && !rest.contains('`')).then_some(Fence { line, sign, length, is_bare: rest.trim().is_empty() })
}

#[cfg(test)]
mod tests {
    use super::mark;
    use crate::text::structure::lines::{Form, split};

    #[test]
    fn code_is_no_text() {
        let text = "Before\n```rust\nlet a = 1;\n~~~\n```\nBetween\n````\n```\nmore\n`````\n```\nnever closed";
        let mut lines = split(text);
        mark(text, &mut lines);
        let open: Vec<&str> =
            lines.iter().filter(|line| line.form == Form::Unknown).map(|line| line.of(text)).collect();
        assert_eq!(open, ["Before", "Between", "```", "never closed"]);
    }
}

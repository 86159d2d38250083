//! What other programs read in a document before a browser does: PHP, and templates with `<% %>` or `{% %}`.
//!
//! A browser would take `<?php if ($a > 1): ?>` for a comment that ends at the first `>`, and `<%` for text. So the document is parsed with
//! blanks in place of instructions, since these may stand anywhere: in text, between rows of a table, inside tags.

use std::ops::Range;

use super::tokens::InstructionKind;

/// An instruction and what it leaves in the page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Instruction {
    pub range: Range<usize>,
    pub kind: InstructionKind,
}

/// How instructions begin and end. PHP's last one needs no end.
const FORMS: [(&str, &str); 5] = [("<?php", "?>"), ("<?=", "?>"), ("<? ", "?>"), ("<%", "%>"), ("{%", "%}")];

/// The instructions of a document, ascending. Time is linear: an end is looked for once after the last one found.
pub(super) fn find(source: &str) -> Vec<Instruction> {
    let mut found: Vec<Instruction> = Vec::new();
    // For each form, from where the next end was looked for, and where it is.
    let mut ends: [Option<(usize, Option<usize>)>; FORMS.len()] = [None; FORMS.len()];
    let mut at = 0;
    while let Some(start) = source[at..].find(['<', '{']).map(|index| at + index) {
        at = start + 1;
        let rest = &source[start..];
        let has_prefix =
            |prefix: &str| rest.get(..prefix.len()).is_some_and(|found| found.eq_ignore_ascii_case(prefix));
        let Some(form) = FORMS.iter().position(|(prefix, _)| has_prefix(prefix)) else { continue };
        let (prefix, suffix) = FORMS[form];
        let from = start + prefix.len();
        let end = match ends[form] {
            Some((_, Some(end))) if end >= from => Some(end),
            Some((_, None)) => None,
            _ => source[from..].find(suffix).map(|index| from + index),
        };
        ends[form] = Some((from, end));
        let end = match end {
            Some(end) => end + suffix.len(),
            None if prefix == "<?php" => source.len(),
            None => continue,
        };
        let content = source[from..end].trim_start();
        let is_output = match prefix {
            "<?=" => true,
            "<%" => content.starts_with(['=', '-']) && !content.starts_with("--"),
            "<?php" | "<? " => is_echo(content.trim_end_matches("?>")),
            _ => false,
        };
        let kind = if is_output { InstructionKind::Output } else { InstructionKind::Control };
        found.push(Instruction { range: start..end, kind });
        at = end;
    }
    found
}

/// Whether PHP code is a single statement that writes.
fn is_echo(code: &str) -> bool {
    let code = code.trim().trim_end_matches(';');
    let word = code.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or_default();
    matches!(word.to_ascii_lowercase().as_str(), "echo" | "print") && !code.contains(';')
}

/// The source with instructions replaced by as many bytes of blanks. What stands for a value without quotes has to be a value, though.
pub(super) fn masked(source: &str, instructions: &[Instruction]) -> String {
    let mut text = String::with_capacity(source.len());
    for Instruction { range, .. } in instructions {
        text.push_str(&source[text.len()..range.start]);
        let filler = if text.trim_end().ends_with('=') { "x" } else { " " };
        text.extend(std::iter::repeat_n(filler, range.len()));
    }
    text.push_str(&source[text.len()..]);
    text
}

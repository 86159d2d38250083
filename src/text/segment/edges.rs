//! What stands at the ends of a sentence but is not part of it: white space, pictures, bullets, labels of list items.

use std::ops::Range;

use super::stops::{first_word, is_roman_number, is_starter};
use crate::text::language::Language;

/// Letters of the longest label: "xviii".
const MAX_LABEL: usize = 8;

pub(super) fn trim(text: &str, range: Range<usize>, drops: fn(char) -> bool) -> Range<usize> {
    let content = &text[range.clone()];
    let start = range.start + content.len() - content.trim_start_matches(drops).len();
    if start == range.end {
        return start..start;
    }
    start..range.start + content.trim_end_matches(drops).len()
}

/// The length in bytes of a list item's label, "a)", "(ii)", "[ ]" or "[x]", followed by white space, that a text begins with.
fn label(text: &str) -> Option<usize> {
    let (inside, closer) = match text.strip_prefix('[') {
        Some(inside) => (inside, ']'),
        None => (text.strip_prefix('(').unwrap_or(text), ')'),
    };
    let (name, behind) = inside.split_once(closer)?;
    let is_label = match closer {
        ']' => matches!(name, " " | "x" | "X"),
        _ => {
            let roman = |c: char| matches!(c, 'i' | 'v' | 'x');
            name.len() == 1 && name.chars().all(|c| c.is_ascii_alphabetic())
                || matches!(name.len(), 2..=4) && name.chars().all(roman)
        }
    };
    (is_label && behind.starts_with(char::is_whitespace)).then_some(text.len() - behind.len())
}

/// The length in bytes of a label that a line begins with and that a stop, colon or dash follows, "II. Methods", "A. The house", "i. first",
/// "I: Introduction": a letter or Roman number, where it is neither an initial, an ordinal nor the word "I".
fn heading_label(text: &str, language: Language) -> Option<usize> {
    let name = &text[..text.bytes().take(MAX_LABEL).take_while(u8::is_ascii_alphabetic).count()];
    let is_small = name.bytes().all(|b| matches!(b, b'i' | b'v' | b'x'));
    let is_roman = is_roman_number(name) || name == "I" || is_small;
    if name.is_empty() || !is_roman && name.len() > 1 {
        return None;
    }
    let behind = &text[name.len()..];
    let sign = behind.trim_start().chars().next()?;
    let rest = behind.trim_start().strip_prefix(['.', ':', '-', '–', '—'])?;
    let next = rest.trim_start();
    let word = first_word(next);
    let spaced = rest.starts_with(char::is_whitespace) && (matches!(sign, '-' | '–' | '—') != behind.starts_with(sign));
    // "z. B.", "J. K. Rowling"
    let initial = word.chars().count() == 1 && next[word.len()..].starts_with('.');
    if !spaced || initial || word.is_empty() {
        return None;
    }
    let is_capital = name.starts_with(char::is_uppercase);
    let is_heading = || !text.trim_end().ends_with(['.', '!', '?', '…']);
    let is_label = match sign {
        '.' if !is_capital => true,
        // "II. Weltkrieg", "X. Parteitag"
        '.' if language.ordinal_stop => false,
        '.' => is_starter(next, word, language) || is_roman && (name.len() > 1 || is_heading()),
        // "I – that is, my wife – saw it."
        _ => is_roman && is_capital && next.starts_with(char::is_uppercase) && is_heading(),
    };
    is_label.then_some(text.len() - next.len())
}

/// Whether this many spaces after it set this apart as a number ("1.", "2.1", "(3)") or a bullet of a list. Nobody writes several between
/// words. Word processors write lists this way in web pages, and their bullets as letters and signs of symbol fonts.
pub(in crate::text) fn is_set_apart(mark: &str, spaces: usize) -> bool {
    let is_mark = if mark.contains(|c: char| c.is_ascii_digit()) {
        let figures = mark.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'(' | b')' | b':'));
        // A number alone may also be an amount.
        figures && mark.len() <= MAX_LABEL && (mark.contains(['.', ')', ':']) || spaces > 2)
    } else {
        let mut characters = mark.chars();
        let first = characters.next();
        characters.next().is_none()
            && first.is_some_and(|c| !c.is_alphabetic() || matches!(c, 'o' | 'v' | 'q' | 'ü' | 'Ø'))
    };
    is_mark && spaces > 1
}

/// The length in bytes of a mark that a line begins with and that white space sets apart, including that white space.
fn set_apart(text: &str) -> Option<usize> {
    let mark = &text[..text.find(char::is_whitespace)?];
    let behind = &text[mark.len()..];
    let next = behind.trim_start();
    let gap = &behind[..behind.len() - next.len()];
    let spaces = match () {
        () if gap.contains('\u{a0}') => gap.chars().count(),
        () if gap.contains(['\t', '\u{2002}', '\u{2003}']) => 2,
        () => 1,
    };
    (is_set_apart(mark, spaces) && !next.is_empty()).then_some(text.len() - next.len())
}

/// Leaves out what is not part of a sentence at its ends: white space, invisible characters, emoji and other pictures, bullets, labels of
/// list items; with `first`, which says that nothing of the line comes before, also those that a sentence within a line may begin with.
pub(super) fn trim_ends(text: &str, mut range: Range<usize>, language: Language, first: bool) -> Range<usize> {
    let drops = |c: char| c.is_whitespace() || c.is_control() || is_invisible(c) || is_picture(c);
    loop {
        range = trim(text, range, drops);
        // "1️⃣" is a digit, a variation selector and a keycap: the digit goes with the rest.
        let keycap = text[range.end..].starts_with(['\u{fe0f}', '\u{20e3}']);
        if keycap && text[range.clone()].ends_with(|c: char| c.is_ascii_digit() || c == '#' || c == '*') {
            range.end -= 1;
            continue;
        }
        let content = &text[range.clone()];
        let rest = content.trim_start_matches(['-', '–', '—', '*', '+', '•', '·', '‣', '⁃', '>', '#', '|']);
        if rest.len() < content.len() && rest.starts_with(char::is_whitespace) {
            range.start = range.end - rest.len();
        } else if let Some(length) = label(content)
            .or_else(|| if first { set_apart(content).or_else(|| heading_label(content, language)) } else { None })
        {
            range.start += length;
        } else {
            return range;
        }
    }
}

/// Characters without a glyph that text may carry at its ends: zero-width spaces, direction marks, the byte order mark.
pub(in crate::text) fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
        | '\u{fff9}'..='\u{fffb}')
}

/// Emoji, dingbats, arrows and geometric shapes, with what modifies them.
pub(in crate::text) fn is_picture(c: char) -> bool {
    let range = matches!(c, '\u{20e3}' | '\u{2190}'..='\u{21ff}' | '\u{2300}'..='\u{23ff}' | '\u{2500}'..='\u{27bf}' | '\u{2900}'..='\u{297f}'
        | '\u{2b00}'..='\u{2bff}' | '\u{fe0e}' | '\u{fe0f}' | '\u{1f000}'..='\u{1faff}' | '\u{e0020}'..='\u{e007f}');
    range && !c.is_alphabetic()
}

//! Text to sentences, and long sentences to parts.
//!
//! A text is a sequence of sentences and the gaps between them: white space, line breaks, bullets, bars between fields, emoji at a
//! sentence's ends, whole lines of numbers and symbols. Only sentences are translated; putting each translation where its sentence stood restores
//! everything else as it was.
//!
//! Candidates for boundaries are those of Unicode Standard Annex 29 (sentence boundaries), the ends of ellipses, stops before a number and
//! stops followed by a reference; rules then withdraw those that follow an abbreviation, an ordinal number, an initial or a list number, or
//! precede a lower-case word. Where a boundary is doubtful the rules leave it out: two sentences translated together read better than half of one.

mod boundaries;
mod edges;
mod long;
mod stops;

use std::ops::Range;

use super::address;
use super::language::Language;
use boundaries::{is_opener, segment_field};
#[cfg(feature = "documents")]
pub(super) use edges::is_set_apart;
pub(super) use edges::{is_invisible, is_picture};
pub(super) use long::joins_previous;
pub use long::split_long;
pub(super) use stops::is_roman_number;

/// Longest word that anyone wrote to be read, in bytes.
const MAX_WORD_BYTES: usize = 256;

/// What a line break means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LineBreaks {
    /// It ends the sentence: lines stay lines.
    #[default]
    EndSentences,
    /// It is white space, as in HTML and in paragraphs wrapped at a fixed width. An empty line still ends the sentence.
    AreSpaces,
}

/// The sentences of a text: byte ranges, ascending, not overlapping, neither empty nor with white space at the ends. What lies between is to
/// be kept as it is. Time is linear in the text.
pub fn segment(text: &str, language: Language, line_breaks: LineBreaks) -> Vec<Range<usize>> {
    let mut sentences = Vec::new();
    match line_breaks {
        LineBreaks::EndSentences => {
            for line in split_at(text, is_line_break) {
                segment_line(text, text, line, language, &mut sentences);
            }
        }
        LineBreaks::AreSpaces => {
            // All four are one byte long, as the space is, so that ranges stay the same.
            let spaced = text.replace(['\n', '\r', '\u{b}', '\u{c}'], " ");
            for paragraph in paragraphs(text) {
                for line in split_at(&spaced[paragraph.clone()], is_line_break) {
                    let line = paragraph.start + line.start..paragraph.start + line.end;
                    segment_line(text, &spaced, line, language, &mut sentences);
                }
            }
        }
    }
    sentences
}

/// Whether a text has something to translate: a letter of the language's script that is not part of an address; where words are spaced, it has to
/// be in a word of a word's length. What has no such letter (numbers, symbols, emoji, other scripts, encoded data) is kept as it is.
pub fn is_translatable(text: &str, language: Language) -> bool {
    if !language.spaced {
        return text.split_whitespace().any(|part| address::has_letters_beside(part, language));
    }
    let letter = |c: char| language.script.has(c);
    let is_word = |word: &str| language == Language::UNKNOWN || word.len() <= MAX_WORD_BYTES;
    text.split_whitespace().any(|word| word.contains(letter) && is_word(word) && !is_address(word))
}

/// The parts between the characters for which `separates` holds; these are in no part.
fn split_at(text: &str, separates: fn(char) -> bool) -> impl Iterator<Item = Range<usize>> {
    let base = text.as_ptr() as usize;
    text.split(separates).map(move |part| {
        let start = part.as_ptr() as usize - base;
        start..start + part.len()
    })
}

/// Paragraphs: runs of lines between empty lines.
fn paragraphs(text: &str) -> Vec<Range<usize>> {
    let mut paragraphs: Vec<Range<usize>> = Vec::new();
    let mut open = false;
    for line in split_at(text, |c| c == '\n') {
        if text[line.clone()].trim().is_empty() {
            open = false;
        } else if open {
            paragraphs.last_mut().expect("one is open").end = line.end;
        } else {
            paragraphs.push(line);
            open = true;
        }
    }
    paragraphs
}

/// Line and paragraph separators of any platform.
pub(super) fn is_line_break(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{1c}'..='\u{1e}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// The fields of a line, with bars, bullets, ticks or middle dots between them that have white space around them, as in rows of tables and menus;
/// a line with code in it, where a bar may be a pipe, is one field.
fn fields(line: &str) -> Vec<Range<usize>> {
    let mut fields = Vec::new();
    let mut start = 0;
    if !line.contains('`') {
        for (at, sign) in line.match_indices(['|', '·', '•', '✓', '✔', '✗', '✘', '☐', '☑', '☒']) {
            let end = at + sign.len();
            let (before, after) = (line[..at].chars().next_back(), line[end..].chars().next());
            if before.is_none_or(char::is_whitespace) && after.is_none_or(char::is_whitespace) {
                fields.push(start..at);
                start = end;
            }
        }
    }
    fields.push(start..line.len());
    fields
}

/// Appends the sentences of one line. `text` is the whole text; `spaced` the same with line breaks as spaces where those mean nothing.
fn segment_line(text: &str, spaced: &str, line: Range<usize>, language: Language, sentences: &mut Vec<Range<usize>>) {
    for field in fields(&spaced[line.clone()]) {
        segment_field(text, spaced, line.start + field.start..line.start + field.end, language, sentences);
    }
}

/// A web or mail address.
fn is_address(word: &str) -> bool {
    word.contains("://")
        || word.trim_start_matches(is_opener).starts_with("www.")
        || word.split_once('@').is_some_and(|(name, host)| !name.is_empty() && host.contains('.'))
}

//! Text without markup.
//!
//! A paragraph whose lines are as long as each other but for the last was broken into lines to fit a width: it is one passage, and is
//! broken to the same width again. Elsewhere each line is a passage.

use std::ops::Range;

use super::charset::{self, Decoded};
use super::{Document, DocumentError, Format, Passage, TranslatedPassage};

/// Text.
pub(super) const FORMAT: Format = Format {
    name: "text",
    extensions: &["txt", "text"],
    is_content: |_| false,
    read: |bytes, options| {
        let encoding = options.encoding.map(charset::encoding).transpose()?;
        Ok(Box::new(PlainDocument::new(charset::decode_text(&bytes, encoding))))
    },
};

/// Lines are taken to be broken to a width within these bounds, in characters.
const WIDTHS: Range<usize> = 40..120;

/// How much shorter than the longest line, in characters, a line may be that was broken: by a long word.
const LONGEST_WORD: usize = 20;

#[derive(Debug)]
struct PlainDocument {
    text: String,
    passages: Vec<Passage>,
    places: Vec<Place>,
    is_replaced: bool,
}

/// Where a passage stands.
#[derive(Debug)]
struct Place {
    range: Range<usize>,
    /// What its lines begin with, how wide they may be in characters, and what they end with, if there are several.
    lines: Option<(String, usize, &'static str)>,
}

impl PlainDocument {
    fn new(file: Decoded) -> Self {
        let mut document =
            PlainDocument { text: file.text, passages: Vec::new(), places: Vec::new(), is_replaced: file.is_replaced };
        let lines = lines(&document.text);
        let (mut passages, mut places) = (Vec::new(), Vec::new());
        for paragraph in lines.split(|line| line.is_empty()) {
            let is_broken = broken_to(&document.text, paragraph);
            let parts = if is_broken.is_some() { vec![paragraph] } else { paragraph.chunks(1).collect() };
            for lines in parts {
                let texts: Vec<&str> = lines.iter().map(|line| &document.text[line.clone()]).collect();
                let text = texts.join(" ");
                if let [first, .., last] | [first @ last] = lines
                    && text.contains(char::is_alphabetic)
                {
                    passages.push(Passage { text, nodes: Vec::new() });
                    places.push(Place { range: first.start..last.end, lines: is_broken.clone() });
                }
            }
        }
        (document.passages, document.places) = (passages, places);
        document
    }
}

/// The lines of a text without white space around.
fn lines(text: &str) -> Vec<Range<usize>> {
    let mut at = 0;
    let mut lines = Vec::new();
    for line in text.split_inclusive('\n') {
        let content = line.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
        let start = if content.is_empty() { at } else { content.as_ptr() as usize - text.as_ptr() as usize };
        lines.push(start..start + content.len());
        at += line.len();
    }
    lines
}

/// If the lines of a paragraph were broken to a width: what they begin with, the width, and what ends them.
fn broken_to(text: &str, lines: &[Range<usize>]) -> Option<(String, usize, &'static str)> {
    let [first, middle @ .., last] = lines else { return None };
    let indent_of = |line: &Range<usize>| {
        let start = text[..line.start].rfind('\n').map_or(0, |at| at + 1);
        text[start..line.start].trim_start_matches('\u{feff}')
    };
    let indent = indent_of(last);
    let content = |line: &Range<usize>| &text[line.clone()];
    let width_of = |line: &Range<usize>| content(line).chars().count();
    let width = lines.iter().map(width_of).max()?;
    let is_full = |line: &Range<usize>| width_of(line) + LONGEST_WORD > width;
    let is_item = |line: &Range<usize>| {
        let marker = content(line).split_whitespace().next().unwrap_or_default();
        marker.chars().all(|c| !c.is_alphanumeric()) || marker.ends_with(['.', ')']) && marker.len() <= 3
    };
    let has_columns = |line: &Range<usize>| content(line).contains('\t') || content(line).contains("   ");
    let others = || middle.iter().chain([last]);
    let fits = WIDTHS.contains(&width)
        && is_full(first)
        && middle.iter().all(is_full)
        && others().all(|line| indent_of(line) == indent && !is_item(line))
        && !lines.iter().any(has_columns);
    let ending = if text[first.end..].trim_start_matches([' ', '\t']).starts_with('\r') { "\r\n" } else { "\n" };
    fits.then(|| (indent.to_owned(), width, ending))
}

/// Breaks a text into lines.
fn broken(text: &str, indent: &str, width: usize, ending: &str) -> String {
    let mut broken = String::with_capacity(text.len() + text.len() / 16);
    let mut at = 0;
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        let length = word.chars().count();
        if at > 0 && at + 1 + length > width {
            broken.push_str(ending);
            broken.push_str(indent);
            at = 0;
        } else if at > 0 {
            broken.push(' ');
            at += 1;
        }
        broken.push_str(word);
        at += length;
    }
    broken
}

impl Document for PlainDocument {
    fn passages(&self) -> Vec<&Passage> {
        self.passages.iter().collect()
    }

    fn write(&self, translations: &[Option<TranslatedPassage>]) -> Result<Vec<u8>, DocumentError> {
        let mut text = String::with_capacity(self.text.len() * 5 / 4);
        let mut at = 0;
        for ((place, passage), translated) in self.places.iter().zip(&self.passages).zip(translations) {
            let Some(translated) = translated.as_ref().filter(|translated| translated.text != passage.text) else {
                continue;
            };
            text.push_str(&self.text[at..place.range.start]);
            match &place.lines {
                Some((indent, width, ending)) => text.push_str(&broken(&translated.text, indent, *width, ending)),
                None => text.push_str(&translated.text),
            }
            at = place.range.end;
        }
        text.push_str(&self.text[at..]);
        Ok(text.into_bytes())
    }

    fn is_replaced(&self) -> bool {
        self.is_replaced
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<String> {
        let document = PlainDocument::new(Decoded { text: text.to_owned(), is_replaced: false });
        document.passages.into_iter().map(|passage| passage.text).collect()
    }

    #[test]
    fn lines_broken_to_a_width_are_one_passage() {
        let broken = "The house by the lake has been empty for\nmany years, and nobody in the village\nknows why.\n";
        assert_eq!(texts(broken), [broken.trim().replace('\n', " ")]);
        assert_eq!(texts("Red\nGreen\nBlue and white\n"), ["Red", "Green", "Blue and white"]);
        let list =
            "- The house by the lake has been empty for\n- many years, and nobody in the village\n- knows why.\n";
        assert_eq!(texts(list).len(), 3);
    }

    #[test]
    fn a_translation_is_broken_to_the_same_width() {
        assert_eq!(broken("one two three four", "  ", 9, "\n"), "one two\n  three\n  four");
        assert_eq!(broken("onetwothree four", "", 5, "\n"), "onetwothree\nfour");
    }
}

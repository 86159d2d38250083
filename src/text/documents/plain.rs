//! Text without markup: each cell of its [structure](crate::text::structure) is a passage, and so is each paragraph of fixed width, which is wrapped
//! again.

use super::charset::{self, Decoded};
use super::{Document, DocumentError, Format, Passage, TranslatePassage};
use crate::text::link::Link;
use crate::text::repair::prices::is_price;
use crate::text::structure::{Reading, Wrapped};

/// Text.
pub(super) const FORMAT: Format = Format {
    name: "text",
    extensions: &["txt", "text"],
    is_content: |_| false,
    media_type: "text/plain",
    names_languages: false,
    reader: |bytes, options| {
        let encoding = options.encoding.map(charset::encoding).transpose()?;
        Ok(Box::new(PlainDocument::new(charset::decode_text(&bytes, encoding), options.wrapped)))
    },
};

/// What some editors put before a text.
const BYTE_ORDER_MARK: &str = "\u{feff}";

#[derive(Debug)]
struct PlainDocument {
    reading: Reading,
    has_mark: bool,
    /// One for each cell that has words or is a price.
    passages: Vec<Passage>,
    is_replaced: bool,
}

impl PlainDocument {
    fn new(file: Decoded, wrapped: Wrapped) -> Self {
        let Decoded { text, is_replaced } = file;
        let without_mark = text.strip_prefix(BYTE_ORDER_MARK);
        let reading = Reading::new(without_mark.unwrap_or(&text), wrapped);
        let is_read = |text: &&str| text.contains(char::is_alphabetic) || is_price(text.trim());
        let passage = |text: &str| Passage { text: text.to_owned(), nodes: Vec::new() };
        let texts = reading.cells().iter().map(|cell| &reading.text()[cell.range.clone()]);
        let passages = texts.filter(is_read).map(passage).collect();
        PlainDocument { has_mark: without_mark.is_some(), reading, passages, is_replaced }
    }
}

impl Document for PlainDocument {
    fn passages(&self) -> Vec<&Passage> {
        self.passages.iter().collect()
    }

    fn write(&self, translated: &TranslatePassage) -> Result<Vec<u8>, DocumentError> {
        let source = self.reading.text();
        let mut text = String::with_capacity(source.len() * 5 / 4);
        let mut cells: Vec<Link> = Vec::with_capacity(self.reading.cells().len());
        let mut copied = 0;
        let mut next = self.passages.iter().peekable();
        for cell in self.reading.cells() {
            let range = cell.range.clone();
            text.push_str(&source[copied..range.start]);
            copied = range.end;
            let original = &source[range.clone()];
            let start = text.len();
            let passage = next.next_if(|passage| passage.text == original);
            let translation = passage.map(translated).transpose()?.flatten();
            text.push_str(translation.as_ref().map_or(original, |translation| &translation.text));
            cells.push(Link { target: start..text.len(), source: range });
        }
        text.push_str(&source[copied..]);
        let written = self.reading.write(text, &cells).text;
        let mark = if self.has_mark { BYTE_ORDER_MARK } else { "" };
        Ok([mark, &written].concat().into_bytes())
    }

    fn is_replaced(&self) -> bool {
        self.is_replaced
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::documents::{AlignedText, translate};

    fn document(text: &str) -> PlainDocument {
        PlainDocument::new(Decoded { text: text.to_owned(), is_replaced: false }, Wrapped::Auto)
    }

    fn texts(text: &str) -> Vec<String> {
        document(text).passages.into_iter().map(|passage| passage.text).collect()
    }

    #[test]
    fn lines_of_fixed_width_are_one_passage() {
        let wrapped = "The house by the lake has been empty for\nmany years, and nobody in the village\nknows why.\n";
        assert_eq!(texts(wrapped), [wrapped.trim().replace('\n', " ")]);
        assert_eq!(texts("Red\nGreen\nBlue and white\n"), ["Red", "Green", "Blue and white"]);
        assert_eq!(texts("7\tRed house\n8\tGreen house\n"), ["Red house", "Green house"]);
        assert_eq!(texts("7\tRed house\t$7.50\n"), ["Red house", "$7.50"]);
    }

    #[test]
    fn what_is_written_has_the_structure_and_the_mark_of_what_was_read() {
        let shout = |text: &&str| AlignedText { text: text.to_uppercase(), ..AlignedText::default() };
        let shouted = |text: &str| {
            let bytes = translate(&document(text), |texts| texts.iter().map(shout).collect()).expect("it is written");
            String::from_utf8(bytes).expect("UTF-8")
        };
        let wrapped = "\u{feff}> The house by the lake has been empty for\r\n> many years, and nobody in the village\r\n> knows why.\r\n";
        assert_eq!(shouted(wrapped), wrapped.to_uppercase());
        assert_eq!(shouted("7\tred,\"big\"\t12\n"), "7\tRED,\"BIG\"\t12\n");
        let untouched = translate(&document(wrapped), |_| Vec::new()).expect("it is written");
        assert_eq!(untouched, wrapped.as_bytes());
    }
}

//! HTML files: their text is translated, all else stays byte for byte.
//!
//! A document is parsed as browsers do, so anything is accepted, and every token and element is known with its place in the source. The
//! source is changed only there: the translation is written where the text was, and the tags of inline elements move along with their words.
//! What is not text stays as it was: quotes of attributes, character references, comments, tags that end nothing, blanks within tags.
//!
//! Each run of text and inline elements between borders is one passage, with `\n` where a `<br>` ends a line and nowhere else. Code, formulas,
//! names that are not to be translated, and text that a server inserts appear in it as letters that the translator keeps. Attributes that are
//! read or shown are passages too (`title`, `alt`, `placeholder`, `aria-label`, labels of buttons, descriptions for search engines).
//!
//! Left alone: `translate="no"` and the class `notranslate` (undone by `translate="yes"` inside), other languages (`lang`), code, `pre`,
//! scripts, styles, editable text, formulas. A form sends what it sent before.

mod borders;
mod characters;
mod declaration;
mod fields;
mod instructions;
mod items;
mod layout;
mod notes;
mod outline;
mod parse;
mod passages;
mod rules;
mod states;
mod structure;
mod tokens;
mod tree;
mod wraps;
mod writing;
mod xml;

use std::ops::Range;

use super::documents::charset::{self, Decoded};
use super::documents::{
    self, AlignedText, Document, DocumentError, Format, Languages, Passage, TranslatePassage, TranslatedPassage,
};
use super::markup::MarkupError;
use characters::{Context, Spelling, quoted};
use declaration::Declaration;
pub use fields::Field;
use passages::{Found, Inner};
pub use rules::ElementRules;
use tokens::Parsed;

/// HTML, and XHTML that is well-formed.
pub(super) const FORMAT: Format = Format {
    name: "html",
    extensions: &["html", "htm", "xhtml", "xht", "shtml"],
    is_content: |bytes| {
        let start = charset::decode_html(&bytes[..bytes.len().min(1024)], None).text.to_ascii_lowercase();
        let start = start.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
        start.starts_with("<!doctype html") || start.starts_with("<html") || is_xhtml(start)
    },
    media_type: "text/html",
    names_languages: true,
    reader: |bytes, options| {
        let encoding = options.encoding.map(charset::encoding).transpose()?;
        let file = charset::decode_html(&bytes, encoding);
        drop(bytes);
        documents::check_markup("the file", &file.text)?;
        Ok(Box::new(HtmlDocument::read(file, &options.languages)))
    },
};

/// Whether a text begins as XHTML does.
fn is_xhtml(start: &str) -> bool {
    start.starts_with("<?xml ") && start.contains("<html")
}

/// Translates an HTML document or fragment. `translate` is called once with all distinct texts, and returns their translations in the same
/// order; what it leaves out stays as it is. It has to keep the lines of each text.
///
/// # Errors
/// If ranges of a translation do not fit its text or the source.
pub fn translate_html(
    html: &str,
    languages: &Languages,
    translate: impl FnOnce(&[&str]) -> Vec<AlignedText>,
) -> Result<String, DocumentError> {
    let document = HtmlDocument::new(html.to_owned(), languages);
    let bytes = documents::translate(&document, translate)?;
    Ok(String::from_utf8(bytes).expect("it is written as UTF-8"))
}

/// A document or fragment of one, as it was read.
#[derive(Debug)]
pub struct HtmlDocument {
    source: String,
    found: Found,
    declaration: Declaration,
    is_replaced: bool,
}

impl HtmlDocument {
    /// Reads HTML that is already text: what it says about its encoding stays.
    pub fn new(source: String, languages: &Languages) -> Self {
        Self::within(source, languages, 0)
    }

    /// Reads HTML or XML that is already text, with elements of its own.
    pub fn with_rules(source: String, languages: &Languages, rules: &ElementRules) -> Self {
        let parsed = parsed(&source);
        let found = passages::find(&source, &parsed, languages, rules, 0);
        HtmlDocument { source, found, declaration: Declaration::default(), is_replaced: false }
    }

    /// Reads HTML that is nested in `within` documents.
    fn within(source: String, languages: &Languages, within: usize) -> Self {
        let parsed = parsed(&source);
        let found = passages::find(&source, &parsed, languages, &ElementRules::default(), within);
        HtmlDocument { source, found, declaration: Declaration::default(), is_replaced: false }
    }

    /// Reads a file; written again, it says that it is in UTF-8.
    pub fn read(file: Decoded, languages: &Languages) -> Self {
        let parsed = parsed(&file.text);
        let found = passages::find(&file.text, &parsed, languages, &ElementRules::default(), 0);
        let declaration = declaration::find(&file.text, &parsed);
        HtmlDocument { source: file.text, found, declaration, is_replaced: file.is_replaced }
    }

    /// Reads an XML file some of whose elements hold text; `field` says which, by their names and those of
    /// the elements they are in, without prefix. None if it is not well-formed.
    pub fn read_fields(
        file: Decoded,
        languages: &Languages,
        field: impl Fn(&str, &str) -> Option<Field>,
    ) -> Option<Self> {
        let parsed = xml::parse(&file.text)?;
        let found = fields::find(&file.text, &parsed, languages, field);
        let declaration = declaration::find(&file.text, &parsed);
        Some(HtmlDocument { source: file.text, found, declaration, is_replaced: file.is_replaced })
    }

    /// The document with translations in their places.
    fn to_html(&self, translations: &[Option<TranslatedPassage>]) -> String {
        let Found { passages, layouts, changes, choices, inner } = &self.found;
        let (translations, mut others) = translations.split_at(passages.len().min(translations.len()));
        let mut edits: Vec<(Range<usize>, Edit)> = Vec::new();
        let is_changed = |index: usize| {
            translations
                .get(index)
                .and_then(Option::as_ref)
                .filter(|translated| translated.text != passages[index].text)
        };
        for (index, layout) in layouts.iter().enumerate() {
            edits.extend(is_changed(index).map(|translated| (layout.region.clone(), Edit::Passage(index, translated))));
        }
        let changes = changes.iter().chain(&self.declaration.changes).map(|(range, text)| (range.clone(), text));
        edits.extend(changes.map(|(range, text)| (range, Edit::Text(text.clone()))));
        for choice in choices.iter().filter(|choice| choice.passages.iter().any(|&index| is_changed(index).is_some())) {
            edits.push((choice.at..choice.at, Edit::Text(format!(" value={}", quoted(&choice.value, None)))));
        }
        for Inner { range, context, document } in inner {
            let (own, rest) = others.split_at(document.passages().len().min(others.len()));
            others = rest;
            let html = document.to_html(own);
            if html != document.source {
                let (mut text, quote) = (String::new(), if *context == Context::Attribute(None) { "\"" } else { "" });
                text.push_str(quote);
                let spelling = Spelling::of(&self.source[range.clone()], true);
                for (index, line) in html.split('\n').enumerate() {
                    text.push_str(if index > 0 { "\n" } else { "" });
                    spelling.push(line, *context, &mut text);
                }
                text.push_str(quote);
                edits.push((range.clone(), Edit::Text(text)));
            }
        }
        let mut html = self.edited(&mut edits);
        // Not where everything is spelt out.
        if let Some((at, text)) = self.declaration.missing.as_ref().filter(|_| !html.is_ascii()) {
            edits.push((*at..*at, Edit::Text(text.clone())));
            html = self.edited(&mut edits);
        }
        html
    }

    /// The source with edits, which are sorted.
    fn edited(&self, edits: &mut [(Range<usize>, Edit)]) -> String {
        edits.sort_by_key(|(range, _)| (range.start, std::cmp::Reverse(range.end)));
        let mut html = String::with_capacity(self.source.len() * 5 / 4);
        Editor { source: &self.source, found: &self.found, edits }.copy(0..self.source.len(), None, &mut html);
        html
    }
}

fn parsed(source: &str) -> Parsed {
    let as_xml = || if xml::is_declared(source) { xml::parse(source) } else { None };
    as_xml().unwrap_or_else(|| parse::parse(source))
}

impl Document for HtmlDocument {
    fn passages(&self) -> Vec<&Passage> {
        let inner = self.found.inner.iter().flat_map(|inner| inner.document.passages());
        self.found.passages.iter().chain(inner).collect()
    }

    fn is_replaced(&self) -> bool {
        self.is_replaced
    }

    fn write(&self, translated: &TranslatePassage) -> Result<Vec<u8>, DocumentError> {
        let translations = self.passages().into_iter().map(translated).collect::<Result<Vec<_>, MarkupError>>()?;
        Ok(self.to_html(&translations).into_bytes())
    }
}

/// What replaces a part of the source.
enum Edit<'t> {
    Text(String),
    Passage(usize, &'t TranslatedPassage),
}

struct Editor<'d> {
    source: &'d str,
    found: &'d Found,
    /// Sorted by place; one that is inside another comes after it.
    edits: &'d [(Range<usize>, Edit<'d>)],
}

impl Editor<'_> {
    /// Writes a part of the source with its edits, except for the one that it is a part of.
    fn copy(&self, range: Range<usize>, within: Option<usize>, output: &mut String) {
        let mut at = range.start;
        let mut next = self.edits.partition_point(|(edit, _)| edit.start < range.start);
        next = next.max(within.map_or(0, |within| within + 1));
        while let Some((edit, content)) = self.edits.get(next).filter(|(edit, _)| edit.end <= range.end) {
            if edit.start < at {
                next += 1;
                continue;
            }
            output.push_str(&self.source[at..edit.start]);
            match content {
                Edit::Text(text) => output.push_str(text),
                Edit::Passage(index, translated) => {
                    let layout = &self.found.layouts[*index];
                    // A value without quotes gets some.
                    let quote = if layout.context == Context::Attribute(None) { "\"" } else { "" };
                    output.push_str(quote);
                    let mut copy = |range: Range<usize>, output: &mut String| self.copy(range, Some(next), output);
                    layout.write(self.source, translated, &mut copy, output);
                    output.push_str(quote);
                }
            }
            at = edit.end;
            next += 1;
        }
        output.push_str(&self.source[at..range.end]);
    }
}

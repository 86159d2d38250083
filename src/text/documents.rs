//! Files in their formats: texts to translate, and all else as it was.
//!
//! A [`Document`] is a list of [`Passage`]s and can be written with translations in their places. Each format has one file that reads it; what
//! the formats have in common is here: each text is translated once, and elements are put on the words that translate theirs.

pub mod charset;
mod epub;
mod plain;

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::path::Path;

use super::link::Link;
use super::markup::{Aligned, MarkupError, Node, Placed, project, stand_in_index};
use super::structure::Wrapped;

/// The languages of a translation, as BCP 47 tags.
#[derive(Clone, Copy, Debug)]
pub struct Languages<'a> {
    /// Language of the text; what a document says is in another is left alone.
    pub source: &'a str,
    /// Language of the translation, which the document then says it is in.
    pub target: &'a str,
}

/// A text that is translated as a whole: a paragraph, a cell, a title.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Passage {
    /// For the translator, which has to keep its lines. Things that stay as they are appear in it as letters (see
    /// [`stand_in`](super::markup::stand_in)).
    pub text: String,
    /// The elements in it.
    pub nodes: Vec<Node>,
}

/// A passage in the other language.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TranslatedPassage {
    /// The translation.
    pub text: String,
    /// Its sentences, in order; what lies between is the same on both sides.
    pub sentences: Vec<Link>,
    /// Where the elements are, with the text between them.
    pub placed: Vec<Placed>,
}

/// A translation with its alignment, as [`Aligned`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AlignedText {
    /// The translation; lines are those of the source.
    pub text: String,
    /// Sentences and their translations, in order.
    pub sentences: Vec<Link>,
    /// Tokens of the translation and where they come from.
    pub tokens: Vec<Link>,
}

/// Gives the translation of a passage, if there is one.
pub type TranslatePassage<'a> = dyn Fn(&Passage) -> Result<Option<TranslatedPassage>, MarkupError> + 'a;

/// A document that was read.
pub trait Document: Send + Sync {
    /// What is to be translated.
    fn passages(&self) -> Vec<&Passage>;

    /// The document in the other language. Its passages are asked for one by one, in their order, and those of a part of the document only when
    /// that part is written, so that no more is held than one part needs; a passage without a translation stays as it is.
    ///
    /// # Errors
    /// If a passage cannot be translated or the document cannot be written.
    fn write(&self, translated: &TranslatePassage) -> Result<Vec<u8>, DocumentError>;

    /// Whether bytes that were not text in the document's encoding were replaced by U+FFFD.
    fn is_replaced(&self) -> bool;
}

/// How documents are read.
#[derive(Clone, Copy, Debug)]
pub struct ReadOptions<'a> {
    /// The languages of the translation.
    pub languages: Languages<'a>,
    /// The encoding, by one of its names, of files that do not say it in their first bytes. None: what they say further on, else UTF-8 or
    /// Windows-1252.
    pub encoding: Option<&'a str>,
    /// Which lines of plain text go on in the next line.
    pub wrapped: Wrapped,
}

/// Reads a document.
pub type Read = fn(Vec<u8>, &ReadOptions) -> Result<Box<dyn Document>, DocumentError>;

/// A kind of file.
#[derive(Clone, Copy, Debug)]
pub struct Format {
    /// What it is called.
    pub name: &'static str,
    /// How names of such files end, without the dot.
    pub extensions: &'static [&'static str],
    /// What such files are called on the web.
    pub media_type: &'static str,
    /// Whether such files say which language they are in.
    pub names_languages: bool,
    /// Whether a file is of this kind, judged by its first bytes.
    pub is_content: fn(&[u8]) -> bool,
    /// Reads such a file, see [`Format::read`].
    pub reader: Read,
}

/// Largest file that is read, in bytes.
pub const MAX_FILE: u64 = 256 << 20;

/// Largest text with markup, unpacked: a page, a part of a book.
const MAX_TEXT: u64 = 32 << 20;

/// Most markup in such a text, in signs that begin a tag. The largest pages that people read, single-page standards, have half as many.
const MAX_TAGS: u64 = 1 << 20;

/// Checks before parsing that a text with markup is one that a document for readers may have. At the limits, parsing takes some 1,500 bytes
/// per tag and 64 per byte (3.5 GiB), what is kept of it afterwards 200 bytes per tag and 32 per byte, and writing it 600 bytes per tag and
/// 128 per byte; the tests measure texts made to take much. A text as people write it takes some 40 bytes per byte.
pub(super) fn check_markup(name: &str, text: &str) -> Result<u64, DocumentError> {
    if text.len() as u64 > MAX_TEXT {
        return Err(DocumentError::TooLarge { name: name.to_owned(), limit: MAX_TEXT });
    }
    let tags = text.bytes().filter(|byte| *byte == b'<').count() as u64;
    if tags > MAX_TAGS {
        return Err(DocumentError::TooMuchMarkup { name: name.to_owned(), limit: MAX_TAGS });
    }
    Ok(tags)
}

/// All kinds of files that can be read.
pub const FORMATS: [Format; 3] = [epub::FORMAT, super::html::FORMAT, plain::FORMAT];

impl Format {
    /// The format with this name.
    ///
    /// # Errors
    /// If there is none.
    pub fn named(name: &str) -> Result<&'static Format, DocumentError> {
        let known = || FORMATS.iter().map(|format| format.name).collect::<Vec<_>>().join(", ");
        let unknown = || DocumentError::UnknownFormat { name: name.to_owned(), known: known() };
        FORMATS.iter().find(|format| format.name.eq_ignore_ascii_case(name)).ok_or_else(unknown)
    }

    /// Reads a file of this format.
    ///
    /// # Errors
    /// If it is not of this format, is damaged, or is larger than documents are.
    pub fn read(&self, bytes: Vec<u8>, options: &ReadOptions) -> Result<Box<dyn Document>, DocumentError> {
        if bytes.len() as u64 > MAX_FILE {
            return Err(DocumentError::TooLarge { name: "the file".to_owned(), limit: MAX_FILE });
        }
        (self.reader)(bytes, options)
    }

    /// The format of a file by what it contains, else by how its name ends.
    pub fn of(path: &Path, bytes: &[u8]) -> Option<&'static Format> {
        FORMATS.iter().find(|format| (format.is_content)(bytes)).or_else(|| Format::of_name(path))
    }

    /// The format of a file by how its name ends.
    pub fn of_name(path: &Path) -> Option<&'static Format> {
        let extension = path.extension()?.to_str()?;
        let fits = |format: &&Format| format.extensions.iter().any(|known| known.eq_ignore_ascii_case(extension));
        FORMATS.iter().find(fits)
    }
}

/// Why a document could not be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DocumentError {
    /// A translation's alignment contradicts its text.
    #[error(transparent)]
    Markup(#[from] MarkupError),
    /// There is no format of this name.
    #[error("no format is called {name:?}; known are {known}")]
    UnknownFormat {
        /// The name.
        name: String,
        /// The formats that there are.
        known: String,
    },
    /// There is no encoding of this name.
    #[error("no encoding is called {label:?}; known are those of browsers, such as utf-8, windows-1252, shift_jis")]
    UnknownEncoding {
        /// The name.
        label: String,
    },
    /// An archive is not one, or is damaged.
    #[error("the archive is damaged: {0}")]
    Archive(#[from] zip::result::ZipError),
    /// A part of an archive could not be read or written.
    #[error("{name} in the archive: {error}")]
    Part {
        /// Its name.
        name: String,
        /// What went wrong.
        error: std::io::Error,
    },
    /// A part of an archive is not what it should be.
    #[error("{name} in the archive: expected {expected}")]
    Content {
        /// Its name.
        name: String,
        /// What should have been there.
        expected: &'static str,
    },
    /// A file is larger unpacked than any document for readers.
    #[error("{name} is larger than {limit} bytes, which no document for readers is")]
    TooLarge {
        /// The part.
        name: String,
        /// How large it, or all parts together, may be.
        limit: u64,
    },
    /// A text has more markup than any for readers.
    #[error("{name} has more than {limit} tags, which no document for readers has; in several parts it may be read")]
    TooMuchMarkup {
        /// The part.
        name: String,
        /// How many tags it, or all parts together, may have.
        limit: u64,
    },
}

/// The distinct texts of a document, in the order in which they first occur.
pub fn texts(document: &dyn Document) -> Vec<&str> {
    let mut known: HashSet<&str> = HashSet::new();
    let texts = document.passages().into_iter().map(|passage| passage.text.as_str());
    texts.filter(|text| known.insert(text)).collect()
}

/// The document with translations of its [`texts`], in their order; where a translation is missing, the text stays. A translation has the
/// lines of its text.
///
/// # Errors
/// If ranges of a translation do not fit its text or the source, or if the document cannot be written.
pub fn write(document: &dyn Document, translations: &[Option<AlignedText>]) -> Result<Vec<u8>, DocumentError> {
    let mut by_text: HashMap<&str, &AlignedText> = HashMap::new();
    let translated = texts(document).into_iter().zip(translations);
    by_text.extend(translated.filter_map(|(text, translation)| Some((text, translation.as_ref()?))));
    document.write(&|passage| by_text.get(passage.text.as_str()).map(|found| put(passage, found)).transpose())
}

/// Translates a document. `translate` is called once with its [`texts`] and returns their translations, as [`write`](write()) takes them.
///
/// # Errors
/// As [`write`](write()).
pub fn translate(
    document: &dyn Document,
    translate: impl FnOnce(&[&str]) -> Vec<AlignedText>,
) -> Result<Vec<u8>, DocumentError> {
    let translations: Vec<_> = translate(&texts(document)).into_iter().map(Some).collect();
    write(document, &translations)
}

/// Puts the elements of a passage into its translation.
fn put(passage: &Passage, translation: &AlignedText) -> Result<TranslatedPassage, MarkupError> {
    let kept = keep_stand_ins(&passage.text, translation)?;
    let AlignedText { text, sentences, tokens } = kept.as_ref().unwrap_or(translation);
    let placed = project(&passage.text, &passage.nodes, Aligned { text, sentences, tokens })?;
    Ok(TranslatedPassage { text: text.clone(), sentences: sentences.clone(), placed })
}

/// If a stand-in letter is lost in a sentence, a translation in which that sentence is as it was.
fn keep_stand_ins(source: &str, translation: &AlignedText) -> Result<Option<AlignedText>, MarkupError> {
    let has = |text: &str, letter: char| text.contains(letter);
    let mut letters = source.chars().filter(|c| stand_in_index(*c).is_some());
    if letters.all(|letter| has(&translation.text, letter)) {
        return Ok(None);
    }
    let text_of = |what, text: &str, index, range: &Range<usize>| {
        let error = || MarkupError::Range { what, index, range: range.clone(), length: text.len() };
        text.get(range.clone()).map(str::to_owned).ok_or_else(error)
    };
    let mut kept = AlignedText::default();
    let (mut source_end, mut target_end) = (0, 0);
    for (index, Link { target, source: from }) in translation.sentences.iter().enumerate() {
        let original = text_of("sentence", source, index, from)?;
        let translated = text_of("sentence", &translation.text, index, target)?;
        kept.text.push_str(&text_of("sentence", &translation.text, index, &(target_end..target.start))?);
        let start = kept.text.len();
        let mut letters = original.chars().filter(|c| stand_in_index(*c).is_some());
        if letters.all(|letter| has(&translated, letter)) {
            let moved = |range: &Range<usize>| range.start - target.start + start..range.end - target.start + start;
            let inside = translation.tokens.iter().filter(|token| {
                token.target.start >= target.start && token.target.end <= target.end && !token.target.is_empty()
            });
            kept.tokens.extend(inside.map(|token| Link { target: moved(&token.target), source: token.source.clone() }));
            kept.text.push_str(&translated);
        } else {
            kept.text.push_str(&original);
        }
        kept.sentences.push(Link { target: start..kept.text.len(), source: from.clone() });
        (source_end, target_end) = (from.end, target.end);
    }
    let rest = translation.text.get(target_end..).unwrap_or_default();
    let original = source.get(source_end..).unwrap_or_default();
    // Without sentences nothing is known of the translation.
    kept.text.push_str(if translation.sentences.is_empty() { original } else { rest });
    Ok(Some(kept))
}

//! EPUB books: a zip archive of XHTML documents, with a list of them and of what the book is called.
//!
//! Every content document is translated, including the navigation; so are the title and description of the book, and the older table of
//! contents (NCX). The book then says that it is in the language of the translation. Everything else in the archive stays byte for byte, in
//! its order.

use std::collections::HashSet;
use std::io::{Cursor, Read, Write};

use encoding_rs::Encoding;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use zip::{ZipArchive, ZipWriter};

use super::charset::{self, Decoded, decode_html};
use super::{Document, DocumentError, Format, Languages, MAX_TEXT, Passage, TranslatePassage, check_markup};
use crate::text::html::{Field, HtmlDocument};

/// Books.
pub(super) const FORMAT: Format = Format {
    name: "epub",
    extensions: &["epub"],
    // The first file in the archive is `mimetype`, not compressed, so that its content can be seen here.
    is_content: |bytes| bytes.starts_with(b"PK") && bytes.get(30..58) == Some(b"mimetypeapplication/epub+zip"),
    media_type: "application/epub+zip",
    names_languages: true,
    reader: |bytes, options| {
        let encoding = options.encoding.map(charset::encoding).transpose()?;
        Ok(Box::new(EpubDocument::read(bytes, encoding, &options.languages)?))
    },
};

/// Limits for all texts of a book together, in bytes and in tags: ten times the longest book that anybody reads. Text as people write it is
/// held in some ten times its size.
const MAX_PARTS: u64 = 64 << 20;
const MAX_TAGS_OF_PARTS: u64 = 4 << 20;

type Archive<B> = ZipArchive<Cursor<B>>;

#[derive(Debug)]
struct EpubDocument {
    bytes: Vec<u8>,
    /// The parts of the archive that are translated, by their places in it, ascending.
    parts: Vec<(usize, HtmlDocument)>,
}

impl EpubDocument {
    fn read(bytes: Vec<u8>, encoding: Option<&'static Encoding>, languages: &Languages) -> Result<Self, DocumentError> {
        let mut archive = ZipArchive::new(Cursor::new(&bytes[..]))?;
        let mut left = Left { bytes: MAX_PARTS, tags: MAX_TAGS_OF_PARTS };
        let container = read_text(&mut archive, "META-INF/container.xml", None, &mut left)?.text;
        let packages =
            attributes_of(&container, "rootfile", "full-path").map_err(|()| not_xml("META-INF/container.xml"))?;
        let encrypted = encrypted_parts(&mut archive, &mut left)?;
        let mut known: HashSet<usize> = HashSet::new();
        let mut parts: Vec<(usize, HtmlDocument)> = Vec::new();
        for package in &packages {
            let file = read_text(&mut archive, package, encoding, &mut left)?;
            for (name, kind) in items(&file.text, package).map_err(|()| not_xml(package))? {
                // What is listed but missing is the book's fault, not ours.
                let Some(index) = archive.index_for_name(&name) else { continue };
                if !known.insert(index) {
                    continue;
                }
                if encrypted.contains(&name) {
                    return Err(DocumentError::Content {
                        name,
                        expected: "no encryption, which only its publisher can lift",
                    });
                }
                let file = read_text(&mut archive, &name, encoding, &mut left)?;
                let document = match kind {
                    Kind::Content => HtmlDocument::read(file, languages),
                    Kind::Contents => {
                        let field = |element: &str, around: &str| {
                            (element == "text" && around != "docAuthor").then_some(Field::Text)
                        };
                        HtmlDocument::read_fields(file, languages, field).ok_or_else(|| not_xml(&name))?
                    }
                };
                parts.push((index, document));
            }
            let field = |element: &str, around: &str| match (around, element) {
                ("metadata" | "dc-metadata", "title" | "description") => Some(Field::Text),
                ("metadata" | "dc-metadata", "language") => Some(Field::Language),
                _ => None,
            };
            let document = HtmlDocument::read_fields(file, languages, field).ok_or_else(|| not_xml(package))?;
            parts.extend(archive.index_for_name(package).map(|index| (index, document)));
        }
        if packages.is_empty() {
            return Err(DocumentError::Content {
                name: "META-INF/container.xml".to_owned(),
                expected: "the name of a package document",
            });
        }
        parts.sort_by_key(|(index, _)| *index);
        parts.dedup_by_key(|(index, _)| *index);
        Ok(EpubDocument { bytes, parts })
    }
}

/// The parts of a book that are encrypted. For fonts that is usual; see "Font Obfuscation" in EPUB 3.
fn encrypted_parts(archive: &mut Archive<&[u8]>, left: &mut Left) -> Result<HashSet<String>, DocumentError> {
    const NAME: &str = "META-INF/encryption.xml";
    if archive.index_for_name(NAME).is_none() {
        return Ok(HashSet::new());
    }
    let list = read_text(archive, NAME, None, left)?.text;
    let references = attributes_of(&list, "CipherReference", "URI").map_err(|()| not_xml(NAME))?;
    Ok(references.iter().map(|reference| resolved("", reference)).collect())
}

fn not_xml(name: &str) -> DocumentError {
    DocumentError::Content { name: name.to_owned(), expected: "well-formed XML" }
}

/// How much more the texts of a book may have.
struct Left {
    bytes: u64,
    tags: u64,
}

/// Reads a part of a book.
fn read_text(
    archive: &mut Archive<&[u8]>,
    name: &str,
    encoding: Option<&'static Encoding>,
    left: &mut Left,
) -> Result<Decoded, DocumentError> {
    let file = decode_html(&read_part(archive, name, left)?, encoding);
    let tags = check_markup(name, &file.text)?;
    let too_much = || DocumentError::TooMuchMarkup { name: name.to_owned(), limit: MAX_TAGS_OF_PARTS };
    left.tags = left.tags.checked_sub(tags).ok_or_else(too_much)?;
    Ok(file)
}

/// Unpacks a part of a book.
fn read_part(archive: &mut Archive<&[u8]>, name: &str, left: &mut Left) -> Result<Vec<u8>, DocumentError> {
    let limit = MAX_TEXT.min(left.bytes);
    let mut content = Vec::new();
    let part = archive.by_name(name).map_err(|error| match error {
        zip::result::ZipError::FileNotFound => {
            DocumentError::Content { name: name.to_owned(), expected: "to be there" }
        }
        error => error.into(),
    })?;
    // The size that it claims to have may be wrong.
    let error = |error| DocumentError::Part { name: name.to_owned(), error };
    part.take(limit + 1).read_to_end(&mut content).map_err(error)?;
    let length = content.len() as u64;
    if length > limit {
        return Err(DocumentError::TooLarge { name: name.to_owned(), limit });
    }
    left.bytes -= length;
    Ok(content)
}

/// How a part of a book is to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// A content document.
    Content,
    /// A table of contents of the older kind.
    Contents,
}

/// The parts to be translated that a package document lists: their names in the archive. Drawings are content where they are pages of
/// their own.
fn items(package: &str, name: &str) -> Result<Vec<(String, Kind)>, ()> {
    let folder = name.rfind('/').map_or("", |end| &name[..=end]);
    let mut items = Vec::new();
    let in_order: HashSet<String> = attributes_of(package, "itemref", "idref")?.into_iter().collect();
    let is_page = |element: &BytesStart| attribute(element, "id").is_some_and(|id| in_order.contains(&id));
    for_each_element(package, "item", |element| {
        let kind = match attribute(element, "media-type")?.as_str() {
            "application/xhtml+xml" | "text/html" | "text/x-oeb1-document" => Kind::Content,
            "image/svg+xml" if is_page(element) => Kind::Content,
            "application/x-dtbncx+xml" => Kind::Contents,
            _ => return None,
        };
        items.push((resolved(folder, &attribute(element, "href")?), kind));
        Some(())
    })?;
    Ok(items)
}

fn attributes_of(xml: &str, element: &str, name: &str) -> Result<Vec<String>, ()> {
    let mut values = Vec::new();
    for_each_element(xml, element, |element| {
        values.push(attribute(element, name)?);
        Some(())
    })?;
    Ok(values)
}

/// Calls `visit` for each element of a name, compared without prefix.
fn for_each_element(xml: &str, name: &str, mut visit: impl FnMut(&BytesStart) -> Option<()>) -> Result<(), ()> {
    let mut reader = Reader::from_str(xml);
    loop {
        match reader.read_event().map_err(|_| ())? {
            Event::Start(element) | Event::Empty(element) if element.local_name().as_ref() == name => {
                // An element that does not say what is needed names no part.
                let _ = visit(&element);
            }
            Event::Eof => return Ok(()),
            _ => {}
        }
    }
}

fn attribute(element: &BytesStart, name: &str) -> Option<String> {
    let attribute = element.try_get_attribute(name).ok()??;
    let value = attribute.normalized_value(quick_xml::XmlVersion::Explicit1_0).ok()?;
    Some(value.into_owned())
}

/// The name in the archive that a reference in a folder leads to.
fn resolved(folder: &str, reference: &str) -> String {
    let path = reference.split(['#', '?']).next().unwrap_or_default();
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        let code = after.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        match code.filter(|_| byte == b'%').and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(byte);
                rest = after;
            }
        }
    }
    let path = String::from_utf8_lossy(&bytes);
    let mut names: Vec<&str> = Vec::new();
    for name in folder.split('/').chain(path.split('/')) {
        match name {
            "" | "." => {}
            ".." => {
                names.pop();
            }
            name => names.push(name),
        }
    }
    names.join("/")
}

impl Document for EpubDocument {
    fn passages(&self) -> Vec<&Passage> {
        self.parts.iter().flat_map(|(_, document)| document.passages()).collect()
    }

    fn write(&self, translated: &TranslatePassage) -> Result<Vec<u8>, DocumentError> {
        let mut archive = ZipArchive::new(Cursor::new(&self.bytes[..]))?;
        let mut output = ZipWriter::new(Cursor::new(Vec::with_capacity(self.bytes.len() * 5 / 4)));
        output.set_raw_comment(archive.comment().into())?;
        let mut parts = self.parts.iter().peekable();
        for index in 0..archive.len() {
            let file = archive.by_index_raw(index)?;
            let Some((_, document)) = parts.next_if(|(part, _)| *part == index) else {
                output.raw_copy_file(file)?;
                continue;
            };
            let (name, options) = (file.name()?.into_owned(), file.options());
            let content = document.write(translated)?;
            output.start_file(&name, options)?;
            output.write_all(&content).map_err(|error| DocumentError::Part { name, error })?;
        }
        Ok(output.finish()?.into_inner())
    }

    fn is_replaced(&self) -> bool {
        self.parts.iter().any(|(_, document)| document.is_replaced())
    }
}

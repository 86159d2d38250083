//! Which encoding a file is in, determined as browsers do; what is written is UTF-8.

use std::ops::Range;

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252, X_USER_DEFINED};
use html5gum::{DefaultEmitter, Token, Tokenizer};

use super::DocumentError;

/// How far into a document a statement of its encoding is looked for.
const HEAD_BYTES: usize = 64 << 10;

/// A file as text.
#[derive(Debug)]
pub struct Decoded {
    /// With the byte order mark, if there was one.
    pub text: String,
    /// Whether something in it was not valid in the encoding, and was replaced by U+FFFD.
    pub is_replaced: bool,
}

/// Finds an encoding by one of its names.
///
/// # Errors
/// If there is none of this name.
pub fn encoding(label: &str) -> Result<&'static Encoding, DocumentError> {
    let unknown = || DocumentError::UnknownEncoding { label: label.to_owned() };
    Encoding::for_label(label.as_bytes()).ok_or_else(unknown)
}

/// Whether a file begins with a byte order mark.
pub fn is_marked(bytes: &[u8]) -> bool {
    Encoding::for_bom(bytes).is_some()
}

/// Decodes an HTML or XHTML document: by its byte order mark, else as given, as it declares, as UTF-8 if it is valid, or as browsers do that
/// know no better.
pub fn decode_html(bytes: &[u8], given: Option<&'static Encoding>) -> Decoded {
    decode(bytes, given, declared(bytes))
}

/// Decodes a text without markup.
pub fn decode_text(bytes: &[u8], given: Option<&'static Encoding>) -> Decoded {
    decode(bytes, given, None)
}

fn decode(bytes: &[u8], given: Option<&'static Encoding>, declared: Option<&'static Encoding>) -> Decoded {
    let marked = Encoding::for_bom(bytes);
    let likely = || if std::str::from_utf8(bytes).is_ok() { UTF_8 } else { WINDOWS_1252 };
    let encoding = marked.map(|(encoding, _)| encoding).or(given).or(declared).unwrap_or_else(likely);
    let (text, is_replaced) = encoding.decode_without_bom_handling(bytes);
    Decoded { text: text.into_owned(), is_replaced }
}

/// The encoding that a document declares.
fn declared(bytes: &[u8]) -> Option<&'static Encoding> {
    match bytes {
        [b'<', 0, ..] => return Some(UTF_16LE),
        [0, b'<', ..] => return Some(UTF_16BE),
        _ => {}
    }
    let (start, _) = WINDOWS_1252.decode_without_bom_handling(&bytes[..bytes.len().min(HEAD_BYTES)]);
    if let Some(range) = xml_encoding(&start) {
        let encoding =
            Encoding::for_label(start[range].as_bytes()).map(|found| if is_wide(found) { UTF_8 } else { found });
        return encoding.or(Some(UTF_8));
    }
    let mut emitter = DefaultEmitter::default();
    emitter.naively_switch_states(true);
    for token in Tokenizer::new_with_emitter(&*start, emitter) {
        let Ok(Token::StartTag(tag)) = token else { continue };
        if *tag.name != b"meta"[..] {
            continue;
        }
        let attribute =
            |name: &[u8]| tag.attributes.get(name).map(|value| String::from_utf8_lossy(&value.value).into_owned());
        let by_content = || {
            let is_type = attribute(b"http-equiv")?.eq_ignore_ascii_case("content-type");
            let content = attribute(b"content").filter(|_| is_type)?;
            content_charset(&content).map(|range| content[range].to_owned())
        };
        let label = attribute(b"charset").or_else(by_content);
        if let Some(found) = label.and_then(|label| Encoding::for_label(label.as_bytes())) {
            // If it were what it says, it could not have been read this far.
            return Some(match found {
                found if is_wide(found) => UTF_8,
                found if found == X_USER_DEFINED => WINDOWS_1252,
                found => found,
            });
        }
    }
    None
}

fn is_wide(encoding: &Encoding) -> bool {
    encoding == UTF_16BE || encoding == UTF_16LE
}

/// Where a document names its encoding in an XML declaration.
pub(in crate::text) fn xml_encoding(text: &str) -> Option<Range<usize>> {
    let start = text.strip_prefix('\u{feff}').unwrap_or(text);
    let declaration = &start[..start.find("?>").filter(|_| start.starts_with("<?xml "))?];
    let at = declaration.find("encoding")? + "encoding".len();
    let value = declaration[at..].trim_start().strip_prefix('=')?.trim_start();
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let length = value[1..].find(quote)?;
    let from = value.as_ptr() as usize - text.as_ptr() as usize + 1;
    Some(from..from + length)
}

/// Where the content of a `<meta http-equiv="Content-Type">` names an encoding.
pub(in crate::text) fn content_charset(content: &str) -> Option<Range<usize>> {
    let lower = content.to_ascii_lowercase();
    let mut at = 0;
    loop {
        at += lower[at..].find("charset")? + "charset".len();
        let rest = lower[at..].trim_start();
        let Some(value) = rest.strip_prefix('=').map(str::trim_start) else { continue };
        let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''));
        let value = &value[usize::from(quote.is_some())..];
        let ends = |c: char| quote.map_or(c == ';' || c.is_ascii_whitespace(), |quote| c == quote);
        let length = value.find(ends).unwrap_or(value.len());
        let start = content.len() - value.len();
        return (length > 0).then_some(start..start + length);
    }
}

/// Whether a label is a name of UTF-8.
pub(in crate::text) fn is_utf8(label: &str) -> bool {
    Encoding::for_label(label.as_bytes()) == Some(UTF_8)
}

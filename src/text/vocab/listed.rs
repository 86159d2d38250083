//! SentencePiece models whose pieces are numbered by a separate list.
//!
//! OPUS-MT's models cut a text with a SentencePiece model of its language and take the numbers of the pieces from a list that both languages
//! share. Here the two become one SentencePiece model: first the words of the list in its order, those that the language's model lacks as unused
//! pieces; then the pieces that the list lacks. These cut a text as before and count as `<unk>`. The number of words in the list is stored in a
//! field of `ModelProto` that the format leaves to others (200 and beyond); without it, all pieces are words.

use std::collections::{HashMap, HashSet};

use super::protobuf::{Malformed, Message, Value};
use super::{Kind, Reader, Vocabulary, VocabularyError};

/// The field of `ModelProto` with the number of words.
pub(super) const WORDS_FIELD: u64 = 200;

/// `SentencePiece.Type` of pieces that no text is cut into, and of marks.
const UNUSED: u8 = 5;
const CONTROL: u8 = 3;

/// What begins and ends the mark that tells a model with several target languages which one is wanted: `>>deu<<`.
const TARGET_MARK: (&str, &str) = (">>", "<<");

impl Vocabulary {
    /// The SentencePiece model `bytes`, with numbers from a list of words, as another SentencePiece model; `name` is for error messages.
    ///
    /// # Errors
    /// A file that is not a SentencePiece model.
    pub fn with_words(name: &str, bytes: &[u8], words: &[String]) -> Result<Vec<u8>, VocabularyError> {
        let reader = Reader { name };
        let whole = Message { bytes, offset: 0 };
        let fields = whole.fields().collect::<Result<Vec<_>, Malformed>>().map_err(|error| reader.malformed(error))?;
        let mut pieces: HashMap<&str, &[u8]> = HashMap::new();
        let mut order = Vec::new();
        let mut rest = Vec::new();
        for (index, field) in fields.iter().enumerate() {
            match field.value {
                Value::Bytes(message) if field.number == 1 => {
                    let (text, ..) = reader.piece(message, order.len())?;
                    pieces.insert(text, message.bytes);
                    order.push(text);
                }
                _ if field.number == WORDS_FIELD => {}
                _ => {
                    let end = fields.get(index + 1).map_or(bytes.len(), |next| next.offset);
                    rest.extend_from_slice(&bytes[field.offset..end]);
                }
            }
        }
        let listed: HashSet<&str> = words.iter().map(String::as_str).collect();
        let mut written = Vec::with_capacity(bytes.len() + 16 * words.len());
        for word in words {
            match pieces.get(word.as_str()) {
                Some(piece) => push_bytes(&mut written, 1, piece),
                None => push_bytes(&mut written, 1, &new_piece(word)),
            }
        }
        for piece in order.iter().filter(|piece| !listed.contains(*piece)) {
            push_bytes(&mut written, 1, pieces[piece]);
        }
        written.extend(rest);
        push_varint(&mut written, WORDS_FIELD << 3);
        push_varint(&mut written, words.len() as u64);
        Ok(written)
    }

    /// Whether `other` has the same words with the same numbers.
    pub fn has_words_of(&self, other: &Vocabulary) -> bool {
        self.len() == other.len() && (0..self.len() as u32).all(|id| self.piece(id) == other.piece(id))
    }

    /// The marks of target languages and their ids: `deu` for `>>deu<<`.
    pub fn target_marks(&self) -> impl Iterator<Item = (&str, u32)> {
        let mark = |id: u32| {
            let inner = self.piece(id)?.strip_prefix(TARGET_MARK.0)?.strip_suffix(TARGET_MARK.1)?;
            let is_code =
                !inner.is_empty() && inner.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte));
            is_code.then_some((inner, id))
        };
        (0..self.len() as u32).filter_map(mark)
    }

    /// The id of a piece that a text was cut into; a piece that the list lacks is unknown.
    pub(super) fn listed(&self, id: u32) -> u32 {
        if (id as usize) < self.len() { id } else { self.unknown }
    }

    /// The id of characters that no piece covers: a list may have them as a word of their own.
    pub(super) fn word_of_unknown(&self, text: &[u8]) -> u32 {
        let word = if self.words.is_some() { self.trie.get(text) } else { None };
        word.filter(|&id| (id as usize) < self.len() && self.kinds[id as usize] == Kind::Unused).unwrap_or(self.unknown)
    }
}

/// A word that its language's model lacks.
fn new_piece(word: &str) -> Vec<u8> {
    let kind = if word == "</s>" { CONTROL } else { UNUSED };
    let mut piece = Vec::with_capacity(word.len() + 8);
    push_bytes(&mut piece, 1, word.as_bytes());
    piece.extend([3 << 3, kind]);
    piece
}

fn push_bytes(out: &mut Vec<u8>, field: u64, bytes: &[u8]) {
    push_varint(out, field << 3 | 2);
    push_varint(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

fn push_varint(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

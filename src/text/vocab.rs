//! SentencePiece vocabularies: text to pieces with their places in the text, and back.
//!
//! A unigram model gives each piece a log-probability; a text is cut into the pieces with the highest sum (Viterbi), after Unicode
//! normalization and with spaces as U+2581. A character that no piece covers costs the lowest score minus ten and
//! becomes `<unk>`; neighbouring ones become one `<unk>` (or byte pieces, if the model has them).
//! Sources: Kudo, "Subword Regularization", 2018, section 3.2; Kudo and Richardson, "SentencePiece", 2018. Ids equal
//! those of the reference implementation, down to how it rounds sums, since ties are frequent in long runs of one character.
//!
//! Time is linear in the text for a given vocabulary: at each character the trie is followed for at most the longest piece.

mod listed;
mod normalizer;
mod protobuf;
mod trie;

use std::ops::Range;

use normalizer::{Normalizer, SPACE_SYMBOL, Switches};
use protobuf::{Malformed, Message, Value};
use trie::Trie;

/// What is subtracted from the lowest score for an unknown character.
const UNKNOWN_PENALTY: f32 = 10.0;

/// Longest piece in bytes; in a trained vocabulary it has about twenty. Bounds the time of a look-up for a crafted file.
const MAX_PIECE_BYTES: usize = 1024;

/// Largest score in magnitude. A score that no log-probability comes near would swallow all others in the sums.
const MAX_SCORE: f32 = 1e9;

/// The last field of a `NormalizerSpec` that SentencePiece has.
const LAST_NORMALIZER_FIELD: u64 = 6;

/// What to do about a vocabulary of Marian's fork that marks capitals.
const CASE_ADVICE: &str = "capitals are marked in the pieces, as only Marian's fork of SentencePiece does; take a model with a vocabulary that \
    was trained without that";

/// What SentencePiece writes for `<unk>` unless the model says otherwise.
const UNKNOWN_SURFACE: &str = " \u{2047} ";

/// One piece of an encoded text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Index in the vocabulary.
    pub id: u32,
    /// First byte in the original text; the white space before a word belongs to the word's first piece.
    pub start: usize,
    /// End in bytes in the original text. Where one character became several pieces ("ﬁ": `f`, `i`), the last holds it and
    /// the ranges of the others are empty.
    pub end: usize,
}

impl Piece {
    /// The piece's place in the original text.
    pub fn range(&self) -> Range<usize> {
        self.start..self.end
    }
}

/// A decoded sequence of pieces.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decoded {
    /// The text.
    pub text: String,
    /// For each id its byte range in the text: ascending, without gaps, empty for pieces without text.
    pub ranges: Vec<Range<usize>>,
}

/// Why a vocabulary cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VocabularyError {
    /// The file is not a protocol buffer, or ends early.
    #[error("{name}: not a SentencePiece model: expected {expected} at byte {offset}; fetch the file again")]
    Malformed {
        /// Name of the file.
        name: String,
        /// Offset in the file.
        offset: usize,
        /// What should have been there.
        expected: &'static str,
    },
    /// A kind of model, or a switch, that this engine does not implement.
    #[error("{name}: {feature} is not supported; {advice}")]
    Unsupported {
        /// Name of the file.
        name: String,
        /// The feature, by SentencePiece's name.
        feature: String,
        /// What to do.
        advice: &'static str,
    },
    /// A piece contradicts the others or the format.
    #[error("{name}: piece {index} at byte {offset}: {problem}")]
    Piece {
        /// Name of the file.
        name: String,
        /// Index of the piece.
        index: usize,
        /// Offset of the piece in the file.
        offset: usize,
        /// What was expected and found.
        problem: String,
    },
    /// The Unicode normalization rules cannot be read.
    #[error("{name}: normalization rules (precompiled_charsmap) at byte {offset}: {problem}")]
    Normalization {
        /// Name of the file.
        name: String,
        /// Offset in the file.
        offset: usize,
        /// What was expected and found.
        problem: String,
    },
    /// Something that every translation vocabulary has is missing.
    #[error("{name}: the vocabulary has no {missing}")]
    Missing {
        /// Name of the file.
        name: String,
        /// What is missing.
        missing: String,
    },
}

/// The kind of a piece, as in SentencePiece's `ModelProto.SentencePiece.Type`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Normal,
    Unknown,
    Control,
    UserDefined,
    Unused,
    Byte(u8),
}

/// A SentencePiece unigram vocabulary.
#[derive(Debug)]
pub struct Vocabulary {
    /// All pieces one after the other; piece `i` ends at `ends[i]`.
    texts: String,
    ends: Vec<u32>,
    scores: Vec<f32>,
    kinds: Vec<Kind>,
    /// If not all pieces are words of the model, how many are; see [`listed`].
    words: Option<u32>,
    /// The pieces that text may become.
    trie: Trie,
    normalizer: Normalizer,
    unknown: u32,
    end_of_sentence: u32,
    unknown_score: f32,
    max_score: f32,
    unknown_surface: String,
    /// Ids of the pieces for bytes, if unknown characters become bytes.
    bytes: Option<Box<[u32; 256]>>,
    strips_leading_space: bool,
    strips_all_leading_spaces: bool,
}

/// What the trainer's part of the file says.
struct TrainerSpec {
    model_type: u64,
    byte_fallback: bool,
    treat_whitespace_as_suffix: bool,
    unknown_surface: String,
    end_of_sentence: String,
}

impl Vocabulary {
    /// Reads a SentencePiece model (`.spm`); `name` is for error messages.
    ///
    /// # Errors
    /// For a file that is not a SentencePiece model, contradicts itself, is not a unigram model, or has no `<unk>` or no `</s>`.
    pub fn from_bytes(name: &str, bytes: &[u8]) -> Result<Vocabulary, VocabularyError> {
        Reader { name }.vocabulary(bytes)
    }

    /// Number of pieces, without those that only cut a text.
    #[allow(clippy::len_without_is_empty, reason = "a vocabulary has at least `<unk>` and `</s>`")]
    pub fn len(&self) -> usize {
        self.words.map_or(self.ends.len(), |words| words as usize)
    }

    /// The piece with this id as it stands in the vocabulary (with U+2581 for a space), `None` past the end.
    pub fn piece(&self, id: u32) -> Option<&str> {
        let end = *self.ends.get(id as usize)? as usize;
        let start = if id == 0 { 0 } else { self.ends[id as usize - 1] as usize };
        Some(&self.texts[start..end])
    }

    /// The id of exactly this piece; `None` if the vocabulary lacks it. Special pieces such as `</s>` are found too.
    pub fn id(&self, piece: &str) -> Option<u32> {
        self.trie.get(piece.as_bytes()).filter(|&id| (id as usize) < self.len()).or_else(|| {
            let special =
                |id: &u32| !matches!(self.kinds[*id as usize], Kind::Normal | Kind::Unused | Kind::UserDefined);
            (0..self.len() as u32).filter(special).find(|&id| self.piece(id) == Some(piece))
        })
    }

    /// Whether pieces of the vocabulary cover the text: none of it becomes `<unk>` or bytes.
    pub fn covers(&self, text: &str) -> bool {
        let mut pieces = Vec::new();
        self.encode(text, &mut pieces);
        let unknown = |piece: &Piece| matches!(self.kinds[piece.id as usize], Kind::Unknown | Kind::Byte(_));
        !pieces.is_empty() && !pieces.iter().any(unknown)
    }

    /// Id of `</s>`, which Marian puts after each source sentence (`encode` does not) and which ends each translation.
    pub fn end_of_sentence(&self) -> u32 {
        self.end_of_sentence
    }

    /// Id of `<unk>`.
    pub fn unknown(&self) -> u32 {
        self.unknown
    }

    /// Appends the pieces of `text` (at most 4 GiB) to `out`, without `</s>`.
    ///
    /// The ranges ascend and tile the text, except for white space that the normalizer drops at either end and characters that it
    /// drops at the end of the text.
    pub fn encode(&self, text: &str, out: &mut Vec<Piece>) {
        let normalized = self.normalizer.normalize(text);
        let origin = |position: usize| normalized.origin[position] as usize;
        let mut after_unknown = false;
        // Where the run of unknown characters began.
        let mut unknown_start = 0;
        let first = out.len();
        for (id, range) in self.best_path(&normalized.text) {
            let unknown = id == self.unknown;
            if !(unknown && after_unknown) {
                unknown_start = range.start;
            }
            let (start, end) = (origin(range.start), origin(range.end));
            match &self.bytes {
                Some(bytes) if unknown => {
                    let (last, rest) = normalized.text[range].split_last().expect("a piece has a byte");
                    out.extend(rest.iter().map(|&byte| Piece { id: bytes[byte as usize], start, end: start }));
                    out.push(Piece { id: bytes[*last as usize], start, end });
                }
                _ if unknown && after_unknown && out.len() > first => {
                    let last = out.last_mut().expect("there is a piece before");
                    (last.id, last.end) = (self.word_of_unknown(&normalized.text[unknown_start..range.end]), end);
                }
                _ if unknown => out.push(Piece { id: self.word_of_unknown(&normalized.text[range]), start, end }),
                _ => out.push(Piece { id: self.listed(id), start, end }),
            }
            after_unknown = unknown;
        }
    }

    /// The pieces with the highest sum of scores, as ids and ranges of the normalized text.
    fn best_path(&self, text: &[u8]) -> Vec<(u32, Range<usize>)> {
        #[derive(Clone, Copy)]
        struct Node {
            score: f32,
            start: u32,
            id: u32,
        }
        const UNREACHED: u32 = u32::MAX;
        let mut nodes = vec![Node { score: 0.0, start: UNREACHED, id: 0 }; text.len() + 1];
        let mut start = 0;
        while start < text.len() {
            let length = character_length(text[start]).min(text.len() - start);
            let score_here = f64::from(nodes[start].score);
            // Of sums that are equal in single precision, the first stays: the one with the longest last piece.
            let mut offer = |end: usize, id: u32, score: f64| {
                let node = &mut nodes[end];
                let score = (score + score_here) as f32;
                if node.start == UNREACHED || score > node.score {
                    *node = Node { score, start: start as u32, id };
                }
            };
            let mut has_character = false;
            let mut trie_node = trie::ROOT;
            for end in start + 1..=text.len() {
                let Some((child, piece)) = self.trie.step(trie_node, text[end - 1]) else { break };
                trie_node = child;
                let Some(id) = piece else { continue };
                match self.kinds[id as usize] {
                    Kind::Unused => continue,
                    // Always taken: longer symbols earn more than any normal pieces.
                    Kind::UserDefined => {
                        offer(end, id, f64::from((end - start) as f32 * self.max_score) - 0.1);
                    }
                    _ => offer(end, id, f64::from(self.scores[id as usize])),
                }
                has_character |= end - start == length;
            }
            if !has_character {
                offer(start + length, self.unknown, f64::from(self.unknown_score));
            }
            start += length;
        }
        let mut path = Vec::with_capacity(text.len() / 3);
        let mut end = text.len();
        while end > 0 {
            let node = nodes[end];
            let start = node.start as usize;
            path.push((node.id, start..end));
            end = start;
        }
        path.reverse();
        path
    }

    /// The text of a sequence of pieces, as SentencePiece writes it; ids past the end of the vocabulary count as `<unk>`.
    pub fn decode(&self, ids: &[u32]) -> Decoded {
        self.decode_with(ids, |_| None)
    }

    /// Like [`decode`](Self::decode), but `surface(i)` may give the text for the `i`th id where that is `<unk>`: the word of the source
    /// that it stands for.
    pub fn decode_with<'a>(&self, ids: &[u32], mut surface: impl FnMut(usize) -> Option<&'a str>) -> Decoded {
        let mut decoded = Decoded { text: String::with_capacity(ids.len() * 5), ranges: Vec::with_capacity(ids.len()) };
        let mut at_start = true;
        let mut consumed_space = false;
        let mut bytes = Vec::new();
        for (index, &id) in ids.iter().enumerate() {
            let kind = self.kinds.get(id as usize).copied().unwrap_or(Kind::Unknown);
            if let Kind::Byte(byte) = kind {
                bytes.push(byte);
                continue;
            }
            decoded.flush(&mut bytes);
            if consumed_space || !decoded.text.is_empty() {
                at_start = false;
            }
            let start = decoded.text.len();
            consumed_space = false;
            match kind {
                Kind::Control => {}
                Kind::Unknown => decoded.text.push_str(surface(index).unwrap_or(&self.unknown_surface)),
                _ => {
                    let mut piece = self.piece(id).unwrap_or_default();
                    if let Some(rest) =
                        piece.strip_prefix(SPACE_SYMBOL).filter(|_| at_start && self.strips_leading_space)
                    {
                        piece = rest;
                        consumed_space = !self.strips_all_leading_spaces;
                    }
                    for (part, text) in piece.split(SPACE_SYMBOL).enumerate() {
                        if part > 0 {
                            decoded.text.push(' ');
                        }
                        decoded.text.push_str(text);
                    }
                }
            }
            decoded.ranges.push(start..decoded.text.len());
        }
        decoded.flush(&mut bytes);
        decoded
    }
}

impl Decoded {
    /// Writes a run of byte pieces: each character belongs to its last byte, each byte of invalid UTF-8 is U+FFFD.
    fn flush(&mut self, bytes: &mut Vec<u8>) {
        for chunk in bytes.utf8_chunks() {
            for character in chunk.valid().chars() {
                let start = self.text.len();
                self.ranges.extend(std::iter::repeat_n(start..start, character.len_utf8() - 1));
                self.text.push(character);
                self.ranges.push(start..self.text.len());
            }
            for _ in chunk.invalid() {
                let start = self.text.len();
                self.text.push(char::REPLACEMENT_CHARACTER);
                self.ranges.push(start..self.text.len());
            }
        }
        bytes.clear();
    }
}

/// Length in bytes of the UTF-8 character that starts with this byte.
#[inline]
fn character_length(byte: u8) -> usize {
    match byte {
        0..0xc0 => 1,
        0xc0..0xe0 => 2,
        0xe0..0xf0 => 3,
        _ => 4,
    }
}

/// Whether a field is set to anything; a switch may be present but off.
fn is_on(field: &protobuf::Field<'_>) -> bool {
    !matches!(field.value, Value::Varint(0))
}

/// Reads a model file (`ModelProto`: 1 pieces, 2 trainer, 3 normalizer, 5 denormalizer; [`listed`] has one more).
struct Reader<'n> {
    name: &'n str,
}

impl Reader<'_> {
    fn malformed(&self, error: Malformed) -> VocabularyError {
        VocabularyError::Malformed { name: self.name.to_owned(), offset: error.offset, expected: error.expected }
    }

    fn unsupported(&self, feature: impl Into<String>) -> VocabularyError {
        let advice = "a unigram model is needed (spm_train --model_type=unigram)";
        VocabularyError::Unsupported { name: self.name.to_owned(), feature: feature.into(), advice }
    }

    /// A setting of the normalizer or the denormalizer, `spec`, that would give other pieces or another text.
    fn setting(&self, number: u64, spec: &str) -> VocabularyError {
        let (feature, advice) = match number {
            7 => ("encode_case", CASE_ADVICE),
            8 => ("decode_case", CASE_ADVICE),
            _ => ("", "a newer version of this program may read it"),
        };
        let feature = if feature.is_empty() { format!("field {number}") } else { format!("`{feature}`") };
        VocabularyError::Unsupported { name: self.name.to_owned(), feature: format!("{feature} of {spec}"), advice }
    }

    fn missing(&self, missing: impl Into<String>) -> VocabularyError {
        VocabularyError::Missing { name: self.name.to_owned(), missing: missing.into() }
    }

    fn text<'a>(&self, value: Value<'a>, offset: usize) -> Result<&'a str, VocabularyError> {
        match value {
            Value::Bytes(message) => std::str::from_utf8(message.bytes)
                .map_err(|_| self.malformed(Malformed { offset: message.offset, expected: "a string in UTF-8" })),
            _ => Err(self.malformed(Malformed { offset, expected: "a string" })),
        }
    }

    fn number(&self, value: Value, offset: usize) -> Result<u64, VocabularyError> {
        match value {
            Value::Varint(number) => Ok(number),
            _ => Err(self.malformed(Malformed { offset, expected: "an integer" })),
        }
    }

    fn message<'a>(&self, value: Value<'a>, offset: usize) -> Result<Message<'a>, VocabularyError> {
        match value {
            Value::Bytes(message) => Ok(message),
            _ => Err(self.malformed(Malformed { offset, expected: "a nested message" })),
        }
    }

    fn vocabulary(&self, bytes: &[u8]) -> Result<Vocabulary, VocabularyError> {
        let mut texts = String::new();
        let mut ends = Vec::new();
        let mut scores = Vec::new();
        let mut kinds = Vec::new();
        let mut offsets = Vec::new();
        let mut trainer = Message { bytes: &[], offset: 0 };
        let mut normalizer = trainer;
        let mut words = None;
        for field in (Message { bytes, offset: 0 }).fields() {
            let field = field.map_err(|error| self.malformed(error))?;
            match field.number {
                1 => {
                    let message = self.message(field.value, field.offset)?;
                    let (text, score, kind) = self.piece(message, kinds.len())?;
                    texts.push_str(text);
                    ends.push(texts.len() as u32);
                    scores.push(score);
                    kinds.push(kind);
                    offsets.push(message.offset);
                }
                2 => trainer = self.message(field.value, field.offset)?,
                3 => normalizer = self.message(field.value, field.offset)?,
                listed::WORDS_FIELD => words = Some(self.number(field.value, field.offset)?),
                5 => {
                    for field in self.message(field.value, field.offset)?.fields() {
                        let field = field.map_err(|error| self.malformed(error))?;
                        if field.number == 2 && !self.message(field.value, field.offset)?.bytes.is_empty() {
                            return Err(self.unsupported("a denormalizer (denormalizer_spec)"));
                        }
                        if field.number > LAST_NORMALIZER_FIELD && is_on(&field) {
                            return Err(self.setting(field.number, "denormalizer_spec"));
                        }
                    }
                }
                _ => {}
            }
        }
        if u32::try_from(texts.len()).is_err() {
            return Err(self.unsupported("a vocabulary of more than 4 GiB"));
        }
        let trainer = self.trainer_spec(trainer)?;
        match trainer.model_type {
            1 => {}
            2 => return Err(self.unsupported("model_type BPE")),
            3 => return Err(self.unsupported("model_type WORD")),
            4 => return Err(self.unsupported("model_type CHAR")),
            other => return Err(self.unsupported(format!("model_type {other}"))),
        }

        let piece = |index: usize| &texts[if index == 0 { 0 } else { ends[index - 1] as usize }..ends[index] as usize];
        let error = |index: usize, problem: String| VocabularyError::Piece {
            name: self.name.to_owned(),
            index,
            offset: offsets[index],
            problem,
        };
        let mut sorted: Vec<(&[u8], u32)> = (0..kinds.len()).map(|i| (piece(i).as_bytes(), i as u32)).collect();
        sorted.sort_unstable();
        if let Some(pair) = sorted.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            let (first, second) = (pair[0].1, pair[1].1 as usize);
            return Err(error(second, format!("{:?} is already piece {first}", piece(second))));
        }
        let words = match words {
            Some(count) if count <= kinds.len() as u64 => Some(count as u32),
            Some(count) => return Err(self.missing(format!("{count} pieces, though it says so"))),
            None => None,
        };
        let of_kind = |wanted: Kind| kinds.iter().enumerate().filter(move |(_, kind)| **kind == wanted).map(|(i, _)| i);
        let mut unknown = of_kind(Kind::Unknown);
        let (unknown, second) = (unknown.next().ok_or_else(|| self.missing("unknown piece (<unk>)"))?, unknown.next());
        if let Some(second) = second {
            return Err(error(second, format!("a second unknown piece, piece {unknown} is one already")));
        }
        let end_of_sentence = of_kind(Kind::Control)
            .find(|&index| piece(index) == trainer.end_of_sentence)
            .ok_or_else(|| self.missing(format!("end of sentence ({})", trainer.end_of_sentence)))?;
        let bytes = if trainer.byte_fallback { Some(self.byte_pieces(&kinds)?) } else { None };
        if let Some(index) = kinds.iter().position(|kind| matches!(kind, Kind::Byte(_))).filter(|_| bytes.is_none()) {
            return Err(error(index, "a byte piece in a model without byte_fallback".to_owned()));
        }

        let normal = || of_kind(Kind::Normal).map(|index| scores[index]);
        // Both initial values are the reference's; its `FLT_MIN` is the smallest positive number.
        let unknown_score = normal().fold(f32::MAX, f32::min) - UNKNOWN_PENALTY;
        let max_score = normal().fold(f32::MIN_POSITIVE, f32::max);
        let user_defined: Vec<(&[u8], u32)> =
            sorted.iter().filter(|(_, id)| kinds[*id as usize] == Kind::UserDefined).copied().collect();
        let untouchable = (!user_defined.is_empty()).then(|| Trie::new(&user_defined));
        sorted.retain(|(_, id)| matches!(kinds[*id as usize], Kind::Normal | Kind::UserDefined | Kind::Unused));
        let trie = Trie::new(&sorted);
        let (normalizer, switches) = self.normalizer(normalizer, trainer.treat_whitespace_as_suffix, untouchable)?;
        texts.shrink_to_fit();
        ends.shrink_to_fit();
        scores.shrink_to_fit();
        kinds.shrink_to_fit();
        Ok(Vocabulary {
            trie,
            normalizer,
            unknown: unknown as u32,
            end_of_sentence: end_of_sentence as u32,
            unknown_score,
            max_score,
            unknown_surface: trainer.unknown_surface,
            bytes,
            strips_leading_space: switches.add_dummy_prefix || switches.remove_extra_whitespaces,
            strips_all_leading_spaces: switches.remove_extra_whitespaces,
            texts,
            ends,
            scores,
            kinds,
            words,
        })
    }

    /// `SentencePiece`: 1 text, 2 score, 3 kind.
    fn piece<'a>(&self, message: Message<'a>, index: usize) -> Result<(&'a str, f32, Kind), VocabularyError> {
        let error = |problem: String| VocabularyError::Piece {
            name: self.name.to_owned(),
            index,
            offset: message.offset,
            problem,
        };
        let (mut text, mut score, mut kind) = ("", 0.0, 1);
        for field in message.fields() {
            let field = field.map_err(|error| self.malformed(error))?;
            match (field.number, field.value) {
                (1, value) => text = self.text(value, field.offset)?,
                (2, Value::Fixed32(bytes)) => score = f32::from_le_bytes(bytes),
                (2, _) => return Err(error("a score of four bytes expected".to_owned())),
                (3, value) => kind = self.number(value, field.offset)?,
                _ => {}
            }
        }
        if text.is_empty() || text.len() > MAX_PIECE_BYTES {
            return Err(error(format!("1 to {MAX_PIECE_BYTES} bytes expected, {} found", text.len())));
        }
        if score.is_nan() || score.abs() > MAX_SCORE {
            return Err(error(format!("the score of {text:?} is {score}, a log-probability expected")));
        }
        let kind = match kind {
            1 => Kind::Normal,
            2 => Kind::Unknown,
            3 => Kind::Control,
            4 => Kind::UserDefined,
            5 => Kind::Unused,
            6 => {
                let digits = text.strip_prefix("<0x").and_then(|rest| rest.strip_suffix('>'));
                let byte = digits.filter(|d| d.len() == 2).and_then(|digits| u8::from_str_radix(digits, 16).ok());
                Kind::Byte(byte.ok_or_else(|| error(format!("<0x00> to <0xFF> expected, {text:?} found")))?)
            }
            other => return Err(error(format!("a kind from 1 to 6 expected, {other} found"))),
        };
        Ok((text, score, kind))
    }

    /// The ids of the 256 byte pieces.
    fn byte_pieces(&self, kinds: &[Kind]) -> Result<Box<[u32; 256]>, VocabularyError> {
        let mut ids = Box::new([u32::MAX; 256]);
        for (index, kind) in kinds.iter().enumerate() {
            if let Kind::Byte(byte) = kind {
                ids[*byte as usize] = index as u32;
            }
        }
        match ids.iter().position(|&id| id == u32::MAX) {
            Some(byte) => Err(self.missing(format!("piece <0x{byte:02X}>, though byte_fallback is on"))),
            None => Ok(ids),
        }
    }

    /// `TrainerSpec`: 3 model type, 24 white space as suffix, 35 byte fallback, 44 text for `<unk>`, 47 name of `</s>`.
    fn trainer_spec(&self, message: Message) -> Result<TrainerSpec, VocabularyError> {
        let mut spec = TrainerSpec {
            model_type: 1,
            byte_fallback: false,
            treat_whitespace_as_suffix: false,
            unknown_surface: UNKNOWN_SURFACE.to_owned(),
            end_of_sentence: "</s>".to_owned(),
        };
        for field in message.fields() {
            let field = field.map_err(|error| self.malformed(error))?;
            match field.number {
                3 => spec.model_type = self.number(field.value, field.offset)?,
                24 => spec.treat_whitespace_as_suffix = self.number(field.value, field.offset)? != 0,
                35 => spec.byte_fallback = self.number(field.value, field.offset)? != 0,
                44 => spec.unknown_surface = self.text(field.value, field.offset)?.to_owned(),
                47 => spec.end_of_sentence = self.text(field.value, field.offset)?.to_owned(),
                _ => {}
            }
        }
        Ok(spec)
    }

    /// `NormalizerSpec`: 2 rules, 3 dummy prefix, 4 extra white space, 5 escape; 1 and 6 say where the rules come from. In Marian's fork of
    /// SentencePiece, 7 and 8 mark capitals apart from the letters.
    fn normalizer(
        &self,
        message: Message,
        treat_whitespace_as_suffix: bool,
        untouchable: Option<Trie>,
    ) -> Result<(Normalizer, Switches), VocabularyError> {
        let mut switches = Switches {
            add_dummy_prefix: true,
            remove_extra_whitespaces: true,
            escape_whitespaces: true,
            treat_whitespace_as_suffix,
        };
        let mut charsmap = Message { bytes: &[], offset: message.offset };
        for field in message.fields() {
            let field = field.map_err(|error| self.malformed(error))?;
            match field.number {
                2 => charsmap = self.message(field.value, field.offset)?,
                3 => switches.add_dummy_prefix = self.number(field.value, field.offset)? != 0,
                4 => switches.remove_extra_whitespaces = self.number(field.value, field.offset)? != 0,
                5 => switches.escape_whitespaces = self.number(field.value, field.offset)? != 0,
                number if number > LAST_NORMALIZER_FIELD && is_on(&field) => {
                    return Err(self.setting(number, "normalizer_spec"));
                }
                _ => {}
            }
        }
        let normalizer = Normalizer::new(charsmap.bytes, switches, untouchable).map_err(|(offset, problem)| {
            VocabularyError::Normalization { name: self.name.to_owned(), offset: charsmap.offset + offset, problem }
        })?;
        Ok((normalizer, switches))
    }
}

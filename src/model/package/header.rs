//! The header of a package: what it is, and where everything lies.

use super::super::decoding::Decoding;
use super::super::error::{Error, Fault, malformed};
use super::super::shortlist::Vocabularies;
use super::log4::Codebook;
use super::wire;

/// A package's first bytes.
pub(super) const MAGIC: [u8; 8] = *b"WANDERW\n";
/// The newest version that this program reads and the one that it writes.
pub(super) const VERSION: u32 = 1;
/// Bytes before the header: magic, version, packed length, length and checksum of the header.
pub(super) const PREAMBLE: usize = 24;
/// No header is larger, packed or not.
const LARGEST_HEADER: u32 = 16 << 20;
/// No section is larger.
const LARGEST_SECTION: u64 = 1 << 31;
/// No tensor has more values.
const LARGEST_TENSOR: u64 = 1 << 28;
/// No model has more bytes when unpacked.
const LARGEST_MODEL: u64 = 1 << 31;

/// What a package says about itself and what it contains.
#[derive(Clone, Debug, PartialEq)]
pub struct Header {
    /// For readers: languages, licence, scores.
    pub card: Card,
    /// The architecture, as Marian's options.
    pub config: String,
    /// How to search, and how long input and output may be.
    pub decoding: Decoding,
    /// The signs (symbols and punctuation) that the model was measured to carry over reliably, in rising order; none if not measured.
    pub signs: Option<String>,
    /// What follows, in order.
    pub sections: Vec<Section>,
    /// Records that this program does not know and does not need.
    pub unknown: Unknown,
}

/// What a newer program wrote; it is kept unchanged when the header is written again.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Unknown(pub(super) serde_json::Map<String, serde_json::Value>);

impl Unknown {
    /// The names of what is there.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}

/// What a person wants to know about a model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Card {
    /// The model's name.
    pub name: String,
    /// Source language, a BCP 47 tag.
    pub source_language: String,
    /// Target language, a BCP 47 tag.
    pub target_language: String,
    /// Terms of use, an SPDX expression or a sentence.
    pub licence: String,
    /// Model card: origin, data, training, limits; Markdown.
    pub description: String,
    /// What it scores, and on what.
    pub scores: Vec<Score>,
}

/// One measured score.
#[derive(Clone, Debug, PartialEq)]
pub struct Score {
    /// The test set.
    pub set: String,
    /// The metric with its signature.
    pub metric: String,
    /// The value.
    pub value: f64,
}

/// A part of the package that is checked, and fetched again if need be, as a whole.
#[derive(Clone, Debug, PartialEq)]
pub struct Section {
    /// Length in bytes.
    pub length: u64,
    /// CRC-32 (IEEE 802.3) of its bytes.
    pub checksum: u32,
    /// What it holds.
    pub content: Content,
}

/// What a section holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// A SentencePiece vocabulary.
    Vocabulary {
        /// Whose words.
        side: Side,
        /// The file's name.
        name: String,
    },
    /// A lexical shortlist.
    Shortlist {
        /// Target words, from 0 on, that are always candidates.
        first: usize,
        /// Number of source words.
        source: usize,
        /// Number of target words.
        target: usize,
        /// Both languages share a vocabulary.
        joint: bool,
    },
    /// Tensors, one after the other.
    Tensors(Vec<Entry>),
    /// Something that this program does not know and does not need.
    Other(Unknown),
}

/// Whose words a vocabulary holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The source language's.
    Source,
    /// The target language's.
    Target,
    /// Those of both.
    Joint,
}

/// A tensor's place in the directory.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Marian's name.
    pub name: String,
    /// How its values are stored.
    pub encoding: Encoding,
    /// Rows; for quantized matrices, the length of a dot product.
    pub rows: usize,
    /// Columns.
    pub columns: usize,
    /// Number of scales of a quantized matrix: 1, or one for each column.
    pub scales: usize,
    /// Length in bytes.
    pub length: u64,
    /// Squared error of the quantization, relative to the squared weights.
    pub error: Option<f32>,
}

/// How a tensor's values are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// 32-bit floats, row-major.
    Float32,
    /// 16-bit floats, row-major.
    Float16,
    /// Integers −127 to 127, entropy-coded, column by column.
    Int8,
    /// Log-4-bit codes, entropy-coded, column by column.
    Log4(Codebook),
}

impl Header {
    /// Length of the whole package in bytes, given the packed length of its header.
    pub(super) fn total(&self, packed_header: u32) -> u64 {
        let sections: u64 = self.sections.iter().map(|section| section.length).sum();
        PREAMBLE as u64 + u64::from(packed_header) + sections
    }

    /// Every tensor's entry, in the order of the package.
    pub fn tensors(&self) -> impl Iterator<Item = &Entry> {
        self.sections.iter().flat_map(|section| match &section.content {
            Content::Tensors(entries) => entries.as_slice(),
            _ => &[],
        })
    }

    /// The bytes before the first section. Nothing is written that could not be read again; `file` is named in errors.
    pub(super) fn write(&self, file: &str) -> Result<Vec<u8>, Error> {
        let fault = |fault| malformed(file, "header", PREAMBLE as u64, fault);
        self.check().map_err(fault)?;
        let text = wire::write(self);
        let packed = compress(&text);
        for (what, bytes) in [("packed length of the header", &packed), ("length of the header", &text)] {
            let (found, limit) = (bytes.len() as u64, LARGEST_HEADER.into());
            if found > limit {
                return Err(fault(Fault::Count { what, found, limit }));
            }
        }
        let mut bytes = MAGIC.to_vec();
        for number in [VERSION, packed.len() as u32, text.len() as u32, crc32fast::hash(&packed)] {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(packed);
        Ok(bytes)
    }

    /// Reads the packed header.
    pub(super) fn read(file: &str, preamble: &Preamble, packed: &[u8]) -> Result<Header, Error> {
        let fault = |fault| malformed(file, "header", PREAMBLE as u64, fault);
        let found = crc32fast::hash(packed);
        if found != preamble.checksum {
            let (expected, found) = (preamble.checksum.into(), found.into());
            return Err(fault(Fault::Checksum { expected, found }));
        }
        let text = decompress(packed, preamble.length as usize).map_err(fault)?;
        let (needed, available) = (preamble.length.into(), text.len() as u64);
        if available != needed {
            return Err(fault(Fault::Truncated { needed, available }));
        }
        let header = wire::read(&text).map_err(fault)?;
        header.check().map_err(fault)?;
        Ok(header)
    }

    /// Refuses lengths and shapes that contradict each other or are beyond all measure.
    fn check(&self) -> Result<(), Fault> {
        let count = |what, found, limit| match found > limit {
            true => Err(Fault::Count { what, found, limit }),
            false => Ok(()),
        };
        self.decoding.check().map_err(Fault::Parse)?;
        if self.signs.as_ref().is_some_and(|signs| !signs.chars().is_sorted_by(|a, b| a < b)) {
            return Err(Fault::Parse("`signs` are not in rising order".to_owned()));
        }
        if let Some(Score { set, value, .. }) = self.card.scores.iter().find(|score| !score.value.is_finite()) {
            return Err(Fault::Parse(format!("the score on `{set}` is {value}, expected a number")));
        }
        let mut names = std::collections::HashSet::new();
        let mut unpacked = 0u64;
        for section in &self.sections {
            count("length of a section", section.length, LARGEST_SECTION)?;
            let Content::Tensors(entries) = &section.content else { continue };
            let mut rest = section.length;
            for entry in entries {
                count("length of a tensor", entry.length, rest)?;
                rest -= entry.length;
                let values = (entry.rows as u64).checked_mul(entry.columns as u64).filter(|&values| values > 0);
                let shape = |expected: &str| Fault::Shape {
                    expected: format!("{expected} for `{}`", entry.name),
                    found: vec![entry.rows as u64, entry.columns as u64],
                };
                let values = values.ok_or_else(|| shape("a matrix"))?;
                count("number of values", values, LARGEST_TENSOR)?;
                let (scales, width) = match entry.encoding {
                    Encoding::Float32 => (0, 4),
                    Encoding::Float16 => (0, 2),
                    _ if entry.scales == entry.columns => (entry.columns, 1),
                    _ => (1, 1),
                };
                if entry.scales != scales {
                    let (found, limit) = (entry.scales as u64, scales as u64);
                    return Err(Fault::Count { what: "number of scales", found, limit });
                }
                if scales == 0 && entry.length != values * width {
                    return Err(shape(&format!("a matrix of {} values", entry.length / width)));
                }
                unpacked += values * width;
                count("size of the model", unpacked, LARGEST_MODEL)?;
                if !names.insert(&entry.name) {
                    return Err(Fault::Overlap(entry.name.clone()));
                }
            }
            if rest != 0 {
                return Err(Fault::Count {
                    what: "length of a section",
                    found: section.length,
                    limit: section.length - rest,
                });
            }
        }
        Ok(())
    }
}

/// The fixed first bytes.
pub(super) struct Preamble {
    pub packed_length: u32,
    length: u32,
    checksum: u32,
}

impl Preamble {
    /// Reads [`PREAMBLE`] bytes.
    pub(super) fn read(file: &str, bytes: &[u8]) -> Result<Preamble, Error> {
        let fault = |offset, fault| malformed(file, "preamble", offset, fault);
        if !bytes.starts_with(&MAGIC) {
            return Err(fault(0, Fault::Kind { expected: "a packaged model" }));
        }
        let number = |index: usize| {
            let mut number = [0; 4];
            number.copy_from_slice(&bytes[8 + 4 * index..12 + 4 * index]);
            u32::from_le_bytes(number)
        };
        let version = number(0);
        if version == 0 || version > VERSION {
            let known = "version 1; the package needs a newer version of the program";
            return Err(fault(8, Fault::Version { found: version.into(), known }));
        }
        for (index, what) in [(1, "packed length of the header"), (2, "length of the header")] {
            let (found, limit) = (number(index).into(), LARGEST_HEADER.into());
            if found > limit {
                return Err(fault(8 + 4 * index as u64, Fault::Count { what, found, limit }));
            }
        }
        Ok(Preamble { packed_length: number(1), length: number(2), checksum: number(3) })
    }
}

impl Content {
    /// The vocabularies that a shortlist connects.
    pub(super) fn vocabularies(&self) -> Option<Vocabularies> {
        match *self {
            Content::Shortlist { source, target, joint, .. } => Some(Vocabularies { source, target, joint }),
            _ => None,
        }
    }
}

/// LZMA with its classic header, which says how long the content is.
pub(super) fn compress(content: &[u8]) -> Vec<u8> {
    use std::io::Write;
    let mut options = lzma_rust2::LzmaOptions::with_preset(9);
    options.dict_size = (content.len() as u32).next_power_of_two().clamp(1 << 12, LARGEST_DICTIONARY);
    let writer = lzma_rust2::LzmaWriter::new_use_header(Vec::new(), &options, Some(content.len() as u64));
    let finished = writer.and_then(|mut writer| {
        writer.write_all(content)?;
        writer.finish()
    });
    finished.expect("writing to memory cannot fail")
}

const LARGEST_DICTIONARY: u32 = 1 << 23;

/// At most `limit` bytes of content.
pub(super) fn decompress(bytes: &[u8], limit: usize) -> Result<Vec<u8>, Fault> {
    use std::io::Read;
    let failed = |error: &dyn std::fmt::Display| Fault::Parse(format!("compressed data: {error}"));
    let memory_in_kib = 2 * LARGEST_DICTIONARY / 1024;
    let reader = lzma_rust2::LzmaReader::new_mem_limit(bytes, memory_in_kib, None).map_err(|error| failed(&error))?;
    let mut content = Vec::new();
    reader.take(limit as u64 + 1).read_to_end(&mut content).map_err(|error| failed(&error))?;
    if content.len() > limit {
        let (what, limit) = ("decompressed size", limit as u64);
        return Err(Fault::Count { what, found: limit + 1, limit });
    }
    Ok(content)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header() -> Header {
        Header {
            card: Card::default(),
            config: "type: transformer".to_owned(),
            decoding: Decoding::default(),
            signs: None,
            sections: Vec::new(),
            unknown: Unknown::default(),
        }
    }

    #[test]
    fn what_could_not_be_read_is_not_written() {
        let written = header().write("p").unwrap();
        let preamble = Preamble::read("p", &written[..PREAMBLE]).unwrap();
        assert_eq!(Header::read("p", &preamble, &written[PREAMBLE..]).unwrap(), header());
        let score = |value| Score { set: "wmt".to_owned(), metric: "BLEU".to_owned(), value };
        let wrong = [
            (
                Header { decoding: Decoding { beam_size: Some(100), ..Decoding::default() }, ..header() },
                "`beam_size` is 100",
            ),
            (
                Header { decoding: Decoding { normalize: Some(f32::NAN), ..Decoding::default() }, ..header() },
                "`normalize`",
            ),
            (Header { signs: Some("→%".to_owned()), ..header() }, "rising order"),
            (
                Header { card: Card { scores: vec![score(1.0), score(f64::NAN)], ..Card::default() }, ..header() },
                "`wmt` is NaN",
            ),
        ];
        for (header, expected) in wrong {
            let error = header.write("p").unwrap_err().to_string();
            assert!(error.starts_with("p: header") && error.contains(expected), "{error}");
        }
    }
}

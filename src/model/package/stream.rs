//! Reading a package as it arrives.
//!
//! Bytes go in as the network delivers them; what a section holds comes out as soon as the section is complete and its
//! checksum matches. Only the section under way is held. Nothing depends on how the bytes were split.

use super::super::config::Config;
use super::super::error::{Error, Fault, malformed};
use super::super::shortlist::Shortlist;
use super::super::tensor::{FloatTensor, Int8Tensor, Tensor};
use super::coder;
use super::header::{Content, Encoding, Entry, Header, PREAMBLE, Preamble, Side, decompress};

/// No vocabulary and no shortlist is larger when unpacked.
const LARGEST_FILE: usize = 1 << 26;
/// A section gets at most this much room at once on the word of the header alone.
const MOST_RESERVED: usize = 1 << 22;
/// Every integer that an entropy-coded int8 tensor can hold; the code is the index.
const INTEGERS: [i8; 255] = {
    let mut integers = [0; 255];
    let mut code = 0;
    while code < 255 {
        integers[code] = (code as i16 - 127) as i8;
        code += 1;
    }
    integers
};

/// What comes out of a package, in its order.
#[derive(Debug)]
pub enum Event<'a> {
    /// The header, before anything else, and the architecture that it describes.
    Header(&'a Header, &'a Config),
    /// A vocabulary file.
    Vocabulary {
        /// Whose words.
        side: Side,
        /// The file's name.
        name: &'a str,
        /// The SentencePiece model.
        bytes: Vec<u8>,
    },
    /// The shortlist.
    Shortlist(Shortlist),
    /// A tensor, as Marian's files would give it.
    Tensor {
        /// Marian's name.
        name: &'a str,
        /// Its values, unpacked.
        tensor: Tensor,
    },
}

/// A part of a package that has arrived as a whole, and whose checksum matches.
#[derive(Debug)]
pub enum Whole<'a> {
    /// The header, before anything else, and the architecture that it describes.
    Header(&'a Header, &'a Config),
    /// A section, still packed.
    Section(PackedSection<'a>),
}

/// A section that has arrived and is not unpacked yet; unpacking can be done anywhere.
#[derive(Clone, Copy, Debug)]
pub struct PackedSection<'a> {
    /// The package, for errors.
    pub file: &'a str,
    /// Where the section begins.
    pub offset: u64,
    /// What it holds.
    pub content: &'a Content,
    /// Its bytes.
    pub bytes: &'a [u8],
}

impl PackedSection<'_> {
    /// Unpacks it and hands out what it holds.
    ///
    /// # Errors
    /// Damaged content, and whatever `each` returns.
    pub fn unpack<E: From<Error>>(&self, mut each: impl FnMut(Event<'_>) -> Result<(), E>) -> Result<(), E> {
        read_section(self.file, self.offset, self.content, self.bytes, &mut each)
    }
}

/// A package that is being read.
pub struct Reader {
    file: String,
    /// Bytes of the part under way.
    buffer: Vec<u8>,
    /// Offset of the part under way.
    offset: u64,
    stage: Stage,
}

enum Stage {
    Preamble,
    Header(Preamble),
    /// The number of the section under way; the number of sections when all have been read.
    Section(Box<(Header, Config, u64)>, usize),
}

impl Reader {
    /// Starts to read; `file` is named in errors.
    pub fn new(file: &str) -> Self {
        Reader { file: file.to_owned(), buffer: Vec::new(), offset: 0, stage: Stage::Preamble }
    }

    /// Takes the next bytes and hands out what they complete.
    ///
    /// # Errors
    /// Damaged or unknown content, and whatever `each` returns. After a [`Fault::Checksum`] the damaged section is
    /// dropped and nothing of it has been handed out: reading can go on with the bytes from [`good`](Self::good) on,
    /// fetched again. Other errors come back when tried again.
    pub fn push<E: From<Error>>(
        &mut self,
        bytes: &[u8],
        mut each: impl FnMut(Event<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        self.push_packed(bytes, |whole| match whole {
            Whole::Header(header, config) => each(Event::Header(header, config)),
            Whole::Section(section) => section.unpack(&mut each),
        })
    }

    /// Like [`push`](Self::push), but hands out sections as they are, so that another thread can unpack them.
    ///
    /// # Errors
    /// Those of `push`, except what shows only in unpacking.
    pub fn push_packed<E: From<Error>>(
        &mut self,
        mut bytes: &[u8],
        mut each: impl FnMut(Whole<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        loop {
            let Some(needed) = self.needed() else {
                if bytes.is_empty() {
                    return Ok(());
                }
                let (what, limit) = ("length of the package", self.offset);
                let fault = Fault::Count { what, found: self.offset + bytes.len() as u64, limit };
                return Err(malformed(&self.file, "end", self.offset, fault).into());
            };
            let missing = needed - self.buffer.len();
            if bytes.len() < missing {
                let length = self.buffer.len() + bytes.len();
                if length > self.buffer.capacity() {
                    // In one piece and no more than needed: what would be left over stays with a page's engine for good, since
                    // WebAssembly's memory never shrinks.
                    let capacity = length.max(2 * self.buffer.capacity()).max(MOST_RESERVED).min(needed);
                    self.buffer.reserve_exact(capacity - self.buffer.len());
                }
                self.buffer.extend_from_slice(bytes);
                return Ok(());
            }
            let (last, rest) = bytes.split_at(missing);
            bytes = rest;
            // A part that arrives whole is read where it is.
            let mut buffer = std::mem::take(&mut self.buffer);
            let part = if buffer.is_empty() {
                last
            } else {
                buffer.extend_from_slice(last);
                &buffer
            };
            self.complete(part, &mut each)?;
            self.offset += needed as u64;
        }
    }

    /// Offset up to which everything was read and checked: where to go on after the source broke off. To do so,
    /// [`rewind`](Self::rewind) and push the bytes from there on.
    pub fn good(&self) -> u64 {
        self.offset
    }

    /// Number of bytes taken so far, including those of the part under way: reading can also go on from here, if
    /// the bytes so far are believed to be right.
    pub fn taken(&self) -> u64 {
        self.offset + self.buffer.len() as u64
    }

    /// Forgets the part under way, and returns the offset of the first byte that is to be pushed next.
    pub fn rewind(&mut self) -> u64 {
        self.buffer.clear();
        self.offset
    }

    /// The header, once it has been read.
    pub fn header(&self) -> Option<&Header> {
        match &self.stage {
            Stage::Section(package, _) => Some(&package.0),
            _ => None,
        }
    }

    /// Length of the whole package in bytes, once the header has been read.
    pub fn total(&self) -> Option<u64> {
        match &self.stage {
            Stage::Section(package, _) => Some(package.2),
            _ => None,
        }
    }

    /// Everything has been read.
    pub fn is_complete(&self) -> bool {
        self.needed().is_none()
    }

    /// Checks that nothing is missing.
    ///
    /// # Errors
    /// [`Fault::Truncated`] if the package ended too early.
    pub fn finish(&self) -> Result<(), Error> {
        let Some(needed) = self.needed() else { return Ok(()) };
        let fault = Fault::Truncated { needed: needed as u64, available: self.buffer.len() as u64 };
        Err(malformed(&self.file, self.item(), self.offset, fault))
    }

    /// Length of the part under way; none at the end.
    fn needed(&self) -> Option<usize> {
        match &self.stage {
            Stage::Preamble => Some(PREAMBLE),
            Stage::Header(preamble) => Some(preamble.packed_length as usize),
            Stage::Section(package, index) => package.0.sections.get(*index).map(|section| section.length as usize),
        }
    }

    /// A name for the part under way.
    fn item(&self) -> String {
        match &self.stage {
            Stage::Preamble => "preamble".to_owned(),
            Stage::Header(_) => "header".to_owned(),
            Stage::Section(package, index) => match package.0.sections.get(*index).map(|section| &section.content) {
                Some(Content::Vocabulary { name, .. }) => name.clone(),
                Some(Content::Shortlist { .. }) => "shortlist".to_owned(),
                Some(Content::Other(unknown)) => unknown.names().collect::<Vec<_>>().join(", "),
                Some(Content::Tensors(entries)) => match entries.as_slice() {
                    [] => "an empty section".to_owned(),
                    [entry] => entry.name.clone(),
                    [first, .., last] => format!("{} … {}", first.name, last.name),
                },
                None => "end".to_owned(),
            },
        }
    }

    /// Reads a whole part and moves on to the next.
    fn complete<E: From<Error>>(
        &mut self,
        part: &[u8],
        each: &mut impl FnMut(Whole<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        match &mut self.stage {
            Stage::Preamble => self.stage = Stage::Header(Preamble::read(&self.file, part)?),
            Stage::Header(preamble) => {
                let header = Header::read(&self.file, preamble, part)?;
                let config = Config::parse(&self.file, &header.config)?;
                let total = header.total(preamble.packed_length);
                each(Whole::Header(&header, &config))?;
                self.stage = Stage::Section(Box::new((header, config, total)), 0);
            }
            Stage::Section(package, index) => {
                let section = &package.0.sections[*index];
                let found = crc32fast::hash(part);
                if found != section.checksum {
                    let fault = Fault::Checksum { expected: section.checksum.into(), found: found.into() };
                    return Err(malformed(&self.file, self.item(), self.offset, fault).into());
                }
                let (file, offset, content) = (self.file.as_str(), self.offset, &section.content);
                each(Whole::Section(PackedSection { file, offset, content, bytes: part }))?;
                *index += 1;
            }
        }
        Ok(())
    }
}

fn read_section<E: From<Error>>(
    file: &str,
    offset: u64,
    content: &Content,
    bytes: &[u8],
    each: &mut impl FnMut(Event<'_>) -> Result<(), E>,
) -> Result<(), E> {
    match content {
        Content::Vocabulary { side, name, .. } => {
            let bytes = decompress(bytes, LARGEST_FILE).map_err(|fault| malformed(file, &**name, offset, fault))?;
            each(Event::Vocabulary { side: *side, name, bytes })
        }
        Content::Shortlist { first, .. } => {
            let fault = |fault| malformed(file, "shortlist", offset, fault);
            let bytes = decompress(bytes, LARGEST_FILE).map_err(fault)?;
            let vocabularies = content.vocabularies().expect("a shortlist's content");
            each(Event::Shortlist(Shortlist::from_compact(*first, vocabularies, &bytes).map_err(fault)?))
        }
        Content::Other(_) => Ok(()),
        Content::Tensors(entries) => {
            let mut rest = bytes;
            for entry in entries {
                let start = offset + (bytes.len() - rest.len()) as u64;
                // The header's check made sure that the lengths add up.
                let (tensor, after) = rest.split_at(entry.length as usize);
                rest = after;
                let tensor = read_tensor(entry, tensor).map_err(|fault| malformed(file, &*entry.name, start, fault))?;
                each(Event::Tensor { name: &entry.name, tensor })?;
            }
            Ok(())
        }
    }
}

fn read_tensor(entry: &Entry, bytes: &[u8]) -> Result<Tensor, Fault> {
    let (rows, columns) = (entry.rows, entry.columns);
    let levels = match entry.encoding {
        Encoding::Float32 => {
            let values = bytes.as_chunks::<4>().0.iter().map(|&value| f32::from_le_bytes(value)).collect();
            return float_tensor(entry, values);
        }
        Encoding::Float16 => {
            let values = bytes.as_chunks::<2>().0.iter().map(|&value| half::f16::from_le_bytes(value).to_f32());
            return float_tensor(entry, values.collect());
        }
        Encoding::Int8 => &INTEGERS[..],
        Encoding::Log4(codebook) => codebook.levels(),
    };
    let Some((scales, codes)) = bytes.split_at_checked(4 * entry.scales) else {
        return Err(Fault::Truncated { needed: 4 * entry.scales as u64, available: bytes.len() as u64 });
    };
    let scales: Vec<f32> = scales.as_chunks::<4>().0.iter().map(|&scale| f32::from_le_bytes(scale)).collect();
    if let Some(&wrong) = scales.iter().find(|scale| !(scale.is_finite() && **scale > 0.0)) {
        return Err(Fault::Scale(wrong));
    }
    let values = coder::decode(codes, rows * columns, levels)?;
    Ok(Tensor::Int8(Int8Tensor { inner: rows, columns, values, scales }))
}

fn float_tensor(entry: &Entry, values: Vec<f32>) -> Result<Tensor, Fault> {
    match values.iter().find(|value| !value.is_finite()) {
        Some(&wrong) => Err(Fault::NotFinite(wrong)),
        None => Ok(Tensor::Float(FloatTensor { rows: entry.rows, columns: entry.columns, values })),
    }
}

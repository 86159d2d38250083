//! Models are published with each file compressed; the files are unpacked as they arrive.

use std::borrow::Cow;
use std::io::Write;

use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

use super::catalogue::LARGEST_FILE;
use super::error::{Error, Fault, malformed};

/// How a file is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    /// Not compressed.
    None,
    /// gzip.
    Gzip,
    /// Zstandard.
    Zstd,
}

impl Compression {
    /// The compression of a file that begins with these bytes, of which four decide. No file of a model itself begins this way.
    pub fn of(bytes: &[u8]) -> Compression {
        match bytes {
            [0x1f, 0x8b, ..] => Compression::Gzip,
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Compression::Zstd,
            _ => Compression::None,
        }
    }

    pub(super) fn of_name(name: &str) -> Compression {
        match name.rsplit('.').next() {
            Some("gz") => Compression::Gzip,
            Some("zst") => Compression::Zstd,
            _ => Compression::None,
        }
    }
}

/// The content of `bytes`: unpacked if they are a compressed file, else as they are.
///
/// # Errors
/// A damaged or truncated file, or one whose content exceeds 2 GiB.
pub fn decompressed<'a>(file: &str, bytes: &'a [u8]) -> Result<Cow<'a, [u8]>, Error> {
    if Compression::of(bytes) == Compression::None {
        return Ok(Cow::Borrowed(bytes));
    }
    let mut content = Vec::new();
    let mut take = |part: &[u8]| {
        content.extend_from_slice(part);
        Ok::<_, Error>(())
    };
    let mut unpacker = Unpacker::new(file, None);
    unpacker.push(bytes, &mut take)?;
    unpacker.finish(&mut take)?;
    Ok(Cow::Owned(content))
}

/// Unpacks a file while it arrives, in pieces of any size: gzip, Zstandard or uncompressed, as its first four bytes tell.
///
/// ```
/// use wanderwort::model::{Error, Unpacker};
///
/// let packed = std::fs::read("tests/data/compressed/text.zst").unwrap();
/// let (mut unpacker, mut text) = (Unpacker::new("text.zst", None), Vec::new());
/// for piece in packed.chunks(7) {
///     unpacker.push(piece, |bytes| {
///         text.extend_from_slice(bytes);
///         Ok::<_, Error>(())
///     })?;
/// }
/// unpacker.finish(|bytes| {
///     text.extend_from_slice(bytes);
///     Ok::<_, Error>(())
/// })?;
/// assert!(text.starts_with(b"Wanderwort"));
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug)]
pub struct Unpacker {
    file: String,
    /// Maximum number of bytes of content.
    limit: u64,
    /// Bytes received, and bytes of content passed on.
    taken: u64,
    given: u64,
    form: Form,
}

#[derive(Debug)]
enum Form {
    /// The first bytes, until there are enough to tell.
    Unknown(Vec<u8>),
    Plain,
    Gzip(flate2::write::MultiGzDecoder<Vec<u8>>),
    Zstd(Box<Zstd>),
}

impl Unpacker {
    /// Starts without bytes; `file` is named in errors. A file whose content exceeds `size` bytes, or 2 GiB if the size is not known, is refused.
    pub fn new(file: &str, size: Option<u64>) -> Self {
        let limit = size.unwrap_or(LARGEST_FILE).min(LARGEST_FILE);
        Self { file: file.to_owned(), limit, taken: 0, given: 0, form: Form::Unknown(Vec::new()) }
    }

    /// Takes the next bytes and passes content on as it is unpacked.
    ///
    /// # Errors
    /// A damaged file, one larger than allowed, and whatever `give` returns.
    pub fn push<E: From<Error>>(
        &mut self,
        bytes: &[u8],
        mut give: impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let Form::Unknown(beginning) = &mut self.form else { return self.unpack(bytes, &mut give) };
        beginning.extend_from_slice(bytes);
        if beginning.len() < 4 {
            return Ok(());
        }
        let beginning = std::mem::take(beginning);
        self.begin(&beginning, &mut give)
    }

    /// Passes on what is left.
    ///
    /// # Errors
    /// As [`push`](Self::push), and a file that ended too early.
    pub fn finish<E: From<Error>>(mut self, mut give: impl FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
        if let Form::Unknown(beginning) = &mut self.form {
            let beginning = std::mem::take(beginning);
            self.begin(&beginning, &mut give)?;
        }
        match &mut self.form {
            Form::Unknown(_) | Form::Plain => Ok(()),
            Form::Gzip(decoder) => {
                let finished = decoder.try_finish();
                let content = std::mem::take(decoder.get_mut());
                self.give(&content, &mut give)?;
                Ok(finished.map_err(|error| self.damaged(&error))?)
            }
            Form::Zstd(decoder) => {
                let result = decoder.unpack(&[], true);
                self.give_unpacked(result, &mut give)
            }
        }
    }

    fn begin<E: From<Error>>(
        &mut self,
        beginning: &[u8],
        give: &mut impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        self.form = match Compression::of(beginning) {
            Compression::None => Form::Plain,
            Compression::Gzip => Form::Gzip(flate2::write::MultiGzDecoder::new(Vec::new())),
            Compression::Zstd => Form::Zstd(Box::new(Zstd::new())),
        };
        self.unpack(beginning, give)
    }

    fn unpack<E: From<Error>>(&mut self, bytes: &[u8], give: &mut impl FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
        self.taken += bytes.len() as u64;
        match &mut self.form {
            Form::Unknown(_) | Form::Plain => self.give(bytes, give),
            Form::Gzip(_) => {
                // In steps, so that no piece, however well compressed, takes much memory.
                for step in bytes.chunks(STEP) {
                    let Form::Gzip(decoder) = &mut self.form else { break };
                    let written = decoder.write_all(step);
                    let content = std::mem::take(decoder.get_mut());
                    self.give(&content, give)?;
                    written.map_err(|error| self.damaged(&error))?;
                }
                Ok(())
            }
            Form::Zstd(_) => {
                for step in bytes.chunks(STEP) {
                    let Form::Zstd(decoder) = &mut self.form else { break };
                    let result = decoder.unpack(step, false);
                    self.give_unpacked(result, give)?;
                }
                Ok(())
            }
        }
    }

    fn give_unpacked<E: From<Error>>(
        &mut self,
        (content, result): (Vec<u8>, Result<(), String>),
        give: &mut impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        self.give(&content, give)?;
        Ok(result.map_err(|error| self.damaged(&error))?)
    }

    fn give<E: From<Error>>(&mut self, content: &[u8], give: &mut impl FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
        self.given += content.len() as u64;
        if self.given > self.limit {
            let fault = Fault::Count { what: "size", found: self.given, limit: self.limit };
            return Err(malformed(&self.file, "content", 0, fault).into());
        }
        if content.is_empty() { Ok(()) } else { give(content) }
    }

    fn damaged(&self, error: &dyn std::fmt::Display) -> Error {
        let item = if matches!(self.form, Form::Gzip(_)) { "gzip stream" } else { "zstd stream" };
        malformed(&self.file, item, self.taken, Fault::Parse(error.to_string()))
    }
}

/// Compressed bytes are unpacked in steps of this many.
const STEP: usize = 1 << 13;

/// Zstandard frames (RFC 8878), block by block. The decoder expects a source that can wait for more bytes, so it is given a block only once
/// all of it is there.
struct Zstd {
    decoder: FrameDecoder,
    /// Bytes received and not yet decoded.
    pending: Vec<u8>,
    /// Whether the frame's header has been read.
    is_open: bool,
    /// Whether the frame ends with a checksum.
    has_checksum: bool,
    /// Frames so far.
    frames: usize,
}

impl std::fmt::Debug for Zstd {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Zstd").field("frames", &self.frames).finish_non_exhaustive()
    }
}

/// No frame header is longer.
const LONGEST_HEADER: usize = 18;

/// How far back a frame may refer, and so how much of it is held: the maximum of `zstd --ultra`.
const LARGEST_WINDOW: u64 = 128 << 20;

impl Zstd {
    fn new() -> Self {
        Self { decoder: decoder(), pending: Vec::new(), is_open: false, has_checksum: false, frames: 0 }
    }

    /// Takes bytes and returns what they unpack to, and what is wrong after that.
    fn unpack(&mut self, bytes: &[u8], is_end: bool) -> (Vec<u8>, Result<(), String>) {
        self.pending.extend_from_slice(bytes);
        let (mut content, mut used) = (Vec::new(), 0);
        let result = self.decode(&mut content, &mut used, is_end);
        self.pending.drain(..used);
        (content, result)
    }

    fn decode(&mut self, content: &mut Vec<u8>, used: &mut usize, is_end: bool) -> Result<(), String> {
        loop {
            let rest = &self.pending[*used..];
            if !self.is_open {
                if rest.len() < LONGEST_HEADER && !(is_end && (!rest.is_empty() || self.frames == 0)) {
                    return Ok(());
                }
                let mut source = rest;
                self.decoder.init(&mut source).map_err(|error| error.to_string())?;
                // The first byte after the magic number describes the frame; its bit 2 says whether there is a checksum.
                self.has_checksum = rest[4] & 4 != 0;
                self.is_open = true;
                *used += rest.len() - source.len();
                continue;
            }
            let Some(block) = block_length(rest, self.has_checksum).filter(|&block| block <= rest.len()) else {
                return if is_end { Err("the file ends within a block".to_owned()) } else { Ok(()) };
            };
            let one = BlockDecodingStrategy::UptoBlocks(1);
            let finished = self.decoder.decode_blocks(&rest[..block], one).map_err(|error| error.to_string())?;
            *used += block;
            content.extend(self.decoder.collect().unwrap_or_default());
            if finished {
                if self.decoder.get_checksum_from_data() != self.decoder.get_calculated_checksum() && self.has_checksum
                {
                    return Err("its checksum differs".to_owned());
                }
                self.decoder = decoder();
                self.is_open = false;
                self.frames += 1;
            }
        }
    }
}

fn decoder() -> FrameDecoder {
    let mut decoder = FrameDecoder::new();
    decoder.set_max_window_size(LARGEST_WINDOW);
    decoder
}

/// The length of the block that begins here, with the checksum that follows the last one. None if its header is not there.
fn block_length(bytes: &[u8], has_checksum: bool) -> Option<usize> {
    let &[a, b, c, ..] = bytes else { return None };
    let header = u32::from_le_bytes([a, b, c, 0]);
    let (is_last, kind, size) = (header & 1 == 1, header >> 1 & 3, (header >> 3) as usize);
    // A run takes one byte, whatever its length.
    let content = if kind == 1 { 1 } else { size };
    Some(3 + content + if is_last && has_checksum { 4 } else { 0 })
}

#[cfg(test)]
mod tests;

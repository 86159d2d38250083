//! Models are published with each file gzip-compressed; they are read as they come.

use std::borrow::Cow;
use std::io::Read;

use super::catalogue::LARGEST_FILE;
use super::error::{Error, Fault, malformed};

/// Deflate cannot do better than 258 bytes for two bits.
const LARGEST_RATIO: u64 = 1032;

/// The content of `bytes`: decompressed if they are a gzip file, else as they are.
///
/// # Errors
/// A damaged or cut gzip file, or one that decompresses to more than 2 GiB.
pub fn gunzip<'a>(file: &str, bytes: &'a [u8]) -> Result<Cow<'a, [u8]>, Error> {
    if !bytes.starts_with(&[0x1f, 0x8b]) {
        return Ok(Cow::Borrowed(bytes));
    }
    let limit = LARGEST_FILE.min(bytes.len() as u64 * LARGEST_RATIO);
    let mut content = Vec::new();
    // `read_to_end` grows the vector with the bytes that really come.
    let read = flate2::read::MultiGzDecoder::new(bytes).take(limit + 1).read_to_end(&mut content);
    if let Err(error) = read {
        return Err(malformed(file, "gzip stream", 0, Fault::Parse(error.to_string())));
    }
    if content.len() as u64 > limit {
        let fault = Fault::Count { what: "decompressed size", found: content.len() as u64, limit };
        return Err(malformed(file, "gzip stream", 0, fault));
    }
    Ok(Cow::Owned(content))
}

//! Packages: any bytes in any pieces; how they are cut changes nothing.
//!
//! The input's own checksum chooses the cuts, so that a package is an input as it stands. The header's checksum is put
//! right, so that damage reaches what it protects.
#![no_main]

use libfuzzer_sys::fuzz_target;
use wanderwort::model::Error;
use wanderwort::model::package::{Event, Reader};

/// What came out, and how it ended.
fn read<'a>(pieces: impl Iterator<Item = &'a [u8]>) -> (Vec<String>, Option<String>) {
    let mut events = Vec::new();
    let mut reader = Reader::new("package");
    for piece in pieces {
        let result = reader.push(piece, |event| {
            events.push(match event {
                Event::Header(header, _) => format!("{header:?}"),
                event => format!("{event:?}"),
            });
            Ok::<_, Error>(())
        });
        if let Err(error) = result {
            return (events, Some(error.to_string()));
        }
    }
    (events, reader.finish().err().map(|error| error.to_string()))
}

fuzz_target!(|input: &[u8]| {
    let cut = crc32fast::hash(input) as u8;
    let mut bytes = input.to_vec();
    if let Some(length) = bytes.get(12..16).map(|length| u32::from_le_bytes(length.try_into().unwrap()) as usize)
        && let Some(packed) = bytes.get(24..).and_then(|rest| rest.get(..length))
    {
        let checksum = crc32fast::hash(packed);
        bytes[20..24].copy_from_slice(&checksum.to_le_bytes());
    }
    let whole = read(std::iter::once(bytes.as_slice()));
    assert_eq!(read(bytes.chunks(usize::from(cut) + 1)), whole);
});

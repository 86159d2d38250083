//! Files of every format: the first byte chooses it, the rest is read and written.
#![no_main]

use libfuzzer_sys::fuzz_target;
use wanderwort::text::documents::{self, FORMATS, Languages, ReadOptions};
use wanderwort::text::structure::Wrapped;

const OPTIONS: ReadOptions = ReadOptions {
    languages: Languages { source: "en", target: "de" },
    encoding: None,
    wrapped: Wrapped::Auto,
};

fuzz_target!(|bytes: &[u8]| {
    let Some((first, rest)) = bytes.split_first() else { return };
    let format = FORMATS[usize::from(*first) % FORMATS.len()];
    if let Ok(document) = format.read(rest.to_vec(), &OPTIONS) {
        let _ = documents::translate(&*document, |_| Vec::new());
    }
});

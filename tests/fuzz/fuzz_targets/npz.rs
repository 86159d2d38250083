//! NumPy archives: any bytes behind a zip file's magic, read to the end.
#![no_main]

use libfuzzer_sys::fuzz_target;
use wanderwort::model::{Error, MarianModel};

fuzz_target!(|bytes: &[u8]| {
    let bytes = [b"PK".as_slice(), bytes.strip_prefix(b"PK").unwrap_or(bytes)].concat();
    if let Ok(model) = MarianModel::open("model.npz", &bytes) {
        let _ = model.tensors(|_, _| Ok::<_, Error>(()));
    }
});

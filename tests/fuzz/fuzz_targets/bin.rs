//! Marian's binary container: any bytes, read to the end.
#![no_main]

use libfuzzer_sys::fuzz_target;
use wanderwort::model::{Error, MarianModel};

fuzz_target!(|bytes: &[u8]| {
    if let Ok(model) = MarianModel::open("model.bin", bytes) {
        let _ = model.tensors(|_, _| Ok::<_, Error>(()));
    }
});

//! The options of models and decoders: any text.
#![no_main]

use libfuzzer_sys::fuzz_target;
use wanderwort::model::{Config, DecoderOptions};

fuzz_target!(|text: &str| {
    let _ = Config::parse("model.yml", text);
    let _ = DecoderOptions::parse("decoder.yml", text.as_bytes());
});

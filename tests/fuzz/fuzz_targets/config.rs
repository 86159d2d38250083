//! The options of models and decoders, and their descriptions: any text.
#![no_main]

use libfuzzer_sys::fuzz_target;
use wanderwort::model::{Config, DecoderOptions, ModelInfo};

fuzz_target!(|text: &str| {
    let _ = Config::parse("model.yml", text);
    let _ = DecoderOptions::parse("decoder.yml", text.as_bytes());
    let _ = ModelInfo::parse("model_info.json", text.as_bytes());
});

//! Takes a model's files as they arrive.

use super::{Engine, js_error};
use crate::model::{MarianFiles, NamedBytes};
use crate::{LoadOptions, Translator};
use sha2::{Digest, Sha256};
use wasm_bindgen::prelude::*;

/// No file gets more room before its bytes are there, whatever size was announced.
const MOST_RESERVED: usize = 1 << 26;

/// A model that is arriving. Files come one after the other, each in pieces of any size.
#[wasm_bindgen]
#[derive(Debug, Default)]
pub struct Loader {
    files: Vec<(String, NamedBytes)>,
    hash: Sha256,
}

#[wasm_bindgen]
impl Loader {
    /// Starts without files.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Begins the file for `role`: `model`, `vocabulary`, `source-vocabulary`, `target-vocabulary`, `shortlist` or
    /// `decoder`. What there was of that role is dropped. `name` is for error messages.
    pub fn begin(&mut self, role: &str, name: &str, size: f64) {
        self.files.retain(|(known, _)| known != role);
        self.hash = Sha256::new();
        let mut bytes = Vec::new();
        // Room in one piece saves copies; if there is none, the file may still fit as it grows.
        let _ = bytes.try_reserve_exact((size as usize).min(MOST_RESERVED));
        self.files.push((role.to_owned(), NamedBytes { name: name.to_owned(), bytes }));
    }

    /// Adds the file's next bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        self.hash.update(bytes);
        if let Some((_, file)) = self.files.last_mut() {
            file.bytes.extend_from_slice(bytes);
        }
    }

    /// Ends the file and returns its SHA-256 in hexadecimal digits.
    #[wasm_bindgen(js_name = end)]
    pub fn end(&mut self) -> String {
        self.hash.finalize_reset().iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Builds the engine.
    ///
    /// # Errors
    /// A `ModelError` that names file, item and offset.
    pub fn finish(mut self) -> Result<Engine, JsValue> {
        let mut take = |role: &str| {
            let at = self.files.iter().position(|(known, _)| known == role)?;
            Some(self.files.swap_remove(at).1)
        };
        let model = take("model").ok_or_else(|| js_error("ModelError", &"the model has no file of weights"))?;
        let (source_vocabulary, target_vocabulary) = match take("vocabulary") {
            Some(joint) => (Some(joint), None),
            None => (take("source-vocabulary"), take("target-vocabulary")),
        };
        let source_vocabulary =
            source_vocabulary.ok_or_else(|| js_error("ModelError", &"the model has no vocabulary"))?;
        let files = MarianFiles {
            model,
            source_vocabulary,
            target_vocabulary,
            shortlist: take("shortlist"),
            decoder: take("decoder"),
        };
        let translator =
            Translator::from_marian(&files, &LoadOptions::default()).map_err(|error| js_error("ModelError", &error))?;
        Ok(Engine::new(translator))
    }
}

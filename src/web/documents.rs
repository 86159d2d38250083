//! A file as JavaScript sees it: texts come out, their translations go in, and it is written.

use super::js_error;
use super::offsets::Units;
use crate::text::documents::{self, AlignedText, Document, DocumentError, Format, Languages, MAX_FILE, ReadOptions};
use crate::text::link::Link;
use crate::text::structure::Wrapped;
use std::path::Path;
use wasm_bindgen::prelude::*;

/// A file that was read.
#[wasm_bindgen]
pub struct FileDocument {
    format: &'static Format,
    document: Box<dyn Document>,
    texts: Vec<String>,
    translations: Vec<Option<AlignedText>>,
}

#[wasm_bindgen]
impl FileDocument {
    /// Maximum number of bytes that a file may have.
    #[wasm_bindgen(js_name = maxBytes)]
    pub fn max_bytes() -> f64 {
        MAX_FILE as f64
    }

    /// Reads a file. Its format is given by `format`, or else by what it contains, or else by its name. `encoding` is that of files that do
    /// not say it in their first bytes. `source` and `target` are language tags.
    ///
    /// # Errors
    /// `NotSupportedError` if the format or the encoding is not known, `DataError` if the file is not one of its format.
    #[wasm_bindgen(constructor)]
    pub fn new(
        bytes: Vec<u8>,
        name: &str,
        format: Option<String>,
        encoding: Option<String>,
        source: &str,
        target: &str,
    ) -> Result<FileDocument, JsValue> {
        let format = match format {
            Some(format) => Format::named(&format).map_err(|error| described(&error))?,
            None => Format::of(Path::new(name), &bytes).ok_or_else(|| {
                let known = documents::FORMATS.map(|format| format.name).join(", ");
                js_error("NotSupportedError", &format!("It is not known what {name:?} is. Known formats: {known}."))
            })?,
        };
        let languages = Languages { source, target };
        let options = ReadOptions { languages, encoding: encoding.as_deref(), wrapped: Wrapped::Auto };
        let document = format.read(bytes, &options).map_err(|error| described(&error))?;
        let texts: Vec<String> = documents::texts(&*document).into_iter().map(str::to_owned).collect();
        let translations = vec![None; texts.len()];
        Ok(FileDocument { format, document, texts, translations })
    }

    /// The format's name.
    #[wasm_bindgen(getter)]
    pub fn format(&self) -> String {
        self.format.name.to_owned()
    }

    /// What such files are called on the web.
    #[wasm_bindgen(getter, js_name = mediaType)]
    pub fn media_type(&self) -> String {
        self.format.media_type.to_owned()
    }

    /// Whether bytes that were not text in the file's encoding were replaced.
    #[wasm_bindgen(getter, js_name = isReplaced)]
    pub fn is_replaced(&self) -> bool {
        self.document.is_replaced()
    }

    /// Number of texts.
    #[wasm_bindgen(getter)]
    pub fn length(&self) -> usize {
        self.texts.len()
    }

    /// One of the texts. Its line breaks end sentences.
    pub fn text(&self, index: usize) -> Option<String> {
        self.texts.get(index).cloned()
    }

    /// How long a text is, in UTF-16 code units.
    #[wasm_bindgen(js_name = textLength)]
    pub fn text_length(&self, index: usize) -> usize {
        self.texts.get(index).map_or(0, |text| text.encode_utf16().count())
    }

    /// Takes the translation of a text, with sentences and tokens as the engine's `Finished` has them: source start and end, target start
    /// and end of each.
    #[wasm_bindgen(js_name = setTranslation)]
    pub fn set_translation(&mut self, index: usize, text: String, sentences: &[u32], tokens: &[u32]) {
        let (Some(source), Some(translation)) = (self.texts.get(index), self.translations.get_mut(index)) else {
            return;
        };
        let (from, to) = (Units::new(source), Units::new(&text));
        let links = |numbers: &[u32]| {
            let (links, _) = numbers.as_chunks::<4>();
            let link = |&[start, end, target_start, target_end]: &[u32; 4]| Link {
                source: from.byte(start)..from.byte(end),
                target: to.byte(target_start)..to.byte(target_end),
            };
            links.iter().map(link).collect::<Vec<Link>>()
        };
        let (sentences, tokens) = (links(sentences), links(tokens));
        *translation = Some(AlignedText { text, sentences, tokens });
    }

    /// The file in the other language; texts without a translation stay as they are.
    ///
    /// # Errors
    /// `DataError` if it cannot be written.
    pub fn write(&self) -> Result<Vec<u8>, JsValue> {
        documents::write(&*self.document, &self.translations).map_err(|error| described(&error))
    }
}

fn described(error: &DocumentError) -> JsValue {
    let name = match error {
        DocumentError::UnknownFormat { .. } | DocumentError::UnknownEncoding { .. } => "NotSupportedError",
        _ => "DataError",
    };
    js_error(name, error)
}

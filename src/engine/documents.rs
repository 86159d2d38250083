//! Documents through the translator.

use super::translation::Translation;
use super::translator::{Sentences, TranslateOptions, Translator};
use crate::text::documents::{self, AlignedText, Document, DocumentError};
use crate::text::markup::Link;

/// Texts that are translated at once: enough to fill batches, few enough for progress to be seen.
const TEXTS_PER_CALL: usize = 512;

impl From<Translation> for AlignedText {
    fn from(translation: Translation) -> AlignedText {
        AlignedText {
            text: translation.text,
            sentences: translation
                .sentences
                .into_iter()
                .map(|pair| Link { target: pair.target, source: pair.source })
                .collect(),
            tokens: translation
                .tokens
                .into_iter()
                .map(|token| Link { target: token.target, source: token.source })
                .collect(),
        }
    }
}

impl Translator {
    /// Translates a document: the file with its text in the other language, and all else as it was. Inline elements stand on the words
    /// that translate theirs. `progress` is told the texts that have been translated, some hundred at a time.
    ///
    /// # Errors
    /// If the document cannot be written, or if an alignment contradicts its text, which would be a fault of the engine.
    pub fn translate_document(
        &self,
        document: &dyn Document,
        mut progress: impl FnMut(&[&str]),
    ) -> Result<Vec<u8>, DocumentError> {
        // Passages come with their line breaks as the only `\n`.
        let settings = TranslateOptions { sentences: Sentences::InLines, ..TranslateOptions::default() };
        documents::translate(document, |texts| {
            let mut translations = Vec::with_capacity(texts.len());
            for texts in texts.chunks(TEXTS_PER_CALL) {
                translations.extend(self.translate_batch(texts, &settings).into_iter().map(AlignedText::from));
                progress(texts);
            }
            translations
        })
    }
}

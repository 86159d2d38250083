//! Documents through the translator.

use super::translate::Translate;
use super::translation::Translation;
use super::translator::{Sentences, TranslateOptions, Translator};
use crate::text::documents::{self, AlignedText, Document, DocumentError, Languages};
use crate::text::structure::Wrapped;

/// Number of texts translated at once: enough to fill batches, few enough for progress to be visible.
const TEXTS_PER_CALL: usize = 512;

impl From<Translation> for AlignedText {
    fn from(translation: Translation) -> AlignedText {
        AlignedText {
            text: translation.text,
            sentences: translation.sentences,
            tokens: translation.tokens.into_iter().map(|token| token.link).collect(),
        }
    }
}

impl Translator {
    /// The languages of this translator as documents name them; none if either is unknown.
    pub fn languages(&self) -> Option<Languages<'static>> {
        Translate::languages(self)
    }

    /// Translates a document, see [`Translate::translate_document`].
    ///
    /// # Errors
    /// If the document cannot be written, or if an alignment contradicts its text, which would be a fault of the engine.
    pub fn translate_document(
        &self,
        document: &dyn Document,
        options: &TranslateOptions,
        mut progress: impl FnMut(&[&str]),
    ) -> Result<Vec<u8>, DocumentError> {
        Translate::translate_document(self, document, options, &mut progress)
    }
}

/// Translates a document with a function that translates texts. `progress` is told which texts have been translated, a few hundred
/// at a time.
pub(super) fn translate(
    document: &dyn Document,
    options: &TranslateOptions,
    progress: &mut dyn FnMut(&[&str]),
    translate: impl Fn(&[&str], &TranslateOptions) -> Vec<Translation>,
) -> Result<Vec<u8>, DocumentError> {
    let options = passage_options(options);
    documents::translate(document, |texts| {
        let mut translations = Vec::with_capacity(texts.len());
        for texts in texts.chunks(TEXTS_PER_CALL) {
            translations.extend(translate(texts, &options).into_iter().map(AlignedText::from));
            progress(texts);
        }
        translations
    })
}

/// How passages of documents are translated: the only `\n` in them are their line breaks.
fn passage_options(options: &TranslateOptions) -> TranslateOptions {
    TranslateOptions { sentences: Sentences::InLines, wrapped: Wrapped::Never, n_best: 0, ..*options }
}

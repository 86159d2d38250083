//! HTML through the translator.

use super::translation::Translation;
use super::translator::{Sentences, TranslateOptions, Translator};
use crate::text::html::{AlignedText, HtmlOptions, translate_html};
use crate::text::language::Language;
use crate::text::markup::MarkupError;
use crate::text::structure::Wrapped;

/// Texts that are translated at once: enough to fill batches, few enough for progress to be seen.
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
    /// The languages of this translator as [`translate_html`](Self::translate_html) takes them; none if one is not known.
    pub fn html_options(&self) -> Option<HtmlOptions<'static>> {
        let (source, target) = (self.source_language(), self.target_language());
        let known = source != Language::UNKNOWN && target != Language::UNKNOWN;
        known.then_some(HtmlOptions { source: source.tag(), target: target.tag() })
    }

    /// Translates an HTML document or fragment: text and the attributes that are read or shown; what is marked as not to be
    /// translated, code and scripts stay. Inline elements stand on the words that translate theirs. `progress` is told the texts that have
    /// been translated, some hundred at a time.
    ///
    /// # Errors
    /// If an alignment contradicts its text, which would be a fault of the engine.
    pub fn translate_html(
        &self,
        html: &str,
        options: &HtmlOptions,
        mut progress: impl FnMut(&[&str]),
    ) -> Result<String, MarkupError> {
        // Blocks come with their line breaks as the only `\n`.
        let settings =
            TranslateOptions { sentences: Sentences::InLines, wrapped: Wrapped::Never, ..TranslateOptions::default() };
        translate_html(html, options, |texts| {
            let mut translations = Vec::with_capacity(texts.len());
            for texts in texts.chunks(TEXTS_PER_CALL) {
                translations.extend(self.translate_batch(texts, &settings).into_iter().map(AlignedText::from));
                progress(texts);
            }
            translations
        })
    }
}

//! What all translators do, whether with one model or with two.

use super::session::{ModelSession, Pace, Session, Submission};
use super::translation::Translation;
use super::translator::{NOTHING, TranslateOptions, Translator};
use crate::text::language::Language;
use std::collections::HashMap;
use std::fmt::Debug;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

#[cfg(feature = "documents")]
use crate::text::documents::{Document, DocumentError, Languages};

/// A translator: one model ([`Translator`]), or two one after the other ([`Pivot`](super::pivot::Pivot)).
pub trait Translate: Debug + Send + Sync {
    /// The language that is translated from, or [`Language::UNKNOWN`].
    fn source_language(&self) -> Language;

    /// The language that is translated to, or [`Language::UNKNOWN`].
    fn target_language(&self) -> Language;

    /// Number of hypotheses per sentence that the model that writes the translation follows side by side, unless another number is asked for.
    fn beam(&self) -> usize;

    /// Translates many texts at once, in order, each with the parts of it that stay as they are: byte ranges, in any order, see
    /// [`Translator::translate_except`].
    fn translate_parts(&self, texts: &[(&str, &[Range<usize>])], options: &TranslateOptions) -> Vec<Translation> {
        self.translate_until(texts, options, &AtomicBool::new(false)).expect("nobody sets what nobody else has")
    }

    /// Like [`translate_parts`](Self::translate_parts), unless another thread sets `stop`: then no further step of the decoder begins, and
    /// this returns nothing.
    fn translate_until(
        &self,
        texts: &[(&str, &[Range<usize>])],
        options: &TranslateOptions,
        stop: &AtomicBool,
    ) -> Option<Vec<Translation>>;

    /// A session: translations by priority, a few milliseconds at a time, which can be cancelled.
    fn session_at(&self, options: &TranslateOptions, pace: Pace) -> Box<dyn Session>;

    /// A session for one reader, see [`session_at`](Self::session_at).
    fn session(&self, options: &TranslateOptions) -> Box<dyn Session> {
        self.session_at(options, Pace::Interactive)
    }

    /// Translates many texts at once, in order, see [`Translator::translate_batch`].
    fn translate_batch(&self, texts: &[&str], options: &TranslateOptions) -> Vec<Translation> {
        self.translate_parts(&texts.iter().map(|text| (*text, NOTHING)).collect::<Vec<_>>(), options)
    }

    /// Translates any text, see [`Translator::translate`].
    fn translate(&self, text: &str, options: &TranslateOptions) -> Translation {
        self.translate_except(text, NOTHING, options)
    }

    /// Translates a text, parts of which stay as they are, see [`Translator::translate_except`].
    fn translate_except(&self, text: &str, foreign: &[Range<usize>], options: &TranslateOptions) -> Translation {
        self.translate_parts(&[(text, foreign)], options).pop().expect("one text gives one translation")
    }

    /// Like [`translate`](Self::translate), with the beginning of the first sentence's translation given: the model goes on from there.
    /// The beginning ends before anything that the vocabulary cannot write.
    fn translate_from(&self, text: &str, prefix: &str, options: &TranslateOptions) -> Translation {
        self.translate_batch_from(&[text], prefix, options).pop().expect("one text gives one translation")
    }

    /// Translates many texts at once, in order, each as [`translate_from`](Self::translate_from) does.
    fn translate_batch_from(&self, texts: &[&str], prefix: &str, options: &TranslateOptions) -> Vec<Translation> {
        self.translate_from_until(texts, prefix, options, &AtomicBool::new(false))
            .expect("nobody sets what nobody else has")
    }

    /// Like [`translate_batch_from`](Self::translate_batch_from), unless another thread sets `stop`; then this returns nothing.
    fn translate_from_until(
        &self,
        texts: &[&str],
        prefix: &str,
        options: &TranslateOptions,
        stop: &AtomicBool,
    ) -> Option<Vec<Translation>> {
        let pace = if texts.len() > 1 { Pace::Throughput } else { Pace::Interactive };
        let mut session = self.session_at(options, pace);
        let submissions: Vec<_> =
            texts.iter().map(|text| Submission { text, prefix, ..Submission::default() }).collect();
        let requests = session.submit_all(&submissions);
        let mut found = HashMap::new();
        while found.len() < requests.len() {
            if stop.load(Ordering::Relaxed) {
                return None;
            }
            found.extend(session.step());
        }
        requests.iter().map(|request| found.remove(request)).collect()
    }

    /// The languages of this translator as documents name them; none if either is unknown.
    #[cfg(feature = "documents")]
    fn languages(&self) -> Option<Languages<'static>> {
        let (source, target) = (self.source_language(), self.target_language());
        let known = source != Language::UNKNOWN && target != Language::UNKNOWN;
        known.then_some(Languages { source: source.tag(), target: target.tag() })
    }

    /// Translates a document: the file with its text in the other language, and everything else as it was. Inline elements are put on the
    /// translations of their words. Where sentences end and which lines go on is up to the document, not to `options`. `progress` is told
    /// which texts have been translated, a few hundred at a time.
    ///
    /// # Errors
    /// If the document cannot be written, or if an alignment contradicts its text, which would be a fault of the engine.
    #[cfg(feature = "documents")]
    fn translate_document(
        &self,
        document: &dyn Document,
        options: &TranslateOptions,
        progress: &mut dyn FnMut(&[&str]),
    ) -> Result<Vec<u8>, DocumentError> {
        super::documents::translate(document, options, progress, |texts, options| self.translate_batch(texts, options))
    }
}

impl Translate for Translator {
    fn source_language(&self) -> Language {
        self.engine.source_language
    }

    fn target_language(&self) -> Language {
        self.engine.target_language
    }

    fn beam(&self) -> usize {
        self.engine.search.width
    }

    fn session_at(&self, options: &TranslateOptions, pace: Pace) -> Box<dyn Session> {
        Box::new(ModelSession::new(self, options, pace))
    }

    fn translate_until(
        &self,
        texts: &[(&str, &[Range<usize>])],
        options: &TranslateOptions,
        stop: &AtomicBool,
    ) -> Option<Vec<Translation>> {
        self.run(texts, options, None, stop)
    }
}

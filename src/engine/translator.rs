//! The translator: texts in, translations out, on as many threads as the pool has.

use super::Engine;
use super::batch;
use super::cache::Cache;
use super::document::Document;
use super::translate::Translate;
use super::translation::Translation;
use super::worker::Profile;
use crate::kernels::Backend;
use crate::model::Warning;
use crate::model::package::rounding::SecondMoments;
use crate::nn::{ActivationStatistics, Precision};
use crate::text::language::Language;
use crate::text::repair::Repairs;
use crate::text::structure::Wrapped;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// No parts of a text.
pub(super) const NOTHING: &[Range<usize>] = &[];

/// How to translate, and what to find out besides the translation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TranslateOptions {
    /// Log-probabilities of the words, see [`TranslatedToken`](super::translation::TranslatedToken). Needs all logits at each
    /// step instead of only the largest.
    pub scores: bool,
    /// What each piece of the translation looked at in the source, see
    /// [`TranslatedToken::attention`](super::translation::TranslatedToken::attention).
    pub attention: bool,
    /// Where sentences end.
    pub sentences: Sentences,
    /// Tables, fields, keys, labels and other structure ([`text::structure`](crate::text::structure)) stay as they are, and the cells between them
    /// are translated separately; true unless given. Only for [`Sentences::InLines`].
    pub structure: bool,
    /// With [`structure`](Self::structure): whether lines of a paragraph are read as one text and the translation is wrapped again.
    pub wrapped: Wrapped,
    /// Number of hypotheses per sentence that are followed side by side (beam search). 0: as many as the model is meant to have
    /// ([`Info::beam`]). 1: the likeliest word at each step, which is the fastest and, for a well-taught student, almost as good.
    pub beam: usize,
    /// Number of translations of each sentence to return, at most as many as [`beam`](Self::beam), see
    /// [`Translation::candidates`](super::translation::Translation::candidates).
    pub n_best: usize,
    /// With [`n_best`](Self::n_best): the translations of a sentence differ in their first word, or in the first after the beginning that
    /// was given ([`Translate::translate_from`](super::translate::Translate::translate_from)). Each of the likeliest words there begins one, which goes on with its own likeliest
    /// words. Without it, the list has the likeliest translations, which often differ only in their last words.
    pub branches: bool,
    /// Marian's `normalize`: hypotheses of a beam are ranked by `Σ ln p / length^normalize`. None: as the model says.
    pub normalize: Option<f32>,
    /// Hypotheses of a beam that are less likely than the sentence's likeliest by a factor of more than e to this power are pruned, so that
    /// only sentences of which the model is unsure take the time of a wide beam. None: as the model says, and for lists of
    /// [`n_best`](Self::n_best) none is pruned.
    pub beam_threshold: Option<f32>,
    /// How many last words (target pieces) hypotheses of a beam must have in common for only the best of them to go on: the others would say
    /// the same from there on. 0: all go on. None: as the model says, and for lists of [`n_best`](Self::n_best) all go on.
    pub beam_recombination: Option<usize>,
    /// What is repaired in a translation, and what the model is given in another form so that it comes through: all of
    /// [`text::repair`](crate::text::repair) unless given. With [`Repairs::NONE`], everything is as the model writes it.
    pub repairs: Repairs,
    /// Maximum number of rows that a thread decodes side by side when many sentences are translated at once; a hypothesis is a row. 0: as many
    /// as are fastest. 1: one sentence after the other. This changes no translation.
    pub rows: usize,
    /// Maximum number of source pieces that a thread encodes at once when many sentences are translated at once. 0: as many as are fastest.
    pub pieces: usize,
}

impl Default for TranslateOptions {
    fn default() -> Self {
        Self {
            scores: false,
            attention: false,
            sentences: Sentences::default(),
            structure: true,
            wrapped: Wrapped::default(),
            beam: 0,
            n_best: 0,
            branches: false,
            normalize: None,
            beam_threshold: None,
            beam_recombination: None,
            repairs: Repairs::ALL,
            rows: 0,
            pieces: 0,
        }
    }
}

/// Where the sentences of a text end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sentences {
    /// Found in each line; a line break ends a sentence, unless [`TranslateOptions::wrapped`] says that lines go on.
    #[default]
    InLines,
    /// Found in each paragraph; a single line break is white space, as in HTML and in text of fixed width.
    InParagraphs,
    /// Each line is one, whatever it contains, as in the corpora that translation is trained and evaluated on.
    AreLines,
}

/// A loaded model, ready to translate. Clones share it.
#[derive(Clone, Debug)]
pub struct Translator {
    pub(crate) engine: Arc<Engine>,
    /// Sentences that are not translated again; none unless asked for.
    pub(crate) cache: Option<Arc<Cache>>,
}

/// What a translator runs on, for people.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Info {
    /// The instruction set in use; for an ensemble, the first model's.
    pub backend: Backend,
    /// In which numbers products are computed; for an ensemble, those of the first model.
    pub precision: Precision,
    /// Number of networks that choose the next word together; more than one are an [ensemble](Translator::ensemble).
    pub networks: usize,
    /// Bytes that the weights take in memory.
    pub weight_bytes: usize,
    /// Source pieces.
    pub source_pieces: usize,
    /// Target pieces.
    pub target_pieces: usize,
    /// Whether a shortlist limits the target words of a sentence.
    pub shortlist: bool,
    /// Number of hypotheses per sentence that the model is meant to be searched with: its `beam-size`.
    pub beam: usize,
}

impl Translator {
    /// The same model with its own cache for this many sentences, which clones of it share, see [`LoadOptions::cache`](super::load::LoadOptions::cache); 0: without one.
    ///
    /// ```
    /// # use wanderwort::{LoadOptions, TranslateOptions, Translator};
    /// let translator = Translator::open("models/en-de.tiny.wanderwort", &LoadOptions::default())?;
    /// let menus = translator.clone().with_cache(500);
    /// let options = TranslateOptions::default();
    /// assert_eq!(menus.translate("Save as", &options).text, translator.translate("Save as", &options).text);
    /// # Ok::<(), wanderwort::LoadError>(())
    /// ```
    pub fn with_cache(self, sentences: usize) -> Self {
        Self { cache: Cache::of(sentences), ..self }
    }

    /// The language that is translated from, or [`Language::UNKNOWN`].
    pub fn source_language(&self) -> Language {
        self.engine.source_language
    }

    /// The language that is translated to, or [`Language::UNKNOWN`].
    pub fn target_language(&self) -> Language {
        self.engine.target_language
    }

    /// The languages that the model's files state, whatever [`LoadOptions`](crate::LoadOptions) say: source and target, each
    /// [`Language::UNKNOWN`] where they state none. A model with several target languages states none of them.
    pub fn stated_languages(&self) -> (Language, Language) {
        let (source, target) = self.engine.stated_languages;
        (source, if self.engine.target_mark.is_some() { Language::UNKNOWN } else { target })
    }

    /// What this translator runs on.
    pub fn info(&self) -> Info {
        let (ensemble, network) = (&self.engine.ensemble, self.engine.ensemble.first());
        Info {
            backend: network.backend(),
            precision: network.precision(),
            networks: ensemble.networks().len(),
            weight_bytes: ensemble.bytes(),
            source_pieces: self.engine.source_vocabulary.len(),
            target_pieces: self.engine.target_vocabulary().len(),
            shortlist: !self.engine.shortlists.is_empty(),
            beam: self.engine.search.width,
        }
    }

    /// What the model's files say that the engine does not follow: settings that are unknown, unsupported, or have values that cannot be used.
    pub fn warnings(&self) -> &[Warning] {
        &self.engine.warnings
    }

    /// The signs (symbols and punctuation) that the model carries over reliably according to measurement
    /// ([`measure_signs`](Self::measure_signs)), in ascending order; none if not measured.
    pub fn trusted_signs(&self) -> Option<&[char]> {
        self.engine.trusted_signs.as_deref()
    }

    /// Statistics of the inputs of each int8 product so far, by the name of its activation multiplier, if the model was loaded with
    /// [`LoadOptions::observe`](super::load::LoadOptions::observe); for an ensemble, those of the first model.
    pub fn activation_statistics(&self) -> impl Iterator<Item = (&str, ActivationStatistics)> {
        self.engine.ensemble.first().activation_statistics()
    }

    /// The second moments of the inputs of each int8 product so far, by the name of its weights, if the model was loaded to keep them:
    /// what [`package::convert`](crate::model::package::convert) rounds weights by. For an ensemble, those of the first model.
    pub fn second_moments(&self) -> impl Iterator<Item = (&str, SecondMoments)> {
        self.engine.ensemble.first().second_moments()
    }

    /// Translates any text: sentences are found, long ones split, and white space, line breaks and paragraph marks stay as they
    /// are. Sentences are spread over the current rayon pool.
    pub fn translate(&self, text: &str, options: &TranslateOptions) -> Translation {
        self.translate_batch(&[text], options).pop().expect("one text gives one translation")
    }

    /// Translates a text, parts of which are in a language other than the source: byte ranges, in any order. Sentences of such text are copied,
    /// and a quotation within a sentence comes through as it is, so that it does not become a mixture. A range that reaches beyond the text or
    /// into a character is rounded to the text's characters.
    ///
    /// ```no_run
    /// # use wanderwort::{LoadOptions, TranslateOptions, Translator};
    /// # let translator = Translator::open("models/en-de.tiny.wanderwort", &LoadOptions::default())?;
    /// let text = "He shouted \"tout va bien\" and left. C'est vrai.";
    /// let french = ["tout va bien", "C'est vrai."].map(|part| {
    ///     let start = text.find(part).unwrap();
    ///     start..start + part.len()
    /// });
    /// let translation = translator.translate_except(text, &french, &TranslateOptions::default());
    /// assert!(translation.text.contains("tout va bien") && translation.text.ends_with(" C'est vrai."));
    /// # Ok::<(), wanderwort::LoadError>(())
    /// ```
    pub fn translate_except(&self, text: &str, foreign: &[Range<usize>], options: &TranslateOptions) -> Translation {
        Translate::translate_except(self, text, foreign, options)
    }

    /// Translates many texts at once, in order. A text's translation does not depend on the others.
    pub fn translate_batch<S: AsRef<str> + Sync>(&self, texts: &[S], options: &TranslateOptions) -> Vec<Translation> {
        self.translate_parts(&texts.iter().map(|text| (text.as_ref(), NOTHING)).collect::<Vec<_>>(), options)
    }

    /// Like [`translate_batch`](Self::translate_batch), and adds to `profile` where the threads' time went.
    pub fn translate_profiled<S: AsRef<str> + Sync>(
        &self,
        texts: &[S],
        options: &TranslateOptions,
        profile: &mut Profile,
    ) -> Vec<Translation> {
        let texts: Vec<_> = texts.iter().map(|text| (text.as_ref(), NOTHING)).collect();
        self.run(&texts, options, Some(profile), &AtomicBool::new(false)).expect("nobody sets what nobody else has")
    }

    /// Translates texts, each with the parts of it that stay as they are; none once `stop` is set.
    pub(super) fn run(
        &self,
        texts: &[(&str, &[Range<usize>])],
        options: &TranslateOptions,
        profile: Option<&mut Profile>,
        stop: &AtomicBool,
    ) -> Option<Vec<Translation>> {
        let engine = &*self.engine;
        let (mut documents, jobs) = Document::plan_batch(engine, engine.target_language, texts, options);
        for (job, hypotheses) in batch::decode(self, jobs, options, profile, stop)? {
            documents[job.request as usize].receive(job.index, hypotheses);
        }
        Some(documents.into_par_iter().map(|document| document.finish(engine)).collect())
    }
}

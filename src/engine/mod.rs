//! Search, batching and the public translator.
//!
//! A text becomes a [`document`] of sentences; [`worker`]s decode them in rows that come and go; a [`session`] feeds workers by
//! priority a step at a time, and [`Translator::translate_batch`](translator::Translator::translate_batch) runs one worker on
//! each thread over a shared queue ([`batch`]). Both first look in the [`cache`], if there is one. An [`ensemble`] is several models at
//! once, a [`pivot`] two models, one after the other.

pub mod batch;
pub mod beam;
pub mod cache;
pub mod document;
#[cfg(feature = "documents")]
pub mod documents;
pub mod ensemble;
pub mod greedy;
mod languages;
pub mod load;
#[cfg(not(target_arch = "wasm32"))]
pub mod loaded;
pub mod marian;
pub mod package;
pub mod pivot;
pub mod queue;
pub mod session;
pub mod signs;
pub mod source;
pub mod stage;
pub mod target_mark;
pub mod translate;
pub mod translation;
pub mod translator;
pub mod worker;
mod working_set;

use self::beam::Beam;
use self::greedy::Greedy;
use self::translator::TranslateOptions;
use self::worker::Worker;
use crate::model::{Shortlist, Warning};
use crate::nn::Ensemble;
use crate::text::language::Language;
use crate::text::repair::{Context, Repairs};
use crate::text::vocab::Vocabulary;
use std::sync::Arc;

/// Everything that translation reads and nothing changes: one for all threads.
#[derive(Debug)]
pub struct Engine {
    pub(crate) ensemble: Ensemble,
    pub(crate) source_vocabulary: Arc<Vocabulary>,
    /// None: the target side uses the source vocabulary.
    pub(crate) target_vocabulary: Option<Arc<Vocabulary>>,
    /// A text may be translated with the words that any of them allows; if there is none, with every word.
    pub(crate) shortlists: Vec<Arc<Shortlist>>,
    /// Number of leading words of the target vocabulary that every sentence may use.
    pub(crate) head: usize,
    /// How to search, unless the options say otherwise.
    pub(crate) search: beam::Settings,
    /// Maximum number of target pieces per source piece, the end mark included (Marian's `max-length-factor`).
    pub(crate) length_factor: f32,
    /// Sentences of more source pieces are split.
    pub(crate) longest_sentence: usize,
    /// Signs (symbols and punctuation) that the model carries over according to measurement, in ascending order; none if not measured.
    pub(crate) trusted_signs: Option<Box<[char]>>,
    /// What the model's files say that the engine does not follow.
    pub(crate) warnings: Vec<Warning>,
    pub(crate) source_language: Language,
    pub(crate) target_language: Language,
    /// Source and target language according to the model's files.
    pub(crate) stated_languages: (Language, Language),
    /// The source word before every sentence that tells a model with several target languages which one is wanted.
    pub(crate) target_mark: Option<u32>,
}

impl Engine {
    pub(crate) fn target_vocabulary(&self) -> &Vocabulary {
        self.target_vocabulary.as_ref().unwrap_or(&self.source_vocabulary)
    }

    /// What the repairs of its sentences have in common.
    pub(crate) fn repair_context(&self, repairs: Repairs) -> Context<'_> {
        Context {
            source_vocabulary: &self.source_vocabulary,
            target_vocabulary: self.target_vocabulary(),
            source_language: self.source_language,
            target_language: self.target_language,
            trusted_signs: self.trusted_signs.as_deref(),
            repairs,
        }
    }

    /// The words beyond the head that a text with these source pieces may be translated with; ascending.
    pub(crate) fn candidates(&self, source: impl Iterator<Item = u32>) -> Arc<[u32]> {
        let mut words = Vec::new();
        match &self.shortlists[..] {
            [] => return Arc::from([]),
            [shortlist] => shortlist.candidates(source, &mut words),
            shortlists => {
                let (source, mut own) = (source.collect::<Vec<u32>>(), Vec::new());
                for shortlist in shortlists {
                    shortlist.candidates(source.iter().copied(), &mut own);
                    words.append(&mut own);
                }
                words.sort_unstable();
                words.dedup();
            }
        }
        let known = self.ensemble.target_vocabulary() as u32;
        words.retain(|&word| word >= self.head as u32 && word < known);
        Arc::from(words)
    }

    /// How to search with these options.
    fn search(&self, options: &TranslateOptions) -> beam::Settings {
        beam::Settings {
            width: if options.beam == 0 { self.search.width } else { options.beam },
            normalize: options.normalize.unwrap_or(self.search.normalize),
            first_word: options.repairs.has("first-word"),
            branches: options.branches,
            attention: options.attention,
            word_penalty: self.search.word_penalty,
            // A list should have as many translations as were asked for.
            threshold: match (options.beam_threshold, options.n_best) {
                // The likeliest itself always stays.
                (Some(threshold), _) => threshold.max(0.0),
                (None, 0) => self.search.threshold,
                (None, _) => f32::INFINITY,
            },
            recombination: match (options.beam_recombination, options.n_best) {
                (Some(words), _) => words,
                (None, 0) => self.search.recombination,
                (None, _) => 0,
            },
        }
    }

    /// The search settings for these options, as far as translations depend on them.
    pub(crate) fn search_key(&self, options: &TranslateOptions) -> cache::Search {
        let settings = self.search(options);
        cache::Search::new(&settings, uses_beam(&settings, options), options.scores)
    }

    /// The number of sentences that fill a worker's `rows`.
    pub(crate) fn sentences_in(&self, rows: usize, options: &TranslateOptions) -> usize {
        let beam::Settings { width, threshold, .. } = self.search(options);
        // With a threshold, fewer than all hypotheses are at work.
        let usual = if threshold.is_finite() { width.div_ceil(2) } else { width };
        (rows / usual).max(1)
    }

    /// A worker without work.
    pub(crate) fn new_worker(&self, options: &TranslateOptions) -> Box<dyn Worker> {
        let (ensemble, end_mark) = (&self.ensemble, self.target_vocabulary().end_of_sentence());
        let settings = self.search(options);
        if uses_beam(&settings, options) {
            Box::new(Beam::new(ensemble, self.head, end_mark, settings))
        } else {
            Box::new(Greedy::new(ensemble, self.head, end_mark, settings.first_word, options))
        }
    }
}

/// Whether hypotheses compete. A list of translations has scores, which only a beam search gives, even of one hypothesis.
fn uses_beam(settings: &beam::Settings, options: &TranslateOptions) -> bool {
    settings.width > 1 || options.n_best > 0
}

//! Several models as one translator that asks all of them for each word.

use super::Engine;
use super::cache::Cache;
use super::translator::Translator;
use crate::nn::Ensemble;
use crate::text::language::Language;
use crate::text::vocab::Vocabulary;
use std::sync::Arc;

/// Models that cannot translate together.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum EnsembleError {
    /// A vocabulary has a different size.
    #[error(
        "model {number} of the ensemble has {found} {side} pieces, the first one has {expected}; \
         models of an ensemble must have been trained with the same vocabularies"
    )]
    VocabularySize {
        /// Which model, counted from 1.
        number: usize,
        /// `source` or `target`.
        side: &'static str,
        /// Pieces of the first model.
        expected: usize,
        /// Pieces of this one.
        found: usize,
    },
    /// A piece is different.
    #[error(
        "model {number} of the ensemble has `{found}` as {side} piece {id}, the first one has `{expected}`; \
         models of an ensemble must have been trained with the same vocabularies"
    )]
    VocabularyPiece {
        /// Which model, counted from 1.
        number: usize,
        /// `source` or `target`.
        side: &'static str,
        /// The first piece that differs.
        id: u32,
        /// That of the first model.
        expected: String,
        /// That of this one.
        found: String,
    },
    /// A model translates between different languages.
    #[error(
        "model {number} of the ensemble translates {relation} {found}, the first one {relation} {expected}; \
         models of an ensemble must translate between the same languages"
    )]
    Language {
        /// Which model, counted from 1.
        number: usize,
        /// `from` or `to`.
        relation: &'static str,
        /// The first model's language, a BCP 47 tag.
        expected: &'static str,
        /// This one's.
        found: &'static str,
    },
}

impl Translator {
    /// This model and others as one translator: the log-probability of each word is the mean of the models' log-probabilities, with equal
    /// weights, in greedy search and in beam search. The models may differ in their architectures and in how they compute; none is copied.
    ///
    /// The vocabularies, the search and the length limits are those of this model, and so is the attention that aligns words. A text may be
    /// translated with any word that the shortlist of one of the models allows, so that no model is kept from what it would say alone; if a
    /// model has no shortlist, with every word. A sign is trusted to come through if all models trust it.
    ///
    /// ```no_run
    /// use wanderwort::{LoadOptions, TranslateOptions, Translator};
    ///
    /// let options = LoadOptions::default();
    /// let others = [Translator::open("student.2", &options)?, Translator::open("student.3", &options)?];
    /// let translator = Translator::open("student.1", &options)?.ensemble(&others)?;
    /// let translation = translator.translate("The house is big.", &TranslateOptions::default());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If a model has different vocabularies, or is known to translate between different languages.
    pub fn ensemble(&self, others: &[Translator]) -> Result<Translator, EnsembleError> {
        let first = &*self.engine;
        let (mut source_language, mut target_language) = (first.source_language, first.target_language);
        for (number, other) in (2..).zip(others) {
            let other = &*other.engine;
            same_vocabulary(number, "source", &first.source_vocabulary, &other.source_vocabulary)?;
            same_vocabulary(number, "target", first.target_vocabulary(), other.target_vocabulary())?;
            source_language = same_language(number, "from", source_language, other.source_language)?;
            target_language = same_language(number, "to", target_language, other.target_language)?;
        }
        let engines = || std::iter::once(first).chain(others.iter().map(|other| &*other.engine));
        let networks = engines().flat_map(|engine| engine.ensemble.networks().iter().map(Arc::clone)).collect();
        let mut shortlists = Vec::new();
        if engines().all(|engine| !engine.shortlists.is_empty()) {
            for shortlist in engines().flat_map(|engine| &engine.shortlists) {
                if !shortlists.iter().any(|other| Arc::ptr_eq(other, shortlist)) {
                    shortlists.push(Arc::clone(shortlist));
                }
            }
        }
        let trusts = |engine: &Engine, sign: &char| {
            engine.trusted_signs.as_ref().is_some_and(|signs| signs.binary_search(sign).is_ok())
        };
        let trusted_by_all = |signs: &[char]| -> Box<[char]> {
            signs.iter().filter(|sign| engines().all(|engine| trusts(engine, sign))).copied().collect()
        };
        let all_measured = engines().all(|engine| engine.trusted_signs.is_some());
        Ok(Translator {
            engine: Arc::new(Engine {
                ensemble: Ensemble::new(networks),
                source_vocabulary: Arc::clone(&first.source_vocabulary),
                target_vocabulary: first.target_vocabulary.clone(),
                shortlists,
                head: engines().map(|engine| engine.head).max().unwrap_or(first.head),
                search: first.search,
                length_factor: first.length_factor,
                longest_sentence: first.longest_sentence,
                trusted_signs: first.trusted_signs.as_deref().filter(|_| all_measured).map(trusted_by_all),
                warnings: engines().flat_map(|engine| engine.warnings.iter().cloned()).collect(),
                source_language,
                target_language,
                stated_languages: first.stated_languages,
                target_mark: first.target_mark,
            }),
            cache: Cache::of(self.cache.as_ref().map_or(0, |cache| cache.capacity())),
        })
    }
}

/// Ids must mean the same to all models.
fn same_vocabulary(
    number: usize,
    side: &'static str,
    first: &Vocabulary,
    other: &Vocabulary,
) -> Result<(), EnsembleError> {
    let (expected, found) = (first.len(), other.len());
    if expected != found {
        return Err(EnsembleError::VocabularySize { number, side, expected, found });
    }
    let Some(id) = (0..expected as u32).find(|&id| first.piece(id) != other.piece(id)) else { return Ok(()) };
    let piece = |vocabulary: &Vocabulary| vocabulary.piece(id).unwrap_or_default().to_owned();
    Err(EnsembleError::VocabularyPiece { number, side, id, expected: piece(first), found: piece(other) })
}

/// The language, as far as it is known of one or both models.
fn same_language(
    number: usize,
    relation: &'static str,
    first: Language,
    other: Language,
) -> Result<Language, EnsembleError> {
    if first == Language::UNKNOWN || first == other {
        return Ok(other);
    }
    if other == Language::UNKNOWN {
        return Ok(first);
    }
    Err(EnsembleError::Language { number, relation, expected: first.tag(), found: other.tag() })
}

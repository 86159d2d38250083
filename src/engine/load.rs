//! From files to a translator.

use super::Engine;
use super::translator::Translator;
use crate::kernels::Backend;
#[cfg(not(target_arch = "wasm32"))]
use crate::model::Weights;
use crate::model::{self, MarianFiles, MarianModel, Vocabularies};
use crate::nn::{NetworkBuilder, NetworkError, Precision, StoredScales};
use crate::text::segment::Language;
use crate::text::vocab::{Vocabulary, VocabularyError};
use std::sync::Arc;

/// How to load a model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LoadOptions {
    /// The arithmetic of the products.
    pub precision: Precision,
    /// The instruction set.
    pub backend: Backend,
    /// Whether to use the model's shortlist, if it has one. Without, every word of the vocabulary is considered at every
    /// step.
    pub shortlist: bool,
    /// Which of the activation multipliers that the model stores to use.
    pub scales: StoredScales,
}

impl Default for LoadOptions {
    fn default() -> Self {
        Self { precision: Precision::Int8, backend: Backend::best(), shortlist: true, scales: StoredScales::default() }
    }
}

/// Why a model could not be loaded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// A file is missing, malformed, or of an architecture that the engine does not run.
    #[error(transparent)]
    Model(#[from] model::Error),
    /// A vocabulary is malformed or of a kind that the engine does not read.
    #[error(transparent)]
    Vocabulary(#[from] VocabularyError),
    /// The tensors do not make a network.
    #[error("{file}: {source}")]
    Network {
        /// The model file.
        file: String,
        /// What is wrong.
        source: NetworkError,
    },
    /// Vocabulary and model have different sizes, so the ids of one mean nothing to the other.
    #[error("{vocabulary} has {pieces} pieces, but {model} was trained with {expected}; it belongs to another model")]
    VocabularySize {
        /// The vocabulary's file.
        vocabulary: String,
        /// Pieces in it.
        pieces: usize,
        /// The model's file.
        model: String,
        /// Pieces that the model knows.
        expected: usize,
    },
    /// Marian's conventions for the vocabulary do not hold.
    #[error("{vocabulary}: `</s>` has id {end} and `<unk>` has id {unknown}; Marian's models have 0 and 1")]
    SpecialPieces {
        /// The vocabulary's file.
        vocabulary: String,
        /// Id of the end mark.
        end: u32,
        /// Id of the unknown piece.
        unknown: u32,
    },
}

/// The number of leading words that every sentence may use beside its shortlist. The shortlist's own list of frequent words is
/// often no longer than fifty, and a single word in a menu must not be left to choose from those alone.
const LEAST_HEAD: usize = 512;

/// Marian's default of `max-length-factor`.
const LENGTH_FACTOR: f32 = 3.0;

/// Bergamot's default of `max-length-break`, in pieces.
const LONGEST_SENTENCE: usize = 128;

impl Translator {
    /// Loads a folder of Marian files, with or without a `decoder.yml`.
    ///
    /// # Errors
    /// See [`LoadError`]; nothing is left half-loaded.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn open(path: impl AsRef<std::path::Path>, options: &LoadOptions) -> Result<Self, LoadError> {
        let weights = match options.precision {
            Precision::Int8 => Weights::Int8,
            Precision::Float32 => Weights::Float32,
        };
        let files = MarianFiles::read_folder(path.as_ref(), weights)?;
        Self::from_marian(&files, options)
    }

    /// Loads a model from the bytes of Marian's files.
    ///
    /// # Errors
    /// See [`LoadError`].
    pub fn from_marian(files: &MarianFiles, options: &LoadOptions) -> Result<Self, LoadError> {
        let model = MarianModel::open(&files.model.name, &files.model.bytes)?;
        let config = model.config();
        let network_error = |source| LoadError::Network { file: files.model.name.clone(), source };

        let source_vocabulary = vocabulary(&files.source_vocabulary, &files.model.name, config.source_words)?;
        let target_vocabulary = files
            .target_vocabulary
            .as_ref()
            .map(|file| vocabulary(file, &files.model.name, config.target_words))
            .transpose()?;
        let decoder = files.decoder_options()?;
        let shortlist = if options.shortlist {
            let target = target_vocabulary.as_ref().unwrap_or(&source_vocabulary);
            let sizes = Vocabularies {
                source: config.source_words,
                target: config.target_words,
                joint: target_vocabulary.is_none(),
            };
            files.read_shortlist(|word| source_vocabulary.id(word), |word| target.id(word), sizes)?
        } else {
            None
        };

        let mut builder = NetworkBuilder::new(config, options.precision, options.backend).scales(options.scales);
        model.tensors(|name, tensor| builder.add(name, tensor).map_err(network_error))?;
        let network = builder.finish().map_err(network_error)?;
        let words = network.target_vocabulary();
        let head = shortlist.as_ref().map_or(words, |shortlist| shortlist.first().max(LEAST_HEAD).min(words));
        Ok(Self {
            engine: Arc::new(Engine {
                network,
                source_vocabulary,
                target_vocabulary,
                shortlist,
                head,
                length_factor: decoder.and_then(|decoder| decoder.max_length_factor).unwrap_or(LENGTH_FACTOR),
                longest_sentence: LONGEST_SENTENCE,
                source_language: Language::English,
            }),
        })
    }
}

fn vocabulary(file: &model::NamedBytes, model: &str, expected: usize) -> Result<Vocabulary, LoadError> {
    let vocabulary = Vocabulary::from_bytes(&file.name, &model::gunzip(&file.name, &file.bytes)?)?;
    if vocabulary.len() != expected {
        return Err(LoadError::VocabularySize {
            vocabulary: file.name.clone(),
            pieces: vocabulary.len(),
            model: model.to_owned(),
            expected,
        });
    }
    let (end, unknown) = (vocabulary.end_of_sentence(), vocabulary.unknown());
    if (end, unknown) != (0, 1) {
        return Err(LoadError::SpecialPieces { vocabulary: file.name.clone(), end, unknown });
    }
    Ok(vocabulary)
}

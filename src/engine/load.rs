//! From files to a translator.

use super::Engine;
use super::beam;
#[cfg(not(target_arch = "wasm32"))]
use super::languages;
use super::package::PackageLoader;
use super::translator::Translator;
use crate::kernels::Backend;
#[cfg(not(target_arch = "wasm32"))]
use crate::model::Weights;
use crate::model::{self, Decoding, MarianFiles, MarianModel, Shortlist, Vocabularies};
use crate::nn::{Network, NetworkBuilder, NetworkError, Observe, Precision, StoredScales};
use crate::text::language::Language;
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
    /// What to keep of what enters each int8 product, see [`Translator::activation_statistics`] and [`Translator::second_moments`]; with
    /// anything but `Nothing` stored scales are ignored.
    pub observe: Observe,
    /// The language translated from, whose rules find sentences. None: as a package's header says, or the names of Marian's files
    /// (`model.ende.bin`) or a `model_info.json` beside them tell; where they do not, [`Language::UNKNOWN`], and only what holds in most languages is done.
    pub source_language: Option<Language>,
    /// The language translated to, in whose form numbers are. None: as [`source_language`](Self::source_language).
    pub target_language: Option<Language>,
}

impl Default for LoadOptions {
    fn default() -> Self {
        Self {
            precision: Precision::Int8,
            backend: Backend::best(),
            shortlist: true,
            scales: StoredScales::default(),
            observe: Observe::Nothing,
            source_language: None,
            target_language: None,
        }
    }
}

impl LoadOptions {
    /// A builder of networks as these options want them.
    pub(super) fn network_builder(&self, config: &model::Config) -> NetworkBuilder {
        NetworkBuilder::new(config, self.precision, self.backend).scales(self.scales).observe(self.observe)
    }

    /// Source and target language: those given, or else those that the files tell by their tags.
    pub(super) fn languages(&self, told: Option<(String, String)>) -> (Language, Language) {
        let (source, target) = told.unzip();
        let choose = |given: Option<Language>, told: Option<String>| {
            given.or_else(|| Language::from_tag(&told?)).unwrap_or(Language::UNKNOWN)
        };
        (choose(self.source_language, source), choose(self.target_language, target))
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
    /// The shortlist was made for other vocabularies.
    #[error("{file}: the shortlist connects {found:?}, but the model has {expected:?}; it belongs to another model")]
    ShortlistSizes {
        /// The package.
        file: String,
        /// The model's vocabularies.
        expected: Vocabularies,
        /// The shortlist's.
        found: Vocabularies,
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

/// A package is read from a file in pieces of so many bytes.
const READ_SIZE: usize = 1 << 16;

/// Marian's default of `max-length-factor`.
const LENGTH_FACTOR: f32 = 3.0;

/// What a beam's hypotheses are ranked by where the model does not say it: log-probabilities by their number.
const NORMALIZE: f32 = 1.0;

/// Bergamot's default of `max-length-break`, in pieces.
const LONGEST_SENTENCE: usize = 128;

impl Translator {
    /// Loads a package, or a folder of Marian files with or without a `decoder.yml`.
    ///
    /// # Errors
    /// See [`LoadError`]; nothing is left half-loaded.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn open(path: impl AsRef<std::path::Path>, options: &LoadOptions) -> Result<Self, LoadError> {
        let path = path.as_ref();
        if path.is_file() {
            let name = path.display().to_string();
            let file = std::fs::File::open(path).map_err(|source| model::Error::Io { path: name.clone(), source })?;
            return Self::from_package(&name, file, options);
        }
        let weights = match options.precision {
            Precision::Int8 => Weights::Int8,
            Precision::Float32 => Weights::Float32,
        };
        let files = MarianFiles::read_folder(path, weights)?;
        let (source_language, target_language) =
            options.languages(files.language_tags().or_else(|| languages::tags_of_folder(path)));
        let (source_language, target_language) = (Some(source_language), Some(target_language));
        Self::from_marian(&files, &LoadOptions { source_language, target_language, ..*options })
    }

    /// Loads a package, reading it to its end. `file` stands in errors.
    ///
    /// ```
    /// use wanderwort::model::package::{ConvertOptions, Parts, convert};
    /// use wanderwort::model::{MarianFiles, MarianModel, Weights};
    /// use wanderwort::{LoadOptions, TranslateOptions, Translator};
    ///
    /// let files = MarianFiles::read_folder("tests/data/en-de.prototype".as_ref(), Weights::Int8)?;
    /// let model = MarianModel::open(&files.model.name, &files.model.bytes)?;
    /// let source_vocabulary = &files.source_vocabulary;
    /// let parts = Parts { model: &model, source_vocabulary, target_vocabulary: None, shortlist: None };
    /// let package = convert(&parts, &ConvertOptions::default(), |_| {})?;
    ///
    /// let translator = Translator::from_package("en-de.wanderwort", package.as_slice(), &LoadOptions::default())?;
    /// assert_eq!(translator.translate("Where is the station?", &TranslateOptions::default()).text, "Wo ist der Bahnhof?");
    /// # Ok::<(), wanderwort::LoadError>(())
    /// ```
    ///
    /// # Errors
    /// See [`LoadError`]; nothing is left half-loaded.
    pub fn from_package(file: &str, mut bytes: impl std::io::Read, options: &LoadOptions) -> Result<Self, LoadError> {
        let mut loader = PackageLoader::new(file, options);
        let mut buffer = vec![0; READ_SIZE];
        loop {
            match bytes.read(&mut buffer) {
                Ok(0) => return loader.finish(),
                Ok(length) => loader.push(&buffer[..length])?,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(source) => return Err(model::Error::Io { path: file.to_owned(), source }.into()),
            }
        }
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

        let (source_language, target_language) = options.languages(files.language_tags());
        let mut builder = options.network_builder(config);
        model.tensors(|name, tensor| builder.add(name, tensor).map_err(network_error))?;
        let network = builder.finish().map_err(network_error)?;
        Ok(Self::assemble(Pieces {
            network,
            source_vocabulary,
            target_vocabulary,
            shortlist,
            decoding: decoder.map(|decoder| decoder.decoding).unwrap_or_default(),
            source_language,
            target_language,
        }))
    }

    /// Puts together what was read and checked.
    pub(super) fn assemble(pieces: Pieces) -> Self {
        let words = pieces.network.target_vocabulary();
        let head = pieces.shortlist.as_ref().map_or(words, |shortlist| shortlist.first().max(LEAST_HEAD).min(words));
        Self {
            engine: Arc::new(Engine {
                network: pieces.network,
                source_vocabulary: pieces.source_vocabulary,
                target_vocabulary: pieces.target_vocabulary,
                shortlist: pieces.shortlist,
                head,
                search: beam::Settings {
                    width: pieces.decoding.beam_size.map_or(1, |size| size as usize),
                    kept: 0,
                    normalize: pieces.decoding.normalize.unwrap_or(NORMALIZE),
                    threshold: pieces.decoding.beam_threshold.unwrap_or(f32::INFINITY),
                    first_word: true,
                },
                length_factor: pieces.decoding.max_length_factor.unwrap_or(LENGTH_FACTOR),
                longest_sentence: pieces.decoding.max_length_break.map_or(LONGEST_SENTENCE, |pieces| pieces as usize),
                source_language: pieces.source_language,
                target_language: pieces.target_language,
            }),
        }
    }
}

/// What a translator is made of, whatever files it came in.
pub(super) struct Pieces {
    pub network: Network,
    pub source_vocabulary: Vocabulary,
    /// None: both languages share one.
    pub target_vocabulary: Option<Vocabulary>,
    pub shortlist: Option<Shortlist>,
    pub decoding: Decoding,
    pub source_language: Language,
    pub target_language: Language,
}

pub(super) fn vocabulary(file: &model::NamedBytes, model: &str, expected: usize) -> Result<Vocabulary, LoadError> {
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

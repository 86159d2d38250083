//! From files to a translator.

use super::Engine;
use super::beam;
use super::cache::Cache;
use super::package::PackageLoader;
use super::source::MarianSource;
use super::target_mark::{self, TargetToken};
use super::translator::Translator;
use crate::kernels::Backend;
use crate::model::{self, Decoding, MarianFiles, Shortlist, Vocabularies, Warning, Weights};
use crate::nn::{Ensemble, Network, NetworkBuilder, NetworkError, Observe, Precision, StoredScales};
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
    /// Whether to use the model's shortlist, if it has one. Without one, every word of the vocabulary is considered at every
    /// step.
    pub shortlist: bool,
    /// Which of the activation multipliers that the model stores to use.
    pub scales: StoredScales,
    /// What to record of the inputs of each int8 product, see [`Translator::activation_statistics`] and [`Translator::second_moments`]; with
    /// anything but `Nothing`, stored scales are ignored.
    pub observe: Observe,
    /// The language translated from, whose rules find sentences. None: as given by a package's header, or by the names of Marian's files
    /// (`model.ende.bin`) or a `model_info.json` beside them; failing that, [`Language::UNKNOWN`], and only what holds in most languages is done.
    pub source_language: Option<Language>,
    /// The language translated to, in whose form numbers are written. None: as for [`source_language`](Self::source_language).
    pub target_language: Option<Language>,
    /// For a model with several target languages, as OPUS-MT has them, its name for the one that is wanted (`deu` for its word `>>deu<<`). None: the one for
    /// the target language.
    pub target_token: Option<TargetToken>,
    /// How many sentences' translations to keep, so that a sentence that comes again, in a batch or a session, is not translated again. This
    /// changes no translation. 0: none.
    pub cache: usize,
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
            target_token: None,
            cache: 0,
        }
    }
}

impl LoadOptions {
    /// A network builder for these options.
    pub(super) fn network_builder(&self) -> NetworkBuilder {
        NetworkBuilder::new(self.precision, self.backend).scales(self.scales).observe(self.observe)
    }

    /// Which weights to load where a model has several: those that its products compute with.
    pub(super) fn weights(&self) -> Weights {
        match self.precision {
            Precision::Int8 => Weights::Int8,
            Precision::Int16 | Precision::Float32 => Weights::Float32,
        }
    }

    /// Source and target language: those given, or else those that the files state.
    pub(super) fn languages(&self, (source, target): (Language, Language)) -> (Language, Language) {
        (self.source_language.unwrap_or(source), self.target_language.unwrap_or(target))
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
    /// A model with several target languages was not told one that it has, or another model was told one.
    #[error("{}", target_mark::message(.file, .told.as_deref(), .available))]
    TargetToken {
        /// The model's file.
        file: String,
        /// What was told.
        told: Option<String>,
        /// What it calls its target languages.
        available: Vec<String>,
    },
    /// The engine itself failed while it unpacked a part of a package.
    #[error("{file}: unpacking the section at byte {offset} failed: {reason}; this is a fault of the program")]
    Unpacking {
        /// The package.
        file: String,
        /// Where the section begins.
        offset: u64,
        /// What the panic said.
        reason: String,
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

/// The number of leading words that every sentence may use besides its shortlist. The shortlist's own list of frequent words is
/// often no longer than fifty, and a single word in a menu must not be limited to those.
const LEAST_HEAD: usize = 512;

/// A package is read from a file in pieces of this many bytes.
const READ_SIZE: usize = 1 << 16;

/// Marian's default of `max-length-factor`.
const LENGTH_FACTOR: f32 = 3.0;

/// How a beam's hypotheses are ranked if the model does not say: by the sum of their log-probabilities divided by the number of these.
const NORMALIZE: f32 = 1.0;

/// Bergamot's default of `max-length-break`, in pieces.
const LONGEST_SENTENCE: usize = 128;

impl Translator {
    /// Loads a package, or a folder of Marian files with or without decoding settings (`decoder.yml`).
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
        let files = MarianFiles::read_folder(path, options.weights())?;
        Self::from_marian(&files, options)
    }

    /// Loads a package, reading it to its end. Errors name `file`.
    ///
    /// ```
    /// use wanderwort::model::package::ConvertOptions;
    /// use wanderwort::model::{MarianFiles, Weights};
    /// use wanderwort::{LoadOptions, MarianSource, TranslateOptions, Translator};
    ///
    /// let files = MarianFiles::read_folder("tests/data/en-de.prototype".as_ref(), Weights::Int8)?;
    /// let package = MarianSource::open(&files)?.convert(&ConvertOptions::default(), |_| {})?;
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
        MarianSource::open(files)?.load(options)
    }

    /// Puts together what was read and checked.
    pub(super) fn assemble(pieces: Pieces) -> Self {
        let words = pieces.network.target_vocabulary();
        let head = pieces.shortlist.as_ref().map_or(words, |shortlist| shortlist.first().max(LEAST_HEAD).min(words));
        Self {
            engine: Arc::new(Engine {
                ensemble: Ensemble::new(vec![Arc::new(pieces.network)]),
                source_vocabulary: Arc::new(pieces.source_vocabulary),
                target_vocabulary: pieces.target_vocabulary.map(Arc::new),
                shortlists: pieces.shortlist.map(Arc::new).into_iter().collect(),
                head,
                search: beam::Settings {
                    width: pieces.decoding.beam_size.map_or(1, |size| size as usize),
                    normalize: pieces.decoding.normalize.unwrap_or(NORMALIZE),
                    word_penalty: pieces.decoding.word_penalty.unwrap_or(0.0),
                    threshold: pieces.decoding.beam_threshold.unwrap_or(f32::INFINITY),
                    recombination: pieces.decoding.beam_recombination.map_or(0, |words| words as usize),
                    first_word: true,
                    branches: false,
                    attention: false,
                },
                length_factor: pieces.decoding.max_length_factor.unwrap_or(LENGTH_FACTOR),
                longest_sentence: pieces.decoding.max_length_break.map_or(LONGEST_SENTENCE, |pieces| pieces as usize),
                trusted_signs: pieces.trusted_signs,
                warnings: pieces.warnings,
                source_language: pieces.source_language,
                target_language: pieces.target_language,
                stated_languages: pieces.stated_languages,
                target_mark: pieces.target_mark,
            }),
            cache: Cache::of(pieces.cache),
        }
    }
}

/// The languages of these tags, as far as they are given and known.
pub(super) fn stated((source, target): (Option<String>, Option<String>)) -> (Language, Language) {
    let language = |tag: Option<String>| tag.and_then(|tag| Language::from_tag(&tag)).unwrap_or(Language::UNKNOWN);
    (language(source), language(target))
}

/// What a translator is made of, whatever files it came in.
pub(super) struct Pieces {
    pub network: Network,
    pub source_vocabulary: Vocabulary,
    /// None: both languages share one.
    pub target_vocabulary: Option<Vocabulary>,
    pub shortlist: Option<Shortlist>,
    pub decoding: Decoding,
    /// Signs that the model carries over according to measurement, in ascending order; none if not measured.
    pub trusted_signs: Option<Box<[char]>>,
    /// What the files say that the engine does not follow.
    pub warnings: Vec<Warning>,
    pub source_language: Language,
    pub target_language: Language,
    /// Source and target language according to the files.
    pub stated_languages: (Language, Language),
    /// The word before every sentence that tells a model with several target languages which one is wanted.
    pub target_mark: Option<u32>,
    /// Sentences whose translations are kept.
    pub cache: usize,
}

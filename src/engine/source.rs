//! A Marian model, read and checked. Translating with it, packing, calibrating and inspecting it all begin here.

use super::load::{LoadError, LoadOptions, Pieces, stated};
use super::target_mark;
use super::translator::Translator;
use crate::model::package::{ConvertOptions, Parts, Progress, convert};
use crate::model::{
    Config, DecoderOptions, Decoding, Error, MarianFiles, MarianModel, ModelInfo, NamedBytes, Shortlist, Vocabularies,
    Warning, decompressed,
};
use crate::nn::NetworkBuilder;
use crate::text::vocab::Vocabulary;

/// A model in Marian's files whose architecture, vocabularies and settings have been read and fit together. Weights and shortlist are
/// read when they are needed.
///
/// ```
/// use wanderwort::model::package::ConvertOptions;
/// use wanderwort::model::{MarianFiles, Weights};
/// use wanderwort::{LoadOptions, MarianSource, TranslateOptions};
///
/// let files = MarianFiles::read_folder("tests/data/en-de.prototype".as_ref(), Weights::Int8)?;
/// let source = MarianSource::open(&files)?;
/// assert!(source.warnings().is_empty());
/// let package = source.convert(&source.convert_options(), |_| {})?;
/// println!("{} bytes instead of {}", package.len(), source.size());
/// let translator = source.load(&LoadOptions::default())?;
/// assert_eq!(translator.translate("Where is the station?", &TranslateOptions::default()).text, "Wo ist der Bahnhof?");
/// # Ok::<(), wanderwort::LoadError>(())
/// ```
pub struct MarianSource<'a> {
    files: &'a MarianFiles,
    model: MarianModel<'a>,
    rest: Rest,
}

/// What a model's files contain besides its weights and its shortlist.
pub(super) struct Rest {
    source_vocabulary: Vocabulary,
    target_vocabulary: Option<Vocabulary>,
    decoding: Decoding,
    info: ModelInfo,
    warnings: Vec<Warning>,
}

impl Rest {
    /// Reads it for a model of architecture `config`.
    pub(super) fn read(files: &MarianFiles, config: &Config) -> Result<Self, LoadError> {
        let name = files.model.name.as_str();
        let source_vocabulary = vocabulary(&files.source_vocabulary, name, config.source_words)?;
        let target = files.target_vocabulary.as_ref();
        let target_vocabulary = target.map(|file| vocabulary(file, name, config.target_words)).transpose()?;
        let DecoderOptions { decoding, mut warnings, .. } = files.decoder_options()?;
        let info = files.model_info().unwrap_or_else(|error| {
            warnings.push(Warning::Description(error.to_string()));
            ModelInfo::default()
        });
        warnings.extend(info.warnings.iter().cloned());
        Ok(Self { source_vocabulary, target_vocabulary, decoding, info, warnings })
    }

    /// The shortlist, if there is a useful one.
    fn shortlist(&self, files: &MarianFiles, config: &Config) -> Result<Option<Shortlist>, Error> {
        let target = self.target_vocabulary.as_ref();
        let joint = target.is_none_or(|target| target.has_words_of(&self.source_vocabulary));
        let sizes = Vocabularies { source: config.source_words, target: config.target_words, joint };
        let (source, target) = (&self.source_vocabulary, self.target_vocabulary.as_ref());
        let target = target.unwrap_or(source);
        let shortlist = files.read_shortlist(|word| source.id(word), |word| target.id(word), sizes)?;
        Ok(shortlist.filter(Shortlist::is_useful))
    }

    /// BCP 47 tags of the source and the target language: those in its description, or else in its files' names.
    fn language_tags(&self, files: &MarianFiles) -> (Option<String>, Option<String>) {
        let (source, target) = files.language_tags().unzip();
        let ModelInfo { source_language, target_language, .. } = &self.info;
        (source_language.clone().or(source), target_language.clone().or(target))
    }

    /// The translator, from weights that have been read.
    pub(super) fn assemble(
        mut self,
        files: &MarianFiles,
        config: &Config,
        builder: NetworkBuilder,
        options: &LoadOptions,
    ) -> Result<Translator, LoadError> {
        let stated_languages = stated(self.language_tags(files));
        let (source_language, target_language) = options.languages(stated_languages);
        let (target_mark, target_language) = target_mark::find(
            &files.model.name,
            &self.source_vocabulary,
            options.target_token.as_ref(),
            target_language,
        )?;
        let shortlist = if options.shortlist { self.shortlist(files, config)? } else { None };
        if let (true, None, Some(file)) = (options.shortlist, &shortlist, &files.shortlist) {
            self.warnings.push(Warning::Shortlist { file: file.name.clone() });
        }
        let network =
            builder.finish(config).map_err(|source| LoadError::Network { file: files.model.name.clone(), source })?;
        Ok(Translator::assemble(Pieces {
            network,
            source_vocabulary: self.source_vocabulary,
            target_vocabulary: self.target_vocabulary,
            shortlist,
            decoding: self.decoding,
            trusted_signs: None,
            warnings: self.warnings,
            source_language,
            target_language,
            stated_languages,
            target_mark,
            cache: options.cache,
        }))
    }
}

impl std::fmt::Debug for MarianSource<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MarianSource").field("model", &self.files.model.name).finish_non_exhaustive()
    }
}

impl<'a> MarianSource<'a> {
    /// Reads `files`.
    ///
    /// # Errors
    /// See [`LoadError`].
    pub fn open(files: &'a MarianFiles) -> Result<Self, LoadError> {
        let model = MarianModel::open(&files.model.name, &files.model.bytes)?;
        let rest = Rest::read(files, model.config())?;
        Ok(Self { files, model, rest })
    }

    /// The files.
    pub fn files(&self) -> &'a MarianFiles {
        self.files
    }

    /// Directory and weights.
    pub fn model(&self) -> &MarianModel<'a> {
        &self.model
    }

    /// The architecture.
    pub fn config(&self) -> &Config {
        self.model.config()
    }

    /// Vocabulary of the source language, or of both.
    pub fn source_vocabulary(&self) -> &Vocabulary {
        &self.rest.source_vocabulary
    }

    /// Vocabulary of the target language; none if both share one.
    pub fn target_vocabulary(&self) -> Option<&Vocabulary> {
        self.rest.target_vocabulary.as_ref()
    }

    /// How the model is meant to be decoded.
    pub fn decoding(&self) -> Decoding {
        self.rest.decoding
    }

    /// What the model is called, and between which languages it translates, as far as its files say so.
    pub fn info(&self) -> &ModelInfo {
        &self.rest.info
    }

    /// BCP 47 tags of the source and the target language: those in its description, or else in its files' names.
    pub fn language_tags(&self) -> (Option<String>, Option<String>) {
        self.rest.language_tags(self.files)
    }

    /// What the files say that the engine does not follow.
    pub fn warnings(&self) -> &[Warning] {
        &self.rest.warnings
    }

    /// Bytes of all its files.
    pub fn size(&self) -> usize {
        self.files.parts().map(|(_, file)| file.bytes.len()).sum()
    }

    /// The shortlist, if there is a useful one ([`Shortlist::is_useful`]).
    ///
    /// # Errors
    /// A damaged one, or another model's.
    pub fn shortlist(&self) -> Result<Option<Shortlist>, Error> {
        self.rest.shortlist(self.files, self.config())
    }

    /// What the model itself says about how to convert it.
    pub fn convert_options(&self) -> ConvertOptions {
        ConvertOptions { decoding: self.rest.decoding, ..ConvertOptions::default() }
    }

    /// A package of the model. `progress` is called after each tensor.
    ///
    /// # Errors
    /// Damaged weights, and a shortlist that cannot be used.
    pub fn convert(&self, options: &ConvertOptions, progress: impl FnMut(Progress<'_>)) -> Result<Vec<u8>, Error> {
        let shortlist = self.shortlist()?;
        let parts = Parts {
            model: &self.model,
            source_vocabulary: &self.files.source_vocabulary,
            target_vocabulary: self.files.target_vocabulary.as_ref(),
            shortlist: shortlist.as_ref(),
        };
        convert(&parts, options, progress)
    }

    /// The translator.
    ///
    /// # Errors
    /// Weights that do not make a network, and a shortlist that cannot be used.
    pub fn load(self, options: &LoadOptions) -> Result<Translator, LoadError> {
        let network_error = |source| LoadError::Network { file: self.files.model.name.clone(), source };
        let mut builder = options.network_builder();
        self.model.tensors(|name, tensor| builder.add(name, tensor).map_err(network_error))?;
        self.rest.assemble(self.files, self.model.config(), builder, options)
    }
}

/// Reads a vocabulary and checks that it is the one of a `model` that was trained with `expected` pieces.
pub(super) fn vocabulary(file: &NamedBytes, model: &str, expected: usize) -> Result<Vocabulary, LoadError> {
    let vocabulary = Vocabulary::from_bytes(&file.name, &decompressed(&file.name, &file.bytes)?)?;
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

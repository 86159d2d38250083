//! From a package, while it arrives, to a translator.

use super::load::{LoadError, LoadOptions, Pieces};
use super::translator::Translator;
use crate::model::package::{Event, Header, Reader, Side};
use crate::model::{Config, Error, NamedBytes, Shortlist, Vocabularies};
use crate::nn::NetworkBuilder;
use crate::text::segment::Language;
use crate::text::vocab::Vocabulary;

/// Builds a translator from a package's bytes as they come, in pieces of any size.
///
/// Each tensor is unpacked and laid out for the kernels as soon as its section is complete, and the section's bytes are
/// dropped: the compressed package is never held as a whole, and almost nothing is left to do after the last byte.
///
/// ```
/// # use wanderwort::model::package::{ConvertOptions, Parts, convert};
/// # use wanderwort::model::{MarianFiles, MarianModel, Weights};
/// use wanderwort::{LoadOptions, PackageLoader};
/// # let files = MarianFiles::read_folder("models/en-de.prototype".as_ref(), Weights::Int8)?;
/// # let model = MarianModel::open(&files.model.name, &files.model.bytes)?;
/// # let source_vocabulary = &files.source_vocabulary;
/// # let parts = Parts { model: &model, source_vocabulary, target_vocabulary: None, shortlist: None };
/// # let package = convert(&parts, &ConvertOptions::default(), |_| {})?;
///
/// let mut loader = PackageLoader::new("en-de.wanderwort", &LoadOptions::default());
/// for piece in package.chunks(10_000) {
///     loader.push(piece)?;
///     println!("{} of {:?} bytes", loader.taken(), loader.total());
/// }
/// let translator = loader.finish()?;
/// # assert_eq!(translator.info().source_pieces, 16_000);
/// # Ok::<(), wanderwort::LoadError>(())
/// ```
pub struct PackageLoader {
    file: String,
    options: LoadOptions,
    reader: Reader,
    parts: Option<Parts>,
}

impl std::fmt::Debug for PackageLoader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PackageLoader").field("file", &self.file).field("taken", &self.taken()).finish_non_exhaustive()
    }
}

/// What has arrived since the header.
struct Parts {
    config: Config,
    source_language: Language,
    length_factor: Option<f32>,
    builder: NetworkBuilder,
    source_vocabulary: Option<Vocabulary>,
    target_vocabulary: Option<Vocabulary>,
    shortlist: Option<Shortlist>,
}

impl PackageLoader {
    /// Starts without bytes; `file` stands in errors.
    pub fn new(file: &str, options: &LoadOptions) -> Self {
        Self { file: file.to_owned(), options: *options, reader: Reader::new(file), parts: None }
    }

    /// Takes the package's next bytes.
    ///
    /// # Errors
    /// See [`LoadError`]. After damage that a checksum shows, loading can go on with the bytes from [`rewind`](Self::rewind) on,
    /// fetched again.
    pub fn push(&mut self, bytes: &[u8]) -> Result<(), LoadError> {
        let Self { file, options, reader, parts } = self;
        reader.push(bytes, |event| match (event, &mut *parts) {
            (Event::Header(header, config), parts) => {
                *parts = Some(Parts::new(header, config, options));
                Ok(())
            }
            (event, Some(parts)) => parts.take(file, event),
            (_, None) => unreachable!("the header comes first"),
        })
    }

    /// What the package says about itself, once that has arrived.
    pub fn header(&self) -> Option<&Header> {
        self.reader.header()
    }

    /// The number of bytes taken so far.
    pub fn taken(&self) -> u64 {
        self.reader.taken()
    }

    /// The number of bytes that checksums have confirmed.
    pub fn good(&self) -> u64 {
        self.reader.good()
    }

    /// The package's length in bytes, once its header has arrived.
    pub fn total(&self) -> Option<u64> {
        self.reader.total()
    }

    /// Forgets the section under way, which no checksum has confirmed yet, and returns the offset of its first byte: the next
    /// one to push.
    pub fn rewind(&mut self) -> u64 {
        self.reader.rewind()
    }

    /// The translator, when all has arrived.
    ///
    /// # Errors
    /// A package that ended too early, or lacks what its architecture needs.
    pub fn finish(self) -> Result<Translator, LoadError> {
        self.reader.finish()?;
        let file = &self.file;
        let missing = |part| Error::Missing { place: file.clone(), part, advice: "convert the model again".to_owned() };
        let parts = self.parts.ok_or_else(|| missing("header"))?;
        let source_vocabulary = parts.source_vocabulary.ok_or_else(|| missing("source vocabulary"))?;
        let config = &parts.config;
        if parts.target_vocabulary.is_none() && source_vocabulary.len() != config.target_words {
            return Err(missing("target vocabulary").into());
        }
        if let Some(shortlist) = &parts.shortlist {
            let joint = parts.target_vocabulary.is_none();
            let expected = Vocabularies { source: config.source_words, target: config.target_words, joint };
            let found = shortlist.vocabularies();
            if found != expected {
                return Err(LoadError::ShortlistSizes { file: file.clone(), expected, found });
            }
        }
        let network = parts.builder.finish().map_err(|source| LoadError::Network { file: file.clone(), source })?;
        Ok(Translator::assemble(Pieces {
            network,
            source_vocabulary,
            target_vocabulary: parts.target_vocabulary,
            shortlist: parts.shortlist.filter(|_| self.options.shortlist),
            length_factor: parts.length_factor,
            source_language: parts.source_language,
        }))
    }
}

impl Parts {
    fn new(header: &Header, config: &Config, options: &LoadOptions) -> Self {
        Self {
            config: config.clone(),
            source_language: Language::from_tag(&header.card.source_language),
            length_factor: header.max_length_factor,
            builder: options.network_builder(config),
            source_vocabulary: None,
            target_vocabulary: None,
            shortlist: None,
        }
    }

    fn take(&mut self, file: &str, event: Event<'_>) -> Result<(), LoadError> {
        match event {
            Event::Header(..) => {}
            Event::Vocabulary { side, name, bytes } => {
                let target = side == Side::Target;
                let words = if target { self.config.target_words } else { self.config.source_words };
                let named = NamedBytes { name: format!("{file}: {name}"), bytes };
                let vocabulary = super::load::vocabulary(&named, file, words)?;
                *if target { &mut self.target_vocabulary } else { &mut self.source_vocabulary } = Some(vocabulary);
            }
            Event::Shortlist(shortlist) => self.shortlist = Some(shortlist),
            Event::Tensor { name, tensor } => {
                self.builder.add(name, tensor).map_err(|source| LoadError::Network { file: file.to_owned(), source })?
            }
        }
        Ok(())
    }
}

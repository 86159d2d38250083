//! From a package, while it arrives, to a translator.

use super::load::{LoadError, LoadOptions, Pieces, stated};
use super::target_mark;
use super::translator::Translator;
use crate::model::package::{Content, Event, Header, PackedSection, Reader, Side, Whole};
use crate::model::{Config, Decoding, Error, NamedBytes, Shortlist, Vocabularies};
use crate::nn::NetworkBuilder;
use crate::text::language::Language;
use crate::text::vocab::Vocabulary;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};

/// This many bytes of sections may wait for the pool; beyond that, whoever brings more helps unpack.
const MOST_WAITING: usize = 4 << 20;

/// Builds a translator from a package's bytes as they come, in pieces of any size.
///
/// Each tensor is unpacked and laid out for the kernels as soon as its section is complete, and the section's bytes are
/// dropped: the compressed package is never held as a whole, and almost nothing is left to do after the last byte. If the current
/// rayon pool has several threads, they unpack while the next bytes arrive.
///
/// ```
/// # use wanderwort::MarianSource;
/// # use wanderwort::model::package::ConvertOptions;
/// # use wanderwort::model::{MarianFiles, Weights};
/// use wanderwort::{LoadOptions, PackageLoader};
/// # let files = MarianFiles::read_folder("tests/data/en-de.prototype".as_ref(), Weights::Int8)?;
/// # let package = MarianSource::open(&files)?.convert(&ConvertOptions::default(), |_| {})?;
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
    unpacked: Arc<Unpacked>,
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
    target_language: Language,
    stated_languages: (Language, Language),
    decoding: Decoding,
    trusted_signs: Option<Box<[char]>>,
    builder: NetworkBuilder,
    source_vocabulary: Option<Vocabulary>,
    target_vocabulary: Option<Vocabulary>,
    shortlist: Option<Shortlist>,
}

impl PackageLoader {
    /// Starts without bytes; errors name `file`.
    pub fn new(file: &str, options: &LoadOptions) -> Self {
        Self { file: file.to_owned(), options: *options, reader: Reader::new(file), unpacked: Arc::default() }
    }

    /// Takes the package's next bytes.
    ///
    /// # Errors
    /// See [`LoadError`]. After damage that a checksum reveals, loading can go on if the bytes from [`rewind`](Self::rewind) on
    /// are fetched again.
    pub fn push(&mut self, bytes: &[u8]) -> Result<(), LoadError> {
        let Self { options, reader, unpacked, .. } = self;
        reader.push_packed(bytes, |whole| match whole {
            Whole::Header(header, config) => {
                unpacked.state().parts = Some(Parts::new(header, config, options));
                Ok(())
            }
            Whole::Section(section) => unpacked.add(section),
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

    /// The translator, when everything has arrived.
    ///
    /// # Errors
    /// A package that ended too early, or lacks what its architecture needs.
    pub fn finish(self) -> Result<Translator, LoadError> {
        self.reader.finish()?;
        let file = &self.file;
        let missing = |part| Error::Missing { place: file.clone(), part, advice: "convert the model again".to_owned() };
        let parts = self.unpacked.wait()?.ok_or_else(|| missing("header"))?;
        let source_vocabulary = parts.source_vocabulary.ok_or_else(|| missing("source vocabulary"))?;
        let config = &parts.config;
        if parts.target_vocabulary.is_none() && source_vocabulary.len() != config.target_words {
            return Err(missing("target vocabulary").into());
        }
        let sections = self.reader.header().map_or(&[][..], |header| &header.sections);
        if sections.iter().any(|s| matches!(s.content, Content::Shortlist { .. })) && parts.shortlist.is_none() {
            return Err(missing("shortlist").into());
        }
        if let Some(shortlist) = &parts.shortlist {
            let found = shortlist.vocabularies();
            let joint = match &parts.target_vocabulary {
                None => true,
                Some(target) => found.joint && target.has_words_of(&source_vocabulary),
            };
            let expected = Vocabularies { source: config.source_words, target: config.target_words, joint };
            if found != expected {
                return Err(LoadError::ShortlistSizes { file: file.clone(), expected, found });
            }
        }
        let token = self.options.target_token.as_ref();
        let (target_mark, target_language) = target_mark::find(file, &source_vocabulary, token, parts.target_language)?;
        let network =
            parts.builder.finish(&parts.config).map_err(|source| LoadError::Network { file: file.clone(), source })?;
        Ok(Translator::assemble(Pieces {
            network,
            source_vocabulary,
            target_vocabulary: parts.target_vocabulary,
            shortlist: parts.shortlist.filter(|_| self.options.shortlist),
            decoding: parts.decoding,
            trusted_signs: parts.trusted_signs,
            warnings: Vec::new(),
            source_language: parts.source_language,
            target_language,
            stated_languages: parts.stated_languages,
            target_mark,
            cache: self.options.cache,
        }))
    }
}

/// What has been unpacked so far, by any thread.
#[derive(Default)]
struct Unpacked {
    state: Mutex<State>,
    /// Signals that a section is done.
    done: Condvar,
}

#[derive(Default)]
struct State {
    parts: Option<Parts>,
    /// Sections that other threads have not unpacked yet, and their bytes.
    waiting: usize,
    waiting_bytes: usize,
    /// The first error.
    error: Option<LoadError>,
}

impl Unpacked {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Has the pool unpack a section, or does it here if the pool has only one thread or enough to do.
    fn add(self: &Arc<Self>, section: PackedSection<'_>) -> Result<(), LoadError> {
        let mut state = self.state();
        if let Some(error) = state.error.take() {
            return Err(error);
        }
        if rayon::current_num_threads() == 1 || state.waiting_bytes > MOST_WAITING {
            drop(state);
            return self.unpack(section);
        }
        state.waiting += 1;
        state.waiting_bytes += section.bytes.len();
        drop(state);
        let (unpacked, file, offset) = (Arc::clone(self), section.file.to_owned(), section.offset);
        let (content, bytes) = (section.content.clone(), section.bytes.to_vec());
        rayon::spawn(move || {
            let section = PackedSection { file: &file, offset, content: &content, bytes: &bytes };
            // A panic that leaves a task of the pool ends the program; the parts are not used after one.
            let result = catch_unwind(AssertUnwindSafe(|| unpacked.unpack(section)));
            let result = result.unwrap_or_else(|panic| {
                let reason = reason(&*panic);
                Err(LoadError::Unpacking { file, offset, reason })
            });
            unpacked.finish(bytes.len(), result);
        });
        Ok(())
    }

    /// Entropy decoding, which is most of the work, needs no lock.
    fn unpack(&self, section: PackedSection<'_>) -> Result<(), LoadError> {
        section.unpack(|event| match &mut self.state().parts {
            Some(parts) => parts.take(section.file, event),
            None => unreachable!("the header comes first"),
        })
    }

    /// Notes that another thread is done with a section of so many bytes.
    fn finish(&self, bytes: usize, result: Result<(), LoadError>) {
        let mut state = self.state();
        state.waiting -= 1;
        state.waiting_bytes -= bytes;
        if let Err(error) = result {
            state.error.get_or_insert(error);
        }
        drop(state);
        self.done.notify_all();
    }

    /// What there is once everything is unpacked.
    fn wait(&self) -> Result<Option<Parts>, LoadError> {
        let mut state = self.state();
        while state.waiting > 0 {
            drop(state);
            // A thread of the pool does the work that it waits for.
            let worked = rayon::yield_now() == Some(rayon::Yield::Executed);
            state = self.state();
            if !worked && state.waiting > 0 {
                let pause = std::time::Duration::from_millis(1);
                state = self.done.wait_timeout(state, pause).unwrap_or_else(std::sync::PoisonError::into_inner).0;
            }
        }
        match state.error.take() {
            Some(error) => Err(error),
            None => Ok(state.parts.take()),
        }
    }
}

/// What a panic said.
fn reason(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
    text.unwrap_or("a panic without a message").to_owned()
}

impl Parts {
    fn new(header: &Header, config: &Config, options: &LoadOptions) -> Self {
        let card = &header.card;
        let stated_languages = stated((Some(card.source_language.clone()), Some(card.target_language.clone())));
        let (source_language, target_language) = options.languages(stated_languages);
        Self {
            config: config.clone(),
            source_language,
            target_language,
            stated_languages,
            decoding: header.decoding,
            trusted_signs: header.signs.as_ref().map(|signs| signs.chars().collect()),
            builder: options.network_builder(),
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
                let vocabulary = super::source::vocabulary(&named, file, words)?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_in_the_pool_is_an_error_of_the_load() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        // No header has come, so the shortlist has no place.
        let unpacked = Arc::<Unpacked>::default();
        let content = Content::Tensors(vec![crate::model::package::Entry {
            name: "W".to_owned(),
            encoding: crate::model::package::Encoding::Float32,
            rows: 1,
            columns: 1,
            scales: 0,
            length: 4,
            error: None,
        }]);
        let section = PackedSection { file: "p", offset: 7, content: &content, bytes: &[0; 4] };
        let found = pool.install(|| {
            unpacked.add(section)?;
            unpacked.wait()
        });
        match found.map(|_| ()) {
            Err(LoadError::Unpacking { file, offset: 7, reason }) => {
                assert!(file == "p" && reason.contains("the header comes first"), "{reason}");
            }
            other => panic!("{other:?}"),
        }
    }
}

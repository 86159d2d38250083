//! Models in memory, each once.

use super::Engine;
use super::load::{LoadError, LoadOptions};
use super::translator::Translator;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, Weak};
use std::time::SystemTime;

/// Opens models so that each is in memory only once, however many translators use it: one that translates by itself and one that is half of
/// a [`Pivot`](super::pivot::Pivot), say. A model is freed with the last translator that uses it.
///
/// ```
/// use wanderwort::{LoadOptions, LoadedModels};
///
/// let models = LoadedModels::new();
/// let translator = models.open("models/en-de.tiny.wanderwort", &LoadOptions::default())?;
/// let again = models.open("models/en-de.tiny.wanderwort", &LoadOptions::default())?;
/// assert_eq!(models.len(), 1);
/// drop((translator, again));
/// assert!(models.is_empty());
/// # Ok::<(), wanderwort::LoadError>(())
/// ```
#[derive(Debug, Default)]
pub struct LoadedModels {
    known: Mutex<Vec<(Identity, Weak<Engine>)>>,
}

/// What makes two loaded models the same.
#[derive(Clone, Debug, PartialEq)]
struct Identity {
    path: PathBuf,
    /// Name, length and modification time of its files: a replaced file makes it another model.
    files: Vec<(PathBuf, u64, Option<SystemTime>)>,
    options: LoadOptions,
}

impl Identity {
    /// None if the files cannot be examined; loading says why.
    fn of(path: &Path, options: &LoadOptions) -> Option<Identity> {
        let path = path.canonicalize().ok()?;
        let mut paths = vec![path.clone()];
        if path.is_dir() {
            paths = path.read_dir().ok()?.flatten().map(|entry| entry.path()).collect();
            paths.sort();
        }
        let describe = |path: PathBuf| {
            let metadata = path.metadata().ok()?;
            Some((path, metadata.len(), metadata.modified().ok()))
        };
        Some(Identity {
            path,
            files: paths.into_iter().map(describe).collect::<Option<_>>()?,
            options: LoadOptions { cache: 0, ..*options },
        })
    }
}

impl LoadedModels {
    /// None so far.
    pub const fn new() -> LoadedModels {
        LoadedModels { known: Mutex::new(Vec::new()) }
    }

    /// Opens a package or a folder of Marian's files as [`Translator::open`] does, or takes the model in memory that was loaded from the same
    /// files with the same options. Each translator has its own cache.
    ///
    /// # Errors
    /// See [`LoadError`].
    pub fn open(&self, path: impl AsRef<Path>, options: &LoadOptions) -> Result<Translator, LoadError> {
        let path = path.as_ref();
        let Some(identity) = Identity::of(path, options) else { return Translator::open(path, options) };
        if let Some(engine) = self.find(&identity) {
            return Ok(Translator { engine, cache: None }.with_cache(options.cache));
        }
        let loaded = Translator::open(path, options)?;
        Ok(self.keep(identity, loaded))
    }

    /// Number of models in memory.
    pub fn len(&self) -> usize {
        let known = self.known.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        known.iter().filter(|(_, engine)| engine.strong_count() > 0).count()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn find(&self, identity: &Identity) -> Option<Arc<Engine>> {
        // A held lock is not waited for: after a fork there may be nobody left to release it. The model is then loaded once more.
        let known = self.known.try_lock().ok()?;
        known.iter().find(|(other, _)| other == identity).and_then(|(_, engine)| engine.upgrade())
    }

    /// Remembers a model; returns another thread's if that came first.
    fn keep(&self, identity: Identity, loaded: Translator) -> Translator {
        let Ok(mut known) = self.known.try_lock() else { return loaded };
        known.retain(|(_, engine)| engine.strong_count() > 0);
        let first = known.iter().find(|(other, _)| *other == identity).and_then(|(_, engine)| engine.upgrade());
        match first {
            Some(engine) => Translator { engine, ..loaded },
            None => {
                known.push((identity, Arc::downgrade(&loaded.engine)));
                loaded
            }
        }
    }
}

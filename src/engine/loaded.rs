//! Models in memory, each once.

use super::Engine;
use super::load::{LoadError, LoadOptions};
use super::translator::Translator;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, Weak};
use std::time::SystemTime;

/// Opens models, each of which is in memory once however many translators use it: one that translates by itself and one that is a half of a
/// [`Pivot`](super::pivot::Pivot), say. A model goes with the last translator that uses it.
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
    /// Name, length and time of change of its files: one that was replaced is another one.
    files: Vec<(PathBuf, u64, Option<SystemTime>)>,
    options: LoadOptions,
}

impl Identity {
    /// None if the files cannot be looked at; loading says why.
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

    /// The model of a package or a folder of Marian's files as [`Translator::open`] loads it, or the one in memory that was loaded from the same
    /// files with the same options; a cache is each translator's own.
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

    /// How many there are.
    pub fn len(&self) -> usize {
        let known = self.known.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        known.iter().filter(|(_, engine)| engine.strong_count() > 0).count()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn find(&self, identity: &Identity) -> Option<Arc<Engine>> {
        // A lock that somebody holds is not waited for: after a fork nobody may be there to release it. The model is then loaded once more.
        let known = self.known.try_lock().ok()?;
        known.iter().find(|(other, _)| other == identity).and_then(|(_, engine)| engine.upgrade())
    }

    /// Remembers a model; gives back another thread's that has come first.
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

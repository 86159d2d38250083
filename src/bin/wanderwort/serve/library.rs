//! The server's models: loaded when they are wanted, and unloaded, least recently used first, when another needs the room.

use super::error::ServeError;
use super::languages::{self, Detected};
use super::metrics::Metrics;
use super::scheduler::Scheduler;
use crate::model::{LanguageArguments, RunArguments};
use crate::models::resolve::Found;
use crate::streams::tell;
use anyhow::{Result, bail};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{Mutex as AsyncMutex, Notify, OwnedMutexGuard};
use wanderwort::model::catalogue::{Route, same_language};
use wanderwort::{Language, Pivot, Translate, Translator};

/// A model that can be loaded.
#[derive(Clone, Debug)]
struct Entry {
    path: PathBuf,
    /// BCP 47 tags.
    source: String,
    target: String,
}

/// A model in memory.
struct Loaded {
    translator: Translator,
    bytes: u64,
    /// When it was used last, as a count of uses.
    used: u64,
    /// Requests that use it.
    users: usize,
}

#[derive(Default)]
struct State {
    loaded: BTreeMap<usize, Loaded>,
    uses: u64,
    /// Bytes that models took when they were loaded.
    sizes: BTreeMap<usize, u64>,
    /// Somebody is waiting for room: newcomers must not keep models busy.
    is_crowded: bool,
}

/// All models.
pub struct Library {
    entries: Vec<Entry>,
    run: RunArguments,
    budget: u64,
    state: Mutex<State>,
    /// One model is loaded at a time. Whoever loads holds this until the model is here, even if nobody waits for it any longer: then it
    /// serves the next request.
    loading: Arc<AsyncMutex<()>>,
    released: Notify,
    scheduler: Scheduler,
    metrics: Arc<Metrics>,
}

/// Models in use; they stay in memory until this is dropped.
pub struct Lease {
    library: Arc<Library>,
    /// The models' numbers.
    pub models: Vec<usize>,
    /// What translates.
    pub translator: Arc<dyn Translate>,
    /// BCP 47 tags of the languages.
    pub source: String,
    pub target: String,
}

impl Drop for Lease {
    fn drop(&mut self) {
        let mut state = self.library.state();
        for model in &self.models {
            if let Some(loaded) = state.loaded.get_mut(model) {
                loaded.users -= 1;
            }
        }
        drop(state);
        self.library.released.notify_one();
    }
}

/// Bytes of a file, or of the files in a folder.
fn size_on_disk(path: &Path) -> u64 {
    let files = std::fs::read_dir(path).map(|entries| entries.flatten().map(|entry| entry.path()).collect());
    let files: Vec<PathBuf> = files.unwrap_or_else(|_| vec![path.to_owned()]);
    files.iter().filter_map(|file| file.metadata().ok()).filter(|file| file.is_file()).map(|file| file.len()).sum()
}

impl Library {
    /// The models that are given, which are loaded once to learn their languages, or else those that are installed.
    pub fn open(
        given: &[Found],
        installed: impl FnOnce() -> Result<Vec<Found>>,
        run: RunArguments,
        budget: u64,
        scheduler: Scheduler,
        metrics: Arc<Metrics>,
    ) -> Result<Library> {
        let mut library = Library {
            entries: Vec::new(),
            run,
            budget,
            state: Mutex::default(),
            loading: Arc::default(),
            released: Notify::new(),
            scheduler,
            metrics,
        };
        for Found { path, source, target } in given {
            let translator = library.read(path, source.clone(), target.clone())?;
            let languages = LanguageArguments { from: source.clone(), to: target.clone(), target_token: None };
            languages.check(path, &translator, ["the pair in front"; 2])?;
            let (source, target) = (translator.source_language(), translator.target_language());
            if source == Language::UNKNOWN || target == Language::UNKNOWN {
                let path = path.display();
                bail!("{path} does not tell its languages; `--model FROM-TO={path}` does, such as en-de={path}");
            }
            let model = library.entries.len();
            let [source, target] = [source, target].map(|language| language.tag().to_owned());
            library.entries.push(Entry { path: path.clone(), source, target });
            library.make_room(translator.info().weight_bytes as u64);
            library.insert(model, translator);
        }
        if given.is_empty() {
            for found in installed()? {
                let (source, target) = (found.source.unwrap_or_default(), found.target.unwrap_or_default());
                library.entries.push(Entry { path: found.path, source, target });
            }
        }
        if library.entries.is_empty() {
            bail!("no model is installed; `wanderwort models install en-de` fetches one, or --model PATH gives one");
        }
        Ok(library)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn find_route(&self, source: &str, target: &str) -> Option<Vec<usize>> {
        let models = self.entries.iter().enumerate();
        let route = Route::find(models, source, target, |(_, entry)| (entry.source.as_str(), entry.target.as_str()))?;
        Some(route.models().into_iter().map(|(model, _)| model).collect())
    }

    /// The languages that can be translated from, in the order of the models.
    pub fn sources(&self) -> Vec<&str> {
        distinct(self.entries.iter().map(|entry| entry.source.as_str()))
    }

    /// The languages that can be translated to, from any or from one.
    pub fn targets(&self, source: Option<&str>) -> Vec<&str> {
        let targets = distinct(self.entries.iter().map(|entry| entry.target.as_str()));
        match source {
            None => targets,
            Some(source) => targets.into_iter().filter(|target| self.find_route(source, target).is_some()).collect(),
        }
    }

    /// All languages.
    pub fn tags(&self) -> Vec<&str> {
        distinct(self.sources().into_iter().chain(self.targets(None)))
    }

    /// Which of the models' languages each text is in, for texts that come together.
    pub fn detect(&self, texts: &[&str]) -> Vec<Detected> {
        detected(texts, &self.tags())
    }

    /// The same, of those that can be translated to the target, and the target itself; of all, if there are none.
    pub fn detect_for(&self, texts: &[&str], target: &str) -> Vec<Detected> {
        let mut tags = self.tags();
        let is_source = |tag: &&str| self.find_route(tag, target).is_some();
        if tags.iter().any(is_source) {
            tags.retain(|tag| same_language(tag, target) || is_source(tag));
        }
        detected(texts, &tags)
    }

    /// The language pairs, in words.
    fn pairs(&self) -> String {
        let pairs = self.entries.iter().map(|entry| format!("{} to {}", entry.source, entry.target));
        pairs.collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>().join(", ")
    }

    /// What translates from one language to another, if it is loaded and nobody waits for room.
    pub fn lease_at_once(self: &Arc<Self>, source: &str, target: &str) -> Result<Option<Lease>, ServeError> {
        self.take(&self.route(source, target)?, false)
    }

    /// Loads what translates from one language to another, unless it is loaded, and keeps it in memory. Nobody who holds a lease may wait for
    /// another: it may be the one that leaves no room.
    pub async fn lease(self: &Arc<Self>, source: &str, target: &str) -> Result<Lease, ServeError> {
        let models = self.route(source, target)?;
        if let Some(lease) = self.take(&models, false)? {
            return Ok(lease);
        }
        let mut loading = Arc::clone(&self.loading).lock_owned().await;
        let _crowded = Crowded(self);
        loop {
            if let Some(lease) = self.take(&models, true)? {
                return Ok(lease);
            }
            let missing = models.iter().copied().find(|model| !self.state().loaded.contains_key(model));
            let Some(model) = missing else { continue };
            let needed = self.expected_size(model);
            // What this request has loaded already must not be dropped for what it needs next.
            self.touch(&models);
            while !self.make_room_beside(needed, &models) {
                self.state().is_crowded = true;
                self.released.notified().await;
            }
            loading = self.load(model, loading).await?;
        }
    }

    /// The models that translate from one language to another.
    fn route(&self, source: &str, target: &str) -> Result<Vec<usize>, ServeError> {
        let short = |tag: &str| tag.chars().take(40).collect::<String>();
        self.find_route(source, target).ok_or_else(|| ServeError::Pair {
            source_tag: short(source),
            target_tag: short(target),
            known: self.pairs(),
        })
    }

    /// The models, if all are loaded.
    fn take(self: &Arc<Self>, models: &[usize], is_loader: bool) -> Result<Option<Lease>, ServeError> {
        let mut state = self.state();
        let is_there = models.iter().all(|model| state.loaded.contains_key(model));
        if !is_there || (state.is_crowded && !is_loader) {
            return Ok(None);
        }
        state.uses += 1;
        let used = state.uses;
        let mut translators = Vec::new();
        for model in models {
            let loaded = state.loaded.get_mut(model).expect("all are there");
            loaded.users += 1;
            loaded.used = used;
            translators.push(loaded.translator.clone());
        }
        drop(state);
        let translator: Arc<dyn Translate> = match <[Translator; 2]>::try_from(translators) {
            Ok([first, second]) => Arc::new(Pivot::new(first, second).map_err(|_| ServeError::Engine)?),
            Err(mut translators) => Arc::new(translators.pop().ok_or(ServeError::Engine)?),
        };
        let (first, last) = (&self.entries[models[0]], &self.entries[models[models.len() - 1]]);
        let (source, target) = (first.source.clone(), last.target.clone());
        Ok(Some(Lease { library: Arc::clone(self), models: models.to_vec(), translator, source, target }))
    }

    fn touch(&self, models: &[usize]) {
        let mut state = self.state();
        state.uses += 1;
        let used = state.uses;
        for model in models {
            if let Some(loaded) = state.loaded.get_mut(model) {
                loaded.used = used;
            }
        }
    }

    /// Bytes that a model will take: what it took before, or else a guess from its files, which may be packed.
    fn expected_size(&self, model: usize) -> u64 {
        let known = self.state().sizes.get(&model).copied();
        known.unwrap_or_else(|| size_on_disk(&self.entries[model].path) * 5 / 2)
    }

    fn make_room(&self, needed: u64) -> bool {
        self.make_room_beside(needed, &[])
    }

    /// Drops unused models, least recently used first, until there is room; false if those in use leave none. A model that is alone with those
    /// it works with always has room.
    fn make_room_beside(&self, needed: u64, kept: &[usize]) -> bool {
        let mut state = self.state();
        loop {
            let taken: u64 = state.loaded.values().map(|loaded| loaded.bytes).sum();
            let others = state.loaded.iter().filter(|(model, _)| !kept.contains(model));
            if taken + needed <= self.budget || others.clone().next().is_none() {
                return true;
            }
            let idle = others.filter(|(_, loaded)| loaded.users == 0);
            let Some(model) = idle.min_by_key(|(_, loaded)| loaded.used).map(|(model, _)| *model) else {
                return false;
            };
            state.loaded.remove(&model);
            self.scheduler.forget(model);
            self.report(&state);
        }
    }

    /// Loads a model, and gives back what says that this is being done.
    async fn load(
        self: &Arc<Self>,
        model: usize,
        loading: OwnedMutexGuard<()>,
    ) -> Result<OwnedMutexGuard<()>, ServeError> {
        let library = Arc::clone(self);
        let Entry { path, source, target } = self.entries[model].clone();
        let load = move || -> Result<OwnedMutexGuard<()>> {
            let translator = library.read(&path, Some(source), Some(target))?;
            library.insert(model, translator);
            Ok(loading)
        };
        match tokio::task::spawn_blocking(load).await {
            Ok(Ok(loading)) => Ok(loading),
            failed => {
                if let Ok(Err(error)) = failed {
                    tell!("wanderwort: {error:#}");
                }
                let Entry { source, target, .. } = &self.entries[model];
                Err(ServeError::Load { source_tag: source.clone(), target_tag: target.clone() })
            }
        }
    }

    fn read(&self, path: &Path, from: Option<String>, to: Option<String>) -> Result<Translator> {
        RunArguments { languages: LanguageArguments { from, to, target_token: None }, ..self.run.clone() }.open(path)
    }

    fn insert(&self, model: usize, translator: Translator) {
        let bytes = translator.info().weight_bytes as u64;
        let mut state = self.state();
        state.uses += 1;
        let used = state.uses;
        state.sizes.insert(model, bytes);
        state.loaded.insert(model, Loaded { translator, bytes, used, users: 0 });
        self.metrics.loads.inc();
        self.report(&state);
    }

    fn report(&self, state: &State) {
        self.metrics.models.set(state.loaded.len() as i64);
        self.metrics.model_bytes.set(state.loaded.values().map(|loaded| loaded.bytes as i64).sum());
    }
}

/// Once this is dropped, nobody waits for room any longer.
struct Crowded<'a>(&'a Library);

impl Drop for Crowded<'_> {
    fn drop(&mut self) {
        self.0.state().is_crowded = false;
    }
}

/// Which of these languages, of which there is at least one, each text is in.
fn detected(texts: &[&str], tags: &[&str]) -> Vec<Detected> {
    languages::detect_all(texts, tags).into_iter().map(|found| found.expect("there is a language")).collect()
}

fn distinct<'a>(tags: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut distinct: Vec<&str> = Vec::new();
    for tag in tags {
        if distinct.iter().all(|other| !same_language(other, tag)) {
            distinct.push(tag);
        }
    }
    distinct
}

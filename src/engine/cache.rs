//! A cache of sentences' translations, since pages, forms and logs say the same things again and again.
//!
//! A translation depends on nothing but the sentence, the words that its line allows, its limits and the search, which are its [`Key`]; so a
//! cached one is the one that would be found again. No more sentences are kept than
//! were asked for, rounded up to an even number: whenever half of them are new, those not looked up since the last such time are dropped.

use super::beam::Settings;
use super::worker::{Hypothesis, Job};
use std::collections::HashMap;
#[cfg(not(target_arch = "wasm32"))]
use std::sync::TryLockError;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Everything that a translation depends on, besides the model.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    source: Vec<u32>,
    candidates: Arc<[u32]>,
    limit: usize,
    prefix: Vec<u32>,
    search: Search,
}

impl Key {
    pub fn new(job: &Job, search: Search) -> Self {
        let Job { source, candidates, limit, prefix, .. } = job;
        Self {
            source: source.clone(),
            candidates: Arc::clone(candidates),
            limit: *limit,
            prefix: prefix.clone(),
            search,
        }
    }
}

/// How a translation is searched for, and what is reported of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Search {
    /// Whether a beam searches, which ranks what it finds.
    beam: bool,
    width: usize,
    recombination: usize,
    /// The bits of floats, which are `Eq` where floats are not.
    ranking: [u32; 3],
    first_word: bool,
    branches: bool,
    attention: bool,
    /// Whether there are log-probabilities.
    scores: bool,
}

impl Search {
    /// `beam` tells which of the searches it is. A beam's has log-probabilities whether `scores` were asked for or not.
    pub fn new(settings: &Settings, beam: bool, scores: bool) -> Self {
        let Settings { width, normalize, word_penalty, threshold, recombination, first_word, branches, attention } =
            *settings;
        let ranking = [normalize, word_penalty, threshold].map(f32::to_bits);
        let scores = scores || beam;
        Self { beam, width, recombination, ranking, first_word, branches, attention, scores }
    }
}

/// The cache, see the module.
#[derive(Debug)]
pub struct Cache {
    /// Number of sentences in a generation.
    half: usize,
    generations: Mutex<Generations>,
    /// The process that made it.
    #[cfg(not(target_arch = "wasm32"))]
    process: u32,
}

#[derive(Debug, Default)]
struct Generations {
    /// What was found or looked up recently.
    recent: HashMap<Key, Vec<Hypothesis>>,
    /// The generation before.
    older: HashMap<Key, Vec<Hypothesis>>,
}

impl Cache {
    /// A cache that keeps this many sentences, or one more; none if that is 0.
    pub fn of(sentences: usize) -> Option<Arc<Self>> {
        (sentences > 0).then(|| {
            Arc::new(Self {
                half: sentences.div_ceil(2),
                generations: Mutex::default(),
                #[cfg(not(target_arch = "wasm32"))]
                process: std::process::id(),
            })
        })
    }

    /// How many sentences it keeps at most.
    pub fn capacity(&self) -> usize {
        2 * self.half
    }

    /// What was found for a sentence.
    pub fn get(&self, key: &Key) -> Option<Vec<Hypothesis>> {
        let mut generations = self.generations()?;
        if let Some(found) = generations.recent.get(key) {
            return Some(found.clone());
        }
        let (key, found) = generations.older.remove_entry(key)?;
        generations.keep(self.half, key, found.clone());
        Some(found)
    }

    /// Keeps what was found for a sentence.
    pub fn insert(&self, key: Key, found: Vec<Hypothesis>) {
        if let Some(mut generations) = self.generations() {
            generations.keep(self.half, key, found);
        }
    }

    /// What is kept, if it can be had: a process that was forked while a thread of its parent held the lock has nobody who would release it, so
    /// it does not wait.
    fn generations(&self) -> Option<MutexGuard<'_, Generations>> {
        #[cfg(not(target_arch = "wasm32"))]
        if std::process::id() != self.process {
            return match self.generations.try_lock() {
                Err(TryLockError::WouldBlock) => None,
                Ok(generations) => Some(generations),
                Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            };
        }
        Some(self.generations.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Generations {
    fn keep(&mut self, half: usize, key: Key, found: Vec<Hypothesis>) {
        if self.recent.len() == half {
            self.older = std::mem::take(&mut self.recent);
        }
        self.recent.insert(key, found);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(number: u32) -> Key {
        let source = vec![number];
        let job = Job { request: 0, index: 0, source, candidates: Arc::from([]), limit: 1, prefix: Vec::new() };
        Key::new(&job, Search::new(&settings(), false, false))
    }

    fn settings() -> Settings {
        Settings {
            width: 1,
            normalize: 1.0,
            word_penalty: 0.0,
            threshold: f32::INFINITY,
            recombination: 0,
            first_word: true,
            branches: false,
            attention: false,
        }
    }

    fn found(number: u32) -> Vec<Hypothesis> {
        vec![Hypothesis { words: vec![number], ..Hypothesis::default() }]
    }

    #[test]
    fn a_beam_finds_the_same_whether_scores_are_asked_for_or_not() {
        let settings = settings();
        let [plain, scored] = [false, true].map(|scores| Search::new(&settings, true, scores));
        assert_eq!(plain, scored);
        // A greedy search has scores only if they were asked for, and ranks nothing.
        let greedy = [false, true].map(|scores| Search::new(&settings, false, scores));
        assert!(greedy[0] != greedy[1] && !greedy.contains(&plain));
    }

    #[test]
    fn no_more_is_kept_than_was_asked_for() {
        let cache = Cache::of(10).unwrap();
        for number in 0..1000 {
            cache.insert(key(number), found(number));
            // One that is asked for again and again stays.
            assert_eq!(cache.get(&key(0)), Some(found(0)), "{number}");
        }
        let kept: Vec<u32> = (0..1000).filter(|&number| cache.get(&key(number)).is_some()).collect();
        assert!((5..=cache.capacity()).contains(&kept.len()) && kept.contains(&999), "{kept:?}");
        let generations = cache.generations.lock().unwrap();
        assert!(generations.recent.len() + generations.older.len() <= 10);
        assert!(Cache::of(0).is_none());
    }

    #[test]
    fn a_forked_process_waits_for_no_thread_of_its_parent() {
        let of = |process| Cache { half: 5, generations: Mutex::default(), process };
        let forked = of(std::process::id().wrapping_add(1));
        forked.insert(key(1), found(1));
        assert_eq!(forked.get(&key(1)), Some(found(1)));
        let held = forked.generations.lock().unwrap();
        forked.insert(key(2), found(2));
        assert_eq!(forked.get(&key(1)), None);
        drop(held);
        assert_eq!((forked.get(&key(1)), forked.get(&key(2))), (Some(found(1)), None));
    }
}

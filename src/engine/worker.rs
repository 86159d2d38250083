//! What a search works on and what it finds; [`greedy`](super::greedy) and [`beam`](super::beam) search.

use crate::nn::Ensemble;
use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

/// A sentence to translate.
#[derive(Clone, Debug)]
pub struct Job {
    /// Which request the sentence belongs to; results carry it back.
    pub request: u64,
    /// Which sentence of the request.
    pub index: usize,
    /// Source pieces with the end mark.
    pub source: Vec<u32>,
    /// Target words that may be chosen besides the head of the vocabulary; ascending, none of them in the head.
    pub candidates: Arc<[u32]>,
    /// Maximum number of target pieces, the end mark included.
    pub limit: usize,
    /// Target pieces that the translation begins with, each of them among those that may be chosen.
    pub prefix: Vec<u32>,
}

/// A finished translation of one sentence.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hypothesis {
    /// Target pieces without the end mark.
    pub words: Vec<u32>,
    /// For each word, the source piece it was aligned to: the one the alignment head looked at most.
    pub alignment: Vec<usize>,
    /// For each word, what the alignment head looked at: a weight for each source piece and the end mark; empty unless asked for.
    pub attention: Vec<Vec<f32>>,
    /// For each word and the end mark, the natural-log probability. A beam search, which ranks by them, always gives them; a greedy one if they
    /// were asked for.
    pub log_probabilities: Vec<f32>,
    /// What hypotheses are ranked by: the sum of the log-probabilities, divided as the options say. 0 after a greedy search.
    pub score: f32,
}

/// A sentence and its translations, the best first, at least one.
pub type Found = (Job, Vec<Hypothesis>);

/// One thread's search: sentences come and go at any step.
pub trait Worker: Debug + Send {
    /// Number of sentences at work.
    fn active(&self) -> usize;

    /// Encodes sentences and starts to search for their translations.
    fn admit(&mut self, ensemble: &Ensemble, jobs: &mut dyn Iterator<Item = Job>);

    /// One step of every sentence. Those that end leave and go to `finished`.
    fn step(&mut self, ensemble: &Ensemble, finished: &mut Vec<Found>);

    /// Drops the sentences of `request`.
    fn cancel(&mut self, request: u64);

    /// Measures from now on where the time goes.
    fn start_profile(&mut self);

    /// What was measured, if it was asked for.
    fn profile(&self) -> Option<Profile>;
}

/// Time spent by part, for benchmarks.
#[derive(Clone, Copy, Debug, Default)]
pub struct Profile {
    /// Encoding, and the keys and values for the decoder.
    pub encode: Duration,
    /// Decoder layers.
    pub decode: Duration,
    /// Output layer and choice of words.
    pub output: Duration,
    /// Gathering of shortlisted columns.
    pub shortlist: Duration,
}

impl Profile {
    /// Adds another thread's times.
    pub fn add(&mut self, other: &Profile) {
        self.encode += other.encode;
        self.decode += other.decode;
        self.output += other.output;
        self.shortlist += other.shortlist;
    }
}

/// A stopwatch that runs if a [`Profile`] was asked for.
#[derive(Debug, Default)]
pub struct Watch {
    profile: Option<Profile>,
}

impl Watch {
    /// Measures from now on.
    pub fn start(&mut self) {
        self.profile = Some(Profile::default());
    }

    /// What was measured.
    pub fn profile(&self) -> Option<Profile> {
        self.profile
    }

    /// Now, if there is something to measure.
    pub fn now(&self) -> Option<Clock> {
        self.profile.is_some().then(Clock::now)
    }

    /// Adds the time since `since` to a part; returns the time now.
    pub fn note(&mut self, since: Option<Clock>, part: impl Fn(&mut Profile) -> &mut Duration) -> Option<Clock> {
        let now = self.now();
        if let (Some(profile), Some(since), Some(now)) = (&mut self.profile, since, now) {
            *part(profile) += now.since(since);
        }
        now
    }
}

/// A clock where the platform has one: WebAssembly without bindings has none, and profiles stay empty there.
#[derive(Clone, Copy, Debug)]
pub struct Clock(#[cfg(not(target_arch = "wasm32"))] std::time::Instant);

impl Clock {
    fn now() -> Self {
        Self(
            #[cfg(not(target_arch = "wasm32"))]
            std::time::Instant::now(),
        )
    }

    #[cfg(not(target_arch = "wasm32"))]
    fn since(self, earlier: Self) -> Duration {
        self.0 - earlier.0
    }

    #[cfg(target_arch = "wasm32")]
    fn since(self, _earlier: Self) -> Duration {
        Duration::ZERO
    }
}

/// Index of the first of the largest values.
pub fn index_of_largest(values: &[f32]) -> usize {
    let mut best = 0;
    for (index, value) in values.iter().enumerate() {
        if *value > values[best] {
            best = index;
        }
    }
    best
}

/// Where a word stands among the logits of a row: the vocabulary's first `head` words, then those of `tail`, which are in ascending order.
/// The word must be among them.
pub fn column_of(word: u32, head: usize, tail: &[u32]) -> usize {
    if (word as usize) < head { word as usize } else { head + tail.partition_point(|&other| other < word) }
}

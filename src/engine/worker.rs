//! Greedy search over rows that come and go.
//!
//! A worker's rows are slots: a sentence that ends leaves its slot at once and the next one takes it, so the products keep the
//! row counts at which they are fast and nothing waits for the longest sentence of a batch. No row's arithmetic depends
//! on another row.

use crate::kernels::gemm::Best;
use crate::nn::{Candidates, Choice, DecoderRows, Network, Previous, Workspace};
use std::sync::Arc;
use std::time::Duration;

/// A sentence to translate.
#[derive(Clone, Debug)]
pub struct Job {
    /// Whose sentence it is; results carry it back.
    pub request: u64,
    /// Which sentence of the request.
    pub index: usize,
    /// Source pieces with the end mark.
    pub source: Vec<u32>,
    /// Target words that may be chosen beside the head of the vocabulary; ascending, none of them in the head.
    pub candidates: Arc<[u32]>,
    /// Most target pieces, without the end mark.
    pub limit: usize,
}

/// A finished translation of one sentence.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hypothesis {
    /// Target pieces without the end mark.
    pub words: Vec<u32>,
    /// For each word the source piece it was aligned to: where the alignment head looked most.
    pub alignment: Vec<usize>,
    /// For each word and the end mark the natural-log probability, if asked for.
    pub log_probabilities: Vec<f32>,
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

#[derive(Debug)]
struct Slot {
    job: Job,
    hypothesis: Hypothesis,
    candidates: Candidates,
}

/// One thread's share of the work: its rows, and memory that is reused.
#[derive(Debug)]
pub struct Worker {
    /// Whether log-probabilities are wanted.
    scores: bool,
    /// Number of leading words of the vocabulary that every row may choose.
    head: usize,
    end_mark: u32,
    slots: Vec<Slot>,
    rows: DecoderRows,
    workspace: Workspace,
    spare: Vec<Candidates>,
    previous: Vec<Previous>,
    best: Vec<Best>,
    choices: Vec<Choice>,
    alignments: Vec<Vec<f32>>,
    ids: Vec<u32>,
    lengths: Vec<usize>,
    profile: Option<Profile>,
}

impl Worker {
    /// A worker for `network`: `head` words of the vocabulary are open to every row, `end_mark` ends a sentence.
    pub fn new(network: &Network, head: usize, end_mark: u32, scores: bool) -> Self {
        Self {
            scores,
            head,
            end_mark,
            slots: Vec::new(),
            rows: DecoderRows::new(network),
            workspace: Workspace::new(network.backend()),
            spare: Vec::new(),
            previous: Vec::new(),
            best: Vec::new(),
            choices: Vec::new(),
            alignments: Vec::new(),
            ids: Vec::new(),
            lengths: Vec::new(),
            profile: None,
        }
    }

    /// Measures from now on where the time goes.
    pub fn start_profile(&mut self) {
        self.profile = Some(Profile::default());
    }

    /// What was measured, if it was asked for.
    pub fn profile(&self) -> Option<Profile> {
        self.profile
    }

    /// Number of sentences at work.
    pub fn active(&self) -> usize {
        self.slots.len()
    }

    /// Encodes sentences and gives each a slot.
    pub fn admit(&mut self, network: &Network, jobs: impl IntoIterator<Item = Job>) {
        let clock = self.clock();
        self.ids.clear();
        self.lengths.clear();
        let first = self.slots.len();
        for job in jobs {
            self.ids.extend_from_slice(&job.source);
            self.lengths.push(job.source.len());
            let candidates = self.spare.pop().unwrap_or_else(|| Candidates::new(network));
            self.slots.push(Slot { job, hypothesis: Hypothesis::default(), candidates });
        }
        if self.lengths.is_empty() {
            return;
        }
        for slot in &mut self.slots[first..] {
            slot.candidates.set(network, &slot.job.candidates);
            self.previous.push(Previous { word: None, position: 0 });
        }
        let clock = self.note(clock, |profile| &mut profile.shortlist);
        network.encode(&self.ids, &self.lengths, &mut self.workspace);
        self.rows.admit(network, &self.lengths, &mut self.workspace);
        self.note(clock, |profile| &mut profile.encode);
    }

    /// One step of every row. Sentences that ended leave their slots and go to `finished`.
    pub fn step(&mut self, network: &Network, finished: &mut Vec<(Job, Hypothesis)>) {
        if self.slots.is_empty() {
            return;
        }
        let clock = self.clock();
        network.decode(&self.previous, &mut self.rows, Some(&mut self.alignments), &mut self.workspace);
        let clock = self.note(clock, |profile| &mut profile.decode);
        let candidates = || self.slots.iter().map(|slot| &slot.candidates);
        network.best_words(self.head, candidates(), &mut self.workspace, &mut self.best, &mut self.choices);
        if self.scores {
            network.score_words(self.head, candidates(), &mut self.workspace, &mut self.choices);
        }
        // From the last row on, so that the row that moves into a freed slot has been dealt with.
        for row in (0..self.slots.len()).rev() {
            let choice = self.choices[row];
            let slot = &mut self.slots[row];
            slot.hypothesis.log_probabilities.extend(choice.log_probability);
            if choice.word != self.end_mark {
                slot.hypothesis.words.push(choice.word);
                let probabilities = &self.alignments[row][..slot.job.source.len()];
                slot.hypothesis.alignment.push(index_of_largest(probabilities));
            }
            let position = self.previous[row].position + 1;
            self.previous[row] = Previous { word: Some(choice.word), position };
            if choice.word == self.end_mark || slot.hypothesis.words.len() >= slot.job.limit {
                finished.push(self.release(row));
            }
        }
        self.note(clock, |profile| &mut profile.output);
    }

    /// Drops the sentences of `request`.
    pub fn cancel(&mut self, request: u64) {
        for row in (0..self.slots.len()).rev() {
            if self.slots[row].job.request == request {
                self.release(row);
            }
        }
    }

    fn release(&mut self, row: usize) -> (Job, Hypothesis) {
        self.rows.swap_remove(row);
        self.previous.swap_remove(row);
        let slot = self.slots.swap_remove(row);
        self.spare.push(slot.candidates);
        (slot.job, slot.hypothesis)
    }

    fn clock(&self) -> Option<Clock> {
        self.profile.is_some().then(Clock::now)
    }

    fn note(&mut self, since: Option<Clock>, part: impl Fn(&mut Profile) -> &mut Duration) -> Option<Clock> {
        let now = self.clock();
        if let (Some(profile), Some(since), Some(now)) = (&mut self.profile, since, now) {
            *part(profile) += now.since(since);
        }
        now
    }
}

/// The first of the largest.
fn index_of_largest(values: &[f32]) -> usize {
    let mut best = 0;
    for (index, value) in values.iter().enumerate() {
        if *value > values[best] {
            best = index;
        }
    }
    best
}

/// A clock where the platform has one: WebAssembly without bindings has none, and profiles stay empty there.
#[derive(Clone, Copy, Debug)]
struct Clock(#[cfg(not(target_arch = "wasm32"))] std::time::Instant);

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

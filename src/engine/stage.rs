//! One model's part of a session: a queue of sentences by priority, and the workers that take from it a step at a time.

use super::Engine;
use super::cache::{Key, Search};
use super::queue::Queue;
use super::session::Pace;
use super::translator::{TranslateOptions, Translator};
use super::worker::{Found, Job, Worker};
use rayon::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

impl Pace {
    /// Rows that one worker has.
    fn slots(self) -> usize {
        match self {
            // Enough for the kernels to be fast, few enough that a step takes a few milliseconds and what comes next does not wait long.
            Pace::Interactive => 16,
            Pace::Throughput => super::working_set::ROWS,
        }
    }

    /// Maximum number of source pieces encoded in one step, for the same reasons.
    fn pieces_per_step(self) -> usize {
        match self {
            Pace::Interactive => 128,
            Pace::Throughput => super::batch::PIECES_PER_ENCODING,
        }
    }

    /// How often a worker takes sentences in one step. Workers wait for each other at its end, so less time is lost the longer the step is, but
    /// finished sentences wait for its end, too.
    fn rounds(self) -> usize {
        match self {
            Pace::Interactive => 1,
            Pace::Throughput => 4,
        }
    }

    /// How many of the `slots` sentences that a worker may have must be free before new ones are taken.
    fn least_group(self, slots: usize) -> usize {
        match self {
            Pace::Interactive => 1,
            Pace::Throughput => slots.div_ceil(4),
        }
    }
}

/// Number of decoder steps before a worker takes sentences again.
const DECODER_STEPS: usize = 4;

/// Waiting sentences, and the workers that serve them, one for each thread of the current rayon pool.
#[derive(Debug)]
pub struct Stage {
    translator: Translator,
    pace: Pace,
    /// Maximum number of sentences that one worker has.
    slots: usize,
    workers: Vec<Box<dyn Worker>>,
    queue: Queue,
    /// How the workers search.
    search: Search,
    /// Sentences whose translations were already there.
    known: Vec<Found>,
    /// Whether the last step only handed out such sentences.
    rested: bool,
}

impl Stage {
    pub fn new(translator: &Translator, options: &TranslateOptions, pace: Pace) -> Self {
        let engine = &translator.engine;
        let workers = (0..rayon::current_num_threads().max(1)).map(|_| engine.new_worker(options)).collect();
        let (slots, search) = (engine.sentences_in(pace.slots(), options), engine.search_key(options));
        Self {
            translator: translator.clone(),
            pace,
            slots,
            workers,
            queue: Queue::default(),
            search,
            known: Vec::new(),
            rested: false,
        }
    }

    /// The model.
    pub fn engine(&self) -> &Engine {
        &self.translator.engine
    }

    /// Adds a client's sentences, see [`Queue::add`]. Those that the cache knows do not wait.
    pub fn add(&mut self, client: u64, priority: i32, mut jobs: Vec<Job>) {
        if let Some(cache) = &self.translator.cache {
            let unknown = |job: Job| match cache.get(&Key::new(&job, self.search)) {
                Some(hypotheses) => {
                    self.known.push((job, hypotheses));
                    None
                }
                None => Some(job),
            };
            jobs = jobs.into_iter().filter_map(unknown).collect();
        }
        self.queue.add(client, priority, jobs);
    }

    /// Drops a request's sentences, even those that are being translated. Those that the cache knows may still be handed out.
    pub fn cancel(&mut self, request: u64) {
        self.queue.cancel(request);
        for worker in &mut self.workers {
            worker.cancel(request);
        }
    }

    /// Moves the sentences of a request that have not been started to another place in the queue.
    pub fn set_priority(&mut self, request: u64, priority: i32) {
        self.queue.set_priority(request, priority);
    }

    /// Works for a few milliseconds and returns the sentences that were finished. What the cache knows is there at once, but not two times in a
    /// row while others wait: who asks for the same again and again must not keep the workers from working.
    pub fn step(&mut self) -> Vec<Found> {
        let mut found = std::mem::take(&mut self.known);
        let has_work = self.queue.len() + self.active() > 0;
        self.rested = !(found.is_empty() || self.rested && has_work);
        if !self.rested {
            let new = self.work();
            if let Some(cache) = &self.translator.cache {
                for (job, hypotheses) in &new {
                    cache.insert(Key::new(job, self.search), hypotheses.clone());
                }
            }
            found.extend(new);
        }
        found
    }

    fn work(&mut self) -> Vec<Found> {
        // The same number for each worker, so that the load is even.
        let share = (self.queue.len() + self.active()).div_ceil(self.workers.len()).min(self.slots);
        let (pace, slots, ensemble) = (self.pace, self.slots, &self.translator.engine.ensemble);
        let queue = Mutex::new(&mut self.queue);
        let take = |active: usize| -> Vec<Job> {
            let mut group = Vec::new();
            if slots.saturating_sub(active) < pace.least_group(slots) {
                return group;
            }
            let mut queue = queue.lock().unwrap_or_else(PoisonError::into_inner);
            let mut pieces = 0;
            while active + group.len() < share && pieces < pace.pieces_per_step() {
                let Some(job) = queue.pop() else { break };
                pieces += job.source.len();
                group.push(job);
            }
            group
        };
        // The worker that is ready first ends the step for all, each after its current decoder step, so none waits long.
        let is_over = AtomicBool::new(false);
        let run = |worker: &mut Box<dyn Worker>| -> Vec<Found> {
            let mut finished = Vec::new();
            for _ in 0..pace.rounds() {
                worker.admit(ensemble, &mut take(worker.active()).into_iter());
                if worker.active() == 0 {
                    return finished;
                }
                for _ in 0..DECODER_STEPS {
                    worker.step(ensemble, &mut finished);
                    if is_over.load(Ordering::Relaxed) {
                        return finished;
                    }
                }
            }
            is_over.store(true, Ordering::Relaxed);
            finished
        };
        match &mut self.workers[..] {
            [worker] => run(worker),
            workers => workers.par_iter_mut().flat_map_iter(run).collect(),
        }
    }

    fn active(&self) -> usize {
        self.workers.iter().map(|worker| worker.active()).sum()
    }
}

//! One model's part of a session: a queue of sentences by priority, and the workers that take from it a step at a time.

use super::Engine;
use super::queue::Queue;
use super::session::Pace;
use super::translator::TranslateOptions;
use super::worker::{Found, Job, Worker};
use rayon::prelude::*;
use std::sync::Arc;

impl Pace {
    /// Rows that one worker has.
    fn slots(self) -> usize {
        match self {
            // Enough for the kernels to be fast, few enough that a step takes a few milliseconds and what comes next does not wait long.
            Pace::Interactive => 16,
            Pace::Throughput => super::batch::SLOTS,
        }
    }

    /// Most source pieces encoded in one step, for the same reasons.
    fn pieces_per_step(self) -> usize {
        match self {
            Pace::Interactive => 128,
            Pace::Throughput => super::batch::PIECES_PER_ENCODING,
        }
    }

    /// Of so many sentences that a worker may have, as many places must be free before new ones are taken.
    fn least_group(self, slots: usize) -> usize {
        match self {
            Pace::Interactive => 1,
            Pace::Throughput => slots.div_ceil(4),
        }
    }
}

/// Decoder steps in one step of the stage.
const DECODER_STEPS: usize = 4;

/// Sentences that wait, and the workers that serve them, one for each thread of the current rayon pool.
#[derive(Debug)]
pub struct Stage {
    engine: Arc<Engine>,
    pace: Pace,
    /// Sentences that one worker has at most.
    slots: usize,
    workers: Vec<Box<dyn Worker>>,
    queue: Queue,
}

impl Stage {
    pub fn new(engine: Arc<Engine>, options: &TranslateOptions, pace: Pace) -> Self {
        let workers = (0..rayon::current_num_threads().max(1)).map(|_| engine.new_worker(options)).collect();
        let slots = engine.sentences_in(pace.slots(), options);
        Self { engine, pace, slots, workers, queue: Queue::default() }
    }

    /// The model.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Adds a client's sentences, see [`Queue::add`].
    pub fn add(&mut self, client: u64, priority: i32, jobs: Vec<Job>) {
        self.queue.add(client, priority, jobs);
    }

    /// Drops a request's sentences, also those that are being translated.
    pub fn cancel(&mut self, request: u64) {
        self.queue.cancel(request);
        for worker in &mut self.workers {
            worker.cancel(request);
        }
    }

    /// Moves what has not been started of a request to another place in the queue.
    pub fn set_priority(&mut self, request: u64, priority: i32) {
        self.queue.set_priority(request, priority);
    }

    /// Works for a few milliseconds and returns the sentences that were finished.
    pub fn step(&mut self) -> Vec<Found> {
        let mut groups: Vec<Vec<Job>> = self.workers.iter().map(|_| Vec::new()).collect();
        // The emptiest worker takes first, so that the load is even.
        let mut order: Vec<usize> = (0..self.workers.len()).collect();
        order.sort_by_key(|&worker| self.workers[worker].active());
        let share = (self.queue.len() + self.active()).div_ceil(self.workers.len());
        let least = self.pace.least_group(self.slots);
        for worker in order {
            let mut pieces = 0;
            let active = self.workers[worker].active();
            let free = share.min(self.slots).saturating_sub(active);
            if self.slots.saturating_sub(active) < least {
                continue;
            }
            while groups[worker].len() < free && pieces < self.pace.pieces_per_step() {
                let Some(job) = self.queue.pop() else { break };
                pieces += job.source.len();
                groups[worker].push(job);
            }
        }
        let engine = &*self.engine;
        let run = |(worker, group): (&mut Box<dyn Worker>, Vec<Job>)| -> Vec<Found> {
            let mut finished = Vec::new();
            worker.admit(&engine.ensemble, &mut group.into_iter());
            for _ in 0..DECODER_STEPS {
                worker.step(&engine.ensemble, &mut finished);
            }
            finished
        };
        match &mut self.workers[..] {
            [worker] => run((worker, groups.pop().unwrap_or_default())),
            workers => workers.par_iter_mut().zip(groups).flat_map_iter(run).collect(),
        }
    }

    fn active(&self) -> usize {
        self.workers.iter().map(|worker| worker.active()).sum()
    }
}

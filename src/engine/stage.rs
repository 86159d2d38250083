//! One model's part of a session: a queue of sentences by priority, and the workers that take from it a step at a time.

use super::Engine;
use super::translator::TranslateOptions;
use super::worker::{Found, Job, Worker};
use rayon::prelude::*;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Sentences that one worker decodes side by side: enough rows for the kernels to be fast, few enough that a step takes a
/// few milliseconds and what comes next does not wait long.
const SLOTS: usize = 16;

/// Most source pieces encoded in one step, for the same reason.
const PIECES_PER_STEP: usize = 128;

/// Decoder steps in one step of the stage.
const DECODER_STEPS: usize = 4;

/// Sentences that wait, and the workers that serve them, one for each thread of the current rayon pool.
#[derive(Debug)]
pub struct Stage {
    engine: Arc<Engine>,
    options: TranslateOptions,
    workers: Vec<Box<dyn Worker>>,
    /// By priority (highest first), then by request, which count up, then by sentence.
    queue: BTreeMap<(Reverse<i32>, u64, usize), Job>,
}

impl Stage {
    pub fn new(engine: Arc<Engine>, options: &TranslateOptions) -> Self {
        let workers = (0..rayon::current_num_threads().max(1)).map(|_| engine.new_worker(options)).collect();
        Self { engine, options: *options, workers, queue: BTreeMap::new() }
    }

    /// The model.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Adds sentences. Higher priorities go first.
    pub fn add(&mut self, priority: i32, jobs: Vec<Job>) {
        self.queue.extend(jobs.into_iter().map(|job| ((Reverse(priority), job.request, job.index), job)));
    }

    /// Drops a request's sentences, also those that are being translated.
    pub fn cancel(&mut self, request: u64) {
        self.queue.retain(|(_, other, _), _| *other != request);
        for worker in &mut self.workers {
            worker.cancel(request);
        }
    }

    /// Moves what has not been started of a request to another place in the queue.
    pub fn set_priority(&mut self, request: u64, priority: i32) {
        let moved: Vec<_> = self.queue.keys().filter(|(_, other, _)| *other == request).copied().collect();
        for key in moved {
            if let Some(job) = self.queue.remove(&key) {
                self.queue.insert((Reverse(priority), key.1, key.2), job);
            }
        }
    }

    /// Works for a few milliseconds and returns the sentences that were finished.
    pub fn step(&mut self) -> Vec<Found> {
        let mut groups: Vec<Vec<Job>> = self.workers.iter().map(|_| Vec::new()).collect();
        // The emptiest worker takes first, so that the load is even.
        let mut order: Vec<usize> = (0..self.workers.len()).collect();
        order.sort_by_key(|&worker| self.workers[worker].active());
        let slots = self.engine.sentences_in(SLOTS, &self.options);
        let share = (self.queue.len() + self.active()).div_ceil(self.workers.len());
        for worker in order {
            let mut pieces = 0;
            let free = share.min(slots).saturating_sub(self.workers[worker].active());
            while groups[worker].len() < free && pieces < PIECES_PER_STEP {
                let Some((_, job)) = self.queue.pop_first() else { break };
                pieces += job.source.len();
                groups[worker].push(job);
            }
        }
        let engine = &*self.engine;
        let run = |(worker, group): (&mut Box<dyn Worker>, Vec<Job>)| -> Vec<Found> {
            let mut finished = Vec::new();
            worker.admit(&engine.network, &mut group.into_iter());
            for _ in 0..DECODER_STEPS {
                worker.step(&engine.network, &mut finished);
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

//! Translation by priority, a step at a time, for interactive use.
//!
//! What the reader looks at goes first, and what is no longer wanted leaves at once: between two steps, requests can be
//! added and cancelled. A request's translation is the same as
//! [`Translator::translate`](super::translator::Translator::translate) gives.

use super::Engine;
use super::document::{Document, begin_with};
use super::translation::Translation;
use super::translator::TranslateOptions;
use super::worker::{Found, Job, Worker};
use crate::text::structure::Wrapped;
use rayon::prelude::*;
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// Sentences that one worker decodes side by side: enough rows for the kernels to be fast, few enough that a step takes a
/// few milliseconds and what comes next does not wait long.
const SLOTS: usize = 16;

/// Most source pieces encoded in one step, for the same reason.
const PIECES_PER_STEP: usize = 128;

/// Decoder steps in one step of the session.
const DECODER_STEPS: usize = 4;

/// Names a request of one session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RequestId(pub u64);

/// A queue of requests and the workers that serve it, one for each thread of the current rayon pool.
#[derive(Debug)]
pub struct Session {
    engine: Arc<Engine>,
    options: TranslateOptions,
    workers: Vec<Box<dyn Worker>>,
    documents: HashMap<u64, Document>,
    /// By priority (highest first), then in order of arrival, then by sentence.
    queue: BTreeMap<(Reverse<i32>, u64, usize), Job>,
    next: u64,
    /// Requests that were finished without any work.
    finished: Vec<(RequestId, Translation)>,
}

impl Session {
    pub(crate) fn new(engine: Arc<Engine>, options: &TranslateOptions) -> Self {
        let workers = (0..rayon::current_num_threads().max(1)).map(|_| engine.new_worker(options)).collect();
        Self {
            engine,
            options: *options,
            workers,
            documents: HashMap::new(),
            queue: BTreeMap::new(),
            next: 0,
            finished: Vec::new(),
        }
    }

    /// Adds a text to translate. Higher priorities go first, equal ones in order of arrival.
    pub fn submit(&mut self, text: &str, priority: i32) -> RequestId {
        self.submit_wrapped(text, priority, self.options.wrapped)
    }

    /// Like [`submit`](Self::submit), with another [`TranslateOptions::wrapped`] than the session's.
    pub fn submit_wrapped(&mut self, text: &str, priority: i32, wrapped: Wrapped) -> RequestId {
        self.add(text, priority, wrapped, "")
    }

    /// Like [`submit`](Self::submit), with the beginning of the first sentence's translation given, see
    /// [`Translator::translate_from`](super::translator::Translator::translate_from).
    pub fn submit_from(&mut self, text: &str, prefix: &str, priority: i32) -> RequestId {
        self.add(text, priority, self.options.wrapped, prefix)
    }

    fn add(&mut self, text: &str, priority: i32, wrapped: Wrapped, prefix: &str) -> RequestId {
        let id = self.next;
        self.next += 1;
        let mut jobs = Vec::new();
        let options = TranslateOptions { wrapped, ..self.options };
        let document = Document::plan(&self.engine, id, text, &[], &options, &mut jobs);
        if !prefix.is_empty() {
            begin_with(&self.engine, prefix, &mut jobs);
        }
        if document.is_complete() {
            self.finished.push((RequestId(id), document.finish(&self.engine)));
        } else {
            self.documents.insert(id, document);
            self.queue.extend(jobs.into_iter().map(|job| ((Reverse(priority), id, job.index), job)));
        }
        RequestId(id)
    }

    /// Drops a request, also while it is being translated. False if it is unknown or finished.
    pub fn cancel(&mut self, id: RequestId) -> bool {
        if self.documents.remove(&id.0).is_none() {
            return false;
        }
        self.queue.retain(|(_, request, _), _| *request != id.0);
        for worker in &mut self.workers {
            worker.cancel(id.0);
        }
        true
    }

    /// Moves what has not been started of a request to another place in the queue. False if it is unknown or finished.
    pub fn set_priority(&mut self, id: RequestId, priority: i32) -> bool {
        if !self.documents.contains_key(&id.0) {
            return false;
        }
        let moved: Vec<_> = self.queue.keys().filter(|(_, request, _)| *request == id.0).copied().collect();
        for key in moved {
            if let Some(job) = self.queue.remove(&key) {
                self.queue.insert((Reverse(priority), key.1, key.2), job);
            }
        }
        true
    }

    /// Whether there is nothing left to do, and nothing left to collect.
    pub fn is_idle(&self) -> bool {
        self.documents.is_empty() && self.finished.is_empty()
    }

    /// Works for a few milliseconds and returns the requests that were finished.
    pub fn step(&mut self) -> Vec<(RequestId, Translation)> {
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
        let finished: Vec<Found> = match &mut self.workers[..] {
            [worker] => run((worker, groups.pop().unwrap_or_default())),
            workers => workers.par_iter_mut().zip(groups).flat_map_iter(run).collect(),
        };
        for (job, hypotheses) in finished {
            let Some(document) = self.documents.get_mut(&job.request) else { continue };
            if document.receive(job.index, hypotheses)
                && let Some(document) = self.documents.remove(&job.request)
            {
                self.finished.push((RequestId(job.request), document.finish(engine)));
            }
        }
        std::mem::take(&mut self.finished)
    }

    fn active(&self) -> usize {
        self.workers.iter().map(|worker| worker.active()).sum()
    }
}

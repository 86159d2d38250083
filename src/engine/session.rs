//! Translation by priority, a step at a time, for interactive use.
//!
//! What the reader looks at goes first, and what is no longer wanted leaves at once: between two steps, requests can be
//! added and cancelled. A request's translation is the same as
//! [`Translator::translate`](super::translator::Translator::translate) gives.

use super::Engine;
use super::document::{Document, begin_with};
use super::stage::Stage;
use super::translation::Translation;
use super::translator::TranslateOptions;
use crate::text::structure::Wrapped;
use std::collections::HashMap;
use std::sync::Arc;

/// Names a request of one session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RequestId(pub u64);

/// A queue of requests and the workers that serve it, one for each thread of the current rayon pool.
#[derive(Debug)]
pub struct Session {
    options: TranslateOptions,
    stage: Stage,
    documents: HashMap<u64, Document>,
    next: u64,
    /// Requests that were finished without any work.
    finished: Vec<(RequestId, Translation)>,
}

impl Session {
    pub(crate) fn new(engine: Arc<Engine>, options: &TranslateOptions) -> Self {
        Self {
            options: *options,
            stage: Stage::new(engine, options),
            documents: HashMap::new(),
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
        let engine = self.stage.engine();
        let mut jobs = Vec::new();
        let options = TranslateOptions { wrapped, ..self.options };
        let document = Document::plan(engine, id, text, &[], &options, &mut jobs);
        if !prefix.is_empty() {
            begin_with(engine, prefix, &mut jobs);
        }
        if document.is_complete() {
            self.finished.push((RequestId(id), document.finish(engine)));
        } else {
            self.documents.insert(id, document);
            self.stage.add(priority, jobs);
        }
        RequestId(id)
    }

    /// Drops a request, also while it is being translated. False if it is unknown or finished.
    pub fn cancel(&mut self, id: RequestId) -> bool {
        if self.documents.remove(&id.0).is_none() {
            return false;
        }
        self.stage.cancel(id.0);
        true
    }

    /// Moves what has not been started of a request to another place in the queue. False if it is unknown or finished.
    pub fn set_priority(&mut self, id: RequestId, priority: i32) -> bool {
        if !self.documents.contains_key(&id.0) {
            return false;
        }
        self.stage.set_priority(id.0, priority);
        true
    }

    /// Whether there is nothing left to do, and nothing left to collect.
    pub fn is_idle(&self) -> bool {
        self.documents.is_empty() && self.finished.is_empty()
    }

    /// Works for a few milliseconds and returns the requests that were finished.
    pub fn step(&mut self) -> Vec<(RequestId, Translation)> {
        for (job, hypotheses) in self.stage.step() {
            let Some(document) = self.documents.get_mut(&job.request) else { continue };
            if document.receive(job.index, hypotheses)
                && let Some(document) = self.documents.remove(&job.request)
            {
                self.finished.push((RequestId(job.request), document.finish(self.stage.engine())));
            }
        }
        std::mem::take(&mut self.finished)
    }
}

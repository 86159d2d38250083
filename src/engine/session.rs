//! Translation by priority, a step at a time, for interactive use.
//!
//! What the reader looks at goes first, and what is no longer wanted leaves at once: between two steps, requests can be
//! added and cancelled. A request's translation is the same as [`Translate::translate`](super::translate::Translate::translate) gives.

use super::Engine;
use super::document::{Document, begin_with};
use super::stage::Stage;
use super::translation::Translation;
use super::translator::TranslateOptions;
use crate::text::structure::Wrapped;
use std::collections::HashMap;
use std::fmt::Debug;
use std::sync::Arc;

/// Names a request of one session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RequestId(pub u64);

/// A queue of requests, and what serves it, with one worker for each thread of the current rayon pool. Made by
/// [`Translate::session`](super::translate::Translate::session).
pub trait Session: Debug + Send {
    /// Adds a text to translate. Higher priorities go first, equal ones in order of arrival.
    fn submit(&mut self, text: &str, priority: i32) -> RequestId;

    /// Like [`submit`](Self::submit), with another [`TranslateOptions::wrapped`] than the session's.
    fn submit_wrapped(&mut self, text: &str, priority: i32, wrapped: Wrapped) -> RequestId;

    /// Like [`submit`](Self::submit), with the beginning of the first sentence's translation given, see
    /// [`Translate::translate_from`](super::translate::Translate::translate_from).
    fn submit_from(&mut self, text: &str, prefix: &str, priority: i32) -> RequestId;

    /// Drops a request, also while it is being translated. False if it is unknown or finished.
    fn cancel(&mut self, id: RequestId) -> bool;

    /// Moves what has not been started of a request to another place in the queue. False if it is unknown or finished.
    fn set_priority(&mut self, id: RequestId, priority: i32) -> bool;

    /// Whether there is nothing left to do, and nothing left to collect.
    fn is_idle(&self) -> bool;

    /// Works for a few milliseconds and returns the requests that were finished.
    fn step(&mut self) -> Vec<(RequestId, Translation)>;
}

/// A queue of requests to one model.
#[derive(Debug)]
pub struct ModelSession {
    options: TranslateOptions,
    stage: Stage,
    documents: HashMap<u64, Document>,
    next: u64,
    /// Requests that were finished without any work.
    finished: Vec<(RequestId, Translation)>,
}

impl ModelSession {
    pub fn new(engine: Arc<Engine>, options: &TranslateOptions) -> Self {
        Self {
            options: *options,
            stage: Stage::new(engine, options),
            documents: HashMap::new(),
            next: 0,
            finished: Vec::new(),
        }
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
}

impl Session for ModelSession {
    fn submit(&mut self, text: &str, priority: i32) -> RequestId {
        self.submit_wrapped(text, priority, self.options.wrapped)
    }

    fn submit_wrapped(&mut self, text: &str, priority: i32, wrapped: Wrapped) -> RequestId {
        self.add(text, priority, wrapped, "")
    }

    fn submit_from(&mut self, text: &str, prefix: &str, priority: i32) -> RequestId {
        self.add(text, priority, self.options.wrapped, prefix)
    }

    fn cancel(&mut self, id: RequestId) -> bool {
        if self.documents.remove(&id.0).is_none() {
            return false;
        }
        self.stage.cancel(id.0);
        true
    }

    fn set_priority(&mut self, id: RequestId, priority: i32) -> bool {
        if !self.documents.contains_key(&id.0) {
            return false;
        }
        self.stage.set_priority(id.0, priority);
        true
    }

    fn is_idle(&self) -> bool {
        self.documents.is_empty() && self.finished.is_empty()
    }

    fn step(&mut self) -> Vec<(RequestId, Translation)> {
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

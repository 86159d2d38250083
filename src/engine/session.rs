//! Translation by priority, a step at a time, for interactive use.
//!
//! What the reader looks at goes first, and what is no longer wanted leaves at once: between two steps, requests can be
//! added and cancelled. A request's translation is the one that [`Translate::translate`](super::translate::Translate::translate) gives.

use super::Engine;
use super::document::{Document, begin_with, plan_all};
use super::stage::Stage;
use super::translation::Translation;
use super::translator::{NOTHING, Sentences, TranslateOptions, Translator};
use super::worker::Job;
use crate::text::language::Language;
use crate::text::structure::Wrapped;
use rayon::prelude::*;
use std::collections::HashMap;
use std::fmt::Debug;

/// Names a request of one session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RequestId(pub u64);

/// What a session is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Pace {
    /// A reader waits: few rows, so that a step is short and what comes next begins at once.
    #[default]
    Interactive,
    /// Many wait: as many rows as in [`Translate::translate_batch`](super::translate::Translate::translate_batch), which get more done in the
    /// same time. A step takes some ten milliseconds.
    Throughput,
}

/// A text for a session.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Submission<'a> {
    /// What is to be translated.
    pub text: &'a str,
    /// Among one client's texts, higher priorities go first, equal ones in order of arrival.
    pub priority: i32,
    /// The client: clients share the engine evenly, by the pieces of their sentences, however much each of them wants.
    pub client: u64,
    /// [`TranslateOptions::sentences`], if other than the session's.
    pub sentences: Option<Sentences>,
    /// [`TranslateOptions::wrapped`], if other than the session's.
    pub wrapped: Option<Wrapped>,
    /// How the first sentence's translation begins, see [`Translate::translate_from`](super::translate::Translate::translate_from); none if empty.
    pub prefix: &'a str,
}

impl Submission<'_> {
    /// The session's options, as changed for this text.
    pub(super) fn options(&self, options: &TranslateOptions) -> TranslateOptions {
        TranslateOptions {
            sentences: self.sentences.unwrap_or(options.sentences),
            wrapped: self.wrapped.unwrap_or(options.wrapped),
            ..*options
        }
    }

    /// Finds the sentences of each text, whose reader gets `target`. Requests count up from `first`.
    pub(super) fn plan_all(
        submissions: &[Submission],
        engine: &Engine,
        target: Language,
        first: u64,
        options: &TranslateOptions,
    ) -> Vec<(Document, Vec<Job>)> {
        plan_all(submissions, |index, submission, jobs| {
            let options = submission.options(options);
            Document::plan(engine, target, first + index as u64, submission.text, NOTHING, &options, jobs)
        })
    }
}

/// A queue of requests, and what serves it, with one worker for each thread of the current rayon pool. Made by
/// [`Translate::session`](super::translate::Translate::session).
pub trait Session: Debug + Send {
    /// Adds texts to translate, and returns an id for each, in their order.
    fn submit_all(&mut self, submissions: &[Submission]) -> Vec<RequestId>;

    /// Adds a text to translate. Higher priorities go first, equal ones in order of arrival.
    fn submit(&mut self, text: &str, priority: i32) -> RequestId {
        self.submit_all(&[Submission { text, priority, ..Submission::default() }])[0]
    }

    /// Like [`submit`](Self::submit), with a [`TranslateOptions::wrapped`] other than the session's.
    fn submit_wrapped(&mut self, text: &str, priority: i32, wrapped: Wrapped) -> RequestId {
        self.submit_all(&[Submission { text, priority, wrapped: Some(wrapped), ..Submission::default() }])[0]
    }

    /// Like [`submit`](Self::submit), with the beginning of the first sentence's translation given, see
    /// [`Translate::translate_from`](super::translate::Translate::translate_from).
    fn submit_from(&mut self, text: &str, prefix: &str, priority: i32) -> RequestId {
        self.submit_all(&[Submission { text, priority, prefix, ..Submission::default() }])[0]
    }

    /// Drops a request, even while it is being translated. False if it is unknown or finished.
    fn cancel(&mut self, id: RequestId) -> bool;

    /// Moves the sentences of a request that have not been started to another place in the queue. False if it is unknown or finished.
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
    /// Requests that were finished without work.
    finished: Vec<(RequestId, Translation)>,
}

impl ModelSession {
    pub fn new(translator: &Translator, options: &TranslateOptions, pace: Pace) -> Self {
        Self {
            options: *options,
            stage: Stage::new(translator, options, pace),
            documents: HashMap::new(),
            next: 0,
            finished: Vec::new(),
        }
    }
}

impl Session for ModelSession {
    fn submit_all(&mut self, submissions: &[Submission]) -> Vec<RequestId> {
        let first = self.next;
        self.next += submissions.len() as u64;
        let engine = self.stage.engine();
        let planned = Submission::plan_all(submissions, engine, engine.target_language, first, &self.options);
        for (id, (submission, (document, mut jobs))) in (first..).zip(submissions.iter().zip(planned)) {
            let engine = self.stage.engine();
            if !submission.prefix.is_empty() {
                begin_with(engine, submission.prefix, &mut jobs);
            }
            if document.is_complete() {
                self.finished.push((RequestId(id), document.finish(engine)));
            } else {
                self.documents.insert(id, document);
                self.stage.add(submission.client, submission.priority, jobs);
            }
        }
        (first..self.next).map(RequestId).collect()
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
        let mut complete = Vec::new();
        for (job, hypotheses) in self.stage.step() {
            let Some(document) = self.documents.get_mut(&job.request) else { continue };
            if document.receive(job.index, hypotheses)
                && let Some(document) = self.documents.remove(&job.request)
            {
                complete.push((RequestId(job.request), document));
            }
        }
        let engine = self.stage.engine();
        match complete.len() {
            0 | 1 => self.finished.extend(complete.into_iter().map(|(id, document)| (id, document.finish(engine)))),
            _ => self.finished.par_extend(complete.into_par_iter().map(|(id, document)| (id, document.finish(engine)))),
        }
        std::mem::take(&mut self.finished)
    }
}

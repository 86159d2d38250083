//! Two models one after the other: from a language to one in the middle, and on to another.
//!
//! The text is read once: its structure, its sentences and what stays as it is are those of the source. Each sentence goes through the first model
//! and then straight on through the second as a whole, so that no sentence of the middle is split or joined with its neighbour; then the text is
//! put together as in a direct translation. Both models work on one pool of threads.
//!
//! What a direct translation reports is composed through the middle. What a word of the translation looked at in the source is the product of what both
//! models looked at, and the word is linked to what has the largest share ([`compose`]); markup is projected by these links. What the first model had
//! to leave as it is, the second one must leave, too.
//!
//! Lists of candidates, scores and log-probabilities are those of the second model for the best sentence in the middle. Only these can be
//! compared with each other: candidates from different sentences in the middle are translations of different sentences, and sums of both
//! models' log-probabilities rank the sentences in the middle more than what the reader sees.

mod compose;

use super::Engine;
use super::batch;
use super::document::{Document, Looked, Written, begin_with, with_all_jobs};
use super::session::{Pace, RequestId, Session, Submission};
use super::stage::Stage;
use super::translate::Translate;
use super::translation::Translation;
use super::translator::{Sentences, TranslateOptions, Translator};
use super::worker::Job;
use crate::text::language::Language;
use crate::text::structure::Wrapped;
use rayon::prelude::*;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::atomic::AtomicBool;

/// Two translators as one, see [`Translate`].
///
/// ```no_run
/// use wanderwort::{LoadOptions, Pivot, Translate, TranslateOptions, Translator};
///
/// let options = LoadOptions::default();
/// let pivot = Pivot::new(Translator::open("fr-en.wanderwort", &options)?, Translator::open("en-de.wanderwort", &options)?)?;
/// let translation = pivot.translate("La maison est grande.", &TranslateOptions::default());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Pivot {
    first: Translator,
    second: Translator,
}

/// Two models that do not follow each other.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("the first model translates to {first}, the second one from {second}; both must be the language in the middle")]
pub struct PivotError {
    /// What the first one translates to, a BCP 47 tag.
    pub first: &'static str,
    /// What the second one translates from.
    pub second: &'static str,
}

impl Pivot {
    /// A translator from the source of `first` to the target of `second`.
    ///
    /// # Errors
    /// If both languages are known and `first` does not translate to the language that `second` translates from.
    pub fn new(first: Translator, second: Translator) -> Result<Pivot, PivotError> {
        let (to, from) = (first.target_language(), second.source_language());
        if to != from && to != Language::UNKNOWN && from != Language::UNKNOWN {
            return Err(PivotError { first: to.tag(), second: from.tag() });
        }
        Ok(Pivot { first, second })
    }

    /// The translator to the language in the middle.
    pub fn first(&self) -> &Translator {
        &self.first
    }

    /// The translator from there.
    pub fn second(&self) -> &Translator {
        &self.second
    }
}

impl Translate for Pivot {
    fn source_language(&self) -> Language {
        self.first.source_language()
    }

    fn target_language(&self) -> Language {
        self.second.target_language()
    }

    fn beam(&self) -> usize {
        self.second.beam()
    }

    fn session_at(&self, options: &TranslateOptions, pace: Pace) -> Box<dyn Session> {
        Box::new(PivotSession {
            options: *options,
            first: Stage::new(&self.first, &first_options(options), pace),
            second: Stage::new(&self.second, &second_options(options), pace),
            requests: HashMap::new(),
            halves: HashMap::new(),
            next: 0,
            finished: Vec::new(),
        })
    }

    fn translate_until(
        &self,
        texts: &[(&str, &[Range<usize>])],
        options: &TranslateOptions,
        stop: &AtomicBool,
    ) -> Option<Vec<Translation>> {
        let (first, second) = (&*self.first.engine, &*self.second.engine);
        // The document must know how many candidates were asked for, but not how the first model searches.
        let (mut documents, jobs) = Document::plan_batch(first, self.target_language(), texts, options);
        for (job, hypotheses) in batch::decode(&self.first, jobs, &first_options(options), None, stop)? {
            documents[job.request as usize].receive(job.index, hypotheses);
        }
        let written = documents.par_iter_mut().enumerate().flat_map_iter(|(request, document)| {
            document.write_all(first).into_iter().map(move |(index, written)| (request, index, written))
        });
        let written: Vec<_> = written.collect();
        let halves = written.into_par_iter().enumerate().map(|(id, (request, index, written))| {
            let mut jobs = Vec::new();
            let half = Half::plan(second, id as u64, (request as u64, index), written, options, &mut jobs);
            (half, jobs)
        });
        let (mut halves, jobs) = with_all_jobs(halves.collect());
        for (job, hypotheses) in batch::decode(&self.second, jobs, &second_options(options), None, stop)? {
            halves[job.request as usize].document.receive(job.index, hypotheses);
        }
        let sources = halves.iter().map(|half| documents[half.request as usize].source_length(half.index));
        let sources: Vec<usize> = sources.collect();
        let finished = halves.into_par_iter().zip(sources).map(|(half, source)| half.finish(second, source));
        for (request, index, written) in finished.collect::<Vec<_>>() {
            documents[request as usize].put(index, written);
        }
        let languages = (self.source_language(), self.target_language());
        Some(documents.into_par_iter().map(|document| document.join(languages)).collect())
    }
}

/// The options for the first model, which finds one sentence in the middle. The width of a beam that makes a list is the second model's. Links are
/// composed of what both models looked at.
fn first_options(options: &TranslateOptions) -> TranslateOptions {
    let beam = if options.n_best > 0 { 0 } else { options.beam };
    TranslateOptions { n_best: 0, branches: false, scores: false, attention: true, beam, ..*options }
}

/// The options for the second model, which is given single sentences.
fn second_options(options: &TranslateOptions) -> TranslateOptions {
    TranslateOptions { sentences: Sentences::AreLines, wrapped: Wrapped::Never, attention: true, ..*options }
}

/// A sentence on its way from the middle.
#[derive(Debug)]
struct Half {
    /// Which request the sentence belongs to, and which of its sentences it is.
    request: u64,
    index: usize,
    middle: Written,
    document: Document,
    /// Whether the caller asked for what was looked at.
    attention: bool,
}

impl Half {
    fn plan(
        second: &Engine,
        id: u64,
        (request, index): (u64, usize),
        middle: Written,
        options: &TranslateOptions,
        jobs: &mut Vec<Job>,
    ) -> Half {
        let kept = |stood_for| {
            let those = middle.kept.iter().filter(|kept| kept.stood_for == stood_for);
            those.map(|kept| kept.range.clone()).collect::<Vec<_>>()
        };
        let kept = (&kept(true)[..], &kept(false)[..]);
        let (target, options_there) = (second.target_language, second_options(options));
        let document = Document::plan_with(second, target, id, &middle.text, kept, &options_there, jobs);
        Half { request, index, middle, document, attention: options.attention }
    }

    /// The translation of a sentence of `source` bytes.
    fn finish(self, second: &Engine, source: usize) -> (u64, usize, Written) {
        let mut translation = self.document.finish(second);
        let (tokens, looked) = compose::compose(&self.middle, &translation, source);
        let looked = if self.attention { looked } else { Looked::default() };
        // A sentence that the second model took in parts has no candidates as a whole.
        let candidates = match &mut translation.candidates[..] {
            [candidates] => std::mem::take(candidates),
            _ => Vec::new(),
        };
        let written = Written { text: translation.text, tokens, looked, candidates, kept: Vec::new() };
        (self.request, self.index, written)
    }
}

/// A queue of requests through two models, see [`Session`]. A sentence goes on to the second model as soon as it comes from the first.
#[derive(Debug)]
struct PivotSession {
    options: TranslateOptions,
    first: Stage,
    second: Stage,
    requests: HashMap<u64, Request>,
    /// Sentences that are with the second model.
    halves: HashMap<u64, Half>,
    /// Numbers requests and halves, so that both are in order of arrival.
    next: u64,
    finished: Vec<(RequestId, Translation)>,
}

#[derive(Debug)]
struct Request {
    document: Document,
    client: u64,
    priority: i32,
    /// Sentences that have not yet come from the second model.
    waiting: usize,
    /// The first sentence to translate and how its translation begins.
    beginning: Option<(usize, String)>,
    /// Its sentences that are with the second model.
    halves: HashSet<u64>,
}

impl PivotSession {
    /// Gives a sentence of the middle to the second model.
    fn go_on(&mut self, request: u64, index: usize, (client, priority): (u64, i32), written: Written) {
        let id = self.number();
        let mut jobs = Vec::new();
        let half = Half::plan(self.second.engine(), id, (request, index), written, &self.options, &mut jobs);
        let beginning = self.requests.get(&request).and_then(|request| request.beginning.as_ref());
        if let Some((_, prefix)) = beginning.filter(|(first, _)| *first == index) {
            begin_with(self.second.engine(), prefix, &mut jobs);
        }
        if half.document.is_complete() {
            self.finish_half(half);
        } else {
            if let Some(request) = self.requests.get_mut(&request) {
                request.halves.insert(id);
            }
            self.halves.insert(id, half);
            self.second.add(client, priority, jobs);
        }
    }

    fn finish_half(&mut self, half: Half) {
        let Some(request) = self.requests.get(&half.request) else { return };
        let source = request.document.source_length(half.index);
        let (request, index, written) = half.finish(self.second.engine(), source);
        self.arrive(request, Some((index, written)));
    }

    /// Takes a sentence's translation.
    fn arrive(&mut self, id: u64, written: Option<(usize, Written)>) {
        let Some(request) = self.requests.get_mut(&id) else { return };
        request.waiting -= 1;
        if let Some((index, written)) = written {
            request.document.put(index, written);
        }
        self.finish_if_complete(id);
    }

    fn finish_if_complete(&mut self, id: u64) {
        if self.requests.get(&id).is_some_and(|request| request.waiting == 0)
            && let Some(request) = self.requests.remove(&id)
        {
            let languages = (self.first.engine().source_language, self.second.engine().target_language);
            self.finished.push((RequestId(id), request.document.join(languages)));
        }
    }

    fn number(&mut self) -> u64 {
        self.next += 1;
        self.next - 1
    }
}

impl Session for PivotSession {
    fn submit_all(&mut self, submissions: &[Submission]) -> Vec<RequestId> {
        let first = self.next;
        self.next += submissions.len() as u64;
        let target = self.second.engine().target_language;
        let planned = Submission::plan_all(submissions, self.first.engine(), target, first, &self.options);
        for (id, (submission, (document, jobs))) in (first..).zip(submissions.iter().zip(planned)) {
            let Submission { client, priority, prefix, .. } = *submission;
            let beginning = jobs.first().filter(|_| !prefix.is_empty()).map(|job| (job.index, prefix.to_owned()));
            self.requests.insert(
                id,
                Request { document, client, priority, waiting: jobs.len(), beginning, halves: HashSet::new() },
            );
            self.first.add(client, priority, jobs);
            self.finish_if_complete(id);
        }
        (first..first + submissions.len() as u64).map(RequestId).collect()
    }

    fn cancel(&mut self, id: RequestId) -> bool {
        let Some(request) = self.requests.remove(&id.0) else { return false };
        self.first.cancel(id.0);
        for half in request.halves {
            self.halves.remove(&half);
            self.second.cancel(half);
        }
        true
    }

    fn set_priority(&mut self, id: RequestId, priority: i32) -> bool {
        let Some(request) = self.requests.get_mut(&id.0) else { return false };
        request.priority = priority;
        self.first.set_priority(id.0, priority);
        for half in &request.halves {
            self.second.set_priority(*half, priority);
        }
        true
    }

    fn is_idle(&self) -> bool {
        self.requests.is_empty() && self.finished.is_empty()
    }

    fn step(&mut self) -> Vec<(RequestId, Translation)> {
        for (job, hypotheses) in self.first.step() {
            let Some(request) = self.requests.get_mut(&job.request) else { continue };
            request.document.receive(job.index, hypotheses);
            let place = (request.client, request.priority);
            match request.document.write(self.first.engine(), job.index) {
                Some(written) => self.go_on(job.request, job.index, place, written),
                None => self.arrive(job.request, None),
            }
        }
        for (job, hypotheses) in self.second.step() {
            let Some(half) = self.halves.get_mut(&job.request) else { continue };
            if half.document.receive(job.index, hypotheses)
                && let Some(half) = self.halves.remove(&job.request)
            {
                if let Some(request) = self.requests.get_mut(&half.request) {
                    request.halves.remove(&job.request);
                }
                self.finish_half(half);
            }
        }
        std::mem::take(&mut self.finished)
    }
}

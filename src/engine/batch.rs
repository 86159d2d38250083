//! Many sentences at once: one worker on each thread of the pool, over a shared queue.

use super::Engine;
use super::cache::Key;
use super::translator::{TranslateOptions, Translator};
use super::worker::{Found, Job, Profile};
use super::working_set;
use rayon::prelude::*;
use std::cmp::Reverse;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Maximum number of source pieces encoded at once, so that what the encoder reads and writes stays in the caches, unless the options say
/// otherwise.
pub const PIECES_PER_ENCODING: usize = 512;

/// Translates sentences, in any order. Adds the threads' times to `profile`. Returns none once `stop` is set, which is checked
/// before each step of the decoder. With a cache, a sentence that occurs several times is translated once.
pub fn decode(
    translator: &Translator,
    jobs: Vec<Job>,
    options: &TranslateOptions,
    profile: Option<&mut Profile>,
    stop: &AtomicBool,
) -> Option<Vec<Found>> {
    let engine = &*translator.engine;
    let Some(cache) = &translator.cache else { return search(engine, jobs, options, profile, stop) };
    let how = engine.search_key(options);
    let (mut found, mut unknown, mut again) = (Vec::new(), Vec::new(), HashMap::<Key, Vec<Job>>::new());
    for job in jobs {
        let key = Key::new(&job, how);
        match (cache.get(&key), again.entry(key)) {
            (Some(hypotheses), _) => found.push((job, hypotheses)),
            (None, Entry::Occupied(mut same)) => same.get_mut().push(job),
            (None, Entry::Vacant(first)) => {
                first.insert(Vec::new());
                unknown.push(job);
            }
        }
    }
    for (job, hypotheses) in search(engine, unknown, options, profile, stop)? {
        let key = Key::new(&job, how);
        let same = again.remove(&key).unwrap_or_default();
        found.extend(same.into_iter().map(|job| (job, hypotheses.clone())));
        cache.insert(key, hypotheses.clone());
        found.push((job, hypotheses));
    }
    Some(found)
}

/// Like [`decode`], for sentences that are not in the cache.
fn search(
    engine: &Engine,
    mut jobs: Vec<Job>,
    options: &TranslateOptions,
    profile: Option<&mut Profile>,
    stop: &AtomicBool,
) -> Option<Vec<Found>> {
    // Longest first: the slots stay full until the last, shortest sentences.
    jobs.sort_by_key(|job| Reverse(job.source.len()));
    let pieces = if options.pieces == 0 { PIECES_PER_ENCODING } else { options.pieces };
    let queue = Queue { jobs: &jobs, next: AtomicUsize::new(0), pieces };
    let profiles = Mutex::new(Profile::default());
    let slots = |job: &Job| match options.rows {
        0 => working_set::sentences(engine, options, job),
        rows => engine.sentences_in(rows, options),
    };
    let (threads, share) = spread(jobs.len(), rayon::current_num_threads());
    let work = || {
        let mut worker = engine.new_worker(options);
        if profile.is_some() {
            worker.start_profile();
        }
        let mut finished = Vec::new();
        while !stop.load(Ordering::Relaxed) {
            // Sentences are encoded a group at a time, since the encoder is faster the more rows it gets.
            if let Some(next) = queue.peek() {
                let slots = slots(next).min(share);
                let free = slots.saturating_sub(worker.active());
                if free >= slots.div_ceil(4) {
                    worker.admit(&engine.ensemble, &mut queue.take(free).iter().cloned());
                }
            }
            if worker.active() == 0 {
                break;
            }
            worker.step(&engine.ensemble, &mut finished);
        }
        if let Some(own) = worker.profile() {
            profiles.lock().expect("no worker panics").add(&own);
        }
        finished
    };
    let finished: Vec<Vec<Found>> =
        if threads == 1 { vec![work()] } else { (0..threads).into_par_iter().map(|_| work()).collect() };
    if let Some(profile) = profile {
        profile.add(&profiles.into_inner().expect("no worker panics"));
    }
    (!stop.load(Ordering::Relaxed)).then(|| finished.into_iter().flatten().collect())
}

/// How many of a pool's threads work on so many sentences, and how many sentences each has at most at a time: few sentences are spread over all
/// threads, rather than decoded side by side on some of them.
fn spread(sentences: usize, pool: usize) -> (usize, usize) {
    let threads = pool.min(sentences).max(1);
    (threads, sentences.div_ceil(threads).max(1))
}

/// Jobs in order, handed out in groups to whoever asks.
struct Queue<'a> {
    jobs: &'a [Job],
    next: AtomicUsize,
    /// Maximum number of source pieces in a group.
    pieces: usize,
}

impl<'a> Queue<'a> {
    /// The next job, unless another worker takes it.
    fn peek(&self) -> Option<&'a Job> {
        self.jobs.get(self.next.load(Ordering::Relaxed))
    }

    /// The next jobs: at most `count`, with about [`pieces`](Self::pieces) pieces in all, and at least one job if any is left.
    fn take(&self, count: usize) -> &'a [Job] {
        let mut taken: &[Job] = &[];
        let update = |next: usize| {
            let left = &self.jobs[next..];
            let mut pieces = 0;
            let fits = |job: &&Job| {
                pieces += job.source.len();
                pieces <= self.pieces
            };
            let length = left.iter().take(count).take_while(fits).count().max(1).min(left.len());
            taken = &left[..length];
            Some(next + length)
        };
        let _ = self.next.try_update(Ordering::Relaxed, Ordering::Relaxed, update);
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_sentences_are_spread_over_all_threads() {
        for (sentences, pool, expected) in
            [(16, 16, (16, 1)), (40, 16, (16, 3)), (3, 16, (3, 1)), (1000, 4, (4, 250)), (7, 1, (1, 7)), (0, 8, (1, 1))]
        {
            assert_eq!(spread(sentences, pool), expected, "{sentences} sentences, {pool} threads");
        }
    }
}

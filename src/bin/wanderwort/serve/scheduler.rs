//! The thread that has texts translated: requests of all clients, in one session for each pair of languages, so that they share its rows.
//!
//! A session admits sentences as rows become free, from the client that was served least (`Submission::client`). Several sessions step side by
//! side on one pool of threads.

use rayon::prelude::*;
use std::collections::{BTreeMap, HashMap};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Instant;
use tokio::sync::oneshot;
use wanderwort::{Pace, RequestId, Sentences, Session, Submission, Translate, TranslateOptions, Translation, Wrapped};

/// Names a session.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    /// The models, by their numbers.
    pub models: Vec<usize>,
    /// Translations of each sentence besides the best one.
    pub alternatives: usize,
}

/// Texts that are translated together, and for whom.
pub struct Batch {
    pub key: Key,
    pub translator: Arc<dyn Translate>,
    pub texts: Vec<String>,
    pub client: u64,
    pub priority: i32,
    pub sentences: Option<Sentences>,
    pub wrapped: Option<Wrapped>,
    /// How the translation of each begins; none if empty.
    pub prefix: String,
}

enum Command {
    Submit(u64, Batch, oneshot::Sender<Vec<Translation>>),
    Cancel(u64),
    Forget(usize),
}

/// A handle to the thread, which ends with the last handle.
#[derive(Clone)]
pub struct Scheduler {
    commands: mpsc::Sender<Command>,
    next: Arc<AtomicU64>,
    rate: Arc<AtomicU64>,
}

/// Gives access to the translations of a batch. If it is dropped before they are there, it cancels the batch.
pub struct Ticket {
    id: u64,
    is_done: bool,
    commands: mpsc::Sender<Command>,
    receiver: oneshot::Receiver<Vec<Translation>>,
}

impl Ticket {
    /// Waits for the translations, in the order of the texts; none if the engine has failed.
    pub async fn translations(mut self) -> Option<Vec<Translation>> {
        let translations = (&mut self.receiver).await;
        self.is_done = true;
        translations.ok()
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        if !self.is_done {
            // Without the thread there is nothing to cancel.
            let _ = self.commands.send(Command::Cancel(self.id));
        }
    }
}

impl Scheduler {
    /// Starts the thread, which has `pool` translate.
    pub fn start(pool: rayon::ThreadPool, options: TranslateOptions) -> std::io::Result<Scheduler> {
        let (commands, receiver) = mpsc::channel();
        let rate = Arc::new(AtomicU64::new(0));
        let thread = Thread { pool, options, lanes: BTreeMap::new(), rate: Arc::clone(&rate), unnoted: (0, 0.0) };
        thread::Builder::new().name("scheduler".to_owned()).spawn(move || thread.run(&receiver))?;
        Ok(Scheduler { commands, next: Arc::default(), rate })
    }

    /// Has texts translated.
    pub fn submit(&self, batch: Batch) -> Ticket {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let (sender, receiver) = oneshot::channel();
        // If the thread is gone, so is the sender, and the ticket says that the engine has failed.
        let _ = self.commands.send(Command::Submit(id, batch, sender));
        Ticket { id, is_done: false, commands: self.commands.clone(), receiver }
    }

    /// Drops the sessions of a model that nobody uses.
    pub fn forget(&self, model: usize) {
        let _ = self.commands.send(Command::Forget(model));
    }

    /// Bytes of source text translated per second while there was enough to do; 0 before the first.
    pub fn rate(&self) -> u64 {
        self.rate.load(Ordering::Relaxed)
    }
}

struct Thread {
    pool: rayon::ThreadPool,
    options: TranslateOptions,
    lanes: BTreeMap<Key, Lane>,
    rate: Arc<AtomicU64>,
    /// Bytes and seconds that are not in the rate yet.
    unnoted: (u64, f64),
}

/// A session and whom it works for.
struct Lane {
    session: Box<dyn Session>,
    batches: HashMap<u64, Waiting>,
    requests: HashMap<RequestId, (u64, usize)>,
    /// Submitted since the last step.
    arrived: Vec<(u64, Batch)>,
}

/// A batch that is being translated.
struct Waiting {
    requests: Vec<RequestId>,
    translations: Vec<Translation>,
    left: usize,
    bytes: u64,
    reply: oneshot::Sender<Vec<Translation>>,
}

impl Thread {
    fn run(mut self, commands: &mpsc::Receiver<Command>) {
        loop {
            if self.lanes.values().all(Lane::is_idle) {
                match commands.recv() {
                    Ok(command) => self.follow(command),
                    Err(_) => return,
                }
            }
            while let Ok(command) = commands.try_recv() {
                self.follow(command);
            }
            let started = Instant::now();
            let busy: Vec<&mut Lane> = self.lanes.values_mut().filter(|lane| !lane.is_idle()).collect();
            let pool = &self.pool;
            let step = || pool.install(|| busy.into_par_iter().map(Lane::step).sum::<u64>());
            match catch_unwind(AssertUnwindSafe(step)) {
                Ok(bytes) => self.note_rate(bytes, started.elapsed().as_secs_f64()),
                // Those whose texts were in the sessions are told that the engine has failed; new sessions start afresh.
                Err(_) => self.lanes.retain(|_, lane| lane.is_idle()),
            }
        }
    }

    fn follow(&mut self, command: Command) {
        match command {
            Command::Submit(id, batch, reply) => {
                let mut options = self.options;
                if batch.key.alternatives > 0 {
                    options.n_best = 1 + batch.key.alternatives;
                    // A list must not make the best translation a worse one.
                    let usual = if options.beam > 0 { options.beam } else { batch.translator.beam() };
                    options.beam = options.n_best.max(usual);
                }
                let pool = &self.pool;
                let lane = self.lanes.entry(batch.key.clone()).or_insert_with(|| Lane {
                    session: pool.install(|| batch.translator.session_at(&options, Pace::Throughput)),
                    batches: HashMap::new(),
                    requests: HashMap::new(),
                    arrived: Vec::new(),
                });
                let waiting = Waiting {
                    requests: Vec::new(),
                    translations: vec![Translation::default(); batch.texts.len()],
                    left: batch.texts.len(),
                    bytes: batch.texts.iter().map(|text| text.len() as u64).sum(),
                    reply,
                };
                lane.batches.insert(id, waiting);
                lane.arrived.push((id, batch));
            }
            Command::Cancel(id) => self.lanes.values_mut().for_each(|lane| lane.cancel(id)),
            Command::Forget(model) => self.lanes.retain(|key, _| !key.models.contains(&model)),
        }
    }

    /// Updates the rate: a mean that forgets what is more than a few seconds of work ago.
    fn note_rate(&mut self, bytes: u64, seconds: f64) {
        self.unnoted = (self.unnoted.0 + bytes, self.unnoted.1 + seconds);
        let (bytes, seconds) = self.unnoted;
        if bytes == 0 || seconds < 0.2 {
            return;
        }
        self.unnoted = (0, 0.0);
        let (before, now) = (self.rate.load(Ordering::Relaxed) as f64, bytes as f64 / seconds);
        let weight = if before == 0.0 { 1.0 } else { (seconds / 5.0).min(1.0) };
        self.rate.store((before + weight * (now - before)).max(1.0) as u64, Ordering::Relaxed);
    }
}

impl Lane {
    fn is_idle(&self) -> bool {
        self.batches.is_empty()
    }

    /// Works for a few milliseconds; returns the bytes of the texts that were finished.
    fn step(&mut self) -> u64 {
        self.submit();
        let mut finished = 0;
        for (request, translation) in self.session.step() {
            let Some((id, index)) = self.requests.remove(&request) else { continue };
            let Some(waiting) = self.batches.get_mut(&id) else { continue };
            waiting.translations[index] = translation;
            waiting.left -= 1;
        }
        let complete: Vec<u64> = self.batches.iter().filter(|(_, batch)| batch.left == 0).map(|(id, _)| *id).collect();
        for id in complete {
            if let Some(waiting) = self.batches.remove(&id) {
                finished += waiting.bytes;
                // If nobody waits any longer, the ticket has said so.
                let _ = waiting.reply.send(waiting.translations);
            }
        }
        finished
    }

    fn submit(&mut self) {
        let arrived = std::mem::take(&mut self.arrived);
        let mut submissions = Vec::new();
        let mut places = Vec::new();
        for (id, batch) in &arrived {
            for (index, text) in batch.texts.iter().enumerate() {
                let (sentences, wrapped) = (batch.sentences, batch.wrapped);
                let (priority, client) = (batch.priority, batch.client);
                submissions.push(Submission { text, priority, client, sentences, wrapped, prefix: &batch.prefix });
                places.push((*id, index));
            }
        }
        if submissions.is_empty() {
            return;
        }
        for (request, place) in self.session.submit_all(&submissions).into_iter().zip(places) {
            self.requests.insert(request, place);
            if let Some(waiting) = self.batches.get_mut(&place.0) {
                waiting.requests.push(request);
            }
        }
    }

    fn cancel(&mut self, id: u64) {
        self.arrived.retain(|(other, _)| *other != id);
        let Some(waiting) = self.batches.remove(&id) else { return };
        for request in waiting.requests {
            if self.requests.remove(&request).is_some() {
                self.session.cancel(request);
            }
        }
    }
}

//! Models that others publish: listed and installed in a thread of their own, which can report to Python and be stopped by it.

use crate::error::{FetchError, NotInstalledError};
use crate::installed::{Described, describe, store};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use std::fmt::Display;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};
use wanderwort::fetch::{self, Client, Listener, Lists};
use wanderwort::in_words;
use wanderwort::model::catalogue::{Catalogue, Model, Quality, same_language};
use wanderwort::model::store::Store;

/// How often Python is asked whether a signal has come, and told about the progress.
const INTERVAL: Duration = Duration::from_millis(50);

/// Name, source language, target language, version, licence, bytes to fetch, bytes when unpacked if the list tells.
type Listed = (String, String, String, String, String, u64, Option<u64>);

/// What the thread reports.
enum Event<T> {
    Note(String),
    /// A model's name, bytes that are there, bytes in total.
    Progress(String, u64, u64),
    Done(Result<T, PyErr>),
}

/// Reports to another thread, now and then.
struct Teller<T> {
    events: Sender<Event<T>>,
    stop: Arc<AtomicBool>,
    told: Option<Instant>,
}

impl<T> Listener for Teller<T> {
    fn note(&mut self, note: &dyn Display) {
        // Nobody waits for what was stopped.
        let _ = self.events.send(Event::Note(note.to_string()));
    }

    fn progress(&mut self, model: &Model, fetched: u64, total: u64) -> ControlFlow<()> {
        if self.stop.load(Ordering::Relaxed) {
            return ControlFlow::Break(());
        }
        if fetched >= total || self.told.is_none_or(|told| told.elapsed() >= INTERVAL) {
            self.told = Some(Instant::now());
            let _ = self.events.send(Event::Progress(model.name.clone(), fetched, total));
        }
        ControlFlow::Continue(())
    }
}

/// Does `work` without the interpreter's lock. `progress` is called in Python's thread; what it or a signal handler raises stops the work and is
/// returned at once: a server that is being waited for holds up only the other thread.
fn in_background<T: Send + 'static>(
    python: Python<'_>,
    progress: Option<&Py<PyAny>>,
    work: impl FnOnce(&mut Teller<T>) -> PyResult<T> + Send + 'static,
) -> PyResult<(T, Vec<String>)> {
    let (events, mut receiver) = channel();
    let stop = Arc::new(AtomicBool::new(false));
    let mut teller = Teller { events: events.clone(), stop: Arc::clone(&stop), told: None };
    thread::spawn(move || {
        let result = work(&mut teller);
        let _ = events.send(Event::Done(result));
    });
    let mut notes = Vec::new();
    loop {
        // Borrowed by this thread alone.
        let receiver = &mut receiver;
        let event = python.detach(move || receiver.recv_timeout(INTERVAL));
        let told = match event {
            Ok(Event::Done(result)) => return result.map(|value| (value, notes)),
            Ok(Event::Note(note)) => {
                notes.push(note);
                Ok(())
            }
            Ok(Event::Progress(name, fetched, total)) => {
                progress.map_or(Ok(()), |progress| progress.call1(python, (name, fetched, total)).map(drop))
            }
            Err(RecvTimeoutError::Timeout) => Ok(()),
            Err(RecvTimeoutError::Disconnected) => Err(PyRuntimeError::new_err("the thread that fetches panicked")),
        };
        if let Err(exception) = told.and_then(|()| python.check_signals()) {
            stop.store(true, Ordering::Relaxed);
            return Err(exception);
        }
    }
}

fn error(error: fetch::FetchError) -> PyErr {
    FetchError::new_err(in_words(&error))
}

/// Where models come from and go to.
#[derive(FromPyObject)]
pub struct Origin {
    #[pyo3(item)]
    folder: Option<PathBuf>,
    #[pyo3(item)]
    lists: Vec<String>,
    #[pyo3(item)]
    offline: bool,
    #[pyo3(item)]
    timeout: f64,
}

impl Origin {
    fn open(&self) -> PyResult<(Store, Client, Lists)> {
        let client = Client::new(Duration::from_secs_f64(self.timeout), self.offline);
        Ok((store(self.folder.as_deref())?, client, Lists::new(&self.lists)))
    }
}

fn catalogue<T>(store: &Store, client: &Client, lists: &Lists, teller: &mut Teller<T>) -> PyResult<Catalogue> {
    lists.fetch(store, client, teller).map_err(error)
}

/// The models of the lists, from and to certain languages if these are given, and warnings about the lists.
#[pyfunction]
pub fn available(
    python: Python<'_>,
    source: Option<String>,
    target: Option<String>,
    origin: Origin,
) -> PyResult<(Vec<Listed>, Vec<String>)> {
    let (store, client, lists) = origin.open()?;
    in_background(python, None, move |teller| {
        let catalogue = catalogue(&store, &client, &lists, teller)?;
        let is = |wanted: &Option<String>, tag: &str| wanted.as_ref().is_none_or(|wanted| same_language(wanted, tag));
        let models = catalogue.models.into_iter();
        let fitting = models.filter(|model| is(&source, &model.source) && is(&target, &model.target));
        Ok(fitting.map(listed).collect())
    })
}

fn listed(model: Model) -> Listed {
    let size = model.files.iter().map(|file| file.size).sum();
    let download_size = model.download_size();
    (model.name, model.source, model.target, model.version.to_string(), model.licence, download_size, size)
}

/// Installs the model of a name or a language pair, or the two for a pair that has none; returns what is installed of it now.
#[pyfunction]
pub fn install(
    python: Python<'_>,
    name: String,
    small: bool,
    progress: Option<Py<PyAny>>,
    origin: Origin,
) -> PyResult<(Vec<Described>, Vec<String>)> {
    let (store, client, lists) = origin.open()?;
    in_background(python, progress.as_ref(), move |teller| {
        let catalogue = catalogue(&store, &client, &lists, teller)?;
        let quality = if small { Quality::Small } else { Quality::Good };
        let models = catalogue.choose(&name, quality).map_err(|error| NotInstalledError::new_err(error.to_string()))?;
        for model in &models {
            fetch::install(&store, &client, model, teller).map_err(error)?;
        }
        let installed = store.installed(|_| ()).map_err(crate::installed::error)?;
        let chosen = models.iter().filter_map(|model| installed.iter().find(|there| there.name == model.name));
        Ok(chosen.map(|model| describe(&store, model.clone())).collect())
    })
}

//! Threads that translate while Python goes on: one pool for each process, and work that Ctrl-C stops.

use crate::error::Error;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How often Python is asked whether a signal has come.
const SIGNALS: Duration = Duration::from_millis(50);

/// A pool of threads that is made anew in a forked process, where those of its parent are not.
pub struct Workers {
    threads: usize,
    /// Locked only by who holds the interpreter's lock, and never across its release. Forking needs that lock too, so that no
    /// child finds this one locked.
    pool: Mutex<Pool>,
}

struct Pool {
    process: u32,
    threads: Option<Arc<ThreadPool>>,
}

impl Pool {
    fn start(threads: usize) -> PyResult<Pool> {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.map_err(|error| Error::new_err(format!("cannot start threads: {error}")))?;
        Ok(Pool { process: std::process::id(), threads: Some(Arc::new(pool)) })
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        // To end threads that are not there would be to wait for a lock that one of them may have held.
        if self.process != std::process::id() {
            std::mem::forget(self.threads.take());
        }
    }
}

impl Workers {
    /// So many threads; 0: one for each processor.
    pub fn new(threads: usize) -> PyResult<Workers> {
        Ok(Workers { threads, pool: Mutex::new(Pool::start(threads)?) })
    }

    /// This process's pool.
    pub fn pool(&self, _python: Python<'_>) -> PyResult<Arc<ThreadPool>> {
        let mut pool = self.pool.lock().unwrap_or_else(PoisonError::into_inner);
        if pool.process != std::process::id() || pool.threads.is_none() {
            *pool = Pool::start(self.threads)?;
        }
        pool.threads.clone().ok_or_else(|| PyRuntimeError::new_err("the pool of threads was just started"))
    }
}

/// Has `work` done by the pool without the interpreter's lock. It is told by its flag to stop when a signal's handler raises an
/// exception, such as KeyboardInterrupt, which is given back once it has.
pub fn run<T: Send>(python: Python<'_>, pool: &ThreadPool, work: impl FnOnce(&AtomicBool) -> T + Send) -> PyResult<T> {
    let stop = AtomicBool::new(false);
    python.detach(|| {
        // A panic of `work` goes on from here.
        pool.in_place_scope(|scope| {
            let (sender, receiver) = sync_channel(1);
            let stop = &stop;
            scope.spawn(move |_| {
                // Nobody waits for what was stopped.
                let _ = sender.send(work(stop));
            });
            loop {
                match receiver.recv_timeout(SIGNALS) {
                    Ok(result) => return Ok(result),
                    Err(RecvTimeoutError::Disconnected) => return Err(PyRuntimeError::new_err("a thread panicked")),
                    Err(RecvTimeoutError::Timeout) => {
                        if let Err(exception) = Python::attach(|python| python.check_signals()) {
                            stop.store(true, Ordering::Relaxed);
                            return Err(exception);
                        }
                    }
                }
            }
        })
    })
}

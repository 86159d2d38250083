//! Threads that translate while Python continues: one pool for each process, and work that Ctrl-C can stop.

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

/// A pool of threads that is created anew in a forked process, which does not have its parent's threads.
pub struct Workers {
    threads: usize,
    /// Locked only while holding the interpreter's lock, and never across its release. Forking needs that lock too, so that no
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
        // Ending threads that are not there would mean waiting for a lock that one of them may have held.
        if self.process != std::process::id() {
            std::mem::forget(self.threads.take());
        }
    }
}

impl Workers {
    /// This many threads; 0: one for each processor.
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

/// Has the pool do `work` without the interpreter's lock. Its flag tells it to stop when a signal handler raises an exception,
/// such as KeyboardInterrupt, which is returned once it has stopped.
pub fn run<T: Send>(python: Python<'_>, pool: &ThreadPool, work: impl FnOnce(&AtomicBool) -> T + Send) -> PyResult<T> {
    let stop = AtomicBool::new(false);
    python.detach(|| {
        // A panic in `work` propagates from here.
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

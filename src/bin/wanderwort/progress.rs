//! Progress on standard error if that is a terminal, otherwise silence.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle, WeakProgressBar};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The bar that was made last, which may be on the terminal.
static SHOWN: Mutex<Option<WeakProgressBar>> = Mutex::new(None);

fn shown() -> MutexGuard<'static, Option<WeakProgressBar>> {
    SHOWN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A bar over `length` steps if their number is known. There is nothing of it where standard error is no terminal, or one that cannot go back
/// in a line (`TERM=dumb`), and nothing is left of it when it is dropped. It has no colours.
pub fn bar(length: Option<u64>, template: &str) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(length, ProgressDrawTarget::stderr_with_hz(5));
    bar.set_style(ProgressStyle::with_template(template).expect("a fixed template"));
    *shown() = Some(bar.downgrade());
    bar
}

/// Lets `write` write to the terminal without a bar in its way.
pub fn suspend(write: impl FnOnce()) {
    let bar = shown().as_ref().and_then(WeakProgressBar::upgrade);
    match bar {
        Some(bar) => bar.suspend(write),
        None => write(),
    }
}

/// What has been done so far, with words per second.
pub struct Progress {
    bar: ProgressBar,
    words: u64,
    /// What is being done, followed by space.
    name: String,
}

impl Progress {
    /// Of `bytes` bytes of input if that is known.
    pub fn new(bytes: Option<u64>) -> Self {
        let bar = bar(
            bytes,
            match bytes {
                Some(_) => "{bar:30} {percent:>3}%  {msg}  {eta} left",
                None => "{spinner} {msg}  {elapsed}",
            },
        );
        bar.enable_steady_tick(Duration::from_millis(200));
        Self { bar, words: 0, name: String::new() }
    }

    /// This many more bytes and words are done.
    pub fn add(&mut self, bytes: u64, words: u64) {
        self.words += words;
        self.bar.inc(bytes);
        let seconds = self.bar.elapsed().as_secs_f64();
        let rate = self.words as f64 / seconds.max(1e-9);
        self.bar.set_message(format!("{}{} words, {rate:.0} words/s", self.name, self.words));
    }

    /// What is done from now on.
    pub fn name(&mut self, name: String) {
        self.name = name + "  ";
        self.bar.set_message(self.name.clone());
    }

    /// Removes the progress from the terminal.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

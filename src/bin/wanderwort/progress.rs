//! Progress on standard error if that is a terminal, otherwise silence.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::time::Duration;

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
        // indicatif hides itself when standard error is not a terminal.
        let bar = ProgressBar::with_draw_target(bytes, ProgressDrawTarget::stderr_with_hz(5));
        let template = match bytes {
            Some(_) => "{bar:30} {percent:>3}%  {msg}  {eta} left",
            None => "{spinner} {msg}  {elapsed}",
        };
        bar.set_style(ProgressStyle::with_template(template).expect("a fixed template"));
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

    /// Lets `write` write something else meanwhile.
    pub fn suspend(&self, write: impl FnOnce()) {
        self.bar.suspend(write);
    }

    /// Removes the progress from the terminal.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

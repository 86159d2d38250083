//! One of several processes: translates windows of lines that another process sends it.

use super::frame::{Window, write_bytes};
use super::part::Part;
use crate::output::{Format, LineWriter};
use crate::streams;
use anyhow::{Context, Result};
use std::io::{self, BufReader};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use wanderwort::{Translate, TranslateOptions};

/// Loads a model and translates until no more windows come. The first answer, an empty one, says that the model is loaded.
pub fn run(
    part: &Part,
    open: impl FnOnce() -> Result<Box<dyn Translate>>,
    options: &TranslateOptions,
    format: Format,
) -> Result<()> {
    part.settle()?;
    // What is being done: loading to begin with.
    let work = Arc::new(AtomicUsize::new(1));
    let windows = receive(work.clone());
    let translator = open()?;
    let pool =
        rayon::ThreadPoolBuilder::new().num_threads(part.threads.get()).build().context("cannot start threads")?;
    let mut output = streams::output();
    let mut answer = |bytes: &[u8]| {
        // First, since after the answer the pipe may be closed for good.
        work.fetch_sub(1, Ordering::SeqCst);
        write_bytes(&mut output, bytes)
    };
    answer(&[])?;
    for window in windows {
        let texts: Vec<&str> = window.lines.iter().map(|line| line.text.as_str()).collect();
        let translations = pool.install(|| translator.translate_batch(&texts, options));
        let mut writer = LineWriter::new(Vec::new(), format, window.first);
        for (translation, line) in translations.iter().zip(&window.lines) {
            writer.write(translation, line.ending)?;
        }
        answer(&writer.into_inner())?;
    }
    Ok(())
}

/// The windows that arrive. When the process that sends them is gone, there is nobody left to translate for: this one ends at once, whatever
/// it is doing, on every platform and whatever became of the other.
fn receive(work: Arc<AtomicUsize>) -> mpsc::Receiver<Window> {
    let (sender, receiver) = mpsc::sync_channel(1);
    thread::spawn(move || {
        let mut input = BufReader::with_capacity(1 << 16, io::stdin());
        while let Ok(window) = Window::read(&mut input) {
            work.fetch_add(1, Ordering::SeqCst);
            if sender.send(window).is_err() {
                return;
            }
        }
        if work.load(Ordering::SeqCst) > 0 {
            std::process::exit(1);
        }
    });
    receiver
}

//! Progress of a download on a terminal's standard error, and whatever else is worth knowing.

use crate::progress;
use crate::streams::tell;
use indicatif::ProgressBar;
use std::fmt::Display;
use std::ops::ControlFlow;
use wanderwort::fetch::Listener;
use wanderwort::model::catalogue::Model;

/// A bar that appears with the first byte, and disappears when this is dropped.
pub struct Bar {
    bar: Option<ProgressBar>,
}

impl Bar {
    pub fn new() -> Bar {
        Bar { bar: None }
    }
}

impl Listener for Bar {
    fn note(&mut self, note: &dyn Display) {
        tell!("wanderwort: warning: {note}");
    }

    fn progress(&mut self, model: &Model, fetched: u64, total: u64) -> ControlFlow<()> {
        let bar = self.bar.get_or_insert_with(|| {
            let bar =
                progress::bar(Some(total), "{msg}  {bar:30} {bytes} of {total_bytes}, {bytes_per_sec}, {eta} left");
            bar.set_message(model.name.clone());
            bar
        });
        bar.set_position(fetched);
        ControlFlow::Continue(())
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

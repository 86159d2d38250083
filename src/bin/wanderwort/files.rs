//! Writing files so that nothing good is lost and nothing partial is left.

use anyhow::{Context, Result};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The files that are being written beside their final places. Whoever creates, moves or removes one holds the lock, so that a signal finds
/// exactly those that exist.
static PARTS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn parts() -> MutexGuard<'static, Vec<PathBuf>> {
    PARTS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A file beside its final place, which is removed unless it is moved there.
struct Part {
    path: PathBuf,
    is_moved: bool,
}

impl Part {
    fn create(place: &Path, name: &std::ffi::OsStr) -> io::Result<(Part, File)> {
        #[cfg(unix)]
        signals::watch();
        let mut name = name.to_owned();
        name.push(format!(".{}.part", std::process::id()));
        let path = place.with_file_name(name);
        let mut parts = parts();
        let file = File::options().write(true).create_new(true).open(&path)?;
        parts.push(path.clone());
        Ok((Part { path, is_moved: false }, file))
    }

    fn move_to(mut self, place: &Path) -> io::Result<()> {
        // Drop takes the lock too, after this one is released.
        let result = {
            let _parts = parts();
            fs::rename(&self.path, place)
        };
        self.is_moved = result.is_ok();
        result
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        let mut parts = parts();
        if !self.is_moved {
            // What is left of it is of no use to anyone.
            let _ = fs::remove_file(&self.path);
        }
        parts.retain(|part| *part != self.path);
    }
}

/// Writes `bytes` beside `path` and moves them there when they are complete and on the disk: a reader never sees half a
/// file, and a failure or a signal leaves what was there, and nothing else. A link keeps pointing to its file, and something that is not a
/// file, such as a pipe or a device, is written to.
pub fn replace_file(path: &Path, bytes: &[u8]) -> Result<()> {
    let cannot = || format!("cannot write {}", path.display());
    if fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir()) {
        return File::options().write(true).open(path).and_then(|mut file| file.write_all(bytes)).with_context(cannot);
    }
    let place = fs::canonicalize(path);
    let path = place.as_deref().unwrap_or(path);
    let name = path.file_name().with_context(|| format!("{} is not a file name", path.display()))?;
    let write = || {
        let (part, mut file) = Part::create(path, name)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        part.move_to(path)
    };
    write().with_context(cannot)
}

#[cfg(unix)]
mod signals {
    use super::parts;
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
    use signal_hook::iterator::Signals;
    use signal_hook::low_level::emulate_default_handler;
    use std::sync::{Arc, Once};

    /// From now on, a signal that ends the program first removes what it is writing; then the program ends as it would have otherwise.
    pub fn watch() {
        static WATCHED: Once = Once::new();
        WATCHED.call_once(|| {
            // A file beyond the size that the user may write is a write error, like a full disk.
            let _ = signal_hook::flag::register(SIGXFSZ, Arc::default());
            let ignored = ignored();
            // Whoever started the program with a signal ignored, as `nohup` does, wants it to go on.
            let ends = |signal: &i32| ignored.map_or(*signal != SIGHUP, |ignored| ignored >> (signal - 1) & 1 == 0);
            let Ok(mut signals) = Signals::new([SIGHUP, SIGINT, SIGTERM].iter().filter(|signal| ends(signal))) else {
                return;
            };
            std::thread::spawn(move || {
                let Some(signal) = signals.forever().next() else { return };
                // Held to the end, so that nothing new is made.
                let parts = parts();
                for part in parts.iter() {
                    let _ = std::fs::remove_file(part);
                }
                let _ = emulate_default_handler(signal);
                std::process::exit(128 + signal);
            });
        });
    }

    /// The signals that this program was started to ignore, one per bit, the first in the lowest, if the system tells them.
    fn ignored() -> Option<u64> {
        let status = std::fs::read_to_string("/proc/self/status").ok()?;
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"))?;
        u64::from_str_radix(mask.trim(), 16).ok()
    }
}

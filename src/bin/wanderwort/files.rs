//! Writing files so that nothing good is lost.

use anyhow::{Context, Result};
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

/// Writes `bytes` beside `path` and moves them there when they are complete and on the disk: a reader never sees half a
/// file, and a failure leaves what was there. A link goes on leading to its file, and what is no file, such as a pipe or
/// a device, is written to.
pub fn replace_file(path: &Path, bytes: &[u8]) -> Result<()> {
    let cannot = || format!("cannot write {}", path.display());
    if fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir()) {
        return File::options().write(true).open(path).and_then(|mut file| file.write_all(bytes)).with_context(cannot);
    }
    let place = fs::canonicalize(path);
    let path = place.as_deref().unwrap_or(path);
    let mut name = path.file_name().with_context(|| format!("{} is not a file name", path.display()))?.to_owned();
    name.push(format!(".{}.part", std::process::id()));
    let part = path.with_file_name(name);
    let write = || {
        let mut file = File::options().write(true).create_new(true).open(&part)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        std::fs::rename(&part, path)
    };
    write().map_err(|error| {
        // What is left of it is of no use to anyone.
        let _ = std::fs::remove_file(&part);
        anyhow::Error::new(error).context(cannot())
    })
}

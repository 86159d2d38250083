//! Writing files so that nothing good is lost.

use anyhow::{Context, Result};
use std::fs::File;
use std::io::Write;
use std::path::Path;

/// Writes `bytes` beside `path` and moves them there when they are complete and on the disk: a reader never sees half a
/// file, and a failure leaves what was there.
pub fn replace_file(path: &Path, bytes: &[u8]) -> Result<()> {
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
        anyhow::Error::new(error).context(format!("cannot write {}", path.display()))
    })
}

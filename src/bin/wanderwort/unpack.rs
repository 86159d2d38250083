//! `unpack`: from a package to Marian's files.

use crate::files::replace_file;
use crate::streams;
use anyhow::{Context, Result, bail};
use std::io::{ErrorKind, Write};
use std::path::PathBuf;
use wanderwort::model::package::unpack;

/// Write the files of a package for other tools: float32 weights (.npz), vocabulary, shortlist, decoder.yml.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The package.
    package: PathBuf,

    /// The folder to write to; it is created if there is none, and must be empty otherwise.
    #[arg(long, value_name = "DIR")]
    to: PathBuf,
}

const EXAMPLES: &str = "\
The weights are what the package's codes stand for: the folder translates as the package does with --float. Training can go on from
model.npz (`start` of a configuration, see train/README.md), and `wanderwort convert --from DIR` packs the folder again.

Examples:
  wanderwort unpack models/en-de.tiny.wanderwort --to en-de.tiny
  wanderwort translate --model en-de.tiny --float < english.txt";

pub fn run(arguments: &Arguments) -> Result<()> {
    let (path, folder) = (&arguments.package, &arguments.to);
    let package = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    // Before the work, not after it.
    match folder.read_dir() {
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        entries => {
            if entries.with_context(|| format!("cannot read {}", folder.display()))?.next().is_some() {
                bail!("{} is not empty; what is there could be taken for a part of the model", folder.display());
            }
        }
    }
    let files = unpack(&path.display().to_string(), &package)?;
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
    let mut output = streams::output();
    for file in &files {
        let path = folder.join(&file.name);
        replace_file(&path, &file.bytes)?;
        writeln!(output, "{}: {:.2} MB", path.display(), file.bytes.len() as f64 / 1e6)?;
    }
    Ok(())
}

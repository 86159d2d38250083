//! `index`: enter a package into a list of models.

use crate::files::{lock_folder_of, replace_file};
use crate::streams;
use anyhow::{Context, Result, anyhow, bail};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use wanderwort::model::Error;
use wanderwort::model::package::{Card, Reader};

/// Enter a package into a list of models (index.json), with its size, checksum, licence and scores.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The package.
    package: PathBuf,

    /// The list, which is created if there is none. An entry of the same name is replaced.
    #[arg(long, value_name = "FILE")]
    index: PathBuf,

    /// Where readers fetch the package, relative to the list or on another host [default: beside the list].
    #[arg(long)]
    url: Option<String>,

    /// What readers should know about this model, in one sentence [default: what the entry said before].
    #[arg(long)]
    note: Option<String>,
}

const EXAMPLES: &str = "\
Name, languages, licence and scores are those of the package: give them to `wanderwort convert`.

Examples:
  wanderwort index models/en-de.wanderwort --index models/index.json
  wanderwort index en-fr.wanderwort --index models/index.json --url https://models.example/en-fr.wanderwort";

/// The version of the list's format.
const VERSION: u64 = 1;

pub fn run(arguments: &Arguments) -> Result<()> {
    let path = &arguments.package;
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let entry = enter(&arguments.index, &path.display().to_string(), &bytes, &arguments.url()?, |entry| {
        if let Some(note) = &arguments.note {
            entry["note"] = note.as_str().into();
        }
    })?;
    writeln!(streams::output(), "{}", serde_json::to_string_pretty(&entry)?)?;
    Ok(())
}

/// Enters a package into the list at `index`, with what `complete` adds to its entry, and returns the entry. `file` is its name in errors.
pub fn enter(index: &Path, file: &str, bytes: &[u8], url: &str, complete: impl FnOnce(&mut Value)) -> Result<Value> {
    let mut reader = Reader::new(file);
    reader.push(bytes, |_| Ok::<(), Error>(()))?;
    reader.finish()?;
    let card = &reader.header().context("a package has a header")?.card;
    if card.name.is_empty() {
        bail!("{file}: the package has no name; convert it again with --name");
    }

    // Whoever enters another package at the same time waits, so that no entry is lost.
    let _lock = lock_folder_of(index);
    let mut list = read(index)?;
    let models = list.get_mut("models").and_then(Value::as_array_mut);
    let models = models.ok_or_else(|| anyhow!("{}: expected {{\"models\": […]}}", index.display()))?;
    let place = models.iter().position(|model| model["name"] == card.name.as_str());
    let before = place.map(|place| models[place]["note"].clone()).filter(|note| !note.is_null());
    let mut entry = entry(card, bytes, url, before);
    complete(&mut entry);
    match place {
        Some(place) => models[place] = entry.clone(),
        None => models.push(entry.clone()),
    }
    let mut text = serde_json::to_string_pretty(&list)?;
    text.push('\n');
    replace_file(index, text.as_bytes())?;
    Ok(entry)
}

impl Arguments {
    fn url(&self) -> Result<String> {
        if let Some(url) = &self.url {
            return Ok(url.clone());
        }
        let folder = |path: &Path| path.parent().map(Path::to_owned).unwrap_or_default();
        let name = self.package.file_name().and_then(|name| name.to_str());
        name.filter(|_| folder(&self.package) == folder(&self.index)).map(str::to_owned).ok_or_else(|| {
            anyhow!(
                "{} does not lie beside {}; tell with --url where readers fetch it",
                self.package.display(),
                self.index.display()
            )
        })
    }
}

/// The list at `path`; an empty one if there is none.
pub fn read(path: &Path) -> Result<Value> {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(json!({"version": VERSION, "models": []})),
        Err(error) => return Err(anyhow!(error).context(format!("cannot read {}", path.display()))),
    };
    let list: Value = serde_json::from_str(&text)
        .with_context(|| format!("{}: expected a list of models in JSON, found something else", path.display()))?;
    if list["version"] != VERSION {
        bail!(
            "{}: expected version {VERSION} of the list, found {}; another version of this program made it, or it is no list of models",
            path.display(),
            list["version"]
        );
    }
    Ok(list)
}

fn entry(card: &Card, bytes: &[u8], url: &str, note: Option<Value>) -> Value {
    let sha256: String = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    let mut scores: Map<String, Value> = Map::new();
    for score in &card.scores {
        // The metric's name; what follows in the package is its signature.
        let metric = score.metric.split(' ').next().unwrap_or_default();
        let metric = metric.trim_end_matches(|c: char| c.is_ascii_digit()).to_lowercase();
        let set = scores.entry(score.set.clone()).or_insert_with(|| json!({}));
        set[metric] = json!(score.value);
    }
    let mut entry = json!({
        "name": card.name,
        "source": card.source_language,
        "target": card.target_language,
        "files": [{"role": "package", "url": url, "size": bytes.len(), "sha256": sha256}],
        "licence": card.licence,
        "scores": scores,
    });
    if let Some(note) = note {
        entry["note"] = note;
    }
    entry
}

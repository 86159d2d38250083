//! Mirroring: published models as packages in a folder, with an index, for any static host.

use crate::streams::tell;
use anyhow::{Context, Result, bail, ensure};
use serde_json::json;
use std::fs;
use std::path::PathBuf;
use wanderwort::MarianSource;
use wanderwort::fetch::fetch_files;
use wanderwort::model::catalogue::{Model, Part};
use wanderwort::model::package::{Bits, Card, ConvertOptions};
use wanderwort::model::{MarianFiles, Weights};

use super::bar::Bar;
use super::{FolderArguments, QualityArguments, SourceArguments, choose};
use crate::convert::{Storage, pack, signs};
use crate::files::{Destination, replace_file};
use crate::index;
use crate::model::warn;

/// Fetch models, convert them to packages and write an index, as a folder for any static host.
#[derive(clap::Args)]
pub struct Arguments {
    /// Language pairs such as en-fr, or names of models as `list` shows them.
    #[arg(required_unless_present = "all", value_name = "PAIR")]
    models: Vec<String>,

    /// All models of the lists.
    #[arg(long, conflicts_with = "models")]
    all: bool,

    /// The folder to write. Models that are in its index already and have not changed are not fetched again.
    #[arg(long, value_name = "DIR")]
    to: PathBuf,

    /// How matrices are stored, as for `wanderwort convert --bits`. int8 is what these models use themselves; log4 and uniform are smaller.
    #[arg(long, default_value = "int8")]
    bits: Storage,

    #[command(flatten)]
    quality: QualityArguments,

    #[command(flatten)]
    folder: FolderArguments,

    #[command(flatten)]
    source: SourceArguments,
}

pub fn run(arguments: &Arguments) -> Result<()> {
    // Before the work, not after it.
    let to = &arguments.to;
    fs::create_dir_all(to).with_context(|| format!("cannot make the folder {}", to.display()))?;
    let list = to.join("index.json");
    Destination::new(&list)?;
    index::read(&list)?;
    let store = arguments.folder.store()?;
    let client = arguments.source.client();
    let catalogue = arguments.source.catalogue(&store, &client)?;
    let quality = arguments.quality.quality();
    let models: Vec<&Model> =
        if arguments.all { catalogue.models.iter().collect() } else { choose(&catalogue, &arguments.models, quality)? };
    ensure!(!models.is_empty(), "the lists have no models; --list names others");
    let mut failed = 0;
    for (number, model) in models.iter().enumerate() {
        let file = format!("{}.wanderwort", model.name);
        let made_from = origin(model, &arguments.bits);
        let is_there =
            |entry: &serde_json::Value| entry["name"] == model.name.as_str() && entry["madeFrom"] == made_from.as_str();
        if to.join(&file).is_file()
            && index::read(&list)?["models"].as_array().is_some_and(|models| models.iter().any(is_there))
        {
            tell!("{} of {}: {file} is there already", number + 1, models.len());
            continue;
        }
        let _lock = store.lock(&model.name)?;
        let mirror = || {
            fetch_files(&store, &client, model, &mut Bar::new())?;
            let package = package(arguments, model, &store.partial(&model.name).join("files"))?;
            replace_file(&to.join(&file), &package)?;
            index::enter(&list, &file, &package, &file, |entry| {
                entry["architecture"] = model.architecture.as_str().into();
                entry["version"] = json!(model.version.to_string());
                entry["madeFrom"] = made_from.as_str().into();
            })?;
            tell!("{} of {}: {file}, {:.1} MB", number + 1, models.len(), package.len() as f64 / 1e6);
            let _ = fs::remove_dir_all(store.partial(&model.name));
            Ok::<_, anyhow::Error>(())
        };
        if let Err(error) = mirror() {
            tell!("wanderwort: {}: {error:#}", model.name);
            failed += 1;
        }
    }
    ensure!(failed == 0, "{failed} of {} models could not be mirrored", models.len());
    Ok(())
}

/// What a package is made from: it is made again when that changes.
fn origin(model: &Model, bits: &Storage) -> String {
    let weights = model.files.iter().find(|file| matches!(file.part, Part::Package | Part::Model));
    let sha256 =
        weights.and_then(|file| file.sha256).map_or_else(|| model.version.to_string(), |sha256| sha256.to_string());
    if model.file(Part::Package).is_some() { sha256 } else { format!("{sha256} {bits:?}") }
}

fn package(arguments: &Arguments, model: &Model, folder: &std::path::Path) -> Result<Vec<u8>> {
    if let Some(package) = model.file(Part::Package) {
        let path = folder.join(&package.name);
        return fs::read(&path).with_context(|| format!("cannot read {}", path.display()));
    }
    let weights = if arguments.bits.bits == Bits::Int8 { Weights::Int8 } else { Weights::Float32 };
    let files = MarianFiles::read_folder(folder, weights)?;
    let source = MarianSource::open(&files)?;
    warn(source.warnings());
    let card = Card {
        name: model.name.clone(),
        source_language: model.source.clone(),
        target_language: model.target.clone(),
        licence: model.licence.clone(),
        ..Card::default()
    };
    let (bits, exceptions) = (arguments.bits.bits, arguments.bits.exceptions.clone());
    let package = pack(&source, &ConvertOptions { bits, exceptions, card, ..source.convert_options() }, |_| {})?;
    if package.is_empty() {
        bail!("{}: nothing to pack", model.name);
    }
    signs::measured(&model.name, &package)
}

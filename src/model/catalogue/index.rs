//! Indexes: what `wanderwort index` and `wanderwort models mirror` write, for any static host.
//!
//! ```json
//! {"version": 1, "models": [{"name": "en-de.tiny", "source": "en", "target": "de", "licence": "…",
//!   "architecture": "tiny", "version": "3.0",
//!   "files": [{"role": "package", "url": "en-de.tiny.wanderwort", "size": 6803159, "sha256": "…"}]}]}
//! ```
//!
//! Addresses are relative to the index. A file may have several, the first in `url` and others in `mirrors`. `architecture`, `version`,
//! `compression` and `mirrors` may be missing; anything else in an entry is for readers.

use serde_json::Value;

use super::{
    Catalogue, CatalogueError, Compression, Fields, File, KNOWN_MAJOR, Location, MOST_LOCATIONS, Model, Note, Part,
    Version, is_plain_name, join, name, unpacked_name,
};

/// The version of the form.
const VERSION: u64 = 1;

pub(super) fn read(url: &str, version: &Value, models: &[Value]) -> Result<Catalogue, CatalogueError> {
    if version.as_u64() != Some(VERSION) {
        return Err(CatalogueError::Version { url: url.to_owned(), found: version.to_string(), known: VERSION });
    }
    let mut catalogue = Catalogue::default();
    for (number, value) in models.iter().enumerate() {
        match model(url, &Fields { entry: number.to_string(), value }) {
            Ok(model) => catalogue.models.push(model),
            Err(note) => catalogue.notes.push(note),
        }
    }
    Ok(catalogue)
}

fn model(url: &str, fields: &Fields) -> Result<Model, Note> {
    let (source, target) = (fields.tag("source")?, fields.tag("target")?);
    let architecture = fields.name("architecture")?.to_owned();
    let version = if fields.value["version"].is_null() { Version::default() } else { fields.version("version")? };
    let given = fields.name("name")?;
    let name = if given.is_empty() { name(&source, &target, &architecture) } else { given.to_owned() };
    if version.major() > KNOWN_MAJOR {
        return Err(Note::Newer { model: name, version });
    }
    let no_files = Vec::new();
    let entries = fields.value["files"].as_array().unwrap_or(&no_files);
    let mut files: Vec<File> = Vec::new();
    for value in entries {
        let fields = Fields { entry: name.clone(), value };
        let part = match fields.text("role")? {
            "package" => Part::Package,
            "model" => Part::Model,
            "shortlist" => Part::Shortlist,
            "vocabulary" => Part::Vocabulary,
            "sourceVocabulary" => Part::SourceVocabulary,
            "targetVocabulary" => Part::TargetVocabulary,
            _ => continue,
        };
        if files.iter().all(|file| file.part != part) {
            files.push(file(url, part, &fields)?);
        }
    }
    let licence = fields.value["licence"].as_str().unwrap_or_default().to_owned();
    let model = Model { source, target, architecture, version, name, licence, files };
    match model.lacks() {
        Some(part) => Err(Note::Incomplete { model: model.name, part }),
        None => Ok(model),
    }
}

fn file(url: &str, part: Part, fields: &Fields) -> Result<File, Note> {
    let first = fields.text("url")?;
    let no_mirrors = Vec::new();
    let mirrors = fields.value["mirrors"].as_array().unwrap_or(&no_mirrors);
    let mut locations = Vec::new();
    for address in std::iter::once(first).chain(mirrors.iter().filter_map(Value::as_str)).take(MOST_LOCATIONS) {
        let wrong = || fields.wrong("url", "an http or https address", &address.into());
        let compression = match fields.value["compression"].as_str() {
            Some("zstd") => Compression::Zstd,
            Some("gzip") => Compression::Gzip,
            _ => Compression::of_name(address),
        };
        locations.push(Location { url: join(url, address).ok_or_else(wrong)?, compression, size: None });
    }
    let path = first.split(['?', '#']).next().unwrap_or(first);
    let file_name = unpacked_name(path);
    if !is_plain_name(file_name) {
        return Err(fields.wrong("url", "an address that ends with a file's name", &first.into()));
    }
    Ok(File {
        part,
        name: file_name.to_owned(),
        size: fields.size("size")?,
        sha256: fields.sha256("sha256")?,
        locations,
    })
}

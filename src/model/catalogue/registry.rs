//! Mozilla's registry of models: `{"baseUrl", "models": {"en-fr": [entry…]}}`.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::{
    Catalogue, Compression, Fields, File, KNOWN_MAJOR, Location, Model, Note, Part, Version, is_plain_name, join, name,
    unpacked_name,
};

/// The terms of use of all these models.
const LICENCE: &str = "MPL-2.0";

/// The host whose objects are also available in a form that pages may read.
const STORAGE: &str = "https://storage.googleapis.com/";

/// The parts by the names of their fields.
const PARTS: [(&str, Part); 5] = [
    ("model", Part::Model),
    ("lexicalShortlist", Part::Shortlist),
    ("vocab", Part::Vocabulary),
    ("srcVocab", Part::SourceVocabulary),
    ("trgVocab", Part::TargetVocabulary),
];

pub(super) fn read(base: &str, models: &Map<String, Value>) -> Catalogue {
    let (mut catalogue, mut places) = (Catalogue::default(), HashMap::new());
    for (pair, entries) in models {
        for value in entries.as_array().into_iter().flatten() {
            match model(base, &Fields { entry: pair.chars().take(40).collect(), value }) {
                Ok(None) => {}
                Ok(Some(model)) => {
                    let models = &mut catalogue.models;
                    let place = *places.entry(model.name.clone()).or_insert(models.len());
                    match models.get_mut(place) {
                        Some(known) if known.version >= model.version => {}
                        Some(known) => *known = model,
                        None => models.push(model),
                    }
                }
                Err(note) => catalogue.notes.push(note),
            }
        }
    }
    catalogue
}

/// A model; none if it is not released.
fn model(base: &str, fields: &Fields) -> Result<Option<Model>, Note> {
    if !fields.value["releaseStatus"].as_str().is_none_or(|status| status.starts_with("Release")) {
        return Ok(None);
    }
    let (source, target) = (fields.tag("sourceLanguage")?, fields.tag("targetLanguage")?);
    let architecture = fields.name("architecture")?.to_owned();
    let version = if fields.value["version"].is_null() { Version::default() } else { fields.version("version")? };
    let name = name(&source, &target, &architecture);
    if version.major() > KNOWN_MAJOR {
        return Err(Note::Newer { model: name, version });
    }
    let mut files = Vec::new();
    for (field, part) in PARTS {
        let value = &fields.value["files"][field];
        if !value.is_null() {
            files.push(file(base, part, &Fields { entry: name.clone(), value })?);
        }
    }
    let model = Model { source, target, architecture, version, name, licence: LICENCE.to_owned(), files };
    match model.lacks() {
        Some(part) => Err(Note::Incomplete { model: model.name, part }),
        None => Ok(Some(model)),
    }
}

fn file(base: &str, part: Part, fields: &Fields) -> Result<File, Note> {
    let path = fields.text("path")?;
    let wrong = || fields.wrong("path", "a path below the base address", &path.into());
    if path.contains("://") || !is_plain_name(unpacked_name(path)) {
        return Err(wrong());
    }
    let folder = format!("{}/", base.trim_end_matches('/'));
    let url = join(&folder, path.trim_start_matches('/')).ok_or_else(wrong)?;
    let compression = Compression::of_name(path);
    let location = |url| Location { url, compression, size: None };
    let download = download_form(&url).map(location);
    Ok(File {
        part,
        name: unpacked_name(path).to_owned(),
        size: fields.size("uncompressedSize")?,
        sha256: fields.sha256("uncompressedHash")?,
        locations: std::iter::once(location(url)).chain(download).collect(),
    })
}

/// The address at which the storage service's JSON interface gives an object: unlike the plain one, it lets pages read it.
fn download_form(url: &str) -> Option<String> {
    let (bucket, object) = url.strip_prefix(STORAGE)?.split_once('/')?;
    let encoded = object.replace('%', "%25").replace('/', "%2F").replace('+', "%2B");
    Some(format!("{STORAGE}download/storage/v1/b/{bucket}/o/{encoded}?alt=media"))
}

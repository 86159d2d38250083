//! Mozilla's Remote Settings records: one for each file, `{"data": [record…]}`.
//!
//! A file that did not change from one version of a model to the next may have no record of the newer version, so each model takes the newest
//! file of each part that is no newer than itself.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::{
    Catalogue, Compression, Fields, File, KNOWN_MAJOR, Location, Model, Note, Part, Version, is_plain_name, join, name,
    origin, unpacked_name,
};

/// The host of the records, whose attachments are on another one.
const RECORDS_HOST: &str = "https://firefox.settings.services.mozilla.com";

/// The base address of the attachments.
const ATTACHMENTS: &str = "https://firefox-settings-attachments.cdn.mozilla.net/";

/// The terms of use of all these models.
const LICENCE: &str = "MPL-2.0";

/// Where the attachments of records from `url` are: a mirror of the records has them itself.
pub(super) fn attachments(url: &str) -> String {
    if origin(url) == RECORDS_HOST { ATTACHMENTS.to_owned() } else { format!("{}/", origin(url)) }
}

/// A file's record.
struct Record {
    key: (String, String, String),
    version: Version,
    file: File,
}

pub(super) fn read(attachments: &str, data: &[Value]) -> Catalogue {
    let mut catalogue = Catalogue::default();
    let mut groups: BTreeMap<(String, String, String), Vec<Record>> = BTreeMap::new();
    let mut newer = BTreeSet::new();
    for (number, value) in data.iter().enumerate() {
        match record(attachments, &Fields { entry: number.to_string(), value }) {
            Ok(None) => {}
            Ok(Some(Record { key: (source, target, architecture), version, .. })) if version.major() > KNOWN_MAJOR => {
                // One note serves for all its files.
                if newer.insert((source.clone(), target.clone(), architecture.clone(), version.to_string())) {
                    catalogue.notes.push(Note::Newer { model: name(&source, &target, &architecture), version });
                }
            }
            Ok(Some(record)) => groups.entry(record.key.clone()).or_default().push(record),
            Err(note) => catalogue.notes.push(note),
        }
    }
    for ((source, target, architecture), mut records) in groups {
        records.sort_by(|a, b| b.version.cmp(&a.version));
        let models = records.iter().filter(|record| record.file.part == Part::Model).map(|record| &record.version);
        let complete = models.map(|version| {
            let mut files: Vec<File> = Vec::new();
            for record in records.iter().filter(|record| record.version <= *version) {
                if files.iter().all(|file| file.part != record.file.part) {
                    files.push(record.file.clone());
                }
            }
            files.sort_by_key(|file| file.part);
            Model {
                name: name(&source, &target, &architecture),
                source: source.clone(),
                target: target.clone(),
                architecture: architecture.clone(),
                version: version.clone(),
                licence: LICENCE.to_owned(),
                files,
            }
        });
        let mut lacking = Some(Part::Model);
        for model in complete {
            lacking = model.lacks();
            if lacking.is_none() {
                catalogue.models.push(model);
                break;
            }
        }
        if let Some(part) = lacking {
            catalogue.notes.push(Note::Incomplete { model: name(&source, &target, &architecture), part });
        }
    }
    catalogue
}

/// A record; none if its kind of file is not known, or if it is not for everybody.
fn record(attachments: &str, fields: &Fields) -> Result<Option<Record>, Note> {
    let part = match fields.text("fileType")? {
        "model" => Part::Model,
        "lex" => Part::Shortlist,
        "vocab" => Part::Vocabulary,
        "srcvocab" => Part::SourceVocabulary,
        "trgvocab" => Part::TargetVocabulary,
        _ => return Ok(None),
    };
    // Records with a condition are for trial versions of a browser.
    if fields.value["filter_expression"].as_str().is_some_and(|condition| !condition.trim().is_empty()) {
        return Ok(None);
    }
    let key = (fields.tag("sourceLanguage")?, fields.tag("targetLanguage")?, fields.name("architecture")?.to_owned());
    let attachment = Fields { entry: fields.entry.clone(), value: &fields.value["attachment"] };
    let location = attachment.text("location")?;
    let url = join(attachments, location);
    let url = url.ok_or_else(|| attachment.wrong("location", "a path on the host of attachments", &location.into()))?;
    let stated = fields.text("name")?;
    if !is_plain_name(unpacked_name(stated)) {
        return Err(fields.wrong("name", "a file's name", &stated.into()));
    }
    let compression = match attachment.value["mimetype"].as_str() {
        Some("application/zstd") => Compression::Zstd,
        Some("application/gzip" | "application/x-gzip") => Compression::Gzip,
        _ => Compression::of_name(location),
    };
    let plain = compression == Compression::None;
    // A file that is not compressed has the attachment's own checksum and size.
    let sha256 = fields.sha256("decompressedHash")?.or(if plain { attachment.sha256("hash")? } else { None });
    let fetched = attachment.size("size")?;
    let size = fields.size("decompressedSize")?.or(fetched.filter(|_| plain));
    let file = File {
        part,
        name: unpacked_name(stated).to_owned(),
        size,
        sha256,
        locations: vec![Location { url, compression, size: fetched }],
    };
    Ok(Some(Record { key, version: fields.version("version")?, file }))
}

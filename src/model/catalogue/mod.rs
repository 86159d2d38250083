//! Where models come from: lists of models in several forms, read into one description.
//!
//! A [`Catalogue`] is read from a list and the address that the list came from. Three forms of lists are read, told apart by their content:
//!
//! | list | read by | files |
//! | --- | --- | --- |
//! | an index, as `wanderwort index` and `wanderwort models mirror` write it: ours, or a mirror of one's own | `index.rs` | packages, or Marian's files |
//! | Mozilla's Remote Settings records | `records.rs` | Marian's, zstd-compressed |
//! | Mozilla's registry of models | `registry.rs` | Marian's, gzip-compressed |
//!
//! A model has languages, an architecture, a version and files; a file has a part to play, a size and the SHA-256 of its uncompressed bytes
//! as far as the list gives them, and one or more [`Location`]s, to be tried in turn. Nothing here fetches anything. Lists come from the
//! network: whatever is in one, reading it ends with a catalogue or with an error. Entries that cannot be used are left out and reported
//! ([`Catalogue::notes`]).

mod choice;
mod index;
mod records;
mod registry;
mod version;

use std::collections::HashMap;
use std::fmt;

pub use choice::{NoModel, Quality, Route, pairs, same_language};
pub use version::Version;

pub use super::compression::Compression;
use crate::text::language::Language;

/// The highest major version of Mozilla's models whose files are read.
pub const KNOWN_MAJOR: u32 = 3;

/// Longest list that is read, in bytes: many times the size of existing lists.
pub const LONGEST_LIST: usize = 32 << 20;

/// Most entries of a list: many times those of existing lists.
pub const MOST_ENTRIES: usize = 20_000;

/// Most locations that a file has; others are left out.
const MOST_LOCATIONS: usize = 16;

/// No file of a model is larger when unpacked: 2 GiB.
pub const LARGEST_FILE: u64 = 1 << 31;

/// Models that can be fetched.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Catalogue {
    /// The models, by languages, then by size.
    pub models: Vec<Model>,
    /// What is left out of the lists, and why.
    pub notes: Vec<Note>,
}

/// A model of a catalogue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Model {
    /// Source language, a BCP 47 tag.
    pub source: String,
    /// Target language, a BCP 47 tag.
    pub target: String,
    /// What kind of network it is, as its list calls it: "tiny", "base-memory", "base"; empty if the list does not say.
    pub architecture: String,
    /// Its version.
    pub version: Version,
    /// Its name, in characters that every file system accepts.
    pub name: String,
    /// Terms of use, as far as the list tells them.
    pub licence: String,
    /// Its files.
    pub files: Vec<File>,
}

/// A file of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Which part of the model it is.
    pub part: Part,
    /// Its name when it is unpacked, without folders.
    pub name: String,
    /// Its size when it is unpacked, if the list tells it.
    pub size: Option<u64>,
    /// SHA-256 of its bytes when it is unpacked, if the list tells it.
    pub sha256: Option<Sha256>,
    /// Where it is, to be tried in turn; at least one.
    pub locations: Vec<Location>,
}

/// Which part of a model a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// The whole model as a package.
    Package,
    /// Weights and architecture.
    Model,
    /// The lexical shortlist.
    Shortlist,
    /// The vocabulary of both languages.
    Vocabulary,
    /// The vocabulary of the source language.
    SourceVocabulary,
    /// The vocabulary of the target language.
    TargetVocabulary,
}

/// A place where a file is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// An http or https address.
    pub url: String,
    /// How it is compressed there, as the list says. A server may do otherwise; the first bytes tell.
    pub compression: Compression,
    /// Bytes to fetch, if the list tells it.
    pub size: Option<u64>,
}

/// The SHA-256 of some bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Sha256(pub [u8; 32]);

impl Sha256 {
    /// Reads 64 hexadecimal digits.
    pub fn parse(text: &str) -> Option<Sha256> {
        let mut bytes = [0; 32];
        if text.len() != 64 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        for (byte, digits) in bytes.iter_mut().zip(text.as_bytes().chunks(2)) {
            *byte = u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
        }
        Some(Sha256(bytes))
    }
}

impl fmt::Display for Sha256 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Sha256 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sha256({self})")
    }
}

/// Something in a list that is left out.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Note {
    /// A model of a version that this program does not know.
    #[error(
        "{model}: version {version} needs a newer version of this program, which knows versions up to {KNOWN_MAJOR}"
    )]
    Newer {
        /// The model.
        model: String,
        /// Its version.
        version: Version,
    },
    /// A model that lacks something.
    #[error("{model}: the list has no {part:?} of it")]
    Incomplete {
        /// The model.
        model: String,
        /// What it lacks.
        part: Part,
    },
    /// An entry with a field that is missing or of another form.
    #[error("entry {entry}: expected {expected} as `{field}`, found {found}")]
    Field {
        /// Which entry of the list, from 0, or its name.
        entry: String,
        /// The field.
        field: &'static str,
        /// What should be there.
        expected: &'static str,
        /// What is there.
        found: String,
    },
}

/// Why a list could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CatalogueError {
    /// It is not JSON.
    #[error("{url}: not JSON: {source}; is this the address of a list of models?")]
    Json {
        /// Where the list came from.
        url: String,
        /// What is wrong.
        source: serde_json::Error,
    },
    /// It has none of the known forms.
    #[error(
        "{url}: expected a list of models: {{\"version\", \"models\": […]}} of an index, {{\"data\": […]}} of Remote Settings, or \
         {{\"baseUrl\", \"models\": {{…}}}} of a registry"
    )]
    Form {
        /// Where the list came from.
        url: String,
    },
    /// It is an index of a version that this program does not know.
    #[error("{url}: version {found} of the list; this program reads version {known}, a newer one may read it")]
    Version {
        /// Where the list came from.
        url: String,
        /// Its version.
        found: String,
        /// The version that is read.
        known: u64,
    },
    /// It is too long.
    #[error("{url}: the list has {found} bytes, at most {LONGEST_LIST} are read")]
    Length {
        /// Where the list came from.
        url: String,
        /// Its length.
        found: usize,
    },
    /// It has too many entries.
    #[error("{url}: the list has {found} entries, at most {MOST_ENTRIES} are read")]
    Entries {
        /// Where the list came from.
        url: String,
        /// Their number.
        found: usize,
    },
    /// Its own address, to which those in it are relative, is not an http or https address.
    #[error("{url:?} is no http or https address")]
    Address {
        /// The address.
        url: String,
    },
}

impl Catalogue {
    /// Reads a list that came from `url`.
    ///
    /// # Errors
    /// If it is not a list, or not of a known form. Single entries that cannot be used are left out, see [`notes`](Self::notes).
    pub fn read(url: &str, bytes: &[u8]) -> Result<Catalogue, CatalogueError> {
        if bytes.len() > LONGEST_LIST {
            return Err(CatalogueError::Length { url: url.to_owned(), found: bytes.len() });
        }
        if !is_address(url) {
            return Err(CatalogueError::Address { url: url.to_owned() });
        }
        let json = |source| CatalogueError::Json { url: url.to_owned(), source };
        let list: serde_json::Value = serde_json::from_slice(bytes).map_err(json)?;
        let found = match (&list["models"], &list["data"]) {
            (serde_json::Value::Array(models), _) => models.len(),
            (serde_json::Value::Object(models), _) => {
                models.values().map(|entries| entries.as_array().map_or(1, |entries| entries.len().max(1))).sum()
            }
            (_, serde_json::Value::Array(data)) => data.len(),
            _ => 0,
        };
        if found > MOST_ENTRIES {
            return Err(CatalogueError::Entries { url: url.to_owned(), found });
        }
        let mut catalogue = match (&list["models"], &list["data"]) {
            (serde_json::Value::Array(models), _) => index::read(url, &list["version"], models)?,
            (serde_json::Value::Object(models), _) => {
                let base = list["baseUrl"].as_str().unwrap_or_default();
                let base = join(url, base).ok_or_else(|| CatalogueError::Form { url: url.to_owned() })?;
                registry::read(&base, models)
            }
            (_, serde_json::Value::Array(data)) => records::read(&records::attachments(url), data),
            _ => return Err(CatalogueError::Form { url: url.to_owned() }),
        };
        catalogue.sort();
        Ok(catalogue)
    }

    /// Adds the models of another list. A model that both have (by the checksum of its weights) then has the locations of both.
    pub fn add(&mut self, other: Catalogue) {
        self.notes.extend(other.notes);
        let mut places = Places::default();
        for (place, model) in self.models.iter().enumerate() {
            places.add(place, model);
        }
        for model in other.models {
            if let Some(place) = places.of_same(&model) {
                self.models[place].add_locations(model);
                continue;
            }
            // Of two models with the same name, the newer one stays; if neither is newer, the earlier list counts.
            let place = match places.by_name.get(&model.name) {
                Some(&place) if self.models[place].version >= model.version => continue,
                Some(&place) => {
                    places.remove(place, &self.models[place]);
                    self.models[place] = model;
                    place
                }
                None => {
                    self.models.push(model);
                    self.models.len() - 1
                }
            };
            places.add(place, &self.models[place]);
        }
        self.sort();
    }

    fn sort(&mut self) {
        let key = |model: &Model| (model.source.clone(), model.target.clone(), model.weight(), model.name.clone());
        self.models.sort_by_cached_key(key);
    }
}

/// Where models are, by what tells that two of them are the same. Of several, the first counts.
#[derive(Default)]
struct Places {
    by_name: HashMap<String, usize>,
    by_weights: HashMap<Weights, usize>,
}

/// Source, target, and the checksum of the file with the weights.
type Weights = (String, String, Part, Sha256);

impl Places {
    fn add(&mut self, place: usize, model: &Model) {
        self.by_name.entry(model.name.clone()).or_insert(place);
        if let Some(weights) = model.weights() {
            self.by_weights.entry(weights).or_insert(place);
        }
    }

    fn of_same(&self, model: &Model) -> Option<usize> {
        self.by_weights.get(&model.weights()?).copied()
    }

    /// Forgets the weights of a model that gives way to another of its name.
    fn remove(&mut self, place: usize, model: &Model) {
        if let Some(weights) = model.weights()
            && self.by_weights.get(&weights) == Some(&place)
        {
            self.by_weights.remove(&weights);
        }
    }
}

impl Model {
    /// Its file for this part.
    pub fn file(&self, part: Part) -> Option<&File> {
        self.files.iter().find(|file| file.part == part)
    }

    /// Bytes to fetch, as far as the list tells: from the first location of each file, or else its unpacked size.
    pub fn download_size(&self) -> u64 {
        self.files.iter().filter_map(File::download_size).fold(0, u64::saturating_add)
    }

    /// How large its weights are, which tells the smaller of two models of a pair.
    fn weight(&self) -> u64 {
        self.files
            .iter()
            .filter(|file| matches!(file.part, Part::Package | Part::Model))
            .filter_map(|file| file.size)
            .sum()
    }

    /// What it shares with no other model, if its list tells the checksum.
    fn weights(&self) -> Option<Weights> {
        let file = self.files.iter().find(|file| matches!(file.part, Part::Package | Part::Model))?;
        Some((self.source.clone(), self.target.clone(), file.part, file.sha256?))
    }

    fn add_locations(&mut self, other: Model) {
        for file in other.files {
            let Some(own) = self.files.iter_mut().find(|own| own.part == file.part) else { continue };
            if own.sha256.is_some() && file.sha256.is_some_and(|sha256| own.sha256 != Some(sha256)) {
                continue;
            }
            own.sha256 = own.sha256.or(file.sha256);
            own.size = own.size.or(file.size);
            for location in file.locations {
                if own.locations.len() < MOST_LOCATIONS && own.locations.iter().all(|known| known.url != location.url) {
                    own.locations.push(location);
                }
            }
        }
    }

    /// What it lacks to be complete.
    fn lacks(&self) -> Option<Part> {
        let has = |part| self.file(part).is_some();
        match () {
            () if has(Part::Package) => None,
            () if !has(Part::Model) => Some(Part::Model),
            () if has(Part::Vocabulary) => None,
            () if !has(Part::SourceVocabulary) => Some(Part::Vocabulary),
            () if !has(Part::TargetVocabulary) => Some(Part::TargetVocabulary),
            () => None,
        }
    }
}

impl File {
    /// Bytes to fetch, as far as the list tells.
    pub fn download_size(&self) -> Option<u64> {
        self.locations.first().and_then(|location| location.size).or(self.size)
    }
}

/// The name of a model for which a list has none.
fn name(source: &str, target: &str, architecture: &str) -> String {
    let separator = if architecture.is_empty() { "" } else { "." };
    format!("{source}-{target}{separator}{architecture}")
}

/// Whether a text has the form of a BCP 47 tag; tags longer than any language has do not count.
fn is_tag(text: &str) -> bool {
    let mut subtags = text.split('-');
    let is_primary = |tag: &str| (2..=8).contains(&tag.len()) && tag.bytes().all(|byte| byte.is_ascii_alphabetic());
    let is_subtag = |tag: &str| (1..=8).contains(&tag.len()) && tag.bytes().all(|byte| byte.is_ascii_alphanumeric());
    text.len() <= 35 && subtags.next().is_some_and(is_primary) && subtags.all(is_subtag)
}

/// Whether a text can be part of a file's name on every system: letters, digits and some ASCII signs, not beginning with a dot.
pub(super) fn is_plain_name(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-+".contains(&byte);
    !text.is_empty()
        && text.len() <= 128
        && text.bytes().all(is_plain)
        && !text.starts_with('.')
        && !text.ends_with('.')
}

/// The last part of a path, without the ending that says how it is compressed.
fn unpacked_name(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.strip_suffix(".gz").or_else(|| name.strip_suffix(".zst")).unwrap_or(name)
}

fn is_address(url: &str) -> bool {
    let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
    let is_plain = |c: char| c.is_ascii_graphic() && !"\"<>\\^`{|}".contains(c);
    rest.is_some_and(|rest| !rest.is_empty() && !rest.starts_with('/'))
        && url.len() <= 2048
        && url.chars().all(is_plain)
}

/// The full form of an address in a document at `base`. None if it is not an http or https address.
fn join(base: &str, url: &str) -> Option<String> {
    if url.contains("://") {
        return is_address(url).then(|| url.to_owned());
    }
    let joined = match url.strip_prefix('/') {
        Some(_) if url.starts_with("//") => return None,
        Some(path) => format!("{}/{path}", origin(base)),
        None => {
            let base = base.split(['?', '#']).next().unwrap_or(base);
            let folder =
                if base.len() > origin(base).len() { base.rfind('/').map_or(base, |at| &base[..at]) } else { base };
            format!("{folder}/{}", url.strip_prefix("./").unwrap_or(url))
        }
    };
    is_address(&joined).then_some(joined)
}

/// Scheme and host of an address.
fn origin(url: &str) -> &str {
    let host = url.find("://").map_or(0, |at| at + 3);
    let end = url[host..].find(['/', '?', '#']).map_or(url.len(), |length| host + length);
    &url[..end]
}

/// The tag by which the engine and the page know a language, from the spelling in a list: `zh_hans` is `zh-Hans`.
fn tag(text: &str) -> Option<String> {
    let tag = text.replace('_', "-");
    if !is_tag(&tag) {
        return None;
    }
    let canonical = |(index, subtag): (usize, &str)| match subtag.len() {
        4 if index > 0 => subtag[..1].to_ascii_uppercase() + &subtag[1..].to_ascii_lowercase(),
        2 if index > 0 => subtag.to_ascii_uppercase(),
        _ => subtag.to_ascii_lowercase(),
    };
    let tag = tag.split('-').enumerate().map(canonical).collect::<Vec<_>>().join("-");
    // For a language without subtags, the engine knows the code that is used.
    let known = Language::from_tag(&tag).filter(|_| !tag.contains('-'));
    Some(known.map_or(tag, |language| language.tag().to_owned()))
}

/// Reads fields of an entry, and says what is wrong with one.
struct Fields<'a> {
    entry: String,
    value: &'a serde_json::Value,
}

impl<'a> Fields<'a> {
    fn wrong(&self, field: &'static str, expected: &'static str, found: &serde_json::Value) -> Note {
        let mut found = found.to_string();
        if found.len() > 60 {
            found.truncate(found.floor_char_boundary(57));
            found.push('…');
        }
        Note::Field { entry: self.entry.clone(), field, expected, found }
    }

    fn text(&self, field: &'static str) -> Result<&'a str, Note> {
        let value = &self.value[field];
        value.as_str().ok_or_else(|| self.wrong(field, "a text", value))
    }

    fn tag(&self, field: &'static str) -> Result<String, Note> {
        let text = self.text(field)?;
        tag(text).ok_or_else(|| self.wrong(field, "a BCP 47 tag", &text.into()))
    }

    /// A text that is part of file names; empty if it is absent.
    fn name(&self, field: &'static str) -> Result<&'a str, Note> {
        let text = if self.value[field].is_null() { "" } else { self.text(field)? };
        if text.is_empty() || is_plain_name(text) {
            return Ok(text);
        }
        Err(self.wrong(field, "letters, digits, `-`, `_` and `.`", &text.into()))
    }

    fn size(&self, field: &'static str) -> Result<Option<u64>, Note> {
        let value = &self.value[field];
        if value.is_null() {
            return Ok(None);
        }
        let size = value.as_u64().filter(|size| *size <= LARGEST_FILE);
        size.map(Some).ok_or_else(|| self.wrong(field, "a number of bytes up to 2 GiB", value))
    }

    fn sha256(&self, field: &'static str) -> Result<Option<Sha256>, Note> {
        let value = &self.value[field];
        if value.is_null() {
            return Ok(None);
        }
        let sha256 = value.as_str().and_then(Sha256::parse);
        sha256.map(Some).ok_or_else(|| self.wrong(field, "64 hexadecimal digits", value))
    }

    fn version(&self, field: &'static str) -> Result<Version, Note> {
        let text = self.text(field)?;
        Version::parse(text).ok_or_else(|| self.wrong(field, "a version such as 3.0", &text.into()))
    }
}

#[cfg(test)]
mod tests;

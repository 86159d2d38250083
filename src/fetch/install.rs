//! Installing: each file from the first location that gives the right bytes, and the model only when it loads.

use super::{Client, FetchError, Listener, file_name};
use crate::model::catalogue::{self, LARGEST_FILE, Location, Model, Part};
use crate::model::store::{Installed, InstalledFile, Store};
use crate::model::{self, Unpacker};
use crate::{LoadOptions, Translator, in_words};
use sha2::{Digest, Sha256};
use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// How Firefox runs these models, which their lists do not say.
const SETTINGS: &str = "\
beam-size: 1
normalize: 1.0
word-penalty: 0
max-length-break: 128
max-length-factor: 2.0
";

/// Installs a model; false if this version of it is there already.
///
/// Goes on from what an earlier, interrupted attempt has left. Waits for another process that is installing the same model.
///
/// # Errors
/// If no location gives a file's bytes, if the model does not load, if files cannot be written, or if the listener stops it. What was
/// installed before stays.
pub fn install(
    store: &Store,
    client: &Client,
    model: &Model,
    listener: &mut impl Listener,
) -> Result<bool, FetchError> {
    let waits = || listener.note(&format_args!("another process is installing {}; waiting for it", model.name));
    let _lock = store.lock_after(&model.name, waits)?;
    let installed = store.installed(|damaged| listener.note(&damaged))?;
    if let Some(there) = installed.iter().find(|there| there.name == model.name && there.is(model)) {
        let Some(file) = changed_file(store, there) else { return Ok(false) };
        listener
            .note(&format_args!("{file} of {} is not as it was installed; the model is installed again", model.name));
    }
    let files = fetch_files(store, client, model, listener)?;
    let installed = Installed {
        name: model.name.clone(),
        source: model.source.clone(),
        target: model.target.clone(),
        version: model.version.to_string(),
        licence: model.licence.clone(),
        files,
    };
    let folder = store.partial(&model.name).join("files");
    let package = installed.files.iter().find(|file| file.package);
    let path = package.map_or_else(|| folder.clone(), |package| folder.join(&package.name));
    if let Err(error) = Translator::open(&path, &LoadOptions::default()) {
        // Fetched again, it would be the same.
        let _ = fs::remove_dir_all(store.partial(&model.name));
        return Err(FetchError::Unusable { model: model.name.clone(), source: Box::new(error) });
    }
    store.put(&installed)?;
    Ok(true)
}

/// The first file of an installed model that is not what was installed.
fn changed_file<'a>(store: &Store, model: &'a Installed) -> Option<&'a str> {
    let folder = store.folder().join(&model.name).join("files");
    let is_same = |file: &InstalledFile| {
        digest_of(&folder.join(&file.name)).is_ok_and(|(sha256, _)| sha256.to_string() == file.sha256)
    };
    model.files.iter().find(|file| !is_same(file)).map(|file| file.name.as_str())
}

/// Fetches the files of a model to `files` in its [partial folder](Store::partial), where some may already be from an earlier attempt. The
/// caller holds the model's [lock](Store::lock).
///
/// # Errors
/// As [`install`], except that nothing is loaded.
pub fn fetch_files(
    store: &Store,
    client: &Client,
    model: &Model,
    listener: &mut impl Listener,
) -> Result<Vec<InstalledFile>, FetchError> {
    let partial = store.partial(&model.name);
    let folder = partial.join("files");
    fs::create_dir_all(&folder).map_err(FetchError::io("make", &folder))?;
    let total = model.download_size();
    let mut files: Vec<InstalledFile> = Vec::new();
    let mut done = 0;
    for file in &model.files {
        let path = folder.join(&file.name);
        if files.iter().any(|other| other.name == file.name) {
            return Err(FetchError::Twice { model: model.name.clone(), file: file.name.clone() });
        }
        let there = file.sha256.and_then(|sha256| digest_of(&path).ok().filter(|(found, _)| *found == sha256));
        let (sha256, size) = match there {
            Some(there) => there,
            None => fetch_file(client, file, &path, &partial, |bytes| listener.progress(model, done + bytes, total))?,
        };
        done += file.download_size().unwrap_or(size);
        if listener.progress(model, done, total).is_break() {
            return Err(FetchError::Stopped);
        }
        let package = file.part == Part::Package;
        files.push(InstalledFile { name: file.name.clone(), size, sha256: sha256.to_string(), package });
    }
    // Files that only an earlier version had do not belong to this one.
    for entry in fs::read_dir(&folder).map_err(FetchError::io("read", &folder))? {
        let entry = entry.map_err(FetchError::io("read", &folder))?;
        if files.iter().all(|file| entry.file_name() != file.name.as_str()) {
            fs::remove_file(entry.path()).map_err(FetchError::io("remove", &entry.path()))?;
        }
    }
    if !files.iter().any(|file| file.package) {
        let path = folder.join("decoder.yml");
        fs::write(&path, SETTINGS).map_err(FetchError::io("write", &path))?;
    }
    Ok(files)
}

/// Fetches a file from one of its locations.
fn fetch_file(
    client: &Client,
    file: &catalogue::File,
    path: &Path,
    partial: &Path,
    mut progress: impl FnMut(u64) -> ControlFlow<()>,
) -> Result<(catalogue::Sha256, u64), FetchError> {
    let mut failures = Vec::new();
    for location in &file.locations {
        // What an earlier attempt left there may be of another version: then it is fetched once more from the beginning.
        for fresh in [false, true] {
            let packed = packed(partial, location);
            let is_left = packed.exists();
            if fresh {
                fs::remove_file(&packed).map_err(FetchError::io("remove", &packed))?;
            }
            let limit = location.size.unwrap_or(LARGEST_FILE).max(file.size.unwrap_or(0)) + (1 << 20);
            let fetched = client.file(&location.url, &packed, limit, &mut progress);
            match fetched.and_then(|()| unpack(file, &packed, path)) {
                Ok(found) => {
                    fs::remove_file(&packed).map_err(FetchError::io("remove", &packed))?;
                    return Ok(found);
                }
                // No other location and no other bytes help against a full disk.
                Err(error @ (FetchError::Stopped | FetchError::Io { .. })) => return Err(error),
                Err(error) if is_left && !fresh && tells_of_wrong_bytes(&error) => continue,
                Err(error) => {
                    if tells_of_wrong_bytes(&error) {
                        let _ = fs::remove_file(&packed);
                    }
                    failures.push(in_words(&error));
                    break;
                }
            }
        }
    }
    Err(FetchError::File { file: file.name.clone(), failures })
}

/// Whether an error says that what was fetched is not the file.
fn tells_of_wrong_bytes(error: &FetchError) -> bool {
    matches!(error, FetchError::Unpack { .. } | FetchError::Size { .. } | FetchError::Checksum { .. })
}

/// Where the bytes of a location are until they are unpacked.
fn packed(partial: &Path, location: &Location) -> PathBuf {
    partial.join(file_name(&location.url, "part"))
}

/// What can be wrong while a file is unpacked.
enum Fault {
    Content(model::Error),
    Writing(io::Error),
}

impl From<model::Error> for Fault {
    fn from(error: model::Error) -> Fault {
        Fault::Content(error)
    }
}

/// Unpacks a file to its place, if it is the right one; returns its checksum and size.
fn unpack(file: &catalogue::File, packed: &Path, path: &Path) -> Result<(catalogue::Sha256, u64), FetchError> {
    let unpacked = path.with_extension("unpacked");
    let found = unpack_to(file, packed, &unpacked).and_then(|found| {
        fs::rename(&unpacked, path).map_err(FetchError::io("write", path))?;
        Ok(found)
    });
    if found.is_err() {
        let _ = fs::remove_file(&unpacked);
    }
    found
}

/// Unpacks a file to `unpacked` and checks it.
fn unpack_to(file: &catalogue::File, packed: &Path, unpacked: &Path) -> Result<(catalogue::Sha256, u64), FetchError> {
    let mut input = File::open(packed).map_err(FetchError::io("read", packed))?;
    let mut output = BufWriter::new(File::create(unpacked).map_err(FetchError::io("write", unpacked))?);
    let (mut digest, mut size) = (Sha256::new(), 0);
    let mut unpacker = Unpacker::new(&file.name, file.size);
    let mut take = |content: &[u8]| -> Result<(), Fault> {
        size += content.len() as u64;
        digest.update(content);
        output.write_all(content).map_err(Fault::Writing)
    };
    let in_words = |fault| match fault {
        Fault::Content(error) => FetchError::Unpack { file: file.name.clone(), source: Box::new(error) },
        Fault::Writing(error) => FetchError::io("write", unpacked)(error),
    };
    let mut buffer = vec![0; 1 << 16];
    loop {
        match input.read(&mut buffer).map_err(FetchError::io("read", packed))? {
            0 => break,
            count => unpacker.push(&buffer[..count], &mut take).map_err(in_words)?,
        }
    }
    unpacker.finish(&mut take).map_err(in_words)?;
    let found = catalogue::Sha256(digest.finalize().into());
    match (file.size, file.sha256) {
        (Some(expected), _) if expected != size => {
            return Err(FetchError::Size { file: file.name.clone(), expected, found: size });
        }
        (_, Some(expected)) if expected != found => {
            return Err(FetchError::Checksum { file: file.name.clone(), expected, found });
        }
        _ => {}
    }
    output.flush().and_then(|()| output.get_ref().sync_all()).map_err(FetchError::io("write", unpacked))?;
    Ok((found, size))
}

fn digest_of(path: &Path) -> io::Result<(catalogue::Sha256, u64)> {
    let (mut digest, mut size) = (Sha256::new(), 0);
    let mut file = File::open(path)?;
    let mut buffer = vec![0; 1 << 16];
    loop {
        let count = file.read(&mut buffer)?;
        if count == 0 {
            return Ok((catalogue::Sha256(digest.finalize().into()), size));
        }
        size += count as u64;
        digest.update(&buffer[..count]);
    }
}

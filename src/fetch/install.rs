//! Installing: each file from the first location that gives the right bytes, and the model only when it loads.

use anyhow::{Context, Result, anyhow, bail, ensure};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use sha2::{Digest, Sha256};
use std::fs::{self, File};
use std::io::{BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use wanderwort::model::Unpacker;
use wanderwort::model::catalogue::{self, LARGEST_FILE, Location, Model, Part};
use wanderwort::model::store::{Installed, InstalledFile, Store};
use wanderwort::{LoadOptions, Translator};

use super::fetch::Client;
use super::warn_damaged;

/// How Firefox runs these models, which their lists do not say.
const SETTINGS: &str = "\
beam-size: 1
normalize: 1.0
word-penalty: 0
max-length-break: 128
max-length-factor: 2.0
";

/// Installs models, those that are not there already.
pub fn install_all(store: &Store, client: &Client, models: &[&Model]) -> Result<()> {
    for model in models {
        let _lock = store.lock(&model.name)?;
        let there = store.installed(warn_damaged)?.into_iter().find(|installed| installed.name == model.name);
        if there.as_ref().is_some_and(|installed| installed.is(model)) {
            eprintln!("{} is installed already", model.name);
            continue;
        }
        let files = fetch_model(store, client, model)?;
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
            // Fetched again it would be the same.
            let _ = fs::remove_dir_all(store.partial(&model.name));
            return Err(anyhow!(error).context(format!("{} was fetched whole, but cannot be used", model.name)));
        }
        store.put(&installed)?;
        eprintln!("{} is installed", model.name);
    }
    Ok(())
}

/// Fetches the files of a model to its partial folder, where some may be from an earlier time.
pub fn fetch_model(store: &Store, client: &Client, model: &Model) -> Result<Vec<InstalledFile>> {
    let partial = store.partial(&model.name);
    let folder = partial.join("files");
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let bar = ProgressBar::with_draw_target(Some(model.download_size()), ProgressDrawTarget::stderr_with_hz(5));
    bar.set_style(
        ProgressStyle::with_template("{msg}  {bar:30} {bytes} of {total_bytes}, {bytes_per_sec}, {eta} left")
            .expect("a fixed template"),
    );
    bar.set_message(model.name.clone());
    let mut files = Vec::new();
    let mut done = 0;
    for file in &model.files {
        let path = folder.join(&file.name);
        ensure!(
            files.iter().all(|other: &InstalledFile| other.name != file.name),
            "{}: the list has two files {}",
            model.name,
            file.name
        );
        let there = file.sha256.and_then(|sha256| digest_of(&path).ok().filter(|(found, _)| *found == sha256));
        let (sha256, size) = match there {
            Some(there) => there,
            None => fetch_file(client, file, &path, &partial, |bytes| bar.set_position(done + bytes))?,
        };
        done += file.download_size().unwrap_or(size);
        bar.set_position(done);
        let package = file.part == Part::Package;
        files.push(InstalledFile { name: file.name.clone(), size, sha256: sha256.to_string(), package });
    }
    // What an earlier version had besides is not this one's.
    let context = || format!("cannot read {}", folder.display());
    for entry in fs::read_dir(&folder).with_context(context)? {
        let entry = entry.with_context(context)?;
        if files.iter().all(|file| entry.file_name() != file.name.as_str()) {
            fs::remove_file(entry.path()).with_context(|| format!("cannot remove {}", entry.path().display()))?;
        }
    }
    if !files.iter().any(|file| file.package) {
        let path = folder.join("decoder.yml");
        fs::write(&path, SETTINGS).with_context(|| format!("cannot write {}", path.display()))?;
    }
    bar.finish_and_clear();
    Ok(files)
}

/// Fetches a file from one of its locations.
fn fetch_file(
    client: &Client,
    file: &catalogue::File,
    path: &Path,
    partial: &Path,
    mut progress: impl FnMut(u64),
) -> Result<(catalogue::Sha256, u64)> {
    let mut failures = Vec::new();
    for location in &file.locations {
        // What an earlier time left there may be of another version: then it is fetched once more from the beginning.
        for fresh in [false, true] {
            let packed = packed(partial, location);
            let is_left = packed.exists();
            if fresh {
                fs::remove_file(&packed).with_context(|| format!("cannot remove {}", packed.display()))?;
            }
            let limit = location.size.unwrap_or(LARGEST_FILE).max(file.size.unwrap_or(0)) + (1 << 20);
            let fetched = client.file(&location.url, &packed, limit, &mut progress).map_err(|error| (error, false));
            let unpacked = fetched.and_then(|()| unpack(file, &packed, path).map_err(|error| (error, true)));
            match unpacked {
                Ok(found) => {
                    fs::remove_file(&packed).with_context(|| format!("cannot remove {}", packed.display()))?;
                    return Ok(found);
                }
                Err((_, true)) if is_left && !fresh => continue,
                Err((error, wrong)) => {
                    if wrong {
                        let _ = fs::remove_file(&packed);
                    }
                    failures.push(format!("{error:#}"));
                    break;
                }
            }
        }
    }
    bail!("cannot fetch {}: {}", file.name, failures.join("; "))
}

/// Where the bytes of a location are until they are unpacked.
fn packed(partial: &Path, location: &Location) -> PathBuf {
    let digest = Sha256::digest(location.url.as_bytes());
    let name: String = digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    partial.join(format!("{name}.part"))
}

/// Unpacks a file to its place, if it is the right one; its checksum and size.
fn unpack(file: &catalogue::File, packed: &Path, path: &Path) -> Result<(catalogue::Sha256, u64)> {
    let mut input = File::open(packed).with_context(|| format!("cannot read {}", packed.display()))?;
    let unpacked = path.with_extension("unpacked");
    let mut output =
        BufWriter::new(File::create(&unpacked).with_context(|| format!("cannot write {}", unpacked.display()))?);
    let (mut digest, mut size) = (Sha256::new(), 0);
    let mut unpacker = Unpacker::new(&file.name, file.size);
    let mut take = |content: &[u8]| -> Result<()> {
        size += content.len() as u64;
        digest.update(content);
        Ok(output.write_all(content)?)
    };
    let copied = each_piece(&mut input, |piece| unpacker.push(piece, &mut take))
        .and_then(|()| unpacker.finish(&mut take))
        .with_context(|| format!("cannot unpack {}", file.name));
    let checked = copied.and_then(|()| {
        let sha256 = catalogue::Sha256(digest.finalize().into());
        ensure!(
            file.size.is_none_or(|expected| expected == size),
            "{} has {size} bytes, and its list says {}",
            file.name,
            file.size.unwrap_or_default()
        );
        ensure!(
            file.sha256.is_none_or(|expected| expected == sha256),
            "{} is not the file that its list tells: SHA-256 {sha256}, expected {}",
            file.name,
            file.sha256.unwrap_or(sha256)
        );
        output.flush()?;
        output.get_ref().sync_all()?;
        Ok((sha256, size))
    });
    match checked {
        Ok(found) => {
            fs::rename(&unpacked, path).with_context(|| format!("cannot write {}", path.display()))?;
            Ok(found)
        }
        Err(error) => {
            let _ = fs::remove_file(&unpacked);
            Err(error)
        }
    }
}

/// Reads a file to its end, piece by piece.
fn each_piece(input: &mut File, mut take: impl FnMut(&[u8]) -> Result<()>) -> Result<()> {
    let mut buffer = vec![0; 1 << 16];
    loop {
        match input.read(&mut buffer)? {
            0 => return Ok(()),
            count => take(&buffer[..count])?,
        }
    }
}

fn digest_of(path: &Path) -> Result<(catalogue::Sha256, u64)> {
    let (mut digest, mut size) = (Sha256::new(), 0);
    each_piece(&mut File::open(path)?, |piece| {
        size += piece.len() as u64;
        digest.update(piece);
        Ok(())
    })?;
    Ok((catalogue::Sha256(digest.finalize().into()), size))
}

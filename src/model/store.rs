//! Where installed models are: `FOLDER/NAME/files`, with `FOLDER/NAME/installed.json` beside.
//!
//! A model is put together in `FOLDER/.partial/NAME` and moved to its place when it is complete and has been checked, so what has a place can be
//! used. Lists that were fetched are in `FOLDER/.lists`.

use anyhow::{Context, Result, anyhow, bail};
use directories::ProjectDirs;
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use wanderwort::model::catalogue::{Model, Part, same_language};

use super::pairs;

/// The environment's folder.
const VARIABLE: &str = "WANDERWORT_MODELS";

/// The file that says what a folder holds.
const DESCRIPTION: &str = "installed.json";

/// Installed models.
#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
}

/// An installed model.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Installed {
    /// Its name, which is its folder's.
    pub name: String,
    pub source: String,
    pub target: String,
    pub version: String,
    pub licence: String,
    pub files: Vec<InstalledFile>,
}

/// A file of an installed model.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct InstalledFile {
    pub name: String,
    pub size: u64,
    pub sha256: String,
    /// Whether it is the whole model.
    pub package: bool,
}

impl Installed {
    /// Bytes of its files.
    pub fn bytes(&self) -> u64 {
        self.files.iter().map(|file| file.size).sum()
    }

    /// Whether it is what a list has under its name.
    pub fn is(&self, model: &Model) -> bool {
        self.version == model.version.to_string()
            && model.files.iter().all(|file| {
                let weights = matches!(file.part, Part::Package | Part::Model);
                let same = |own: &&InstalledFile| file.sha256.is_none_or(|sha256| own.sha256 == sha256.to_string());
                !weights || self.files.iter().find(|own| own.name == file.name).as_ref().is_some_and(same)
            })
    }
}

impl Store {
    /// The store in a folder, or else in the environment's or the platform's.
    pub fn new(folder: Option<&Path>) -> Result<Store> {
        if let Some(folder) = folder {
            return Ok(Store { folder: folder.to_owned() });
        }
        if let Some(folder) = std::env::var_os(VARIABLE).filter(|folder| !folder.is_empty()) {
            return Ok(Store { folder: folder.into() });
        }
        let platform = ProjectDirs::from("", "", "wanderwort");
        let platform =
            platform.ok_or_else(|| anyhow!("this user has no home folder; --folder says where models are"))?;
        Ok(Store { folder: platform.data_local_dir().join("models") })
    }

    /// Where it is.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Where lists are kept.
    pub fn lists(&self) -> PathBuf {
        self.folder.join(".lists")
    }

    /// Where a model of this name is put together.
    pub fn partial(&self, name: &str) -> PathBuf {
        self.folder.join(".partial").join(name)
    }

    /// What is installed, by name.
    pub fn installed(&self) -> Result<Vec<Installed>> {
        let context = || format!("cannot read {}", self.folder.display());
        let entries = match fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error).with_context(context),
        };
        let mut installed = Vec::new();
        for entry in entries {
            let path = entry.with_context(context)?.path().join(DESCRIPTION);
            let Ok(bytes) = fs::read(&path) else { continue };
            match serde_json::from_slice::<Installed>(&bytes) {
                Ok(model) => installed.push(model),
                Err(error) => eprintln!("wanderwort: warning: {} is damaged: {error}", path.display()),
            }
        }
        installed.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(installed)
    }

    /// The installed models of a name or a pair of languages.
    pub fn matching(&self, name: &str) -> Result<Vec<Installed>> {
        let installed = self.installed()?;
        let mut found: Vec<Installed> = installed.iter().filter(|model| model.name == name).cloned().collect();
        if found.is_empty() {
            let is_pair = |model: &&Installed| {
                pairs(name).any(|(from, to)| same_language(from, &model.source) && same_language(to, &model.target))
            };
            found = installed.iter().filter(is_pair).cloned().collect();
        }
        if found.is_empty() {
            bail!("no model {name} is installed in {}", self.folder.display());
        }
        Ok(found)
    }

    /// What `--model` takes to load a model: its package, or its folder.
    pub fn path(&self, model: &Installed) -> PathBuf {
        let files = self.folder.join(&model.name).join("files");
        match model.files.iter().find(|file| file.package) {
            Some(package) => files.join(&package.name),
            None => files,
        }
    }

    /// Deletes a model.
    pub fn remove(&self, model: &Installed) -> Result<()> {
        let place = self.folder.join(&model.name);
        // Away at once, so that nobody finds half of it.
        let gone = self.partial(&format!("{}.{}.removed", model.name, std::process::id()));
        let remove = || {
            fs::create_dir_all(gone.parent().unwrap_or(&self.folder))?;
            fs::rename(&place, &gone)?;
            fs::remove_dir_all(&gone)
        };
        remove().with_context(|| format!("cannot remove {}", place.display()))
    }

    /// Puts a model in its place that was put together in its partial folder.
    pub fn put(&self, model: &Installed) -> Result<()> {
        let partial = self.partial(&model.name);
        let place = self.folder.join(&model.name);
        let description = serde_json::to_vec_pretty(model)?;
        let put = || {
            let mut file = File::create(partial.join(DESCRIPTION))?;
            std::io::Write::write_all(&mut file, &description)?;
            file.sync_all()?;
            if place.exists() {
                let gone = self.partial(&format!("{}.{}.removed", model.name, std::process::id()));
                fs::rename(&place, &gone)?;
                fs::rename(&partial, &place)?;
                return fs::remove_dir_all(&gone);
            }
            fs::rename(&partial, &place)
        };
        put().with_context(|| format!("cannot write {}", place.display()))
    }

    /// Holds a model's partial folder for this process until the lock is dropped; waits while another one has it.
    pub fn lock(&self, name: &str) -> Result<File> {
        let path = self.folder.join(".partial").join(format!("{name}.lock"));
        let lock = || {
            fs::create_dir_all(path.parent().unwrap_or(&self.folder))?;
            let file = File::create(&path)?;
            file.lock()?;
            Ok::<_, std::io::Error>(file)
        };
        lock().with_context(|| format!("cannot lock {}", path.display()))
    }
}

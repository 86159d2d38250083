//! Where installed models are: `FOLDER/NAME/files`, with `FOLDER/NAME/installed.json` beside it.
//!
//! A model is put together in `FOLDER/.partial/NAME` and moved to its place when it is complete and has been checked, so whatever is in its
//! place can be used. Fetched lists are in `FOLDER/.lists`.

use super::catalogue::{Model, Part, Route, pairs, same_language};
use directories::ProjectDirs;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// The environment variable that names the folder.
const VARIABLE: &str = "WANDERWORT_MODELS";

/// The file that says what a folder holds.
const DESCRIPTION: &str = "installed.json";

/// The folder of fetched lists.
const LISTS: &str = ".lists";

/// Why installed models cannot be read or changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// An operation on a file or folder failed.
    #[error("cannot {action} {}", .path.display())]
    Io {
        /// The verb.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Nothing says where models are.
    #[error("this user has no home folder; {VARIABLE} says where models are")]
    NoHome,
    /// No installed model has this name or is of this pair.
    #[error("no model {name} is installed in {}", .folder.display())]
    Missing {
        /// What was asked for.
        name: String,
        /// Where it would be.
        folder: PathBuf,
    },
}

impl StoreError {
    fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> StoreError {
        move |source| StoreError::Io { action, path: path.to_owned(), source }
    }
}

/// A model's description that cannot be read, so that the model counts as absent.
#[derive(Debug, thiserror::Error)]
#[error("{} is damaged: {source}", .path.display())]
pub struct Damaged {
    /// The description.
    pub path: PathBuf,
    /// What is wrong with it.
    pub source: serde_json::Error,
}

/// Installed models.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Store {
    folder: PathBuf,
}

/// An installed model.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Installed {
    /// Its name, which is its folder's.
    pub name: String,
    /// The language it translates from, a BCP 47 tag.
    pub source: String,
    /// The language it translates to.
    pub target: String,
    /// Its version, as the list had it.
    pub version: String,
    /// Its licence, for people.
    pub licence: String,
    /// Its files.
    pub files: Vec<InstalledFile>,
}

/// A file of an installed model.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct InstalledFile {
    /// Its name in the model's folder.
    pub name: String,
    /// Bytes.
    pub size: u64,
    /// Its checksum, in hexadecimal digits.
    pub sha256: String,
    /// Whether it is the whole model.
    pub package: bool,
}

impl Installed {
    /// Bytes of its files.
    pub fn bytes(&self) -> u64 {
        self.files.iter().map(|file| file.size).sum()
    }

    /// Whether it is the model that a list has under its name.
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
    /// The store in a folder, or else in the one that `WANDERWORT_MODELS` names, or else in the platform's folder for data.
    ///
    /// # Errors
    /// If there is none of these.
    pub fn new(folder: Option<&Path>) -> Result<Store, StoreError> {
        if let Some(folder) = folder {
            return Ok(Store { folder: folder.to_owned() });
        }
        if let Some(folder) = std::env::var_os(VARIABLE).filter(|folder| !folder.is_empty()) {
            return Ok(Store { folder: folder.into() });
        }
        let platform = ProjectDirs::from("", "", "wanderwort").ok_or(StoreError::NoHome)?;
        Ok(Store { folder: platform.data_local_dir().join("models") })
    }

    /// Where it is.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Where a model of this name is put together.
    pub fn partial(&self, name: &str) -> PathBuf {
        self.folder.join(".partial").join(name)
    }

    /// What is installed, by name. `damaged` is told of models that cannot be read.
    ///
    /// # Errors
    /// If the folder exists and cannot be read.
    pub fn installed(&self, mut damaged: impl FnMut(Damaged)) -> Result<Vec<Installed>, StoreError> {
        let entries = match fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(StoreError::io("read", &self.folder)(error)),
        };
        let mut installed = Vec::new();
        for entry in entries {
            let path = entry.map_err(StoreError::io("read", &self.folder))?.path().join(DESCRIPTION);
            let Ok(bytes) = fs::read(&path) else { continue };
            match serde_json::from_slice::<Installed>(&bytes) {
                Ok(model) => installed.push(model),
                Err(source) => damaged(Damaged { path, source }),
            }
        }
        installed.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(installed)
    }

    /// What is installed, the larger of two models of a pair first.
    ///
    /// # Errors
    /// As [`installed`](Self::installed).
    pub fn by_size(&self, damaged: impl FnMut(Damaged)) -> Result<Vec<Installed>, StoreError> {
        let mut installed = self.installed(damaged)?;
        installed.sort_by_key(|model| Reverse(model.bytes()));
        Ok(installed)
    }

    /// The installed models that lead from one language to another; of two models of a pair, the larger one.
    ///
    /// # Errors
    /// As [`installed`](Self::installed).
    pub fn route(
        &self,
        source: &str,
        target: &str,
        damaged: impl FnMut(Damaged),
    ) -> Result<Option<Route<Installed>>, StoreError> {
        let installed = self.by_size(damaged)?;
        let route = Route::find(&installed, source, target, |model| (model.source.as_str(), model.target.as_str()));
        Ok(route.map(|route| route.map(Installed::clone)))
    }

    /// The installed models with a name or for a pair of languages.
    ///
    /// # Errors
    /// If there is none.
    pub fn matching(&self, name: &str, damaged: impl FnMut(Damaged)) -> Result<Vec<Installed>, StoreError> {
        let installed = self.installed(damaged)?;
        let mut found: Vec<Installed> = installed.iter().filter(|model| model.name == name).cloned().collect();
        if found.is_empty() {
            let is_pair = |model: &&Installed| {
                pairs(name).any(|(from, to)| same_language(from, &model.source) && same_language(to, &model.target))
            };
            found = installed.iter().filter(is_pair).cloned().collect();
        }
        if found.is_empty() {
            return Err(StoreError::Missing { name: name.to_owned(), folder: self.folder.clone() });
        }
        Ok(found)
    }

    /// What [`Translator::open`](crate::Translator::open) takes to load a model: its package, or its folder.
    pub fn path(&self, model: &Installed) -> PathBuf {
        let files = self.folder.join(&model.name).join("files");
        match model.files.iter().find(|file| file.package) {
            Some(package) => files.join(&package.name),
            None => files,
        }
    }

    /// Deletes a model.
    ///
    /// # Errors
    /// If its folder cannot be moved or deleted.
    pub fn remove(&self, model: &Installed) -> Result<(), StoreError> {
        let place = self.folder.join(&model.name);
        // Moved away at once, so that nobody finds half of it.
        let gone = self.out_of_the_way(&model.name);
        let remove = || {
            fs::create_dir_all(gone.parent().unwrap_or(&self.folder))?;
            fs::rename(&place, &gone)?;
            fs::remove_dir_all(&gone)
        };
        remove().map_err(StoreError::io("remove", &place))
    }

    /// Moves a model that was put together in its partial folder to its place.
    ///
    /// # Errors
    /// If a file or folder cannot be written or moved; the model that was in its place before stays.
    pub fn put(&self, model: &Installed) -> Result<(), StoreError> {
        let partial = self.partial(&model.name);
        let place = self.folder.join(&model.name);
        let put = || {
            let mut file = File::create(partial.join(DESCRIPTION))?;
            file.write_all(&serde_json::to_vec_pretty(model)?)?;
            file.sync_all()?;
            replace(&place, &partial, &self.out_of_the_way(&model.name))
        };
        put().map_err(StoreError::io("write", &place))
    }

    /// Where a model of this name is moved to before it is deleted: nothing is there. What an earlier process has left is deleted if it can be.
    fn out_of_the_way(&self, name: &str) -> PathBuf {
        let place = |number: u64| self.partial(&format!("{name}.{}.{number}.removed", std::process::id()));
        let mut number = 0;
        loop {
            let gone = place(number);
            let _ = fs::remove_dir_all(&gone);
            if fs::symlink_metadata(&gone).is_err() {
                return gone;
            }
            number += 1;
        }
    }

    /// A list that was kept under a name, if it was.
    pub fn kept_list(&self, name: &str) -> Option<Vec<u8>> {
        fs::read(self.folder.join(LISTS).join(name)).ok()
    }

    /// Keeps a list under a name.
    ///
    /// # Errors
    /// If it cannot be written; the list that was kept before stays.
    pub fn keep_list(&self, name: &str, bytes: &[u8]) -> Result<(), StoreError> {
        let path = self.folder.join(LISTS).join(name);
        let part = path.with_extension(format!("{}.part", std::process::id()));
        let keep = || {
            fs::create_dir_all(self.folder.join(LISTS))?;
            let mut file = File::create(&part)?;
            file.write_all(bytes)?;
            file.sync_all()?;
            fs::rename(&part, &path)
        };
        keep().map_err(|error| {
            // What is left of it is of no use to anyone.
            let _ = fs::remove_file(&part);
            StoreError::io("write", &path)(error)
        })
    }

    /// Holds a model's partial folder for this process until the lock is dropped; waits while another process holds it.
    ///
    /// # Errors
    /// If the lock cannot be made.
    pub fn lock(&self, name: &str) -> Result<File, StoreError> {
        let path = self.folder.join(".partial").join(format!("{name}.lock"));
        let lock = || {
            fs::create_dir_all(path.parent().unwrap_or(&self.folder))?;
            let file = File::create(&path)?;
            file.lock()?;
            Ok(file)
        };
        lock().map_err(StoreError::io("lock", &path))
    }
}

/// Moves the folder `new` to `place`, and what was there to `gone`, which is then deleted.
fn replace(place: &Path, new: &Path, gone: &Path) -> io::Result<()> {
    let has_old = match fs::rename(place, gone) {
        Ok(()) => true,
        Err(error) if error.kind() == ErrorKind::NotFound => false,
        Err(error) => return Err(error),
    };
    let moved = fs::rename(new, place);
    if has_old {
        // The new model is in its place, so what is left of the old one harms nobody; without a new one, the old one counts.
        let _ = if moved.is_ok() { fs::remove_dir_all(gone) } else { fs::rename(gone, place) };
    }
    moved
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model() -> Installed {
        let text = |text: &str| text.to_owned();
        Installed {
            name: text("a"),
            source: text("en"),
            target: text("de"),
            version: text("1.0"),
            licence: String::new(),
            files: Vec::new(),
        }
    }

    fn put_together(store: &Store, content: &str) {
        let files = store.partial("a").join("files");
        fs::create_dir_all(&files).unwrap();
        fs::write(files.join("weights"), content).unwrap();
    }

    #[test]
    fn a_model_is_replaced_although_something_is_left_of_earlier_ones() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::new(Some(folder.path())).unwrap();
        let weights = folder.path().join("a/files/weights");
        put_together(&store, "old");
        store.put(&model()).unwrap();
        // A folder of the name that this process would use, and a file, which cannot be deleted as a folder.
        let left = |number: u64| store.partial(&format!("a.{}.{number}.removed", std::process::id()));
        fs::write(left(0), "").unwrap();
        fs::create_dir_all(left(1).join("files")).unwrap();
        put_together(&store, "new");
        store.put(&model()).unwrap();
        assert_eq!(fs::read_to_string(&weights).unwrap(), "new");
        assert!(left(0).exists() && !left(1).exists());
        store.remove(&model()).unwrap();
        assert!(!folder.path().join("a").exists());
    }

    #[test]
    fn the_old_model_stays_if_the_new_one_cannot_be_moved() {
        let folder = tempfile::tempdir().unwrap();
        let [place, new, gone] = ["place", "new", "gone"].map(|name| folder.path().join(name));
        fs::create_dir_all(place.join("old")).unwrap();
        assert_eq!(replace(&place, &new, &gone).unwrap_err().kind(), ErrorKind::NotFound);
        assert!(place.join("old").exists() && !gone.exists());
    }
}

//! Where installed models are: `FOLDER/NAME/files`, with `FOLDER/NAME/installed.json` beside it.
//!
//! A model is put together in `FOLDER/.partial/NAME` and moved to its place when it is complete and has been checked, so whatever is in its
//! place can be used. Fetched lists are in `FOLDER/.lists`.

use super::catalogue::{Model, Part, Route, is_plain_name, pairs, same_language};
use directories::ProjectDirs;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::fs::{self, File, TryLockError};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// The environment variable that names the folder.
const VARIABLE: &str = "WANDERWORT_MODELS";

/// The file that says what a folder holds.
const DESCRIPTION: &str = "installed.json";

/// The folder of fetched lists.
const LISTS: &str = ".lists";

/// The folder of what is being put together or deleted, and of the locks.
const PARTIAL: &str = ".partial";

/// How the names end of what is moved there only to be deleted or to be moved on.
const REMOVED: &str = ".removed";

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

/// A model that counts as absent, because its description cannot be read or its files are not those that are described.
#[derive(Debug, thiserror::Error)]
#[error("{} is damaged: {source}; installing the model again repairs it", .path.display())]
pub struct Damaged {
    /// The description.
    pub path: PathBuf,
    /// What is wrong with it.
    pub source: Damage,
}

/// What is wrong with an installed model.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Damage {
    /// The description is not one.
    #[error(transparent)]
    Description(#[from] serde_json::Error),
    /// The description is of another model, or names a file elsewhere.
    #[error("expected a description of the model {expected} with files beside it, found {found:?}")]
    Name {
        /// The folder's name.
        expected: String,
        /// The model's name, or that of a file.
        found: String,
    },
    /// A file is not there or cannot be looked at.
    #[error("{file}: {source}")]
    File {
        /// Its name.
        file: String,
        /// Why.
        source: io::Error,
    },
    /// A file is longer or shorter than it was.
    #[error("{file} has {found} bytes, expected {expected}")]
    Size {
        /// Its name.
        file: String,
        /// Bytes that were installed.
        expected: u64,
        /// Bytes that are there.
        found: u64,
    },
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
        self.folder.join(PARTIAL).join(name)
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
            let folder = entry.map_err(StoreError::io("read", &self.folder))?.path();
            let path = folder.join(DESCRIPTION);
            let Ok(mut bytes) = fs::read(&path) else { continue };
            loop {
                let found = read_description(&folder, &bytes);
                // Another process may have put a new version in its place, or removed it, between the looks at its parts.
                match (found, fs::read(&path)) {
                    (Ok(model), _) => installed.push(model),
                    (Err(source), Ok(same)) if same == bytes => damaged(Damaged { path, source }),
                    (Err(_), Ok(other)) => {
                        bytes = other;
                        continue;
                    }
                    (Err(_), Err(_)) => {}
                }
                break;
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

    /// Deletes a model. Waits for a process that is installing it.
    ///
    /// # Errors
    /// If its folder cannot be moved or deleted.
    pub fn remove(&self, model: &Installed) -> Result<(), StoreError> {
        self.remove_named(&model.name)
    }

    /// Deletes what is installed under a name, whole or damaged.
    ///
    /// # Errors
    /// If there is nothing of this name, or if its folder cannot be moved or deleted.
    pub fn remove_named(&self, name: &str) -> Result<(), StoreError> {
        let place = self.folder.join(name);
        let missing = || StoreError::Missing { name: name.to_owned(), folder: self.folder.clone() };
        if !is_plain_name(name) || !place.join(DESCRIPTION).exists() {
            return Err(missing());
        }
        let _lock = self.lock(name)?;
        // Moved away at once, so that nobody finds half of it.
        let gone = self.out_of_the_way(name);
        match fs::rename(&place, &gone).and_then(|()| fs::remove_dir_all(&gone)) {
            // Another process was quicker.
            Err(error) if error.kind() == ErrorKind::NotFound => Err(missing()),
            removed => removed.map_err(StoreError::io("remove", &place)),
        }
    }

    /// Moves a model that was put together in its partial folder to its place. The caller holds its [lock](Self::lock).
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

    /// Where a model of this name is moved to before it is deleted: nothing is there.
    fn out_of_the_way(&self, name: &str) -> PathBuf {
        self.partial(&format!("{name}.{}{REMOVED}", random()))
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
        let _lock = self.lock(name)?;
        let part = self.partial(&format!("{name}.{}{REMOVED}", random()));
        let keep = || {
            fs::create_dir_all(self.folder.join(LISTS))?;
            let mut file = File::create_new(&part)?;
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
        self.lock_after(name, || ())
    }

    /// The same; calls `wait` first if it has to wait.
    ///
    /// # Errors
    /// As [`lock`](Self::lock).
    pub fn lock_after(&self, name: &str, wait: impl FnOnce()) -> Result<File, StoreError> {
        let path = self.folder.join(PARTIAL).join(format!("{name}.lock"));
        let lock = || {
            fs::create_dir_all(self.folder.join(PARTIAL))?;
            let file = File::create(&path)?;
            match file.try_lock() {
                Err(TryLockError::WouldBlock) => {
                    wait();
                    file.lock()?;
                }
                tried => tried?,
            }
            Ok(file)
        };
        let lock = lock().map_err(StoreError::io("lock", &path))?;
        self.remove_left(name);
        Ok(lock)
    }

    /// Deletes what processes that were killed have left on the way to be deleted, or to be a list. Whoever holds the lock is the only one at it.
    fn remove_left(&self, name: &str) {
        for entry in fs::read_dir(self.folder.join(PARTIAL)).into_iter().flatten().flatten() {
            let file = entry.file_name();
            let left = file.to_str().and_then(|file| file.strip_prefix(name)?.strip_prefix('.')?.strip_suffix(REMOVED));
            if left.is_some_and(|left| !left.contains('.')) {
                let _ = fs::remove_dir_all(entry.path()).or_else(|_| fs::remove_file(entry.path()));
            }
        }
    }
}

/// A part of a name that nobody can foresee.
fn random() -> String {
    format!("{:016x}", RandomState::new().build_hasher().finish())
}

/// The model that is described, if its files are there in their sizes.
fn read_description(folder: &Path, description: &[u8]) -> Result<Installed, Damage> {
    let model: Installed = serde_json::from_slice(description)?;
    let expected = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let names = std::iter::once(&model.name).filter(|name| **name != expected);
    if let Some(found) =
        names.chain(model.files.iter().map(|file| &file.name).filter(|name| !is_plain_name(name))).next()
    {
        return Err(Damage::Name { expected, found: found.clone() });
    }
    for InstalledFile { name, size, .. } in &model.files {
        let found = fs::metadata(folder.join("files").join(name));
        match found.map_err(|source| Damage::File { file: name.clone(), source })?.len() {
            found if found != *size => return Err(Damage::Size { file: name.clone(), expected: *size, found }),
            _ => {}
        }
    }
    Ok(model)
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
        // A file and a folder of processes that were killed, and one that is of another model.
        let left = |name: &str| store.partial(&format!("{name}.0123456789abcdef.removed"));
        fs::write(left("a"), "").unwrap();
        fs::create_dir_all(store.partial("a.fedcba9876543210.removed").join("files")).unwrap();
        fs::create_dir_all(left("a.b")).unwrap();
        let lock = store.lock("a").unwrap();
        put_together(&store, "new");
        store.put(&model()).unwrap();
        drop(lock);
        assert_eq!(fs::read_to_string(&weights).unwrap(), "new");
        assert!(left("a.b").exists());
        store.remove(&model()).unwrap();
        assert!(!folder.path().join("a").exists());
        let mut rest: Vec<_> =
            fs::read_dir(store.partial("")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        rest.sort();
        assert_eq!(rest, ["a.b.0123456789abcdef.removed", "a.lock"]);
        assert!(matches!(store.remove(&model()), Err(StoreError::Missing { .. })));
    }

    #[test]
    fn one_at_a_time_puts_a_model_together() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::new(Some(folder.path())).unwrap();
        let lock = store.lock_after("a", || panic!("nobody else is there")).unwrap();
        drop(store.lock_after("b", || panic!("it is of another model")).unwrap());
        let (sender, waits) = std::sync::mpsc::channel();
        std::thread::scope(|scope| {
            let second = scope.spawn(|| {
                let lock = store.lock_after("a", || sender.send(()).unwrap());
                assert!(fs::exists(folder.path().join("first is done")).unwrap());
                drop(lock.unwrap());
            });
            waits.recv().unwrap();
            fs::write(folder.path().join("first is done"), "").unwrap();
            drop(lock);
            second.join().unwrap();
        });
    }

    #[test]
    fn damaged_models_are_told_and_can_be_removed() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::new(Some(folder.path())).unwrap();
        let file = |name: &str| InstalledFile { name: name.to_owned(), size: 3, sha256: String::new(), package: false };
        let with = |name: &str| Installed { files: vec![file(name)], ..model() };
        let (there, description) = (folder.path().join("a/files/weights"), folder.path().join("a/installed.json"));
        let told = |model: Installed| {
            fs::write(&description, serde_json::to_vec(&model).unwrap()).unwrap();
            let mut told = Vec::new();
            assert_eq!(store.installed(|damaged| told.push(damaged.to_string())).unwrap().is_empty(), !told.is_empty());
            told.concat()
        };
        fs::create_dir_all(there.parent().unwrap()).unwrap();
        fs::write(&there, "abc").unwrap();
        assert_eq!(told(with("weights")), "");
        assert!(told(with("other")).contains("other: "));
        assert!(told(with("../installed.json")).contains("../installed.json"));
        assert!(told(Installed { name: "../a".to_owned(), ..with("weights") }).contains("../a"));
        fs::write(&there, "ab").unwrap();
        assert!(
            told(with("weights")).contains("weights has 2 bytes, expected 3; installing the model again repairs it")
        );
        assert!(matches!(store.remove_named("../a"), Err(StoreError::Missing { .. })));
        store.remove_named("a").unwrap();
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

//! Writing files so that nothing good is lost and nothing partial is left.

use crate::streams;
use std::collections::BTreeSet;
use std::fs::{self, File, Metadata};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use wanderwort::model::MarianFiles;

/// Links that are followed from one to the next; more go round in a circle.
const MAX_LINKS: usize = 40;

/// Why something cannot be written to a place.
#[derive(Debug, thiserror::Error)]
pub enum DestinationError {
    /// The path ends in `..` or as a folder's name does.
    #[error("cannot write {}: expected the name of a file", .path.display())]
    NoName { path: PathBuf },
    /// There is a folder.
    #[error("cannot write {}: it is a folder; expected the name of a file", .path.display())]
    Folder { path: PathBuf },
    /// There is no folder to hold it.
    #[error("cannot write {}: there is no folder {}; make it first", .path.display(), .folder.display())]
    NoFolder { path: PathBuf, folder: PathBuf },
    /// Its owner does not want it to be changed.
    #[error("cannot write {}: it is read-only; make it writable, or choose another name", .path.display())]
    ReadOnly { path: PathBuf },
    /// There is a socket.
    #[error("cannot write {}: it is a socket; expected a file, a pipe or a device", .path.display())]
    Socket { path: PathBuf },
    /// It is a file that is read.
    #[error("{} would be written over: it is {}, which is read; choose another name for what is written", .path.display(), .input.display())]
    Input { path: PathBuf, input: PathBuf },
    /// Something else is wrong.
    #[error("cannot write {}", .path.display())]
    Io { path: PathBuf, source: io::Error },
}

/// Where something is to be written. It is checked before the work, so that the work is not lost.
#[derive(Debug)]
pub struct Destination {
    /// As the user calls it.
    name: PathBuf,
    place: Place,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// A file that is there or will be; links have been followed.
    File(PathBuf),
    /// An open file of this process, as `/dev/stdout` is.
    Descriptor(u32),
    /// A pipe or a device.
    Other(PathBuf),
}

impl Destination {
    /// The place of this name. A link stands for what it leads to.
    ///
    /// # Errors
    /// If nothing can be written there.
    pub fn new(name: &Path) -> Result<Self, DestinationError> {
        let path = || name.to_owned();
        let io = |source| DestinationError::Io { path: name.to_owned(), source };
        let place = follow(name)?;
        let Place::File(file) = &place else { return Ok(Self { name: path(), place }) };
        let found = match fs::metadata(file) {
            Ok(found) => Some(found),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(io(error)),
        };
        match &found {
            Some(found) if found.is_dir() => return Err(DestinationError::Folder { path: path() }),
            Some(found) if is_socket(found) => return Err(DestinationError::Socket { path: path() }),
            Some(found) if !found.is_file() => return Ok(Self { name: path(), place: Place::Other(file.clone()) }),
            // Also for users who may write to everything.
            Some(found) if found.permissions().readonly() => return Err(DestinationError::ReadOnly { path: path() }),
            Some(_) => drop(File::options().write(true).open(file).map_err(|error| match error.kind() {
                ErrorKind::PermissionDenied => DestinationError::ReadOnly { path: path() },
                _ => io(error),
            })?),
            None => {}
        }
        match Part::create(folder_of(file), found.as_ref()) {
            Ok(_) => {}
            // It is written where it is.
            Err(error) if found.is_some() && error.kind() == ErrorKind::PermissionDenied => {}
            Err(error) => return Err(io(error)),
        }
        Ok(Self { name: path(), place })
    }

    /// Refuses to be one of the files that are read, whatever they are called here and there. A folder among them stands for the files of the
    /// model in it.
    pub fn refuse<P: AsRef<Path>>(&self, inputs: impl IntoIterator<Item = P>) -> Result<(), DestinationError> {
        let Some(own) = self.identity() else { return Ok(()) };
        for input in inputs {
            let input = input.as_ref();
            let files = match fs::read_dir(input) {
                Ok(entries) => {
                    entries.flatten().map(|entry| entry.path()).filter(|file| may_be_of_model(file)).collect()
                }
                Err(_) => vec![input.to_owned()],
            };
            if let Some(input) = files.into_iter().find(|file| identity(file).as_ref() == Some(&own)) {
                return Err(DestinationError::Input { path: self.name.clone(), input });
            }
        }
        Ok(())
    }

    /// Which file it is, if it is there.
    pub fn identity(&self) -> Option<Identity> {
        match &self.place {
            Place::File(file) => identity(file),
            Place::Descriptor(_) | Place::Other(_) => None,
        }
    }

    /// As the user calls it.
    pub fn name(&self) -> &Path {
        &self.name
    }

    /// Where it is, the same for all names of a place.
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// Writes `bytes` beside the place and moves them there when they are complete and on the disk: a reader never sees half a file, and a
    /// failure or a signal leaves what was there, and nothing else. Permissions and owner of a file stay; where they could not, because it
    /// belongs to someone else, it is written where it is, and so is what is no file.
    pub fn write(&self, bytes: &[u8]) -> anyhow::Result<()> {
        let io = |source| DestinationError::Io { path: self.name.clone(), source };
        match &self.place {
            Place::Descriptor(1) => {
                let mut output = streams::output();
                output.write_all(bytes)?;
                Ok(output.flush()?)
            }
            Place::Descriptor(2) => Ok(io::stderr().lock().write_all(bytes).map_err(io)?),
            // After what others have written to it.
            Place::Descriptor(_) => {
                let mut file = File::options().append(true).open(&self.name).map_err(io)?;
                Ok(file.write_all(bytes).map_err(io)?)
            }
            Place::Other(path) => {
                let mut file = File::options().write(true).open(path).map_err(io)?;
                Ok(file.write_all(bytes).map_err(io)?)
            }
            Place::File(path) => Ok(replace(path, bytes).map_err(io)?),
        }
    }
}

/// Writes `bytes` to a place at once, see [`Destination::write`].
pub fn replace_file(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    Destination::new(path)?.write(bytes)
}

/// Holds the folder of a file, for a change of what is in the file, until the lock is dropped; waits while another process holds it. Where
/// folders cannot be locked, on some network file systems and other platforms, changes at the same time may be lost.
pub fn lock_folder_of(path: &Path) -> Option<File> {
    File::open(folder_of(path)).ok().filter(|folder| folder.lock().is_ok())
}

fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let found = fs::metadata(path).ok();
    let in_place = || {
        let mut file = File::options().write(true).truncate(true).open(path)?;
        file.write_all(bytes)?;
        file.sync_all()
    };
    let (part, mut file) = match Part::create(folder_of(path), found.as_ref()) {
        Ok(created) => created,
        Err(error) if found.is_some() && error.kind() == ErrorKind::PermissionDenied => return in_place(),
        Err(error) => return Err(error),
    };
    file.write_all(bytes)?;
    if let Some(found) = &found
        && !keep(&file, found)?
    {
        drop(part);
        return in_place();
    }
    file.sync_all()?;
    part.move_to(path)
}

/// Gives a new file the owner and the permissions of an old one; false if its owner cannot be kept.
fn keep(file: &File, old: &Metadata) -> io::Result<bool> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt, fchown};
        let own = file.metadata()?;
        let is_same = (own.uid(), own.gid()) == (old.uid(), old.gid());
        if !is_same && fchown(file, Some(old.uid()), Some(old.gid())).is_err() {
            return Ok(false);
        }
    }
    file.set_permissions(old.permissions())?;
    Ok(true)
}

/// Where a name leads, over all links.
fn follow(name: &Path) -> Result<Place, DestinationError> {
    let io = |source| DestinationError::Io { path: name.to_owned(), source };
    if is_folder_name(name) {
        return Err(DestinationError::NoName { path: name.to_owned() });
    }
    let mut path = name.to_owned();
    for _ in 0..MAX_LINKS {
        let Some(last) = path.file_name() else { return Err(DestinationError::NoName { path: name.to_owned() }) };
        let parent = folder_of(&path);
        let folder = match fs::canonicalize(parent) {
            Ok(folder) if folder.is_dir() => folder,
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(io(error)),
            _ => {
                let (path, folder) = (name.to_owned(), parent.to_owned());
                return Err(DestinationError::NoFolder { path, folder });
            }
        };
        if let Some(number) = last.to_str().and_then(|last| last.parse().ok()).filter(|_| holds_descriptors(&folder)) {
            return Ok(Place::Descriptor(number));
        }
        let place = folder.join(last);
        match fs::read_link(&place) {
            Ok(target) => path = folder.join(target),
            Err(_) => return Ok(Place::File(place)),
        }
    }
    Err(io(io::Error::new(ErrorKind::InvalidInput, "too many links, or links in a circle")))
}

/// Whether a name is that of a folder, there or not: it ends as one.
pub fn is_folder_name(name: &Path) -> bool {
    name.as_os_str().as_encoded_bytes().last().is_some_and(|last| std::path::is_separator(char::from(*last)))
}

/// The folder of a file.
fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Whether a folder is the one that has this process's open files.
fn holds_descriptors(folder: &Path) -> bool {
    ["/proc/self/fd", "/dev/fd"].iter().any(|known| fs::canonicalize(known).is_ok_and(|known| known == folder))
}

fn is_socket(_found: &Metadata) -> bool {
    #[cfg(unix)]
    return std::os::unix::fs::FileTypeExt::is_socket(&_found.file_type());
    #[cfg(not(unix))]
    return false;
}

/// What tells one file from all others, whatever its names.
#[cfg(unix)]
pub type Identity = (u64, u64);
#[cfg(not(unix))]
pub type Identity = PathBuf;

/// Which file a path leads to, if there is one.
pub fn identity(path: &Path) -> Option<Identity> {
    #[cfg(unix)]
    return fs::metadata(path).ok().map(|found| {
        use std::os::unix::fs::MetadataExt;
        (found.dev(), found.ino())
    });
    #[cfg(not(unix))]
    return fs::canonicalize(path).ok();
}

fn may_be_of_model(file: &Path) -> bool {
    file.file_name().and_then(|name| name.to_str()).is_some_and(MarianFiles::may_hold)
}

/// The files that are being written beside their final places. Whoever creates, moves or removes one holds the lock, so that a signal finds
/// exactly those that exist.
static PARTS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// The folders in which this process has looked for what others have left.
static CLEANED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A file beside its final place, which is removed unless it is moved there. It is locked, so that others know that someone is writing it.
#[derive(Debug)]
struct Part {
    path: PathBuf,
    is_moved: bool,
}

impl Part {
    const START: &str = ".wanderwort-";
    const END: &str = ".part";

    /// Creates one, of a name that nobody can foresee; only for this user's eyes if it will replace a file.
    fn create(folder: &Path, _old: Option<&Metadata>) -> io::Result<(Part, File)> {
        #[cfg(unix)]
        signals::watch();
        remove_left(folder);
        let mut options = File::options();
        options.write(true).create_new(true);
        #[cfg(unix)]
        if _old.is_some() {
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        }
        let mut parts = lock(&PARTS);
        loop {
            let number = RandomState::new().build_hasher().finish();
            let path = folder.join(format!("{}{number:016x}{}", Part::START, Part::END));
            let file = match options.open(&path) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => continue,
                opened => opened?,
            };
            // Where files cannot be locked, nobody takes this one for left.
            let _ = file.try_lock();
            parts.push(path.clone());
            return Ok((Part { path, is_moved: false }, file));
        }
    }

    fn move_to(mut self, place: &Path) -> io::Result<()> {
        // Drop takes the lock too, after this one is released.
        let result = {
            let _parts = lock(&PARTS);
            fs::rename(&self.path, place)
        };
        self.is_moved = result.is_ok();
        result
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        let mut parts = lock(&PARTS);
        if !self.is_moved {
            // What is left of it is of no use to anyone.
            let _ = fs::remove_file(&self.path);
        }
        parts.retain(|part| *part != self.path);
    }
}

/// Removes the parts in a folder that processes have left that were killed: those that nobody holds, and not of just now, when whoever makes
/// one may not hold it yet.
fn remove_left(folder: &Path) {
    const AGE: Duration = Duration::from_secs(60);
    if !lock(&CLEANED).insert(folder.to_owned()) {
        return;
    }
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let number = name.to_str().and_then(|name| name.strip_prefix(Part::START)?.strip_suffix(Part::END));
        let is_part = number.is_some_and(|number| number.len() == 16 && number.bytes().all(|b| b.is_ascii_hexdigit()));
        let is_old = |found: &Metadata| {
            let age = found.modified().ok().and_then(|time| time.elapsed().ok());
            found.is_file() && age.is_some_and(|age| age >= AGE)
        };
        if is_part
            && fs::symlink_metadata(entry.path()).is_ok_and(|found| is_old(&found))
            && File::options().write(true).open(entry.path()).is_ok_and(|file| file.try_lock().is_ok())
        {
            let _ = fs::remove_file(entry.path());
        }
    }
}

#[cfg(unix)]
mod signals {
    use super::{PARTS, lock};
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
    use signal_hook::iterator::Signals;
    use signal_hook::low_level::emulate_default_handler;
    use std::sync::{Arc, Once};

    /// From now on, a signal that ends the program first removes what it is writing; then the program ends as it would have otherwise.
    pub fn watch() {
        static WATCHED: Once = Once::new();
        WATCHED.call_once(|| {
            // A file beyond the size that the user may write is a write error, like a full disk.
            let _ = signal_hook::flag::register(SIGXFSZ, Arc::default());
            let ignored = ignored();
            // Whoever started the program with a signal ignored, as `nohup` does, wants it to go on.
            let ends = |signal: &i32| ignored.map_or(*signal != SIGHUP, |ignored| ignored >> (signal - 1) & 1 == 0);
            let Ok(mut signals) = Signals::new([SIGHUP, SIGINT, SIGTERM].iter().filter(|signal| ends(signal))) else {
                return;
            };
            std::thread::spawn(move || {
                let Some(signal) = signals.forever().next() else { return };
                // Held to the end, so that nothing new is made.
                let parts = lock(&PARTS);
                for part in parts.iter() {
                    let _ = std::fs::remove_file(part);
                }
                let _ = emulate_default_handler(signal);
                std::process::exit(128 + signal);
            });
        });
    }

    /// The signals that this program was started to ignore, one per bit, the first in the lowest, if the system tells them.
    fn ignored() -> Option<u64> {
        let status = std::fs::read_to_string("/proc/self/status").ok()?;
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"))?;
        u64::from_str_radix(mask.trim(), 16).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).expect("a folder");
        let mut names: Vec<String> =
            entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8")).collect();
        names.sort();
        names
    }

    #[test]
    fn what_was_left_is_removed_and_what_is_being_written_stays() {
        let folder = tempfile::tempdir().expect("a folder");
        let old = std::time::SystemTime::now() - Duration::from_secs(3600);
        let make = |name: &str, modified| {
            let file = File::create(folder.path().join(name)).expect("room");
            file.set_modified(modified).expect("it is settable");
            file
        };
        let held = make(".wanderwort-0000000000000001.part", old);
        held.lock().expect("nobody else holds it");
        make(".wanderwort-0000000000000002.part", old);
        make(".wanderwort-0000000000000003.part", std::time::SystemTime::now());
        make(".wanderwort-mine.part", old);
        replace_file(&folder.path().join("a"), b"a").expect("room");
        let left = ["0000000000000001", "0000000000000003", "mine"].map(|name| format!(".wanderwort-{name}.part"));
        assert_eq!(names(folder.path()), [&left[..], &["a".to_owned()]].concat());
    }

    #[test]
    fn long_names_have_room() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a".repeat(255));
        replace_file(&path, b"a").expect("room");
        assert_eq!(fs::read(path).expect("it is there"), b"a");
    }

    #[test]
    fn places_are_refused_before_the_work() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        let refused = |name: &Path| Destination::new(name).expect_err("it is refused");
        fs::write(at("locked"), "mine").expect("room");
        let mut permissions = fs::metadata(at("locked")).expect("it is there").permissions();
        permissions.set_readonly(true);
        fs::set_permissions(at("locked"), permissions).expect("they are settable");
        assert!(matches!(refused(folder.path()), DestinationError::Folder { .. }));
        assert!(matches!(refused(&at("none/x")), DestinationError::NoFolder { .. }));
        assert!(matches!(refused(&at("locked")), DestinationError::ReadOnly { .. }));
        assert!(matches!(refused(Path::new("..")), DestinationError::NoName { .. }));
        assert!(matches!(refused(&at("new/")), DestinationError::NoName { .. }));
        assert!(Destination::new(&at("new")).is_ok());
        assert_eq!(names(folder.path()), ["locked"]);
    }

    #[test]
    fn what_is_read_is_not_written_over() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        for name in ["source", "model.npz", "card.md"] {
            fs::write(at(name), name).expect("room");
        }
        fs::hard_link(at("source"), at("hard")).expect("a link");
        let refuses = |output: &str, inputs: &[&str]| {
            Destination::new(&at(output))
                .expect("it can be written")
                .refuse(inputs.iter().map(|name| at(name)))
                .is_err()
        };
        assert!(refuses("source", &["card.md", "source"]) && refuses("hard", &["source"]));
        assert!(!refuses("source", &["card.md"]) && !refuses("new", &["source", "none"]));
        // In a model's folder, what belongs to the model.
        assert!(refuses("model.npz", &[""]) && !refuses("card.md", &[""]));
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(at("source"), at("soft")).expect("a link");
            assert!(refuses("soft", &["source"]) && refuses("source", &["soft"]));
        }
    }

    #[cfg(unix)]
    #[test]
    fn files_keep_permissions_and_links_lead_where_they_led() {
        use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        let mode = |name: &str| fs::metadata(at(name)).expect("it is there").mode() & 0o7777;
        fs::write(at("private"), "old").expect("room");
        for bits in [0o600, 0o640, 0o755] {
            fs::set_permissions(at("private"), fs::Permissions::from_mode(bits)).expect("they are settable");
            replace_file(&at("private"), b"new").expect("room");
            assert_eq!(mode("private"), bits);
        }
        // A new one is as any other program makes it.
        fs::write(at("other"), "").expect("room");
        replace_file(&at("fresh"), b"new").expect("room");
        assert_eq!(mode("fresh"), mode("other"));

        fs::create_dir(at("deep")).expect("room");
        symlink("deep/link", at("first")).expect("a link");
        symlink("../target", at("deep/link")).expect("a link");
        replace_file(&at("first"), b"through links").expect("room");
        assert_eq!(fs::read(at("target")).expect("it is there"), b"through links");
        assert!(at("first").is_symlink() && at("deep/link").is_symlink());
        symlink("round", at("round")).expect("a link");
        assert!(matches!(replace_file(&at("round"), b""), Err(error) if format!("{error:#}").contains("circle")));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn open_files_are_known_by_their_names() {
        for (name, number) in [("/dev/stdout", 1), ("/dev/fd/1", 1), ("/proc/self/fd/7", 7), ("/dev/stderr", 2)] {
            assert_eq!(follow(Path::new(name)).expect("it leads somewhere"), Place::Descriptor(number), "{name}");
        }
        let null = Destination::new(Path::new("/dev/null")).expect("it can be written");
        assert_eq!(null.place, Place::Other("/dev/null".into()));
    }
}

//! The prototype, a model of a real size, whose files the repository has compressed.

use std::path::Path;
use wanderwort::model::{MarianFiles, NamedBytes, Weights, decompressed};

/// Its folder, which opens as it is.
pub const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/en-de.prototype");

/// The content of one of its files, by the name that it has when it is unpacked.
pub fn file(name: &str) -> Vec<u8> {
    let folder = Path::new(FOLDER);
    let plain = folder.join(name);
    let path = if plain.exists() { plain } else { folder.join(format!("{name}.gz")) };
    let bytes = std::fs::read(path).expect("a file of the prototype");
    decompressed(name, &bytes).expect("it unpacks").into_owned()
}

/// Its files, unpacked.
pub fn files() -> MarianFiles {
    let mut files = MarianFiles::read_folder(FOLDER.as_ref(), Weights::Int8).expect("the prototype's folder");
    let unpack = |file: &mut NamedBytes| {
        file.name = file.name.trim_end_matches(".gz").to_owned();
        file.bytes = self::file(&file.name);
    };
    unpack(&mut files.model);
    files.shortlist.iter_mut().for_each(unpack);
    files
}

/// Puts its files, unpacked, into a folder, with the last bytes of the weights cut off.
pub fn copy_with_cut_weights(to: &Path, cut: impl Fn(usize) -> usize) {
    let mut files = files();
    files.model.bytes.truncate(cut(files.model.bytes.len()));
    for (_, file) in files.parts() {
        std::fs::write(to.join(&file.name), &file.bytes).expect("room");
    }
}

//! The models that the project ships.

use std::path::{Path, PathBuf};

/// The first package for `pair`, such as `en-de`, that `models/index.json` lists: the one that the page loads.
pub fn model(pair: &str) -> PathBuf {
    let (source, target) = pair.split_once('-').expect("two languages");
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("models");
    let index = std::fs::read_to_string(models.join("index.json")).expect("models/index.json");
    let index: serde_json::Value = serde_json::from_str(&index).expect("JSON");
    let listed = index["models"].as_array().expect("a list of models");
    let model =
        listed.iter().find(|model| model["source"] == source && model["target"] == target).expect("one for the pair");
    models.join(model["files"][0]["url"].as_str().expect("a file"))
}

//! The model that the project ships for English to German.

use std::path::{Path, PathBuf};

/// The first English-German package that `models/index.json` lists: the one that the page loads.
pub fn model() -> PathBuf {
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("models");
    let index = std::fs::read_to_string(models.join("index.json")).expect("models/index.json");
    let index: serde_json::Value = serde_json::from_str(&index).expect("JSON");
    let listed = index["models"].as_array().expect("a list of models");
    let model = listed.iter().find(|model| model["source"] == "en" && model["target"] == "de").expect("one to German");
    models.join(model["files"][0]["url"].as_str().expect("a file"))
}

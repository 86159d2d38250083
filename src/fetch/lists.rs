//! Lists of models: fetched, and kept for when they cannot be reached.

use anyhow::{Context, Result, anyhow};
use sha2::{Digest, Sha256};
use std::fs;
use std::path::PathBuf;
use wanderwort::model::catalogue::Catalogue;
use wanderwort::model::store::Store;

use super::fetch::Client;
use crate::files::replace_file;

/// The lists of Firefox's models. The first tells the checksums of all files; the second knows the same files at other addresses.
const LISTS: [&str; 2] = [
    "https://firefox.settings.services.mozilla.com/v1/buckets/main/collections/translations-models-v2/records",
    "https://storage.googleapis.com/moz-fx-translations-data--303e-prod-translations-data/db/models.json",
];

/// The environment's lists.
const VARIABLE: &str = "WANDERWORT_LISTS";

/// What the lists have together. A list that cannot be reached counts as it was kept.
pub fn catalogue(given: &[String], store: &Store, client: &Client) -> Result<Catalogue> {
    let mut catalogue = Catalogue::default();
    let mut failure = None;
    let mut read = false;
    for url in addresses(given) {
        match list(&url, store, client) {
            Ok(list) => {
                read = true;
                catalogue.add(list);
            }
            Err(error) => {
                if let Some(earlier) = failure.replace(error) {
                    eprintln!("wanderwort: {earlier:#}");
                }
            }
        }
    }
    match failure {
        Some(error) if !read => return Err(error),
        Some(error) => eprintln!("wanderwort: {error:#}"),
        None => {}
    }
    for note in &catalogue.notes {
        eprintln!("wanderwort: warning: {note}");
    }
    Ok(catalogue)
}

/// What the lists had together that were fetched last, if any; nobody is asked.
pub fn kept_catalogue(given: &[String], store: &Store) -> Catalogue {
    let mut catalogue = Catalogue::default();
    for url in addresses(given) {
        if let Some(list) = fs::read(kept(store, &url)).ok().and_then(|bytes| Catalogue::read(&url, &bytes).ok()) {
            catalogue.add(list);
        }
    }
    catalogue
}

fn addresses(given: &[String]) -> Vec<String> {
    if !given.is_empty() {
        return given.to_vec();
    }
    let environment = std::env::var(VARIABLE).unwrap_or_default();
    let lists: Vec<String> = environment.split_whitespace().map(str::to_owned).collect();
    if lists.is_empty() { LISTS.map(str::to_owned).to_vec() } else { lists }
}

fn kept(store: &Store, url: &str) -> PathBuf {
    let digest = Sha256::digest(url.as_bytes());
    let name: String = digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    store.lists().join(format!("{name}.json"))
}

fn list(url: &str, store: &Store, client: &Client) -> Result<Catalogue> {
    let path = kept(store, url);
    let fetched = match client.is_offline() {
        true => Err(anyhow!("{url} was never fetched, and --offline asks nobody")),
        false => client.list(url).and_then(|bytes| Ok((Catalogue::read(url, &bytes)?, bytes))),
    };
    let error = match fetched {
        Ok((catalogue, bytes)) => {
            fs::create_dir_all(store.lists()).with_context(|| format!("cannot make {}", store.lists().display()))?;
            replace_file(&path, &bytes)?;
            return Ok(catalogue);
        }
        Err(error) => error,
    };
    let Ok(bytes) = fs::read(&path) else { return Err(error) };
    if !client.is_offline() {
        eprintln!("wanderwort: {error:#}; the list is taken as it was the last time");
    }
    Ok(Catalogue::read(url, &bytes)?)
}

//! Lists of models: fetched, and kept for when they cannot be reached.

use super::{Client, FetchError, Listener, file_name};
use crate::in_words;
use crate::model::catalogue::Catalogue;
use crate::model::store::Store;

/// The lists of Firefox's models. The first gives the checksums of all files; the second has the same files at other addresses.
const LISTS: [&str; 2] = [
    "https://firefox.settings.services.mozilla.com/v1/buckets/main/collections/translations-models-v2/records",
    "https://storage.googleapis.com/moz-fx-translations-data--303e-prod-translations-data/db/models.json",
];

/// The environment variable that names lists.
const VARIABLE: &str = "WANDERWORT_LISTS";

/// Addresses of lists of models: an `index.json`, Mozilla's records or Mozilla's registry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lists {
    addresses: Vec<String>,
}

impl Lists {
    /// These lists; if there are none, those that `WANDERWORT_LISTS` names, with spaces between; else those of Firefox's models.
    pub fn new(addresses: &[String]) -> Lists {
        if !addresses.is_empty() {
            return Lists { addresses: addresses.to_vec() };
        }
        let environment = std::env::var(VARIABLE).unwrap_or_default();
        let named: Vec<String> = environment.split_whitespace().map(str::to_owned).collect();
        Lists { addresses: if named.is_empty() { LISTS.map(str::to_owned).to_vec() } else { named } }
    }

    /// What the lists contain together. For one that cannot be reached, the copy kept the last time is used.
    ///
    /// # Errors
    /// If no list is available, the reason for the last one; the listener is told the others.
    pub fn fetch(&self, store: &Store, client: &Client, listener: &mut impl Listener) -> Result<Catalogue, FetchError> {
        let mut catalogue = Catalogue::default();
        let mut failure = None;
        let mut read = false;
        for url in &self.addresses {
            match list(url, store, client, listener) {
                Ok(list) => {
                    read = true;
                    catalogue.add(list);
                }
                Err(error) => {
                    if let Some(earlier) = failure.replace(error) {
                        listener.note(&in_words(&earlier));
                    }
                }
            }
        }
        match failure {
            Some(error) if !read => return Err(error),
            Some(error) => listener.note(&in_words(&error)),
            None => {}
        }
        for note in &catalogue.notes {
            listener.note(note);
        }
        Ok(catalogue)
    }

    /// What the lists contained together when last fetched, if they were; no requests are sent.
    pub fn kept(&self, store: &Store) -> Catalogue {
        let mut catalogue = Catalogue::default();
        for url in &self.addresses {
            if let Some(list) = store.kept_list(&kept_name(url)).and_then(|bytes| Catalogue::read(url, &bytes).ok()) {
                catalogue.add(list);
            }
        }
        catalogue
    }
}

fn kept_name(url: &str) -> String {
    file_name(url, "json")
}

fn list(url: &str, store: &Store, client: &Client, listener: &mut impl Listener) -> Result<Catalogue, FetchError> {
    let fetched = match client.is_offline() {
        true => Err(FetchError::NeverFetched { url: url.to_owned() }),
        false => client.list(url).and_then(|bytes| Ok((Catalogue::read(url, &bytes)?, bytes))),
    };
    let error = match fetched {
        Ok((catalogue, bytes)) => {
            store.keep_list(&kept_name(url), &bytes)?;
            return Ok(catalogue);
        }
        Err(error) => error,
    };
    let Some(bytes) = store.kept_list(&kept_name(url)) else { return Err(error) };
    if !client.is_offline() {
        listener.note(&format_args!("{}; the list is taken as it was the last time", in_words(&error)));
    }
    Ok(Catalogue::read(url, &bytes)?)
}

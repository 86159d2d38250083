//! Lists of models: fetched, and kept for when they cannot be reached.

use super::{Client, FetchError, Listener, file_name};
use crate::in_words;
use crate::model::catalogue::Catalogue;
use crate::model::store::Store;
use std::ffi::OsString;

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
    /// Whether the environment names lists in bytes that are no text.
    not_text: bool,
}

impl Lists {
    /// These lists; if there are none, those that `WANDERWORT_LISTS` names, with spaces between; else those of Firefox's models.
    pub fn new(addresses: &[String]) -> Lists {
        if !addresses.is_empty() {
            return Lists { addresses: addresses.to_vec(), not_text: false };
        }
        Lists::named(std::env::var_os(VARIABLE))
    }

    /// The lists that an environment variable names.
    fn named(environment: Option<OsString>) -> Lists {
        let Ok(environment) = environment.unwrap_or_default().into_string() else {
            return Lists { addresses: Vec::new(), not_text: true };
        };
        let named: Vec<String> = environment.split_whitespace().map(str::to_owned).collect();
        let addresses = if named.is_empty() { LISTS.map(str::to_owned).to_vec() } else { named };
        Lists { addresses, not_text: false }
    }

    /// What the lists contain together. For one that cannot be reached, the copy kept the last time is used.
    ///
    /// # Errors
    /// If no list is available, the reason for the last one; the listener is told the others. If `WANDERWORT_LISTS` names them and is not UTF-8.
    pub fn fetch(&self, store: &Store, client: &Client, listener: &mut impl Listener) -> Result<Catalogue, FetchError> {
        if self.not_text {
            return Err(FetchError::Variable { name: VARIABLE });
        }
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
            if let Err(error) = store.keep_list(&kept_name(url), &bytes) {
                listener.note(&format_args!("{}; the list is used, but not kept for later", in_words(&error)));
            }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_names_lists() {
        let addresses = |environment: Option<&str>| Lists::named(environment.map(OsString::from)).addresses;
        assert_eq!(addresses(Some("https://a/ \n https://b/")), ["https://a/", "https://b/"]);
        assert_eq!(addresses(Some("  ")), LISTS);
        assert_eq!(addresses(None), LISTS);
    }

    #[cfg(unix)]
    #[test]
    fn an_environment_that_is_no_text_is_an_error() {
        use std::ops::ControlFlow;
        use std::os::unix::ffi::OsStringExt;

        struct Nobody;
        impl Listener for Nobody {
            fn progress(&mut self, _: &crate::model::catalogue::Model, _: u64, _: u64) -> ControlFlow<()> {
                ControlFlow::Continue(())
            }
        }
        let folder = tempfile::tempdir().unwrap();
        let store = Store::new(Some(folder.path())).unwrap();
        let client = Client::new(std::time::Duration::from_secs(1), true);
        let lists = Lists::named(Some(OsString::from_vec(b"https://a/\xff".to_vec())));
        let error = lists.fetch(&store, &client, &mut Nobody).unwrap_err();
        assert!(matches!(error, FetchError::Variable { name: VARIABLE }), "{error}");
    }
}

//! Fetching models that others publish, on request: lists of models, and the files of a model, checked and installed.
//!
//! Nothing else in this crate uses a network. Proxies (`HTTPS_PROXY`, `NO_PROXY`) and certificates (`SSL_CERT_FILE`, `SSL_CERT_DIR`) from the
//! environment are used.
//!
//! ```no_run
//! use std::ops::ControlFlow;
//! use std::time::Duration;
//! use wanderwort::fetch::{Client, Lists, Listener, install};
//! use wanderwort::model::catalogue::{Model, Quality};
//! use wanderwort::model::store::Store;
//!
//! struct Percent;
//!
//! impl Listener for Percent {
//!     fn progress(&mut self, model: &Model, fetched: u64, total: u64) -> ControlFlow<()> {
//!         println!("{}: {} %", model.name, 100 * fetched / total.max(1));
//!         ControlFlow::Continue(())
//!     }
//! }
//!
//! let store = Store::new(None)?;
//! let client = Client::new(Duration::from_secs(30), false);
//! let catalogue = Lists::new(&[]).fetch(&store, &client, &mut Percent)?;
//! for model in catalogue.choose("fr-de", Quality::Good)? {
//!     install(&store, &client, model, &mut Percent)?;
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod client;
mod error;
mod install;
mod lists;

pub use client::Client;
pub use error::{FetchError, RequestError};
pub use install::{fetch_files, install};
pub use lists::Lists;

use crate::model::catalogue::Model;
use std::fmt::Display;
use std::ops::ControlFlow;

/// Who is told how fetching goes.
pub trait Listener {
    /// Something worth knowing that stops nothing: a list that could not be reached, an entry that is left out.
    fn note(&mut self, note: &dyn Display) {
        let _ = note;
    }

    /// `fetched` bytes of a model are there, of about `total`; 0 if the lists give no sizes. `Break` stops with [`FetchError::Stopped`]; what
    /// is there is kept for the next time.
    fn progress(&mut self, model: &Model, fetched: u64, total: u64) -> ControlFlow<()>;
}

/// The first digits of the SHA-256 of an address, which name a file for it.
fn file_name(url: &str, extension: &str) -> String {
    use sha2::{Digest, Sha256};
    let digits: String = Sha256::digest(url.as_bytes()).iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    format!("{digits}.{extension}")
}

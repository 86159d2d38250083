//! Why something could not be fetched or installed.

use crate::LoadError;
use crate::model::catalogue::{CatalogueError, Sha256};
use crate::model::store::StoreError;
use std::io;
use std::path::{Path, PathBuf};

/// Why a model or a list could not be fetched or installed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FetchError {
    /// The [`Client`](super::Client) may not send requests.
    #[error("{url} is not fetched: offline")]
    Offline {
        /// What was wanted.
        url: String,
    },
    /// A list was never fetched, and the client may not send requests.
    #[error("{url} was never fetched, and offline nobody is asked")]
    NeverFetched {
        /// The list.
        url: String,
    },
    /// A server gave nothing.
    #[error("cannot fetch {url}")]
    Request {
        /// What was wanted.
        url: String,
        /// Why.
        source: RequestError,
    },
    /// No location of a file gave its bytes.
    #[error("cannot fetch {file}: {}", .failures.join("; "))]
    File {
        /// The file's name.
        file: String,
        /// What was wrong at each location, in words.
        failures: Vec<String>,
    },
    /// What was fetched is not the file, or is damaged.
    #[error("cannot unpack {file}")]
    Unpack {
        /// The file's name.
        file: String,
        /// What is wrong with it.
        source: Box<crate::model::Error>,
    },
    /// A file is longer or shorter than it should be.
    #[error("{file} has {found} bytes, and its list says {expected}")]
    Size {
        /// The file's name.
        file: String,
        /// As the list has it.
        expected: u64,
        /// What came.
        found: u64,
    },
    /// A file's bytes are not those that it should have.
    #[error("{file} is not the file that its list tells: SHA-256 {found}, expected {expected}")]
    Checksum {
        /// The file's name.
        file: String,
        /// As the list has it.
        expected: Sha256,
        /// Of what came.
        found: Sha256,
    },
    /// A list has two files with the same name for a model.
    #[error("{model}: the list has two files {file}")]
    Twice {
        /// The model.
        model: String,
        /// The files' name.
        file: String,
    },
    /// A model was fetched whole but does not load.
    #[error("{model} was fetched whole, but cannot be used")]
    Unusable {
        /// The model.
        model: String,
        /// Why.
        source: Box<LoadError>,
    },
    /// What should be a list is not one.
    #[error(transparent)]
    List(#[from] CatalogueError),
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
    /// The folder of installed models cannot be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// An environment variable that names addresses is no text.
    #[error("{name} is not valid UTF-8; expected are addresses of lists with spaces between")]
    Variable {
        /// The variable.
        name: &'static str,
    },
    /// The listener stopped it.
    #[error("stopped; what is there is kept, and the next time goes on from it")]
    Stopped,
}

impl FetchError {
    pub(super) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> FetchError {
        move |source| FetchError::Io { action, path: path.to_owned(), source }
    }
}

/// Why a server gave nothing, or not everything.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RequestError {
    /// No connection, or one that broke.
    #[error(transparent)]
    Connection(Box<dyn std::error::Error + Send + Sync>),
    /// An answer without the file.
    #[error("the server answers {status}")]
    Status {
        /// Number and words.
        status: String,
    },
    /// A file that is larger than it may be.
    #[error("the file has more than {limit} bytes")]
    TooLarge {
        /// Maximum number of bytes.
        limit: u64,
    },
    /// An answer that ended early.
    #[error("the server stopped after {found} of {expected} bytes")]
    Short {
        /// Bytes that came.
        found: u64,
        /// Bytes that were announced.
        expected: u64,
    },
}

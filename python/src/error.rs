//! The engine's errors as Python exceptions, in the words that the command line uses.

use pyo3::create_exception;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use wanderwort::in_words;

create_exception!(wanderwort, Error, PyException, "What the engine cannot do, and why.");
create_exception!(
    wanderwort,
    ModelError,
    Error,
    "A model cannot be loaded: a file is missing, damaged, or not one that the engine runs."
);
create_exception!(
    wanderwort,
    NotInstalledError,
    Error,
    "No installed model translates between two languages, or none can be read."
);
create_exception!(
    wanderwort,
    FetchError,
    Error,
    "A list of models or a model cannot be fetched, or is not what its list tells."
);

/// The exception for an error of a model.
pub fn model_error(context: &str, error: &dyn std::error::Error) -> PyErr {
    ModelError::new_err(format!("{context}{}", in_words(error)))
}

//! The folder of installed models, which the command line fills.

use crate::error::{NotInstalledError, in_words};
use pyo3::prelude::*;
use std::path::PathBuf;
use wanderwort::model::store::{Installed, Store, StoreError};

/// Name, source language, target language, version, licence, bytes, path.
type Described = (String, String, String, String, String, u64, PathBuf);

fn error(error: StoreError) -> PyErr {
    NotInstalledError::new_err(in_words(&error))
}

fn describe(store: &Store, model: Installed) -> Described {
    let (bytes, path) = (model.bytes(), store.path(&model));
    (model.name, model.source, model.target, model.version, model.licence, bytes, path)
}

/// The installed models by name, and what is to be said of those that cannot be read.
#[pyfunction]
pub fn installed(folder: Option<PathBuf>) -> PyResult<(Vec<Described>, Vec<String>)> {
    let store = Store::new(folder.as_deref()).map_err(error)?;
    let mut damaged = Vec::new();
    let models = store.installed(|found| damaged.push(found.to_string())).map_err(error)?;
    Ok((models.into_iter().map(|model| describe(&store, model)).collect(), damaged))
}

/// The one or two installed models by which one language becomes another, and what is to be said of those that cannot be read.
#[pyfunction]
pub fn find(source: &str, target: &str, folder: Option<PathBuf>) -> PyResult<(Vec<Described>, Vec<String>)> {
    let store = Store::new(folder.as_deref()).map_err(error)?;
    let mut damaged = Vec::new();
    let route = store.route(source, target, |found| damaged.push(found.to_string())).map_err(error)?;
    let Some(route) = route else {
        return Err(NotInstalledError::new_err(format!(
            "no model from {source} to {target} is installed; `wanderwort models install {source}-{target}` fetches one if there is one"
        )));
    };
    Ok((route.models().into_iter().map(|model| describe(&store, model)).collect(), damaged))
}

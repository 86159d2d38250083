//! The folder of installed models, which the command line uses too.

use crate::error::NotInstalledError;
use pyo3::prelude::*;
use std::path::{Path, PathBuf};
use wanderwort::in_words;
use wanderwort::model::store::{Installed, Store, StoreError};

/// Name, source language, target language, version, licence, bytes, path.
pub type Described = (String, String, String, String, String, u64, PathBuf);

pub fn error(error: StoreError) -> PyErr {
    NotInstalledError::new_err(in_words(&error))
}

pub fn describe(store: &Store, model: Installed) -> Described {
    let (bytes, path) = (model.bytes(), store.path(&model));
    (model.name, model.source, model.target, model.version, model.licence, bytes, path)
}

/// The store in a folder, or in the command line's folder.
pub fn store(folder: Option<&Path>) -> PyResult<Store> {
    Store::new(folder).map_err(error)
}

/// The installed models by name, and warnings about those that cannot be read.
#[pyfunction]
pub fn installed(folder: Option<PathBuf>) -> PyResult<(Vec<Described>, Vec<String>)> {
    let store = store(folder.as_deref())?;
    let mut damaged = Vec::new();
    let models = store.installed(|found| damaged.push(found.to_string())).map_err(error)?;
    Ok((models.into_iter().map(|model| describe(&store, model)).collect(), damaged))
}

/// The one or two installed models that translate from one language to another, and warnings about those that cannot be read.
#[pyfunction]
pub fn find(source: &str, target: &str, folder: Option<PathBuf>) -> PyResult<(Vec<Described>, Vec<String>)> {
    let store = store(folder.as_deref())?;
    let mut damaged = Vec::new();
    let route = store.route(source, target, |found| damaged.push(found.to_string())).map_err(error)?;
    let Some(route) = route else {
        return Err(NotInstalledError::new_err(format!(
            "no model from {source} to {target} is installed; `wanderwort models install {source}-{target}` fetches one if there is one"
        )));
    };
    Ok((route.models().into_iter().map(|model| describe(&store, model)).collect(), damaged))
}

/// Deletes the installed models of a name or a language pair; returns their names.
#[pyfunction]
pub fn remove(name: &str, folder: Option<PathBuf>) -> PyResult<Vec<String>> {
    let store = store(folder.as_deref())?;
    let models = store.matching(name, |_| ()).map_err(error)?;
    for model in &models {
        store.remove(model).map_err(error)?;
    }
    Ok(models.into_iter().map(|model| model.name).collect())
}

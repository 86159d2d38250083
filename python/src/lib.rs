//! The native half of the Python package: models, translations and errors in Python's form. What users see is in `wanderwort/`.
#![deny(missing_docs, unsafe_code)]

mod details;
mod engine;
mod error;
mod fetch;
mod installed;
mod workers;

use pyo3::prelude::*;

/// The native half of `wanderwort`.
#[pymodule]
fn _wanderwort(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let python = module.py();
    module.add_class::<engine::Engine>()?;
    module.add_function(wrap_pyfunction!(engine::models_in_memory, module)?)?;
    module.add_function(wrap_pyfunction!(installed::installed, module)?)?;
    module.add_function(wrap_pyfunction!(installed::find, module)?)?;
    module.add_function(wrap_pyfunction!(installed::remove, module)?)?;
    module.add_function(wrap_pyfunction!(fetch::available, module)?)?;
    module.add_function(wrap_pyfunction!(fetch::install, module)?)?;
    module.add("Error", python.get_type::<error::Error>())?;
    module.add("FetchError", python.get_type::<error::FetchError>())?;
    module.add("ModelError", python.get_type::<error::ModelError>())?;
    module.add("NotInstalledError", python.get_type::<error::NotInstalledError>())?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))
}

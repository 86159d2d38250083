//! Bindings for JavaScript: a model's files go in piece by piece, texts come back translated.
//!
//! Everything here runs in a worker; `www/worker/host.js` is its only caller. Offsets are in UTF-16 code units, as JavaScript
//! counts. Half a surrogate pair in a JavaScript string arrives as U+FFFD, which also takes one code unit, so offsets
//! still fit the original.
//!
//! With the feature `documents`, the module is only the reader and writer of files: it holds no engine, and is fetched when the first file comes.
//! Without it, the module is the engine.

#[cfg(any(not(feature = "documents"), test))]
mod markup;
mod offsets;

#[cfg(all(target_arch = "wasm32", feature = "documents"))]
mod documents;
#[cfg(all(target_arch = "wasm32", not(feature = "documents")))]
mod engine;
#[cfg(all(target_arch = "wasm32", not(feature = "documents")))]
mod loader;
#[cfg(all(target_arch = "wasm32", not(feature = "documents")))]
mod warm_up;

#[cfg(all(target_arch = "wasm32", feature = "documents"))]
pub use documents::FileDocument;
#[cfg(feature = "threads")]
pub use wasm_bindgen_rayon::init_thread_pool;
#[cfg(all(target_arch = "wasm32", not(feature = "documents")))]
pub use {
    engine::{Engine, EngineInfo, Finished, Model},
    loader::{Loader, unpack_package, weights_checksum},
    warm_up::warm_up,
};

/// Runs when the module is instantiated: a panic then shows in the console as a readable error.
#[cfg(target_arch = "wasm32")]
#[wasm_bindgen::prelude::wasm_bindgen(start)]
fn start() {
    console_error_panic_hook::set_once();
}

/// A JavaScript `Error` with a name that tells its kind and a message for people.
#[cfg(target_arch = "wasm32")]
fn js_error(name: &str, error: &dyn std::fmt::Display) -> wasm_bindgen::JsValue {
    let value = js_sys::Error::new(&error.to_string());
    value.set_name(name);
    value.into()
}

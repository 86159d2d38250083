//! Bindings for JavaScript.

#[cfg(feature = "threads")]
pub use wasm_bindgen_rayon::init_thread_pool;

/// Runs when the module is instantiated: a panic then shows in the console as a readable error.
#[wasm_bindgen::prelude::wasm_bindgen(start)]
fn start() {
    console_error_panic_hook::set_once();
}

//! Wanderwort: a neural machine translator that runs inside a web page, and the same engine natively.
#![deny(missing_docs)]

pub mod engine;
pub mod kernels;
pub mod model;
pub mod nn;
pub mod text;
#[cfg(target_arch = "wasm32")]
pub mod web;

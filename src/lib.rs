//! Wanderwort: a neural machine translator that runs inside a web page, and the same engine natively.
#![deny(missing_docs)]

mod engine;
pub mod kernels;
pub mod model;
pub mod nn;
pub mod text;
#[cfg(target_arch = "wasm32")]
pub mod web;

pub use engine::load::{LoadError, LoadOptions};
pub use engine::session::{RequestId, Session};
pub use engine::translation::{SentencePair, TranslatedToken, Translation};
pub use engine::translator::{Info, Sentences, TranslateOptions, Translator};
pub use engine::worker::Profile;
pub use nn::Precision;

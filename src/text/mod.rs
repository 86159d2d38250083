//! Texts: segmentation into sentences and pieces, and back.

mod address;
#[cfg(feature = "documents")]
pub mod documents;
#[cfg(feature = "documents")]
pub mod html;
pub mod language;
pub mod link;
pub mod markup;
pub mod repair;
pub mod segment;
pub mod structure;
pub mod vocab;

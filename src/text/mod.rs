//! Texts: segmentation into sentences and pieces, and back.

#[cfg(feature = "html")]
pub mod html;
pub mod language;
pub mod link;
pub mod markup;
pub mod repair;
pub mod segment;
pub mod structure;
pub mod vocab;

//! Texts: segmentation into sentences and pieces, and back.

#[cfg(feature = "html")]
pub mod html;
pub mod marks;
pub mod markup;
pub mod restore;
pub mod segment;
pub mod verbatim;
pub mod vocab;

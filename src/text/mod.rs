//! Texts: segmentation into sentences and pieces, and back.

pub mod markup;
pub mod restore;
pub mod segment;
pub mod vocab;

//! Texts: segmentation into sentences and pieces, and back.

pub mod restore;
pub mod segment;
pub mod vocab;

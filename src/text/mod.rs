//! Texts: segmentation into sentences and pieces, and back.

pub mod vocab;

//! Texts: segmentation into sentences and pieces, and back.

pub mod amounts;
pub mod brackets;
pub mod capitals;
pub mod emphasis;
#[cfg(feature = "html")]
pub mod html;
pub mod loops;
pub mod marks;
pub mod markup;
pub mod names;
pub mod numbers;
pub mod restore;
pub mod segment;
pub mod stand_ins;
pub mod structure;
pub mod verbatim;
pub mod vocab;

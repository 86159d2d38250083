//! Texts: segmentation into sentences and pieces, and back.

pub mod amounts;
pub mod brackets;
pub mod capitals;
#[cfg(feature = "documents")]
pub mod documents;
pub mod emphasis;
#[cfg(feature = "documents")]
pub mod html;
pub mod loops;
pub mod marks;
pub mod markup;
pub mod names;
pub mod numbers;
pub mod restore;
pub mod segment;
pub mod stand_ins;
pub mod verbatim;
pub mod vocab;

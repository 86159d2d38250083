//! Models: the files they come in, their configuration, vocabularies and shortlists.

mod config;
mod error;
mod gzip;
mod marian;
mod tensor;

pub use config::{Activation, AverageAttention, Config, DecoderKind, FeedForward, Normalization};
pub use error::{Error, Fault};
pub use gzip::gunzip;
pub use marian::{Item, ItemKind, MarianModel, quantize_intgemm8, write_bin, write_npz};
pub use tensor::{FloatTensor, Int8Tensor, Tensor};

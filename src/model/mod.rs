//! Models: the files they come in, their configuration, vocabularies and shortlists.

pub mod catalogue;
mod compression;
mod config;
mod decoding;
mod directory;
mod error;
mod marian;
pub mod names;
pub mod package;
mod settings;
mod shortlist;
#[cfg(feature = "store")]
pub mod store;
mod tensor;
mod word_list;
mod yaml;

pub use compression::{Compression, Unpacker, decompressed};
pub use config::{
    Activation, AverageAttention, Config, DecoderKind, EncoderKind, FeedForward, Normalization, Recurrent,
};
pub use decoding::Decoding;
pub use directory::{FileSource, MarianFiles, NamedBytes, Weights};
pub use error::{Error, Fault};
pub use marian::{BinReader, Item, ItemKind, MarianModel, npz_holds_model, quantize_intgemm8, write_bin, write_npz};
pub use settings::{DecoderOptions, ModelInfo, ShortlistOptions, WITHOUT_EFFECT, Warning};
pub use shortlist::{Shortlist, Vocabularies};
pub use tensor::{FloatTensor, Int8Tensor, Tensor};

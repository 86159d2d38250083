//! Models: the files they come in, their configuration, vocabularies and shortlists.

mod tensor;

pub use tensor::{FloatTensor, Int8Tensor, Tensor};

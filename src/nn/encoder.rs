//! The encoder: self-attention and feed-forward sublayers in turn, or recurrent layers.

use super::attention::{MultiHead, NoHeads};
use super::feed_forward::FeedForward;
use super::norm::LayerNorm;
use super::recurrent::RecurrentEncoder;
use super::workspace::Workspace;
use crate::kernels::Backend;

/// What reads the source.
#[derive(Debug)]
pub enum Encoder {
    /// A Transformer's.
    Transformer(TransformerEncoder),
    /// Recurrent layers.
    Recurrent(RecurrentEncoder),
}

/// A stack of encoder layers.
#[derive(Debug)]
pub struct TransformerEncoder {
    pub(crate) backend: Backend,
    pub(crate) dim: usize,
    /// Normalizes the embeddings (Marian's `transformer-postprocess-emb`).
    pub(crate) bottom: Option<LayerNorm>,
    pub(crate) layers: Vec<EncoderLayer>,
    /// Marian's `transformer-postprocess-top`.
    pub(crate) top: Option<LayerNorm>,
}

/// One encoder layer.
#[derive(Debug)]
pub struct EncoderLayer {
    pub(crate) attention: EncoderAttention,
    pub(crate) feed_forward: FeedForward,
}

/// How the positions of a sentence see each other in a layer.
#[derive(Debug)]
pub enum EncoderAttention {
    /// By heads.
    Heads(Box<MultiHead>),
    /// Not at all: all heads were pruned away.
    NoHeads(NoHeads),
}

impl EncoderAttention {
    fn bytes(&self) -> usize {
        match self {
            EncoderAttention::Heads(attention) => attention.bytes(),
            EncoderAttention::NoHeads(rest) => rest.bytes(),
        }
    }

    fn apply(&self, backend: Backend, dim: usize, lengths: &[usize], workspace: &mut Workspace) {
        match self {
            EncoderAttention::Heads(attention) => attention.apply_self(backend, dim, lengths, workspace),
            EncoderAttention::NoHeads(rest) => rest.apply(backend, workspace),
        }
    }
}

impl Encoder {
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Encoder::Transformer(encoder) => encoder.bytes(),
            Encoder::Recurrent(encoder) => encoder.bytes(),
        }
    }

    /// Transforms the workspace's rows; `lengths` says where each sentence ends.
    pub(crate) fn apply(&self, lengths: &[usize], workspace: &mut Workspace) {
        match self {
            Encoder::Transformer(encoder) => encoder.apply(lengths, workspace),
            Encoder::Recurrent(encoder) => encoder.apply(lengths, workspace),
        }
    }
}

impl TransformerEncoder {
    fn bytes(&self) -> usize {
        self.layers.iter().map(|layer| layer.attention.bytes() + layer.feed_forward.bytes()).sum()
    }

    fn apply(&self, lengths: &[usize], workspace: &mut Workspace) {
        if let Some(norm) = &self.bottom {
            norm.apply(self.backend, &mut workspace.rows);
        }
        for layer in &self.layers {
            layer.attention.apply(self.backend, self.dim, lengths, workspace);
            layer.feed_forward.apply(self.backend, self.dim, workspace);
        }
        if let Some(norm) = &self.top {
            norm.apply(self.backend, &mut workspace.rows);
        }
    }
}

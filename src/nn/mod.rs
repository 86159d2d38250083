//! The network: layers over the kernels, put together from a model's named tensors.
//!
//! Everything works on rows: a batch of `n` token vectors is one row-major `n × dim` slice. The encoder takes the tokens
//! of several sentences one after another without padding; the decoder takes one row for each hypothesis at work.

mod attention;
mod average_attention;
mod builder;
mod decoder;
mod embedding;
mod encoder;
mod ensemble;
mod feed_forward;
mod linear;
mod norm;
mod output;
mod past;
mod recurrent;
mod self_attention;
pub(crate) mod spare;
mod ssru;
mod state;
mod statistics;
mod tensors;
mod workspace;

pub use builder::{NetworkBuilder, NetworkError, Precision, StoredScales};
pub use decoder::{Decoder, DecoderRows, Previous};
pub use encoder::Encoder;
pub use ensemble::{Ensemble, EnsembleCandidates, EnsembleRows};
pub use output::{Candidates, Choice, OutputLayer};
pub use statistics::{ActivationStatistics, Observe};
pub use workspace::Workspace;

use crate::kernels::Backend;
use crate::model::package::rounding::SecondMoments;
use std::sync::Arc;

/// A loaded network, shared read-only by all workers.
#[derive(Debug)]
pub struct Network {
    pub(crate) backend: Backend,
    pub(crate) precision: Precision,
    pub(crate) dim: usize,
    pub(crate) source_embedding: embedding::Embedding,
    /// None: the target side uses the source embedding.
    pub(crate) target_embedding: Option<embedding::Embedding>,
    /// None: the network knows positions from the order of its steps.
    pub(crate) positions: Option<embedding::Positions>,
    pub(crate) encoder: Encoder,
    pub(crate) decoder: Decoder,
    pub(crate) output: OutputLayer,
    /// Of all int8 products, if asked for.
    pub(crate) observers: Vec<Arc<statistics::Observer>>,
}

impl Network {
    /// The instruction set that its weights are packed for.
    pub fn backend(&self) -> Backend {
        self.backend
    }

    /// In which numbers products are computed.
    pub fn precision(&self) -> Precision {
        self.precision
    }

    /// Bytes that a decoder step reads for a sentence beside what all sentences share, see [`Ensemble::bytes_read`].
    pub(crate) fn bytes_read(&self, pieces: usize, candidates: usize) -> usize {
        let (number, weight) = match self.precision {
            Precision::Int8 => (2, 1),
            Precision::Int16 => (4, 2),
            Precision::Float32 => (4, 4),
        };
        self.dim * (2 * self.decoder.attentions() * number * pieces + weight * candidates)
    }

    /// Length of a token's vector.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// Number of source pieces that have an embedding.
    pub fn source_vocabulary(&self) -> usize {
        self.source_embedding.len()
    }

    /// Number of target pieces.
    pub fn target_vocabulary(&self) -> usize {
        self.target_embedding().len()
    }

    /// The output layer.
    pub fn output(&self) -> &OutputLayer {
        &self.output
    }

    pub(crate) fn target_embedding(&self) -> &embedding::Embedding {
        self.target_embedding.as_ref().unwrap_or(&self.source_embedding)
    }

    /// Statistics of the inputs of each int8 product so far, by the name of its activation multiplier; empty unless the network was built
    /// with [`NetworkBuilder::observe`].
    pub fn activation_statistics(&self) -> impl Iterator<Item = (&str, ActivationStatistics)> {
        self.observers.iter().map(|observer| (observer.multiplier(), observer.statistics()))
    }

    /// The second moments of the inputs of each int8 product so far, by the name of its weights; empty unless the network was built to keep
    /// them, see [`NetworkBuilder::observe`].
    pub fn second_moments(&self) -> impl Iterator<Item = (&str, SecondMoments)> {
        self.observers.iter().filter_map(|observer| Some((observer.weights(), observer.moments()?)))
    }

    /// Bytes of memory that the weights take.
    pub fn bytes(&self) -> usize {
        self.source_embedding.bytes()
            + self.target_embedding.as_ref().map_or(0, |embedding| embedding.bytes())
            + self.encoder.bytes()
            + self.decoder.bytes()
            + self.output.bytes()
    }

    /// Encodes sentences: `ids` holds their source pieces one after the other, `lengths` how many each has.
    /// The result, one row per piece, is left in `workspace`, see [`Workspace::encoded`].
    ///
    /// # Panics
    /// If the lengths do not add up to the number of ids, a length is zero, or an id is out of range.
    pub fn encode(&self, ids: &[u32], lengths: &[usize], workspace: &mut Workspace) {
        assert_eq!(lengths.iter().sum::<usize>(), ids.len());
        workspace.rows.clear();
        workspace.rows.resize(ids.len() * self.dim, 0.0);
        let mut rows = workspace.rows.chunks_exact_mut(self.dim);
        let mut id = ids.iter();
        for &length in lengths {
            assert!(length > 0, "a sentence has at least its end mark");
            for position in 0..length {
                let (row, &id) = rows.next().zip(id.next()).expect("as many rows as ids");
                self.source_embedding.look_up(id, row);
                if let Some(positions) = &self.positions {
                    positions.add(position, row);
                }
            }
        }
        self.encoder.apply(lengths, workspace);
    }
}

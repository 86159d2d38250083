//! Multi-head attention (Vaswani et al., 2017, section 3.2.2): over the sentence itself in the encoder, over the encoder's
//! output in the decoder.

use super::Precision;
use super::linear::{Input, Linear, Quantized};
use super::norm::Residual;
use super::workspace::{Workspace, sized};
use crate::kernels::Backend;
use crate::kernels::attention::{BFloat16, KeysValues, attend};

/// Projections to queries, keys and values, and back.
///
/// The number of heads follows from the width of the queries: a layer whose heads were pruned is narrower than the
/// model.
#[derive(Debug)]
pub struct MultiHead {
    pub(crate) query: Linear,
    pub(crate) key: Linear,
    pub(crate) value: Linear,
    /// None: the heads' outputs are the sublayer's output (Marian's `transformer-no-projection`).
    pub(crate) output: Option<Linear>,
    pub(crate) heads: usize,
    pub(crate) residual: Residual,
}

/// What is left of self-attention whose heads were all pruned away: the bias b of its output product, to which the heads' outputs were added.
/// So the sublayer is `LN(x + b)` with a norm after it, and `x + b` with one before, whose output is never read.
#[derive(Debug)]
pub struct NoHeads {
    pub(crate) bias: Vec<f32>,
    pub(crate) residual: Residual,
}

impl NoHeads {
    pub(crate) fn bytes(&self) -> usize {
        self.bias.len() * 4
    }

    /// The sublayer in place.
    pub(crate) fn apply(&self, backend: Backend, workspace: &mut Workspace) {
        let Workspace { rows, update, .. } = workspace;
        for row in sized(update, rows.len()).chunks_exact_mut(self.bias.len()) {
            row.copy_from_slice(&self.bias);
        }
        self.residual.leave(backend, rows, update);
    }
}

/// Keys and values of a sentence for a layer of the decoder, as precise as the network's products need them.
#[derive(Debug)]
pub(crate) enum Memory {
    Int8(KeysValues<BFloat16>),
    Float32(KeysValues<f32>),
}

impl Memory {
    pub(crate) fn new(precision: Precision) -> Self {
        match precision {
            Precision::Int8 => Memory::Int8(KeysValues::default()),
            Precision::Int16 | Precision::Float32 => Memory::Float32(KeysValues::default()),
        }
    }

    /// Number of pieces of the sentence.
    pub(crate) fn length(&self) -> usize {
        match self {
            Memory::Int8(memory) => memory.length,
            Memory::Float32(memory) => memory.length,
        }
    }

    /// Number of pieces that there is already memory for.
    pub(crate) fn room(&self) -> usize {
        match self {
            Memory::Int8(memory) => memory.room(),
            Memory::Float32(memory) => memory.room(),
        }
    }
}

impl MultiHead {
    pub(crate) fn bytes(&self) -> usize {
        let projections = [Some(&self.query), Some(&self.key), Some(&self.value), self.output.as_ref()];
        projections.into_iter().flatten().map(Linear::bytes).sum()
    }

    /// Self-attention of each sentence in place; the rows of the sentences follow one another.
    pub(crate) fn apply_self(&self, backend: Backend, dim: usize, lengths: &[usize], workspace: &mut Workspace) {
        let Workspace { rows, update, normalized, queries, keys, values, context, quantized, memory, scratch, .. } =
            workspace;
        let (count, width) = (rows.len() / dim, self.query.columns());
        let mut input = Input::new(self.residual.enter(backend, rows, normalized), dim, quantized);
        let queries = sized(queries, count * width);
        let keys = sized(keys, count * width);
        let values = sized(values, count * width);
        self.query.apply(&mut input, queries);
        self.key.apply(&mut input, keys);
        self.value.apply(&mut input, values);
        let attended = sized(context, count * width);
        let mut start = 0;
        for &length in lengths {
            let range = start * width..(start + length) * width;
            memory.set(backend, &keys[range.clone()], &values[range.clone()], width, self.heads);
            attend(backend, &queries[range.clone()], memory, scratch, None, &mut attended[range]);
            start += length;
        }
        self.project(count, dim, attended, quantized, update);
        self.residual.leave(backend, rows, update);
    }

    /// Keys and values of the encoder's output for each sentence, to be attended to by the decoder.
    pub(crate) fn remember<'m>(
        &self,
        backend: Backend,
        encoded: &mut Input<'_>,
        lengths: &[usize],
        (keys, values): (&mut Vec<f32>, &mut Vec<f32>),
        memories: impl Iterator<Item = &'m mut Memory>,
    ) {
        let width = self.key.columns();
        let keys = sized(keys, encoded.rows() * width);
        let values = sized(values, encoded.rows() * width);
        self.key.apply(encoded, keys);
        self.value.apply(encoded, values);
        let mut start = 0;
        for (&length, memory) in lengths.iter().zip(memories) {
            let range = start * width..(start + length) * width;
            let (keys, values) = (&keys[range.clone()], &values[range]);
            match memory {
                Memory::Int8(memory) => memory.set(backend, keys, values, width, self.heads),
                Memory::Float32(memory) => memory.set(backend, keys, values, width, self.heads),
            }
            start += length;
        }
    }

    /// Cross-attention in place: row `i` attends to `memories[i]`. If `alignments` is given, it receives for each row the
    /// probabilities of the first head.
    pub(crate) fn apply_cross<'m>(
        &self,
        backend: Backend,
        dim: usize,
        memories: impl Iterator<Item = &'m Memory>,
        mut alignments: Option<&mut Vec<Vec<f32>>>,
        workspace: &mut Workspace,
    ) {
        let Workspace { rows, update, normalized, queries, context, quantized, scratch, .. } = workspace;
        let (count, width) = (rows.len() / dim, self.query.columns());
        let mut input = Input::new(self.residual.enter(backend, rows, normalized), dim, quantized);
        let queries = sized(queries, count * width);
        self.query.apply(&mut input, queries);
        let attended = sized(context, count * width);
        for (row, memory) in memories.enumerate() {
            let range = row * width..(row + 1) * width;
            let probabilities = alignments.as_mut().map(|alignments| (0, sized(&mut alignments[row], memory.length())));
            let (query, attended) = (&queries[range.clone()], &mut attended[range]);
            match memory {
                Memory::Int8(memory) => attend(backend, query, memory, scratch, probabilities, attended),
                Memory::Float32(memory) => attend(backend, query, memory, scratch, probabilities, attended),
            }
        }
        self.project(count, dim, attended, quantized, update);
        self.residual.leave(backend, rows, update);
    }

    pub(crate) fn project(
        &self,
        count: usize,
        dim: usize,
        attended: &[f32],
        quantized: &mut Quantized,
        update: &mut Vec<f32>,
    ) {
        let update = sized(update, count * dim);
        match &self.output {
            Some(output) => output.apply(&mut Input::new(attended, self.query.columns(), quantized), update),
            None => update.copy_from_slice(attended),
        }
    }
}

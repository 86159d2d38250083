//! Attention by a small network (Bahdanau et al., 2015, section 3.1): the score of position j for the state s is
//! `v · tanh(W s + U h_j + b)`; the context is the mean of the encoder's rows h weighted by the softmax of the scores.

use super::projection::Projection;
use crate::kernels::Backend;
use crate::kernels::attention::attend_additive;
use crate::nn::NetworkError;
use crate::nn::attention::Memory;
use crate::nn::linear::Input;
use crate::nn::tensors::Tensors;
use crate::nn::workspace::{Workspace, sized};
use std::sync::Arc;

/// The attention of a recurrent decoder.
#[derive(Debug)]
pub(super) struct AdditiveAttention {
    key: Projection,
    query: Projection,
    score: Vec<f32>,
}

impl AdditiveAttention {
    /// Takes the attention `prefix` of states of width `state` to rows of width `context`.
    pub(super) fn take(
        tensors: &mut Tensors,
        prefix: &str,
        state: usize,
        context: usize,
        normalized: bool,
    ) -> Result<Self, NetworkError> {
        let name = |part: &str| format!("{prefix}_{part}");
        let gamma = |number: u32| normalized.then(|| format!("{prefix}_att_gamma{number}"));
        let (bias, of_key, of_query) = (name("b_att"), gamma(1), gamma(2));
        Ok(Self {
            key: Projection::take(tensors, &name("Wc_att"), Some(&bias), of_key.as_deref(), (context, context))?,
            query: Projection::take(tensors, &name("W_comb_att"), None, of_query.as_deref(), (state, context))?,
            score: tensors.vector(&name("U_att"), context)?,
        })
    }

    pub(super) fn bytes(&self) -> usize {
        self.key.bytes() + self.query.bytes() + self.score.len() * 4
    }

    /// Width of a context.
    pub(super) fn width(&self) -> usize {
        self.score.len()
    }

    /// Keeps the encoder's rows of each sentence, and what they contribute to scores.
    pub(super) fn remember<'m>(
        &self,
        backend: Backend,
        lengths: &[usize],
        memories: impl Iterator<Item = &'m mut Memory>,
        workspace: &mut Workspace,
    ) {
        let Workspace { rows, keys, quantized, .. } = workspace;
        let width = self.width();
        let keys = sized(keys, rows.len());
        self.key.apply(backend, &mut Input::new(rows, width, quantized), keys);
        let mut start = 0;
        for (&length, memory) in lengths.iter().zip(memories) {
            let range = start * width..(start + length) * width;
            let (keys, values) = (&keys[range.clone()], &rows[range]);
            match memory {
                Memory::Int8(memory) => memory.set(backend, keys, values, width, 1),
                Memory::Float32(memory) => memory.set(backend, keys, values, width, 1),
            }
            start += length;
        }
    }

    /// The contexts of all states, left in the workspace's `context`. If `alignments` is given, it receives each row's weights.
    pub(super) fn apply(
        &self,
        backend: Backend,
        states: &[f32],
        memories: &[Arc<Vec<Memory>>],
        mut alignments: Option<&mut Vec<Vec<f32>>>,
        workspace: &mut Workspace,
    ) {
        let Workspace { queries, context, quantized, scratch, .. } = workspace;
        let width = self.width();
        let queries = sized(queries, memories.len() * width);
        self.query.apply(backend, &mut Input::new(states, self.query.inner(), quantized), queries);
        let contexts = sized(context, memories.len() * width);
        let rows = queries.chunks_exact(width).zip(contexts.chunks_exact_mut(width));
        for (row, ((query, context), memory)) in rows.zip(memories).enumerate() {
            let memory = &memory[0];
            let weights = alignments.as_mut().map(|alignments| sized(&mut alignments[row], memory.length()));
            match memory {
                Memory::Int8(memory) => attend_additive(backend, query, &self.score, memory, scratch, weights, context),
                Memory::Float32(memory) => {
                    attend_additive(backend, query, &self.score, memory, scratch, weights, context);
                }
            }
        }
    }
}

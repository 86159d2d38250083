//! The recurrent decoder: a layer with attention within its step, layers above it, and deep output (Sennrich et al., 2017, "Nematus",
//! section 2; Pascanu et al., 2014).
//!
//! All states start from `tanh(W · mean of the encoder's rows)`. In the lowest layer, the first cell reads the last word, attention starts
//! from its state, the second cell reads the context, and further ones read nothing. The output layer sees
//! `tanh(W₀ word + W₁ state + W₂ context)`.

use super::attention::AdditiveAttention;
use super::gru::{CandidateBias, Gru};
use super::projection::Projection;
use crate::kernels::{Backend, elementwise};
use crate::model::{Config, EncoderKind, Recurrent};
use crate::nn::NetworkError;
use crate::nn::attention::Memory;
use crate::nn::decoder::{Previous, fresh_memories};
use crate::nn::linear::Input;
use crate::nn::past::Past;
use crate::nn::state::State;
use crate::nn::tensors::Tensors;
use crate::nn::workspace::{Workspace, sized};
use std::sync::Arc;

/// A recurrent decoder.
#[derive(Debug)]
pub struct RecurrentDecoder {
    backend: Backend,
    /// Makes the first state.
    start: Projection,
    /// The lowest layer; attention comes after its first cell.
    base: Vec<Gru>,
    attention: AdditiveAttention,
    upper: Vec<UpperLayer>,
    /// Of the last word, of the state and of the context.
    output: [Projection; 3],
}

/// A layer that reads the one below.
#[derive(Debug)]
struct UpperLayer {
    cells: Vec<Gru>,
    skip: bool,
}

impl RecurrentDecoder {
    pub(crate) fn take(tensors: &mut Tensors, config: &Config, recurrent: &Recurrent) -> Result<Self, NetworkError> {
        let (width, normalized) = (recurrent.dim, recurrent.layer_normalization);
        let joined = recurrent.encoder == EncoderKind::BiUnidirectional && config.encoder_depth > 1;
        let context = if joined { width } else { 2 * width };
        let mut dense = |prefix: &str, number: &str, inner: usize, columns: usize| {
            let (weights, bias) = (format!("{prefix}_W{number}"), format!("{prefix}_b{number}"));
            let gamma = normalized.then(|| format!("{prefix}_gamma{number}"));
            Projection::take(tensors, &weights, Some(&bias), gamma.as_deref(), (inner, columns))
        };
        let start = dense("decoder_ff_state", "", context, width)?;
        let output = [
            dense("decoder_ff_logit_l1", "0", config.dim, config.dim)?,
            dense("decoder_ff_logit_l1", "1", width, config.dim)?,
            dense("decoder_ff_logit_l1", "2", context, config.dim)?,
        ];
        let base = (1..=recurrent.base_cells).map(|number| {
            let (inner, bias) = match number {
                1 => (Some(config.dim), CandidateBias::OutsideReset),
                2 => (Some(context), CandidateBias::InsideReset),
                _ => (None, CandidateBias::InsideReset),
            };
            Gru::take(tensors, &format!("decoder_cell{number}"), inner, width, normalized, bias)
        });
        let base = base.collect::<Result<Vec<_>, _>>()?;
        let upper = (2..=config.decoder_depth).map(|layer| {
            let cell = |number| {
                let (prefix, inner) = (format!("decoder_l{layer}_cell{number}"), (number == 1).then_some(width));
                Gru::take(tensors, &prefix, inner, width, normalized, CandidateBias::OutsideReset)
            };
            let cells = (1..=recurrent.high_cells).map(cell).collect::<Result<Vec<_>, _>>()?;
            Ok(UpperLayer { cells, skip: recurrent.skip })
        });
        let upper = upper.collect::<Result<Vec<_>, NetworkError>>()?;
        let attention = AdditiveAttention::take(tensors, "decoder", width, context, normalized)?;
        Ok(Self { backend: tensors.backend, start, base, attention, upper, output })
    }

    pub(crate) fn bytes(&self) -> usize {
        let projections = self.output.iter().chain([&self.start]).map(Projection::bytes).sum::<usize>();
        let cells = self.base.iter().map(Gru::bytes).sum::<usize>();
        projections + cells + self.attention.bytes() + self.upper.iter().map(Past::bytes).sum::<usize>()
    }

    /// The layers' states without rows.
    pub(crate) fn states(&self) -> Vec<State> {
        let base = State::vectors(self.base[0].width());
        [base].into_iter().chain(self.upper.iter().map(Past::state)).collect()
    }

    /// Keeps the encoder's rows of sentences that were just encoded, and gives their own rows, the last of `states`, a first state.
    pub(crate) fn admit(
        &self,
        lengths: &[usize],
        memories: &mut [Arc<Vec<Memory>>],
        states: &mut [State],
        workspace: &mut Workspace,
    ) {
        self.attention.remember(self.backend, lengths, fresh_memories(memories, 0), workspace);
        let Workspace { rows, context, hidden, quantized, .. } = workspace;
        let context_width = self.attention.width();
        let means = sized(context, lengths.len() * context_width);
        means.fill(0.0);
        let mut rows = rows.chunks_exact(context_width);
        for (&length, mean) in lengths.iter().zip(means.chunks_exact_mut(context_width)) {
            for row in rows.by_ref().take(length) {
                elementwise::add(self.backend, mean, row);
            }
            let factor = 1.0 / length as f32;
            mean.iter_mut().for_each(|x| *x *= factor);
        }
        let first = sized(hidden, lengths.len() * self.start.columns());
        self.start.apply(self.backend, &mut Input::new(means, context_width, quantized), first);
        elementwise::tanh_in_place(self.backend, first);
        for state in states {
            let values = state.as_vectors();
            let admitted = values.len() - first.len();
            values[admitted..].copy_from_slice(first);
        }
    }

    /// One step of the workspace's rows: embeddings, which become what the output layer takes.
    pub(crate) fn step(
        &self,
        previous: &[Previous],
        states: &mut [State],
        memories: &[Arc<Vec<Memory>>],
        alignments: Option<&mut Vec<Vec<f32>>>,
        workspace: &mut Workspace,
    ) {
        let (count, width, backend) = (previous.len(), self.base[0].width(), self.backend);
        let (base, upper) = states.split_first_mut().expect("a decoder has a layer");
        let base = base.as_vectors();
        let Workspace { rows, update, quantized, recurrent, .. } = &mut *workspace;
        let words = sized(update, rows.len());
        self.output[0].apply(backend, &mut Input::new(rows, self.output[0].inner(), quantized), words);
        let inputs = sized(&mut recurrent.inputs, count * 3 * width);
        self.base[0].project(backend, rows, quantized, inputs);
        self.base[0].step(backend, Some(inputs), base, &mut recurrent.recurrent, quantized);

        self.attention.apply(backend, base, memories, alignments, workspace);

        let Workspace { rows, context, quantized, recurrent, .. } = &mut *workspace;
        let contexts = &context[..count * self.attention.width()];
        let inputs = sized(&mut recurrent.inputs, count * 3 * width);
        self.base[1].project(backend, contexts, quantized, inputs);
        self.base[1].step(backend, Some(inputs), base, &mut recurrent.recurrent, quantized);
        for cell in &self.base[2..] {
            cell.step(backend, None, base, &mut recurrent.recurrent, quantized);
        }
        rows.clear();
        rows.extend_from_slice(base);
        for (layer, state) in self.upper.iter().zip(upper) {
            layer.step(backend, previous, state, workspace);
        }

        let Workspace { rows, update, context, hidden, quantized, .. } = workspace;
        let contexts = &context[..count * self.attention.width()];
        let [_, of_state, of_context] = &self.output;
        let sum = &mut update[..count * of_state.columns()];
        for (projection, input) in [(of_state, &rows[..]), (of_context, contexts)] {
            let part = sized(hidden, sum.len());
            projection.apply(backend, &mut Input::new(input, projection.inner(), quantized), part);
            elementwise::add(backend, sum, part);
        }
        elementwise::tanh_in_place(backend, sum);
        rows.clear();
        rows.extend_from_slice(sum);
    }
}

impl Past for UpperLayer {
    fn bytes(&self) -> usize {
        self.cells.iter().map(Gru::bytes).sum()
    }

    fn state(&self) -> State {
        State::vectors(self.cells[0].width())
    }

    fn step(&self, backend: Backend, _previous: &[Previous], state: &mut State, workspace: &mut Workspace) {
        let Workspace { rows, quantized, recurrent, .. } = workspace;
        let states = state.as_vectors();
        let inputs = sized(&mut recurrent.inputs, 3 * states.len());
        self.cells[0].project(backend, rows, quantized, inputs);
        for (number, cell) in self.cells.iter().enumerate() {
            let projected = (number == 0).then_some(&*inputs);
            cell.step(backend, projected, states, &mut recurrent.recurrent, quantized);
        }
        if self.skip {
            elementwise::add(backend, rows, states);
        } else {
            rows.copy_from_slice(states);
        }
    }
}

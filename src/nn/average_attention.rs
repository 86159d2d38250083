//! Average attention (Zhang, Xiong and Su, 2018, "Accelerating Neural Transformer via an Average Attention Network",
//! section 3.1): the mean of all inputs so far, a feed-forward part φ and a gate,
//! `a_t = (a_{t−1} · t + x_t) / (t + 1)`, `g_t = φ(a_t)`, output `σ(W_i x_t + b_i) ⊙ x_t + σ(W_f g_t + b_f) ⊙ g_t`.

use super::decoder::Previous;
use super::linear::{Input, Linear};
use super::norm::Residual;
use super::past::Past;
use super::state::State;
use super::workspace::{Workspace, sized};
use crate::kernels::{Backend, elementwise};
use crate::model::Activation;

/// One average attention sublayer.
#[derive(Debug)]
pub struct AverageAttention {
    /// Width of the rows.
    pub(crate) dim: usize,
    /// Layers of φ with an activation after them.
    pub(crate) hidden: Vec<Linear>,
    pub(crate) activation: Activation,
    /// Back to the model's width; none if φ already has that width.
    pub(crate) last: Option<Linear>,
    /// The gates of the input and of φ's output; none if the output is `g_t` alone.
    pub(crate) gates: Option<(Linear, Linear)>,
    /// Its norm before the sublayer applies to the mean; the gate sees the input as it is, as in Marian.
    pub(crate) residual: Residual,
}

impl Past for AverageAttention {
    fn bytes(&self) -> usize {
        let gates = self.gates.iter().flat_map(|(input, output)| [input, output]);
        self.hidden.iter().chain(&self.last).chain(gates).map(Linear::bytes).sum()
    }

    fn state(&self) -> State {
        State::vectors(self.dim)
    }

    fn step(&self, backend: Backend, previous: &[Previous], state: &mut State, workspace: &mut Workspace) {
        let (means, dim) = (state.as_vectors(), self.dim);
        let Workspace { rows, update, normalized, hidden, context, quantized, quantized_hidden, .. } = workspace;
        let count = rows.len() / dim;
        let states = means.chunks_exact_mut(dim).zip(rows.chunks_exact(dim));
        for ((mean, row), previous) in states.zip(previous) {
            let before = previous.position as f32;
            let factor = 1.0 / (before + 1.0);
            for (mean, x) in mean.iter_mut().zip(row) {
                *mean = (*mean * before + x) * factor;
            }
        }
        sized(context, rows.len()).copy_from_slice(self.residual.enter(backend, means, normalized));
        let mut width = dim;
        for (index, layer) in self.hidden.iter().chain(&self.last).enumerate() {
            let out = sized(hidden, count * layer.columns());
            layer.apply(&mut Input::new(&context[..count * width], width, quantized_hidden), out);
            if index < self.hidden.len() {
                match self.activation {
                    Activation::Relu => elementwise::relu(backend, out),
                    Activation::Swish => elementwise::swish(backend, out),
                }
            }
            width = layer.columns();
            std::mem::swap(context, hidden);
        }
        let found = &context[..rows.len()];
        let out = sized(update, rows.len());
        if let Some((input_gate, output_gate)) = &self.gates {
            output_gate.apply(&mut Input::new(found, dim, quantized_hidden), out);
            elementwise::sigmoid_in_place(backend, out);
            let keep = sized(hidden, rows.len());
            input_gate.apply(&mut Input::new(rows, dim, quantized), keep);
            elementwise::sigmoid_in_place(backend, keep);
            for ((out, found), (keep, x)) in out.iter_mut().zip(found).zip(keep.iter().zip(rows.iter())) {
                *out = keep * x + *out * found;
            }
        } else {
            out.copy_from_slice(found);
        }
        self.residual.leave(backend, rows, update);
    }
}

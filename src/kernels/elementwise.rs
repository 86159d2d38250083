//! What lies between the products: norms, gates and activations over float rows.

use crate::kernels::for_every_backend;
use crate::kernels::lanes::{LANES, Lanes, exp, ln, sigmoid, tanh};

/// Marian's ε for the layer norm in Transformers.
pub const LAYER_NORM_EPSILON: f32 = 1e-6;
/// Marian's ε for the layer norm in recurrent models.
pub const RECURRENT_LAYER_NORM_EPSILON: f32 = 1e-9;

for_every_backend! {
    /// `out = (x − mean) / sqrt(variance + ε) · γ + β` for each row of `gamma.len()` floats, in place (Ba et al., 2016).
    ///
    /// # Panics
    /// If `beta` is shorter than `gamma`.
    pub fn layer_norm(lanes: L, rows: &mut [f32], gamma: &[f32], beta: &[f32], epsilon: f32) {
        if !gamma.is_empty() {
            for row in rows.chunks_exact_mut(gamma.len()) {
                let (blocks, rest) = row.as_chunks::<LANES>();
                let mut sums = lanes.splat(0.0);
                for block in blocks {
                    sums = lanes.add(sums, lanes.load(block));
                }
                if !rest.is_empty() {
                    sums = lanes.add(sums, lanes.load_partial(rest, 0.0));
                }
                normalize(lanes, row, sums, gamma, beta, epsilon);
            }
        }
    }

    /// `layer_norm(rows + residual)` in place: the post-norm step "add, normalize" in one pass.
    ///
    /// # Panics
    /// If `residual` is shorter than `rows`, or `beta` than `gamma`.
    pub fn add_layer_norm(lanes: L, rows: &mut [f32], residual: &[f32], gamma: &[f32], beta: &[f32]) {
        if !gamma.is_empty() {
            let residual = &residual[..rows.len()];
            for (row, residual) in rows.chunks_exact_mut(gamma.len()).zip(residual.chunks_exact(gamma.len())) {
                let (blocks, rest) = row.as_chunks_mut::<LANES>();
                let (others, others_rest) = residual.as_chunks::<LANES>();
                let mut sums = lanes.splat(0.0);
                for (block, other) in blocks.iter_mut().zip(others) {
                    let x = lanes.add(lanes.load(block), lanes.load(other));
                    lanes.store(x, block);
                    sums = lanes.add(sums, x);
                }
                if !rest.is_empty() {
                    let x = lanes.add(lanes.load_partial(rest, 0.0), lanes.load_partial(others_rest, 0.0));
                    lanes.store_partial(x, rest);
                    sums = lanes.add(sums, x);
                }
                normalize(lanes, row, sums, gamma, beta, LAYER_NORM_EPSILON);
            }
        }
    }

    /// `rows += other`.
    ///
    /// # Panics
    /// If the lengths differ.
    pub fn add(lanes: L, rows: &mut [f32], other: &[f32]) {
        assert_eq!(rows.len(), other.len());
        let (blocks, rest) = rows.as_chunks_mut::<LANES>();
        let (others, others_rest) = other.as_chunks::<LANES>();
        for (block, other) in blocks.iter_mut().zip(others) {
            lanes.store(lanes.add(lanes.load(block), lanes.load(other)), block);
        }
        for (x, y) in rest.iter_mut().zip(others_rest) {
            *x += y;
        }
    }

    /// `x = max(0, x)` in place; NaN becomes zero.
    pub fn relu(lanes: L, values: &mut [f32]) {
        let (blocks, rest) = values.as_chunks_mut::<LANES>();
        for block in blocks {
            lanes.store(lanes.max(lanes.load(block), lanes.splat(0.0)), block);
        }
        for x in rest {
            *x = if *x > 0.0 { *x } else { 0.0 };
        }
    }

    /// `x = x · σ(x)` in place.
    pub fn swish(lanes: L, values: &mut [f32]) {
        let (blocks, rest) = values.as_chunks_mut::<LANES>();
        for block in blocks {
            let x = lanes.load(block);
            lanes.store(lanes.mul(x, sigmoid(lanes, x)), block);
        }
        if !rest.is_empty() {
            let x = lanes.load_partial(rest, 0.0);
            lanes.store_partial(lanes.mul(x, sigmoid(lanes, x)), rest);
        }
    }

    /// `x = σ(x)` in place.
    pub fn sigmoid_in_place(lanes: L, values: &mut [f32]) {
        let (blocks, rest) = values.as_chunks_mut::<LANES>();
        for block in blocks {
            lanes.store(sigmoid(lanes, lanes.load(block)), block);
        }
        if !rest.is_empty() {
            lanes.store_partial(sigmoid(lanes, lanes.load_partial(rest, 0.0)), rest);
        }
    }

    /// One step of the simpler simple recurrent unit (Kim et al., 2019), element by element:
    /// `f = σ(gate)`, `cell = f · cell + (1 − f) · input`, `output = max(0, cell)`; the output replaces `input`.
    ///
    /// # Panics
    /// If the lengths differ.
    pub fn ssru_step(lanes: L, gate: &[f32], cell: &mut [f32], input: &mut [f32]) {
        assert_eq!((gate.len(), cell.len()), (input.len(), input.len()));
        let (gates, gate_rest) = gate.as_chunks::<LANES>();
        let (cells, cell_rest) = cell.as_chunks_mut::<LANES>();
        let (inputs, input_rest) = input.as_chunks_mut::<LANES>();
        for ((gate, cell), input) in gates.iter().zip(cells).zip(inputs) {
            let x = recur(lanes, lanes.load(gate), lanes.load(cell), lanes.load(input));
            lanes.store(x, cell);
            lanes.store(lanes.max(x, lanes.splat(0.0)), input);
        }
        if !gate_rest.is_empty() {
            let (cell, input) = (lanes.load_partial(cell_rest, 0.0), lanes.load_partial(input_rest, 0.0));
            let x = recur(lanes, lanes.load_partial(gate_rest, 0.0), cell, input);
            lanes.store_partial(x, cell_rest);
            lanes.store_partial(lanes.max(x, lanes.splat(0.0)), input_rest);
        }
    }

    /// `x = tanh(x)` in place.
    pub fn tanh_in_place(lanes: L, values: &mut [f32]) {
        let (blocks, rest) = values.as_chunks_mut::<LANES>();
        for block in blocks {
            lanes.store(tanh(lanes, lanes.load(block)), block);
        }
        if !rest.is_empty() {
            lanes.store_partial(tanh(lanes, lanes.load_partial(rest, 0.0)), rest);
        }
    }

    /// One step of the gated recurrent unit (Cho et al., 2014), for rows of `width` states in place:
    /// `r = σ(x_r + s_r)`, `z = σ(x_z + s_z)`, `state = (1 − z) · tanh(x_h + r · s_h) + z · state`.
    /// x comes from the input, s from the state, both as rows `[r, z, h]`; a single row of x serves for all.
    ///
    /// # Panics
    /// If the sizes do not fit.
    pub fn gru_step(lanes: L, input: &[f32], recurrent: &[f32], states: &mut [f32], width: usize) {
        assert_eq!(recurrent.len(), 3 * states.len(), "three parts for each state");
        assert!(input.len() == recurrent.len() || input.len() == 3 * width, "a row for each state or one for all");
        let input_step = if input.len() == recurrent.len() { 3 * width } else { 0 };
        for (row, (state, s)) in states.chunks_exact_mut(width).zip(recurrent.chunks_exact(3 * width)).enumerate() {
            let x = &input[row * input_step..][..3 * width];
            let part = |from: &[f32], part: usize, first: usize| {
                let from = &from[part * width..(part + 1) * width][first..];
                match from.first_chunk() {
                    Some(from) => lanes.load(from),
                    None => lanes.load_partial(from, 0.0),
                }
            };
            for first in (0..width).step_by(LANES) {
                let reset = sigmoid(lanes, lanes.add(part(x, 0, first), part(s, 0, first)));
                let keep = sigmoid(lanes, lanes.add(part(x, 1, first), part(s, 1, first)));
                let candidate = tanh(lanes, lanes.add(part(x, 2, first), lanes.mul(reset, part(s, 2, first))));
                let rest = lanes.mul(lanes.sub(lanes.splat(1.0), keep), candidate);
                let before = part(state, 0, first);
                let next = lanes.add(rest, lanes.mul(keep, before));
                let to = &mut state[first..];
                match to.first_chunk_mut() {
                    Some(to) => lanes.store(next, to),
                    None => lanes.store_partial(next, to),
                }
            }
        }
    }

    /// `ln Σ exp(x)` of a row: what a log-probability subtracts from its logit. −∞ for a row without entries above −∞.
    pub fn log_sum_exp(lanes: L, row: &[f32]) -> f32 {
        let (blocks, rest) = row.as_chunks::<LANES>();
        let rest = lanes.load_partial(rest, f32::NEG_INFINITY);
        let mut largest = rest;
        for block in blocks {
            largest = lanes.max(lanes.load(block), largest);
        }
        let largest = lanes.largest(largest);
        if largest == f32::NEG_INFINITY {
            return largest;
        }
        let origin = lanes.splat(largest);
        let mut sums = lanes.splat(0.0);
        for block in blocks {
            sums = lanes.add(sums, exp(lanes, lanes.sub(lanes.load(block), origin)));
        }
        sums = lanes.add(sums, exp(lanes, lanes.sub(rest, origin)));
        ln(lanes.sum(sums)) + largest
    }
}

/// The rest of a layer norm, given the lane-wise sums of the row.
#[inline(always)]
fn normalize<L: Lanes>(lanes: L, row: &mut [f32], sums: L::Floats, gamma: &[f32], beta: &[f32], epsilon: f32) {
    let width = row.len();
    let (beta, gamma) = (&beta[..width], &gamma[..width]);
    let mean = lanes.sum(sums) / width as f32;
    let means = lanes.splat(mean);
    let (blocks, rest) = row.as_chunks_mut::<LANES>();
    let mut squares = lanes.splat(0.0);
    for block in blocks.iter() {
        let x = lanes.sub(lanes.load(block), means);
        squares = lanes.add(squares, lanes.mul(x, x));
    }
    if !rest.is_empty() {
        let x = lanes.sub(lanes.load_partial(rest, mean), means);
        squares = lanes.add(squares, lanes.mul(x, x));
    }
    let variance = lanes.sum(squares) / width as f32;
    let factors = lanes.splat(1.0 / (variance + epsilon).sqrt());
    let (gammas, gamma_rest) = gamma.as_chunks::<LANES>();
    let (betas, beta_rest) = beta.as_chunks::<LANES>();
    for ((block, gamma), beta) in blocks.iter_mut().zip(gammas).zip(betas) {
        let x = lanes.mul(lanes.sub(lanes.load(block), means), factors);
        lanes.store(lanes.add(lanes.mul(x, lanes.load(gamma)), lanes.load(beta)), block);
    }
    if !rest.is_empty() {
        let x = lanes.mul(lanes.sub(lanes.load_partial(rest, 0.0), means), factors);
        let x = lanes.mul(x, lanes.load_partial(gamma_rest, 0.0));
        lanes.store_partial(lanes.add(x, lanes.load_partial(beta_rest, 0.0)), rest);
    }
}

/// `f · cell + (1 − f) · input` for `f = σ(gate)`
#[inline(always)]
fn recur<L: Lanes>(lanes: L, gate: L::Floats, cell: L::Floats, input: L::Floats) -> L::Floats {
    let forget = sigmoid(lanes, gate);
    let rest = lanes.sub(lanes.splat(1.0), forget);
    lanes.add(lanes.mul(forget, cell), lanes.mul(rest, input))
}

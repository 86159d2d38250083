//! What lies between the products: norms, gates and activations over float rows.

use crate::kernels::Backend;

/// Marian's ε of the layer norm.
pub const LAYER_NORM_EPSILON: f32 = 1e-6;

/// `out = (x − mean) / sqrt(variance + ε) · γ + β` for each row of `gamma.len()` floats, in place.
pub fn layer_norm(_backend: Backend, rows: &mut [f32], gamma: &[f32], beta: &[f32]) {
    let width = gamma.len();
    for row in rows.chunks_exact_mut(width) {
        let mean = row.iter().sum::<f32>() / width as f32;
        let variance = row.iter().map(|x| (x - mean) * (x - mean)).sum::<f32>() / width as f32;
        let deviation = (variance + LAYER_NORM_EPSILON).sqrt();
        for ((x, gamma), beta) in row.iter_mut().zip(gamma).zip(beta) {
            *x = (*x - mean) / deviation * gamma + beta;
        }
    }
}

/// `layer_norm(rows + residual)` in place: the post-norm step "add, normalize" in one pass.
pub fn add_layer_norm(backend: Backend, rows: &mut [f32], residual: &[f32], gamma: &[f32], beta: &[f32]) {
    add(backend, rows, residual);
    layer_norm(backend, rows, gamma, beta);
}

/// `rows += other`.
pub fn add(_backend: Backend, rows: &mut [f32], other: &[f32]) {
    for (x, y) in rows.iter_mut().zip(other) {
        *x += y;
    }
}

/// `x = max(0, x)` in place.
pub fn relu(_backend: Backend, values: &mut [f32]) {
    for x in values {
        *x = if *x > 0.0 { *x } else { 0.0 };
    }
}

/// `x = x · σ(x)` in place.
pub fn swish(_backend: Backend, values: &mut [f32]) {
    for x in values {
        *x *= 1.0 / (1.0 + (-*x).exp());
    }
}

/// One step of the simpler simple recurrent unit (Kim et al., 2019), element by element:
/// `f = σ(gate)`, `cell = f · cell + (1 − f) · input`, `output = max(0, cell)`; the output replaces `input`.
pub fn ssru_step(_backend: Backend, gate: &[f32], cell: &mut [f32], input: &mut [f32]) {
    for ((gate, cell), input) in gate.iter().zip(cell).zip(input) {
        let forget = 1.0 / (1.0 + (-gate).exp());
        *cell = forget * *cell + (1.0 - forget) * *input;
        *input = if *cell > 0.0 { *cell } else { 0.0 };
    }
}

/// `ln Σ exp(x)` of a row: what a log-probability subtracts from its logit.
pub fn log_sum_exp(_backend: Backend, row: &[f32]) -> f32 {
    let largest = row.iter().fold(f32::NEG_INFINITY, |largest, &x| if x > largest { x } else { largest });
    row.iter().map(|x| (x - largest).exp()).sum::<f32>().ln() + largest
}

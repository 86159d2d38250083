//! Layer normalization, and how a sublayer joins the rows that pass it.

use super::workspace::sized;
use crate::kernels::{Backend, elementwise};

/// γ, β and ε of one layer normalization.
#[derive(Debug)]
pub struct LayerNorm {
    pub(crate) gamma: Vec<f32>,
    pub(crate) beta: Vec<f32>,
    pub(crate) epsilon: f32,
}

impl LayerNorm {
    pub(crate) fn apply(&self, backend: Backend, rows: &mut [f32]) {
        elementwise::layer_norm(backend, rows, &self.gamma, &self.beta, self.epsilon);
    }
}

/// The skip connection around a sublayer f, with its norms: post-norm `LN(x + f(x))` ("dan"), pre-norm
/// `x + f(LN(x))` (preprocess "n", postprocess "da"), or both.
#[derive(Debug, Default)]
pub struct Residual {
    pub(crate) before: Option<LayerNorm>,
    pub(crate) after: Option<LayerNorm>,
}

impl Residual {
    /// What the sublayer sees of `rows`.
    pub(crate) fn enter<'a>(&self, backend: Backend, rows: &'a [f32], normalized: &'a mut Vec<f32>) -> &'a [f32] {
        match &self.before {
            None => rows,
            Some(norm) => {
                let normalized = sized(normalized, rows.len());
                normalized.copy_from_slice(rows);
                norm.apply(backend, normalized);
                normalized
            }
        }
    }

    /// Joins the sublayer's output with `rows`; the result replaces `rows`, and `update` is left as spare memory.
    pub(crate) fn leave(&self, backend: Backend, rows: &mut Vec<f32>, update: &mut Vec<f32>) {
        update.truncate(rows.len());
        match &self.after {
            None => elementwise::add(backend, update, rows),
            Some(norm) => elementwise::add_layer_norm(backend, update, rows, &norm.gamma, &norm.beta),
        }
        std::mem::swap(rows, update);
    }
}

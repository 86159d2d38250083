//! Products of recurrent models: `W x + b`, or with layer normalization `LN(W x) ⊙ γ + b`.

use crate::kernels::Backend;
use crate::kernels::elementwise::RECURRENT_LAYER_NORM_EPSILON;
use crate::nn::NetworkError;
use crate::nn::linear::{Input, Linear};
use crate::nn::norm::LayerNorm;
use crate::nn::tensors::Tensors;

/// One or more products of the same rows, whose columns lie beside each other and are normalized together.
#[derive(Debug)]
pub(super) struct Projection {
    parts: Vec<Linear>,
    norm: Option<LayerNorm>,
}

impl Projection {
    /// Takes the matrix `weights` of `inner` rows and `columns` columns, a bias and, if the model is normalized, γ.
    pub(super) fn take(
        tensors: &mut Tensors,
        weights: &str,
        bias: Option<&str>,
        gamma: Option<&str>,
        (inner, columns): (usize, usize),
    ) -> Result<Self, NetworkError> {
        let part = tensors.linear(weights, "", inner, Some(columns))?;
        let bias = bias.map(|bias| tensors.vector(bias, columns)).transpose()?;
        let gamma = gamma.map(|gamma| tensors.vector(gamma, columns)).transpose()?;
        Ok(Self::new(vec![part], bias.unwrap_or_else(|| vec![0.0; columns]), gamma))
    }

    /// From products without a bias of their own. `bias` and γ are as long as all columns together.
    pub(super) fn new(mut parts: Vec<Linear>, bias: Vec<f32>, gamma: Option<Vec<f32>>) -> Self {
        let norm = match gamma {
            Some(gamma) => Some(LayerNorm { gamma, beta: bias, epsilon: RECURRENT_LAYER_NORM_EPSILON }),
            None => {
                let mut rest = &bias[..];
                for part in &mut parts {
                    let own;
                    (own, rest) = rest.split_at(part.columns());
                    part.bias.copy_from_slice(own);
                }
                None
            }
        };
        Self { parts, norm }
    }

    pub(super) fn bytes(&self) -> usize {
        self.parts.iter().map(Linear::bytes).sum()
    }

    pub(super) fn columns(&self) -> usize {
        self.parts.iter().map(Linear::columns).sum()
    }

    /// Width of its input rows.
    pub(super) fn inner(&self) -> usize {
        self.parts[0].weights.inner()
    }

    /// Writes `rows × columns` outputs.
    pub(super) fn apply(&self, backend: Backend, input: &mut Input<'_>, out: &mut [f32]) {
        if out.is_empty() {
            return;
        }
        let stride = self.columns();
        let mut first = 0;
        for part in &self.parts {
            part.apply_beside(input, stride, &mut out[first..]);
            first += part.columns();
        }
        if let Some(norm) = &self.norm {
            norm.apply(backend, out);
        }
    }
}

//! The feed-forward sublayer: `W₂ · φ(W₁ · x + b₁) + b₂` (Vaswani et al., 2017, section 3.3).

use super::linear::{Input, Linear, Weights};
use super::norm::Residual;
use super::workspace::{Workspace, sized};
use crate::kernels::gemm::{self, ActivationScale};
use crate::kernels::{Backend, elementwise};
use crate::model::Activation;

/// Affine maps, one after the other, with an activation between them.
#[derive(Debug)]
pub struct FeedForward {
    pub(crate) layers: Vec<Linear>,
    pub(crate) activation: Activation,
    pub(crate) residual: Residual,
}

impl FeedForward {
    pub(crate) fn bytes(&self) -> usize {
        self.layers.iter().map(Linear::bytes).sum()
    }

    /// Transforms the workspace's rows of `dim` floats in place.
    pub(crate) fn apply(&self, backend: Backend, dim: usize, workspace: &mut Workspace) {
        let Workspace { rows, update, normalized, hidden, context, quantized, quantized_hidden, .. } = workspace;
        let count = rows.len() / dim;
        let mut input = Input::new(self.residual.enter(backend, rows, normalized), dim, quantized);
        sized(update, count * dim);
        if let [first, second] = &self.layers[..]
            && let (Weights::Int8(first_weights), Weights::Int8(second_weights)) = (&first.weights, &second.weights)
            && let (Activation::Relu, ActivationScale::Static(multiplier)) =
                (self.activation, second_weights.activation)
        {
            gemm::multiply_relu_quantize(
                input.quantized(first_weights),
                &first_weights.matrix,
                first_weights.dequantize(&first.bias),
                multiplier,
                &mut quantized_hidden.int8,
            );
            gemm::multiply(
                &quantized_hidden.int8,
                &second_weights.matrix,
                second_weights.dequantize(&second.bias),
                &mut update[..count * dim],
            );
        } else {
            let (last, inner) = self.layers.split_last().expect("a feed-forward sublayer has layers");
            let (mut from, mut to) = (context, hidden);
            for (index, layer) in inner.iter().enumerate() {
                let out = sized(to, count * layer.columns());
                if index == 0 {
                    layer.apply(&mut input, out);
                } else {
                    let width = inner[index - 1].columns();
                    layer.apply(&mut Input::new(&from[..count * width], width, quantized_hidden), out);
                }
                match self.activation {
                    Activation::Relu => elementwise::relu(backend, out),
                    Activation::Swish => elementwise::swish(backend, out),
                }
                std::mem::swap(&mut from, &mut to);
            }
            let out = &mut update[..count * dim];
            match inner.last() {
                None => last.apply(&mut input, out),
                Some(previous) => {
                    let width = previous.columns();
                    last.apply(&mut Input::new(&from[..count * width], width, quantized_hidden), out);
                }
            }
        }
        self.residual.leave(backend, rows, update);
    }
}

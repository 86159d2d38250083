//! The gated recurrent unit (Cho et al., 2014) as in Nematus and Marian: for input x and state s, all products with their biases,
//! `r = σ(W_r x + U_r s)`, `z = σ(W_z x + U_z s)`, `h = tanh(W_h x + r ⊙ U_h s)`, next state `(1 − z) ⊙ h + z ⊙ s`.
//!
//! The bias of h is outside the reset, but inside it in the cells after the decoder's attention. A cell may have no input: then it only
//! deepens the step from one state to the next.

use super::projection::Projection;
use crate::kernels::{Backend, elementwise};
use crate::nn::NetworkError;
use crate::nn::linear::{Input, Quantized};
use crate::nn::tensors::Tensors;
use crate::nn::workspace::sized;

/// One cell.
#[derive(Debug)]
pub(super) struct Gru {
    input: CellInput,
    state: Projection,
    width: usize,
}

/// What a cell reads besides its state.
#[derive(Debug)]
enum CellInput {
    Rows(Projection),
    /// Nothing; the row in its place has the biases.
    None(Vec<f32>),
}

/// Where the bias of a cell's candidate is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CandidateBias {
    OutsideReset,
    InsideReset,
}

impl Gru {
    /// Takes the cell `prefix` with states of `width` and inputs of `inner`, if it has an input.
    pub(super) fn take(
        tensors: &mut Tensors,
        prefix: &str,
        inner: Option<usize>,
        width: usize,
        normalized: bool,
        bias: CandidateBias,
    ) -> Result<Self, NetworkError> {
        let mut outside = tensors.vector(&format!("{prefix}_b"), 2 * width)?;
        let mut inside = vec![0.0; 2 * width];
        let candidate = tensors.vector(&format!("{prefix}_bx"), width)?;
        let (with, without) = match bias {
            CandidateBias::OutsideReset => (&mut outside, &mut inside),
            CandidateBias::InsideReset => (&mut inside, &mut outside),
        };
        with.extend(candidate);
        without.resize(3 * width, 0.0);
        let mut part = |letter: char, number: u32, inner: usize, bias: Vec<f32>| {
            let gates = tensors.linear(&format!("{prefix}_{letter}"), "", inner, Some(2 * width))?;
            let candidate = tensors.linear(&format!("{prefix}_{letter}x"), "", inner, Some(width))?;
            let gamma = format!("{prefix}_gamma{number}");
            let gamma = normalized.then(|| tensors.vector(&gamma, 3 * width)).transpose()?;
            Ok(Projection::new(vec![gates, candidate], bias, gamma))
        };
        let state = part('U', 2, width, inside)?;
        let input = match inner {
            Some(inner) => CellInput::Rows(part('W', 1, inner, outside)?),
            None => CellInput::None(outside),
        };
        Ok(Self { input, state, width })
    }

    pub(super) fn bytes(&self) -> usize {
        let input = match &self.input {
            CellInput::Rows(projection) => projection.bytes(),
            CellInput::None(row) => row.len() * 4,
        };
        input + self.state.bytes()
    }

    /// Width of a state.
    pub(super) fn width(&self) -> usize {
        self.width
    }

    /// What rows of input contribute, `rows × 3 · width`, for [`Gru::step`]. For many steps at once it is one product.
    ///
    /// # Panics
    /// If the cell has no input.
    pub(super) fn project(&self, backend: Backend, rows: &[f32], quantized: &mut Quantized, out: &mut [f32]) {
        let CellInput::Rows(projection) = &self.input else {
            unreachable!("only first cells and those behind attention read")
        };
        projection.apply(backend, &mut Input::new(rows, projection.inner(), quantized), out);
    }

    /// One step of every state in place. `projected` is what the input contributes; a cell without an input has none.
    pub(super) fn step(
        &self,
        backend: Backend,
        projected: Option<&[f32]>,
        states: &mut [f32],
        recurrent: &mut Vec<f32>,
        quantized: &mut Quantized,
    ) {
        let recurrent = sized(recurrent, 3 * states.len());
        self.state.apply(backend, &mut Input::new(states, self.width, quantized), recurrent);
        let input = match (&self.input, projected) {
            (CellInput::None(row), None) => row,
            (CellInput::Rows(_), Some(projected)) => projected,
            _ => unreachable!("a cell gets an input if it reads one"),
        };
        elementwise::gru_step(backend, input, recurrent, states, self.width);
    }
}

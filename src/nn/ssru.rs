//! The simpler simple recurrent unit (Kim et al., 2019, "From Research to Production and Back", section 3.2):
//! `f = σ(W_f x + b_f)`, `c_t = f ⊙ c_{t−1} + (1 − f) ⊙ W x`, output `relu(c_t)`.

use super::decoder::Previous;
use super::linear::{Input, Linear};
use super::norm::Residual;
use super::past::Past;
use super::state::State;
use super::workspace::{Workspace, sized};
use crate::kernels::{Backend, elementwise};

/// One recurrent sublayer.
#[derive(Debug)]
pub struct Ssru {
    pub(crate) candidate: Linear,
    pub(crate) forget: Linear,
    pub(crate) residual: Residual,
}

impl Past for Ssru {
    fn bytes(&self) -> usize {
        self.candidate.bytes() + self.forget.bytes()
    }

    fn state(&self) -> State {
        State::vectors(self.candidate.columns())
    }

    fn step(&self, backend: Backend, _previous: &[Previous], state: &mut State, workspace: &mut Workspace) {
        let (cells, dim) = (state.as_vectors(), self.candidate.columns());
        let Workspace { rows, update, normalized, hidden, quantized, .. } = workspace;
        let mut input = Input::new(self.residual.enter(backend, rows, normalized), dim, quantized);
        let gate = sized(hidden, rows.len());
        self.forget.apply(&mut input, gate);
        let candidate = sized(update, rows.len());
        self.candidate.apply(&mut input, candidate);
        elementwise::ssru_step(backend, gate, cells, candidate);
        self.residual.leave(backend, rows, update);
    }
}

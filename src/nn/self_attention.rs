//! The decoder's self-attention, a step at a time: keys and values of what a row has said are kept, so a step projects one
//! position and attends to all.
//!
//! A norm before the sublayer applies to queries, keys and values, as in the encoder and as Marian trains it. (Marian 1.12
//! decodes such models differently: from the second step on it projects keys and values without the norm.)

use super::attention::MultiHead;
use super::decoder::Previous;
use super::linear::Input;
use super::past::Past;
use super::state::State;
use super::workspace::{Workspace, sized};
use crate::kernels::Backend;
use crate::kernels::attention::attend;

/// Attention of each row to what it has said.
#[derive(Debug)]
pub(crate) struct SelfAttention(pub(crate) MultiHead);

impl Past for SelfAttention {
    fn bytes(&self) -> usize {
        self.0.bytes()
    }

    fn state(&self) -> State {
        State::said(self.0.query.columns(), self.0.heads)
    }

    /// Each row is added to what it has said and attends to all of it.
    fn step(&self, backend: Backend, _previous: &[Previous], state: &mut State, workspace: &mut Workspace) {
        let (attention, said, dim) = (&self.0, state.as_said(), self.0.query.weights.inner());
        let Workspace { rows, update, normalized, queries, keys, values, context, quantized, scratch, .. } = workspace;
        let (count, width) = (rows.len() / dim, attention.query.columns());
        let queries = sized(queries, count * width);
        let keys = sized(keys, count * width);
        let values = sized(values, count * width);
        let mut input = Input::new(attention.residual.enter(backend, rows, normalized), dim, quantized);
        attention.query.apply(&mut input, queries);
        attention.key.apply(&mut input, keys);
        attention.value.apply(&mut input, values);
        let attended = sized(context, count * width);
        for (row, said) in said.iter_mut().enumerate() {
            let range = row * width..(row + 1) * width;
            said.append(&keys[range.clone()], &values[range.clone()]);
            attend(backend, &queries[range.clone()], said, scratch, None, &mut attended[range]);
        }
        attention.project(count, dim, attended, quantized, update);
        attention.residual.leave(backend, rows, update);
    }
}

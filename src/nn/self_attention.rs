//! The decoder's self-attention, a step at a time: keys and values of what a row has said are kept, so a step projects one
//! position and attends to all.
//!
//! A norm before the sublayer is that of queries, keys and values, as in the encoder and as Marian trains it. (Marian 1.12
//! decodes such models otherwise: from the second step on it projects keys and values without the norm.)

use super::attention::MultiHead;
use super::linear::Input;
use super::workspace::{Workspace, sized};
use crate::kernels::Backend;
use crate::kernels::attention::{KeysValues, attend};

impl MultiHead {
    /// Empties a row's keys and values before its first step.
    pub(crate) fn forget(&self, said: &mut KeysValues) {
        said.clear(self.query.columns(), self.heads);
    }

    /// One step in place: row `i` joins `said[i]` and attends to all of it.
    pub(crate) fn apply_step(&self, backend: Backend, dim: usize, said: &mut [KeysValues], workspace: &mut Workspace) {
        let Workspace { rows, update, normalized, queries, keys, values, context, quantized, scratch, .. } = workspace;
        let (count, width) = (rows.len() / dim, self.query.columns());
        let queries = sized(queries, count * width);
        let keys = sized(keys, count * width);
        let values = sized(values, count * width);
        let mut input = Input::new(self.residual.enter(backend, rows, normalized), dim, quantized);
        self.query.apply(&mut input, queries);
        self.key.apply(&mut input, keys);
        self.value.apply(&mut input, values);
        let attended = sized(context, count * width);
        for (row, said) in said.iter_mut().enumerate() {
            let range = row * width..(row + 1) * width;
            said.append(&keys[range.clone()], &values[range.clone()]);
            attend(backend, &queries[range.clone()], said, scratch, None, &mut attended[range]);
        }
        self.project(count, dim, attended, quantized, update);
        self.residual.leave(backend, rows, update);
    }
}

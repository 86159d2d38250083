//! How a layer of the decoder sees what was said before.

use super::decoder::Previous;
use super::state::State;
use super::workspace::Workspace;
use crate::kernels::Backend;
use std::fmt::Debug;

/// A sublayer that remembers: a recurrence, a mean, attention to what was said.
pub(crate) trait Past: Debug + Send + Sync {
    /// Bytes of memory that its weights take.
    fn bytes(&self) -> usize;

    /// Its state without rows.
    fn state(&self) -> State;

    /// One step of every row of the workspace in place; `previous` tells how far each row has come.
    fn step(&self, backend: Backend, previous: &[Previous], state: &mut State, workspace: &mut Workspace);
}

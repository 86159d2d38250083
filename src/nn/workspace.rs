//! Memory that one worker reuses from step to step, so that translating allocates nothing.

use super::linear::Quantized;
use super::recurrent::Buffers;
use crate::kernels::{Backend, attention};

/// Buffers of one worker. They grow to the largest batch seen and are then kept.
#[derive(Debug)]
pub struct Workspace {
    /// The rows that travel through the layers.
    pub(crate) rows: Vec<f32>,
    /// What a sublayer computes before it is added to the rows.
    pub(crate) update: Vec<f32>,
    /// Rows normalized before a sublayer (pre-norm models only).
    pub(crate) normalized: Vec<f32>,
    pub(crate) queries: Vec<f32>,
    pub(crate) keys: Vec<f32>,
    pub(crate) values: Vec<f32>,
    pub(crate) context: Vec<f32>,
    pub(crate) hidden: Vec<f32>,
    pub(crate) quantized: Quantized,
    pub(crate) quantized_hidden: Quantized,
    pub(crate) memory: attention::KeysValues,
    pub(crate) scratch: attention::Scratch,
    pub(crate) recurrent: Buffers,
}

impl Workspace {
    /// Empty buffers for `backend`.
    pub fn new(backend: Backend) -> Self {
        Self {
            rows: Vec::new(),
            update: Vec::new(),
            normalized: Vec::new(),
            queries: Vec::new(),
            keys: Vec::new(),
            values: Vec::new(),
            context: Vec::new(),
            hidden: Vec::new(),
            quantized: Quantized::new(backend),
            quantized_hidden: Quantized::new(backend),
            memory: attention::KeysValues::default(),
            scratch: attention::Scratch::default(),
            recurrent: Buffers::default(),
        }
    }

    /// The rows that the last [`encode`](super::Network::encode) or decoder step left behind.
    pub fn encoded(&self) -> &[f32] {
        &self.rows
    }
}

/// The first `length` floats of `buffer`, which grows if it must. Their values are unspecified.
pub(crate) fn sized(buffer: &mut Vec<f32>, length: usize) -> &mut [f32] {
    if buffer.len() < length {
        buffer.resize(length, 0.0);
    }
    &mut buffer[..length]
}

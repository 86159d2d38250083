//! Recurrent models: a bidirectional encoder and a decoder of gated recurrent units with attention (Bahdanau et al., 2015), deepened by
//! cells one after the other within a step and by layers (Miceli Barone et al., 2017, "Deep architectures for Neural Machine
//! Translation").

mod attention;
mod decoder;
mod encoder;
mod gru;
mod projection;

pub use decoder::RecurrentDecoder;
pub use encoder::RecurrentEncoder;

/// Buffers of one worker for recurrent models, reused from step to step.
#[derive(Debug, Default)]
pub(crate) struct Buffers {
    /// What inputs contribute to each cell, `rows × 3 · width`.
    inputs: Vec<f32>,
    /// The same for the rows at work, gathered.
    gathered: Vec<f32>,
    /// What states contribute.
    recurrent: Vec<f32>,
    /// States of the sentences at work, the longest first.
    states: Vec<f32>,
    /// Rows on their way from layer to layer.
    below: Vec<f32>,
    above: Vec<f32>,
    /// The output of the other direction.
    other: Vec<f32>,
    /// The sentences, the longest first.
    order: Vec<usize>,
    /// Where the pieces of each sentence begin.
    starts: Vec<usize>,
}

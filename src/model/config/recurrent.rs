//! The options of recurrent models, Marian's `type: s2s`.

use super::{Error, LARGEST_DEPTH, LARGEST_WIDTH, Options};

/// The parts of a recurrent model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recurrent {
    /// Width of a state.
    pub dim: usize,
    /// Which way the layers of the encoder read.
    pub encoder: EncoderKind,
    /// Cells of an encoder layer, one behind the other within a step.
    pub encoder_cells: usize,
    /// Cells of the decoder's lowest layer, at least 2: attention stands behind the first.
    pub base_cells: usize,
    /// Cells of each upper layer of the decoder.
    pub high_cells: usize,
    /// Products are normalized.
    pub layer_normalization: bool,
    /// Upper layers add their input to their output.
    pub skip: bool,
}

/// Which way the layers of a recurrent encoder read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EncoderKind {
    /// Two stacks of layers, one forwards and one backwards; the two outputs lie beside each other.
    Bidirectional,
    /// Two such stacks whose layers turn round from one to the next.
    Alternating,
    /// A layer of either direction, and forward ones above both.
    BiUnidirectional,
}

impl Recurrent {
    pub(super) fn parse(options: &mut Options<'_>) -> Result<Self, Error> {
        for cell in ["enc-cell", "dec-cell"] {
            options.accept_text(cell, "gru", &["gru"])?;
        }
        let kinds = ["bidirectional", "alternating", "bi-unidirectional"];
        let encoder = match options.accept_text("enc-type", "bidirectional", &kinds)?.as_str() {
            "alternating" => EncoderKind::Alternating,
            "bi-unidirectional" => EncoderKind::BiUnidirectional,
            _ => EncoderKind::Bidirectional,
        };
        let base_cells = options.number("dec-cell-base-depth", 2, LARGEST_DEPTH)?;
        if base_cells < 2 {
            let supported = format!("2 to {LARGEST_DEPTH}, since attention stands behind the first cell");
            return Err(options.unsupported("dec-cell-base-depth", base_cells, &supported));
        }
        Ok(Recurrent {
            dim: options.number("dim-rnn", 1024, LARGEST_WIDTH)?,
            encoder,
            encoder_cells: options.number("enc-cell-depth", 1, LARGEST_DEPTH)?,
            base_cells,
            high_cells: options.number("dec-cell-high-depth", 1, LARGEST_DEPTH)?,
            layer_normalization: options.switch("layer-normalization")?,
            skip: options.switch("skip")?,
        })
    }
}

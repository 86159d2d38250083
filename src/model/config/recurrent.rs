//! The options of recurrent models: Marian's `type: s2s`, and `amun` and `nematus`, which are subsets of it with other parameter names
//! ([`nematus`](super::names::nematus)).

use super::{Error, LARGEST_DEPTH, LARGEST_WIDTH, Options};

/// The parts of a recurrent model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recurrent {
    /// Width of a state.
    pub dim: usize,
    /// Which way the layers of the encoder read.
    pub encoder: EncoderKind,
    /// Cells of an encoder layer, one after the other within a step.
    pub encoder_cells: usize,
    /// Cells of the decoder's lowest layer, at least 2: attention follows the first.
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
    /// Two stacks of layers, one forwards and one backwards; the two outputs lie side by side.
    Bidirectional,
    /// Two such stacks whose layers alternate in direction.
    Alternating,
    /// One layer in each direction, and forward layers above both.
    BiUnidirectional,
}

impl Recurrent {
    /// The parts of a model of the type `kind`.
    pub(super) fn parse(options: &mut Options<'_>, kind: &str) -> Result<Self, Error> {
        // Marian's two cells are the same but for their norms.
        let accepted: &[&str] = match kind {
            "amun" => &["gru"],
            "nematus" => &["gru-nematus"],
            _ => &["gru", "gru-nematus"],
        };
        let mut has_other_norms = false;
        for cell in ["enc-cell", "dec-cell"] {
            has_other_norms |= options.accept_text(cell, accepted[0], accepted)? == "gru-nematus";
        }
        let layer_normalization = options.switch("layer-normalization")?;
        if layer_normalization && has_other_norms {
            return Err(options.unsupported("layer-normalization", true, "false where cells are `gru-nematus`"));
        }
        let only_one: &[&'static str] = match kind {
            "amun" => &["enc-depth", "enc-cell-depth", "dec-depth", "dec-cell-high-depth"],
            "nematus" => &["dec-cell-high-depth"],
            _ => &[],
        };
        for option in only_one {
            options.number(option, 1, 1)?;
        }
        let skip = options.switch("skip")?;
        if kind == "amun" {
            options.number("dec-cell-base-depth", 2, 2)?;
            if skip {
                return Err(options.unsupported("skip", true, "false where the type is `amun`"));
            }
        }
        let kinds = match kind {
            "nematus" => &["bidirectional"][..],
            _ => &["bidirectional", "alternating", "bi-unidirectional"],
        };
        let encoder = match options.accept_text("enc-type", "bidirectional", kinds)?.as_str() {
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
            layer_normalization,
            skip,
        })
    }
}

//! How long what a model reads and writes may be.

use serde::{Deserialize, Serialize};

/// Limits that a model comes with, by Marian's and Bergamot's names; without one the engine's default holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Limits {
    /// Longest output as a multiple of the source length, in pieces.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_length_factor: Option<f32>,
    /// Pieces of the longest sentence that the model translates as one; longer ones are cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_length_break: Option<u32>,
}

impl Limits {
    /// Says which limit is not a positive number.
    pub(super) fn check(&self) -> Result<(), String> {
        let wrong = |name, found: String| Err(format!("`{name}` is {found}, expected a positive number"));
        match (self.max_length_factor, self.max_length_break) {
            (Some(factor), _) if !(factor.is_finite() && factor > 0.0) => {
                wrong("max_length_factor", factor.to_string())
            }
            (_, Some(0)) => wrong("max_length_break", 0.to_string()),
            _ => Ok(()),
        }
    }
}

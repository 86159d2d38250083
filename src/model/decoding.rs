//! How a model is meant to be decoded: how wide the beam is, and how long input and output may be.

/// No one searches more widely, and each hypothesis takes memory.
const WIDEST_BEAM: u32 = 64;

/// The settings that a model comes with, under Marian's and Bergamot's names; where one is absent, the engine's default holds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Decoding {
    /// Hypotheses of a sentence to follow side by side; 1 is greedy search.
    pub beam_size: Option<u32>,
    /// The log-probability of a beam's hypothesis is divided by its length to this power.
    pub normalize: Option<f32>,
    /// Hypotheses of a beam are pruned if they are less likely than the sentence's likeliest by a factor of more than e to this power.
    /// Marian has no such setting.
    pub beam_threshold: Option<f32>,
    /// When several hypotheses of a beam end in the same words, this many of them, only the best continues. Marian has no such setting.
    pub beam_recombination: Option<u32>,
    /// Subtracted from the log-probability of a beam's hypothesis for each word, before it is divided.
    pub word_penalty: Option<f32>,
    /// Longest output as a multiple of the source length, in pieces.
    pub max_length_factor: Option<f32>,
    /// Pieces of the longest sentence that the model translates as one; longer ones are cut.
    pub max_length_break: Option<u32>,
}

impl Decoding {
    /// The settings that can be used; the others are left to the defaults, as Marian's own programs do with a limit of zero or less.
    pub(super) fn usable(self) -> Self {
        Self {
            beam_size: self.beam_size.filter(is_beam),
            normalize: self.normalize.filter(is_power),
            beam_threshold: self.beam_threshold.filter(is_power),
            beam_recombination: self.beam_recombination,
            word_penalty: self.word_penalty.filter(|penalty| penalty.is_finite()),
            max_length_factor: self.max_length_factor.filter(is_factor),
            max_length_break: self.max_length_break.filter(|&pieces| pieces > 0),
        }
    }

    /// Says which setting cannot be used.
    pub(super) fn check(&self) -> Result<(), String> {
        let wrong = |name, found: String, expected| Err(format!("`{name}` is {found}, expected {expected}"));
        let usable = self.usable();
        match self {
            Self { beam_size: Some(size), .. } if usable.beam_size.is_none() => {
                wrong("beam_size", size.to_string(), "1 to 64")
            }
            Self { normalize: Some(power), .. } if usable.normalize.is_none() => {
                wrong("normalize", power.to_string(), "a number that is not negative")
            }
            Self { beam_threshold: Some(power), .. } if usable.beam_threshold.is_none() => {
                wrong("beam_threshold", power.to_string(), "a number that is not negative")
            }
            Self { word_penalty: Some(penalty), .. } if usable.word_penalty.is_none() => {
                wrong("word_penalty", penalty.to_string(), "a number")
            }
            Self { max_length_factor: Some(factor), .. } if usable.max_length_factor.is_none() => {
                wrong("max_length_factor", factor.to_string(), "a positive number")
            }
            Self { max_length_break: Some(pieces), .. } if usable.max_length_break.is_none() => {
                wrong("max_length_break", pieces.to_string(), "a positive number")
            }
            _ => Ok(()),
        }
    }
}

fn is_beam(size: &u32) -> bool {
    (1..=WIDEST_BEAM).contains(size)
}

fn is_power(power: &f32) -> bool {
    power.is_finite() && *power >= 0.0
}

fn is_factor(factor: &f32) -> bool {
    factor.is_finite() && *factor > 0.0
}

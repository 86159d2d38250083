//! How a model is meant to be decoded: how wide the beam is, and how long input and output may be.

/// No one searches more widely, and each hypothesis takes memory.
const WIDEST_BEAM: u32 = 64;

/// No translation needs so many pieces for one of the source, even where a word is written byte by byte.
const LARGEST_FACTOR: f32 = 64.0;

/// No model is trained with longer sentences, and attention takes time and memory with the square of their length.
const LONGEST_SENTENCE: u32 = 4096;

/// What a usable [`Decoding::beam_size`] is, in words.
pub(super) const BEAM: &str = "a whole number from 1 to 64";
/// What a usable [`Decoding::max_length_factor`] is, in words.
pub(super) const FACTOR: &str = "a positive number, at most 64";
/// What a usable [`Decoding::max_length_break`] is, in words.
pub(super) const BREAK: &str = "a whole number from 1 to 4096";

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
            max_length_break: self.max_length_break.filter(is_break),
        }
    }

    /// Says which setting cannot be used.
    pub(super) fn check(&self) -> Result<(), String> {
        let wrong = |name, found: String, expected| Err(format!("`{name}` is {found}, expected {expected}"));
        let usable = self.usable();
        match self {
            Self { beam_size: Some(size), .. } if usable.beam_size.is_none() => {
                wrong("beam_size", size.to_string(), BEAM)
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
                wrong("max_length_factor", factor.to_string(), FACTOR)
            }
            Self { max_length_break: Some(pieces), .. } if usable.max_length_break.is_none() => {
                wrong("max_length_break", pieces.to_string(), BREAK)
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
    *factor > 0.0 && *factor <= LARGEST_FACTOR
}

fn is_break(pieces: &u32) -> bool {
    (1..=LONGEST_SENTENCE).contains(pieces)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_end_is_refused() {
        let factor = |factor| Decoding { max_length_factor: Some(factor), ..Decoding::default() };
        let pieces = |pieces| Decoding { max_length_break: Some(pieces), ..Decoding::default() };
        let beam = |size| Decoding { beam_size: Some(size), ..Decoding::default() };
        for usable in [factor(0.5), factor(64.0), pieces(1), pieces(4096), beam(64)] {
            assert_eq!((usable.usable(), usable.check()), (usable, Ok(())));
        }
        let refused = [
            (factor(3e38), "a positive number, at most 64"),
            (factor(64.5), "a positive number, at most 64"),
            (factor(f32::NAN), "a positive number, at most 64"),
            (factor(0.0), "a positive number, at most 64"),
            (pieces(0), "1 to 4096"),
            (pieces(4097), "1 to 4096"),
            (pieces(u32::MAX), "1 to 4096"),
            (beam(65), "1 to 64"),
        ];
        for (decoding, expected) in refused {
            assert_eq!(decoding.usable(), Decoding::default());
            let error = decoding.check().unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
        // The words say what the limits are.
        assert!(BEAM.ends_with(&WIDEST_BEAM.to_string()) && BREAK.ends_with(&LONGEST_SENTENCE.to_string()));
        assert!(FACTOR.ends_with(&LARGEST_FACTOR.to_string()));
    }
}

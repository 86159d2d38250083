//! Activation scales, and the moments by which weights are rounded, from real decoding.

use super::pack;
use crate::lines::count_words;
use crate::progress::Progress;
use anyhow::{Result, bail};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::sync::OnceLock;
use wanderwort::model::package::rounding::SecondMoments;
use wanderwort::model::package::{Bits, ConvertOptions, Entry, replace_multipliers};
use wanderwort::{ActivationStatistics, LoadOptions, MarianSource, Observe, Sentences, TranslateOptions, Translator};

/// How a static scale is computed from the largest activations m of a product's calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Definition {
    /// 127 / (mean + 1.1 σ of m), as Marian's scripts compute it.
    Marian,
    /// mean + 1.1 σ of 127 / m, as Bogoychev et al. (2020, section 5.1) write.
    Paper,
    /// 127 / max m: nothing is clipped.
    Largest,
}

/// How the weights of log-4-bit and uniform matrices are rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Rounding {
    /// So that the errors of one output's weights compensate for each other on the calibration text: best for a model that was not tuned
    /// for these bits.
    Compensated,
    /// Each to its nearest level, as in training for these bits.
    Nearest,
}

/// A text to calibrate on, and how.
#[derive(Clone, Debug)]
pub struct Calibration {
    /// Sentences in the source language.
    lines: Vec<String>,
    definition: Definition,
    rounding: Rounding,
    /// The second moments on these lines, once they are known.
    moments: OnceLock<BTreeMap<String, SecondMoments>>,
}

/// Standard deviations above the mean.
const DEVIATIONS: f64 = 1.1;

/// Lines translated between two updates of the progress.
const WINDOW_LINES: usize = 200;

impl Definition {
    fn multiplier(self, statistics: &ActivationStatistics) -> Option<f32> {
        match self {
            Definition::Marian => statistics.multiplier_of_mean(DEVIATIONS),
            Definition::Paper => statistics.mean_of_multipliers(DEVIATIONS),
            Definition::Largest => statistics.multiplier_of_largest(),
        }
    }
}

impl Calibration {
    /// On `lines`.
    pub fn new(lines: Vec<String>, definition: Definition, rounding: Rounding) -> Self {
        Self { lines, definition, rounding, moments: OnceLock::new() }
    }

    /// The package, calibrated; `each` sees the entry of each tensor.
    pub fn convert(
        &self,
        source: &MarianSource<'_>,
        options: ConvertOptions,
        each: impl FnMut(&Entry),
    ) -> Result<Vec<u8>> {
        let bits = options.exceptions.iter().map(|(_, bits)| bits).chain([&options.bits]);
        let coarse = bits.into_iter().any(|bits| matches!(bits, Bits::Log4(_) | Bits::Uniform(_)));
        let mut options = options;
        if coarse && self.rounding == Rounding::Compensated {
            let moments = match self.moments.get() {
                Some(moments) => moments,
                None => {
                    let exact = ConvertOptions { bits: Bits::Float32, exceptions: Vec::new(), ..options.clone() };
                    let found = moments(&pack(source, &exact, |_| {})?, &self.lines)?;
                    self.moments.get_or_init(|| found)
                }
            };
            options.moments.clone_from(moments);
        }
        let package = pack(source, &options, each)?;
        // From the package itself, since coarse weights give somewhat different activations.
        let multipliers = multipliers(&package, &self.lines, self.definition)?;
        Ok(replace_multipliers("package", &package, &multipliers)?)
    }
}

/// The second moments of each product's inputs while `lines` are translated, by the names of the weights.
fn moments(package: &[u8], lines: &[String]) -> Result<BTreeMap<String, SecondMoments>> {
    let translator = translate(package, lines, Observe::SecondMoments)?;
    Ok(translator.second_moments().map(|(name, moments)| (name.to_owned(), moments)).collect())
}

/// The activation multipliers by their names, after `lines` were translated.
fn multipliers(package: &[u8], lines: &[String], definition: Definition) -> Result<BTreeMap<String, f32>> {
    let translator = translate(package, lines, Observe::Magnitudes)?;
    let mut multipliers = BTreeMap::new();
    for (name, statistics) in translator.activation_statistics() {
        let Some(multiplier) = definition.multiplier(&statistics).filter(|multiplier| multiplier.is_finite()) else {
            bail!("the calibration text gives nothing to translate: {name} saw no activations");
        };
        multipliers.insert(name.to_owned(), multiplier);
    }
    Ok(multipliers)
}

/// Translates `lines` with the model of `package`, each by itself so that each call of a product is one sentence, and returns the
/// translator, which has observed the inputs of the products.
fn translate(package: &[u8], lines: &[String], observe: Observe) -> Result<Translator> {
    let options = LoadOptions { observe, ..LoadOptions::default() };
    let translator = Translator::from_package("package", package, &options)?;
    let mut progress = Progress::new(Some(lines.iter().map(|line| line.len() as u64).sum()));
    let options = TranslateOptions { sentences: Sentences::AreLines, ..TranslateOptions::default() };
    for window in lines.chunks(WINDOW_LINES) {
        window.par_iter().for_each(|line| {
            translator.translate(line, &options);
        });
        let bytes: usize = window.iter().map(String::len).sum();
        let words: usize = window.iter().map(|line| count_words(line)).sum();
        progress.add(bytes as u64, words as u64);
    }
    progress.finish();
    Ok(translator)
}

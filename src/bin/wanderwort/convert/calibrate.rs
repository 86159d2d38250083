//! Activation scales from real decoding.

use crate::lines::count_words;
use crate::progress::Progress;
use anyhow::{Result, bail};
use rayon::prelude::*;
use std::collections::BTreeMap;
use wanderwort::{ActivationStatistics, LoadOptions, Sentences, TranslateOptions, Translator};

/// How a static scale follows from the largest activations m of a product's calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Definition {
    /// 127 / (mean + 1.1 σ of m), as Marian's scripts compute it.
    Marian,
    /// mean + 1.1 σ of 127 / m, as Bogoychev et al. (2020) write.
    Paper,
    /// 127 / max m: nothing is clipped.
    Largest,
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

/// Translates `lines` with the model of `package`, each by itself so that a call of a product is a sentence, and returns the
/// activation multipliers by their names.
pub fn multipliers(package: &[u8], lines: &[String], definition: Definition) -> Result<BTreeMap<String, f32>> {
    let options = LoadOptions { observe: true, ..LoadOptions::default() };
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
    let mut multipliers = BTreeMap::new();
    for (name, statistics) in translator.activation_statistics() {
        let Some(multiplier) = definition.multiplier(&statistics).filter(|multiplier| multiplier.is_finite()) else {
            bail!("the calibration text gives nothing to translate: {name} saw no activations");
        };
        multipliers.insert(name.to_owned(), multiplier);
    }
    Ok(multipliers)
}

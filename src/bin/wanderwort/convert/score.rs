//! The scores of a new package.

use crate::evaluate::{TestSet, score, translate};
use crate::metrics::{Bleu, Chrf};
use anyhow::Result;
use std::path::PathBuf;
use wanderwort::model::package::Score;
use wanderwort::{LoadOptions, TranslateOptions, Translator};

/// Reads test sets; before the work, so that what is wrong with one does not cost it.
pub fn read(paths: &[PathBuf]) -> Result<Vec<TestSet>> {
    paths.iter().map(|path| TestSet::read_tsv(path)).collect()
}

/// BLEU and chrF of the package on each test set, as `wanderwort evaluate` computes them.
pub fn scores(package: &[u8], sets: &[TestSet]) -> Result<Vec<Score>> {
    let translator = Translator::from_package("package", package, &LoadOptions::default())?;
    let mut scores = Vec::new();
    for set in sets {
        let name = set.name.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let (translations, _) = translate(&translator, &set.sources, &TranslateOptions::default());
        let (bleu, chrf) = score(&translations, &set.references);
        let rounded = |value: f64| (value * 10.0).round() / 10.0;
        let bleu = ("BLEU", Bleu::signature(), bleu.score());
        for (metric, signature, value) in [bleu, ("chrF2", Chrf::signature(), chrf.score())] {
            scores.push(Score { set: name.clone(), metric: format!("{metric} {signature}"), value: rounded(value) });
        }
    }
    Ok(scores)
}

//! The scores of a new package.

use crate::evaluate::{TestSet, score, translate};
use crate::metrics::{Bleu, Chrf};
use anyhow::Result;
use std::path::PathBuf;
use wanderwort::model::package::Score;
use wanderwort::{LoadOptions, TranslateOptions, Translator};

/// BLEU and chrF of the package on each test set, as `wanderwort evaluate` computes them.
pub fn scores(package: &[u8], sets: &[PathBuf]) -> Result<Vec<Score>> {
    let translator = Translator::from_package("package", package, &LoadOptions::default())?;
    let mut scores = Vec::new();
    for path in sets {
        let set = TestSet::read_tsv(path)?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
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

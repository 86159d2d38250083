//! `relabel`: change what a package says about itself; its weights stay the same to the byte.

use crate::convert::{DecodingArguments, score, signs};
use crate::files::Destination;
use crate::streams;
use anyhow::{Context, Result};
use std::io::Write;
use std::path::PathBuf;
use wanderwort::model::package::{Label, relabel};

/// Change what a package says about itself: card, licence, beam, scores, signs. Weights, vocabulary and shortlist stay as they are.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The package; the old one stays until the new one is complete.
    package: PathBuf,

    /// The model's name.
    #[arg(long)]
    name: Option<String>,

    /// Terms of use, an SPDX expression or a sentence.
    #[arg(long)]
    licence: Option<String>,

    /// Model card, a Markdown file.
    #[arg(long, value_name = "FILE")]
    card: Option<PathBuf>,

    #[command(flatten)]
    decoding: DecodingArguments,

    /// Score the package on this test set (source, tab, reference, one pair per line), with the beam that it will have, and store BLEU and chrF
    /// in it instead of its present scores. Can be repeated.
    #[arg(long, value_name = "TSV")]
    score: Vec<PathBuf>,

    /// Measure which symbols and punctuation marks the model carries over reliably, and store them, as `wanderwort convert` does.
    #[arg(long)]
    measure_signs: bool,
}

const EXAMPLES: &str = "\
A list of models (index.json) names packages by their checksum: enter it anew with `wanderwort index`.

Examples:
  wanderwort relabel models/en-de.wanderwort --card en-de.md
  wanderwort relabel models/en-de.wanderwort --measure-signs
  wanderwort relabel models/en-de.wanderwort --beam-size 4 --beam-threshold 1 --score dev.tsv";

pub fn run(arguments: &Arguments) -> Result<()> {
    let path = &arguments.package;
    let read = |path: &PathBuf| std::fs::read(path).with_context(|| format!("cannot read {}", path.display()));
    let description = match &arguments.card {
        Some(card) => {
            let text = String::from_utf8(read(card)?);
            Some(text.with_context(|| format!("{} is not UTF-8 text", card.display()))?)
        }
        None => None,
    };
    // Before the work, not after it.
    let to = Destination::new(path)?;
    let sets = score::read(&arguments.score)?;
    let place = path.display().to_string();
    let mut package = relabel(&place, &read(path)?, |Label { card, decoding, .. }| {
        card.name = arguments.name.clone().unwrap_or(std::mem::take(&mut card.name));
        card.licence = arguments.licence.clone().unwrap_or(std::mem::take(&mut card.licence));
        card.description = description.unwrap_or(std::mem::take(&mut card.description));
        *decoding = arguments.decoding.over(*decoding);
    })?;
    if arguments.measure_signs {
        package = signs::measured(&place, &package)?;
    }
    if !arguments.score.is_empty() {
        let scores = score::scores(&package, &sets)?;
        package = relabel(&place, &package, |label| label.card.scores = scores)?;
    }
    to.write(&package)?;
    writeln!(streams::output(), "{place}: {} bytes", package.len())?;
    Ok(())
}

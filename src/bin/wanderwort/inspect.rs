//! `inspect`: what a model is made of.

mod marian;
mod package;

use crate::streams;
use anyhow::{Context, Result};
use std::io::Write as _;
use std::path::PathBuf;
use wanderwort::model::{Activation, Config, DecoderKind, EncoderKind, FeedForward, Normalization, Recurrent, Weights};

/// Print architecture, tensors, quantization, vocabulary and shortlist of a model.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// A package, or a folder of Marian files: model (.npz or .bin), vocabulary (.spm), optionally a shortlist and a
    /// decoder.yml.
    path: PathBuf,

    /// If there are both int8 and float weights, inspect the float ones.
    #[arg(long)]
    float: bool,

    /// Also print the options that Marian stored in the model, and a package's model card.
    #[arg(long)]
    options: bool,
}

const EXAMPLES: &str = "\
The multiplier of a tensor or of its activations is what a float is multiplied by to become int8. Of a package, errors are
squared and relative to the squared weights.

Examples:
  wanderwort inspect models/en-de.tiny.wanderwort
  wanderwort inspect en-de.wanderwort
  wanderwort inspect --options models/en-de.tiny.wanderwort | less";

pub fn run(arguments: &Arguments) -> Result<()> {
    let mut report = String::new();
    let path = &arguments.path;
    if path.is_file() {
        let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
        package::describe(&path.display().to_string(), &bytes, arguments.options, &mut report)?;
    } else {
        let weights = if arguments.float { Weights::Float32 } else { Weights::Int8 };
        marian::describe(path, weights, arguments.options, &mut report)?;
    }
    streams::output().write_all(report.as_bytes())?;
    Ok(())
}

fn architecture(config: &Config) -> String {
    let norm = match config.normalization {
        Normalization::Post => "norm after each block",
        Normalization::Pre => "norm before each block",
    };
    let embeddings = match (config.source_embedding == config.target_embedding, config.output_is_embedding) {
        (true, true) => "one matrix for source, target and output",
        (true, false) => "one matrix for source and target, another for output",
        (false, true) => "one matrix for source, another for target and output",
        (false, false) => "three matrices for source, target and output",
    };
    let decoder = match config.decoder {
        DecoderKind::Recurrent(recurrent) => return recurrent_network(config, &recurrent, embeddings),
        DecoderKind::Ssru => "SSRU".to_owned(),
        DecoderKind::SelfAttention => "self-attention".to_owned(),
        DecoderKind::AverageAttention(average) => {
            format!(
                "average attention ({}{})",
                feed_forward(&average.feed_forward),
                if average.gate { ", gate" } else { "" }
            )
        }
    };
    let mut distinct = config.decoder_layers.clone();
    distinct.sort_unstable();
    distinct.dedup();
    let tied =
        if distinct.len() < config.decoder_depth { format!(" ({} distinct)", distinct.len()) } else { String::new() };
    format!(
        "  width       {}, {} attention heads, {norm}\n  encoder     {} layers, feed-forward {}\n  \
         decoder     {} layers{tied}, {decoder}, feed-forward {}\n  embeddings  {embeddings}\n",
        config.dim,
        config.heads,
        config.encoder_depth,
        feed_forward(&config.encoder_feed_forward),
        config.decoder_depth,
        feed_forward(&config.decoder_feed_forward),
    )
}

fn recurrent_network(config: &Config, recurrent: &Recurrent, embeddings: &str) -> String {
    let norm = if recurrent.layer_normalization { ", layer norm" } else { "" };
    let skip = if recurrent.skip { ", skip connections" } else { "" };
    let reads = match recurrent.encoder {
        EncoderKind::Bidirectional => "both ways",
        EncoderKind::Alternating => "both ways, alternating",
        EncoderKind::BiUnidirectional => "both ways, then forwards",
    };
    format!(
        "  width       {}, states {}{norm}{skip}\n  encoder     {} layers of {} GRU cells, {reads}\n  \
         decoder     {} layers of GRU cells, {} in the lowest, {} above\n  embeddings  {embeddings}\n",
        config.dim,
        recurrent.dim,
        config.encoder_depth,
        recurrent.encoder_cells,
        config.decoder_depth,
        recurrent.base_cells,
        recurrent.high_cells,
    )
}

fn feed_forward(block: &FeedForward) -> String {
    let activation = match block.activation {
        Activation::Relu => "ReLU",
        Activation::Swish => "swish",
    };
    let depth = if block.depth == 2 { String::new() } else { format!("{} layers, ", block.depth) };
    format!("{} wide, {depth}{activation}", block.dim)
}

/// A number with its thousands separated by commas.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::grouped;

    #[test]
    fn thousands_are_apart() {
        assert_eq!([0, 999, 1000, 12_981_139].map(grouped), ["0", "999", "1,000", "12,981,139"]);
    }
}

//! `inspect`: what a model is made of.

use anyhow::{Result, anyhow};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;
use wanderwort::model::{
    Activation, Config, DecoderKind, FeedForward, Int8Tensor, ItemKind, MarianFiles, MarianModel, NamedBytes,
    Normalization, Tensor, Vocabularies, Weights, gunzip,
};
use wanderwort::text::vocab::Vocabulary;

/// Print architecture, tensors, quantization, vocabulary and shortlist of a model.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// Folder of Marian files: model (.npz or .bin), vocabulary (.spm), optionally a shortlist and a decoder.yml.
    path: PathBuf,

    /// Where there are both int8 and float weights, look into the float ones.
    #[arg(long)]
    float: bool,

    /// Also print the options that Marian stored in the model.
    #[arg(long)]
    options: bool,
}

const EXAMPLES: &str = "\
The multiplier of a tensor or of its activations is what a float is multiplied by to become int8.

Examples:
  wanderwort inspect models/en-de.prototype
  wanderwort inspect --options models/en-de.prototype | less";

pub fn run(arguments: &Arguments) -> Result<()> {
    let weights = if arguments.float { Weights::Float32 } else { Weights::Int8 };
    let files = MarianFiles::read_folder(&arguments.path, weights)?;
    let mut report = String::new();
    describe_files(&files, &mut report)?;
    let model = MarianModel::open(&files.model.name, &files.model.bytes)?;
    writeln!(report, "\nArchitecture\n{}", architecture(model.config()))?;
    if arguments.options {
        writeln!(report, "Options of {}", files.model.name)?;
        model.config_text().lines().try_for_each(|line| writeln!(report, "  {line}"))?;
        writeln!(report)?;
    }
    describe_vocabularies(&files, model.config(), &mut report)?;
    describe_tensors(&model, &mut report)?;
    std::io::stdout().lock().write_all(report.as_bytes())?;
    Ok(())
}

fn describe_files(files: &MarianFiles, report: &mut String) -> Result<()> {
    let parts = [
        ("model", Some(&files.model)),
        ("source vocabulary", Some(&files.source_vocabulary)),
        ("target vocabulary", files.target_vocabulary.as_ref()),
        ("shortlist", files.shortlist.as_ref()),
        ("settings", files.decoder.as_ref()),
    ];
    writeln!(report, "Files")?;
    let mut total = 0;
    for (part, file) in parts.into_iter().filter_map(|(part, file)| file.map(|file| (part, file))) {
        writeln!(report, "  {part:<17} {:<34} {:>12} bytes", file.name, grouped(file.bytes.len()))?;
        total += file.bytes.len();
    }
    writeln!(report, "  {:<52} {:>12} bytes", "together", grouped(total))?;
    Ok(())
}

fn architecture(config: &Config) -> String {
    let norm = match config.normalization {
        Normalization::Post => "norm after each block",
        Normalization::Pre => "norm before each block",
    };
    let decoder = match config.decoder {
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
    let embeddings = match (config.source_embedding == config.target_embedding, config.output_is_embedding) {
        (true, true) => "one matrix for source, target and output",
        (true, false) => "one matrix for source and target, another for output",
        (false, true) => "one matrix for source, another for target and output",
        (false, false) => "three matrices for source, target and output",
    };
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

fn feed_forward(block: &FeedForward) -> String {
    let activation = match block.activation {
        Activation::Relu => "ReLU",
        Activation::Swish => "swish",
    };
    let depth = if block.depth == 2 { String::new() } else { format!("{} layers, ", block.depth) };
    format!("{} wide, {depth}{activation}", block.dim)
}

fn describe_vocabularies(files: &MarianFiles, config: &Config, report: &mut String) -> Result<()> {
    let read = |file: &NamedBytes| -> Result<Vocabulary> {
        Ok(Vocabulary::from_bytes(&file.name, &gunzip(&file.name, &file.bytes)?)?)
    };
    let source = read(&files.source_vocabulary)?;
    let target = files.target_vocabulary.as_ref().map(read).transpose()?;
    writeln!(report, "Vocabulary")?;
    match &target {
        None => writeln!(report, "  {} pieces, shared by both languages", grouped(source.len()))?,
        Some(target) => {
            writeln!(report, "  {} source and {} target pieces", grouped(source.len()), grouped(target.len()))?;
        }
    }
    let first = (0..8).filter_map(|id| source.piece(id)).collect::<Vec<_>>().join(" ");
    writeln!(report, "  first source pieces: {first}\n")?;

    let sizes = Vocabularies { source: config.source_words, target: config.target_words, joint: target.is_none() };
    let target = target.as_ref().unwrap_or(&source);
    let Some(shortlist) = files.read_shortlist(|word| source.id(word), |word| target.id(word), sizes)? else {
        writeln!(report, "Shortlist\n  none: every target word is considered at every step\n")?;
        return Ok(());
    };
    writeln!(
        report,
        "Shortlist\n  the first {} target words, and {:.1} further ones for each source word on average; {} bytes in memory\n",
        shortlist.first(),
        shortlist.entries() as f64 / sizes.source as f64,
        grouped(shortlist.bytes())
    )?;
    Ok(())
}

fn describe_tensors(model: &MarianModel, report: &mut String) -> Result<()> {
    let name_width = model.items().map(|item| item.name.len()).max().unwrap_or(0);
    writeln!(report, "Tensors")?;
    writeln!(
        report,
        "  {:<name_width$}  {:>13}  {:<8}  {:>11}  {:>10}  values",
        "name", "shape", "type", "bytes", "multiplier"
    )?;
    let items: Vec<_> = model.items().collect();
    let (mut parameters, mut bytes, mut quantized) = (0, 0, 0);
    let mut next = items.iter();
    model.tensors(|name, tensor| -> Result<()> {
        let item =
            next.next().filter(|item| item.name == name).ok_or_else(|| anyhow!("{name}: not in the directory"))?;
        let kind = match item.kind {
            ItemKind::Float32 => "float32",
            ItemKind::Float16 => "float16",
            ItemKind::Int8 => "int8",
            ItemKind::Intgemm8 => "intgemm8",
        };
        let shape = item.shape.iter().map(usize::to_string).collect::<Vec<_>>().join(" × ");
        let (multiplier, values) = match &tensor {
            Tensor::Int8(tensor) => (multiplier(tensor), describe_integers(&tensor.values)),
            Tensor::Float(tensor) => (String::new(), describe_floats(&tensor.values)),
        };
        writeln!(
            report,
            "  {name:<name_width$}  {shape:>13}  {kind:<8}  {:>11}  {multiplier:>10}  {values}",
            grouped(usize::try_from(item.length)?)
        )?;
        let count = item.shape.iter().product::<usize>();
        if !name.ends_with("_QuantMultA") {
            parameters += count;
            quantized += if item.kind == ItemKind::Intgemm8 { count } else { 0 };
        }
        bytes += item.length;
        Ok(())
    })?;
    writeln!(
        report,
        "\n{} parameters in {} tensors, {} bytes; {:.1} % of the parameters are int8",
        grouped(parameters),
        items.len(),
        grouped(usize::try_from(bytes)?),
        100.0 * quantized as f64 / parameters.max(1) as f64
    )?;
    Ok(())
}

/// What floats were multiplied by; a range where columns differ.
fn multiplier(tensor: &Int8Tensor) -> String {
    let (least, most) = extremes(tensor.scales.iter().map(|scale| 1.0 / scale));
    if least == most { format!("{least:.3}") } else { format!("{least:.1} … {most:.1}") }
}

fn describe_integers(values: &[i8]) -> String {
    let zeros = values.iter().filter(|&&value| value == 0).count();
    let largest = values.iter().map(|value| value.unsigned_abs()).max().unwrap_or(0);
    format!("largest {largest}, {:.1} % zero", 100.0 * zeros as f64 / values.len().max(1) as f64)
}

fn describe_floats(values: &[f32]) -> String {
    let (least, most) = extremes(values.iter().copied());
    if values.len() == 1 { format!("{least}") } else { format!("{least:.4} … {most:.4}") }
}

fn extremes(values: impl Iterator<Item = f32>) -> (f32, f32) {
    values.fold((f32::INFINITY, f32::NEG_INFINITY), |(least, most), value| (least.min(value), most.max(value)))
}

/// A number with its thousands apart.
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

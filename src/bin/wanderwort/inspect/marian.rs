//! What a folder of Marian's files holds.

use super::{architecture, grouped};
use anyhow::{Result, anyhow};
use std::fmt::Write;
use std::path::Path;
use wanderwort::MarianSource;
use wanderwort::model::names::{Role, TensorName};
use wanderwort::model::{Int8Tensor, ItemKind, MarianFiles, MarianModel, Tensor, Warning, Weights};

/// Describes the model in `folder`.
pub fn describe(folder: &Path, weights: Weights, options: bool, report: &mut String) -> Result<()> {
    let files = MarianFiles::read_folder(folder, weights)?;
    describe_files(&files, report)?;
    let source = MarianSource::open(&files)?;
    describe_warnings(source.warnings(), report)?;
    writeln!(report, "\nArchitecture\n{}", architecture(source.config()))?;
    if options {
        writeln!(report, "Options of {}", files.model.name)?;
        source.model().config_text().lines().try_for_each(|line| writeln!(report, "  {line}"))?;
        writeln!(report)?;
    }
    describe_vocabularies(&source, report)?;
    describe_tensors(source.model(), report)
}

fn describe_files(files: &MarianFiles, report: &mut String) -> Result<()> {
    writeln!(report, "Files")?;
    let mut total = 0;
    for (part, file) in files.parts() {
        writeln!(report, "  {part:<17} {:<34} {:>12} bytes", file.name, grouped(file.bytes.len()))?;
        total += file.bytes.len();
    }
    writeln!(report, "  {:<52} {:>12} bytes", "together", grouped(total))?;
    Ok(())
}

fn describe_warnings(warnings: &[Warning], report: &mut String) -> Result<()> {
    if !warnings.is_empty() {
        writeln!(report, "\nNot followed")?;
        warnings.iter().try_for_each(|warning| writeln!(report, "  {warning}"))?;
    }
    Ok(())
}

fn describe_vocabularies(source: &MarianSource<'_>, report: &mut String) -> Result<()> {
    let vocabulary = source.source_vocabulary();
    writeln!(report, "Vocabulary")?;
    match source.target_vocabulary() {
        None => writeln!(report, "  {} pieces, shared by both languages", grouped(vocabulary.len()))?,
        Some(target) => {
            writeln!(report, "  {} source and {} target pieces", grouped(vocabulary.len()), grouped(target.len()))?;
        }
    }
    let first = (0..8).filter_map(|id| vocabulary.piece(id)).collect::<Vec<_>>().join(" ");
    writeln!(report, "  first source pieces: {first}")?;
    let targets = vocabulary.target_marks().map(|(name, _)| name).collect::<Vec<_>>().join(", ");
    if !targets.is_empty() {
        writeln!(report, "  target languages, to be told with --target-token or --to: {targets}")?;
    }
    writeln!(report)?;

    let Some(shortlist) = source.shortlist()? else {
        let why = if source.files().shortlist.is_some() { "one that lists too few words to be of use" } else { "none" };
        writeln!(report, "Shortlist\n  {why}: every target word is considered at every step\n")?;
        return Ok(());
    };
    writeln!(
        report,
        "Shortlist\n  the first {} target words, and {:.1} further ones for each source word on average; {} bytes in memory\n",
        shortlist.first(),
        shortlist.entries() as f64 / vocabulary.len() as f64,
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
        if TensorName::parse(name).role != Role::Multiplier {
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

/// What floats were multiplied by; a range if columns differ.
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

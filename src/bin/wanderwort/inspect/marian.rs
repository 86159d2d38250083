//! What a folder of Marian's files holds.

use super::{architecture, grouped};
use anyhow::{Result, anyhow};
use std::fmt::Write;
use std::path::Path;
use wanderwort::model::names::{Role, TensorName};
use wanderwort::model::{
    Config, Int8Tensor, ItemKind, MarianFiles, MarianModel, NamedBytes, Tensor, Vocabularies, Weights, gunzip,
};
use wanderwort::text::vocab::Vocabulary;

/// Describes the model in `folder`.
pub fn describe(folder: &Path, weights: Weights, options: bool, report: &mut String) -> Result<()> {
    let files = MarianFiles::read_folder(folder, weights)?;
    describe_files(&files, report)?;
    let model = MarianModel::open(&files.model.name, &files.model.bytes)?;
    writeln!(report, "\nArchitecture\n{}", architecture(model.config()))?;
    if options {
        writeln!(report, "Options of {}", files.model.name)?;
        model.config_text().lines().try_for_each(|line| writeln!(report, "  {line}"))?;
        writeln!(report)?;
    }
    describe_vocabularies(&files, model.config(), report)?;
    describe_tensors(&model, report)
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

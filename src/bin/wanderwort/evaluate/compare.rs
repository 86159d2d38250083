//! `evaluate --compare`: what each way to store the weights costs and keeps.

use super::{Arguments, TestSet, score, translate};
use crate::convert::calibrate::{self, Calibration};
use crate::convert::{Storage, pack};
use crate::lines::{count_words, read_all};
use crate::model::warn;
use crate::streams::{self, tell};
use anyhow::{Context, Result, anyhow};
use std::io::Write;
use std::path::Path;
use wanderwort::model::package::log4::Codebook;
use wanderwort::model::package::{ConvertOptions, Event, Reader};
use wanderwort::model::{Error, MarianFiles, Tensor, Weights};
use wanderwort::nn::NetworkError;
use wanderwort::{LoadError, LoadOptions, MarianSource, Precision, TranslateOptions, Translator};

/// Prints a table: each way to store the weights of `model` and to compute with them, its size and its scores.
pub fn run(arguments: &Arguments, model: &Path, set: &TestSet, options: &TranslateOptions) -> Result<()> {
    let mut output = streams::output();
    let load = arguments.run.options()?;
    let pool = arguments.threads.pool()?;
    writeln!(output, "{}: {} lines of {}\n", model.display(), set.sources.len(), set.name.display())?;
    writeln!(
        output,
        "| weights | products | package | weights, coded | xz -9 of plain nibbles | BLEU | chrF2 | words/s |"
    )?;
    writeln!(output, "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |")?;
    let words: usize = set.sources.iter().map(|source| count_words(source)).sum();
    let mut row = |weights: &str, package: &[u8], precision: Precision| -> Result<()> {
        let sizes = Sizes::of(package)?;
        let load = LoadOptions { precision, ..load };
        let translator = match Translator::from_package(&model.display().to_string(), package, &load) {
            // Where weights are out of this one's range, the other ways still say something.
            Err(error @ LoadError::Network { source: NetworkError::FixedPoint { .. }, .. }) => {
                tell!("wanderwort: {error}");
                let (products, size) = (crate::model::precision_name(precision), mb(package.len()));
                return Ok(writeln!(
                    output,
                    "| {weights} | {products} | {size} | {} | | out of range | | |",
                    mb(sizes.coded)
                )?);
            }
            translator => translator?,
        };
        let (translations, elapsed) = pool.install(|| translate(&translator, &set.sources, options));
        let (bleu, chrf) = score(&translations, &set.references);
        writeln!(
            output,
            "| {weights} | {} | {} | {} | {} | {:.2} | {:.2} | {:.0} |",
            crate::model::precision_name(precision),
            mb(package.len()),
            mb(sizes.coded),
            sizes.nibbles.map_or(String::new(), mb),
            bleu.score(),
            chrf.score(),
            words as f64 / elapsed.as_secs_f64().max(1e-9)
        )?;
        Ok(output.flush()?)
    };
    if model.is_file() {
        let package = std::fs::read(model).with_context(|| format!("cannot read {}", model.display()))?;
        for precision in [Precision::Float32, Precision::Int16, Precision::Int8] {
            row("as stored", &package, precision)?;
        }
        return Ok(());
    }
    let files = MarianFiles::read_folder(model, Weights::Float32)?;
    let source = MarianSource::open(&files)?;
    warn(source.warnings());
    let calibration = match &arguments.calibrate {
        Some(text) => Some(Calibration::new(read_all(text)?, calibrate::Definition::Marian, arguments.rounding)),
        None => None,
    };
    let variants: Vec<(&str, Precision)> = if arguments.bits.is_empty() {
        let (float32, int16, int8) = (Precision::Float32, Precision::Int16, Precision::Int8);
        let unquantized = [("float32", float32), ("float16", float32), ("float32", int16)];
        [&unquantized[..], &[("int8", int8), ("log4", float32), ("log4", int8), ("uniform", int8)]].concat()
    } else {
        arguments.bits.iter().map(|bits| (bits.as_str(), Precision::Int8)).collect()
    };
    for (name, precision) in variants {
        let Storage { bits, exceptions } = name.parse().map_err(|error| anyhow!("--bits {name}: {error}"))?;
        let convert = ConvertOptions { bits, exceptions, ..source.convert_options() };
        let package = match (&calibration, precision) {
            (Some(calibration), Precision::Int8) => pool.install(|| calibration.convert(&source, convert, |_| {}))?,
            _ => pack(&source, &convert, |_| {})?,
        };
        row(name, &package, precision)?;
    }
    Ok(())
}

/// Bytes of a package's matrices.
struct Sizes {
    /// As the package stores them.
    coded: usize,
    /// Two log-4-bit codes to a byte, compressed as `xz -9` does; none if there are matrices of other kinds.
    nibbles: Option<usize>,
}

impl Sizes {
    fn of(package: &[u8]) -> Result<Self> {
        let mut reader = Reader::new("package");
        let mut codes = Some(Vec::new());
        reader.push(package, |event| {
            if let Event::Tensor { tensor: Tensor::Int8(tensor), .. } = event {
                codes = codes.take().and_then(|mut codes: Vec<u8>| {
                    let codebooks = [Codebook::Zero, Codebook::NoZero];
                    let fits = |codebook: &&Codebook| tensor.values.iter().all(|v| codebook.levels().contains(v));
                    let levels = codebooks.iter().find(fits)?.levels();
                    codes.extend(tensor.values.iter().map(|v| levels.binary_search(v).unwrap_or_default() as u8));
                    Some(codes)
                });
            }
            Ok::<(), Error>(())
        })?;
        let header = reader.header().context("a package has a header")?;
        let coded = header.tensors().filter(|entry| entry.scales > 0).map(|entry| entry.length as usize).sum();
        let nibbles = match codes {
            Some(codes) if !codes.is_empty() => {
                let plain: Vec<u8> =
                    codes.chunks(2).map(|pair| pair[0] << 4 | pair.get(1).copied().unwrap_or(0)).collect();
                Some(xz_size(&plain)?)
            }
            _ => None,
        };
        Ok(Self { coded, nibbles })
    }
}

/// The size of `bytes` compressed with LZMA, which `xz -9` uses.
fn xz_size(bytes: &[u8]) -> Result<usize> {
    let options = lzma_rust2::LzmaOptions::with_preset(9);
    let mut writer = lzma_rust2::LzmaWriter::new_use_header(Vec::new(), &options, Some(bytes.len() as u64))?;
    writer.write_all(bytes)?;
    Ok(writer.finish()?.len())
}

fn mb(bytes: usize) -> String {
    format!("{:.2} MB", bytes as f64 / 1e6)
}

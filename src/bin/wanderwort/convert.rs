//! `convert`: from Marian's files to one small package.

pub mod calibrate;
pub mod score;
pub mod signs;

use crate::files::Destination;
use crate::lines::read_all;
use crate::model::warn;
use crate::ranges::{self, power};
use crate::{progress, streams};

use anyhow::{Context, Result, anyhow};
use calibrate::Calibration;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use wanderwort::MarianSource;
use wanderwort::model::package::log4::{Codebook, Granularity, Options};
use wanderwort::model::package::uniform;
use wanderwort::model::package::{Bits, Card, ConvertOptions, Entry, relabel};
use wanderwort::model::{Decoding, MarianFiles, Weights};

/// Convert a Marian model to a package of a few megabytes.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// Folder of Marian files: model (.npz or .bin), vocabulary (.spm), optionally a shortlist and
    /// decoding settings (decoder.yml). If there are several models, --bits int8 takes the int8 one, and all other --bits the one in floats.
    #[arg(long, value_name = "DIR")]
    from: PathBuf,

    /// The package to write. An old file of this name stays until the new one is complete.
    #[arg(long, value_name = "FILE")]
    to: PathBuf,

    /// How matrices are stored: log4, uniform, int8, float16 or float32. log4+columns has a scale for each column instead of one
    /// for the matrix, log4+no-zero an eighth magnitude instead of a zero, log4+rate=0.02 prefers values that are coded in fewer
    /// bits; uniform+step=0.4 has integers in steps of 0.4 times the root mean square of the matrix; int8+least-squares chooses for each column the
    /// step that makes the squared error least. Exceptions follow, each given by a part of its name, such as log4,Wemb=int8,decoder=log4+columns.
    #[arg(long, default_value = "log4")]
    bits: Storage,

    /// Text in the source language, one sentence per line. It is translated to find activation scales, which are stored in the
    /// package and make translation faster, and to round weights so that little of it is lost. A few hundred lines are enough;
    /// they should resemble what will be translated.
    #[arg(long, value_name = "TEXT")]
    calibrate: Option<PathBuf>,

    /// With --calibrate: how a scale is computed from the activations.
    #[arg(long, value_enum, default_value = "marian", requires = "calibrate")]
    definition: calibrate::Definition,

    /// With --calibrate: how weights are rounded to log-4-bit or uniform.
    #[arg(long, value_enum, default_value = "compensated", requires = "calibrate")]
    rounding: calibrate::Rounding,

    /// Score the package on this test set (source, tab, reference, one pair per line) and store BLEU and chrF in it. Can be
    /// repeated.
    #[arg(long, value_name = "TSV")]
    score: Vec<PathBuf>,

    #[command(flatten)]
    decoding: DecodingArguments,

    #[command(flatten)]
    card: CardArguments,
}

/// How matrices are stored.
#[derive(Clone, Debug, PartialEq)]
pub struct Storage {
    /// For matrices without an exception.
    pub bits: Bits,
    /// A part of the names of matrices, and how these are stored; the first match counts.
    pub exceptions: Vec<(String, Bits)>,
}

impl FromStr for Storage {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut parts = text.split(',');
        let bits = parse_bits(parts.next().unwrap_or_default())?;
        let exception = |part: &str| {
            let (name, bits) = part.split_once('=').ok_or("expected NAME=BITS, for example Wemb=int8")?;
            if name.is_empty() {
                return Err("the name before `=` is empty".to_owned());
            }
            Ok((name.to_owned(), parse_bits(bits)?))
        };
        Ok(Self { bits, exceptions: parts.map(exception).collect::<Result<_, String>>()? })
    }
}

/// How the model is meant to be decoded.
#[derive(clap::Args, Clone, Copy, Debug)]
pub struct DecodingArguments {
    /// Beam size: how many hypotheses of a sentence are followed side by side unless another number is asked for; more find better translations
    /// and take longer [default: as before, or as decoder.yml says, or 1].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=ranges::MAX_BEAM as i64))]
    beam_size: Option<u32>,

    /// Prune hypotheses that are less likely than the sentence's likeliest one by a factor of more than e to this power; 1 to 2 costs next to
    /// nothing and saves two thirds of what a beam of four takes beyond greedy search [default: as before, or none].
    #[arg(long, value_name = "POWER", value_parser = power)]
    beam_threshold: Option<f32>,

    /// When the last WORDS words (target pieces) of several hypotheses are the same, keep only the best one; 0: keep all [default: as before, or 0].
    #[arg(long, value_name = "WORDS", value_parser = clap::value_parser!(u32).range(..=1000))]
    beam_recombination: Option<u32>,

    /// Cut sentences of more pieces than this, between clauses where possible, and translate them in parts [default: as
    /// before, or as decoder.yml says, or 128].
    #[arg(long, value_name = "PIECES", value_parser = clap::value_parser!(u32).range(1..))]
    max_length_break: Option<u32>,
}

impl DecodingArguments {
    /// What is given here, or else what was stated before.
    pub fn over(self, stated: Decoding) -> Decoding {
        Decoding {
            beam_size: self.beam_size.or(stated.beam_size),
            beam_threshold: self.beam_threshold.or(stated.beam_threshold),
            beam_recombination: self.beam_recombination.or(stated.beam_recombination),
            max_length_break: self.max_length_break.or(stated.max_length_break),
            ..stated
        }
    }
}

/// What the package says about itself.
#[derive(clap::Args, Clone, Debug)]
struct CardArguments {
    /// The model's name [default: from model_info.json, or the name of the folder].
    #[arg(long)]
    name: Option<String>,

    /// Source language, a BCP 47 tag [default: from model_info.json, or from the files' names, such as model.ende.bin].
    #[arg(long, value_name = "TAG")]
    source_language: Option<String>,

    /// Target language, a BCP 47 tag [default: likewise].
    #[arg(long, value_name = "TAG")]
    target_language: Option<String>,

    /// Terms of use, an SPDX expression or a sentence.
    #[arg(long, default_value = "")]
    licence: String,

    /// Model card, a Markdown file [default: the README.md of the folder, if there is one].
    #[arg(long, value_name = "FILE")]
    card: Option<PathBuf>,
}

const EXAMPLES: &str = "\
`wanderwort inspect FILE` shows what a package holds, and what its quantization lost.

Examples:
  wanderwort convert --from student --to en-de.wanderwort
  wanderwort convert --from student --to en-de.wanderwort --bits int8 --licence CC-BY-SA-4.0";

pub fn run(arguments: &Arguments) -> Result<()> {
    // Before the work, not after it.
    let to = Destination::new(&arguments.to)?;
    to.refuse(
        [&arguments.from].into_iter().chain(&arguments.card.card).chain(&arguments.calibrate).chain(&arguments.score),
    )?;
    let sets = score::read(&arguments.score)?;
    let weights = if arguments.bits.bits == Bits::Int8 { Weights::Int8 } else { Weights::Float32 };
    let files = MarianFiles::read_folder(&arguments.from, weights)?;
    let source = MarianSource::open(&files)?;
    warn(source.warnings());
    let card = arguments.card.read(&arguments.from, &source)?;
    let stated = source.convert_options();
    let decoding = arguments.decoding.over(stated.decoding);
    let options = ConvertOptions {
        decoding,
        bits: arguments.bits.bits,
        exceptions: arguments.bits.exceptions.clone(),
        card,
        ..stated
    };

    let mut totals = Totals::default();
    let mut package = match &arguments.calibrate {
        Some(path) => {
            let calibration = Calibration::new(read_all(path)?, arguments.definition, arguments.rounding);
            calibration.convert(&source, options, |entry| totals.add(entry))?
        }
        None => pack(&source, &options, |entry| totals.add(entry))?,
    };
    package = signs::measured("package", &package)?;
    if !arguments.score.is_empty() {
        let scores = score::scores(&package, &sets)?;
        package = relabel("package", &package, |label| label.card.scores = scores)?;
    }
    to.write(&package)?;

    let mut output = streams::output();
    let (to, from, before) = (arguments.to.display(), files.model.name.as_str(), source.size());
    writeln!(output, "{to}: {:.2} MB, from {:.2} MB ({from}, vocabulary, shortlist)", mb(package.len()), mb(before))?;
    totals.print(&mut output)?;
    Ok(())
}

impl CardArguments {
    fn read(&self, folder: &Path, source: &MarianSource<'_>) -> Result<Card> {
        let info = source.info();
        let folder_name = || folder.canonicalize().ok()?.file_name().map(|name| name.to_string_lossy().into_owned());
        let readme = folder.join("README.md");
        let path = self.card.as_deref().or_else(|| readme.is_file().then_some(readme.as_path()));
        let description = match path {
            Some(path) => std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?,
            None => String::new(),
        };
        let language = |given: &Option<String>, told: Option<String>, option: &str| {
            given.clone().or(told).ok_or_else(|| {
                anyhow!("{}: the files' names do not tell the languages; give --{option} TAG", folder.display())
            })
        };
        let (from, to) = source.language_tags();
        Ok(Card {
            name: self.name.clone().or(info.name.clone()).or_else(folder_name).unwrap_or_default(),
            source_language: language(&self.source_language, from, "source-language")?,
            target_language: language(&self.target_language, to, "target-language")?,
            licence: self.licence.clone(),
            description,
            scores: Vec::new(),
        })
    }
}

fn parse_bits(text: &str) -> Result<Bits, String> {
    let mut words = text.split('+');
    let name = words.next().unwrap_or_default();
    let words: Vec<&str> = words.collect();
    match name {
        "int8" => match words[..] {
            [] => Ok(Bits::Int8),
            ["least-squares"] => Ok(Bits::Int8LeastSquares),
            _ => Err(format!("int8 has no variant {:?}; it has least-squares", words.join("+"))),
        },
        "float16" if words.is_empty() => Ok(Bits::Float16),
        "float32" if words.is_empty() => Ok(Bits::Float32),
        "uniform" => {
            let mut options = uniform::Options::default();
            for word in words {
                options.step = number(word, "step=")
                    .ok_or_else(|| format!("uniform has step=NUMBER, from 0 to 100, not {word:?}"))?;
            }
            Ok(Bits::Uniform(options))
        }
        "log4" => {
            let mut options = Options::default();
            for word in words {
                match word {
                    "columns" => options.granularity = Granularity::Column,
                    "matrix" => options.granularity = Granularity::Matrix,
                    "zero" => options.codebook = Codebook::Zero,
                    "no-zero" => options.codebook = Codebook::NoZero,
                    _ => {
                        let known = "zero, no-zero, matrix, columns, rate=NUMBER from 0 to 100";
                        let unknown = || format!("log4 has no variant {word:?}; it has {known}");
                        options.rate = number(word, "rate=").ok_or_else(unknown)?;
                    }
                }
            }
            Ok(Bits::Log4(options))
        }
        _ => Err("expected log4, uniform, int8, float16 or float32".to_owned()),
    }
}

/// The number after `prefix`, from 0 to 100.
fn number(word: &str, prefix: &str) -> Option<f64> {
    let number = word.strip_prefix(prefix)?.parse::<f64>().ok()?;
    (0.0..=100.0).contains(&number).then_some(number)
}

/// The package of a model, with progress on a terminal; `each` sees the entry of each tensor.
pub fn pack(source: &MarianSource<'_>, options: &ConvertOptions, mut each: impl FnMut(&Entry)) -> Result<Vec<u8>> {
    let total = source.model().items().count() as u64;
    let bar = progress::bar(Some(total), "{bar:30} {pos} of {len} tensors  {msg}");
    let package = source.convert(options, |progress| {
        bar.set_position(progress.done as u64);
        bar.set_message(progress.entry.name.clone());
        each(progress.entry);
    });
    bar.finish_and_clear();
    Ok(package?)
}

fn mb(bytes: usize) -> f64 {
    bytes as f64 / 1e6
}

/// Sizes and errors of quantized matrices, added up.
#[derive(Clone, Copy, Debug, Default)]
pub struct Totals {
    weights: u64,
    bytes: u64,
    error: f64,
}

impl Totals {
    /// Adds a tensor, if it is a quantized matrix.
    pub fn add(&mut self, entry: &Entry) {
        if entry.scales > 0 {
            let weights = (entry.rows * entry.columns) as u64;
            self.weights += weights;
            self.bytes += entry.length;
            self.error += f64::from(entry.error.unwrap_or(0.0)) * weights as f64;
        }
    }

    /// Prints the totals.
    pub fn print(&self, output: &mut impl Write) -> io::Result<()> {
        if self.weights == 0 {
            return Ok(());
        }
        let weights = self.weights as f64;
        writeln!(
            output,
            "{} quantized weights in {:.2} MB: {:.3} bits each, relative squared error {:.5} on average",
            self.weights,
            self.bytes as f64 / 1e6,
            self.bytes as f64 * 8.0 / weights,
            self.error / weights
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_told_by_words() {
        let log4 = |codebook, granularity| Ok(Bits::Log4(Options { codebook, granularity, ..Options::default() }));
        assert_eq!(parse_bits("log4"), log4(Codebook::Zero, Granularity::Matrix));
        assert_eq!(parse_bits("log4+columns"), log4(Codebook::Zero, Granularity::Column));
        assert_eq!(parse_bits("log4+no-zero+columns"), log4(Codebook::NoZero, Granularity::Column));
        let rate = Options { rate: 0.02, ..Options::default() };
        let exceptions = vec![("Wemb".to_owned(), Bits::Int8), ("l1_".to_owned(), Bits::Log4(rate))];
        assert_eq!("float32,Wemb=int8,l1_=log4+rate=0.02".parse(), Ok(Storage { bits: Bits::Float32, exceptions }));
        assert_eq!(parse_bits("float16"), Ok(Bits::Float16));
        assert_eq!(parse_bits("int8+least-squares"), Ok(Bits::Int8LeastSquares));
        assert_eq!(parse_bits("uniform+step=0.5"), Ok(Bits::Uniform(uniform::Options { step: 0.5 })));
        for wrong in [
            "",
            "int4",
            "float16+columns",
            "int8+columns",
            "log4+rows",
            "log4,Wemb",
            "log4,=int8",
            "Wemb=int8",
            "log4+rate=-1",
            "log4+rate=NaN",
            "uniform+step=1e9",
        ] {
            assert!(wrong.parse::<Storage>().is_err(), "{wrong}");
        }
    }
}

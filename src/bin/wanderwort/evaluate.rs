//! `evaluate`: translate a test set and say how good the translations are.

mod checks;
mod compare;

use crate::convert::Storage;
use crate::convert::calibrate::Rounding;
use crate::files::Destination;
use crate::lines::{count_words, read_all};
use crate::metrics::{Bleu, Chrf};
use crate::model::{
    BatchArguments, RepairArguments, RunArguments, SearchArguments, SentenceArguments, ThreadArguments, describe,
};
use crate::progress::Progress;
use crate::streams;
use anyhow::{Result, bail};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use wanderwort::{TranslateOptions, Translator};

/// Score translations with BLEU and chrF, as sacreBLEU computes them.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// Translate with this model: a package or a folder of Marian files. Can be repeated: the models then form an ensemble, as for `translate`.
    #[arg(short, long, value_name = "PATH", required_unless_present = "hypothesis")]
    model: Vec<PathBuf>,

    #[command(flatten)]
    run: RunArguments,

    #[command(flatten)]
    threads: ThreadArguments,

    #[command(flatten)]
    batches: BatchArguments,

    #[command(flatten)]
    sentences: SentenceArguments,

    #[command(flatten)]
    search: SearchArguments,

    /// Text to translate, line by line. Can be repeated, with as many references: the scores of each are printed, and their means.
    #[arg(short, long, value_name = "FILE", required_unless_present_any = ["tsv", "hypothesis", "checks"])]
    source: Vec<PathBuf>,

    /// Reference translations, line by line; one for each source, in the same order.
    #[arg(short, long, value_name = "FILE", required_unless_present_any = ["tsv", "checks"])]
    reference: Vec<PathBuf>,

    /// Source and reference in one file: source, tab, reference. Can be repeated.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["source", "reference"])]
    tsv: Vec<PathBuf>,

    /// Score these translations instead of translating.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["model", "from", "to", "precision", "float", "kernel", "output", "no_shortlist", "scales", "lines_as_sentences", "slots", "pieces", "beam", "normalize", "beam_threshold", "beam_recombination", "without", "compare"])]
    hypothesis: Option<PathBuf>,

    /// Write the translations to this file.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Translate with float32, float16, int8, log-4-bit and uniform weights of the model and with products in float32, int16 and int8, and show sizes
    /// and scores side by side.
    #[arg(long, requires = "model", conflicts_with_all = ["precision", "float", "output"])]
    compare: bool,

    /// With --compare: compare these ways to store matrices instead, written as for `convert --bits`. Can be repeated.
    #[arg(long, requires = "compare", value_parser = way_to_store)]
    bits: Vec<String>,

    /// With --compare: text for finding activation scales and rounding weights, as `convert --calibrate` does, wherever products
    /// are int8.
    #[arg(long, value_name = "FILE", requires = "compare")]
    calibrate: Option<PathBuf>,

    /// With --calibrate: how weights are rounded to log-4-bit or uniform, as for `convert --rounding`.
    #[arg(long, value_enum, default_value = "compensated", requires = "calibrate")]
    rounding: Rounding,

    #[command(flatten)]
    repairs: RepairArguments,

    /// Instead, count how many translations pass the checks in this file: category, source and checks, separated by tabs
    /// (tests/data/robustness/README.md lists the checks).
    #[arg(long, value_name = "FILE", requires = "model", conflicts_with_all = ["source", "reference", "tsv", "hypothesis", "output", "compare"])]
    checks: Option<PathBuf>,

    /// With --checks: show each translation that fails, and which checks it fails.
    #[arg(long, requires = "checks")]
    failures: bool,
}

const EXAMPLES: &str = "\
Examples:
  wanderwort evaluate --model models/en-de.tiny.wanderwort --source test.en --reference test.de
  wanderwort evaluate --model models/en-de.tiny.wanderwort --tsv dev.tsv --output dev.translated.de
  wanderwort evaluate --model student --tsv wmt16.tsv --tsv wmt17.tsv --tsv wmt18.tsv
  wanderwort evaluate --model student --tsv dev.tsv --compare
  wanderwort evaluate --model student --checks tests/data/robustness/en-de.tsv --failures
  wanderwort evaluate --hypothesis other.de --reference test.de";

/// The name of a way to store matrices, if it is one.
fn way_to_store(name: &str) -> Result<String, String> {
    name.parse::<Storage>().map(|_| name.to_owned())
}

/// Lines translated between two updates of the progress.
const WINDOW_LINES: usize = 1000;

pub fn run(arguments: &Arguments) -> Result<()> {
    let options = TranslateOptions {
        sentences: arguments.sentences.sentences(),
        repairs: arguments.repairs.repairs(),
        ..arguments.search.options()
    };
    let options = arguments.batches.apply(options);
    let (model, others) = (arguments.model.first(), arguments.model.get(1..).unwrap_or_default());
    if let (Some(checks), Some(model)) = (&arguments.checks, model) {
        let translator = arguments.run.open_given(model, others)?;
        return arguments.threads.pool()?.install(|| checks::run(checks, &translator, &options, arguments.failures));
    }
    let sets = TestSet::read_all(arguments)?;
    if let (true, Some(model)) = (arguments.compare, model) {
        if !others.is_empty() {
            bail!("--compare shows the ways to store one model; give --model once");
        }
        let [set] = &sets[..] else { bail!("--compare takes one test set, found {}", sets.len()) };
        return compare::run(arguments, model, set, &options);
    }
    if arguments.output.is_some() && sets.len() > 1 {
        bail!("--output is for one test set, found {}; run them one by one", sets.len());
    }
    // Before the work, not after it.
    let to = arguments.output.as_deref().map(Destination::new).transpose()?;
    if let Some(to) = &to {
        to.refuse([&arguments.model, &arguments.source, &arguments.reference, &arguments.tsv].into_iter().flatten())?;
    }
    let translator = match (&arguments.hypothesis, model) {
        (Some(_), _) => None,
        (None, Some(model)) => Some(arguments.run.open_given(model, others)?),
        (None, None) => bail!("expected a --model that translates or a --hypothesis, found neither"),
    };
    let pool = arguments.threads.pool()?;
    let mut output = streams::output();
    let mut scores = Vec::new();
    for set in &sets {
        let translations = match (&translator, &arguments.hypothesis) {
            (Some(translator), _) => {
                let (translations, time) = pool.install(|| translate(translator, &set.sources, &options));
                let words: usize = set.sources.iter().map(|source| count_words(source)).sum();
                let (lines, rate, threads) =
                    (set.sources.len(), words as f64 / time.as_secs_f64(), pool.current_num_threads());
                let (name, how) = (set.name.display(), describe(translator));
                writeln!(
                    output,
                    "{name}: {lines} lines, {words} words, {rate:.0} words/s with {threads} thread(s), {how}"
                )?;
                translations
            }
            (None, Some(path)) => {
                let [set] = &sets[..] else { bail!("--hypothesis takes one --reference, found {}", sets.len()) };
                let lines = read_all(path)?;
                let (found, expected) = (lines.len(), set.references.len());
                if found != expected {
                    bail!("{}: expected {expected} lines, one for each reference, found {found}", path.display());
                }
                writeln!(output, "{}: {found} lines", path.display())?;
                lines
            }
            (None, None) => bail!("expected a --model that translates or a --hypothesis, found neither"),
        };
        if let Some(to) = &to {
            let text: String = translations.iter().flat_map(|line| [line.as_str(), "\n"]).collect();
            to.write(text.as_bytes())?;
        }
        scores.push(print_scores(&mut output, &translations, &set.references)?);
    }
    if scores.len() > 1 {
        let mean = |score: fn(&(f64, f64)) -> f64| scores.iter().map(score).sum::<f64>() / scores.len() as f64;
        writeln!(output, "mean of {} sets", scores.len())?;
        writeln!(output, "BLEU = {:.2}", mean(|scores| scores.0))?;
        writeln!(output, "chrF2 = {:.2}", mean(|scores| scores.1))?;
    }
    Ok(())
}

/// Sources and their reference translations.
pub struct TestSet {
    /// The file of the sources.
    pub name: PathBuf,
    /// Empty where there is nothing to translate.
    pub sources: Vec<String>,
    /// As many as there are sources, if there are any.
    pub references: Vec<String>,
}

impl TestSet {
    fn read_all(arguments: &Arguments) -> Result<Vec<Self>> {
        if !arguments.tsv.is_empty() {
            return arguments.tsv.iter().map(|path| Self::read_tsv(path)).collect();
        }
        let (sources, references) = (&arguments.source, &arguments.reference);
        if references.is_empty() {
            bail!("expected translations to compare with, found no --reference and no --tsv");
        }
        if sources.is_empty() {
            let read =
                |path: &PathBuf| Ok(Self { name: path.clone(), sources: Vec::new(), references: read_all(path)? });
            return references.iter().map(read).collect();
        }
        if sources.len() != references.len() {
            let (sources, references) = (sources.len(), references.len());
            bail!(
                "expected a --reference for each --source, found {sources} of --source and {references} of --reference"
            );
        }
        sources.iter().zip(references).map(|(source, reference)| Self::read(source, reference)).collect()
    }

    fn read(source: &Path, reference: &Path) -> Result<Self> {
        let (sources, references) = (read_all(source)?, read_all(reference)?);
        if sources.len() != references.len() {
            bail!(
                "{} has {} lines, {} has {}: they must correspond line by line",
                source.display(),
                sources.len(),
                reference.display(),
                references.len()
            );
        }
        Ok(Self { name: source.to_owned(), sources, references })
    }

    /// Reads lines of source, tab, reference.
    pub fn read_tsv(path: &Path) -> Result<Self> {
        let mut set = Self { name: path.to_owned(), sources: Vec::new(), references: Vec::new() };
        for (number, line) in read_all(path)?.iter().enumerate() {
            let mut fields = line.split('\t');
            let (Some(source), Some(reference)) = (fields.next(), fields.next()) else {
                bail!("{}, line {}: expected source, tab, reference, found no tab", path.display(), number + 1);
            };
            set.sources.push(source.to_owned());
            set.references.push(reference.to_owned());
        }
        Ok(set)
    }
}

/// Translates the sources, with progress on a terminal; also says how long it took.
pub fn translate(translator: &Translator, sources: &[String], options: &TranslateOptions) -> (Vec<String>, Duration) {
    let mut progress = Progress::new(Some(sources.iter().map(|source| source.len() as u64).sum()));
    let start = Instant::now();
    let mut translations = Vec::with_capacity(sources.len());
    for window in sources.chunks(WINDOW_LINES) {
        let texts: Vec<&str> = window.iter().map(String::as_str).collect();
        let translated = translator.translate_batch(&texts, options);
        translations.extend(translated.into_iter().map(|translation| translation.text));
        let bytes: usize = texts.iter().map(|text| text.len()).sum();
        let words: usize = texts.iter().map(|text| count_words(text)).sum();
        progress.add(bytes as u64, words as u64);
    }
    progress.finish();
    (translations, start.elapsed())
}

/// Scores of the translations.
pub fn score(translations: &[String], references: &[String]) -> (Bleu, Chrf) {
    let (mut bleu, mut chrf) = (Bleu::default(), Chrf::default());
    for (translation, reference) in translations.iter().zip(references) {
        bleu.add(translation, reference);
        chrf.add(translation, reference);
    }
    (bleu, chrf)
}

/// Prints BLEU and chrF, and returns them.
fn print_scores(output: &mut impl Write, translations: &[String], references: &[String]) -> io::Result<(f64, f64)> {
    let (bleu, chrf) = score(translations, references);
    let precisions = bleu.precisions().map(|precision| format!("{precision:.1}")).join("/");
    let (hypothesis_length, reference_length) = bleu.lengths();
    writeln!(output, "BLEU = {:.2}", bleu.score())?;
    writeln!(
        output,
        "  {precisions}, brevity penalty {:.3}, {hypothesis_length} words for {reference_length} of the reference",
        bleu.brevity_penalty()
    )?;
    writeln!(output, "  {}", Bleu::signature())?;
    writeln!(output, "chrF2 = {:.2}", chrf.score())?;
    writeln!(output, "  {}", Chrf::signature())?;
    Ok((bleu.score(), chrf.score()))
}

//! `evaluate`: translate a test set and say how good the translations are.

mod checks;
mod compare;

use crate::convert::calibrate::Rounding;
use crate::lines::{count_words, read_all};
use crate::metrics::{Bleu, Chrf};
use crate::model::{RepairArguments, RunArguments, SearchArguments, SentenceArguments, ThreadArguments, describe};
use crate::progress::Progress;
use anyhow::{Context, Result, bail};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use wanderwort::{TranslateOptions, Translator};

/// Score translations with BLEU and chrF, as sacreBLEU computes them.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// Translate with this model: a package or a folder of Marian files. Given several times, the models are an ensemble, as for `translate`.
    #[arg(short, long, value_name = "PATH", required_unless_present = "hypothesis")]
    model: Vec<PathBuf>,

    #[command(flatten)]
    run: RunArguments,

    #[command(flatten)]
    threads: ThreadArguments,

    #[command(flatten)]
    sentences: SentenceArguments,

    #[command(flatten)]
    search: SearchArguments,

    /// Text to translate, line by line.
    #[arg(short, long, value_name = "FILE", required_unless_present_any = ["tsv", "hypothesis", "checks"])]
    source: Option<PathBuf>,

    /// Reference translations, line by line.
    #[arg(short, long, value_name = "FILE", required_unless_present_any = ["tsv", "checks"])]
    reference: Option<PathBuf>,

    /// Source and reference in one file: source, tab, reference.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["source", "reference"])]
    tsv: Option<PathBuf>,

    /// Score these translations instead of making some.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["model", "from", "to", "precision", "float", "kernel", "output", "no_shortlist", "scales", "lines_as_sentences", "beam", "normalize", "beam_threshold", "without", "compare"])]
    hypothesis: Option<PathBuf>,

    /// Keep the translations in this file.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Translate with float32, float16, int8 and log-4-bit weights of the model and with products in float32, int16 and int8, and show sizes
    /// and scores side by side.
    #[arg(long, requires = "model", conflicts_with_all = ["precision", "float", "output"])]
    compare: bool,

    /// With --compare: compare these ways to store matrices, as `convert --bits` takes them, instead. Can be repeated.
    #[arg(long, requires = "compare")]
    bits: Vec<String>,

    /// With --compare: text to find activation scales with and to round weights by, as `convert --calibrate` does, wherever products
    /// are int8.
    #[arg(long, value_name = "FILE", requires = "compare")]
    calibrate: Option<PathBuf>,

    /// With --calibrate: how weights become log-4-bit or uniform, as `convert --rounding` tells.
    #[arg(long, value_enum, default_value = "compensated", requires = "calibrate")]
    rounding: Rounding,

    #[command(flatten)]
    repairs: RepairArguments,

    /// Count instead how many translations pass the checks in this file: category, source and checks between tabs
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
  wanderwort evaluate --model student --tsv dev.tsv --compare
  wanderwort evaluate --model student --checks tests/data/robustness/en-de.tsv --failures
  wanderwort evaluate --hypothesis other.de --reference test.de";

/// Lines translated between two updates of the progress.
const WINDOW_LINES: usize = 1000;

pub fn run(arguments: &Arguments) -> Result<()> {
    let options = TranslateOptions {
        sentences: arguments.sentences.sentences(),
        repairs: arguments.repairs.repairs(),
        ..arguments.search.options()
    };
    let (model, others) = (arguments.model.first(), arguments.model.get(1..).unwrap_or_default());
    if let (Some(checks), Some(model)) = (&arguments.checks, model) {
        let translator = arguments.run.open_ensemble(model, others)?;
        return arguments.threads.pool()?.install(|| checks::run(checks, &translator, &options, arguments.failures));
    }
    let set = TestSet::read(arguments)?;
    if let (true, Some(model)) = (arguments.compare, model) {
        if !others.is_empty() {
            bail!("--compare shows the ways to store one model; give --model once");
        }
        return compare::run(arguments, model, &set, &options);
    }
    let mut output = io::stdout().lock();
    let translations = match (&arguments.hypothesis, model) {
        (Some(path), _) => {
            let lines = read_all(path)?;
            let (found, expected) = (lines.len(), set.references.len());
            if found != expected {
                bail!("{} has {found} lines, but there are {expected} references", path.display());
            }
            writeln!(output, "{}: {found} lines", path.display())?;
            lines
        }
        (None, Some(model)) => {
            let translator = arguments.run.open_ensemble(model, others)?;
            let pool = arguments.threads.pool()?;
            let (translations, time) = pool.install(|| translate(&translator, &set.sources, &options));
            let words: usize = set.sources.iter().map(|source| count_words(source)).sum();
            let (lines, rate, threads) =
                (set.sources.len(), words as f64 / time.as_secs_f64(), pool.current_num_threads());
            let (name, how) = (set.name.display(), describe(&translator));
            writeln!(
                output,
                "{name}: {lines} lines, {words} words, {rate:.0} words/s with {threads} thread(s), {how}"
            )?;
            translations
        }
        (None, None) => bail!("there is neither a --model nor a --hypothesis"),
    };
    if let Some(path) = &arguments.output {
        let text: String = translations.iter().flat_map(|line| [line.as_str(), "\n"]).collect();
        std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    print_scores(&mut output, &translations, &set.references)?;
    Ok(())
}

/// Sources and their reference translations.
pub struct TestSet {
    name: PathBuf,
    /// Empty where there is nothing to translate.
    pub sources: Vec<String>,
    /// As many.
    pub references: Vec<String>,
}

impl TestSet {
    fn read(arguments: &Arguments) -> Result<Self> {
        if let Some(path) = &arguments.tsv {
            return Self::read_tsv(path);
        }
        let reference = arguments.reference.as_deref().context("there is no --reference")?;
        let references = read_all(reference)?;
        let Some(source) = &arguments.source else {
            return Ok(Self { name: reference.to_owned(), sources: Vec::new(), references });
        };
        let sources = read_all(source)?;
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

/// Translates the sources, with progress on a terminal; how long it took.
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

fn print_scores(output: &mut impl Write, translations: &[String], references: &[String]) -> io::Result<()> {
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
    Ok(())
}

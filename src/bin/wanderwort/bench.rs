//! `bench`: how fast a model runs on this machine, and how much memory that takes.

mod sweep;

use crate::lines::{count_words, read_all};
use crate::model::{BatchArguments, ModelArguments, SearchArguments, kernel_names, precision_name};
use crate::output::Format;
use crate::processes::{PartArgument, child};
use crate::ranges;
use crate::resources::{memory, peak_memory, processor_time};
use crate::streams;
use anyhow::{Context, Result, bail};
use serde::Serialize;
use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use sweep::{Choice, Row, Sweep};
use wanderwort::{Profile, TranslateOptions, Translator};

/// Measure words per second, time per sentence, memory, and where the time goes.
#[derive(clap::Args)]
#[command(after_help = examples())]
pub struct Arguments {
    #[command(flatten)]
    model: ModelArguments,

    #[command(flatten)]
    search: SearchArguments,

    #[command(flatten)]
    batches: BatchArguments,

    /// Text to translate, line by line.
    #[arg(short, long, value_name = "FILE")]
    source: PathBuf,

    /// Number of threads that translate.
    #[arg(short, long, value_name = "N", default_value = "1", value_parser = ranges::threads())]
    threads: NonZeroUsize,

    /// Translate the text again and again for this many seconds, but at least three times.
    #[arg(long, value_name = "S", default_value = "5", value_parser = ranges::seconds)]
    seconds: f64,

    /// Translate this many lines, spread over the text, one by one to measure the time per sentence.
    #[arg(long, value_name = "N", default_value_t = 200)]
    alone: usize,

    /// Print only the last line, which is a JSON object.
    #[arg(long)]
    json: bool,

    /// Instead, measure rate, speed-up and memory by processes and threads, each combination for --seconds: those given, such as 1x1,24x2, or all,
    /// which are the divisors of the number of processors as threads, with powers of two of processes and as many as fill the machine.
    #[arg(long, value_name = "COMBINATIONS", value_delimiter = ',', num_args = 0..=1, default_missing_value = "all", conflicts_with = "threads")]
    sweep: Option<Vec<Choice>>,

    /// With --sweep: pin each process to processors of its own, as `translate` does.
    #[arg(long, requires = "sweep")]
    pin: bool,

    /// With --sweep: count and use only one hardware thread per core.
    #[arg(long, requires = "sweep")]
    physical: bool,

    #[command(flatten)]
    part: PartArgument,
}

fn examples() -> String {
    format!(
        "\
The last line printed is a JSON object with the same figures.

Kernels of this processor, slowest first: {}.

Examples:
  wanderwort bench --model models/en-de.tiny.wanderwort --source test.en
  wanderwort bench --model models/en-de.tiny.wanderwort --source test.en --kernel avx2 --threads 2
  wanderwort bench --model models/en-de.tiny.wanderwort --source test.en --sweep --pin",
        kernel_names().join(", ")
    )
}

/// The figures; one line of JSON.
#[derive(Serialize)]
struct Figures {
    model: String,
    /// The package, or all files of the folder.
    model_bytes: u64,
    source: String,
    kernel: String,
    precision: String,
    beam: usize,
    threads: usize,
    lines: usize,
    words: usize,
    load_ms: f64,
    runs: usize,
    words_per_second: f64,
    slowest_words_per_second: f64,
    fastest_words_per_second: f64,
    words_per_processor_second: Option<f64>,
    alone_median_ms: f64,
    alone_95th_percentile_ms: f64,
    alone_median_processor_ms: Option<f64>,
    memory_before_mib: Option<f64>,
    memory_peak_mib: Option<f64>,
    parts: Vec<Part>,
}

/// The figures of a sweep; one line of JSON.
#[derive(Serialize)]
struct SweepFigures {
    model: String,
    model_bytes: u64,
    source: String,
    kernel: String,
    sweep: Vec<Row>,
}

/// The share of the time that a part of the work takes.
#[derive(Serialize)]
struct Part {
    name: String,
    share: f64,
}

const MIB: f64 = (1 << 20) as f64;

pub fn run(arguments: &Arguments) -> Result<()> {
    let options = arguments.batches.apply(arguments.search.options());
    if let Some(part) = &arguments.part.part {
        return child::run(part, || Ok(Box::new(arguments.model.open()?)), &options, Format::Text);
    }
    let lines = read_all(&arguments.source)?;
    let texts: Vec<&str> = lines.iter().map(String::as_str).collect();
    let words: usize = texts.iter().map(|text| count_words(text)).sum();
    if words == 0 {
        bail!("{}: expected text to translate, found no words", arguments.source.display());
    }
    if let Some(choices) = &arguments.sweep {
        return arguments.sweep(choices, &lines);
    }
    let memory_before = memory();

    let start = Instant::now();
    let translator = arguments.model.open()?;
    let load = start.elapsed();
    let threads = arguments.threads.get();
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .context("cannot start the threads; take fewer --threads")?;

    let throughput = pool.install(|| Throughput::measure(&translator, &texts, &options, arguments.seconds));
    let memory_peak = peak_memory();
    let parts = pool.install(|| parts(&translator, &texts, &options));
    let alone = pool.install(|| Alone::measure(&translator, &texts, &options, arguments.alone.max(1)));

    let info = translator.info();
    let rates: Vec<f64> = throughput.runs.iter().map(|time| words as f64 / time.as_secs_f64()).collect();
    let figures = Figures {
        model: arguments.model.model.display().to_string(),
        model_bytes: size_of_files(&arguments.model.model)?,
        source: arguments.source.display().to_string(),
        kernel: info.backend.name().to_owned(),
        precision: precision_name(info.precision).to_owned(),
        beam: arguments.search.width(&translator),
        threads,
        lines: texts.len(),
        words,
        load_ms: milliseconds(load),
        runs: rates.len(),
        words_per_second: quantile(&rates, 0.5),
        slowest_words_per_second: quantile(&rates, 0.0),
        fastest_words_per_second: quantile(&rates, 1.0),
        words_per_processor_second: throughput
            .processor_time
            .map(|time| (words * rates.len()) as f64 / time.as_secs_f64()),
        alone_median_ms: quantile(&alone.wall, 0.5),
        alone_95th_percentile_ms: quantile(&alone.wall, 0.95),
        alone_median_processor_ms: alone.processor.as_deref().map(|times| quantile(times, 0.5)),
        memory_before_mib: memory_before.map(|bytes| bytes as f64 / MIB),
        memory_peak_mib: memory_peak.map(|bytes| bytes as f64 / MIB),
        parts,
    };
    let mut output = streams::output();
    if !arguments.json {
        figures.print(&mut output)?;
    }
    writeln!(output, "{}", serde_json::to_string(&figures)?)?;
    Ok(())
}

impl Arguments {
    fn sweep(&self, choices: &[Choice], lines: &[String]) -> Result<()> {
        let kernel = self.model.run.options()?.backend.name();
        let sweep = Sweep { choices, pin: self.pin, physical: self.physical, seconds: self.seconds };
        let figures = SweepFigures {
            model: self.model.model.display().to_string(),
            model_bytes: size_of_files(&self.model.model)?,
            source: self.source.display().to_string(),
            kernel: kernel.to_owned(),
            sweep: sweep.run(lines, self.json)?,
        };
        writeln!(streams::output(), "{}", serde_json::to_string(&figures)?)?;
        Ok(())
    }
}

/// Bytes of a file, or of all files in a folder.
fn size_of_files(path: &Path) -> Result<u64> {
    let read = || -> io::Result<u64> {
        if !path.is_dir() {
            return Ok(std::fs::metadata(path)?.len());
        }
        let mut sum = 0;
        for entry in std::fs::read_dir(path)? {
            let metadata = std::fs::metadata(entry?.path())?;
            sum += if metadata.is_file() { metadata.len() } else { 0 };
        }
        Ok(sum)
    };
    read().with_context(|| format!("cannot read {}", path.display()))
}

impl Figures {
    fn print(&self, output: &mut impl Write) -> io::Result<()> {
        writeln!(output, "text            {}: {} lines, {} words", self.source, self.lines, self.words)?;
        writeln!(output, "model           {}, loaded in {:.0} ms", self.model, self.load_ms)?;
        let (kernel, precision, threads, beam) = (&self.kernel, &self.precision, self.threads, self.beam);
        writeln!(output, "kernel          {kernel}, {precision}, {threads} thread(s)")?;
        writeln!(output, "search          {beam} hypothes{} of a sentence", if beam == 1 { "is" } else { "es" })?;
        writeln!(
            output,
            "throughput      {:.0} words/s (median of {} runs, {:.0} to {:.0})",
            self.words_per_second, self.runs, self.slowest_words_per_second, self.fastest_words_per_second
        )?;
        if let Some(rate) = self.words_per_processor_second {
            writeln!(output, "                {rate:.0} words for each second of processor time")?;
        }
        writeln!(
            output,
            "sentence alone  {:.2} ms median, {:.2} ms 95th percentile",
            self.alone_median_ms, self.alone_95th_percentile_ms
        )?;
        if let Some(time) = self.alone_median_processor_ms {
            writeln!(output, "                {time:.2} ms median of processor time")?;
        }
        if let (Some(before), Some(peak)) = (self.memory_before_mib, self.memory_peak_mib) {
            writeln!(output, "memory          {peak:.1} MiB peak, {before:.1} MiB before loading")?;
        }
        for part in &self.parts {
            writeln!(output, "  {:>5.1} %  {}", part.share * 100.0, part.name)?;
        }
        Ok(())
    }
}

struct Throughput {
    runs: Vec<Duration>,
    processor_time: Option<Duration>,
}

impl Throughput {
    fn measure(translator: &Translator, texts: &[&str], options: &TranslateOptions, seconds: f64) -> Self {
        let translate = |texts| translator.translate_batch(texts, options);
        // Touches the memory and wakes the threads.
        translate(&texts[..texts.len().min(100)]);
        let before = processor_time();
        let (start, mut runs) = (Instant::now(), Vec::new());
        while runs.len() < 3 || start.elapsed().as_secs_f64() < seconds {
            let start = Instant::now();
            std::hint::black_box(translate(texts));
            runs.push(start.elapsed());
        }
        let processor_time = processor_time().zip(before).map(|(after, before)| after - before);
        Self { runs, processor_time: processor_time.filter(|time| !time.is_zero()) }
    }
}

/// What share of the threads' time each part of the work takes.
fn parts(translator: &Translator, texts: &[&str], options: &TranslateOptions) -> Vec<Part> {
    let mut profile = Profile::default();
    let start = Instant::now();
    translator.translate_profiled(texts, options, &mut profile);
    let whole = start.elapsed().as_secs_f64() * rayon::current_num_threads() as f64;
    let mut parts: Vec<Part> = [
        ("encoder", profile.encode),
        ("decoder", profile.decode),
        ("output layer", profile.output),
        ("gathering of shortlisted words", profile.shortlist),
    ]
    .map(|(name, time)| Part { name: name.to_owned(), share: time.as_secs_f64() / whole })
    .into();
    let rest = 1.0 - parts.iter().map(|part| part.share).sum::<f64>();
    parts.push(Part { name: "text (sentences, pieces, joining) and waiting".to_owned(), share: rest });
    parts
}

/// Milliseconds for each of some lines, translated one by one.
struct Alone {
    wall: Vec<f64>,
    processor: Option<Vec<f64>>,
}

impl Alone {
    /// Of `count` lines spread over the text.
    fn measure(translator: &Translator, texts: &[&str], options: &TranslateOptions, count: usize) -> Self {
        let count = count.min(texts.len());
        let (mut wall, mut processor) = (Vec::with_capacity(count), Vec::with_capacity(count));
        for i in 0..count {
            let text = texts[i * texts.len() / count];
            let (start, processor_start) = (Instant::now(), processor_time());
            std::hint::black_box(translator.translate(text, options));
            wall.push(milliseconds(start.elapsed()));
            processor.push(processor_time().zip(processor_start).map(|(end, start)| milliseconds(end - start)));
        }
        Self { wall, processor: processor.into_iter().collect() }
    }
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// The value below which the given part of the values lie (nearest rank).
fn quantile(values: &[f64], part: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[((sorted.len() - 1) as f64 * part).round() as usize]
}

#[cfg(test)]
mod tests {
    use super::quantile;

    #[test]
    fn quantiles_are_of_the_values() {
        let values: Vec<f64> = (1..=101).rev().map(f64::from).collect();
        assert_eq!([0.0, 0.5, 0.95, 1.0].map(|part| quantile(&values, part)), [1.0, 51.0, 96.0, 101.0]);
        assert_eq!(quantile(&[2.0], 0.95), 2.0);
    }
}

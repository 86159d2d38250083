//! `translate`: lines in, lines out, in order; or documents.
//!
//! Three threads work at once: one reads, one has windows of lines translated (by as many threads as there are), one
//! writes. The queues between them are bounded, so memory does not grow with the input. With `--processes`, other processes of this
//! program do the middle part.

mod documents;

use crate::lines::{Ending, LineReader, count_words};
use crate::model::{
    BatchArguments, CacheArgument, LanguageArguments, RepairArguments, RunArguments, SearchArguments,
    SentenceArguments, ThreadArguments,
};
use crate::models::resolve::{Found, ResolveArguments};
use crate::output::{Format, LineWriter};
use crate::processes::{Part, PartArgument, Plan, Team, child};
use crate::progress::Progress;
use crate::queue::LineQueue;
use crate::ranges;
use crate::streams::{self, tell};
use anyhow::{Context, Result, anyhow, bail};
use clap::error::ErrorKind;
use documents::DocumentArguments;
use std::io::{self, BufRead, BufReader, BufWriter, IsTerminal, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::sync::{Arc, Mutex};
use std::thread;
use wanderwort::model::catalogue::Route;
use wanderwort::{Pivot, Sentences, Translate, TranslateOptions, Translation};

/// The arguments that say that documents are to be translated.
const DOCUMENTS: [&str; 4] = ["files", "format", "html", "document"];

/// Translate documents, or lines from standard input to standard output.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// A package, or a folder of Marian files: model (.npz or .bin), vocabulary (.spm), optionally a shortlist and
    /// decoding settings (decoder.yml) [default: the installed model for --from and --to, see `wanderwort models`]. Can be repeated: the models
    /// then form an ensemble, which chooses each word by the mean of their log-probabilities. They need the same vocabularies; the settings of
    /// the first one apply.
    #[arg(short, long, value_name = "PATH")]
    model: Vec<PathBuf>,

    /// A second model that translates the output of the first one: --model fr-en --pivot en-de translates from French to German.
    #[arg(long, value_name = "PATH", requires = "model")]
    pivot: Option<PathBuf>,

    #[command(flatten)]
    resolve: ResolveArguments,

    #[command(flatten)]
    run: RunArguments,

    #[command(flatten)]
    threads: ThreadArguments,

    /// Translate lines with this many processes, each with the model in its own memory; --threads is then the number of threads of each process
    /// [default: the processors, shared evenly]. The output is the same.
    #[arg(long, value_name = "N", value_parser = ranges::threads(), conflicts_with_all = DOCUMENTS, conflicts_with = "latency")]
    processes: Option<NonZeroUsize>,

    /// Pin each process to processors of its own, on one NUMA node if a node has enough; its memory is then there too. Only on Linux.
    #[arg(long)]
    pin: bool,

    /// Count and use only one hardware thread per core. Only on Linux.
    #[arg(long)]
    physical: bool,

    #[command(flatten)]
    part: PartArgument,

    #[command(flatten)]
    batches: BatchArguments,

    #[command(flatten)]
    sentences: SentenceArguments,

    /// Answer each line before reading the next, for programs that send a line and wait.
    #[arg(short, long, conflicts_with_all = DOCUMENTS)]
    latency: bool,

    /// Print a JSON object for each line, or one for the whole text with --document: the translation ("text"), its sentences
    /// and its tokens, each with the source it comes from (ranges of UTF-8 bytes), and the logarithm of each token's probability.
    #[arg(short, long)]
    json: bool,

    #[command(flatten)]
    search: SearchArguments,

    /// Print this many of the beam's hypotheses for each line, the best first, as Marian does: the line's number, the
    /// translation, its log-probability and its score, separated by bars. Each line is taken as one sentence.
    #[arg(long, value_name = "N", value_parser = ranges::beam(), conflicts_with_all = ["json", "files", "format", "html", "document"])]
    n_best: Option<NonZeroUsize>,

    /// Begin each line's translation with this text; the model continues from there. The prefix ends before anything that the vocabulary
    /// cannot write.
    #[arg(long, value_name = "TEXT", conflicts_with_all = DOCUMENTS, conflicts_with_all = ["processes", "slots", "pieces"])]
    prefix: Option<String>,

    /// Make the translations of --n-best differ in their first word, or in the first one after --prefix; each continues with its likeliest words.
    #[arg(long, requires = "n_best")]
    alternatives: bool,

    #[command(flatten)]
    repairs: RepairArguments,

    #[command(flatten)]
    cache: CacheArgument,

    #[command(flatten)]
    documents: DocumentArguments,
}

const EXAMPLES: &str = "\
Each line is translated on its own, however many sentences it holds; as many lines come out as went in. Tabs, columns, bars, CSV
fields, keys, labels and other structure stay, and what stands between is translated piece by piece. Bytes that are not UTF-8 are
replaced and reported at the end; UTF-16, binary files and lines of more than 16 MiB are errors. On a terminal, standard error shows
progress.

Documents keep all but their language: web pages (HTML, XHTML), books (EPUB) and texts. They are written when they are
complete; what is in the way of a file that is written is replaced, and keeps its permissions and its owner. A pipe or a device is
written into, and nothing that is read is written over. Of a folder, links, pipes and devices are left out.

Examples:
  wanderwort translate --model models/en-de.tiny.wanderwort < english.txt > german.txt
  wanderwort translate --model models/en-de.tiny.wanderwort --threads 1 --json < english.txt
  wanderwort translate --model models/en-de.tiny.wanderwort --beam 8 --n-best 8 < english.txt > candidates.txt
  wanderwort translate --model models/en-de.tiny.wanderwort --prefix 'Das alte' --beam 5 --n-best 5 --alternatives < english.txt
  wanderwort translate --model models/en-de.tiny.wanderwort --document < README.en.txt > README.de.txt
  wanderwort translate --model models/en-de.tiny.wanderwort book.epub --output buch.epub
  wanderwort translate --model models/en-de.tiny.wanderwort site/en --output site/de
  wanderwort translate --model models/en-de.tiny.wanderwort --html < page.en.html > page.de.html
  wanderwort translate --from en --to fr --install < english.txt > french.txt
  wanderwort translate --model fr-en.wanderwort --pivot en-de.wanderwort < french.txt > german.txt
  wanderwort translate --model teacher.1 --model teacher.2 --float --beam 6 < english.txt > german.txt
  wanderwort translate --model models/en-de.tiny.wanderwort --processes 24 --threads 2 --pin < english.txt > german.txt
  echo 'Where is the station?' | wanderwort translate --model models/en-de.tiny.wanderwort --latency";

/// Bytes of text that are translated as one window, once and once more for each thread: enough to fill
/// batches with sentences of similar length, and to make the wait at the end of a window comparatively short.
const WINDOW_BYTES: usize = 256 << 10;

pub fn run(arguments: &Arguments) -> Result<()> {
    let (format, options) = (arguments.format(), arguments.options());
    if let Some(part) = &arguments.part.part {
        return child::run(part, || arguments.open_for_lines(), &options, format);
    }
    let plan = arguments.plan();
    if arguments.documents.is_given() {
        return arguments.translate_documents(&pool(plan, arguments.threads)?);
    }
    if io::stdin().is_terminal() && io::stderr().is_terminal() {
        tell!("Reading lines from the terminal; Ctrl-D ends.");
    }
    if arguments.processes.is_some() {
        return translate_in_processes(&plan.parts()?);
    }
    // The processors first, so that the model's memory lies next to them.
    let pool = pool(plan, arguments.threads)?;
    let prefix = arguments.prefix.clone().unwrap_or_default();
    let job = Job { translator: arguments.open_for_lines()?, options, prefix, pool, format };
    if arguments.latency { job.answer_each_line() } else { job.translate_windows() }
}

/// The threads of this process, on the processors where they belong.
fn pool(plan: Plan, threads: ThreadArguments) -> Result<rayon::ThreadPool> {
    if !plan.pin && !plan.physical {
        return threads.pool();
    }
    let parts = plan.parts()?;
    let [part] = &parts[..] else { bail!("one process has one part, not {}", parts.len()) };
    part.settle()?;
    ThreadArguments { threads: Some(part.threads) }.pool()
}

impl Arguments {
    fn plan(&self) -> Plan {
        Plan {
            processes: self.processes.unwrap_or(NonZeroUsize::MIN),
            threads: self.threads.threads,
            pin: self.pin,
            physical: self.physical,
        }
    }

    /// What is printed for lines.
    fn format(&self) -> Format {
        match self.n_best {
            Some(_) => Format::Candidates,
            None if self.json => Format::Json,
            None => Format::Text,
        }
    }

    /// How lines are translated.
    fn options(&self) -> TranslateOptions {
        let options = TranslateOptions {
            scores: self.json,
            // A list of candidates belongs to one sentence.
            sentences: match self.format() {
                Format::Candidates => Sentences::AreLines,
                _ => self.sentences.sentences(),
            },
            n_best: self.n_best.map_or(0, NonZeroUsize::get),
            branches: self.alternatives,
            repairs: self.repairs.repairs(),
            ..self.search.options()
        };
        self.batches.apply(options)
    }

    /// Loads the model, whose beam must find as many translations as are asked for.
    fn open_for_lines(&self) -> Result<Box<dyn Translate>> {
        let translator = self.open()?;
        let beam = self.search.beam.map_or(translator.beam(), NonZeroUsize::get);
        if let Some(n_best) = self.n_best.filter(|n_best| n_best.get() > beam) {
            bail!("--n-best {n_best} needs at least --beam {n_best}: a beam of {beam} finds {beam} translations");
        }
        Ok(translator)
    }

    /// Loads the given model, or the installed one for the languages; or two, the second of which translates the output of the first.
    fn open(&self) -> Result<Box<dyn Translate>> {
        let LanguageArguments { from, to, target_token } = &self.run.languages;
        let others = self.model.get(1..).unwrap_or_default();
        let route = match (self.model.first(), &self.pivot) {
            (Some(first), None) => Route::Direct(Found::given(first)),
            (Some(first), Some(second)) => Route::Through(Found::given(first), Found::given(second)),
            _ => {
                let (Some(from), Some(to)) = (from, to) else {
                    let advice = "which model? Give --model PATH, or --from TAG and --to TAG for an installed one\n";
                    clap::Error::raw(ErrorKind::MissingRequiredArgument, advice).exit()
                };
                self.resolve.find(from, to)?
            }
        };
        let open = |found: &Found, others: &[PathBuf], from: &Option<String>, to: &Option<String>, target_token| {
            let languages = LanguageArguments { from: from.clone(), to: to.clone(), target_token };
            let run = RunArguments { languages, cache: self.cache.cache, ..self.run.clone() };
            // What is installed was chosen by its languages.
            if self.model.is_empty() { run.open(&found.path) } else { run.open_given(&found.path, others) }
        };
        Ok(match route {
            Route::Direct(model) => Box::new(open(&model, others, from, to, *target_token)?),
            Route::Through(first, second) => {
                let first = open(&first, others, from, &first.target, None)?;
                let second = open(&second, &[], &second.source, to, *target_token)?;
                Box::new(Pivot::new(first, second)?)
            }
        })
    }

    fn translate_documents(&self, pool: &rayon::ThreadPool) -> Result<()> {
        let models: Vec<&Path> = self.model.iter().chain(&self.pivot).map(PathBuf::as_path).collect();
        let plan = self.documents.plan(&models, self.json)?;
        let translator = self.open()?;
        let options = TranslateOptions { scores: self.json, repairs: self.repairs.repairs(), ..self.search.options() };
        self.documents.run(plan, &*translator, pool, &self.run.languages, &self.batches.apply(options))
    }
}

/// Bytes of a window for this many threads.
pub fn window_bytes(threads: usize) -> usize {
    WINDOW_BYTES * (1 + threads)
}

/// Has lines translated by other processes.
fn translate_in_processes(parts: &[Part]) -> Result<()> {
    let window_bytes = parts.iter().map(|part| window_bytes(part.threads.get())).max().unwrap_or(0);
    let team = Team::start(parts)?;
    let lines = Arc::new(LineQueue::new(window_bytes * parts.len()));
    let reading = spawn_reader(lines.clone());
    let mut output = streams::output();
    let mut progress = Progress::new(input_size());
    let written = team.translate(&lines, window_bytes, |answer| {
        output.write_all(&answer.printed)?;
        output.flush()?;
        progress.add(answer.source_bytes as u64, answer.words as u64);
        Ok(())
    });
    progress.finish();
    written?;
    // Only after everything that was read has been written, so that a read error loses nothing.
    reading.lock().expect("the reader does not panic").take().unwrap_or(Ok(()))
}

struct Job {
    translator: Box<dyn Translate>,
    options: TranslateOptions,
    /// How each translation begins.
    prefix: String,
    pool: rayon::ThreadPool,
    format: Format,
}

impl Job {
    fn translate(&self, texts: &[&str]) -> Vec<Translation> {
        self.pool.install(|| match &*self.prefix {
            "" => self.translator.translate_batch(texts, &self.options),
            prefix => self.translator.translate_batch_from(texts, prefix, &self.options),
        })
    }

    fn answer_each_line(&self) -> Result<()> {
        let mut reader = LineReader::new(io::stdin().lock());
        let mut output = LineWriter::new(streams::output(), self.format, 0);
        while let Some(line) = reader.next_line().context("cannot read standard input")? {
            for translation in self.translate(&[&line.text]) {
                output.write(&translation, line.ending)?;
            }
            output.flush()?;
        }
        report_replaced(&reader);
        Ok(())
    }

    fn translate_windows(&self) -> Result<()> {
        let window_bytes = window_bytes(self.pool.current_num_threads());
        let lines = Arc::new(LineQueue::new(window_bytes));
        let reading = spawn_reader(lines.clone());
        let (sender, receiver) = mpsc::sync_channel::<Vec<(Translation, Ending)>>(1);
        let format = self.format;
        let writer = thread::spawn(move || write_windows(receiver, format));

        let mut progress = Progress::new(input_size());
        while let Some(window) = lines.take(window_bytes) {
            let texts: Vec<&str> = window.iter().map(|line| line.text.as_str()).collect();
            let translations = self.translate(&texts);
            let bytes = window.iter().map(|line| line.text.len() + line.ending.as_str().len()).sum::<usize>();
            let words = texts.iter().map(|text| count_words(text)).sum::<usize>();
            let endings = window.iter().map(|line| line.ending);
            if sender.send(translations.into_iter().zip(endings).collect()).is_err() {
                break; // The writer has stopped, and says why below.
            }
            progress.add(bytes as u64, words as u64);
        }
        drop(sender);
        let written = writer.join().map_err(|_| anyhow!("the writing thread panicked"))?;
        progress.finish();
        written?;
        // Only after everything that was read has been written, so that a read error loses nothing.
        reading.lock().expect("the reader does not panic").take().unwrap_or(Ok(()))
    }
}

/// Reads standard input into `lines`. The result is there once `lines` is at its end. Nobody waits for the thread, since it
/// may hang in a read when the output is closed.
fn spawn_reader(lines: Arc<LineQueue>) -> Arc<Mutex<Option<Result<()>>>> {
    let result = Arc::new(Mutex::new(None));
    let slot = result.clone();
    thread::spawn(move || {
        let mut reader = LineReader::new(BufReader::with_capacity(1 << 16, io::stdin()));
        let end = loop {
            match reader.next_line() {
                Ok(Some(line)) => lines.push(line),
                Ok(None) => break Ok(()),
                Err(error) => break Err(anyhow!(error).context("cannot read standard input")),
            }
        };
        report_replaced(&reader);
        *slot.lock().expect("nobody panics with it") = Some(end);
        lines.close();
    });
    result
}

fn write_windows(windows: mpsc::Receiver<Vec<(Translation, Ending)>>, format: Format) -> io::Result<()> {
    let output = BufWriter::with_capacity(1 << 16, streams::output());
    let mut output = LineWriter::new(output, format, 0);
    for window in windows {
        for (translation, ending) in window {
            output.write(&translation, ending)?;
        }
        output.flush()?;
    }
    Ok(())
}

fn report_replaced<R: BufRead>(reader: &LineReader<R>) {
    if let Some(warning) = reader.replaced().warning() {
        tell!("wanderwort: standard input: {warning}");
    }
}

/// How many bytes there are to read, if standard input is a file.
fn input_size() -> Option<u64> {
    #[cfg(unix)]
    {
        use std::os::fd::AsFd;
        let file = std::fs::File::from(io::stdin().as_fd().try_clone_to_owned().ok()?);
        let metadata = file.metadata().ok()?;
        metadata.is_file().then_some(metadata.len())
    }
    #[cfg(not(unix))]
    None
}

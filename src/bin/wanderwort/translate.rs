//! `translate`: lines in, lines out, in order; or documents.
//!
//! Three threads work at once: one reads, one has windows of lines translated (by as many threads as there are), one
//! writes. What lies between them is bounded, so memory does not grow with the input.

mod documents;
mod queue;

use crate::lines::{Ending, LineReader, count_words};
use crate::model::{
    LanguageArguments, RepairArguments, RunArguments, SearchArguments, SentenceArguments, ThreadArguments,
};
use crate::models::resolve::{Found, ResolveArguments};
use crate::progress::Progress;
use anyhow::{Context, Result, anyhow, bail};
use clap::error::ErrorKind;
use documents::DocumentArguments;
use queue::LineQueue;
use serde::Serialize;
use std::io::{self, BufRead, BufReader, BufWriter, IsTerminal, Write};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::mpsc;
use std::sync::{Arc, Mutex};
use std::thread;
use wanderwort::model::catalogue::Route;
use wanderwort::{Pivot, Sentences, Translate, TranslateOptions, Translation};

/// What says that documents are to be translated.
const DOCUMENTS: [&str; 4] = ["files", "format", "html", "document"];

/// Translate documents, or lines from standard input to standard output.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// A package, or a folder of Marian files: model (.npz or .bin), vocabulary (.spm), optionally a shortlist and
    /// decoding settings (decoder.yml) [default: the installed model of --from and --to, see `wanderwort models`]. Given several times, the
    /// models are an ensemble: each word is chosen by the mean of their log-probabilities. They need the same vocabularies; the first one's
    /// settings count.
    #[arg(short, long, value_name = "PATH")]
    model: Vec<PathBuf>,

    /// A second model, which translates what the first one writes: --model fr-en --pivot en-de translates from French to German.
    #[arg(long, value_name = "PATH", requires = "model")]
    pivot: Option<PathBuf>,

    #[command(flatten)]
    resolve: ResolveArguments,

    #[command(flatten)]
    run: RunArguments,

    #[command(flatten)]
    threads: ThreadArguments,

    #[command(flatten)]
    sentences: SentenceArguments,

    /// Answer each line before reading the next, for programs that ask and wait.
    #[arg(short, long, conflicts_with_all = DOCUMENTS)]
    latency: bool,

    /// Print a JSON object a line, and one for all of a text with --document: the translation ("text"), its sentences and
    /// its tokens with the source each comes from (ranges of UTF-8 bytes) and the logarithm of its probability.
    #[arg(short, long)]
    json: bool,

    #[command(flatten)]
    search: SearchArguments,

    /// Print this many of the beam's hypotheses for each line, the best first, as Marian does: the line's number, the
    /// translation, its log-probability and its score, between bars. Each line is taken for one sentence.
    #[arg(long, value_name = "N", conflicts_with_all = ["json", "files", "format", "html", "document"])]
    n_best: Option<NonZeroUsize>,

    #[command(flatten)]
    repairs: RepairArguments,

    #[command(flatten)]
    documents: DocumentArguments,
}

const EXAMPLES: &str = "\
Each line is translated on its own, however many sentences it holds; as many lines come out as went in. Tabs, columns, bars, CSV
fields, keys, labels and other structure stay, and what stands between is translated piece by piece. Bytes that are not UTF-8 are
replaced and reported at the end. On a terminal, standard error shows progress.

Documents keep all but their language: web pages (HTML, XHTML), books (EPUB) and texts. They are written when they are
complete; what is in the way of a file that is written is replaced.

Examples:
  wanderwort translate --model models/en-de.tiny.wanderwort < english.txt > german.txt
  wanderwort translate --model models/en-de.tiny.wanderwort --threads 1 --json < english.txt
  wanderwort translate --model models/en-de.tiny.wanderwort --beam 8 --n-best 8 < english.txt > candidates.txt
  wanderwort translate --model models/en-de.tiny.wanderwort --document < README.en.txt > README.de.txt
  wanderwort translate --model models/en-de.tiny.wanderwort book.epub --output buch.epub
  wanderwort translate --model models/en-de.tiny.wanderwort site/en --output site/de
  wanderwort translate --model models/en-de.tiny.wanderwort --html < page.en.html > page.de.html
  wanderwort translate --from en --to fr --install < english.txt > french.txt
  wanderwort translate --model fr-en.wanderwort --pivot en-de.wanderwort < french.txt > german.txt
  wanderwort translate --model teacher.1 --model teacher.2 --float --beam 6 < english.txt > german.txt
  echo 'Where is the station?' | wanderwort translate --model models/en-de.tiny.wanderwort --latency";

/// Text that is translated as one window, in bytes, for the first thread and for each further one: enough to fill
/// batches with sentences of like length, and for the wait at the end of a window to be small beside it.
const WINDOW_BYTES: usize = 256 << 10;

pub fn run(arguments: &Arguments) -> Result<()> {
    if arguments.documents.is_given() {
        return arguments.translate_documents();
    }
    if io::stdin().is_terminal() && io::stderr().is_terminal() {
        eprintln!("Reading lines from the terminal; Ctrl-D ends.");
    }
    let translator = arguments.open()?;
    let beam = arguments.search.beam.map_or(translator.beam(), NonZeroUsize::get);
    if let Some(n_best) = arguments.n_best.filter(|n_best| n_best.get() > beam) {
        bail!("--n-best {n_best} needs at least --beam {n_best}: a beam of {beam} finds {beam} translations");
    }
    let format = match arguments.n_best {
        Some(_) => Format::Candidates,
        None if arguments.json => Format::Json,
        None => Format::Text,
    };
    let options = TranslateOptions {
        scores: arguments.json,
        // A list of candidates is one of a sentence's.
        sentences: match format {
            Format::Candidates => Sentences::AreLines,
            _ => arguments.sentences.sentences(),
        },
        n_best: arguments.n_best.map_or(0, NonZeroUsize::get),
        repairs: arguments.repairs.repairs(),
        ..arguments.search.options()
    };
    let job = Job { translator, options, pool: arguments.threads.pool()?, format };
    if arguments.latency { job.answer_each_line() } else { job.translate_windows() }
}

impl Arguments {
    /// Loads the model that is given, or the installed one of the languages; or two, of which the second goes on where the first ends.
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
            RunArguments { languages, ..self.run.clone() }.open_ensemble(&found.path, others)
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

    fn translate_documents(&self) -> Result<()> {
        let translator = self.open()?;
        let options = TranslateOptions { scores: self.json, repairs: self.repairs.repairs(), ..self.search.options() };
        self.documents.run(&*translator, &self.threads.pool()?, &self.run.languages, &options)
    }
}

struct Job {
    translator: Box<dyn Translate>,
    options: TranslateOptions,
    pool: rayon::ThreadPool,
    format: Format,
}

/// What is printed for a line.
#[derive(Clone, Copy, PartialEq)]
enum Format {
    Text,
    Json,
    /// Marian's n-best lists.
    Candidates,
}

impl Job {
    fn answer_each_line(&self) -> Result<()> {
        let mut reader = LineReader::new(io::stdin().lock());
        let mut output = LineWriter { output: io::stdout().lock(), format: self.format, number: 0 };
        while let Some(line) = reader.next_line().context("cannot read standard input")? {
            let translation = self.pool.install(|| self.translator.translate(&line.text, &self.options));
            output.write(&translation, line.ending)?;
            output.output.flush()?;
        }
        report_replaced(&reader);
        Ok(())
    }

    fn translate_windows(&self) -> Result<()> {
        let window_bytes = WINDOW_BYTES * (1 + self.pool.current_num_threads());
        let lines = Arc::new(LineQueue::new(window_bytes));
        let reading = spawn_reader(lines.clone());
        let (sender, receiver) = mpsc::sync_channel::<Vec<(Translation, Ending)>>(1);
        let format = self.format;
        let writer = thread::spawn(move || write_windows(receiver, format));

        let mut progress = Progress::new(input_size());
        while let Some(window) = lines.take(window_bytes) {
            let texts: Vec<&str> = window.iter().map(|line| line.text.as_str()).collect();
            let translations = self.pool.install(|| self.translator.translate_batch(&texts, &self.options));
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
        // Only after all that was read is also written: an error of reading loses nothing.
        reading.lock().expect("the reader does not panic").take().unwrap_or(Ok(()))
    }
}

/// Reads standard input into `lines`. The result is there once `lines` is at its end. The thread is not waited for: it
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
    let output = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    let mut output = LineWriter { output, format, number: 0 };
    for window in windows {
        for (translation, ending) in window {
            output.write(&translation, ending)?;
        }
        output.output.flush()?;
    }
    Ok(())
}

/// A translation as a JSON object; ranges are of UTF-8 bytes.
#[derive(Serialize)]
struct TranslationObject<'a> {
    text: &'a str,
    sentences: Vec<SentenceObject>,
    tokens: Vec<TokenObject>,
}

#[derive(Serialize)]
struct SentenceObject {
    source: [usize; 2],
    target: [usize; 2],
}

#[derive(Serialize)]
struct TokenObject {
    target: [usize; 2],
    source: [usize; 2],
    #[serde(skip_serializing_if = "Option::is_none")]
    log_probability: Option<f32>,
}

impl<'a> TranslationObject<'a> {
    fn new(translation: &'a Translation) -> Self {
        Self {
            text: &translation.text,
            sentences: translation
                .sentences
                .iter()
                .map(|pair| SentenceObject {
                    source: [pair.source.start, pair.source.end],
                    target: [pair.target.start, pair.target.end],
                })
                .collect(),
            tokens: translation
                .tokens
                .iter()
                .map(|token| TokenObject {
                    target: [token.link.target.start, token.link.target.end],
                    source: [token.link.source.start, token.link.source.end],
                    log_probability: token.log_probability,
                })
                .collect(),
        }
    }
}

struct LineWriter<W> {
    output: W,
    format: Format,
    /// Lines so far.
    number: usize,
}

impl<W: Write> LineWriter<W> {
    fn write(&mut self, translation: &Translation, ending: Ending) -> io::Result<()> {
        // One line in, one line out, whatever the model says.
        let on_one_line = |text: &str| text.replace('\n', " ");
        let output = &mut self.output;
        match self.format {
            Format::Json => serde_json::to_writer(&mut *output, &TranslationObject::new(translation))?,
            Format::Text if !translation.text.contains('\n') => output.write_all(translation.text.as_bytes())?,
            Format::Text => output.write_all(on_one_line(&translation.text).as_bytes())?,
            Format::Candidates => {
                let number = self.number;
                match &translation.candidates[..] {
                    [candidates] if !candidates.is_empty() => {
                        for candidate in candidates {
                            let text = on_one_line(&candidate.text);
                            let (log_probability, score) = (candidate.log_probability, candidate.score);
                            writeln!(output, "{number} ||| {text} ||| F0= {log_probability} ||| {score}")?;
                        }
                    }
                    // Nothing to translate, or more than the model takes at once: one translation without a score.
                    _ => writeln!(output, "{number} ||| {} ||| F0= 0 ||| 0", on_one_line(&translation.text))?,
                }
                self.number += 1;
                return Ok(());
            }
        }
        output.write_all(ending.as_str().as_bytes())
    }
}

fn report_replaced<R: BufRead>(reader: &LineReader<R>) {
    if let Some(warning) = reader.replaced().warning() {
        eprintln!("wanderwort: standard input: {warning}");
    }
}

/// How many bytes there are to read, where standard input is a file.
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

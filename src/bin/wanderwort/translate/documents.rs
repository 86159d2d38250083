//! `translate FILE…`: documents in, documents out.

use crate::files::replace_file;
use crate::lines::count_words;
use crate::progress::Progress;
use anyhow::{Context, Result, bail, ensure};
use std::collections::BTreeSet;
use std::fs;
use std::io::{self, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use wanderwort::Translator;
use wanderwort::text::documents::{DocumentError, FORMATS, Format, Languages, ReadOptions};

/// Which documents to translate, and where to.
#[derive(clap::Args)]
pub struct DocumentArguments {
    /// Documents, and folders of them: web pages, books, texts. Without any, standard input is translated.
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,

    /// File to write, or folder if there are several. Without it, one document is written to standard output.
    #[arg(short, long, value_name = "PATH")]
    output: Option<PathBuf>,

    /// What the documents are [default: what they look like inside, else by their names].
    #[arg(long, value_name = "FORMAT", value_parser = format)]
    format: Option<&'static Format>,

    /// The input is one HTML document or fragment: the same as --format html.
    #[arg(long, conflicts_with = "format")]
    html: bool,

    /// Encoding of documents that do not say it in their first bytes, as web pages name it [default: what they say further on,
    /// else UTF-8 or Windows-1252]. What is written is UTF-8.
    #[arg(long, value_name = "NAME")]
    encoding: Option<String>,

    /// For documents: language of the text, as in the `lang` attribute; what is marked as another is left alone.
    #[arg(long, value_name = "TAG", default_value = "en")]
    from: String,

    /// For documents: language that they say they are in afterwards.
    #[arg(long, value_name = "TAG", default_value = "de")]
    to: String,
}

fn format(name: &str) -> Result<&'static Format, DocumentError> {
    Format::named(name)
}

/// A file to translate.
struct Work {
    from: PathBuf,
    /// None: standard output.
    to: Option<PathBuf>,
    bytes: u64,
}

impl DocumentArguments {
    /// Whether there are documents to translate, not lines.
    pub fn is_given(&self) -> bool {
        !self.files.is_empty() || self.format().is_some()
    }

    fn format(&self) -> Option<&'static Format> {
        let html = || if self.html { Format::named("html").ok() } else { None };
        self.format.or_else(html)
    }

    /// Translates the documents.
    pub fn run(&self, translator: &Translator, pool: &rayon::ThreadPool) -> Result<()> {
        if self.files.is_empty() {
            let mut bytes = Vec::new();
            io::stdin().lock().read_to_end(&mut bytes).context("cannot read standard input")?;
            let mut progress = Progress::new(None);
            let name = Path::new("standard input");
            let translated = pool.install(|| self.translate(name, bytes, 0, translator, &mut progress))?;
            progress.finish();
            return write(self.output.as_deref(), &translated);
        }
        let (works, left_out) = self.works()?;
        let mut progress = Progress::new(Some(works.iter().map(|work| work.bytes).sum()));
        let mut failed = 0;
        for Work { from, to, bytes: length } in &works {
            let result = fs::read(from)
                .with_context(|| format!("cannot read {}", from.display()))
                .and_then(|bytes| pool.install(|| self.translate(from, bytes, *length, translator, &mut progress)))
                .and_then(|translated| write(to.as_deref(), &translated));
            match result {
                Ok(()) => {}
                Err(error) if works.len() == 1 => return Err(error),
                Err(error) => {
                    progress.suspend(|| eprintln!("wanderwort: {error:#}"));
                    failed += 1;
                }
            }
        }
        progress.finish();
        if left_out > 0 {
            eprintln!("wanderwort: {left_out} of the files in the folders left out: of no known format");
        }
        ensure!(failed == 0, "{failed} of {} documents could not be translated", works.len());
        Ok(())
    }

    fn translate(
        &self,
        path: &Path,
        bytes: Vec<u8>,
        length: u64,
        translator: &Translator,
        progress: &mut Progress,
    ) -> Result<Vec<u8>> {
        let known = || FORMATS.map(|format| format.name).join(", ");
        let format = self
            .format()
            .or_else(|| Format::of(path, &bytes))
            .with_context(|| format!("cannot tell what {} is; --format says it: one of {}", path.display(), known()))?;
        let options = ReadOptions {
            languages: Languages { source: &self.from, target: &self.to },
            encoding: self.encoding.as_deref(),
        };
        let document = (format.read)(bytes, &options)
            .with_context(|| format!("cannot read {} as {}", path.display(), format.name))?;
        if document.is_replaced() {
            let warning = "bytes that are not text in its encoding were replaced by U+FFFD; --encoding names another";
            progress.suspend(|| eprintln!("wanderwort: {}: {warning}", path.display()));
        }
        let mut texts: BTreeSet<&str> = BTreeSet::new();
        texts.extend(document.passages().into_iter().map(|passage| passage.text.as_str()));
        let all: u64 = texts.iter().map(|text| text.len() as u64).sum();
        let (mut seen, mut told) = (0, 0);
        let translated = translator.translate_document(&*document, |texts| {
            seen += texts.iter().map(|text| text.len() as u64).sum::<u64>();
            let share = (u128::from(length) * u128::from(seen) / u128::from(all.max(1))) as u64;
            progress.add(share - told, texts.iter().map(|text| count_words(text) as u64).sum());
            told = share;
        });
        progress.add(length - told, 0);
        translated.with_context(|| format!("cannot translate {}", path.display()))
    }

    /// The files to translate, and how many others there are in the folders.
    fn works(&self) -> Result<(Vec<Work>, usize)> {
        let mut works = Vec::new();
        let mut left_out = 0;
        let is_one = self.files.len() == 1 && !self.files[0].is_dir();
        let folder = self.output.as_deref().filter(|output| !is_one || output.is_dir());
        if !is_one && folder.is_none() {
            bail!("several documents need --output, the folder to write them to");
        }
        for path in &self.files {
            let found = if path.is_dir() {
                let (found, others) = walk(path)?;
                left_out += others;
                found
            } else {
                vec![path.clone()]
            };
            for from in found {
                let name = match from.strip_prefix(path) {
                    Ok(within) if !within.as_os_str().is_empty() => within.to_owned(),
                    _ => PathBuf::from(from.file_name().with_context(|| format!("{} is no file", from.display()))?),
                };
                let to = folder.map(|folder| folder.join(name)).or_else(|| self.output.clone());
                let bytes = fs::metadata(&from).with_context(|| format!("cannot read {}", from.display()))?.len();
                if let Some(to) = &to {
                    let is_same =
                        fs::canonicalize(to).is_ok_and(|to| fs::canonicalize(&from).is_ok_and(|from| from == to));
                    ensure!(!is_same, "{} would be written over", from.display());
                }
                works.push(Work { from, to, bytes });
            }
        }
        let mut targets = BTreeSet::new();
        let twice = works.iter().filter_map(|work| work.to.as_ref()).find(|to| !targets.insert(*to));
        if let Some(to) = twice {
            bail!("two documents would be written to {}", to.display());
        }
        Ok((works, left_out))
    }
}

/// The documents in a folder and its folders, in order, and how many other files there are.
fn walk(folder: &Path) -> Result<(Vec<PathBuf>, usize)> {
    let (mut found, mut others) = (Vec::new(), 0);
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let context = || format!("cannot read the folder {}", folder.display());
        for entry in fs::read_dir(&folder).with_context(context)? {
            let entry = entry.with_context(context)?;
            let kind = entry.file_type().with_context(context)?;
            match () {
                // Links may lead anywhere, and round in circles.
                () if kind.is_symlink() => others += 1,
                () if kind.is_dir() => folders.push(entry.path()),
                () if Format::of_name(&entry.path()).is_some() => found.push(entry.path()),
                () => others += 1,
            }
        }
    }
    found.sort();
    Ok((found, others))
}

fn write(path: Option<&Path>, bytes: &[u8]) -> Result<()> {
    if let Some(path) = path {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        if let Some(folder) = folder {
            fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
        }
        return replace_file(path, bytes);
    }
    let mut output = io::stdout().lock();
    ensure!(
        !output.is_terminal() || std::str::from_utf8(bytes).is_ok(),
        "a book is not for the terminal: --output says where to"
    );
    output.write_all(bytes)?;
    output.flush()?;
    Ok(())
}

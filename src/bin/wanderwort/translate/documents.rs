//! `translate FILE…`: documents in, documents out.

use crate::files::replace_file;
use crate::lines::count_words;
use crate::model::LanguageArguments;
use crate::output::TranslationObject;
use crate::progress::Progress;
use anyhow::{Context, Result, bail, ensure};
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use wanderwort::text::documents::charset::{self, Decoded};
use wanderwort::text::documents::{self, DocumentError, FORMATS, Format, Languages, MAX_FILE, ReadOptions};
use wanderwort::text::structure::Wrapped;
use wanderwort::{Translate, TranslateOptions};

/// Which documents to translate, and where to.
#[derive(clap::Args)]
#[command(group(clap::ArgGroup::new("input").multiple(true)))]
pub struct DocumentArguments {
    /// Documents, or folders of them: web pages, books, texts. Without any, standard input is translated.
    #[arg(value_name = "FILE", group = "input")]
    files: Vec<PathBuf>,

    /// The file to write, or the folder if there are several documents. Without it, a single document is written to standard output.
    #[arg(short, long, value_name = "PATH", requires = "input")]
    output: Option<PathBuf>,

    /// Format of the documents [default: detected from their content, else from their names].
    #[arg(long, value_name = "FORMAT", value_parser = format, group = "input")]
    format: Option<&'static Format>,

    /// The input is one HTML document or fragment: the same as --format html.
    #[arg(long, conflicts_with = "format", group = "input")]
    html: bool,

    /// The input is one text, not separate lines: tables, CSV, YAML and lists are recognized by their neighbouring lines, and hard-wrapped
    /// paragraphs are translated whole and wrapped again. The same as --format text.
    #[arg(short, long, conflicts_with_all = ["format", "html"], group = "input")]
    document: bool,

    /// In texts, which line breaks within paragraphs are read as spaces: those of text that is clearly hard-wrapped, all up to
    /// a blank line, list item or table, or none.
    #[arg(long, value_name = "WHEN", default_value = "auto", requires = "input")]
    wrapped: WrappedArgument,

    /// Encoding of documents whose first bytes do not state it, by the name that web pages use [default: what they state further on,
    /// else UTF-8 or Windows-1252]. The output is UTF-8.
    #[arg(long, value_name = "NAME", requires = "input")]
    encoding: Option<String>,
}

/// [`Wrapped`] on the command line.
#[derive(clap::ValueEnum, Clone, Copy, Debug)]
enum WrappedArgument {
    Auto,
    Always,
    Never,
}

impl From<WrappedArgument> for Wrapped {
    fn from(argument: WrappedArgument) -> Wrapped {
        match argument {
            WrappedArgument::Auto => Wrapped::Auto,
            WrappedArgument::Always => Wrapped::Always,
            WrappedArgument::Never => Wrapped::Never,
        }
    }
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
    /// Whether to translate documents, not lines.
    pub fn is_given(&self) -> bool {
        !self.files.is_empty() || self.format().is_some()
    }

    fn format(&self) -> Option<&'static Format> {
        let named = match (self.html, self.document) {
            (true, _) => "html",
            (_, true) => "text",
            _ => return self.format,
        };
        Format::named(named).ok()
    }

    /// Translates the documents.
    pub fn run(
        &self,
        translator: &dyn Translate,
        pool: &rayon::ThreadPool,
        languages: &LanguageArguments,
        options: &TranslateOptions,
    ) -> Result<()> {
        let known = translator.languages();
        let tags = [
            languages.from.as_deref().or(known.map(|known| known.source)),
            languages.to.as_deref().or(known.map(|known| known.target)),
        ];
        let run = Run { arguments: self, translator, pool, tags, options };
        ensure!(!options.scores || self.is_one(), "--json is for one text, not for several documents");
        if self.files.is_empty() {
            let bytes = read(&mut io::stdin().lock(), "standard input")?;
            let mut progress = Progress::new(None);
            let translated = run.translate(Path::new("standard input"), bytes, 0, &mut progress)?;
            progress.finish();
            return write(self.output.as_deref(), &translated);
        }
        let (works, left_out) = self.works()?;
        let mut progress = Progress::new(Some(works.iter().map(|work| work.bytes).sum()));
        let mut failed = 0;
        for (index, Work { from, to, bytes: length }) in works.iter().enumerate() {
            if works.len() > 1 {
                let name = from.file_name().unwrap_or_default().to_string_lossy().into_owned();
                progress.name(format!("{}/{} {name}", index + 1, works.len()));
            }
            let mut translate = || {
                let mut file = File::open(from).with_context(|| format!("cannot read {}", from.display()))?;
                let bytes = read(&mut file, &from.display().to_string())?;
                let translated = run.translate(from, bytes, *length, &mut progress)?;
                write(to.as_deref(), &translated)
            };
            match translate() {
                Ok(()) => {}
                Err(error) if works.len() == 1 => return Err(error),
                Err(error) => {
                    progress.suspend(|| eprintln!("wanderwort: {error:#}"));
                    failed += 1;
                }
            }
        }
        progress.finish();
        for (count, why) in [(left_out.unknown, "of no known format"), (left_out.links, "links")] {
            if count > 0 {
                eprintln!("wanderwort: {count} of the files in the folders left out: {why}");
            }
        }
        ensure!(failed == 0, "{failed} of {} documents could not be translated", works.len());
        Ok(())
    }

    /// Whether there is a single document, not a folder of them.
    fn is_one(&self) -> bool {
        match &self.files[..] {
            [] => true,
            [file] => !file.is_dir(),
            _ => false,
        }
    }

    /// The files to translate, and how many others there are in the folders.
    fn works(&self) -> Result<(Vec<Work>, LeftOut)> {
        let mut works = Vec::new();
        let mut left_out = LeftOut::default();
        let folder = self.output.as_deref().filter(|output| !self.is_one() || output.is_dir());
        if !self.is_one() && folder.is_none() {
            bail!("several documents need --output, the folder to write them to");
        }
        for path in &self.files {
            let found = if path.is_dir() { walk(path, folder, &mut left_out)? } else { vec![path.clone()] };
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

/// What all documents of a call have in common.
struct Run<'a> {
    arguments: &'a DocumentArguments,
    translator: &'a dyn Translate,
    pool: &'a rayon::ThreadPool,
    /// The languages, as far as they are known.
    tags: [Option<&'a str>; 2],
    options: &'a TranslateOptions,
}

impl Run<'_> {
    /// Translates a file, which counts as `length` bytes of progress.
    fn translate(&self, path: &Path, bytes: Vec<u8>, length: u64, progress: &mut Progress) -> Result<Vec<u8>> {
        let known = || FORMATS.map(|format| format.name).join(", ");
        let format =
            self.arguments.format().or_else(|| Format::of(path, &bytes)).with_context(|| {
                format!("cannot tell what {} is; --format says it: one of {}", path.display(), known())
            })?;
        if self.options.scores {
            return self.translate_to_json(path, &bytes, format);
        }
        let languages = match self.tags {
            [Some(source), Some(target)] => Languages { source, target },
            _ if format.names_languages => bail!(
                "the model does not tell its languages, and {} files name them; give --from TAG and --to TAG",
                format.name
            ),
            _ => Languages { source: "und", target: "und" },
        };
        let options = ReadOptions {
            languages,
            encoding: self.arguments.encoding.as_deref(),
            wrapped: self.arguments.wrapped.into(),
        };
        let document = format
            .read(bytes, &options)
            .with_context(|| format!("cannot read {} as {}", path.display(), format.name))?;
        if document.is_replaced() {
            progress.suspend(|| warn_of_replaced(path));
        }
        let all: u64 = documents::texts(&*document).iter().map(|text| text.len() as u64).sum();
        let (mut seen, mut told) = (0, 0);
        let translate = || {
            self.translator.translate_document(&*document, self.options, &mut |texts| {
                seen += texts.iter().map(|text| text.len() as u64).sum::<u64>();
                let share = (u128::from(length) * u128::from(seen) / u128::from(all.max(1))) as u64;
                progress.add(share - told, texts.iter().map(|text| count_words(text) as u64).sum());
                told = share;
            })
        };
        let translated =
            self.pool.install(translate).with_context(|| format!("cannot translate {}", path.display()))?;
        progress.add(length - told, 0);
        Ok(translated)
    }

    /// The translation of a text with its alignment.
    fn translate_to_json(&self, path: &Path, bytes: &[u8], format: &Format) -> Result<Vec<u8>> {
        ensure!(
            format.name == "text",
            "--json says where in a text each word comes from, and {} is {}, whose texts stand apart between what is no text; \
             it is for lines, and with --document for texts",
            path.display(),
            format.name
        );
        let encoding = self.arguments.encoding.as_deref().map(charset::encoding).transpose()?;
        let Decoded { text, is_replaced } = charset::decode_text(bytes, encoding);
        if is_replaced {
            warn_of_replaced(path);
        }
        let options = TranslateOptions { wrapped: self.arguments.wrapped.into(), ..*self.options };
        let translation = self.pool.install(|| self.translator.translate(&text, &options));
        let mut json = serde_json::to_vec(&TranslationObject::new(&translation))?;
        json.push(b'\n');
        Ok(json)
    }
}

fn warn_of_replaced(path: &Path) {
    let warning = "bytes that are not text in its encoding were replaced by U+FFFD; --encoding names another";
    eprintln!("wanderwort: {}: {warning}", path.display());
}

/// A whole file, if it is not larger than documents may be.
fn read(file: &mut dyn Read, name: &str) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(MAX_FILE + 1).read_to_end(&mut bytes).with_context(|| format!("cannot read {name}"))?;
    Ok(bytes)
}

/// How many files in folders are not translated, by reason.
#[derive(Default)]
struct LeftOut {
    unknown: usize,
    links: usize,
}

/// The documents in a folder and its subfolders, in order, except those written earlier: `output` may be one of the subfolders.
fn walk(folder: &Path, output: Option<&Path>, left_out: &mut LeftOut) -> Result<Vec<PathBuf>> {
    let output = output.and_then(|output| fs::canonicalize(output).ok());
    let is_output = |folder: &Path| output.is_some() && fs::canonicalize(folder).ok() == output;
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let context = || format!("cannot read the folder {}", folder.display());
        for entry in fs::read_dir(&folder).with_context(context)? {
            let entry = entry.with_context(context)?;
            let kind = entry.file_type().with_context(context)?;
            match () {
                // Links may lead anywhere, and round in circles.
                () if kind.is_symlink() => left_out.links += 1,
                () if kind.is_dir() && is_output(&entry.path()) => {}
                () if kind.is_dir() => folders.push(entry.path()),
                () if Format::of_name(&entry.path()).is_some() => found.push(entry.path()),
                () => left_out.unknown += 1,
            }
        }
    }
    found.sort();
    Ok(found)
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

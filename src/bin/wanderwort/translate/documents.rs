//! `translate FILE…`: documents in, documents out.

use crate::files::{Destination, Identity, identity, is_folder_name};
use crate::lines::{Binary, MAX_LINE, count_words};
use crate::model::LanguageArguments;
use crate::output::TranslationObject;
use crate::progress::Progress;
use crate::streams::{self, tell};
use anyhow::{Context, Result, bail, ensure};
use std::collections::{BTreeMap, BTreeSet};
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
    #[arg(value_name = "FILE", group = "input", conflicts_with = "lines_as_sentences")]
    files: Vec<PathBuf>,

    /// The file to write, or the folder if there are several documents. Without it, a single document is written to standard output.
    #[arg(short, long, value_name = "PATH", requires = "input")]
    output: Option<PathBuf>,

    /// Format of the documents [default: detected from their content, else from their names].
    #[arg(long, value_name = "FORMAT", value_parser = format, group = "input", conflicts_with = "lines_as_sentences")]
    format: Option<&'static Format>,

    /// The input is one HTML document or fragment: the same as --format html.
    #[arg(long, conflicts_with_all = ["format", "lines_as_sentences"], group = "input")]
    html: bool,

    /// The input is one text, not separate lines: tables, CSV, YAML and lists are recognized by their neighbouring lines, and hard-wrapped
    /// paragraphs are translated whole and wrapped again. The same as --format text.
    #[arg(short, long, conflicts_with_all = ["format", "html", "lines_as_sentences"], group = "input")]
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

/// What is translated, and where to.
pub struct Plan {
    /// Without any, standard input is translated.
    works: Vec<Work>,
    /// Where standard input's translation goes; none: to standard output.
    to: Option<Destination>,
    left_out: LeftOut,
}

/// A file to translate.
struct Work {
    from: PathBuf,
    /// None: standard output.
    to: Option<Destination>,
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

    /// Translates the documents of a plan.
    pub fn run(
        &self,
        plan: Plan,
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
        let Plan { works, to, left_out } = plan;
        let mut failed = left_out.failed;
        if self.files.is_empty() {
            let bytes = read(&mut io::stdin().lock(), "standard input")?;
            let mut progress = Progress::new(None);
            let translated = run.translate(Path::new("standard input"), bytes, 0, &mut progress)?;
            progress.finish();
            return write(to.as_ref(), &translated);
        }
        let is_one = self.is_one();
        let mut progress = Progress::new(Some(works.iter().map(|work| work.bytes).sum()));
        for (index, Work { from, to, bytes: length }) in works.iter().enumerate() {
            if works.len() > 1 {
                let name = from.file_name().unwrap_or_default().to_string_lossy().into_owned();
                progress.name(format!("{}/{} {name}", index + 1, works.len()));
            }
            let mut translate = || {
                let mut file = File::open(from).with_context(|| format!("cannot read {}", from.display()))?;
                let bytes = read(&mut file, &from.display().to_string())?;
                let translated = run.translate(from, bytes, *length, &mut progress)?;
                write(to.as_ref(), &translated)
            };
            match translate() {
                Ok(()) => {}
                Err(error) if is_one => return Err(error),
                Err(error) => {
                    tell!("wanderwort: {error:#}");
                    failed += 1;
                }
            }
        }
        progress.finish();
        left_out.tell();
        ensure!(failed == 0, "{failed} of {} documents could not be translated", works.len() + left_out.failed);
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

    /// What to translate and where to, with all that can be wrong about it before a model is loaded. `models` are read too, so that they are
    /// not written over; with `json`, there can be only one text.
    pub fn plan(&self, models: &[&Path], json: bool) -> Result<Plan> {
        ensure!(
            !json || self.is_one(),
            "--json is for one text, not for several documents; give one with --document, or leave --json out"
        );
        if let Some(label) = &self.encoding {
            charset::encoding(label)?;
        }
        let is_folder = |output: &&Path| !self.is_one() || output.is_dir() || is_folder_name(output);
        let folder = self.output.as_deref().filter(|output| !self.files.is_empty() && is_folder(output));
        if !self.is_one() {
            let Some(folder) = folder else { bail!("several documents need --output, the folder to write them to") };
            let is_other = folder.exists() && !folder.is_dir();
            ensure!(!is_other, "several documents need a folder to be written to; {} is none", folder.display());
        }
        if self.files.is_empty() {
            let to = self.output.as_deref().map(destination).transpose()?;
            to.iter().try_for_each(|to| to.refuse(models))?;
            return Ok(Plan { works: Vec::new(), to, left_out: LeftOut::default() });
        }
        let mut left_out = LeftOut::default();
        let mut found = Vec::new();
        for path in &self.files {
            let is_dir = fs::metadata(path).with_context(|| format!("cannot read {}", path.display()))?.is_dir();
            let files = if is_dir { walk(path, folder, &mut left_out)? } else { vec![path.clone()] };
            for from in files {
                let name = match from.strip_prefix(path) {
                    Ok(within) if !within.as_os_str().is_empty() => within.to_owned(),
                    _ => PathBuf::from(from.file_name().with_context(|| format!("{} is no file", from.display()))?),
                };
                let to = folder.map(|folder| folder.join(name)).or_else(|| self.output.clone());
                found.push((from, to));
            }
        }
        // No translation takes the place of what is still to be translated, through whatever link or name.
        let inputs: BTreeMap<Identity, &Path> =
            found.iter().filter_map(|(from, _)| Some((identity(from)?, from.as_path()))).collect();
        for to in found.iter().filter_map(|(_, to)| to.as_ref()) {
            if let Some(from) = identity(to).and_then(|to| inputs.get(&to)) {
                bail!("{} would be written over; --output needs another place", from.display());
            }
        }
        let mut plan = Plan { works: Vec::new(), to: None, left_out };
        let is_one = self.is_one();
        for (from, to) in found {
            let work = || {
                let bytes = fs::metadata(&from).with_context(|| format!("cannot read {}", from.display()))?.len();
                let to = to.as_deref().map(destination).transpose()?;
                to.iter().try_for_each(|to| to.refuse(models))?;
                Ok(Work { from: from.clone(), to, bytes })
            };
            match work() {
                Ok(work) => plan.works.push(work),
                Err(error) if is_one => return Err(error),
                Err(error) => {
                    tell!("wanderwort: {error:#}");
                    plan.left_out.failed += 1;
                }
            }
        }
        let mut places = BTreeSet::new();
        let twice = plan.works.iter().filter_map(|work| work.to.as_ref()).find(|to| !places.insert(to.place()));
        if let Some(to) = twice {
            bail!(
                "two documents would be written to {}; translate them one by one, or give them other names",
                to.name().display()
            );
        }
        Ok(plan)
    }
}

/// The place of a translation, in a folder that is made if there is none.
fn destination(path: &Path) -> Result<Destination> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    if let Some(folder) = folder {
        fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
    }
    Ok(Destination::new(path)?)
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
        // Encodings in which a text has such bytes are stated or marked.
        if format.name == "text" && self.arguments.encoding.is_none() && !charset::is_marked(&bytes) {
            Binary::find(&bytes).with_context(|| format!("cannot read {}", path.display()))?;
        }
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
            warn_of_replaced(path);
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
        ensure!(
            bytes.len() <= MAX_LINE,
            "{}: expected at most {} MiB with --json, found {} bytes; split the text, or leave --json out",
            path.display(),
            MAX_LINE >> 20,
            bytes.len()
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
    tell!("wanderwort: {}: {warning}", path.display());
}

/// A whole file, if it is not larger than documents may be.
fn read(file: &mut dyn Read, name: &str) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(MAX_FILE + 1).read_to_end(&mut bytes).with_context(|| format!("cannot read {name}"))?;
    Ok(bytes)
}

/// What in folders is not translated, by reason.
#[derive(Default)]
struct LeftOut {
    unknown: usize,
    links: usize,
    /// Pipes, sockets and devices: whoever opens one may wait for ever.
    special: usize,
    /// Folders that cannot be read and files that cannot be read or written; the user has been told.
    failed: usize,
}

impl LeftOut {
    fn tell(&self) {
        let special = "pipes, sockets or devices";
        for (count, why) in [(self.unknown, "of no known format"), (self.links, "links"), (self.special, special)] {
            if count > 0 {
                tell!("wanderwort: {count} of the files in the folders left out: {why}");
            }
        }
    }
}

/// The documents in a folder and its subfolders, in order, except those written earlier: `output` may be one of the subfolders. A subfolder
/// that cannot be read is told and left out.
fn walk(folder: &Path, output: Option<&Path>, left_out: &mut LeftOut) -> Result<Vec<PathBuf>> {
    let output = output.and_then(identity);
    let is_output = |folder: &Path| output.is_some() && identity(folder) == output;
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        let mut read = || -> io::Result<()> {
            for entry in fs::read_dir(&next)? {
                let entry = entry?;
                let kind = entry.file_type()?;
                match () {
                    // Links may lead anywhere, and round in circles.
                    () if kind.is_symlink() => left_out.links += 1,
                    () if kind.is_dir() && is_output(&entry.path()) => {}
                    () if kind.is_dir() => folders.push(entry.path()),
                    () if !kind.is_file() => left_out.special += 1,
                    () if Format::of_name(&entry.path()).is_some() => found.push(entry.path()),
                    () => left_out.unknown += 1,
                }
            }
            Ok(())
        };
        if let Err(error) = read() {
            let error = anyhow::Error::from(error).context(format!("cannot read the folder {}", next.display()));
            if next == folder {
                return Err(error);
            }
            tell!("wanderwort: {error:#}");
            left_out.failed += 1;
        }
    }
    found.sort();
    Ok(found)
}

fn write(to: Option<&Destination>, bytes: &[u8]) -> Result<()> {
    if let Some(to) = to {
        return to.write(bytes);
    }
    let is_binary = io::stdout().is_terminal() && std::str::from_utf8(bytes).is_err();
    ensure!(!is_binary, "a book is not for the terminal: --output says where to");
    let mut output = streams::output();
    output.write_all(bytes)?;
    output.flush()?;
    Ok(())
}

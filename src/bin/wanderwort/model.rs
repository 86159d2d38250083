//! The options that say which model to load and how to run it, shared by the commands.

use crate::ranges::{self, power};
use crate::streams::tell;
use anyhow::{Context, Result, anyhow};
use clap::Args;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use wanderwort::kernels::Backend;
use wanderwort::model::Warning;
use wanderwort::model::catalogue::same_language;
use wanderwort::text::repair::TABLE;
use wanderwort::{
    Language, LoadOptions, Precision, Repairs, Sentences, StoredScales, TargetToken, TranslateOptions, Translator,
};

/// Which model, and how it runs.
#[derive(Args, Clone, Debug)]
pub struct ModelArguments {
    /// A package, or a folder of Marian files: model (.npz or .bin), vocabulary (.spm), optionally a shortlist and
    /// decoding settings (decoder.yml).
    #[arg(short, long, value_name = "PATH")]
    pub model: PathBuf,

    #[command(flatten)]
    pub run: RunArguments,
}

/// How a model runs.
#[derive(Args, Clone, Debug)]
pub struct RunArguments {
    #[command(flatten)]
    pub languages: LanguageArguments,

    /// The arithmetic of the products.
    #[arg(long, value_enum, default_value = "int8")]
    pub precision: PrecisionArgument,

    /// The same as --precision float32.
    #[arg(long, conflicts_with = "precision")]
    pub float: bool,

    /// Use this kernel instead of the fastest one for this processor (`wanderwort bench --help` lists them).
    #[arg(long, value_name = "NAME")]
    pub kernel: Option<String>,

    /// Consider every word of the target language at every step, even if the model has a shortlist.
    #[arg(long)]
    pub no_shortlist: bool,

    /// Which of the model's stored activation scales to use: all, as Marian does; hidden, those after a ReLU;
    /// or ignored. Without a stored scale, each row is scaled by its own largest value.
    #[arg(long, value_enum, default_value = "all")]
    pub scales: ScalesArgument,

    /// Sentences whose translations are kept, for commands that have a [`CacheArgument`].
    #[arg(skip)]
    pub cache: usize,
}

/// Whether translations are kept.
#[derive(Args, Clone, Copy, Debug)]
pub struct CacheArgument {
    /// Keep the translations of this many sentences: a sentence that comes again is not translated again. The output is the same.
    #[arg(long, value_name = "SENTENCES", default_value = "0", value_parser = ranges::count_or_none(1_000_000_000))]
    pub cache: usize,
}

/// The arithmetic of the products.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum PrecisionArgument {
    /// 8-bit integers: the fastest.
    Int8,
    /// 16-bit fixed point, which needs no scales.
    Int16,
    /// 32-bit floats.
    Float32,
}

/// The languages between which a model translates.
#[derive(Args, Clone, Debug)]
pub struct LanguageArguments {
    /// Language of the text, a BCP 47 tag; sentences are found by its rules [default: from the package, or from the names of Marian's files,
    /// such as model.ende.bin; where they state one, this must be the same, but may be of another region].
    #[arg(long, value_name = "TAG", value_parser = language_tag)]
    pub from: Option<String>,

    /// Language of the translation; numbers, units and spaces follow its rules [default: from the model's files].
    #[arg(long, value_name = "TAG", value_parser = language_tag)]
    pub to: Option<String>,

    /// For a model with several target languages, such as OPUS-MT's: its name for the wanted one, such as deu for its word >>deu<<
    /// [default: the one for --to].
    #[arg(long, value_name = "NAME", value_parser = target_token)]
    pub target_token: Option<TargetToken>,
}

fn target_token(text: &str) -> Result<TargetToken, String> {
    TargetToken::new(text).ok_or_else(|| "expected what the model calls a language, such as deu or cmn_Hans".to_owned())
}

/// A well-formed BCP 47 tag, whether the engine knows the language or not.
fn language_tag(text: &str) -> Result<String, String> {
    let mut subtags = text.split(['-', '_']);
    let is_primary = |tag: &str| (2..=8).contains(&tag.len()) && tag.bytes().all(|byte| byte.is_ascii_alphabetic());
    let is_subtag = |tag: &str| (1..=8).contains(&tag.len()) && tag.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if subtags.next().is_some_and(is_primary) && subtags.all(is_subtag) {
        return Ok(text.to_owned());
    }
    let known: Vec<&str> = Language::all().iter().map(|language| language.tag()).collect();
    Err(format!("expected a BCP 47 tag such as {}", known.join(", ")))
}

/// Where the command line gives languages.
const LANGUAGE_OPTIONS: [&str; 2] = ["--from", "--to"];

/// A language on the command line that is not the model's.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{} translates {relation} {stated}, and {option} says {given}; leave {option} out, or give a model for {given}",
    .model.display()
)]
pub struct LanguageError {
    model: PathBuf,
    /// `from` or `to`.
    relation: &'static str,
    /// The model's language.
    stated: &'static str,
    option: &'static str,
    given: String,
}

/// The part of a tag that names the language, without script and region.
fn primary(tag: &str) -> &str {
    tag.split(['-', '_']).next().unwrap_or(tag)
}

impl LanguageArguments {
    /// An error if the model's files state other languages. The rules of another region are as good as its own. `options` say where the
    /// languages were given.
    pub fn check(
        &self,
        model: &Path,
        translator: &Translator,
        options: [&'static str; 2],
    ) -> Result<(), LanguageError> {
        let (source, target) = translator.stated_languages();
        let [from, to] = options;
        for (given, stated, relation, option) in [(&self.from, source, "from", from), (&self.to, target, "to", to)] {
            let Some(given) = given.as_ref().filter(|_| stated != Language::UNKNOWN) else { continue };
            let stated = stated.tag();
            if !same_language(given, stated) && !primary(given).eq_ignore_ascii_case(primary(stated)) {
                return Err(LanguageError { model: model.to_owned(), relation, stated, option, given: given.clone() });
            }
        }
        Ok(())
    }

    /// Says on standard error what follows if a language is not known.
    fn warn(&self, path: &Path, translator: &Translator) {
        let unknown = |given: &Option<String>, language| given.is_none() && language == Language::UNKNOWN;
        let missing = [
            unknown(&self.from, translator.source_language()).then_some("--from TAG"),
            unknown(&self.to, translator.target_language()).then_some("--to TAG"),
        ];
        let missing: Vec<&str> = missing.into_iter().flatten().collect();
        if !missing.is_empty() {
            tell!(
                "wanderwort: {} does not tell its languages; without {} only the rules that hold in most languages find sentences and put numbers right",
                path.display(),
                missing.join(" and ")
            );
        }
    }
}

/// Which of a model's stored activation scales to use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum ScalesArgument {
    /// As Marian does.
    All,
    /// Those of feed-forward layers' second products.
    Hidden,
    /// None.
    Ignored,
}

/// What counts as a sentence.
#[derive(Args, Clone, Copy, Debug)]
pub struct SentenceArguments {
    /// Take each line as one sentence, whatever it contains, as in corpora; otherwise sentences are found in each line.
    #[arg(long)]
    pub lines_as_sentences: bool,
}

/// How translations are searched for.
#[derive(Args, Clone, Copy, Debug)]
pub struct SearchArguments {
    /// Beam search: follow this many hypotheses of each sentence side by side; 1 is the fastest [default: as the model says, in the header
    /// of a package or in the decoder.yml of Marian's files].
    #[arg(long, value_name = "N", value_parser = ranges::beam())]
    pub beam: Option<NonZeroUsize>,

    /// Rank a beam's hypotheses by their log-probability divided by this power of their length [default: as the model says, or 1].
    #[arg(long, value_name = "POWER", value_parser = power)]
    pub normalize: Option<f32>,

    /// Prune hypotheses that are less likely than the sentence's likeliest one by a factor of more than e to this power [default: as the model
    /// says; if it says nothing, and for --n-best, none].
    #[arg(long, value_name = "POWER", value_parser = power)]
    pub beam_threshold: Option<f32>,

    /// When the last WORDS words (target pieces) of several hypotheses are the same, keep only the best one; 0 keeps all [default: as the model
    /// says; if it says nothing, and for --n-best, 0].
    #[arg(long, value_name = "WORDS", value_parser = ranges::count_or_none(1000))]
    pub beam_recombination: Option<usize>,
}

impl SearchArguments {
    /// Hypotheses of a sentence that are followed side by side.
    pub fn width(self, translator: &Translator) -> usize {
        self.beam.map_or(translator.info().beam, NonZeroUsize::get)
    }

    /// As the engine knows them.
    pub fn options(self) -> TranslateOptions {
        let beam = self.beam.map_or(0, NonZeroUsize::get);
        TranslateOptions {
            beam,
            normalize: self.normalize,
            beam_threshold: self.beam_threshold,
            beam_recombination: self.beam_recombination,
            ..TranslateOptions::default()
        }
    }
}

/// Which repairs are made.
#[derive(Args, Clone, Debug)]
pub struct RepairArguments {
    #[arg(long, value_name = "REPAIRS", value_delimiter = ',', value_parser = repair, help = without_help())]
    pub without: Vec<String>,
}

fn without_help() -> String {
    let names = TABLE.map(|pass| pass.name).join(", ");
    format!(
        "Leave these repairs out, between commas: `all`, after which the translation is as the model wrote it, or of {names}"
    )
}

/// The name of a repair, or `all`.
fn repair(name: &str) -> Result<String, String> {
    if name != "all" {
        Repairs::ALL.without(name).map_err(|error| error.to_string())?;
    }
    Ok(name.to_owned())
}

impl RepairArguments {
    /// As the engine knows it.
    pub fn repairs(&self) -> Repairs {
        self.without.iter().fold(Repairs::ALL, |repairs, name| repairs.without(name).unwrap_or(Repairs::NONE))
    }
}

impl SentenceArguments {
    /// As the engine knows it.
    pub fn sentences(self) -> Sentences {
        if self.lines_as_sentences { Sentences::AreLines } else { Sentences::InLines }
    }
}

impl ModelArguments {
    /// Loads the model.
    pub fn open(&self) -> Result<Translator> {
        self.run.open_given(&self.model, &[])
    }
}

/// Warns of what a model's files say that is not followed.
pub fn warn(warnings: &[Warning]) {
    for warning in warnings {
        tell!("wanderwort: warning: {warning}");
    }
}

impl RunArguments {
    /// Loads the model at `path`.
    pub fn open(&self, path: &Path) -> Result<Translator> {
        let translator =
            Translator::open(path, &self.options()?).with_context(|| format!("cannot load {}", path.display()))?;
        warn(translator.warnings());
        self.languages.warn(path, &translator);
        Ok(translator)
    }

    /// Loads the model that the command line gives, or the ensemble of several. Its languages must be those that the command line gives.
    pub fn open_given(&self, path: &Path, others: &[PathBuf]) -> Result<Translator> {
        let translator = self.open_ensemble(path, others)?;
        self.languages.check(path, &translator, LANGUAGE_OPTIONS)?;
        Ok(translator)
    }

    /// Loads the model at `path` or, if there are others, the ensemble of them all.
    pub fn open_ensemble(&self, path: &Path, others: &[PathBuf]) -> Result<Translator> {
        let translator = self.open(path)?;
        if others.is_empty() {
            return Ok(translator);
        }
        let loaded = others.iter().map(|other| self.open(other)).collect::<Result<Vec<_>>>()?;
        translator.ensemble(&loaded).with_context(|| {
            let names: Vec<String> = others.iter().map(|other| other.display().to_string()).collect();
            format!("cannot translate with {} and {} together", path.display(), names.join(", "))
        })
    }

    /// As the engine knows them.
    pub fn options(&self) -> Result<LoadOptions> {
        let language = |tag: &Option<String>| tag.as_ref().map(|tag| Language::from_tag(tag).unwrap_or_default());
        Ok(LoadOptions {
            source_language: language(&self.languages.from),
            target_language: language(&self.languages.to),
            precision: self.precision(),
            backend: self.backend()?,
            shortlist: !self.no_shortlist,
            scales: match self.scales {
                ScalesArgument::All => StoredScales::All,
                ScalesArgument::Hidden => StoredScales::Hidden,
                ScalesArgument::Ignored => StoredScales::Ignored,
            },
            target_token: self.languages.target_token,
            cache: self.cache,
            ..LoadOptions::default()
        })
    }

    fn precision(&self) -> Precision {
        match self.precision {
            _ if self.float => Precision::Float32,
            PrecisionArgument::Int8 => Precision::Int8,
            PrecisionArgument::Int16 => Precision::Int16,
            PrecisionArgument::Float32 => Precision::Float32,
        }
    }

    fn backend(&self) -> Result<Backend> {
        let Some(name) = &self.kernel else { return Ok(Backend::best()) };
        Backend::named(name).ok_or_else(|| {
            anyhow!("this processor has no kernel called {name:?}; it has {}", kernel_names().join(", "))
        })
    }
}

/// The kernels that this processor can run, slowest first.
pub fn kernel_names() -> Vec<&'static str> {
    Backend::available().into_iter().map(Backend::name).collect()
}

/// The arithmetic and the kernel in use, in words.
pub fn describe(translator: &Translator) -> String {
    let info = translator.info();
    let models = if info.networks > 1 { format!(", {} models", info.networks) } else { String::new() };
    format!("{}, {}{models}", precision_name(info.precision), info.backend.name())
}

/// As users know it.
pub fn precision_name(precision: Precision) -> &'static str {
    match precision {
        Precision::Int8 => "int8",
        Precision::Int16 => "int16",
        Precision::Float32 => "float32",
    }
}

/// How much a thread works on at once.
#[derive(Args, Clone, Copy, Debug)]
pub struct BatchArguments {
    /// Have each thread decode at most this many sentences, or hypotheses in beam search, side by side [default: 32 to 64, as many as have what
    /// they read in the caches]; 1 means one sentence after the other. The output is the same.
    #[arg(long, value_name = "N", value_parser = ranges::count(4096))]
    pub slots: Option<NonZeroUsize>,

    /// Have each thread encode sentences of at most this many source pieces together, but at least one sentence [default: 512, which is fastest].
    #[arg(long, value_name = "N", value_parser = ranges::count(65_536))]
    pub pieces: Option<NonZeroUsize>,
}

impl BatchArguments {
    /// The options with these.
    pub fn apply(self, options: TranslateOptions) -> TranslateOptions {
        let number = |given: Option<NonZeroUsize>| given.map_or(0, NonZeroUsize::get);
        TranslateOptions { rows: number(self.slots), pieces: number(self.pieces), ..options }
    }
}

/// How many threads translate.
#[derive(Args, Clone, Copy, Debug)]
pub struct ThreadArguments {
    /// Number of threads that translate [default: one for each processor].
    #[arg(short, long, value_name = "N", value_parser = ranges::threads())]
    pub threads: Option<NonZeroUsize>,
}

impl ThreadArguments {
    /// A pool of that many threads.
    pub fn pool(&self) -> Result<rayon::ThreadPool> {
        let threads = self.threads.map_or(0, NonZeroUsize::get);
        rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .context("cannot start the threads; take fewer --threads")
    }
}

//! The options that say which model to load and how to run it, shared by the commands.

use anyhow::{Context, Result, anyhow};
use clap::Args;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use wanderwort::kernels::Backend;
use wanderwort::model::Warning;
use wanderwort::{LoadOptions, Precision, Sentences, StoredScales, TranslateOptions, Translator};

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
    /// Compute in 32-bit floats instead of int8.
    #[arg(long)]
    pub float: bool,

    /// Use this kernel instead of the fastest one of this processor (`wanderwort bench --help` lists them).
    #[arg(long, value_name = "NAME")]
    pub kernel: Option<String>,

    /// Consider every word of the target language at every step, also where the model has a shortlist.
    #[arg(long)]
    pub no_shortlist: bool,

    /// Which of the activation scales that the model stores to use: all, as Marian does; hidden, those behind a ReLU;
    /// or ignored. Without one, each row is scaled by its own largest value.
    #[arg(long, value_enum, default_value = "all")]
    pub scales: ScalesArgument,
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
    /// Each line is one sentence, whatever it holds, as in corpora; otherwise sentences are found in each line.
    #[arg(long)]
    pub lines_as_sentences: bool,
}

/// How translations are searched for.
#[derive(Args, Clone, Copy, Debug)]
pub struct SearchArguments {
    /// Beam search: follow this many hypotheses of each sentence side by side; 1 is the fastest [default: as the model says, a package
    /// by its own header or Marian's files by their decoder.yml].
    #[arg(long, value_name = "N")]
    pub beam: Option<NonZeroUsize>,

    /// Rank a beam's hypotheses by their log-probability divided by this power of their length [default: as the model says, or 1].
    #[arg(long, value_name = "POWER", value_parser = power)]
    pub normalize: Option<f32>,

    /// Give up a beam's hypotheses that are less likely than the sentence's likeliest by a factor of more than e to this power [default: as the
    /// model says; without that, and for --n-best, none].
    #[arg(long, value_name = "POWER", value_parser = power)]
    pub beam_threshold: Option<f32>,
}

/// The power of something: a number that is not negative.
pub fn power(text: &str) -> Result<f32, String> {
    let number = text.parse::<f32>().ok().filter(|number| number.is_finite() && *number >= 0.0);
    number.ok_or_else(|| "expected a number that is not negative".to_owned())
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
            ..TranslateOptions::default()
        }
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
        self.run.open(&self.model)
    }
}

/// Tells what a model's files say that is not followed.
pub fn warn(warnings: &[Warning]) {
    for warning in warnings {
        eprintln!("wanderwort: warning: {warning}");
    }
}

impl RunArguments {
    /// Loads the model at `path`.
    pub fn open(&self, path: &Path) -> Result<Translator> {
        let translator = Translator::open(path, &self.options()?);
        let translator = translator.with_context(|| format!("cannot load {}", path.display()))?;
        warn(translator.warnings());
        Ok(translator)
    }

    /// As the engine knows them.
    pub fn options(&self) -> Result<LoadOptions> {
        Ok(LoadOptions {
            precision: if self.float { Precision::Float32 } else { Precision::Int8 },
            backend: self.backend()?,
            shortlist: !self.no_shortlist,
            scales: match self.scales {
                ScalesArgument::All => StoredScales::All,
                ScalesArgument::Hidden => StoredScales::Hidden,
                ScalesArgument::Ignored => StoredScales::Ignored,
            },
            ..LoadOptions::default()
        })
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
    format!("{}, {}", precision_name(info.precision), info.backend.name())
}

/// As users know it.
pub fn precision_name(precision: Precision) -> &'static str {
    match precision {
        Precision::Int8 => "int8",
        Precision::Float32 => "float32",
    }
}

/// How many threads translate.
#[derive(Args, Clone, Copy, Debug)]
pub struct ThreadArguments {
    /// Number of threads that translate [default: one for each processor].
    #[arg(short, long, value_name = "N")]
    pub threads: Option<NonZeroUsize>,
}

impl ThreadArguments {
    /// A pool of that many threads.
    pub fn pool(&self) -> Result<rayon::ThreadPool> {
        let threads = self.threads.map_or(0, NonZeroUsize::get);
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().context("cannot start threads")
    }
}

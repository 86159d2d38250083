//! `models`: what models there are, and fetching them when asked to.

mod bar;
mod mirror;
pub mod resolve;

use crate::streams::{self, tell};
use anyhow::Result;
use clap::Subcommand;
use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;
use wanderwort::fetch::{Client, Lists};
use wanderwort::model::catalogue::{Catalogue, Model, NoModel, Quality, same_language};
use wanderwort::model::store::{Damaged, Store, StoreError};

use bar::Bar;

/// List, install and mirror models that others publish.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    List(ListArguments),
    Install(InstallArguments),
    Remove(RemoveArguments),
    Where(WhereArguments),
    Mirror(mirror::Arguments),
}

const EXAMPLES: &str = "\
Nothing is fetched but by `list`, `install`, `mirror` and `translate --install`. Proxies (HTTPS_PROXY, NO_PROXY) and certificates
(SSL_CERT_FILE, SSL_CERT_DIR) of the environment are followed. WANDERWORT_MODELS names another folder for models, and WANDERWORT_LISTS
other lists, addresses with spaces between.

Examples:
  wanderwort models list --from fr
  wanderwort models install en-fr
  wanderwort models install fr-de                # both halves, if there is no model of that pair
  wanderwort models mirror --to folder en-fr fr-en
  wanderwort models install en-fr --list https://models.example/index.json";

/// Where models are installed.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct FolderArguments {
    /// Folder of installed models [default: WANDERWORT_MODELS, or the platform's folder for data].
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,
}

/// Which lists of models are consulted, and how.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct SourceArguments {
    /// Address of a list of models: an index.json, Mozilla's records or Mozilla's registry. Can be repeated [default: WANDERWORT_LISTS, or
    /// the lists of Firefox's models].
    #[arg(long, value_name = "URL")]
    list: Vec<String>,

    /// Do not use the network; take the lists kept from the last time.
    #[arg(long)]
    offline: bool,

    /// Seconds without receiving a byte after which a server is given up.
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = clap::value_parser!(u64).range(1..=3600))]
    timeout: u64,
}

impl FolderArguments {
    fn store(&self) -> Result<Store> {
        Ok(Store::new(self.folder.as_deref())?)
    }
}

/// Warns of an installed model that cannot be read.
fn warn_damaged(damaged: Damaged) {
    tell!("wanderwort: warning: {damaged}");
}

impl SourceArguments {
    fn client(&self) -> Client {
        Client::new(Duration::from_secs(self.timeout), self.offline)
    }

    fn lists(&self) -> Lists {
        Lists::new(&self.list)
    }

    fn catalogue(&self, store: &Store, client: &Client) -> Result<Catalogue> {
        Ok(self.lists().fetch(store, client, &mut Bar::new())?)
    }
}

/// List models that can be installed, and those that are.
#[derive(clap::Args)]
struct ListArguments {
    /// Only models from this language, a BCP 47 tag.
    #[arg(long, value_name = "TAG")]
    from: Option<String>,

    /// Only models to this language.
    #[arg(long, value_name = "TAG")]
    to: Option<String>,

    /// Only models that are installed; contacts no server.
    #[arg(long)]
    installed: bool,

    #[command(flatten)]
    folder: FolderArguments,

    #[command(flatten)]
    source: SourceArguments,
}

/// Fetch models and check them.
#[derive(clap::Args)]
struct InstallArguments {
    /// Language pairs such as en-fr, or names of models as `list` shows them. A pair without a model of its own takes two through another language, English if possible.
    #[arg(required = true, value_name = "PAIR")]
    models: Vec<String>,

    #[command(flatten)]
    quality: QualityArguments,

    #[command(flatten)]
    folder: FolderArguments,

    #[command(flatten)]
    source: SourceArguments,
}

#[derive(clap::Args)]
struct QualityArguments {
    /// Take the smaller model where a pair has several: less to fetch, and faster.
    #[arg(long)]
    small: bool,
}

impl QualityArguments {
    fn quality(&self) -> Quality {
        if self.small { Quality::Small } else { Quality::Good }
    }
}

/// Delete installed models.
#[derive(clap::Args)]
struct RemoveArguments {
    /// Language pairs such as en-fr, or names of models.
    #[arg(required = true, value_name = "PAIR")]
    models: Vec<String>,

    #[command(flatten)]
    folder: FolderArguments,
}

/// Print where models are installed: the folder, or the paths of the models given, as `--model` takes them.
#[derive(clap::Args)]
struct WhereArguments {
    /// Language pairs such as en-fr, or names of models.
    #[arg(value_name = "PAIR")]
    models: Vec<String>,

    #[command(flatten)]
    folder: FolderArguments,
}

pub fn run(arguments: &Arguments) -> Result<()> {
    match &arguments.command {
        Command::List(arguments) => list(arguments),
        Command::Install(arguments) => {
            let store = arguments.folder.store()?;
            let client = arguments.source.client();
            let catalogue = arguments.source.catalogue(&store, &client)?;
            let quality = arguments.quality.quality();
            let wanted = choose(&catalogue, &arguments.models, quality)?;
            install_all(&store, &client, &wanted)
        }
        Command::Remove(arguments) => {
            let store = arguments.folder.store()?;
            for name in &arguments.models {
                let found = match store.matching(name, |_| ()) {
                    Ok(found) => found.into_iter().map(|model| model.name).collect(),
                    // A damaged one has only its name.
                    Err(StoreError::Missing { .. }) => vec![name.clone()],
                    Err(error) => return Err(error.into()),
                };
                for name in found {
                    store.remove_named(&name)?;
                    tell!("{name} is removed");
                }
            }
            Ok(())
        }
        Command::Where(arguments) => {
            let store = arguments.folder.store()?;
            let mut output = streams::output();
            if arguments.models.is_empty() {
                writeln!(output, "{}", store.folder().display())?;
            }
            for name in &arguments.models {
                for model in store.matching(name, warn_damaged)? {
                    writeln!(output, "{}", store.path(&model).display())?;
                }
            }
            Ok(())
        }
        Command::Mirror(arguments) => mirror::run(arguments),
    }
}

fn list(arguments: &ListArguments) -> Result<()> {
    let store = arguments.folder.store()?;
    let fits = |source: &str, target: &str| {
        arguments.from.as_ref().is_none_or(|from| same_language(from, source))
            && arguments.to.as_ref().is_none_or(|to| same_language(to, target))
    };
    let installed = store.installed(warn_damaged)?;
    let mut output = streams::output();
    for model in installed.iter().filter(|model| fits(&model.source, &model.target)) {
        writeln!(output, "{:<24} {:>8}  {}  installed", model.name, model.version, megabytes(model.bytes()))?;
    }
    if arguments.installed {
        return Ok(());
    }
    let catalogue = arguments.source.catalogue(&store, &arguments.source.client())?;
    for model in catalogue.models.iter().filter(|model| fits(&model.source, &model.target)) {
        let state = match installed.iter().find(|installed| installed.name == model.name) {
            Some(installed) if !installed.is(model) => "update",
            Some(_) => continue,
            None => "",
        };
        let line = format!(
            "{:<24} {:>8}  {}  {state}",
            model.name,
            model.version.to_string(),
            megabytes(model.download_size())
        );
        writeln!(output, "{}", line.trim_end())?;
    }
    Ok(())
}

fn megabytes(bytes: u64) -> String {
    format!("{:>6.1} MB", bytes as f64 / 1e6)
}

/// The models of a catalogue that names or language pairs refer to.
fn choose<'a>(catalogue: &'a Catalogue, names: &[String], quality: Quality) -> Result<Vec<&'a Model>, NoModel> {
    let mut chosen: Vec<&Model> = Vec::new();
    for name in names {
        for model in catalogue.choose(name, quality)? {
            if chosen.iter().all(|other| other.name != model.name) {
                chosen.push(model);
            }
        }
    }
    Ok(chosen)
}

/// Installs the models that are not installed already.
fn install_all(store: &Store, client: &Client, models: &[&Model]) -> Result<()> {
    for model in models {
        let is_new = wanderwort::fetch::install(store, client, model, &mut Bar::new())?;
        tell!("{} is installed{}", model.name, if is_new { "" } else { " already" });
    }
    Ok(())
}

//! Which installed models translate from one language to another.

use anyhow::{Result, bail};
use std::path::{Path, PathBuf};
use wanderwort::model::catalogue::{Quality, Route};
use wanderwort::model::store::{Installed, Store};

use super::{FolderArguments, SourceArguments, install_all, warn_damaged};

/// What may be done to get a model.
#[derive(clap::Args, Clone, Debug)]
pub struct ResolveArguments {
    /// Without --model: fetch and install the model for --from and --to if it is not there, or both halves of a pair that has none.
    #[arg(long, conflicts_with = "model")]
    install: bool,

    #[command(flatten)]
    folder: FolderArguments,

    #[command(flatten)]
    source: SourceArguments,
}

/// A model that was given or found.
#[derive(Clone, Debug)]
pub struct Found {
    /// What loads it.
    pub path: PathBuf,
    /// Its languages, as BCP 47 tags, if its files need not tell them.
    pub source: Option<String>,
    pub target: Option<String>,
}

impl Found {
    /// One that tells its own languages.
    pub fn given(path: &Path) -> Found {
        Found { path: path.to_owned(), source: None, target: None }
    }
}

impl ResolveArguments {
    /// The models from one language to another.
    pub fn find(&self, from: &str, to: &str) -> Result<Route<Found>> {
        let store = self.folder.store()?;
        if let Some(route) = installed(&store, from, to)? {
            // If both halves are installed, a model of the pair itself is fetched only when asked for.
            return Ok(route);
        }
        if !self.install {
            let catalogue = self.source.lists().kept(&store);
            let advice = match catalogue.route(from, to, Quality::default()).map(Route::models) {
                Some(models) => {
                    let names: Vec<&str> = models.iter().map(|model| model.name.as_str()).collect();
                    let megabytes = models.iter().map(|model| model.download_size()).sum::<u64>() as f64 / 1e6;
                    format!("`wanderwort models install {}` fetches {megabytes:.0} MB", names.join(" "))
                }
                None => format!("`wanderwort models install {from}-{to}` fetches one if there is one"),
            };
            bail!("no model from {from} to {to} is installed; {advice}, and so does --install here");
        }
        let client = self.source.client();
        let catalogue = self.source.catalogue(&store, &client)?;
        let Some(route) = catalogue.route(from, to, Quality::default()) else {
            bail!(
                "the lists have no model from {from} to {to}, and none through a third language; `wanderwort models list` shows those that there are"
            );
        };
        install_all(&store, &client, &route.models())?;
        match installed(&store, from, to)? {
            Some(route) => Ok(route),
            None => bail!("what was installed does not translate from {from} to {to}"),
        }
    }
}

/// All installed models; if a pair has two, the larger one comes first.
#[cfg(feature = "serve")]
pub fn all_installed(folder: &FolderArguments) -> Result<Vec<Found>> {
    let store = folder.store()?;
    Ok(store.by_size(warn_damaged)?.iter().map(|model| found(&store, model)).collect())
}

fn found(store: &Store, model: &Installed) -> Found {
    let (source, target) = (Some(model.source.clone()), Some(model.target.clone()));
    Found { path: store.path(model), source, target }
}

fn installed(store: &Store, from: &str, to: &str) -> Result<Option<Route<Found>>> {
    Ok(store.route(from, to, warn_damaged)?.map(|route| route.map(|model| found(store, &model))))
}

//! Which models serve a pair of languages.

use super::{Catalogue, Model};
use crate::text::language::Language;
use std::collections::{BTreeSet, HashMap};

/// The lists have no model for a name or a pair of languages.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the lists have no model {name}; they {}", languages_in_words(.languages))]
pub struct NoModel {
    /// What was asked for.
    pub name: String,
    /// The languages that they have models for.
    pub languages: Vec<String>,
}

fn languages_in_words(languages: &[String]) -> String {
    if languages.is_empty() {
        return "are empty".to_owned();
    }
    format!("have models of {}", languages.join(", "))
}

/// Which of a pair's models to take if there are several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Quality {
    /// The one with the fewest weights: less to fetch, faster.
    Small,
    /// The one with the most weights: better translations.
    #[default]
    Good,
}

/// The models that lead from one language to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Route<M> {
    /// One model.
    Direct(M),
    /// Two, through a language in the middle.
    Through(M, M),
}

impl<M> Route<M> {
    /// Finds the way from `source` to `target` through `models`. A model of that pair is better than two, of which one translates the
    /// mistakes of the other; as the language in the middle, English is preferred, since most models are to or from English. `pair` gives
    /// the languages of a model; of several models with the same languages, the first is taken.
    pub fn find<'a>(
        models: impl IntoIterator<Item = M> + Clone,
        source: &str,
        target: &str,
        pair: impl Fn(&M) -> (&'a str, &'a str),
    ) -> Option<Route<M>> {
        let (source, target, english) = (Meaning::of(source), Meaning::of(target), Meaning::of("en"));
        let from = |model: &M| Meaning::of(pair(model).0) == source;
        let to = |model: &M| Meaning::of(pair(model).1) == target;
        if let Some(model) = models.clone().into_iter().find(|model| from(model) && to(model)) {
            return Some(Route::Direct(model));
        }
        if source == target {
            return None;
        }
        // The first model from each language to the target.
        let mut seconds = HashMap::new();
        for model in models.clone().into_iter().filter(to) {
            seconds.entry(Meaning::of(pair(&model).0)).or_insert(model);
        }
        let mut found = None;
        for first in models.into_iter().filter(from) {
            let middle = Meaning::of(pair(&first).1);
            if seconds.contains_key(&middle) && (found.is_none() || middle == english) {
                let is_best = middle == english;
                found = Some((first, middle));
                if is_best {
                    break;
                }
            }
        }
        let (first, middle) = found?;
        Some(Route::Through(first, seconds.remove(&middle)?))
    }

    /// The same route with other values for its models.
    pub fn map<N>(self, mut model: impl FnMut(M) -> N) -> Route<N> {
        match self {
            Route::Direct(only) => Route::Direct(model(only)),
            Route::Through(first, second) => Route::Through(model(first), model(second)),
        }
    }

    /// The models in order.
    pub fn models(self) -> Vec<M> {
        match self {
            Route::Direct(model) => vec![model],
            Route::Through(first, second) => vec![first, second],
        }
    }
}

/// Whether two BCP 47 tags mean the same language for a model: `zh` and `zh-Hans`, `no` and `nb`.
pub fn same_language(a: &str, b: &str) -> bool {
    Meaning::of(a) == Meaning::of(b)
}

/// What a BCP 47 tag means for a model.
#[derive(PartialEq, Eq, Hash)]
enum Meaning {
    /// A language that the engine knows, by its tag.
    Known(&'static str),
    /// Another one, by its first subtag.
    Other(String),
}

impl Meaning {
    fn of(tag: &str) -> Meaning {
        match Language::from_tag(tag) {
            Some(language) => Meaning::Known(language.tag()),
            None => Meaning::Other(tag.split(['-', '_']).next().unwrap_or_default().to_ascii_lowercase()),
        }
    }
}

/// The ways to read a pair such as `en-fr` or `en-zh-Hans`, those with known languages first.
pub fn pairs(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut pairs: Vec<(&str, &str)> = text.match_indices('-').map(|(at, _)| (&text[..at], &text[at + 1..])).collect();
    let is_unknown = |tag: &str| Language::from_tag(tag).is_none();
    pairs.sort_by_key(|(source, target)| is_unknown(source) || is_unknown(target));
    pairs.into_iter()
}

impl Catalogue {
    /// The models of a pair, the smallest first.
    pub fn of_pair(&self, source: &str, target: &str) -> Vec<&Model> {
        let is_pair = |model: &&Model| same_language(&model.source, source) && same_language(&model.target, target);
        let mut models: Vec<&Model> = self.models.iter().filter(is_pair).collect();
        models.sort_by_key(|model| model.weight());
        models
    }

    /// The models to take from `source` to `target`.
    pub fn route(&self, source: &str, target: &str, quality: Quality) -> Option<Route<&Model>> {
        // By size, so that the first of each pair is the wanted one.
        let mut models: Vec<&Model> = self.models.iter().collect();
        models.sort_by_key(|model| model.weight());
        if quality == Quality::Good {
            models.reverse();
        }
        Route::find(models, source, target, |model| (model.source.as_str(), model.target.as_str()))
    }

    /// The models meant by a name, as a list has it, or by a pair of languages such as `en-fr`: one, or two through a third language.
    ///
    /// # Errors
    /// If there is none.
    pub fn choose(&self, name: &str, quality: Quality) -> Result<Vec<&Model>, NoModel> {
        if let Some(model) = self.models.iter().find(|model| model.name == name) {
            return Ok(vec![model]);
        }
        let route = pairs(name).find_map(|(source, target)| self.route(source, target, quality));
        route.map(Route::models).ok_or_else(|| {
            let tags = self.models.iter().flat_map(|model| [&model.source, &model.target]);
            let languages: BTreeSet<&String> = tags.collect();
            NoModel { name: name.to_owned(), languages: languages.into_iter().cloned().collect() }
        })
    }
}

//! A loaded model, or two that follow each other, and the threads that run it.

use crate::details::{Details, details};
use crate::error::model_error;
use crate::workers::{self, Workers};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::path::PathBuf;
use wanderwort::{
    Language, LoadError, LoadOptions, LoadedModels, Pivot, Precision, Repairs, Sentences, TargetToken, Translate,
    TranslateOptions, Translation, Translator,
};

/// Bytes of text that are translated at once, once and once more for each thread, as on the command line.
const WINDOW_BYTES: usize = 256 << 10;

/// The models of all engines in the process, so that a pair's own model and a half of another pair are held once.
static MODELS: LoadedModels = LoadedModels::new();

/// How many models there are in memory.
#[pyfunction]
pub fn models_in_memory() -> usize {
    MODELS.len()
}

/// Path, source language, target language.
type Part = (PathBuf, Option<String>, Option<String>);

/// A model that is ready to translate.
#[pyclass(frozen, module = "wanderwort._wanderwort")]
pub struct Engine {
    translator: Box<dyn Translate>,
    warnings: Vec<String>,
    workers: Workers,
}

#[pymethods]
impl Engine {
    /// Loads one model, or two, the second of which translates the output of the first.
    #[new]
    fn new(
        python: Python<'_>,
        parts: Vec<Part>,
        target_token: Option<&str>,
        float32: bool,
        threads: usize,
        cache: usize,
    ) -> PyResult<Engine> {
        let target_token = target_token
            .map(|name| {
                let expected =
                    || format!("target_token is {name:?}; expected what the model calls a language, such as deu");
                TargetToken::new(name).ok_or_else(|| PyValueError::new_err(expected()))
            })
            .transpose()?;
        let workers = Workers::new(threads)?;
        let pool = workers.pool(python)?;
        let last = parts.len().saturating_sub(1);
        let mut opened = Vec::new();
        for (index, (path, source, target)) in parts.iter().enumerate() {
            let language = |tag: &Option<String>| tag.as_ref().map(|tag| Language::from_tag(tag).unwrap_or_default());
            let options = LoadOptions {
                precision: if float32 { Precision::Float32 } else { Precision::Int8 },
                source_language: language(source),
                target_language: language(target),
                target_token: target_token.filter(|_| index == last),
                cache,
                ..LoadOptions::default()
            };
            let loaded: Result<Translator, LoadError> = workers::run(python, &pool, |_| MODELS.open(path, &options))?;
            opened.push(loaded.map_err(|error| model_error(&format!("cannot load {}: ", path.display()), &error))?);
        }
        let warnings = opened.iter().flat_map(|model| model.warnings()).map(ToString::to_string).collect();
        let mut opened = opened.into_iter();
        let translator: Box<dyn Translate> = match (opened.next(), opened.next(), opened.next()) {
            (Some(only), None, None) => Box::new(only),
            (Some(first), Some(second), None) => {
                Box::new(Pivot::new(first, second).map_err(|error| model_error("", &error))?)
            }
            _ => return Err(PyValueError::new_err("expected one model or two")),
        };
        Ok(Engine { translator, warnings, workers })
    }

    /// What the models' files say that is not followed.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.warnings.clone()
    }

    /// BCP 47 tag, `und` if unknown.
    #[getter]
    fn source_language(&self) -> &'static str {
        self.translator.source_language().tag()
    }

    /// BCP 47 tag, `und` if unknown.
    #[getter]
    fn target_language(&self) -> &'static str {
        self.translator.target_language().tag()
    }

    /// Threads that translate.
    #[getter]
    fn threads(&self, python: Python<'_>) -> PyResult<usize> {
        Ok(self.workers.pool(python)?.current_num_threads())
    }

    /// Hypotheses that are followed unless another number is asked for.
    #[getter]
    fn beam(&self) -> usize {
        self.translator.beam()
    }

    /// The translations of texts, in their order.
    fn translate(
        &self,
        python: Python<'_>,
        texts: Vec<String>,
        beam: usize,
        sentences: &str,
        without: Vec<String>,
    ) -> PyResult<Vec<String>> {
        let options = options(beam, sentences, &without)?;
        self.windows(python, &texts, &options, |_, translation| translation.text)
    }

    /// The translations of texts, beginning with `prefix`, each with the candidates of its first sentence: as many as asked for, which differ in
    /// the word after the prefix, the likeliest first.
    #[expect(clippy::too_many_arguments, reason = "one for each of the method's in Python")]
    fn translate_from(
        &self,
        python: Python<'_>,
        texts: Vec<String>,
        prefix: &str,
        beam: usize,
        sentences: &str,
        without: Vec<String>,
        alternatives: usize,
    ) -> PyResult<Vec<(String, Vec<String>)>> {
        let options = options(beam.max(alternatives), sentences, &without)?;
        let options = TranslateOptions { n_best: alternatives, branches: alternatives > 0, ..options };
        let pool = self.workers.pool(python)?;
        let translated = workers::run(python, &pool, |stop| {
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            self.translator.translate_from_until(&texts, prefix, &options, stop)
        })?;
        let of_first = |translation: Translation| {
            let first = translation.candidates.into_iter().next().unwrap_or_default();
            (translation.text, first.into_iter().map(|candidate| candidate.text).collect())
        };
        Ok(translated.unwrap_or_default().into_iter().map(of_first).collect())
    }

    /// The translations of texts with their sentences and, if asked for, log-probabilities and alignments.
    #[expect(clippy::too_many_arguments, reason = "one for each of the method's in Python")]
    fn translate_in_detail(
        &self,
        python: Python<'_>,
        texts: Vec<String>,
        beam: usize,
        sentences: &str,
        without: Vec<String>,
        scores: bool,
        alignment: bool,
    ) -> PyResult<Vec<Details>> {
        let options = TranslateOptions { scores, attention: alignment, ..options(beam, sentences, &without)? };
        self.windows(python, &texts, &options, |source, translation| details(source, translation, scores, alignment))
    }
}

impl Engine {
    /// Translates texts a window at a time, and keeps what `keep` makes of each source and its translation.
    fn windows<T: Send>(
        &self,
        python: Python<'_>,
        texts: &[String],
        options: &TranslateOptions,
        keep: impl Fn(&str, Translation) -> T + Sync,
    ) -> PyResult<Vec<T>> {
        let pool = self.workers.pool(python)?;
        let limit = WINDOW_BYTES * (1 + pool.current_num_threads());
        let mut kept = Vec::with_capacity(texts.len());
        let mut rest = texts;
        while !rest.is_empty() {
            let mut bytes = 0;
            let fits = |text: &&String| {
                bytes += text.len() + 1;
                bytes <= limit
            };
            let (window, after) = rest.split_at(rest.iter().take_while(fits).count().max(1));
            rest = after;
            let translated = workers::run(python, &pool, |stop| {
                let parts: Vec<(&str, &[_])> = window.iter().map(|text| (text.as_str(), &[][..])).collect();
                let translations = self.translator.translate_until(&parts, options, stop)?;
                Some(
                    window
                        .iter()
                        .zip(translations)
                        .map(|(text, translation)| keep(text, translation))
                        .collect::<Vec<T>>(),
                )
            })?;
            kept.extend(translated.unwrap_or_default());
        }
        Ok(kept)
    }
}

fn options(beam: usize, sentences: &str, without: &[String]) -> PyResult<TranslateOptions> {
    let sentences = match sentences {
        "in-lines" => Sentences::InLines,
        "in-paragraphs" => Sentences::InParagraphs,
        "are-lines" => Sentences::AreLines,
        _ => {
            let expected = "expected 'in-lines', 'in-paragraphs' or 'are-lines'";
            return Err(PyValueError::new_err(format!("sentences is {sentences:?}; {expected}")));
        }
    };
    let mut repairs = Repairs::ALL;
    for name in without {
        repairs = match name.as_str() {
            "all" => Repairs::NONE,
            name => repairs.without(name).map_err(|error| PyValueError::new_err(error.to_string()))?,
        };
    }
    Ok(TranslateOptions { beam, sentences, repairs, ..TranslateOptions::default() })
}

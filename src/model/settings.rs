//! Settings that lie beside a model: how to decode it, and what it is called.
//!
//! Marian writes them as `model.npz.decoder.yml`; Bergamot's students come with `config.intgemm8bitalpha.yml` and `model_info.json`. Whatever
//! such a file says is used, is known to change nothing here, or is reported as a [`Warning`].

use std::collections::BTreeMap;

use super::decoding::{self, Decoding};
use super::error::{Error, Fault, malformed};
use super::yaml::{self, Value};

/// Something in a model's files that is not followed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Warning {
    /// A setting that this program does not know.
    #[error("{file}: `{name}: {value}` is not a setting that this program knows; it has no effect")]
    UnknownSetting {
        /// The file's name.
        file: String,
        /// The setting's name.
        name: String,
        /// What it is set to.
        value: String,
    },
    /// A setting that changes what Marian translates and that this program does not follow.
    #[error("{file}: `{name}: {value}` is not supported; translations may differ from Marian's")]
    UnsupportedSetting {
        /// The file's name.
        file: String,
        /// The setting's name.
        name: String,
        /// What it is set to.
        value: String,
    },
    /// A known setting with a value that cannot be used.
    #[error("{file}: `{name}` is `{value}`, expected {expected}; the default holds")]
    UnusableValue {
        /// The file's name.
        file: String,
        /// The setting's name.
        name: String,
        /// What it is set to.
        value: String,
        /// What it could be.
        expected: &'static str,
    },
    /// A shortlist that would keep most words out of translations.
    #[error("{file}: lists too few words to be of use; every target word is considered instead")]
    Shortlist {
        /// The file's name.
        file: String,
    },
    /// A description that cannot be read; it does not change a translation.
    #[error("{0}; the description is not read")]
    Description(String),
}

/// Settings of Marian's decoder, its servers and Bergamot that say how the program runs, not what it translates, or that describe
/// how this engine works anyway.
pub const WITHOUT_EFFECT: &[&str] = &[
    // Files are looked for in the model's own folder, by their names.
    "relative-paths",
    // What is computed besides the translation is requested with each translation.
    "alignment",
    "n-best",
    "no-spm-decode",
    "no-spm-encode",
    "skip-cost",
    "word-scores",
    // Batches do not change a translation.
    "max-length",
    "max-length-crop",
    "maxi-batch",
    "maxi-batch-sort",
    "mini-batch",
    "mini-batch-words",
    // Products are exact, in the best form that the processor has.
    "clip-gemm",
    "gemm-precision",
    "gemm-type",
    "optimize",
    "precision",
    // Memory, processors and messages.
    "cache-size",
    "cpu-threads",
    "devices",
    "fp16",
    "int16",
    "log",
    "log-level",
    "log-time-zone",
    "num-devices",
    "quiet",
    "quiet-translation",
    "seed",
    "workspace",
    // Where text comes from and goes to.
    "input",
    "output",
    "port",
    "tsv",
    "tsv-fields",
    // This engine finds sentences by itself; the languages, for people, are given in other places.
    "source-language",
    "ssplit-mode",
    "ssplit-prefix-file",
    "target-language",
];

/// Settings that change translations and that this engine does not follow.
const UNSUPPORTED: &[&str] =
    &["allow-special", "allow-unk", "force-decode", "output-approx-knn", "output-sampling", "weights"];

/// Decoding settings as Marian's and Bergamot's programs write them into `decoder.yml`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DecoderOptions {
    /// Model files; more than one is an ensemble.
    pub models: Vec<String>,
    /// Vocabulary files, source first.
    pub vocabularies: Vec<String>,
    /// The shortlist.
    pub shortlist: Option<ShortlistOptions>,
    /// How wide a beam, how long input and output may be.
    pub decoding: Decoding,
    /// What is not followed.
    pub warnings: Vec<Warning>,
}

/// A shortlist, and what is kept of it if it is text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShortlistOptions {
    /// The file's name.
    pub file: String,
    /// The number of first target words that are always candidates.
    pub first: usize,
    /// The number of targets kept for each source word.
    pub best: usize,
}

/// What Marian keeps of a text shortlist unless told otherwise.
pub(super) const SHORTLIST_KEPT: usize = 100;

impl DecoderOptions {
    /// Reads a `decoder.yml`.
    ///
    /// # Errors
    /// Text that is not such YAML.
    pub fn parse(file: &str, bytes: &[u8]) -> Result<Self, Error> {
        let text = std::str::from_utf8(bytes).map_err(|_| malformed(file, "text", 0, Fault::Utf8))?;
        let mut settings = Settings { file, values: yaml::parse(file, "settings", text)?, warnings: Vec::new() };
        let texts = |list: Vec<Value>| list.iter().map(Value::to_string).collect::<Vec<_>>();
        let models = texts(settings.list("models"));
        let vocabularies = texts(settings.list("vocabs"));
        let shortlist = settings.shortlist();
        let decoding = Decoding {
            beam_size: settings.checked("beam-size", decoding::BEAM, |value| {
                Decoding { beam_size: count(value), ..Decoding::default() }.usable().beam_size
            }),
            normalize: settings.checked("normalize", "a number that is not negative", |value| {
                Decoding { normalize: number(value), ..Decoding::default() }.usable().normalize
            }),
            word_penalty: settings.checked("word-penalty", "a number", |value| {
                Decoding { word_penalty: number(value), ..Decoding::default() }.usable().word_penalty
            }),
            // Marian has no such settings.
            beam_threshold: None,
            beam_recombination: None,
            max_length_factor: settings.checked("max-length-factor", decoding::FACTOR, |value| {
                Decoding { max_length_factor: number(value), ..Decoding::default() }.usable().max_length_factor
            }),
            max_length_break: settings.checked("max-length-break", decoding::BREAK, |value| {
                Decoding { max_length_break: count(value), ..Decoding::default() }.usable().max_length_break
            }),
        };
        Ok(DecoderOptions { models, vocabularies, shortlist, decoding, warnings: settings.finish() })
    }
}

/// The settings of a file that have not been looked at yet.
struct Settings<'a> {
    file: &'a str,
    values: BTreeMap<String, Value>,
    warnings: Vec<Warning>,
}

impl Settings<'_> {
    fn list(&mut self, name: &str) -> Vec<Value> {
        match self.values.remove(name) {
            Some(Value::List(list)) => list,
            None | Some(Value::Null) => Vec::new(),
            Some(single) => vec![single],
        }
    }

    /// A value, if `read` can use it.
    fn checked<T>(&mut self, name: &str, expected: &'static str, read: impl Fn(&Value) -> Option<T>) -> Option<T> {
        let value = self.values.remove(name).filter(|value| *value != Value::Null)?;
        let usable = read(&value);
        if usable.is_none() {
            self.warnings.push(self.unusable(name, &value, expected));
        }
        usable
    }

    fn unusable(&self, name: &str, value: &Value, expected: &'static str) -> Warning {
        Warning::UnusableValue { file: self.file.to_owned(), name: name.to_owned(), value: value.to_string(), expected }
    }

    /// `FILE check?` for the binary form, `FILE first best threshold` for text.
    fn shortlist(&mut self) -> Option<ShortlistOptions> {
        let list = self.list("shortlist");
        let file = list.first()?.to_string();
        let mut kept = |index: usize| match list.get(index) {
            // In place of the numbers, a binary shortlist's setting says whether to check its content, which is always done.
            None | Some(Value::Switch(_) | Value::Null) => SHORTLIST_KEPT,
            Some(value) => count(value).map_or_else(
                || {
                    self.warnings.push(self.unusable("shortlist", value, "a whole number"));
                    SHORTLIST_KEPT
                },
                |number| number as usize,
            ),
        };
        let (first, best) = (kept(1), kept(2));
        if let Some(threshold) = list.get(3).filter(|threshold| number(threshold) != Some(0.0)) {
            self.warnings.push(Warning::UnsupportedSetting {
                file: self.file.to_owned(),
                name: "shortlist".to_owned(),
                value: format!("threshold {threshold}"),
            });
        }
        Some(ShortlistOptions { file, first, best })
    }

    /// Reports the settings that nothing asked for.
    fn finish(mut self) -> Vec<Warning> {
        for (name, value) in std::mem::take(&mut self.values) {
            if WITHOUT_EFFECT.contains(&name.as_str()) || value.is_off() {
                continue;
            }
            let (file, value) = (self.file.to_owned(), value.to_string());
            self.warnings.push(if UNSUPPORTED.contains(&name.as_str()) {
                Warning::UnsupportedSetting { file, name, value }
            } else {
                Warning::UnknownSetting { file, name, value }
            });
        }
        self.warnings
    }
}

fn number(value: &Value) -> Option<f32> {
    match value {
        Value::Integer(number) => Some(*number as f32),
        Value::Number(number) => Some(*number as f32),
        Value::Text(text) => text.parse().ok(),
        _ => None,
    }
}

fn count(value: &Value) -> Option<u32> {
    match value {
        Value::Integer(number) => u32::try_from(*number).ok(),
        Value::Text(text) => text.parse().ok(),
        _ => None,
    }
}

/// What `model_info.json` says about a published model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelInfo {
    /// Its short name: `en-de-tiny`.
    pub name: Option<String>,
    /// BCP 47 tag of the source language.
    pub source_language: Option<String>,
    /// BCP 47 tag of the target language.
    pub target_language: Option<String>,
    /// What is not followed.
    pub warnings: Vec<Warning>,
}

/// What else such a file says, for lists of models.
const INFO_WITHOUT_EFFECT: &[&str] =
    &["API", "checksum", "modelName", "name", "repository", "src", "trg", "type", "url", "version"];

impl ModelInfo {
    /// Reads a `model_info.json`.
    ///
    /// # Errors
    /// Text that is not a JSON object.
    pub fn parse(file: &str, bytes: &[u8]) -> Result<Self, Error> {
        let values: serde_json::Map<String, serde_json::Value> = serde_json::from_slice(bytes)
            .map_err(|error| malformed(file, "text", 0, Fault::Parse(format!("not a JSON object: {error}"))))?;
        let mut info = ModelInfo::default();
        // Tags that are given take precedence over those that a name tells.
        let (mut told, mut source_tags) = (None, Vec::new());
        for (name, value) in values {
            let text = value.as_str().filter(|text| !text.is_empty()).map(str::to_owned);
            match (name.as_str(), text) {
                ("shortName" | "shortname", Some(text)) => {
                    told = languages(&text);
                    info.name = Some(text);
                }
                ("trgTag", Some(text)) => info.target_language = Some(text),
                ("srcTags", None) => {
                    source_tags = value.as_object().map(|tags| tags.keys().cloned().collect()).unwrap_or_default();
                }
                (known, _) if INFO_WITHOUT_EFFECT.contains(&known) => {}
                _ => info.warnings.push(Warning::UnknownSetting {
                    file: file.to_owned(),
                    name,
                    value: value.to_string(),
                }),
            }
        }
        // With several source languages, none is the model's.
        if let [only] = source_tags.as_slice() {
            info.source_language = Some(only.clone());
        }
        let (source, target) = told.unzip();
        info.source_language = info.source_language.or(source.filter(|_| source_tags.is_empty()));
        info.target_language = info.target_language.or(target);
        Ok(info)
    }
}

/// The two languages that a short name begins with.
fn languages(name: &str) -> Option<(String, String)> {
    let tag = |part: Option<&str>| {
        part.filter(|tag| (2..=3).contains(&tag.len()) && tag.bytes().all(|byte| byte.is_ascii_lowercase()))
            .map(str::to_owned)
    };
    let mut parts = name.split('-');
    tag(parts.next()).zip(tag(parts.next()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(yaml: &str) -> DecoderOptions {
        DecoderOptions::parse("decoder.yml", yaml.as_bytes()).unwrap()
    }

    /// The settings of published students and of the servers that run them.
    #[test]
    fn published_settings_are_known() {
        let student = parse(
            "relative-paths: true\nmodels:\n  - model.intgemm.alphas.bin\nvocabs:\n  - vocab.deen.spm\n  - vocab.deen.spm\n\
             beam-size: 1\nnormalize: 1.0\nword-penalty: 0\nmini-batch: 64\nmaxi-batch: 1000\nmaxi-batch-sort: src\n\
             workspace: 2000\nmax-length-factor: 2.5\ngemm-precision: int8shiftAlphaAll\nsource-language: English\n\
             target-language: German\nssplit-prefix-file: nonbreaking_prefix.en\nqe-sentence-level-thresholds: []\n",
        );
        assert_eq!(student.warnings, []);
        assert_eq!(student.models, ["model.intgemm.alphas.bin"]);
        assert_eq!(student.vocabularies, ["vocab.deen.spm", "vocab.deen.spm"]);
        let decoding = Decoding {
            beam_size: Some(1),
            normalize: Some(1.0),
            word_penalty: Some(0.0),
            max_length_factor: Some(2.5),
            ..Decoding::default()
        };
        assert_eq!(student.decoding, decoding);

        let browser = parse(
            "shortlist: [lex.50.50.ende.s2t.bin, false]\nmax-length-break: 128\nmini-batch-words: 1024\nskip-cost: true\n\
             cpu-threads: 1\nquiet: true\nquiet-translation: true\nalignment: soft\nallow-unk: false\n",
        );
        assert_eq!(browser.warnings, []);
        let kept = ShortlistOptions { file: "lex.50.50.ende.s2t.bin".to_owned(), first: 100, best: 100 };
        assert_eq!(browser.shortlist, Some(kept));
    }

    #[test]
    fn what_is_not_followed_is_told() {
        let told = |yaml: &str| {
            let warnings = parse(yaml).warnings;
            warnings.iter().map(Warning::to_string).collect::<Vec<_>>().join("\n")
        };
        assert_eq!(
            told("skip-costls: true"),
            "decoder.yml: `skip-costls: true` is not a setting that this program knows; it has no effect"
        );
        assert_eq!(
            told("allow-unk: true"),
            "decoder.yml: `allow-unk: true` is not supported; translations may differ from Marian's"
        );
        assert_eq!(
            told("beam-size: many"),
            "decoder.yml: `beam-size` is `many`, expected a whole number from 1 to 64; the default holds"
        );
        for (name, value) in [
            ("beam-size", "0"),
            ("beam-size", "65"),
            ("normalize", "-1"),
            ("normalize", "true"),
            ("word-penalty", ".inf"),
            ("max-length-factor", "0"),
            ("max-length-break", "1.5"),
        ] {
            let options = parse(&format!("{name}: {value}"));
            assert_eq!(options.decoding, Decoding::default(), "{name}: {value}");
            assert!(
                matches!(options.warnings.as_slice(), [Warning::UnusableValue { name: named, .. }] if named == name),
                "{name}: {value}: {:?}",
                options.warnings
            );
        }
        assert!(told("shortlist: [lex.s2t, 50, 50, 0.2]").contains("threshold 0.2"));
        assert!(told("shortlist: [lex.s2t, some]").contains("`some`"));
        assert_eq!(told("shortlist: [lex.s2t, 50, 50, 0]\nbeam-size: \"4\"\nnormalize:"), "");
    }

    #[test]
    fn names_and_languages_of_published_models_are_read() {
        let parse = |json: &str| ModelInfo::parse("model_info.json", json.as_bytes());
        let told = |json: &str| {
            let info = parse(json).unwrap();
            assert_eq!(info.warnings, []);
            (info.name.unwrap_or_default(), info.source_language, info.target_language)
        };
        let languages = |source: &str, target: &str| (Some(source.to_owned()), Some(target.to_owned()));
        let (name, source, target) =
            told(r#"{"modelName": "English-German tiny", "shortname": "en-de", "type": "tiny"}"#);
        assert_eq!((name.as_str(), (source, target)), ("en-de", languages("en", "de")));
        let (_, source, target) = told(
            r#"{"shortName": "hbs-eng-tiny", "src": "Serbo-Croatian", "srcTags": {"sr": "Serbian"}, "trgTag": "en",
               "version": 1.0, "API": 1.0}"#,
        );
        assert_eq!((source, target), languages("sr", "en"));
        let (_, source, target) = told(r#"{"shortName": "many-en", "srcTags": {"sr": "Serbian", "hr": "Croatian"}}"#);
        assert_eq!((source, target), (None, None));
        assert!(matches!(parse(r#"{"tokenizer": "x"}"#).unwrap().warnings[..], [Warning::UnknownSetting { .. }]));
        assert!(parse("[1]").is_err() && parse("").is_err());
    }
}

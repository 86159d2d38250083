//! The interface of DeepL, version 2: <https://developers.deepl.com/api-reference>.

use super::App;
use super::error::ServeError;
use super::http::Call;
use super::languages::name;
use super::parameters::Parameters;
use super::translate::{Format, Translated, Work, translate};
use serde_json::{Value, json};
use wanderwort::Sentences;
use wanderwort::model::catalogue::same_language;
use wanderwort::text::html::ElementRules;

/// The limit that is reported although there is none.
const NO_LIMIT: u64 = 1_000_000_000_000;

/// Targets that clients must name with a region. Models write what they have learned, whichever is named.
const REGIONS: [(&str, [(&str, &str); 2]); 2] = [
    ("en", [("EN-GB", "English (British)"), ("EN-US", "English (American)")]),
    ("pt", [("PT-BR", "Portuguese (Brazilian)"), ("PT-PT", "Portuguese (European)")]),
];

/// `/v2/translate`
pub async fn translation(app: &App, call: &Call) -> Result<Value, ServeError> {
    let Call { parameters, .. } = call;
    let (texts, _) = parameters.texts("text")?;
    let target = parameters.needed("target_lang", "the language of the translation")?;
    let source = parameters.text("source_lang")?.filter(|source| !source.is_empty());
    parameters.refuse("glossary_id", "none, for there are no glossaries")?;
    parameters.word("formality", &["default", "prefer_more", "prefer_less"])?;
    let format = match parameters.word("tag_handling", &["html", "xml"])? {
        Some("html") => Format::Html,
        Some(_) => Format::Xml,
        None => Format::Text,
    };
    let sentences = match parameters.word("split_sentences", &["0", "1", "nonewlines", "false", "true"])? {
        Some("0" | "false") => Some(Sentences::AreLines),
        Some("nonewlines") => Some(Sentences::InParagraphs),
        _ => None,
    };
    let shows_billed = parameters.word("show_billed_characters", &["0", "1", "false", "true"])?;
    let lengths: Vec<usize> = texts.iter().map(|text| text.chars().count()).collect();
    let work = Work {
        texts,
        source: source.map(str::to_owned),
        target: target.to_owned(),
        format,
        sentences,
        alternatives: 0,
        prefix: String::new(),
        elements: elements(parameters, format)?,
        client: call.client,
        priority: call.priority,
    };
    let translated = translate(app, work).await?;
    let translation = |(one, length): (Translated, usize)| {
        let tag = one.detected.as_ref().map(|found| found.tag.as_str()).or(source).unwrap_or_default();
        let mut answer = json!({ "detected_source_language": tag.to_ascii_uppercase(), "text": one.text });
        if matches!(shows_billed, Some("1" | "true")) {
            answer["billed_characters"] = json!(length);
        }
        answer
    };
    Ok(json!({ "translations": translated.into_iter().zip(lengths).map(translation).collect::<Value>() }))
}

/// What elements are in markup, according to the parameters.
fn elements(parameters: &Parameters, format: Format) -> Result<ElementRules, ServeError> {
    if format == Format::Text {
        return Ok(ElementRules::default());
    }
    let outline = parameters.word("outline_detection", &["0", "1", "false", "true"])?;
    Ok(ElementRules {
        borders: parameters.list("splitting_tags")?,
        inline: parameters.list("non_splitting_tags")?,
        kept: parameters.list("ignore_tags")?,
        outline: !matches!(outline, Some("0" | "false")),
    })
}

/// `/v2/usage`: characters since the server was started.
pub fn usage(app: &App) -> Value {
    json!({ "character_count": app.metrics.characters.get(), "character_limit": NO_LIMIT })
}

/// `/v2/languages`
pub fn languages(app: &App, parameters: &Parameters) -> Result<Value, ServeError> {
    let language = |tag: &str, name: &str| json!({ "language": tag, "name": name });
    if parameters.word("type", &["source", "target"])? != Some("target") {
        let sources = app.library.sources();
        return Ok(sources.iter().map(|tag| language(&tag.to_ascii_uppercase(), &name(tag))).collect());
    }
    let mut targets = Vec::new();
    for tag in app.library.targets(None) {
        match REGIONS.iter().find(|(other, _)| same_language(other, tag)) {
            Some((_, regions)) => targets.extend(regions.map(|(tag, name)| language(tag, name))),
            None => targets.push(language(&tag.to_ascii_uppercase(), &name(tag))),
        }
    }
    for target in &mut targets {
        target["supports_formality"] = json!(false);
    }
    Ok(Value::Array(targets))
}

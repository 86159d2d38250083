//! The interface of Immersive Translate for users' own servers: <https://immersivetranslate.com/docs/services/custom/>.

use super::App;
use super::error::ServeError;
use super::http::Call;
use super::translate::{Format, Translated, Work, translate};
use serde_json::{Value, json};
use wanderwort::text::html::ElementRules;

/// `/immersive`
pub async fn translation(app: &App, call: &Call) -> Result<Value, ServeError> {
    let Call { parameters, .. } = call;
    let (texts, _) = parameters.texts("text_list")?;
    let source = parameters.text("source_lang")?.filter(|tag| !tag.is_empty() && !tag.eq_ignore_ascii_case("auto"));
    let target = parameters.needed("target_lang", "the language of the translation")?;
    let work = Work {
        texts,
        source: source.map(str::to_owned),
        target: target.to_owned(),
        format: Format::Text,
        sentences: None,
        alternatives: 0,
        prefix: String::new(),
        elements: ElementRules::default(),
        client: call.client,
        priority: call.priority,
    };
    let translated = translate(app, work).await?;
    let translation = |one: &Translated| {
        let tag = one.detected.as_ref().map(|found| found.tag.as_str()).or(source).unwrap_or_default();
        json!({ "detected_source_lang": tag, "text": one.text })
    };
    Ok(json!({ "translations": translated.iter().map(translation).collect::<Value>() }))
}

//! The interface of LibreTranslate, version 1.7: <https://docs.libretranslate.com/api/operations/>.

use super::App;
use super::error::ServeError;
use super::http::Call;
use super::languages::{Detected, name};
use super::parameters::Parameters;
use super::translate::{Format, MOST_ALTERNATIVES, Translated, Work, characters, translate};
use serde_json::{Value, json};
use wanderwort::text::html::ElementRules;

fn detected_language(found: &Detected) -> Value {
    json!({ "confidence": (found.confidence * 100.0).round(), "language": found.tag })
}

/// `/translate`
pub async fn translation(app: &App, call: &Call) -> Result<Value, ServeError> {
    let Call { parameters, .. } = call;
    let (texts, is_list) = parameters.texts("q")?;
    let source = parameters.needed("source", "the language of the text, or auto")?;
    let target = parameters.needed("target", "the language of the translation")?;
    let is_detected = source.eq_ignore_ascii_case("auto");
    let expected = format!("a number from 0 to {MOST_ALTERNATIVES}");
    let alternatives = parameters.number::<usize>("alternatives", &expected)?.unwrap_or(0);
    if alternatives > MOST_ALTERNATIVES {
        return Err(ServeError::Invalid { name: "alternatives", expected, found: alternatives.to_string() });
    }
    let format = match parameters.word("format", &["text", "html"])? {
        Some("html") => Format::Html,
        _ => Format::Text,
    };
    if format == Format::Html {
        parameters.refuse("prefix", "none where the format is html")?;
    }
    let prefix = parameters.text("prefix")?.unwrap_or_default();
    let work = Work {
        texts,
        source: (!is_detected).then(|| source.to_owned()),
        target: target.to_owned(),
        format,
        sentences: None,
        alternatives,
        prefix: prefix.to_owned(),
        elements: ElementRules::default(),
        client: call.client,
        priority: call.priority,
    };
    let translated = translate(app, work).await?;
    let of_all = |field: &dyn Fn(&Translated) -> Value| match (&translated[..], is_list) {
        ([one], false) => field(one),
        (all, _) => all.iter().map(field).collect(),
    };
    let mut answer = json!({ "translatedText": of_all(&|one| json!(one.text)) });
    if alternatives > 0 {
        answer["alternatives"] = of_all(&|one| json!(one.alternatives));
    }
    if is_detected {
        answer["detectedLanguage"] = of_all(&|one| one.detected.as_ref().map_or(Value::Null, detected_language));
    }
    Ok(answer)
}

/// `/detect`
pub fn detection(app: &App, parameters: &Parameters) -> Result<Value, ServeError> {
    let (texts, _) = parameters.texts("q")?;
    let found = characters(&texts);
    if found > app.limits.text {
        return Err(ServeError::TextSize { limit: app.limits.text, found });
    }
    Ok(app.library.detect(&[&texts.join("\n")]).iter().map(detected_language).collect())
}

/// `/languages`
pub fn languages(app: &App) -> Value {
    let sources = app.library.sources();
    let language = |tag: &&str| json!({ "code": tag, "name": name(tag), "targets": app.library.targets(Some(tag)) });
    sources.iter().map(language).collect()
}

/// `/frontend/settings`
pub fn settings(app: &App) -> Value {
    let sources = app.library.sources();
    let source = sources.first().copied().unwrap_or_default();
    let target = app.library.targets(Some(source)).first().copied().unwrap_or_default();
    json!({
        "apiKeys": app.token.is_some(),
        "charLimit": app.limits.text,
        "filesTranslation": false,
        "frontendTimeout": 500,
        "keyRequired": app.token.is_some(),
        "language": {
            "source": { "code": source, "name": name(source) },
            "target": { "code": target, "name": name(target) },
        },
        "suggestions": false,
        "supportedFilesFormat": [],
    })
}

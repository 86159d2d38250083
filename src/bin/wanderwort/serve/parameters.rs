//! What a request asks for: parameters of its address and its body, which is JSON or a form.

use super::error::ServeError;
use serde_json::{Map, Value};
use std::str::FromStr;

/// Named values. One that occurs several times in a form is a list.
#[derive(Debug, Default)]
pub struct Parameters(Map<String, Value>);

/// What kind of value it is, without saying what it contains.
fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "other text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

impl Parameters {
    /// Reads what follows the question mark of an address.
    pub fn of_query(query: Option<&str>) -> Parameters {
        let mut parameters = Parameters::default();
        parameters.add_form(query.unwrap_or_default().as_bytes());
        parameters
    }

    /// Reads a body of this media type, or of none, and adds its values.
    ///
    /// # Errors
    /// A body that is not what it says it is.
    pub fn add_body(&mut self, media_type: Option<&str>, body: &[u8]) -> Result<(), ServeError> {
        let media_type = media_type.map(|media_type| media_type.split(';').next().unwrap_or_default().trim());
        let is_json = match media_type.map(str::to_ascii_lowercase).as_deref() {
            Some("application/json" | "text/json") => true,
            Some("application/x-www-form-urlencoded") => false,
            None => body.trim_ascii_start().starts_with(b"{"),
            Some(other) => return Err(ServeError::MediaType { found: shown(other) }),
        };
        if body.trim_ascii().is_empty() {
            return Ok(());
        }
        if !is_json {
            self.add_form(body);
            return Ok(());
        }
        let expected = "a JSON object in UTF-8";
        match serde_json::from_slice(body) {
            Ok(Value::Object(object)) => self.0.extend(object),
            Ok(other) => return Err(ServeError::Body { expected, found: kind(&other).to_owned() }),
            Err(error) => {
                let (what, line, column) = (error.classify(), error.line(), error.column());
                let found = format!("what is not ({what:?} error in line {line}, column {column})");
                return Err(ServeError::Body { expected, found });
            }
        }
        Ok(())
    }

    fn add_form(&mut self, form: &[u8]) {
        for (name, value) in form_urlencoded::parse(form) {
            let value = Value::String(value.into_owned());
            match self.0.entry(name.into_owned()).or_insert(Value::Null) {
                Value::Array(values) => values.push(value),
                slot @ Value::Null => *slot = value,
                slot => *slot = Value::Array(vec![slot.take(), value]),
            }
        }
    }

    fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    /// A text.
    pub fn text(&self, name: &'static str) -> Result<Option<&str>, ServeError> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(invalid(name, "a text", kind(other))),
        }
    }

    /// A text that must be there.
    pub fn needed(&self, name: &'static str, expected: &'static str) -> Result<&str, ServeError> {
        let text = self.text(name)?.filter(|text| !text.is_empty());
        text.ok_or(ServeError::Missing { name, expected })
    }

    /// Texts, and whether they came as a list.
    pub fn texts(&self, name: &'static str) -> Result<(Vec<String>, bool), ServeError> {
        match self.get(name) {
            None => Err(ServeError::Missing { name, expected: "a text or a list of texts" }),
            Some(Value::String(text)) => Ok((vec![text.clone()], false)),
            Some(Value::Array(values)) => {
                let text = |value: &Value| value.as_str().map(str::to_owned).ok_or_else(|| kind(value));
                let texts = values.iter().map(text).collect::<Result<_, _>>();
                Ok((texts.map_err(|found| invalid(name, "a list of texts", &format!("{found} in it")))?, true))
            }
            Some(other) => Err(invalid(name, "a text or a list of texts", kind(other))),
        }
    }

    /// Texts of a list, or separated by commas; none if the parameter is missing.
    pub fn list(&self, name: &'static str) -> Result<Vec<String>, ServeError> {
        match self.get(name) {
            None => Ok(Vec::new()),
            Some(Value::String(text)) => Ok(text.split(',').map(|part| part.trim().to_owned()).collect()),
            Some(_) => Ok(self.texts(name)?.0),
        }
    }

    /// A number, which may be written as text.
    pub fn number<N: FromStr>(&self, name: &'static str, expected: &str) -> Result<Option<N>, ServeError> {
        let Some(value) = self.get(name) else { return Ok(None) };
        let text = match value {
            Value::Number(number) => number.to_string(),
            Value::String(text) => text.clone(),
            other => return Err(invalid(name, expected, kind(other))),
        };
        text.trim().parse().map(Some).map_err(|_| invalid(name, expected, &shown(&text)))
    }

    /// One of some words, in lower case; numbers and Booleans are words too. None if it is missing or empty.
    pub fn word(&self, name: &'static str, words: &[&'static str]) -> Result<Option<&'static str>, ServeError> {
        let text = match self.get(name) {
            None => return Ok(None),
            Some(Value::String(text)) => text.trim().to_ascii_lowercase(),
            Some(value @ (Value::Bool(_) | Value::Number(_))) => value.to_string(),
            Some(other) => return Err(invalid(name, &words.join(" or "), kind(other))),
        };
        if text.is_empty() {
            return Ok(None);
        }
        let word = words.iter().find(|word| **word == text);
        word.copied().map(Some).ok_or_else(|| invalid(name, &words.join(" or "), &shown(&text)))
    }

    /// Refuses a parameter that would change the translation and cannot be followed.
    pub fn refuse(&self, name: &'static str, because: &str) -> Result<(), ServeError> {
        match self.get(name) {
            None => Ok(()),
            Some(Value::String(text)) if text.is_empty() => Ok(()),
            Some(found) => Err(invalid(name, because, kind(found))),
        }
    }
}

fn invalid(name: &'static str, expected: &str, found: &str) -> ServeError {
    ServeError::Invalid { name, expected: expected.to_owned(), found: found.to_owned() }
}

/// The beginning of something that is not text for readers.
fn shown(text: &str) -> String {
    format!("{:?}", text.chars().take(40).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_and_forms_say_the_same() {
        let mut json = Parameters::default();
        let body = br#"{"q": ["a", "b & c"], "target": "de", "alternatives": 2, "flag": true, "nothing": null}"#;
        json.add_body(Some("application/json; charset=utf-8"), body).unwrap();
        let mut form = Parameters::of_query(Some("target=de"));
        form.add_body(Some("application/x-www-form-urlencoded"), b"q=a&q=b+%26+c&alternatives=2&flag=true").unwrap();
        for parameters in [json, form] {
            assert_eq!(parameters.texts("q").unwrap(), (vec!["a".to_owned(), "b & c".to_owned()], true));
            assert_eq!(parameters.needed("target", "").unwrap(), "de");
            assert_eq!(parameters.number::<usize>("alternatives", "").unwrap(), Some(2));
            assert_eq!(parameters.word("flag", &["true", "false"]).unwrap(), Some("true"));
            assert_eq!(parameters.text("nothing").unwrap(), None);
        }
    }

    #[test]
    fn errors_say_what_was_expected_and_nothing_of_the_text() {
        let mut parameters = Parameters::default();
        parameters.add_body(None, br#"{"q": [1], "target": 5, "format": "pdf"}"#).unwrap();
        let messages = [
            parameters.texts("q").unwrap_err().to_string(),
            parameters.text("target").unwrap_err().to_string(),
            parameters.needed("source", "a tag").unwrap_err().to_string(),
            parameters.word("format", &["text", "html"]).unwrap_err().to_string(),
        ];
        assert_eq!(
            messages,
            [
                "`q`: expected a list of texts, found a number in it",
                "`target`: expected a text, found a number",
                "missing `source`: expected a tag",
                "`format`: expected text or html, found \"pdf\"",
            ]
        );
        for (media_type, body, code) in [
            ("application/json", &b"{\"q\": \"secret"[..], "malformed-body"),
            ("application/json", b"[\"secret\"]", "malformed-body"),
            ("application/json", b"{\"q\": \"\xff\"}", "malformed-body"),
            ("text/plain", b"secret", "media-type"),
        ] {
            let error = Parameters::default().add_body(Some(media_type), body).unwrap_err();
            assert_eq!(error.code(), code, "{media_type}");
            assert!(!error.to_string().contains("secret"), "{error}");
        }
    }
}

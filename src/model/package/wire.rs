//! The header as it is written, in JSON, and what of it becomes the program's own [`Header`].
//!
//! Readers skip what they do not know, since it may be an addition that they do not need. What cannot be read correctly without knowing
//! it is refused as a newer version's: names in `requires`, encodings, kinds of sections that are not `optional`, sides of
//! vocabularies.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::super::decoding::Decoding;
use super::super::error::Fault;
use super::header::{Card, Content, Encoding, Entry, Header, Score, Section, Side, Unknown};
use super::log4::Codebook;

/// What a package can require of its reader, as far as this one knows it.
const FEATURES: &[&str] = &[];

/// Reads the JSON of a header.
pub(super) fn read(text: &[u8]) -> Result<Header, Fault> {
    #[derive(Deserialize)]
    struct Required {
        #[serde(default)]
        requires: Vec<String>,
    }
    // Before everything else, since anything after it may have a newer form.
    let required: Required = serde_json::from_slice(text).map_err(not_a_header)?;
    if let Some(name) = required.requires.iter().find(|name| !FEATURES.contains(&name.as_str())) {
        return Err(Fault::Newer(format!("`{name}`")));
    }
    let wire: Wire = serde_json::from_slice(text).map_err(not_a_header)?;
    let sections = wire.sections.into_iter().map(section).collect::<Result<_, _>>()?;
    Ok(Header {
        card: Card {
            name: wire.name,
            source_language: wire.source_language,
            target_language: wire.target_language,
            licence: wire.licence,
            description: wire.description,
            scores: wire
                .scores
                .into_iter()
                .map(|WireScore { set, metric, value }| Score { set, metric, value })
                .collect(),
        },
        config: wire.config,
        decoding: Decoding {
            beam_size: wire.beam_size,
            normalize: wire.normalize,
            word_penalty: wire.word_penalty,
            beam_threshold: wire.beam_threshold,
            beam_recombination: wire.beam_recombination,
            max_length_factor: wire.max_length_factor,
            max_length_break: wire.max_length_break,
        },
        signs: wire.signs,
        sections,
        unknown: Unknown(wire.unknown),
    })
}

/// Writes the JSON of a header.
pub(super) fn write(header: &Header) -> Vec<u8> {
    let Card { name, source_language, target_language, licence, description, scores } = header.card.clone();
    let scores = scores.into_iter().map(|Score { set, metric, value }| WireScore { set, metric, value }).collect();
    let decoding = header.decoding;
    let wire = Wire {
        name,
        source_language,
        target_language,
        licence,
        description,
        scores,
        config: header.config.clone(),
        beam_size: decoding.beam_size,
        normalize: decoding.normalize,
        beam_threshold: decoding.beam_threshold,
        beam_recombination: decoding.beam_recombination,
        word_penalty: decoding.word_penalty,
        max_length_factor: decoding.max_length_factor,
        max_length_break: decoding.max_length_break,
        signs: header.signs.clone(),
        sections: header.sections.iter().map(section_to_wire).collect(),
        unknown: header.unknown.0.clone(),
    };
    serde_json::to_vec(&wire).expect("a header has only text keys")
}

#[derive(Serialize, Deserialize)]
struct Wire {
    #[serde(default)]
    name: String,
    #[serde(default)]
    source_language: String,
    #[serde(default)]
    target_language: String,
    #[serde(default)]
    licence: String,
    #[serde(default)]
    description: String,
    #[serde(default)]
    scores: Vec<WireScore>,
    config: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    beam_size: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    normalize: Option<f32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    beam_threshold: Option<f32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    beam_recombination: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    word_penalty: Option<f32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    max_length_factor: Option<f32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    max_length_break: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    signs: Option<String>,
    sections: Vec<Map<String, Value>>,
    /// What is written again as it was read.
    #[serde(flatten)]
    unknown: Map<String, Value>,
}

#[derive(Serialize, Deserialize)]
struct WireScore {
    set: String,
    metric: String,
    value: f64,
}

/// The keys that every section has.
#[derive(Serialize, Deserialize)]
struct WireSection {
    length: u64,
    checksum: u32,
    #[serde(default)]
    optional: bool,
}

#[derive(Serialize, Deserialize)]
struct WireVocabulary {
    side: String,
    name: String,
}

#[derive(Serialize, Deserialize)]
struct WireShortlist {
    first: usize,
    source: usize,
    target: usize,
    joint: bool,
}

#[derive(Serialize, Deserialize)]
struct WireEntry {
    name: String,
    encoding: Value,
    rows: usize,
    columns: usize,
    #[serde(default, skip_serializing_if = "is_zero")]
    scales: usize,
    length: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    error: Option<f32>,
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

fn not_a_header(error: serde_json::Error) -> Fault {
    Fault::Parse(format!("not a header: {error}"))
}

fn parse<T: for<'a> Deserialize<'a>>(value: &Value) -> Result<T, Fault> {
    T::deserialize(value).map_err(not_a_header)
}

fn section(keys: Map<String, Value>) -> Result<Section, Fault> {
    let WireSection { length, checksum, optional } = WireSection::deserialize(&keys).map_err(not_a_header)?;
    let content = match content(&keys) {
        Err(Fault::Newer(_)) if optional => Content::Other(Unknown(keys)),
        content => content?,
    };
    Ok(Section { length, checksum, content })
}

fn content(keys: &Map<String, Value>) -> Result<Content, Fault> {
    if let Some(vocabulary) = keys.get("vocabulary") {
        let WireVocabulary { side, name } = parse(vocabulary)?;
        let side = match side.as_str() {
            "source" => Side::Source,
            "target" => Side::Target,
            "joint" => Side::Joint,
            _ => return Err(Fault::Newer(format!("vocabularies of the side `{side}`"))),
        };
        return Ok(Content::Vocabulary { side, name });
    }
    if let Some(shortlist) = keys.get("shortlist") {
        let WireShortlist { first, source, target, joint } = parse(shortlist)?;
        return Ok(Content::Shortlist { first, source, target, joint });
    }
    if let Some(tensors) = keys.get("tensors") {
        let entries: Vec<WireEntry> = parse(tensors)?;
        return Ok(Content::Tensors(entries.into_iter().map(entry).collect::<Result<_, _>>()?));
    }
    let known = ["length", "checksum", "optional"];
    let kind = keys.keys().find(|key| !known.contains(&key.as_str())).map_or("", String::as_str);
    Err(Fault::Newer(format!("sections of the kind `{kind}`")))
}

fn entry(wire: WireEntry) -> Result<Entry, Fault> {
    let WireEntry { name, encoding, rows, columns, scales, length, error } = wire;
    let encoding = match (encoding.as_str(), encoding.get("log4").and_then(Value::as_str)) {
        (Some("float32"), _) => Encoding::Float32,
        (Some("float16"), _) => Encoding::Float16,
        (Some("int8"), _) => Encoding::Int8,
        (_, Some("zero")) => Encoding::Log4(Codebook::Zero),
        (_, Some("no-zero")) => Encoding::Log4(Codebook::NoZero),
        _ => return Err(Fault::Newer(format!("the encoding `{encoding}` of `{name}`"))),
    };
    Ok(Entry { name, encoding, rows, columns, scales, length, error })
}

fn section_to_wire(section: &Section) -> Map<String, Value> {
    let mut keys = Map::new();
    let mut insert = |key: &str, value: Value| keys.insert(key.to_owned(), value);
    match &section.content {
        Content::Vocabulary { side, name } => {
            let side = match side {
                Side::Source => "source",
                Side::Target => "target",
                Side::Joint => "joint",
            };
            insert("vocabulary", json!({"side": side, "name": name}))
        }
        &Content::Shortlist { first, source, target, joint } => {
            insert("shortlist", json!({"first": first, "source": source, "target": target, "joint": joint}))
        }
        Content::Tensors(entries) => {
            let entries = entries.iter().map(|entry| {
                let encoding = match entry.encoding {
                    Encoding::Float32 => json!("float32"),
                    Encoding::Float16 => json!("float16"),
                    Encoding::Int8 => json!("int8"),
                    Encoding::Log4(Codebook::Zero) => json!({"log4": "zero"}),
                    Encoding::Log4(Codebook::NoZero) => json!({"log4": "no-zero"}),
                };
                let Entry { name, rows, columns, scales, length, error, .. } = entry.clone();
                serde_json::to_value(WireEntry { name, encoding, rows, columns, scales, length, error })
                    .expect("an entry has only text keys")
            });
            insert("tensors", Value::Array(entries.collect()))
        }
        Content::Other(Unknown(keys)) => return keys.clone(),
    };
    insert("length", section.length.into());
    insert("checksum", section.checksum.into());
    keys
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECTIONS: &str = r#"[{"length": 4, "checksum": 1, "tensors": [
        {"name": "Wemb", "encoding": {"log4": "zero"}, "rows": 2, "columns": 3, "scales": 1, "length": 4, "error": 0.25}]}]"#;

    fn header(records: &str, sections: &str) -> Result<Header, Fault> {
        read(format!(r#"{{{records} "config": "type: transformer", "sections": {sections}}}"#).as_bytes())
    }

    #[test]
    fn what_is_read_is_written_again() {
        let records = r#""name": "n", "normalize": 0.6, "signs": "%§→", "tomorrow": {"a": [1]}, "#;
        let optional = r#"[{"length": 9, "checksum": 7, "optional": true, "pictures": {"of": "words"}},"#;
        let sections = SECTIONS.replacen('[', optional, 1);
        let read_once = header(records, &sections).unwrap();
        assert_eq!(read_once.signs.as_deref(), Some("%§→"));
        assert_eq!(read_once.decoding.normalize, Some(0.6));
        assert!(matches!(read_once.sections[0].content, Content::Other(_)));
        assert_eq!((read_once.sections[0].length, read_once.sections[0].checksum), (9, 7));
        let written = write(&read_once);
        assert_eq!(read(&written).unwrap(), read_once);
        let written: Value = serde_json::from_slice(&written).unwrap();
        assert_eq!(written["tomorrow"], json!({"a": [1]}));
        assert_eq!(written["sections"][0]["pictures"], json!({"of": "words"}));
        assert_eq!(written["sections"][0]["optional"], json!(true));
    }

    #[test]
    fn what_must_be_known_needs_a_newer_version() {
        let newer = |records: &str, sections: &str| match header(records, sections) {
            Err(Fault::Newer(what)) => what,
            other => panic!("{records} {sections}: {other:?}"),
        };
        assert_eq!(newer(r#""requires": ["rotation"], "#, SECTIONS), "`rotation`");
        // Whatever else is strange then.
        assert_eq!(newer(r#""requires": ["rotation"], "normalize": "often", "#, "{}"), "`rotation`");
        let strange = [
            (r#"{"log4": "zero"}"#, r#""int2""#, "encoding"),
            (r#"{"log4": "zero"}"#, r#"{"log4": "three"}"#, "encoding"),
            (r#"{"log4": "zero"}"#, r#"{"lattice": 8}"#, "encoding"),
            ("tensors", "pictures", "`pictures`"),
        ];
        for (known, unknown, named) in strange {
            let sections = SECTIONS.replacen(known, unknown, 1);
            let what = newer("", &sections);
            assert!(what.contains(named), "{what}");
            // The same in a section that is not needed.
            let sections = sections.replacen("\"length\"", "\"optional\": true, \"length\"", 1);
            assert!(matches!(header("", &sections).unwrap().sections[0].content, Content::Other(_)));
        }
        let side = r#"[{"length": 4, "checksum": 1, "vocabulary": {"side": "pivot", "name": "v"}}]"#;
        assert!(newer("", side).contains("pivot"));
    }

    #[test]
    fn what_is_known_and_wrong_is_damage() {
        let wrong = [("\"rows\": 2", "\"rows\": -2"), ("\"checksum\": 1,", ""), ("\"name\": \"Wemb\", ", "")];
        for (right, wrong) in wrong {
            let sections = SECTIONS.replacen(right, wrong, 1);
            assert!(matches!(header("", &sections), Err(Fault::Parse(_))), "{sections}");
        }
    }
}

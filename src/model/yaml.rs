//! The flat YAML of Marian's configurations.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::error::{Error, Fault, malformed};

/// Reads names and values; `file` and `item` are named in errors.
pub(super) fn parse(file: &str, item: &str, yaml: &str) -> Result<BTreeMap<String, Value>, Error> {
    // Marian writes bare operation lists such as `n`, which YAML 1.1 would take for `false`.
    let strict = serde_saphyr::options! { strict_booleans: true };
    serde_saphyr::from_str_with_options(yaml, strict)
        .map_err(|error| malformed(file, item, 0, Fault::Parse(error.to_string())))
}

/// One value of the flat YAML that Marian writes.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(untagged)]
pub(super) enum Value {
    Null,
    Switch(bool),
    Integer(i64),
    Number(f64),
    Text(String),
    List(Vec<Value>),
}

impl Value {
    /// Nothing is switched on by this value.
    pub(super) fn is_off(&self) -> bool {
        match self {
            Value::Null => true,
            Value::Switch(on) => !on,
            Value::Integer(number) => *number == 0,
            Value::Number(number) => *number == 0.0,
            Value::Text(text) => text.is_empty() || text == "none",
            Value::List(list) => list.is_empty(),
        }
    }
}

impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Value::Null => f.write_str("null"),
            Value::Switch(on) => on.fmt(f),
            Value::Integer(number) => number.fmt(f),
            Value::Number(number) => number.fmt(f),
            Value::Text(text) => f.write_str(text),
            Value::List(list) => {
                f.write_str("[")?;
                for (index, value) in list.iter().enumerate() {
                    write!(f, "{}{value}", if index > 0 { ", " } else { "" })?;
                }
                f.write_str("]")
            }
        }
    }
}

//! The flat YAML of Marian's configurations.

use std::collections::BTreeMap;

use saphyr_parser::{Event, Parser, ScalarStyle, ScanError, Span, StrInput};

use super::error::{Error, Fault, malformed};

/// Lists may be nested, but not without limit.
const DEEPEST_LIST: usize = 8;

/// Reads names and values; `file` and `item` are named in errors.
pub(super) fn parse(file: &str, item: &str, yaml: &str) -> Result<BTreeMap<String, Value>, Error> {
    let mut events = Events(Parser::new_from_str(yaml));
    mapping(&mut events).map_err(|fault| malformed(file, item, 0, fault))
}

/// The events of a text, one after the other. The loaders that come with YAML parsers build trees by recursion, as deep as
/// a hostile file likes; what Marian writes needs none.
struct Events<'a>(Parser<'a, StrInput<'a>>);

impl<'a> Events<'a> {
    fn next(&mut self) -> Result<(Event<'a>, Span), Fault> {
        match self.0.next_event() {
            Some(Ok(event)) => Ok(event),
            Some(Err(error)) => Err(syntax(&error)),
            None => Err(Fault::Parse("the YAML ends too early".to_owned())),
        }
    }
}

fn syntax(error: &ScanError) -> Fault {
    Fault::Parse(error.to_string())
}

fn unexpected(what: &str, span: Span) -> Fault {
    Fault::Parse(format!("expected names with values, found {what} in line {}", span.start.line()))
}

/// A document that is one mapping, or nothing.
fn mapping(events: &mut Events<'_>) -> Result<BTreeMap<String, Value>, Fault> {
    let mut values = BTreeMap::new();
    let mut open = false;
    loop {
        let (event, span) = events.next()?;
        match event {
            Event::Nothing | Event::StreamStart | Event::DocumentStart(_) if !open => {}
            Event::MappingStart(..) if !open => open = true,
            Event::MappingEnd => break,
            Event::StreamEnd if !open => return Ok(values),
            Event::DocumentEnd if !open => {}
            // An empty document.
            Event::Scalar(text, ScalarStyle::Plain, ..) if !open && text.is_empty() => {}
            Event::Scalar(name, ..) if open => {
                let name = name.into_owned();
                let (event, span) = events.next()?;
                let value = value(events, event, span, 0)?;
                if values.contains_key(&name) {
                    return Err(Fault::Parse(format!("`{name}` stands twice, again in line {}", span.start.line())));
                }
                values.insert(name, value);
            }
            _ => return Err(unexpected("something else", span)),
        }
    }
    loop {
        match events.next()? {
            (Event::StreamEnd, _) => return Ok(values),
            (Event::DocumentEnd, _) => {}
            (_, span) => return Err(unexpected("a second document", span)),
        }
    }
}

fn value(events: &mut Events<'_>, event: Event<'_>, span: Span, depth: usize) -> Result<Value, Fault> {
    match event {
        Event::Scalar(text, ScalarStyle::Plain, ..) => Ok(Value::plain(&text)),
        Event::Scalar(text, ..) => Ok(Value::Text(text.into_owned())),
        Event::SequenceStart(..) if depth < DEEPEST_LIST => {
            let mut list = Vec::new();
            loop {
                match events.next()? {
                    (Event::SequenceEnd, _) => return Ok(Value::List(list)),
                    (event, span) => list.push(value(events, event, span, depth + 1)?),
                }
            }
        }
        Event::SequenceStart(..) => Err(unexpected("lists in lists in lists", span)),
        Event::MappingStart(..) => Err(unexpected("a mapping as a value", span)),
        Event::Alias(_) => Err(unexpected("an alias", span)),
        _ => Err(unexpected("no value", span)),
    }
}

/// One value of the flat YAML that Marian writes.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Null,
    Switch(bool),
    Integer(i64),
    Number(f64),
    Text(String),
    List(Vec<Value>),
}

impl Value {
    /// What an unquoted scalar stands for: the core schema of YAML 1.2, section 10.3.2. YAML 1.1 would also take the bare
    /// operation lists that Marian writes, such as `n`, for `false`.
    fn plain(text: &str) -> Value {
        match text {
            "" | "~" | "null" | "Null" | "NULL" => return Value::Null,
            "true" | "True" | "TRUE" => return Value::Switch(true),
            "false" | "False" | "FALSE" => return Value::Switch(false),
            ".nan" | ".NaN" | ".NAN" => return Value::Number(f64::NAN),
            _ => {}
        }
        let (sign, digits) = match text.as_bytes()[0] {
            b'-' => (-1.0, &text[1..]),
            b'+' => (1.0, &text[1..]),
            _ => (1.0, text),
        };
        if matches!(digits, ".inf" | ".Inf" | ".INF") {
            return Value::Number(sign * f64::INFINITY);
        }
        let based = |prefix, base| text.strip_prefix(prefix).and_then(|digits| i64::from_str_radix(digits, base).ok());
        if let Some(integer) = text.parse().ok().or_else(|| based("0x", 16)).or_else(|| based("0o", 8)) {
            return Value::Integer(integer);
        }
        // Rust also reads words such as `inf` and `nan` as numbers.
        let numeric = digits.starts_with(|first: char| first.is_ascii_digit() || first == '.')
            && digits.contains(|digit: char| digit.is_ascii_digit());
        match text.parse() {
            Ok(number) if numeric => Value::Number(number),
            _ => Value::Text(text.to_owned()),
        }
    }

    /// Whether this value switches nothing on.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_marian_writes() {
        let text = "dim-emb: 256\ntransformer-preprocess: n\npostprocess: \"\"\nq: 'no'\nfactor: 1.5\nsmall: 1e-06\n\
            tied: true\nempty:\nlist: [a, 50, [1, .5]]\nvocabs:\n  - one.spm\n  - two.spm\nskip: false\nword: inf\n";
        let values = parse("model", "settings", text).unwrap();
        let text = |text: &str| Value::Text(text.to_owned());
        let expected = [
            ("dim-emb", Value::Integer(256)),
            ("empty", Value::Null),
            ("factor", Value::Number(1.5)),
            (
                "list",
                Value::List(vec![
                    text("a"),
                    Value::Integer(50),
                    Value::List(vec![Value::Integer(1), Value::Number(0.5)]),
                ]),
            ),
            ("postprocess", text("")),
            ("q", text("no")),
            ("skip", Value::Switch(false)),
            ("small", Value::Number(1e-6)),
            ("tied", Value::Switch(true)),
            ("transformer-preprocess", text("n")),
            ("vocabs", Value::List(vec![text("one.spm"), text("two.spm")])),
            ("word", text("inf")),
        ];
        assert_eq!(values, expected.map(|(name, value)| (name.to_owned(), value)).into());
        assert!(parse("model", "settings", "# nothing\n").unwrap().is_empty());
        assert!(parse("model", "settings", "---\na: 1\n...\n").unwrap().contains_key("a"));
    }

    #[test]
    fn anything_else_is_an_error() {
        let deep = |piece: &str| piece.repeat(100_000);
        for text in [
            "a: 1\na: 2",
            "a: {b: 1}",
            "- a\n- b",
            "word",
            "a: *b",
            "a: 1\n---\nb: 2",
            "a: [1",
            "[a]: 1",
            "\"",
            "a: b: c",
        ]
        .into_iter()
        .map(str::to_owned)
        .chain(["[", "{a: ", "- ", "? ", "a: [", "a:\n "].map(deep))
        {
            let found = parse("model", "settings", &text);
            assert!(matches!(found, Err(Error::Malformed { fault: Fault::Parse(_), .. })), "{:.40}: {found:?}", text);
        }
    }
}

//! The hand-made cases of `tests/data/segments.tsv`, for the test and the benchmark.

use std::ops::Range;
use std::path::Path;

/// A text and its sentences.
pub struct Case {
    /// BCP 47 tag.
    pub language: String,
    pub text: String,
    pub sentences: Vec<Range<usize>>,
}

/// All cases.
pub fn read() -> Vec<Case> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/segments.tsv");
    let lines = std::fs::read_to_string(path).expect("the cases");
    lines.lines().filter(|line| !line.starts_with('#')).map(parse).collect()
}

fn parse(line: &str) -> Case {
    let (language, marked) = line.split_once('\t').expect("language, tab, text");
    let (mut text, mut sentences, mut start) = (String::new(), Vec::new(), 0);
    for c in unescape(marked).chars() {
        match c {
            '⟦' => start = text.len(),
            '⟧' => sentences.push(start..text.len()),
            _ => text.push(c),
        }
    }
    Case { language: language.to_owned(), text, sentences }
}

fn unescape(text: &str) -> String {
    let mut result = String::new();
    let mut rest = text;
    while let Some(index) = rest.find('\\') {
        result.push_str(&rest[..index]);
        rest = &rest[index + 1..];
        let end = if rest.starts_with('u') { rest.find('}').expect("\\u{…}") + 1 } else { 1 };
        result.push(match &rest[..end] {
            "n" => '\n',
            "r" => '\r',
            "t" => '\t',
            code => {
                u32::from_str_radix(&code[2..code.len() - 1], 16).ok().and_then(char::from_u32).expect("a code point")
            }
        });
        rest = &rest[end..];
    }
    result + rest
}

//! What a translation has besides its text, sentence by sentence, with places counted in code points as Python counts them.

use pyo3::IntoPyObject;
use pyo3::prelude::*;
use pyo3::types::PyByteArray;
use std::ops::Range;
use wanderwort::{TranslatedToken, Translation};

/// A text and its sentences.
pub type Details = (String, Vec<Sentence>);

/// Numbers in this machine's native form, which NumPy takes as they are.
pub struct Buffer(Vec<u8>);

impl<'py> IntoPyObject<'py> for Buffer {
    type Target = PyByteArray;
    type Output = Bound<'py, PyByteArray>;
    type Error = std::convert::Infallible;

    fn into_pyobject(self, python: Python<'py>) -> Result<Self::Output, Self::Error> {
        Ok(PyByteArray::new(python, &self.0))
    }
}

impl Buffer {
    fn floats(values: &[f32]) -> Buffer {
        Buffer(values.iter().flat_map(|value| value.to_ne_bytes()).collect())
    }

    fn ranges(ranges: impl Iterator<Item = Range<usize>>) -> Buffer {
        Buffer(
            ranges.flat_map(|range| [range.start, range.end]).flat_map(|place| (place as i64).to_ne_bytes()).collect(),
        )
    }
}

/// A sentence of a translation.
#[derive(IntoPyObject)]
pub struct Sentence {
    source: (usize, usize),
    target: (usize, usize),
    /// Pairs of 64-bit integers, one for each token: its place in the translation.
    tokens: Buffer,
    /// The same for what it was aligned to in the source.
    token_sources: Buffer,
    /// A 32-bit float for each token, NaN where the model did not write it.
    log_probabilities: Option<Buffer>,
    /// Pairs of 64-bit integers, one for each piece of the source.
    source_tokens: Option<Buffer>,
    /// 32-bit floats: a row for each token, a column for each piece of the source.
    alignment: Option<Buffer>,
}

/// For each byte of a text, and for its end, the number of code points that begin before it.
struct CodePoints(Vec<usize>);

impl CodePoints {
    fn new(text: &str) -> CodePoints {
        let mut count = 0;
        let mut before: Vec<usize> = Vec::with_capacity(text.len() + 1);
        for byte in text.bytes() {
            before.push(count);
            count += usize::from(byte & 0xC0 != 0x80);
        }
        before.push(count);
        CodePoints(before)
    }

    fn range(&self, bytes: &Range<usize>) -> Range<usize> {
        self.0[bytes.start]..self.0[bytes.end]
    }
}

/// The details of a translation of `source`.
pub fn details(source: &str, translation: Translation, scores: bool, alignment: bool) -> Details {
    let places = (CodePoints::new(source), CodePoints::new(&translation.text));
    let mut tokens = &translation.tokens[..];
    let sentences = translation.sentences.iter().enumerate().map(|(index, link)| {
        // Tokens are in the order of their sentences.
        let next = translation.sentences.get(index + 1).map_or(usize::MAX, |next| next.target.start);
        let (own, rest) = tokens.split_at(tokens.partition_point(|token| token.link.target.start < next));
        tokens = rest;
        let (from, to) = (places.0.range(&link.source), places.1.range(&link.target));
        let columns = alignment.then(|| columns(own));
        Sentence {
            source: (from.start, from.end),
            target: (to.start, to.end),
            tokens: Buffer::ranges(own.iter().map(|token| places.1.range(&token.link.target))),
            token_sources: Buffer::ranges(own.iter().map(|token| places.0.range(&token.link.source))),
            log_probabilities: scores.then(|| {
                let values = own.iter().map(|token| token.log_probability.unwrap_or(f32::NAN));
                Buffer::floats(&values.collect::<Vec<f32>>())
            }),
            alignment: columns.as_ref().map(|columns| Buffer::floats(&weights(own, columns))),
            source_tokens: columns
                .map(|columns| Buffer::ranges(columns.iter().map(|&(start, end)| places.0.range(&(start..end))))),
        }
    });
    let sentences = sentences.collect();
    (translation.text, sentences)
}

/// The pieces of the source that tokens attended to, in order.
fn columns(tokens: &[TranslatedToken]) -> Vec<(usize, usize)> {
    let looked_at = tokens.iter().flat_map(|token| &token.attention);
    let mut columns: Vec<(usize, usize)> = looked_at.map(|part| (part.source.start, part.source.end)).collect();
    columns.sort_unstable();
    columns.dedup();
    columns
}

fn weights(tokens: &[TranslatedToken], columns: &[(usize, usize)]) -> Vec<f32> {
    let mut weights = vec![0.0; tokens.len() * columns.len()];
    for (row, token) in weights.chunks_mut(columns.len().max(1)).zip(tokens) {
        for part in &token.attention {
            if let Ok(column) = columns.binary_search(&(part.source.start, part.source.end)) {
                row[column] += part.weight;
            }
        }
    }
    weights
}

//! What is printed for a line: its translation, a JSON object, or a list of candidates.

use crate::lines::Ending;
use serde::Serialize;
use std::io::{self, Write};
use wanderwort::Translation;

/// What is printed for a line.
#[derive(Clone, Copy, PartialEq)]
pub enum Format {
    /// The translation.
    Text,
    /// A JSON object.
    Json,
    /// Marian's n-best lists.
    Candidates,
}

/// A translation as a JSON object; ranges are of UTF-8 bytes.
#[derive(Serialize)]
pub struct TranslationObject<'a> {
    text: &'a str,
    sentences: Vec<SentenceObject>,
    tokens: Vec<TokenObject>,
}

#[derive(Serialize)]
struct SentenceObject {
    source: [usize; 2],
    target: [usize; 2],
}

#[derive(Serialize)]
struct TokenObject {
    target: [usize; 2],
    source: [usize; 2],
    #[serde(skip_serializing_if = "Option::is_none")]
    log_probability: Option<f32>,
}

impl<'a> TranslationObject<'a> {
    /// The object for a translation.
    pub fn new(translation: &'a Translation) -> Self {
        Self {
            text: &translation.text,
            sentences: translation
                .sentences
                .iter()
                .map(|pair| SentenceObject {
                    source: [pair.source.start, pair.source.end],
                    target: [pair.target.start, pair.target.end],
                })
                .collect(),
            tokens: translation
                .tokens
                .iter()
                .map(|token| TokenObject {
                    target: [token.link.target.start, token.link.target.end],
                    source: [token.link.source.start, token.link.source.end],
                    log_probability: token.log_probability,
                })
                .collect(),
        }
    }
}

/// Writes what is printed for lines, one after the other.
pub struct LineWriter<W> {
    output: W,
    format: Format,
    /// Lines before this one.
    number: usize,
}

impl<W: Write> LineWriter<W> {
    /// A writer that starts after `number` other lines.
    pub fn new(output: W, format: Format, number: usize) -> Self {
        Self { output, format, number }
    }

    /// Flushes the output.
    pub fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }

    /// The underlying output.
    pub fn into_inner(self) -> W {
        self.output
    }

    /// Writes the translation of the next line, with the line's ending.
    pub fn write(&mut self, translation: &Translation, ending: Ending) -> io::Result<()> {
        // One line in, one line out, whatever the model says.
        let on_one_line = |text: &str| text.replace('\n', " ");
        let output = &mut self.output;
        match self.format {
            Format::Json => serde_json::to_writer(&mut *output, &TranslationObject::new(translation))?,
            Format::Text if !translation.text.contains('\n') => output.write_all(translation.text.as_bytes())?,
            Format::Text => output.write_all(on_one_line(&translation.text).as_bytes())?,
            Format::Candidates => {
                let number = self.number;
                match &translation.candidates[..] {
                    [candidates] if !candidates.is_empty() => {
                        for candidate in candidates {
                            let text = on_one_line(&candidate.text);
                            let (log_probability, score) = (candidate.log_probability, candidate.score);
                            writeln!(output, "{number} ||| {text} ||| F0= {log_probability} ||| {score}")?;
                        }
                    }
                    // Nothing to translate, or more than the model takes at once: one translation without a score.
                    _ => writeln!(output, "{number} ||| {} ||| F0= 0 ||| 0", on_one_line(&translation.text))?,
                }
                self.number += 1;
                return Ok(());
            }
        }
        output.write_all(ending.as_str().as_bytes())
    }
}

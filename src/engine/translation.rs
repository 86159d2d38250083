//! What a translation consists of.

use crate::text::link::Link;
use crate::text::structure::Reading;
use std::ops::Range;

/// A translated text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Translation {
    /// The translation. What stands between sentences is as in the source, apart from columns made of spaces, which line up
    /// again, and line breaks in paragraphs of fixed width.
    pub text: String,
    /// Its sentences in order, without the white space between them.
    pub sentences: Vec<Link>,
    /// The pieces of its translated sentences in order. Sentences that were copied (numbers, symbols) have none.
    pub tokens: Vec<TranslatedToken>,
    /// For each of [`sentences`](Self::sentences), its best translations, the best first, if they were asked for; a sentence
    /// that was copied has none.
    pub candidates: Vec<Vec<Candidate>>,
}

impl Translation {
    /// Turns the translation of what was read into that of the source: in its structure, and with ranges in both.
    pub(crate) fn into_structure(mut self, reading: &Reading) -> Translation {
        let written = reading.write(self.text, &self.sentences);
        let tokens = self.tokens.iter_mut().map(|token| &mut token.link);
        for Link { source, target } in self.sentences.iter_mut().chain(tokens) {
            (*source, *target) = (reading.source(source), written.edits.forward(target));
        }
        for attention in self.tokens.iter_mut().flat_map(|token| &mut token.attention) {
            attention.source = reading.source(&attention.source);
        }
        Translation { text: written.text, ..self }
    }
}

/// One of the translations of a sentence that a beam search found.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// The translated sentence.
    pub text: String,
    /// Natural logarithm of its probability: the sum over its pieces and the end mark.
    pub log_probability: f32,
    /// What candidates are ranked by: the log-probability, divided as
    /// [`TranslateOptions::normalize`](super::translator::TranslateOptions::normalize) says.
    pub score: f32,
}

/// A piece of the translation and where it comes from.
#[derive(Clone, Debug, PartialEq)]
pub struct TranslatedToken {
    /// Its bytes in [`Translation::text`], and those of the source piece that the alignment head looked at most (for Marian's students the
    /// first head of the last decoder layer); an empty range at the sentence's end if that was the end mark.
    pub link: Link,
    /// Natural logarithm of its probability given what stands before it, among the words it was chosen from, if scores
    /// were asked for.
    pub log_probability: Option<f32>,
    /// What the alignment head looked at while it was written, if that was asked for and the model wrote it: the pieces of the source sentence with
    /// weights that sum to 1. The last is an empty range at the sentence's end, for the end mark.
    pub attention: Vec<Attention>,
}

/// A part of the source that a piece of the translation looked at.
#[derive(Clone, Debug, PartialEq)]
pub struct Attention {
    /// Bytes in the source.
    pub source: Range<usize>,
    /// Its share of all that was looked at, from 0 to 1.
    pub weight: f32,
}

//! What a translation consists of.

use std::ops::Range;

/// A translated text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Translation {
    /// The translation. White space between sentences, line breaks and paragraph marks are those of the source.
    pub text: String,
    /// Its sentences in order, without the white space between them.
    pub sentences: Vec<SentencePair>,
    /// The pieces of its translated sentences in order. Sentences that were copied (numbers, symbols) have none.
    pub tokens: Vec<TranslatedToken>,
}

/// A sentence and its translation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SentencePair {
    /// Bytes in the source text.
    pub source: Range<usize>,
    /// Bytes in [`Translation::text`].
    pub target: Range<usize>,
}

/// A piece of the translation and where it comes from.
#[derive(Clone, Debug, PartialEq)]
pub struct TranslatedToken {
    /// Bytes in [`Translation::text`].
    pub target: Range<usize>,
    /// Bytes of the source piece that the alignment head looked at most (for Marian's students the first head of the last
    /// decoder layer); an empty range at the sentence's end if that was the end mark.
    pub source: Range<usize>,
    /// Natural logarithm of its probability given what stands before it, among the words it was chosen from, if scores
    /// were asked for.
    pub log_probability: Option<f32>,
}

//! What a translation consists of.

use crate::text::link::Link;

/// A translated text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Translation {
    /// The translation. White space between sentences, line breaks and paragraph marks are those of the source.
    pub text: String,
    /// Its sentences in order, without the white space between them.
    pub sentences: Vec<Link>,
    /// The pieces of its translated sentences in order. Sentences that were copied (numbers, symbols) have none.
    pub tokens: Vec<TranslatedToken>,
    /// For each of [`sentences`](Self::sentences) its best translations, the best first, if they were asked for; a sentence
    /// that was copied has none.
    pub candidates: Vec<Vec<Candidate>>,
}

/// One of the translations of a sentence that a beam search found.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// The translated sentence.
    pub text: String,
    /// Natural logarithm of its probability: the sum over its pieces and the end mark.
    pub log_probability: f32,
    /// What candidates are ranked by: that, divided as
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
}

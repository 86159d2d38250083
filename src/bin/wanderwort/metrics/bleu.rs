//! BLEU (Papineni et al., 2002), as sacreBLEU computes it by default: one reference, 13a tokenizer, mixed case,
//! exponential smoothing of n-gram orders without a match.

use super::tokenize::tokenize_13a;
use super::{VERSION, clipped_matches, count_ngrams};

/// Longest n-gram.
const ORDER: usize = 4;

/// What BLEU needs to know about the segments added so far.
#[derive(Clone, Debug, Default)]
pub struct Bleu {
    hypothesis_length: u64,
    reference_length: u64,
    matches: [u64; ORDER],
    totals: [u64; ORDER],
}

impl Bleu {
    /// The settings, in sacreBLEU's notation.
    pub fn signature() -> String {
        format!("nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|{VERSION}")
    }

    /// Adds one translated segment and its reference.
    pub fn add(&mut self, hypothesis: &str, reference: &str) {
        let (hypothesis, reference) = (tokenize_13a(hypothesis), tokenize_13a(reference));
        self.hypothesis_length += hypothesis.len() as u64;
        self.reference_length += reference.len() as u64;
        for n in 1..=ORDER {
            self.matches[n - 1] += clipped_matches(&count_ngrams(&hypothesis, n), &count_ngrams(&reference, n));
            self.totals[n - 1] += (hypothesis.len() + 1).saturating_sub(n) as u64;
        }
    }

    /// 0 to 100: brevity penalty times the geometric mean of the precisions.
    pub fn score(&self) -> f64 {
        let precisions = self.precisions();
        if precisions.contains(&0.0) {
            return 0.0;
        }
        let mean = precisions.iter().map(|p| p.ln()).sum::<f64>() / ORDER as f64;
        self.brevity_penalty() * mean.exp()
    }

    /// In percent, per order. The k-th order without a match counts as 1 / 2^k matches (Chen and Cherry, 2014, method
    /// 3), unless there is no match at all or the order has no n-gram.
    pub fn precisions(&self) -> [f64; ORDER] {
        let mut precisions = [0.0; ORDER];
        if self.matches == [0; ORDER] {
            return precisions;
        }
        let mut smoothed = 1.0;
        for ((precision, &matches), &total) in precisions.iter_mut().zip(&self.matches).zip(&self.totals) {
            if total == 0 {
                break;
            }
            let matches = if matches == 0 {
                smoothed /= 2.0;
                smoothed
            } else {
                matches as f64
            };
            *precision = 100.0 * matches / total as f64;
        }
        precisions
    }

    /// exp(1 − reference length / hypothesis length) where the hypotheses are shorter than the references.
    pub fn brevity_penalty(&self) -> f64 {
        if self.hypothesis_length >= self.reference_length {
            1.0
        } else if self.hypothesis_length == 0 {
            0.0
        } else {
            (1.0 - self.reference_length as f64 / self.hypothesis_length as f64).exp()
        }
    }

    /// Words in the hypotheses and in the references.
    pub fn lengths(&self) -> (u64, u64) {
        (self.hypothesis_length, self.reference_length)
    }
}

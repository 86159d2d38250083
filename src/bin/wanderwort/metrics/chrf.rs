//! chrF (Popović, 2015), as sacreBLEU computes it by default (chrF2): character n-grams up to six without white space,
//! no word n-grams, recall weighted twice, only orders that occur on both sides.

use super::{VERSION, clipped_matches, count_ngrams, is_space};

/// Longest n-gram.
const ORDER: usize = 6;
/// How much more recall weighs than precision.
const BETA: f64 = 2.0;

/// What chrF needs to know about the segments added so far.
#[derive(Clone, Debug, Default)]
pub struct Chrf {
    hypothesis: [u64; ORDER],
    reference: [u64; ORDER],
    matches: [u64; ORDER],
}

impl Chrf {
    /// The settings, in sacreBLEU's notation.
    pub fn signature() -> String {
        format!("nrefs:1|case:mixed|eff:yes|nc:{ORDER}|nw:0|space:no|{VERSION}")
    }

    /// Adds one translated segment and its reference.
    pub fn add(&mut self, hypothesis: &str, reference: &str) {
        let characters = |text: &str| text.chars().filter(|&c| !is_space(c)).collect::<Vec<_>>();
        let (hypothesis, reference) = (characters(hypothesis), characters(reference));
        for n in 1..=ORDER {
            let reference_ngrams = (reference.len() + 1).saturating_sub(n) as u64;
            // Where the reference is too short for an order, the hypothesis is not charged for having some.
            if reference_ngrams > 0 {
                self.hypothesis[n - 1] += (hypothesis.len() + 1).saturating_sub(n) as u64;
            }
            self.reference[n - 1] += reference_ngrams;
            self.matches[n - 1] += clipped_matches(&count_ngrams(&hypothesis, n), &count_ngrams(&reference, n));
        }
    }

    /// 0 to 100: F_β = (1 + β²) · P · R / (β² · P + R) of precision P and recall R, each averaged over the orders that
    /// occur on both sides.
    pub fn score(&self) -> f64 {
        let (mut precision, mut recall, mut orders) = (0.0, 0.0, 0.0);
        for ((&hypothesis, &reference), &matches) in self.hypothesis.iter().zip(&self.reference).zip(&self.matches) {
            if hypothesis > 0 && reference > 0 {
                precision += matches as f64 / hypothesis as f64;
                recall += matches as f64 / reference as f64;
                orders += 1.0;
            }
        }
        if precision + recall == 0.0 {
            return 0.0;
        }
        let (precision, recall) = (precision / orders, recall / orders);
        let factor = BETA * BETA;
        100.0 * (1.0 + factor) * precision * recall / (factor * precision + recall)
    }
}

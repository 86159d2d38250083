//! Corpus scores of translations against references, as sacreBLEU computes them.
//!
//! Post, "A Call for Clarity in Reporting BLEU Scores" (2018): a score is only worth something together with how it
//! was computed, so each metric carries a signature that names its settings.

mod bleu;
mod chrf;
mod tokenize;

pub use bleu::Bleu;
pub use chrf::Chrf;

use std::collections::HashMap;
use std::hash::Hash;

/// The part of a signature that says which program computed the score.
const VERSION: &str = concat!("version:wanderwort-", env!("CARGO_PKG_VERSION"));

/// White space as sacreBLEU's Python understands it: Unicode's, and the four ASCII separators.
fn is_space(c: char) -> bool {
    c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c)
}

/// How often each n-gram of length `n` occurs.
fn count_ngrams<T: Eq + Hash>(items: &[T], n: usize) -> HashMap<&[T], u64> {
    let mut counts = HashMap::new();
    for ngram in items.windows(n) {
        *counts.entry(ngram).or_default() += 1;
    }
    counts
}

/// How many n-grams of the hypothesis are in the reference, each counted at most as often as it occurs there.
fn clipped_matches<T: Eq + Hash>(hypothesis: &HashMap<&[T], u64>, reference: &HashMap<&[T], u64>) -> u64 {
    hypothesis.iter().map(|(ngram, &count)| count.min(reference.get(ngram).copied().unwrap_or(0))).sum()
}

#[cfg(test)]
mod tests {
    use super::{Bleu, Chrf};
    use std::path::Path;

    /// Every hypothesis column of every table in tests/data/metrics scores as sacreBLEU said.
    #[test]
    fn agrees_with_sacrebleu() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/metrics");
        let read = |name: &str| {
            let packed = folder.join(format!("{name}.gz"));
            let path = if packed.exists() { packed } else { folder.join(name) };
            let bytes = std::fs::read(path).unwrap_or_else(|e| panic!("{name}: {e}"));
            let bytes = wanderwort::model::decompressed(name, &bytes).expect("a whole file").into_owned();
            String::from_utf8(bytes).expect("UTF-8")
        };
        let mut checked = 0;
        for line in read("sacrebleu.tsv").lines().skip(1) {
            let [table, column, bleu, chrf] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
            let rows = read(table);
            let mut rows = rows.split_terminator('\n').map(|row| row.split('\t').collect::<Vec<_>>());
            let header = rows.next().expect("a header");
            let column_index = header.iter().position(|name| *name == column).expect("the column");
            let (mut our_bleu, mut our_chrf) = (Bleu::default(), Chrf::default());
            for row in rows {
                our_bleu.add(row[column_index], row[0]);
                our_chrf.add(row[column_index], row[0]);
            }
            for (name, ours, theirs) in [("BLEU", our_bleu.score(), bleu), ("chrF", our_chrf.score(), chrf)] {
                let theirs: f64 = theirs.parse().expect("a score");
                assert!((ours - theirs).abs() < 1e-6, "{name} of {column} in {table}: {ours}, sacreBLEU says {theirs}");
            }
            checked += 1;
        }
        assert!(checked >= 12, "only {checked} columns");
    }
}

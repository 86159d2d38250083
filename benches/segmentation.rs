//! How well sentence ends are found in the hand-made cases of `tests/data/segments.tsv`, compared with what Unicode's rules alone find (Standard
//! Annex 29, as implemented by `icu_segmenter`), and how fast:
//!
//! ```text
//! cargo bench --bench segmentation
//! ```
//!
//! Only the ends of sentences that are followed by another on the same line count, with or without white space between: recall is the share
//! of them that is found, precision the share of those found that are right, and a line is right if all its ends are found and no others. The
//! rules were made with these cases in view, so their own figures show that none is forgotten, not how they fare on other texts.

#[path = "../tests/native/segment_cases.rs"]
mod segment_cases;

use icu_segmenter::SentenceSegmenter;
use icu_segmenter::options::SentenceBreakInvariantOptions;
use segment_cases::Case;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::time::Instant;
use wanderwort::text::language::Language;
use wanderwort::text::segment::{LineBreaks, segment};

/// Finds the sentences of a case.
type Finder = fn(&Case) -> Vec<Range<usize>>;

fn main() {
    let cases: Vec<Case> = segment_cases::read().into_iter().filter(is_plain).collect();
    let finders: [(&str, Finder); 2] = [("wanderwort", by_rules), ("icu_segmenter", by_unicode)];
    for (name, find) in finders {
        let mut by_language = BTreeMap::<&str, Score>::new();
        let mut all = Score::default();
        for case in &cases {
            let score = Score::of(case, &find(case));
            by_language.entry(&case.language).or_default().add(&score);
            all.add(&score);
        }
        println!("{name}");
        by_language.iter().for_each(|(language, score)| score.print(language));
        all.print("all");
        let text: String =
            cases.iter().filter(|case| case.language == "en").flat_map(|case| [&case.text, " "]).collect();
        let long = Case { language: "en".to_owned(), text: text.repeat((1 << 20) / text.len()), sentences: Vec::new() };
        let start = Instant::now();
        let count = find(&long).len();
        let megabytes = long.text.len() as f64 / 1e6;
        println!("  {:.1} MB/s, {count} sentences in {megabytes:.1} MB", megabytes / start.elapsed().as_secs_f64());
    }
}

/// Whether nothing but white space stands between the sentences of a case's lines.
fn is_plain(case: &Case) -> bool {
    case.sentences.windows(2).all(|pair| case.text[pair[0].end..pair[1].start].trim().is_empty())
}

fn by_rules(case: &Case) -> Vec<Range<usize>> {
    let language = Language::from_tag(&case.language).unwrap_or_default();
    segment(&case.text, language, LineBreaks::EndSentences)
}

fn by_unicode(case: &Case) -> Vec<Range<usize>> {
    let boundaries: Vec<usize> =
        SentenceSegmenter::new(SentenceBreakInvariantOptions::default()).segment_str(&case.text).collect();
    boundaries.windows(2).map(|pair| pair[0]..pair[1]).collect()
}

#[derive(Default)]
struct Score {
    lines: usize,
    right_lines: usize,
    wanted: usize,
    found: usize,
    right: usize,
}

impl Score {
    fn of(case: &Case, found: &[Range<usize>]) -> Score {
        let (wanted, found) = (ends(&case.text, &case.sentences), ends(&case.text, found));
        Score {
            lines: 1,
            right_lines: usize::from(wanted == found),
            wanted: wanted.len(),
            found: found.len(),
            right: wanted.intersection(&found).count(),
        }
    }

    fn add(&mut self, other: &Score) {
        self.lines += other.lines;
        self.right_lines += other.right_lines;
        self.wanted += other.wanted;
        self.found += other.found;
        self.right += other.right;
    }

    fn print(&self, name: &str) {
        let percent = |part: usize, whole: usize| 100.0 * part as f64 / whole.max(1) as f64;
        println!(
            "  {name:<8} {:>4} of {:>4} lines right ({:5.1} %), precision {:5.1} %, recall {:5.1} %",
            self.right_lines,
            self.lines,
            percent(self.right_lines, self.lines),
            percent(self.right, self.found),
            percent(self.right, self.wanted)
        );
    }
}

/// The ends of sentences that are followed by another on the same line, each as the number of characters before it that are not white space.
fn ends(text: &str, sentences: &[Range<usize>]) -> BTreeSet<usize> {
    let followed =
        sentences.windows(2).filter(|pair| !text[pair[0].start..pair[1].start].trim().contains(['\n', '\r']));
    let same_line = followed.filter(|pair| {
        let between = &text[pair[0].start + text[pair[0].clone()].trim_end().len()..pair[1].start];
        !between.contains(['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}'])
    });
    same_line.map(|pair| text[..pair[1].start].chars().filter(|c| !c.is_whitespace()).count()).collect()
}

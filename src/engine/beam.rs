//! Beam search as Marian does it, over sentences that come and go.
//!
//! A sentence starts with one hypothesis, the empty one. At each step every word behind every hypothesis is scored by the
//! sum of log-probabilities, and as many of the best stay as the beam is wide. One that says the end mark is done, and the
//! beam is narrower by one from then on; at the limit of length all are done. They are ranked at the end by
//! `(Σ ln p − β · length) / length^α`, the length in words with the end mark, α Marian's `normalize`, β its `word-penalty`. So a beam of n
//! finds n hypotheses, and what a sentence gets depends on nothing else in the batch. Where the settings ask for it none is empty: the
//! first word is never the end mark.
//!
//! Where a sentence's first words are given it has one hypothesis up to there. With `branches` the likeliest words at the first place
//! that is open begin a hypothesis each, and each goes on by its likeliest words: translations that differ where somebody asks for others.
//!
//! With a threshold, hypotheses are given up that are less likely than the sentence's likeliest by a factor of more than e to its power (Freitag
//! and Al-Onaizan, 2017, "Beam Search Strategies for Neural Machine Translation", section 3, relative threshold pruning), and the beam is as
//! wide as before where several are likely again: only what the model is unsure of takes the rows of a wide beam.

use super::worker::{Found, Hypothesis, Job, Profile, Watch, Worker, column_of, index_of_largest};
use crate::nn::{Ensemble, EnsembleCandidates, EnsembleRows, Previous};
use std::cmp::Ordering;

/// How to search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Hypotheses of a sentence.
    pub width: usize,
    /// Those that are given back, the best first.
    pub kept: usize,
    /// α of the ranking by length.
    pub normalize: f32,
    /// β of the ranking by length.
    pub word_penalty: f32,
    /// Hypotheses are given up that are less likely than the sentence's likeliest by a factor of more than e to this power.
    pub threshold: f32,
    /// Whether the first word is never the end mark.
    pub first_word: bool,
    /// Whether hypotheses part at the first word that is not given, and then go on by their likeliest words without competing.
    pub branches: bool,
    /// Whether what each word looked at is wanted.
    pub attention: bool,
}

/// One word of a hypothesis, and what stands before it.
#[derive(Clone, Copy, Debug)]
struct Node {
    /// Index of the node before; none at the beginning.
    parent: Option<usize>,
    word: u32,
    /// The source piece that it was aligned to.
    aligned: usize,
    log_probability: f32,
}

/// A hypothesis that goes on; its row in the decoder has the same place among the rows.
#[derive(Clone, Copy, Debug)]
struct Live {
    last: Option<usize>,
    /// Sum of its words' log-probabilities.
    sum: f32,
}

/// A way to go on: word `word` behind the sentence's hypothesis `from`.
#[derive(Clone, Copy, Debug)]
struct Expansion {
    from: usize,
    word: u32,
    log_probability: f32,
    sum: f32,
}

#[derive(Debug)]
struct Sentence {
    job: Job,
    candidates: EnsembleCandidates,
    nodes: Vec<Node>,
    /// For each node what its word looked at, if that is wanted.
    attention: Vec<Vec<f32>>,
    live: Vec<Live>,
    /// Score and last node.
    done: Vec<(f32, usize)>,
    /// Largest sum of log-probabilities of those that are done.
    done_sum: f32,
    /// Words of the hypotheses at work.
    length: usize,
}

/// One thread's sentences, and memory that is reused.
#[derive(Debug)]
pub struct Beam {
    settings: Settings,
    head: usize,
    end_mark: u32,
    /// A sentence's hypotheses have rows behind one another, in the order of the sentences.
    sentences: Vec<Sentence>,
    /// Those of a step that go on.
    staying: Vec<Sentence>,
    rows: EnsembleRows,
    spare: Vec<EnsembleCandidates>,
    previous: Vec<Previous>,
    alignments: Vec<Vec<f32>>,
    log_probabilities: Vec<f32>,
    chosen: Vec<Expansion>,
    /// How one hypothesis goes on.
    branch: Vec<Expansion>,
    /// The hypotheses that a sentence had before a step.
    before: Vec<Live>,
    /// For each row of the next step the row that it goes on from.
    origins: Vec<usize>,
    ids: Vec<u32>,
    lengths: Vec<usize>,
    watch: Watch,
}

impl Beam {
    /// A worker for `ensemble`: `head` words of the vocabulary are open to every sentence, `end_mark` ends one.
    pub fn new(ensemble: &Ensemble, head: usize, end_mark: u32, settings: Settings) -> Self {
        Self {
            settings,
            head,
            end_mark,
            sentences: Vec::new(),
            staying: Vec::new(),
            rows: EnsembleRows::new(ensemble),
            spare: Vec::new(),
            previous: Vec::new(),
            alignments: Vec::new(),
            log_probabilities: Vec::new(),
            chosen: Vec::new(),
            branch: Vec::new(),
            before: Vec::new(),
            origins: Vec::new(),
            ids: Vec::new(),
            lengths: Vec::new(),
            watch: Watch::default(),
        }
    }
}

impl Sentence {
    /// Takes the chosen expansions of the hypotheses `before`; those that go on are the new ones, and `origins` receives their rows.
    fn grow(
        &mut self,
        before: &[Live],
        chosen: &[Expansion],
        (end_mark, settings): (u32, Settings),
        first_row: usize,
        alignments: &[Vec<f32>],
        origins: &mut Vec<usize>,
    ) {
        self.length += 1;
        let full = self.length >= self.job.limit;
        for expansion in chosen {
            let Expansion { from, word, log_probability, sum } = *expansion;
            let attention = &alignments[first_row + from][..self.job.source.len()];
            let aligned = index_of_largest(attention);
            let node = self.nodes.len();
            if settings.attention {
                self.attention.push(attention.to_vec());
            }
            self.nodes.push(Node { parent: before[from].last, word, aligned, log_probability });
            if word == end_mark || full {
                self.done_sum = self.done_sum.max(sum);
                let length = self.length as f32;
                let score = (sum - settings.word_penalty * length) / length.powf(settings.normalize);
                self.done.push((score, node));
            } else {
                self.live.push(Live { last: Some(node), sum });
                origins.push(first_row + from);
            }
        }
    }

    /// What was found, and the candidates, to be used again.
    fn finish(mut self, end_mark: u32, kept: usize) -> (Found, EnsembleCandidates) {
        // A stable sort: of equals the one found first.
        self.done.sort_by(|a, b| b.0.total_cmp(&a.0));
        let found = self.done.iter().take(kept.max(1)).map(|&(score, last)| {
            let mut hypothesis = Hypothesis { score, ..Hypothesis::default() };
            let mut place = Some(last);
            while let Some(index) = place {
                let node = self.nodes[index];
                hypothesis.log_probabilities.push(node.log_probability);
                if node.word != end_mark {
                    hypothesis.words.push(node.word);
                    hypothesis.alignment.push(node.aligned);
                    hypothesis.attention.extend(self.attention.get(index).cloned());
                }
                place = node.parent;
            }
            hypothesis.words.reverse();
            hypothesis.alignment.reverse();
            hypothesis.attention.reverse();
            hypothesis.log_probabilities.reverse();
            hypothesis
        });
        let mut found: Vec<Hypothesis> = found.collect();
        if found.is_empty() {
            // Not one word had a probability.
            found.push(Hypothesis::default());
        }
        ((self.job, found), self.candidates)
    }
}

/// Log-probabilities that are compared at once with the least of the best.
const BLOCK: usize = 32;

/// The best `count` expansions, the best first; of equals the first. `rows` are the hypotheses' log-probabilities: of the first
/// `head` words of the vocabulary, then of the words of `tail`.
fn expand<'r>(
    live: &[Live],
    rows: impl Iterator<Item = &'r [f32]>,
    (head, tail): (usize, &[u32]),
    count: usize,
    best: &mut Vec<Expansion>,
) {
    best.clear();
    for (from, (hypothesis, row)) in live.iter().zip(rows).enumerate() {
        for (block, log_probabilities) in row[..head + tail.len()].chunks(BLOCK).enumerate() {
            // Once the best are found, few blocks have a better one, and all of a block are ruled out without a branch for each.
            let least = if best.len() == count {
                best.last().map_or(f32::INFINITY, |last| last.sum)
            } else {
                f32::NEG_INFINITY
            };
            if !log_probabilities.iter().fold(false, |any, &x| any | (hypothesis.sum + x > least)) {
                continue;
            }
            for (column, &log_probability) in (block * BLOCK..).zip(log_probabilities) {
                let sum = hypothesis.sum + log_probability;
                let beaten = |other: &Expansion| other.sum.partial_cmp(&sum).is_none_or(Ordering::is_ge);
                if sum == f32::NEG_INFINITY || (best.len() == count && best.last().is_none_or(beaten)) {
                    continue;
                }
                let word = if column < head { column as u32 } else { tail[column - head] };
                best.truncate(count - 1);
                let place = best.partition_point(beaten);
                best.insert(place, Expansion { from, word, log_probability, sum });
            }
        }
    }
}

impl Worker for Beam {
    fn active(&self) -> usize {
        self.sentences.len()
    }

    fn admit(&mut self, ensemble: &Ensemble, jobs: &mut dyn Iterator<Item = Job>) {
        let clock = self.watch.now();
        let first = self.sentences.len();
        self.lengths.clear();
        for job in jobs {
            self.lengths.push(job.source.len());
            let candidates = EnsembleCandidates::reusing(&mut self.spare, ensemble, &job.candidates);
            let live = vec![Live { last: None, sum: 0.0 }];
            let (nodes, done) = (Vec::new(), Vec::new());
            self.sentences.push(Sentence {
                job,
                candidates,
                nodes,
                attention: Vec::new(),
                live,
                done,
                done_sum: f32::NEG_INFINITY,
                length: 0,
            });
            self.previous.push(Previous { word: None, position: 0 });
        }
        if self.lengths.is_empty() {
            return;
        }
        let clock = self.watch.note(clock, |profile| &mut profile.shortlist);
        self.ids.clear();
        self.ids.extend(self.sentences[first..].iter().flat_map(|sentence| &sentence.job.source));
        ensemble.admit(&self.ids, &self.lengths, &mut self.rows);
        self.watch.note(clock, |profile| &mut profile.encode);
    }

    fn step(&mut self, ensemble: &Ensemble, finished: &mut Vec<Found>) {
        if self.sentences.is_empty() {
            return;
        }
        let clock = self.watch.now();
        ensemble.decode(&self.previous, &mut self.rows, &mut self.alignments);
        let clock = self.watch.note(clock, |profile| &mut profile.decode);
        self.origins.clear();
        self.previous.clear();
        let texts = self.sentences.iter().map(|sentence| (&sentence.candidates, sentence.live.len()));
        let stride = ensemble.log_probabilities(self.head, texts, &mut self.rows, &mut self.log_probabilities);
        let mut sentences = std::mem::take(&mut self.sentences);
        let mut first_row = 0;
        for mut sentence in sentences.drain(..) {
            let next_row = first_row + sentence.live.len();
            if self.settings.first_word
                && sentence.length == 0
                && sentence.job.prefix.is_empty()
                && let Some(ends) =
                    self.log_probabilities[first_row * stride..][..self.head].get_mut(self.end_mark as usize)
            {
                // What has words has a translation: small models are unsure of a single word, and say nothing.
                *ends = f32::NEG_INFINITY;
            }
            let mut rows = self.log_probabilities.chunks_exact(stride).skip(first_row);
            let words = (self.head, sentence.candidates.ids());
            if let Some(&word) = sentence.job.prefix.get(sentence.length) {
                self.chosen.clear();
                if let (Some(hypothesis), Some(row)) = (sentence.live.first(), rows.next()) {
                    let log_probability = row[column_of(word, words.0, words.1)];
                    let sum = hypothesis.sum + log_probability;
                    self.chosen.push(Expansion { from: 0, word, log_probability, sum });
                }
            } else if self.settings.branches && sentence.length > sentence.job.prefix.len() {
                self.chosen.clear();
                for ((from, hypothesis), row) in sentence.live.iter().enumerate().zip(rows) {
                    expand(std::slice::from_ref(hypothesis), std::iter::once(row), words, 1, &mut self.branch);
                    self.chosen.extend(self.branch.iter().map(|&best| Expansion { from, ..best }));
                }
            } else {
                let count = self.settings.width - sentence.done.len();
                expand(&sentence.live, rows, words, count, &mut self.chosen);
                let likeliest = self.chosen.first().map_or(f32::NEG_INFINITY, |first| first.sum).max(sentence.done_sum);
                let hopeless = likeliest - self.settings.threshold;
                self.chosen.truncate(self.chosen.partition_point(|expansion| expansion.sum >= hopeless));
            }
            let rules = (self.end_mark, self.settings);
            self.before.clear();
            std::mem::swap(&mut self.before, &mut sentence.live);
            sentence.grow(&self.before, &self.chosen, rules, first_row, &self.alignments, &mut self.origins);
            first_row = next_row;
            if sentence.live.is_empty() {
                let (found, candidates) = sentence.finish(self.end_mark, self.settings.kept);
                self.spare.push(candidates);
                finished.push(found);
            } else {
                let nodes = &sentence.nodes;
                let word = |live: &Live| live.last.map(|last| nodes[last].word);
                let position = sentence.length;
                self.previous.extend(sentence.live.iter().map(|live| Previous { word: word(live), position }));
                self.staying.push(sentence);
            }
        }
        self.sentences = std::mem::replace(&mut self.staying, sentences);
        self.rows.select(&self.origins);
        self.watch.note(clock, |profile| &mut profile.output);
    }

    fn cancel(&mut self, request: u64) {
        let (mut row, mut kept) = (0, Vec::new());
        self.sentences.retain(|sentence| {
            let rows = row..row + sentence.live.len();
            row = rows.end;
            let stays = sentence.job.request != request;
            if stays {
                kept.extend(rows);
            }
            stays
        });
        self.previous = kept.iter().map(|&row| self.previous[row]).collect();
        self.rows.select(&kept);
    }

    fn start_profile(&mut self) {
        self.watch.start();
    }

    fn profile(&self) -> Option<Profile> {
        self.watch.profile()
    }
}

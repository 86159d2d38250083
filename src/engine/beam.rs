//! Beam search as Marian does it, over sentences that come and go.
//!
//! A sentence starts with one hypothesis, the empty one. At each step every hypothesis is extended by every word, the extensions are
//! scored by the sum of log-probabilities, and the best are kept, as many as the beam is wide. A hypothesis that ends with the end mark
//! is done, and the beam is narrower by one from then on; at the length limit all are done. At the end they are ranked by
//! `(Σ ln p − β · length) / length^α`, where the length is in words with the end mark, α is Marian's `normalize` and β its `word-penalty`.
//! So a beam of n finds n hypotheses unless some are pruned or recombined, and a sentence's result depends on nothing else in the batch. If the settings ask for it, no
//! hypothesis is empty: the first word is never the end mark.
//!
//! If a sentence's first words are given, it has one hypothesis up to their end. With `branches`, each of the likeliest words at the first
//! open place begins a hypothesis, which continues with its own likeliest words: the translations differ where others are asked for.
//!
//! With a threshold, hypotheses less likely than the sentence's likeliest by a factor of more than e to its power are pruned (Freitag and
//! Al-Onaizan, 2017, "Beam Search Strategies for Neural Machine Translation", section 3, relative threshold pruning). Where several are likely
//! again, the beam is as wide as before: a wide beam takes its rows only where the model is unsure.
//!
//! Hypotheses of a sentence whose last words are the same are recombined (Zhang et al., 2018, "Exploring Recombination for Efficient Decoding of
//! Neural Machine Translation"): only the one that ranks higher goes on. They would continue in the same way, so the others would keep their
//! rows to the end of the sentence, only to lose there. A hypothesis that says the same a word later is recombined, too.

use super::worker::{Found, Hypothesis, Job, Profile, Watch, Worker, column_of, index_of_largest};
use crate::nn::{Ensemble, EnsembleCandidates, EnsembleRows, Previous};
use std::cmp::Ordering;

/// How to search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Number of hypotheses per sentence.
    pub width: usize,
    /// α of the ranking by length.
    pub normalize: f32,
    /// β of the ranking by length.
    pub word_penalty: f32,
    /// Hypotheses less likely than the sentence's likeliest by a factor of more than e to this power are pruned.
    pub threshold: f32,
    /// How many last words hypotheses must have in common for only the best of them to go on. 0: all go on.
    pub recombination: usize,
    /// Whether the first word is never the end mark.
    pub first_word: bool,
    /// Whether hypotheses branch at the first word that is not given, and then continue with their likeliest words without competing.
    pub branches: bool,
    /// Whether to keep what each word looked at.
    pub attention: bool,
}

impl Settings {
    /// The score that hypotheses are ranked by, from the sum of log-probabilities and the number of words. The power is computed in software, so
    /// that ranks are the same on every platform.
    fn score(&self, sum: f32, length: usize) -> f32 {
        let length = length as f32;
        (sum - self.word_penalty * length) / libm::pow(f64::from(length), f64::from(self.normalize)) as f32
    }
}

/// One word of a hypothesis, and what comes before it.
#[derive(Clone, Copy, Debug)]
struct Node {
    /// Index of the preceding node; none at the beginning.
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

/// A way to go on: `word` appended to the sentence's hypothesis `from`.
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
    /// For each node, what its word looked at, if that is wanted.
    attention: Vec<Vec<f32>>,
    live: Vec<Live>,
    /// Score and last node.
    done: Vec<(f32, usize)>,
    /// Largest sum of log-probabilities among the hypotheses that are done.
    done_sum: f32,
    /// Number of words in each live hypothesis.
    length: usize,
}

/// One thread's sentences, and memory that is reused.
#[derive(Debug)]
pub struct Beam {
    settings: Settings,
    head: usize,
    end_mark: u32,
    /// Each sentence's hypotheses have consecutive rows, in the order of the sentences.
    sentences: Vec<Sentence>,
    /// The sentences that go on after a step.
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
    /// Which of them give way to another.
    beaten: Vec<bool>,
    /// For each row of the next step, the row that it continues.
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
            beaten: Vec::new(),
            origins: Vec::new(),
            ids: Vec::new(),
            lengths: Vec::new(),
            watch: Watch::default(),
        }
    }
}

impl Sentence {
    /// Applies the chosen expansions to the hypotheses `before`; those that go on become the live ones, and `origins` receives their rows.
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
                self.done.push((settings.score(sum, self.length), node));
            } else {
                self.live.push(Live { last: Some(node), sum });
                origins.push(first_row + from);
            }
        }
    }

    /// What was found, the best first, and the candidates, to be used again.
    fn finish(mut self, end_mark: u32) -> (Found, EnsembleCandidates) {
        // A stable sort: among equals, the one found first.
        self.done.sort_by(|a, b| b.0.total_cmp(&a.0));
        let found = self.done.iter().map(|&(score, last)| {
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

/// Number of log-probabilities that are compared at once with the least of the best.
const BLOCK: usize = 32;

/// The best `count` expansions, the best first; among equals, the first. `rows` are the hypotheses' log-probabilities: those of the
/// first `head` words of the vocabulary, then those of the words of `tail`.
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
            // Once `count` are found, few blocks have a better one, and a whole block is ruled out without a branch for each value.
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

/// The last words of a hypothesis, the last one first.
fn words<'n>(nodes: &'n [Node], hypothesis: &Live) -> impl Iterator<Item = u32> + use<'n> {
    std::iter::successors(hypothesis.last, |&node| nodes[node].parent).map(|node| nodes[node].word)
}

/// The last words that an expansion makes, the last one first.
fn ending<'n>(nodes: &'n [Node], live: &[Live], expansion: &Expansion) -> impl Iterator<Item = u32> + use<'n> {
    std::iter::once(expansion.word).chain(words(nodes, &live[expansion.from]))
}

/// Of expansions that end in the same `count` words, keeps the likeliest. All are equally long, so it also ranks highest. `chosen` has the
/// likeliest first.
fn recombine_equal(nodes: &[Node], live: &[Live], count: usize, chosen: &mut Vec<Expansion>) {
    let mut kept = 0;
    for index in 0..chosen.len() {
        let expansion = chosen[index];
        let own = || ending(nodes, live, &expansion).take(count);
        if !chosen[..kept].iter().any(|likelier| ending(nodes, live, likelier).take(count).eq(own())) {
            chosen[kept] = expansion;
            kept += 1;
        }
    }
    chosen.truncate(kept);
}

/// Recombines expansions of hypotheses of `length` words with those hypotheses that ended before this step as they end now, and go on: the one that
/// ranks higher goes on. Translations that are done are left alone. Of the others, if there are any, at least one stays. `beaten` is spare
/// memory.
fn recombine_delayed(
    nodes: &[Node],
    live: &[Live],
    length: usize,
    (settings, end_mark): (&Settings, u32),
    chosen: &mut Vec<Expansion>,
    beaten: &mut Vec<bool>,
) {
    let count = settings.recombination;
    beaten.clear();
    beaten.resize(live.len(), false);
    let mut kept = 0;
    for index in 0..chosen.len() {
        let expansion = chosen[index];
        let goes_on_from = |from: usize| move |other: &Expansion| other.from == from && other.word != end_mark;
        let mut stays = expansion.word == end_mark || !beaten[expansion.from];
        // What is done competes with nothing.
        let rivals = if stays && expansion.word != end_mark { live } else { &[] };
        for (other, hypothesis) in rivals.iter().enumerate() {
            if beaten[other]
                || other == expansion.from
                || !chosen[..kept].iter().chain(&chosen[index + 1..]).any(goes_on_from(other))
                || !ending(nodes, live, &expansion).take(count).eq(words(nodes, hypothesis).take(count))
            {
                continue;
            }
            let before = settings.score(hypothesis.sum, length);
            if settings.score(expansion.sum, length + 1) > before {
                beaten[other] = true;
            } else {
                stays = false;
                break;
            }
        }
        if stays {
            chosen[kept] = expansion;
            kept += 1;
        }
    }
    chosen.truncate(kept);
    chosen.retain(|expansion| expansion.word == end_mark || !beaten[expansion.from]);
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
                // A source with words has a translation; unsure of a single word, a small model would say nothing.
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
                if self.settings.recombination > 0 {
                    let Sentence { nodes, live, length, job, .. } = &sentence;
                    recombine_equal(nodes, live, self.settings.recombination, &mut self.chosen);
                    // At the limit all are done.
                    if *length + 1 < job.limit {
                        let rules = (&self.settings, self.end_mark);
                        recombine_delayed(nodes, live, *length, rules, &mut self.chosen, &mut self.beaten);
                    }
                }
            }
            let rules = (self.end_mark, self.settings);
            self.before.clear();
            std::mem::swap(&mut self.before, &mut sentence.live);
            sentence.grow(&self.before, &self.chosen, rules, first_row, &self.alignments, &mut self.origins);
            first_row = next_row;
            if sentence.live.is_empty() {
                let (found, candidates) = sentence.finish(self.end_mark);
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const END: u32 = 0;

    fn settings(recombination: usize, normalize: f32) -> Settings {
        Settings {
            width: 8,
            normalize,
            word_penalty: 0.0,
            threshold: f32::INFINITY,
            recombination,
            first_word: false,
            branches: false,
            attention: false,
        }
    }

    /// Hypotheses from their words and sums, all of the same length.
    fn hypotheses(texts: &[(&[u32], f32)]) -> (Vec<Node>, Vec<Live>) {
        let (mut nodes, mut live) = (Vec::new(), Vec::new());
        for &(words, sum) in texts {
            let mut last = None;
            for &word in words {
                nodes.push(Node { parent: last, word, aligned: 0, log_probability: 0.0 });
                last = Some(nodes.len() - 1);
            }
            live.push(Live { last, sum });
        }
        (nodes, live)
    }

    /// Which expansions stay, each given by hypothesis, word and sum.
    fn kept(texts: &[(&[u32], f32)], settings: &Settings, expansions: &[(usize, u32, f32)]) -> Vec<(usize, u32)> {
        let (nodes, live) = hypotheses(texts);
        let expansion = |&(from, word, sum): &(usize, u32, f32)| Expansion { from, word, log_probability: 0.0, sum };
        let mut chosen: Vec<Expansion> = expansions.iter().map(expansion).collect();
        chosen.sort_by(|a, b| b.sum.total_cmp(&a.sum));
        recombine_equal(&nodes, &live, settings.recombination, &mut chosen);
        recombine_delayed(&nodes, &live, texts[0].0.len(), (settings, END), &mut chosen, &mut Vec::new());
        chosen.iter().map(|expansion| (expansion.from, expansion.word)).collect()
    }

    #[test]
    fn of_the_same_ending_the_best_goes_on() {
        let texts: [(&[u32], f32); 2] = [(&[1, 2, 3], -1.0), (&[1, 9, 3], -1.5)];
        let both = [(0, 4, -1.1), (1, 4, -1.6)];
        assert_eq!(kept(&texts, &settings(2, 1.0), &both), [(0, 4)]);
        // The third word from the end differs.
        assert_eq!(kept(&texts, &settings(3, 1.0), &both), [(0, 4), (1, 4)]);
        assert_eq!(kept(&texts, &settings(2, 1.0), &[(0, 4, -1.1), (1, 5, -1.6)]), [(0, 4), (1, 5)]);
    }

    #[test]
    fn what_says_the_same_a_word_later_is_compared_by_rank() {
        // The second now says what the first had said before this step.
        let texts: [(&[u32], f32); 2] = [(&[1, 2, 3], -1.5), (&[1, 9, 2], -1.4)];
        let both = [(0, 4, -1.7), (1, 3, -1.8)];
        // −1.8 over four words ranks higher than −1.5 over three.
        assert_eq!(kept(&texts, &settings(2, 1.0), &both), [(1, 3)]);
        assert_eq!(kept(&texts, &settings(2, 0.0), &both), [(0, 4)]);
        // If the other one does not go on, there is none to give way to.
        assert_eq!(kept(&texts, &settings(2, 0.0), &both[1..]), [(1, 3)]);
    }

    #[test]
    fn what_is_done_is_neither_dropped_nor_goes_on() {
        // The second says what the first has said, and ranks higher, but the first is a translation.
        let texts: [(&[u32], f32); 2] = [(&[1, 5], -1.0), (&[2, 3], -1.2)];
        assert_eq!(kept(&texts, &settings(1, 1.0), &[(0, END, -1.05), (1, 5, -1.4)]), [(0, END), (1, 5)]);
        // The first ends, so the second does not give way to it.
        let texts: [(&[u32], f32); 2] = [(&[1, 2, 3], -1.0), (&[1, 9, 2], -1.1)];
        assert_eq!(kept(&texts, &settings(2, 1.0), &[(1, 3, -1.4), (0, END, -2.5)]), [(1, 3), (0, END)]);
        // Of equal endings one stays, done or not.
        let texts: [(&[u32], f32); 2] = [(&[1, 5], -1.0), (&[2, 5], -1.2)];
        assert_eq!(kept(&texts, &settings(2, 1.0), &[(0, END, -1.1), (1, END, -1.3)]), [(0, END)]);
    }

    proptest! {
        #[test]
        fn one_stays_and_none_ends_as_another(
            words in prop::collection::vec(prop::collection::vec(1u32..3, 3), 1..5),
            sums in prop::collection::vec(-3.0f32..0.0, 4),
            chosen in prop::collection::vec((0usize..4, 0u32..3, -1.0f32..0.0), 1..9),
            count in 1usize..4,
            normalize in 0.0f32..1.5,
        ) {
            let texts: Vec<(&[u32], f32)> = words.iter().map(Vec::as_slice).zip(sums).collect();
            let chosen: Vec<(usize, u32, f32)> =
                chosen.iter().map(|&(from, word, x)| (from % texts.len(), word, texts[from % texts.len()].1 + x)).collect();
            let goes_on = |&(_, word, _): &(usize, u32, f32)| word != END;
            let kept = kept(&texts, &settings(count, normalize), &chosen);
            prop_assert!(!kept.is_empty());
            prop_assert_eq!(kept.iter().any(|&(_, word)| word != END), chosen.iter().any(goes_on));
            let ending = |&(from, word): &(usize, u32)| {
                let mut words = [texts[from].0, &[word]].concat();
                words.split_off(4 - count)
            };
            let endings: std::collections::HashSet<_> = kept.iter().map(ending).collect();
            prop_assert_eq!(endings.len(), kept.len());
        }
    }
}

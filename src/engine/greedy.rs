//! Greedy search over rows that come and go.
//!
//! A worker's rows are slots: a sentence that ends leaves its slot at once and the next one takes it, so the products keep the
//! row counts at which they are fast and nothing waits for the longest sentence of a batch. No row's arithmetic depends
//! on another row.

use super::translator::TranslateOptions;
use super::worker::{Found, Hypothesis, Job, Profile, Watch, Worker, column_of, index_of_largest};
use crate::nn::{Choice, Ensemble, EnsembleCandidates, EnsembleRows, Previous};

#[derive(Debug)]
struct Slot {
    job: Job,
    hypothesis: Hypothesis,
    candidates: EnsembleCandidates,
}

/// One thread's share of the work: its rows, and memory that is reused.
#[derive(Debug)]
pub struct Greedy {
    /// Whether the first word is never the end mark.
    first_word: bool,
    /// Whether log-probabilities are wanted.
    scores: bool,
    /// Whether to keep what each word looked at.
    attention: bool,
    /// Number of leading words of the vocabulary that every row may choose.
    head: usize,
    end_mark: u32,
    slots: Vec<Slot>,
    rows: EnsembleRows,
    spare: Vec<EnsembleCandidates>,
    previous: Vec<Previous>,
    choices: Vec<Choice>,
    alignments: Vec<Vec<f32>>,
    log_probabilities: Vec<f32>,
    ids: Vec<u32>,
    lengths: Vec<usize>,
    watch: Watch,
}

impl Greedy {
    /// A worker for `ensemble`: `head` words of the vocabulary are open to every row; `end_mark` ends a sentence and, with
    /// `first_word`, is never the first word.
    pub fn new(ensemble: &Ensemble, head: usize, end_mark: u32, first_word: bool, options: &TranslateOptions) -> Self {
        Self {
            first_word,
            scores: options.scores,
            attention: options.attention,
            head,
            end_mark,
            slots: Vec::new(),
            rows: EnsembleRows::new(ensemble),
            spare: Vec::new(),
            previous: Vec::new(),
            choices: Vec::new(),
            alignments: Vec::new(),
            log_probabilities: Vec::new(),
            ids: Vec::new(),
            lengths: Vec::new(),
            watch: Watch::default(),
        }
    }

    /// The log-probabilities of all words that each row may choose; returns how far the rows are apart.
    fn look_at_all_words(&mut self, ensemble: &Ensemble) -> usize {
        let texts = self.slots.iter().map(|slot| (&slot.candidates, 1));
        ensemble.log_probabilities(self.head, texts, &mut self.rows, &mut self.log_probabilities)
    }

    /// Makes a sentence whose likeliest first word is the end mark begin with the likeliest other word: a source with words has a translation.
    /// `stride` is that of the log-probabilities, if they are there.
    fn begin_with_a_word(&mut self, ensemble: &Ensemble, stride: Option<usize>) {
        let Self { head, end_mark, .. } = *self;
        let is_empty =
            |row: &usize| self.slots[*row].hypothesis.words.is_empty() && self.choices[*row].word == Some(end_mark);
        let empty: Vec<usize> = (0..self.slots.len()).filter(is_empty).collect();
        if empty.is_empty() {
            return;
        }
        let stride = stride.unwrap_or_else(|| self.look_at_all_words(ensemble));
        for row in empty {
            let candidates = self.slots[row].candidates.ids();
            let words = &mut self.log_probabilities[row * stride..][..head + candidates.len()];
            if let Some(ends) = words.get_mut(end_mark as usize) {
                *ends = f32::NEG_INFINITY;
            }
            let best = index_of_largest(words);
            let is_possible = words[best] > f32::NEG_INFINITY;
            let word = if best < head { best as u32 } else { candidates[best - head] };
            self.choices[row].word = is_possible.then_some(word);
        }
    }

    /// Makes sentences go on with the words that were given for their beginning.
    fn go_on_as_given(&mut self) {
        for (slot, choice) in self.slots.iter().zip(&mut self.choices) {
            if let Some(&word) = slot.job.prefix.get(slot.hypothesis.words.len()) {
                choice.word = Some(word);
            }
        }
    }

    fn release(&mut self, row: usize) -> (Job, Hypothesis) {
        self.rows.swap_remove(row);
        self.previous.swap_remove(row);
        let slot = self.slots.swap_remove(row);
        self.spare.push(slot.candidates);
        (slot.job, slot.hypothesis)
    }
}

impl Worker for Greedy {
    fn active(&self) -> usize {
        self.slots.len()
    }

    fn admit(&mut self, ensemble: &Ensemble, jobs: &mut dyn Iterator<Item = Job>) {
        let clock = self.watch.now();
        self.ids.clear();
        self.lengths.clear();
        for job in jobs {
            self.ids.extend_from_slice(&job.source);
            self.lengths.push(job.source.len());
            let candidates = EnsembleCandidates::reusing(&mut self.spare, ensemble, &job.candidates);
            self.slots.push(Slot { job, hypothesis: Hypothesis::default(), candidates });
            self.previous.push(Previous { word: None, position: 0 });
        }
        if self.lengths.is_empty() {
            return;
        }
        let clock = self.watch.note(clock, |profile| &mut profile.shortlist);
        ensemble.admit(&self.ids, &self.lengths, &mut self.rows);
        self.watch.note(clock, |profile| &mut profile.encode);
    }

    fn step(&mut self, ensemble: &Ensemble, finished: &mut Vec<Found>) {
        if self.slots.is_empty() {
            return;
        }
        let clock = self.watch.now();
        ensemble.decode(&self.previous, &mut self.rows, &mut self.alignments);
        let clock = self.watch.note(clock, |profile| &mut profile.decode);
        let candidates = self.slots.iter().map(|slot| &slot.candidates);
        ensemble.best_words(self.head, candidates, &mut self.rows, &mut self.choices);
        let stride = self.scores.then(|| self.look_at_all_words(ensemble));
        self.go_on_as_given();
        if self.first_word {
            self.begin_with_a_word(ensemble, stride);
        }
        // From the last row on, so that the row that moves into a freed slot has been dealt with.
        for row in (0..self.slots.len()).rev() {
            let slot = &mut self.slots[row];
            let Some(word) = self.choices[row].word else {
                // Not one word had a probability.
                let (job, hypothesis) = self.release(row);
                finished.push((job, vec![hypothesis]));
                continue;
            };
            if let Some(stride) = stride {
                let column = column_of(word, self.head, slot.candidates.ids());
                slot.hypothesis.log_probabilities.push(self.log_probabilities[row * stride + column]);
            }
            if word != self.end_mark {
                slot.hypothesis.words.push(word);
                let probabilities = &self.alignments[row][..slot.job.source.len()];
                slot.hypothesis.alignment.push(index_of_largest(probabilities));
                if self.attention {
                    slot.hypothesis.attention.push(probabilities.to_vec());
                }
            }
            let position = self.previous[row].position + 1;
            self.previous[row] = Previous { word: Some(word), position };
            if word == self.end_mark || slot.hypothesis.words.len() >= slot.job.limit {
                let (job, hypothesis) = self.release(row);
                finished.push((job, vec![hypothesis]));
            }
        }
        self.watch.note(clock, |profile| &mut profile.output);
    }

    fn cancel(&mut self, request: u64) {
        for row in (0..self.slots.len()).rev() {
            if self.slots[row].job.request == request {
                self.release(row);
            }
        }
    }

    fn start_profile(&mut self) {
        self.watch.start();
    }

    fn profile(&self) -> Option<Profile> {
        self.watch.profile()
    }
}

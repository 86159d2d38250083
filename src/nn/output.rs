//! The output layer: which word comes next.
//!
//! Its columns fall into two blocks. The *head* is the first words of the vocabulary, which every row may choose from: one
//! product over a prefix of the packed matrix, shared by all rows. The *tail* is the words that a shortlist adds for one
//! row's own text, copied together once when the row is admitted. A row's choice so depends on its own text alone,
//! whatever else is in the batch.

use super::Network;
use super::linear::{Input, Int8Weights, Weights};
use super::workspace::{Workspace, sized};
use crate::kernels::elementwise;
use crate::kernels::gemm::{self, Best, PackedMatrix, float, float::FloatMatrix};

/// `<unk>` in every vocabulary of Marian's.
pub(crate) const UNKNOWN_WORD: usize = 1;

/// The output layer's own part; its weights may be those of an embedding.
#[derive(Debug)]
pub struct OutputLayer {
    /// None: tied to the target embedding.
    pub(crate) weights: Option<Weights>,
    /// −∞ for the unknown word: it is never said.
    pub(crate) bias: Vec<f32>,
    /// The unknown word's own bias. It has a share of the probabilities though it is never said.
    pub(crate) unknown_bias: f32,
}

/// The tail of one row: words that its shortlist adds to the head.
#[derive(Debug)]
pub struct Candidates {
    ids: Vec<u32>,
    weights: Weights,
    bias: Vec<f32>,
}

/// The word chosen for a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Choice {
    /// Its id.
    pub word: u32,
    /// Its logit.
    pub logit: f32,
    /// Its natural-log probability among the row's candidates, if asked for.
    pub log_probability: Option<f32>,
}

impl OutputLayer {
    pub(crate) fn bytes(&self) -> usize {
        self.weights.as_ref().map_or(0, Weights::bytes) + self.bias.len() * 4
    }
}

impl Candidates {
    /// No words yet.
    pub fn new(network: &Network) -> Self {
        let weights = match network.output_weights() {
            Weights::Float(matrix) => Weights::Float(FloatMatrix::pack(network.backend, matrix.inner(), 0, &[])),
            Weights::Int8(weights) => Weights::Int8(Int8Weights {
                matrix: PackedMatrix::empty(network.backend, weights.matrix.inner()),
                scales: Vec::new(),
                activation: weights.activation,
                observer: None,
            }),
        };
        Self { ids: Vec::new(), weights, bias: Vec::new() }
    }

    /// The words held.
    pub fn ids(&self) -> &[u32] {
        &self.ids
    }

    /// Holds `ids` (ascending) from now on; the memory is reused.
    ///
    /// # Panics
    /// If an id is not in the target vocabulary.
    pub fn set(&mut self, network: &Network, ids: &[u32]) {
        debug_assert!(ids.is_sorted());
        self.ids.clear();
        self.ids.extend_from_slice(ids);
        self.bias.clear();
        self.bias.extend(ids.iter().map(|&id| network.output.bias[id as usize]));
        match (&mut self.weights, network.output_weights()) {
            (Weights::Float(own), Weights::Float(all)) => own.gather(all, ids),
            (Weights::Int8(own), Weights::Int8(all)) => {
                own.matrix.gather(&all.matrix, ids);
                own.scales.clear();
                own.scales.extend(ids.iter().map(|&id| all.scales[id as usize]));
            }
            _ => unreachable!("candidates are made for their network"),
        }
    }
}

impl Network {
    pub(crate) fn output_weights(&self) -> &Weights {
        self.output.weights.as_ref().unwrap_or(&self.target_embedding().weights)
    }

    /// The best word of each row that the decoder left in `workspace`: the largest logit among the first `head` words and
    /// the row's own candidates. `choices` receives one entry a row. Ties go to the lower id.
    pub fn best_words<'c>(
        &self,
        head: usize,
        candidates: impl Iterator<Item = &'c Candidates>,
        workspace: &mut Workspace,
        best: &mut Vec<Best>,
        choices: &mut Vec<Choice>,
    ) {
        let Workspace { rows, quantized, .. } = workspace;
        let count = rows.len() / self.dim;
        best.clear();
        best.resize(count, Best::NONE);
        choices.clear();
        let mut input = Input::new(rows, self.dim, quantized);
        multiply_arg_max(&mut input, 0..count, self.output_weights(), head, &self.output.bias, best);
        for (row, (candidates, best)) in candidates.zip(best).enumerate() {
            if !candidates.ids.is_empty() {
                let mut own = [Best::NONE];
                let columns = candidates.ids.len();
                multiply_arg_max(&mut input, row..row + 1, &candidates.weights, columns, &candidates.bias, &mut own);
                if let Some(&word) = candidates.ids.get(own[0].column as usize) {
                    best.merge(Best { column: word, ..own[0] });
                }
            }
            choices.push(Choice { word: best.column, logit: best.logit, log_probability: None });
        }
    }

    /// All logits of each row that the decoder left in `workspace`: `rows × target vocabulary`, written to `out`.
    pub fn logits(&self, workspace: &mut Workspace, out: &mut Vec<f32>) {
        let Workspace { rows, quantized, .. } = workspace;
        let logits = sized(out, rows.len() / self.dim * self.output_weights().columns());
        multiply(&mut Input::new(rows, self.dim, quantized), self.output_weights(), &self.output.bias, logits);
    }

    /// Natural-log probabilities of the next word for some of the rows that the decoder left in `workspace`: a row for each,
    /// a column for each of `candidates`, or for each word of the vocabulary. They are written to `out`. As in Marian, the unknown
    /// word counts in the sum, and is then −∞.
    pub fn log_probabilities(
        &self,
        rows: std::ops::Range<usize>,
        candidates: Option<&Candidates>,
        workspace: &mut Workspace,
        out: &mut Vec<f32>,
    ) {
        let Workspace { rows: all, quantized, hidden, .. } = workspace;
        let mut input = Input::new(&all[rows.start * self.dim..rows.end * self.dim], self.dim, quantized);
        let (weights, bias, unknown) = match candidates {
            Some(own) => (&own.weights, &own.bias, own.ids.binary_search(&(UNKNOWN_WORD as u32)).ok()),
            None => (self.output_weights(), &self.output.bias, Some(UNKNOWN_WORD)),
        };
        let columns = bias.len();
        let own_bias = sized(hidden, columns);
        own_bias.copy_from_slice(bias);
        if let Some(unknown) = unknown {
            own_bias[unknown] = self.output.unknown_bias;
        }
        out.resize(rows.len() * columns, 0.0);
        multiply(&mut input, weights, own_bias, out);
        for row in out.chunks_exact_mut(columns) {
            let sum = elementwise::log_sum_exp(self.backend, row);
            row.iter_mut().for_each(|logit| *logit -= sum);
            if let Some(unknown) = unknown {
                row[unknown] = f32::NEG_INFINITY;
            }
        }
    }

    /// Adds to each choice its log-probability: `logit − ln Σ exp(logits)` over the row's candidates. Needs all logits, so it
    /// is done on request only.
    pub fn score_words<'c>(
        &self,
        head: usize,
        candidates: impl Iterator<Item = &'c Candidates>,
        workspace: &mut Workspace,
        choices: &mut [Choice],
    ) {
        let Workspace { rows, quantized, hidden, .. } = workspace;
        let columns = self.output_weights().columns();
        for ((row, choice), candidates) in rows.chunks_exact(self.dim).zip(choices).zip(candidates) {
            let tail = candidates.ids.len();
            let mut input = Input::new(row, self.dim, quantized);
            let logits = sized(hidden, columns.max(head + tail) + tail);
            let (all, own) = logits.split_at_mut(columns);
            multiply(&mut input, self.output_weights(), &self.output.bias, all);
            multiply(&mut input, &candidates.weights, &candidates.bias, &mut own[..tail]);
            logits.copy_within(columns..columns + tail, head);
            choice.log_probability =
                Some(choice.logit - elementwise::log_sum_exp(self.backend, &logits[..head + tail]));
        }
    }
}

fn multiply_arg_max(
    input: &mut Input<'_>,
    rows: std::ops::Range<usize>,
    weights: &Weights,
    columns: usize,
    bias: &[f32],
    best: &mut [Best],
) {
    match weights {
        Weights::Float(matrix) => float::multiply_arg_max(input.floats(), rows, matrix, columns, bias, best),
        Weights::Int8(weights) => {
            let quantized = input.quantized(weights);
            gemm::multiply_arg_max(quantized, rows, &weights.matrix, columns, weights.dequantize(bias), best);
        }
    }
}

fn multiply(input: &mut Input<'_>, weights: &Weights, bias: &[f32], out: &mut [f32]) {
    match weights {
        Weights::Float(matrix) => float::multiply(input.floats(), matrix, bias, out),
        Weights::Int8(weights) => {
            gemm::multiply(input.quantized(weights), &weights.matrix, weights.dequantize(bias), out);
        }
    }
}

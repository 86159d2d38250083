//! The output layer: which word comes next.
//!
//! Its columns fall into two blocks. The *head* is the first words of the vocabulary, which every row may choose from: one
//! product over a prefix of the packed matrix, shared by all rows. The *tail* is the words that a shortlist adds for one
//! row's own text, gathered once when the row is admitted. So a row's choice depends on its own text alone,
//! whatever else is in the batch.

use super::Network;
use super::linear::{Input, Int8Weights, Weights};
use super::workspace::{Workspace, sized};
use crate::kernels::elementwise;
use crate::kernels::gemm::float::{self, FloatMatrix};
use crate::kernels::gemm::int16::{self, FixedMatrix};
use crate::kernels::gemm::{self, Best, PackedMatrix};

/// `<unk>` in every vocabulary of Marian's.
pub(crate) const UNKNOWN_WORD: usize = 1;

/// The output layer's own part; its weights may be those of an embedding.
#[derive(Debug)]
pub struct OutputLayer {
    /// None: tied to the target embedding.
    pub(crate) weights: Option<Weights>,
    /// −∞ for the unknown word: it is never chosen.
    pub(crate) bias: Vec<f32>,
    /// The unknown word's own bias. That word has a share of the probabilities though it is never chosen.
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
    /// Its id; none if no word has a logit above −∞, as when a damaged model's numbers overflow.
    pub word: Option<u32>,
    /// Its logit.
    pub logit: f32,
}

impl Choice {
    pub(super) fn new(best: Best) -> Self {
        Self { word: (best.column != Best::NONE.column).then_some(best.column), logit: best.logit }
    }
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
            Weights::Int16(matrix) => Weights::Int16(FixedMatrix::empty(network.backend, matrix.inner())),
        };
        Self { ids: Vec::new(), weights, bias: Vec::new() }
    }

    /// The words held.
    pub fn ids(&self) -> &[u32] {
        &self.ids
    }

    /// Number of words that there is already memory for.
    pub fn room(&self) -> usize {
        self.ids.capacity()
    }

    /// Where the unknown word stands among these words, if at all.
    fn unknown(&self) -> Option<usize> {
        self.ids.binary_search(&(UNKNOWN_WORD as u32)).ok()
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
            (Weights::Int16(own), Weights::Int16(all)) => own.gather(all, ids),
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
    /// the row's own candidates. `choices` receives one entry per row. Ties go to the lower id.
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
            choices.push(Choice::new(*best));
        }
    }

    /// All logits of each row that the decoder left in `workspace`: `rows × target vocabulary`, written to `out`.
    pub fn logits(&self, workspace: &mut Workspace, out: &mut Vec<f32>) {
        let Workspace { rows, quantized, .. } = workspace;
        let (count, columns) = (rows.len() / self.dim, self.output_weights().columns());
        out.resize(count * columns, 0.0);
        let mut input = Input::new(rows, self.dim, quantized);
        multiply_columns(&mut input, 0..count, self.output_weights(), columns, &self.output.bias, columns, out);
    }

    /// Natural-log probabilities of the next word for each row that the decoder left in `workspace`. `texts` names the candidates of each
    /// text and how many rows it has, in the order of the rows. Row r begins at `out[r · stride]`, and the stride is returned: the first
    /// `head` words of the vocabulary, then the text's candidates; what follows up to the next row is unspecified. As in Marian, the unknown
    /// word counts in the sum, and is then −∞.
    ///
    /// # Panics
    /// If the texts have more rows than there are.
    pub fn log_probabilities<'c>(
        &self,
        head: usize,
        texts: impl Iterator<Item = (&'c Candidates, usize)> + Clone,
        workspace: &mut Workspace,
        out: &mut Vec<f32>,
    ) -> usize {
        let stride = self.candidate_logits(head, texts.clone(), true, workspace, out);
        let mut rows = out.chunks_exact_mut(stride);
        for (candidates, count) in texts {
            let unknown = unknown_in_head(head).or_else(|| Some(head + candidates.unknown()?));
            for row in rows.by_ref().take(count) {
                let row = &mut row[..head + candidates.ids.len()];
                let sum = elementwise::log_sum_exp(self.backend, row);
                row.iter_mut().for_each(|logit| *logit -= sum);
                if let Some(unknown) = unknown {
                    row[unknown] = f32::NEG_INFINITY;
                }
            }
        }
        stride
    }

    /// The logits of each row's head and candidates, laid out as by [`Network::log_probabilities`]; the stride is returned, too. All rows
    /// share one product over the head, and the rows of a text share one over its candidates. That of the unknown word is −∞, unless it is
    /// asked for.
    pub(super) fn candidate_logits<'c>(
        &self,
        head: usize,
        texts: impl Iterator<Item = (&'c Candidates, usize)> + Clone,
        with_unknown_word: bool,
        workspace: &mut Workspace,
        out: &mut Vec<f32>,
    ) -> usize {
        let unknown_bias = if with_unknown_word { self.output.unknown_bias } else { f32::NEG_INFINITY };
        let Workspace { rows, quantized, hidden, .. } = workspace;
        let count = rows.len() / self.dim;
        let stride = (head + texts.clone().map(|(candidates, _)| candidates.ids.len()).max().unwrap_or(0)).max(1);
        out.resize(count * stride, 0.0);
        let mut input = Input::new(rows, self.dim, quantized);
        let bias = with_unknown(&self.output.bias[..head], unknown_in_head(head), unknown_bias, hidden);
        multiply_columns(&mut input, 0..count, self.output_weights(), head, bias, stride, out);
        let mut first = 0;
        for (candidates, count) in texts {
            let (rows, columns) = (first..first + count, candidates.ids.len());
            first = rows.end;
            if columns > 0 {
                let bias = with_unknown(&candidates.bias, candidates.unknown(), unknown_bias, hidden);
                multiply_columns(&mut input, rows, &candidates.weights, columns, bias, stride, &mut out[head..]);
            }
        }
        stride
    }
}

/// Where the unknown word stands among the first `head` words, if at all.
fn unknown_in_head(head: usize) -> Option<usize> {
    (UNKNOWN_WORD < head).then_some(UNKNOWN_WORD)
}

/// `bias`, or, if it has an entry for the unknown word that is not `own`, a copy in `buffer` where it is.
fn with_unknown<'b>(bias: &'b [f32], unknown: Option<usize>, own: f32, buffer: &'b mut Vec<f32>) -> &'b [f32] {
    let Some(unknown) = unknown.filter(|&unknown| bias[unknown] != own) else { return bias };
    let copy = sized(buffer, bias.len());
    copy.copy_from_slice(bias);
    copy[unknown] = own;
    copy
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
        Weights::Int16(matrix) => int16::multiply_arg_max(input.fixed(matrix), rows, matrix, columns, bias, best),
        Weights::Int8(weights) => {
            let quantized = input.quantized(weights);
            gemm::multiply_arg_max(quantized, rows, &weights.matrix, columns, weights.dequantize(bias), best);
        }
    }
}

fn multiply_columns(
    input: &mut Input<'_>,
    rows: std::ops::Range<usize>,
    weights: &Weights,
    columns: usize,
    bias: &[f32],
    stride: usize,
    out: &mut [f32],
) {
    match weights {
        Weights::Float(matrix) => float::multiply_columns(input.floats(), rows, matrix, columns, bias, stride, out),
        Weights::Int16(matrix) => {
            int16::multiply_columns(input.fixed(matrix), rows, matrix, columns, bias, stride, out);
        }
        Weights::Int8(weights) => {
            let (quantized, dequantize) = (input.quantized(weights), weights.dequantize(bias));
            gemm::multiply_columns(quantized, rows, &weights.matrix, columns, dequantize, stride, out);
        }
    }
}

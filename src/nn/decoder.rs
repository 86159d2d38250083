//! The decoder: a sublayer that sees what was said, cross-attention and a feed-forward sublayer in turn, one step at a
//! time.

use super::Network;
use super::attention::{Memory, MultiHead};
use super::average_attention::AverageAttention;
use super::feed_forward::FeedForward;
use super::linear::Input;
use super::norm::LayerNorm;
use super::ssru::Ssru;
use super::workspace::Workspace;
use crate::kernels::Backend;
use crate::kernels::attention::KeysValues;
use std::sync::Arc;

/// A stack of decoder layers.
#[derive(Debug)]
pub struct Decoder {
    pub(crate) backend: Backend,
    pub(crate) dim: usize,
    /// Normalizes the embeddings (Marian's `transformer-postprocess-emb`).
    pub(crate) bottom: Option<LayerNorm>,
    /// The layers that have weights of their own.
    pub(crate) layers: Vec<DecoderLayer>,
    /// For each depth, which of the layers stands there (Marian's `transformer-tied-layers`).
    pub(crate) order: Vec<usize>,
    /// Marian's `transformer-postprocess-top`.
    pub(crate) top: Option<LayerNorm>,
    /// The depth whose cross-attention aligns words (Marian's `transformer-guided-alignment-layer`).
    pub(crate) alignment_depth: usize,
}

/// One decoder layer.
#[derive(Debug)]
pub struct DecoderLayer {
    pub(crate) past: Past,
    pub(crate) attention: MultiHead,
    pub(crate) feed_forward: FeedForward,
}

/// The sublayer through which a decoder layer sees what was said before.
#[derive(Debug)]
pub enum Past {
    /// A recurrence.
    Ssru(Ssru),
    /// The mean of all inputs so far.
    Average(AverageAttention),
    /// Attention to all inputs so far.
    SelfAttention(MultiHead),
}

/// The state of the hypotheses that a decoder has at work, one row each.
///
/// A row is a few vectors and the keys and values of its own sentence, so rows come and go at any step.
#[derive(Debug)]
pub struct DecoderRows {
    dim: usize,
    /// For each depth, the state of every row: cells or means, `rows × dim`; empty under self-attention.
    cells: Vec<Vec<f32>>,
    /// For each depth, the keys and values of what each row has said; empty but under self-attention.
    said: Vec<Vec<KeysValues>>,
    /// For each row, keys and values of its sentence for each layer; hypotheses of one sentence share them.
    memories: Vec<Arc<Vec<Memory>>>,
    /// Memory of rows that left.
    spare: Vec<Vec<Memory>>,
    spare_said: Vec<KeysValues>,
    moved: Vec<f32>,
    selected: Vec<Arc<Vec<Memory>>>,
}

impl Decoder {
    pub(crate) fn bytes(&self) -> usize {
        self.layers.iter().map(|layer| layer.past.bytes() + layer.attention.bytes() + layer.feed_forward.bytes()).sum()
    }
}

impl Past {
    fn bytes(&self) -> usize {
        match self {
            Past::Ssru(recurrence) => recurrence.bytes(),
            Past::Average(average) => average.bytes(),
            Past::SelfAttention(attention) => attention.bytes(),
        }
    }
}

impl DecoderRows {
    /// No rows yet, for `network`.
    pub fn new(network: &Network) -> Self {
        let (dim, depth) = (network.decoder.dim, network.decoder.order.len());
        Self {
            dim,
            cells: vec![Vec::new(); depth],
            said: vec![Vec::new(); depth],
            memories: Vec::new(),
            spare: Vec::new(),
            spare_said: Vec::new(),
            moved: Vec::new(),
            selected: Vec::new(),
        }
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.memories.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.memories.is_empty()
    }

    /// Adds a row for each sentence that was just encoded in `workspace`, in order.
    pub fn admit(&mut self, network: &Network, lengths: &[usize], workspace: &mut Workspace) {
        let decoder = &network.decoder;
        let first = self.memories.len();
        for _ in lengths {
            let fresh = || decoder.layers.iter().map(|_| Memory::new(network.precision())).collect();
            self.memories.push(Arc::new(self.spare.pop().unwrap_or_else(fresh)));
        }
        for (depth, &index) in decoder.order.iter().enumerate() {
            if let Past::SelfAttention(attention) = &decoder.layers[index].past {
                for _ in lengths {
                    let mut said = self.spare_said.pop().unwrap_or_default();
                    attention.forget(&mut said);
                    self.said[depth].push(said);
                }
            } else {
                self.cells[depth].resize(self.memories.len() * self.dim, 0.0);
            }
        }
        let Workspace { rows, keys, values, quantized, .. } = workspace;
        let mut encoded = Input::new(rows, self.dim, quantized);
        for (index, layer) in decoder.layers.iter().enumerate() {
            let fresh = |memory| Arc::get_mut(memory).expect("no other row has a fresh memory");
            let memories = self.memories[first..].iter_mut().map(|memory| &mut fresh(memory)[index]);
            layer.attention.remember(decoder.backend, &mut encoded, lengths, (keys, values), memories);
        }
    }

    /// Removes `row`; the last row takes its place.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn swap_remove(&mut self, row: usize) {
        let last = self.len() - 1;
        for cells in self.cells.iter_mut().filter(|cells| !cells.is_empty()) {
            cells.copy_within(last * self.dim..(last + 1) * self.dim, row * self.dim);
            cells.truncate(last * self.dim);
        }
        for said in self.said.iter_mut().filter(|said| !said.is_empty()) {
            self.spare_said.push(said.swap_remove(row));
        }
        self.spare.extend(Arc::into_inner(self.memories.swap_remove(row)));
    }

    /// Row `i` becomes a copy of what row `from[i]` was: the hypotheses of a beam that go on. Rows that nothing goes on from are gone.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn select(&mut self, from: &[usize]) {
        // A beam whose sentences have one hypothesis each changes nothing.
        if from.len() == self.len() && from.iter().enumerate().all(|(row, &other)| row == other) {
            return;
        }
        let dim = self.dim;
        for cells in self.cells.iter_mut().filter(|cells| !cells.is_empty()) {
            self.moved.clear();
            for &row in from {
                self.moved.extend_from_slice(&cells[row * dim..(row + 1) * dim]);
            }
            std::mem::swap(cells, &mut self.moved);
        }
        for said in self.said.iter_mut().filter(|said| !said.is_empty()) {
            // The last row to go on from another takes it over, so that only branches are copied.
            let mut uses = vec![0usize; said.len()];
            from.iter().for_each(|&row| uses[row] += 1);
            let mut before: Vec<Option<KeysValues>> = said.drain(..).map(Some).collect();
            for &row in from {
                uses[row] -= 1;
                said.push(if uses[row] == 0 {
                    before[row].take().expect("taken once, by the last")
                } else {
                    let mut copy = self.spare_said.pop().unwrap_or_default();
                    copy.clone_from(before[row].as_ref().expect("taken by the last only"));
                    copy
                });
            }
            self.spare_said.extend(before.into_iter().flatten());
        }
        self.selected.extend(from.iter().map(|&row| Arc::clone(&self.memories[row])));
        std::mem::swap(&mut self.memories, &mut self.selected);
        self.spare.extend(self.selected.drain(..).filter_map(Arc::into_inner));
    }
}

/// What a row's last word was, and how many it has.
#[derive(Clone, Copy, Debug)]
pub struct Previous {
    /// The word chosen in the last step; `None` in the first step, whose input is a zero vector.
    pub word: Option<u32>,
    /// Number of words so far.
    pub position: usize,
}

impl Network {
    /// One decoder step for all rows. The decoder's output is left in `workspace`, ready for
    /// [`Network::best_words`]. If `alignments` is given, it receives for each row the attention of the alignment head,
    /// one probability for each source piece (the buffers may be longer).
    ///
    /// # Panics
    /// If `previous` has another length than `rows`.
    pub fn decode(
        &self,
        previous: &[Previous],
        rows: &mut DecoderRows,
        mut alignments: Option<&mut Vec<Vec<f32>>>,
        workspace: &mut Workspace,
    ) {
        assert_eq!(previous.len(), rows.len());
        let (decoder, dim) = (&self.decoder, self.dim);
        workspace.rows.clear();
        workspace.rows.resize(previous.len() * dim, 0.0);
        for (previous, row) in previous.iter().zip(workspace.rows.chunks_exact_mut(dim)) {
            if let Some(word) = previous.word {
                self.target_embedding().look_up(word, row);
            }
            self.positions.add(previous.position, row);
        }
        if let Some(norm) = &decoder.bottom {
            norm.apply(decoder.backend, &mut workspace.rows);
        }
        if let Some(alignments) = &mut alignments {
            alignments.resize(previous.len().max(alignments.len()), Vec::new());
        }
        for (depth, &index) in decoder.order.iter().enumerate() {
            let layer = &decoder.layers[index];
            match &layer.past {
                Past::Ssru(recurrence) => {
                    recurrence.apply(decoder.backend, dim, &mut rows.cells[depth], workspace);
                }
                Past::Average(average) => {
                    average.apply(decoder.backend, dim, previous, &mut rows.cells[depth], workspace);
                }
                Past::SelfAttention(attention) => {
                    attention.apply_step(decoder.backend, dim, &mut rows.said[depth], workspace);
                }
            }
            let memories = rows.memories.iter().map(|memory| &memory[index]);
            let wanted = if depth == decoder.alignment_depth { alignments.as_deref_mut() } else { None };
            layer.attention.apply_cross(decoder.backend, dim, memories, wanted, workspace);
            layer.feed_forward.apply(decoder.backend, dim, workspace);
        }
        if let Some(norm) = &decoder.top {
            norm.apply(decoder.backend, &mut workspace.rows);
        }
    }
}

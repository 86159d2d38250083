//! The decoder: a recurrent sublayer, cross-attention and a feed-forward sublayer in turn, one step at a time.

use super::Network;
use super::attention::MultiHead;
use super::feed_forward::FeedForward;
use super::linear::Input;
use super::norm::LayerNorm;
use super::ssru::Ssru;
use super::workspace::Workspace;
use crate::kernels::Backend;
use crate::kernels::attention::KeysValues;

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
    pub(crate) recurrence: Ssru,
    pub(crate) attention: MultiHead,
    pub(crate) feed_forward: FeedForward,
}

/// The state of the sentences that a decoder has at work, one row each.
///
/// A row is a few vectors and the keys and values of its own sentence, so rows come and go at any step.
#[derive(Debug)]
pub struct DecoderRows {
    dim: usize,
    /// For each depth, the recurrent state of every row: `rows × dim`.
    cells: Vec<Vec<f32>>,
    /// For each row, keys and values for each layer.
    memories: Vec<Vec<KeysValues>>,
    /// Memory of rows that left.
    spare: Vec<Vec<KeysValues>>,
}

impl Decoder {
    pub(crate) fn bytes(&self) -> usize {
        self.layers
            .iter()
            .map(|layer| layer.recurrence.bytes() + layer.attention.bytes() + layer.feed_forward.bytes())
            .sum()
    }
}

impl DecoderRows {
    /// No rows yet, for `network`.
    pub fn new(network: &Network) -> Self {
        let decoder = &network.decoder;
        Self { dim: decoder.dim, cells: vec![Vec::new(); decoder.order.len()], memories: Vec::new(), spare: Vec::new() }
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
            let fresh = || vec![KeysValues::default(); decoder.layers.len()];
            self.memories.push(self.spare.pop().unwrap_or_else(fresh));
        }
        for cells in &mut self.cells {
            cells.resize(self.memories.len() * self.dim, 0.0);
        }
        let Workspace { rows, keys, values, quantized, .. } = workspace;
        let mut encoded = Input::new(rows, self.dim, quantized);
        for (index, layer) in decoder.layers.iter().enumerate() {
            let memories = self.memories[first..].iter_mut().map(|memory| &mut memory[index]);
            layer.attention.remember(decoder.backend, &mut encoded, lengths, (keys, values), memories);
        }
    }

    /// Removes `row`; the last row takes its place.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn swap_remove(&mut self, row: usize) {
        let last = self.len() - 1;
        for cells in &mut self.cells {
            cells.copy_within(last * self.dim..(last + 1) * self.dim, row * self.dim);
            cells.truncate(last * self.dim);
        }
        self.spare.push(self.memories.swap_remove(row));
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
            layer.recurrence.apply(decoder.backend, dim, &mut rows.cells[depth], workspace);
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

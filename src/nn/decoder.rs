//! The decoder, one step at a time: a sublayer that sees what was said, cross-attention and a feed-forward sublayer in turn; or
//! recurrent layers.

use super::Network;
use super::attention::{Memory, MultiHead};
use super::feed_forward::FeedForward;
use super::linear::Input;
use super::norm::LayerNorm;
use super::past::Past;
use super::recurrent::RecurrentDecoder;
use super::spare;
use super::state::State;
use super::workspace::Workspace;
use crate::kernels::Backend;
use std::sync::Arc;

/// What writes the target.
#[derive(Debug)]
pub enum Decoder {
    /// A Transformer's, whatever lets it see its past.
    Transformer(TransformerDecoder),
    /// Recurrent layers.
    Recurrent(Box<RecurrentDecoder>),
}

/// A stack of decoder layers.
#[derive(Debug)]
pub struct TransformerDecoder {
    pub(crate) backend: Backend,
    pub(crate) dim: usize,
    /// Normalizes the embeddings (Marian's `transformer-postprocess-emb`).
    pub(crate) bottom: Option<LayerNorm>,
    /// The layers that have weights of their own.
    pub(crate) layers: Vec<DecoderLayer>,
    /// For each depth, which of the layers is there (Marian's `transformer-tied-layers`).
    pub(crate) order: Vec<usize>,
    /// Marian's `transformer-postprocess-top`.
    pub(crate) top: Option<LayerNorm>,
    /// The depth whose cross-attention aligns words (Marian's `transformer-guided-alignment-layer`).
    pub(crate) alignment_depth: usize,
}

/// One decoder layer.
#[derive(Debug)]
pub struct DecoderLayer {
    pub(crate) past: Box<dyn Past>,
    pub(crate) attention: MultiHead,
    pub(crate) feed_forward: FeedForward,
}

/// The state of the hypotheses that a decoder is working on, one row each.
///
/// A row is what each layer remembers and the keys and values of its own sentence, so rows can come and go at any step.
#[derive(Debug)]
pub struct DecoderRows {
    /// For each depth, what it remembers of every row.
    states: Vec<State>,
    /// For each row, keys and values of its sentence for each layer; hypotheses of one sentence share them.
    memories: Vec<Arc<Vec<Memory>>>,
    /// Memory of rows that left.
    spare: Vec<Vec<Memory>>,
    moved: Vec<f32>,
    selected: Vec<Arc<Vec<Memory>>>,
}

impl Decoder {
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Decoder::Transformer(decoder) => decoder.bytes(),
            Decoder::Recurrent(decoder) => decoder.bytes(),
        }
    }

    /// For each depth, its state without rows.
    fn states(&self) -> Vec<State> {
        match self {
            Decoder::Transformer(decoder) => {
                decoder.order.iter().map(|&index| decoder.layers[index].past.state()).collect()
            }
            Decoder::Recurrent(decoder) => decoder.states(),
        }
    }

    /// How many layers attend to the source.
    pub(super) fn attentions(&self) -> usize {
        match self {
            Decoder::Transformer(decoder) => decoder.layers.len(),
            Decoder::Recurrent(_) => 1,
        }
    }
}

impl DecoderRows {
    /// No rows yet, for `network`.
    pub fn new(network: &Network) -> Self {
        Self {
            states: network.decoder.states(),
            memories: Vec::new(),
            spare: Vec::new(),
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
        let first = self.memories.len();
        for &length in lengths {
            let fresh = || (0..network.decoder.attentions()).map(|_| Memory::new(network.precision())).collect();
            let room = |memories: &Vec<Memory>| memories.first().map_or(0, Memory::room);
            let memories = spare::take(&mut self.spare, length, room);
            self.memories.push(Arc::new(memories.unwrap_or_else(fresh)));
        }
        for state in &mut self.states {
            state.admit(lengths.len());
        }
        let memories = &mut self.memories[first..];
        match &network.decoder {
            Decoder::Transformer(decoder) => decoder.admit(lengths, memories, workspace),
            Decoder::Recurrent(decoder) => decoder.admit(lengths, memories, &mut self.states, workspace),
        }
    }

    /// Removes `row`; the last row takes its place.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn swap_remove(&mut self, row: usize) {
        for state in &mut self.states {
            state.swap_remove(row);
        }
        self.spare.extend(Arc::into_inner(self.memories.swap_remove(row)));
    }

    /// Row `i` becomes a copy of what row `from[i]` was: the hypotheses of a beam that go on. Rows that none of them continues are dropped.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn select(&mut self, from: &[usize]) {
        // A beam whose sentences have one hypothesis each changes nothing.
        if from.len() == self.len() && from.iter().enumerate().all(|(row, &other)| row == other) {
            return;
        }
        for state in &mut self.states {
            state.select(from, &mut self.moved);
        }
        self.selected.extend(from.iter().map(|&row| Arc::clone(&self.memories[row])));
        std::mem::swap(&mut self.memories, &mut self.selected);
        self.spare.extend(self.selected.drain(..).filter_map(Arc::into_inner));
    }
}

/// The memories of layer `layer` of rows that were just admitted.
pub(crate) fn fresh_memories(memories: &mut [Arc<Vec<Memory>>], layer: usize) -> impl Iterator<Item = &mut Memory> {
    memories.iter_mut().map(move |memory| &mut Arc::get_mut(memory).expect("no other row has a fresh memory")[layer])
}

impl TransformerDecoder {
    fn bytes(&self) -> usize {
        self.layers.iter().map(|layer| layer.past.bytes() + layer.attention.bytes() + layer.feed_forward.bytes()).sum()
    }

    /// Keeps the keys and values of the sentences that were just encoded.
    fn admit(&self, lengths: &[usize], memories: &mut [Arc<Vec<Memory>>], workspace: &mut Workspace) {
        let Workspace { rows, keys, values, quantized, .. } = workspace;
        let mut encoded = Input::new(rows, self.dim, quantized);
        for (index, layer) in self.layers.iter().enumerate() {
            let memories = fresh_memories(memories, index);
            layer.attention.remember(self.backend, &mut encoded, lengths, (keys, values), memories);
        }
    }

    /// One step of the workspace's rows in place.
    fn step(
        &self,
        previous: &[Previous],
        states: &mut [State],
        memories: &[Arc<Vec<Memory>>],
        mut alignments: Option<&mut Vec<Vec<f32>>>,
        workspace: &mut Workspace,
    ) {
        if let Some(norm) = &self.bottom {
            norm.apply(self.backend, &mut workspace.rows);
        }
        for ((depth, &index), state) in self.order.iter().enumerate().zip(states) {
            let layer = &self.layers[index];
            layer.past.step(self.backend, previous, state, workspace);
            let memories = memories.iter().map(|memory| &memory[index]);
            let wanted = if depth == self.alignment_depth { alignments.as_deref_mut() } else { None };
            layer.attention.apply_cross(self.backend, self.dim, memories, wanted, workspace);
            layer.feed_forward.apply(self.backend, self.dim, workspace);
        }
        if let Some(norm) = &self.top {
            norm.apply(self.backend, &mut workspace.rows);
        }
    }
}

/// What a row's last word was, and how many words it has.
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
    /// If the lengths of `previous` and `rows` differ.
    pub fn decode(
        &self,
        previous: &[Previous],
        rows: &mut DecoderRows,
        mut alignments: Option<&mut Vec<Vec<f32>>>,
        workspace: &mut Workspace,
    ) {
        assert_eq!(previous.len(), rows.len());
        let dim = self.dim;
        workspace.rows.clear();
        workspace.rows.resize(previous.len() * dim, 0.0);
        for (previous, row) in previous.iter().zip(workspace.rows.chunks_exact_mut(dim)) {
            if let Some(word) = previous.word {
                self.target_embedding().look_up(word, row);
            }
            if let Some(positions) = &self.positions {
                positions.add(previous.position, row);
            }
        }
        if let Some(alignments) = &mut alignments {
            alignments.resize(previous.len().max(alignments.len()), Vec::new());
        }
        let DecoderRows { states, memories, .. } = rows;
        match &self.decoder {
            Decoder::Transformer(decoder) => decoder.step(previous, states, memories, alignments, workspace),
            Decoder::Recurrent(decoder) => decoder.step(previous, states, memories, alignments, workspace),
        }
    }
}

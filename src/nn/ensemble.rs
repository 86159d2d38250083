//! Several networks that choose the next word together.
//!
//! A word is as likely as the networks think on average: log p(w) = 1/n · Σᵢ log pᵢ(w), the mean of their log-probabilities with equal
//! weights, by which Marian's ensembles of several models rank, too. It is not normalized again. Every network has its own encoder, its own
//! memory of the hypotheses and its own output layer, so architectures and precisions may differ; the meaning of the words may not. The first
//! network's attention aligns the words.
//!
//! A single network is an ensemble of one, which computes the same as the network by itself.

use super::decoder::{DecoderRows, Previous};
use super::output::{Candidates, Choice};
use super::spare;
use super::{Network, Workspace};
use crate::kernels::gemm::Best;
use std::sync::Arc;

/// Networks with the same vocabularies, at least one.
#[derive(Clone, Debug)]
pub struct Ensemble {
    networks: Vec<Arc<Network>>,
}

/// The hypotheses that an ensemble is working on: one row each in every network.
#[derive(Debug)]
pub struct EnsembleRows {
    members: Vec<Member>,
    best: Vec<Best>,
    logits: Vec<f32>,
    addend: Vec<f32>,
}

/// What one network remembers of them, and its own memory for a step.
#[derive(Debug)]
struct Member {
    rows: DecoderRows,
    workspace: Workspace,
}

/// The words that a shortlist adds for one text, in the output layer of every network.
#[derive(Debug)]
pub struct EnsembleCandidates {
    members: Vec<Candidates>,
}

impl Ensemble {
    /// An ensemble of these networks.
    ///
    /// # Panics
    /// If there is none, or the numbers of source or target words differ.
    pub fn new(networks: Vec<Arc<Network>>) -> Self {
        let sizes = |network: &Network| (network.source_vocabulary(), network.target_vocabulary());
        let first = networks.first().expect("an ensemble has at least one network");
        assert!(networks.iter().all(|network| sizes(network) == sizes(first)), "networks with other vocabularies");
        Self { networks }
    }

    /// Its networks.
    pub fn networks(&self) -> &[Arc<Network>] {
        &self.networks
    }

    /// The one whose attention aligns words.
    pub fn first(&self) -> &Network {
        &self.networks[0]
    }

    /// Number of target pieces.
    pub fn target_vocabulary(&self) -> usize {
        self.first().target_vocabulary()
    }

    /// Bytes of memory that the weights take. A network that occurs twice counts once.
    pub fn bytes(&self) -> usize {
        let is_new =
            |index: usize| !self.networks[..index].iter().any(|other| Arc::ptr_eq(other, &self.networks[index]));
        (0..self.networks.len()).filter(|&index| is_new(index)).map(|index| self.networks[index].bytes()).sum()
    }

    /// Bytes that a decoder step reads for a sentence of `pieces` pieces beside the weights that all sentences share: keys and values, and the output
    /// layer's weights of `candidates` words of its own.
    pub fn bytes_read(&self, pieces: usize, candidates: usize) -> usize {
        self.networks.iter().map(|network| network.bytes_read(pieces, candidates)).sum()
    }

    /// Encodes sentences, see [`Network::encode`], and adds a row for each, in order.
    ///
    /// # Panics
    /// As [`Network::encode`].
    pub fn admit(&self, ids: &[u32], lengths: &[usize], rows: &mut EnsembleRows) {
        for (network, Member { rows, workspace }) in self.networks.iter().zip(&mut rows.members) {
            network.encode(ids, lengths, workspace);
            rows.admit(network, lengths, workspace);
        }
    }

    /// One decoder step for all rows, see [`Network::decode`]. `alignments` receives the attention of the first network.
    ///
    /// # Panics
    /// If the length of `previous` is not the number of rows.
    pub fn decode(&self, previous: &[Previous], rows: &mut EnsembleRows, alignments: &mut Vec<Vec<f32>>) {
        let mut alignments = Some(alignments);
        for (network, Member { rows, workspace }) in self.networks.iter().zip(&mut rows.members) {
            network.decode(previous, rows, alignments.take(), workspace);
        }
    }

    /// The likeliest word of each row after a step, see [`Network::best_words`]. The logit of several networks' choice is the mean of their
    /// logits: the denominator of a network's probabilities is the same for all words of a row, so the largest mean is the likeliest word's.
    pub fn best_words<'c>(
        &self,
        head: usize,
        candidates: impl Iterator<Item = &'c EnsembleCandidates> + Clone,
        rows: &mut EnsembleRows,
        choices: &mut Vec<Choice>,
    ) {
        let EnsembleRows { members, best, logits, addend, .. } = rows;
        if let ([network], [member]) = (&self.networks[..], &mut members[..]) {
            let candidates = candidates.map(|candidates| &candidates.members[0]);
            return network.best_words(head, candidates, &mut member.workspace, best, choices);
        }
        let texts = candidates.clone();
        let stride = self.mean(members, logits, addend, |index, network, workspace, out| {
            let texts = texts.clone().map(|candidates| (&candidates.members[index], 1));
            network.candidate_logits(head, texts, false, workspace, out)
        });
        choices.clear();
        for (row, candidates) in logits.chunks_exact(stride).zip(candidates) {
            let mut best = Best::NONE;
            for (column, &logit) in row[..head + candidates.ids().len()].iter().enumerate() {
                best.merge(Best { logit, column: column as u32 });
            }
            if let Some(&word) = (best.column as usize).checked_sub(head).and_then(|place| candidates.ids().get(place))
            {
                best.column = word;
            }
            choices.push(Choice::new(best));
        }
    }

    /// Log-probabilities of the next word for each row after a step, see [`Network::log_probabilities`]; for several networks, the mean.
    ///
    /// # Panics
    /// As [`Network::log_probabilities`].
    pub fn log_probabilities<'c>(
        &self,
        head: usize,
        texts: impl Iterator<Item = (&'c EnsembleCandidates, usize)> + Clone,
        rows: &mut EnsembleRows,
        out: &mut Vec<f32>,
    ) -> usize {
        let EnsembleRows { members, addend, .. } = rows;
        self.mean(members, out, addend, |index, network, workspace, out| {
            let texts = texts.clone().map(|(candidates, count)| (&candidates.members[index], count));
            network.log_probabilities(head, texts, workspace, out)
        })
    }

    /// The mean of what `write` writes for each network. Returns the stride, which is the same for all, since all have the same candidates.
    fn mean(
        &self,
        members: &mut [Member],
        out: &mut Vec<f32>,
        addend: &mut Vec<f32>,
        mut write: impl FnMut(usize, &Network, &mut Workspace, &mut Vec<f32>) -> usize,
    ) -> usize {
        let stride = write(0, &self.networks[0], &mut members[0].workspace, out);
        for (index, (network, member)) in self.networks.iter().zip(members).enumerate().skip(1) {
            write(index, network, &mut member.workspace, addend);
            for (sum, &value) in out.iter_mut().zip(&*addend) {
                *sum += value;
            }
        }
        if self.networks.len() > 1 {
            let count = self.networks.len() as f32;
            out.iter_mut().for_each(|sum| *sum /= count);
        }
        stride
    }
}

impl EnsembleRows {
    /// No rows yet, for `ensemble`.
    pub fn new(ensemble: &Ensemble) -> Self {
        let member = |network: &Arc<Network>| Member {
            rows: DecoderRows::new(network),
            workspace: Workspace::new(network.backend()),
        };
        Self {
            members: ensemble.networks.iter().map(member).collect(),
            best: Vec::new(),
            logits: Vec::new(),
            addend: Vec::new(),
        }
    }

    /// Removes `row`; the last row takes its place.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn swap_remove(&mut self, row: usize) {
        self.members.iter_mut().for_each(|member| member.rows.swap_remove(row));
    }

    /// Row `i` becomes a copy of what row `from[i]` was, see [`DecoderRows::select`].
    ///
    /// # Panics
    /// If there is no such row.
    pub fn select(&mut self, from: &[usize]) {
        self.members.iter_mut().for_each(|member| member.rows.select(from));
    }
}

impl EnsembleCandidates {
    /// No words yet.
    pub fn new(ensemble: &Ensemble) -> Self {
        Self { members: ensemble.networks.iter().map(|network| Candidates::new(network)).collect() }
    }

    /// Candidates that hold `ids` (ascending), in the memory of those in `spare` that fit best, if there are any.
    ///
    /// # Panics
    /// As [`set`](Self::set).
    pub fn reusing(spare: &mut Vec<EnsembleCandidates>, ensemble: &Ensemble, ids: &[u32]) -> Self {
        let room = |candidates: &EnsembleCandidates| candidates.members[0].room();
        let mut candidates = spare::take(spare, ids.len(), room).unwrap_or_else(|| EnsembleCandidates::new(ensemble));
        candidates.set(ensemble, ids);
        candidates
    }

    /// The words held.
    pub fn ids(&self) -> &[u32] {
        self.members[0].ids()
    }

    /// Holds `ids` (ascending) from now on; the memory is reused.
    ///
    /// # Panics
    /// If an id is not in the target vocabulary.
    pub fn set(&mut self, ensemble: &Ensemble, ids: &[u32]) {
        for (candidates, network) in self.members.iter_mut().zip(&ensemble.networks) {
            candidates.set(network, ids);
        }
    }
}

//! Word vectors and the position signal.

use super::linear::Weights;
use std::sync::OnceLock;

/// An embedding matrix. In an int8 model the packed output layer serves as embedding too, so that there is one copy.
#[derive(Debug)]
pub struct Embedding {
    /// As output layer: inner = dimension, one column for each word.
    pub(crate) weights: Weights,
    /// √dim, by which Marian multiplies every embedding (Vaswani et al., 2017, section 3.4).
    pub(crate) factor: f32,
}

impl Embedding {
    /// Number of words.
    pub(crate) fn len(&self) -> usize {
        self.weights.columns()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.weights.bytes()
    }

    /// Writes the scaled vector of word `id` to `row`.
    pub(crate) fn look_up(&self, id: u32, row: &mut [f32]) {
        match &self.weights {
            Weights::Float(matrix) => {
                matrix.unpack_column(id as usize, row);
                row.iter_mut().for_each(|x| *x *= self.factor);
            }
            Weights::Int16(matrix) => {
                matrix.unpack_column(id as usize, row);
                row.iter_mut().for_each(|x| *x *= self.factor);
            }
            Weights::Int8(weights) => {
                let mut buffer = [0i8; MAX_DIM];
                let buffer = &mut buffer[..row.len()];
                weights.matrix.unpack_column(id as usize, buffer);
                let scale = weights.scales[id as usize] * self.factor;
                for (x, &value) in row.iter_mut().zip(buffer.iter()) {
                    *x = f32::from(value) * scale;
                }
            }
        }
    }
}

/// Largest embedding dimension that the engine runs.
pub(crate) const MAX_DIM: usize = 4096;

/// Marian's sinusoid signal: for dimension i of d/2, sin(p · ω_i) in the first half and cos(p · ω_i) in the second, with
/// ω_i = exp(−i · ln 10000 / (d/2 − 1)).
///
/// It is computed with a software implementation of sine and cosine, so that it has the same bits everywhere. That takes milliseconds for all
/// positions, of which most sentences need a few dozen, so each block of positions waits until it is wanted.
#[derive(Debug)]
pub struct Positions {
    frequencies: Vec<f32>,
    /// The signal of [`BLOCK`] positions each, row after row.
    blocks: Vec<OnceLock<Vec<f32>>>,
}

/// Positions that are computed together.
const BLOCK: usize = 32;

impl Positions {
    /// The signal of `count` positions, a multiple of [`BLOCK`].
    pub(crate) fn new(dim: usize, count: usize) -> Self {
        debug_assert!(count.is_multiple_of(BLOCK), "{count} positions in blocks of {BLOCK}");
        let half = dim / 2;
        let step = libm::log(10000.0) as f32 / (half as f32 - 1.0);
        let frequencies = (0..half).map(|i| libm::exp(f64::from(i as f32 * -step)) as f32).collect();
        Self { frequencies, blocks: vec![OnceLock::new(); count.div_ceil(BLOCK)] }
    }

    /// Number of positions that have a signal of their own.
    pub(crate) fn len(&self) -> usize {
        self.blocks.len() * BLOCK
    }

    /// Adds the signal of `position` to `row`. Positions beyond the last share its signal.
    pub(crate) fn add(&self, position: usize, row: &mut [f32]) {
        let position = position.min(self.len() - 1);
        let block = self.blocks[position / BLOCK].get_or_init(|| self.block(position / BLOCK));
        let dim = 2 * self.frequencies.len();
        for (x, signal) in row.iter_mut().zip(&block[position % BLOCK * dim..][..dim]) {
            *x += signal;
        }
    }

    fn block(&self, number: usize) -> Vec<f32> {
        let half = self.frequencies.len();
        let mut block = vec![0.0; BLOCK * 2 * half];
        for (row, position) in block.chunks_exact_mut(2 * half).zip(number * BLOCK..) {
            let (sines, cosines) = row.split_at_mut(half);
            for ((sine, cosine), frequency) in sines.iter_mut().zip(cosines).zip(&self.frequencies) {
                let angle = f64::from(position as f32 * frequency);
                *sine = libm::sin(angle) as f32;
                *cosine = libm::cos(angle) as f32;
            }
        }
        block
    }
}

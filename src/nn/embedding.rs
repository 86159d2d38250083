//! Word vectors and the position signal.

use super::linear::Weights;

/// An embedding matrix. In an int8 model the packed output layer also serves as the embedding, so that there is only one copy.
#[derive(Debug)]
pub struct Embedding {
    /// As an output layer: inner = dimension, one column for each word.
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
/// The table is computed with a software implementation of sine and cosine, so that it has the same bits everywhere.
#[derive(Debug)]
pub struct Positions {
    dim: usize,
    table: Vec<f32>,
}

impl Positions {
    /// The signal of positions `0 .. count`.
    pub(crate) fn new(dim: usize, count: usize) -> Self {
        let half = dim / 2;
        let step = libm::log(10000.0) as f32 / (half as f32 - 1.0);
        let frequencies: Vec<f32> = (0..half).map(|i| libm::exp(f64::from(i as f32 * -step)) as f32).collect();
        let mut table = vec![0.0; dim * count];
        for (position, row) in table.chunks_exact_mut(dim).enumerate() {
            for (i, frequency) in frequencies.iter().enumerate() {
                let angle = f64::from(position as f32 * frequency);
                row[i] = libm::sin(angle) as f32;
                row[half + i] = libm::cos(angle) as f32;
            }
        }
        Self { dim, table }
    }

    /// Number of positions in the table.
    pub(crate) fn len(&self) -> usize {
        self.table.len() / self.dim
    }

    /// Adds the signal of `position` to `row`. Positions beyond the table share its last row.
    pub(crate) fn add(&self, position: usize, row: &mut [f32]) {
        let position = position.min(self.len() - 1);
        for (x, signal) in row.iter_mut().zip(&self.table[position * self.dim..][..self.dim]) {
            *x += signal;
        }
    }
}

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
/// ω_i = exp(−i · ln 10000 / (d/2 − 1)). It has no end: every position has a signal of its own.
///
/// It is computed with a software implementation of sine and cosine, so that it has the same bits everywhere.
#[derive(Debug)]
pub struct Positions {
    dim: usize,
    /// ω.
    frequencies: Vec<f32>,
    /// The signal of the first positions, ready to be added.
    table: Vec<f32>,
}

impl Positions {
    /// The signal, ready for positions `0 .. count`.
    pub(crate) fn new(dim: usize, count: usize) -> Self {
        let half = dim / 2;
        let step = libm::log(10000.0) as f32 / (half as f32 - 1.0);
        let frequencies: Vec<f32> = (0..half).map(|i| libm::exp(f64::from(i as f32 * -step)) as f32).collect();
        let mut positions = Self { dim, frequencies, table: Vec::new() };
        let mut table = vec![0.0; dim * count];
        for (position, row) in table.chunks_exact_mut(dim).enumerate() {
            positions.compute(position, row);
        }
        positions.table = table;
        positions
    }

    /// Adds the signal of `position` to `row`.
    pub(crate) fn add(&self, position: usize, row: &mut [f32]) {
        match self.table.chunks_exact(self.dim).nth(position) {
            Some(ready) => row.iter_mut().zip(ready).for_each(|(x, signal)| *x += signal),
            None => self.compute(position, row),
        }
    }

    /// Like [`add`](Self::add), without the table.
    fn compute(&self, position: usize, row: &mut [f32]) {
        let (sines, cosines) = row.split_at_mut(self.dim / 2);
        for ((sine, cosine), frequency) in sines.iter_mut().zip(cosines).zip(&self.frequencies) {
            let angle = f64::from(position as f32 * frequency);
            *sine += libm::sin(angle) as f32;
            *cosine += libm::cos(angle) as f32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_position_has_its_own_signal() {
        let (short, long) = (Positions::new(16, 4), Positions::new(16, 2000));
        let signal = |positions: &Positions, position| {
            let mut row = [0.5; 16];
            positions.add(position, &mut row);
            row
        };
        for position in [0, 3, 4, 5, 511, 512, 513, 1999] {
            assert_eq!(signal(&short, position), signal(&long, position), "{position}");
        }
        // The first frequency is 1.
        assert_eq!(signal(&short, 1000)[0], 0.5 + libm::sin(1000.0) as f32);
        assert_ne!(signal(&short, 1000), signal(&short, 1001));
    }
}

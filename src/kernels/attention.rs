//! Scaled dot-product attention over one sentence, in float (Vaswani et al., 2017, section 3.2).

use crate::kernels::Backend;

/// Lengths are padded to this many positions in [`Keys`].
pub const LANES: usize = 16;

/// Keys and values of one sentence, ready to be attended to: computed once, read by every query.
///
/// Keys lie as `[head][dimension of the head][position]`, positions padded to a multiple of [`LANES`] with zeros, so
/// that the scores of all positions grow side by side in vector registers and each is summed over the dimensions in
/// ascending order. Values lie as `[position][head · dimension]`.
#[derive(Clone, Debug, Default)]
pub struct KeysValues {
    /// Number of positions.
    pub length: usize,
    heads: usize,
    width: usize,
    keys: Vec<f32>,
    values: Vec<f32>,
}

impl KeysValues {
    /// Takes over `length × width` keys and values, row-major, for `heads` heads, reusing the memory held.
    ///
    /// # Panics
    /// If the sizes do not fit.
    pub fn set(&mut self, _backend: Backend, keys: &[f32], values: &[f32], width: usize, heads: usize) {
        assert_eq!(keys.len(), values.len());
        assert!(width > 0 && heads > 0 && width.is_multiple_of(heads) && keys.len().is_multiple_of(width));
        self.length = keys.len() / width;
        self.heads = heads;
        self.width = width;
        let padded = self.length.next_multiple_of(LANES);
        self.keys.clear();
        self.keys.resize(width * padded, 0.0);
        for position in 0..self.length {
            for dimension in 0..width {
                self.keys[dimension * padded + position] = keys[position * width + dimension];
            }
        }
        self.values.clear();
        self.values.extend_from_slice(values);
    }

    /// Bytes of memory held.
    pub fn bytes(&self) -> usize {
        (self.keys.capacity() + self.values.capacity()) * 4
    }
}

/// Reusable memory of [`attend`].
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    weights: Vec<f32>,
}

/// For each query row (`width` floats): per head, `softmax(q · Kᵀ / √d) · V`, written to the same place in `out`.
///
/// If `probabilities` is given as (head, buffer), the attention weights of that head are written to the buffer, `length`
/// for each query.
///
/// # Panics
/// If the sizes do not fit or there is no position to attend to.
pub fn attend(
    _backend: Backend,
    queries: &[f32],
    memory: &KeysValues,
    scratch: &mut Scratch,
    mut probabilities: Option<(usize, &mut [f32])>,
    out: &mut [f32],
) {
    let (width, length) = (memory.width, memory.length);
    assert!(length > 0 && queries.len().is_multiple_of(width) && out.len() == queries.len());
    let head_width = width / memory.heads;
    let padded = length.next_multiple_of(LANES);
    let scale = 1.0 / (head_width as f32).sqrt();
    scratch.weights.resize(padded, 0.0);
    for (row, (query, out)) in queries.chunks_exact(width).zip(out.chunks_exact_mut(width)).enumerate() {
        for head in 0..memory.heads {
            let weights = &mut scratch.weights[..length];
            weights.fill(0.0);
            for dimension in head * head_width..(head + 1) * head_width {
                let keys = &memory.keys[dimension * padded..][..length];
                for (weight, key) in weights.iter_mut().zip(keys) {
                    *weight += query[dimension] * key;
                }
            }
            let largest = weights.iter().fold(f32::NEG_INFINITY, |a, &x| if x > a { x } else { a });
            let mut sum = 0.0;
            for weight in weights.iter_mut() {
                *weight = ((*weight - largest) * scale).exp();
                sum += *weight;
            }
            for weight in weights.iter_mut() {
                *weight /= sum;
            }
            let out = &mut out[head * head_width..][..head_width];
            out.fill(0.0);
            for (position, weight) in weights.iter().enumerate() {
                let values = &memory.values[position * width + head * head_width..][..head_width];
                for (out, value) in out.iter_mut().zip(values) {
                    *out += weight * value;
                }
            }
            if let Some((wanted, buffer)) = &mut probabilities
                && *wanted == head
            {
                buffer[row * length..][..length].copy_from_slice(weights);
            }
        }
    }
}

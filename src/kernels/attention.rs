//! Scaled dot-product attention over one sentence, in float (Vaswani et al., 2017, section 3.2).

use crate::kernels::lanes::{Lanes, exp};
use crate::kernels::{Backend, for_every_backend};

/// Lengths are padded to a multiple of this many positions in [`KeysValues`].
pub const LANES: usize = crate::kernels::lanes::LANES;

/// Keys and values of one sentence, ready to be attended to: computed once, read by every query.
///
/// Keys lie as `[head][dimension of the head][position]`, positions padded to a multiple of [`LANES`] or more, so that
/// the scores of all positions grow side by side in vector registers and each is summed over the dimensions in ascending
/// order. Values lie as `[head][position][dimension of the head]`, dimensions padded with zeros to a multiple of
/// [`LANES`]. Heads may be of any width.
#[derive(Clone, Debug, Default)]
pub struct KeysValues {
    /// Number of positions.
    pub length: usize,
    heads: usize,
    width: usize,
    /// Blocks of sixteen positions that there is room for.
    blocks: usize,
    /// `[head · dimension][block]`
    keys: Vec<[f32; LANES]>,
    /// `[head][position][block of dimensions]`
    values: Vec<[f32; LANES]>,
}

impl KeysValues {
    /// Takes over `length × width` keys and values, row-major, for `heads` heads, reusing the memory held.
    ///
    /// # Panics
    /// If the sizes do not fit.
    pub fn set(&mut self, _backend: Backend, keys: &[f32], values: &[f32], width: usize, heads: usize) {
        assert_eq!(keys.len(), values.len());
        assert!(width > 0 && keys.len().is_multiple_of(width));
        self.clear(width, heads);
        self.length = keys.len() / width;
        self.make_room(self.length.div_ceil(LANES));
        for (block, rows) in keys.chunks(LANES * width).enumerate() {
            // A square of sixteen by sixteen at a time stays in the nearest cache.
            for first in (0..width).step_by(LANES) {
                for dimension in first..width.min(first + LANES) {
                    let column = &mut self.keys[dimension * self.blocks + block];
                    if let Some(rows) = rows.get(..LANES * width) {
                        for (i, key) in column.iter_mut().enumerate() {
                            *key = rows[i * width + dimension];
                        }
                    } else {
                        *column = [0.0; LANES];
                        for (key, row) in column.iter_mut().zip(rows.chunks_exact(width)) {
                            *key = row[dimension];
                        }
                    }
                }
            }
        }
        for (position, row) in values.chunks_exact(width).enumerate() {
            self.set_value(position, row);
        }
    }

    /// Forgets all positions; the memory is kept.
    ///
    /// # Panics
    /// If `width` is not a multiple of `heads`.
    pub fn clear(&mut self, width: usize, heads: usize) {
        assert!(width > 0 && heads > 0 && width.is_multiple_of(heads), "{heads} heads over {width} dimensions");
        (self.length, self.width, self.heads, self.blocks) = (0, width, heads, 0);
    }

    /// Adds one position: the step of a decoder that attends to what it has said. Room grows by doubling.
    ///
    /// # Panics
    /// If the rows are not as wide as said to [`KeysValues::clear`] or [`KeysValues::set`].
    pub fn append(&mut self, keys: &[f32], values: &[f32]) {
        assert_eq!((keys.len(), values.len()), (self.width, self.width), "keys and values of one position");
        let position = self.length;
        if position == self.blocks * LANES {
            self.make_room((self.blocks * 2).max(1));
        }
        self.length += 1;
        for (column, &key) in self.keys.chunks_exact_mut(self.blocks).zip(keys) {
            if position.is_multiple_of(LANES) {
                column[position / LANES] = [0.0; LANES];
            }
            column[position / LANES][position % LANES] = key;
        }
        self.set_value(position, values);
    }

    fn set_value(&mut self, position: usize, row: &[f32]) {
        let head_width = self.width / self.heads;
        let blocks = head_width.div_ceil(LANES);
        for (head, row) in row.chunks_exact(head_width).enumerate() {
            let to = &mut self.values[(head * self.blocks * LANES + position) * blocks..][..blocks];
            let (to, _) = to.as_flattened_mut().split_at_mut(head_width);
            to.copy_from_slice(row);
        }
    }

    /// Makes room for so many blocks of positions, keeping what is there.
    fn make_room(&mut self, blocks: usize) {
        let before = self.blocks;
        let head_width = self.width / self.heads;
        let value_blocks = head_width.div_ceil(LANES);
        self.blocks = blocks;
        let zeros = [0.0; LANES];
        if before == 0 {
            // Padding of dimensions must be zero whatever lay there.
            if !head_width.is_multiple_of(LANES) {
                self.values.clear();
            }
            self.keys.resize(self.width * blocks, zeros);
            self.values.resize(self.heads * blocks * LANES * value_blocks, zeros);
            return;
        }
        let mut keys = vec![zeros; self.width * blocks];
        for (to, from) in keys.chunks_exact_mut(blocks).zip(self.keys.chunks_exact(before)) {
            to[..before].copy_from_slice(from);
        }
        let (stride, stride_before) = (blocks * LANES * value_blocks, before * LANES * value_blocks);
        let mut values = vec![zeros; self.heads * stride];
        for (to, from) in values.chunks_exact_mut(stride).zip(self.values.chunks_exact(stride_before)) {
            to[..stride_before].copy_from_slice(from);
        }
        (self.keys, self.values) = (keys, values);
    }

    /// Bytes of memory held.
    pub fn bytes(&self) -> usize {
        (self.keys.capacity() + self.values.capacity()) * LANES * 4
    }
}

/// Reusable memory of [`attend`].
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    /// `[query of a group][block of positions]`
    weights: Vec<[f32; LANES]>,
}

/// Queries that share each pass over keys and values.
const QUERIES: usize = 4;

for_every_backend! {
    /// For each query row (`width` floats): per head, `softmax(q · Kᵀ / √d) · V`, written to the same place in `out`.
    ///
    /// If `probabilities` is given as (head, buffer), the attention weights of that head are written to the buffer, `length`
    /// for each query.
    ///
    /// # Panics
    /// If the sizes do not fit or there is no position to attend to.
    pub fn attend(
        lanes: L,
        queries: &[f32],
        memory: &KeysValues,
        scratch: &mut Scratch,
        probabilities: Option<(usize, &mut [f32])>,
        out: &mut [f32],
    ) {
        let (width, length) = (memory.width, memory.length);
        assert!(length > 0, "no position to attend to");
        assert!(queries.len().is_multiple_of(width) && out.len() == queries.len());
        let head_width = width / memory.heads;
        let blocks = length.div_ceil(LANES);
        if scratch.weights.len() < QUERIES * blocks {
            scratch.weights.resize(QUERIES * blocks, [0.0; LANES]);
        }
        let (wanted, mut buffer) = match probabilities {
            Some((head, buffer)) => (head, Some(buffer)),
            None => (usize::MAX, None),
        };
        let count = queries.len() / width;
        for head in 0..memory.heads {
            let mut query = 0;
            while query < count {
                let at = query * width + head * head_width;
                let group = if count - query >= QUERIES && L::REGISTERS >= QUERIES {
                    attend_with::<L, QUERIES>(lanes, &queries[at..], memory, head, &mut scratch.weights, &mut out[at..]);
                    QUERIES
                } else {
                    attend_with::<L, 1>(lanes, &queries[at..], memory, head, &mut scratch.weights, &mut out[at..]);
                    1
                };
                if head == wanted && let Some(buffer) = &mut buffer {
                    for (i, weights) in scratch.weights.chunks_exact(blocks).take(group).enumerate() {
                        let to = &mut buffer[(query + i) * length..][..length];
                        to.copy_from_slice(&weights.as_flattened()[..length]);
                    }
                }
                query += group;
            }
        }
    }
}

/// One head of `COUNT` queries, which start `width` apart in `queries` as in `out`.
#[inline(always)]
fn attend_with<L: Lanes, const COUNT: usize>(
    lanes: L,
    queries: &[f32],
    memory: &KeysValues,
    head: usize,
    weights: &mut [[f32; LANES]],
    out: &mut [f32],
) {
    let (width, length) = (memory.width, memory.length);
    let head_width = width / memory.heads;
    let blocks = length.div_ceil(LANES);
    let mut query = [&queries[..head_width]; COUNT];
    for (i, query) in query.iter_mut().enumerate() {
        *query = &queries[i * width..][..head_width];
    }

    // Scores, and the largest of each query.
    let keys = &memory.keys[head * head_width * memory.blocks..][..head_width * memory.blocks];
    let mut largest = [lanes.splat(f32::NEG_INFINITY); COUNT];
    for block in 0..blocks {
        let mut scores = [lanes.splat(0.0); COUNT];
        for (dimension, keys) in keys.chunks_exact(memory.blocks).enumerate() {
            let keys = lanes.load(&keys[block]);
            for (score, query) in scores.iter_mut().zip(&query) {
                *score = lanes.add(*score, lanes.mul(lanes.splat(query[dimension]), keys));
            }
        }
        let count = LANES.min(length - block * LANES);
        for (i, (score, largest)) in scores.into_iter().zip(&mut largest).enumerate() {
            let to = &mut weights[i * blocks + block];
            lanes.store(score, to);
            to[count..].fill(f32::NEG_INFINITY);
            *largest = lanes.max(lanes.load(to), *largest);
        }
    }

    // Softmax; positions of the padding come out as zero.
    let scale = lanes.splat(1.0 / (head_width as f32).sqrt());
    for (weights, largest) in weights.chunks_exact_mut(blocks).zip(largest) {
        let largest = lanes.splat(lanes.largest(largest));
        let mut sums = lanes.splat(0.0);
        for weights in weights.iter_mut() {
            let x = exp(lanes, lanes.mul(lanes.sub(lanes.load(weights), largest), scale));
            lanes.store(x, weights);
            sums = lanes.add(sums, x);
        }
        let factor = lanes.splat(1.0 / lanes.sum(sums));
        for weights in weights.iter_mut() {
            lanes.store(lanes.mul(lanes.load(weights), factor), weights);
        }
    }

    // Weighted values, summed over the positions in ascending order.
    let value_blocks = head_width.div_ceil(LANES);
    let values = &memory.values[head * memory.blocks * LANES * value_blocks..][..length * value_blocks];
    let mut weight = [&weights.as_flattened()[..length]; COUNT];
    for (i, weight) in weight.iter_mut().enumerate() {
        *weight = &weights[i * blocks..].as_flattened()[..length];
    }
    for block in 0..value_blocks {
        let mut sums = [lanes.splat(0.0); COUNT];
        for (position, values) in values.chunks_exact(value_blocks).enumerate() {
            let values = lanes.load(&values[block]);
            for (sum, weight) in sums.iter_mut().zip(&weight) {
                *sum = lanes.add(*sum, lanes.mul(lanes.splat(weight[position]), values));
            }
        }
        let first = block * LANES;
        for (i, sum) in sums.into_iter().enumerate() {
            let out = &mut out[i * width..][first..head_width.min(first + LANES)];
            match out.first_chunk_mut() {
                Some(out) => lanes.store(sum, out),
                None => lanes.store_partial(sum, out),
            }
        }
    }
}

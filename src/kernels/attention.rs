//! Attention over one sentence, in float: scaled dot products (Vaswani et al., 2017, section 3.2), or a small network over query and
//! key (Bahdanau et al., 2015, section 3.1).

use crate::kernels::lanes::{Lanes, exp, tanh};
use crate::kernels::{Backend, for_every_backend};

pub use crate::kernels::lanes::BFloat16;

/// Lengths are padded to a multiple of this many positions in [`KeysValues`].
pub const LANES: usize = crate::kernels::lanes::LANES;

/// A number in the form in which keys and values are stored: a float, or its upper half.
///
/// A decoder step reads the keys and values of all its sentences. These are more than the nearer caches hold, so a step takes as
/// long as reading them, and half the bytes are read in half the time. Eight bits of precision lose less than the int8 products
/// before and after.
pub trait Number: Copy + Default {
    /// The nearest such number, ties to even.
    fn nearest(x: f32) -> Self;

    /// The numbers as they lie in memory.
    fn stored(numbers: &[Self; LANES]) -> Stored<'_>;
}

/// Sixteen numbers as they lie in memory.
#[derive(Clone, Copy, Debug)]
pub enum Stored<'m> {
    /// Floats.
    Floats(&'m [f32; LANES]),
    /// The upper halves of floats.
    Halves(&'m [BFloat16; LANES]),
}

impl Number for f32 {
    #[inline(always)]
    fn nearest(x: f32) -> Self {
        x
    }

    #[inline(always)]
    fn stored(numbers: &[Self; LANES]) -> Stored<'_> {
        Stored::Floats(numbers)
    }
}

impl Number for BFloat16 {
    #[inline(always)]
    fn nearest(x: f32) -> Self {
        BFloat16::from(x)
    }

    #[inline(always)]
    fn stored(numbers: &[Self; LANES]) -> Stored<'_> {
        Stored::Halves(numbers)
    }
}

/// Decided at compile time, since a number's type says how it is stored.
#[inline(always)]
fn load<L: Lanes, N: Number>(lanes: L, from: &[N; LANES]) -> L::Floats {
    match N::stored(from) {
        Stored::Floats(floats) => lanes.load(floats),
        Stored::Halves(halves) => lanes.load_halves(halves),
    }
}

/// Keys and values of one sentence, ready to be attended to: computed once, read by every query.
///
/// Keys are stored as `[head][dimension of the head][position]`, with positions padded to a multiple of [`LANES`] or
/// more, so that the scores of all positions accumulate side by side in vector registers and each is summed over the
/// dimensions in ascending order. Values are stored as `[head][position][dimension of the head]`, with dimensions padded
/// with zeros to a multiple of [`LANES`]. Heads may be of any width.
#[derive(Clone, Debug, Default)]
pub struct KeysValues<N = f32> {
    /// Number of positions.
    pub length: usize,
    heads: usize,
    width: usize,
    /// Blocks of sixteen positions that there is room for.
    blocks: usize,
    /// `[head · dimension][block]`
    keys: Vec<[N; LANES]>,
    /// `[head][position][block of dimensions]`
    values: Vec<[N; LANES]>,
}

impl<N: Number> KeysValues<N> {
    /// Positions, at the width last set, for which memory is already held.
    pub fn room(&self) -> usize {
        self.keys.capacity().checked_div(self.width).unwrap_or(0) * LANES
    }

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
                            *key = N::nearest(rows[i * width + dimension]);
                        }
                    } else {
                        *column = [N::default(); LANES];
                        for (key, row) in column.iter_mut().zip(rows.chunks_exact(width)) {
                            *key = N::nearest(row[dimension]);
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

    /// Adds one position: the step of a decoder that attends to its own output. Room grows by doubling.
    ///
    /// # Panics
    /// If the rows do not have the width given to [`KeysValues::clear`] or [`KeysValues::set`].
    pub fn append(&mut self, keys: &[f32], values: &[f32]) {
        assert_eq!((keys.len(), values.len()), (self.width, self.width), "keys and values of one position");
        let position = self.length;
        if position == self.blocks * LANES {
            self.make_room((self.blocks * 2).max(1));
        }
        self.length += 1;
        for (column, &key) in self.keys.chunks_exact_mut(self.blocks).zip(keys) {
            if position.is_multiple_of(LANES) {
                column[position / LANES] = [N::default(); LANES];
            }
            column[position / LANES][position % LANES] = N::nearest(key);
        }
        self.set_value(position, values);
    }

    fn set_value(&mut self, position: usize, row: &[f32]) {
        let head_width = self.width / self.heads;
        let blocks = head_width.div_ceil(LANES);
        for (head, row) in row.chunks_exact(head_width).enumerate() {
            let to = &mut self.values[(head * self.blocks * LANES + position) * blocks..][..blocks];
            let (to, _) = to.as_flattened_mut().split_at_mut(head_width);
            for (to, &value) in to.iter_mut().zip(row) {
                *to = N::nearest(value);
            }
        }
    }

    /// Makes room for `blocks` blocks of positions, keeping what is there.
    fn make_room(&mut self, blocks: usize) {
        let before = self.blocks;
        let head_width = self.width / self.heads;
        let value_blocks = head_width.div_ceil(LANES);
        self.blocks = blocks;
        let zeros = [N::default(); LANES];
        if before == 0 {
            // The padding of dimensions must be zero whatever was there.
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
        (self.keys.capacity() + self.values.capacity()) * size_of::<[N; LANES]>()
    }
}

/// Reusable memory of [`attend`].
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    /// `[query of a group][block of positions]`
    weights: Vec<[f32; LANES]>,
}

/// Maximum number of (head, query) pairs processed side by side, which hides the latency of their sums.
const PAIRS: usize = 4;

for_every_backend! {
    /// For each query row (`width` floats): per head, `softmax(q · Kᵀ / √d) · V`, written to the same place in `out`.
    ///
    /// If `probabilities` is given as (head, buffer), the attention weights of that head are written to the buffer, `length`
    /// for each query.
    ///
    /// # Panics
    /// If the sizes do not fit or there is no position to attend to.
    pub fn attend<N: Number>(
        lanes: L,
        queries: &[f32],
        memory: &KeysValues<N>,
        scratch: &mut Scratch,
        probabilities: Option<(usize, &mut [f32])>,
        out: &mut [f32],
    ) {
        let (width, length, heads) = (memory.width, memory.length, memory.heads);
        assert!(length > 0, "no position to attend to");
        assert!(queries.len().is_multiple_of(width) && out.len() == queries.len());
        let blocks = length.div_ceil(LANES);
        if scratch.weights.len() < PAIRS * blocks {
            scratch.weights.resize(PAIRS * blocks, [0.0; LANES]);
        }
        let (wanted, buffer) = match probabilities {
            Some((head, buffer)) => (head, buffer),
            None => (usize::MAX, &mut [][..]),
        };
        let weights = &mut scratch.weights;
        let count = queries.len() / width;
        let together = PAIRS.min(L::REGISTERS);
        let grouped = count - count % together;
        // Groups of queries share a head's keys and values; the remaining queries take several heads at once.
        for head in 0..heads {
            for row in (0..grouped).step_by(together) {
                let first = Pair { head, row };
                if together == PAIRS {
                    attend_pairs::<L, N, PAIRS, true>(lanes, queries, memory, first, weights, out);
                } else {
                    attend_pairs::<L, N, 2, true>(lanes, queries, memory, first, weights, out);
                }
                if head == wanted {
                    for (i, weights) in weights.chunks_exact(blocks).take(together).enumerate() {
                        buffer[(row + i) * length..][..length].copy_from_slice(&weights.as_flattened()[..length]);
                    }
                }
            }
        }
        for row in grouped..count {
            let mut head = 0;
            while head < heads {
                let first = Pair { head, row };
                let done = match heads - head {
                    4.. if together == PAIRS => attend_pairs::<L, N, PAIRS, false>(lanes, queries, memory, first, weights, out),
                    2.. => attend_pairs::<L, N, 2, false>(lanes, queries, memory, first, weights, out),
                    _ => attend_pairs::<L, N, 1, false>(lanes, queries, memory, first, weights, out),
                };
                if (head..head + done).contains(&wanted) {
                    let weights = &weights[(wanted - head) * blocks..].as_flattened()[..length];
                    buffer[row * length..][..length].copy_from_slice(weights);
                }
                head += done;
            }
        }
    }
}

for_every_backend! {
    /// For one query: `softmax(w · tanh(q + K)) · V`, where K has one head; written to `out`. `probabilities`, if given, receives the
    /// attention weights.
    ///
    /// # Panics
    /// If the sizes do not fit or there is no position to attend to.
    pub fn attend_additive<N: Number>(
        lanes: L,
        query: &[f32],
        score_weights: &[f32],
        memory: &KeysValues<N>,
        scratch: &mut Scratch,
        probabilities: Option<&mut [f32]>,
        out: &mut [f32],
    ) {
        let (width, length) = (memory.width, memory.length);
        assert!(length > 0 && memory.heads == 1, "one head, and a position to attend to");
        assert_eq!((query.len(), score_weights.len(), out.len()), (width, width, width));
        let (blocks, value_blocks) = (length.div_ceil(LANES), width.div_ceil(LANES));
        if scratch.weights.len() < blocks {
            scratch.weights.resize(blocks, [0.0; LANES]);
        }
        let weights = &mut scratch.weights[..blocks];
        let mut largest = lanes.splat(f32::NEG_INFINITY);
        for (block, to) in weights.iter_mut().enumerate() {
            let mut score = lanes.splat(0.0);
            for ((keys, &q), &w) in memory.keys.chunks_exact(memory.blocks).zip(query).zip(score_weights) {
                let x = tanh(lanes, lanes.add(load(lanes, &keys[block]), lanes.splat(q)));
                score = lanes.add(score, lanes.mul(lanes.splat(w), x));
            }
            lanes.store(score, to);
            to[LANES.min(length - block * LANES)..].fill(f32::NEG_INFINITY);
            largest = lanes.max(lanes.load(to), largest);
        }
        softmax(lanes, largest, lanes.splat(1.0), weights);
        let weights = &weights.as_flattened()[..length];
        if let Some(probabilities) = probabilities {
            probabilities[..length].copy_from_slice(weights);
        }
        for (block, out) in out.chunks_mut(LANES).enumerate() {
            let mut sum = lanes.splat(0.0);
            for (values, &weight) in memory.values.chunks_exact(value_blocks).zip(weights) {
                sum = lanes.add(sum, lanes.mul(lanes.splat(weight), load(lanes, &values[block])));
            }
            match out.first_chunk_mut() {
                Some(out) => lanes.store(sum, out),
                None => lanes.store_partial(sum, out),
            }
        }
    }
}

/// Softmax of scores times a factor, in place, given the largest scores lane by lane. Scores of −∞ come out as zero.
#[inline(always)]
fn softmax<L: Lanes>(lanes: L, largest: L::Floats, scale: L::Floats, weights: &mut [[f32; LANES]]) {
    let largest = lanes.splat(lanes.largest(largest));
    let mut sum = lanes.splat(0.0);
    for weights in weights.iter_mut() {
        let x = exp(lanes, lanes.mul(lanes.sub(lanes.load(weights), largest), scale));
        lanes.store(x, weights);
        sum = lanes.add(sum, x);
    }
    let factor = lanes.splat(1.0 / lanes.sum(sum));
    for weights in weights {
        lanes.store(lanes.mul(lanes.load(weights), factor), weights);
    }
}

/// A head and a query, by its row.
#[derive(Clone, Copy)]
struct Pair {
    head: usize,
    row: usize,
}

/// `PAIRS` pairs: successive queries with one head if the head is shared, otherwise successive heads with one query.
/// Returns `PAIRS`.
#[inline(always)]
fn attend_pairs<L: Lanes, N: Number, const PAIRS: usize, const SHARED: bool>(
    lanes: L,
    queries: &[f32],
    memory: &KeysValues<N>,
    first: Pair,
    weights: &mut [[f32; LANES]],
    out: &mut [f32],
) -> usize {
    let KeysValues { length, heads, width, blocks: key_stride, .. } = *memory;
    let head_width = width / heads;
    let (blocks, value_blocks) = (length.div_ceil(LANES), head_width.div_ceil(LANES));
    let (keys_of_head, values_of_head) = (head_width * key_stride, key_stride * LANES * value_blocks);
    // From one pair to the next.
    let (query_step, keys_step, values_step) =
        if SHARED { (width, 0, 0) } else { (head_width, keys_of_head, values_of_head) };
    let at = first.row * width + first.head * head_width;
    let query = &queries[at..][..(PAIRS - 1) * query_step + head_width];
    let keys = &memory.keys[first.head * keys_of_head..][..(PAIRS - 1) * keys_step + keys_of_head];
    let values = &memory.values[first.head * values_of_head..][..(PAIRS - 1) * values_step + values_of_head];
    let weights = &mut weights[..PAIRS * blocks];
    // SAFETY, for all unchecked accesses below: the slices end where the last pair's part ends, and within a part
    // dimension < head_width, block < blocks ≤ key_stride, position < length ≤ key_stride · LANES.
    assert!(blocks <= key_stride);

    // Scores, and the largest of each pair. The innermost loops count by hand, as those of the products do.
    let mut largest = [lanes.splat(f32::NEG_INFINITY); PAIRS];
    for block in 0..blocks {
        let mut scores = [lanes.splat(0.0); PAIRS];
        for dimension in 0..head_width {
            let place = dimension * key_stride + block;
            // SAFETY: see above.
            let shared = load(lanes, unsafe { keys.get_unchecked(place) });
            let mut i = 0;
            while i < PAIRS {
                // SAFETY: see above.
                let (keys, q) = unsafe {
                    let q = *query.get_unchecked(i * query_step + dimension);
                    (if SHARED { shared } else { load(lanes, keys.get_unchecked(i * keys_step + place)) }, q)
                };
                scores[i] = lanes.add(scores[i], lanes.mul(lanes.splat(q), keys));
                i += 1;
            }
        }
        let positions = LANES.min(length - block * LANES);
        for (i, (score, largest)) in scores.iter_mut().zip(&mut largest).enumerate() {
            let to = &mut weights[i * blocks + block];
            lanes.store(*score, to);
            if positions < LANES {
                to[positions..].fill(f32::NEG_INFINITY);
                *score = lanes.load(to);
            }
            *largest = lanes.max(*score, *largest);
        }
    }

    // Padded positions come out as zero.
    let scale = lanes.splat(1.0 / (head_width as f32).sqrt());
    for (weights, largest) in weights.chunks_exact_mut(blocks).zip(largest) {
        softmax(lanes, largest, scale, weights);
    }

    // Weighted values, summed over the positions in ascending order.
    let weights = weights.as_flattened();
    for block in 0..value_blocks {
        let mut sums = [lanes.splat(0.0); PAIRS];
        for position in 0..length {
            let place = position * value_blocks + block;
            // SAFETY: see above.
            let shared = load(lanes, unsafe { values.get_unchecked(place) });
            let mut i = 0;
            while i < PAIRS {
                // SAFETY: see above.
                let (values, weight) = unsafe {
                    let weight = *weights.get_unchecked(i * blocks * LANES + position);
                    (if SHARED { shared } else { load(lanes, values.get_unchecked(i * values_step + place)) }, weight)
                };
                sums[i] = lanes.add(sums[i], lanes.mul(lanes.splat(weight), values));
                i += 1;
            }
        }
        let dimensions = block * LANES..head_width.min((block + 1) * LANES);
        for (i, sum) in sums.into_iter().enumerate() {
            let out = &mut out[at + i * query_step..][dimensions.clone()];
            match out.first_chunk_mut() {
                Some(out) => lanes.store(sum, out),
                None => lanes.store_partial(sum, out),
            }
        }
    }
    PAIRS
}

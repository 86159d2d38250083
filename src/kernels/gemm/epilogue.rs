//! What becomes of accumulators while they are in registers.

use super::{Best, Dequantize};
use crate::kernels::lanes::{LANES, Lanes, Portable, quantize};

/// Takes the accumulators of sixteen columns of one row; for a row, columns come in ascending order.
pub(super) trait Epilogue {
    /// Takes the accumulators of `column ..= column + 15`.
    fn whole<L: Lanes>(&mut self, lanes: L, row: usize, column: usize, sums: L::Integers);

    /// Takes the accumulators of the last columns, fewer than sixteen.
    fn partial(&mut self, row: usize, column: usize, sums: &[i32]);
}

/// Takes finished floats of sixteen columns of one row; for a row, columns come in ascending order.
pub(super) trait Sink {
    /// Takes the entries of `column ..= column + 15`.
    fn whole<L: Lanes>(&mut self, lanes: L, row: usize, column: usize, x: L::Floats);

    /// Takes the entries of the last columns, fewer than sixteen.
    fn partial(&mut self, row: usize, column: usize, x: &[f32]);
}

#[inline(always)]
pub(super) fn sixteen<T>(values: &[T], at: usize) -> &[T; LANES] {
    values[at..].first_chunk().expect("sixteen columns from here on")
}

#[inline(always)]
fn sixteen_mut<T>(values: &mut [T], at: usize) -> &mut [T; LANES] {
    values[at..].first_chunk_mut().expect("sixteen columns from here on")
}

/// Stores the accumulators as they are.
pub(super) struct Store<'a> {
    pub(super) columns: usize,
    pub(super) out: &'a mut [i32],
}

impl Epilogue for Store<'_> {
    #[inline(always)]
    fn whole<L: Lanes>(&mut self, lanes: L, row: usize, column: usize, sums: L::Integers) {
        lanes.store_integers(sums, sixteen_mut(self.out, row * self.columns + column));
    }

    #[cold]
    fn partial(&mut self, row: usize, column: usize, sums: &[i32]) {
        self.out[row * self.columns + column..][..sums.len()].copy_from_slice(sums);
    }
}

/// `sum · (row_scale · column_scale) + bias`, handed on.
pub(super) struct Dequantized<'a, S> {
    /// Per row.
    pub(super) scales: &'a [f32],
    pub(super) dequantize: Dequantize<'a>,
    pub(super) sink: S,
}

impl<S: Sink> Epilogue for Dequantized<'_, S> {
    #[inline(always)]
    fn whole<L: Lanes>(&mut self, lanes: L, row: usize, column: usize, sums: L::Integers) {
        let Dequantize { column_scales, bias } = self.dequantize;
        let scales = lanes.mul(lanes.splat(self.scales[row]), lanes.load(sixteen(column_scales, column)));
        let x = lanes.add(lanes.mul(lanes.to_floats(sums), scales), lanes.load(sixteen(bias, column)));
        self.sink.whole(lanes, row, column, x);
    }

    #[cold]
    fn partial(&mut self, row: usize, column: usize, sums: &[i32]) {
        let Dequantize { column_scales, bias } = self.dequantize;
        let mut x = [0.0; LANES];
        for (i, (&sum, x)) in sums.iter().zip(&mut x).enumerate() {
            *x = sum as f32 * (self.scales[row] * column_scales[column + i]) + bias[column + i];
        }
        self.sink.partial(row, column, &x[..sums.len()]);
    }
}

/// Stores the entries as they are, row-major.
pub(super) struct StoreFloats<'a> {
    pub(super) columns: usize,
    pub(super) out: &'a mut [f32],
}

impl Sink for StoreFloats<'_> {
    #[inline(always)]
    fn whole<L: Lanes>(&mut self, lanes: L, row: usize, column: usize, x: L::Floats) {
        lanes.store(x, sixteen_mut(self.out, row * self.columns + column));
    }

    fn partial(&mut self, row: usize, column: usize, x: &[f32]) {
        self.out[row * self.columns + column..][..x.len()].copy_from_slice(x);
    }
}

/// Stores `quantize(max(0, x) · multiplier)`.
pub(super) struct ReluQuantized<'a> {
    pub(super) multiplier: f32,
    /// From one row of `values` to the next.
    pub(super) stride: usize,
    pub(super) values: &'a mut [i8],
}

impl Sink for ReluQuantized<'_> {
    #[inline(always)]
    fn whole<L: Lanes>(&mut self, lanes: L, row: usize, column: usize, x: L::Floats) {
        let x = lanes.mul(lanes.max(x, lanes.splat(0.0)), lanes.splat(self.multiplier));
        lanes.store_bytes(quantize(lanes, x), sixteen_mut(self.values, row * self.stride + column));
    }

    fn partial(&mut self, row: usize, column: usize, x: &[f32]) {
        let mut sixteen = [0.0; LANES];
        sixteen[..x.len()].copy_from_slice(x);
        let mut bytes = [0; LANES];
        ReluQuantized { multiplier: self.multiplier, stride: 0, values: &mut bytes }.whole(Portable, 0, 0, sixteen);
        self.values[row * self.stride + column..][..x.len()].copy_from_slice(&bytes[..x.len()]);
    }
}

/// Rows whose running maxima lie on the stack together.
pub(super) const ARG_MAX_ROWS: usize = 32;

/// Keeps the largest entry of each row and its column, lane by lane.
pub(super) struct ArgMax<'a> {
    first_row: usize,
    largest: [[f32; LANES]; ARG_MAX_ROWS],
    /// The first column of the unit in which each lane was largest.
    blocks: [[i32; LANES]; ARG_MAX_ROWS],
    best: &'a mut [Best],
}

impl<'a> ArgMax<'a> {
    /// For the rows from `first_row` on, at most [`ARG_MAX_ROWS`], whose results are merged into `best`.
    pub(super) fn new(first_row: usize, best: &'a mut [Best]) -> Self {
        let largest = [[f32::NEG_INFINITY; LANES]; ARG_MAX_ROWS];
        Self { first_row, largest, blocks: [[0; LANES]; ARG_MAX_ROWS], best }
    }

    /// Merges the lanes into the results.
    pub(super) fn finish(self) {
        for ((best, largest), blocks) in self.best.iter_mut().zip(&self.largest).zip(&self.blocks) {
            for (lane, (&logit, &block)) in largest.iter().zip(blocks).enumerate() {
                best.merge(Best { logit, column: block as u32 + lane as u32 });
            }
        }
    }
}

impl Sink for ArgMax<'_> {
    #[inline(always)]
    fn whole<L: Lanes>(&mut self, lanes: L, row: usize, column: usize, x: L::Floats) {
        let largest = &mut self.largest[row - self.first_row];
        let blocks = &mut self.blocks[row - self.first_row];
        let (before, block) = (lanes.load(largest), lanes.load_integers(blocks));
        // Columns come in ascending order, so a tie stays with the lower one.
        lanes.store(lanes.where_greater(x, before, x, before), largest);
        let block = lanes.where_greater_integers(x, before, lanes.splat_integer(column as i32), block);
        lanes.store_integers(block, blocks);
    }

    fn partial(&mut self, row: usize, column: usize, x: &[f32]) {
        for (i, &logit) in x.iter().enumerate() {
            self.best[row - self.first_row].merge(Best { logit, column: (column + i) as u32 });
        }
    }
}

//! What is done with accumulators while they are in registers.

use super::{Best, Dequantize};
use crate::kernels::lanes::{LANES, Lanes, Portable, quantize};

/// Takes the accumulators of a row; for each row, columns come in ascending order.
pub(super) trait Epilogue {
    /// Takes the accumulators of `UNITS` times sixteen columns from `column` on.
    fn whole<L: Lanes, const UNITS: usize>(&mut self, lanes: L, row: usize, column: usize, sums: [L::Integers; UNITS]);

    /// Takes the accumulators of the last columns, fewer than sixteen.
    fn partial(&mut self, row: usize, column: usize, sums: &[i32]);
}

/// Takes finished entries of a row; for each row, columns come in ascending order.
pub(super) trait Sink {
    /// Takes the entries of `UNITS` times sixteen columns from `column` on.
    fn whole<L: Lanes, const UNITS: usize>(&mut self, lanes: L, row: usize, column: usize, x: [L::Floats; UNITS]);

    /// Takes the entries of the last columns, fewer than sixteen.
    fn partial(&mut self, row: usize, column: usize, x: &[f32]);
}

#[inline(always)]
fn units<T, const UNITS: usize>(values: &[T], at: usize) -> &[[T; LANES]; UNITS] {
    values[at..].as_chunks().0.first_chunk().expect("whole units from here on")
}

#[inline(always)]
fn units_mut<T, const UNITS: usize>(values: &mut [T], at: usize) -> &mut [[T; LANES]; UNITS] {
    values[at..].as_chunks_mut().0.first_chunk_mut().expect("whole units from here on")
}

/// Stores the accumulators as they are.
pub(super) struct Store<'a> {
    pub(super) columns: usize,
    pub(super) out: &'a mut [i32],
}

impl Epilogue for Store<'_> {
    #[inline(always)]
    fn whole<L: Lanes, const UNITS: usize>(&mut self, lanes: L, row: usize, column: usize, sums: [L::Integers; UNITS]) {
        let out = units_mut::<_, UNITS>(self.out, row * self.columns + column);
        for (sums, out) in sums.into_iter().zip(out) {
            lanes.store_integers(sums, out);
        }
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
    fn whole<L: Lanes, const UNITS: usize>(&mut self, lanes: L, row: usize, column: usize, sums: [L::Integers; UNITS]) {
        let column_scales = units::<_, UNITS>(self.dequantize.column_scales, column);
        let bias = units::<_, UNITS>(self.dequantize.bias, column);
        let row_scale = lanes.splat(self.scales[row]);
        let mut x = [row_scale; UNITS];
        for i in 0..UNITS {
            let scales = lanes.mul(row_scale, lanes.load(&column_scales[i]));
            x[i] = lanes.add(lanes.mul(lanes.to_floats(sums[i]), scales), lanes.load(&bias[i]));
        }
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
    /// From one row of `out` to the next.
    stride: usize,
    out: &'a mut [f32],
}

impl<'a> StoreFloats<'a> {
    /// For `columns` columns of the rows before row `rows`, `stride` apart; panics if `out` has no room for them.
    pub(super) fn new(rows: usize, columns: usize, stride: usize, out: &'a mut [f32]) -> Self {
        assert!(columns <= stride, "{columns} columns in rows of {stride}");
        let end = rows.checked_sub(1).map_or(0, |last| last * stride + columns);
        assert!(end <= out.len(), "{rows} rows, {stride} apart, in an output of {}", out.len());
        Self { stride, out }
    }
}

impl Sink for StoreFloats<'_> {
    #[inline(always)]
    fn whole<L: Lanes, const UNITS: usize>(&mut self, lanes: L, row: usize, column: usize, x: [L::Floats; UNITS]) {
        let out = units_mut::<_, UNITS>(self.out, row * self.stride + column);
        for (x, out) in x.into_iter().zip(out) {
            lanes.store(x, out);
        }
    }

    fn partial(&mut self, row: usize, column: usize, x: &[f32]) {
        self.out[row * self.stride + column..][..x.len()].copy_from_slice(x);
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
    fn whole<L: Lanes, const UNITS: usize>(&mut self, lanes: L, row: usize, column: usize, x: [L::Floats; UNITS]) {
        let out = units_mut::<_, UNITS>(self.values, row * self.stride + column);
        for (x, out) in x.into_iter().zip(out) {
            let x = lanes.mul(lanes.max(x, lanes.splat(0.0)), lanes.splat(self.multiplier));
            lanes.store_bytes(quantize(lanes, x), out);
        }
    }

    fn partial(&mut self, row: usize, column: usize, x: &[f32]) {
        let mut sixteen = [0.0; LANES];
        sixteen[..x.len()].copy_from_slice(x);
        let mut bytes = [0; LANES];
        ReluQuantized { multiplier: self.multiplier, stride: 0, values: &mut bytes }.whole(Portable, 0, 0, [sixteen]);
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
    fn whole<L: Lanes, const UNITS: usize>(&mut self, lanes: L, row: usize, column: usize, x: [L::Floats; UNITS]) {
        let largest = &mut self.largest[row - self.first_row];
        let blocks = &mut self.blocks[row - self.first_row];
        let (mut most, mut block) = (lanes.load(largest), lanes.load_integers(blocks));
        for (i, x) in x.into_iter().enumerate() {
            // Columns come in ascending order, so a tie stays with the lower one.
            block = lanes.where_greater_integers(x, most, lanes.splat_integer((column + i * LANES) as i32), block);
            most = lanes.where_greater(x, most, x, most);
        }
        lanes.store(most, largest);
        lanes.store_integers(block, blocks);
    }

    fn partial(&mut self, row: usize, column: usize, x: &[f32]) {
        for (i, &logit) in x.iter().enumerate() {
            self.best[row - self.first_row].merge(Best { logit, column: (column + i) as u32 });
        }
    }
}

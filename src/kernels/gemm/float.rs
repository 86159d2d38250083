//! Products of 32-bit floats: the reference path.
//!
//! `out[m][n] = Σ_k a[m][k] · w[k][n]`, each output summed over `k` in ascending order, so it does not depend on the
//! vector width or the number of rows. Weights are stored as `[column / 16][k][column % 16]`; missing columns are zeros.

use super::epilogue::{ARG_MAX_ROWS, ArgMax, Sink, StoreFloats};
use crate::kernels::gemm::Best;
use crate::kernels::lanes::{LANES, Lanes};
use crate::kernels::{Backend, for_every_backend};
use std::ops::Range;

/// Float weights of a product, laid out for the kernels.
#[derive(Clone, Debug)]
pub struct FloatMatrix {
    backend: Backend,
    inner: usize,
    columns: usize,
    /// Unit after unit, each of `inner` times sixteen weights.
    values: Vec<[f32; LANES]>,
}

impl FloatMatrix {
    /// Packs `columns × inner` weights given column by column.
    ///
    /// # Panics
    /// If `values` does not hold `columns × inner` weights.
    pub fn pack(backend: Backend, inner: usize, columns: usize, values: &[f32]) -> Self {
        assert_eq!(values.len(), inner * columns, "weights of a {inner} × {columns} matrix");
        let mut packed = vec![[0.0; LANES]; columns.div_ceil(LANES) * inner];
        for (column, values) in values.chunks_exact(inner.max(1)).enumerate() {
            for (to, &from) in packed[column / LANES * inner..].iter_mut().zip(values) {
                to[column % LANES] = from;
            }
        }
        Self { backend, inner, columns, values: packed }
    }

    /// A matrix without columns, to gather into.
    pub fn empty(backend: Backend, inner: usize) -> Self {
        Self::pack(backend, inner, 0, &[])
    }

    /// Length of one dot product.
    pub fn inner(&self) -> usize {
        self.inner
    }

    /// Number of output columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Bytes of memory held.
    pub fn bytes(&self) -> usize {
        self.values.capacity() * LANES * 4
    }

    /// Writes one column to `out`.
    ///
    /// # Panics
    /// If `column` is out of range or `out` is not `inner` long.
    pub fn unpack_column(&self, column: usize, out: &mut [f32]) {
        assert!(column < self.columns, "column {column} of {}", self.columns);
        assert_eq!(out.len(), self.inner);
        for (to, from) in out.iter_mut().zip(&self.values[column / LANES * self.inner..]) {
            *to = from[column % LANES];
        }
    }

    /// Makes this matrix hold the given columns of `source`, in that order, reusing its memory.
    ///
    /// # Panics
    /// If the inner lengths or backends differ or a column is out of range.
    pub fn gather(&mut self, source: &FloatMatrix, columns: &[u32]) {
        assert_eq!((self.inner, self.backend), (source.inner, source.backend));
        self.columns = columns.len();
        self.values.resize(columns.len().div_ceil(LANES) * self.inner, [0.0; LANES]);
        for (i, &column) in columns.iter().enumerate() {
            let column = column as usize;
            assert!(column < source.columns, "column {column} of {}", source.columns);
            let from = &source.values[column / LANES * self.inner..];
            for (to, from) in self.values[i / LANES * self.inner..][..self.inner].iter_mut().zip(from) {
                to[i % LANES] = from[column % LANES];
            }
        }
    }
}

/// `out[row][column] = Σ_k a[row][k] · w[k][column] + bias[column]`, row-major.
///
/// # Panics
/// If the sizes do not fit.
pub fn multiply(a: &[f32], w: &FloatMatrix, bias: &[f32], out: &mut [f32]) {
    assert_eq!(a.len() * w.columns, out.len() * w.inner, "rows of activations and of output");
    let rows = out.len().checked_div(w.columns).unwrap_or(0);
    multiply_columns(a, 0..rows, w, w.columns, bias, w.columns, out);
}

/// Like [`multiply`], for the rows in `rows` and the first `columns` columns: `out[row · stride + column]`. The rest of `out`
/// stays as it is.
///
/// # Panics
/// If the sizes do not fit.
pub fn multiply_columns(
    a: &[f32],
    rows: Range<usize>,
    w: &FloatMatrix,
    columns: usize,
    bias: &[f32],
    stride: usize,
    out: &mut [f32],
) {
    let mut sink = StoreFloats::new(rows.end, columns, stride, out);
    run_store(w.backend, a, rows, w, columns, bias, &mut sink);
}

/// For each row in `rows`, the largest of the first `columns` entries of the product, merged into `best`.
///
/// # Panics
/// If the sizes do not fit.
pub fn multiply_arg_max(
    a: &[f32],
    rows: Range<usize>,
    w: &FloatMatrix,
    columns: usize,
    bias: &[f32],
    best: &mut [Best],
) {
    assert!(best.len() >= rows.len(), "{} maxima for {} rows", best.len(), rows.len());
    let mut start = rows.start;
    for best in best[..rows.len()].chunks_mut(ARG_MAX_ROWS) {
        let rows = start..start + best.len();
        let mut sink = ArgMax::new(start, best);
        run_arg_max(w.backend, a, rows.clone(), w, columns, bias, &mut sink);
        sink.finish();
        start = rows.end;
    }
}

for_every_backend! {
    fn run_store(
        lanes: L,
        a: &[f32],
        rows: Range<usize>,
        w: &FloatMatrix,
        columns: usize,
        bias: &[f32],
        sink: &mut StoreFloats<'_>,
    ) {
        run(lanes, a, rows, w, columns, bias, sink);
    }

    fn run_arg_max(
        lanes: L,
        a: &[f32],
        rows: Range<usize>,
        w: &FloatMatrix,
        columns: usize,
        bias: &[f32],
        sink: &mut ArgMax<'_>,
    ) {
        run(lanes, a, rows, w, columns, bias, sink);
    }
}

#[inline(always)]
fn run<L: Lanes, S: Sink>(
    lanes: L,
    a: &[f32],
    rows: Range<usize>,
    w: &FloatMatrix,
    columns: usize,
    bias: &[f32],
    sink: &mut S,
) {
    assert!(columns <= w.columns && columns <= bias.len(), "{columns} of {} columns", w.columns);
    assert!(w.inner * rows.end <= a.len(), "rows {rows:?} of activations");
    for unit in 0..columns.div_ceil(LANES) {
        let weights = &w.values[unit * w.inner..][..w.inner];
        let column = unit * LANES;
        let width = LANES.min(columns - column);
        let bias = lanes.load_partial(&bias[column..column + width], 0.0);
        let mut row = rows.start;
        while row < rows.end {
            let a = &a[row * w.inner..];
            match rows.end - row {
                8.. if L::REGISTERS >= 16 => row += tile::<L, S, 8>(lanes, a, weights, bias, row, column, width, sink),
                4.. if L::REGISTERS >= 4 => row += tile::<L, S, 4>(lanes, a, weights, bias, row, column, width, sink),
                2.. => row += tile::<L, S, 2>(lanes, a, weights, bias, row, column, width, sink),
                _ => row += tile::<L, S, 1>(lanes, a, weights, bias, row, column, width, sink),
            }
        }
    }
}

/// `ROWS` rows, the first of them at the start of `a`, times sixteen columns. Returns `ROWS`.
#[inline(always)]
#[allow(clippy::too_many_arguments)]
fn tile<L: Lanes, S: Sink, const ROWS: usize>(
    lanes: L,
    a: &[f32],
    weights: &[[f32; LANES]],
    bias: L::Floats,
    row: usize,
    column: usize,
    width: usize,
    sink: &mut S,
) -> usize {
    let inner = weights.len();
    let mut a_rows = [&a[..inner]; ROWS];
    for (r, a_row) in a_rows.iter_mut().enumerate() {
        *a_row = &a[r * inner..][..inner];
    }
    let mut sums = [lanes.splat(0.0); ROWS];
    for (k, weights) in weights.iter().enumerate() {
        let weights = lanes.load(weights);
        for (sum, a) in sums.iter_mut().zip(&a_rows) {
            *sum = lanes.add(*sum, lanes.mul(lanes.splat(a[k]), weights));
        }
    }
    for (r, sum) in sums.into_iter().enumerate() {
        let x = lanes.add(sum, bias);
        if width == LANES {
            sink.whole(lanes, row + r, column, [x]);
        } else {
            let mut last = [0.0; LANES];
            lanes.store(x, &mut last);
            sink.partial(row + r, column, &last[..width]);
        }
    }
    ROWS
}

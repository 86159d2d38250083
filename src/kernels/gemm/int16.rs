//! Products in 16-bit fixed point with ten fractional bits (Junczys-Dowmunt et al., 2018, section 4.2): a number x is the integer
//! round(2¹⁰ · x), ties to even, and `out[m][n] = 2⁻²⁰ · Σ_k a[m][k] · w[k][n] + bias[n]`, summed exactly in 32 bits. No scale depends on the
//! data, so there is nothing to calibrate.
//!
//! One instruction multiplies pairs and adds the two products: `vpmaddwd`, `i32x4.dot_i16x8_s`. So weights are stored in pairs of k:
//! `[column / 16][k / 2][column % 16][k % 2]`, with zeros for missing columns and a missing last k.
//!
//! No sum can overflow. With S the largest Σ_k |w(k, n)| of any column n, as integers, activations are clipped to
//! ±min(2¹⁵ − 1, ⌊(2³¹ − 1) / S⌋). Weights that would leave activations less than ±8, and weights that are themselves beyond ±32, are refused.

use super::epilogue::{ARG_MAX_ROWS, ArgMax, Sink, StoreFloats};
use crate::kernels::gemm::Best;
use crate::kernels::lanes::{LANES, Lanes, quantize_within};
use crate::kernels::{Backend, for_every_backend};
use std::ops::Range;

/// The integer that stands for 1.
pub const ONE: f32 = 1024.0;

/// Activations may reach at least ±8.
const LEAST_LIMIT: i64 = 8 * ONE as i64;

/// Two numbers at neighbouring k.
type Pair = [i16; 2];

/// Weights that 16-bit fixed point cannot hold, or whose sums could overflow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OutOfRange {
    /// The output column, counted from 0.
    pub column: usize,
    /// The largest magnitude of its weights.
    pub largest: f32,
    /// The sum of their magnitudes.
    pub sum: f32,
}

impl std::fmt::Display for OutOfRange {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { column, largest, sum } = self;
        write!(
            f,
            "the weights of output {column} reach to {largest}, and their magnitudes add up to {sum}; in 16-bit fixed point they are below 32 \
             and add up to less than 256, so that no sum of 32 bits overflows; compute in int8 or float32"
        )
    }
}

impl std::error::Error for OutOfRange {}

/// Weights of a product, laid out for the kernels.
#[derive(Clone, Debug)]
pub struct FixedMatrix {
    backend: Backend,
    inner: usize,
    columns: usize,
    /// Largest integer that an activation may be.
    limit: i16,
    /// Unit after unit, each with sixteen pairs for every pair in a column.
    values: Vec<[Pair; LANES]>,
}

/// Rows of activations.
#[derive(Clone, Debug)]
pub struct FixedRows {
    backend: Backend,
    inner: usize,
    rows: usize,
    limit: i16,
    values: Vec<Pair>,
}

impl FixedMatrix {
    /// Packs `columns × inner` finite weights given column by column.
    ///
    /// # Errors
    /// If a weight is out of range, or sums could overflow with activations of ±8.
    ///
    /// # Panics
    /// If `values` does not hold `columns × inner` weights.
    pub fn pack(backend: Backend, inner: usize, columns: usize, values: &[f32]) -> Result<Self, OutOfRange> {
        assert_eq!(values.len(), inner * columns, "weights of a {inner} × {columns} matrix");
        let pairs = inner.div_ceil(2);
        let mut packed = vec![[[0; 2]; LANES]; columns.div_ceil(LANES) * pairs];
        let mut limit = i64::from(i16::MAX);
        for (column, values) in values.chunks_exact(inner.max(1)).enumerate() {
            let mut sum = 0;
            let mut fits = true;
            for (k, value) in values.iter().enumerate() {
                let integer = (value * ONE).round_ties_even();
                fits &= integer.abs() <= f32::from(i16::MAX);
                sum += i64::from(integer as i16).abs();
                packed[column / LANES * pairs + k / 2][column % LANES][k % 2] = integer as i16;
            }
            let most = i64::from(i32::MAX).checked_div(sum).unwrap_or(limit);
            if !fits || most < LEAST_LIMIT {
                let largest = values.iter().fold(0f32, |largest, value| largest.max(value.abs()));
                return Err(OutOfRange { column, largest, sum: values.iter().map(|value| value.abs()).sum() });
            }
            limit = limit.min(most);
        }
        Ok(Self { backend, inner, columns, limit: limit as i16, values: packed })
    }

    /// A matrix without columns, to gather into.
    pub fn empty(backend: Backend, inner: usize) -> Self {
        Self { backend, inner, columns: 0, limit: i16::MAX, values: Vec::new() }
    }

    /// Length of one dot product.
    pub fn inner(&self) -> usize {
        self.inner
    }

    /// Number of output columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The largest integer that activations may reach without any sum overflowing: 8 to 32 times [`ONE`].
    pub fn limit(&self) -> i16 {
        self.limit
    }

    /// Bytes of memory held.
    pub fn bytes(&self) -> usize {
        self.values.capacity() * size_of::<[Pair; LANES]>()
    }

    /// Pairs in a column.
    fn pairs(&self) -> usize {
        self.inner.div_ceil(2)
    }

    /// Writes one column to `out`, as the numbers that the integers stand for.
    ///
    /// # Panics
    /// If `column` is out of range or `out` is not `inner` long.
    pub fn unpack_column(&self, column: usize, out: &mut [f32]) {
        assert!(column < self.columns, "column {column} of {}", self.columns);
        assert_eq!(out.len(), self.inner);
        for (to, from) in out.chunks_mut(2).zip(&self.values[column / LANES * self.pairs()..]) {
            for (to, from) in to.iter_mut().zip(from[column % LANES]) {
                *to = f32::from(from) / ONE;
            }
        }
    }

    /// Makes this matrix hold the given columns of `source`, in that order, reusing its memory.
    ///
    /// # Panics
    /// If the inner lengths or backends differ or a column is out of range.
    pub fn gather(&mut self, source: &FixedMatrix, columns: &[u32]) {
        assert_eq!((self.inner, self.backend), (source.inner, source.backend));
        (self.columns, self.limit) = (columns.len(), source.limit);
        let pairs = self.pairs();
        self.values.resize(columns.len().div_ceil(LANES) * pairs, [[0; 2]; LANES]);
        for (i, &column) in columns.iter().enumerate() {
            let column = column as usize;
            assert!(column < source.columns, "column {column} of {}", source.columns);
            let from = &source.values[column / LANES * pairs..];
            for (to, from) in self.values[i / LANES * pairs..][..pairs].iter_mut().zip(from) {
                to[i % LANES] = from[column % LANES];
            }
        }
    }
}

impl FixedRows {
    /// An empty buffer; its memory grows to the largest use and is then kept.
    pub fn new(backend: Backend) -> Self {
        Self { backend, inner: 0, rows: 0, limit: i16::MAX, values: Vec::new() }
    }

    /// Number of rows held.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Takes over `values`, rows of `inner` floats: `clip(round_half_even(2¹⁰ · x), ±limit)`; a NaN becomes `limit`.
    ///
    /// # Panics
    /// If `values` is not a whole number of rows.
    pub fn quantize(&mut self, values: &[f32], inner: usize, limit: i16) {
        assert!(inner > 0 && values.len().is_multiple_of(inner));
        (self.inner, self.rows, self.limit) = (inner, values.len() / inner, limit);
        self.values.resize(self.rows * inner.div_ceil(2), [0; 2]);
        quantize_rows(self.backend, values, inner, f32::from(limit), &mut self.values);
    }

    /// The integers of one row, for tests.
    pub fn row(&self, row: usize) -> Vec<i16> {
        let pairs = self.inner.div_ceil(2);
        self.values[row * pairs..][..pairs].as_flattened()[..self.inner].to_vec()
    }
}

/// `out[row][column] = 2⁻²⁰ · Σ_k a[row][k] · w[k][column] + bias[column]`, row-major.
///
/// # Panics
/// If the sizes do not fit, or activations may be larger than the weights allow.
pub fn multiply(a: &FixedRows, w: &FixedMatrix, bias: &[f32], out: &mut [f32]) {
    assert_eq!(out.len(), a.rows * w.columns, "output of {} × {}", a.rows, w.columns);
    multiply_columns(a, 0..a.rows, w, w.columns, bias, w.columns, out);
}

/// Like [`multiply`], for the rows in `rows` and the first `columns` columns: `out[row · stride + column]`. The rest of `out`
/// stays as it is.
///
/// # Panics
/// As [`multiply`].
pub fn multiply_columns(
    a: &FixedRows,
    rows: Range<usize>,
    w: &FixedMatrix,
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
/// As [`multiply`].
pub fn multiply_arg_max(
    a: &FixedRows,
    rows: Range<usize>,
    w: &FixedMatrix,
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
    fn quantize_rows(lanes: L, values: &[f32], inner: usize, limit: f32, out: &mut [Pair]) {
        let pairs = inner.div_ceil(2);
        for (row, out) in values.chunks_exact(inner).zip(out.chunks_exact_mut(pairs)) {
            let out = out.as_flattened_mut();
            for (row, out) in row.chunks(LANES).zip(out.chunks_mut(LANES)) {
                let x = lanes.mul(lanes.load_partial(row, 0.0), lanes.splat(ONE));
                let mut integers = [0; LANES];
                lanes.store_integers(quantize_within(lanes, x, limit), &mut integers);
                for (out, integer) in out.iter_mut().zip(integers) {
                    *out = integer as i16;
                }
            }
        }
    }

    fn run_store(
        lanes: L,
        a: &FixedRows,
        rows: Range<usize>,
        w: &FixedMatrix,
        columns: usize,
        bias: &[f32],
        sink: &mut StoreFloats<'_>,
    ) {
        run(lanes, a, rows, w, columns, bias, sink);
    }

    fn run_arg_max(
        lanes: L,
        a: &FixedRows,
        rows: Range<usize>,
        w: &FixedMatrix,
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
    a: &FixedRows,
    rows: Range<usize>,
    w: &FixedMatrix,
    columns: usize,
    bias: &[f32],
    sink: &mut S,
) {
    assert_eq!((a.inner, a.backend), (w.inner, w.backend), "activations and weights of different lengths or backends");
    assert!(a.limit <= w.limit, "activations up to {}, but sums hold up to {}", a.limit, w.limit);
    assert!(columns <= w.columns && columns <= bias.len(), "{columns} of {} columns", w.columns);
    assert!(rows.end <= a.rows, "rows {rows:?} of {}", a.rows);
    let pairs = w.pairs();
    for unit in 0..columns.div_ceil(LANES) {
        let weights = &w.values[unit * pairs..][..pairs];
        let column = unit * LANES;
        let width = LANES.min(columns - column);
        let bias = lanes.load_partial(&bias[column..column + width], 0.0);
        let mut row = rows.start;
        while row < rows.end {
            let a = &a.values[row * pairs..];
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
    a: &[Pair],
    weights: &[[Pair; LANES]],
    bias: L::Floats,
    row: usize,
    column: usize,
    width: usize,
    sink: &mut S,
) -> usize {
    let pairs = weights.len();
    let mut a_rows = [&a[..pairs]; ROWS];
    for (r, a_row) in a_rows.iter_mut().enumerate() {
        *a_row = &a[r * pairs..][..pairs];
    }
    let mut sums = [lanes.splat_integer(0); ROWS];
    // The loops count by hand: iterator adapters are separate functions, without the target features of this one.
    let mut k = 0;
    while k < pairs {
        let mut r = 0;
        while r < ROWS {
            sums[r] = lanes.add_dot_pairs(sums[r], a_rows[r][k], &weights[k]);
            r += 1;
        }
        k += 1;
    }
    let unit = lanes.splat(1.0 / (ONE * ONE));
    for (r, sum) in sums.into_iter().enumerate() {
        let x = lanes.add(lanes.mul(lanes.to_floats(sum), unit), bias);
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

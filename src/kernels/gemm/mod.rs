//! Quantized matrix products: `out[m][n] = Σ_k a[m][k] · w[k][n]` over int8, accumulated exactly in int32.
//!
//! Activations are quantized row by row ([`QuantizedRows`]), weights are packed once at load ([`PackedMatrix`]), and
//! what follows the product (bias, ReLU, requantization, arg-max) happens while the accumulators are in registers.

pub mod float;

use crate::kernels::Backend;
use std::ops::Range;

/// Weights of a product, laid out for one backend.
#[derive(Clone, Debug)]
pub struct PackedMatrix {
    backend: Backend,
    inner: usize,
    columns: usize,
    /// Column after column.
    values: Vec<i8>,
}

impl PackedMatrix {
    /// Packs `columns × inner` weights that lie column after column, each in −127 ..= 127.
    ///
    /// # Panics
    /// If `values` does not hold `columns × inner` weights.
    pub fn pack(backend: Backend, inner: usize, columns: usize, values: &[i8]) -> Self {
        assert_eq!(values.len(), inner * columns, "weights of a {inner} × {columns} matrix");
        Self { backend, inner, columns, values: values.to_vec() }
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
        self.values.len()
    }

    /// Writes the weights of one column to `out`, as they were before packing.
    ///
    /// # Panics
    /// If `column` is out of range or `out` is not `inner` long.
    pub fn unpack_column(&self, column: usize, out: &mut [i8]) {
        assert_eq!(out.len(), self.inner);
        out.copy_from_slice(&self.values[column * self.inner..][..self.inner]);
    }

    /// Makes this matrix hold the given columns of `source`, in that order, reusing its memory.
    ///
    /// # Panics
    /// If the inner lengths or backends differ or a column is out of range.
    pub fn gather(&mut self, source: &PackedMatrix, columns: &[u32]) {
        assert_eq!((self.inner, self.backend), (source.inner, source.backend));
        self.values.clear();
        self.columns = columns.len();
        for &column in columns {
            self.values.extend_from_slice(&source.values[column as usize * self.inner..][..self.inner]);
        }
    }
}

/// How float activations become int8.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ActivationScale {
    /// Every value is multiplied by this (Marian's `QuantMultA`), rounded to nearest even and clipped to ±127.
    Static(f32),
    /// Every row is multiplied by 127 / max|x| of its own, so that a row does not depend on its neighbours.
    Dynamic,
}

/// Rows of quantized activations in the form the backend's product reads.
#[derive(Clone, Debug)]
pub struct QuantizedRows {
    backend: Backend,
    inner: usize,
    rows: usize,
    values: Vec<i8>,
    /// What one integer step is worth, per row: 1 / multiplier.
    scales: Vec<f32>,
}

impl QuantizedRows {
    /// An empty buffer; its memory grows to the largest use and is then kept.
    pub fn new(backend: Backend) -> Self {
        Self { backend, inner: 0, rows: 0, values: Vec::new(), scales: Vec::new() }
    }

    /// Number of rows held.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Length of a row.
    pub fn inner(&self) -> usize {
        self.inner
    }

    /// What one integer step of `row` is worth.
    pub fn scale(&self, row: usize) -> f32 {
        self.scales[row]
    }

    /// Quantizes `values`, rows of `inner` floats: q = clip(round_half_even(x · multiplier), ±127); a NaN becomes 127.
    ///
    /// # Panics
    /// If `values` is not a whole number of rows.
    pub fn quantize(&mut self, values: &[f32], inner: usize, scale: ActivationScale) {
        assert!(inner > 0 && values.len().is_multiple_of(inner));
        self.inner = inner;
        self.rows = values.len() / inner;
        self.values.clear();
        self.scales.clear();
        for row in values.chunks_exact(inner) {
            let multiplier = match scale {
                ActivationScale::Static(multiplier) => multiplier,
                ActivationScale::Dynamic => {
                    let largest = row.iter().fold(0f32, |largest, x| if x.abs() > largest { x.abs() } else { largest });
                    if largest > 0.0 { 127.0 / largest } else { 1.0 }
                }
            };
            self.values.extend(row.iter().map(|&x| quantize_one(x, multiplier)));
            self.scales.push(1.0 / multiplier);
        }
    }

    /// The quantized values of one row, for tests and for checks against other implementations.
    pub fn row(&self, row: usize) -> Vec<i8> {
        self.values[row * self.inner..][..self.inner].to_vec()
    }
}

fn quantize_one(x: f32, multiplier: f32) -> i8 {
    let v = x * multiplier;
    let v = if v < 127.0 { v } else { 127.0 };
    let v = if v > -127.0 { v } else { -127.0 };
    v.round_ties_even() as i8
}

/// What turns an accumulator into a float: `acc · (row_scale · column_scale) + bias`.
#[derive(Clone, Copy, Debug)]
pub struct Dequantize<'a> {
    /// What one integer step of the weights is worth, per column; at least as many as the product has columns.
    pub column_scales: &'a [f32],
    /// Added last, per column; at least as many as the product has columns.
    pub bias: &'a [f32],
}

impl Dequantize<'_> {
    fn apply(&self, accumulator: i32, row_scale: f32, column: usize) -> f32 {
        accumulator as f32 * (row_scale * self.column_scales[column]) + self.bias[column]
    }
}

/// The largest entry of a row so far, and where it stands. Ties go to the lower column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Best {
    /// The largest value; −∞ at the start.
    pub logit: f32,
    /// Its column; `u32::MAX` at the start.
    pub column: u32,
}

impl Best {
    /// Nothing seen yet.
    pub const NONE: Best = Best { logit: f32::NEG_INFINITY, column: u32::MAX };

    /// Takes `other` if it is larger, or as large and further left.
    pub fn merge(&mut self, other: Best) {
        if other.logit > self.logit || (other.logit == self.logit && other.column < self.column) {
            *self = other;
        }
    }
}

/// The bare accumulators, row-major `rows × columns`; the subject of the exactness tests.
pub fn accumulate(a: &QuantizedRows, w: &PackedMatrix, out: &mut [i32]) {
    assert_eq!(a.inner, w.inner);
    for row in 0..a.rows {
        for column in 0..w.columns {
            out[row * w.columns + column] = dot(a, row, w, column);
        }
    }
}

fn dot(a: &QuantizedRows, row: usize, w: &PackedMatrix, column: usize) -> i32 {
    let a = &a.values[row * a.inner..][..a.inner];
    let w = &w.values[column * w.inner..][..w.inner];
    a.iter().zip(w).map(|(&a, &w)| i32::from(a) * i32::from(w)).sum()
}

/// `out[row][column] = dequantized product + bias`; `out` is row-major, `rows × columns`.
pub fn multiply(a: &QuantizedRows, w: &PackedMatrix, dequantize: Dequantize<'_>, out: &mut [f32]) {
    assert_eq!(a.inner, w.inner);
    for row in 0..a.rows {
        for column in 0..w.columns {
            out[row * w.columns + column] = dequantize.apply(dot(a, row, w, column), a.scales[row], column);
        }
    }
}

/// `out = quantize(max(0, dequantized product + bias) · multiplier)`: the hidden layer of a ReLU feed-forward network,
/// never written as floats.
pub fn multiply_relu_quantize(
    a: &QuantizedRows,
    w: &PackedMatrix,
    dequantize: Dequantize<'_>,
    multiplier: f32,
    out: &mut QuantizedRows,
) {
    assert_eq!(a.inner, w.inner);
    out.inner = w.columns;
    out.rows = a.rows;
    out.values.clear();
    out.scales.clear();
    out.scales.resize(a.rows, 1.0 / multiplier);
    for row in 0..a.rows {
        for column in 0..w.columns {
            let x = dequantize.apply(dot(a, row, w, column), a.scales[row], column);
            out.values.push(quantize_one(if x > 0.0 { x } else { 0.0 }, multiplier));
        }
    }
}

/// Per row of `rows`, the largest of the first `columns` entries of the product, merged into `best`
/// (`best[i]` belongs to row `rows.start + i`). No logit is written.
pub fn multiply_arg_max(
    a: &QuantizedRows,
    rows: Range<usize>,
    w: &PackedMatrix,
    columns: usize,
    dequantize: Dequantize<'_>,
    best: &mut [Best],
) {
    assert_eq!(a.inner, w.inner);
    for (row, best) in rows.zip(best) {
        for column in 0..columns {
            let logit = dequantize.apply(dot(a, row, w, column), a.scales[row], column);
            best.merge(Best { logit, column: column as u32 });
        }
    }
}

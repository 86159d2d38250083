//! Matrix products: in int8 here, in 16-bit fixed point in [`int16`], in floats in [`float`].
//!
//! Quantized products are `out[m][n] = Σ_k a[m][k] · w[k][n]` over int8, accumulated exactly in int32.
//!
//! Activations are quantized row by row ([`QuantizedRows`]), weights are packed once at load ([`PackedMatrix`]), and
//! what follows the product (bias, ReLU, requantization, arg-max) happens while the accumulators are in registers.
//!
//! Sums stay exact up to an inner length of 2³¹ / 127² ≈ 133,000.

mod epilogue;
pub mod float;
pub mod int16;
mod packed;
#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
mod portable;
mod product;
mod quantized;
#[cfg(all(target_arch = "wasm32", target_feature = "relaxed-simd"))]
mod relaxed_simd;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128", not(target_feature = "relaxed-simd")))]
mod simd128;

#[cfg(target_arch = "x86_64")]
pub(crate) mod amx;
#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
mod avx512vnni;
#[cfg(target_arch = "x86_64")]
mod avxvnni;

#[cfg(target_arch = "aarch64")]
mod dotprod;
#[cfg(target_arch = "aarch64")]
mod neon;

pub use packed::PackedMatrix;
pub use quantized::{ActivationScale, QuantizedRows};

use epilogue::{ARG_MAX_ROWS, ArgMax, Dequantized, ReluQuantized, Store, StoreFloats};
use std::ops::Range;

/// What turns an accumulator into a float: `acc · (row_scale · column_scale) + bias`.
#[derive(Clone, Copy, Debug)]
pub struct Dequantize<'a> {
    /// What one integer step of the weights is worth, per column; at least one entry for each column of the product.
    pub column_scales: &'a [f32],
    /// Added last, per column; at least one entry for each column of the product.
    pub bias: &'a [f32],
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

    /// Takes `other` if it is larger, or equal and further left. A value that is −∞ or NaN is never taken.
    pub fn merge(&mut self, other: Best) {
        if other.logit > self.logit
            || (other.logit == self.logit && other.column < self.column && other.logit > f32::NEG_INFINITY)
        {
            *self = other;
        }
    }
}

/// The bare accumulators, row-major `rows × columns`; the subject of the exactness tests.
///
/// # Panics
/// If inner lengths or backends differ or `out` has the wrong size.
pub fn accumulate(a: &QuantizedRows, w: &PackedMatrix, out: &mut [i32]) {
    assert_eq!(out.len(), a.rows() * w.columns(), "accumulators of {} × {}", a.rows(), w.columns());
    product::run(a, 0..a.rows(), w, w.columns(), &mut Store { columns: w.columns(), out });
}

/// `out[row][column] = dequantized product + bias`; `out` is row-major, `rows × columns`.
///
/// # Panics
/// If inner lengths or backends differ, `out` has the wrong size or `dequantize` has too few columns.
pub fn multiply(a: &QuantizedRows, w: &PackedMatrix, dequantize: Dequantize<'_>, out: &mut [f32]) {
    assert_eq!(out.len(), a.rows() * w.columns(), "output of {} × {}", a.rows(), w.columns());
    multiply_columns(a, 0..a.rows(), w, w.columns(), dequantize, w.columns(), out);
}

/// Like [`multiply`], for the rows in `rows` and the first `columns` columns: `out[row · stride + column]`. The rest of `out`
/// stays as it is, so several products can write side by side.
///
/// # Panics
/// If inner lengths or backends differ, `rows` or `columns` are out of range, or `stride`, `out` or `dequantize` are too short.
pub fn multiply_columns(
    a: &QuantizedRows,
    rows: Range<usize>,
    w: &PackedMatrix,
    columns: usize,
    dequantize: Dequantize<'_>,
    stride: usize,
    out: &mut [f32],
) {
    let sink = StoreFloats::new(rows.end, columns, stride, out);
    product::run(a, rows, w, columns, &mut Dequantized { scales: a.scales(), dequantize, sink });
}

/// `out = quantize(max(0, dequantized product + bias) · multiplier)`: the hidden layer of a ReLU feed-forward network,
/// never written as floats.
///
/// # Panics
/// If inner lengths or backends differ or `dequantize` has too few columns.
pub fn multiply_relu_quantize(
    a: &QuantizedRows,
    w: &PackedMatrix,
    dequantize: Dequantize<'_>,
    multiplier: f32,
    out: &mut QuantizedRows,
) {
    out.fill_non_negative(a.rows(), w.columns(), multiplier, |stride, values| {
        let sink = ReluQuantized { multiplier, stride, values };
        product::run(a, 0..a.rows(), w, w.columns(), &mut Dequantized { scales: a.scales(), dequantize, sink });
    });
}

/// For each row in `rows`, the largest of the first `columns` entries of the product, merged into `best` (`best[i]`
/// belongs to row `rows.start + i`). No logit is written.
///
/// # Panics
/// If inner lengths or backends differ, `rows` or `columns` are out of range, or `best` or `dequantize` are too short.
pub fn multiply_arg_max(
    a: &QuantizedRows,
    rows: Range<usize>,
    w: &PackedMatrix,
    columns: usize,
    dequantize: Dequantize<'_>,
    best: &mut [Best],
) {
    assert!(best.len() >= rows.len(), "{} maxima for {} rows", best.len(), rows.len());
    let mut start = rows.start;
    for best in best[..rows.len()].chunks_mut(ARG_MAX_ROWS) {
        let rows = start..start + best.len();
        let mut epilogue = Dequantized { scales: a.scales(), dequantize, sink: ArgMax::new(start, best) };
        product::run(a, rows.clone(), w, columns, &mut epilogue);
        epilogue.sink.finish();
        start = rows.end;
    }
}

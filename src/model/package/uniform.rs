//! Uniform quantization for entropy coding: integers in steps of a fraction of the weights' root mean square.
//!
//! A weight w becomes `s · n`, with n = round(w / s) an integer from −63 to 63. The matrix has one scale s, except for columns with a
//! weight beyond 63 · s, whose scale is larger: some channels of a transformer have weights up to eighty times the root mean square
//! (the output of feed-forward layers, above all), and one scale for all would leave only a few levels.
//!
//! Equally spaced levels are within a quarter of a bit of the best that any quantizer can do, once they are entropy-coded (Gish and
//! Pierce, "Asymptotically Efficient Quantizing", 1968): for normally distributed weights of deviation σ, s = σ/3 takes about
//! log₂(σ √(2πe) / s) = 3.6 bits and leaves s² / 12 = 0.9 % of the energy as error. Logarithmic levels spend their codes on small
//! weights, whose exact size matters least; they are at their best where codes have equal length.
//!
//! Integers up to ±63 leave room for an offset in seven bits, see [`Codebook::Zero`](super::log4::Codebook::Zero).

use super::super::tensor::Int8Tensor;
use super::rounding::Feedback;

/// How to quantize.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// A step in units of the root mean square of the matrix.
    pub step: f64,
}

impl Default for Options {
    fn default() -> Self {
        Options { step: 0.25 }
    }
}

/// The largest magnitude of an integer.
const LARGEST: f32 = 63.0;

/// Quantizes a matrix given column by column: each value to the nearest integer, or so that the errors compensate for each other.
///
/// # Panics
/// If there are not `inner × columns` values, or the feedback is not for rows of `inner`.
pub fn quantize(
    values: &[f32],
    inner: usize,
    columns: usize,
    options: &Options,
    feedback: Option<&Feedback>,
) -> Int8Tensor {
    assert_eq!(values.len(), inner * columns, "a matrix of {inner} × {columns}");
    let energy: f64 = values.iter().map(|&value| f64::from(value).powi(2)).sum();
    let step = (options.step * (energy / values.len().max(1) as f64).sqrt()) as f32;
    let (mut integers, mut scales) = (Vec::with_capacity(values.len()), Vec::with_capacity(columns));
    for column in values.chunks(inner.max(1)) {
        let largest = column.iter().fold(0.0f32, |largest, value| largest.max(value.abs()));
        // Nothing is clipped: single outlying weights, if there are any, often matter most.
        let scale = step.max(largest / LARGEST);
        // Nothing but zeros, or values that no scale could express: any scale will do.
        let scale = if scale.is_normal() && (1.0 / scale).is_finite() { scale } else { 1.0 };
        let level = |value: f32| (value / scale).round_ties_even().clamp(-LARGEST, LARGEST);
        match feedback {
            None => integers.extend(column.iter().map(|&value| level(value) as i8)),
            Some(feedback) => {
                let start = integers.len();
                integers.resize(start + inner, 0);
                feedback.round(column, |channel, value| {
                    integers[start + channel] = level(value) as i8;
                    level(value) * scale
                });
            }
        }
        scales.push(scale);
    }
    let first = scales.first().copied().unwrap_or(1.0);
    if scales.iter().all(|&scale| scale == first) {
        scales = vec![first];
    }
    Int8Tensor { inner, columns, values: integers, scales }
}

#[cfg(test)]
mod tests {
    use super::super::log4::relative_error;
    use super::*;

    #[test]
    fn errors_are_at_most_half_a_step() {
        // Evenly spread over −1 … 1.
        let spread = |i: u32| i.wrapping_mul(2_654_435_761) as f32 / (1u32 << 31) as f32 - 1.0;
        let values: Vec<f32> = (0..4096).map(spread).collect();
        for step in [0.1, 0.3] {
            let quantized = quantize(&values, 64, 64, &Options { step }, None);
            let scale = quantized.scales[0];
            for (value, &integer) in values.iter().zip(&quantized.values) {
                assert!((value - scale * f32::from(integer)).abs() <= scale * 0.5001 && integer.abs() <= 63);
            }
            let error = relative_error(&values, &quantized);
            assert!((error / (step * step / 12.0) - 1.0).abs() < 0.1, "{step}: {error}");
        }
    }

    #[test]
    fn large_weights_are_not_clipped() {
        let mut values = vec![0.01f32; 1000];
        values[7] = -50.0;
        let quantized = quantize(&values, 1000, 1, &Options::default(), None);
        assert_eq!(quantized.values[7], -63);
        assert!((quantized.scales[0] * 63.0 - 50.0).abs() < 1e-4);
    }

    #[test]
    fn a_column_far_out_has_a_scale_of_its_own() {
        let mut values: Vec<f32> = (0..64 * 8).map(|i| (i % 7) as f32 * 0.1 - 0.3).collect();
        values[64 * 3 + 5] = 40.0;
        let quantized = quantize(&values, 64, 8, &Options { step: 0.1 }, None);
        assert_eq!(quantized.scales.len(), 8);
        for (column, (&scale, integers)) in quantized.scales.iter().zip(quantized.values.chunks(64)).enumerate() {
            assert_eq!(scale, if column == 3 { 40.0 / 63.0 } else { quantized.scales[0] });
            for (value, &integer) in values[64 * column..].iter().zip(integers) {
                assert!((value - scale * f32::from(integer)).abs() <= scale * 0.5001);
            }
        }
    }

    #[test]
    fn degenerate_matrices_are_quantized_too() {
        for values in [vec![], vec![0.0; 6], vec![1e-45; 6], vec![f32::MAX; 6], vec![-1.0; 6]] {
            let inner = values.len();
            let quantized = quantize(&values, inner, usize::from(inner > 0), &Options::default(), None);
            assert!(quantized.scales.iter().all(|scale| scale.is_finite() && *scale > 0.0), "{values:?}");
            assert_eq!(quantized.values.len(), inner);
        }
    }
}

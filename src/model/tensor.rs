//! Tensors as model files hold them, before they are packed for a kernel.

/// One named tensor of a model.
#[derive(Clone, Debug, PartialEq)]
pub enum Tensor {
    /// 32-bit floats, row-major.
    Float(FloatTensor),
    /// Quantized weights, stored by output column.
    Int8(Int8Tensor),
}

/// A row-major matrix of 32-bit floats; vectors have one row, scalars one row and one column.
#[derive(Clone, Debug, PartialEq)]
pub struct FloatTensor {
    /// Number of rows.
    pub rows: usize,
    /// Number of columns.
    pub columns: usize,
    /// `rows × columns` values, row-major.
    pub values: Vec<f32>,
}

/// A quantized weight matrix W of shape `inner × columns` as it enters a product `A · W`.
///
/// The values are stored column by column (`[columns][inner]`), as Marian stores `intgemm8` items. This is also the
/// natural order of an embedding matrix used as the output layer, where a column of the product is a row (a word) of
/// the embedding.
#[derive(Clone, Debug, PartialEq)]
pub struct Int8Tensor {
    /// Length of one dot product: rows of W.
    pub inner: usize,
    /// Number of output columns.
    pub columns: usize,
    /// `columns × inner` values in −127 ..= 127; −128 never occurs.
    pub values: Vec<i8>,
    /// What one integer step is worth: `W[k][n] ≈ values[n][k] × scale`, one scale for each column or a single
    /// one for all.
    pub scales: Vec<f32>,
}

impl Int8Tensor {
    /// Rounds floats given column by column to the nearest of 255 levels, which in each column reach up to its own largest magnitude:
    /// `round(w · 127 / max|w|)`, ties to even.
    ///
    /// With one scale for the whole matrix, as in Marian, the few columns that reach far (up to eighty times the root mean square)
    /// leave only a handful of levels to the others. A scale for each column costs the products nothing, since they scale each
    /// column anyway.
    ///
    /// ```
    /// use wanderwort::model::Int8Tensor;
    /// let tensor = Int8Tensor::quantize(2, 2, &[0.5, -0.25, 100.0, 50.0]);
    /// assert_eq!(tensor.values, [127, -64, 127, 64]);
    /// assert_eq!(tensor.scales, [0.5 / 127.0, 100.0 / 127.0]);
    /// ```
    ///
    /// # Panics
    /// If there are not `inner × columns` values.
    pub fn quantize(inner: usize, columns: usize, values: &[f32]) -> Self {
        Self::quantize_by(inner, columns, values, multiplier_of_largest)
    }

    /// The same, but each column has the multiplier that gives the least squared error, out of 128 between 127 / max|w| and twice that: a
    /// few outlying weights are clipped where that leaves finer steps to many others. The clipped weights are the largest, so
    /// translations can suffer although the error is smaller: compare both with `wanderwort evaluate`.
    ///
    /// ```
    /// use wanderwort::model::Int8Tensor;
    /// let column: Vec<f32> = (0..200_000).map(|i| (i as f32).sin() / 100.0).chain([0.015]).collect();
    /// let tensor = Int8Tensor::quantize_least_squares(200_001, 1, &column);
    /// assert!(tensor.scales[0] < 0.9 * Int8Tensor::quantize(200_001, 1, &column).scales[0]);
    /// assert_eq!(tensor.values[200_000], 127);
    /// ```
    ///
    /// # Panics
    /// If there are not `inner × columns` values.
    pub fn quantize_least_squares(inner: usize, columns: usize, values: &[f32]) -> Self {
        const CANDIDATES: usize = 128;
        Self::quantize_by(inner, columns, values, |column| {
            let first = multiplier_of_largest(column);
            let error = |multiplier: f32| -> f64 {
                let off = |&value: &f32| f64::from(value) - f64::from(level(value, multiplier)) / f64::from(multiplier);
                column.iter().map(|value| off(value).powi(2)).sum()
            };
            let candidates = (0..CANDIDATES).map(|step| first * (1.0 + step as f32 / CANDIDATES as f32));
            let errors = candidates.filter(|multiplier| multiplier.is_finite()).map(|found| (error(found), found));
            errors.min_by(|a, b| a.0.total_cmp(&b.0)).map_or(first, |(_, multiplier)| multiplier)
        })
    }

    fn quantize_by(inner: usize, columns: usize, values: &[f32], multiplier: impl Fn(&[f32]) -> f32) -> Self {
        assert_eq!(values.len(), inner * columns, "a matrix of {inner} × {columns}");
        let (mut integers, mut scales) = (Vec::with_capacity(values.len()), Vec::with_capacity(columns));
        for column in values.chunks(inner.max(1)) {
            let multiplier = multiplier(column);
            integers.extend(column.iter().map(|&value| level(value, multiplier)));
            scales.push(1.0 / multiplier);
        }
        // Columns of length zero have a scale all the same.
        scales.resize(columns, 1.0);
        Self { inner, columns, values: integers, scales }
    }

    /// The scale of output column `column`.
    pub fn scale(&self, column: usize) -> f32 {
        if self.scales.len() == 1 { self.scales[0] } else { self.scales[column] }
    }
}

fn level(value: f32, multiplier: f32) -> i8 {
    (value * multiplier).round_ties_even().clamp(-127.0, 127.0) as i8
}

/// 127 / max|w|. Zeros, or numbers so small that it would overflow, get 1 and become zeros.
fn multiplier_of_largest(column: &[f32]) -> f32 {
    let multiplier = 127.0 / column.iter().fold(0.0f32, |largest, value| largest.max(value.abs()));
    if multiplier.is_finite() { multiplier } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_quantized_each_for_itself() {
        let values = [1.0, -0.004, 0.5, 1e3, -2e3, 7.0, 0.0, 0.0, 0.0, 1e-40, -1e-40, 0.0];
        let tensor = Int8Tensor::quantize(3, 4, &values);
        assert_eq!(tensor.scales.len(), 4);
        for (index, (&value, &integer)) in values.iter().zip(&tensor.values).enumerate() {
            let scale = tensor.scale(index / 3);
            assert!((value - scale * f32::from(integer)).abs() <= 0.5001 * scale, "{value} became {integer} × {scale}");
            assert!(integer >= -127);
        }
        assert_eq!([tensor.values[0], tensor.values[4]], [127, -127], "the largest of a column takes the last level");
        // Zeros, and values that no multiplier can reach.
        assert_eq!((&tensor.values[6..], &tensor.scales[2..]), (&[0; 6][..], &[1.0, 1.0][..]));
        assert_eq!(Int8Tensor::quantize(0, 2, &[]).scales, [1.0, 1.0]);
    }

    #[test]
    fn least_squares_err_no_more() {
        let noise = |seed: u32| {
            (0..64u32).map(move |i| (i.wrapping_mul(seed).wrapping_mul(2_654_435_761) as f32 / u32::MAX as f32).powi(3))
        };
        let mut values: Vec<f32> = (1..9).flat_map(noise).collect();
        values.extend([0.0; 64].into_iter().chain([1e-40; 64]));
        let error = |tensor: &Int8Tensor, column: usize| -> f64 {
            let range = column * 64..(column + 1) * 64;
            let off = |index: usize| {
                f64::from(values[index]) - f64::from(tensor.scale(column)) * f64::from(tensor.values[index])
            };
            range.map(|index| off(index).powi(2)).sum()
        };
        let (largest, least) =
            (Int8Tensor::quantize(64, 10, &values), Int8Tensor::quantize_least_squares(64, 10, &values));
        let errors = |tensor: &Int8Tensor| (0..10).map(|column| error(tensor, column)).collect::<Vec<f64>>();
        assert!(errors(&least).iter().zip(errors(&largest)).all(|(least, largest)| *least <= largest * (1.0 + 1e-9)));
        assert!(errors(&least).iter().sum::<f64>() < 0.999 * errors(&largest).iter().sum::<f64>());
        assert_eq!((&least.values[512..], &least.scales[8..]), (&[0i8; 128][..], &[1.0, 1.0][..]));
    }
}

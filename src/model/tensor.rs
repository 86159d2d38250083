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
/// The values lie column after column (`[columns][inner]`), which is how Marian stores `intgemm8` items, and
/// which is also the natural order of an embedding matrix used as output layer: there a column of the product
/// is a row (a word) of the embedding.
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
    /// The scale of output column `column`.
    pub fn scale(&self, column: usize) -> f32 {
        if self.scales.len() == 1 { self.scales[0] } else { self.scales[column] }
    }
}

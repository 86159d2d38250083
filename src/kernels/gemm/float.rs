//! Products of 32-bit floats: the reference path.
//!
//! Each output is summed over `k` in ascending order, so it does not depend on the vector width.

use crate::kernels::Backend;
use crate::kernels::gemm::Best;
use std::ops::Range;

/// Float weights of a product, laid out for the kernels.
#[derive(Clone, Debug)]
pub struct FloatMatrix {
    backend: Backend,
    inner: usize,
    columns: usize,
    /// Column after column.
    values: Vec<f32>,
}

impl FloatMatrix {
    /// Packs `columns × inner` weights that lie column after column.
    ///
    /// # Panics
    /// If `values` does not hold `columns × inner` weights.
    pub fn pack(backend: Backend, inner: usize, columns: usize, values: &[f32]) -> Self {
        assert_eq!(values.len(), inner * columns, "weights of a {inner} × {columns} matrix");
        Self { backend, inner, columns, values: values.to_vec() }
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
        self.values.len() * 4
    }

    /// Writes one column to `out`.
    pub fn unpack_column(&self, column: usize, out: &mut [f32]) {
        out.copy_from_slice(&self.values[column * self.inner..][..self.inner]);
    }

    /// Makes this matrix hold the given columns of `source`, in that order.
    pub fn gather(&mut self, source: &FloatMatrix, columns: &[u32]) {
        assert_eq!((self.inner, self.backend), (source.inner, source.backend));
        self.values.clear();
        self.columns = columns.len();
        for &column in columns {
            self.values.extend_from_slice(&source.values[column as usize * self.inner..][..self.inner]);
        }
    }
}

/// `out[row][column] = Σ_k a[row][k] · w[k][column] + bias[column]`, row-major.
pub fn multiply(a: &[f32], w: &FloatMatrix, bias: &[f32], out: &mut [f32]) {
    for (a, out) in a.chunks_exact(w.inner).zip(out.chunks_exact_mut(w.columns)) {
        for (column, out) in out.iter_mut().enumerate() {
            *out = dot(a, w, column) + bias[column];
        }
    }
}

/// Per row of `rows`, the largest of the first `columns` entries of the product, merged into `best`.
pub fn multiply_arg_max(
    a: &[f32],
    rows: Range<usize>,
    w: &FloatMatrix,
    columns: usize,
    bias: &[f32],
    best: &mut [Best],
) {
    for (row, best) in rows.zip(best) {
        let a = &a[row * w.inner..][..w.inner];
        for (column, bias) in bias.iter().enumerate().take(columns) {
            best.merge(Best { logit: dot(a, w, column) + bias, column: column as u32 });
        }
    }
}

fn dot(a: &[f32], w: &FloatMatrix, column: usize) -> f32 {
    let w = &w.values[column * w.inner..][..w.inner];
    a.iter().zip(w).fold(0.0, |sum, (a, w)| sum + a * w)
}

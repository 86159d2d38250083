//! Affine maps, `x · W + b`, in int8, in 16-bit fixed point or in floats.

use super::statistics::Observer;
use crate::kernels::Backend;
use crate::kernels::gemm::float::{self, FloatMatrix};
use crate::kernels::gemm::int16::{self, FixedMatrix, FixedRows};
use crate::kernels::gemm::{self, ActivationScale, Dequantize, PackedMatrix, QuantizedRows};
use std::sync::Arc;

/// `x · W + b` with its weights packed for one backend.
#[derive(Debug)]
pub struct Linear {
    pub(crate) weights: Weights,
    pub(crate) bias: Vec<f32>,
}

/// Packed weights of any precision.
#[derive(Debug)]
pub enum Weights {
    /// 32-bit floats.
    Float(FloatMatrix),
    /// Quantized weights.
    Int8(Int8Weights),
    /// Weights in 16-bit fixed point.
    Int16(FixedMatrix),
}

/// Memory for rows in the form that integer products take.
#[derive(Debug)]
pub struct Quantized {
    pub(crate) int8: QuantizedRows,
    int16: FixedRows,
}

impl Quantized {
    /// Empty buffers for `backend`.
    pub(crate) fn new(backend: Backend) -> Self {
        Self { int8: QuantizedRows::new(backend), int16: FixedRows::new(backend) }
    }
}

/// Quantized weights with all that their product needs.
#[derive(Debug)]
pub struct Int8Weights {
    pub(crate) matrix: PackedMatrix,
    /// One scale for each column.
    pub(crate) scales: Vec<f32>,
    pub(crate) activation: ActivationScale,
    /// Sees the product's input while statistics of it are being collected.
    pub(crate) observer: Option<Arc<Observer>>,
}

impl Weights {
    pub(crate) fn inner(&self) -> usize {
        match self {
            Weights::Float(matrix) => matrix.inner(),
            Weights::Int8(weights) => weights.matrix.inner(),
            Weights::Int16(matrix) => matrix.inner(),
        }
    }

    pub(crate) fn columns(&self) -> usize {
        match self {
            Weights::Float(matrix) => matrix.columns(),
            Weights::Int8(weights) => weights.matrix.columns(),
            Weights::Int16(matrix) => matrix.columns(),
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        match self {
            Weights::Float(matrix) => matrix.bytes(),
            Weights::Int8(weights) => weights.matrix.bytes() + weights.scales.len() * 4,
            Weights::Int16(matrix) => matrix.bytes(),
        }
    }
}

/// Rows that enter one or more products. They are quantized when the first integer product needs them, and again only if the
/// next has a different scale or, in fixed point, a different limit.
#[derive(Debug)]
pub struct Input<'a> {
    floats: &'a [f32],
    width: usize,
    quantized: &'a mut Quantized,
    scale: Option<ActivationScale>,
    limit: Option<i16>,
}

impl<'a> Input<'a> {
    /// Rows of `width` floats, and the buffer to quantize them into.
    pub fn new(floats: &'a [f32], width: usize, quantized: &'a mut Quantized) -> Self {
        Self { floats, width, quantized, scale: None, limit: None }
    }

    pub(crate) fn rows(&self) -> usize {
        self.floats.len() / self.width
    }

    pub(crate) fn floats(&self) -> &'a [f32] {
        self.floats
    }

    /// The rows as the product with `weights` takes them.
    pub(crate) fn quantized(&mut self, weights: &Int8Weights) -> &QuantizedRows {
        if let Some(observer) = &weights.observer {
            observer.see(self.floats);
        }
        let scale = weights.activation;
        if self.scale != Some(scale) {
            self.quantized.int8.quantize(self.floats, self.width, scale);
            self.scale = Some(scale);
        }
        &self.quantized.int8
    }

    /// The rows as the product with `weights` takes them.
    pub(crate) fn fixed(&mut self, weights: &FixedMatrix) -> &FixedRows {
        let limit = weights.limit();
        if self.limit != Some(limit) {
            self.quantized.int16.quantize(self.floats, self.width, limit);
            self.limit = Some(limit);
        }
        &self.quantized.int16
    }
}

impl Linear {
    /// Width of the output rows.
    pub fn columns(&self) -> usize {
        self.weights.columns()
    }

    /// Bytes of memory held.
    pub fn bytes(&self) -> usize {
        self.weights.bytes() + self.bias.len() * 4
    }

    /// Writes `rows × columns` outputs.
    ///
    /// # Panics
    /// If `out` has a different size.
    pub fn apply(&self, input: &mut Input<'_>, out: &mut [f32]) {
        assert_eq!(out.len(), input.rows() * self.columns());
        match &self.weights {
            Weights::Float(matrix) => float::multiply(input.floats(), matrix, &self.bias, out),
            Weights::Int8(weights) => {
                gemm::multiply(input.quantized(weights), &weights.matrix, weights.dequantize(&self.bias), out);
            }
            Weights::Int16(matrix) => int16::multiply(input.fixed(matrix), matrix, &self.bias, out),
        }
    }
}

impl Linear {
    /// Like [`Linear::apply`], to `out[row · stride + column]`, so that several products can write beside each other.
    ///
    /// # Panics
    /// If `out` is too short.
    pub fn apply_beside(&self, input: &mut Input<'_>, stride: usize, out: &mut [f32]) {
        let (rows, columns) = (0..input.rows(), self.columns());
        match &self.weights {
            Weights::Float(matrix) => {
                float::multiply_columns(input.floats(), rows, matrix, columns, &self.bias, stride, out);
            }
            Weights::Int8(weights) => {
                let dequantize = weights.dequantize(&self.bias);
                gemm::multiply_columns(
                    input.quantized(weights),
                    rows,
                    &weights.matrix,
                    columns,
                    dequantize,
                    stride,
                    out,
                );
            }
            Weights::Int16(matrix) => {
                int16::multiply_columns(input.fixed(matrix), rows, matrix, columns, &self.bias, stride, out);
            }
        }
    }
}

impl Int8Weights {
    pub(crate) fn dequantize<'a>(&'a self, bias: &'a [f32]) -> Dequantize<'a> {
        Dequantize { column_scales: &self.scales, bias }
    }
}

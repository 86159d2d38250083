//! Activations in int8, row by row, in the form that the backend's product reads.

use crate::kernels::aligned::AlignedBytes;
use crate::kernels::lanes::{LANES, quantize};
use crate::kernels::{Activations, Backend, Layout, for_every_backend};

/// How float activations become int8.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ActivationScale {
    /// Every value is multiplied by this (Marian's `QuantMultA`), rounded to nearest even and clipped to ±127.
    Static(f32),
    /// Every row is multiplied by its own 127 / max|x|, so that a row does not depend on its neighbours.
    Dynamic,
}

/// Rows of quantized activations in the form the backend's product reads.
#[derive(Clone, Debug)]
pub struct QuantizedRows {
    backend: Backend,
    inner: usize,
    rows: usize,
    /// From one row to the next: `inner`, padded with zeros to whole cache lines.
    stride: usize,
    /// No value is below zero.
    non_negative: bool,
    /// The quantized values.
    values: AlignedBytes,
    /// The same in another form, where the product does not read `values`: see [`QuantizedRows::derive`].
    derived: AlignedBytes,
    /// Sum of each row, where the product subtracts a multiple of it.
    sums: Vec<i32>,
    /// What one integer step is worth, per row: 1 / multiplier.
    scales: Vec<f32>,
}

/// What a product reads of [`QuantizedRows`]: rows of bytes.
pub(super) struct Operand<'a> {
    /// The rows, or only their positive parts if `negative` is not empty.
    pub(super) rows: &'a [u8],
    /// The negative parts of the rows, with the sign flipped.
    pub(super) negative: &'a [u8],
    /// Bytes from one row to the next.
    pub(super) stride: usize,
    /// Sum of each row, where the product needs it.
    pub(super) sums: &'a [i32],
    /// 128 was added to every value.
    pub(super) raised: bool,
}

impl QuantizedRows {
    /// An empty buffer; its memory grows to the largest use and is then kept.
    pub fn new(backend: Backend) -> Self {
        Self {
            backend,
            inner: 0,
            rows: 0,
            stride: 0,
            non_negative: false,
            values: AlignedBytes::default(),
            derived: AlignedBytes::default(),
            sums: Vec::new(),
            scales: Vec::new(),
        }
    }

    /// Number of rows held.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Length of a row.
    pub fn inner(&self) -> usize {
        self.inner
    }

    /// The backend whose products read these rows.
    pub fn backend(&self) -> Backend {
        self.backend
    }

    /// What one integer step of `row` is worth.
    pub fn scale(&self, row: usize) -> f32 {
        self.scales[row]
    }

    /// Bytes of memory held.
    pub fn bytes(&self) -> usize {
        self.values.capacity() + self.derived.capacity() + (self.sums.capacity() + self.scales.capacity()) * 4
    }

    /// Quantizes `values`, rows of `inner` floats: q = clip(round_half_even(x · multiplier), ±127); a NaN becomes 127.
    ///
    /// # Panics
    /// If `values` is not a whole number of rows.
    pub fn quantize(&mut self, values: &[f32], inner: usize, scale: ActivationScale) {
        assert!(inner > 0 && values.len().is_multiple_of(inner));
        self.resize(values.len() / inner, inner);
        self.non_negative = false;
        quantize_rows(self.backend, values, inner, scale, self.values.as_signed_mut(), self.stride, &mut self.scales);
        self.derive();
    }

    /// The quantized values of one row, for tests and for checks against other implementations.
    pub fn row(&self, row: usize) -> Vec<i8> {
        self.values.as_signed()[row * self.stride..][..self.inner].to_vec()
    }

    /// Takes over the values that `fill` writes, given the distance between rows; none of them is below zero. What lies
    /// between the end of one row and the start of the next is zero.
    pub(super) fn fill_non_negative(
        &mut self,
        rows: usize,
        inner: usize,
        multiplier: f32,
        fill: impl FnOnce(usize, &mut [i8]),
    ) {
        self.resize(rows, inner);
        self.non_negative = true;
        self.scales.clear();
        self.scales.resize(rows, 1.0 / multiplier);
        let (stride, values) = (self.stride, self.values.as_signed_mut());
        if stride > 0 {
            for row in values.chunks_exact_mut(stride) {
                row[inner..].fill(0);
            }
        }
        fill(stride, values);
        self.derive();
    }

    fn resize(&mut self, rows: usize, inner: usize) {
        (self.rows, self.inner, self.stride) = (rows, inner, inner.next_multiple_of(64));
        self.values.resize(rows * self.stride);
    }

    /// Makes the form that the backend's products read, if it differs ([`Activations`]), and sums the rows where narrow weights carry an
    /// offset.
    fn derive(&mut self) {
        let Layout { narrow, activations, .. } = self.backend.layout();
        if narrow {
            sum_rows(self.backend, self.values.as_signed(), self.stride, &mut self.sums);
        }
        let plane = self.rows * self.stride;
        match activations {
            Activations::Plain => {}
            // Non-negative values are unsigned already.
            Activations::Raised | Activations::Parts if self.non_negative => {}
            Activations::Raised => {
                self.derived.resize(plane);
                flip_top_bits(self.backend, self.values.as_slice(), self.derived.as_mut_slice());
            }
            Activations::Words => {
                self.derived.resize(plane * 2);
                let (words, _) = self.derived.as_mut_slice().as_chunks_mut::<2>();
                for (word, &value) in words.iter_mut().zip(self.values.as_signed()) {
                    *word = i16::from(value).to_le_bytes();
                }
            }
            Activations::Parts => {
                self.derived.resize(plane * 2);
                let (positive, negative) = self.derived.as_mut_slice().split_at_mut(plane);
                for ((positive, negative), &x) in positive.iter_mut().zip(negative).zip(self.values.as_signed()) {
                    *positive = x.max(0) as u8;
                    *negative = (-x).max(0) as u8;
                }
            }
        }
    }

    /// What a product reads, with `narrow` weights or with others.
    pub(super) fn operand(&self, narrow: bool) -> Operand<'_> {
        let values = Operand {
            rows: self.values.as_slice(),
            negative: &[],
            stride: self.stride,
            sums: self.sums.as_slice(),
            raised: false,
        };
        match self.backend.layout().activations {
            Activations::Raised if !self.non_negative => {
                Operand { rows: self.derived.as_slice(), raised: true, ..values }
            }
            Activations::Words => Operand { rows: self.derived.as_slice(), stride: self.stride * 2, ..values },
            Activations::Parts if !narrow && !self.non_negative => {
                let (rows, negative) = self.derived.as_slice().split_at(self.rows * self.stride);
                Operand { rows, negative, ..values }
            }
            Activations::Plain | Activations::Raised | Activations::Parts => values,
        }
    }

    pub(super) fn scales(&self) -> &[f32] {
        &self.scales
    }
}

for_every_backend! {
    fn quantize_rows(
        lanes: L,
        values: &[f32],
        inner: usize,
        scale: ActivationScale,
        out: &mut [i8],
        stride: usize,
        scales: &mut Vec<f32>,
    ) {
        scales.clear();
        for (row, out) in values.chunks_exact(inner).zip(out.chunks_exact_mut(stride)) {
            let (blocks, rest) = row.as_chunks::<LANES>();
            let multiplier = match scale {
                ActivationScale::Static(multiplier) => multiplier,
                ActivationScale::Dynamic => {
                    let mut largest = lanes.splat(0.0);
                    for block in blocks {
                        largest = lanes.max(lanes.abs(lanes.load(block)), largest);
                    }
                    if !rest.is_empty() {
                        largest = lanes.max(lanes.abs(lanes.load_partial(rest, 0.0)), largest);
                    }
                    let largest = lanes.largest(largest);
                    if largest > 0.0 { 127.0 / largest } else { 1.0 }
                }
            };
            scales.push(1.0 / multiplier);
            let factors = lanes.splat(multiplier);
            let (out, _) = out.as_chunks_mut::<LANES>();
            let (whole, padding) = out.split_at_mut(blocks.len());
            for (block, out) in blocks.iter().zip(whole) {
                lanes.store_bytes(quantize(lanes, lanes.mul(lanes.load(block), factors)), out);
            }
            for out in padding.iter_mut() {
                *out = [0; LANES];
            }
            if !rest.is_empty() {
                let x = quantize(lanes, lanes.mul(lanes.load_partial(rest, 0.0), factors));
                lanes.store_bytes(x, &mut padding[0]);
                // Zero times an infinite multiplier is NaN.
                padding[0][rest.len()..].fill(0);
            }
        }
    }

    fn sum_rows(_lanes: L, values: &[i8], stride: usize, sums: &mut Vec<i32>) {
        sums.clear();
        if stride > 0 {
            for row in values.chunks_exact(stride) {
                sums.push(row.iter().map(|&x| i32::from(x)).sum());
            }
        }
    }

    fn flip_top_bits(_lanes: L, from: &[u8], to: &mut [u8]) {
        for (to, from) in to.iter_mut().zip(from) {
            *to = from ^ 0x80;
        }
    }
}

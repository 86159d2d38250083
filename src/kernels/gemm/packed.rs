//! Weights in the order in which the kernels read them.
//!
//! Sixteen columns make a unit. A unit holds groups of as many consecutive k as one instruction sums:
//! `[column / 16][k / group][column % 16][k % group]`. So one accumulator belongs to one column, nothing is ever added
//! across lanes, and a unit is read from its first byte to its last. Missing columns and missing k are zeros.

use crate::kernels::aligned::AlignedBytes;
use crate::kernels::lanes::LANES;
use crate::kernels::{Activations, Backend};

/// Added to weights that lie in ±63 where the kernel wants them as 7 unsigned bits.
pub(super) const NARROW_OFFSET: i8 = 64;

/// Weights of a product, laid out for one backend.
#[derive(Clone, Debug)]
pub struct PackedMatrix {
    backend: Backend,
    inner: usize,
    columns: usize,
    /// The weights are stored with [`NARROW_OFFSET`] added.
    narrow: bool,
    values: AlignedBytes,
    /// −128 · Σ_k `w[k][column]`, for kernels that read activations with 128 added; in whole units.
    compensation: Vec<i32>,
}

impl PackedMatrix {
    /// Packs `columns × inner` weights given column by column, each in −127 ..= 127 (−128, which symmetric quantization
    /// does not yield, is treated as −127). If all lie in ±63, some backends are faster.
    ///
    /// # Panics
    /// If `values` does not hold `columns × inner` weights.
    pub fn pack(backend: Backend, inner: usize, columns: usize, values: &[i8]) -> Self {
        assert_eq!(values.len(), inner * columns, "weights of a {inner} × {columns} matrix");
        let narrow = backend.layout().narrow && values.iter().all(|&w| (-63..=63).contains(&w));
        let mut packed =
            Self { backend, inner, columns, narrow, values: AlignedBytes::default(), compensation: Vec::new() };
        packed.resize(columns);
        let (group, unit_bytes) = (packed.group(), packed.unit_bytes());
        let offset = packed.offset();
        let bytes = packed.values.as_signed_mut();
        bytes.fill(offset);
        for (column, values) in values.chunks_exact(inner.max(1)).enumerate() {
            let at = column / LANES * unit_bytes + column % LANES * group;
            for (to, from) in bytes[at..].chunks_mut(LANES * group).zip(values.chunks(group)) {
                for (to, &from) in to.iter_mut().zip(from) {
                    *to = from.max(-127) + offset;
                }
            }
            if let Some(compensation) = packed.compensation.get_mut(column) {
                *compensation = -128 * values.iter().map(|&w| i32::from(w.max(-127))).sum::<i32>();
            }
        }
        packed
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

    /// The backend that reads this layout.
    pub fn backend(&self) -> Backend {
        self.backend
    }

    /// Bytes of memory held.
    pub fn bytes(&self) -> usize {
        self.values.capacity() + self.compensation.capacity() * 4
    }

    /// Writes the weights of one column to `out`, as they were before packing.
    ///
    /// # Panics
    /// If `column` is out of range or `out` is not `inner` long.
    pub fn unpack_column(&self, column: usize, out: &mut [i8]) {
        assert!(column < self.columns, "column {column} of {}", self.columns);
        assert_eq!(out.len(), self.inner);
        let (group, offset) = (self.group(), self.offset());
        let at = column / LANES * self.unit_bytes() + column % LANES * group;
        for (to, from) in out.chunks_mut(group).zip(self.values.as_signed()[at..].chunks(LANES * group)) {
            for (to, &from) in to.iter_mut().zip(from) {
                *to = from - offset;
            }
        }
    }

    /// Makes this matrix hold the given columns of `source`, in that order, reusing its memory.
    ///
    /// # Panics
    /// If the inner lengths or backends differ or a column is out of range.
    pub fn gather(&mut self, source: &PackedMatrix, columns: &[u32]) {
        assert_eq!((self.inner, self.backend), (source.inner, source.backend));
        self.narrow = source.narrow;
        self.columns = columns.len();
        self.resize(columns.len());
        match self.group() {
            1 => self.gather_groups::<1>(source, columns),
            2 => self.gather_groups::<2>(source, columns),
            _ => self.gather_groups::<4>(source, columns),
        }
        for (to, &column) in self.compensation.iter_mut().zip(columns) {
            *to = source.compensation[column as usize];
        }
    }

    fn gather_groups<const GROUP: usize>(&mut self, source: &PackedMatrix, columns: &[u32]) {
        let unit_bytes = self.unit_bytes();
        if unit_bytes == 0 {
            return;
        }
        let (from, _) = source.values.as_slice().as_chunks::<GROUP>();
        let (to, _) = self.values.as_mut_slice().as_chunks_mut::<GROUP>();
        let unit = unit_bytes / GROUP;
        for (to, columns) in to.chunks_exact_mut(unit).zip(columns.chunks(LANES)) {
            for (lane, &column) in columns.iter().enumerate() {
                assert!((column as usize) < source.columns, "column {column} of {}", source.columns);
                let from = &from[column as usize / LANES * unit..][..unit];
                let from_lane = column as usize % LANES;
                for (to, from) in to.chunks_exact_mut(LANES).zip(from.chunks_exact(LANES)) {
                    to[lane] = from[from_lane];
                }
            }
        }
    }

    /// Makes room for `columns` columns.
    fn resize(&mut self, columns: usize) {
        let units = columns.div_ceil(LANES);
        self.values.resize(units * self.unit_bytes());
        if self.backend.layout().activations == Activations::Raised {
            self.compensation.resize(units * LANES, 0);
        }
    }

    /// Number of consecutive k stored together.
    pub(super) fn group(&self) -> usize {
        self.backend.layout().group
    }

    /// Groups in a column: enough for all k and, where there are tiles, to fill the last one.
    pub(super) fn groups(&self) -> usize {
        self.inner.div_ceil(self.group()).next_multiple_of(self.backend.layout().whole_groups)
    }

    /// Bytes of sixteen columns.
    pub(super) fn unit_bytes(&self) -> usize {
        self.groups() * self.group() * LANES
    }

    /// The packed weights, in whole units.
    pub(super) fn values(&self) -> &[i8] {
        self.values.as_signed()
    }

    pub(super) fn compensation(&self) -> &[i32] {
        &self.compensation
    }

    pub(super) fn is_narrow(&self) -> bool {
        self.narrow
    }

    fn offset(&self) -> i8 {
        if self.narrow { NARROW_OFFSET } else { 0 }
    }
}

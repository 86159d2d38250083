//! The loops of the integer product, written once; an instruction set provides only its multiply-and-add ([`Dot`]).
//!
//! A tile of up to six rows and up to 128 columns stays in registers while k runs from end to end. Tiles go down the rows
//! first, so that a few units of weights are read from memory once and from the nearest cache for the other rows.

use super::epilogue::Epilogue;
use super::packed::PackedMatrix;
use super::quantized::{Operand, QuantizedRows};
use crate::kernels::Kind;
use crate::kernels::lanes::{LANES, Lanes};
use std::ops::Range;

/// The multiply-and-add of an instruction set. A value proves that the processor has it.
pub(super) trait Dot: Copy {
    type Lanes: Lanes;
    /// A group of consecutive k for sixteen columns.
    type Weights: Copy;
    /// A group of consecutive k of one row, repeated as often as needed.
    type Activations: Copy;

    /// Consecutive k in a group.
    const GROUP: usize;
    /// Bytes of a group of activations.
    const ACTIVATION_BYTES: usize;
    /// What must be added to the sums.
    const START: Start;
    /// Units of sixteen columns in a tile of 1, 2, … rows: as many as the registers hold.
    const UNITS: &'static [usize];
    /// Rows of the tallest tile where the inner length is at most [`SHORT`]. What follows a tile's product overlaps with the next
    /// product as far as the processor looks ahead, which is less than a tall tile.
    const ROWS_WHERE_SHORT: usize = Self::UNITS.len();

    fn lanes(self) -> Self::Lanes;

    /// # Safety
    /// `16 · GROUP` bytes can be read from `from`.
    unsafe fn weights(self, from: *const i8) -> Self::Weights;

    /// # Safety
    /// `ACTIVATION_BYTES` bytes can be read from `from`.
    unsafe fn activations(self, from: *const u8) -> Self::Activations;

    /// `sums + Σ_group a · w`, exactly.
    fn dot(self, sums: Integers<Self>, a: Self::Activations, w: Self::Weights) -> Integers<Self>;
}

/// Sixteen accumulators of a kernel.
pub(super) type Integers<D> = <<D as Dot>::Lanes as Lanes>::Integers;

/// What accumulators start from.
#[derive(Clone, Copy, PartialEq)]
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "other backends start in one way or two"))]
pub(super) enum Start {
    Zero,
    /// The weights' compensation of the column, where activations are 128 too large.
    Columns,
    /// −64 · the sum of the row's activations, since weights are 64 too large.
    Rows,
}

/// Units of weights that all rows use before the next units are read: 16 KiB at an inner length of 256.
const BLOCK: usize = 4;

/// An inner length up to which what follows a tile's product takes a share that counts.
const SHORT: usize = 512;

/// Computes the first `columns` columns of the product for `rows` and hands them to `epilogue`.
pub(super) fn run<E: Epilogue>(
    a: &QuantizedRows,
    rows: Range<usize>,
    w: &PackedMatrix,
    columns: usize,
    epilogue: &mut E,
) {
    assert_eq!(a.inner(), w.inner(), "activations and weights of different inner lengths");
    assert_eq!(a.backend(), w.backend(), "activations and weights for different backends");
    assert!(columns <= w.columns(), "{columns} of {} columns", w.columns());
    assert!(rows.start <= rows.end && rows.end <= a.rows(), "rows {rows:?} of {}", a.rows());
    let product = Product { a: a.operand(w.is_narrow()), rows, w, columns };
    match a.backend().0 {
        #[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
        Kind::Portable => product.run(super::portable::Portable, epilogue),
        #[cfg(target_arch = "x86_64")]
        // SAFETY: backends of these kinds exist only where the processor has the instructions.
        Kind::Avx2 | Kind::AvxVnni | Kind::Avx512 | Kind::Avx512Vnni | Kind::Amx => unsafe {
            match a.backend().0 {
                Kind::Amx => super::amx::run(product, epilogue),
                Kind::Avx512Vnni => super::avx512vnni::run(product, epilogue),
                Kind::AvxVnni => super::avxvnni::run(product, epilogue),
                Kind::Avx512 if w.is_narrow() => super::avx512::run_narrow(product, epilogue),
                Kind::Avx512 => super::avx512::run(product, epilogue),
                _ if w.is_narrow() => super::avx2::run_narrow(product, epilogue),
                _ => super::avx2::run(product, epilogue),
            }
        },
        #[cfg(target_arch = "aarch64")]
        Kind::Neon => product.run(super::neon::Neon, epilogue),
        #[cfg(target_arch = "aarch64")]
        // SAFETY: a backend of this kind exists only where the processor has the instruction.
        Kind::DotProd => unsafe { super::dotprod::run(product, epilogue) },
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128", not(target_feature = "relaxed-simd")))]
        Kind::Simd128 => product.run(super::simd128::Simd128, epilogue),
        #[cfg(all(target_arch = "wasm32", target_feature = "relaxed-simd"))]
        Kind::RelaxedSimd if w.is_narrow() => product.run(super::relaxed_simd::Narrow, epilogue),
        #[cfg(all(target_arch = "wasm32", target_feature = "relaxed-simd"))]
        Kind::RelaxedSimd => product.run(super::relaxed_simd::Wide, epilogue),
    }
}

/// The operands of one product.
pub(super) struct Product<'a> {
    pub(super) a: Operand<'a>,
    pub(super) rows: Range<usize>,
    pub(super) w: &'a PackedMatrix,
    pub(super) columns: usize,
}

impl Product<'_> {
    #[inline(always)]
    pub(super) fn run<D: Dot, E: Epilogue>(self, dot: D, epilogue: &mut E) {
        let units = self.columns.div_ceil(LANES);
        let groups = self.w.groups();
        // What `tile` relies on.
        assert_eq!(D::GROUP, self.w.group());
        assert!(self.w.values().len() >= units * groups * D::GROUP * LANES);
        assert!(self.a.stride >= groups * D::ACTIVATION_BYTES);
        assert!(self.a.rows.len() >= self.rows.end * self.a.stride);
        assert!(self.a.negative.is_empty() || self.a.negative.len() >= self.rows.end * self.a.stride);
        match D::START {
            Start::Zero => {}
            Start::Columns => assert!(self.w.compensation().len() >= units * LANES),
            Start::Rows => assert!(self.a.sums.len() >= self.rows.end),
        }

        // Rows that fit into one tile read each weight once.
        let (most_rows, block) = match D::UNITS.len() {
            all if self.rows.len() <= all => (all, units.max(1)),
            _ if self.w.inner() <= SHORT => (D::ROWS_WHERE_SHORT, BLOCK),
            all => (all, BLOCK),
        };
        for first in (0..units).step_by(block) {
            let units = first..units.min(first + block);
            let mut row = self.rows.start;
            while row < self.rows.end {
                let left = self.rows.end - row;
                // The fewest tiles, all of about the same height.
                let height = left.div_ceil(left.div_ceil(most_rows));
                let units = units.clone();
                // SAFETY: rows and units lie within what the assertions above cover.
                unsafe {
                    match height {
                        1 => self.strip::<D, E, 1>(dot, row, units, epilogue),
                        2 if most_rows >= 2 => self.strip::<D, E, 2>(dot, row, units, epilogue),
                        3 if most_rows >= 3 => self.strip::<D, E, 3>(dot, row, units, epilogue),
                        4 if most_rows >= 4 => self.strip::<D, E, 4>(dot, row, units, epilogue),
                        5 if most_rows >= 5 => self.strip::<D, E, 5>(dot, row, units, epilogue),
                        6 if most_rows >= 6 => self.strip::<D, E, 6>(dot, row, units, epilogue),
                        _ => unreachable!("tiles of {height} rows"),
                    }
                }
                row += height;
            }
        }
    }

    /// `ROWS` rows times the units, in tiles as wide as the registers allow.
    ///
    /// # Safety
    /// As for [`Product::tile`].
    #[inline(always)]
    unsafe fn strip<D: Dot, E: Epilogue, const ROWS: usize>(
        &self,
        dot: D,
        row: usize,
        units: Range<usize>,
        epilogue: &mut E,
    ) {
        let widest = D::UNITS[ROWS - 1];
        // A unit that the columns do not fill is processed alone: what follows its product is slow.
        let whole = units.end.min(self.columns / LANES);
        let mut unit = units.start;
        // SAFETY: the caller's promise; the tiles lie within `units`.
        unsafe {
            if widest >= 8 {
                while unit + 8 <= whole {
                    self.tile::<D, E, ROWS, 8>(dot, row, unit, epilogue);
                    unit += 8;
                }
            }
            if widest >= 4 {
                while unit + 4 <= whole {
                    self.tile::<D, E, ROWS, 4>(dot, row, unit, epilogue);
                    unit += 4;
                }
            }
            if widest >= 2 {
                while unit + 2 <= whole {
                    self.tile::<D, E, ROWS, 2>(dot, row, unit, epilogue);
                    unit += 2;
                }
            }
            while unit < units.end {
                self.tile::<D, E, ROWS, 1>(dot, row, unit, epilogue);
                unit += 1;
            }
        }
    }

    /// `ROWS` rows times `UNITS` units of sixteen columns.
    ///
    /// # Safety
    /// `row + ROWS` and `unit + UNITS` are at most the numbers of rows and units that the operands hold. Only a tile of one
    /// unit reaches beyond the columns.
    #[inline(always)]
    unsafe fn tile<D: Dot, E: Epilogue, const ROWS: usize, const UNITS: usize>(
        &self,
        dot: D,
        row: usize,
        unit: usize,
        epilogue: &mut E,
    ) {
        let lanes = dot.lanes();
        let mut sums = [[lanes.splat_integer(0); UNITS]; ROWS];
        for (r, sums) in sums.iter_mut().enumerate() {
            for (u, sums) in sums.iter_mut().enumerate() {
                match D::START {
                    Start::Zero => {}
                    Start::Columns if !self.a.raised => {}
                    Start::Columns => {
                        let compensation = self.w.compensation()[(unit + u) * LANES..].first_chunk();
                        *sums = lanes.load_integers(compensation.expect("compensation of whole units"));
                    }
                    Start::Rows => *sums = lanes.splat_integer(-64 * self.a.sums[row + r]),
                }
            }
        }
        // SAFETY: the caller's promise.
        unsafe {
            if !self.a.negative.is_empty() {
                // Σ a·w = Σ a⁺·w − Σ a⁻·w: the second sum comes first, then its sign is flipped.
                self.accumulate(dot, self.a.negative, row, unit, &mut sums);
                for sums in sums.as_flattened_mut() {
                    *sums = lanes.sub_integers(lanes.splat_integer(0), *sums);
                }
            }
            self.accumulate(dot, self.a.rows, row, unit, &mut sums);
        }
        let column = unit * LANES;
        for (r, sums) in sums.into_iter().enumerate() {
            if column + UNITS * LANES <= self.columns {
                epilogue.whole(lanes, row + r, column, sums);
            } else {
                let mut last = [0; LANES];
                lanes.store_integers(sums[UNITS - 1], &mut last);
                epilogue.partial(row + r, column, &last[..self.columns - column]);
            }
        }
    }

    /// # Safety
    /// As for [`Product::tile`], for the rows in `a`.
    #[inline(always)]
    unsafe fn accumulate<D: Dot, const ROWS: usize, const UNITS: usize>(
        &self,
        dot: D,
        a: &[u8],
        row: usize,
        unit: usize,
        out: &mut [[Integers<D>; UNITS]; ROWS],
    ) {
        let groups = self.w.groups();
        let group_bytes = D::GROUP * LANES;
        let unit_bytes = groups * group_bytes;
        let stride = self.a.stride;
        let mut sums = *out;
        // The loops count by hand. Iterator adapters are separate functions, without the target features of this one; unless link-time
        // optimization happens to inline them, they put calls between any two instructions here, which is four times as slow.
        // SAFETY: the tile's first row and first unit exist (the caller's promise).
        let (mut a, mut w) = unsafe { (a.as_ptr().add(row * stride), self.w.values().as_ptr().add(unit * unit_bytes)) };
        for _ in 0..groups {
            // SAFETY: each of the rows and units exists, and each holds `groups` groups.
            unsafe {
                let mut weights = [dot.weights(w); UNITS];
                let mut u = 1;
                while u < UNITS {
                    weights[u] = dot.weights(w.add(u * unit_bytes));
                    u += 1;
                }
                let mut r = 0;
                while r < ROWS {
                    let activations = dot.activations(a.add(r * stride));
                    let mut u = 0;
                    while u < UNITS {
                        sums[r][u] = dot.dot(sums[r][u], activations, weights[u]);
                        u += 1;
                    }
                    r += 1;
                }
                (a, w) = (a.add(D::ACTIVATION_BYTES), w.add(group_bytes));
            }
        }
        *out = sums;
    }
}

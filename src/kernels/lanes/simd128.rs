//! Sixteen lanes in four registers of WebAssembly SIMD.

use super::{BFloat16, LANES, Lanes, joined};
use std::arch::wasm32::*;

/// WebAssembly SIMD; a module that contains it is only loaded where it exists.
#[derive(Clone, Copy)]
pub(crate) struct Simd128;

#[cfg(not(target_feature = "relaxed-simd"))]
mod choose {
    use std::arch::wasm32::*;

    /// `a > b ? a : b`
    #[inline(always)]
    pub(super) fn greater(a: v128, b: v128) -> v128 {
        f32x4_pmax(b, a)
    }

    /// `a < b ? a : b`
    #[inline(always)]
    pub(super) fn less(a: v128, b: v128) -> v128 {
        f32x4_pmin(b, a)
    }

    /// `mask ? then : other`
    #[inline(always)]
    pub(super) fn select(then: v128, other: v128, mask: v128) -> v128 {
        v128_bitselect(then, other, mask)
    }
}

/// Where the module may contain relaxed instructions, LLVM turns `f32x4_pmin`, `f32x4_pmax` and any comparison followed
/// by a selection into `relaxed_min` and `relaxed_max`. Those differ between engines for NaN and for zeros of different
/// signs. Comparison and selection by intrinsics stay as they are, and the relaxed selection is exact for masks of whole
/// lanes.
#[cfg(target_feature = "relaxed-simd")]
mod choose {
    use std::arch::wasm32::*;

    /// `a > b ? a : b`
    #[inline(always)]
    pub(super) fn greater(a: v128, b: v128) -> v128 {
        select(a, b, f32x4_gt(a, b))
    }

    /// `a < b ? a : b`
    #[inline(always)]
    pub(super) fn less(a: v128, b: v128) -> v128 {
        select(a, b, f32x4_lt(a, b))
    }

    /// `mask ? then : other` for lanes of all ones or all zeros
    #[inline(always)]
    pub(super) fn select(then: v128, other: v128, mask: v128) -> v128 {
        i32x4_relaxed_laneselect(then, other, mask)
    }
}
use choose::{greater, less, select};

/// Methods that apply one intrinsic to each quarter.
macro_rules! in_quarters {
    ($($name:ident($($x:ident),*) = $instruction:expr;)*) => {$(
        #[inline(always)]
        fn $name(self, $($x: [v128; 4]),*) -> [v128; 4] {
            [
                { $(let $x = $x[0];)* $instruction },
                { $(let $x = $x[1];)* $instruction },
                { $(let $x = $x[2];)* $instruction },
                { $(let $x = $x[3];)* $instruction },
            ]
        }
    )*};
}

impl Lanes for Simd128 {
    type Floats = [v128; 4];
    type Integers = [v128; 4];
    const REGISTERS: usize = 2;

    in_quarters! {
        add(a, b) = f32x4_add(a, b);
        sub(a, b) = f32x4_sub(a, b);
        mul(a, b) = f32x4_mul(a, b);
        div(a, b) = f32x4_div(a, b);
        abs(x) = f32x4_abs(x);
        max(a, b) = greater(a, b);
        min(a, b) = less(a, b);
        where_greater(a, b, then, other) = select(then, other, f32x4_gt(a, b));
        where_greater_integers(a, b, then, other) = select(then, other, f32x4_gt(a, b));
        add_integers(a, b) = i32x4_add(a, b);
        sub_integers(a, b) = i32x4_sub(a, b);
        shift_to_exponent(x) = i32x4_shl(x, 23);
        to_floats(x) = f32x4_convert_i32x4(x);
    }

    #[inline(always)]
    fn bits(self, x: [v128; 4]) -> [v128; 4] {
        x
    }
    #[inline(always)]
    fn with_bits(self, x: [v128; 4]) -> [v128; 4] {
        x
    }
    #[inline(always)]
    fn splat(self, x: f32) -> [v128; 4] {
        [f32x4_splat(x); 4]
    }
    #[inline(always)]
    fn splat_integer(self, x: i32) -> [v128; 4] {
        [i32x4_splat(x); 4]
    }
    #[inline(always)]
    fn load(self, from: &[f32; LANES]) -> [v128; 4] {
        let from = from.as_ptr().cast::<v128>();
        // SAFETY: sixteen floats may be read; WebAssembly allows any alignment.
        unsafe { [v128_load(from), v128_load(from.add(1)), v128_load(from.add(2)), v128_load(from.add(3))] }
    }
    #[inline(always)]
    fn load_halves(self, from: &[BFloat16; LANES]) -> [v128; 4] {
        let from = from.as_ptr().cast::<v128>();
        let zero = i16x8_splat(0);
        // SAFETY: sixteen halves may be read; WebAssembly allows any alignment.
        let (first, second) = unsafe { (v128_load(from), v128_load(from.add(1))) };
        // Zeros and halves alternate.
        [first, second]
            .map(|halves| {
                [
                    i16x8_shuffle::<0, 8, 1, 9, 2, 10, 3, 11>(zero, halves),
                    i16x8_shuffle::<4, 12, 5, 13, 6, 14, 7, 15>(zero, halves),
                ]
            })
            .as_flattened()
            .try_into()
            .expect("four registers")
    }
    #[inline(always)]
    fn store(self, x: [v128; 4], to: &mut [f32; LANES]) {
        let to = to.as_mut_ptr().cast::<v128>();
        for (i, x) in x.into_iter().enumerate() {
            // SAFETY: sixteen floats may be written; WebAssembly allows any alignment.
            unsafe { v128_store(to.add(i), x) }
        }
    }
    #[inline(always)]
    fn load_integers(self, from: &[i32; LANES]) -> [v128; 4] {
        let from = from.as_ptr().cast::<v128>();
        // SAFETY: sixteen integers may be read; WebAssembly allows any alignment.
        unsafe { [v128_load(from), v128_load(from.add(1)), v128_load(from.add(2)), v128_load(from.add(3))] }
    }
    #[inline(always)]
    fn store_integers(self, x: [v128; 4], to: &mut [i32; LANES]) {
        let to = to.as_mut_ptr().cast::<v128>();
        for (i, x) in x.into_iter().enumerate() {
            // SAFETY: sixteen integers may be written; WebAssembly allows any alignment.
            unsafe { v128_store(to.add(i), x) }
        }
    }
    #[inline(always)]
    fn add_dot_pairs(self, sums: [v128; 4], a: [i16; 2], w: &[[i16; 2]; LANES]) -> [v128; 4] {
        let a = i32x4_splat(joined(a));
        let from: *const v128 = w.as_ptr().cast();
        // SAFETY: sixteen pairs, four times four of them, may be read; WebAssembly allows any alignment.
        let w = unsafe { [v128_load(from), v128_load(from.add(1)), v128_load(from.add(2)), v128_load(from.add(3))] };
        std::array::from_fn(|i| i32x4_add(sums[i], i32x4_dot_i16x8(a, w[i])))
    }
    #[inline(always)]
    fn store_bytes(self, x: [v128; 4], to: &mut [i8; LANES]) {
        let bytes = i8x16_narrow_i16x8(i16x8_narrow_i32x4(x[0], x[1]), i16x8_narrow_i32x4(x[2], x[3]));
        // SAFETY: sixteen bytes may be written; WebAssembly allows any alignment.
        unsafe { v128_store(to.as_mut_ptr().cast(), bytes) }
    }
    #[inline(always)]
    fn sum(self, x: [v128; 4]) -> f32 {
        let x = f32x4_add(f32x4_add(x[0], x[2]), f32x4_add(x[1], x[3]));
        let x = f32x4_add(x, i32x4_shuffle::<2, 3, 2, 3>(x, x));
        f32x4_extract_lane::<0>(x) + f32x4_extract_lane::<1>(x)
    }
    #[inline(always)]
    fn largest(self, x: [v128; 4]) -> f32 {
        let x = greater(greater(x[0], x[2]), greater(x[1], x[3]));
        let x = greater(x, i32x4_shuffle::<2, 3, 2, 3>(x, x));
        f32x4_extract_lane::<0>(greater(x, i32x4_shuffle::<1, 1, 1, 1>(x, x)))
    }
}

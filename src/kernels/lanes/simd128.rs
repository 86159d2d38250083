//! Sixteen lanes in four registers of WebAssembly SIMD.

use super::{LANES, Lanes};
use std::arch::wasm32::*;

/// WebAssembly SIMD; a module that holds it is only loaded where it exists.
#[derive(Clone, Copy)]
pub(crate) struct Simd128;

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
        max(a, b) = f32x4_pmax(b, a);
        min(a, b) = f32x4_pmin(b, a);
        where_greater(a, b, then, other) = v128_bitselect(then, other, f32x4_gt(a, b));
        where_greater_integers(a, b, then, other) = v128_bitselect(then, other, f32x4_gt(a, b));
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
    fn from_bits(self, x: [v128; 4]) -> [v128; 4] {
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
    fn store_bytes(self, x: [v128; 4], to: &mut [i8; LANES]) {
        let bytes = i8x16_narrow_i16x8(i16x8_narrow_i32x4(x[0], x[1]), i16x8_narrow_i32x4(x[2], x[3]));
        // SAFETY: sixteen bytes may be written; WebAssembly allows any alignment.
        unsafe { v128_store(to.as_mut_ptr().cast(), bytes) }
    }
}

//! `sums[4] += a[2k] · w[2k][4] + a[2k + 1] · w[2k + 1][4]` with `i32x4.dot_i16x8_s`, exact because its operands are
//! int8 widened to int16: activations when they are quantized, weights when they are loaded (`v128.load8x8_s`).
//!
//! Layout: activations in int16, weights `[column / 16][k / 2][column % 16][k % 2]` in int8.

use super::product::{Dot, Start};
use crate::kernels::lanes;
use std::arch::wasm32::*;

/// WebAssembly SIMD.
#[derive(Clone, Copy)]
pub(super) struct Simd128;

impl Dot for Simd128 {
    type Lanes = lanes::Simd128;
    type Weights = [v128; 4];
    type Activations = v128;
    const GROUP: usize = 2;
    const ACTIVATION_BYTES: usize = 4;
    const START: Start = Start::Zero;
    const UNITS: &'static [usize] = &[1, 1];

    #[inline(always)]
    fn lanes(self) -> lanes::Simd128 {
        lanes::Simd128
    }

    #[inline(always)]
    unsafe fn weights(self, from: *const i8) -> [v128; 4] {
        // SAFETY: the caller's promise of 32 readable bytes.
        unsafe {
            [
                i16x8_load_extend_i8x8(from),
                i16x8_load_extend_i8x8(from.add(8)),
                i16x8_load_extend_i8x8(from.add(16)),
                i16x8_load_extend_i8x8(from.add(24)),
            ]
        }
    }

    #[inline(always)]
    unsafe fn activations(self, from: *const u8) -> v128 {
        // SAFETY: the caller's promise of four readable bytes.
        unsafe { v128_load32_splat(from.cast()) }
    }

    #[inline(always)]
    fn dot(self, sums: [v128; 4], a: v128, w: [v128; 4]) -> [v128; 4] {
        [
            i32x4_add(sums[0], i32x4_dot_i16x8(a, w[0])),
            i32x4_add(sums[1], i32x4_dot_i16x8(a, w[1])),
            i32x4_add(sums[2], i32x4_dot_i16x8(a, w[2])),
            i32x4_add(sums[3], i32x4_dot_i16x8(a, w[3])),
        ]
    }
}

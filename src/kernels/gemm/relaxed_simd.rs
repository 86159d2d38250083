//! `sums[4] += Σ_{i<4} a[4k + i] · w[4k + i][4]` with `i32x4.relaxed_dot_i8x16_i7x16_add_s`.
//!
//! An engine may read the top bit of that instruction's second operand as it likes, and its sums of two products may
//! wrap or saturate in int16. With the second operand in 0 ..= 127 neither can be seen: two products add up to at most
//! 2 · 128 · 127 = 32,512 < 2¹⁵ in magnitude. So every engine gives the same, exact sums.
//!
//! Weights in ±127 ([`Wide`]) are the first operand. The second is the positive part of the activations and, in another
//! pass, the negative part with its sign flipped, whose sum is subtracted. Rows known to be non-negative (after ReLU)
//! need no second pass. Weights in ±63 ([`Narrow`]) have 64 added and are the second operand, activations are the first,
//! and the sums start from −64 · Σ a: always one pass.
//!
//! Layout: activations as they are, or their two parts; weights `[column / 16][k / 4][column % 16][k % 4]`.

use super::product::{Dot, Start};
use crate::kernels::lanes;
use std::arch::wasm32::*;

/// Weights in ±127.
#[derive(Clone, Copy)]
pub(super) struct Wide;

/// Weights in ±63, stored with 64 added.
#[derive(Clone, Copy)]
pub(super) struct Narrow;

macro_rules! relaxed_dot {
    ($kernel:ty, $start:expr, |$a:ident, $w:ident, $sum:ident| $dot:expr) => {
        impl Dot for $kernel {
            type Lanes = lanes::Simd128;
            type Weights = [v128; 4];
            type Activations = v128;
            const GROUP: usize = 4;
            const ACTIVATION_BYTES: usize = 4;
            const START: Start = $start;
            const UNITS: &'static [usize] = &[2, 1];

            #[inline(always)]
            fn lanes(self) -> lanes::Simd128 {
                lanes::Simd128
            }

            #[inline(always)]
            unsafe fn weights(self, from: *const i8) -> [v128; 4] {
                let from = from.cast::<v128>();
                // SAFETY: the caller's promise of 64 readable bytes.
                unsafe { [v128_load(from), v128_load(from.add(1)), v128_load(from.add(2)), v128_load(from.add(3))] }
            }

            #[inline(always)]
            unsafe fn activations(self, from: *const u8) -> v128 {
                // SAFETY: the caller's promise of four readable bytes.
                unsafe { v128_load32_splat(from.cast()) }
            }

            #[inline(always)]
            fn dot(self, sums: [v128; 4], $a: v128, w: [v128; 4]) -> [v128; 4] {
                let mut sums = sums;
                for i in 0..4 {
                    let ($sum, $w) = (sums[i], w[i]);
                    sums[i] = $dot;
                }
                sums
            }
        }
    };
}

relaxed_dot!(Wide, Start::Zero, |a, w, sum| i32x4_relaxed_dot_i8x16_i7x16_add(w, a, sum));
relaxed_dot!(Narrow, Start::Rows, |a, w, sum| i32x4_relaxed_dot_i8x16_i7x16_add(a, w, sum));

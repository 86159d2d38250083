//! `sums[4] += a[2k] · w[2k][4] + a[2k + 1] · w[2k + 1][4]` with `smull` and `sadalp`: int8 products in int16, added pairwise in int32.
//! Exact, since 127² < 2¹⁵. For 64-bit Arm processors without the dot product, made from 2012 to about 2017.
//!
//! Layout: activations as they are, weights `[column / 16][k / 2][column % 16][k % 2]`.

use super::product::{Dot, Start};
use crate::kernels::lanes;
use std::arch::aarch64::*;

/// NEON, which every 64-bit Arm processor has.
#[derive(Clone, Copy)]
pub(super) struct Neon;

impl Dot for Neon {
    type Lanes = lanes::Neon;
    type Weights = [int8x8_t; 4];
    type Activations = int8x8_t;
    const GROUP: usize = 2;
    const ACTIVATION_BYTES: usize = 2;
    const START: Start = Start::Zero;
    const UNITS: &'static [usize] = &[2, 2, 1, 1];

    #[inline(always)]
    fn lanes(self) -> lanes::Neon {
        lanes::Neon
    }

    #[inline(always)]
    unsafe fn weights(self, from: *const i8) -> [int8x8_t; 4] {
        // SAFETY: the caller's promise of 32 readable bytes.
        unsafe { [vld1_s8(from), vld1_s8(from.add(8)), vld1_s8(from.add(16)), vld1_s8(from.add(24))] }
    }

    #[inline(always)]
    unsafe fn activations(self, from: *const u8) -> int8x8_t {
        // SAFETY: the caller's promise of two readable bytes.
        unsafe { vreinterpret_s8_s16(vdup_n_s16(from.cast::<i16>().read_unaligned())) }
    }

    #[inline(always)]
    fn dot(self, sums: [int32x4_t; 4], a: int8x8_t, w: [int8x8_t; 4]) -> [int32x4_t; 4] {
        // SAFETY: every processor of this kind has NEON; registers only.
        unsafe {
            [
                vpadalq_s16(sums[0], vmull_s8(w[0], a)),
                vpadalq_s16(sums[1], vmull_s8(w[1], a)),
                vpadalq_s16(sums[2], vmull_s8(w[2], a)),
                vpadalq_s16(sums[3], vmull_s8(w[3], a)),
            ]
        }
    }
}

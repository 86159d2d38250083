//! `sums[4] += Σ_{i<4} a[4k + i] · w[4k + i][4]` with `sdot`, which multiplies signed bytes and adds four products in int32: exact,
//! and without an offset. An optional extension of ARMv8.2, which phones have had since about 2018, as have all of Apple's M processors.
//!
//! Layout: activations as they are, weights `[column / 16][k / 4][column % 16][k % 4]`.

use super::epilogue::Epilogue;
use super::product::{Dot, Integers, Product, Start};
use crate::kernels::lanes::Neon;
use std::arch::aarch64::*;
use std::arch::asm;

#[target_feature(enable = "dotprod")]
pub(super) fn run<E: Epilogue>(product: Product<'_>, epilogue: &mut E) {
    product.run(DotProd(()), epilogue);
}

/// A value proves the dot product: it is made only above.
#[derive(Clone, Copy)]
struct DotProd(());

impl Dot for DotProd {
    type Lanes = Neon;
    type Weights = [int8x16_t; 4];
    type Activations = int8x16_t;
    const GROUP: usize = 4;
    const ACTIVATION_BYTES: usize = 4;
    const START: Start = Start::Zero;
    const UNITS: &'static [usize] = &[2, 2, 1, 1, 1, 1];

    #[inline(always)]
    fn lanes(self) -> Neon {
        Neon
    }

    #[inline(always)]
    unsafe fn weights(self, from: *const i8) -> [int8x16_t; 4] {
        // SAFETY: the caller's promise of 64 readable bytes.
        unsafe { [vld1q_s8(from), vld1q_s8(from.add(16)), vld1q_s8(from.add(32)), vld1q_s8(from.add(48))] }
    }

    #[inline(always)]
    unsafe fn activations(self, from: *const u8) -> int8x16_t {
        // SAFETY: the caller's promise of four readable bytes.
        unsafe { vreinterpretq_s8_s32(vdupq_n_s32(from.cast::<i32>().read_unaligned())) }
    }

    #[inline(always)]
    fn dot(self, mut sums: Integers<Self>, a: int8x16_t, w: [int8x16_t; 4]) -> Integers<Self> {
        let mut i = 0;
        while i < 4 {
            // The intrinsic is not in stable Rust yet.
            // SAFETY: `self` proves the dot product; registers only.
            unsafe {
                asm!("sdot {sums:v}.4s, {w:v}.16b, {a:v}.16b", sums = inout(vreg) sums[i], w = in(vreg) w[i], a = in(vreg) a,
                    options(pure, nomem, nostack, preserves_flags));
            }
            i += 1;
        }
        sums
    }
}

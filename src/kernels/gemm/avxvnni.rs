//! `sums[8] += Σ_{i<4} (a[4k + i] + 128) · w[4k + i][8]` with `vpdpbusd` in 256-bit registers (AVX-VNNI), which
//! multiplies unsigned by signed bytes and adds four products in int32 without saturation.
//!
//! Layout: activations with 128 added, weights `[column / 16][k / 4][column % 16][k % 4]`. Exact: the sums start from
//! −128 · Σ w of their column, and int32 arithmetic at worst wraps on the way.

use super::epilogue::Epilogue;
use super::product::{Dot, Product, Start};
use crate::kernels::lanes::Avx2;
use std::arch::x86_64::*;

#[target_feature(enable = "avx2,avxvnni")]
pub(super) fn run<E: Epilogue>(product: Product<'_>, epilogue: &mut E) {
    // SAFETY: this function runs only where there are AVX2 and AVX-VNNI.
    product.run(AvxVnni(unsafe { Avx2::new() }), epilogue);
}

/// A value proves AVX-VNNI as well: it is made only above.
#[derive(Clone, Copy)]
struct AvxVnni(Avx2);

impl Dot for AvxVnni {
    type Lanes = Avx2;
    type Weights = [__m256i; 2];
    type Activations = __m256i;
    const GROUP: usize = 4;
    const ACTIVATION_BYTES: usize = 4;
    const START: Start = Start::Columns;
    const UNITS: &'static [usize] = &[4, 2, 1, 1, 1, 1];

    #[inline(always)]
    fn lanes(self) -> Avx2 {
        self.0
    }

    #[inline(always)]
    unsafe fn weights(self, from: *const i8) -> [__m256i; 2] {
        // SAFETY: the caller's promise of 64 readable bytes.
        unsafe { [_mm256_loadu_si256(from.cast()), _mm256_loadu_si256(from.add(32).cast())] }
    }

    #[inline(always)]
    unsafe fn activations(self, from: *const u8) -> __m256i {
        // SAFETY: the caller's promise of four readable bytes; `self` proves AVX2.
        unsafe { _mm256_set1_epi32(from.cast::<i32>().read_unaligned()) }
    }

    #[inline(always)]
    fn dot(self, sums: [__m256i; 2], a: __m256i, w: [__m256i; 2]) -> [__m256i; 2] {
        // SAFETY: `self` proves AVX-VNNI; registers only.
        unsafe { [_mm256_dpbusd_avx_epi32(sums[0], a, w[0]), _mm256_dpbusd_avx_epi32(sums[1], a, w[1])] }
    }
}

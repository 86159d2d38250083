//! `sums[16] += Σ_{i<4} (a[4k + i] + 128) · w[4k + i][16]` with `vpdpbusd`, which multiplies unsigned by signed bytes and
//! adds four products in int32 without saturation.
//!
//! Layout: activations with 128 added, weights `[column / 16][k / 4][column % 16][k % 4]`: a group of k is one register
//! and one cache line. Exact: the sums start from −128 · Σ w of their column, and int32 arithmetic at worst wraps on the
//! way. The instruction takes four cycles and two start in each cycle, so a single row needs eight units at a time.

use super::epilogue::Epilogue;
use super::product::{Dot, Product, Start};
use crate::kernels::lanes::Avx512;
use std::arch::x86_64::*;

#[target_feature(enable = "avx2,avx512f,avx512bw,avx512vl,avx512vnni")]
pub(super) fn run<E: Epilogue>(product: Product<'_>, epilogue: &mut E) {
    // SAFETY: this function runs only where these instructions exist.
    product.run(Avx512Vnni(unsafe { Avx512::new() }), epilogue);
}

/// A value proves AVX-512 VNNI as well: it is made only above.
#[derive(Clone, Copy)]
struct Avx512Vnni(Avx512);

impl Dot for Avx512Vnni {
    type Lanes = Avx512;
    type Weights = __m512i;
    type Activations = __m512i;
    const GROUP: usize = 4;
    const ACTIVATION_BYTES: usize = 4;
    const START: Start = Start::Columns;
    const UNITS: &'static [usize] = &[8, 4, 4, 4, 4, 4];
    const ROWS_WHERE_SHORT: usize = 3;

    #[inline(always)]
    fn lanes(self) -> Avx512 {
        self.0
    }

    #[inline(always)]
    unsafe fn weights(self, from: *const i8) -> __m512i {
        // SAFETY: the caller's promise of 64 readable bytes.
        unsafe { _mm512_loadu_si512(from.cast()) }
    }

    #[inline(always)]
    unsafe fn activations(self, from: *const u8) -> __m512i {
        // SAFETY: the caller's promise of four readable bytes; `self` proves AVX-512.
        unsafe { _mm512_set1_epi32(from.cast::<i32>().read_unaligned()) }
    }

    #[inline(always)]
    fn dot(self, sums: __m512i, a: __m512i, w: __m512i) -> __m512i {
        // SAFETY: `self` proves AVX-512 VNNI; registers only.
        unsafe { _mm512_dpbusd_epi32(sums, a, w) }
    }
}

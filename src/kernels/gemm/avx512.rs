//! `sums[16] += Σ_{i<4} a[4k + i] · w[4k + i][16]` with `vpmaddubsw` in 512-bit registers, for processors with AVX-512 BW that lack VNNI.
//! Layout, offsets and reasons for exactness are those of [`super::avx2`]. There is no `vpsignb` of this width; the sign of an activation
//! is a mask under which weights are subtracted from zero.

use super::epilogue::Epilogue;
use super::product::{Dot, Product, Start};
use crate::kernels::lanes::Avx512;
use std::arch::x86_64::*;

#[target_feature(enable = "avx2,avx512f,avx512bw,avx512vl")]
pub(super) fn run<E: Epilogue>(product: Product<'_>, epilogue: &mut E) {
    // SAFETY: this function runs only where these instructions exist.
    product.run(Wide(unsafe { Avx512::new() }), epilogue);
}

#[target_feature(enable = "avx2,avx512f,avx512bw,avx512vl")]
pub(super) fn run_narrow<E: Epilogue>(product: Product<'_>, epilogue: &mut E) {
    // SAFETY: this function runs only where these instructions exist.
    product.run(Narrow(unsafe { Avx512::new() }), epilogue);
}

/// Weights in ±127.
#[derive(Clone, Copy)]
struct Wide(Avx512);

/// Weights in ±63, stored with 64 added.
#[derive(Clone, Copy)]
struct Narrow(Avx512);

impl Dot for Wide {
    type Lanes = Avx512;
    type Weights = __m512i;
    /// |a| and where a is below zero
    type Activations = (__m512i, __mmask64);
    const GROUP: usize = 4;
    const ACTIVATION_BYTES: usize = 4;
    const START: Start = Start::Zero;
    const UNITS: &'static [usize] = &[4, 4, 4, 4, 2, 2];

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
    unsafe fn activations(self, from: *const u8) -> (__m512i, __mmask64) {
        // SAFETY: the caller's promise of four readable bytes; `self` proves AVX-512 BW.
        unsafe {
            let a = _mm512_set1_epi32(from.cast::<i32>().read_unaligned());
            (_mm512_abs_epi8(a), _mm512_movepi8_mask(a))
        }
    }

    #[inline(always)]
    fn dot(self, sums: __m512i, (size, negative): (__m512i, __mmask64), w: __m512i) -> __m512i {
        // SAFETY: `self` proves AVX-512 BW; registers only.
        unsafe {
            let signed = _mm512_mask_sub_epi8(w, negative, _mm512_setzero_si512(), w);
            add_pairs(sums, _mm512_maddubs_epi16(size, signed))
        }
    }
}

impl Dot for Narrow {
    type Lanes = Avx512;
    type Weights = __m512i;
    type Activations = __m512i;
    const GROUP: usize = 4;
    const ACTIVATION_BYTES: usize = 4;
    const START: Start = Start::Rows;
    const UNITS: &'static [usize] = &[8, 4, 4, 4, 4, 4];

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
        // SAFETY: `self` proves AVX-512 BW; registers only.
        unsafe { add_pairs(sums, _mm512_maddubs_epi16(w, a)) }
    }
}

/// `sums[16] += pairs[2 · 16] + pairs[2 · 16 + 1]`
///
/// # Safety
/// The processor has AVX-512 BW.
#[inline(always)]
unsafe fn add_pairs(sums: __m512i, pairs: __m512i) -> __m512i {
    // SAFETY: the caller's promise; registers only.
    unsafe { _mm512_add_epi32(sums, _mm512_madd_epi16(pairs, _mm512_set1_epi16(1))) }
}

//! `sums[8] += Σ_{i<4} a[4k + i] · w[4k + i][8]` with `vpmaddubsw`, which multiplies unsigned by signed bytes and adds
//! neighbours with saturation to int16; `vpmaddwd` by ones then adds those pairs in int32.
//!
//! Layout: activations as they are, weights `[column / 16][k / 4][column % 16][k % 4]`.
//!
//! Exact for any weights ([`Wide`]): |a| is the unsigned operand and `sign(a) · w` the signed one, and
//! 2 · 127 · 127 = 32,258 < 2¹⁵. For weights in ±63 ([`Narrow`]) the unsigned operand is w + 64, at most 127, which
//! saves the sign: again at most 32,258; the sums start from −64 · Σ a.

use super::epilogue::Epilogue;
use super::product::{Dot, Product, Start};
use crate::kernels::lanes::{Avx2, Lanes};
use std::arch::x86_64::*;

#[target_feature(enable = "avx2")]
pub(super) fn run<E: Epilogue>(product: Product<'_>, epilogue: &mut E) {
    // SAFETY: this function runs only where there is AVX2.
    product.run(Wide(unsafe { Avx2::new() }), epilogue);
}

#[target_feature(enable = "avx2")]
pub(super) fn run_narrow<E: Epilogue>(product: Product<'_>, epilogue: &mut E) {
    // SAFETY: this function runs only where there is AVX2.
    product.run(Narrow(unsafe { Avx2::new() }), epilogue);
}

/// Weights in ±127.
#[derive(Clone, Copy)]
struct Wide(Avx2);

/// Weights in ±63, stored with 64 added.
#[derive(Clone, Copy)]
struct Narrow(Avx2);

impl Dot for Wide {
    type Lanes = Avx2;
    type Weights = [__m256i; 2];
    /// |a| and a
    type Activations = (__m256i, __m256i);
    const GROUP: usize = 4;
    const ACTIVATION_BYTES: usize = 4;
    const START: Start = Start::Zero;
    const UNITS: &'static [usize] = &[2, 1, 1, 1];

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
    unsafe fn activations(self, from: *const u8) -> (__m256i, __m256i) {
        // SAFETY: the caller's promise of four readable bytes; `self` proves AVX2.
        unsafe {
            let a = _mm256_set1_epi32(from.cast::<i32>().read_unaligned());
            (_mm256_abs_epi8(a), a)
        }
    }

    #[inline(always)]
    fn dot(self, sums: [__m256i; 2], (size, a): (__m256i, __m256i), w: [__m256i; 2]) -> [__m256i; 2] {
        // SAFETY: `self` proves AVX2; registers only.
        let pairs = unsafe {
            [
                _mm256_maddubs_epi16(size, _mm256_sign_epi8(w[0], a)),
                _mm256_maddubs_epi16(size, _mm256_sign_epi8(w[1], a)),
            ]
        };
        add_pairs(self.0, sums, pairs)
    }
}

impl Dot for Narrow {
    type Lanes = Avx2;
    type Weights = [__m256i; 2];
    type Activations = __m256i;
    const GROUP: usize = 4;
    const ACTIVATION_BYTES: usize = 4;
    const START: Start = Start::Rows;
    const UNITS: &'static [usize] = &[2, 2, 1, 1];

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
        // SAFETY: `self` proves AVX2; registers only.
        let pairs = unsafe { [_mm256_maddubs_epi16(w[0], a), _mm256_maddubs_epi16(w[1], a)] };
        add_pairs(self.0, sums, pairs)
    }
}

/// `sums[8] += pairs[2 · 8] + pairs[2 · 8 + 1]`
#[inline(always)]
fn add_pairs(avx2: Avx2, sums: [__m256i; 2], pairs: [__m256i; 2]) -> [__m256i; 2] {
    // SAFETY: `avx2` proves AVX2; registers only.
    let fours = unsafe {
        let ones = _mm256_set1_epi16(1);
        [_mm256_madd_epi16(pairs[0], ones), _mm256_madd_epi16(pairs[1], ones)]
    };
    avx2.add_integers(sums, fours)
}

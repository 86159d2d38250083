//! Sixteen lanes in two registers of AVX2, or in one of AVX-512.

use super::{BFloat16, LANES, Lanes, joined};
use std::arch::x86_64::*;

/// AVX2.
#[derive(Clone, Copy)]
pub(crate) struct Avx2(());

impl Avx2 {
    /// # Safety
    /// The processor has AVX2.
    #[inline(always)]
    pub(crate) unsafe fn new() -> Self {
        Self(())
    }
}

/// AVX-512 F and BW.
#[derive(Clone, Copy)]
pub(crate) struct Avx512(());

impl Avx512 {
    /// # Safety
    /// The processor has AVX-512 F and BW.
    #[inline(always)]
    pub(crate) unsafe fn new() -> Self {
        Self(())
    }
}

/// Methods that apply one intrinsic to each half.
macro_rules! in_halves {
    ($($name:ident($($x:ident: $from:ty),*) -> $to:ty = $instruction:expr;)*) => {$(
        #[inline(always)]
        fn $name(self, $($x: [$from; 2]),*) -> [$to; 2] {
            // SAFETY: `self` proves AVX2; the intrinsics touch registers only.
            unsafe {
                [
                    { $(let $x = $x[0];)* $instruction },
                    { $(let $x = $x[1];)* $instruction },
                ]
            }
        }
    )*};
}

impl Lanes for Avx2 {
    type Floats = [__m256; 2];
    type Integers = [__m256i; 2];
    const REGISTERS: usize = 4;

    in_halves! {
        add(a: __m256, b: __m256) -> __m256 = _mm256_add_ps(a, b);
        sub(a: __m256, b: __m256) -> __m256 = _mm256_sub_ps(a, b);
        mul(a: __m256, b: __m256) -> __m256 = _mm256_mul_ps(a, b);
        div(a: __m256, b: __m256) -> __m256 = _mm256_div_ps(a, b);
        max(a: __m256, b: __m256) -> __m256 = _mm256_max_ps(a, b);
        min(a: __m256, b: __m256) -> __m256 = _mm256_min_ps(a, b);
        abs(x: __m256) -> __m256 = _mm256_andnot_ps(_mm256_set1_ps(-0.0), x);
        where_greater(a: __m256, b: __m256, then: __m256, other: __m256) -> __m256 =
            _mm256_blendv_ps(other, then, _mm256_cmp_ps::<_CMP_GT_OQ>(a, b));
        add_integers(a: __m256i, b: __m256i) -> __m256i = _mm256_add_epi32(a, b);
        sub_integers(a: __m256i, b: __m256i) -> __m256i = _mm256_sub_epi32(a, b);
        shift_to_exponent(x: __m256i) -> __m256i = _mm256_slli_epi32::<23>(x);
        to_floats(x: __m256i) -> __m256 = _mm256_cvtepi32_ps(x);
        bits(x: __m256) -> __m256i = _mm256_castps_si256(x);
        with_bits(x: __m256i) -> __m256 = _mm256_castsi256_ps(x);
    }

    #[inline(always)]
    fn where_greater_integers(
        self,
        a: [__m256; 2],
        b: [__m256; 2],
        then: [__m256i; 2],
        other: [__m256i; 2],
    ) -> [__m256i; 2] {
        self.bits(self.where_greater(a, b, self.with_bits(then), self.with_bits(other)))
    }
    #[inline(always)]
    fn splat(self, x: f32) -> [__m256; 2] {
        // SAFETY: `self` proves AVX2.
        unsafe { [_mm256_set1_ps(x); 2] }
    }
    #[inline(always)]
    fn splat_integer(self, x: i32) -> [__m256i; 2] {
        // SAFETY: `self` proves AVX2.
        unsafe { [_mm256_set1_epi32(x); 2] }
    }
    #[inline(always)]
    fn load(self, from: &[f32; LANES]) -> [__m256; 2] {
        // SAFETY: `self` proves AVX2; sixteen floats may be read.
        unsafe { [_mm256_loadu_ps(from.as_ptr()), _mm256_loadu_ps(from.as_ptr().add(8))] }
    }
    #[inline(always)]
    fn load_halves(self, from: &[BFloat16; LANES]) -> [__m256; 2] {
        // SAFETY: `self` proves AVX2; sixteen halves may be read.
        unsafe {
            let halves = [_mm_loadu_si128(from.as_ptr().cast()), _mm_loadu_si128(from.as_ptr().add(8).cast())];
            [
                _mm256_castsi256_ps(_mm256_slli_epi32::<16>(_mm256_cvtepu16_epi32(halves[0]))),
                _mm256_castsi256_ps(_mm256_slli_epi32::<16>(_mm256_cvtepu16_epi32(halves[1]))),
            ]
        }
    }
    #[inline(always)]
    fn store(self, x: [__m256; 2], to: &mut [f32; LANES]) {
        // SAFETY: `self` proves AVX2; sixteen floats may be written.
        unsafe {
            _mm256_storeu_ps(to.as_mut_ptr(), x[0]);
            _mm256_storeu_ps(to.as_mut_ptr().add(8), x[1]);
        }
    }
    #[inline(always)]
    fn load_integers(self, from: &[i32; LANES]) -> [__m256i; 2] {
        // SAFETY: `self` proves AVX2; sixteen integers may be read.
        unsafe { [_mm256_loadu_si256(from.as_ptr().cast()), _mm256_loadu_si256(from.as_ptr().add(8).cast())] }
    }
    #[inline(always)]
    fn store_integers(self, x: [__m256i; 2], to: &mut [i32; LANES]) {
        // SAFETY: `self` proves AVX2; sixteen integers may be written.
        unsafe {
            _mm256_storeu_si256(to.as_mut_ptr().cast(), x[0]);
            _mm256_storeu_si256(to.as_mut_ptr().add(8).cast(), x[1]);
        }
    }
    #[inline(always)]
    fn add_dot_pairs(self, sums: [__m256i; 2], a: [i16; 2], w: &[[i16; 2]; LANES]) -> [__m256i; 2] {
        // SAFETY: `self` proves AVX2; sixteen pairs may be read.
        let products = unsafe {
            let a = _mm256_set1_epi32(joined(a));
            let w = [_mm256_loadu_si256(w.as_ptr().cast()), _mm256_loadu_si256(w.as_ptr().add(8).cast())];
            [_mm256_madd_epi16(a, w[0]), _mm256_madd_epi16(a, w[1])]
        };
        self.add_integers(sums, products)
    }
    #[inline(always)]
    fn store_bytes(self, x: [__m256i; 2], to: &mut [i8; LANES]) {
        // SAFETY: `self` proves AVX2; sixteen bytes may be written. Both packs interleave the halves of 128 bits: the
        // first leaves lanes 0–3, 8–11 | 4–7, 12–15, the permutation puts the quarters in order.
        unsafe {
            let words = _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_packs_epi32(x[0], x[1]));
            let bytes = _mm_packs_epi16(_mm256_castsi256_si128(words), _mm256_extracti128_si256::<1>(words));
            _mm_storeu_si128(to.as_mut_ptr().cast(), bytes);
        }
    }
    #[inline(always)]
    fn sum(self, x: [__m256; 2]) -> f32 {
        // SAFETY: `self` proves AVX2; registers only.
        unsafe { sum_of_eight(_mm256_add_ps(x[0], x[1])) }
    }
    #[inline(always)]
    fn largest(self, x: [__m256; 2]) -> f32 {
        // SAFETY: `self` proves AVX2; registers only.
        unsafe { largest_of_eight(_mm256_max_ps(x[0], x[1])) }
    }
}

/// Folds in halves.
///
/// # Safety
/// The processor has AVX.
#[inline(always)]
unsafe fn sum_of_eight(x: __m256) -> f32 {
    // SAFETY: the caller's promise; registers only.
    unsafe {
        let x = _mm_add_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps::<1>(x));
        let x = _mm_add_ps(x, _mm_movehl_ps(x, x));
        _mm_cvtss_f32(_mm_add_ss(x, _mm_movehdup_ps(x)))
    }
}

/// Folds in halves.
///
/// # Safety
/// The processor has AVX.
#[inline(always)]
unsafe fn largest_of_eight(x: __m256) -> f32 {
    // SAFETY: the caller's promise; registers only.
    unsafe {
        let x = _mm_max_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps::<1>(x));
        let x = _mm_max_ps(x, _mm_movehl_ps(x, x));
        _mm_cvtss_f32(_mm_max_ss(x, _mm_movehdup_ps(x)))
    }
}

/// Methods that are one intrinsic.
macro_rules! in_one {
    ($($name:ident($($x:ident: $from:ty),*) -> $to:ty = $instruction:expr;)*) => {$(
        #[inline(always)]
        fn $name(self, $($x: $from),*) -> $to {
            // SAFETY: `self` proves AVX-512 F; the intrinsics touch registers only.
            unsafe { $instruction }
        }
    )*};
}

impl Lanes for Avx512 {
    type Floats = __m512;
    type Integers = __m512i;
    const REGISTERS: usize = 24;

    in_one! {
        splat(x: f32) -> __m512 = _mm512_set1_ps(x);
        splat_integer(x: i32) -> __m512i = _mm512_set1_epi32(x);
        add(a: __m512, b: __m512) -> __m512 = _mm512_add_ps(a, b);
        sub(a: __m512, b: __m512) -> __m512 = _mm512_sub_ps(a, b);
        mul(a: __m512, b: __m512) -> __m512 = _mm512_mul_ps(a, b);
        div(a: __m512, b: __m512) -> __m512 = _mm512_div_ps(a, b);
        max(a: __m512, b: __m512) -> __m512 = _mm512_max_ps(a, b);
        min(a: __m512, b: __m512) -> __m512 = _mm512_min_ps(a, b);
        abs(x: __m512) -> __m512 = _mm512_abs_ps(x);
        where_greater(a: __m512, b: __m512, then: __m512, other: __m512) -> __m512 =
            _mm512_mask_blend_ps(_mm512_cmp_ps_mask::<_CMP_GT_OQ>(a, b), other, then);
        where_greater_integers(a: __m512, b: __m512, then: __m512i, other: __m512i) -> __m512i =
            _mm512_mask_blend_epi32(_mm512_cmp_ps_mask::<_CMP_GT_OQ>(a, b), other, then);
        add_integers(a: __m512i, b: __m512i) -> __m512i = _mm512_add_epi32(a, b);
        sub_integers(a: __m512i, b: __m512i) -> __m512i = _mm512_sub_epi32(a, b);
        shift_to_exponent(x: __m512i) -> __m512i = _mm512_slli_epi32::<23>(x);
        to_floats(x: __m512i) -> __m512 = _mm512_cvtepi32_ps(x);
        bits(x: __m512) -> __m512i = _mm512_castps_si512(x);
        with_bits(x: __m512i) -> __m512 = _mm512_castsi512_ps(x);
    }

    #[inline(always)]
    fn load(self, from: &[f32; LANES]) -> __m512 {
        // SAFETY: `self` proves AVX-512 F; sixteen floats may be read.
        unsafe { _mm512_loadu_ps(from.as_ptr()) }
    }
    #[inline(always)]
    fn load_halves(self, from: &[BFloat16; LANES]) -> __m512 {
        // SAFETY: `self` proves AVX-512 F, which includes AVX; sixteen halves may be read.
        unsafe {
            let halves = _mm512_cvtepu16_epi32(_mm256_loadu_si256(from.as_ptr().cast()));
            _mm512_castsi512_ps(_mm512_slli_epi32::<16>(halves))
        }
    }
    #[inline(always)]
    fn store(self, x: __m512, to: &mut [f32; LANES]) {
        // SAFETY: `self` proves AVX-512 F; sixteen floats may be written.
        unsafe { _mm512_storeu_ps(to.as_mut_ptr(), x) }
    }
    #[inline(always)]
    fn load_integers(self, from: &[i32; LANES]) -> __m512i {
        // SAFETY: `self` proves AVX-512 F; sixteen integers may be read.
        unsafe { _mm512_loadu_si512(from.as_ptr().cast()) }
    }
    #[inline(always)]
    fn store_integers(self, x: __m512i, to: &mut [i32; LANES]) {
        // SAFETY: `self` proves AVX-512 F; sixteen integers may be written.
        unsafe { _mm512_storeu_si512(to.as_mut_ptr().cast(), x) }
    }
    #[inline(always)]
    fn add_dot_pairs(self, sums: __m512i, a: [i16; 2], w: &[[i16; 2]; LANES]) -> __m512i {
        // SAFETY: `self` proves AVX-512 F and BW; sixteen pairs may be read.
        unsafe {
            let w = _mm512_loadu_si512(w.as_ptr().cast());
            _mm512_add_epi32(sums, _mm512_madd_epi16(_mm512_set1_epi32(joined(a)), w))
        }
    }
    #[inline(always)]
    fn store_bytes(self, x: __m512i, to: &mut [i8; LANES]) {
        // SAFETY: `self` proves AVX-512 F; sixteen bytes may be written.
        unsafe { _mm_storeu_si128(to.as_mut_ptr().cast(), _mm512_cvtepi32_epi8(x)) }
    }
    #[inline(always)]
    fn sum(self, x: __m512) -> f32 {
        // SAFETY: `self` proves AVX-512 F, which includes AVX; registers only.
        unsafe { sum_of_eight(_mm256_add_ps(_mm512_castps512_ps256(x), upper_half(x))) }
    }
    #[inline(always)]
    fn largest(self, x: __m512) -> f32 {
        // SAFETY: `self` proves AVX-512 F, which includes AVX; registers only.
        unsafe { largest_of_eight(_mm256_max_ps(_mm512_castps512_ps256(x), upper_half(x))) }
    }
}

/// # Safety
/// The processor has AVX-512 F.
#[inline(always)]
unsafe fn upper_half(x: __m512) -> __m256 {
    // SAFETY: the caller's promise; registers only.
    unsafe { _mm256_castpd_ps(_mm512_extractf64x4_pd::<1>(_mm512_castps_pd(x))) }
}

//! Sixteen lanes in four registers of NEON.

use super::{BFloat16, LANES, Lanes, joined};
use std::arch::aarch64::*;

/// NEON, which every 64-bit Arm processor has.
#[derive(Clone, Copy)]
pub(crate) struct Neon;

/// Methods that apply one intrinsic to each quarter.
macro_rules! in_quarters {
    ($($name:ident($($x:ident: $from:ty),*) -> $to:ty = $instruction:expr;)*) => {$(
        #[inline(always)]
        fn $name(self, $($x: [$from; 4]),*) -> [$to; 4] {
            // SAFETY: every processor of this kind has NEON; the intrinsics touch registers only.
            unsafe {
                [
                    { $(let $x = $x[0];)* $instruction },
                    { $(let $x = $x[1];)* $instruction },
                    { $(let $x = $x[2];)* $instruction },
                    { $(let $x = $x[3];)* $instruction },
                ]
            }
        }
    )*};
}

impl Lanes for Neon {
    type Floats = [float32x4_t; 4];
    type Integers = [int32x4_t; 4];
    const REGISTERS: usize = 4;

    // `fmax` and `fmin` treat NaN differently from comparison and selection.
    in_quarters! {
        add(a: float32x4_t, b: float32x4_t) -> float32x4_t = vaddq_f32(a, b);
        sub(a: float32x4_t, b: float32x4_t) -> float32x4_t = vsubq_f32(a, b);
        mul(a: float32x4_t, b: float32x4_t) -> float32x4_t = vmulq_f32(a, b);
        div(a: float32x4_t, b: float32x4_t) -> float32x4_t = vdivq_f32(a, b);
        abs(x: float32x4_t) -> float32x4_t = vabsq_f32(x);
        max(a: float32x4_t, b: float32x4_t) -> float32x4_t = vbslq_f32(vcgtq_f32(a, b), a, b);
        min(a: float32x4_t, b: float32x4_t) -> float32x4_t = vbslq_f32(vcltq_f32(a, b), a, b);
        where_greater(a: float32x4_t, b: float32x4_t, then: float32x4_t, other: float32x4_t) -> float32x4_t =
            vbslq_f32(vcgtq_f32(a, b), then, other);
        add_integers(a: int32x4_t, b: int32x4_t) -> int32x4_t = vaddq_s32(a, b);
        sub_integers(a: int32x4_t, b: int32x4_t) -> int32x4_t = vsubq_s32(a, b);
        shift_to_exponent(x: int32x4_t) -> int32x4_t = vshlq_n_s32::<23>(x);
        to_floats(x: int32x4_t) -> float32x4_t = vcvtq_f32_s32(x);
        bits(x: float32x4_t) -> int32x4_t = vreinterpretq_s32_f32(x);
        with_bits(x: int32x4_t) -> float32x4_t = vreinterpretq_f32_s32(x);
    }

    #[inline(always)]
    fn where_greater_integers(
        self,
        a: [float32x4_t; 4],
        b: [float32x4_t; 4],
        then: [int32x4_t; 4],
        other: [int32x4_t; 4],
    ) -> [int32x4_t; 4] {
        // SAFETY: every processor of this kind has NEON; registers only.
        std::array::from_fn(|i| unsafe { vbslq_s32(vcgtq_f32(a[i], b[i]), then[i], other[i]) })
    }
    #[inline(always)]
    fn splat(self, x: f32) -> [float32x4_t; 4] {
        // SAFETY: every processor of this kind has NEON; registers only.
        [unsafe { vdupq_n_f32(x) }; 4]
    }
    #[inline(always)]
    fn splat_integer(self, x: i32) -> [int32x4_t; 4] {
        // SAFETY: every processor of this kind has NEON; registers only.
        [unsafe { vdupq_n_s32(x) }; 4]
    }
    #[inline(always)]
    fn load(self, from: &[f32; LANES]) -> [float32x4_t; 4] {
        let from = from.as_ptr();
        // SAFETY: sixteen floats may be read.
        unsafe { [vld1q_f32(from), vld1q_f32(from.add(4)), vld1q_f32(from.add(8)), vld1q_f32(from.add(12))] }
    }
    #[inline(always)]
    fn load_halves(self, from: &[BFloat16; LANES]) -> [float32x4_t; 4] {
        let from: *const u16 = from.as_ptr().cast();
        std::array::from_fn(|i| {
            // SAFETY: sixteen halves, four times four of them, may be read.
            unsafe { vreinterpretq_f32_u32(vshll_n_u16::<16>(vld1_u16(from.add(4 * i)))) }
        })
    }
    #[inline(always)]
    fn store(self, x: [float32x4_t; 4], to: &mut [f32; LANES]) {
        let to = to.as_mut_ptr();
        for (i, x) in x.into_iter().enumerate() {
            // SAFETY: sixteen floats may be written.
            unsafe { vst1q_f32(to.add(4 * i), x) }
        }
    }
    #[inline(always)]
    fn load_integers(self, from: &[i32; LANES]) -> [int32x4_t; 4] {
        let from = from.as_ptr();
        // SAFETY: sixteen integers may be read.
        unsafe { [vld1q_s32(from), vld1q_s32(from.add(4)), vld1q_s32(from.add(8)), vld1q_s32(from.add(12))] }
    }
    #[inline(always)]
    fn store_integers(self, x: [int32x4_t; 4], to: &mut [i32; LANES]) {
        let to = to.as_mut_ptr();
        for (i, x) in x.into_iter().enumerate() {
            // SAFETY: sixteen integers may be written.
            unsafe { vst1q_s32(to.add(4 * i), x) }
        }
    }
    #[inline(always)]
    fn add_dot_pairs(self, sums: [int32x4_t; 4], a: [i16; 2], w: &[[i16; 2]; LANES]) -> [int32x4_t; 4] {
        let w: *const i16 = w.as_ptr().cast();
        std::array::from_fn(|i| {
            // SAFETY: sixteen pairs, four times four of them, may be read.
            unsafe {
                let a = vreinterpretq_s16_s32(vdupq_n_s32(joined(a)));
                let w = vld1q_s16(w.add(8 * i));
                let products = (vmull_s16(vget_low_s16(a), vget_low_s16(w)), vmull_high_s16(a, w));
                vaddq_s32(sums[i], vpaddq_s32(products.0, products.1))
            }
        })
    }
    #[inline(always)]
    fn store_bytes(self, x: [int32x4_t; 4], to: &mut [i8; LANES]) {
        // SAFETY: sixteen bytes may be written.
        unsafe {
            let first = vcombine_s16(vmovn_s32(x[0]), vmovn_s32(x[1]));
            let second = vcombine_s16(vmovn_s32(x[2]), vmovn_s32(x[3]));
            vst1q_s8(to.as_mut_ptr(), vcombine_s8(vmovn_s16(first), vmovn_s16(second)));
        }
    }
    #[inline(always)]
    fn sum(self, x: [float32x4_t; 4]) -> f32 {
        // SAFETY: every processor of this kind has NEON; registers only.
        unsafe {
            let x = vaddq_f32(vaddq_f32(x[0], x[2]), vaddq_f32(x[1], x[3]));
            let x = vadd_f32(vget_low_f32(x), vget_high_f32(x));
            vget_lane_f32::<0>(x) + vget_lane_f32::<1>(x)
        }
    }
    #[inline(always)]
    fn largest(self, x: [float32x4_t; 4]) -> f32 {
        // SAFETY: every processor of this kind has NEON; registers only. All lanes are numbers, for which `fmax` is the larger one.
        unsafe { vmaxvq_f32(vmaxq_f32(vmaxq_f32(x[0], x[2]), vmaxq_f32(x[1], x[3]))) }
    }
}

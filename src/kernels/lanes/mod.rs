//! Sixteen floats side by side: the operations that the float kernels are written in, once for all backends.
//!
//! Every operation rounds as IEEE 754 says and nothing is contracted or reordered, so the backends agree bit for bit:
//! sixteen lanes are one register of AVX-512, two of AVX2, four of NEON or of WebAssembly SIMD, or a plain array.

#[cfg(target_arch = "aarch64")]
mod neon;
mod portable;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod simd128;
#[cfg(target_arch = "x86_64")]
mod x86;

#[cfg(target_arch = "aarch64")]
pub(crate) use neon::Neon;
pub(crate) use portable::Portable;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
pub(crate) use simd128::Simd128;
#[cfg(target_arch = "x86_64")]
pub(crate) use x86::{Avx2, Avx512};

/// Number of lanes.
pub(crate) const LANES: usize = 16;

/// The upper half of a float whose lower half is zero: its sign, its exponent and the first seven bits of its fraction, so that
/// a shift turns it back into a float.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(transparent)]
pub struct BFloat16(u16);

impl From<f32> for BFloat16 {
    /// The nearest, ties to even; NaN stays NaN.
    #[inline(always)]
    fn from(x: f32) -> Self {
        let bits = x.to_bits();
        // Half of the last place, less one if the last bit kept is even; a carry goes into the exponent, as it should.
        let nearest = bits.wrapping_add(0x7FFF + (bits >> 16 & 1)) >> 16;
        const QUIET: u32 = 0x40;
        Self(if x.is_nan() { bits >> 16 | QUIET } else { nearest } as u16)
    }
}

impl From<BFloat16> for f32 {
    #[inline(always)]
    fn from(x: BFloat16) -> Self {
        f32::from_bits(u32::from(x.0) << 16)
    }
}

/// An instruction set, as sixteen lanes. A value proves that the processor has it.
pub(crate) trait Lanes: Copy {
    /// Sixteen floats.
    type Floats: Copy;
    /// Sixteen 32-bit integers.
    type Integers: Copy;
    /// Number of sixteen-lane values that fit in the registers at once, with room for operands.
    const REGISTERS: usize;

    fn splat(self, x: f32) -> Self::Floats;
    fn load(self, from: &[f32; LANES]) -> Self::Floats;
    fn load_halves(self, from: &[BFloat16; LANES]) -> Self::Floats;
    fn store(self, x: Self::Floats, to: &mut [f32; LANES]);
    fn add(self, a: Self::Floats, b: Self::Floats) -> Self::Floats;
    fn sub(self, a: Self::Floats, b: Self::Floats) -> Self::Floats;
    fn mul(self, a: Self::Floats, b: Self::Floats) -> Self::Floats;
    fn div(self, a: Self::Floats, b: Self::Floats) -> Self::Floats;
    fn abs(self, x: Self::Floats) -> Self::Floats;
    /// `a > b ? a : b`: `b` where either is NaN.
    fn max(self, a: Self::Floats, b: Self::Floats) -> Self::Floats;
    /// `a < b ? a : b`: `b` where either is NaN.
    fn min(self, a: Self::Floats, b: Self::Floats) -> Self::Floats;
    /// `a > b ? then : other`
    fn where_greater(self, a: Self::Floats, b: Self::Floats, then: Self::Floats, other: Self::Floats) -> Self::Floats;
    /// `a > b ? then : other`
    fn where_greater_integers(
        self,
        a: Self::Floats,
        b: Self::Floats,
        then: Self::Integers,
        other: Self::Integers,
    ) -> Self::Integers;

    fn splat_integer(self, x: i32) -> Self::Integers;
    fn load_integers(self, from: &[i32; LANES]) -> Self::Integers;
    fn store_integers(self, x: Self::Integers, to: &mut [i32; LANES]);
    fn add_integers(self, a: Self::Integers, b: Self::Integers) -> Self::Integers;
    fn sub_integers(self, a: Self::Integers, b: Self::Integers) -> Self::Integers;
    /// `sums[n] + a[0] · w[n][0] + a[1] · w[n][1]`. No number is −2¹⁵: the sum of two such products would overflow.
    fn add_dot_pairs(self, sums: Self::Integers, a: [i16; 2], w: &[[i16; 2]; LANES]) -> Self::Integers;
    /// Shifts to the left by the 23 bits of a float's fraction.
    fn shift_to_exponent(self, x: Self::Integers) -> Self::Integers;
    /// The nearest float, ties to even.
    fn to_floats(self, x: Self::Integers) -> Self::Floats;
    fn bits(self, x: Self::Floats) -> Self::Integers;
    fn with_bits(self, x: Self::Integers) -> Self::Floats;
    /// Writes integers that lie in −128 ..= 127.
    fn store_bytes(self, x: Self::Integers, to: &mut [i8; LANES]);

    /// Loads fewer than sixteen floats; the other lanes hold `fill`.
    #[inline(always)]
    fn load_partial(self, from: &[f32], fill: f32) -> Self::Floats {
        let mut lanes = [fill; LANES];
        lanes[..from.len()].copy_from_slice(from);
        self.load(&lanes)
    }

    /// Stores the first lanes.
    #[inline(always)]
    fn store_partial(self, x: Self::Floats, to: &mut [f32]) {
        let mut lanes = [0.0; LANES];
        self.store(x, &mut lanes);
        to.copy_from_slice(&lanes[..to.len()]);
    }

    /// The sum over the lanes, folded in halves: the first eight plus the last eight, then four, two and one.
    fn sum(self, x: Self::Floats) -> f32;

    /// The largest lane; no lane is NaN.
    fn largest(self, x: Self::Floats) -> f32;
}

/// Both numbers in one, the first in the lower half: as they lie in memory.
#[cfg_attr(
    not(any(target_arch = "x86_64", target_arch = "aarch64", target_feature = "simd128")),
    allow(dead_code, reason = "for vectors")
)]
#[inline(always)]
fn joined([first, second]: [i16; 2]) -> i32 {
    i32::from(second) << 16 | i32::from(first as u16)
}

/// 1.5 · 2²³: added to a float of magnitude below 2²², it leaves the nearest integer (ties to even) in the low bits of
/// the sum, through the rounding of the addition itself. So no rounding instruction is needed.
const ROUNDER: f32 = 12_582_912.0;

/// `round_half_even(clip(x, ±127))` as integers; NaN becomes 127.
#[inline(always)]
pub(crate) fn quantize<L: Lanes>(lanes: L, x: L::Floats) -> L::Integers {
    quantize_within(lanes, x, 127.0)
}

/// `round_half_even(clip(x, ±limit))` as integers, for limits below 2²²; NaN becomes the limit.
#[inline(always)]
pub(crate) fn quantize_within<L: Lanes>(lanes: L, x: L::Floats, limit: f32) -> L::Integers {
    let x = lanes.min(x, lanes.splat(limit));
    let x = lanes.max(x, lanes.splat(-limit));
    let sum = lanes.add(x, lanes.splat(ROUNDER));
    lanes.sub_integers(lanes.bits(sum), lanes.splat_integer(ROUNDER.to_bits() as i32))
}

/// eˣ to within 2 units in the last place for −87.3 ≤ x ≤ 88.3; zero below, the value at the bound above.
///
/// Argument reduction after Cody and Waite (Software Manual for the Elementary Functions, 1980, chapter 6):
/// x = n·ln 2 + r with |r| ≤ ln 2 / 2, where n · (the high part of ln 2) is exact since that part has nine bits.
/// Then eʳ ≈ 1 + r + r²·P(r), with P the polynomial of degree 4 that minimizes the largest relative error (Remez),
/// 3.1e-9. The exponent field takes n.
#[inline(always)]
pub(crate) fn exp<L: Lanes>(lanes: L, x: L::Floats) -> L::Floats {
    const LOWEST: f32 = -87.336_54;
    const HIGHEST: f32 = 88.376_26;
    const LN2_HIGH: f32 = 0.693_359_4; // 355/512
    const LN2_LOW: f32 = -2.121_944_4e-4;
    const P: [f32; 5] = [0.499_999_94, 0.166_665_21, 0.041_668_39, 0.008_368_745, 0.001_381_454];
    // The bound comes first, so that NaN passes through.
    let bounded = lanes.min(lanes.splat(HIGHEST), x);
    let bounded = lanes.max(lanes.splat(LOWEST), bounded);
    let shifted = lanes.add(lanes.mul(bounded, lanes.splat(std::f32::consts::LOG2_E)), lanes.splat(ROUNDER));
    let n = lanes.sub(shifted, lanes.splat(ROUNDER));
    let r = lanes.sub(bounded, lanes.mul(n, lanes.splat(LN2_HIGH)));
    let r = lanes.sub(r, lanes.mul(n, lanes.splat(LN2_LOW)));
    let mut p = lanes.splat(P[4]);
    for i in [3, 2, 1, 0] {
        p = lanes.add(lanes.mul(p, r), lanes.splat(P[i]));
    }
    let p = lanes.add(lanes.add(lanes.mul(lanes.mul(r, r), p), r), lanes.splat(1.0));
    // The low bits of `shifted` hold n; the high ones leave the word.
    let exponent = lanes.shift_to_exponent(lanes.add_integers(lanes.bits(shifted), lanes.splat_integer(127)));
    let y = lanes.mul(p, lanes.with_bits(exponent));
    lanes.where_greater(lanes.splat(LOWEST), x, lanes.splat(0.0), y)
}

/// σ(x) = 1 / (1 + e⁻ˣ)
#[inline(always)]
pub(crate) fn sigmoid<L: Lanes>(lanes: L, x: L::Floats) -> L::Floats {
    let one = lanes.splat(1.0);
    lanes.div(one, lanes.add(one, exp(lanes, lanes.sub(lanes.splat(0.0), x))))
}

/// tanh(x) = 1 − 2 / (1 + e²ˣ), to within 2.5e-7.
#[inline(always)]
pub(crate) fn tanh<L: Lanes>(lanes: L, x: L::Floats) -> L::Floats {
    let one = lanes.splat(1.0);
    lanes.sub(one, lanes.div(lanes.splat(2.0), lanes.add(one, exp(lanes, lanes.add(x, x)))))
}

/// The natural logarithm to half a unit in the last place, the same on every machine, unlike the system's:
/// x = 2ᵉ·m with m in √½ .. √2, ln m = 2·artanh(s) for s = (m − 1)/(m + 1), summed in double precision up to s¹⁵/15,
/// where the rest is below 2e-14.
pub(crate) fn ln(x: f32) -> f32 {
    if x.is_nan() || x < 0.0 {
        return f32::NAN;
    }
    if x == 0.0 {
        return f32::NEG_INFINITY;
    }
    if x == f32::INFINITY {
        return x;
    }
    let bits = f64::from(x).to_bits();
    let exponent = (bits >> 52) as i64 - 1023;
    let fraction = f64::from_bits(bits & ((1 << 52) - 1) | 1023 << 52);
    let (exponent, m) =
        if fraction > std::f64::consts::SQRT_2 { (exponent + 1, fraction / 2.0) } else { (exponent, fraction) };
    let s = (m - 1.0) / (m + 1.0);
    let square = s * s;
    let series = [15.0, 13.0, 11.0, 9.0, 7.0, 5.0, 3.0, 1.0].iter().fold(0.0, |sum, n| sum * square + 1.0 / n);
    (exponent as f64 * std::f64::consts::LN_2 + 2.0 * s * series) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The distance in units in the last place of `expected`, the exact value.
    fn units_in_the_last_place(actual: f32, expected: f64) -> f64 {
        let nearest = expected as f32;
        let unit = f64::from(nearest.next_up()) - f64::from(nearest);
        (f64::from(actual) - expected).abs() / unit
    }

    /// About one in 97 of all floats, sixteen at a time.
    fn floats() -> impl Iterator<Item = [f32; LANES]> {
        (0..u32::MAX - 97 * LANES as u32)
            .step_by(97 * LANES)
            .map(|bits| std::array::from_fn(|i| f32::from_bits(bits + 97 * i as u32)))
    }

    #[test]
    fn exp_is_within_two_units_in_the_last_place() {
        let mut largest = 0f64;
        for x in floats() {
            for (x, y) in x.into_iter().zip(exp(Portable, x)) {
                if x.is_nan() {
                    assert!(y.is_nan());
                } else if x < -87.336_54 {
                    assert_eq!(y, 0.0, "{x}");
                } else {
                    largest = largest.max(units_in_the_last_place(y, f64::from(x.min(88.376_26)).exp()));
                }
            }
        }
        assert!(largest <= 2.0, "{largest} units");
        assert_eq!(exp(Portable, [0.0; LANES]), [1.0; LANES]);
    }

    #[test]
    fn sigmoid_is_within_three_units_in_the_last_place() {
        let mut largest = 0f64;
        for x in floats() {
            for (x, y) in x.into_iter().zip(sigmoid(Portable, x)) {
                if (-80.0..=f32::INFINITY).contains(&x) {
                    largest = largest.max(units_in_the_last_place(y, 1.0 / (1.0 + (-f64::from(x)).exp())));
                }
            }
        }
        assert!(largest <= 3.0, "{largest} units");
    }

    #[test]
    fn tanh_is_near_everywhere() {
        let mut largest = 0f64;
        for x in floats() {
            for (x, y) in x.into_iter().zip(tanh(Portable, x)) {
                assert_eq!(x.is_nan(), y.is_nan(), "{x}");
                if !x.is_nan() {
                    largest = largest.max((f64::from(y) - f64::from(x).tanh()).abs());
                }
            }
        }
        assert!(largest <= 2.5e-7, "{largest}");
        assert_eq!(tanh(Portable, [0.0; LANES]), [0.0; LANES]);
    }

    #[test]
    fn ln_is_within_one_unit_in_the_last_place() {
        let mut largest = 0f64;
        for x in floats().flatten().step_by(7).filter(|x| *x > 0.0 && x.is_finite()) {
            largest = largest.max(units_in_the_last_place(ln(x), f64::from(x).ln()));
        }
        assert!(largest <= 1.0, "{largest} units");
        assert_eq!((ln(0.0), ln(1.0), ln(f32::INFINITY)), (f32::NEG_INFINITY, 0.0, f32::INFINITY));
        assert!(ln(-1.0).is_nan() && ln(f32::NAN).is_nan());
    }
}

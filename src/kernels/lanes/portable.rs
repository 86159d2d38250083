//! Sixteen lanes as a plain array: the reference for the others.

use super::{BFloat16, LANES, Lanes};

/// Plain Rust.
#[derive(Clone, Copy)]
pub(crate) struct Portable;

#[inline(always)]
fn zip<T: Copy, U: Copy + Default>(a: [T; LANES], b: [T; LANES], f: impl Fn(T, T) -> U) -> [U; LANES] {
    let mut out = [U::default(); LANES];
    for i in 0..LANES {
        out[i] = f(a[i], b[i]);
    }
    out
}

/// Folds in halves.
#[inline(always)]
fn fold(mut x: [f32; LANES], f: impl Fn(f32, f32) -> f32) -> f32 {
    for half in [8, 4, 2, 1] {
        for i in 0..half {
            x[i] = f(x[i], x[i + half]);
        }
    }
    x[0]
}

impl Lanes for Portable {
    type Floats = [f32; LANES];
    type Integers = [i32; LANES];
    const REGISTERS: usize = 4;

    #[inline(always)]
    fn splat(self, x: f32) -> [f32; LANES] {
        [x; LANES]
    }
    #[inline(always)]
    fn load(self, from: &[f32; LANES]) -> [f32; LANES] {
        *from
    }
    #[inline(always)]
    fn load_halves(self, from: &[BFloat16; LANES]) -> [f32; LANES] {
        from.map(f32::from)
    }
    #[inline(always)]
    fn store(self, x: [f32; LANES], to: &mut [f32; LANES]) {
        *to = x;
    }
    #[inline(always)]
    fn add(self, a: [f32; LANES], b: [f32; LANES]) -> [f32; LANES] {
        zip(a, b, |a, b| a + b)
    }
    #[inline(always)]
    fn sub(self, a: [f32; LANES], b: [f32; LANES]) -> [f32; LANES] {
        zip(a, b, |a, b| a - b)
    }
    #[inline(always)]
    fn mul(self, a: [f32; LANES], b: [f32; LANES]) -> [f32; LANES] {
        zip(a, b, |a, b| a * b)
    }
    #[inline(always)]
    fn div(self, a: [f32; LANES], b: [f32; LANES]) -> [f32; LANES] {
        zip(a, b, |a, b| a / b)
    }
    #[inline(always)]
    fn abs(self, x: [f32; LANES]) -> [f32; LANES] {
        x.map(f32::abs)
    }
    #[inline(always)]
    fn max(self, a: [f32; LANES], b: [f32; LANES]) -> [f32; LANES] {
        zip(a, b, |a, b| if a > b { a } else { b })
    }
    #[inline(always)]
    fn min(self, a: [f32; LANES], b: [f32; LANES]) -> [f32; LANES] {
        zip(a, b, |a, b| if a < b { a } else { b })
    }
    #[inline(always)]
    fn where_greater(self, a: [f32; LANES], b: [f32; LANES], then: [f32; LANES], other: [f32; LANES]) -> [f32; LANES] {
        let mut out = other;
        for i in 0..LANES {
            out[i] = if a[i] > b[i] { then[i] } else { other[i] };
        }
        out
    }
    #[inline(always)]
    fn where_greater_integers(
        self,
        a: [f32; LANES],
        b: [f32; LANES],
        then: [i32; LANES],
        other: [i32; LANES],
    ) -> [i32; LANES] {
        let mut out = other;
        for i in 0..LANES {
            out[i] = if a[i] > b[i] { then[i] } else { other[i] };
        }
        out
    }

    #[inline(always)]
    fn splat_integer(self, x: i32) -> [i32; LANES] {
        [x; LANES]
    }
    #[inline(always)]
    fn load_integers(self, from: &[i32; LANES]) -> [i32; LANES] {
        *from
    }
    #[inline(always)]
    fn store_integers(self, x: [i32; LANES], to: &mut [i32; LANES]) {
        *to = x;
    }
    #[inline(always)]
    fn add_integers(self, a: [i32; LANES], b: [i32; LANES]) -> [i32; LANES] {
        zip(a, b, i32::wrapping_add)
    }
    #[inline(always)]
    fn sub_integers(self, a: [i32; LANES], b: [i32; LANES]) -> [i32; LANES] {
        zip(a, b, i32::wrapping_sub)
    }
    #[inline(always)]
    fn shift_to_exponent(self, x: [i32; LANES]) -> [i32; LANES] {
        x.map(|x| x << 23)
    }
    #[inline(always)]
    fn to_floats(self, x: [i32; LANES]) -> [f32; LANES] {
        x.map(|x| x as f32)
    }
    #[inline(always)]
    fn bits(self, x: [f32; LANES]) -> [i32; LANES] {
        x.map(|x| x.to_bits() as i32)
    }
    #[inline(always)]
    fn with_bits(self, x: [i32; LANES]) -> [f32; LANES] {
        x.map(|x| f32::from_bits(x as u32))
    }
    #[inline(always)]
    fn add_dot_pairs(self, sums: [i32; LANES], a: [i16; 2], w: &[[i16; 2]; LANES]) -> [i32; LANES] {
        let [first, second] = a.map(i32::from);
        std::array::from_fn(|n| sums[n] + first * i32::from(w[n][0]) + second * i32::from(w[n][1]))
    }
    #[inline(always)]
    fn store_bytes(self, x: [i32; LANES], to: &mut [i8; LANES]) {
        *to = x.map(|x| x as i8);
    }
    #[inline(always)]
    fn sum(self, x: [f32; LANES]) -> f32 {
        fold(x, |a, b| a + b)
    }
    #[inline(always)]
    fn largest(self, x: [f32; LANES]) -> f32 {
        fold(x, |a, b| if a > b { a } else { b })
    }
}

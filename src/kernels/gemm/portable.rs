//! `sums[16] += a · w[16]`: one k at a time in plain Rust, exact since an int32 holds every product of two int8.
//!
//! Layout: activations as they are, weights `[column / 16][k][column % 16]`.

use super::product::{Dot, Start};
use crate::kernels::lanes;
use crate::kernels::lanes::LANES;

/// Plain Rust.
#[derive(Clone, Copy)]
pub(super) struct Portable;

impl Dot for Portable {
    type Lanes = lanes::Portable;
    type Weights = [i16; LANES];
    type Activations = i16;
    const GROUP: usize = 1;
    const ACTIVATION_BYTES: usize = 1;
    const START: Start = Start::Zero;
    const UNITS: &'static [usize] = &[1, 1];

    #[inline(always)]
    fn lanes(self) -> lanes::Portable {
        lanes::Portable
    }

    #[inline(always)]
    unsafe fn weights(self, from: *const i8) -> [i16; LANES] {
        // SAFETY: the caller's promise of sixteen readable bytes.
        unsafe { *from.cast::<[i8; LANES]>() }.map(i16::from)
    }

    #[inline(always)]
    unsafe fn activations(self, from: *const u8) -> i16 {
        // SAFETY: the caller's promise of a readable byte.
        i16::from(unsafe { *from } as i8)
    }

    #[inline(always)]
    fn dot(self, mut sums: [i32; LANES], a: i16, w: [i16; LANES]) -> [i32; LANES] {
        for (sum, w) in sums.iter_mut().zip(w) {
            // At most 127² in magnitude: no overflow of sixteen bits.
            *sum += i32::from(a * w);
        }
        sums
    }
}

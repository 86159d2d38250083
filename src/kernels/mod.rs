//! The arithmetic: products of quantized and float matrices, attention, norms and gates, one backend per
//! instruction set.
//!
//! Every backend gives the same bits. The integer products are exact; the float parts use one order of summation
//! whatever the vector width (sixteen lanes, folded in halves), one polynomial for the exponential, and no fused
//! multiply-add, which WebAssembly does not have. So a translation does not depend on the processor.

mod aligned;
pub mod attention;
mod backend;
pub mod elementwise;
pub mod gemm;
mod lanes;

pub use backend::Backend;
use backend::{Activations, Kind, Layout};

/// Functions written once over [`lanes::Lanes`], compiled for every instruction set and chosen by a [`Backend`], which
/// becomes their first argument. Whatever they call with `lanes` must be `#[inline(always)]`, to be compiled for the
/// instruction set of the caller.
macro_rules! for_every_backend {
    ($(
        $(#[$attribute:meta])*
        $visibility:vis fn $name:ident $(<$N:ident: $bound:path>)? (
            $lanes:ident: $L:ident $(, $argument:ident: $type:ty)* $(,)?
        ) $(-> $output:ty)?
        $body:block
    )*) => {$(
        $(#[$attribute])*
        $visibility fn $name $(<$N: $bound>)? (
            backend: $crate::kernels::Backend $(, $argument: $type)*
        ) $(-> $output)? {
            use $crate::kernels::{Kind, lanes};

            #[inline(always)]
            fn body<$L: lanes::Lanes $(, $N: $bound)?>($lanes: $L $(, $argument: $type)*) $(-> $output)? $body

            match backend.0 {
                #[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
                Kind::Portable => body(lanes::Portable $(, $argument)*),
                #[cfg(target_arch = "x86_64")]
                Kind::Avx2 | Kind::AvxVnni => {
                    #[target_feature(enable = "avx2")]
                    fn avx2 $(<$N: $bound>)? (lanes: lanes::Avx2 $(, $argument: $type)*) $(-> $output)? {
                        body(lanes $(, $argument)*)
                    }
                    // SAFETY: a backend of this kind exists only where the processor has AVX2.
                    unsafe { avx2(lanes::Avx2::new() $(, $argument)*) }
                }
                #[cfg(target_arch = "x86_64")]
                Kind::Avx512 | Kind::Avx512Vnni | Kind::Amx => {
                    #[target_feature(enable = "avx2,avx512f,avx512bw,avx512vl")]
                    fn avx512 $(<$N: $bound>)? (lanes: lanes::Avx512 $(, $argument: $type)*) $(-> $output)? {
                        body(lanes $(, $argument)*)
                    }
                    // SAFETY: a backend of this kind exists only where the processor has these instructions.
                    unsafe { avx512(lanes::Avx512::new() $(, $argument)*) }
                }
                #[cfg(target_arch = "aarch64")]
                Kind::Neon | Kind::DotProd => body(lanes::Neon $(, $argument)*),
                #[cfg(all(target_arch = "wasm32", target_feature = "simd128", not(target_feature = "relaxed-simd")))]
                Kind::Simd128 => body(lanes::Simd128 $(, $argument)*),
                #[cfg(all(target_arch = "wasm32", target_feature = "relaxed-simd"))]
                Kind::RelaxedSimd => body(lanes::Simd128 $(, $argument)*),
            }
        }
    )*};
}
use for_every_backend;

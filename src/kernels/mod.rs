//! The arithmetic: products of quantized and float matrices, attention, norms and gates, one backend per
//! instruction set.
//!
//! Every backend gives the same bits. The integer products are exact; the float parts use one order of summation
//! whatever the vector width (sixteen lanes, folded in halves), one polynomial for the exponential, and no fused
//! multiply-add, which WebAssembly does not have. So a translation does not depend on the processor.

mod aligned;
pub mod attention;
pub mod elementwise;
pub mod gemm;
mod lanes;

/// An instruction set that this processor has, and with it the kernels that use it.
///
/// A value can only be had through [`Backend::PORTABLE`], [`Backend::available`], [`Backend::best`] or
/// [`Backend::named`], so holding one proves that its instructions may be executed. A WebAssembly module with SIMD has one backend, the best
/// of the features it is compiled for: engines refuse a module with instructions that they lack, so no other would ever be chosen, and every
/// reader would download and compile it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backend(Kind);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    #[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    AvxVnni,
    #[cfg(target_arch = "x86_64")]
    Avx512Vnni,
    #[cfg(target_arch = "x86_64")]
    Amx,
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128", not(target_feature = "relaxed-simd")))]
    Simd128,
    #[cfg(all(target_arch = "wasm32", target_feature = "relaxed-simd"))]
    RelaxedSimd,
}

impl Backend {
    /// Plain Rust; the reference that every other backend must equal. WebAssembly modules with SIMD have no use for it.
    #[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
    pub const PORTABLE: Backend = Backend(Kind::Portable);

    /// All backends that this processor can run, slowest first.
    pub fn available() -> Vec<Backend> {
        #[cfg(target_arch = "x86_64")]
        let avx512vnni = is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512vnni");
        let kinds = [
            #[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
            (Kind::Portable, true),
            #[cfg(target_arch = "x86_64")]
            (Kind::Avx2, is_x86_feature_detected!("avx2")),
            #[cfg(target_arch = "x86_64")]
            (Kind::AvxVnni, is_x86_feature_detected!("avx2") && is_x86_feature_detected!("avxvnni")),
            #[cfg(target_arch = "x86_64")]
            (Kind::Avx512Vnni, avx512vnni),
            #[cfg(target_arch = "x86_64")]
            (Kind::Amx, avx512vnni && gemm::amx::available()),
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128", not(target_feature = "relaxed-simd")))]
            (Kind::Simd128, true),
            #[cfg(all(target_arch = "wasm32", target_feature = "relaxed-simd"))]
            (Kind::RelaxedSimd, true),
        ];
        kinds.into_iter().filter(|&(_, available)| available).map(|(kind, _)| Backend(kind)).collect()
    }

    /// The fastest backend that this processor can run.
    pub fn best() -> Backend {
        *Self::available().last().expect("plain Rust, or what the module is compiled for")
    }

    /// The backend called `name`, if this processor can run it.
    pub fn named(name: &str) -> Option<Backend> {
        Self::available().into_iter().find(|backend| backend.name() == name)
    }

    /// The name users see: `portable`, `avx2`, `avxvnni`, `avx512vnni`, `amx`, `simd128`, `relaxed-simd`.
    pub fn name(self) -> &'static str {
        match self.0 {
            #[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
            Kind::Portable => "portable",
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 => "avx2",
            #[cfg(target_arch = "x86_64")]
            Kind::AvxVnni => "avxvnni",
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512Vnni => "avx512vnni",
            #[cfg(target_arch = "x86_64")]
            Kind::Amx => "amx",
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128", not(target_feature = "relaxed-simd")))]
            Kind::Simd128 => "simd128",
            #[cfg(all(target_arch = "wasm32", target_feature = "relaxed-simd"))]
            Kind::RelaxedSimd => "relaxed-simd",
        }
    }
}

impl Default for Backend {
    /// The fastest one.
    fn default() -> Self {
        Self::best()
    }
}

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
                Kind::Avx512Vnni | Kind::Amx => {
                    #[target_feature(enable = "avx2,avx512f,avx512bw,avx512vl")]
                    fn avx512 $(<$N: $bound>)? (lanes: lanes::Avx512 $(, $argument: $type)*) $(-> $output)? {
                        body(lanes $(, $argument)*)
                    }
                    // SAFETY: a backend of this kind exists only where the processor has these instructions.
                    unsafe { avx512(lanes::Avx512::new() $(, $argument)*) }
                }
                #[cfg(all(target_arch = "wasm32", target_feature = "simd128", not(target_feature = "relaxed-simd")))]
                Kind::Simd128 => body(lanes::Simd128 $(, $argument)*),
                #[cfg(all(target_arch = "wasm32", target_feature = "relaxed-simd"))]
                Kind::RelaxedSimd => body(lanes::Simd128 $(, $argument)*),
            }
        }
    )*};
}
use for_every_backend;

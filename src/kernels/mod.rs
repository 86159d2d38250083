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
/// [`Backend::named`], so holding one proves that its instructions may be executed. The WebAssembly backends exist only
/// in modules compiled with `simd128` or `relaxed-simd`, since an engine refuses a module with instructions it lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backend(Kind);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    AvxVnni,
    #[cfg(target_arch = "x86_64")]
    Avx512Vnni,
    #[cfg(target_arch = "x86_64")]
    Amx,
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    Simd128,
    #[cfg(all(target_arch = "wasm32", target_feature = "relaxed-simd"))]
    RelaxedSimd,
}

impl Backend {
    /// Plain Rust; the reference that every other backend must equal. (In a WebAssembly module with relaxed SIMD it is not
    /// among the available ones: compilers may use relaxed instructions for its comparisons, which for what is not a
    /// number differ between engines.)
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
            (Kind::Portable, cfg!(not(all(target_arch = "wasm32", target_feature = "relaxed-simd")))),
            #[cfg(target_arch = "x86_64")]
            (Kind::Avx2, is_x86_feature_detected!("avx2")),
            #[cfg(target_arch = "x86_64")]
            (Kind::AvxVnni, is_x86_feature_detected!("avx2") && is_x86_feature_detected!("avxvnni")),
            #[cfg(target_arch = "x86_64")]
            (Kind::Avx512Vnni, avx512vnni),
            #[cfg(target_arch = "x86_64")]
            (Kind::Amx, avx512vnni && gemm::amx::available()),
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            (Kind::Simd128, true),
            #[cfg(all(target_arch = "wasm32", target_feature = "relaxed-simd"))]
            (Kind::RelaxedSimd, true),
        ];
        kinds.into_iter().filter(|&(_, available)| available).map(|(kind, _)| Backend(kind)).collect()
    }

    /// The fastest backend that this processor can run.
    pub fn best() -> Backend {
        *Self::available().last().unwrap_or(&Self::PORTABLE)
    }

    /// The backend called `name`, if this processor can run it.
    pub fn named(name: &str) -> Option<Backend> {
        Self::available().into_iter().find(|backend| backend.name() == name)
    }

    /// The name users see: `portable`, `avx2`, `avxvnni`, `avx512vnni`, `amx`, `simd128`, `relaxed-simd`.
    pub fn name(self) -> &'static str {
        match self.0 {
            Kind::Portable => "portable",
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 => "avx2",
            #[cfg(target_arch = "x86_64")]
            Kind::AvxVnni => "avxvnni",
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512Vnni => "avx512vnni",
            #[cfg(target_arch = "x86_64")]
            Kind::Amx => "amx",
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
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
                #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
                Kind::Simd128 => body(lanes::Simd128 $(, $argument)*),
                #[cfg(all(target_arch = "wasm32", target_feature = "relaxed-simd"))]
                Kind::RelaxedSimd => body(lanes::Simd128 $(, $argument)*),
            }
        }
    )*};
}
use for_every_backend;

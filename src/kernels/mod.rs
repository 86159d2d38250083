//! The arithmetic: products of quantized and float matrices, attention, norms and gates, one backend per
//! instruction set.
//!
//! Every backend gives the same bits. The integer products are exact; the float parts use one order of summation
//! whatever the vector width (sixteen lanes, folded in halves), one polynomial for the exponential, and no fused
//! multiply-add, which WebAssembly does not have. So a translation does not depend on the processor.

pub mod attention;
pub mod elementwise;
pub mod gemm;

/// An instruction set that this processor has, and with it the kernels that use it.
///
/// A value can only be had through [`Backend::available`], [`Backend::best`] or [`Backend::named`], so holding one
/// proves that its instructions may be executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backend(Kind);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Portable,
}

impl Backend {
    /// Plain Rust; the reference that every other backend must equal.
    pub const PORTABLE: Backend = Backend(Kind::Portable);

    /// All backends that this processor can run, slowest first.
    pub fn available() -> Vec<Backend> {
        vec![Self::PORTABLE]
    }

    /// The fastest backend that this processor can run.
    pub fn best() -> Backend {
        *Self::available().last().unwrap_or(&Self::PORTABLE)
    }

    /// The backend called `name`, if this processor can run it.
    pub fn named(name: &str) -> Option<Backend> {
        Self::available().into_iter().find(|backend| backend.name() == name)
    }

    /// The name users see: `portable`, `avx2`, `avx512vnni`, `simd128`, `relaxed-simd`.
    pub fn name(self) -> &'static str {
        match self.0 {
            Kind::Portable => "portable",
        }
    }
}

//! The instruction sets that have kernels, and what each of them needs: a row of [`BACKENDS`] for each.
//!
//! Another instruction set takes a row here, the multiply-and-add of its products ([`super::gemm`]), its lanes if their width is
//! new ([`super::lanes`]), and a case where both are chosen.

/// An instruction set that this processor has, together with the kernels that use it.
///
/// A value can be obtained only through [`Backend::PORTABLE`], [`Backend::available`], [`Backend::best`] or [`Backend::named`], so holding
/// one proves that its instructions may be executed. A WebAssembly module with SIMD has one backend, the best for the features it is
/// compiled for: engines refuse a module with instructions that they lack, so no other would ever be chosen, yet every reader would download
/// and compile it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backend(pub(super) Kind);

/// In the order of [`BACKENDS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    #[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    AvxVnni,
    #[cfg(target_arch = "x86_64")]
    Avx512,
    #[cfg(target_arch = "x86_64")]
    Avx512Vnni,
    #[cfg(target_arch = "x86_64")]
    Amx,
    #[cfg(target_arch = "aarch64")]
    Neon,
    #[cfg(target_arch = "aarch64")]
    DotProd,
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128", not(target_feature = "relaxed-simd")))]
    Simd128,
    #[cfg(all(target_arch = "wasm32", target_feature = "relaxed-simd"))]
    RelaxedSimd,
}

/// What is known about an instruction set.
struct Facts {
    kind: Kind,
    name: &'static str,
    /// Whether this processor has it.
    detect: fn() -> bool,
    layout: Layout,
}

/// How the operands of integer products lie in memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    /// Consecutive k that one instruction sums.
    pub(super) group: usize,
    /// The groups of a column are a multiple of this.
    pub(super) whole_groups: usize,
    /// There is a cheaper product for weights in ±63, which reads the sums of rows.
    pub(super) narrow: bool,
    pub(super) activations: Activations,
}

/// The form of activations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(dead_code, reason = "each kind of processor has some of them")]
pub(super) enum Activations {
    /// As they are.
    Plain,
    /// With 128 added, which the weights' compensation takes away again, unless no value is below zero.
    Raised,
    /// In sixteen bits.
    Words,
    /// In two planes: max(x, 0), and max(−x, 0) unless no value is below zero.
    Parts,
}

/// One instruction sums `group` k; no product for narrow weights.
const fn groups_of(group: usize) -> Layout {
    Layout { group, whole_groups: 1, narrow: false, activations: Activations::Plain }
}

/// All of them, slowest first.
const BACKENDS: &[Facts] = &[
    #[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
    Facts { kind: Kind::Portable, name: "portable", detect: || true, layout: groups_of(1) },
    #[cfg(target_arch = "x86_64")]
    Facts {
        kind: Kind::Avx2,
        name: "avx2",
        detect: || is_x86_feature_detected!("avx2"),
        layout: Layout { narrow: true, ..groups_of(4) },
    },
    #[cfg(target_arch = "x86_64")]
    Facts {
        kind: Kind::AvxVnni,
        name: "avxvnni",
        detect: || is_x86_feature_detected!("avx2") && is_x86_feature_detected!("avxvnni"),
        layout: Layout { activations: Activations::Raised, ..groups_of(4) },
    },
    #[cfg(target_arch = "x86_64")]
    Facts { kind: Kind::Avx512, name: "avx512", detect: has_avx512, layout: Layout { narrow: true, ..groups_of(4) } },
    #[cfg(target_arch = "x86_64")]
    Facts {
        kind: Kind::Avx512Vnni,
        name: "avx512vnni",
        detect: has_avx512_vnni,
        layout: Layout { activations: Activations::Raised, ..groups_of(4) },
    },
    #[cfg(target_arch = "x86_64")]
    Facts {
        kind: Kind::Amx,
        name: "amx",
        detect: || has_avx512_vnni() && super::gemm::amx::available(),
        layout: Layout { whole_groups: super::gemm::amx::TILE_GROUPS, ..groups_of(4) },
    },
    #[cfg(target_arch = "aarch64")]
    Facts { kind: Kind::Neon, name: "neon", detect: || true, layout: groups_of(2) },
    #[cfg(target_arch = "aarch64")]
    Facts {
        kind: Kind::DotProd,
        name: "dotprod",
        detect: || std::arch::is_aarch64_feature_detected!("dotprod"),
        layout: groups_of(4),
    },
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128", not(target_feature = "relaxed-simd")))]
    Facts {
        kind: Kind::Simd128,
        name: "simd128",
        detect: || true,
        layout: Layout { activations: Activations::Words, ..groups_of(2) },
    },
    #[cfg(all(target_arch = "wasm32", target_feature = "relaxed-simd"))]
    Facts {
        kind: Kind::RelaxedSimd,
        name: "relaxed-simd",
        detect: || true,
        layout: Layout { narrow: true, activations: Activations::Parts, ..groups_of(4) },
    },
];

#[cfg(target_arch = "x86_64")]
fn has_avx512() -> bool {
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vl")
}

#[cfg(target_arch = "x86_64")]
fn has_avx512_vnni() -> bool {
    has_avx512() && is_x86_feature_detected!("avx512vnni")
}

impl Backend {
    /// Plain Rust; the reference that every other backend must equal. WebAssembly modules with SIMD have no use for it.
    #[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
    pub const PORTABLE: Backend = Backend(Kind::Portable);

    /// All backends that this processor can run, slowest first.
    pub fn available() -> Vec<Backend> {
        BACKENDS.iter().filter(|facts| (facts.detect)()).map(|facts| Backend(facts.kind)).collect()
    }

    /// The fastest backend that this processor can run.
    pub fn best() -> Backend {
        let fastest = BACKENDS.iter().rfind(|facts| (facts.detect)());
        Backend(fastest.expect("plain Rust, or what the module is compiled for").kind)
    }

    /// The backend called `name`, if this processor can run it.
    pub fn named(name: &str) -> Option<Backend> {
        let found = BACKENDS.iter().find(|facts| facts.name == name && (facts.detect)());
        found.map(|facts| Backend(facts.kind))
    }

    /// The name users see: `portable`, `avx2`, `avxvnni`, `avx512`, `avx512vnni`, `amx`, `neon`, `dotprod`, `simd128`, `relaxed-simd`.
    pub fn name(self) -> &'static str {
        self.facts().name
    }

    /// How integer products want their operands.
    pub(super) fn layout(self) -> Layout {
        self.facts().layout
    }

    fn facts(self) -> &'static Facts {
        &BACKENDS[self.0 as usize]
    }
}

impl Default for Backend {
    /// The fastest one.
    fn default() -> Self {
        Self::best()
    }
}

// Each kind is its row's number.
const _: () = {
    let mut row = 0;
    while row < BACKENDS.len() {
        assert!(BACKENDS[row].kind as usize == row);
        row += 1;
    }
};

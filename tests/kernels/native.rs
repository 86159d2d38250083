//! The kernels' comparisons as a program: for processors that run under emulation, on which the engine's own tests would take hours.

mod compare;
#[path = "../../src/kernels/mod.rs"]
#[allow(dead_code)]
mod kernels;

use kernels::Backend;

/// Of random products, norms and sentences that are compared, so many for each backend.
const SEEDS: u64 = 100;

fn main() {
    for backend in Backend::available() {
        let digest = compare::digest(backend, 0..40);
        assert_eq!(digest, compare::DIGEST, "{}: floats of other bits than elsewhere", backend.name());
        for seed in 0..SEEDS {
            compare::everything(backend, seed).unwrap_or_else(|message| panic!("{message}"));
        }
        println!("{}: {SEEDS} comparisons", backend.name());
    }
}

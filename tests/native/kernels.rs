//! Every backend of this processor against plain loops, over random shapes and values and over extreme ones.

use wanderwort::kernels;

#[path = "../kernels/compare.rs"]
mod compare;

use compare::{Case, SPREADS};
use kernels::Backend;
use kernels::gemm::int16::{FixedMatrix, FixedRows, OutOfRange};
use kernels::gemm::{ActivationScale, PackedMatrix, QuantizedRows};
use proptest::prelude::*;

fn on_all(check: impl Fn(Backend) -> Result<(), String>) -> Result<(), TestCaseError> {
    for backend in Backend::available() {
        check(backend).map_err(TestCaseError::fail)?;
    }
    Ok(())
}

fn cases() -> impl Strategy<Value = Case> {
    let spread = || prop::sample::select(&SPREADS[..]);
    (0usize..40, 1usize..400, 0usize..150, spread(), spread(), any::<u64>())
        .prop_map(|(rows, inner, columns, a, w, seed)| Case { rows, inner, columns, a, w, seed })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn integer_products_are_exact(case in cases()) {
        on_all(|backend| compare::integer_products(backend, case))?;
    }

    #[test]
    fn float_products_have_the_same_bits(case in cases()) {
        on_all(|backend| compare::float_products(backend, case))?;
    }

    #[test]
    fn fixed_point_products_are_exact(case in cases()) {
        on_all(|backend| compare::fixed_products(backend, case))?;
    }

    #[test]
    fn quantization_rounds_half_to_even(seed in any::<u64>()) {
        on_all(|backend| compare::quantization(backend, seed))?;
    }

    #[test]
    fn elementwise_functions_have_the_same_bits(seed in any::<u64>()) {
        on_all(|backend| compare::elementwise(backend, seed))?;
    }

    #[test]
    fn attention_has_the_same_bits(seed in any::<u64>()) {
        on_all(|backend| compare::attention(backend, seed))?;
    }

    #[test]
    fn halves_of_floats_are_the_nearest(seeds in prop::collection::vec(any::<u64>(), 100)) {
        for seed in seeds {
            compare::halves(seed).map_err(TestCaseError::fail)?;
        }
    }
}

#[test]
fn extreme_values_do_not_saturate() {
    for (a, w) in SPREADS.iter().flat_map(|&a| SPREADS.map(|w| (a, w))) {
        for (rows, inner, columns) in [(1, 1536, 40), (7, 1535, 33), (13, 2049, 16)] {
            let case = Case { rows, inner, columns, a, w, seed: 1 };
            for backend in Backend::available() {
                compare::integer_products(backend, case).unwrap_or_else(|error| panic!("{error}\n{case:?}"));
                compare::fixed_products(backend, case).unwrap_or_else(|error| panic!("{error}\n{case:?}"));
            }
        }
    }
}

#[test]
fn fixed_point_refuses_what_could_overflow() {
    let pack = |values: &[f32]| FixedMatrix::pack(Backend::best(), values.len() / 2, 2, values);
    assert_eq!(pack(&[31.99, -31.99]).unwrap().limit(), i16::MAX);
    let error = pack(&[0.5, 0.5, 0.5, -32.5]).unwrap_err();
    assert_eq!(error, OutOfRange { column: 1, largest: 32.5, sum: 33.0 });
    // 2³¹ − 1 is 8 · 2¹⁰ times 255.999…, in units of 2⁻¹⁰.
    let column = |count: usize| [vec![0.0; count], vec![1.0; count]].concat();
    assert_eq!(pack(&column(255)).unwrap().limit(), (i32::MAX / (255 * 1024)) as i16);
    let error = pack(&column(256)).unwrap_err();
    assert_eq!(error, OutOfRange { column: 1, largest: 1.0, sum: 256.0 });
    let message = error.to_string();
    assert!(
        message.contains("output 1") && message.contains("256") && message.contains("int8 or float32"),
        "{message}"
    );
}

#[test]
#[should_panic(expected = "but sums hold up to")]
fn fixed_point_activations_must_be_clipped_for_their_weights() {
    let backend = Backend::best();
    let w = FixedMatrix::pack(backend, 200, 1, &[1.0; 200]).unwrap();
    let mut a = FixedRows::new(backend);
    a.quantize(&[1.0; 200], 200, w.limit() + 1);
    kernels::gemm::int16::multiply(&a, &w, &[0.0], &mut [0.0]);
}

#[test]
fn the_model_shapes_are_exact() {
    for (inner, columns) in [(256, 256), (256, 1536), (1536, 256), (256, 4000), (512, 2048)] {
        for rows in [1, 2, 3, 4, 5, 6, 7, 8, 12, 33] {
            let spread = SPREADS[rows % SPREADS.len()];
            let case = Case { rows, inner, columns, a: SPREADS[0], w: spread, seed: rows as u64 };
            let fastest = Backend::best();
            compare::integer_products(fastest, case).unwrap_or_else(|error| panic!("{error}\n{case:?}"));
        }
    }
}

#[test]
fn what_the_webassembly_modules_check_holds_here_too() {
    for backend in Backend::available() {
        for seed in 0..40 {
            compare::everything(backend, seed).unwrap_or_else(|error| panic!("{error}"));
        }
    }
}

#[test]
fn floats_have_the_bits_of_every_other_processor() {
    for backend in Backend::available() {
        assert_eq!(compare::digest(backend, 0..40), compare::DIGEST, "{}", backend.name());
    }
}

#[test]
fn a_weight_of_minus_128_is_taken_for_minus_127() {
    for backend in Backend::available() {
        let w = PackedMatrix::pack(backend, 2, 1, &[-128, 127]);
        let mut column = [0; 2];
        w.unpack_column(0, &mut column);
        assert_eq!(column, [-127, 127], "{}", backend.name());
    }
}

#[test]
#[should_panic(expected = "different inner lengths")]
fn lengths_must_agree() {
    let backend = Backend::best();
    let mut a = QuantizedRows::new(backend);
    a.quantize(&[1.0; 8], 8, ActivationScale::Dynamic);
    kernels::gemm::accumulate(&a, &PackedMatrix::pack(backend, 9, 1, &[1; 9]), &mut [0]);
}

#[test]
fn backends_have_names() {
    for backend in Backend::available() {
        assert_eq!(Backend::named(backend.name()), Some(backend));
    }
    assert_eq!(Backend::named("abacus"), None);
}

//! The shipped model on hand-made cases: names, numbers, addresses, code, placeholders, signs, tables, odd input.
//!
//! `tests/data/robustness/floors.tsv` says how many cases of each category must pass.

#[test]
fn the_shipped_model_passes_as_many_cases_as_it_did() {
    crate::floors::meets(&crate::shipped::model(), "tests/data/robustness");
}

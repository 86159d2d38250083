//! The shipped model on hand-made cases: names, numbers, addresses, code, placeholders, signs, tables, odd input.
//!
//! `tests/data/robustness/floors.tsv` says how many cases of each category must pass.

mod floors;
mod shipped;

#[test]
fn the_shipped_model_passes_as_many_cases_as_it_did() {
    floors::meets(&shipped::model(), "tests/data/robustness");
}

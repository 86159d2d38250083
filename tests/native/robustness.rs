//! The shipped models on hand-made cases: names, numbers, addresses, code, placeholders, signs, tables, odd input.
//!
//! `tests/data/robustness/en-de.floors.tsv` and its like say how many cases of each category must pass.

#[test]
fn english_to_german_passes_as_many_cases_as_it_did() {
    crate::floors::meets("en-de", "tests/data/robustness");
}

#[test]
fn german_to_english_passes_as_many_cases_as_it_did() {
    crate::floors::meets("de-en", "tests/data/robustness");
}

//! What the engine must keep of a text, whatever words the model finds: signs, numbers, tabs, tags, blanks, references.
//!
//! `tests/data/text/en-de.floors.tsv` says how many cases of each category must pass.

#[test]
fn a_text_comes_through_whole() {
    crate::floors::meets("en-de", "tests/data/text");
}

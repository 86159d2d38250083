//! What a browser would do in the middle of the first translation, done while the model arrives.
//!
//! Browsers compile a WebAssembly function when it is called for the first time, and compile it well only after it has run for a while, so a
//! first translation takes several times as long as the next one. A stand-in translates first: a model of a few kilobytes, with the architecture
//! that nearly all models have.

use super::engine::{Engine, Model};
use super::js_error;
use crate::text::language::Language;
use crate::{LoadOptions, Translator};
use wasm_bindgen::prelude::*;

/// A package whose weights are all alike, and whose sentences end at the length limit. `tests/native/stand_in.rs` makes it.
const STAND_IN: &[u8] = include_bytes!("stand-in.wanderwort");

/// Numbers, a date, quotation marks, an address, markup and an emoji, so that the code for each is compiled, too.
const TEXT: &str = "On 3 May she said, \u{201c}It's 12.5 km (7 miles) to Oslo!\u{201d} \u{2013} see https://example.org/a or <b>ask</b> {name}. OK? \u{1f600}";

/// Where the text of the block's element ends: after "On 3 May".
const HEAD: u32 = 8;

/// Loads the stand-in as a package is loaded and translates a text with it, once as plain text and once as a block with markup. `source` and `target` are
/// the BCP 47 tags of the languages to come.
///
/// # Errors
/// A `ModelError`, if the stand-in is not a package of this version.
#[wasm_bindgen(js_name = warmUp)]
pub fn warm_up(source: &str, target: &str) -> Result<(), JsValue> {
    let options = LoadOptions {
        source_language: Language::from_tag(source),
        target_language: Language::from_tag(target),
        ..LoadOptions::default()
    };
    let translator =
        Translator::from_package("stand-in", STAND_IN, &options).map_err(|error| js_error("ModelError", &error))?;
    let mut engine = Engine::new(Model(translator), None, 0, 0)?;
    engine.submit(TEXT, 0, false, false);
    let end = TEXT.encode_utf16().count() as u32;
    // An element, a text node in it, and a text node after it.
    let nodes = [[u32::MAX, 0, 0, HEAD], [0, 2, 0, HEAD], [u32::MAX, 2, HEAD, end]];
    engine.submit_block(TEXT.to_owned(), &nodes.concat(), 0)?;
    while !engine.is_idle() {
        engine.step();
    }
    Ok(())
}

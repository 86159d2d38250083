//! HTML and XHTML: without a translation nothing changes, with one nothing panics.
#![no_main]

use libfuzzer_sys::fuzz_target;
use wanderwort::Link;
use wanderwort::text::documents::{AlignedText, Languages};
use wanderwort::text::html::translate_html;

const LANGUAGES: Languages = Languages { source: "en", target: "en" };

/// Each text back to front, word by word, with its alignment.
fn reversed(text: &&str) -> AlignedText {
    let mut result = AlignedText::default();
    for word in text.split_inclusive(' ').rev() {
        let from = word.as_ptr() as usize - text.as_ptr() as usize;
        let start = result.text.len();
        result.text.push_str(word);
        result.tokens.push(Link { target: start..result.text.len(), source: from..from + word.len() });
    }
    result.sentences.push(Link { target: 0..result.text.len(), source: 0..text.len() });
    result
}

fuzz_target!(|bytes: &[u8]| {
    let html = String::from_utf8_lossy(bytes);
    let kept = translate_html(&html, &LANGUAGES, |_| Vec::new()).expect("nothing is translated");
    let lower = html.to_ascii_lowercase();
    // Only what it says of its language may be new.
    assert!(kept == html || lower.contains("<html") || lower.contains("lang"));
    translate_html(&html, &LANGUAGES, |texts| texts.iter().map(reversed).collect()).expect("the alignment is right");
});

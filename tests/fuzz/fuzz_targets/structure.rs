//! The structure of any text: read, translated by a function that changes lengths, and written.
#![no_main]

use libfuzzer_sys::fuzz_target;
use wanderwort::Link;
use wanderwort::text::structure::{Reading, Wrapped};

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    for wrapped in [Wrapped::Never, Wrapped::Auto, Wrapped::Always] {
        let reading = Reading::new(text, wrapped);
        for longer in [false, true] {
            let (mut translation, mut sentences, mut copied) = (String::new(), Vec::new(), 0);
            for cell in reading.cells() {
                translation.push_str(&reading.text()[copied..cell.range.start]);
                let start = translation.len();
                translation.push_str(&reading.text()[cell.range.clone()]);
                translation.push_str(if longer { " \"und\", so" } else { "" });
                sentences.push(Link { source: cell.range.clone(), target: start..translation.len() });
                copied = cell.range.end;
            }
            translation.push_str(&reading.text()[copied..]);
            let written = reading.write(translation, &sentences);
            assert!(longer || written.text == text, "{text:?} became {:?}", written.text);
            for Link { source, target } in &sentences {
                assert!(text.get(reading.source(source)).is_some());
                assert!(written.text.get(written.edits.forward(target)).is_some());
            }
        }
    }
});

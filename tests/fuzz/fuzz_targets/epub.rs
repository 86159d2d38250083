//! Books: three parts with 0xFF between are the package, a page and the older table of contents in an archive.
#![no_main]

use std::io::{Cursor, Write};

use libfuzzer_sys::fuzz_target;
use wanderwort::text::documents::{self, AlignedText, Format, Languages, ReadOptions};
use wanderwort::text::structure::Wrapped;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

const OPTIONS: ReadOptions =
    ReadOptions { languages: Languages { source: "en", target: "de" }, encoding: None, wrapped: Wrapped::Auto };

const CONTAINER: &[u8] = b"<container><rootfiles><rootfile full-path=\"p.opf\"/></rootfiles></container>";

fn book(parts: &[&[u8]]) -> Vec<u8> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    let stored = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    let names = ["META-INF/container.xml", "p.opf", "a.xhtml", "toc.ncx"];
    for (name, content) in names.into_iter().zip([CONTAINER].into_iter().chain(parts.iter().copied())) {
        archive.start_file(name, stored).expect("a new name");
        archive.write_all(content).expect("memory");
    }
    archive.finish().expect("memory").into_inner()
}

fuzz_target!(|bytes: &[u8]| {
    let parts: Vec<&[u8]> = bytes.splitn(3, |byte| *byte == 0xff).collect();
    let format = Format::named("epub").expect("a format");
    if let Ok(document) = format.read(book(&parts), &OPTIONS) {
        let shout = |text: &&str| AlignedText { text: text.to_uppercase(), ..AlignedText::default() };
        documents::translate(&*document, |texts| texts.iter().map(shout).collect()).expect("it is written");
    }
});

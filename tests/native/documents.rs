//! Books and texts through a translator that shouts, so that what was translated shows.

use std::io::{Cursor, Read, Write};
use std::path::Path;

use crate::shouting::{LANGUAGES, shout};
use allocation_counter::measure;
use wanderwort::text::documents::{self, DocumentError, Format, ReadOptions};
use wanderwort::text::structure::Wrapped;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

const OPTIONS: ReadOptions = ReadOptions { languages: LANGUAGES, encoding: None, wrapped: Wrapped::Auto };

fn translate(format: &str, bytes: &[u8]) -> Result<Vec<u8>, DocumentError> {
    let document = Format::named(format)?.read(bytes.to_vec(), &OPTIONS)?;
    documents::translate(&*document, |texts| texts.iter().map(|text| shout(text, false)).collect())
}

const CONTAINER: &str = "<?xml version=\"1.0\"?><container xmlns=\"urn:oasis:names:tc:opendocument:xmlns:container\" version=\"1.0\"><rootfiles>\
    <rootfile full-path=\"OEBPS/content.opf\" media-type=\"application/oebps-package+xml\"/></rootfiles></container>";

const PACKAGE: &str = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<package xmlns=\"http://www.idpf.org/2007/opf\" version=\"3.0\" xml:lang=\"en\">\
    <metadata xmlns:dc=\"http://purl.org/dc/elements/1.1/\"><dc:title id=\"t\">the house</dc:title><dc:creator>ann doe</dc:creator>\
    <dc:language>en-GB</dc:language><dc:description>a tale &amp; more</dc:description><dc:description>&lt;p class=\"x\">one &lt;i>two&lt;/i>&lt;/p></dc:description><meta property=\"x\">same</meta></metadata>\
    <manifest><item id=\"a\" href=\"text/one%20a.xhtml\" media-type=\"application/xhtml+xml\"/>\
    <item id=\"n\" href=\"nav.xhtml\" media-type=\"application/xhtml+xml\" properties=\"nav\"/>\
    <item id=\"x\" href=\"toc.ncx\" media-type=\"application/x-dtbncx+xml\"/>\
    <item id=\"m\" href=\"missing.xhtml\" media-type=\"application/xhtml+xml\"/>\
    <item id=\"c\" href=\"style.css\" media-type=\"text/css\"/><item id=\"s\" href=\"map.svg\" media-type=\"image/svg+xml\"/>\
    <item id=\"i\" href=\"icon.svg\" media-type=\"image/svg+xml\"/></manifest><spine><itemref idref=\"a\"/><itemref idref=\"s\"/></spine></package>";

const DRAWING: &str = "<?xml version=\"1.0\"?><svg xmlns=\"http://www.w3.org/2000/svg\"><title>the map</title><path d=\"M0 0\"/><text x=\"1\">a house</text></svg>";

fn page(body: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" xml:lang=\"en\"><head><title/></head>\
         <body>{body}</body></html>\n"
    )
}

/// What is in a book, in order.
type Parts = Vec<(&'static str, Vec<u8>)>;

fn parts() -> Parts {
    let contents = "<ncx xml:lang=\"en\"><docTitle><text>the house</text></docTitle><docAuthor><text>ann doe</text></docAuthor>\
        <navMap><navPoint><navLabel><text>chapter one</text></navLabel></navPoint></navMap></ncx>";
    vec![
        ("mimetype", b"application/epub+zip".to_vec()),
        ("META-INF/container.xml", CONTAINER.into()),
        ("OEBPS/image.jpg", (0..=255).cycle().take(5000).collect()),
        ("OEBPS/content.opf", PACKAGE.into()),
        ("OEBPS/text/one a.xhtml", page("<p>the <b>old</b> house<br/>was big.</p>").into()),
        ("OEBPS/nav.xhtml", page("<nav><ol><li><a href=\"text/one%20a.xhtml\">chapter one</a></li></ol></nav>").into()),
        ("OEBPS/toc.ncx", contents.into()),
        ("OEBPS/style.css", b"p { color: red }".to_vec()),
        ("OEBPS/map.svg", DRAWING.into()),
        ("OEBPS/icon.svg", DRAWING.into()),
        ("OEBPS/other.xhtml", page("<p>not listed</p>").into()),
    ]
}

fn book(parts: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in parts {
        let method = if *name == "mimetype" { CompressionMethod::Stored } else { CompressionMethod::Deflated };
        archive.start_file(*name, SimpleFileOptions::default().compression_method(method)).unwrap();
        archive.write_all(content).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

fn content(archive: &mut ZipArchive<Cursor<Vec<u8>>>, name: &str) -> String {
    let mut text = String::new();
    archive.by_name(name).unwrap().read_to_string(&mut text).unwrap();
    text
}

#[test]
fn a_book_comes_back_as_it_was_but_for_its_language() {
    let source = book(&parts());
    let translated = translate("epub", &source).unwrap();
    assert_eq!(&translated[30..58], b"mimetypeapplication/epub+zip");
    let (mut before, mut after) =
        (ZipArchive::new(Cursor::new(source)).unwrap(), ZipArchive::new(Cursor::new(translated)).unwrap());
    assert_eq!(before.len(), after.len());
    for index in 0..before.len() {
        let (mut old, mut new) = (before.by_index_raw(index).unwrap(), after.by_index_raw(index).unwrap());
        assert_eq!(old.name().unwrap(), new.name().unwrap());
        assert_eq!(old.compression(), new.compression());
        if matches!(
            &*old.name().unwrap(),
            "mimetype" | "OEBPS/image.jpg" | "OEBPS/style.css" | "OEBPS/icon.svg" | "OEBPS/other.xhtml"
        ) {
            let (mut a, mut b) = (Vec::new(), Vec::new());
            old.read_to_end(&mut a).unwrap();
            new.read_to_end(&mut b).unwrap();
            assert_eq!(a, b, "{}", old.name().unwrap());
        }
    }
    let expected = PACKAGE
        .replace("xml:lang=\"en\"", "xml:lang=\"de\"")
        .replace("the house", "THE HOUSE")
        .replace("en-GB", "de")
        .replace("a tale &amp; more", "A TALE &amp; MORE")
        .replace(">one &lt;i>two&lt;", ">ONE &lt;i>TWO&lt;");
    assert_eq!(content(&mut after, "OEBPS/content.opf"), expected);
    let expected = page("<p>THE <b>OLD</b> HOUSE<br/>WAS BIG.</p>").replace("\"en\"", "\"de\"");
    assert_eq!(content(&mut after, "OEBPS/text/one a.xhtml"), expected);
    let expected = page("<nav><ol><li><a href=\"text/one%20a.xhtml\">CHAPTER ONE</a></li></ol></nav>");
    assert_eq!(content(&mut after, "OEBPS/nav.xhtml"), expected.replace("\"en\"", "\"de\""));
    let expected = DRAWING.replace("the map", "THE MAP").replace("a house", "A HOUSE");
    assert_eq!(content(&mut after, "OEBPS/map.svg"), expected);
    assert_eq!(
        content(&mut after, "OEBPS/toc.ncx"),
        "<ncx xml:lang=\"de\"><docTitle><text>THE HOUSE</text></docTitle><docAuthor><text>ann doe</text></docAuthor>\
         <navMap><navPoint><navLabel><text>CHAPTER ONE</text></navLabel></navPoint></navMap></ncx>"
    );
}

#[test]
fn damaged_books_are_refused() {
    let refused = |change: &dyn Fn(&mut Parts)| {
        let mut parts = parts();
        change(&mut parts);
        translate("epub", &book(&parts)).unwrap_err()
    };
    let message = refused(&|parts| parts.retain(|(name, _)| *name != "META-INF/container.xml")).to_string();
    assert!(message.contains("META-INF/container.xml"), "{message}");
    let encryption = "<encryption><EncryptedData><CipherData><CipherReference URI=\"OEBPS/text/one%20a.xhtml\"/></CipherData></EncryptedData></encryption>";
    let message = refused(&|parts| parts.push(("META-INF/encryption.xml", encryption.into()))).to_string();
    assert!(message.contains("OEBPS/text/one a.xhtml") && message.contains("encryption"), "{message}");
    let error = refused(&|parts| parts[1].1 = b"<container></container>".to_vec());
    assert!(matches!(error, DocumentError::Content { .. }), "{error}");
    let error = refused(&|parts| parts[3].1 = b"<package><metadata>".to_vec());
    assert!(matches!(error, DocumentError::Content { .. }), "{error}");
    assert!(matches!(translate("epub", b"PK\x03\x04").unwrap_err(), DocumentError::Archive(_)));
    let whole = book(&parts());
    for length in (0..whole.len()).step_by(97) {
        assert!(translate("epub", &whole[..length]).is_err());
    }
    let mut damaged = whole;
    for at in (0..damaged.len()).step_by(31) {
        damaged[at] ^= 0x55;
        // Neither panics nor hangs.
        let _ = translate("epub", &damaged);
        damaged[at] ^= 0x55;
    }
}

#[test]
fn bombs_are_refused() {
    let mut bomb = parts();
    bomb[4].1 = page(&format!("<p>{}</p>", "a ".repeat(20 << 20))).into();
    let packed = book(&bomb);
    assert!(packed.len() < 1 << 20);
    assert!(matches!(translate("epub", &packed).unwrap_err(), DocumentError::TooLarge { .. }));
    // Neither are many parts that are large together.
    let comment = format!("<!--{}-->", "a ".repeat(12 << 20));
    let mut bomb = parts();
    for part in [4, 5] {
        bomb[part].1 = page(&comment).into();
    }
    assert!(translate("epub", &book(&bomb)).is_ok());
    bomb[8].1 = format!("<svg xmlns=\"http://www.w3.org/2000/svg\">{comment}</svg>").into();
    assert!(matches!(translate("epub", &book(&bomb)).unwrap_err(), DocumentError::TooLarge { .. }));
    // Entities that grow are not resolved.
    let laughs = "<?xml version=\"1.0\"?><!DOCTYPE html [<!ENTITY a \"ha ha\"><!ENTITY b \"&a;&a;&a;&a;\">]>\
        <html xmlns=\"http://www.w3.org/1999/xhtml\"><body><p>say &b; twice</p></body></html>";
    let mut parts = parts();
    parts[4].1 = laughs.into();
    let translated = translate("epub", &book(&parts)).unwrap();
    let page = content(&mut ZipArchive::new(Cursor::new(translated)).unwrap(), "OEBPS/text/one a.xhtml");
    assert!(page.ends_with("<body><p>SAY &b; TWICE</p></body></html>"), "{page}");
}

#[test]
fn more_markup_than_documents_have_is_refused() {
    let tags = |count: usize| format!("<html>{}", "<p>".repeat(count - 1));
    let too_much = |error: DocumentError| match error {
        DocumentError::TooMuchMarkup { name, limit } => (name, limit),
        error => panic!("{error}"),
    };
    let most = 1 << 20;
    assert_eq!(too_much(translate("html", tags(most + 1).as_bytes()).unwrap_err()), ("the file".to_owned(), 1 << 20));
    let mut large = parts();
    large[4].1 = tags(most + 1).into();
    let found = too_much(translate("epub", &book(&large)).unwrap_err());
    assert_eq!(found, ("OEBPS/text/one a.xhtml".to_owned(), 1 << 20));
    // Four parts with as many as a document may have are one tag too many with those of the book's own lists.
    let (mut large, mut manifest) = (parts(), String::new());
    for name in ["a.xhtml", "b.xhtml", "c.xhtml", "d.xhtml"] {
        manifest += &format!("<item id=\"{name}\" href=\"{name}\" media-type=\"application/xhtml+xml\"/>");
        large.push((format!("OEBPS/{name}").leak(), format!("<html>{}", "<!>".repeat(most - 1)).into()));
    }
    large[3].1 = PACKAGE.replace("<manifest>", &format!("<manifest>{manifest}")).into();
    assert_eq!(too_much(translate("epub", &book(&large)).unwrap_err()), ("OEBPS/d.xhtml".to_owned(), 4 << 20));
    let long = "a ".repeat((32 << 20) / 2 + 1);
    assert!(matches!(translate("html", long.as_bytes()).unwrap_err(), DocumentError::TooLarge { .. }));
}

#[test]
fn texts_keep_their_lines_and_paragraphs() {
    let shouted = |text: &str| String::from_utf8(translate("text", text.as_bytes()).unwrap()).unwrap();
    for text in ["", "\n\n", "one\n\ntwo\n", "  one\r\n\ttwo\r\n\r\nthree", "42\n", "\u{feff}one\n"] {
        assert_eq!(shouted(text), text.to_uppercase());
    }
    let broken =
        "  the house by the lake has been empty for\n  many years, and nobody in the village\n  knows why.\n\nend\n";
    assert_eq!(shouted(broken), broken.to_uppercase());
    assert_eq!(translate("text", b"caf\xe9\n").unwrap(), "CAFÉ\n".as_bytes());
}

#[test]
fn formats_are_told_by_content_and_name() {
    let format = |name: &str, bytes: &[u8]| Format::of(Path::new(name), bytes).map(|format| format.name);
    assert_eq!(format("x", &book(&parts())), Some("epub"));
    assert_eq!(format("x.txt", b" <!DOCTYPE html><p>"), Some("html"));
    assert_eq!(format("x", b"\xef\xbb\xbf<?xml version=\"1.0\"?>\n<html>"), Some("html"));
    assert_eq!(format("a.XHTML", b""), Some("html"));
    assert_eq!(format("a.htm", b"one"), Some("html"));
    assert_eq!(format("a.txt", b"one"), Some("text"));
    assert_eq!(format("a.exe", b"MZ"), None);
    assert!(matches!(Format::named("doc"), Err(DocumentError::UnknownFormat { .. })));
}

/// The parts of a book of so many chapters of some twelve pages each, and the bytes of its text.
fn long_book(chapters: usize) -> (Parts, usize) {
    let mut parts = parts();
    let (mut manifest, mut length) = (String::new(), 0);
    for chapter in 0..chapters {
        let paragraph = |day: usize| {
            format!("<p>on day {day} of year {chapter} the <b>old man</b> walked {day} miles to the river.</p>\n")
        };
        let body: String = (1..=200).map(paragraph).collect();
        length += body.len();
        let name: &'static str = format!("OEBPS/c{chapter}.xhtml").leak();
        parts.push((name, page(&body).into()));
        let href = name.trim_start_matches("OEBPS/");
        manifest += &format!("<item id=\"c{chapter}\" href=\"{href}\" media-type=\"application/xhtml+xml\"/>");
    }
    parts[3].1 = PACKAGE.replace("<manifest>", &format!("<manifest>{manifest}")).into();
    (parts, length)
}

/// Bytes of memory that a book takes: once it is read, and more than that or than its translation while it is read and while it is written.
#[derive(Debug)]
struct Taken {
    held: f64,
    reading: f64,
    writing: f64,
}

fn taken(bytes: Vec<u8>) -> Taken {
    let (mut document, mut written) = (None, None);
    let reading = measure(|| document = Some(Format::named("epub").unwrap().read(bytes, &OPTIONS).unwrap()));
    let document = document.expect("it was read");
    let translations: Vec<_> = documents::texts(&*document).iter().map(|text| Some(shout(text, false))).collect();
    assert!(translations.len() > 1000);
    let writing = measure(|| written = Some(documents::write(&*document, &translations).unwrap()));
    let length = written.expect("it was written").len() as u64;
    Taken {
        held: reading.bytes_current as f64,
        reading: (reading.bytes_max as i64 - reading.bytes_current.max(0)) as f64,
        writing: (writing.bytes_max - length) as f64,
    }
}

/// However long a book is, no more of it is parsed and no more of its translation is laid out at once than a chapter: what that takes is many
/// times the text, and must not be that of the whole.
#[test]
fn a_book_of_300_pages_is_read_and_written_a_chapter_at_a_time() {
    let ((short, length), (long, length_of_long)) = (long_book(6), long_book(24));
    let (short, long) = (taken(book(&short)), taken(book(&long)));
    let more = (length_of_long - length) as f64;
    println!("{length} bytes of text: {short:?}, {length_of_long} bytes: {long:?}");
    assert!(long.held > more, "not all is counted");
    assert!(long.held - short.held < 16.0 * more);
    assert!(long.reading - short.reading < more);
    assert!(long.writing - short.writing < more);
}

/// Pictures are neither unpacked nor copied but for the one copy of them in the translation, which is made in one piece.
#[test]
fn the_pictures_of_a_book_are_held_once() {
    // Nothing that packs well.
    let mut state = 1_u32;
    let mut random = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    let picture: Vec<u8> = (0..8 << 20).map(|_| random()).collect();
    let (mut parts, _) = long_book(6);
    let plain = taken(book(&parts));
    parts.push(("OEBPS/large.jpg", picture));
    let bytes = book(&parts);
    let length = bytes.len() as f64;
    let illustrated = taken(bytes);
    println!("{length} bytes of book: {illustrated:?}, without its picture: {plain:?}");
    assert!(illustrated.held - plain.held < 0.01 * length);
    assert!(illustrated.reading - plain.reading < 0.01 * length);
    // Room for a translation that is longer than its original.
    assert!(illustrated.writing - plain.writing < 0.3 * length);
}

/// Texts made to take much memory for their size take no more for a tag and a byte than the limits of files and books are made for. N is a
/// number, each time another one.
#[test]
fn memory_is_bounded_by_tags_and_bytes() {
    for shape in [
        "<p>a",
        "<p>aN",
        "<p>N",
        "<p><b>",
        "<b>a</b>",
        "<b>",
        "a<br>",
        "<td>a",
        "<option>a",
        "<table>a",
        "<svg><a>",
        "<a><b><i>",
        "<a\nb c d e f g h i j k l m n o p>",
        "<a b=1 c=2 d=3>",
        "<p title=aN>",
        "<li lang=en>a",
        "<!>",
        "<?=1?>a ",
        "<code>a</code> b ",
        "<iframe srcdoc='<p>aN'></iframe>",
        "<noframes><p>aN</noframes>",
        "a ",
        "aN. ",
        "&nbsp; a ",
        "&lt;",
        "<p>on day N the <b>old man</b> walked.</p>\n",
    ] {
        let (mut text, mut number) = (String::new(), 0);
        while text.len() < 20_000 {
            text += &shape.replace('N', &number.to_string());
            number += 1;
        }
        let (bytes, tags) = (text.len() as f64, text.matches('<').count() as f64);
        let (mut document, mut written) = (None, None);
        let reading = measure(|| document = Some(Format::named("html").unwrap().read(text.into(), &OPTIONS).unwrap()));
        let document = document.expect("it was read");
        let translations: Vec<_> = documents::texts(&*document).iter().map(|text| Some(shout(text, false))).collect();
        let writing = measure(|| written = Some(documents::write(&*document, &translations).unwrap()));
        println!(
            "{shape:?}: {tags} tags, {bytes} bytes; held {}, reading {}, writing {}",
            reading.bytes_current, reading.bytes_max, writing.bytes_max
        );
        for (what, taken, a_tag, a_byte) in [
            ("reading", reading.bytes_max as f64, 1500.0, 64.0),
            ("held", reading.bytes_current as f64, 200.0, 32.0),
            ("writing", writing.bytes_max as f64, 600.0, 128.0),
        ] {
            // What is there once: tables, first rooms of lists.
            let most = a_tag * tags + a_byte * bytes + 100_000.0;
            assert!(taken <= most, "{what} {shape:?} takes {taken} bytes, more than {most}");
        }
    }
}

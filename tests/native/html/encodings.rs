//! Files in their encodings; what is written is UTF-8 and says so.

use wanderwort::text::documents::{self, DocumentError, Format, ReadOptions};
use wanderwort::text::structure::Wrapped;

use crate::shouting::{LANGUAGES, shout};

fn translate(bytes: &[u8], encoding: Option<&str>) -> Result<String, DocumentError> {
    let document = Format::named("html")?
        .read(bytes.to_vec(), &ReadOptions { languages: LANGUAGES, encoding, wrapped: Wrapped::Auto })?;
    let translated = documents::translate(&*document, |texts| texts.iter().map(|text| shout(text, false)).collect());
    Ok(String::from_utf8(translated?).unwrap())
}

fn wide(text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    text.encode_utf16().flat_map(bytes).collect()
}

#[test]
fn encodings_are_found_as_browsers_find_them() {
    for (html, encoding, expected) in [
        (&b"\xef\xbb\xbf<p>caf\xc3\xa9"[..], None, "\u{feff}<p>CAFÉ"),
        // Said by the page.
        (b"<meta charset=windows-1252><p>\x80 caf\xe9", None, "<meta charset=utf-8><p>€ CAFÉ"),
        (
            b"<meta http-equiv=\"Content-Type\" content=\"text/html; charset=ISO-8859-1\"><p>\x80 \xe9",
            None,
            "<meta http-equiv=\"Content-Type\" content=\"text/html; charset=utf-8\"><p>€ É",
        ),
        (
            b"<!-- <meta charset=koi8-r> --><meta charset='UTF-8'><p>\xc3\xa9",
            None,
            "<!-- <meta charset=koi8-r> --><meta charset='UTF-8'><p>É",
        ),
        (b"<meta charset=utf-16><p>\xc3\xa9", None, "<meta charset=utf-8><p>É"),
        (
            b"<?xml version='1.0' encoding='iso-8859-2'?><html><p>\xb3</p></html>",
            None,
            "<?xml version='1.0' encoding='utf-8'?><html lang=\"de\" xml:lang=\"de\"><p>Ł</p></html>",
        ),
        (b"<meta charset=shift_jis><p>\x8a\xbf a", None, "<meta charset=utf-8><p>漢 A"),
        // Only plain letters: what it says would be wrong afterwards all the same.
        (b"<meta charset=iso-8859-1><p>a", None, "<meta charset=utf-8><p>A"),
        // Said by nobody.
        (b"<p>caf\xc3\xa9", None, "<p>CAFÉ"),
        (b"<p>caf\xe9 \x96", None, "<p>CAFÉ –"),
        // Said by who asks.
        (b"<p>\x9c a", Some("windows-1250"), "<p>Ś A"),
        (b"<meta charset=utf-8><p>\xe9", Some("windows-1252"), "<meta charset=utf-8><p>É"),
    ] {
        assert_eq!(translate(html, encoding).unwrap(), expected);
    }
    let html = "<p>café €";
    assert_eq!(translate(&wide(&format!("\u{feff}{html}"), u16::to_le_bytes), None).unwrap(), "\u{feff}<p>CAFÉ €");
    assert_eq!(translate(&wide(&format!("\u{feff}{html}"), u16::to_be_bytes), None).unwrap(), "\u{feff}<p>CAFÉ €");
    assert_eq!(translate(&wide(html, u16::to_le_bytes), None).unwrap(), "<p>CAFÉ €");
    assert!(matches!(translate(b"<p>a", Some("klingon")), Err(DocumentError::UnknownEncoding { .. })));
}

#[test]
fn a_page_that_says_nothing_says_it_afterwards_if_it_matters() {
    assert_eq!(
        translate(b"<!doctype html><html lang=en><head><title>caf\xe9</title>", None).unwrap(),
        "<!doctype html><html lang=de><head><meta charset=\"utf-8\"><title>CAFÉ</title>"
    );
    assert_eq!(
        translate(b"<!doctype html><p>caf\xe9", None).unwrap(),
        "<!doctype html><meta charset=\"utf-8\"><p>CAFÉ"
    );
    assert_eq!(translate(b"<!doctype html><p>tea", None).unwrap(), "<!doctype html><p>TEA");
}

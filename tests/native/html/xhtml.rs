//! XHTML in, well-formed XHTML out.

use quick_xml::Reader;
use quick_xml::events::Event;

use super::{translate, translate_backwards};

/// Whether a text is well-formed, but for entities.
fn is_well_formed(xml: &str) -> bool {
    let mut reader = Reader::from_str(xml);
    loop {
        match reader.read_event() {
            Ok(Event::Eof) => return true,
            Ok(_) => {}
            Err(_) => return false,
        }
    }
}

const HEAD: &str = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" xml:lang=\"en\"><head><title/><script src=\"a.js\"/></head>";

#[test]
fn elements_that_end_themselves_are_empty() {
    let head = HEAD.replace("xml:lang=\"en\"", "xml:lang=\"de\"");
    assert_eq!(translate(&format!("{HEAD}<body><p/>one</body></html>")), format!("{head}<body><p/>ONE</body></html>"));
}

#[test]
fn what_comes_out_is_well_formed() {
    let body = "<body><p>one <b>two</b><br/>three &amp; four<img alt=\"a house\" src='x'/> five &#160; &nbsp;&own; <![CDATA[<p>]]> six</p></body></html>";
    for translated in [translate(&format!("{HEAD}{body}")), translate_backwards(&format!("{HEAD}{body}"))] {
        assert!(is_well_formed(&translated), "{translated}");
        for kept in ["&own;", "<![CDATA[<p>]]>", "<br/>", "&#160;", "src='x'/>", "&amp;"] {
            assert!(translated.contains(kept), "{translated}");
        }
    }
}

#[test]
fn what_is_not_well_formed_is_read_as_html() {
    assert_eq!(
        translate("<html xmlns=\"http://www.w3.org/1999/xhtml\"><p>one<br>two</html>"),
        "<html lang=\"de\" xmlns=\"http://www.w3.org/1999/xhtml\"><p>ONE<br>TWO</html>"
    );
    let deep = format!("<?xml version='1.0'?><html>{}", "<object>".repeat(50_000));
    assert!(translate(&deep).ends_with("<object>"));
    let deep =
        format!("<?xml version='1.0'?><html>{}one{}</html>", "<object>".repeat(2_000), "</object>".repeat(2_000));
    assert!(translate(&deep).contains("ONE"));
}

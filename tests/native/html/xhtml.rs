//! XHTML in, well-formed XHTML out.

use quick_xml::Reader;
use quick_xml::events::Event;

use wanderwort::text::documents;
use wanderwort::text::html::{ElementRules, HtmlDocument};

use super::{translate, translate_backwards};
use crate::shouting::LANGUAGES;

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

/// The texts of an XML document whose elements are not HTML's.
fn texts(xml: &str, rules: &ElementRules) -> Vec<String> {
    let document = HtmlDocument::with_rules(format!("<?xml version=\"1.0\"?>{xml}"), &LANGUAGES, rules);
    documents::texts(&document).into_iter().map(str::to_owned).collect()
}

#[test]
fn elements_of_ones_own_structure_a_text_or_mark_words() {
    let outline = ElementRules { outline: true, ..ElementRules::default() };
    for (xml, expected) in [
        ("<doc><title>My dog</title><par>It is <b>old</b>.</par></doc>", &["My dog", "It is old."][..]),
        (
            "<doc>\n <meta><title>My dog</title></meta>\n <par>It is.</par>\n <par>Old.</par>\n</doc>",
            &["My dog", "It is.", "Old."],
        ),
        (
            "<doc><row><cell>one</cell><cell>two</cell></row><row><cell>three</cell></row></doc>",
            &["one", "two", "three"],
        ),
        // Marks of words: blanks or signs between, or words beside.
        ("<s><g id='1'>Hello</g> <g id='2'>world</g></s>", &["Hello world"]),
        ("<s><g id='1'>Hello</g><g id='2'>, world</g></s>", &["Hello, world"]),
        ("<s>Hello <g id='1'>big</g><g id='2'>world</g></s>", &["Hello bigworld"]),
        ("<s><g>Hello</g>\nworld</s>", &["Hello world"]),
    ] {
        assert_eq!(texts(xml, &outline), expected, "{xml}");
    }
    let xml = "<doc><title>My dog</title><par>It is <name>Old Boy</name>.</par></doc>";
    assert_eq!(texts("<doc><head1>My dog</head1><par>It is.</par></doc>", &ElementRules::default()), ["My dogIt is."]);
    let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
    let rules = ElementRules { borders: names(&["PAR"]), kept: names(&["name"]), ..ElementRules::default() };
    let found = texts(xml, &rules);
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found[1].starts_with("It is ") && !found[1].contains("Old"), "{found:?}");
    let rules = ElementRules { inline: names(&["title", "par"]), ..outline };
    assert_eq!(texts(xml, &rules), ["My dogIt is Old Boy."]);
    // HTML's own too.
    let html = "<p>One <b>two</b> three</p>";
    let rules = ElementRules { borders: names(&["b"]), ..ElementRules::default() };
    let document = HtmlDocument::with_rules(html.to_owned(), &LANGUAGES, &rules);
    assert_eq!(documents::texts(&document), ["One", "two", "three"]);
}

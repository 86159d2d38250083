//! HTML documents through a translator that shouts, so that what was translated shows.

mod borders;
mod bytes;
mod cases;
mod encodings;
mod meaning;
mod pages;
mod trees;
mod xhtml;

use crate::shouting::{LANGUAGES, shout};
use wanderwort::Link;
use wanderwort::text::documents::AlignedText;
use wanderwort::text::html::translate_html;

/// The document in capitals.
fn translate(html: &str) -> String {
    translate_html(html, &LANGUAGES, |texts| texts.iter().map(|text| shout(text, false)).collect()).unwrap()
}

/// The document in capitals, the words of each sentence back to front.
fn translate_backwards(html: &str) -> String {
    translate_html(html, &LANGUAGES, |texts| texts.iter().map(|text| shout(text, true)).collect()).unwrap()
}

#[test]
fn text_and_inline_elements() {
    assert_eq!(translate("<p>Hello <b>big</b> world.</p>"), "<p>HELLO <b>BIG</b> WORLD.</p>");
    assert_eq!(
        translate_backwards("<p>Hello <b>big <i>wide</i></b> world.</p>"),
        "<p>WORLD <b><i>WIDE</i> BIG</b> HELLO.</p>"
    );
    assert_eq!(
        translate_backwards("<p><a href=\"x\">one</a> two <b>three</b></p>"),
        "<p><b>THREE</b> TWO <a href=\"x\">ONE</a></p>"
    );
    assert_eq!(translate("plain text"), "PLAIN TEXT");
    assert_eq!(translate("a &amp; b &lt; c&nbsp;d"), "A &amp; B &lt; C&nbsp;D");
    assert_eq!(translate("<div>one<p>two</p>three <em>four</em></div>"), "<div>ONE<p>TWO</p>THREE <em>FOUR</em></div>");
    assert_eq!(translate("<a href=x><div>block in link</div></a>"), "<a href=x><div>BLOCK IN LINK</div></a>");
}

#[test]
fn line_breaks_and_white_space() {
    assert_eq!(translate("<p>one<br>two<br/>\n three</p>"), "<p>ONE<br>TWO<br/>\n THREE</p>");
    assert_eq!(translate_backwards("<p>one two<br>three four</p>"), "<p>TWO ONE<br>FOUR THREE</p>");
    // In the middle of a sentence.
    assert_eq!(
        translate("<p>our shop will be closed this week <br/>\nfrom monday</p>"),
        "<p>OUR SHOP WILL BE CLOSED THIS WEEK <br/>\nFROM MONDAY</p>"
    );
    assert_eq!(
        translate_backwards("<p>our shop will be closed this week<br>from monday</p>"),
        "<p>MONDAY<br>FROM WEEK THIS CLOSED BE WILL SHOP OUR</p>"
    );
    assert_eq!(
        translate("<ul>\n  <li>one</li>\n  <li>\n    two\n  </li>\n</ul>\n"),
        "<ul>\n  <li>ONE</li>\n  <li>\n    TWO\n  </li>\n</ul>\n"
    );
    assert_eq!(translate("<p>One.\n  Two.</p>"), "<p>ONE.\n  TWO.</p>");
    assert_eq!(translate_backwards("<p>one\ntwo</p>"), "<p>TWO\nONE</p>");
}

#[test]
fn what_is_left_alone() {
    for html in [
        "<pre>code</pre>",
        "<p translate=\"no\">Name</p>",
        "<p class=\"x notranslate\">Name</p>",
        "<script>let word = 1;</script>",
        "<style>p { color: red }</style>",
        "<textarea>mine</textarea>",
        "<p lang=\"fr\">mot</p>",
        "<div contenteditable=\"true\">mine</div>",
        "<p>42</p>",
        "<code>word</code>",
        "<!-- comment -->",
        "<p></p>",
        "",
        "<math><mi>x</mi></math>",
    ] {
        assert_eq!(translate(html), html);
    }
    assert_eq!(
        translate("<div translate=\"no\">no <p translate=\"yes\">yes</p></div>"),
        "<div translate=\"no\">no <p translate=\"yes\">YES</p></div>"
    );
    assert_eq!(translate("<p lang=\"en-GB\">colour</p>"), "<p lang=\"de\">COLOUR</p>");
}

#[test]
fn verbatim_elements_move_with_their_sentence() {
    assert_eq!(translate_backwards("<p>use <code>x.y</code> here</p>"), "<p>HERE <code>x.y</code> USE</p>");
    assert_eq!(
        translate_backwards("<p>call <span translate=\"no\">Bob <b>Doe</b></span> now</p>"),
        "<p>NOW <span translate=\"no\">Bob <b>Doe</b></span> CALL</p>"
    );
    assert_eq!(
        translate_backwards("<p>see <img src=\"i\" alt=\"one two\"> picture</p>"),
        "<p><img src=\"i\" alt=\"TWO ONE\"> PICTURE SEE</p>"
    );
}

#[test]
fn attributes_and_titles() {
    assert_eq!(
        translate(
            "<input type=\"submit\" value=\"send\"><input type=\"text\" value=\"mine\" placeholder=\"your name\">"
        ),
        "<input type=\"submit\" value=\"SEND\"><input type=\"text\" value=\"mine\" placeholder=\"YOUR NAME\">"
    );
    assert_eq!(
        translate("<a title=\"more\" href=\"more\" aria-label=\"and more\">go</a>"),
        "<a title=\"MORE\" href=\"more\" aria-label=\"AND MORE\">GO</a>"
    );
    assert_eq!(translate("<p translate=\"no\" title=\"more\">x</p>"), "<p translate=\"no\" title=\"more\">x</p>");
    assert_eq!(
        translate(
            "<!DOCTYPE html><html lang=\"en\"><head><title>page</title><meta name=\"description\" content=\"about\"></head><body><p>x</p></body></html>"
        ),
        "<!DOCTYPE html><html lang=\"de\"><head><title>PAGE</title><meta name=\"description\" content=\"ABOUT\"></head><body><p>X</p></body></html>"
    );
}

#[test]
fn each_text_is_asked_for_once() {
    let mut asked = Vec::new();
    let html = translate_html("<p>same</p><p>same</p><p>other</p>", &LANGUAGES, |texts| {
        asked = texts.iter().map(|text| (*text).to_owned()).collect();
        texts.iter().map(|text| shout(text, false)).collect()
    });
    assert_eq!(html.unwrap(), "<p>SAME</p><p>SAME</p><p>OTHER</p>");
    asked.sort();
    assert_eq!(asked, ["other", "same"]);
}

#[test]
fn missing_and_wrong_translations() {
    assert_eq!(translate_html("<p>a <b>b</b></p>", &LANGUAGES, |_| Vec::new()).unwrap(), "<p>a <b>b</b></p>");
    let wrong = |texts: &[&str]| {
        texts
            .iter()
            .map(|_| AlignedText {
                text: "é".into(),
                tokens: vec![Link { target: 0..1, source: 0..1 }],
                ..Default::default()
            })
            .collect()
    };
    assert!(translate_html("<p>a <b>b</b></p>", &LANGUAGES, wrong).is_err());
    let unaligned =
        |texts: &[&str]| texts.iter().map(|_| AlignedText { text: "anders".into(), ..Default::default() }).collect();
    assert_eq!(
        translate_html("<p>a <b>b</b></p>", &LANGUAGES, unaligned)
            .unwrap()
            .replace("<b></b>", "")
            .replace("<b>anders</b>", "anders"),
        "<p>anders</p>"
    );
}

#[test]
fn deep_and_wide_documents() {
    let deep = "<b>".repeat(50_000) + "word";
    assert!(translate(&deep).contains("WORD"));
    let deep = "<div>".repeat(50_000) + "word";
    assert!(translate(&deep).contains("WORD"));
    let wide = "<p>one <a>two</a></p>".repeat(20_000);
    assert_eq!(translate(&wide).matches("<a>TWO</a>").count(), 20_000);
    let wide = "one <a>two</a> ".repeat(20_000);
    assert_eq!(translate(&wide).matches("<a>TWO</a>").count(), 20_000);
}

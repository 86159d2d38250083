//! HTML files through the command line with a real model: what must be in each afterwards, and all outside of its text as it was.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::outside::{assert_same, markup};

/// A file: its name, its bytes, and what must be in its translation, in this order.
type Case = (&'static str, &'static [u8], &'static [&'static str]);

const CASES: [Case; 31] = [
    ("mark-of-order.html", b"\xef\xbb\xbf<p>The dog is old.</p>", &["\u{feff}<p>", "Hund", "</p>"]),
    (
        "windows-1252.html",
        b"<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"windows-1252\"><title>The dog</title></head>\n<body><p>The dog, Ren\xe9, has \x8020.</p></body></html>",
        &["<html lang=\"de\"><head><meta charset=\"utf-8\"><title>", "Hund", "René", "</p>"],
    ),
    (
        "latin1.html",
        b"<html><head><meta http-equiv=\"Content-Type\" content=\"text/html; charset=iso-8859-1\"><title>Ren\xe9</title></head><body><p>Ren\xe9 has a dog.</p></body></html>",
        &["content=\"text/html; charset=utf-8\"><title>René</title>", "René", "Hund"],
    ),
    (
        "declared-latin1.html",
        b"<html><head><meta charset=\"iso-8859-1\"></head><body><p>The dog is old.</p></body></html>",
        &["<meta charset=\"utf-8\">", "Hund"],
    ),
    (
        "utf-16.html",
        b"\xff\xfe<\0p\0>\0T\0h\0e\0 \0d\0o\0g\0.\0",
        &["\u{feff}<p>", "Hund"],
    ),
    (
        "doctype.html",
        b"<!DOCTYPE HTML PUBLIC \"-//W3C//DTD HTML 3.2 Final//EN\">\n<html><title>The dog</title><p>The dog is old.</html>",
        &["<!DOCTYPE HTML PUBLIC \"-//W3C//DTD HTML 3.2 Final//EN\">\n<html lang=\"de\"><title>", "Hund", "Hund", "</html>"],
    ),
    (
        "strict.xhtml",
        b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE html PUBLIC \"-//W3C//DTD XHTML 1.1//EN\" \"http://www.w3.org/TR/xhtml11/DTD/xhtml11.dtd\">\n<html xmlns=\"http://www.w3.org/1999/xhtml\" xml:lang=\"en\" lang=\"en\"><head><title/><script src=\"s.js\"/></head><body><p>The dog.<br />The cat.</p><hr /><p id=\"e\"/><p><img src=\"i.png\" alt=\"The dog\" /> It is old.</p></body></html>\n",
        &["dtd\">\n<html xmlns=\"http://www.w3.org/1999/xhtml\" xml:lang=\"de\" lang=\"de\"><head><title/><script src=\"s.js\"/></head>", "Hund", "<br />", "Katze", "<hr /><p id=\"e\"/><p><img src=\"i.png\" alt=\"", "Hund", "\" /> ", "</p></body></html>\n"],
    ),
    (
        "head.html",
        b"<!--[if IE]><![endif]-->\n<!DOCTYPE html>\n<html lang=\"en\" class=\"js\"><head><meta charset=\"utf-8\">\n<noscript><img src=\"count.png\"></noscript>\n<base href=\"https://example.org/\"><title>The dog</title>\n<META NAME=\"Description\" CONTENT=\"The cat\"><meta property=\"og:locale\" content=\"en_US\"><meta http-equiv=\"Content-Language\" content=\"en\"><meta name=\"keywords\" content=\"dog, cat\">\n<link rel=\"stylesheet\" title=\"The style\" href=\"s.css\"><!--[if lt IE 9]><script src=\"old.js\"></script><![endif]-->\n<script type=\"application/ld+json\">{\"name\":\"The dog\"}</script><style>@media (max-width:9em){a>b{color:red}}</style>\n</head><body id=\"top\">\n<!--[if !IE]><!--><p>The dog is old.</p><!--<![endif]-->\n<![CDATA[the data]]>\n<p>The cat is red.</p>\n<!-- not closed\n<p>The house.</p>",
        &["<html lang=\"de\" class=\"js\"><head><meta charset=\"utf-8\">\n<noscript><img src=\"count.png\"></noscript>\n<base", "Hund", "<META NAME=\"Description\" CONTENT=\"", "Katze", "content=\"en_US\"><meta http-equiv=\"Content-Language\" content=\"de\"><meta name=\"keywords\" content=\"dog, cat\">\n<link rel=\"stylesheet\" title=\"The style\"", "{\"name\":\"The dog\"}", "a>b{color:red}", "<body id=\"top\">\n<!--[if !IE]><!--><p>", "Hund", "</p><!--<![endif]-->\n<![CDATA[the data]]>\n<p>", "Katze", "<!-- not closed\n<p>The house.</p>"],
    ),
    (
        "comments.html",
        b"<p>The dog <!--#echo var=\"NAME\" --> is old.</p>\n<p>I have a dog. <!--more--> I have a cat.</p>\n<!-- wp:paragraph -->\n<p>The house is big.</p>\n<!-- /wp:paragraph -->\n<p>I have <!-- ko text: n --><!-- /ko --> dogs.</p>",
        &["<!--#echo var=\"NAME\" -->", "Hund", " <!--more--> ", "Katze", "<!-- wp:paragraph -->\n<p>", "Haus", "</p>\n<!-- /wp:paragraph -->", "<!-- ko text: n --><!-- /ko -->"],
    ),
    (
        "instructions.html",
        b"<p>The dog is <?php echo $a->b; ?>.</p>\n<p>The price: <%= a > b %> euros.</p>",
        &["<p>", "<?php echo $a->b; ?>", "</p>\n<p>", "<%= a > b %>", "</p>"],
    ),
    ("header.html", b"<header><h1>The dog</h1></header>\n<p>The cat is old.</p>", &["<header><h1>", "Hund", "</h1></header>\n<p>", "Katze"]),
    ("rows.html", b"<tr><td>The dog</td><td>old</td></tr>\n<tr><td>The cat</td></tr>", &["<tr><td>", "Hund", "</td><td>", "</td></tr>\n<tr><td>", "Katze", "</td></tr>"]),
    ("frames.html", b"<frameset cols=\"*\"><frame src=\"a\"><noframes><p>The <b>dog</b> is old.</p></noframes></frameset>", &["<frameset cols=\"*\"><frame src=\"a\"><noframes><p>", "<b>", "Hund", "</b>", "</p></noframes></frameset>"]),
    (
        "form.html",
        b"<form action=\"/s\"><select name=\"c\"><option>The dog</option><option value=\"b\">The cat</option></select><input type=\"submit\" name=\"op\" value=\"Send it\"><input type=\"submit\" value=\"Send it\"><input name=\"q\" value=\"The dog\" placeholder=\"The house\"><button name=\"a\" value=\"The dog\">The house</button></form>",
        &["<option value=\"The dog\">", "Hund", "<option value=\"b\">", "Katze", "<input type=\"submit\" name=\"op\" value=\"Send it\"><input type=\"submit\" value=\"", "<input name=\"q\" value=\"The dog\" placeholder=\"", "Haus", "<button name=\"a\" value=\"The dog\">", "Haus"],
    ),
    (
        "attributes.html",
        b"<a href=\"#\" title=\"I have a dog.&#10;I have a cat.\">I have a dog.</a>\n<img alt=\"I have a dog.\n  I have a cat.\" src=\"x.png\">",
        &["title=\"", "Hund", "&#10;", "Katze", "\">", "Hund", "<img alt=\"", "Hund", "\n  ", "Katze", "\" src=\"x.png\">"],
    ),
    (
        "drawings.html",
        b"<p>The value of <math><mi>r</mi><mo>=</mo><mn>2</mn></math> is right.</p>\n<svg xmlns:xlink=\"http://www.w3.org/1999/xlink\"><title>The dog</title><text x=\"1\">The cat</text><foreignObject><div>The house</div></foreignObject><linearGradient id=\"g\"/><use xlink:href=\"#a\"/></svg>",
        &["<math><mi>r</mi><mo>=</mo><mn>2</mn></math> ", "<title>", "Hund", "<text x=\"1\">", "Katze", "<foreignObject><div>", "Haus", "<linearGradient id=\"g\"/><use xlink:href=\"#a\"/></svg>"],
    ),
    (
        "ruby.html",
        "<p>The <ruby>dog<rt>dɒɡ</rt></ruby> is old.</p>\n<p>The word <ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp>字<rp>(</rp><rt>ji</rt><rp>)</rp></ruby> is here.</p>".as_bytes(),
        &["<ruby>", "Hund", "<rt>dɒɡ</rt></ruby>", "<ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp>字<rp>(</rp><rt>ji</rt><rp>)</rp></ruby>"],
    ),
    (
        "preformatted.html",
        b"<pre>\n\n  the dog\n\tthe cat</pre>\n<textarea>\n\nthe dog</textarea><xmp><b>the dog</b></xmp>\n<p>See   the <code>ls  -l</code> house.</p>",
        &["<pre>\n\n  the dog\n\tthe cat</pre>\n<textarea>\n\nthe dog</textarea><xmp><b>the dog</b></xmp>\n<p>", "<code>ls  -l</code>", "</p>"],
    ),
    (
        "malformed.html",
        b"<p>The <b>old <i>red</b> house</i> is big.\n<p>The dog <a href=\"x\">and <div>the cat</div> too.</p>\n<table><p>The dog</p><tr><td>The cat<td>The house</table></body></html> the dog",
        &["<p>", "<b>", "<i>", "</b>", "</i>", "\n<p>", "<a href=\"x\">", "<div>", "Katze", "</div>", "</p>\n<table><p>", "Hund", "</p><tr><td>", "Katze", "<td>", "Haus", "</table></body></html> "],
    ),
    (
        "references.html",
        b"<p>The dog &amp; the cat &lt;3 &copy; 2024 &mdash; 5&nbsp;km; AT&T &AMP; x&lt;y &NONAME; &amp;amp; caf&eacute; &#x1F600;</p><p title=\"&quot;The dog&quot; &amp; I\">The dog &quot;here&quot;</p>",
        &["&amp; ", "&lt;3", "&copy;", "5&nbsp;", "AT&T", "x&lt;y", "&amp;amp;", "&eacute;", "&#x1F600;", "title=\"&quot;", "Hund", "&quot;", "&quot;"],
    ),
    (
        "shown-now-and-then.html",
        b"<template><p>The dog</p></template><script>var s = \"<p>The dog</p>\";</script><style>p::before{content:\"The dog\"}</style><noscript><p>The cat</p></noscript><iframe srcdoc=\"<p>The house</p>\">The dog</iframe><video><track label=\"The cat\">The dog</video><object data=\"x\"><p>The house</p></object><details><summary>The dog</summary>The cat</details>",
        &["<template><p>", "Hund", "</p></template><script>var s = \"<p>The dog</p>\";</script><style>p::before{content:\"The dog\"}</style><noscript><p>", "Katze", "srcdoc=\"<p>", "Haus", "<track label=\"", "Katze", "Hund", "<object data=\"x\"><p>", "Haus", "<summary>", "Hund", "</summary>", "Katze"],
    ),
    (
        "notes.html",
        b"<p>The house was built in 1850.<sup id=\"c1\"><a href=\"#n1\">[1]</a></sup> I have a dog.<sup><a href=\"#n2\">[2]</a></sup><sup><a href=\"#n3\">[3]</a></sup></p>",
        &["Haus", "1850", ".<sup id=\"c1\"><a href=\"#n1\">[1]</a></sup> ", "Hund.<sup><a href=\"#n2\">[2]</a></sup><sup><a href=\"#n3\">[3]</a></sup></p>"],
    ),
    (
        "nested.html",
        b"<a href=\"#\">\n  <em>\n    <span>\n     The dog is\n    </span>\n  </em>\n  <em>\n    old!\n  </em>\n</a>",
        &["<a href=\"#\">\n  <em>\n    <span>\n     ", "Hund", "</span>\n  </em>\n  <em>\n    ", "!", "\n  </em>\n</a>"],
    ),
    (
        "blanks.html",
        b"<p>See the <img src=\"a.png\" alt=\"\"> house now.</p>\n<p>See the <svg><path d=\"M0 0\"/></svg> house now.</p>\n<p>See the <i class=\"icon\"></i> house now.</p>\n<p>The name <input name=\"n\"> is right.</p>\n<p>The super<wbr>market is big.</p>",
        &[" <img src=\"a.png\" alt=\"\"> ", " <svg><path d=\"M0 0\"/></svg> ", " <i class=\"icon\"></i> ", " <input name=\"n\"> ", "<wbr>", "upermarkt "],
    ),
    (
        "stays.html",
        b"<p>I have a <span translate=\"no\">Red Dog</span> house.</p>\n<p>The word <i lang=\"fr\">bon chien</i> is right.</p>\n<p>Open <b class=\"notranslate\">My Notes</b> now.</p>\n<p>Press <kbd>Ctrl</kbd>+<kbd>C</kbd> now.</p>\n<p>Press <kbd><kbd>Alt</kbd>+<kbd>F4</kbd></kbd> now.</p>\n<p>Use <code>a</code>/<code>b</code> or <code>c</code>,<code>d</code>.</p>",
        &["<span translate=\"no\">Red Dog</span>", "<i lang=\"fr\">bon chien</i>", "<b class=\"notranslate\">My Notes</b>", "<kbd>Ctrl</kbd>+<kbd>C</kbd>", "<kbd><kbd>Alt</kbd>+<kbd>F4</kbd></kbd>", "<code>a</code>/<code>b</code>", "<code>c</code>,<code>d</code>"],
    ),
    (
        "word-processor.html",
        b"<html xmlns:o=\"urn:schemas-microsoft-com:office:office\"><head><!--[if gte mso 9]><xml><o:x/></xml><![endif]--></head><body lang=EN-US><p class=MsoNormal><span lang=EN-GB style='a:b'>The dog is old.<o:p></o:p></span></p><p><![if !supportEmptyParas]>&nbsp;<![endif]><o:p></o:p></p><p><![if !supportLists]><span>1.<span>&nbsp; </span></span><![endif]>The cat is old.</p><p lang=\"de-DE\">Der Satz ist deutsch.</p></body></html>",
        &["<!--[if gte mso 9]><xml><o:x/></xml><![endif]-->", "<body lang=de><p class=MsoNormal><span lang=de style='a:b'>", "Hund", "<o:p></o:p></span></p><p><![if !supportEmptyParas]>&nbsp;<![endif]><o:p></o:p></p><p><![if !supportLists]><span>", "<span>&nbsp; </span></span><![endif]>", "Katze", "<p lang=\"de-DE\">Der Satz ist deutsch.</p>"],
    ),
    (
        "languages.html",
        b"<!DOCTYPE html><html><body lang=\"en-US\"><div lang=\"en\"><p>The dog is old.</p></div><p xml:lang=\"en\">The cat is old.</p><article lang=\"fr\"><h2>Le chien</h2></article></body></html>",
        &["<html lang=\"de\"><body lang=\"de\"><div lang=\"de\"><p>", "Hund", "<p xml:lang=\"de\">", "Katze", "<article lang=\"fr\"><h2>Le chien</h2>"],
    ),
    (
        "spaces.html",
        b"<p>&nbsp;&nbsp;The dog is old.</p>\n<p>&nbsp;</p>\n<p>The dog:&emsp;the cat</p>\n<table><tr><td>&nbsp;</td><td>The dog</td><td>&mdash;</td></tr></table>",
        &["<p>&nbsp;&nbsp;", "Hund", "<p>&nbsp;</p>\n<p>", "Hund", "&emsp;", "Katze", "<td>&nbsp;</td><td>", "Hund", "</td><td>&mdash;</td>"],
    ),
    (
        "hyphens.html",
        b"<p>The re&shy;mark&shy;able house is big.</p>\n<p>The dog&#8203; is old.</p>",
        &["Haus", "</p>\n<p>", "Hund"],
    ),
    (
        "joined.html",
        b"<p>Use <b>tar</b>+<b>gzip</b> now.</p>\n<p>The $head_<i>xxx</i> and $1<i>c</i>$2 are right.</p>",
        &["<b>tar</b>+<b>gzip</b>", "$head_<i>xxx</i>", "$1<i>c</i>$2"],
    ),
    (
        "empty-title.xhtml",
        b"<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<html xmlns=\"http://www.w3.org/1999/xhtml\"><head><title/></head><body><p>The dog is old.</p></body></html>",
        &["<html lang=\"de\" xml:lang=\"de\" xmlns=\"http://www.w3.org/1999/xhtml\"><head><title/></head><body><p>", "Hund"],
    ),
];

fn translate(arguments: &[&str], folder: &Path, input: Option<&[u8]>) -> Vec<u8> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wanderwort"));
    command.current_dir(folder).args(["translate", "--model"]);
    command.arg(crate::prototype::FOLDER);
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    child.stdin.take().expect("a pipe").write_all(input.unwrap_or_default()).expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.is_empty(), "{arguments:?}: {said}");
    output.stdout
}

#[test]
fn files_come_back_as_they_were_but_for_their_language() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("en")).expect("a folder");
    for (name, bytes, _) in CASES {
        fs::write(folder.path().join("en").join(name), bytes).expect("room");
    }
    translate(&["en", "--output", "de"], folder.path(), None);
    for (name, bytes, expected) in CASES {
        let translated = fs::read_to_string(folder.path().join("de").join(name)).expect("UTF-8");
        let mut rest = &translated[..];
        for part in expected {
            let found = rest.find(part).unwrap_or_else(|| panic!("{name}: no {part:?} in {rest:?} of {translated}"));
            rest = &rest[found + part.len()..];
        }
        if let Ok(source) = std::str::from_utf8(bytes) {
            let mut before = markup(source);
            let mut after = markup(&translated);
            // A word that stays may change its place with another, and its tags with it.
            before.sort();
            after.sort();
            let changes =
                |tag: &str| ["<?xml ", "<meta", "<html", "<option"].iter().any(|start| tag.starts_with(start));
            assert_same(&name, &before, &after, changes);
        }
    }
    // A file said to be HTML, from standard input and by its name, is the same.
    for (index, (name, bytes, _)) in CASES.iter().enumerate().step_by(5) {
        let written = fs::read(folder.path().join("de").join(name)).expect("it was written");
        let option: &[&str] = if index % 2 == 0 { &["--html"] } else { &["--format", "html"] };
        assert_eq!(translate(option, folder.path(), Some(bytes)), written, "{name}");
        let file = format!("en/{name}");
        assert_eq!(translate(&[option, &[&file]].concat(), folder.path(), None), written, "{name}");
    }
}

#[test]
fn soft_hyphens_do_not_pile_up() {
    let folder = tempfile::tempdir().expect("a folder");
    let translated =
        translate(&["--html"], folder.path(), Some(b"<p>The re&shy;mark&shy;able house is very&shy; big.</p>"));
    let translated = String::from_utf8(translated).expect("UTF-8").replace("&shy;", "\u{ad}");
    for wrong in ["\u{ad}\u{ad}", "\u{ad} ", "\u{ad}.", "\u{ad}<"] {
        assert!(!translated.contains(wrong), "{translated:?}");
    }
    assert!(translated.contains("Haus"), "{translated}");
}

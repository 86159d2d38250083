//! Faults of other translators of HTML, each as a situation of its own; what is right stands beside it.

use proptest::prelude::*;
use wanderwort::text::documents::{self, Format, ReadOptions};
use wanderwort::text::html::translate_html;
use wanderwort::text::structure::Wrapped;

use super::{translate, translate_backwards};
use crate::shouting::{LANGUAGES, shout};

/// `lang` is said where nobody said it, and the encoding where it matters: not what these cases are about.
fn page(html: &str) -> String {
    translate(html).replacen("<html lang=\"de\">", "<html>", 1)
}

#[test]
fn doctypes_keep_their_identifiers() {
    for doctype in [
        "<!DOCTYPE HTML PUBLIC \"-//W3C//DTD HTML 3.2 Final//EN\">",
        "<!doctype html public '-//W3C//DTD HTML 4.01 Transitional//EN' 'http://www.w3.org/TR/html4/loose.dtd'>",
        "<!DOCTYPE html SYSTEM \"about:legacy-compat\">",
    ] {
        assert_eq!(page(&format!("{doctype}\n<html><p>one</p></html>")), format!("{doctype}\n<html><p>ONE</p></html>"));
    }
}

#[test]
fn the_head_stays_the_head() {
    let head = "<head><meta charset=\"utf-8\">\n<noscript><link rel=stylesheet href=n.css></noscript>\n<title>TEA</title>\n<script>var a = '<b>';</script>\n\
        <meta name=theme-color content=red><link rel=\"alternate\" hreflang=fr href=\"/fr\"><base href=\"/\"></head>";
    let html = format!("<html>{head}<body id=top><p>POT</p></body></html>");
    assert_eq!(page(&html.replace("TEA", "tea").replace("POT", "pot")), html);
}

#[test]
fn leading_blank_lines_and_code_stay() {
    for html in
        ["<pre>\n\nlet tea = 1;\n  tea</pre>", "<textarea name=t>\n\n  mine</textarea>", "<listing>\n\nx</listing>"]
    {
        assert_eq!(translate(html), html);
    }
}

#[test]
fn numbers_and_bullets_of_word_processors_are_no_part_of_the_text() {
    let texts = |html: &str| -> Vec<String> {
        let options = ReadOptions { languages: LANGUAGES, encoding: None, wrapped: Wrapped::Auto };
        let document = Format::named("html").unwrap().read(html.into(), &options).unwrap();
        documents::texts(&*document).into_iter().map(str::to_owned).collect()
    };
    for mark in [
        "1.&nbsp;&nbsp; ",
        "1.<span style='font:7.0pt \"Times New Roman\"'>&nbsp;&nbsp;&nbsp;&nbsp; </span>",
        "<![if !supportLists]><span style='mso-list:Ignore'>2.1<span>\u{a0}\u{a0} </span></span><![endif]>",
        "<span style='font-family:Symbol'>·<span>&#160;&#160; </span></span>",
        "<b>o</b><i>&nbsp; </i>",
        "§<span>&nbsp; </span>",
    ] {
        assert_eq!(texts(&format!("<p>{mark}the <i>old</i> house")), ["the old house"], "{mark}");
        assert_eq!(translate(&format!("<p>{mark}the <i>old</i> house")), format!("<p>{mark}THE <i>OLD</i> HOUSE"));
    }
    for (html, text) in [
        ("<p>the&nbsp; house", "the house"),
        ("<p>1. the house", "1. the house"),
        ("<p>2.&nbsp;mai", "2.\u{a0}mai"),
        ("<p>20&nbsp; km", "20 km"),
        ("<p>a&nbsp; house", "a house"),
    ] {
        assert_eq!(texts(html), [text]);
    }
    assert_eq!(texts("<p><b>1.&nbsp;&nbsp; the</b> house"), ["1. the house"]);
}

#[test]
fn what_is_malformed_stays_so() {
    for (html, expected) in [
        ("<p>a <b>cup <i>of</b> tea</i> now", "<p>A <b>CUP <i>OF</b> TEA</i> NOW"),
        (
            "<p>open <a href=x>door and <div>a room</div> behind it.</p>",
            "<p>OPEN <a href=x>DOOR AND <div>A ROOM</div> BEHIND IT.</p>",
        ),
        ("<table><p>a stray</p><tr><td>one<td>two</table>", "<table><p>A STRAY</p><tr><td>ONE<td>TWO</table>"),
        ("<ol><li>one<li>two</ol></body></html> and more", "<ol><li>ONE<li>TWO</ol></body></html> AND MORE"),
        ("<p id=a id=b>twice</p></p></div>", "<p id=a id=b>TWICE</p></p></div>"),
    ] {
        assert_eq!(translate(html), expected);
    }
}

#[test]
fn what_is_shown_only_now_and_then_is_translated_too() {
    for (html, expected) in [
        ("<template><li>an item</li></template>", "<template><li>AN ITEM</li></template>"),
        ("<noscript><p>no <b>scripts</b></p></noscript>", "<noscript><p>NO <b>SCRIPTS</b></p></noscript>"),
        (
            "<video src=v><track label=\"a song\">no video</video>",
            "<video src=v><track label=\"A SONG\">NO VIDEO</video>",
        ),
        ("<details><summary>more</summary>of it</details>", "<details><summary>MORE</summary>OF IT</details>"),
        (
            "<svg><title>a cup</title><foreignObject><p>tea</p></foreignObject></svg>",
            "<svg><title>A CUP</title><foreignObject><p>TEA</p></foreignObject></svg>",
        ),
    ] {
        assert_eq!(translate(html), expected);
    }
}

#[test]
fn the_markup_of_word_processors_stays() {
    let html = "<html xmlns:o=\"urn:schemas-microsoft-com:office:office\"><head><!--[if gte mso 9]><xml><o:p>x</o:p></xml><![endif]--><style><!-- p {} --></style></head>\
        <body><p class=MsoNormal>A CUP OF TEA<o:p></o:p></p><p class=MsoList><![if !supportLists]><span>1.<span>&nbsp;&nbsp; </span></span><![endif]>THE POT</p>\
        <p>THE <st1:place w:st=\"on\">TOWN</st1:place> IS OLD<span style='mso-spacerun:yes'>&nbsp; </span>AND SMALL</p></body></html>";
    let mut source = html.to_owned();
    for words in ["A CUP OF TEA", "THE POT", "THE <", "TOWN", "IS OLD", "AND SMALL"] {
        source = source.replace(words, &words.to_lowercase());
    }
    let translated = translate(&source).replacen("<html lang=\"de\" ", "<html ", 1);
    assert_eq!(translated, html);
}

#[test]
fn spaces_that_do_not_break_stay_where_they_were() {
    for (html, expected) in [
        ("<p>a&nbsp;cup&nbsp;of tea</p>", "<p>A&nbsp;CUP&nbsp;OF TEA</p>"),
        ("<p>tea&nbsp;&nbsp;&nbsp;pot</p>", "<p>TEA&nbsp;&nbsp;&nbsp;POT</p>"),
        ("<p>&nbsp;&nbsp;further in</p>", "<p>&nbsp;&nbsp;FURTHER IN</p>"),
        ("<table><tr><td>&nbsp;<td>tea</table>", "<table><tr><td>&nbsp;<td>TEA</table>"),
        ("<p>tea.&nbsp; Pot.</p>", "<p>TEA.&nbsp; POT.</p>"),
        ("<p>cup:&emsp;red&ensp;and&thinsp;big</p>", "<p>CUP:&emsp;RED&ensp;AND&thinsp;BIG</p>"),
        ("<td>&nbsp;</td><td>tea</td><td>&mdash;</td>", "<td>&nbsp;</td><td>TEA</td><td>&mdash;</td>"),
    ] {
        assert_eq!(translate(html), expected);
    }
}

#[test]
fn characters_that_are_not_seen_stay_in_their_words() {
    for (html, expected) in [
        ("<p>one&#8203;two and three&#8288;four</p>", "<p>ONE&#8203;TWO AND THREE&#8288;FOUR</p>"),
        ("<p>re&shy;mark&shy;able tea &shy; &zwj;</p>", "<p>RE&shy;MARK&shy;ABLE TEA &shy; &zwj;</p>"),
        ("<p>one\u{ad}two\u{200b}three</p>", "<p>ONE\u{ad}TWO\u{200b}THREE</p>"),
    ] {
        assert_eq!(translate(html), expected);
    }
}

#[test]
fn elements_stay_on_their_parts_of_words_that_signs_join() {
    for (html, expected) in [
        ("<p>use <b>tar</b>+<b>zip</b> now</p>", "<p>USE <b>TAR</b>+<b>ZIP</b> NOW</p>"),
        ("<p>the $head_<i>xx</i> and $1<i>c</i>$2 are</p>", "<p>THE $HEAD_<i>XX</i> AND $1<i>C</i>$2 ARE</p>"),
        ("<p>a <b>cup</b>/<b>pot</b>=<i>tea</i> here</p>", "<p>A <b>CUP</b>/<b>POT</b>=<i>TEA</i> HERE</p>"),
        ("<p>the <i>b</i>ig <b>h</b>o<b>u</b>se</p>", "<p>THE <i>B</i>IG <b>H</b>O<b>U</b>SE</p>"),
    ] {
        assert_eq!(translate(html), expected);
    }
}

#[test]
fn a_word_that_may_break_is_one_word() {
    let html = "<p>the super<wbr>market&#8203;place is big</p>";
    let translated = translate_html(html, &LANGUAGES, |texts| {
        assert_eq!(texts, ["the supermarket\u{200b}place is big"]);
        texts.iter().map(|text| shout(text, false)).collect()
    });
    assert_eq!(translated.unwrap(), "<p>THE SUPER<wbr>MARKET&#8203;PLACE IS BIG</p>");
    assert_eq!(translate("<p>see /usr/<wbr>share/<wbr>doc, now</p>"), "<p>SEE /USR/<wbr>SHARE/<wbr>DOC, NOW</p>");
    // Another word may break elsewhere; in front of it is always a place for that.
    let with = |translation: &'static str| {
        let html = "<p>the super<wbr>market.</p>";
        let translated = translate_html(html, &LANGUAGES, |_| {
            let link = |target, source| wanderwort::Link { target, source };
            let tokens = vec![link(0..3, 0..3), link(4..translation.len() - 1, 4..15)];
            let sentences = vec![link(0..translation.len(), 0..16)];
            vec![wanderwort::text::documents::AlignedText { text: translation.to_owned(), sentences, tokens }]
        });
        translated.unwrap()
    };
    assert_eq!(with("der Laden."), "<p>der <wbr>Laden.</p>");
    assert_eq!(with("der Supermarket."), "<p>der Super<wbr>market.</p>");
}

proptest! {
    #[test]
    fn words_joined_by_signs_keep_their_elements(
        parts in prop::collection::vec(("[a-z]{1,5}|[0-9]{1,3}[a-z]", 0..4usize, "[-+/=.:_$#~]{1,2}"), 1..7)
    ) {
        let html: String = parts.iter().map(|(word, kind, sign)| match kind {
            0 => format!("<b>{word}</b>{sign}"),
            1 => format!("<i>{word}</i>{sign}"),
            2 => format!("{sign}<a><b>{word}</b></a>"),
            _ => format!("{word}{sign}"),
        }).collect();
        let html = format!("<p>one {html} two</p>");
        let tags = |html: &str| html.replace("<B>", "<b>").replace("<I>", "<i>").replace("<A>", "<a>").replace("<P>", "<p>")
            .replace("</B>", "</b>").replace("</I>", "</i>").replace("</A>", "</a>").replace("</P>", "</p>");
        prop_assert_eq!(translate(&html), tags(&html.to_uppercase()));
    }
}

#[test]
fn references_stay_as_they_are_spelt() {
    assert_eq!(
        translate(
            "<p>a &amp; b &lt;3 tea &copy; 2026 &hellip; 5&nbsp;l &mdash; &#x1F375; &NONAME; &amp;AMP; A&B c&lt;d</p><p>e &AMP; f</p>"
        ),
        "<p>A &amp; B &lt;3 TEA &copy; 2026 &hellip; 5&nbsp;L &mdash; &#x1F375; &NONAME; &amp;AMP; A&B C&lt;D</p><p>E &AMP; F</p>"
    );
    assert_eq!(
        translate("<p title=\"a &quot;b&quot; &amp; c\">say &quot;here&quot; and &#39;there&#39;</p>"),
        "<p title=\"A &quot;B&quot; &amp; C\">SAY &quot;HERE&quot; AND &#39;THERE&#39;</p>"
    );
}

#[test]
fn what_touches_a_thing_that_stays_is_a_word_of_its_own() {
    for html in [
        "<p>IN <code>/usr/</code><em>ONE</em><code>/lib</code> NOW</p>",
        "<p>IN <code>a</code><em>ONE</em> NOW</p>",
        "<p>IN <em>ONE</em><code>a</code> NOW</p>",
        "<p><em>ONE</em><code>a</code>TWO <b>THREE</b></p>",
        "<p>THE <b><code>a</code></b>S AND <a><code>b</code>-LIKE</a> THINGS</p>",
        "<p>THE <i>ONE<code>a</code></i><code>b</code><i>TWO</i> THINGS</p>",
    ] {
        let mut source = html.to_owned();
        for word in ["IN", "ONE", "TWO", "THREE", "NOW", "THE ", "S AND", "LIKE", "THINGS"] {
            source = source.replace(word, &word.to_lowercase());
        }
        assert_eq!(translate(&source), html);
    }
    assert_eq!(
        translate_backwards("<p>in <code>/usr/</code><em>one</em><code>/lib</code> now</p>"),
        "<p>NOW <code>/usr/</code><em>ONE</em><code>/lib</code> IN</p>"
    );
}

#[test]
fn keys_formulas_and_names_move_as_a_whole() {
    assert_eq!(
        translate_backwards("<p>hold <kbd><kbd>Alt</kbd>+<kbd>F4</kbd></kbd> down</p>"),
        "<p>DOWN <kbd><kbd>Alt</kbd>+<kbd>F4</kbd></kbd> HOLD</p>"
    );
    assert_eq!(
        translate_backwards("<p>if <math><mi>n</mi></math>, <math><mi>m</mi></math> are odd</p>")
            .matches("<math>")
            .count(),
        2
    );
    assert_eq!(
        translate("<p>the word <i lang=la>Felis</i> and <b class=notranslate>Blue Cup</b> shop</p>"),
        "<p>THE WORD <i lang=la>Felis</i> AND <b class=notranslate>Blue Cup</b> SHOP</p>"
    );
}

//! What markup means to those who read or send it.

use wanderwort::Link;
use wanderwort::text::documents::{AlignedText, Languages};
use wanderwort::text::html::translate_html;

use super::{translate, translate_backwards};
use crate::shouting::LANGUAGES;

#[test]
fn forms_send_what_they_sent() {
    for (html, expected) in [
        ("<select><option>red  one</option></select>", "<select><option value=\"red one\">RED ONE</option></select>"),
        ("<option value=r>red</option>", "<option value=r>RED</option>"),
        ("<option value=\"\">red</option>", "<option value=\"\">RED</option>"),
        (
            "<option selected>say &quot;a&quot;<b> c",
            "<option value=\"say &quot;a&quot; c\" selected>SAY &quot;A&quot;<b> C",
        ),
        ("<option>42</option>", "<option>42</option>"),
        (
            "<datalist><option>apple<option value=pear></datalist>",
            "<datalist><option value=\"apple\">APPLE<option value=pear></datalist>",
        ),
        ("<input type=submit name=op value=save>", "<input type=submit name=op value=save>"),
        ("<input type=submit value='save'>", "<input type=submit value='SAVE'>"),
        ("<input type=RESET name=r value=\"clear\">", "<input type=RESET name=r value=\"CLEAR\">"),
        ("<input value=\"mine\" placeholder=\"your\">", "<input value=\"mine\" placeholder=\"YOUR\">"),
        ("<button name=a value=\"del\">delete</button>", "<button name=a value=\"del\">DELETE</button>"),
    ] {
        assert_eq!(translate(html), expected);
    }
}

#[test]
fn what_must_stay_is_there_once_and_in_its_place() {
    for html in [
        "<p>PRESS <kbd>Ctrl</kbd>+<kbd>C</kbd> TO COPY.</p>",
        "<p>PRESS <kbd>Ctrl</kbd> + <kbd>Shift</kbd> + <kbd>T</kbd> NOW.</p>",
        "<p>I LIKE <span translate=no>green apple</span> THINGS.</p>",
        "<p>THE WORD <i lang=de>Haus</i> SAYS IT.</p>",
        "<p><code>git add</code> ADDS; <code>git commit</code> SAVES.</p>",
        "<p>USE <code>a</code>/<code>b</code> OR <code>c</code>,<code>d</code>.</p>",
    ] {
        let source = html.replace("PRESS", "press").replace("THE WORD", "the word");
        assert_eq!(translate(&source), html);
    }
    assert_eq!(
        translate_backwards("<p>press <kbd>Ctrl</kbd>+<kbd>C</kbd> or <kbd>X</kbd> here</p>"),
        "<p>HERE <kbd>X</kbd> OR <kbd>Ctrl</kbd>+<kbd>C</kbd> PRESS</p>"
    );
}

#[test]
fn a_sentence_that_loses_what_must_stay_is_left_as_it_was() {
    let forgetful = |texts: &[&str]| {
        let forget = |text: &&str| {
            let mut shouted = crate::shouting::shout(text, false);
            // The second sentence's.
            if let Some(sentence) = shouted.sentences.get(1) {
                let lost: String =
                    shouted.text[sentence.target.clone()].chars().filter(|c| (*c as u32) < 0x10000).collect();
                shouted.text.truncate(sentence.target.start);
                shouted.text.push_str(&lost);
                let end = shouted.text.len();
                shouted.sentences[1].target.end = end;
                shouted.tokens.retain(|token| token.target.end <= end);
            }
            shouted
        };
        texts.iter().map(forget).collect()
    };
    let html = "<p>Use <code>a</code> here. Use <code>b</code> there.</p>";
    assert_eq!(
        translate_html(html, &LANGUAGES, forgetful).unwrap(),
        "<p>USE <code>a</code> HERE. Use <code>b</code> there.</p>"
    );
}

#[test]
fn annotations_stay_with_what_they_say_how_to_read() {
    for (html, expected) in [
        ("<p>the <ruby>house<rt>big</rt></ruby> is</p>", "<p>THE <ruby>HOUSE<rt>big</rt></ruby> IS</p>"),
        ("<p>in <ruby>Rome<rp>(</rp><rt>x<rp>)</ruby> now</p>", "<p>IN <ruby>ROME<rp>(</rp><rt>x<rp>)</ruby> NOW</p>"),
        (
            "<p>say <ruby>漢<rt>kan</rt>字<rt>ji</rt></ruby> now</p>",
            "<p>SAY <ruby>漢<rt>kan</rt>字<rt>ji</rt></ruby> NOW</p>",
        ),
    ] {
        assert_eq!(translate(html), expected);
    }
    assert_eq!(
        translate_backwards("<p>the <ruby>house<rt>big</rt></ruby> is</p>"),
        "<p>IS <ruby>HOUSE<rt>big</rt></ruby> THE</p>"
    );
}

#[test]
fn readings_of_the_original_are_of_no_use_to_readers_of_the_translation() {
    let html = "<p><ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp>字<rt>じ</rt></ruby>です。</p>";
    let languages = Languages { source: "ja", target: "de" };
    let translate = |texts: &[&str]| {
        assert_eq!(texts, ["漢字です。"]);
        let sentences = vec![Link { target: 0..15, source: 0..15 }];
        let tokens = vec![Link { target: 4..9, source: 0..6 }];
        vec![AlignedText { text: "Das Kanji ist. ".into(), sentences, tokens }]
    };
    let translated = translate_html(html, &languages, translate).unwrap();
    assert_eq!(translated, "<p>Das <ruby>Kanji</ruby> ist. </p>");
}

#[test]
fn languages_are_what_the_text_is_in() {
    for (html, expected) in [
        ("<html><p>one", "<html lang=\"de\"><p>ONE"),
        ("<html LANG=en-US><p>one", "<html LANG=de><p>ONE"),
        ("<body lang=en><p>one", "<body lang=de><p>ONE"),
        ("<p xml:lang='en'>one", "<p xml:lang='de'>ONE"),
        ("<p><span lang=en-GB>one</span> two", "<p><span lang=de>ONE</span> TWO"),
        ("<p lang=fr>un", "<p lang=fr>un"),
        ("<p lang=en translate=no>one", "<p lang=en translate=no>one"),
        ("<p lang=en><code>one</code>", "<p lang=en><code>one</code>"),
        ("<img lang=en alt='one'>", "<img lang=de alt='ONE'>"),
        ("<div lang=fr>un <p lang=en>one", "<div lang=fr>un <p lang=de>ONE"),
        ("<meta http-equiv=Content-Language content=en>", "<meta http-equiv=Content-Language content=de>"),
    ] {
        assert_eq!(translate(html), expected);
    }
}

#[test]
fn names_have_no_case() {
    assert_eq!(translate("<META NAME=Description CONTENT=\"one\">"), "<META NAME=Description CONTENT=\"ONE\">");
    assert_eq!(translate("<IMG ALT='one'>"), "<IMG ALT='ONE'>");
    assert_eq!(translate("<link rel=STYLESHEET title=one>"), "<link rel=STYLESHEET title=one>");
}

#[test]
fn things_in_a_text_have_texts_of_their_own() {
    assert_eq!(
        translate_backwards("<p>see one <object data=x><p>two <b>three</b></object> four</p>"),
        "<p><object data=x><p><b>THREE</b> TWO</object> FOUR ONE SEE</p>"
    );
    assert_eq!(
        translate("<iframe srcdoc=\"<p title='a'>one &amp;amp; &quot;two&quot;\">three</iframe>"),
        "<iframe srcdoc=\"<p title='A'>ONE &amp;amp; &quot;TWO&quot;\">THREE</iframe>"
    );
    assert_eq!(
        translate("<svg><title>one</title><text>two</text><foreignObject><p>three</foreignObject></svg>"),
        "<svg><title>ONE</title><text>TWO</text><foreignObject><p>THREE</foreignObject></svg>"
    );
    assert_eq!(
        translate("<p>one <math><annotation-xml encoding='text/html'><p>two</p></annotation-xml></math> three</p>"),
        "<p>ONE <math><annotation-xml encoding='text/html'><p>two</p></annotation-xml></math> THREE</p>"
    );
}

#[test]
fn marks_of_notes_are_no_part_of_a_sentence() {
    assert_eq!(
        translate_backwards(
            "<p>It was built.<sup><a href=\"#1\">[1]</a></sup> It was sold.<sup id=x><a>[2]</a></sup><sup><a>[note 3]</a></sup></p>"
        ),
        "<p>BUILT WAS IT.<sup><a href=\"#1\">[1]</a></sup> SOLD WAS IT.<sup id=x><a>[2]</a></sup><sup><a>3] [NOTE</a></sup></p>"
    );
    assert_eq!(
        translate_backwards("<p>one two<a href=\"#1\"><sup>1</sup></a> three four.</p>"),
        "<p>FOUR THREE TWO<a href=\"#1\"><sup>1</sup></a> ONE.</p>"
    );
    assert_eq!(translate("<p>5 m<sup>2</sup> of one</p>"), "<p>5 M<sup>2</sup> OF ONE</p>");
    assert_eq!(translate("<p>one <sup>一</sup></p>"), "<p>ONE <sup>一</sup></p>");
    assert_eq!(translate("<p>one<a><sup>二</sup></a></p>"), "<p>ONE<a><sup>二</sup></a></p>");
}

#[test]
fn elements_that_overlap_stay_where_they_are() {
    assert_eq!(
        translate_backwards("<p>the <b>big <i>red</b> house</i> is old.</p>"),
        "<p>THE <b>BIG <i>RED</b> HOUSE</i> OLD IS.</p>"
    );
    assert_eq!(
        translate_backwards("<p>one two <font size=2>three four<p>five <b>six</b></p>"),
        "<p>TWO ONE <font size=2>FOUR THREE<p><b>SIX</b> FIVE</p>"
    );
}

#[test]
fn initials_belong_to_the_first_word() {
    let link = |target, source| Link { target, source };
    let translated = translate_html("<p><b>O</b>nce a king was.</p>", &LANGUAGES, |_| {
        let tokens = vec![link(0..2, 7..11), link(3..6, 11..14), link(7..13, 0..4), link(14..22, 5..10)];
        let text = "Es war einmal ein König.".to_owned();
        let sentences = vec![link(0..text.len(), 0..16)];
        vec![AlignedText { text, sentences, tokens }]
    });
    assert_eq!(translated.unwrap(), "<p><b>E</b>s war einmal ein König.</p>");
    assert_eq!(translate("<p><b>T</b>he house. <i>“W</i>e</p>"), "<p><b>T</b>HE HOUSE. <i>“W</i>E</p>");
}

#[test]
fn endings_and_decimals_stay_with_their_numbers() {
    let link = |target, source| Link { target, source };
    let with = |html: &str, text: &str, tokens: Vec<Link>, length: usize| {
        let translated = translate_html(html, &LANGUAGES, |_| {
            let sentences = vec![link(0..text.len(), 0..length)];
            vec![AlignedText { text: text.to_owned(), sentences, tokens: tokens.clone() }]
        });
        translated.unwrap()
    };
    let tokens = vec![link(0..3, 0..3), link(4..6, 4..7), link(7..12, 8..13)];
    assert_eq!(with("<p>the 1<sup>st</sup> prize</p>", "den 1. Preis", tokens, 13), "<p>den 1<sup>.</sup> Preis</p>");
    let tokens =
        vec![link(0..6, 3..8), link(7..9, 0..2), link(10..11, 9..10), link(11..12, 10..11), link(12..14, 11..13)];
    assert_eq!(
        with("<p>it costs 5<small>.99</small></p>", "kostet es 5,99", tokens, 13),
        "<p>kostet es 5<small>,99</small></p>"
    );
}

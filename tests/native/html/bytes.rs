//! What is not text stays byte for byte.

use proptest::prelude::*;
use wanderwort::text::html::translate_html;

use super::{translate, translate_backwards};
use crate::shouting::LANGUAGES;

/// Words that are in lower case so that they show, in markup that must not change.
const PAGE: &str = "<!doctype HTML PUBLIC '-//W3C//DTD HTML 4.01//EN'>\n<HTML lang='de' >\n<head><TITLE>one</TITLE><meta charset=utf-8></head>\n\
    <body CLASS=x\n  onload='f(\"&amp;\")'><!-- a <b> --><P Align=center>two<BR>three &nbsp;</P >\n<p>four<hr/><img SRC=a.png alt=''>\n\
    <ul><li>five<li>six</ul></p></ul>\t<table><tr><td>seven</table>&#169;&#8212;\n<script>if (a<b) { f('eight') }</script>\n</BODY></HTML>\n";

#[test]
fn a_page_stays_as_it_is_but_for_its_text() {
    let mut expected = PAGE.to_owned();
    for word in ["one", "two", "three", "four", "five", "six", "seven"] {
        expected = expected.replace(&format!(">{word}"), &format!(">{}", word.to_uppercase()));
    }
    assert_eq!(translate(PAGE), expected);
}

#[test]
fn comments_and_instructions_stay_in_their_places() {
    for (html, expected) in [
        ("<p>hi <!--#echo var=\"X\" -->, you</p>", "<p>HI <!--#echo var=\"X\" -->, YOU</p>"),
        ("<p>One part. <!--more--> Another.</p>", "<p>ONE PART. <!--more--> ANOTHER.</p>"),
        ("<p>see <!-- ko text: n --><!-- /ko --> mails</p>", "<p>SEE <!-- ko text: n --><!-- /ko --> MAILS</p>"),
        ("<p>in <!--[if IE]>an old<![endif]--> one</p>", "<p>IN <!--[if IE]>an old<![endif]--> ONE</p>"),
        ("<p>hi <?php echo $a->b; ?>, you</p>", "<p>HI <?php echo $a->b; ?>, YOU</p>"),
        ("<p>sum: <%= a > b %> in all</p>", "<p>SUM: <%= a > b %> IN ALL</p>"),
        ("<?php if ($a > 1): ?><p>one</p><?php endif ?>", "<?php if ($a > 1): ?><p>ONE</p><?php endif ?>"),
        (
            "<option <?= $a > 1 ? 'selected' : '' ?> value=1>one</option>",
            "<option <?= $a > 1 ? 'selected' : '' ?> value=1>ONE</option>",
        ),
        (
            "<table>{% for x in y %}<tr><td>one</td></tr>{% endfor %}</table>",
            "<table>{% for x in y %}<tr><td>ONE</td></tr>{% endfor %}</table>",
        ),
        ("<p>one<?php f();", "<p>ONE<?php f();"),
        ("<p title=\"say <?= $x ?>\">one</p>", "<p title=\"say <?= $x ?>\">ONE</p>"),
    ] {
        assert_eq!(translate(html), expected);
    }
    // What the order of a program is, stays.
    assert_eq!(
        translate_backwards("<p>one two <?php if ($a): ?>three four<?php endif; ?> five six</p>"),
        "<p>TWO ONE <?php if ($a): ?>FOUR THREE<?php endif; ?> SIX FIVE</p>"
    );
    // What writes a word goes where the word goes.
    assert_eq!(translate_backwards("<p>one <?= $a ?> two</p>"), "<p>TWO <?= $a ?> ONE</p>");
    assert_eq!(
        translate_backwards("<p>one <![if x]>two <b>three</b><![endif]> four</p>"),
        "<p>FOUR <![if x]><b>THREE</b> TWO<![endif]> ONE</p>"
    );
}

#[test]
fn white_space_stays_around_what_has_no_words() {
    for html in [
        "<p>press the <img src=a> key</p>",
        "<p>press the <i class=icon></i> key</p>",
        "<p>press the <svg><path d=M0 /></svg> key</p>",
        "<p>name <input name=n> and go</p>",
        "<p>if <math><mi>n</mi></math> is odd</p>",
        "<a>\n  <em>\n    <i>\n one of\n   </i>\n  </em>\n  <em> two!\n </em>\n</a>",
        "<p>\n  one\n  two</p>",
        "<pre>\n\n  one\n</pre><textarea>\n\ntwo</textarea>",
    ] {
        let words = ["press", "the", "key", "name", "and", "go", "if", "is", "odd", "one", "of", "two"];
        let is_open = !html.contains("<pre>");
        let mut expected = html.to_owned();
        for word in words.iter().filter(|_| is_open) {
            for (before, after) in [(" ", " "), (">", " "), (" ", "<"), (" ", "\n"), (" ", "!")] {
                let found = format!("{before}{word}{after}");
                expected = expected.replace(&found, &found.to_uppercase());
            }
        }
        assert_eq!(translate(html), expected);
    }
    assert_eq!(
        translate("<p>press&nbsp;&nbsp; the\u{a0} key &#8239;go</p>"),
        "<p>PRESS&nbsp;&nbsp; THE\u{a0} KEY &#8239;GO</p>"
    );
    // Also where they move.
    assert_eq!(translate_backwards("<p>see <img> one two</p>"), "<p>TWO <img> ONE SEE</p>");
}

#[test]
fn characters_are_spelt_as_they_were() {
    assert_eq!(translate("<p>AT&T, R & D, b && c, &copy &bogus;</p>"), "<p>AT&T, R & D, B && C, &copy &BOGUS;</p>");
    // References that need no semicolon, where they are read as such.
    for (html, expected) in [
        ("<p>a &notaname; b&notc &#169 d &lt e</p>", "<p>A &notANAME; B&notC &#169 D &lt E</p>"),
        ("<p title='a &copy 1'>c</p>", "<p title='A &copy 1'>C</p>"),
        ("<p>one &not two. in: three &notin; four</p>", "<p>ONE &not TWO. IN: THREE &notin; FOUR</p>"),
    ] {
        assert_eq!(translate(html), expected);
    }

    assert_eq!(translate("<p>A &amp; B and AT&T</p>"), "<p>A &amp; B AND AT&T</p>");
    assert_eq!(
        translate("<p>a &quot;b&quot; &mdash; c&nbsp;d, e &amp; f &lt; g &copy; h</p>"),
        "<p>A &quot;B&quot; &mdash; C&nbsp;D, E &amp; F &lt; G &copy; H</p>"
    );
    assert_eq!(translate("<p>a \"b\" — c\u{a0}d 'e'</p>"), "<p>A \"B\" — C\u{a0}D 'E'</p>");
    assert_eq!(translate("<a title='say \"no\" &#39;'>x</a>"), "<a title='SAY \"NO\" &#39;'>X</a>");
    assert_eq!(translate("<a title=word>x</a>"), "<a title=\"WORD\">X</a>");
    assert_eq!(translate("<a title=\"one.&#10;two.\n  three.\">x</a>"), "<a title=\"ONE.&#10;TWO.\n  THREE.\">X</a>");
}

#[test]
fn lines_are_about_as_long_as_they_were() {
    let html = "<p>one two three four\n   five six seven eight\n   nine ten eleven twelve</p>";
    let translated = translate_backwards(html);
    let lines: Vec<&str> = translated.split("\n   ").collect();
    assert_eq!(lines.len(), 3);
    assert!(lines.iter().all(|line| line.split(' ').count() >= 3), "{translated}");
}

#[test]
fn fragments_are_fragments() {
    for (html, expected) in [
        ("<header><h1>one</h1></header>\n", "<header><h1>ONE</h1></header>\n"),
        ("<tr><td>one</td><td>two</td></tr>\n", "<tr><td>ONE</td><td>TWO</td></tr>\n"),
        ("<td>one<td>two", "<td>ONE<td>TWO"),
        ("<option value=a>one", "<option value=a>ONE"),
        ("<body class=x><p>one", "<body class=x><p>ONE"),
        (
            "<frameset cols=*><frame src=a title=one><noframes><p>two <b>three</b></noframes></frameset>",
            "<frameset cols=*><frame src=a title=\"ONE\"><noframes><p>TWO <b>THREE</b></noframes></frameset>",
        ),
        (
            "<head><noscript><img src=a></noscript><title>one</title>",
            "<head><noscript><img src=a></noscript><title>ONE</title>",
        ),
        ("<template><p>one</template>", "<template><p>ONE</template>"),
        ("one", "ONE"),
    ] {
        assert_eq!(translate(html), expected);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1024))]

    #[test]
    fn without_a_translation_all_stays(html in "(<(/?(b|i|p|a|br|table|td|svg|title|script|!--|\\?php|%))( [a-c]{1,2}=?[\"']?[a-z<&;]{0,3}[\"']?)?/?>?|[a-c .\n&;\"]|\\PC){0,40}") {
        prop_assert_eq!(translate_html(&html, &LANGUAGES, |_| Vec::new()).unwrap(), html);
    }
}

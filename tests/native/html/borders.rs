//! Where one text ends and the next begins in a line, as a person reads it.

use wanderwort::text::documents::{self, Format, ReadOptions};
use wanderwort::text::structure::Wrapped;

use super::{translate, translate_backwards};
use crate::shouting::LANGUAGES;

fn texts(html: &str) -> Vec<String> {
    let options = ReadOptions { languages: LANGUAGES, encoding: None, wrapped: Wrapped::Auto };
    let document = Format::named("html").unwrap().read(html.into(), &options).unwrap();
    documents::texts(&*document).into_iter().map(str::to_owned).collect()
}

#[test]
fn links_of_a_menu_are_texts_of_their_own() {
    for (html, expected) in [
        ("<nav><a>Home</a> <a>Our team</a> <a>Contact</a></nav>", vec!["Home", "Our team", "Contact"]),
        ("<nav><a>home</a> <a>about us</a> <a>contact</a></nav>", vec!["home", "about us", "contact"]),
        ("<nav><span><a>Home</a> <a>Our <b>team</b></a></span></nav>", vec!["Home", "Our team"]),
        (
            "<p><a>Home</a> › <a>Garden</a> › <span>Chairs and tables</span></p>",
            vec!["Home", "Garden", "Chairs and tables"],
        ),
        ("<p><a>Home</a> &rsaquo; <a>Garden</a> &gt; red chairs</p>", vec!["Home", "Garden", "red chairs"]),
        ("<p><a>Sign in</a> / <a>Register</a></p>", vec!["Sign in", "Register"]),
        ("<p>Tags: <a>travel</a> <a>street food</a></p>", vec!["Tags:", "travel", "street food"]),
        ("<p><span>Sort by</span> <a>Price</a> <a>Newest first</a></p>", vec!["Sort by", "Price", "Newest first"]),
        ("<div><span class=t>red wine</span> <span class=t>green tea</span></div>", vec!["red wine", "green tea"]),
        ("<p><span class=badge>New</span> <span>Only this week</span></p>", vec!["New", "Only this week"]),
        (
            "<p><b>Price:</b> twenty euros <b>Weight:</b> two pounds</p>",
            vec!["Price: twenty euros", "Weight: two pounds"],
        ),
        (
            "<p><img> <span>Add to the list</span> <img> <span>Remove it</span></p>",
            vec!["Add to the list", "Remove it"],
        ),
    ] {
        assert_eq!(texts(html), expected, "{html}");
    }
    assert_eq!(
        translate_backwards("<nav><i><a href=a>Our team</a> <a href=b>Write to us</a></i></nav>"),
        "<nav><i><a href=a>TEAM OUR</a> <a href=b>US TO WRITE</a></i></nav>"
    );
}

#[test]
fn words_that_touch_are_texts_of_their_own_unless_they_are_one() {
    for (html, expected) in [
        ("<p><b>Price</b><span>12 EUR</span></p>", vec!["Price", "12 EUR"]),
        ("<td><span>Name</span><span>Street</span></td>", vec!["Name", "Street"]),
        ("<p><b>Price</b><span>from 12 euros</span></p>", vec!["Price", "from 12 euros"]),
        ("<p><b>W</b><i>e</i> bake <b>br</b><i>ead</i></p>", vec!["We bake bread"]),
        ("<p><span>The hou</span><span>se is old</span></p>", vec!["The house is old"]),
        ("<p><b>H</b><sub>2</sub><b>O</b></p>", vec!["H2O"]),
        ("<p><b>Tar</b>+<b>Zip</b></p>", vec!["Tar+Zip"]),
    ] {
        assert_eq!(texts(html), expected, "{html}");
    }
}

#[test]
fn labels_and_fields_are_read_on_their_own() {
    for (html, expected) in [
        (
            "<p><label>First name</label> <input> <small>As in your passport</small></p>",
            vec!["First name", "As in your passport"],
        ),
        ("<p><label>First name <input> Title</label></p>", vec!["First name", "Title"]),
        ("<p>Street: <input> Town: <input></p>", vec!["Street:", "Town:"]),
        (
            "<p><input type=checkbox> Send me letters <input type=checkbox> call me</p>",
            vec!["Send me letters", "call me"],
        ),
        ("<p><input type=radio> Small <input type=radio> Very large</p>", vec!["Small", "Very large"]),
        ("<p>Remind me in <input> days if nobody answers.</p>", vec!["Remind me in days if nobody answers."]),
        ("<p><a role=tab>Details</a> <span role=tab>what others say</span></p>", vec!["Details", "what others say"]),
        ("<p><input type=hidden>one <input type=hidden>Two</p>", vec!["one Two"]),
    ] {
        assert_eq!(texts(html), expected, "{html}");
    }
    assert_eq!(translate("<p>remind me in <input> days.</p>"), "<p>REMIND ME IN <input> DAYS.</p>");
}

#[test]
fn a_sentence_that_spans_elements_is_one_text() {
    for (html, text) in [
        ("<p>We <b>never</b> sell <a>your data</a> to <i>anybody</i>.</p>", "We never sell your data to anybody."),
        ("<p>The <a>British</a> <a>Prime Minister</a> said no.</p>", "The British Prime Minister said no."),
        ("<p><span>The sun</span> <span>shines</span> <span>on the roof.</span></p>", "The sun shines on the roof."),
        ("<p><span class=w>we</span> <span class=w>and</span> <span class=w>you</span></p>", "we and you"),
        ("<p><b>Of</b> <i>Mice</i></p>", "Of Mice"),
        ("<p><a>Peter</a> and <a>Mary</a> like this.</p>", "Peter and Mary like this."),
        ("<p>Written by <a>Anna Smith</a></p>", "Written by Anna Smith"),
        ("<p><small>from</small> <b>ten euros</b></p>", "from ten euros"),
        ("<p>Questions? <a>Write to us!</a></p>", "Questions? Write to us!"),
        ("<p><b>The end is near.</b> <i>Nobody knows when.</i></p>", "The end is near. Nobody knows when."),
    ] {
        assert_eq!(texts(html), [text], "{html}");
    }
}

#[test]
fn rows_within_rows_end_somewhere() {
    let nested = "<a>One</a> <b>".repeat(3000) + "Two" + &"</b>".repeat(3000);
    assert_eq!(translate(&nested).matches("<a>ONE</a>").count(), 3000);
    let fields = "<input> one ".repeat(20_000);
    assert_eq!(translate(&fields).matches("ONE").count(), 20_000);
    let path = "<b>One</b> › ".repeat(20_000);
    assert_eq!(translate(&path).matches("<b>ONE</b> › ").count(), 20_000);
}

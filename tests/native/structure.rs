//! The structure of plain text stays to the byte, whatever is made of the text in it.

use proptest::prelude::*;
use std::time::{Duration, Instant};
use wanderwort::text::structure::{Cell, Escape, Reading, Wrapped, Written, cells, unwrap};
use wanderwort::{Link, LoadOptions, Translate, TranslateOptions, Translator};

/// The text with its cells in ⟦ ⟧.
fn mark(text: &str, cells: &[Cell]) -> String {
    let mut marked = String::new();
    let mut end = 0;
    for cell in cells {
        marked += &text[end..cell.range.start];
        marked += &format!("⟦{}⟧", &text[cell.range.clone()]);
        end = cell.range.end;
    }
    marked + &text[end..]
}

/// Translates each cell of a text with `translate`.
fn translate(text: &str, wrapped: Wrapped, translate: impl Fn(&str) -> String) -> Written {
    let reading = Reading::new(text, wrapped);
    let read = reading.text();
    let mut translation = String::new();
    let mut sentences = Vec::new();
    let mut copied = 0;
    for cell in reading.cells() {
        translation += &read[copied..cell.range.start];
        let start = translation.len();
        translation += &translate(&read[cell.range.clone()]);
        sentences.push(Link { source: cell.range.clone(), target: start..translation.len() });
        copied = cell.range.end;
    }
    translation += &read[copied..];
    reading.write(translation, &sentences)
}

#[test]
fn cells_of_single_lines() {
    for marked in [
        "⟦Breakfast⟧\t⟦07:30⟧\t⟦Blue room⟧",
        "\t⟦Only one cell⟧",
        "⟦Green pear⟧    ⟦1.20⟧      ⟦Spain⟧",
        "⟦A slip  of the hand in a sentence.⟧",
        "⟦It is late.  We go home.⟧",
        "⟦Start⟧ | ⟦Prices⟧ · ⟦Contact us⟧ • ⟦Help⟧",
        "| ⟦Fruit⟧ | ⟦Colour⟧ |",
        "|⟦Fruit⟧|⟦Colour⟧|",
        "⟦Edit⟧ → ⟦Paste Special⟧",
        "⟦Shop⟧ › ⟦Garden⟧ › ⟦Old Chairs⟧",
        "⟦View⟧ > ⟦Zoom⟧ > ⟦Text Only⟧",
        "⟦He said that x > y holds.⟧",
        "⟦If a > b, stop.⟧",
        "IV. ⟦Conclusions⟧",
        "2.4.1 ⟦How it was measured⟧",
        "c) ⟦the third one⟧",
        "(iii) ⟦the third one⟧",
        "- [x] ⟦Water the garden⟧",
        "B. ⟦Second answer⟧",
        "(1) ⟦wash it,⟧ (2) ⟦cut it⟧",
        "⟦I think so.⟧",
        "⟦3. Oktober ist frei.⟧",
        "⟦Dr. Lee is here.⟧",
        "⟦3.5 Million people live there.⟧",
        "⟦Well, she said, that is it.⟧",
        "⟦red⟧,⟦green⟧,⟦blue⟧",
        "⟦5⟧,\"⟦Old bridge⟧\",\"⟦long, narrow⟧\"",
        "  \"heading\": \"⟦Our garden⟧\",",
        "{\"a\": [\"⟦Good morning⟧\", \"⟦Good night⟧\"], \"n\": 3}",
        "⟦\"Good morning\"⟧",
        "msgid \"⟦Close the window⟧\"",
        "menu.file.close=⟦Close the window⟧",
        "<string name=\"x\">⟦Our garden⟧</string>",
        "<li>⟦One⟧</li><li>⟦Two⟧</li>",
        "⟦This is <b>our</b> garden.⟧",
        "[10:15:00] ⟦The door opens.⟧",
        "00:01:02,500 --> 00:01:04,000 align:start",
        "⟦Introduction⟧ ........ 7",
        "⟦First line⟧\\n⟦Second line⟧",
        "⟦The folder C:\\New\\Texts is empty.⟧",
    ] {
        let text = marked.replace(['⟦', '⟧'], "");
        // A figure may be in a cell of its own or in none.
        let plain = |text: &str| text.replace("⟦5⟧", "5").replace("⟦7⟧", "7");
        assert_eq!(plain(&mark(&text, &cells(&text))), plain(marked));
    }
}

#[test]
fn neighbours_tell_what_a_line_is() {
    for marked in [
        "⟦Fruit⟧       ⟦From⟧\n⟦Green pear⟧  ⟦a garden in Spain⟧\n\n⟦ls⟧  ⟦lists the files here⟧\n⟦cp⟧  ⟦copies one of them⟧",
        "⟦title⟧,⟦text⟧\n⟦Pear⟧,⟦a green fruit⟧\n⟦Plum⟧,\"⟦small, \"\"blue\"\"⟧\"",
        "⟦Name⟧ | ⟦Use⟧\n--- | ---\n⟦Spade⟧ | ⟦to dig⟧",
        "⟦a⟧|⟦b⟧\n---|---\n⟦either⟧|⟦or⟧\n\n⟦either|or⟧",
        "1. ⟦Wash it.⟧\n2. ⟦Cut it.⟧\n\n⟦7. Mai⟧",
        "garden:\n  title: ⟦Old trees⟧\n  open: true\n  tools:\n    - ⟦A red spade⟧",
        "⟦Note: all is well⟧\n⟦Price: 12 euros⟧",
        "[window]\ntitle = ⟦Our garden⟧\nwidth = 20",
        "\"list\": [\n  \"⟦One⟧\",\n  \"⟦Two⟧\"\n]",
        "#: src/a.c:3\nmsgid \"\"\n\"⟦One⟧\\n\"\n\"⟦Two⟧\"",
        "⟦Look:⟧\n```sh\nls -l | wc\n```\n⟦That is all.⟧",
        "first\n00:01.0 --> 00:02.0\n⟦Hello.⟧",
    ] {
        let text = marked.replace(['⟦', '⟧'], "");
        let plain = |text: &str| text.replace("⟦true⟧", "true");
        assert_eq!(plain(&mark(&text, &cells(&text))), marked);
    }
}

#[test]
fn what_is_escaped_is_escaped_again() {
    let shout = |text: &str| format!("{}, \"ja\"", text.to_uppercase());
    for (text, expected) in [
        ("1,\"a \"\"b\"\"\",\"c\"", "1, \"ja\",\"A \"\"B\"\", \"\"ja\"\"\",\"C, \"\"ja\"\"\""),
        ("red,green,blue", "\"RED, \"\"ja\"\"\",\"GREEN, \"\"ja\"\"\",\"BLUE, \"\"ja\"\"\""),
        ("{\"k\": \"a \\\"b\\\" \\\\ c\"}", "{\"k\": \"A \\\"B\\\" \\\\ C, \\\"ja\\\"\"}"),
        ("{\"k\": \"caf\\u00e9\"}", "{\"k\": \"CAF\\u00c9, \\\"ja\\\"\"}"),
        ("a:\n  b: 'it''s'", "a:\n  b: 'IT''S, \"ja\"'"),
        ("a.b=one\\ntwo", "a.b=ONE, \"ja\"\\nTWO, \"ja\""),
    ] {
        let only_letters = |cell: &str| if cell.contains(char::is_alphabetic) { shout(cell) } else { cell.to_owned() };
        let expected = expected.replace("1, \"ja\"", "1");
        assert_eq!(translate(text, Wrapped::Never, only_letters).text, expected);
    }
    let colon = |text: &str| format!("{text}: ja");
    assert_eq!(translate("a:\n  b: one", Wrapped::Never, colon).text, "a:\n  b: \"one: ja\"");
}

#[test]
fn columns_line_up_after_translation() {
    let text = "Name        Price  Colour\nPear         2.50  green\nOld wine    12.00  dark red\n";
    let longer = |text: &str| if text.starts_with("Old") { "Sehr alter Wein".to_owned() } else { text.to_owned() };
    let expected = "Name             Price  Colour\nPear              2.50  green\nSehr alter Wein  12.00  dark red\n";
    assert_eq!(translate(text, Wrapped::Auto, longer).text, expected);
    let shorter = |text: &str| if text.starts_with("Old") { "Wein".to_owned() } else { text.to_owned() };
    assert_eq!(translate(text, Wrapped::Auto, shorter).text, text.replace("Old wine", "Wein    "));
    let ruled = "=====  ===\nName   Age\n=====  ===\nAnn    12\n=====  ===\n";
    let first = |text: &str| text.replace("Name", "Vorname");
    let expected = "=======  ===\nVorname  Age\n=======  ===\nAnn      12\n=======  ===\n";
    assert_eq!(translate(ruled, Wrapped::Auto, first).text, expected);
    let framed = "Trees\n-----\n\n| Name | Age |\n|------|-----|\n| Oak  | 300 |\n";
    let longer = |text: &str| text.replace("Oak", "Stieleiche").replace("Trees", "Alte Bäume");
    let expected = "Alte Bäume\n----------\n\n| Name       | Age |\n|------------|-----|\n| Stieleiche | 300 |\n";
    assert_eq!(translate(framed, Wrapped::Auto, longer).text, expected);
    let wide = |text: &str| if text == "Pear" { "梨".to_owned() } else { text.to_owned() };
    assert_eq!(translate(text, Wrapped::Auto, wide).text, text.replace("Pear", "梨  "));
}

const MAIL: &str = "Dear Ann,\r\n\r\n> I have seen the house that you told us about last week, and I\r\n> like it. The garden is as big as you said, but the trees\r\n> are small.\r\n>\r\n> - The first thing that I have to ask is whether the roof of the\r\n>   house is new.\r\n\r\nBest wishes\r\nBen\r\n";

#[test]
fn paragraphs_are_read_whole_and_wrapped_again() {
    let paragraphs = unwrap(MAIL, Wrapped::Auto);
    let joined: Vec<String> = paragraphs.iter().map(|paragraph| paragraph.join(MAIL).0).collect();
    assert_eq!(
        joined,
        [
            "I have seen the house that you told us about last week, and I like it. The garden is as big as you said, but the trees are small.",
            "The first thing that I have to ask is whether the roof of the house is new."
        ]
    );
    assert_eq!((&paragraphs[0].prefix[..], paragraphs[0].width), ("\r\n> ", 63));
    assert_eq!((&paragraphs[1].prefix[..], paragraphs[1].column), ("\r\n>   ", 4));
    let doubled = translate(MAIL, Wrapped::Auto, |text| text.replace(' ', " und "));
    assert!(doubled.text.lines().filter(|line| line.starts_with('>')).count() > 6);
    for line in doubled.text.split("\r\n") {
        assert!(line.chars().count() <= 63 && !line.contains('\n'), "{line:?}");
    }
    assert_eq!(
        translate(MAIL, Wrapped::Never, |text| text.replace(' ', " und ")).text,
        MAIL.lines()
            .map(|line| {
                // Marks and what is behind a label are not text.
                let start = line.find(|c: char| c.is_alphabetic()).unwrap_or(line.len());
                line[..start].to_owned() + &line[start..].replace(' ', " und ") + "\r\n"
            })
            .collect::<String>()
    );
}

#[test]
fn what_is_no_paragraph_stays_in_lines() {
    for text in [
        "The rain has come, the leaves are green and wet,\nThe birds have built the nests that they forget,\nThe sun goes down, and all the paths are set.",
        "We saw the old house on the hill this morning.\nWe liked the garden and the trees behind the house.\nWe went home in the evening.",
        "two large cups of flour that are mixed with the salt\none spoon of soda or of powder for the baking of it\nhalf a cup of sugar",
        "Ann Lee\nOld Street 5\nLondon",
        "- one thing that is to be done before the evening comes\n- another thing that has to be done by all of us",
        "    let first = call(second) and then it goes on to this;\n    and here the program ends with nothing more.",
    ] {
        assert_eq!(unwrap(text, Wrapped::Auto), [], "{text}");
    }
    assert_eq!(unwrap("one\ntwo\n\nthree\n- four\nfive", Wrapped::Always).len(), 2);
}

#[test]
fn line_ends_of_all_kinds_are_read() {
    let joined = |text: &str| {
        let paragraphs = unwrap(text, Wrapped::Auto);
        assert_eq!(paragraphs.len(), 1, "{text}");
        let (joined, edits) = paragraphs[0].join(text);
        assert!(edits.backward(&(0..joined.len())).end == paragraphs[0].range.len());
        joined
    };
    assert_eq!(
        joined(
            "昨日は友達と一緒に公園へ行って、お弁当を食べたり写\n真を撮ったりしました。とても楽しい一日でしたが、帰\nりは雨でした。"
        ),
        "昨日は友達と一緒に公園へ行って、お弁当を食べたり写真を撮ったりしました。とても楽しい一日でしたが、帰りは雨でした。"
    );
    assert_eq!(
        joined("This is a paragraph that has a word at its end: well-\nknown words are like that."),
        "This is a paragraph that has a word at its end: well-known words are like that."
    );
    let flowed = "This paragraph is one that a mail program has sent to us, and \nAnn has read it with us.";
    assert_eq!(joined(flowed), flowed.replace('\n', ""));
    assert_eq!(unwrap(flowed, Wrapped::Auto)[0].prefix, " \n");
}

#[test]
fn lines_break_at_words_and_between_characters() {
    let mut paragraph = unwrap(MAIL, Wrapped::Auto).swap_remove(0);
    paragraph.prefix = "\n".to_owned();
    paragraph.column = 0;
    paragraph.width = 20;
    let wrapped = |text: &str| paragraph.wrap(text);
    assert_eq!(
        wrapped("See https://example.org/a-long-address-here, which is long."),
        "See\nhttps://example.org/a-long-address-here,\nwhich is long."
    );
    assert_eq!(wrapped("私は昨日東京に行きました。楽しかった。"), "私は昨日東京に行きま\nした。楽しかった。");
    // A dash at the start of a line would make an item of it.
    assert_eq!(wrapped("one two three fours - five"), "one two three\nfours - five");
}

#[test]
fn subtitles_are_read_by_cues() {
    let text = "7\n00:00:01,600 --> 00:00:04,200\n<i>We have to leave for the station,\nbecause the train is early.</i>\n\n8\n00:00:05,000 --> 00:00:07,000\n- Are you there?\n- Yes.\n";
    let reading = Reading::new(text, Wrapped::Auto);
    let found: Vec<&str> = reading.cells().iter().map(|cell| &reading.text()[cell.range.clone()]).collect();
    assert_eq!(found, ["We have to leave for the station, because the train is early.", "Are you there?", "Yes."]);
    let translated = translate(text, Wrapped::Auto, |cell| {
        cell.replace("We have to leave for the station,", "Wir müssen jetzt zum Bahnhof,")
    });
    let expected = text.replace("We have to leave for the station,", "Wir müssen jetzt zum Bahnhof,");
    assert_eq!(translated.text, expected);
}

#[test]
fn time_is_linear() {
    let unit = |text: &str| text.repeat(100_000 / text.len());
    for text in [
        "a  b ",
        "|",
        "| ",
        "a|b\n",
        "\"",
        "\"\"",
        "\",\"",
        "a,b\n",
        "\"a\n",
        "a;",
        "<",
        "<a>",
        "</a>",
        "<a",
        "<b>\n",
        "<!--",
        "{",
        "{\\",
        "{\"a\":",
        "[",
        "\\",
        "\\n",
        "- ",
        "(a) ",
        "1. ",
        "1. a\n",
        "> ",
        ">",
        "#",
        "# a\n",
        "a: b\n",
        "a:\n",
        "- a: |\n",
        "a=b\n",
        "```\n",
        "```a\n~~~\n",
        "````\n```a\n",
        ".",
        ". ",
        "→ ",
        "A › ",
        "a  b\n",
        "1  2 3\n",
        "word ",
        "word word word word word word word word word word word\n",
        "漢",
        "漢字\n",
        "\t",
        " ",
        "\u{3000}",
        "…",
        "msgid \"a\"\n",
        "00:01 --> 00:02\n",
        "00:01 --> 00:02\na b c\nd e f\n",
        "'",
        "\r",
        "[1] ",
        "x\n\n",
        ".. a\n",
        ".. note::\n   :a: b\n",
        "a::\n\n",
        "    a = b\n\n",
        "$ a\n",
        "@@ -1,99999 +1,99999 @@\n",
        "--- a\n",
        "-----BEGIN A-----\n",
        "Traceback (most recent call last):\n a\n",
        "    at a (b.js:1:2)\n",
        " --> a:1:2\n |\n",
        "[a]: b\n",
        "a|b|c\n",
    ] {
        for wrapped in [Wrapped::Auto, Wrapped::Always] {
            let start = Instant::now();
            let text = unit(text);
            translate(&text, wrapped, |cell| cell.to_owned() + "x");
            // A quadratic algorithm takes minutes.
            assert!(start.elapsed() < Duration::from_secs(10), "{:?}", &text[..text.floor_char_boundary(20)]);
        }
    }
}

#[test]
fn the_translator_keeps_structure() {
    let translator = Translator::open(crate::prototype::FOLDER, &LoadOptions::default()).expect("the prototype loads");
    let options = TranslateOptions::default();
    let one = |text: &str| translator.translate(text, &options).text;
    let (house, dog) = (one("The house is big."), one("The dog sleeps."));
    for (before, between, after) in [
        ("", "\t", ""),
        ("| ", " | ", " |"),
        ("\"", "\",\"", "\""),
        ("{\"a\": \"", "\", \"b\": \"", "\"}"),
        ("<td>", "</td><td>", "</td>"),
        ("IV. ", "\nV. ", "\n"),
        ("menu.a=", "\nmenu.b=", "\n"),
    ] {
        let text = format!("{before}The house is big.{between}The dog sleeps.{after}");
        let translation = translator.translate(&text, &options);
        assert_eq!(translation.text, format!("{before}{house}{between}{dog}{after}"));
        let pairs = translation
            .sentences
            .iter()
            .map(|pair| (&text[pair.source.clone()], &translation.text[pair.target.clone()]));
        assert_eq!(pairs.collect::<Vec<_>>(), [("The house is big.", &house[..]), ("The dog sleeps.", &dog[..])]);
    }

    // A paragraph is one text, and its places are those of the wrapped one.
    let wrapped = "> I have seen the house in the city, and I think that it is as big\n> as a church. It is very old.";
    let translation = translator.translate(wrapped, &options);
    let joined = "I have seen the house in the city, and I think that it is as big as a church. It is very old.";
    assert_eq!(translation.text.replace("\n> ", " ")[2..], one(joined));
    assert!(translation.text.starts_with("> ") && translation.text.contains("\n> "));
    assert_eq!(translation.sentences.len(), 2);
    assert_eq!(&wrapped[translation.sentences[1].source.clone()], "It is very old.");
    for token in &translation.tokens {
        assert!(
            wrapped.get(token.link.source.clone()).is_some()
                && translation.text.get(token.link.target.clone()).is_some()
        );
    }

    // The same from a session.
    let mut session = translator.session(&options);
    session.submit(wrapped, 0);
    let mut finished = Vec::new();
    while !session.is_idle() {
        finished.extend(session.step());
    }
    assert_eq!(finished[0].1, translation);

    let ignored = TranslateOptions { structure: false, ..options };
    assert_eq!(translator.translate(wrapped, &ignored).sentences.len(), 3);
}

/// Texts full of what could be structure.
fn texts() -> impl Strategy<Value = String> {
    let token = prop_oneof![
        4 => "[a-zA-Z]{1,9}",
        2 => Just(" ".to_owned()),
        1 => "[0-9]{1,3}",
        2 => Just("\n".to_owned()),
        4 => prop::sample::select(vec![
            "  ", "   ", "\t", "\r\n", "|", " | ", "\"", "\"\"", "'", ",", ", ", ";", ": ", "=", " = ", "{", "}", "[", "]", "(", ")", "<b>", "</b>", "<br/>", "<p>", "</p>", "<!--", "-->", "\\n",
            "\\\"", "\\u00e9", "\\", "- ", "* ", "> ", "# ", "// ", "1. ", "2. ", "a) ", "(b) ", "IV. ", "[x] ", "---", "|---|", "```", "\n\n", ". ", "! ", "…", ".....", " → ", " › ", " > ",
            "msgid \"", "key: ", "a.b=", "00:01:02,300 --> 00:01:04,000\n", "WEBVTT\n", "漢字", "。", "\u{3000}", "é", "\u{301}", "\u{ad}", "\u{200b}", "😀", "ß", "- \n", "{\\an8}", "♪", "\u{2028}", " \n",
            "this line of text is as long as those of mail are, and it\n", "> this line of text is quoted and as long as those of mail, and\n",
        ]).prop_map(str::to_owned),
    ];
    prop::collection::vec(token, 0..60).prop_map(|tokens| tokens.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn cells_ascend_within_lines(text in texts()) {
        let mut end = 0;
        for cell in cells(&text) {
            prop_assert!(cell.range.start >= end && cell.range.start < cell.range.end);
            let content = text.get(cell.range.clone());
            let in_line = content.is_some_and(|content| !content.contains(['\n', '\r', '\u{2028}']));
            prop_assert!(in_line);
            prop_assert!(cell.escape.is_faithful(&text[cell.range.clone()]));
            end = cell.range.end;
        }
        let outside = mark(&text, &cells(&text));
        prop_assert_eq!(outside.replace(['⟦', '⟧'], ""), text);
    }

    #[test]
    fn an_identical_translation_gives_the_source(text in texts()) {
        for wrapped in [Wrapped::Never, Wrapped::Auto, Wrapped::Always] {
            let written = translate(&text, wrapped, str::to_owned);
            prop_assert_eq!(&written.text, &text);
        }
    }

    #[test]
    fn structure_stays_to_the_byte(text in texts()) {
        let upper = |text: &str| text.to_ascii_uppercase();
        let mut expected = String::new();
        let mut end = 0;
        for Cell { range, escape } in cells(&text) {
            expected += &text[end..range.start];
            expected += &escape.escape(&upper(&escape.unescape(&text[range.clone()])));
            end = range.end;
        }
        expected += &text[end..];
        prop_assert_eq!(translate(&text, Wrapped::Never, upper).text, expected);
    }

    #[test]
    fn a_longer_translation_keeps_lines_and_can_be_read_again(text in texts()) {
        let longer = |text: &str| text.to_ascii_uppercase() + " und so";
        let written = translate(&text, Wrapped::Never, longer);
        prop_assert_eq!(written.text.matches('\n').count(), text.matches('\n').count());
        prop_assert_eq!(written.text.matches('\t').count(), text.matches('\t').count());
        for wrapped in [Wrapped::Auto, Wrapped::Always] {
            let written = translate(&text, wrapped, longer);
            for paragraph in unwrap(&text, wrapped) {
                let (joined, edits) = paragraph.join(&text);
                prop_assert!(!joined.contains('\n'));
                prop_assert_eq!(edits.backward(&(0..joined.len())), 0..paragraph.range.len());
                let lines = paragraph.wrap(&longer(&joined));
                prop_assert!(written.text.contains(&lines), "{:?} in {:?}", lines, written.text);
            }
        }
    }

    #[test]
    fn nothing_panics(text in "\\PC{0,200}|[\\x00-\\x7f]{0,200}") {
        for wrapped in [Wrapped::Auto, Wrapped::Always] {
            translate(&text, wrapped, |cell| cell.chars().rev().collect());
        }
    }

    #[test]
    fn escaping_gives_back(text in "\\PC{0,40}|[a,\"'\\\\: #é\n]{0,20}") {
        for escape in [
            Escape::None,
            Escape::Doubled('"'),
            Escape::Backslash { quote: Some('"'), beyond_ascii: Default::default() },
        ] {
            if !text.contains(['\n', '\t', '\r']) {
                let written = escape.escape(&text);
                prop_assert_eq!(escape.unescape(&written).into_owned(), text.clone());
            }
        }
    }
}

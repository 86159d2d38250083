//! What must come through a translation unharmed: what is found, and how translations are put right.

use proptest::prelude::*;
use std::ops::Range;
use wanderwort::Link;
use wanderwort::text::language::Language;
use wanderwort::text::markup::{Aligned, Node, NodeKind, project};
use wanderwort::text::repair::Kept;
use wanderwort::text::repair::draft::Draft;
use wanderwort::text::repair::verbatim::{is_all, place::place};
use wanderwort::{LoadOptions, Repairs, TranslateOptions, Translation, Translator};

fn find(text: &str) -> Vec<Range<usize>> {
    wanderwort::text::repair::verbatim::find(text, Language::ENGLISH)
}

fn found(text: &str) -> Vec<&str> {
    find(text).into_iter().map(|span| &text[span]).collect()
}

#[test]
fn addresses() {
    let cases: [(&str, &[&str]); 19] = [
        ("See https://example.com/a?b=c&d=%20#e.", &["https://example.com/a?b=c&d=%20#e"]),
        ("(see http://localhost:8080/x), really", &["http://localhost:8080/x"]),
        ("https://example.org/wiki/Tree_(botany)!", &["https://example.org/wiki/Tree_(botany)"]),
        ("[text](https://example.org/x) and \"ftp://a.b/c\"", &["https://example.org/x", "ftp://a.b/c"]),
        ("Visit www.example.com, or example.com.", &["www.example.com", "example.com"]),
        ("docs.rs/serde and kitchen.example/recipes/4711", &["docs.rs/serde", "kitchen.example/recipes/4711"]),
        ("https://müller.example/größe?", &["https://müller.example/größe"]),
        ("Write to a.b+c@mail.example.co.uk!", &["a.b+c@mail.example.co.uk"]),
        (
            "ask(at)example.org or name[at]mail[dot]example.com!",
            &["ask(at)example.org", "name[at]mail[dot]example.com"],
        ),
        ("(info[at]example.org), look(at) it, be(at)us", &["info[at]example.org"]),
        ("<press@example.eu>, mailto:x@y.de", &["press@example.eu", "mailto:x@y.de"]),
        ("Open /etc/fstab, ~/.bashrc and ../notes/todo.md.", &["/etc/fstab", "~/.bashrc", "../notes/todo.md"]),
        ("in src/main.rs, tests/data/ or .github/workflows", &["src/main.rs", "tests/data/", ".github/workflows"]),
        ("C:\\Users\\x and \\\\server\\share", &["C:\\Users\\x", "\\\\server\\share"]),
        ("the README.md, main.rs and a/b.rs of node.js", &["README.md", "main.rs", "a/b.rs", "node.js"]),
        (
            "the file \"My Report 2024.docx\" and „Neuer Ordner (2).zip“",
            &["My Report 2024.docx", "Neuer Ordner (2).zip"],
        ),
        ("\"Please come. See notes.pdf\", “a longer way to say that this is it.pdf”", &["notes.pdf", "it.pdf"]),
        ("@name thanks @scope/package for #SlowTravel", &["@name", "@scope/package", "#SlowTravel"]),
        ("ticket #A-4711, colour #ff8800", &["#A-4711", "#ff8800"]),
    ];
    for (text, expected) in cases {
        assert_eq!(found(text), expected, "{text}");
    }
}

#[test]
fn placeholders() {
    let cases: [(&str, &[&str]); 16] = [
        ("%s of %d files", &["%s", "%d"]),
        ("%1$s to %2$s: %-5.2f, %+d, %ld %zu", &["%1$s", "%2$s", "%-5.2f", "%+d", "%ld", "%zu"]),
        ("%d%% of %(name)s, %{name}, 5%%", &["%d%%", "%(name)s", "%{name}", "%%"]),
        ("%Y-%m-%d, %1 and %PATH%", &["%Y", "%m", "%d", "%1", "%PATH%"]),
        ("{name}, {0}, {}, {price:.2f} { name }", &["{name}", "{0}", "{}", "{price:.2f}", "{ name }"]),
        ("{{count}} and {{ user.name | upper }}", &["{{count}}", "{{ user.name | upper }}"]),
        ("{% if x %}a{% endif %}", &["{% if x %}", "{% endif %}"]),
        ("${x}, $HOME and $HOME/bin", &["${x}", "$HOME", "$HOME/bin"]),
        ("<b>bold</b>, <br/>, <a href=\"x y\">", &["<b>", "</b>", "<br/>", "<a href=\"x y\">"]),
        ("A&nbsp;B &#8211; C", &["&nbsp;", "&#8211;"]),
        ("First\\nSecond\\t\\\"x\\\"", &["\\n", "\\t", "\\\"", "\\\""]),
        ("\\alpha and \\frac{1}{2}", &["\\alpha", "\\frac", "{1}", "{2}"]),
        ("{a}{b}", &["{a}", "{b}"]),
        ("@@count@@ days of ##year##, @@ and ## here", &["@@count@@", "##year##"]),
        ("##Introduction## and ###OVERVIEW###", &[]),
        ("`git commit -m \"x\"` and ``a`b``", &["`git commit -m \"x\"`", "``a`b``"]),
    ];
    for (text, expected) in cases {
        assert_eq!(found(text), expected, "{text}");
    }
}

#[test]
fn code() {
    let cases: [(&str, &[&str]); 25] = [
        ("Use SELECT name, age FROM users to get all. SELECT a fruit FROM it", &["SELECT name, age FROM users"]),
        ("run select * from users where id = 5; or select one from these;", &["select * from users where id = 5;"]),
        ("a note[^1] or [^more] in [[Old house]], [[a|b]] <00:06.000>so", &["[^more]", "[[Old house]]", "<00:06.000>"]),
        (
            "to DE89 3704 0044 0532 0130 00, fe80::1 or ::1, see arXiv:2101.00001.",
            &["DE89 3704 0044 0532 0130 00", "fe80::1", "::1", "arXiv:2101.00001"],
        ),
        ("get_user_name() and HTTP_PROXY", &["get_user_name()", "HTTP_PROXY"]),
        ("maxRetryCount, XmlHttpParser, JavaScript-Code", &["maxRetryCount", "XmlHttpParser", "JavaScript"]),
        ("std::vec::Vec::new() or Foo.bar().", &["std::vec::Vec::new()", "Foo.bar()"]),
        ("call run() or max(a, b) or os.path.join(a, b)", &["run()", "os.path.join(a, b)"]),
        ("--dry-run, --level=3, -v", &["--dry-run", "--level=3", "-v"]),
        ("2.11.3, v4.0, 2.0.0-rc.1 and 192.168.0.1:80", &["2.11.3", "v4.0", "2.0.0-rc.1", "192.168.0.1:80"]),
        ("Since version 2.1.", &["2.1"]),
        ("0x1F, 3f9a2c7e, ISO-8859-1 and a1b2c3", &["0x1F", "3f9a2c7e", "ISO-8859-1", "a1b2c3"]),
        ("123e4567-e89b-12d3-a456-426614174000", &["123e4567-e89b-12d3-a456-426614174000"]),
        ("document.getElementById(\"x\") is __init__", &["document.getElementById(\"x\")", "__init__"]),
        ("the iPhone's YouTube", &["iPhone", "YouTube"]),
        ("x86_64 my_module.load_all", &["x86_64", "my_module.load_all"]),
        ("2024-00017-B or ORDER-4711, a 24-HOUR SERVICE", &["2024-00017-B", "ORDER-4711"]),
        ("7.900.000.000, 1.411.778.724 or 192.168.100.200", &["192.168.100.200"]),
        ("match ^[a-zäöü]+\\d{3}$ or [A-Z]{2}\\d+, not", &["^[a-zäöü]+\\d{3}$", "[A-Z]{2}\\d+"]),
        ("a note [1-3]+ and (so) + (on)", &[]),
        ("\\begin{page}\\section{Home}", &["\\begin", "{page}", "\\section", "{Home}"]),
        ("use SUMMER25 or FRÜHLING30, in JUNE 2025, CHAPTER3, A4 and MP3", &["SUMMER25", "FRÜHLING30"]),
        ("“^\\d+\\.$” or (a|b)*c?, **bold[^1]** and old[^2]**", &["^\\d+\\.$"]),
        ("if (x < y && y > 0 || z == 1) or a != b; a&&b, Q&A || and", &["&&", "||", "==", "!=", "||"]),
        ("`[0-9]+\\.[0-9]+ EUR` is code", &["`[0-9]+\\.[0-9]+ EUR`"]),
    ];
    for (text, expected) in cases {
        assert_eq!(found(text), expected, "{text}");
    }
}

#[test]
fn words_longer_than_any_word() {
    let genome = "GATTACA".repeat(12);
    assert_eq!(found(&format!("It reads {genome} here.")), [genome]);
    let compound = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft";
    assert!(wanderwort::text::repair::verbatim::find(compound, Language::GERMAN).is_empty());
}

#[test]
fn emoji() {
    let cases: [(&str, &[&str]); 8] = [
        ("I ❤️ it 😀!", &["❤️", "😀"]),
        ("👏👏👏 well 🙏🏽", &["👏👏👏", "🙏🏽"]),
        ("a 👨‍👩‍👧‍👦 of 👩🏾‍⚕️", &["👨‍👩‍👧‍👦", "👩🏾‍⚕️"]),
        ("from 🇩🇪 to 🇯🇵", &["🇩🇪", "🇯🇵"]),
        ("press 1️⃣ or #️⃣", &["1️⃣", "#️⃣"]),
        ("🏴󠁧󠁢󠁥󠁮󠁧󠁿 →", &["🏴󠁧󠁢󠁥󠁮󠁧󠁿", "→"]),
        ("fine :-) or ;) or <3", &[":-)", ";)", "<3"]),
        ("©️ but not ©", &["©️"]),
    ];
    for (text, expected) in cases {
        assert_eq!(found(text), expected, "{text}");
    }
}

#[test]
fn foreign_words() {
    let text =
        "Łukasz's friend Wałęsa met Nguyễn Thị, said Привет (שלום) to 你好 in Reykjavík and Guðmundsdóttir’s Ẹ̀bọ.";
    let expected = ["Łukasz", "Wałęsa", "Nguyễn Thị", "Привет", "שלום", "你好", "Guðmundsdóttir", "Ẹ̀bọ"];
    assert_eq!(found(text), expected);
    // In other languages they are words like others.
    assert!(wanderwort::text::repair::verbatim::find(text, Language::UNKNOWN).is_empty());
}

#[test]
fn ordinary_text_is_left_alone() {
    let texts = [
        "This and/or that, he/she, his/her/their, yes/no?, w/o, c/o, s/he, TCP/IP, AC/DC, 24/7, 1/2, km/h, n/a.",
        "E.g. the U.S. and the U.K., i.e. Ph.D. students, at 5 p.m., a.k.a. J. R. R. Tolkien, etc. Then more...",
        "A 50% discount, 100 %, 5% of all, 20%, 3 % d and 100%ig.",
        "It costs $5, US$10, $1,299.99, €20 or 5$.",
        "We are #1, C# is a language, AT&T and R&D, B&B; rock & roll.",
        "The file(s) and word(s) in (brackets), one (1) and two (or more).",
        "Version two; 3.5 million, 1,234.56, 1.250.000, 12:30, 31/12/2024, 2024-12-31, 555-1234.",
        "TVs, PCs, CDs, PhD, kHz, MHz, kWh, dB, McX, the 1990s, 21st, 3D, MP3, B2B, 5km, H2O, COVID.",
        "well-known, state-of-the-art, Donaudampfschifffahrts-Kapitän, E-Mail-Adresse, Haupt- und Nebenfluss",
        "He said -- and meant it -- no. Wait--what? A - B - C. -5 degrees, - item",
        "x < y and y > z, 5 < 6 > 4, a <- b",
        "Hello {this is, a note} and [brackets] and {",
        "The end.The next one. Really?No! So he said.it is",
        "It's John's, isn't it? rock 'n' roll, O'Connor's",
        "`quoted' text, 'single' and \"double\", a backtick ` alone",
        "THIS IS ALL CAPITALS. Title Case Heading: Ten Things",
        "me @ home, 5 @ 3 euros, @ noon",
        "Note: this; that: 10:30 :: x",
        "Straße, Übergröße, naïve café, jalapeño, García, œuvre, ﬁne",
        "…, ―, «quotes», „Anführung“, ‘a’, ½, №, §5, 20 °C, 5′, ×, ±, ∀x",
    ];
    for text in texts {
        assert_eq!(found(text), [] as [&str; 0], "{text}");
    }
}

#[test]
fn sentences_of_nothing_else() {
    for text in
        ["https://example.com", "{greeting}, {name}!", "%s", "😂 :-)", "(README.md)", "`a b`", "{0} / {1} (50 %)"]
    {
        assert!(is_all(text, &find(text)), "{text}");
    }
    for text in ["", "5", "Hello", "Hello {name}", "a %s", "{name}s"] {
        assert!(!is_all(text, &find(text)), "{text}");
    }
}

/// Time must grow with the text and not with its square: these make every look ahead go wrong.
#[test]
fn long_hostile_text_takes_no_longer() {
    let parts = [
        "a.", "a-", "a@", "@", "/", "a/", "\"a", "(a", "{", "{{", "}", "`", "%", "%(", "$", "${", "<", "<a ", "&", "#",
        "#1", "\\", "\\\\", "--", "1.1-", "a,b/", "::", "a::", "_", "a_b", "😀", "👩‍", "'", ".a", "./", "C:\\", "www.",
        "x://", "aB", "\u{301}", "ä.",
    ];
    for part in parts {
        for end in ["", "/", "@", "://x.", "}", ")"] {
            let text = part.repeat(40_000) + end;
            let start = std::time::Instant::now();
            find(&text);
            assert!(start.elapsed().as_secs() < 5, "{part} {end}");
        }
    }
}

/// Words of a translation, each with the part of the source it is aligned to ("" for none).
fn translated(source: &str, words: &[(&str, &str)]) -> Draft {
    let mut draft = Draft::default();
    for (index, (word, origin)) in words.iter().enumerate() {
        let space = if index > 0 && !word.starts_with('+') { " " } else { "" };
        let at = if origin.is_empty() { source.len() } else { source.find(origin).expect(origin) };
        let text = format!("{space}{}", word.trim_start_matches('+'));
        draft.push(false, &text, at..at + origin.len(), Some(index));
    }
    draft
}

fn repair(source: &str, spans: &[Range<usize>], draft: &mut Draft) {
    let kept: Vec<Kept> = spans.iter().cloned().map(Kept::exactly).collect();
    place(source, &kept, draft);
}

fn repaired(source: &str, words: &[(&str, &str)]) -> String {
    let mut draft = translated(source, words);
    let spans = find(source);
    repair(source, &spans, &mut draft);
    check(source, &spans, &draft);
    draft.text().to_owned()
}

/// Every span is there as often as in the source, and the tokens are in order with valid ranges.
fn check(source: &str, spans: &[Range<usize>], draft: &Draft) {
    let text = draft.text();
    for span in spans {
        let wanted = &source[span.clone()];
        let needed = spans.iter().filter(|other| source[(*other).clone()] == *wanted).count();
        assert!(text.matches(wanted).count() >= needed, "{wanted:?} of {source:?} in {text:?}");
    }
    let mut end = 0;
    for Link { target, source: origin } in draft.tokens().iter().map(|token| &token.link) {
        assert!(target.start >= end && target.end >= target.start, "{draft:?}");
        assert!(text[end..target.start].trim().is_empty(), "{draft:?}");
        assert!(text.get(target.clone()).is_some() && source.get(origin.clone()).is_some());
        end = target.end;
    }
    assert!(text[end..].trim().is_empty(), "{draft:?}");
}

#[test]
fn what_is_right_stays() {
    let source = "See example.com or {name}.";
    let words = [("Siehe", "See"), ("example.com", "example.com"), ("oder", "or"), ("{name}", "{name}"), ("+.", ".")];
    let mut draft = translated(source, &words);
    let before = draft.clone();
    repair(source, &find(source), &mut draft);
    assert_eq!((draft.text(), draft.tokens()), (before.text(), before.tokens()));
    assert_eq!(draft.kept().len(), 2);
}

#[test]
fn damaged_words_give_way() {
    let say = |source, words: &[(&str, &str)]| repaired(source, words);
    assert_eq!(
        say("Hello {name}, hi!", &[("Hallo", "Hello"), ("{Name", "{name}"), ("+,", ","), ("hallo", "hi"), ("+!", "!")]),
        "Hallo {name}, hallo!"
    );
    assert_eq!(
        say(
            "It is in tests/a.rs.",
            &[("Es", "It"), ("ist", "is"), ("in", "in"), ("Tests", "tests/"), ("/ a", "a.rs"), ("+.", ".")]
        ),
        "Es ist in tests/a.rs."
    );
    assert_eq!(
        say(
            "Run (std::vec) now",
            &[("Renne", "Run"), ("(", "("), ("+std:vec", "std::vec"), ("+)", ")"), ("jetzt", "now")]
        ),
        "Renne (std::vec) jetzt"
    );
    // Only the part of a compound that stands for it.
    assert_eq!(
        say(
            "The {{x}} element is old",
            &[("Das", "The"), ("x", "{{x}}"), ("+-Element", "element"), ("ist", "is"), ("alt", "old")]
        ),
        "Das {{x}}-Element ist alt"
    );
    // Not the word beside, though it is aligned to it, nor a word that the source has elsewhere.
    assert_eq!(
        say("The GetCount method", &[("Die", "The"), ("Methode", "GetCount"), ("GetCont", "GetCount")]),
        "Die Methode GetCount"
    );
    assert_eq!(
        say("I ❤️ Hamburg.", &[("Ich", "I"), ("hier", "❤️"), ("Hamburg", "❤️"), ("+.", ".")]),
        "Ich ❤️ Hamburg."
    );
    assert_eq!(say("x (AB-5); y", &[("x", "x"), ("(AB-6", "AB-5"), ("+);", "AB-5"), ("y", "y")]), "x (AB-5); y");
    // The longer of two runs.
    assert_eq!(
        say(
            "from src/main.rs on",
            &[("von", "src/main.rs"), ("der", "from"), ("Quelle", "src/main.rs"), ("Haupt", "main.rs"), ("an", "on")]
        ),
        "von der src/main.rs an"
    );
}

#[test]
fn what_is_gone_goes_where_it_belongs() {
    let say = |source, words: &[(&str, &str)]| repaired(source, words);
    let words = [("Ich", "I"), ("mag", "like"), ("es", "it")];
    assert_eq!(say("I like 😀 it", &words), "Ich mag 😀 es");
    assert_eq!(say("😀 I like it", &words), "😀 Ich mag es");
    assert_eq!(say("I like it 😀", &words), "Ich mag es 😀");
    assert_eq!(say("I like it ({x}).", &[("Ich", "I"), ("mag", "like"), ("es", "it"), ("+.", ".")]), "Ich mag es {x}.");
    assert_eq!(say("%s: I like it", &words), "%s Ich mag es");
    assert_eq!(say("{a} {b} I like it {c} {d}", &words), "{a} {b} Ich mag es {c} {d}");
    assert_eq!(
        say(
            "You have %d new items.",
            &[("Sie", "You"), ("haben", "have"), ("neue", "new"), ("Dinge", "items"), ("+.", ".")]
        ),
        "Sie haben %d neue Dinge."
    );
    assert_eq!(
        say("I like it: %s.", &[("Ich", "I"), ("mag", "like"), ("es", "it"), ("+:", ":"), ("+.", "")]),
        "Ich mag es: %s."
    );
    assert_eq!(say("%d%% done", &[("fertig", "done")]), "%d%% fertig");
    assert_eq!(say("{name}", &[]), "{name}");
}

#[test]
fn what_is_there_too_often_goes() {
    let words = [("Drücke", "Press"), ("{key}", "{key}"), ("+,", ""), ("{key}", "now"), ("jetzt", "now")];
    assert_eq!(repaired("Press {key} now", &words), "Drücke {key}, jetzt");
    // A name may be said twice, and has a genitive.
    let words =
        [("Die", "the"), ("Seite", "site"), ("von", "of"), ("YouTube", "YouTube"), ("+,", ""), ("YouTubes", "YouTube")];
    assert_eq!(repaired("the YouTube's site of", &words), "Die Seite von YouTube, YouTubes");
    // Two pictures are two, and not one longer sign.
    let words = [("Ich", "I"), ("mag", "like"), ("es", "it"), ("😀", "😀"), ("+😀", "it")];
    assert_eq!(repaired("I like it 😀", &words), "Ich mag es 😀");
    // A part of something longer is not the thing.
    let words = [("Siehe", "See"), ("foo_bar_baz", "foo_bar"), ("und", "and"), ("foo_bar_baz", "foo_bar_baz")];
    assert_eq!(repaired("See foo_bar and foo_bar_baz", &words), "Siehe foo_bar und foo_bar_baz");
}

fn span() -> impl Strategy<Value = String> {
    prop_oneof![
        "https?://[a-z]{2,8}\\.[a-z]{2,3}(/[a-z0-9_]{1,5}){0,3}",
        "[a-z]{1,6}(\\.[a-z]{1,4})?@[a-z]{2,6}\\.(com|de)",
        "%([1-9]\\$)?[sd]",
        "\\{[a-z]{0,6}\\}|\\{\\{[a-z]{1,6}\\}\\}|\\$\\{[a-z]{1,6}\\}|%\\([a-z]{1,5}\\)s",
        "[a-z]{1,5}_[a-z]{1,5}(\\(\\))?|[a-z]{2,5}[A-Z][a-z]{2,5}|[a-z]{2,4}::[a-z]{2,4}|--[a-z]{2,6}",
        "(/[a-z]{2,4}){1,3}|[a-z]{2,5}/[a-z]{2,5}\\.rs|C:\\\\[A-Z][a-z]{2,5}",
        "😀|👍🏽|👨‍👩‍👧|🇩🇪|❤️|☀️|👏👏",
        "#[a-z]{2,6}|@[a-z]{2,6}|v[0-9]\\.[0-9]|[0-9]\\.[0-9]{1,2}\\.[0-9]|`[a-z]{1,4} [a-z]{1,4}`",
    ]
}

/// Words and spans with what stands between.
fn text_with_spans() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        3 => "[A-Za-zäöü]{1,8}",
        2 => span(),
        1 => "[0-9]{1,4}|and|the|The house is big|\\(see|below\\)|—|«|»|Łódź|Привет",
    ];
    let between = prop_oneof![6 => Just(" "), 1 => Just(", "), 1 => Just(". "), 1 => Just("  "), 1 => Just("! "), 1 => Just("\n"), 1 => Just("")];
    prop::collection::vec((word, between), 0..14)
        .prop_map(|parts| parts.into_iter().flat_map(|(a, b)| [a, b.to_owned()]).collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn spans_are_ranges_of_the_text(text in prop_oneof![text_with_spans(), "\\PC{0,60}", "[a-zA-Z0-9%{}()$<>/\\\\.:@#_`\"'& -]{0,60}"]) {
        let mut end = 0;
        for span in find(&text) {
            prop_assert!(span.start >= end && span.end > span.start);
            let content = text.get(span.clone());
            prop_assert!(content.is_some_and(|content| content.trim() == content));
            end = span.end;
        }
    }

    #[test]
    fn a_span_between_words_is_found(before in "[a-z]{1,6}", span in span(), after in "[a-z]{1,6}") {
        let text = format!("{before} {span} {after}");
        prop_assert_eq!(found(&text), [span.as_str()]);
    }

    #[test]
    fn whatever_was_written_each_span_is_there(
        source in text_with_spans(), target in "([a-zA-Z{}%_/.:😀 -]|[a-z]{2,5} ){0,40}", cuts in prop::collection::vec((0usize..60, 0usize..80, 0usize..12), 0..12)
    ) {
        // Tokens that tile the target, aligned to anything.
        let mut places: Vec<usize> = cuts.iter().map(|cut| target.floor_char_boundary(cut.0.min(target.len()))).chain([0, target.len()]).collect();
        places.sort_unstable();
        let mut draft = Draft::default();
        for (index, pair) in places.windows(2).enumerate() {
            let (_, from, length) = cuts.get(index).copied().unwrap_or((0, source.len(), 0));
            let start = source.floor_char_boundary(from.min(source.len()));
            let end = source.ceil_char_boundary((start + length).min(source.len()));
            draft.push(false, &target[pair[0]..pair[1]], start..end, Some(index));
        }
        let spans = find(&source);
        repair(&source, &spans, &mut draft);
        check(&source, &spans, &draft);
        // What has been put right is right.
        let mut again = Draft::default();
        let mut end = 0;
        for token in draft.tokens() {
            let Link { target, source } = &token.link;
            again.push(false, &draft.text()[end..target.end], source.clone(), token.id);
            end = target.end;
        }
        repair(&source, &spans, &mut again);
        prop_assert_eq!(again.text(), &draft.text()[..end]);
    }
}

/// The prototype, a weak model, which leaves much to be put right.
fn translator() -> Translator {
    Translator::open(crate::prototype::FOLDER, &LoadOptions::default()).expect("the prototype loads")
}

fn check_translation(source: &str, translation: &Translation) -> Result<(), TestCaseError> {
    for pair in &translation.sentences {
        let (from, to) = (&source[pair.source.clone()], &translation.text[pair.target.clone()]);
        let spans = found(from);
        for wanted in &spans {
            let needed = spans.iter().filter(|other| *other == wanted).count();
            prop_assert!(to.matches(wanted).count() >= needed, "{:?} of {:?} in {:?}", wanted, from, to);
        }
    }
    let mut end = 0;
    for Link { target, source: origin } in translation.tokens.iter().map(|token| &token.link) {
        prop_assert!(target.start >= end && translation.text.get(target.clone()).is_some());
        prop_assert!(source.get(origin.clone()).is_some());
        end = target.end;
    }
    Ok(())
}

#[test]
fn the_model_cannot_harm_a_span() {
    let translator = translator();
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig::with_cases(300));
    let run = runner.run(&text_with_spans(), |source| {
        let translation = translator.translate(&source, &TranslateOptions::default());
        check_translation(&source, &translation)
    });
    run.unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn only_what_has_spans_is_changed() {
    let translator = translator();
    let raw = TranslateOptions { repairs: Repairs::NONE, ..TranslateOptions::default() };
    let plain = "The house is big. I have 3 dogs and/or cats, e.g. in the garden.";
    assert_eq!(translator.translate(plain, &TranslateOptions::default()), translator.translate(plain, &raw));
    let source = "You have %d new messages.";
    let harmed = translator.translate(source, &raw).text;
    assert!(!harmed.contains("%d"), "{harmed} shows nothing");
    assert_eq!(translator.translate(source, &TranslateOptions::default()).text, "Sie haben %d neue Nachrichten.");
}

#[test]
fn nothing_else_is_copied() {
    let translator = translator();
    for source in [
        "https://example.com/a/b/c_d-e.html",
        "{greeting}, {name}!",
        "😂😂 :-)",
        "%s",
        "www.example.org/help",
        "my_module.load_all",
    ] {
        let translation = translator.translate(source, &TranslateOptions::default());
        assert_eq!(translation.text, source);
        assert!(translation.tokens.is_empty());
    }
    let long = format!("https://example.com/{}", "a1/".repeat(400));
    assert_eq!(translator.translate(&long, &TranslateOptions::default()).text, long);
}

#[test]
fn words_with_unknown_letters_stay_whole() {
    let translator = translator();
    for name in ["Łukasz Wałęsa", "Nguyễn Thị Hương", "Guðmundsdóttir", "Ħamrun", "Wiśniewska"] {
        let text = translator.translate(&format!("I have met {name} today."), &TranslateOptions::default()).text;
        assert!(text.contains(name), "{text}");
    }
}

#[test]
fn a_link_stays_on_what_was_put_right() {
    let translator = translator();
    let source = "Our new address is shop.example.de, not example.com.";
    let translation = translator.translate(source, &TranslateOptions::default());
    let at = source.find("shop.example.de").expect("it is there");
    let link = at..at + "shop.example.de".len();
    let node = |parent, kind, range| Node { parent, kind, range };
    let nodes = [
        node(None, NodeKind::Text, 0..link.start),
        node(None, NodeKind::Element, link.clone()),
        node(Some(1), NodeKind::Text, link.clone()),
        node(None, NodeKind::Text, link.end..source.len()),
    ];
    let tokens: Vec<Link> = translation.tokens.iter().map(|token| token.link.clone()).collect();
    let aligned = Aligned { text: &translation.text, sentences: &translation.sentences, tokens: &tokens };
    let placed = project(source, &nodes, aligned).expect("a tree");
    let element = placed.iter().find(|place| place.node == Some(1)).expect("every node is placed");
    assert_eq!(&translation.text[element.range.clone()], "shop.example.de");
}

/// What the caller says is in another language comes through, whatever it is, and the words around it are translated.
#[test]
fn foreign_text_is_no_mixture() {
    let translator = Translator::open("models/en-de.tiny.wanderwort", &LoadOptions::default()).unwrap();
    let text =
        "She said \"mi casa es tu casa\" and smiled. Il fait beau aujourd'hui. The garden is green.\ttrès joli\tred";
    let parts = ["mi casa es tu casa", "Il fait beau aujourd'hui.", "très joli"];
    let ranges: Vec<Range<usize>> =
        parts.iter().map(|part| text.find(part).map(|at| at..at + part.len()).unwrap()).collect();
    let translation = translator.translate_except(text, &ranges, &TranslateOptions::default());
    for part in parts {
        assert_eq!(translation.text.matches(part).count(), 1, "{part}: {}", translation.text);
    }
    assert!(translation.text.ends_with("\ttrès joli\tRot"), "{}", translation.text);
    assert!(translation.text.contains("sagte") && translation.text.contains("Garten"), "{}", translation.text);
    // Ranges beyond the text or within a character harm nothing.
    let reversed = Range { start: 5, end: 3 };
    for range in [0..usize::MAX, reversed, text.len() + 7..text.len() + 9, text.find('è').unwrap() + 1..text.len()] {
        translator.translate_except(text, &[range], &TranslateOptions::default());
    }
    let whole = 0..text.len();
    assert_eq!(
        translator.translate_except(text, std::slice::from_ref(&whole), &TranslateOptions::default()).text,
        text
    );
}

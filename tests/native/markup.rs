//! Inline markup placed in translations.

use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;
use std::time::{Duration, Instant};

use proptest::prelude::*;
use serde::Deserialize;
use wanderwort::Link;
use wanderwort::text::markup::{Aligned, Node, NodeKind, Placed, project};

/// Reads `text <b>with</b> elements<br/>` into the text, its tree and the elements' names.
fn parse(marked: &str) -> (String, Vec<Node>, Vec<String>) {
    let (mut text, mut nodes, mut names) = (String::new(), Vec::<Node>::new(), Vec::new());
    let mut open: Vec<usize> = Vec::new();
    for part in marked.split_inclusive('>').flat_map(|part| match part.find('<') {
        Some(index) => vec![&part[..index], &part[index..]],
        None => vec![part],
    }) {
        let parent = open.last().copied();
        if let Some(tag) = part.strip_prefix('<') {
            let tag = tag.trim_end_matches('>');
            if tag.starts_with('/') {
                nodes[open.pop().expect("an open element")].range.end = text.len();
                continue;
            }
            if !tag.ends_with('/') {
                open.push(nodes.len());
            }
            nodes.push(Node { parent, kind: NodeKind::Element, range: text.len()..text.len() });
            names.push(tag.trim_end_matches('/').to_owned());
        } else if !part.is_empty() {
            let start = text.len();
            text.push_str(part);
            nodes.push(Node { parent, kind: NodeKind::Text, range: start..text.len() });
            names.push(String::new());
        }
    }
    assert!(open.is_empty());
    (text, nodes, names)
}

fn render(translation: &str, nodes: &[Node], names: &[String], placed: &[Placed]) -> String {
    let mut marked = String::new();
    let mut open: Vec<(usize, bool)> = Vec::new();
    let close = |open: &mut Vec<(usize, bool)>, until: Option<usize>, marked: &mut String| {
        while open.last().map(|(node, _)| *node) != until {
            let (node, _) = open.pop().expect("the parent is open");
            marked.push_str(&format!("</{}>", names[node]));
        }
    };
    for item in placed {
        close(&mut open, item.parent, &mut marked);
        match item.node {
            Some(node) if nodes[node].kind == NodeKind::Element => {
                marked.push_str(&format!("<{}>", names[node]));
                open.push((node, true));
            }
            _ => marked.push_str(&translation[item.range.clone()]),
        }
    }
    close(&mut open, None, &mut marked);
    // Elements without text as one tag.
    for name in names.iter().filter(|name| !name.is_empty()) {
        marked = marked.replace(&format!("<{name}></{name}>"), &format!("<{name}/>"));
    }
    marked
}

/// What must hold for any result.
fn check(source: &str, nodes: &[Node], translation: &str, placed: &[Placed]) {
    let mut seen = vec![false; nodes.len()];
    let mut text = String::new();
    for (index, item) in placed.iter().enumerate() {
        assert!(translation.get(item.range.clone()).is_some(), "{item:?}");
        if let Some(node) = item.node {
            assert!(!std::mem::replace(&mut seen[node], true), "node {node} twice");
            assert_eq!(item.parent, nodes[node].parent);
        }
        if let Some(parent) = item.parent {
            let outer = placed[..index]
                .iter()
                .find(|placed| placed.node == Some(parent))
                .expect("the parent before its children");
            assert!(
                outer.range.start <= item.range.start && item.range.end <= outer.range.end,
                "{item:?} in {outer:?}"
            );
        }
        if item.node.is_none_or(|node| nodes[node].kind != NodeKind::Element) {
            text.push_str(&translation[item.range.clone()]);
        }
    }
    assert!(seen.iter().all(|seen| *seen), "a node is lost: {source:?} {placed:?}");
    assert_eq!(text, translation);
}

fn words(text: &str) -> Vec<Range<usize>> {
    let base = text.as_ptr() as usize;
    text.split_inclusive(|c: char| c.is_whitespace())
        .flat_map(|word| {
            let word = word.trim_end();
            let core = word.trim_end_matches(['.', ',', '!', '?', ')', '”', '“', '"']);
            let start = word.as_ptr() as usize - base;
            [start..start + core.len(), start + core.len()..start + word.len()]
        })
        .filter(|range| !range.is_empty())
        .collect()
}

/// Projects with an alignment of words, `target-source`, from 0.
fn place(source: &str, translation: &str, alignment: &str) -> String {
    let (text, nodes, names) = parse(source);
    let (from, to) = (words(&text), words(translation));
    let tokens: Vec<Link> = alignment
        .split_whitespace()
        .map(|pair| {
            let (target, source) = pair.split_once('-').unwrap();
            Link {
                target: to[target.parse::<usize>().unwrap()].clone(),
                source: from[source.parse::<usize>().unwrap()].clone(),
            }
        })
        .collect();
    let whole = |text: &str| {
        let start = text.len() - text.trim_start().len();
        start..start + text.trim().len()
    };
    let sentences = [Link { target: whole(translation), source: whole(&text) }];
    let placed = project(&text, &nodes, Aligned { text: translation, sentences: &sentences, tokens: &tokens }).unwrap();
    check(&text, &nodes, translation, &placed);
    render(translation, &nodes, &names, &placed)
}

#[test]
fn a_link_stays_on_its_words() {
    let alignment = "0-0 1-1 2-3 3-4 4-2 5-5";
    assert_eq!(
        place("I have <a>eaten</a> the apple.", "Ich habe den Apfel gegessen.", alignment),
        "Ich habe den Apfel <a>gegessen</a>."
    );
    assert_eq!(
        place("I have eaten <a>the apple</a>.", "Ich habe den Apfel gegessen.", alignment),
        "Ich habe <a>den Apfel</a> gegessen."
    );
    assert_eq!(
        place("I have <b>eaten</b> <a>the <i>apple</i></a>.", "Ich habe den Apfel gegessen.", alignment),
        "Ich habe <a>den <i>Apfel</i></a> <b>gegessen</b>."
    );
}

#[test]
fn an_element_around_all_stays_around_all() {
    assert_eq!(place("<b>See you soon!</b>", "Bis bald!", "0-0 1-2"), "<b>Bis bald!</b>");
    assert_eq!(place("<a><b>See you soon!</b></a>", "Bis bald!", ""), "<a><b>Bis bald!</b></a>");
    assert_eq!(place("<b>See you soon</b>!", "Bis bald!", "0-3 1-3"), "<b>Bis bald</b>!");
    assert_eq!(place(" <b> See you soon! </b> ", " Bis bald! ", ""), " <b>Bis bald!</b> ");
}

#[test]
fn stray_alignments_do_not_tear_or_stretch() {
    // "der" strayed to "see".
    assert_eq!(
        place(
            "Please see <a>the documentation of the interface</a> first.",
            "Bitte zuerst die Dokumentation der Schnittstelle lesen.",
            "0-0 1-7 2-2 3-3 4-1 5-6 6-1 7-8"
        ),
        "Bitte zuerst <a>die Dokumentation der Schnittstelle</a> lesen."
    );
    // "Das" strayed to "link".
    assert_eq!(
        place("This is what the <a>link</a> says.", "Das ist, was der Link sagt.", "0-4 1-1 3-2 4-3 5-4 6-5 7-6"),
        "Das ist, was der <a>Link</a> sagt."
    );
}

#[test]
fn siblings_change_places() {
    assert_eq!(place("<a>one</a> and <b>two</b>", "zwei und eins", "0-2 1-1 2-0"), "<b>zwei</b> und <a>eins</a>");
}

#[test]
fn elements_without_words_of_their_own_are_kept() {
    assert_eq!(place("It is <b>just</b> me.", "Ich bin es.", "0-3 1-1 2-0 3-4"), "<b>Ich</b> bin es.");
    assert_eq!(place("a <i>→</i> b", "a → b", "0-0 1-1 2-2"), "a <i>→</i> b");
    assert_eq!(place("one<b> </b>two", "eins zwei", "0-0 1-1"), "eins<b/> zwei");
}

#[test]
fn empty_elements() {
    assert_eq!(place("<img/> Save", "Speichern", "0-0"), "<img/>Speichern");
    assert_eq!(place("Save <img/>", "Speichern", "0-0"), "Speichern<img/>");
    assert_eq!(
        place("Press <img/> Save now", "Jetzt Speichern drücken", "0-2 1-1 2-0"),
        "Jetzt <img/>Speichern drücken"
    );
    assert_eq!(
        place("Press Save<img/> now", "Jetzt Speichern drücken", "0-2 1-1 2-0"),
        "Jetzt Speichern<img/> drücken"
    );
    assert_eq!(place("<a><img/></a> <b>x</b>", "x", "0-0"), "<a><img/></a><b>x</b>");
    assert_eq!(place("<a><img/>Save</a> it", "Speichere es", "0-0 1-1"), "<a><img/>Speichere</a> es");
}

#[test]
fn punctuation_goes_where_it_was() {
    assert_eq!(place("See <a>here</a>.", "Siehe hier.", "0-0 1-1 2-1"), "Siehe <a>hier</a>.");
    assert_eq!(place("See <a>here.</a>", "Siehe hier.", "0-0 1-1 2-0"), "Siehe <a>hier.</a>");
    assert_eq!(
        place("He said <i>“yes”</i> twice.", "Er sagte zweimal „ja“.", "0-0 1-1 2-4 3-2"),
        "Er sagte zweimal <i>„ja“</i>."
    );
}

#[test]
fn copied_words_need_no_alignment() {
    assert_eq!(
        place("Use <code>Vec::new()</code> here.", "Hier Vec::new() verwenden.", ""),
        "Hier <code>Vec::new()</code> verwenden."
    );
    assert_eq!(place("In <b>1990</b> it rained.", "Es regnete 1990.", "0-0 1-0 2-3"), "Es regnete <b>1990</b>.");
    assert_eq!(place("H<sub>2</sub>O is water.", "Wasser ist H2O.", "0-2 1-1 2-0"), "Wasser ist H<sub>2</sub>O.");
    assert_eq!(
        place("All <code>String</code>s are here.", "Alle String-Objekte sind hier.", "0-0 1-1 2-2 3-3 4-4"),
        "Alle <code>String</code>-Objekte sind hier."
    );
}

#[test]
fn part_of_a_word_becomes_the_word() {
    assert_eq!(
        place("That is <b>un</b>believable.", "Das ist unglaublich.", "0-0 1-1 2-2 3-3"),
        "Das ist <b>unglaublich</b>."
    );
}

/// Projects with an alignment of parts of words: "target-source", each the first in its text behind the one before.
fn place_parts(source: &str, translation: &str, alignment: &[(&str, &str)]) -> String {
    let (text, nodes, names) = parse(source);
    let mut end = 0;
    let mut link = |(target, source): &(&str, &str)| {
        let start = end + translation[end..].find(target).unwrap();
        end = start + target.len();
        let from = text.find(source).unwrap();
        Link { target: start..end, source: from..from + source.len() }
    };
    let tokens: Vec<Link> = alignment.iter().map(&mut link).collect();
    let sentences = [Link { target: 0..translation.len(), source: 0..text.len() }];
    let placed = project(&text, &nodes, Aligned { text: translation, sentences: &sentences, tokens: &tokens }).unwrap();
    check(&text, &nodes, translation, &placed);
    render(translation, &nodes, &names, &placed)
}

#[test]
fn words_joined_by_signs_are_several() {
    let joined = [("Ein", "A"), ("rot", "red"), ("+", "+"), ("grün", "green"), ("Haus", "house")];
    assert_eq!(
        place_parts("A <b>red</b>+<i>green</i> house", "Ein rot+grünes Haus", &joined),
        "Ein <b>rot</b>+<i>grünes</i> Haus"
    );
    assert_eq!(place_parts("A red+<i>green</i> house", "Ein rot+grünes Haus", &joined), "Ein rot+<i>grünes</i> Haus");
    let turned = [("Ein", "A"), ("grün", "green"), ("+", "+"), ("rot", "red"), ("Haus", "house")];
    assert_eq!(
        place_parts("A <b>red</b>+<i>green</i> house", "Ein grün+rotes Haus", &turned),
        "Ein <i>grün</i>+<b>rotes</b> Haus"
    );
    // What is one word in the source stays one.
    let one = [("Der", "The"), ("Rot", "red"), ("-", "red"), ("Ton", "red"), ("hier", "here")];
    assert_eq!(place_parts("The <b>red</b>, here", "Der Rot-Ton, hier", &one), "Der <b>Rot-Ton</b>, hier");
}

#[test]
fn breaks_inside_of_words() {
    assert_eq!(
        place_parts("the <a>super<wbr/>market</a>.", "der Supermarkt.", &[("Super", "super"), ("markt", "market")]),
        "der <a><wbr/>Supermarkt</a>."
    );
    assert_eq!(place_parts("in foo<wbr/>bar now", "in Foobar jetzt", &[("Foobar", "foobar")]), "in Foo<wbr/>bar jetzt");
}

#[test]
fn text_nodes_are_used_again() {
    let (text, nodes, _) = parse("one <b>two</b> three");
    let translation = "zwei drei eins";
    let tokens = [(0..4, 4..7), (5..9, 8..13), (10..14, 0..3)].map(|(target, source)| Link { target, source });
    let sentences = [Link { target: 0..14, source: 0..13 }];
    let placed = project(&text, &nodes, Aligned { text: translation, sentences: &sentences, tokens: &tokens }).unwrap();
    let order: Vec<_> = placed.iter().map(|item| (item.node, &translation[item.range.clone()])).collect();
    assert_eq!(order, [(Some(0), ""), (Some(1), "zwei"), (Some(2), "zwei"), (Some(3), " drei eins")]);
    // One more run of text than there are nodes for.
    let (text, nodes, _) = parse("<b>two</b> one three");
    let tokens = [(0..4, 0..3), (5..9, 8..13), (10..14, 4..7)].map(|(target, source)| Link { target, source });
    let sentences = [Link { target: 0..14, source: 0..13 }];
    let placed = project(
        &text,
        &nodes,
        Aligned {
            text: "drei zwei eins",
            sentences: &sentences,
            tokens: &[
                tokens[0].clone(),
                Link { target: 5..9, source: 0..3 },
                Link { target: 0..4, source: 8..13 },
                tokens[2].clone(),
            ][1..],
        },
    )
    .unwrap();
    assert_eq!(placed.iter().filter(|item| item.node.is_none()).count(), 1, "{placed:?}");
}

#[test]
fn text_nodes_side_by_side_divide_their_text() {
    // What each of the text nodes holds; `|` stands between them.
    let divided = |source: &str, translation: &str, alignment: &str| {
        let (text, mut nodes, mut names) = (source.replace('|', ""), Vec::new(), Vec::new());
        let mut start = 0;
        for part in source.split('|') {
            nodes.push(Node { parent: None, kind: NodeKind::Text, range: start..start + part.len() });
            names.push(String::new());
            start += part.len();
        }
        let (from, to) = (words(&text), words(translation));
        let link = |pair: &str| {
            let (target, source) = pair.split_once('-').unwrap();
            let at = |ranges: &[Range<usize>], index: &str| ranges[index.parse::<usize>().unwrap()].clone();
            Link { target: at(&to, target), source: at(&from, source) }
        };
        let tokens: Vec<Link> = alignment.split_whitespace().map(link).collect();
        let sentences = [Link { target: 0..translation.len(), source: 0..text.len() }];
        let aligned = Aligned { text: translation, sentences: &sentences, tokens: &tokens };
        let placed = project(&text, &nodes, aligned).unwrap();
        check(&text, &nodes, translation, &placed);
        assert!(placed.iter().map(|item| item.node).eq((0..nodes.len()).map(Some)), "{placed:?}");
        placed.iter().map(|item| &translation[item.range.clone()]).collect::<Vec<_>>().join("|")
    };
    assert_eq!(divided("A house. |Two rivers", "Ein Haus. Zwei Flüsse", "0-0 1-1 3-3 4-4"), "Ein Haus. |Zwei Flüsse");
    assert_eq!(divided("A house| of stone", "Ein Haus aus Stein", "0-0 1-1 2-2 3-3"), "Ein Haus| aus Stein");
    // A number that a framework counts on, and white space of its own.
    assert_eq!(divided("You have |5| letters", "Sie haben 5 Briefe", "0-0 1-1 2-2 3-3"), "Sie haben |5| Briefe");
    assert_eq!(divided("one| |two", "eins zwei", "0-0 1-1"), "eins|| zwei");
    // All of them have something where there is enough for all.
    assert_eq!(divided("one |two |three", "drei zwei eins", "0-2 1-1 2-0"), "drei |zwei |eins");
    assert_eq!(divided("one |two", "eins", "0-0"), "eins|");
}

#[test]
fn several_sentences() {
    let source = "<b>One.</b> 😀 Two <a>is</a> here.<br/>\nThree";
    let (text, nodes, names) = parse(source);
    let translation = "Eins! 😀 Hier ist zwei.\nDrei";
    let at = |text: &str, part: &str| {
        let start = text.find(part).unwrap();
        start..start + part.len()
    };
    let link = |target: &str, source: &str| Link { target: at(translation, target), source: at(&text, source) };
    let sentences = [link("Eins!", "One."), link("Hier ist zwei.", "Two is here."), link("Drei", "Three")];
    let tokens = [link("Hier", "here"), link("ist", "is"), link("zwei", "Two"), link("Drei", "Three")];
    let placed = project(&text, &nodes, Aligned { text: translation, sentences: &sentences, tokens: &tokens }).unwrap();
    check(&text, &nodes, translation, &placed);
    assert_eq!(render(translation, &nodes, &names, &placed), "<b>Eins!</b> 😀 Hier <a>ist</a> zwei.<br/>\nDrei");
}

#[test]
fn trees_that_contradict_themselves() {
    let nothing = Aligned { text: "x", sentences: &[], tokens: &[] };
    let node = |parent, kind, range| Node { parent, kind, range };
    let (element, text) = (NodeKind::Element, NodeKind::Text);
    for nodes in [
        vec![node(Some(0), text, 0..1)],
        vec![node(None, text, 0..1), node(Some(0), text, 0..1)],
        vec![node(None, element, 0..1), node(Some(0), text, 0..2)],
        vec![node(None, text, 0..2), node(None, text, 1..3)],
        vec![node(None, text, 1..2)],
        vec![node(None, text, 0..9)],
        vec![node(Some(7), text, 0..1)],
        vec![node(None, text, Range { start: 2, end: 0 })],
    ] {
        let error = project("éx", &nodes, nothing).expect_err("must be refused");
        assert!(error.to_string().contains("node"), "{error}");
    }
    let bad = [Link { target: 0..5, source: 0..1 }];
    assert!(project("a", &[], Aligned { text: "x", sentences: &bad, tokens: &[] }).is_err());
    assert!(project("a", &[], Aligned { text: "x", sentences: &[], tokens: &bad }).is_err());
}

#[test]
fn large_blocks_take_little_time() {
    let count = 20_000;
    for unit in ["<a>word</a> ", "word<br/>", "<b>wo</b>rd ", "<i><u>x</u></i>y ", "<img/>"] {
        let (text, nodes, _) = parse(&unit.repeat(count));
        let translation = text.clone();
        let tokens: Vec<Link> =
            words(&translation).into_iter().map(|range| Link { target: range.clone(), source: range }).collect();
        for reversed in [false, true] {
            let mut tokens = tokens.clone();
            if reversed {
                let sources: Vec<_> = tokens.iter().rev().map(|token| token.source.clone()).collect();
                tokens.iter_mut().zip(sources).for_each(|(token, source)| token.source = source);
            }
            let sentences = [Link { target: 0..translation.trim_end().len(), source: 0..text.trim_end().len() }];
            let start = Instant::now();
            let placed =
                project(&text, &nodes, Aligned { text: &translation, sentences: &sentences, tokens: &tokens }).unwrap();
            assert!(placed.len() >= nodes.len());
            assert!(start.elapsed() < Duration::from_secs(5), "{:?} for {unit}", start.elapsed());
        }
    }
}

#[derive(Deserialize)]
struct Judged {
    source: String,
    target: String,
    /// Start and end in the translation, start and end in the source.
    sentences: Vec<(usize, usize, usize, usize)>,
    tokens: Vec<(usize, usize, usize, usize)>,
    expected: String,
}

/// The share of elements that stand exactly on the words where a person put them.
#[test]
fn judged_by_hand() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/markup/judged.jsonl");
    let file = std::fs::read_to_string(path).unwrap();
    let (mut elements, mut right, mut lines) = (0, 0, 0);
    for line in file.lines() {
        let judged: Judged = serde_json::from_str(line).unwrap();
        let (text, nodes, names) = parse(&judged.source);
        let (translation, _, _) = parse(&judged.expected);
        assert_eq!(translation, judged.target);
        let links = |links: &[(usize, usize, usize, usize)]| -> Vec<Link> {
            links.iter().map(|link| Link { target: link.0..link.1, source: link.2..link.3 }).collect()
        };
        let (sentences, tokens) = (links(&judged.sentences), links(&judged.tokens));
        let placed =
            project(&text, &nodes, Aligned { text: &translation, sentences: &sentences, tokens: &tokens }).unwrap();
        check(&text, &nodes, &translation, &placed);
        let found = render(&translation, &nodes, &names, &placed);
        let (_, expected_nodes, expected_names) = parse(&judged.expected);
        let (_, found_nodes, found_names) = parse(&found);
        let places = |nodes: &[Node], names: &[String]| {
            let mut places: HashMap<(String, Range<usize>), usize> = HashMap::new();
            for (node, name) in nodes.iter().zip(names).filter(|(node, _)| node.kind == NodeKind::Element) {
                *places.entry((name.clone(), node.range.clone())).or_default() += 1;
            }
            places
        };
        let found_places = places(&found_nodes, &found_names);
        let mut wrong = false;
        for (place, count) in places(&expected_nodes, &expected_names) {
            let hits = count.min(found_places.get(&place).copied().unwrap_or(0));
            elements += count;
            right += hits;
            wrong |= hits < count;
        }
        lines += 1;
        if wrong {
            println!("source   {}\nexpected {}\nfound    {found}\n", judged.source, judged.expected);
        }
    }
    println!(
        "{right} of {elements} elements in {lines} sentences stand on the right words: {:.1} %",
        100.0 * right as f64 / elements as f64
    );
    assert!(lines >= 200 && right * 100 >= elements * 95);
}

#[test]
fn verbatim_elements() {
    let source = "Call foo now";
    let nodes = |range: Range<usize>| {
        [(NodeKind::Text, 0..range.start), (NodeKind::Verbatim, range.clone()), (NodeKind::Text, range.end..12)]
            .map(|(kind, range)| Node { parent: None, kind, range })
    };
    let link = |target, source| Link { target, source };
    // "Rufe jetzt fu auf": the model wrote "fu" for "foo".
    let tokens = [link(0..4, 0..4), link(5..10, 9..12), link(11..13, 5..8), link(14..17, 0..4)];
    let sentences = [link(0..17, 0..12)];
    let aligned = Aligned { text: "Rufe jetzt fu auf", sentences: &sentences, tokens: &tokens };
    let placed = project(source, &nodes(5..8), aligned).unwrap();
    check(source, &nodes(5..8), aligned.text, &placed);
    assert_eq!(placed.iter().find(|item| item.node == Some(1)).unwrap().range, 11..13);
    // It wrote nothing for it: no other word may give way.
    let aligned = Aligned { text: "Rufe jetzt an ...", sentences: &sentences, tokens: &tokens[..2] };
    let placed = project(source, &nodes(5..8), aligned).unwrap();
    check(source, &nodes(5..8), aligned.text, &placed);
    assert_eq!(placed.iter().find(|item| item.node == Some(1)).unwrap().range, 5..5);
}

/// A tree over a text from cuts and choices.
fn tree(text: &str, choices: &[(usize, bool)]) -> Vec<Node> {
    let places: Vec<usize> = text.char_indices().map(|(index, _)| index).chain([text.len()]).collect();
    let mut nodes: Vec<Node> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    let mut cuts: Vec<(usize, bool)> =
        choices.iter().map(|(cut, opens)| (places[cut % places.len()], *opens)).collect();
    cuts.sort_by_key(|(cut, _)| *cut);
    let mut end = 0;
    for (cut, opens) in cuts.into_iter().chain([(text.len(), false)]) {
        if end < cut {
            nodes.push(Node { parent: open.last().copied(), kind: NodeKind::Text, range: end..cut });
            end = cut;
        }
        if opens {
            nodes.push(Node { parent: open.last().copied(), kind: NodeKind::Element, range: cut..cut });
            open.push(nodes.len() - 1);
        } else if let Some(node) = open.pop() {
            nodes[node].range.end = cut;
        }
    }
    for node in open {
        nodes[node].range.end = text.len();
    }
    nodes
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2048))]

    #[test]
    fn nothing_is_lost_or_doubled(
        source in "(\\PC|[a-c .,(1é😀]){0,40}",
        translation in "(\\PC|[a-c .,(1é😀]){0,40}",
        choices in prop::collection::vec((0usize..60, any::<bool>()), 0..16),
        links in prop::collection::vec((0usize..60, 0usize..9, 0usize..60, 0usize..9), 0..20),
        sentence in any::<bool>(),
    ) {
        let nodes = tree(&source, &choices);
        let place = |text: &str, place: usize| text.floor_char_boundary(place.min(text.len()));
        let range = |text: &str, start: usize, length: usize| place(text, start)..place(text, start + length).max(place(text, start));
        let tokens: Vec<Link> = links.iter().map(|(a, b, c, d)| Link { target: range(&translation, *a, *b), source: range(&source, *c, *d) }).collect();
        let sentences = if sentence { vec![Link { target: 0..translation.len(), source: 0..source.len() }] } else { tokens.iter().take(1).cloned().collect() };
        let placed = project(&source, &nodes, Aligned { text: &translation, sentences: &sentences, tokens: &tokens }).unwrap();
        check(&source, &nodes, &translation, &placed);
    }
}

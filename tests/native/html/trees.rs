//! A browser makes the same tree of a translation as of its source.

use std::fmt::Write;

use html5ever::tendril::TendrilSink;
use html5ever::{LocalName, Namespace, ParseOpts, QualName, ns, parse_document, parse_fragment};
use markup5ever_rcdom::{Handle, NodeData, RcDom};
use proptest::prelude::*;

use super::{translate, translate_backwards};

/// A tree as text, in capitals; without what a translation is to change: languages, and what options send.
fn write_tree(node: &Handle, depth: usize, output: &mut String) {
    let indent = " ".repeat(depth);
    match &node.data {
        NodeData::Document | NodeData::ProcessingInstruction { .. } => {}
        NodeData::Doctype { name, public_id, system_id } => {
            writeln!(output, "{indent}<!{name} {public_id} {system_id}>").unwrap();
        }
        NodeData::Text { contents } => writeln!(output, "{indent}{:?}", contents.borrow().to_uppercase()).unwrap(),
        NodeData::Comment { contents } => writeln!(output, "{indent}<!--{contents}-->").unwrap(),
        NodeData::Element { name, attrs, template_contents, .. } => {
            write!(output, "{indent}<{} {}", &*name.ns, name.local).unwrap();
            for attribute in attrs.borrow().iter() {
                let is_sent = &*name.local == "option" && &*attribute.name.local == "value";
                if !is_sent && !matches!(&*attribute.name.local, "lang" | "xml:lang") {
                    write!(output, " {}={:?}", attribute.name.local, attribute.value.to_uppercase()).unwrap();
                }
            }
            output.push_str(">\n");
            if let Some(contents) = &*template_contents.borrow() {
                write_tree(contents, depth + 2, output);
            }
        }
    }
    node.children.borrow().iter().for_each(|child| write_tree(child, depth + 1, output));
}

fn tree(html: &str, context: Option<&str>, scripting: bool) -> String {
    let mut options = ParseOpts::default();
    options.tree_builder.scripting_enabled = scripting;
    let dom = match context {
        None => parse_document(RcDom::default(), options).one(html),
        Some(context) => {
            let (namespace, name): (Namespace, &str) = match context.split_once(' ') {
                Some(("svg", name)) => (ns!(svg), name),
                Some((_, name)) => (ns!(mathml), name),
                None => (ns!(html), context),
            };
            let name = QualName::new(None, namespace, LocalName::from(name));
            parse_fragment(RcDom::default(), options, name, Vec::new(), scripting).one(html)
        }
    };
    let mut output = String::new();
    write_tree(&dom.document, 0, &mut output);
    output
}

/// What stays the same if words and what is with them change places: all elements with how deep they are, and all words.
fn parts(tree: &str) -> (Vec<&str>, Vec<String>) {
    let is_text = |line: &&str| line.trim_start().starts_with('"');
    let mut elements: Vec<&str> = tree.lines().filter(|line| !is_text(line)).collect();
    let words = tree.lines().filter(is_text).flat_map(|line| {
        let text = line.trim().trim_matches('"').replace("\\n", " ").replace("\\t", " ").replace("\\r", " ");
        text.split([' ', '.']).filter(|word| !word.is_empty()).map(str::to_owned).collect::<Vec<_>>()
    });
    let mut words: Vec<String> = words.collect();
    elements.sort_unstable();
    words.sort_unstable();
    (elements, words)
}

#[test]
fn inputs_of_html5lib() {
    let inputs = include_str!("../../data/html5lib/inputs.jsonl");
    let mut count = 0;
    for line in inputs.lines() {
        let (context, html): (Option<String>, String) = serde_json::from_str(line).unwrap();
        // What would be no HTML: text of a style sheet alone.
        if context.as_deref() == Some("style") {
            continue;
        }
        let (translated, reordered) = (translate(&html), translate_backwards(&html));
        for scripting in [true, false] {
            let expected = tree(&html, context.as_deref(), scripting);
            assert_eq!(tree(&translated, context.as_deref(), scripting), expected, "{html}\n=> {translated}");
            let found = tree(&reordered, context.as_deref(), scripting);
            assert_eq!(parts(&found), parts(&expected), "{html}\n=> {reordered}");
        }
        count += 1;
    }
    assert_eq!(count, 1670);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1024))]

    #[test]
    fn any_text_is_html(html in "(<(/?(b|i|p|a|div|br|table|tr|td|img|li|ul|template|select|option|button|object|ruby|rt|pre|title|p title=x))>|<!--[a-z/]{0,3}-->| </?code> |<svg></svg>|[a-c .\n&;<]|\\PC){0,40}") {
        let expected = tree(&html, Some("div"), true);
        let translated = translate(&html);
        let found = tree(&translated, Some("div"), true);
        prop_assert_eq!(parts(&found).0, parts(&expected).0, "{:?}", translated);
        let translated = translate_backwards(&html);
        let found = tree(&translated, Some("div"), true);
        prop_assert_eq!(parts(&found).0, parts(&expected).0, "{:?}", translated);
    }
}

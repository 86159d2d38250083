//! What of a page is not text for readers.

use html5gum::emitters::default::DefaultEmitter;
use html5gum::{Spanned, Token, Tokenizer};

/// Attributes that say something to readers, or in which language or encoding a page is.
const CHANGING: [&str; 17] = [
    "title",
    "alt",
    "placeholder",
    "aria-label",
    "aria-description",
    "aria-roledescription",
    "aria-placeholder",
    "aria-valuetext",
    "abbr",
    "label",
    "value",
    "content",
    "lang",
    "xml:lang",
    "charset",
    "srcdoc",
    "encoding",
];

/// Its markup: each tag, comment and doctype as it is written, but for what may change.
pub fn markup(html: &str) -> Vec<String> {
    let mut emitter = DefaultEmitter::<usize>::new_with_span();
    emitter.naively_switch_states(true);
    let mut found = Vec::new();
    for token in Tokenizer::new_with_emitter(html, emitter) {
        let Ok(token) = token;
        let (span, attributes) = match &token {
            Token::StartTag(tag) => (tag.span, Some(&tag.attributes)),
            Token::EndTag(tag) => (tag.span, None),
            Token::Comment(comment) => (comment.span, None),
            Token::Doctype(doctype) => (doctype.span, None),
            Token::String(_) | Token::Error(_) => continue,
        };
        let mut text = html[span.start..span.end].to_owned();
        let mut changing: Vec<(usize, usize)> = Vec::new();
        for (name, value) in attributes.into_iter().flatten() {
            if CHANGING.contains(&&*String::from_utf8_lossy(name)) {
                let Spanned { span, .. } = value;
                changing.push((span.start, span.end));
            }
        }
        changing.sort_unstable();
        for (start, end) in changing.into_iter().rev().filter(|(start, end)| start <= end && *start >= span.start) {
            text.replace_range(start - span.start..end - span.start, "…");
        }
        // A value without quotes may get some, and then the tokenizer counts the bracket behind it differently.
        if text.ends_with("…>") {
            text.pop();
        }
        found.push(text);
    }
    found
}

/// Compares markup but for some, by how it begins in lower case.
pub fn assert_same(name: &dyn std::fmt::Display, before: &[String], after: &[String], may_change: fn(&str) -> bool) {
    let fixed = |tag: &&String| !may_change(&tag.get(..16.min(tag.len())).unwrap_or_default().to_ascii_lowercase());
    let (mut before, mut after) = (before.iter().filter(fixed), after.iter().filter(fixed));
    loop {
        let (old, new) = (before.next(), after.next());
        assert_eq!(old, new, "{name}");
        if old.is_none() {
            return;
        }
    }
}

//! What a document says about its encoding.

use std::ops::Range;

use super::tokens::{Parsed, StartTag, Token, TokenKind};
use crate::text::documents::charset::{content_charset, is_utf8, xml_encoding};

/// The changes that make a document say that it is in UTF-8.
#[derive(Debug, Default)]
pub(super) struct Declaration {
    /// Bytes of the source and their replacements.
    pub changes: Vec<(Range<usize>, String)>,
    /// What is inserted into a document that does not say its encoding if there is more than ASCII in it.
    pub missing: Option<(usize, String)>,
}

/// Finds what a document says about its encoding.
pub(super) fn find(source: &str, parsed: &Parsed) -> Declaration {
    let mut declaration = Declaration::default();
    let mut is_declared = source.starts_with('\u{feff}') || parsed.is_xml;
    let mut correct = |range: Range<usize>| {
        if !is_utf8(&source[range.clone()]) {
            declaration.changes.push((range, "utf-8".to_owned()));
        }
    };
    xml_encoding(source).into_iter().for_each(&mut correct);
    for (_, tag) in start_tags(parsed).filter(|(_, tag)| &*tag.name == "meta") {
        let value = |name: &str| tag.attribute(name).and_then(|attribute| attribute.value.clone());
        if let Some(range) = value("charset") {
            is_declared = true;
            correct(range);
        }
        let is_type = value("http-equiv").is_some_and(|range| source[range].eq_ignore_ascii_case("content-type"));
        if let Some(content) = value("content").filter(|_| is_type)
            && let Some(range) = content_charset(&source[content.clone()])
        {
            is_declared = true;
            correct(content.start + range.start..content.start + range.end);
        }
    }
    if !is_declared {
        let element = |name: &str| start_tags(parsed).find(|(_, tag)| &*tag.name == name).map(|(token, _)| token);
        let doctype = || parsed.tokens.iter().find(|token| matches!(token.kind, TokenKind::Doctype));
        let place = element("head").or_else(|| element("html")).or_else(doctype);
        declaration.missing = place.map(|token| (token.range.end, "<meta charset=\"utf-8\">".to_owned()));
    }
    declaration
}

/// The start tags that are in the tree.
fn start_tags(parsed: &Parsed) -> impl Iterator<Item = (&Token, &StartTag)> {
    parsed.tokens.iter().filter(|token| token.node.is_some()).filter_map(|token| match &token.kind {
        TokenKind::Start(tag) => Some((token, tag)),
        _ => None,
    })
}

//! XML files of fields: some hold text, some a language.

use super::characters::{Context, core, decode};
use super::items::Item;
use super::layout::{ItemRules, passage};
use super::passages::{Found, Inner, changed};
use super::states::primary;
use super::tokens::{Parsed, TokenKind};
use super::tree::NodeId;
use crate::text::documents::Languages;

/// What an element holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// Text for readers.
    Text,
    /// The language of the whole.
    Language,
}

/// What is to be translated in such a file. `field` says what an element holds, by its name and that of the element it is in, both
/// without prefix.
pub(super) fn find(
    source: &str,
    parsed: &Parsed,
    languages: &Languages,
    field: impl Fn(&str, &str) -> Option<Field>,
) -> Found {
    let from = primary(languages.source);
    let mut found = Found::default();
    let mut said = Vec::new();
    for token in &parsed.tokens {
        match &token.kind {
            TokenKind::Start(tag) => {
                let language = tag.attributes.iter().find(|attribute| matches!(&*attribute.name, "xml:lang" | "lang"));
                let is_source = |range: std::ops::Range<usize>| primary(&source[range]) == from;
                if let Some(language) = language.filter(|language| language.value.clone().is_some_and(is_source)) {
                    found.changes.extend(changed(language, languages.target));
                }
            }
            TokenKind::Text { .. } => {
                let parent = token.node.and_then(|node| parsed.tree.parent(node));
                let name = |node: NodeId| parsed.tree.element(node).map(|element| &*element.name.local);
                let around = parent.and_then(|parent| parsed.tree.parent(parent)).and_then(name);
                match parent.and_then(name).and_then(|element| field(element, around.unwrap_or_default())) {
                    // Descriptions are HTML as often as not.
                    Some(Field::Text) if decode(&source[token.range.clone()]).contains("</") => {
                        let inner = Inner::read(source, token.range.clone(), Context::Content, languages, 1);
                        found.inner.extend(inner);
                    }
                    Some(Field::Text) => {
                        let items = vec![Item::Text(token.range.clone())];
                        let rules = ItemRules { is_xml: true, ..ItemRules::default() };
                        if let Some((passage, layout)) = passage(source, items, Context::Content, rules) {
                            found.passages.push(passage);
                            found.layouts.push(layout);
                        }
                    }
                    Some(Field::Language) => said.push(core(source, &token.range)),
                    None => {}
                }
            }
            _ => {}
        }
    }
    let mut of_source: Vec<_> = said.iter().filter(|range| primary(&source[(*range).clone()]) == from).collect();
    if of_source.is_empty() {
        of_source.extend(said.first());
    }
    found.changes.extend(of_source.into_iter().map(|range| (range.clone(), languages.target.to_owned())));
    found
}

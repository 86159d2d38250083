//! Which elements of an XML document structure it and which mark words: no table tells, but how they are laid out does.
//!
//! Where a text or a heading is an element among others, their parent has no words of its own, and writers put them on separate lines or
//! directly after one another: `<title>My dog</title><par>It is old.</par>`. Elements in a sentence have words or blanks around them.

use super::tokens::{Parsed, TokenKind};
use super::tree::NodeId;

/// What has been seen of an element's content.
#[derive(Clone, Default)]
struct Content {
    has_words: bool,
    has_elements: bool,
    /// White space with a line break in it.
    has_lines: bool,
    /// Nothing has come since the last element.
    touches: bool,
    /// An element ends with a word where another one begins with one.
    is_glued: bool,
}

/// For each node, whether its children structure the document.
pub(super) fn structured(source: &str, parsed: &Parsed) -> Vec<bool> {
    let Parsed { tokens, tree, .. } = parsed;
    let mut contents = vec![Content::default(); tree.len()];
    let mut last = ' ';
    // The element in which one child touches the next, until the first character of the latter is known.
    let mut seam: Option<NodeId> = None;
    for token in tokens {
        let Some(parent) = token.node.and_then(|node| tree.parent(node)) else { continue };
        let content = &mut contents[parent];
        match token.kind {
            TokenKind::Start(_) => {
                if content.touches {
                    seam = Some(parent);
                }
                content.has_elements = true;
                content.touches = true;
            }
            TokenKind::Text { .. } => {
                let text = &source[token.range.clone()];
                content.touches = false;
                if text.trim().is_empty() {
                    content.has_lines |= text.contains(['\n', '\r']);
                } else {
                    content.has_words = true;
                }
                let Some(first) = text.chars().next() else { continue };
                if let Some(seam) = seam.take() {
                    contents[seam].is_glued |= !last.is_whitespace() && first.is_alphanumeric();
                }
                last = text.chars().next_back().unwrap_or(first);
            }
            _ => {}
        }
    }
    let is_structured =
        |content: &Content| content.has_elements && !content.has_words && (content.has_lines || content.is_glued);
    contents.iter().map(is_structured).collect()
}

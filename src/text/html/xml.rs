//! XHTML, with the place in the source of everything in the tree.
//!
//! Only well-formed documents are read as XML. Entities that a document declares itself are never resolved: they stay as they are, so none
//! can grow out of all proportion.

use std::ops::Range;

use html5ever::{LocalName, Namespace, Prefix, QualName, ns};
use quick_xml::events::{BytesStart, Event};
use quick_xml::name::ResolveResult;
use quick_xml::reader::NsReader;

use super::characters::decode;
use super::tokens::{AttributeSource, InstructionKind, Parsed, StartTag, Token, TokenKind};
use super::tree::{Content, DOCUMENT, Element, NodeId, Tree};

/// The deepest nesting of elements, more than in any text for readers.
const MAX_DEPTH: usize = 512;

/// XHTML's namespace.
const XHTML: &str = "http://www.w3.org/1999/xhtml";

/// Whether a document says that it is XHTML.
pub(super) fn is_declared(source: &str) -> bool {
    let start = source.trim_start_matches('\u{feff}').trim_start();
    let head = &start[..start.floor_char_boundary(4096.min(start.len()))];
    let root = head.find("<html").map(|at| head[at..].split('>').next().unwrap_or_default());
    start.starts_with("<?xml ") || root.is_some_and(|root| root.contains(XHTML))
}

/// Parses a document; none if it is not well-formed.
pub(super) fn parse(source: &str) -> Option<Parsed> {
    let mut reader = NsReader::from_str(source);
    let mut builder = Builder { source, tokens: Vec::new(), tree: Tree::default(), open: Vec::new(), has_root: false };
    let mut at = 0;
    loop {
        let event = reader.read_event().ok()?;
        let end = usize::try_from(reader.buffer_position()).ok()?;
        let range = at..end;
        at = end;
        match event {
            Event::Start(tag) => {
                let namespace = namespace(&reader, &tag)?;
                builder.start(range, &tag, namespace, false)?;
            }
            Event::Empty(tag) => {
                let namespace = namespace(&reader, &tag)?;
                builder.start(range, &tag, namespace, true)?;
            }
            Event::End(tag) => {
                builder.open.pop()?;
                builder.push(range, TokenKind::End(LocalName::from(tag.name().0)), None);
            }
            Event::Text(_) => builder.text(range)?,
            Event::GeneralRef(_) => {
                let raw = source.get(range.clone())?;
                if decode(raw) == raw {
                    builder.push(range, TokenKind::Instruction(InstructionKind::Output), None);
                } else {
                    builder.text(range)?;
                }
            }
            Event::CData(_) | Event::Comment(_) => builder.push(range, TokenKind::Comment, None),
            Event::PI(_) | Event::Decl(_) | Event::DocType(_) => builder.push(range, TokenKind::Doctype, None),
            Event::Eof => break,
        }
    }
    let Builder { tokens, tree, open, has_root, .. } = builder;
    (open.is_empty() && has_root).then_some(Parsed { tokens, tree, is_xml: true })
}

/// The namespace of an element; none if its prefix was not declared.
fn namespace(reader: &NsReader<&[u8]>, tag: &BytesStart) -> Option<Namespace> {
    match reader.resolver().resolve_element(tag.name()).0 {
        ResolveResult::Bound(namespace) => Some(Namespace::from(namespace.0)),
        ResolveResult::Unbound => Some(ns!(html)),
        ResolveResult::Unknown(_) => None,
    }
}

struct Builder<'s> {
    source: &'s str,
    tokens: Vec<Token>,
    tree: Tree,
    open: Vec<NodeId>,
    has_root: bool,
}

impl Builder<'_> {
    fn push(&mut self, range: Range<usize>, kind: TokenKind, node: Option<NodeId>) {
        self.tokens.push(Token { range, kind, node });
    }

    fn insert(&mut self, content: Content) -> NodeId {
        let node = self.tree.create(content);
        self.tree.insert(self.open.last().copied().unwrap_or(DOCUMENT), node, None);
        node
    }

    /// Text; none if it stands outside the root.
    fn text(&mut self, range: Range<usize>) -> Option<()> {
        match self.tokens.last_mut() {
            // Split at character references.
            Some(Token { kind: TokenKind::Text { .. }, range: before, .. }) if before.end == range.start => {
                before.end = range.end;
            }
            _ if self.open.is_empty() => {
                let outside = self.source.get(range.clone())?.trim_matches('\u{feff}');
                return outside.trim().is_empty().then_some(());
            }
            _ => {
                let node = self.insert(Content::Text);
                self.push(range, TokenKind::Text { is_raw: false }, Some(node));
            }
        }
        Some(())
    }

    fn start(&mut self, range: Range<usize>, tag: &BytesStart, namespace: Namespace, is_empty: bool) -> Option<()> {
        if self.open.is_empty() && std::mem::replace(&mut self.has_root, true) || self.open.len() == MAX_DEPTH {
            return None;
        }
        let (mut attributes, mut sources) = (Vec::new(), Vec::new());
        for attribute in tag.attributes() {
            let attribute = attribute.ok()?;
            let name = LocalName::from(attribute.key.0);
            let raw = &*attribute.value;
            // The event's text is a part of the source.
            let start = (raw.as_ptr() as usize).checked_sub(self.source.as_ptr() as usize)?;
            let value = (!raw.is_empty()).then_some(start..start + raw.len());
            let quote = self.source.as_bytes().get(start.checked_sub(1)?).copied();
            attributes.push((name.clone(), decode(raw).into_owned()));
            sources.push(AttributeSource { name, value, quote });
        }
        let (prefix, local) = (tag.name().prefix(), tag.local_name());
        let prefix = prefix.map(|prefix| Prefix::from(prefix.as_ref()));
        let name = QualName::new(prefix, namespace, LocalName::from(local.as_ref()));
        let node = self.insert(Content::Element(Element { name, attributes }));
        // Tags are found and ended by their full names.
        let name = LocalName::from(tag.name().0);
        let start = StartTag { name, self_closing: is_empty, attributes: sources };
        self.push(range, TokenKind::Start(start), Some(node));
        if !is_empty {
            self.open.push(node);
        }
        Some(())
    }
}

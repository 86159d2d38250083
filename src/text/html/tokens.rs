//! The source cut into tokens, each with its bytes.

use std::ops::Range;

use html5ever::LocalName;

use super::tree::{NodeId, Tree};

/// A document as it was read.
#[derive(Debug)]
pub(super) struct Parsed {
    /// In source order. What lies between them is of no account to a browser.
    pub tokens: Vec<Token>,
    pub tree: Tree,
    pub is_xml: bool,
}

/// What a part of the source is.
#[derive(Debug)]
pub(super) struct Token {
    /// Its bytes in the source.
    pub range: Range<usize>,
    pub kind: TokenKind,
    /// The text or element of the tree that it creates; none where a browser drops it.
    pub node: Option<NodeId>,
}

#[derive(Debug)]
pub(super) enum TokenKind {
    /// Text; raw where the element takes no character references.
    Text {
        is_raw: bool,
    },
    Start(StartTag),
    End(LocalName),
    Comment,
    /// What another program reads before any browser: PHP and the like.
    Instruction(InstructionKind),
    Doctype,
}

#[derive(Debug)]
pub(super) struct StartTag {
    pub name: LocalName,
    /// It closes itself: `<path/>`.
    pub self_closing: bool,
    pub attributes: Vec<AttributeSource>,
}

/// An attribute as it is written.
#[derive(Debug)]
pub(super) struct AttributeSource {
    /// As in [`Element`](super::tree::Element).
    pub name: LocalName,
    /// The bytes of the value without quotes, if there is one and it is not empty.
    pub value: Option<Range<usize>>,
    /// The quotes around it.
    pub quote: Option<u8>,
}

/// What an instruction leaves in the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum InstructionKind {
    /// Text: `<?= $name ?>`.
    Output,
    /// Anything: what comes before and what comes after may not change places.
    Control,
}

impl StartTag {
    pub fn attribute(&self, wanted: &str) -> Option<&AttributeSource> {
        self.attributes.iter().find(|attribute| &*attribute.name == wanted)
    }
}

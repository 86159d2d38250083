//! Elements and texts as a tree; the tokens of the source refer to its nodes.

use html5ever::{LocalName, QualName, ns};

/// Index of a node.
pub(super) type NodeId = usize;

/// The document itself.
pub(super) const DOCUMENT: NodeId = 0;

/// What a node is.
#[derive(Debug)]
pub(super) enum Content {
    Document,
    Text,
    Element(Element),
}

#[derive(Debug)]
pub(super) struct Element {
    pub name: QualName,
    /// Names (with their prefix, if they have one) and values.
    pub attributes: Vec<(LocalName, String)>,
}

impl Element {
    /// Whether it is one of HTML's elements, not one of a drawing or formula.
    pub fn is_html(&self) -> bool {
        self.name.ns == ns!(html)
    }

    /// The value of an attribute.
    pub fn attribute(&self, wanted: &str) -> Option<&str> {
        self.attributes.iter().find(|(name, _)| &**name == wanted).map(|(_, value)| value.as_str())
    }
}

#[derive(Debug)]
struct Node {
    content: Content,
    parent: Option<NodeId>,
    previous: Option<NodeId>,
    next: Option<NodeId>,
    first: Option<NodeId>,
    last: Option<NodeId>,
    depth: usize,
}

#[derive(Debug)]
pub(super) struct Tree {
    nodes: Vec<Node>,
}

impl Default for Tree {
    fn default() -> Tree {
        let mut tree = Tree { nodes: Vec::new() };
        tree.create(Content::Document);
        tree
    }
}

impl Tree {
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn create(&mut self, content: Content) -> NodeId {
        let node = Node { content, parent: None, previous: None, next: None, first: None, last: None, depth: 0 };
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    pub fn element(&self, node: NodeId) -> Option<&Element> {
        match &self.nodes[node].content {
            Content::Element(element) => Some(element),
            _ => None,
        }
    }

    pub fn element_mut(&mut self, node: NodeId) -> Option<&mut Element> {
        match &mut self.nodes[node].content {
            Content::Element(element) => Some(element),
            _ => None,
        }
    }

    pub fn parent(&self, node: NodeId) -> Option<NodeId> {
        self.nodes[node].parent
    }

    pub fn first_child(&self, node: NodeId) -> Option<NodeId> {
        self.nodes[node].first
    }

    /// How many nodes it was in when it was last inserted.
    pub fn depth(&self, node: NodeId) -> usize {
        self.nodes[node].depth
    }

    /// The node after this one in document order; skips its descendants if `skip`.
    pub fn following(&self, node: NodeId, skip: bool) -> Option<NodeId> {
        if let Some(child) = self.nodes[node].first.filter(|_| !skip) {
            return Some(child);
        }
        let mut node = node;
        loop {
            if let Some(next) = self.nodes[node].next {
                return Some(next);
            }
            node = self.nodes[node].parent?;
        }
    }

    pub fn detach(&mut self, node: NodeId) {
        let Node { parent, previous, next, .. } = self.nodes[node];
        match (previous, parent) {
            (Some(previous), _) => self.nodes[previous].next = next,
            (None, Some(parent)) => self.nodes[parent].first = next,
            _ => {}
        }
        match (next, parent) {
            (Some(next), _) => self.nodes[next].previous = previous,
            (None, Some(parent)) => self.nodes[parent].last = previous,
            _ => {}
        }
        let node = &mut self.nodes[node];
        (node.parent, node.previous, node.next) = (None, None, None);
    }

    /// Moves `node` into `parent`, before `next` or as the last child.
    pub fn insert(&mut self, parent: NodeId, node: NodeId, next: Option<NodeId>) {
        self.detach(node);
        let previous = match next {
            Some(next) => self.nodes[next].previous.replace(node),
            None => self.nodes[parent].last.replace(node),
        };
        match previous {
            Some(previous) => self.nodes[previous].next = Some(node),
            None => self.nodes[parent].first = Some(node),
        }
        let depth = self.nodes[parent].depth + 1;
        let moved = &mut self.nodes[node];
        (moved.parent, moved.previous, moved.next, moved.depth) = (Some(parent), previous, next, depth);
    }

    /// For each node, its place in document order and the place after its descendants.
    pub fn extents(&self) -> Vec<(usize, usize)> {
        let mut extents = vec![(0, 0); self.nodes.len()];
        let mut count = 0;
        let mut next = Some(DOCUMENT);
        while let Some(node) = next {
            extents[node].0 = count;
            count += 1;
            next = self.nodes[node].first;
            let mut node = node;
            while next.is_none() {
                extents[node].1 = count;
                next = self.nodes[node].next;
                match self.nodes[node].parent {
                    Some(parent) if next.is_none() => node = parent,
                    _ => break,
                }
            }
        }
        extents
    }
}

//! A document tree in one vector, as html5ever's parser builds it and its serializer writes it.
//!
//! Nodes are linked to parent, siblings and first and last child, so that moving one takes constant time; no walk recurses, however deep
//! a crafted document is.

use std::borrow::Cow;
use std::cell::{Ref, RefCell};
use std::io;

use html5ever::serialize::{Serialize, SerializeOpts, Serializer, TraversalScope};
use html5ever::tendril::{StrTendril, TendrilSink};
use html5ever::tree_builder::{ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::{Attribute, LocalName, ParseOpts, QualName, local_name, ns, parse_document, parse_fragment};

/// Index of a node.
pub(super) type NodeId = usize;

/// The document itself.
pub(super) const DOCUMENT: NodeId = 0;

#[derive(Debug)]
pub(super) enum Data {
    Document,
    Doctype(StrTendril),
    Comment(StrTendril),
    Instruction(StrTendril, StrTendril),
    Text(String),
    Element { name: QualName, attributes: Vec<Attribute> },
}

#[derive(Debug)]
struct TreeNode {
    data: Data,
    parent: Option<NodeId>,
    previous: Option<NodeId>,
    next: Option<NodeId>,
    first: Option<NodeId>,
    last: Option<NodeId>,
}

#[derive(Debug, Default)]
pub(super) struct Tree {
    nodes: Vec<TreeNode>,
    /// The tree is of a fragment: written without `<html>`.
    is_fragment: bool,
}

impl Tree {
    /// Parses a whole document, or what would stand in its body if it has none of `<!doctype>`, `<html>`, `<head>`, `<body>`.
    pub fn parse(html: &str) -> Tree {
        let is_document = html.match_indices('<').take(64).any(|(index, _)| {
            let rest = &html.as_bytes()[index..];
            [&b"<!doctype"[..], b"<html", b"<head", b"<body"]
                .iter()
                .any(|tag| rest.get(..tag.len()).is_some_and(|text| text.eq_ignore_ascii_case(tag)))
        });
        let sink = Sink::default();
        // What stands in <noscript> is read by those without scripts.
        let mut options = ParseOpts::default();
        options.tree_builder.scripting_enabled = false;
        if is_document {
            return parse_document(sink, options).one(html);
        }
        let body = QualName::new(None, ns!(html), local_name!("body"));
        let mut tree = parse_fragment(sink, options, body, Vec::new(), false).one(html);
        tree.is_fragment = true;
        tree
    }

    /// The document as HTML.
    pub fn to_html(&self) -> String {
        let mut bytes = Vec::new();
        let options = SerializeOpts { scripting_enabled: false, ..Default::default() };
        html5ever::serialize(&mut bytes, self, options).expect("writing to memory");
        String::from_utf8(bytes).expect("the serializer writes UTF-8")
    }

    pub fn data(&self, node: NodeId) -> &Data {
        &self.nodes[node].data
    }

    pub fn data_mut(&mut self, node: NodeId) -> &mut Data {
        &mut self.nodes[node].data
    }

    /// Local name of an HTML element.
    pub fn name(&self, node: NodeId) -> Option<&LocalName> {
        match &self.nodes[node].data {
            Data::Element { name, .. } => Some(&name.local),
            _ => None,
        }
    }

    pub fn attribute(&self, node: NodeId, wanted: &str) -> Option<&str> {
        match &self.nodes[node].data {
            Data::Element { attributes, .. } => {
                attributes.iter().find(|attribute| &*attribute.name.local == wanted).map(|attribute| &*attribute.value)
            }
            _ => None,
        }
    }

    pub fn set_attribute(&mut self, node: NodeId, wanted: &str, value: &str) {
        if let Data::Element { attributes, .. } = &mut self.nodes[node].data {
            match attributes.iter_mut().find(|attribute| &*attribute.name.local == wanted) {
                Some(attribute) => attribute.value = value.into(),
                None => {
                    let name = QualName::new(None, ns!(), wanted.into());
                    attributes.push(Attribute { name, value: value.into() });
                }
            }
        }
    }

    pub fn parent(&self, node: NodeId) -> Option<NodeId> {
        self.nodes[node].parent
    }

    pub fn first_child(&self, node: NodeId) -> Option<NodeId> {
        self.nodes[node].first
    }

    pub fn next_sibling(&self, node: NodeId) -> Option<NodeId> {
        self.nodes[node].next
    }

    /// The node after this one in document order, inside `root`; without its descendants if `skip`.
    pub fn following(&self, node: NodeId, root: NodeId, skip: bool) -> Option<NodeId> {
        if let Some(child) = self.nodes[node].first.filter(|_| !skip) {
            return Some(child);
        }
        let mut node = node;
        while node != root {
            if let Some(next) = self.nodes[node].next {
                return Some(next);
            }
            node = self.nodes[node].parent?;
        }
        None
    }

    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn create(&mut self, data: Data) -> NodeId {
        self.nodes.push(TreeNode { data, parent: None, previous: None, next: None, first: None, last: None });
        self.nodes.len() - 1
    }

    pub fn detach(&mut self, node: NodeId) {
        let TreeNode { parent, previous, next, .. } = self.nodes[node];
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

    /// Moves `node` into `parent`, in front of `next` or as the last child.
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
        let links = &mut self.nodes[node];
        (links.parent, links.previous, links.next) = (Some(parent), previous, next);
    }

    /// Inserts a node, or text that goes into a text node in front if there is one.
    fn insert_or_merge(&mut self, parent: NodeId, child: NodeOrText<NodeId>, next: Option<NodeId>) {
        match child {
            NodeOrText::AppendNode(node) => self.insert(parent, node, next),
            NodeOrText::AppendText(text) => {
                let previous = next.map_or(self.nodes[parent].last, |next| self.nodes[next].previous);
                match previous.map(|previous| &mut self.nodes[previous].data) {
                    Some(Data::Text(before)) => before.push_str(&text),
                    _ => {
                        let node = self.create(Data::Text(text.to_string()));
                        self.insert(parent, node, next);
                    }
                }
            }
        }
    }
}

impl Serialize for Tree {
    fn serialize<S: Serializer>(&self, serializer: &mut S, _: TraversalScope) -> io::Result<()> {
        // A fragment's parser makes an <html> element that is not the text's.
        let root = if self.is_fragment { self.nodes[DOCUMENT].first.unwrap_or(DOCUMENT) } else { DOCUMENT };
        let mut next = self.nodes[root].first;
        while let Some(node) = next {
            match &self.nodes[node].data {
                Data::Document => {}
                Data::Doctype(name) => serializer.write_doctype(name)?,
                Data::Comment(text) => serializer.write_comment(text)?,
                Data::Instruction(target, data) => serializer.write_processing_instruction(target, data)?,
                Data::Text(text) => serializer.write_text(text)?,
                Data::Element { name, attributes } => {
                    let attributes = attributes.iter().map(|attribute| (&attribute.name, &*attribute.value));
                    serializer.start_elem(name.clone(), attributes)?;
                }
            }
            next = self.nodes[node].first;
            let mut node = node;
            while next.is_none() {
                if let Data::Element { name, .. } = &self.nodes[node].data {
                    serializer.end_elem(name.clone())?;
                }
                next = self.nodes[node].next;
                match self.nodes[node].parent {
                    Some(parent) if next.is_none() && parent != root => node = parent,
                    _ => break,
                }
            }
        }
        Ok(())
    }
}

/// What the parser builds into.
struct Sink(RefCell<Tree>);

impl Default for Sink {
    fn default() -> Sink {
        let mut tree = Tree::default();
        tree.create(Data::Document);
        Sink(RefCell::new(tree))
    }
}

impl TreeSink for Sink {
    type Handle = NodeId;
    type Output = Tree;
    type ElemName<'a> = Ref<'a, QualName>;

    fn finish(self) -> Tree {
        self.0.into_inner()
    }

    fn parse_error(&self, _: Cow<'static, str>) {}

    fn get_document(&self) -> NodeId {
        DOCUMENT
    }

    fn elem_name<'a>(&'a self, target: &'a NodeId) -> Ref<'a, QualName> {
        Ref::map(self.0.borrow(), |tree| match &tree.nodes[*target].data {
            Data::Element { name, .. } => name,
            other => unreachable!("the parser asks for names of elements only, not of {other:?}"),
        })
    }

    fn create_element(&self, name: QualName, attributes: Vec<Attribute>, _: ElementFlags) -> NodeId {
        self.0.borrow_mut().create(Data::Element { name, attributes })
    }

    fn create_comment(&self, text: StrTendril) -> NodeId {
        self.0.borrow_mut().create(Data::Comment(text))
    }

    fn create_pi(&self, target: StrTendril, data: StrTendril) -> NodeId {
        self.0.borrow_mut().create(Data::Instruction(target, data))
    }

    fn append(&self, parent: &NodeId, child: NodeOrText<NodeId>) {
        self.0.borrow_mut().insert_or_merge(*parent, child, None);
    }

    fn append_based_on_parent_node(&self, element: &NodeId, previous: &NodeId, child: NodeOrText<NodeId>) {
        if self.0.borrow().nodes[*element].parent.is_some() {
            self.append_before_sibling(element, child);
        } else {
            self.append(previous, child);
        }
    }

    fn append_before_sibling(&self, sibling: &NodeId, child: NodeOrText<NodeId>) {
        let mut tree = self.0.borrow_mut();
        if let Some(parent) = tree.nodes[*sibling].parent {
            tree.insert_or_merge(parent, child, Some(*sibling));
        }
    }

    fn append_doctype_to_document(&self, name: StrTendril, _: StrTendril, _: StrTendril) {
        let mut tree = self.0.borrow_mut();
        let node = tree.create(Data::Doctype(name));
        tree.insert(DOCUMENT, node, None);
    }

    /// A template's contents are its children here: they are written the same, and not translated.
    fn get_template_contents(&self, target: &NodeId) -> NodeId {
        *target
    }

    fn same_node(&self, a: &NodeId, b: &NodeId) -> bool {
        a == b
    }

    fn set_quirks_mode(&self, _: QuirksMode) {}

    fn add_attrs_if_missing(&self, target: &NodeId, added: Vec<Attribute>) {
        if let Data::Element { attributes, .. } = &mut self.0.borrow_mut().nodes[*target].data {
            for attribute in added {
                if attributes.iter().all(|known| known.name != attribute.name) {
                    attributes.push(attribute);
                }
            }
        }
    }

    fn remove_from_parent(&self, target: &NodeId) {
        self.0.borrow_mut().detach(*target);
    }

    fn reparent_children(&self, node: &NodeId, new_parent: &NodeId) {
        let mut tree = self.0.borrow_mut();
        while let Some(child) = tree.nodes[*node].first {
            tree.insert(*new_parent, child, None);
        }
    }
}

//! HTML, parsed as browsers do, with the place in the source of everything in the tree.
//!
//! html5gum cuts the source into tokens and says where each stands; html5ever builds the tree from them. What is new in the tree after a
//! token belongs to that token. Both follow the HTML standard, so every input is accepted.
//!
//! Some documents would take time or memory out of all proportion: for each tag, html5ever looks through its open elements, and formatting
//! elements that were never closed (`<b>`, `<font>`) are reopened in each paragraph. As in browsers, elements nested deeper than
//! [`MAX_DEPTH`] become siblings; and where very many were reopened, formatting elements are left out of the tree.

use std::borrow::Cow;
use std::cell::{Ref, RefCell};
use std::collections::{HashMap, HashSet};
use std::convert::Infallible;
use std::ops::Range;

use html5ever::interface::{ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{self, Tag, TagKind, TokenSink, TokenSinkResult};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts, create_element};
use html5ever::{Attribute, LocalName, QualName, local_name, ns};
use html5gum::emitters::callback::{Callback, CallbackEmitter, CallbackEvent};
use html5gum::{Emitter, ForwardingEmitter, Span, State, Tokenizer};

use super::characters::decode;
use super::instructions::{self, Instruction};
use super::tokens::{AttributeSource, Parsed, StartTag, Token, TokenKind};
use super::tree::{Content, DOCUMENT, Element, NodeId, Tree};

/// The deepest nesting of elements, as deep as Chrome allows.
const MAX_DEPTH: usize = 512;

/// How many elements may be reopened, beyond the number of tokens.
const MAX_REOPENED: usize = 10_000;

/// The element that holds other markup in formulas.
const ANNOTATION: &str = "annotation-xml";

/// Elements that are reopened where they were not closed.
pub(super) const FORMATTING: [&str; 14] =
    ["a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u"];

/// Elements without content or end tag.
pub(super) const VOID: [&str; 19] = [
    "area", "base", "basefont", "bgsound", "br", "col", "embed", "frame", "hr", "image", "img", "input", "keygen",
    "link", "meta", "param", "source", "track", "wbr",
];

/// Parses a document or a fragment.
pub(super) fn parse(source: &str) -> Parsed {
    let instructions = instructions::find(source);
    let masked: Cow<str> =
        if instructions.is_empty() { source.into() } else { instructions::masked(source, &instructions).into() };
    // The content of <noscript> is read by those without scripts.
    let options = TreeBuilderOpts { scripting_enabled: false, ..TreeBuilderOpts::default() };
    let sink = Sink::default();
    let builder = if begins_in_table(&masked) {
        // A template may hold any part of a table.
        let context = create_element(&sink, QualName::new(None, ns!(html), local_name!("template")), Vec::new());
        TreeBuilder::new_for_fragment(sink, context, None, options)
    } else {
        TreeBuilder::new(sink, options)
    };
    let mut driver = Driver {
        source: &masked,
        builder,
        tokens: Vec::new(),
        tag: None,
        attribute_names: HashSet::new(),
        state: State::Data,
        annotation_end: None,
        has_annotation_ends: true,
        too_deep: Vec::new(),
        too_deep_names: HashMap::new(),
        reopened: MAX_REOPENED,
        drops_formatting: false,
    };
    let tokenizer = Tokenizer::new_with_emitter(&*masked, Emitting(CallbackEmitter::new(&mut driver)));
    let Ok(()) = tokenizer.finish();
    driver.feed(tokenizer::Token::EOFToken);
    driver.builder.end();
    let Driver { mut tokens, builder, .. } = driver;
    if !instructions.is_empty() {
        tokens = with_instructions(tokens, &instructions);
    }
    Parsed { tokens, tree: builder.sink.tree.into_inner(), is_xml: false }
}

/// Whether the first tag is one that belongs only in a table.
fn begins_in_table(source: &str) -> bool {
    let first = Tokenizer::new(source).find_map(|token| match token {
        Ok(html5gum::Token::StartTag(tag)) => Some(tag.name),
        _ => None,
    });
    let is_part = |name: &[u8]| {
        let parts = ["caption", "col", "colgroup", "tbody", "td", "tfoot", "th", "thead", "tr"];
        parts.iter().any(|part| part.as_bytes() == name)
    };
    first.is_some_and(|name| is_part(&name))
}

/// Cuts texts where instructions stand in them.
fn with_instructions(tokens: Vec<Token>, instructions: &[Instruction]) -> Vec<Token> {
    let mut cut = Vec::with_capacity(tokens.len() + instructions.len());
    for token in tokens {
        let TokenKind::Text { is_raw } = token.kind else {
            cut.push(token);
            continue;
        };
        let first = instructions.partition_point(|instruction| instruction.range.end <= token.range.start);
        let inside = instructions[first..].iter().take_while(|instruction| instruction.range.start < token.range.end);
        let mut at = token.range.start;
        let mut push = |range: Range<usize>, kind| {
            if !range.is_empty() {
                cut.push(Token { range, kind, node: token.node });
            }
        };
        for instruction in inside {
            push(at..instruction.range.start, TokenKind::Text { is_raw });
            push(instruction.range.clone(), TokenKind::Instruction(instruction.kind));
            at = instruction.range.end;
        }
        push(at..token.range.end, TokenKind::Text { is_raw });
    }
    cut
}

/// Feeds tokens to the tree builder, and remembers them.
struct Driver<'s> {
    source: &'s str,
    builder: TreeBuilder<NodeId, Sink>,
    tokens: Vec<Token>,
    /// The start tag that is being read: where it starts, and for the tree.
    tag: Option<(usize, Tag, Vec<AttributeSource>)>,
    attribute_names: HashSet<LocalName>,
    /// How the tokenizer reads on.
    state: State,
    /// Where the formula's annotation that is being read ends. html5ever would have its paragraphs end those around the formula; it is left
    /// alone anyway.
    annotation_end: Option<usize>,
    has_annotation_ends: bool,
    /// Open elements that are too deep for the tree, and how many there are of each name.
    too_deep: Vec<LocalName>,
    too_deep_names: HashMap<LocalName, usize>,
    /// How many more elements may be reopened.
    reopened: usize,
    drops_formatting: bool,
}

struct Emitting<'d, 's>(CallbackEmitter<&'d mut Driver<'s>, Infallible, usize>);

impl ForwardingEmitter for Emitting<'_, '_> {
    type Token = Infallible;

    fn inner(&mut self) -> &mut impl Emitter<Token = Infallible> {
        &mut self.0
    }

    fn emit_current_tag(&mut self) -> Option<State> {
        let _ = self.0.emit_current_tag();
        // Text begins here, however it is to be read.
        self.0.init_string();
        Some(self.0.callback_mut().state)
    }

    fn should_emit_errors(&mut self) -> bool {
        false
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&mut self) -> bool {
        self.0.callback_mut().builder.adjusted_current_node_present_but_not_in_html_namespace()
    }
}

fn local_name(bytes: &[u8]) -> LocalName {
    LocalName::from(&*String::from_utf8_lossy(bytes))
}

fn tendril(bytes: &[u8]) -> StrTendril {
    StrTendril::from_slice(&String::from_utf8_lossy(bytes))
}

fn tag(kind: TagKind, name: LocalName) -> Tag {
    Tag { kind, name, self_closing: false, attrs: Vec::new(), had_duplicate_attributes: false }
}

impl Callback<Infallible, usize> for &mut Driver<'_> {
    fn handle_event(&mut self, event: CallbackEvent<'_>, span: Span<usize>) -> Option<Infallible> {
        match event {
            CallbackEvent::OpenStartTag { name } => {
                self.attribute_names.clear();
                self.tag = Some((span.start, tag(TagKind::StartTag, local_name(name)), Vec::new()));
            }
            CallbackEvent::AttributeName { name } => {
                let name = local_name(name);
                let is_new = self.attribute_names.insert(name.clone());
                if let Some((_, tag, sources)) = &mut self.tag {
                    // The first attribute of a name counts; the value that follows goes to the last one.
                    let name = if is_new { name } else { LocalName::from("") };
                    tag.attrs
                        .push(Attribute { name: QualName::new(None, ns!(), name.clone()), value: StrTendril::new() });
                    sources.push(AttributeSource { name, value: None, quote: None });
                }
            }
            CallbackEvent::AttributeValue { value } => {
                if let Some((_, tag, sources)) = &mut self.tag
                    && let (Some(attribute), Some(source)) = (tag.attrs.last_mut(), sources.last_mut())
                {
                    attribute.value.push_tendril(&tendril(value));
                    let (range, quote) = value_source(self.source, span);
                    (source.value, source.quote) = (Some(range), quote);
                }
            }
            CallbackEvent::CloseStartTag { self_closing } => {
                if let Some((start, tag, sources)) = self.tag.take() {
                    self.start_tag(start..span.end, Tag { self_closing, ..tag }, sources);
                }
            }
            CallbackEvent::EndTag { name } => {
                self.tag = None;
                self.end_tag(span.start..span.end, local_name(name));
            }
            CallbackEvent::String { value } => self.text(span.start..span.end, value),
            CallbackEvent::Comment { .. } => {
                self.push(span.start..span.end, TokenKind::Comment);
                self.feed(tokenizer::Token::CommentToken(StrTendril::new()));
            }
            CallbackEvent::Doctype { name, public_identifier, system_identifier, force_quirks } => {
                self.push(span.start..span.end, TokenKind::Doctype);
                self.feed(tokenizer::Token::DoctypeToken(tokenizer::Doctype {
                    name: (!name.is_empty()).then(|| tendril(name)),
                    public_id: public_identifier.map(tendril),
                    system_id: system_identifier.map(tendril),
                    force_quirks,
                }));
            }
            CallbackEvent::Error(_) => {}
        }
        None
    }
}

/// The bytes of an attribute's value, and the quotes around it.
fn value_source(source: &str, span: Span<usize>) -> (Range<usize>, Option<u8>) {
    let before = source.as_bytes()[..span.start].last().copied();
    match before.filter(|byte| matches!(byte, b'"' | b'\'')) {
        Some(quote) => {
            let rest = &source.as_bytes()[span.start..];
            let length = rest.iter().position(|byte| *byte == quote).unwrap_or(rest.len());
            (span.start..span.start + length, Some(quote))
        }
        None => (span.start..span.end, None),
    }
}

impl Driver<'_> {
    fn push(&mut self, range: Range<usize>, kind: TokenKind) {
        self.tokens.push(Token { range, kind, node: None });
    }

    /// Has the tree built further, and says how the tokenizer is to read on.
    fn feed(&mut self, token: tokenizer::Token) -> State {
        match self.builder.process_token(token, 1) {
            TokenSinkResult::Plaintext => State::PlainText,
            TokenSinkResult::RawData(RawKind::Rcdata) => State::RcData,
            TokenSinkResult::RawData(RawKind::Rawtext) => State::RawText,
            TokenSinkResult::RawData(RawKind::ScriptData | RawKind::ScriptDataEscaped(_)) => State::ScriptData,
            TokenSinkResult::Continue | TokenSinkResult::Script(_) | TokenSinkResult::EncodingIndicator(_) => {
                State::Data
            }
        }
    }

    /// Whether the last token is in the annotation of a formula.
    fn is_in_annotation(&self) -> bool {
        let start = self.tokens.last().map_or(0, |token| token.range.start);
        self.annotation_end.is_some_and(|end| start < end)
    }

    fn text(&mut self, range: Range<usize>, value: &[u8]) {
        let is_raw = matches!(self.state, State::RawText | State::ScriptData | State::PlainText);
        let raw = &self.source[range.clone()];
        // Sections of character data, and signs that a browser drops.
        let is_plain = !raw.contains('<') || is_raw || decode(raw).replace("\r\n", "\n").as_bytes() == value;
        self.push(range, if is_plain { TokenKind::Text { is_raw } } else { TokenKind::Comment });
        if self.is_in_annotation() {
            return;
        }
        self.builder.sink.text.replace(None);
        for (index, part) in value.split(|byte| *byte == 0).enumerate() {
            if index > 0 {
                self.feed(tokenizer::Token::NullCharacterToken);
            }
            if !part.is_empty() {
                self.feed(tokenizer::Token::CharacterTokens(tendril(part)));
            }
        }
        if matches!(self.state, State::Data) {
            // Text in tables is put into the tree only with the next token.
            self.feed(tokenizer::Token::CommentToken(StrTendril::new()));
        }
        let node = *self.builder.sink.text.borrow();
        self.tokens.last_mut().expect("just pushed").node = node;
    }

    fn start_tag(&mut self, range: Range<usize>, mut tag: Tag, sources: Vec<AttributeSource>) {
        tag.attrs.retain(|attribute| !attribute.name.local.is_empty());
        let (name, self_closing) = (tag.name.clone(), tag.self_closing);
        let start = StartTag { name: name.clone(), self_closing, attributes: sources };
        self.push(range, TokenKind::Start(start));
        if self.is_in_annotation() || self.drops_formatting && FORMATTING.contains(&&*name) {
            return;
        }
        let before = self.builder.sink.tree.borrow().len();
        self.state = self.feed(tokenizer::Token::TagToken(tag));
        let (node, made, depth) = {
            let tree = self.builder.sink.tree.borrow();
            // Reopened elements come before the element itself.
            let last = tree.len() - 1;
            let is_its = |element: &Element| {
                element.name.local.eq_ignore_ascii_case(&name) || &*name == "image" && &*element.name.local == "img"
            };
            let node = (last >= before && tree.element(last).is_some_and(is_its)).then_some(last);
            (node, tree.len() - before, node.map_or(0, |node| tree.depth(node)))
        };
        let is_annotation = &*name == ANNOTATION && !self_closing && node.is_some();
        self.tokens.last_mut().expect("just pushed").node = node;
        let ends_itself = self_closing || VOID.contains(&&*name);
        if depth > MAX_DEPTH && !ends_itself && matches!(self.state, State::Data) {
            self.feed(tokenizer::Token::TagToken(tag_end(name.clone())));
            *self.too_deep_names.entry(name.clone()).or_default() += 1;
            self.too_deep.push(name);
        }
        self.count_reopened(made);
        if is_annotation && self.has_annotation_ends {
            let end = self.tokens.last().expect("just pushed").range.end;
            let marks = self.source[end..].match_indices("</").map(|(at, _)| end + at);
            let is_end = |at: &usize| {
                let name = self.source.as_bytes().get(at + 2..at + 2 + ANNOTATION.len());
                name.is_some_and(|name| name.eq_ignore_ascii_case(ANNOTATION.as_bytes()))
            };
            self.annotation_end = marks.into_iter().find(is_end);
            self.has_annotation_ends = self.annotation_end.is_some();
        }
    }

    fn end_tag(&mut self, range: Range<usize>, name: LocalName) {
        self.push(range, TokenKind::End(name.clone()));
        self.state = State::Data;
        if self.is_in_annotation() {
            return;
        }
        if self.too_deep_names.get(&name).is_some_and(|count| *count > 0) {
            while let Some(open) = self.too_deep.pop() {
                *self.too_deep_names.entry(open.clone()).or_default() -= 1;
                if open == name {
                    return;
                }
            }
        }
        let before = self.builder.sink.tree.borrow().len();
        self.feed(tokenizer::Token::TagToken(tag_end(name)));
        let made = self.builder.sink.tree.borrow().len() - before;
        self.count_reopened(made);
    }

    fn count_reopened(&mut self, made: usize) {
        self.reopened = (self.reopened + 1).saturating_sub(made.saturating_sub(1));
        if self.reopened > 0 {
            return;
        }
        self.drops_formatting = true;
        self.reopened = MAX_REOPENED + self.tokens.len();
        for name in FORMATTING.iter().flat_map(|name| std::iter::repeat_n(*name, MAX_DEPTH)) {
            self.feed(tokenizer::Token::TagToken(tag_end(LocalName::from(name))));
        }
    }
}

fn tag_end(name: LocalName) -> Tag {
    tag(TagKind::EndTag, name)
}

/// What the tree builder builds into.
struct Sink {
    tree: RefCell<Tree>,
    /// The node of the text that was put into the tree last.
    text: RefCell<Option<NodeId>>,
    /// Stands for all comments, which are not in the tree.
    comment: NodeId,
}

impl Default for Sink {
    fn default() -> Sink {
        let mut tree = Tree::default();
        let comment = tree.create(Content::Text);
        Sink { tree: RefCell::new(tree), text: RefCell::new(None), comment }
    }
}

impl Sink {
    fn insert(&self, parent: NodeId, child: NodeOrText<NodeId>, next: Option<NodeId>) {
        let mut tree = self.tree.borrow_mut();
        match child {
            NodeOrText::AppendNode(node) if node == self.comment => {}
            NodeOrText::AppendNode(node) => tree.insert(parent, node, next),
            NodeOrText::AppendText(text) => {
                let is_blank = text.trim().is_empty();
                let mut last = self.text.borrow_mut();
                // One node per text: where its words are, if they are separated from its blanks.
                if let Some(node) = *last {
                    if !is_blank {
                        tree.insert(parent, node, next);
                    }
                    return;
                }
                let node = tree.create(Content::Text);
                tree.insert(parent, node, next);
                *last = Some(node);
            }
        }
    }
}

impl TreeSink for Sink {
    type Handle = NodeId;
    type Output = Sink;
    type ElemName<'a> = Ref<'a, QualName>;

    fn finish(self) -> Sink {
        self
    }

    fn parse_error(&self, _: Cow<'static, str>) {}

    fn get_document(&self) -> NodeId {
        DOCUMENT
    }

    fn elem_name<'a>(&'a self, target: &'a NodeId) -> Ref<'a, QualName> {
        Ref::map(self.tree.borrow(), |tree| match tree.element(*target) {
            Some(element) => &element.name,
            None => unreachable!("the parser asks for names of elements only"),
        })
    }

    fn create_element(&self, name: QualName, attributes: Vec<Attribute>, _: ElementFlags) -> NodeId {
        let attributes = attributes.into_iter().map(|Attribute { name, value }| {
            let full = match &name.prefix {
                Some(prefix) => LocalName::from(format!("{prefix}:{}", name.local)),
                None => name.local,
            };
            (full, value.to_string())
        });
        let element = Element { name, attributes: attributes.collect() };
        self.tree.borrow_mut().create(Content::Element(element))
    }

    fn create_comment(&self, _: StrTendril) -> NodeId {
        self.comment
    }

    fn create_pi(&self, _: StrTendril, _: StrTendril) -> NodeId {
        self.comment
    }

    fn append(&self, parent: &NodeId, child: NodeOrText<NodeId>) {
        self.insert(*parent, child, None);
    }

    fn append_based_on_parent_node(&self, element: &NodeId, previous: &NodeId, child: NodeOrText<NodeId>) {
        let has_parent = self.tree.borrow().parent(*element).is_some();
        if has_parent { self.append_before_sibling(element, child) } else { self.append(previous, child) }
    }

    fn append_before_sibling(&self, sibling: &NodeId, child: NodeOrText<NodeId>) {
        let parent = self.tree.borrow().parent(*sibling);
        if let Some(parent) = parent {
            self.insert(parent, child, Some(*sibling));
        }
    }

    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {}

    /// A template's contents are its children here.
    fn get_template_contents(&self, target: &NodeId) -> NodeId {
        *target
    }

    fn same_node(&self, a: &NodeId, b: &NodeId) -> bool {
        a == b
    }

    fn set_quirks_mode(&self, _: QuirksMode) {}

    fn add_attrs_if_missing(&self, target: &NodeId, added: Vec<Attribute>) {
        if let Some(element) = self.tree.borrow_mut().element_mut(*target) {
            for Attribute { name, value } in added {
                if element.attribute(&name.local).is_none() {
                    element.attributes.push((name.local, value.to_string()));
                }
            }
        }
    }

    fn remove_from_parent(&self, target: &NodeId) {
        self.tree.borrow_mut().detach(*target);
    }

    fn reparent_children(&self, node: &NodeId, new_parent: &NodeId) {
        let mut tree = self.tree.borrow_mut();
        while let Some(child) = tree.first_child(*node) {
            tree.insert(*new_parent, child, None);
        }
    }
}

//! Finds what is to be translated.

use std::collections::HashMap;
use std::ops::Range;

use super::HtmlDocument;
use super::borders;
use super::characters::{Context, decode, quoted, wide_gaps};
use super::items::{Item, Kind};
use super::layout::{ItemRules, Layout, passage};
use super::notes::is_mark;
use super::parse::parse;
use super::rules::{ElementRules, RULES, Role};
use super::states::{States, language_of, primary};
use super::structure::{Place, places};
use super::tokens::{AttributeSource, InstructionKind, Parsed, StartTag, Token, TokenKind};
use super::tree::{DOCUMENT, Element, NodeId, Tree};
use crate::text::documents::{Document, Languages, Passage};
use crate::text::language::Language;

/// What is to be translated in a document, and what is changed in any case.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub passages: Vec<Passage>,
    /// Where each passage stands.
    pub layouts: Vec<Layout>,
    /// Bytes of the source and their replacements: languages.
    pub changes: Vec<(Range<usize>, String)>,
    pub choices: Vec<Choice>,
    pub inner: Vec<Inner>,
}

/// A document that is written with character references inside another: the value of `srcdoc`, the description of a book.
#[derive(Debug)]
pub(super) struct Inner {
    /// The bytes of the source.
    pub range: Range<usize>,
    pub context: Context,
    pub document: HtmlDocument,
}

impl Inner {
    /// The document that is written this way, if it has text.
    pub fn read(
        source: &str,
        range: Range<usize>,
        context: Context,
        languages: &Languages,
        within: usize,
    ) -> Option<Self> {
        let document = HtmlDocument::within(decode(&source[range.clone()]).into_owned(), languages, within);
        (!document.passages().is_empty()).then_some(Inner { range, context, document })
    }
}

/// An `<option>` that sends its text. Once that is translated, it has to say what it sends.
#[derive(Debug)]
pub(super) struct Choice {
    /// Where an attribute goes.
    pub at: usize,
    /// What it sends.
    pub value: String,
    /// Its passages.
    pub passages: Vec<usize>,
}

/// How deep documents within documents (`<noframes>`) are looked into.
const MAX_WITHIN: usize = 2;

/// Languages that are written with readings beside the text. Those of the original are of no use to readers of the translation.
const READINGS: [&str; 2] = ["ja", "zh"];

/// What is to be translated in a parsed document.
pub(super) fn find(source: &str, parsed: &Parsed, languages: &Languages, rules: &ElementRules, within: usize) -> Found {
    let states = States::new(source, parsed, languages.source, rules);
    let places = places(source, parsed, &states);
    let tree = &parsed.tree;
    let mut nodes = std::iter::successors(tree.following(DOCUMENT, false), |&node| tree.following(node, false));
    let root = nodes.find_map(|node| tree.element(node));
    let mut collector = Collector {
        source,
        languages,
        language: Language::from_tag(languages.source).unwrap_or_default(),
        rules,
        within,
        tokens: &parsed.tokens,
        tree: &parsed.tree,
        is_xml: parsed.is_xml,
        is_page: !parsed.is_xml || root.is_some_and(|root| &*root.name.local == "html"),
        has_passages: vec![false; parsed.tree.len()],
        states,
        places,
        texts: Vec::new(),
        objects: Vec::new(),
        choices: HashMap::new(),
        found: Found::default(),
    };
    collector.collect();
    collector.found
}

/// A text that has been begun.
#[derive(Default)]
struct Text {
    items: Vec<Item>,
    /// The node that it is in.
    container: Option<NodeId>,
    /// How many of its elements are open.
    depth: usize,
    elements: Vec<NodeId>,
}

struct Collector<'a> {
    source: &'a str,
    languages: &'a Languages<'a>,
    /// The one that is translated from.
    language: Language,
    rules: &'a ElementRules,
    within: usize,
    tokens: &'a [Token],
    tree: &'a Tree,
    is_xml: bool,
    /// Not an XML file with elements of its own, whose names do not tell how they are laid out.
    is_page: bool,
    states: States,
    places: Vec<Place>,
    /// The nodes with something translated inside.
    has_passages: Vec<bool>,
    /// The text that is being read, and those around it whose objects it is in.
    texts: Vec<Text>,
    /// Where the objects begin.
    objects: Vec<usize>,
    /// The options by their nodes.
    choices: HashMap<NodeId, Choice>,
    found: Found,
}

impl Collector<'_> {
    fn collect(&mut self) {
        self.texts.push(Text::default());
        let mut index = 0;
        while index < self.tokens.len() {
            index = self.token(index) + 1;
        }
        while !self.texts.is_empty() {
            self.end_text();
            self.texts.pop();
        }
        let mut choices: Vec<Choice> = std::mem::take(&mut self.choices).into_values().collect();
        choices.sort_by_key(|choice| choice.at);
        self.found.choices.append(&mut choices);
        self.set_languages();
    }

    fn text(&mut self) -> &mut Text {
        self.texts.last_mut().expect("there is always one")
    }

    /// Reads a token, and returns the index of the last one that was read.
    fn token(&mut self, index: usize) -> usize {
        let token = &self.tokens[index];
        let range = token.range.clone();
        match (&token.kind, self.places[index]) {
            (TokenKind::Text { is_raw: true }, _) => {
                self.end_text();
                self.raw_text(token);
            }
            (TokenKind::Text { .. }, Place::Border) => self.end_text(),
            (TokenKind::Text { .. }, _) => self.push_text(token),
            (TokenKind::Start(tag), place) => return self.start(index, tag, token, place),
            (TokenKind::End(_), Place::Close(start)) => self.close(start, range),
            (TokenKind::Comment, Place::Open(end)) if end > index => self.push_open(range),
            (TokenKind::Comment, Place::Close(_)) => self.push_close(range),
            (TokenKind::Instruction(InstructionKind::Output), _) => self.push(Item::Object(range, Kind::Word)),
            (_, Place::Border) => self.end_text(),
            (TokenKind::Comment | TokenKind::End(_), _) => self.push(Item::Object(range, Kind::Empty)),
            (TokenKind::Instruction(_) | TokenKind::Doctype, _) => self.end_text(),
        }
        index
    }

    fn push(&mut self, item: Item) {
        self.text().items.push(item);
    }

    fn push_open(&mut self, range: Range<usize>) {
        self.text().depth += 1;
        self.push(Item::Open(range));
    }

    fn push_close(&mut self, range: Range<usize>) {
        let text = self.text();
        text.depth = text.depth.saturating_sub(1);
        self.push(Item::Close(range));
    }

    fn push_text(&mut self, token: &Token) {
        let is_blank = self.source[token.range.clone()].trim().is_empty();
        if let Some(node) = token.node.filter(|_| !is_blank) {
            let parent = self.tree.parent(node).unwrap_or(DOCUMENT);
            self.enter(parent);
            self.add_to_choice(parent, token);
            if !self.states.is_content_open(parent) {
                return self.end_text();
            }
        }
        let mut start = token.range.start;
        for gap in wide_gaps(self.source, &token.range) {
            self.push(Item::Text(start..gap.start));
            start = gap.end;
            self.push(Item::Object(gap, Kind::Blank));
        }
        self.push(Item::Text(start..token.range.end));
    }

    /// A text ends where the tree goes on elsewhere.
    fn enter(&mut self, parent: NodeId) {
        if self.text().depth == 0 && self.text().container != Some(parent) {
            if self.text().container.is_some() {
                self.end_text();
            }
            self.text().container = Some(parent);
        }
    }

    fn start(&mut self, index: usize, tag: &StartTag, token: &Token, place: Place) -> usize {
        let range = token.range.clone();
        let (Some(node), Place::Open(end)) = (token.node, place) else {
            self.end_text();
            if let Some(node) = token.node {
                self.attributes(node, tag);
                self.begin_choice(node, tag, &range);
            }
            return index;
        };
        let parent = self.tree.parent(node).unwrap_or(DOCUMENT);
        self.enter(parent);
        if !self.states.is_content_open(parent) {
            // Inside there may be something that is to be translated all the same.
            self.end_text();
            self.attributes(node, tag);
            return index;
        }
        let whole = range.start..self.tokens[end].range.end;
        let role = self.states.role(node);
        let is_void = end == index;
        if role != Role::Annotation && (self.states.of(node).is_open() || role == Role::Hidden) {
            self.attributes(node, tag);
        }
        let inside = if is_void { "" } else { &self.source[range.end..self.tokens[end].range.start] };
        let kind = match role {
            Role::Inline if &*tag.name == "br" => Kind::Break,
            Role::Annotation => Kind::Annotation,
            _ if inside.is_empty() => Kind::Empty,
            _ if inside.trim().is_empty() => Kind::Blank,
            _ if !self.states.of(node).is_open() => Kind::Word,
            Role::Verbatim => Kind::Word,
            Role::Hidden if &*tag.name == "math" => Kind::Word,
            Role::Hidden => Kind::Empty,
            _ if role == Role::Object || is_mark(&tag.name, &self.source[..range.start], inside) => {
                self.texts.push(Text::default());
                self.objects.push(index);
                return index;
            }
            _ => {
                self.text().elements.push(node);
                self.push_open(range);
                return index;
            }
        };
        self.push(Item::Object(whole, kind));
        end
    }

    /// Ends the element that began with the token `start`.
    fn close(&mut self, start: usize, range: Range<usize>) {
        let Some(node) = self.tokens[start].node else { return self.end_text() };
        let parent = self.tree.parent(node).unwrap_or(DOCUMENT);
        if !self.states.is_content_open(parent) {
            self.end_text();
        } else if self.objects.last() == Some(&start) {
            self.end_text();
            self.texts.pop();
            self.objects.pop();
            self.push(Item::Object(self.tokens[start].range.start..range.end, Kind::Empty));
        } else {
            self.push_close(range);
        }
    }

    /// Makes a passage of what has been read, if it has words.
    fn end_text(&mut self) {
        let Text { items, container, depth, elements } = std::mem::take(self.text());
        let is_open = container.is_some_and(|container| self.states.is_content_open(container));
        if depth > 0 || !is_open {
            return;
        }
        let joins_ruby = READINGS.contains(&&*primary(self.languages.source));
        let rules = ItemRules { is_xml: self.is_xml, joins_ruby, language: self.language };
        let container = container.expect("it is open");
        let choice = self.choice_around(container);
        let mut any = false;
        let items = borders::cut_at_separators(self.source, items);
        for piece in self.pieces(&items) {
            let items = items[piece].to_vec();
            let Some((passage, layout)) = passage(self.source, items, Context::Content, rules) else { continue };
            any = true;
            let index = self.found.passages.len();
            if let Some(choice) = choice.and_then(|node| self.choices.get_mut(&node)) {
                choice.passages.push(index);
            }
            self.add(passage, layout);
        }
        if any {
            elements.into_iter().chain([container]).for_each(|node| self.mark(node));
        }
    }

    /// The parts of a run that are texts of their own.
    fn pieces(&self, items: &[Item]) -> Vec<Range<usize>> {
        let is_inline = |element: &Element| self.rules.role(&element.name.local) == Some(Role::Inline);
        if !self.is_page || items.iter().filter_map(|item| self.element_of(item)).any(is_inline) {
            return std::iter::once(0..items.len()).collect();
        }
        borders::cut(self.source, items, self.language, &|item| self.element_of(item))
    }

    /// The element that an item is, or begins.
    fn element_of(&self, item: &Item) -> Option<&Element> {
        let start = match item {
            Item::Open(range) | Item::Object(range, _) => range.start,
            Item::Text(_) | Item::Close(_) => return None,
        };
        let index = self.tokens.binary_search_by_key(&start, |token| token.range.start).ok()?;
        self.tree.element(self.tokens[index].node?)
    }

    fn add(&mut self, passage: Passage, layout: Layout) {
        self.found.passages.push(passage);
        self.found.layouts.push(layout);
    }

    /// Notes that something in a node is translated.
    fn mark(&mut self, node: NodeId) {
        let mut next = Some(node);
        while let Some(node) = next.filter(|&node| !std::mem::replace(&mut self.has_passages[node], true)) {
            next = self.tree.parent(node);
        }
    }

    /// What browsers show where they do not know better; it is HTML again.
    fn raw_text(&mut self, token: &Token) {
        let Some(parent) = token.node.and_then(|node| self.tree.parent(node)) else { return };
        let is_object = self.states.role(parent) == Role::Object && self.states.is_content_open(parent);
        if !is_object || self.within == MAX_WITHIN {
            return;
        }
        let inner = &self.source[token.range.clone()];
        let mut found = find(inner, &parse(inner), self.languages, self.rules, self.within + 1);
        let offset = token.range.start;
        if !found.passages.is_empty() || !found.inner.is_empty() {
            self.mark(parent);
        }
        found.layouts.iter_mut().for_each(|layout| layout.shift(offset));
        for (range, _) in &mut found.changes {
            *range = range.start + offset..range.end + offset;
        }
        for choice in &mut found.choices {
            choice.at += offset;
            choice.passages.iter_mut().for_each(|passage| *passage += self.found.passages.len());
        }
        for inner in &mut found.inner {
            inner.range = inner.range.start + offset..inner.range.end + offset;
        }
        self.found.inner.append(&mut found.inner);
        self.found.passages.append(&mut found.passages);
        self.found.layouts.append(&mut found.layouts);
        self.found.changes.append(&mut found.changes);
        self.found.choices.append(&mut found.choices);
    }

    // --- Attributes ---

    fn attributes(&mut self, node: NodeId, tag: &StartTag) {
        let Some(element) = self.tree.element(node).filter(|_| self.states.of(node).is_open()) else { return };
        let mut any = false;
        for source in &tag.attributes {
            let Some(range) = source.value.clone() else { continue };
            if &*source.name == "srcdoc" && self.within < MAX_WITHIN {
                let context = Context::Attribute(source.quote);
                let inner = Inner::read(self.source, range, context, self.languages, self.within + 1);
                any |= inner.is_some();
                self.found.inner.extend(inner);
                continue;
            }
            if !is_text(element, &source.name) {
                continue;
            }
            let raw = &self.source[range.clone()];
            // Not what other programs write, nor what is read differently here than in a text.
            let is_plain = element.attribute(&source.name).is_some_and(|value| *value == decode(raw));
            let items = vec![Item::Text(range)];
            let rules = ItemRules { is_xml: self.is_xml, joins_ruby: false, language: self.language };
            if let Some((passage, layout)) =
                passage(self.source, items, Context::Attribute(source.quote), rules).filter(|_| is_plain)
            {
                self.add(passage, layout);
                any = true;
            }
        }
        if any {
            self.mark(node);
        }
    }

    // --- Forms ---

    fn begin_choice(&mut self, node: NodeId, tag: &StartTag, range: &Range<usize>) {
        if &*tag.name == "option" && tag.attribute("value").is_none() {
            let at = range.start + 1 + tag.name.len();
            self.choices.insert(node, Choice { at, value: String::new(), passages: Vec::new() });
        }
    }

    /// The option that a node is in.
    fn choice_around(&self, node: NodeId) -> Option<NodeId> {
        let above = std::iter::successors(Some(node), |&node| self.tree.parent(node));
        above.take(MAX_IN_OPTION).find(|node| self.choices.contains_key(node))
    }

    fn add_to_choice(&mut self, parent: NodeId, token: &Token) {
        if self.choices.is_empty() {
            return;
        }
        if let Some(choice) = self.choice_around(parent).and_then(|node| self.choices.get_mut(&node)) {
            for word in decode(&self.source[token.range.clone()]).split_ascii_whitespace() {
                if !choice.value.is_empty() {
                    choice.value.push(' ');
                }
                choice.value.push_str(word);
            }
        }
    }

    // --- Languages ---

    /// Declares the new language on the document and on each part of it that declared the old one.
    fn set_languages(&mut self) {
        let (from, to) = (primary(self.languages.source), self.languages.target);
        for token in self.tokens {
            let (TokenKind::Start(tag), Some(node)) = (&token.kind, token.node) else { continue };
            let Some(element) = self.tree.element(node) else { continue };
            let is_root = &*tag.name == "html" && self.tree.parent(node) == Some(DOCUMENT);
            let is_source = language_of(element).is_some_and(|language| primary(language) == from);
            if is_root || is_source && self.has_passages[node] && self.states.of(node).is_open() {
                let languages = tag.attributes.iter().filter(|source| matches!(&*source.name, "lang" | "xml:lang"));
                let mut any = false;
                for source in languages {
                    self.found.changes.extend(changed(source, to));
                    any = true;
                }
                if is_root && !any {
                    let end = token.range.start + 1 + tag.name.len();
                    let xml = if self.is_xml { format!(" xml:lang={}", quoted(to, None)) } else { String::new() };
                    self.found.changes.push((end..end, format!(" lang={}{xml}", quoted(to, None))));
                }
            }
            let says_language = &*tag.name == "meta"
                && element.attribute("http-equiv").is_some_and(|name| name.eq_ignore_ascii_case("content-language"));
            if let Some(source) = tag.attribute("content").filter(|_| says_language) {
                self.found.changes.extend(changed(source, to));
            }
        }
    }
}

/// How far up from its text an option is looked for.
const MAX_IN_OPTION: usize = 8;

/// The edit that gives an attribute another value.
pub(super) fn changed(source: &AttributeSource, value: &str) -> Option<(Range<usize>, String)> {
    let range = source.value.clone()?;
    let quoted = quoted(value, source.quote);
    let text = if source.quote.is_some() || value.contains(|c: char| !c.is_ascii_alphanumeric() && c != '-') {
        quoted[usize::from(source.quote.is_some())..quoted.len() - usize::from(source.quote.is_some())].to_owned()
    } else {
        value.to_owned()
    };
    Some((range, text))
}

/// Whether an attribute has text for readers.
fn is_text(element: &Element, name: &str) -> bool {
    let attribute = |name: &str| element.attribute(name).unwrap_or_default();
    let is = |name: &str, value: &str| attribute(name).eq_ignore_ascii_case(value);
    match (&*element.name.local, name) {
        // The names of style sheets, by which these are grouped.
        ("link", "title") => {
            !attribute("rel").split_ascii_whitespace().any(|rel| rel.eq_ignore_ascii_case("stylesheet"))
        }
        ("input", "value") => {
            let kind = attribute("type").to_ascii_lowercase();
            // A button with a name sends its label.
            RULES.buttons.contains(&*kind) && (attribute("name").is_empty() || !is("type", "submit"))
        }
        ("meta", "content") => {
            let subject = element.attribute("name").or_else(|| element.attribute("property")).unwrap_or_default();
            RULES.descriptions.contains(&*subject.to_ascii_lowercase())
        }
        _ => RULES.attributes.contains(name),
    }
}

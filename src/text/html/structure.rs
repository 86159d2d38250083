//! Which elements of a text can move with their words: those that begin and end in it and are properly nested as they are written.
//!
//! HTML lets elements overlap, end late, or not end at all, and browsers make a tree of it. Moving the tags of such an element would change
//! that tree, so these tags are borders of texts: what is between them is translated where it stands.

use std::collections::HashMap;

use html5ever::{LocalName, local_name};

use super::parse::{FORMATTING, VOID};
use super::rules::{RULES, Role};
use super::states::States;
use super::tokens::{InstructionKind, Parsed, StartTag, Token, TokenKind};
use super::tree::{Element, NodeId, Tree};

/// What a token is to the text it stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Text, or a thing that stands in it.
    Within,
    /// The text ends here.
    Border,
    /// The start of an element that ends with that token.
    Open(usize),
    /// The end of the element that began with that token.
    Close(usize),
}

/// How many open elements are searched for the one that a tag ends.
const MAX_LOOKED_THROUGH: usize = 1024;

/// Elements after whose end formatting that was begun inside does not go on.
const ENDS_FORMATTING: [&str; 4] = ["applet", "marquee", "object", "template"];

/// An element that may be able to move.
struct Open {
    token: usize,
    name: LocalName,
    /// The node that directly holds what is inside; none for pairs of comments around nothing else.
    node: Option<NodeId>,
    /// Anything may be inside.
    holds_all: bool,
    /// How many formatting elements had been left open before.
    formatting: usize,
    /// Borders that were begun inside, by name.
    borders: HashMap<LocalName, usize>,
}

impl Open {
    fn new(token: usize, name: LocalName, node: Option<NodeId>, holds_all: bool, formatting: usize) -> Self {
        Open { token, name, node, holds_all, formatting, borders: HashMap::new() }
    }
}

/// The place of each token.
pub(super) fn places(source: &str, parsed: &Parsed, states: &States) -> Vec<Place> {
    let Parsed { tokens, tree, is_xml } = parsed;
    let mut finder = Finder {
        tokens,
        tree,
        is_xml: *is_xml,
        extents: tree.extents(),
        places: vec![Place::Within; tokens.len()],
        open: Vec::new(),
        left_open: HashMap::new(),
        formatting: 0,
    };
    let pairs = pairs_of_comments(source, tokens);
    for (index, token) in tokens.iter().enumerate() {
        finder.place(index, token, source, states, &pairs);
    }
    finder.leave_open(0);
    finder.check_ends();
    finder.places
}

struct Finder<'a> {
    tokens: &'a [Token],
    tree: &'a Tree,
    is_xml: bool,
    extents: Vec<(usize, usize)>,
    places: Vec<Place>,
    open: Vec<Open>,
    /// Where the open elements that cannot move begin, by name.
    left_open: HashMap<LocalName, Vec<usize>>,
    /// How many formatting elements were left open.
    formatting: usize,
}

impl Finder<'_> {
    fn place(&mut self, index: usize, token: &Token, source: &str, states: &States, pairs: &HashMap<usize, usize>) {
        match &token.kind {
            TokenKind::Text { is_raw } => {
                let is_blank = source[token.range.clone()].trim().is_empty();
                match token.node {
                    Some(node) if !is_raw => {
                        if !is_blank {
                            self.enter(self.tree.parent(node));
                        }
                    }
                    // Text that a browser drops, or a program.
                    _ if is_blank => {}
                    _ => self.border(index),
                }
            }
            TokenKind::Start(tag) => self.start(index, tag, token.node, states),
            TokenKind::End(name) => self.end(index, name),
            TokenKind::Comment => {
                if let Some(&other) = pairs.get(&index) {
                    if other > index {
                        let node = self.open.last().and_then(|open| open.node.filter(|_| !open.holds_all));
                        let name = pair_name(index);
                        self.open.push(Open::new(index, name, node, false, self.formatting));
                    } else {
                        self.end(index, &pair_name(other));
                    }
                }
            }
            TokenKind::Instruction(InstructionKind::Output) => {}
            TokenKind::Instruction(InstructionKind::Control) | TokenKind::Doctype => self.border(index),
        }
    }

    fn start(&mut self, index: usize, tag: &StartTag, node: Option<NodeId>, states: &States) {
        let Some(node) = node else { return self.border(index) };
        self.enter(self.tree.parent(node));
        let role = states.role(node);
        if role.ends_text() {
            self.border(index);
            // Only what holds it can still be open.
            if let Some(open) = self.open.last_mut() {
                *open.borders.entry(tag.name.clone()).or_default() += 1;
            }
            return;
        }
        let is_html = !self.is_xml && self.tree.element(node).is_some_and(Element::is_html);
        if if is_html { VOID.contains(&&*tag.name) } else { tag.self_closing } {
            self.places[index] = Place::Open(index);
            return;
        }
        let holds_all = role != Role::Inline;
        self.open.push(Open::new(index, tag.name.clone(), Some(node), holds_all, self.formatting));
    }

    fn end(&mut self, index: usize, name: &LocalName) {
        let looked_through = self.open.len().saturating_sub(MAX_LOOKED_THROUGH);
        // Among all that is open, down to the innermost that may hold anything.
        let found = self.open[looked_through..].iter().rposition(|open| open.name == *name || open.holds_all);
        let found = found.map(|found| found + looked_through).filter(|&found| self.open[found].name == *name);
        match found {
            Some(found) if found + 1 == self.open.len() || self.open[found].holds_all => {
                let Open { token: start, formatting, .. } = self.open[found];
                self.leave_open(found + 1);
                if formatting != self.formatting && !ENDS_FORMATTING.contains(&&**name) {
                    // Formatting left open inside goes on outside.
                    self.leave_open(found);
                    self.end_left_open(name);
                    return self.border(index);
                }
                self.open.pop();
                self.places[start] = Place::Open(index);
                self.places[index] = Place::Close(start);
            }
            Some(_) => {
                self.border(index);
                self.end_left_open(name);
            }
            // End tags of paragraphs and breaks count as whole elements where nothing is open.
            None if RULES.html(name).ends_text() || *name == local_name!("br") => {
                self.border(index);
                // An element that holds the end of something outside does not hold all of it.
                while let Some(open) = self.open.last_mut() {
                    if let Some(count) = open.borders.get_mut(name).filter(|count| **count > 0) {
                        *count -= 1;
                        break;
                    }
                    self.leave_open(self.open.len() - 1);
                }
            }
            None => {
                // An element that holds the end of something outside does not hold all of it.
                let outside = self.open[looked_through..].iter().rposition(|open| open.name == *name);
                if let Some(outside) = outside {
                    self.leave_open(looked_through + outside);
                }
                // Otherwise it ends nothing.
                if self.end_left_open(name) {
                    self.border(index);
                }
            }
        }
    }

    /// Notes that what comes next is in `parent`.
    fn enter(&mut self, parent: Option<NodeId>) {
        while let Some(open) = self.open.last() {
            let fits = match (open.node, parent) {
                (Some(node), Some(parent)) if open.holds_all => {
                    let (within, (start, end)) = (self.extents[parent].0, self.extents[node]);
                    (start..end).contains(&within)
                }
                (Some(node), parent) => parent == Some(node),
                (None, _) => true,
            };
            if fits {
                return;
            }
            self.leave_open(self.open.len() - 1);
        }
    }

    /// Ends the text; what is open in it can no longer move.
    fn border(&mut self, index: usize) {
        self.places[index] = Place::Border;
        let kept = self.open.iter().rposition(|open| open.holds_all).map_or(0, |index| index + 1);
        self.leave_open(kept);
    }

    /// What is open above `kept` cannot move.
    fn leave_open(&mut self, kept: usize) {
        for Open { token, name, node, .. } in self.open.drain(kept..) {
            if matches!(self.tokens[token].kind, TokenKind::Start(_)) {
                debug_assert!(node.is_some());
                self.places[token] = Place::Border;
                self.formatting += usize::from(FORMATTING.contains(&&*name));
                self.left_open.entry(name).or_default().push(token);
            }
        }
    }

    /// Elements into which the tree puts what comes after their end tags cannot move.
    fn check_ends(&mut self) {
        let mut order: Vec<NodeId> = (0..self.tree.len()).collect();
        order.sort_by_key(|&node| std::cmp::Reverse(self.extents[node].0));
        // For each node, the last token of what is in it.
        let mut last = vec![0; self.tree.len()];
        for (index, token) in self.tokens.iter().enumerate() {
            token.node.into_iter().for_each(|node| last[node] = index);
        }
        for node in order {
            if let Some(parent) = self.tree.parent(node) {
                last[parent] = last[parent].max(last[node]);
            }
        }
        for (start, token) in self.tokens.iter().enumerate() {
            if let (Place::Open(end), Some(node)) = (self.places[start], token.node)
                && last[node] > end
            {
                self.places[start] = Place::Border;
                self.places[end] = Place::Border;
            }
        }
    }

    /// Whether an element of that name that cannot move is open. If so, the last one no longer is, and what was begun in it and goes on cannot
    /// move either.
    fn end_left_open(&mut self, name: &LocalName) -> bool {
        let Some(start) = self.left_open.get_mut(name).and_then(Vec::pop) else { return false };
        let kept = self.open.partition_point(|open| open.token < start);
        self.leave_open(kept);
        true
    }
}

/// A name that no element has.
fn pair_name(index: usize) -> LocalName {
    LocalName::from(format!("#{index}"))
}

/// Comments that enclose something, each mapped to the other: `<!--[if IE]><!-->` and `<!--<![endif]-->`, `<!-- ko if: x -->` and `<!-- /ko -->`.
fn pairs_of_comments(source: &str, tokens: &[Token]) -> HashMap<usize, usize> {
    let mut open: HashMap<&str, Vec<usize>> = HashMap::new();
    let mut pairs = HashMap::new();
    for (index, token) in tokens.iter().enumerate().filter(|(_, token)| matches!(token.kind, TokenKind::Comment)) {
        let text = source[token.range.clone()].trim_start_matches(['<', '!', '-', ' ', '\t', '\n', '\r']);
        let name_of = |text: &str| {
            text.find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '-' | ':' | '_')).unwrap_or(text.len())
        };
        let ended = if text.starts_with("[endif]") {
            Some("[if")
        } else {
            text.strip_prefix('/').map(|rest| &rest[..name_of(rest)])
        };
        if let Some(name) = ended {
            if let Some(start) = open.get_mut(name).and_then(Vec::pop) {
                pairs.extend([(start, index), (index, start)]);
            }
        } else if text.starts_with("[if") && !text.contains("<![endif]") {
            open.entry("[if").or_default().push(index);
        } else {
            let name = &text[..name_of(text)];
            if !name.is_empty() {
                open.entry(name).or_default().push(index);
            }
        }
    }
    pairs
}

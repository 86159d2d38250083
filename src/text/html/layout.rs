//! How a passage stands in the source.
//!
//! Between two words of the source there may be tags, other things (images, comments), and white space: a *joint*. Where the same tags and
//! things meet in the translation in the same order, the joint is written as the source has it, byte for byte. So what did not move stays as
//! it was, including white space around images and between nested tags.

use std::ops::Range;

use super::characters::{Context, decode, is_blank};
use super::items::{Item, Kind, tidied};
use super::wraps::join_lines;
use crate::text::documents::Passage;
use crate::text::language::Language;
use crate::text::markup::{Node, NodeKind, STAND_INS, stand_in, stand_in_index};

/// A passage's place in the source.
#[derive(Debug)]
pub(super) struct Layout {
    /// The bytes that its translation replaces.
    pub region: Range<usize>,
    pub context: Context,
    pub is_xml: bool,
    /// For each node of the passage, its bytes: start tag and end tag, or all of it and none.
    pub nodes: Vec<(Range<usize>, Range<usize>)>,
    /// The bytes that stand-ins stand for.
    pub words: Vec<Range<usize>>,
    pub joints: Vec<Joint>,
    /// Where in the passage's text a blank stands for other white space of the source.
    pub wraps: Vec<(usize, Range<usize>)>,
}

/// What is between two words, if there is more than white space.
#[derive(Debug)]
pub(super) struct Joint {
    pub range: Range<usize>,
    pub events: Vec<Event>,
    /// Whether the passage's text has white space there.
    pub has_blank: bool,
}

/// Where an element begins or ends, or a thing stands, by its node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Event {
    Open(usize),
    Close(usize),
    Object(usize),
}

impl Layout {
    /// Shifts all ranges of the source by `offset` bytes.
    pub fn shift(&mut self, offset: usize) {
        let shift = |range: &mut Range<usize>| *range = range.start + offset..range.end + offset;
        shift(&mut self.region);
        self.nodes.iter_mut().for_each(|(open, close)| {
            shift(open);
            shift(close);
        });
        self.words.iter_mut().for_each(shift);
        self.joints.iter_mut().for_each(|joint| shift(&mut joint.range));
        self.wraps.iter_mut().for_each(|(_, range)| shift(range));
    }
}

/// How items become a passage.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ItemRules {
    pub is_xml: bool,
    /// Readings beside the text are left out.
    pub joins_ruby: bool,
    /// The one that the text is in.
    pub language: Language,
}

/// Makes a passage of items, if they have words. Elements without words become objects, and so on.
pub(super) fn passage(source: &str, items: Vec<Item>, context: Context, rules: ItemRules) -> Option<(Passage, Layout)> {
    let mut items = tidied(source, items, rules.joins_ruby);
    join_lines(source, &mut items, rules.language);
    let has_letters = |range: &Range<usize>| decode(&source[range.clone()]).contains(char::is_alphabetic);
    let has_words = items.iter().any(|item| matches!(item, Item::Text(range) if has_letters(range)));
    if !has_words {
        return None;
    }
    let mut builder = Builder::new(source, context, rules.is_xml, items.first()?.range().start);
    for item in &items {
        builder.push(item);
    }
    let (passage, layout) = builder.finish(items.last()?.range().end);
    let stand_ins = passage.text.chars().filter(|c| stand_in_index(*c).is_some()).count();
    (stand_ins == layout.words.len()).then_some((passage, layout))
}

/// Makes the text of a passage.
struct Builder<'s> {
    source: &'s str,
    text: String,
    nodes: Vec<Node>,
    layout: Layout,
    open: Vec<usize>,
    /// Since the last word: where it ended, what has come, and where white space stands for it.
    joint_start: usize,
    events: Vec<Event>,
    blank: Option<usize>,
    /// Something of it is left out.
    is_cut: bool,
}

impl<'s> Builder<'s> {
    fn new(source: &'s str, context: Context, is_xml: bool, start: usize) -> Self {
        let layout = Layout {
            region: start..start,
            context,
            is_xml,
            nodes: Vec::new(),
            words: Vec::new(),
            joints: Vec::new(),
            wraps: Vec::new(),
        };
        Builder {
            source,
            text: String::new(),
            nodes: Vec::new(),
            layout,
            open: Vec::new(),
            joint_start: start,
            events: Vec::new(),
            blank: None,
            is_cut: false,
        }
    }

    fn push(&mut self, item: &Item) {
        match item {
            Item::Text(range) => self.push_text(range),
            Item::Open(range) => {
                let node = self.push_node(range);
                self.open.push(node);
                self.events.push(Event::Open(node));
            }
            Item::Close(range) => {
                if let Some(node) = self.open.pop() {
                    self.nodes[node].range.end = self.text.len();
                    self.layout.nodes[node].1 = range.clone();
                    self.events.push(Event::Close(node));
                }
            }
            Item::Object(range, Kind::Word) if self.layout.words.len() < STAND_INS => {
                self.end_joint(range.start);
                self.text.extend(stand_in(self.layout.words.len()));
                self.layout.words.push(range.clone());
                self.joint_start = range.end;
            }
            Item::Object(_, Kind::LeftOut) => self.is_cut = true,
            Item::Object(range, kind) => {
                // It goes with the word that begins the next line.
                if *kind == Kind::Wrap {
                    self.push_blank();
                }
                let node = self.push_node(range);
                self.events.push(Event::Object(node));
                match kind {
                    Kind::Break => {
                        self.blank = Some(self.text.len());
                        self.text.push('\n');
                    }
                    Kind::Blank => self.push_blank(),
                    _ => {}
                }
            }
        }
    }

    fn push_node(&mut self, range: &Range<usize>) -> usize {
        let (start, parent) = (self.text.len(), self.open.last().copied());
        self.nodes.push(Node { parent, kind: NodeKind::Element, range: start..start });
        self.layout.nodes.push((range.clone(), range.end..range.end));
        self.nodes.len() - 1
    }

    fn push_text(&mut self, range: &Range<usize>) {
        let mut at = range.start;
        while at < range.end {
            let rest = &self.source[at..range.end];
            let word = rest.find(is_blank).unwrap_or(rest.len());
            if word > 0 {
                self.end_joint(at);
                let decoded = decode(&rest[..word]);
                let keeps_lines = matches!(self.layout.context, Context::Attribute(_));
                self.text.extend(decoded.chars().map(|c| match c {
                    '\n' if keeps_lines => '\n',
                    c if is_blank(c) => ' ',
                    c => c,
                }));
                self.joint_start = at + word;
            } else {
                self.push_blank();
            }
            let blanks = rest[word..].find(|c| !is_blank(c)).unwrap_or(rest.len() - word);
            if word > 0 && blanks > 0 {
                self.push_blank();
            }
            at += word + blanks;
        }
    }

    /// White space is one blank, as in a browser.
    fn push_blank(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with([' ', '\n']) {
            self.blank = Some(self.text.len());
            self.text.push(' ');
        }
    }

    /// The next word begins at `end`.
    fn end_joint(&mut self, end: usize) {
        let (range, events) = (self.joint_start..end, std::mem::take(&mut self.events));
        let blank = self.blank.take();
        if std::mem::take(&mut self.is_cut) {
            return;
        }
        if !events.is_empty() {
            self.layout.joints.push(Joint { range, events, has_blank: blank.is_some() });
        } else if let Some(blank) = blank
            && self.source[range.clone()] != *" "
        {
            self.layout.wraps.push((blank, range));
        }
    }

    fn finish(mut self, end: usize) -> (Passage, Layout) {
        self.end_joint(end);
        self.layout.region.end = end;
        (Passage { text: self.text, nodes: self.nodes }, self.layout)
    }
}

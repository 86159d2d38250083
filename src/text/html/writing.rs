//! How the translation of a passage is written into the source.

use std::collections::HashMap;
use std::ops::Range;

use super::characters::{Context, Spelling, core, is_blank};
use super::layout::{Event, Joint, Layout};
use crate::text::documents::TranslatedPassage;
use crate::text::link::Link;
use crate::text::markup::{Placed, stand_in_index};

/// What a translation consists of, in order.
enum Part {
    /// A range of its text without white space at the ends.
    Text(Range<usize>),
    /// White space at a place of its text.
    Blank(usize),
    Event(Event),
}

impl Layout {
    /// Writes a translation. `copy` writes bytes of the source, with the changes inside them.
    pub fn write(
        &self,
        source: &str,
        translated: &TranslatedPassage,
        copy: &mut dyn FnMut(Range<usize>, &mut String),
        output: &mut String,
    ) {
        let parts = self.parts(translated);
        let mut writer = Writer {
            layout: self,
            source,
            text: &translated.text,
            spelling: Spelling::of(&source[self.region.clone()], self.is_xml),
            wraps: self.wraps_in(source, translated),
            written: vec![false; self.words.len()],
            start: output.len(),
            apart: false,
            copy,
            output,
        };
        let joints: HashMap<Event, &Joint> =
            self.joints.iter().filter_map(|joint| Some((*joint.events.first()?, joint))).collect();
        let is_between = |part: &Part| !matches!(part, Part::Text(_));
        for parts in parts.chunk_by(|a, b| is_between(a) && is_between(b)) {
            let events =
                || parts.iter().filter_map(|part| if let Part::Event(event) = part { Some(event) } else { None });
            let has_blank = parts.iter().any(|part| matches!(part, Part::Blank(_)));
            let joint = events().next().and_then(|first| joints.get(first));
            match joint.filter(|joint| joint.has_blank == has_blank && joint.events.iter().eq(events())) {
                Some(joint) => writer.copy(joint.range.clone()),
                None => parts.iter().for_each(|part| writer.part(part)),
            }
        }
    }

    /// Cuts a translation where its elements begin and end.
    fn parts(&self, translated: &TranslatedPassage) -> Vec<Part> {
        let mut parts = Vec::with_capacity(translated.placed.len() * 2);
        let mut open: Vec<usize> = Vec::new();
        for Placed { node, parent, range } in &translated.placed {
            while open.last() != parent.as_ref() {
                let Some(node) = open.pop() else { break };
                parts.push(Part::Event(Event::Close(node)));
            }
            match *node {
                Some(node) if self.nodes[node].1.is_empty() => parts.push(Part::Event(Event::Object(node))),
                Some(node) => {
                    parts.push(Part::Event(Event::Open(node)));
                    open.push(node);
                }
                None => {
                    let words = core(&translated.text, range);
                    if words.is_empty() {
                        parts.extend((!range.is_empty()).then_some(Part::Blank(range.start)));
                        continue;
                    }
                    parts.extend((range.start < words.start).then_some(Part::Blank(range.start)));
                    parts.push(Part::Text(words.clone()));
                    parts.extend((words.end < range.end).then_some(Part::Blank(words.end)));
                }
            }
        }
        parts.extend(open.into_iter().rev().map(|node| Part::Event(Event::Close(node))));
        parts
    }

    /// Where in the translation white space of the source goes instead of a blank: between the same sentences, and within a sentence about
    /// as far along, so that text in short lines stays in short lines.
    fn wraps_in(&self, source: &str, translated: &TranslatedPassage) -> HashMap<usize, Range<usize>> {
        let mut found = HashMap::new();
        let (sentences, text) = (&translated.sentences, &translated.text);
        for (place, range) in &self.wraps {
            let next = sentences.partition_point(|sentence| sentence.source.end <= *place);
            let before = next.checked_sub(1).map_or(0..0, |before| sentences[before].target.clone());
            match sentences.get(next) {
                Some(Link { source: from, target: to }) if from.start <= *place => {
                    if source[range.clone()].contains(['\n', '\r']) {
                        let share = (*place - from.start) as f64 / from.len() as f64;
                        let near = text.floor_char_boundary(to.start + (share * to.len() as f64) as usize);
                        let is_free = |at: &usize| !found.contains_key(at);
                        let left = text[to.start..near].rfind(' ').map(|at| to.start + at).filter(is_free);
                        let right = text[near..to.end].find(' ').map(|at| near + at).filter(is_free);
                        let nearest = left.into_iter().chain(right).min_by_key(|at| at.abs_diff(near));
                        nearest.map(|at| found.insert(at, range.clone()));
                    }
                }
                sentence => {
                    let end = sentence.map_or(text.len(), |sentence| sentence.target.start);
                    if text.get(before.end..end) == Some(" ") {
                        found.insert(before.end, range.clone());
                    }
                }
            }
        }
        found
    }
}

struct Writer<'a> {
    layout: &'a Layout,
    source: &'a str,
    text: &'a str,
    spelling: Spelling<'a>,
    wraps: HashMap<usize, Range<usize>>,
    /// Which words that stay are written.
    written: Vec<bool>,
    /// Where the passage starts in the output.
    start: usize,
    /// The last thing written was an object that had white space after it.
    apart: bool,
    copy: &'a mut dyn FnMut(Range<usize>, &mut String),
    output: &'a mut String,
}

impl Writer<'_> {
    fn copy(&mut self, range: Range<usize>) {
        (self.copy)(range, self.output);
    }

    fn part(&mut self, part: &Part) {
        match part {
            Part::Text(range) => self.push_text(range.clone()),
            Part::Blank(at) => self.push_blank(*at),
            Part::Event(Event::Open(node)) => self.copy(self.layout.nodes[*node].0.clone()),
            Part::Event(Event::Close(node)) => self.copy(self.layout.nodes[*node].1.clone()),
            Part::Event(Event::Object(node)) => self.push_object(self.layout.nodes[*node].0.clone()),
        }
    }

    fn push_blank(&mut self, at: usize) {
        match self.wraps.get(&at) {
            Some(range) => self.output.push_str(&self.source[range.clone()]),
            // The break is there itself.
            None if self.text[at..].starts_with('\n') => {}
            None => self.output.push(' '),
        }
    }

    /// A thing that stood apart from the words around it stands apart again.
    fn push_object(&mut self, range: Range<usize>) {
        let stood_apart = self.source[..range.start].ends_with(is_blank);
        let is_first = self.output.len() == self.start;
        if stood_apart && !is_first && !self.output.ends_with(|c: char| is_blank(c) || "([{„“\"'>".contains(c)) {
            self.output.push(' ');
        }
        self.copy(range.clone());
        self.apart = self.source[range.end..].starts_with(is_blank);
    }

    fn push_text(&mut self, range: Range<usize>) {
        let text = self.text;
        if std::mem::take(&mut self.apart) && text[range.clone()].starts_with(char::is_alphanumeric) {
            self.output.push(' ');
        }
        let mut at = range.start;
        while at < range.end {
            let rest = &text[at..range.end];
            let length = rest.find(|c| is_blank(c) || stand_in_index(c).is_some()).unwrap_or(rest.len());
            self.spelling.push(&rest[..length], self.layout.context, self.output);
            at += length;
            let Some(c) = rest[length..].chars().next() else { break };
            at += c.len_utf8();
            match stand_in_index(c) {
                Some(index) if self.written.get(index) == Some(&false) => {
                    self.written[index] = true;
                    self.copy(self.layout.words[index].clone());
                }
                // Written already.
                Some(_) => {
                    if self.output.ends_with(' ') && text[at..range.end].starts_with(' ') {
                        self.output.pop();
                    }
                }
                None if c == '\n' && self.layout.context != Context::Content => {
                    self.spelling.push("\n", self.layout.context, self.output);
                }
                None => self.push_blank(at - c.len_utf8()),
            }
        }
    }
}

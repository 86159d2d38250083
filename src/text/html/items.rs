//! What a passage consists of in the source: text, tags, and things that stand in the text.

use std::ops::Range;

use super::characters::{decode, is_blank, visible, wide_gaps};
use crate::text::segment::is_set_apart;

/// A part of a passage in the source.
#[derive(Clone, Debug)]
pub(super) enum Item {
    Text(Range<usize>),
    /// The start tag of an element.
    Open(Range<usize>),
    /// Its end tag.
    Close(Range<usize>),
    Object(Range<usize>, Kind),
}

/// What an object is to the sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Nothing.
    Empty,
    /// White space.
    Blank,
    /// The end of a line.
    Break,
    /// The end of a line in the middle of a sentence.
    Wrap,
    /// A word that stays as it is.
    Word,
    /// Says how the text before it is read.
    Annotation,
    /// Nothing, and not to be in the translation.
    LeftOut,
}

/// Tidies items for a passage: what has no words becomes an object, what belongs together becomes one, and what stands before and after all
/// words is left out, including the number or bullet of a list. With `joins_ruby`, readings beside the text are left out too.
pub(super) fn tidied(source: &str, items: Vec<Item>, joins_ruby: bool) -> Vec<Item> {
    let items = trimmed(source, joined_objects(source, with_words(source, items, joins_ruby)));
    match end_of_mark(source, &items) {
        0 => items,
        end => trimmed(source, items.into_iter().skip(end).collect()),
    }
}

/// How many items are taken up by a number or bullet that wide white space sets apart from the text after it.
fn end_of_mark(source: &str, items: &[Item]) -> usize {
    let (mut depth, mut mark, mut spaces) = (0_usize, String::new(), 0);
    for (index, item) in items.iter().enumerate() {
        match item {
            Item::Open(_) => depth += 1,
            Item::Close(_) if depth > 0 => depth -= 1,
            Item::Text(range) if mark.is_empty() => mark.push_str(decode(&source[range.clone()]).trim()),
            Item::Object(range, Kind::Blank) if !mark.is_empty() => {
                let gaps = wide_gaps(source, range);
                spaces = gaps.iter().map(|gap| decode(&source[gap.clone()]).chars().count()).max().unwrap_or(0);
            }
            Item::Object(_, Kind::Empty | Kind::LeftOut) => {}
            _ => return 0,
        }
        if spaces > 0 && depth == 0 {
            return if is_set_apart(&mark, spaces) { index + 1 } else { 0 };
        }
    }
    0
}

impl Item {
    /// Its bytes.
    pub fn range(&self) -> Range<usize> {
        match self {
            Item::Text(range) | Item::Open(range) | Item::Close(range) | Item::Object(range, _) => range.clone(),
        }
    }
}

fn is_blank_text(source: &str, item: &Item) -> bool {
    matches!(item, Item::Text(range) if visible(source, range).is_empty())
}

/// An element that has been begun.
#[derive(Default)]
struct Begun {
    /// The index of its start tag.
    at: usize,
    has_words: bool,
    has_break: bool,
    has_blank: bool,
    /// Its annotations, and whether words follow one.
    annotations: usize,
    has_words_after: bool,
}

impl Begun {
    fn add(&mut self, item: &Item, is_blank: bool) {
        match item {
            Item::Text(_) if is_blank => self.has_blank = true,
            Item::Object(_, Kind::Annotation) => self.annotations += 1,
            Item::Object(_, Kind::Break | Kind::Wrap) => self.has_break = true,
            Item::Object(_, Kind::Blank) => self.has_blank = true,
            Item::Object(_, Kind::Empty | Kind::LeftOut) => {}
            Item::Text(_) | Item::Object(_, Kind::Word) | Item::Open(_) | Item::Close(_) => {
                self.has_words = true;
                self.has_words_after |= self.annotations > 0;
            }
        }
    }
}

/// Turns elements without words into objects, and elements of which each part has an annotation into words: 漢(kan)字(ji). With `joins_ruby`,
/// such annotations are left out instead.
fn with_words(source: &str, items: Vec<Item>, joins_ruby: bool) -> Vec<Item> {
    let mut kept: Vec<Item> = Vec::with_capacity(items.len());
    let mut open: Vec<Begun> = Vec::new();
    for item in items {
        match item {
            Item::Open(_) => {
                open.push(Begun { at: kept.len(), ..Begun::default() });
                kept.push(item);
            }
            Item::Close(ref end) => {
                let Some(begun) = open.pop() else { continue };
                let whole = kept[begun.at].range().start..end.end;
                let kind = match () {
                    () if begun.annotations > 0 && joins_ruby => {
                        for item in &mut kept[begun.at..] {
                            if let Item::Object(_, kind @ Kind::Annotation) = item {
                                *kind = Kind::LeftOut;
                            }
                        }
                        None
                    }
                    () if begun.has_words_after => Some(Kind::Word),
                    () if begun.has_words => None,
                    () if begun.has_break => Some(Kind::Break),
                    () if begun.has_blank => Some(Kind::Blank),
                    () => Some(Kind::Empty),
                };
                let item = match kind {
                    Some(kind) => {
                        kept.truncate(begun.at);
                        Item::Object(whole, kind)
                    }
                    None => item,
                };
                if let Some(outer) = open.last_mut() {
                    outer.add(&item, false);
                }
                kept.push(item);
            }
            Item::Text(_) | Item::Object(..) => {
                let is_blank = is_blank_text(source, &item);
                if let Some(outer) = open.last_mut() {
                    outer.add(&item, is_blank);
                }
                kept.push(item);
            }
        }
    }
    kept
}

/// Joins objects that belong together: keys with a sign between them (Ctrl+C), and neighbours that are nothing to the sentence, so that they
/// keep their order.
fn joined_objects(source: &str, items: Vec<Item>) -> Vec<Item> {
    let mut kept: Vec<Item> = Vec::with_capacity(items.len());
    for item in items {
        let Item::Object(ref range, kind) = item else {
            kept.push(item);
            continue;
        };
        let (before, between) = match &kept[..] {
            [.., before @ Item::Object(..), Item::Text(between)] => (before, between.clone()),
            [.., before @ Item::Object(..)] => (before, range.start..range.start),
            _ => {
                kept.push(item);
                continue;
            }
        };
        let Item::Object(first, kind_before) = before else { unreachable!("matched above") };
        let text = &source[between.clone()];
        let is_empty = |kind| matches!(kind, Kind::Empty | Kind::Blank);
        let (belong, joined) = match (kind_before, kind) {
            (Kind::Word, Kind::Word) => (joins_words(text), Kind::Word),
            (before, after) if is_empty(*before) && is_empty(after) => {
                let has_blank = !text.is_empty() || *before == Kind::Blank || after == Kind::Blank;
                (text.trim_matches(is_blank).is_empty(), if has_blank { Kind::Blank } else { Kind::Empty })
            }
            _ => (false, kind),
        };
        if belong && first.end <= between.start && between.end == range.start {
            let whole = first.start..range.end;
            kept.pop_if(|item| matches!(item, Item::Text(_)));
            kept.pop();
            kept.push(Item::Object(whole, joined));
        } else {
            kept.push(item);
        }
    }
    kept
}

/// Whether words that stay as they are become one with such text between them: `Ctrl+C`, `Ctrl + C`, `open()/close()`.
fn joins_words(text: &str) -> bool {
    match text.trim_matches(is_blank) {
        "" => text.is_empty(),
        sign @ ("+" | "/" | "-" | "–") => sign.len() == text.len() || sign != "-" && sign != "–",
        signs => {
            signs.len() == text.len() && signs.chars().all(|c| !c.is_alphanumeric() && !c.is_whitespace() && c != '&')
        }
    }
}

/// Drops what stands before and after all words.
fn trimmed(source: &str, mut items: Vec<Item>) -> Vec<Item> {
    let is_word = |item: &Item| match item {
        Item::Object(_, kind) => *kind == Kind::Word,
        Item::Text(_) => !is_blank_text(source, item),
        Item::Open(_) | Item::Close(_) => true,
    };
    let end = items.iter().rposition(is_word).map_or(0, |last| last + 1);
    items.truncate(end);
    let start = items.iter().position(is_word).unwrap_or(0);
    items.drain(..start);
    if let Some(Item::Text(range)) = items.first_mut() {
        range.start = visible(source, range).start;
    }
    if let Some(Item::Text(range)) = items.last_mut() {
        range.end = visible(source, range).end;
    }
    items
}

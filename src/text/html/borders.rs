//! Where one text ends and the next begins among things that stand side by side in a line: links of a menu, the steps of a path, labels and
//! fields, badges. A sentence that spans links and emphasis stays one.
//!
//! Live pages have the same rules in `www/page/borders.js`, which also sees how a page is laid out. A new kind of border is a row of
//! [`KINDS`].

use std::ops::Range;

use super::characters::{decode, is_blank};
use super::items::{Item, Kind};
use super::tree::Element;
use crate::text::language::{FunctionWords, Language, Words};

/// How deep rows of things within rows of things are looked for.
const MAX_DEPTH: usize = 16;

/// Bytes of the longest text that is a heading, with its colon.
const MAX_HEADING: usize = 80;

/// Bytes of the longest text that is one thing among others in a row.
const MAX_LISTED: usize = 60;

/// Roles of what is pressed or chosen as a whole.
const ROLES: [&str; 8] = ["button", "checkbox", "menuitem", "option", "radio", "status", "switch", "tab"];

/// What stands between the steps of a path or the entries of a menu.
const SEPARATORS: [char; 8] = ['›', '»', '>', '|', '·', '•', '→', '▸'];

/// The same, where white space is on both sides; otherwise it joins words.
const SPACED_SEPARATORS: [char; 5] = ['/', '\\', '–', '—', '-'];

/// Separators as they are written in a source.
const SPELT_SEPARATORS: [&str; 7] = ["&gt;", "&rsaquo;", "&raquo;", "&middot;", "&bull;", "&rarr;", "&#8250;"];

/// The texts of a run, as ranges of its items; what is in none of them has no words. `element` is the element that an item is or begins.
pub(super) fn cut<'t>(
    source: &str,
    items: &[Item],
    language: Language,
    element: &dyn Fn(&Item) -> Option<&'t Element>,
) -> Vec<Range<usize>> {
    let mut ends: Vec<usize> = (0..items.len()).collect();
    let mut open = Vec::new();
    for (index, item) in items.iter().enumerate() {
        match item {
            Item::Open(_) => open.push(index),
            Item::Close(_) => {
                if let Some(start) = open.pop() {
                    ends[start] = index;
                }
            }
            Item::Text(_) | Item::Object(..) => {}
        }
    }
    let mut cutter = Cutter { source, items, ends, language, element, found: Vec::new() };
    cutter.cut(0..items.len(), 0);
    cutter.found
}

/// Cuts texts at separators, so that each entry of a path is an item of its own.
pub(super) fn cut_at_separators(source: &str, items: Vec<Item>) -> Vec<Item> {
    let has_elements = items.iter().any(|item| matches!(item, Item::Open(_)));
    let mut cut = Vec::with_capacity(items.len());
    for item in items {
        match &item {
            Item::Text(range) if has_elements => {
                let mut start = range.start;
                for separator in separators(source, range) {
                    let parts = [start..separator.start, separator.clone()];
                    cut.extend(parts.into_iter().filter(|part| !part.is_empty()).map(Item::Text));
                    start = separator.end;
                }
                if start < range.end || range.is_empty() {
                    cut.push(Item::Text(start..range.end));
                }
            }
            _ => cut.push(item),
        }
    }
    cut
}

/// The separators in a text that have white space or an end of the text on both sides, with that white space.
fn separators(source: &str, range: &Range<usize>) -> Vec<Range<usize>> {
    let text = &source[range.clone()];
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    for word in text.split(is_blank) {
        let start = at;
        at += word.len() + 1;
        let is_separator = SPELT_SEPARATORS.contains(&word)
            || word.chars().next().is_some_and(|c| SEPARATORS.contains(&c) && c.len_utf8() == word.len());
        if is_separator {
            let before = text[..start].trim_end_matches(is_blank).len();
            let after = text[start + word.len()..].trim_start_matches(is_blank);
            found.push(range.start + before..range.end - after.len());
        }
    }
    found
}

/// A part of a run: an element, a thing, or a text.
#[derive(Default)]
struct Part<'t> {
    items: Range<usize>,
    /// Its words.
    text: String,
    element: Option<&'t Element>,
    is_text: bool,
    /// Something in it stays as it is, like a word.
    is_kept: bool,
}

struct Cutter<'a, 't> {
    source: &'a str,
    items: &'a [Item],
    /// For each element, where it ends.
    ends: Vec<usize>,
    language: Language,
    element: &'a dyn Fn(&Item) -> Option<&'t Element>,
    found: Vec<Range<usize>>,
}

impl<'t> Cutter<'_, 't> {
    fn cut(&mut self, run: Range<usize>, depth: usize) {
        let inner = self.unwrapped(run.clone());
        let row = Row::new(self.parts(inner), self.language);
        let pieces = row.pieces();
        if pieces.len() < 2 || depth == MAX_DEPTH {
            self.found.push(run);
            return;
        }
        for piece in pieces {
            let parts = &row.parts[piece];
            let items = parts[0].items.start..parts[parts.len() - 1].items.end;
            let mut shown = parts.iter().filter(|part| part.shows());
            match (shown.next(), shown.next()) {
                (Some(only), None) if !only.is_text => self.cut(only.items.clone(), depth + 1),
                (None, _) => {}
                _ => self.found.push(items),
            }
        }
    }

    /// What is in the elements that hold all of a run.
    fn unwrapped(&self, mut run: Range<usize>) -> Range<usize> {
        let shows = |index: &usize| match &self.items[*index] {
            Item::Text(range) => !self.source[range.clone()].trim().is_empty(),
            Item::Object(_, kind) => *kind == Kind::Word,
            Item::Open(_) | Item::Close(_) => true,
        };
        while let (Some(first), Some(last)) = (run.clone().find(shows), run.clone().rfind(shows))
            && matches!(self.items[first], Item::Open(_))
            && self.ends[first] == last
        {
            run = first + 1..last;
        }
        run
    }

    fn parts(&self, run: Range<usize>) -> Vec<Part<'t>> {
        let mut parts = Vec::new();
        let mut at = run.start;
        while at < run.end {
            let item = &self.items[at];
            let end = self.ends[at] + 1;
            let mut part = Part { items: at..end, ..Part::default() };
            part.is_text = matches!(item, Item::Text(_) | Item::Object(_, Kind::Blank | Kind::Break | Kind::Wrap));
            part.element = (self.element)(item).filter(|_| !part.is_text);
            for item in &self.items[at..end] {
                match item {
                    Item::Text(range) => part.text.push_str(&decode(&self.source[range.clone()])),
                    Item::Object(_, Kind::Blank | Kind::Break | Kind::Wrap) => part.text.push(' '),
                    Item::Object(_, Kind::Word) => part.is_kept = true,
                    Item::Object(..) | Item::Open(_) | Item::Close(_) => {}
                }
            }
            parts.push(part);
            at = end;
        }
        parts
    }
}

impl Part<'_> {
    fn has_words(&self) -> bool {
        self.text.contains(char::is_alphabetic)
    }

    fn shows(&self) -> bool {
        self.is_kept || !self.text.trim().is_empty()
    }

    fn is(&self, name: &str) -> bool {
        self.element.is_some_and(|element| &*element.name.local == name)
    }

    fn attribute(&self, name: &str) -> &str {
        self.element.and_then(|element| element.attribute(name)).unwrap_or_default()
    }

    fn is_label(&self) -> bool {
        self.is("label") || ROLES.contains(&self.attribute("role"))
    }

    fn is_link(&self) -> bool {
        self.is("a")
    }

    fn is_field(&self) -> bool {
        self.element.is_some_and(is_field)
    }

    /// A box to tick, which comes before its label.
    fn is_choice(&self) -> bool {
        self.is("input") && ["checkbox", "radio"].iter().any(|kind| self.attribute("type").eq_ignore_ascii_case(kind))
    }

    /// Whether it is raised or lowered, and so part of a word.
    fn is_script(&self) -> bool {
        self.is("sup") || self.is("sub")
    }

    fn is_separator(&self) -> bool {
        let text = self.text.trim();
        let mut characters = text.chars();
        let is_one = characters.next().is_some_and(|c| {
            SEPARATORS.contains(&c) || SPACED_SEPARATORS.contains(&c) && text.len() + 1 < self.text.len()
        });
        self.is_text && is_one && characters.next().is_none()
    }

    /// Whether it joins the words on both sides: signs without white space, `&`, `+`.
    fn joins(&self) -> bool {
        let text = self.text.trim();
        let is_sign = !text.is_empty() && !self.has_words() && !self.is_separator();
        self.is_text && is_sign && (text.len() == self.text.len() || text.contains(['&', '+', '=']))
    }

    /// Whether two elements are made alike: of the same name and class.
    fn is_like(&self, other: &Part) -> bool {
        let class = self.attribute("class");
        let name = |part: &Part| part.element.map(|element| element.name.local.clone());
        !class.is_empty() && class == other.attribute("class") && name(self) == name(other)
    }
}

/// Whether the reader writes or chooses in an element.
fn is_field(element: &Element) -> bool {
    match &*element.name.local {
        "input" => !element.attribute("type").is_some_and(|kind| kind.eq_ignore_ascii_case("hidden")),
        name => matches!(name, "textarea" | "select" | "meter" | "progress"),
    }
}

/// Parts side by side.
struct Row<'t> {
    parts: Vec<Part<'t>>,
    language: Language,
    /// For each part, the next after it that is not blank.
    next: Vec<Option<usize>>,
    /// The last part with words.
    last: Option<usize>,
}

/// What has come since the last border.
#[derive(Default)]
struct Before {
    has_words: bool,
    ends_clause: bool,
    ends_with_colon: bool,
}

/// Whether there is a border before a part.
type Rule = fn(&Row, usize, &Before) -> bool;

const KINDS: [Rule; 8] = [
    // A box to tick belongs to the words after it.
    |row, at, _| row.parts[at].is_choice(),
    // A field ends the text before it, unless the sentence continues after it.
    |row, at, before| row.field_ends(at, before),
    |row, at, before| row.field_ends(at - 1, before),
    // Labels, and elements with the role of a control, are read on their own.
    |row, at, _| row.parts[at].is_label(),
    |row, at, _| row.parts[at - 1].is_label() && !starts_with_sign(&row.parts[at].text),
    // A name with a colon for what follows: "Delivery: free Returns: within a month".
    |row, at, before| {
        let part = &row.parts[at];
        !part.is_text && is_heading(&part.text) && before.has_words && !before.ends_clause
    },
    // A link at the end that is a whole sentence, after text that is not: "Remember me Forgot your password?"
    |row, at, before| {
        let part = &row.parts[at];
        row.last == Some(at) && part.is_link() && is_sentence(&part.text) && before.has_words && !before.ends_clause
    },
    // Words that touch without being one.
    |row, at, _| row.is_seam(at),
];

impl<'t> Row<'t> {
    fn new(parts: Vec<Part<'t>>, language: Language) -> Self {
        let mut next = vec![None; parts.len()];
        let mut seen = None;
        for (index, part) in parts.iter().enumerate().rev() {
            next[index] = seen;
            if !part.text.trim().is_empty() {
                seen = Some(index);
            }
        }
        let last = parts.iter().rposition(Part::has_words);
        Row { parts, language, next, last }
    }

    /// The texts, as ranges of parts; none if there are no borders to look for.
    fn pieces(&self) -> Vec<Range<usize>> {
        if self.parts.len() < 2 || self.parts.iter().all(|part| part.is_text) {
            return Vec::new();
        }
        let mut independent = if self.are_independent(0) { 0 } else { usize::MAX };
        let mut pieces = Vec::new();
        let (mut start, mut before) = (0, Before::default());
        for (at, part) in self.parts.iter().enumerate() {
            // What comes before is the name of what the links list.
            if before.ends_with_colon && independent > at && part.is_link() && self.is_row_of_links(at) {
                independent = at;
            }
            let is_apart = independent <= at && (part.has_words() || part.is_separator());
            if at > 0 && (is_apart || KINDS.iter().any(|rule| rule(self, at, &before))) {
                pieces.push(start..at);
                (start, before) = (at, Before::default());
            }
            before.has_words |= part.has_words();
            if !part.text.trim().is_empty() {
                before.ends_clause = ends_clause(&part.text);
                before.ends_with_colon = part.is_text && part.text.trim_end().ends_with(':');
            }
        }
        pieces.push(start..self.parts.len());
        pieces
    }

    /// Whether a part with words is a thing of its own: an element, or a text between separators.
    fn is_entry(&self, at: usize) -> bool {
        let is_border = |part: Option<&Part>| part.is_none_or(Part::is_separator);
        let shown = |part: &&Part| part.shows();
        let before = self.parts[..at].iter().rev().take(MAX_DEPTH).find(shown);
        let after = self.parts[at + 1..].iter().take(MAX_DEPTH).find(shown);
        !self.parts[at].is_text || is_border(before) && is_border(after) && (before.is_some() || after.is_some())
    }

    /// Whether all parts with words from `from` on are elements that begin like a new text, with a capital or a number, and none of them ends
    /// like a sentence; or whether all are links, labels or made alike.
    fn are_independent(&self, from: usize) -> bool {
        let indices: Vec<usize> = (from..self.parts.len()).filter(|&at| self.parts[at].has_words()).collect();
        let parts: Vec<&Part> = indices.iter().map(|&at| &self.parts[at]).collect();
        let [first, .., last] = parts[..] else { return false };
        let (from, to) = (indices[0], indices[indices.len() - 1]);
        if self.parts[from..to].iter().any(Part::joins) || !indices.iter().all(|&at| self.is_entry(at)) {
            return false;
        }
        if parts.iter().any(|part| part.is_script() || self.is_part_of_sentence(part)) {
            return false;
        }
        let is_whole = |part: &&Part| part.is_link() || part.is_label();
        if parts.iter().all(|part| starts_large(&part.text)) {
            let ends = |part: &&Part| ends_sentence(&part.text) && !is_whole(part) && !std::ptr::eq(*part, last);
            return !parts.iter().any(ends);
        }
        let is_separated =
            || indices.windows(2).all(|pair| self.parts[pair[0]..pair[1]].iter().any(Part::is_separator));
        let are_alike = || {
            let is_listed = |part: &&Part| part.text.len() <= MAX_LISTED && !ends_sentence(&part.text);
            parts.iter().all(|part| part.is_like(first) && is_listed(part) && starts_small(&part.text))
        };
        parts.iter().all(is_whole) || is_separated() || are_alike()
    }

    /// Whether a part is too little for a text of its own: a letter, an article, a preposition.
    fn is_part_of_sentence(&self, part: &Part) -> bool {
        let text = part.text.trim();
        if part.is_link() || part.is_label() {
            return false;
        }
        let FunctionWords { articles, prepositions, conjunctions } = self.language.function_words;
        let is_function_word =
            |word: &str| [articles, prepositions, conjunctions].iter().any(|list: &Words| list.contains(word));
        text.chars().filter(|c| c.is_alphanumeric()).count() == 1
            || text.len() <= MAX_LISTED && is_function_word(&text.to_lowercase())
    }

    /// Whether the part is a field that ends the text before it, or itself.
    fn field_ends(&self, at: usize, before: &Before) -> bool {
        let part = &self.parts[at];
        let behind = self.next[at].map_or("", |next| self.parts[next].text.as_str());
        part.is_field() && (!(starts_small(behind) || starts_with_sign(behind)) || before.ends_with_colon)
    }

    /// Whether two elements touch there whose words are two: "<b>Price</b><span>from 12 EUR</span>". Elements also cut words; then both sides
    /// are made alike, or the rest of the word is all there is.
    fn is_seam(&self, at: usize) -> bool {
        let (left, right) = (&self.parts[at - 1], &self.parts[at]);
        if left.is_text || right.is_text || left.is_script() || right.is_script() || left.is_kept || right.is_kept {
            return false;
        }
        let word = |c: &char| c.is_alphabetic();
        let (end, start) =
            (left.text.chars().rev().take_while(word).count(), right.text.chars().take_while(word).count());
        let ends_large = left.text.chars().rev().take(end).any(char::is_uppercase) && end == 1;
        let number = right.text.starts_with(|c: char| c.is_numeric());
        let has_blank = |part: &Part| part.text.trim().contains(char::is_whitespace);
        let differ = !(left.is_like(right) || left.element.map(|e| &e.name) == right.element.map(|e| &e.name));
        let long = end > 2 && (start > 2 || number);
        let is_new =
            right.text.starts_with(char::is_uppercase) && right.text.chars().nth(1).is_some_and(char::is_lowercase);
        long && !ends_large && (is_new && has_blank(left) || (is_new || differ) && has_blank(right))
    }

    /// Whether the parts from there on are links with nothing but blanks and separators between them.
    fn is_row_of_links(&self, at: usize) -> bool {
        let parts = self.parts[at..].iter().filter(|part| part.shows());
        let mut links = 0;
        for part in parts {
            match part {
                part if part.is_link() => links += 1,
                part if part.is_separator() => {}
                _ => return false,
            }
        }
        links > 1 && self.are_independent(at)
    }
}

fn first_of_word(text: &str) -> Option<char> {
    text.chars().find(|c| c.is_alphanumeric())
}

fn starts_small(text: &str) -> bool {
    first_of_word(text).is_some_and(char::is_lowercase)
}

/// Whether a text with letters that have case starts with a capital or a number.
fn starts_large(text: &str) -> bool {
    let has_case = text.contains(|c: char| c.is_lowercase() || c.is_uppercase());
    has_case && first_of_word(text).is_some_and(|c| c.is_uppercase() || c.is_numeric())
}

fn starts_with_sign(text: &str) -> bool {
    text.trim_start().starts_with([',', '.', ';', ':', '!', '?', ')', ']', '%'])
}

/// A text without what closes quotations and brackets at its end.
fn without_closers(text: &str) -> &str {
    text.trim_end().trim_end_matches(['"', '\'', '”', '’', '“', ')', ']'])
}

fn ends_sentence(text: &str) -> bool {
    without_closers(text).ends_with(['.', '!', '?', '…', '。', '！', '？'])
}

fn ends_clause(text: &str) -> bool {
    ends_sentence(text) || without_closers(text).ends_with([',', ';', ':', '–', '—', '(', '-'])
}

fn is_heading(text: &str) -> bool {
    let text = text.trim();
    let name = text.strip_suffix(':').unwrap_or_default();
    text.len() <= MAX_HEADING && name.starts_with(char::is_uppercase) && !name.contains(':')
}

/// Whether a text is one whole sentence of several words.
fn is_sentence(text: &str) -> bool {
    let stops = ['.', '!', '?'];
    let text = without_closers(text).trim_start();
    let core = text.strip_suffix(stops).unwrap_or_default();
    core.starts_with(char::is_uppercase) && core.contains(char::is_whitespace) && !core.contains(stops)
}

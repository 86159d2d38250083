//! Character references: to characters and back, spelt as the source spells them.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use html5gum::{State, Token, Tokenizer};

/// The white space that markup is laid out with.
pub(super) fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\n' | '\t' | '\r' | '\u{c}')
}

/// The bytes of a text without the white space around.
pub(super) fn core(source: &str, range: &Range<usize>) -> Range<usize> {
    let text = &source[range.clone()];
    let start = range.start + text.len() - text.trim_start_matches(is_blank).len();
    start..start + text.trim_matches(is_blank).len()
}

/// The bytes of a text without white space around, be it spelt out.
pub(super) fn visible(source: &str, range: &Range<usize>) -> Range<usize> {
    const SPACES: [&str; 3] = ["\u{a0}", "&nbsp;", "&#160;"];
    let mut range = core(source, range);
    while let Some(space) = SPACES.iter().find(|space| source[range.clone()].starts_with(**space)) {
        range = core(source, &(range.start + space.len()..range.end));
    }
    while let Some(space) = SPACES.iter().find(|space| source[range.clone()].ends_with(**space)) {
        range = core(source, &(range.start..range.end - space.len()));
    }
    range
}

/// Where a text has white space that is shown wider than a blank: several spaces of which not all are such as markup is laid out with.
pub(super) fn wide_gaps(source: &str, range: &Range<usize>) -> Vec<Range<usize>> {
    let text = &source[range.clone()];
    let mut gaps = Vec::new();
    let mut at = 0;
    while let Some(found) = text[at..].find(|c: char| c == '&' || c.is_whitespace()) {
        let start = at + found;
        let (mut end, mut spaces, mut is_wide) = (start, 0, false);
        while let Some((length, is_laid_out)) = space(&text[end..]) {
            end += length;
            spaces += 1;
            is_wide |= !is_laid_out;
        }
        if is_wide && spaces > 1 {
            gaps.push(range.start + start..range.start + end);
        }
        at = end.max(start + 1);
    }
    gaps
}

/// The bytes of the space that a text begins with, spelt out or not, and whether it is one that markup is laid out with.
fn space(text: &str) -> Option<(usize, bool)> {
    let first = text.chars().next()?;
    if first != '&' {
        return first.is_whitespace().then_some((first.len_utf8(), is_blank(first)));
    }
    let until = text.floor_char_boundary(MAX_REFERENCE.min(text.len()));
    let length = text[..until].find(';')? + 1;
    let decoded = decode(&text[..length]);
    let mut characters = decoded.chars();
    let is_space = characters.next().is_some_and(char::is_whitespace) && characters.next().is_none();
    is_space.then_some((length, false))
}

/// Text with its character references resolved.
pub(super) fn decode(raw: &str) -> Cow<'_, str> {
    if !raw.contains('&') {
        return raw.into();
    }
    let mut tokenizer = Tokenizer::new(raw);
    // Text in which no tag begins.
    tokenizer.set_state(State::RcData);
    let mut text = String::with_capacity(raw.len());
    for token in tokenizer {
        let Ok(token) = token;
        if let Token::String(part) = token {
            text.push_str(&String::from_utf8_lossy(&part));
        }
    }
    text.into()
}

/// Where text is written to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Context {
    /// Between tags.
    Content,
    /// In an attribute with these quotes around; with none, the text gets some.
    Attribute(Option<u8>),
}

/// Longest character reference, in bytes.
const MAX_REFERENCE: usize = 40;

/// How a part of the source spells characters that it need not spell out.
#[derive(Debug, Default)]
pub(super) struct Spelling<'s> {
    raw: &'s str,
    references: HashMap<char, &'s str>,
    /// Whether `&` stands for itself somewhere, and whether `<` does, which only attributes may have.
    has_ampersands: bool,
    has_brackets: bool,
}

impl<'s> Spelling<'s> {
    /// The spelling of a text: what it once has as it is stays so.
    pub fn of(raw: &'s str, is_xml: bool) -> Spelling<'s> {
        let mut references = HashMap::new();
        let mut has_ampersands = false;
        for (at, _) in raw.match_indices('&') {
            let until = raw.floor_char_boundary((at + MAX_REFERENCE).min(raw.len()));
            let spelt_out = raw[at..until].get(..4).is_some_and(|start| start.eq_ignore_ascii_case("&amp"));
            has_ampersands |= !is_xml && !spelt_out && decode(&raw[at..until]).starts_with('&');
            let Some(length) = raw[at..until].find(';') else { continue };
            let reference = &raw[at..=at + length];
            let mut decoded = decode(reference).into_owned();
            let character = decoded.pop().filter(|c| decoded.is_empty() && !c.is_ascii_alphanumeric());
            character.map(|character| references.entry(character).or_insert(reference));
        }
        if !references.is_empty() {
            raw.chars().filter(|c| !matches!(c, '&' | '<' | ';' | '#')).for_each(|c| {
                references.remove(&c);
            });
        }
        Spelling { raw, references, has_ampersands, has_brackets: raw.contains('<') }
    }

    /// Whether an ampersand in front of this text is read as such.
    fn means_itself(text: &str) -> bool {
        let until = text.floor_char_boundary(MAX_REFERENCE.min(text.len()));
        decode(&text[..until]) == text[..until]
    }

    /// Whether the source has a word as it is.
    fn has_word(&self, word: &str) -> bool {
        let is_border = |c: Option<char>| c.is_none_or(|c| is_blank(c) || matches!(c, '<' | '>'));
        self.raw.match_indices(word).any(|(at, _)| {
            let after = self.raw[at + word.len()..].chars().next();
            is_border(self.raw[..at].chars().next_back()) && is_border(after)
        })
    }

    /// Writes text so that it is read as it is. In XML only what XML knows is written that the source does not have.
    pub fn push(&self, text: &str, context: Context, output: &mut String) {
        for (index, character) in text.char_indices() {
            // Spelt out in one place and not in another, it is as in the same word.
            let as_it_is = || !self.references.contains_key(&'&') || self.has_word(text);
            if character == '&' && self.has_ampersands && as_it_is() && Self::means_itself(&text[index..]) {
                output.push('&');
                continue;
            }
            if let Some(reference) = self.references.get(&character) {
                output.push_str(reference);
                continue;
            }
            match (character, context) {
                ('&', _) => output.push_str("&amp;"),
                ('<', Context::Attribute(_)) if self.has_brackets => output.push('<'),
                ('<', _) => output.push_str("&lt;"),
                // The end of a section of character data may not stand in XML's text.
                ('>', Context::Content) if text[..index].ends_with("]]") => output.push_str("&gt;"),
                ('"', Context::Attribute(Some(b'"') | None)) => output.push_str("&quot;"),
                ('\'', Context::Attribute(Some(b'\''))) => output.push_str("&#39;"),
                // As it is, a browser's parser of XML would read a blank.
                ('\n', Context::Attribute(_)) => output.push_str("&#10;"),
                _ => output.push(character),
            }
        }
    }
}

/// The value of an attribute with its quotes.
pub(super) fn quoted(value: &str, quote: Option<u8>) -> String {
    let mark = char::from(quote.unwrap_or(b'"'));
    let mut output = String::from(mark);
    Spelling::default().push(value, Context::Attribute(quote), &mut output);
    output.push(mark);
    output
}

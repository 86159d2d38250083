//! Character references: to characters and back, spelt as the source spells them.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use html5gum::{State, Token, Tokenizer};

/// The white space that markup is laid out with.
pub(super) fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\n' | '\t' | '\r' | '\u{c}')
}

/// The bytes of a text without the white space around it.
pub(super) fn core(source: &str, range: &Range<usize>) -> Range<usize> {
    let text = &source[range.clone()];
    let start = range.start + text.len() - text.trim_start_matches(is_blank).len();
    start..start + text.trim_matches(is_blank).len()
}

/// The bytes of a text without the white space around it, even where that is spelt out.
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

/// Where a text has white space that is shown wider than a blank: several spaces, not all of the kind that markup is laid out with.
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

/// The length in bytes of the space that a text begins with, spelt out or not, and whether it is one that markup is laid out with.
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

/// The character that a text begins with if it is spelt out, and its spelling. Old references need no semicolon: `&copy 2026`, `&notin` without.
fn reference(text: &str) -> Option<(char, &str)> {
    let name = text[1..].find(|c: char| !c.is_ascii_alphanumeric() && c != '#').map_or(text.len(), |end| end + 1);
    let has_semicolon = text[name..].starts_with(';').then_some(name + 1);
    has_semicolon.into_iter().chain((2..=name.min(MAX_OLD_REFERENCE)).rev()).find_map(|end| {
        let decoded = decode(&text[..end]);
        let mut characters = decoded.chars();
        let character = characters.next().filter(|_| characters.next().is_none())?;
        Some((character, &text[..end]))
    })
}

/// Whether a reference is still read as such before the text `after`.
fn ends_before(reference: &str, after: &str, context: Context) -> bool {
    if reference.ends_with(';') {
        return true;
    }
    let until = after.floor_char_boundary(MAX_REFERENCE.min(after.len()));
    let after = after[..until].split('&').next().unwrap_or_default();
    let goes_on = after.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '=' || c == ';');
    let is_attribute = context != Context::Content;
    !(goes_on && is_attribute) && decode(&[reference, after].concat()) == [&decode(reference), after].concat()
}

/// Longest character reference that may be without a semicolon, in bytes: `&yacute`.
const MAX_OLD_REFERENCE: usize = 7;

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
    /// Words with something spelt out, by what they say.
    words: HashMap<Cow<'s, str>, &'s str>,
    references: HashMap<char, &'s str>,
    /// Whether `&` stands for itself somewhere, and whether `<` does, which only attributes may have.
    has_ampersands: bool,
    has_brackets: bool,
}

impl<'s> Spelling<'s> {
    /// The spelling of a text: a character that stands as it is anywhere in it stays so.
    pub fn of(raw: &'s str, is_xml: bool) -> Spelling<'s> {
        let mut references = HashMap::new();
        let mut has_ampersands = false;
        for (at, _) in raw.match_indices('&') {
            let until = raw.floor_char_boundary((at + MAX_REFERENCE).min(raw.len()));
            let spelt_out = raw[at..until].get(..4).is_some_and(|start| start.eq_ignore_ascii_case("&amp"));
            has_ampersands |= !is_xml && !spelt_out && decode(&raw[at..until]).starts_with('&');
            let found = reference(&raw[at..until]).filter(|(character, _)| !character.is_ascii_alphanumeric());
            found.map(|(character, reference)| references.entry(character).or_insert(reference));
        }
        let mut words = HashMap::new();
        for word in raw.split(|c| is_blank(c) || matches!(c, '<' | '>')).filter(|word| word.contains('&')) {
            words.entry(decode(word)).or_insert(word);
        }
        if !references.is_empty() {
            raw.chars().filter(|c| !matches!(c, '&' | '<' | ';' | '#')).for_each(|c| {
                references.remove(&c);
            });
        }
        Spelling { words, references, has_ampersands, has_brackets: raw.contains('<') }
    }

    /// Whether the ampersand at the front of this text is read as such.
    fn means_itself(text: &str) -> bool {
        let until = text.floor_char_boundary(MAX_REFERENCE.min(text.len()));
        decode(&text[..until]) == text[..until]
    }

    /// Writes text so that it is read back as it is, and a word of the source as it stands there. In XML, references that the source does not
    /// have are written only if XML knows them.
    pub fn push(&self, text: &str, context: Context, output: &mut String) {
        if let Some(word) = self.words.get(text) {
            return output.push_str(word);
        }
        for (index, character) in text.char_indices() {
            let as_it_is = || self.has_ampersands && !self.references.contains_key(&'&');
            if character == '&' && as_it_is() && Self::means_itself(&text[index..]) {
                output.push('&');
                continue;
            }
            let after = &text[index + character.len_utf8()..];
            if let Some(reference) = self.references.get(&character).filter(|found| ends_before(found, after, context))
            {
                output.push_str(reference);
                continue;
            }
            match (character, context) {
                ('&', _) => output.push_str("&amp;"),
                ('<', Context::Attribute(_)) if self.has_brackets => output.push('<'),
                ('<', _) => output.push_str("&lt;"),
                // XML text may not contain the end of a section of character data.
                ('>', Context::Content) if text[..index].ends_with("]]") => output.push_str("&gt;"),
                ('"', Context::Attribute(Some(b'"') | None)) => output.push_str("&quot;"),
                ('\'', Context::Attribute(Some(b'\''))) => output.push_str("&#39;"),
                // A browser's XML parser would read it as a blank if it were written as it is.
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

//! Tags, Markdown's emphasis and links inside of plain text.
//!
//! Text that is translated as plain often has markup in it: strings of programs, translation files, comments, README files. A model reads
//! `<b>` and `**` as words and leaves what stands beside them as it is. So it is given the sentence without them. Each pair comes back around the words
//! that translate those between, and all of them in the order in which they stood, so that what was well formed stays so.

use std::ops::Range;

use super::draft::{Draft, Side};
use super::{Preparation, Sentence};

/// A tag or a Markdown sign that opens or closes something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Marker {
    /// Its bytes in the source.
    pub range: Range<usize>,
    /// The bytes of the source between it and its other half, on either side of which it stands.
    pub content: Range<usize>,
    /// Whether it opens.
    pub opens: bool,
}

/// Longest text between the halves of an emphasis, and longest address of a link, in bytes.
const LONGEST: usize = 400;

/// Takes the pairs out of what the model is given.
pub fn prepare(preparation: &mut Preparation) {
    let source = preparation.source;
    if !source.contains(['<', '*', '_', '~', '[']) {
        return;
    }
    let mut markers = tags(preparation);
    links(source, &mut markers);
    emphasis(preparation, &mut markers);
    markers.sort_by_key(|marker| marker.range.start);
    for marker in markers {
        let text = &source[marker.range.clone()];
        // An address in a link is a part of the marker now.
        if text.starts_with(['<', ']']) {
            preparation.release(&marker.range);
        }
        if !preparation.is_kept(&marker.range) && preparation.substitutions.add(marker.range.clone(), "") {
            preparation.markers.push(marker);
        }
    }
}

/// Puts the pairs back around what translates the words between them.
pub fn repair(sentence: &Sentence, draft: &mut Draft) {
    let markers = &sentence.plan.markers;
    let mut places = Vec::with_capacity(markers.len());
    let mut last = 0;
    for marker in markers {
        // In the order of the source, whatever the order of the words.
        last = place(sentence.source, marker, draft).max(last);
        places.push(last);
    }
    for (marker, at) in markers.iter().zip(places).rev() {
        let side = if marker.opens { Side::After } else { Side::Before };
        draft.insert(at, side, &sentence.source[marker.range.clone()], sentence.source.len());
    }
}

/// Where a marker belongs in a draft: at the edge of what translates its content.
fn place(source: &str, marker: &Marker, draft: &Draft) -> usize {
    let text = draft.text();
    let content = &marker.content;
    let tokens = || draft.tokens_from(content.clone());
    let edge = if marker.opens {
        let start = tokens().map(|token| &token.link.target).min_by_key(|target| target.start);
        start.map(|target| target.end - text[target.clone()].trim_start().len())
    } else {
        tokens().map(|token| token.link.target.end).max()
    };
    let at = edge.unwrap_or_else(|| {
        // Nothing translates it: behind what stands before.
        let before = draft
            .tokens()
            .iter()
            .filter(|token| token.link.source.end <= marker.range.start && !token.link.source.is_empty());
        before.max_by_key(|token| token.link.source.end).map_or(0, |token| token.link.target.end)
    });
    // What opens at the sentence's start or closes at its end does so in the translation.
    let apart = |part: &str| !part.contains(char::is_alphanumeric);
    if marker.opens && apart(&source[..marker.range.start]) && !text[..at].contains(char::is_alphanumeric) {
        return at;
    }
    let kept = draft.kept().iter().find(|kept| kept.start < at && at < kept.end);
    match kept {
        Some(kept) if marker.opens => kept.start,
        Some(kept) => kept.end,
        None => whole_word(text, at, marker, source),
    }
}

/// The place at a word's edge, unless the marker stands within a word too.
fn whole_word(text: &str, mut at: usize, marker: &Marker, source: &str) -> usize {
    let letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let within =
        letter(source[..marker.range.start].chars().next_back()) && letter(source[marker.range.end..].chars().next());
    if within {
        return at;
    }
    if marker.opens {
        while letter(text[at..].chars().next())
            && let Some(previous) = text[..at].chars().next_back().filter(|c| c.is_alphanumeric())
        {
            at -= previous.len_utf8();
        }
    } else if letter(text[..at].chars().next_back()) {
        at += text[at..].chars().take_while(|c| c.is_alphanumeric()).map(char::len_utf8).sum::<usize>();
    }
    at
}

/// Tags with their other halves.
fn tags(preparation: &Preparation) -> Vec<Marker> {
    let source = preparation.source;
    let mut open: Vec<(Range<usize>, &str)> = Vec::new();
    let mut found = Vec::new();
    for range in preparation.kept_ranges() {
        let Some(tag) = source[range.clone()].strip_prefix('<').and_then(|tag| tag.strip_suffix('>')) else { continue };
        let (closes, name) = match tag.strip_prefix('/') {
            Some(name) => (true, name),
            None => (false, tag),
        };
        let name = &name[..name.find(|c: char| c.is_whitespace() || c == '/').unwrap_or(name.len())];
        if name.is_empty() || tag.ends_with('/') {
            continue;
        }
        if !closes {
            open.push((range, name));
        } else if let Some(at) = open.iter().rposition(|(_, other)| *other == name) {
            let (start, _) = open.swap_remove(at);
            open.truncate(at);
            found.extend(pair(start, range));
        }
    }
    found
}

fn pair(start: Range<usize>, end: Range<usize>) -> [Marker; 2] {
    let content = start.end..end.start;
    [Marker { range: start, content: content.clone(), opens: true }, Marker { range: end, content, opens: false }]
}

/// `[text](address)`, `![text](address)`.
fn links(source: &str, markers: &mut Vec<Marker>) {
    let mut at = 0;
    while let Some(start) = source[at..].find('[').map(|found| at + found) {
        at = start + 1;
        let rest = &source[at..];
        let rest = &rest[..rest.floor_char_boundary(LONGEST.min(rest.len()))];
        let Some(middle) = rest.find(']').filter(|&end| end > 0 && !rest[..end].contains('[')) else { continue };
        let Some(address) = rest[middle + 1..].strip_prefix('(') else { continue };
        let Some(end) = address.find(')').filter(|&end| end > 0 && !address[..end].contains(char::is_whitespace))
        else {
            continue;
        };
        let opening = start - usize::from(source[..start].ends_with('!'))..start + 1;
        let closing = at + middle..at + middle + 2 + end + 1;
        at = closing.end;
        markers.extend(pair(opening, closing));
    }
}

/// `*text*`, `**text**`, `_text_`, `__text__`, `~~text~~`.
fn emphasis(preparation: &Preparation, markers: &mut Vec<Marker>) {
    let source = preparation.source;
    let mut open: Vec<(Range<usize>, &str)> = Vec::new();
    let mut at = 0;
    while let Some(start) = source[at..].find(['*', '_', '~']).map(|found| at + found) {
        let sign = source[start..].chars().next().unwrap_or_default();
        let end = start + source[start..].find(|c| c != sign).unwrap_or(source.len() - start);
        at = end;
        let run = &source[start..end];
        let other = markers.iter().any(|marker| marker.range.start < end && start < marker.range.end);
        if run.len() > 3 || run == "~" || other || preparation.is_kept(&(start..end)) {
            continue;
        }
        let (before, after) = (source[..start].chars().next_back(), source[end..].chars().next());
        let word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        let blank = |c: Option<char>| c.is_none_or(char::is_whitespace);
        let (opens, closes) = (!blank(after) && !word(before), !blank(before) && !word(after));
        let partner =
            open.iter().rposition(|(range, other)| *other == run && start - range.end <= LONGEST && start > range.end);
        match partner.filter(|_| closes) {
            Some(index) => {
                let (opening, _) = open.swap_remove(index);
                open.truncate(index);
                markers.extend(pair(opening, start..end));
            }
            None if opens => open.push((start..end, run)),
            None => {}
        }
    }
}

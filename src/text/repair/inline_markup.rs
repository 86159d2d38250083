//! Tags, and the emphasis and links of Markdown, wikis and forums in plain text.
//!
//! Text that is translated as plain often contains markup: strings of programs, translation files, comments, README files. A model reads
//! `<b>` and `**` as words and leaves what stands beside them as it is. So it is given the sentence without them. Each pair comes back around
//! the words that translate those between them, and all in the order in which they stood, so that what was well formed stays so.

use std::ops::Range;

use super::draft::{Draft, Side};
use super::{Preparation, Sentence};

/// A tag or a Markdown sign that opens or closes something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Marker {
    /// Its bytes in the source.
    pub range: Range<usize>,
    /// The bytes of the source between it and its other half.
    pub content: Range<usize>,
    /// Whether it opens.
    pub opens: bool,
}

/// Longest text between the halves of an emphasis, and longest address of a link, in bytes.
const LONGEST: usize = 400;

/// The parts of a sentence between the markup that ends one: line breaks, tags of paragraphs, cells and items, tags that close directly before
/// another opens or where no text is outside tags, and the syntax of ICU's message format (`{count, plural, one {`). Nothing between is lost:
/// what lies outside the parts is markup and white space.
pub fn parts(text: &str, sentence: Range<usize>) -> Vec<Range<usize>> {
    let content = &text[sentence.clone()];
    let mut borders = if content.contains('<') { tag_borders(text, sentence.clone()) } else { Vec::new() };
    if content.contains('{') {
        borders.extend(message_borders(content));
    }
    if borders.is_empty() {
        return vec![sentence];
    }
    borders.sort_by_key(|border| border.start);
    let mut parts = Vec::new();
    let mut start = 0;
    for border in borders.into_iter().chain(std::iter::once(content.len()..content.len())) {
        if border.start > start {
            let part = &content[start..border.start];
            let from = start + part.len() - part.trim_start().len();
            let part = from..from + part.trim().len();
            if content[part.clone()].contains(char::is_alphanumeric) {
                parts.push(sentence.start + part.start..sentence.start + part.end);
            }
        }
        start = start.max(border.end);
    }
    parts
}

/// Tags that stand between sentences and not in them, in HTML and in the formats that translators exchange.
#[rustfmt::skip]
const BORDERS: &[&str] = &[
    "address", "article", "aside", "blockquote", "body", "br", "button", "caption", "dd", "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer",
    "form", "h1", "h2", "h3", "h4", "h5", "h6", "head", "header", "hr", "html", "item", "legend", "li", "main", "nav", "note", "ol", "option", "p", "pre",
    "section", "seg", "select", "source", "string", "table", "target", "tbody", "td", "tfoot", "th", "thead", "title", "tr", "trans-unit", "tu", "tuv", "ul",
    "unit", "segment",
];

/// Those that need no other half.
const ALONE: [&str; 2] = ["br", "hr"];

/// How far after a tag its closing tag may be, in bytes.
const FARTHEST: usize = 20_000;

/// Whether what a tag opens is closed in the text: otherwise the tag is spoken of ("the `<body>` element").
fn is_closed(whole: &str, tag: &Range<usize>, name: &str) -> bool {
    let behind = &whole[tag.end..whole.floor_char_boundary(whole.len().min(tag.end + FARTHEST))];
    behind.contains(&format!("</{name}"))
}

/// The tags within a sentence of a text that end a sentence.
fn tag_borders(whole: &str, sentence: Range<usize>) -> Vec<Range<usize>> {
    let text = &whole[sentence.clone()];
    let mut tags: Vec<(Range<usize>, bool, bool)> = Vec::new();
    let mut at = 0;
    while let Some(start) = text[at..].find('<').map(|found| at + found) {
        at = start + 1;
        let rest = &text[at..];
        let rest = &rest[..rest.floor_char_boundary(LONGEST.min(rest.len()))];
        let Some(length) = rest.find(['>', '<']).filter(|&end| rest[end..].starts_with('>')) else { continue };
        let closes = rest.starts_with('/');
        let name = rest[usize::from(closes)..length].trim_end_matches('/');
        let name = &name[..name.find(char::is_whitespace).unwrap_or(name.len())];
        let is_name = name.starts_with(|c: char| c.is_ascii_alphanumeric())
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b':' | b'.' | b'_'));
        if is_name {
            at = start + length + 2;
            let lower = name.to_ascii_lowercase();
            let in_text = sentence.start + start..sentence.start + at;
            let is_border = ALONE.contains(&lower.as_str())
                || BORDERS.contains(&lower.as_str()) && (closes || is_closed(whole, &in_text, name));
            tags.push((start..at, is_border, closes));
        }
    }
    // What closes directly before another opens ends what it encloses.
    let mut borders: Vec<Range<usize>> =
        tags.iter().filter(|(_, border, _)| *border).map(|(range, ..)| range.clone()).collect();
    // Where all text is in tags, each is one of a list: `<b>Name</b> <i>Price</i>`.
    let outside = |range: Range<usize>| !text[range].contains(char::is_alphanumeric);
    let is_list = tags.first().is_some_and(|(first, ..)| outside(0..first.start))
        && tags.last().is_some_and(|(last, ..)| outside(last.end..text.len()))
        && tags
            .windows(2)
            .all(|pair| !pair[0].2 || pair[1].2 || text[pair[0].0.end..pair[1].0.start].trim().is_empty());
    if is_list && tags.windows(2).any(|pair| pair[0].2 && !pair[1].2) {
        borders = tags.iter().map(|(range, ..)| range.clone()).collect();
    }
    for pair in tags.windows(2) {
        if pair[0].2 && !pair[1].2 && pair[0].0.end == pair[1].0.start {
            borders.push(pair[0].0.start..pair[1].0.end);
        }
    }
    borders
}

/// The syntax of plural, select and ordinal messages, but not what they say.
fn message_borders(text: &str) -> Vec<Range<usize>> {
    let mut borders = Vec::new();
    let mut at = 0;
    while let Some(start) = text[at..].find('{').map(|found| at + found) {
        at = start + 1;
        let Some(syntax) = message_start(&text[start..]) else { continue };
        let mut end = start + syntax;
        borders.push(start..end);
        // Each message, up to the brace that closes it, and what stands before the next one.
        loop {
            let mut depth = 1;
            let Some(close) = text[end..].find(|c| {
                depth += i32::from(c == '{') - i32::from(c == '}');
                depth == 0
            }) else {
                return Vec::new();
            };
            let close = end + close;
            let rest = &text[close + 1..];
            let next = rest.find(['{', '}']).filter(|&next| {
                is_selector(&rest[..next]) || rest[next..].starts_with('}') && rest[..next].trim().is_empty()
            });
            let Some(next) = next else { return Vec::new() };
            end = close + 1 + next + 1;
            borders.push(close..end);
            if rest[next..].starts_with('}') {
                break;
            }
        }
        at = end;
    }
    borders
}

/// The length of `{name, plural, one {` at the start of a text.
fn message_start(text: &str) -> Option<usize> {
    let inner = text.strip_prefix('{')?;
    let open = inner.find(['{', '}']).filter(|&at| inner[at..].starts_with('{'))?;
    let mut parts = inner[..open].splitn(3, ',');
    let (name, kind, rest) = (parts.next()?, parts.next()?, parts.next()?);
    let is_name =
        !name.trim().is_empty() && name.trim().chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '-'));
    let known = matches!(kind.trim(), "plural" | "select" | "selectordinal");
    let rest = rest.trim_start();
    let rest = rest.strip_prefix("offset:").map_or(rest, |rest| rest.trim_start_matches(|c: char| c.is_ascii_digit()));
    (is_name && known && is_selector(rest)).then_some(open + 2)
}

/// "one", "=0", "female".
fn is_selector(text: &str) -> bool {
    let text = text.trim();
    !text.is_empty()
        && text.strip_prefix('=').unwrap_or(text).chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'))
}

/// Takes the pairs out of what the model is given.
pub fn prepare(preparation: &mut Preparation) {
    let source = preparation.source;
    if !source.contains(['<', '*', '_', '~', '[']) && !source.contains("''") {
        return;
    }
    let mut markers = tags(preparation);
    links(source, &mut markers);
    wiki_links(source, &mut markers);
    bracket_tags(source, &mut markers);
    emphasis(preparation, &mut markers);
    markers.sort_by_key(|marker| marker.range.start);
    for marker in markers {
        let text = &source[marker.range.clone()];
        // An address in a link is a part of the marker now.
        if text.starts_with(['<', '[', ']']) {
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
    // Around a part that came through as it is, if there is exactly one.
    let mut same = draft.kept().iter().filter(|kept| text[(*kept).clone()] == source[content.clone()]);
    if let (Some(kept), None) = (same.next(), same.next()) {
        return if marker.opens { kept.start } else { kept.end };
    }
    let tokens = || draft.tokens_from(content.clone());
    let edge = if marker.opens {
        let start = tokens().map(|token| &token.link.target).min_by_key(|target| target.start);
        start.map(|target| target.end - text[target.clone()].trim_start().len())
    } else {
        tokens().map(|token| token.link.target.end).max()
    };
    let at = edge.unwrap_or_else(|| {
        // Nothing translates it: after what stands before it.
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

/// `[[address|text]]` of wikis; what stands between further bars says how a picture is shown.
fn wiki_links(source: &str, markers: &mut Vec<Marker>) {
    let mut at = 0;
    while let Some(start) = source[at..].find("[[").map(|found| at + found) {
        at = start + 2;
        let rest = &source[at..];
        let rest = &rest[..rest.floor_char_boundary(LONGEST.min(rest.len()))];
        let Some(end) = rest.find("]]").filter(|&end| !rest[..end].contains(['[', '\n'])) else { continue };
        let Some(bar) = rest[..end].rfind('|').filter(|&bar| bar + 1 < end) else { continue };
        markers.extend(pair(start..at + bar + 1, at + end..at + end + 2));
        at += end + 2;
    }
}

/// Tags in square brackets (BBCode) that are closed: `[b]text[/b]`, `[url=address]text[/url]`.
fn bracket_tags(source: &str, markers: &mut Vec<Marker>) {
    if !source.contains("[/") {
        return;
    }
    let mut open: Vec<(Range<usize>, &str)> = Vec::new();
    let mut at = 0;
    while let Some(start) = source[at..].find('[').map(|found| at + found) {
        at = start + 1;
        let rest = &source[at..];
        let rest = &rest[..rest.floor_char_boundary(LONGEST.min(rest.len()))];
        let Some(end) = rest.find([']', '[']).filter(|&end| rest[end..].starts_with(']')) else { continue };
        let (closes, tag) = match rest[..end].strip_prefix('/') {
            Some(name) => (true, name),
            None => (false, &rest[..end]),
        };
        let name = tag.split_once('=').map_or(tag, |(name, _)| name);
        if name.is_empty() || !name.bytes().all(|b| b.is_ascii_alphanumeric()) {
            continue;
        }
        at += end + 1;
        if !closes {
            open.push((start..at, name));
        } else if let Some(partner) = open.iter().rposition(|(_, other)| *other == name) {
            let (opening, _) = open.swap_remove(partner);
            open.truncate(partner);
            markers.extend(pair(opening, start..at));
        }
    }
}

/// `[text](address)`, `![text](address "title")`, `[text][reference]`.
fn links(source: &str, markers: &mut Vec<Marker>) {
    let mut at = 0;
    while let Some(start) = source[at..].find('[').map(|found| at + found) {
        at = start + 1;
        let rest = &source[at..];
        let rest = &rest[..rest.floor_char_boundary(LONGEST.min(rest.len()))];
        let Some(middle) = rest.find(']').filter(|&end| end > 0 && !rest[..end].contains('[')) else { continue };
        let Some(length) = target(&rest[middle + 1..]) else { continue };
        let opening = start - usize::from(source[..start].ends_with('!'))..start + 1;
        let closing = at + middle..at + middle + 1 + length;
        at = closing.end;
        markers.extend(pair(opening, closing));
    }
}

/// The length of `(address)`, `(address "title")` or `[reference]` at the start of a text.
fn target(text: &str) -> Option<usize> {
    let sign = text.chars().next()?;
    let inside = &text[sign.len_utf8()..];
    let is_address = |address: &str| !address.is_empty() && !address.contains(char::is_whitespace);
    match sign {
        '(' => {
            if let Some(end) = inside.find(')').filter(|&end| is_address(&inside[..end])) {
                return Some(end + 2);
            }
            let end = inside.find("\")")?;
            let (address, title) = inside[..end].split_once(" \"")?;
            (is_address(address) && !title.contains('"')).then_some(end + 3)
        }
        '[' => {
            let end = inside.find([']', '['])?;
            let reference = &inside[..end];
            let is_reference = !reference.is_empty() && !reference.starts_with('^') && inside[end..].starts_with(']');
            // "[1][2]" are two notes.
            let is_number = reference.bytes().all(|b| b.is_ascii_digit());
            (is_reference && !is_number && !reference.contains(char::is_whitespace)).then_some(end + 2)
        }
        _ => None,
    }
}

/// `*text*`, `**text**`, `_text_`, `__text__`, `~~text~~`, and `''text''` of wikis.
fn emphasis(preparation: &Preparation, markers: &mut Vec<Marker>) {
    let source = preparation.source;
    let mut open: Vec<(Range<usize>, &str)> = Vec::new();
    let mut at = 0;
    while let Some(start) = source[at..].find(['*', '_', '~', '\'']).map(|found| at + found) {
        let sign = source[start..].chars().next().unwrap_or_default();
        let end = start + source[start..].find(|c| c != sign).unwrap_or(source.len() - start);
        at = end;
        let run = &source[start..end];
        let other = markers.iter().any(|marker| marker.range.start < end && start < marker.range.end);
        if run.len() > 3 || matches!(run, "~" | "'") || other || preparation.is_kept(&(start..end)) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_in_brackets() {
        let found = |text: &'static str, find: fn(&str, &mut Vec<Marker>)| {
            let mut markers = Vec::new();
            find(text, &mut markers);
            markers.into_iter().map(|marker| &text[marker.range]).collect::<Vec<_>>()
        };
        assert_eq!(found("the [link](a.b \"So (it) is\").", links), ["[", "](a.b \"So (it) is\")"]);
        assert_eq!(found("![house][ref] and [1][2]", links), ["![", "][ref]"]);
        assert_eq!(found("[a](b c) and [x]", links), [""; 0]);
        assert_eq!(found("the [[Old house|house]], [[A]]", wiki_links), ["[[Old house|", "]]"]);
        assert_eq!(found("[[File:a.jpg|thumb|A house]]", wiki_links), ["[[File:a.jpg|thumb|", "]]"]);
        assert_eq!(
            found("[b]so [i]old[/i][/b] [url=a]it[/url]", bracket_tags),
            ["[i]", "[/i]", "[b]", "[/b]", "[url=a]", "[/url]"]
        );
        assert_eq!(found("[sic] it [the man] and [/b]", bracket_tags), [""; 0]);
    }

    #[test]
    fn markup_between_sentences_is_a_border() {
        for (text, expected) in [
            ("<li>Fresh fish</li><li>Cold beer</li>", vec!["Fresh fish", "Cold beer"]),
            ("Good<br/>night <b>now</b>", vec!["Good", "night <b>now</b>"]),
            ("<source>Save it</source></trans-unit>", vec!["Save it"]),
            ("<x>one</x><y>two</y>", vec!["one", "two"]),
            ("no <b>border</b> here", vec!["no <b>border</b> here"]),
            ("a < b and c > d", vec!["a < b and c > d"]),
            (
                "You have {n, plural, =0 {no letters} one {# letter} other {# letters}}.",
                vec!["You have", "no letters", "# letter", "# letters"],
            ),
            ("{who, select, female {her} other {their}} car", vec!["her", "their", "car"]),
            ("Hello {name}, it is {n, number}", vec!["Hello {name}, it is {n, number}"]),
            ("{n, plural, one {broken}", vec!["{n, plural, one {broken}"]),
        ] {
            let found: Vec<&str> = parts(text, 0..text.len()).into_iter().map(|part| &text[part]).collect();
            assert_eq!(found, expected, "{text}");
        }
    }
}

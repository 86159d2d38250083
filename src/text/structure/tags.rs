//! Tags of XML and HTML in plain text: those around a whole text, and those of blocks, are not part of it.

use std::collections::HashMap;
use std::ops::Range;

/// Anything longer than this is not a tag or comment.
const MAX_TAG: usize = 2048;

/// Elements whose tags end the text before and after them: blocks of HTML, strings of translation files.
const BLOCKS: &[&str] = &[
    "address",
    "article",
    "aside",
    "blockquote",
    "body",
    "br",
    "caption",
    "center",
    "dd",
    "div",
    "dl",
    "dt",
    "figcaption",
    "figure",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "head",
    "header",
    "hr",
    "html",
    "label",
    "legend",
    "li",
    "main",
    "nav",
    "ol",
    "option",
    "p",
    "pre",
    "section",
    "select",
    "summary",
    "table",
    "tbody",
    "td",
    "tfoot",
    "th",
    "thead",
    "title",
    "tr",
    "ul",
    "string",
    "string-array",
    "item",
    "plurals",
    "resources",
    "source",
    "target",
    "seg",
    "tuv",
    "tu",
    "trans-unit",
    "unit",
    "segment",
    "note",
    "value",
    "data",
    "translation",
    "message",
    "v",
];

/// Elements for emphasis; one of their tags at the very start may have its partner in a later line.
const EMPHASIS: &[&str] = &["i", "b", "u", "s", "em", "strong", "font", "span", "small", "big", "c"];

#[derive(Debug)]
struct Tag<'a> {
    range: Range<usize>,
    name: &'a str,
    kind: Kind,
    /// Index of the tag that closes or opens it.
    partner: Option<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Start,
    End,
    /// `<br/>`, a comment, an instruction.
    Alone,
}

/// The tags that are borders of the texts of a piece, ascending.
pub fn borders(piece: &str) -> Vec<Range<usize>> {
    if !piece.contains('<') {
        return Vec::new();
    }
    let tags = tags(piece);
    let mut cut: Vec<bool> = (0..tags.len()).map(|index| is_border(piece, &tags, index)).collect();
    // Between tags that are cut out, a pair around the whole text is cut out too, from outside in.
    let mut first = 0;
    while first < tags.len() {
        let end_of = |index: usize| tags.get(index).map_or(piece.len(), |tag| tag.range.start);
        let last = (first..tags.len()).find(|&index| cut[index]).unwrap_or(tags.len());
        let begin = if first == 0 { 0 } else { tags[first - 1].range.end };
        strip(piece, &tags, &mut cut, first..last, begin..end_of(last));
        first = last + 1;
    }
    tags.iter().zip(cut).filter(|(_, cut)| *cut).map(|(tag, _)| tag.range.clone()).collect()
}

/// The places of all tags of a piece.
pub fn places(piece: &str) -> Vec<Range<usize>> {
    if piece.contains('<') { tags(piece).into_iter().map(|tag| tag.range).collect() } else { Vec::new() }
}

/// Whether a tag ends the text before and after it: a comment, or the tag of a block where it is used and not talked about, as in "the <p> element".
fn is_border(piece: &str, tags: &[Tag], index: usize) -> bool {
    let Tag { range, name, kind, partner } = &tags[index];
    if name.is_empty() {
        return true;
    }
    if !BLOCKS.contains(name) {
        return false;
    }
    let (before, after) = (piece[..range.start].chars().next_back(), piece[range.end..].chars().next());
    let opens = |before: Option<char>, after: Option<char>| {
        let attached = after.is_none_or(|c| {
            c.is_alphanumeric() || c.is_whitespace() && before.is_none() || matches!(c, '<' | '"' | '“' | '{' | '%')
        });
        attached && !before.is_some_and(char::is_alphanumeric)
    };
    match (kind, partner) {
        (Kind::Alone, _) => !(before.is_some_and(char::is_whitespace) && after.is_some_and(char::is_whitespace)),
        // With a partner, it is enough if one of the two touches their content.
        (_, Some(partner)) => {
            let (start, end) = (index.min(*partner), index.max(*partner));
            let inside = &piece[tags[start].range.end..tags[end].range.start];
            let whole =
                piece[..tags[start].range.start].trim().is_empty() && piece[tags[end].range.end..].trim().is_empty();
            whole || !(inside.starts_with(char::is_whitespace) && inside.ends_with(char::is_whitespace))
        }
        (Kind::Start, None) => opens(before, after) && (before.is_none() || after.is_some_and(|c| !c.is_whitespace())),
        (Kind::End, None) => !before.is_some_and(char::is_whitespace) && !after.is_some_and(char::is_alphanumeric),
    }
}

/// Cuts out the tags at the ends of a stretch of text that has no other borders.
fn strip(piece: &str, tags: &[Tag], cut: &mut [bool], mut inside: Range<usize>, mut text: Range<usize>) {
    while !inside.is_empty() {
        let (first, last) = (&tags[inside.start], &tags[inside.end - 1]);
        let opens = piece[text.start..first.range.start].trim().is_empty();
        let closes = piece[last.range.end..text.end].trim().is_empty();
        // An emphasis tag whose partner is elsewhere touches its text.
        let is_apart =
            |tag: &Tag| EMPHASIS.contains(&tag.name) && tag.partner.is_none_or(|partner| !inside.contains(&partner));
        let leads =
            first.kind == Kind::Start && is_apart(first) && !piece[first.range.end..].starts_with(char::is_whitespace);
        let trails =
            last.kind == Kind::End && is_apart(last) && !piece[..last.range.start].ends_with(char::is_whitespace);
        if opens && closes && inside.len() > 1 && first.partner == Some(inside.end - 1) {
            (cut[inside.start], cut[inside.end - 1]) = (true, true);
            (inside, text) = (inside.start + 1..inside.end - 1, first.range.end..last.range.start);
        } else if opens && leads {
            cut[inside.start] = true;
            (inside.start, text.start) = (inside.start + 1, first.range.end);
        } else if closes && trails {
            cut[inside.end - 1] = true;
            (inside.end, text.end) = (inside.end - 1, last.range.start);
        } else {
            return;
        }
    }
}

fn tags(piece: &str) -> Vec<Tag<'_>> {
    let mut tags: Vec<Tag> = Vec::new();
    let mut open: HashMap<&str, Vec<usize>> = HashMap::new();
    let mut at = 0;
    while let Some(start) = piece[at..].find('<').map(|found| at + found) {
        at = start + 1;
        let Some(mut tag) = tag(piece, start) else { continue };
        at = tag.range.end;
        let index = tags.len();
        match tag.kind {
            Kind::Start => open.entry(tag.name).or_default().push(index),
            Kind::End => {
                tag.partner = open.get_mut(tag.name).and_then(Vec::pop);
                if let Some(partner) = tag.partner {
                    tags[partner].partner = Some(index);
                }
            }
            Kind::Alone => {}
        }
        tags.push(tag);
    }
    tags
}

/// The tag, comment or instruction that begins at `start`, a `<`. Its name is empty if it has none.
fn tag(piece: &str, start: usize) -> Option<Tag<'_>> {
    let end = piece.floor_char_boundary(start + MAX_TAG);
    let text = &piece[start..end];
    let alone = |length: usize| Some(Tag { range: start..start + length, name: "", kind: Kind::Alone, partner: None });
    if text.starts_with("<!--") {
        return alone(text.find("-->")? + 3);
    }
    if text.starts_with("<?") || text.starts_with("<!") {
        return alone(text.find('>')? + 1);
    }
    let inside = text[1..].strip_prefix('/').unwrap_or(&text[1..]);
    let is_end = inside.len() + 1 < text.len();
    let name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | ':' | '_' | '.');
    let length = inside.find(|c| !name(c)).unwrap_or(inside.len());
    let base = text.len() - inside.len() + length;
    if length == 0
        || !inside.starts_with(|c: char| c.is_ascii_alphanumeric())
        || !text[base..].starts_with(['>', '/', ' ', '\t'])
    {
        return None;
    }
    // An attribute's value may hold `>`.
    let mut quote = None;
    let close = text[base..].char_indices().find_map(|(at, c)| match quote {
        Some(open) => {
            if c == open {
                quote = None;
            }
            None
        }
        None if matches!(c, '"' | '\'') => {
            quote = Some(c);
            None
        }
        None => matches!(c, '>' | '<').then_some((at, c)),
    });
    let (close, '>') = close? else { return None };
    let attributes = text[base..base + close].trim_end();
    // Prose such as "<see the next page>" is not a tag, except for voices of subtitles.
    if !is_end
        && !attributes.is_empty()
        && !attributes.contains('=')
        && !attributes.ends_with('/')
        && &inside[..length] != "v"
    {
        return None;
    }
    let kind =
        match (is_end, attributes.ends_with('/') || matches!(&inside[..length], "br" | "hr" | "img" | "input" | "wbr"))
        {
            (true, _) => Kind::End,
            (false, true) => Kind::Alone,
            (false, false) => Kind::Start,
        };
    Some(Tag { range: start..start + base + close + 1, name: &inside[..length], kind, partner: None })
}

#[cfg(test)]
mod tests {
    use super::borders;

    fn texts(piece: &str) -> Vec<&str> {
        let mut texts = Vec::new();
        let mut start = 0;
        for border in borders(piece) {
            texts.push(piece[start..border.start].trim());
            start = border.end;
        }
        texts.push(piece[start..].trim());
        texts.retain(|text| !text.is_empty());
        texts
    }

    #[test]
    fn tags_around_a_text_and_of_blocks_are_cut_out() {
        for (piece, expected) in [
            ("<string name=\"a>b\">Two <b>old</b> trees</string>", &["Two <b>old</b> trees"][..]),
            ("<unit id=\"1\"><source>Open it</source></unit>", &["Open it"]),
            ("<b><i>So old</i></b>", &["So old"]),
            ("<b><i>So old</i></b> a tree", &["<b><i>So old</i></b> a tree"]),
            ("<td>Tree</td><td><b>Age</b></td>", &["Tree", "Age"]),
            ("First line<br>second line<br/>third", &["First line", "second line", "third"]),
            ("<i>It goes on", &["It goes on"]),
            ("and ends.</i>", &["and ends."]),
            ("Some <b>bold</b> text", &["Some <b>bold</b> text"]),
            ("<g id=\"1\">One</g> <g id=\"2\">two</g>", &["<g id=\"1\">One</g> <g id=\"2\">two</g>"]),
            ("<!-- hidden -->Shown", &["Shown"]),
            ("<v Ann Lee>Good morning", &["Good morning"]),
            ("<p>Tree", &["Tree"]),
            ("one</p><p>two", &["one", "two"]),
            ("The <p> element, or <td>.", &["The <p> element, or <td>."]),
            ("<input> elements and <title> too", &["<input> elements and <title> too"]),
            ("It stands between <p> and </p> here", &["It stands between <p> and </p> here"]),
            ("before the closing </head> tag", &["before the closing </head> tag"]),
            ("a List<string>.", &["a List<string>."]),
            ("<x id=\"1\"/> new messages", &["<x id=\"1\"/> new messages"]),
            ("<laughs> That was it.", &["<laughs> That was it."]),
            ("if a <b && c > d", &["if a <b && c > d"]),
            ("a < b and <see the next page>", &["a < b and <see the next page>"]),
        ] {
            assert_eq!(texts(piece), expected, "{piece}");
        }
    }
}

//! Lines of a key and its text: gettext, strings files, properties, settings with sections, YAML.

use super::lines::{Form, Line, trim};
use super::strings::{cells, string};
use super::{Cell, Escape};
use std::ops::Range;

/// Finds the lines.
pub fn mark(text: &str, lines: &mut [Line]) {
    mark_gettext(text, lines);
    mark_assignments(text, lines);
    mark_yaml(text, lines);
}

/// `msgid "…"`, the strings that go on in the lines below, and the comments that tools write.
fn mark_gettext(text: &str, lines: &mut [Line]) {
    /// What came before.
    #[derive(Clone, Copy, PartialEq)]
    enum Before {
        Other,
        /// A string that is text.
        Text,
        /// The context of an entry, which is a name.
        Context,
    }
    let mut before = Before::Other;
    for line in lines {
        if line.form != Form::Unknown {
            before = Before::Other;
            continue;
        }
        let content = trim(text, line.range.clone());
        let line_text = &text[content.clone()];
        // "#~ " marks entries that are no longer used.
        let entry = line_text.strip_prefix("#~").map_or(line_text, str::trim_start);
        let keyword = entry.strip_prefix("msg").and_then(|rest| {
            let (word, rest) =
                rest.split_at(rest.find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '_' | '[' | ']'))?);
            let known = matches!(word, "id" | "str" | "ctxt" | "id_plural") || word.starts_with("str[");
            known.then_some((word, rest.trim_start()))
        });
        let (kind, quoted) = match keyword {
            Some(("ctxt", rest)) => (Before::Context, rest),
            Some((_, rest)) => (Before::Text, rest),
            None if before != Before::Other => (before, entry),
            None => (Before::Other, entry),
        };
        let start = content.end - quoted.len();
        let whole =
            string(text, start, content.end).filter(|found| quoted.starts_with('"') && found.end + 1 == content.end);
        match whole {
            Some(found) if kind != Before::Other => {
                let mut texts = Vec::new();
                if kind == Before::Text && !is_gettext_header(&text[found.clone()]) {
                    cells(text, found, Some('"'), &mut texts);
                }
                line.set(Form::Structured, texts);
                before = kind;
            }
            _ => {
                before = Before::Other;
                // What translators should know, where a text is used, its flags, and what it was before.
                if ["#. ", "#: ", "#, ", "#| "].iter().any(|sign| line_text.starts_with(sign)) {
                    line.set(Form::Structured, Vec::new());
                }
            }
        }
    }
}

/// A line of a catalogue's header: "Project-Id-Version: …\n".
fn is_gettext_header(written: &str) -> bool {
    let Some((name, _)) = written.split_once(": ") else { return false };
    let named = name.bytes().all(|b| b.is_ascii_alphabetic() || b == b'-')
        && name.starts_with(|c: char| c.is_ascii_uppercase());
    written.ends_with("\\n") && named && (name.contains('-') || name == "Language")
}

/// `key=Text`, `"key" = "Text";`, and with such lines around them also `key = Text` and `[section]`.
fn mark_assignments(text: &str, lines: &mut [Line]) {
    let found: Vec<Option<Assignment>> =
        lines.iter().map(|line| if line.is_open(text) { assignment(text, line.range.clone()) } else { None }).collect();
    let section = |line: &Line| {
        let content = line.of(text).trim();
        content.len() > 2 && content.starts_with('[') && content.ends_with(']')
    };
    for index in 0..lines.len() {
        let beside = |other: Option<usize>| other.and_then(|other| found.get(other)).is_some_and(Option::is_some);
        let has_neighbour = beside(index.checked_sub(1)) || beside(Some(index + 1));
        match &found[index] {
            Some(Assignment { value, quote, is_certain }) => {
                let under_section = index.checked_sub(1).is_some_and(|before| section(&lines[before]));
                if !is_certain && !has_neighbour && !under_section {
                    continue;
                }
                let mut texts = Vec::new();
                cells(text, value.clone(), *quote, &mut texts);
                lines[index].set(Form::Structured, texts);
            }
            None if lines[index].is_open(text) && section(&lines[index]) && beside(Some(index + 1)) => {
                lines[index].set(Form::Structured, Vec::new());
            }
            None => {}
        }
    }
}

struct Assignment {
    value: Range<usize>,
    quote: Option<char>,
    /// Whether it is one even without others beside it.
    is_certain: bool,
}

fn assignment(text: &str, line: Range<usize>) -> Option<Assignment> {
    let content = trim(text, line);
    let start = content.start;
    // `"key" = "Text";`
    if text[start..].starts_with('"') {
        let key = string(text, start, content.end)?;
        let rest = text[key.end + 1..content.end].trim_start().strip_prefix('=')?.trim_start();
        let value = string(text, content.end - rest.len(), content.end).filter(|_| rest.starts_with('"'))?;
        let ends = matches!(&text[value.end + 1..content.end], ";" | "");
        return ends.then_some(Assignment { value, quote: Some('"'), is_certain: true });
    }
    let line = &text[content.clone()];
    let line = line.strip_prefix("export ").unwrap_or(line);
    let (key, value) = line.split_once('=')?;
    let name = key.trim_end();
    let tight = name.len() == key.len() && !value.starts_with(' ');
    if !is_key(name) || name.len() < 2 || value.starts_with('=') {
        return None;
    }
    let value = value.trim_start();
    // Programs, and what follows the `?` of an address.
    let words = value.split_whitespace().take(2).count();
    let is_code =
        value.ends_with([';', '{', '(', ',']) || value.contains("()") || words == 1 && value.contains(['&', '(', '=']);
    if is_code || value.is_empty() {
        return None;
    }
    if !value.contains(char::is_alphabetic) || is_language_tag(value) {
        return Some(Assignment { value: content.end..content.end, quote: None, is_certain: false });
    }
    let start = content.end - value.len();
    let quoted = value.starts_with(['"', '\'']).then(|| string(text, start, content.end)).flatten();
    match quoted {
        Some(inside) if inside.end + 1 == content.end => {
            let quote = value.chars().next();
            Some(Assignment { value: inside, quote, is_certain: tight })
        }
        _ => Some(Assignment { value: start..content.end, quote: None, is_certain: tight }),
    }
}

/// A name as in programs: letters, digits, joining signs, no spaces.
fn is_key(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-' | b'[' | b']' | b'/'))
}

/// "en", "de-AT", "pt_BR.UTF-8": a value that names a language.
fn is_language_tag(value: &str) -> bool {
    let mut parts = value.split(['-', '_', '.']);
    parts.next().is_some_and(|tag| tag.len() == 2 && tag.bytes().all(|b| b.is_ascii_lowercase()))
        && parts.next().is_none_or(|region| region.len() == 2 && region.bytes().all(|b| b.is_ascii_uppercase()))
        && parts.all(|rest| rest.starts_with("UTF") || rest == "8")
}

/// What a line of YAML is.
#[derive(Debug)]
struct Entry {
    /// Bytes before the key or item: how deep it is.
    indent: usize,
    key: Option<Key>,
    value: Option<(Range<usize>, Escape)>,
}

#[derive(Debug)]
struct Key {
    /// Whether it has signs that words of prose do not have.
    is_technical: bool,
    /// Whether a dash stands before it.
    in_list: bool,
    /// Whether its value stands in the lines below.
    opens: bool,
    /// Whether it is words with capitals or spaces, as before a colon in prose.
    is_loose: bool,
}

/// Runs of `key: text` lines that contain something that no prose has, or of at least two with keys in lower case.
fn mark_yaml(text: &str, lines: &mut [Line]) {
    let mut index = 0;
    while index < lines.len() {
        let front = lines[index].of(text).trim_end() == "---";
        let mut next = index + usize::from(front);
        let mut entries: Vec<(usize, Entry)> = Vec::new();
        // A block of text under "key: |", by its key's depth.
        let mut block: Option<usize> = None;
        while let Some(line) = lines.get(next).filter(|line| !line.is_blank(text) || block.is_some()) {
            let content = line.of(text);
            // JSON in it is known already.
            if line.form != Form::Unknown {
                if entries.is_empty() {
                    break;
                }
                next += 1;
                continue;
            }
            let indent = content.len() - content.trim_start().len();
            if block.is_some_and(|depth| indent > depth || content.trim().is_empty()) {
                next += 1;
                continue;
            }
            block = None;
            if content.trim_start().starts_with('#') && !entries.is_empty() {
                next += 1;
                continue;
            }
            let Some((entry, is_block)) = entry(text, line.range.clone()) else { break };
            // An item belongs to a list that a key opened.
            if entry.key.is_none()
                && entries.last().is_none_or(|(_, last)| last.key.as_ref().is_some_and(|key| !key.opens))
            {
                break;
            }
            block = is_block.then_some(entry.indent);
            entries.push((next, entry));
            next += 1;
        }
        let keys = || entries.iter().filter_map(|(_, entry)| entry.key.as_ref()).filter(|key| !key.is_loose);
        let nested = entries.windows(2).any(|pair| {
            pair[0].1.key.as_ref().is_some_and(|key| key.opens)
                && (pair[1].1.indent > pair[0].1.indent || pair[1].1.key.is_none())
        });
        let technical = keys().any(|key| key.is_technical || key.in_list && entries.len() > 1);
        let quoted = entries
            .iter()
            .any(|(_, entry)| entry.value.as_ref().is_some_and(|(_, escape)| *escape != Escape::PlainScalar));
        let count = keys().count();
        let is_certain = front || nested || technical && quoted;
        if count > 0 && (is_certain || count > 1) {
            for (line, entry) in entries {
                if !is_certain && entry.key.is_some_and(|key| key.is_loose) {
                    continue;
                }
                let mut texts = Vec::new();
                match entry.value {
                    Some((range, Escape::Backslash { quote, .. })) => cells(text, range, quote, &mut texts),
                    Some((range, escape)) if escape.is_faithful(&text[range.clone()]) => {
                        texts.push(Cell { range, escape });
                    }
                    _ => {}
                }
                lines[line].set(Form::Structured, texts);
            }
        }
        index = next.max(index + 1);
    }
}

/// Reads a line of YAML; true if a block of text follows it.
fn entry(text: &str, line: Range<usize>) -> Option<(Entry, bool)> {
    let content = trim(text, line.clone());
    let mut start = content.start;
    let mut in_list = false;
    while let Some(rest) = text[start..content.end].strip_prefix("- ") {
        in_list = true;
        start = content.end - rest.trim_start().len();
    }
    let indent = start - line.start;
    let rest = &text[start..content.end];
    let colon = rest.find(':').filter(|&at| rest[at + 1..].is_empty() || rest[at + 1..].starts_with(' '));
    let is_strict = |key: &str| is_key(key) && !key.starts_with(|c: char| c.is_ascii_uppercase());
    let Some(key) = colon.map(|at| &rest[..at]).filter(|key| is_strict(key) || is_loose_key(key)) else {
        // An item that is text.
        let value = in_list.then(|| value(text, start..content.end)).flatten()?;
        let value = Some(value).filter(|(range, _)| !is_switch(&text[range.clone()]));
        return Some((Entry { indent, key: None, value }, false));
    };
    let mut behind = content.end - rest[key.len() + 1..].trim_start().len();
    // Its name and type.
    while text[behind..content.end].starts_with(['&', '!']) {
        let word = text[behind..content.end].find(' ').unwrap_or(content.end - behind);
        behind = content.end - text[behind + word..content.end].trim_start().len();
    }
    let is_block = matches!(&text.as_bytes()[behind..content.end], [b'|' | b'>'] | [b'|' | b'>', b'-' | b'+']);
    let opens = behind == content.end;
    let technical =
        key.contains(['_', '.', '[', '/']) || key.bytes().any(|b| b.is_ascii_digit() || b.is_ascii_uppercase());
    // What is in brackets or elsewhere is not text.
    let is_other = text[behind..].starts_with(['[', '{', '*']);
    let value = if opens || is_block || is_other { None } else { Some(value(text, behind..content.end)?) };
    let key = Key { is_technical: technical, in_list, opens, is_loose: !is_strict(key) };
    let value = value.filter(|(range, _)| !is_switch(&text[range.clone()]) && !is_language_tag(&text[range.clone()]));
    Some((Entry { indent, key: Some(key), value }, is_block))
}

/// Words with capitals or spaces that are a key if what stands around them is YAML.
fn is_loose_key(key: &str) -> bool {
    key.split(' ').count() <= 3
        && key
            .split(' ')
            .all(|word| !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-')))
}

/// Switches and null have nothing to translate.
fn is_switch(value: &str) -> bool {
    matches!(value, "true" | "false" | "yes" | "no" | "on" | "off" | "null" | "~")
}

/// The text of a value, without quotes or comment around it; none if a value could not be written this way.
fn value(text: &str, range: Range<usize>) -> Option<(Range<usize>, Escape)> {
    let value = &text[range.clone()];
    let end_of = |end: usize| {
        let rest = text[end..range.end].trim_start();
        (rest.is_empty() || rest.starts_with('#')).then_some(())
    };
    match value.as_bytes().first()? {
        b'"' => {
            let inside = string(text, range.start, range.end)?;
            end_of(inside.end + 1)?;
            Some((inside, Escape::Backslash { quote: Some('"'), beyond_ascii: Default::default() }))
        }
        b'\'' => {
            let mut end = range.start + 1;
            loop {
                end += text[end..range.end].find('\'')? + 1;
                if !text[end..range.end].starts_with('\'') {
                    break;
                }
                end += 1;
            }
            end_of(end)?;
            Some((range.start + 1..end - 1, Escape::Doubled('\'')))
        }
        b'[' | b'{' | b'&' | b'*' | b'!' | b'%' | b'@' | b'`' | b'|' | b'>' | b',' => None,
        _ => {
            let end = value.find(" #").unwrap_or(value.len());
            let plain = value[..end].trim_end();
            // A colon followed by a space would begin another value.
            (!plain.contains(": ") && !plain.ends_with(':'))
                .then_some((range.start..range.start + plain.len(), Escape::PlainScalar))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::mark;
    use crate::text::structure::lines::split;

    fn values(text: &str) -> Vec<Vec<&str>> {
        let mut lines = split(text);
        mark(text, &mut lines);
        lines.iter().map(|line| line.cells.iter().map(|cell| &text[cell.range.clone()]).collect()).collect()
    }

    #[test]
    fn gettext() {
        let text = "#. A hint\n#: src/tree.c:12\n#, c-format\nmsgctxt \"menu\"\nmsgid \"\"\n\"One tree\\n\"\n\"and \\\"another\\\"\"\nmsgstr \"\"";
        let expected = [vec![], vec![], vec![], vec![], vec![], vec!["One tree"], vec!["and \\\"another\\\""], vec![]];
        assert_eq!(values(text), expected);
        let header = "msgid \"\"\nmsgstr \"\"\n\"Content-Type: text/plain; charset=UTF-8\\n\"\n\"Language: de\\n\"";
        assert!(values(header).concat().is_empty());
        assert!(values("\"Quoted words\"").concat().is_empty());
    }

    #[test]
    fn assignments() {
        assert_eq!(values("menu.open=Open a file"), [["Open a file"]]);
        assert_eq!(values("\"menu.open\" = \"Open a file\";"), [["Open a file"]]);
        assert_eq!(values("[window]\ntitle = Two trees\nwidth = 20"), [vec![], vec!["Two trees"], vec![]]);
        assert_eq!(values("language=en\nexport NAME=Two trees"), [vec![], vec!["Two trees"]]);
        assert_eq!(values("note=First line\\nSecond line"), [["First line", "Second line"]]);
        for text in ["E=mc²", "area = length", "let a = f();", "x == y", "n=5", "a=b&c=d", "total=sum(a,b)"] {
            assert!(values(text).concat().is_empty(), "{text}");
        }
    }

    #[test]
    fn yaml() {
        let text = "garden:\n  title: Old trees # how many\n  count: 5\n  tools:\n    - Red spade\n    - \"A \\\"rake\\\"\"\n  note: |\n    As it is.\n  open: 'It''s open'";
        assert_eq!(
            values(text),
            [
                vec![],
                vec!["Old trees"],
                vec!["5"],
                vec![],
                vec!["Red spade"],
                vec!["A \\\"rake\\\""],
                vec![],
                vec![],
                vec!["It''s open"]
            ]
        );
        assert_eq!(values("title: Old trees\n  - name: Red spade"), [["Old trees"], ["Red spade"]]);
        assert_eq!(
            values(
                "en:\n  Big Tree: Old\n  who: &me !!str Ann\n  it: *me\n  two: \"One\\nTwo\"\n  - true\n  in: de-AT"
            ),
            [vec![], vec!["Old"], vec!["Ann"], vec![], vec!["One", "Two"], vec![], vec![]]
        );
        for text in [
            "Price: 12 euros\nColour: red",
            "note: this is all",
            "- first item\n- second item",
            "he said: wait\nand then he went: away he was",
            "note: this is all\nPrice: 12 euros",
        ] {
            assert!(values(text).concat().is_empty(), "{text}");
        }
    }
}

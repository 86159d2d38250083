//! How text is written inside other syntax: quotes doubled, characters after backslashes.

use super::edits::{Editor, Edits};
use std::borrow::Cow;
use std::ops::Range;

/// How the text of a cell is written in its place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Escape {
    /// As it is.
    #[default]
    None,
    /// Between quotes, with each quote inside doubled: CSV (RFC 4180), YAML's single quotes.
    Doubled(char),
    /// With backslashes before backslashes and before the quote that ends it, if one does: JSON, gettext, properties.
    Backslash {
        /// The quote.
        quote: Option<char>,
        /// How characters beyond ASCII are written.
        beyond_ascii: BeyondAscii,
    },
    /// A field of a CSV file without quotes: gets them when it would otherwise hold the separator.
    Unquoted {
        /// What stands between fields.
        separator: char,
    },
    /// A YAML value without quotes: gets double ones when it would otherwise read as a key or a comment.
    PlainScalar,
}

/// How characters beyond ASCII are written after backslashes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum BeyondAscii {
    /// As they are.
    #[default]
    Raw,
    /// `\u00e9`
    LowerHex,
    /// `\u00E9`
    UpperHex,
}

impl Escape {
    /// The text that `written` stands for.
    pub fn unescape(self, written: &str) -> Cow<'_, str> {
        let changes = self.unescapes(written);
        apply(written, changes.iter().map(|(range, c)| (range.clone(), c.encode_utf8(&mut [0; 4]).to_owned())))
    }

    /// How `text` is written.
    pub fn escape(self, text: &str) -> Cow<'_, str> {
        apply(text, self.escapes(text))
    }

    /// Whether unescaping and escaping gives back what was written, so that nothing but translated words changes.
    pub fn is_faithful(self, written: &str) -> bool {
        self.escape(&self.unescape(written)) == written
    }

    /// The way of using backslashes that `written` follows, if it follows one throughout.
    pub(super) fn backslash(quote: Option<char>, written: &str) -> Option<Escape> {
        [BeyondAscii::Raw, BeyondAscii::LowerHex, BeyondAscii::UpperHex]
            .map(|beyond_ascii| Escape::Backslash { quote, beyond_ascii })
            .into_iter()
            .find(|escape| escape.is_faithful(written))
    }

    /// The places of `written` that stand for a character written in another way, and that character.
    pub(super) fn unescapes(self, written: &str) -> Vec<(Range<usize>, char)> {
        match self {
            Escape::None | Escape::Unquoted { .. } | Escape::PlainScalar => Vec::new(),
            Escape::Doubled(quote) => {
                let doubled: String = [quote, quote].iter().collect();
                written.match_indices(&doubled).map(|(at, found)| (at..at + found.len(), quote)).collect()
            }
            Escape::Backslash { quote, beyond_ascii } => {
                let mut found = Vec::new();
                let mut at = 0;
                while let Some(next) = written[at..].find('\\') {
                    let start = at + next;
                    at = start + 1;
                    let Some(c) = written[at..].chars().next() else { break };
                    if c == '\\' || Some(c) == quote {
                        at += c.len_utf8();
                        found.push((start..at, c));
                    } else if beyond_ascii != BeyondAscii::Raw
                        && let Some((length, c)) = unicode_escape(&written[start..])
                    {
                        at = start + length;
                        found.push((start..at, c));
                    }
                }
                found
            }
        }
    }

    /// The places of `text` that are written in another way, and how.
    pub(super) fn escapes(self, text: &str) -> Vec<(Range<usize>, String)> {
        let whole = |quote: &str, inside: fn(char) -> bool, before: &dyn Fn(char) -> String| {
            let mut changes = vec![(0..0, quote.to_owned())];
            changes.extend(text.char_indices().filter(|(_, c)| inside(*c)).map(|(at, c)| (at..at + 1, before(c))));
            changes.push((text.len()..text.len(), quote.to_owned()));
            changes
        };
        match self {
            Escape::None => Vec::new(),
            Escape::Doubled(quote) => text
                .match_indices(quote)
                .map(|(at, found)| (at..at + found.len(), [quote, quote].iter().collect()))
                .collect(),
            Escape::Backslash { quote, beyond_ascii } => {
                let written = |c: char| match c {
                    '\\' => Some("\\\\".to_owned()),
                    '\n' => Some("\\n".to_owned()),
                    '\t' => Some("\\t".to_owned()),
                    '\r' => Some("\\r".to_owned()),
                    c if Some(c) == quote => Some(format!("\\{c}")),
                    c if !c.is_ascii() && beyond_ascii != BeyondAscii::Raw => {
                        let unit = |unit: &mut u16| match beyond_ascii {
                            BeyondAscii::UpperHex => format!("\\u{unit:04X}"),
                            _ => format!("\\u{unit:04x}"),
                        };
                        Some(c.encode_utf16(&mut [0; 2]).iter_mut().map(unit).collect())
                    }
                    _ => None,
                };
                text.char_indices().filter_map(|(at, c)| Some((at..at + c.len_utf8(), written(c)?))).collect()
            }
            Escape::Unquoted { separator } => {
                if !text.contains([separator, '\n', '\r']) && !text.starts_with('"') {
                    return Vec::new();
                }
                whole("\"", |c| c == '"', &|_| "\"\"".to_owned())
            }
            Escape::PlainScalar => {
                if !text.contains(": ") && !text.contains(" #") && !text.ends_with(':') {
                    return Vec::new();
                }
                whole("\"", |c| matches!(c, '"' | '\\'), &|c| format!("\\{c}"))
            }
        }
    }
}

fn apply(text: &str, changes: impl IntoIterator<Item = (Range<usize>, String)>) -> Cow<'_, str> {
    let mut editor = Editor::new(text);
    changes.into_iter().for_each(|(range, with)| editor.replace(range, &with));
    match editor.finish() {
        (_, edits) if Edits::is_empty(&edits) => Cow::Borrowed(text),
        (changed, _) => Cow::Owned(changed),
    }
}

/// The length of the `\u` escape, or of the two that make a surrogate pair, that a text begins with, and the character; none if that is ASCII.
fn unicode_escape(text: &str) -> Option<(usize, char)> {
    let unit = |text: &str| {
        let digits = text.strip_prefix("\\u")?.get(..4)?;
        digits.bytes().all(|b| b.is_ascii_hexdigit()).then(|| u16::from_str_radix(digits, 16).ok())?
    };
    let first = unit(text)?;
    let (length, c) = match char::from_u32(u32::from(first)) {
        Some(c) => (6, c),
        None => (12, char::decode_utf16([first, unit(&text[6..])?]).next()?.ok()?),
    };
    (!c.is_ascii()).then_some((length, c))
}

#[cfg(test)]
mod tests {
    use super::{BeyondAscii, Escape};

    const JSON: Escape = Escape::Backslash { quote: Some('"'), beyond_ascii: BeyondAscii::Raw };

    #[test]
    fn what_is_written_is_what_is_meant() {
        let cases = [
            (Escape::None, "a \"\" \\ b", "a \"\" \\ b"),
            (Escape::Doubled('"'), "almost \"\"new\"\"", "almost \"new\""),
            (Escape::Doubled('\''), "it''s", "it's"),
            (JSON, "say \\\"hi\\\" \\\\ é", "say \"hi\" \\ é"),
            (
                Escape::Backslash { quote: Some('"'), beyond_ascii: BeyondAscii::LowerHex },
                "caf\\u00e9 \\ud83d\\ude00",
                "café 😀",
            ),
            (
                Escape::Backslash { quote: None, beyond_ascii: BeyondAscii::UpperHex },
                "\\u00C4rger \"so\"",
                "Ärger \"so\"",
            ),
            (Escape::Unquoted { separator: ',' }, "old \"tree\"", "old \"tree\""),
        ];
        for (escape, written, text) in cases {
            assert_eq!(escape.unescape(written), text);
            assert_eq!(escape.escape(text), written);
            assert!(escape.is_faithful(written));
        }
    }

    #[test]
    fn the_way_is_found_that_a_text_follows() {
        let found = |written: &str| Escape::backslash(Some('"'), written);
        let way = |beyond_ascii| Some(Escape::Backslash { quote: Some('"'), beyond_ascii });
        assert_eq!(found("caf\u{e9} \\\"x\\\""), way(BeyondAscii::Raw));
        assert_eq!(found("caf\\u00e9"), way(BeyondAscii::LowerHex));
        assert_eq!(found("caf\\u00E9"), way(BeyondAscii::UpperHex));
        assert_eq!(found("caf\\u00e9 or café"), None);
        assert_eq!(found("either\\/or"), None);
        assert_eq!(found("lone \\ud83d"), None);
    }

    #[test]
    fn quotes_come_where_they_are_needed() {
        let field = Escape::Unquoted { separator: ',' };
        assert_eq!(field.escape("rot, \"fast\" neu"), "\"rot, \"\"fast\"\" neu\"");
        assert_eq!(field.escape("rot; neu"), "rot; neu");
        assert_eq!(Escape::PlainScalar.escape("Achtung: \"heiß\""), "\"Achtung: \\\"heiß\\\"\"");
        assert_eq!(Escape::PlainScalar.escape("12:30"), "12:30");
    }
}

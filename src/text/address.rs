//! Where web and mail addresses begin and end in text that does not separate words: `参见https://example.org/查看`, a sentence with an
//! address in it.

use std::ops::Range;

use super::language::Language;

/// Whether an address, `address` so far, ends before the text `rest`, which does not begin with white space.
///
/// No address contains wide punctuation. Where words are not spaced, what follows in the language's own letters is text and no longer part of
/// the address, except for a name in the path after another part of it: `https://zh.wikipedia.org/wiki/北京`. No name begins with hiragana,
/// which write particles and endings.
pub(super) fn ends(address: &str, rest: &str, language: Language) -> bool {
    let Some(c) = rest.chars().next() else { return true };
    if is_wide_punctuation(c) {
        return true;
    }
    if language.spaced || !is_own(c, language) {
        return false;
    }
    let path = address.split_once("://").map_or(address, |(_, path)| path);
    let Some((before, name)) = path.rsplit_once('/') else { return true };
    let is_hiragana = matches!(c, '\u{3041}'..='\u{309f}');
    let goes_on =
        before.contains('/') && name.chars().all(|c| is_own(c, language) || matches!(c, '_' | '-' | '・' | 'ー'));
    !goes_on || name.is_empty() && is_hiragana
}

/// Whether a text in which white space separates nothing has a letter of its language outside addresses.
pub(super) fn has_letters_beside(text: &str, language: Language) -> bool {
    let letter = |c: char| language.script.has(c);
    let mut rest = text;
    while let Some(address) = find(rest, language) {
        if rest[..address.start].contains(letter) {
            return true;
        }
        rest = &rest[address.end..];
    }
    rest.contains(letter)
}

/// The first address in a text without white space.
fn find(text: &str, language: Language) -> Option<Range<usize>> {
    let of_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+' | '_');
    let start = |sign: usize| text[..sign].trim_end_matches(of_name).len();
    let end = |start: usize| {
        let ends = |&(at, _): &(usize, char)| at > start && ends(&text[start..at], &text[at..], language);
        text.char_indices().find(ends).map_or(text.len(), |(at, _)| at)
    };
    let web = text.find("://").map(start).into_iter().chain(text.find("www.")).min().map(|start| start..end(start));
    let mail = text.find('@').and_then(|sign| {
        let host = &text[sign + 1..];
        let host = &host[..host.find(|c| !of_name(c)).unwrap_or(host.len())];
        (start(sign) < sign && host.contains('.')).then(|| start(sign)..sign + 1 + host.len())
    });
    web.into_iter().chain(mail).min_by_key(|address| address.start)
}

fn is_own(c: char, language: Language) -> bool {
    !c.is_ascii() && language.script.has(c)
}

#[rustfmt::skip]
fn is_wide_punctuation(c: char) -> bool {
    matches!(
        c,
        '，' | '、' | '。' | '；' | '：' | '！' | '？' | '（' | '）' | '「' | '」' | '『' | '』' | '《' | '》' | '〈' | '〉' | '【' | '】' | '〔' | '〕' | '［' | '］'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_end_where_text_goes_on() {
        for (tag, text, expected) in [
            ("ja", "詳しくはhttps://example.org/を見てください。", "https://example.org/"),
            ("ja", "https://ja.wikipedia.org/wiki/東京を", "https://ja.wikipedia.org/wiki/東京を"),
            ("ja", "https://example.org/docs/をご覧", "https://example.org/docs/"),
            ("zh", "请访问https://example.org查看。", "https://example.org"),
            ("zh", "见https://zh.wikipedia.org/wiki/北京，", "https://zh.wikipedia.org/wiki/北京"),
            ("zh", "（www.example.org）", "www.example.org"),
            ("zh", "发邮件至jane.doe@example.org咨询", "jane.doe@example.org"),
            ("th", "ดูที่https://example.org/a?b=cนะ", "https://example.org/a?b=c"),
        ] {
            let language = Language::from_tag(tag).expect("a language");
            assert_eq!(&text[find(text, language).expect("an address")], expected, "{text}");
        }
    }

    #[test]
    fn letters_beside_addresses_are_text() {
        let language = Language::from_tag("ja").expect("Japanese");
        assert!(has_letters_beside("詳しくはhttps://example.org/を見て", language));
        assert!(has_letters_beside("https://example.org/を見て", language));
        assert!(!has_letters_beside("https://example.org/，www.example.org/a", language));
        assert!(!has_letters_beside("https://ja.wikipedia.org/wiki/東京", language));
    }
}

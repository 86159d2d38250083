//! Marks of notes, which are no part of the sentence: `<sup>[1]</sup>`, `<a href="#note">*</a>`. They stay beside their word.

use super::characters::{decode, is_blank};

/// Longest mark of a note, in bytes.
const MAX_MARK: usize = 400;

/// Letters of the shortest word after which a raised number is a note, not a power: "metre" has more, "m" and "cm" less.
const SHORTEST_WORD: usize = 4;

/// Signs that mark notes, trade marks and the like.
const SIGNS: &str = "*†‡§¶#⁂※∗®™℠©";

/// Whether an element is the mark of a note, by its name, its content, and what stands before it.
pub(super) fn is_mark(name: &str, before: &str, inside: &str) -> bool {
    let inside = inside.trim();
    if inside.len() >= MAX_MARK {
        return false;
    }
    match name {
        "sup" => {
            let text = without_tags(inside);
            is_link(inside, "<a") || is_sign(&text) || is_number(&text) && follows_word(before)
        }
        "a" => is_link(inside, "<sup") || !before.ends_with(is_blank) && is_sign(&without_tags(inside)),
        _ => false,
    }
}

/// Whether all of a text is one element: `<sup><a href="#n1">1</a></sup>`.
fn is_link(inside: &str, within: &str) -> bool {
    let Some((start, rest)) = inside.split_at_checked(within.len()) else { return false };
    let begins = start.eq_ignore_ascii_case(within) && rest.starts_with(|c: char| c == '>' || is_blank(c));
    let ends =
        || inside.rfind("</").is_some_and(|end| inside[end + 2..].to_ascii_lowercase().starts_with(&within[1..]));
    begins && ends()
}

fn without_tags(html: &str) -> String {
    let mut text = String::with_capacity(html.len());
    let mut parts = html.split('<');
    text.push_str(parts.next().unwrap_or_default());
    for part in parts {
        text.push_str(part.split_once('>').map_or("", |(_, after)| after));
    }
    decode(&text).trim().to_owned()
}

/// Whether a text is a small number or a list of such.
fn is_number(text: &str) -> bool {
    let is_one = |part: &str| (1..=3).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
    text.split([',', '-', '–']).all(|part| is_one(part.trim()))
}

/// Whether a text is a number or letter in brackets, or consists of signs.
fn is_sign(text: &str) -> bool {
    let inner = text.strip_prefix(['[', '(']).and_then(|text| text.strip_suffix([']', ')']));
    let is_letter = |text: &str| text.len() == 1 && text.bytes().all(|byte| byte.is_ascii_lowercase());
    inner.is_some_and(|inner| is_number(inner) || is_letter(inner))
        || text.starts_with(|c| SIGNS.contains(c)) && text.trim_end_matches(')').chars().all(|c| SIGNS.contains(c))
}

/// Whether a number here belongs to a word, with or without the sign that ends its clause.
fn follows_word(before: &str) -> bool {
    let word = before.trim_end_matches(['.', ',', ';', ':', '!', '?', '"', '”', '“', '’', ')']);
    word.chars().rev().take_while(|c| c.is_alphabetic()).take(SHORTEST_WORD).count() == SHORTEST_WORD
}

#[cfg(test)]
mod tests {
    use super::is_mark;

    #[test]
    fn marks_are_told_from_powers_and_endings() {
        for (name, before, inside) in [
            ("sup", "the house", "[1]"),
            ("sup", "in 1900.", "[12]"),
            ("sup", "the house", "*"),
            ("sup", "the house", "&dagger;"),
            ("sup", "the house", "<a href=#n>1</a>"),
            ("sup", "the house", "[<a href=#n>1</a>]"),
            ("sup", "the house", "*)"),
            ("sup", "the house", "3"),
            ("sup", "the house.", "1, 2"),
            ("a", "the house", "[a]"),
            ("a", "the house", "**"),
            ("a", "the house", "<sup>1</sup>"),
        ] {
            assert!(is_mark(name, before, inside), "{before}<{name}>{inside}");
        }
        for (name, before, inside) in [
            ("sup", "20 m", "2"),
            ("sup", "20 km", "2"),
            ("sup", "x", "10"),
            ("sup", "10", "6"),
            ("sup", "costs 5.", "99"),
            ("sup", "the 21", "st"),
            ("a", "the ", "*"),
            ("a", "the house", "1"),
            ("a", "see ", "<a"),
            ("b", "the house", "[1]"),
            ("sup", "the house", "[see there]"),
        ] {
            assert!(!is_mark(name, before, inside), "{before}<{name}>{inside}");
        }
    }
}

//! Line breaks in the middle of sentences: `<br>` in text that was broken into short lines, or in a heading. Lines of addresses and poems stay
//! lines. Live pages look at the lengths of lines too (`www/page/lines.js`).

use super::characters::decode;
use super::items::{Item, Kind};
use crate::text::language::{FunctionWords, Language};

/// Letters of the shortest line that goes on in the next one with a small letter, and its words.
const SHORTEST: usize = 25;
const FEWEST_WORDS: usize = 4;

/// Letters of the lines of wrapped text, except for the last one.
const WRAPPED: std::ops::RangeInclusive<usize> = 40..=110;

/// Lengths of wrapped lines differ by a word.
const MAX_DIFFERENCE: usize = 25;

/// Signs that end a sentence, or a line that something follows.
const ENDS: [char; 7] = ['.', '!', '?', '…', ':', ';', '|'];

/// Makes breaks within sentences wraps.
pub(super) fn join_lines(source: &str, items: &mut [Item], language: Language) {
    let mut breaks = Vec::new();
    let mut lines = vec![String::new()];
    for (index, item) in items.iter().enumerate() {
        let line = lines.last_mut().expect("there is always one");
        match item {
            Item::Text(range) => line.push_str(&decode(&source[range.clone()])),
            Item::Object(_, Kind::Break) => {
                breaks.push(index);
                lines.push(String::new());
            }
            Item::Object(_, Kind::Blank | Kind::Wrap) => line.push(' '),
            // A letter, as in the text.
            Item::Object(_, Kind::Word) => line.push('x'),
            Item::Object(..) | Item::Open(_) | Item::Close(_) => {}
        }
    }
    if breaks.is_empty() {
        return;
    }
    let lines: Vec<String> = lines.iter().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    let are_wrapped = are_wrapped(&lines);
    for (pair, index) in lines.windows(2).zip(breaks) {
        if (are_wrapped || goes_on(&pair[0], &pair[1], language))
            && !pair[0].is_empty()
            && !pair[1].is_empty()
            && !ends_sentence(&pair[0])
            && let Item::Object(_, kind) = &mut items[index]
        {
            *kind = Kind::Wrap;
        }
    }
}

fn ends_sentence(line: &str) -> bool {
    line.trim_end_matches(['"', '\'', '”', '’', '“', ')', ']']).ends_with(ENDS)
}

/// Whether a text was broken into lines of about equal length.
fn are_wrapped(lines: &[String]) -> bool {
    let lengths = || lines[..lines.len() - 1].iter().map(|line| line.chars().count());
    let (shortest, longest) = (lengths().min().unwrap_or(0), lengths().max().unwrap_or(0));
    let open = lines[..lines.len() - 1].iter().filter(|line| !ends_sentence(line)).count();
    WRAPPED.contains(&shortest)
        && WRAPPED.contains(&longest)
        && longest - shortest <= MAX_DIFFERENCE
        && open * 2 >= lines.len() - 1
        && !lines.iter().any(|line| is_item(line))
}

/// Whether a line is one of a list.
fn is_item(line: &str) -> bool {
    let mark = line.split(' ').next().unwrap_or_default();
    let number = mark.strip_suffix(['.', ')']).unwrap_or_default();
    matches!(mark, "-" | "*" | "•" | "–" | "—" | ">" | "#")
        || !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a sentence that is not at its end clearly goes on in the next line.
fn goes_on(line: &str, next: &str, language: Language) -> bool {
    let FunctionWords { articles, prepositions, conjunctions } = language.function_words;
    let last = line.rsplit(' ').next().unwrap_or_default();
    let words = line.split(' ').count();
    let is_open = words > 2 && [articles, prepositions, conjunctions].iter().any(|list| list.contains(last));
    let is_long = line.chars().count() >= SHORTEST && words >= FEWEST_WORDS;
    let starts_small = next.trim_start_matches(['"', '\'', '“', '„', '(']).starts_with(char::is_lowercase);
    is_open || is_long && starts_small && line.ends_with(char::is_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wraps(html: &str) -> Vec<bool> {
        let mut items = Vec::new();
        let mut at = 0;
        for line in html.split("<br>") {
            if at > 0 {
                items.push(Item::Object(at - 4..at, Kind::Break));
            }
            items.push(Item::Text(at..at + line.len()));
            at += line.len() + 4;
        }
        join_lines(html, &mut items, Language::ENGLISH);
        let breaks = items.iter().filter_map(|item| if let Item::Object(_, kind) = item { Some(*kind) } else { None });
        breaks.map(|kind| kind == Kind::Wrap).collect()
    }

    #[test]
    fn sentences_go_on_after_breaks_and_lines_of_poems_and_addresses_do_not() {
        for (html, expected) in [
            ("Peter Smith<br>12 High Street<br>London", vec![false, false]),
            ("Peter Smith<br>c/o the old mill<br>London", vec![false, false]),
            ("The rose is red,<br>the violet is blue,<br>and so are you.", vec![false, false]),
            ("one two<br>three four", vec![false]),
            ("Our shop is closed this week<br>from Monday to Friday.", vec![true]),
            ("Our shop is closed this week.<br>from Monday to Friday.", vec![false]),
            ("Our shop is closed this week<br><br>from Monday to Friday.", vec![false, false]),
            ("Welcome to the<br>United Kingdom", vec![true]),
            (
                "The bridge over the river was built long before the first<br>Germans came into the valley, and nobody knows now who the<br>builders were.",
                vec![true, true],
            ),
            (
                "- The bridge over the river was built long before the first<br>- Germans came into the valley, and nobody knows now",
                vec![false],
            ),
        ] {
            assert_eq!(wraps(html), expected, "{html}");
        }
    }
}

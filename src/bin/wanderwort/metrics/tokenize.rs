//! Words as BLEU counts them: the tokenizer of NIST's `mteval-v13a`, in sacreBLEU's form ("13a").

use super::is_space;

/// Splits a segment into words and punctuation.
///
/// Symbols stand alone; full stops and commas do unless they are between digits; hyphens do after a digit.
pub fn tokenize_13a(segment: &str) -> Vec<String> {
    let segment = segment.trim_end_matches(is_space).replace("<skipped>", "").replace("-\n", "").replace('\n', " ");
    let segment = segment.replace("&quot;", "\"").replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">");

    // The spaces at both ends let the rules on pairs see the borders.
    let mut text = Vec::with_capacity(segment.len() * 2 + 2);
    text.push(' ');
    for c in segment.chars() {
        if is_symbol(c) { text.extend([' ', c, ' ']) } else { text.push(c) }
    }
    text.push(' ');

    // The rules apply one after the other, each to the result of the one before.
    let text = replace_pairs(&text, |a, b| (!a.is_ascii_digit() && is_point(b)).then_some([a, ' ', b, ' ']));
    let text = replace_pairs(&text, |a, b| (is_point(a) && !b.is_ascii_digit()).then_some([' ', a, ' ', b]));
    let text = replace_pairs(&text, |a, b| (a.is_ascii_digit() && b == '-').then_some([a, ' ', b, ' ']));
    text.split(|&c| is_space(c)).filter(|word| !word.is_empty()).map(|word| word.iter().collect()).collect()
}

/// ASCII punctuation except apostrophe, hyphen, comma and full stop.
fn is_symbol(c: char) -> bool {
    c.is_ascii_punctuation() && !matches!(c, '\'' | '-' | ',' | '.')
}

fn is_point(c: char) -> bool {
    matches!(c, '.' | ',')
}

/// Replaces pairs of neighbours from left to right; a character belongs to at most one pair.
fn replace_pairs(text: &[char], rule: impl Fn(char, char) -> Option<[char; 4]>) -> Vec<char> {
    let mut out = Vec::with_capacity(text.len() * 2);
    let mut rest = text;
    while let [first, tail @ ..] = rest {
        match tail.first().and_then(|&second| rule(*first, second)) {
            Some(replacement) => {
                out.extend(replacement);
                rest = &tail[1..];
            }
            None => {
                out.push(*first);
                rest = tail;
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::tokenize_13a;

    #[test]
    fn splits_as_mteval_does() {
        for (segment, words) in [
            ("", ""),
            ("  \u{1c}\t ", ""),
            ("Hello, world!", "Hello , world !"),
            ("3,141.59 or .5", "3,141.59 or . 5"),
            ("1.", "1 ."),
            ("a..b", "a . . b"),
            ("the 1990-1995 well-known", "the 1990 - 1995 well-known"),
            ("don't [x]{y}", "don't [ x ] { y }"),
            ("R&amp;D &quot;q&quot;", "R & D \" q \""),
            ("„Größe“ 5 %", "„Größe“ 5 %"),
        ] {
            assert_eq!(tokenize_13a(segment).join(" "), words, "{segment:?}");
        }
    }
}

//! Repeated exclamation and question marks: "Hello!!!", "Really?!".
//!
//! Edited text has none, so models have hardly seen them, and what they make of the words before them suffers. The model gets one mark,
//! the question mark where there is one, and its translation of that mark becomes what stood there.

use std::ops::Range;

use super::marks;
use super::restore::Restored;

/// The text with one mark for each run, spaces in place of the others, so that every character keeps its place; none if it has no run.
/// `verbatim` are ranges that stay.
pub fn calm(text: &str, verbatim: &[Range<usize>]) -> Option<String> {
    let mut calmed = text.to_owned();
    let mut found = false;
    for run in runs(text, verbatim) {
        let mut marks = kept(&text[run.clone()]).to_string();
        marks.extend(std::iter::repeat_n(' ', run.len() - 1));
        calmed.replace_range(run, &marks);
        found = true;
    }
    found.then_some(calmed)
}

/// Where the translation has the mark that stands for a run of the source, makes it that run.
pub fn repair(source: &str, verbatim: &[Range<usize>], restored: &mut Restored) {
    for run in runs(source, verbatim) {
        let text = &source[run.clone()];
        let mark = kept(text);
        let ends_in_mark = |range: &Range<usize>| restored.text[range.clone()].ends_with(mark);
        let from_run = |range: &Range<usize>| range.start < run.end && run.start < range.end;
        let tokens = restored.tokens.iter().rev();
        let aligned = tokens.clone().find(|token| from_run(&token.source) && ends_in_mark(&token.target));
        // Both sentences end in it, whatever it is aligned to.
        let last = tokens.clone().find(|token| !restored.text[token.target.clone()].trim().is_empty());
        let last = last.filter(|token| source[run.end..].trim().is_empty() && ends_in_mark(&token.target));
        let Some(end) = aligned.or(last).map(|token| token.target.end) else { continue };
        let start = end - mark.len_utf8();
        let alone = !restored.text[..start].ends_with(is_mark) && !restored.text[end..].starts_with(is_mark);
        if alone && let Some((before, after)) = text.split_once(mark) {
            if !after.is_empty() {
                marks::insert(restored, end, false, after, run.end);
            }
            if !before.is_empty() {
                marks::insert(restored, start, true, before, run.start);
            }
        }
    }
}

fn is_mark(c: char) -> bool {
    matches!(c, '!' | '?')
}

/// The mark that stands for a run.
fn kept(run: &str) -> char {
    if run.contains('?') { '?' } else { '!' }
}

/// Runs of two marks or more behind a word and before a space or the end.
fn runs<'a>(text: &'a str, verbatim: &'a [Range<usize>]) -> impl Iterator<Item = Range<usize>> + 'a {
    let mut end = 0;
    std::iter::from_fn(move || {
        let start = end + text[end..].find(is_mark)?;
        let rest = &text[start..];
        end = start + rest.find(|c| !is_mark(c)).unwrap_or(rest.len());
        Some(start..end)
    })
    .filter(|run| run.len() > 1)
    .filter(|run| text[..run.start].ends_with(char::is_alphanumeric))
    .filter(|run| text[run.end..].chars().next().is_none_or(char::is_whitespace))
    .filter(|run| verbatim.iter().all(|kept| kept.end <= run.start || run.end <= kept.start))
}

#[cfg(test)]
mod tests {
    use super::super::restore::RestoredToken;
    use super::*;
    use std::slice;

    #[test]
    fn one_mark_is_left_of_each_run() {
        for (text, expected) in [
            ("Hello!!!", Some("Hello!  ")),
            ("Really?! Yes!", Some("Really?  Yes!")),
            ("What!? No!!", Some("What?  No! ")),
            ("Hello!", None),
            ("a !! b", None),
            ("x!!y", None),
            ("(what?!)", None),
            ("?!", None),
            ("", None),
        ] {
            assert_eq!(calm(text, &[]).as_deref(), expected, "{text}");
        }
        assert_eq!(calm("see Yahoo!! now", slice::from_ref(&(4..11))), None);
    }

    /// A translation whose tokens are the given parts, each with its source.
    fn restored(tokens: &[(&str, Range<usize>)]) -> Restored {
        let mut restored = Restored::default();
        for (index, (text, source)) in tokens.iter().enumerate() {
            let start = restored.text.len();
            restored.text.push_str(text);
            let target = start..restored.text.len();
            restored.tokens.push(RestoredToken { target, source: source.clone(), id: Some(index) });
        }
        restored
    }

    #[test]
    fn the_run_comes_back_where_its_mark_is() {
        for (source, tokens, expected) in [
            ("Hello!!!", vec![("Hallo", 0..5), ("!", 5..8)], "Hallo!!!"),
            ("Really?!", vec![("Wirklich?", 0..6)], "Wirklich?!"),
            ("What!? No", vec![("Was", 0..4), ("?", 4..6), (" Nein", 7..9)], "Was!? Nein"),
            ("Oh!! Stop!!", vec![("Oh", 0..2), ("!", 2..4), (" Halt", 5..9), ("!", 9..11)], "Oh!! Halt!!"),
            // The model wrote something else, or the run itself.
            ("Hello!!!", vec![("Hallo", 0..5), (".", 5..8)], "Hallo."),
            ("Hello!!!", vec![("Hallo", 0..5), ("!!", 5..8)], "Hallo!!"),
            ("Hello!! You", vec![("Hallo", 0..5), (" du", 8..11), ("!", 8..11)], "Hallo du!"),
        ] {
            let mut found = restored(&tokens);
            repair(source, &[], &mut found);
            assert_eq!(found.text, expected);
            let mut end = 0;
            for token in &found.tokens {
                assert_eq!(token.target.start, end, "tokens cover {expected:?}");
                end = token.target.end;
            }
            assert_eq!(end, found.text.len());
        }
    }
}

//! Repeated exclamation and question marks: "Hello!!!", "Really?!".
//!
//! Edited text has none, so models have hardly seen them, and their translation of the words before them suffers. The model gets one mark,
//! the question mark where there is one, and its translation of that mark becomes what stood there.

use std::ops::Range;

use super::draft::{Draft, Side};
use super::{Preparation, Sentence};
use crate::text::link::overlap;

/// Gives the model one mark for each run.
pub fn prepare(preparation: &mut Preparation) {
    let kept = preparation.kept_ranges();
    for run in runs(preparation.source, &kept) {
        let mark = kept_mark(&preparation.source[run.clone()]);
        preparation.substitutions.add(run, mark);
    }
}

/// Turns the mark that stands for a run of the source into that run, where the translation has it.
pub fn repair(sentence: &Sentence, draft: &mut Draft) {
    put_back(sentence.source, &sentence.plan.kept_ranges(), draft);
}

fn put_back(source: &str, kept: &[Range<usize>], draft: &mut Draft) {
    for run in runs(source, kept) {
        let text = &source[run.clone()];
        let mark = kept_mark(text);
        let ends_in_mark = |range: &Range<usize>| draft.text()[range.clone()].ends_with(mark);
        let tokens = draft.tokens().iter().map(|token| &token.link).rev();
        let aligned = tokens.clone().find(|link| overlap(&link.source, &run) && ends_in_mark(&link.target));
        // Both sentences end in it, whatever it is aligned to.
        let last = tokens.clone().find(|link| !draft.text()[link.target.clone()].trim().is_empty());
        let last = last.filter(|link| source[run.end..].trim().is_empty() && ends_in_mark(&link.target));
        let Some(end) = aligned.or(last).map(|link| link.target.end) else { continue };
        let start = end - mark.len();
        let alone = !draft.text()[..start].ends_with(is_mark) && !draft.text()[end..].starts_with(is_mark);
        if alone && let Some((before, after)) = text.split_once(mark) {
            if !after.is_empty() {
                draft.insert(end, Side::Before, after, run.end);
            }
            if !before.is_empty() {
                draft.insert(start, Side::After, before, run.start);
            }
        }
    }
}

fn is_mark(c: char) -> bool {
    matches!(c, '!' | '?')
}

/// The mark that stands for a run.
fn kept_mark(run: &str) -> &'static str {
    if run.contains('?') { "?" } else { "!" }
}

/// Runs of two or more marks after a word and before a space or the end.
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
    use super::*;
    use std::slice;

    #[test]
    fn runs_stand_behind_words() {
        for (text, expected) in [
            ("Hello!!!", &["!!!"][..]),
            ("Really?! Yes!", &["?!"]),
            ("What!? No!!", &["!?", "!!"]),
            ("Hello!", &[]),
            ("a !! b", &[]),
            ("x!!y", &[]),
            ("(what?!)", &[]),
            ("?!", &[]),
            ("", &[]),
        ] {
            assert_eq!(runs(text, &[]).map(|run| &text[run]).collect::<Vec<_>>(), expected, "{text}");
        }
        assert_eq!(runs("see Yahoo!! now", slice::from_ref(&(4..11))).count(), 0);
    }

    /// A translation whose tokens are the given parts, each with its source.
    fn draft(tokens: &[(&str, Range<usize>)]) -> Draft {
        let mut draft = Draft::default();
        for (index, (text, source)) in tokens.iter().enumerate() {
            draft.push(false, text, source.clone(), Some(index));
        }
        draft
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
            let mut found = draft(&tokens);
            put_back(source, &[], &mut found);
            assert_eq!(found.tiled(source), expected);
        }
    }
}

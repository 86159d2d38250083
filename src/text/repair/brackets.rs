//! Brackets around what must stay as it is.
//!
//! Behind an address that ends in a bracket, a model easily forgets the one that closes what the address stands in:
//! `(https://example.org/Tree_(botany))`.

use super::Sentence;
use super::draft::{Draft, Edit};
use std::ops::Range;

const PAIRS: [(char, char); 4] = [('(', ')'), ('[', ']'), ('{', '}'), ('<', '>')];

/// How many more brackets open than close.
fn open(text: &str, (opening, closing): (char, char)) -> isize {
    text.matches(opening).count() as isize - text.matches(closing).count() as isize
}

/// Closes, or opens, brackets directly around what must come through that the draft has only on the other side.
pub fn repair(sentence: &Sentence, draft: &mut Draft) {
    balance(sentence.source, &sentence.plan.kept_ranges(), draft);
}

fn balance(source: &str, verbatim: &[Range<usize>], draft: &mut Draft) {
    if verbatim.is_empty() {
        return;
    }
    for pair in PAIRS {
        let mut repairs = Vec::new();
        // What is missing is either closing ones or opening ones; what is in balance may stand elsewhere.
        let surplus = open(draft.text(), pair) - open(source, pair);
        if surplus == 0 {
            continue;
        }
        for span in verbatim {
            let encloses = |text: &str, range: &Range<usize>| {
                (text[..range.start].ends_with(pair.0), text[range.end..].starts_with(pair.1))
            };
            if encloses(source, span) != (true, true) {
                continue;
            }
            let found = draft.text().match_indices(&source[span.clone()]);
            for place in found.map(|(start, text)| start..start + text.len()) {
                match encloses(draft.text(), &place) {
                    (true, false) if surplus > 0 => {
                        let range = place.end..place.end;
                        repairs.push(Edit { range, text: pair.1.to_string(), source: span.end..span.end + 1 });
                    }
                    (false, true) if surplus < 0 => {
                        let range = place.start..place.start;
                        repairs.push(Edit { range, text: pair.0.to_string(), source: span.start - 1..span.start });
                    }
                    _ => {}
                }
            }
        }
        // Where two spans are the same text.
        repairs.sort_by_key(|edit: &Edit| edit.range.start);
        repairs.dedup_by(|a, b| a.range == b.range);
        repairs.truncate(surplus.unsigned_abs());
        draft.replace_all(repairs);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repaired(source: &str, verbatim: &str, translation: &[(&str, &str)]) -> String {
        let spans: Vec<_> = source.match_indices(verbatim).map(|(start, text)| start..start + text.len()).collect();
        let mut draft = Draft::aligned(source, translation);
        balance(source, &spans, &mut draft);
        draft.tiled(source)
    }

    #[test]
    fn lost_brackets_come_back() {
        let source = "Read on (http://a.org/T_(b)) or [here].";
        let link = "http://a.org/T_(b)";
        let found =
            repaired(source, link, &[("Lies ", "Read"), ("(http://a.org/T_(b)", link), (" oder [hier].", "here")]);
        assert_eq!(found, "Lies (http://a.org/T_(b)) oder [hier].");
        let found =
            repaired(source, link, &[("Lies ", "Read"), ("http://a.org/T_(b))", link), (" oder [hier].", "here")]);
        assert_eq!(found, "Lies (http://a.org/T_(b)) oder [hier].");
    }

    #[test]
    fn brackets_that_stand_elsewhere_stay() {
        for (source, translation) in [
            ("See (%s) now", "(Siehe %s) jetzt"),
            ("See (%s) now", "Siehe %s jetzt"),
            ("See (%s) now", "Siehe (%s) jetzt"),
            ("See %s now", "Siehe (%s jetzt"),
        ] {
            assert_eq!(repaired(source, "%s", &[(translation, source)]), translation, "{source}");
        }
    }
}

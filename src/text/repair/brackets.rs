//! Brackets around what must stay as it is, and around a word's ending.
//!
//! After an address that ends in a bracket, a model easily forgets the one that closes what the address stands in:
//! `(https://example.org/Tree_(botany))`. It may turn "Item(s)" into "Elemente)".

use super::Sentence;
use super::draft::{Draft, Edit};
use std::ops::Range;

const PAIRS: [(char, char); 4] = [('(', ')'), ('[', ']'), ('{', '}'), ('<', '>')];

/// How many more brackets open than close.
fn open(text: &str, (opening, closing): (char, char)) -> isize {
    text.matches(opening).count() as isize - text.matches(closing).count() as isize
}

/// Closes, or opens, brackets directly around what must come through, where the draft has only the other one.
pub fn repair(sentence: &Sentence, draft: &mut Draft) {
    balance(sentence.source, &sentence.plan.kept_ranges(), draft);
    drop_halves(sentence.source, draft);
}

/// Takes out closing brackets after a letter that nothing opens, where the source has brackets around a word's ending.
fn drop_halves(source: &str, draft: &mut Draft) {
    let glued = |(at, _): (usize, &str)| source[..at].ends_with(char::is_alphabetic);
    if open(source, ('(', ')')) != 0 || !source.match_indices('(').any(glued) {
        return;
    }
    let mut depth = 0;
    let mut halves = Vec::new();
    for (at, sign) in draft.text().match_indices(['(', ')']) {
        depth += if sign == "(" { 1 } else { -1 };
        if depth < 0 {
            depth = 0;
            if draft.text()[..at].ends_with(char::is_alphabetic) && !draft.is_kept(&(at..at + 1)) {
                halves.push(at..at + 1);
            }
        }
    }
    for half in halves.into_iter().rev() {
        draft.replace(half, "", None);
    }
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
    fn no_half_of_a_pair_is_left() {
        let source = "Item(s) and file(s) were found.";
        for (translation, expected) in [
            ("Elemente) und Datei(en) wurden gefunden.", "Elemente und Datei(en) wurden gefunden."),
            ("Element(e) und Datei(en) wurden gefunden.", "Element(e) und Datei(en) wurden gefunden."),
        ] {
            let mut draft = Draft::aligned(source, &[(translation, source)]);
            drop_halves(source, &mut draft);
            assert_eq!(draft.text(), expected);
        }
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

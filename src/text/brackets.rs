//! Brackets around what must stay as it is.
//!
//! Behind an address that ends in a bracket, a model easily forgets the one that closes what the address stands in:
//! `(https://example.org/Tree_(botany))`.

use super::restore::Restored;
use std::ops::Range;

const PAIRS: [(char, char); 4] = [('(', ')'), ('[', ']'), ('{', '}'), ('<', '>')];

/// How many more brackets open than close.
fn open(text: &str, (opening, closing): (char, char)) -> isize {
    text.matches(opening).count() as isize - text.matches(closing).count() as isize
}

/// Closes, or opens, brackets directly around the `verbatim` ranges of `source` that `restored`, its translation, has only on the other side.
pub fn repair(source: &str, verbatim: &[Range<usize>], restored: &mut Restored) {
    if verbatim.is_empty() {
        return;
    }
    for pair in PAIRS {
        let mut repairs = Vec::new();
        // What is missing is either closing ones or opening ones; what is in balance may stand elsewhere.
        let surplus = open(&restored.text, pair) - open(source, pair);
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
            let found = restored.text.match_indices(&source[span.clone()]);
            for place in found.map(|(start, text)| start..start + text.len()) {
                match encloses(&restored.text, &place) {
                    (true, false) if surplus > 0 => {
                        repairs.push((place.end..place.end, pair.1.to_string(), span.end..span.end + 1));
                    }
                    (false, true) if surplus < 0 => {
                        repairs.push((place.start..place.start, pair.0.to_string(), span.start - 1..span.start));
                    }
                    _ => {}
                }
            }
        }
        // Where two spans are the same text.
        repairs.sort_by_key(|(place, ..): &(Range<usize>, String, Range<usize>)| place.start);
        repairs.dedup_by(|a, b| a.0 == b.0);
        repairs.truncate(surplus.unsigned_abs());
        restored.splice_all(repairs);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repaired(source: &str, verbatim: &str, translation: &[(&str, &str)]) -> String {
        let spans: Vec<_> = source.match_indices(verbatim).map(|(start, text)| start..start + text.len()).collect();
        let mut restored = Restored::aligned(source, translation);
        repair(source, &spans, &mut restored);
        restored.tiled(source)
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

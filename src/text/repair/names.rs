//! Names that lost letters on their way into a translation.
//!
//! A model spells a name that it has hardly ever seen piece by piece, and a small one now and then skips a piece or puts one in: "Kokkinakis"
//! becomes "Kokinakis", "Herlitschke" "Herlitsch", or it loses the marks of letters: "Öztürk" becomes "Oztürk". If such a word of the source is
//! missing in the translation, and a word aligned to it is the same except for letters left out or put in, or except for its marks, that word is
//! replaced by the source's own: [`repair`].
//!
//! Other differences stay, since many names have a form of their own in another language: "Slovenia" is "Slowenien" in German, and the
//! letters of the one do not make up the other; the few where they do ("Luxemburg") are lost. Nor are words touched that the vocabulary
//! knows, since the model has learnt to translate these: those of fewer than four pieces, and those of fewer in lower case, as "Frequently"
//! at the start of a sentence.
//!
//! Of several initials, one is easily lost: "J. R. R. Tolkien" became "J. R. Tolkien". They come through as they are: [`prepare`].

use std::ops::Range;

use super::draft::{Draft, Edit};
use super::verbatim::is_mark;
use super::{Kept, Preparation, Sentence};
use crate::text::language::Language;
use crate::text::link::overlap;
use crate::text::vocab::Vocabulary;

/// A word of this many pieces is one that the model has hardly seen.
const RARE: usize = 4;
/// Letters of the shortest name that is looked for; shorter ones are like too many words.
const SHORTEST: usize = 5;

/// Keeps initials, where both languages write names in Latin letters.
pub fn prepare(preparation: &mut Preparation) {
    let languages = [preparation.context.source_language, preparation.context.target_language];
    if languages.iter().all(|language| language.script.has('a')) {
        for initials in initials(preparation.source, languages[0]) {
            preparation.keep(Kept::exactly(initials));
        }
    }
}

/// What is abbreviated with capitals and stands before names, and what other languages abbreviate differently.
const NO_INITIALS: [&str; 10] =
    ["U. S.", "U. S. A.", "U. K.", "U. N.", "E. U.", "B. C.", "A. D.", "B. C. E.", "C. E.", "P. S."];

/// Two or more capitals, each followed by a full stop, before a name.
fn initials(source: &str, language: Language) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut run: Option<(Range<usize>, usize)> = None;
    for word in source.split([' ', '\u{a0}']).filter(|word| !word.is_empty()) {
        let start = word.as_ptr() as usize - source.as_ptr() as usize;
        let letter =
            word.strip_suffix('.').and_then(|letter| letter.chars().next().filter(|c| letter.len() == c.len_utf8()));
        if letter.is_some_and(char::is_uppercase) {
            let (range, count) = run
                .take()
                .filter(|(range, _)| source[range.end..start].chars().count() == 1)
                .unwrap_or((start..start, 0));
            run = Some((range.start..start + word.len(), count + 1));
        } else if let Some((range, count)) = run.take()
            && count > 1
            && is_name(word.trim_end_matches(|c: char| !c.is_alphabetic()))
            && !source[..range.start].trim_end().ends_with(|c: char| c.is_ascii_digit())
            && !is_abbreviation(&source[range.clone()], language)
        {
            found.push(range);
        }
    }
    found
}

fn is_abbreviation(capitals: &str, language: Language) -> bool {
    let capitals = capitals.replace('\u{a0}', " ");
    let spaced = language.abbreviations.spaced.iter();
    NO_INITIALS.contains(&&*capitals) || spaced.into_iter().any(|known| known.to_uppercase() == capitals)
}

/// Puts right the names in a draft.
pub fn repair(sentence: &Sentence, draft: &mut Draft) {
    let (source, pieces) = (sentence.source, &sentence.plan.pieces[..]);
    let (vocabulary, verbatim) = (sentence.context.source_vocabulary, sentence.plan.kept_ranges());

    let originals: Vec<_> = words(source).collect();
    let mut repairs: Vec<Edit> = Vec::new();
    for range in &originals {
        let name = &source[range.clone()];
        let touches = |other: Range<usize>| overlap(&other, range);
        let spelled = pieces.iter().filter(|piece| touches(piece.range())).count();
        if spelled < RARE || !is_name(name) || verbatim.iter().cloned().any(touches) {
            continue;
        }
        let is_original = |word: &str| originals.iter().any(|original| source[original.clone()] == *word);
        let translations = || words(draft.text()).filter(|target| draft.is_aligned(target, range));
        if translations().any(|target| draft.text()[target].starts_with(name)) {
            continue;
        }
        let respelled = translations().find_map(|target| {
            let word = &draft.text()[target.clone()];
            // The first word of a sentence may be any.
            let is_first = !source[..range.start].contains(char::is_alphanumeric);
            let ending = ending(word, name, !is_first)?;
            (!is_original(word)).then(|| (target, format!("{name}{ending}")))
        });
        if let Some((target, corrected)) = respelled
            && spelled <= spelled_in_lower_case(name, vocabulary)
            && repairs.iter().all(|edit| edit.range != target)
        {
            repairs.push(Edit { range: target, text: corrected, source: range.clone() });
        }
    }
    draft.replace_all(repairs);
}

/// Whether a word may be a name: a capital first, and not only capitals.
fn is_name(word: &str) -> bool {
    word.starts_with(char::is_uppercase) && word.contains(char::is_lowercase) && word.chars().count() >= SHORTEST
}

fn spelled_in_lower_case(name: &str, vocabulary: &Vocabulary) -> usize {
    let mut pieces = Vec::new();
    vocabulary.encode(&name.to_lowercase(), &mut pieces);
    pieces.len()
}

/// If a word is a name with letters left out or put in, or, with `marks`, a name except for its marks: what ending of its own it has, the s
/// of a genitive or none.
fn ending<'a>(word: &'a str, name: &str, marks: bool) -> Option<&'a str> {
    // A plural is not a misspelling: "asteroids" for "Asteroiden", "Barometer" for "Barometers".
    let is_plural = |word: &str| {
        let rest = name.to_lowercase().strip_prefix(&word.to_lowercase()).map(str::to_owned);
        rest.is_some_and(|rest| matches!(&*rest, "s" | "n" | "en" | "er" | "e" | "es"))
    };
    let is_it = |word: &str| {
        word.starts_with(char::is_uppercase) && is_respelled(word, name) && !is_plural(word)
            || marks && lacks_marks(word, name)
    };
    if is_it(word) {
        return Some("");
    }
    let stem = word.strip_suffix('s').filter(|stem| !name.ends_with('s') && is_it(stem))?;
    Some(&word[stem.len()..])
}

/// Whether a capitalized word is a name except for the marks of its letters. Without a capital it is a word that the target language has, such
/// as "doppelganger".
fn lacks_marks(word: &str, name: &str) -> bool {
    let letters = |text: &str| {
        text.chars().flat_map(char::to_lowercase).map(unmarked).filter(|&c| !is_mark(c)).collect::<String>()
    };
    word.starts_with(char::is_uppercase) && letters(word) == letters(name)
}

/// Whether one has all letters of the other in order, with the same first one; at least six of ten. A word that is longer ends as the name
/// does, since what is added after it is an ending that the target language asks for.
fn is_respelled(word: &str, name: &str) -> bool {
    let letters = |text: &str| text.chars().flat_map(char::to_lowercase).collect::<Vec<_>>();
    let (is_longer, word, name) = (word.len() > name.len(), letters(word), letters(name));
    let (short, long) = if is_longer { (&name, &word) } else { (&word, &name) };
    let mut rest = long.iter();
    word.first() == name.first()
        && (!is_longer || word.last() == name.last())
        && short.len() * 10 >= long.len() * 6
        && short.iter().all(|letter| rest.any(|other| other == letter))
}

/// A lower-case Latin letter without its marks.
#[rustfmt::skip]
fn unmarked(c: char) -> char {
    match c {
        'à'..='å' | 'ā' | 'ă' | 'ą' => 'a',
        'ç' | 'ć' | 'ĉ' | 'ċ' | 'č' => 'c',
        'ď' | 'đ' => 'd',
        'è'..='ë' | 'ē' | 'ĕ' | 'ė' | 'ę' | 'ě' => 'e',
        'ĝ' | 'ğ' | 'ġ' | 'ģ' => 'g',
        'ì'..='ï' | 'ĩ' | 'ī' | 'ĭ' | 'į' | 'ı' => 'i',
        'ķ' => 'k',
        'ĺ' | 'ļ' | 'ľ' | 'ł' => 'l',
        'ñ' | 'ń' | 'ņ' | 'ň' => 'n',
        'ò'..='ö' | 'ø' | 'ō' | 'ŏ' | 'ő' => 'o',
        'ŕ' | 'ŗ' | 'ř' => 'r',
        'ś' | 'ŝ' | 'ş' | 'š' | 'ș' => 's',
        'ţ' | 'ť' | 'ț' => 't',
        'ù'..='ü' | 'ũ' | 'ū' | 'ŭ' | 'ů' | 'ű' | 'ų' => 'u',
        'ŵ' => 'w',
        'ý' | 'ÿ' | 'ŷ' => 'y',
        'ź' | 'ż' | 'ž' => 'z',
        _ => c,
    }
}

/// Of the runs of letters and digits, those that are all letters.
fn words(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut end = 0;
    std::iter::from_fn(move || {
        let start = end + text[end..].find(char::is_alphanumeric)?;
        let rest = &text[start..];
        end = start + rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
        Some(start..end)
    })
    .filter(|range| text[range.clone()].chars().all(char::is_alphabetic))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_may_be_left_out_or_put_in() {
        for (word, name, expected) in [
            ("Kokinakis", "Kokkinakis", Some("")),
            ("Herlitsch", "Herlitschke", Some("")),
            ("Ringff", "Ringstorff", Some("")),
            ("Leickhiker", "Lickhiker", Some("")),
            ("Mcewan", "McEwan", Some("")),
            ("Krumhörns", "Krummhörn", Some("s")),
            ("Oztürk", "Öztürk", Some("")),
            ("Ibrahimoglu", "İbrahimoğlu", Some("")),
            ("doppelganger", "Doppelgänger", None),
            ("Munchhausens", "Münchhausen", Some("s")),
            // Forms of the target language.
            ("Slowenien", "Slovenia", None),
            ("Napoleonischen", "Napoleonic", None),
            ("Philippinen", "Philippines", None),
            // Other words.
            ("Finn", "Finnish", None),
            ("baker", "Bäcker", None),
            ("Saxophonists", "Saxophonisten", None),
            ("Barometer", "Barometers", None),
            ("alligators", "Alligatoren", None),
            ("Opa", "Europa", None),
            ("Weshu", "Honshu", None),
            ("K", "Kokkinakis", None),
        ] {
            assert_eq!(ending(word, name, true), expected, "{word} for {name}");
        }
    }

    #[test]
    fn initials_stand_in_front_of_names() {
        for (text, expected) in [
            ("J. R. R. Tolkien lehrte, E.\u{a0}T. A. Hoffmann schrieb.", vec!["J. R. R.", "E.\u{a0}T. A."]),
            ("the U. S. Senate, z. B. Tolkien, J. Tolkien", vec![]),
            ("Vitamin C. D. ist da.", vec![]),
            ("Z. B. Kinder; In 44 B. C. Caesar; the U. N. Charter; 12 A. B. Meier", vec![]),
            ("A. B.", vec![]),
        ] {
            assert_eq!(
                initials(text, Language::GERMAN).into_iter().map(|range| &text[range]).collect::<Vec<_>>(),
                expected,
                "{text}"
            );
        }
    }

    #[test]
    fn a_name_has_a_capital_first_and_small_letters() {
        for (word, expected) in [
            ("Kokkinakis", true),
            ("McEwan", true),
            ("Łódźka", true),
            ("iPhone", false),
            ("NATO", false),
            ("UNESCO", false),
            ("Anna", false),
            ("köln", false),
        ] {
            assert_eq!(is_name(word), expected, "{word}");
        }
    }

    #[test]
    fn words_are_runs_of_letters() {
        let found = |text| words(text).map(|range| &text[range]).collect::<Vec<&str>>();
        assert_eq!(found("Wilsher-Ailments, 3rd B2B (Øst)."), ["Wilsher", "Ailments", "Øst"]);
        assert_eq!(found("1 + 2"), Vec::<&str>::new());
        assert_eq!(found(""), Vec::<&str>::new());
    }
}

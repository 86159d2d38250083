//! Signs that the model has not learned to say.
//!
//! A vocabulary has more signs than its model has learned: "≤" and "©" are pieces of their own, and in place of one, a small model writes
//! some word that it has seen as seldom. So a sign is left to the model only if the model was found to carry it over
//! ([`Context::trusted_signs`](super::Context::trusted_signs)). What happens to any other depends on what it stands beside:
//!
//! - A currency sign at a number and signs that are much like a common one are given as that one, see [`look_alikes`].
//! - What touches a sign on both sides ("A∥B") comes through as a whole. The model reads a letter in its place.
//! - Any other is taken out and put back at the word or number that it belongs to: "≤ 60 %" is read as "60 %".

use std::ops::Range;

use super::draft::Draft;
use super::look_alikes::{self, Kind, LookAlike, number_beside};
use super::numbers::number_starting;
use super::taken_out::{self, Anchor, TakenOut, operand_after, operand_before};
use super::{Context, Kept, Preparation, Sentence};
use crate::text::language::Language;
use crate::text::segment::{is_invisible, is_picture, joins_previous};

/// The signs beyond ASCII that every model is trusted with, measured or not: quotation marks and dashes, which the target language
/// writes in its own way, and the degree sign. Taking out any other costs its sentence nothing.
pub const TRUSTED: &str = "–—‘’‚“”„…«»°";

/// Signs that are given as another one: the sign, the form, and what it does.
#[rustfmt::skip]
const LOOK_ALIKES: &[(char, &str, Kind)] = &[
    ('\u{2010}', "-", Kind::Joins), ('\u{2011}', "-", Kind::Joins), ('\u{2212}', "-", Kind::Joins), ('\u{2012}', "–", Kind::Joins), ('\u{2015}', "—", Kind::Stands),
    ('\u{2236}', ":", Kind::Stands), ('\u{2044}', "/", Kind::Stands), ('\u{2215}', "/", Kind::Stands),
    ('…', "...", Kind::Stands), ('⟨', "(", Kind::Stands),
    ('⟩', ")", Kind::Stands), ('⟦', "(", Kind::Stands), ('⟧', ")", Kind::Stands), ('〈', "(", Kind::Stands), ('〉', ")", Kind::Stands),
    ('【', "(", Kind::Stands), ('】', ")", Kind::Stands), ('（', "(", Kind::Stands), ('）', ")", Kind::Stands), ('！', "!", Kind::Stands),
    ('？', "?", Kind::Stands), ('：', ":", Kind::Stands), ('，', ",", Kind::Stands), ('；', ";", Kind::Stands),
];

/// Arrows between the parts of a path through menus, which models know with another sign: "Settings → Privacy".
const PATH_SIGNS: [char; 8] = ['→', '⇒', '➔', '➜', '⟶', '›', '▸', '►'];

/// Brackets that are given as round ones.
const BRACKETS: [(char, char); 5] = [('⟨', '⟩'), ('⟦', '⟧'), ('〈', '〉'), ('【', '】'), ('（', '）')];

/// Currency signs that most models know well, one for each other currency sign of a sentence.
const CURRENCIES: [&str; 3] = ["€", "£", "$"];

/// Plans what becomes of each sign that the model is not trusted with.
pub fn prepare(preparation: &mut Preparation) {
    let source = preparation.source;
    let mut at = 0;
    while let Some(c) = source[at..].chars().next() {
        let end = at + c.len_utf8();
        if let Some(key) = key(source, at, c) {
            preparation.release(&key);
            at = key.end;
            preparation.keep(Kept { stood_for: true, ..Kept::exactly(key) });
            continue;
        }
        if is_path_sign(source, &(at..end)) {
            preparation.release(&(at..end));
            look_alike(preparation, at..end, ">", Kind::Stands);
            at = end;
            continue;
        }
        if let Some(picture) = picture(preparation, at) {
            preparation.release(&picture);
            at = take_out(preparation, picture);
            continue;
        }
        if let Some(given) = pointed_quote(source, at, c, preparation.context.source_language) {
            if !preparation.is_kept(&(at..end)) {
                preparation.substitutions.add(at..end, given);
            }
            at = end;
            continue;
        }
        // An ellipsis is read as three stops by every normalizer, and is no other sign's look-alike.
        if c == '—' && is_between_letters(source, &(at..end)) && !preparation.is_kept(&(at..end)) {
            preparation.substitutions.add(at..end, " — ");
        }
        let own = c == '…'
            || is_doubtful(&preparation.context, c)
            || c == '°' && !is_degree(source, &(at..end))
            || c == '—' && !is_apart(source, &(at..end))
            || is_minus(source, at, c);
        let range = at..end;
        let settled = preparation.is_kept(&range) || preparation.substitutions.touch(&range);
        at = if own && !settled { sign(preparation, range, c) } else { end };
    }
}

/// Turns look-alikes back into the signs that they stand for, puts back what was taken out, and takes out question marks that ask nothing.
pub fn repair(sentence: &Sentence, draft: &mut Draft) {
    drop_question_marks(sentence, draft);
    look_alikes::give_back(sentence, draft);
    taken_out::put_back(sentence, draft, |anchor| *anchor != Anchor::Word);
}

/// Takes question marks out of the translation of a sentence that has none, except for one after its last word: a model writes them for what
/// it cannot say.
fn drop_question_marks(sentence: &Sentence, draft: &mut Draft) {
    let Context { source_language, target_language, .. } = sentence.context;
    let asks = |c: char| matches!(c, '?' | '？') || source_language.question_marks.contains(c);
    let junk = |c: char| c == '?' || target_language.question_marks.contains(c);
    if sentence.source.contains(asks) {
        return;
    }
    let text = draft.text();
    let is_last = |mark: &Range<usize>| mark.end == text.len() && text[..mark.start].ends_with(char::is_alphanumeric);
    let marks = text.match_indices(junk).map(|(at, sign)| at..at + sign.len());
    let found: Vec<Range<usize>> = marks.filter(|mark| !draft.is_kept(mark) && !is_last(mark)).collect();
    for mark in found.into_iter().rev() {
        let alone = draft.text()[..mark.start].ends_with(' ') && draft.text()[mark.end..].starts_with(' ');
        draft.replace(mark.start - usize::from(alone)..mark.end, "", None);
    }
}

/// What a pointed quotation mark is read as in English, which has others: "the word «house»".
fn pointed_quote(source: &str, at: usize, c: char, language: Language) -> Option<&'static str> {
    let quotes = language.quotes;
    if !matches!(c, '«' | '»') || quotes.open != '“' || quotes.close != '”' || language == Language::UNKNOWN {
        return None;
    }
    // One that touches no word is a sign like any other.
    let inside = |c: char| c.is_alphanumeric() || c.is_ascii_punctuation();
    match (source[..at].ends_with(inside), source[at + c.len_utf8()..].starts_with(char::is_alphanumeric)) {
        (false, true) => Some("“"),
        (true, false) => Some("”"),
        _ => None,
    }
}

/// Whether a character is a minus sign before a number.
fn is_minus(source: &str, at: usize, c: char) -> bool {
    c == '\u{2212}' && source[at + c.len_utf8()..].starts_with(|c: char| c.is_ascii_digit())
}

/// Whether a dash stands between spaces.
fn is_apart(source: &str, dash: &Range<usize>) -> bool {
    let space = |c: Option<char>| c.is_none_or(char::is_whitespace);
    space(source[..dash.start].chars().next_back()) && space(source[dash.end..].chars().next())
}

/// Whether an arrow stands between words, with spaces around it, and the next word is capitalized.
fn is_path_sign(source: &str, sign: &Range<usize>) -> bool {
    let before = source[..sign.start].strip_suffix([' ', '\u{a0}']);
    let after = source[sign.end..].strip_prefix([' ', '\u{a0}']);
    source[sign.clone()].starts_with(PATH_SIGNS)
        && before.is_some_and(|text| text.ends_with(char::is_alphanumeric))
        && after.is_some_and(|text| text.starts_with(char::is_uppercase))
}

/// Whether letters stand on both sides of a sign: "the man—my uncle—laughed".
fn is_between_letters(source: &str, sign: &Range<usize>) -> bool {
    source[..sign.start].ends_with(char::is_alphabetic) && source[sign.end..].starts_with(char::is_alphabetic)
}

/// Plans for one sign; returns where to go on.
fn sign(preparation: &mut Preparation, range: Range<usize>, c: char) -> usize {
    let source = preparation.source;
    let touches_number =
        |operand: Option<Range<usize>>| operand.is_some_and(|operand| number_starting(&source[operand]).is_some());
    if is_currency(c)
        && touches_number(operand_after(source, range.end))
        && let Some(given) = currency(preparation, &range)
    {
        look_alike(preparation, range.clone(), given, Kind::OfNumber);
        return range.end;
    }
    if matches!(c, '\u{2032}' | '\u{2033}')
        && let Some(measure) = measure(source, &range)
        && preparation.keep(Kept { stood_for: true, ..Kept::exactly(measure.clone()) })
    {
        return measure.end;
    }
    let letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let touches = (letter(source[..range.start].chars().next_back()), letter(source[range.end..].chars().next()));
    let negative = is_minus(source, range.start, c) && !touches.0;
    if negative {
        look_alike(preparation, range.clone(), "-", Kind::OfNumber);
        return range.end;
    }
    // A bracket without its other half is not a bracket to a model.
    let paired = |given: &str| match given {
        "(" | ")" => BRACKETS.iter().all(|(open, close)| source.contains(*open) == source.contains(*close)),
        _ => true,
    };
    let given =
        LOOK_ALIKES.iter().find(|(sign, _, kind)| *sign == c && (*kind != Kind::Joins || touches == (true, true)));
    if let Some(&(_, given, kind)) = given.filter(|(_, given, _)| paired(given)) {
        // A vocabulary has words between spaces, and none with a dash on either side.
        let given = if given == "—" && touches == (true, true) { " — " } else { given };
        look_alike(preparation, range.clone(), given, kind);
        return range.end;
    }
    let mut run = range;
    let more = |c: &char| is_doubtful(&preparation.context, *c) && LOOK_ALIKES.iter().all(|(sign, ..)| sign != c);
    while let Some(next) = source[run.end..].chars().next().filter(more) {
        let end = run.end + next.len_utf8();
        if preparation.is_kept(&(run.end..end)) {
            break;
        }
        run.end = end;
    }
    take_out(preparation, run)
}

/// A run of pictures at a place that is kept, but means nothing as a word: arrows, shapes and other symbols of text, and whatever touches
/// a letter or digit.
fn picture(preparation: &Preparation, at: usize) -> Option<Range<usize>> {
    let source = preparation.source;
    let range = preparation.kept().iter().map(|kept| &kept.range).find(|range| range.start == at)?;
    let text = &source[range.clone()];
    let joined = |c: char| is_picture(c) || matches!(c, '\u{200d}' | '\u{fe0e}' | '\u{fe0f}');
    let symbols = text.chars().all(|c| matches!(c, '\u{2190}'..='\u{2bff}'));
    let letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let touches = letter(source[..range.start].chars().next_back()) || letter(source[range.end..].chars().next());
    (text.chars().all(joined) && (symbols || touches)).then(|| range.clone())
}

/// Takes a run of signs out, to be put back at the word or number that it belongs to; returns where to go on.
fn take_out(preparation: &mut Preparation, run: Range<usize>) -> usize {
    let source = preparation.source;
    let touches_number =
        |operand: Option<Range<usize>>| operand.is_some_and(|operand| number_starting(&source[operand]).is_some());
    let letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let touches = (letter(source[..run.start].chars().next_back()), letter(source[run.end..].chars().next()));
    // "The ‰-sign": the sign is a word of its compound.
    let rest = &source[run.end..];
    let compound = rest.starts_with(['-', '‑']) && letter(rest.chars().nth(1)) && !touches.0;
    if compound && preparation.keep(Kept { stood_for: true, ..Kept::exactly(run.clone()) }) {
        return run.end;
    }
    if touches == (true, true) {
        let whole = chunk(source, &run);
        let end = whole.end;
        if preparation.keep(Kept { stood_for: true, ..Kept::exactly(whole) }) {
            return end;
        }
    }
    let (before, after) = (operand_before(source, run.start), operand_after(source, run.end));
    let is_number = |operand: &Option<Range<usize>>| touches_number(operand.clone());
    let anchor = match (before, after) {
        (Some(before), _) if touches.0 => Anchor::Behind(before),
        (_, Some(after)) if touches.1 || is_number(&Some(after.clone())) => Anchor::InFrontOf(after),
        (before, _) if is_number(&before) => Anchor::Behind(before.expect("it is a number")),
        (None, Some(after)) => Anchor::InFrontOf(after),
        (Some(before), _) => Anchor::Behind(before),
        (None, None) => {
            // Between other signs, or alone.
            preparation.substitutions.add(run.clone(), "");
            preparation.taken_out.push(TakenOut { range: run.clone(), anchor: Anchor::Behind(0..run.start) });
            return run.end;
        }
    };
    let range = match &anchor {
        Anchor::InFrontOf(word) => run.start..word.start,
        Anchor::Behind(word) => word.end..run.end,
        Anchor::Word => run.clone(),
    };
    if !preparation.is_kept(&range) && preparation.substitutions.add(range.clone(), "") {
        // Where there is more on both sides, the words on either side stay words.
        preparation.taken_out.push(TakenOut { range: range.clone(), anchor });
    }
    run.end.max(range.start)
}

/// An angle or length in primes, with all its numbers: 6′ 2″, 54° 11′.
fn measure(source: &str, prime: &Range<usize>) -> Option<Range<usize>> {
    let is_part = |c: char| {
        c.is_ascii_digit()
            || matches!(c, '.' | ',' | '°' | '\u{2032}' | '\u{2033}' | '\'' | '"' | ' ' | '\u{a0}' | '\u{202f}')
    };
    let before: usize =
        source[..prime.start].chars().rev().take(24).take_while(|c| is_part(*c)).map(char::len_utf8).sum();
    let after: usize = source[prime.end..].chars().take(24).take_while(|c| is_part(*c)).map(char::len_utf8).sum();
    let text = &source[prime.start - before..prime.end + after];
    // From the first digit to the last sign of a measure.
    let first = text.find(|c: char| c.is_ascii_digit()).filter(|first| *first < before)?;
    let last = text.rfind(['\u{2032}', '\u{2033}', '°'])?;
    let end = last + text[last..].chars().next().map_or(0, char::len_utf8);
    Some(prime.start - before + first..prime.start - before + end)
}

fn look_alike(preparation: &mut Preparation, range: Range<usize>, given: &'static str, kind: Kind) {
    if preparation.substitutions.add(range.clone(), given) {
        preparation.look_alikes.push(LookAlike { range, given, kind });
    }
}

/// The sign that is given for a currency sign: the first that no equal number of the sentence has, since the number tells them apart.
fn currency(preparation: &Preparation, range: &Range<usize>) -> Option<&'static str> {
    let source = preparation.source;
    let language = preparation.context.source_language;
    let number = number_beside(source, language, range);
    let same = |other: &Range<usize>| number_beside(source, language, other) == number;
    let taken = |sign: &&str| {
        let own = source.match_indices(*sign).map(|(at, sign)| at..at + sign.len());
        let mut own = own.filter(|other| other != range);
        let mut given = preparation.look_alikes.iter().filter(|other| other.given == *sign);
        own.any(|other| same(&other)) || given.any(|other| same(&other.range))
    };
    CURRENCIES.into_iter().find(|sign| !taken(sign))
}

/// Whether the degree sign stands at a number or a scale.
fn is_degree(source: &str, sign: &Range<usize>) -> bool {
    let before = source[..sign.start].trim_end_matches([' ', '\u{a0}', '\u{202f}']);
    let after = source[sign.end..].trim_start_matches([' ', '\u{a0}']);
    before.ends_with(|c: char| c.is_ascii_digit()) || after.starts_with(['C', 'F'])
}

/// The name of a key or of several pressed together: signs of keys with a letter, digit or nothing after them.
fn key(source: &str, at: usize, c: char) -> Option<Range<usize>> {
    let is_key =
        |c: &char| matches!(c, '⌘' | '⌥' | '⇧' | '⌃' | '⌫' | '⌦' | '⏎' | '⎋' | '⇥' | '⇪' | '⌤' | '⎇' | '↵' | '⊞' | '❖');
    if !is_key(&c) {
        return None;
    }
    let signs: usize = source[at..].chars().take_while(is_key).map(char::len_utf8).sum();
    let rest = &source[at + signs..];
    let name = rest.strip_prefix('+').unwrap_or(rest);
    let letters: usize = name.chars().take_while(|c| c.is_alphanumeric()).map(char::len_utf8).sum();
    let named = (1..=3).contains(&letters) && !name[..letters].contains(char::is_lowercase);
    let touches = source[..at].ends_with(char::is_alphanumeric) || !named && rest.starts_with(char::is_alphanumeric);
    if touches {
        return None;
    }
    Some(at..at + signs + if named { rest.len() - name.len() + letters } else { 0 })
}

/// Whether a character is a sign that the model is not trusted with.
pub fn is_doubtful(context: &Context, c: char) -> bool {
    if !is_sign(c) {
        return false;
    }
    let measured = |c: char| context.trusted_signs.is_some_and(|signs| signs.binary_search(&c).is_ok());
    let trusted = c.is_ascii() || TRUSTED.contains(c) || measured(c);
    !trusted || !context.source_vocabulary.covers(c.encode_utf8(&mut [0; 4]))
}

/// Whether a character is a sign: no letter, digit, space or mark of a letter.
pub fn is_sign(c: char) -> bool {
    !c.is_alphanumeric()
        && !c.is_whitespace()
        && !c.is_control()
        && !is_invisible(c)
        && !joins_previous(c)
        && c != '\u{fffd}'
        && c != '\u{2581}'
}

/// Signs of Unicode's category Sc, with the full-width forms of some.
pub(super) fn is_currency(c: char) -> bool {
    matches!(c, '$' | '\u{a2}'..='\u{a5}' | '\u{58f}' | '\u{60b}' | '\u{9f2}' | '\u{9f3}' | '\u{af1}' | '\u{bf9}' | '\u{e3f}' | '\u{17db}'
        | '\u{20a0}'..='\u{20cf}' | '\u{fdfc}' | '\u{fe69}' | '\u{ff04}' | '\u{ffe0}' | '\u{ffe1}' | '\u{ffe5}' | '\u{ffe6}')
}

/// What a sign is in the middle of: letters, digits and such signs, up to white space or punctuation.
fn chunk(source: &str, run: &Range<usize>) -> Range<usize> {
    let inside = |c: char| c.is_alphanumeric() || joins_previous(c) || is_sign(c) && !c.is_ascii_punctuation();
    let before: usize = source[..run.start].chars().rev().take_while(|c| inside(*c)).map(char::len_utf8).sum();
    let after: usize = source[run.end..].chars().take_while(|c| inside(*c)).map(char::len_utf8).sum();
    run.start - before..run.end + after
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pointed_quotation_marks_are_read_as_english_ones() {
        let text = "the «house», not 1 « spoon »";
        let found: Vec<_> = text.char_indices().map(|(at, c)| pointed_quote(text, at, c, Language::ENGLISH)).collect();
        assert_eq!(found.into_iter().flatten().collect::<Vec<_>>(), ["“", "”"]);
        assert_eq!(pointed_quote("«Haus»", 0, '«', Language::GERMAN), None);
    }
}

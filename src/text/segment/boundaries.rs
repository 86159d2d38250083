//! Where sentences end.

use std::ops::Range;

use icu_segmenter::SentenceSegmenter;
use icu_segmenter::options::SentenceBreakInvariantOptions;

use super::edges::trim_ends;
use super::is_translatable;
use super::stops::{Stop, first_word, is_roman_number, is_starter, kind_of_stop, last_word};
use crate::text::language::{Language, Script};

/// Most references after a sentence.
const MAX_REFERENCES: usize = 8;
/// Most bytes within a reference's brackets.
const MAX_REFERENCE: usize = 16;

/// Appends the sentences of one field of a line. `text` is the whole text, `spaced` the same with line breaks as spaces where those mean
/// nothing.
pub(super) fn segment_field(
    text: &str,
    spaced: &str,
    field: Range<usize>,
    language: Language,
    sentences: &mut Vec<Range<usize>>,
) {
    if spaced[field.clone()].trim().is_empty() {
        return;
    }
    let content = &spaced[field.clone()];
    let mut start = 0;
    let segmenter = SentenceSegmenter::new(SentenceBreakInvariantOptions::default());
    let mut boundaries = segmenter.segment_str(content).peekable();
    let mut stops = content.char_indices().filter_map(|(at, c)| Candidate::behind(content, at, c, language)).peekable();
    loop {
        // A stop and the reference that belongs to it are one candidate.
        while stops.peek().is_some_and(|stop| boundaries.peek().is_some_and(|&boundary| stop.contains(boundary))) {
            boundaries.next();
        }
        // Both sequences ascend: their union in order.
        let candidate = match (boundaries.peek().copied(), stops.peek()) {
            (Some(boundary), Some(stop)) if stop.place <= boundary => stop.clone(),
            (Some(boundary), _) => Candidate::plain(boundary),
            (None, Some(stop)) => stop.clone(),
            (None, None) => break,
        };
        let place = candidate.place;
        boundaries.next_if_eq(&place);
        while stops.next_if(|stop| stop.place <= place).is_some() {}
        if place <= start {
            continue;
        }
        if place == content.len() || candidate.ends_sentence(start, content, language) {
            let sentence = trim_ends(text, field.start + start..field.start + place, language, start == 0);
            if is_translatable(&text[sentence.clone()], language) {
                sentences.push(sentence);
            }
            start = place;
        }
    }
}

/// A place where a sentence may end.
#[derive(Clone)]
struct Candidate {
    /// Where the next one would start.
    place: usize,
    /// The end of the stop, if more than closing marks and white space after it belongs to the sentence.
    stop: Option<usize>,
    /// Whether that is a plain number, not one in brackets or another form.
    is_number: bool,
}

impl Candidate {
    fn plain(place: usize) -> Candidate {
        Candidate { place, stop: None, is_number: false }
    }

    /// The place after a stop at which Unicode's rules see no boundary, or see it too early.
    fn behind(content: &str, at: usize, c: char, language: Language) -> Option<Candidate> {
        let stop = at + c.len_utf8();
        let (question, wide) = (language.question_marks.contains(c), is_wide_stop(c));
        if !matches!(c, '…' | '.' | '!' | '?') && !question && !wide {
            return None;
        }
        let after_space = |end: usize| content.len() - content[end..].trim_start().len();
        // Chinese writes “一。”“二。”
        let closes = |c: char| is_closer(c) && !(wide && c == language.quotes.open && c != language.quotes.close);
        let touching = content.len() - content[stop..].trim_start_matches(closes).len();
        let closed = after_spaced_quote(content, touching, language).unwrap_or(touching);
        let (end, is_number) = references(content, stop, closed).unwrap_or((closed, false));
        let place = after_space(end);
        if end > touching {
            return (place > end || wide || end == content.len()).then_some(Candidate {
                place,
                stop: Some(stop),
                is_number,
            });
        }
        let before_number = c == '.' && place > stop && content[place..].starts_with(|c: char| c.is_ascii_digit());
        let clitic = place > closed && starts_with_clitic(&content[place..]);
        // Unicode counts opening marks after a stop among the closing ones: 一。《二》
        let opens = wide && content[place..].starts_with(is_opener);
        let found = c == '…' || before_number || clitic || opens || question && place > closed;
        found.then_some(Candidate::plain(place))
    }

    /// Whether a boundary that Unicode's rules see lies in what belongs to the sentence.
    fn contains(&self, boundary: usize) -> bool {
        self.stop.is_some_and(|stop| stop <= boundary && boundary < self.place)
    }

    /// Whether the sentence that starts at `start` ends here.
    fn ends_sentence(&self, start: usize, content: &str, language: Language) -> bool {
        let (before, after) = (&content[start..self.place], &content[self.place..]);
        match self.stop {
            // After the stop that ended the sentence before.
            Some(stop) if stop <= start => false,
            Some(stop) => {
                let next = after.trim_start_matches(|c: char| is_opener(c) || c.is_whitespace());
                let starts = next.starts_with(|c: char| c.is_alphabetic() && !is_small(c));
                (starts || !self.is_number)
                    && ends_sentence(&content[start..stop], after, true, self.is_number, language)
            }
            None => {
                let body = before.trim_end();
                ends_sentence(body, after, body.len() < before.len(), false, language)
            }
        }
    }
}

/// The end of a quotation mark after white space, as in French: « Où ? ».
fn after_spaced_quote(content: &str, at: usize, language: Language) -> Option<usize> {
    let rest = &content[at..];
    let behind = rest.trim_start_matches([' ', '\u{a0}', '\u{202f}']).strip_prefix(language.quotes.close)?;
    let spaced = !language.quotes.gap.is_empty() && rest.len() - behind.len() > language.quotes.close.len_utf8();
    spaced.then(|| content.len() - behind.len())
}

/// Whether a candidate boundary is one: `body` is what stands before it from the sentence's start on, without white space, `after` what follows,
/// `spaced` whether there is white space in between, and `number` whether there is a number.
fn ends_sentence(body: &str, after: &str, spaced: bool, number: bool, language: Language) -> bool {
    let core = body.trim_end_matches(is_closer);
    let Some(terminator) = core.chars().next_back() else { return false };
    if !spaced && after.starts_with(char::is_alphanumeric) && !ends_unspaced(core, body, after, language) {
        return false;
    }
    let next = after.trim_start_matches(|c: char| is_opener(c) || c.is_whitespace());
    let next_word = first_word(next);
    // A lower-case letter continues the sentence ("Really?" he asked), except in names such as iPhone and in the Dutch "'s Avonds".
    if next.starts_with(is_small) && !next_word.contains(char::is_uppercase) && !starts_with_clitic(after) {
        return false;
    }
    let ellipsis = terminator == '…' || core.ends_with("..");
    if ellipsis {
        // A capital tells nothing where all nouns have one, nor in a word that always has one.
        return match language.capital_nouns {
            true => is_starter(next, next_word, language),
            false => next.starts_with(char::is_uppercase) && !language.is_capital_word(next_word),
        };
    }
    if terminator != '.' {
        // A little section, which Unicode counts among the stops, is the Burmese comma.
        return terminator != '၊';
    }
    // Thai ends sentences with a space; its full stop is that of abbreviations.
    if core[..core.len() - 1].ends_with(|c| Script::Thai.has(c)) {
        return false;
    }
    let word = last_word(&core[..core.len() - 1], language);
    let number_follows = number || next.starts_with(|c: char| c.is_ascii_digit()) || is_roman_number(next_word);
    // A list number alone is not a sentence: "1. Open the file."
    if core.len() <= word.len() + 2 + (body.len() - body.trim_start().len())
        && (word.len() <= 3 && word.bytes().all(|b| b.is_ascii_digit())
            || word.chars().count() == 1
            || is_roman_number(word))
        && !word.is_empty()
    {
        return false;
    }
    match kind_of_stop(core, word, language) {
        Stop::Sentence => true,
        Stop::Abbreviation => false,
        Stop::BeforeNumber => !number_follows,
        Stop::Doubtful => is_starter(next, next_word, language),
    }
}

/// Whether a letter is lower case in a script that has capitals; the Georgian letters are lower case, but begin sentences.
fn is_small(c: char) -> bool {
    c.is_lowercase() && !matches!(c, '\u{10d0}'..='\u{10ff}')
}

/// Whether a text starts with an apostrophe, a letter and a capitalized word.
fn starts_with_clitic(text: &str) -> bool {
    let mut characters = text.trim_start().chars();
    matches!(characters.next(), Some('\'' | '’'))
        && characters.next().is_some_and(char::is_lowercase)
        && characters.next() == Some(' ')
        && characters.next().is_some_and(char::is_uppercase)
}

/// Whether a sentence may end where a letter follows without white space. Mostly not: "example.Next" is a name more often than two sentences.
fn ends_unspaced(core: &str, body: &str, after: &str, language: Language) -> bool {
    let terminator = core.chars().next_back();
    if terminator.is_some_and(is_wide_stop) {
        // “好！”他说。 「行こう。」と言った。 After a quotation that began the sentence, the sentence mostly goes on.
        let quoted = body[core.len()..].contains(is_quote);
        let goes_on = match language.after_quotation {
            "" => body.starts_with(is_quote),
            particles => after.starts_with(|c| particles.contains(c)),
        };
        return !quoted || !goes_on;
    }
    // "What a day!I am tired." is not "https://example.org/?Name=x".
    let start = &after[..after.floor_char_boundary(MAX_REFERENCE.min(after.len()))];
    let around = [
        last_word(core.trim_end_matches(['!', '?']), language),
        start.split(char::is_whitespace).next().unwrap_or_default(),
    ];
    let in_code =
        |c: char| c.is_ascii_digit() || matches!(c, '/' | '=' | '&' | '@' | '_' | '(' | ':' | '.' | '!' | '?');
    terminator.is_some_and(|c| matches!(c, '!' | '?'))
        && around[0].ends_with(char::is_alphabetic)
        && !around[0].contains(in_code)
        && !around[1].trim_end_matches(['.', '!', '?', ':']).contains(in_code)
        && after.starts_with(char::is_uppercase)
        && !first_word(after).chars().nth(1).is_some_and(char::is_uppercase)
}

/// The end of the references after a stop, "[1]", "(2)", "¹" or a number directly after it, and whether it is such a number; none if there are
/// none. `closed` is where the closing marks after the stop end.
fn references(text: &str, stop: usize, closed: usize) -> Option<(usize, bool)> {
    let digits = |text: &str| text.bytes().take(4).take_while(u8::is_ascii_digit).count();
    let number = digits(&text[closed..]);
    let after_word = || text[..stop].trim_end_matches(['.', '!', '?']).ends_with(char::is_alphabetic);
    if (1..=3).contains(&number) && text[closed + number..].starts_with(char::is_whitespace) && after_word() {
        return Some((closed + number, true));
    }
    let mut end = closed;
    for _ in 0..MAX_REFERENCES {
        let rest = &text[end..];
        let superscript = superscripts(rest);
        // One after a space belongs to the sentence before it only in square brackets.
        let spaces = rest.len() - rest.trim_start_matches([' ', '\u{a0}']).len();
        end += match &rest[spaces..] {
            _ if superscript > 0 => superscript,
            bracket if bracket.starts_with('[') => match bracketed(bracket, ']', is_reference) {
                Some(length) => spaces + length,
                None => break,
            },
            _ => match bracketed(rest, ')', |inside| digits(inside) == inside.len()) {
                Some(length) if rest.starts_with('(') => length,
                _ => break,
            },
        };
    }
    (end > closed).then_some((end, false))
}

/// The length in bytes from an opening bracket to the closing one, if `is_such` accepts what is between.
fn bracketed(text: &str, close: char, is_such: impl Fn(&str) -> bool) -> Option<usize> {
    let inside = text.get(1..)?;
    let inside = &inside[..inside.floor_char_boundary(MAX_REFERENCE.min(inside.len()))];
    let inside = &inside[..inside.find(close)?];
    (!inside.is_empty() && is_such(inside)).then_some(inside.len() + 2)
}

/// "1", "1, 2", "3–5", "a", "note 1".
fn is_reference(inside: &str) -> bool {
    let has_digit = inside.bytes().any(|b| b.is_ascii_digit());
    let number = |c: char| c.is_ascii_digit() || matches!(c, ',' | '-' | '–' | ' ');
    let numbers = has_digit && inside.len() <= 9 && inside.split([',', '-', '–', ' ']).all(|part| part.len() <= 3);
    numbers && inside.chars().all(number)
        || inside.len() == 1 && inside.bytes().all(|b| b.is_ascii_lowercase())
        || has_digit && inside.strip_prefix("note ").is_some_and(|rest| rest.chars().all(number))
}

/// The length in bytes of the raised digits, with commas between them, that a text starts with.
fn superscripts(text: &str) -> usize {
    let is_raised = |c: char| matches!(c, '¹' | '²' | '³' | '⁰' | '⁴'..='⁹');
    let end = text.find(|c| !is_raised(c) && c != ',').unwrap_or(text.len());
    text[..end].trim_end_matches(',').len()
}

/// Stops that end nothing but sentences, whatever follows.
pub(super) fn is_wide_stop(c: char) -> bool {
    matches!(c, '。' | '！' | '？' | '｡' | '।' | '॥' | '։' | '؟' | '۔' | '።' | '፧' | '፨' | '។' | '៕' | '။')
}

fn is_quote(c: char) -> bool {
    matches!(c, '"' | '“' | '”' | '‘' | '’' | '「' | '」' | '『' | '』' | '｢' | '｣' | '〝' | '〟' | '＂')
}

pub(super) fn is_closer(c: char) -> bool {
    matches!(
        c,
        '"' | '\''
            | '”'
            | '“'
            | '’'
            | '‘'
            | '»'
            | '«'
            | '›'
            | '‹'
            | ')'
            | ']'
            | '}'
            | '」'
            | '』'
            | '｣'
            | '）'
            | '］'
            | '｝'
            | '】'
            | '》'
            | '〉'
            | '〕'
            | '＂'
            | '〟'
    )
}

pub(super) fn is_opener(c: char) -> bool {
    matches!(
        c,
        '"' | '\''
            | '“'
            | '„'
            | '‚'
            | '‘'
            | '«'
            | '»'
            | '‹'
            | '›'
            | '('
            | '['
            | '{'
            | '¿'
            | '¡'
            | '「'
            | '『'
            | '｢'
            | '（'
            | '［'
            | '｛'
            | '【'
            | '《'
            | '〈'
            | '〔'
            | '＂'
            | '〝'
    )
}

//! Text to sentences, and long sentences to parts.
//!
//! A text is a sequence of sentences and the gaps between them: white space, line breaks, bullets, bars between fields, emoji at a
//! sentence's ends, whole lines of numbers and symbols. Only sentences are translated; putting each translation where its sentence stood restores
//! everything else as it was.
//!
//! Candidates for boundaries are those of Unicode Standard Annex 29 (sentence boundaries), the ends of ellipses and stops before a number; rules then
//! withdraw those that follow an abbreviation, an ordinal number, an initial or a list number, or precede a lower-case word. Where a
//! boundary is doubtful the rules leave it out: two sentences translated together read better than half a one.

use std::ops::Range;

use icu_segmenter::SentenceSegmenter;
use icu_segmenter::options::SentenceBreakInvariantOptions;

use super::language::Language;
use super::vocab::Vocabulary;

/// Longest word that anyone wrote to be read, in bytes.
const MAX_WORD_BYTES: usize = 256;

/// What a line break means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LineBreaks {
    /// It ends the sentence: lines stay lines.
    #[default]
    EndSentences,
    /// It is white space, as in HTML and in paragraphs wrapped at a fixed width. An empty line still ends the sentence.
    AreSpaces,
}

/// The sentences of a text: byte ranges, ascending, not overlapping, neither empty nor with white space at the ends. What lies between is to
/// be kept as it is. Time is linear in the text.
pub fn segment(text: &str, language: Language, line_breaks: LineBreaks) -> Vec<Range<usize>> {
    let mut sentences = Vec::new();
    match line_breaks {
        LineBreaks::EndSentences => {
            for line in split_at(text, is_line_break) {
                segment_line(text, text, line, language, &mut sentences);
            }
        }
        LineBreaks::AreSpaces => {
            // All four are one byte long, as the space is, so that ranges stay the same.
            let spaced = text.replace(['\n', '\r', '\u{b}', '\u{c}'], " ");
            for paragraph in paragraphs(text) {
                for line in split_at(&spaced[paragraph.clone()], is_line_break) {
                    let line = paragraph.start + line.start..paragraph.start + line.end;
                    segment_line(text, &spaced, line, language, &mut sentences);
                }
            }
        }
    }
    sentences
}

/// Whether a text has something to translate: a letter of the language's script that is not part of an address; where words are spaced, in a
/// word of a word's length. What has not (numbers, symbols, emoji, other scripts, encoded data) is kept as it is.
pub fn is_translatable(text: &str, language: Language) -> bool {
    let letter = |c: char| language.script.has(c);
    let is_word = |word: &str| language == Language::UNKNOWN || !language.spaced || word.len() <= MAX_WORD_BYTES;
    text.split_whitespace().any(|word| word.contains(letter) && is_word(word) && !is_address(word))
}

/// Cuts the sentence `range` of `text` into parts of at most `max_pieces` pieces each, if it has more: after a semicolon or colon, a comma or
/// dash, before a conjunction, at white space, or as a last resort between characters, in parts of about equal length. Parts
/// have no white space at the ends; what lies between them is to be kept. Nothing is lost, and only a single character that
/// makes more than `max_pieces` pieces stays longer than that.
pub fn split_long(
    vocabulary: &Vocabulary,
    language: Language,
    text: &str,
    range: Range<usize>,
    max_pieces: usize,
) -> Vec<Range<usize>> {
    let max_pieces = max_pieces.max(1);
    let mut parts = Vec::new();
    let mut pieces = Vec::new();
    // Parts still to be looked at, the next one last. A part can turn out longer than the cut meant it to be, since a word cut in two has
    // other pieces.
    let mut pending = vec![range];
    while let Some(range) = pending.pop() {
        let range = trim(text, range, char::is_whitespace);
        pieces.clear();
        vocabulary.encode(&text[range.clone()], &mut pieces);
        let characters = text[range.clone()].chars().nth(1).is_some();
        if pieces.len() <= max_pieces || !characters {
            if !range.is_empty() {
                parts.push(range);
            }
            continue;
        }
        let count = pieces.len().div_ceil(max_pieces);
        let mut cuts = Vec::with_capacity(count);
        let mut start = 0;
        for part in 0..count - 1 {
            // Where this part would end if the rest were shared out evenly, and how far from there a good place may lie.
            let ideal = start + (pieces.len() - start).div_ceil(count - part);
            let last = (start + max_pieces).min(pieces.len() - 1);
            let ideal = ideal.min(last);
            let first = (ideal - (ideal - start) / 2).max(start + 1);
            let last = last.min(ideal + (ideal - start) / 2).max(first);
            let best = (first..=last).max_by_key(|&piece| {
                let place = range.start + pieces[piece].start;
                (quality_of_cut(text, language, &range, place), std::cmp::Reverse(piece.abs_diff(ideal)))
            });
            let Some(best) = best else { break };
            cuts.push(range.start + pieces[best].start);
            start = best;
            if start + 1 >= pieces.len() {
                break;
            }
        }
        cuts.retain(|&cut| cut > range.start && cut < range.end);
        cuts.dedup();
        if cuts.is_empty() {
            // Every piece border lies inside one character: cut after the first, so that there is progress.
            cuts.extend(text[range.clone()].char_indices().nth(1).map(|(index, _)| range.start + index));
        }
        let mut end = range.end;
        for cut in cuts.into_iter().rev() {
            pending.push(cut..end);
            end = cut;
        }
        pending.push(range.start..end);
    }
    parts
}

/// How good a place is for a cut, more is better.
fn quality_of_cut(text: &str, language: Language, range: &Range<usize>, place: usize) -> u8 {
    let (before, after) = (&text[range.start..place], &text[place..range.end]);
    let spaced = after.starts_with(char::is_whitespace) || before.ends_with(char::is_whitespace);
    let Some(previous) = before.chars().rev().find(|c| !c.is_whitespace()) else { return 0 };
    if spaced {
        let word = first_word(after.trim_start());
        return match previous {
            ';' | ':' | '.' | '!' | '?' | '…' => 6,
            ',' | '–' | '—' | ')' | ']' => 5,
            _ if language.conjunctions.contains(word) => 4,
            _ => 3,
        };
    }
    match previous {
        '。' | '、' | '，' | '；' => 5,
        _ if !after.starts_with(joins_previous) && previous != '\u{200d}' => {
            let same_class = after.chars().next().is_some_and(|c| c.is_alphanumeric()) == previous.is_alphanumeric();
            if same_class { 1 } else { 2 }
        }
        _ => 0,
    }
}

/// Whether a character belongs to the one before: the combining marks of the scripts at hand, variation selectors, skin tones, tags, and
/// the joiner.
pub(super) fn joins_previous(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{483}'..='\u{489}' | '\u{591}'..='\u{5bd}' | '\u{64b}'..='\u{65f}' | '\u{1ab0}'..='\u{1aff}'
        | '\u{1dc0}'..='\u{1dff}' | '\u{200c}' | '\u{200d}' | '\u{20d0}'..='\u{20ff}' | '\u{fe00}'..='\u{fe0f}' | '\u{fe20}'..='\u{fe2f}'
        | '\u{1f3fb}'..='\u{1f3ff}' | '\u{e0020}'..='\u{e007f}')
}

/// The parts between characters that `separates`, which are in none.
fn split_at(text: &str, separates: fn(char) -> bool) -> impl Iterator<Item = Range<usize>> {
    let base = text.as_ptr() as usize;
    text.split(separates).map(move |part| {
        let start = part.as_ptr() as usize - base;
        start..start + part.len()
    })
}

/// Paragraphs: runs of lines between empty lines.
fn paragraphs(text: &str) -> Vec<Range<usize>> {
    let mut paragraphs: Vec<Range<usize>> = Vec::new();
    let mut open = false;
    for line in split_at(text, |c| c == '\n') {
        if text[line.clone()].trim().is_empty() {
            open = false;
        } else if open {
            paragraphs.last_mut().expect("one is open").end = line.end;
        } else {
            paragraphs.push(line);
            open = true;
        }
    }
    paragraphs
}

/// Line and paragraph separators of any platform.
fn is_line_break(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{1c}'..='\u{1e}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// The fields of a line that has bars, bullets or middle dots with white space around between them, as rows of tables and menus have; a line
/// with code in it, where a bar may be a pipe, is one field.
fn fields(line: &str) -> Vec<Range<usize>> {
    let mut fields = Vec::new();
    let mut start = 0;
    if !line.contains('`') {
        for (at, sign) in line.match_indices(['|', '·', '•']) {
            let end = at + sign.len();
            let (before, after) = (line[..at].chars().next_back(), line[end..].chars().next());
            if before.is_none_or(char::is_whitespace) && after.is_none_or(char::is_whitespace) {
                fields.push(start..at);
                start = end;
            }
        }
    }
    fields.push(start..line.len());
    fields
}

/// Appends the sentences of one line. `text` is the whole text; `spaced` the same with line breaks as spaces where those mean nothing.
fn segment_line(text: &str, spaced: &str, line: Range<usize>, language: Language, sentences: &mut Vec<Range<usize>>) {
    for field in fields(&spaced[line.clone()]) {
        segment_field(text, spaced, line.start + field.start..line.start + field.end, language, sentences);
    }
}

/// Appends the sentences of one field of a line. `text` and `spaced` are those of the line.
fn segment_field(text: &str, spaced: &str, field: Range<usize>, language: Language, sentences: &mut Vec<Range<usize>>) {
    if spaced[field.clone()].trim().is_empty() {
        return;
    }
    let content = &spaced[field.clone()];
    let mut start = 0;
    let segmenter = SentenceSegmenter::new(SentenceBreakInvariantOptions::default());
    let mut boundaries = segmenter.segment_str(content).peekable();
    let mut others = content.match_indices(['…', '.']).filter_map(|(index, found)| {
        let stop = index + found.len();
        let place = after_closers(content, stop);
        let before_number = place > stop && content[place..].starts_with(|c: char| c.is_ascii_digit());
        (found == "…" || before_number).then_some(place)
    });
    let mut other = others.next();
    loop {
        // Both sequences ascend: their union in order.
        let boundary = match (boundaries.peek().copied(), other) {
            (Some(a), Some(b)) if b < a => b,
            (Some(a), _) => a,
            (None, Some(b)) => b,
            (None, None) => break,
        };
        boundaries.next_if_eq(&boundary);
        while other.is_some_and(|place| place <= boundary) {
            other = others.next();
        }
        if boundary <= start {
            continue;
        }
        if boundary == content.len() || ends_sentence(&content[start..boundary], &content[boundary..], language) {
            let sentence = trim_ends(text, field.start + start..field.start + boundary);
            if is_translatable(&text[sentence.clone()], language) {
                sentences.push(sentence);
            }
            start = boundary;
        }
    }
}

/// The place after closing quotes and brackets and then white space.
fn after_closers(text: &str, place: usize) -> usize {
    text.len() - text[place..].trim_start_matches(is_closer).trim_start().len()
}

fn is_closer(c: char) -> bool {
    matches!(c, '"' | '\'' | '”' | '“' | '’' | '‘' | '»' | '«' | '›' | '‹' | ')' | ']' | '}')
}

fn is_opener(c: char) -> bool {
    matches!(c, '"' | '\'' | '“' | '„' | '‚' | '‘' | '«' | '»' | '‹' | '›' | '(' | '[' | '{' | '¿' | '¡')
}

/// Whether a candidate boundary between `before` (from the sentence's start on) and `after` is one.
fn ends_sentence(before: &str, after: &str, language: Language) -> bool {
    let body = before.trim_end();
    if body.len() == before.len() && after.starts_with(|c: char| c.is_alphanumeric()) && !ends_wide(body) {
        // No white space: "example.Next" is a name more often than two sentences.
        return false;
    }
    let core = body.trim_end_matches(is_closer);
    let next = after.trim_start_matches(|c: char| is_opener(c) || c.is_whitespace());
    let next_word = first_word(next);
    let Some(terminator) = core.chars().next_back() else { return false };
    // A small letter goes on with the sentence ("Really?" he asked), except in names such as iPhone.
    if next.starts_with(char::is_lowercase) && !next_word.contains(char::is_uppercase) {
        return false;
    }
    let ellipsis = terminator == '…' || core.ends_with("..");
    if ellipsis {
        // A capital tells nothing where all nouns have one, and of a word that always has one.
        return match language.capital_nouns {
            true => is_starter(next, next_word, language),
            false => next.starts_with(char::is_uppercase) && !language.is_capital_word(next_word),
        };
    }
    if terminator != '.' {
        return true;
    }
    let word = last_word(&core[..core.len() - 1]);
    let number_follows = next.starts_with(|c: char| c.is_ascii_digit()) || is_roman_number(next_word);
    // A list number alone is no sentence: "1. Open the file."
    if core.len() <= word.len() + 2 + (before.len() - before.trim_start().len())
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

fn ends_wide(text: &str) -> bool {
    text.ends_with(['。', '！', '？', '｡'])
}

/// What a full stop after a word may be.
enum Stop {
    /// The end of a sentence.
    Sentence,
    /// Part of an abbreviation that something always follows.
    Abbreviation,
    /// Part of an abbreviation if a number follows.
    BeforeNumber,
    /// Either: an end if a word follows with which sentences start.
    Doubtful,
}

/// What the full stop that ends `core` is, where `word` stands before it.
fn kind_of_stop(core: &str, word: &str, language: Language) -> Stop {
    let characters = word.chars().count();
    let lists = &language.abbreviations;
    if lists.always.contains(word) || spaced_abbreviation(core, lists.spaced) {
        return Stop::Abbreviation;
    }
    if lists.before_number.contains(word) {
        return Stop::BeforeNumber;
    }
    if lists.doubtful.contains(word) {
        return Stop::Doubtful;
    }
    // "U.S.", "Ph.D.", "J.R.R."
    if word.contains('.')
        && word.split('.').all(|part| part.chars().count() <= 2 && part.chars().all(char::is_alphabetic))
    {
        return Stop::Doubtful;
    }
    if characters == 1 && word.chars().all(char::is_alphabetic) {
        // "So am I." ends; "J. Smith", "z. B." and "p. 5" do not, "Plan B. Then" does.
        return if language.is_capital_word(word) { Stop::Sentence } else { Stop::Doubtful };
    }
    if lists.suffixes.iter().any(|suffix| word.ends_with(suffix)) {
        return Stop::Doubtful;
    }
    if language.ordinal_stop {
        // Ordinals: "3. Oktober", "der 250. Geburtstag", "am 3.10. nachts", "Ludwig XIV. von". Not so after an abbreviation: "S. 5."
        let digits = |most: usize| {
            move |part: &str| (1..=most).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit())
        };
        let ordinal = digits(3)(word) || word.len() <= 5 && word.split('.').all(digits(2));
        let counted = core[..core.len() - 1 - word.len()].trim_end();
        let after_abbreviation = counted.strip_suffix('.').is_some_and(|rest| rest.ends_with(char::is_alphabetic));
        if (ordinal && !after_abbreviation) || is_roman_number(word) {
            return Stop::Doubtful;
        }
    }
    Stop::Sentence
}

/// Whether the text ends with one of these abbreviations of several words, spaces between them or not.
fn spaced_abbreviation(core: &str, abbreviations: &[&str]) -> bool {
    abbreviations.iter().any(|abbreviation| {
        let mut rest = core;
        for part in abbreviation.rsplit(' ') {
            match rest.trim_end().strip_suffix(part) {
                Some(shorter) => rest = shorter,
                None => return false,
            }
        }
        !rest.ends_with(char::is_alphanumeric)
    })
}

fn is_roman_number(word: &str) -> bool {
    (1..=7).contains(&word.len())
        && word.bytes().all(|b| b"IVXLC".contains(&b))
        && word != "I"
        && word != "C"
        && word != "L"
}

/// Whether a word of which sentences often are the first follows.
fn is_starter(next: &str, word: &str, language: Language) -> bool {
    // "A. Smith" after an initial.
    let initial = word.chars().count() == 1 && next[word.len()..].starts_with('.');
    if initial || word.is_empty() {
        return false;
    }
    let word = word.split(['\'', '’']).next().unwrap_or(word);
    language.starters.contains(word)
}

/// The letters (and apostrophes within) at the start.
fn first_word(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_alphabetic() && c != '\'' && c != '’').unwrap_or(text.len());
    &text[..end]
}

/// The characters at the end up to white space or an opening bracket or quote; at most as long as any abbreviation is.
fn last_word(text: &str) -> &str {
    let mut start = text.len();
    for (index, c) in text.char_indices().rev().take(24) {
        if c.is_whitespace() || is_opener(c) || matches!(c, '/' | '-' | '–' | '—' | ',' | ';' | ':') {
            break;
        }
        start = index;
    }
    &text[start..]
}

/// A web or mail address.
fn is_address(word: &str) -> bool {
    word.contains("://")
        || word.trim_start_matches(is_opener).starts_with("www.")
        || word.split_once('@').is_some_and(|(name, host)| !name.is_empty() && host.contains('.'))
}

fn trim(text: &str, range: Range<usize>, drops: fn(char) -> bool) -> Range<usize> {
    let content = &text[range.clone()];
    let start = range.start + content.len() - content.trim_start_matches(drops).len();
    if start == range.end {
        return start..start;
    }
    start..range.start + content.trim_end_matches(drops).len()
}

/// The bytes of the label of a list's item, "a)", "(ii)", "[ ]" or "[x]", with white space behind it, that a text begins with.
fn label(text: &str) -> Option<usize> {
    let (inside, closer) = match text.strip_prefix('[') {
        Some(inside) => (inside, ']'),
        None => (text.strip_prefix('(').unwrap_or(text), ')'),
    };
    let (name, behind) = inside.split_once(closer)?;
    let is_label = match closer {
        ']' => matches!(name, " " | "x" | "X"),
        _ => {
            let roman = |c: char| matches!(c, 'i' | 'v' | 'x');
            name.len() == 1 && name.chars().all(|c| c.is_ascii_alphabetic())
                || matches!(name.len(), 2..=4) && name.chars().all(roman)
        }
    };
    (is_label && behind.starts_with(char::is_whitespace)).then_some(text.len() - behind.len())
}

/// Leaves out what is no part of a sentence at its ends: white space, invisible characters, emoji and other pictures, bullets, labels of a
/// list's items.
fn trim_ends(text: &str, mut range: Range<usize>) -> Range<usize> {
    let drops = |c: char| c.is_whitespace() || c.is_control() || is_invisible(c) || is_picture(c);
    loop {
        range = trim(text, range, drops);
        // "1️⃣" is a digit, a variation selector and a keycap: the digit goes with the rest.
        let keycap = text[range.end..].starts_with(['\u{fe0f}', '\u{20e3}']);
        if keycap && text[range.clone()].ends_with(|c: char| c.is_ascii_digit() || c == '#' || c == '*') {
            range.end -= 1;
            continue;
        }
        let content = &text[range.clone()];
        let rest = content.trim_start_matches(['-', '–', '—', '*', '+', '•', '·', '‣', '⁃', '>', '#', '|']);
        if rest.len() < content.len() && rest.starts_with(char::is_whitespace) {
            range.start = range.end - rest.len();
        } else if let Some(length) = label(content) {
            range.start += length;
        } else {
            return range;
        }
    }
}

/// Characters without a glyph that text may carry at its ends: zero-width spaces, direction marks, the byte order mark.
pub(super) fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
        | '\u{fff9}'..='\u{fffb}')
}

/// Emoji, dingbats, arrows and geometric shapes, with what modifies them.
pub(super) fn is_picture(c: char) -> bool {
    let range = matches!(c, '\u{20e3}' | '\u{2190}'..='\u{21ff}' | '\u{2300}'..='\u{23ff}' | '\u{2500}'..='\u{27bf}' | '\u{2900}'..='\u{297f}'
        | '\u{2b00}'..='\u{2bff}' | '\u{fe0e}' | '\u{fe0f}' | '\u{1f000}'..='\u{1faff}' | '\u{e0020}'..='\u{e007f}');
    range && !c.is_alphabetic()
}

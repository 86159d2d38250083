//! What belongs to an element at its ends: articles, prepositions, conjunctions, punctuation.

use std::ops::Range;

use super::projection::Projection;
use super::units::{has_word, is_word_character, trimmed};
use crate::text::language::{FunctionWords, Language, Words};

/// Words that alignment gets wrong most: they have no counterpart of their own, or several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FunctionWord {
    Article,
    Preposition,
    Conjunction,
}

/// Bytes of the longest function word.
const LONGEST_FUNCTION_WORD: usize = 12;

/// What kind of function word a word of any language is, if it is one.
fn function_kind(word: &str) -> Option<FunctionWord> {
    if word.len() > LONGEST_FUNCTION_WORD {
        return None;
    }
    let word = word.to_lowercase();
    let is_in = |list: fn(&FunctionWords) -> Words| {
        Language::all().iter().any(|language| list(&language.function_words).contains(&word))
    };
    match () {
        () if is_in(|words| words.articles) => Some(FunctionWord::Article),
        () if is_in(|words| words.prepositions) => Some(FunctionWord::Preposition),
        () if is_in(|words| words.conjunctions) => Some(FunctionWord::Conjunction),
        () => None,
    }
}

fn first_word(text: &str) -> &str {
    text.split(|c| !is_word_character(c)).next().unwrap_or_default()
}

fn last_word(text: &str) -> &str {
    text.rsplit(|c| !is_word_character(c)).next().unwrap_or_default()
}

/// How punctuation at the ends of an element is compared between languages.
fn punctuation_class(c: char) -> u8 {
    match c {
        '"' | '\'' | '“' | '”' | '„' | '‚' | '‘' | '’' | '«' | '»' | '‹' | '›' | '`' => 1,
        '(' | '[' | '{' | '<' => 2,
        ')' | ']' | '}' | '>' => 3,
        '.' | '…' | '!' | '?' => 4,
        ',' => 5,
        ';' => 6,
        ':' => 7,
        '-' | '–' | '—' => 8,
        _ => 9,
    }
}

/// The classes of the punctuation at an end of a text.
fn edge_classes(characters: impl Iterator<Item = char>) -> Vec<u8> {
    characters.take_while(|c| !is_word_character(*c)).filter(|c| !c.is_whitespace()).map(punctuation_class).collect()
}

impl Projection<'_> {
    /// Takes back a function word at an end if it belongs to what is outside in the source: if there is one of that kind outside and the element
    /// has none ("in <a>room 5</a>", aligned as "<a>im Raum 5</a>"). Adds an article in front if the element begins with one.
    pub(super) fn settle_function_words(
        &self,
        element: usize,
        mut run: Range<usize>,
        taken: &[bool],
        units: &Range<usize>,
    ) -> Range<usize> {
        let range = trimmed(self.source, &self.nodes[element].range);
        let (before, after) = (&self.source[..range.start], &self.source[range.end..]);
        let inside = &self.source[range.clone()];
        let kind = |unit: usize| function_kind(&self.translation.text[self.units[unit].range.clone()]);
        // Only what adjoins without a stop in between belongs to the same phrase.
        let touching_before = before.trim_end().len() < before.len();
        let touching_after = after.trim_start().len() < after.len();
        let (first, last) = (function_kind(first_word(inside)), function_kind(last_word(inside)));
        let outer_first = touching_before.then(|| function_kind(last_word(before.trim_end()))).flatten();
        let outer_last = touching_after.then(|| function_kind(first_word(after.trim_start()))).flatten();
        let free = |unit: usize| !self.units[unit].certain;
        if run.len() > 1
            && free(run.start)
            && kind(run.start).is_some_and(|kind| outer_first == Some(kind) && first != Some(kind))
        {
            run.start += 1;
        }
        if run.len() > 1
            && free(run.end - 1)
            && kind(run.end - 1).is_some_and(|kind| outer_last == Some(kind) && last != Some(kind))
        {
            run.end -= 1;
        }
        let article = Some(FunctionWord::Article);
        if run.start > units.start && first == article && outer_first != article && kind(run.start) != article {
            let previous = run.start - 1;
            if !taken[previous - units.start]
                && kind(previous) == article
                && self.units[previous].sentence == self.units[run.start].sentence
            {
                run.start = previous;
            }
        }
        run
    }

    /// Moves the ends of a run over punctuation so that it has at its ends what the element has at its ends in the source.
    pub(super) fn settle_punctuation(
        &self,
        element: usize,
        mut run: Range<usize>,
        taken: &[bool],
        units: &Range<usize>,
    ) -> Range<usize> {
        let text = &self.source[self.nodes[element].range.clone()];
        if !has_word(text) {
            return run;
        }
        let class = |unit: usize| {
            self.translation.text[self.units[unit].range.clone()].chars().next().map_or(0, punctuation_class)
        };
        let touches = |left: usize| self.units[left].range.end == self.units[left + 1].range.start;
        let mut wanted = edge_classes(text.chars().rev());
        // Quotations and brackets end where they close.
        if wanted.iter().any(|class| matches!(class, 1 | 3)) {
            let closes = |unit: &usize| !self.units[*unit].is_word && wanted.contains(&class(*unit));
            if let Some(last) = run.clone().skip(2).rev().find(closes) {
                run.end = last + 1;
            }
        }
        while run.len() > 1 && !self.units[run.end - 1].is_word && !wanted.contains(&class(run.end - 1)) {
            run.end -= 1;
        }
        let inside = run.clone().rev().take_while(|&unit| !self.units[unit].is_word);
        for unit in inside {
            wanted.retain(|&wanted| wanted != class(unit));
        }
        while run.end < units.end
            && !taken[run.end - units.start]
            && !self.units[run.end].is_word
            && touches(run.end - 1)
        {
            let Some(position) = wanted.iter().position(|&wanted| wanted == class(run.end)) else { break };
            wanted.remove(position);
            run.end += 1;
        }
        let mut wanted = edge_classes(text.chars());
        while run.len() > 1 && !self.units[run.start].is_word && !wanted.contains(&class(run.start)) {
            run.start += 1;
        }
        let inside = run.clone().take_while(|&unit| !self.units[unit].is_word);
        for unit in inside {
            wanted.retain(|&wanted| wanted != class(unit));
        }
        while run.start > units.start
            && !taken[run.start - 1 - units.start]
            && !self.units[run.start - 1].is_word
            && touches(run.start - 1)
        {
            let Some(position) = wanted.iter().position(|&wanted| wanted == class(run.start - 1)) else { break };
            wanted.remove(position);
            run.start -= 1;
        }
        run
    }
}

//! Puts right in a translation what must be in it exactly.

use super::super::draft::{Draft, Token};
use super::super::{Kept, Sentence};
use crate::text::link::shared;
use std::collections::{BTreeMap, HashSet};
use std::ops::Range;

/// Gives the draft the exact text of each of the sentence's kept spans, see [`place`].
pub fn repair(sentence: &Sentence, draft: &mut Draft) {
    place(sentence.source, &sentence.plan.kept, draft);
}

/// Gives `draft`, a translation of `source`, the exact text of each span, as often as there are such spans. Spans ascend and do not
/// overlap. What is right stays as it is, with its alignment. Otherwise:
///
/// - A missing span replaces words that are aligned to it, or much like it: of the runs of such words, the one with most letters. Words that
///   stand elsewhere in the source are not among them.
/// - With nothing aligned, the span goes after the words aligned to what stands before it in the source; at the sentence's ends it stays there.
/// - A placeholder or address that occurs too often is taken out where it is aligned least. Names may occur more often.
///
/// - A span of which the model read another form is looked for in that form first: "m²" replaces "m2".
///
/// The tokens follow: each span put in is a token aligned to itself. All spans are kept in the draft from then on.
pub fn place(source: &str, spans: &[Kept], draft: &mut Draft) {
    if spans.is_empty() {
        return;
    }
    let mut repair = Repair { source, spans, draft };
    let mut missing = repair.keep_exact();
    repair.keep_copies();
    missing.retain(|&span| {
        // What a letter stood for came back as it is in the source.
        let own = spans[span].form.is_some().then(|| &source[spans[span].range.clone()]);
        let mut read = spans[span].given.as_deref().into_iter().chain(own);
        let found = read.find_map(|form| repair.in_given_form(span, form));
        if let Some(range) = &found {
            repair.put(span, range.clone(), false, false);
        }
        found.is_none()
    });
    for span in missing {
        match repair.damaged(span) {
            Some(range) => repair.put(span, range, false, false),
            None => repair.insert(span),
        }
    }
}

struct Repair<'a> {
    source: &'a str,
    spans: &'a [Kept],
    /// What it contains exactly is kept.
    draft: &'a mut Draft,
}

/// A part of the translation that is replaced as a whole: a word, or a part of one between hyphens.
struct Unit {
    range: Range<usize>,
    /// Bytes that are aligned to the span.
    aligned: usize,
    /// How much it is like the span, from 0 to 1.
    likeness: f32,
    /// Whether it is a word of the source outside the spans.
    elsewhere: bool,
    /// Whether it touches the unit before.
    joined: bool,
}

impl Repair<'_> {
    /// What must be in the translation for a span.
    fn wanted(&self, span: usize) -> &str {
        self.spans[span].wanted(self.source)
    }

    /// Marks the spans that are in the text exactly, takes out what occurs too often, and returns the others.
    fn keep_exact(&mut self) -> Vec<usize> {
        let mut by_text = BTreeMap::<(std::cmp::Reverse<usize>, &str), Vec<usize>>::new();
        let (source, spans) = (self.source, self.spans);
        for (index, span) in spans.iter().enumerate() {
            let wanted = span.wanted(source);
            // The longest first, since a shorter one may be part of it.
            by_text.entry((std::cmp::Reverse(wanted.len()), wanted)).or_default().push(index);
        }
        let mut missing = Vec::new();
        let mut surplus = Vec::new();
        for ((_, wanted), mut indices) in by_text {
            let mut found = self.copies(wanted, &indices);
            // What was carried over as a whole counts before what only reads like it: "ŋŋ" is in "ŋŋŋ" from the first letter and from the second.
            let readings = self.draft.text().match_indices(wanted).map(|(at, _)| at..at + wanted.len());
            let others: Vec<Range<usize>> = readings
                .filter(|range| {
                    found.iter().all(|copy| shared(copy, range) == 0) && self.stands_alone(range, indices[0])
                })
                .collect();
            found.extend(others);
            found.retain(|range| !self.draft.is_kept(range));
            found.sort_by_key(|range| range.start);
            if found.len() > indices.len() {
                let aligned =
                    |range: &Range<usize>| indices.iter().map(|&index| self.aligned_bytes(range, index)).max();
                found.sort_by_key(|range| (std::cmp::Reverse(aligned(range)), range.start));
                let is_name = wanted.chars().all(|c| c.is_alphanumeric() || c == ' ');
                surplus.extend(found.drain(indices.len()..).filter(|range| !is_name && !self.is_compounded(range)));
            } else {
                // Each is the span that it is aligned to most, the others in order.
                for range in &found {
                    let best = (0..indices.len())
                        .max_by_key(|&at| (self.aligned_bytes(range, indices[at]), std::cmp::Reverse(at)));
                    best.map(|at| indices.remove(at));
                }
                missing.append(&mut indices);
            }
            found.into_iter().for_each(|range| self.draft.keep(range));
        }
        surplus.sort_by_key(|range| std::cmp::Reverse(range.start));
        for range in surplus {
            let spaces = self.draft.text()[..range.start].len() - self.draft.text()[..range.start].trim_end().len();
            self.draft.replace(range.start - spaces..range.end, "", None);
        }
        missing.sort_unstable();
        missing
    }

    /// Where the form that the model read stands in place of a span: the place that is aligned to it most, if any is.
    fn in_given_form(&self, span: usize, given: &str) -> Option<Range<usize>> {
        let text = self.draft.text();
        let whole = |range: &Range<usize>| {
            let joins = |edge: Option<char>, next: Option<char>| {
                edge.is_some_and(char::is_alphanumeric) && next.is_some_and(char::is_alphanumeric)
            };
            !joins(given.chars().next(), text[..range.start].chars().next_back())
                && !joins(given.chars().next_back(), text[range.end..].chars().next())
        };
        // With the decimal sign of the other languages too.
        let decimal: String = given.chars().map(|c| if c == '.' { ',' } else { c }).collect();
        let forms = [given, &decimal];
        let forms = &forms[..if decimal == given { 1 } else { 2 }];
        let found = forms.iter().flat_map(|form| text.match_indices(*form).map(|(at, form)| at..at + form.len()));
        let free = found.filter(|range| !self.draft.is_kept(range) && whole(range));
        free.max_by_key(|range| (self.aligned_bytes(range, span), std::cmp::Reverse(range.start)))
    }

    /// Whether a part of the text is joined to a word by a hyphen.
    fn is_compounded(&self, range: &Range<usize>) -> bool {
        self.draft.text()[..range.start].ends_with('-') || self.draft.text()[range.end..].starts_with('-')
    }

    /// Whether the text at `range` is the span and not a part of something longer.
    fn stands_alone(&self, range: &Range<usize>, span: usize) -> bool {
        let (wanted, span) = (self.wanted(span), &self.spans[span].range);
        let (first, last) = (wanted.chars().next(), wanted.chars().next_back());
        let before =
            (self.draft.text()[..range.start].chars().next_back(), self.source[..span.start].chars().next_back());
        let after = (self.draft.text()[range.end..].chars().next(), self.source[span.end..].chars().next());
        // "eBay's" becomes "eBays".
        let genitive = |text: &str| {
            let mut rest = text.chars();
            rest.next() == Some('s') && !rest.next().is_some_and(char::is_alphanumeric)
        };
        let behind = &self.source[span.end..];
        if (behind.starts_with("'s") || behind.starts_with("’s")) && genitive(&self.draft.text()[range.end..]) {
            return before.0 == before.1 || !goes_on(first, before.0);
        }
        // What the source has there too is not a sign of more.
        (before.0 == before.1 || !goes_on(first, before.0)) && (after.0 == after.1 || !goes_on(last, after.0))
    }

    /// Keeps signs and foreign words that were carried over and belong to no span.
    fn keep_copies(&mut self) {
        let is_copy = |token: &&Token| {
            let (text, source) = (&self.draft.text()[token.link.target.clone()], token.link.source.clone());
            let outside = self.spans.iter().all(|span| shared(&span.range, &source) == 0);
            outside
                && !text.contains(|c: char| c.is_ascii_alphanumeric())
                && !text.is_ascii()
                && text == self.source[source].trim()
        };
        let copies: Vec<Range<usize>> =
            self.draft.tokens().iter().filter(is_copy).map(|token| token.link.target.clone()).collect();
        copies.into_iter().for_each(|range| self.draft.keep(range));
    }

    /// The tokens that are one of the spans, all of which must read as `wanted`, carried over unchanged.
    fn copies(&self, wanted: &str, spans: &[usize]) -> Vec<Range<usize>> {
        let targets = self.draft.tokens().iter().map(|token| token.link.target.clone());
        let same = targets.filter(|range| self.draft.text()[range.clone()] == *wanted);
        same.filter(|range| spans.iter().any(|&span| self.is_copy(range, span))).collect()
    }

    /// Whether a part of the text is the span itself, carried over as a token of its own, whatever it stands beside.
    fn is_copy(&self, range: &Range<usize>, span: usize) -> bool {
        let own = &self.spans[span].range;
        self.draft.tokens_in(range.clone()).any(|token| {
            let source = &self.source[token.link.source.clone()];
            let start = token.link.source.end - source.trim_start().len();
            token.link.target == *range && start == own.start && start + source.trim().len() == own.end
        })
    }

    /// Bytes within a range of the text whose tokens are aligned to the span: half or more of the token's origin lies in it.
    fn aligned_bytes(&self, range: &Range<usize>, span: usize) -> usize {
        let within = self.draft.tokens_in(range.clone());
        within
            .filter(|token| {
                let origin = &self.source[token.link.source.clone()];
                let start = token.link.source.end - origin.trim_start().len();
                let origin = start..start + origin.trim().len();
                !origin.is_empty() && shared(&origin, &self.spans[span].range) * 2 >= origin.len()
            })
            .map(|token| shared(&token.link.target, range))
            .sum()
    }

    /// The part of the text that stands for a span that is not there exactly.
    fn damaged(&self, span: usize) -> Option<Range<usize>> {
        let units = self.units(span);
        let is_word = |range: &Range<usize>| self.draft.text()[range.clone()].contains(char::is_alphanumeric);
        let mainly = |unit: &Unit| {
            !unit.elsewhere && (unit.likeness >= 0.6 || unit.aligned * 2 >= unit.range.len() && unit.aligned > 0)
        };
        let value = |unit: &Unit| unit.aligned + (unit.likeness * unit.range.len() as f32) as usize;
        let mut best: Option<(usize, Range<usize>)> = None;
        let mut run: Option<(usize, Range<usize>)> = None;
        for (index, unit) in units.iter().enumerate() {
            let follows =
                index > 0 && self.draft.text()[units[index - 1].range.end..unit.range.start].trim().is_empty();
            let joins = unit.joined && units.get(index + 1).is_some_and(|next| next.joined && mainly(next));
            run = match run {
                Some((sum, range)) if follows && (mainly(unit) || joins) => {
                    Some((sum + value(unit), range.start..unit.range.end))
                }
                _ if mainly(unit) => Some((value(unit), unit.range.clone())),
                _ => None,
            };
            if let Some((sum, range)) = &run
                && best.as_ref().is_none_or(|(most, _)| sum > most)
            {
                best = Some((*sum, range.clone()));
            }
        }
        let mut range = best?.1;
        // Where some of it plainly is the span, what is not like it at all was aligned to it by mistake.
        let inside = || units.iter().filter(|unit| shared(&unit.range, &range) > 0);
        if inside().any(|unit| unit.likeness >= 0.5) {
            let wanted = self.wanted(span).to_lowercase();
            let is_part = |unit: &&Unit| {
                let text = self.draft.text()[unit.range.clone()].trim_end_matches(is_stop).to_lowercase();
                unit.likeness >= 0.25 || wanted.contains(&text)
            };
            let first = inside().find(is_part).map_or(range.start, |unit| unit.range.start);
            let last = inside().rfind(is_part).map_or(range.end, |unit| unit.range.end);
            range = first..last;
        }
        // "At 6 p.m." was aligned to "18:00", of which "at" is no part.
        if !self.wanted(span).contains(char::is_alphabetic) {
            let has_digit = |unit: &&Unit| self.draft.text()[unit.range.clone()].contains(|c: char| c.is_ascii_digit());
            let is_number = |unit: &&Unit| !self.draft.text()[unit.range.clone()].chars().all(char::is_alphabetic);
            let inside = || units.iter().filter(|unit| shared(&unit.range, &range) > 0);
            let first = inside().find(is_number).map(|unit| unit.range.start);
            if let Some(first) = first.filter(|_| inside().any(|unit| has_digit(&unit))) {
                range.start = first;
            }
        }
        let range = self.without_punctuation(range, span);
        // A stray comma is not what is left of an address.
        let wanted = self.wanted(span);
        let signs =
            || self.draft.text()[range.clone()].chars().all(|c| c.is_whitespace() || wanted.contains(c) && !is_stop(c));
        let fits = is_word(&range) || !wanted.contains(char::is_alphanumeric) || signs();
        (!range.is_empty() && fits).then_some(range)
    }

    /// Words, cut at hyphens between letters and at what is placed.
    fn units(&self, span: usize) -> Vec<Unit> {
        let mut placed = self.draft.kept().iter().peekable();
        let mut units: Vec<Unit> = Vec::new();
        let mut open = false;
        let mut characters = self.draft.text().char_indices().peekable();
        let mut previous = ' ';
        while let Some((at, c)) = characters.next() {
            placed.next_if(|range| range.end <= at);
            if c.is_whitespace() || placed.peek().is_some_and(|range| range.contains(&at)) {
                open = false;
                continue;
            }
            let end = at + c.len_utf8();
            match units.last_mut() {
                Some(unit) if open => unit.range.end = end,
                last => {
                    let joined = last.is_some_and(|unit| unit.range.end == at);
                    units.push(Unit { range: at..end, aligned: 0, likeness: 0.0, elsewhere: false, joined });
                }
            }
            let next = characters.peek().map_or(' ', |(_, next)| *next);
            open = !(c == '-' && previous.is_alphanumeric() && next.is_alphanumeric());
            previous = c;
        }
        let wanted = pairs(self.wanted(span));
        let others = self.words_elsewhere();
        for unit in &mut units {
            let text = &self.draft.text()[unit.range.clone()];
            unit.aligned = self.aligned_bytes(&unit.range, span);
            unit.likeness = likeness(&wanted, &pairs(text));
            let word = text.trim_matches(|c: char| !c.is_alphanumeric());
            unit.elsewhere = word.chars().nth(1).is_some() && others.contains(word);
        }
        units
    }

    /// The words of the source outside the spans.
    fn words_elsewhere(&self) -> HashSet<&str> {
        let starts = [0].into_iter().chain(self.spans.iter().map(|span| span.range.end));
        let ends = self.spans.iter().map(|span| span.range.start).chain([self.source.len()]);
        let parts = starts.zip(ends).map(|(start, end)| &self.source[start..end]);
        parts.flat_map(|part| part.split(|c: char| !c.is_alphanumeric())).filter(|word| !word.is_empty()).collect()
    }

    /// Leaves out the punctuation around a run that is the sentence's and not the span's.
    fn without_punctuation(&self, mut range: Range<usize>, span: usize) -> Range<usize> {
        let Range { start, end } = self.spans[span].range;
        let wanted = &self.source[start..end];
        let (before, after) = (self.source[..start].chars().next_back(), self.source[end..].chars().next());
        let at_end = self.draft.text()[range.end..].trim().is_empty();
        loop {
            let content = &self.draft.text()[range.clone()];
            let (Some(first), Some(last)) = (content.chars().next(), content.chars().next_back()) else { return range };
            let ends = |c: char| is_stop(c) || is_closer(c);
            let is_outer = ends(last) && (after.is_some_and(ends) || last == ',' || at_end && is_stop(last))
                || last == '-'
                || !last.is_alphanumeric() && after == Some(last);
            let opens =
                is_opener(first) && before.is_some_and(is_opener) || !first.is_alphanumeric() && before == Some(first);
            if is_outer && !wanted.ends_with(last) {
                range.end -= last.len_utf8();
            } else if opens && !wanted.starts_with(first) {
                range.start += first.len_utf8();
            } else {
                return range;
            }
        }
    }

    /// Puts in a span that nothing stands for.
    fn insert(&mut self, span: usize) {
        let Range { start, end } = self.spans[span].range;
        let (before, after) = (&self.source[..start], &self.source[end..]);
        let outside = |range: Range<usize>| {
            let mut at = range.start;
            let mut letters = false;
            let spans = self.spans.iter().map(|span| &span.range);
            let inside = spans.filter(|span| span.start < range.end && span.end > range.start);
            for span in inside {
                letters |= self.source[at..span.start].contains(char::is_alphanumeric);
                at = span.end;
            }
            letters | self.source[at..range.end].contains(char::is_alphanumeric)
        };
        let at = if !outside(end..self.source.len()) && outside(0..start) {
            // Last in the sentence, except for the signs after it and other spans.
            let signs = after.trim_matches(|c: char| !is_stop(c) && !is_closer(c));
            let ending = self.draft.text().trim_end_matches(|c: char| signs.contains(c));
            let placed = self.draft.kept().iter().map(|range| range.end).filter(|end| *end > ending.len()).max();
            if after.starts_with(|c: char| is_stop(c) || is_closer(c)) {
                placed.unwrap_or(ending.len())
            } else {
                self.draft.text().len()
            }
        } else {
            // What is followed by more in the source does not go after the end.
            let end_of_words = self.draft.text().trim_end_matches(|c: char| is_stop(c) || c.is_whitespace()).len();
            let place = self.behind_what_precedes(start);
            if before.trim_end().ends_with(is_stop) { place } else { self.outside_placed(place.min(end_of_words)) }
        };
        let (left, right) = (self.draft.text()[..at].chars().next_back(), self.draft.text()[at..].chars().next());
        let (wanted_left, wanted_right) = (before.chars().next_back(), after.chars().next());
        let is_glued = |in_source: Option<char>, in_text: Option<char>| {
            in_source.is_some_and(|c| !c.is_whitespace())
                && (in_source == in_text || in_source.is_some_and(char::is_alphanumeric))
        };
        let space_before = left.is_some_and(|c| !c.is_whitespace() && !is_opener(c)) && !is_glued(wanted_left, left);
        let space_after =
            right.is_some_and(|c| !c.is_whitespace() && !is_stop(c) && !is_closer(c)) && !is_glued(wanted_right, right);
        self.put(span, at..at, space_before, space_after);
    }

    /// The end of the word aligned to what stands nearest before a place in the source; 0, or after opening quotes and brackets, if there is
    /// none.
    fn behind_what_precedes(&self, place: usize) -> usize {
        let precedes = |token: &&Token| {
            let source = &token.link.source;
            source.end <= place && !source.is_empty() && !self.draft.text()[token.link.target.clone()].trim().is_empty()
        };
        let nearest = self.draft.tokens().iter().filter(precedes);
        let nearest = nearest.max_by_key(|token| (token.link.source.end, token.link.target.end));
        let Some(token) = nearest else {
            let openers = self.source[..place].chars().next_back().is_some_and(is_opener);
            let start =
                self.draft.text().len() - self.draft.text().trim_start_matches(|c: char| openers && is_opener(c)).len();
            return self.outside_placed(start);
        };
        let end = token.link.target.end;
        let in_word = |c: char| c.is_alphanumeric() || c == '-';
        if !self.draft.text()[..end].ends_with(in_word) {
            return self.outside_placed(end);
        }
        let word_end =
            end + self.draft.text()[end..].find(|c: char| !in_word(c)).unwrap_or(self.draft.text().len() - end);
        self.outside_placed(word_end)
    }

    /// The place, or the place after what is placed if it is inside that.
    fn outside_placed(&self, at: usize) -> usize {
        self.draft.kept().iter().find(|range| range.start < at && at < range.end).map_or(at, |range| range.end)
    }

    fn put(&mut self, span: usize, range: Range<usize>, space_before: bool, space_after: bool) {
        let wanted = self.wanted(span).to_owned();
        // It must not become part of something longer.
        let left = self.draft.text()[..range.start].chars().next_back();
        let right = self.draft.text()[range.end..].chars().next();
        let Range { start, end } = self.spans[span].range;
        let spaced = |c: Option<char>| c.is_some_and(char::is_whitespace);
        let behind = self.draft.kept().iter().any(|placed| placed.end == range.start);
        let in_front = self.draft.kept().iter().any(|placed| placed.start == range.end);
        let space_before = space_before
            || goes_on(wanted.chars().next(), left)
            || behind && spaced(self.source[..start].chars().next_back());
        let space_after = space_after
            || goes_on(wanted.chars().next_back(), right)
            || in_front && spaced(self.source[end..].chars().next());
        self.draft.put(range, &wanted, (space_before, space_after), start..end);
    }
}

/// Whether a character beside the edge of a span makes it part of something longer.
fn goes_on(edge: Option<char>, next: Option<char>) -> bool {
    let (Some(edge), Some(next)) = (edge, next) else { return false };
    let in_word = |c: char| c.is_alphanumeric() || c == '_';
    in_word(edge) && (in_word(next) || matches!(next, '/' | '@'))
        || in_word(next) && matches!(edge, '/' | '@')
        || edge == next && is_repeated(edge)
        || next == '\u{200d}'
}

/// Whether two of a sign are one longer sign: `--`, `$$`, `……`. Two pictures are two.
fn is_repeated(sign: char) -> bool {
    sign.is_ascii_punctuation() || ('\u{2010}'..='\u{205e}').contains(&sign)
}

/// The pairs of neighbouring letters and digits, sorted, without case.
fn pairs(text: &str) -> Vec<(char, char)> {
    let letters: Vec<char> = text.to_lowercase().chars().filter(|c| c.is_alphanumeric()).collect();
    let mut pairs: Vec<(char, char)> = letters.windows(2).map(|pair| (pair[0], pair[1])).collect();
    pairs.sort_unstable();
    pairs
}

/// Dice's coefficient of two sorted lists: `2·|a ∩ b| / (|a| + |b|)`; 0 for what is too short to tell.
fn likeness(a: &[(char, char)], b: &[(char, char)]) -> f32 {
    if a.len() < 3 || b.len() < 3 {
        return 0.0;
    }
    let (mut common, mut rest) = (0, b);
    for pair in a {
        let skipped = rest.iter().take_while(|other| *other < pair).count();
        rest = &rest[skipped..];
        if rest.first() == Some(pair) {
            (common, rest) = (common + 1, &rest[1..]);
        }
    }
    2.0 * common as f32 / (a.len() + b.len()) as f32
}

/// Signs after which a sentence or clause ends.
fn is_stop(c: char) -> bool {
    matches!(c, '.' | ',' | ';' | ':' | '!' | '?' | '…')
}

fn is_closer(c: char) -> bool {
    matches!(c, ')' | ']' | '}' | '"' | '\'' | '”' | '“' | '’' | '»' | '«')
}

fn is_opener(c: char) -> bool {
    matches!(c, '(' | '[' | '{' | '"' | '\'' | '„' | '‚' | '“' | '‘' | '«' | '»' | '¿' | '¡')
}

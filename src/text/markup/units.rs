//! Words and punctuation marks of a translation, and where each comes from.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use super::{Aligned, Link, Node, NodeKind, stand_in_index};

/// A word or a punctuation mark of the translation.
#[derive(Clone, Debug)]
pub(super) struct Unit {
    pub range: Range<usize>,
    /// Where it comes from, without white space at the ends, with weights.
    pub origins: Vec<(Range<usize>, f32)>,
    pub is_word: bool,
    /// Index of its sentence; `usize::MAX` between sentences.
    pub sentence: usize,
    /// Origins are certain, not the model's.
    pub certain: bool,
}

impl Unit {
    /// How much the unit counts in a run.
    pub fn weight(&self) -> f32 {
        if self.is_word { self.range.len() as f32 } else { 0.05 }
    }

    /// The unit cut into the element's part and what is before and after it.
    fn parts(&self, found: Range<usize>, element: &Node) -> Vec<Unit> {
        let element_start = |origin: &Range<usize>| element.range.start.clamp(origin.start, origin.end);
        let element_end = |origin: &Range<usize>| element.range.end.clamp(origin.start, origin.end);
        // The rest of a word that the element is a part of.
        let rest = |(origin, weight): &(Range<usize>, f32)| {
            let outside = [origin.start..element_start(origin), element_end(origin)..origin.end];
            let share = *weight / origin.len() as f32;
            outside.map(|part| (part.clone(), share * part.len() as f32))
        };
        let elsewhere: Vec<(Range<usize>, f32)> =
            self.origins.iter().flat_map(rest).filter(|(part, _)| !part.is_empty()).collect();
        let parts = [
            (self.range.start..found.start, elsewhere.clone(), false),
            (found.clone(), vec![(element.range.clone(), 1.0)], true),
            (found.end..self.range.end, elsewhere, false),
        ];
        let parts = parts.into_iter().filter(|(range, ..)| !range.is_empty());
        parts.map(|(range, origins, certain)| Unit { range, origins, certain, ..self.clone() }).collect()
    }

    /// Middle of the origins.
    pub fn center(&self) -> Option<usize> {
        let total: usize = self.origins.iter().map(|(range, _)| range.start + range.end).sum();
        (!self.origins.is_empty()).then(|| total / (2 * self.origins.len()))
    }
}

/// Words and punctuation marks: letters and digits with what joins them inside ("it's", "v1.2", "E-Mail"), and other characters except white
/// space one by one, with equal ones together. A thing that stays is a word of its own, whatever touches it.
pub(super) fn words(text: &str, base: usize) -> Vec<(Range<usize>, bool)> {
    let mut found: Vec<(Range<usize>, bool)> = Vec::new();
    let mut characters = text.char_indices().peekable();
    let mut previous: Option<(char, bool)> = None;
    while let Some((index, c)) = characters.next() {
        let end = base + index + c.len_utf8();
        if stays(c) {
            found.push((base + index..end, true));
            previous = None;
            continue;
        }
        let joins = match c {
            _ if is_word_character(c) => previous.is_some_and(|(_, in_word)| in_word),
            '-' | '\'' | '’' | '.' | '_' | '@' | '&' | '+' | '\u{ad}' | '\u{2011}' => {
                previous.is_some_and(|(_, in_word)| in_word)
                    && characters.peek().is_some_and(|(_, next)| is_word_character(*next) && !stays(*next))
            }
            // Languages differ in which sign goes into a number.
            ',' => {
                previous.is_some_and(|(before, _)| before.is_ascii_digit())
                    && characters.peek().is_some_and(|(_, next)| next.is_ascii_digit())
            }
            _ => previous.is_some_and(|(before, in_word)| before == c && !in_word),
        };
        let is_word = is_word_character(c) || (joins && previous.is_some_and(|(_, in_word)| in_word));
        if c.is_whitespace() {
            previous = None;
            continue;
        }
        match found.last_mut() {
            Some((range, _)) if joins => range.end = end,
            _ => found.push((base + index..end, is_word)),
        }
        previous = Some((c, is_word));
    }
    found
}

pub(super) fn is_word_character(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || matches!(c, '\u{300}'..='\u{36f}' | '\u{200d}' | '\u{fe0f}')
}

/// Whether a letter stands for a thing that stays.
fn stays(letter: char) -> bool {
    stand_in_index(letter).is_some()
}

pub(super) fn trimmed(text: &str, range: &Range<usize>) -> Range<usize> {
    let content = &text[range.clone()];
    let start = range.start + content.len() - content.trim_start().len();
    start..start + content.trim().len()
}

/// A piece of the source without white space at its ends, and without things that stay.
fn own_words(source: &str, range: &Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let pieces = source[range.clone()].split(stays);
    let place = |piece: &str| piece.as_ptr() as usize - source.as_ptr() as usize;
    pieces
        .map(move |piece| trimmed(source, &(place(piece)..place(piece) + piece.len())))
        .filter(|range| !range.is_empty())
}

pub(super) fn has_word(text: &str) -> bool {
    text.contains(is_word_character)
}

/// Whether the same spelling on both sides is most likely the same thing: numbers, names, code, long words.
fn is_copied(text: &str) -> bool {
    let length = text.chars().count();
    text.contains(|c: char| c.is_ascii_digit() || stays(c))
        || length >= 6
        || (length >= 2 && text.contains(['_', '.', '@', '/', '(', '=', '<', '$']) && has_word(text))
        || (length >= 2 && text.chars().all(char::is_uppercase))
        || (length >= 4 && text.contains(char::is_uppercase))
}

/// Whether both are spelt the same except for case and for the signs in numbers, each character in as many bytes.
fn is_copy(from: &str, to: &str) -> bool {
    let is_number = has_digit(from);
    let is_sign = |c: char| matches!(c, '.' | ',') && is_number;
    let same = |(a, b): (char, char)| {
        a == b || is_sign(a) && is_sign(b) || a.len_utf8() == b.len_utf8() && a.to_lowercase().eq(b.to_lowercase())
    };
    from.len() == to.len() && from.chars().zip(to.chars()).all(same)
}

fn has_digit(text: &str) -> bool {
    text.contains(|c: char| c.is_ascii_digit())
}

/// A word as it is spelt in all languages: "1,500" and "1.500" are the same number.
fn spelling(word: &str) -> Cow<'_, str> {
    if word.contains(',') && has_digit(word) { word.replace(',', ".").into() } else { word.into() }
}

/// How many elements inside words are looked for inside words of the translation, per block.
const MAX_CUT_OUT: usize = 256;

/// How many elements are looked for literally in the translation, per sentence.
const MAX_LOOKED_FOR: usize = 256;

/// How far an empty element looks for a word to stand by, in bytes.
pub(super) const MAX_REACH: usize = 256;

pub(super) struct Units(pub Vec<Unit>);

impl Units {
    pub fn new(source: &str, nodes: &[Node], translation: Aligned) -> Units {
        let mut units = Vec::new();
        let mut tokens: Vec<&Link> = translation.tokens.iter().collect();
        tokens.sort_by_key(|token| token.target.start);
        let (mut target_end, mut source_end) = (0, 0);
        for (index, sentence) in translation.sentences.iter().enumerate() {
            Self::copied(
                source,
                translation.text,
                source_end..sentence.source.start,
                target_end..sentence.target.start,
                &mut units,
            );
            let (from, to) = (sentence.source.clone(), sentence.target.clone());
            if source[from.clone()] == translation.text[to.clone()] {
                // Copied, since there was nothing to translate.
                Self::copied(source, translation.text, from, to, &mut units);
                (target_end, source_end) = (sentence.target.end, sentence.source.end);
                continue;
            }
            let first = units.len();
            for (range, is_word) in words(&translation.text[sentence.target.clone()], sentence.target.start) {
                units.push(Unit { range, origins: Vec::new(), is_word, sentence: index, certain: false });
            }
            Self::link(source, &mut units[first..], &tokens);
            Self::match_spellings(source, translation.text, sentence, &mut units[first..]);
            // In document order nodes start in ascending order.
            let inside = nodes.partition_point(|node| node.range.start < sentence.source.start)
                ..nodes.partition_point(|node| node.range.start < sentence.source.end);
            let inside = nodes[inside].iter().filter(|node| node.range.end <= sentence.source.end);
            for node in inside.filter(|node| node.kind != NodeKind::Text).take(MAX_LOOKED_FOR) {
                Self::match_element(source, translation.text, node, sentence, &mut units[first..]);
            }
            (target_end, source_end) = (sentence.target.end, sentence.source.end);
        }
        let (target, source_range) = (target_end..translation.text.len(), source_end..source.len());
        Self::copied(source, translation.text, source_range, target, &mut units);
        let mut units = Units(units);
        units.cut_at_borders(source, nodes, translation, &tokens);
        units
    }

    /// Units between sentences: the same on both sides.
    fn copied(source: &str, text: &str, origin: Range<usize>, target: Range<usize>, units: &mut Vec<Unit>) {
        let same = source[origin.clone()] == text[target.clone()];
        for (range, is_word) in words(&text[target.clone()], target.start) {
            let start = origin.start + (range.start - target.start);
            let origins = if same { vec![(start..start + range.len(), 1.0)] } else { Vec::new() };
            units.push(Unit { range, origins, is_word, sentence: usize::MAX, certain: same });
        }
    }

    /// Gives the units of one sentence the origins of the tokens they overlap. Both ascend. Things that stay come from themselves, as their
    /// spelling tells, and nothing else comes from them.
    fn link(source: &str, units: &mut [Unit], tokens: &[&Link]) {
        let Some(from) = units.first().map(|unit| unit.range.start) else { return };
        let mut first = tokens.partition_point(|token| token.target.start < from).saturating_sub(1);
        for unit in units {
            while first < tokens.len() && tokens[first].target.end <= unit.range.start {
                first += 1;
            }
            for token in tokens[first..].iter().take_while(|token| token.target.start < unit.range.end) {
                let common =
                    token.target.end.min(unit.range.end).saturating_sub(token.target.start.max(unit.range.start));
                for origin in own_words(source, &token.source).filter(|_| common > 0) {
                    unit.origins.push((origin, common as f32));
                }
            }
        }
    }

    /// Aligns units to the source words spelt like them, in order, if there are equally many.
    fn match_spellings(source: &str, text: &str, sentence: &Link, units: &mut [Unit]) {
        let originals = words(&source[sentence.source.clone()], sentence.source.start);
        let mut by_spelling = HashMap::<Cow<str>, (Vec<usize>, Vec<usize>)>::new();
        for (index, (range, _)) in originals.iter().enumerate() {
            by_spelling.entry(spelling(&source[range.clone()])).or_default().0.push(index);
        }
        for (index, unit) in units.iter().enumerate() {
            if let Some((_, found)) = by_spelling.get_mut(&spelling(&text[unit.range.clone()])) {
                found.push(index);
            }
        }
        let mut taken: Vec<Range<usize>> = Vec::new();
        for (spelling, (sources, targets)) in by_spelling {
            // A thing that stays occurs once; if it is said twice, the first one is meant.
            let is_said_twice = spelling.starts_with(stays) && sources.len() < targets.len();
            if (sources.len() == targets.len() || is_said_twice) && is_copied(&spelling) {
                for (&from, &to) in sources.iter().zip(&targets) {
                    units[to].origins = vec![(originals[from].0.clone(), 1.0)];
                    units[to].certain = true;
                    taken.push(originals[from].0.clone());
                }
            }
        }
        // No other word comes from a word that is accounted for.
        taken.sort_by_key(|range| range.start);
        for unit in units.iter_mut().filter(|unit| !unit.certain) {
            unit.origins.retain(|(origin, _)| {
                let next = taken.partition_point(|range| range.end <= origin.start);
                taken.get(next).is_none_or(|range| overlap(range, origin) == 0)
            });
        }
    }

    /// Aligns the units of an element of several words that is copied as a whole (code, a title) if it occurs equally often on both sides.
    fn match_element(source: &str, text: &str, node: &Node, sentence: &Link, units: &mut [Unit]) {
        let range = trimmed(source, &node.range);
        let wanted = &source[range.clone()];
        if wanted.len() > MAX_REACH || !is_copied(wanted) || words(wanted, 0).len() < 2 {
            return;
        }
        let (from, to) = (&source[sentence.source.clone()], &text[sentence.target.clone()]);
        if from.matches(wanted).count() != to.matches(wanted).count() {
            return;
        }
        let rank = from[..range.start - sentence.source.start].matches(wanted).count();
        let Some((start, _)) = to.match_indices(wanted).nth(rank) else { return };
        let found = sentence.target.start + start..sentence.target.start + start + wanted.len();
        let first = units.partition_point(|unit| unit.range.start < found.start);
        for unit in units[first..].iter_mut().take_while(|unit| unit.range.end <= found.end) {
            let start = range.start + unit.range.start - found.start;
            unit.origins = vec![(start..start + unit.range.len(), 1.0)];
            unit.certain = true;
        }
    }

    /// Cuts units where an element begins, ends or lies inside a word: at that place in a copied word, at signs in other words, or where an
    /// element's whole text lies inside a longer word.
    fn cut_at_borders(&mut self, source: &str, nodes: &[Node], translation: Aligned, tokens: &[&Link]) {
        let mut borders: Vec<usize> = Vec::new();
        let within_word = |place: usize| {
            source[..place].ends_with(is_word_character) && source[place..].starts_with(|c: char| !c.is_whitespace())
                || source[place..].starts_with(is_word_character)
                    && source[..place].ends_with(|c: char| !c.is_whitespace())
        };
        let elements = || nodes.iter().filter(|node| node.kind != NodeKind::Text);
        for node in elements() {
            borders.extend([node.range.start, node.range.end].into_iter().filter(|&place| within_word(place)));
        }
        borders.sort_unstable();
        borders.dedup();
        let mut cut = Vec::with_capacity(self.0.len());
        for unit in self.0.drain(..) {
            let (start, end) = unit
                .origins
                .iter()
                .fold((usize::MAX, 0), |(start, end), (origin, _)| (start.min(origin.start), end.max(origin.end)));
            let origin = start.min(end)..end;
            let inside = &borders[borders.partition_point(|&border| border <= origin.start)..];
            let inside = &inside[..inside.partition_point(|&border| border < origin.end)];
            if inside.is_empty() {
                cut.push(unit);
            } else if is_copy(&source[origin.clone()], &translation.text[unit.range.clone()]) {
                let mut start = origin.start;
                for &end in inside.iter().chain([&origin.end]) {
                    let range = unit.range.start + start - origin.start..unit.range.start + end - origin.start;
                    cut.push(Unit { range, origins: vec![(start..end, 1.0)], certain: true, ..unit.clone() });
                    start = end;
                }
            } else {
                cut.extend(Self::cut_at_signs(source, unit, inside, translation, tokens));
            }
        }
        self.0 = cut;
        self.cut_compounds(source, nodes, translation);
        // Rare in honest text, and each looks through all units.
        let inside = elements()
            .filter(|node| !node.range.is_empty() && (within_word(node.range.start) || within_word(node.range.end)));
        for node in inside.take(MAX_CUT_OUT) {
            self.match_ordinal(source, node, translation);
            self.cut_out(source, node, translation);
            self.cut_initial(source, node, translation);
        }
    }

    /// If the element is the ending of a number, aligns the number to itself, and the stop after it to the ending: "21<sup>st</sup>", "21."
    fn match_ordinal(&mut self, source: &str, node: &Node, translation: Aligned) {
        let ending = &source[node.range.clone()];
        let start = source[..node.range.start].trim_end_matches(|c: char| c.is_ascii_digit()).len();
        let number = start..node.range.start;
        if number.is_empty() || !ending.starts_with(char::is_alphabetic) || ending.contains(char::is_whitespace) {
            return;
        }
        let text = |unit: &Unit| &translation.text[unit.range.clone()];
        let word = start..node.range.end;
        let is_it = |unit: &Unit| {
            text(unit) == &source[number.clone()] && unit.origins.iter().any(|(origin, _)| overlap(origin, &word) > 0)
        };
        let Some(index) = self.0.iter().position(is_it) else { return };
        let end = self.0[index].range.end;
        let stop = self.0.get(index + 1).is_some_and(|next| next.range.start == end && text(next) == ".");
        let own = [(index, number), (index + 1, node.range.clone())];
        for (index, origin) in own.into_iter().take(1 + usize::from(stop)) {
            self.0[index].origins = vec![(origin, 1.0)];
            self.0[index].certain = true;
        }
    }

    /// If the element is the first letter of a word, set apart for show, cuts off the first letter of that word's translation: of the first
    /// word if it begins the sentence.
    fn cut_initial(&mut self, source: &str, node: &Node, translation: Aligned) {
        let letter = source[node.range.clone()].trim_start_matches(|c: char| !c.is_alphanumeric());
        let mut letters = letter.chars();
        let is_letter = letters.next().is_some_and(char::is_alphabetic) && letters.next().is_none();
        let rest = &source[node.range.end..];
        let length = rest.find(|c| !is_word_character(c)).unwrap_or(rest.len());
        let place = node.range.end - letter.len();
        if !is_letter || !rest.starts_with(char::is_alphabetic) || source[..place].ends_with(is_word_character) {
            return;
        }
        let word = place..node.range.end + length;
        let sentences = translation.sentences;
        let sentence = sentences.partition_point(|sentence| sentence.source.end <= place);
        let begins_it = sentences
            .get(sentence)
            .is_some_and(|sentence| source.get(sentence.source.start..place).is_some_and(|before| !has_word(before)));
        let comes_from = |unit: &Unit| unit.origins.iter().map(|(origin, _)| overlap(origin, &word)).sum::<usize>();
        let found = if begins_it {
            self.0.iter().position(|unit| unit.is_word && unit.sentence == sentence)
        } else {
            let mut units = self.0.iter().enumerate().filter(|(_, unit)| !unit.certain && comes_from(unit) > 0);
            units.next().map(|(index, _)| index)
        };
        let Some(index) = found else { return };
        let range = self.0[index].range.clone();
        let is_part = translation.text[..range.start].ends_with(is_word_character);
        let first = translation.text[range.clone()].chars().next().filter(|first| first.is_alphabetic() && !is_part);
        if let Some(first) = first {
            let mut parts = self.0[index].parts(range.start..range.start + first.len_utf8(), node);
            parts[0].origins = vec![(place..node.range.end, 1.0)];
            self.0.splice(index..=index, parts);
        }
    }

    /// Cuts a word between its letters and the signs that join them, where these come from different sides of a border:
    /// "<b>red</b>+green" becomes "<b>rot</b>+grün".
    fn cut_at_signs(source: &str, unit: Unit, borders: &[usize], translation: Aligned, tokens: &[&Link]) -> Vec<Unit> {
        if unit.certain || !unit.is_word {
            return vec![unit];
        }
        let text = &translation.text[unit.range.clone()];
        let mut parts: Vec<Unit> = Vec::new();
        let mut previous = None;
        for (index, c) in text.char_indices() {
            let start = unit.range.start + index;
            let is_word = is_word_character(c) && c != '_';
            match parts.last_mut() {
                Some(part) if previous == Some(true) && is_word => part.range.end = start + c.len_utf8(),
                _ => {
                    let range = start..start + c.len_utf8();
                    parts.push(Unit { range, origins: Vec::new(), is_word, ..unit.clone() });
                }
            }
            previous = Some(is_word);
        }
        Self::link(source, &mut parts, tokens);
        // Between which borders a part comes from, if it comes from nowhere else.
        let side = |part: &Unit| {
            let mut sides = part.origins.iter().map(|(origin, _)| {
                let side = borders.partition_point(|&border| border <= origin.start);
                borders.get(side).is_none_or(|&border| origin.end <= border).then_some(side)
            });
            let first = sides.next()??;
            sides.all(|side| side == Some(first)).then_some(first)
        };
        let mut cut: Vec<(Unit, Option<usize>)> = Vec::with_capacity(parts.len());
        for part in parts {
            let of = side(&part);
            match cut.last_mut() {
                Some((last, before)) if of.is_none() || before.is_none() || of == *before => {
                    last.range.end = part.range.end;
                    last.is_word |= part.is_word;
                    last.origins.extend(part.origins);
                    *before = before.or(of);
                }
                _ => cut.push((part, of)),
            }
        }
        if cut.len() == 1 { vec![unit] } else { cut.into_iter().map(|(part, _)| part).collect() }
    }

    /// If the element's text is part of a word of the source and occurs in one unit aligned to it, cuts it out of that unit.
    fn cut_out(&mut self, source: &str, node: &Node, translation: Aligned) {
        let wanted = &source[node.range.clone()];
        if wanted.trim() != wanted || !is_copied(wanted) {
            return;
        }
        let touches = |unit: &Unit| unit.origins.iter().any(|(range, _)| overlap(range, &node.range) > 0);
        let Some(index) =
            self.0.iter().position(|unit| touches(unit) && translation.text[unit.range.clone()].contains(wanted))
        else {
            return;
        };
        let unit = &self.0[index];
        if unit.certain {
            return;
        }
        let start = unit.range.start + translation.text[unit.range.clone()].find(wanted).unwrap_or_default();
        let parts = unit.parts(start..start + wanted.len(), node);
        self.0.splice(index..=index, parts);
    }

    /// Cuts elements out of compounds with hyphens: "`color` property" becomes "`color`-Eigenschaft".
    fn cut_compounds(&mut self, source: &str, nodes: &[Node], translation: Aligned) {
        let mut elements = HashMap::<&str, Vec<&Node>>::new();
        for node in nodes.iter().filter(|node| node.kind != NodeKind::Text && has_word(&source[node.range.clone()])) {
            elements.entry(source[node.range.clone()].trim()).or_default().push(node);
        }
        if elements.is_empty() {
            return;
        }
        let mut cut = Vec::with_capacity(self.0.len());
        for unit in self.0.drain(..) {
            let text = &translation.text[unit.range.clone()];
            let part = text.split('-').filter(|part| part.len() < text.len() && !unit.certain).find_map(|part| {
                let touches = |node: &&&Node| unit.origins.iter().any(|(origin, _)| overlap(origin, &node.range) > 0);
                let node = elements.get(part)?.iter().take(MAX_LOOKED_FOR).find(touches)?;
                let start = unit.range.start + (part.as_ptr() as usize - text.as_ptr() as usize);
                Some((start..start + part.len(), *node))
            });
            match part {
                Some((part, node)) => cut.extend(unit.parts(part, node)),
                None => cut.push(unit),
            }
        }
        self.0 = cut;
    }
}

pub(super) fn overlap(a: &Range<usize>, b: &Range<usize>) -> usize {
    a.end.min(b.end).saturating_sub(a.start.max(b.start))
}

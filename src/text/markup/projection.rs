//! The places of elements in a translation.

use std::ops::Range;

use super::units::{MAX_REACH, Unit, Units, has_word, is_word_character, overlap, trimmed, words};
use super::{Aligned, Node, NodeKind};

pub(super) struct Projection<'a> {
    pub source: &'a str,
    pub nodes: &'a [Node],
    /// Children of the block, then of each node.
    pub children: Vec<Vec<usize>>,
    pub translation: Aligned<'a>,
    pub units: Vec<Unit>,
    /// Where in the source the units' origins start, ascending, and the unit.
    pub origins: Vec<(usize, usize)>,
    /// Places of the elements in the translation.
    pub ranges: Vec<Range<usize>>,
}

impl<'a> Projection<'a> {
    pub fn new(source: &'a str, nodes: &'a [Node], translation: Aligned<'a>) -> Self {
        let mut children = vec![Vec::new(); nodes.len() + 1];
        for (index, node) in nodes.iter().enumerate() {
            children[node.parent.map_or(0, |parent| parent + 1)].push(index);
        }
        let units = Units::new(source, nodes, translation).0;
        let mut origins: Vec<(usize, usize)> = Vec::new();
        for (index, unit) in units.iter().enumerate() {
            origins.extend(unit.origins.iter().map(|(range, _)| (range.start, index)));
        }
        origins.sort_unstable();
        origins.dedup();
        let ranges = vec![0..0; nodes.len()];
        Projection { source, nodes, children, translation, units, origins, ranges }
    }

    /// Top down.
    pub fn place_elements(&mut self) {
        let mut pending = vec![(None, 0..self.units.len())];
        while let Some((parent, units)) = pending.pop() {
            let children = &self.children[parent.map_or(0, |parent: usize| parent + 1)];
            let elements: Vec<usize> =
                children.iter().copied().filter(|&child| self.nodes[child].kind != NodeKind::Text).collect();
            let (mut full, mut empty): (Vec<usize>, Vec<usize>) = elements
                .into_iter()
                .partition(|&child| !self.source[self.nodes[child].range.clone()].trim().is_empty());
            let runs = self.choose_runs(parent, &full, units.clone());
            for (&element, run) in full.iter().zip(&runs) {
                match run {
                    Some(run) => {
                        self.ranges[element] = self.bytes(run, parent);
                        pending.push((Some(element), run.clone()));
                    }
                    None => empty.push(element),
                }
            }
            let mut placed = runs.iter().map(Option::is_some);
            full.retain(|_| placed.next() == Some(true));
            let mut siblings: Vec<(Range<usize>, usize)> =
                full.iter().map(|&element| (self.ranges[element].clone(), self.nodes[element].range.start)).collect();
            siblings.sort_by_key(|(range, _)| (range.start, range.end));
            for element in empty {
                let place = self.place_of_empty(element, parent, units.clone(), &siblings);
                self.ranges[element] = place..place;
                // An element without text may hold others without text.
                pending.push((Some(element), units.start..units.start));
            }
        }
    }

    /// The bytes of a run of units; for an empty run, the place before its unit.
    fn bytes(&self, run: &Range<usize>, parent: Option<usize>) -> Range<usize> {
        let within = self.range_of(parent);
        if run.is_empty() {
            let place = match self.units.get(run.start) {
                Some(unit) if run.start == 0 || unit.range.start <= within.end => unit.range.start,
                _ => within.end,
            };
            let place = place.clamp(within.start, within.end);
            return place..place;
        }
        self.units[run.start].range.start..self.units[run.end - 1].range.end
    }

    pub fn range_of(&self, parent: Option<usize>) -> Range<usize> {
        parent.map_or(0..self.translation.text.len(), |parent| self.ranges[parent].clone())
    }

    fn source_range_of(&self, parent: Option<usize>) -> Range<usize> {
        parent.map_or(0..self.source.len(), |parent| self.nodes[parent].range.clone())
    }

    /// For each of these siblings, ascending in the source, a run of `units`, or none if it has to go between them; the runs do not overlap.
    fn choose_runs(&self, parent: Option<usize>, elements: &[usize], units: Range<usize>) -> Vec<Option<Range<usize>>> {
        if elements.is_empty() {
            return Vec::new();
        }
        let whole = trimmed(self.source, &self.source_range_of(parent));
        if let [only] = elements
            && trimmed(self.source, &self.nodes[*only].range) == whole
        {
            return vec![Some(units)];
        }
        let coverages = self.coverages(elements, units.clone());
        let mut by_siblings = vec![0.0f32; units.len()];
        for covered in &coverages {
            for &(unit, coverage) in covered {
                by_siblings[unit - units.start] += coverage;
            }
        }
        let mut taken = vec![false; units.len()];
        let mut runs = vec![None; elements.len()];
        let sums: Vec<f32> = (0..elements.len())
            .map(|i| {
                self.best_run(elements[i], &coverages[i], &by_siblings, &taken, &units).map_or(f32::MIN, |(_, sum)| sum)
            })
            .collect();
        let mut order: Vec<usize> = (0..elements.len()).collect();
        order.sort_by(|&a, &b| sums[b].total_cmp(&sums[a]).then(a.cmp(&b)));
        let mut homeless = Vec::new();
        for index in order {
            let best = self.best_run(elements[index], &coverages[index], &by_siblings, &taken, &units);
            let Some((run, _)) = best else {
                homeless.push(index);
                continue;
            };
            let run = self.settle_function_words(elements[index], run, &taken, &units);
            let run = self.settle_punctuation(elements[index], run, &taken, &units);
            taken[run.start - units.start..run.end - units.start].fill(true);
            runs[index] = Some(run);
        }
        for index in homeless {
            let nearest = self.nearest_unit(elements[index], &coverages[index], &by_siblings, &taken, &units);
            runs[index] = nearest.map(|unit| unit..unit + 1);
            if let Some(unit) = nearest {
                taken[unit - units.start] = true;
            }
        }
        runs
    }

    /// For each element, the units it covers at all, ascending, with the coverage.
    fn coverages(&self, elements: &[usize], units: Range<usize>) -> Vec<Vec<(usize, f32)>> {
        let mut coverages: Vec<Vec<(usize, f32)>> = vec![Vec::new(); elements.len()];
        let starts: Vec<usize> = elements.iter().map(|&element| self.nodes[element].range.start).collect();
        // For each sentence, the element that has all its words.
        let owners: Vec<Option<usize>> = self
            .translation
            .sentences
            .iter()
            .map(|sentence| {
                let index = starts.partition_point(|&start| start <= sentence.source.start).saturating_sub(1);
                (index..elements.len().min(index + 2)).find(|&index| {
                    let range = &self.nodes[elements[index]].range;
                    let (start, end) = (range.start.max(sentence.source.start), range.end.min(sentence.source.end));
                    start < end
                        && has_word(&self.source[start..end])
                        && !has_word(&self.source[sentence.source.start..start])
                        && !has_word(&self.source[end..sentence.source.end])
                })
            })
            .collect();
        for unit in units {
            let Unit { origins, sentence, is_word, .. } = &self.units[unit];
            if let Some(owner) = owners.get(*sentence).copied().flatten().filter(|_| *is_word) {
                coverages[owner].push((unit, 1.0));
                continue;
            }
            let total: f32 = origins.iter().map(|(_, weight)| weight).sum();
            for (range, weight) in origins {
                let first = starts.partition_point(|&start| start <= range.start).saturating_sub(1);
                for index in first..elements.len() {
                    let element = &self.nodes[elements[index]].range;
                    if element.start >= range.end {
                        break;
                    }
                    let share = overlap(range, element) as f32 / range.len() as f32 * weight / total;
                    match coverages[index].last_mut() {
                        _ if share == 0.0 => {}
                        Some((last, coverage)) if *last == unit => *coverage += share,
                        _ => coverages[index].push((unit, share)),
                    }
                }
            }
        }
        coverages
    }

    /// The run with the largest sum, if that is positive, and the sum.
    fn best_run(
        &self,
        element: usize,
        covered: &[(usize, f32)],
        by_siblings: &[f32],
        taken: &[bool],
        units: &Range<usize>,
    ) -> Option<(Range<usize>, f32)> {
        let only_signs = !has_word(&self.source[self.nodes[element].range.clone()]);
        // A unit that also comes from what touches the element must not be replaced by its content.
        let range = &self.nodes[element].range;
        let is_more = |unit: usize| {
            let goes_beyond = |origin: &Range<usize>| match overlap(origin, range) {
                0 => origin.end == range.start || origin.start == range.end,
                common => common < origin.len(),
            };
            self.nodes[element].kind == NodeKind::Verbatim
                && self.units[unit].origins.iter().any(|(origin, _)| goes_beyond(origin))
        };
        // An ending may have become a sign: "21<sup>st</sup>", "21."
        let may_be_signs = only_signs || self.source[..range.start].ends_with(is_word_character);
        let last = covered.last()?.0;
        let mut covered = covered.iter().peekable();
        let mut best: Option<(Range<usize>, f32)> = None;
        let (mut start, mut sum, mut has_unit) = (0, 0.0f32, false);
        let mut unit = covered.peek()?.0;
        while unit <= last {
            if sum <= 0.0 {
                // A run that is worth something starts with a covered unit.
                let Some((next, _)) = covered.peek() else { break };
                (start, sum, unit, has_unit) = (*next, 0.0, *next, false);
            }
            let coverage = covered.next_if(|(index, _)| *index == unit).map_or(0.0, |(_, coverage)| *coverage);
            let index = unit - units.start;
            unit += 1;
            if taken[index] {
                sum = 0.0;
                continue;
            }
            let weight = if only_signs { 1.0 } else { self.units[unit - 1].weight() };
            let others = by_siblings[index] - coverage;
            let coverage = if is_more(unit - 1) { 0.0 } else { coverage };
            let value = weight * (2.0 * coverage - 1.0);
            sum += if value < 0.0 && others > 0.5 { 3.0 * value } else { value };
            let longer = |run: &Range<usize>| unit - start > run.len();
            has_unit |= may_be_signs || self.units[unit - 1].is_word && coverage > 0.0;
            if sum > 0.0
                && has_unit
                && best.as_ref().is_none_or(|(run, most)| sum > *most || sum == *most && longer(run))
            {
                best = Some((start..unit, sum));
            }
        }
        best
    }

    /// A unit for an element that no unit mainly comes from: the one it covers most, else the one whose origin is nearest and that no sibling
    /// covers.
    fn nearest_unit(
        &self,
        element: usize,
        covered: &[(usize, f32)],
        by_siblings: &[f32],
        taken: &[bool],
        units: &Range<usize>,
    ) -> Option<usize> {
        let free = |unit: usize| !taken[unit - units.start];
        let range = &self.nodes[element].range;
        let center = (range.start + range.end) / 2;
        let distance = |unit: &usize| self.units[*unit].center().map_or(usize::MAX, |place| place.abs_diff(center));
        let text = self.source[range.clone()].trim();
        let same = |unit: &usize| self.translation.text[self.units[*unit].range.clone()] == *text;
        let spelt_the_same = units.clone().filter(|&unit| free(unit)).filter(same).min_by_key(distance);
        // Signs go with the same sign, or nowhere; and no other word is replaced by an element that keeps its own.
        if spelt_the_same.is_some() || !has_word(text) || self.nodes[element].kind == NodeKind::Verbatim {
            return spelt_the_same;
        }
        let covered = covered.iter().filter(|(unit, _)| free(*unit) && self.units[*unit].is_word);
        if let Some((unit, _)) = covered.max_by(|a, b| a.1.total_cmp(&b.1)) {
            return Some(*unit);
        }
        // An ending with nothing like it in the other language: not the next best word.
        if self.source[..range.start].ends_with(is_word_character) {
            return None;
        }
        let candidates = units.clone().filter(|&unit| free(unit) && self.units[unit].is_word);
        candidates.filter(|&unit| by_siblings[unit - units.start] < 0.5).min_by_key(distance)
    }

    /// The place of an element without text.
    fn place_of_empty(
        &self,
        element: usize,
        parent: Option<usize>,
        units: Range<usize>,
        siblings: &[(Range<usize>, usize)],
    ) -> usize {
        let place = self.nodes[element].range.start;
        let outer = self.source_range_of(parent);
        let within = self.range_of(parent);
        let found = if self.source[outer.start..place].trim().is_empty() {
            within.start
        } else if self.source[place..outer.end].trim().is_empty() {
            within.end
        } else {
            self.between_sentences(place)
                .unwrap_or_else(|| self.beside_word(place, &outer, units))
                .clamp(within.start, within.end)
        };
        // Not into the middle of a sibling, nor after one that has the word and comes later. `siblings` are sorted and do not overlap.
        let before = siblings.partition_point(|(range, _)| range.start < found);
        match before.checked_sub(1).map(|index| &siblings[index]) {
            Some((range, origin)) if *origin >= place && found <= range.end => range.start,
            Some((range, _)) if found < range.end => range.end,
            _ => found,
        }
    }

    /// The corresponding place between sentences, if the place is one.
    fn between_sentences(&self, place: usize) -> Option<usize> {
        let sentences = self.translation.sentences;
        let next = sentences.partition_point(|sentence| sentence.source.end < place);
        let (from, until) = match sentences.get(next) {
            Some(sentence) if sentence.source.end == place => return Some(sentence.target.end),
            Some(sentence) if sentence.source.start < place => return None,
            Some(sentence) => (next.checked_sub(1), sentence.target.start),
            None => (next.checked_sub(1), self.translation.text.len()),
        };
        let (source_end, target_end) =
            from.map_or((0, 0), |index| (sentences[index].source.end, sentences[index].target.end));
        let found = (target_end + (place - source_end)).min(until);
        self.translation.text.is_char_boundary(found).then_some(found)
    }

    /// Inside a word, where the word is cut for it, else before the word; otherwise after the word it touches, or before the one that follows.
    fn beside_word(&self, place: usize, outer: &Range<usize>, units: Range<usize>) -> usize {
        let comes_from = |word: &Range<usize>, first: bool| {
            let start = self.origins.partition_point(|(start, _)| *start < word.start);
            let found = self.origins[start..].iter().take_while(|(start, _)| *start < word.end).map(|(_, unit)| *unit);
            let found = found.filter(|unit| units.contains(unit));
            // Not before a comma that the other language has there.
            if first { found.min_by_key(|&unit| (!self.units[unit].is_word, unit)) } else { found.max() }
        };
        let touches_previous = !self.source[..place].ends_with(char::is_whitespace);
        let is_inside =
            self.source[..place].ends_with(is_word_character) && self.source[place..].starts_with(is_word_character);
        // The whole word became this. Where it may break is nothing that the other one has to end with.
        let goes_on = |unit: usize| {
            let origins = || self.units[unit].origins.iter();
            is_inside
                && origins().any(|(origin, _)| origin.start < place)
                && origins().any(|(origin, _)| origin.end > place)
        };
        let from = self.source.floor_char_boundary(place.saturating_sub(MAX_REACH)).max(outer.start);
        let until = self.source.ceil_char_boundary(place + MAX_REACH).min(outer.end);
        let before = words(&self.source[from..place], from);
        let after = words(&self.source[place..until], place);
        let behind = |words: &[(Range<usize>, bool)]| {
            let found = words.iter().rev().find_map(|(word, _)| comes_from(word, false));
            found.map(|unit| if goes_on(unit) { self.units[unit].range.start } else { self.units[unit].range.end })
        };
        let in_front = |words: &[(Range<usize>, bool)]| {
            let found = words.iter().find_map(|(word, is_word)| Some((comes_from(word, true)?, *is_word)));
            found.map(|(unit, is_word)| {
                // A word that became a comma begins behind it.
                let Range { start, end } = self.units[unit].range;
                let is_sign = is_word && !self.units[unit].is_word && start > 0;
                let touches = self.translation.text[..start].ends_with(is_word_character);
                let next = self
                    .units
                    .get(unit + 1)
                    .filter(|next| is_sign && touches && units.contains(&(unit + 1)) && next.range.start > end);
                next.map_or(start, |next| next.range.start)
            })
        };
        let found = if touches_previous {
            behind(&before).or_else(|| in_front(&after))
        } else {
            in_front(&after).or_else(|| behind(&before))
        };
        found.unwrap_or_else(|| units.end.checked_sub(1).map_or(0, |unit| self.units[unit].range.end))
    }
}

//! Alignments composed through the middle.
//!
//! Let `w(t, r)` be how much a token `t` of the translation looked at each piece `r` of the middle that the second model read, and `w(u, s)` how much a
//! token `u` of the middle looked at each piece `s` of the source. Then
//!
//! `w(t, s) = Σ_r w(t, r) Σ_u a(r, u) w(u, s)`
//!
//! is what `t` looked at in the source. The pieces of the two models' vocabularies are cut in different places, so `a(r, u) = |r ∩ u| / Σ_v |r ∩ v|` is the
//! share of `u` in the bytes of `r` that the first model wrote. What belongs to no word of the middle counts for the end mark. So the weights of each `t`
//! sum to 1, as both models' do, and a token is linked to what it looked at most, as in a direct translation.
//!
//! If a repair itself says where a part of the translation comes from, there is a range `m(t)` of the middle and no weights. The tokens `u` in it are
//! linked to ranges `s(u)` of the source, which are weighted by `|m(t) ∩ u|`; the token gets the run of neighbouring ranges with the largest sum.

use std::collections::BTreeMap;
use std::ops::Range;

use super::super::document::{Looked, Written};
use super::super::translation::{Attention, TranslatedToken, Translation};
use super::super::worker::index_of_largest;
use crate::text::link::{Link, overlap, shared};

/// The tokens of a translation of `middle`, with their links to the source of `middle`, which has `source` bytes, and what they looked at there.
pub fn compose(middle: &Written, translation: &Translation, source: usize) -> (Vec<TranslatedToken>, Looked) {
    let mut product = Product::new(middle, source);
    let mut tokens = Vec::new();
    let mut weights = Vec::new();
    let mut translated = translation.tokens.iter().peekable();
    for sentence in &translation.sentences {
        let before = tokens.len();
        while let Some(token) = translated.next_if(|token| token.link.target.end <= sentence.target.end) {
            let own = product.weights(&token.attention);
            let is_moved = looked_at_most(&token.attention) != Some(&token.link.source);
            let from = match own.is_empty() || is_moved {
                true => through(&middle.tokens, &token.link.source, source),
                false => product.places[index_of_largest(&own)].clone(),
            };
            let link = Link { target: token.link.target.clone(), source: from };
            tokens.push(TranslatedToken { link, log_probability: token.log_probability, attention: Vec::new() });
            weights.push(own);
        }
        // What was copied keeps the links that it has in the middle.
        if tokens.len() == before
            && middle.text.get(sentence.source.clone()) == translation.text.get(sentence.target.clone())
        {
            let (from, to) = (sentence.source.start, sentence.target.start);
            for (index, token) in middle.tokens.iter().enumerate() {
                let target = &token.link.target;
                if target.start < sentence.source.start || sentence.source.end < target.end {
                    continue;
                }
                let target = target.start - from + to..target.end - from + to;
                let link = Link { target, source: token.link.source.clone() };
                tokens.push(TranslatedToken { link, log_probability: None, attention: Vec::new() });
                weights.push(match middle.looked.weights_of(index) {
                    [] => Vec::new(),
                    _ => product.written[index].iter().map(|&weight| weight as f32).collect(),
                });
            }
        }
    }
    (tokens, Looked { places: product.places, weights })
}

/// The first of the places with the largest weight.
fn looked_at_most(attention: &[Attention]) -> Option<&Range<usize>> {
    let weights: Vec<f32> = attention.iter().map(|part| part.weight).collect();
    (!attention.is_empty()).then(|| &attention[index_of_largest(&weights)].source)
}

/// What is looked at in the source through the middle.
struct Product<'a> {
    middle: &'a [TranslatedToken],
    /// What can be looked at in the source, in order, each once; the end mark is the last.
    places: Vec<Range<usize>>,
    /// For each token of the middle, the weights of the places. A token that the first model did not write looks at what it is linked to.
    written: Vec<Vec<f64>>,
    /// The same for the pieces of the middle that the second model read, as they come up.
    read: BTreeMap<(usize, usize), Vec<f64>>,
}

impl<'a> Product<'a> {
    fn new(middle: &'a Written, source: usize) -> Self {
        let Written { tokens, looked, .. } = middle;
        let linked = tokens.iter().map(|token| &token.link.source);
        let mut places: Vec<Range<usize>> = looked.places.iter().chain(linked).cloned().collect();
        places.push(source..source);
        let order = |place: &Range<usize>| (place.start, place.end);
        places.sort_by_key(order);
        places.dedup();
        let place = |range: &Range<usize>| places.partition_point(|other| order(other) < order(range));
        let looked_at: Vec<usize> = looked.places.iter().map(place).collect();
        let of_token = |(index, token): (usize, &TranslatedToken)| {
            let mut row = vec![0.0; places.len()];
            match looked.weights_of(index) {
                [] => row[place(&token.link.source)] = 1.0,
                weights => looked_at.iter().zip(weights).for_each(|(&at, &weight)| row[at] += f64::from(weight)),
            }
            row
        };
        let written = tokens.iter().enumerate().map(of_token).collect();
        Product { middle: tokens, places, written, read: BTreeMap::new() }
    }

    /// What a token that looked at `attention` in the middle looked at in the source; nothing if it looked at nothing.
    fn weights(&mut self, attention: &[Attention]) -> Vec<f32> {
        if attention.is_empty() {
            return Vec::new();
        }
        let mut sums = vec![0.0; self.places.len()];
        for Attention { source, weight } in attention {
            let weight = f64::from(*weight);
            sums.iter_mut().zip(self.piece(source)).for_each(|(sum, part)| *sum += weight * part);
        }
        sums.into_iter().map(|sum| sum as f32).collect()
    }

    /// The weights of the places for a piece of the middle.
    fn piece(&mut self, read: &Range<usize>) -> &[f64] {
        let Self { middle, places, written, read: known } = self;
        known.entry((read.start, read.end)).or_insert_with(|| {
            let mut row = vec![0.0; places.len()];
            let shares: Vec<usize> = middle.iter().map(|token| shared(&token.link.target, read)).collect();
            let all: usize = shares.iter().sum();
            for (own, share) in written.iter().zip(shares).filter(|(_, share)| *share > 0) {
                let share = share as f64 / all as f64;
                row.iter_mut().zip(own).for_each(|(sum, part)| *sum += share * part);
            }
            if all == 0
                && let Some(end_mark) = row.last_mut()
            {
                *end_mark = 1.0;
            }
            row
        })
    }
}

/// Where a range of the middle comes from.
fn through(middle: &[TranslatedToken], range: &Range<usize>, source: usize) -> Range<usize> {
    let end_mark = source..source;
    let mut links: Vec<(Range<usize>, usize)> = middle
        .iter()
        .filter(|token| overlap(&token.link.target, range) && !token.link.source.is_empty())
        .map(|token| (token.link.source.clone(), shared(&token.link.target, range)))
        .collect();
    links.sort_by_key(|(range, _)| (range.start, range.end));
    let mut runs: Vec<(Range<usize>, usize)> = Vec::new();
    for (range, weight) in links {
        match runs.last_mut().filter(|(run, _)| range.start <= run.end) {
            Some((run, sum)) => {
                run.end = run.end.max(range.end);
                *sum += weight;
            }
            None => runs.push((range, weight)),
        }
    }
    // The first of the largest.
    runs.into_iter().rev().max_by_key(|(_, weight)| *weight).map_or(end_mark, |(run, _)| run)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(links: &[(Range<usize>, Range<usize>)]) -> Vec<TranslatedToken> {
        let token = |(target, source): &(Range<usize>, Range<usize>)| TranslatedToken {
            link: Link { target: target.clone(), source: source.clone() },
            log_probability: None,
            attention: Vec::new(),
        };
        links.iter().map(token).collect()
    }

    #[test]
    fn links_are_those_of_the_words_in_the_middle() {
        // "la gare est grande", "the sta|tion is big".
        let middle = tokens(&[(0..3, 0..2), (4..7, 3..5), (7..11, 5..7), (12..14, 8..11), (15..18, 12..18)]);
        for (range, expected) in [
            (0..3, 0..2),
            // A word that the first model wrote in two pieces.
            (4..11, 3..7),
            // A piece of it.
            (4..6, 3..5),
            // Mostly the second.
            (12..18, 12..18),
            // White space, and the end mark.
            (3..4, 18..18),
            (18..18, 18..18),
        ] {
            assert_eq!(through(&middle, &range, 18), expected, "{range:?}");
        }
    }

    fn attention(weights: &[(Range<usize>, f32)]) -> Vec<Attention> {
        weights.iter().map(|(source, weight)| Attention { source: source.clone(), weight: *weight }).collect()
    }

    #[test]
    fn weights_are_multiplied_through_the_middle() {
        // "la gare", read in two pieces and written as "the sta|tion", which the second model reads as "the station". The second half of the word was
        // written by a repair: it has only a link.
        let places = vec![0..2, 2..7, 7..7];
        let weights = vec![vec![0.75, 0.25, 0.0], vec![0.5, 0.5, 0.0], Vec::new()];
        let middle = Written {
            tokens: tokens(&[(0..3, 0..2), (3..7, 2..7), (7..11, 2..7)]),
            looked: Looked { places, weights },
            ..Written::default()
        };
        let second = attention(&[(0..3, 0.5), (3..11, 0.25), (11..11, 0.25)]);
        let mut product = Product::new(&middle, 7);
        assert_eq!(product.places, [0..2, 2..7, 7..7]);
        assert_eq!(product.weights(&second), [0.4375, 0.3125, 0.25]);
        assert!(product.weights(&[]).is_empty());
        // What a copy in the middle looks at is what it looks at in the source.
        let looked =
            Looked { places: vec![0..3, 3..11, 11..11], weights: vec![vec![1.0, 0.0, 0.0], vec![0.0, 1.0, 0.0]] };
        let copy = Written { tokens: tokens(&[(0..3, 0..3), (3..11, 3..11)]), looked, ..Written::default() };
        assert_eq!(Product::new(&copy, 11).weights(&second), [0.5, 0.25, 0.25]);
    }

    #[test]
    fn a_link_is_to_what_is_looked_at_most_in_the_source() {
        // The second and third word of the middle are each looked at less than the first, but both come from one word of the source.
        let looked = Looked {
            places: vec![0..2, 3..7, 7..7],
            weights: vec![vec![1.0, 0.0, 0.0], vec![0.1, 0.9, 0.0], vec![0.0, 1.0, 0.0]],
        };
        let middle = Written {
            text: "a bb cc".into(),
            tokens: tokens(&[(0..1, 0..2), (2..4, 3..7), (5..7, 3..7)]),
            looked,
            ..Written::default()
        };
        let places = [0..1, 2..4, 5..7, 7..7];
        let weights = [0.4, 0.3, 0.3, 0.0];
        let attention = places.into_iter().zip(weights).map(|(source, weight)| Attention { source, weight }).collect();
        let link = Link { target: 0..3, source: 0..1 };
        let mut translation = Translation {
            text: "xyz".into(),
            sentences: vec![Link { target: 0..3, source: 0..7 }],
            tokens: vec![TranslatedToken { link, log_probability: None, attention }],
            ..Translation::default()
        };
        let (tokens, looked) = compose(&middle, &translation, 7);
        assert_eq!(tokens[0].link.source, 3..7);
        assert_eq!(
            looked.weights_of(0).iter().map(|weight| (weight * 100.0).round()).collect::<Vec<_>>(),
            [43.0, 57.0, 0.0]
        );
        // If a repair has linked it to a word other than the one the model looked at, that link counts.
        translation.tokens[0].link.source = 2..4;
        translation.tokens[0].attention[0].weight = 0.9;
        assert_eq!(compose(&middle, &translation, 7).0[0].link.source, 3..7);
    }

    proptest::proptest! {
        #[test]
        fn composed_weights_sum_to_one(
            cuts in proptest::collection::vec(1..6usize, 1..12),
            read in proptest::collection::vec(1..6usize, 1..12),
            raw in proptest::collection::vec(0.0..1.0f32, 400),
        ) {
            let mut raw = raw.into_iter().cycle();
            let mut row = |lengths: &[usize]| {
                let ends = lengths.iter().scan(0, |end, length| {
                    *end += length;
                    Some(*end - length..*end)
                });
                let end: usize = lengths.iter().sum();
                let places: Vec<Range<usize>> = ends.chain(std::iter::once(end..end)).collect();
                let weights: Vec<f32> = places.iter().map(|_| raw.next().unwrap_or_default() + 1e-3).collect();
                let sum: f32 = weights.iter().sum();
                let parts = places.into_iter().zip(weights);
                parts.map(|(source, weight)| Attention { source, weight: weight / sum }).collect::<Vec<_>>()
            };
            let links: Vec<(Range<usize>, Range<usize>)> =
                row(&cuts).into_iter().take(cuts.len()).map(|part| (part.source, 0..2)).collect();
            let of_source = [2, 3, 4];
            let places = row(&of_source).into_iter().map(|part| part.source).collect();
            let mut weights = Vec::new();
            for token in 0..links.len() {
                let own = row(&of_source).into_iter().map(|part| part.weight).collect();
                weights.push(if token % 2 == 0 { own } else { Vec::new() });
            }
            let middle = Written { tokens: tokens(&links), looked: Looked { places, weights }, ..Written::default() };
            let mut product = Product::new(&middle, 9);
            let through = product.weights(&row(&read));
            let sum: f64 = through.iter().map(|&weight| f64::from(weight)).sum();
            proptest::prop_assert!((sum - 1.0).abs() < 1e-5, "{}", sum);
            proptest::prop_assert!(through.iter().all(|&weight| weight >= 0.0));
            proptest::prop_assert_eq!(product.places.last(), Some(&(9..9)));
        }
    }

    #[test]
    fn what_the_second_model_copies_keeps_its_links() {
        let middle =
            Written { text: "42 kg".into(), tokens: tokens(&[(0..2, 3..5), (2..5, 6..8)]), ..Written::default() };
        let whole = Link { target: 0..5, source: 0..5 };
        let copied = Translation { text: "42 kg".into(), sentences: vec![whole], ..Translation::default() };
        assert_eq!(compose(&middle, &copied, 9).0, middle.tokens);
    }
}

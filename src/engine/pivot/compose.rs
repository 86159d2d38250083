//! Alignments composed through the middle.
//!
//! A token `t` of the translation is linked to a range `m(t)` of the middle, a token `u` of the middle to a range `s(u)` of the source. The pieces of
//! the two models' vocabularies are cut in different places, so `t` has a share `a(t, u) = |m(t) ∩ u| / |m(t)|` in each `u`. The links of `t` to the
//! source are `s(u)` with these weights: the product of both alignments, summed over the middle. Of these the token gets the run of neighbouring
//! ranges with the largest sum.
//!
//! Where whole attention is asked for, the same holds of all weights: with `w(t, r)` for the pieces `r` of the middle that the second model read,
//! `w(u, s)` for the pieces `s` of the source, `w(t, s) = Σ_r w(t, r) Σ_u a(r, u) w(u, s)`, where `a(r, u)` is the share of `u` in the bytes of `r` that
//! the first model wrote. What no word of the middle has is the end mark's. So the weights of each `t` sum to 1, as both models' do.

use std::collections::BTreeMap;
use std::ops::Range;

use super::super::document::Written;
use super::super::translation::{Attention, TranslatedToken, Translation};
use crate::text::link::{Link, overlap, shared};

/// The tokens of a translation of `middle`, with their links to the source of `middle`, which has `source` bytes.
pub fn compose(middle: &Written, translation: &Translation, source: usize) -> Vec<TranslatedToken> {
    let mut tokens = Vec::new();
    let mut translated = translation.tokens.iter().peekable();
    for sentence in &translation.sentences {
        let before = tokens.len();
        while let Some(token) = translated.next_if(|token| token.link.target.end <= sentence.target.end) {
            let link =
                Link { target: token.link.target.clone(), source: through(&middle.tokens, &token.link.source, source) };
            let attention = match token.attention.is_empty() {
                true => Vec::new(),
                false => product(&middle.tokens, &token.attention, source),
            };
            tokens.push(TranslatedToken { link, log_probability: token.log_probability, attention });
        }
        // What was copied has the links that it has in the middle.
        if tokens.len() == before
            && middle.text.get(sentence.source.clone()) == translation.text.get(sentence.target.clone())
        {
            let (from, to) = (sentence.source.start, sentence.target.start);
            let inside = |token: &&TranslatedToken| {
                let target = &token.link.target;
                sentence.source.start <= target.start && target.end <= sentence.source.end
            };
            tokens.extend(middle.tokens.iter().filter(inside).map(|token| {
                let target = &token.link.target;
                let target = target.start - from + to..target.end - from + to;
                let link = Link { target, source: token.link.source.clone() };
                TranslatedToken { link, log_probability: None, attention: token.attention.clone() }
            }));
        }
    }
    tokens
}

/// What is looked at in the source, of `source` bytes, through what is looked at in the middle.
fn product(middle: &[TranslatedToken], attention: &[Attention], source: usize) -> Vec<Attention> {
    let mut weights: BTreeMap<(usize, usize), f64> = BTreeMap::new();
    let mut add = |range: &Range<usize>, weight: f64| *weights.entry((range.start, range.end)).or_default() += weight;
    for Attention { source: read, weight } in attention {
        let weight = f64::from(*weight);
        let written = middle.iter().map(|token| (token, shared(&token.link.target, read)));
        let written: Vec<(&TranslatedToken, usize)> = written.filter(|(_, bytes)| *bytes > 0).collect();
        let all: usize = written.iter().map(|(_, bytes)| bytes).sum();
        if written.is_empty() {
            add(&(source..source), weight);
        }
        for (token, bytes) in written {
            let share = weight * bytes as f64 / all as f64;
            if token.attention.is_empty() {
                // What stands in the middle without the model's having written it.
                add(&token.link.source, share);
            }
            token.attention.iter().for_each(|through| add(&through.source, share * f64::from(through.weight)));
        }
    }
    let attention = weights.into_iter();
    attention.map(|((start, end), weight)| Attention { source: start..end, weight: weight as f32 }).collect()
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
        // "la gare", read in two pieces and written as "the sta|tion", which the second model reads as "the station".
        let mut middle = tokens(&[(0..3, 0..2), (3..7, 2..7), (7..11, 2..7)]);
        middle[0].attention = attention(&[(0..2, 0.75), (2..7, 0.25), (7..7, 0.0)]);
        middle[1].attention = attention(&[(0..2, 0.5), (2..7, 0.5), (7..7, 0.0)]);
        // The second half of the word is a repair's: it has a link alone.
        let second = attention(&[(0..3, 0.5), (3..11, 0.25), (11..11, 0.25)]);
        let expected = attention(&[(0..2, 0.4375), (2..7, 0.3125), (7..7, 0.25)]);
        assert_eq!(product(&middle, &second, 7), expected);
        // What a copy in the middle looks at is what it looks at in the source.
        let mut copy = tokens(&[(0..3, 0..3), (3..11, 3..11)]);
        copy[0].attention = attention(&[(0..3, 1.0)]);
        copy[1].attention = attention(&[(3..11, 1.0)]);
        assert_eq!(product(&copy, &second, 11), second);
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
            let mut middle = tokens(&links);
            for token in middle.iter_mut().step_by(2) {
                token.attention = row(&[2, 3, 4]);
            }
            let through = product(&middle, &row(&read), 9);
            let sum: f64 = through.iter().map(|part| f64::from(part.weight)).sum();
            proptest::prop_assert!((sum - 1.0).abs() < 1e-5, "{}", sum);
            proptest::prop_assert!(through.iter().all(|part| part.weight >= 0.0 && part.source.end <= 9));
        }
    }

    #[test]
    fn what_the_second_model_copies_keeps_its_links() {
        let middle =
            Written { text: "42 kg".into(), tokens: tokens(&[(0..2, 3..5), (2..5, 6..8)]), ..Written::default() };
        let whole = Link { target: 0..5, source: 0..5 };
        let copied = Translation { text: "42 kg".into(), sentences: vec![whole], ..Translation::default() };
        assert_eq!(compose(&middle, &copied, 9), middle.tokens);
    }
}

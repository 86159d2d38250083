//! Alignments composed through the middle.
//!
//! A token `t` of the translation is linked to a range `m(t)` of the middle, a token `u` of the middle to a range `s(u)` of the source. The pieces of
//! the two models' vocabularies are cut in different places, so `t` has a share `a(t, u) = |m(t) ∩ u| / |m(t)|` in each `u`. The links of `t` to the
//! source are `s(u)` with these weights: the product of both alignments, summed over the middle. Of these the token gets the run of neighbouring
//! ranges with the largest sum.

use std::ops::Range;

use super::super::document::Written;
use super::super::translation::{TranslatedToken, Translation};
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
            tokens.push(TranslatedToken { link, log_probability: token.log_probability });
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
                TranslatedToken { link: Link { target, source: token.link.source.clone() }, log_probability: None }
            }));
        }
    }
    tokens
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

    #[test]
    fn what_the_second_model_copies_keeps_its_links() {
        let middle =
            Written { text: "42 kg".into(), tokens: tokens(&[(0..2, 3..5), (2..5, 6..8)]), ..Written::default() };
        let whole = Link { target: 0..5, source: 0..5 };
        let copied = Translation { text: "42 kg".into(), sentences: vec![whole], ..Translation::default() };
        assert_eq!(compose(&middle, &copied, 9), middle.tokens);
    }
}

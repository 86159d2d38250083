//! From a text to sentences for the workers, and from their translations back to a text.

use super::Engine;
use super::translation::{Attention, Candidate, TranslatedToken, Translation};
use super::translator::{Sentences, TranslateOptions};
use super::worker::{Hypothesis, Job};
use crate::text::language::Language;
use crate::text::link::{Link, overlap};
use crate::text::repair::draft::Draft;
use crate::text::repair::{self, Kept, Plan, Repairs, Sentence as RepairedSentence, inline_markup, prices, verbatim};
use crate::text::segment::{LineBreaks, segment, split_long};
use crate::text::structure::{Cell, Reading};
use crate::text::vocab::Piece;
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

/// A text that is being translated: its structure, its sentences, and what lies between them.
#[derive(Debug)]
pub struct Document {
    reading: Reading,
    sentences: Vec<Sentence>,
    waiting: usize,
    /// How many candidates were asked for.
    n_best: usize,
    /// Whether log-probabilities were asked for.
    scores: bool,
    repairs: Repairs,
}

#[derive(Debug)]
struct Sentence {
    /// Bytes in the text as it was read, without surrounding white space.
    range: Range<usize>,
    content: Content,
}

#[derive(Debug)]
enum Content {
    /// Nothing to translate: numbers, symbols, another script, addresses, placeholders.
    Copy,
    /// A sentence for the model, and its hypotheses once there are some, the best first.
    Translate(Plan, Vec<Hypothesis>),
    /// A sentence whose translation is written.
    Written(Written),
}

/// A sentence's translation. Ranges count from its beginning, or from that of its source.
#[derive(Debug, Default)]
pub struct Written {
    pub text: String,
    /// Without their attention, which is in [`looked`](Self::looked).
    pub tokens: Vec<TranslatedToken>,
    pub looked: Looked,
    /// If they were asked for.
    pub candidates: Vec<Candidate>,
    /// The parts that are as in the source because they must be.
    pub kept: Vec<StillKept>,
}

impl Written {
    /// A text that stands for the whole source, which has `length` bytes, and that no model wrote.
    fn whole(text: String, length: usize) -> Self {
        let link = Link { target: 0..text.len(), source: 0..length };
        let token = TranslatedToken { link, log_probability: None, attention: Vec::new() };
        Self { text, tokens: vec![token], ..Self::default() }
    }
}

/// What the tokens of a sentence looked at. They share the same places, so one number for each is enough.
#[derive(Clone, Debug, Default)]
pub struct Looked {
    /// The pieces of the source, and an empty range at its end for the end mark.
    pub places: Vec<Range<usize>>,
    /// For each token, a weight for each of the places; no weights for what the model did not write. Empty unless asked for.
    pub weights: Vec<Vec<f32>>,
}

impl Looked {
    /// The weights of a token; empty if it has none.
    pub fn weights_of(&self, token: usize) -> &[f32] {
        self.weights.get(token).map_or(&[], Vec::as_slice)
    }

    /// What a token looked at, in a text in which the source begins at `start`.
    fn attention(&self, token: usize, start: usize) -> Vec<Attention> {
        let weights = self.weights_of(token).iter();
        let places = self.places.iter().map(|place| place.start + start..place.end + start);
        places.zip(weights).map(|(source, &weight)| Attention { source, weight }).collect()
    }
}

/// A part of a translation that is the same as in the source.
#[derive(Clone, Debug)]
pub struct StillKept {
    /// Its bytes in the translation.
    pub range: Range<usize>,
    /// Whether the model read a letter in its place.
    pub stood_for: bool,
}

impl Document {
    /// Splits `text` into sentences and makes a job for each that has something to translate. Job indices count the
    /// document's sentences. `foreign` are the parts of the text that stay as they are, in any order. `target` is the language that the reader
    /// gets, which is another than the engine's if a second model goes on: what no model translates is written for it.
    pub fn plan(
        engine: &Engine,
        target: Language,
        request: u64,
        text: &str,
        foreign: &[Range<usize>],
        options: &TranslateOptions,
        jobs: &mut Vec<Job>,
    ) -> Self {
        Self::plan_with(engine, target, request, text, (foreign, &[]), options, jobs)
    }

    /// Plans many texts, each with the parts of it that stay as they are. Each is a request of its own, named by its place.
    pub fn plan_batch(
        engine: &Engine,
        target: Language,
        texts: &[(&str, &[Range<usize>])],
        options: &TranslateOptions,
    ) -> (Vec<Self>, Vec<Job>) {
        with_all_jobs(plan_all(texts, |request, (text, foreign), jobs| {
            Self::plan(engine, target, request as u64, text, foreign, options, jobs)
        }))
    }

    /// Like [`plan`](Self::plan), with `exact` parts that come through as they are although the model reads them.
    pub fn plan_with(
        engine: &Engine,
        target: Language,
        request: u64,
        text: &str,
        (foreign, exact): (&[Range<usize>], &[Range<usize>]),
        options: &TranslateOptions,
        jobs: &mut Vec<Job>,
    ) -> Self {
        let split = options.sentences;
        let context = engine.repair_context(options.repairs);
        let mut sentences = Vec::new();
        let first_job = jobs.len();
        let reading = read(text, options);
        let [foreign, exact] =
            [foreign, exact].map(|ranges| united(ranges.iter().map(|range| reading.read(&on_characters(text, range)))));
        let text = reading.text();
        let mut found = find_sentences(&reading, engine.source_language, split);
        let languages = (engine.source_language, target);
        let localizes = options.repairs.has("numbers");
        if localizes {
            add_prices(&mut found, &reading, split, languages);
        }
        let in_plain_text = options.repairs.has("inline-markup");
        let parts = found.into_iter().flat_map(|sentence| match in_plain_text {
            true => inline_markup::parts(text, sentence),
            false => vec![sentence],
        });
        for sentence in parts {
            let found = if options.repairs.has("verbatim") {
                verbatim::find(&text[sentence.clone()], engine.source_language)
            } else {
                Vec::new()
            };
            let foreign = verbatim::within(&foreign, sentence.clone());
            let mut found = kept(&text[sentence.clone()], found, foreign);
            for range in verbatim::within(&exact, sentence.clone()) {
                if found.iter().all(|kept| !overlap(&kept.range, &range)) {
                    found.push(Kept::exactly(range));
                }
            }
            found.sort_by_key(|kept| kept.range.start);
            let ranges: Vec<Range<usize>> = found.iter().map(|kept| kept.range.clone()).collect();
            if verbatim::is_all(&text[sentence.clone()], &ranges) {
                sentences.push(Sentence { range: sentence, content: Content::Copy });
                continue;
            }
            let start = sentence.start;
            let (vocabulary, language) = (&engine.source_vocabulary, engine.source_language);
            for range in split_long(vocabulary, language, text, sentence, engine.longest_sentence) {
                let kept = kept_within(&found, range.start - start..range.end - start);
                let content = match repair::prepare(context, &text[range.clone()], kept) {
                    Some(plan) => Content::Translate(plan, Vec::new()),
                    None => match prices::in_target_form(&text[range.clone()], languages).filter(|_| localizes) {
                        Some(price) => Content::Written(Written::whole(price, range.len())),
                        None => Content::Copy,
                    },
                };
                if let Content::Translate(plan, _) = &content {
                    let mut source: Vec<u32> = engine.target_mark.into_iter().chain(plan.source_ids()).collect();
                    source.push(engine.source_vocabulary.end_of_sentence());
                    let limit = longest_translation(engine.length_factor, source.len());
                    let (index, candidates) = (sentences.len(), Arc::from([]));
                    jobs.push(Job { request, index, source, candidates, limit, prefix: Vec::new() });
                }
                sentences.push(Sentence { range, content });
            }
        }
        // A sentence's candidates come from its whole line, so that a single word does not have just a few.
        let jobs = &mut jobs[first_job..];
        let line_ends =
            |a: &Job, b: &Job| text[sentences[a.index].range.end..sentences[b.index].range.start].contains('\n');
        for line in jobs.chunk_by_mut(|a, b| split == Sentences::InParagraphs || !line_ends(a, b)) {
            let candidates = engine.candidates(line.iter().flat_map(|job| job.source.iter().copied()));
            for job in line {
                job.candidates = Arc::clone(&candidates);
            }
        }
        let TranslateOptions { n_best, scores, repairs, .. } = *options;
        Self { reading, sentences, waiting: jobs.len(), n_best, scores, repairs }
    }

    /// Takes the translations of one sentence; true once those of all sentences are there.
    pub fn receive(&mut self, index: usize, hypotheses: Vec<Hypothesis>) -> bool {
        if let Some(Sentence { content: Content::Translate(_, slot), .. }) = self.sentences.get_mut(index)
            && slot.is_empty()
        {
            *slot = hypotheses;
            self.waiting -= 1;
        }
        self.waiting == 0
    }

    /// Whether no translation is missing.
    pub fn is_complete(&self) -> bool {
        self.waiting == 0
    }

    /// The translation of the text. Sentences without a translation are copied.
    pub fn finish(mut self, engine: &Engine) -> Translation {
        for (index, written) in self.write_all(engine) {
            self.put(index, written);
        }
        self.join((engine.source_language, engine.target_language))
    }

    /// Writes the translations of all sentences that have hypotheses, in order; see [`write`](Self::write()).
    pub fn write_all(&mut self, engine: &Engine) -> Vec<(usize, Written)> {
        (0..self.sentences.len()).filter_map(|index| Some((index, self.write(engine, index)?))).collect()
    }

    /// Writes the translation of a sentence from its hypotheses, which are consumed. None if it has none.
    pub fn write(&mut self, engine: &Engine, index: usize) -> Option<Written> {
        let sentence = self.sentences.get_mut(index)?;
        if !matches!(&sentence.content, Content::Translate(_, hypotheses) if !hypotheses.is_empty()) {
            return None;
        }
        let Content::Translate(plan, hypotheses) = std::mem::replace(&mut sentence.content, Content::Copy) else {
            return None;
        };
        let source = &self.reading.text()[sentence.range.clone()];
        let context = engine.repair_context(self.repairs);
        let repaired = RepairedSentence { context, source, plan: &plan };
        let drafts = hypotheses.into_iter().map(|hypothesis| {
            let Hypothesis { words, mut alignment, mut attention, log_probabilities, score } = hypothesis;
            if engine.target_mark.is_some() {
                // The mark is not part of the text: looking at it is looking at none of the text's words, as with the end mark.
                let end = plan.source_ids().len();
                alignment.iter_mut().for_each(|aligned| *aligned = aligned.checked_sub(1).unwrap_or(end));
                for weights in &mut attention {
                    let of_mark = weights.remove(0);
                    weights.last_mut().into_iter().for_each(|of_end| *of_end += of_mark);
                }
            }
            let mut written = repair::Written { words, alignment, attention, log_probabilities };
            let draft = repair::finish(&repaired, &mut written);
            (draft, written, score)
        });
        let mut candidates = Vec::new();
        // A model that is unsure of a single word may say nothing; the reader wants the likeliest translation that has a word.
        let has_word = self.repairs.has("first-word");
        let is_fit = |draft: &Draft| !has_word || says_something(draft.text());
        let mut best = None;
        for (draft, written, score) in drafts {
            if candidates.len() < self.n_best {
                let log_probability = written.log_probabilities.iter().sum();
                candidates.push(Candidate { text: draft.text().to_owned(), log_probability, score });
            }
            if best.is_none() && is_fit(&draft) {
                best = Some((draft, written));
            }
            if best.is_some() && candidates.len() >= self.n_best {
                break;
            }
        }
        let Some((draft, mut hypothesis)) = best else {
            return Some(Written { text: source.to_owned(), candidates, ..Written::default() });
        };
        let kept = still_kept(source, &plan.kept, &draft);
        let (text, drafted) = draft.into_parts();
        let mut looked = Looked::default();
        if !hypothesis.attention.is_empty() {
            let end = source.len();
            looked.places = plan.pieces.iter().map(Piece::range).chain(std::iter::once(end..end)).collect();
            let mut take = |id: usize| hypothesis.attention.get_mut(id).map(std::mem::take);
            looked.weights = drafted.iter().map(|token| token.id.and_then(&mut take).unwrap_or_default()).collect();
        }
        let log_probabilities = if self.scores { &hypothesis.log_probabilities[..] } else { &[] };
        let tokens = drafted.into_iter().map(|token| TranslatedToken {
            log_probability: token.id.and_then(|id| log_probabilities.get(id)).copied(),
            link: token.link,
            attention: Vec::new(),
        });
        Some(Written { tokens: tokens.collect(), text, looked, candidates, kept })
    }

    /// Gives a sentence its translation.
    pub fn put(&mut self, index: usize, written: Written) {
        self.sentences[index].content = Content::Written(written);
    }

    /// The bytes of a sentence's source.
    pub fn source_length(&self, index: usize) -> usize {
        self.sentences[index].range.len()
    }

    /// Joins the sentences with the white space that stood between them in the source. Sentences without a translation are
    /// copied.
    pub fn join(self, languages: (Language, Language)) -> Translation {
        let text = self.reading.text();
        let mut translation = Translation { text: String::with_capacity(text.len() * 5 / 4), ..Default::default() };
        let mut copied = 0;
        for Sentence { range, content } in self.sentences {
            let gap = &text[copied..range.start];
            translation.text.push_str(if copied > 0 { gap_between_sentences(gap, languages) } else { gap });
            copied = range.end;
            let start = translation.text.len();
            let mut candidates = Vec::new();
            match content {
                Content::Written(written) => {
                    translation.text.push_str(&written.text);
                    let moved = |(index, token): (usize, TranslatedToken)| TranslatedToken {
                        link: moved(&token.link, start, range.start),
                        attention: written.looked.attention(index, range.start),
                        ..token
                    };
                    translation.tokens.extend(written.tokens.into_iter().enumerate().map(moved));
                    candidates = written.candidates;
                }
                Content::Copy | Content::Translate(..) => translation.text.push_str(&text[range.clone()]),
            }
            if self.n_best > 0 {
                translation.candidates.push(candidates);
            }
            translation.sentences.push(Link { target: start..translation.text.len(), source: range });
        }
        translation.text.push_str(&text[copied..]);
        translation.into_structure(&self.reading)
    }
}

/// Plans texts side by side, each with its own jobs; a single one at once. `plan` is given a text's place among them.
pub fn plan_all<T: Sync, D: Send>(
    texts: &[T],
    plan: impl Fn(usize, &T, &mut Vec<Job>) -> D + Sync,
) -> Vec<(D, Vec<Job>)> {
    let plan = |(index, text): (usize, &T)| {
        let mut jobs = Vec::new();
        (plan(index, text, &mut jobs), jobs)
    };
    match texts {
        [text] => vec![plan((0, text))],
        _ => texts.par_iter().enumerate().map(plan).collect(),
    }
}

/// What was planned, and the jobs of all of it.
pub fn with_all_jobs<D>(planned: Vec<(D, Vec<Job>)>) -> (Vec<D>, Vec<Job>) {
    let (documents, jobs): (Vec<D>, Vec<Vec<Job>>) = planned.into_iter().unzip();
    (documents, jobs.into_iter().flatten().collect())
}

/// The places in a draft of those parts of the source that must come through as they are, each once.
fn still_kept(source: &str, kept: &[Kept], draft: &Draft) -> Vec<StillKept> {
    let mut still: Vec<StillKept> = Vec::new();
    for kept in kept.iter().filter(|kept| kept.form.is_none()) {
        let is_it = |range: &&Range<usize>| {
            draft.text()[(*range).clone()] == source[kept.range.clone()]
                && still.iter().all(|other| !overlap(&other.range, range))
        };
        if let Some(range) = draft.kept().iter().find(is_it) {
            still.push(StillKept { range: range.clone(), stood_for: kept.stood_for });
        }
    }
    still
}

/// A range extended to whole characters, within the text.
fn on_characters(text: &str, range: &Range<usize>) -> Range<usize> {
    let start = text.floor_char_boundary(range.start.min(text.len()));
    start..text.ceil_char_boundary(range.end.min(text.len())).max(start)
}

/// Ranges in order; those that touch or overlap are merged.
fn united(ranges: impl Iterator<Item = Range<usize>>) -> Vec<Range<usize>> {
    let mut ranges: Vec<Range<usize>> = ranges.filter(|range| !range.is_empty()).collect();
    ranges.sort_by_key(|range| range.start);
    let mut united: Vec<Range<usize>> = Vec::new();
    for range in ranges {
        match united.last_mut().filter(|last| range.start <= last.end) {
            Some(last) => last.end = last.end.max(range.end),
            None => united.push(range),
        }
    }
    united
}

/// The parts of a sentence that must come through: what was found in it, and what is in another language. The model reads a letter in place
/// of the latter, and of what reads like words.
fn kept(text: &str, found: Vec<Range<usize>>, foreign: Vec<Range<usize>>) -> Vec<Kept> {
    let apart = |range: &Range<usize>| foreign.iter().all(|foreign| !overlap(range, foreign));
    let as_found = |range: Range<usize>| Kept {
        stood_for: verbatim::reads_like_words(&text[range.clone()]),
        ..Kept::exactly(range)
    };
    let mut kept: Vec<Kept> = found.into_iter().filter(apart).map(as_found).collect();
    kept.extend(foreign.iter().map(|range| Kept { stood_for: true, ..Kept::exactly(range.clone()) }));
    kept.sort_by_key(|kept| kept.range.start);
    kept
}

/// What of `kept` lies in a range of the sentence, counted from the start of that range.
fn kept_within(kept: &[Kept], range: Range<usize>) -> Vec<Kept> {
    let inside = kept.iter().filter(|kept| overlap(&kept.range, &range));
    let moved = |kept: &Kept| {
        let start = kept.range.start.max(range.start) - range.start;
        Kept { stood_for: kept.stood_for, ..Kept::exactly(start..kept.range.end.min(range.end) - range.start) }
    };
    inside.map(moved).collect()
}

/// However long a sentence may be and however large its model's factor, no translation is longer, in pieces.
const LONGEST_TRANSLATION: usize = 1 << 14;

/// Maximum number of target pieces for a sentence of `source` pieces.
fn longest_translation(factor: f32, source: usize) -> usize {
    ((factor * source as f32).ceil() as usize).clamp(1, LONGEST_TRANSLATION)
}

/// Makes the first sentence's translation begin with `prefix`, as far as the vocabulary can write it.
pub fn begin_with(engine: &Engine, prefix: &str, jobs: &mut [Job]) {
    let Some(job) = jobs.first_mut() else { return };
    let vocabulary = engine.target_vocabulary();
    let known = |id: &u32| *id != vocabulary.unknown() && *id < engine.ensemble.target_vocabulary() as u32;
    let mut pieces = Vec::new();
    vocabulary.encode(prefix, &mut pieces);
    job.prefix = pieces.iter().map(|piece| piece.id).take_while(known).collect();
    // A space before something that cannot be written would begin another word.
    if job.prefix.len() < pieces.len() && job.prefix.last().is_some_and(|&id| vocabulary.piece(id) == Some("\u{2581}"))
    {
        job.prefix.pop();
    }
    let beyond_head = job.prefix.iter().copied().filter(|&id| id >= engine.head as u32);
    let candidates: BTreeSet<u32> = job.candidates.iter().copied().chain(beyond_head).collect();
    job.candidates = candidates.into_iter().collect();
    // The rest has as much room as a sentence of its own length.
    job.limit = job.limit.max(job.prefix.len() + job.source.len());
}

/// What goes between two sentences of a line in the translation, if `gap` is between them in the source: a space is removed if the target
/// language puts none there, and added if only the source language puts none. Anything else is kept.
fn gap_between_sentences(gap: &str, (source, target): (Language, Language)) -> &str {
    let joins = |language: Language| language.sentence_gap.is_empty();
    match gap {
        " " | "\u{3000}" if joins(target) => "",
        "" | "\u{3000}" if joins(source) && !joins(target) => " ",
        _ => gap,
    }
}

/// Reads a text, with its structure if sentences are found in its lines.
fn read(text: &str, options: &TranslateOptions) -> Reading {
    match options.sentences {
        Sentences::InLines if options.structure => Reading::new(text, options.wrapped),
        Sentences::InLines | Sentences::InParagraphs | Sentences::AreLines => Reading::unstructured(text),
    }
}

fn find_sentences(reading: &Reading, language: Language, split: Sentences) -> Vec<Range<usize>> {
    let text = reading.text();
    match split {
        Sentences::InLines => {
            let of_cell = |cell: &Cell| {
                let start = cell.range.start;
                let sentences = segment(&text[cell.range.clone()], language, LineBreaks::EndSentences);
                sentences.into_iter().map(move |sentence| start + sentence.start..start + sentence.end)
            };
            reading.cells().iter().flat_map(of_cell).collect()
        }
        Sentences::InParagraphs => segment(text, language, LineBreaks::AreSpaces),
        Sentences::AreLines => {
            let lines = text.split_inclusive('\n').scan(0, |end, line| {
                let start = *end;
                *end += line.len();
                let indent = line.len() - line.trim_start().len();
                Some(start + indent..start + indent + line.trim().len())
            });
            lines.filter(|line| !line.is_empty()).collect()
        }
    }
}

/// Adds the cells without a sentence that are a price in another form than the target language's.
fn add_prices(sentences: &mut Vec<Range<usize>>, reading: &Reading, split: Sentences, languages: (Language, Language)) {
    let text = reading.text();
    let cells: Vec<Range<usize>> = match split {
        Sentences::InLines => reading.cells().iter().map(|cell| cell.range.clone()).collect(),
        Sentences::InParagraphs => std::iter::once(0..text.len()).collect(),
        // Each is a sentence already.
        Sentences::AreLines => return,
    };
    let mut prices = Vec::new();
    for cell in cells {
        let mut start = cell.start;
        for line in text[cell].split_inclusive('\n') {
            let content = line.trim();
            let range = start + line.len() - line.trim_start().len();
            let range = range..range + content.len();
            start += line.len();
            let at = sentences.partition_point(|sentence| sentence.end <= range.start);
            let free = sentences.get(at).is_none_or(|next| next.start >= range.end);
            if free && prices::in_target_form(content, languages).is_some() {
                prices.push(range);
            }
        }
    }
    sentences.append(&mut prices);
    sentences.sort_by_key(|sentence| sentence.start);
}

/// Whether a translation has a word or a number.
fn says_something(text: &str) -> bool {
    text.contains(char::is_alphanumeric)
}

/// A link within a sentence as a link within its text.
fn moved(link: &Link, target: usize, source: usize) -> Link {
    Link {
        target: link.target.start + target..link.target.end + target,
        source: link.source.start + source..link.source.end + source,
    }
}

#[cfg(test)]
mod tests {
    use super::super::load::LoadOptions;
    use super::super::translator::Translator;
    use super::*;

    #[test]
    fn no_translation_is_longer_than_all_can_be() {
        assert_eq!(longest_translation(3.0, 8), 24);
        assert_eq!(longest_translation(1.5, 3), 5);
        assert_eq!(longest_translation(0.1, 2), 1);
        assert_eq!(longest_translation(64.0, 4096), LONGEST_TRANSLATION);
        assert_eq!(longest_translation(f32::MAX, 5), LONGEST_TRANSLATION);
    }

    #[test]
    fn the_best_that_says_something_is_shown_though_others_are_listed() {
        let translator = Translator::open("tests/data/en-de.prototype", &LoadOptions::default()).unwrap();
        let engine = &*translator.engine;
        let hypothesis = |text: &str| {
            let mut pieces = Vec::new();
            engine.target_vocabulary().encode(text, &mut pieces);
            let words: Vec<u32> = pieces.iter().map(|piece| piece.id).collect();
            let (alignment, log_probabilities) = (vec![0; words.len()], vec![-0.5; words.len() + 1]);
            Hypothesis { words, alignment, log_probabilities, ..Hypothesis::default() }
        };
        for (n_best, scores) in [(0, false), (1, false), (2, true), (9, true)] {
            let options = TranslateOptions { n_best, scores, ..TranslateOptions::default() };
            let mut jobs = Vec::new();
            let mut document = Document::plan(engine, engine.target_language, 0, "The house", &[], &options, &mut jobs);
            assert!(document.receive(0, ["...", "Das Haus", "Haus"].map(hypothesis).to_vec()));
            let translation = document.finish(engine);
            assert_eq!(translation.text, "Das Haus", "{n_best}");
            let listed: Vec<&str> = translation.candidates.iter().flatten().map(|one| one.text.as_str()).collect();
            assert_eq!(listed, &["...", "Das Haus", "Haus"][..n_best.min(3)]);
            assert!(translation.tokens.iter().all(|token| token.log_probability.is_some() == scores));
        }
    }

    #[test]
    fn sentences_are_spaced_as_the_target_language_has_it() {
        let language = |tag| Language::from_tag(tag).expect("a known language");
        for (gap, source, target, expected) in [
            (" ", "en", "de", " "),
            (" ", "en", "zh", ""),
            (" ", "en", "ja", ""),
            (" ", "en", "th", " "),
            (" ", "zh", "ja", ""),
            ("", "zh", "en", " "),
            ("", "zh", "zh-Hant", ""),
            ("\u{3000}", "ja", "en", " "),
            ("", "en", "de", ""),
            ("  ", "en", "zh", "  "),
            ("\n", "zh", "en", "\n"),
            (" 😀 ", "en", "zh", " 😀 "),
        ] {
            let found = gap_between_sentences(gap, (language(source), language(target)));
            assert_eq!(found, expected, "{gap:?} from {source} to {target}");
        }
    }
}

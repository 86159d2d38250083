//! From a text to sentences for the workers, and from their translations back to a text.

use super::Engine;
use super::translation::{Candidate, SentencePair, TranslatedToken, Translation};
use super::translator::{Sentences, TranslateOptions};
use super::worker::{Hypothesis, Job};
use crate::text::capitals::{self, Capitals};
use crate::text::marks;
use crate::text::restore::{decode_restoring, join_foreign_words};
use crate::text::segment::{Language, LineBreaks, is_translatable, segment, split_long};
use crate::text::stand_ins::{self, StandIn};
use crate::text::structure::{Cell, Reading};
use crate::text::verbatim;
use crate::text::vocab::Piece;
use crate::text::{amounts, brackets, emphasis, loops, names, numbers};
use std::ops::Range;
use std::sync::Arc;

/// A text that is being translated: its structure, its sentences, and what lies between them.
#[derive(Debug)]
pub struct Document {
    reading: Reading,
    sentences: Vec<Sentence>,
    waiting: usize,
    /// Whether candidates were asked for.
    candidates: bool,
}

#[derive(Debug)]
struct Sentence {
    /// Bytes in the text as it was read, without white space around.
    range: Range<usize>,
    content: Content,
}

#[derive(Debug)]
enum Content {
    /// Nothing to translate: numbers, symbols, another script, addresses, placeholders.
    Copy,
    Translate(Planned, Vec<Hypothesis>),
}

/// A sentence for the model, and its hypotheses once there are some, the best first.
#[derive(Debug)]
struct Planned {
    /// With byte ranges in the sentence.
    pieces: Vec<Piece>,
    /// What the model is given for some of the unknown ones.
    stand_ins: Vec<StandIn>,
    /// Bytes in the sentence that must be in the translation as they are.
    verbatim: Vec<Range<usize>>,
    /// What of the translation is to be in capitals.
    capitals: Capitals,
    /// Whether loops, repeated marks, numbers and their units are put right.
    repair: bool,
}

impl Document {
    /// Splits `text` into sentences and makes a job of each that has something to translate. Job indices count the
    /// document's sentences.
    pub fn plan(engine: &Engine, request: u64, text: &str, options: &TranslateOptions, jobs: &mut Vec<Job>) -> Self {
        let split = options.sentences;
        let mut sentences = Vec::new();
        let first_job = jobs.len();
        let reading = read(text, options);
        let text = reading.text();
        for sentence in find_sentences(&reading, engine.source_language, split) {
            let found = if options.verbatim {
                verbatim::find(&text[sentence.clone()], engine.source_language)
            } else {
                Vec::new()
            };
            if verbatim::is_all(&text[sentence.clone()], &found) {
                sentences.push(Sentence { range: sentence, content: Content::Copy });
                continue;
            }
            let start = sentence.start;
            for range in split_long(&engine.source_vocabulary, text, sentence, engine.longest_sentence) {
                let verbatim = verbatim::within(&found, range.start - start..range.end - start);
                let content = plan_sentence(engine, &text[range.clone()], options, verbatim);
                if let Content::Translate(Planned { pieces, stand_ins, .. }, _) = &content {
                    let mut source: Vec<u32> = pieces.iter().map(|piece| piece.id).collect();
                    stand_ins.iter().for_each(|letter| source[letter.piece] = letter.source);
                    source.push(engine.source_vocabulary.end_of_sentence());
                    let limit = (engine.length_factor * source.len() as f32).ceil() as usize;
                    let (index, candidates) = (sentences.len(), Arc::from([]));
                    jobs.push(Job { request, index, source, candidates, limit });
                }
                sentences.push(Sentence { range, content });
            }
        }
        // What a sentence may say is decided by its whole line, so that a single word is not left to a few candidates.
        let jobs = &mut jobs[first_job..];
        let line_ends =
            |a: &Job, b: &Job| text[sentences[a.index].range.end..sentences[b.index].range.start].contains('\n');
        for line in jobs.chunk_by_mut(|a, b| split == Sentences::InParagraphs || !line_ends(a, b)) {
            let candidates = engine.candidates(line.iter().flat_map(|job| job.source.iter().copied()));
            for job in line {
                job.candidates = Arc::clone(&candidates);
            }
        }
        let waiting = jobs.len();
        Self { reading, sentences, waiting, candidates: options.n_best > 0 }
    }

    /// Takes the translations of one sentence; true once all are there.
    pub fn receive(&mut self, index: usize, hypotheses: Vec<Hypothesis>) -> bool {
        if let Some(Sentence { content: Content::Translate(_, slot), .. }) = self.sentences.get_mut(index)
            && slot.is_empty()
        {
            *slot = hypotheses;
            self.waiting -= 1;
        }
        self.waiting == 0
    }

    /// Whether nothing is being waited for.
    pub fn is_complete(&self) -> bool {
        self.waiting == 0
    }

    /// Joins the sentences with the white space that stood between them in the source. Sentences without a translation are
    /// copied.
    pub fn finish(self, engine: &Engine) -> Translation {
        let text = self.reading.text();
        let mut translation = Translation { text: String::with_capacity(text.len() * 5 / 4), ..Default::default() };
        let mut copied = 0;
        for Sentence { range, content } in self.sentences {
            translation.text.push_str(&text[copied..range.start]);
            copied = range.end;
            let start = translation.text.len();
            let source = &text[range.clone()];
            match content {
                Content::Translate(planned, mut hypotheses) if !hypotheses.is_empty() => {
                    for Hypothesis { words, alignment, log_probabilities, .. } in &mut hypotheses {
                        let vocabulary = engine.target_vocabulary();
                        stand_ins::resolve(&planned.stand_ins, vocabulary, words, alignment);
                        if planned.repair {
                            loops::collapse(&planned.pieces, vocabulary, words, alignment, log_probabilities);
                        }
                    }
                    join_sentence(engine, source, range.start, &planned, &hypotheses[0], &mut translation);
                    if self.candidates {
                        let candidate = |hypothesis| candidate(engine, source, &planned, hypothesis);
                        translation.candidates.push(hypotheses.iter().map(candidate).collect());
                    }
                }
                Content::Copy | Content::Translate(..) => {
                    translation.text.push_str(source);
                    if self.candidates {
                        translation.candidates.push(Vec::new());
                    }
                }
            }
            translation.sentences.push(SentencePair { target: start..translation.text.len(), source: range });
        }
        translation.text.push_str(&text[copied..]);
        translation.into_structure(&self.reading)
    }
}

/// Reads a text for its structure, where sentences are found in its lines.
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

fn plan_sentence(
    engine: &Engine,
    sentence: &str,
    options: &TranslateOptions,
    mut verbatim: Vec<Range<usize>>,
) -> Content {
    if !is_translatable(sentence, engine.source_language) || verbatim::is_all(sentence, &verbatim) {
        return Content::Copy;
    }
    let unknown = engine.source_vocabulary.unknown();
    let join = |text: &str, pieces: &mut Vec<Piece>| join_foreign_words(text, pieces, unknown);
    let recased = if options.recase {
        capitals::recase(sentence, &engine.source_vocabulary, engine.source_language, &verbatim)
    } else {
        None
    };
    let known = recased.as_ref().map_or(sentence, |recased| &recased.text);
    let calmed = if options.verbatim { emphasis::calm(known, &verbatim) } else { None };
    let known = calmed.as_deref().unwrap_or(known);
    let mut pieces = marks::encode(&engine.source_vocabulary, known, join);
    let unknown = pieces.iter().filter(|piece| piece.id == unknown).count();
    // Mostly characters that the model has never seen: another script.
    if pieces.is_empty() || unknown * 2 > pieces.len() {
        return Content::Copy;
    }
    let mut stand_ins = Vec::new();
    if options.verbatim && unknown > 0 {
        verbatim::add_unknown_words(sentence, &pieces, engine.source_vocabulary.unknown(), &mut verbatim);
        let vocabularies = (&engine.source_vocabulary, engine.target_vocabulary());
        stand_ins = stand_ins::choose(known, &verbatim, vocabularies, &mut pieces);
    }
    let capitals = recased.map_or(Capitals::None, |recased| recased.capitals);
    Content::Translate(Planned { pieces, stand_ins, verbatim, capitals, repair: options.verbatim }, Vec::new())
}

fn candidate(engine: &Engine, source: &str, planned: &Planned, hypothesis: &Hypothesis) -> Candidate {
    let mut alone = Translation::default();
    join_sentence(engine, source, 0, planned, hypothesis, &mut alone);
    let log_probability = hypothesis.log_probabilities.iter().sum();
    Candidate { text: alone.text, log_probability, score: hypothesis.score }
}

/// Appends one translated sentence: its pieces joined, the source's characters that the vocabulary lacks put in, and what must be as it
/// was made so.
fn join_sentence(
    engine: &Engine,
    source: &str,
    source_start: usize,
    planned: &Planned,
    hypothesis: &Hypothesis,
    translation: &mut Translation,
) {
    let Hypothesis { words, alignment, log_probabilities, .. } = hypothesis;
    let unknown = engine.source_vocabulary.unknown();
    let mut restored = decode_restoring(engine.target_vocabulary(), words, source, &planned.pieces, unknown, alignment);
    verbatim::repair(source, &planned.verbatim, &mut restored);
    brackets::repair(source, &planned.verbatim, &mut restored);
    if planned.repair {
        emphasis::repair(source, &planned.verbatim, &mut restored);
        names::repair(source, &planned.pieces, &engine.source_vocabulary, &planned.verbatim, &mut restored);
    }
    let keep = verbatim::occurrences(source, &planned.verbatim, &restored.text);
    match planned.capitals {
        Capitals::All => capitals::capitalize(&mut restored.text, &keep),
        Capitals::Initial => capitals::capitalize_initial(&mut restored.text, &keep),
        Capitals::None => {}
    }
    if planned.repair {
        let languages = (engine.source_language, engine.target_language);
        numbers::repair(source, languages, &planned.verbatim, &keep, &mut restored);
        amounts::repair(source, engine.target_language, &planned.verbatim, &keep, &mut restored);
    }
    let base = translation.text.len();
    translation.text.push_str(&restored.text);
    translation.tokens.extend(restored.tokens.into_iter().map(|token| TranslatedToken {
        target: base + token.target.start..base + token.target.end,
        source: source_start + token.source.start..source_start + token.source.end,
        log_probability: token.id.and_then(|id| log_probabilities.get(id)).copied(),
    }));
}

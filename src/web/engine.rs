//! The engine as JavaScript sees it.

use super::{js_error, markup, offsets};
use crate::text::link::Link;
use crate::text::markup::{Aligned, MarkupError, Node, check_tree, project};
use crate::text::structure::Wrapped;
use crate::{Pivot, RequestId, Session, Translate, TranslateOptions, TranslatedToken, Translation, Translator};
use std::collections::HashMap;
use wasm_bindgen::prelude::*;

/// A loaded model.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Model(pub(super) Translator);

#[wasm_bindgen]
impl Model {
    /// The same model once more: engines that share it share its weights, which are freed with the last of them.
    pub fn share(&self) -> Model {
        Model(self.0.clone())
    }
}

/// One model, or two one after the other, and the requests in progress.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Engine {
    translator: Box<dyn Translate>,
    info: EngineInfo,
    /// As [`TranslateOptions::beam`].
    beam: usize,
    plain: Queue,
    /// With log-probabilities, which cost a little; made when first wanted.
    scored: Option<Queue>,
    /// With several translations that branch at a given place; made when first wanted.
    branching: Option<Queue>,
    next: u32,
}

/// Number of translations of a sentence to choose from: more do not fit on a small screen, and each takes a row of the decoder.
const ALTERNATIVES: usize = 8;

/// A session and what is known about its requests.
#[derive(Debug)]
struct Queue {
    session: Box<dyn Session>,
    requests: HashMap<RequestId, Request>,
    /// The requests by their numbers.
    ids: HashMap<u32, RequestId>,
}

#[derive(Debug)]
struct Request {
    number: u32,
    wanted: Wanted,
}

/// What to find out besides the translation.
#[derive(Debug)]
enum Wanted {
    Text,
    /// Where sentences and tokens come from; the source is kept for the offsets in it.
    Details(String),
    /// The places of a block's nodes.
    Places(String, Vec<Node>),
}

impl Queue {
    fn new(translator: &dyn Translate, beam: usize, scores: bool) -> Self {
        Self::with(translator, &TranslateOptions { beam, scores, ..TranslateOptions::default() })
    }

    fn with(translator: &dyn Translate, options: &TranslateOptions) -> Self {
        Self { session: translator.session(options), requests: HashMap::new(), ids: HashMap::new() }
    }

    fn insert(&mut self, id: RequestId, number: u32, wanted: Wanted) {
        self.ids.insert(number, id);
        self.requests.insert(id, Request { number, wanted });
    }

    fn find(&self, number: u32) -> Option<RequestId> {
        self.ids.get(&number).copied()
    }

    fn remove(&mut self, id: RequestId) -> Option<Request> {
        let request = self.requests.remove(&id)?;
        self.ids.remove(&request.number);
        Some(request)
    }

    fn step(&mut self, finished: &mut Vec<Finished>) {
        if self.session.is_idle() {
            return;
        }
        for (id, translation) in self.session.step() {
            if let Some(request) = self.remove(id) {
                finished.push(Finished::new(request, translation));
            }
        }
    }
}

#[wasm_bindgen]
impl Engine {
    /// An engine with one model, or with two, of which the second translates what the first has translated. `beam` is the number of
    /// hypotheses per sentence to follow side by side; 0 for what the models are meant to have. Each model keeps the translations of `cache`
    /// sentences, so that they are not translated again.
    ///
    /// # Errors
    /// A `ModelError` if the second model does not translate from the language that the first one translates to.
    #[wasm_bindgen(constructor)]
    pub fn new(first: Model, second: Option<Model>, beam: usize, cache: usize) -> Result<Engine, JsValue> {
        let (first, second) = (first.0.with_cache(cache), second.map(|second| second.0.with_cache(cache)));
        let mut info = EngineInfo::of(&first);
        let translator: Box<dyn Translate> = match second {
            None => Box::new(first),
            Some(second) => {
                let weight_bytes = info.weight_bytes;
                info = EngineInfo::of(&second);
                info.weight_bytes += weight_bytes;
                Box::new(Pivot::new(first, second).map_err(|error| js_error("ModelError", &error))?)
            }
        };
        if beam > 0 {
            info.beam = beam;
        }
        let plain = Queue::new(&*translator, beam, false);
        Ok(Self { translator, info, beam, plain, scored: None, branching: None, next: 0 })
    }

    /// Queues a text, higher priorities first. Returns the request's number. With `details` the finished request has
    /// sentences and tokens, with `scores` also the tokens' log-probabilities.
    pub fn submit(&mut self, text: &str, priority: i32, details: bool, scores: bool) -> u32 {
        let number = self.next;
        self.next = self.next.wrapping_add(1);
        let queue = if scores {
            self.scored.get_or_insert_with(|| Queue::new(&*self.translator, self.beam, true))
        } else {
            &mut self.plain
        };
        let id = queue.session.submit(text, priority);
        let wanted = if details || scores { Wanted::Details(text.to_owned()) } else { Wanted::Text };
        queue.insert(id, number, wanted);
        number
    }

    /// Queues a text whose first sentence's translation is to begin with `prefix`. Returns the request's number; the finished request has
    /// details and scores, and with `alternatives` also a few candidates, which branch at the word after the prefix.
    #[wasm_bindgen(js_name = submitFrom)]
    pub fn submit_from(&mut self, text: &str, prefix: &str, alternatives: bool, priority: i32) -> u32 {
        let number = self.next;
        self.next = self.next.wrapping_add(1);
        let queue = if alternatives {
            let options = TranslateOptions {
                beam: ALTERNATIVES,
                n_best: ALTERNATIVES,
                branches: true,
                scores: true,
                ..TranslateOptions::default()
            };
            self.branching.get_or_insert_with(|| Queue::with(&*self.translator, &options))
        } else {
            self.scored.get_or_insert_with(|| Queue::new(&*self.translator, self.beam, true))
        };
        let id = queue.session.submit_from(text, prefix, priority);
        queue.insert(id, number, Wanted::Details(text.to_owned()));
        number
    }

    /// Queues a block of text with inline markup, higher priorities first. `nodes` is the block's tree in document order, four
    /// numbers each: index of the element it is in or 2^32 - 1; 0 for an element, 1 for one that keeps its own content,
    /// 2 for a text node; start and end in the text. Returns the request's number; the finished request has places.
    ///
    /// # Errors
    /// A `MarkupError` if the nodes are not a tree over the text.
    #[wasm_bindgen(js_name = submitBlock)]
    pub fn submit_block(&mut self, text: String, nodes: &[u32], priority: i32) -> Result<u32, JsValue> {
        let nodes = markup::nodes(&text, nodes)
            .and_then(|nodes| check_tree(&text, &nodes).map(|()| nodes))
            .map_err(|error| js_error("MarkupError", &error))?;
        let number = self.next;
        self.next = self.next.wrapping_add(1);
        // Line breaks of a block are elements of the page, which stay where they are.
        let id = self.plain.session.submit_wrapped(&text, priority, Wrapped::Never);
        self.plain.insert(id, number, Wanted::Places(text, nodes));
        Ok(number)
    }

    /// Queues a passage of a document, whose line breaks end sentences. Returns the request's number; the finished request has
    /// sentences and tokens.
    #[wasm_bindgen(js_name = submitPassage)]
    pub fn submit_passage(&mut self, text: String, priority: i32) -> u32 {
        let number = self.next;
        self.next = self.next.wrapping_add(1);
        let id = self.plain.session.submit_wrapped(&text, priority, Wrapped::Never);
        self.plain.insert(id, number, Wanted::Details(text));
        number
    }

    /// Drops a request. False if it is unknown or finished.
    pub fn cancel(&mut self, number: u32) -> bool {
        self.queues().any(|queue| {
            let Some(id) = queue.find(number) else { return false };
            queue.remove(id);
            queue.session.cancel(id)
        })
    }

    /// Moves the sentences of a request that have not been started to another place in the queue. False if it is unknown or finished.
    #[wasm_bindgen(js_name = setPriority)]
    pub fn set_priority(&mut self, number: u32, priority: i32) -> bool {
        self.queues().any(|queue| queue.find(number).is_some_and(|id| queue.session.set_priority(id, priority)))
    }

    /// Whether there is nothing to do.
    #[wasm_bindgen(js_name = isIdle)]
    pub fn is_idle(&self) -> bool {
        let others = [&self.scored, &self.branching];
        self.plain.session.is_idle() && others.into_iter().flatten().all(|queue| queue.session.is_idle())
    }

    /// Works for a few milliseconds and returns the requests that were finished.
    pub fn step(&mut self) -> Vec<Finished> {
        let mut finished = Vec::new();
        self.queues().for_each(|queue| queue.step(&mut finished));
        finished
    }

    /// What the engine runs on.
    pub fn info(&self) -> EngineInfo {
        self.info.clone()
    }

    fn queues(&mut self) -> impl Iterator<Item = &mut Queue> {
        std::iter::once(&mut self.plain).chain(self.scored.as_mut()).chain(self.branching.as_mut())
    }
}

/// What an engine runs on.
#[wasm_bindgen(getter_with_clone, inspectable)]
#[derive(Clone, Debug)]
pub struct EngineInfo {
    /// The instruction set of the kernels in use.
    #[wasm_bindgen(readonly)]
    pub backend: String,
    /// `int8`, `int16` or `float32`.
    #[wasm_bindgen(readonly)]
    pub precision: String,
    /// Number of hypotheses per sentence that are followed side by side.
    #[wasm_bindgen(readonly)]
    pub beam: usize,
    /// Bytes that the weights take in memory.
    #[wasm_bindgen(readonly, js_name = weightBytes)]
    pub weight_bytes: f64,
}

impl EngineInfo {
    fn of(translator: &Translator) -> Self {
        let info = translator.info();
        let precision = match info.precision {
            crate::Precision::Int8 => "int8",
            crate::Precision::Int16 => "int16",
            crate::Precision::Float32 => "float32",
        };
        Self {
            backend: info.backend.name().to_owned(),
            precision: precision.to_owned(),
            beam: info.beam,
            weight_bytes: info.weight_bytes as f64,
        }
    }
}

/// A finished request.
#[wasm_bindgen(getter_with_clone)]
#[derive(Clone, Debug)]
pub struct Finished {
    /// The number that [`Engine::submit`] gave.
    #[wasm_bindgen(readonly)]
    pub request: u32,
    /// The translation.
    #[wasm_bindgen(readonly)]
    pub text: String,
    /// For each sentence: source start and end, target start and end. Empty unless details were wanted.
    #[wasm_bindgen(readonly)]
    pub sentences: Vec<u32>,
    /// For each piece of the translation: source start and end, target start and end. Empty unless details were wanted.
    #[wasm_bindgen(readonly)]
    pub tokens: Vec<u32>,
    /// For each piece, its log-probability; NaN for what the model did not write. Empty unless scores were wanted.
    #[wasm_bindgen(readonly)]
    pub scores: Vec<f32>,
    /// For each node of a block in the order of the translation: its index or 2^32 - 1 for a text node to be made, index of the
    /// element it is in or 2^32 - 1, target start and end. Empty unless a block was submitted.
    #[wasm_bindgen(readonly)]
    pub places: Vec<u32>,
    /// Translations of the first sentence, the likeliest first. Empty unless alternatives were wanted.
    #[wasm_bindgen(readonly)]
    pub candidates: Vec<String>,
    /// What went wrong, if something did: a fault of the engine.
    #[wasm_bindgen(readonly)]
    pub error: Option<String>,
}

impl Finished {
    fn new(request: Request, translation: Translation) -> Self {
        let mut finished = Self {
            request: request.number,
            text: String::new(),
            sentences: Vec::new(),
            tokens: Vec::new(),
            scores: Vec::new(),
            places: Vec::new(),
            candidates: Vec::new(),
            error: None,
        };
        match request.wanted {
            Wanted::Text => {}
            Wanted::Details(source) => {
                let pairs = translation.sentences.iter().map(|link| (&link.source, &link.target));
                finished.sentences = offsets::utf16(&source, &translation.text, pairs);
                let pairs = translation.tokens.iter().map(|token| (&token.link.source, &token.link.target));
                finished.tokens = offsets::utf16(&source, &translation.text, pairs);
                if translation.tokens.iter().any(|t| t.log_probability.is_some()) {
                    let score = |t: &TranslatedToken| t.log_probability.unwrap_or(f32::NAN);
                    finished.scores = translation.tokens.iter().map(score).collect();
                }
            }
            Wanted::Places(source, nodes) => match places(&source, &nodes, &translation) {
                Ok(places) => finished.places = places,
                Err(error) => finished.error = Some(error.to_string()),
            },
        }
        if let Some(candidates) = translation.candidates.into_iter().next() {
            finished.candidates = candidates.into_iter().map(|candidate| candidate.text).collect();
        }
        finished.text = translation.text;
        finished
    }
}

fn places(source: &str, nodes: &[Node], translation: &Translation) -> Result<Vec<u32>, MarkupError> {
    let tokens: Vec<Link> = translation.tokens.iter().map(|token| token.link.clone()).collect();
    let aligned = Aligned { text: &translation.text, sentences: &translation.sentences, tokens: &tokens };
    Ok(markup::places(&translation.text, &project(source, nodes, aligned)?))
}

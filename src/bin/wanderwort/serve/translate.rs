//! What all interfaces ask for: texts in another language.

use super::App;
use super::error::ServeError;
use super::languages::Detected;
use super::library::Lease;
use super::metrics::Counted;
use super::scheduler::{Batch, Key, Ticket};
use std::borrow::Cow;
use std::sync::Arc;
use tokio::task::spawn_blocking;
use wanderwort::model::catalogue::same_language;
use wanderwort::text::documents::{self, AlignedText, Document, Languages};
use wanderwort::text::html::{ElementRules, HtmlDocument};
use wanderwort::{Sentences, Translate, Translation, Wrapped};

/// The most translations besides the best one.
pub const MOST_ALTERNATIVES: usize = 5;

/// A text takes about as much memory as so many characters, even if it is empty.
const TEXT_COST: usize = 4;

/// What the texts are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Text without markup.
    Text,
    /// HTML, a document or a part of one.
    Html,
    /// XML, a part of a document.
    Xml,
}

/// What is to be done.
pub struct Work {
    pub texts: Vec<String>,
    /// A BCP 47 tag; none: the language of each text is detected.
    pub source: Option<String>,
    /// A BCP 47 tag.
    pub target: String,
    pub format: Format,
    /// Where sentences end; none: as on the command line.
    pub sentences: Option<Sentences>,
    /// Translations besides the best one, of text without markup.
    pub alternatives: usize,
    /// How the translation of the first sentence of each text without markup begins; none if empty.
    pub prefix: String,
    /// What the elements of markup are.
    pub elements: ElementRules,
    pub client: u64,
    pub priority: i32,
}

/// A text in the other language.
#[derive(Clone, Debug)]
pub struct Translated {
    pub text: String,
    pub alternatives: Vec<String>,
    /// The language that was detected, if none was given.
    pub detected: Option<Detected>,
}

/// Characters of texts.
pub fn characters(texts: &[String]) -> usize {
    texts.iter().map(|text| text.chars().count()).sum()
}

/// Texts of one language that are being translated.
struct Group {
    /// Which texts they are.
    indices: Vec<usize>,
    running: Running,
    /// Keeps the models in memory as long as they work.
    _lease: Lease,
}

enum Running {
    Text(Ticket),
    /// One for each text.
    Markup(Vec<(Arc<HtmlDocument>, Ticket)>),
}

/// Translates texts, in order.
pub async fn translate(app: &App, work: Work) -> Result<Vec<Translated>, ServeError> {
    let (count, most) = (work.texts.len(), (app.limits.text / TEXT_COST).max(1));
    if count > most {
        return Err(ServeError::Texts { limit: most, found: count });
    }
    // The prefix of each text is work too.
    let found = characters(&work.texts) + work.prefix.chars().count() * count;
    if found > app.limits.text {
        return Err(ServeError::TextSize { limit: app.limits.text, found });
    }
    let _waiting = admit(app, found + TEXT_COST * count)?;
    app.metrics.characters.inc_by(found as u64);
    let detected: Vec<Option<Detected>> = match &work.source {
        Some(_) => vec![None; count],
        None => {
            let words: Vec<Cow<str>> = work.texts.iter().map(|text| without_tags(text, work.format)).collect();
            let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
            app.library.detect_for(&words, &work.target).into_iter().map(Some).collect()
        }
    };
    let mut groups: Vec<(String, Vec<usize>)> = Vec::new();
    for (index, found) in detected.iter().enumerate() {
        let source = found.as_ref().map(|found| found.tag.as_str()).or(work.source.as_deref()).unwrap_or_default();
        match groups.iter_mut().find(|(tag, _)| tag == source) {
            Some((_, indices)) => indices.push(index),
            None => groups.push((source.to_owned(), vec![index])),
        }
    }
    let mut texts = work.texts.iter().map(String::as_str).collect::<Vec<_>>();
    let mut translated: Vec<Option<Translated>> = vec![None; count];
    let mut put = |indices: Vec<usize>, finished: Vec<(String, Vec<String>)>| {
        for (index, (text, alternatives)) in indices.into_iter().zip(finished) {
            translated[index] = Some(Translated { text, alternatives, detected: detected[index].clone() });
        }
    };
    let mut running: Vec<Group> = Vec::new();
    for (source, indices) in groups {
        let own: Vec<String> = indices.iter().map(|&index| std::mem::take(&mut texts[index]).to_owned()).collect();
        if same_language(&source, &work.target) {
            put(indices, own.into_iter().map(|text| (text, Vec::new())).collect());
            continue;
        }
        let lease = match app.library.lease_at_once(&source, &work.target)? {
            Some(lease) => lease,
            None => {
                for group in running.drain(..) {
                    put(group.indices, finish(group.running, &work).await?);
                }
                app.library.lease(&source, &work.target).await?
            }
        };
        running.push(start(app, &work, lease, indices, own).await?);
    }
    for group in running {
        put(group.indices, finish(group.running, &work).await?);
    }
    Ok(translated.into_iter().flatten().collect())
}

/// Counts this many characters as waiting, if there is room.
fn admit(app: &App, characters: usize) -> Result<Counted, ServeError> {
    let waiting = app.metrics.waiting.get();
    if waiting > 0 && waiting as usize + characters > app.limits.queue {
        let rate = app.scheduler.rate().max(1000);
        let retry_after = (waiting as u64).div_ceil(rate).clamp(1, 60);
        return Err(ServeError::Busy { retry_after });
    }
    Ok(Counted::new(&app.metrics.waiting, characters as i64))
}

async fn start(
    app: &App,
    work: &Work,
    lease: Lease,
    indices: Vec<usize>,
    texts: Vec<String>,
) -> Result<Group, ServeError> {
    let batch = |texts: Vec<String>, alternatives: usize, sentences, wrapped| Batch {
        key: Key { models: lease.models.clone(), alternatives },
        translator: Arc::clone(&lease.translator) as Arc<dyn Translate>,
        texts,
        client: work.client,
        priority: work.priority,
        sentences,
        wrapped,
        // The prefix of a text is not a prefix of a document's passages.
        prefix: if work.format == Format::Text { work.prefix.clone() } else { String::new() },
    };
    let running = match work.format {
        Format::Text => {
            let alternatives = if work.alternatives > 0 { MOST_ALTERNATIVES } else { 0 };
            Running::Text(app.scheduler.submit(batch(texts, alternatives, work.sentences, None)))
        }
        Format::Html | Format::Xml => {
            let mut documents = Vec::new();
            for text in texts {
                let text = wrap(text, work);
                let (source, target) = (lease.source.clone(), lease.target.clone());
                let mut elements = work.elements.clone();
                elements.borders.push(XML_ROOT.to_owned());
                let read = move || {
                    let languages = Languages { source: &source, target: &target };
                    let document = HtmlDocument::with_rules(text, &languages, &elements);
                    let texts = documents::texts(&document).into_iter().map(str::to_owned).collect::<Vec<_>>();
                    (Arc::new(document), texts)
                };
                let (document, passages) = spawn_blocking(read).await.map_err(|_| ServeError::Engine)?;
                // The lines of a passage end in elements of the document.
                let sentences = work.sentences.filter(|sentences| *sentences == Sentences::AreLines);
                let sentences = sentences.unwrap_or(Sentences::InLines);
                let batch = batch(passages, 0, Some(sentences), Some(Wrapped::Never));
                documents.push((document, app.scheduler.submit(batch)));
            }
            Running::Markup(documents)
        }
    };
    Ok(Group { indices, running, _lease: lease })
}

/// The translations of a group, each with its alternatives.
async fn finish(running: Running, work: &Work) -> Result<Vec<(String, Vec<String>)>, ServeError> {
    match running {
        Running::Text(ticket) => {
            let translations = ticket.translations().await.ok_or(ServeError::Engine)?;
            let with_others = |translation: Translation| {
                let others = others(&translation, work.alternatives);
                (translation.text, others)
            };
            Ok(translations.into_iter().map(with_others).collect())
        }
        Running::Markup(documents) => {
            let mut written = Vec::new();
            for (document, ticket) in documents {
                let translations = ticket.translations().await.ok_or(ServeError::Engine)?;
                let write = move || {
                    let translations: Vec<_> = translations.into_iter().map(AlignedText::from).map(Some).collect();
                    documents::write(&*document as &dyn Document, &translations)
                };
                let bytes = spawn_blocking(write).await.map_err(|_| ServeError::Engine)?;
                let text = String::from_utf8(bytes.map_err(|_| ServeError::Engine)?);
                written.push((unwrap(text.map_err(|_| ServeError::Engine)?, work), Vec::new()));
            }
            Ok(written)
        }
    }
}

/// Up to `count` other translations of a text, all different: in the second best, each sentence is its own second best, and so on.
fn others(translation: &Translation, count: usize) -> Vec<String> {
    let mut texts = vec![translation.text.clone()];
    let longest = translation.candidates.iter().map(Vec::len).max().unwrap_or(0);
    for rank in 1..longest {
        let mut text = String::with_capacity(translation.text.len());
        let mut copied = 0;
        for (sentence, candidates) in translation.sentences.iter().zip(&translation.candidates) {
            let Some(candidate) = candidates.get(rank.min(candidates.len().saturating_sub(1))) else { continue };
            text.push_str(&translation.text[copied..sentence.target.start]);
            text.push_str(&candidate.text);
            copied = sentence.target.end;
        }
        text.push_str(&translation.text[copied..]);
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    texts.drain(1..).take(count).collect()
}

/// The part of a text that tells its language: names of elements and attributes are English.
fn without_tags(text: &str, format: Format) -> Cow<'_, str> {
    if format == Format::Text {
        return Cow::Borrowed(text);
    }
    let mut words = String::new();
    for part in text.split_inclusive('>') {
        words.push_str(part.split('<').next().unwrap_or_default());
        words.push(' ');
    }
    Cow::Owned(words)
}

/// Makes XML out of part of a document: an element that nobody means when saying what elements are.
const XML_ROOT: &str = "wanderwort-text";
const XML_START: &str = "<?xml version=\"1.0\"?><wanderwort-text>";
const XML_END: &str = "</wanderwort-text>";

/// The text in the form that the reader of documents takes.
fn wrap(text: String, work: &Work) -> String {
    if work.format == Format::Xml { format!("{XML_START}{text}{XML_END}") } else { text }
}

/// The translation of what [`wrap`] made.
fn unwrap(text: String, work: &Work) -> String {
    let inner = text.strip_prefix(XML_START).and_then(|text| text.strip_suffix(XML_END));
    inner.filter(|_| work.format == Format::Xml).map(str::to_owned).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use wanderwort::{Candidate, Link};

    #[test]
    fn tags_do_not_tell_a_language() {
        let html = "<p class=\"the main text\">Wo <b>ist</b> der</p> Bahnhof?";
        let words = without_tags(html, Format::Html);
        assert_eq!(words.split_whitespace().collect::<Vec<_>>(), ["Wo", "ist", "der", "Bahnhof?"]);
        assert_eq!(without_tags(html, Format::Text), html);
    }

    #[test]
    fn others_take_the_next_of_each_sentence() {
        let candidate = |text: &str| Candidate { text: text.to_owned(), log_probability: 0.0, score: 0.0 };
        let translation = Translation {
            text: "Eins. Zwei.".to_owned(),
            sentences: vec![Link { target: 0..5, source: 0..4 }, Link { target: 6..11, source: 5..9 }],
            candidates: vec![
                vec![candidate("Eins."), candidate("Einer.")],
                vec![candidate("Zwei."), candidate("Zweie."), candidate("Beide.")],
            ],
            ..Translation::default()
        };
        assert_eq!(others(&translation, 5), ["Einer. Zweie.", "Einer. Beide."]);
        assert_eq!(others(&translation, 1), ["Einer. Zweie."]);
        assert!(others(&Translation::default(), 5).is_empty());
    }
}

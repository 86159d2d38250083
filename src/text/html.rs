//! HTML files: their text is translated, their markup stays.
//!
//! The file is parsed as browsers do (html5ever, Servo's parser), so anything is accepted and what comes out is well-formed. Each run of
//! text and inline elements between block borders is one text for the translator, with `\n` where a `<br>` stands and nowhere else;
//! [`markup`](super::markup) puts the elements back. Attributes that are read or shown (`title`, `alt`, `placeholder`, `aria-label`,
//! labels of buttons, descriptions for search engines) are translated too.
//!
//! Left alone: `translate="no"` and the class `notranslate` (undone by `translate="yes"` inside), other languages (`lang`), code, `pre`,
//! scripts, styles, editable text, formulas and drawings. Such an element inside a sentence is part of what the translator reads, since
//! the sentence needs it, but keeps its own content.

mod tree;

use std::collections::HashMap;

use super::link::Link;
use super::markup::{Aligned, MarkupError, Node, NodeKind, Placed, project};
use tree::{DOCUMENT, Data, NodeId, Tree};

/// The languages of a translation, as BCP 47 tags.
#[derive(Clone, Copy, Debug)]
pub struct HtmlOptions<'a> {
    /// Language of the text; elements whose `lang` says otherwise are left alone.
    pub source: &'a str,
    /// Language of the translation, for the `lang` attribute.
    pub target: &'a str,
}

/// A translation with its alignment, as [`Aligned`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AlignedText {
    /// The translation; lines are those of the source.
    pub text: String,
    /// Sentences and their translations, in order.
    pub sentences: Vec<Link>,
    /// Tokens of the translation and where they come from.
    pub tokens: Vec<Link>,
}

/// Translates an HTML document or fragment. `translate` is called once with all texts, each different from the others, and returns
/// their translations in the same order; what it leaves out stays as it is. It has to keep the lines of each text.
///
/// # Errors
/// If ranges of a translation are not of its text or of the source.
pub fn translate_html(
    html: &str,
    options: &HtmlOptions,
    translate: impl FnOnce(&[&str]) -> Vec<AlignedText>,
) -> Result<String, MarkupError> {
    let mut tree = Tree::parse(html);
    let (blocks, attributes) = Collector::new(&tree, options).collect();
    let mut texts: Vec<&str> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    for text in blocks.iter().map(|block| &block.text).chain(attributes.iter().map(|attribute| &attribute.text)) {
        places.entry(text).or_insert_with(|| {
            texts.push(text);
            texts.len() - 1
        });
    }
    let translations = translate(&texts);
    for attribute in &attributes {
        if let Some(translation) = translations.get(places[attribute.text.as_str()]) {
            tree.set_attribute(attribute.node, attribute.name, &translation.text);
        }
    }
    for block in &blocks {
        if let Some(translation) = translations.get(places[block.text.as_str()]) {
            block.replace(&mut tree, translation)?;
        }
    }
    set_language(&mut tree, options.target);
    Ok(tree.to_html())
}

/// Says in which language the document is now.
fn set_language(tree: &mut Tree, language: &str) {
    let mut child = tree.first_child(DOCUMENT);
    while let Some(node) = child {
        if tree.name(node).is_some_and(|name| &**name == "html") {
            tree.set_attribute(node, "lang", language);
        }
        child = tree.next_sibling(node);
    }
}

/// A run of text and inline elements.
struct Block {
    text: String,
    /// The text with its original white space, byte for byte as long.
    original: String,
    nodes: Vec<Node>,
    /// For each of `nodes` the node of the tree.
    ids: Vec<NodeId>,
}

/// An attribute with text.
struct AttributeText {
    node: NodeId,
    name: &'static str,
    text: String,
}

impl Block {
    fn replace(&self, tree: &mut Tree, translation: &AlignedText) -> Result<(), MarkupError> {
        let aligned =
            Aligned { text: &translation.text, sentences: &translation.sentences, tokens: &translation.tokens };
        let placed = project(&self.text, &self.nodes, aligned)?;
        let text = self.with_original_gaps(translation);
        // The block's top nodes stand next to each other: what follows the last is in front of what they are put.
        let top = || self.nodes.iter().zip(&self.ids).filter(|(node, _)| node.parent.is_none()).map(|(_, id)| *id);
        let Some(container) = top().next().and_then(|id| tree.parent(id)) else { return Ok(()) };
        let end = top().next_back().and_then(|id| tree.next_sibling(id));
        for Placed { node, parent, range } in placed {
            let (parent, next) = parent.map_or((container, end), |parent| (self.ids[parent], None));
            match node.map(|node| (self.ids[node], self.nodes[node].kind)) {
                Some((id, NodeKind::Text)) if range.is_empty() => tree.detach(id),
                Some((id, NodeKind::Text)) => {
                    *tree.data_mut(id) = Data::Text(without_breaks(&text[range]));
                    tree.insert(parent, id, next);
                }
                Some((id, _)) => tree.insert(parent, id, next),
                None => {
                    let id = tree.create(Data::Text(without_breaks(&text[range])));
                    tree.insert(parent, id, next);
                }
            }
        }
        Ok(())
    }

    /// The translation with the source's own line breaks and tabs between sentences instead of the spaces that stood for them.
    fn with_original_gaps(&self, translation: &AlignedText) -> String {
        let mut text = String::with_capacity(translation.text.len());
        let (mut source_end, mut target_end) = (0, 0);
        let after =
            [Link { target: translation.text.len()..translation.text.len(), source: self.text.len()..self.text.len() }];
        for Link { target, source } in translation.sentences.iter().chain(&after) {
            let gap = &translation.text[target_end..target.start];
            let original = source_end..source.start;
            text.push_str(if self.text[original.clone()] == *gap { &self.original[original] } else { gap });
            text.push_str(&translation.text[target.clone()]);
            (source_end, target_end) = (source.end, target.end);
        }
        text
    }
}

/// Stands for a `<br>` in a block's original text; the parser lets no other through.
const BREAK: char = '\0';

/// The `<br>` is there itself.
fn without_breaks(text: &str) -> String {
    text.replace(BREAK, "")
}

/// Elements that end a run of text and inline elements. Labels of controls are texts of their own.
#[rustfmt::skip]
const BLOCKS: &[&str] = &[
    "address", "article", "aside", "base", "blockquote", "body", "button", "caption", "center", "col", "colgroup", "dd", "details", "dialog", "dir", "div", "dl",
    "dt", "fieldset", "figcaption", "figure", "footer", "form", "frame", "frameset", "h1", "h2", "h3", "h4", "h5", "h6", "head", "header", "hgroup", "hr", "html",
    "legend", "li", "link", "main", "menu", "meta", "nav", "noframes", "ol", "optgroup", "option", "p", "pre", "search", "section", "select", "summary",
    "table", "tbody", "td", "tfoot", "th", "thead", "title", "tr", "ul",
];

/// Elements without words for a reader.
const WORDLESS: &[&str] = &[
    "area", "audio", "canvas", "embed", "iframe", "math", "noembed", "object", "param", "script", "source", "style",
    "svg", "template", "textarea", "track", "video",
];

/// Elements whose words are not of a language.
const VERBATIM: &[&str] = &["code", "kbd", "listing", "plaintext", "pre", "samp", "tt", "var", "xmp"];

/// Attributes with text for readers.
const ATTRIBUTES: &[&str] =
    &["title", "alt", "placeholder", "aria-label", "aria-description", "aria-roledescription", "label"];

/// What `<meta>` elements say to readers of search results and previews.
const DESCRIPTIONS: &[&str] =
    &["description", "og:title", "og:description", "og:image:alt", "twitter:title", "twitter:description"];

/// Whether the content of an element is to be translated.
#[derive(Clone, Copy, Debug)]
struct State {
    translate: bool,
    language: bool,
}

impl State {
    fn is_open(self) -> bool {
        self.translate && self.language
    }
}

/// Finds what is to be translated.
struct Collector<'t> {
    tree: &'t Tree,
    source: String,
    /// For each node of the tree: an element inside ends runs of text.
    has_block: Vec<bool>,
    blocks: Vec<Block>,
    attributes: Vec<AttributeText>,
}

fn primary(tag: &str) -> String {
    tag.trim().split(['-', '_']).next().unwrap_or_default().to_ascii_lowercase()
}

impl<'t> Collector<'t> {
    fn new(tree: &'t Tree, options: &HtmlOptions) -> Self {
        let mut has_block = vec![false; tree.len()];
        let mut next = Some(DOCUMENT);
        while let Some(node) = next {
            if tree.name(node).is_some_and(|name| BLOCKS.contains(&&**name)) {
                let mut above = tree.parent(node);
                while let Some(node) = above.filter(|&node| !std::mem::replace(&mut has_block[node], true)) {
                    above = tree.parent(node);
                }
            }
            next = tree.following(node, DOCUMENT, false);
        }
        Collector { tree, source: primary(options.source), has_block, blocks: Vec::new(), attributes: Vec::new() }
    }

    fn collect(mut self) -> (Vec<Block>, Vec<AttributeText>) {
        let mut pending = vec![(DOCUMENT, State { translate: true, language: true })];
        while let Some((container, state)) = pending.pop() {
            let mut run: Vec<NodeId> = Vec::new();
            let mut child = self.tree.first_child(container);
            while let Some(node) = child {
                child = self.tree.next_sibling(node);
                match (self.tree.data(node), self.tree.name(node)) {
                    (Data::Text(_), _) => run.push(node),
                    (_, Some(name)) => {
                        let ends_run = self.has_block[node] || BLOCKS.contains(&&**name);
                        if !ends_run && state.is_open() {
                            run.push(node);
                            continue;
                        }
                        self.end_run(&mut run, state);
                        let inside = self.state_of(node, state);
                        self.collect_attributes(node, inside);
                        if !WORDLESS.contains(&&**name) && !VERBATIM.contains(&&**name) {
                            pending.push((node, inside));
                        }
                    }
                    // Comments and the like.
                    _ => {}
                }
            }
            self.end_run(&mut run, state);
        }
        (self.blocks, self.attributes)
    }

    fn state_of(&self, node: NodeId, outer: State) -> State {
        let attribute = |name| self.tree.attribute(node, name);
        let mut state = outer;
        match attribute("translate").map(str::to_ascii_lowercase).as_deref() {
            Some("no") => state.translate = false,
            Some("yes" | "") => state.translate = true,
            _ => {}
        }
        if attribute("class")
            .is_some_and(|classes| classes.split_ascii_whitespace().any(|class| class == "notranslate"))
        {
            state.translate = false;
        }
        if attribute("contenteditable").is_some_and(|value| !value.eq_ignore_ascii_case("false")) {
            state.translate = false;
        }
        // The document's own is often a template's and wrong; who asks for the translation knows better.
        let is_root = self.tree.name(node).is_some_and(|name| &**name == "html");
        if let Some(language) = attribute("lang").filter(|language| !is_root && !language.trim().is_empty()) {
            state.language = primary(language) == self.source;
        }
        state
    }

    fn collect_attributes(&mut self, node: NodeId, state: State) {
        if !state.is_open() {
            return;
        }
        let attribute = |name: &str| self.tree.attribute(node, name);
        let mut found: Vec<&'static str> =
            ATTRIBUTES.iter().copied().filter(|name| attribute(name).is_some()).collect();
        let name = self.tree.name(node).map(|name| &**name);
        let kind = attribute("type").unwrap_or_default().to_ascii_lowercase();
        if name == Some("input") && matches!(kind.as_str(), "button" | "submit" | "reset") {
            found.push("value");
        }
        let subject = attribute("name").or_else(|| attribute("property")).unwrap_or_default();
        if name == Some("meta") && DESCRIPTIONS.contains(&subject) {
            found.push("content");
        }
        for name in found {
            let text = attribute(name).unwrap_or_default().replace(['\n', '\r', '\t', '\u{c}'], " ");
            if text.contains(char::is_alphabetic) {
                self.attributes.push(AttributeText { node, name, text });
            }
        }
    }

    /// Makes a block of siblings, if they have something to translate.
    fn end_run(&mut self, run: &mut Vec<NodeId>, state: State) {
        let mut block = Block { text: String::new(), original: String::new(), nodes: Vec::new(), ids: Vec::new() };
        let mut has_words = false;
        for top in run.drain(..).filter(|_| state.is_open()) {
            // The elements the walk is in: the index in the block, the node of the tree, the state of its content.
            let mut open: Vec<(usize, NodeId, State)> = Vec::new();
            let mut next = Some(top);
            while let Some(node) = next {
                let parent = self.tree.parent(node);
                while open.last().is_some_and(|(_, id, _)| Some(*id) != parent) && node != top {
                    let (index, ..) = open.pop().expect("not empty");
                    block.nodes[index].range.end = block.text.len();
                }
                let (parent, outer) = open.last().map_or((None, state), |(index, _, state)| (Some(*index), *state));
                let mut skip = false;
                match self.tree.data(node) {
                    Data::Text(text) => {
                        has_words |= text.contains(char::is_alphabetic);
                        let start = block.text.len();
                        block.push_text(text);
                        block.nodes.push(Node { parent, kind: NodeKind::Text, range: start..block.text.len() });
                        block.ids.push(node);
                    }
                    Data::Element { name, .. } => {
                        let name = &*name.local;
                        let inside = self.state_of(node, outer);
                        self.collect_attributes(node, inside);
                        let start = block.text.len();
                        let verbatim = VERBATIM.contains(&name) || !inside.is_open();
                        let kind = if verbatim { NodeKind::Verbatim } else { NodeKind::Element };
                        block.nodes.push(Node { parent, kind, range: start..start });
                        block.ids.push(node);
                        let index = block.nodes.len() - 1;
                        if name == "br" {
                            block.text.push('\n');
                            block.original.push(BREAK);
                        } else if WORDLESS.contains(&name) {
                            skip = true;
                        } else if verbatim {
                            skip = true;
                            block.push_text(&self.text_of(node));
                            block.nodes[index].range.end = block.text.len();
                        } else if self.tree.first_child(node).is_some() {
                            open.push((index, node, inside));
                        }
                    }
                    _ => {}
                }
                next = self.tree.following(node, top, skip);
            }
            for (index, ..) in open {
                block.nodes[index].range.end = block.text.len();
            }
        }
        if has_words {
            self.blocks.push(block);
        }
    }

    /// All text inside an element.
    fn text_of(&self, root: NodeId) -> String {
        let mut content = String::new();
        let mut next = Some(root);
        while let Some(node) = next {
            if let Data::Text(text) = self.tree.data(node) {
                content.push_str(text);
            }
            next = self.tree.following(node, root, false);
        }
        content
    }
}

impl Block {
    fn push_text(&mut self, text: &str) {
        let characters = text.chars().filter(|&c| c != BREAK);
        self.original.extend(characters.clone());
        self.text.extend(characters.map(|c| if matches!(c, '\n' | '\r' | '\t' | '\u{c}') { ' ' } else { c }));
    }
}

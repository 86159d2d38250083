//! Which parts of a document are to be translated.

use html5ever::ns;

use super::outline::structured;
use super::rules::{ElementRules, RULES, Role};
use super::tokens::Parsed;
use super::tree::{DOCUMENT, Element, NodeId};

/// Whether an element is to be translated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct State {
    translate: bool,
    language: bool,
    /// It is inside something that is left alone, whatever the element itself says.
    closed: bool,
}

impl State {
    /// Whether its attributes are translated.
    pub fn is_open(self) -> bool {
        self.translate && self.language && !self.closed
    }
}

/// What is known about each node.
#[derive(Debug)]
pub(super) struct States {
    states: Vec<State>,
    roles: Vec<Role>,
}

/// A language without region and script.
pub(super) fn primary(tag: &str) -> String {
    tag.trim().split(['-', '_']).next().unwrap_or_default().to_ascii_lowercase()
}

/// The language that a document declares on an element.
pub(super) fn language_of(element: &Element) -> Option<&str> {
    let language = element.attribute("lang").or_else(|| element.attribute("xml:lang"));
    language.filter(|language| !language.trim().is_empty())
}

impl States {
    /// The state of each node, given the language that is translated from.
    pub fn new(source: &str, parsed: &Parsed, language: &str, rules: &ElementRules) -> States {
        let tree = &parsed.tree;
        let structured = if rules.outline && parsed.is_xml { structured(source, parsed) } else { Vec::new() };
        let language = primary(language);
        let open = State { translate: true, language: true, closed: false };
        let mut states = vec![open; tree.len()];
        let mut roles = vec![Role::Border; tree.len()];
        let mut next = tree.following(DOCUMENT, false);
        while let Some(node) = next {
            let parent = tree.parent(node).unwrap_or(DOCUMENT);
            let mut state = states[parent];
            state.closed |= roles[parent].is_closed();
            roles[node] = Role::Inline;
            if let Some(element) = tree.element(node) {
                let is_structure = structured.get(parent).is_some_and(|is_structured| *is_structured);
                let name = &*element.name.local;
                roles[node] = rules.role(name).unwrap_or_else(|| role(element, is_structure));
                state = state_of(element, state, &language);
                state.translate &= !rules.keeps(name);
            }
            states[node] = state;
            next = tree.following(node, false);
        }
        States { states, roles }
    }

    /// The state of an element itself.
    pub fn of(&self, node: NodeId) -> State {
        self.states[node]
    }

    /// Whether the text in an element is translated.
    pub fn is_content_open(&self, node: NodeId) -> bool {
        self.states[node].is_open() && !self.roles[node].is_closed()
    }

    pub fn role(&self, node: NodeId) -> Role {
        self.roles[node]
    }
}

fn role(element: &Element, is_structure: bool) -> Role {
    let name = &*element.name.local;
    let role = match element.name.ns {
        ns!(svg) if name == "svg" => Role::Object,
        ns!(svg) => RULES.svg(name),
        ns!(mathml) => Role::Hidden,
        ns!(html) => RULES.html(name),
        _ => Role::Inline,
    };
    if role == Role::Inline && is_structure { Role::Border } else { role }
}

fn state_of(element: &Element, outer: State, source: &str) -> State {
    let mut state = outer;
    match element.attribute("translate").map(str::to_ascii_lowercase).as_deref() {
        Some("no") => state.translate = false,
        Some("yes" | "") => state.translate = true,
        _ => {}
    }
    let classes = element.attribute("class").unwrap_or_default();
    if classes.split_ascii_whitespace().any(|class| class == "notranslate") {
        state.translate = false;
    }
    if element.attribute("contenteditable").is_some_and(|value| !value.eq_ignore_ascii_case("false")) {
        state.translate = false;
    }
    // The root's language is often a template's and wrong; whoever asks for the translation knows better.
    let is_root = &*element.name.local == "html";
    if let Some(language) = language_of(element).filter(|_| !is_root) {
        state.language = primary(language) == source;
    }
    state
}

//! What of a document is text: the table `rules.json`, which the live page goes by too.
//!
//! A role is what an element is to the text it stands in. *Border*: the text ends there. *Object*: one thing in the text, like an image, with
//! texts of its own inside (a live page leaves them alone). *Preformatted*: a border whose own text stays. *Hidden*: one thing in the text, with nothing for a reader to read inside.
//! *Verbatim*: its words are part of the sentence, and stay. *Annotation*: stands with the text before it, and stays. All others are
//! *inline*: their words are part of the text, and they go along with them.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use serde::Deserialize;

/// What an element is to the text it stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Inline,
    Border,
    Preformatted,
    Object,
    Hidden,
    Verbatim,
    Annotation,
}

/// The table as it is written: names with spaces between.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    elements: Elements,
    svg: Svg,
    attributes: String,
    buttons: String,
    descriptions: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Elements {
    border: String,
    preformatted: String,
    object: String,
    hidden: String,
    verbatim: String,
    annotation: String,
}

/// Elements of drawings; those not listed are borders.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Svg {
    inline: String,
    hidden: String,
}

/// The table, to look up in.
pub(super) struct Rules {
    html: HashMap<&'static str, Role>,
    svg: HashMap<&'static str, Role>,
    /// Attributes with text for readers.
    pub attributes: HashSet<&'static str>,
    /// Kinds of `<input>` whose value is their label.
    pub buttons: HashSet<&'static str>,
    /// What `<meta>` elements say to readers of search results and previews.
    pub descriptions: HashSet<&'static str>,
}

pub(super) static RULES: LazyLock<Rules> = LazyLock::new(|| {
    let table: Table = serde_json::from_str(include_str!("rules.json")).expect("the table is part of the program");
    let names = |list: String| String::leak(list).split(' ');
    let Elements { border, preformatted, object, hidden, verbatim, annotation } = table.elements;
    let roles = |lists: Vec<(String, Role)>| {
        lists.into_iter().flat_map(|(list, role)| names(list).map(move |name| (name, role))).collect()
    };
    Rules {
        html: roles(vec![
            (border, Role::Border),
            (preformatted, Role::Preformatted),
            (object, Role::Object),
            (hidden, Role::Hidden),
            (verbatim, Role::Verbatim),
            (annotation, Role::Annotation),
        ]),
        svg: roles(vec![(table.svg.inline, Role::Inline), (table.svg.hidden, Role::Hidden)]),
        attributes: names(table.attributes).collect(),
        buttons: names(table.buttons).collect(),
        descriptions: names(table.descriptions).collect(),
    }
});

impl Role {
    /// Whether the text around ends there.
    pub fn ends_text(self) -> bool {
        matches!(self, Role::Border | Role::Preformatted)
    }

    /// Whether nothing inside is translated.
    pub fn is_closed(self) -> bool {
        matches!(self, Role::Preformatted | Role::Hidden | Role::Verbatim | Role::Annotation)
    }
}

impl Rules {
    /// The role of an HTML element.
    pub fn html(&self, name: &str) -> Role {
        self.html.get(name).copied().unwrap_or(Role::Inline)
    }

    /// The role of an element inside of a drawing.
    pub fn svg(&self, name: &str) -> Role {
        self.svg.get(name).copied().unwrap_or(Role::Border)
    }
}

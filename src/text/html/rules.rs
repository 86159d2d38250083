//! Which parts of a document are text: the table `rules.json`, which the live page uses too.
//!
//! A role is what an element is to the text it stands in. *Border*: the text ends there. *Object*: one thing in the text, like an image, with
//! texts of its own inside (a live page leaves them alone). *Preformatted*: a border whose own text stays. *Hidden*: one thing in the text, with
//! nothing inside for a reader to read. *Verbatim*: its words are part of the sentence, and stay. *Annotation*: belongs to the text before it,
//! and stays. All others are *inline*: their words are part of the text, and the elements move along with them.

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

/// The roles of elements where the caller knows better than the table, because a document has elements of its own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ElementRules {
    /// Names of elements at which a text ends. Case does not matter, here and below.
    pub borders: Vec<String>,
    /// Names of elements that are part of the text around them.
    pub inline: Vec<String>,
    /// Names of elements that stay as they are.
    pub kept: Vec<String>,
    /// Whether elements without a role of their own structure an XML document where they look like it: where they stand together without words
    /// between them, on separate lines or directly after one another. Otherwise they are part of the text around them.
    pub outline: bool,
}

impl ElementRules {
    /// The role that they give an element, if they do.
    pub(super) fn role(&self, name: &str) -> Option<Role> {
        if is_among(&self.borders, name) {
            Some(Role::Border)
        } else if is_among(&self.inline, name) {
            Some(Role::Inline)
        } else {
            None
        }
    }

    /// Whether an element stays as it is.
    pub(super) fn keeps(&self, name: &str) -> bool {
        is_among(&self.kept, name)
    }
}

fn is_among(names: &[String], name: &str) -> bool {
    names.iter().any(|other| other.eq_ignore_ascii_case(name))
}

/// The table as it is written: names separated by spaces.
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

/// The table, for looking up.
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

    /// The role of an element inside a drawing.
    pub fn svg(&self, name: &str) -> Role {
        self.svg.get(name).copied().unwrap_or(Role::Border)
    }
}

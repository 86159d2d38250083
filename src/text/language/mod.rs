//! What the engine knows about languages: data, one [`LanguageData`] for each.
//!
//! How numbers, dates, currencies and quotations are written comes from the Unicode Common Locale Data Repository. What that does not have, or
//! has in too general a form, stands in the language's own file. `table.rs` lists the languages.

mod arabic;
mod cldr;
mod czech;
mod danish;
mod data;
mod dutch;
mod english;
mod finnish;
mod french;
mod german;
mod greek;
mod hindi;
mod hungarian;
mod italian;
mod japanese;
mod norwegian;
mod polish;
mod portuguese;
mod romanian;
mod russian;
mod script;
mod serbian;
mod spanish;
mod swedish;
mod table;
mod turkish;
mod ukrainian;
mod unknown;

use std::fmt;
use std::ops::Deref;

pub use data::{
    Abbreviations, CurrencyForm, DateForm, DateOrder, FunctionWords, LanguageData, NumberForm, Quotes, UnitWords, Words,
};
pub use script::Script;
pub(in crate::text) use script::is_latin_letter;
use table::LANGUAGES;

/// A language that the engine knows, or [`UNKNOWN`](Self::UNKNOWN). It is a reference to its [data](LanguageData).
#[derive(Clone, Copy)]
pub struct Language(&'static LanguageData);

impl Language {
    /// A language that nobody told, or that the engine knows nothing about: what holds in most languages is done, and what depends on
    /// words or on how numbers are written is left alone.
    pub const UNKNOWN: Language = Language(&unknown::UNKNOWN);
    /// English.
    pub const ENGLISH: Language = Language(&english::ENGLISH);
    /// German.
    pub const GERMAN: Language = Language(&german::GERMAN);

    /// The language that fits a BCP 47 tag best, such as `en`, `de-CH` or `en_US`; ISO 639-2 codes such as `ger` and `deu` are understood too.
    /// None if the engine knows no such language.
    pub fn from_tag(tag: &str) -> Option<Language> {
        let tag = tag.trim().to_ascii_lowercase();
        let mut subtags = tag.split(['-', '_']);
        let primary = subtags.next().filter(|primary| !primary.is_empty())?;
        let language = LANGUAGES.iter().find(|language| language.tag == primary || language.codes.contains(primary))?;
        // Chinese is written in traditional characters where the tag says so, or names a region that does.
        let traditional = language.tag == "zh" && subtags.any(|subtag| matches!(subtag, "hant" | "tw" | "hk" | "mo"));
        let language =
            if traditional { LANGUAGES.iter().find(|language| language.tag == "zh-Hant")? } else { language };
        Some(*language)
    }

    /// All languages that the engine knows, by tag.
    pub fn all() -> &'static [Language] {
        LANGUAGES
    }

    /// The BCP 47 tag; `und` for [`UNKNOWN`](Self::UNKNOWN).
    pub fn tag(self) -> &'static str {
        self.0.tag
    }
}

impl Deref for Language {
    type Target = LanguageData;

    fn deref(&self) -> &LanguageData {
        self.0
    }
}

impl Default for Language {
    fn default() -> Self {
        Self::UNKNOWN
    }
}

impl PartialEq for Language {
    fn eq(&self, other: &Self) -> bool {
        self.tag == other.tag
    }
}

impl Eq for Language {}

impl fmt::Debug for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Language({})", self.tag)
    }
}

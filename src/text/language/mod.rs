//! What the engine knows about languages: data, one [`LanguageData`] for each.
//!
//! How numbers, dates, currencies and quotations are written comes from the Unicode Common Locale Data Repository. What it lacks, or has in too
//! general a form, is in the language's own file. `table.rs` lists the languages.

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
mod vietnamese;

use std::fmt;
use std::ops::Deref;

pub use data::{
    Abbreviations, CurrencyForm, DateForm, DateOrder, FunctionWords, LanguageData, NumberForm, Quotes, ShortForms,
    UnitWords, Words,
};
pub use script::Script;
pub(in crate::text) use script::is_latin_letter;
use table::LANGUAGES;

/// A language that the engine knows, or [`UNKNOWN`](Self::UNKNOWN). It is a reference to its [data](LanguageData).
#[derive(Clone, Copy)]
pub struct Language(&'static LanguageData);

impl Language {
    /// A language that was not given, or that the engine knows nothing about: what holds in most languages is done, and what depends on
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

#[cfg(test)]
mod tests {
    use super::*;

    fn language(tag: &str) -> Language {
        Language::from_tag(tag).unwrap_or_else(|| panic!("{tag} is known"))
    }

    #[test]
    fn tags_find_the_language_that_fits_best() {
        for (tag, expected) in [
            ("en", "en"),
            ("en-US", "en"),
            ("EN_us", "en"),
            ("eng", "en"),
            ("ger", "de"),
            ("deu", "de"),
            ("de-AT-1996", "de"),
            ("no", "nb"),
            ("nn-NO", "nn"),
            ("iw", "he"),
            ("pt-BR", "pt"),
            ("zh", "zh"),
            ("zh-CN", "zh"),
            ("zh-Hans-SG", "zh"),
            ("zh-TW", "zh-Hant"),
            ("zh_hant", "zh-Hant"),
            ("zh-Hant-HK", "zh-Hant"),
            ("sr-Latn", "sr"),
        ] {
            assert_eq!(language(tag).tag(), expected, "{tag}");
        }
        for tag in ["", "-", "den", "tlh", "english", "e"] {
            assert_eq!(Language::from_tag(tag), None, "{tag}");
        }
    }

    #[test]
    fn languages_are_listed_once_by_tag() {
        let tags: Vec<&str> = Language::all().iter().map(|language| language.tag()).collect();
        let mut sorted = tags.clone();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(tags, sorted);
        for language in Language::all() {
            assert_eq!(Language::from_tag(language.tag()), Some(*language));
            let codes = language.codes;
            assert!(codes.iter().all(|code| Language::from_tag(code) == Some(*language)), "{language:?}: {codes:?}");
        }
    }

    #[test]
    fn data_is_whole() {
        for language in Language::all() {
            let tag = language.tag();
            assert_ne!(language.numbers.decimal, language.numbers.group, "{tag}");
            assert!(language.numbers.zero.is_numeric() && (4..=5).contains(&language.numbers.least_grouped), "{tag}");
            assert!(!language.dates.separator.is_empty(), "{tag}");
            assert!(language.letters.is_empty() || language.script == Script::Latin, "{tag}");
            assert!(language.sentence_gap == " " || !language.spaced, "{tag}");
            for words in [language.size_words, language.clock_words, language.conjunctions] {
                assert!(words.iter().all(|word| word.to_lowercase() == word), "{tag}: {words:?}");
            }
            let abbreviations = language.abbreviations;
            for words in [abbreviations.always, abbreviations.before_number, abbreviations.doubtful] {
                assert!(words.iter().all(|word| !word.ends_with('.')), "{tag}: without the stop: {words:?}");
            }
            assert!(abbreviations.spaced.iter().all(|words| words.contains(' ')), "{tag}");
        }
    }

    #[test]
    fn forms_are_those_of_the_language() {
        let french = language("fr");
        assert_eq!((french.quotes.open, french.quotes.close, french.quotes.gap), ('«', '»', "\u{a0}"));
        assert_eq!(
            (french.numbers.decimal, french.numbers.group, french.numbers.percent_gap),
            (',', '\u{202f}', "\u{a0}")
        );
        assert_eq!(language("pl").numbers.least_grouped, 5);
        assert_eq!(language("hi").numbers.group_size, 2);
        assert_eq!(language("fa").numbers.zero, '۰');
        assert!(language("tr").numbers.percent_before && !language("de").numbers.percent_before);
        assert!(language("en").currency.before && !language("de").currency.before);
        assert_eq!(language("de").dates.order, DateOrder::DayMonthYear);
        assert_eq!(language("en").dates.order, DateOrder::MonthDayYear);
        assert_eq!(language("hu").dates.order, DateOrder::YearMonthDay);
        for (tag, stop) in [("de", true), ("cs", true), ("pl", true), ("en", false), ("fr", false), ("ru", false)] {
            assert_eq!(language(tag).ordinal_stop, stop, "{tag}");
        }
        assert!(language("ru").is_size_word("миллиона") && language("en").is_size_word("millions"));
        assert!(!language("en").is_size_word("kitchens"));
        assert!(language("de").unit_words("cm").any(|word| "zentimeter".starts_with(word)));
        assert!(language("ru").unit_words("kg").any(|word| word == "кг"));
        assert_eq!(language("ja").unit_words("kWh").count(), 0, "nothing is known of it");
        assert!(!language("zh").spaced && language("zh").sentence_gap.is_empty());
        assert!(!language("th").spaced && language("th").sentence_gap == " ");
    }

    #[test]
    fn scripts_have_their_letters() {
        for (tag, letter, other) in [
            ("en", 'é', 'я'),
            ("ru", 'я', 'a'),
            ("el", 'ω', 'w'),
            ("ar", 'س', 'ס'),
            ("he", 'ס', 'س'),
            ("hi", 'क', 'ক'),
            ("zh", '猫', 'ね'),
            ("ja", 'ね', '고'),
            ("ko", '고', 'ね'),
            ("th", 'แ', 'ແ'),
            ("ru", 'й', '5'),
        ] {
            let script = language(tag).script;
            assert!(script.has(letter) && !script.has(other), "{tag}");
        }
    }

    #[test]
    fn words_are_found_whole() {
        let words = Words("no nos e.g a");
        for word in ["no", "nos", "e.g", "a"] {
            assert!(words.contains(word), "{word}");
        }
        for word in ["n", "o", "s", "no nos", "", " ", ".g", "No"] {
            assert!(!words.contains(word), "{word}");
        }
    }
}

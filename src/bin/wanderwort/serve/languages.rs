//! Names of languages, and which one a text is in.

use wanderwort::model::catalogue::same_language;
use whatlang::{Detector, Lang};

/// Names of languages that the library for telling languages has none of, or another.
const NAMES: [(&str, &str); 13] = [
    ("bs", "Bosnian"),
    ("eu", "Basque"),
    ("fa", "Persian"),
    ("gl", "Galician"),
    ("is", "Icelandic"),
    ("ms", "Malay"),
    ("mt", "Maltese"),
    ("nb", "Norwegian Bokmål"),
    ("nn", "Norwegian Nynorsk"),
    ("sq", "Albanian"),
    ("sw", "Swahili"),
    ("zh", "Chinese"),
    ("zh-Hant", "Chinese (traditional)"),
];

/// A language as that library has it; none if it cannot tell that one.
fn known(tag: &str) -> Option<Lang> {
    let tag_of = |lang: &Lang| match lang {
        Lang::Cmn => "zh",
        Lang::Nob => "nb",
        Lang::Pes => "fa",
        other => other.code(),
    };
    // Both ways of writing Chinese look alike to it.
    let tag = if same_language(tag, "zh-Hant") { "zh" } else { tag };
    Lang::all().iter().find(|lang| same_language(tag_of(lang), tag)).copied()
}

/// The English name of a language; the tag itself if it has none here.
pub fn name(tag: &str) -> String {
    if let Some((_, name)) = NAMES.iter().find(|(other, _)| same_language(other, tag)) {
        return (*name).to_owned();
    }
    known(tag).map_or_else(|| tag.to_owned(), |lang| lang.eng_name().to_owned())
}

/// A language that a text may be in.
#[derive(Clone, Debug, PartialEq)]
pub struct Detected {
    /// Its BCP 47 tag.
    pub tag: String,
    /// How sure that is, from 0 to 1.
    pub confidence: f64,
}

/// Which of some languages a text is in. With nothing to go by it is the first of them, for sure of nothing.
pub fn detect(text: &str, tags: &[&str]) -> Option<Detected> {
    let candidates: Vec<(&str, Lang)> = tags.iter().filter_map(|tag| Some((*tag, known(tag)?))).collect();
    let detector = Detector::with_allowlist(candidates.iter().map(|(_, lang)| *lang).collect());
    let found = detector.detect(text).and_then(|info| {
        let (tag, _) = candidates.iter().find(|(_, lang)| *lang == info.lang())?;
        Some(Detected { tag: (*tag).to_owned(), confidence: info.confidence() })
    });
    found.or_else(|| tags.first().map(|tag| Detected { tag: (*tag).to_owned(), confidence: 0.0 }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_have_names() {
        for (tag, expected) in [
            ("de", "German"),
            ("en", "English"),
            ("zh", "Chinese"),
            ("zh-TW", "Chinese (traditional)"),
            ("nb", "Norwegian Bokmål"),
            ("is", "Icelandic"),
            ("tlh", "tlh"),
        ] {
            assert_eq!(name(tag), expected, "{tag}");
        }
    }

    #[test]
    fn short_texts_are_told_among_a_few_languages() {
        let tags = ["en", "de", "fr", "es", "ru", "zh", "fa"];
        for (text, expected) in [
            ("Where is the station?", "en"),
            ("Wo ist der Bahnhof?", "de"),
            ("La maison est grande et belle.", "fr"),
            ("Где находится вокзал?", "ru"),
            ("车站在哪里？", "zh"),
            ("ایستگاه کجاست؟", "fa"),
            ("12.5", "en"),
        ] {
            assert_eq!(detect(text, &tags).map(|found| found.tag).as_deref(), Some(expected), "{text}");
        }
        assert_eq!(detect("Hello", &[]), None);
    }
}

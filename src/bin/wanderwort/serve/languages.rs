//! Names of languages, and which one a text is in.

use wanderwort::model::catalogue::same_language;
use whatlang::{Detector, Lang, Script, detect_script};

/// Names of languages for which the language detection library has none, or a different one.
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

/// A language in that library's terms; none if it cannot detect that language.
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

/// Bytes of a text that are looked at: more tell nothing new.
const LOOKED_AT: usize = 4096;

/// Bytes of each text, and number of texts, that are looked at together.
const LOOKED_AT_TOGETHER: (usize, usize) = (512, 64);

/// Which of the given languages each text is in, for texts that come together. With nothing to go by, it is the first language, with
/// confidence 0.
pub fn detect_all(texts: &[&str], tags: &[&str]) -> Vec<Option<Detected>> {
    let candidates: Vec<(&str, Lang)> = tags.iter().filter_map(|tag| Some((*tag, known(tag)?))).collect();
    let detector = Detector::with_allowlist(candidates.iter().map(|(_, lang)| *lang).collect());
    let opinions: Vec<Opinions> = texts.iter().map(|text| Opinions::of(text, &detector, &candidates)).collect();
    // A text that is too short to tell is most likely in the language of the texts beside it.
    let together = (texts.len() > 1 && opinions.iter().any(|opinions| !opinions.is_clear)).then(|| {
        let (bytes, count) = LOOKED_AT_TOGETHER;
        let text = texts.iter().take(count).map(|text| start(text, bytes)).collect::<Vec<_>>().join("\n");
        Opinions::of(&text, &detector, &candidates)
    });
    let decide = |opinions: &Opinions| {
        let lead = together.as_ref().filter(|together| !opinions.is_clear && together.script == opinions.script);
        let found = lead.unwrap_or(opinions).lang.and_then(|lang| {
            let confidence = if opinions.is_clear { opinions.confidence } else { opinions.confidence / 2.0 };
            let (tag, _) = candidates.iter().find(|(_, candidate)| *candidate == lang)?;
            Some(Detected { tag: (*tag).to_owned(), confidence })
        });
        found.or_else(|| tags.first().map(|tag| Detected { tag: (*tag).to_owned(), confidence: 0.0 }))
    };
    opinions.iter().map(decide).collect()
}

/// From this confidence on, the library that can be told which languages may occur is right about short texts too.
const SURE: f64 = 0.5;

/// What two libraries say about a text.
struct Opinions {
    lang: Option<Lang>,
    confidence: f64,
    script: Option<Script>,
    /// Whether they agree, or the first one is sure of a language that the other one does not know.
    is_clear: bool,
}

impl Opinions {
    fn of(text: &str, detector: &Detector, candidates: &[(&str, Lang)]) -> Opinions {
        let text = start(text, LOOKED_AT);
        let script = detect_script(text);
        let Some(found) = detector.detect(text) else {
            return Opinions { lang: None, confidence: 0.0, script, is_clear: false };
        };
        let (first, confidence) = (found.lang(), found.confidence());
        let second = Lang::from_code(whichlang::detect_language(text).three_letter_code());
        let second = second.filter(|lang| candidates.iter().any(|(_, candidate)| candidate == lang));
        // The second one is better at the languages that it knows, and takes all others for one of them.
        let is_known = whichlang::LANGUAGES.iter().any(|lang| lang.three_letter_code() == first.code());
        let lang = second.filter(|_| is_known).or(Some(first));
        let is_clear = second == Some(first) || lang == Some(first) && confidence >= SURE;
        Opinions { lang, confidence, script, is_clear }
    }
}

/// The beginning of a text, of at most `bytes` bytes.
fn start(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes)]
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
            assert_eq!(detected(&[text], &tags), [expected], "{text}");
        }
        assert_eq!(detect_all(&["Hello"], &[]), [None]);
    }

    fn detected(texts: &[&str], tags: &[&str]) -> Vec<String> {
        detect_all(texts, tags).into_iter().map(|found| found.expect("there are tags").tag).collect()
    }

    #[test]
    fn english_beside_german() {
        for text in
            ["It's getting hot in here.", "Japanese flags were flying.", "Why can't we do it again?", "I have a dog."]
        {
            assert_eq!(detected(&[text], &["en", "de"]), ["en"], "{text}");
        }
        // Polish is not one of those that are known better.
        assert_eq!(detected(&["Gdzie jest dworzec?"], &["en", "pl", "de"]), ["pl"]);
    }

    #[test]
    fn what_is_too_short_to_tell_is_as_what_stands_beside_it() {
        let tags = ["en", "de", "fr", "es", "it", "nl", "pt", "ru", "pl", "cs", "sv"];
        let text = "The committee will publish its report on the new rules in the spring.";
        let alone: Vec<&str> = ["Reset", "Home", "Search", "Cancel", "Options", "Start menu", "Final test"]
            .into_iter()
            .filter(|label| detected(&[label], &tags) != ["en"])
            .collect();
        assert!(!alone.is_empty());
        let labels: Vec<&str> = alone.iter().copied().chain([text]).collect();
        let english = detected(&labels, &tags).iter().filter(|tag| *tag == "en").count();
        assert!(english > alone.len() / 2, "{labels:?} {:?}", detected(&labels, &tags));
        // A whole sentence in another language stays what it is.
        let mixed = [text, "Der Ausschuss veröffentlicht im Frühjahr seinen Bericht über die neuen Regeln.", "Да"];
        assert_eq!(detected(&mixed, &tags), ["en", "de", "ru"]);
    }
}

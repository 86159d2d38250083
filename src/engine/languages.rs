//! Which languages a model is for, as its files tell.

use crate::model::MarianFiles;
use crate::text::language::Language;

impl MarianFiles {
    /// Tags of source and target language as file names tell them: a part of four letters that are two languages, `model.ende.bin`.
    pub fn language_tags(&self) -> Option<(String, String)> {
        let named = [Some(&self.model), self.shortlist.as_ref(), Some(&self.source_vocabulary)];
        named.into_iter().flatten().find_map(|file| {
            let name = file.name.rsplit(['/', '\\']).next()?;
            // The first part says what the file is, the last what form it has.
            let parts: Vec<&str> = name.split('.').collect();
            parts.get(1..parts.len() - 1)?.iter().find_map(|part| {
                let (source, target) = part.split_at_checked(2).filter(|(_, target)| target.len() == 2)?;
                let is_pair = Language::from_tag(source).is_some() && Language::from_tag(target).is_some();
                is_pair.then(|| (source.to_owned(), target.to_owned()))
            })
        })
    }
}

/// Tags of source and target language as the `model_info.json` of a folder tells them, which translateLocally's models have:
/// `"srcTags": {"en": "English"}, "trgTag": "de"`.
#[cfg(not(target_arch = "wasm32"))]
pub(super) fn tags_of_folder(folder: &std::path::Path) -> Option<(String, String)> {
    let text = std::fs::read(folder.join("model_info.json")).ok()?;
    let info: serde_json::Value = serde_json::from_slice(&text).ok()?;
    let mut sources = info["srcTags"].as_object()?.keys();
    // A model for several source languages has none of its own.
    let (Some(source), None) = (sources.next(), sources.next()) else { return None };
    Some((source.clone(), info["trgTag"].as_str()?.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::NamedBytes;

    #[test]
    fn languages_are_told_by_file_names() {
        let file = |name: &str| NamedBytes { name: name.to_owned(), bytes: Vec::new() };
        let files = |model: &str, shortlist: &str| MarianFiles {
            model: file(model),
            source_vocabulary: file("vocab.spm"),
            target_vocabulary: None,
            shortlist: Some(file(shortlist)),
            decoder: None,
        };
        let pair = |a: &str, b: &str| Some((a.to_owned(), b.to_owned()));
        assert_eq!(files("models/model.ende.intgemm.alphas.bin", "lex.bin").language_tags(), pair("en", "de"));
        assert_eq!(files("model.npz", "lex.50.50.csen.s2t.bin.gz").language_tags(), pair("cs", "en"));
        assert_eq!(files("model", "lex.s2t").language_tags(), None);
        assert_eq!(files("model.best.npz", "lex.base.bin").language_tags(), None);
    }

    #[test]
    fn languages_are_told_by_a_description_of_the_model() {
        let folder = tempfile::tempdir().expect("a folder");
        let tags = |info: &str| {
            std::fs::write(folder.path().join("model_info.json"), info).expect("room");
            tags_of_folder(folder.path())
        };
        let pair = |a: &str, b: &str| Some((a.to_owned(), b.to_owned()));
        assert_eq!(tags(r#"{"srcTags": {"cs": "Czech"}, "trgTag": "en", "version": 1}"#), pair("cs", "en"));
        assert_eq!(tags(r#"{"srcTags": {"hbs": "", "slv": ""}, "trgTag": "en"}"#), None);
        assert_eq!(tags("not JSON"), None);
        assert_eq!(tags_of_folder(&folder.path().join("nothing")), None);
    }
}

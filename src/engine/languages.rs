//! Which languages a model is for, according to its files.

use crate::model::MarianFiles;
use crate::text::language::Language;

impl MarianFiles {
    /// Tags of the source and target language from file names: a part of four letters that name two languages, as in `model.ende.bin`.
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
            info: None,
        };
        let pair = |a: &str, b: &str| Some((a.to_owned(), b.to_owned()));
        assert_eq!(files("models/model.ende.intgemm.alphas.bin", "lex.bin").language_tags(), pair("en", "de"));
        assert_eq!(files("model.npz", "lex.50.50.csen.s2t.bin.gz").language_tags(), pair("cs", "en"));
        assert_eq!(files("model", "lex.s2t").language_tags(), None);
        assert_eq!(files("model.best.npz", "lex.base.bin").language_tags(), None);
    }
}

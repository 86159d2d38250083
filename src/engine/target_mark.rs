//! Models with several target languages, which are told the wanted one by a mark before the source: `>>deu<<`.

use super::load::LoadError;
use crate::text::language::Language;
use crate::text::vocab::Vocabulary;

/// Maximum number of bytes in a target's name.
const LONGEST: usize = 23;

/// What a model with several target languages calls one of them, without the signs around it: `deu` or `cmn_Hans`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct TargetToken {
    bytes: [u8; LONGEST],
    length: u8,
}

impl TargetToken {
    /// The name, with or without the signs around it. None if it is empty or too long for one.
    pub fn new(name: &str) -> Option<Self> {
        let name = name.strip_prefix(">>").and_then(|rest| rest.strip_suffix("<<")).unwrap_or(name);
        let mut bytes = [0; LONGEST];
        bytes.get_mut(..name.len()).filter(|place| !place.is_empty())?.copy_from_slice(name.as_bytes());
        Some(Self { bytes, length: name.len() as u8 })
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.bytes[..self.length as usize]).unwrap_or_default()
    }
}

impl std::fmt::Debug for TargetToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "TargetToken({})", self.as_str())
    }
}

/// The word that goes before every sentence, if the model with this source vocabulary needs one, and the language that it translates to: the
/// `wanted` one, or the one for `language`, or the only one that there is. Errors name `file`.
pub(super) fn find(
    file: &str,
    vocabulary: &Vocabulary,
    wanted: Option<&TargetToken>,
    language: Language,
) -> Result<(Option<u32>, Language), LoadError> {
    let marks: Vec<(&str, u32)> = vocabulary.target_marks().collect();
    let wanted = wanted.map(TargetToken::as_str);
    if marks.is_empty() && wanted.is_none() {
        return Ok((None, language));
    }
    let of_language = || {
        let fits =
            |(name, _): &&(&str, u32)| language != Language::UNKNOWN && Language::from_tag(name) == Some(language);
        // For a language in several scripts or regions, the plain name.
        marks.iter().filter(fits).min_by_key(|(name, _)| name.len())
    };
    let found = match (wanted, marks.as_slice()) {
        (Some(wanted), _) => marks.iter().find(|(name, _)| *name == wanted),
        (None, [only]) if language == Language::UNKNOWN => Some(only),
        (None, _) => of_language(),
    };
    let Some(&(name, id)) = found else {
        let told =
            wanted.map(str::to_owned).or_else(|| (language != Language::UNKNOWN).then(|| language.tag().to_owned()));
        let available = marks.iter().map(|(name, _)| (*name).to_owned()).collect();
        return Err(LoadError::TargetToken { file: file.to_owned(), told, available });
    };
    let language = if language == Language::UNKNOWN { Language::from_tag(name).unwrap_or(language) } else { language };
    Ok((Some(id), language))
}

/// What is wrong if a model is told a target language that it does not have.
pub(super) fn message(file: &str, told: Option<&str>, available: &[String]) -> String {
    const SHOWN: usize = 12;
    if available.is_empty() {
        return format!(
            "{file}: the model has one target language and knows no target token `{}`",
            told.unwrap_or_default()
        );
    }
    let mut names = available.iter().take(SHOWN).map(String::as_str).collect::<Vec<_>>().join(", ");
    if available.len() > SHOWN {
        names += &format!(" and {} more", available.len() - SHOWN);
    }
    match told {
        Some(told) => format!(
            "{file}: the model translates to {names}, not to `{told}`; tell it one of these as the target token"
        ),
        None => format!(
            "{file}: the model translates to several languages: {names}; tell it which, by the target language or as the target token"
        ),
    }
}

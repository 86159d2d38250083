//! Which symbols and punctuation marks a new package carries over.

use anyhow::Result;
use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};
use wanderwort::model::package::relabel;
use wanderwort::{LoadOptions, Translator};

/// The package, with a measurement of the signs that its model carries over. `file` is its name in errors.
pub fn measured(file: &str, package: &[u8]) -> Result<Vec<u8>> {
    let translator = Translator::from_package(file, package, &LoadOptions::default())?;
    Ok(relabel(file, package, |label| {
        *label.signs = Some(translator.measure_signs(&label.card.source_language, signs()));
    })?)
}

/// Every character that Unicode calls a symbol or punctuation.
fn signs() -> impl Iterator<Item = char> {
    ('\0'..=char::MAX).filter(|character| {
        let group = character.general_category_group();
        matches!(group, GeneralCategoryGroup::Symbol | GeneralCategoryGroup::Punctuation)
    })
}

#[cfg(test)]
mod tests {
    use super::signs;

    #[test]
    fn signs_are_symbols_and_punctuation() {
        let signs: Vec<char> = signs().collect();
        for sign in "!%/_|~§©«°±·»×–’„…€→≤★✅😂。".chars() {
            assert!(signs.contains(&sign), "{sign}");
        }
        for other in "aß漢7²½ \u{ad}\u{301}\u{e000}\u{200b}".chars() {
            assert!(!signs.contains(&other), "{other:?}");
        }
    }
}

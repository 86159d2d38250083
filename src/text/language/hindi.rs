//! Hindi.

use super::cldr;
use super::data::{Abbreviations, LanguageData, Words};

#[rustfmt::skip]
pub(super) static HINDI: LanguageData = LanguageData {
    conjunctions: Words("और या लेकिन परंतु क्योंकि कि जो जब अगर यदि जबकि तो"),
    abbreviations: Abbreviations {
        always: Words("डॉ प्रो श्री सुश्री पं रु"),
        before_number: Words("सं पृ क्र"),
        doubtful: Words("आदि कि.मी मि सें"),
        ..cldr::HI.abbreviations
    },
    ..cldr::HI
};

//! Japanese.

use super::cldr;
use super::data::LanguageData;

#[rustfmt::skip]
pub(super) static JAPANESE: LanguageData = LanguageData {
    after_quotation: "とっのなはがをにでもかや",
    ..cldr::JA
};

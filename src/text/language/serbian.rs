//! Serbian.

use super::cldr;
use super::data::LanguageData;
use super::script::Script;

pub(super) static SERBIAN: LanguageData = LanguageData {
    // Cyrillic and Latin letters alike.
    script: Script::Any,
    ..cldr::SR
};

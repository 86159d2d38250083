//! Arabic.

use super::cldr;
use super::data::{Abbreviations, LanguageData, Words};

#[rustfmt::skip]
pub(super) static ARABIC: LanguageData = LanguageData {
    conjunctions: Words("و أو لكن لأن أن الذي التي عندما إذا بينما حيث ثم"),
    abbreviations: Abbreviations {
        always: Words("د أ م ص"),
        before_number: Words("ص رقم ج"),
        doubtful: Words("إلخ ه هـ ق.م كم سم كغ"),
        ..cldr::AR.abbreviations
    },
    ..cldr::AR
};

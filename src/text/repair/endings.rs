//! The sign with which a sentence ends.
//!
//! A model now and then leaves out the last full stop, above all behind an abbreviation.

use super::Sentence;
use super::draft::{Draft, Side};

/// Puts a full stop, exclamation mark or question mark back that is the source's last sign.
pub fn repair(sentence: &Sentence, draft: &mut Draft) {
    let source = sentence.source.trim_end();
    let Some(sign) = source.chars().next_back().filter(|c| matches!(c, '.' | '!' | '?')) else { return };
    let before = &source[..source.len() - sign.len_utf8()];
    let lost = draft.text().trim_end().ends_with(char::is_alphanumeric) && before.ends_with(char::is_alphanumeric);
    if lost {
        let end = draft.text().trim_end().len();
        draft.insert(end, Side::Before, sign.encode_utf8(&mut [0; 4]), sentence.source.len());
    }
}

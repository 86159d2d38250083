//! Scripts, and which letters are theirs.

/// What a language is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Script {
    /// Any, for languages that are not known.
    Any,
    /// Latin.
    Latin,
}

impl Script {
    /// Whether a character is a letter of the script.
    pub fn has(self, c: char) -> bool {
        match self {
            Script::Any => c.is_alphabetic(),
            Script::Latin => is_latin_letter(c),
        }
    }
}

/// Whether a character is a letter of the Latin script in any style.
pub(in crate::text) fn is_latin_letter(c: char) -> bool {
    c.is_ascii_alphabetic()
        || (matches!(c, '\u{aa}' | '\u{ba}' | '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' | '\u{2c60}'..='\u{2c7f}' | '\u{a722}'..='\u{a7ff}'
            | '\u{fb00}'..='\u{fb06}' | '\u{ff21}'..='\u{ff3a}' | '\u{ff41}'..='\u{ff5a}' | '\u{1d400}'..='\u{1d6a5}')
            && c.is_alphabetic())
}

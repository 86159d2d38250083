//! Scripts, and which letters are theirs.

/// What a language is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the scripts' names say all")]
pub enum Script {
    /// Any, for languages that are not known.
    Any,
    Latin,
    Cyrillic,
    Greek,
    Arabic,
    Hebrew,
    Armenian,
    Georgian,
    Ethiopic,
    Devanagari,
    Bengali,
    Gujarati,
    Gurmukhi,
    Tamil,
    Telugu,
    Kannada,
    Malayalam,
    Sinhala,
    Thai,
    Lao,
    Khmer,
    Burmese,
    /// Chinese, in either form.
    Han,
    /// Han with the two syllabaries.
    Japanese,
    /// Hangul with Han.
    Korean,
}

impl Script {
    /// Whether a character is a letter of the script.
    pub fn has(self, c: char) -> bool {
        if c.is_ascii() {
            return matches!(self, Script::Any | Script::Latin) && c.is_ascii_alphabetic();
        }
        let is_han =
            |c| matches!(c, '\u{3005}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}');
        let in_block = match self {
            Script::Any => true,
            Script::Latin => return is_latin_letter(c),
            Script::Greek => matches!(c, '\u{370}'..='\u{3ff}' | '\u{1f00}'..='\u{1fff}'),
            Script::Cyrillic => {
                matches!(c, '\u{400}'..='\u{52f}' | '\u{1c80}'..='\u{1c8f}' | '\u{2de0}'..='\u{2dff}' | '\u{a640}'..='\u{a69f}')
            }
            Script::Armenian => matches!(c, '\u{530}'..='\u{58f}' | '\u{fb13}'..='\u{fb17}'),
            Script::Hebrew => matches!(c, '\u{590}'..='\u{5ff}' | '\u{fb1d}'..='\u{fb4f}'),
            Script::Arabic => {
                matches!(c, '\u{600}'..='\u{6ff}' | '\u{750}'..='\u{77f}' | '\u{8a0}'..='\u{8ff}' | '\u{fb50}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}')
            }
            Script::Devanagari => matches!(c, '\u{900}'..='\u{97f}' | '\u{a8e0}'..='\u{a8ff}'),
            Script::Bengali => matches!(c, '\u{980}'..='\u{9ff}'),
            Script::Gurmukhi => matches!(c, '\u{a00}'..='\u{a7f}'),
            Script::Gujarati => matches!(c, '\u{a80}'..='\u{aff}'),
            Script::Tamil => matches!(c, '\u{b80}'..='\u{bff}'),
            Script::Telugu => matches!(c, '\u{c00}'..='\u{c7f}'),
            Script::Kannada => matches!(c, '\u{c80}'..='\u{cff}'),
            Script::Malayalam => matches!(c, '\u{d00}'..='\u{d7f}'),
            Script::Sinhala => matches!(c, '\u{d80}'..='\u{dff}'),
            Script::Thai => matches!(c, '\u{e00}'..='\u{e7f}'),
            Script::Lao => matches!(c, '\u{e80}'..='\u{eff}'),
            Script::Burmese => matches!(c, '\u{1000}'..='\u{109f}' | '\u{a9e0}'..='\u{a9ff}' | '\u{aa60}'..='\u{aa7f}'),
            Script::Georgian => {
                matches!(c, '\u{10a0}'..='\u{10ff}' | '\u{1c90}'..='\u{1cbf}' | '\u{2d00}'..='\u{2d2f}')
            }
            Script::Ethiopic => {
                matches!(c, '\u{1200}'..='\u{139f}' | '\u{2d80}'..='\u{2ddf}' | '\u{ab00}'..='\u{ab2f}')
            }
            Script::Khmer => matches!(c, '\u{1780}'..='\u{17ff}'),
            Script::Han => is_han(c),
            Script::Japanese => {
                matches!(c, '\u{3041}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}' | '\u{ff66}'..='\u{ff9f}') || is_han(c)
            }
            Script::Korean => {
                matches!(c, '\u{1100}'..='\u{11ff}' | '\u{3130}'..='\u{318f}' | '\u{ac00}'..='\u{d7a3}' | '\u{ffa1}'..='\u{ffdc}')
                    || is_han(c)
            }
        };
        in_block && c.is_alphabetic()
    }
}

/// Whether a character is a letter of the Latin script in any style.
pub(in crate::text) fn is_latin_letter(c: char) -> bool {
    c.is_ascii_alphabetic()
        || (matches!(c, '\u{aa}' | '\u{ba}' | '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' | '\u{2c60}'..='\u{2c7f}' | '\u{a722}'..='\u{a7ff}'
            | '\u{fb00}'..='\u{fb06}' | '\u{ff21}'..='\u{ff3a}' | '\u{ff41}'..='\u{ff5a}' | '\u{1d400}'..='\u{1d6a5}')
            && c.is_alphabetic())
}

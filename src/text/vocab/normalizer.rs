//! SentencePiece's normalizer: Unicode rules, white space, and where each byte of the result came from.
//!
//! The rules ("precompiled charsmap") are a Darts double-array trie from byte strings to offsets in a block of NUL-terminated
//! replacements; the longest rule that matches at a position wins. The file holds the trie's size in bytes (u32), the trie (u32 units,
//! little-endian) and the block. A unit of the trie: bits 0-7 and 31 the label, bit 8 "a value follows", bits 10-30 the
//! offset (shifted by eight more if bit 9 is set); a value unit holds the value in bits 0-30.
//! Sources: Kudo and Richardson, "SentencePiece", 2018, section 3.2; the layout is that of the Darts-clone library.

use super::trie::Trie;

/// The symbol for a space in pieces: U+2581.
pub(super) const SPACE_SYMBOL: &str = "\u{2581}";

/// Longest source of a rule in bytes. Rules name a few code points; the bound keeps a crafted trie with a cycle from reading to the end
/// of the text at every position.
const MAX_RULE_BYTES: usize = 256;

/// Longest replacement in bytes (NFKC's longest has 33), so that a crafted rule cannot inflate a text without bound.
const MAX_REPLACEMENT_BYTES: usize = 1024;

/// SentencePiece looks at no more rules than this at one position (they come shortest first).
const MAX_RULES_AT_POSITION: usize = 32;

/// The switches of the model file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Switches {
    pub add_dummy_prefix: bool,
    pub remove_extra_whitespaces: bool,
    pub escape_whitespaces: bool,
    pub treat_whitespace_as_suffix: bool,
}

#[derive(Debug)]
pub(super) struct Normalizer {
    rules: Vec<u32>,
    replacements: String,
    switches: Switches,
    /// User-defined symbols, which no rule may touch.
    untouchable: Option<Trie>,
    /// ASCII bytes that stay as they are if an ASCII byte or the end follows.
    plain: [bool; 128],
}

/// A normalized text and, for each of its bytes and for its end, the offset in the original where the rule's source began.
#[derive(Debug, Default)]
pub(super) struct Normalized {
    pub text: Vec<u8>,
    pub origin: Vec<u32>,
}

impl Normalizer {
    /// Reads the rules; `charsmap` may be empty. The error says what was expected, and at which offset in `charsmap`.
    pub fn new(charsmap: &[u8], switches: Switches, untouchable: Option<Trie>) -> Result<Normalizer, (usize, String)> {
        let (rules, replacements) = if charsmap.is_empty() { (Vec::new(), "") } else { split(charsmap)? };
        let mut normalizer =
            Normalizer { rules, replacements: replacements.to_owned(), switches, untouchable, plain: [false; 128] };
        for byte in 0..128u8 {
            normalizer.plain[byte as usize] =
                byte != b' ' && normalizer.stays(&[byte]) && (0..128u8).all(|next| !normalizer.reaches(&[byte, next]));
        }
        Ok(normalizer)
    }

    /// Whether no rule and no untouchable symbol starts with exactly these bytes and ends there.
    fn stays(&self, bytes: &[u8]) -> bool {
        self.longest_rule(bytes).is_none() && self.untouchable.as_ref().is_none_or(|trie| trie.get(bytes).is_none())
    }

    /// Whether some rule or untouchable symbol may start with these bytes.
    fn reaches(&self, bytes: &[u8]) -> bool {
        let untouchable = self.untouchable.as_ref().is_some_and(|trie| {
            let mut node = super::trie::ROOT;
            bytes.iter().all(|&byte| trie.step(node, byte).map(|(child, _)| node = child).is_some())
        });
        let mut position = self.start();
        untouchable || bytes.iter().all(|&byte| position.as_mut().is_some_and(|p| self.step(p, byte).is_some()))
    }

    fn start(&self) -> Option<usize> {
        self.rules.first().map(|&unit| offset(unit))
    }

    /// Follows `byte`: the outer option is whether there is such an edge, the inner the value that ends there.
    #[inline]
    fn step(&self, position: &mut usize, byte: u8) -> Option<Option<usize>> {
        let node = *position ^ byte as usize;
        let unit = *self.rules.get(node)?;
        if unit & 0x8000_00ff != u32::from(byte) {
            return None;
        }
        *position = node ^ offset(unit);
        let has_value = unit & 0x100 != 0;
        Some(if has_value { self.rules.get(*position).map(|&unit| (unit & 0x7fff_ffff) as usize) } else { None })
    }

    /// The longest rule that `text` starts with: length of its source in bytes, offset of its replacement.
    fn longest_rule(&self, text: &[u8]) -> Option<(usize, usize)> {
        let mut position = self.start()?;
        let mut longest = None;
        let mut found = 0;
        for (index, &byte) in text.iter().take(MAX_RULE_BYTES).enumerate() {
            let Some(value) = self.step(&mut position, byte) else { break };
            if let Some(value) = value {
                longest = Some((index + 1, value));
                found += 1;
                if found == MAX_RULES_AT_POSITION {
                    break;
                }
            }
        }
        longest
    }

    fn replacement(&self, start: usize) -> Option<&str> {
        let rest = self.replacements.get(start..)?;
        rest.split('\0').next()
    }

    /// What the text becomes at `start`, a character boundary before its end, and how many bytes of the text that consumes.
    fn next<'a>(&'a self, text: &'a str, start: usize) -> (&'a str, usize) {
        let rest = &text[start..];
        if let Some(length) = self.untouchable.as_ref().and_then(|trie| trie.longest_prefix(rest.as_bytes())) {
            return (&rest[..length], length);
        }
        if let Some((length, value)) = self.longest_rule(rest.as_bytes()) {
            // Rules of a well-formed file start and end between characters.
            if let Some(replacement) = self.replacement(value).filter(|_| rest.is_char_boundary(length)) {
                return (replacement, length);
            }
        }
        let length = rest.chars().next().map_or(0, char::len_utf8);
        (&rest[..length], length)
    }

    /// Normalizes. If the model asks for it, spaces are single and there are none at the ends; the dummy prefix and the white space
    /// escape are applied.
    pub fn normalize(&self, text: &str) -> Normalized {
        let Switches { add_dummy_prefix, remove_extra_whitespaces, escape_whitespaces, treat_whitespace_as_suffix } =
            self.switches;
        let space: &[u8] = if escape_whitespaces { SPACE_SYMBOL.as_bytes() } else { b" " };
        let mut result = Normalized::default();
        let mut consumed = 0;
        if remove_extra_whitespaces {
            while consumed < text.len() {
                let (part, length) = self.next(text, consumed);
                if part != " " {
                    break;
                }
                consumed += length;
            }
        }
        if consumed == text.len() {
            return result;
        }
        let capacity = text.len() + text.len() / 2 + 8;
        result.text.reserve(capacity);
        result.origin.reserve(capacity);
        if add_dummy_prefix && !treat_whitespace_as_suffix {
            result.push(space, consumed);
        }
        let bytes = text.as_bytes();
        let mut after_space = remove_extra_whitespaces;
        while consumed < text.len() {
            let byte = bytes[consumed];
            if byte < 128 && self.plain[byte as usize] && bytes.get(consumed + 1).is_none_or(|&next| next < 128) {
                result.text.push(byte);
                result.origin.push(consumed as u32);
                after_space = false;
                consumed += 1;
                continue;
            }
            let (mut part, length) = self.next(text, consumed);
            if after_space {
                part = part.trim_start_matches(' ');
            }
            if !part.is_empty() {
                for byte in part.bytes() {
                    if byte == b' ' {
                        result.push(space, consumed);
                    } else {
                        result.push(&[byte], consumed);
                    }
                }
                after_space = remove_extra_whitespaces && part.ends_with(' ');
            }
            consumed += length;
        }
        if remove_extra_whitespaces {
            while result.text.ends_with(space) {
                let length = result.text.len() - space.len();
                consumed = result.origin[length] as usize;
                result.text.truncate(length);
                result.origin.truncate(length);
            }
        }
        if add_dummy_prefix && treat_whitespace_as_suffix {
            result.push(space, consumed);
        }
        result.origin.push(consumed as u32);
        result
    }
}

impl Normalized {
    #[inline]
    fn push(&mut self, bytes: &[u8], origin: usize) {
        self.text.extend_from_slice(bytes);
        self.origin.extend(std::iter::repeat_n(origin as u32, bytes.len()));
    }
}

/// The distance from a unit to its children.
#[inline]
fn offset(unit: u32) -> usize {
    ((unit >> 10) << ((unit & 0x200) >> 6)) as usize
}

/// The trie's units and the block of replacements.
fn split(charsmap: &[u8]) -> Result<(Vec<u32>, &str), (usize, String)> {
    let size = charsmap.first_chunk::<4>().map(|bytes| u32::from_le_bytes(*bytes) as usize);
    let size = size.ok_or_else(|| (0, format!("a trie size of four bytes expected, {} found", charsmap.len())))?;
    let rest = &charsmap[4..];
    if size > rest.len() || size % 4 != 0 || size == 0 {
        return Err((0, format!("a trie of {size} bytes (whole units of four) in {} bytes", rest.len())));
    }
    let (units, replacements) = rest.split_at(size);
    let replacements = std::str::from_utf8(replacements)
        .map_err(|error| (4 + size + error.valid_up_to(), "replacements in UTF-8 expected".to_owned()))?;
    let mut start = 0;
    for replacement in replacements.split('\0') {
        if replacement.len() > MAX_REPLACEMENT_BYTES {
            let found = replacement.len();
            return Err((
                4 + size + start,
                format!("a replacement of {found} bytes, more than {MAX_REPLACEMENT_BYTES}"),
            ));
        }
        start += replacement.len() + 1;
    }
    let units = units.as_chunks::<4>().0.iter().map(|unit| u32::from_le_bytes(*unit)).collect();
    Ok((units, replacements))
}

//! Between bytes of UTF-8 and code units of UTF-16.

#[cfg(any(not(feature = "documents"), test))]
use std::ops::Range;

/// For each pair of a source and a target range in bytes: source start and end, target start and end in code units.
#[cfg(any(not(feature = "documents"), test))]
pub fn utf16<'a>(
    source: &str,
    target: &str,
    pairs: impl ExactSizeIterator<Item = (&'a Range<usize>, &'a Range<usize>)>,
) -> Vec<u32> {
    let (source, target) = (Units::new(source), Units::new(target));
    let mut units = Vec::with_capacity(4 * pairs.len());
    for (from, to) in pairs {
        units.extend([source.at(from.start), source.at(from.end), target.at(to.start), target.at(to.end)]);
    }
    units
}

/// Code units before every `STRIDE`th byte, so that a look-up reads few bytes wherever it is.
pub struct Units<'a> {
    text: &'a [u8],
    before: Vec<u32>,
}

const STRIDE: usize = 64;

impl<'a> Units<'a> {
    /// Counts the text's code units.
    pub fn new(text: &'a str) -> Self {
        let text = text.as_bytes();
        let mut sum = 0;
        let before = text
            .chunks(STRIDE)
            .map(|chunk| {
                let start = sum;
                sum += count(chunk);
                start
            })
            .collect();
        Self { text, before }
    }

    /// Code units before byte `offset`, which must be at a character's start or the text's end.
    #[cfg(any(not(feature = "documents"), test))]
    pub fn at(&self, offset: usize) -> u32 {
        let offset = offset.min(self.text.len());
        let block = offset / STRIDE;
        match self.before.get(block) {
            Some(before) => before + count(&self.text[block * STRIDE..offset]),
            // Only a text's end can lie beyond the last block's start.
            None => self.before.last().map_or(0, |before| before + count(&self.text[(block - 1) * STRIDE..])),
        }
    }

    /// Byte of code unit `unit`; the start of its character if it is the second half of a pair, the text's end if it lies
    /// beyond.
    pub fn byte(&self, unit: u32) -> usize {
        let block = self.before.partition_point(|&before| before <= unit).saturating_sub(1);
        let mut before = self.before.get(block).copied().unwrap_or(0);
        let mut start = block * STRIDE;
        for (offset, &byte) in self.text.iter().enumerate().skip(start) {
            if byte & 0xC0 == 0x80 {
                continue;
            }
            start = offset;
            before += count(&[byte]);
            if before > unit {
                return start;
            }
        }
        self.text.len()
    }
}

/// Code units of the characters that start in these bytes: one each, and two for those of four bytes.
fn count(bytes: &[u8]) -> u32 {
    bytes.iter().map(|&byte| u32::from(byte & 0xC0 != 0x80) + u32::from(byte >= 0xF0)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn finds_the_way_back(text in "(.|[äß€😀\u{fffd}]){0,200}") {
            let units = Units::new(&text);
            for (at, character) in text.char_indices() {
                prop_assert_eq!(units.byte(units.at(at)), at);
                prop_assert_eq!(units.byte(units.at(at) + character.len_utf16() as u32 - 1), at);
            }
            prop_assert_eq!(units.byte(units.at(text.len())), text.len());
            prop_assert_eq!(units.byte(u32::MAX), text.len());
        }

        #[test]
        fn equals_the_standard_library(text in "(.|[äß€😀\u{fffd}]){0,200}") {
            let units = |offset: usize| text[..offset].encode_utf16().count() as u32;
            let ends = text.char_indices().map(|(at, _)| at).chain([text.len()]);
            let ranges: Vec<_> = ends.map(|end| end / 2..end).filter(|r| text.is_char_boundary(r.start)).collect();
            let expected: Vec<_> = ranges.iter().flat_map(|r| [units(r.start), units(r.end), 0, units(r.end)]).collect();
            let targets: Vec<_> = ranges.iter().map(|r| 0..r.end).collect();
            prop_assert_eq!(utf16(&text, &text, ranges.iter().zip(&targets)), expected);
        }
    }
}

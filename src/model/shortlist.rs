//! Lexical shortlists: for each source word the target words that may translate it, so that the output layer
//! computes a few hundred columns instead of the whole vocabulary.
//!
//! Candidates of a text are the `first` target words (the most frequent ones), the source words themselves where both
//! languages share a vocabulary (names are copied), and the lists of its source words. The first words, and with a
//! shared vocabulary the source word itself, are therefore left out of the lists. What remains is kept as it travels:
//! each list sorted, as differences to the previous word, seven bits to a byte. That takes a third of the space of
//! Marian's arrays, and a query only walks some hundred bytes.

use super::error::{Error, Fault, malformed};

const MAGIC: u64 = 0xF11A_48D5_0134_17F5;
/// Magic, checksum and four counts.
const HEADER: usize = 48;
/// No vocabulary is larger.
const LARGEST_VOCABULARY: usize = 1 << 24;

/// Sizes of the vocabularies that a shortlist connects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Vocabularies {
    /// Number of source words.
    pub source: usize,
    /// Number of target words.
    pub target: usize,
    /// Both languages share one vocabulary.
    pub joint: bool,
}

/// A lexical shortlist.
#[derive(Clone, Debug, PartialEq)]
pub struct Shortlist {
    vocabularies: Vocabularies,
    first: usize,
    /// For each source word where its list starts in `lists`, and the end of the last.
    offsets: Vec<u32>,
    lists: Vec<u8>,
}

impl Shortlist {
    /// Reads Marian's binary form.
    ///
    /// # Errors
    /// Damaged files and those of other vocabularies. The file's checksum is compared.
    pub fn from_binary(file: &str, bytes: &[u8], vocabularies: Vocabularies) -> Result<Self, Error> {
        let fault = |offset: usize, fault| malformed(file, "shortlist", offset as u64, fault);
        let truncated = |needed: u64| fault(0, Fault::Truncated { needed, available: bytes.len() as u64 });
        let words = bytes.as_chunks::<8>().0;
        let word = |index: usize| u64::from_le_bytes(words[index]);
        if bytes.len() < 8 || word(0) != MAGIC {
            return Err(fault(0, Fault::Kind { expected: "a binary shortlist" }));
        }
        if bytes.len() < HEADER {
            return Err(truncated(HEADER as u64));
        }
        let (checksum, first, offset_count, target_count) = (word(1), word(2), word(4), word(5));
        let needed = offset_count
            .checked_mul(8)
            .and_then(|offsets| offsets.checked_add(target_count.checked_mul(4)?)?.checked_add(HEADER as u64));
        match needed {
            Some(needed) if needed == bytes.len() as u64 => {}
            Some(needed) if needed > bytes.len() as u64 => return Err(truncated(needed)),
            Some(needed) => {
                let (what, found, limit) = ("length of the file", bytes.len() as u64, needed);
                return Err(fault(0, Fault::Count { what, found, limit }));
            }
            None => {
                let (what, found, limit) = ("number of entries", offset_count.max(target_count), bytes.len() as u64);
                return Err(fault(32, Fault::Count { what, found, limit }));
            }
        }
        let found = words[2..].iter().fold(0u64, |hash, &word| {
            // As boost's `hash_combine`; an odd last half word is left out.
            let mixed = u64::from_le_bytes(word).wrapping_add(0x9e37_79b9);
            hash ^ mixed.wrapping_add(hash << 6).wrapping_add(hash >> 2)
        });
        if found != checksum {
            return Err(fault(8, Fault::Checksum { expected: checksum, found }));
        }
        if offset_count != vocabularies.source as u64 + 1 {
            let expected =
                format!("lists for {} source words; is this the shortlist of this model?", vocabularies.source);
            let shape = vec![offset_count.saturating_sub(1)];
            return Err(fault(32, Fault::Shape { expected, found: shape }));
        }
        if first > vocabularies.target as u64 {
            let (what, limit) = ("number of first words", vocabularies.target as u64);
            return Err(fault(16, Fault::Count { what, found: first, limit }));
        }

        let targets_start = HEADER + 8 * offset_count as usize;
        let targets = bytes[targets_start..].as_chunks::<4>().0;
        let mut shortlist = Builder::new(first as usize, vocabularies);
        let mut list = Vec::new();
        for source in 0..vocabularies.source {
            let at = HEADER / 8 + source;
            let (start, end) = (word(at), word(at + 1));
            if start > end || end > target_count {
                let (what, limit) = ("end of a list", target_count);
                return Err(fault(8 * at, Fault::Count { what, found: start.max(end), limit }));
            }
            list.clear();
            for (index, &target) in targets[start as usize..end as usize].iter().enumerate() {
                let target = u32::from_le_bytes(target);
                if target as usize >= vocabularies.target {
                    let (what, limit) = ("a target word", vocabularies.target as u64 - 1);
                    let offset = targets_start + 4 * (start as usize + index);
                    return Err(fault(offset, Fault::Count { what, found: target.into(), limit }));
                }
                list.push(target);
            }
            shortlist.push(&mut list);
        }
        Ok(shortlist.finish())
    }

    /// Reads the text form, lines of `target source probability`, and keeps the `best` most probable targets of
    /// each source word. Lines with a word outside of the vocabularies say nothing and are passed over.
    ///
    /// # Errors
    /// Lines of another form.
    pub fn from_text(
        file: &str,
        bytes: &[u8],
        source_id: impl Fn(&str) -> Option<u32>,
        target_id: impl Fn(&str) -> Option<u32>,
        (first, best): (usize, usize),
        vocabularies: Vocabularies,
    ) -> Result<Self, Error> {
        let mut lists: Vec<Vec<(f32, u32)>> = vec![Vec::new(); vocabularies.source];
        let mut offset = 0;
        for (index, line) in bytes.split(|&byte| byte == b'\n').enumerate() {
            let fault = |fault| malformed(file, format!("line {}", index + 1), offset, fault);
            let text = std::str::from_utf8(line).map_err(|_| fault(Fault::Utf8))?;
            let mut fields = text.split_ascii_whitespace();
            match (fields.next(), fields.next(), fields.next(), fields.next()) {
                (None, ..) => {}
                (Some(target), Some(source), Some(probability), None) => {
                    let parsed = probability.parse::<f32>().ok().filter(|p| (0.0..=1.0).contains(p));
                    let Some(probability) = parsed else {
                        return Err(fault(Fault::Parse(format!("`{probability}` is not a probability"))));
                    };
                    if let (Some(source), Some(target)) = (source_id(source), target_id(target))
                        && (target as usize) < vocabularies.target
                        && let Some(list) = lists.get_mut(source as usize)
                    {
                        list.push((probability, target));
                    }
                }
                _ => return Err(fault(Fault::Kind { expected: "a line of `target source probability`" })),
            }
            offset += line.len() as u64 + 1;
        }
        let mut shortlist = Builder::new(first.min(vocabularies.target), vocabularies);
        let mut list = Vec::new();
        for weighted in &mut lists {
            // The smaller id first where probabilities are equal, so that the result does not depend on the order.
            weighted.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            weighted.truncate(best);
            list.clear();
            list.extend(weighted.iter().map(|&(_, target)| target));
            shortlist.push(&mut list);
        }
        Ok(shortlist.finish())
    }

    /// The form that packages hold: for each source word the length of its list in bytes, then the lists.
    pub(super) fn to_compact(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.offsets.len() + self.lists.len());
        for pair in self.offsets.windows(2) {
            push_number(&mut bytes, pair[1] - pair[0]);
        }
        bytes.extend(&self.lists);
        bytes
    }

    /// Reads the form that packages hold.
    pub(super) fn from_compact(first: usize, vocabularies: Vocabularies, bytes: &[u8]) -> Result<Self, Fault> {
        for (what, found) in [("source vocabulary", vocabularies.source), ("target vocabulary", vocabularies.target)] {
            let (found, limit) = (found as u64, LARGEST_VOCABULARY as u64);
            if found > limit {
                return Err(Fault::Count { what, found, limit });
            }
        }
        if first > vocabularies.target {
            let (what, limit) = ("number of first words", vocabularies.target as u64);
            return Err(Fault::Count { what, found: first as u64, limit });
        }
        if bytes.len() < vocabularies.source {
            let (needed, available) = (vocabularies.source as u64, bytes.len() as u64);
            return Err(Fault::Truncated { needed, available });
        }
        let mut numbers = Numbers { bytes };
        let mut offsets = Vec::with_capacity(vocabularies.source + 1);
        let mut end = 0u32;
        offsets.push(end);
        for _ in 0..vocabularies.source {
            end = numbers.next().and_then(|length| end.checked_add(length)).ok_or_else(too_large)?;
            offsets.push(end);
        }
        let lists = numbers.bytes;
        if lists.len() != end as usize {
            return Err(Fault::Truncated { needed: end.into(), available: lists.len() as u64 });
        }
        for pair in offsets.windows(2) {
            let mut numbers = Numbers { bytes: &lists[pair[0] as usize..pair[1] as usize] };
            let mut next = first as u32;
            while !numbers.bytes.is_empty() {
                let target =
                    numbers.next().and_then(|difference| next.checked_add(difference)).ok_or_else(too_large)?;
                if target as usize >= vocabularies.target {
                    let (what, limit) = ("a target word", vocabularies.target as u64 - 1);
                    return Err(Fault::Count { what, found: target.into(), limit });
                }
                next = target + 1;
            }
        }
        Ok(Shortlist { vocabularies, first, offsets, lists: lists.to_vec() })
    }

    /// Number of target words, from 0 on, that are always candidates.
    pub fn first(&self) -> usize {
        self.first
    }

    /// The vocabularies that this shortlist connects.
    pub fn vocabularies(&self) -> Vocabularies {
        self.vocabularies
    }

    /// Memory in bytes.
    pub fn bytes(&self) -> usize {
        self.offsets.len() * 4 + self.lists.len()
    }

    /// Words in all lists together, beyond the first words and the source words themselves.
    pub fn entries(&self) -> usize {
        self.lists.iter().filter(|&&byte| byte < 0x80).count()
    }

    /// The target words beyond the first ones that may translate `source`, in rising order.
    pub fn list(&self, source: u32) -> impl Iterator<Item = u32> + '_ {
        let source = source as usize;
        let bytes = match self.offsets.get(source..=source + 1) {
            Some(&[start, end]) => &self.lists[start as usize..end as usize],
            _ => &[],
        };
        let (mut next, mut difference, mut shift) = (self.first as u32, 0, 0);
        bytes.iter().filter_map(move |&byte| {
            difference |= u32::from(byte & 0x7f) << shift;
            if byte >= 0x80 {
                shift += 7;
                return None;
            }
            let target = next + difference;
            (next, difference, shift) = (target + 1, 0, 0);
            Some(target)
        })
    }

    /// Writes to `out` all candidates for a text of these source words, sorted, each once. They start with the
    /// [`first`](Self::first) words without a gap. Source words beyond the vocabulary add nothing.
    pub fn candidates(&self, source_ids: impl IntoIterator<Item = u32>, out: &mut Vec<u32>) {
        let mut chosen = vec![0u64; self.vocabularies.target.div_ceil(64)];
        let mut choose = |target: u32| chosen[target as usize / 64] |= 1 << (target % 64);
        for source in source_ids {
            if self.vocabularies.joint && (source as usize) < self.vocabularies.target {
                choose(source);
            }
            self.list(source).for_each(&mut choose);
        }
        out.clear();
        out.extend(0..self.first as u32);
        for (index, &word) in chosen.iter().enumerate() {
            let mut word = word;
            while word != 0 {
                let target = index as u32 * 64 + word.trailing_zeros();
                if target as usize >= self.first {
                    out.push(target);
                }
                word &= word - 1;
            }
        }
    }
}

/// Seven bits to a byte, the lowest first; all bytes but the last have their top bit set.
fn push_number(bytes: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Reads what [`push_number`] wrote.
struct Numbers<'a> {
    bytes: &'a [u8],
}

impl Numbers<'_> {
    /// The next number; none if the bytes end within it or it has more than 28 bits.
    fn next(&mut self) -> Option<u32> {
        let length = self.bytes.iter().take(4).position(|&byte| byte < 0x80)? + 1;
        let (number, rest) = self.bytes.split_at(length);
        self.bytes = rest;
        Some(number.iter().rev().fold(0, |number, &byte| number << 7 | u32::from(byte & 0x7f)))
    }
}

fn too_large() -> Fault {
    Fault::Parse("a number ends nowhere or is too large".to_owned())
}

/// Collects lists in the order of their source words.
struct Builder {
    shortlist: Shortlist,
}

impl Builder {
    fn new(first: usize, vocabularies: Vocabularies) -> Self {
        debug_assert!(vocabularies.source <= LARGEST_VOCABULARY && vocabularies.target <= LARGEST_VOCABULARY);
        let mut offsets = Vec::with_capacity(vocabularies.source + 1);
        offsets.push(0);
        Builder { shortlist: Shortlist { vocabularies, first, offsets, lists: Vec::new() } }
    }

    /// Adds the list of the next source word; its order and repetitions do not matter.
    fn push(&mut self, list: &mut Vec<u32>) {
        let shortlist = &mut self.shortlist;
        let source = shortlist.offsets.len() as u32 - 1;
        list.sort_unstable();
        list.dedup();
        let mut next = shortlist.first as u32;
        for &target in list.iter() {
            if target < next || (shortlist.vocabularies.joint && target == source) {
                continue;
            }
            push_number(&mut shortlist.lists, target - next);
            next = target + 1;
        }
        shortlist.offsets.push(shortlist.lists.len() as u32);
    }

    fn finish(self) -> Shortlist {
        debug_assert_eq!(self.shortlist.offsets.len(), self.shortlist.vocabularies.source + 1);
        self.shortlist
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(path: &str) -> Vec<u8> {
        std::fs::read(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
    }

    /// The candidates as Marian computes them, from its arrays.
    fn by_definition(bytes: &[u8], sources: &[u32]) -> Vec<u32> {
        let word = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap()) as usize;
        let (first, offsets) = (word(16), word(32));
        let mut all: Vec<u32> = (0..first as u32).chain(sources.iter().copied()).collect();
        for &source in sources {
            let (start, end) = (word(48 + 8 * source as usize), word(56 + 8 * source as usize));
            let at = |index: usize| 48 + 8 * offsets + 4 * index;
            all.extend(
                (start..end).map(|index| u32::from_le_bytes(bytes[at(index)..at(index) + 4].try_into().unwrap())),
            );
        }
        all.sort_unstable();
        all.dedup();
        all
    }

    #[test]
    fn real_shortlists_give_marians_candidates() {
        for (path, words) in [
            ("models/en-de.prototype/lex.50.50.ende.s2t.bin", 16000),
            ("tests/data/bergamot-ende-vocab/lex.50.50.ende.s2t.bin", 32000),
        ] {
            let bytes = read(path);
            let vocabularies = Vocabularies { source: words, target: words, joint: true };
            let shortlist = Shortlist::from_binary(path, &bytes, vocabularies).unwrap();
            assert_eq!(shortlist.first(), 50);
            assert!(shortlist.bytes() * 2 < bytes.len(), "{} of {}", shortlist.bytes(), bytes.len());
            let mut out = Vec::new();
            for start in (0..words as u32).step_by(7) {
                let sources: Vec<u32> = (0..20).map(|step| (start + step * 811) % words as u32).collect();
                shortlist.candidates(sources.iter().copied(), &mut out);
                assert_eq!(out, by_definition(&bytes, &sources));
            }
        }
    }

    #[test]
    fn a_text_shortlist_keeps_the_best_words() {
        let vocabularies = Vocabularies { source: 4, target: 9, joint: false };
        let text = b"3 1 0.5\n8 1 0.2\n7 1 0.3\n0 1 0.9\n5 2 1.0\nNULL 3 0.4\n4 99 1\n";
        let id = |word: &str| word.parse::<u32>().ok();
        let shortlist = Shortlist::from_text("lex.s2t", text, id, id, (2, 3), vocabularies).unwrap();
        let mut out = Vec::new();
        shortlist.candidates([1], &mut out);
        assert_eq!(out, [0, 1, 3, 7]);
        shortlist.candidates([2, 3, 1, 77], &mut out);
        assert_eq!(out, [0, 1, 3, 5, 7]);
        let wrong = Shortlist::from_text("lex.s2t", b"a b 0.1\na b x\n", id, id, (2, 3), vocabularies).unwrap_err();
        assert_eq!(wrong.to_string(), "lex.s2t: line 2, byte 8: `x` is not a probability");
    }

    #[test]
    fn a_shortlist_of_another_vocabulary_or_with_wrong_bytes_is_refused() {
        let bytes = read("models/en-de.prototype/lex.50.50.ende.s2t.bin");
        let sizes = |source, target| Vocabularies { source, target, joint: true };
        let fault = |bytes: &[u8], sizes| match Shortlist::from_binary("lex", bytes, sizes) {
            Err(Error::Malformed { fault, .. }) => fault,
            other => panic!("{other:?}"),
        };
        assert!(matches!(fault(&bytes, sizes(8000, 16000)), Fault::Shape { .. }));
        assert!(matches!(fault(&bytes, sizes(16000, 8000)), Fault::Count { .. }));
        assert!(matches!(fault(&bytes[..bytes.len() - 1], sizes(16000, 16000)), Fault::Truncated { .. }));
        let mut damaged = bytes.clone();
        damaged[300_000] ^= 1;
        assert!(matches!(fault(&damaged, sizes(16000, 16000)), Fault::Checksum { .. }));
    }
}

//! Shortlists: for each source word, the target words that may translate it, so that the output layer computes a few
//! hundred columns instead of the whole vocabulary. Phrases of two or three source words may have lists of their own, for
//! target words that translate none of their words alone (Klein et al., 2020, "Efficient and High-Quality Neural Machine
//! Translation with OpenNMT", section 3.7).
//!
//! The candidates for a text are the `first` target words (the most frequent ones), the source words themselves if both
//! languages share a vocabulary (names are copied), and the lists of its source words. The first words, and with a
//! shared vocabulary the source word itself, are therefore left out of the lists. What remains is held in the form in
//! which it is transferred: each list sorted, as differences from the previous word, seven bits to a byte. That takes a
//! third of the space of Marian's arrays, and a query only walks some hundred bytes.

use super::error::{Error, Fault, malformed};
use std::collections::BTreeMap;

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

/// One in this many source words must have a list, and one in this many target words must be in one.
const LEAST_SHARE: usize = 8;

/// Maximum number of words in a phrase.
const LONGEST_PHRASE: usize = 3;
/// Fills up a phrase that is shorter than [`LONGEST_PHRASE`].
const NO_WORD: u32 = u32::MAX;

/// A phrase of source words. The phrase without words has the candidates of every text.
type Phrase = [u32; LONGEST_PHRASE];

/// A shortlist.
#[derive(Clone, Debug, PartialEq)]
pub struct Shortlist {
    vocabularies: Vocabularies,
    first: usize,
    /// For each source word, then for each phrase, where its list starts in `lists`, and the end of the last.
    offsets: Vec<u32>,
    /// In rising order.
    phrases: Vec<Phrase>,
    lists: Vec<u8>,
}

impl Shortlist {
    /// Reads Marian's binary form.
    ///
    /// # Errors
    /// Damaged files and those for other vocabularies. The file's checksum is verified.
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
        let found = self::checksum(&words[2..]);
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

    /// Reads either text form: lines of `target source probability`, of which the `best` most probable targets of each source
    /// word are kept, or, if the first line has a tab, lines of source phrase, tab, target words, as CTranslate2 reads them. A
    /// phrase has up to three words, and one without words stands for every text. Lines with a source word outside the
    /// vocabulary are skipped, and so are target words outside it.
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
        if bytes.split(|&byte| byte == b'\n').next().is_some_and(|line| line.contains(&b'\t')) {
            return Self::from_phrases(file, bytes, source_id, target_id, first, vocabularies);
        }
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

    fn from_phrases(
        file: &str,
        bytes: &[u8],
        source_id: impl Fn(&str) -> Option<u32>,
        target_id: impl Fn(&str) -> Option<u32>,
        first: usize,
        vocabularies: Vocabularies,
    ) -> Result<Self, Error> {
        let mut words: Vec<Vec<u32>> = vec![Vec::new(); vocabularies.source];
        let mut phrases: BTreeMap<Phrase, Vec<u32>> = BTreeMap::new();
        let mut next = 0;
        for (index, line) in bytes.split(|&byte| byte == b'\n').enumerate() {
            let offset = next;
            next += line.len() as u64 + 1;
            if line.is_empty() {
                continue;
            }
            let fault = |fault| malformed(file, format!("line {}", index + 1), offset, fault);
            let text = std::str::from_utf8(line).map_err(|_| fault(Fault::Utf8))?;
            let Some((source, target)) = text.split_once('\t') else {
                return Err(fault(Fault::Kind { expected: "a source phrase, a tab, and target words" }));
            };
            let (mut phrase, mut length, mut known) = ([NO_WORD; LONGEST_PHRASE], 0, true);
            for word in source.split(' ').filter(|word| !word.is_empty()) {
                if length == LONGEST_PHRASE {
                    return Err(fault(Fault::Kind { expected: "a phrase of at most three words" }));
                }
                match source_id(word).filter(|&id| (id as usize) < vocabularies.source) {
                    Some(id) => phrase[length] = id,
                    None => known = false,
                }
                length += 1;
            }
            let targets = target.split(' ').filter_map(&target_id).filter(|&id| (id as usize) < vocabularies.target);
            if known && length == 1 {
                words[phrase[0] as usize].extend(targets);
            } else if known {
                phrases.entry(phrase).or_default().extend(targets);
            }
        }
        let mut shortlist = Builder::new(first.min(vocabularies.target), vocabularies);
        words.iter_mut().for_each(|list| shortlist.push(list));
        phrases.iter_mut().for_each(|(phrase, list)| shortlist.push_phrase(*phrase, list));
        Ok(shortlist.finish())
    }

    /// Marian's binary form. It has no place for phrases.
    pub fn to_binary(&self) -> Vec<u8> {
        let (mut offsets, mut targets, mut longest) = (vec![0u64], Vec::new(), 0);
        for source in 0..self.vocabularies.source as u32 {
            let before = targets.len();
            targets.extend(self.list(source));
            longest = longest.max(targets.len() - before);
            offsets.push(targets.len() as u64);
        }
        let counts = [self.first as u64, longest as u64, offsets.len() as u64, targets.len() as u64];
        let mut body: Vec<u8> = counts.iter().chain(&offsets).flat_map(|number| number.to_le_bytes()).collect();
        body.extend(targets.iter().flat_map(|target: &u32| target.to_le_bytes()));
        let checksum = checksum(body.as_chunks::<8>().0);
        [&MAGIC.to_le_bytes(), &checksum.to_le_bytes(), body.as_slice()].concat()
    }

    /// The text form with phrases, see [`from_text`](Self::from_text); `source` and `target` give the words.
    pub fn to_phrases<'a>(&self, source: impl Fn(u32) -> &'a str, target: impl Fn(u32) -> &'a str) -> String {
        let words = (0..self.vocabularies.source as u32).map(|word| vec![word]);
        let phrases =
            self.phrases.iter().map(|phrase| phrase.iter().copied().filter(|&word| word != NO_WORD).collect());
        let lists = (0..).zip(words.chain(phrases)).filter_map(|(index, words): (usize, Vec<u32>)| {
            let targets: Vec<&str> = self.list_at(true, index).map(&target).collect();
            let words: Vec<&str> = words.into_iter().map(&source).collect();
            (!targets.is_empty()).then(|| format!("{}\t{}\n", words.join(" "), targets.join(" ")))
        });
        lists.collect()
    }

    /// The form stored in packages: for each source word, the length of its list in bytes; then the lists. If there are
    /// phrases, their number follows; for each phrase, the number of its words, the words, and the length of its list; then
    /// their lists.
    pub(super) fn to_compact(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.offsets.len() + self.lists.len());
        let (words, phrases) = self.offsets.split_at(self.vocabularies.source);
        let lengths = |offsets: &[u32], end: u32| {
            let ends = offsets.iter().skip(1).copied().chain([end]);
            offsets.iter().zip(ends).map(|(start, end)| end - start).collect::<Vec<u32>>()
        };
        let words_end = phrases[0];
        lengths(words, words_end).into_iter().for_each(|length| push_number(&mut bytes, length));
        let (of_words, of_phrases) = self.lists.split_at(words_end as usize);
        bytes.extend(of_words);
        if !self.phrases.is_empty() {
            push_number(&mut bytes, self.phrases.len() as u32);
            let (last, starts) = phrases.split_last().expect("the end of the last list");
            for (phrase, length) in self.phrases.iter().zip(lengths(starts, *last)) {
                let words = phrase.iter().filter(|&&word| word != NO_WORD);
                push_number(&mut bytes, words.clone().count() as u32);
                words.for_each(|&word| push_number(&mut bytes, word));
                push_number(&mut bytes, length);
            }
            bytes.extend(of_phrases);
        }
        bytes
    }

    /// Reads the form stored in packages.
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
        let mut add = |end: &mut u32, numbers: &mut Numbers<'_>| -> Result<(), Fault> {
            *end = numbers.next().and_then(|length| end.checked_add(length)).ok_or_else(too_large)?;
            offsets.push(*end);
            Ok(())
        };
        for _ in 0..vocabularies.source {
            add(&mut end, &mut numbers)?;
        }
        let truncated =
            |needed: u32, bytes: &[u8]| Fault::Truncated { needed: needed.into(), available: bytes.len() as u64 };
        let (of_words, rest) =
            numbers.bytes.split_at_checked(end as usize).ok_or_else(|| truncated(end, numbers.bytes))?;
        let mut lists = of_words.to_vec();
        let mut phrases: Vec<Phrase> = Vec::new();
        if !rest.is_empty() {
            numbers = Numbers { bytes: rest };
            let words_end = end;
            for _ in 0..numbers.next().ok_or_else(too_large)? {
                let mut phrase = [NO_WORD; LONGEST_PHRASE];
                let length = numbers.next().ok_or_else(too_large)?;
                let Some(places) = phrase.get_mut(..length as usize) else {
                    let (what, limit) = ("number of words in a phrase", LONGEST_PHRASE as u64);
                    return Err(Fault::Count { what, found: length.into(), limit });
                };
                for place in places {
                    *place = numbers.next().ok_or_else(too_large)?;
                    if *place as usize >= vocabularies.source {
                        let (what, limit) = ("a source word", vocabularies.source as u64 - 1);
                        return Err(Fault::Count { what, found: (*place).into(), limit });
                    }
                }
                if phrases.last().is_some_and(|last| *last >= phrase) {
                    return Err(Fault::Kind { expected: "phrases in rising order" });
                }
                phrases.push(phrase);
                add(&mut end, &mut numbers)?;
            }
            if numbers.bytes.len() != (end - words_end) as usize {
                return Err(truncated(end - words_end, numbers.bytes));
            }
            lists.extend(numbers.bytes);
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
        Ok(Shortlist { vocabularies, first, offsets, phrases, lists })
    }

    /// Number of target words, from 0 on, that are always candidates.
    pub fn first(&self) -> usize {
        self.first
    }

    /// The vocabularies that this shortlist connects.
    pub fn vocabularies(&self) -> Vocabularies {
        self.vocabularies
    }

    /// Whether it is of any use: if few source words have lists, or few target words are in one, most translations would have to make do with
    /// the first words.
    pub fn is_useful(&self) -> bool {
        let Vocabularies { source, target, .. } = self.vocabularies;
        let with_list = self.offsets[..=source].windows(2).filter(|pair| pair[0] < pair[1]).count();
        let mut reached = vec![false; target];
        reached[..self.first].fill(true);
        for index in 0..self.offsets.len() - 1 {
            self.list_at(true, index).for_each(|word| reached[word as usize] = true);
        }
        let reached = reached.into_iter().filter(|&reached| reached).count();
        // If two languages share a vocabulary, each may use a small part of it.
        with_list * LEAST_SHARE >= source && reached * LEAST_SHARE >= target
    }

    /// Memory in bytes.
    pub fn bytes(&self) -> usize {
        self.offsets.len() * 4 + self.phrases.len() * size_of::<Phrase>() + self.lists.len()
    }

    /// Words in all lists together, beyond the first words and the source words themselves.
    pub fn entries(&self) -> usize {
        self.lists.iter().filter(|&&byte| byte < 0x80).count()
    }

    /// The target words beyond the first ones that may translate `source`, in rising order.
    pub fn list(&self, source: u32) -> impl Iterator<Item = u32> + '_ {
        self.list_at((source as usize) < self.vocabularies.source, source as usize)
    }

    /// The target words that a phrase of source words adds to those of its words, in rising order.
    pub fn phrase(&self, words: &[u32]) -> impl Iterator<Item = u32> + '_ {
        let mut phrase = [NO_WORD; LONGEST_PHRASE];
        let found = if words.len() > LONGEST_PHRASE {
            None
        } else {
            phrase[..words.len()].copy_from_slice(words);
            self.phrases.binary_search(&phrase).ok()
        };
        self.list_at(found.is_some(), self.vocabularies.source + found.unwrap_or(0))
    }

    /// Number of phrases that have lists.
    pub fn phrases(&self) -> usize {
        self.phrases.len()
    }

    fn list_at(&self, there: bool, index: usize) -> impl Iterator<Item = u32> + '_ {
        let (mut at, end) = match self.offsets.get(index..=index + 1) {
            Some(&[start, end]) if there => (start as usize, end as usize),
            _ => (0, 0),
        };
        let mut next = self.first as u32;
        std::iter::from_fn(move || {
            (at < end).then(|| {
                let (difference, length) = number_at(&self.lists, at);
                at += length;
                let target = next + difference;
                next = target + 1;
                target
            })
        })
    }

    /// Writes to `out` all candidates for a text of these source words, sorted, each once. They start with the
    /// [`first`](Self::first) words without a gap. Source words beyond the vocabulary add nothing.
    pub fn candidates(&self, source_ids: impl IntoIterator<Item = u32>, out: &mut Vec<u32>) {
        let mut chosen = vec![0u64; self.vocabularies.target.div_ceil(64)];
        let mut choose = |target: u32| chosen[target as usize / 64] |= 1 << (target % 64);
        // The words so far that may begin a phrase.
        let (mut before, mut known) = ([NO_WORD; LONGEST_PHRASE], 0);
        for source in source_ids {
            if self.vocabularies.joint && (source as usize) < self.vocabularies.target {
                choose(source);
            }
            self.list(source).for_each(&mut choose);
            if !self.phrases.is_empty() {
                before.rotate_left(1);
                before[LONGEST_PHRASE - 1] = source;
                known = (known + 1).min(LONGEST_PHRASE);
                for length in 2..=known {
                    self.phrase(&before[LONGEST_PHRASE - length..]).for_each(&mut choose);
                }
            }
        }
        self.phrase(&[]).for_each(&mut choose);
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

/// boost's `hash_combine` over what follows the checksum in the binary form; an odd last half word is left out.
fn checksum(words: &[[u8; 8]]) -> u64 {
    words.iter().fold(0u64, |hash, &word| {
        let mixed = u64::from_le_bytes(word).wrapping_add(0x9e37_79b9);
        hash ^ mixed.wrapping_add(hash << 6).wrapping_add(hash >> 2)
    })
}

/// Seven bits to a byte, the lowest first; all bytes but the last have their top bit set.
fn push_number(bytes: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// The number at `at` and its length in bytes, which is at most four. No processor can predict whether it has one byte
/// or two, so nothing branches on that.
#[inline]
fn number_at(bytes: &[u8], at: usize) -> (u32, usize) {
    let word = match bytes.get(at..).and_then(<[u8]>::first_chunk) {
        Some(word) => u32::from_le_bytes(*word),
        None => bytes[at..].iter().rev().fold(0, |word, &byte| word << 8 | u32::from(byte)),
    };
    // The first byte with a clear top bit is the last of the number.
    let bits = ((!word & 0x8080_8080).trailing_zeros() + 1).min(32);
    let word = word & (u32::MAX >> (32 - bits));
    let number = word & 0x7f | word >> 1 & 0x3f80 | word >> 2 & 0x1f_c000 | word >> 3 & 0xfe0_0000;
    (number, bits as usize / 8)
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
        Builder { shortlist: Shortlist { vocabularies, first, offsets, phrases: Vec::new(), lists: Vec::new() } }
    }

    /// Adds the list of the next source word; its order and repetitions do not matter.
    fn push(&mut self, list: &mut Vec<u32>) {
        let source = self.shortlist.offsets.len() as u32 - 1;
        self.push_without(&[source], list);
    }

    /// Adds the list of the next phrase, after all words and in rising order.
    fn push_phrase(&mut self, phrase: Phrase, list: &mut Vec<u32>) {
        debug_assert!(self.shortlist.phrases.last().is_none_or(|last| *last < phrase));
        self.shortlist.phrases.push(phrase);
        self.push_without(&phrase, list);
    }

    /// With a joint vocabulary, the source words are candidates anyway.
    fn push_without(&mut self, sources: &[u32], list: &mut Vec<u32>) {
        let shortlist = &mut self.shortlist;
        list.sort_unstable();
        list.dedup();
        let mut next = shortlist.first as u32;
        for &target in list.iter() {
            if target < next || (shortlist.vocabularies.joint && sources.contains(&target)) {
                continue;
            }
            push_number(&mut shortlist.lists, target - next);
            next = target + 1;
        }
        shortlist.offsets.push(shortlist.lists.len() as u32);
    }

    fn finish(self) -> Shortlist {
        let lists = self.shortlist.vocabularies.source + self.shortlist.phrases.len();
        debug_assert_eq!(self.shortlist.offsets.len(), lists + 1);
        self.shortlist
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(path: &str) -> Vec<u8> {
        let bytes = std::fs::read(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap();
        crate::model::compression::decompressed(path, &bytes).unwrap().into_owned()
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
    fn a_real_shortlist_gives_marians_candidates() {
        let (path, words) = ("tests/data/en-de.prototype/lex.50.50.ende.s2t.bin.gz", 16000);
        let bytes = read(path);
        let vocabularies = Vocabularies { source: words, target: words, joint: true };
        let shortlist = Shortlist::from_binary(path, &bytes, vocabularies).unwrap();
        assert_eq!(Shortlist::from_binary(path, &shortlist.to_binary(), vocabularies).unwrap(), shortlist);
        assert_eq!(shortlist.first(), 50);
        assert!(shortlist.is_useful());
        assert!(shortlist.bytes() * 2 < bytes.len(), "{} of {}", shortlist.bytes(), bytes.len());
        let mut out = Vec::new();
        for start in (0..words as u32).step_by(7) {
            let sources: Vec<u32> = (0..20).map(|step| (start + step * 811) % words as u32).collect();
            shortlist.candidates(sources.iter().copied(), &mut out);
            assert_eq!(out, by_definition(&bytes, &sources));
        }
    }

    #[test]
    fn what_is_wrong_with_a_phrase_is_told_with_its_place() {
        let text = b"a\tb\n\n\nno tab";
        let id = |word: &str| (word.len() == 1).then_some(2);
        let vocabularies = Vocabularies { source: 9, target: 9, joint: true };
        match Shortlist::from_phrases("phrases", text, id, id, 1, vocabularies) {
            Err(Error::Malformed { item, offset: 6, .. }) => assert_eq!(item, "line 4"),
            other => panic!("{other:?}"),
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
    fn a_shortlist_that_knows_few_words_is_of_no_use() {
        let vocabularies = Vocabularies { source: 80, target: 80, joint: false };
        let id = |word: &str| word.parse::<u32>().ok();
        let read = |text: &str| Shortlist::from_text("lex", text.as_bytes(), id, id, (2, 9), vocabularies).unwrap();
        let lines = |pairs: &mut dyn Iterator<Item = (u32, u32)>| {
            pairs.map(|(target, source)| format!("{target} {source} 0.5\n")).collect::<String>()
        };
        assert!(read(&lines(&mut (10..20).map(|word| (word, word)))).is_useful());
        assert!(!read(&lines(&mut (10..19).map(|word| (word, word)))).is_useful(), "few source words");
        assert!(!read(&lines(&mut (10..60).map(|word| (word % 7 + 2, word)))).is_useful(), "few target words");
    }

    #[test]
    fn phrases_add_to_their_words() {
        let vocabularies = Vocabularies { source: 6, target: 99, joint: true };
        let text = b"\t50 51 1\n3\t60 3 0\n3 4\t70 3 60\n5 3 4\t80\n4 77\t81\n9 9\t82\n";
        let id = |word: &str| word.parse::<u32>().ok();
        let shortlist = Shortlist::from_text("lex.s2t", text, id, id, (2, 3), vocabularies).unwrap();
        assert_eq!(shortlist.phrases(), 3);
        let compact = Shortlist::from_compact(2, vocabularies, &shortlist.to_compact()).unwrap();
        assert_eq!(compact, shortlist);
        let names: Vec<String> = (0..99).map(|word| word.to_string()).collect();
        let name = |word: u32| names[word as usize].as_str();
        let phrases = shortlist.to_phrases(name, name);
        assert_eq!(phrases, "3\t60\n3 4\t60 70\n5 3 4\t80\n\t50 51\n");
        assert_eq!(
            Shortlist::from_text("lex.s2t", phrases.as_bytes(), id, id, (2, 3), vocabularies).unwrap(),
            shortlist
        );
        let candidates = |sources: &[u32]| {
            let mut out = Vec::new();
            shortlist.candidates(sources.iter().copied(), &mut out);
            out
        };
        assert_eq!(candidates(&[4]), [0, 1, 4, 50, 51]);
        assert_eq!(candidates(&[3]), [0, 1, 3, 50, 51, 60]);
        assert_eq!(candidates(&[4, 3]), [0, 1, 3, 4, 50, 51, 60]);
        assert_eq!(candidates(&[3, 4]), [0, 1, 3, 4, 50, 51, 60, 70]);
        assert_eq!(candidates(&[2, 5, 3, 4]), [0, 1, 2, 3, 4, 5, 50, 51, 60, 70, 80]);
        assert_eq!(shortlist.phrase(&[5, 3, 4]).collect::<Vec<_>>(), [80]);
        assert_eq!(shortlist.phrase(&[5, 3, 4, 1]).count(), 0);

        // Every damaged byte is either refused or gives another list of words within the vocabulary.
        let bytes = shortlist.to_compact();
        for place in 0..bytes.len() {
            for bit in 0..8 {
                let mut damaged = bytes.clone();
                damaged[place] ^= 1 << bit;
                if let Ok(other) = Shortlist::from_compact(2, vocabularies, &damaged) {
                    let mut out = Vec::new();
                    other.candidates([5, 3, 4], &mut out);
                    assert!(out.iter().all(|&word| word < 99) && out.is_sorted());
                }
            }
            assert!(Shortlist::from_compact(2, vocabularies, &bytes[..place]).is_err() || place == 7, "{place}");
        }
        let wrong = Shortlist::from_text("lex.s2t", b"1\t2\n1 2 3 4\t5\n", id, id, (2, 3), vocabularies).unwrap_err();
        assert_eq!(wrong.to_string(), "lex.s2t: line 2, byte 4: not a phrase of at most three words");
    }

    #[test]
    fn a_shortlist_of_another_vocabulary_or_with_wrong_bytes_is_refused() {
        let bytes = read("tests/data/en-de.prototype/lex.50.50.ende.s2t.bin.gz");
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

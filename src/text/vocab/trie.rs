//! A byte trie over the pieces of a vocabulary.
//!
//! Nodes are numbered breadth first, so the children of node `n` are the nodes `first_child[n] .. first_child[n + 1]`,
//! with their labels (the byte that leads to each) in ascending order. Three flat arrays, nine bytes per node; built in time linear in
//! the bytes of the sorted keys, looked up without hashing.

use std::ops::Range;

/// Marks a node at which no key ends.
const NO_VALUE: u32 = u32::MAX;

/// The root's number.
pub(super) const ROOT: u32 = 0;

#[derive(Debug)]
pub(super) struct Trie {
    first_child: Vec<u32>,
    label: Vec<u8>,
    value: Vec<u32>,
    /// Children of the root by byte, zero for none: every look-up starts here.
    from_root: [u32; 256],
}

impl Trie {
    /// Builds from keys in ascending order of bytes, without duplicates and without an empty key.
    pub fn new(sorted: &[(&[u8], u32)]) -> Trie {
        let mut trie = Trie { first_child: vec![1], label: vec![0], value: vec![NO_VALUE], from_root: [0; 256] };
        // The keys below each node of the current level, as ranges of `sorted`: a node of depth `depth` has the keys that agree with it in
        // the first `depth` bytes.
        let mut level: Vec<Range<usize>> = (!sorted.is_empty()).then_some(0..sorted.len()).into_iter().collect();
        let mut depth = 0;
        while !level.is_empty() {
            let mut next_level = Vec::new();
            for keys in level {
                let mut start = keys.start;
                // A key that ends at this node is its first; the parent has already taken its value.
                if sorted[start].0.len() == depth {
                    start += 1;
                }
                while start < keys.end {
                    let byte = sorted[start].0[depth];
                    let end = start + sorted[start..keys.end].partition_point(|(key, _)| key[depth] == byte);
                    let (key, value) = sorted[start];
                    trie.label.push(byte);
                    trie.value.push(if key.len() == depth + 1 { value } else { NO_VALUE });
                    next_level.push(start..end);
                    start = end;
                }
                trie.first_child.push(trie.label.len() as u32);
            }
            level = next_level;
            depth += 1;
        }
        for child in trie.first_child[0]..trie.first_child.get(1).copied().unwrap_or(1) {
            trie.from_root[trie.label[child as usize] as usize] = child;
        }
        trie.first_child.shrink_to_fit();
        trie.label.shrink_to_fit();
        trie.value.shrink_to_fit();
        trie
    }

    /// The child of `node` reached by `byte`, with the value of the key that ends there.
    #[inline]
    pub fn step(&self, node: u32, byte: u8) -> Option<(u32, Option<u32>)> {
        let child = if node == ROOT {
            match self.from_root[byte as usize] {
                0 => return None,
                child => child,
            }
        } else {
            let start = self.first_child[node as usize] as usize;
            let end = self.first_child[node as usize + 1] as usize;
            let labels = &self.label[start..end];
            let index = if labels.len() <= 8 {
                labels.iter().position(|&label| label == byte)?
            } else {
                labels.binary_search(&byte).ok()?
            };
            (start + index) as u32
        };
        let value = self.value[child as usize];
        Some((child, (value != NO_VALUE).then_some(value)))
    }

    /// The value of exactly this key.
    pub fn get(&self, key: &[u8]) -> Option<u32> {
        let (last, rest) = key.split_last()?;
        let mut node = ROOT;
        for &byte in rest {
            node = self.step(node, byte)?.0;
        }
        self.step(node, *last)?.1
    }

    /// Length in bytes of the longest key that `text` starts with.
    pub fn longest_prefix(&self, text: &[u8]) -> Option<usize> {
        let mut node = ROOT;
        let mut longest = None;
        for (index, &byte) in text.iter().enumerate() {
            let Some((child, value)) = self.step(node, byte) else { break };
            if value.is_some() {
                longest = Some(index + 1);
            }
            node = child;
        }
        longest
    }
}

//! Shortlists, binary (with the checksum put right) and text: every candidate is a target word.
#![no_main]

use libfuzzer_sys::fuzz_target;
use wanderwort::model::{Shortlist, Vocabularies};

const SIZES: Vocabularies = Vocabularies { source: 6, target: 50, joint: true };

fn check(shortlist: &Shortlist) {
    let mut candidates = Vec::new();
    shortlist.candidates(0..8, &mut candidates);
    assert!(candidates.is_sorted_by(|a, b| a < b));
    assert!(candidates.iter().all(|&candidate| candidate < 50));
}

fuzz_target!(|bytes: &[u8]| {
    let mut binary = bytes.to_vec();
    if binary.len() >= 16 {
        binary[..8].copy_from_slice(&0xF11A_48D5_0134_17F5u64.to_le_bytes());
        let checksum = binary[16..].as_chunks::<8>().0.iter().fold(0u64, |hash, &word| {
            let mixed = u64::from_le_bytes(word).wrapping_add(0x9e37_79b9);
            hash ^ mixed.wrapping_add(hash << 6).wrapping_add(hash >> 2)
        });
        binary[8..16].copy_from_slice(&checksum.to_le_bytes());
    }
    if let Ok(shortlist) = Shortlist::from_binary("lex.bin", &binary, SIZES) {
        check(&shortlist);
    }
    let id = |word: &str| word.parse().ok();
    if let Ok(shortlist) = Shortlist::from_text("lex", bytes, id, id, (3, 4), SIZES) {
        check(&shortlist);
    }
});

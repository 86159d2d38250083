//! SentencePiece vocabularies: any bytes, and a text through what comes of them.
#![no_main]

use libfuzzer_sys::fuzz_target;
use wanderwort::text::vocab::Vocabulary;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(vocabulary) = Vocabulary::from_bytes("vocab.spm", bytes) {
        let mut pieces = Vec::new();
        vocabulary.encode("Ein „Würfel“\u{200d} fällt. 🎲", &mut pieces);
        let ids: Vec<u32> = pieces.iter().map(|piece| piece.id).collect();
        let _ = vocabulary.decode(&ids);
    }
});

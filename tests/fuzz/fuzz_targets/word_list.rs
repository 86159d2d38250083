//! Lists of words with their numbers, beside the vocabularies whose pieces they number: any bytes, and a text through what comes of them.
#![no_main]

use libfuzzer_sys::fuzz_target;
use wanderwort::model::{Error, FileSource, MarianFiles, Weights};
use wanderwort::text::vocab::Vocabulary;

/// A folder as OPUS-MT publishes them, with this list. The weights are not read.
struct Folder<'a>(&'a [u8]);

impl FileSource for Folder<'_> {
    fn read(&mut self, name: &str) -> Result<Vec<u8>, Error> {
        Ok(match name {
            "source.spm" => include_bytes!("../../data/shapes/source.spm").to_vec(),
            "target.spm" => include_bytes!("../../data/shapes/target.spm").to_vec(),
            "decoder.yml" => b"models: [model.npz]\nvocabs: [opus.vocab.yml, opus.vocab.yml]\n".to_vec(),
            "opus.vocab.yml" => self.0.to_vec(),
            _ => Vec::new(),
        })
    }
}

fuzz_target!(|list: &[u8]| {
    let names = ["decoder.yml", "model.npz", "opus.vocab.yml", "source.spm", "target.spm"].map(str::to_owned);
    let Ok(files) = MarianFiles::choose("a folder", &names, Weights::Float32, &mut Folder(list)) else { return };
    for file in [Some(&files.source_vocabulary), files.target_vocabulary.as_ref()].into_iter().flatten() {
        if let Ok(vocabulary) = Vocabulary::from_bytes(&file.name, &file.bytes) {
            let mut pieces = Vec::new();
            vocabulary.encode("Das Haus ist „groß“\u{200d} und alt. 🎲", &mut pieces);
            let ids: Vec<u32> = pieces.iter().map(|piece| piece.id).collect();
            let _ = vocabulary.decode(&ids);
            let _ = vocabulary.target_marks().count();
        }
    }
});

//! Every architecture that the engine runs, against Marian's own output for a small model with random weights.
//!
//! `tests/data/architectures/make.py` made the models and the goldens.

use wanderwort::model::{MarianFiles, NamedBytes};
use wanderwort::{LoadOptions, Precision, Sentences, TranslateOptions, Translator};

const FOLDER: &str = "tests/data/architectures";

fn named(path: &str) -> NamedBytes {
    NamedBytes { name: path.to_owned(), bytes: std::fs::read(path).unwrap_or_else(|error| panic!("{path}: {error}")) }
}

#[test]
fn each_translates_as_marian_does() {
    let mut seen = 0;
    for entry in std::fs::read_dir(FOLDER).expect("goldens") {
        let folder = entry.expect("an entry").path();
        if !folder.is_dir() {
            continue;
        }
        let path = folder.display();
        let files = MarianFiles {
            model: named(&format!("{path}/model.npz")),
            source_vocabulary: named(&format!("{FOLDER}/vocab.spm")),
            target_vocabulary: None,
            shortlist: None,
            decoder: Some(NamedBytes { name: "decoder.yml".into(), bytes: b"max-length-factor: 2.0\n".to_vec() }),
        };
        let options = LoadOptions { precision: Precision::Float32, ..LoadOptions::default() };
        let translator = Translator::from_marian(&files, &options).unwrap_or_else(|error| panic!("{path}: {error}"));
        let golden = std::fs::read_to_string(format!("{path}/golden.tsv")).expect("golden translations");
        let (sources, expected): (Vec<&str>, Vec<&str>) = golden.lines().filter_map(|l| l.split_once('\t')).unzip();
        assert_eq!(sources.len(), 40, "{path}");
        let options = TranslateOptions { sentences: Sentences::AreLines, ..TranslateOptions::default() };
        let found = translator.translate_batch(&sources, &options);
        let same = found.iter().zip(&expected).filter(|(found, expected)| found.text == **expected).count();
        assert!(same >= 39, "{path}: {same} of 40 equal\n{}\n{}", found[0].text, expected[0]);
        seen += 1;
    }
    assert_eq!(seen, 11);
}

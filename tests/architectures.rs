//! Every architecture that the engine runs, against Marian's own output for a small model with random weights.
//!
//! `tests/data/architectures/make.py` made the models and the goldens.

use wanderwort::model::{MarianFiles, NamedBytes};
use wanderwort::{Candidate, LoadOptions, Precision, Repairs, Sentences, TranslateOptions, Translator};

const FOLDER: &str = "tests/data/architectures";

fn named(path: &str) -> NamedBytes {
    NamedBytes { name: path.to_owned(), bytes: std::fs::read(path).unwrap_or_else(|error| panic!("{path}: {error}")) }
}

fn open(path: &str, precision: Precision) -> Translator {
    let files = MarianFiles {
        model: named(&format!("{path}/model.npz")),
        source_vocabulary: named(&format!("{FOLDER}/vocab.spm")),
        target_vocabulary: None,
        shortlist: None,
        decoder: Some(NamedBytes { name: "decoder.yml".into(), bytes: b"max-length-factor: 2.0\n".to_vec() }),
    };
    let options = LoadOptions { precision, ..LoadOptions::default() };
    Translator::from_marian(&files, &options).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn folders() -> Vec<String> {
    let entries = std::fs::read_dir(FOLDER).expect("goldens").map(|entry| entry.expect("an entry").path());
    let folders: Vec<String> = entries.filter(|path| path.is_dir()).map(|path| path.display().to_string()).collect();
    assert_eq!(folders.len(), 20);
    folders
}

fn sources(path: &str) -> Vec<(String, String)> {
    let golden = std::fs::read_to_string(format!("{path}/golden.tsv")).expect("golden translations");
    let pairs = golden.lines().filter_map(|line| line.split_once('\t'));
    pairs.map(|(source, target)| (source.to_owned(), target.to_owned())).collect()
}

#[test]
fn each_translates_as_marian_does() {
    for path in folders() {
        let translator = open(&path, Precision::Float32);
        let (sources, expected): (Vec<String>, Vec<String>) = sources(&path).into_iter().unzip();
        assert_eq!(sources.len(), 40, "{path}");
        let options =
            TranslateOptions { sentences: Sentences::AreLines, repairs: Repairs::NONE, ..TranslateOptions::default() };
        let found = translator.translate_batch(&sources, &options);
        let same = found.iter().zip(&expected).filter(|(found, expected)| found.text == **expected).count();
        assert!(same >= 39, "{path}: {same} of 40 equal\n{}\n{}", found[0].text, expected[0]);
    }
}

/// A line of Marian's n-best lists: `number ||| text ||| F0= log-probability ||| score`.
fn parse(line: &str) -> (usize, Candidate) {
    let parts: Vec<&str> = line.split(" ||| ").collect();
    let [number, text, feature, score] = parts[..] else { panic!("{line}") };
    let log_probability = feature.trim_start_matches("F0= ").parse().expect("a number");
    let score = score.parse().expect("a number");
    (number.parse().expect("a number"), Candidate { text: text.trim().to_owned(), log_probability, score })
}

fn close(a: f32, b: f32) -> bool {
    (a - b).abs() <= 1e-4 * a.abs().max(1.0)
}

#[test]
fn a_beam_finds_what_marians_finds() {
    let (mut same, mut all) = (0, 0);
    for path in folders() {
        let translator = open(&path, Precision::Float32);
        let sources: Vec<String> = sources(&path).into_iter().take(10).map(|(source, _)| source).collect();
        let options = TranslateOptions {
            sentences: Sentences::AreLines,
            beam: 4,
            n_best: 4,
            normalize: Some(0.6),
            repairs: Repairs::NONE,
            ..TranslateOptions::default()
        };
        let found = translator.translate_batch(&sources, &options);
        let golden = std::fs::read_to_string(format!("{path}/n-best.txt")).expect("golden lists");
        let golden: Vec<(usize, Candidate)> = golden.lines().map(parse).collect();
        assert_eq!(golden.len(), 40, "{path}");
        for (number, translation) in found.iter().enumerate() {
            let expected = golden.iter().filter(|(of, _)| *of == number).map(|(_, candidate)| candidate);
            assert_eq!(translation.candidates.len(), 1, "{path}");
            let found = &translation.candidates[0];
            assert_eq!(found.len(), 4, "{path}");
            assert_eq!(found[0].text, translation.text);
            for (found, expected) in found.iter().zip(expected) {
                all += 1;
                // Of hypotheses whose scores differ in the last bits, either may stand first.
                let equal = found.text.trim() == expected.text
                    && close(found.log_probability, expected.log_probability)
                    && close(found.score, expected.score);
                same += usize::from(equal);
                if !equal {
                    eprintln!("{path}, {number}:\n  {found:?}\n  {expected:?}");
                }
            }
        }
    }
    assert!(same * 100 >= all * 98, "{same} of {all} equal");
}

#[test]
fn what_a_beam_finds_does_not_depend_on_the_batch() {
    for path in folders() {
        for precision in [Precision::Float32, Precision::Int8] {
            let translator = open(&path, precision);
            let sources: Vec<String> = sources(&path).into_iter().take(12).map(|(source, _)| source).collect();
            let options = TranslateOptions { beam: 3, n_best: 3, normalize: Some(1.0), ..TranslateOptions::default() };
            let together = translator.translate_batch(&sources, &options);
            for (source, together) in sources.iter().zip(together) {
                assert_eq!(translator.translate(source, &options), together, "{path}");
            }
            let greedy = translator.translate_batch(&sources, &TranslateOptions::default());
            let one = TranslateOptions { beam: 1, n_best: 1, ..TranslateOptions::default() };
            for (greedy, beam) in greedy.iter().zip(translator.translate_batch(&sources, &one)) {
                assert_eq!(greedy.text, beam.text, "{path}");
            }
        }
    }
}

#[test]
fn a_threshold_gives_up_what_is_hopeless() {
    for path in folders() {
        let translator = open(&path, Precision::Int8);
        let sources: Vec<String> = sources(&path).into_iter().take(12).map(|(source, _)| source).collect();
        let beam = TranslateOptions { beam: 4, scores: true, ..TranslateOptions::default() };
        let translate =
            |beam_threshold| translator.translate_batch(&sources, &TranslateOptions { beam_threshold, ..beam });
        // Marian's files name none, and one that nothing reaches changes nothing.
        assert_eq!(translate(None), translate(Some(1e9)), "{path}");
        let greedy = translator.translate_batch(&sources, &TranslateOptions { beam: 1, ..beam });
        for ((narrow, greedy), source) in translate(Some(0.0)).iter().zip(&greedy).zip(&sources) {
            assert_eq!(narrow.text, greedy.text, "{path}: {source}");
        }
        // One that makes no sense counts as zero.
        assert_eq!(translate(Some(-1.0)), translate(Some(0.0)), "{path}");
        assert_eq!(translate(Some(f32::NAN)), translate(Some(0.0)), "{path}");
        // In company or alone, a sentence keeps its own hypotheses.
        let narrow = TranslateOptions { beam_threshold: Some(0.5), ..beam };
        for (source, together) in sources.iter().zip(translate(Some(0.5))) {
            assert_eq!(translator.translate(source, &narrow), together, "{path}");
        }
    }
}

//! The float path against Marian and against plain arithmetic in double precision.
//!
//! The model is the prototype with its weights expanded to floats; `tests/data/marian-golden/make.py` made the goldens from
//! the same weights.

use std::collections::BTreeMap;
use std::io::Read;
use wanderwort::kernels::Backend;
use wanderwort::model::{MarianModel, Tensor};
use wanderwort::nn::{DecoderRows, Network, NetworkBuilder, Previous, Workspace};
use wanderwort::{LoadOptions, Precision, Repairs, Sentences, TranslateOptions, Translator};

const GOLDEN: &str = "tests/data/marian-golden";

/// Float tensors and integer lists of an `.npz` file, both as f32.
fn read_npz(path: &str) -> BTreeMap<String, Vec<f32>> {
    let mut archive = zip::ZipArchive::new(std::fs::File::open(path).expect("goldens")).expect("a zip archive");
    let mut arrays = BTreeMap::new();
    for index in 0..archive.len() {
        let mut file = archive.by_index(index).expect("an entry");
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).expect("an intact entry");
        let header_end = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
        let header = String::from_utf8_lossy(&bytes[10..header_end]).into_owned();
        let words = bytes[header_end..].as_chunks::<4>().0.iter();
        let values = match header {
            header if header.contains("'<f4'") => words.map(|word| f32::from_le_bytes(*word)).collect(),
            header if header.contains("'<i4'") => words.map(|word| i32::from_le_bytes(*word) as f32).collect(),
            header => panic!("{header}"),
        };
        arrays.insert(file.name().expect("a readable name").trim_end_matches(".npy").to_owned(), values);
    }
    arrays
}

fn network() -> Network {
    const FILE: &str = "model.ende.intgemm.alphas.bin";
    let bytes = crate::prototype::file(FILE);
    let model = MarianModel::open(FILE, &bytes).expect("it opens");
    let mut builder = NetworkBuilder::new(Precision::Float32, Backend::best());
    let add = |name: &str, tensor: Tensor| builder.add(name, tensor).map_err(|error| panic!("{error}"));
    model.tensors::<wanderwort::model::Error>(add).expect("its tensors are read");
    builder.finish(model.config()).expect("they make a network")
}

/// Of the logits one in so many is kept.
const STEP: usize = 16;

/// Largest difference relative to the largest expected value.
fn relative_error(found: &[f32], expected: &[f32]) -> f32 {
    assert_eq!(found.len(), expected.len());
    let largest = expected.iter().fold(0f32, |largest, x| largest.max(x.abs()));
    let difference = found.iter().zip(expected).fold(0f32, |worst, (a, b)| worst.max((a - b).abs()));
    difference / largest
}

#[test]
fn encoder_output_and_first_logits() {
    let network = network();
    let golden = read_npz(&format!("{GOLDEN}/tensors.npz"));
    let integers = |name: String| golden[&name].iter().map(|&x| x as u32).collect::<Vec<_>>();
    let (mut workspace, mut logits) = (Workspace::new(Backend::best()), Vec::new());
    for sentence in 0..3 {
        let ids = integers(format!("s{sentence}_ids"));
        let words = integers(format!("s{sentence}_words"));
        network.encode(&ids, &[ids.len()], &mut workspace);
        let error = relative_error(workspace.encoded(), &golden[&format!("s{sentence}_encoder")]);
        assert!(error < 1e-4, "encoder of sentence {sentence}: {error}");

        let mut rows = DecoderRows::new(&network);
        rows.admit(&network, &[ids.len()], &mut workspace);
        let expected = &golden[&format!("s{sentence}_logits")];
        let unknown = 1;
        for (position, expected) in expected.chunks_exact(network.target_vocabulary() / STEP).enumerate() {
            let word = position.checked_sub(1).map(|last| words[last]);
            network.decode(&[Previous { word, position }], &mut rows, None, &mut workspace);
            network.logits(&mut workspace, &mut logits);
            assert_eq!(logits[unknown], f32::NEG_INFINITY);
            let kept: Vec<f32> = logits.iter().copied().step_by(STEP).collect();
            let error = relative_error(&kept, expected);
            assert!(error < 1e-4, "logits {position} of sentence {sentence}: {error}");
        }
    }
}

#[test]
fn translations_are_marians() {
    let options = LoadOptions { precision: Precision::Float32, shortlist: false, ..LoadOptions::default() };
    let translator = Translator::open(crate::prototype::FOLDER, &options).expect("the prototype loads");
    let golden = std::fs::read_to_string(format!("{GOLDEN}/golden.tsv")).expect("goldens");
    let (sources, expected): (Vec<&str>, Vec<&str>) = golden.lines().filter_map(|line| line.split_once('\t')).unzip();
    assert_eq!(sources.len(), 200);
    let options =
        TranslateOptions { sentences: Sentences::AreLines, repairs: Repairs::NONE, ..TranslateOptions::default() };
    let found = translator.translate_batch(&sources, &options);
    let differences: Vec<String> = (found.iter().zip(&expected))
        .filter(|(found, expected)| found.text != **expected)
        .map(|(found, expected)| format!("Marian: {expected}\nfound:  {}", found.text))
        .collect();
    assert!(differences.len() <= 2, "{} differ:\n{}", differences.len(), differences.join("\n"));
}

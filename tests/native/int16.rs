//! Models computed in 16-bit fixed point.

use super::architectures::{FOLDER, SETTINGS, files, load, sources, translate};
use wanderwort::kernels::Backend;
use wanderwort::model::{Error, MarianModel, NamedBytes, Tensor, write_npz};
use wanderwort::nn::NetworkError;
use wanderwort::{LoadError, LoadOptions, Precision, Repairs, Sentences, TranslateOptions, Translator};

#[test]
fn every_architecture_computes_nearly_what_floats_do() {
    let (mut same, mut all) = (0, 0);
    for entry in std::fs::read_dir(FOLDER).unwrap() {
        let path = entry.unwrap().path();
        if !path.is_dir() {
            continue;
        }
        let path = path.display().to_string();
        let sources: Vec<String> = sources(&path).into_iter().take(10).map(|(source, _)| source).collect();
        let translations = [Precision::Int16, Precision::Float32]
            .map(|precision| translate(&load(&path, &files(&path, SETTINGS), precision), &sources));
        all += sources.len();
        same += translations[0].iter().zip(&translations[1]).filter(|(a, b)| a.text == b.text).count();
    }
    // The words of models with random weights are nearly equally likely, so little changes them.
    assert!(all == 260 && same >= 215, "{same} of {all} equal");
}

#[test]
fn the_prototype_translates_as_marian_does() {
    let golden = std::fs::read_to_string("tests/data/marian-golden/golden.tsv").unwrap();
    let (sources, expected): (Vec<&str>, Vec<&str>) =
        golden.lines().filter_map(|line| line.split_once('\t')).take(40).unzip();
    let options =
        TranslateOptions { sentences: Sentences::AreLines, repairs: Repairs::NONE, ..TranslateOptions::default() };
    let mut first = None;
    for backend in Backend::available() {
        let load = LoadOptions { precision: Precision::Int16, shortlist: false, backend, ..LoadOptions::default() };
        let translator = Translator::open(crate::prototype::FOLDER, &load).unwrap();
        assert_eq!(translator.info().precision, Precision::Int16);
        let found = translator.translate_batch(&sources, &options);
        let same = found.iter().zip(&expected).filter(|(found, expected)| found.text == **expected).count();
        // Steps of 2⁻¹⁰ are coarse for small weights: 34 of 40 are Marian's in floats.
        assert!(same >= 33, "{}: {same} of 40 equal", backend.name());
        assert_eq!(*first.get_or_insert_with(|| found.clone()), found, "{}", backend.name());
    }
}

#[test]
fn weights_whose_sums_could_overflow_are_refused_by_name() {
    let mut files = files(&format!("{FOLDER}/post-norm"), SETTINGS);
    let model = MarianModel::open(&files.model.name, &files.model.bytes).unwrap();
    let (config, mut tensors) = (model.config_text().to_owned(), Vec::new());
    let widen = |name: &str, tensor| -> Result<(), Error> {
        let Tensor::Float(mut tensor) = tensor else { panic!("{name} is quantized") };
        if name == "encoder_l1_ffn_W1" {
            tensor.values.iter_mut().for_each(|value| *value *= 1000.0);
        }
        tensors.push((name.to_owned(), tensor));
        Ok(())
    };
    model.tensors(widen).unwrap();
    files.model = NamedBytes { name: "model.npz".to_owned(), bytes: write_npz(&config, &tensors).unwrap() };
    let open = |precision| Translator::from_marian(&files, &LoadOptions { precision, ..LoadOptions::default() });
    let error = open(Precision::Int16).unwrap_err();
    let message = error.to_string();
    let LoadError::Network { source: NetworkError::FixedPoint { name, .. }, .. } = error else { panic!("{message}") };
    assert_eq!(name, "encoder_l1_ffn_W1");
    assert!(message.contains("model.npz") && message.contains("int8 or float32"), "{message}");
    assert!(open(Precision::Float32).is_ok() && open(Precision::Int8).is_ok());
}

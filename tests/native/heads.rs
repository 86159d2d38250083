//! Encoder layers that pruning left without heads: what is left of their self-attention is the bias of the output product.

use super::architectures::{FOLDER, SETTINGS, encodings, files, load, open_package, sources, translate, unpacked};
use wanderwort::model::names::TensorName;
use wanderwort::model::package::{Bits, ConvertOptions};
use wanderwort::model::{Error, FloatTensor, MarianFiles, MarianModel, NamedBytes, Tensor, write_bin, write_npz};
use wanderwort::{LoadError, LoadOptions, MarianLoader, MarianSource, Precision};

/// Norms before and behind sublayers, few layers and many.
const MODELS: [&str; 4] = ["post-norm", "pre-norm", "deep-encoder", "self-attention"];

pub(super) type Tensors = Vec<(String, FloatTensor)>;

pub(super) fn tensors(files: &MarianFiles) -> (String, Tensors) {
    let model = MarianModel::open(&files.model.name, &files.model.bytes).unwrap();
    let mut tensors = Vec::new();
    let keep = |name: &str, tensor| -> Result<(), Error> {
        let Tensor::Float(tensor) = tensor else { panic!("{name} is quantized") };
        tensors.push((name.to_owned(), tensor));
        Ok(())
    };
    model.tensors(keep).unwrap();
    (model.config_text().to_owned(), tensors)
}

pub(super) fn with_model(files: &MarianFiles, name: &str, bytes: Vec<u8>) -> MarianFiles {
    MarianFiles { model: NamedBytes { name: name.to_owned(), bytes }, ..files.clone() }
}

fn is_in(name: &str, layers: &[usize]) -> bool {
    layers.iter().any(|layer| name.starts_with(&format!("encoder_l{layer}_self_")))
}

/// Whether the heads of these layers have it.
fn of_heads(name: &str, layers: &[usize]) -> bool {
    is_in(name, layers) && TensorName::parse(name).belongs_to_encoder_heads()
}

/// All heads are there, and nothing comes of what they say.
fn silenced(tensors: &Tensors, layers: &[usize]) -> Tensors {
    let mut tensors = tensors.clone();
    let outputs = |name: &str| is_in(name, layers) && name.ends_with("_Wo");
    let silent = tensors.iter_mut().filter(|(name, _)| outputs(name));
    assert_eq!(silent.map(|(_, tensor)| tensor.values.fill(0.0)).count(), layers.len());
    tensors
}

/// The heads are gone, as training that removes their columns leaves the tensors.
fn emptied(tensors: &Tensors, layers: &[usize]) -> Tensors {
    let mut tensors = tensors.clone();
    for (name, tensor) in tensors.iter_mut().filter(|(name, _)| of_heads(name, layers)) {
        tensor.values.clear();
        *if name.ends_with("_Wo") { &mut tensor.rows } else { &mut tensor.columns } = 0;
    }
    tensors
}

fn without(tensors: &Tensors, layers: &[usize]) -> Tensors {
    tensors.iter().filter(|(name, _)| !of_heads(name, layers)).cloned().collect()
}

pub(super) fn bin(config: &str, tensors: &Tensors) -> Vec<u8> {
    let tensors: Vec<(String, Tensor)> =
        tensors.iter().map(|(name, tensor)| (name.clone(), Tensor::Float(tensor.clone()))).collect();
    write_bin(config, &tensors).unwrap()
}

#[test]
fn a_layer_without_heads_adds_the_bias_of_its_output() {
    for name in MODELS {
        let path = format!("{FOLDER}/{name}");
        let sources: Vec<String> = sources(&path).into_iter().take(8).map(|(source, _)| source).collect();
        let files = files(&path, SETTINGS);
        let (config, all) = tensors(&files);
        let depth = (1..).take_while(|layer| all.iter().any(|(name, _)| is_in(name, &[*layer]))).count();
        for layers in [vec![1], vec![depth], (1..=depth).collect()] {
            let npz = |tensors: &Tensors| with_model(&files, "model.npz", write_npz(&config, tensors).unwrap());
            let expected = npz(&silenced(&all, &layers));
            let (empty, absent) = (emptied(&all, &layers), without(&all, &layers));
            assert_eq!(all.len() - absent.len(), 7 * layers.len());
            let pruned = [
                npz(&empty),
                npz(&absent),
                with_model(&files, "model.bin", bin(&config, &empty)),
                with_model(&files, "model.bin", bin(&config, &absent)),
            ];
            for precision in [Precision::Float32, Precision::Int8] {
                let whole = translate(&load(name, &files, precision), &sources);
                let expected = translate(&load(name, &expected, precision), &sources);
                assert_ne!(expected, whole, "{name}: heads that say nothing");
                for pruned in &pruned {
                    let pruned = load(name, pruned, precision);
                    assert_eq!(translate(&pruned, &sources), expected, "{name}, {layers:?}");
                }
            }
        }
    }
}

#[test]
fn it_is_packed_and_unpacked_as_it_is() {
    let path = format!("{FOLDER}/deep-encoder");
    let sources: Vec<String> = sources(&path).into_iter().take(6).map(|(source, _)| source).collect();
    let files = files(&path, SETTINGS);
    let (config, all) = tensors(&files);
    let pack = |tensors: &Tensors, bits: Bits| {
        let files = with_model(&files, "model.npz", write_npz(&config, tensors).unwrap());
        let source = MarianSource::open(&files).unwrap();
        let (mut done, mut total) = (0, 0);
        let options = ConvertOptions { bits, ..source.convert_options() };
        let package = source.convert(&options, |progress| (done, total) = (done + 1, progress.total)).unwrap();
        assert_eq!(done, total);
        (package, done)
    };
    for (place, bits) in encodings() {
        // Without a level of zero, outputs cannot be silenced; of the others, one will do.
        if place.contains("NoZero") || place.contains("Column") {
            continue;
        }
        let (silent, count) = pack(&silenced(&all, &[1, 2]), bits);
        let (pruned, fewer) = pack(&emptied(&all, &[1, 2]), bits);
        assert_eq!((pruned.clone(), fewer), pack(&without(&all, &[1, 2]), bits), "{place}");
        assert_eq!(count - fewer, 14, "{place}");
        for precision in [Precision::Float32, Precision::Int8] {
            let expected = translate(&open_package(&place, &silent, precision), &sources);
            assert_eq!(translate(&open_package(&place, &pruned, precision), &sources), expected, "{place}");
        }
        let unpacked = load(&place, &unpacked(&place, &pruned), Precision::Float32);
        let expected = translate(&open_package(&place, &pruned, Precision::Float32), &sources);
        assert_eq!(translate(&unpacked, &sources), expected, "{place}");
    }
}

#[test]
fn it_loads_while_it_arrives() {
    let path = format!("{FOLDER}/post-norm");
    let sources: Vec<String> = sources(&path).into_iter().take(6).map(|(source, _)| source).collect();
    let files = files(&path, "");
    let (config, all) = tensors(&files);
    let model = bin(&config, &emptied(&all, &[1]));
    let expected = load("arriving", &with_model(&files, "model.bin", model.clone()), Precision::Int8);
    for size in [1, 997, model.len()] {
        let mut loader = MarianLoader::new(&LoadOptions::default());
        for (name, bytes) in [("model.bin", &model), ("vocab.spm", &files.source_vocabulary.bytes)] {
            loader.begin(name, None);
            bytes.chunks(size).for_each(|piece| loader.push(piece, |_| {}).unwrap());
            loader.end(|_| {}).unwrap();
        }
        let translator = loader.finish(&LoadOptions::default()).unwrap();
        assert_eq!(translate(&translator, &sources), translate(&expected, &sources));
    }
}

#[test]
fn other_tensors_are_not_empty_and_no_part_of_heads_is_missing() {
    let files = files(&format!("{FOLDER}/post-norm"), SETTINGS);
    let (config, all) = tensors(&files);
    let fault = |files: &MarianFiles| -> String {
        let loaded: Result<_, LoadError> =
            MarianSource::open(files).and_then(|source| source.load(&LoadOptions::default()));
        loaded.expect_err("a fault").to_string()
    };
    let others =
        ["Wemb", "encoder_l1_self_bo", "encoder_l1_ffn_W1", "decoder_l1_context_Wq", "encoder_l1_self_Wo_ln_bias"];
    for name in others {
        let mut tensors = all.clone();
        let (_, tensor) = tensors.iter_mut().find(|(other, _)| other == name).unwrap();
        (tensor.columns, tensor.values) = (0, Vec::new());
        for (file, bytes) in
            [("model.npz", write_npz(&config, &tensors).unwrap()), ("model.bin", bin(&config, &tensors))]
        {
            let fault = fault(&with_model(&files, file, bytes));
            assert!(fault.contains(name) && fault.contains("shape"), "{fault}");
        }
    }
    for name in ["encoder_l1_self_Wq", "encoder_l1_self_bv", "encoder_l1_self_Wo"] {
        let mut tensors = all.clone();
        tensors.retain(|(other, _)| other != name);
        let fault = fault(&with_model(&files, "model.npz", write_npz(&config, &tensors).unwrap()));
        assert!(fault.contains(&format!("no tensor `{name}`")), "{fault}");
    }
    // Without a product behind the heads there is no bias that could be left.
    let files = super::architectures::files(&format!("{FOLDER}/no-projection"), SETTINGS);
    let (config, all) = tensors(&files);
    let fault = fault(&with_model(&files, "model.npz", write_npz(&config, &without(&all, &[1])).unwrap()));
    assert!(fault.contains("no tensor `encoder_l1_self_Wq`"), "{fault}");
}

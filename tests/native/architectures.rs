//! Every architecture that the engine runs, against Marian's own output for a small model with random weights.
//!
//! `tests/data/architectures/make.py` made the models and the goldens.

use std::collections::BTreeMap;
use wanderwort::model::names::nematus::NematusNames;
use wanderwort::model::names::{Role, TensorName};
use wanderwort::model::package::log4::{Codebook, Granularity, Options};
use wanderwort::model::package::{Bits, ConvertOptions, uniform, unpack};
use wanderwort::model::{
    BinReader, DecoderKind, Error, FloatTensor, MarianFiles, MarianModel, NamedBytes, Tensor, Weights, decompressed,
    quantize_intgemm8, write_bin, write_npz,
};
use wanderwort::text::vocab::Vocabulary;
use wanderwort::{
    Candidate, LoadOptions, MarianSource, Precision, Repairs, Sentences, TranslateOptions, Translation, Translator,
};

pub(super) const FOLDER: &str = "tests/data/architectures";

fn named(path: &str) -> NamedBytes {
    NamedBytes { name: path.to_owned(), bytes: std::fs::read(path).unwrap_or_else(|error| panic!("{path}: {error}")) }
}

pub(super) fn files(path: &str, settings: &str) -> MarianFiles {
    let model = format!("{path}/model.npz.gz");
    let bytes = decompressed(&model, &named(&model).bytes).unwrap().into_owned();
    MarianFiles {
        model: NamedBytes { name: model, bytes },
        source_vocabulary: named(&format!("{FOLDER}/vocab.spm")),
        target_vocabulary: None,
        shortlist: None,
        decoder: Some(NamedBytes { name: "decoder.yml".into(), bytes: settings.as_bytes().to_vec() }),
        info: None,
    }
}

pub(super) const SETTINGS: &str = "max-length-factor: 2.0\n";

fn open(path: &str, precision: Precision) -> Translator {
    load(path, &files(path, SETTINGS), precision)
}

pub(super) fn load(place: &str, files: &MarianFiles, precision: Precision) -> Translator {
    let options = LoadOptions { precision, ..LoadOptions::default() };
    Translator::from_marian(files, &options).unwrap_or_else(|error| panic!("{place}: {error}"))
}

fn folders() -> Vec<String> {
    let entries = std::fs::read_dir(FOLDER).expect("goldens").map(|entry| entry.expect("an entry").path());
    let folders: Vec<String> = entries.filter(|path| path.is_dir()).map(|path| path.display().to_string()).collect();
    assert_eq!(folders.len(), 26);
    folders
}

pub(super) fn sources(path: &str) -> Vec<(String, String)> {
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
fn recurrent_models_align_as_marian_does() {
    let vocabulary = named(&format!("{FOLDER}/vocab.spm"));
    let vocabulary = Vocabulary::from_bytes(&vocabulary.name, &vocabulary.bytes).expect("a vocabulary");
    let (mut same, mut all) = (0, 0);
    for path in folders().into_iter().filter(|path| path.contains("/recurrent-")) {
        let translator = open(&path, Precision::Float32);
        let golden = std::fs::read_to_string(format!("{path}/alignments.txt")).expect("golden alignments");
        let options =
            TranslateOptions { sentences: Sentences::AreLines, repairs: Repairs::NONE, ..TranslateOptions::default() };
        for ((source, target), links) in sources(&path).into_iter().zip(golden.lines()) {
            let found = translator.translate(&source, &options);
            let mut pieces = Vec::new();
            vocabulary.encode(&source, &mut pieces);
            if found.text != target {
                continue;
            }
            for link in links.split_whitespace() {
                let (from, to) = link.split_once('-').expect("a pair");
                let (from, to): (usize, usize) = (from.parse().expect("a number"), to.parse().expect("a number"));
                // The last is the end mark, on either side.
                if let Some(token) = found.tokens.get(to) {
                    let expected = pieces.get(from).map_or(source.len()..source.len(), |piece| piece.range());
                    all += 1;
                    same += usize::from(token.link.source == expected);
                }
            }
        }
    }
    assert!(all > 300 && same * 100 >= all * 99, "{same} of {all} equal");
}

#[test]
fn what_a_beam_finds_does_not_depend_on_the_batch() {
    for path in folders() {
        for precision in [Precision::Float32, Precision::Int16, Precision::Int8] {
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

#[test]
fn hypotheses_that_say_the_same_are_recombined() {
    let mut changed = 0;
    for path in folders() {
        let translator = open(&path, Precision::Int8);
        let sources: Vec<String> = sources(&path).into_iter().take(12).map(|(source, _)| source).collect();
        let beam = TranslateOptions { beam: 4, scores: true, ..TranslateOptions::default() };
        let translate =
            |beam_recombination| translator.translate_batch(&sources, &TranslateOptions { beam_recombination, ..beam });
        // Marian's files ask for none, and endings of so many words are never the same.
        assert_eq!(translate(None), translate(Some(0)), "{path}");
        assert_eq!(translate(None), translate(Some(usize::MAX)), "{path}");
        let recombined = TranslateOptions { beam_recombination: Some(1), ..beam };
        for ((source, together), alone) in sources.iter().zip(translate(Some(1))).zip(translate(None)) {
            assert_eq!(translator.translate(source, &recombined), together, "{path}");
            assert_eq!(together.text.is_empty(), alone.text.is_empty(), "{path}: {source}");
            changed += usize::from(together != alone);
        }
    }
    assert!(changed > 0, "endings of one word are often the same");
}

/// Every way to store matrices that `wanderwort convert --bits` offers.
pub(super) fn encodings() -> Vec<(String, Bits)> {
    let mut encodings = vec![
        ("int8".to_owned(), Bits::Int8),
        ("int8+least-squares".to_owned(), Bits::Int8LeastSquares),
        ("float32".to_owned(), Bits::Float32),
        ("float16".to_owned(), Bits::Float16),
        ("uniform".to_owned(), Bits::Uniform(uniform::Options::default())),
        ("uniform+step=0.4".to_owned(), Bits::Uniform(uniform::Options { step: 0.4 })),
    ];
    for codebook in [Codebook::Zero, Codebook::NoZero] {
        for granularity in [Granularity::Matrix, Granularity::Column] {
            // A rate weight chooses among the same codes.
            let rate = if granularity == Granularity::Matrix { 0.0 } else { 0.05 };
            let options = Options { codebook, granularity, rate };
            encodings.push((format!("log4, {options:?}"), Bits::Log4(options)));
        }
    }
    encodings
}

pub(super) fn translate(translator: &Translator, sources: &[String]) -> Vec<Translation> {
    let options =
        TranslateOptions { sentences: Sentences::AreLines, repairs: Repairs::NONE, ..TranslateOptions::default() };
    translator.translate_batch(sources, &options)
}

pub(super) fn open_package(place: &str, package: &[u8], precision: Precision) -> Translator {
    let options = LoadOptions { precision, ..LoadOptions::default() };
    Translator::from_package(place, package, &options).unwrap_or_else(|error| panic!("{error}"))
}

/// The files of a package, chosen as from a folder.
pub(super) fn unpacked(place: &str, package: &[u8]) -> MarianFiles {
    let folder = tempfile::tempdir().expect("a folder");
    for file in unpack(place, package).expect("a sound package") {
        std::fs::write(folder.path().join(&file.name), &file.bytes).expect("room");
    }
    MarianFiles::read_folder(folder.path(), Weights::Float32).expect("a model")
}

/// The model with every weight rounded to half precision.
fn in_halves(files: &MarianFiles) -> MarianFiles {
    let model = MarianModel::open(&files.model.name, &files.model.bytes).unwrap();
    let mut tensors = Vec::new();
    let round = |name: &str, tensor| -> Result<(), Error> {
        let Tensor::Float(mut tensor) = tensor else { panic!("{name} is quantized") };
        tensor.values.iter_mut().for_each(|value| *value = half::f16::from_f32(*value).to_f32());
        tensors.push((name.to_owned(), tensor));
        Ok(())
    };
    model.tensors(round).unwrap();
    let bytes = write_npz(model.config_text(), &tensors).unwrap();
    MarianFiles { model: NamedBytes { name: "model.npz".to_owned(), bytes }, ..files.clone() }
}

#[test]
fn each_becomes_a_package_in_every_encoding() {
    for path in folders() {
        let sources: Vec<String> = sources(&path).into_iter().take(4).map(|(source, _)| source).collect();
        let files = files(&path, SETTINGS);
        let source = MarianSource::open(&files).unwrap();
        let own = |precision| translate(&open(&path, precision), &sources);
        let (own_floats, own_integers) = (own(Precision::Float32), own(Precision::Int8));
        let halves = |precision| translate(&load(&path, &in_halves(&files), precision), &sources);
        for (name, bits) in encodings() {
            let place = format!("{path} as {name}");
            let package = source.convert(&ConvertOptions { bits, ..source.convert_options() }, |_| {}).unwrap();
            let floats = translate(&open_package(&place, &package, Precision::Float32), &sources);
            let integers = translate(&open_package(&place, &package, Precision::Int8), &sources);
            assert!(integers.iter().all(|translation| !translation.sentences.is_empty()), "{place}");
            // What codes stand for are the weights of the unpacked files.
            let unpacked = load(&place, &unpacked(&place, &package), Precision::Float32);
            assert_eq!(floats, translate(&unpacked, &sources), "{place}");
            match bits {
                Bits::Float32 => assert_eq!((&floats, &integers), (&own_floats, &own_integers), "{place}"),
                // Loading floats for int8 products rounds them as packing does.
                Bits::Int8 => assert_eq!(integers, own_integers, "{place}"),
                Bits::Float16 => {
                    let expected = (halves(Precision::Float32), halves(Precision::Int8));
                    assert_eq!((floats, integers), expected, "{place}");
                }
                Bits::Int8LeastSquares | Bits::Log4(_) | Bits::Uniform(_) => {}
            }
        }
    }
}

#[test]
fn each_becomes_a_quantized_file_of_marians() {
    for path in folders() {
        let sources: Vec<String> = sources(&path).into_iter().take(8).map(|(source, _)| source).collect();
        let mut files = files(&path, SETTINGS);
        let model = MarianModel::open(&files.model.name, &files.model.bytes).unwrap();
        let mut tensors = Vec::new();
        let quantize = |name: &str, tensor| -> Result<(), Error> {
            let role = TensorName::parse(name).role;
            let tensor = match tensor {
                Tensor::Float(tensor) if role != Role::Vector => {
                    Tensor::Int8(quantize_intgemm8(&tensor, role.has_row_for_each_word()))
                }
                tensor => tensor,
            };
            tensors.push((name.to_owned(), tensor));
            Ok(())
        };
        model.tensors(quantize).unwrap();
        let bytes = write_bin(model.config_text(), &tensors).unwrap();
        files.model = NamedBytes { name: "model.bin".to_owned(), bytes };
        let source = MarianSource::open(&files).unwrap();
        let mut read = Vec::new();
        let keep = |name: &str, tensor| -> Result<(), Error> {
            read.push((name.to_owned(), tensor));
            Ok(())
        };
        source.model().tensors(keep).unwrap();
        tensors.sort_by(|a, b| a.0.cmp(&b.0));
        assert_eq!(read, tensors, "{path}");

        let own = |precision| translate(&load(&path, &files, precision), &sources);
        let package = source.convert(&ConvertOptions { bits: Bits::Int8, ..source.convert_options() }, |_| {}).unwrap();
        for precision in [Precision::Float32, Precision::Int8] {
            assert_eq!(translate(&open_package(&path, &package, precision), &sources), own(precision), "{path}");
        }
        let unpacked = load(&path, &unpacked(&path, &package), Precision::Float32);
        assert_eq!(translate(&unpacked, &sources), own(Precision::Float32), "{path}");
    }
}

/// Files of the types `amun` and `nematus`, with what Nematus left in them, in both of Marian's containers.
#[test]
fn names_of_nematus_are_read_in_both_containers() {
    for kind in ["amun", "nematus"] {
        let path = format!("{FOLDER}/recurrent-{kind}");
        let sources: Vec<String> = sources(&path).into_iter().take(8).map(|(source, _)| source).collect();
        let mut files = files(&path, SETTINGS);
        let archive = zip::ZipArchive::new(std::io::Cursor::new(&files.model.bytes)).unwrap();
        let own = archive.file_names().map(|name| name.unwrap().trim_end_matches(".npy").to_owned());
        let own: Vec<String> = own.collect();
        let has = |name: &str| own.iter().any(|other| other == name);
        assert!(has("decoder_Wcx") && has("decoder_c_tt"), "{own:?}");
        let names = NematusNames::of(own.iter().map(String::as_str)).expect("names of Nematus");
        let of_nematus: BTreeMap<String, &String> = own.iter().map(|name| (names.in_s2s(name), name)).collect();

        let model = MarianModel::open(&files.model.name, &files.model.bytes).unwrap();
        let left_over = |name: &str| {
            (name.to_owned(), Tensor::Float(FloatTensor { rows: 1, columns: 2, values: vec![f32::NAN, 1.0] }))
        };
        let mut tensors = vec![left_over("uidx"), left_over("history_errs"), left_over("decoder_c_tt")];
        let mut read: Vec<String> = Vec::new();
        let keep = |name: &str, tensor| -> Result<(), Error> {
            read.push(name.to_owned());
            tensors.push((of_nematus[name].clone(), tensor));
            Ok(())
        };
        model.tensors(keep).unwrap();
        assert!(read.iter().all(|name| !name.starts_with("ff_")) && read.iter().any(|name| name == "decoder_cell2_Wx"));
        let bytes = write_bin(model.config_text(), &tensors).unwrap();

        // Also where the file is read while it arrives.
        let (mut reader, mut arrived) = (BinReader::new("model.bin"), Vec::new());
        for piece in bytes.chunks(1000) {
            let take = |name: &str, _| -> Result<(), Error> {
                arrived.push(name.to_owned());
                Ok(())
            };
            reader.push(piece, take).unwrap();
        }
        assert!(matches!(reader.finish().unwrap().decoder, DecoderKind::Recurrent(_)));
        for names in [&mut arrived, &mut read] {
            names.sort();
        }
        assert_eq!(arrived, read);

        let expected = translate(&load(&path, &files, Precision::Float32), &sources);
        files.model = NamedBytes { name: "model.bin".to_owned(), bytes };
        assert_eq!(translate(&load(&path, &files, Precision::Float32), &sources), expected);
    }
}

#[test]
fn a_word_penalty_takes_from_each_word() {
    let path = format!("{FOLDER}/post-norm");
    let sources: Vec<String> = sources(&path).into_iter().take(10).map(|(source, _)| source).collect();
    let options = TranslateOptions {
        sentences: Sentences::AreLines,
        beam: 4,
        n_best: 4,
        normalize: Some(0.0),
        repairs: Repairs::NONE,
        ..TranslateOptions::default()
    };
    let penalty = 0.25;
    let files = files(&path, &format!("{SETTINGS}word-penalty: {penalty}\n"));
    let source = MarianSource::open(&files).unwrap();
    assert_eq!(source.warnings(), []);
    let package = source.convert(&ConvertOptions { bits: Bits::Float32, ..source.convert_options() }, |_| {}).unwrap();
    let found = open_package(&path, &package, Precision::Float32).translate_batch(&sources, &options);
    assert_eq!(load(&path, &files, Precision::Float32).translate_batch(&sources, &options), found);
    let mut lengths = std::collections::BTreeSet::new();
    for candidate in found.iter().flat_map(|translation| &translation.candidates[0]) {
        let words = (candidate.log_probability - candidate.score) / penalty;
        assert!(words >= 0.9 && (words - words.round()).abs() < 1e-3, "{candidate:?}");
        lengths.insert(words.round() as u32);
    }
    assert!(lengths.len() > 1, "{lengths:?}");
}

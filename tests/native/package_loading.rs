//! A package translates as the files it was made of, however its bytes come.

use wanderwort::model::names::{Role, TensorName};
use wanderwort::model::package::{Bits, Card, ConvertOptions, log4, relabel};
use wanderwort::model::{Decoding, Error, FloatTensor, MarianFiles, MarianModel, NamedBytes, Tensor, write_npz};
use wanderwort::{
    Language, LoadError, LoadOptions, MarianSource, PackageLoader, Precision, Translate, TranslateOptions, Translator,
};

fn package(bits: Bits) -> Vec<u8> {
    package_with(&ConvertOptions { bits, ..ConvertOptions::default() })
}

fn longest(factor: f32) -> Decoding {
    Decoding { max_length_factor: Some(factor), ..Decoding::default() }
}

fn package_with(options: &ConvertOptions) -> Vec<u8> {
    let files = crate::prototype::files();
    MarianSource::open(&files).unwrap().convert(options, |_| {}).unwrap()
}

fn load(bytes: &[u8], mut piece: impl FnMut() -> usize) -> Result<Translator, LoadError> {
    let mut loader = PackageLoader::new("test.wanderwort", &LoadOptions::default());
    let mut rest = bytes;
    while !rest.is_empty() {
        let (now, later) = rest.split_at(piece().clamp(1, rest.len()));
        loader.push(now)?;
        rest = later;
    }
    loader.finish()
}

const TEXT: &str = "Good morning. The weather is nice today.\n\nWhere is the station?";

#[test]
fn an_int8_package_translates_as_its_files() {
    let bytes = package(Bits::Int8);
    let options = TranslateOptions::default();
    let expected =
        Translator::open(crate::prototype::FOLDER, &LoadOptions::default()).unwrap().translate(TEXT, &options);
    let mut step = 1;
    let odd = load(&bytes, || {
        step = step * 7 % 65_521;
        step
    });
    assert_eq!(odd.unwrap().translate(TEXT, &options), expected);

    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), &bytes).unwrap();
    let opened = Translator::open(file.path(), &LoadOptions::default()).unwrap();
    assert_eq!(opened.translate(TEXT, &options), expected);
}

/// The prototype with each matrix quantized to log-4-bit and expanded again, and its vectors rounded to half precision.
fn quantized_in_memory() -> MarianFiles {
    let mut files = crate::prototype::files();
    let model = MarianModel::open(&files.model.name, &files.model.bytes).unwrap();
    let mut tensors = Vec::new();
    let quantize = |name: &str, tensor: Tensor| -> Result<(), Error> {
        let tensor = match tensor {
            // Products in floats need no activation scales.
            Tensor::Float(_) if TensorName::parse(name).role == Role::Multiplier => return Ok(()),
            Tensor::Float(tensor) => {
                let values = tensor.values.iter().map(|&value| half::f16::from_f32(value).to_f32()).collect();
                FloatTensor { values, ..tensor }
            }
            Tensor::Int8(tensor) => {
                let (inner, columns) = (tensor.inner, tensor.columns);
                let values: Vec<f32> = tensor.values.iter().map(|&v| f32::from(v) * tensor.scales[0]).collect();
                let quantized = log4::quantize(&values, inner, columns, &log4::Options::default(), None).dequantize();
                let values: Vec<f32> = quantized.values.iter().map(|&v| f32::from(v) * quantized.scales[0]).collect();
                if TensorName::parse(name).role == Role::Embedding {
                    FloatTensor { rows: columns, columns: inner, values }
                } else {
                    let by_row = (0..inner * columns).map(|i| values[i % columns * inner + i / columns]).collect();
                    FloatTensor { rows: inner, columns, values: by_row }
                }
            }
        };
        tensors.push((name.to_owned(), tensor));
        Ok(())
    };
    model.tensors(quantize).unwrap();
    let bytes = write_npz(model.config_text(), &tensors).unwrap();
    files.model = NamedBytes { name: "model.npz".to_owned(), bytes };
    files
}

#[test]
fn a_log4_package_translates_as_the_model_quantized_in_memory() {
    let golden = std::fs::read_to_string("tests/data/marian-golden/golden.tsv").unwrap();
    let sources: Vec<&str> = golden.lines().map(|line| line.split('\t').next().unwrap_or_default()).collect();
    // The files' names tell the languages, the package does not.
    let load = LoadOptions {
        precision: Precision::Float32,
        source_language: Some(Language::ENGLISH),
        target_language: Some(Language::GERMAN),
        ..LoadOptions::default()
    };
    let options = TranslateOptions::default();
    // As the folder's decoder.yml says.
    let bytes = package_with(&ConvertOptions { decoding: longest(2.0), ..ConvertOptions::default() });
    let packaged = Translator::from_package("package", bytes.as_slice(), &load).unwrap();
    let in_memory = Translator::from_marian(&quantized_in_memory(), &load).unwrap();
    let translate = |translator: &Translator| translator.translate_batch(&sources, &options);
    for (packaged, in_memory) in translate(&packaged).iter().zip(&translate(&in_memory)) {
        assert_eq!(packaged, in_memory);
    }
}

#[test]
fn a_small_package_translates_and_damage_is_noticed() {
    let bytes = package(Bits::default());
    let whole = load(&bytes, || usize::MAX).unwrap().translate(TEXT, &TranslateOptions::default());
    assert_eq!(whole.sentences.len(), 3);

    let short = load(&bytes[..bytes.len() - 1], || 4096).unwrap_err().to_string();
    assert!(short.contains("test.wanderwort"), "{short}");
    for at in [9, 40, bytes.len() / 2, bytes.len() - 10] {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x20;
        let error = load(&damaged, || 10_000).unwrap_err().to_string();
        assert!(error.contains("test.wanderwort"), "byte {at}: {error}");
    }
}

#[test]
fn loading_goes_on_after_a_damaged_section() {
    let bytes = package(Bits::default());
    let expected = load(&bytes, || usize::MAX).unwrap().translate(TEXT, &TranslateOptions::default());

    let mut loader = PackageLoader::new("test.wanderwort", &LoadOptions::default());
    let half = bytes.len() / 2;
    let mut damaged = bytes.clone();
    damaged[half] ^= 1;
    let error = loader.push(&damaged).unwrap_err().to_string();
    assert!(error.contains("checksum"), "{error}");
    let from = loader.rewind() as usize;
    assert!(from <= half && from > 0, "{from}");
    assert_eq!(loader.taken(), from as u64);
    loader.push(&bytes[from..]).unwrap();
    assert_eq!(loader.taken(), bytes.len() as u64);
    assert_eq!(loader.total(), Some(bytes.len() as u64));
    assert_eq!(loader.header().unwrap().tensors().count(), 194);
    assert_eq!(loader.finish().unwrap().translate(TEXT, &TranslateOptions::default()), expected);
}

#[test]
fn a_package_follows_its_own_languages_and_limits() {
    let card = Card { source_language: "de".to_owned(), ..Card::default() };
    let options = ConvertOptions { bits: Bits::Int8, card, decoding: longest(0.2), ..ConvertOptions::default() };
    let translator = load(&package_with(&options), || usize::MAX).unwrap();
    let translate = |text| translator.translate(text, &TranslateOptions::default());
    // In German, numbers with a full stop are ordinals.
    assert_eq!(translate("Es war am 3. Oktober.").sentences.len(), 1);
    let long = "The weather is nice today, and the children are playing in the garden behind the house.";
    let free = Translator::open(crate::prototype::FOLDER, &LoadOptions::default())
        .unwrap()
        .translate(long, &TranslateOptions::default());
    assert!(translate(long).text.len() < free.text.len() / 2);

    let parts = |max_length_break| {
        let decoding = Decoding { max_length_break, ..Decoding::default() };
        let package = package_with(&ConvertOptions { decoding, ..ConvertOptions::default() });
        let translator = load(&package, || usize::MAX).unwrap();
        translator.translate(long, &TranslateOptions::default()).sentences
    };
    assert_eq!(parts(None).len(), 1);
    let cut = parts(Some(12));
    assert_eq!(cut.len(), 2);
    assert_eq!(&long[cut[0].source.clone()], "The weather is nice today,", "at the comma");
}

#[test]
fn a_package_is_searched_as_it_says() {
    let open = |decoding| {
        let options = ConvertOptions { bits: Bits::Int8, decoding, ..ConvertOptions::default() };
        load(&package_with(&options), || usize::MAX).unwrap()
    };
    let golden = std::fs::read_to_string("tests/data/marian-golden/golden.tsv").unwrap();
    let sources: Vec<&str> = golden.lines().map(|line| line.split('\t').next().unwrap_or_default()).collect();
    let plain = open(Decoding::default());
    let wide = open(Decoding { beam_size: Some(3), normalize: Some(0.5), ..Decoding::default() });
    let narrow =
        open(Decoding { beam_size: Some(3), normalize: Some(0.5), beam_threshold: Some(0.7), ..Decoding::default() });
    let recombined =
        open(Decoding { beam_size: Some(3), normalize: Some(0.5), beam_recombination: Some(1), ..Decoding::default() });
    assert_eq!([&plain, &wide, &narrow].map(|translator| translator.info().beam), [1, 3, 3]);

    let stated = |translator: &Translator| translator.translate_batch(&sources, &TranslateOptions::default());
    let asked = |beam, normalize, beam_threshold| {
        let options = TranslateOptions { beam, normalize, beam_threshold, ..TranslateOptions::default() };
        wide.translate_batch(&sources, &options)
    };
    let text =
        |translations: Vec<wanderwort::Translation>| translations.into_iter().map(|one| one.text).collect::<Vec<_>>();
    assert_eq!(text(stated(&plain)), text(asked(1, None, None)));
    assert_eq!(stated(&wide), asked(3, Some(0.5), None));
    assert_eq!(stated(&narrow), asked(3, Some(0.5), Some(0.7)));
    let asked_to_recombine = TranslateOptions { beam: 3, beam_recombination: Some(1), ..TranslateOptions::default() };
    assert_eq!(stated(&recombined), wide.translate_batch(&sources, &asked_to_recombine));
    assert_ne!(stated(&recombined), stated(&wide));
    // Lists have what was asked for.
    let list = TranslateOptions { n_best: 3, ..TranslateOptions::default() };
    assert_eq!(recombined.translate_batch(&sources, &list), wide.translate_batch(&sources, &list));
    assert_ne!(text(stated(&wide)), text(stated(&plain)));
    assert_ne!(stated(&wide), stated(&narrow));

    // A session, which a page has, searches no other way.
    let mut session = narrow.session(&TranslateOptions::default());
    let ids: Vec<_> = sources[..20].iter().map(|source| session.submit(source, 0)).collect();
    let mut found = std::collections::HashMap::new();
    while !session.is_idle() {
        found.extend(session.step());
    }
    let expected = narrow.translate_batch(&sources[..20], &TranslateOptions::default());
    assert_eq!(ids.into_iter().map(|id| found.remove(&id).unwrap()).collect::<Vec<_>>(), expected);
}

#[test]
fn one_thread_or_several_unpack_the_same() {
    let bytes = package(Bits::default());
    let load_here = || load(&bytes, || 50_000).unwrap().translate(TEXT, &TranslateOptions::default());
    let expected = load_here();
    for threads in [1, 2, 5] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        assert_eq!(pool.install(load_here), expected, "{threads} threads");
    }
    let short = load(&bytes[..bytes.len() - 1], || usize::MAX).unwrap_err().to_string();
    assert!(short.contains("expected"), "{short}");
}

#[test]
fn a_package_says_which_signs_its_model_carries_over() {
    let bytes = package(Bits::Int8);
    let translator = load(&bytes, || usize::MAX).unwrap();
    assert_eq!(translator.trusted_signs(), None);
    // Also what the vocabulary lacks, and a mark that German writes in another way.
    let candidates = "%+/\u{2e3b}\u{10ffff}\"%".chars();
    let signs = translator.measure_signs("en-GB", candidates.clone());
    assert!(signs.contains('+') && signs.chars().is_sorted(), "{signs}");
    assert!(signs.chars().all(|sign| "%+/".contains(sign)), "{signs}");
    assert_eq!(translator.measure_signs("en", candidates.rev()), signs);
    // Other sentences, the same kind of answer.
    for language in ["de", "fr", ""] {
        let signs = translator.measure_signs(language, "+\u{10ffff}".chars());
        assert!(signs.is_empty() || signs == "+", "{language}: {signs}");
    }
    assert_eq!(translator.measure_signs("en", []), "");

    let labelled = relabel("package", &bytes, |label| *label.signs = Some(signs.clone())).unwrap();
    let trusted = load(&labelled, || 10_000).unwrap();
    assert_eq!(trusted.trusted_signs().map(|signs| signs.iter().collect()), Some(signs));
    let options = TranslateOptions::default();
    assert_eq!(trusted.translate(TEXT, &options), translator.translate(TEXT, &options));
}

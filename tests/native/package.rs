//! Packages: what is written comes back, however the bytes arrive, and damage never gets through.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use proptest::prelude::*;
use wanderwort::model::package::log4::{Codebook, Granularity};
use wanderwort::model::package::{
    Bits, Card, Content, ConvertOptions, Encoding, Event, Label, Parts, Reader, Score, Side, convert, is_package, log4,
    relabel, replace_multipliers, unpack,
};
use wanderwort::model::{
    Decoding, Error, Fault, FloatTensor, MarianModel, NamedBytes, Shortlist, Tensor, Vocabularies, write_npz,
};

fn prototype(name: &str) -> NamedBytes {
    NamedBytes { name: name.to_owned(), bytes: crate::prototype::file(name) }
}

const VOCABULARIES: Vocabularies = Vocabularies { source: 16000, target: 16000, joint: true };

fn card() -> Card {
    Card {
        name: "prototype".to_owned(),
        source_language: "en".to_owned(),
        target_language: "de".to_owned(),
        licence: "CC-BY-SA-2.5".to_owned(),
        description: "Klein, aber „echt“.".to_owned(),
        scores: vec![Score { set: "wmt17".to_owned(), metric: "BLEU".to_owned(), value: 15.9 }],
    }
}

/// The prototype as a package, with the tensors that the converter saw.
struct Packed {
    bytes: Vec<u8>,
    original: BTreeMap<String, Tensor>,
    shortlist: Shortlist,
}

fn pack(bits: Bits) -> Packed {
    let file = prototype("model.ende.intgemm.alphas.bin");
    let model = MarianModel::open(&file.name, &file.bytes).unwrap();
    let lex = prototype("lex.50.50.ende.s2t.bin");
    let shortlist = Shortlist::from_binary(&lex.name, &lex.bytes, VOCABULARIES).unwrap();
    let mut original = BTreeMap::new();
    let keep = |name: &str, tensor| -> Result<(), Error> {
        original.insert(name.to_owned(), tensor);
        Ok(())
    };
    model.tensors(keep).unwrap();
    let vocabulary = prototype("vocab.ende.spm");
    let parts =
        Parts { model: &model, source_vocabulary: &vocabulary, target_vocabulary: None, shortlist: Some(&shortlist) };
    let (mut seen, mut last) = (0, None);
    let options = ConvertOptions {
        bits,
        card: card(),
        decoding: Decoding { max_length_factor: Some(2.0), max_length_break: Some(90), ..Decoding::default() },
        ..ConvertOptions::default()
    };
    let bytes = convert(&parts, &options, |progress| {
        seen += 1;
        assert_eq!(progress.done, seen);
        last = Some((progress.done, progress.total));
    })
    .unwrap();
    assert_eq!(seen, original.keys().filter(|name| !name.ends_with("_QuantMultA")).count());
    assert_eq!(last, Some((seen, seen)));
    Packed { bytes, original, shortlist }
}

static LOG4: LazyLock<Packed> = LazyLock::new(|| pack(Bits::default()));

#[derive(Debug, Default, PartialEq)]
struct Unpacked {
    vocabulary: Vec<u8>,
    shortlist: Option<Shortlist>,
    tensors: Vec<(String, Tensor)>,
}

impl Unpacked {
    fn take(&mut self, event: Event<'_>) -> Result<(), Error> {
        match event {
            Event::Header(header, config) => {
                assert_eq!(header.card, card());
                assert_eq!(config.dim, 256);
            }
            Event::Vocabulary { side, name, bytes } => {
                assert_eq!((side, name), (Side::Joint, "vocab.ende.spm"));
                self.vocabulary = bytes;
            }
            Event::Shortlist(shortlist) => self.shortlist = Some(shortlist),
            Event::Tensor { name, tensor } => self.tensors.push((name.to_owned(), tensor)),
        }
        Ok(())
    }
}

fn read(bytes: &[u8]) -> Unpacked {
    let mut content = Unpacked::default();
    let mut reader = Reader::new("package");
    reader.push(bytes, |event| content.take(event)).unwrap();
    reader.finish().unwrap();
    assert_eq!((reader.total(), reader.good()), (Some(bytes.len() as u64), bytes.len() as u64));
    content
}

#[test]
fn the_prototype_is_small_and_complete() {
    let packed = &*LOG4;
    assert!(is_package(&packed.bytes));
    // 0.54 of the gzip-compressed files that it replaces (11.1 MB).
    assert!(packed.bytes.len() <= 5_994_000, "{}", packed.bytes.len());
    let content = read(&packed.bytes);
    assert_eq!(content.vocabulary, prototype("vocab.ende.spm").bytes);
    assert_eq!(content.shortlist.as_ref(), Some(&packed.shortlist));
    let tensors: BTreeMap<_, _> = content.tensors.into_iter().collect();
    assert!(tensors.keys().eq(packed.original.keys()));
    for (name, original) in &packed.original {
        match (original, &tensors[name]) {
            (Tensor::Float(original), Tensor::Float(tensor)) => {
                assert_eq!((original.rows, original.columns), (tensor.rows, tensor.columns));
                for (a, b) in original.values.iter().zip(&tensor.values) {
                    let exact = name.ends_with("_QuantMultA");
                    assert!(a == b || !exact && (a - b).abs() <= a.abs() / 2048.0 + 6e-8, "{name}: {a} {b}");
                }
            }
            (Tensor::Int8(original), Tensor::Int8(tensor)) => {
                // Exactly what the quantizer promises.
                let scale = original.scales[0];
                let values: Vec<f32> = original.values.iter().map(|&value| f32::from(value) * scale).collect();
                let quantized =
                    log4::quantize(&values, original.inner, original.columns, &log4::Options::default(), None);
                assert_eq!(&quantized.dequantize(), tensor, "{name}");
                assert!(tensor.values.iter().all(|&value| value.abs() <= 63));
                assert!(log4::relative_error(&values, tensor) < 0.06, "{name}");
            }
            _ => panic!("{name} changed its kind"),
        }
    }
}

#[test]
fn sections_stand_in_the_order_of_use() {
    let mut reader = Reader::new("package");
    reader.push(&LOG4.bytes, |_| Ok::<_, Error>(())).unwrap();
    let header = reader.header().unwrap();
    assert_eq!(
        header.decoding,
        Decoding { max_length_factor: Some(2.0), max_length_break: Some(90), ..Decoding::default() }
    );
    let names: Vec<&str> = header.tensors().map(|entry| entry.name.as_str()).collect();
    let place = |name: &str| names.iter().position(|candidate| *candidate == name).unwrap();
    let order = [
        "none_QuantMultA",
        "Wemb",
        "encoder_l1_self_bq",
        "encoder_l1_ffn_W1",
        "encoder_l2_self_Wq",
        "encoder_l6_ffn_W2",
        "decoder_l1_rnn_bf",
        "decoder_l1_rnn_W",
        "decoder_l2_ffn_W2",
        "decoder_ff_logit_out_b",
    ];
    assert!(order.is_sorted_by_key(|name| place(name)));
    assert!(matches!(header.sections[0].content, Content::Vocabulary { .. }));
    let embedding = header.tensors().find(|entry| entry.name == "Wemb").unwrap();
    assert_eq!(embedding.encoding, Encoding::Log4(Codebook::Zero));
    assert_eq!((embedding.rows, embedding.columns, embedding.scales), (256, 16000, 1));
    // The last section decides how long after the last byte the model is ready.
    assert!(header.sections.last().unwrap().length < 64 << 10);
}

#[test]
fn int8_models_keep_every_integer() {
    let packed = pack(Bits::Int8);
    for (name, tensor) in read(&packed.bytes).tensors {
        if let (Tensor::Int8(original), Tensor::Int8(tensor)) = (&packed.original[&name], &tensor) {
            assert_eq!(original, tensor, "{name}");
        }
    }
}

#[test]
fn float_models_keep_every_bit() {
    let values = |count: usize| (0..count).map(|index| (index as f32 * 0.37).sin()).collect::<Vec<f32>>();
    let tensors = [
        ("Wemb".to_owned(), FloatTensor { rows: 30, columns: 8, values: values(240) }),
        ("encoder_l1_self_Wq".to_owned(), FloatTensor { rows: 8, columns: 12, values: values(96) }),
        ("encoder_l1_self_bq".to_owned(), FloatTensor { rows: 1, columns: 12, values: values(12) }),
        ("encoder_l1_huge_b".to_owned(), FloatTensor { rows: 1, columns: 2, values: vec![1e20, -1e-20] }),
    ];
    let options = "type: transformer\ndim-emb: 256\ndim-vocabs: [30, 30]\nenc-depth: 1\ndec-depth: 1\n\
        tied-embeddings-all: true\ntransformer-decoder-autoreg: rnn\ndec-cell: ssru\n";
    let archive = write_npz(options, &tensors).unwrap();
    let model = MarianModel::open("model.npz", &archive).unwrap();
    let vocabulary = prototype("vocab.ende.spm");
    let parts = Parts { model: &model, source_vocabulary: &vocabulary, target_vocabulary: None, shortlist: None };
    let read = |bits| {
        let (card, decoding) =
            (card(), Decoding { beam_size: Some(3), max_length_factor: Some(2.5), ..Decoding::default() });
        let options = ConvertOptions { bits, card, decoding, ..ConvertOptions::default() };
        let bytes = convert(&parts, &options, |_| ()).unwrap();
        let mut content = Unpacked::default();
        Reader::new("package").push(&bytes, |event| content.take(event)).unwrap();
        content.tensors.into_iter().collect::<BTreeMap<_, _>>()
    };
    let float = read(Bits::Float32);
    for (name, tensor) in &tensors {
        assert_eq!(float[name], Tensor::Float(tensor.clone()));
    }
    assert_eq!(float.len(), 4);
    let log4 = read(Bits::Log4(log4::Options { granularity: Granularity::Column, ..Default::default() }));
    // Column n of the product is column n of the matrix, and word n of the embedding.
    for (name, embedding) in [("Wemb", true), ("encoder_l1_self_Wq", false)] {
        let Tensor::Int8(quantized) = &log4[name] else { panic!("float") };
        let Tensor::Float(original) = &float[name] else { panic!("quantized") };
        assert_eq!(quantized.scales.len(), quantized.columns);
        for column in 0..quantized.columns {
            for inner in 0..quantized.inner {
                let (row, of_row) = if embedding { (column, inner) } else { (inner, column) };
                let value = original.values[row * original.columns + of_row];
                let integer = quantized.values[column * quantized.inner + inner];
                let dequantized = quantized.scale(column) * f32::from(integer);
                assert!((value - dequantized).abs() < 0.3, "{name} {value} {dequantized}");
            }
        }
    }
    // What half precision cannot hold stays as it is.
    assert_eq!(log4["encoder_l1_huge_b"], float["encoder_l1_huge_b"]);
    let Tensor::Int8(int8) = &read(Bits::Int8)["Wemb"] else { panic!("float") };
    assert_eq!(int8.values.iter().map(|value| value.unsigned_abs()).max(), Some(127));
}

/// A small model of one matrix and one vector.
fn floats_as(matrix: &[f32], vector: &[f32], bits: Bits) -> (Vec<u8>, BTreeMap<String, Tensor>) {
    let tensors = [
        ("Wemb".to_owned(), FloatTensor { rows: matrix.len() / 4, columns: 4, values: matrix.to_vec() }),
        ("encoder_l1_self_bq".to_owned(), FloatTensor { rows: 1, columns: vector.len(), values: vector.to_vec() }),
    ];
    let options = "type: transformer\ndim-emb: 256\ndim-vocabs: [30, 30]\nenc-depth: 1\ndec-depth: 1\n\
        tied-embeddings-all: true\ntransformer-decoder-autoreg: rnn\ndec-cell: ssru\n";
    let archive = write_npz(options, &tensors).unwrap();
    let model = MarianModel::open("model.npz", &archive).unwrap();
    let vocabulary = prototype("vocab.ende.spm");
    let parts = Parts { model: &model, source_vocabulary: &vocabulary, target_vocabulary: None, shortlist: None };
    let bytes = convert(&parts, &ConvertOptions { bits, card: card(), ..ConvertOptions::default() }, |_| ()).unwrap();
    let content = read(&bytes).tensors.into_iter().collect();
    (bytes, content)
}

/// Numbers in the range of half precision, its smallest among them, or any.
fn numbers(count: std::ops::Range<usize>) -> impl Strategy<Value = Vec<f32>> {
    let finite =
        any::<u16>().prop_map(|bits| half::f16::from_bits(bits).to_f32()).prop_filter("finite", |x| x.is_finite());
    let number = prop_oneof![4 => -3f32..3.0, 1 => -7e4f32..7e4, 1 => -1e-4f32..1e-4, 1 => finite];
    prop::collection::vec(number, count)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn floats_in_half_precision_come_back_rounded(matrix in numbers(8..200), vector in numbers(1..40)) {
        let matrix = &matrix[..matrix.len() / 4 * 4];
        let (bytes, content) = floats_as(matrix, &vector, Bits::Float16);
        let mut again = Vec::new();
        for (name, values) in [("Wemb", matrix), ("encoder_l1_self_bq", &vector[..])] {
            let rounded: Vec<f32> = values.iter().map(|&value| half::f16::from_f32(value).to_f32()).collect();
            // What half precision cannot hold stays as it is, and the rest of its tensor too.
            let expected = if rounded.iter().all(|value| value.is_finite()) { rounded } else { values.to_vec() };
            let Tensor::Float(found) = &content[name] else { panic!("quantized") };
            let bits = |values: &[f32]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
            prop_assert_eq!(bits(&found.values), bits(&expected), "{}", name);
            again.push(expected);
        }
        // Rounded once, a number is not rounded again.
        prop_assert_eq!(floats_as(&again[0], &again[1], Bits::Float16).0, bytes);
    }
}

#[test]
fn half_precision_takes_half_the_size() {
    let values: Vec<f32> = (0..40_000).map(|index| (index as f32 * 0.37).sin()).collect();
    let [whole, half] = [Bits::Float32, Bits::Float16].map(|bits| floats_as(&values, &values[..9], bits).0.len());
    let vocabulary = floats_as(&values[..8], &values[..9], Bits::Float32).0.len();
    let share = (half - vocabulary) as f64 / (whole - vocabulary) as f64;
    assert!((share - 0.5).abs() < 0.01, "{half} bytes of {whole}");
}

#[test]
fn activation_multipliers_are_replaced_and_nothing_else() {
    let package = pack(Bits::default()).bytes;
    let before = read(&package);
    let scales = |tensors: &[(String, Tensor)]| -> Vec<String> {
        tensors.iter().filter(|(name, _)| name.ends_with("_QuantMultA")).map(|(name, _)| name.clone()).collect()
    };
    assert!(scales(&before.tensors).len() > 1);
    let multipliers = BTreeMap::from([("encoder_l1_self_Wq_QuantMultA".to_owned(), 12.25f32)]);
    let replaced = replace_multipliers("package", &package, &multipliers).unwrap();
    let after = read(&replaced);
    assert_eq!(scales(&after.tensors), ["encoder_l1_self_Wq_QuantMultA"]);
    let Tensor::Float(scale) = &after.tensors[0].1 else { panic!("a scale is a float") };
    assert_eq!(scale.values, [12.25]);
    let others = |tensors: &[(String, Tensor)]| -> Vec<(String, Tensor)> {
        tensors.iter().filter(|(name, _)| !name.ends_with("_QuantMultA")).cloned().collect()
    };
    assert_eq!(others(&after.tensors), others(&before.tensors));
    // A package without any gets some.
    let none = replace_multipliers("package", &package, &BTreeMap::new()).unwrap();
    assert!(scales(&read(&none).tensors).is_empty());
    assert_eq!(replace_multipliers("package", &none, &multipliers).unwrap(), replaced);
    let damaged = &package[..package.len() - 1];
    assert!(replace_multipliers("package", damaged, &multipliers).is_err());
}

/// A small package for tests that read it many times.
static SMALL: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let values = |count: usize| (0..count).map(|index| (index as f32 * 0.37).sin()).collect::<Vec<f32>>();
    let tensors = [
        ("Wemb".to_owned(), FloatTensor { rows: 30, columns: 256, values: values(30 * 256) }),
        ("encoder_l1_self_Wq".to_owned(), FloatTensor { rows: 256, columns: 12, values: values(256 * 12) }),
        ("encoder_l1_self_bq".to_owned(), FloatTensor { rows: 1, columns: 12, values: values(12) }),
        ("encoder_l1_self_bk".to_owned(), FloatTensor { rows: 1, columns: 12, values: values(12) }),
    ];
    let options = "type: transformer\ndim-emb: 256\ndim-vocabs: [30, 30]\nenc-depth: 1\ndec-depth: 1\n\
        tied-embeddings-all: true\ntransformer-decoder-autoreg: rnn\ndec-cell: ssru\n";
    let archive = write_npz(options, &tensors).unwrap();
    let model = MarianModel::open("model.npz", &archive).unwrap();
    let vocabulary = NamedBytes { name: "vocab.ende.spm".to_owned(), bytes: b"not read here".to_vec() };
    let id = |word: &str| word.parse::<u32>().ok();
    let sizes = Vocabularies { source: 30, target: 30, joint: true };
    let shortlist = Shortlist::from_text("lex", b"9 1 0.5\n7 1 0.5\n29 3 1\n", id, id, (2, 9), sizes).unwrap();
    let parts =
        Parts { model: &model, source_vocabulary: &vocabulary, target_vocabulary: None, shortlist: Some(&shortlist) };
    convert(&parts, &ConvertOptions { card: card(), ..ConvertOptions::default() }, |_| ()).unwrap()
});

#[test]
fn unpacked_files_hold_what_the_codes_stand_for() {
    let files = unpack("package", &LOG4.bytes).unwrap();
    let names: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
    assert_eq!(names, ["model.npz", "vocab.ende.spm", "lex.ende.s2t.bin", "decoder.yml", "README.md"]);
    assert_eq!(files[1].bytes, prototype("vocab.ende.spm").bytes);
    assert_eq!(Shortlist::from_binary("lex", &files[2].bytes, VOCABULARIES).unwrap(), LOG4.shortlist);
    let decoder = String::from_utf8(files[3].bytes.clone()).unwrap();
    assert!(decoder.contains("max-length-factor: 2.0\n") && decoder.contains("max-length-break: 90\n"), "{decoder}");
    assert_eq!(files[4].bytes, card().description.into_bytes());

    let packed: BTreeMap<String, Tensor> = read(&LOG4.bytes).tensors.into_iter().collect();
    let model = MarianModel::open("model.npz", &files[0].bytes).unwrap();
    let mut seen = 0;
    let each = |name: &str, tensor| -> Result<(), Error> {
        seen += 1;
        let Tensor::Float(found) = tensor else { panic!("{name}: not in floats") };
        match &packed[name] {
            Tensor::Float(stored) => assert_eq!(&found, stored, "{name}"),
            Tensor::Int8(stored) => {
                // An embedding's rows are the columns of the output layer.
                let embedding = name.contains("Wemb");
                let shape = (stored.inner, stored.columns);
                assert_eq!((found.rows, found.columns), if embedding { (shape.1, shape.0) } else { shape }, "{name}");
                for column in 0..stored.columns {
                    for row in 0..stored.inner {
                        let place = if embedding { (column, row) } else { (row, column) };
                        let value = f32::from(stored.values[column * stored.inner + row]) * stored.scale(column);
                        assert_eq!(found.values[place.0 * found.columns + place.1], value, "{name}");
                    }
                }
            }
        }
        Ok(())
    };
    model.tensors(each).unwrap();
    assert_eq!(seen, packed.len());

    assert!(unpack("package", &LOG4.bytes[..LOG4.bytes.len() - 1]).unwrap_err().to_string().contains("package"));
}

/// A package as version 1 was first written.
const VERSION_1: &[u8] = include_bytes!("../data/packages/version-1.wanderwort");

#[test]
fn version_1_stays_readable() {
    let (content, error) = read_pieces([VERSION_1]);
    assert_eq!(error, None);
    assert_eq!(content, read_pieces([&**SMALL]).0);
}

/// Reads in the given pieces: what came out, and the error if there was one.
fn read_pieces<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> (Unpacked, Option<String>) {
    let mut content = Unpacked::default();
    let mut reader = Reader::new("package");
    for piece in pieces {
        if let Err(error) = reader.push(piece, |event| content.take(event)) {
            return (content, Some(error.to_string()));
        }
    }
    (content, reader.finish().err().map(|error| error.to_string()))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn the_result_does_not_depend_on_the_cuts(
        mut cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..40),
        damage in prop::option::of((any::<prop::sample::Index>(), 1..256usize)),
        end in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let mut bytes = SMALL.clone();
        if let Some((index, mask)) = damage {
            let index = index.index(bytes.len());
            bytes[index] ^= mask as u8;
        }
        if let Some(end) = end {
            bytes.truncate(end.index(bytes.len()));
        }
        let whole = read_pieces([&*bytes]);
        prop_assert_eq!(whole.1.is_none(), bytes == *SMALL);
        cuts.sort_by_key(|cut| cut.index(bytes.len() + 1));
        let places: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
        let starts = std::iter::once(0).chain(places.iter().copied());
        let ends = places.iter().copied().chain([bytes.len()]);
        let pieces: Vec<&[u8]> = starts.zip(ends).map(|(start, end)| &bytes[start..end]).collect();
        prop_assert_eq!(read_pieces(pieces), whole);
    }
}

#[test]
fn single_bytes_give_the_same_as_the_whole() {
    assert_eq!(read_pieces(SMALL.chunks(1)), read_pieces([&**SMALL]));
}

#[test]
fn reading_goes_on_after_a_break_and_after_damage() {
    let bytes = &*SMALL;
    let expected = read_pieces([&**bytes]).0;
    for at in (0..bytes.len()).step_by(37) {
        // The connection breaks: on from the first missing section.
        let mut content = Unpacked::default();
        let mut reader = Reader::new("package");
        reader.push(&bytes[..at], |event| content.take(event)).unwrap();
        assert_eq!(reader.taken(), at as u64);
        assert!(matches!(reader.finish(), Err(Error::Malformed { fault: Fault::Truncated { .. }, .. })));
        let good = reader.rewind() as usize;
        assert!(good <= at);
        reader.push(&bytes[good..], |event| content.take(event)).unwrap();
        reader.finish().unwrap();
        assert_eq!(content, expected);
    }
    // A section arrives damaged: its name is told, and it can be fetched again.
    let mut reader = Reader::new("package");
    let mut content = Unpacked::default();
    let mut damaged = bytes.clone();
    let last = damaged.len() - 1;
    damaged[last] ^= 4;
    let error = reader.push(&damaged, |event| content.take(event)).unwrap_err();
    let Error::Malformed { item, offset, fault: Fault::Checksum { .. }, .. } = error else { panic!("{error}") };
    assert_eq!((item.as_str(), offset), ("encoder_l1_self_Wq", reader.good()));
    let good = reader.good() as usize;
    reader.push(&bytes[good..], |event| content.take(event)).unwrap();
    assert!(reader.is_complete());
    assert_eq!(content, expected);
}

#[test]
fn other_files_and_newer_versions_are_refused_by_name() {
    let error = |bytes: &[u8]| Reader::new("x.wanderwort").push(bytes, |_| Ok::<_, Error>(())).unwrap_err().to_string();
    let mut newer = SMALL.clone();
    newer[8] = 2;
    assert_eq!(
        error(&newer),
        "x.wanderwort: preamble, byte 8: version 2 of the format, this program reads version 1; the package needs a newer version of \
         the program"
    );
    assert!(error(b"<!DOCTYPE html><html><body>404</body></html>").contains("not a packaged model"));
    let longer = [SMALL.as_slice(), b"x"].concat();
    assert!(error(&longer).contains("length of the package"));
    let mut huge = SMALL.clone();
    huge[12..16].copy_from_slice(&u32::MAX.to_le_bytes());
    assert!(error(&huge).contains("packed length of the header"));
}

/// A package with its header's JSON edited; its sections stay as they are.
fn with_header(package: &[u8], edit: impl FnOnce(&mut serde_json::Value)) -> Vec<u8> {
    use std::io::{Read, Write};
    let number = |at: usize| u32::from_le_bytes(package[at..at + 4].try_into().unwrap()) as usize;
    let (packed, sections) = package[24..].split_at(number(12));
    let mut text = Vec::new();
    lzma_rust2::LzmaReader::new_mem_limit(packed, u32::MAX, None).unwrap().read_to_end(&mut text).unwrap();
    let mut header = serde_json::from_slice(&text).unwrap();
    edit(&mut header);
    let text = serde_json::to_vec(&header).unwrap();
    let options = lzma_rust2::LzmaOptions::with_preset(6);
    let length = Some(text.len() as u64);
    let mut writer = lzma_rust2::LzmaWriter::new_use_header(Vec::new(), &options, length).unwrap();
    writer.write_all(&text).unwrap();
    let packed = writer.finish().unwrap();
    let mut bytes = package[..12].to_vec();
    for number in [packed.len() as u32, text.len() as u32, crc32fast::hash(&packed)] {
        bytes.extend(number.to_le_bytes());
    }
    [bytes.as_slice(), &packed, sections].concat()
}

#[test]
fn what_only_a_newer_version_knows_is_skipped_or_refused() {
    let expected = read(&SMALL);
    assert_eq!(read(&with_header(&SMALL, |_| ())), expected);
    let read_all = |bytes: &[u8]| {
        let mut reader = Reader::new("x.wanderwort");
        let mut content = Unpacked::default();
        reader.push(bytes, |event| content.take(event))?;
        reader.finish()?;
        Ok::<_, Error>((content, reader.header().unwrap().clone()))
    };

    // Additions: a record, keys of entries, a section that nobody needs, in the middle of the others.
    let mut addition = SMALL.clone();
    let last: u64 = read_all(&SMALL).unwrap().1.sections.last().unwrap().length;
    addition.splice(addition.len() - last as usize..addition.len() - last as usize, *b"pictures");
    let addition = with_header(&addition, |header| {
        header["colour"] = serde_json::json!("blue");
        let sections = header["sections"].as_array_mut().unwrap();
        sections.last_mut().unwrap()["tensors"][0]["reason"] = serde_json::json!({"why": 1});
        let section = serde_json::json!({
            "length": 8, "checksum": crc32fast::hash(b"pictures"), "optional": true, "pictures": {"of": ["words"]}
        });
        sections.insert(sections.len() - 1, section);
    });
    let (content, header) = read_all(&addition).unwrap();
    assert_eq!(content, expected);
    assert_eq!(header.unknown.names().collect::<Vec<_>>(), ["colour"]);
    // A new label, and other multipliers, take nothing away.
    let label = |label: Label<'_>| *label.signs = Some("%§".to_owned());
    let labelled = relabel("x", &addition, label).unwrap();
    let multipliers = BTreeMap::from([("Wemb_QuantMultA".to_owned(), 2.0f32)]);
    for package in [&labelled, &replace_multipliers("x", &labelled, &multipliers).unwrap()] {
        let (_, again) = read_all(package).unwrap();
        assert_eq!((again.signs.as_deref(), &again.unknown), (Some("%§"), &header.unknown));
        assert!(again.sections.iter().any(|section| matches!(&section.content, Content::Other(unknown)
            if unknown.names().any(|name| name == "pictures"))));
        let text = String::from_utf8_lossy(package);
        assert!(text.contains("pictures"));
    }
    // Damage is found there too.
    let mut damaged = addition.clone();
    let place = addition.len() - last as usize - 3;
    damaged[place] ^= 1;
    assert!(matches!(read_all(&damaged), Err(Error::Malformed { fault: Fault::Checksum { .. }, .. })));

    let refused = |edit: &dyn Fn(&mut serde_json::Value)| {
        let error = read_all(&with_header(&SMALL, edit)).unwrap_err();
        let text = error.to_string();
        assert!(matches!(error, Error::Malformed { fault: Fault::Newer(_), .. }), "{text}");
        assert!(text.starts_with("x.wanderwort: header") && text.contains("needs a newer version"), "{text}");
        text
    };
    assert!(refused(&|header| header["requires"] = serde_json::json!(["rotation"])).contains("`rotation`"));
    let kind = refused(&|header| {
        let section = header["sections"][0].as_object_mut().unwrap();
        let content = section.remove("vocabulary").unwrap();
        section.insert("dictionary".to_owned(), content);
    });
    assert!(kind.contains("`dictionary`"), "{kind}");
    let encoding = refused(&|header| {
        let sections = header["sections"].as_array_mut().unwrap();
        sections.last_mut().unwrap()["tensors"][0]["encoding"] = serde_json::json!({"lattice": 8});
    });
    assert!(encoding.contains("lattice") && encoding.contains("encoder_l1_self_Wq"), "{encoding}");

    let unsorted = with_header(&SMALL, |header| header["signs"] = serde_json::json!("§%"));
    assert!(read_all(&unsorted).unwrap_err().to_string().contains("`signs`"));
}

#[test]
fn what_the_application_refuses_stops_the_reading() {
    let mut reader = Reader::new("package");
    let refuse = |event: Event<'_>| match event {
        Event::Tensor { .. } => Err(Error::Missing { place: "here".into(), part: "memory", advice: "none".into() }),
        _ => Ok(()),
    };
    assert!(matches!(reader.push(&SMALL, refuse), Err(Error::Missing { .. })));
}

#[test]
fn no_flipped_bit_goes_unnoticed() {
    for place in 0..SMALL.len() {
        for bit in 0..8 {
            let mut bytes = SMALL.clone();
            bytes[place] ^= 1 << bit;
            assert!(read_pieces([&*bytes]).1.is_some(), "bit {bit} of byte {place}");
        }
    }
}

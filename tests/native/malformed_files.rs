//! Damaged and hostile model files: always a typed error that says where, never a panic, a hang or a huge allocation.
//!
//! The fuzz targets in tests/fuzz search further; these are the classes of damage that must hold on every machine.

use std::time::{Duration, Instant};

use proptest::prelude::*;
use wanderwort::model::{
    Config, DecoderOptions, Error, Fault, FloatTensor, Int8Tensor, MarianModel, ModelInfo, Shortlist, Tensor,
    Vocabularies, decompressed, write_bin, write_npz,
};
use wanderwort::text::vocab::Vocabulary;

const OPTIONS: &str = "type: transformer\ndim-emb: 16\ndim-vocabs: [20, 20]\nenc-depth: 1\ndec-depth: 1\n\
    transformer-heads: 2\ntransformer-dim-ffn: 32\ntied-embeddings-all: true\n\
    transformer-decoder-autoreg: rnn\ndec-cell: ssru\n";

/// Reads everything there is.
fn read_model(file: &str, bytes: &[u8]) -> Result<usize, Error> {
    let model = MarianModel::open(file, bytes)?;
    let mut count = 0;
    model.tensors(|_, tensor| {
        let values = match tensor {
            Tensor::Float(tensor) => {
                assert_eq!(tensor.values.len(), tensor.rows * tensor.columns);
                assert!(tensor.values.iter().all(|value| value.is_finite()));
                tensor.values.len()
            }
            Tensor::Int8(tensor) => {
                assert_eq!(tensor.values.len(), tensor.inner * tensor.columns);
                assert!(tensor.scales.iter().all(|scale| scale.is_finite() && *scale > 0.0));
                assert!(!tensor.values.contains(&-128));
                tensor.values.len()
            }
        };
        assert!(values > 0);
        count += 1;
        Ok::<_, Error>(())
    })?;
    Ok(count)
}

fn floats(rows: usize, columns: usize) -> FloatTensor {
    let values = (0..rows * columns).map(|index| (index as f32 * 0.7).sin()).collect();
    FloatTensor { rows, columns, values }
}

fn quantized(inner: usize, columns: usize) -> Int8Tensor {
    let values = (0..inner * columns).map(|index| (index * 37 % 255) as i8 as i16).map(|v| v.max(-127) as i8).collect();
    Int8Tensor { inner, columns, values, scales: vec![0.01] }
}

fn small_bin() -> Vec<u8> {
    let scalar = |value| Tensor::Float(FloatTensor { rows: 1, columns: 1, values: vec![value] });
    let tensors = [
        ("Wemb".to_owned(), Tensor::Int8(quantized(16, 20))),
        ("Wemb_QuantMultA".to_owned(), scalar(20.0)),
        ("decoder_l1_rnn_W".to_owned(), Tensor::Int8(quantized(16, 16))),
        ("decoder_l1_rnn_W_QuantMultA".to_owned(), scalar(25.0)),
        ("decoder_ff_logit_out_b".to_owned(), Tensor::Float(floats(1, 20))),
    ];
    write_bin(OPTIONS, &tensors).unwrap()
}

fn small_npz() -> Vec<u8> {
    let tensors = [("Wemb".to_owned(), floats(20, 16)), ("decoder_ff_logit_out_b".to_owned(), floats(1, 20))];
    write_npz(OPTIONS, &tensors).unwrap()
}

const SMALL: Vocabularies = Vocabularies { source: 5, target: 40, joint: false };

/// A binary shortlist: the numbers of its head but for the magic and the checksum, the offsets, and the targets.
pub fn shortlist_of(words: &[u64], targets: &[u32]) -> Vec<u8> {
    let checksum = {
        let mut rest: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        rest.extend(targets.iter().flat_map(|target| target.to_le_bytes()));
        rest.as_chunks::<8>().0.iter().fold(0u64, |hash, &word| {
            let mixed = u64::from_le_bytes(word).wrapping_add(0x9e37_79b9);
            hash ^ mixed.wrapping_add(hash << 6).wrapping_add(hash >> 2)
        })
    };
    let mut bytes = 0xF11A_48D5_0134_17F5u64.to_le_bytes().to_vec();
    bytes.extend(checksum.to_le_bytes());
    bytes.extend(words.iter().flat_map(|word| word.to_le_bytes()));
    bytes.extend(targets.iter().flat_map(|target| target.to_le_bytes()));
    bytes
}

fn small_shortlist() -> Vec<u8> {
    shortlist_of(&[2, 3, 6, 7, 0, 1, 3, 3, 6, 7], &[9, 3, 30, 5, 6, 7, 39])
}

fn vocabulary() -> Vec<u8> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/en-de.prototype/vocab.ende.spm");
    std::fs::read(path).unwrap()
}

/// A reader and a file that it accepts.
struct Subject {
    name: &'static str,
    bytes: Vec<u8>,
    /// Whether it is accepted; an error's text must name the file.
    read: fn(&str, &[u8]) -> Result<(), String>,
}

fn subjects() -> Vec<Subject> {
    let gzip = |bytes: &[u8]| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        std::io::Write::write_all(&mut encoder, bytes).unwrap();
        encoder.finish().unwrap()
    };
    let model: fn(&str, &[u8]) -> Result<(), String> =
        |file, bytes| read_model(file, bytes).map(drop).map_err(|error| error.to_string());
    vec![
        Subject { name: "model.bin", bytes: small_bin(), read: model },
        Subject { name: "model.npz", bytes: small_npz(), read: model },
        Subject { name: "model.bin.gz", bytes: gzip(&small_bin()), read: model },
        Subject {
            name: "lex.s2t.bin",
            bytes: small_shortlist(),
            read: |file, bytes| {
                let shortlist = Shortlist::from_binary(file, bytes, SMALL).map_err(|error| error.to_string())?;
                let mut out = Vec::new();
                shortlist.candidates(0..9, &mut out);
                assert!(out.is_sorted_by(|a, b| a < b) && out.iter().all(|&target| target < 40));
                Ok(())
            },
        },
        Subject {
            name: "vocab.spm",
            bytes: vocabulary(),
            read: |file, bytes| {
                let vocabulary = Vocabulary::from_bytes(file, bytes).map_err(|error| error.to_string())?;
                let mut pieces = Vec::new();
                vocabulary.encode("Ein Würfel fällt. 🎲", &mut pieces);
                Ok(())
            },
        },
        Subject {
            name: "decoder.yml",
            bytes: b"models: [model.bin]\nvocabs: [a.spm, b.spm]\nshortlist: [lex, false]\n".to_vec(),
            read: |file, bytes| DecoderOptions::parse(file, bytes).map(drop).map_err(|error| error.to_string()),
        },
        Subject {
            name: "model_info.json",
            bytes: br#"{"shortName": "en-de-tiny", "srcTags": {"en": "English"}, "trgTag": "de", "API": 1.0}"#.to_vec(),
            read: |file, bytes| ModelInfo::parse(file, bytes).map(drop).map_err(|error| error.to_string()),
        },
        Subject {
            name: "model.yml",
            bytes: OPTIONS.as_bytes().to_vec(),
            read: |file, bytes| match std::str::from_utf8(bytes) {
                Ok(text) => Config::parse(file, text).map(drop).map_err(|error| error.to_string()),
                Err(_) => Ok(()),
            },
        },
    ]
}

/// Reads damaged bytes: whatever comes out must come soon, and an error must name the file.
fn survives(subject: &Subject, bytes: &[u8]) {
    let start = Instant::now();
    if let Err(message) = (subject.read)(subject.name, bytes) {
        assert!(message.starts_with(subject.name), "{message}");
    }
    assert!(start.elapsed() < Duration::from_secs(20), "{} took {:?}", subject.name, start.elapsed());
}

#[test]
fn what_is_damaged_below_was_whole_before() {
    for subject in subjects() {
        (subject.read)(subject.name, &subject.bytes).unwrap();
    }
}

#[test]
fn a_file_cut_anywhere_is_refused() {
    for subject in subjects() {
        let length = subject.bytes.len();
        // YAML that ends at a line's end is still YAML, and a vocabulary without its last pieces still one.
        let may_be_whole = subject.name.ends_with(".yml") || subject.name.ends_with(".spm");
        let step = (length / 3000).max(1);
        for cut in (0..length).step_by(step).chain(length.saturating_sub(40)..length) {
            let result = (subject.read)(subject.name, &subject.bytes[..cut]);
            assert!(may_be_whole || result.is_err(), "{} cut at {cut} of {length}", subject.name);
            if let Err(message) = result {
                assert!(message.starts_with(subject.name), "{message}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn flipped_bits_never_panic(flips in prop::collection::vec((any::<prop::sample::Index>(), 0..8u32), 1..6)) {
        for subject in subjects() {
            // A vocabulary takes some milliseconds to read; its own tests flip more.
            if subject.bytes.len() > 100_000 && flips.len() > 1 {
                continue;
            }
            let mut bytes = subject.bytes.clone();
            for (index, bit) in &flips {
                let index = index.index(bytes.len());
                bytes[index] ^= 1 << bit;
            }
            survives(&subject, &bytes);
        }
    }

    #[test]
    fn overwritten_numbers_never_panic(
        place in any::<prop::sample::Index>(),
        number in prop_oneof![Just(u64::MAX), Just(0), Just(1 << 31), Just((1 << 63) - 1), Just(i64::MIN as u64), 0..5000u64, any::<u64>()],
        width in prop_oneof![Just(1usize), Just(2), Just(4), Just(8)],
        headers in any::<bool>(),
    ) {
        for subject in subjects() {
            let mut bytes = subject.bytes.clone();
            // Half of the time among the first bytes, where most counts are.
            let range = if headers { bytes.len().min(700) } else { bytes.len().min(100_000) };
            let start = place.index(range);
            for (byte, value) in bytes[start..].iter_mut().zip(&number.to_le_bytes()[..width]) {
                *byte = *value;
            }
            survives(&subject, &bytes);
        }
    }

    #[test]
    fn arbitrary_bytes_never_panic(mut bytes in prop::collection::vec(any::<u8>(), 0..400), kind in 0..4) {
        let magic: &[u8] = match kind {
            0 => b"PK\x03\x04",
            1 => &[1, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0],
            2 => &[0x1f, 0x8b, 8, 0],
            _ => &[],
        };
        bytes.splice(..0, magic.iter().copied());
        for subject in subjects() {
            survives(&subject, &bytes);
        }
    }
}

fn fault_of(bytes: &[u8]) -> (String, u64, Fault) {
    match read_model("model", bytes) {
        Err(Error::Malformed { item, offset, fault, .. }) => (item, offset, fault),
        other => panic!("{other:?}"),
    }
}

/// Where in the file the data of an item start.
fn data_of(bytes: &[u8], name: &str) -> usize {
    MarianModel::open("model", bytes).unwrap().items().find(|item| item.name == name).unwrap().offset as usize
}

fn overwrite(bytes: &[u8], at: usize, with: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes[at..at + with.len()].copy_from_slice(with);
    bytes
}

#[test]
fn each_kind_of_damage_in_a_binary_file_is_named() {
    let good = small_bin();
    let count = overwrite(&good, 8, &(1u64 << 60).to_le_bytes());
    assert!(matches!(fault_of(&count), (item, 8, Fault::Count { what: "number of items", .. }) if item == "header"));
    let version = overwrite(&good, 0, &2u64.to_le_bytes());
    assert!(matches!(fault_of(&version).2, Fault::Version { found: 2, .. }));
    // The first item's entry: name length, type, rank, data length.
    for (at, value, expected) in [(16, u64::MAX, "length of a name"), (32, 1 << 40, "number of dimensions")] {
        let (_, _, fault) = fault_of(&overwrite(&good, at, &value.to_le_bytes()));
        assert!(matches!(fault, Fault::Count { what, .. } if what == expected));
    }
    assert!(matches!(fault_of(&overwrite(&good, 24, &0x5101u64.to_le_bytes())).2, Fault::Type { .. }));
    assert!(matches!(fault_of(&overwrite(&good, 40, &u64::MAX.to_le_bytes())).2, Fault::Shape { .. }));

    let weights = data_of(&good, "decoder_l1_rnn_W");
    let scale = weights + 256;
    for wrong in [0.0, -1.0, f32::NAN, f32::INFINITY, 1e-40] {
        let (item, offset, fault) = fault_of(&overwrite(&good, scale, &wrong.to_le_bytes()));
        assert_eq!((item.as_str(), offset), ("decoder_l1_rnn_W", scale as u64));
        assert!(matches!(fault, Fault::Scale(_)), "{wrong} {fault:?}");
    }
    let (_, offset, fault) = fault_of(&overwrite(&good, weights + 17, &[0x80]));
    assert_eq!((offset, fault), (weights as u64 + 17, Fault::WeightRange));
    let bias = data_of(&good, "decoder_ff_logit_out_b");
    let (item, offset, fault) = fault_of(&overwrite(&good, bias + 8, &f32::INFINITY.to_le_bytes()));
    assert_eq!((item.as_str(), offset), ("decoder_ff_logit_out_b", bias as u64 + 8));
    assert_eq!(fault, Fault::NotFinite(f32::INFINITY));
    let multiplier = data_of(&good, "decoder_l1_rnn_W_QuantMultA");
    let (_, offset, fault) = fault_of(&overwrite(&good, multiplier, &0f32.to_le_bytes()));
    assert_eq!((offset, fault), (multiplier as u64, Fault::Scale(0.0)));

    // Two items of one name, and a name that ends early.
    let twice = [("bias".to_owned(), Tensor::Float(floats(1, 20))), ("bias".to_owned(), Tensor::Float(floats(1, 20)))];
    let twice = write_bin(OPTIONS, &twice).unwrap();
    assert!(matches!(fault_of(&twice).2, Fault::Overlap(name) if name == "bias"));
    let name = |text: &[u8]| good.windows(text.len()).position(|window| window == text).unwrap();
    let cut = overwrite(&good, name(b"decoder_l1_rnn_W_QuantMultA\0"), b"decoder_l1_rnn_W\0");
    assert!(matches!(fault_of(&cut).2, Fault::Kind { .. }));
    // Shapes whose product overflows.
    let shape = overwrite(&good, name(&[20, 0, 0, 0, 16, 0, 0, 0]), &[255, 255, 255, 127, 255, 255, 255, 127]);
    assert!(matches!(fault_of(&shape).2, Fault::Shape { .. }));
    let negative = overwrite(&good, name(&[20, 0, 0, 0, 16, 0, 0, 0]), &[255, 255, 255, 255]);
    assert!(matches!(fault_of(&negative).2, Fault::Shape { .. }));
    let mut without_options = good.clone();
    without_options[name(b"special:model.yml")] = b'S';
    assert!(matches!(fault_of(&without_options).2, Fault::Absent(_)));
}

#[test]
fn each_kind_of_damage_in_an_archive_is_named() {
    let good = small_npz();
    let wemb = data_of(&good, "Wemb");
    // The archive keeps a checksum of each array.
    assert!(matches!(fault_of(&overwrite(&good, wemb + 200, &[77])).2, Fault::Parse(_)));
    let array = |name: &str, header: &str, values: usize| {
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend((header.len() as u16).to_le_bytes());
        bytes.extend(header.bytes());
        bytes.resize(bytes.len() + values, 1);
        let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
        archive.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        std::io::Write::write_all(&mut archive, &bytes).unwrap();
        archive.finish().unwrap().into_inner()
    };
    let header = |kind: &str, shape: &str| format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}}}");
    for shape in ["(99, 16)", "(20, 15)", "(0, 16)", "(4294967296, 4294967296)", "(2, 10, 16)"] {
        let (item, _, fault) = fault_of(&array("W.npy", &header("<f4", shape), 1280));
        assert!(item == "W" && matches!(fault, Fault::Shape { .. }), "{shape}: {fault:?}");
    }
    for kind in ["<f8", ">f4", "<i4", "|O"] {
        assert!(matches!(fault_of(&array("W.npy", &header(kind, "(20, 16)"), 1280)).2, Fault::Type { .. }), "{kind}");
    }
    assert!(matches!(fault_of(&array("W.npy", &header("|i1", "(1280,)"), 1280)).2, Fault::Type { .. }));
    let nested = header("<f4", &"(".repeat(3000));
    assert!(matches!(fault_of(&array("W.npy", &nested, 1280)).2, Fault::Parse(_)));
    assert!(matches!(fault_of(&array("W.npy", &header("<f4", "(20, 16)"), 1280)).2, Fault::Absent(_)));
    let huge_header = header("<f4", "(20, 16)") + &" ".repeat(5_000);
    assert!(matches!(fault_of(&array("W.npy", &huge_header, 1280)).2, Fault::Count { .. }));

    let not_finite = FloatTensor { rows: 1, columns: 3, values: vec![1.0, f32::NAN, 2.0] };
    let archive = write_npz(OPTIONS, &[("b".to_owned(), not_finite)]).unwrap();
    assert!(matches!(fault_of(&archive), (item, _, Fault::NotFinite(_)) if item == "b"));

    // One entry whose data are also another's: the second local header lies within the first entry.
    let directory = good.windows(4).position(|window| window == b"PK\x01\x02").unwrap();
    let second = directory + 46 + good[directory + 28] as usize + good[directory + 30] as usize;
    assert_eq!(&good[second..second + 4], b"PK\x01\x02");
    let first_header: Vec<u8> = good[directory + 42..directory + 46].to_vec();
    let overlapping = overwrite(&good, second + 42, &first_header);
    assert!(matches!(fault_of(&overlapping).2, Fault::Overlap(_) | Fault::Parse(_)));
}

#[test]
fn each_kind_of_damage_in_a_shortlist_is_named() {
    let fault = |bytes: &[u8]| match Shortlist::from_binary("lex", bytes, SMALL) {
        Err(Error::Malformed { fault, .. }) => fault,
        other => panic!("{other:?}"),
    };
    assert!(matches!(fault(&shortlist_of(&[2, 3, u64::MAX, 7], &[])), Fault::Count { .. }));
    assert!(matches!(
        fault(&shortlist_of(&[2, 3, 6, u64::MAX / 4], &[])),
        Fault::Count { .. } | Fault::Truncated { .. }
    ));
    assert!(matches!(fault(&shortlist_of(&[2, 3, 6, 2, 0, 2, 1, 2, 2, 2], &[1, 2])), Fault::Count { .. }));
    assert!(matches!(fault(&shortlist_of(&[2, 3, 6, 2, 0, 1, 2, 9, 9, 9], &[1, 2])), Fault::Count { .. }));
    assert!(matches!(fault(&shortlist_of(&[2, 3, 6, 2, 0, 0, 0, 0, 0, 2], &[1, 40])), Fault::Count { found: 40, .. }));
    assert!(matches!(fault(&shortlist_of(&[99, 3, 6, 2, 0, 0, 0, 0, 0, 2], &[1, 4])), Fault::Count { found: 99, .. }));
    assert!(matches!(fault(b"PK"), Fault::Kind { .. }));
}

#[test]
fn a_small_gzip_file_cannot_fill_the_memory() {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    for _ in 0..64 {
        std::io::Write::write_all(&mut encoder, &vec![0; 1 << 20]).unwrap();
    }
    let bomb = encoder.finish().unwrap();
    // Whole it is what it says; followed by garbage it is refused.
    assert_eq!(decompressed("zeros.gz", &bomb).unwrap().len(), 64 << 20);
    assert!(matches!(read_model("zeros.gz", &bomb), Err(Error::Malformed { .. })));
    assert!(decompressed("zeros.gz", &bomb[..bomb.len() - 9]).is_err());
}

#[test]
fn an_archive_is_refused_that_says_it_is_larger_than_any_model() {
    // Each entry has as many bytes as could hold what it claims.
    let archive = |claims: &[u32]| {
        let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
        let stored = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
        for (number, claim) in claims.iter().enumerate() {
            archive.start_file(format!("W{number}.npy"), stored).unwrap();
            std::io::Write::write_all(&mut archive, &vec![0; *claim as usize / 1000]).unwrap();
        }
        let mut bytes = archive.finish().unwrap().into_inner();
        let entries: Vec<usize> = (0..bytes.len() - 4).filter(|&at| bytes[at..].starts_with(b"PK\x01\x02")).collect();
        assert_eq!(entries.len(), claims.len());
        for (entry, claim) in entries.into_iter().zip(claims) {
            bytes[entry + 24..entry + 28].copy_from_slice(&claim.to_le_bytes());
        }
        bytes
    };
    for claims in [&[3 << 30][..], &[1 << 30, 1 << 30, 1 << 20]] {
        match fault_of(&archive(claims)) {
            (item, _, Fault::Count { what: "decompressed size", limit, .. }) => {
                assert_eq!((item, limit), (format!("W{}", claims.len() - 1), 1 << 31));
            }
            (item, _, fault) => panic!("{item}: {fault}"),
        }
    }
}

#[test]
fn deeply_nested_options_are_refused() {
    let nested = format!("a: {}{}", "[".repeat(200_000), "]".repeat(200_000));
    assert!(Config::parse("model.yml", &nested).is_err());
    let aliases = "a: &a [x, x, x, x]\nb: &b [*a, *a, *a, *a]\nc: &c [*b, *b, *b, *b]\nd: [*c, *c, *c, *c]\n";
    assert!(Config::parse("model.yml", aliases).is_err());
}

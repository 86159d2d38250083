//! The shapes in which models are published, against Marian's own output for made-up weights, from files to packages and back.
//!
//! `tests/data/shapes/make.py` made the goldens; the weights follow from the tensors' names, here as there.

use crate::malformed_files::shortlist_of;
use std::io::Write;
use std::path::Path;
use wanderwort::model::names::{Block, BlockKind, Norm, OUTPUT_BIAS, Role, Stack, TensorName};
use wanderwort::model::package::{Bits, Card, ConvertOptions, unpack};
use wanderwort::model::{
    Config, DecoderKind, FloatTensor, MarianFiles, Tensor, Warning, Weights, quantize_intgemm8, write_bin, write_npz,
};
use wanderwort::text::vocab::Vocabulary;
use wanderwort::{
    Language, LoadError, LoadOptions, MarianLoader, MarianSource, Precision, Repairs, Sentences, TargetToken,
    TranslateOptions, Translation, Translator,
};

const FOLDER: &str = "tests/data/shapes";
const ENGLISH: &str = "tests/data/architectures/vocab.spm";

/// Whole numbers: splitmix64 from the FNV-1a hash of the name, the four quarters of each output added.
fn values(name: &str, count: usize) -> impl Iterator<Item = f32> {
    let hash = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
    let seed = name.bytes().fold(0xcbf2_9ce4_8422_2325, hash);
    (1..=count as u64).map(move |index| {
        let mut z = seed.wrapping_add(index.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
        ([0, 16, 32, 48].iter().map(|shift| (z >> shift & 0xffff) as i64).sum::<i64>() - 131_070) as f32
    })
}

/// The tensors of a model, as `parameters` in `make.py` makes them.
pub fn tensors(config: &Config) -> Vec<(String, FloatTensor)> {
    let mut tensors = Vec::new();
    let mut add = |name: String, rows: usize, columns: usize, scale: f64, centre: f32| {
        let factor = (scale / (65536.0 / 3f64.sqrt())) as f32;
        let values = values(&name, rows * columns).map(|value| value * factor + centre).collect();
        tensors.push((name, FloatTensor { rows, columns, values }));
    };
    let dim = config.dim;
    let (scale, embedding) = if config.decoder == DecoderKind::Ssru { (0.7, 0.5) } else { (4.0, 0.18) };
    let scale = |rows: usize| scale / (rows as f64).sqrt();
    for (stack, depth) in [(Stack::Encoder, config.encoder_depth), (Stack::Decoder, config.decoder_depth)] {
        for layer in 1..=depth {
            let past = if stack == Stack::Decoder && config.decoder == DecoderKind::Ssru {
                BlockKind::Ssru
            } else {
                BlockKind::SelfAttention
            };
            let cross = (stack == Stack::Decoder).then_some(BlockKind::CrossAttention);
            for kind in [Some(past), cross, Some(BlockKind::FeedForward)].into_iter().flatten() {
                let block = Block::new(stack, layer, kind);
                let wide = config.encoder_feed_forward.dim;
                let parts: &[(&str, usize, usize)] = match kind {
                    BlockKind::FeedForward => &[("1", dim, wide), ("2", wide, dim)],
                    BlockKind::Ssru => &[("", dim, dim), ("f", dim, dim)],
                    _ => &[("q", dim, dim), ("k", dim, dim), ("v", dim, dim), ("o", dim, dim)],
                };
                for &(part, rows, columns) in parts {
                    add(block.weights(part), rows, columns, scale(rows), 0.0);
                    if !part.is_empty() {
                        add(block.bias(part), 1, columns, 0.1, 0.0);
                    }
                }
                let Norm { scale, bias } = block.norm_after();
                add(scale, 1, dim, 0.1, 1.0);
                add(bias, 1, dim, 0.1, 0.0);
            }
        }
    }
    add(config.source_embedding.to_owned(), config.source_words, dim, embedding, 0.0);
    if config.target_embedding != config.source_embedding {
        add(config.target_embedding.to_owned(), config.target_words, dim, embedding, 0.0);
    }
    add(OUTPUT_BIAS.to_owned(), 1, config.target_words, 0.1, 0.0);
    tensors
}

/// In Marian's int8, but for vectors.
fn quantized(tensors: Vec<(String, FloatTensor)>) -> Vec<(String, Tensor)> {
    let quantize = |(name, tensor): (String, FloatTensor)| {
        let tensor = match TensorName::parse(&name).role {
            Role::Vector => Tensor::Float(tensor),
            role => Tensor::Int8(quantize_intgemm8(&tensor, role.has_row_for_each_word())),
        };
        (name, tensor)
    };
    tensors.into_iter().map(quantize).collect()
}

/// A folder as it is published: files of the repository under other names, and the model, in floats or in Marian's int8.
fn folder(shape: &str, copies: &[(&str, &str)], settings: &str, weights: Weights) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).unwrap();
    let yaml = std::fs::read_to_string(format!("{FOLDER}/{shape}.yml")).unwrap();
    let tensors = tensors(&Config::parse(shape, &yaml).unwrap());
    match weights {
        Weights::Float32 => write("model.npz", &write_npz(&yaml, &tensors).unwrap()),
        Weights::Int8 => {
            write("model.intgemm.alphas.bin", &write_bin(&yaml, &quantized(tensors)).unwrap());
        }
    }
    for (from, to) in copies {
        std::fs::copy(from, folder.path().join(to)).unwrap();
    }
    write("decoder.yml", format!("max-length-factor: 1.0\n{settings}").as_bytes());
    folder
}

/// A shape's name, its vocabularies, from where and as what, and further settings.
type Shape = (&'static str, Vec<(String, &'static str)>, &'static str);

fn shapes() -> [Shape; 4] {
    let own = |name: &str| format!("{FOLDER}/{name}");
    let opus = "vocabs: [opus.spm32k-spm32k.vocab.yml, opus.spm32k-spm32k.vocab.yml]\n";
    [
        ("base-memory", vec![(ENGLISH.to_owned(), "vocab.spm")], ""),
        ("en-zh", vec![(ENGLISH.to_owned(), "srcvocab.enzh.spm"), (own("zh.spm"), "trgvocab.enzh.spm")], ""),
        ("zh-en", vec![(own("zh.spm"), "srcvocab.zhen.spm"), (ENGLISH.to_owned(), "trgvocab.zhen.spm")], ""),
        (
            "opus",
            vec![
                (own("source.spm"), "source.spm"),
                (own("target.spm"), "target.spm"),
                (own("opus.vocab.yml"), "opus.spm32k-spm32k.vocab.yml"),
            ],
            opus,
        ),
    ]
}

fn folder_of(shape: usize, weights: Weights) -> (&'static str, tempfile::TempDir) {
    let (name, copies, settings) = &shapes()[shape];
    let copies: Vec<(&str, &str)> = copies.iter().map(|(from, to)| (from.as_str(), *to)).collect();
    (name, folder(name, &copies, settings, weights))
}

fn golden(shape: &str) -> (Vec<String>, Vec<String>) {
    golden_in(&format!("{shape}.tsv"), shape)
}

/// Sentences of a file and Marian's translations, but for those with something that the vocabulary lacks: it is carried over here.
fn golden_in(file: &str, shape: &str) -> (Vec<String>, Vec<String>) {
    let text = std::fs::read_to_string(format!("{FOLDER}/{file}")).unwrap();
    let index = shapes().iter().position(|(name, ..)| *name == shape).unwrap();
    let (_, folder) = folder_of(index, Weights::Float32);
    let files = MarianFiles::read_folder(folder.path(), Weights::Float32).unwrap();
    let file = &files.source_vocabulary;
    let vocabulary = Vocabulary::from_bytes(&file.name, &file.bytes).unwrap();
    let mut pieces = Vec::new();
    let mut is_known = |(source, _): &(&str, &str)| {
        pieces.clear();
        vocabulary.encode(source, &mut pieces);
        pieces.iter().all(|piece| piece.id != vocabulary.unknown())
    };
    let pairs = text.lines().filter_map(|line| line.split_once('\t')).filter(|pair| is_known(pair));
    pairs.map(|(a, b)| (a.to_owned(), b.to_owned())).unzip()
}

fn options(precision: Precision) -> LoadOptions {
    // The one multi-target model among them is told by its language; the others have nothing to choose.
    LoadOptions { precision, target_language: Language::from_tag("de"), ..LoadOptions::default() }
}

fn translate(translator: &Translator, sources: &[String]) -> Vec<Translation> {
    let options =
        TranslateOptions { sentences: Sentences::AreLines, repairs: Repairs::NONE, ..TranslateOptions::default() };
    translator.translate_batch(sources, &options)
}

/// At most one translation is another than expected: a sum in another order may tip a choice.
fn assert_all_but_one(name: &str, found: &[Translation], expected: &[String]) {
    assert_eq!(found.len(), expected.len(), "{name}");
    let others = found.iter().zip(expected).filter(|(found, expected)| found.text.trim() != expected.trim());
    let others: Vec<String> = others.map(|(found, expected)| format!("\n  {}\n  {expected}", found.text)).collect();
    assert!(others.len() <= 1, "{name}: {} of {} differ{}", others.len(), found.len(), others.concat());
}

#[test]
fn each_translates_as_marian_does() {
    for shape in 0..4 {
        let (name, folder) = folder_of(shape, Weights::Float32);
        let translator = Translator::open(folder.path(), &options(Precision::Float32)).unwrap();
        assert_eq!(translator.warnings(), [], "{name}");
        let (sources, expected) = golden(name);
        assert!(sources.len() >= 10, "{name}: {}", sources.len());
        let found = translate(&translator, &sources);
        assert_all_but_one(name, &found, &expected);
        let linked = |found: &Translation| found.tokens.iter().any(|token| !token.link.source.is_empty());
        assert!(found.iter().filter(|found| linked(found)).count() * 2 > found.len(), "{name}");
        // Links are within their texts, whatever stands before the source.
        for (found, source) in found.iter().zip(&sources) {
            assert!(found.tokens.iter().all(|token| token.link.source.end <= source.len()), "{name}");
        }
    }
}

/// The multipliers of what enters products, as `multiplier` in `make.py` has them.
fn multipliers(config: &Config) -> Vec<(String, Tensor)> {
    let one = |name: String, largest: f32| {
        (name, Tensor::Float(FloatTensor { rows: 1, columns: 1, values: vec![127.0 / largest] }))
    };
    let mut found = vec![one("none_QuantMultA".to_owned(), 4.0)];
    for (name, tensor) in tensors(config) {
        let role = TensorName::parse(&name).role;
        if tensor.rows > 1 && !role.has_row_for_each_word() {
            let largest = if name.ends_with("_Wo") || name.ends_with("_W2") { 2.0 } else { 4.0 };
            found.push(one(format!("{name}_QuantMultA"), largest));
        }
    }
    found
}

/// A shortlist with nearly all words of the target, as `write_shortlist` in `make.py` has it.
fn nearly_all_words(config: &Config) -> Vec<u8> {
    let (sources, targets) = (config.source_words as u64, config.target_words as u64);
    let first = targets / 8 * 8 - 8;
    let offsets = (0..=sources).map(|word| 8 * word);
    let words: Vec<u64> = [first, 8, sources + 1, 8 * sources].into_iter().chain(offsets).collect();
    let lists: Vec<u32> = (0..sources).flat_map(|_| first as u32..first as u32 + 8).collect();
    shortlist_of(&words, &lists)
}

#[test]
fn int8_translates_as_the_browser_build_of_marian_does() {
    for shape in 0..3 {
        let (name, folder) = folder_of(shape, Weights::Int8);
        let yaml = std::fs::read_to_string(format!("{FOLDER}/{name}.yml")).unwrap();
        let config = Config::parse(name, &yaml).unwrap();
        let write = |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).unwrap();
        let mut all = quantized(tensors(&config));
        all.extend(multipliers(&config));
        write("model.intgemm.alphas.bin", &write_bin(&yaml, &all).unwrap());
        write("lex.s2t.bin", &nearly_all_words(&config));
        write("decoder.yml", b"max-length-factor: 2.0\nshortlist: [lex.s2t.bin, false]\n");
        let (sources, expected) = golden_in(&format!("{name}.int8.tsv"), name);
        let [int8, float] = [Precision::Int8, Precision::Float32].map(|precision| {
            let translator = Translator::open(folder.path(), &options(precision)).unwrap();
            assert_eq!(translator.warnings(), [], "{name}");
            translate(&translator, &sources)
        });
        assert_all_but_one(name, &int8, &expected);
        // Floats would not do: these scales cut off and round much.
        let others = float.iter().zip(&expected).filter(|(found, expected)| found.text.trim() != expected.trim());
        assert!(others.count() >= 3, "{name}");
    }
}

#[test]
fn each_becomes_a_package_and_files_again() {
    for shape in 0..4 {
        for weights in [Weights::Float32, Weights::Int8] {
            let (name, folder) = folder_of(shape, weights);
            let (sources, _) = golden(name);
            let sources = &sources[..6];
            let files = MarianFiles::read_folder(folder.path(), weights).unwrap();
            let source = MarianSource::open(&files).unwrap();
            let bits = if weights == Weights::Int8 { Bits::Int8 } else { Bits::Float32 };
            let card = Card { target_language: "de".to_owned(), ..Card::default() };
            let convert = ConvertOptions { bits, card, ..source.convert_options() };
            let package = source.convert(&convert, |_| {}).unwrap();
            for precision in [Precision::Float32, Precision::Int8] {
                let own = Translator::from_marian(&files, &options(precision)).unwrap();
                let own = translate(&own, sources);
                // A package knows its target language by itself.
                let load = LoadOptions { precision, ..LoadOptions::default() };
                let packed = Translator::from_package(name, package.as_slice(), &load).unwrap();
                assert_eq!(translate(&packed, sources), own, "{name}");
                if precision == Precision::Float32 {
                    let unpacked = tempfile::tempdir().unwrap();
                    for file in unpack(name, &package).unwrap() {
                        std::fs::write(unpacked.path().join(&file.name), &file.bytes).unwrap();
                    }
                    let again = Translator::open(unpacked.path(), &options(precision)).unwrap();
                    assert_eq!(translate(&again, sources), own, "{name}");
                }
            }
            let small = ConvertOptions { bits: Bits::default(), ..convert };
            let small = source.convert(&small, |_| {}).unwrap();
            assert!(small.len() < package.len(), "{name}");
            let load = LoadOptions::default();
            assert!(!translate(&Translator::from_package(name, small.as_slice(), &load).unwrap(), sources).is_empty());
        }
    }
}

#[test]
fn each_loads_file_by_file_in_any_order() {
    for shape in 0..4 {
        let (name, folder) = folder_of(shape, Weights::Int8);
        let (sources, _) = golden(name);
        let mut paths: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        let whole = translate(&Translator::open(folder.path(), &options(Precision::Int8)).unwrap(), &sources[..4]);
        for reverse in [false, true] {
            let load = options(Precision::Int8);
            let mut loader = MarianLoader::new(&load);
            for path in &paths {
                let bytes = std::fs::read(path).unwrap();
                loader.begin(path.file_name().unwrap().to_str().unwrap(), Some(bytes.len() as u64));
                bytes.chunks(1000).for_each(|piece| loader.push(piece, |_| {}).unwrap());
                loader.end(|_| {}).unwrap();
            }
            paths.reverse();
            assert_eq!(translate(&loader.finish(&load).unwrap(), &sources[..4]), whole, "{name}, {reverse}");
        }
    }
}

#[test]
fn a_model_of_several_targets_is_told_one() {
    let (_, folder) = folder_of(3, Weights::Float32);
    let (sources, expected) = golden("opus");
    let open = |options: LoadOptions| {
        Translator::open(folder.path(), &LoadOptions { precision: Precision::Float32, ..options })
    };
    let language = |tag: &str| LoadOptions { target_language: Language::from_tag(tag), ..LoadOptions::default() };
    let token = |name: &str| LoadOptions { target_token: TargetToken::new(name), ..LoadOptions::default() };
    let text = |translator: &Translator| {
        translate(translator, &sources[..3]).into_iter().map(|t| t.text.trim().to_owned()).collect::<Vec<_>>()
    };

    // By the language, by the model's own name, and with the signs around it; the name tells the language, too.
    let told = open(token("deu")).unwrap();
    assert_eq!(told.target_language(), Language::GERMAN);
    assert_eq!(text(&told), expected[..3]);
    assert_eq!(text(&open(token(">>deu<<")).unwrap()), expected[..3]);
    assert_eq!(text(&open(language("de-AT")).unwrap()), expected[..3]);
    assert_ne!(text(&open(language("fr")).unwrap()), expected[..3]);
    assert_eq!(open(token("cmn_Hans")).unwrap().target_language().tag(), "zh");
    assert_eq!(text(&open(language("zh")).unwrap()), text(&open(token("cmn_Hans")).unwrap()));

    // None, or one that it has not, is said with those that it has.
    for (options, told) in [(LoadOptions::default(), None), (language("ru"), Some("ru")), (token("rus"), Some("rus"))] {
        let error = open(options).unwrap_err();
        assert!(error.to_string().contains("deu, fra, cmn_Hans"), "{error}");
        assert!(matches!(&error, LoadError::TargetToken { told: found, .. } if found.as_deref() == told), "{error}");
    }
    // A model of one target has none.
    let (_, folder) = folder_of(0, Weights::Float32);
    let error = Translator::open(folder.path(), &token("deu")).unwrap_err();
    assert!(error.to_string().contains("`deu`"), "{error}");
    assert_eq!((TargetToken::new(""), TargetToken::new(">><<"), TargetToken::new(&"x".repeat(24))), (None, None, None));
}

#[test]
fn the_command_line_tells_a_model_its_target() {
    let (_, folder) = folder_of(3, Weights::Float32);
    let (sources, expected) = golden("opus");
    let run = |arguments: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_wanderwort"));
        command.args(arguments).stdin(std::process::Stdio::piped());
        let mut child =
            command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().unwrap();
        // One that refuses its arguments reads nothing.
        let _ = child.stdin.take().unwrap().write_all(format!("{}\n", sources[0]).as_bytes());
        let output = child.wait_with_output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
        (output.status.success(), text(&output.stdout), text(&output.stderr))
    };
    let model = folder.path().to_str().unwrap();
    let command = ["translate", "--float", "--lines-as-sentences", "--without", "all", "--model"];
    for told in [["--target-token", "deu"], ["--to", "de"]] {
        let (succeeds, text, error) = run(&[&command[..], &[model], &told].concat());
        assert!(succeeds, "{error}");
        assert_eq!(text, expected[0]);
    }
    let (succeeds, _, error) = run(&[&command[..], &[model]].concat());
    assert!(!succeeds && error.contains("deu, fra, cmn_Hans"), "{error}");
    let (succeeds, text, error) = run(&["inspect", model]);
    assert!(succeeds && text.contains("deu, fra, cmn_Hans"), "{text}{error}");

    let package = folder.path().join("opus.wanderwort");
    let package = package.to_str().unwrap();
    let languages = ["--source-language", "en", "--target-language", "de"];
    let (succeeds, _, error) =
        run(&[&["convert", "--from", model, "--to", package, "--bits", "float32"][..], &languages].concat());
    assert!(succeeds, "{error}");
    let (_, text, error) = run(&[&command[..], &[package]].concat());
    assert_eq!(text, expected[0], "{error}");
    let (_, other, error) = run(&[&command[..], &[package, "--target-token", "fra"]].concat());
    let french = LoadOptions { target_token: TargetToken::new("fra"), ..options(Precision::Float32) };
    let french = Translator::open(folder.path(), &french).unwrap();
    assert_eq!(other, translate(&french, &sources[..1])[0].text.trim(), "{error}");
}

#[test]
fn a_list_numbers_the_pieces_of_a_model() {
    let (_, folder) = folder_of(3, Weights::Float32);
    let files = MarianFiles::read_folder(folder.path(), Weights::Float32).unwrap();
    let read = |file: &wanderwort::model::NamedBytes| Vocabulary::from_bytes(&file.name, &file.bytes).unwrap();
    let (source, target) = (read(&files.source_vocabulary), read(files.target_vocabulary.as_ref().unwrap()));
    assert!(source.has_words_of(&target));
    let plain = Vocabulary::from_bytes("source.spm", &std::fs::read(format!("{FOLDER}/source.spm")).unwrap()).unwrap();
    let (mut listed, mut own) = (Vec::new(), Vec::new());
    let golden = std::fs::read_to_string(format!("{FOLDER}/opus.tsv")).unwrap();
    let mut unlisted = 0;
    for text in golden.lines().filter_map(|line| line.split('\t').next()) {
        listed.clear();
        own.clear();
        source.encode(text, &mut listed);
        plain.encode(text, &mut own);
        // Texts are cut in the same places, and pieces keep their text unless the list lacks it.
        assert_eq!(listed.len(), own.len());
        for (listed, own) in listed.iter().zip(&own) {
            assert_eq!(listed.range(), own.range());
            if listed.id == source.unknown() {
                unlisted += 1;
            } else if own.id != plain.unknown() {
                assert_eq!(source.piece(listed.id), plain.piece(own.id));
            }
        }
    }
    assert!(unlisted > 0, "the list lacks some of the pieces");
    // A character that no piece covers is a word where the list has it.
    let snowman = source.id("☃").expect("in the list");
    listed.clear();
    source.encode("☃", &mut listed);
    assert!(listed.iter().any(|piece| piece.id == snowman), "{listed:?}");
    assert_eq!(plain.id("☃"), None);
}

#[test]
fn a_shortlist_that_knows_few_words_is_not_used() {
    let (_, folder) = folder_of(1, Weights::Float32);
    let path = folder.path().join("decoder.yml");
    std::fs::write(folder.path().join("lex.s2t"), "天 ▁the 0.5\n").unwrap();
    let without =
        translate(&Translator::open(folder.path(), &options(Precision::Float32)).unwrap(), &golden("en-zh").0);
    std::fs::write(&path, "max-length-factor: 1.0\nshortlist: [lex.s2t, 20, 20, 0]\n").unwrap();
    let translator = Translator::open(folder.path(), &options(Precision::Float32)).unwrap();
    assert!(!translator.info().shortlist);
    assert!(
        matches!(translator.warnings(), [Warning::Shortlist { file }] if file == "lex.s2t"),
        "{:?}",
        translator.warnings()
    );
    assert_eq!(translate(&translator, &golden("en-zh").0), without);
    // Nor does a package carry it.
    let files = MarianFiles::read_folder(Path::new(folder.path()), Weights::Float32).unwrap();
    let package = MarianSource::open(&files).unwrap().convert(&ConvertOptions::default(), |_| {}).unwrap();
    let packed = Translator::from_package("en-zh", package.as_slice(), &LoadOptions::default()).unwrap();
    assert!(!packed.info().shortlist);
}

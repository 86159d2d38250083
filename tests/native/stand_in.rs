//! The package that a page's engine translates with while the model arrives, so that browsers have compiled the engine before.

use crate::malformed_files::shortlist_of;
use crate::shapes::tensors;
use wanderwort::model::names::OUTPUT_BIAS;
use wanderwort::model::package::{Card, ConvertOptions};
use wanderwort::model::{Config, MarianFiles, Weights, write_npz};
use wanderwort::{LoadOptions, MarianSource, TranslateOptions, Translator};

const PATH: &str = "src/web/stand-in.wanderwort";

/// Behind `</s>` and `<unk>`.
const PIECES: &str = "\u{2581}abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.,:;!?-()'\"";

/// A SentencePiece model of single characters: fields 1 of `ModelProto`, in which 1 is the piece, 2 its score and 3 its type.
fn vocabulary() -> Vec<u8> {
    let marks = [("</s>".to_owned(), 3), ("<unk>".to_owned(), 2)];
    let pieces = marks.into_iter().chain(PIECES.chars().map(|piece| (piece.to_string(), 1)));
    let mut bytes = Vec::new();
    for (number, (piece, kind)) in pieces.enumerate() {
        let mut message = vec![1 << 3 | 2, piece.len() as u8];
        message.extend(piece.as_bytes());
        message.push(2 << 3 | 5);
        message.extend((-(number as f32)).to_le_bytes());
        message.extend([3 << 3, kind]);
        bytes.extend([1 << 3 | 2, message.len() as u8]);
        bytes.extend(message);
    }
    bytes
}

/// Weights that are all alike take no room and as much work as others. The end of a sentence is far less likely than anything else, so each is
/// as long as it may be.
fn package() -> Vec<u8> {
    let words = PIECES.chars().count() + 2;
    let shape = std::fs::read_to_string("tests/data/shapes/base-memory.yml").unwrap();
    let replaced = [("transformer-heads", 2), ("transformer-dim-ffn", 128), ("enc-depth", 1), ("dec-depth", 1)];
    let yaml = shape.lines().map(|line| {
        let option = line.split(':').next().unwrap();
        match replaced.iter().find(|(name, _)| *name == option) {
            Some((name, value)) => format!("{name}: {value}\n"),
            None if option == "dim-vocabs" => format!("dim-vocabs: [{words}, {words}]\n"),
            None => format!("{line}\n"),
        }
    });
    let yaml: String = yaml.collect();
    let mut tensors = tensors(&Config::parse("stand-in", &yaml).unwrap());
    for (name, tensor) in &mut tensors {
        let is_vector = tensor.rows == 1;
        tensor.values.fill(if is_vector { 0.0 } else { 0.25 });
        if name.ends_with("_scale") {
            tensor.values.fill(1.0);
        } else if name == OUTPUT_BIAS {
            tensor.values[0] = -1000.0;
        }
    }

    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).unwrap();
    write("model.npz", &write_npz(&yaml, &tensors).unwrap());
    write("vocab.spm", &vocabulary());
    // Each word may become itself, the next one or the first ones.
    let count = words as u64;
    let head: Vec<u64> = [8, 8, count + 1, count].into_iter().chain(0..=count).collect();
    let targets: Vec<u32> = (1..=words as u32).map(|word| word % words as u32).collect();
    write("lex.s2t.bin", &shortlist_of(&head, &targets));
    write("decoder.yml", b"beam-size: 2\nmax-length-factor: 1.0\nnormalize: 1.0\nshortlist: [lex.s2t.bin, false]\n");
    let files = MarianFiles::read_folder(folder.path(), Weights::Float32).unwrap();
    let source = MarianSource::open(&files).unwrap();
    let card = Card { name: "stand-in".to_owned(), ..Card::default() };
    source.convert(&ConvertOptions { card, ..source.convert_options() }, |_| {}).unwrap()
}

/// After a change of the format or of the stand-in, `WANDERWORT_WRITE=1 cargo test --test native stand_in::` writes it anew.
#[test]
fn it_is_what_is_made_here() {
    let package = package();
    if std::env::var_os("WANDERWORT_WRITE").is_some() {
        std::fs::write(PATH, &package).unwrap();
    }
    assert!(package.len() < 6000, "{} bytes", package.len());
    assert_eq!(std::fs::read(PATH).unwrap(), package, "{PATH} is another one");
}

#[test]
fn it_translates_to_the_limit() {
    let translator = Translator::from_package(PATH, package().as_slice(), &LoadOptions::default()).unwrap();
    let translation = translator.translate("abc def", &TranslateOptions::default());
    // As many words as the source has pieces, and its end.
    assert!(translation.tokens.len() > "abc def".len(), "{translation:?}");
}

//! What a model takes in memory, and what decoding allocates. Counted is every byte and call of the allocator.

use allocation_counter::{AllocationInfo, measure};
use wanderwort::kernels::Backend;
use wanderwort::model::package::{ConvertOptions, Parts, convert};
use wanderwort::model::{Error, MarianModel, Shortlist, Tensor, Vocabularies};
use wanderwort::nn::{Candidates, DecoderRows, NetworkBuilder, Previous, Workspace};
use wanderwort::text::vocab::Vocabulary;
use wanderwort::{LoadOptions, MarianLoader, PackageLoader, Precision, Translator};

/// A package in pieces as a network delivers them.
const PIECE: usize = 1 << 16;

/// What runs in a pool of one thread is counted on that thread.
fn counted<R: Send>(work: impl FnOnce() -> R + Send) -> (AllocationInfo, R) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    pool.install(|| {
        let mut result = None;
        (measure(|| result = Some(work())), result.unwrap())
    })
}

fn load(package: &[u8]) -> (AllocationInfo, Translator) {
    counted(|| {
        let mut loader = PackageLoader::new("package", &LoadOptions::default());
        package.chunks(PIECE).for_each(|piece| loader.push(piece).unwrap());
        loader.finish().unwrap()
    })
}

/// A loaded translator holds weights (with their scales and biases), the position signal, the vocabulary with its trie and normalization
/// rules, and the shortlist; while it loads there are also the section under way and what is unpacked of it. All of that
/// stays under 1.3 times the weights, at the end and at any time before.
#[test]
fn a_package_takes_little_more_than_its_weights() {
    let files = crate::prototype::files();
    let model = MarianModel::open(&files.model.name, &files.model.bytes).unwrap();
    let words = model.config().source_words;
    let sizes = Vocabularies { source: words, target: words, joint: true };
    let lex = files.shortlist.as_ref().unwrap();
    let shortlist = Shortlist::from_binary(&lex.name, &lex.bytes, sizes).unwrap();
    let parts = Parts {
        model: &model,
        source_vocabulary: &files.source_vocabulary,
        target_vocabulary: None,
        shortlist: Some(&shortlist),
    };
    let package = convert(&parts, &ConvertOptions::default(), |_| {}).unwrap();
    let (vocabulary, _) = counted(|| Vocabulary::from_bytes("vocab.spm", &files.source_vocabulary.bytes).unwrap());
    let (info, translator) = load(&package);
    let weights = translator.info().weight_bytes as f64;
    let (live, peak) = (info.bytes_current as f64, info.bytes_max as f64);
    println!(
        "weights {weights}, live {live} ({:.3}), peak {peak} ({:.3}); of it vocabulary {}, shortlist {}",
        live / weights,
        peak / weights,
        vocabulary.bytes_current,
        shortlist.bytes()
    );
    assert!(live > weights, "{live} of {weights}: not all was counted");
    assert!(live <= 1.3 * weights, "{live} bytes for {weights} of weights");
    assert!(peak <= 1.3 * weights, "{peak} bytes for {weights} of weights");
}

/// Once its buffers are as large as a batch needs, a step of the network and the choice of words allocate nothing.
#[test]
fn decoding_allocates_nothing() {
    let files = crate::prototype::files();
    let model = MarianModel::open(&files.model.name, &files.model.bytes).unwrap();
    let mut builder = NetworkBuilder::new(Precision::Int8, Backend::best());
    let add = |name: &str, tensor: Tensor| builder.add(name, tensor).map_err(|error| panic!("{error}"));
    model.tensors::<Error>(add).unwrap();
    let network = builder.finish(model.config()).unwrap();

    let (ids, lengths) = ([700, 2000, 31, 0, 400, 5, 900, 77, 8000, 0], [4, 6]);
    let mut workspace = Workspace::new(Backend::best());
    let mut rows = DecoderRows::new(&network);
    let mut previous = vec![Previous { word: None, position: 0 }; lengths.len()];
    let (mut alignments, mut best, mut choices) = (vec![Vec::new(); lengths.len()], Vec::new(), Vec::new());
    let mut candidates = [Candidates::new(&network), Candidates::new(&network)];
    candidates[0].set(&network, &[600, 700, 9000]);
    candidates[1].set(&network, &[5000]);
    let mut step = |rows: &mut DecoderRows, workspace: &mut Workspace, previous: &mut Vec<Previous>| {
        network.decode(previous, rows, Some(&mut alignments), workspace);
        network.best_words(512, candidates.iter(), workspace, &mut best, &mut choices);
        for (previous, choice) in previous.iter_mut().zip(&choices) {
            *previous = Previous { word: choice.word, position: previous.position + 1 };
        }
    };
    network.encode(&ids, &lengths, &mut workspace);
    let admitted = measure(|| rows.admit(&network, &lengths, &mut workspace));
    assert!(admitted.count_total > 0, "nothing is counted");
    let first = measure(|| step(&mut rows, &mut workspace, &mut previous));
    assert!(first.count_total > 0, "nothing is counted");
    let later = measure(|| (0..50).for_each(|_| step(&mut rows, &mut workspace, &mut previous)));
    assert_eq!((later.count_total, later.bytes_total), (0, 0));
    assert_eq!(previous[0].position, 51);

    // Nor do hypotheses of a beam that change places, and the probabilities of all words.
    let mut probabilities = Vec::new();
    let mut beam = |rows: &mut DecoderRows, workspace: &mut Workspace, from: &[usize]| {
        rows.select(from);
        previous.resize(from.len(), previous[0]);
        network.decode(&previous, rows, Some(&mut alignments), workspace);
        let texts = candidates.iter().zip([1, from.len() - 1]);
        network.log_probabilities(512, texts, workspace, &mut probabilities);
    };
    beam(&mut rows, &mut workspace, &[0, 1, 1, 1]);
    beam(&mut rows, &mut workspace, &[0, 3, 2, 2]);
    let later = measure(|| {
        for from in [[0, 1, 3, 2], [0, 2, 2, 1], [0, 1, 2, 3], [0, 1, 1, 1]].iter().cycle().take(40) {
            beam(&mut rows, &mut workspace, from);
        }
    });
    assert_eq!((later.count_total, later.bytes_total), (0, 0));
}

/// Marian's files take, while they arrive, the weights laid out for the kernels, the files that are read as a whole (vocabulary, shortlist),
/// and of the model's file the tensor that is arriving: neither the compressed file nor the unpacked one is ever there.
#[test]
fn marians_files_are_unpacked_tensor_by_tensor() {
    let files = crate::prototype::files();
    let model = MarianModel::open(&files.model.name, &files.model.bytes).unwrap();
    let largest = model.items().map(|item| item.length).max().unwrap() as f64;
    let parts: Vec<_> =
        files.parts().map(|(_, file)| (file.name.as_str(), packed(&file.bytes), file.bytes.len())).collect();
    let (info, translator) = counted(|| {
        let mut loader = MarianLoader::new(&LoadOptions::default());
        for (name, bytes, size) in &parts {
            loader.begin(name, Some(*size as u64));
            bytes.chunks(PIECE).for_each(|piece| loader.push(piece, |_| {}).unwrap());
            loader.end(|_| {}).unwrap();
        }
        loader.finish(&LoadOptions::default()).unwrap()
    });
    let weights = translator.info().weight_bytes as f64;
    let whole: usize = files.parts().filter(|(part, _)| *part != "model").map(|(_, file)| file.bytes.len()).sum();
    let (live, peak) = (info.bytes_current as f64, info.bytes_max as f64);
    println!("weights {weights}, largest tensor {largest}, other files {whole}, live {live}, peak {peak}");
    // The tensor as it comes and as it is read; live is also what the files have become.
    assert!(peak <= (live + whole as f64).max(weights + 2.0 * largest) * 1.05, "{peak} bytes");
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut encoder, bytes).unwrap();
    encoder.finish().unwrap()
}

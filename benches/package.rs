//! What each way to quantize costs and saves on the prototype, and how fast packages are read: `cargo bench --bench package`.
//!
//! Sizes are of the whole package and of its matrices; bits are per weight after entropy coding; errors are squared and
//! relative to the squared weights, over all matrices and for the embedding alone. Then: how much shorter the codes could be
//! under a model for each class of weights, and how long it takes to find a sentence's candidates in the package's shortlist
//! and in Marian's. `--dequantize FOLDER` also writes each variant as a Marian archive, whose translations
//! `wanderwort evaluate --float` can score.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use criterion::Criterion;
use wanderwort::model::package::log4::{self, Codebook, Granularity};
use wanderwort::model::package::{Bits, ConvertOptions, Event, Parts, Reader, convert};
use wanderwort::model::{
    Error, FloatTensor, Int8Tensor, MarianModel, NamedBytes, Shortlist, Tensor, Vocabularies, decompressed, write_npz,
};
use wanderwort::text::vocab::Vocabulary;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let folder = match arguments.as_slice() {
        [flag, folder] if flag == "--dequantize" => Some(PathBuf::from(folder)),
        _ => None,
    };
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/en-de.prototype");
    let read = |name: &str| NamedBytes {
        name: name.to_owned(),
        bytes: {
            let bytes = std::fs::read(models.join(name)).expect("the prototype is part of the repository");
            decompressed(name, &bytes).expect("it unpacks").into_owned()
        },
    };
    let (file, vocabulary) = (read("model.ende.intgemm.alphas.bin.gz"), read("vocab.ende.spm"));
    let model = MarianModel::open(&file.name, &file.bytes).expect("a good model");
    let words = model.config().source_words;
    let lex = read("lex.50.50.ende.s2t.bin.gz");
    let sizes = Vocabularies { source: words, target: words, joint: true };
    let shortlist = Shortlist::from_binary(&lex.name, &lex.bytes, sizes).expect("a good shortlist");
    let parts =
        Parts { model: &model, source_vocabulary: &vocabulary, target_vocabulary: None, shortlist: Some(&shortlist) };

    let mut variants = Vec::new();
    for (codebook, levels) in [(Codebook::Zero, "zero and 7 magnitudes"), (Codebook::NoZero, "8 magnitudes")] {
        for (granularity, share) in [(Granularity::Matrix, "matrix"), (Granularity::Column, "column")] {
            for rate in [0.0, 0.02, 0.05] {
                let name = format!("{levels} | {share} | {rate}");
                variants.push((name, Bits::Log4(log4::Options { codebook, granularity, rate })));
            }
        }
    }
    variants.push(("int8 | matrix | ".to_owned(), Bits::Int8));

    println!("| levels | scale for each | rate weight | package | matrices | bits | error | error of the embedding |");
    println!("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |");
    let mut speeds = Vec::new();
    let mut log4_tensors = Vec::new();
    for (number, (name, bits)) in variants.iter().enumerate() {
        let (mut weights, mut bytes, mut error, mut embedding) = (0.0, 0.0, 0.0, 0.0);
        let options = ConvertOptions { bits: *bits, ..ConvertOptions::default() };
        let package = convert(&parts, &options, |progress| {
            let entry = progress.entry;
            if entry.scales > 0 {
                let count = (entry.rows * entry.columns) as f64;
                weights += count;
                bytes += entry.length as f64;
                error += f64::from(entry.error.unwrap_or(0.0)) * count;
                if entry.name == model.config().target_embedding {
                    embedding = entry.error.unwrap_or(0.0);
                }
            }
        })
        .expect("a good model");
        let size = package.len() as f64 / 1e6;
        let (bits, error) = (bytes * 8.0 / weights, error / weights);
        println!("| {name} | {size:.3} MB | {:.3} MB | {bits:.3} | {error:.4} | {embedding:.4} |", bytes / 1e6);

        let mut tensors = Vec::new();
        let mut fastest = Duration::MAX;
        for _ in 0..5 {
            tensors.clear();
            let start = Instant::now();
            let mut reader = Reader::new("package");
            let keep = |event: Event<'_>| -> Result<(), Error> {
                if let Event::Tensor { name, tensor } = event {
                    tensors.push((name.to_owned(), tensor));
                }
                Ok(())
            };
            reader.push(&package, keep).expect("what was just written");
            fastest = fastest.min(start.elapsed());
        }
        if number == 0 {
            log4_tensors = tensors.clone();
        }
        speeds.push(weights / fastest.as_secs_f64() / 1e6);
        if let Some(folder) = &folder {
            let tensors: Vec<_> =
                tensors.into_iter().filter_map(|(name, tensor)| Some((name, to_float(tensor)?))).collect();
            let archive = write_npz(model.config_text(), &tensors).expect("plain names");
            std::fs::write(folder.join(format!("model.{number}.npz")), archive).expect("a folder to write to");
        }
    }
    println!(
        "\nReading the whole package, one thread, million weights a second: {:.0} (log-4-bit), {:.0} (int8)",
        speeds[0],
        speeds[speeds.len() - 1]
    );

    println!("\nIdeal bits a weight (log-4-bit) under one model and under one for each of {0} × {0} classes:", CLASSES);
    for wanted in [model.config().target_embedding, "encoder_l1_self_Wq"] {
        let tensor = log4_tensors.iter().find_map(|(name, tensor)| match tensor {
            Tensor::Int8(tensor) if name == wanted => Some(tensor),
            _ => None,
        });
        let (plain, classes) = entropies(tensor.expect("the prototype has it"));
        println!("{wanted}: {plain:.3} and {classes:.3}, {:.1} % less", (1.0 - classes / plain) * 100.0);
    }

    println!();
    let pieces = Vocabulary::from_bytes(&vocabulary.name, &vocabulary.bytes).expect("a good vocabulary");
    compare_look_ups(&shortlist, &MarianShortlist::read(&lex.bytes), &pieces, words);
}

/// Number of classes of rows, and of columns, by their mean magnitude.
const CLASSES: usize = 4;

/// Bits per weight, given how often each value occurs: in the matrix, and in each class of weights by the magnitudes of their row
/// and column. The description of the classes and their frequencies is left out.
fn entropies(tensor: &Int8Tensor) -> (f64, f64) {
    let magnitude = |values: &mut dyn Iterator<Item = i8>| values.map(|value| f64::from(value).abs()).sum::<f64>();
    let columns = tensor.values.chunks_exact(tensor.inner).map(|column| magnitude(&mut column.iter().copied()));
    let rows =
        (0..tensor.inner).map(|row| magnitude(&mut tensor.values.iter().skip(row).step_by(tensor.inner).copied()));
    let (columns, rows) = (quantiles(columns.collect()), quantiles(rows.collect()));
    let mut counts = vec![[0u32; 256]; CLASSES * CLASSES];
    for (index, &value) in tensor.values.iter().enumerate() {
        let class = columns[index / tensor.inner] * CLASSES + rows[index % tensor.inner];
        counts[class][usize::from(value as u8)] += 1;
    }
    let mut all = [0u32; 256];
    counts.iter().flatten().enumerate().for_each(|(index, count)| all[index % 256] += count);
    let weights = tensor.values.len() as f64;
    (bits(&all) / weights, counts.iter().map(bits).sum::<f64>() / weights)
}

/// For each value, which of the equally large classes it belongs to.
fn quantiles(values: Vec<f64>) -> Vec<usize> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut classes = vec![0; values.len()];
    order.iter().enumerate().for_each(|(rank, &index)| classes[index] = rank * CLASSES / values.len());
    classes
}

/// Bits that this many occurrences of each value take.
fn bits(counts: &[u32; 256]) -> f64 {
    let total: f64 = counts.iter().map(|&count| f64::from(count)).sum();
    counts.iter().filter(|count| **count > 0).map(|&count| -f64::from(count) * (f64::from(count) / total).log2()).sum()
}

/// Marian's binary shortlist, queried in place: `first` words are always candidates, and `targets[offsets[s] .. offsets[s + 1]]`
/// are those of source word `s`.
struct MarianShortlist {
    first: u32,
    offsets: Vec<u64>,
    targets: Vec<u32>,
}

impl MarianShortlist {
    /// Magic, checksum, first, best, number of offsets, number of targets, offsets, targets.
    fn read(bytes: &[u8]) -> Self {
        let (header, rest) = bytes.split_at(48);
        let number = |index: usize| u64::from_le_bytes(header.as_chunks::<8>().0[index]);
        let (offsets, targets) = rest.split_at(8 * number(4) as usize);
        Self {
            first: number(2) as u32,
            offsets: offsets.as_chunks::<8>().0.iter().map(|&offset| u64::from_le_bytes(offset)).collect(),
            targets: targets.as_chunks::<4>().0.iter().map(|&target| u32::from_le_bytes(target)).collect(),
        }
    }

    fn candidates(&self, source: &[u32], words: usize, out: &mut Vec<u32>) {
        let mut chosen = vec![0u64; words.div_ceil(64)];
        let mut choose = |word: u32| chosen[word as usize / 64] |= 1 << (word % 64);
        (0..self.first).for_each(&mut choose);
        for &word in source {
            choose(word);
            let list = self.offsets[word as usize] as usize..self.offsets[word as usize + 1] as usize;
            self.targets[list].iter().for_each(|&target| choose(target));
        }
        out.clear();
        for (index, &word) in chosen.iter().enumerate() {
            let mut word = word;
            while word != 0 {
                out.push(index as u32 * 64 + word.trailing_zeros());
                word &= word - 1;
            }
        }
    }
}

fn compare_look_ups(ours: &Shortlist, marian: &MarianShortlist, vocabulary: &Vocabulary, words: usize) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/data/flores-dev.en");
    let text = std::fs::read_to_string(path).expect("the text is part of the repository");
    let sentences: Vec<Vec<u32>> = text
        .lines()
        .map(|line| {
            let mut pieces = Vec::new();
            vocabulary.encode(line, &mut pieces);
            pieces.iter().map(|piece| piece.id).collect()
        })
        .collect();
    let (mut found, mut expected) = (Vec::new(), Vec::new());
    for sentence in &sentences {
        ours.candidates(sentence.iter().copied(), &mut found);
        marian.candidates(sentence, words, &mut expected);
        assert_eq!(found, expected, "both shortlists are one");
    }
    let mut criterion = Criterion::default();
    let name = |form: &str| format!("candidates of {} sentences, {form}", sentences.len());
    criterion.bench_function(&name("the package's shortlist"), |bencher| {
        bencher.iter(|| sentences.iter().for_each(|ids| ours.candidates(ids.iter().copied(), &mut found)));
    });
    criterion.bench_function(&name("Marian's binary"), |bencher| {
        bencher.iter(|| sentences.iter().for_each(|ids| marian.candidates(ids, words, &mut expected)));
    });
}

/// As float matrices; activation multipliers mean nothing there.
fn to_float(tensor: Tensor) -> Option<FloatTensor> {
    match tensor {
        Tensor::Float(tensor) if tensor.rows * tensor.columns == 1 => None,
        Tensor::Float(tensor) => Some(tensor),
        Tensor::Int8(tensor) => {
            let (inner, columns) = (tensor.inner, tensor.columns);
            let value = |k: usize, n: usize| tensor.scale(n) * f32::from(tensor.values[n * inner + k]);
            // In this model, only the embedding has more columns than any layer is wide.
            let embedding = columns > 8192;
            let (rows, columns) = if embedding { (columns, inner) } else { (inner, columns) };
            let at = |row: usize, column: usize| if embedding { value(column, row) } else { value(row, column) };
            let values = (0..rows * columns).map(|index| at(index / columns, index % columns)).collect();
            Some(FloatTensor { rows, columns, values })
        }
    }
}

//! What each way to quantize costs and saves on the prototype, and how fast packages are read: `cargo bench --bench package`.
//!
//! Sizes are of the whole package and of its matrices; bits are per weight after entropy coding; errors are squared and
//! relative to the squared weights, over all matrices and for the embedding alone. `--dequantize FOLDER` also writes each
//! variant as a Marian archive, whose translations `wanderwort evaluate --float` can score.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use wanderwort::model::package::log4::{self, Codebook, Granularity};
use wanderwort::model::package::{Bits, ConvertOptions, Event, Parts, Reader, convert};
use wanderwort::model::{Error, FloatTensor, MarianModel, NamedBytes, Shortlist, Tensor, Vocabularies, write_npz};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let folder = match arguments.as_slice() {
        [flag, folder] if flag == "--dequantize" => Some(PathBuf::from(folder)),
        _ => None,
    };
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/en-de.prototype");
    let read = |name: &str| NamedBytes {
        name: name.to_owned(),
        bytes: std::fs::read(models.join(name)).expect("the prototype is part of the repository"),
    };
    let (file, vocabulary) = (read("model.ende.intgemm.alphas.bin"), read("vocab.ende.spm"));
    let model = MarianModel::open(&file.name, &file.bytes).expect("a good model");
    let words = model.config().source_words;
    let lex = read("lex.50.50.ende.s2t.bin");
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
}

/// As float matrices; activation multipliers mean nothing there.
fn to_float(tensor: Tensor) -> Option<FloatTensor> {
    match tensor {
        Tensor::Float(tensor) if tensor.rows * tensor.columns == 1 => None,
        Tensor::Float(tensor) => Some(tensor),
        Tensor::Int8(tensor) => {
            let (inner, columns) = (tensor.inner, tensor.columns);
            let value = |k: usize, n: usize| tensor.scale(n) * f32::from(tensor.values[n * inner + k]);
            // Of this model only the embedding has more columns than any layer is wide.
            let embedding = columns > 8192;
            let (rows, columns) = if embedding { (columns, inner) } else { (inner, columns) };
            let at = |row: usize, column: usize| if embedding { value(column, row) } else { value(row, column) };
            let values = (0..rows * columns).map(|index| at(index / columns, index % columns)).collect();
            Some(FloatTensor { rows, columns, values })
        }
    }
}

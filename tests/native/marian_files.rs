//! The readers on real model files, and on what they write themselves.

use std::collections::BTreeMap;

use wanderwort::model::{
    Activation, BinReader, DecoderKind, Error, Fault, FloatTensor, ItemKind, MarianModel, Normalization, Tensor,
    quantize_intgemm8, write_bin, write_npz,
};

fn prototype() -> Vec<u8> {
    crate::prototype::file("model.ende.intgemm.alphas.bin")
}

fn read_all(model: &MarianModel) -> BTreeMap<String, Tensor> {
    let mut tensors = BTreeMap::new();
    model
        .tensors(|name, tensor| -> Result<(), Error> {
            tensors.insert(name.to_owned(), tensor);
            Ok(())
        })
        .unwrap();
    tensors
}

#[test]
fn the_prototype_loads_with_its_architecture() {
    let bytes = prototype();
    let model = MarianModel::open("model.bin", &bytes).unwrap();
    let config = model.config();
    assert_eq!((config.dim, config.heads), (256, 8));
    assert_eq!((config.encoder_depth, config.decoder_depth), (6, 2));
    assert_eq!(config.decoder_layers, [1, 2]);
    assert_eq!((config.source_words, config.target_words), (16000, 16000));
    assert_eq!((config.encoder_feed_forward.dim, config.encoder_feed_forward.depth), (1536, 2));
    assert_eq!(config.decoder_feed_forward, config.encoder_feed_forward);
    assert_eq!(config.encoder_feed_forward.activation, Activation::Relu);
    assert_eq!(config.normalization, Normalization::Post);
    assert_eq!(config.decoder, DecoderKind::Ssru);
    assert_eq!((config.source_embedding, config.target_embedding, config.output), ("Wemb", "Wemb", "Wemb"));
    assert!(config.output_is_embedding && config.output_bias && config.attention_projection);
    assert_eq!(config.alignment_layer, 1);
    assert_eq!(model.items().count(), 194);
    assert_eq!(model.items().filter(|item| item.kind == ItemKind::Intgemm8).count(), 54);
}

#[test]
fn quantized_tensors_come_column_by_column_with_their_scale() {
    let bytes = prototype();
    let tensors = read_all(&MarianModel::open("model.bin", &bytes).unwrap());
    let Tensor::Int8(embedding) = &tensors["Wemb"] else { panic!("float") };
    assert_eq!((embedding.inner, embedding.columns, embedding.values[0]), (256, 16000, -9));
    let Tensor::Int8(first) = &tensors["encoder_l1_ffn_W1"] else { panic!("float") };
    assert_eq!((first.inner, first.columns, first.values[0]), (256, 1536, 9));
    // The largest weight is always 127 steps.
    for tensor in tensors.values() {
        if let Tensor::Int8(tensor) = tensor {
            assert_eq!(tensor.values.iter().map(|value| value.unsigned_abs()).max(), Some(127));
            assert!(tensor.scales.len() == 1 && tensor.scales[0] > 0.0);
        }
    }
    // Both kinds of activation multipliers come as floats.
    for (name, expected) in [("Wemb_QuantMultA", 21.0..24.0), ("none_QuantMultA", 21.99..22.0)] {
        let Tensor::Float(multiplier) = &tensors[name] else { panic!("quantized") };
        assert_eq!((multiplier.rows, multiplier.columns), (1, 1));
        assert!(expected.contains(&multiplier.values[0]), "{name} {}", multiplier.values[0]);
    }
}

#[test]
fn a_binary_file_that_is_written_again_stays_the_same() {
    let bytes = prototype();
    let model = MarianModel::open("model.bin", &bytes).unwrap();
    let mut tensors = Vec::new();
    model
        .tensors(|name, tensor| -> Result<(), Error> {
            tensors.push((name.to_owned(), tensor));
            Ok(())
        })
        .unwrap();
    let written = write_bin(model.config_text(), &tensors).unwrap();
    let again = MarianModel::open("again.bin", &written).unwrap();
    assert_eq!(again.config(), model.config());
    assert_eq!(again.items().collect::<Vec<_>>(), model.items().collect::<Vec<_>>());
    assert_eq!(read_all(&again), read_all(&model));
}

#[test]
fn float_archives_round_trip_and_quantize_as_marian_does() {
    let bytes = prototype();
    let model = MarianModel::open("model.bin", &bytes).unwrap();
    let mut quantized = BTreeMap::new();
    let mut floats = Vec::new();
    for (name, tensor) in read_all(&model) {
        let float = match tensor {
            Tensor::Float(tensor) => tensor,
            Tensor::Int8(tensor) => {
                let embedding = name == "Wemb";
                let (rows, columns) =
                    if embedding { (tensor.columns, tensor.inner) } else { (tensor.inner, tensor.columns) };
                let value = |row: usize, column: usize| {
                    let (inner, column) = if embedding { (column, row) } else { (row, column) };
                    f32::from(tensor.values[column * tensor.inner + inner]) * tensor.scales[0]
                };
                let values = (0..rows * columns).map(|index| value(index / columns, index % columns)).collect();
                quantized.insert(name.clone(), tensor);
                FloatTensor { rows, columns, values }
            }
        };
        floats.push((name, float));
    }
    let archive = write_npz(model.config_text(), &floats).unwrap();
    let again = MarianModel::open("model.npz", &archive).unwrap();
    assert_eq!(again.config(), model.config());
    let again = read_all(&again);
    for (name, float) in floats {
        assert_eq!(again[&name], Tensor::Float(float.clone()), "{name}");
        if let Some(tensor) = quantized.get(&name) {
            assert_eq!(quantize_intgemm8(&float, name == "Wemb").values, tensor.values, "{name}");
        }
    }
}

#[test]
fn compressed_files_load_as_they_are_published() {
    let bytes = prototype();
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut encoder, &bytes).unwrap();
    let compressed = encoder.finish().unwrap();
    let model = MarianModel::open("model.bin.gz", &compressed).unwrap();
    assert_eq!(model.items().count(), 194);
    let cut = &compressed[..compressed.len() / 2];
    assert!(matches!(MarianModel::open("model.bin.gz", cut), Err(Error::Malformed { .. })));
}

/// A file read from its pieces gives what it gives as a whole, tensor by tensor.
#[test]
fn a_binary_file_is_read_while_it_arrives() {
    let bytes = prototype();
    let model = MarianModel::open("model.bin", &bytes).unwrap();
    let whole = read_all(&model);
    for piece in [1 << 10, 77_777, bytes.len()] {
        let mut reader = BinReader::new("model.bin");
        let mut found = BTreeMap::new();
        for piece in bytes.chunks(piece) {
            let add = |name: &str, tensor: Tensor| {
                assert!(found.insert(name.to_owned(), tensor).is_none());
                Ok::<_, Error>(())
            };
            reader.push(piece, add).unwrap();
        }
        assert_eq!(reader.finish().unwrap(), *model.config());
        assert!(found == whole, "pieces of {piece}");
    }
}

#[test]
fn a_binary_file_that_ends_early_is_refused_with_what_is_missing() {
    let bytes = prototype();
    for cut in [0, 7, 15, 16, 100, 5000, 100_000, bytes.len() / 2, bytes.len() - 1] {
        let mut reader = BinReader::new("model.bin");
        for piece in bytes[..cut].chunks(10_000) {
            reader.push(piece, |_, _| Ok::<_, Error>(())).unwrap();
        }
        let error = reader.finish().unwrap_err();
        assert!(matches!(error, Error::Malformed { fault: Fault::Truncated { .. }, .. }), "{cut}: {error}");
    }
    let mut other = BinReader::new("model.bin");
    let error = other.push(b"PK\x03\x04 and much more", |_, _| Ok::<_, Error>(())).unwrap_err();
    assert!(matches!(error, Error::Malformed { fault: Fault::Kind { .. }, .. }), "{error}");
}

/// A directory that promises more than there can be is refused when it is read, whatever its numbers add up to.
#[test]
fn a_directory_of_absurd_sizes_is_refused() {
    for (rows, columns, items) in [(1 << 30, 1 << 30, 1u64), (1 << 30, 1 << 30, 8), (1 << 30, 4, 1)] {
        let values = rows as u64 * columns as u64 * 4;
        let mut file = [1, items].map(u64::to_le_bytes).concat();
        (0..items).for_each(|_| file.extend([2, 0x404, 2, values].map(u64::to_le_bytes).concat()));
        (0..items).for_each(|item| file.extend([b'a' + item as u8, 0]));
        (0..items).for_each(|_| file.extend([rows, columns].map(i32::to_le_bytes).concat()));
        file.extend(0u64.to_le_bytes());
        let mut reader = BinReader::new("model.bin");
        let error = file.chunks(7).try_for_each(|piece| reader.push(piece, |_, _| Ok::<_, Error>(()))).unwrap_err();
        let is_told = matches!(error, Error::Malformed { fault: Fault::Count { .. } | Fault::Truncated { .. }, .. });
        assert!(is_told, "{error}");
    }
}

//! From a package back to the files that it was made from: the inverse of [`convert`](super::convert), as far as nothing was lost.

use super::super::directory::NamedBytes;
use super::super::error::{Error, Fault, malformed};
use super::super::marian::write_npz;
use super::super::names::TensorName;
use super::super::tensor::{FloatTensor, Int8Tensor, Tensor};
use super::header::{Header, Side};
use super::stream::{Event, Reader};
use crate::text::vocab::Vocabulary;

/// The files of a Marian model that computes what the package called `name` does: `model.npz` with float32 weights, each the value
/// that its stored code stands for; the vocabularies; the shortlist, in Marian's binary form or, with phrases, as text;
/// `decoder.yml`; and `README.md`, the card.
///
/// # Errors
/// Damaged and incomplete packages.
pub fn unpack(name: &str, package: &[u8]) -> Result<Vec<NamedBytes>, Error> {
    let mut reader = Reader::new(name);
    let (mut tensors, mut vocabularies, mut shortlist) = (Vec::new(), Vec::new(), None);
    reader.push(package, |event| {
        match event {
            Event::Header(..) => {}
            Event::Vocabulary { side, name, bytes } => vocabularies.push((side, name.to_owned(), bytes)),
            Event::Shortlist(found) => shortlist = Some(found),
            Event::Tensor { name, tensor } => tensors.push((name.to_owned(), floats(name, tensor))),
        }
        Ok::<(), Error>(())
    })?;
    reader.finish()?;
    let header = reader.header().expect("a complete package has a header");
    let vocabulary = |wanted: Side| {
        let found = vocabularies.iter().find(|(side, ..)| [wanted, Side::Joint].contains(side));
        found.ok_or_else(|| malformed(name, "vocabulary", 0, Fault::Kind { expected: "a package with vocabularies" }))
    };
    let (source, target) = (vocabulary(Side::Source)?, vocabulary(Side::Target)?);

    // Our own names: those in the package must not decide where something is written.
    let pair: String = [&header.card.source_language, &header.card.target_language]
        .iter()
        .flat_map(|tag| tag.chars().filter(char::is_ascii_alphanumeric))
        .collect();
    let named = |(side, ..): &(Side, String, Vec<u8>)| match side {
        Side::Source => format!("srcvocab.{pair}.spm"),
        Side::Target => format!("trgvocab.{pair}.spm"),
        Side::Joint => format!("vocab.{pair}.spm"),
    };
    let mut files = vec![file("model.npz", write_npz(&header.config, &tensors)?)];
    files.extend(vocabularies.iter().map(|vocabulary| file(&named(vocabulary), vocabulary.2.clone())));
    let mut setting = String::new();
    if let Some(shortlist) = shortlist {
        let list = if shortlist.phrases() == 0 {
            let name = format!("lex.{pair}.s2t.bin");
            setting = format!("shortlist: [{name}, false]\n");
            file(&name, shortlist.to_binary())
        } else {
            let read = |(_, name, bytes): &(Side, String, Vec<u8>)| {
                let parsed = Vocabulary::from_bytes(name, bytes);
                parsed.map_err(|error| malformed(name, "vocabulary", 0, Fault::Parse(error.to_string())))
            };
            let (source, target) = (read(source)?, read(target)?);
            let source = |word| source.piece(word).unwrap_or_default();
            let target = |word| target.piece(word).unwrap_or_default();
            let name = format!("lex.phrases.{pair}.s2t");
            setting = format!("shortlist: [{name}, {}, 100]\n", shortlist.first());
            file(&name, shortlist.to_phrases(source, target).into_bytes())
        };
        files.push(list);
    }
    let decoder = decoder(header, &named(source), &named(target), &setting);
    files.push(file("decoder.yml", decoder.into_bytes()));
    files.push(file("README.md", header.card.description.clone().into_bytes()));
    Ok(files)
}

fn file(name: &str, bytes: Vec<u8>) -> NamedBytes {
    NamedBytes { name: name.to_owned(), bytes }
}

/// The settings that Marian's programs can read; they refuse a file with others, so a beam's threshold is not in it.
fn decoder(header: &Header, source: &str, target: &str, shortlist: &str) -> String {
    let decoding = &header.decoding;
    let (beam, normalize) = (decoding.beam_size.unwrap_or(1), decoding.normalize.unwrap_or(1.0));
    let penalty = decoding.word_penalty.filter(|&penalty| penalty != 0.0).map_or("0".to_owned(), |p| format!("{p:?}"));
    let factor =
        decoding.max_length_factor.map(|factor| format!("max-length-factor: {factor:?}\n")).unwrap_or_default();
    let pieces = decoding.max_length_break.map(|pieces| format!("max-length-break: {pieces}\n")).unwrap_or_default();
    format!(
        "relative-paths: true\nmodels: [model.npz]\nvocabs: [{source}, {target}]\n{shortlist}beam-size: {beam}\n\
         normalize: {normalize:?}\nword-penalty: {penalty}\n{pieces}{factor}"
    )
}

/// The values that codes stand for, row-major as Marian has them.
fn floats(name: &str, tensor: Tensor) -> FloatTensor {
    let quantized = match tensor {
        Tensor::Float(tensor) => return tensor,
        Tensor::Int8(tensor) => tensor,
    };
    let Int8Tensor { inner, columns, .. } = quantized;
    let value = |row: usize, column: usize| f32::from(quantized.values[column * inner + row]) * quantized.scale(column);
    if TensorName::parse(name).role.has_row_for_each_word() {
        let values = (0..columns).flat_map(|column| (0..inner).map(move |row| (row, column)));
        FloatTensor { rows: columns, columns: inner, values: values.map(|(row, column)| value(row, column)).collect() }
    } else {
        let values = (0..inner).flat_map(|row| (0..columns).map(move |column| (row, column)));
        FloatTensor { rows: inner, columns, values: values.map(|(row, column)| value(row, column)).collect() }
    }
}

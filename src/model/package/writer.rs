//! Writing a package from a Marian model.

use std::collections::BTreeMap;

use super::super::compression::decompressed;
use super::super::decoding::Decoding;
use super::super::directory::{NamedBytes, stem};
use super::super::error::Error;
use super::super::marian::{Item, MarianModel};
use super::super::names::{Place, Role, TensorName};
use super::super::shortlist::Shortlist;
use super::super::tensor::{FloatTensor, Int8Tensor, Tensor};
use super::header::{Card, Content, Encoding, Entry, Header, Section, Side, Unknown, compress};
use super::rounding::{Feedback, SecondMoments};
use super::stream::Reader;
use super::{coder, log4, uniform};

/// How matrices are stored.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bits {
    /// Log-4-bit codes.
    Log4(log4::Options),
    /// Integers with larger steps than int8, stored in the same way.
    Uniform(uniform::Options),
    /// int8: as the model has it, or with steps of each column's own ([`Int8Tensor::quantize`]).
    Int8,
    /// int8 with the steps of each column's own that minimize its squared error ([`Int8Tensor::quantize_least_squares`]).
    Int8LeastSquares,
    /// Floats, if the model has them; what is already quantized stays int8.
    Float32,
    /// The same, rounded to half precision (IEEE 754 binary16, ties to even), in half the size. A tensor with a value beyond its range
    /// (65,504) stays in single precision.
    Float16,
}

impl Default for Bits {
    fn default() -> Self {
        Bits::Log4(log4::Options::default())
    }
}

/// How to convert a model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ConvertOptions {
    /// How matrices are stored; biases and norms are stored as they are, or in half precision
    /// beside log-4-bit, uniform and half-precision matrices.
    pub bits: Bits,
    /// Matrices that are stored differently: a part of their names, and how. The first that fits counts.
    pub exceptions: Vec<(String, Bits)>,
    /// What the package says about itself.
    pub card: Card,
    /// The second moments of what enters the product with a matrix, by the matrix's name. Log-4-bit and uniform matrices that have moments
    /// are rounded so that their products change least ([`Feedback`]); in the others, each weight is rounded to its nearest level, as a
    /// student that was tuned for these levels expects.
    pub moments: BTreeMap<String, SecondMoments>,
    /// How to search, and how long input and output may be, as the model's settings say.
    pub decoding: Decoding,
}

impl ConvertOptions {
    fn bits_of(&self, name: &str) -> Bits {
        let exception = self.exceptions.iter().find(|(part, _)| name.contains(part.as_str()));
        exception.map_or(self.bits, |(_, bits)| *bits)
    }
}

/// The parts of a model that become a package.
pub struct Parts<'a> {
    /// Weights and architecture.
    pub model: &'a MarianModel<'a>,
    /// Vocabulary of the source language, or of both.
    pub source_vocabulary: &'a NamedBytes,
    /// Vocabulary of the target language, if it has its own.
    pub target_vocabulary: Option<&'a NamedBytes>,
    /// The shortlist.
    pub shortlist: Option<&'a Shortlist>,
}

/// What became of one tensor.
#[derive(Clone, Copy, Debug)]
pub struct Progress<'a> {
    /// The entry that was written.
    pub entry: &'a Entry,
    /// Tensors done so far.
    pub done: usize,
    /// All tensors that are stored this way.
    pub total: usize,
}

/// Converts a Marian model to a package. `progress` is called after each tensor.
///
/// # Errors
/// Damaged model files, and options that no package can have.
pub fn convert(
    parts: &Parts<'_>,
    options: &ConvertOptions,
    mut progress: impl FnMut(Progress<'_>),
) -> Result<Vec<u8>, Error> {
    let mut sections = Sections::default();
    let side = if parts.target_vocabulary.is_some() { Side::Source } else { Side::Joint };
    for (side, vocabulary) in [(side, Some(parts.source_vocabulary)), (Side::Target, parts.target_vocabulary)] {
        if let Some(vocabulary) = vocabulary {
            let name = stem(&vocabulary.name).to_owned();
            let bytes = compress(&decompressed(&vocabulary.name, &vocabulary.bytes)?);
            sections.push(Content::Vocabulary { side, name }, bytes);
        }
    }
    if let Some(shortlist) = parts.shortlist {
        let vocabularies = shortlist.vocabularies();
        let content = Content::Shortlist {
            first: shortlist.first(),
            source: vocabularies.source,
            target: vocabularies.target,
            joint: vocabularies.joint,
        };
        sections.push(content, compress(&shortlist.to_compact()));
    }

    let mut multipliers = BTreeMap::new();
    let mut encoded = Vec::new();
    let is_multiplier = |name: &str| TensorName::parse(name).role == Role::Multiplier;
    // Those that become an entry of their own and so are reported: the empty ones are left out.
    let counts = |item: &&Item| item.shape.iter().all(|&extent| extent > 0) && !is_multiplier(&item.name);
    let total = parts.model.items().filter(counts).count();
    let mut done = 0;
    parts.model.tensors(|name, tensor| {
        match tensor {
            Tensor::Float(tensor) if is_multiplier(name) => {
                multipliers.insert(name.to_owned(), tensor.values[0]);
            }
            tensor => {
                done += 1;
                let (entry, bytes) = encode(name, tensor, options.bits_of(name), options.moments.get(name));
                progress(Progress { entry: &entry, done, total });
                encoded.push((entry, bytes));
            }
        }
        Ok::<_, Error>(())
    })?;
    // Every matrix needs its activations' scale, so these come first.
    sections.push_tensors(encode_multipliers(&multipliers));

    encoded.sort_by_key(|(entry, _)| order(&entry.name));
    let mut encoded = encoded.into_iter().peekable();
    while let Some(first) = encoded.next() {
        // A matrix is a section of its own; vectors of a layer share one.
        let mut section = vec![first];
        let vectors = |entry: &Entry| matches!(entry.encoding, Encoding::Float32 | Encoding::Float16);
        while vectors(&section[0].0)
            && let Some(next) =
                encoded.next_if(|(next, _)| vectors(next) && place(&next.name) == place(&section[0].0.name))
        {
            section.push(next);
        }
        sections.push_tensors(section);
    }

    let header = Header {
        card: options.card.clone(),
        config: parts.model.config_text().to_owned(),
        decoding: options.decoding,
        signs: None,
        sections: sections.directory,
        unknown: Unknown::default(),
    };
    let mut bytes = header.write("package to be written")?;
    bytes.extend(sections.bytes);
    Ok(bytes)
}

/// What can be changed in a package without its sections.
#[derive(Debug)]
pub struct Label<'a> {
    /// What the package says about itself.
    pub card: &'a mut Card,
    /// How the model is meant to be decoded.
    pub decoding: &'a mut Decoding,
    /// The signs that it was measured to carry over ([`Header::signs`]).
    pub signs: &'a mut Option<String>,
}

/// The package with its label as `change` leaves it; its sections stay the same to the byte. `file` is named in errors.
///
/// # Errors
/// Damage anywhere in the package, and a label that no package can have.
pub fn relabel(file: &str, package: &[u8], change: impl FnOnce(Label<'_>)) -> Result<Vec<u8>, Error> {
    let (mut header, sections) = checked(file, package)?;
    let Header { card, decoding, signs, .. } = &mut header;
    change(Label { card, decoding, signs });
    let mut bytes = header.write(file)?;
    bytes.extend_from_slice(sections);
    Ok(bytes)
}

/// The package with these activation multipliers, by their names (`encoder_l1_self_Wq_QuantMultA`, …), instead of any that it has;
/// everything else stays as it is. `file` is named in errors.
///
/// # Errors
/// Damage anywhere in the package.
pub fn replace_multipliers(file: &str, package: &[u8], multipliers: &BTreeMap<String, f32>) -> Result<Vec<u8>, Error> {
    let (header, mut rest) = checked(file, package)?;
    let mut sections = Sections::default();
    let mut new = Some(encode_multipliers(multipliers));
    for section in header.sections {
        let (bytes, behind) = rest.split_at(section.length as usize);
        rest = behind;
        let Content::Tensors(entries) = section.content else {
            sections.push(section.content, bytes.to_vec());
            continue;
        };
        sections.push_tensors(new.take().into_iter().flatten());
        let mut start = 0;
        let tensors = entries.into_iter().map(|entry| {
            let from = start;
            start += entry.length as usize;
            (bytes[from..start].to_vec(), entry)
        });
        let kept = tensors.filter(|(_, entry)| TensorName::parse(&entry.name).role != Role::Multiplier);
        sections.push_tensors(kept.map(|(bytes, entry)| (entry, bytes)).collect::<Vec<_>>());
    }
    let mut bytes = Header { sections: sections.directory, ..header }.write(file)?;
    bytes.extend(sections.bytes);
    Ok(bytes)
}

/// The header of a package that is whole and undamaged, and the bytes of its sections.
fn checked<'a>(file: &str, package: &'a [u8]) -> Result<(Header, &'a [u8]), Error> {
    let mut reader = Reader::new(file);
    reader.push(package, |_| Ok::<_, Error>(()))?;
    reader.finish()?;
    let header = reader.header().cloned().expect("a complete package has a header");
    let length: u64 = header.sections.iter().map(|section| section.length).sum();
    Ok((header, &package[package.len() - length as usize..]))
}

fn encode_multipliers(multipliers: &BTreeMap<String, f32>) -> Vec<(Entry, Vec<u8>)> {
    let encode = |(name, value): (&String, &f32)| {
        let name = name.clone();
        let entry = Entry { name, encoding: Encoding::Float32, rows: 1, columns: 1, scales: 0, length: 4, error: None };
        (entry, value.to_le_bytes().to_vec())
    };
    multipliers.iter().map(encode).collect()
}

/// Sections and their directory.
#[derive(Default)]
struct Sections {
    directory: Vec<Section>,
    bytes: Vec<u8>,
}

impl Sections {
    fn push(&mut self, content: Content, bytes: Vec<u8>) {
        self.directory.push(Section { length: bytes.len() as u64, checksum: crc32fast::hash(&bytes), content });
        self.bytes.extend(bytes);
    }

    fn push_tensors(&mut self, tensors: impl IntoIterator<Item = (Entry, Vec<u8>)>) {
        let (entries, bytes): (Vec<Entry>, Vec<Vec<u8>>) = tensors.into_iter().unzip();
        if !entries.is_empty() {
            self.push(Content::Tensors(entries), bytes.concat());
        }
    }
}

fn place(name: &str) -> Place {
    TensorName::parse(name).place
}

/// Sorts by place, the vectors of each before its matrices.
fn order(name: &str) -> (Place, bool, String) {
    let told = TensorName::parse(name);
    (told.place, matches!(told.role, Role::Embedding | Role::OutputByWord | Role::Matrix), name.to_owned())
}

fn encode(name: &str, tensor: Tensor, bits: Bits, moments: Option<&SecondMoments>) -> (Entry, Vec<u8>) {
    let role = TensorName::parse(name).role;
    match (tensor, bits) {
        (Tensor::Float(tensor), _) if matches!(role, Role::Vector | Role::Multiplier) => {
            encode_floats(name, &tensor, bits)
        }
        (Tensor::Float(tensor), Bits::Float32 | Bits::Float16) => encode_floats(name, &tensor, bits),
        (Tensor::Float(tensor), bits) => {
            let by_word = role.has_row_for_each_word();
            let (inner, columns) = if by_word { (tensor.columns, tensor.rows) } else { (tensor.rows, tensor.columns) };
            quantize(name, &by_column(tensor, by_word), inner, columns, bits, moments)
        }
        (Tensor::Int8(tensor), Bits::Log4(_) | Bits::Uniform(_)) => {
            let inner = tensor.inner;
            let values = tensor.values.iter().enumerate();
            let values: Vec<f32> =
                values.map(|(index, &value)| f32::from(value) * tensor.scale(index / inner)).collect();
            quantize(name, &values, inner, tensor.columns, bits, moments)
        }
        (Tensor::Int8(tensor), _) => encode_int8(name, tensor, None),
    }
}

/// The values column by column of the product; rows that are words are its columns already.
fn by_column(tensor: FloatTensor, by_word: bool) -> Vec<f32> {
    if by_word {
        return tensor.values;
    }
    let (rows, columns) = (tensor.rows, tensor.columns);
    (0..rows * columns).map(|index| tensor.values[index % rows * columns + index / rows]).collect()
}

fn encode_floats(name: &str, tensor: &FloatTensor, bits: Bits) -> (Entry, Vec<u8>) {
    let halves = |value: &f32| half::f16::from_f32(*value);
    let fits = tensor.values.iter().all(|value| halves(value).is_finite());
    // Those who ask for exact weights get exact vectors.
    let small = matches!(bits, Bits::Log4(_) | Bits::Uniform(_) | Bits::Float16);
    let (encoding, bytes): (_, Vec<u8>) = if small && fits {
        (Encoding::Float16, tensor.values.iter().flat_map(|value| halves(value).to_le_bytes()).collect())
    } else {
        (Encoding::Float32, tensor.values.iter().flat_map(|value| value.to_le_bytes()).collect())
    };
    let (rows, columns) = (tensor.rows, tensor.columns);
    let length = bytes.len() as u64;
    (Entry { name: name.to_owned(), encoding, rows, columns, scales: 0, length, error: None }, bytes)
}

/// Quantizes values given column by column.
fn quantize(
    name: &str,
    values: &[f32],
    inner: usize,
    columns: usize,
    bits: Bits,
    moments: Option<&SecondMoments>,
) -> (Entry, Vec<u8>) {
    // A tensor that takes part in no product, or in one of another width, is not what these moments are for.
    let is_int8 = matches!(bits, Bits::Int8 | Bits::Int8LeastSquares);
    let moments = moments.filter(|moments| moments.width() == inner && !is_int8);
    let feedback = moments.and_then(|moments| Feedback::new(moments, TensorName::parse(name).role == Role::Embedding));
    let integers = |quantized: Int8Tensor| {
        let error = log4::relative_error(values, &quantized) as f32;
        encode_int8(name, quantized, Some(error))
    };
    let options = match bits {
        Bits::Log4(options) => options,
        Bits::Uniform(options) => {
            return integers(uniform::quantize(values, inner, columns, &options, feedback.as_ref()));
        }
        Bits::Int8 => return integers(Int8Tensor::quantize(inner, columns, values)),
        Bits::Int8LeastSquares => return integers(Int8Tensor::quantize_least_squares(inner, columns, values)),
        Bits::Float32 | Bits::Float16 => unreachable!("written as they are"),
    };
    let quantized = log4::quantize(values, inner, columns, &options, feedback.as_ref());
    let error = log4::relative_error(values, &quantized.dequantize()) as f32;
    let alphabet = quantized.codebook.levels().len();
    let encoding = Encoding::Log4(quantized.codebook);
    encode_codes(name, encoding, (inner, columns), &quantized.scales, &quantized.codes, alphabet, Some(error))
}

fn encode_int8(name: &str, tensor: Int8Tensor, error: Option<f32>) -> (Entry, Vec<u8>) {
    let codes: Vec<u8> = tensor.values.iter().map(|&value| (i16::from(value) + 127) as u8).collect();
    encode_codes(name, Encoding::Int8, (tensor.inner, tensor.columns), &tensor.scales, &codes, 255, error)
}

fn encode_codes(
    name: &str,
    encoding: Encoding,
    (rows, columns): (usize, usize),
    scales: &[f32],
    codes: &[u8],
    alphabet: usize,
    error: Option<f32>,
) -> (Entry, Vec<u8>) {
    let mut bytes: Vec<u8> = scales.iter().flat_map(|scale| scale.to_le_bytes()).collect();
    bytes.extend(coder::encode(codes, alphabet));
    let (scales, length) = (scales.len(), bytes.len() as u64);
    (Entry { name: name.to_owned(), encoding, rows, columns, scales, length, error }, bytes)
}

//! Marian's binary container.
//!
//! ```text
//! u64 version = 1, u64 item count
//! item count × { u64 name length, u64 type, u64 shape length, u64 data length }
//! item count × name with its NUL
//! item count × i32 shape
//! u64 gap, then gap bytes, so that the data start at a multiple of 256
//! item count × data
//! ```
//!
//! All numbers are little-endian. A quantized matrix of shape [K, N] holds N·K int8 values column by column (an embedding [V, d]
//! word by word), followed by its float32 multiplier 127 / max|W|. The output matrix with a row for each word, [V, d], is no
//! exception: it too is stored column by column, although its words are the columns of the product.

use super::super::error::{Error, Fault, malformed};
use super::super::names::nematus::is_left_over;
use super::super::names::{Role, TensorName};
use super::super::tensor::{FloatTensor, Int8Tensor, Tensor};
use super::{Bytes, CONFIG_ITEM, Item, ItemKind, check_floats, rows_and_columns, unify_names};

pub(super) const VERSION: u64 = 1;
const ALIGNMENT: usize = 256;
const FLOAT32: u64 = 0x404;
const FLOAT16: u64 = 0x402;
const INT8: u64 = 0x101;
const INTGEMM8: u64 = 0x4101;
/// Bytes of an item's entry in the header.
const ENTRY: usize = 32;
/// No Marian tensor has more dimensions.
const LARGEST_RANK: u64 = 8;
const LARGEST_NAME: u64 = 1 << 12;
/// No Marian model has more tensors; if a file's length is known, that tells how many there can be.
const MOST_ITEMS: u64 = 1 << 16;

pub(super) struct Bin<'a> {
    file: String,
    bytes: Bytes<'a>,
    items: Vec<Item>,
}

/// Reads little-endian numbers and remembers where it is.
struct Cursor<'a> {
    file: &'a str,
    item: &'a str,
    bytes: &'a [u8],
    offset: usize,
}

impl<'a> Cursor<'a> {
    fn take(&mut self, length: u64) -> Result<&'a [u8], Error> {
        let rest = &self.bytes[self.offset..];
        match usize::try_from(length).ok().and_then(|length| rest.get(..length)) {
            Some(taken) => {
                self.offset += taken.len();
                Ok(taken)
            }
            None => Err(self.fault(Fault::Truncated { needed: length, available: rest.len() as u64 })),
        }
    }

    /// Fails now unless `length` bytes are there, so that whoever waits for them learns at once how many are needed.
    fn require(&self, length: u64) -> Result<(), Error> {
        let available = (self.bytes.len() - self.offset) as u64;
        if length <= available { Ok(()) } else { Err(self.fault(Fault::Truncated { needed: length, available })) }
    }

    fn u64(&mut self) -> Result<u64, Error> {
        let mut number = [0; 8];
        number.copy_from_slice(self.take(8)?);
        Ok(u64::from_le_bytes(number))
    }

    fn fault(&self, fault: Fault) -> Error {
        malformed(self.file, self.item, self.offset as u64, fault)
    }
}

impl<'a> Bin<'a> {
    pub(super) fn open(file: &str, bytes: Bytes<'a>) -> Result<Self, Error> {
        let items = read_directory(file, &bytes, Some(bytes.len() as u64))?;
        Ok(Bin { file: file.to_owned(), bytes, items })
    }

    pub(super) fn items(&self) -> &[Item] {
        &self.items
    }

    pub(super) fn config(&self) -> Result<Bytes<'_>, Error> {
        match self.items.iter().find(|item| item.name == CONFIG_ITEM) {
            Some(item) => Ok(Bytes::Borrowed(self.data(item))),
            None => Err(malformed(&self.file, "header", 0, Fault::Absent(CONFIG_ITEM.to_owned()))),
        }
    }

    fn data(&self, item: &Item) -> &[u8] {
        &self.bytes[item.offset as usize..(item.offset + item.length) as usize]
    }

    /// The tensor of a directory item.
    pub(super) fn tensor(&self, index: usize) -> Result<Tensor, Error> {
        let item = &self.items[index];
        read_tensor(&self.file, item, self.data(item))
    }
}

/// The tensor of a directory item, from the item's bytes.
pub(super) fn read_tensor(file: &str, item: &Item, data: &[u8]) -> Result<Tensor, Error> {
    let fault = |offset: u64, fault| malformed(file, &*item.name, offset, fault);
    let (rows, columns) = rows_and_columns(&item.name, &item.shape).expect("checked when the directory was read");
    let count = rows * columns;
    match item.kind {
        ItemKind::Float32 => {
            let (values, _) = data[..4 * count].as_chunks::<4>();
            let values: Vec<f32> = values.iter().map(|&value| f32::from_le_bytes(value)).collect();
            check_floats(file, &item.name, item.offset, 4, &values)?;
            Ok(Tensor::Float(FloatTensor { rows, columns, values }))
        }
        ItemKind::Float16 => {
            let (values, _) = data[..2 * count].as_chunks::<2>();
            let values: Vec<f32> = values.iter().map(|&value| half::f16::from_le_bytes(value).to_f32()).collect();
            check_floats(file, &item.name, item.offset, 2, &values)?;
            Ok(Tensor::Float(FloatTensor { rows, columns, values }))
        }
        ItemKind::Int8 => {
            let expected = "float32, float16 or intgemm8";
            Err(fault(item.offset, Fault::Type { found: "int8".to_owned(), expected }))
        }
        ItemKind::Intgemm8 => {
            let mut multiplier = [0; 4];
            multiplier.copy_from_slice(&data[count..count + 4]);
            let multiplier = f32::from_le_bytes(multiplier);
            let scale = 1.0 / multiplier;
            if !(multiplier > 0.0 && multiplier.is_finite() && scale.is_finite() && scale > 0.0) {
                return Err(fault(item.offset + count as u64, Fault::Scale(multiplier)));
            }
            if let Some(position) = data[..count].iter().position(|&value| value as i8 == -128) {
                return Err(fault(item.offset + position as u64, Fault::WeightRange));
            }
            let role = TensorName::parse(&item.name).role;
            // Marian's converter also quantizes the activation multiplier of an embedding, as 127 steps.
            if role == Role::Multiplier {
                let values: Vec<f32> = data[..count].iter().map(|&value| value as i8 as f32 / multiplier).collect();
                check_floats(file, &item.name, item.offset, 1, &values)?;
                return Ok(Tensor::Float(FloatTensor { rows, columns, values }));
            }
            let values: Vec<i8> = data[..count].iter().map(|&value| value as i8).collect();
            let values = if role == Role::OutputByWord { transposed(&values, rows) } else { values };
            let (inner, columns) = if role.has_row_for_each_word() { (columns, rows) } else { (rows, columns) };
            Ok(Tensor::Int8(Int8Tensor { inner, columns, values, scales: vec![scale] }))
        }
    }
}

/// Reads the directory from the beginning of a file, which has `length` bytes if that is known.
pub(super) fn read_directory(file: &str, bytes: &[u8], length: Option<u64>) -> Result<Vec<Item>, Error> {
    let mut cursor = Cursor { file, item: "header", bytes, offset: 0 };
    if bytes.len() < 16 {
        return Err(cursor.fault(Fault::Truncated { needed: 16, available: bytes.len() as u64 }));
    }
    let version = cursor.u64()?;
    if version != VERSION {
        cursor.offset = 0;
        // A small number is another version, anything else another kind of file.
        return Err(cursor.fault(if version < 100 {
            Fault::Version { found: version, known: "version 1" }
        } else {
            Fault::Kind { expected: "a Marian model (.npz or .bin)" }
        }));
    }
    let count = cursor.u64()?;
    let limit = length.map_or(MOST_ITEMS, |length| (length - cursor.offset as u64) / ENTRY as u64);
    if count > limit {
        cursor.offset -= 8;
        return Err(cursor.fault(Fault::Count { what: "number of items", found: count, limit }));
    }

    cursor.require(count * ENTRY as u64)?;
    let mut entries = Vec::with_capacity(count as usize);
    for _ in 0..count {
        let start = cursor.offset as u64;
        let entry = [cursor.u64()?, cursor.u64()?, cursor.u64()?, cursor.u64()?];
        for (what, found, limit) in
            [("length of a name", entry[0], LARGEST_NAME), ("number of dimensions", entry[2], LARGEST_RANK)]
        {
            if found > limit {
                return Err(malformed(file, "header", start, Fault::Count { what, found, limit }));
            }
        }
        entries.push(entry);
    }

    cursor.require(entries.iter().map(|&[name_length, ..]| name_length).sum())?;
    let mut items = Vec::with_capacity(entries.len());
    let mut names = std::collections::HashSet::with_capacity(entries.len());
    for &[name_length, kind, _, length] in &entries {
        let start = cursor.offset as u64;
        let name = cursor.take(name_length)?;
        let Ok(name) = std::str::from_utf8(name.strip_suffix(&[0]).unwrap_or(name)) else {
            return Err(malformed(file, "header", start, Fault::Utf8));
        };
        if name.is_empty() || name.contains('\0') {
            return Err(malformed(file, "header", start, Fault::Kind { expected: "a tensor's name" }));
        }
        if !names.insert(name) {
            return Err(malformed(file, "header", start, Fault::Overlap(name.to_owned())));
        }
        let kind = match kind {
            FLOAT32 => ItemKind::Float32,
            FLOAT16 => ItemKind::Float16,
            INT8 => ItemKind::Int8,
            INTGEMM8 => ItemKind::Intgemm8,
            // It is not read.
            _ if is_left_over(name) => ItemKind::Int8,
            other => {
                let expected = "float32 (0x404), float16 (0x402), int8 (0x101) or intgemm8 (0x4101); \
                                processor-specific weights must be converted from the original model";
                return Err(malformed(file, name, start, Fault::Type { found: format!("{other:#x}"), expected }));
            }
        };
        items.push(Item { name: name.to_owned(), kind, shape: Vec::new(), offset: 0, length });
    }
    cursor.require(entries.iter().map(|&[_, _, rank, _]| 4 * rank).sum())?;
    for (item, &[_, _, rank, _]) in items.iter_mut().zip(&entries) {
        let start = cursor.offset as u64;
        let mut shape = Vec::with_capacity(rank as usize);
        for _ in 0..rank {
            let mut extent = [0; 4];
            extent.copy_from_slice(cursor.take(4)?);
            shape.push(i32::from_le_bytes(extent));
        }
        let extents: Option<Vec<usize>> = shape.iter().map(|&extent| usize::try_from(extent).ok()).collect();
        if is_left_over(&item.name) {
            continue;
        }
        let size = extents.as_deref().and_then(|extents| rows_and_columns(&item.name, extents));
        item.shape = extents.unwrap_or_default();
        let values = size.and_then(|(rows, columns)| match item.kind {
            ItemKind::Float32 => (rows * columns).checked_mul(4),
            ItemKind::Float16 => (rows * columns).checked_mul(2),
            ItemKind::Int8 => Some(rows * columns),
            ItemKind::Intgemm8 => (rows * columns).checked_add(4),
        });
        // Data are padded, but never by more than two blocks; more would mean that the shape is not theirs.
        let fits = |values: usize| {
            let padded = values.saturating_add(2 * ALIGNMENT) as u64;
            (values as u64..padded).contains(&item.length)
        };
        if !values.is_some_and(fits) {
            let fault = Fault::Shape {
                expected: format!("a matrix that fits {} bytes", item.length),
                found: shape.iter().map(|&extent| extent as u64).collect(),
            };
            return Err(malformed(file, &*item.name, start, fault));
        }
    }
    let gap = cursor.u64()?;
    cursor.take(gap)?;
    let mut offset = cursor.offset as u64;
    for item in &mut items {
        item.offset = offset;
        let available = length.unwrap_or(u64::MAX).saturating_sub(offset);
        if item.length > available {
            return Err(malformed(file, &*item.name, offset, Fault::Truncated { needed: item.length, available }));
        }
        offset += item.length;
    }
    items.retain(|item| !is_left_over(&item.name));
    unify_names(file, &mut items)?;
    Ok(items)
}

/// Writes a binary model file: quantized tensors as `intgemm8`, others as float32.
///
/// The activation multiplier of an embedding (`Wemb_QuantMultA`) is quantized with its matrix, as Marian's converter does and other
/// engines expect.
///
/// # Errors
/// A quantized tensor with a scale for each column, which Marian does not know.
pub fn write_bin(config_text: &str, tensors: &[(String, Tensor)]) -> Result<Vec<u8>, Error> {
    struct Entry<'a> {
        name: &'a str,
        kind: u64,
        shape: Vec<i32>,
        data: Vec<u8>,
    }
    let of_quantized_embedding = |name: &TensorName| {
        let product = name.product().filter(|product| TensorName::parse(product).role == Role::Embedding);
        product.is_some_and(|product| {
            tensors.iter().any(|(name, tensor)| name == product && matches!(tensor, Tensor::Int8(_)))
        })
    };
    let mut entries = Vec::with_capacity(tensors.len() + 1);
    for (name, tensor) in tensors {
        let told = TensorName::parse(name);
        entries.push(match tensor {
            Tensor::Float(tensor) if of_quantized_embedding(&told) => {
                let mut data = vec![127];
                data.extend(inverse(tensor.values[0], 127.0).to_le_bytes());
                data.resize(ALIGNMENT, 0);
                Entry { name, kind: INTGEMM8, shape: vec![1, 1], data }
            }
            Tensor::Float(tensor) => {
                let data = tensor.values.iter().flat_map(|value| value.to_le_bytes()).collect();
                Entry { name, kind: FLOAT32, shape: vec![tensor.rows as i32, tensor.columns as i32], data }
            }
            Tensor::Int8(tensor) => {
                let &[scale] = tensor.scales.as_slice() else {
                    let expected = "a single scale for the matrix";
                    let fault = Fault::Type { found: format!("{} scales", tensor.scales.len()), expected };
                    return Err(malformed("file to be written", &**name, 0, fault));
                };
                let (inner, columns) = (tensor.inner as i32, tensor.columns as i32);
                let mut data: Vec<u8> = if told.role == Role::OutputByWord {
                    transposed(&tensor.values, tensor.inner).iter().map(|&value| value as u8).collect()
                } else {
                    tensor.values.iter().map(|&value| value as u8).collect()
                };
                data.extend(inverse(scale, 1.0).to_le_bytes());
                // One block for the multiplier, whatever the alignment.
                data.resize(tensor.values.len() + ALIGNMENT, 0);
                let by_word = told.role.has_row_for_each_word();
                let shape = if by_word { vec![columns, inner] } else { vec![inner, columns] };
                Entry { name, kind: INTGEMM8, shape, data }
            }
        });
    }
    let config = config_text.bytes().chain([0]).collect::<Vec<u8>>();
    entries.push(Entry { name: CONFIG_ITEM, kind: INT8, shape: vec![config.len() as i32], data: config });
    entries.sort_by_key(|entry| entry.name);

    for entry in &mut entries {
        // The last item, the configuration, stays as it is, like Marian's own.
        if entry.kind != INT8 {
            entry.data.resize(entry.data.len().next_multiple_of(ALIGNMENT), 0);
        }
    }
    let mut bytes = Vec::new();
    bytes.extend(VERSION.to_le_bytes());
    bytes.extend((entries.len() as u64).to_le_bytes());
    for entry in &entries {
        let lengths = [entry.name.len() as u64 + 1, entry.kind, entry.shape.len() as u64, entry.data.len() as u64];
        bytes.extend(lengths.iter().flat_map(|length| length.to_le_bytes()));
    }
    for entry in &entries {
        bytes.extend(entry.name.bytes().chain([0]));
    }
    for entry in &entries {
        bytes.extend(entry.shape.iter().flat_map(|extent| extent.to_le_bytes()));
    }
    let start = (bytes.len() + 8).next_multiple_of(ALIGNMENT);
    bytes.extend((start as u64 - bytes.len() as u64 - 8).to_le_bytes());
    bytes.resize(start, 0);
    for entry in &entries {
        bytes.extend(&entry.data);
    }
    Ok(bytes)
}

/// The values of a matrix stored in rows of `width`, column by column.
fn transposed(values: &[i8], width: usize) -> Vec<i8> {
    let rows = values.len() / width;
    (0..values.len()).map(|index| values[index % rows * width + index / rows]).collect()
}

/// The float m for which `numerator / m` is `quotient`, bit for bit if there is one, so that a file that is read and
/// written again keeps its scales.
fn inverse(quotient: f32, numerator: f32) -> f32 {
    let near = numerator / quotient;
    [near, near.next_up(), near.next_down()].into_iter().find(|&m| numerator / m == quotient).unwrap_or(near)
}

/// Quantizes a float matrix as Marian does: `round(w · 127 / max|W|)`, ties to even.
///
/// Matrices with a row for each word, `[words, dim]`, keep their order in memory ([`Role::has_row_for_each_word`]); others are transposed.
pub fn quantize_intgemm8(tensor: &FloatTensor, by_word: bool) -> Int8Tensor {
    let largest = tensor.values.iter().fold(0.0f32, |largest, value| largest.max(value.abs()));
    // All zeros stay zeros under any scale.
    let multiplier = if largest > 0.0 && (127.0 / largest).is_finite() { 127.0 / largest } else { 1.0 };
    let quantize = |value: f32| (value * multiplier).round_ties_even().clamp(-127.0, 127.0) as i8;
    let (rows, columns) = (tensor.rows, tensor.columns);
    let scales = vec![1.0 / multiplier];
    if by_word {
        let values = tensor.values.iter().map(|&value| quantize(value)).collect();
        return Int8Tensor { inner: columns, columns: rows, values, scales };
    }
    let values =
        (0..rows * columns).map(|index| quantize(tensor.values[index % rows * columns + index / rows])).collect();
    Int8Tensor { inner: rows, columns, values, scales }
}

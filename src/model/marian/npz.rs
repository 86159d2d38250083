//! NumPy archives of float32 arrays, as Marian's training writes them.

use std::io::{Cursor, Read};
use std::sync::Arc;

use npyz::WriterBuilder;

use super::super::error::{Error, Fault, malformed};
use super::super::tensor::{FloatTensor, Tensor};
use super::{Bytes, CONFIG_ITEM, Item, ItemKind, SPECIAL, check_floats, rows_and_columns};

/// Deflate cannot do better than 258 bytes for two bits.
const LARGEST_RATIO: u64 = 1032;
/// Longer headers than this are not NumPy's.
const LARGEST_HEADER: usize = 4096;
/// Magic, version and length of the header.
const LARGEST_PREAMBLE: usize = 12;
const DEEPEST_HEADER: usize = 8;

pub(super) struct Npz<'a> {
    file: String,
    archive: Archive<'a>,
    items: Vec<Item>,
    /// For each item its number in the archive.
    entries: Vec<usize>,
}

/// The archive's directory is shared between clones, and so are its bytes.
type Archive<'a> = zip::ZipArchive<Cursor<Shared<'a>>>;

#[derive(Clone)]
struct Shared<'a>(Arc<Bytes<'a>>);

impl AsRef<[u8]> for Shared<'_> {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl<'a> Npz<'a> {
    pub(super) fn open(file: &str, bytes: Bytes<'a>) -> Result<Self, Error> {
        let length = bytes.len() as u64;
        let archive = zip::ZipArchive::new(Cursor::new(Shared(Arc::new(bytes))))
            .map_err(|error| malformed(file, "archive", 0, Fault::Parse(error.to_string())))?;
        let mut npz = Npz { file: file.to_owned(), archive, items: Vec::new(), entries: Vec::new() };
        npz.read_directory(length)?;
        Ok(npz)
    }

    pub(super) fn items(&self) -> &[Item] {
        &self.items
    }

    pub(super) fn config(&self) -> Result<Bytes<'_>, Error> {
        let Some(index) = self.items.iter().position(|item| item.name == CONFIG_ITEM) else {
            return Err(malformed(&self.file, "archive", 0, Fault::Absent(CONFIG_ITEM.to_owned())));
        };
        let item = &self.items[index];
        let array = self.read(index, item.length)?;
        let (header, start) = read_header(&self.file, item, &array)?;
        if header.kind != ItemKind::Int8 {
            let fault = Fault::Type { found: format!("{:?}", header.kind), expected: "int8" };
            return Err(malformed(&self.file, CONFIG_ITEM, item.offset, fault));
        }
        Ok(Bytes::Owned(array[start..].to_vec()))
    }

    /// The tensor of an item of the directory.
    pub(super) fn tensor(&self, index: usize) -> Result<Tensor, Error> {
        let item = &self.items[index];
        let array = self.read(index, item.length)?;
        let (header, start) = read_header(&self.file, item, &array)?;
        let data = &array[start..];
        let (mut values, width): (Vec<f32>, u64) = match header.kind {
            ItemKind::Float32 => (data.as_chunks::<4>().0.iter().map(|&value| f32::from_le_bytes(value)).collect(), 4),
            ItemKind::Float16 => {
                let values = data.as_chunks::<2>().0;
                (values.iter().map(|&value| half::f16::from_le_bytes(value).to_f32()).collect(), 2)
            }
            ItemKind::Int8 | ItemKind::Intgemm8 => return Err(not_float(&self.file, item)),
        };
        check_floats(&self.file, &item.name, item.offset + start as u64, width, &values)?;
        let (rows, columns) = (header.rows, header.columns);
        if header.columns_first {
            values = (0..rows * columns).map(|index| values[index % columns * rows + index / columns]).collect();
        }
        Ok(Tensor::Float(FloatTensor { rows, columns, values }))
    }

    fn read_directory(&mut self, length: u64) -> Result<(), Error> {
        let file = &*self.file;
        let mut extents = Vec::new();
        let mut names = std::collections::HashSet::new();
        for entry_index in 0..self.archive.len() {
            let entry = self
                .archive
                .by_index_raw(entry_index)
                .map_err(|error| malformed(file, "archive", 0, Fault::Parse(error.to_string())))?;
            let name = match entry.name() {
                Ok(name) => name.into_owned(),
                Err(error) => return Err(malformed(file, "archive", 0, Fault::Parse(error.to_string()))),
            };
            let Some(name) = npyz::npz::array_name_from_file_name(&name).map(str::to_owned) else { continue };
            let start = entry.header_start();
            let Some(offset) = entry.data_start() else {
                return Err(malformed(file, name, start, Fault::Absent("the entry's data".to_owned())));
            };
            let stored = entry.compressed_size();
            let available = length.saturating_sub(offset);
            if stored > available {
                return Err(malformed(file, name, offset, Fault::Truncated { needed: stored, available }));
            }
            let limit = stored.saturating_mul(LARGEST_RATIO);
            if entry.size() > limit {
                let fault = Fault::Count { what: "decompressed size", found: entry.size(), limit };
                return Err(malformed(file, name, start, fault));
            }
            if !names.insert(name.clone()) {
                return Err(malformed(file, name.clone(), start, Fault::Overlap(name)));
            }
            extents.push((start, offset + stored, name.clone()));
            // Type and shape stand in the array's own header, read below.
            self.items.push(Item { name, kind: ItemKind::Float32, shape: Vec::new(), offset, length: entry.size() });
            self.entries.push(entry_index);
        }
        extents.sort();
        for pair in extents.windows(2) {
            if pair[1].0 < pair[0].1 {
                return Err(malformed(file, &*pair[1].2, pair[1].0, Fault::Overlap(pair[0].2.clone())));
            }
        }
        for index in 0..self.items.len() {
            let head = self.read_head(index, (LARGEST_HEADER + LARGEST_PREAMBLE) as u64)?;
            let item = &mut self.items[index];
            let (header, _) = read_header_of(&self.file, item, &head, item.length)?;
            item.kind = header.kind;
            item.shape = header.shape;
            if item.kind == ItemKind::Int8 && !item.name.starts_with(SPECIAL) {
                return Err(not_float(&self.file, item));
            }
        }
        Ok(())
    }

    /// A whole entry, its checksum compared.
    fn read(&self, index: usize, length: u64) -> Result<Vec<u8>, Error> {
        let array = self.read_head(index, length)?;
        if array.len() as u64 != length {
            let fault = Fault::Truncated { needed: length, available: array.len() as u64 };
            return Err(malformed(&self.file, &*self.items[index].name, self.items[index].offset, fault));
        }
        Ok(array)
    }

    /// The first bytes of an entry, at most `limit`.
    fn read_head(&self, index: usize, limit: u64) -> Result<Vec<u8>, Error> {
        let item = &self.items[index];
        let error = |error: &dyn std::fmt::Display| {
            malformed(&self.file, &*item.name, item.offset, Fault::Parse(error.to_string()))
        };
        let mut archive = self.archive.clone();
        let mut entry = archive.by_index(self.entries[index]).map_err(|e| error(&e))?;
        let mut head = Vec::new();
        // One byte more, so that the end is reached and the archive's checksum compared.
        entry.by_ref().take(limit + 1).read_to_end(&mut head).map_err(|e| error(&e))?;
        head.truncate(limit as usize);
        Ok(head)
    }
}

fn not_float(file: &str, item: &Item) -> Error {
    let fault = Fault::Type { found: "int8".to_owned(), expected: "float32 or float16" };
    malformed(file, &*item.name, item.offset, fault)
}

/// Writes an archive of float32 arrays that Marian can read, the options last.
///
/// # Errors
/// Quantized tensors have no place in this format.
pub fn write_npz(config_text: &str, tensors: &[(String, FloatTensor)]) -> Result<Vec<u8>, Error> {
    let error = |item: &str, error: &dyn std::fmt::Display| {
        malformed("archive to be written", item, 0, Fault::Parse(error.to_string()))
    };
    let stored = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, tensor) in tensors {
        archive.start_file(npyz::npz::file_name_from_array_name(name), stored).map_err(|e| error(name, &e))?;
        let shape = [tensor.rows as u64, tensor.columns as u64];
        write_array(&mut archive, &shape, &tensor.values).map_err(|e| error(name, &e))?;
    }
    // Marian expects the terminating NUL to be part of the text.
    let text: Vec<i8> = config_text.bytes().chain([0]).map(|byte| byte as i8).collect();
    archive
        .start_file(npyz::npz::file_name_from_array_name(CONFIG_ITEM), stored)
        .map_err(|e| error(CONFIG_ITEM, &e))?;
    write_array(&mut archive, &[text.len() as u64], &text).map_err(|e| error(CONFIG_ITEM, &e))?;
    Ok(archive.finish().map_err(|e| error("archive", &e))?.into_inner())
}

fn write_array<T: npyz::AutoSerialize + Copy>(
    writer: &mut impl std::io::Write,
    shape: &[u64],
    values: &[T],
) -> std::io::Result<()> {
    let mut array = npyz::WriteOptions::new().default_dtype().shape(shape).writer(writer).begin_nd()?;
    array.extend(values.iter().copied())?;
    array.finish()
}

/// The header of one array.
struct Header {
    kind: ItemKind,
    shape: Vec<usize>,
    rows: usize,
    columns: usize,
    /// The file lists column after column.
    columns_first: bool,
}

fn read_header(file: &str, item: &Item, array: &[u8]) -> Result<(Header, usize), Error> {
    read_header_of(file, item, array, array.len() as u64)
}

/// The header, and where the values start; `length` is the size of the whole array file.
fn read_header_of(file: &str, item: &Item, array: &[u8], length: u64) -> Result<(Header, usize), Error> {
    let fault = |fault| malformed(file, &*item.name, item.offset, fault);
    // The header's own length is checked first, since the parser would allocate whatever stands there.
    let (preamble, declared) = match array {
        [0x93, b'N', b'U', b'M', b'P', b'Y', 1, _, low, high, ..] => (10, u32::from_le_bytes([*low, *high, 0, 0])),
        [0x93, b'N', b'U', b'M', b'P', b'Y', 2 | 3, _, a, b, c, d, ..] => (12, u32::from_le_bytes([*a, *b, *c, *d])),
        _ => return Err(fault(Fault::Kind { expected: "a NumPy array" })),
    };
    let declared = declared as usize;
    if declared > LARGEST_HEADER {
        let (found, limit) = (declared as u64, LARGEST_HEADER as u64);
        return Err(fault(Fault::Count { what: "length of the array's header", found, limit }));
    }
    let Some(text) = array.get(preamble..preamble + declared) else {
        let available = array.len().saturating_sub(preamble) as u64;
        return Err(fault(Fault::Truncated { needed: declared as u64, available }));
    };
    // The header is a Python literal, read by recursive descent.
    let nesting = text.iter().filter(|byte| matches!(byte, b'(' | b'[' | b'{')).count();
    if nesting > DEEPEST_HEADER {
        let (found, limit) = (nesting as u64, DEEPEST_HEADER as u64);
        return Err(fault(Fault::Count { what: "nesting of the array's header", found, limit }));
    }
    let start = preamble + declared;
    let header =
        npyz::NpyHeader::from_reader(&array[..start]).map_err(|error| fault(Fault::Parse(error.to_string())))?;
    let descriptor = header.dtype().descr();
    let (kind, width) = match descriptor.trim_matches('\'') {
        "<f4" => (ItemKind::Float32, 4),
        "<f2" => (ItemKind::Float16, 2),
        "|i1" | "<i1" => (ItemKind::Int8, 1),
        _ => return Err(fault(Fault::Type { found: descriptor, expected: "<f4 (float32) or <f2 (float16)" })),
    };
    let dimensions = header.shape().to_vec();
    let shape: Option<Vec<usize>> = dimensions.iter().map(|&extent| usize::try_from(extent).ok()).collect();
    let size = shape.as_deref().and_then(rows_and_columns);
    let expected_length = size.and_then(|(rows, columns)| (rows * columns).checked_mul(width)?.checked_add(start));
    match (shape, size) {
        (Some(shape), Some((rows, columns))) if expected_length.is_some_and(|expected| expected as u64 == length) => {
            let columns_first = header.order() == npyz::Order::Fortran;
            Ok((Header { kind, shape, rows, columns, columns_first }, start))
        }
        _ => {
            let values = length.saturating_sub(start as u64) / width as u64;
            Err(fault(Fault::Shape { expected: format!("a matrix of {values} values"), found: dimensions }))
        }
    }
}

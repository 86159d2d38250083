//! NumPy archives of float32 arrays, as Marian's training writes them.

use std::io::{Cursor, Read, Write};
use std::sync::Arc;

use super::super::catalogue::LARGEST_FILE;
use super::super::error::{Error, Fault, malformed};
use super::super::names::nematus::is_left_over;
use super::super::tensor::{FloatTensor, Tensor};
use super::npy::{Header, LARGEST_HEADER};
use super::{Bytes, CONFIG_ITEM, Item, ItemKind, SPECIAL, check_floats, rows_and_columns, unify_names};

/// Deflate cannot do better than 258 bytes for two bits.
const LARGEST_RATIO: u64 = 1032;
/// Magic, version and length of an array's header.
const LARGEST_PREAMBLE: usize = 12;
/// The ending of an array's name in the archive.
const EXTENSION: &str = ".npy";

pub(super) struct Npz<'a> {
    file: String,
    archive: Archive<'a>,
    items: Vec<Item>,
    /// For each item, its number in the archive.
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
        let header = read_header(&self.file, item, &array, item.length)?;
        if header.kind != ItemKind::Int8 {
            let fault = Fault::Type { found: format!("{:?}", header.kind), expected: "int8" };
            return Err(malformed(&self.file, CONFIG_ITEM, item.offset, fault));
        }
        Ok(Bytes::Owned(array[header.data_start..].to_vec()))
    }

    /// The tensor of a directory item.
    pub(super) fn tensor(&self, index: usize) -> Result<Tensor, Error> {
        let item = &self.items[index];
        let array = self.read(index, item.length)?;
        let header = read_header(&self.file, item, &array, item.length)?;
        let data = &array[header.data_start..];
        let (mut values, width): (Vec<f32>, u64) = match header.kind {
            ItemKind::Float32 => (data.as_chunks::<4>().0.iter().map(|&value| f32::from_le_bytes(value)).collect(), 4),
            ItemKind::Float16 => {
                let values = data.as_chunks::<2>().0;
                (values.iter().map(|&value| half::f16::from_le_bytes(value).to_f32()).collect(), 2)
            }
            ItemKind::Int8 | ItemKind::Intgemm8 => return Err(not_float(&self.file, item)),
        };
        check_floats(&self.file, &item.name, item.offset + header.data_start as u64, width, &values)?;
        let (rows, columns) = (header.rows, header.columns);
        if header.columns_first {
            values = (0..rows * columns).map(|index| values[index % columns * rows + index / columns]).collect();
        }
        Ok(Tensor::Float(FloatTensor { rows, columns, values }))
    }

    fn read_directory(&mut self, length: u64) -> Result<(), Error> {
        let file = &*self.file;
        let (mut extents, mut unpacked) = (Vec::new(), 0u64);
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
            let Some(name) = name.strip_suffix(EXTENSION).map(str::to_owned) else { continue };
            if is_left_over(&name) {
                continue;
            }
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
            unpacked = unpacked.saturating_add(entry.size());
            if unpacked > LARGEST_FILE {
                let fault = Fault::Count { what: "decompressed size", found: unpacked, limit: LARGEST_FILE };
                return Err(malformed(file, name, start, fault));
            }
            if !names.insert(name.clone()) {
                return Err(malformed(file, name.clone(), start, Fault::Overlap(name)));
            }
            extents.push((start, offset + stored, name.clone()));
            // Type and shape are in the array's own header, read below.
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
            let header = read_header(&self.file, item, &head, item.length)?;
            item.kind = header.kind;
            item.shape = header.shape;
            if item.kind == ItemKind::Int8 && !item.name.starts_with(SPECIAL) {
                return Err(not_float(&self.file, item));
            }
        }
        unify_names(&self.file, &mut self.items)
    }

    /// A whole entry, with its checksum verified.
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
        // One byte more, so that the end is reached and the archive's checksum is verified.
        entry.by_ref().take(limit + 1).read_to_end(&mut head).map_err(|e| error(&e))?;
        head.truncate(limit as usize);
        Ok(head)
    }
}

/// Whether an archive holds a model, that is, has Marian's configuration among its entries. Only the archive's directory is
/// read. An archive that cannot be read counts as a model, so that reading it tells what is wrong.
pub fn npz_holds_model(archive: impl Read + std::io::Seek) -> bool {
    let archive = zip::ZipArchive::new(archive);
    archive.map_or(true, |archive| archive.index_for_name(&format!("{CONFIG_ITEM}{EXTENSION}")).is_some())
}

fn not_float(file: &str, item: &Item) -> Error {
    let fault = Fault::Type { found: "int8".to_owned(), expected: "float32 or float16" };
    malformed(file, &*item.name, item.offset, fault)
}

/// Writes an archive of float32 arrays that Marian can read, the options last.
///
/// # Errors
/// Names that an archive cannot hold.
pub fn write_npz(config_text: &str, tensors: &[(String, FloatTensor)]) -> Result<Vec<u8>, Error> {
    let error = |item: &str, error: &dyn std::fmt::Display| {
        malformed("archive to be written", item, 0, Fault::Parse(error.to_string()))
    };
    let stored = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    // Marian expects the terminating NUL to be part of the text.
    let text = [config_text.as_bytes(), &[0]].concat();
    let mut write = |name: &str, descriptor: &str, shape: &[usize], data: &[u8]| {
        archive.start_file(format!("{name}{EXTENSION}"), stored).map_err(|e| error(name, &e))?;
        archive.write_all(&Header::write(descriptor, shape)).map_err(|e| error(name, &e))?;
        archive.write_all(data).map_err(|e| error(name, &e))
    };
    for (name, tensor) in tensors {
        let data: Vec<u8> = tensor.values.iter().flat_map(|value| value.to_le_bytes()).collect();
        write(name, "<f4", &[tensor.rows, tensor.columns], &data)?;
    }
    write(CONFIG_ITEM, "|i1", &[text.len()], &text)?;
    Ok(archive.finish().map_err(|e| error("archive", &e))?.into_inner())
}

/// The header of one array, checked.
struct Checked {
    kind: ItemKind,
    shape: Vec<usize>,
    rows: usize,
    columns: usize,
    /// The file stores the values column by column.
    columns_first: bool,
    data_start: usize,
}

/// Reads the header at the start of `array`; `length` is the size of the whole array file.
fn read_header(file: &str, item: &Item, array: &[u8], length: u64) -> Result<Checked, Error> {
    let fault = |fault| malformed(file, &*item.name, item.offset, fault);
    let header = Header::parse(array).map_err(fault)?;
    let (kind, width) = match header.descriptor.as_str() {
        "<f4" => (ItemKind::Float32, 4),
        "<f2" => (ItemKind::Float16, 2),
        "|i1" | "<i1" => (ItemKind::Int8, 1),
        other => {
            let expected = "<f4 (float32) or <f2 (float16)";
            return Err(fault(Fault::Type { found: other.to_owned(), expected }));
        }
    };
    let data_start = header.data_start;
    let shape: Option<Vec<usize>> = header.shape.iter().map(|&extent| usize::try_from(extent).ok()).collect();
    let size = shape.as_deref().and_then(|shape| rows_and_columns(&item.name, shape));
    let expected = size.and_then(|(rows, columns)| (rows * columns).checked_mul(width)?.checked_add(data_start));
    match (shape, size) {
        (Some(shape), Some((rows, columns))) if expected.is_some_and(|expected| expected as u64 == length) => {
            Ok(Checked { kind, shape, rows, columns, columns_first: header.fortran_order, data_start })
        }
        _ => {
            let values = length.saturating_sub(data_start as u64) / width as u64;
            Err(fault(Fault::Shape { expected: format!("a matrix of {values} values"), found: header.shape }))
        }
    }
}

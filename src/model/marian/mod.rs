//! Marian's model files.
//!
//! Both containers hold named tensors and the model's options as YAML. Tensors are handed out one at a time, so that
//! each can be packed for the kernels and dropped before the next one is read.

mod bin;
mod npy;
mod npz;
mod stream;

use std::borrow::Cow;

pub use bin::{quantize_intgemm8, write_bin};
pub use npz::{npz_holds_model, write_npz};
pub use stream::BinReader;

use super::compression::decompressed;
use super::config::Config;
use super::error::{Error, Fault, malformed};
use super::names::nematus::NematusNames;
use super::names::{Role, TensorName};
use super::tensor::Tensor;

/// The item that holds the model's options.
const CONFIG_ITEM: &str = "special:model.yml";
/// Items with this prefix are not tensors.
const SPECIAL: &str = "special:";

/// A Marian model file whose directory and configuration have been read and checked.
pub struct MarianModel<'a> {
    container: Container<'a>,
    config: Config,
    config_text: String,
}

enum Container<'a> {
    Bin(bin::Bin<'a>),
    Npz(npz::Npz<'a>),
}

/// One entry of a model file's directory.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// The tensor's name.
    pub name: String,
    /// The type of its values.
    pub kind: ItemKind,
    /// Its shape as the file declares it.
    pub shape: Vec<usize>,
    /// Where its data start in the file, in bytes.
    pub offset: u64,
    /// Length of its data in the file, in bytes.
    pub length: u64,
}

/// The type of an item's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ItemKind {
    /// 32-bit floats.
    Float32,
    /// 16-bit floats.
    Float16,
    /// Bytes; in Marian's files, the configuration.
    Int8,
    /// Quantized weights, followed by their multiplier.
    Intgemm8,
}

impl Item {
    /// Whether it is a tensor with values.
    fn is_tensor(&self) -> bool {
        !self.name.starts_with(SPECIAL) && self.shape.iter().all(|&extent| extent > 0)
    }
}

impl<'a> MarianModel<'a> {
    /// Reads the directory and the configuration of an `.npz` or `.bin` file, compressed (gzip, Zstandard) or not; its first bytes
    /// tell which of them it is. `file` is named in errors.
    ///
    /// # Errors
    /// Files of another kind, damaged files, and models that this engine does not implement.
    pub fn open(file: &str, bytes: &'a [u8]) -> Result<Self, Error> {
        let bytes = decompressed(file, bytes)?;
        let container = if bytes.starts_with(b"PK") {
            Container::Npz(npz::Npz::open(file, bytes)?)
        } else {
            Container::Bin(bin::Bin::open(file, bytes)?)
        };
        let text = match &container {
            Container::Bin(bin) => bin.config()?,
            Container::Npz(npz) => npz.config()?,
        };
        let config_text = config_text(file, &text)?;
        let config = Config::parse(file, config_text)?;
        Ok(MarianModel { config, config_text: config_text.to_owned(), container })
    }

    /// The architecture.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The options as Marian wrote them.
    pub fn config_text(&self) -> &str {
        &self.config_text
    }

    /// The file's tensors, in file order.
    pub fn items(&self) -> impl Iterator<Item = &Item> {
        let items = match &self.container {
            Container::Bin(bin) => bin.items(),
            Container::Npz(npz) => npz.items(),
        };
        items.iter().filter(|item| !item.name.starts_with(SPECIAL))
    }

    /// Hands out all tensors that are not empty, one after the other, in the order of the file.
    ///
    /// Quantized matrices come as [`Tensor::Int8`]; activation multipliers always as a 1 × 1 [`Tensor::Float`].
    ///
    /// # Errors
    /// Damaged items, and whatever `each` returns.
    pub fn tensors<E: From<Error>>(&self, mut each: impl FnMut(&str, Tensor) -> Result<(), E>) -> Result<(), E> {
        let items = match &self.container {
            Container::Bin(bin) => bin.items(),
            Container::Npz(npz) => npz.items(),
        };
        for (index, item) in items.iter().enumerate().filter(|(_, item)| item.is_tensor()) {
            let tensor = match &self.container {
                Container::Bin(bin) => bin.tensor(index)?,
                Container::Npz(npz) => npz.tensor(index)?,
            };
            each(&item.name, tensor)?;
        }
        Ok(())
    }
}

/// Renames the tensors of a file with Nematus's names to the names that the engine knows.
fn unify_names(file: &str, items: &mut [Item]) -> Result<(), Error> {
    let Some(names) = NematusNames::of(items.iter().map(|item| &*item.name)) else { return Ok(()) };
    let mut unified = std::collections::HashSet::new();
    for item in items {
        item.name = names.in_s2s(&item.name);
        if !unified.insert(item.name.clone()) {
            return Err(malformed(file, &*item.name, item.offset, Fault::Overlap(item.name.clone())));
        }
    }
    Ok(())
}

/// The options in an item's bytes: Marian counts the terminating NUL as part of the text.
fn config_text<'a>(file: &str, bytes: &'a [u8]) -> Result<&'a str, Error> {
    let text = bytes.split(|&byte| byte == 0).next().unwrap_or_default();
    std::str::from_utf8(text).map_err(|_| malformed(file, CONFIG_ITEM, 0, Fault::Utf8))
}

/// Rows and columns of the declared shape of tensor `name`; leading dimensions must be 1. Only parameters of a layer's heads may be empty.
fn rows_and_columns(name: &str, shape: &[usize]) -> Option<(usize, usize)> {
    match shape {
        [] => Some((1, 1)),
        [columns] => Some((1, *columns)),
        [leading @ .., rows, columns] => leading.iter().all(|&extent| extent == 1).then_some((*rows, *columns)),
    }
    .filter(|&(rows, columns)| {
        let count = rows.checked_mul(columns);
        count.is_some_and(|count| count > 0 || TensorName::parse(name).belongs_to_encoder_heads())
    })
}

/// Checks that all values of a float tensor can be computed with; `offset` is where they start, `width` how many bytes
/// each takes there.
fn check_floats(file: &str, name: &str, offset: u64, width: u64, values: &[f32]) -> Result<(), Error> {
    let activation_multiplier = TensorName::parse(name).role == Role::Multiplier;
    for (index, &value) in values.iter().enumerate() {
        let fault = if !value.is_finite() {
            if activation_multiplier { Fault::Scale(value) } else { Fault::NotFinite(value) }
        } else if activation_multiplier && value <= 0.0 {
            Fault::Scale(value)
        } else {
            continue;
        };
        return Err(malformed(file, name, offset + index as u64 * width, fault));
    }
    Ok(())
}

type Bytes<'a> = Cow<'a, [u8]>;

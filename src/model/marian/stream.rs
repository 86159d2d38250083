//! A binary model file that is read while it arrives.

use super::super::catalogue::LARGEST_FILE;
use super::super::config::Config;
use super::super::error::{Error, Fault, malformed};
use super::super::tensor::Tensor;
use super::bin::{VERSION, read_directory, read_tensor};
use super::{CONFIG_ITEM, Item, config_text};

/// No directory is longer.
const LONGEST_DIRECTORY: u64 = 1 << 24;

/// No tensor gets more room before its bytes are there, whatever the directory says.
const MOST_RESERVED: usize = 1 << 26;

/// Reads a `.bin` file from its bytes as they arrive, in pieces of any size, and hands out each tensor as soon as it is complete. No more
/// of the file is held than the directory and the tensor that is arriving.
///
/// ```
/// use wanderwort::model::{BinReader, Error};
///
/// # use std::io::Read;
/// # let packed = std::fs::File::open("tests/data/en-de.prototype/model.ende.intgemm.alphas.bin.gz").unwrap();
/// # let mut bytes = Vec::new();
/// # flate2::read::GzDecoder::new(packed).read_to_end(&mut bytes).unwrap();
/// let mut reader = BinReader::new("model.bin");
/// let mut tensors = 0;
/// for piece in bytes.chunks(10_000) {
///     reader.push(piece, |_, _| {
///         tensors += 1;
///         Ok::<_, Error>(())
///     })?;
/// }
/// let config = reader.finish()?;
/// assert_eq!(config.source_words, 16_000);
/// assert!(tensors > 100);
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug)]
pub struct BinReader {
    file: String,
    /// Bytes received of the directory, or of the item that is arriving.
    pending: Vec<u8>,
    /// Where in the file `pending` begins.
    offset: u64,
    /// None until all of it is there.
    directory: Option<Vec<Item>>,
    /// The directory is looked for again once this many bytes are there. Each attempt tells how many the next of its four parts takes.
    next_look: usize,
    /// The item that is arriving.
    next: usize,
    config: Option<Config>,
}

impl BinReader {
    /// Starts without bytes; `file` is named in errors.
    pub fn new(file: &str) -> Self {
        let file = file.to_owned();
        Self { file, pending: Vec::new(), offset: 0, directory: None, next_look: 16, next: 0, config: None }
    }

    /// Whether a file that begins with these eight bytes is of this kind.
    pub fn reads(beginning: &[u8]) -> bool {
        beginning.starts_with(&VERSION.to_le_bytes())
    }

    /// Takes the file's next bytes. `each` is called with the tensors that are complete now, in the order of the file.
    ///
    /// # Errors
    /// A damaged file, or a model that this engine does not implement, and whatever `each` returns.
    pub fn push<E: From<Error>>(
        &mut self,
        bytes: &[u8],
        mut each: impl FnMut(&str, Tensor) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut bytes = bytes;
        loop {
            // The part that is arriving ends here. Nothing beyond it is held, so that one buffer serves all tensors.
            let end = match &self.directory {
                None => self.next_look,
                Some(items) => match items.get(self.next) {
                    Some(item) => (item.offset + item.length - self.offset) as usize,
                    None => return Ok(()),
                },
            };
            let missing = end - self.pending.len();
            // If that much cannot be reserved at once, the tensor may still fit as it arrives.
            let _ = self.pending.try_reserve_exact(missing.min(MOST_RESERVED));
            let (taken, rest) = bytes.split_at(missing.min(bytes.len()));
            self.pending.extend_from_slice(taken);
            bytes = rest;
            if self.pending.len() < end {
                return Ok(());
            }
            let Some(items) = &self.directory else {
                self.look_for_directory()?;
                continue;
            };
            let item = &items[self.next];
            let data = &self.pending[end - item.length as usize..];
            if item.name == CONFIG_ITEM {
                self.config = Some(Config::parse(&self.file, config_text(&self.file, data)?)?);
            } else if item.is_tensor() {
                each(&item.name, read_tensor(&self.file, item, data)?)?;
            }
            self.next += 1;
            self.offset += self.pending.len() as u64;
            self.pending.clear();
        }
    }

    /// The architecture, once everything has arrived.
    ///
    /// # Errors
    /// A file that ended too early, or one without a configuration.
    pub fn finish(self) -> Result<Config, Error> {
        let Some(items) = &self.directory else {
            read_directory(&self.file, &self.pending, None)?;
            return Err(self.without_config());
        };
        if let Some(item) = items.get(self.next) {
            // The end may lie before the item, in something that is skipped.
            let available = (self.offset + self.pending.len() as u64).saturating_sub(item.offset);
            let fault = Fault::Truncated { needed: item.length, available };
            return Err(malformed(&self.file, &*item.name, item.offset, fault));
        }
        self.config.clone().ok_or_else(|| self.without_config())
    }

    fn without_config(&self) -> Error {
        malformed(&self.file, "header", 0, Fault::Absent(CONFIG_ITEM.to_owned()))
    }

    fn look_for_directory(&mut self) -> Result<(), Error> {
        match read_directory(&self.file, &self.pending, None) {
            Ok(items) => {
                // Beyond that, offsets would not fit memory addresses everywhere.
                let last = items.last().map_or(0, |item| item.offset + item.length);
                if last > LARGEST_FILE {
                    let fault = Fault::Count { what: "size", found: last, limit: LARGEST_FILE };
                    return Err(malformed(&self.file, "header", 0, fault));
                }
                self.directory = Some(items);
                self.offset = self.pending.len() as u64;
                self.pending.clear();
            }
            Err(Error::Malformed { offset, fault: Fault::Truncated { needed, .. }, .. })
                if offset.saturating_add(needed) <= LONGEST_DIRECTORY =>
            {
                self.next_look = (offset + needed) as usize;
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::tensor::FloatTensor;
    use super::super::{MarianModel, write_bin};
    use super::*;

    #[test]
    fn a_file_that_ends_in_what_is_skipped_is_refused() {
        let name = "tests/data/architectures/recurrent-nematus/model.npz.gz";
        let model = std::fs::read(name).unwrap();
        let config = MarianModel::open(name, &model).unwrap().config_text().to_owned();
        let tensor = |name: &str, values: usize| {
            let tensor = FloatTensor { rows: 1, columns: values, values: vec![0.7; values] };
            (name.to_owned(), Tensor::Float(tensor))
        };
        // Items are written in the order of their names, so what training left in the file comes before the last tensor.
        let bytes = write_bin(&config, &[tensor("a", 4), tensor("uidx", 4000), tensor("z", 4)]).unwrap();
        let first = bytes.windows(4).position(|window| window == 0.7f32.to_le_bytes()).unwrap();
        let mut reader = BinReader::new("model.bin");
        reader.push(&bytes[..first + 8000], |_, _| Ok::<_, Error>(())).unwrap();
        match reader.finish().unwrap_err() {
            Error::Malformed { item, fault: Fault::Truncated { needed, available: 0 }, .. } => {
                assert_eq!((item.as_str(), needed > 0), ("z", true));
            }
            other => panic!("{other}"),
        }
    }
}

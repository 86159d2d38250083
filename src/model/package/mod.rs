//! Packages: a whole translation model in one small file, readable while it arrives.
//!
//! FORMAT.md beside this file specifies the format. [`convert`] writes a package, [`Reader`] reads one, and [`unpack`] turns one into files for
//! other tools.

mod checksum;
mod coder;
mod header;
pub mod log4;
pub mod rounding;
mod stream;
pub mod uniform;
mod unpack;
mod wire;
mod writer;

pub use checksum::WeightsChecksum;
pub use header::{Card, Content, Encoding, Entry, Header, Score, Section, Side, Unknown};
pub use stream::{Event, PackedSection, Reader, Whole};
pub use unpack::unpack;
pub use writer::{Bits, ConvertOptions, Label, Parts, Progress, convert, relabel, replace_multipliers};

/// Whether a file starts like a package.
pub fn is_package(bytes: &[u8]) -> bool {
    bytes.starts_with(&header::MAGIC)
}

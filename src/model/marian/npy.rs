//! The header of a NumPy array: a magic, a version, a length, and a Python dictionary in one fixed form.
//!
//! Parsed here rather than by a library, because the file is not to be trusted (an absurd shape must be an error, not
//! an overflow), and because Marian's own reader accepts only NumPy's exact spelling.

use super::super::error::Fault;

const MAGIC: &[u8] = b"\x93NUMPY";
/// Longer headers than this are not NumPy's.
pub(super) const LARGEST_HEADER: usize = 4096;
/// NumPy aligns data to this many bytes.
const ALIGNMENT: usize = 64;
/// No Marian array has more dimensions.
const LARGEST_RANK: usize = 8;

/// What the header says.
#[derive(Debug, PartialEq)]
pub(super) struct Header {
    /// The type of the values, such as `<f4`.
    pub descriptor: String,
    /// The values are stored column by column.
    pub fortran_order: bool,
    pub shape: Vec<u64>,
    /// Where the values start.
    pub data_start: usize,
}

impl Header {
    /// Reads the header at the start of `array`.
    pub(super) fn parse(array: &[u8]) -> Result<Header, Fault> {
        let (preamble, length) = match array.strip_prefix(MAGIC) {
            Some([1, _, a, b, ..]) => (10, u32::from_le_bytes([*a, *b, 0, 0])),
            Some([2 | 3, _, a, b, c, d, ..]) => (12, u32::from_le_bytes([*a, *b, *c, *d])),
            _ => return Err(Fault::Kind { expected: "a NumPy array" }),
        };
        let length = length as usize;
        if length > LARGEST_HEADER {
            let (what, found, limit) = ("length of the array's header", length as u64, LARGEST_HEADER as u64);
            return Err(Fault::Count { what, found, limit });
        }
        let data_start = preamble + length;
        let Some(text) = array.get(preamble..data_start) else {
            return Err(Fault::Truncated { needed: data_start as u64, available: array.len() as u64 });
        };
        let text = std::str::from_utf8(text).map_err(|_| Fault::Utf8)?;
        parse_dictionary(text, data_start).ok_or_else(|| Fault::Parse(format!("not an array's header: {text}")))
    }

    /// The bytes before the values of a row-major array.
    pub(super) fn write(descriptor: &str, shape: &[usize]) -> Vec<u8> {
        let extents: Vec<String> = shape.iter().map(usize::to_string).collect();
        // A tuple of one element ends with a comma.
        let comma = if shape.len() == 1 { "," } else { "" };
        let extents = extents.join(", ");
        let mut text = format!("{{'descr': '{descriptor}', 'fortran_order': False, 'shape': ({extents}{comma}), }}");
        let end = (10 + text.len() + 1).next_multiple_of(ALIGNMENT);
        text.extend(std::iter::repeat_n(' ', end - 11 - text.len()));
        text.push('\n');
        [MAGIC, &[1, 0], &(text.len() as u16).to_le_bytes(), text.as_bytes()].concat()
    }
}

fn parse_dictionary(text: &str, data_start: usize) -> Option<Header> {
    let mut rest = text.trim().strip_prefix('{')?.strip_suffix('}')?.trim_end();
    let (mut descriptor, mut fortran_order, mut shape) = (None, None, None);
    while !rest.is_empty() {
        let (key, after) = quoted(rest)?;
        let value = after.trim_start().strip_prefix(':')?.trim_start();
        let after = match key {
            "descr" => {
                let (text, after) = quoted(value)?;
                descriptor = Some(text.to_owned());
                after
            }
            "fortran_order" => {
                let (order, after) = match value.strip_prefix("True") {
                    Some(after) => (true, after),
                    None => (false, value.strip_prefix("False")?),
                };
                fortran_order = Some(order);
                after
            }
            "shape" => {
                let (list, after) = value.strip_prefix('(')?.split_once(')')?;
                let extents = list.split(',').map(str::trim).filter(|extent| !extent.is_empty());
                let extents: Vec<u64> = extents.map(|extent| extent.parse().ok()).collect::<Option<_>>()?;
                shape = Some(extents).filter(|extents| extents.len() <= LARGEST_RANK);
                after
            }
            _ => return None,
        };
        rest = after.trim_start();
        rest = rest.strip_prefix(',').unwrap_or(rest).trim_start();
    }
    Some(Header { descriptor: descriptor?, fortran_order: fortran_order?, shape: shape?, data_start })
}

/// A quoted text, and what follows it.
fn quoted(text: &str) -> Option<(&str, &str)> {
    let quote = text.chars().next().filter(|quote| matches!(quote, '\'' | '"'))?;
    text[1..].split_once(quote)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_numpys_byte_for_byte() {
        // numpy.lib.format.write_array_header_1_0 of a float32 array of shape (3, 4).
        let expected = b"\x93NUMPY\x01\x00v\x00{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }";
        let written = Header::write("<f4", &[3, 4]);
        assert!(written.starts_with(expected) && written.len() == 128 && written.ends_with(b" \n"));
        let read = Header::parse(&written).unwrap();
        assert_eq!((read.descriptor.as_str(), read.shape.as_slice(), read.data_start), ("<f4", &[3, 4][..], 128));
        assert_eq!(Header::parse(&Header::write("|i1", &[7])).unwrap().shape, [7]);
        assert!(Header::parse(&Header::write("<f4", &[])).unwrap().shape.is_empty());
    }
}

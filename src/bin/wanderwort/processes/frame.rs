//! What passes between the process that reads and writes and those that translate: windows of lines go through the pipe to a
//! process, and for each window the bytes to be written come back. Both ends are the same program.

use crate::lines::{Ending, Line};
use std::io::{self, ErrorKind, Read, Write};

/// Lines that are translated together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Window {
    /// How many lines of the input come before these.
    pub first: usize,
    /// The lines.
    pub lines: Vec<Line>,
}

fn write_number(output: &mut impl Write, number: usize) -> io::Result<()> {
    output.write_all(&(number as u64).to_le_bytes())
}

fn read_number(input: &mut impl Read) -> io::Result<usize> {
    let mut bytes = [0; 8];
    input.read_exact(&mut bytes)?;
    usize::try_from(u64::from_le_bytes(bytes)).map_err(invalid)
}

fn invalid(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, error)
}

/// Reads bytes that are preceded by their number.
pub fn read_bytes(input: &mut impl Read) -> io::Result<Vec<u8>> {
    let length = read_number(input)?;
    let mut bytes = Vec::new();
    // Grows as the bytes arrive, so that a wrong number allocates nothing.
    input.by_ref().take(length as u64).read_to_end(&mut bytes)?;
    if bytes.len() < length { Err(ErrorKind::UnexpectedEof.into()) } else { Ok(bytes) }
}

/// Writes bytes, preceded by their number, and sends them off.
pub fn write_bytes(output: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    write_number(output, bytes.len())?;
    output.write_all(bytes)?;
    output.flush()
}

impl Window {
    /// Writes the window, and sends it off.
    pub fn write(&self, output: &mut impl Write) -> io::Result<()> {
        write_number(output, self.first)?;
        write_number(output, self.lines.len())?;
        for Line { text, ending } in &self.lines {
            let ending = match ending {
                Ending::LineFeed => 0,
                Ending::CarriageReturnLineFeed => 1,
                Ending::EndOfFile => 2,
            };
            output.write_all(&[ending])?;
            write_number(output, text.len())?;
            output.write_all(text.as_bytes())?;
        }
        output.flush()
    }

    /// Reads a window.
    pub fn read(input: &mut impl Read) -> io::Result<Self> {
        let (first, count) = (read_number(input)?, read_number(input)?);
        let mut lines = Vec::new();
        for _ in 0..count {
            let mut ending = [0];
            input.read_exact(&mut ending)?;
            let ending = match ending[0] {
                0 => Ending::LineFeed,
                1 => Ending::CarriageReturnLineFeed,
                2 => Ending::EndOfFile,
                other => return Err(invalid(format!("expected a line's ending, found {other}"))),
            };
            lines.push(Line { text: String::from_utf8(read_bytes(input)?).map_err(invalid)?, ending });
        }
        Ok(Self { first, lines })
    }
}

#[cfg(test)]
mod tests {
    use super::{Window, read_bytes, write_bytes};
    use crate::lines::{Ending, Line};

    #[test]
    fn what_is_written_is_read() {
        let line = |text: &str, ending| Line { text: text.to_owned(), ending };
        let lines = vec![
            line("", Ending::LineFeed),
            line("gr\u{fc}n\r", Ending::CarriageReturnLineFeed),
            line("x", Ending::EndOfFile),
        ];
        let window = Window { first: 7, lines };
        let mut bytes = Vec::new();
        window.write(&mut bytes).expect("memory");
        write_bytes(&mut bytes, b"answer").expect("memory");
        let mut input = &bytes[..];
        assert_eq!(Window::read(&mut input).expect("whole"), window);
        assert_eq!(read_bytes(&mut input).expect("whole"), b"answer");
        // Cut short anywhere, it is an error.
        for length in 0..bytes.len() - 14 {
            assert!(Window::read(&mut &bytes[..length]).is_err(), "{length}");
        }
        assert!(read_bytes(&mut &[255; 8][..]).is_err());
    }
}

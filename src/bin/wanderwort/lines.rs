//! Lines of text as files and pipes hold them, good or bad.

use anyhow::{Context, Result, bail};
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

/// How a line ends in its file; a translation ends in the same way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// `\n`
    LineFeed,
    /// `\r\n`
    CarriageReturnLineFeed,
    /// The last line of a file that does not end in a line feed.
    EndOfFile,
}

impl Ending {
    /// Its bytes.
    pub fn as_str(self) -> &'static str {
        match self {
            Ending::LineFeed => "\n",
            Ending::CarriageReturnLineFeed => "\r\n",
            Ending::EndOfFile => "",
        }
    }
}

/// A line without its ending, and the ending.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The line, with U+FFFD for what was not UTF-8.
    pub text: String,
    /// What followed it.
    pub ending: Ending,
}

/// Reads lines, replacing what is not UTF-8 and keeping count of it.
#[derive(Debug)]
pub struct LineReader<R> {
    input: R,
    buffer: Vec<u8>,
    lines: u64,
    replaced: Replaced,
}

/// The lines that were not UTF-8.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Replaced {
    /// How many.
    pub lines: u64,
    /// The number of the first one, counted from 1.
    pub first: u64,
}

impl Replaced {
    /// What to tell the user, if there is anything to tell.
    pub fn warning(&self) -> Option<String> {
        let (holds, it) = if self.lines == 1 { ("line holds", "it was") } else { ("lines hold", "they were") };
        (self.lines > 0).then(|| {
            format!("{} {holds} bytes that are not UTF-8 (first: line {}); {it} read as U+FFFD", self.lines, self.first)
        })
    }
}

impl<R: BufRead> LineReader<R> {
    /// Reads from `input`.
    pub fn new(input: R) -> Self {
        Self { input, buffer: Vec::new(), lines: 0, replaced: Replaced::default() }
    }

    /// The next line, or none at the end.
    pub fn next_line(&mut self) -> io::Result<Option<Line>> {
        // A buffer that one huge line has grown is not kept for the small ones after it.
        self.buffer.clear();
        self.buffer.shrink_to(1 << 16);
        let read = self.input.read_until(b'\n', &mut self.buffer)?;
        if read == 0 {
            return Ok(None);
        }
        self.lines += 1;
        let (bytes, ending) = match self.buffer.as_slice() {
            [bytes @ .., b'\r', b'\n'] => (bytes, Ending::CarriageReturnLineFeed),
            [bytes @ .., b'\n'] => (bytes, Ending::LineFeed),
            bytes => (bytes, Ending::EndOfFile),
        };
        let text = match std::str::from_utf8(bytes) {
            Ok(text) => text.to_owned(),
            Err(_) => {
                self.replaced.lines += 1;
                if self.replaced.lines == 1 {
                    self.replaced.first = self.lines;
                }
                String::from_utf8_lossy(bytes).into_owned()
            }
        };
        Ok(Some(Line { text, ending }))
    }

    /// The lines so far that were not UTF-8.
    pub fn replaced(&self) -> Replaced {
        self.replaced
    }
}

/// All lines of a file that is known to fit in memory, such as a test set. What is not UTF-8 is an error, since scores
/// and timings of broken text mean nothing.
pub fn read_all(path: &Path) -> Result<Vec<String>> {
    let name = path.display();
    let file = File::open(path).with_context(|| format!("cannot open {name}"))?;
    let mut reader = LineReader::new(BufReader::new(file));
    let mut lines = Vec::new();
    while let Some(line) = reader.next_line().with_context(|| format!("cannot read {name}"))? {
        lines.push(line.text);
    }
    if reader.replaced().lines > 0 {
        bail!("{name}, line {}: not UTF-8; convert the file, for example with iconv", reader.replaced().first);
    }
    if lines.is_empty() {
        bail!("{name} is empty");
    }
    Ok(lines)
}

/// Number of words, separated by white space.
pub fn count_words(text: &str) -> usize {
    text.split_whitespace().count()
}

#[cfg(test)]
mod tests {
    use super::{Ending, Line, LineReader, Replaced};

    fn read(bytes: &[u8]) -> (Vec<Line>, Replaced) {
        let mut reader = LineReader::new(bytes);
        let mut lines = Vec::new();
        while let Some(line) = reader.next_line().expect("memory does not fail") {
            lines.push(line);
        }
        (lines, reader.replaced())
    }

    #[test]
    fn endings_are_kept() {
        let (lines, replaced) = read(b"a\n\r\n\nb\r\nc\rd");
        let expected = [
            ("a", Ending::LineFeed),
            ("", Ending::CarriageReturnLineFeed),
            ("", Ending::LineFeed),
            ("b", Ending::CarriageReturnLineFeed),
            ("c\rd", Ending::EndOfFile),
        ];
        assert_eq!(lines, expected.map(|(text, ending)| Line { text: text.to_owned(), ending }));
        assert_eq!(replaced.warning(), None);
        assert_eq!(read(b"").0, []);
    }

    #[test]
    fn what_is_not_utf8_is_replaced_and_counted() {
        let (lines, replaced) = read(b"gr\xc3\xbcn\ngr\xfcn\n\xff\xfe");
        assert_eq!(
            lines.iter().map(|line| line.text.as_str()).collect::<Vec<_>>(),
            ["grün", "gr\u{fffd}n", "\u{fffd}\u{fffd}"]
        );
        assert_eq!(replaced, Replaced { lines: 2, first: 2 });
    }
}

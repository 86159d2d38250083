//! Lines of text as files and pipes hold them, good or bad.

use anyhow::{Context, Result, bail};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

/// Bytes that a line may have, so that memory stays bounded whatever is read.
pub const MAX_LINE: usize = 16 << 20;

/// How far into a file bytes are looked for that no text has. Further on there may be a few by mistake, as there are in large corpora.
const HEAD_BYTES: usize = 8 << 10;

/// Why lines cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum LineError {
    /// They cannot be read at all.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// One of them is too long.
    #[error(
        "line {line}: expected at most {} MiB, found more without a line feed; break the line, or translate the text as a document (--document)",
        MAX_LINE >> 20
    )]
    TooLong {
        /// Which, counted from 1.
        line: u64,
    },
    /// They are in UTF-16.
    #[error(
        "line 1: expected UTF-8, found UTF-16 (the byte order mark {mark}); convert it, for example with `iconv -f UTF-16 -t UTF-8`, or translate it as a document (--document)"
    )]
    Utf16 {
        /// Its first bytes.
        mark: &'static str,
    },
    /// They are not lines of text.
    #[error(transparent)]
    Binary(#[from] Binary),
}

/// A byte that no text has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "line {line}, byte {byte}: expected text, found a NUL byte, as in binary files and in UTF-16; convert it to UTF-8, or translate it in its own format or encoding (--format, --encoding)"
)]
pub struct Binary {
    /// The line, counted from 1.
    pub line: u64,
    /// The byte within it, counted from 1.
    pub byte: usize,
}

impl Binary {
    /// The first one at the beginning of a file.
    pub fn find(bytes: &[u8]) -> Result<(), Binary> {
        let head = &bytes[..bytes.len().min(HEAD_BYTES)];
        let Some(place) = head.iter().position(|byte| *byte == 0) else { return Ok(()) };
        let before = &head[..place];
        let start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        let lines = before.iter().filter(|byte| **byte == b'\n').count() as u64;
        Err(Binary { line: lines + 1, byte: place - start + 1 })
    }
}

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
    /// Bytes of them, as far as they are in the head.
    head: usize,
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
        Self { input, buffer: Vec::new(), lines: 0, head: 0, replaced: Replaced::default() }
    }

    /// The next line, or none at the end.
    pub fn next_line(&mut self) -> Result<Option<Line>, LineError> {
        // A buffer that one huge line has grown is not kept for the small ones after it.
        self.buffer.clear();
        self.buffer.shrink_to(1 << 16);
        // With its line end, and a byte that shows that there is more.
        let read = (&mut self.input).take(MAX_LINE as u64 + 3).read_until(b'\n', &mut self.buffer)?;
        if read == 0 {
            return Ok(None);
        }
        self.lines += 1;
        self.check_head()?;
        let (bytes, ending) = match self.buffer.as_slice() {
            [bytes @ .., b'\r', b'\n'] => (bytes, Ending::CarriageReturnLineFeed),
            [bytes @ .., b'\n'] => (bytes, Ending::LineFeed),
            bytes => (bytes, Ending::EndOfFile),
        };
        if bytes.len() > MAX_LINE {
            return Err(LineError::TooLong { line: self.lines });
        }
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

    /// Refuses what is no text, as far as its beginning tells.
    fn check_head(&mut self) -> Result<(), LineError> {
        let mark = match self.buffer[..] {
            [0xff, 0xfe, ..] => "FF FE",
            [0xfe, 0xff, ..] => "FE FF",
            _ => "",
        };
        if self.lines == 1 && !mark.is_empty() {
            return Err(LineError::Utf16 { mark });
        }
        let head = &self.buffer[..self.buffer.len().min(HEAD_BYTES - self.head)];
        self.head += head.len();
        Binary::find(head).map_err(|found| LineError::Binary(Binary { line: self.lines, ..found }))
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
        bail!("{name}: expected lines of text, found none");
    }
    Ok(lines)
}

/// Number of words, separated by white space.
pub fn count_words(text: &str) -> usize {
    text.split_whitespace().count()
}

#[cfg(test)]
mod tests {
    use super::{Binary, Ending, HEAD_BYTES, Line, LineError, LineReader, MAX_LINE, Replaced};
    use std::io::{BufReader, Read, repeat};

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

    #[test]
    fn lines_have_a_limit() {
        let longest = [&vec![b'a'; MAX_LINE][..], b"\r\n"].concat();
        let mut reader = LineReader::new(longest.chain(BufReader::new(repeat(b'b'))));
        assert_eq!(reader.next_line().expect("it has room").expect("a line").text.len(), MAX_LINE);
        // One without an end does not fill the memory.
        assert!(matches!(reader.next_line(), Err(LineError::TooLong { line: 2 })));
        for end in ["\n", "", "\r\n"] {
            let longer = [&vec![b'a'; MAX_LINE + 1][..], end.as_bytes()].concat();
            assert!(matches!(LineReader::new(&*longer).next_line(), Err(LineError::TooLong { line: 1 })), "{end:?}");
        }
    }

    #[test]
    fn what_is_no_text_is_refused() {
        for (bytes, expected) in [(&b"\xff\xfeH\0i\0\n\0"[..], "FF FE"), (b"\xfe\xff\0H\0i\0\n", "FE FF")] {
            assert!(matches!(LineReader::new(bytes).next_line(), Err(LineError::Utf16 { mark }) if mark == expected));
        }
        let mut reader = LineReader::new(&b"one\ntw\0o\n"[..]);
        assert!(reader.next_line().is_ok());
        assert!(matches!(reader.next_line(), Err(LineError::Binary(Binary { line: 2, byte: 3 }))));
        // A stray one far into a corpus is only a character.
        let far = ["a\n".repeat(HEAD_BYTES / 2).as_bytes(), b"b\0\n"].concat();
        assert_eq!(read(&far).0.last().map(|line| &*line.text), Some("b\0"));
        assert_eq!(Binary::find(b"a\n\nbc\0"), Err(Binary { line: 3, byte: 3 }));
        assert_eq!(Binary::find(b"a\nb\n"), Ok(()));
    }
}

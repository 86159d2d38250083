//! What can be wrong with a model's files.

/// Why a model could not be read.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The bytes of a file contradict its format.
    #[error("{file}: {item}, byte {offset}: {fault}")]
    Malformed {
        /// The file's name.
        file: String,
        /// The tensor, header or line in question.
        item: String,
        /// Where in the file, in bytes.
        offset: u64,
        /// What is wrong there.
        fault: Fault,
    },
    /// The model needs something that this engine does not compute; translating without it would be wrong.
    #[error("{file}: `{option}` is `{value}`, which is not supported; supported is: {supported}")]
    Unsupported {
        /// The file's name.
        file: String,
        /// The option's name in the model's configuration.
        option: String,
        /// The value found.
        value: String,
        /// The values that would work.
        supported: String,
    },
    /// A file that a model needs is not there.
    #[error("{place}: no {part} found; {advice}")]
    Missing {
        /// The folder or list of files that was searched.
        place: String,
        /// What was looked for.
        part: &'static str,
        /// What to do.
        advice: String,
    },
    /// Several files could play one part.
    #[error("{place}: {} could each be the {part}; {advice}", .candidates.join(", "))]
    Ambiguous {
        /// The folder or list of files that was searched.
        place: String,
        /// What was looked for.
        part: &'static str,
        /// The files that fit.
        candidates: Vec<String>,
        /// What to do.
        advice: &'static str,
    },
    /// The vocabulary is a list of words, which does not say how a text becomes such words, and no file beside it does.
    #[error(
        "{place}: the vocabulary `{file}` is a list of words with their numbers; expected beside it is the SentencePiece model that cuts a \
         text into them: `source.spm` and `target.spm`, or one `.spm` for both languages"
    )]
    ListOfWords {
        /// The folder or list of files that was searched.
        place: String,
        /// The vocabulary.
        file: String,
    },
    /// A vocabulary's list of words and its SentencePiece model cannot become one.
    #[error(transparent)]
    Vocabulary(#[from] Box<crate::text::vocab::VocabularyError>),
    /// A file could not be read.
    #[error("{path}: {source}")]
    Io {
        /// The file's path.
        path: String,
        /// The system's reason.
        source: std::io::Error,
    },
}

/// What is wrong at one place of a file.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Fault {
    /// The file ends too early, or a length in it is too large.
    #[error("{needed} bytes expected, {available} there; the file is incomplete or damaged, fetch it again")]
    Truncated {
        /// Bytes that should follow.
        needed: u64,
        /// Bytes that do.
        available: u64,
    },
    /// The file is of another kind.
    #[error("not {expected}")]
    Kind {
        /// The kind of file that was expected.
        expected: &'static str,
    },
    /// A format version that this program does not know.
    #[error("version {found} of the format, this program reads {known}")]
    Version {
        /// The file's version.
        found: u64,
        /// Known versions.
        known: &'static str,
    },
    /// Something that only a newer version of this program knows, and that cannot be left out.
    #[error("{0} is not known to this version of the program; the package needs a newer version")]
    Newer(String),
    /// A count or length outside of what is possible.
    #[error("{what} is {found}, at most {limit} is possible")]
    Count {
        /// What is counted.
        what: &'static str,
        /// The count found.
        found: u64,
        /// The largest possible.
        limit: u64,
    },
    /// A tensor's shape does not fit.
    #[error("shape {found:?}, expected {expected}")]
    Shape {
        /// What would fit.
        expected: String,
        /// The shape found.
        found: Vec<u64>,
    },
    /// Values of a type that weights cannot have.
    #[error("values of type {found}, expected {expected}")]
    Type {
        /// The type found.
        found: String,
        /// The types that are read.
        expected: &'static str,
    },
    /// A quantization scale must be finite and positive.
    #[error("quantization scale {0} is not a finite positive number")]
    Scale(f32),
    /// A weight must be finite.
    #[error("weight {0} is not finite")]
    NotFinite(f32),
    /// Quantized weights are symmetric: −127 to 127.
    #[error("quantized weight -128, the range is -127 to 127")]
    WeightRange,
    /// A name or text is not UTF-8.
    #[error("text is not valid UTF-8")]
    Utf8,
    /// Two items share a name or bytes.
    #[error("overlaps or repeats {0}")]
    Overlap(String),
    /// A checksum differs.
    #[error("checksum {found:016x}, expected {expected:016x}; the file is damaged, fetch it again")]
    Checksum {
        /// The checksum recorded in the file.
        expected: u64,
        /// The checksum of the bytes found.
        found: u64,
    },
    /// Something that must be there is not.
    #[error("missing {0}")]
    Absent(String),
    /// A library that reads a part of the file reports an error.
    #[error("{0}")]
    Parse(String),
}

/// Shorthand for a [`Error::Malformed`].
pub(crate) fn malformed(file: &str, item: impl Into<String>, offset: u64, fault: Fault) -> Error {
    Error::Malformed { file: file.to_owned(), item: item.into(), offset, fault }
}

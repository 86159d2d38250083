//! Standard output and standard error as other programs give them: a terminal, a file on a full disk, a pipe that nobody reads any more.

use crate::progress;
use std::error::Error;
use std::fmt::{self, Display, Formatter};
use std::io::{self, ErrorKind, StdoutLock, Write};

/// Writes a line to standard error.
macro_rules! tell {
    ($($words:tt)*) => { $crate::streams::tell_words(format_args!($($words)*)) };
}
pub(crate) use tell;

/// Writes a line to standard error, above the progress if that is on the terminal. If it cannot be written, there is nobody to tell, and the
/// work goes on.
pub fn tell_words(words: fmt::Arguments) {
    let line = format!("{words}\n");
    progress::suspend(|| {
        let _ = io::stderr().lock().write_all(line.as_bytes());
    });
}

/// Why standard output took no more.
#[derive(Debug)]
pub struct OutputError {
    source: io::Error,
}

impl OutputError {
    /// An error of standard output as what [`Write`] returns.
    fn wrap(source: io::Error) -> io::Error {
        // Those who write again after an interruption must be able to tell.
        if source.kind() == ErrorKind::Interrupted {
            return source;
        }
        io::Error::new(source.kind(), OutputError { source })
    }

    /// The error of standard output that led to `error`.
    fn behind(error: &anyhow::Error) -> Option<&OutputError> {
        error.chain().find_map(|cause| cause.downcast_ref::<io::Error>()?.get_ref()?.downcast_ref())
    }
}

impl Display for OutputError {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter.write_str("cannot write standard output")
    }
}

impl Error for OutputError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&self.source)
    }
}

/// Whether `error` is that whoever reads standard output has closed it, as `head` does when it has seen enough.
pub fn is_closed(error: &anyhow::Error) -> bool {
    OutputError::behind(error).is_some_and(|error| error.source.kind() == ErrorKind::BrokenPipe)
}

/// Prints what `--help` and `--version` ask for, in colours where the terminal has them.
pub fn print(help: &clap::Error) -> anyhow::Result<()> {
    Ok(help.print().map_err(OutputError::wrap)?)
}

/// Ends this program as a closed pipe ends others: by SIGPIPE and without a word. A shell then knows that not everything was written.
pub fn end_by_closed_pipe() -> ! {
    #[cfg(unix)]
    let _ = signal_hook::low_level::emulate_default_handler(signal_hook::consts::SIGPIPE);
    std::process::exit(141);
}

/// Standard output, whose errors say that they are its own.
pub struct Output(StdoutLock<'static>);

/// Locks standard output.
pub fn output() -> Output {
    Output(io::stdout().lock())
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes).map_err(OutputError::wrap)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush().map_err(OutputError::wrap)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::Context;

    #[test]
    fn only_standard_output_that_is_closed_ends_quietly() {
        let broken = || io::Error::from(ErrorKind::BrokenPipe);
        let own = |source: io::Error| Err::<(), _>(OutputError::wrap(source));
        assert!(is_closed(&own(broken()).unwrap_err().into()));
        assert!(is_closed(&own(broken()).context("while it was written").unwrap_err()));
        assert!(is_closed(&anyhow::Error::from(io::Error::from(serde_json::Error::io(OutputError::wrap(broken()))))));
        // Another pipe, such as a FIFO that --output names.
        assert!(!is_closed(&Err::<(), _>(broken()).context("cannot write x").unwrap_err()));
        let full = own(ErrorKind::StorageFull.into()).unwrap_err();
        assert_eq!(wanderwort::in_words(&full), format!("cannot write standard output: {}", ErrorKind::StorageFull));
        assert!(!is_closed(&full.into()));
    }
}

//! What one of several processes is told: a hidden option on its command line, followed by the options of the whole.

use crate::processors::{list, numbers, pin};
use anyhow::Result;
use std::num::NonZeroUsize;
use std::str::FromStr;

/// The place of one process: its threads, and the processors that it stays on; none: anywhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Threads that translate.
    pub threads: NonZeroUsize,
    /// Numbers of processors.
    pub processors: Vec<usize>,
}

/// The option that a process finds on its command line if it is one of several.
#[derive(clap::Args, Clone, Debug)]
pub struct PartArgument {
    #[arg(long = Part::OPTION, hide = true)]
    pub part: Option<Part>,
}

impl Part {
    /// The option's name.
    pub const OPTION: &str = "part";

    /// As an argument.
    pub fn argument(&self) -> String {
        format!("--{}={}:{}", Self::OPTION, self.threads, list(&self.processors))
    }

    /// Pins this process where it belongs. To be called before anything else: memory and threads stay where they are created.
    pub fn settle(&self) -> Result<()> {
        if !self.processors.is_empty() {
            pin(&self.processors)?;
        }
        Ok(())
    }
}

impl FromStr for Part {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = text.split_once(':').and_then(|(threads, processors)| {
            Some(Part { threads: threads.parse().ok()?, processors: numbers(processors) })
        });
        found.ok_or_else(|| "expected a number of threads, a colon and numbers of processors".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::Part;
    use std::num::NonZeroUsize;

    #[test]
    fn goes_through_a_command_line() {
        for processors in [vec![], vec![3, 7]] {
            let part = Part { threads: NonZeroUsize::new(2).expect("not zero"), processors };
            assert_eq!(part.argument().strip_prefix("--part=").map(str::parse), Some(Ok(part)));
        }
        assert!("0:1".parse::<Part>().is_err());
    }
}

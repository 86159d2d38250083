//! Versions of models.

use std::cmp::Ordering;
use std::fmt;

/// A version: numbers, and a suffix for what came before a release, as in `1.0a2`. Anything without a version is 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Version {
    major: u32,
    minor: u32,
    suffix: String,
}

impl Version {
    /// Reads a version. Numbers after the second do not count.
    pub fn parse(text: &str) -> Option<Version> {
        let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
        let (major, rest) = text.split_at(digits(text));
        let major = major.parse().ok()?;
        let rest = rest.strip_prefix('.').unwrap_or(rest);
        let (minor, suffix) = rest.split_at(digits(rest));
        let minor = if minor.is_empty() { 0 } else { minor.parse().ok()? };
        let is_plain = suffix.len() <= 16
            && suffix.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'.' || byte == b'-');
        let suffix = if suffix.starts_with('.') { "" } else { suffix };
        is_plain.then(|| Version { major, minor, suffix: suffix.to_owned() })
    }

    /// The first number, which changes with the form of the files.
    pub fn major(&self) -> u32 {
        self.major
    }
}

impl Ord for Version {
    fn cmp(&self, other: &Self) -> Ordering {
        // A release is newer than what came before it.
        let key = |version: &Self| (version.major, version.minor, version.suffix.is_empty());
        key(self).cmp(&key(other)).then_with(|| self.suffix.cmp(&other.suffix))
    }
}

impl PartialOrd for Version {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}{}", self.major, self.minor, self.suffix)
    }
}

//! Numbers on the command line, each within a range that an error tells.

use clap::builder::{RangedU64ValueParser, TypedValueParser};
use std::num::NonZeroUsize;
use std::ops::RangeInclusive;
use std::str::FromStr;

/// Threads and processes: more than any machine has processors, and few enough to be started.
pub const MAX_THREADS: usize = 1024;

/// Hypotheses of a beam, as in packages and settings.
pub const MAX_BEAM: usize = 64;

/// A whole number from 1 to `most`.
pub fn count(most: usize) -> impl TypedValueParser<Value = NonZeroUsize> {
    RangedU64ValueParser::<usize>::new()
        .range(1..=most as u64)
        .map(|number| NonZeroUsize::new(number).expect("the range begins with 1"))
}

/// A whole number from 0 to `most`.
pub fn count_or_none(most: usize) -> impl TypedValueParser<Value = usize> {
    RangedU64ValueParser::<usize>::new().range(0..=most as u64)
}

/// Threads or processes.
pub fn threads() -> impl TypedValueParser<Value = NonZeroUsize> {
    count(MAX_THREADS)
}

/// Hypotheses.
pub fn beam() -> impl TypedValueParser<Value = NonZeroUsize> {
    count(MAX_BEAM)
}

/// A number within a range.
fn within<T: FromStr + PartialOrd + std::fmt::Display>(text: &str, range: RangeInclusive<T>) -> Result<T, String> {
    // NaN is in no range.
    let number = text.parse().ok().filter(|number| range.contains(number));
    number.ok_or_else(|| format!("expected a number from {} to {}", range.start(), range.end()))
}

/// A power, of a length or of e; as a threshold, the largest one prunes nothing.
pub fn power(text: &str) -> Result<f32, String> {
    within(text, 0.0..=1e9)
}

/// Seconds of a measurement; up to a day.
pub fn seconds(text: &str) -> Result<f64, String> {
    within(text, 0.0..=86_400.0)
}

#[cfg(test)]
mod tests {
    use super::{power, seconds};

    #[test]
    fn numbers_are_in_their_ranges() {
        assert_eq!(["0", "0.5", "1e9"].map(power), [Ok(0.0), Ok(0.5), Ok(1e9)]);
        for wrong in ["-1", "1e10", "NaN", "inf", "-inf", "1e39", "", "one"] {
            assert_eq!(power(wrong), Err("expected a number from 0 to 1000000000".to_owned()), "{wrong}");
        }
        assert_eq!(seconds("86401"), Err("expected a number from 0 to 86400".to_owned()));
    }
}

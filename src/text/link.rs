//! Which part of a translation comes from which part of its source.

use std::ops::Range;

/// A part of a translation and the part of the source that it translates, in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// Bytes in the translation.
    pub target: Range<usize>,
    /// Bytes in the source; empty at the end of a sentence for what is aligned to its end mark.
    pub source: Range<usize>,
}

/// Whether two ranges share a byte.
pub(crate) fn overlap(a: &Range<usize>, b: &Range<usize>) -> bool {
    a.start < b.end && b.start < a.end
}

/// How many bytes two ranges share.
pub(crate) fn shared(a: &Range<usize>, b: &Range<usize>) -> usize {
    a.end.min(b.end).saturating_sub(a.start.max(b.start))
}

//! Bytes that start on a cache line.

/// One cache line.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
struct Line([u8; 64]);

/// A growable byte buffer whose first byte lies on a multiple of 64.
#[derive(Clone, Debug, Default)]
pub(crate) struct AlignedBytes {
    lines: Vec<Line>,
    length: usize,
}

impl AlignedBytes {
    /// Sets the length; memory is kept for reuse. Bytes keep what they last held; those never written are zero.
    pub(crate) fn resize(&mut self, length: usize) {
        let lines = length.div_ceil(64);
        if lines > self.lines.capacity() {
            self.lines.reserve_exact(lines - self.lines.len());
        }
        if lines > self.lines.len() {
            self.lines.resize(lines, Line([0; 64]));
        }
        self.length = length;
    }

    /// Bytes of memory held.
    pub(crate) fn capacity(&self) -> usize {
        self.lines.capacity() * 64
    }

    pub(crate) fn as_slice(&self) -> &[u8] {
        // SAFETY: the lines hold at least `length` initialized bytes, without padding between them.
        unsafe { std::slice::from_raw_parts(self.lines.as_ptr().cast(), self.length) }
    }

    pub(crate) fn as_mut_slice(&mut self) -> &mut [u8] {
        // SAFETY: as above, and the borrow is exclusive.
        unsafe { std::slice::from_raw_parts_mut(self.lines.as_mut_ptr().cast(), self.length) }
    }

    /// The bytes as signed integers.
    pub(crate) fn as_signed(&self) -> &[i8] {
        // SAFETY: as above; every byte is a valid `i8`.
        unsafe { std::slice::from_raw_parts(self.lines.as_ptr().cast(), self.length) }
    }

    /// The bytes as signed integers.
    pub(crate) fn as_signed_mut(&mut self) -> &mut [i8] {
        // SAFETY: as above; every byte is a valid `i8`.
        unsafe { std::slice::from_raw_parts_mut(self.lines.as_mut_ptr().cast(), self.length) }
    }
}

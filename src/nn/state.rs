//! What the sublayers of a decoder remember of the rows at work.

use crate::kernels::attention::KeysValues;

/// What one sublayer remembers, row by row, so that rows come and go at any step.
#[derive(Debug)]
pub(crate) enum State {
    /// A vector for each row: cells, means.
    Vectors {
        /// Its length.
        width: usize,
        /// `rows × width`
        values: Vec<f32>,
    },
    /// The keys and values of what each row has said.
    Said {
        /// Of keys and of values.
        width: usize,
        /// Among which the width is divided.
        heads: usize,
        /// One for each row.
        rows: Vec<KeysValues>,
        /// Memory of rows that left.
        spare: Vec<KeysValues>,
    },
}

impl State {
    /// Vectors of `width`, without rows.
    pub(crate) fn vectors(width: usize) -> Self {
        State::Vectors { width, values: Vec::new() }
    }

    /// Keys and values, without rows.
    pub(crate) fn said(width: usize, heads: usize) -> Self {
        State::Said { width, heads, rows: Vec::new(), spare: Vec::new() }
    }

    /// The vectors of all rows.
    ///
    /// # Panics
    /// If this is not such a state.
    pub(crate) fn as_vectors(&mut self) -> &mut [f32] {
        match self {
            State::Vectors { values, .. } => values,
            State::Said { .. } => unreachable!("a sublayer gets the state that it made"),
        }
    }

    /// The keys and values of all rows.
    ///
    /// # Panics
    /// If this is not such a state.
    pub(crate) fn as_said(&mut self) -> &mut [KeysValues] {
        match self {
            State::Said { rows, .. } => rows,
            State::Vectors { .. } => unreachable!("a sublayer gets the state that it made"),
        }
    }

    /// Adds rows that remember nothing: vectors of zeros, no positions.
    pub(crate) fn admit(&mut self, count: usize) {
        match self {
            State::Vectors { width, values } => values.resize(values.len() + count * *width, 0.0),
            State::Said { width, heads, rows, spare } => {
                for _ in 0..count {
                    let mut said = spare.pop().unwrap_or_default();
                    said.clear(*width, *heads);
                    rows.push(said);
                }
            }
        }
    }

    /// Removes `row`; the last row takes its place.
    pub(crate) fn swap_remove(&mut self, row: usize) {
        match self {
            State::Vectors { width, values } => {
                let last = values.len() - *width;
                values.copy_within(last.., row * *width);
                values.truncate(last);
            }
            State::Said { rows, spare, .. } => spare.push(rows.swap_remove(row)),
        }
    }

    /// Row `i` becomes a copy of what row `from[i]` was; `moved` is spare memory.
    pub(crate) fn select(&mut self, from: &[usize], moved: &mut Vec<f32>) {
        match self {
            State::Vectors { width, values } => {
                moved.clear();
                for &row in from {
                    moved.extend_from_slice(&values[row * *width..(row + 1) * *width]);
                }
                std::mem::swap(values, moved);
            }
            State::Said { rows, spare, .. } => {
                // The last row to continue another takes it over, so that only branches are copied.
                let mut uses = vec![0usize; rows.len()];
                from.iter().for_each(|&row| uses[row] += 1);
                let mut before: Vec<Option<KeysValues>> = rows.drain(..).map(Some).collect();
                for &row in from {
                    uses[row] -= 1;
                    rows.push(if uses[row] == 0 {
                        before[row].take().expect("taken once, by the last")
                    } else {
                        let mut copy = spare.pop().unwrap_or_default();
                        copy.clone_from(before[row].as_ref().expect("taken by the last only"));
                        copy
                    });
                }
                spare.extend(before.into_iter().flatten());
            }
        }
    }
}

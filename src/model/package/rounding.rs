//! Rounding that compensates with the next weight for the error of the last.
//!
//! What quantization must preserve is not a matrix W but its products: for a column w and the values q of its integers, the error over
//! rows x of activations is `E[(x·(w − q))²] = (w − q)ᵀ H (w − q)`, with the second moments `H = E[xᵀx]` of what enters the product.
//! Where channels of x vary together, as after a ReLU, after a norm and nearly everywhere in a transformer, other weights can compensate
//! for an error in one. With H = LᵀL, L lower triangular, the error is
//!
//! ```text
//! ‖L (w − q)‖² = Σₖ Lₖₖ² · (wₖ + Σ_{j<k} (Lₖⱼ / Lₖₖ) (wⱼ − qⱼ)  −  qₖ)²
//! ```
//!
//! so the weights are rounded one after the other, each as if it were the term before the minus sign: of the errors before it, only
//! what it cannot compensate for is left (Frantar et al., "GPTQ: Accurate Post-Training Quantization for Generative Pre-trained
//! Transformers", 2023; in this form, without the inverse of H, by Chee et al., "QuIP: 2-Bit Quantization of Large Language Models with
//! Guarantees", 2023, section 3). The channels with the largest moments come first, since all the others can compensate for their
//! errors.

use std::cmp::Ordering;

/// The second moments of the rows that enter a product: `E[xᵢ xⱼ]`.
#[derive(Clone, Debug, PartialEq)]
pub struct SecondMoments {
    width: usize,
    rows: u64,
    /// Σ xᵢ xⱼ for j ≤ i, row after row of the triangle.
    sums: Vec<Sum>,
}

/// A sum that does not depend on the order of its terms, in which threads bring them: so packages are the same to the byte each time. A term is
/// split into multiples of two fixed steps, and sums of those are exact (Demmel and Nguyen, 2015, "Parallel Reproducible Summation").
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Sum {
    /// Of multiples of 2⁻¹², exact up to 2⁴¹.
    coarse: f64,
    /// Of what is left of each term, at most 2⁻¹³, in multiples of 2⁻⁴²; exact for 2²⁴ terms.
    fine: f64,
}

impl Sum {
    #[inline(always)]
    fn add(&mut self, term: f64) {
        // A number of this size has no digits beyond the step, so adding it rounds the term to multiples of the step.
        const COARSE: f64 = 1.5 * (1u64 << 40) as f64;
        const FINE: f64 = 1.5 * (1u64 << 10) as f64;
        let coarse = (term + COARSE) - COARSE;
        self.coarse += coarse;
        self.fine += ((term - coarse) + FINE) - FINE;
    }

    fn value(self) -> f64 {
        self.coarse + self.fine
    }
}

impl SecondMoments {
    /// The moments of no rows yet, each `width` long.
    pub fn new(width: usize) -> Self {
        Self { width, rows: 0, sums: vec![Sum::default(); width * (width + 1) / 2] }
    }

    /// Adds rows stored one after the other.
    ///
    /// # Panics
    /// If they are not whole rows.
    pub fn add(&mut self, rows: &[f32]) {
        if self.width == 0 {
            return;
        }
        assert!(rows.len().is_multiple_of(self.width), "whole rows of {}", self.width);
        for row in rows.chunks_exact(self.width) {
            self.rows += 1;
            let mut rest = self.sums.as_mut_slice();
            for (i, &value) in row.iter().enumerate() {
                let (sums, behind) = rest.split_at_mut(i + 1);
                rest = behind;
                // Most channels of a hidden layer are zero in a row.
                if value != 0.0 {
                    let value = f64::from(value);
                    for (sum, &other) in sums.iter_mut().zip(row) {
                        sum.add(value * f64::from(other));
                    }
                }
            }
        }
    }

    /// The length of a row.
    pub fn width(&self) -> usize {
        self.width
    }

    /// How many rows there were.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    fn sum(&self, i: usize, j: usize) -> f64 {
        let (i, j) = if j <= i { (i, j) } else { (j, i) };
        self.sums[i * (i + 1) / 2 + j].value()
    }
}

/// What is added to the diagonal of H, as a share of its mean: channels that the text never used must not change wildly, and a few rows
/// are only a sample. GPTQ's share.
const DAMPING: f64 = 0.01;

/// How the error of a weight is spread over those that are rounded later.
#[derive(Clone, Debug)]
pub struct Feedback {
    /// The channels in the order in which they are rounded.
    order: Vec<usize>,
    /// Lₖⱼ / Lₖₖ for j < k, both counted in that order, row after row of the triangle.
    shares: Vec<f32>,
}

impl Feedback {
    /// From the moments of what enters the product. `also_looked_up` says that the matrix is an embedding too, whose words must also
    /// stay what they are: H then counts as much as the identity, in which every channel weighs the same.
    ///
    /// None without moments: no rows, or nothing but zeros in them.
    pub fn new(moments: &SecondMoments, also_looked_up: bool) -> Option<Self> {
        let width = moments.width;
        let trace: f64 = (0..width).map(|i| moments.sum(i, i)).sum();
        let mean = trace / width.max(1) as f64;
        if !(mean.is_finite() && mean > 0.0) {
            return None;
        }
        let mut order: Vec<usize> = (0..width).collect();
        // Stable, so that equal channels stay in order.
        order.sort_by(|&a, &b| moments.sum(b, b).partial_cmp(&moments.sum(a, a)).unwrap_or(Ordering::Equal));
        let diagonal = DAMPING + if also_looked_up { 1.0 } else { 0.0 };
        let mut triangle: Vec<f64> = Vec::with_capacity(width * (width + 1) / 2);
        for (k, &i) in order.iter().enumerate() {
            triangle.extend(order[..=k].iter().map(|&j| moments.sum(i, j) / mean));
            *triangle.last_mut().expect("the diagonal") += diagonal;
        }
        decompose(&mut triangle, width);
        let mut shares = Vec::with_capacity(triangle.len() - width);
        for k in 0..width {
            let row = row_of(&triangle, k);
            shares.extend(row[..k].iter().map(|value| (value / row[k]) as f32));
        }
        Some(Self { order, shares })
    }

    /// The number of channels.
    pub fn width(&self) -> usize {
        self.order.len()
    }

    /// Rounds a column: `round` is called for each channel, with its place in the column and the value that it should have, and
    /// returns the value that it will have.
    ///
    /// Two channels that are always equal share what rounding leaves of them:
    ///
    /// ```
    /// use wanderwort::model::package::rounding::{Feedback, SecondMoments};
    /// let mut moments = SecondMoments::new(2);
    /// moments.add(&[1.0, 1.0, -2.0, -2.0]);
    /// let feedback = Feedback::new(&moments, false).expect("something to go by");
    /// let mut rounded = [0.0; 2];
    /// feedback.round(&[0.4, 0.4], |channel, value| {
    ///     rounded[channel] = value.round();
    ///     rounded[channel]
    /// });
    /// assert_eq!(rounded, [0.0, 1.0]); // Their sum stays nearly the 0.8 that it was.
    /// ```
    ///
    /// # Panics
    /// If the column's length is not [`Feedback::width`].
    pub fn round(&self, column: &[f32], mut round: impl FnMut(usize, f32) -> f32) {
        assert_eq!(column.len(), self.order.len(), "a column as long as the rows that enter its product");
        let mut errors: Vec<f32> = Vec::with_capacity(column.len());
        let mut shares = self.shares.as_slice();
        for (k, &channel) in self.order.iter().enumerate() {
            let (own, behind) = shares.split_at(k);
            shares = behind;
            let target = column[channel] + dot(own, &errors);
            // Only the weight's own error is passed on; its share of the others' errors is compensated for with it.
            errors.push(column[channel] - round(channel, target));
        }
    }
}

/// Σ aᵢ bᵢ in eight sums, which the compiler keeps in vectors.
fn dot(a: &[f32], b: &[f32]) -> f32 {
    let (a_blocks, a_rest) = a.as_chunks::<8>();
    let (b_blocks, b_rest) = b.as_chunks::<8>();
    let mut sums = [0.0f32; 8];
    for (a, b) in a_blocks.iter().zip(b_blocks) {
        for ((sum, a), b) in sums.iter_mut().zip(a).zip(b) {
            *sum += a * b;
        }
    }
    sums.iter().sum::<f32>() + a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum::<f32>()
}

fn row_of(triangle: &[f64], row: usize) -> &[f64] {
    let start = row * (row + 1) / 2;
    &triangle[start..=start + row]
}

/// Turns the lower triangle of a positive definite H into that of L with H = LᵀL: from the last row up, each row's part is subtracted
/// from the rows above it.
fn decompose(triangle: &mut [f64], width: usize) {
    for k in (0..width).rev() {
        let (above, from) = triangle.split_at_mut(k * (k + 1) / 2);
        let row = &mut from[..=k];
        // Positive except for rounding: damping keeps it far from zero.
        let root = row[k].max(f64::MIN_POSITIVE).sqrt();
        row.iter_mut().for_each(|value| *value /= root);
        let mut rest = above;
        for i in 0..k {
            let (part, behind) = rest.split_at_mut(i + 1);
            rest = behind;
            let factor = row[i];
            for (value, other) in part.iter_mut().zip(&*row) {
                *value -= factor * other;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Rows of numbers around zero; each channel is mixed with the one before it, so that they vary together.
    fn rows(width: usize, count: usize, seed: u64) -> Vec<f32> {
        let mut state = seed | 1;
        let mut random = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 40) as f32 / (1u64 << 24) as f32 - 0.5
        };
        let mut rows = Vec::with_capacity(width * count);
        for _ in 0..count {
            let mut last = random();
            for _ in 0..width {
                last = 0.8 * last + random();
                rows.push(last);
            }
        }
        rows
    }

    fn error(rows: &[f32], difference: &[f32]) -> f64 {
        let products = rows.chunks_exact(difference.len()).map(|row| f64::from(dot(row, difference)).powi(2));
        products.sum()
    }

    #[test]
    fn moments_are_sums_of_products() {
        let mut moments = SecondMoments::new(3);
        moments.add(&[1.0, 2.0, 0.0, -3.0, 0.5, 4.0]);
        assert_eq!((moments.rows(), moments.width()), (2, 3));
        let sums: Vec<f64> = moments.sums.iter().map(|sum| sum.value()).collect();
        assert_eq!(sums, [10.0, 0.5, 4.25, -12.0, 2.0, 16.0]);
        assert_eq!(moments.sum(0, 2), moments.sum(2, 0));
    }

    #[test]
    fn the_triangle_times_itself_is_the_matrix() {
        let mut moments = SecondMoments::new(9);
        moments.add(&rows(9, 40, 5));
        let mut triangle: Vec<f64> = moments.sums.iter().map(|sum| sum.value()).collect();
        decompose(&mut triangle, 9);
        for i in 0..9 {
            for j in 0..=i {
                // (LᵀL)ᵢⱼ = Σ_{k ≥ i} Lₖᵢ Lₖⱼ
                let product: f64 = (i..9).map(|k| row_of(&triangle, k)[i] * row_of(&triangle, k)[j]).sum();
                assert!((product - moments.sum(i, j)).abs() < 1e-9 * moments.sum(i, i), "{i}, {j}");
            }
        }
    }

    #[test]
    fn nothing_to_go_by() {
        assert!(Feedback::new(&SecondMoments::new(4), false).is_none());
        let mut zeros = SecondMoments::new(2);
        zeros.add(&[0.0; 6]);
        assert!(Feedback::new(&zeros, true).is_none());
        assert!(Feedback::new(&SecondMoments::new(0), false).is_none());
        let mut wrong = SecondMoments::new(1);
        wrong.add(&[f32::MAX, f32::INFINITY]);
        assert!(Feedback::new(&wrong, false).is_none());
    }

    #[test]
    fn channels_that_do_not_vary_together_are_rounded_to_the_nearest() {
        let mut moments = SecondMoments::new(3);
        moments.add(&[1.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 3.0]);
        let feedback = Feedback::new(&moments, false).unwrap();
        let mut asked = Vec::new();
        feedback.round(&[0.3, 0.4, 0.6], |channel, value| {
            asked.push((channel, value));
            value.round()
        });
        assert_eq!(asked, [(2, 0.6), (1, 0.4), (0, 0.3)], "the largest first");
    }

    proptest! {
        /// Each bracket is at most half a level off, so the error is at most Σ Lₖₖ² / 4, and that at most a quarter of the damped trace.
        #[test]
        fn the_error_of_a_column_is_bounded(seed in 1u64.., width in 16usize..40) {
            let rows = rows(width, 400, seed);
            let mut moments = SecondMoments::new(width);
            moments.add(&rows);
            let column: Vec<f32> = self::rows(width, 1, seed ^ 0x5555).iter().map(|value| value * 4.0).collect();
            let feedback = Feedback::new(&moments, false).unwrap();
            let mut kept = vec![0.0; width];
            feedback.round(&column, |channel, value| {
                kept[channel] = value.round();
                kept[channel]
            });
            let difference: Vec<f32> = column.iter().zip(&kept).map(|(value, kept)| value - kept).collect();
            let trace: f64 = (0..width).map(|i| moments.sum(i, i)).sum();
            let (found, bound) = (error(&rows, &difference), (1.0 + DAMPING) * trace / 4.0);
            prop_assert!(found < 1.001 * bound, "{found}, at most {bound}");
        }
    }

    #[test]
    fn errors_of_many_columns_shrink() {
        let width = 64;
        let rows = rows(width, 1000, 77);
        let mut moments = SecondMoments::new(width);
        moments.add(&rows);
        let feedback = Feedback::new(&moments, false).unwrap();
        let (mut with, mut without) = (0.0, 0.0);
        for column in self::rows(width, 50, 99).chunks_exact(width) {
            let mut difference = vec![0.0; width];
            feedback.round(column, |channel, value| {
                let rounded = (value * 2.0).round() / 2.0;
                difference[channel] = column[channel] - rounded;
                rounded
            });
            with += error(&rows, &difference);
            let nearest: Vec<f32> = column.iter().map(|value| value - (value * 2.0).round() / 2.0).collect();
            without += error(&rows, &nearest);
        }
        assert!(with < 0.5 * without, "{with} after {without}");
    }
}

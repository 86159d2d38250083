//! Logarithmic 4-bit quantization: a sign and a power of two under a scale.
//!
//! A weight w becomes `s · l`, with l one of the levels of a [`Codebook`] and s a scale for the whole matrix or for each
//! column. The scale minimises the squared error Σ (w − s·l)², alternating between the two conditions that hold at the
//! optimum until nothing changes (Aji and Heafield, "Neural Machine Translation with 4-Bit Precision and Beyond", 2019,
//! section 3.2; Bogoychev et al., "Edinburgh's Submissions to the 2020 Machine Translation Efficiency Task", section
//! 5.2): each weight takes its nearest level, and s = Σ w·l / Σ l². With sorted magnitudes and their prefix sums, a step
//! costs one binary search for each level, whatever the size.
//!
//! Codes are entropy-coded afterwards, so a frequent level is cheaper than a rare one. With a rate weight λ a weight
//! takes the level with the smallest `(w − s·l)² + λ · D · bits(l)`, where D is the mean squared error without it
//! (entropy-constrained quantization: Chou, Lookabaugh and Gray, 1989): a few percent fewer bits for hardly more error.
//!
//! The levels are integers, so that a dequantized matrix is an exact int8 matrix: nothing is rounded twice.

use super::super::tensor::Int8Tensor;
use super::rounding::Feedback;

/// The levels that a code can stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Codebook {
    /// 0 and seven magnitudes each way, ±1 … ±32 and ±63: fifteen codes. The outermost is 63, not 64, so that
    /// `weight + 64` fits seven bits and the fast dot products of every instruction set stay exact.
    Zero,
    /// Eight magnitudes each way, ±1 … ±64 and ±127: sixteen codes.
    NoZero,
}

impl Codebook {
    /// The levels, in rising order; a code is an index.
    pub fn levels(self) -> &'static [i8] {
        match self {
            Codebook::Zero => &[-63, -32, -16, -8, -4, -2, -1, 0, 1, 2, 4, 8, 16, 32, 63],
            Codebook::NoZero => &[-127, -64, -32, -16, -8, -4, -2, -1, 1, 2, 4, 8, 16, 32, 64, 127],
        }
    }

    /// Magnitudes in rising order; the zero level counts as one.
    fn magnitudes(self) -> &'static [i8] {
        match self {
            Codebook::Zero => &self.levels()[7..],
            Codebook::NoZero => &self.levels()[8..],
        }
    }

    /// The code of the magnitude with this index, with a sign.
    fn code(self, magnitude: usize, negative: bool) -> u8 {
        let code = match (self, negative) {
            (Codebook::Zero, false) => 7 + magnitude,
            (Codebook::Zero, true) => 7 - magnitude,
            (Codebook::NoZero, false) => 8 + magnitude,
            (Codebook::NoZero, true) => 7 - magnitude,
        };
        code as u8
    }
}

/// What shares a scale.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Granularity {
    /// The whole matrix.
    Matrix,
    /// Each output column; of an embedding, each word.
    Column,
}

/// How to quantize.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// The levels.
    pub codebook: Codebook,
    /// What shares a scale.
    pub granularity: Granularity,
    /// λ: what a bit is worth, in units of the mean squared error. 0 minimises the error alone.
    pub rate: f64,
}

impl Default for Options {
    fn default() -> Self {
        Options { codebook: Codebook::Zero, granularity: Granularity::Matrix, rate: 0.0 }
    }
}

/// A quantized matrix.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantized {
    /// Length of a column.
    pub inner: usize,
    /// Number of columns.
    pub columns: usize,
    /// The levels that codes stand for.
    pub codebook: Codebook,
    /// `columns × inner` indices into the levels.
    pub codes: Vec<u8>,
    /// The scale s: one, or one for each column.
    pub scales: Vec<f32>,
}

impl Quantized {
    /// The integers and scales that the engine computes with.
    pub fn dequantize(&self) -> Int8Tensor {
        let levels = self.codebook.levels();
        let values = self.codes.iter().map(|&code| levels[usize::from(code)]).collect();
        Int8Tensor { inner: self.inner, columns: self.columns, values, scales: self.scales.clone() }
    }
}

/// Quantizes a matrix given column by column: each value to the nearest level, or so that the errors compensate for each other.
///
/// # Panics
/// If there are not `inner × columns` values, or the feedback is not for rows of `inner`.
pub fn quantize(
    values: &[f32],
    inner: usize,
    columns: usize,
    options: &Options,
    feedback: Option<&Feedback>,
) -> Quantized {
    assert_eq!(values.len(), inner * columns, "a matrix of {inner} × {columns}");
    let group = match options.granularity {
        Granularity::Matrix => values.len(),
        Granularity::Column => inner,
    };
    let magnitudes = options.codebook.magnitudes();
    let groups: Vec<Magnitudes> = values.chunks(group.max(1)).map(Magnitudes::new).collect();
    let mut scales: Vec<f64> = groups.iter().map(|group| group.best_scale(magnitudes)).collect();

    let mut penalties = vec![0.0; magnitudes.len()];
    if options.rate > 0.0 {
        let error: f64 = groups.iter().zip(&scales).map(|(group, &scale)| group.error(magnitudes, scale)).sum();
        let weight = options.rate * error / values.len().max(1) as f64;
        for _ in 0..RATE_ROUNDS {
            let mut counts = vec![0usize; magnitudes.len()];
            for (group, &scale) in groups.iter().zip(&scales) {
                let bounds = group.bounds(magnitudes, scale, &penalties);
                for (count, pair) in counts.iter_mut().zip(bounds.windows(2)) {
                    *count += pair[1] - pair[0];
                }
            }
            for ((penalty, &count), &magnitude) in penalties.iter_mut().zip(&counts).zip(magnitudes) {
                // A sign costs a bit; a level that no weight takes costs as much as one that a single weight takes.
                let bits = (values.len() as f64 / count.max(1) as f64).log2() + f64::from(magnitude > 0);
                *penalty = weight * bits;
            }
        }
    }

    let mut codes = Vec::with_capacity(values.len());
    for ((weights, group), scale) in values.chunks(group.max(1)).zip(&groups).zip(&mut scales) {
        let thresholds = thresholds(magnitudes, *scale, &penalties);
        let nearest = |value: f32| {
            let magnitude = f64::from(value.abs());
            let index = thresholds.iter().filter(|&&threshold| magnitude > threshold).count();
            options.codebook.code(index, value < 0.0)
        };
        if options.rate > 0.0 {
            // The scale follows its weights once, at the end. If it did so in each round, cheaper levels and smaller
            // scales would chase each other until nearly every weight were zero.
            let (product, square) = group.moments(magnitudes, &group.bounds(magnitudes, *scale, &penalties));
            if product > 0.0 && square > 0.0 {
                *scale = product / square;
            }
        }
        match feedback {
            None => codes.extend(weights.iter().map(|&value| nearest(value))),
            Some(feedback) => {
                let levels = options.codebook.levels();
                for column in weights.chunks(inner.max(1)) {
                    let start = codes.len();
                    codes.resize(start + inner, 0);
                    feedback.round(column, |channel, value| {
                        let code = nearest(value);
                        codes[start + channel] = code;
                        (f64::from(levels[usize::from(code)]) * *scale) as f32
                    });
                }
            }
        }
    }
    let scales = scales.iter().map(|&scale| scale as f32).collect();
    Quantized { inner, columns, codebook: options.codebook, codes, scales }
}

/// Rounds in which the levels' rates and their shares are fitted to each other.
const RATE_ROUNDS: usize = 8;
/// The alternation settles within some dozen steps; it may also cycle between neighbours of equal error.
const STEPS: usize = 100;
/// The alternation finds local minima, so it starts from the best of this many scales: from the one with the outermost
/// level at twice the largest magnitude down, in steps of a 32nd of an octave, since heavy tails are better clipped.
const STARTS: u32 = 160;

/// For each pair of neighbouring levels, the magnitude from which the larger is cheaper.
fn thresholds(magnitudes: &[i8], scale: f64, penalties: &[f64]) -> Vec<f64> {
    let mut lowest = 0.0f64;
    let pairs = magnitudes.windows(2).zip(penalties.windows(2));
    pairs
        .map(|(levels, penalty)| {
            let (a, b) = (scale * f64::from(levels[0]), scale * f64::from(levels[1]));
            // (x − a)² + p_a = (x − b)² + p_b
            let equal = (a + b) / 2.0 + (penalty[1] - penalty[0]) / (2.0 * (b - a));
            lowest = lowest.max(equal);
            lowest
        })
        .collect()
}

/// The magnitudes of weights that share a scale: sorted, with prefix sums.
struct Magnitudes {
    sorted: Vec<f32>,
    /// `sums[i]` is the sum of the first i magnitudes.
    sums: Vec<f64>,
    /// Σ w²
    energy: f64,
}

impl Magnitudes {
    fn new(values: &[f32]) -> Self {
        let mut sorted: Vec<f32> = values.iter().map(|value| value.abs()).collect();
        sorted.sort_unstable_by(f32::total_cmp);
        let mut sums = Vec::with_capacity(sorted.len() + 1);
        let (mut sum, mut energy) = (0.0, 0.0);
        sums.push(sum);
        for &value in &sorted {
            sum += f64::from(value);
            energy += f64::from(value) * f64::from(value);
            sums.push(sum);
        }
        Magnitudes { sorted, sums, energy }
    }

    /// Where each level's share of the sorted magnitudes starts, and the end of the last.
    fn bounds(&self, magnitudes: &[i8], scale: f64, penalties: &[f64]) -> Vec<usize> {
        let mut bounds = vec![0];
        for threshold in thresholds(magnitudes, scale, penalties) {
            bounds.push(self.sorted.partition_point(|&value| f64::from(value) <= threshold));
        }
        bounds.push(self.sorted.len());
        bounds
    }

    /// Σ w·l and Σ l² for the levels that `bounds` give.
    fn moments(&self, magnitudes: &[i8], bounds: &[usize]) -> (f64, f64) {
        let (mut product, mut square) = (0.0, 0.0);
        for (&level, pair) in magnitudes.iter().zip(bounds.windows(2)) {
            let level = f64::from(level);
            product += level * (self.sums[pair[1]] - self.sums[pair[0]]);
            square += level * level * (pair[1] - pair[0]) as f64;
        }
        (product, square)
    }

    /// Alternates from `scale` on until the assignment no longer changes.
    fn converge(&self, magnitudes: &[i8], mut scale: f64) -> f64 {
        let free = vec![0.0; magnitudes.len()];
        let mut bounds = self.bounds(magnitudes, scale, &free);
        for _ in 0..STEPS {
            let (product, square) = self.moments(magnitudes, &bounds);
            if !(square > 0.0 && product > 0.0) {
                break;
            }
            scale = product / square;
            let next = self.bounds(magnitudes, scale, &free);
            if next == bounds {
                break;
            }
            bounds = next;
        }
        scale
    }

    /// Σ (w − s·l)² = Σ w² − 2 s Σ w·l + s² Σ l², with the nearest levels.
    fn error(&self, magnitudes: &[i8], scale: f64) -> f64 {
        let bounds = self.bounds(magnitudes, scale, &vec![0.0; magnitudes.len()]);
        let (product, square) = self.moments(magnitudes, &bounds);
        (self.energy - 2.0 * scale * product + scale * scale * square).max(0.0)
    }

    fn best_scale(&self, magnitudes: &[i8]) -> f64 {
        let largest = self.sorted.last().copied().map_or(0.0, f64::from);
        let outermost = f64::from(magnitudes[magnitudes.len() - 1]);
        if largest < f64::from(f32::MIN_POSITIVE) * 256.0 {
            // Nothing but zeros (or values that no scale could express): any scale will do.
            return 1.0 / outermost;
        }
        let starts = (0..STARTS).map(|step| 2.0 * largest / outermost * (-f64::from(step) / 32.0).exp2());
        let scored = starts.map(|scale| (self.error(magnitudes, scale), scale));
        let best = scored.min_by(|a, b| a.0.total_cmp(&b.0)).map_or(1.0, |(_, scale)| scale);
        self.converge(magnitudes, best)
    }
}

/// Σ (w − ŵ)² / Σ w² of a matrix and its quantization, both stored column by column.
pub fn relative_error(values: &[f32], quantized: &Int8Tensor) -> f64 {
    let (mut error, mut energy) = (0.0, 0.0);
    let inner = quantized.inner.max(1);
    for (column, (original, integers)) in values.chunks(inner).zip(quantized.values.chunks(inner)).enumerate() {
        let scale = quantized.scale(column);
        for (&value, &integer) in original.iter().zip(integers) {
            error += f64::from(value - scale * f32::from(integer)).powi(2);
            energy += f64::from(value).powi(2);
        }
    }
    if energy > 0.0 { error / energy } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gaussian(count: usize) -> Vec<f32> {
        let mut state = 1u64;
        let mut uniform = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 40) as f32 / (1u64 << 24) as f32
        };
        (0..count).map(|_| ((0..12).map(|_| uniform()).sum::<f32>() - 6.0) * 0.05).collect()
    }

    fn squared_error(values: &[f32], codebook: Codebook, scale: f64) -> f64 {
        let nearest = |value: f32| {
            let errors = codebook.levels().iter().map(|&level| (f64::from(value) - scale * f64::from(level)).powi(2));
            errors.fold(f64::INFINITY, f64::min)
        };
        values.iter().map(|&value| nearest(value)).sum()
    }

    #[test]
    fn no_other_scale_has_a_smaller_error() {
        let values = gaussian(3000);
        for codebook in [Codebook::Zero, Codebook::NoZero] {
            let quantized = quantize(&values, 3000, 1, &Options { codebook, ..Options::default() }, None);
            let found = squared_error(&values, codebook, f64::from(quantized.scales[0]));
            let energy: f64 = values.iter().map(|&value| f64::from(value).powi(2)).sum();
            assert!((relative_error(&values, &quantized.dequantize()) - found / energy).abs() < 1e-6);
            let largest = values.iter().fold(0.0f32, |largest, value| largest.max(value.abs()));
            for step in 1..2000 {
                let scale = f64::from(largest) / 64.0 * f64::from(step) / 1000.0;
                assert!(squared_error(&values, codebook, scale) > found * 0.999, "{codebook:?} {step}");
            }
        }
    }

    #[test]
    fn every_weight_takes_its_nearest_level() {
        let values = gaussian(512 * 8);
        let options = Options { granularity: Granularity::Column, ..Options::default() };
        let quantized = quantize(&values, 512, 8, &options, None);
        assert_eq!(quantized.scales.len(), 8);
        let integers = quantized.dequantize();
        for (index, (&value, &integer)) in values.iter().zip(&integers.values).enumerate() {
            let scale = integers.scale(index / 512);
            let error = |level: i8| (value - scale * f32::from(level)).abs();
            assert!(Codebook::Zero.levels().iter().all(|&level| error(level) >= error(integer) * 0.99999));
        }
        assert!(relative_error(&values, &integers) < 0.04);
    }

    #[test]
    fn levels_under_a_scale_are_kept_exactly() {
        for codebook in [Codebook::Zero, Codebook::NoZero] {
            let levels = codebook.levels();
            let values: Vec<f32> = (0..960).map(|i| f32::from(levels[i % levels.len()]) * 0.0123).collect();
            let quantized = quantize(&values, 960, 1, &Options { codebook, ..Options::default() }, None);
            let expected: Vec<u8> = (0..960).map(|i| (i % levels.len()) as u8).collect();
            assert_eq!(quantized.codes, expected);
            assert!((quantized.scales[0] - 0.0123).abs() < 1e-8);
        }
    }

    #[test]
    fn a_rate_weight_trades_bits_for_error() {
        let values = gaussian(1 << 16);
        let entropy = |codes: &[u8]| {
            let mut counts = [0f64; 16];
            codes.iter().for_each(|&code| counts[usize::from(code)] += 1.0);
            let total = codes.len() as f64;
            counts.iter().filter(|&&count| count > 0.0).map(|count| count / total * (total / count).log2()).sum::<f64>()
        };
        let plain = quantize(&values, 1 << 16, 1, &Options::default(), None);
        let cheap = quantize(&values, 1 << 16, 1, &Options { rate: 0.02, ..Options::default() }, None);
        let error = |quantized: &Quantized| relative_error(&values, &quantized.dequantize());
        assert!(entropy(&cheap.codes) < entropy(&plain.codes));
        assert!(error(&cheap) >= error(&plain) && error(&cheap) < 1.1 * error(&plain));
    }

    #[test]
    fn degenerate_matrices_are_quantized_too() {
        for values in [vec![], vec![0.0; 6], vec![1e-45; 6], vec![f32::MAX; 6], vec![-1.0; 6]] {
            let inner = values.len();
            let quantized = quantize(&values, inner, usize::from(inner > 0), &Options::default(), None);
            assert!(quantized.scales.iter().all(|scale| scale.is_finite() && *scale > 0.0), "{values:?}");
        }
    }
}

//! The inputs of each int8 product: how large they are, from which static scales are made, and how their channels vary together, by which
//! weights are rounded ([`crate::model::package::rounding`]).
//!
//! A product's multiplier α turns activations into int8, x ↦ clip(round(α · x), ±127). The larger it is, the finer the steps and the
//! more is clipped. It is derived from the largest magnitude m = max|A| in each call of that product over some text.

use crate::model::package::rounding::SecondMoments;
use std::sync::Mutex;

/// What to keep of the activations that enter each int8 product.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Observe {
    /// Nothing.
    #[default]
    Nothing,
    /// How large they are: [`ActivationStatistics`].
    Magnitudes,
    /// That, and how they vary together: [`SecondMoments`].
    SecondMoments,
}

/// The largest magnitudes m of the calls of one product: their mean and spread, and those of 1 / m.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ActivationStatistics {
    count: u64,
    sum: f64,
    squares: f64,
    inverses: f64,
    inverse_squares: f64,
    largest: f32,
}

impl ActivationStatistics {
    fn add(&mut self, magnitude: f32) {
        let value = f64::from(magnitude);
        if value > 0.0 {
            self.count += 1;
            self.sum += value;
            self.squares += value * value;
            self.inverses += 1.0 / value;
            self.inverse_squares += 1.0 / (value * value);
            self.largest = self.largest.max(magnitude);
        }
    }

    /// How many calls there were with anything but zeros.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// 127 / (mean + `deviations` · σ) of m, as Marian's scripts compute α. None without a magnitude above zero.
    pub fn multiplier_of_mean(&self, deviations: f64) -> Option<f32> {
        Some((127.0 / estimate(self.count, self.sum, self.squares, deviations)?) as f32)
    }

    /// mean + `deviations` · σ of 127 / m, as Bogoychev et al. (2020, section 5.1) write.
    pub fn mean_of_multipliers(&self, deviations: f64) -> Option<f32> {
        Some((127.0 * estimate(self.count, self.inverses, self.inverse_squares, deviations)?) as f32)
    }

    /// 127 / max m: nothing as large as anything seen is clipped.
    pub fn multiplier_of_largest(&self) -> Option<f32> {
        (self.count > 0).then(|| 127.0 / self.largest)
    }
}

/// Mean + `deviations` · σ.
fn estimate(count: u64, sum: f64, squares: f64, deviations: f64) -> Option<f64> {
    let count = (count > 0).then_some(count as f64)?;
    let mean = sum / count;
    Some(mean + deviations * (squares / count - mean * mean).max(0.0).sqrt())
}

/// Collects the statistics of one product, from all threads.
#[derive(Debug)]
pub struct Observer {
    multiplier: String,
    weights: String,
    /// The largest magnitude of each call.
    magnitudes: Mutex<Vec<f32>>,
    moments: Option<Mutex<SecondMoments>>,
}

impl Observer {
    /// For the product of rows of `width` with the tensor `weights`, whose activations the tensor `multiplier` scales.
    pub(crate) fn new(multiplier: &str, weights: &str, width: usize, observe: Observe) -> Self {
        let moments = (observe == Observe::SecondMoments).then(|| Mutex::new(SecondMoments::new(width)));
        let (multiplier, weights) = (multiplier.to_owned(), weights.to_owned());
        Self { multiplier, weights, magnitudes: Mutex::default(), moments }
    }

    /// The name of the tensor that scales the product's activations.
    pub fn multiplier(&self) -> &str {
        &self.multiplier
    }

    /// The name of the tensor with the product's weights.
    pub fn weights(&self) -> &str {
        &self.weights
    }

    /// The second moments of what was seen so far, if they are kept.
    pub fn moments(&self) -> Option<SecondMoments> {
        Some(self.moments.as_ref()?.lock().expect("no observer panics").clone())
    }

    /// What was seen so far. It does not depend on the order of the calls, which threads make as they come.
    pub fn statistics(&self) -> ActivationStatistics {
        let mut magnitudes = self.magnitudes.lock().expect("no observer panics").clone();
        magnitudes.sort_unstable_by(f32::total_cmp);
        let mut statistics = ActivationStatistics::default();
        magnitudes.into_iter().for_each(|magnitude| statistics.add(magnitude));
        statistics
    }

    /// Sees the rows of one call.
    pub(crate) fn see(&self, floats: &[f32]) {
        let largest = floats.iter().fold(0.0f32, |largest, value| largest.max(value.abs()));
        self.magnitudes.lock().expect("no observer panics").push(largest);
        if let Some(moments) = &self.moments {
            moments.lock().expect("no observer panics").add(floats);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_the_calls_changes_nothing() {
        let rows: Vec<[f32; 3]> = (1..400).map(|n| [1.0 / n as f32, (n * n) as f32 / 7.0, -0.003 * n as f32]).collect();
        let seen = |rows: &mut dyn Iterator<Item = &[f32; 3]>| {
            let observer = Observer::new("", "", 3, Observe::SecondMoments);
            rows.for_each(|row| observer.see(row));
            (observer.statistics(), observer.moments())
        };
        let forwards = seen(&mut rows.iter());
        assert_eq!(seen(&mut rows.iter().rev()), forwards);
        assert_eq!(seen(&mut rows.iter().skip(1).step_by(2).chain(rows.iter().step_by(2))), forwards);
    }

    #[test]
    fn multipliers_follow_from_magnitudes() {
        let observer = Observer::new("W_QuantMultA", "W", 2, Observe::SecondMoments);
        for row in [[1.0, -2.0], [0.0, 4.0], [0.0, 0.0]] {
            observer.see(&row);
        }
        let statistics = observer.statistics();
        assert_eq!((observer.multiplier(), observer.weights(), statistics.count()), ("W_QuantMultA", "W", 2));
        assert_eq!(observer.moments().map(|moments| moments.rows()), Some(3));
        assert_eq!(Observer::new("", "", 2, Observe::Magnitudes).moments(), None);
        // m is 2 and 4: mean 3, σ 1; 1 / m is 1/2 and 1/4: mean 3/8, σ 1/8.
        assert_eq!(statistics.multiplier_of_mean(1.0), Some(127.0 / 4.0));
        assert_eq!(statistics.mean_of_multipliers(2.0), Some(127.0 * 0.625));
        assert_eq!(statistics.multiplier_of_largest(), Some(127.0 / 4.0));
        let nothing = ActivationStatistics::default();
        assert_eq!((nothing.multiplier_of_mean(1.1), nothing.mean_of_multipliers(1.1)), (None, None));
        assert_eq!(nothing.multiplier_of_largest(), None);
    }
}

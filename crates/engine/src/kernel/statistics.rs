//! Online statistics, whose memory does not grow with the simulated time.

use alloc::vec::Vec;

use super::time::Ps;

/// Mean, variance and extremes of whole numbers, and quantiles from a log-linear histogram.
///
/// The sums are whole numbers, so mean and variance are exact except for one rounding when they are read. Mean
/// and variance do not depend on the order of observations and merges. A sum also costs less than a running mean,
/// which needs a division for each observation.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    count: u64,
    sum: u128,
    squares: Wide,
    min: u64,
    max: u64,
    /// Number of observations in each bin. The list ends at the highest bin used, so an unused
    /// summary needs no memory.
    histogram: Vec<u64>,
}

/// A whole number of 192 bits, enough for the sum of 2^64 squares of 64-bit numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Wide {
    low: u128,
    high: u64,
}

impl Wide {
    /// The product `a * b`, which must fit into 192 bits.
    fn product(a: u64, b: u128) -> Wide {
        let (low, high) = (a as u128 * (b as u64) as u128, a as u128 * (b >> 64));
        let sum = Wide { low, high: 0 };
        sum.plus(Wide {
            low: high << 64,
            high: (high >> 64) as u64,
        })
    }
    #[inline(always)]
    fn plus(self, other: Wide) -> Wide {
        let (low, carry) = self.low.overflowing_add(other.low);
        let high = self.high + other.high + carry as u64;
        Wide { low, high }
    }
    /// The difference `self - other`; `other` must not be greater.
    fn minus(self, other: Wide) -> Wide {
        let (low, borrow) = self.low.overflowing_sub(other.low);
        let high = self.high - other.high - borrow as u64;
        Wide { low, high }
    }
    fn to_f64(self) -> f64 {
        self.high as f64 * libm::exp2(128.0) + self.low as f64
    }
}

/// Number of histogram bins in each octave, of equal width: quantiles are accurate to 1/32 of their
/// value.
const STEPS: u32 = 32;
const STEP_BITS: u32 = STEPS.ilog2();

/// Index of the histogram bin of `value`. Each value below `2 * STEPS` has its own bin. Above `2 * STEPS`, each
/// octave has `STEPS` bins.
fn bin(value: u64) -> usize {
    if value < STEPS as u64 {
        return value as usize;
    }
    let octave = value.ilog2() - STEP_BITS;
    ((octave as usize) << STEP_BITS) + (value >> octave) as usize
}

/// Middle of the histogram bin with index `bin`.
fn middle(bin: usize) -> f64 {
    if bin < 2 * STEPS as usize {
        return bin as f64;
    }
    let octave = (bin >> STEP_BITS) as u32 - 1;
    let low = ((bin as u64 & (STEPS as u64 - 1)) | STEPS as u64) << octave;
    low as f64 + ((1u64 << octave) - 1) as f64 * 0.5
}

impl Summary {
    /// Adds an observation.
    pub fn add(&mut self, value: u64) {
        self.min = if self.count == 0 {
            value
        } else {
            self.min.min(value)
        };
        self.count += 1;
        self.sum += value as u128;
        self.squares = self.squares.plus(Wide {
            low: value as u128 * value as u128,
            high: 0,
        });
        self.max = self.max.max(value);
        let bin = bin(value);
        if bin >= self.histogram.len() {
            self.histogram.resize(bin + 1, 0);
        }
        self.histogram[bin] += 1;
    }
    /// Adds all observations of `other`.
    pub fn merge(&mut self, other: &Summary) {
        if other.count == 0 {
            return;
        }
        if self.count == 0 {
            *self = other.clone();
            return;
        }
        self.count += other.count;
        self.sum += other.sum;
        self.squares = self.squares.plus(other.squares);
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
        if other.histogram.len() > self.histogram.len() {
            self.histogram.resize(other.histogram.len(), 0);
        }
        self.histogram
            .iter_mut()
            .zip(&other.histogram)
            .for_each(|(n, more)| *n += more);
    }
    /// Upper bound of the memory of the histogram in bytes, if no observation exceeds `greatest`. The histogram
    /// grows by doubling.
    pub fn most_bytes(greatest: u64) -> usize {
        2 * (bin(greatest) + 1) * size_of::<u64>()
    }
    /// Removes all observations.
    pub fn reset(&mut self) {
        *self = Summary::default();
    }
    /// Number of observations.
    pub fn count(&self) -> u64 {
        self.count
    }
    /// Mean of the observations; `None` without observations.
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum as f64 / self.count as f64)
    }
    /// Standard deviation of the observations (population, divisor n).
    pub fn standard_deviation(&self) -> Option<f64> {
        let count = self.count as u128;
        (count > 0).then(|| {
            // S is the sum, n the count, and S = n m + r. The sum of (x - m)^2 equals the sum of
            // x^2 less m (S + r).
            let (m, r) = ((self.sum / count) as u64, self.sum % count);
            let from_m = self.squares.minus(Wide::product(m, self.sum + r));
            let (n, r) = (count as f64, r as f64);
            libm::sqrt((from_m.to_f64() - r * (r / n)) / n)
        })
    }
    /// Least observation; `None` without observations.
    pub fn min(&self) -> Option<u64> {
        (self.count > 0).then_some(self.min)
    }
    /// Largest observation; `None` without observations.
    pub fn max(&self) -> Option<u64> {
        (self.count > 0).then_some(self.max)
    }
    /// The `q`-quantile (`q` from 0 to 1) of the observations, accurate to 1/32 of its value; `None` without
    /// observations.
    pub fn quantile(&self, q: f64) -> Option<f64> {
        let rank = libm::ceil(q * self.count as f64).max(1.0) as u64;
        let mut seen = 0;
        let found = self.histogram.iter().position(|n| {
            seen += n;
            seen >= rank
        })?;
        (self.count > 0).then(|| middle(found).min(self.max as f64))
    }
}

/// Time integral of a value that changes in steps.
#[derive(Clone, Copy, Debug, Default)]
pub struct TimeIntegral {
    since: Ps,
    value: f64,
    sum: f64,
}

impl TimeIntegral {
    /// Sets the value from `now` on.
    pub fn set(&mut self, now: Ps, value: f64) {
        self.sum += (now.0 - self.since.0) as f64 * self.value;
        self.since = now;
        self.value = value;
    }
    /// Begins a new measurement window at `now`, with the present value.
    pub fn restart(&mut self, now: Ps) {
        self.since = now;
        self.sum = 0.0;
    }
    /// Mean of the value over the last `window`, which must have begun at the last restart and end
    /// at `now`.
    pub fn mean(&self, now: Ps, window: Ps) -> f64 {
        (self.sum + (now.0 - self.since.0) as f64 * self.value) / window.0 as f64
    }
}

/// Least and greatest value, within a measurement window, of a quantity that changes in steps.
#[derive(Clone, Copy, Debug, Default)]
pub struct Extremes {
    value: f64,
    least: f64,
    greatest: f64,
}

impl Extremes {
    /// A measurement window that begins with `value`.
    pub fn new(value: f64) -> Extremes {
        Extremes {
            value,
            least: value,
            greatest: value,
        }
    }
    /// Sets the value from the present instant on.
    #[inline]
    pub fn set(&mut self, value: f64) {
        self.value = value;
        self.least = self.least.min(value);
        self.greatest = self.greatest.max(value);
    }
    /// Begins a new measurement window with the present value.
    pub fn restart(&mut self) {
        *self = Extremes::new(self.value);
    }
    /// Least and greatest value in the window, including the value at its beginning.
    pub fn range(&self) -> (f64, f64) {
        (self.least, self.greatest)
    }
}

/// Jain's index of fairness: 1 if all values are equal, 1/n if one of n values is the whole sum. `None` if there
/// are no values, or if all values are zero.
pub fn jain_index(values: &[f64]) -> Option<f64> {
    let sum: f64 = values.iter().sum();
    let squares: f64 = values.iter().map(|x| x * x).sum();
    (squares > 0.0).then(|| sum * sum / (values.len() as f64 * squares))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extremes_begin_with_the_value_at_the_beginning_of_the_window() {
        let mut extremes = Extremes::new(5.0);
        assert_eq!(extremes.range(), (5.0, 5.0));
        [7.0, 2.0, 3.0]
            .iter()
            .for_each(|value| extremes.set(*value));
        assert_eq!(extremes.range(), (2.0, 7.0));
        extremes.restart();
        assert_eq!(extremes.range(), (3.0, 3.0));
        extremes.set(4.0);
        assert_eq!(extremes.range(), (3.0, 4.0));
    }

    #[test]
    fn moments_of_1_to_100() {
        let mut summary = Summary::default();
        (1..=100).for_each(|x| summary.add(x));
        assert_eq!(summary.mean(), Some(50.5));
        // population variance (100^2 - 1) / 12 = 833.25
        assert_eq!(summary.standard_deviation(), Some(libm::sqrt(833.25)));
        assert_eq!(summary.quantile(0.5), Some(50.0));
        assert_eq!(summary.quantile(1.0), Some(100.0));
        assert_eq!(summary.max(), Some(100));
    }

    #[test]
    fn a_small_spread_of_great_values_is_not_lost() {
        let mut summary = Summary::default();
        // Three observations each of 2^63 and of its neighbours: the sum of squares exceeds 128 bits.
        for _ in 0..3 {
            (0..3).for_each(|x| summary.add((1 << 63) - 1 + x));
        }
        assert_eq!(summary.mean(), Some(libm::exp2(63.0)));
        assert_eq!(summary.standard_deviation(), Some(libm::sqrt(2.0 / 3.0)));
        let mut two = Summary::default();
        [0, u64::MAX].into_iter().for_each(|x| two.add(x));
        assert_eq!(two.standard_deviation(), Some(u64::MAX as f64 / 2.0));
    }

    #[test]
    fn what_is_merged_is_as_if_it_had_been_seen_together() {
        let summary = |values: &[u64]| {
            let mut summary = Summary::default();
            values.iter().for_each(|x| summary.add(*x));
            summary
        };
        let (few, many) = ([7u64, 1_000_000, 3], [40u64, 41, 900, 12_345, 2]);
        let mut merged = summary(&few);
        merged.merge(&summary(&many));
        let all = summary(&[&few[..], &many[..]].concat());
        assert_eq!(
            (merged.count(), merged.min(), merged.max()),
            (8, Some(2), Some(1_000_000))
        );
        assert_eq!(merged.histogram, all.histogram);
        assert_eq!(merged.mean(), all.mean());
        assert_eq!(merged.standard_deviation(), all.standard_deviation());
        let mut nothing = Summary::default();
        nothing.merge(&all);
        nothing.merge(&Summary::default());
        assert_eq!(
            (nothing.min(), nothing.quantile(0.5)),
            (all.min(), all.quantile(0.5))
        );
        assert_eq!(Summary::default().min(), None);
    }

    #[test]
    fn quantiles_are_good_to_a_thirty_second_over_the_whole_range() {
        for value in [0u64, 31, 32, 63, 64, 1_000, 123_456_789, u64::MAX / 3] {
            let mut summary = Summary::default();
            summary.add(value);
            summary.add(u64::MAX);
            let found = summary.quantile(0.5).unwrap();
            assert!(
                (found - value as f64).abs() <= value as f64 / 32.0,
                "{value} {found}"
            );
        }
        assert_eq!(Summary::default().quantile(0.5), None);
    }

    #[test]
    fn the_integral_weighs_by_time() {
        let mut integral = TimeIntegral::default();
        integral.set(Ps(0), 4.0);
        integral.set(Ps(10), 0.0);
        assert_eq!(integral.mean(Ps(40), Ps(40)), 1.0);
        integral.restart(Ps(40));
        integral.set(Ps(45), 2.0);
        assert_eq!(integral.mean(Ps(50), Ps(10)), 1.0);
    }

    #[test]
    fn jain_index_of_known_sets() {
        assert_eq!(jain_index(&[3.0, 3.0, 3.0]), Some(1.0));
        assert_eq!(jain_index(&[1.0, 0.0, 0.0, 0.0]), Some(0.25));
        // (1+2+3)^2 / (3 * 14)
        assert_eq!(jain_index(&[1.0, 2.0, 3.0]), Some(36.0 / 42.0));
        assert_eq!(jain_index(&[]), None);
    }
}

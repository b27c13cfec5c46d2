//! Bounds on a normally distributed sequence of rates: a source can only send at rates between zero
//! and a peak rate.

use alloc::vec::Vec;
use core::f64::consts::{PI, SQRT_2};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Treatment of rates below zero and above the peak: one of the four methods in Kalyanaraman 1997,
/// section 8.17.4.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Bound {
    /// Rates below zero or above the peak are left out, and the next value of the sequence takes
    /// their place: the paper's choice.
    #[default]
    Discard,
    /// Values below zero become zero, and values above the peak become the peak.
    Truncate,
    /// Negative values become zero, and are subtracted from the next positive values. The bucket
    /// delays the excess above the peak. The mean is kept.
    TruncateAndCarry,
    /// The values are logarithms of the rates. Rates are rounded to whole Mbit/s; their mean and
    /// standard deviation before rounding are the given ones. The bucket delays the excess above
    /// the peak.
    Exponential,
}

/// Parameters of the rates in bit/s: mean and standard deviation of the normal distribution, and
/// the peak.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rates {
    /// Mean of the normal distribution in bit/s.
    pub mean: f64,
    /// Standard deviation of the normal distribution in bit/s.
    pub deviation: f64,
    /// Peak rate in bit/s.
    pub peak: f64,
}

/// Unit in bit/s of the rounding of `Bound::Exponential`: rates are rounded to multiples of this unit.
const STEP: f64 = 1e6;
/// Number of rounding steps that [`Rates::rounded_mean`] sums one by one.
const COUNTED: u32 = 20_000;

impl Bound {
    /// The bounded rates in bit/s for the values `noise`, which have mean 0 and standard deviation 1, in order.
    /// `debt` is the sum of negative rates that has not been subtracted yet, in bit/s.
    pub fn apply(self, noise: &[f64], rates: &Rates, debt: &mut f64) -> Vec<f64> {
        let Rates {
            mean,
            deviation,
            peak,
        } = *rates;
        let values = noise.iter().map(|x| mean + deviation * x);
        match self {
            Bound::Discard => values
                .filter(|value| (0.0..=peak).contains(value))
                .collect(),
            Bound::Truncate => values.map(|value| value.clamp(0.0, peak)).collect(),
            Bound::TruncateAndCarry => values
                .map(|value| {
                    let rate = value - *debt;
                    *debt = f64::max(-rate, 0.0);
                    f64::max(rate, 0.0)
                })
                .collect(),
            Bound::Exponential => {
                let (mean, deviation) = rates.logarithmic();
                noise
                    .iter()
                    .map(|x| STEP * libm::round(libm::exp(mean + deviation * x) / STEP))
                    .collect()
            }
        }
    }
    /// Mean of the bounded rates in bit/s.
    pub fn mean(self, rates: &Rates) -> f64 {
        match self {
            Bound::Discard => rates.kept_mean(),
            Bound::Truncate => {
                let above = 1.0 - phi((rates.peak - rates.mean) / rates.deviation);
                rates.kept() * rates.kept_mean() + above * rates.peak
            }
            Bound::TruncateAndCarry => rates.mean,
            Bound::Exponential => rates.rounded_mean(),
        }
    }
}

impl Rates {
    /// Share of the normal values that are between zero and the peak.
    pub fn kept(&self) -> f64 {
        phi((self.peak - self.mean) / self.deviation) - phi(-self.mean / self.deviation)
    }
    /// Mean in bit/s of those normal values that are between zero and the peak: the mean of a normal distribution
    /// truncated at both ends.
    fn kept_mean(&self) -> f64 {
        let density = |x: f64| libm::exp(-x * x / 2.0) / libm::sqrt(2.0 * PI);
        let (low, high) = (
            -self.mean / self.deviation,
            (self.peak - self.mean) / self.deviation,
        );
        self.mean + self.deviation * (density(low) - density(high)) / self.kept()
    }
    /// Mean and standard deviation of the logarithms, for lognormal rates with the given mean and
    /// deviation.
    fn logarithmic(&self) -> (f64, f64) {
        let variance = libm::log1p(libm::pow(self.deviation / self.mean, 2.0));
        (libm::log(self.mean) - variance / 2.0, libm::sqrt(variance))
    }
    /// Mean of lognormal rates after rounding, in bit/s. It is the rounding step times the sum, over all steps,
    /// of the probability that a rate reaches the step. Above `COUNTED` steps, rounding is small compared with
    /// the rate, so the rate itself is used.
    fn rounded_mean(&self) -> f64 {
        let (mean, deviation) = self.logarithmic();
        let reached =
            |step: u32| 1.0 - phi((libm::log((step as f64 - 0.5) * STEP) - mean) / deviation);
        let steps = (1..=COUNTED)
            .map(reached)
            .take_while(|share| *share > 1e-12)
            .sum::<f64>();
        STEP * steps + self.excess(COUNTED as f64 * STEP)
    }
    /// Mean excess of lognormal rates above `rate`, in bit/s: the integral of a lognormal tail. A rate below
    /// `rate` counts as an excess of zero.
    fn excess(&self, rate: f64) -> f64 {
        let (mean, deviation) = self.logarithmic();
        let above = (mean - libm::log(rate)) / deviation;
        self.mean * phi(above + deviation) - rate * phi(above)
    }
}

/// Distribution function of the standard normal distribution.
fn phi(x: f64) -> f64 {
    0.5 * libm::erfc(-x / SQRT_2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rates(mean: f64, deviation: f64) -> Rates {
        Rates {
            mean: mean * 1e6,
            deviation: deviation * 1e6,
            peak: 15e6,
        }
    }

    #[test]
    fn each_way_by_hand() {
        // Mean 5, deviation 5, peak 15: 5, -5, 20, 2.5, 10.
        let noise = [0.0, -2.0, 3.0, -0.5, 1.0];
        let found = |bound: Bound| {
            let mut debt = 0.0;
            let mbit = bound
                .apply(&noise, &rates(5.0, 5.0), &mut debt)
                .iter()
                .map(|rate| rate / 1e6)
                .collect();
            (mbit, debt)
        };
        let expect =
            |bound, values: &[f64]| assert_eq!(found(bound), (values.to_vec(), 0.0), "{bound:?}");
        expect(Bound::Discard, &[5.0, 2.5, 10.0]);
        expect(Bound::Truncate, &[5.0, 0.0, 15.0, 2.5, 10.0]);
        expect(Bound::TruncateAndCarry, &[5.0, 0.0, 15.0, 2.5, 10.0]);
        // exp(ln 5 - ln(2)/2 + x sqrt(ln 2)): 3.54, 0.67, 42.99, 2.33, 8.13.
        expect(Bound::Exponential, &[4.0, 1.0, 43.0, 2.0, 8.0]);
        // A negative value carries over more than one value: 5 - 15 = -10, then 5 - 10 = -5, then
        // 15 - 5.
        let mut debt = 0.0;
        let carried = Bound::TruncateAndCarry.apply(&[-3.0, 0.0, 2.0], &rates(5.0, 5.0), &mut debt);
        assert_eq!((carried, debt), (alloc::vec![0.0, 0.0, 10e6], 0.0));
    }

    #[test]
    fn means_of_nine_streams() {
        // Truncated normal distributions, by numerical integration: a mean of 6.1479 and a share of
        // 0.819 kept for (5, 5).
        let nine = |mean, deviation| 9.0 * Bound::Discard.mean(&rates(mean, deviation)) / 1e6;
        assert!((nine(5.0, 5.0) - 55.33).abs() < 0.005, "{}", nine(5.0, 5.0));
        assert!((nine(7.5, 7.0) - 67.5).abs() < 1e-9);
        assert!((nine(10.0, 5.0) - 79.67).abs() < 0.005);
        assert!((rates(5.0, 5.0).kept() - 0.8186).abs() < 1e-4);
        // Clipped values: E max(0, X) = 5 Phi(1) + 5 phi(1) = 5.4166, less 5 (phi(2) - 2 Phi(-2)) = 0.0425 above
        // the peak.
        assert!((Bound::Truncate.mean(&rates(5.0, 5.0)) / 1e6 - 5.3741).abs() < 1e-3);
    }

    #[test]
    fn exponentials_of_any_size_have_their_mean() {
        // If a distribution is wide compared with a rounding step and far from zero, rounding does not change its
        // mean. The means are below, near and above 20,000 steps.
        for (mean, deviation) in [(1e3, 50.0), (20e3, 5e3), (60e3, 30e3)] {
            let found = Bound::Exponential.mean(&rates(mean, deviation)) / 1e6;
            assert!((found / mean - 1.0).abs() < 1e-9, "{found} of {mean}");
        }
        // With a very wide distribution, a thousandth of the mean comes from rates above 20 Gbit/s. The number is
        // the integral of P(X > x) from 20 Gbit/s on, computed numerically.
        assert!((rates(5.0, 50.0).excess(20e9) / 1e6 - 0.005_296_169_6).abs() < 1e-11);
    }

    #[test]
    fn expected_means_are_those_of_many_values() {
        let mut stream = crate::kernel::Stream::new(1, "test", "bound");
        let mut normal = || {
            let radius = libm::sqrt(2.0 * stream.exponential(1.0));
            radius * libm::cos(2.0 * PI * stream.uniform())
        };
        let noise: Vec<f64> = (0..200_000).map(|_| normal()).collect();
        for bound in [
            Bound::Discard,
            Bound::Truncate,
            Bound::TruncateAndCarry,
            Bound::Exponential,
        ] {
            let found = bound.apply(&noise, &rates(5.0, 5.0), &mut 0.0);
            let mean = found.iter().sum::<f64>() / found.len() as f64;
            // The standard error is at most 5/sqrt(160,000) = 0.0125 Mbit/s; the tolerance is four standard
            // errors.
            assert!(
                (mean - bound.mean(&rates(5.0, 5.0))).abs() < 0.05e6,
                "{bound:?} {mean}"
            );
        }
    }
}

//! Weights of a port's queues, for disciplines that share a line by weight.

use alloc::format;
use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::kernel::Finding;

/// Greatest weight of a queue. With eight queues the numerators of all tags then fit 128 bits.
pub const GREATEST: u32 = 100;

/// Parameters of a discipline that shares a line by weight.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WeightsConfig {
    /// Weight of each queue behind the strict ones. While all these queues have frames, their shares of the line are in
    /// proportion to the weights.
    #[schemars(extend("x-not-searched" = "the shares that a network has agreed on"))]
    pub weights: Vec<u32>,
    /// Number of queues, from the first on, that are served in strict priority before the others.
    #[serde(default)]
    #[schemars(extend("x-not-searched" = "the shares that a network has agreed on"))]
    pub strict: usize,
}

impl WeightsConfig {
    /// Findings if the strict queues and the weights are not together `queues` queues, or a weight is not from 1 to
    /// [`GREATEST`].
    pub(super) fn check(&self, queues: usize) -> Vec<Finding> {
        let mut findings: Vec<Finding> = count(self.weights.len(), self.strict, queues, "weights")
            .into_iter()
            .collect();
        if let Some(weight) = self
            .weights
            .iter()
            .find(|one| !(1..=GREATEST).contains(*one))
        {
            let message = format!("has {weight}; allowed: 1 to {GREATEST}");
            findings.push(Finding::impossible("weights", message));
        }
        findings
    }

    /// The weights of the queues behind the strict ones.
    ///
    /// # Panics
    /// If the check of the parameters has findings.
    pub(super) fn shares(&self) -> Shares {
        let weights = self.weights.iter().copied().map(u64::from);
        Shares::new(weights.collect()).expect("weights from 1 to 100 of few queues")
    }
}

/// A finding if `values` of `key` and `strict` queues are not together `queues` queues, or all are strict.
pub(super) fn count(
    values: usize,
    strict: usize,
    queues: usize,
    key: &'static str,
) -> Option<Finding> {
    let behind = queues.saturating_sub(strict);
    let message = if behind == 0 {
        format!(
            "is {strict} of {queues} queues; allowed: fewer, so that a queue is left to share the line"
        )
    } else if values == behind {
        return None;
    } else {
        let of = if strict > 0 {
            " behind the strict ones"
        } else {
            ""
        };
        format!("has {values} values; allowed: one for each of the {behind} queues{of}")
    };
    let key = if behind == 0 { "strict" } else { key };
    Some(Finding::impossible(key, message))
}

/// Weights of the queues that share a line, without a common divisor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shares(Vec<u64>);

impl Shares {
    /// Shares in proportion to `weights`. `None` if there is no weight, if one is 0, or if their least common multiple,
    /// after division by their greatest common divisor, exceeds 64 bits. Numerators of all tags then fit 128 bits.
    pub fn new(weights: Vec<u64>) -> Option<Shares> {
        let common = weights
            .iter()
            .fold(0, |found, one| divisor(found, *one as u128)) as u64;
        if weights.is_empty() || weights.contains(&0) {
            return None;
        }
        let shares = Shares(weights.into_iter().map(|weight| weight / common).collect());
        let mut sums = shares.0.iter();
        let fits = shares.checked_multiple().is_some()
            && sums
                .try_fold(0_u64, |sum, one| sum.checked_add(*one))
                .is_some();
        fits.then_some(shares)
    }
    /// Number of queues.
    pub fn count(&self) -> usize {
        self.0.len()
    }
    /// The weight of a queue.
    pub fn of(&self, queue: usize) -> u64 {
        self.0[queue]
    }
    /// The greatest weight.
    pub fn greatest(&self) -> u64 {
        self.0.iter().copied().max().unwrap_or(0)
    }
    /// The sum of the weights.
    pub fn sum(&self) -> u128 {
        self.0.iter().map(|weight| *weight as u128).sum()
    }
    /// A common multiple of the weights, divided by each weight: an octet of a queue then takes a whole number of
    /// units of virtual time.
    pub fn steps(&self) -> impl Iterator<Item = u128> + '_ {
        let multiple = self.multiple();
        self.0.iter().map(move |weight| multiple / *weight as u128)
    }
    /// The least common multiple of the weights.
    pub fn multiple(&self) -> u128 {
        self.checked_multiple().unwrap_or(u64::MAX).into()
    }
    fn checked_multiple(&self) -> Option<u64> {
        self.0.iter().try_fold(1_u64, |multiple, weight| {
            let next = *weight as u128 / divisor(multiple as u128, *weight as u128);
            u64::try_from(multiple as u128 * next).ok()
        })
    }
}

/// The greatest common divisor (Euclid).
fn divisor(a: u128, b: u128) -> u128 {
    if b == 0 { a } else { divisor(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_octet_takes_a_whole_number_of_units() {
        let config = |weights: &[u32]| WeightsConfig {
            weights: weights.to_vec(),
            strict: 0,
        };
        let shares = config(&[4, 6, 10]).shares();
        // A common divisor does not matter: the weights are 2, 3 and 5.
        assert_eq!((shares.sum(), shares.multiple()), (10, 30));
        assert!(shares.steps().eq([15, 10, 6]));
        let largest = config(&[89, 97, 83, 79, 73, 71, 67, 100]).shares();
        // Eight weights without a common divisor: below 100 to the eighth power.
        assert!(largest.multiple() < 10_u128.pow(16));
    }

    #[test]
    fn shares_without_a_small_common_multiple_are_none() {
        let rates = [1_000_000_007, 1_000_000_009, 1_000_000_021];
        assert_eq!(Shares::new(rates.to_vec()), None);
        // Two of these rates have a common multiple of 10^18.
        assert!(Shares::new(rates[..2].to_vec()).is_some());
        assert!(Shares::new(rates.map(|rate| rate - rate % 1_000_000).to_vec()).is_some());
        assert_eq!(Shares::new(Vec::new()), None);
        assert_eq!(Shares::new(Vec::from([3, 0])), None);
    }

    #[test]
    fn wrong_weights_are_found() {
        let found = |weights: &[u32], strict, queues| -> Vec<&'static str> {
            let config = WeightsConfig {
                weights: weights.to_vec(),
                strict,
            };
            config
                .check(queues)
                .iter()
                .map(|finding| finding.field)
                .collect()
        };
        assert_eq!(found(&[1, 100], 0, 2), [""; 0]);
        assert_eq!(found(&[1, 100], 1, 3), [""; 0]);
        assert_eq!(found(&[1, 100], 1, 2), ["weights"]);
        assert_eq!(found(&[1], 2, 2), ["strict"]);
        assert_eq!(found(&[0, 3], 0, 2), ["weights"]);
        assert_eq!(found(&[101, 3], 0, 2), ["weights"]);
    }
}

//! Weights of a port's queues, for disciplines that share a line by weight.

use alloc::format;
use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::heads::MOST_QUEUES;
use crate::kernel::Finding;

/// Greatest weight of a queue. Numerators of all tags then fit 128 bits.
pub const GREATEST: u32 = 100;

/// Parameters of a discipline that shares a line by weight.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WeightsConfig {
    /// Weight of each queue behind the strict ones. While all these queues have frames, their shares of the line are
    /// as the weights.
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
        let queues = self.weights.len();
        assert!((1..=MOST_QUEUES).contains(&queues), "one to eight queues");
        let mut of = [0; MOST_QUEUES];
        for (weight, given) in of.iter_mut().zip(&self.weights) {
            assert!((1..=GREATEST).contains(given), "a weight is from 1 to 100");
            *weight = *given as u64;
        }
        Shares { queues, of }
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

/// Weights of one to eight queues.
#[derive(Clone, Debug)]
pub(super) struct Shares {
    pub queues: usize,
    pub of: [u64; MOST_QUEUES],
}

impl Shares {
    /// The sum of the weights.
    pub fn sum(&self) -> u64 {
        self.of.iter().sum()
    }
    /// A common multiple of the weights, divided by each weight: an octet of a queue then takes a whole number of
    /// units of virtual time.
    pub fn steps(&self) -> [u128; MOST_QUEUES] {
        let multiple = self.multiple();
        self.of.map(|weight| {
            if weight == 0 {
                0
            } else {
                multiple / weight as u128
            }
        })
    }
    /// The least common multiple of the weights.
    pub fn multiple(&self) -> u128 {
        let weights = self.of[..self.queues].iter();
        weights.fold(1, |multiple, weight| {
            let weight = *weight as u128;
            multiple / divisor(multiple, weight) * weight
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
        assert_eq!((shares.sum(), shares.multiple()), (20, 60));
        assert_eq!(shares.steps()[..4], [15, 10, 6, 0]);
        let largest = config(&[89, 97, 83, 79, 73, 71, 67, 100]).shares();
        // Eight weights without a common divisor: below 100 to the eighth power.
        assert!(largest.multiple() < 10_u128.pow(16));
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

//! Differential fair buffer allocation: in a first-in first-out queue each channel gets a part of the buffer, and so of the
//! line, in proportion to its MCR (Goyal, Jain, Fahmy and Vandalore 1998, ATM Forum 98-0405; TM 4.1, appendix VII.2.3).
//! Names are those of the contribution.

use alloc::format;
use alloc::vec;
use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::accounts::Accounts;
use super::frame::{Frames, Rules};
use super::{DiscardPolicy, PolicyParameters, QueueFacts, Verdict};
use crate::kernel::units::{Buffer, Cells};
use crate::kernel::{Finding, Ps, Stream};
use crate::passing::Passing;

/// Parameters of differential fair buffer allocation. The weight W_i of a channel is its MCR divided by the sum of the MCRs
/// of all channels of the queue; channels of a queue without any MCR have equal weights.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DfbaConfig {
    /// Queue length below which every PDU may begin (L). Half of `high` if absent.
    #[schemars(extend("x-search" = { "low": 0.05, "high": 0.85, "scale": "linear", "of": "buffer" }))]
    pub low: Option<Cells>,
    /// Queue length above which no PDU may begin (H). Nine tenths of the buffer if absent.
    #[schemars(extend("x-search" = { "low": 0.1, "high": 0.95, "scale": "linear", "of": "buffer" }))]
    pub high: Option<Cells>,
    /// Scale of the probability with which a PDU of a channel above its share is dropped (Z_i), from 0 to 1.
    #[schemars(extend("x-search" = { "low": 0, "high": 1, "scale": "linear" }))]
    pub z: f64,
    /// Weight, from 0 to 1, of the channel's excess over its share in the drop probability (alpha). The queue length has
    /// the weight 1 - alpha.
    #[schemars(extend("x-search" = { "low": 0, "high": 1, "scale": "linear" }))]
    pub alpha: f64,
}

impl Default for DfbaConfig {
    fn default() -> DfbaConfig {
        DfbaConfig {
            low: None,
            high: None,
            z: 1.0,
            alpha: 0.5,
        }
    }
}

impl DfbaConfig {
    /// L and H for a queue with the limit `buffer`.
    fn limits(&self, buffer: u64) -> [u64; 2] {
        let high = self.high.map_or(buffer - buffer / 10, |cells| cells.0);
        [self.low.map_or(high / 2, |cells| cells.0), high]
    }
}

impl PolicyParameters for DfbaConfig {
    /// Findings about a buffer smaller than a PDU, a threshold that the queue never exceeds, thresholds in the wrong
    /// order, and factors that are not from 0 to 1.
    fn check(&self, facts: QueueFacts) -> Vec<Finding> {
        let mut findings = facts.check_threshold(self.high);
        for finding in &mut findings {
            if finding.field == "threshold" {
                finding.field = "high";
            }
        }
        let [low, high] = self.limits(facts.buffer);
        if low >= high {
            let message = format!("must be less than `high`, {high} cells, but is {low} cells");
            findings.push(Finding::impossible("low", message));
        }
        for (key, value) in [("z", self.z), ("alpha", self.alpha)] {
            if !(0.0..=1.0).contains(&value) {
                let message = format!("must be from 0 to 1, but is {value}");
                findings.push(Finding::impossible(key, message));
            }
        }
        findings
    }
    fn in_force(&self, buffer: Buffer) -> DfbaConfig {
        let [low, high] = self.limits(buffer.0).map(|cells| Some(Cells(cells)));
        DfbaConfig {
            low,
            high,
            ..self.clone()
        }
    }
}

/// State of differential fair buffer allocation at one queue.
#[derive(Clone, Debug)]
pub struct Dfba {
    config: DfbaConfig,
    frames: Frames,
    accounts: Accounts,
    /// For each channel, its share W_i / W of the queue.
    shares: Vec<f64>,
    stream: Stream,
}

impl Dfba {
    /// State of the policy for a queue that `channels` channels share equally.
    pub fn new(config: &DfbaConfig, channels: usize) -> Dfba {
        Dfba {
            config: config.clone(),
            frames: Frames::new(channels),
            accounts: Accounts::new(channels),
            shares: vec![1.0 / channels as f64; channels],
            stream: Stream::new(0, "queue", "dfba"),
        }
    }
    /// Replaces the parameters of the policy. The state of each channel is kept.
    pub fn change(&mut self, config: &DfbaConfig) {
        self.config = config.clone();
    }
}

/// Probability with which a PDU may not begin if the channel has `own` of the `queue` cells (X_i of X).
fn refusal(
    config: &DfbaConfig,
    [low, high]: [u64; 2],
    own: u64,
    queue: u64,
    share: f64,
    is_tagged: bool,
) -> f64 {
    if queue < low {
        return 0.0;
    }
    if queue > high || is_tagged {
        return 1.0;
    }
    let (own, queue) = (own as f64, queue as f64);
    let excess = own - queue * share;
    if excess <= 0.0 {
        return 0.0;
    }
    let of_channel = excess / (queue * (1.0 - share));
    let of_queue = (queue - low as f64) / (high - low) as f64;
    config.z * (config.alpha * of_channel + (1.0 - config.alpha) * of_queue)
}

impl DiscardPolicy for Dfba {
    const FOLLOWS_ORDER: bool = true;

    fn admit(&mut self, _: Ps, slot: u32, passing: Passing, queue: u64, buffer: u64) -> Verdict {
        self.accounts.settle(queue);
        let rules = Rules {
            begin_limit: u64::MAX,
            end_reserve: u64::MAX,
            forward_end: true,
        };
        let config = &self.config;
        let (own, share) = (self.accounts.units(slot), self.shares[slot as usize]);
        let stream = &mut self.stream;
        let refuses = || {
            let limits = config.limits(buffer);
            let chance = refusal(config, limits, own, queue, share, passing.is_tagged());
            // A number is drawn only where chance decides.
            chance > 0.0 && (chance >= 1.0 || stream.uniform() < chance)
        };
        let frames = &mut self.frames;
        let verdict = frames.admit_unless(refuses, slot, passing, (queue, buffer), rules);
        if verdict == Verdict::Accept {
            self.accounts.add(slot, passing.units);
        }
        verdict
    }
    fn passes_within(&self, buffer: u64) -> u64 {
        buffer
    }
    #[inline]
    fn passes(&mut self, slot: u32, units: u32) -> bool {
        let passes = self.frames.passes(slot) && !self.accounts.are_overdue();
        if passes {
            self.accounts.add(slot, units);
        }
        passes
    }
    /// True if neither threshold depends on the buffer.
    fn acts_without_limit(&self) -> bool {
        self.config.high.is_some()
    }
    fn prepare(&mut self, seed: u64, shares: &[f64]) {
        self.stream = Stream::new(seed, "queue", "dfba");
        self.shares = shares.to_vec();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Probability with which a PDU may not begin, with L = 20, H = 100, Z = 0.8 and alpha = 0.25.
    fn chance(own: u64, queue: u64, share: f64, is_tagged: bool) -> f64 {
        let config = DfbaConfig {
            low: Some(Cells(20)),
            high: Some(Cells(100)),
            z: 0.8,
            alpha: 0.25,
        };
        refusal(&config, config.limits(1_000), own, queue, share, is_tagged)
    }

    #[test]
    fn chances_by_hand() {
        // Below L all PDUs may begin, above H none, between L and H none with CLP = 1.
        assert_eq!(
            [chance(19, 19, 0.1, true), chance(0, 101, 0.1, false)],
            [0.0, 1.0]
        );
        assert_eq!(chance(0, 20, 0.1, true), 1.0);
        // 60 cells, W_i = 0.25: the share is 15 cells.
        assert_eq!(chance(15, 60, 0.25, false), 0.0);
        // 30 cells: 15 more than the share, of the 45 of all others; the queue is half way from L to H.
        let expected = 0.8 * (0.25 * 15.0 / 45.0 + 0.75 * 0.5);
        assert!((chance(30, 60, 0.25, false) - expected).abs() < 1e-12);
        // A channel alone in a queue of 100 cells: all terms are 1.
        assert!((chance(100, 100, 0.25, false) - 0.8).abs() < 1e-12);
        // A channel without MCR has no share: 30 / 60.
        let expected = 0.8 * (0.25 * 0.5 + 0.75 * 0.5);
        assert!((chance(30, 60, 0.0, false) - expected).abs() < 1e-12);
        // A channel with all of the MCR never has more than its share.
        assert_eq!(chance(60, 60, 1.0, false), 0.0);
    }
}

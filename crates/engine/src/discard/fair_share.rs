//! Discard policies that count the units of each channel in the queue. Above a threshold, a channel
//! with more than its allowed share may not begin a PDU. Each definition of the share is a file of
//! its own.

use alloc::format;
use alloc::vec::Vec;
use core::marker::PhantomData;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::accounts::Accounts;
use super::frame::{Frames, Rules};
use super::{DiscardPolicy, PolicyParameters, QueueFacts, Verdict};
use crate::kernel::units::{Buffer, Cells};
use crate::kernel::{Finding, Ps};
use crate::passing::Passing;

/// Parameters of selective drop and of fair buffer allocation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct FairShareConfig {
    /// Queue length up to which every PDU may begin (R). Nine tenths of the buffer if absent.
    #[schemars(extend("x-search" = { "low": 0.05, "high": 0.95, "scale": "linear", "of": "buffer" }))]
    pub threshold: Option<Cells>,
    /// Allowed share of a channel when a PDU begins (Z), above 0, as a multiple of an equal part of
    /// the queue. With fair buffer allocation, Z is this share in a full buffer. In the comparison
    /// of Goyal et al. 1997, 0.8 was best.
    #[schemars(extend("x-search" = { "low": 0.1, "high": 2, "scale": "linear" }))]
    pub z: f64,
}

impl Default for FairShareConfig {
    fn default() -> FairShareConfig {
        FairShareConfig {
            threshold: None,
            z: 0.8,
        }
    }
}

impl FairShareConfig {
    /// Queue length up to which every PDU may begin, for a queue with the limit `buffer`. If no threshold is set,
    /// its default.
    pub fn threshold_in_force(&self, buffer: Buffer) -> Cells {
        self.threshold.unwrap_or(Cells(buffer.0 - buffer.0 / 10))
    }
}

impl PolicyParameters for FairShareConfig {
    /// Findings about a buffer smaller than a PDU, a threshold that the queue never exceeds, and a
    /// Z that is not above 0.
    fn check(&self, facts: QueueFacts) -> Vec<Finding> {
        let mut findings = facts.check_threshold(self.threshold);
        // The condition also refuses NaN.
        if self.z.is_nan() || self.z <= 0.0 {
            findings.push(Finding::impossible(
                "z",
                format!("must be above 0, but is {}", self.z),
            ));
        }
        findings
    }
    fn in_force(&self, buffer: Buffer) -> FairShareConfig {
        FairShareConfig {
            threshold: Some(self.threshold_in_force(buffer)),
            ..self.clone()
        }
    }
}

/// A definition of the share of a queue that a channel may use.
pub trait Share {
    /// True if the definition can also be used for a queue without a limit.
    const EXISTS_WITHOUT_LIMIT: bool = false;

    /// True if a channel has more than its allowed share of a queue that is longer than
    /// `threshold`. `weighted` is Y_i N_a: the number of the channel's units in the queue, times
    /// the number of channels with units in the queue.
    fn is_exceeded(weighted: f64, z: f64, queue: u64, threshold: u64, buffer: u64) -> bool;
}

/// State, at one queue, of a policy with allowed shares.
#[derive(Clone, Debug)]
pub struct FairShare<S> {
    config: FairShareConfig,
    frames: Frames,
    accounts: Accounts,
    share: PhantomData<S>,
}

impl<S: Share> FairShare<S> {
    /// State of the policy for a queue that `channels` channels share.
    pub fn new(config: &FairShareConfig, channels: usize) -> FairShare<S> {
        FairShare {
            config: config.clone(),
            frames: Frames::new(channels),
            accounts: Accounts::new(channels),
            share: PhantomData,
        }
    }

    /// Replaces the parameters of the policy. The state of each channel is kept.
    pub fn change(&mut self, config: &FairShareConfig) {
        self.config = config.clone();
    }
}

/// True if a channel has more than its allowed share, so that it may not begin a PDU.
fn is_unfair<S: Share>(
    config: &FairShareConfig,
    weighted: f64,
    (queue, buffer): (u64, u64),
) -> bool {
    let threshold = config.threshold_in_force(Buffer(buffer)).0;
    queue > threshold && S::is_exceeded(weighted, config.z, queue, threshold, buffer)
}

impl<S: Share> DiscardPolicy for FairShare<S> {
    const FOLLOWS_ORDER: bool = true;

    #[inline]
    fn admit(&mut self, _: Ps, slot: u32, passing: Passing, queue: u64, buffer: u64) -> Verdict {
        self.accounts.settle(queue);
        let rules = Rules {
            begin_limit: u64::MAX,
            end_reserve: u64::MAX,
            forward_end: true,
        };
        let (config, weighted) = (&self.config, self.accounts.weighted(slot));
        let refuses = || is_unfair::<S>(config, weighted, (queue, buffer));
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
    /// True if neither threshold nor allowed share depends on the buffer, so that the policy acts also without a
    /// limit.
    fn acts_without_limit(&self) -> bool {
        S::EXISTS_WITHOUT_LIMIT && self.config.threshold.is_some()
    }
}

//! User-defined discard policies.
//!
//! A policy in Rust implements [`DiscardPolicy`], or [`PduPolicy`] if it decides once for each PDU. In the second
//! case [`ByPdu`] drops the cells of a refused PDU as early packet discard does. The engine calls the policies of
//! the registry directly, and a user-defined policy through a pointer.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Debug;

use serde_json::{Map, Value};

use super::accounts::Accounts;
use super::frame::{Frames, Rules};
use super::{DiscardPolicy, QueueFacts, Verdict};
use crate::custom::Custom;
use crate::kernel::{Finding, Ps};
use crate::passing::Passing;

/// A user-defined policy with its parameters. From these the engine makes the state of the policy at each queue.
pub trait CustomDiscard: Debug + Send + Sync {
    /// Name of the policy in scenarios. No policy of the registry may have this name.
    fn name(&self) -> &'static str;
    /// State of the policy for a queue that `channels` channels share. `seed` depends on the run
    /// and the queue, for policies that draw random numbers.
    fn build(&self, channels: usize, seed: u64) -> Box<dyn CustomPolicy>;
    /// Findings about the parameters at a queue with these `facts`.
    fn check(&self, _facts: QueueFacts) -> Vec<Finding> {
        Vec::new()
    }
    /// True if the policy depends on the order of arrivals, see [`DiscardPolicy::FOLLOWS_ORDER`].
    fn follows_order(&self) -> bool {
        true
    }
    /// True if the policy also refuses cells of a queue without a limit, see
    /// [`DiscardPolicy::acts_without_limit`].
    fn acts_without_limit(&self) -> bool {
        true
    }
}

/// State of a user-defined policy at one queue. The methods have the same meaning as the methods of
/// [`DiscardPolicy`].
pub trait CustomPolicy: Debug + Send {
    /// Decides whether the queue accepts a cell or frame of channel `slot`. The queue has `queue` units, and its
    /// limit is `buffer` units.
    fn admit(&mut self, now: Ps, slot: u32, passing: Passing, queue: u64, buffer: u64) -> Verdict;
    /// True if the policy has no state and refuses only cells for which the buffer has no room.
    fn is_stateless(&self) -> bool;
    /// True if the policy also refuses cells of a queue without a limit.
    fn acts_without_limit(&self) -> bool;
    /// Replaces the parameters of the policy and keeps its state. Called only if the policy's
    /// parameters may change during a run.
    fn change(&mut self, now: Ps, parameters: &Map<String, Value>);
    /// A copy of the policy in the same state.
    fn boxed_clone(&self) -> Box<dyn CustomPolicy>;
}

impl Clone for Box<dyn CustomPolicy> {
    fn clone(&self) -> Box<dyn CustomPolicy> {
        (**self).boxed_clone()
    }
}

/// Makes a policy written in Rust a user-defined policy. The parameters of the policy do not change during a run.
#[derive(Clone, Debug)]
pub struct Boxed<P>(pub P);

impl<P: DiscardPolicy + Clone + Debug + Send + 'static> CustomPolicy for Boxed<P> {
    fn admit(&mut self, now: Ps, slot: u32, passing: Passing, queue: u64, buffer: u64) -> Verdict {
        self.0.admit(now, slot, passing, queue, buffer)
    }
    fn is_stateless(&self) -> bool {
        self.0.is_stateless()
    }
    fn acts_without_limit(&self) -> bool {
        self.0.acts_without_limit()
    }
    fn change(&mut self, _: Ps, _: &Map<String, Value>) {}
    fn boxed_clone(&self) -> Box<dyn CustomPolicy> {
        Box::new(self.clone())
    }
}

/// The arrival of the first cell of a PDU (or of a frame), and the state of the queue at this time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FirstCell {
    /// Arrival time of the cell or frame.
    pub now: Ps,
    /// Index of the cell's channel among the channels of the queue, from 0.
    pub channel: u32,
    /// Length of the queue in units, including the cell or frame in service.
    pub queue: u64,
    /// Limit of the queue in units; `u64::MAX` for no limit.
    pub buffer: u64,
    /// Number of units of this channel in the queue.
    pub units: u64,
    /// Number of channels with units in the queue.
    pub active: u64,
}

/// A user-defined policy that decides once for each PDU, when its first cell arrives.
pub trait PduPolicy {
    /// True if the PDU is admitted. All cells of a refused PDU are dropped.
    fn admits(&mut self, first: FirstCell) -> bool;
    /// True if the last cell of an admitted PDU is forwarded even after the PDU lost a cell, as in partial packet
    /// discard. The receiver then does not merge two PDUs.
    fn forwards_end(&self) -> bool {
        true
    }
}

/// State at one queue of a policy that decides once for each PDU. A refused PDU is dropped as a
/// whole, as by early packet discard. If a PDU overflows the buffer, the rest of it is dropped, as
/// by partial packet discard.
#[derive(Clone, Debug)]
pub struct ByPdu<P> {
    decision: P,
    frames: Frames,
    accounts: Accounts,
}

impl<P: PduPolicy> ByPdu<P> {
    /// State of the policy `decision` for a queue that `channels` channels share.
    pub fn new(decision: P, channels: usize) -> ByPdu<P> {
        ByPdu {
            decision,
            frames: Frames::new(channels),
            accounts: Accounts::new(channels),
        }
    }
    /// The policy that decides about each PDU.
    pub fn decision_mut(&mut self) -> &mut P {
        &mut self.decision
    }
}

impl<P: PduPolicy> DiscardPolicy for ByPdu<P> {
    const FOLLOWS_ORDER: bool = true;

    fn admit(&mut self, now: Ps, slot: u32, passing: Passing, queue: u64, buffer: u64) -> Verdict {
        self.accounts.settle(queue);
        let rules = Rules {
            begin_limit: u64::MAX,
            end_reserve: u64::MAX,
            forward_end: self.decision.forwards_end(),
        };
        let first = FirstCell {
            now,
            channel: slot,
            queue,
            buffer,
            units: self.accounts.units(slot),
            active: self.accounts.active(),
        };
        let refuses = || !self.decision.admits(first);
        let verdict = self
            .frames
            .admit_unless(refuses, slot, passing, (queue, buffer), rules);
        if verdict == Verdict::Accept {
            self.accounts.add(slot, passing.units);
        }
        verdict
    }
    fn acts_without_limit(&self) -> bool {
        true
    }
}

/// A user-defined policy in a configuration.
pub type CustomConfig = Custom<dyn CustomDiscard>;

impl CustomConfig {
    pub(super) fn check(&self, facts: QueueFacts) -> Vec<Finding> {
        self.found().map_or_else(
            || {
                let message = alloc::format!("there is no policy `{}`", self.name);
                Vec::from([Finding::impossible("policy", message)])
            },
            |it| it.check(facts),
        )
    }
}

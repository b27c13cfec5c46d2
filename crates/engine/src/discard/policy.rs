//! The trait of all discard policies, and the facts about a queue against which a policy is
//! checked.

use alloc::format;
use alloc::vec::Vec;

use crate::kernel::units::{Buffer, Cells};
use crate::kernel::{Finding, Ps};
use crate::passing::Passing;

/// Reason why a cell or frame was refused or lost, for the event log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// The buffer was full.
    Overflow,
    /// An earlier cell of the same PDU was lost (partial packet discard).
    PartialPacket,
    /// The PDU began above the threshold (early packet discard).
    EarlyPacket,
    /// The queue was above the threshold of intelligent tail drop.
    IntelligentTail,
    /// The source queue of an end system was full.
    SourceQueue,
    /// The link damaged the cell.
    LinkError,
    /// The cell did not conform to its traffic contract.
    Policed,
}

/// Decision on an arriving cell or frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The cell or frame is queued.
    Accept,
    /// The cell or frame is refused, for this reason.
    Drop(Cause),
}

/// A discard policy at one queue. The policy has a state for each channel; `slot` is the index of the channel.
/// `queue` is the number of units in the queue, including the cell or frame in service. `buffer` is the limit of
/// the queue in units.
pub trait DiscardPolicy {
    /// True if the policy depends on the order in which its queue receives the cells. A switch with
    /// such a policy cannot have virtual sources, whose queues lie before the port's queue.
    const FOLLOWS_ORDER: bool = false;

    /// Decides about a cell or frame of channel `slot` that arrives at `now`.
    fn admit(&mut self, now: Ps, slot: u32, passing: Passing, queue: u64, buffer: u64) -> Verdict;
    /// Queue length in units, including the arriving units, up to which [`DiscardPolicy::passes`] may be called instead
    /// of [`DiscardPolicy::admit`]; 0 if it may never be called. Below this length the port need not know the exact
    /// length.
    fn passes_within(&self, _buffer: u64) -> u64 {
        0
    }
    /// Accepts `units` units of user data that do not end a PDU, if [`DiscardPolicy::admit`] would accept them at
    /// any length up to [`DiscardPolicy::passes_within`]. Returns false, with nothing changed, if the decision
    /// depends on the length.
    #[inline]
    fn passes(&mut self, _slot: u32, _units: u32) -> bool {
        false
    }
    /// True if the policy has no state and refuses no cell while the buffer has room. A queue
    /// without a limit then need not call the policy.
    fn is_stateless(&self) -> bool {
        false
    }
    /// True if the policy, with its parameters, refuses cells even of a queue without a limit. The default is
    /// false, because most policies need a limit.
    fn acts_without_limit(&self) -> bool {
        false
    }
    /// Called before the first cell, with the seed of the policy's random numbers and the share of each channel of the
    /// queue: its MCR divided by the sum of the MCRs of all channels, or equal parts if no channel has an MCR. The
    /// default ignores both.
    fn prepare(&mut self, _seed: u64, _shares: &[f64]) {}
}

/// Interface of the parameters of every discard policy: check, and defaults that depend on the buffer.
pub trait PolicyParameters: Clone {
    /// Findings about values outside their range at a queue with these `facts`.
    fn check(&self, facts: QueueFacts) -> Vec<Finding>;
    /// The parameters for a finite `buffer`, with defaults applied: an absent value is replaced by its default,
    /// which may depend on the buffer and other parameters.
    fn in_force(&self, _buffer: Buffer) -> Self {
        self.clone()
    }
}

/// Facts about a queue, against which the parameters of a discard policy are checked.
#[derive(Clone, Copy, Debug)]
pub struct QueueFacts {
    /// Limit of the queue in cells, or in octets if the queue has frames; `u64::MAX` for no limit.
    pub buffer: u64,
    /// Number of units of the largest PDU.
    pub largest_pdu: u64,
    /// Number of channels that share the queue.
    pub channels: usize,
}

impl QueueFacts {
    /// Findings about a policy that drops whole PDUs above `threshold`: a buffer smaller than a
    /// PDU, or a threshold that the queue never exceeds.
    pub(super) fn check_threshold(self, threshold: Option<Cells>) -> Vec<Finding> {
        let QueueFacts {
            buffer,
            largest_pdu,
            ..
        } = self;
        let mut findings = Vec::new();
        if buffer < largest_pdu {
            let message =
                format!("a buffer of {buffer} cells does not hold a PDU of {largest_pdu} cells");
            findings.push(Finding::impossible("policy", message));
        }
        if let Some(threshold) = threshold
            && threshold.0 >= buffer
        {
            let message = format!("{threshold} are never exceeded in a buffer of {buffer} cells");
            findings.push(Finding::warning("threshold", message));
        }
        findings
    }
}

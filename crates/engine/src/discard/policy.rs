//! A discard policy as its queue uses it: the trait of all policies, and the facts against which
//! one is checked.

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
}

/// Decision on an arriving cell or frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The cell or frame is queued.
    Accept,
    /// The cell or frame is refused, for this reason.
    Drop(Cause),
}

/// A discard policy of one queue, with state per channel slot. `queue` is the number of units of
/// service in the queue, including those in service; `buffer` is the limit of the queue.
pub trait DiscardPolicy {
    /// True if the policy depends on the order in which its queue receives the cells. Cells may
    /// then not wait in front of the queue in queues of channels (virtual sources).
    const FOLLOWS_ORDER: bool = false;

    /// Decides on one cell or frame of channel `slot` that arrives at `now`.
    fn admit(&mut self, now: Ps, slot: u32, passing: Passing, queue: u64, buffer: u64) -> Verdict;
    /// Queue length, with the units that arrive, up to which [`DiscardPolicy::passes`] replaces
    /// [`DiscardPolicy::admit`]; 0 if it never does. The exact length is not needed below it.
    fn passes_within(&self, _buffer: u64) -> u64 {
        0
    }
    /// Accepts user data that end no PDU, as [`DiscardPolicy::admit`] does at any queue length within
    /// [`DiscardPolicy::passes_within`]. Returns false, with nothing changed, if that depends on the length.
    #[inline]
    fn passes(&mut self, _slot: u32, _units: u32) -> bool {
        false
    }
    /// True if the policy keeps no state and refuses no cell while the buffer is not full, so that
    /// a queue without a limit need not call it.
    fn is_stateless(&self) -> bool {
        false
    }
    /// True if the policy, with its parameters, refuses cells in a queue without a limit, too. By
    /// default it refuses none there: all that it does follows from the limit.
    fn acts_without_limit(&self) -> bool {
        false
    }
}

/// Parameters of a policy.
pub trait PolicyParameters: Clone {
    /// Findings about values outside their range at a queue with these `facts`.
    fn check(&self, facts: QueueFacts) -> Vec<Finding>;
    /// The parameters in a finite `buffer`, with the values that follow from others where they are
    /// left out.
    fn in_force(&self, _buffer: Buffer) -> Self {
        self.clone()
    }
}

/// Facts about a queue, against which a policy's parameters are checked.
#[derive(Clone, Copy, Debug)]
pub struct QueueFacts {
    /// Limit in cells, or in octets where frames are served; `u64::MAX` if there is none.
    pub buffer: u64,
    /// Units of the largest PDU.
    pub largest_pdu: u64,
    /// Channels that share the queue.
    pub channels: usize,
}

impl QueueFacts {
    /// Findings about a policy that drops whole PDUs above `threshold`: a buffer smaller than a
    /// PDU, and a threshold that the queue never exceeds.
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

//! Active queue management as a queue sees it: the trait of all algorithms, and the facts against which
//! parameters are checked.

use alloc::format;
use alloc::vec::Vec;
use core::fmt::Display;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::length::{Held, Length};
use crate::kernel::{Finding, Ps, Rate};

/// Decision of an AQM algorithm about one packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Let the packet pass.
    Pass,
    /// Mark the packet if its transport understands marks (ECT, RFC 3168 section 5); otherwise drop it.
    Mark,
    /// Drop the packet.
    Drop,
}

/// The decision that signals congestion: a mark if `ecn` is true, otherwise a drop.
pub(super) fn signal(ecn: bool) -> Decision {
    if ecn { Decision::Mark } else { Decision::Drop }
}

/// Instant at which the queue decides on a packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum At {
    /// At the arrival of a packet, by the length of the queue before it.
    #[default]
    Enqueue,
    /// At the start of a packet's transmission, by the length of the queue behind it.
    Dequeue,
}

/// Active queue management of one queue.
///
/// At one instant the queue first calls [`AqmAlgorithm::wake`], then reports ends of transmissions, then
/// arrivals.
pub trait AqmAlgorithm {
    /// Decides on a packet of `octets` that arrives at `now`. `queue` is the length of the queue before the
    /// packet, the frame in transmission included. The queue calls this also for a packet that the full buffer
    /// then refuses.
    #[inline]
    fn on_enqueue(&mut self, _now: Ps, _octets: u32, _queue: Held) -> Decision {
        Decision::Pass
    }
    /// Decides on the next packet to be served at `now`, which arrived at `since`. `queue` is the length of
    /// the queue behind the packet. After a drop the queue calls again with the following packet.
    #[inline]
    fn on_dequeue(&mut self, _now: Ps, _since: Ps, _queue: Held) -> Decision {
        Decision::Pass
    }
    /// The queue is empty from `now` on: the transmission of its last packet has ended.
    #[inline]
    fn on_empty(&mut self, _now: Ps) {}
    /// True if only arrivals of packets and an empty queue change the state or a decision. Then a port may
    /// already fix the transmission time of a packet when the packet arrives.
    fn acts_on_arrival_alone(&self) -> bool {
        false
    }
    /// Instant of the next call of [`AqmAlgorithm::wake`]; `NEVER` if there is none.
    #[inline]
    fn wake_at(&self) -> Ps {
        Ps::NEVER
    }
    /// The timer of [`AqmAlgorithm::wake_at`] expires, at `now`.
    fn wake(&mut self, _now: Ps) {}
}

/// Interface of the parameters of every AQM algorithm: a check against a queue, and whether the algorithm marks.
pub trait AqmParameters {
    /// Findings about values outside their range at the queue of `facts`.
    fn check(&self, facts: QueueFacts) -> Vec<Finding>;
    /// True if the algorithm marks packets of transports that understand marks.
    fn marks(&self) -> bool;
}

/// Rate, capacity and largest frame of a queue, against which the parameters of an AQM algorithm are checked.
#[derive(Clone, Copy, Debug)]
pub struct QueueFacts {
    /// Rate of the line that the queue feeds.
    pub rate: Rate,
    /// Capacity of the queue in octets; `u64::MAX` without a limit.
    pub limit: u64,
    /// Octets of the largest frame that arrives.
    pub largest: u32,
}

/// A finding that `field` has `value` and must be `allowed`; `None` if `holds` is true.
pub(crate) fn require(
    field: &'static str,
    holds: bool,
    value: impl Display,
    allowed: &str,
) -> Option<Finding> {
    (!holds).then(|| Finding::impossible(field, format!("must be {allowed}, but is {value}")))
}

/// A finding if the probability or share in `field` is not above 0 and at most 1.
pub(crate) fn share(field: &'static str, value: f64) -> Option<Finding> {
    let holds = value > 0.0 && value <= 1.0;
    require(field, holds, value, "above 0 and at most 1")
}

/// A finding if the time in `field` is not above 0.
pub(crate) fn lasting(field: &'static str, time: Ps) -> Option<Finding> {
    require(field, time > Ps::ZERO, time, "above 0")
}

/// A warning if the queue of `facts` never exceeds the threshold in `field`.
pub(super) fn reachable(
    field: &'static str,
    threshold: Length,
    facts: QueueFacts,
) -> Option<Finding> {
    let limit = facts.limit;
    threshold.is_never_exceeded(limit).then(|| {
        let message = format!("{threshold} are never exceeded in a buffer of {limit} bytes");
        Finding::warning(field, message)
    })
}

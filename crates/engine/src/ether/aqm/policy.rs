//! Active queue management as its queue sees it: the trait of all algorithms, and the facts against
//! which parameters are checked.

use alloc::format;
use alloc::vec::Vec;
use core::fmt::Display;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::length::{Held, Length};
use crate::kernel::{Finding, Ps, Rate};

/// Decision about one packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Let it pass.
    Pass,
    /// Mark the packet if its transport understands marks (ECT, RFC 3168 section 5); otherwise drop it.
    Mark,
    /// Drop it.
    Drop,
}

/// The decision on a packet by which an algorithm signals congestion.
pub(super) fn signal(ecn: bool) -> Decision {
    if ecn { Decision::Mark } else { Decision::Drop }
}

/// Instant at which the queue decides on a packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum At {
    /// At its arrival, with what the packet finds in the queue.
    #[default]
    Enqueue,
    /// At the beginning of its service, with the packets that stay behind it.
    Dequeue,
}

/// Active queue management of one queue.
///
/// At one instant the queue calls [`AqmAlgorithm::wake`] first, then reports ends of services, then
/// arrivals.
pub trait AqmAlgorithm {
    /// Decides on a packet of `octets` that arrives at `now`; `queue` is what the queue holds
    /// before it, the packet in service included. Every packet counts, one without room in the
    /// buffer too.
    #[inline]
    fn on_enqueue(&mut self, _now: Ps, _octets: u32, _queue: Held) -> Decision {
        Decision::Pass
    }
    /// Decides on a packet that arrived at `since` and is the next to be served, at `now`; `queue`
    /// is what stays behind it. After a drop the queue calls again with the packet that follows.
    #[inline]
    fn on_dequeue(&mut self, _now: Ps, _since: Ps, _queue: Held) -> Decision {
        Decision::Pass
    }
    /// The queue is empty from `now` on: the service of its last packet has ended.
    #[inline]
    fn on_empty(&mut self, _now: Ps) {}
    /// True if nothing but the arrival of a packet and an empty queue changes the state or a decision. A
    /// port may then give a packet its time on the line when the packet arrives.
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

/// Parameters of an algorithm.
pub trait AqmParameters {
    /// Findings about values outside their range at the queue of `facts`.
    fn check(&self, facts: QueueFacts) -> Vec<Finding>;
    /// True if the algorithm marks packets of transports that understand marks.
    fn marks(&self) -> bool;
}

/// Facts about a queue.
#[derive(Clone, Copy, Debug)]
pub struct QueueFacts {
    /// Rate of its line.
    pub rate: Rate,
    /// Most octets that it may hold; `u64::MAX` without a limit.
    pub limit: u64,
    /// Octets of the largest frame that arrives.
    pub largest: u32,
}

/// A finding that `value` is not `allowed`, unless `holds`.
pub(crate) fn require(
    field: &'static str,
    holds: bool,
    value: impl Display,
    allowed: &str,
) -> Option<Finding> {
    (!holds).then(|| Finding::impossible(field, format!("must be {allowed}, but is {value}")))
}

/// A finding about a probability or share that is not above 0 and at most 1.
pub(crate) fn share(field: &'static str, value: f64) -> Option<Finding> {
    let holds = value > 0.0 && value <= 1.0;
    require(field, holds, value, "above 0 and at most 1")
}

/// A finding about a time that is not above 0.
pub(crate) fn lasting(field: &'static str, time: Ps) -> Option<Finding> {
    require(field, time > Ps::ZERO, time, "above 0")
}

/// A warning of a threshold that the queue of `facts` never exceeds.
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

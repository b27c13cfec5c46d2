//! Which cells a finite buffer refuses. A policy is a file here and one line in the registry below.

use crate::atm::cell::Info;

/// Why a cell was refused; written into the event log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// The buffer was full.
    Overflow,
    /// An earlier cell of the same PDU was lost (partial packet discard).
    PartialPacket,
    /// The PDU began above the threshold (early packet discard).
    EarlyPacket,
    /// Above the threshold of intelligent tail drop.
    IntelligentTail,
    /// The source queue of an end system was full.
    SourceQueue,
}

/// What becomes of an arriving cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Queue it.
    Accept,
    /// Refuse it.
    Drop(Cause),
}

/// A discard policy of one queue, with state per channel slot. `queue` is the number of cells in
/// the queue, the one in service included; `buffer` is its limit.
pub trait DiscardPolicy {
    /// Decides on one cell of channel `slot`.
    fn admit(&mut self, slot: u32, info: Info, queue: u64, buffer: u64) -> Verdict;
}

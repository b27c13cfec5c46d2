//! The measuring window: counters at its ends, and what is measured within it.

use alloc::vec::Vec;

use super::relay::RelayCounts;
use super::source_queue::Refused;
use super::terminal::TerminalCounts;
use crate::atm::port::{Losses, QueueCounts};
use crate::endsystem::Counters;
use crate::kernel::{Ps, Summary};
use crate::tcp::SenderStats;

/// Values of all counters that run from the start, at one instant.
#[derive(Clone, Default)]
pub struct Snapshot {
    /// The instant.
    pub at: Ps,
    /// Per channel: counters of its sending end, and its losses.
    pub sends: Vec<Sends>,
    /// Per flow.
    pub flows: Vec<Bytes>,
    /// Per node and switch port.
    pub ports: Vec<Vec<(Vec<QueueCounts>, u64)>>,
    /// Per node and switch port: time for which its line has served cells, in units of `1/rate` ps.
    pub served: Vec<Vec<u128>>,
    /// Per node and port: time integral of the cells in front of it, if virtual sources feed it.
    pub fronts: Vec<Vec<Option<f64>>>,
}

/// Counters of one end of a flow and of the channel that begins there.
#[derive(Clone, Copy, Default)]
pub struct Sends {
    /// Cells and PDUs of the end from which the channel leaves.
    pub counts: TerminalCounts,
    /// Counters of its ABR source; zero without one.
    pub abr: Counters,
    /// Losses of the channel on its way.
    pub losses: Losses,
    /// RM cells that began and ended on the way.
    pub relayed: RelayCounts,
    /// Cells that have arrived at its far end.
    pub delivered: u64,
    /// Time integral of the source queue, in cells times picoseconds.
    pub queue_integral: f64,
    /// PDUs, cells and bytes that the source queue has refused.
    pub queue_drops: Refused,
}

/// Bytes of a flow.
#[derive(Clone, Copy, Default)]
pub struct Bytes {
    /// Bytes delivered in order.
    pub delivered: u64,
    /// Bytes that arrived, including duplicates and those that wait for earlier bytes.
    pub arrived: u64,
    /// Bytes acknowledged.
    pub acked: u64,
    /// Counters of the TCP sender; zero without TCP.
    pub sender: SenderStats,
}

/// Measures that cannot be computed as differences, taken at the end of the window.
#[derive(Clone, Default)]
pub struct WindowEnd {
    /// Counters at the end.
    pub snapshot: Snapshot,
    /// Per channel: shares of the window limited by the rate and by the TCP window, and mean ACR.
    pub shares: Vec<(f64, f64, f64)>,
    /// Per channel: least and greatest ACR, if it has one.
    pub acr_ranges: Vec<Option<(f64, f64)>>,
    /// Per channel: delays of packets and of cells that arrived where it begins, in picoseconds.
    pub delays: Vec<(Summary, Summary)>,
    /// Per channel: greatest length of its source queue.
    pub source_queue_max: Vec<u64>,
    /// Greatest length of each queue of each port of each node.
    pub queue_max: Vec<Vec<Vec<u64>>>,
    /// Most cells in front of each port of each node.
    pub front_max: Vec<Vec<Option<u64>>>,
    /// Sampled queue lengths per node, port and queue.
    pub samples: Vec<Vec<Vec<Summary>>>,
}

/// State of the measuring window, and sampled queue lengths.
#[derive(Clone, Default)]
pub struct Window {
    /// Counters at its beginning.
    pub begin: Snapshot,
    /// Greatest length of each queue of each port of each node before the window.
    pub queue_max_before: Vec<Vec<Vec<u64>>>,
    /// Its end, once it has ended.
    pub end: WindowEnd,
    /// Sampled queue lengths so far, per node, port and queue.
    pub samples: Vec<Vec<Vec<Summary>>>,
    /// Most cells in all queues together at a sample; `None` without samples (whole run).
    pub queued_max: Option<u64>,
}

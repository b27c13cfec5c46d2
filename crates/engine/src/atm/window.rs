//! The measuring window: counters at both ends, and measures taken within the window.

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
    /// Time at which the counters were read.
    pub at: Ps,
    /// For each channel: counters of the end at which it begins, and losses.
    pub sends: Vec<Sends>,
    /// For each flow: bytes of its application.
    pub flows: Vec<Bytes>,
    /// For each node and port: counters of the queues, and the number of cells whose service has
    /// completed.
    pub ports: Vec<Vec<(Vec<QueueCounts>, u64)>>,
    /// For each node and port: time for which the line has served cells, in units of `1/rate` ps.
    pub served: Vec<Vec<u128>>,
    /// For each node and port: time integral of the cells in front of the port, if virtual sources
    /// feed it.
    pub fronts: Vec<Vec<Option<f64>>>,
}

/// Counters of one end of a flow and of the channel that begins there.
#[derive(Clone, Copy, Default)]
pub struct Sends {
    /// Cells and PDUs of the end at which the channel begins.
    pub counts: TerminalCounts,
    /// Counters of the ABR source at that end; zero without one.
    pub abr: Counters,
    /// Losses of the channel on its path.
    pub losses: Losses,
    /// RM cells of the channel that virtual sources inserted and absorbed on the path.
    pub relayed: RelayCounts,
    /// Cells of the channel that have arrived at its far end.
    pub delivered: u64,
    /// Time integral of the source queue, in cells times picoseconds.
    pub queue_integral: f64,
    /// PDUs, cells and bytes that the source queue has refused.
    pub queue_drops: Refused,
}

/// Bytes of the application of a flow.
#[derive(Clone, Copy, Default)]
pub struct Bytes {
    /// Bytes delivered in order.
    pub delivered: u64,
    /// Bytes that arrived, including duplicates and those that wait for earlier bytes.
    pub arrived: u64,
    /// Bytes whose acknowledgement has reached the sender.
    pub acked: u64,
    /// Counters of the TCP sender; zero without TCP.
    pub sender: SenderStats,
}

/// Counters at the end of the window, and measures that are not differences of counters.
#[derive(Clone, Default)]
pub struct WindowEnd {
    /// Counters at the end.
    pub snapshot: Snapshot,
    /// For each channel: share of the window in which the rate was the limit, share in which the
    /// TCP window was, and mean ACR.
    pub shares: Vec<(f64, f64, f64)>,
    /// For each channel: least and greatest ACR, if the channel has one.
    pub acr_ranges: Vec<Option<(f64, f64)>>,
    /// For each channel: delays of packets and of cells that arrived at the end where the channel
    /// begins, in picoseconds.
    pub delays: Vec<(Summary, Summary)>,
    /// For each channel: greatest length of its source queue, in cells.
    pub source_queue_max: Vec<u64>,
    /// Greatest length of each queue of each port of each node, in cells.
    pub queue_max: Vec<Vec<Vec<u64>>>,
    /// Most cells in front of each port of each node.
    pub front_max: Vec<Vec<Option<u64>>>,
    /// Sampled queue lengths by node, port and queue.
    pub samples: Vec<Vec<Vec<Summary>>>,
}

/// State of the measuring window, and sampled queue lengths.
#[derive(Clone, Default)]
pub struct Window {
    /// Counters at the beginning of the window.
    pub begin: Snapshot,
    /// Greatest length of each queue of each port of each node before the window.
    pub queue_max_before: Vec<Vec<Vec<u64>>>,
    /// Counters and measures at the end of the window, once it has ended.
    pub end: WindowEnd,
    /// Queue lengths sampled so far, by node, port and queue.
    pub samples: Vec<Vec<Vec<Summary>>>,
    /// Most cells in all queues together at a sample; `None` without samples (whole run).
    pub queued_max: Option<u64>,
}

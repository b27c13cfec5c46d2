//! The measurement window: counters at its beginning and end, and measures taken within it.

use alloc::vec::Vec;

use super::relay::RelayCounts;
use super::source_queue::Refused;
use super::terminal::TerminalCounts;
use crate::atm::port::{Losses, QueueCounts};
use crate::endsystem::Counters;
use crate::kernel::{Ps, Summary};
use crate::policing::PolicerCounts;
use crate::tcp::SenderStats;

/// Values of all counters at one instant. Each counter runs from the start of the run.
#[derive(Clone, Default)]
pub struct Snapshot {
    /// Time at which the counters were read.
    pub at: Ps,
    /// For each channel: the counters of the terminal where the channel begins, and the losses of the channel.
    pub sends: Vec<Sends>,
    /// For each flow: numbers of bytes of its application.
    pub flows: Vec<Bytes>,
    /// For each node and port: counters of each queue, and the number of cells that have left the
    /// port.
    pub ports: Vec<Vec<(Vec<QueueCounts>, u64)>>,
    /// For each node and port: busy time of the line, in units of `1/rate` ps.
    pub served: Vec<Vec<u128>>,
    /// For each node and port: time integral of the number of cells in the queues of virtual sources; `None` if
    /// no virtual source feeds the port.
    pub fronts: Vec<Vec<Option<f64>>>,
}

/// Counters of a channel and of the terminal where it begins.
#[derive(Clone, Copy, Default)]
pub struct Sends {
    /// Cells and PDUs of the terminal where the channel begins.
    pub counts: TerminalCounts,
    /// Counters of the channel's ABR source; zero if the channel has no ABR source.
    pub abr: Counters,
    /// Losses of the channel on its path.
    pub losses: Losses,
    /// Cells of the channel at its policer; `None` without a policer.
    pub policed: Option<PolicerCounts>,
    /// RM cells of the channel that switches have inserted and absorbed on its path.
    pub relayed: RelayCounts,
    /// Number of cells of the channel that have arrived at its end.
    pub delivered: u64,
    /// Time integral of the length of the source queue, in cells times picoseconds.
    pub queue_integral: f64,
    /// PDUs, cells and bytes that the source queue has refused.
    pub queue_drops: Refused,
}

/// Numbers of application bytes of a flow.
#[derive(Clone, Copy, Default)]
pub struct Bytes {
    /// Bytes delivered in order to the application.
    pub delivered: u64,
    /// Bytes that arrived at the receiver, including duplicates and bytes out of order.
    pub arrived: u64,
    /// Bytes whose acknowledgement has reached the sender.
    pub acked: u64,
    /// Counters of the TCP sender; zero without TCP.
    pub sender: SenderStats,
}

/// Counters at the end of the measurement window, and measures that are not differences of
/// counters.
#[derive(Clone, Default)]
pub struct WindowEnd {
    /// Counters at the end of the measurement window.
    pub snapshot: Snapshot,
    /// Three values for each channel: the share of the window in which the rate was the limit, the share in which
    /// TCP's window was the limit, and mean ACR in cells/s.
    pub shares: Vec<(f64, f64, f64)>,
    /// For each channel: least and greatest ACR in cells/s; `None` if the channel is not ABR.
    pub acr_ranges: Vec<Option<(f64, f64)>>,
    /// For each channel: delays of the packets and of the cells that arrived at the terminal where
    /// the channel begins, in picoseconds.
    pub delays: Vec<(Summary, Summary)>,
    /// For each channel: greatest length of its source queue in the window, in cells.
    pub source_queue_max: Vec<u64>,
    /// By node, port and queue: greatest queue length in the window, in cells.
    pub queue_max: Vec<Vec<Vec<u64>>>,
    /// By node and port: greatest number of cells in the queues of virtual sources; `None` if no virtual source
    /// feeds the port.
    pub front_max: Vec<Vec<Option<u64>>>,
    /// By node, port and queue: statistics of the sampled queue lengths, in cells.
    pub samples: Vec<Vec<Vec<Summary>>>,
}

/// State of the measurement window, and statistics of sampled queue lengths.
#[derive(Clone, Default)]
pub struct Window {
    /// Counters at the beginning of the measurement window.
    pub begin: Snapshot,
    /// By node, port and queue: greatest queue length before the window, in cells.
    pub queue_max_before: Vec<Vec<Vec<u64>>>,
    /// Counters and measures at the end of the measurement window; empty before then.
    pub end: WindowEnd,
    /// By node, port and queue: statistics of the queue lengths sampled so far, in cells.
    pub samples: Vec<Vec<Vec<Summary>>>,
    /// Greatest total length of all queues at a sample of the whole run, in cells; `None` without
    /// samples.
    pub queued_max: Option<u64>,
}

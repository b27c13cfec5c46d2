//! The measuring window: counters at its ends, and what is measured within it.

use alloc::vec::Vec;

use super::aqm::Held;
use super::endpoint::EndpointCounts;
use super::port::QueueCounts;
use crate::kernel::{Ps, Summary};
use crate::tcp::SenderStats;

/// Values of all counters that run from the start, at one instant.
#[derive(Clone, Default)]
pub struct Snapshot {
    /// The instant.
    pub at: Ps,
    /// By flow.
    pub flows: Vec<FlowCounts>,
    /// By node and port; none for hosts.
    pub ports: Vec<Vec<PortCounts>>,
}

/// Counters of a flow.
#[derive(Clone, Copy, Default)]
pub struct FlowCounts {
    /// Bytes delivered.
    pub delivered: u64,
    /// Bytes acknowledged.
    pub acked: u64,
    /// Counters of the sender over TCP or RoCE; zero without either.
    pub sender: SenderStats,
    /// Counters of the source.
    pub source: EndpointCounts,
    /// Counters of the destination.
    pub destination: EndpointCounts,
    /// Drops of the forward channel.
    pub dropped: Dropped,
    /// Counters of RoCE; zero without RoCE.
    pub roce: RoceCounts,
    /// Integral of ACR in octets/s times picoseconds; zero without rate control.
    pub acr_ps: f64,
}

/// Counters of a flow over RoCE.
#[derive(Clone, Copy, Default)]
pub struct RoceCounts {
    /// CNPs that the destination has sent.
    pub cnps_sent: u64,
    /// CNPs that the source has received.
    pub cnps_received: u64,
    /// Negative acknowledgements after which the source went back.
    pub naks: u64,
    /// Integral of the rate in octets/s times picoseconds.
    pub rate_ps: f64,
}

/// Counters of a port.
#[derive(Clone, Default)]
pub struct PortCounts {
    /// By queue.
    pub queues: Vec<QueueCounts>,
    /// Time in which the line has sent, in picoseconds.
    pub busy_ps: f64,
    /// Frames whose service has begun.
    pub sent: u64,
}

/// Frames of a channel that switches have dropped, and their payload bytes of TCP or RoCE.
#[derive(Clone, Copy, Default)]
pub struct Dropped {
    /// Frames.
    pub packets: u64,
    /// Payload bytes of TCP or RoCE.
    pub bytes: u64,
}

/// State of the measuring window.
#[derive(Clone, Default)]
pub struct Window {
    /// Counters at its beginning.
    pub begin: Snapshot,
    /// Counters at its end.
    pub end: Snapshot,
    /// True from its end on.
    pub has_ended: bool,
    /// By flow: delays of packets in picoseconds.
    pub delays: Vec<Summary>,
    /// By node, port and queue.
    pub most: Vec<Vec<Vec<Held>>>,
    /// The same before the window.
    pub most_before: Vec<Vec<Vec<Held>>>,
    /// By node, port and queue: sampled bytes.
    pub samples: Vec<Vec<Vec<Summary>>>,
}

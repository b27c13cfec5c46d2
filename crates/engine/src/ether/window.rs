//! The measuring window: counters at its begin and its end, and measures within the window.

use alloc::vec::Vec;

use super::aqm::Held;
use super::endpoint::EndpointCounts;
use super::port::QueueCounts;
use crate::kernel::{Ps, Summary};
use crate::tcp::SenderStats;

/// Values at one instant of all counters that run from the start of the run.
#[derive(Clone, Default)]
pub struct Snapshot {
    /// Instant of the snapshot.
    pub at: Ps,
    /// Counters by flow.
    pub flows: Vec<FlowCounts>,
    /// Counters by node and port; none for hosts.
    pub ports: Vec<Vec<PortCounts>>,
    /// Counters of the links with bit errors, each with the index of the link.
    pub links: Vec<(usize, LinkCounts)>,
}

/// Counters of a flow at one instant; a measure is the difference of the counters at two instants.
#[derive(Clone, Copy, Default)]
pub struct FlowCounts {
    /// Bytes delivered to the destination.
    pub delivered: u64,
    /// Bytes whose acknowledgement has reached the source.
    pub acked: u64,
    /// Counters of the TCP or RoCE sender; zero without either.
    pub sender: SenderStats,
    /// Counters of the source endpoint.
    pub source: EndpointCounts,
    /// Counters of the destination endpoint.
    pub destination: EndpointCounts,
    /// Frames of the forward channel that switches dropped.
    pub dropped: Dropped,
    /// Errored frames of the forward and the backward channel together, and of the forward channel alone.
    pub lost: [u64; 2],
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
    /// Negative acknowledgements after which the source has sent packets again.
    pub naks: u64,
    /// Credits of ExpressPass that came due at the destination.
    pub credits_sent: u64,
    /// Credits of ExpressPass that the source has received.
    pub credits_received: u64,
    /// Credits of ExpressPass with which no packet was sent.
    pub credits_unused: u64,
    /// Integral of the source's rate over time, in octets/s times picoseconds.
    pub rate_ps: f64,
}

/// Counters of an output port at one instant; a measure is the difference of the counters at two instants.
#[derive(Clone, Default)]
pub struct PortCounts {
    /// Counters by queue.
    pub queues: Vec<QueueCounts>,
    /// Time in which the line has been busy, in picoseconds.
    pub busy_ps: f64,
    /// Number of frames whose transmission has begun.
    pub sent: u64,
}

/// Counters of a link with bit errors.
#[derive(Clone, Copy, Default)]
pub struct LinkCounts {
    /// Frames that have arrived at the end of the link, errored frames included.
    pub arrived: u64,
    /// Errored frames that have arrived.
    pub lost: u64,
    /// Frames that link-level retry sent again; a frame counts each time.
    pub retried: u64,
}

/// Frames of a channel that switches have dropped, or receivers by the FCS, and the payload bytes of TCP or RoCE in
/// these frames.
#[derive(Clone, Copy, Default)]
pub struct Dropped {
    /// Dropped frames.
    pub packets: u64,
    /// Payload bytes of TCP or RoCE in the dropped frames.
    pub bytes: u64,
}

/// Counters at the begin and the end of the measuring window, from which the report is made.
#[derive(Clone, Default)]
pub struct Window {
    /// Counters at the beginning of the window.
    pub begin: Snapshot,
    /// Counters at the end of the window.
    pub end: Snapshot,
    /// True after the end of the window.
    pub has_ended: bool,
    /// Delays of packets in picoseconds, by flow.
    pub delays: Vec<Summary>,
    /// Greatest lengths of queues in the window, by node, port and queue.
    pub most: Vec<Vec<Vec<Held>>>,
    /// Greatest lengths of queues before the window, by node, port and queue.
    pub most_before: Vec<Vec<Vec<Held>>>,
    /// Sampled lengths of queues in octets, by node, port and queue.
    pub samples: Vec<Vec<Vec<Summary>>>,
}

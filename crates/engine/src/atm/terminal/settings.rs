//! Settings of a terminal: its shaper, its application, and the data of the application.

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::atm::source_queue::SourceQueue;
use crate::endsystem::{
    AbrDestination, AbrSource, BucketSource, CreditedSource, SplitSource, UnshapedSource,
};
use crate::kernel::{Ps, Ring, Stream};
use crate::net::channel::ChannelId;
use crate::tcp::{Segment, TcpReceiver, TcpSender};
use crate::traffic::{Application, Cells, Writes};

/// The shaper of a terminal, which determines when cells are sent.
#[derive(Clone)]
pub enum Shaper {
    /// No shaper: cells are sent when they are generated.
    None,
    /// Sends cells at the peak cell rate.
    Unshaped(UnshapedSource),
    /// Sends cells as they conform to a contract.
    Bucket(Box<BucketSource>),
    /// Sends cells by the source rules of TM 4.0.
    Abr(Box<AbrSource>),
    /// Sends RM cells by the source rules of TM 4.0, and data cells, which have another class, at
    /// the line rate.
    Split(Box<SplitSource>),
    /// Sends cells as far as the channel has credit.
    Credited(Box<CreditedSource>),
}

impl Shaper {
    /// The ABR source, if the shaper has one.
    pub(super) fn abr(&self) -> Option<&AbrSource> {
        match self {
            Shaper::Abr(source) => Some(source),
            Shaper::Split(source) => Some(source.rm()),
            _ => None,
        }
    }
    /// The ABR source, mutable, if the shaper has one.
    pub(super) fn abr_mut(&mut self) -> Option<&mut AbrSource> {
        match self {
            Shaper::Abr(source) => Some(source),
            Shaper::Split(source) => Some(source.rm_mut()),
            _ => None,
        }
    }
}

/// The part of a terminal that sends or receives: nothing, a source of raw cells, or an end of TCP.
#[derive(Clone)]
pub enum App {
    /// No application: arriving cells are only counted.
    Sink,
    /// A source of raw cells (without TCP), which determines the times of the cells.
    Cells(Cells),
    /// A source without TCP that always has a cell to send.
    Persistent,
    /// The sending end of a TCP connection.
    Sender(Box<TcpSender>),
    /// The receiving end of a TCP connection.
    Receiver(Box<TcpReceiver>),
    /// A router, which passes segments between this channel and other networks.
    Router(Box<Router>),
}

/// The data that a TCP sender has to send, and when.
#[derive(Clone)]
pub enum Supply {
    /// Number of bytes, all available at the start.
    Bytes(u64),
    /// Bytes that an application writes at certain times.
    Writes(Box<Writes>),
}

impl Supply {
    /// Time at which the application writes the next bytes; `NEVER` if it writes no more.
    pub(super) fn next(&self) -> Ps {
        match self {
            Supply::Bytes(_) => Ps::NEVER,
            Supply::Writes(writes) => writes.next(),
        }
    }
}

/// The processor of an end system: its processing time for each segment in picoseconds, and the segments that
/// wait for processing.
#[derive(Clone)]
pub(super) struct Processing {
    pub time: Ps,
    pub variation: Ps,
    pub stream: Stream,
    pub busy_until: Ps,
    pub segments: Ring<(Ps, Segment)>,
}

/// The end of a channel at a router: segments that have arrived, and segments that enter the
/// channel.
#[derive(Clone, Default)]
pub struct Router {
    /// Reassembled segments that have not been removed yet, each with its arrival time.
    pub(super) arrived: Vec<(Ps, Segment)>,
    /// Payload bytes of all segments that have arrived.
    pub arrived_bytes: u64,
    /// Segments that will enter the source queue, each with its time, in order.
    pub(super) entering: Ring<(Ps, Segment)>,
}

impl Router {
    /// Time at which the next segment enters the source queue; `NEVER` if none will enter.
    pub(super) fn next(&self) -> Ps {
        self.entering.front().map_or(Ps::NEVER, |(at, _)| *at)
    }
    pub(super) fn arrive(&mut self, now: Ps, segment: &Segment) {
        self.arrived_bytes += segment.payload() as u64;
        self.arrived.push((now, *segment));
    }
    /// Payload bytes of the segments that have not entered the source queue yet.
    pub fn entering_bytes(&self) -> u64 {
        let bytes = |(_, segment): &(Ps, Segment)| segment.payload() as u64;
        self.entering.iter().map(bytes).sum()
    }
}

/// Settings from which a terminal (one end of a flow at a host) is built.
pub struct TerminalSettings {
    /// The channel that begins at the terminal.
    pub channel: ChannelId,
    /// Index of the host's output port for this channel.
    pub port: u32,
    /// Label (VPI/VCI) of the channel's cells on its first link.
    pub label: u32,
    /// Index of the channel among the channels of the host's port.
    pub slot: u32,
    /// Shaper of the channel.
    pub shaper: Shaper,
    /// Destination half of the ABR end system, if an ABR channel ends at the terminal.
    pub destination: Option<AbrDestination>,
    /// Source queue of the channel, still empty.
    pub queue: SourceQueue,
    /// Application of the terminal.
    pub app: App,
    /// Time at which the source starts.
    pub start: Ps,
    /// False if the source sends no new data; a change of the plan may later set this to true.
    pub sends: bool,
    /// Data of a TCP sender, with the times at which they become available.
    pub supply: Supply,
    /// Fixed time to process a segment, upper limit of the random time in addition to it, and the random stream
    /// for this time; `None` if processing takes no time.
    pub processing: Option<(Ps, Ps, Stream)>,
    /// True if data cells carry their sending times.
    pub stamps: bool,
}

//! Settings of a terminal: its shaper, its application, and the application's data.

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::atm::source_queue::SourceQueue;
use crate::endsystem::{AbrDestination, AbrSource, CreditedSource, SplitSource, UnshapedSource};
use crate::kernel::{Ps, Ring, Stream};
use crate::net::channel::ChannelId;
use crate::tcp::{Segment, TcpReceiver, TcpSender};
use crate::traffic::{Application, Cells, Writes};

/// The shaper of a terminal, which determines the sending times of cells.
#[derive(Clone)]
pub enum Shaper {
    /// No shaper: cells are sent as they are generated.
    None,
    /// Cells are sent at a peak cell rate.
    Unshaped(UnshapedSource),
    /// Cells are sent by the source rules of TM 4.0.
    Abr(Box<AbrSource>),
    /// RM cells are sent by the source rules of TM 4.0, data, which have another class, at the line
    /// rate.
    Split(Box<SplitSource>),
    /// Cells are sent as the credit of the channel allows.
    Credited(Box<CreditedSource>),
}

impl Shaper {
    /// The source of RM cells, if there is one.
    pub(super) fn abr(&self) -> Option<&AbrSource> {
        match self {
            Shaper::Abr(source) => Some(source),
            Shaper::Split(source) => Some(source.rm()),
            _ => None,
        }
    }
    /// The source of RM cells, mutable, for RM cells that arrive.
    pub(super) fn abr_mut(&mut self) -> Option<&mut AbrSource> {
        match self {
            Shaper::Abr(source) => Some(source),
            Shaper::Split(source) => Some(source.rm_mut()),
            _ => None,
        }
    }
}

/// The application of a terminal.
#[derive(Clone)]
pub enum App {
    /// No application: cells that arrive are only counted.
    Sink,
    /// A source that generates cells without TCP.
    Cells(Cells),
    /// A source without TCP of which a further cell is always waiting.
    Persistent,
    /// The sending end of a TCP connection.
    Sender(Box<TcpSender>),
    /// The receiving end of a TCP connection.
    Receiver(Box<TcpReceiver>),
    /// A router, which hands segments on between this channel and others.
    Router(Box<Router>),
}

/// Data of a TCP sender.
#[derive(Clone)]
pub enum Supply {
    /// Number of bytes, all of which the sender has at the start.
    Bytes(u64),
    /// Bytes that an application writes at certain times.
    Writes(Box<Writes>),
}

impl Supply {
    /// Time at which an application writes the next bytes; `NEVER` if it writes none.
    pub(super) fn next(&self) -> Ps {
        match self {
            Supply::Bytes(_) => Ps::NEVER,
            Supply::Writes(writes) => writes.next(),
        }
    }
}

/// A segment that waits for the end system to process it.
#[derive(Clone)]
pub(super) struct Processing {
    pub time: Ps,
    pub variation: Ps,
    pub stream: Stream,
    pub busy_until: Ps,
    pub segments: Ring<(Ps, Segment)>,
}

/// Segments at a router's end of a channel.
#[derive(Clone, Default)]
pub struct Router {
    /// Segments that have arrived whole and that the router has not taken yet.
    pub(super) arrived: Vec<(Ps, Segment)>,
    /// Payload bytes of all that have arrived.
    pub arrived_bytes: u64,
    /// Segments that enter the source queue, with their times, in order.
    pub(super) entering: Ring<(Ps, Segment)>,
}

impl Router {
    /// Time at which the next segment enters.
    pub(super) fn next(&self) -> Ps {
        self.entering.front().map_or(Ps::NEVER, |(at, _)| *at)
    }
    pub(super) fn arrive(&mut self, now: Ps, segment: &Segment) {
        self.arrived_bytes += segment.payload() as u64;
        self.arrived.push((now, *segment));
    }
    /// Payload bytes of the segments that have not entered yet.
    pub fn entering_bytes(&self) -> u64 {
        let bytes = |(_, segment): &(Ps, Segment)| segment.payload() as u64;
        self.entering.iter().map(bytes).sum()
    }
}

/// Settings of a terminal.
pub struct TerminalSettings {
    /// Channel that begins at the terminal.
    pub channel: ChannelId,
    /// Index of the host's output port through which the channel leaves.
    pub port: u32,
    /// Label of the channel on its first link.
    pub label: u32,
    /// Slot of the channel at the host's port.
    pub slot: u32,
    /// Shaper of the channel.
    pub shaper: Shaper,
    /// Destination half of an ABR channel that ends here.
    pub destination: Option<AbrDestination>,
    /// Source queue of the channel.
    pub queue: SourceQueue,
    /// Application of the terminal.
    pub app: App,
    /// Time at which the source starts.
    pub start: Ps,
    /// False if the source sends nothing new until a change lets it.
    pub sends: bool,
    /// Data of a TCP sender with the times at which they come.
    pub supply: Supply,
    /// Time to process a segment, variation of that time, and the random stream that the variation
    /// is drawn from.
    pub processing: Option<(Ps, Ps, Stream)>,
    /// True if cells carry their sending time.
    pub stamps: bool,
}

//! Settings of a terminal: its shaper, its application, and the application's data.

use alloc::boxed::Box;

use crate::atm::source_queue::SourceQueue;
use crate::endsystem::{AbrDestination, AbrSource, CreditedSource, SplitSource, UnshapedSource};
use crate::kernel::{Ps, Ring, Stream};
use crate::net::channel::ChannelId;
use crate::tcp::{Segment, TcpReceiver, TcpSender};
use crate::traffic::{Application, Cells, Writes};

/// Determines the sending times of cells.
#[derive(Clone)]
pub enum Shaper {
    /// No shaper: cells are sent as they are generated.
    None,
    /// A peak cell rate.
    Unshaped(UnshapedSource),
    /// The source rules of TM 4.0.
    Abr(Box<AbrSource>),
    /// The source rules of TM 4.0 for RM cells, the line rate for data, which have another class.
    Split(Box<SplitSource>),
    /// The credit of the channel.
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
    /// None: cells that arrive are only counted.
    Sink,
    /// Bare cells.
    Cells(Cells),
    /// Bare cells; a further cell is always waiting.
    Persistent,
    /// The sending end of a TCP connection.
    Sender(Box<TcpSender>),
    /// The receiving end.
    Receiver(Box<TcpReceiver>),
}

/// Data of a TCP sender.
#[derive(Clone)]
pub enum Supply {
    /// This number of bytes at the start.
    Bytes(u64),
    /// An application writes them.
    Writes(Box<Writes>),
}

impl Supply {
    /// Time at which the next bytes come, after the first.
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

/// Settings of a terminal.
pub struct TerminalSettings {
    /// Channel that begins here.
    pub channel: ChannelId,
    /// Output port of the host.
    pub port: u32,
    /// Label on the first link.
    pub label: u32,
    /// Slot at the host's port.
    pub slot: u32,
    /// Shaper of the channel.
    pub shaper: Shaper,
    /// Destination half of an ABR channel that ends here.
    pub destination: Option<AbrDestination>,
    /// Source queue.
    pub queue: SourceQueue,
    /// Application.
    pub app: App,
    /// Start time.
    pub start: Ps,
    /// False if the source sends nothing new.
    pub sends: bool,
    /// Data of a TCP sender with their times.
    pub supply: Supply,
    /// Time to process a segment, its variation, and the random stream of the variation.
    pub processing: Option<(Ps, Ps, Stream)>,
    /// True if cells carry their sending time.
    pub stamps: bool,
}

//! What a terminal is built from: who paces it, what runs on top, where that gets its data.

use alloc::boxed::Box;

use crate::endsystem::{AbrDestination, AbrSource, CreditedSource, SplitSource, UnshapedSource};
use crate::kernel::{Ps, Ring, Stream};
use crate::network::source_queue::SourceQueue;
use crate::tcp::{Segment, TcpReceiver, TcpSender};
use crate::traffic::{Application, Cells, Writes};

/// Who decides when the next cell goes out.
pub enum Shaper {
    /// Nobody: cells go out as they are generated.
    None,
    /// A peak cell rate.
    Unshaped(UnshapedSource),
    /// The source rules of TM 4.0.
    Abr(Box<AbrSource>),
    /// The source rules of TM 4.0 for RM cells, the line for data, which are of another class.
    Split(Box<SplitSource>),
    /// The credit of the channel.
    Credited(Box<CreditedSource>),
}

impl Shaper {
    /// Who sends RM cells, if anybody does.
    pub(super) fn abr(&self) -> Option<&AbrSource> {
        match self {
            Shaper::Abr(source) => Some(source),
            Shaper::Split(source) => Some(source.rm()),
            _ => None,
        }
    }
    /// The same, to be told of RM cells that arrive.
    pub(super) fn abr_mut(&mut self) -> Option<&mut AbrSource> {
        match self {
            Shaper::Abr(source) => Some(source),
            Shaper::Split(source) => Some(source.rm_mut()),
            _ => None,
        }
    }
}

/// What runs on top.
pub enum App {
    /// Nothing: what arrives is counted.
    Sink,
    /// Bare cells.
    Cells(Cells),
    /// Bare cells, one always waiting.
    Persistent,
    /// The sending end of a TCP connection.
    Sender(Box<TcpSender>),
    /// The receiving end.
    Receiver(Box<TcpReceiver>),
}

/// Where a TCP sender's data come from.
pub enum Supply {
    /// So many bytes at the start, and no more.
    Bytes(u64),
    /// An application writes them.
    Writes(Box<Writes>),
}

impl Supply {
    /// When the next bytes come, once the first have.
    pub(super) fn next(&self) -> Ps {
        match self {
            Supply::Bytes(_) => Ps::NEVER,
            Supply::Writes(writes) => writes.next(),
        }
    }
}

/// A segment waits for the end system to process it.
pub(super) struct Processing {
    pub time: Ps,
    pub variation: Ps,
    pub stream: Stream,
    pub busy_until: Ps,
    pub segments: Ring<(Ps, Segment)>,
}

/// What a terminal is built from.
pub struct TerminalSettings {
    /// Channel that leaves here.
    pub channel: u32,
    /// Output port of the host.
    pub port: u32,
    /// Label on the first link.
    pub label: u32,
    /// Slot at the host's port.
    pub slot: u32,
    /// Who paces.
    pub shaper: Shaper,
    /// Destination half of an ABR channel that ends here.
    pub destination: Option<AbrDestination>,
    /// Source queue.
    pub queue: SourceQueue,
    /// What runs on top.
    pub app: App,
    /// When it starts.
    pub start: Ps,
    /// What a TCP sender is given, and when.
    pub supply: Supply,
    /// Time to process a segment, its variation, and the randomness of that.
    pub processing: Option<(Ps, Ps, Stream)>,
    /// Whether cells carry their time of sending.
    pub stamps: bool,
}

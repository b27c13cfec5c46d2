//! Memory of the cells and frames on links and in queues, and of the event log over Ethernet.

use super::channel::ChannelId;
use super::links::Links;
use super::unit::Word;

/// Number of units (cells or frames) on links and in queues at one instant, and the simulator's memory for the ring
/// buffers that store these units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Storage {
    /// Number of units on links, in the queues of ports and in source queues.
    pub units: u64,
    /// Bytes of the simulator's memory that are allocated for units on links, in the queues of ports and in source
    /// queues, and for logged events.
    pub bytes: u64,
    /// The link, port, source queue or log with the most bytes; `None` if no bytes are allocated.
    pub fullest: Option<Holder>,
}

/// A link, port, source queue or log, the number of units (cells or frames) there, and the memory allocated for
/// these units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Holder {
    /// The link, port, source queue or log.
    pub place: Place,
    /// Number of units on the link or in the queue `place`.
    pub units: u64,
    /// Bytes of the simulator's memory that are allocated for units on the link or in the queue `place`.
    pub bytes: u64,
}

/// A place in the network where units or events are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Units on the link with this index. A port with a single queue stores its queue there, too.
    Link(usize),
    /// Units in the queues of the port that feeds the link with this index, if the port has several
    /// queues or per-channel queues before it.
    Port(usize),
    /// Units in the source queue of this channel.
    Source(ChannelId),
    /// Events in the log of a node or of an end system. A log holds no units.
    Log,
}

impl Storage {
    /// Bytes allocated per stored unit.
    pub fn bytes_per_unit(self) -> f64 {
        self.bytes as f64 / self.units.max(1) as f64
    }

    /// Number of units on all links now, and the bytes of memory that are allocated for these units.
    pub(super) fn of_links<W: Word>(links: &Links<W>) -> Storage {
        let mut held = Storage::default();
        for (number, link) in links.iter().enumerate() {
            held.add(Place::Link(number), link.len() as u64, link.bytes());
        }
        held
    }

    /// Adds the units and bytes of `other`. Of the two values of `fullest`, the one with more bytes is kept.
    pub(super) fn join(&mut self, other: Storage) {
        self.units += other.units;
        self.bytes += other.bytes;
        let bytes = |holder: &Option<Holder>| holder.map_or(0, |holder| holder.bytes);
        if bytes(&other.fullest) > bytes(&self.fullest) {
            self.fullest = other.fullest;
        }
    }

    /// Adds `units` units and `bytes` bytes that are stored at `place`.
    pub(crate) fn add(&mut self, place: Place, units: u64, bytes: usize) {
        let holder = Holder {
            place,
            units,
            bytes: bytes as u64,
        };
        self.join(Storage {
            units,
            bytes: holder.bytes,
            fullest: Some(holder),
        });
    }
}

//! Memory of the units that are in flight or queued.

use super::channel::ChannelId;
use super::links::Links;
use super::unit::Word;

/// Number of units held at once, and the bytes of the ring buffers that hold them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Storage {
    /// Units on links, in the queues of ports and in source queues.
    pub units: u64,
    /// Bytes allocated for these units.
    pub bytes: u64,
    /// The place for which most of these bytes are allocated; `None` if nothing has been allocated.
    pub fullest: Option<Holder>,
}

/// A place that holds units, with their number and the bytes allocated for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Holder {
    /// The place that holds the units.
    pub place: Place,
    /// Number of units at the place.
    pub units: u64,
    /// Bytes allocated for the units at the place.
    pub bytes: u64,
}

/// A place that holds units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Units on this link, or waiting for it where the port has a single queue, which keeps its units there.
    Link(usize),
    /// Units in several queues of the port that feeds this link, or in queues in front of that port.
    Port(usize),
    /// Units in the queue of the source at the begin of this channel.
    Source(ChannelId),
}

impl Storage {
    /// Bytes allocated per unit that the place holds.
    pub fn bytes_per_unit(self) -> f64 {
        self.bytes as f64 / self.units.max(1) as f64
    }

    /// Storage of all links now.
    pub(super) fn of_links<W: Word>(links: &Links<W>) -> Storage {
        let mut held = Storage::default();
        for (number, link) in links.iter().enumerate() {
            held.add(Place::Link(number), link.len() as u64, link.bytes());
        }
        held
    }

    /// Adds the storage of another place, or of several.
    pub(super) fn join(&mut self, other: Storage) {
        self.units += other.units;
        self.bytes += other.bytes;
        let bytes = |holder: &Option<Holder>| holder.map_or(0, |holder| holder.bytes);
        if bytes(&other.fullest) > bytes(&self.fullest) {
            self.fullest = other.fullest;
        }
    }

    /// Adds a place that holds units, with the bytes allocated for them.
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

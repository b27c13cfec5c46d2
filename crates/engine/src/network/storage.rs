//! Memory of the cells that are in flight or queued.

use super::channel::ChannelId;
use super::links::Links;
use super::node::Node;
use crate::atm::server::Server;

/// Cells held at once, and the bytes of the rings that hold them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Storage {
    /// Cells on links, in the queues of ports and in source queues.
    pub cells: u64,
    /// Bytes allocated for them.
    pub bytes: u64,
    /// The place that has most of these bytes; `None` if nothing has been allocated.
    pub fullest: Option<Holder>,
}

/// A place that holds cells, with their number and the bytes allocated for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Holder {
    /// The place.
    pub place: Place,
    /// Cells there.
    pub cells: u64,
    /// Bytes allocated for them.
    pub bytes: u64,
}

/// A place that holds cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// On this link, or waiting for it where the port has a single queue, which keeps its cells there.
    Link(usize),
    /// In several queues of the port that feeds this link, or in those of virtual sources there.
    Port(usize),
    /// In the queue between TCP and the network at the begin of this channel.
    Source(ChannelId),
}

impl Storage {
    /// Bytes per cell.
    pub fn bytes_per_cell(self) -> f64 {
        self.bytes as f64 / self.cells.max(1) as f64
    }

    /// The storage of links and nodes now.
    pub(super) fn of<'a, S: Server + 'a>(
        links: &Links,
        nodes: impl Iterator<Item = &'a Node<S>>,
    ) -> Storage {
        let mut held = Storage::default();
        for (number, link) in links.iter().enumerate() {
            held.add(Place::Link(number), link.len() as u64, link.bytes());
        }
        for node in nodes {
            for (port, link) in node.ports() {
                let (bytes, cells) = port.storage();
                held.add(Place::Port(*link as usize), cells as u64, bytes);
            }
            match node {
                Node::Switch(switch) => {
                    for relay in &switch.relays {
                        let link = switch.ports[relay.port as usize].1 as usize;
                        let cells = relay.held().count() as u64;
                        held.add(Place::Port(link), cells, relay.storage());
                    }
                }
                Node::Host(host) => {
                    for terminal in &host.terminals {
                        let queue = terminal.queue();
                        let place = Place::Source(terminal.channel);
                        held.add(place, queue.cells(), queue.storage());
                    }
                }
            }
        }
        held
    }

    /// Adds what another place, or several of them, hold.
    pub(super) fn join(&mut self, other: Storage) {
        self.cells += other.cells;
        self.bytes += other.bytes;
        let bytes = |holder: &Option<Holder>| holder.map_or(0, |holder| holder.bytes);
        if bytes(&other.fullest) > bytes(&self.fullest) {
            self.fullest = other.fullest;
        }
    }

    fn add(&mut self, place: Place, cells: u64, bytes: usize) {
        let holder = Holder {
            place,
            cells,
            bytes: bytes as u64,
        };
        self.join(Storage {
            cells,
            bytes: holder.bytes,
            fullest: Some(holder),
        });
    }
}

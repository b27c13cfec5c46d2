//! Memory of the cells that are in flight or queued.

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
        let mut add = |cells: u64, bytes: usize| {
            held.cells += cells;
            held.bytes += bytes as u64;
        };
        for link in links.iter() {
            add(link.len() as u64, link.bytes());
        }
        for node in nodes {
            for (port, _) in node.ports() {
                let (bytes, cells) = port.storage();
                add(cells as u64, bytes);
            }
            match node {
                Node::Switch(switch) => switch
                    .relays
                    .iter()
                    .for_each(|relay| add(relay.held().count() as u64, relay.storage())),
                Node::Host(host) => host
                    .terminals
                    .iter()
                    .map(|terminal| terminal.queue())
                    .for_each(|queue| add(queue.cells(), queue.storage())),
            }
        }
        held
    }
}

//! Memory of the cells that are in flight or queued.

use super::Simulation;
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
}

impl<S: Server> Simulation<S> {
    /// The largest storage measured so far. The engine measures from time to time, depending on how
    /// a run is divided into calls.
    pub fn peak_storage(&self) -> Storage {
        self.peak
    }
    /// Measures the storage now.
    pub(super) fn note_storage(&mut self) {
        let now = self.storage();
        if now.cells > self.peak.cells {
            self.peak = now;
        }
    }

    fn storage(&self) -> Storage {
        let mut held = Storage::default();
        let mut add = |cells: u64, bytes: usize| {
            held.cells += cells;
            held.bytes += bytes as u64;
        };
        for link in self.links.iter() {
            add(link.len() as u64, link.bytes());
        }
        for node in self.nodes() {
            for (port, _) in node.ports() {
                let (bytes, cells) = port.storage();
                add(cells as u64, bytes);
            }
            if let Node::Switch(switch) = node {
                for relay in &switch.relays {
                    add(relay.held().count() as u64, relay.storage());
                }
            }
            if let Node::Host(host) = node {
                for terminal in &host.terminals {
                    add(terminal.queue().cells(), terminal.queue().storage());
                }
            }
        }
        held
    }
}

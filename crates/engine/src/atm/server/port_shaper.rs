//! A shaper at a port: it holds the cells of a channel until they conform to a contract.

use crate::kernel::{Ps, Ring, ServiceRate};
use crate::policing::{Buckets, Contract};

/// The shaper of a channel at a port. Since cells leave in the order of their arrivals, the release of a cell is known when
/// the cell arrives.
#[derive(Clone)]
pub struct PortShaper {
    buckets: Buckets,
    /// Releases of the held cells, in their order.
    releases: Ring<Ps>,
}

impl PortShaper {
    /// A shaper without cells.
    pub fn new(contract: &Contract) -> PortShaper {
        PortShaper {
            buckets: Buckets::new(contract, ServiceRate::of_cells),
            releases: Ring::default(),
        }
    }
    /// Takes a cell that arrives at `now`. Returns the time at which the cell conforms, if it must be held until then.
    pub fn hold(&mut self, now: Ps) -> Option<Ps> {
        let at = self.buckets.earliest().max(now);
        self.buckets.count(at, 1);
        if at == now {
            return None;
        }
        self.releases.push(at);
        Some(at)
    }
    /// Time of the next release; `NEVER` without a held cell.
    pub fn next(&self) -> Ps {
        self.releases.front().map_or(Ps::NEVER, |at| *at)
    }
    /// Releases the next cell.
    pub fn release(&mut self) {
        self.releases.pop();
    }
    /// Number of held cells.
    pub fn held(&self) -> usize {
        self.releases.len()
    }
}

//! Every cell on every link over a short span, hop by hop: what a time-space diagram is made of.

use alloc::vec::Vec;

use super::reference::Reference;
use crate::atm::cell::{Info, Kind};
use crate::kernel::Ps;

/// A cell on a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Passage {
    /// Index of the link.
    pub link: u32,
    /// Channel: twice the flow's number, plus one for the backward direction.
    pub channel: u32,
    /// What the cell is, and its number among the data cells of its channel, modulo 2^20.
    pub info: Info,
    /// When its last bit left.
    pub left: Ps,
    /// When its last bit arrived.
    pub arrived: Ps,
}

/// Passages of a span, in order of arrival on each link.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Passages {
    /// At most as many as asked for.
    pub kept: Vec<Passage>,
    /// Further ones.
    pub omitted: u64,
}

impl Reference {
    /// Runs to `until` and notes which cells travel on a link between `from` and then, up to `most`
    /// of them. Cells of credit control belong to no channel and are left out.
    pub fn passages(&mut self, from: Ps, until: Ps, most: usize) -> Passages {
        let mut watch = Watch::new(self, most);
        self.run_until(from);
        watch.look(self);
        self.run_watched(until, &mut |reference| watch.look(reference));
        watch.found
    }
}

/// What has been seen of each link.
struct Watch {
    /// For each link the channel by label at its far end.
    channels: Vec<Vec<u32>>,
    /// Arrival of the cell seen last.
    seen: Vec<Option<Ps>>,
    delays: Vec<Ps>,
    found: Passages,
    most: usize,
}

const NONE: u32 = u32::MAX;

impl Watch {
    fn new(reference: &mut Reference, most: usize) -> Watch {
        let simulation = reference.state();
        let mut channels = alloc::vec![Vec::new(); simulation.links.len()];
        for (channel, of) in simulation.channels.iter().enumerate() {
            for hop in &of.hops {
                let table: &mut Vec<u32> = &mut channels[hop.link];
                let label = hop.label as usize;
                table.resize(table.len().max(label + 1), NONE);
                table[label] = channel as u32;
            }
        }
        let delays = simulation.plan.links.iter().map(|link| link.delay).collect();
        Watch { seen: alloc::vec![None; channels.len()], channels, delays, found: Passages::default(), most }
    }

    /// Notes the cells that were sent since the last look; on a link they are in order of arrival.
    fn look(&mut self, reference: &mut Reference) {
        for (index, link) in reference.state().links.iter().enumerate() {
            let seen = self.seen[index];
            for cell in link.cells().filter(|cell| seen.is_none_or(|seen| cell.at > seen)) {
                self.seen[index] = Some(cell.at);
                let channel = self.channels[index].get(cell.label as usize).copied().unwrap_or(NONE);
                if cell.info.kind() == Kind::Credit || channel == NONE {
                    continue;
                }
                if self.found.kept.len() == self.most {
                    self.found.omitted += 1;
                    continue;
                }
                let left = Ps(cell.at.0 - self.delays[index].0);
                let link = index as u32;
                self.found.kept.push(Passage { link, channel, info: cell.info, left, arrived: cell.at });
            }
        }
    }
}

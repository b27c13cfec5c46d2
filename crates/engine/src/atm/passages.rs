//! Records every cell on every link over a short span, for time-space diagrams.

use alloc::vec::Vec;

use super::observer::{Crossing, Observer};
use super::reference::Reference;
use crate::atm::cell::Info;
use crate::kernel::Ps;
use crate::net::channel::ChannelId;

/// A cell on a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Passage {
    /// Index of the link.
    pub link: u32,
    /// Channel of the cell.
    pub channel: ChannelId,
    /// Kind of the cell, and its number among the data cells of its channel, modulo 2^20.
    pub info: Info,
    /// Time at which the last bit of the cell left the sending node.
    pub left: Ps,
    /// Time at which the last bit of the cell arrived at the far end.
    pub arrived: Ps,
}

/// Passages of cells over links during a span, in order of time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Passages {
    /// The first passages, at most as many as requested.
    pub kept: Vec<Passage>,
    /// Number of further passages.
    pub omitted: u64,
}

impl Reference {
    /// Runs to `until` and records the cells that are on a link between `from` and `until`, at most
    /// `most` of them. Cells of credit control belong to no channel and are left out.
    pub fn passages(&mut self, from: Ps, until: Ps, most: usize) -> Passages {
        let mut noting = Noting {
            from,
            most,
            found: Passages::default(),
        };
        self.observe(until, &mut noting);
        noting.found
    }
}

struct Noting {
    from: Ps,
    most: usize,
    found: Passages,
}

impl Observer for Noting {
    fn on_cell(&mut self, cell: &Crossing) {
        let Crossing {
            link,
            info,
            left,
            arrives: arrived,
            ..
        } = *cell;
        let Some(channel) = cell.channel.filter(|_| arrived >= self.from) else {
            return;
        };
        if self.found.kept.len() == self.most {
            self.found.omitted += 1;
        } else {
            self.found.kept.push(Passage {
                link,
                channel,
                info,
                left,
                arrived,
            });
        }
    }
}

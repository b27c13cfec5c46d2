//! Records each cell on each link during a short span, for time-space diagrams.

use alloc::vec::Vec;

use super::observer::{Crossing, Observer};
use super::reference::Reference;
use crate::atm::cell::Info;
use crate::kernel::Ps;
use crate::net::channel::ChannelId;

/// Record of a cell on a link.
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
    /// Time at which the last bit of the cell arrived at the end of the link.
    pub arrived: Ps,
}

/// Records of cells on links during a span, in order of time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Passages {
    /// The first records, at most as many as requested.
    pub kept: Vec<Passage>,
    /// Time at which the first cell beyond these left its node; `None` if all are recorded.
    pub beyond: Option<Ps>,
}

/// Parts of a span, and of the time before it: after each the run may end.
const PARTS: u64 = 64;

impl Reference {
    /// Runs to `until` and records the cells that are on a link between `from` and `until`, at most
    /// `most` of them; the run ends earlier if there are more. Cells of credit control are left out,
    /// as they belong to no channel. `goes_on` receives the simulated time at intervals; returning
    /// false ends the run.
    pub fn passages(
        &mut self,
        from: Ps,
        until: Ps,
        most: usize,
        goes_on: &mut dyn FnMut(Ps) -> bool,
    ) -> Passages {
        let mut noting = Noting {
            from,
            most,
            found: Passages::default(),
        };
        let part = |span: Ps| Ps((span.0 / PARTS).max(1));
        let (before, within) = (part(from), part(until.saturating_sub(from)));
        let mut now = Ps::ZERO;
        while noting.found.beyond.is_none() {
            self.observe(now.min(until), &mut noting);
            if now >= until || !goes_on(now) {
                break;
            }
            now = if now < from {
                now.saturating_add(before).min(from)
            } else {
                now.saturating_add(within)
            };
        }
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
            self.found.beyond.get_or_insert(left);
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

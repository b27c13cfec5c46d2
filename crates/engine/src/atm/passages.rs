//! Records the passage of each cell over each link during a short span, for time-space diagrams.

use alloc::vec::Vec;

use super::observer::{Crossing, Observer};
use super::reference::Reference;
use crate::atm::cell::Info;
use crate::kernel::Ps;
use crate::net::channel::ChannelId;

/// The passage of one cell over one link.
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

/// Passages of cells over links during a span, in order of time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Passages {
    /// The first passages, at most as many as requested.
    pub kept: Vec<Passage>,
    /// Time at which the first cell that is not in `kept` left its node; `None` if all cells are in `kept`.
    pub beyond: Option<Ps>,
}

/// Number of equal parts into which the span, and the time before it, are divided. After each part the calling
/// program may end the run.
const PARTS: u64 = 64;

impl Reference {
    /// Runs to `until` and records the cells that are on a link between `from` and `until`, at most `most` cells;
    /// if there are more, the run ends earlier. Cells of credit control are left out, as they belong to no
    /// channel. `goes_on` is called at intervals with the simulated time; if it returns false, the run ends.
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

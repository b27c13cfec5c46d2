//! Which explicit rates a port has written into forward RM cells that are still on their way, so that it knows them again
//! when they come back.

use alloc::collections::VecDeque;
use alloc::vec;
use alloc::vec::Vec;

/// Forward RM cells of a channel that are remembered at most: what is lost never comes back.
const MOST: usize = 1_024;

/// The forward RM cells of a port's channels, in the order in which they left: RM cells of a channel keep theirs.
#[derive(Clone, Debug)]
pub(super) struct OwnMarks {
    /// For each cell what the port lowered ER to; infinite if it did not.
    channels: Vec<VecDeque<f64>>,
}

impl OwnMarks {
    /// Nothing is on its way.
    pub fn new(channels: usize) -> OwnMarks {
        OwnMarks {
            channels: vec![VecDeque::new(); channels],
        }
    }
    /// A forward RM cell leaves whose ER was `before`, and is `after`.
    pub fn leaves(&mut self, slot: usize, before: f64, after: f64) {
        let marks = &mut self.channels[slot];
        if marks.len() == MOST {
            marks.pop_front();
        }
        marks.push_back(if after < before { after } else { f64::INFINITY });
    }
    /// A backward RM cell comes; whether its ER is what this port wrote, which nobody has lowered since. Cells that left
    /// before that one are lost.
    pub fn returns(&mut self, slot: usize, er: f64) -> bool {
        let marks = &mut self.channels[slot];
        let found = marks.iter().position(|mark| *mark == er);
        let gone = found.map_or(1, |place| place + 1).min(marks.len());
        marks.drain(..gone);
        found.is_some()
    }
}

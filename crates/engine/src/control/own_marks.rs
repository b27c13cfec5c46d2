//! The explicit rates that a port has written into forward RM cells which are still on their way.
//! With them the port recognises the rates when the cells come back.

use alloc::collections::VecDeque;
use alloc::vec;
use alloc::vec::Vec;

/// Most forward RM cells of a channel that are remembered. Lost cells never come back, so there
/// must be a limit.
const MOST: usize = 1_024;

/// The forward RM cells of a port's channels, in the order in which they left. RM cells of a
/// channel stay in order (TM 4.0 section 5.10.6).
#[derive(Clone, Debug)]
pub(super) struct OwnMarks {
    /// For each channel, and each of its cells on their way, the ER that the port wrote; infinite
    /// if the port left ER as it was.
    channels: Vec<VecDeque<f64>>,
}

impl OwnMarks {
    /// State of a port with so many channels and without cells on their way.
    pub fn new(channels: usize) -> OwnMarks {
        OwnMarks {
            channels: vec![VecDeque::new(); channels],
        }
    }
    /// Notes that a forward RM cell leaves, whose ER was `before` and is now `after`.
    pub fn leaves(&mut self, slot: usize, before: f64, after: f64) {
        let marks = &mut self.channels[slot];
        if marks.len() == MOST {
            marks.pop_front();
        }
        marks.push_back(if after < before { after } else { f64::INFINITY });
    }
    /// Notes that a backward RM cell arrives. Returns true if its ER is one that this port wrote,
    /// and that no other node has lowered since. Cells that left before the one with this ER are
    /// lost.
    pub fn returns(&mut self, slot: usize, er: f64) -> bool {
        let marks = &mut self.channels[slot];
        let own = marks.iter().position(|mark| *mark == er);
        let gone = own.map_or(1, |place| place + 1).min(marks.len());
        marks.drain(..gone);
        own.is_some()
    }
}

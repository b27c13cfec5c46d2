//! The explicit rates that a port has written into forward RM cells ("own marks"), as long as these cells have not
//! come back. By this list the port recognises, in a backward RM cell, a rate that the port itself wrote.

use alloc::collections::VecDeque;
use alloc::vec;
use alloc::vec::Vec;

/// Greatest number of stored forward RM cells per channel. A lost cell never comes back and would be stored for
/// ever, so a limit is needed.
const MOST: usize = 1_024;

/// The forward RM cells of a port's channels, in the order in which they left. RM cells of a
/// channel never overtake each other (TM 4.0 section 5.10.6).
#[derive(Clone, Debug)]
pub(super) struct OwnMarks {
    /// For each channel, and each of its forward RM cells under way, the ER that the port wrote;
    /// infinite if the port did not lower ER.
    channels: Vec<VecDeque<f64>>,
}

impl OwnMarks {
    /// State of a port with `channels` channels, none of which has RM cells under way.
    pub fn new(channels: usize) -> OwnMarks {
        OwnMarks {
            channels: vec![VecDeque::new(); channels],
        }
    }
    /// Records that a forward RM cell of channel `slot` leaves the port. Its ER was `before` and is now `after`.
    pub fn leaves(&mut self, slot: usize, before: f64, after: f64) {
        let marks = &mut self.channels[slot];
        if marks.len() == MOST {
            marks.pop_front();
        }
        marks.push_back(if after < before { after } else { f64::INFINITY });
    }
    /// Records a backward RM cell of channel `slot` that arrives with the explicit rate `er`. Returns true if
    /// this port wrote `er` and no other node has lowered it. Forward RM cells that left earlier than the cell
    /// with this ER count as lost.
    pub fn returns(&mut self, slot: usize, er: f64) -> bool {
        let marks = &mut self.channels[slot];
        let own = marks.iter().position(|mark| *mark == er);
        let gone = own.map_or(1, |place| place + 1).min(marks.len());
        marks.drain(..gone);
        own.is_some()
    }
}

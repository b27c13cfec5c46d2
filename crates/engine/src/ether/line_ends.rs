//! The ends of transmissions at a port that fixes the transmission time of a frame already when the frame
//! arrives.
//!
//! Such a port has one queue, first come first served. Nothing acts on a frame between its arrival and the
//! end of its transmission. So the frame goes onto the link at once, and its departure needs no event. The
//! length of the queue at an instant follows from the transmissions that have not ended.

use alloc::collections::VecDeque;

use super::frame::on_line;
use crate::kernel::Ps;

/// For each frame whose transmission has not ended: the end of its transmission, interframe gap included,
/// and its octets.
#[derive(Clone, Debug, Default)]
pub struct LineEnds(VecDeque<(Ps, u32)>);

impl LineEnds {
    /// Adds a frame behind all others.
    #[inline]
    pub fn push(&mut self, end: Ps, octets: u32) {
        self.0.push_back((end, octets));
    }
    /// Removes the first frame if its transmission ends at `now` or before. Returns this end and the frame's
    /// octets.
    #[inline]
    pub fn pop_ended(&mut self, now: Ps) -> Option<(Ps, u32)> {
        let (end, _) = self.0.front()?;
        if *end <= now {
            self.0.pop_front()
        } else {
            None
        }
    }
    /// True if no frame waits or is in transmission.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
    /// End of the present transmission; `None` without a frame.
    pub fn first_end(&self) -> Option<Ps> {
        self.0.front().map(|(end, _)| *end)
    }
    /// Number of frames whose transmission has not begun.
    pub fn waiting(&self) -> usize {
        self.0.len().saturating_sub(1)
    }
    /// Octets on the line, with preambles and interframe gaps, of the frames whose transmission has not
    /// begun.
    pub fn waiting_octets(&self) -> u64 {
        let waiting = self.0.iter().skip(1);
        waiting.map(|(_, octets)| on_line(*octets) as u64).sum()
    }
    /// Bytes of the simulator's memory that are allocated.
    pub fn bytes(&self) -> usize {
        self.0.capacity() * size_of::<(Ps, u32)>()
    }
}

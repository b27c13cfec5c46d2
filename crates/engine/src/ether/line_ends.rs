//! The ends of services at a port that gives each frame its time on the line when the frame arrives.
//!
//! Such a port has one queue, first come first served, and nothing that acts on a frame between its arrival
//! and the end of its service. So the frame goes onto the link at once, and no event is needed for its
//! departure. The queue at an instant follows from the services that have not ended.

use alloc::collections::VecDeque;

use super::frame::on_line;
use crate::kernel::Ps;

/// For each frame whose service has not ended the end of its service, gap included, and its octets.
#[derive(Clone, Debug, Default)]
pub struct LineEnds(VecDeque<(Ps, u32)>);

impl LineEnds {
    /// Adds a frame behind all others.
    #[inline]
    pub fn push(&mut self, end: Ps, octets: u32) {
        self.0.push_back((end, octets));
    }
    /// Takes the next frame whose service has ended at `now` or before.
    #[inline]
    pub fn pop_ended(&mut self, now: Ps) -> Option<(Ps, u32)> {
        let (end, _) = self.0.front()?;
        if *end <= now {
            self.0.pop_front()
        } else {
            None
        }
    }
    /// True if no frame is in service or waits.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
    /// End of the present service.
    pub fn first_end(&self) -> Option<Ps> {
        self.0.front().map(|(end, _)| *end)
    }
    /// Frames whose service has not begun.
    pub fn waiting(&self) -> usize {
        self.0.len().saturating_sub(1)
    }
    /// Octets on the line, with preambles and gaps, of the frames whose service has not begun.
    pub fn waiting_octets(&self) -> u64 {
        let waiting = self.0.iter().skip(1);
        waiting.map(|(_, octets)| on_line(*octets) as u64).sum()
    }
    /// Bytes of storage.
    pub fn bytes(&self) -> usize {
        self.0.capacity() * size_of::<(Ps, u32)>()
    }
}

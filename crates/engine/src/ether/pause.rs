//! Pauses (PFC) of the priorities of a line (IEEE 802.3 annex 31D), and the contents of PFC frames.

use super::line::OctetClock;
use crate::kernel::{Ps, Rate};

/// Octets on the line in a quantum, the unit of the duration of pauses: 512 bits (IEEE 802.3 annex 31B.2).
pub const QUANTUM: u32 = 64;

/// Contents of a PFC frame: the priorities that it pauses or resumes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Order {
    /// A bit for each priority that the frame pauses or resumes.
    pub priorities: u8,
    /// A bit for each priority that the frame pauses. The other priorities of `priorities` are resumed.
    pub paused: u8,
    /// Duration of the pauses in quanta of 512 bit times.
    pub quanta: u16,
}

impl Order {
    /// Adds a pause of `priority`, or the end of its pause.
    pub fn set(&mut self, priority: u8, is_paused: bool) {
        let bit = 1 << priority;
        self.priorities |= bit;
        self.paused = self.paused & !bit | if is_paused { bit } else { 0 };
    }
}

/// Pauses of the priorities of a line.
#[derive(Clone, Debug)]
pub struct Pauses {
    clock: OctetClock,
    response: Ps,
    /// For each priority, the last instant before its pause and the first instant after its pause at which a
    /// frame may begin.
    spans: [(Ps, Ps); 8],
    /// Picoseconds of the earlier pauses of each priority.
    past: [u64; 8],
}

impl Pauses {
    /// The pauses of a line of `rate` whose sender obeys a PFC frame after `response`.
    pub fn new(rate: Rate, response: Ps) -> Pauses {
        Pauses {
            clock: OctetClock::new(rate),
            response,
            spans: [(Ps::ZERO, Ps::ZERO); 8],
            past: [0; 8],
        }
    }
    /// True if no frame of `priority` may begin at the instant `at`.
    #[inline]
    pub fn holds(&self, priority: u8, at: Ps) -> bool {
        let (last, next) = self.spans[priority as usize];
        last < at && at < next
    }
    /// Last instant before the pause of `priority` at which a frame could begin.
    pub fn begins_at(&self, priority: u8) -> Ps {
        self.spans[usize::from(priority)].0
    }
    /// First instant after the pause of `priority` at which a frame may begin.
    #[inline]
    pub fn ends_at(&self, priority: u8) -> Ps {
        self.spans[priority as usize].1
    }
    /// Processes a PFC frame with the contents `order` that arrives at `now`.
    pub fn take(&mut self, now: Ps, order: Order) {
        let lasts = self.clock.ceil(u32::from(order.quanta) * QUANTUM);
        let end = now.saturating_add(lasts);
        for priority in (0..8).filter(|priority| order.priorities >> priority & 1 == 1) {
            let span = &mut self.spans[priority];
            if order.paused >> priority & 1 == 0 {
                span.1 = span.1.min(now);
            } else if now < span.1 {
                // The receiver has sent the present pause again.
                span.1 = end;
            } else {
                self.past[priority] += span.1.saturating_sub(span.0).0;
                *span = (now.saturating_add(self.response), end);
            }
        }
    }
    /// Picoseconds up to `now` in which no frame of a priority could begin, summed over all priorities.
    pub fn paused_ps(&self, now: Ps) -> u64 {
        let present = self
            .spans
            .iter()
            .map(|(last, next)| now.min(*next).saturating_sub(*last).0);
        present.sum::<u64>() + self.past.iter().sum::<u64>()
    }
}

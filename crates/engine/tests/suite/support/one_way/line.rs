//! One direction of the link: 1 Mbit/s, 40 ms.

use std::collections::HashMap;

use cellrate_engine::kernel::Ps;
use cellrate_engine::tcp::Segment;

use super::pattern::Pattern;

/// A line with the losses and delays of its pattern, at its far end.
pub struct Line {
    free: Ps,
    /// Number of packets sent on the line, and of copies of each.
    sent: u64,
    copies: HashMap<u64, u64>,
    lost: Vec<(u64, u64)>,
    lost_by_count: Vec<u64>,
    delayed: Vec<u64>,
    delay: Ps,
    marked: Vec<u64>,
    arrivals: Vec<(Ps, u64, Segment)>,
}

impl Line {
    fn new(
        free: Ps,
        lost: Vec<(u64, u64)>,
        lost_by_count: Vec<u64>,
        delayed: Vec<u64>,
        delay: Ps,
    ) -> Line {
        let (arrivals, copies) = (Vec::new(), HashMap::new());
        Line {
            free,
            sent: 0,
            copies,
            lost,
            lost_by_count,
            delayed,
            delay,
            marked: Vec::new(),
            arrivals,
        }
    }

    /// The line for data, which other packets occupy until `free`.
    pub fn there(pattern: &Pattern, free: Ps) -> Line {
        Line {
            marked: pattern.marked.clone(),
            ..Line::new(
                free,
                pattern.lost.clone(),
                Vec::new(),
                pattern.delayed.clone(),
                Ps::from_ms(pattern.delay_ms),
            )
        }
    }
    /// The line that carries acknowledgements, with the losses of the pattern.
    pub fn back(pattern: &Pattern) -> Line {
        Line::new(
            Ps::ZERO,
            Vec::new(),
            pattern.lost_acks.clone(),
            Vec::new(),
            Ps::ZERO,
        )
    }

    /// Sends `bytes` on the line: the next copy of packet `number`.
    pub fn send(&mut self, now: Ps, bytes: u64, segment: Segment, number: u64) {
        self.free = self.free.max(now) + Ps::from_us(8 * bytes);
        let copy = self.copies.entry(number).or_default();
        *copy += 1;
        let delay = if self.delayed.contains(&self.sent) {
            self.delay
        } else {
            Ps::ZERO
        };
        if !self.lost.contains(&(number, *copy)) && !self.lost_by_count.contains(&self.sent) {
            self.arrivals
                .push((self.free + Ps::from_ms(40) + delay, self.sent, segment));
        }
        self.sent += 1;
    }

    /// Time of the next arrival on the line; `NEVER` if the line is empty.
    pub fn next(&self) -> Ps {
        self.first()
            .map_or(Ps::NEVER, |place| self.arrivals[place].0)
    }

    /// The packet that arrives now, if there is one, and true if it is marked.
    pub fn arrival(&mut self, now: Ps) -> Option<(Segment, bool)> {
        let place = self
            .first()
            .filter(|place| self.arrivals[*place].0 == now)?;
        let (_, number, segment) = self.arrivals.remove(place);
        Some((segment, segment.is_ect() && self.marked.contains(&number)))
    }

    fn first(&self) -> Option<usize> {
        (0..self.arrivals.len())
            .min_by_key(|place| (self.arrivals[*place].0, self.arrivals[*place].1))
    }
}

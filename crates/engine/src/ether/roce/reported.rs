//! State that a source keeps from the reports of its receiver (NSCC) under selective resend.

use alloc::collections::VecDeque;

use crate::kernel::Ps;

/// The number of packets that the receiver has accepted, and the times at which unacknowledged packets were last sent.
#[derive(Clone, Debug, Default)]
pub struct Reported {
    /// Number of packets that the receiver has accepted, by its last report.
    taken: u64,
    /// For each packet from the first unacknowledged one on, the time at which it was last sent.
    sent: VecDeque<Ps>,
}

impl Reported {
    /// Number of packets that the receiver has accepted, by its last report.
    pub fn taken(&self) -> u64 {
        self.taken
    }
    /// Processes a report with the low 32 bits of the number of packets accepted. Returns how many are new; 0 if a later
    /// report has arrived before.
    pub fn take(&mut self, taken: u32) -> u64 {
        let more = taken.wrapping_sub(self.taken as u32);
        let packets = if more > u32::MAX / 2 { 0 } else { more.into() };
        self.taken += packets;
        packets
    }
    /// Stores that packet `psn` leaves at `now`. `una` is the first unacknowledged packet.
    pub fn send(&mut self, psn: u64, una: u64, now: Ps) {
        let place = (psn - una) as usize;
        if self.sent.len() <= place {
            self.sent.resize(place + 1, now);
        }
        self.sent[place] = now;
    }
    /// Forgets the first `packets` packets, which are acknowledged now.
    pub fn acknowledge(&mut self, packets: u64) {
        let known = self.sent.len().min(packets as usize);
        self.sent.drain(..known);
    }
    /// Time at which the first unacknowledged packet was last sent; `None` if all are acknowledged.
    pub fn oldest(&self) -> Option<Ps> {
        self.sent.front().copied()
    }
    /// Counts the first unacknowledged packet as sent at `now`, since it waits until it fits into the window.
    pub fn defer(&mut self, now: Ps) {
        if let Some(oldest) = self.sent.front_mut() {
            *oldest = now;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Packets 5 to 7 leave at 10, 20 and 30 ps. When packet 5 is acknowledged, packet 6, sent again at 40 ps, is the
    /// oldest.
    #[test]
    fn the_oldest_packet_has_the_time_at_which_it_was_last_sent() {
        let mut reported = Reported::default();
        for (psn, at) in [(5, 10), (6, 20), (7, 30)] {
            reported.send(psn, 5, Ps(at));
        }
        assert_eq!(reported.oldest(), Some(Ps(10)));
        reported.acknowledge(1);
        assert_eq!(reported.oldest(), Some(Ps(20)));
        reported.send(6, 6, Ps(40));
        assert_eq!(reported.oldest(), Some(Ps(40)));
        reported.acknowledge(2);
        assert_eq!(reported.oldest(), None);
    }

    /// Counts wrap at 2^32; a report that arrives behind a later one adds nothing.
    #[test]
    fn counts_wrap_and_never_fall() {
        let mut reported = Reported {
            taken: (1 << 32) - 2,
            ..Reported::default()
        };
        assert_eq!(reported.take(1), 3);
        assert_eq!(reported.take(0), 0);
        assert_eq!(reported.taken(), (1 << 32) + 1);
    }
}

//! Reports of the receiver to a rate control that needs them (NSCC). Each report has the mark of one data packet, and the
//! number of packets that the receiver has accepted so far.

use alloc::collections::VecDeque;

use super::packet::{Kind, RocePacket};

/// Decides which packets are reported, and keeps the reports until the interface sends them.
///
/// A report is made for the first packet, each marked packet, each packet that requests a report, and the `every`-th packet
/// since the last report. If a packet requested a report while others were missing, the packet that fills the last gap is
/// reported, too.
#[derive(Clone, Debug)]
pub struct Reporter {
    every: u32,
    since: u32,
    /// True if a packet requested a report, and packets have been missing since then.
    owes: bool,
    waits: VecDeque<RocePacket>,
}

impl Reporter {
    /// A reporter of every `every`-th packet.
    pub fn new(every: u32) -> Reporter {
        Reporter {
            every,
            since: 0,
            owes: false,
            waits: VecDeque::new(),
        }
    }
    /// Processes a packet that is accepted, marked or not. By now the receiver has accepted `taken` packets, and every
    /// packet before `expected`. `has_gap` is true if it has accepted packets behind a missing one.
    pub fn on_taken(
        &mut self,
        packet: &RocePacket,
        marked: bool,
        (expected, taken, has_gap): (u64, u64, bool),
    ) {
        self.since += 1;
        self.owes |= packet.asks;
        let settles = self.owes && !has_gap;
        if settles {
            self.owes = false;
        }
        if marked || packet.asks || settles || taken == 1 || self.since >= self.every {
            self.report(packet, marked, (expected, taken));
        }
    }
    /// Reports a packet, which may have arrived before. `expected` and `taken` are as in [`Reporter::on_taken`].
    pub fn report(&mut self, packet: &RocePacket, marked: bool, (expected, taken): (u64, u64)) {
        self.since = 0;
        self.waits.push_back(RocePacket {
            psn: expected,
            sent: packet.sent,
            trail: taken as u32,
            payload: 0,
            kind: Kind::Report,
            asks: marked,
        });
    }
    /// Removes and returns the next report.
    pub fn poll(&mut self) -> Option<RocePacket> {
        self.waits.pop_front()
    }
    /// True if a report waits for the interface.
    pub fn waits(&self) -> bool {
        !self.waits.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Ps;

    /// Of packets 0 to 6, packet 2 arrives last, 4 is marked, 6 requests a report, and every fourth packet is reported.
    /// Packet 0 is reported as the first, 4 for its mark, 6 for its request, and 2 since after it no packet is missing. Then
    /// packet 10 is the fourth.
    #[test]
    fn reports_answer_marks_requests_and_every_fourth_packet() {
        let mut reporter = Reporter::new(4);
        let mut taken = 0;
        let mut take = |psn: u64, expected, has_gap| {
            taken += 1;
            let packet = RocePacket {
                asks: psn == 6,
                ..RocePacket::empty(Kind::Data, psn, Ps(100 + psn))
            };
            reporter.on_taken(&packet, psn == 4, (expected, taken, has_gap));
            let report = reporter.poll();
            assert!(!reporter.waits());
            report.map(|report| (report.psn, report.sent.0, report.trail, report.asks))
        };
        assert_eq!(take(0, 1, false), Some((1, 100, 1, false)));
        assert_eq!(take(1, 2, false), None);
        assert_eq!(take(3, 2, true), None);
        assert_eq!(take(4, 2, true), Some((2, 104, 4, true)));
        assert_eq!(take(5, 2, true), None);
        assert_eq!(take(6, 2, true), Some((2, 106, 6, false)));
        assert_eq!(take(2, 7, false), Some((7, 102, 7, false)));
        for psn in 7..10 {
            assert_eq!(take(psn, psn + 1, false), None);
        }
        assert_eq!(take(10, 11, false), Some((11, 110, 11, false)));
    }
}

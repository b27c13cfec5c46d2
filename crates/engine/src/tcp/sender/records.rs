//! Records of the segments that are outstanding, for policies that need round trips by an exact
//! clock and rates of delivery (draft-cheng-iccrg-delivery-rate-estimation-00; its names in
//! brackets).

use alloc::collections::VecDeque;

use crate::kernel::Ps;
use crate::tcp::recovery::{Delivery, RateSample};

/// A segment that is outstanding (P).
#[derive(Clone, Copy, Debug)]
struct Record {
    /// One above its last byte.
    end: u64,
    bytes: u64,
    /// P.sent_time; with `rtt_excludes_transmission` the time of its last cell.
    sent: Ps,
    /// P.first_sent_time
    first_sent: Ps,
    /// P.delivered
    delivered: u64,
    /// P.delivered_time
    delivered_at: Ps,
    /// P.is_app_limited
    app_limited: bool,
    /// True if the segment was sent twice or more.
    again: bool,
    /// True if the segment is known to have arrived.
    arrived: bool,
}

/// Records of one sender, in order of sequence numbers and without gaps.
#[derive(Clone, Debug, Default)]
pub(super) struct Records {
    segments: VecDeque<Record>,
    /// C.delivered
    delivered: u64,
    /// C.delivered_time
    delivered_at: Ps,
    /// C.first_sent_time
    first_sent: Ps,
    /// C.app_limited: samples of segments sent before so much has been delivered are limited; 0 if
    /// none is.
    app_limited: u64,
    /// The shortest round trip.
    least_rtt: Option<Ps>,
    /// Reports of the acknowledgement that is being taken.
    reports: Reports,
}

/// Reports of one acknowledgement (RS).
#[derive(Clone, Copy, Debug, Default)]
struct Reports {
    bytes: u64,
    /// The newest segment that it reports.
    newest: Option<Record>,
    /// True if the acknowledgement reports a segment that was sent twice.
    again: bool,
}

impl Records {
    /// `seq..end` is sent at `now`; before it, `idle` tells that nothing was outstanding (3.2).
    pub fn on_sent(&mut self, now: Ps, seq: u64, end: u64, idle: bool) {
        if idle {
            (self.first_sent, self.delivered_at) = (now, now);
        }
        let mut record = Record {
            end,
            bytes: end - seq,
            sent: now,
            first_sent: self.first_sent,
            delivered: self.delivered,
            delivered_at: self.delivered_at,
            app_limited: self.app_limited > 0,
            again: false,
            arrived: false,
        };
        let known = self.segments.back().map_or(seq, |last| last.end);
        if seq < known {
            record.again = true;
            for segment in self.within(seq, end) {
                *segment = Record {
                    end: segment.end,
                    bytes: segment.bytes,
                    arrived: segment.arrived,
                    ..record
                };
            }
        }
        if end > known {
            record.bytes = end - known.max(seq);
            self.segments.push_back(record);
        }
    }

    /// The last cell of the segment `seq..end` has left. A copy may leave after the acknowledgement
    /// of its data, which have no record any more.
    pub fn on_transmitted(&mut self, now: Ps, seq: u64, end: u64) {
        for segment in self.within(seq, end) {
            segment.sent = now;
        }
    }

    /// The records that have a byte of `seq..end`.
    fn within(&mut self, seq: u64, end: u64) -> impl Iterator<Item = &mut Record> {
        let first = self.segments.partition_point(|segment| segment.end <= seq);
        self.segments
            .range_mut(first..)
            .take_while(move |segment| segment.end - segment.bytes < end)
    }

    /// Time at which the oldest segment was sent last.
    pub fn oldest_sent(&self) -> Option<Ps> {
        self.segments.front().map(|segment| segment.sent)
    }

    /// The application has nothing to send, or the policy holds back, with `pipe` bytes on their
    /// way (3.4).
    pub fn limit(&mut self, pipe: u64) {
        self.app_limited = (self.delivered + pipe).max(1);
    }
    /// True if the application had nothing to send.
    pub fn is_app_limited(&self) -> bool {
        self.app_limited > 0
    }

    /// An acknowledgement reports that `from..to` has arrived; a segment has when its last byte
    /// has.
    pub fn on_arrived(&mut self, from: u64, to: u64) {
        let first = self.segments.partition_point(|segment| segment.end <= from);
        for place in first..self.segments.len() {
            if self.segments[place].end > to {
                break;
            }
            self.arrive(place);
        }
    }

    /// An acknowledgement of everything below `ack`.
    pub fn on_ack(&mut self, ack: u64) {
        while self.segments.front().is_some_and(|first| first.end <= ack) {
            self.arrive(0);
            self.segments.pop_front();
        }
    }

    fn arrive(&mut self, place: usize) {
        let segment = &mut self.segments[place];
        if segment.arrived {
            return;
        }
        segment.arrived = true;
        let reports = &mut self.reports;
        reports.bytes += segment.bytes;
        reports.again |= segment.again;
        if reports
            .newest
            .is_none_or(|newest| segment.sent >= newest.sent)
        {
            reports.newest = Some(*segment);
        }
    }

    /// The data delivered by the acknowledgement at `now`, with a rate sample (3.3), but without the bytes
    /// in flight. Clears the collected reports.
    pub fn take_reports(&mut self, now: Ps) -> Delivery {
        let reports = core::mem::take(&mut self.reports);
        let mut found = Delivery::default();
        if let Some(newest) = reports.newest {
            self.delivered += reports.bytes;
            self.delivered_at = now;
            self.first_sent = newest.sent;
            let rtt = now.saturating_sub(newest.sent);
            if !reports.again {
                found.rtt = Some(rtt);
                self.least_rtt = Some(self.least_rtt.map_or(rtt, |least| least.min(rtt)));
            }
            found.rate = self.rate(now, &newest);
        }
        if self.app_limited > 0 && self.delivered > self.app_limited {
            self.app_limited = 0;
        }
        (found.delivered, found.newly) = (self.delivered, reports.bytes);
        found
    }

    /// GenerateRateSample(): the data delivered since the segment was sent, by the longer of the
    /// times in which they were sent and acknowledged. Shorter than a round trip it would show a
    /// burst (3.3).
    fn rate(&self, now: Ps, newest: &Record) -> Option<RateSample> {
        let send_elapsed = newest.sent.saturating_sub(newest.first_sent);
        let ack_elapsed = now.saturating_sub(newest.delivered_at);
        let interval = send_elapsed.max(ack_elapsed);
        let whole = interval > Ps::ZERO && self.least_rtt.is_none_or(|least| interval >= least);
        whole.then(|| RateSample {
            bytes_per_second: (self.delivered - newest.delivered) as f64 / interval.as_secs_f64(),
            prior_delivered: newest.delivered,
            app_limited: newest.app_limited,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MSS: u64 = 1_000;

    fn send(records: &mut Records, ms: u64, packets: core::ops::Range<u64>) {
        for packet in packets {
            let idle = records.segments.is_empty();
            records.on_sent(Ps::from_ms(ms), packet * MSS, (packet + 1) * MSS, idle);
        }
    }

    fn ack(records: &mut Records, ms: u64, packets: u64) -> Delivery {
        records.on_ack(packets * MSS);
        records.take_reports(Ps::from_ms(ms))
    }

    #[test]
    fn rates_are_what_is_delivered_in_a_round_trip() {
        let mut records = Records::default();
        send(&mut records, 0, 0..4);
        // One packet by 100 ms, then one every 10 ms: the line's rate shows from the second on.
        for (packet, ms, delivered, rate) in [
            (1, 100, 1, 10.0),
            (2, 110, 2, 2.0 / 0.110),
            (3, 120, 3, 25.0),
        ] {
            let found = ack(&mut records, ms, packet);
            assert_eq!(found.rtt, Some(Ps::from_ms(ms)));
            assert_eq!(
                (found.delivered, found.newly),
                (delivered * MSS, MSS),
                "{packet}"
            );
            let sample = found.rate.unwrap();
            assert!((sample.bytes_per_second - rate * 1e3).abs() < 1e-6);
            assert_eq!(sample.prior_delivered, 0);
            send(&mut records, ms, packet + 3..packet + 4);
        }
        // Packet 4 was sent at 100 ms with one delivered; it arrives at 200 ms after three more:
        // 4 / 100 ms.
        ack(&mut records, 130, 4);
        let sample = ack(&mut records, 200, 5).rate.unwrap();
        assert_eq!(sample.prior_delivered, MSS);
        assert!((sample.bytes_per_second - 40e3).abs() < 1e-6);
    }

    #[test]
    fn a_segment_that_was_sent_twice_gives_no_round_trip() {
        let mut records = Records::default();
        send(&mut records, 0, 0..3);
        send(&mut records, 50, 0..1);
        assert_eq!(records.oldest_sent(), Some(Ps::from_ms(50)));
        assert_eq!(ack(&mut records, 100, 1).rtt, None);
        assert_eq!(ack(&mut records, 101, 2).rtt, Some(Ps::from_ms(101)));
    }

    #[test]
    fn a_copy_that_leaves_after_its_acknowledgement_stamps_no_other_segment() {
        let mut records = Records::default();
        send(&mut records, 0, 0..4);
        records.on_transmitted(Ps::from_ms(5), MSS, 2 * MSS);
        // A timeout puts a copy of 0 into the queue of the host, which an acknowledgement of 0 and
        // 1 overtakes.
        send(&mut records, 50, 0..1);
        assert_eq!(ack(&mut records, 60, 2).rtt, None);
        records.on_transmitted(Ps::from_ms(70), 0, MSS);
        assert_eq!(records.oldest_sent(), Some(Ps::ZERO));
        assert_eq!(ack(&mut records, 80, 3).rtt, Some(Ps::from_ms(80)));
        // The last cell of a segment counts from the time at which it leaves.
        records.on_transmitted(Ps::from_ms(81), 3 * MSS, 4 * MSS);
        assert_eq!(ack(&mut records, 90, 4).rtt, Some(Ps::from_ms(9)));
    }

    #[test]
    fn a_copy_of_two_segments_stamps_both() {
        let mut records = Records::default();
        records.on_sent(Ps::ZERO, 0, 300, true);
        records.on_sent(Ps::ZERO, 300, MSS, false);
        records.on_sent(Ps::from_ms(50), 0, MSS, false);
        records.on_transmitted(Ps::from_ms(60), 0, MSS);
        records.on_ack(300);
        assert_eq!(records.oldest_sent(), Some(Ps::from_ms(60)));
    }

    #[test]
    fn reported_segments_count_once() {
        let mut records = Records::default();
        send(&mut records, 0, 0..4);
        records.on_arrived(2 * MSS, 4 * MSS);
        let found = records.take_reports(Ps::from_ms(10));
        assert_eq!((found.newly, found.rtt), (2 * MSS, Some(Ps::from_ms(10))));
        records.on_arrived(2 * MSS, 4 * MSS);
        assert_eq!(records.take_reports(Ps::from_ms(11)).newly, 0);
        let found = ack(&mut records, 20, 4);
        assert_eq!((found.newly, found.delivered), (2 * MSS, 4 * MSS));
        assert!(records.segments.is_empty());
    }

    #[test]
    fn samples_are_limited_until_the_data_on_their_way_are_delivered() {
        let mut records = Records::default();
        send(&mut records, 0, 0..2);
        records.limit(2 * MSS);
        send(&mut records, 5, 2..4);
        assert!(!ack(&mut records, 100, 1).rate.unwrap().app_limited);
        ack(&mut records, 101, 2);
        assert!(records.is_app_limited());
        assert!(ack(&mut records, 105, 3).rate.unwrap().app_limited);
        assert!(!records.is_app_limited());
    }

    #[test]
    fn a_repetition_that_takes_new_data_with_it_is_two_records() {
        let mut records = Records::default();
        records.on_sent(Ps::ZERO, 0, 300, true);
        records.on_sent(Ps::from_ms(50), 0, 1_000, false);
        assert_eq!(records.segments.len(), 2);
        records.on_ack(1_000);
        let found = records.take_reports(Ps::from_ms(60));
        assert_eq!((found.newly, found.rtt), (1_000, None));
    }
}

//! Records of the outstanding segments, for recovery policies that need round trips by an exact clock and
//! delivery rates. Names in brackets are those of draft-cheng-iccrg-delivery-rate-estimation-00.

use alloc::collections::VecDeque;

use crate::kernel::Ps;
use crate::tcp::recovery::{Delivery, RateSample};

/// Record of an outstanding segment (P).
#[derive(Clone, Copy, Debug)]
struct Record {
    /// Position after the last byte of the segment.
    end: u64,
    bytes: u64,
    /// Sending time (P.sent_time). With `rtt_excludes_transmission`, the time at which the last bit was on the
    /// line.
    sent: Ps,
    /// Sending time of the first segment of the rate sample to which this segment belongs (P.first_sent_time).
    first_sent: Ps,
    /// Bytes delivered on the connection up to the time when the segment was sent (P.delivered).
    delivered: u64,
    /// Time of the last delivery before the segment was sent (P.delivered_time).
    delivered_at: Ps,
    /// True if the application limited the sender when the segment was sent (P.is_app_limited).
    app_limited: bool,
    /// True if the segment was sent twice or more.
    again: bool,
    /// True if the segment is known to have arrived.
    arrived: bool,
}

/// Records of the outstanding segments of one sender, in the order of sequence numbers. The segments follow one
/// another without gaps.
#[derive(Clone, Debug, Default)]
pub(super) struct Records {
    segments: VecDeque<Record>,
    /// Number of bytes delivered so far (C.delivered).
    delivered: u64,
    /// Time of the last delivery (C.delivered_time).
    delivered_at: Ps,
    /// Sending time of the newest segment that was reported (C.first_sent_time).
    first_sent: Ps,
    /// C.app_limited: until this number of bytes has been delivered, rate samples are application-limited. 0 if
    /// they are not.
    app_limited: u64,
    /// Shortest round trip so far.
    least_rtt: Option<Ps>,
    /// Reports of the acknowledgement that is being processed.
    reports: Reports,
}

/// Segments that one acknowledgement reports as delivered: the rate sample RS of delivery-rate estimation.
#[derive(Clone, Copy, Debug, Default)]
struct Reports {
    bytes: u64,
    /// Record of the newest segment that the acknowledgement reports.
    newest: Option<Record>,
    /// True if the acknowledgement reports a segment that was sent more than once.
    again: bool,
}

impl Records {
    /// Adds the record of the segment `seq..end`, sent at `now`. `idle` is true if no data were
    /// outstanding before (3.2).
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

    /// Records that the last bit of the segment `seq..end` has left the host. A retransmission may leave after
    /// its data were acknowledged. Then the segment has no record, and the call has no effect.
    pub fn on_transmitted(&mut self, now: Ps, seq: u64, end: u64) {
        for segment in self.within(seq, end) {
            segment.sent = now;
        }
    }

    /// The records of segments that have a byte of `seq..end`.
    fn within(&mut self, seq: u64, end: u64) -> impl Iterator<Item = &mut Record> {
        let first = self.segments.partition_point(|segment| segment.end <= seq);
        self.segments
            .range_mut(first..)
            .take_while(move |segment| segment.end - segment.bytes < end)
    }

    /// Time at which the oldest outstanding segment was last sent.
    pub fn oldest_sent(&self) -> Option<Ps> {
        self.segments.front().map(|segment| segment.sent)
    }

    /// Records that rate samples are application-limited from now on, with `pipe` bytes in flight (3.4). The
    /// application has no data to send, or the policy limits the sender.
    pub fn limit(&mut self, pipe: u64) {
        self.app_limited = (self.delivered + pipe).max(1);
    }
    /// True if rate samples are application-limited at present.
    pub fn is_app_limited(&self) -> bool {
        self.app_limited > 0
    }

    /// Processes the report that the bytes `from..to` have arrived. A segment has arrived when its last byte has
    /// arrived.
    pub fn on_arrived(&mut self, from: u64, to: u64) {
        let first = self.segments.partition_point(|segment| segment.end <= from);
        for place in first..self.segments.len() {
            if self.segments[place].end > to {
                break;
            }
            self.arrive(place);
        }
    }

    /// Processes an acknowledgement with the number `ack`.
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

    /// Knowledge from the acknowledgement at `now` about the delivery of segments, with a rate sample (3.3), but
    /// without the bytes in flight. Clears the reports of this acknowledgement.
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

    /// GenerateRateSample(): the data delivered since the segment `newest` was sent, divided by a time. The time
    /// is the longer of two: in which these data were sent, and in which they were acknowledged. `None` if this
    /// time is shorter than a round trip, because the sample would show a burst (3.3).
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
        // One packet arrives after 100 ms, then one every 10 ms. From the second packet on, the sample is the
        // line's rate.
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
        // Packet 4 was sent at 100 ms, after one delivery, and arrives at 200 ms, after three more deliveries: 4
        // packets in 100 ms.
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
        // After a timeout a copy of 0 waits in the queue of the host. An acknowledgement of 0 and 1 arrives
        // before the copy leaves.
        send(&mut records, 50, 0..1);
        assert_eq!(ack(&mut records, 60, 2).rtt, None);
        records.on_transmitted(Ps::from_ms(70), 0, MSS);
        assert_eq!(records.oldest_sent(), Some(Ps::ZERO));
        assert_eq!(ack(&mut records, 80, 3).rtt, Some(Ps::from_ms(80)));
        // The round trip of a segment counts from the time at which its last cell leaves.
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

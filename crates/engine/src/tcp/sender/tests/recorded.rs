//! Senders whose recovery policy needs a record of each segment, or sets the pace.

use alloc::vec::Vec;

use super::*;
use crate::tcp::recovery::bbr::BbrConfig;
use crate::tcp::recovery::vegas::VegasConfig;

#[test]
fn a_paced_sender_waits_between_segments() {
    let mut s = greedy(Recovery::Bbr(BbrConfig::DEFAULT), 4);
    assert_eq!(drain(&mut s, Ps::ZERO), [0]);
    // 2.89 * 4,000 bytes / 1 ms = 11.56 bytes/us: 1,000 bytes take 86.505190 us.
    let next = Ps(86_505_190);
    assert_eq!(s.next_timer(), next);
    assert!(drain(&mut s, Ps(next.0 - 1)).is_empty());
    assert_eq!(s.on_timer(next), None);
    assert_eq!(drain(&mut s, next), [1]);
    // The window permits two more segments; then only the retransmission timer is left.
    let mut times = Vec::new();
    while s.next_timer() < Ps::from_s(1) {
        let now = s.next_timer();
        s.on_timer(now);
        times.extend(drain(&mut s, now).iter().map(|_| now));
    }
    assert_eq!(times, [Ps(2 * next.0), Ps(3 * next.0)]);
    assert_eq!(s.next_timer(), Ps::from_s(3));
}

/// Numbers of the segments that the pace permits from `now` to `until`.
fn pass(sender: &mut TcpSender, now: Ps, until: Ps) -> Vec<u64> {
    let mut sent = drain(sender, now);
    while sender.next_timer() <= until {
        let now = sender.next_timer();
        sender.on_timer(now);
        sent.extend(drain(sender, now));
    }
    sent
}

#[test]
fn a_message_behind_the_pace_of_another_is_limited_by_the_application() {
    let mut s = TcpSender::new(
        &TcpConfig {
            initial_window: 8,
            ..config(Recovery::Bbr(BbrConfig::DEFAULT))
        },
        Ps::ZERO,
    );
    let mut sent = Vec::new();
    // Two messages of two segments are written, the second 10 ms after the first, before any acknowledgement. In
    // a window of eight segments, two and then four segments are in flight.
    for ms in [0, 10] {
        s.supply(2 * MSS);
        sent.extend(pass(&mut s, Ps::from_ms(ms), Ps::from_ms(ms + 1)));
    }
    assert_eq!(sent, [0, 1, 2, 3]);
    let limited = |s: &mut TcpSender, number| {
        let records = s.records.as_mut().unwrap();
        records.on_ack(number * MSS);
        let found = records.take_reports(Ps::from_ms(100 + number));
        found.rate.unwrap().app_limited
    };
    assert_eq!(
        [1, 2, 3, 4].map(|number| limited(&mut s, number)),
        [false, false, true, true]
    );
}

/// A sender with BBR that has sent ten segments. Segment 0 is lost, and so is its copy; the timer expires during
/// the recovery. Returns the sender and the time of the timeout.
fn timeout_in_a_recovery(supply: u64) -> (TcpSender, Ps) {
    let mut s = TcpSender::new(
        &TcpConfig {
            initial_window: 10,
            ..config(Recovery::Bbr(BbrConfig::DEFAULT))
        },
        Ps::ZERO,
    );
    s.supply(supply * MSS);
    let sent = pass(&mut s, Ps::ZERO, Ps::from_ms(1));
    assert_eq!(sent, Vec::from_iter(0..10));
    let (_, found) = s.clone().take_delivery(Ps::from_ms(2), &sack(0, &[(1, 4)]));
    // Segment 0 is lost. Of ten segments, 4 to 9 are in flight.
    let found = found.unwrap();
    assert_eq!(
        (found.pipe_before, found.lost, found.pipe),
        (10 * MSS, MSS, 6 * MSS)
    );
    assert!(s.on_ack(Ps::from_ms(2), &sack(0, &[(1, 4)])).is_some());
    assert_eq!(drain(&mut s, Ps::from_ms(2)), [0]);
    assert_eq!(s.pipe(0), 7 * MSS);
    let due = s.rto_at;
    assert!(matches!(
        s.on_timer(due),
        Some(TcpEvent::Timeout { seq: 0, .. })
    ));
    (s, due)
}

#[test]
fn after_a_timeout_only_copies_are_on_their_way_and_nothing_is_lost_a_second_time() {
    let (mut s, due) = timeout_in_a_recovery(10);
    assert_eq!(s.pipe(0), 0);
    assert_eq!((drain(&mut s, due), s.pipe(0)), (alloc::vec![0], MSS));
    // Segments 1 to 3 are reported again, and 6 to 8. Of the copies, that of 0 is in flight, and no hole is newly
    // lost.
    let report = sack(0, &[(6, 9), (1, 4)]);
    let (_, found) = s.clone().take_delivery(due, &report);
    let found = found.unwrap();
    assert_eq!((found.pipe_before, found.lost, found.pipe), (MSS, 0, MSS));
    // The copy fills the hole; 4, 5 and 9 must be sent again, but not 6 to 8.
    s.on_ack(due, &report);
    s.on_ack(due, &sack(4, &[(6, 9)]));
    assert_eq!(s.pipe(4 * MSS), 0);
    assert_eq!(pass(&mut s, due, due + Ps::from_ms(100)), [4, 5, 9]);
    assert_eq!(s.pipe(4 * MSS), 3 * MSS);
}

#[test]
fn new_data_behind_a_timeout_may_be_lost() {
    let (mut s, due) = timeout_in_a_recovery(14);
    drain(&mut s, due);
    // The copy of 0 fills the hole; 7 to 9 are sent again, then new data.
    s.on_ack(due, &sack(7, &[]));
    s.window.cwnd = 7 * MSS;
    assert_eq!(
        pass(&mut s, due, due + Ps::from_ms(100)),
        [7, 8, 9, 10, 11, 12, 13]
    );
    assert_eq!(s.pipe(7 * MSS), 7 * MSS);
    // Segments 11 to 13 are reported, 7 to 10 are missing. Segment 10 is now lost, and the copies may be in
    // flight.
    let (_, found) = s.take_delivery(due, &sack(7, &[(11, 14)]));
    let found = found.unwrap();
    assert_eq!(
        (found.pipe_before, found.lost, found.pipe),
        (7 * MSS, MSS, 3 * MSS)
    );
}

#[test]
fn a_sender_with_lost_data_to_send_is_not_limited_by_the_application() {
    let (mut s, due) = timeout_in_a_recovery(10);
    // cwnd is a segment and a half. One copy is sent, and half a segment of the window is left.
    s.window.cwnd = 1_500;
    assert_eq!(pass(&mut s, due, due + Ps::from_ms(100)), [0]);
    assert_eq!(s.pipe(0), MSS);
    assert!(!s.records.as_ref().unwrap().is_app_limited());
    // Once all copies have been sent, the application limits the sender.
    s.on_ack(due, &sack(8, &[]));
    s.window.cwnd = 8 * MSS;
    assert_eq!(pass(&mut s, due, due + Ps::from_ms(100)), [8, 9]);
    assert!(s.records.as_ref().unwrap().is_app_limited());
}

#[test]
fn vegas_sends_an_old_segment_again_at_the_first_duplicate() {
    let mut s = greedy(Recovery::Vegas(VegasConfig::DEFAULT), 8);
    drain(&mut s, Ps::ZERO);
    // A round trip of 10 ms gives a timeout of 10 + 4 * 5 ms.
    s.on_ack(Ps::from_ms(10), &ack(1));
    drain(&mut s, Ps::from_ms(10));
    let mut early = s.clone();
    assert_eq!(early.on_ack(Ps::from_ms(30), &ack(1)), None);
    let event = s.on_ack(Ps::from_ms(31), &ack(1));
    assert!(matches!(
        event,
        Some(TcpEvent::FastRetransmit { seq: MSS, .. })
    ));
    assert_eq!(drain(&mut s, Ps::from_ms(31)), [1]);
    // Only one segment is known to have left the network.
    assert_eq!(s.cwnd(), s.ssthresh() + MSS);
}

#[test]
fn an_exact_clock_may_exclude_the_transmission() {
    for (rtt_excludes_transmission, queued) in [(false, true), (true, false)] {
        let config = TcpConfig {
            rtt_excludes_transmission,
            initial_window: 2,
            ..config(Recovery::Vegas(VegasConfig {
                gamma: 0.5,
                ..VegasConfig::DEFAULT
            }))
        };
        let mut s = TcpSender::new(&config, Ps::ZERO);
        s.supply(u64::MAX);
        let mut now = Ps::ZERO;
        let mut number = 0;
        // The second segment waits for 90 ms in the host, then takes 10 ms, as the first segment
        // did.
        for wait in [0, 90] {
            let segment = s.poll_segment(now).unwrap();
            s.on_transmitted(now + Ps::from_ms(wait), &segment);
            now += Ps::from_ms(wait + 10);
            number += 1;
            s.on_ack(now, &ack(number));
        }
        // Slow start ends if this wait counts as a queue: 1 - 10 / 100 = 0.9 segments.
        assert_eq!(s.ssthresh() < 64 * 1_000, queued);
    }
}

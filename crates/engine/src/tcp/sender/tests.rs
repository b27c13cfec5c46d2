//! Sequences of events at a sender, with results computed by hand.

mod ecn;
mod frto;
mod nagle;
mod pacing;
mod recorded;
mod stamped;

use alloc::vec::Vec;

use super::*;
use crate::kernel::units::Bytes;
use crate::tcp::blocks::Blocks;
use crate::tcp::intervals::Intervals;
use crate::tcp::{DataFlags, OwnFin, Recovery};

const MSS: u64 = 1_000;

fn config(recovery: Recovery) -> TcpConfig {
    TcpConfig {
        recovery,
        mss: Bytes(MSS),
        window: Bytes(64_000),
        ..TcpConfig::default()
    }
}

fn greedy(recovery: Recovery, initial_window: u32) -> TcpSender {
    let mut sender = TcpSender::new(
        &TcpConfig {
            initial_window,
            ..config(recovery)
        },
        Ps::ZERO,
    );
    sender.supply(u64::MAX);
    sender
}

/// Numbers of the segments that the sender sends at `now`.
fn drain(sender: &mut TcpSender, now: Ps) -> Vec<u64> {
    core::iter::from_fn(|| sender.poll_segment(now))
        .map(|segment| segment.sequence().unwrap() / MSS)
        .collect()
}

fn ack(number: u64) -> Segment {
    advertising(number, 64_000)
}

/// An acknowledgement as the function `ack` makes it, with another receive window.
fn advertising(number: u64, window: u32) -> Segment {
    Segment::Ack {
        ece: false,
        fin: OwnFin::NotYet,
        ack: number * MSS,
        window,
        blocks: Blocks::NONE,
    }
}

fn acks(sender: &mut TcpSender, now: Ps, number: u64, times: usize) -> Option<TcpEvent> {
    (0..times)
        .map(|_| sender.on_ack(now, &ack(number)))
        .last()
        .flatten()
}

#[test]
fn slow_start_sends_two_segments_for_every_acknowledgement() {
    let mut s = greedy(Recovery::Tahoe, 1);
    assert_eq!(drain(&mut s, Ps(1)), [0]);
    for (number, sent) in [(1, [1, 2]), (2, [3, 4]), (3, [5, 6])] {
        s.on_ack(Ps(2), &ack(number));
        assert_eq!(drain(&mut s, Ps(2)), sent);
    }
    assert!(s.is_window_limited());
}

#[test]
fn only_the_last_segment_of_the_supply_is_short() {
    let mut s = TcpSender::new(
        &TcpConfig {
            initial_window: 4,
            ..config(Recovery::Tahoe)
        },
        Ps::ZERO,
    );
    s.supply(2_300);
    let lens: Vec<u32> = core::iter::from_fn(|| s.poll_segment(Ps(1)))
        .map(|segment| segment.payload())
        .collect();
    assert_eq!(lens, [1_000, 1_000, 300]);
    assert!(!s.is_window_limited() && s.bytes_in_flight() == 2_300);
}

#[test]
fn a_window_with_room_for_less_than_a_segment_sends_nothing() {
    let mut s = greedy(Recovery::Tahoe, 1);
    s.window.cwnd = 1_999;
    assert_eq!(drain(&mut s, Ps(1)), [0]);
    assert!(s.is_window_limited());
}

#[test]
fn the_third_duplicate_and_no_other_triggers_the_fast_retransmission() {
    let mut s = greedy(Recovery::Tahoe, 8);
    drain(&mut s, Ps(1));
    assert_eq!(acks(&mut s, Ps(2), 0, 2), None);
    assert!(drain(&mut s, Ps(2)).is_empty());
    // min(8, 64) / 2 = 4 segments
    let event = Some(TcpEvent::FastRetransmit {
        seq: 0,
        ssthresh: 4 * MSS,
    });
    assert_eq!(acks(&mut s, Ps(2), 0, 1), event);
    assert_eq!(drain(&mut s, Ps(2)), [0]);
    assert_eq!(acks(&mut s, Ps(2), 0, 4), None);
    assert!(drain(&mut s, Ps(2)).is_empty());
    assert_eq!(
        (s.stats.fast_retransmits, s.stats.dup_acks, s.snd_nxt),
        (1, 7, 8 * MSS)
    );
}

/// A sender of eight segments, of which 0 and 3 are lost.
fn two_holes() -> TcpSender {
    let mut s = greedy(Recovery::NewReno, 8);
    drain(&mut s, Ps(1));
    acks(&mut s, Ps(2), 0, 3);
    assert_eq!(drain(&mut s, Ps(2)), [0]);
    // ssthresh is min(8, 64) / 2 = 4 segments. With the three that left, cwnd is 7. Three more duplicates make
    // 10, of which 8 are outstanding.
    acks(&mut s, Ps(3), 0, 3);
    assert_eq!((s.ssthresh(), s.cwnd()), (4 * MSS, 10 * MSS));
    assert_eq!(drain(&mut s, Ps(3)), [8, 9]);
    s
}

#[test]
fn newreno_fills_one_hole_per_partial_acknowledgement() {
    let mut s = two_holes();
    // 10 - 3 + 1 = 8 segments from segment 3 on: the hole, and segment 10.
    assert_eq!(acks(&mut s, Ps(4), 3, 1), None);
    assert_eq!(
        (drain(&mut s, Ps(4)), s.cwnd()),
        (alloc::vec![3, 10], 8 * MSS)
    );
    // Segments 8 and 9 have arrived: cwnd is 10 segments from segment 3 on.
    acks(&mut s, Ps(5), 3, 2);
    assert_eq!(drain(&mut s, Ps(5)), [11, 12]);
    // Everything below 10 is acknowledged, with 3 segments outstanding: cwnd = min(4, 3 + 1),
    // without growth.
    acks(&mut s, Ps(6), 10, 1);
    assert_eq!(
        (s.cwnd(), s.stats.fast_retransmits, s.stats.timeouts),
        (4 * MSS, 1, 0)
    );
    assert_eq!(drain(&mut s, Ps(6)), [13]);
    acks(&mut s, Ps(7), 11, 1);
    assert_eq!(s.cwnd(), 5 * MSS);
}

#[test]
fn only_the_first_partial_acknowledgement_restarts_the_timer() {
    let mut s = two_holes();
    acks(&mut s, Ps::from_ms(700), 3, 1);
    let restarted = s.next_timer();
    assert_eq!(restarted, Ps::from_ms(3_500));
    acks(&mut s, Ps::from_ms(1_700), 5, 1);
    assert_eq!(s.next_timer(), restarted);
}

#[test]
fn newreno_does_not_enter_twice_for_what_was_out_at_the_last_loss() {
    let mut s = greedy(Recovery::NewReno, 8);
    drain(&mut s, Ps(1));
    s.on_timer(s.next_timer());
    assert_eq!(drain(&mut s, Ps::from_s(3)), [0]);
    // The retransmission was needless: the receiver has all segments except 5.
    acks(&mut s, Ps::from_s(4), 5, 1);
    drain(&mut s, Ps::from_s(4));
    let cwnd = s.cwnd();
    assert_eq!(acks(&mut s, Ps::from_s(4), 5, 6), None);
    assert_eq!((s.stats.fast_retransmits, s.cwnd()), (0, cwnd));
    // A recovery may begin again once all data outstanding at the timeout are acknowledged.
    acks(&mut s, Ps::from_s(5), 8, 1);
    drain(&mut s, Ps::from_s(5));
    acks(&mut s, Ps::from_s(5), 9, 1);
    drain(&mut s, Ps::from_s(5));
    assert!(acks(&mut s, Ps::from_s(5), 9, 3).is_some());
}

#[test]
fn a_fast_retransmission_restarts_the_timer_and_ends_the_measurement() {
    let mut s = greedy(Recovery::Tahoe, 8);
    drain(&mut s, Ps(1));
    assert_eq!(s.next_timer(), Ps::from_s(3));
    acks(&mut s, Ps::from_ms(700), 0, 3);
    // Six ticks of 500 ms after 0.7 s.
    assert_eq!(s.next_timer(), Ps::from_ms(3_500));
    drain(&mut s, Ps::from_ms(700));
    s.on_ack(Ps::from_ms(800), &ack(8));
    assert_eq!(s.stats.rtt_samples, 0);
}

#[test]
fn a_timeout_forgets_the_duplicates_before_it() {
    let mut s = greedy(Recovery::Tahoe, 8);
    drain(&mut s, Ps(1));
    acks(&mut s, Ps(2), 0, 2);
    s.on_timer(Ps::from_s(3));
    drain(&mut s, Ps::from_s(3));
    assert_eq!(acks(&mut s, Ps::from_s(4), 0, 2), None);
    assert!(acks(&mut s, Ps::from_s(4), 0, 1).is_some());
}

#[test]
fn a_fast_retransmission_not_yet_sent_is_dropped_when_the_data_is_acknowledged() {
    let mut s = TcpSender::new(
        &TcpConfig {
            initial_window: 8,
            ..config(Recovery::Tahoe)
        },
        Ps::ZERO,
    );
    s.supply(8 * MSS);
    drain(&mut s, Ps(1));
    acks(&mut s, Ps(2), 0, 3);
    s.on_ack(Ps(2), &ack(8));
    assert!(s.is_done() && s.poll_segment(Ps(2)).is_none());
}

#[test]
fn the_receive_window_bounds_what_is_outstanding() {
    let mut s = greedy(Recovery::Tahoe, 4);
    drain(&mut s, Ps(1));
    s.on_ack(Ps(2), &advertising(1, 4_999));
    assert_eq!((s.cwnd(), drain(&mut s, Ps(2))), (5 * MSS, Vec::from([4])));
    s.on_ack(Ps(3), &advertising(1, 5_000));
    assert_eq!(drain(&mut s, Ps(3)), [5]);
}

#[test]
fn tahoe_starts_slowly_after_the_restored_snd_nxt() {
    let mut s = greedy(Recovery::Tahoe, 8);
    drain(&mut s, Ps(1));
    acks(&mut s, Ps(2), 0, 7);
    drain(&mut s, Ps(2));
    s.on_ack(Ps(3), &ack(8));
    assert_eq!(
        (s.cwnd(), drain(&mut s, Ps(3))),
        (2 * MSS, Vec::from([8, 9]))
    );
}

#[test]
fn tahoe_without_restoring_goes_back_to_the_lost_segment() {
    let mut s = TcpSender::new(
        &TcpConfig {
            initial_window: 8,
            restore_snd_nxt: false,
            ..config(Recovery::Tahoe)
        },
        Ps::ZERO,
    );
    s.supply(u64::MAX);
    drain(&mut s, Ps(1));
    acks(&mut s, Ps(2), 0, 3);
    assert_eq!(drain(&mut s, Ps(2)), [0]);
    s.on_ack(Ps(3), &ack(1));
    assert_eq!(drain(&mut s, Ps(3)), [1, 2]);
}

#[test]
fn reno_keeps_sending_on_duplicates_and_deflates_afterwards() {
    let mut s = greedy(Recovery::Reno, 8);
    drain(&mut s, Ps(1));
    acks(&mut s, Ps(2), 0, 3);
    assert_eq!(drain(&mut s, Ps(2)), [0]);
    // cwnd = 4 + 3 + 2 = 9: the second further duplicate permits segment 8.
    acks(&mut s, Ps(2), 0, 2);
    assert_eq!(drain(&mut s, Ps(2)), [8]);
    s.on_ack(Ps(3), &ack(9));
    // cwnd is reduced to 4, then grows by a segment, as Net/3 does at ssthresh.
    assert_eq!(s.cwnd(), 5 * MSS);
}

#[test]
fn duplicates_with_payload_or_another_window_or_nothing_outstanding_do_not_count() {
    let mut s = greedy(Recovery::Tahoe, 8);
    acks(&mut s, Ps(1), 0, 5);
    drain(&mut s, Ps(1));
    let with_payload = Segment::Data {
        flags: DataFlags::NONE,
        seq: 0,
        ack: 0,
        sent: Ps::ZERO,
        window: 64_000,
        len: 1,
    };
    for odd in [with_payload, advertising(0, 63_000)] {
        acks(&mut s, Ps(2), 0, 2);
        assert_eq!(s.on_ack(Ps(2), &odd), None);
        assert_eq!(acks(&mut s, Ps(2), 0, 2), None);
        s.on_ack(Ps(2), &odd);
    }
    assert_eq!(s.stats.fast_retransmits, 0);
}

#[test]
fn after_a_timeout_everything_is_sent_again_unless_acknowledged_meanwhile() {
    let mut s = greedy(Recovery::TimeoutOnly, 8);
    assert_eq!(drain(&mut s, Ps(1)), [0, 1, 2, 3, 4, 5, 6, 7]);
    let due = s.next_timer();
    // 3 s are 6 ticks of 500 ms, counted from the tick at 0.
    assert_eq!(due, Ps::from_s(3));
    assert_eq!(s.on_timer(Ps(due.0 - 1)), None);
    assert_eq!(
        s.on_timer(due),
        Some(TcpEvent::Timeout {
            seq: 0,
            ssthresh: 4 * MSS,
            backoff: 1
        })
    );
    assert_eq!(drain(&mut s, due), [0]);
    s.on_ack(due, &ack(1));
    assert_eq!(drain(&mut s, due), [1, 2]);
    // A cumulative acknowledgement passes over segments that had arrived.
    s.on_ack(due, &ack(6));
    assert_eq!(drain(&mut s, due), [6, 7, 8]);
    assert_eq!(
        (s.stats.bytes_retransmitted, s.stats.segments_retransmitted),
        (5 * MSS, 5)
    );
}

#[test]
fn a_retransmitted_segment_is_never_timed_and_keeps_the_backoff() {
    let mut s = greedy(Recovery::Tahoe, 1);
    drain(&mut s, Ps(1));
    for (timeout, rto) in [(3, 6), (9, 12), (21, 24), (45, 48)] {
        assert_eq!(s.next_timer(), Ps::from_s(timeout));
        s.on_timer(Ps::from_s(timeout));
        drain(&mut s, Ps::from_s(timeout));
        assert_eq!(s.rto(), Ps::from_s(rto));
    }
    s.on_ack(Ps::from_s(46), &ack(1));
    assert_eq!((s.stats.rtt_samples, s.rto()), (0, Ps::from_s(48)));
    // New data are timed again, and their acknowledgement ends the backoff: counter 3, RTO 3 + 6
    // ticks.
    drain(&mut s, Ps::from_s(46));
    s.on_ack(Ps::from_s(47), &ack(2));
    assert_eq!((s.stats.rtt_samples, s.rto()), (1, Ps::from_ms(4_500)));
}

#[test]
fn the_timer_stops_with_the_last_acknowledgement_and_restarts_with_any_other() {
    let mut s = greedy(Recovery::Tahoe, 2);
    drain(&mut s, Ps(1));
    s.on_ack(Ps::from_ms(700), &ack(1));
    // Counter 2: RTO = 2 + 4 ticks; the sixth tick after 0.7 s.
    assert_eq!(s.next_timer(), Ps::from_ms(3_500));
    s.on_ack(Ps::from_ms(700), &ack(2));
    assert_eq!(s.next_timer(), Ps::NEVER);
}

#[test]
fn an_idle_time_of_an_rto_restarts_slowly_unless_switched_off() {
    for (idle_restart, sent) in [(true, 1), (false, 3)] {
        let config = TcpConfig {
            idle_restart,
            initial_window: 2,
            ..config(Recovery::Tahoe)
        };
        let mut s = TcpSender::new(&config, Ps::ZERO);
        s.supply(2 * MSS);
        drain(&mut s, Ps(1));
        s.on_ack(Ps(2), &ack(2));
        s.supply(9 * MSS);
        assert_eq!(drain(&mut s.clone(), Ps::from_s(1)).len(), 3);
        assert_eq!(drain(&mut s, Ps::from_s(9)).len(), sent);
    }
}

#[test]
fn acknowledgements_of_data_never_sent_or_long_past_are_ignored() {
    let mut s = greedy(Recovery::Tahoe, 4);
    drain(&mut s, Ps(1));
    s.on_ack(Ps(2), &ack(2));
    let before = (s.snd_una, s.cwnd());
    s.on_ack(Ps(2), &ack(1));
    s.on_ack(Ps(2), &ack(900));
    assert_eq!((s.snd_una, s.cwnd()), before);
}

#[test]
fn round_trips_may_exclude_the_transmission() {
    let config = TcpConfig {
        rtt_excludes_transmission: true,
        ..config(Recovery::Jacobson88)
    };
    let mut s = TcpSender::new(&config, Ps::ZERO);
    s.supply(u64::MAX);
    let segment = s.poll_segment(Ps(1)).unwrap();
    s.on_transmitted(Ps::from_s(2), &segment);
    // Six ticks after 2 s.
    assert_eq!(s.next_timer(), Ps::from_s(5));
    s.on_ack(Ps::from_ms(2_600), &ack(1));
    // One tick since the last bit left: counter 2, srtt 2 ticks.
    assert_eq!(s.srtt(), Some(Ps::from_s(1)));
}

#[test]
fn a_timer_that_excludes_transmission_waits_for_the_last_cell() {
    let config = TcpConfig {
        rtt_excludes_transmission: true,
        initial_window: 2,
        ..config(Recovery::Jacobson88)
    };
    let mut s = TcpSender::new(&config, Ps::ZERO);
    s.supply(3 * MSS);
    let segments: Vec<_> = core::iter::from_fn(|| s.poll_segment(Ps(1))).collect();
    // Neither segment is on the line. The first timer is 3 s from the last cell of the first
    // segment.
    assert_eq!(s.next_timer(), Ps::NEVER);
    s.on_transmitted(Ps::from_s(7), &segments[0]);
    assert_eq!(s.next_timer(), Ps::from_s(10));
    // No tick since the last bit left: counter 1, RTO 1 + 2 ticks. The second segment still waits,
    // and then has three ticks of its own.
    s.on_ack(Ps::from_ms(7_300), &ack(1));
    assert_eq!(s.next_timer(), Ps::NEVER);
    s.on_transmitted(Ps::from_s(9), &segments[1]);
    assert_eq!(s.next_timer(), Ps::from_ms(10_500));
    // After a timeout the copy has twice as many ticks, from its own last cell on.
    s.on_timer(Ps::from_ms(10_500));
    let copy = s.poll_segment(Ps::from_ms(10_500)).unwrap();
    assert_eq!((copy.sequence(), s.next_timer()), (Some(MSS), Ps::NEVER));
    s.on_transmitted(Ps::from_s(12), &copy);
    assert_eq!(s.next_timer(), Ps::from_s(15));
    // After an acknowledgement, the timer counts for the segments that have left since.
    s.on_ack(Ps::from_s(13), &ack(2));
    let last = s.poll_segment(Ps::from_s(13)).unwrap();
    s.on_transmitted(Ps::from_s(14), &last);
    assert_eq!(
        (last.sequence(), s.next_timer()),
        (Some(2 * MSS), Ps::from_s(17))
    );
    s.on_ack(Ps::from_s(15), &ack(3));
    assert_eq!(s.next_timer(), Ps::NEVER);
}

#[test]
fn what_is_sent_again_with_new_data_behind_it_is_not_timed() {
    let mut sender = TcpSender::new(&config(Recovery::Tahoe), Ps::ZERO);
    sender.supply(300);
    assert_eq!(
        sender
            .poll_segment(Ps::ZERO)
            .map(|segment| segment.payload()),
        Some(300)
    );
    let expiry = sender.next_timer();
    sender.supply(5_000);
    sender.on_timer(expiry);
    // The copy of the segment also carries 700 bytes of the second message.
    assert_eq!(
        sender
            .poll_segment(expiry)
            .map(|segment| (segment.sequence().unwrap(), segment.payload())),
        Some((0, 1_000))
    );
    assert_eq!(sender.stats().bytes_retransmitted, 300);
    // This acknowledgement may belong to the first transmission, so it measures no round trip.
    sender.on_ack(
        expiry + Ps::from_us(1),
        &Segment::Ack {
            ece: false,
            fin: OwnFin::NotYet,
            ack: 300,
            window: 64_000,
            blocks: Blocks::NONE,
        },
    );
    assert_eq!(sender.stats().rtt_samples, 0);
    // The next segment has only new data, and is timed.
    assert_eq!(
        sender
            .poll_segment(expiry + Ps::from_us(1))
            .map(|segment| segment.sequence().unwrap()),
        Some(1_000)
    );
    sender.on_ack(expiry + Ps::from_ms(1), &ack(2));
    assert_eq!(sender.stats().rtt_samples, 1);
}

#[test]
fn a_pause_of_an_rto_closes_the_window_and_a_shorter_one_does_not() {
    for (idle_restart, pause, segments) in [(true, 3, 1), (false, 3, 4), (true, 0, 4)] {
        let config = TcpConfig {
            idle_restart,
            initial_window: 4,
            ..config(Recovery::Reno)
        };
        let mut sender = TcpSender::new(&config, Ps::ZERO);
        sender.supply(MSS);
        assert_eq!(drain(&mut sender, Ps::ZERO), [0]);
        sender.on_ack(Ps::from_ms(1), &ack(1));
        let later = Ps(Ps::from_ms(2).0 + pause * sender.rto().0);
        sender.supply(4 * MSS);
        assert_eq!(
            drain(&mut sender, later).len(),
            segments,
            "{idle_restart} {pause}"
        );
        assert_eq!(sender.stats().idle_restarts, (segments == 1) as u64);
    }
}

/// An acknowledgement of everything below segment `number`, with blocks given as ranges of
/// segments.
fn sack(number: u64, blocks: &[(u64, u64)]) -> Segment {
    let mut held = Intervals::default();
    blocks.iter().rev().for_each(|(from, to)| {
        held.insert(from * MSS, to * MSS);
    });
    Segment::Ack {
        ece: false,
        fin: OwnFin::NotYet,
        ack: number * MSS,
        window: 64_000,
        blocks: Blocks::latest(&held, number * MSS),
    }
}

#[test]
fn sack_halves_the_window_once_and_sends_what_the_pipe_leaves_room_for() {
    let mut s = greedy(Recovery::Sack, 10);
    assert_eq!(drain(&mut s, Ps(1)).len(), 10);
    // Segment 0 is lost. Each of the first two duplicates permits one new segment (step 3.3).
    for (arrived, sent) in [(2, 10), (3, 11)] {
        assert_eq!(s.on_ack(Ps(2), &sack(0, &[(1, arrived)])), None);
        assert_eq!(drain(&mut s, Ps(2)), [sent]);
    }
    // Ten segments were outstanding before the first duplicate, so cwnd is five.
    let event = s.on_ack(Ps(3), &sack(0, &[(1, 4)]));
    assert_eq!(
        event,
        Some(TcpEvent::FastRetransmit {
            seq: 0,
            ssthresh: 5 * MSS
        })
    );
    assert_eq!(drain(&mut s, Ps(3)), [0]);
    // In flight are the copy of 0, and segments 4 to 11: nine segments. Four more duplicates leave five, and the
    // next one leaves less than cwnd.
    for arrived in 5..9 {
        s.on_ack(Ps(4), &sack(0, &[(1, arrived)]));
        assert!(drain(&mut s, Ps(4)).is_empty(), "{arrived}");
    }
    s.on_ack(Ps(4), &sack(0, &[(1, 9)]));
    assert_eq!(drain(&mut s, Ps(4)), [12]);
    // The hole is filled. All but three of the thirteen segments have arrived, and the recovery
    // ends.
    s.on_ack(Ps(5), &sack(12, &[]));
    assert_eq!(
        (s.cwnd(), drain(&mut s, Ps(5))),
        (5 * MSS, Vec::from([13, 14, 15, 16]))
    );
    assert_eq!((s.stats.timeouts, s.stats.segments_retransmitted), (0, 1));
}

#[test]
fn sack_fills_three_holes_of_a_window_in_one_round_trip() {
    let mut s = greedy(Recovery::Sack, 12);
    drain(&mut s, Ps(1));
    // Segments 0, 2 and 4 are lost; the other segments arrive one by one.
    let reports = [&[(1, 2)][..], &[(3, 4), (1, 2)], &[(5, 6), (3, 4), (1, 2)]];
    let sent: Vec<Vec<u64>> = reports
        .iter()
        .map(|r| (s.on_ack(Ps(2), &sack(0, r)), drain(&mut s, Ps(2))).1)
        .collect();
    // Three blocks: hole 0 is lost, and cwnd is six of twelve segments.
    assert_eq!(
        (sent, s.cwnd()),
        (
            alloc::vec![Vec::from([12]), Vec::from([13]), Vec::from([0])],
            6 * MSS
        )
    );
    // In flight: 0 again, 2, 4, 6 to 13. With 6 and 7, three segments are above 4, so 2 and 4 no
    // longer count: 0, 8 to 13. With 8 and 9 there are five, and the holes are filled; then new
    // data follow.
    for (to, again) in [
        (7, &[][..]),
        (8, &[]),
        (9, &[]),
        (10, &[2]),
        (11, &[4]),
        (12, &[14]),
    ] {
        s.on_ack(Ps(3), &sack(0, &[(5, to), (3, 4), (1, 2)]));
        assert_eq!(drain(&mut s, Ps(3)), again, "{to}");
    }
    s.on_ack(Ps(4), &sack(2, &[(3, 4), (5, 14)]));
    s.on_ack(Ps(4), &sack(4, &[(5, 14)]));
    s.on_ack(Ps(4), &sack(15, &[]));
    assert_eq!(
        (
            s.stats.fast_retransmits,
            s.stats.timeouts,
            s.stats.segments_retransmitted
        ),
        (1, 0, 3)
    );
}

#[test]
fn a_retransmission_lost_again_waits_for_the_timer_which_passes_over_what_is_reported() {
    let mut s = greedy(Recovery::Sack, 8);
    drain(&mut s, Ps(1));
    (2..9).for_each(|to| {
        s.on_ack(Ps(2), &sack(0, &[(1, to)]));
        drain(&mut s, Ps(2));
    });
    assert_eq!(s.stats.fast_retransmits, 1);
    let due = s.next_timer();
    assert!(matches!(
        s.on_timer(due),
        Some(TcpEvent::Timeout { seq: 0, .. })
    ));
    // The scoreboard is cleared: slow start from the hole on.
    assert_eq!(drain(&mut s, due), [0]);
    let out = s.snd_max / MSS;
    // The copy fills the hole up to segment 5; 5 is lost, too, and 6 and 7 are reported.
    s.on_ack(due, &sack(5, &[(6, 8)]));
    let again = drain(&mut s, due);
    assert_eq!(again[0], 5);
    assert!(again.iter().all(|n| ![6, 7].contains(n)), "{again:?}");
    // No second recovery begins for losses of data that were outstanding at the timeout.
    let more = (9..12)
        .map(|to| s.on_ack(due, &sack(5, &[(6, to)])))
        .all(|event| event.is_none());
    assert!(more && out >= 8);
}

#[test]
fn duplicates_without_news_do_not_count() {
    let mut s = greedy(Recovery::Sack, 8);
    drain(&mut s, Ps(1));
    for _ in 0..5 {
        assert_eq!(s.on_ack(Ps(2), &sack(0, &[(1, 2)])), None);
    }
    assert_eq!(s.stats.dup_acks, 1);
}

#[test]
fn the_last_segments_are_rescued_once() {
    let mut s = TcpSender::new(
        &TcpConfig {
            initial_window: 8,
            ..config(Recovery::Sack)
        },
        Ps::ZERO,
    );
    s.supply(8 * MSS);
    drain(&mut s, Ps(1));
    // Segments 0 and 7 are lost, and there are no new data to send.
    (2..7).for_each(|to| {
        s.on_ack(Ps(2), &sack(0, &[(1, to)]));
    });
    // In flight are the copy of 0, and 6 and 7, in a window of four segments. Rules 1 to 3 find nothing to send,
    // rule 4 finds the last segment.
    assert_eq!(drain(&mut s, Ps(2)), [0, 7]);
    s.on_ack(Ps(2), &sack(0, &[(1, 7)]));
    assert!(drain(&mut s, Ps(2)).is_empty());
    s.on_ack(Ps(3), &sack(8, &[]));
    assert!(s.is_done() && s.stats.timeouts == 0);
}

/// Eight segments leave, and the host refuses the last of them: cwnd is one segment, and nothing more leaves. Slow start
/// begins anew with the acknowledgements up to the old ssthresh.
#[test]
fn a_refused_segment_closes_the_window_and_leaves_ssthresh() {
    let mut sender = greedy(Recovery::TimeoutOnly, 8);
    assert_eq!(drain(&mut sender, Ps::ZERO).len(), 8);
    let ssthresh = sender.ssthresh();
    sender.quench();
    assert_eq!((sender.cwnd(), sender.ssthresh()), (MSS, ssthresh));
    assert!(drain(&mut sender, Ps(1)).is_empty());
    sender.on_ack(Ps(2), &ack(7));
    assert_eq!(sender.cwnd(), 2 * MSS);
    assert_eq!(drain(&mut sender, Ps(2)), [8]);
}

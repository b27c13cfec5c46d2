//! ECN at the sender, and limited transmit.

use alloc::vec::Vec;

use super::*;
use crate::tcp::recovery::dctcp::DctcpConfig;
use crate::tcp::recovery::vegas::VegasConfig;

fn with_ecn(recovery: Recovery, initial_window: u32) -> TcpSender {
    let mut sender = TcpSender::new(
        &TcpConfig {
            initial_window,
            ecn: Some(true),
            ..config(recovery)
        },
        Ps::ZERO,
    );
    sender.supply(u64::MAX);
    sender
}

/// An acknowledgement of everything below segment `number`, with ECN-Echo.
fn echo(number: u64) -> Segment {
    Segment::Ack {
        ece: true,
        fin: OwnFin::NotYet,
        ack: number * MSS,
        window: 64_000,
        blocks: Blocks::NONE,
    }
}

/// Numbers and flags of the segments that the sender sends at `now`.
fn codes(sender: &mut TcpSender, now: Ps) -> Vec<(u64, DataFlags)> {
    core::iter::from_fn(|| sender.poll_segment(now))
        .map(|segment| match segment {
            Segment::Data { seq, flags, .. } => (seq / MSS, flags),
            other => panic!("{other:?}"),
        })
        .collect()
}

#[test]
fn marks_reduce_the_window_once_per_window_of_data_and_the_next_new_data_say_so() {
    let mut s = with_ecn(Recovery::NewReno, 8);
    assert_eq!(
        codes(&mut s, Ps(1)),
        [0, 1, 2, 3, 4, 5, 6, 7].map(|n| (n, DataFlags::ECT_0))
    );
    // min(8, 64) / 2 = 4 segments. Acknowledgements with ECN-Echo do not open the window.
    for number in 1..=8 {
        assert_eq!(s.on_ack(Ps(2), &echo(number)), None);
        assert_eq!((s.cwnd(), s.ssthresh()), (4 * MSS, 4 * MSS), "{number}");
        // From the fifth acknowledgement on, one segment is sent for each. The first of these segments carries
        // CWR.
        let sent = match number {
            ..=4 => Vec::new(),
            5 => Vec::from([(8, DataFlags::ECT_0_CWR)]),
            _ => Vec::from([(number + 3, DataFlags::ECT_0)]),
        };
        assert_eq!(codes(&mut s, Ps(2)), sent, "{number}");
    }
    // Segment 8 was sent after the reduction, so its mark belongs to another window of data.
    s.on_ack(Ps(3), &echo(9));
    assert_eq!((s.cwnd(), s.stats.ecn_reactions), (2 * MSS, 2));
}

#[test]
fn an_acknowledgement_of_the_window_of_data_without_marks_opens_the_window_again() {
    let mut s = with_ecn(Recovery::NewReno, 8);
    drain(&mut s, Ps(1));
    s.on_ack(Ps(2), &echo(1));
    // At ssthresh cwnd grows by a segment, as in Net/3.
    s.on_ack(Ps(2), &ack(2));
    assert_eq!(s.cwnd(), 5 * MSS);
}

#[test]
fn every_recovery_reduces_by_its_own_rule() {
    let cubic = Recovery::Cubic(Default::default());
    let cases = [
        (Recovery::TimeoutOnly, 12_500),
        (Recovery::Tahoe, 12_000),
        (Recovery::Reno, 12_000),
        (Recovery::NewReno, 12_000),
        (Recovery::Sack, 12_500),
        (Recovery::Jacobson88, 12_000),
        // 0.7 of 25 segments.
        (cubic, 17_500),
        (Recovery::Vegas(VegasConfig::DEFAULT), 12_000),
        // Alpha stays 1 after the first acknowledgement, which reports marks: 1 - 1/16 + 1/16.
        (Recovery::Dctcp(DctcpConfig::DEFAULT), 12_500),
    ];
    for (recovery, cwnd) in cases {
        let mut s = with_ecn(recovery.clone(), 25);
        drain(&mut s, Ps(1));
        s.on_ack(Ps(2), &echo(1));
        assert_eq!((s.cwnd(), s.ssthresh()), (cwnd, cwnd), "{recovery:?}");
    }
}

#[test]
fn marks_in_a_recovery_from_loss_reduce_nothing() {
    let mut s = with_ecn(Recovery::NewReno, 8);
    drain(&mut s, Ps(1));
    acks(&mut s, Ps(2), 0, 3);
    // cwnd is 4 + 3 segments. The copy of segment 0 is not ECT.
    assert_eq!(codes(&mut s, Ps(2)), [(0, DataFlags::NONE)]);
    let (cwnd, ssthresh) = (s.cwnd(), s.ssthresh());
    s.on_ack(Ps(3), &echo(0));
    assert_eq!((s.cwnd(), s.ssthresh()), (cwnd + MSS, ssthresh));
    // New data announce a reduction of the window by CWR. Here the window was reduced for the loss.
    s.on_ack(Ps(3), &echo(0));
    assert_eq!(codes(&mut s, Ps(3)), [(8, DataFlags::ECT_0_CWR)]);
    // The full acknowledgement still covers data sent before the reduction.
    s.on_ack(Ps(4), &echo(8));
    assert_eq!((s.ssthresh(), s.stats.ecn_reactions), (ssthresh, 0));
    s.on_ack(Ps(5), &echo(9));
    assert_eq!(s.stats.ecn_reactions, 1);
}

#[test]
fn a_loss_in_a_window_of_data_that_marks_have_reduced_reduces_nothing() {
    // Fifteen segments are outstanding; segment 1 is lost, and 0 was marked. Three segments inflate the window.
    let selective = |s: &mut TcpSender| {
        (3..=5).for_each(|to| {
            s.on_ack(Ps(3), &sack(1, &[(2, to)]));
        });
    };
    let duplicates = |s: &mut TcpSender| {
        acks(s, Ps(3), 1, 3);
    };
    type Duplicates = fn(&mut TcpSender);
    let cases: [(Recovery, u64, u64, Duplicates); 6] = [
        (Recovery::Tahoe, 8, 1, duplicates),
        (Recovery::Reno, 8, 11, duplicates),
        (Recovery::NewReno, 8, 11, duplicates),
        (Recovery::Vegas(VegasConfig::DEFAULT), 8, 11, duplicates),
        (Recovery::Sack, 8, 8, selective),
        (Recovery::Dctcp(DctcpConfig::DEFAULT), 8, 8, selective),
    ];
    for (recovery, ssthresh, cwnd, lose) in cases {
        let mut s = with_ecn(recovery.clone(), 16);
        drain(&mut s, Ps(1));
        s.on_ack(Ps(2), &echo(1));
        assert_eq!((s.cwnd(), s.ssthresh()), (8 * MSS, 8 * MSS), "{recovery:?}");
        lose(&mut s);
        assert_eq!(s.stats.fast_retransmits, 1, "{recovery:?}");
        assert_eq!(
            (s.ssthresh(), s.cwnd()),
            (ssthresh * MSS, cwnd * MSS),
            "{recovery:?}"
        );
    }
    let mut s = with_ecn(Recovery::Cubic(Default::default()), 20);
    drain(&mut s, Ps(1));
    s.on_ack(Ps(2), &echo(1));
    selective(&mut s);
    assert_eq!((s.ssthresh(), s.cwnd()), (14 * MSS, 14 * MSS));
}

#[test]
fn a_timeout_is_announced_by_the_next_new_data_and_not_by_copies() {
    let mut s = with_ecn(Recovery::NewReno, 2);
    drain(&mut s, Ps(1));
    let due = s.next_timer();
    s.on_timer(due);
    assert_eq!(codes(&mut s, due), [(0, DataFlags::NONE)]);
    s.on_ack(due, &ack(2));
    assert_eq!(
        codes(&mut s, due),
        [(2, DataFlags::ECT_0_CWR), (3, DataFlags::ECT_0)]
    );
}

#[test]
fn without_ecn_the_flag_is_ignored_and_nothing_is_ect() {
    let mut s = greedy(Recovery::NewReno, 8);
    assert!(
        codes(&mut s, Ps(1))
            .iter()
            .all(|(_, ect)| *ect == DataFlags::NONE)
    );
    s.on_ack(Ps(2), &echo(1));
    assert_eq!((s.cwnd(), s.stats.ecn_reactions), (9 * MSS, 0));
}

#[test]
fn an_estimate_of_half_takes_a_quarter_of_the_window() {
    let recovery = Recovery::Dctcp(DctcpConfig {
        initial_alpha: 0.5,
        ..DctcpConfig::DEFAULT
    });
    let mut s = with_ecn(recovery, 50);
    drain(&mut s, Ps(1));
    s.on_ack(Ps(2), &ack(1));
    // The first acknowledgement ends a window of data without marks: 15/16 / 2 = 15/32. Slow start
    // opens the window to 51 segments; 51,000 (1 - 15/64) = 39,046.875.
    s.on_ack(Ps(2), &echo(2));
    assert_eq!((s.cwnd(), s.ssthresh()), (39_046, 39_046));
    // This window of data ends with segment 50.
    (3..=49).for_each(|number| {
        s.on_ack(Ps(3), &echo(number));
    });
    assert_eq!((s.cwnd(), s.stats.ecn_reactions), (39_046, 1));
}

#[test]
fn limited_transmit_sends_a_new_segment_for_each_of_the_first_two_duplicates() {
    for limited_transmit in [true, false] {
        let config = TcpConfig {
            initial_window: 3,
            limited_transmit,
            ..config(Recovery::NewReno)
        };
        let mut s = TcpSender::new(&config, Ps::ZERO);
        s.supply(u64::MAX);
        drain(&mut s, Ps(1));
        for number in [3, 4] {
            s.on_ack(Ps(2), &ack(0));
            let new = if limited_transmit {
                Vec::from([number])
            } else {
                Vec::new()
            };
            assert_eq!((drain(&mut s, Ps(2)), s.cwnd()), (new, 3 * MSS));
        }
        // The third duplicate sends the oldest segment again. Half of cwnd is less than two
        // segments, so 2 + 3 may be outstanding.
        s.on_ack(Ps(2), &ack(0));
        let rest: &[u64] = if limited_transmit { &[0] } else { &[0, 3, 4] };
        assert_eq!((&*drain(&mut s, Ps(2)), s.ssthresh()), (rest, 2 * MSS));
    }
}

#[test]
fn limited_transmit_keeps_to_the_receive_window_and_sends_no_copies() {
    let config = TcpConfig {
        initial_window: 3,
        limited_transmit: true,
        ..config(Recovery::NewReno)
    };
    let mut s = TcpSender::new(&config, Ps::ZERO);
    s.supply(u64::MAX);
    drain(&mut s, Ps(1));
    s.window.rwnd = 4_000;
    (0..2).for_each(|_| {
        s.on_ack(Ps(2), &advertising(0, 4_000));
    });
    assert_eq!(drain(&mut s, Ps(2)), [3]);
    // After a timeout, duplicates permit nothing beyond a window of one segment.
    let due = s.next_timer();
    s.on_timer(due);
    assert_eq!(drain(&mut s, due), [0]);
    s.on_ack(due, &advertising(0, 4_000));
    assert!(drain(&mut s, due).is_empty());
}

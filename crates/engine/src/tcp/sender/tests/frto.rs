//! Spurious timeouts (F-RTO, RFC 5682 sections 2.1 and 3.1), computed by hand.

use super::*;

const RECOVERIES: [Recovery; 4] = [
    Recovery::Tahoe,
    Recovery::Reno,
    Recovery::NewReno,
    Recovery::Sack,
];

/// A sender that has sent segments 0 to 3. After a timeout of 3 s, it has sent segment 0 again.
fn timed_out(recovery: Recovery, frto: bool, supply: u64) -> TcpSender {
    let config = TcpConfig {
        frto,
        initial_window: 4,
        ..config(recovery)
    };
    let mut s = TcpSender::new(&config, Ps::ZERO);
    s.supply(supply);
    assert_eq!(drain(&mut s, Ps::ZERO), [0, 1, 2, 3]);
    assert!(s.on_timer(s.next_timer()).is_some());
    assert_eq!(drain(&mut s, late(0)), [0]);
    assert_eq!((s.cwnd(), s.ssthresh()), (MSS, 2 * MSS));
    s
}

/// The time `ms` milliseconds after the timeout, which is at 3 s.
fn late(ms: u64) -> Ps {
    Ps::from_ms(3_100 + ms)
}

/// All four segments were only late: their acknowledgements arrive after the timeout.
#[test]
fn late_acknowledgements_bring_new_data_and_the_window_back() {
    for recovery in RECOVERIES {
        let mut s = timed_out(recovery, true, u64::MAX);
        s.on_ack(late(1), &ack(1));
        // Step 2b: two new segments.
        assert_eq!(drain(&mut s, late(1)), [4, 5]);
        s.on_ack(late(2), &ack(2));
        // Step 3b: segments 2 to 5 are outstanding, and one was acknowledged; ssthresh is its initial value,
        // 64,000 bytes.
        assert_eq!((s.cwnd(), s.ssthresh()), (5 * MSS, 64 * MSS));
        assert_eq!(drain(&mut s, late(2)), [6]);
        let stats = s.stats();
        assert_eq!((stats.timeouts, stats.spurious_timeouts), (1, 1));
        assert_eq!(stats.segments_retransmitted, 1);
        // Slow start continues.
        s.on_ack(late(3), &ack(3));
        assert_eq!(drain(&mut s, late(3)), [7, 8]);
    }
}

#[test]
fn without_frto_everything_is_sent_again() {
    for recovery in RECOVERIES {
        let mut s = timed_out(recovery, false, u64::MAX);
        s.on_ack(late(1), &ack(1));
        assert_eq!(drain(&mut s, late(1)), [1, 2]);
    }
}

/// Segment 0 was lost, or 0 and 1. The first acknowledgement then belongs to the copy, and the new data cause a
/// duplicate.
#[test]
fn a_duplicate_after_the_new_data_means_that_data_were_lost() {
    for recovery in [Recovery::Tahoe, Recovery::Reno, Recovery::NewReno] {
        let mut s = timed_out(recovery, true, u64::MAX);
        s.on_ack(late(1), &ack(1));
        assert_eq!(drain(&mut s, late(1)), [4, 5]);
        s.on_ack(late(2), &ack(1));
        // Step 3a: cwnd is 3 segments, all of which are sent again.
        assert_eq!((s.cwnd(), s.ssthresh()), (3 * MSS, 2 * MSS));
        assert_eq!(drain(&mut s, late(2)), [1, 2, 3]);
        assert_eq!(s.stats().spurious_timeouts, 0);
    }
}

/// With SACK, the duplicate reports segment 4, which was sent after the timeout. So this duplicate, too, shows
/// that data were lost.
#[test]
fn a_selective_duplicate_means_it_too() {
    let mut s = timed_out(Recovery::Sack, true, u64::MAX);
    s.on_ack(late(1), &ack(1));
    assert_eq!(drain(&mut s, late(1)), [4, 5]);
    s.on_ack(late(2), &sack(1, &[(4, 5)]));
    assert_eq!(drain(&mut s, late(2)), [1, 2, 3]);
    assert_eq!(s.stats().spurious_timeouts, 0);
}

/// RFC 5682 section 3: segments 0 to 3 are only late, but 2 arrives before 1. The columns are the
/// acknowledgements, their blocks, what is sent, and cwnd in segments. Without SACK, the sender takes the
/// duplicate for a loss.
#[test]
fn late_data_out_of_order_show_a_spurious_timeout_by_their_blocks() {
    let mut s = timed_out(Recovery::Sack, true, u64::MAX);
    s.on_ack(late(1), &ack(1));
    assert_eq!(drain(&mut s, late(1)), [4, 5]); // (2b)
    s.on_ack(late(2), &sack(1, &[(2, 3)]));
    // (3b): segments 1, 3, 4 and 5 are outstanding, and 2 has arrived.
    assert_eq!((s.cwnd(), s.ssthresh()), (5 * MSS, 64 * MSS));
    assert_eq!(drain(&mut s, late(2)), [6]);
    s.on_ack(late(3), &ack(3));
    assert_eq!(drain(&mut s, late(3)), [7, 8]);
    let stats = s.stats();
    assert_eq!(
        (stats.spurious_timeouts, stats.segments_retransmitted),
        (1, 1)
    );

    let mut basic = timed_out(Recovery::NewReno, true, u64::MAX);
    basic.on_ack(late(1), &ack(1));
    basic.on_ack(late(2), &ack(1));
    assert_eq!(drain(&mut basic, late(2)), [1, 2, 3]);
    assert_eq!(basic.stats().spurious_timeouts, 0);
}

/// The late segments 1 and 2 arrive before 0. The trial stays in step 2 until the retransmitted
/// segment is acknowledged.
#[test]
fn a_selective_duplicate_before_the_copy_does_not_end_the_trial() {
    let mut s = timed_out(Recovery::Sack, true, u64::MAX);
    s.on_ack(late(1), &sack(0, &[(2, 3)]));
    assert!(drain(&mut s, late(1)).is_empty());
    s.on_ack(late(2), &sack(1, &[(2, 3)]));
    // (2b): segments 1 and 3 are outstanding, plus two new segments.
    assert_eq!(drain(&mut s, late(2)), [4, 5]);
    s.on_ack(late(3), &ack(3));
    // (3b): segments 3, 4 and 5 are outstanding; 1 has just arrived, 2 before.
    assert_eq!((s.cwnd(), s.stats().spurious_timeouts), (4 * MSS, 1));
    assert_eq!(drain(&mut s, late(3)), [6]);
}

/// Step 3a of section 3.1, in two cases. In the first, segment 1 was lost, and the duplicate reports nothing new.
/// In the second, all late data are acknowledged together with data that were sent after the timeout.
#[test]
fn blocks_that_report_nothing_of_before_mean_a_loss() {
    for second in [ack(1), sack(1, &[(2, 3), (4, 5)]), ack(5)] {
        let mut s = timed_out(Recovery::Sack, true, u64::MAX);
        s.on_ack(late(1), &ack(1));
        assert_eq!(drain(&mut s, late(1)), [4, 5]);
        s.on_ack(late(2), &second);
        assert_eq!((s.stats().spurious_timeouts, s.cwnd()), (0, 3 * MSS));
    }
}

/// Step 1 of section 3.1: a timeout during a recovery begins no trial, because the recovery's copy of 0 would be
/// taken for late data.
#[test]
fn a_timeout_in_a_selective_recovery_is_no_trial() {
    let config = TcpConfig {
        frto: true,
        initial_window: 8,
        ..config(Recovery::Sack)
    };
    let mut s = TcpSender::new(&config, Ps::ZERO);
    s.supply(u64::MAX);
    drain(&mut s, Ps::ZERO);
    for arrived in 2..5 {
        s.on_ack(Ps::from_ms(1), &sack(0, &[(1, arrived)]));
    }
    drain(&mut s, Ps::from_ms(1));
    assert!(s.on_timer(s.next_timer()).is_some());
    assert_eq!(drain(&mut s, late(0)), [0]);
    s.on_ack(late(1), &sack(5, &[]));
    assert_eq!(drain(&mut s, late(1)), [5, 6]);
}

/// Step 2a ends the trial at three kinds of acknowledgement: a duplicate, one of everything, or one of a part of
/// the retransmitted segment.
#[test]
fn the_first_acknowledgement_may_say_that_data_were_lost() {
    for (first, sent) in [(0, &[][..]), (4, &[4, 5])] {
        let mut s = timed_out(Recovery::NewReno, true, u64::MAX);
        s.on_ack(late(1), &ack(first));
        assert_eq!(drain(&mut s, late(1)), sent);
        // The next acknowledgement does not count as step 3.
        s.on_ack(late(2), &ack(first + 1));
        assert_eq!(s.stats().spurious_timeouts, 0);
    }
    let mut s = timed_out(Recovery::NewReno, true, u64::MAX);
    let part = Segment::Ack {
        ece: false,
        fin: OwnFin::NotYet,
        ack: 500,
        window: 64_000,
        blocks: Blocks::NONE,
    };
    s.on_ack(late(1), &part);
    s.on_ack(late(2), &ack(1));
    s.on_ack(late(3), &ack(2));
    assert_eq!((s.stats().spurious_timeouts, s.ssthresh()), (0, 2 * MSS));
}

#[test]
fn without_new_data_slow_start_sends_again() {
    let mut s = timed_out(Recovery::NewReno, true, 4 * MSS);
    s.on_ack(late(1), &ack(1));
    assert_eq!(drain(&mut s, late(1)), [1, 2]);
    s.on_ack(late(2), &ack(2));
    assert_eq!(s.stats().spurious_timeouts, 0);
}

/// Step 1: a second timeout of the same data begins no trial.
#[test]
fn a_second_timeout_of_the_same_data_is_no_trial() {
    let mut s = timed_out(Recovery::NewReno, true, u64::MAX);
    let second = s.next_timer();
    s.on_timer(second);
    assert_eq!(drain(&mut s, second), [0]);
    s.on_ack(second + Ps::from_ms(1), &ack(1));
    assert_eq!(drain(&mut s, second + Ps::from_ms(1)), [1, 2]);
}

/// The recovery policy gets back its state from before the timeout. Otherwise CUBIC would begin an epoch at the
/// smaller window.
#[test]
fn every_policy_survives_a_spurious_timeout() {
    for recovery in Recovery::ALL {
        let mut s = timed_out_or_paced(recovery);
        s.on_ack(late(1), &ack(1));
        drain(&mut s, late(1));
        s.on_ack(late(2), &ack(2));
        assert_eq!(s.stats().spurious_timeouts, 1, "{}", recovery.name());
        assert_eq!(s.ssthresh(), 64 * MSS, "{}", recovery.name());
    }
}

/// A sender as [`timed_out`] makes it. With BBR, the pace delays the first segments, so the function runs the
/// sender until its first timeout.
fn timed_out_or_paced(recovery: &Recovery) -> TcpSender {
    let config = TcpConfig {
        frto: true,
        initial_window: 4,
        ..config(recovery.clone())
    };
    let mut s = TcpSender::new(&config, Ps::ZERO);
    s.supply(u64::MAX);
    let mut now = Ps::ZERO;
    while s.stats().timeouts == 0 {
        drain(&mut s, now);
        now = s.next_timer();
        s.on_timer(now);
    }
    drain(&mut s, now);
    s
}

/// Nagle's rule holds back the rest of a message, so there are no new data to send. Then the conventional
/// recovery continues (2b).
#[test]
fn a_rest_that_waits_is_no_new_data() {
    for recovery in RECOVERIES {
        let config = TcpConfig {
            frto: true,
            nagle: true,
            initial_window: 4,
            ..config(recovery)
        };
        let mut s = TcpSender::new(&config, Ps::ZERO);
        s.supply(4 * MSS + MSS / 2);
        assert_eq!(drain(&mut s, Ps::ZERO), [0, 1, 2, 3]);
        assert!(s.on_timer(s.next_timer()).is_some());
        assert_eq!(drain(&mut s, late(0)), [0]);
        s.on_ack(late(1), &ack(1));
        assert_eq!(drain(&mut s, late(1)), [1, 2]);
    }
}

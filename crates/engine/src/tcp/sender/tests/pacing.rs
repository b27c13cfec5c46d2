//! The pace of a window, computed by hand.

use super::*;

fn paced(recovery: Recovery, initial_ssthresh: Option<Bytes>) -> TcpSender {
    let config = TcpConfig {
        pacing: true,
        initial_window: 4,
        initial_ssthresh,
        ..config(recovery)
    };
    let mut sender = TcpSender::new(&config, Ps::ZERO);
    sender.supply(u64::MAX);
    sender
}

/// Runs the sender from `from` ms to `until` ms. Returns the times in ms at which segments are sent, with their
/// numbers.
fn run(sender: &mut TcpSender, from: u64, until: u64) -> Vec<(u64, u64)> {
    let mut sent = Vec::new();
    let mut now = Ps::from_ms(from);
    loop {
        let ms = now.0 / 1_000_000_000;
        sent.extend(drain(sender, now).into_iter().map(|number| (ms, number)));
        if !sender.is_delayed() || sender.next_timer() > Ps::from_ms(until) {
            return sent;
        }
        now = sender.next_timer();
        assert_eq!(sender.on_timer(now), None);
    }
}

/// The first window is sent at once. With SRTT = 100 ms and cwnd = 5 segments, slow start paces at
/// 2 * 5 segments in 100 ms: one every 10 ms.
#[test]
fn slow_start_paces_at_twice_the_window_per_round_trip() {
    for recovery in [Recovery::Reno, Recovery::Sack, Recovery::NewReno] {
        let mut s = paced(recovery, None);
        assert_eq!(run(&mut s, 0, 99), [(0, 0), (0, 1), (0, 2), (0, 3)]);
        s.on_ack(Ps::from_ms(100), &ack(1));
        assert_eq!(run(&mut s, 100, 109), [(100, 4)]);
        assert_eq!(s.next_timer(), Ps::from_ms(110));
        s.on_ack(Ps::from_ms(100), &ack(4));
        // cwnd is 6 segments: the next gap is 1/12 of 100 ms, from the segment at 110 ms on.
        assert_eq!(run(&mut s, 110, 110), [(110, 5)]);
        assert_eq!(s.next_timer(), Ps(110_000_000_000 + 8_333_333_333));
    }
}

/// From half of ssthresh on the ratio is 1.2. With SRTT = 120 ms and cwnd = 5 segments, one segment is sent every
/// 20 ms.
#[test]
fn congestion_avoidance_paces_at_a_fifth_above_the_window_per_round_trip() {
    let mut s = paced(Recovery::Reno, Some(Bytes(4 * MSS)));
    run(&mut s, 0, 0);
    s.on_ack(Ps::from_ms(120), &ack(1));
    assert_eq!(s.cwnd(), 5 * MSS);
    assert_eq!(run(&mut s, 120, 140), [(120, 4), (140, 5)]);
}

/// As in Linux, the ratio changes at half of ssthresh: 5 segments are below half of 12, but not
/// below half of 10.
#[test]
fn the_ratio_changes_at_half_of_ssthresh() {
    for (ssthresh, gap) in [(12, 10), (10, 16)] {
        let mut s = paced(Recovery::Reno, Some(Bytes(ssthresh * MSS)));
        run(&mut s, 0, 0);
        s.on_ack(Ps::from_ms(100), &ack(1));
        run(&mut s, 100, 100);
        assert_eq!(s.next_timer().0 / 1_000_000_000, 100 + gap);
    }
}

/// The pace is one segment every 10 ms, as in the test of slow start. A burst has two segments, and the next
/// burst is 20 ms later.
#[test]
fn a_slow_pace_spaces_bursts_of_two_segments() {
    let mut s = with_bursts(4, 64 * MSS);
    assert_eq!(run(&mut s, 0, 99), [(0, 0), (0, 1), (0, 2), (0, 3)]);
    s.on_ack(Ps::from_ms(100), &ack(1));
    s.on_ack(Ps::from_ms(100), &ack(4));
    // cwnd is 6 segments: a gap of 100 / 12 ms for each.
    let pair = 2 * 8_333_333_333;
    let begin = Ps::from_ms(100);
    assert_eq!(drain(&mut s, begin), [4, 5]);
    assert_eq!(s.next_timer(), Ps(begin.0 + pair));
    let second = s.next_timer();
    assert_eq!(s.on_timer(second), None);
    assert_eq!(drain(&mut s, second), [6, 7]);
    assert_eq!(s.next_timer(), Ps(second.0 + pair));
}

/// With SRTT = 4 ms and cwnd = 33 segments, slow start sends 66 segments in 4 ms, one every 60.606
/// us: 16 in 1/1024 s, or fewer if the interface takes fewer.
#[test]
fn a_fast_pace_has_bursts_of_a_millisecond() {
    for (most, burst) in [(64, 16), (8, 8)] {
        let mut s = with_bursts(32, most * MSS);
        drain(&mut s, Ps::ZERO);
        let begin = Ps::from_ms(4);
        s.on_ack(begin, &ack(20));
        assert_eq!(s.cwnd(), 33 * MSS);
        let sent = drain(&mut s, begin);
        assert_eq!(sent, (32..32 + burst).collect::<Vec<_>>());
        assert_eq!(s.next_timer(), Ps(begin.0 + burst * 60_606_060));
    }
}

/// A sender with bursts, in slow start up to the receive window.
fn with_bursts(initial_window: u32, most: u64) -> TcpSender {
    let config = TcpConfig {
        pacing: true,
        tso: Some(Bytes(most)),
        initial_window,
        initial_ssthresh: Some(Bytes(100 * MSS)),
        ..config(Recovery::Reno)
    };
    let mut sender = TcpSender::new(&config, Ps::ZERO);
    sender.supply(u64::MAX);
    sender
}

/// Retransmissions are paced, too, and outstanding data above cwnd count. After three duplicates cwnd is half of
/// 8 segments plus 3, and 8 segments are outstanding.
#[test]
fn a_copy_is_paced_by_the_data_outstanding() {
    let mut s = paced(Recovery::Reno, Some(Bytes(4 * MSS)));
    run(&mut s, 0, 0);
    for (ms, number) in [(100, 1), (100, 4)] {
        s.on_ack(Ps::from_ms(ms), &ack(number));
    }
    // cwnd is 5.2 segments, the ratio 1.2.
    assert_eq!(run(&mut s, 100, 180).len(), 5);
    acks(&mut s, Ps::from_ms(190), 4, 3);
    // Five segments are outstanding, cwnd is 2 + 3 segments: 100 / 6 ms.
    assert_eq!(run(&mut s, 190, 200), [(190, 4)]);
}

#[test]
fn the_pace_of_bbr_is_its_own() {
    let bbr = || Recovery::Bbr(Default::default());
    let plain = TcpConfig {
        initial_window: 4,
        ..config(bbr())
    };
    let mut s = TcpSender::new(&plain, Ps::ZERO);
    s.supply(u64::MAX);
    assert_eq!(run(&mut paced(bbr(), None), 0, 50), run(&mut s, 0, 50));
}

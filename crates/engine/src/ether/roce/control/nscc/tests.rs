//! NSCC against values computed by hand, at 100 Gbit/s over 12 us with packets of 1,000 octets: the scale is 1, the
//! bandwidth-delay product 150,000 octets, the greatest window 225,000 octets, the target 9 us.

use alloc::vec;

use super::*;

fn source(window: u64, config: NsccConfig) -> Nscc {
    let line = Rate::from_bps(100_000_000_000);
    let way = Way {
        line,
        hops: vec![line],
        round_trip: Ps::from_us(12),
        packet: 1_000,
        payload: 1_000,
    };
    let config = NsccConfig {
        window: Some(Bytes(window)),
        ..config
    };
    Nscc::new(&config, &way)
}

/// A report at `now` on `packets` packets after a delay in us.
fn report(nscc: &mut Nscc, now: u64, packets: u64, delay: f64, marked: bool) {
    nscc.on_report(&Report {
        now: Ps::from_us(now),
        rtt: Ps(12_000_000 + (delay * 1e6) as u64),
        marked,
        packets,
        on_way: 50_000.0,
    });
}

fn close(found: f64, expected: f64) {
    assert!((found / expected - 1.0).abs() < 1e-9, "{found} {expected}");
}

/// A delay of 3 us is 6 us below the target, which is half of 12 us. So each window of such packets adds two packets.
/// Nine packets in a window of a hundred add 180 octets, once more than eight packets are reported. With a delay of at
/// least the target each window of packets adds five packets, and nine packets add 450 octets. A round trip adds 150
/// octets (eta).
#[test]
fn unmarked_packets_raise_the_window() {
    let mut below = source(100_000, NsccConfig::default());
    report(&mut below, 1, 4, 3.0, false);
    close(below.cwnd, 100_000.0);
    report(&mut below, 2, 5, 3.0, false);
    close(below.cwnd, 100_180.0);
    let mut above = source(100_000, NsccConfig::default());
    report(&mut above, 11, 9, 9.0, false);
    close(above.cwnd, 100_450.0);
    let mut later = source(100_000, NsccConfig::default());
    report(&mut later, 12, 9, 9.0, false);
    close(later.cwnd, 100_600.0);
}

/// Eleven reported packets that found no queue are more than the window of ten packets. So the report at once adds a
/// quarter (`fast_increase`) of its 11,000 octets to the window: 2,750 octets. A second report adds a quarter of its
/// octets. A report with a delay of 1 us, which means a queue, ends this growth.
#[test]
fn an_empty_path_raises_the_window_at_once() {
    let mut nscc = source(10_000, NsccConfig::default());
    report(&mut nscc, 1, 11, 0.5, false);
    close(nscc.cwnd, 12_750.0);
    report(&mut nscc, 1, 2, 0.5, false);
    close(nscc.cwnd, 13_250.0);
    report(&mut nscc, 1, 2, 1.0, false);
    close(nscc.cwnd, 13_250.0);
}

/// A mean delay of 18 us exceeds the target of 9 us by half of the mean delay. So a mark takes 0.8 (gamma) of a half
/// from the window. The window falls again only after more than a round trip, when eta is added as well. By this rule a
/// mean delay of 90 us would take 0.72 of the window, but no decrease takes more than a half. A mark with a delay below
/// the target does nothing.
#[test]
fn marks_lower_the_window_once_in_a_round_trip() {
    let at_once = || NsccConfig {
        weight: 1.0,
        ..NsccConfig::default()
    };
    let mut nscc = source(100_000, at_once());
    report(&mut nscc, 1, 1, 18.0, true);
    close(nscc.cwnd, 60_000.0);
    report(&mut nscc, 12, 1, 18.0, true);
    close(nscc.cwnd, 60_000.0);
    report(&mut nscc, 14, 1, 18.0, true);
    close(nscc.cwnd, 36_150.0);
    let mut far = source(100_000, at_once());
    report(&mut far, 1, 1, 90.0, true);
    close(far.cwnd, 50_000.0);
    let mut near = source(100_000, at_once());
    report(&mut near, 1, 1, 8.9, true);
    close(near.cwnd, 100_000.0);
}

/// A measured delay has the weight 1/80 in the mean delay. Delays above the target of packets without a mark count as 3
/// us, a quarter of the round trip.
#[test]
fn the_mean_delay_takes_unmarked_waits_for_a_quarter() {
    let mut nscc = source(100_000, NsccConfig::default());
    report(&mut nscc, 1, 1, 8.0, false);
    close(nscc.mean, 100_000.0);
    report(&mut nscc, 1, 1, 11.1, true);
    close(nscc.mean, 237_500.0);
    report(&mut nscc, 1, 1, 11.1, false);
    close(nscc.mean, 237_500.0 + (3e6 - 237_500.0) / 80.0);
}

/// A trimmed packet takes one packet off the window. After a period of 12 + 9 us the next trimmed packet sets the
/// window to the 20 packets that arrived in the period, fewer than an eighth of the greatest window of 225 packets. The
/// 50 packets on their way at that time are old: their marks are ignored.
#[test]
fn trimmed_packets_set_the_window_to_what_arrives() {
    let steep = || NsccConfig {
        weight: 1.0,
        ..NsccConfig::default()
    };
    let mut nscc = source(100_000, steep());
    nscc.on_trimmed(Ps::from_us(1), 50_000.0);
    close(nscc.cwnd, 99_000.0);
    report(&mut nscc, 5, 20, 8.0, true);
    nscc.on_trimmed(Ps::from_us(22), 50_000.0);
    close(nscc.cwnd, 98_000.0);
    nscc.on_trimmed(Ps::from_us(23), 50_000.0);
    close(nscc.cwnd, 20_000.0);
    report(&mut nscc, 24, 49, 18.0, true);
    close(nscc.cwnd, 20_000.0);
    report(&mut nscc, 25, 1, 18.0, true);
    assert!(nscc.cwnd < 20_000.0, "{}", nscc.cwnd);

    let off = NsccConfig {
        quick_adapt: 0.0,
        ..steep()
    };
    let mut nscc = source(100_000, off);
    for now in [1, 23] {
        nscc.on_trimmed(Ps::from_us(now), 50_000.0);
    }
    close(nscc.cwnd, 98_000.0);
}

/// The window is at least one packet and at most 1.5 bandwidth-delay products of the least round trip so far: 112,500 octets
/// for 6 us.
#[test]
fn the_window_keeps_its_bounds() {
    let mut nscc = source(300_000, NsccConfig::default());
    report(&mut nscc, 1, 1, 3.0, false);
    close(nscc.cwnd, 225_000.0);
    assert_eq!(nscc.window(), 225_000.0);
    nscc.on_report(&Report {
        now: Ps::from_us(2),
        rtt: Ps::from_us(6),
        marked: false,
        packets: 1,
        on_way: 0.0,
    });
    close(nscc.cwnd, 112_500.0);
    assert_eq!(nscc.window(), 112_000.0);
    for _ in 0..200 {
        nscc.on_loss(Ps::from_us(3));
    }
    assert_eq!(nscc.window(), 1_000.0);
}

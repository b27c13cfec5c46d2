//! Swift against values computed by hand, with round trips in us, and what holds after any sequence of round trips.

use alloc::vec;

use super::*;
use crate::kernel::Stream;

/// A source at 10 Gbit/s over `switches` switches, with the window `cwnd` in packets.
fn over(switches: usize, cwnd: f64) -> Swift {
    let line = Rate::from_bps(10_000_000_000);
    let way = Way {
        line,
        hops: vec![line; switches],
        round_trip: Ps::ZERO,
        packet: 1_000,
        payload: 1_000,
    };
    let config = SwiftConfig {
        cwnd,
        ..SwiftConfig::default()
    };
    Swift::new(&config, &way)
}

fn completes(source: &mut Swift, now: u64, rtt: u64, segments: u64) {
    source.on_completion(&Completion {
        now: Ps::from_us(now),
        rtt: Ps::from_us(rtt),
        segments,
    });
}

fn close(found: f64, expected: f64) {
    assert!((found / expected - 1.0).abs() < 1e-4, "{found} {expected}");
}

/// fs_alpha = 100/(sqrt(10) - 1/10) = 32.656 us and fs_beta = -3.266 us. Flow scaling adds 29.39 us to the target of a
/// window of one packet, 3.27 us at 25 packets, 100 us at 0.1 packets and fewer, and nothing at 100 and more. Each switch
/// adds 3.053 us.
#[test]
fn the_target_falls_with_the_window() {
    for (cwnd, added) in [
        (0.05, 100.0),
        (0.1, 100.0),
        (1.0, 29.390),
        (25.0, 3.2656),
        (100.0, 0.0),
        (400.0, 0.0),
    ] {
        close(over(0, cwnd).target() * 1e-6, 20.0 + added);
        close(over(3, cwnd).target() * 1e-6, 20.0 + 3.0 * 3.053 + added);
    }
}

/// On an empty path a window falls until flow scaling makes up for a target that is too low: 29.390 us at one packet, 3.2656
/// us at 25 packets, nothing at 100. Beyond the 100 us of fs_range the window falls to 0.01 packets, the least.
#[test]
fn a_window_falls_to_the_one_whose_target_is_the_delay_of_the_path() {
    let config = SwiftConfig::default();
    let falls_to =
        |switches, microseconds: f64| config.falls_to(switches, Ps((microseconds * 1e6) as u64));
    for (missing, cwnd) in [(29.390, 1.0), (3.265_6, 25.0), (0.0, 100.0), (100.1, 0.01)] {
        close(falls_to(0, 20.0 + missing).unwrap(), cwnd);
        close(falls_to(2, 26.106 + missing).unwrap(), cwnd);
    }
    assert_eq!(falls_to(1, 23.052), None);
    // A source with this window has this target.
    let cwnd = falls_to(1, 60.0).unwrap();
    close(over(1, cwnd).target() * 1e-6, 60.0);
}

/// Below the target of 20 + 7.06 us a window of ten grows by a tenth for each packet: by 3/10 for three packets. A window of
/// a half grows by 1.
#[test]
fn a_short_delay_adds_a_packet_in_each_round_trip() {
    let mut source = over(0, 10.0);
    completes(&mut source, 0, 27, 1);
    close(source.cwnd(), 10.1);
    let mut source = over(0, 10.0);
    completes(&mut source, 0, 27, 3);
    close(source.cwnd(), 10.3);
    let mut source = over(0, 0.5);
    completes(&mut source, 0, 30, 1);
    close(source.cwnd(), 1.5);
}

/// With a window of 25 packets the target is 23.2656 us. At 40 us the factor is 1 - 0.8 (40 - 23.2656)/40 = 0.665312. No
/// other decrease follows within the smoothed round trip, whatever the delay. It is 40 us, then 0.875 x 40 + 0.125 x 1,000 =
/// 160 us. After 160 us the next decrease takes a half, since 1 - 0.8 (1,000 - 25)/1,000 is less. A loss takes a half as
/// well.
#[test]
fn a_long_delay_cuts_the_window_once_in_a_round_trip() {
    let mut source = over(0, 25.0);
    completes(&mut source, 1_000, 40, 1);
    let cut = 25.0 * 0.665_312;
    close(source.cwnd(), cut);
    completes(&mut source, 1_039, 1_000, 1);
    close(source.cwnd(), cut);
    source.on_loss(Ps::from_us(1_159));
    close(source.cwnd(), cut);
    completes(&mut source, 1_160, 1_000, 1);
    close(source.cwnd(), cut / 2.0);
    source.on_loss(Ps::from_us(3_000));
    close(source.cwnd(), cut / 4.0);
}

/// A window of 2.7 packets lets two packets be on their way, at the rate of the line. A window of half a packet, after a
/// round trip of 50 us, which is below the target, lets one packet of 1,000 octets leave each 100 us: 10 octets in 1 us.
#[test]
fn below_one_packet_the_source_paces() {
    let source = over(0, 2.7);
    assert_eq!((source.window(), source.rate()), (2_000.0, 1.25e9));
    let mut source = over(0, 0.5);
    source.rtt = Some(50e6);
    assert_eq!(source.window(), 1_000.0);
    close(source.rate(), 10e6);
}

/// After any sequence of round trips and losses the window stays between its limits.
#[test]
fn the_window_stays_within_its_limits() {
    let mut stream = Stream::new(1, "ether", "sources of Swift");
    let mut source = over(2, 10.0);
    for now in 0..100_000 {
        match stream.below(Ps(10)).0 {
            0 => source.on_loss(Ps::from_us(now)),
            _ => {
                let rtt = 1 + stream.below(Ps(1 + now / 200)).0;
                completes(&mut source, now, rtt, 1);
            }
        }
        let is_within = (0.01..=1_000.0).contains(&source.cwnd());
        assert!(is_within && source.rate() > 0.0, "{source:?}");
    }
}

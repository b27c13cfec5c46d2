//! Nagle's rule (RFC 896; RFC 1122 section 4.2.3.4), computed by hand.

use super::*;

/// A sender whose application writes 400 bytes at 0, 1, 2, ... ms. A full segment has 1,000 bytes.
fn writer(recovery: Recovery, nagle: bool) -> TcpSender {
    let config = TcpConfig {
        nagle,
        initial_window: 4,
        ..config(recovery)
    };
    TcpSender::new(&config, Ps::ZERO)
}

/// First byte and length of the segments that the sender sends at `ms`.
fn sent(sender: &mut TcpSender, ms: u64) -> Vec<(u64, u32)> {
    core::iter::from_fn(|| sender.poll_segment(Ps::from_ms(ms)))
        .map(|segment| (segment.sequence().unwrap(), segment.payload()))
        .collect()
}

fn acknowledge(sender: &mut TcpSender, ms: u64, ack: u64) {
    let ack = Segment::Ack {
        ece: false,
        fin: OwnFin::NotYet,
        ack,
        window: 64_000,
        blocks: Blocks::NONE,
    };
    sender.on_ack(Ps::from_ms(ms), &ack);
}

#[test]
fn small_writes_wait_for_an_acknowledgement_or_a_full_segment() {
    for recovery in [Recovery::Reno, Recovery::Sack] {
        let mut s = writer(recovery, true);
        let write = |s: &mut TcpSender, ms| {
            s.supply(400);
            sent(s, ms)
        };
        // No data are outstanding.
        assert_eq!(write(&mut s, 0), [(0, 400)]);
        assert_eq!(write(&mut s, 1), []);
        assert_eq!(write(&mut s, 2), []);
        // 1,200 bytes wait: a full segment is sent, 200 bytes wait.
        assert_eq!(write(&mut s, 3), [(400, 1_000)]);
        // The first write is acknowledged, but later data are outstanding.
        acknowledge(&mut s, 4, 400);
        assert_eq!(sent(&mut s, 4), []);
        acknowledge(&mut s, 5, 1_400);
        assert_eq!(sent(&mut s, 5), [(1_400, 200)]);
    }
}

#[test]
fn without_nagles_rule_every_write_goes_at_once() {
    let mut s = writer(Recovery::Reno, false);
    for ms in 0..3 {
        s.supply(400);
        assert_eq!(sent(&mut s, ms), [(400 * ms, 400)]);
    }
}

#[test]
fn a_copy_does_not_wait() {
    let mut s = writer(Recovery::Reno, true);
    s.supply(400);
    sent(&mut s, 0);
    let timeout = s.next_timer();
    s.on_timer(timeout);
    assert_eq!(sent(&mut s, timeout.0 / 1_000_000_000), [(0, 400)]);
}

#[test]
fn the_end_of_a_transfer_does_not_wait() {
    let mut s = writer(Recovery::Sack, true);
    s.supply_last(1_400);
    assert_eq!(sent(&mut s, 0), [(0, 1_000), (1_000, 400)]);
}

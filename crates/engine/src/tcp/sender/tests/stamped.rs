//! Time stamps at both ends (RFC 7323), computed by hand.

use super::*;
use crate::tcp::handshake::{Handshake, SynOptions};
use crate::tcp::segment::StampedNumber;
use crate::tcp::{Stamps, TcpReceiver};

/// A configuration whose clock ticks every 10 ms from time 0 on: its count is 1 at 0 and 11 at 100 ms. The first
/// timeout is 100 ms.
fn stamped(recovery: Recovery) -> TcpConfig {
    TcpConfig {
        timestamps: true,
        granularity: Ps::from_ms(10),
        initial_rto: Ps::from_ms(100),
        min_rto: Ps::from_ms(10),
        initial_window: 4,
        ..config(recovery)
    }
}

fn sender(recovery: Recovery) -> TcpSender {
    let mut sender = TcpSender::new(&stamped(recovery), Ps::ZERO);
    sender.supply(u64::MAX);
    sender
}

/// An acknowledgement sent when the receiver's clock showed `value`, which echoes `echo`.
fn echo(number: u64, value: u32, echo: u32) -> Segment {
    Segment::StampedAck {
        number: StampedNumber::new(number * MSS, false, OwnFin::NotYet),
        stamps: Stamps { value, echo },
        blocks: Blocks::NONE,
    }
}

#[test]
fn data_carry_the_ticks_of_the_sender_and_the_stamp_heard_last() {
    let mut s = sender(Recovery::Reno);
    let first = s.poll_segment(Ps::from_ms(100)).unwrap();
    assert_eq!(first.stamps(), Some(Stamps { value: 11, echo: 0 }));
    // RFC 7323 appendix A: 12 bytes with two NOPs.
    assert_eq!((first.option_bytes(), first.payload()), (12, 1_000));
    s.on_ack(Ps::from_ms(155), &echo(1, 77, 11));
    drain(&mut s, Ps::from_ms(155));
    s.on_ack(Ps::from_ms(159), &echo(4, 78, 11));
    let next = s.poll_segment(Ps::from_ms(160)).unwrap();
    assert_eq!(
        next.stamps(),
        Some(Stamps {
            value: 17,
            echo: 78
        })
    );
}

#[test]
fn every_acknowledgement_of_new_data_measures_the_round_trip() {
    let mut s = sender(Recovery::Reno);
    assert_eq!(drain(&mut s, Ps::from_ms(100)), [0, 1, 2, 3]);
    // The acknowledgement comes four ticks later: counter 5, RTO = 5 + 4 * 5 / 2 = 15 ticks.
    s.on_ack(Ps::from_ms(140), &echo(1, 5, 11));
    assert_eq!((s.rto(), s.stats().rtt_samples), (Ps::from_ms(150), 1));
    // Eight ticks: SRTT = 7/8 * 5 + 1/8 * 8 = 43/8 ticks, RTTVAR = 3/4 * 10/4 + 1/4 * 3 = 11/4; 5 + 11.
    s.on_ack(Ps::from_ms(180), &echo(2, 5, 11));
    assert_eq!((s.rto(), s.stats().rtt_samples), (Ps::from_ms(160), 2));
    // A duplicate measures nothing (section 4.1), whatever it echoes.
    s.on_ack(Ps::from_ms(500), &echo(2, 5, 11));
    assert_eq!((s.rto(), s.stats().rtt_samples), (Ps::from_ms(160), 2));
}

/// A segment sent at 100 ms has a timeout of 100 ms; its copy is sent at 200 ms, when the clock
/// shows 21.
#[test]
fn the_echo_tells_the_copy_from_the_first_transmission() {
    for (heard, rto) in [
        // 250 ms, 5 ticks after the copy: counter 6, 6 + 12 ticks.
        (echo(1, 1, 21), 180),
        // 15 ticks after the first transmission: counter 16, 16 + 32.
        (echo(1, 1, 11), 480),
        // Without time stamps the acknowledgement of the copy measures nothing (Karn): twice 100
        // ms.
        (ack(1), 200),
    ] {
        let mut s = sender(Recovery::Reno);
        drain(&mut s, Ps::from_ms(100));
        assert_eq!(s.next_timer(), Ps::from_ms(200));
        s.on_timer(Ps::from_ms(200));
        assert_eq!(drain(&mut s, Ps::from_ms(200)), [0]);
        s.on_ack(Ps::from_ms(250), &heard);
        assert_eq!(s.rto(), Ps::from_ms(rto), "{heard:?}");
    }
}

#[test]
fn an_acknowledgement_with_an_older_stamp_is_refused() {
    let mut s = sender(Recovery::Reno);
    drain(&mut s, Ps::from_ms(100));
    s.on_ack(Ps::from_ms(140), &echo(2, 50, 11));
    s.on_ack(Ps::from_ms(141), &echo(3, 49, 11));
    assert_eq!((s.snd_una(), s.stats().rtt_samples), (2 * MSS, 1));
    s.on_ack(Ps::from_ms(142), &echo(3, 50, 11));
    assert_eq!(s.snd_una(), 3 * MSS);
}

/// The segment with the number `number` and the TSval `value`.
fn data(number: u64, value: u32) -> Segment {
    Segment::StampedData {
        flags: DataFlags::NONE,
        len: MSS as u16,
        window: 0,
        stamps: Stamps { value, echo: 0 },
        seq: number * MSS,
        sent: Ps::ZERO,
    }
}

#[test]
fn a_receiver_echoes_the_last_segment_in_order_and_refuses_older_stamps() {
    let mut r = TcpReceiver::with_phases(&stamped(Recovery::Sack), Ps::ZERO, Ps::from_ms(5));
    let mut answer = |number, value| {
        let outcome = r.on_segment(Ps::from_ms(37), &data(number, value));
        let ack = r.poll_ack(Ps::from_ms(37)).unwrap();
        (
            ack.ack() / MSS,
            ack.stamps().unwrap().echo,
            outcome.duplicate,
            ack.option_bytes(),
        )
    };
    assert_eq!(answer(0, 5), (1, 5, 0, 12));
    // Two blocks above a gap in succession: options of 4 + 8 and 4 + 16 bytes.
    assert_eq!(answer(2, 7), (1, 5, 0, 24));
    assert_eq!(answer(4, 7), (1, 5, 0, 32));
    assert_eq!(answer(1, 9), (3, 9, 0, 24));
    // An old copy of segment 3 arrives. Its data are new, but PAWS drops the segment, and it is acknowledged
    // (section 5.3 R1).
    assert_eq!(answer(3, 8), (3, 9, MSS, 24));
    assert_eq!(answer(3, 9), (5, 9, 0, 12));
    // The clock ticks at 5, 15, 25 and 35 ms.
    r.on_segment(Ps::from_ms(37), &data(5, 9));
    let ack = r.poll_ack(Ps::from_ms(37)).unwrap();
    assert_eq!(ack.stamps(), Some(Stamps { value: 4, echo: 9 }));
    let stats = r.stats();
    assert_eq!(
        (stats.delivered_bytes, stats.duplicate_bytes),
        (6 * MSS, MSS)
    );
}

#[test]
fn a_delayed_acknowledgement_echoes_the_first_of_its_segments() {
    let delayed = TcpConfig {
        delayed_ack: true,
        ..stamped(Recovery::Reno)
    };
    let mut r = TcpReceiver::new(&delayed);
    r.on_segment(Ps::from_ms(1), &data(0, 3));
    assert_eq!(r.poll_ack(Ps::from_ms(1)), None);
    r.on_segment(Ps::from_ms(2), &data(1, 4));
    let ack = r.poll_ack(Ps::from_ms(2)).unwrap();
    assert_eq!((ack.ack(), ack.stamps().unwrap().echo), (2 * MSS, 3));
}

fn opened() -> TcpConfig {
    TcpConfig {
        connection_setup: true,
        ..stamped(Recovery::Sack)
    }
}

#[test]
fn the_set_up_agrees_on_time_stamps_and_measures_also_a_second_syn() {
    let (mut s, mut r) = (
        TcpSender::new(&opened(), Ps::ZERO),
        TcpReceiver::new(&opened()),
    );
    s.open();
    s.supply(u64::MAX);
    let syn = s.poll_segment(Ps::from_ms(100)).unwrap();
    // MSS, SACK-permitted with time stamps, window scale.
    assert_eq!(
        (syn.stamps(), syn.option_bytes()),
        (Some(Stamps { value: 11, echo: 0 }), 20)
    );
    // The SYN is lost; the second SYN is sent after a timeout of 100 ms, when the clock shows 21.
    s.on_timer(Ps::from_ms(200));
    let syn = s.poll_segment(Ps::from_ms(200)).unwrap();
    r.on_segment(Ps::from_ms(230), &syn);
    let answer = r.poll_ack(Ps::from_ms(230)).unwrap();
    assert_eq!(
        answer.stamps(),
        Some(Stamps {
            value: 24,
            echo: 21
        })
    );
    // 5 ticks: counter 6, RTO = 6 + 12 ticks.
    s.on_ack(Ps::from_ms(250), &answer);
    assert_eq!((s.rto(), s.stats().rtt_samples), (Ps::from_ms(180), 1));
    let last = s.poll_segment(Ps::from_ms(250)).unwrap();
    assert_eq!(last.handshake(), Some(Handshake::Ack { seq: 0 }));
    assert_eq!(
        last.stamps(),
        Some(Stamps {
            value: 26,
            echo: 24
        })
    );
    assert!(s.poll_segment(Ps::from_ms(250)).unwrap().stamps().is_some());
}

#[test]
fn an_end_without_time_stamps_keeps_both_from_them() {
    let (mut s, mut r) = (
        TcpSender::new(&opened(), Ps::ZERO),
        TcpReceiver::new(&opened()),
    );
    s.open();
    s.supply(u64::MAX);
    s.poll_segment(Ps::from_ms(1)).unwrap();
    let without = SynOptions {
        timestamps: false,
        ..opened().syn_options()
    };
    let setup = |handshake| Segment::Setup {
        handshake,
        sent: Ps::ZERO,
        window: 64_000,
    };
    s.on_ack(Ps::from_ms(2), &setup(Handshake::SynAck(without)));
    let sent: Vec<_> = core::iter::from_fn(|| s.poll_segment(Ps::from_ms(2))).collect();
    assert!(sent.iter().all(|segment| segment.stamps().is_none()) && sent.len() == 5);
    r.on_segment(Ps::from_ms(2), &setup(Handshake::Syn(without)));
    assert_eq!(r.poll_ack(Ps::from_ms(2)).unwrap().stamps(), None);
    r.on_segment(Ps::from_ms(3), &Segment::data(0, 10));
    assert_eq!(r.poll_ack(Ps::from_ms(3)).unwrap().stamps(), None);
}

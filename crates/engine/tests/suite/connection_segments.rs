//! Both ends of a connection that is set up: the effect of each lost segment, and the round trips
//! that are measured.

use cellrate_engine::kernel::Ps;
use cellrate_engine::kernel::units::Bytes;
use cellrate_engine::tcp::{Handshake, Segment, TcpConfig, TcpEvent, TcpReceiver, TcpSender};

fn config() -> TcpConfig {
    TcpConfig {
        connection_setup: true,
        mss: Bytes(1_000),
        ..TcpConfig::default()
    }
}

/// The next segment that the sender may send, which must be the only one.
fn only(sender: &mut TcpSender, now: Ps) -> Segment {
    let sent: Vec<Segment> = std::iter::from_fn(|| sender.poll_segment(now)).collect();
    assert_eq!(sent.len(), 1, "{sent:?}");
    sent[0]
}

/// A sender with data that has requested a connection at time zero, and the segment that it sent.
fn opened(config: &TcpConfig) -> (TcpSender, Segment) {
    let mut sender = TcpSender::new(config, Ps::ZERO);
    sender.supply(u64::MAX);
    assert_eq!(sender.poll_segment(Ps::ZERO), None);
    sender.open();
    let syn = only(&mut sender, Ps::ZERO);
    (sender, syn)
}

fn answer(receiver: &mut TcpReceiver, at: Ps, segment: &Segment) -> Option<Segment> {
    receiver.on_segment(at, segment);
    let answer = receiver.poll_ack(at);
    assert_eq!(receiver.poll_ack(at), None);
    answer
}

#[test]
fn the_round_trip_of_the_syn_is_the_first_sample() {
    let config = TcpConfig {
        granularity: Ps::from_ms(10),
        min_rto: Ps::from_ms(10),
        initial_window: 4,
        ..config()
    };
    let ((mut s, syn), mut r) = (opened(&config), TcpReceiver::new(&config));
    assert_eq!(
        (s.is_open(), s.srtt(), s.next_timer()),
        (false, None, Ps::from_s(3))
    );
    let syn_ack = answer(&mut r, Ps::from_ms(50), &syn).unwrap();
    s.on_ack(Ps::from_ms(100), &syn_ack);
    // Ten ticks: counter 11; srtt = 11 ticks, rttvar = 22 quarters, so RTO = 11 + 22 ticks.
    assert_eq!(
        (s.srtt(), s.rto(), s.stats().rtt_samples),
        (Some(Ps::from_ms(110)), Ps::from_ms(330), 1)
    );
    assert_eq!((s.rwnd(), s.next_timer()), (65_535, Ps::NEVER));
    let sent: Vec<Segment> = std::iter::from_fn(|| s.poll_segment(Ps::from_ms(100))).collect();
    assert_eq!(sent[0].handshake(), Some(Handshake::Ack { seq: 0 }));
    assert_eq!(
        sent[1..]
            .iter()
            .map(|segment| segment.sequence().unwrap())
            .collect::<Vec<_>>(),
        [0, 1_000, 2_000, 3_000]
    );
    // Neither counts among the segments with payload.
    assert_eq!(
        (
            s.stats().segments_sent,
            s.stats().segments_retransmitted,
            s.stats().timeouts
        ),
        (4, 0, 0)
    );
    // The window is that of the SYN-ACK until the first acknowledgement with a scaled one.
    assert_eq!(answer(&mut r, Ps::from_ms(150), &sent[0]), None);
    assert_eq!(r.next_timer(), Ps::NEVER);
    let ack = answer(&mut r, Ps::from_ms(150), &sent[1]).unwrap();
    s.on_ack(Ps::from_ms(200), &ack);
    assert_eq!((ack.window(), s.rwnd()), (Some(65_536), 65_536));
}

#[test]
fn with_transmission_excluded_the_round_trip_and_the_timer_begin_with_the_last_cell() {
    let granularity = Ps::from_ms(10);
    let config = TcpConfig {
        granularity,
        min_rto: granularity,
        rtt_excludes_transmission: true,
        ..config()
    };
    let ((mut s, syn), mut r) = (opened(&config), TcpReceiver::new(&config));
    assert_eq!(s.next_timer(), Ps::NEVER);
    s.on_transmitted(Ps::from_ms(40), &syn);
    assert_eq!(s.next_timer(), Ps::from_ms(3_040));
    let syn_ack = answer(&mut r, Ps::from_ms(70), &syn).unwrap();
    s.on_ack(Ps::from_ms(100), &syn_ack);
    // Six ticks: counter 7.
    assert_eq!(s.srtt(), Some(Ps::from_ms(70)));
}

#[test]
fn a_lost_syn_is_sent_again_with_backoff_and_its_round_trip_is_not_measured() {
    let config = TcpConfig {
        initial_window: 4,
        ..config()
    };
    let ((mut s, _), mut r) = (opened(&config), TcpReceiver::new(&config));
    // Six ticks of 500 ms, then twelve, then 24.
    assert_eq!(s.next_timer(), Ps::from_s(3));
    assert_eq!(
        s.on_timer(Ps::from_s(3)),
        Some(TcpEvent::SynTimeout { backoff: 1 })
    );
    let again = only(&mut s, Ps::from_s(3));
    assert!(s.is_repetition(&again, s.snd_max()));
    assert_eq!(s.next_timer(), Ps::from_s(9));
    assert_eq!(
        s.on_timer(Ps::from_s(9)),
        Some(TcpEvent::SynTimeout { backoff: 2 })
    );
    let again = only(&mut s, Ps::from_s(9));
    assert_eq!(s.next_timer(), Ps::from_s(21));
    let syn_ack = answer(&mut r, Ps::from_ms(9_050), &again).unwrap();
    s.on_ack(Ps::from_ms(9_100), &syn_ack);
    let first: Vec<Segment> = std::iter::from_fn(|| s.poll_segment(Ps::from_ms(9_100))).collect();
    // An initial window of one segment (RFC 5681 section 3.1); the timeout stays backed off: 24
    // ticks from 9.1 s on.
    assert_eq!(
        (first.len(), first[1].payload(), s.cwnd()),
        (2, 1_000, 1_000)
    );
    assert_eq!(
        (
            s.srtt(),
            s.next_timer(),
            s.stats().timeouts,
            s.stats().rtt_samples
        ),
        (None, Ps::from_s(21), 2, 0)
    );
    let ack = answer(&mut r, Ps::from_ms(9_150), &first[1]).unwrap();
    s.on_ack(Ps::from_ms(9_200), &ack);
    // No tick: counter 1, RTO of three ticks.
    assert_eq!((s.rto(), s.stats().rtt_samples), (Ps::from_ms(1_500), 1));
}

#[test]
fn a_lost_answer_is_sent_again_by_the_timer_or_for_another_syn() {
    let config = config();
    let ((mut s, syn), mut r) = (opened(&config), TcpReceiver::new(&config));
    let lost = answer(&mut r, Ps::from_ms(600), &syn).unwrap();
    assert!(!r.is_repetition(&lost));
    // Six ticks after that of 500 ms.
    assert_eq!(r.next_timer(), Ps::from_ms(3_500));
    s.on_timer(Ps::from_s(3));
    let again = only(&mut s, Ps::from_s(3));
    let second = answer(&mut r, Ps::from_ms(3_050), &again).unwrap();
    assert!(r.is_repetition(&second));
    assert_eq!(
        (second.handshake(), r.next_timer()),
        (lost.handshake(), Ps::from_s(6))
    );
    // It is lost as well. The next wait is twelve ticks.
    assert!(r.on_timer(Ps::from_s(6)));
    let third = r.poll_ack(Ps::from_s(6)).unwrap();
    assert_eq!(
        (third.handshake(), r.next_timer()),
        (lost.handshake(), Ps::from_s(12))
    );
    s.on_ack(Ps::from_ms(6_050), &third);
    assert!(s.is_open() && s.srtt().is_none());
}

#[test]
fn data_replace_a_lost_acknowledgement_and_without_data_the_answer_comes_again() {
    let config = TcpConfig {
        delayed_ack: true,
        ..config()
    };
    let ((mut s, syn), mut r) = (opened(&config), TcpReceiver::new(&config));
    let syn_ack = answer(&mut r, Ps::from_ms(50), &syn).unwrap();
    s.on_ack(Ps::from_ms(100), &syn_ack);
    let sent: Vec<Segment> = std::iter::from_fn(|| s.poll_segment(Ps::from_ms(100))).collect();
    // The ACK is lost. The acknowledgement of data is delayed to the tick as usual, and no other
    // answer is due.
    assert_eq!(answer(&mut r, Ps::from_ms(150), &sent[1]), None);
    assert_eq!(r.next_timer(), Ps::from_ms(200));
    assert!(!r.on_timer(Ps::from_ms(200)));
    assert_eq!(r.poll_ack(Ps::from_ms(200)).unwrap().ack(), 1_000);

    let (mut s, mut r) = (TcpSender::new(&config, Ps::ZERO), TcpReceiver::new(&config));
    s.open();
    let syn = only(&mut s, Ps::ZERO);
    let syn_ack = answer(&mut r, Ps::from_ms(50), &syn).unwrap();
    s.on_ack(Ps::from_ms(100), &syn_ack);
    only(&mut s, Ps::from_ms(100));
    assert!(r.on_timer(r.next_timer()));
    let again = r.poll_ack(Ps::from_s(3)).unwrap();
    // Meanwhile data were sent and lost: the ACK has the number of the next byte.
    s.supply(700);
    assert_eq!(only(&mut s, Ps::from_s(3)).payload(), 700);
    s.on_ack(Ps::from_ms(3_050), &again);
    let ack = only(&mut s, Ps::from_ms(3_050));
    assert_eq!(
        (ack.handshake(), s.is_repetition(&ack, s.snd_max())),
        (Some(Handshake::Ack { seq: 700 }), false)
    );
    assert_eq!(answer(&mut r, Ps::from_ms(3_100), &ack), None);
    assert_eq!(r.next_timer(), Ps::NEVER);
    // A late SYN is acknowledged (RFC 793 section 3.9).
    let late = answer(&mut r, Ps::from_s(4), &syn).unwrap();
    assert_eq!((late.handshake(), late.ack()), (None, 0));
}

#[test]
fn ecn_is_used_only_if_both_ends_can() {
    for (here, there) in [(true, true), (true, false), (false, true), (false, false)] {
        let with = |ecn| TcpConfig {
            ecn: Some(ecn),
            ..config()
        };
        let ((mut s, syn), mut r) = (opened(&with(here)), TcpReceiver::new(&with(there)));
        assert_eq!((syn.has_ece(), syn.has_cwr()), (here, here));
        let syn_ack = answer(&mut r, Ps::from_ms(1), &syn).unwrap();
        let both = here && there;
        assert_eq!((syn_ack.has_ece(), syn_ack.has_cwr()), (both, false));
        s.on_ack(Ps::from_ms(2), &syn_ack);
        let last = s.poll_segment(Ps::from_ms(2)).unwrap();
        let data = s.poll_segment(Ps::from_ms(2)).unwrap();
        assert_eq!((last.is_ect(), data.is_ect()), (false, both));
        answer(&mut r, Ps::from_ms(3), &last);
        r.on_packet(Ps::from_ms(3), &data, true);
        assert_eq!(r.poll_ack(Ps::from_ms(3)).unwrap().has_ece(), both);
    }
}

//! Both ends of a connection that is closed (RFC 9293 section 3.6): the states, and the effect of each lost
//! segment.

use cellrate_engine::kernel::Ps;
use cellrate_engine::kernel::units::Bytes;
use cellrate_engine::tcp::closing::State;
use cellrate_engine::tcp::{Handshake, Segment, TcpConfig, TcpReceiver, TcpSender};

/// Two segments of 1,000 bytes at once, and the initial timeout of 3 s in ticks of 500 ms.
fn config(timestamps: bool) -> TcpConfig {
    TcpConfig {
        connection_close: true,
        timestamps,
        mss: Bytes(1_000),
        initial_window: 2,
        ..TcpConfig::default()
    }
}

/// A connection with 1,500 bytes to be sent, and both segments.
fn begun(config: &TcpConfig) -> (TcpSender, TcpReceiver, [Segment; 2]) {
    let mut sender = TcpSender::new(config, Ps::ZERO);
    sender.supply_last(1_500);
    let sent = [(); 2].map(|()| sender.poll_segment(Ps::ZERO).unwrap());
    assert_eq!(sender.poll_segment(Ps::ZERO), None);
    (sender, TcpReceiver::new(config), sent)
}

/// Number, payload, acknowledgement and FIN of a segment.
fn fields(segment: &Segment) -> (u64, u32, u64, bool) {
    let sequence = segment.sequence().unwrap();
    (
        sequence,
        segment.payload(),
        segment.ack(),
        segment.has_fin(),
    )
}

/// The acknowledgement of a segment that arrives at `at`.
fn answer(receiver: &mut TcpReceiver, at: Ps, segment: &Segment) -> Option<Segment> {
    receiver.on_segment(at, segment);
    let answer = receiver.poll_ack(at);
    assert_eq!(receiver.poll_ack(at), None);
    answer
}

/// The answer of the sender to an acknowledgement.
fn hear(sender: &mut TcpSender, at: Ps, segment: &Segment) -> Option<Segment> {
    sender.on_ack(at, segment);
    let answer = sender.poll_segment(at);
    assert_eq!(sender.poll_segment(at), None);
    answer
}

fn states(sender: &TcpSender, receiver: &TcpReceiver, at: Ps) -> [State; 2] {
    [
        sender.closing_state(at).unwrap(),
        receiver.closing_state(at).unwrap(),
    ]
}

/// RFC 9293 figure 12, with the FIN of the source in the segment of its last bytes.
#[test]
fn three_segments_close_a_connection() {
    for timestamps in [false, true] {
        let (mut s, mut r, [first, last]) = begun(&config(timestamps));
        assert_eq!(fields(&first), (0, 1_000, 0, false));
        assert_eq!(fields(&last), (1_000, 500, 0, true));
        assert_eq!(
            states(&s, &r, Ps::ZERO),
            [State::FinWait1, State::Established]
        );
        let ack = answer(&mut r, Ps::from_ms(10), &first).unwrap();
        assert_eq!(fields(&ack), (0, 0, 1_000, false));
        let fin = answer(&mut r, Ps::from_ms(10), &last).unwrap();
        // The FIN of the source counts as byte 1,500, that of the destination as byte 0.
        assert_eq!(fields(&fin), (0, 0, 1_501, true));
        // Six ticks.
        assert_eq!(r.next_timer(), Ps::from_s(3));
        assert_eq!(hear(&mut s, Ps::from_ms(20), &ack), None);
        assert!(!s.is_done());
        let ack_of_fin = hear(&mut s, Ps::from_ms(20), &fin).unwrap();
        assert!(s.is_done() && s.next_timer() == Ps::NEVER);
        assert_eq!(fields(&ack_of_fin), (1_501, 0, 1, false));
        assert_eq!(ack_of_fin.stamps().is_some(), timestamps);
        assert_eq!(
            states(&s, &r, Ps::from_ms(20)),
            [State::TimeWait, State::LastAck]
        );
        assert_eq!(answer(&mut r, Ps::from_ms(30), &ack_of_fin), None);
        assert_eq!(
            states(&s, &r, Ps::from_ms(30)),
            [State::TimeWait, State::Closed]
        );
        assert_eq!(r.next_timer(), Ps::NEVER);
        assert_eq!((s.stats().segments_sent, s.snd_max()), (2, 1_500));
        assert_eq!(r.stats().delivered_bytes, 1_500);
        // 2 MSL of four minutes.
        assert_eq!(s.closing_state(Ps::from_s(241)), Some(State::Closed));
    }
}

/// The FIN comes again with its bytes, and counts only when the data before it have arrived.
#[test]
fn a_fin_waits_for_the_data_before_it_and_is_sent_again_with_its_own() {
    let (mut s, mut r, [first, last]) = begun(&config(false));
    let duplicate = answer(&mut r, Ps::from_ms(10), &last).unwrap();
    assert_eq!(fields(&duplicate), (0, 0, 0, false));
    assert_eq!(r.closing_state(Ps::from_ms(10)), Some(State::Established));
    let fin = answer(&mut r, Ps::from_ms(11), &first).unwrap();
    assert_eq!(fields(&fin), (0, 0, 1_501, true));

    // Both segments, or their acknowledgements, are lost.
    assert!(s.on_timer(Ps::from_s(3)).is_some());
    let again = s.poll_segment(Ps::from_s(3)).unwrap();
    assert_eq!(fields(&again), (0, 1_000, 0, false));
    let ack = {
        let mut r = TcpReceiver::new(&config(false));
        answer(&mut r, Ps::from_s(3), &again).unwrap()
    };
    let again = hear(&mut s, Ps::from_ms(3_010), &ack).unwrap();
    assert_eq!(fields(&again), (1_000, 500, 0, true));
    // In LAST-ACK each acknowledgement carries the FIN.
    let fin = answer(&mut r, Ps::from_ms(3_020), &again).unwrap();
    assert_eq!(fields(&fin), (0, 0, 1_501, true));
    assert!(r.is_repetition(&fin));
    assert!(hear(&mut s, Ps::from_ms(3_030), &fin).is_some());
}

/// The acknowledgement of the destination's FIN is lost twice: that FIN has a timer, which backs off, and
/// TIME-WAIT begins again with each.
#[test]
fn the_destination_repeats_its_fin_until_it_is_acknowledged() {
    for timestamps in [false, true] {
        let (mut s, mut r, sent) = begun(&config(timestamps));
        let fin = sent.map(|segment| answer(&mut r, Ps::from_ms(10), &segment))[1].unwrap();
        assert!(!r.is_repetition(&fin));
        assert!(hear(&mut s, Ps::from_ms(20), &fin).is_some());
        // Six ticks, then twelve.
        for (due, next) in [(3, 9), (9, 21)] {
            assert_eq!(r.next_timer(), Ps::from_s(due));
            assert!(r.on_timer(Ps::from_s(due)));
            let again = r.poll_ack(Ps::from_s(due)).unwrap();
            assert!(r.is_repetition(&again));
            assert_eq!(fields(&again), (0, 0, 1_501, true));
            assert_eq!(r.next_timer(), Ps::from_s(next));
            let ack = hear(&mut s, Ps::from_s(due), &again).unwrap();
            assert_eq!(ack.handshake(), Some(Handshake::AckOfFin { seq: 1_501 }));
        }
        assert_eq!(s.closing_state(Ps::from_s(248)), Some(State::TimeWait));
        // 9 s and 2 MSL: the source is closed and does not answer.
        assert_eq!(hear(&mut s, Ps::from_s(249), &fin), None);
    }
}

/// RFC 9293 figure 13: both ends close before they hear of the other.
#[test]
fn both_ends_may_close_at_once() {
    for timestamps in [false, true] {
        let (mut s, mut r, [first, last]) = begun(&config(timestamps));
        r.close();
        let early = r.poll_ack(Ps::ZERO).unwrap();
        assert_eq!(fields(&early), (0, 0, 0, true));
        let ack_of_fin = hear(&mut s, Ps::from_ms(10), &early).unwrap();
        assert_eq!(fields(&ack_of_fin), (1_501, 0, 1, false));
        assert_eq!(s.stats().dup_acks, 0);
        answer(&mut r, Ps::from_ms(10), &first);
        let ack = answer(&mut r, Ps::from_ms(10), &last).unwrap();
        assert_eq!(fields(&ack), (0, 0, 1_501, true));
        assert_eq!(
            states(&s, &r, Ps::from_ms(10)),
            [State::Closing, State::Closing]
        );
        // A copy of the last bytes acknowledges the FIN as well.
        assert!(s.on_timer(Ps::from_s(3)).is_some());
        let again = s.poll_segment(Ps::from_s(3)).unwrap();
        assert!(again.acknowledges_fin());
        assert!(hear(&mut s, Ps::from_s(3), &ack).is_some());
        let last = answer(&mut r, Ps::from_s(3), &again).unwrap();
        assert_eq!(
            states(&s, &r, Ps::from_s(3)),
            [State::TimeWait, State::TimeWait]
        );
        // Behind its FIN the destination has the number 1.
        assert_eq!(fields(&last), (1, 0, 1_501, false));
        assert_eq!(r.next_timer(), Ps::NEVER);
    }
}

/// A close of the destination alone leaves the other direction open (CLOSE-WAIT, FIN-WAIT-2).
#[test]
fn data_go_on_after_the_other_end_has_closed() {
    let config = config(false);
    let (mut s, mut r) = (TcpSender::new(&config, Ps::ZERO), TcpReceiver::new(&config));
    r.close();
    let fin = r.poll_ack(Ps::ZERO).unwrap();
    let ack_of_fin = hear(&mut s, Ps::ZERO, &fin).unwrap();
    assert_eq!(fields(&ack_of_fin), (0, 0, 1, false));
    assert_eq!(answer(&mut r, Ps::ZERO, &ack_of_fin), None);
    assert_eq!(
        states(&s, &r, Ps::ZERO),
        [State::CloseWait, State::FinWait2]
    );
    s.supply(1_000);
    let data = s.poll_segment(Ps::ZERO).unwrap();
    assert_eq!(fields(&data), (0, 1_000, 1, false));
    let ack = answer(&mut r, Ps::ZERO, &data).unwrap();
    assert_eq!(fields(&ack), (1, 0, 1_000, false));
    assert_eq!(hear(&mut s, Ps::ZERO, &ack), None);
    s.supply_last(100);
    let last = s.poll_segment(Ps::ZERO).unwrap();
    assert_eq!(fields(&last), (1_000, 100, 1, true));
    let ack = answer(&mut r, Ps::ZERO, &last).unwrap();
    assert_eq!(fields(&ack), (1, 0, 1_101, false));
    assert_eq!(hear(&mut s, Ps::ZERO, &ack), None);
    assert_eq!(states(&s, &r, Ps::ZERO), [State::Closed, State::TimeWait]);
}

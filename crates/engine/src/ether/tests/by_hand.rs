//! Runs checked against values computed by hand: times, positions and completions of frames.

use super::*;

/// Two flows of six segments each go from one host to another at 1 Gbit/s over 1 us. A frame of 1,518 octets
/// is received after 12,208 ns, and the next frame leaves 12,304 ns after it. An acknowledgement of 64 octets
/// takes 576 ns. The first flow sends two frames before the second flow has a frame. Then both flows
/// alternate, and the tenth frame is the last frame of the first flow. With `tso` bursts of three or six
/// frames alternate instead.
#[test]
fn frames_of_a_burst_leave_back_to_back() {
    for (tso, last) in [(None, [10, 12]), (Some(3), [9, 12]), (Some(6), [6, 12])] {
        let rate = Rate::from_bps(GBPS);
        let mut plan = row(2, rate, Ps::from_us(1), u64::MAX, |there, back| {
            let mut flow = FlowPlan::new("tcp", transfer(6 * 1_460), there, back);
            flow.tcp.mss = Bytes(1_460);
            flow.tcp.initial_window = 6;
            flow.tcp.tso = tso.map(|segments: u64| Bytes(segments * 1_460));
            flow
        });
        plan.flows.push(FlowPlan {
            name: "other".into(),
            index: 2,
            ..plan.flows[0].clone()
        });
        let end = Ps::from_ms(1);
        let report = Simulation::new(plan).unwrap().measure(Ps::ZERO, end, end);
        let completions = report.flows.iter().map(|flow| flow.completion_seconds);
        let expected = last.map(|frame| {
            let ns = (frame - 1) * 12_304 + 12_208 + 576 + 2_000;
            Some(Ps::from_ns(ns).as_secs_f64())
        });
        assert_eq!(completions.collect::<Vec<_>>(), expected, "{tso:?}");
    }
}

/// The line of the host is as fast as the path, so segments wait for the line while cwnd permits them. Slow start
/// doubles cwnd in each round trip nevertheless: 10, 20 and 40 of 70 segments leave in three rounds. A round trip
/// is 4 x 10 ms, 2 x 12,208 ns of a frame and 2 x 576 ns of an acknowledgement. The last segment leaves 39 frames
/// of 12,304 ns after the begin of the third round.
#[test]
fn slow_start_doubles_cwnd_though_segments_wait_for_the_line() {
    use crate::tcp::recovery::Recovery;
    let doubling = |recovery: &&Recovery| !matches!(recovery.name(), "vegas" | "bbr");
    for recovery in Recovery::ALL.iter().filter(doubling) {
        let rate = Rate::from_bps(GBPS);
        let plan = row(3, rate, Ps::from_ms(10), u64::MAX, |there, back| {
            let mut flow = FlowPlan::new("tcp", transfer(70 * 1_460), there, back);
            flow.tcp.mss = Bytes(1_460);
            flow.tcp.window = Bytes(1 << 20);
            flow.tcp.initial_window = 10;
            flow.tcp.recovery = recovery.clone();
            flow
        });
        let end = Ps::from_s(1);
        let report = Simulation::new(plan).unwrap().measure(Ps::ZERO, end, end);
        let ns = 3 * (40_000_000 + 2 * 12_208 + 2 * 576) + 39 * 12_304;
        let expected = Some(Ps::from_ns(ns).as_secs_f64());
        let name = recovery.name();
        assert_eq!(report.flows[0].completion_seconds, expected, "{name}");
    }
}

/// One datagram in a frame of 1,518 octets crosses two links of 100 Gbit/s and 1 us. Each link takes (8 +
/// 1,518) x 80 ps and 1 us.
#[test]
fn a_datagram_takes_preamble_frame_and_propagation_at_each_link() {
    let slow = cbr(Rate::from_bps(1_000));
    let plan = row(
        3,
        Rate::from_bps(100 * GBPS),
        Ps::from_us(1),
        u64::MAX,
        |there, _| FlowPlan::new("one", slow.clone(), there, Vec::new()),
    );
    let report = Simulation::new(plan)
        .unwrap()
        .measure(Ps::ZERO, Ps::from_ms(1), Ps::from_ms(1));
    let flow = &report.flows[0];
    assert_eq!(
        (
            flow.packets_sent,
            flow.packets_delivered,
            flow.delivered_bytes
        ),
        (1, 1, 1_472)
    );
    assert_eq!(flow.packet_delay_mean_seconds, Some(2_244_160.0 * 1e-12));
    // The line of the switch is busy for 1,538 octets in a millisecond, and its queue holds 1,518 octets for
    // that time.
    let busy = 1_538.0 * 80.0 / 1e9;
    let port = &report.ports[0];
    assert!(
        (port.utilisation - busy).abs() < 1e-15,
        "{}",
        port.utilisation
    );
    assert!((port.queues[0].queue_mean_bytes - 1_518.0 * busy).abs() < 1e-9);
    assert_eq!(
        (port.queues[0].queue_max_bytes, report.packet_hops),
        (1_518, 2)
    );
}

/// A segment of 1,448 bytes with timestamps fills a frame of 1,518 octets. Its acknowledgement of 20 + 20 +
/// 12 octets fills a frame of 70. Each link of 100 Gbit/s takes 8 octets of preamble and the frame, at 80 ps,
/// and 1 us. Without timestamps the frames have 1,506 octets and, padded, 64.
#[test]
fn time_stamps_lengthen_every_frame_of_a_connection() {
    for (timestamps, octets) in [(true, 1_518 + 70), (false, 1_506 + 64)] {
        let tcp = TcpConfig {
            mss: Bytes(1_448),
            timestamps,
            ..TcpConfig::default()
        };
        let rate = Rate::from_bps(100 * GBPS);
        let plan = row(3, rate, Ps::from_us(1), u64::MAX, |there, back| FlowPlan {
            tcp: tcp.clone(),
            ..FlowPlan::new("one", transfer(1_448), there, back)
        });
        let end = Ps::from_ms(1);
        let report = Simulation::new(plan).unwrap().measure(Ps::ZERO, end, end);
        let expected = 2 * ((16 + octets) * 80 + 2_000_000);
        let found = report.flows[0].completion_seconds.unwrap();
        assert!((found - expected as f64 * 1e-12).abs() < 1e-15, "{found}");
    }
}

/// A frame of 1,518 octets behind 8 octets of preamble lasts 122,080 ps at 100 Gbit/s. Its first bit is on
/// the link of 1 us from 0 to 1,000,000 ps, its last bit from 122,080 to 1,122,080 ps. After that the switch
/// sends the frame.
#[test]
fn a_frame_lies_on_a_link_from_its_head_to_its_tail() {
    let slow = cbr(Rate::from_bps(1_000));
    let plan = row(
        3,
        Rate::from_bps(100 * GBPS),
        Ps::from_us(1),
        u64::MAX,
        |there, _| FlowPlan::new("one", slow.clone(), there, Vec::new()),
    );
    let mut simulation = Simulation::new(plan).unwrap();
    for (ps, link, head, tail) in [
        (61_040, 0, 0.061_04, 0.0),
        (622_080, 0, 0.622_08, 0.5),
        (1_061_040, 0, 1.0, 0.938_96),
        (1_200_000, 1, 0.077_92, 0.0),
        (1_744_160, 1, 0.622_08, 0.5),
    ] {
        simulation.run_until(Ps(ps));
        let [frame] = simulation.frames().collect::<Vec<_>>()[..] else {
            panic!("one frame at {ps} ps");
        };
        let (at_head, at_tail) = simulation.head_and_tail(&frame).unwrap();
        assert_eq!((frame.link, frame.info.octets()), (link, 1_518));
        assert!(
            (at_head - head).abs() < 1e-9 && (at_tail - tail).abs() < 1e-9,
            "{ps} ps: {at_head} {at_tail}"
        );
    }
    simulation.run_until(Ps(2_244_161));
    assert_eq!(simulation.frames().count(), 0);
}

/// Frames begin every 123,040 ps and arrive 1,122,080 ps later at a port of 10 Gbit/s. The port needs
/// 1,230,400 ps for each frame. At 1,500,000 ps 13 frames have begun and 4 have arrived, one of which is in
/// transmission.
#[test]
fn frames_that_wait_are_held_by_the_port_they_wait_for() {
    let always = SourceConfig::Persistent(Default::default());
    let mut plan = row(
        3,
        Rate::from_bps(100 * GBPS),
        Ps::from_us(1),
        u64::MAX,
        |there, _| FlowPlan::new("one", always.clone(), there, Vec::new()),
    );
    plan.links[1].rate = Rate::from_bps(10 * GBPS);
    let mut simulation = Simulation::new(plan).unwrap();
    simulation.run_until(Ps(1_500_000));
    let on = |link: usize, waits: bool| {
        let frames = simulation.frames();
        let here = frames.filter(|frame| frame.link == link && frame.arrives.is_none() == waits);
        here.count()
    };
    assert_eq!([on(0, false), on(1, false), on(1, true)], [9, 1, 3]);
    assert_eq!(simulation.received(0), 0);
}

/// 222 segments of 8,960 bytes leave at once over six links of 100 Gbit/s and 1 us. The last segment begins
/// after 221 x 9,038 octets of 80 ps. Each link takes 9,026 octets for its frame and 1 us. On the way back
/// each link takes 72 octets for the acknowledgement in the shortest frame, and 1 us. The sum is 176.158880
/// us.
#[test]
fn a_transfer_without_congestion_ends_when_it_must() {
    let tcp = TcpConfig {
        mss: Bytes(8_960),
        window: Bytes(4 << 20),
        initial_window: 300,
        ..TcpConfig::default()
    };
    let plan = row(
        7,
        Rate::from_bps(100 * GBPS),
        Ps::from_us(1),
        u64::MAX,
        |there, back| FlowPlan {
            tcp: tcp.clone(),
            ..FlowPlan::new("one", transfer(222 * 8_960), there, back)
        },
    );
    let report = Simulation::new(plan)
        .unwrap()
        .measure(Ps::ZERO, Ps::from_ms(1), Ps::from_ms(1));
    let ends = 221 * 9_038 * 80 + 6 * (9_026 * 80 + 1_000_000) + 6 * (72 * 80 + 1_000_000);
    assert_eq!(ends, 176_158_880);
    assert_eq!(
        report.flows[0].completion_seconds,
        Some(Ps(ends).as_secs_f64())
    );
    assert_eq!(
        report.totals.completion_p99_seconds,
        report.totals.completion_mean_seconds
    );
}

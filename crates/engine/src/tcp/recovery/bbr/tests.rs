use super::*;
use crate::tcp::recovery::RateSample;

const MSS: u64 = 1_000;

fn window() -> Window {
    Facts::of_test(10, 1_000_000).window
}

fn bbr() -> Bbr {
    Bbr::new(Facts::of_test(10, 1_000_000), &BbrConfig::DEFAULT)
}

/// A path of 1,000,000 bytes/s and 100 ms: the bandwidth-delay product (BDP) is 100,000 bytes. Each
/// acknowledgement ends a round and has a sample of `rate` bytes per second. `pipe` bytes are in flight before
/// and after the acknowledgement.
struct Path {
    now: Ps,
    delivered: u64,
    rate: f64,
    rtt: Ps,
    pipe: u64,
    lost: u64,
    app_limited: bool,
}

const PATH: Path = Path {
    now: Ps::ZERO,
    delivered: 0,
    rate: 1e6,
    rtt: Ps::from_ms(100),
    pipe: 100_000,
    lost: 0,
    app_limited: false,
};

impl Path {
    fn ack(&mut self, policy: &mut Bbr, w: &mut Window) {
        self.now += Ps::from_ms(101);
        let prior_delivered = self.delivered;
        self.delivered += 10 * MSS;
        let delivery = Delivery {
            rtt: Some(self.rtt),
            delivered: self.delivered,
            newly: 10 * MSS,
            lost: self.lost,
            pipe_before: self.pipe,
            pipe: self.pipe,
            rate: Some(RateSample {
                bytes_per_second: self.rate,
                prior_delivered,
                app_limited: self.app_limited,
            }),
        };
        let ack = Ack {
            now: self.now,
            snd_una: self.delivered,
            delivery: Some(delivery),
            ..Ack::default()
        };
        policy.on_ack(w, &ack);
    }
}

/// BBR in the state ProbeBW, after it has found rate and round trip of the path.
fn in_probe_bw() -> (Bbr, Window, Path) {
    let (mut policy, mut w, mut path) = (bbr(), window(), PATH);
    while policy.state != State::ProbeBw {
        path.ack(&mut policy, &mut w);
    }
    (policy, w, path)
}

#[test]
fn the_first_pace_assumes_a_millisecond_and_the_second_uses_the_first_round_trip() {
    let (mut policy, mut w) = (bbr(), window());
    // 2.89 * 10,000 bytes / 1 ms
    assert!((policy.pacing_rate - 28.9e6).abs() < 1.0);
    let mut path = Path { rate: 1e3, ..PATH };
    path.ack(&mut policy, &mut w);
    // 2.89 * 10,000 bytes / 100 ms = 289,000 > 2.89 * 1000 bytes/s
    assert!((policy.pacing_rate - 289e3).abs() < 1e-3);
}

#[test]
fn startup_ends_after_three_rounds_without_growth_by_a_quarter() {
    let (mut policy, mut w, mut path) = (bbr(), window(), PATH);
    for rate in [250e3, 500e3, 1e6, 1.2e6, 1.2e6] {
        path.rate = rate;
        path.ack(&mut policy, &mut w);
        assert_eq!(policy.state, State::Startup);
        assert!((policy.pacing_rate - 2.89 * rate).abs() < 1.0, "{rate}");
    }
    // This is the third round with less than 1.25 * 1,000,000 bytes/s. 150,000 bytes are more than the BDP of
    // 120,000 and three quanta of 1 ms at 1.2 Mbytes/s / 2.89.
    path.pipe = 150_000;
    path.ack(&mut policy, &mut w);
    assert_eq!((policy.state, policy.filled_pipe), (State::Drain, true));
    assert!((policy.pacing_rate - 1.2e6 / 2.89).abs() < 1.0);
    // 0.415 Mbytes/s are between 1.2 and 24 Mbit/s, so quanta have two segments: 126,000 bytes in
    // flight.
    path.pipe = 126_001;
    path.ack(&mut policy, &mut w);
    assert_eq!(policy.state, State::Drain);
    path.pipe = 126_000;
    path.ack(&mut policy, &mut w);
    assert_eq!((policy.state, policy.cwnd_gain), (State::ProbeBw, 2.0));
}

#[test]
fn limited_samples_neither_lower_the_rate_nor_end_startup() {
    let (mut policy, mut w, mut path) = (bbr(), window(), PATH);
    path.ack(&mut policy, &mut w);
    (path.rate, path.app_limited) = (1e3, true);
    (0..20).for_each(|_| path.ack(&mut policy, &mut w));
    assert_eq!((policy.btl_bw(), policy.filled_pipe), (1e6, false));
    // A higher sample counts although the application limited the sender.
    path.rate = 2e6;
    path.ack(&mut policy, &mut w);
    assert_eq!(policy.btl_bw(), 2e6);
}

#[test]
fn the_cycle_paces_above_then_below_then_at_the_rate_for_a_round_trip_each() {
    let (mut policy, mut w, mut path) = in_probe_bw();
    assert_ne!(policy.cycle_index, 1);
    while policy.cycle_index != 0 {
        path.ack(&mut policy, &mut w);
        path.pipe = 100_000;
    }
    // The pace is above the rate until 1.25 BDP and three quanta of two segments are in flight: 131,000 bytes.
    path.pipe = 130_999;
    path.ack(&mut policy, &mut w);
    assert_eq!((policy.cycle_index, policy.pacing_rate), (0, 1.25e6));
    path.pipe = 131_000;
    path.ack(&mut policy, &mut w);
    let mut paces = [0.0; 8];
    for pace in &mut paces {
        *pace = policy.pacing_rate;
        path.ack(&mut policy, &mut w);
    }
    assert_eq!(paces, [0.75e6, 1e6, 1e6, 1e6, 1e6, 1e6, 1e6, 1.25e6]);
}

#[test]
fn a_loss_ends_the_phase_above_the_rate() {
    let (mut policy, mut w, mut path) = in_probe_bw();
    while policy.cycle_index != 0 {
        path.ack(&mut policy, &mut w);
    }
    path.ack(&mut policy, &mut w);
    assert_eq!(policy.cycle_index, 0);
    path.lost = MSS;
    path.ack(&mut policy, &mut w);
    assert_eq!(policy.cycle_index, 1);
}

#[test]
fn a_round_trip_that_was_not_undercut_for_ten_seconds_is_measured_with_four_segments() {
    let (mut policy, mut w, mut path) = in_probe_bw();
    // The path has become longer: no later sample is as short as 100 ms.
    path.rtt = Ps::from_ms(120);
    let last = policy.rt_prop_stamp;
    while policy.state == State::ProbeBw {
        path.ack(&mut policy, &mut w);
    }
    let before = policy.prior_cwnd;
    assert!(path.now > last + Ps::from_s(10) && path.now <= last + Ps::from_ms(10_101));
    assert_eq!((w.cwnd, policy.rt_prop), (4 * MSS, path.rtt));
    assert!(policy.holds_back());
    // ProbeRTT lasts 200 ms and a round, counted from the time when four segments are in flight. Acknowledgements
    // come every 101 ms.
    path.pipe = 4 * MSS;
    path.ack(&mut policy, &mut w);
    let begun = path.now;
    while policy.state == State::ProbeRtt {
        path.ack(&mut policy, &mut w);
        assert!(w.cwnd == 4 * MSS || policy.state == State::ProbeBw);
    }
    assert_eq!(path.now, begun + Ps::from_ms(202));
    assert!(w.cwnd >= before && !policy.holds_back());
}

#[test]
fn a_recovery_conserves_packets_for_a_round_and_then_restores_the_window() {
    let (mut policy, mut w, mut path) = in_probe_bw();
    (0..30).for_each(|_| path.ack(&mut policy, &mut w));
    // 2 * 100,000 + 3 * 2,000.
    let before = w.cwnd;
    assert_eq!(before, 206_000);
    policy.on_selective_loss(&mut w, &Loss::default());
    path.pipe = 80_000;
    path.ack(&mut policy, &mut w);
    // The bytes in flight plus the delivered bytes.
    assert_eq!(w.cwnd, 90_000);
    path.ack(&mut policy, &mut w);
    assert_eq!(policy.recovering, Recovering::Later);
    policy.on_recovered(&mut w, &Ack::default());
    assert_eq!((w.cwnd, policy.recovering), (before, Recovering::No));
}

#[test]
fn a_timeout_leaves_one_segment_and_its_end_restores_the_window() {
    let (mut policy, mut w, mut path) = in_probe_bw();
    (0..30).for_each(|_| path.ack(&mut policy, &mut w));
    let before = w.cwnd;
    let loss = Loss {
        snd_max: path.delivered + 25 * MSS,
        ..Loss::default()
    };
    policy.on_timeout(&mut w, &loss);
    assert_eq!(w.cwnd, MSS);
    path.ack(&mut policy, &mut w);
    assert_eq!(w.cwnd, 11 * MSS);
    path.ack(&mut policy, &mut w);
    path.ack(&mut policy, &mut w);
    assert_eq!(w.cwnd, before);
}

#[test]
fn data_after_a_pause_are_sent_at_the_rate_of_the_path() {
    let (mut policy, mut w, mut path) = in_probe_bw();
    while policy.cycle_index != 0 {
        path.ack(&mut policy, &mut w);
    }
    assert_eq!(policy.pacing_rate, 1.25e6);
    policy.on_restart(Ps::ZERO);
    assert_eq!(policy.pacing_rate, 1e6);
    // The pause has measured the round trip, so ProbeRTT does not measure it again when the old value would
    // expire.
    path.now += Ps::from_s(20);
    path.rtt = Ps::from_ms(120);
    path.ack(&mut policy, &mut w);
    assert_eq!(policy.state, State::ProbeBw);
    assert!(!policy.restarts_slowly());
}

#[test]
fn a_flow_that_starts_late_begins_in_startup() {
    let (mut policy, mut w) = (bbr(), window());
    let mut path = Path {
        now: Ps::from_s(20),
        ..PATH
    };
    path.ack(&mut policy, &mut w);
    assert_eq!((policy.state, policy.rt_prop), (State::Startup, PATH.rtt));
    // From then on, ten seconds pass without a shorter round trip.
    path.rtt = Ps::from_ms(101);
    path.now += Ps::from_s(11);
    path.ack(&mut policy, &mut w);
    assert_eq!(policy.state, State::ProbeRtt);
}

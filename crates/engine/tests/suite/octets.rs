//! Frames of mixed sizes: control schemes, discard policies and credit that count in octets, with numbers
//! worked out by hand, and the closed forms of their steady states with one unit a cell and 1,000 a frame.
//!
//! The link carries 100 million octets/s, so that an interval of 1 ms has time for 100,000. Sizes are those
//! on the line: 84 octets for the least frame, 1,538 for 1,500 octets of payload, 9,038 for 9,000.

use std::collections::VecDeque;

use cellrate_engine::control::{Control, ControlConfig, PortFacts, SwitchControl};
use cellrate_engine::credit::{FcvcConfig, Loop, Receiver, Sender};
use cellrate_engine::discard::{Cause, DiscardConfig, DiscardPolicy, Verdict};
use cellrate_engine::kernel::{Ps, Rate, ServiceRate};
use cellrate_engine::passing::{Contents, Passing, RateRecord};
use serde_json::{Value, json};

const SMALL: u32 = 84;
const LARGE: u32 = 1_538;
const JUMBO: u32 = 9_038;
/// A rate above every other.
const PCR: f64 = 1e12;

const LINE: Rate = Rate::from_bps(800_000_000);

fn record(er: f64, ccr: f64) -> RateRecord {
    RateRecord {
        er,
        ccr,
        mcr: 0.0,
        ci: false,
        ni: false,
        bn: false,
    }
}

fn build(parameters: Value, rate: ServiceRate, channels: usize) -> Control {
    let config: ControlConfig = serde_json::from_value(parameters).expect("valid parameters");
    let seed = 0;
    config.build(PortFacts {
        rate,
        channels,
        seed,
    })
}

/// A port of the line, and the time at it: within the interval of 1 ms of this number.
struct Port {
    control: Control,
    interval: u64,
}

impl Port {
    fn new(parameters: Value, channels: usize) -> Port {
        Port {
            control: build(parameters, ServiceRate::of_octets(LINE), channels),
            interval: 0,
        }
    }
    fn now(&self) -> Ps {
        Ps::from_us(self.interval * 1_000 + 500)
    }
    fn frames(&mut self, slot: u32, count: u32, octets: u32) {
        for _ in 0..count {
            let mut frame = Passing::new(Contents::Data, octets, true);
            let now = self.now();
            self.control.on_forward(now, slot, &mut frame, None, 0);
        }
    }
    /// The least frame, which carries a record of the channel's rate. Returns the explicit rate that
    /// the port leaves in it.
    fn forward(&mut self, slot: u32, ccr: f64) -> f64 {
        let mut frame = Passing::new(Contents::Forward, SMALL, false);
        let (now, mut record) = (self.now(), record(PCR, ccr));
        self.control
            .on_forward(now, slot, &mut frame, Some(&mut record), 0);
        record.er
    }
    fn background(&mut self, count: u32, octets: u32) {
        let now = self.now();
        (0..count).for_each(|_| self.control.on_background(now, octets.into()));
    }
    fn end(&mut self, queue: u64) {
        self.interval += 1;
        let now = Ps::from_ms(self.interval);
        assert_eq!(self.control.wake_at(), now);
        self.control.wake(now, queue, 0);
    }
    fn back(&mut self, slot: u32, er: f64, queue: u64) -> RateRecord {
        let (now, mut record) = (self.now(), record(er, 0.0));
        self.control.on_backward(now, slot, &mut record, queue);
        record
    }
    fn statistic(&self, name: &str) -> f64 {
        let found = self.control.statistics().into_iter();
        let mut found = found.filter(|(known, _)| *known == name);
        found.next().unwrap_or_else(|| panic!("no {name}")).1
    }
}

/// Asserts that two numbers are equal up to a relative error of 1e-9.
fn near(found: f64, expected: f64) {
    within(found, expected, 1e-9);
}

fn within(found: f64, expected: f64, share: f64) {
    assert!(
        (found - expected).abs() <= share * expected.abs(),
        "{found} is not {expected}"
    );
}

#[test]
fn erica_shares_octets_and_not_frames() {
    let erica = json!({ "scheme": "erica", "target_utilisation": 1.0, "interval_cells": "1000000 cells", "delta": 0.0 });
    let mut port = Port::new(erica, 2);
    // 60 * 1,538 + 84 octets, 300 * 84 + 84 octets, and 10 * 1,538 of other classes.
    port.frames(0, 60, LARGE);
    port.forward(0, 92.364e6);
    port.frames(1, 300, SMALL);
    port.forward(1, 25.284e6);
    port.background(10, LARGE);
    port.end(0);
    // Input 92,364 + 25,284 = 117,648; capacity 100,000 - 15,380 = 84,620; fair share 42,310 in 1 ms.
    near(port.statistic("load_factor"), 117_648.0 / 84_620.0);
    near(port.back(0, PCR, 0).er, 92.364e6 * 84_620.0 / 117_648.0);
    near(port.back(1, PCR, 0).er, 42.31e6);
}

#[test]
fn erica_measures_rates_and_ends_intervals_by_octets() {
    let erica = json!({ "scheme": "erica", "target_utilisation": 1.0, "interval_cells": "3000 cells", "per_vc_ccr": true,
        "delta": 10.0, "max_alloc": false });
    let mut control = build(erica, ServiceRate::of_octets(LINE), 2);
    let mut arrive = |us: u64, slot: u32, octets: u32| {
        let mut frame = Passing::new(Contents::Data, octets, true);
        let now = Ps::from_us(us);
        let reads = control.reads_at(now, octets.into());
        control.on_forward(now, slot, &mut frame, None, 0);
        reads
    };
    // 1,538, 2,922 and 3,006 octets: the third frame ends the interval of 30 us.
    assert!(!arrive(10, 0, LARGE));
    assert!(!arrive(20, 0, 1_384));
    assert!(arrive(30, 1, SMALL));
    // Load 3,006 / 3,000; the first channel has sent 2,922 octets in 30 us, 97.4 million/s.
    let mut back = record(PCR, 0.0);
    control.on_backward(Ps::from_us(31), 0, &mut back, 0);
    near(back.er, 97.4e6 * 3_000.0 / 3_006.0);
}

#[test]
fn fmmra_subtracts_octets_of_channels_bottlenecked_elsewhere() {
    let fmmra = json!({ "scheme": "fmmra", "interval_cells": "1000000 cells", "qt": "10000 cells", "dqt": "100000 cells" });
    let mut port = Port::new(fmmra, 3);
    // 10 million octets/s are less than a third of the link.
    assert_eq!(port.back(0, 10e6, 0).er, 10e6);
    near(port.statistic("advertised_rate_cells_per_second"), 45e6);
    // 20 large frames of other classes leave 100,000 - 30,760 = 69,240; input 76,900 + 2,352.
    port.frames(1, 50, LARGE);
    port.frames(2, 28, SMALL);
    port.background(20, LARGE);
    port.end(0);
    near(port.statistic("load_factor"), 79_252.0 / 69_240.0);
    // (69.24 - 10) / 2 for the others, while overload has a queue of QT octets; else up to the link.
    near(port.back(1, PCR, 10_000).er, 29.62e6);
    near(port.back(1, PCR, 9_999).er, 100e6);
}

/// Marks of samples of queues in octets, each with the frame of 1,538 octets in service: `+` none, `=` NI,
/// `-` CI.
fn samples(law: &str, others: Value, queues: &[u64]) -> String {
    let mut parameters = json!({ "scheme": law, "sampling": "1000 cells", "low": "3000 cells", "high": "15000 cells" });
    parameters
        .as_object_mut()
        .unwrap()
        .extend(others.as_object().unwrap().clone());
    let mut port = Port::new(parameters, 1);
    let told = queues.iter().map(|queue| {
        let now = port.control.wake_at();
        port.control
            .wake(now, queue + u64::from(LARGE), LARGE.into());
        match port.back(0, PCR, 0) {
            RateRecord { ci: true, .. } => '-',
            RateRecord { ni: true, .. } => '=',
            _ => '+',
        }
    });
    told.collect()
}

#[test]
fn p_pd_and_pid_compare_octets_behind_the_frame_in_service() {
    let queues = [2_999, 3_000, 14_999, 15_000, 2_999];
    assert_eq!(samples("rrm-p", json!({}), &queues), "+==-+");
    // Changes of up to 1,518 octets count as none: +2,000, +900, +17,100, -4,000, -1,000.
    let queues = [2_000, 2_900, 20_000, 16_000, 15_000];
    let epsilon = json!({ "epsilon": "1518 cells" });
    assert_eq!(samples("rrm-pd", epsilon, &queues), "=+-=-");
    // Means with alpha 1/2: 10,000, then 13,000 at a fall of 4,000; a fall of 1,000 leaves the queue.
    let queues = [20_000, 16_000, 15_000];
    let half = json!({ "epsilon": "1518 cells", "alpha": 0.5 });
    assert_eq!(samples("rrm-pid", half, &queues), "-=-");
}

#[test]
fn a_frame_in_service_is_left_out_as_a_whole() {
    let p = json!({ "scheme": "rrm-p", "sampling": "1000 cells", "low": "3000 cells", "high": "15000 cells" });
    for (in_service, is_marked) in [(SMALL, true), (LARGE, false)] {
        let mut port = Port::new(p.clone(), 1);
        // 4,500 octets: 4,416 behind a small frame, 2,962 behind a large one.
        port.control.wake(Ps::from_us(10), 4_500, in_service.into());
        assert_eq!(port.back(0, PCR, 0).ni, is_marked);
    }
}

#[test]
fn samples_of_a_fraction_of_a_picosecond_keep_in_step() {
    // 100 octets at 3 Gbit/s: 800 / 3 ns.
    let rate = ServiceRate::of_octets(Rate::from_bps(3_000_000_000));
    let mut control = build(
        json!({ "scheme": "rrm-p", "sampling": "100 cells" }),
        rate,
        1,
    );
    let times = [0; 4].map(|_| {
        let at = control.wake_at();
        control.wake(at, 0, 0);
        at.0
    });
    assert_eq!(times, [266_666, 533_333, 800_000, 1_066_666]);
}

#[test]
fn ucsc_subtracts_octets_of_channels_bottlenecked_elsewhere() {
    let ucsc = json!({ "scheme": "ucsc", "target_utilisation": 1.0 });
    let mut port = Port::new(ucsc, 3);
    near(port.forward(0, 10e6), 100e6 / 3.0);
    near(port.forward(1, 60e6), 45e6);
    // 20 large frames of other classes leave 69.24 million octets/s.
    port.background(20, LARGE);
    port.end(0);
    near(port.forward(1, 45e6), 29.62e6);
}

#[test]
fn dmrca_compares_a_queue_in_octets_and_rates_in_octets() {
    let dmrca = json!({ "scheme": "dmrca", "qt": "3000 cells", "dqt": "13000 cells", "f_dqt": 0.25, "alpha": 1.0 });
    let mut port = Port::new(dmrca, 2);
    port.forward(0, 40e6);
    let mut er = |queue, ccr| {
        let mut back = record(PCR, ccr);
        port.control.on_backward(port.now(), 0, &mut back, queue);
        back.er
    };
    // Half of the way from 3,000 to 13,000 octets F is 0.625: 25 million octets/s.
    near(er(8_000, 25.1e6), 25e6);
    assert_eq!(er(8_000, 24.9e6), PCR);
    assert_eq!(er(3_000, 40e6), PCR);
    near(er(13_000, 24.9e6), 10e6);
}

#[test]
fn capc_steps_by_octets_and_never_below_ten_cells_of_them() {
    let capc = json!({ "scheme": "capc", "target_utilisation": 1.0, "rup": 0.1, "erf": 0.5, "threshold": "30000 cells" });
    let mut port = Port::new(capc, 4);
    // Input 30,760 + 2,520 = 33,280 octets, of the 69,240 that other classes leave.
    port.frames(0, 20, LARGE);
    port.frames(1, 30, SMALL);
    port.background(20, LARGE);
    port.end(0);
    let expected = 25e6 * (1.0 + 0.1 * (1.0 - 33_280.0 / 69_240.0));
    near(port.back(0, PCR, 30_000).er, expected);
    assert_eq!(
        [30_000, 30_001].map(|queue| port.back(0, PCR, queue).ci),
        [false, true]
    );
    // Without capacity the rate halves 30 times, down to 10 cells/s of 53 octets.
    for _ in 0..30 {
        port.background(12, JUMBO);
        port.end(0);
    }
    near(port.back(0, PCR, 0).er, 530.0);
}

#[test]
fn phantom_follows_the_octets_that_are_left() {
    let phantom = json!({ "scheme": "phantom", "utilisation_factor": 5.0, "alpha_inc": 0.0625, "alpha_dec": 0.25 });
    let mut port = Port::new(phantom, 2);
    // 15,380 + 3,360 octets and 18,076 of other classes leave 63,184.
    port.frames(0, 10, LARGE);
    port.frames(1, 40, SMALL);
    port.background(2, JUMBO);
    port.end(0);
    let before = 100e6 / 6.0;
    near(
        port.back(0, PCR, 0).er,
        5.0 * (before + 0.0625 * (63.184e6 - before)),
    );
}

/// Rates at which three greedy sources settle that obey the scheme, with a fifth of the link for another
/// class. The link carries 100,000 frames/s of `units` units each; intervals are 100 ms.
fn settled(scheme: &Value, units: u32) -> [f64; 3] {
    let line = Rate::from_bps(8 * 100_000 * u64::from(units));
    let mut control = build(scheme.clone(), ServiceRate::of_octets(line), 3);
    // The rate of each source, and the part of a frame that it owes from the interval before.
    let mut sources = [10.0, 200.0, 3_000.0].map(|rate| (rate * f64::from(units), 0.0));
    for interval in 0..100 {
        let now = Ps::from_ms(100 * interval + 50);
        let mut records = sources.map(|(rate, _)| record(PCR, rate));
        for ((slot, (rate, owed)), record) in (0..).zip(&mut sources).zip(&mut records) {
            *owed += *rate / f64::from(units) * 0.1;
            // The millionth keeps whole numbers whole.
            let frames = (*owed + 1e-6).floor();
            *owed -= frames;
            for frame in 0..frames as u64 {
                let contents = [Contents::Data, Contents::Forward][usize::from(frame == 0)];
                let record = (frame == 0).then_some(&mut *record);
                let mut passing = Passing::new(contents, units, true);
                control.on_forward(now, slot, &mut passing, record, 0);
            }
        }
        (0..2_000).for_each(|_| control.on_background(now, units.into()));
        let end = Ps::from_ms(100 * (interval + 1));
        control.wake(end, 0, units.into());
        for ((slot, (rate, _)), record) in (0..).zip(&mut sources).zip(&mut records) {
            control.on_backward(end, slot, record, 0);
            *rate = record.er;
        }
    }
    sources.map(|(rate, _)| rate)
}

#[test]
fn steady_states_are_the_closed_forms_in_every_unit() {
    let of = |scheme: &str, others: Value| {
        let mut parameters = json!({ "scheme": scheme, "interval": "100 ms" });
        parameters
            .as_object_mut()
            .unwrap()
            .extend(others.as_object().unwrap().clone());
        parameters
    };
    let uncounted = "1000000000000 cells";
    // Shares of the link. ERICA: (TU C - B) / n; FMMRA, UCSC and CAPC: TU (C - B) / n; Phantom: u (C - B) / (1 + n u).
    let cases = [
        (
            of(
                "erica",
                json!({ "target_utilisation": 0.95, "delta": 0.0, "interval_cells": uncounted }),
            ),
            (0.95 - 0.2) / 3.0,
        ),
        (
            of(
                "fmmra",
                json!({ "target_utilisation": 0.9, "interval_cells": uncounted, "er_max_floor": "advertised-rate" }),
            ),
            0.9 * 0.8 / 3.0,
        ),
        (
            of("ucsc", json!({ "target_utilisation": 0.9 })),
            0.9 * 0.8 / 3.0,
        ),
        (
            of("capc", json!({ "target_utilisation": 0.9 })),
            0.9 * 0.8 / 3.0,
        ),
        (
            of("phantom", json!({ "alpha_dec": 0.0625 })),
            5.0 * 0.8 / 16.0,
        ),
    ];
    for (scheme, share) in cases {
        let [cells, octets] = [1, 1_000].map(|units| settled(&scheme, units));
        for (cells, octets) in cells.into_iter().zip(octets) {
            within(cells, share * 1e5, 2e-3);
            within(octets, 1_000.0 * cells, 1e-9);
        }
    }
}

#[test]
fn relative_rates_are_the_same_in_every_unit() {
    // A queue that sweeps all regions of the thresholds, at changes from one cell to 100.
    let queue = |sample: u64| (sample * sample / 3 + 17 * sample) % 400;
    for law in ["rrm-p", "rrm-pd", "rrm-pd-plus", "rrm-pid"] {
        let marks = [1, 1_000].map(|units| {
            let cells = |count: u64| format!("{} cells", count * units);
            let mut parameters =
                json!({ "scheme": law, "sampling": cells(50), "low": cells(100), "high": cells(200) });
            if law != "rrm-p" {
                parameters["epsilon"] = cells(5).into();
            }
            if law == "rrm-pd-plus" {
                parameters["beta"] = cells(80).into();
            }
            let line = Rate::from_bps(8 * 100_000 * units);
            let mut control = build(parameters, ServiceRate::of_octets(line), 1);
            let marks: Vec<(Ps, bool, bool)> = (0..500)
                .map(|sample| {
                    let at = control.wake_at();
                    control.wake(at, queue(sample) * units, units);
                    let mut back = record(PCR, 0.0);
                    control.on_backward(at, 0, &mut back, 0);
                    (at, back.ci, back.ni)
                })
                .collect();
            marks
        });
        assert_eq!(marks[0], marks[1], "{law}");
        assert_eq!(marks[0][1].0, Ps::from_us(1_000), "{law}");
        let kinds = [(false, false), (false, true), (true, false)];
        assert!(
            kinds
                .iter()
                .all(|kind| marks[0].iter().any(|mark| (mark.1, mark.2) == *kind)),
            "{law}"
        );
    }
}

// ---- discard policies

/// Decisions on whole frames: `.` accepted, `O` overflow, `E` refused.
fn decide(parameters: Value, buffer: u64, frames: &[(u32, u32, u64)]) -> String {
    let config: DiscardConfig = serde_json::from_value(parameters).expect("valid parameters");
    let mut policy = config.build(2);
    let letter = |(slot, octets, queue): &(u32, u32, u64)| {
        let frame = Passing::new(Contents::Data, *octets, true);
        match policy.admit(Ps::ZERO, *slot, frame, *queue, buffer) {
            Verdict::Accept => '.',
            Verdict::Drop(Cause::Overflow) => 'O',
            Verdict::Drop(Cause::EarlyPacket) => 'E',
            Verdict::Drop(cause) => panic!("a frame was dropped for {cause:?}"),
        }
    };
    frames.iter().map(letter).collect()
}

#[test]
fn a_frame_is_refused_if_the_whole_of_it_does_not_fit() {
    // 1,462 + 1,538 = 3,000; a small frame fits up to 2,916.
    let frames = [
        (0, LARGE, 1_462),
        (0, LARGE, 1_463),
        (0, SMALL, 2_916),
        (0, SMALL, 2_917),
    ];
    for policy in ["tail-drop", "ppd"] {
        let found = decide(json!({ "policy": policy }), 3_000, &frames);
        assert_eq!(found, ".O.O", "{policy}");
    }
    let epd = json!({ "policy": "epd", "threshold": "1462 cells" });
    assert_eq!(decide(epd, 3_000, &frames), ".EEE");
}

#[test]
fn shares_of_a_queue_are_octets() {
    // 1,538 octets in one frame and 840 in ten: 2 * 1,538 / 2,378 = 1.29 and 2 * 840 / 2,378 = 0.71.
    let drop = json!({ "policy": "selective-drop", "threshold": "2377 cells", "z": 0.8 });
    let mut frames = vec![(0, LARGE, 0)];
    frames.extend((0..10).map(|frame| (1, SMALL, 1_538 + 84 * frame)));
    let held = frames.len();
    for (slot, verdict) in [(0, 'E'), (1, '.')] {
        frames.truncate(held);
        frames.push((slot, SMALL, 2_378));
        let found = decide(drop.clone(), 10_000, &frames);
        assert_eq!(found, format!("{}{verdict}", ".".repeat(held)));
    }
}

// ---- credit

#[test]
fn credit_is_for_octets() {
    let (n2, n3) = (3_000, 1_600);
    let (mut sender, mut receiver) = (Sender::new(n2 + n3), Receiver::new(n2, n2 + n3));
    (0..2).for_each(|_| sender.send(LARGE));
    // 4,600 - 3,076 = 1,524 octets are left: too few for a large frame.
    assert_eq!(
        [LARGE, 1_524, SMALL].map(|octets| sender.allows(octets)),
        [false, true, true]
    );
    sender.send(SMALL);
    // Credit is due with the second frame, when 3,076 octets have been forwarded.
    assert_eq!(receiver.forward(LARGE), None);
    let limit = receiver.forward(LARGE).expect("a credit is due");
    sender.set_limit(limit);
    assert_eq!(sender.balance(), 4_600 - SMALL);
    // A frame of 84 octets is lost: a mark finds it.
    assert_eq!(receiver.repair(sender.sent(), 0), SMALL);
}

#[test]
fn a_buffer_of_octets_holds_a_round_trip() {
    let (rate, back_rate) = (
        ServiceRate::of_octets(LINE),
        ServiceRate::of_octets(Rate::from_bps(80_000_000)),
    );
    let delay = Ps::from_us(100);
    let link = Loop {
        rate,
        back_rate,
        delay,
        largest: LARGE,
        credit: SMALL,
    };
    // 100 us, 1,538 octets in 15.38 us, 84 octets in 8.4 us: 12,378 octets at 100 million/s.
    assert_eq!(
        link.round_trip(),
        Ps::from_us(100) + Ps(15_380_000) + Ps(8_400_000)
    );
    let config: FcvcConfig = serde_json::from_value(json!({ "n2": "3000 cells" })).unwrap();
    assert_eq!(config.static_allocation(link), 3_000 + 12_378);
    assert_eq!(config.memory_in_force(link, 5), 4 * 12_378 + 2 * 5 * 1_538);
}

/// Units that a greedy channel sends from `end / 2` to `end` over one link of one unit per tick, with the
/// units of each frame by its number. The far end forwards each frame when it is there as a whole, on a
/// line as fast, and credits of `credit` units come back over a line of the same length.
fn carried(
    (n2, n3): (u32, u32),
    (delay, credit): (u64, u32),
    end: u64,
    size: impl Fn(u64) -> u32,
) -> u64 {
    let (mut sender, mut receiver) = (Sender::new(n2 + n3), Receiver::new(n2, n2 + n3));
    let mut credits: VecDeque<(u64, u32)> = VecDeque::new();
    let (mut free, mut onward_free, mut back_free, mut carried) = (0, 0, 0, 0);
    for number in 0.. {
        let units = size(number);
        while let Some((at, limit)) = credits.front().copied()
            && (at <= free || !sender.allows(units))
        {
            credits.pop_front();
            free = free.max(at);
            sender.set_limit(limit);
        }
        assert!(sender.allows(units), "the channel stalls at frame {number}");
        if free >= end {
            break;
        }
        carried += if free >= end / 2 { u64::from(units) } else { 0 };
        sender.send(units);
        free += u64::from(units);
        onward_free = onward_free.max(free + delay) + u64::from(units);
        if let Some(limit) = receiver.forward(units) {
            back_free = back_free.max(onward_free) + u64::from(credit);
            credits.push_back((back_free + delay, limit));
        }
    }
    carried
}

/// Gerla et al. and Kung, Blackwell and Chapman: see `credit::the_rate_is_what_the_buffer_allows`.
#[test]
fn the_rate_under_credit_is_the_closed_form_in_every_unit() {
    for delay in [0, 1, 3, 17, 100] {
        for (n2, n3) in [(10, 1), (10, 5), (4, 2), (1, 3), (10, 8), (7, 20), (16, 64)] {
            let (m, r, rtt) = (n3 / n2, n3 % n2, 2 * delay + 2);
            let (cells, time) = ((m + 1) * n2, n2 - r + rtt);
            let expected = 4_000 * cells.min(time) / time;
            let [by_cell, by_octet] = [1, 1_000].map(|units| {
                let buffer = (n2 as u32 * units, n3 as u32 * units);
                let ticks = u64::from(units);
                carried(buffer, (delay * ticks, units), 8_000 * ticks, |_| units)
            });
            let case = format!("N2 {n2}, N3 {n3}, {delay}");
            assert!(
                by_cell.abs_diff(expected) <= cells,
                "{case}: {by_cell}, not {expected}"
            );
            assert_eq!(by_octet, 1_000 * by_cell, "{case}");
            // The bound (N2 + N3) / (RTT + N2).
            assert!(
                by_cell * (rtt + n2) <= 4_000 * (n2 + n3) + cells * (rtt + n2),
                "{case}"
            );
        }
    }
}

#[test]
fn frames_of_mixed_sizes_never_stall_and_never_exceed_the_buffer_in_a_round_trip() {
    // N3 is the least that lets the largest frame go while N2 - 1 octets have no credit.
    let sizes = [LARGE, SMALL, SMALL, 600, LARGE, 1_200, SMALL, 333];
    for n2 in [1, 84, 1_000, 3_000, 10_000] {
        for (n3, delay) in [(LARGE - 1, 0), (LARGE - 1, 40_000), (5_000, 5_000)] {
            let end = 4_000_000;
            let size = |number: u64| sizes[(number * number % 11 % 8) as usize];
            let found = carried((n2, n3), (delay, SMALL), end, size);
            // Twice the propagation, and the credit; frames of mixed sizes are forwarded in less than the largest takes.
            let trip = 2 * delay + u64::from(SMALL);
            let most = (end / 2).min(u64::from(n2 + n3) * (end / 2 / trip + 1));
            assert!(
                found > 0 && found <= most + u64::from(LARGE),
                "{n2} {n3} {delay}: {found} > {most}"
            );
        }
    }
}

//! TIMELY against values computed by hand, and what holds after any sequence of completion events. Rates are in Mbit/s,
//! round trips in us.

use super::*;
use crate::kernel::Stream;

fn at(gbps: u64, config: TimelyConfig) -> Timely {
    let way = Way {
        line: Rate::from_bps(1_000_000_000 * gbps),
        hops: Vec::new(),
        round_trip: Ps::ZERO,
        packet: 1_000,
        payload: 1_000,
    };
    Timely::new(&config, &way)
}

/// A source at 10 Gbit/s that begins at 1,000 Mbit/s. Its decreases have no limit.
fn at_a_tenth(patched: bool) -> Timely {
    let config = TimelyConfig {
        patched,
        start: Some(Rate::from_bps(1_000_000_000)),
        most_decrease: 1.0,
        ..TimelyConfig::default()
    };
    at(10, config)
}

fn after(rtt: Ps) -> Completion {
    Completion {
        now: rtt,
        rtt,
        segments: 1,
    }
}

fn mbps(source: &Timely) -> f64 {
    source.rate() * 8e-6
}

/// Completes segments with the round trips of `trace`. After each the source must have the rate beside it.
fn completes(source: &mut Timely, trace: &[(f64, f64)]) {
    for (event, (rtt, rate)) in trace.iter().enumerate() {
        source.on_completion(&after(Ps((rtt * 1e6) as u64)));
        let found = mbps(source);
        assert!(
            (found / rate - 1.0).abs() < 1e-12,
            "event {event}: {found} {rate}"
        );
    }
}

/// Below T_low of 50 us the rate takes one step of 10. From 40 to 60 us the smoothed difference is 0.875 x 20 = 17.5 us,
/// and the gradient 17.5/20 = 0.875: the rate is multiplied by 1 - 0.8 x 0.875 = 0.3. The next difference is 0: 0.125 x
/// 17.5 = 2.1875, the gradient is 0.109375, the factor 0.9125. At 50 us, no longer below T_low, 0.125 x 2.1875 - 0.875 x
/// 10 is negative: one step. At 500 us, not yet above T_high, the gradient is 393.75 and more over 20, and the rate falls
/// to the least rate. Above T_high, at 625 us, the factor is 1 - 0.8 (1 - 500/625) = 0.84; below T_low follow two steps.
#[test]
fn the_rate_follows_thresholds_and_gradient() {
    let mut source = at_a_tenth(false);
    let trace = [
        (40.0, 1_010.0),
        (60.0, 303.0),
        (60.0, 303.0 * 0.9125),
        (50.0, 303.0 * 0.9125 + 10.0),
        (625.0, (303.0 * 0.9125 + 10.0) * 0.84),
        (40.0, (303.0 * 0.9125 + 10.0) * 0.84 + 10.0),
        (500.0, 10.0),
    ];
    completes(&mut source, &trace);
}

/// With a gradient of 0 events 1 to 4 have one step of 10, and from event 5 on five steps. From 100 to 101 us the gradient
/// is 0.875/20 = 0.04375, the factor 1 - 0.8 x 0.04375 = 0.965, and the next 1 - 0.8 x 0.00546875 = 0.995625. With the
/// fall to 100 us the count of events begins anew.
#[test]
fn the_fifth_event_without_a_rise_takes_five_steps() {
    let mut source = at_a_tenth(false);
    let rates = [1_010.0, 1_020.0, 1_030.0, 1_040.0, 1_090.0, 1_140.0];
    completes(&mut source, &rates.map(|rate| (100.0, rate)));
    let low = 1_140.0 * 0.965 * 0.995_625;
    completes(&mut source, &[(101.0, 1_140.0 * 0.965), (101.0, low)]);
    let rates = [10.0, 20.0, 30.0, 40.0, 90.0].map(|more| low + more);
    completes(&mut source, &[(100.0, rates[0]), (99.0, rates[1])]);
    completes(&mut source, &[(98.0, rates[2]), (97.0, rates[3])]);
    completes(&mut source, &[(96.0, rates[4])]);
}

/// Events below T_low count, too, but have one step: four times a gradient of 0 below T_low, then one event between the
/// thresholds.
#[test]
fn below_t_low_no_increase_is_hyperactive() {
    let mut source = at_a_tenth(false);
    let rates = [
        1_010.0, 1_020.0, 1_030.0, 1_040.0, 1_050.0, 1_060.0, 1_070.0,
    ];
    completes(&mut source, &rates.map(|rate| (49.0, rate)));
    source.prev_rtt = Some(50e6);
    completes(&mut source, &[(50.0, 1_120.0)]);
}

/// w = 2 g + 1/2. At 100 us the error against T_low is 1: w = 1/2, and 10/2 + 1,000 (1 - 0.008/2) = 1,001. At 110 us g =
/// 8.75/20 = 0.4375, w = 1, the error 1.2: the factor 1 - 0.0096. At 90 us g = (0.125 x 8.75 - 0.875 x 20)/20 is below
/// -1/4, w = 0: one step. At 92 us 0.125 x -16.40625 + 0.875 x 2 = -0.30078125, so g = -0.0150390625, w = 0.469921875, the
/// error 0.84. Above T_high, at 625 us, the factor is 1 - 0.008 (1 - 500/625) = 0.9984. Below T_low one step.
#[test]
fn the_patch_weighs_increase_and_decrease() {
    let mut source = at_a_tenth(true);
    let (all, none) = (1_001.0 * 0.9904, 1_001.0 * 0.9904 + 10.0);
    let weighed = 10.0 * 0.530_078_125 + none * (1.0 - 0.008 * 0.469_921_875 * 0.84);
    let trace = [
        (100.0, 1_001.0),
        (110.0, all),
        (90.0, none),
        (92.0, weighed),
        (625.0, weighed * 0.9984),
        (49.0, weighed * 0.9984 + 10.0),
    ];
    completes(&mut source, &trace);
}

/// The fixed point of two flows at 10 Gbit/s is a round trip of 62.5 us, an error of 1/4: 10/2 is 5,000 x 0.008 x 1/2 x
/// 1/4. Under the original TIMELY no rate stays: with a gradient of 0 it rises.
#[test]
fn a_constant_round_trip_holds_the_rate_of_the_patch_alone() {
    for (patched, rate) in [(true, 5_000.0), (false, 5_010.0)] {
        let config = TimelyConfig {
            patched,
            start: Some(Rate::from_bps(5_000_000_000)),
            ..TimelyConfig::default()
        };
        completes(&mut at(10, config), &[(62.5, rate)]);
    }
}

/// From 40 to 60 us the factor would be 0.3, and from 40 to 100 us below 0. Decreases take at most the share
/// `most_decrease`.
#[test]
fn a_decrease_has_a_limit() {
    for (most, rtt, factor) in [
        (0.5, 60.0, 0.5),
        (0.8, 60.0, 0.3),
        (0.8, 100.0, 0.2),
        (1.0, 100.0, 10.0 / 1_010.0),
    ] {
        let mut source = at_a_tenth(false);
        source.config.most_decrease = most;
        completes(&mut source, &[(40.0, 1_010.0), (rtt, 1_010.0 * factor)]);
    }
}

/// The third source of a host begins at a third of the line. A step is a thousandth of the line's rate.
#[test]
fn start_and_step_follow_the_line() {
    for (gbps, step) in [(10, 10.0), (100, 100.0)] {
        let mut source = at(gbps, TimelyConfig::default());
        assert!(source.starts_by_others());
        source.on_start(2);
        let start = 1_000.0 * gbps as f64 / 3.0;
        completes(&mut source, &[(40.0, start + step)]);
        source.on_start(0);
        completes(&mut source, &[(40.0, 1_000.0 * gbps as f64)]);
        source.on_start(1_000_000);
        completes(&mut source, &[(40.0, 10.0 + step)]);
    }
    assert!(!at_a_tenth(false).starts_by_others());
}

/// After any sequence of round trips the rate is finite, at least `r_min` and at most the rate of the line.
#[test]
fn the_rate_stays_within_its_bounds() {
    let mut stream = Stream::new(1, "ether", "sources of TIMELY");
    for case in 0..100 {
        let config = TimelyConfig {
            patched: case % 2 == 0,
            alpha: 0.1 + 0.9 * stream.uniform(),
            most_decrease: [0.5, 1.0][case / 2 % 2],
            ..TimelyConfig::default()
        };
        let mut source = at(10, config);
        source.on_start(case as u64);
        for _ in 0..1_000 {
            source.on_completion(&after(stream.below(Ps::from_us(700))));
            assert!((10.0..=10_000.0).contains(&mbps(&source)), "{source:?}");
        }
    }
}

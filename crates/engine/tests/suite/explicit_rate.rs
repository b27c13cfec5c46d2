//! FMMRA, consistent marking, the UCSC scheme, EPRCA, DMRCA, the OSU scheme, CAPC and Phantom at one port, with
//! numbers worked out by hand. The link carries 100,000 cells/s, so that an interval of 1 ms has time for
//! 100 cells.

use std::collections::VecDeque;

use crate::support::repeatable::repeatable;
use cellrate_engine::atm::cell::{Info, Kind, RmCell};
use cellrate_engine::control::{Control, ControlConfig, PortFacts, SwitchControl, SwitchFacts};
use cellrate_engine::kernel::{Ps, Rate, ServiceRate};
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};

const PCR: f64 = 1e6;

fn config(scheme: &str, others: Value) -> ControlConfig {
    let mut parameters = json!({ "scheme": scheme });
    parameters
        .as_object_mut()
        .unwrap()
        .extend(others.as_object().unwrap().clone());
    serde_json::from_value(parameters).expect("valid parameters")
}

/// A port, the number of intervals of 1 ms that have ended, and its queue.
struct Port {
    control: Control,
    interval: u64,
    queue: u64,
}

impl Port {
    fn new(scheme: &str, others: Value, channels: usize) -> Port {
        let facts = PortFacts {
            seed: 0,
            rate: ServiceRate::of_cells(Rate::from_cells_per_second(100_000.0)),
            channels,
        };
        Port {
            control: config(scheme, others).build(facts),
            interval: 0,
            queue: 0,
        }
    }
    fn now(&self) -> Ps {
        Ps::from_us(self.interval * 1_000 + 500)
    }
    fn data(&mut self, slot: u32, cells: u64) {
        let now = self.now();
        (0..cells).for_each(|_| {
            self.control
                .on_forward(now, slot, &mut Info::data(0).passing(), None, 0)
        });
    }
    /// Explicit rate of an FRM with these fields after it has passed.
    fn frm(&mut self, slot: u32, er: f64, ccr: f64) -> f64 {
        let (now, queue, mut cell) = (self.now(), self.queue, rm(er, ccr));
        self.control.on_forward(
            now,
            slot,
            &mut Info::rm(Kind::Frm, false).passing(),
            Some(&mut cell),
            queue,
        );
        cell.er
    }
    fn brm(&mut self, slot: u32, er: f64, ccr: f64) -> RmCell {
        let (now, queue, mut cell) = (self.now(), self.queue, rm(er, ccr));
        self.control.on_backward(now, slot, &mut cell, queue);
        cell
    }
    fn er(&mut self, slot: u32, er: f64, ccr: f64) -> f64 {
        self.brm(slot, er, ccr).er
    }
    fn vbr(&mut self, cells: u64) {
        let now = self.now();
        (0..cells).for_each(|_| self.control.on_background(now, 1));
    }
    fn end(&mut self) {
        self.interval += 1;
        let now = Ps::from_ms(self.interval);
        assert_eq!(self.control.wake_at(), now);
        self.control.wake(now, self.queue, 1);
    }
    fn statistic(&self, name: &str) -> f64 {
        let found = self
            .control
            .statistics()
            .into_iter()
            .find(|(known, _)| *known == name);
        found.unwrap_or_else(|| panic!("no {name}")).1
    }
}

fn rm(er: f64, ccr: f64) -> RmCell {
    RmCell {
        er,
        ccr,
        mcr: 0.0,
        ci: false,
        ni: false,
        bn: false,
    }
}

/// Equal up to the rounding of the clock.
fn near(found: f64, expected: f64) {
    assert!(
        (found - expected).abs() <= 1e-9 * expected.abs(),
        "{found} is not {expected}"
    );
}

const ADVERTISED: &str = "advertised_rate_cells_per_second";

fn fmmra(others: Value, channels: usize) -> Port {
    let mut all = json!({ "interval_cells": "100000 cells" });
    all.as_object_mut()
        .unwrap()
        .extend(others.as_object().unwrap().clone());
    Port::new("fmmra", all, channels)
}

#[test]
fn fmmra_shares_what_channels_bottlenecked_elsewhere_leave() {
    let mut port = fmmra(json!({ "record_forward": true }), 4);
    // 100,000 / 4.
    assert_eq!(port.frm(0, PCR, 1.0), 25_000.0);
    // Channel 1 comes back with 10,000 < 25,000: (100,000 - 10,000) / 3.
    assert_eq!(port.er(1, 10_000.0, 1.0), 10_000.0);
    near(port.statistic(ADVERTISED), 30_000.0);
    // Channel 2 with 28,000 < 30,000: (100,000 - 38,000) / 2; forward cells are marked, too, if
    // configured.
    port.frm(2, 28_000.0, 1.0);
    near(port.statistic(ADVERTISED), 31_000.0);
    // Channel 1 is free again: (100,000 - 28,000) / 3.
    port.er(1, 31_000.0, 1.0);
    near(port.statistic(ADVERTISED), 24_000.0);
    assert_eq!(port.statistic("bottlenecked_elsewhere"), 1.0);
}

#[test]
fn fmmra_adds_the_largest_rate_if_all_are_bottlenecked_elsewhere() {
    let mut port = fmmra(json!({}), 2);
    port.er(0, 10_000.0, 1.0);
    near(port.statistic(ADVERTISED), 90_000.0);
    // 100,000 - (10,000 + 20,000) + 20,000.
    port.er(1, 20_000.0, 1.0);
    near(port.statistic(ADVERTISED), 90_000.0);
    // The largest falls: 100,000 - (10,000 + 5,000) + 10,000.
    port.er(1, 5_000.0, 1.0);
    near(port.statistic(ADVERTISED), 95_000.0);
}

#[test]
fn fmmra_gives_unused_capacity_by_its_largest_rate() {
    let mut port = fmmra(json!({ "er_max_floor": "advertised-rate" }), 2);
    // 50 of 100 cells: load 1/2; ERmax := 7/8 50,000 + 1/8 max(50,000, 100,000) = 56,250 from the
    // first BRM on.
    port.data(0, 50);
    port.end();
    near(port.statistic("load_factor"), 0.5);
    near(port.er(0, PCR, 1.0), 56_250.0);
    // A channel that is bottlenecked elsewhere gets no more than the advertised rate.
    near(port.er(1, 40_000.0, 1.0), 40_000.0);
    near(port.statistic(ADVERTISED), 60_000.0);
    // Load 2 over the new capacity: ERmax falls towards the advertised rate, which is its lower
    // limit.
    port.data(0, 200);
    port.end();
    for _ in 0..300 {
        port.er(0, PCR, 1.0);
    }
    near(port.statistic("er_max_cells_per_second"), 60_000.0);
}

#[test]
fn fmmra_by_its_published_recursion_keeps_its_largest_rate_under_overload() {
    let mut port = fmmra(json!({}), 2);
    port.data(0, 50);
    port.end();
    // Load 1/2: ERmax := 7/8 50,000 + 1/8 max(80,000, 100,000) = 56,250.
    near(port.er(0, 80_000.0, 1.0), 56_250.0);
    port.data(0, 200);
    port.end();
    // Load 2: 7/8 56,250 + 1/8 max(80,000, 28,125) = 59,218.75; cells that come back with ERmax
    // keep it up.
    near(port.er(0, 80_000.0, 1.0), 59_218.75);
    near(port.er(0, 59_218.75, 1.0), 59_218.75);
    // 7/8 59,218.75 + 1/8 max(52,000, 29,609.375).
    near(port.er(0, 52_000.0, 1.0), 52_000.0);
    near(port.statistic("er_max_cells_per_second"), 58_316.406_25);
}

#[test]
fn fmmra_under_congestion_allows_the_advertised_rate_alone() {
    let mut port = fmmra(
        json!({ "er_max_floor": "advertised-rate", "qt": "10 cells", "dqt": "20 cells" }),
        2,
    );
    port.data(0, 50);
    port.end();
    near(port.er(0, PCR, 1.0), 56_250.0);
    // A long queue without overload is no congestion; with overload it is, from QT on.
    port.queue = 10;
    near(port.frm(0, PCR, 1.0), 56_250.0);
    port.queue = 9;
    port.data(0, 108);
    port.end();
    let free = port.frm(0, PCR, 1.0);
    assert!(free > 50_000.0, "{free}");
    port.queue = 10;
    near(port.frm(0, PCR, 1.0), 50_000.0);
}

#[test]
fn fmmra_lowers_its_target_from_dqt_until_the_queue_is_below_qt() {
    let mut port = fmmra(
        json!({ "qt": "10 cells", "dqt": "20 cells", "drain_factor": 0.8 }),
        2,
    );
    for (queue, advertised) in [
        (20, 50_000.0),
        (21, 40_000.0),
        (10, 40_000.0),
        (9, 50_000.0),
    ] {
        port.queue = queue;
        port.end();
        near(port.statistic(ADVERTISED), advertised);
    }
}

#[test]
fn fmmra_allocates_its_target_of_what_other_classes_leave() {
    let mut port = fmmra(json!({ "target_utilisation": 0.5 }), 2);
    near(port.statistic(ADVERTISED), 25_000.0);
    port.vbr(60);
    port.end();
    // 0.5 (100,000 - 60,000) / 2.
    near(port.statistic(ADVERTISED), 10_000.0);
    port.vbr(200);
    port.end();
    port.queue = 50;
    assert_eq!(
        (port.statistic(ADVERTISED), port.frm(0, PCR, 1.0)),
        (0.0, 0.0)
    );
}

#[test]
fn fmmra_learns_from_backward_cells_and_from_forward_ones_if_wished() {
    for (record_forward, after_frm) in [(false, 0.0), (true, 1.0)] {
        let mut port = fmmra(json!({ "record_forward": record_forward }), 2);
        port.frm(0, 10_000.0, 1.0);
        assert_eq!(port.statistic("bottlenecked_elsewhere"), after_frm);
        port.er(0, 10_000.0, 1.0);
        assert_eq!(port.statistic("bottlenecked_elsewhere"), 1.0);
        // A source stamps PCR: a forward cell that is recorded erases the information of backward
        // ones.
        port.frm(0, PCR, 1.0);
        assert_eq!(port.statistic("bottlenecked_elsewhere"), 1.0 - after_frm);
    }
}

#[test]
fn fmmra_knows_its_own_marks_if_wished() {
    for (counts, elsewhere) in [(true, 2.0), (false, 1.0)] {
        let marked = |port: &Port| port.statistic("bottlenecked_elsewhere");
        let mut port = fmmra(json!({ "record_own_mark": counts }), 2);
        // The port writes 50,000; meanwhile channel 1 proves to use 20,000, so that 80,000 are
        // advertised.
        assert_eq!(
            (port.frm(0, PCR, 1.0), port.frm(0, PCR, 1.0)),
            (50_000.0, 50_000.0)
        );
        port.er(1, 20_000.0, 1.0);
        near(port.statistic(ADVERTISED), 80_000.0);
        // The ER that it wrote comes back.
        port.er(0, 50_000.0, 1.0);
        assert_eq!(marked(&port), elsewhere);
        // Another switch has lowered the next one, which shows a bottleneck elsewhere.
        port.er(0, 45_000.0, 1.0);
        assert_eq!(marked(&port), 2.0);
    }
    // An ER that came lower than this port would have written is not its own.
    let mut port = fmmra(json!({ "record_own_mark": false }), 2);
    assert_eq!(port.frm(0, 30_000.0, 1.0), 30_000.0);
    port.er(0, 30_000.0, 1.0);
    assert_eq!(port.statistic("bottlenecked_elsewhere"), 1.0);
}

proptest! {
    #![proptest_config(repeatable(256))]

    /// No channel is marked if no other switch lowers ER, whatever happens to the cells on their
    /// way and to the capacity.
    #[test]
    fn own_marks_of_fmmra_alone_mark_no_channel(steps in vec((0..3u32, 0..4u8, 0..60u64), 1..200)) {
        let mut port = fmmra(json!({ "record_own_mark": false }), 3);
        let mut on_the_way = [const { VecDeque::new() }; 3];
        for (slot, step, vbr) in steps {
            let cells = &mut on_the_way[slot as usize];
            match step {
                0 | 1 => cells.push_back(port.frm(slot, PCR, 1.0)),
                2 => {
                    // All but the last of some are lost.
                    let lost = cells.len().min(vbr as usize % 3).saturating_sub(1);
                    cells.drain(..lost);
                    if let Some(er) = cells.pop_front() {
                        port.er(slot, er, 1.0);
                    }
                }
                _ => {
                    port.vbr(vbr);
                    port.end();
                }
            }
            prop_assert_eq!(port.statistic("bottlenecked_elsewhere"), 0.0);
        }
    }
}

/// Tests of ERICA with CI are in `erica_feedback.rs`.
#[test]
fn explicit_rates_may_have_ci_beside_them() {
    for scheme in ["fmmra", "charny", "osu", "phantom"] {
        let told = |parameters: Value| -> [(f64, bool); 2] {
            let mut port = Port::new(scheme, parameters, 2);
            [30, 31].map(|queue| {
                port.queue = queue;
                let cell = port.brm(0, PCR, 1e5);
                (cell.er, cell.ci)
            })
        };
        let (without, with) = (told(json!({})), told(json!({ "ci_threshold": "30 cells" })));
        assert_eq!(without.map(|cell| cell.1), [false, false], "{scheme}");
        assert_eq!(with.map(|cell| cell.1), [false, true], "{scheme}");
        // The explicit rate is the same as without.
        assert_eq!(
            without.map(|cell| cell.0),
            with.map(|cell| cell.0),
            "{scheme}"
        );
        let facts = SwitchFacts {
            buffer: 1_000,
            service_time: Ps::ZERO,
        };
        let found =
            |threshold: &str| config(scheme, json!({ "ci_threshold": threshold })).check(facts);
        assert_eq!(found("999 cells"), [], "{scheme}");
        let late = found("1000 cells");
        assert!(
            late.len() == 1 && late[0].field == "ci_threshold" && !late[0].is_fatal(false),
            "{scheme}"
        );
    }
}

#[test]
fn fmmra_ends_an_interval_after_so_many_cells() {
    let mut port = Port::new("fmmra", json!({ "interval_cells": "10 cells" }), 2);
    // 10 cells in 0.5 ms are 20,000 cells/s.
    port.data(0, 10);
    near(port.statistic("load_factor"), 0.2);
    assert_eq!(port.control.wake_at(), Ps::from_us(1_500));
}

#[test]
fn charny_marks_who_is_below_the_share_and_shares_the_rest() {
    let mut port = Port::new("charny", json!({ "target_utilisation": 0.9 }), 3);
    // 90,000 / 3, then (90,000 - 12,000) / 2.
    assert_eq!(port.frm(0, PCR, 1.0), 30_000.0);
    assert_eq!(port.er(1, 12_000.0, 1.0), 12_000.0);
    assert_eq!(port.frm(0, PCR, 1.0), 39_000.0);
    // A channel with a rate equal to the share is not marked: the others share as before.
    port.er(2, 39_000.0, 1.0);
    assert_eq!(port.statistic("marked"), 1.0);
}

#[test]
fn charny_ignores_the_old_mark_of_the_channel_and_unmarks_the_inconsistent() {
    let mut port = Port::new("charny", json!({ "target_utilisation": 0.9 }), 2);
    // Channel 0 is marked at 40,000 of shares of 45,000; channel 1 then has 50,000.
    port.er(0, 40_000.0, 1.0);
    assert_eq!(port.er(1, PCR, 1.0), 50_000.0);
    // Channel 0 requests more: without its own mark the share is 45,000, with it it would be
    // 50,000.
    assert_eq!(port.er(0, PCR, 1.0), 45_000.0);
    // Channel 0 marked at 40,000 again, then VBR leaves 60,000 of the link, 54,000 of target:
    // 14,000 for channel 1, below the recorded 40,000, so that mark is removed: 54,000 / 2.
    port.er(0, 40_000.0, 1.0);
    port.vbr(40);
    port.end();
    near(port.er(1, PCR, 1.0), 27_000.0);
    assert_eq!(port.statistic("marked"), 0.0);
}

const EPRCA: &str = r#"{ "qt": "10 cells", "dqt": "20 cells" }"#;

fn ucsc(others: Value, channels: usize) -> Port {
    let mut all = json!({ "target_utilisation": 1.0 });
    all.as_object_mut()
        .unwrap()
        .extend(others.as_object().unwrap().clone());
    Port::new("ucsc", all, channels)
}

#[test]
fn ucsc_shares_what_channels_bottlenecked_elsewhere_leave() {
    let mut port = ucsc(json!({}), 3);
    let a_max = |port: &Port| port.statistic("a_max_cells_per_second");
    // 100,000 / 3 for the first channel, which asks for 10,000 and so is bottlenecked elsewhere.
    near(port.frm(0, PCR, 10_000.0), 100_000.0 / 3.0);
    // (100,000 - 10,000) / 2 for the second, which asks for 60,000.
    near(port.frm(1, PCR, 60_000.0), 45_000.0);
    // An earlier port allows the third 20,000: its own A_max is 45,000, which it cannot use.
    near(port.frm(2, 20_000.0, 60_000.0), 20_000.0);
    near(a_max(&port), 45_000.0);
    assert_eq!(port.statistic("bottlenecked_elsewhere"), 2.0);
    // 100,000 - 10,000 - 20,000 for the second alone.
    near(port.frm(1, PCR, 45_000.0), 70_000.0);
    // It cannot use them, either: its 45,000 are less. Then the third may have 100,000 - 10,000 - 45,000.
    near(port.frm(2, PCR, 45_000.0), 45_000.0);
    assert_eq!(port.statistic("bottlenecked_elsewhere"), 2.0);
    // With all of A_max the second is no longer bottlenecked elsewhere: 100,000 - 10,000 is for two.
    near(port.frm(1, PCR, 90_000.0), 45_000.0);
    near(port.frm(2, PCR, 45_000.0), 45_000.0);
    assert_eq!(port.statistic("bottlenecked_elsewhere"), 1.0);
    // The first returns: without it there is none, and the exact third is left to it.
    assert_eq!(port.frm(0, PCR, PCR), 100_000.0 / 3.0);
    assert_eq!(port.statistic("bottlenecked_elsewhere"), 0.0);
}

#[test]
fn ucsc_takes_a_coded_rate_for_the_rate() {
    // 75,000 is 2^16 (1 + 73.9/512); its code says 2^16 (1 + 73/512) = 74,880.
    let mut port = ucsc(json!({}), 2);
    port.frm(0, PCR, 25_000.0);
    near(port.frm(1, PCR, 74_880.0), 75_000.0);
    assert_eq!(port.statistic("bottlenecked_elsewhere"), 1.0);
    // So the first can claim its half. A rate lower by 1/512 is less than 75,000.
    near(port.frm(0, PCR, 25_000.0), 50_000.0);
    port.frm(1, PCR, 75_000.0 * 511.0 / 512.0 - 1.0);
    assert_eq!(port.statistic("bottlenecked_elsewhere"), 2.0);
}

#[test]
fn ucsc_allocates_its_target_of_what_other_classes_leave_and_an_equal_share_at_least() {
    let mut port = ucsc(json!({ "target_utilisation": 0.9 }), 2);
    port.frm(0, PCR, 40_000.0);
    near(port.frm(1, PCR, PCR), 50_000.0);
    // 0.9 (100,000 - 60,000) = 36,000 is less than the 40,000 of old: half of it for each.
    port.vbr(60);
    port.end();
    near(port.frm(1, PCR, 50_000.0), 18_000.0);
    near(port.frm(0, PCR, 40_000.0), 18_000.0);
    assert_eq!(port.statistic("bottlenecked_elsewhere"), 0.0);
    // Backward RM cells are left alone.
    assert_eq!(port.er(0, PCR, 40_000.0), PCR);
}

proptest! {
    #![proptest_config(repeatable(200))]

    /// Sources that other links hold to a limit, and that have the rate of the last RM cell in the next one. After a
    /// round of RM cells for each level of the rates, and one more, all rates are the max-min shares of the port.
    #[test]
    fn ucsc_settles_at_the_max_min_shares(limits in vec(1_000.0..100_000.0f64, 1..8)) {
        let channels = limits.len();
        let mut port = ucsc(json!({}), channels);
        let mut rates = vec![1_000.0; channels];
        for _ in 0..=2 * channels {
            for (slot, rate) in rates.iter_mut().enumerate() {
                *rate = port.frm(slot as u32, PCR, *rate).min(limits[slot]);
            }
        }
        // Water-filling: from the lowest limit on, each has its limit or an equal part of the rest.
        let mut order: Vec<usize> = (0..channels).collect();
        order.sort_by(|a, b| limits[*a].total_cmp(&limits[*b]));
        let mut left = 100_000.0;
        for (place, slot) in order.into_iter().enumerate() {
            let fair = limits[slot].min(left / (channels - place) as f64);
            left -= fair;
            prop_assert!((rates[slot] / fair - 1.0).abs() < 2.0 / 512.0, "{rates:?} of {limits:?}");
        }
    }
}

fn eprca(others: Value) -> Port {
    let mut all: Value = serde_json::from_str(EPRCA).unwrap();
    all.as_object_mut()
        .unwrap()
        .extend(others.as_object().unwrap().clone());
    Port::new("eprca", all, 2)
}

#[test]
fn eprca_averages_rates_above_the_separator_or_under_congestion_below_the_mean() {
    let mut port = eprca(json!({}));
    let macr = |port: &Port| port.statistic("macr_cells_per_second");
    // MACR starts at 50,000; 7/8 of it is 43,750, which does not count, while 43,760 does.
    port.frm(0, PCR, 43_750.0);
    assert_eq!(macr(&port), 50_000.0);
    port.frm(0, PCR, 66_000.0);
    // + (66,000 - 50,000) / 16
    assert_eq!(macr(&port), 51_000.0);
    port.queue = 11;
    port.frm(0, PCR, 51_000.0);
    assert_eq!(macr(&port), 51_000.0);
    port.frm(0, PCR, 35_000.0);
    assert_eq!(macr(&port), 50_000.0);
    let mut all = eprca(json!({ "averaging": "all", "av": 0.5 }));
    all.frm(0, PCR, 10_000.0);
    assert_eq!(macr(&all), 30_000.0);
}

#[test]
fn eprca_presses_fast_channels_from_qt_and_all_from_dqt() {
    let mut port = eprca(json!({}));
    let mut ers = |queue| {
        port.queue = queue;
        // 7/8 of 50,000 is 43,750: the first channel is above it, the second is not.
        [port.er(0, PCR, 44_000.0), port.er(1, PCR, 43_000.0)]
    };
    assert_eq!(ers(10), [PCR, PCR]);
    // 15/16 of 50,000.
    assert_eq!(ers(11), [46_875.0, PCR]);
    assert_eq!(ers(20), [46_875.0, PCR]);
    assert_eq!(ers(21), [12_500.0, 12_500.0]);
    let mut binary = eprca(json!({ "marking": "binary" }));
    binary.queue = 11;
    let (fast, slow) = (binary.brm(0, PCR, 44_000.0), binary.brm(1, PCR, 43_000.0));
    assert_eq!((fast.ci, fast.er, slow.ci), (true, PCR, false));
}

fn dmrca(others: Value) -> Port {
    let mut all = json!({ "qt": "10 cells", "dqt": "20 cells", "alpha": 0.5, "time_out": "3 ms" });
    all.as_object_mut()
        .unwrap()
        .extend(others.as_object().unwrap().clone());
    Port::new("dmrca", all, 2)
}

#[test]
fn dmrca_follows_the_largest_rate_and_forgets_a_channel_after_the_time_out() {
    let mut port = dmrca(json!({}));
    let mut frm = |at: u64, slot: u32, ccr: f64| {
        port.interval = at;
        port.frm(slot, PCR, ccr);
        ["max", "a_max"].map(|name| port.statistic(&format!("{name}_cells_per_second")))
    };
    // A_MAX from 50,000: half of the way to the first rate, which is MAX.
    assert_eq!(frm(0, 0, 30_000.0), [30_000.0, 40_000.0]);
    // A larger rate, then a smaller one of the other channel: MAX stays, and A_MAX follows it.
    assert_eq!(frm(1, 1, 80_000.0), [80_000.0, 60_000.0]);
    assert_eq!(frm(2, 0, 20_000.0), [80_000.0, 70_000.0]);
    // The channel of MAX may lower it.
    assert_eq!(frm(3, 1, 40_000.0), [40_000.0, 55_000.0]);
    // Its rate holds for 3 ms without an RM cell, and no longer.
    assert_eq!(frm(6, 0, 20_000.0), [40_000.0, 47_500.0]);
    assert_eq!(frm(7, 0, 20_000.0), [20_000.0, 33_750.0]);
}

#[test]
fn dmrca_presses_channels_above_a_share_of_the_largest_rate_that_falls_with_the_queue() {
    let mut port = dmrca(json!({ "f_qt": 0.9, "f_dqt": 0.4 }));
    // A_MAX is 50,000; F is 0.85 at 11, 0.65 at 15, 0.4 from 20 on.
    let mut ers = |queue| {
        port.queue = queue;
        [port.er(0, PCR, 45_000.0), port.er(1, PCR, 30_000.0)]
    };
    assert_eq!(ers(10), [PCR, PCR]);
    assert_eq!(ers(11).map(f64::round), [42_500.0, PCR]);
    assert_eq!(ers(15).map(f64::round), [32_500.0, PCR]);
    assert_eq!(ers(20), [20_000.0, 20_000.0]);
    assert_eq!(ers(500), [20_000.0, 20_000.0]);
    let mut binary = dmrca(json!({ "f_qt": 0.9, "f_dqt": 0.4, "marking": "binary" }));
    binary.queue = 15;
    let (fast, slow) = (binary.brm(0, PCR, 45_000.0), binary.brm(1, PCR, 30_000.0));
    assert_eq!((fast.ci, fast.er, slow.ci), (true, PCR, false));
    // Two thresholds that are one make a step.
    let mut step = dmrca(json!({ "dqt": "10 cells", "f_dqt": 0.4 }));
    step.queue = 11;
    assert_eq!(step.er(1, PCR, 30_000.0), 20_000.0);
}

fn osu(others: Value) -> Port {
    let mut all = json!({ "target_utilisation": 1.0 });
    all.as_object_mut()
        .unwrap()
        .extend(others.as_object().unwrap().clone());
    Port::new("osu", all, 2)
}

#[test]
fn osu_divides_every_rate_by_the_load() {
    let mut port = osu(json!({ "fairness": "none" }));
    port.data(0, 150);
    port.data(1, 50);
    port.end();
    near(port.er(0, PCR, 150_000.0), 75_000.0);
    near(port.er(1, PCR, 50_000.0), 25_000.0);
    assert_eq!(port.er(0, 60_000.0, 150_000.0), 60_000.0);
    // Without input nothing is divided, without capacity the rates are zero.
    port.end();
    assert_eq!(port.er(0, PCR, 150_000.0), PCR);
    port.data(0, 1);
    port.vbr(100);
    port.end();
    assert_eq!(port.er(0, PCR, 150_000.0), 0.0);
}

#[test]
fn osu_makes_shares_equal_within_the_band() {
    let mut port = osu(json!({ "delta": 0.1 }));
    // Load 1.08 of two channels: fair share 50,000. Above it: / (1.08 / 0.9), below: / (1.08 /
    // 1.1).
    port.data(0, 78);
    port.data(1, 30);
    port.end();
    near(port.er(0, PCR, 78_000.0), 78_000.0 * 0.9 / 1.08);
    near(port.er(1, PCR, 30_000.0), 30_000.0 * 1.1 / 1.08);
    // A load of 1.2 is outside the band.
    port.data(0, 120);
    port.end();
    near(port.er(0, PCR, 78_000.0), 65_000.0);
    // One channel was active: the fair share is the whole capacity.
    near(port.statistic("fair_share_cells_per_second"), 100_000.0);
}

#[test]
fn osu_shares_precisely_what_slow_channels_leave() {
    let mut port = osu(json!({ "fairness": "precise" }));
    port.frm(0, PCR, 20_000.0);
    port.frm(1, PCR, 90_000.0);
    port.end();
    // 50,000 at first; channel 0 is below it: (100,000 - 20,000) / 1.
    near(port.statistic("fair_share_cells_per_second"), 80_000.0);
    near(port.er(1, PCR, 90_000.0), 80_000.0);
    near(port.er(0, PCR, 20_000.0), 80_000.0);
}

#[test]
fn capc_steps_by_the_distance_of_the_load_from_one() {
    let mut port = Port::new(
        "capc",
        json!({ "target_utilisation": 1.0, "rup": 0.1, "rdn": 0.8 }),
        4,
    );
    let mut ers = |cells: u64, vbr: u64| {
        port.data(0, cells);
        port.vbr(vbr);
        port.end();
        port.er(0, PCR, 1.0)
    };
    // From 25,000: load 0.5, * 1.05; load 1.25, * 0.8; load 0.8 of the capacity that VBR leaves, *
    // 1.02; load 4, * 0.5 at least.
    near(ers(50, 0), 26_250.0);
    near(ers(125, 0), 21_000.0);
    near(ers(40, 50), 21_420.0);
    near(ers(400, 0), 10_710.0);
    // Without capacity it halves down to the least value.
    for _ in 0..20 {
        ers(1, 100);
    }
    assert_eq!(ers(1, 100), 10.0);
}

#[test]
fn capc_bounds_its_step_up_and_sets_ci_above_the_threshold() {
    let mut port = Port::new(
        "capc",
        json!({ "rup": 8.0, "eru": 1.5, "threshold": "5 cells" }),
        10,
    );
    port.end();
    // 0.95 * 10,000, times 1 + 8 at most 1.5.
    near(port.er(0, PCR, 1.0), 14_250.0);
    port.queue = 5;
    assert!(!port.brm(0, PCR, 1.0).ci);
    port.queue = 6;
    assert!(port.brm(0, PCR, 1.0).ci);
    (0..20).for_each(|_| port.end());
    assert_eq!(port.er(0, PCR, 1.0), 100_000.0);
}

#[test]
fn phantom_moves_by_its_gains_towards_what_is_left() {
    let parameters = json!({ "utilisation_factor": 4.0, "alpha_inc": 0.25, "alpha_dec": 0.5, "decrease_floor": 0.5 });
    let mut port = Port::new("phantom", parameters, 2);
    let mut er = |cells: u64, vbr: u64| {
        port.data(0, cells);
        port.vbr(vbr);
        port.end();
        port.er(0, PCR, 1.0)
    };
    // MACR from 20,000: 40,000 are left, + 0.25 * 20,000; nothing is left, - 0.5 * 25,000 down to
    // 12,500; an excess of 200,000, not below the half.
    near(er(50, 10), 4.0 * 25_000.0);
    near(er(60, 40), 4.0 * 12_500.0);
    near(er(300, 0), 4.0 * 6_250.0);
}

#[test]
fn phantom_settles_where_every_channel_has_u_shares() {
    // n u MACR + MACR = C: with n = 2, u = 5 every channel has 5/11 of the link.
    let mut port = Port::new("phantom", json!({}), 2);
    let mut rates = [10_000.0, 80_000.0];
    for _ in 0..400 {
        for (slot, rate) in rates.iter_mut().enumerate() {
            port.data(slot as u32, (*rate / 1_000.0) as u64);
        }
        port.end();
        rates = [0, 1].map(|slot| port.er(slot, PCR, 1.0));
    }
    // Whole cells per interval: within one of 45.
    assert!(
        rates
            .iter()
            .all(|rate| (rate / (500_000.0 / 11.0) - 1.0).abs() < 0.02),
        "{rates:?}"
    );
}

#[test]
fn wrong_parameters_are_found() {
    let cell_time = Ps::from_us(10);
    let cases = [
        ("fmmra", "target_utilisation", json!(0.0)),
        ("fmmra", "interval", json!("0 s")),
        ("fmmra", "interval", json!("9 us")),
        ("fmmra", "interval_cells", json!("0 cells")),
        ("fmmra", "er_max_weight", json!(1.1)),
        ("fmmra", "qt", json!("500 cells")),
        ("fmmra", "drain_factor", json!(0.0)),
        ("charny", "target_utilisation", json!(2.5)),
        ("charny", "interval", json!("0 s")),
        ("ucsc", "target_utilisation", json!(0.0)),
        ("ucsc", "interval", json!("9 us")),
        ("dmrca", "qt", json!("301 cells")),
        ("dmrca", "f_qt", json!(1.1)),
        ("dmrca", "f_dqt", json!(0.0)),
        ("dmrca", "f_dqt", json!(1.1)),
        ("dmrca", "alpha", json!(0.0)),
        ("dmrca", "time_out", json!("0 s")),
        ("eprca", "qt", json!("301 cells")),
        ("eprca", "av", json!(0.0)),
        ("eprca", "vcs", json!(-1.0)),
        ("eprca", "dpf", json!(2.0)),
        ("eprca", "erf", json!(0.0)),
        ("eprca", "mrf", json!(1.5)),
        ("osu", "target_utilisation", json!(-1.0)),
        ("osu", "interval", json!("0 s")),
        ("osu", "delta", json!(1.0)),
        ("capc", "target_utilisation", json!(0.0)),
        ("capc", "interval", json!("9 us")),
        ("capc", "rup", json!(-0.1)),
        ("capc", "eru", json!(0.9)),
        ("capc", "rdn", json!(-0.1)),
        ("capc", "erf", json!(1.5)),
        ("phantom", "interval", json!("0 s")),
        ("phantom", "utilisation_factor", json!(0.0)),
        ("phantom", "alpha_inc", json!(0.0)),
        ("phantom", "alpha_dec", json!(1.5)),
        ("phantom", "decrease_floor", json!(0.0)),
    ];
    for (scheme, field, value) in cases {
        let found = config(scheme, json!({ field: value })).check(SwitchFacts {
            buffer: 1_000,
            service_time: cell_time,
        });
        assert!(
            found.len() == 1 && found[0].field == field && found[0].is_fatal(false),
            "{scheme} {field}: {found:?}"
        );
    }
    for (scheme, field) in [
        ("fmmra", "dqt"),
        ("eprca", "dqt"),
        ("dmrca", "dqt"),
        ("capc", "threshold"),
    ] {
        let found = config(scheme, json!({})).check(SwitchFacts {
            buffer: 100,
            service_time: cell_time,
        });
        assert!(
            found.len() == 1 && found[0].field == field && !found[0].is_fatal(true),
            "{scheme}: {found:?}"
        );
    }
}

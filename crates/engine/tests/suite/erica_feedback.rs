//! ERICA at one port: intervals, load, fair share and feedback, with numbers worked out by hand.
//! The link carries 100,000 cells/s; with a target utilisation of 1, an interval of 1 ms has a
//! capacity of 100 cells.

use cellrate_engine::atm::cell::{Info, Kind, RmCell};
use cellrate_engine::control::erica::{Erica, EricaConfig};
use cellrate_engine::control::{
    PortFacts, QueueReading, SchemeParameters, SwitchControl, SwitchFacts,
};
use cellrate_engine::kernel::{Ps, Rate, ServiceRate};
use serde_json::{Value, json};

const PCR: f64 = 1e6;

fn config(changes: Value) -> EricaConfig {
    let mut parameters =
        json!({ "target_utilisation": 1.0, "interval_cells": "100000 cells", "delta": 0.0 });
    parameters
        .as_object_mut()
        .unwrap()
        .extend(changes.as_object().unwrap().clone());
    serde_json::from_value(parameters).expect("valid parameters")
}

/// A port and the time at it, in intervals of 1 ms.
struct Port {
    erica: Erica,
    interval: u64,
    queue: u64,
}

impl Port {
    fn new(changes: Value, channels: usize) -> Port {
        let facts = PortFacts {
            seed: 0,
            rate: ServiceRate::of_cells(Rate::from_cells_per_second(100_000.0)),
            channels,
        };
        Port {
            erica: Erica::new(&config(changes), facts),
            interval: 0,
            queue: 0,
        }
    }
    /// A time within the present interval.
    fn now(&self) -> Ps {
        Ps::from_us(self.interval * 1_000 + 500)
    }
    fn data(&mut self, slot: u32, cells: u64) {
        let now = self.now();
        (0..cells).for_each(|_| {
            self.erica
                .on_forward(now, slot, &mut Info::data(0).passing(), None, self.queue)
        });
    }
    fn frm(&mut self, slot: u32, ccr: f64) {
        let (now, queue) = (self.now(), self.queue);
        self.erica.on_forward(
            now,
            slot,
            &mut Info::rm(Kind::Frm, false).passing(),
            Some(&mut rm(PCR, ccr)),
            queue,
        );
    }
    /// ER of an FRM that arrives with `er`, after it has passed.
    fn forward_er(&mut self, slot: u32, er: f64, ccr: f64) -> f64 {
        let (now, queue, mut frm) = (self.now(), self.queue, rm(er, ccr));
        self.erica.on_forward(
            now,
            slot,
            &mut Info::rm(Kind::Frm, false).passing(),
            Some(&mut frm),
            queue,
        );
        frm.er
    }
    fn vbr(&mut self, cells: u64) {
        let now = self.now();
        (0..cells).for_each(|_| self.erica.on_background(now, 1));
    }
    fn end(&mut self) {
        self.interval += 1;
        let now = Ps::from_ms(self.interval);
        assert_eq!(self.erica.wake_at(), now);
        self.erica.wake(now, self.queue, 1);
    }
    fn er(&mut self, slot: u32) -> f64 {
        self.brm(slot).er
    }
    fn brm(&mut self, slot: u32) -> RmCell {
        let mut brm = rm(PCR, 0.0);
        let now = self.now();
        self.erica.on_backward(now, slot, &mut brm, self.queue);
        brm
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

/// Equal up to a relative error of 1e-9: the scheme divides by an interval of 1 ms in seconds, and
/// no double is exactly 0.001.
fn near(found: f64, expected: f64) {
    assert!(
        (found - expected).abs() <= 1e-9 * expected.abs(),
        "{found} is not {expected}"
    );
}

#[test]
fn two_overloading_channels_get_their_scaled_rate_or_the_fair_share() {
    let mut port = Port::new(json!({}), 2);
    // 150 + 50 cells in 1 ms: z = 200,000 / 100,000 = 2, fair share = 50,000.
    port.frm(0, 150_000.0);
    port.frm(1, 50_000.0);
    port.data(0, 149);
    port.data(1, 49);
    port.end();
    near(port.erica.load_factor(), 2.0);
    near(port.erica.fair_share(), 50_000.0);
    near(port.er(0), 75_000.0); // 150,000 / 2
    near(port.er(1), 50_000.0); // max(50,000, 25,000)
}

#[test]
fn forward_rm_cells_get_the_same_feedback_if_wished() {
    for (marks, [first, second, third]) in [
        (false, [PCR, 40_000.0, PCR]),
        (true, [75_000.0, 40_000.0, 50_000.0]),
    ] {
        let mut port = Port::new(json!({ "mark_forward": marks }), 2);
        port.frm(0, 150_000.0);
        port.frm(1, 50_000.0);
        port.data(0, 149);
        port.data(1, 49);
        port.end();
        // z = 2 and a fair share of 50,000, as above; an ER that another switch has lowered further
        // stays.
        near(port.forward_er(0, PCR, 150_000.0), first);
        near(port.forward_er(1, 40_000.0, 50_000.0), second);
        near(port.forward_er(1, PCR, 50_000.0), third);
        // One feedback in an interval, for both directions of RM cells.
        near(port.er(0), 75_000.0);
        near(port.er(1), 50_000.0);
    }
}

#[test]
fn a_forward_rm_cell_that_ends_an_interval_gets_what_follows_from_it() {
    let mut port = Port::new(
        json!({ "mark_forward": true, "interval_cells": "50 cells" }),
        2,
    );
    // 50 cells in 0.5 ms: one channel of the two is active, and its share is the capacity.
    port.data(0, 49);
    near(port.forward_er(0, PCR, 10_000.0), 100_000.0);
}

#[test]
fn a_long_queue_sets_ci_if_wished() {
    for (threshold, marked) in [
        (json!(null), [false, false]),
        (json!("20 cells"), [false, true]),
    ] {
        let mut port = Port::new(json!({ "ci_threshold": threshold }), 1);
        let ci = [20, 21].map(|queue| {
            port.queue = queue;
            port.brm(0).ci
        });
        assert_eq!(ci, marked, "{threshold}");
    }
    let reads = |changes: Value| Port::new(changes, 1).erica.reads_queue();
    assert_eq!(reads(json!({})), QueueReading::Never);
    assert_eq!(
        reads(json!({ "ci_threshold": "20 cells" })),
        QueueReading::AtRmCells
    );
    assert_eq!(
        reads(json!({ "ci_threshold": "20 cells", "queue_control": {} })),
        QueueReading::AtSomeCells
    );
}

#[test]
fn with_a_decay_of_one_the_fair_share_is_by_the_channels_that_are_established() {
    let mut port = Port::new(json!({ "average_sources": true, "source_decay": 1.0 }), 3);
    let mut shares = Vec::new();
    for slot in [Some(0), Some(1), None, None, Some(0), Some(2), None] {
        if let Some(slot) = slot {
            port.frm(slot, 1_000.0);
        }
        port.end();
        shares.push((port.erica.active_sources(), port.erica.fair_share().round()));
    }
    // A channel that has sent counts for ever, and only once.
    let [one, two, three] = [(1.0, 100_000.0), (2.0, 50_000.0), (3.0, 33_333.0)];
    assert_eq!(shares, [one, two, two, two, two, three, three]);
}

#[test]
fn table_6_1_gives_the_feedback_at_every_boundary() {
    // VBR cells, ABR cells of one channel with CCR of 50,000, expected z, fair share, feedback;
    // capacity is 100 - VBR cells per ms.
    for (vbr, abr, z, share, er) in [
        (100, 10, f64::INFINITY, 0.0, 0.0),
        (120, 10, f64::INFINITY, 0.0, 0.0),
        (20, 0, 0.0, 80_000.0, 80_000.0),
        (20, 160, 2.0, 80_000.0, 80_000.0),
        (100, 0, f64::INFINITY, 0.0, 0.0),
    ] {
        let mut port = Port::new(json!({}), 1);
        port.frm(0, 50_000.0);
        port.end();
        port.vbr(vbr);
        port.data(0, abr);
        port.end();
        assert!(
            (port.erica.load_factor() - z).abs() < 1e-9 || port.erica.load_factor() == z,
            "{vbr} {abr}"
        );
        assert!(
            (port.erica.fair_share() - share).abs() < 1e-6,
            "{vbr} {abr}"
        );
        assert!((port.er(0) - er).abs() < 1e-6, "{vbr} {abr}");
    }
}

#[test]
fn zero_input_is_the_fair_share_or_zero_load() {
    // Two channels with CCR of 60,000 and averaging: after two silent intervals N is
    // 2 * 0.9 * 0.9 = 1.62 and the fair share 61,728 cells/s.
    for (policy, expected) in [("fair-share", 100_000.0 / 1.62), ("zero-load", 100_000.0)] {
        let mut port = Port::new(
            json!({ "average_sources": true, "zero_input_policy": policy }),
            2,
        );
        port.frm(0, 80_000.0);
        port.frm(1, 80_000.0);
        (0..3).for_each(|_| port.end());
        near(port.er(0), expected);
    }
}

#[test]
fn before_the_first_interval_all_channels_or_one_share_the_capacity() {
    // 100,000 cells/s over 4 channels, or over the single one that the scheme assumes.
    for (initial, expected) in [("established", 25_000.0), ("one", 100_000.0)] {
        let mut port = Port::new(json!({ "initial_sources": initial }), 4);
        near(port.erica.fair_share(), expected);
        near(port.er(0), expected);
    }
}

#[test]
fn zero_input_gives_the_fair_share_and_not_the_largest_allocation() {
    let mut port = Port::new(json!({ "average_sources": true }), 2);
    port.frm(0, 80_000.0);
    port.frm(1, 20_000.0);
    port.data(0, 98);
    port.end();
    near(port.er(0), 80_000.0);
    port.end();
    near(port.er(0), 100_000.0 / 1.8);
}

#[test]
fn a_passing_brm_does_not_tell_the_rate_of_the_forward_channel() {
    let mut port = Port::new(json!({}), 2);
    port.frm(0, 90_000.0);
    let now = port.now();
    port.erica.on_forward(
        now,
        0,
        &mut Info::rm(Kind::Brm, false).passing(),
        Some(&mut rm(PCR, 1.0)),
        0,
    );
    port.data(1, 98);
    port.end();
    near(port.er(0), 90_000.0);
}

#[test]
fn the_largest_allocation_is_given_to_all_without_overload() {
    for (max_alloc, expected) in [(true, 80_000.0), (false, 60_000.0)] {
        let mut port = Port::new(json!({ "max_alloc": max_alloc, "delta": 0.1 }), 2);
        // Load 1: the channels keep 80,000 and 20,000, the largest allocation becomes 80,000.
        port.frm(0, 80_000.0);
        port.frm(1, 20_000.0);
        port.data(0, 98);
        port.end();
        near(port.er(0), 80_000.0);
        // Load 1.05 is no overload with delta = 0.1. Channel 1 now runs at 63,000 = 1.05 * 60,000.
        port.frm(1, 63_000.0);
        port.data(0, 104);
        port.end();
        near(port.er(1), expected);
    }
}

#[test]
fn a_channel_below_the_fair_share_rises_no_further_at_once() {
    for (clip, expected) in [(true, 50_000.0), (false, 80_000.0)] {
        let mut port = Port::new(json!({ "clip_to_fair_share": clip }), 2);
        // Load 0.5: channel 1 with CCR 40,000 would get 80,000, above the fair share of 50,000.
        port.frm(0, 10_000.0);
        port.frm(1, 40_000.0);
        port.data(0, 48);
        port.end();
        near(port.er(1), expected);
    }
}

#[test]
fn the_feedback_is_at_most_the_capacity() {
    for (clip, expected) in [(true, 100_000.0), (false, 180_000.0)] {
        let mut port = Port::new(json!({ "clip_to_capacity": clip }), 2);
        port.frm(0, 90_000.0);
        port.data(1, 49);
        port.end();
        near(port.er(0), expected); // 90,000 / 0.5
    }
}

#[test]
fn a_channel_gets_one_feedback_per_interval() {
    let mut port = Port::new(json!({}), 1);
    port.frm(0, 100_000.0);
    port.data(0, 199);
    port.end();
    near(port.er(0), 100_000.0);
    port.frm(0, 10.0);
    near(port.er(0), 100_000.0);
    port.end();
    near(port.er(0), 100_000.0); // the fair share of the only channel
}

#[test]
fn an_interval_ends_with_its_last_cell_which_belongs_to_it() {
    let mut port = Port::new(json!({ "interval_cells": "4 cells" }), 1);
    for cell in 1..=4u64 {
        port.erica.on_forward(
            Ps::from_us(10 * cell),
            0,
            &mut Info::data(0).passing(),
            None,
            0,
        );
    }
    // 4 cells in 40 us are 100,000 cells/s.
    assert_eq!(port.erica.counters().intervals, 1);
    near(port.erica.load_factor(), 1.0);
    assert_eq!(port.erica.wake_at(), Ps::from_us(1_040));
}

#[test]
fn simultaneous_cells_end_no_interval() {
    let mut port = Port::new(json!({ "interval_cells": "1 cells" }), 1);
    port.erica
        .on_forward(Ps::ZERO, 0, &mut Info::data(0).passing(), None, 0);
    assert_eq!(port.erica.counters().intervals, 0);
    port.erica
        .on_forward(Ps(1), 0, &mut Info::data(0).passing(), None, 0);
    assert_eq!(port.erica.counters().intervals, 1);
}

#[test]
fn the_target_is_a_share_of_the_link_or_of_what_vbr_leaves() {
    // 0.9 * 100 - 50 = 40 cells per ms, or 0.9 * (100 - 50) = 45.
    for (form, expected) in [("of-link", 40_000.0), ("of-remainder", 45_000.0)] {
        let mut port = Port::new(
            json!({ "target_utilisation": 0.9, "capacity_form": form }),
            1,
        );
        port.vbr(50);
        port.end();
        near(port.erica.abr_capacity(), expected);
    }
}

#[test]
fn load_is_averaged_as_a_factor_or_by_its_components() {
    let load = |averaging: &str| {
        let mut port = Port::new(
            json!({ "load_averaging": averaging, "load_weight": 0.5 }),
            1,
        );
        port.data(0, 100);
        port.end();
        port.vbr(50);
        port.data(0, 150);
        port.end();
        port.erica.load_factor()
    };
    near(load("none"), 3.0); // 150 / 50
    near(load("load-factor"), 2.0); // 1 -> (1 + 1) / 2 -> (1 + 3) / 2
    // Weights 1/4 and 1/2: (25 + 75) cells against (25 + 25).
    near(load("components"), 2.0);
}

#[test]
fn an_average_restarts_after_overload_without_capacity_and_on_request_after_silence() {
    let load = |reset: bool, vbr: u64, first: u64| {
        let mut port = Port::new(
            json!({ "load_averaging": "load-factor", "load_weight": 0.5, "reset_on_zero": reset }),
            1,
        );
        port.vbr(vbr);
        port.data(0, first);
        port.end();
        port.data(0, 200);
        port.end();
        port.erica.load_factor()
    };
    near(load(false, 100, 10), 2.0); // infinite, then 2
    near(load(false, 0, 0), 1.25); // 1 -> 0.5 -> (0.5 + 2) / 2
    near(load(true, 0, 0), 2.0); // 0, then 2
}

#[test]
fn active_channels_are_counted_per_interval_or_decay() {
    let active = |average: bool| {
        let mut port = Port::new(json!({ "average_sources": average }), 3);
        port.data(0, 1);
        port.data(1, 1);
        port.end();
        port.data(2, 5);
        port.end();
        let second = port.erica.active_sources();
        port.data(0, 1);
        port.end();
        (second, port.erica.active_sources())
    };
    assert_eq!(active(false), (1.0, 1.0));
    let (second, third) = active(true);
    near(second, 2.8); // 0.9 + 0.9 + 1
    near(third, 2.71); // 1 + 0.81 + 0.9
}

#[test]
fn averaged_contributions_equal_the_sum_over_all_channels() {
    let mut port = Port::new(json!({ "average_sources": true }), 5);
    let mut contributions = [0.0f64; 5];
    for interval in 0..400u32 {
        let slot = (interval * interval / 7 % 5) as usize;
        if !(150..250).contains(&interval) {
            port.data(slot as u32, 1);
            contributions[slot] = 1.0;
        }
        port.end();
        near(
            port.erica.active_sources(),
            contributions.iter().sum::<f64>().max(1.0),
        );
        contributions
            .iter_mut()
            .for_each(|contribution| *contribution *= 0.9);
    }
}

#[test]
fn a_new_channel_lowers_the_fair_share_at_once_where_it_is_asked_for() {
    let share = |changes: Value| {
        let mut port = Port::new(changes, 2);
        port.data(0, 10);
        port.end();
        port.data(0, 10);
        port.data(1, 10);
        port.erica.fair_share()
    };
    near(share(json!({})), 100_000.0);
    near(share(json!({ "immediate_fair_share": true })), 50_000.0);
    near(
        share(json!({ "immediate_fair_share": true, "average_sources": true })),
        50_000.0,
    );
}

#[test]
fn in_the_first_interval_all_established_channels_are_counted_already() {
    let mut port = Port::new(json!({ "immediate_fair_share": true }), 2);
    port.data(0, 1);
    near(port.erica.fair_share(), 50_000.0);
}

#[test]
fn an_averaged_channel_that_returns_counts_for_what_has_decayed() {
    let mut port = Port::new(
        json!({ "immediate_fair_share": true, "average_sources": true }),
        2,
    );
    port.data(0, 1);
    port.data(1, 1);
    port.end();
    port.data(0, 1);
    port.end();
    // N is 1.9. Channel 1 contributes 0.81 now and 0.9 then, so it adds 1 - 0.81 / 0.9 = 0.1.
    port.data(0, 1);
    port.data(1, 1);
    near(port.erica.active_sources(), 2.0);
}

#[test]
fn the_rate_of_a_channel_is_measured_where_it_is_asked_for() {
    let er = |per_vc: bool| {
        let mut port = Port::new(json!({ "per_vc_ccr": per_vc }), 2);
        // Channel 0 claims 90,000 but sends 60 cells per ms; the load is 1.2.
        port.frm(0, 90_000.0);
        port.data(0, 59);
        port.data(1, 60);
        port.end();
        port.data(0, 1); // must not disturb the measurement of the interval before
        port.er(0)
    };
    near(er(false), 75_000.0);
    near(er(true), 50_000.0);
}

#[test]
fn a_rate_is_measured_over_the_true_length_of_an_interval() {
    let mut port = Port::new(
        json!({ "per_vc_ccr": true, "interval_cells": "40 cells" }),
        2,
    );
    // 30 + 10 cells in 200 us: 150,000 and 50,000 cells/s, load 2.
    let mut at = |slot, us| {
        port.erica
            .on_forward(Ps::from_us(us), slot, &mut Info::data(0).passing(), None, 0)
    };
    (0..30).for_each(|_| at(0, 100));
    (0..10).for_each(|_| at(1, 200));
    near(port.erica.load_factor(), 40.0 / 20.0);
    assert_eq!(port.erica.counters().intervals, 1);
    near(port.er(0), 75_000.0);
}

#[test]
fn a_measured_rate_is_zero_after_a_silent_interval() {
    // Channel 0 sends 90 cells, then none while two others share a load of 1. Its cells of the
    // present interval must not bring the 90 back, which would give it 90,000.
    for cells_now in [0, 1] {
        let mut port = Port::new(json!({ "per_vc_ccr": true, "max_alloc": false }), 3);
        port.data(0, 90);
        port.end();
        port.data(1, 50);
        port.data(2, 50);
        port.end();
        port.data(0, cells_now);
        near(port.er(0), 50_000.0);
    }
}

#[test]
fn a_brm_shows_that_a_channel_is_active_where_it_is_asked_for() {
    for (both, expected) in [(false, 1.0), (true, 2.0)] {
        let mut port = Port::new(json!({ "bidirectional_counting": both }), 2);
        port.data(0, 10);
        port.er(1);
        port.er(1);
        port.end();
        assert_eq!(port.erica.active_sources(), expected);
    }
}

#[test]
fn queue_control_scales_what_vbr_leaves_of_the_whole_link() {
    let mut port = Port::new(json!({ "queue_control": {} }), 1);
    port.vbr(50);
    port.queue = 25; // Q0 at 50,000 cells/s
    port.end();
    near(port.erica.abr_capacity(), 50_000.0);
    port.vbr(50);
    port.queue = 0;
    port.end();
    near(port.erica.abr_capacity(), 52_500.0);
    let plain: EricaConfig = serde_json::from_value(json!({})).unwrap();
    let plus: EricaConfig = serde_json::from_value(json!({ "queue_control": {} })).unwrap();
    assert_eq!((plain.utilisation(), plus.utilisation()), (0.9, 1.0));
}

#[test]
fn the_errors_under_tcp_are_counted() {
    let mut port = Port::new(json!({}), 3);
    port.end(); // silence
    port.er(0);
    port.end(); // a BRM without input: out of phase
    port.data(1, 3);
    port.vbr(100);
    port.er(1);
    port.end(); // no capacity
    assert_eq!(port.er(0), 0.0);
    let found = *port.erica.counters();
    assert_eq!(
        (found.intervals, found.without_input, found.out_of_phase),
        (3, 2, 1)
    );
    assert_eq!((found.seen, found.established, found.zero_er), (1, 3, 1));
}

#[test]
fn er_is_only_lowered() {
    let mut port = Port::new(json!({}), 1);
    let mut brm = rm(5.0, 0.0);
    port.erica.on_backward(Ps::ZERO, 0, &mut brm, 0);
    assert_eq!(brm.er, 5.0);
}

#[test]
fn rates_converge_to_max_min_from_any_start() {
    // Four channels at one link of 100,000 cells/s, channel 3 limited to 10,000 elsewhere: the
    // others get 30,000 each. One round of feedback per interval.
    for start in [
        [1_000.0, 90_000.0, 40_000.0, 10_000.0],
        [500.0, 500.0, 99_000.0, 10_000.0],
    ] {
        let mut rates = start;
        let mut port = Port::new(json!({}), 4);
        for _ in 0..60 {
            for (slot, rate) in rates.iter().enumerate() {
                port.frm(slot as u32, *rate);
                port.data(
                    slot as u32,
                    (*rate / 1_000.0) as u64 - (*rate >= 1_000.0) as u64,
                );
            }
            port.end();
            for (slot, rate) in rates.iter_mut().enumerate() {
                *rate = port
                    .er(slot as u32)
                    .min(if slot == 3 { 10_000.0 } else { PCR });
            }
        }
        for (rate, fair) in rates.iter().zip([30_000.0, 30_000.0, 30_000.0, 10_000.0]) {
            assert!((rate - fair).abs() < 0.05 * fair, "{rates:?}");
        }
    }
}

#[test]
fn rates_converge_to_max_min_over_two_links() {
    // Channel 0 crosses both links, 1 and 2 the first, 3 the second. The first link gives a third
    // to each of its channels, so the second has two thirds for channel 3.
    let mut rates = [90_000.0, 1_000.0, 5_000.0, 99_000.0f64];
    let mut ports = [Port::new(json!({}), 4), Port::new(json!({}), 4)];
    let crosses: [&[usize]; 2] = [&[0, 1, 2], &[0, 3]];
    for _ in 0..60 {
        for (port, slots) in ports.iter_mut().zip(crosses) {
            for slot in slots {
                port.frm(*slot as u32, rates[*slot]);
                port.data(
                    *slot as u32,
                    (rates[*slot] / 1_000.0) as u64 - (rates[*slot] >= 1_000.0) as u64,
                );
            }
            port.end();
        }
        rates = [PCR; 4];
        for (port, slots) in ports.iter_mut().zip(crosses) {
            slots
                .iter()
                .for_each(|slot| rates[*slot] = rates[*slot].min(port.er(*slot as u32)));
        }
    }
    for (rate, fair) in rates.iter().zip([33_333.0, 33_333.0, 33_333.0, 66_667.0]) {
        assert!((rate - fair).abs() < 0.05 * fair, "{rates:?}");
    }
}

/// Feedback over 200 intervals of bursts, silence and changing VBR.
fn behaviour(changes: Value) -> Vec<f64> {
    let mut port = Port::new(changes, 4);
    let mut feedback = Vec::new();
    for round in 0..200u64 {
        port.queue = round * 13 % 400;
        port.vbr(round * 7 % 110);
        for slot in 0..4u64 {
            if !(round + slot).is_multiple_of(slot + 2) && round % 11 < 8 {
                feedback.push(port.forward_er(
                    slot as u32,
                    PCR,
                    (1 + slot) as f64 * 9_000.0 + round as f64,
                ));
                port.data(slot as u32, (round * (slot + 3)) % 50);
            }
            let brm = port.brm(slot as u32);
            feedback.extend([brm.er, brm.ci as u8 as f64]);
        }
        // In some cases the interval ends earlier than after 1 ms; then only time passes.
        port.interval += 1;
        let now = Ps::from_ms(port.interval);
        while port.erica.wake_at() <= now {
            let due = port.erica.wake_at();
            port.erica.wake(due, port.queue, 1);
        }
    }
    feedback
}

#[test]
fn every_parameter_changes_the_feedback() {
    let averaged = json!({ "average_sources": true });
    let cases = [
        ("target_utilisation", json!({}), json!(0.8)),
        (
            "capacity_form",
            json!({ "target_utilisation": 0.9 }),
            json!("of-remainder"),
        ),
        ("interval", json!({}), json!("500 us")),
        ("interval_cells", json!({}), json!("50 cells")),
        ("delta", json!({}), json!(0.5)),
        ("max_alloc", json!({}), json!(false)),
        ("clip_to_fair_share", json!({}), json!(false)),
        ("clip_to_capacity", json!({}), json!(false)),
        ("load_averaging", json!({}), json!("components")),
        ("load_averaging", json!({}), json!("load-factor")),
        (
            "load_weight",
            json!({ "load_averaging": "components" }),
            json!(0.7),
        ),
        (
            "reset_on_zero",
            json!({ "load_averaging": "load-factor" }),
            json!(true),
        ),
        ("average_sources", json!({}), json!(true)),
        ("source_decay", averaged.clone(), json!(0.5)),
        ("immediate_fair_share", json!({}), json!(true)),
        ("per_vc_ccr", json!({}), json!(true)),
        ("bidirectional_counting", json!({}), json!(true)),
        ("mark_forward", json!({}), json!(true)),
        ("zero_input_policy", averaged, json!("zero-load")),
        ("initial_sources", json!({}), json!("one")),
        ("ci_threshold", json!({}), json!("100 cells")),
        ("queue_control", json!({}), json!({})),
        (
            "queue_control",
            json!({ "queue_control": {} }),
            json!({ "target_delay": "100 us" }),
        ),
        (
            "queue_control",
            json!({ "queue_control": {} }),
            json!({ "a": 1.5 }),
        ),
        (
            "queue_control",
            json!({ "queue_control": {} }),
            json!({ "b": 1.0 }),
        ),
        (
            "queue_control",
            json!({ "queue_control": {} }),
            json!({ "drain_limit": 0.8 }),
        ),
        (
            "queue_control",
            json!({ "queue_control": {} }),
            json!({ "function": "linear" }),
        ),
        (
            "queue_control",
            json!({ "queue_control": { "function": "linear" } }),
            json!({ "function": "step" }),
        ),
        (
            "queue_control",
            json!({ "queue_control": { "function": "step" } }),
            json!({ "function": "hysteresis" }),
        ),
    ];
    for key in serde_json::to_value(EricaConfig::default())
        .unwrap()
        .as_object()
        .unwrap()
        .keys()
    {
        assert!(cases.iter().any(|case| case.0 == key), "no case for {key}");
    }
    for (key, base, value) in cases {
        let mut changed = base.clone();
        changed[key] = value.clone();
        assert!(
            behaviour(base) != behaviour(changed),
            "{key} = {value} changes nothing"
        );
    }
}

#[test]
fn impossible_parameters_are_found() {
    for (key, value) in [
        ("target_utilisation", json!(0.0)),
        ("interval", json!("0 s")),
        ("interval_cells", json!("0 cells")),
        ("delta", json!(-0.1)),
        ("load_weight", json!(0.0)),
        // Smaller weights have no effect on averages.
        ("load_weight", json!(5e-324)),
        ("source_decay", json!(1.5)),
    ] {
        let findings = config(json!({ key: value })).check(SwitchFacts::ANY);
        assert!(
            findings.len() == 1 && findings[0].field == key && findings[0].is_fatal(false),
            "{key}"
        );
    }
    let queue_control = json!({ "queue_control": { "a": 1.0, "b": 0.9, "drain_limit": 2.0 } });
    assert_eq!(config(queue_control).check(SwitchFacts::ANY).len(), 3);
    for function in ["hyperbolic", "linear", "step", "hysteresis"] {
        let crossed = json!({ "queue_control": { "function": function, "drain_delay": "100 us" } });
        let expected: &[&str] = if function == "hyperbolic" {
            &[]
        } else {
            &["queue_control.drain_delay"]
        };
        let findings = config(crossed).check(SwitchFacts::ANY);
        assert_eq!(
            findings
                .iter()
                .map(|finding| finding.field)
                .collect::<Vec<_>>(),
            expected,
            "{function}"
        );
    }
    // Rates would be infinite.
    let steep = json!({ "queue_control": { "a": 1e300, "b": 1e300 } });
    assert_eq!(config(steep).check(SwitchFacts::ANY).len(), 2);
    assert_eq!(EricaConfig::default().check(SwitchFacts::ANY), []);
}

//! Random operations on every registered control scheme, with what a switch must never do
//! (TM 4.0 section 5.10.6).

use crate::support::repeatable::repeatable;
use cellrate_engine::atm::cell::{Info, Kind, RmCell};
use cellrate_engine::component::Component;
use cellrate_engine::control::{Control, ControlConfig, PortFacts, SwitchControl, SwitchFacts, schemes};
use cellrate_engine::kernel::{Ps, Rate};
use proptest::prelude::*;
use serde_json::json;

const CHANNELS: usize = 4;

#[derive(Clone, Copy, Debug)]
enum Operation {
    /// Time passes, in ns; due wakes come on the way.
    Wait(u64),
    /// The queue takes this length.
    Queue(u64),
    Data {
        slot: u32,
        efci: bool,
    },
    Frm {
        slot: u32,
        rm: [f64; 2],
        bits: [bool; 2],
    },
    Brm {
        slot: u32,
        rm: [f64; 2],
        bits: [bool; 2],
    },
    Background,
    Dequeue,
}

fn operation() -> impl Strategy<Value = Operation> {
    let slot = || 0..CHANNELS as u32;
    let rate = || prop_oneof![Just(0.0), Just(f64::MIN_POSITIVE), 0.0..4e5];
    let rm = move || (slot(), [rate(), rate()], any::<[bool; 2]>());
    prop_oneof![
        3 => prop_oneof![0u64..10_000, 0u64..3_000_000].prop_map(Operation::Wait),
        2 => (0u64..2_000).prop_map(Operation::Queue),
        4 => (slot(), any::<bool>()).prop_map(|(slot, efci)| Operation::Data { slot, efci }),
        2 => rm().prop_map(|(slot, rm, bits)| Operation::Frm { slot, rm, bits }),
        3 => rm().prop_map(|(slot, rm, bits)| Operation::Brm { slot, rm, bits }),
        1 => Just(Operation::Background),
        2 => Just(Operation::Dequeue),
    ]
}

struct Model {
    control: Control,
    now: Ps,
    queue: u64,
    log: Vec<(Info, Option<RmCell>)>,
}

impl Model {
    fn apply(&mut self, operation: Operation) {
        match operation {
            Operation::Wait(ns) => self.advance(self.now + Ps::from_ns(ns)),
            Operation::Queue(queue) => self.queue = queue,
            Operation::Data { slot, efci } => {
                let mut info = Info::data(0);
                if efci {
                    info.mark_efci();
                }
                self.forward(slot, info, None);
            }
            Operation::Frm { slot, rm, bits } => self.forward(slot, Info::rm(Kind::Frm, false), Some(cell(rm, bits))),
            Operation::Brm { slot, rm, bits } => self.backward(slot, cell(rm, bits)),
            Operation::Background => self.control.on_background(self.now),
            Operation::Dequeue => self.dequeue(),
        }
    }

    fn advance(&mut self, until: Ps) {
        while self.control.wake_at() <= until {
            self.now = self.control.wake_at();
            self.control.wake(self.now, self.queue);
            assert!(self.control.wake_at() > self.now, "a wake must make progress");
        }
        self.now = until;
    }

    fn forward(&mut self, slot: u32, before: Info, rm: Option<RmCell>) {
        let (mut info, mut after) = (before, rm);
        self.control.on_forward(self.now, slot, &mut info, after.as_mut(), self.queue);
        self.observe(before, info, rm, after);
    }

    fn backward(&mut self, slot: u32, before: RmCell) {
        let mut after = before;
        self.control.on_backward(self.now, slot, &mut after, self.queue);
        let info = Info::rm(Kind::Brm, false);
        self.observe(info, info, Some(before), Some(after));
    }

    fn dequeue(&mut self) {
        if self.control.marks_at_dequeue() {
            let mut info = Info::data(0);
            self.control.on_dequeue(self.now, &mut info, self.queue);
            self.observe(Info::data(0), info, None, None);
        }
    }

    fn observe(&mut self, before: Info, after: Info, rm_before: Option<RmCell>, rm_after: Option<RmCell>) {
        assert!(after.efci() || !before.efci(), "EFCI was cleared");
        let mut expected = before;
        if after.efci() {
            expected.mark_efci();
        }
        assert_eq!(after, expected, "more than EFCI was changed");
        if let (Some(before), Some(after)) = (rm_before, rm_after) {
            assert!(after.er >= 0.0 && after.er <= before.er, "ER went from {} to {}", before.er, after.er);
            assert!(after.ci >= before.ci && after.ni >= before.ni, "CI or NI was cleared");
            assert_eq!((after.ccr, after.mcr, after.bn), (before.ccr, before.mcr, before.bn));
        }
        self.log.push((after, rm_after));
    }
}

fn cell([er, ccr]: [f64; 2], [ci, ni]: [bool; 2]) -> RmCell {
    RmCell { er, ccr, mcr: 0.0, ci, ni, bn: false }
}

/// Every scheme with its defaults, and ERICA with everything switched on.
fn configurations() -> Vec<ControlConfig> {
    let mut parameters: Vec<_> = schemes().iter().map(|scheme| json!({ "scheme": scheme.name })).collect();
    parameters.push(json!({ "scheme": "efci", "high": "50 cells", "low": "10 cells", "mark_at": "enqueue" }));
    for (averaging, policy) in [("load-factor", "fair-share"), ("components", "zero-load")] {
        parameters.push(json!({
            "scheme": "erica", "interval_cells": "5 cells", "load_averaging": averaging, "reset_on_zero": true,
            "average_sources": true, "immediate_fair_share": true, "per_vc_ccr": true,
            "bidirectional_counting": true, "zero_input_policy": policy, "queue_control": {},
            "clip_to_fair_share": false, "clip_to_capacity": false,
        }));
    }
    parameters.into_iter().map(|p| serde_json::from_value(p).expect("valid parameters")).collect()
}

fn run(config: &ControlConfig, operations: &[Operation]) -> Vec<(Info, Option<RmCell>)> {
    let facts = PortFacts { rate: Rate::from_bps(155_520_000), channels: CHANNELS };
    let mut model = Model { control: config.build(facts), now: Ps::ZERO, queue: 0, log: Vec::new() };
    operations.iter().for_each(|operation| model.apply(*operation));
    model.log
}

proptest! {
    #![proptest_config(repeatable(100))]

    #[test]
    fn every_scheme_keeps_the_rules_of_a_switch_and_repeats_itself(
        operations in prop::collection::vec(operation(), 1..200),
    ) {
        for config in configurations() {
            prop_assert_eq!(run(&config, &operations), run(&config, &operations), "{}", config.name());
        }
    }
}

#[test]
fn the_registry_builds_every_scheme_by_its_name() {
    for Component { name, about, source } in schemes() {
        let config: ControlConfig = serde_json::from_value(json!({ "scheme": name })).unwrap();
        assert_eq!(config.name(), *name);
        assert_eq!(config.check(SwitchFacts::ANY), []);
        assert_eq!(serde_json::from_value::<ControlConfig>(serde_json::to_value(&config).unwrap()).unwrap(), config);
        assert!(!about.is_empty() && !source.is_empty());
    }
    assert_eq!(ControlConfig::default().name(), "none");
}

//! Whole runs, bit by bit: a change of any figure here is a change of results. The figures are the
//! same in debug and release builds, on every platform.

use std::fmt::Write;

use crate::support::plans::{Dumbbell, back, flow};
use cellrate_engine::atm::cell::ServiceClass::{self, Abr, Cbr, Random, Ubr, Vbr};
use cellrate_engine::atm::plan::{FlowPlan, Plan, SwitchPlan};
use cellrate_engine::atm::server::LazyServer;
use cellrate_engine::atm::{Report, Simulation};
use cellrate_engine::kernel::units::Buffer;
use cellrate_engine::kernel::{Ps, Rate};
use cellrate_engine::tcp::{Clock, Recovery, TcpConfig};
use cellrate_engine::traffic::SourceConfig;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

fn read<T: DeserializeOwned>(value: Value) -> T {
    serde_json::from_value(value).unwrap()
}

fn switch(buffer: u64, control: Value, discard: Value) -> SwitchPlan {
    SwitchPlan {
        clp_threshold: None,
        buffer: Buffer(buffer),
        priority: vec![vec![Cbr, Vbr], vec![Abr, Ubr, Random]],
        control: read(control),
        discard: read(discard),
        vsvd: None,
        rm_first: false,
        schedule: None,
    }
}

/// Flows over a dumbbell of 25.6 Mbit/s lines, with changes to single flows.
fn plan(
    flows: usize,
    delay: Ps,
    settings: &SwitchPlan,
    change: impl Fn(usize, &mut FlowPlan),
) -> Plan {
    let dumbbell = Dumbbell::new(flows, Rate::from_bps(25_600_000), delay, settings);
    let greedy: SourceConfig = read(json!({"kind": "greedy"}));
    let flows = dumbbell.paths.iter().enumerate().map(|(number, path)| {
        let mut flow = flow(
            &format!("f.{}", number + 1),
            Ubr,
            greedy.clone(),
            path.clone(),
        );
        flow.backward = back(path);
        flow.tcp = TcpConfig {
            granularity: Ps::from_ms(10),
            min_rto: Ps::from_ms(100),
            initial_rto: Ps::from_ms(300),
            ..flow.tcp
        };
        change(number, &mut flow);
        flow
    });
    dumbbell.graph.plan(flows.collect())
}

fn cells(number: usize, flow: &mut FlowPlan, service: ServiceClass, source: Value) {
    flow.source = read(source);
    flow.start = Ps::from_us(7 * number as u64);
    (flow.service, flow.ack_service) = (service, service);
}

fn tcp(recovery: Recovery) -> impl Fn(usize, &mut FlowPlan) {
    move |number, flow| {
        flow.tcp.recovery = recovery.clone();
        flow.start = Ps::from_ms(5 * number as u64);
    }
}

fn abr(number: usize, flow: &mut FlowPlan) {
    tcp(Recovery::Tahoe)(number, flow);
    (flow.service, flow.ack_service) = (Abr, Abr);
    flow.abr.icr = Some(Rate::from_bps(2_000_000));
}

fn plans() -> Vec<(&'static str, Plan)> {
    let tail = || json!({"policy": "tail-drop"});
    let none = || json!({"scheme": "none"});
    let (lan, wan) = (Ps::from_us(5), Ps::from_ms(5));
    let fifo = switch(50, none(), tail());
    let cbr = |number: usize, flow: &mut FlowPlan| {
        let rate = format!("{} kbit/s", 1_690 + 7 * number);
        cells(number, flow, Cbr, json!({"kind": "cbr", "rate": rate}));
    };
    let poisson = |number: usize, flow: &mut FlowPlan| {
        cells(
            number,
            flow,
            Random,
            json!({"kind": "poisson", "rate": "8.2 Mbit/s"}),
        );
    };
    let erica = |queue: bool| {
        let mut erica = json!({"scheme": "erica", "interval": "5 ms"});
        if queue {
            erica["queue_control"] = json!({"target_delay": "2 ms"});
        }
        switch(u64::MAX, erica, tail())
    };
    let with_vbr = |number: usize, flow: &mut FlowPlan| match number {
        0 => cells(
            0,
            flow,
            Vbr,
            json!({"kind": "on-off", "peak": "20 Mbit/s", "period": "40 ms", "duty_cycle": 0.5}),
        ),
        _ => abr(number, flow),
    };
    let slow_hosts = |number: usize, flow: &mut FlowPlan| {
        tcp(Recovery::Reno)(number, flow);
        flow.tcp.delayed_ack = true;
        (flow.tcp.processing_time, flow.tcp.processing_variation) =
            (Ps::from_us(300), Ps::from_us(100));
        flow.source = read(json!({"kind": "transfer", "size": "300 kB"}));
    };
    let efci = json!({"scheme": "efci", "high": "60 cells", "low": "40 cells"});
    let relays = |vsvd: Value| SwitchPlan {
        vsvd: Some(read(vsvd)),
        ..erica(true)
    };
    let measured = json!({"vc_rate": "measured", "input": "class-queue", "update": "backward", "limit_source": true});
    let credited = |number: usize, flow: &mut FlowPlan| {
        tcp(Recovery::NewReno)(number, flow);
        flow.source_queue = Buffer(100);
    };
    let credit = |fcvc: Value, errors: Value| {
        let mut plan = plan(4, lan, &switch(u64::MAX, none(), tail()), credited);
        (plan.fcvc, plan.errors) = (Some(read(fcvc)), read(errors));
        plan
    };
    vec![
        ("cbr, wide", plan(15, wan, &fifo, cbr)),
        ("cbr, local", plan(15, lan, &fifo, cbr)),
        ("poisson", plan(3, wan, &fifo, poisson)),
        (
            "tahoe over ubr",
            plan(5, wan, &switch(300, none(), tail()), tcp(Recovery::Tahoe)),
        ),
        (
            "reno, early packet discard",
            plan(
                5,
                wan,
                &switch(300, none(), json!({"policy": "epd"})),
                tcp(Recovery::Reno),
            ),
        ),
        (
            "jacobson88, partial packet discard",
            plan(
                5,
                wan,
                &switch(200, none(), json!({"policy": "ppd"})),
                tcp(Recovery::Jacobson88),
            ),
        ),
        (
            "timeout-only, intelligent tail drop",
            plan(
                5,
                wan,
                &switch(200, none(), json!({"policy": "intelligent-tail-drop"})),
                tcp(Recovery::TimeoutOnly),
            ),
        ),
        ("efci", plan(5, wan, &switch(2_000, efci, tail()), abr)),
        ("erica under vbr", plan(5, wan, &erica(false), with_vbr)),
        (
            "erica with queue control, local",
            plan(5, lan, &erica(true), with_vbr),
        ),
        ("virtual sources", plan(3, wan, &relays(json!({})), abr)),
        (
            "virtual sources, measured",
            plan(3, lan, &relays(measured), abr),
        ),
        ("credit", credit(json!({"n3": "40 cells"}), json!({}))),
        (
            "adaptive credit, lossy links",
            credit(
                json!({"allocation": "adaptive", "mark_interval": "2 ms"}),
                json!({"lose_every": 1_000}),
            ),
        ),
        (
            "slow hosts",
            plan(4, lan, &switch(80, none(), tail()), slow_hosts),
        ),
    ]
}

fn row(name: &str, report: &Report) -> String {
    let sum = |count: fn(&cellrate_engine::atm::report::FlowReport) -> u64| {
        report.flows.iter().map(count).sum::<u64>()
    };
    let longest = report
        .ports
        .iter()
        .flat_map(|port| &port.queues)
        .map(|queue| queue.queue_max_cells)
        .max();
    format!(
        "{name:<36} {} {:>8} {:>8} {:>7} {:>9} {:>5} {:>4} {:>6}",
        report.digest,
        report.cell_hops,
        report.totals.cells_sent,
        report.totals.cells_dropped,
        sum(|flow| flow.delivered_bytes),
        sum(|flow| flow.segments_retransmitted),
        sum(|flow| flow.timeouts),
        longest.unwrap_or(0),
    )
}

/// The runs with the given TCP clock.
fn table(clock: Clock) -> String {
    let mut table = format!(
        "{:<36} {:<16} {:>8} {:>8} {:>7} {:>9} {:>5} {:>4} {:>6}\n",
        "run", "digest", "hops", "cells", "dropped", "delivered", "again", "rto", "queue"
    );
    for (name, mut plan) in plans() {
        plan.flows
            .iter_mut()
            .for_each(|flow| flow.tcp.clock = clock);
        let end = Ps::from_ms(800);
        let report = Simulation::<LazyServer>::new(plan)
            .unwrap()
            .measure(Ps::ZERO, end, end);
        writeln!(table, "{}", row(name, &report)).unwrap();
    }
    table
}

#[test]
fn whole_runs_are_what_they_were() {
    insta::assert_snapshot!(table(Clock::Shared));
}

#[test]
fn whole_runs_of_hosts_with_their_own_clocks_are_what_they_were() {
    insta::assert_snapshot!(table(Clock::PerHost));
}

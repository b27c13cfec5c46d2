//! Random joined networks, through the fast engines and the plain ones.

use super::{Draft, GBPS, US};
use crate::support::random_network::{abr, errors, fcvc, suit_credit, switch, tcp};
use cellrate_engine::atm::cell::ServiceClass;
use cellrate_engine::atm::errors::LinkErrors;
use cellrate_engine::atm::plan::SwitchPlan;
use cellrate_engine::atm::server::{EagerServer, LazyServer};
use cellrate_engine::credit::FcvcConfig;
use cellrate_engine::endsystem::AbrConfig;
use cellrate_engine::ether::plan as frames;
use cellrate_engine::joined::{Joined, JoinedPlan, JoinedReport, Layer, NodeKind};
use cellrate_engine::kernel::units::{Buffer, Bytes};
use cellrate_engine::kernel::{Ps, Rate, Stream};
use cellrate_engine::tcp::{Recovery, TcpConfig};
use cellrate_engine::traffic::SourceConfig;
use cellrate_engine::traffic::cbr::CbrConfig;
use cellrate_engine::traffic::transfer::TransferConfig;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use serde_json::json;

/// Components of a network that have strategies of their own.
type Drawn = (
    u64,
    Vec<SwitchPlan>,
    Vec<(TcpConfig, AbrConfig)>,
    Option<FcvcConfig>,
    Option<LinkErrors>,
);

fn drawn() -> impl Strategy<Value = Drawn> {
    (
        any::<u64>(),
        prop::collection::vec(switch(), 2),
        prop::collection::vec((tcp(), abr()), 1..7),
        prop::option::weighted(0.2, fcvc()),
        prop::option::weighted(0.2, errors()),
    )
}

/// A network of one or two ATM switches in a row. ATM hosts and routers are attached to drawn switches. A router's
/// Ethernet hosts are attached to an Ethernet switch behind the router, or to the router itself.
fn network((seed, mut switches, ends, fcvc, errors): Drawn) -> JoinedPlan {
    let mut stream = Stream::new(seed, "joined", "random networks");
    let mut below = |most: u64| stream.below(Ps(most)).0;
    let mut draft = Draft::new(seed);
    if fcvc.is_some() {
        switches.iter_mut().for_each(suit_credit);
    }
    switches.truncate(1 + below(2) as usize);
    let cells = |us: u64| Rate::from_bps(424_000_000 / us);
    let lines = [cells(1), cells(2), cells(10), Rate::from_bps(155_520_000)];
    let (atm_rates, rates) = (lines, [1, 4, 20].map(|parts| Rate::from_bps(GBPS / parts)));
    let mut backbone = Vec::new();
    for (number, switch) in switches.into_iter().enumerate() {
        let kind = NodeKind::AtmSwitch(Box::new(switch));
        backbone.push(draft.node(&format!("s{number}"), kind));
        if number > 0 {
            let ends = (backbone[number - 1], backbone[number]);
            draft.duplex(Layer::Atm, ends, atm_rates[0], Ps::from_us(1 + below(20)));
        }
    }
    let (mut atm_hosts, mut hosts) = (Vec::new(), Vec::new());
    for number in 0..1 + below(2) {
        let host = draft.host(&format!("a{number}"));
        let at = backbone[below(backbone.len() as u64) as usize];
        draft.duplex(
            Layer::Atm,
            (host, at),
            atm_rates[below(4) as usize],
            Ps::from_us(1 + below(20)),
        );
        atm_hosts.push(host);
    }
    for number in 0..1 + below(3) {
        let mut ports = || {
            let mut ports = frames::SwitchPlan::new([20_000, 100_000, u64::MAX][below(3) as usize]);
            let aqm = [
                json!({ "algorithm": "threshold", "k": "1 packets" }),
                json!({ "algorithm": "red", "min": "1 packets", "max": "5 packets", "weight": 1.0, "ecn": true }),
                json!({ "algorithm": "codel", "target": "50 us", "interval": "500 us" }),
                json!({ "algorithm": "pie" }),
                json!({ "algorithm": "none" }),
            ];
            ports.aqm = serde_json::from_value(aqm[below(5) as usize].clone()).unwrap();
            ports
        };
        let (of_router, of_switch) = (ports(), ports());
        let delay = [Ps::from_us(1), Ps::from_us(10), Ps(1 + below(50 * US))][below(3) as usize];
        let router = draft.router(&format!("r{number}"), delay, of_router);
        let at = backbone[below(backbone.len() as u64) as usize];
        draft.duplex(
            Layer::Atm,
            (router, at),
            atm_rates[below(4) as usize],
            Ps::from_us(1 + below(20)),
        );
        let mut inner = router;
        if below(2) == 0 {
            let kind = NodeKind::EthernetSwitch(Box::new(of_switch));
            inner = draft.node(&format!("f{number}"), kind);
            draft.duplex(
                Layer::Ethernet,
                (router, inner),
                rates[below(3) as usize],
                Ps(below(5 * US)),
            );
        }
        for of_site in 0..1 + below(2) {
            let host = draft.host(&format!("e{number}.{of_site}"));
            draft.duplex(
                Layer::Ethernet,
                (host, inner),
                rates[below(3) as usize],
                Ps(below(5 * US)),
            );
            hosts.push(host);
        }
    }
    hosts.extend(&atm_hosts);
    for (number, (mut tcp, abr)) in ends.into_iter().enumerate() {
        let from = below(hosts.len() as u64) as usize;
        let to = (from + 1 + below(hosts.len() as u64 - 1) as usize) % hosts.len();
        let ends = (hosts[from], hosts[to]);
        (tcp.rtt_excludes_transmission, tcp.initial_ssthresh) = (false, None);
        (tcp.mss, tcp.window) = (Bytes(400 + below(2_000)), Bytes(20_000 + below(200_000)));
        tcp.initial_window = 1 + below(40) as u32;
        tcp.tso = (below(2) == 0).then(|| Bytes(1_024.max((2 + below(5)) * tcp.mss.0)));
        if below(2) == 0 {
            tcp.recovery = Recovery::Dctcp(Default::default());
        }
        draft.flow(&format!("f{number}"), ends, 1 + below(200_000), tcp);
        let flow = draft.0.flows.last_mut().unwrap();
        flow.priority = below(8) as u8;
        let channel = &mut flow.channel;
        (channel.start, channel.abr) = (Ps(below(200 * US)), abr);
        channel.source_queue = [Buffer::INFINITE, Buffer(1 + below(400))][below(2) as usize];
        let is_abr = fcvc.is_none() && below(2) == 0;
        channel.service = if is_abr {
            ServiceClass::Abr
        } else {
            ServiceClass::Ubr
        };
        channel.ack_service = channel.service;
        if atm_hosts.contains(&ends.0) && atm_hosts.contains(&ends.1) {
            (channel.service, channel.ack_service) = (ServiceClass::Cbr, ServiceClass::Cbr);
            channel.source = SourceConfig::Cbr(CbrConfig { rate: cells(3) });
        } else if below(3) == 0 {
            channel.source = SourceConfig::Transfer(TransferConfig {
                size: Bytes(50_000_000),
            });
        }
    }
    (draft.0.fcvc, draft.0.errors) = (fcvc, errors.unwrap_or_default());
    draft.0
}

fn text(report: &JoinedReport) -> String {
    format!("{report:#?}")
}

/// The first pair of lines in which two reports differ; `None` if the reports are equal.
fn differ(one: &str, other: &str) -> Option<String> {
    let mut lines = one.lines().zip(other.lines());
    let found = lines.find(|(one, other)| one != other)?;
    Some(format!("{found:?}"))
}

/// Runs over a window from `from` to `to`, in calls of at most `step`.
fn measured(plan: &JoinedPlan, (from, to): (Ps, Ps), step: Ps) -> JoinedReport {
    let mut joined: Joined<LazyServer> = Joined::new(plan).unwrap();
    let mut now = Ps::ZERO;
    for until in [from, to] {
        while now < until {
            now = (now + step).min(until);
            joined.run_until(now);
        }
        if until == from {
            joined.begin_window();
        }
    }
    joined.end_window();
    joined.report()
}

/// The plain engines change over at each instant, so they know no windows. Steps of a half and of a third of the
/// least forwarding delay cut each window elsewhere. Without losses and timers no segment comes out of order.
#[test]
fn the_fast_engines_equal_the_plain_ones_however_a_run_is_divided() {
    let cases = std::env::var("PROPTEST_CASES").ok();
    let cases: u32 = cases.map_or(120, |text| text.parse().expect("a whole number"));
    let (strategy, mut runner) = (drawn(), TestRunner::deterministic());
    let (mut crossed, mut lost, mut marked, mut in_order, mut records) = (0, 0, 0, 0, 0);
    for case in 0..cases {
        let plan = network(strategy.new_tree(&mut runner).unwrap().current());
        let window = (Ps::from_us(300), Ps::from_ms(3));
        let fast = measured(&plan, window, window.1);
        let mut plain: Joined<EagerServer> = Joined::new(&plan).unwrap();
        plain.run_plainly(window.0);
        plain.begin_window();
        plain.run_plainly(window.1);
        plain.end_window();
        let plain = plain.report();
        assert_eq!(
            differ(&text(&fast), &text(&plain)),
            None,
            "case {case}, plain: {plan:#?}"
        );
        let crossings = plan.divide().unwrap().crossings;
        if let Some(least) = crossings.iter().map(|one| one.delay.0).min() {
            let parts = 2 + u64::from(case % 2);
            let step = Ps((least / parts).max(50 * 1_000));
            let divided = measured(&plan, window, step);
            assert_eq!(
                differ(&text(&fast), &text(&divided)),
                None,
                "case {case}, divided"
            );
        }
        crossed += crossings.len();
        lost += fast.whole.totals.packets_dropped;
        marked += fast.whole.totals.packets_marked;
        records += fast
            .atm
            .vcs
            .iter()
            .map(|channel| channel.frm_cells_sent)
            .sum::<u64>();
        for flow in &fast.whole.flows {
            let Some(balance) = flow.balance else {
                continue;
            };
            if balance.dropped_bytes == 0 && balance.retransmitted_bytes == 0 {
                assert_eq!(flow.duplicate_acks, 0, "case {case}: {plan:#?}");
                in_order += flow.packets_delivered;
            }
        }
    }
    assert!(crossed >= 2 * cases as usize, "{crossed} crossings");
    assert!(
        lost > 500 && marked > 10 && records > 2_000,
        "{lost} {marked} {records}"
    );
    assert!(in_order > 500, "{in_order} packets without losses");
}

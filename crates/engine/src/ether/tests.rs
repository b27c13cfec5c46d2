//! Tests of whole runs, and the functions that these tests share.

extern crate std;
mod by_hand;
mod cbfc;
mod changes;
mod collective;
mod credit;
mod datagrams;
mod errors;
mod expresspass;
mod hpcc;
mod llr;
mod log;
mod nscc;
mod parts;
mod pfc;
mod random;
mod rates;
mod rccc;
mod reports;
mod roce;
mod spraying;
mod swift;
mod timely;
mod trimming;
mod unloaded;

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::frame::Framing;
use super::plan::{FlowPlan, NodePlan, Plan, SwitchPlan};
use super::report::Report;
use super::simulation::Simulation;
use crate::kernel::units::Bytes;
use crate::kernel::{Ps, Rate, Stream};
use crate::net::LinkPlan;
use crate::tcp::TcpConfig;
use crate::traffic::SourceConfig;
use crate::traffic::cbr::CbrConfig;
use crate::traffic::transfer::TransferConfig;

/// Number of random cases: `few`, or the value of the environment variable `PROPTEST_CASES`.
fn cases(few: usize) -> usize {
    let wanted = std::env::var("PROPTEST_CASES").ok();
    wanted.map_or(few, |text| text.parse().expect("a whole number"))
}

const GBPS: u64 = 1_000_000_000;

/// A row of nodes, joined in both directions. The first and the last node are hosts.
fn row(
    nodes: usize,
    rate: Rate,
    delay: Ps,
    buffer: u64,
    flow: impl Fn(Vec<usize>, Vec<usize>) -> FlowPlan,
) -> Plan {
    let is_switch = |node: usize| node > 0 && node + 1 < nodes;
    let node = |node: usize| NodePlan {
        name: format!("N{node}"),
        switch: is_switch(node).then(|| SwitchPlan::new(buffer)),
    };
    let link = |from: usize, to: usize| LinkPlan {
        name: format!("N{from}->N{to}"),
        from,
        to,
        rate,
        delay,
        errors: None,
    };
    let there = (1..nodes).map(|to| link(to - 1, to));
    let back = (1..nodes).rev().map(|from| link(from, from - 1));
    Plan {
        seed: 1,
        framing: Framing::default(),
        fcvc: None,
        pfc: None,
        cbfc: None,
        llr: None,
        changes: Vec::new(),
        port_controls: Vec::new(),
        nodes: (0..nodes).map(node).collect(),
        links: there.chain(back).collect(),
        flows: Vec::from([flow(
            (0..nodes - 1).collect(),
            (nodes - 1..2 * nodes - 2).collect(),
        )]),
    }
}

fn cbr(rate: Rate) -> SourceConfig {
    SourceConfig::Cbr(CbrConfig { rate })
}

fn transfer(bytes: u64) -> SourceConfig {
    SourceConfig::Transfer(TransferConfig { size: Bytes(bytes) })
}

fn text(report: &Report) -> String {
    format!("{report:?}")
}

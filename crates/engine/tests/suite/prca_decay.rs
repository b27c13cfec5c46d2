//! The decay of proportional rate control over a whole network, compared with closed forms: a
//! source that never receives an RM cell without CI.

use crate::support::plans::{Graph, back, cell_time_us, flow, plain_switch};
use cellrate_engine::atm::Simulation;
use cellrate_engine::atm::cell::ServiceClass;
use cellrate_engine::atm::plan::{Plan, SwitchPlan};
use cellrate_engine::kernel::Ps;
use cellrate_engine::traffic::SourceConfig;
use serde_json::{Value, json};

const CELL: u64 = 10;
/// Start of the controlled source, when its link is certainly busy.
const START: Ps = Ps::from_us(100 * CELL);

/// A source that always has cells, and one without control that fills their common link, so that
/// its queue only grows: a switch with a threshold of one cell marks every data cell.
fn congested(abr: Value, delay: Ps) -> Simulation {
    let control =
        serde_json::from_value(json!({"scheme": "efci", "threshold": "0 cells"})).unwrap();
    let mut graph = Graph::default();
    let switch = graph.switch(
        "A",
        SwitchPlan {
            control,
            ..plain_switch()
        },
    );
    let sink = graph.host("sink");
    let exit = graph.duplex(switch, sink, cell_time_us(CELL), delay);
    let mut path = |name: &str| {
        let host = graph.host(name);
        vec![graph.duplex(host, switch, cell_time_us(CELL), delay), exit]
    };
    let (controlled, flood) = (path("controlled"), path("flood"));
    let persistent = || SourceConfig::Persistent(Default::default());
    let mut source = flow("controlled", ServiceClass::Abr, persistent(), controlled);
    source.backward = back(&source.forward);
    source.abr = serde_json::from_value(abr).unwrap();
    source.start = START;
    let flood = flow("flood", ServiceClass::Ubr, persistent(), flood);
    let plan: Plan = graph.plan(vec![source, flood]);
    Simulation::new(plan).unwrap()
}

fn rate(cells_per_second: f64) -> String {
    format!("{cells_per_second} cells/s")
}

/// A source that starts at its PCR, which the first BRM, whose FRM no data cell precedes, cannot
/// raise.
fn source(rules: &str, (mdf, nrm): (u32, u32), pcr: f64, mcr: f64) -> Value {
    json!({"rules": rules, "mdf": mdf, "nrm": nrm, "pcr": rate(pcr), "mcr": rate(mcr), "air": "1000 cells/s"})
}

/// Successive rates of the source, from its first BRM on. This BRM waits for the second cell of the
/// other end and so follows the second one of the source.
fn rates(run: &mut Simulation, pcr: f64, count: usize) -> Vec<f64> {
    let (mut rates, mut now) = (Vec::new(), START + Ps(1));
    run.run_until(now);
    assert!(run.acr(0).unwrap() < pcr);
    while rates.len() < count {
        now += Ps::from_us(200);
        run.run_until(now);
        let acr = run.acr(0).unwrap();
        if rates.last().map_or(acr == pcr, |last| *last != acr) {
            rates.push(acr);
        }
    }
    rates
}

/// ACR `after` seconds after the first cell of a source that starts at `icr` and loses `adr` with
/// each cell: cell k follows cell k - 1 by 1 / (ICR - k ADR), as long as that is above MCR.
fn decayed(icr: f64, adr: f64, mcr: f64, after: f64) -> f64 {
    let (mut acr, mut at) = (icr, 0.0);
    while at <= after {
        acr = (acr - adr).max(mcr);
        at += 1.0 / acr;
    }
    acr
}

/// No RM cell comes back in time, and ADR stays ICR / 2^MDF (Gerla, Pazos and Signore 1995, section
/// II.A). Over cells ACR is a line; ACR cells per second are sent, so that over time it is ICR
/// exp(-ADR t), which the cells follow within the reduction of one and a half of them.
#[test]
fn the_rate_of_prca_in_a_long_loop_is_an_exponential_over_time() {
    for (mdf, icr, mcr) in [
        (5, 32_000.0, 500.0),
        (7, 40_000.0, 1_000.0),
        (10, 20_000.0, 20.0),
        (4, 10_000.0, 400.0),
    ] {
        let adr = icr / f64::from(1 << mdf);
        let mut run = congested(
            source("prca", (mdf, 32), icr, mcr),
            Ps::from_us((5e6 / adr) as u64),
        );
        for step in 1..=60 {
            // Off the grid of the cells.
            let after = (f64::from(step) + 0.37) / (10.0 * adr);
            run.run_until(START + Ps((after * 1e12) as u64));
            let (acr, expected) = (run.acr(0).unwrap(), decayed(icr, adr, mcr, after));
            assert!(
                (acr - expected).abs() <= 1e-6 * icr,
                "MDF {mdf}, {after} s: ACR {acr}, not {expected}"
            );
            let continuous = (icr * (-adr * after).exp()).max(mcr);
            assert!(
                (acr - continuous).abs() <= 1.5 * adr,
                "MDF {mdf}, {after} s: ACR {acr}, not {continuous}"
            );
        }
    }
}

/// In a short loop every cycle brings an RM cell with CI, which leaves ADR as it is: ACR is a line
/// down to MCR.
#[test]
fn rm_cells_with_ci_leave_the_rate_of_prca_on_its_line() {
    for (mdf, nrm) in [(5, 32), (6, 8), (7, 4)] {
        let (icr, mcr) = (400.0, 20.0);
        let mut run = congested(source("prca", (mdf, nrm), icr, mcr), Ps(1));
        let adr = icr / f64::from(1 << mdf);
        let line = (0..)
            .map(|cells| icr - f64::from(cells) * adr)
            .take_while(|acr| *acr > mcr)
            .chain([mcr]);
        let expected: Vec<f64> = line.collect();
        let found = rates(&mut run, icr, expected.len());
        for (cells, (found, expected)) in found.iter().zip(&expected).enumerate() {
            assert!(
                (found - expected).abs() < 1e-6,
                "MDF {mdf}, {cells} cells: ACR {found}, not {expected}"
            );
        }
        run.run_until(run.now() + Ps::from_ms(200));
        assert_eq!(run.acr(0), Some(mcr));
    }
}

/// EPRCA sets ADR anew at every RM cell, with CI or not, so that a cycle of Nrm cells reduces the
/// rate by a share of Nrm / 2^MDF: over n cycles ACR falls by (1 - Nrm / 2^MDF)^n. Cycles stay
/// shorter than Trm, which would add RM cells.
#[test]
fn the_rate_of_eprca_is_an_exponential_over_cycles() {
    for (mdf, nrm, cycles) in [(5, 8, 4), (8, 16, 8), (6, 4, 16)] {
        let icr = 400.0;
        let mut run = congested(source("eprca", (mdf, nrm), icr, 1.0), Ps(1));
        let factor = 1.0 - f64::from(nrm) / f64::from(1 << mdf);
        // Two cells have been sent before ACR is PCR again, one of them the FRM: the next is Nrm -
        // 1 cells away.
        let first = nrm as usize - 1;
        let found = rates(&mut run, icr, first + (nrm * cycles) as usize + 1);
        let begin = icr * (1.0 - first as f64 / f64::from(1 << mdf));
        for (cycle, acr) in found[first..].iter().step_by(nrm as usize).enumerate() {
            let expected = begin * factor.powi(cycle as i32);
            assert!(
                (acr - expected).abs() < 1e-6,
                "MDF {mdf}, {cycle} cycles: ACR {acr}, not {expected}"
            );
        }
    }
}

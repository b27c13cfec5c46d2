//! Links whose sources are bound to send more than the link's rate.

use cellrate_engine::atm::cell::ServiceClass;
use cellrate_engine::atm::plan::{FlowPlan, NodeKind, Plan};
use cellrate_engine::credit::FcvcConfig;
use cellrate_engine::kernel::{CellClock, Ps, Rate, ServiceRate};
use cellrate_engine::passing::{Contents, Passing};
use cellrate_engine::policing::{Action, Policer, Treatment};
use cellrate_engine::traffic::{Load, SourceConfig};

use super::Warning;

/// Tolerance for the rounding of sums of rates.
const SLACK: f64 = 1.0 + 1e-9;

/// Number of cells of a CBR source from which the rate behind its policer is computed.
const CELLS: usize = 10_000;

/// Load of a link that has been booked, in cells/s.
#[derive(Clone, Copy, Default)]
struct Booked {
    /// Mean rates of uncontrolled sources, and MCRs of ABR sources that always have cells.
    certain: f64,
    /// MCRs of ABR that sources may leave unused, since a TCP window or a rate of their own limits them.
    promised: f64,
    /// MCRs of GFR.
    guaranteed: f64,
}

/// Warns of links behind switches on which the load exceeds the link's rate. The load is the sum of
/// the mean rates of uncontrolled sources and the MCRs of the other flows.
pub fn check(plan: &Plan, warnings: &mut Vec<Warning>) {
    let mut booked = vec![Booked::default(); plan.links.len()];
    for flow in &plan.flows {
        let guaranteed = flow
            .gfr
            .as_ref()
            .map_or(0.0, |gfr| gfr.mcr.cells_per_second());
        let least = forward(flow, yields(flow, plan));
        let certain = least.min(sends(flow));
        for link in &flow.forward {
            booked[*link].certain += certain;
            booked[*link].promised += least - certain;
            booked[*link].guaranteed += guaranteed;
        }
        for link in &flow.backward {
            booked[*link].promised += mcr(flow, flow.ack_service);
        }
    }
    for (link, booked) in plan.links.iter().zip(booked) {
        let is_switch = matches!(plan.nodes[link.from].kind, NodeKind::Switch(_));
        let room = link.rate.cells_per_second() * SLACK;
        let load = booked.certain + booked.promised;
        let (load, what) = if booked.certain > room {
            (
                load,
                "the rates of uncontrolled sources plus MCRs: the queue of the link grows without end, or overflows",
            )
        } else if load > room {
            (
                load,
                "the rates of uncontrolled sources plus MCRs: not all flows can have their MCRs, and only TCP windows, \
                 idle sources or the buffer limit the queue of the link",
            )
        } else {
            (
                load + booked.guaranteed,
                "the MCRs of GFR plus those of ABR and the rates of uncontrolled sources: not all flows can have their MCRs",
            )
        };
        if is_switch && load > room {
            let load = Rate::from_cells_per_second(load);
            let message = format!("{} ({}) has to carry {load}, {what}", link.name, link.rate);
            warnings.push(Warning::new("overbooked", message));
        }
    }
}

/// True if ABR rates or credit can stop the cells of a source.
fn yields(flow: &FlowPlan, plan: &Plan) -> bool {
    flow.service == ServiceClass::Abr || (plan.fcvc.is_some() && FcvcConfig::covers(flow.service))
}

/// Least rate of a flow's forward channel, in cells/s: MCR if the flow yields to control, otherwise
/// the mean rate of its source, as far as its shaper and a policer that drops let it pass.
fn forward(flow: &FlowPlan, yields: bool) -> f64 {
    match flow.source.load() {
        Load::Own { mean, .. } if !yields => {
            let shaper = flow.shaper.as_ref();
            let shaped = shaper.map(|shaper| shaper.scr.unwrap_or(shaper.pcr));
            let policer = flow.policer.as_ref();
            let policed = policer
                .filter(|policer| policer.action == Action::Drop)
                .map(|policer| policer.scr.unwrap_or(policer.pcr));
            let limits = shaped.into_iter().chain(policed);
            limits
                .map(|rate| rate.cells_per_second())
                .chain(passed(flow))
                .fold(mean, f64::min)
        }
        _ => mcr(flow, flow.service),
    }
}

/// Rate in cells/s at which the policer of a CBR source lets cells pass. With a CDVT shorter than the
/// interval of the cells this is less than the contract: the policer drops a cell that comes a little
/// too early, and the next cell comes late.
fn passed(flow: &FlowPlan) -> Option<f64> {
    let (SourceConfig::Cbr(source), Some(policer), None) =
        (&flow.source, &flow.policer, &flow.shaper)
    else {
        return None;
    };
    let mut policer = Policer::new(policer, ServiceRate::of_cells);
    let clock = CellClock::new(source.rate);
    let cell = Passing::new(Contents::Data, 1, false);
    // The first cell, at time 0, always passes.
    let (mut now, mut carry) = (Ps::ZERO, 0);
    let (mut passed, mut last) = (0_u32, now);
    for _ in 0..CELLS {
        if policer.police(now, cell, false) != Treatment::Drop {
            (passed, last) = (passed + 1, now);
        }
        (now, carry) = clock.complete(now, carry);
    }
    (passed > 1).then(|| f64::from(passed - 1) / last.as_secs_f64())
}

/// Mean rate in cells/s at which a source has cells to send, whatever its window: 0 over TCP, infinite for a source that
/// always has cells.
fn sends(flow: &FlowPlan) -> f64 {
    match flow.source.load() {
        _ if flow.source.over_tcp() => 0.0,
        Load::Own { mean, .. } => mean,
        Load::Elastic => f64::INFINITY,
    }
}

fn mcr(flow: &FlowPlan, service: ServiceClass) -> f64 {
    if service == ServiceClass::Abr {
        flow.abr.mcr_cells()
    } else {
        0.0
    }
}

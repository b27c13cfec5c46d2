//! Links whose sources are bound to send more than the link's rate.

use cellrate_engine::atm::cell::ServiceClass;
use cellrate_engine::atm::plan::{FlowPlan, NodeKind, Plan};
use cellrate_engine::credit::FcvcConfig;
use cellrate_engine::kernel::Rate;
use cellrate_engine::policing::Action;
use cellrate_engine::traffic::Load;

use super::Warning;

/// Tolerance for the rounding of sums of rates.
const SLACK: f64 = 1.0 + 1e-9;

/// Warns of links behind switches on which the load exceeds the link's rate. The load is the sum of
/// the mean rates of uncontrolled sources and the MCRs of the other flows.
pub fn check(plan: &Plan, warnings: &mut Vec<Warning>) {
    let mut booked = vec![0.0; plan.links.len()];
    for flow in &plan.flows {
        flow.forward
            .iter()
            .for_each(|link| booked[*link] += forward(flow, yields(flow, plan)));
        flow.backward
            .iter()
            .for_each(|link| booked[*link] += mcr(flow, flow.ack_service));
    }
    for (link, booked) in plan.links.iter().zip(booked) {
        let is_switch = matches!(plan.nodes[link.from].kind, NodeKind::Switch(_));
        if is_switch && booked > link.rate.cells_per_second() * SLACK {
            let message = format!(
                "{} ({}) has to carry {}, the rates of uncontrolled sources plus MCRs: the queue of the link grows \
                 without end, or overflows",
                link.name,
                link.rate,
                Rate::from_cells_per_second(booked)
            );
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
                .fold(mean, f64::min)
        }
        _ => mcr(flow, flow.service),
    }
}

fn mcr(flow: &FlowPlan, service: ServiceClass) -> f64 {
    if service == ServiceClass::Abr {
        flow.abr.mcr_cells()
    } else {
        0.0
    }
}

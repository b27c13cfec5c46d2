//! Links whose promised load exceeds their rate.

use cellrate_engine::atm::cell::ServiceClass;
use cellrate_engine::atm::plan::{FlowPlan, NodeKind, Plan};
use cellrate_engine::credit::FcvcConfig;
use cellrate_engine::kernel::Rate;
use cellrate_engine::traffic::Load;

use super::Warning;

/// Rounding of sums of rates.
const SLACK: f64 = 1.0 + 1e-9;

/// Switch links on which the mean rates of uncontrolled sources and the MCRs of the other flows
/// exceed the rate.
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

/// True if ABR rates or credit hold the cells of a source back.
fn yields(flow: &FlowPlan, plan: &Plan) -> bool {
    flow.service == ServiceClass::Abr || (plan.fcvc.is_some() && FcvcConfig::covers(flow.service))
}

/// Least rate of the forward channel, in cells/s.
fn forward(flow: &FlowPlan, yields: bool) -> f64 {
    match flow.source.load() {
        Load::Own { mean, .. } if !yields => mean,
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

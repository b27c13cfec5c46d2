//! Settings that the engine changes before it uses them.

use cellrate_engine::atm::cell::ServiceClass;
use cellrate_engine::atm::plan::{FlowPlan, Plan};
use cellrate_engine::endsystem::CrmRounding;
use cellrate_engine::kernel::trace::Trace;
use cellrate_engine::kernel::{Ps, Rate};
use cellrate_engine::traffic::Load;

use super::Warning;
use crate::scenario::Scenario;

/// Warns of every setting that the engine changes.
pub fn check(scenario: &Scenario, plan: &Plan, warnings: &mut Vec<Warning>) {
    for flow in super::first_of_each_group(plan) {
        clipped(flow, plan, warnings);
    }
    if !scenario.measure.traces.is_empty()
        && (scenario.measure.trace_points as usize) < Trace::LEAST_BOUND
    {
        let (found, least) = (scenario.measure.trace_points, Trace::LEAST_BOUND);
        warnings.push(Warning::new(
            "parameter-clipped",
            format!("`trace_points` of {found} was raised to {least}"),
        ));
    }
}

/// Warns of parameters of a flow that the engine changes.
fn clipped(flow: &FlowPlan, plan: &Plan, warnings: &mut Vec<Warning>) {
    let mut clip = |message: String| {
        warnings.push(Warning::new(
            "parameter-clipped",
            format!("flow group {}: {message}", flow.group),
        ));
    };
    if flow.source.over_tcp() {
        clipped_tcp(flow, &mut clip);
    }
    clipped_abr(flow, plan, &mut clip);
    let access = flow.forward.first().map(|link| plan.links[*link].rate);
    let peak = match flow.source.load() {
        Load::Own { mean, peak, .. } => Some(Rate::from_cells_per_second(if peak.is_finite() {
            peak
        } else {
            mean
        })),
        Load::Elastic => None,
    };
    if let Some((peak, access)) = peak.zip(access).filter(|(peak, access)| peak > access) {
        clip(format!(
            "the source sends at {peak}, but its access link carries {access}: cells wait at the source"
        ));
    }
}

fn clipped_tcp(flow: &FlowPlan, clip: &mut impl FnMut(String)) {
    let tcp = &flow.tcp;
    let initial = tcp.mss.0.saturating_mul(u64::from(tcp.initial_window));
    if initial > tcp.window.0 {
        clip(format!(
            "`initial_window` of {initial} bytes exceeds `window`; the window, {}, is used",
            tcp.window
        ));
    }
    if tcp.min_rto < tcp.granularity {
        clip(format!(
            "`min_rto` of {} is less than a tick of TCP's clock; one tick, {}, is used",
            tcp.min_rto, tcp.granularity
        ));
    }
    if tcp.initial_rto < tcp.min_rto || tcp.initial_rto > tcp.max_rto {
        let bound = tcp.initial_rto.clamp(tcp.min_rto, tcp.max_rto);
        clip(format!(
            "`initial_rto` of {} is not between `min_rto` and `max_rto`; {bound} is used",
            tcp.initial_rto
        ));
    }
}

fn clipped_abr(flow: &FlowPlan, plan: &Plan, clip: &mut impl FnMut(String)) {
    if flow.service != ServiceClass::Abr {
        return;
    }
    let abr = &flow.abr;
    for (link, frtt) in plan.loops(flow) {
        let link = &plan.links[link];
        let (asked, given) = (
            abr.icr_cells(link.rate, Ps::ZERO),
            abr.icr_cells(link.rate, frtt),
        );
        if given < asked {
            let name = &plan.nodes[link.from].name;
            clip(format!(
                "ICR of {asked:.0} cells/s at {name} exceeds TBE per round trip of {}; {given:.0} cells/s is used",
                frtt.told()
            ));
        }
    }
    if abr.crm.is_none() && abr.crm_rounding == CrmRounding::Down && abr.tbe.0 < u64::from(abr.nrm)
    {
        clip(format!(
            "CRM of TBE / Nrm = {} / {} rounds down to 0; 1 is used",
            abr.tbe, abr.nrm
        ));
    }
}

//! Checks of traffic contracts: those of policers and shapers, and what a switch makes of tagged cells.

use cellrate_engine::atm::cell::ServiceClass;
use cellrate_engine::credit::FcvcConfig;
use cellrate_engine::kernel::{Finding, Ps, Rate, ServiceRate};
use cellrate_engine::policing::{
    Action, Contract, Fine, FrameRule, GfrConfig, PolicerConfig, ShaperConfig,
};

use super::ends::largest_pdu;
use super::finding::problem;
use crate::scenario::flow::Flow;
use crate::scenario::graph::{Graph, Instance};
use crate::scenario::problem::{Problem, Step, place};
use crate::scenario::types::Scenario;

/// Advice on cells that come too early for their contract.
const SPACING: &str = "set `cdvt`, or space the cells with a `shaper`";

/// Problems of the policers and shapers of all flow groups.
pub fn check(scenario: &Scenario, graph: &Graph) -> Vec<Problem> {
    let mut problems = Vec::new();
    for instance in graph.flows.iter().filter(|instance| instance.index == 1) {
        problems.extend(policer(scenario, graph, instance));
        problems.extend(gfr(scenario, graph, instance));
        problems.extend(shaper(scenario, graph, instance));
        problems.extend(port_shaper(scenario, graph, instance));
    }
    problems
}

fn contract(findings: &[Finding], at: usize, key: &str) -> Vec<Problem> {
    let found = findings.iter();
    found
        .map(|one| problem(one, place!["flow", at, key], true))
        .collect()
}

fn policer(scenario: &Scenario, graph: &Graph, instance: &Instance) -> Vec<Problem> {
    let (at, flow) = (instance.group, &scenario.flows[instance.group]);
    let Some(policer) = &flow.policer else {
        return Vec::new();
    };
    let mut problems = contract(&policer.check(), at, "policer");
    if instance.forward.len() < 2 {
        problems.push(Problem::error(
            place!["flow", at, "policer"],
            "the flow passes no switch that could police it",
            "remove `policer`, or lead the flow through a switch",
        ));
    }
    if scenario.fcvc.is_some() {
        problems.push(Problem::error(
            place!["flow", at, "policer"],
            "a policer stands beside `[fcvc]`, under which no cell may be dropped",
            "remove `policer`, or `[fcvc]`",
        ));
    }
    if policer.dynamic.is_some() && !follows_rules(graph, flow, instance) {
        problems.push(Problem::error(
            place!["flow", at, "policer", "dynamic"],
            "the first switch cannot follow the rate of the source",
            "allowed: `service = \"abr\"` with `rules = \"tm4\"`, without `law`, and no `vsvd` at the first switch",
        ));
    }
    if policer.frames != FrameRule::Cells && !flow.source.over_tcp() {
        problems.push(Problem::error(
            place!["flow", at, "policer", "frames"],
            "the source sends raw cells, which belong to no PDU",
            "allowed: \"cells\", or a source over TCP",
        ));
    }
    problems.extend(burst(scenario, graph, instance, policer));
    problems
}

/// Warns of a policer that drops cells of every full segment, because a source sends them at the
/// rate of its line.
fn burst(
    scenario: &Scenario,
    graph: &Graph,
    instance: &Instance,
    policer: &PolicerConfig,
) -> Option<Problem> {
    let drops = policer.action == Action::Drop && policer.frames != FrameRule::Whole;
    if !drops {
        return None;
    }
    let needed = needed_cdvt(scenario, graph, instance, &policer.contract())?;
    let cells = largest_pdu(scenario, &scenario.flows[instance.group]);
    Some(Problem::warning(
        place!["flow", instance.group, "policer"],
        format!(
            "the policer drops cells of each full segment: {cells} cells at the rate of the line conform from \
             `cdvt = \"{needed}\"` on"
        ),
        SPACING,
    ))
}

/// Warns of a GFR contract that cuts every full segment, because a source sends its cells at the rate
/// of its line.
fn cut(
    scenario: &Scenario,
    graph: &Graph,
    instance: &Instance,
    gfr: &GfrConfig,
) -> Option<Problem> {
    let peak = Contract {
        scr: None,
        mbs: None,
        ..gfr.contract()
    };
    let needed = needed_cdvt(scenario, graph, instance, &peak)?;
    let cells = largest_pdu(scenario, &scenario.flows[instance.group]);
    Some(Problem::warning(
        place!["flow", instance.group, "gfr"],
        format!(
            "the GFR contract cuts each full segment: {cells} cells at the rate of the line conform to PCR from \
             `cdvt = \"{needed}\"` on"
        ),
        SPACING,
    ))
}

/// Least CDVT with which a full segment at the rate of the line conforms to a contract. `None` if the
/// contract has it, or if something spaces the cells.
fn needed_cdvt(
    scenario: &Scenario,
    graph: &Graph,
    instance: &Instance,
    contract: &Contract,
) -> Option<Ps> {
    let flow = &scenario.flows[instance.group];
    let rate = graph.links[*instance.forward.first()?].rate;
    let shaped = flow
        .shaper
        .as_ref()
        .is_some_and(|shaper| !is_idle(shaper, rate));
    if shaped || pacer(scenario, flow).is_some() || !flow.source.over_tcp() {
        return None;
    }
    let units = ServiceRate::of_cells;
    let line = Fine::per_unit(units(rate));
    let cells = largest_pdu(scenario, flow);
    // Time by which the last cell comes before its GCRA expects it.
    let early = |increment: Fine| increment.less(line).times(cells.saturating_sub(1));
    let sustained = contract.sustained(units);
    let beyond = sustained.map(|(increment, tolerance)| early(increment).less(tolerance));
    let needed = early(contract.peak_increment(units)).max(beyond.unwrap_or_default());
    (needed > Fine::of(contract.cdvt))
        .then(|| Ps::from_us((needed.as_secs_f64() * 1e6).ceil() as u64))
}

/// Problems of a GFR contract.
fn gfr(scenario: &Scenario, graph: &Graph, instance: &Instance) -> Vec<Problem> {
    let (at, flow) = (instance.group, &scenario.flows[instance.group]);
    let Some(gfr) = &flow.gfr else {
        return Vec::new();
    };
    let mut findings = gfr.check();
    let tcp = flow.source.over_tcp();
    if tcp {
        findings.extend(gfr.check_frames(largest_pdu(scenario, flow)));
    }
    let mut problems = contract(&findings, at, "gfr");
    problems.extend(cut(scenario, graph, instance, gfr));
    let mut error = |key: &str, message: &str, help: &str| {
        let place = vec![Step::from("flow"), Step::from(at), Step::from(key)];
        problems.push(Problem::error(place, message, help));
    };
    if !tcp {
        error(
            "gfr",
            "GFR is a service for frames, but the source sends raw cells",
            "remove `gfr`, or choose a source over TCP",
        );
    }
    if flow.service != ServiceClass::Ubr {
        error(
            "service",
            "a flow with a GFR contract is of another class than `ubr`",
            "set `service = \"ubr\"`, or remove `gfr`",
        );
    }
    if flow.policer.is_some() {
        error(
            "policer",
            "a policer stands beside a GFR contract, which has its own",
            "remove `policer`, or `gfr`",
        );
    }
    if instance.forward.len() < 2 {
        error(
            "gfr",
            "the flow passes no switch that could hold it to its GFR contract",
            "remove `gfr`, or lead the flow through a switch",
        );
    }
    if scenario.fcvc.is_some() {
        error(
            "gfr",
            "a GFR contract stands beside `[fcvc]`, under which no cell may be dropped",
            "remove `gfr`, or `[fcvc]`",
        );
    }
    problems
}

/// True if the source follows TM 4.0 and the first switch on the path can read its allowed rate
/// from backward RM cells.
fn follows_rules(graph: &Graph, flow: &Flow, instance: &Instance) -> bool {
    let mut ends = instance.forward.iter().map(|link| graph.links[*link].to);
    let ends_loop = ends.next().is_some_and(|node| graph.ends_loops(node));
    flow.is_abr() && flow.abr.follows_tm4() && !ends_loop
}

fn shaper(scenario: &Scenario, graph: &Graph, instance: &Instance) -> Vec<Problem> {
    let (at, flow) = (instance.group, &scenario.flows[instance.group]);
    let Some(shaper) = &flow.shaper else {
        return Vec::new();
    };
    let mut problems = contract(&shaper.check(), at, "shaper");
    problems.extend(paced(scenario, at, "shaper"));
    let access = instance.forward.first().map(|link| graph.links[*link].rate);
    if let Some(line) = access.filter(|line| is_idle(shaper, *line)) {
        problems.push(Problem::warning(
            place!["flow", at, "shaper"],
            format!("the shaper has no effect: the link on which the source sends has {line}, no more than the contract"),
            "",
        ));
    }
    problems
}

fn port_shaper(scenario: &Scenario, graph: &Graph, instance: &Instance) -> Vec<Problem> {
    let (at, flow) = (instance.group, &scenario.flows[instance.group]);
    let Some(shaper) = &flow.port_shaper else {
        return Vec::new();
    };
    let mut problems = contract(&shaper.check(), at, "port_shaper");
    problems.extend(paced(scenario, at, "port_shaper"));
    let mut nodes = instance.forward.iter().map(|link| graph.links[*link].from);
    let shapes = |node: usize| {
        let switch = graph.nodes[node].switch.as_ref();
        switch.is_some_and(|switch| switch.schedule.is_some())
    };
    if !nodes.any(shapes) {
        problems.push(Problem::error(
            place!["flow", at, "port_shaper"],
            "no switch of the path has a queue for each channel, in which cells could be held",
            "set `switch.schedule`, or remove `port_shaper`",
        ));
    }
    problems
}

/// Problem of the shaper under `key` of a flow whose sending times something else sets.
fn paced(scenario: &Scenario, at: usize, key: &str) -> Option<Problem> {
    let pacer = pacer(scenario, &scenario.flows[at])?;
    Some(Problem::error(
        place!["flow", at, key],
        format!("{pacer} sets the sending times of the cells"),
        format!("remove `{key}`"),
    ))
}

/// True if a shaper delays no cell on an access link of rate `line`.
fn is_idle(shaper: &ShaperConfig, line: Rate) -> bool {
    shaper.pcr >= line && shaper.scr.is_none_or(|scr| scr >= line)
}

/// Name of another mechanism that sets the sending times of a flow's cells; `None` without one.
fn pacer(scenario: &Scenario, flow: &Flow) -> Option<&'static str> {
    if [flow.service, flow.ack_service()].contains(&ServiceClass::Abr) {
        Some("ACR")
    } else if scenario.fcvc.is_some() && FcvcConfig::covers(flow.service) {
        Some("credit")
    } else {
        None
    }
}

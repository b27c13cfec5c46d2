//! Checks of end systems together with their links: TCP, ABR, source queues, and rates of sources.

use cellrate_engine::atm::aal5::cells_for;
use cellrate_engine::atm::cell::ServiceClass;
use cellrate_engine::kernel::{Finding, Ps, Rate};
use cellrate_engine::tcp::TcpConfig;
use cellrate_engine::traffic::Bursts;

use super::finding::problem;
use crate::scenario::flow::Flow;
use crate::scenario::graph::{Graph, Instance};
use crate::scenario::problem::{Place, Problem, Step, place};
use crate::scenario::types::Scenario;

/// Problems of end systems with their links.
pub fn check(scenario: &Scenario, graph: &Graph) -> Vec<Problem> {
    let mut problems = unused(scenario);
    for instance in graph.flows.iter().filter(|instance| instance.index == 1) {
        let flow = &scenario.flows[instance.group];
        let at = instance.group;
        if flow.source.over_tcp() {
            problems.extend(tcp(&flow.tcp, place!["flow", at, "tcp"]));
            problems.extend(ecn(&flow.tcp, place!["flow", at, "tcp"]));
            problems.extend(source_queue(scenario, flow, at));
        }
        if flow.service == ServiceClass::Abr {
            problems.extend(abr(scenario, graph, instance));
        }
        problems.extend(bursts(flow, at));
        problems.extend(too_far(graph, instance));
        problems.extend(never_arrives(scenario, graph, instance));
    }
    problems
}

/// Problems of `[tcp]` and `[abr]` if no flow uses these tables; otherwise the checks of the flows
/// find them.
fn unused(scenario: &Scenario) -> Vec<Problem> {
    let mut problems = Vec::new();
    if !scenario.flows.iter().any(|flow| flow.source.over_tcp()) {
        problems.extend(tcp(&scenario.tcp, place!["tcp"]));
        problems.extend(ecn(&scenario.tcp, place!["tcp"]));
        problems.extend(without_tcp(&scenario.tcp, &TcpConfig::default()));
    }
    if !scenario
        .flows
        .iter()
        .any(|flow| flow.service == ServiceClass::Abr)
    {
        let findings = scenario.abr.check(Rate(u64::MAX));
        problems.extend(
            findings
                .iter()
                .map(|finding| problem(finding, place!["abr"], scenario.run.strict)),
        );
    }
    problems
}

/// A warning if `[tcp]` differs from the `usual` parameters, though no flow uses TCP.
pub fn without_tcp(config: &TcpConfig, usual: &TcpConfig) -> Option<Problem> {
    let message = "`tcp` has no effect: no flow uses TCP";
    (config != usual).then(|| Problem::warning(place!["tcp"], message, ""))
}

fn tcp(config: &TcpConfig, mut place: Place) -> Option<Problem> {
    let message = config.validate().err()?;
    // The message begins with the field and ends with the allowed values.
    let field = message.split('`').nth(1).unwrap_or_default();
    place.extend(field.split('.').map(Step::from));
    let (found, allowed) = message.split_once("; ").unwrap_or((&message, ""));
    Some(Problem::error(place, found, allowed))
}

/// Problem of ECN over ATM: ECN marks IP packets, which ATM switches do not see. `ecn = true` is an
/// error. A recovery that reacts to ECN marks gets none over ATM, but is only a warning, so that a
/// study can vary `recovery` alone.
fn ecn(config: &TcpConfig, mut place: Place) -> Option<Problem> {
    const WHY: &str = "ATM switches set EFCI in cells, never ECN in IP packets";
    if config.ecn == Some(true) {
        place.push(Step::from("ecn"));
        return Some(Problem::error(
            place,
            WHY,
            "remove `ecn`; for marks by EFCI set `switch.control.scheme = \"efci\"` and `service = \"abr\"`",
        ));
    }
    config.has_ecn().then(|| {
        place.push(Step::from("recovery"));
        let message = format!(
            "`{}` gets no marks over ATM and reacts to losses alone: {WHY}",
            config.recovery.name()
        );
        Problem::warning(place, message, "")
    })
}

/// Cells of the largest PDU that a TCP flow sends.
pub fn largest_pdu(scenario: &Scenario, flow: &Flow) -> u64 {
    pdu_cells(scenario, flow, flow.tcp.mss.0)
}

/// Cells of a PDU that carries a segment of `payload` bytes.
pub fn pdu_cells(scenario: &Scenario, flow: &Flow, payload: u64) -> u64 {
    let headers =
        u64::from(flow.tcp.data_header_bytes()) + u64::from(scenario.aal5.encapsulation.bytes());
    u64::from(cells_for(payload.saturating_add(headers)))
}

fn source_queue(scenario: &Scenario, flow: &Flow, index: usize) -> Option<Problem> {
    let cells = largest_pdu(scenario, flow);
    (flow.source_queue.0 < cells).then(|| {
        let message = format!(
            "a source queue of {} never holds a segment of {cells} cells",
            flow.source_queue
        );
        Problem::error(
            place!["flow", index, "source_queue"],
            message,
            format!("allowed: at least {cells} cells"),
        )
    })
}

fn abr(scenario: &Scenario, graph: &Graph, instance: &Instance) -> Vec<Problem> {
    let flow = &scenario.flows[instance.group];
    let place = place!["flow", instance.group, "abr"];
    let rate = |links: &[usize]| {
        links
            .first()
            .map_or(Rate(u64::MAX), |link| graph.links[*link].rate)
    };
    let (forward, backward) = (rate(&instance.forward), rate(&instance.backward));
    let is_right = flow.abr.check(forward).is_empty();
    let rate = if is_right { backward } else { forward };
    let common = scenario.abr.check(rate);
    let of_flow = |finding: &Finding| {
        let mut problem = problem(finding, place.clone(), scenario.run.strict);
        // The place may be a key of `[abr]`, although only this group contradicts it.
        if !common.iter().any(|other| other.message == finding.message) {
            problem.message = format!("flow group {}: {}", flow.name, problem.message);
        }
        problem
    };
    let mut problems: Vec<Problem> = flow.abr.check(rate).iter().map(of_flow).collect();
    problems.extend(
        flow.abr
            .pcr
            .and_then(|pcr| pcr_above_link(pcr, forward, backward, place)),
    );
    problems
}

/// Problem of a PCR above the rate of the access link.
fn pcr_above_link(pcr: Rate, forward: Rate, backward: Rate, mut place: Place) -> Option<Problem> {
    let ends = [(forward, "the source"), (backward, "the destination")];
    let (link, end) = ends.into_iter().find(|(link, _)| pcr > *link)?;
    place.push(Step::from("pcr"));
    let message = format!("PCR of {pcr} exceeds the link on which {end} sends, {link}");
    Some(Problem::warning(
        place,
        message,
        format!("allowed: at most {link}"),
    ))
}

/// Problem of a source whose bursts begin less than one cell time apart.
fn bursts(flow: &Flow, index: usize) -> Option<Problem> {
    let Bursts { field, every, peak } = flow.source.bursts()?;
    let cell = peak.cell_time_ceil();
    (every > Ps::ZERO && every < cell).then(|| {
        let message = format!("a {field} of {every} is shorter than a cell at the peak rate");
        Problem::error(
            place!["flow", index, "source", field],
            message,
            format!("allowed: at least {cell}"),
        )
    })
}

/// Problem of a path whose round trip is longer than the largest time that integer picoseconds can
/// hold.
fn too_far(graph: &Graph, instance: &Instance) -> Option<Problem> {
    const LONGEST: Ps = Ps::from_s(1_000_000);
    (graph.round_trip(instance) > LONGEST).then(|| {
        let message = format!(
            "the round trip of `{}` takes more than {LONGEST}",
            instance.name
        );
        Problem::error(
            place!["flow", instance.group],
            message,
            "set shorter delays, or faster links",
        )
    })
}

/// Problem of a path that takes longer than the run, so that no cell arrives.
fn never_arrives(scenario: &Scenario, graph: &Graph, instance: &Instance) -> Option<Problem> {
    let links = instance.forward.iter().map(|link| &graph.links[*link]);
    let way = links.fold(Ps::ZERO, |sum, link| {
        sum.saturating_add(link.delay + link.rate.cell_time_floor())
    });
    (scenario.run.duration > Ps::ZERO && way >= scenario.run.duration).then(|| {
        let message = format!(
            "a cell of `{}` takes {} to arrive, longer than the run",
            instance.name,
            way.told()
        );
        Problem::warning(
            place!["flow", instance.group],
            message,
            format!("set a `duration` above {way}, or shorter delays"),
        )
    })
}

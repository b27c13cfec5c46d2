//! Flows over RoCE: settings that contradict the table `roce`.

use cellrate_engine::ether::frame::{Framing, Info, PREAMBLE};
use cellrate_engine::ether::line::OctetClock;
use cellrate_engine::ether::roce::control::{RateControlParameters, RoceControlConfig};
use cellrate_engine::ether::roce::packet::MOST_HOPS;
use cellrate_engine::ether::roce::{RoceConfig, can_run};
use cellrate_engine::ether::spray::Multipath;
use cellrate_engine::kernel::{Finding, Ps, Rate};
use cellrate_engine::net::LinkPlan;

use super::checks::severity;
use super::flow::Flow;
use super::graph::{Graph, Instance};
use super::types::Scenario;
use crate::scenario::problem::{Problem, place};

/// Problems of flows with `roce`: sources and settings that contradict RoCE, invalid parameters, and missing marks or
/// telemetry.
pub fn check(scenario: &Scenario, graph: &Graph) -> Vec<Problem> {
    let flows = scenario.flows.iter().enumerate();
    let over_roce = flows.filter_map(|(group, flow)| Some((group, flow, flow.roce.as_ref()?)));
    let mut problems = Vec::new();
    for (group, flow, roce) in over_roce {
        if !can_run(&flow.source) {
            let message = format!("`{}` does not run over RoCE", flow.source.name());
            let place = place!["flow", group, "source", "kind"];
            problems.push(Problem::error(
                place,
                message,
                "allowed: `greedy`, `transfer`",
            ));
        }
        if flow.rate_control.is_some() {
            let message = "a flow over RoCE has its rate control in `roce.control`";
            let help = "remove `rate_control` or `roce`";
            let place = place!["flow", group, "rate_control"];
            problems.push(Problem::error(place, message, help));
        }
        if graph.is_joined() {
            let message = "`roce` is not available in a network with routers";
            let place = place!["flow", group, "roce"];
            problems.push(Problem::error(place, message, "remove the key"));
        }
        problems.extend(of_parameters(graph, group, roce));
        problems.extend(early_timeout(graph, group, roce));
        problems.extend(without_marks(scenario, group, flow, roce));
        if roce.control.has_telemetry() {
            problems.extend(of_telemetry(scenario, graph, group));
            problems.extend(short_base(scenario, graph, group, roce));
        }
        problems.extend(low_threshold(scenario, graph, group, roce));
        problems.extend(low_target(scenario, graph, group, roce));
        problems.extend(of_credits(scenario, group, roce));
    }
    problems
}

/// Findings about parameters of RoCE, against the rate of the slowest line of the group's sources.
fn of_parameters(graph: &Graph, group: usize, roce: &RoceConfig) -> Vec<Problem> {
    let instances = graph.flows.iter().filter(|flow| flow.group == group);
    let lines = instances.map(|flow| graph.links[flow.forward[0]].rate);
    let Some(line) = lines.min() else {
        return Vec::new();
    };
    let own = roce.check();
    let own = own.into_iter().map(|finding| (None, finding));
    let control = roce.control.check(line);
    let control = control
        .into_iter()
        .map(|finding| (Some("control"), finding));
    let problem = |(table, finding): (Option<&str>, Finding)| {
        let mut place = place!["flow", group, "roce"];
        place.extend(table.map(Into::into));
        place.push(finding.field.into());
        Problem {
            severity: severity(&finding),
            place,
            message: format!("`{}`: {}", finding.field, finding.message),
            help: String::new(),
        }
    };
    own.chain(control).map(problem).collect()
}

/// A warning if the timeout expires before any acknowledgement can arrive.
fn early_timeout(graph: &Graph, group: usize, roce: &RoceConfig) -> Option<Problem> {
    let instances = graph.flows.iter().filter(|flow| flow.group == group);
    let trip = |flow: &Instance| {
        let links = flow.forward.iter().chain(&flow.backward);
        let delays = links.map(|link| graph.links[*link].delay);
        delays.fold(Ps::ZERO, Ps::saturating_add)
    };
    let longest = instances.map(trip).max()?;
    (roce.timeout > Ps::ZERO && roce.timeout <= longest).then(|| {
        let message = format!(
            "`timeout` of {} expires before the acknowledgement comes: propagation there and back \
             takes {longest}, and all packets are sent again",
            roce.timeout
        );
        Problem::warning(place!["flow", group, "roce", "timeout"], message, "")
    })
}

/// A warning if the control of a flow slows down for marks (DCQCN, NSCC), but no queue marks.
fn without_marks(
    scenario: &Scenario,
    group: usize,
    flow: &Flow,
    roce: &RoceConfig,
) -> Option<Problem> {
    let control = match roce.control {
        RoceControlConfig::Dcqcn(_) => "DCQCN",
        RoceControlConfig::Nscc(_) => "NSCC",
        _ => return None,
    };
    (!scenario.switch.aqm.marks()).then(|| {
        let message = format!(
            "flow group `{}` reacts to marks ({control}), but no queue marks: `switch.aqm` is `{}`",
            flow.name,
            scenario.switch.aqm.name()
        );
        Problem::warning(place!["flow", group, "roce", "control"], message, "")
    })
}

/// Problems of telemetry in the packets of a group: several paths, or more switches than a packet has space for.
fn of_telemetry(scenario: &Scenario, graph: &Graph, group: usize) -> Vec<Problem> {
    let place = || place!["flow", group, "roce", "control"];
    let mut problems = Vec::new();
    if scenario.switch.multipath != Multipath::Ecmp {
        let message =
            "telemetry (HPCC) needs one path for each flow, but `switch.multipath` is not `ecmp`";
        let help = "set `switch.multipath = \"ecmp\"`: the source compares what the same switches wrote into two packets";
        problems.push(Problem::error(place(), message, help));
    }
    let instances = graph.flows.iter().filter(|flow| flow.group == group);
    let most = instances.map(|flow| flow.forward.len().saturating_sub(1));
    if let Some(switches) = most.max().filter(|switches| *switches > MOST_HOPS) {
        let message = format!(
            "{switches} switches on the way of a flow, but packets have room for the telemetry (HPCC) of {MOST_HOPS}"
        );
        let help = format!("allowed: flows over at most {MOST_HOPS} switches");
        problems.push(Problem::error(place(), message, help));
    }
    problems
}

/// Problems of credits of ExpressPass: several paths, credit control (FCVC) beside them, or two values for one
/// setting of the ports.
fn of_credits(scenario: &Scenario, group: usize, roce: &RoceConfig) -> Vec<Problem> {
    let Some(config) = roce.control.credits() else {
        return Vec::new();
    };
    let place = || place!["flow", group, "roce", "control"];
    let mut problems = Vec::new();
    if scenario.switch.multipath != Multipath::Ecmp {
        let message = "credits (ExpressPass) need one path for each flow, but `switch.multipath` is not `ecmp`";
        let help = "set `switch.multipath = \"ecmp\"`: credits limit the data of the links over which they return";
        problems.push(Problem::error(place(), message, help));
    }
    if scenario.fcvc.is_some() {
        let message = "`fcvc` is not available beside credits of flows (ExpressPass)";
        let help = "remove `[fcvc]`, or use `pfc` or `cbfc` in its place";
        problems.push(Problem::error(place(), message, help));
    }
    if roce.ack_every != RoceConfig::default().ack_every {
        let message = "`ack_every` has no effect: credits (ExpressPass) acknowledge packets";
        let place = place!["flow", group, "roce", "ack_every"];
        problems.push(Problem::warning(place, message, ""));
    }
    let of_flow = |flow: &Flow| Some(flow.roce.as_ref()?.control.credits()?.clone());
    let first = scenario.flows.iter().find_map(of_flow);
    let differs = first.map(|first| {
        [
            ("credit_queue", first.credit_queue, config.credit_queue),
            ("burst", first.burst, config.burst),
        ]
    });
    for (key, first, own) in differs
        .into_iter()
        .flatten()
        .filter(|(_, first, own)| first != own)
    {
        let mut place = place();
        place.push(key.into());
        let message = format!("`{key}` of {own} differs from that of an earlier flow, {first}");
        let help =
            "allowed: one value for all flows under ExpressPass, since it is that of the ports";
        problems.push(Problem::error(place, message, help));
    }
    problems
}

/// A warning if the base round-trip time of HPCC is below the least round-trip time of the path.
fn short_base(
    scenario: &Scenario,
    graph: &Graph,
    group: usize,
    roce: &RoceConfig,
) -> Option<Problem> {
    let RoceControlConfig::Hpcc(config) = &roce.control else {
        return None;
    };
    let t = config.t.filter(|t| *t > Ps::ZERO)?;
    let longest = longest_trip(scenario, graph, group, roce)?;
    (t < longest).then(|| {
        let message = format!(
            "`t` of {t} is below the least round trip of a flow, {longest}: a window of `t` times the rate of the \
             line leaves the line idle"
        );
        Problem::warning(place!["flow", group, "roce", "control", "t"], message, "")
    })
}

/// A warning if T_low of TIMELY is so low that no round trip falls below it.
fn low_threshold(
    scenario: &Scenario,
    graph: &Graph,
    group: usize,
    roce: &RoceConfig,
) -> Option<Problem> {
    let RoceControlConfig::Timely(config) = &roce.control else {
        return None;
    };
    let t_low = config.t_low;
    let longest = longest_trip(scenario, graph, group, roce)?;
    (t_low > Ps::ZERO && t_low <= longest).then(|| {
        let effect = if config.patched {
            "the rate falls although no queue stands"
        } else {
            "the rate follows the gradient alone"
        };
        let message = format!(
            "`t_low` of {t_low} is not above the least round trip of a flow, {longest}: {effect}"
        );
        Problem::warning(
            place!["flow", group, "roce", "control", "t_low"],
            message,
            "",
        )
    })
}

/// A warning if the target delay of Swift is so far below the delay of the empty path that a flow alone leaves its line
/// idle. The warning names the flow of the group whose rate is least.
fn low_target(
    scenario: &Scenario,
    graph: &Graph,
    group: usize,
    roce: &RoceConfig,
) -> Option<Problem> {
    let RoceControlConfig::Swift(config) = &roce.control else {
        return None;
    };
    // The checks of parameters name a fault of flow scaling.
    if !config.check(Rate::from_bps(1)).is_empty() {
        return None;
    }
    let framing = framing(scenario);
    let packet = roce.longest_data().min(Info::MOST_OCTETS);
    let instances = graph.flows.iter().filter(|flow| flow.group == group);
    let slow = instances.filter_map(|flow| {
        let there = links(graph, &flow.forward);
        let trip = roce.round_trip(framing, there.iter(), links(graph, &flow.backward).iter());
        // Swift measures from the last bit that leaves the host.
        let sent = OctetClock::new(there.first()?.rate).ceil(PREAMBLE + framing.frame(packet));
        let delay = trip.saturating_sub(sent);
        let switches = there.len() - 1;
        let window = config.falls_to(switches, delay)?;
        let bits = 8.0 * window * f64::from(framing.on_line(packet));
        let rate = bits / trip.as_secs_f64();
        let slowest = there.iter().map(|link| link.rate).min()?;
        let leaves_idle = rate < slowest.bits_per_second();
        leaves_idle.then(|| (rate, window, delay, config.unscaled(switches)))
    });
    let (rate, window, delay, target) = slow.min_by(|a, b| a.0.total_cmp(&b.0))?;
    let message = format!(
        "`base` of {} gives a target delay of {}, below the least delay of a flow, {}: without any queue the window falls \
         to about {window:.2} packets, {:.1} Mbit/s",
        config.base,
        target.told(),
        delay.told(),
        rate / 1e6
    );
    Some(Problem::warning(
        place!["flow", group, "roce", "control", "base"],
        message,
        "",
    ))
}

/// The longest among the least round-trip times of a group's flows; `None` without flows.
fn longest_trip(scenario: &Scenario, graph: &Graph, group: usize, roce: &RoceConfig) -> Option<Ps> {
    let instances = graph.flows.iter().filter(|flow| flow.group == group);
    let trip = |flow: &Instance| {
        let (there, back) = (links(graph, &flow.forward), links(graph, &flow.backward));
        roce.round_trip(framing(scenario), there.iter(), back.iter())
    };
    instances.map(trip).max()
}

fn framing(scenario: &Scenario) -> Framing {
    Framing {
        tagged: scenario.ethernet.tagged,
    }
}

/// The links of a path. Links without a rate, which the checks refuse, are left out.
fn links(graph: &Graph, path: &[usize]) -> Vec<LinkPlan> {
    let found = path.iter().map(|link| graph.links[*link].clone());
    found.filter(|link| link.rate.0 > 0).collect()
}

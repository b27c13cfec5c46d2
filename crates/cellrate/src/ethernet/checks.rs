//! Checks of a scenario over Ethernet that has passed the schema.

use std::collections::HashSet;

use cellrate_engine::control::{ControlConfig, SwitchFacts};
use cellrate_engine::ether::aqm::QueueFacts;
use cellrate_engine::ether::frame::{Framing, UDP_HEADERS, on_line};
use cellrate_engine::ether::line::OctetClock;
use cellrate_engine::ether::plan::can_send;
use cellrate_engine::ether::spray::Multipath;
use cellrate_engine::joined::Layer;
use cellrate_engine::kernel::units::Bytes;
use cellrate_engine::kernel::{Finding, Ps, Rate};
use cellrate_engine::traffic::on_off::OnOffConfig;
use cellrate_engine::traffic::{Source, SourceConfig};

use super::cbfc;
use super::fcvc;
use super::flow::Flow;
use super::graph::{Graph, Part, expand};
use super::joined;
use super::link_errors;
use super::llr;
use super::pfc;
use super::roce;
use super::tcp_defaults;
use super::trimming;
use super::types::Scenario;
use crate::scenario::checks::{check_lists, without_tcp};
use crate::scenario::diagnostic::Severity;
use crate::scenario::problem::{Place, Problem, place};

/// Greatest size of an IP packet in jumbo frames in common use, in octets.
const MOST_MTU: u64 = 9_216;
/// Rate of the slowest allowed line. At lower rates sums of frame times would exceed the range of simulated
/// time.
const SLOWEST: Rate = Rate::from_bps(1_000);
/// Share by which whole frames may raise the mean rate of an ON-OFF source without a warning.
const MOST_SURPLUS: f64 = 0.01;

/// The graph of `scenario`, and all problems; `None` if the graph cannot be built.
pub fn check(scenario: &Scenario) -> (Option<Graph>, Vec<Problem>) {
    let mut problems = Vec::new();
    let measure = &scenario.measure;
    check_times(scenario, &mut problems);
    problems.extend(check_lists(
        &measure.traces,
        &measure.events,
        measure.event_limit,
    ));
    check_frames(scenario, &mut problems);
    check_switch(scenario, &mut problems);
    check_flows(scenario, &mut problems);
    check_unused_tcp(scenario, &mut problems);
    check_unused_datagrams(scenario, &mut problems);
    match expand(scenario) {
        Ok(graph) => {
            check_lines(&graph, &mut problems);
            check_ports(scenario, &graph, &mut problems);
            check_rates(scenario, &graph, &mut problems);
            check_marks(scenario, &mut problems);
            problems.extend(roce::check(scenario, &graph));
            problems.extend(trimming::check(scenario));
            problems.extend(joined::check(scenario, &graph));
            let has_error = |found: &Problem| found.severity == Severity::Error;
            if !problems.iter().any(has_error) {
                problems.extend(fcvc::check(scenario, &graph));
                problems.extend(pfc::check(scenario, &graph));
                problems.extend(cbfc::check(scenario, &graph));
                problems.extend(link_errors::check(scenario, &graph));
                problems.extend(llr::check(scenario, &graph));
                problems.extend(void_buffers(scenario, &graph));
            }
            (Some(graph), problems)
        }
        Err(more) => {
            problems.extend(more);
            (None, problems)
        }
    }
}

fn check_times(scenario: &Scenario, problems: &mut Vec<Problem>) {
    let duration = scenario.run.duration;
    let (from, to) = scenario.window();
    let mut refuse = |table: &str, key: &str, message: String, help: String| {
        problems.push(Problem::error(place![table, key], message, help));
    };
    if duration == Ps::ZERO {
        return refuse(
            "run",
            "duration",
            "`duration` is 0 s".into(),
            "allowed: above 0 s".into(),
        );
    }
    if to > duration {
        let message = format!("the measuring window ends at {to}, but the run ends at {duration}");
        refuse(
            "measure",
            "to",
            message,
            format!("allowed: at most {duration}"),
        );
    }
    if from >= to.min(duration) {
        let end = to.min(duration);
        let message = format!("the measuring window begins at {from} but ends at {end}");
        refuse("measure", "from", message, format!("allowed: below {end}"));
    }
    if scenario.measure.slowdown && !scenario.changes.is_empty() {
        refuse(
            "measure",
            "slowdown",
            "`slowdown` runs each flow alone, without `changes`".into(),
            "remove `slowdown` or `changes`".into(),
        );
    }
    if scenario.measure.sample == Some(Ps::ZERO) {
        refuse(
            "measure",
            "sample",
            "the sampling period is 0 s".into(),
            "allowed: above 0 s".into(),
        );
    }
}

fn check_lines(graph: &Graph, problems: &mut Vec<Problem>) {
    let beyond = graph
        .links
        .iter()
        .find(|link| !(SLOWEST..=OctetClock::FASTEST).contains(&link.rate));
    if let Some(link) = beyond {
        let message = format!("the link {} has {}", link.name, link.rate);
        let help = "allowed: 1 kbit/s to 800 Gbit/s";
        problems.push(Problem::error(place!["topology"], message, help));
    }
}

/// Checks the parameters of the ports of all switches, against the rate of the slowest line and the port
/// count of the switch with most ports.
fn check_ports(scenario: &Scenario, graph: &Graph, problems: &mut Vec<Problem>) {
    let switch = &scenario.switch;
    let leaving = graph
        .links
        .iter()
        .filter(|link| !graph.nodes[link.from].is_host && graph.layer(link) == Layer::Ethernet);
    let over_ethernet = graph.links.iter();
    let over_ethernet = over_ethernet.filter(|link| graph.layer(link) == Layer::Ethernet);
    let Some(rate) = over_ethernet.map(|link| link.rate).min() else {
        return;
    };
    let framing = Framing {
        tagged: scenario.ethernet.tagged,
    };
    // The checks refuse an `mtu` above this limit.
    let largest = framing.frame(scenario.ethernet.mtu.0.min(MOST_MTU) as u32);
    let longest = scenario.flows.iter().map(Flow::packet);
    let longest =
        longest.map(|(headers, payload)| framing.frame((headers + payload).min(MOST_MTU) as u32));
    let sizes = Sizes {
        sent: longest.max().unwrap_or(0),
        largest,
    };
    for (limit, place) in limits(scenario, graph) {
        problems.extend(sizes.without_room(limit, place));
    }
    if let Some(memory) = &switch.memory {
        problems.extend(sizes.without_room(memory.total.0, place!["switch", "memory", "total"]));
    }
    let mut ports = vec![0usize; graph.nodes.len()];
    leaving.for_each(|link| ports[link.from] += 1);
    let most = ports.into_iter().max().unwrap_or(0) * switch.queues.len();
    let memory = switch.memory.iter();
    let service_time = OctetClock::new(rate).ceil(on_line(largest));
    let (mut of_control, mut of_aqm) = (Vec::new(), Vec::new());
    for (limit, _) in limits(scenario, graph) {
        let facts = SwitchFacts {
            buffer: limit,
            service_time,
        };
        for mut finding in switch.control.0.check(facts) {
            let message = finding.message.replace("cells", "bytes");
            finding.message =
                message.replace("the time of a cell", "the time of the longest frame");
            add_new(&mut of_control, finding);
        }
        let facts = QueueFacts {
            rate,
            limit,
            largest,
        };
        for finding in switch.aqm.check(facts) {
            add_new(&mut of_aqm, finding);
        }
    }
    let found = [
        ("control", of_control),
        ("aqm", of_aqm),
        (
            "schedule",
            switch.schedule.check(switch.queues.len(), largest),
        ),
        (
            "memory",
            memory.flat_map(|memory| memory.check(most)).collect(),
        ),
    ];
    for (table, findings) in found {
        problems.extend(findings.into_iter().map(|finding| Problem {
            severity: severity(&finding),
            place: place!["switch", table, finding.field],
            // The text of the scenario may lack the key, so the message of a warning names the key.
            message: match severity(&finding) {
                Severity::Warning => {
                    format!("`switch.{table}.{}`: {}", finding.field, finding.message)
                }
                Severity::Error => format!("`{}`: {}", finding.field, finding.message),
            },
            help: String::new(),
        }));
    }
}

fn add_new(findings: &mut Vec<Finding>, finding: Finding) {
    if !findings.contains(&finding) {
        findings.push(finding);
    }
}

/// Checks rate control against the line of each source, and control schemes against flows with rate control.
fn check_rates(scenario: &Scenario, graph: &Graph, problems: &mut Vec<Problem>) {
    let mut first = None;
    for (group, flow) in scenario.flows.iter().enumerate() {
        let Some(rates) = &flow.rate_control else {
            continue;
        };
        let priority = *first.get_or_insert(flow.priority);
        let queue = |priority: u8| {
            let mut queues = scenario.switch.queues.iter();
            queues.position(|queue| queue.contains(&priority))
        };
        let last = scenario.switch.queues.len().saturating_sub(1);
        let [one, other] = [priority, flow.priority].map(|it| queue(it).unwrap_or(last));
        if one != other {
            let message = format!(
                "flows with rate control have the priorities {priority} and {}, which are in different queues",
                flow.priority
            );
            let help = "allowed: priorities of one queue, since a control scheme controls one queue of a port";
            problems.push(Problem::error(
                place!["flow", group, "priority"],
                message,
                help,
            ));
        }
        if scenario.switch.multipath != Multipath::Ecmp {
            let message =
                "`rate_control` needs one path for each flow, but `switch.multipath` is not `ecmp`";
            let help = "set `switch.multipath = \"ecmp\"`: records of a flow's rate (the fields of an RM cell) return through the \
                 switches that they have passed, so all frames of a flow must take one path";
            problems.push(Problem::error(
                place!["flow", group, "rate_control"],
                message,
                help,
            ));
        }
        let instances = graph
            .flows
            .iter()
            .filter(|instance| instance.group == group);
        let lines = instances.map(|instance| graph.links[instance.forward[0]].rate);
        let findings = lines.min().map(|line| rates.abr().check(line));
        problems.extend(findings.into_iter().flatten().map(|finding| Problem {
            severity: severity(&finding),
            place: place!["flow", group, "rate_control", finding.field],
            message: format!("`{}`: {}", finding.field, finding.message),
            help: String::new(),
        }));
    }
    let control = &scenario.switch.control.0;
    if control.generates() {
        let message = format!(
            "`{}` needs switches that generate RM cells, which only ATM has",
            control.name()
        );
        problems.push(Problem::error(
            place!["switch", "control"],
            message,
            "set another scheme, or `link_layer = \"atm\"`",
        ));
    }
    if first.is_none() && !matches!(control, ControlConfig::None(_)) {
        let message = format!(
            "`{}` has nothing to control: no flow has `rate_control`",
            control.name()
        );
        problems.push(Problem::warning(place!["switch", "control"], message, ""));
    }
}

/// Warns if switches mark but no sender reacts to marks, or if senders react to marks but no switch marks.
fn check_marks(scenario: &Scenario, problems: &mut Vec<Problem>) {
    let switch = &scenario.switch;
    let flows = scenario.flows.iter().enumerate();
    let over_tcp = flows.filter(|(_, flow)| flow.over_tcp());
    let (with_ecn, without): (Vec<_>, Vec<_>) = over_tcp.partition(|(_, flow)| flow.tcp.has_ecn());
    let marks = switch.aqm.marks();
    let over_roce = scenario.flows.iter().any(|flow| flow.roce.is_some());
    if marks && !over_roce && with_ecn.is_empty() && !without.is_empty() {
        let message = format!(
            "`{}` drops each packet that it would mark: no flow has `tcp.ecn` or `dctcp`",
            switch.aqm.name()
        );
        problems.push(Problem::warning(place!["switch", "aqm"], message, ""));
    }
    let Some((flow, sender)) = with_ecn.first() else {
        return;
    };
    if !marks && matches!(switch.control.0, ControlConfig::None(_)) {
        let message = format!(
            "flow group `{}` reacts to marks (ECN), but no queue marks: `switch.aqm` is `{}`",
            sender.name,
            switch.aqm.name()
        );
        problems.push(Problem::warning(place!["flow", *flow, "tcp"], message, ""));
    }
}

/// Warns of lengths of datagrams that were set for flows without datagrams.
fn check_unused_datagrams(scenario: &Scenario, problems: &mut Vec<Problem>) {
    for (index, flow) in scenario.flows.iter().enumerate() {
        let transport = match (&flow.roce, flow.over_tcp()) {
            (Some(_), _) => "RoCE",
            (None, true) => "TCP",
            (None, false) => continue,
        };
        if flow.datagram != Flow::default_datagram() {
            let message = format!(
                "`datagram` of flow group `{}` has no effect: the flows use {transport}",
                flow.name
            );
            problems.push(Problem::warning(
                place!["flow", index, "datagram"],
                message,
                "",
            ));
        }
    }
}

/// Warns of parameters of TCP that no flow, or not the flow that has them, uses.
fn check_unused_tcp(scenario: &Scenario, problems: &mut Vec<Problem>) {
    if !scenario.flows.iter().any(Flow::over_tcp) {
        problems.extend(without_tcp(&scenario.tcp, &tcp_defaults::config()));
    }
    for (index, flow) in scenario.flows.iter().enumerate() {
        if !flow.over_tcp() && flow.tcp != scenario.tcp {
            let message = format!(
                "`tcp` of flow group `{}` has no effect: the flows do not use TCP",
                flow.name
            );
            problems.push(Problem::warning(place!["flow", index, "tcp"], message, ""));
        }
    }
}

pub(super) fn severity(finding: &Finding) -> Severity {
    if finding.is_fatal(true) {
        Severity::Error
    } else {
        Severity::Warning
    }
}

/// The limits of the queues of all switches, each limit once and with its place; `u64::MAX` without a limit.
fn limits(scenario: &Scenario, graph: &Graph) -> Vec<(u64, Place)> {
    let common = scenario.switch.buffer.map_or(u64::MAX, |buffer| buffer.0);
    let mut found = Vec::new();
    for (index, node) in graph.nodes.iter().enumerate() {
        let limit = match node.buffer {
            Some(own) => (own, place!["topology", "node", index, "buffer"]),
            None => (common, place!["switch", "buffer"]),
        };
        let known = |(other, _): &(u64, Place)| *other == limit.0;
        let has_queues = !node.is_host && !matches!(node.part, Part::Atm(_));
        if has_queues && !found.iter().any(known) {
            found.push(limit);
        }
    }
    found
}

/// Warnings of buffers that limit no flow, because the priorities of all flows are under PFC or CBFC.
fn void_buffers(scenario: &Scenario, graph: &Graph) -> Vec<Problem> {
    let (name, priorities, room) = match (&scenario.pfc, &scenario.cbfc) {
        (Some(pfc), _) => ("PFC", &pfc.priorities, "`pfc.xoff` and `pfc.headroom`"),
        (None, Some(cbfc)) => ("CBFC", &cbfc.priorities, "the credits of links"),
        (None, None) => return Vec::new(),
    };
    if !pfc::covers_flows(scenario, priorities) {
        return Vec::new();
    }
    let set = limits(scenario, graph).into_iter();
    let set = set.filter(|(limit, _)| *limit != u64::MAX);
    let told = set.map(|(limit, place)| {
        let buffer = Bytes(limit);
        let message = format!(
            "the buffer of {buffer} has no effect: all flows are under {name}, and {room} limit them"
        );
        Problem::warning(place, message, "")
    });
    told.collect()
}

/// Octets of the longest frame of all flows (`sent`), and of a frame with an IP packet of the MTU
/// (`largest`).
#[derive(Clone, Copy)]
struct Sizes {
    sent: u32,
    largest: u32,
}

impl Sizes {
    /// The problem if a frame does not fit into `limit` octets: an error if a flow sends such a frame,
    /// otherwise a warning.
    fn without_room(self, limit: u64, place: Place) -> Option<Problem> {
        let frame = if limit < u64::from(self.sent) {
            self.sent
        } else {
            self.largest
        };
        if limit >= u64::from(frame) {
            return None;
        }
        let message = format!("{} do not hold a frame of {frame} bytes", Bytes(limit));
        let problem = if frame == self.sent {
            Problem::error
        } else {
            Problem::warning
        };
        let help = format!("allowed: at least {}", Bytes(frame.into()));
        Some(problem(place, message, help))
    }
}

fn check_frames(scenario: &Scenario, problems: &mut Vec<Problem>) {
    let mtu = scenario.ethernet.mtu.0;
    if !(68..=MOST_MTU).contains(&mtu) {
        let help = format!("allowed: 68 bytes (RFC 791) to {MOST_MTU} bytes");
        problems.push(Problem::error(
            place!["ethernet", "mtu"],
            format!("`mtu` is {mtu} bytes"),
            help,
        ));
    }
    for (index, flow) in scenario.flows.iter().enumerate() {
        if flow.datagram.0 > MOST_MTU {
            let message = format!("`datagram` is {}", flow.datagram);
            let help = format!(
                "allowed: at most {} bytes",
                MOST_MTU - u64::from(UDP_HEADERS)
            );
            let place = place!["flow", index, "datagram"];
            problems.push(Problem::error(place, message, help));
            continue;
        }
        let (headers, payload) = flow.packet();
        if headers + payload > mtu {
            let place = if flow.roce.is_some() {
                place!["flow", index, "roce", "payload"]
            } else if flow.over_tcp() {
                place!["flow", index, "tcp", "mss"]
            } else {
                place!["flow", index, "datagram"]
            };
            let message = format!(
                "{payload} bytes of payload and {headers} bytes of headers exceed the MTU of {mtu} bytes"
            );
            problems.push(Problem::error(
                place,
                message,
                format!("allowed: at most {} bytes", mtu.saturating_sub(headers)),
            ));
        }
    }
}

/// A warning about an ON-OFF source whose mean rate exceeds the set rate by more than [`MOST_SURPLUS`],
/// because it sends whole frames in its ON parts.
fn surplus(on_off: &OnOffConfig, scenario: &Scenario, flow: usize) -> Option<Problem> {
    let framing = Framing {
        tagged: scenario.ethernet.tagged,
    };
    let (headers, payload) = scenario.flows[flow].packet();
    let octets = framing.on_line((headers + payload).min(MOST_MTU) as u32);
    let on = on_off.period.as_secs_f64() * on_off.duty_cycle;
    let fit = on * on_off.peak.bits_per_second() / f64::from(8 * octets);
    // A frame that begins in an ON part is sent whole, also beyond the end of this part. The source never
    // exceeds its peak rate.
    let more = ((fit - 1e-9).ceil() / fit).min(1.0 / on_off.duty_cycle) - 1.0;
    (more > MOST_SURPLUS).then(|| {
        let message = format!(
            "an ON part has time for {fit:.3} frames of {octets} octets on the line, and the last frame is sent whole: \
             the mean rate is up to {:.1} % above `peak` times `duty_cycle`",
            100.0 * more
        );
        Problem::warning(place!["flow", flow, "source", "duty_cycle"], message, "")
    })
}

fn check_switch(scenario: &Scenario, problems: &mut Vec<Problem>) {
    let queues = &scenario.switch.queues;
    if queues.is_empty() || queues.len() > 8 {
        let message = format!("`queues` lists {} queues", queues.len());
        problems.push(Problem::error(
            place!["switch", "queues"],
            message,
            "allowed: 1 to 8 queues",
        ));
    }
    let mut seen = HashSet::new();
    for (queue, priorities) in queues.iter().enumerate() {
        for (at, priority) in priorities.iter().enumerate() {
            let place = place!["switch", "queues", queue, at];
            if *priority > 7 {
                problems.push(Problem::error(
                    place,
                    format!("{priority} is not a priority"),
                    "allowed: 0 to 7",
                ));
            } else if !seen.insert(*priority) {
                let message = format!("priority {priority} is in two queues");
                problems.push(Problem::error(
                    place,
                    message,
                    "allowed: each priority in one queue",
                ));
            }
        }
    }
}

fn check_flows(scenario: &Scenario, problems: &mut Vec<Problem>) {
    let mut seen = HashSet::new();
    for (index, flow) in scenario.flows.iter().enumerate() {
        if !seen.insert(flow.name.as_str()) {
            let message = format!("there are two flows named `{}`", flow.name);
            let help =
                "give each group a name of its own; `count` sets the number of flows of a group";
            problems.push(Problem::error(place!["flow", index, "name"], message, help));
        }
        if let Some((field, message)) = flow.source.check() {
            problems.push(Problem::error(
                place!["flow", index, "source", field],
                message,
                "",
            ));
        }
        if let Err(message) = flow.tcp.validate() {
            problems.push(Problem::error(place!["flow", index, "tcp"], message, ""));
        }
        if !can_send(&flow.source) {
            let message = format!("`{}` sends cells of ATM, not frames", flow.source.name());
            let help = "allowed over Ethernet: sources over TCP, `cbr`, `poisson`, `on-off`, `exponential-on-off` and `persistent`";
            problems.push(Problem::error(
                place!["flow", index, "source", "kind"],
                message,
                help,
            ));
        }
        let rate = match &flow.source {
            SourceConfig::Cbr(cbr) => Some(("rate", cbr.rate)),
            SourceConfig::Poisson(poisson) => Some(("rate", poisson.rate)),
            SourceConfig::OnOff(on_off) => Some(("peak", on_off.peak)),
            SourceConfig::ExponentialOnOff(on_off) => Some(("peak", on_off.peak)),
            _ => None,
        };
        if let SourceConfig::OnOff(on_off) = &flow.source
            && on_off.check().is_none()
        {
            problems.extend(surplus(on_off, scenario, index));
        }
        let beyond = rate.filter(|(_, rate)| !(SLOWEST..=OctetClock::FASTEST).contains(rate));
        if let Some((key, rate)) = beyond {
            let place = place!["flow", index, "source", key];
            let message = format!("the source sends at {rate}");
            let help = "allowed: 1 kbit/s to 800 Gbit/s";
            problems.push(Problem::error(place, message, help));
        }
        let unsupported = [
            ("processing_time", flow.tcp.processing_time > Ps::ZERO),
            (
                "processing_variation",
                flow.tcp.processing_variation > Ps::ZERO,
            ),
            (
                "rtt_excludes_transmission",
                flow.tcp.rtt_excludes_transmission,
            ),
        ];
        for (key, _) in unsupported.into_iter().filter(|(_, set)| *set) {
            let message = format!("`{key}` has no effect over Ethernet");
            let help = "remove the key: over Ethernet a host takes a segment when its line is free";
            problems.push(Problem::error(
                place!["flow", index, "tcp", key],
                message,
                help,
            ));
        }
    }
}

//! The ATM part of a network, behind routers: its settings, checks, plan and report.

use cellrate_engine::atm::aal5::{Encapsulation, cells_for};
use cellrate_engine::atm::cell::ServiceClass;
use cellrate_engine::atm::plan as cells;
use cellrate_engine::atm::plan::MeasurePlan;
use cellrate_engine::atm::report::PortReport;
use cellrate_engine::atm::server::LazyServer;
use cellrate_engine::control::{ControlConfig, SwitchFacts};
use cellrate_engine::discard::{DiscardConfig, QueueFacts};
use cellrate_engine::endsystem::AbrConfig;
use cellrate_engine::ether::spray::Multipath;
use cellrate_engine::joined::{
    FlowPlan, Joined, JoinedPlan, Layer, LinkPlan, NodeKind, NodePlan, RouterPlan,
};
use cellrate_engine::kernel::Finding;
use cellrate_engine::kernel::units::Buffer;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::checks::severity;
use super::graph::{Graph, Part};
use super::plan;
use super::types::{Scenario, TraceKind};
use crate::scenario::EventKind;
use crate::scenario::diagnostic::Severity;
use crate::scenario::problem::{Place, Problem, place};
use crate::scenario::schema::of;

/// The ATM part of a network, behind routers. Every flow that enters the ATM part has a virtual channel with
/// AAL5 and LLC/SNAP, which begins and ends at routers or hosts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Atm {
    /// Service class of every virtual channel.
    pub service: Service,
    /// Limit of each queue of each port of an ATM switch, the cell in transmission included.
    pub buffer: Buffer,
    /// Limit of the source queue of each virtual channel, at the router or host where the channel begins. A
    /// packet that exceeds the limit is lost.
    pub channel_queue: Buffer,
    /// Selection of the cells that a switch drops when its buffer is full.
    pub discard: DiscardConfig,
    /// Control scheme of the ATM switches, for ABR.
    pub control: ControlConfig,
    /// Settings of ABR sources and destinations, at routers and hosts.
    pub abr: AbrConfig,
}

/// Service class of a virtual channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Service {
    /// Available bit rate: a source sends at the rate that switches allow.
    Abr,
    /// Unspecified bit rate: a source sends at the rate of its line.
    Ubr,
}

impl Default for Atm {
    fn default() -> Atm {
        Atm {
            service: Service::Ubr,
            buffer: Buffer::INFINITE,
            channel_queue: Buffer::INFINITE,
            discard: DiscardConfig::default(),
            control: ControlConfig::default(),
            abr: AbrConfig::default(),
        }
    }
}

/// Adds the table `atm` to the schema. Control schemes over ATM have a definition of their own, since their
/// lengths are in cells. Rates are in bit/s as everywhere over Ethernet.
pub fn in_schema(schema: &mut Value) {
    let mut atm = of::<Atm>("");
    rename_schemes(&mut atm);
    let Value::Object(mut table) = atm else {
        return;
    };
    if let Some(Value::Object(definitions)) = table.remove("$defs") {
        for (name, definition) in definitions {
            let name = if name == SCHEMES { OF_ATM } else { &name };
            if schema["$defs"][name].is_null() {
                schema["$defs"][name] = definition;
            }
        }
    }
    table.remove("$schema");
    table.remove("title");
    schema["properties"]["atm"] = Value::Object(table);
}

/// Adds the user-defined schemes that `schema` has over Ethernet to its schemes over ATM. `registry` is the
/// schema without user-defined schemes.
pub fn share_classes(schema: &mut Value, registry: &Value) {
    let variants = |schema: &Value| schema["$defs"][SCHEMES]["oneOf"].as_array().cloned();
    let known = variants(registry).map_or(0, |known| known.len());
    let classes = variants(schema).unwrap_or_default().split_off(known);
    if let Some(of_atm) = schema["$defs"][OF_ATM]["oneOf"].as_array_mut() {
        of_atm.extend(classes);
    }
}

/// Name of the schema's definition of control schemes over Ethernet; `OF_ATM` is the name of the definition
/// over ATM.
const SCHEMES: &str = "ControlConfig";
const OF_ATM: &str = "AtmControlConfig";

fn rename_schemes(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            if let Some(Value::String(path)) = object.get_mut("$ref")
                && let Some(place) = path.strip_suffix(SCHEMES)
            {
                *path = format!("{place}{OF_ATM}");
            }
            object.values_mut().for_each(rename_schemes);
        }
        Value::Array(items) => items.iter_mut().for_each(rename_schemes),
        _ => {}
    }
}

/// Problems of a network with an ATM part, or of settings for an ATM part that the network does not have.
pub fn check(scenario: &Scenario, graph: &Graph) -> Vec<Problem> {
    if !graph.is_joined() {
        let unused = scenario.atm.as_ref().map(|_| {
            let message = "`atm` has no effect: no node is an ATM switch or a router";
            Problem::error(
                place!["atm"],
                message,
                "add a `node` of `kind = \"atm-switch\"`, or remove `atm`",
            )
        });
        let mut traces = scenario.measure.traces.iter();
        let untraced = traces.position(|kind| *kind == TraceKind::SourceQueue);
        let untraced = untraced.map(|number| {
            let message = "`source-queue` is not available without an ATM part: only virtual channels have source queues";
            Problem::error(place!["measure", "traces", number], message, "remove it")
        });
        return unused.into_iter().chain(untraced).collect();
    }
    let mut problems = Vec::new();
    for (is_set, key, place) in [
        (!scenario.changes.is_empty(), "changes", place!["changes"]),
        (scenario.fcvc.is_some(), "fcvc", place!["fcvc"]),
        (scenario.pfc.is_some(), "pfc", place!["pfc"]),
        (scenario.cbfc.is_some(), "cbfc", place!["cbfc"]),
        (
            scenario.switch.multipath != Multipath::default(),
            "switch.multipath",
            place!["switch", "multipath"],
        ),
    ] {
        if is_set {
            let message = format!("`{key}` is not available in a network with routers");
            problems.push(Problem::error(place, message, "remove the key"));
        }
    }
    let silent = scenario.flows.iter().position(|flow| !flow.sends);
    problems.extend(silent.map(|flow| {
        let message = "the flow never sends: `changes` is not available in a network with routers";
        Problem::error(place!["flow", flow, "sends"], message, "allowed: true")
    }));
    let waiting = graph.flows.iter().find(|flow| !flow.after.is_empty());
    problems.extend(waiting.map(|flow| {
        let message = "flows of a collective operation do not cross routers";
        let help = "another `pattern`, or a network without routers";
        Problem::error(place!["flow", flow.group, "pattern", "kind"], message, help)
    }));
    let atm = scenario.atm.clone().unwrap_or_default();
    check_components(&atm, scenario, graph, &mut problems);
    if problems
        .iter()
        .all(|problem| problem.severity == Severity::Warning)
        && let Err(fault) = Joined::<LazyServer>::new(&plan_of_both(scenario, graph))
    {
        problems.push(Problem::error(place!["topology"], fault, ""));
    }
    problems
}

/// Checks control schemes, discard policies and ABR sources against the slowest ATM link.
fn check_components(atm: &Atm, scenario: &Scenario, graph: &Graph, problems: &mut Vec<Problem>) {
    let over_atm = graph
        .links
        .iter()
        .filter(|link| graph.layer(link) == Layer::Atm);
    let Some(slowest) = over_atm.map(|link| link.rate).min() else {
        return;
    };
    let crossing = graph.flows.iter().filter(|flow| {
        let mut links = flow.forward.iter().chain(&flow.backward);
        links.any(|link| graph.layer(&graph.links[*link]) == Layer::Atm)
    });
    let channels = crossing.clone().count();
    let packets = crossing.map(|flow| {
        let (headers, payload) = scenario.flows[flow.group].packet();
        cells_for(headers + payload + u64::from(Encapsulation::LlcSnap.bytes())).into()
    });
    let largest_pdu = packets.max().unwrap_or(0);
    let mut add = |at: Place, findings: Vec<Finding>| {
        problems.extend(findings.into_iter().map(|finding| {
            let mut place = at.clone();
            place.push(finding.field.into());
            Problem {
                severity: severity(&finding),
                place,
                message: format!("`{}`: {}", finding.field, finding.message),
                help: String::new(),
            }
        }));
    };
    // Settings that are valid for the smallest buffer are valid for all buffers.
    let buffers = graph.nodes.iter().filter_map(|node| match node.part {
        Part::Atm(own) => Some(own.unwrap_or(atm.buffer).0),
        _ => None,
    });
    let buffer = buffers.min().unwrap_or(atm.buffer.0);
    let facts = SwitchFacts {
        buffer,
        service_time: slowest.cell_time_ceil(),
    };
    add(place!["atm", "control"], atm.control.check(facts));
    let facts = QueueFacts {
        buffer,
        largest_pdu,
        channels,
    };
    add(place!["atm", "discard"], atm.discard.check(facts));
    if atm.service == Service::Abr {
        add(place!["atm", "abr"], atm.abr.check(slowest));
    } else {
        if atm.control != ControlConfig::default() {
            let name = atm.control.name();
            let message = format!("`{name}` has nothing to control: the service is not ABR");
            problems.push(Problem::warning(place!["atm", "control"], message, ""));
        }
        if atm.abr != AbrConfig::default() {
            let message = "the parameters in `abr` have no effect: the service is not ABR";
            problems.push(Problem::warning(place!["atm", "abr"], message, ""));
        }
    }
    if atm.channel_queue.0 < largest_pdu {
        let message = format!(
            "`channel_queue` of {} does not hold a packet of {largest_pdu} cells",
            atm.channel_queue
        );
        problems.push(Problem::error(place!["atm", "channel_queue"], message, ""));
    }
}

/// The plan of a network with routers, in which ATM and Ethernet are joined.
pub fn plan_of_both(scenario: &Scenario, graph: &Graph) -> JoinedPlan {
    let atm = scenario.atm.clone().unwrap_or_default();
    let node = |node: &super::graph::Node| {
        let over_ethernet = || plan::switch(scenario, node);
        NodePlan {
            name: node.name.clone(),
            kind: match node.part {
                _ if node.is_host => NodeKind::Host,
                Part::Ethernet => NodeKind::EthernetSwitch(Box::new(over_ethernet())),
                Part::Router(forwarding_delay) => NodeKind::Router(Box::new(RouterPlan {
                    forwarding_delay,
                    ports: over_ethernet(),
                })),
                Part::Atm(buffer) => NodeKind::AtmSwitch(Box::new(cells::SwitchPlan {
                    control: atm.control.clone(),
                    discard: atm.discard.clone(),
                    ..cells::SwitchPlan::new(buffer.unwrap_or(atm.buffer))
                })),
            },
        }
    };
    let over_ethernet = plan::plan(scenario, graph);
    let service = match atm.service {
        Service::Abr => ServiceClass::Abr,
        Service::Ubr => ServiceClass::Ubr,
    };
    let flows = over_ethernet.flows.into_iter().map(|flow| FlowPlan {
        channel: cells::FlowPlan {
            group: flow.group,
            index: flow.index,
            backward: flow.backward,
            start: flow.start,
            tcp: flow.tcp,
            abr: atm.abr.clone(),
            source_queue: atm.channel_queue,
            ..cells::FlowPlan::new(&flow.name, service, flow.source, flow.forward)
        },
        priority: flow.priority,
        datagram: flow.datagram,
        rates: flow.rates,
    });
    JoinedPlan {
        seed: over_ethernet.seed,
        framing: over_ethernet.framing,
        fcvc: None,
        errors: Default::default(),
        measure: MeasurePlan {
            events: EventKind::set_of(&scenario.measure.events),
            event_limit: scenario.measure.event_limit as usize,
            ..MeasurePlan::default()
        },
        nodes: graph.nodes.iter().map(node).collect(),
        links: graph
            .links
            .iter()
            .map(|link| LinkPlan {
                layer: graph.layer(link),
                line: link.clone(),
            })
            .collect(),
        flows: flows.collect(),
    }
}

/// An output port of an ATM switch.
#[derive(Serialize, JsonSchema)]
#[schemars(extend("x-source" = "cellrate"))]
pub struct AtmPort {
    /// Name of the port's link.
    name: String,
    /// Rate of the port's link.
    rate_bits_per_second: f64,
    /// Share of the measuring window in which the link sends a cell; 1 for a link that is never idle.
    #[schemars(extend("x-unit" = "", "x-formula" = "time in which a cell is being sent / window", "x-better" = "more", "x-greatest" = 1))]
    utilisation: f64,
    /// Cells dropped / cells arrived.
    #[schemars(extend("x-formula" = "cells dropped / cells arrived", "x-source" = "Kalyanaraman 97 section 8.8", "x-better" = "less", "x-greatest" = 1))]
    cell_loss_ratio: f64,
    /// Dropped cells.
    #[schemars(extend("x-better" = "less"))]
    cells_dropped: u64,
    /// Time-weighted mean length of the port's queue, the cell in transmission included.
    #[schemars(extend("x-formula" = "integral of the length over the window / window", "x-better" = "less"))]
    queue_mean_cells: f64,
    /// Greatest length of the port's queue.
    #[schemars(extend("x-better" = "less"))]
    queue_max_cells: u64,
}

impl From<PortReport> for AtmPort {
    fn from(port: PortReport) -> AtmPort {
        // All virtual channels have one service class, so the port has one queue.
        let queues = || port.queues.iter();
        AtmPort {
            rate_bits_per_second: port.rate_bits_per_second,
            utilisation: port.utilisation,
            cell_loss_ratio: port.cell_loss_ratio,
            cells_dropped: queues().map(|queue| queue.cells_dropped).sum(),
            queue_mean_cells: queues().map(|queue| queue.queue_mean_cells).sum(),
            queue_max_cells: queues()
                .map(|queue| queue.queue_max_cells)
                .max()
                .unwrap_or(0),
            name: port.name,
        }
    }
}

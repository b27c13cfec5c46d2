//! The network that a scenario describes, in plain numbers, as far as these are known before the
//! run.

use std::collections::BTreeMap;

use cellrate_engine::atm::aal5::cells_for;
use cellrate_engine::atm::plan::LinkPlan;
use cellrate_engine::kernel::{Ps, Rate};
use cellrate_engine::traffic::Load;
use serde::Serialize;
use serde_json::Value;

use super::effective;
use super::graph::{self, Graph, Instance};
use super::in_units::InUnits;
use super::parse::Checked;
use super::quantity::bits_per_second;
use super::schema::schema;
use super::types::{self, Scenario, Setting};

/// A scenario's network. Times are seconds; parameters have the keys of the scenario file, see
/// [`InUnits`], and, if the file leaves them out, the values in force.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Network {
    /// Seed of every random stream.
    pub seed: u64,
    /// Simulated time.
    pub duration_seconds: f64,
    /// Largest random addition to the start of every flow.
    pub start_jitter_seconds: f64,
    /// Parameters of `[measure]`, which say what is recorded.
    pub measure: Value,
    /// Parameters of `[fcvc]`; null if there is no credit control.
    pub credit: Option<Value>,
    /// True if links may lose or damage cells (`link_errors`, or `errors` of a link).
    pub links_lose: bool,
    /// Bytes that AAL5 carries before every IP packet.
    pub encapsulation_bytes: u32,
    /// Hosts and switches.
    pub nodes: Vec<Node>,
    /// Directed links; flows name them by index.
    pub links: Vec<Link>,
    /// Every flow of every group.
    pub flows: Vec<Flow>,
    /// Changes during the run; all other fields describe the network before the first change.
    pub changes: Vec<Change>,
}

/// A change of settings during the run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Change {
    /// Time of the change.
    pub at_seconds: f64,
    /// Paths of the keys that change, with their values as a scenario file has them.
    pub keys: BTreeMap<String, Setting>,
}

/// A host or a switch in the description of a network, as `cellrate describe` and Python show it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Node {
    /// Unique name.
    pub name: String,
    /// Settings of the output ports: a switch's `buffer`, `priority`, `control` and `discard`; null
    /// for a host.
    pub switch: Option<Value>,
}

/// A directed link in the description of a network.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Link {
    /// Unique name, `FROM->TO`; the port that feeds the link has the same name.
    pub name: String,
    /// Node that sends.
    pub from: usize,
    /// Node that receives.
    pub to: usize,
    /// Line rate.
    pub bits_per_second: f64,
    /// Line rate in cells of 424 bits.
    pub cells_per_second: f64,
    /// Propagation delay.
    pub delay_seconds: f64,
}

/// One flow of a flow group in the description of a network, with its path and propagation times.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Flow {
    /// Unique name, `GROUP.INDEX`.
    pub name: String,
    /// Name of the flow's group.
    pub group: String,
    /// Number within the group, from 1.
    pub index: u32,
    /// Service class of the forward channel.
    pub service: Value,
    /// Service class of the backward channel.
    pub ack_service: Value,
    /// Start time, before jitter.
    pub start_seconds: f64,
    /// False if the source sends nothing before a change.
    pub sends: bool,
    /// Links of the forward channel, in order.
    pub forward: Vec<usize>,
    /// Links of the backward channel, in order; empty if the flow has no backward traffic.
    pub backward: Vec<usize>,
    /// Index of the flow whose cells a branch point copies for this flow; absent unless the flow is a further leaf of a
    /// point-to-multipoint flow. The paths then begin and end at the branch point.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub copies: Option<usize>,
    /// Weight of both channels where switches serve channels by weight.
    pub weight: u32,
    /// Contract of the forward channel, which a policer at its first switch enforces; null without a policer.
    pub policer: Option<Value>,
    /// GFR contract of the forward channel; null without one.
    pub gfr: Option<Value>,
    /// Contract to which the source shapes the forward channel; null without a shaper.
    pub shaper: Option<Value>,
    /// Contract to which ports with a queue for each channel shape the forward channel; null without
    /// shapers at ports.
    pub port_shaper: Option<Value>,
    /// The source of traffic.
    pub source: Value,
    /// Rates of a source that generates cells by itself; null if it sends as fast as TCP or the
    /// network allows.
    pub own_rate: Option<OwnRate>,
    /// TCP at both ends; null without TCP.
    pub tcp: Option<Value>,
    /// Expected share of the PDUs of full segments that have an errored bit on the way; null without TCP.
    pub errored_pdus_share: Option<f64>,
    /// ABR end systems at both ends; null in other service classes.
    pub abr: Option<Value>,
    /// Limit of the source queue; null if there is none.
    pub source_queue_cells: Option<u64>,
    /// The part of the data that a full source queue refuses.
    pub source_queue_refuses: Value,
    /// Propagation delay from source to destination and back; null if the flow has no backward
    /// traffic.
    pub propagation_round_trip_seconds: Option<f64>,
    /// For each forward link, the delay from feedback at the link's sending node to its effect at
    /// this node: propagation from the node back to the source, or virtual source, of the loop, and
    /// forward again. Empty unless the flow is ABR.
    pub feedback_delay_seconds: Vec<f64>,
}

/// Rates of a source that generates cells by itself.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct OwnRate {
    /// Mean rate.
    pub mean_cells_per_second: f64,
    /// Greatest rate; null if any number of cells may come at once.
    pub peak_cells_per_second: Option<f64>,
}

/// Describes the network of a checked scenario: nodes, links and flows, without a run.
pub fn describe(checked: &Checked) -> Network {
    let (scenario, graph) = (checked.scenario(), checked.graph());
    Network {
        seed: scenario.run.seed,
        duration_seconds: scenario.run.duration.as_secs_f64(),
        start_jitter_seconds: scenario.run.start_jitter.as_secs_f64(),
        measure: in_units("Measure", &scenario.measure),
        credit: scenario
            .fcvc
            .as_ref()
            .map(|credit| in_units("FcvcConfig", credit)),
        links_lose: graph.links_lose(&scenario.link_errors),
        encapsulation_bytes: scenario.aal5.encapsulation.bytes(),
        nodes: graph.nodes.iter().map(node).collect(),
        links: graph.links.iter().map(link).collect(),
        flows: graph
            .flows
            .iter()
            .map(|instance| flow(scenario, graph, instance))
            .collect(),
        changes: scenario.changes.iter().map(change).collect(),
    }
}

pub(crate) fn change(change: &types::Change) -> Change {
    Change {
        at_seconds: change.at.as_secs_f64(),
        keys: change.set.clone(),
    }
}

fn node(node: &graph::Node) -> Node {
    let switch = node
        .switch
        .as_ref()
        .map(|switch| in_units("Switch", &effective::switch(switch)));
    Node {
        name: node.name.clone(),
        switch,
    }
}

fn link(link: &LinkPlan) -> Link {
    Link {
        name: link.name.clone(),
        from: link.from,
        to: link.to,
        bits_per_second: bits_per_second(link.rate),
        cells_per_second: link.rate.cells_per_second(),
        delay_seconds: link.delay.as_secs_f64(),
    }
}

fn flow(scenario: &Scenario, graph: &Graph, instance: &Instance) -> Flow {
    let group = &scenario.flows[instance.group];
    let access: Option<Rate> = instance.forward.first().map(|link| graph.links[*link].rate);
    let abr = access.filter(|_| group.is_abr());
    let delay = |links: &[usize]| {
        links.iter().fold(Ps::ZERO, |sum, link| {
            sum.saturating_add(graph.links[*link].delay)
        })
    };
    let feedback = |hop: usize| {
        let mut before = (0..hop)
            .rev()
            .filter(|begin| graph.ends_loops(graph.links[instance.forward[*begin]].from));
        let (begin, hops) = (before.next().unwrap_or(0), instance.backward.len());
        let back = &instance.backward[hops - hop..hops - begin];
        delay(&instance.forward[begin..hop])
            .saturating_add(delay(back))
            .as_secs_f64()
    };
    let round_trip = delay(&instance.forward).saturating_add(delay(&instance.backward));
    Flow {
        name: instance.name.clone(),
        group: group.name.clone(),
        index: instance.index,
        service: serde_json::json!(group.service),
        ack_service: serde_json::json!(group.ack_service()),
        start_seconds: instance.start.as_secs_f64(),
        sends: group.sends,
        forward: instance.forward.clone(),
        backward: instance.backward.clone(),
        copies: instance.branch.map(|branch| branch.of),
        weight: group.weight,
        policer: group
            .policer
            .as_ref()
            .map(|policer| in_units("PolicerConfig", policer)),
        gfr: group.gfr.as_ref().map(|gfr| in_units("GfrConfig", gfr)),
        shaper: group
            .shaper
            .as_ref()
            .map(|shaper| in_units("ShaperConfig", shaper)),
        port_shaper: group
            .port_shaper
            .as_ref()
            .map(|shaper| in_units("ShaperConfig", shaper)),
        source: in_units("SourceConfig", &group.source),
        own_rate: own_rate(group.source.load()),
        tcp: group
            .source
            .over_tcp()
            .then(|| in_units("TcpConfig", &effective::tcp(&group.tcp))),
        errored_pdus_share: group.source.over_tcp().then(|| {
            let headers = u64::from(group.tcp.data_header_bytes());
            let encapsulation = u64::from(scenario.aal5.encapsulation.bytes());
            let cells = cells_for(group.tcp.mss.0 + headers + encapsulation);
            graph.errored_share(&instance.forward, &scenario.link_errors, cells)
        }),
        abr: abr.map(|rate| {
            in_units(
                "AbrConfig",
                &effective::abr(&group.abr, rate, graph.first_loop(instance)),
            )
        }),
        source_queue_cells: (!group.source_queue.is_infinite()).then_some(group.source_queue.0),
        source_queue_refuses: serde_json::json!(group.source_queue_refuses),
        propagation_round_trip_seconds: (!instance.backward.is_empty())
            .then(|| round_trip.as_secs_f64()),
        feedback_delay_seconds: abr.map_or_else(Vec::new, |_| {
            (0..instance.forward.len()).map(feedback).collect()
        }),
    }
}

fn own_rate(load: Load) -> Option<OwnRate> {
    match load {
        Load::Elastic => None,
        Load::Own { mean, peak, .. } => Some(OwnRate {
            mean_cells_per_second: mean,
            peak_cells_per_second: peak.is_finite().then_some(peak),
        }),
    }
}

fn in_units<T: Serialize>(name: &str, parameters: &T) -> Value {
    let units = InUnits {
        schema: schema(),
        cells: true,
    };
    units.of(name, parameters)
}

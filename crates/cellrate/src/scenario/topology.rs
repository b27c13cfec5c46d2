//! Nodes and links of a scenario: a template, or the whole graph.

use cellrate_engine::atm::cell::ServiceClass;
use cellrate_engine::control::ControlConfig;
use cellrate_engine::discard::DiscardConfig;
use cellrate_engine::endsystem::VsVdConfig;
use cellrate_engine::kernel::Rate;
use cellrate_engine::kernel::units::{Buffer, Cells, Delay};
use cellrate_engine::net::bit_errors::BitErrorConfig;
use cellrate_engine::schedule::channels::ChannelScheduleConfig;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The network's nodes and links: a template with parameters, or an explicit graph.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "template")]
pub enum Topology {
    /// Two switches A and B around a bottleneck link; every flow has hosts of its own on both
    /// sides.
    #[serde(rename = "n-source")]
    NSource(NSource),
    /// One switch A; every flow has a source host of its own, all end at one host behind the
    /// bottleneck link.
    #[serde(rename = "single-switch")]
    SingleSwitch(SingleSwitch),
    /// Switches in a chain; flows enter at successive switches and share the links after these
    /// switches.
    #[serde(rename = "parking-lot")]
    ParkingLot(ParkingLot),
    /// Listed nodes and links.
    #[serde(rename = "graph")]
    Graph(GraphTopology),
}

/// Hosts `src.FLOW` - switch `A` - bottleneck - switch `B` - hosts `dst.FLOW`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NSource {
    /// Rate of every link but the bottleneck.
    pub link_rate: Rate,
    /// Rate of the link between the switches; `link_rate` if absent.
    pub bottleneck_rate: Option<Rate>,
    /// One-way delay, or length of fibre, of the links from the sources to switch A.
    pub access: Delay,
    /// One-way delay, or length of fibre, of the link between the switches.
    pub bottleneck: Delay,
    /// One-way delay, or length of fibre, of the links from switch B to the destinations.
    pub egress: Delay,
}

/// Hosts `src.FLOW` - switch `A` - bottleneck - host `sink`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SingleSwitch {
    /// Rate of every link but the bottleneck.
    pub link_rate: Rate,
    /// Rate of the link from the switch to the sink; `link_rate` if absent.
    pub bottleneck_rate: Option<Rate>,
    /// One-way delay, or length of fibre, of the links from the sources to the switch.
    pub access: Delay,
    /// One-way delay, or length of fibre, of the link from the switch to the sink.
    pub bottleneck: Delay,
}

/// Switches `S1` to `SN`; hosts `src.FLOW` at the switch that the flow enters, `dst.FLOW` where it
/// leaves. Flow *i* of a group enters at switch *i*, flow *N* at the first again, unless
/// `flow.enters` says otherwise, and leaves at the last switch, unless `flow.hops` does. Ajmone
/// Marsan et al. 1997, figure 3.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ParkingLot {
    /// Rate of every link except the links between switches.
    pub link_rate: Rate,
    /// Rate of the links between switches; `link_rate` if absent.
    pub bottleneck_rate: Option<Rate>,
    /// Switches in the row, 2 to 1,000.
    #[schemars(range(min = 2, max = 1_000))]
    pub switches: u32,
    /// One-way delay, or length of fibre, of each link between switches.
    pub hop: Delay,
    /// One-way delay, or length of fibre, of the links from the sources to their switches; instead
    /// of `span`.
    pub access: Option<Delay>,
    /// One-way delay, or length of fibre, of the whole route of every flow, source to destination;
    /// the first link gets what remains after the others. Instead of `access`.
    pub span: Option<Delay>,
    /// One-way delay, or length of fibre, of the links to the destinations.
    pub egress: Delay,
}

/// A graph whose nodes and links the scenario lists one by one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GraphTopology {
    /// Hosts and switches.
    #[serde(rename = "node")]
    #[schemars(length(min = 2))]
    pub nodes: Vec<GraphNode>,
    /// Links between the nodes.
    #[serde(rename = "link")]
    #[schemars(length(min = 1))]
    pub links: Vec<GraphLink>,
}

/// A node of a graph.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind")]
#[allow(
    clippy::large_enum_variant,
    reason = "one per node, and only while a scenario is read"
)]
pub enum GraphNode {
    /// A host, at which flows begin and end.
    #[serde(rename = "host")]
    Host(GraphHost),
    /// A switch, which forwards cells.
    #[serde(rename = "switch")]
    Switch(GraphSwitch),
}

impl GraphNode {
    /// Name of the node.
    pub fn name(&self) -> &str {
        match self {
            GraphNode::Host(host) => &host.name,
            GraphNode::Switch(switch) => &switch.name,
        }
    }
}

/// A host that the scenario lists; flows begin and end at hosts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GraphHost {
    /// Unique name: letters, digits, `_`, `.` and `-`.
    #[schemars(regex(pattern = r"^[A-Za-z0-9_][A-Za-z0-9_.-]*$"))]
    pub name: String,
}

/// A switch of a graph. Absent keys are taken from `[switch]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GraphSwitch {
    /// Unique name: letters, digits, `_`, `.` and `-`.
    #[schemars(regex(pattern = r"^[A-Za-z0-9_][A-Za-z0-9_.-]*$"))]
    pub name: String,
    /// Limit of each queue of each port.
    #[schemars(extend("x-change" = true))]
    pub buffer: Option<Buffer>,
    /// Limit of each queue of each port for cells with CLP = 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clp_threshold: Option<Cells>,
    /// Queues of each port in order of priority, the highest first, each with its service classes.
    pub priority: Option<Vec<Vec<ServiceClass>>>,
    /// Congestion control of the queue that holds ABR.
    #[schemars(extend("x-change" = true))]
    pub control: Option<ControlConfig>,
    /// Selection of the cells that are refused at a full buffer.
    #[schemars(extend("x-change" = true))]
    pub discard: Option<DiscardConfig>,
    /// Virtual sources and destinations.
    pub vsvd: Option<VsVdConfig>,
    /// Serves RM cells before the data cells of their queue.
    pub rm_first: Option<bool>,
    /// Order in which the channels of a queue are served, each with a queue of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schedule: Option<ChannelScheduleConfig>,
}

/// A link that the scenario lists, with the same rate and delay in both directions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GraphLink {
    /// Node at one end.
    pub from: String,
    /// Node at the other end.
    pub to: String,
    /// Line rate in each direction.
    pub rate: Rate,
    /// One-way propagation delay, or length of fibre.
    pub delay: Delay,
    /// Adds a link of the same rate, delay and errors in the other direction.
    #[serde(default = "duplex")]
    pub duplex: bool,
    /// Bit errors of the link in each direction; if absent, the errors of `[link_errors]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub errors: Option<BitErrorConfig>,
}

fn duplex() -> bool {
    true
}

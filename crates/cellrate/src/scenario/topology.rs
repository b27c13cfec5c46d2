//! Nodes and links of a scenario: a template, or the whole graph.

use cellrate_engine::atm::cell::ServiceClass;
use cellrate_engine::control::ControlConfig;
use cellrate_engine::discard::DiscardConfig;
use cellrate_engine::kernel::Rate;
use cellrate_engine::kernel::units::{Buffer, Delay};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Nodes and links.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "template")]
pub enum Topology {
    /// Two switches A and B around a bottleneck link; every flow has hosts of its own on both sides.
    #[serde(rename = "n-source")]
    NSource(NSource),
    /// One switch A; every flow has a source host of its own, all end at one host behind the
    /// bottleneck link.
    #[serde(rename = "single-switch")]
    SingleSwitch(SingleSwitch),
    /// Nodes and links as they are listed.
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
    /// Delay or length of the links from the sources to switch A.
    pub access: Delay,
    /// Delay or length of the link between the switches.
    pub bottleneck: Delay,
    /// Delay or length of the links from switch B to the destinations.
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
    /// Delay or length of the links from the sources to the switch.
    pub access: Delay,
    /// Delay or length of the link from the switch to the sink.
    pub bottleneck: Delay,
}

/// An explicit graph.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GraphTopology {
    /// Hosts and switches.
    #[serde(rename = "node")]
    #[schemars(length(min = 2))]
    pub nodes: Vec<GraphNode>,
    /// Links between them.
    #[serde(rename = "link")]
    #[schemars(length(min = 1))]
    pub links: Vec<GraphLink>,
}

/// A node of a graph.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind")]
pub enum GraphNode {
    /// Ends flows.
    #[serde(rename = "host")]
    Host(GraphHost),
    /// Forwards cells.
    #[serde(rename = "switch")]
    Switch(GraphSwitch),
}

impl GraphNode {
    /// Its name.
    pub fn name(&self) -> &str {
        match self {
            GraphNode::Host(host) => &host.name,
            GraphNode::Switch(switch) => &switch.name,
        }
    }
}

/// A host of a graph.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GraphHost {
    /// Unique name: letters, digits, `_`, `.` and `-`.
    #[schemars(regex(pattern = r"^[A-Za-z0-9_][A-Za-z0-9_.-]*$"))]
    pub name: String,
}

/// A switch of a graph. What is absent is as in `[switch]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GraphSwitch {
    /// Unique name: letters, digits, `_`, `.` and `-`.
    #[schemars(regex(pattern = r"^[A-Za-z0-9_][A-Za-z0-9_.-]*$"))]
    pub name: String,
    /// Limit of each queue of each port.
    pub buffer: Option<Buffer>,
    /// Queues of each port, the one served first in front, each with its service classes.
    pub priority: Option<Vec<Vec<ServiceClass>>>,
    /// Congestion control of the queue that holds ABR.
    pub control: Option<ControlConfig>,
    /// Which cells a full buffer refuses.
    pub discard: Option<DiscardConfig>,
}

/// A link of a graph.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GraphLink {
    /// Node at one end.
    pub from: String,
    /// Node at the other end.
    pub to: String,
    /// Line rate in each direction.
    pub rate: Rate,
    /// Propagation delay, or length.
    pub delay: Delay,
    /// Whether there is a link in the other direction, too.
    #[serde(default = "duplex")]
    pub duplex: bool,
}

fn duplex() -> bool {
    true
}

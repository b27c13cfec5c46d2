//! Nodes and links of a scenario over Ethernet: a template, or an explicit graph.

use cellrate_engine::kernel::units::{Buffer, Bytes, Delay};
use cellrate_engine::kernel::{Ps, Rate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::scenario::{GraphHost, GraphLink, NSource, SingleSwitch};

/// The network's nodes and links: a template with parameters, or an explicit graph.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "template")]
pub enum Topology {
    /// Two switches A and B around a bottleneck link. Every flow has a host of its own at each side.
    #[serde(rename = "n-source")]
    NSource(NSource),
    /// One switch A. Every flow has a source host of its own, and all flows end at one host behind the
    /// bottleneck link: an incast.
    #[serde(rename = "single-switch")]
    SingleSwitch(SingleSwitch),
    /// Leaf switches with hosts, each leaf joined to every spine switch.
    #[serde(rename = "leaf-spine")]
    LeafSpine(LeafSpine),
    /// A fat tree of switches with k ports each.
    #[serde(rename = "fat-tree")]
    FatTree(FatTree),
    /// Listed nodes and links.
    #[serde(rename = "graph")]
    Graph(Graph),
}

/// Hosts `h1`, `h2` ... at leaf switches `leaf1` ... Each leaf has a link to each of the spine switches
/// `spine1` ... Host *i* is at the leaf with the number (*i* - 1) / `hosts_per_leaf` + 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LeafSpine {
    /// Number of leaf switches.
    #[schemars(range(min = 1, max = 1_000))]
    pub leaves: u32,
    /// Number of spine switches.
    #[schemars(range(min = 1, max = 1_000))]
    pub spines: u32,
    /// Number of hosts at each leaf. A leaf is oversubscribed if the rates of its hosts exceed the rates of
    /// its links to spines.
    #[schemars(range(min = 1, max = 1_000))]
    pub hosts_per_leaf: u32,
    /// Rate of the links to hosts.
    pub host_rate: Rate,
    /// Rate of the links between leaves and spines; if absent, `host_rate`.
    pub spine_rate: Option<Rate>,
    /// One-way delay, or length of fibre, of the links to hosts.
    pub host_delay: Delay,
    /// One-way delay, or length of fibre, of the links between leaves and spines.
    pub spine_delay: Delay,
}

/// Hosts `h1` to `hN`, N = k^3 / 4, in k pods under (k / 2)^2 core switches (Al-Fares, Loukissas and Vahdat
/// 2008, section 2.2.1). Each pod has k / 2 edge and k / 2 aggregation switches. Host *i* is at edge switch
/// (*i* - 1) / (k / 2) + 1. Edge switches are numbered through all pods.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FatTree {
    /// Number of ports of each switch, an even number.
    #[schemars(range(min = 2, max = 64))]
    pub k: u32,
    /// Rate of every link.
    pub rate: Rate,
    /// One-way delay, or length of fibre, of every link.
    pub delay: Delay,
}

/// A graph whose nodes and links the scenario lists one by one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Graph {
    /// Hosts, switches, routers and ATM switches.
    #[serde(rename = "node")]
    #[schemars(length(min = 2))]
    pub nodes: Vec<Node>,
    /// Links between the nodes.
    #[serde(rename = "link")]
    #[schemars(length(min = 1))]
    pub links: Vec<GraphLink>,
}

/// A node that the scenario lists, with the settings that differ from the defaults.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind")]
pub enum Node {
    /// Host, at which flows begin and end.
    #[serde(rename = "host")]
    Host(GraphHost),
    /// Switch, which forwards frames.
    #[serde(rename = "switch")]
    Switch(NamedSwitch),
    /// Router, which forwards IP packets between Ethernet links and ATM links.
    #[serde(rename = "router")]
    Router(NamedRouter),
    /// ATM switch, which forwards cells. All its links are ATM links.
    #[serde(rename = "atm-switch")]
    AtmSwitch(NamedAtmSwitch),
}

impl Node {
    /// Name of the node.
    pub fn name(&self) -> &str {
        match self {
            Node::Host(host) => &host.name,
            Node::Switch(switch) => &switch.name,
            Node::Router(router) => &router.name,
            Node::AtmSwitch(switch) => &switch.name,
        }
    }
}

/// A switch of a graph. Absent keys are taken from `[switch]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NamedSwitch {
    /// Unique name: letters, digits, `_`, `.` and `-`.
    #[schemars(regex(pattern = r"^[A-Za-z0-9_][A-Za-z0-9_.-]*$"))]
    pub name: String,
    /// Greatest length of each queue of each port in bytes; if absent, the value of `[switch]`, with the
    /// exceptions that are given there.
    #[schemars(extend("x-change" = true))]
    pub buffer: Option<Bytes>,
}

/// A router of a graph. A packet that has arrived whole enters a queue after the forwarding delay. Toward
/// Ethernet this is a queue of the output port, with the settings of `[switch]`; toward ATM it is the source
/// queue of the virtual channel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NamedRouter {
    /// Unique name: letters, digits, `_`, `.` and `-`.
    #[schemars(regex(pattern = r"^[A-Za-z0-9_][A-Za-z0-9_.-]*$"))]
    pub name: String,
    /// Time from the arrival of the last bit of a packet to its arrival at the queue of its output port;
    /// above 0 s.
    #[serde(default = "forwarding_delay")]
    pub forwarding_delay: Ps,
    /// Greatest length of each queue of each port toward Ethernet in bytes; if absent, the value of
    /// `[switch]`.
    pub buffer: Option<Bytes>,
}

fn forwarding_delay() -> Ps {
    Ps::from_us(10)
}

/// An ATM switch of a graph. An absent key is taken from `[atm]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NamedAtmSwitch {
    /// Unique name: letters, digits, `_`, `.` and `-`.
    #[schemars(regex(pattern = r"^[A-Za-z0-9_][A-Za-z0-9_.-]*$"))]
    pub name: String,
    /// Limit of each queue of each port.
    pub buffer: Option<Buffer>,
}

impl Topology {
    /// Fills in the defaults that depend on other keys.
    pub(super) fn complete(&mut self) {
        match self {
            Topology::NSource(NSource {
                link_rate,
                bottleneck_rate: other,
                ..
            })
            | Topology::SingleSwitch(SingleSwitch {
                link_rate,
                bottleneck_rate: other,
                ..
            })
            | Topology::LeafSpine(LeafSpine {
                host_rate: link_rate,
                spine_rate: other,
                ..
            }) => {
                other.get_or_insert(*link_rate);
            }
            Topology::FatTree(_) | Topology::Graph(_) => {}
        }
    }
    /// True if the template makes hosts for each flow, so that the scenario names none.
    pub fn lays_out_flows(&self) -> bool {
        matches!(self, Topology::NSource(_) | Topology::SingleSwitch(_))
    }
}

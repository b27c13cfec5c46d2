//! The directed graph that a scenario over Ethernet describes, and the route of every flow through it.

mod arrivals;
mod collectives;
mod layout;
mod pairs;
mod routes;

use cellrate_engine::ether::plan::Awaited;
use cellrate_engine::ether::spray::Multipath;
use cellrate_engine::joined::Layer;
use cellrate_engine::kernel::units::{Buffer, Bytes};
use cellrate_engine::kernel::{Ps, Rate};
use cellrate_engine::net::LinkPlan;
use cellrate_engine::traffic::SourceConfig;
use cellrate_engine::traffic::transfer::TransferConfig;

use self::routes::Routes;
use super::flow::Flow;
use super::flow::Pattern;
use super::link_errors;
use super::types::Scenario;
use crate::scenario::problem::{Problem, place};

/// Greatest number of flows of a scenario.
const MOST_FLOWS: usize = 1_000_000;
/// Greatest number of links over which switches spray frames, summed over all flows. The tables of the switches have as
/// many entries.
const MOST_SPRAYED: usize = 10_000_000;

/// Nodes, directed links, and flows with their routes over the links.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Graph {
    /// Hosts and switches.
    pub nodes: Vec<Node>,
    /// Directed links, each named `FROM->TO`.
    pub links: Vec<LinkPlan>,
    /// All flows of all groups.
    pub flows: Vec<Instance>,
}

/// A host, switch or router of the resolved graph.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Unique name.
    pub name: String,
    /// True for a host.
    pub is_host: bool,
    /// Greatest length of each queue of the switch in bytes; `None` for the value of `[switch]`.
    pub buffer: Option<u64>,
    /// Link layer of the node.
    pub part: Part,
}

/// The link layer to which a node of the graph belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Host, or Ethernet switch.
    Ethernet,
    /// Router, with its forwarding delay.
    Router(Ps),
    /// ATM switch, with the limit of its queues; `None` for the value of `[atm]`.
    Atm(Option<Buffer>),
}

/// One flow of a flow group, with the path that the scenario's routing gives it.
#[derive(Clone, Debug, PartialEq)]
pub struct Instance {
    /// Group of the flow: index into the flows of the scenario.
    pub group: usize,
    /// Number of the flow within the group, from 1.
    pub index: u32,
    /// Unique name, `GROUP.INDEX`.
    pub name: String,
    /// Start time, before jitter.
    pub start: Ps,
    /// Bytes that the flow transfers, if `pattern` sets them; `None` if the source of the group sets them.
    pub size: Option<u64>,
    /// Flows that the flow awaits, by index in [`Graph::flows`].
    pub after: Vec<Awaited>,
    /// Links from the source to the destination.
    pub forward: Vec<usize>,
    /// Links from the destination to the source; empty for datagrams without rate control.
    pub backward: Vec<usize>,
    /// Links over which switches spray the frames, hop by hop: to the destination, and back to the source. A list is
    /// empty if all frames take the path in `forward` or `backward`.
    pub sprayed: [Vec<Vec<usize>>; 2],
}

/// A flow without its route: the indices of its two hosts, its start, its size, and the flows that it awaits.
struct Wanted {
    ends: (usize, usize),
    start: Ps,
    size: Option<u64>,
    after: Vec<Awaited>,
}

impl Instance {
    /// Source of traffic of the flow. `group` is the flow's group.
    pub fn source(&self, group: &Flow) -> SourceConfig {
        match self.size {
            Some(size) => SourceConfig::Transfer(TransferConfig { size: Bytes(size) }),
            None => group.source.clone(),
        }
    }
}

impl Graph {
    fn add_node(&mut self, name: impl Into<String>, is_host: bool) -> usize {
        self.nodes.push(Node {
            name: name.into(),
            is_host,
            buffer: None,
            part: Part::Ethernet,
        });
        self.nodes.len() - 1
    }
    /// Link layer of a link: ATM if one of its ends is an ATM switch.
    pub fn layer(&self, link: &LinkPlan) -> Layer {
        let mut ends = [link.from, link.to].into_iter();
        if ends.any(|node| matches!(self.nodes[node].part, Part::Atm(_))) {
            Layer::Atm
        } else {
            Layer::Ethernet
        }
    }
    /// True if the network has routers or ATM switches.
    pub fn is_joined(&self) -> bool {
        let mut nodes = self.nodes.iter();
        nodes.any(|node| node.part != Part::Ethernet)
    }
    fn add_link(&mut self, from: usize, to: usize, rate: Rate, delay: Ps) -> usize {
        let name = format!("{}->{}", self.nodes[from].name, self.nodes[to].name);
        self.links.push(LinkPlan {
            name,
            from,
            to,
            rate,
            delay,
            errors: None,
        });
        self.links.len() - 1
    }
    fn add_duplex(&mut self, from: usize, to: usize, rate: Rate, delay: Ps) {
        self.add_link(from, to, rate, delay);
        self.add_link(to, from, rate, delay);
    }
    /// The opposite links of a path, in reverse order; `None` if a link has no opposite link.
    fn reverse(&self, path: &[usize]) -> Option<Vec<usize>> {
        let back = |link: &usize| {
            let ends = (self.links[*link].to, self.links[*link].from);
            let leads = |link: &usize| (self.links[*link].from, self.links[*link].to) == ends;
            // The two directions of a line usually have indices that differ only in the last bit.
            let near = Some(link ^ 1).filter(|near| *near < self.links.len() && leads(near));
            near.or_else(|| (0..self.links.len()).find(leads))
        };
        path.iter().rev().map(back).collect()
    }
}

/// Builds the graph of `scenario`.
///
/// # Errors
/// If names are missing or used twice, if keys have no meaning in the template, or if a host cannot be
/// reached.
pub(super) fn expand(scenario: &Scenario) -> Result<Graph, Vec<Problem>> {
    let mut graph = layout::nodes_and_links(&scenario.topology)?;
    let mut problems = Vec::new();
    let mut wanted = Vec::new();
    for (group, flow) in scenario.flows.iter().enumerate() {
        match wanted_of(&mut graph, scenario, group, wanted.len()) {
            Ok(found) => {
                let all = wanted.len() + found.len();
                if all > MOST_FLOWS {
                    let message = format!("the groups up to `{}` have {all} flows", flow.name);
                    let help = format!("allowed: at most {MOST_FLOWS} flows in all groups");
                    return Err(vec![Problem::error(place!["flow", group], message, help)]);
                }
                wanted.extend((1..).zip(found).map(|(index, found)| (group, index, found)));
            }
            Err(problem) => problems.push(problem),
        }
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    let is_joined = graph.is_joined();
    let mut routes = Routes::new(&graph);
    let mut flows = Vec::with_capacity(wanted.len());
    let (sprays, mut links_sprayed) = (scenario.switch.multipath != Multipath::Ecmp, 0);
    for (number, (group, index, wanted)) in wanted.into_iter().enumerate() {
        let flow = &scenario.flows[group];
        let (from, to) = wanted.ends;
        let there = routes.find(from, to, number, false);
        // Datagrams have no acknowledgements, so they need no path back. Rate records (the fields of an RM cell) and
        // credits of ExpressPass must return over the same switches, and packets over routers over the same virtual
        // channels.
        let credits = flow.roce.as_ref().and_then(|roce| roce.control.credits());
        let returns = flow.rate_control.is_some()
            || credits.is_some()
            || (is_joined && flow.source.over_tcp());
        let back = if flow.source.over_tcp() && !returns {
            routes.find(to, from, number, true)
        } else {
            Some(Vec::new())
        };
        let (Some(forward), Some(mut backward)) = (there, back) else {
            let [from, to] = [from, to].map(|node| &graph.nodes[node].name);
            let message = if flow.source.over_tcp() {
                format!("`{to}` and `{from}` cannot reach each other")
            } else {
                format!("`{from}` cannot reach `{to}`")
            };
            let help = "add links through switches; a host does not forward";
            problems.push(Problem::error(place!["flow", group], message, help));
            break;
        };
        if returns {
            let Some(reverse) = graph.reverse(&forward) else {
                let message = "a link of the path leads one way only";
                let (place, help) = match flow.rate_control {
                    _ if credits.is_some() => (
                        place!["flow", group, "roce", "control"],
                        "add the link in the other direction: credits of ExpressPass return over the links of the data",
                    ),
                    Some(_) => (
                        place!["flow", group, "rate_control"],
                        "add the link in the other direction: records of a flow's rate (the fields of an RM cell) return \
                         through the switches that they have passed",
                    ),
                    None => (
                        place!["flow", group],
                        "add the link in the other direction: the way back crosses the same routers and ATM switches",
                    ),
                };
                problems.push(Problem::error(place, message, help));
                break;
            };
            backward = reverse;
        }
        let mut sprayed = [Vec::new(), Vec::new()];
        if sprays {
            let ends = [(&forward, to), (&backward, from)];
            sprayed = ends.map(|(path, end)| match path.first() {
                Some(first) => routes.all(*first, end),
                None => Vec::new(),
            });
            links_sprayed += sprayed.iter().flatten().map(Vec::len).sum::<usize>();
            if links_sprayed > MOST_SPRAYED {
                problems.push(Problem::error(
                    place!["switch", "multipath"],
                    format!(
                        "the frames of the first {} flows are sprayed over {links_sprayed} links together",
                        number + 1
                    ),
                    format!(
                        "allowed: at most {MOST_SPRAYED} links in the sum over all flows; set fewer flows, or `ecmp`"
                    ),
                ));
                break;
            }
        }
        flows.push(Instance {
            group,
            index,
            name: flow.instance(index),
            start: wanted.start,
            size: wanted.size,
            after: wanted.after,
            forward,
            backward,
            sprayed,
        });
    }
    drop(routes);
    graph.flows = flows;
    link_errors::set(scenario, &mut graph);
    if problems.is_empty() {
        Ok(graph)
    } else {
        Err(problems)
    }
}

/// The flows of a group without their routes. For a template this adds the hosts of the flows to the graph. `before` is
/// the number of flows in earlier groups.
fn wanted_of(
    graph: &mut Graph,
    scenario: &Scenario,
    group: usize,
    before: usize,
) -> Result<Vec<Wanted>, Problem> {
    let flow = &scenario.flows[group];
    let pairs = if scenario.topology.lays_out_flows() {
        pairs::of_template(graph, scenario, group)?
    } else if let Some(Pattern::Random(random)) = &flow.pattern {
        return arrivals::draw(graph, scenario, group, random);
    } else if let Some(found) = collectives::flows(graph, scenario, group, before) {
        return found;
    } else {
        pairs::of_names(graph, scenario, group)?
    };
    let times = if flow.pattern.is_some() {
        flow.count
    } else {
        1
    };
    let again = pairs
        .into_iter()
        .flat_map(|ends| (0..times).map(move |_| ends));
    let wanted = (1..).zip(again).map(|(index, ends)| Wanted {
        ends,
        start: flow.start_of(index),
        size: None,
        after: Vec::new(),
    });
    Ok(wanted.collect())
}

//! The plan of a joined network, and its division into the plans of both link layers.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::atm::errors::LinkErrors;
use crate::atm::plan as cells;
use crate::atm::simultaneous::SimultaneousCells;
use crate::credit::FcvcConfig;
use crate::endsystem::AbrConfig;
use crate::ether::frame::Framing;
use crate::ether::line::OctetClock;
use crate::ether::plan as frames;
use crate::kernel::Ps;
use crate::net;
use crate::net::channel::ChannelId;

/// A link layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layer {
    /// Cells.
    Atm,
    /// Frames.
    Ethernet,
}

/// A plan of a joined simulation.
#[derive(Clone, Debug)]
pub struct JoinedPlan {
    /// Seed of every random stream.
    pub seed: u64,
    /// Form of frames.
    pub framing: Framing,
    /// Credit control of every link of ATM, if there is any.
    pub fcvc: Option<FcvcConfig>,
    /// Losses of every link of ATM.
    pub errors: LinkErrors,
    /// Nodes; links name them by index.
    pub nodes: Vec<NodePlan>,
    /// Directed links; flows name them by index.
    pub links: Vec<LinkPlan>,
    /// Flows.
    pub flows: Vec<FlowPlan>,
}

/// A node of a joined network.
#[derive(Clone, Debug)]
pub struct NodePlan {
    /// Unique name.
    pub name: String,
    /// Kind of node.
    pub kind: NodeKind,
}

/// Kind of a node.
#[derive(Clone, Debug)]
pub enum NodeKind {
    /// Ends flows, over either link layer.
    Host,
    /// Forwards cells.
    AtmSwitch(Box<cells::SwitchPlan>),
    /// Forwards frames.
    EthernetSwitch(Box<frames::SwitchPlan>),
    /// Forwards packets between any of its links.
    Router(Box<RouterPlan>),
}

/// Settings of a router.
#[derive(Clone, Debug)]
pub struct RouterPlan {
    /// Time from the arrival of the last bit of a packet to its arrival at the queue of its output, above 0.
    pub forwarding_delay: Ps,
    /// Output ports to Ethernet. Toward ATM, packets wait in the source queue of their virtual channel.
    pub ports: frames::SwitchPlan,
}

/// A link of a joined network.
#[derive(Clone, Debug)]
pub struct LinkPlan {
    /// Link layer of the link.
    pub layer: Layer,
    /// The link, between nodes of the joined plan.
    pub line: net::LinkPlan,
}

/// A flow of a joined network.
#[derive(Clone, Debug)]
pub struct FlowPlan {
    /// The flow as over ATM, on links of the joined plan. Classes, encapsulation, source queue and the
    /// settings of ABR are those of each of its legs over ATM.
    pub channel: cells::FlowPlan,
    /// Priority of its frames, 0 to 7.
    pub priority: u8,
    /// Octets of the payload of a datagram over Ethernet; without TCP only.
    pub datagram: u32,
    /// Rate control over Ethernet, of a flow that crosses no router.
    pub rates: Option<AbrConfig>,
}

/// A flow of the plan of one link layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leg {
    /// Link layer.
    pub layer: Layer,
    /// Number of the flow in the plan of that link layer.
    pub flow: usize,
}

/// A router that hands the packets of a flow from one leg to the next, and back.
#[derive(Clone, Debug)]
pub struct Crossing {
    /// End of the leg before it: the channel that leaves it is the way back of that leg.
    pub before: (Layer, ChannelId),
    /// Begin of the leg behind it: the channel that leaves it is the way there.
    pub behind: (Layer, ChannelId),
    /// Forwarding delay.
    pub delay: Ps,
    /// Name of the router and the flow.
    pub name: String,
}

/// The plans of both link layers, and what joins them.
pub struct Division {
    /// The part over ATM.
    pub atm: cells::Plan,
    /// The part over Ethernet.
    pub ethernet: frames::Plan,
    /// The legs of each flow, from its source on.
    pub legs: Vec<Vec<Leg>>,
    /// Crossings of all flows, in their order.
    pub crossings: Vec<Crossing>,
}

/// Reason why a joined plan cannot be simulated.
pub type Fault = String;

/// Numbers of a node in the plans of the link layers.
#[derive(Clone, Copy, Default)]
struct Places {
    atm: Option<usize>,
    /// The nodes at which frames arrive and which they leave; of a router two, with the link between both.
    ethernet: Option<(usize, usize, Option<usize>)>,
}

impl JoinedPlan {
    /// Divides the plan among the link layers.
    ///
    /// # Errors
    /// If a link does not fit its ends, or a flow crosses no router where its link layer changes. Faults
    /// within one link layer are found when its simulation is built.
    pub fn divide(&self) -> Result<Division, Fault> {
        self.check_links()?;
        let mut division = Division {
            atm: cells::Plan {
                seed: self.seed,
                fcvc: self.fcvc.clone(),
                errors: self.errors.clone(),
                simultaneous_cells: SimultaneousCells::Drawn,
                ..cells::Plan::new(Vec::new(), Vec::new(), Vec::new())
            },
            ethernet: frames::Plan {
                seed: self.seed,
                framing: self.framing,
                nodes: Vec::new(),
                links: Vec::new(),
                flows: Vec::new(),
                fcvc: None,
                pfc: None,
            },
            legs: Vec::new(),
            crossings: Vec::new(),
        };
        let places = self.place_nodes(&mut division);
        let links = self.place_links(&mut division, &places);
        for flow in &self.flows {
            self.divide_flow(flow, &mut division, &places, &links)?;
        }
        Ok(division)
    }

    fn check_links(&self) -> Result<(), Fault> {
        for LinkPlan { layer, line } in &self.links {
            let ends = [line.from, line.to].map(|node| &self.nodes[node].kind);
            let misfit = ends.iter().any(|kind| match layer {
                Layer::Atm => matches!(kind, NodeKind::EthernetSwitch(_)),
                Layer::Ethernet => matches!(kind, NodeKind::AtmSwitch(_)),
            });
            if misfit {
                return Err(format!(
                    "link {} ends at a switch of the other link layer",
                    line.name
                ));
            }
        }
        let delays = self.nodes.iter().filter_map(|node| match &node.kind {
            NodeKind::Router(router) => Some((&node.name, router.forwarding_delay)),
            _ => None,
        });
        match delays.into_iter().find(|(_, delay)| *delay == Ps::ZERO) {
            Some((name, _)) => Err(format!("router {name}: a forwarding delay of 0 s")),
            None => Ok(()),
        }
    }

    /// Gives each node its places in the link layers of its links, in the order of the nodes.
    fn place_nodes(&self, division: &mut Division) -> Vec<Places> {
        let mut places = alloc::vec![Places::default(); self.nodes.len()];
        let (mut has_cells, mut has_frames) = (alloc::vec![false; self.nodes.len()], Vec::new());
        has_frames.clone_from(&has_cells);
        for LinkPlan { layer, line } in &self.links {
            let touched = match layer {
                Layer::Atm => &mut has_cells,
                Layer::Ethernet => &mut has_frames,
            };
            (touched[line.from], touched[line.to]) = (true, true);
        }
        for (number, NodePlan { name, kind }) in self.nodes.iter().enumerate() {
            if has_cells[number] {
                places[number].atm = Some(division.atm.nodes.len());
                division.atm.nodes.push(cells::NodePlan {
                    name: name.clone(),
                    kind: match kind {
                        NodeKind::AtmSwitch(switch) => cells::NodeKind::Switch((**switch).clone()),
                        _ => cells::NodeKind::Host,
                    },
                });
            }
            if has_frames[number] {
                places[number].ethernet =
                    Some(place_on_ethernet(&mut division.ethernet, name, kind));
            }
        }
        places
    }

    /// Gives each link its number in the plan of its link layer.
    fn place_links(&self, division: &mut Division, places: &[Places]) -> Vec<usize> {
        let place = |LinkPlan { layer, line }: &LinkPlan| {
            let (from, to) = (places[line.from], places[line.to]);
            let (links, ends) = match layer {
                Layer::Atm => (&mut division.atm.links, from.atm.zip(to.atm)),
                Layer::Ethernet => {
                    let (leaves, arrives) = (from.ethernet, to.ethernet);
                    let ends = leaves.zip(arrives).map(|(from, to)| (from.1, to.0));
                    (&mut division.ethernet.links, ends)
                }
            };
            let Some((from, to)) = ends else {
                unreachable!("a node has a place in the link layer of each of its links")
            };
            links.push(net::LinkPlan {
                from,
                to,
                ..line.clone()
            });
            links.len() - 1
        };
        self.links.iter().map(place).collect()
    }

    fn divide_flow(
        &self,
        flow: &FlowPlan,
        division: &mut Division,
        places: &[Places],
        links: &[usize],
    ) -> Result<(), Fault> {
        let name = &flow.channel.name;
        let there = self.legs_of(name, &flow.channel.forward)?;
        let mut back = self.legs_of(name, &flow.channel.backward)?;
        back.reverse();
        let crosses = there.len() > 1;
        if crosses && !flow.channel.source.over_tcp() {
            return Err(format!("flow {name}: only TCP crosses a router"));
        }
        if crosses && flow.rates.is_some() {
            return Err(format!("flow {name}: rate control ends at a router"));
        }
        let ends = |leg: &[usize]| {
            let (first, last) = (&self.links[leg[0]], &self.links[leg[leg.len() - 1]]);
            (first.layer, first.line.from, last.line.to)
        };
        let answers = |(there, back): (&&[usize], &&[usize])| {
            let ((layer, from, to), (other, begin, end)) = (ends(there), ends(back));
            layer == other && (from, to) == (end, begin)
        };
        let is_answered = there.len() == back.len() && there.iter().zip(&back).all(answers);
        if !is_answered && (crosses || !back.is_empty()) {
            return Err(format!(
                "flow {name}: the way back does not cross the same routers over the same link layers"
            ));
        }
        let mut legs: Vec<Leg> = Vec::new();
        for (number, leg) in there.iter().enumerate() {
            let (layer, from, to) = ends(leg);
            let path = |leg: &[usize]| leg.iter().map(|link| links[*link]).collect::<Vec<_>>();
            let (mut forward, mut backward) = (path(leg), Vec::new());
            if let Some(back) = back.get(number) {
                backward = path(back);
            }
            let flows = match layer {
                Layer::Atm => {
                    division.atm.flows.push(cells::FlowPlan {
                        forward,
                        backward,
                        ..flow.channel.clone()
                    });
                    division.atm.flows.len()
                }
                Layer::Ethernet => {
                    let inner = |node: usize| places[node].ethernet.and_then(|place| place.2);
                    forward.splice(..0, inner(from));
                    if !backward.is_empty() {
                        backward.splice(..0, inner(to));
                    }
                    division
                        .ethernet
                        .flows
                        .push(flow.over_ethernet(forward, backward));
                    division.ethernet.flows.len()
                }
            };
            let leg = Leg {
                layer,
                flow: flows - 1,
            };
            if let Some(before) = legs.last()
                && let NodeKind::Router(router) = &self.nodes[from].kind
            {
                division.crossings.push(Crossing {
                    before: (before.layer, ChannelId::backward(before.flow)),
                    behind: (leg.layer, ChannelId::forward(leg.flow)),
                    delay: router.forwarding_delay,
                    name: format!("{}/{name}", self.nodes[from].name),
                });
            }
            legs.push(leg);
        }
        division.legs.push(legs);
        Ok(())
    }

    /// Divides a path at its routers. Each leg has one link layer.
    fn legs_of<'p>(&self, flow: &str, path: &'p [usize]) -> Result<Vec<&'p [usize]>, Fault> {
        let is_router = |link: &usize| {
            let end = self.links[*link].line.to;
            matches!(self.nodes[end].kind, NodeKind::Router(_))
        };
        if path.last().is_some_and(is_router) {
            return Err(format!("flow {flow} ends at a router"));
        }
        let legs: Vec<&[usize]> = path.split_inclusive(is_router).collect();
        for leg in &legs {
            let layer = self.links[leg[0]].layer;
            if let Some(link) = leg.iter().find(|link| self.links[**link].layer != layer) {
                let node = &self.nodes[self.links[*link].line.from].name;
                return Err(format!(
                    "flow {flow} changes its link layer at {node}, which is no router"
                ));
            }
        }
        Ok(legs)
    }
}

impl FlowPlan {
    /// The flow of a leg over Ethernet.
    fn over_ethernet(&self, forward: Vec<usize>, backward: Vec<usize>) -> frames::FlowPlan {
        let flow = &self.channel;
        frames::FlowPlan {
            group: flow.group.clone(),
            index: flow.index,
            start: flow.start,
            tcp: flow.tcp.clone(),
            priority: self.priority,
            datagram: self.datagram,
            rates: self.rates.clone(),
            ..frames::FlowPlan::new(&flow.name, flow.source.clone(), forward, backward)
        }
    }
}

/// Adds a node to the plan of Ethernet. A router is a host, at which frames arrive, and a switch, from which they
/// leave; packets that cross it enter on the link between both, which takes no time.
fn place_on_ethernet(
    plan: &mut frames::Plan,
    name: &str,
    kind: &NodeKind,
) -> (usize, usize, Option<usize>) {
    let number = plan.nodes.len();
    let mut add = |name: String, switch: Option<frames::SwitchPlan>| {
        plan.nodes.push(frames::NodePlan { name, switch });
    };
    match kind {
        NodeKind::Host => add(name.into(), None),
        NodeKind::EthernetSwitch(switch) => add(name.into(), Some((**switch).clone())),
        NodeKind::AtmSwitch(_) => unreachable!("a switch of ATM has no link of Ethernet"),
        NodeKind::Router(router) => {
            let arrivals = format!("{name}/in");
            add(arrivals.clone(), None);
            add(name.into(), Some(router.ports.clone()));
            plan.links.push(net::LinkPlan {
                name: format!("{arrivals}->{name}"),
                from: number,
                to: number + 1,
                rate: OctetClock::FASTEST,
                delay: router.forwarding_delay,
            });
            return (number, number + 1, Some(plan.links.len() - 1));
        }
    }
    (number, number, None)
}

//! The plan of a joined network, and its division into a plan for each link layer.

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

/// A link layer of a joined network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layer {
    /// ATM, which sends cells.
    Atm,
    /// Ethernet, which sends frames.
    Ethernet,
}

/// The plan of a joined network.
#[derive(Clone, Debug)]
pub struct JoinedPlan {
    /// Seed of every random stream.
    pub seed: u64,
    /// Form of the Ethernet frames.
    pub framing: Framing,
    /// Parameters of credit control on all ATM links; `None` without it.
    pub fcvc: Option<FcvcConfig>,
    /// Losses of cells on all ATM links.
    pub errors: LinkErrors,
    /// Events that are logged over both link layers.
    pub measure: cells::MeasurePlan,
    /// Nodes of the network. Links refer to a node by its index in this list.
    pub nodes: Vec<NodePlan>,
    /// Directed links. Flows refer to a link by its index in this list.
    pub links: Vec<LinkPlan>,
    /// Flows of the network.
    pub flows: Vec<FlowPlan>,
}

/// A node of a joined network.
#[derive(Clone, Debug)]
pub struct NodePlan {
    /// Name of the node, unique in the plan.
    pub name: String,
    /// Host, switch or router, with its settings.
    pub kind: NodeKind,
}

/// Kind of a node of a network with ATM and Ethernet, with the settings of the node.
#[derive(Clone, Debug)]
pub enum NodeKind {
    /// A host, at which flows begin and end, over either link layer.
    Host,
    /// A switch, which forwards cells.
    AtmSwitch(Box<cells::SwitchPlan>),
    /// A switch, which forwards frames.
    EthernetSwitch(Box<frames::SwitchPlan>),
    /// A router, which forwards packets between any two of its links.
    Router(Box<RouterPlan>),
}

/// Settings of a router between Ethernet and ATM.
#[derive(Clone, Debug)]
pub struct RouterPlan {
    /// Time from the arrival of a packet's last bit until the packet joins the queue of its output;
    /// above 0.
    pub forwarding_delay: Ps,
    /// Settings of the output ports to Ethernet. Packets to ATM wait in the source queue of their
    /// virtual channel.
    pub ports: frames::SwitchPlan,
}

/// A link of a joined network.
#[derive(Clone, Debug)]
pub struct LinkPlan {
    /// Link layer of the link.
    pub layer: Layer,
    /// Ends, rate and delay of the link. The ends are indices of nodes in the joined plan.
    pub line: net::LinkPlan,
}

/// A flow of a joined network.
#[derive(Clone, Debug)]
pub struct FlowPlan {
    /// The flow as an ATM flow on links of the joined plan. Each leg over ATM takes the service classes,
    /// encapsulation, source queue and ABR parameters of this flow.
    pub channel: cells::FlowPlan,
    /// Priority of the flow's Ethernet frames, 0 to 7.
    pub priority: u8,
    /// Octets of payload in each datagram over Ethernet; used without TCP only.
    pub datagram: u32,
    /// Parameters of rate control over Ethernet, for a flow that crosses no router.
    pub rates: Option<AbrConfig>,
}

/// A leg of a flow: the part between two routers or endpoints, as a flow in the plan of one link layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leg {
    /// Link layer of the leg.
    pub layer: Layer,
    /// Index of the leg among the flows in the plan of its link layer.
    pub flow: usize,
}

/// The crossing of a flow at a router, which passes packets in both directions between two legs of the flow.
#[derive(Clone, Debug)]
pub struct Crossing {
    /// Link layer of the leg before the router, and number of the channel of this leg that begins at the router:
    /// its backward channel.
    pub before: (Layer, ChannelId),
    /// Link layer of the leg after the router, and number of the channel of this leg that begins at the router:
    /// its forward channel.
    pub behind: (Layer, ChannelId),
    /// Forwarding delay of the router.
    pub delay: Ps,
    /// Names of the router and the flow, for the random order of packets.
    pub name: String,
}

/// The plans of both link layers, and the crossings that join them.
pub struct Division {
    /// The plan of the ATM part.
    pub atm: cells::Plan,
    /// The plan of the Ethernet part.
    pub ethernet: frames::Plan,
    /// For each flow its legs, from the source on.
    pub legs: Vec<Vec<Leg>>,
    /// The crossings of all flows, in the order of the flows.
    pub crossings: Vec<Crossing>,
}

/// Text of the reason why a joined plan cannot be simulated.
pub type Fault = String;

/// Indices of a node in the plans of the two link layers.
#[derive(Clone, Copy, Default)]
struct Places {
    atm: Option<usize>,
    /// Index of the node at which frames arrive, and index of the node from which frames leave. In a
    /// router these are two nodes, and the third value is the index of the link between the two.
    ethernet: Option<(usize, usize, Option<usize>)>,
}

impl JoinedPlan {
    /// Divides the plan into a plan for each link layer.
    ///
    /// # Errors
    /// If a link does not fit its ends, or a router has no forwarding delay. If the link layer of a path changes
    /// at a node that is not a router. If a flow ends at a router, or has no way back over the same routers. If a
    /// flow that has no TCP, or that is under rate control over Ethernet, crosses a router. Faults within one
    /// link layer are found when the simulation of this link layer is built.
    pub fn divide(&self) -> Result<Division, Fault> {
        self.check_links()?;
        let mut division = Division {
            atm: cells::Plan {
                seed: self.seed,
                fcvc: self.fcvc.clone(),
                errors: self.errors.clone(),
                simultaneous_cells: SimultaneousCells::Drawn,
                measure: self.measure.clone(),
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
                cbfc: None,
                llr: None,
                changes: Vec::new(),
                port_controls: Vec::new(),
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
                    "link {} joins nodes of different link layers: only a router has links of both",
                    line.name
                ));
            }
        }
        let delays = self.nodes.iter().filter_map(|node| match &node.kind {
            NodeKind::Router(router) => Some((&node.name, router.forwarding_delay)),
            _ => None,
        });
        match delays.into_iter().find(|(_, delay)| *delay == Ps::ZERO) {
            Some((name, _)) => Err(format!(
                "router {name}: `forwarding_delay` is 0 s; allowed: above 0 s"
            )),
            None => Ok(()),
        }
    }

    /// Adds each node to the plans of the link layers of its links. Returns the indices of the
    /// nodes in these plans.
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

    /// Adds each link to the plan of its link layer. Returns the index of each link in that plan.
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
            return Err(format!(
                "flow {name} crosses a router, which only flows over TCP can"
            ));
        }
        if crosses && flow.rates.is_some() {
            return Err(format!(
                "flow {name} crosses a router, so it cannot have `rate_control`"
            ));
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

    /// Divides a path at its routers into legs. Each leg has one link layer.
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
    /// The Ethernet flow of a leg over the links `forward` and `backward`.
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

/// Adds a node to the plan of Ethernet. A router becomes two nodes: a host, at which frames arrive,
/// and a switch, from which frames leave. Packets that cross the router enter Ethernet on the link
/// from the host to the switch, which takes no time.
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
                errors: None,
            });
            return (number, number + 1, Some(plan.links.len() - 1));
        }
    }
    (number, number, None)
}

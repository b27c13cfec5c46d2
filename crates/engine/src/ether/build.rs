//! Builds nodes, ports, tables and endpoints from a plan.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::vec::Vec;

use super::aqm::QueueFacts;
use super::cbfc::{Buffers, Credits, Incoming};
use super::collective::Steps;
use super::credit::Account;
use super::endpoint::{App, Endpoint, EndpointSettings, Paced, Supply};
use super::ends::{End, Ends};
use super::errors::Erring;
use super::frame::{UDP_HEADERS, on_line};
use super::host::{Host, Interface};
use super::hosted::Hosted;
use super::limiter::Limiter;
use super::llr::Retry;
use super::lossless::{Gate, Guard, PortGate};
use super::memory::SharedMemory;
use super::node::Node;
use super::pause::Pauses;
use super::pfc::{Ingress, Ingresses, PfcConfig, headroom};
use super::plan::expresspass::Limit;
use super::plan::{Plan, SwitchPlan};
use super::port::{Port, PortSettings};
use super::rates::{RateDestination, RateSource, Rates};
use super::reserves::Reserves;
use super::roce::control::Way;
use super::roce::pacer::Pacer;
use super::roce::{RoceConfig, packet, receiver, sender};
use super::spray::{self, Sprayer};
use super::switch::{Controlled, Route, SPRAYED, Switch};
use super::transport::Inbox;
use super::trimming::Trimming;
use crate::control::{ControlConfig, PortFacts};
use crate::credit::Sender;
use crate::kernel::{ServiceRate, Stream};
use crate::net::channel::ChannelId;
use crate::net::opposites;
use crate::net::simultaneous::Order;
use crate::tcp::{Phases, TcpReceiver, TcpSender};
use crate::traffic::Demand;

/// The initial state of a simulation.
pub struct Parts {
    /// Nodes, in the order of the plan.
    pub nodes: Vec<Node>,
    /// Incoming links of each node.
    pub inboxes: Vec<Inbox>,
    /// For each channel the node and the endpoint at which it begins.
    pub begins: Vec<(usize, usize)>,
}

/// Meaning of a label at a node: the channel, and the index, among the channel's links, of the first link that
/// leaves the node.
type Arriving = (ChannelId, usize);

/// Tables that are filled before the nodes are built.
struct Draft<'a> {
    plan: &'a Plan,
    /// For each link its port number: its index among the used links that leave the same node.
    port_of: Vec<u32>,
    outgoing: Vec<Vec<usize>>,
    incoming: Vec<Vec<u32>>,
    /// Meaning of each label, by node and label.
    arriving: Vec<Vec<Arriving>>,
    /// For each channel and each of its links, the label of the channel at the link's end.
    labels: Vec<Vec<u32>>,
    /// For each host the channels that end there and have no opposite channel.
    unanswered: Vec<Vec<ChannelId>>,
    /// Credit control; `None` if the plan has none.
    reserves: Option<Reserves<'a>>,
    /// For each link, true if packets that carry data and telemetry cross it.
    has_telemetry: Vec<bool>,
    /// For each link the link in the opposite direction.
    backs: Vec<Option<usize>>,
    /// For each host the flows that begin there and await the end of other flows.
    waiting: Vec<Vec<usize>>,
    /// For each link that credits of ExpressPass cross, the settings of its queue of credits.
    limits: BTreeMap<usize, Limit>,
}

/// Builds the parts of a simulation from a checked plan.
pub fn build(plan: &Plan) -> Parts {
    let draft = Draft::new(plan);
    let mut begins = alloc::vec![(0, 0); 2 * plan.flows.len()];
    let nodes = (0..plan.nodes.len())
        .map(|node| match &plan.nodes[node].switch {
            None => Node::Host(draft.host(node, &mut begins)),
            Some(settings) => Node::Switch(draft.switch(node, settings)),
        })
        .collect();
    let inbox = |links: &Vec<u32>| {
        let names = links
            .iter()
            .map(|link| plan.links[*link as usize].name.as_str());
        // Frames that arrive at one instant are processed in an order that is drawn for each instant.
        Inbox::new(
            links.clone(),
            Order::drawn(plan.seed, "simultaneous frames", names),
        )
    };
    Parts {
        nodes,
        inboxes: draft.incoming.iter().map(inbox).collect(),
        begins,
    }
}

impl<'a> Draft<'a> {
    fn new(plan: &'a Plan) -> Draft<'a> {
        let nodes = plan.nodes.len();
        let mut draft = Draft {
            plan,
            port_of: alloc::vec![0; plan.links.len()],
            outgoing: alloc::vec![Vec::new(); nodes],
            incoming: alloc::vec![Vec::new(); nodes],
            arriving: alloc::vec![Vec::new(); nodes],
            labels: alloc::vec![Vec::new(); 2 * plan.flows.len()],
            unanswered: alloc::vec![Vec::new(); nodes],
            reserves: Reserves::of(plan),
            has_telemetry: alloc::vec![false; plan.links.len()],
            limits: plan.credit_limits(),
            backs: if plan.needs_opposites() {
                opposites(&plan.links)
            } else {
                alloc::vec![None; plan.links.len()]
            },
            waiting: alloc::vec![Vec::new(); nodes],
        };
        for (number, flow) in plan.flows.iter().enumerate() {
            if !flow.after.is_empty() {
                draft.waiting[plan.links[flow.forward[0]].from].push(number);
            }
        }
        for flow in plan.flows.iter().filter(|flow| flow.has_telemetry()) {
            for link in &flow.forward {
                draft.has_telemetry[*link] = true;
            }
        }
        let mut is_used = alloc::vec![false; plan.links.len()];
        for channel in plan.channels() {
            let links = plan.links_of(channel);
            let is_sprayed = !plan.sprayed(channel).is_empty();
            let mut labels: BTreeMap<usize, u32> = BTreeMap::new();
            for (hop, link) in links.iter().enumerate() {
                is_used[*link] = true;
                if let Some(back) = draft.backs[*link] {
                    is_used[back] = true;
                }
                let node = plan.links[*link].to;
                let arriving = &mut draft.arriving[node];
                let mut onward = hop + 1;
                if is_sprayed {
                    if let Some(label) = labels.get(&node) {
                        draft.labels[channel.index()].push(*label);
                        continue;
                    }
                    labels.insert(node, arriving.len() as u32);
                    let leaves = |link: &usize| plan.links[*link].from == node;
                    onward = links.iter().position(leaves).unwrap_or(links.len());
                }
                draft.labels[channel.index()].push(arriving.len() as u32);
                arriving.push((channel, onward));
            }
        }
        for (number, link) in plan
            .links
            .iter()
            .enumerate()
            .filter(|(link, _)| is_used[*link])
        {
            draft.port_of[number] = draft.outgoing[link.from].len() as u32;
            draft.outgoing[link.from].push(number);
            draft.incoming[link.to].push(number as u32);
        }
        for channel in plan.channels().filter(|channel| !channel.is_forward()) {
            // If a flow has no path back, its source receives nothing and has no label.
            if plan.path(channel).is_empty() {
                let begin = plan.path(channel.reverse())[0];
                draft.unanswered[plan.links[begin].from].push(channel.reverse());
            }
        }
        draft
    }

    fn switch(&self, node: usize, settings: &SwitchPlan) -> Switch {
        let queues = settings.queues.len().max(1);
        let largest = self.plan.longest_frame();
        let (controlled, channels) = self.controlled(node, settings);
        let port = |(number, link): (usize, &usize)| {
            let link_plan = &self.plan.links[*link];
            let facts = QueueFacts {
                rate: link_plan.rate,
                limit: settings.buffer,
                largest,
            };
            let queue = |queue: usize| {
                let purpose = format!("queue {}", queue + 1);
                let stream = Stream::new(self.plan.seed, &link_plan.name, &purpose);
                settings.aqm.build(facts, stream)
            };
            let control = |channels: usize| {
                let facts = PortFacts {
                    rate: ServiceRate::of_octets(link_plan.rate),
                    channels,
                    seed: Stream::new(self.plan.seed, &link_plan.name, "control").bits(),
                };
                let priority = self.controlled_priority();
                let queue = settings.queue_of()[priority as usize];
                Hosted::new(
                    self.plan.control_of(*link, settings).build(facts),
                    queue.into(),
                )
            };
            let controls = channels
                .get(number)
                .copied()
                .filter(|channels| *channels > 0);
            Port::new(PortSettings {
                control: controls.map(control),
                rate: link_plan.rate,
                delay: link_plan.delay,
                link: *link as u32,
                erring: self.erring(*link),
                buffer: settings.buffer,
                queues: (0..queues).map(queue).collect(),
                schedule: settings.schedule.build(on_line(0)),
                first_queue: number * queues,
                shares_memory: settings.memory.is_some(),
                queue_of: settings.queue_of(),
                has_telemetry: self.has_telemetry[*link],
                trimming: settings.trim_priority.map(|priority| Trimming {
                    priority,
                    octets: self.plan.framing.frame(packet::HEADERS),
                }),
            })
        };
        let ports = &self.outgoing[node];
        let memory = settings.memory.as_ref().filter(|_| !ports.is_empty());
        let memory = memory.map(|memory| SharedMemory::new(memory, ports.len() * queues));
        let (routes, sprayed) = self.routes(node);
        let sprayer = (!sprayed.is_empty()).then(|| {
            let stream = Stream::new(self.plan.seed, &self.plan.nodes[node].name, "spraying");
            Box::new(Sprayer::new(settings.multipath, &sprayed, stream))
        });
        let mut switch = Switch::new(
            ports.iter().enumerate().map(port).collect(),
            (routes, controlled),
            memory,
            sprayer,
        );
        if let Some(reserves) = &self.reserves {
            self.set_credit(node, reserves, &mut switch);
        }
        let priorities = self.plan.lossless_priorities();
        for port in &mut switch.ports {
            if let Some((gate, label)) = self.gate(port.link as usize) {
                port.set_gate(PortGate::new(gate, priorities, label));
            }
            if let Some(limit) = self.limits.get(&(port.link as usize)) {
                port.set_limiter(Limiter::new(limit.queue, limit.span));
            }
        }
        if let Some(config) = &self.plan.pfc {
            switch.set_guard(Guard::Ingresses(self.ingresses(node, config)));
        }
        if let Some(buffers) = self.buffers(node) {
            switch.set_guard(Guard::Buffers(buffers));
        }
        switch
    }

    /// Bit errors and link-level retry at the sending end of a link; `None` without both.
    fn erring(&self, link: usize) -> Option<Box<Erring>> {
        let plan = self.plan;
        let retry = plan.llr.as_ref().map(|config| {
            let ends = (&plan.links[link], &plan.links[self.back_of(link)]);
            Retry::new(config, ends, plan.longest_frame())
        });
        Erring::new(&plan.links[link], plan.seed, retry)
    }

    /// The gate of PFC or CBFC at the sending end of a link, and the label of the frames of PFC or CBFC. This
    /// label is the number of the port or interface that feeds the opposite link, at the node where the link
    /// ends.
    fn gate(&self, link: usize) -> Option<(Gate, u32)> {
        let rate = self.plan.links[link].rate;
        let of_pfc = |config: &PfcConfig| Gate::Pauses(Pauses::new(rate, config.response));
        let gate = match (&self.plan.pfc, &self.plan.cbfc) {
            (Some(config), _) => of_pfc(config),
            (None, Some(config)) => Gate::Credits(Credits::new(config, self.credits(link))),
            (None, None) => return None,
        };
        Some((gate, self.port_of[self.back_of(link)]))
    }

    /// Number of CBFC credits of each virtual channel of a link.
    fn credits(&self, link: usize) -> u32 {
        let back = &self.plan.links[self.back_of(link)];
        let config = self.plan.cbfc.iter();
        let longest = self.plan.longest_frame();
        let credits = config.map(|config| config.credits_of(&self.plan.links[link], back, longest));
        // A checked plan has fewer credits than `u32::MAX`.
        credits.sum::<u64>() as u32
    }

    /// The buffers of CBFC at the ends of the links into a node.
    fn buffers(&self, node: usize) -> Option<Buffers> {
        let config = self.plan.cbfc.as_ref()?;
        let links = self.incoming[node].iter().map(|link| {
            let link = *link as usize;
            Incoming::new(self.credits(link), self.port_of[self.back_of(link)])
        });
        Some(Buffers::new(config, links.collect(), self.link_of(node)))
    }

    /// For each label at a node, the index, among the node's incoming links, of the link by which frames with
    /// this label arrive.
    fn link_of(&self, node: usize) -> Vec<u32> {
        let link_of = self.arriving[node].iter().map(|(channel, onward)| {
            let link = self.plan.path(*channel)[onward - 1] as u32;
            let mut incoming = self.incoming[node].iter();
            incoming.position(|other| *other == link).unwrap_or(0) as u32
        });
        link_of.collect()
    }

    /// The buffer accounts of PFC for the links into a switch.
    fn ingresses(&self, node: usize, config: &PfcConfig) -> Ingresses {
        let longest = self.plan.longest_frame();
        let links = self.incoming[node].iter().map(|link| {
            let (back, link) = (
                self.back_of(*link as usize),
                &self.plan.links[*link as usize],
            );
            let of_back = (&self.plan.links[back], longest);
            let needed = || headroom((link, longest), of_back, config.response);
            let room = config
                .xoff
                .saturating_add(config.headroom.unwrap_or_else(needed));
            Ingress::new(room, self.port_of[back], (link.rate, config.quanta))
        });
        Ingresses::new(config, links.collect(), self.link_of(node))
    }

    /// Index of the link in the opposite direction of `link`.
    fn back_of(&self, link: usize) -> usize {
        self.backs[link].expect("a checked plan has a way back")
    }

    /// The routes of a switch by label, and for each sprayed route its next hops: ports, and labels at the next
    /// nodes.
    fn routes(&self, node: usize) -> (Vec<Route>, Vec<Vec<spray::Way>>) {
        let mut sprayed = Vec::new();
        let mut routes = Vec::with_capacity(self.arriving[node].len());
        for (channel, onward) in &self.arriving[node] {
            let links = self.plan.links_of(*channel)[*onward..].iter();
            let labels = &self.labels[channel.index()][*onward..];
            let leaving = links.take_while(|link| self.plan.links[**link].from == node);
            let mut ways = leaving
                .zip(labels)
                .map(|(link, label)| (self.port_of[*link], *label));
            let (mut port, mut label) = ways.next().expect("a checked path goes on");
            if let Some(second) = ways.next() {
                let all = [(port, label), second].into_iter().chain(ways).collect();
                (port, label) = (SPRAYED, sprayed.len() as u32);
                sprayed.push(all);
            }
            routes.push(Route {
                channel: *channel,
                port,
                label,
                dropped_packets: 0,
                dropped_bytes: 0,
            });
        }
        (routes, sprayed)
    }

    /// For each label the numbers by which control schemes identify the flow, and for each port the number of
    /// flows under rate control. Both lists are empty if no port has a control scheme.
    fn controlled(&self, node: usize, settings: &SwitchPlan) -> (Vec<Controlled>, Vec<usize>) {
        let arriving = &self.arriving[node];
        let under_control = |channel: &ChannelId| self.plan.flows[channel.flow()].rates.is_some();
        let has_scheme = |link: &usize| {
            !matches!(
                self.plan.control_of(*link, settings),
                ControlConfig::None(_)
            )
        };
        if !self.outgoing[node].iter().any(has_scheme)
            || !arriving.iter().any(|(channel, _)| under_control(channel))
        {
            return (Vec::new(), Vec::new());
        }
        let mut channels = alloc::vec![0; self.outgoing[node].len()];
        let mut slots = BTreeMap::new();
        let mut controlled = alloc::vec![Controlled::default(); arriving.len()];
        for (label, (channel, onward)) in arriving.iter().enumerate() {
            if channel.is_forward() && under_control(channel) {
                let port = self.port_of[self.plan.path(*channel)[*onward]];
                let slot = channels[port as usize] as u32;
                channels[port as usize] += 1;
                controlled[label].slot = Some(slot);
                slots.insert(channel.flow(), (port, slot));
            }
        }
        for (label, (channel, _)) in arriving.iter().enumerate() {
            if !channel.is_forward() {
                controlled[label].answers = slots.get(&channel.flow()).copied();
            }
        }
        (controlled, channels)
    }

    /// Priority of one flow under rate control, which stands for all: they share one queue of each port.
    fn controlled_priority(&self) -> u8 {
        let mut controlled = self.plan.flows.iter().filter(|flow| flow.rates.is_some());
        controlled.next().map_or(0, |flow| flow.priority)
    }

    fn host(&self, node: usize, begins: &mut [(usize, usize)]) -> Host {
        let interface = |link: &usize| {
            Interface::new(&self.plan.links[*link], *link as u32, self.erring(*link))
        };
        // The endpoint that receives a channel sends the opposite channel.
        let arriving = self.arriving[node].iter();
        let answering = arriving.map(|(channel, _)| channel.reverse());
        let channels = answering.chain(self.unanswered[node].iter().copied());
        let mut endpoints = Vec::new();
        for channel in channels {
            begins[channel.index()] = (node, endpoints.len());
            endpoints.push(self.endpoint(node, channel));
        }
        let interfaces: Vec<Interface> = self.outgoing[node].iter().map(interface).collect();
        let ends = self.ends(node, &endpoints, interfaces.len());
        let mut host = Host::new(endpoints, interfaces);
        for (port, link) in self.outgoing[node].iter().enumerate() {
            if let Some((gate, label)) = self.gate(*link) {
                host.set_gate(port, gate, label);
            }
            if let Some(limit) = self.limits.get(link) {
                let limiter = Limiter::new(limit.queue, limit.span);
                host.interfaces[port].limiter = Some(Box::new(limiter));
            }
        }
        if let Some(buffers) = self.buffers(node) {
            host.set_buffers(buffers);
        }
        if let Some(ends) = ends {
            host.set_credit(ends);
        }
        if !self.waiting[node].is_empty() {
            host.set_steps(self.steps(node, &host.endpoints));
        }
        host
    }

    /// The flows of a host that await the end of other flows.
    fn steps(&self, node: usize, endpoints: &[Endpoint]) -> Steps {
        let flows = &self.plan.flows;
        let payload = |endpoint: &Endpoint| {
            let source = &flows[endpoint.channel.flow()].source;
            source.transfers().unwrap_or(u64::MAX)
        };
        let mut steps = Steps::new(endpoints.iter().map(payload));
        for number in &self.waiting[node] {
            let flow = &flows[*number];
            let own = self.end_of(ChannelId::forward(*number));
            for awaited in &flow.after {
                let begins_here = self.plan.links[flows[awaited.flow].forward[0]].from == node;
                let sending = ChannelId::forward(awaited.flow);
                let channel = if begins_here {
                    sending
                } else {
                    sending.reverse()
                };
                steps.set(own, self.end_of(channel), awaited.wait);
            }
        }
        steps
    }

    /// Puts the channels that arrive at a switch under credit control (FCVC).
    fn set_credit(&self, node: usize, reserves: &Reserves<'_>, switch: &mut Switch) {
        let mut channels = alloc::vec![Vec::new(); self.outgoing[node].len()];
        let arriving = self.arriving[node].iter();
        let accounts = arriving.map(|arriving| {
            let (channel, hop) = *arriving;
            let path = self.plan.path(channel);
            let (into, onward) = (path[hop - 1], path[hop]);
            let of_port = &mut channels[self.port_of[onward] as usize];
            let reserve = reserves.reserve(channel, into);
            of_port.push((sender(reserves, channel, onward), reserve));
            (self.account(reserves, *arriving), of_port.len() as u32 - 1)
        });
        switch.set_credit(accounts.collect());
        for (port, channels) in switch.ports.iter_mut().zip(channels) {
            port.set_credit(channels);
        }
    }

    /// Credit control (FCVC) of the endpoints of a host; `None` if the plan has none.
    fn ends(&self, node: usize, endpoints: &[Endpoint], interfaces: usize) -> Option<Ends> {
        let reserves = self.reserves.as_ref()?;
        let end = |(number, endpoint): (usize, &Endpoint)| {
            let first = self.plan.path(endpoint.channel).first();
            let arriving = self.arriving[node].get(number);
            End::new(
                first.map(|link| sender(reserves, endpoint.channel, *link)),
                arriving.map(|arriving| self.account(reserves, *arriving)),
            )
        };
        let ends = endpoints.iter().enumerate().map(end);
        Some(Ends::new(ends.collect(), interfaces))
    }

    /// Buffer account (FCVC) of a channel that arrives at a node.
    fn account(&self, reserves: &Reserves<'_>, (channel, onward): Arriving) -> Account {
        let link = self.plan.path(channel)[onward - 1];
        let label = match onward.checked_sub(2) {
            Some(before) => self.labels[channel.index()][before],
            None => self.end_of(channel),
        };
        let back = reserves.back(link).expect("a checked plan has a way back");
        let reserve = reserves.reserve(channel, link) as u32;
        Account::new((reserves.n2(), reserve), self.port_of[back], label)
    }

    /// Index, at its host, of the endpoint at which a channel begins.
    fn end_of(&self, channel: ChannelId) -> u32 {
        if let Some(answered) = self.labels[channel.reverse().index()].last() {
            return *answered;
        }
        let host = self.plan.links[self.plan.path(channel)[0]].from;
        let mut unanswered = self.unanswered[host].iter();
        let place = unanswered.position(|found| *found == channel);
        (self.arriving[host].len() + place.unwrap_or(0)) as u32
    }

    /// The endpoint at `node` at which `channel` begins: the source of the flow or its destination.
    fn endpoint(&self, node: usize, channel: ChannelId) -> Endpoint {
        let flow = &self.plan.flows[channel.flow()];
        let end = if channel.is_forward() {
            "source"
        } else {
            "destination"
        };
        let name = format!("{}/{end}", flow.name);
        let stream = |purpose: &str| Stream::new(self.plan.seed, &name, purpose);
        let host = &self.plan.nodes[node].name;
        let phases = Phases::draw(&flow.tcp, self.plan.seed, host, &name);
        let sender = |supply| {
            let sender = TcpSender::with_stream(&flow.tcp, phases.timer, stream("recovery"));
            App::Sender(Box::new(sender), supply)
        };
        let receiver = || TcpReceiver::with_phases(&flow.tcp, phases.delayed_ack, phases.timer);
        let over_roce = flow
            .roce
            .as_ref()
            .map(|config| self.over_roce(config, channel));
        let source = if flow.source.sends_packets() {
            // The rate of a source counts frames with their preambles and interframe gaps.
            let bits = 8 * self.plan.framing.on_line(UDP_HEADERS + flow.datagram) as u64;
            flow.source.packets(bits, flow.start, stream("source"))
        } else {
            None
        };
        let app = over_roce.unwrap_or_else(|| match (source, channel.is_forward()) {
            (Some(source), true) => App::Paced(Paced::new(source)),
            (Some(_), false) => App::Sink,
            (None, _) => match flow.source.demand(flow.start, stream("source")) {
                Demand::Persistent if channel.is_forward() => App::Persistent,
                Demand::Persistent => App::Sink,
                Demand::Cells(_) => unreachable!("a checked plan has no such source"),
                _ if !channel.is_forward() => App::Receiver(Box::new(receiver())),
                Demand::Bytes(bytes) => sender(Supply::Bytes(bytes)),
                Demand::Writes(writes) => sender(Supply::Writes(Box::new(writes))),
            },
        });
        let first = self.plan.path(channel).first();
        Endpoint::new(EndpointSettings {
            channel,
            port: first.map_or(u32::MAX, |link| self.port_of[*link]),
            label: first.map_or(0, |_| self.labels[channel.index()][0]),
            priority: flow.priority,
            framing: self.plan.framing,
            header: if flow.over_tcp() {
                flow.tcp.header_bytes
            } else {
                UDP_HEADERS + flow.datagram
            },
            all_ect: flow.over_tcp() && flow.tcp.recovery.reports_each_mark(),
            rates: self.rates(channel),
            start: flow.start,
            sends: flow.sends,
            app,
        })
    }

    /// The endpoint at which `channel` of a flow over RoCE begins: sender or receiver.
    fn over_roce(&self, config: &RoceConfig, channel: ChannelId) -> App {
        let flow = &self.plan.flows[channel.flow()];
        let stream = Stream::new(self.plan.seed, &flow.name, "source");
        let Demand::Bytes(bytes) = flow.source.demand(flow.start, stream) else {
            unreachable!("a checked plan has no such source over RoCE");
        };
        let links = |path: &'a [usize]| path.iter().map(|link| &self.plan.links[*link]);
        let mut rates = links(&flow.forward).map(|link| link.rate);
        let framing = self.plan.framing;
        let way = Way {
            line: rates.next().expect("a checked path has a link"),
            hops: rates.collect(),
            round_trip: config.round_trip(framing, links(&flow.forward), links(&flow.backward)),
            packet: framing.on_line(config.longest_data()),
            payload: config.full_packet().1 as u32,
        };
        if !channel.is_forward() {
            let puller = config.control.puller(&way, config.packets(bytes));
            let pacer = self.pacer(config, channel);
            let receiver = receiver::Receiver::new(config, pacer, puller);
            return App::RoceReceiver(Box::new(receiver));
        }
        let sender = sender::Sender::new(config, (framing, &way), bytes, flow.start);
        App::RoceSender(Box::new(sender))
    }

    /// The pacer of a flow's credits at its receiver; `None` without ExpressPass.
    fn pacer(&self, config: &RoceConfig, channel: ChannelId) -> Option<Pacer> {
        let flow = &self.plan.flows[channel.flow()];
        let octets = config.credit_and_data(self.plan.framing)?;
        let line = self.plan.links[*flow.forward.last()?]
            .rate
            .bits_per_second()
            / 8.0;
        let stream = Stream::new(self.plan.seed, &flow.name, "credits");
        Some(Pacer::new(config.control.credits()?, octets, line, stream))
    }

    /// Rate control (explicit rates) at the endpoint at which `channel` begins.
    fn rates(&self, channel: ChannelId) -> Rates {
        let flow = &self.plan.flows[channel.flow()];
        let Some(config) = &flow.rates else {
            return Rates::Free;
        };
        let (framing, priority) = (self.plan.framing, flow.priority);
        let rate = self.plan.links[flow.forward[0]].rate;
        if channel.is_forward() {
            Rates::Source(Box::new(RateSource::new(config, rate, framing, priority)))
        } else {
            let destination = RateDestination::new(config, rate, framing, priority);
            Rates::Destination(Box::new(destination))
        }
    }
}

/// Credit (FCVC) of a channel at the sending end of `link`.
fn sender(reserves: &Reserves<'_>, channel: ChannelId, link: usize) -> Sender {
    Sender::new(reserves.reserve(channel, link) as u32)
}

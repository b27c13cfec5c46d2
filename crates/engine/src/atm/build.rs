//! Builds hosts, switches, ports, routing tables and terminals (ends of flows) from a plan.

mod branches;
mod orders;
mod relays;

use alloc::boxed::Box;
use alloc::format;
use alloc::vec::Vec;

use super::draft::Draft;
use super::host::Host;
use super::log::Log;
use super::node::Node;
use super::plan::{FlowPlan, NodeKind, Plan, PlanError, SwitchPlan};
use super::policed::{Enforcer, Policed};
use super::simultaneous::SimultaneousCells;
use super::source_queue::SourceQueue;
use super::switch::{Notified, Route, Switch};
use super::terminal::{App, Shaper, Supply, Terminal, TerminalSettings};
use super::transport::Inbox;
use crate::atm::cell::ServiceClass;
use crate::atm::port::{Port, PortSettings, QueueSettings};
use crate::atm::server::BuildServer;
use crate::control::{ControlConfig, PortFacts};
use crate::credit::Sender;
use crate::discard::{DiscardConfig, DiscardPolicy};
use crate::endsystem::{
    AbrConfig, AbrDestination, AbrSource, BucketSource, CreditedSource, SplitSource, UnshapedSource,
};
use crate::kernel::{Ps, Rate, ServiceRate, Stream};
use crate::net::channel::{Channel, ChannelId, Hop};
use crate::net::simultaneous::Order;
use crate::policing::{GfrPolicer, Policer, PolicerConfig};
use crate::tcp::{Phases, TcpReceiver, TcpSender};
use crate::traffic::Demand;

/// The nodes, links and channels from which a simulation at time zero is made.
pub struct Parts<S> {
    /// Hosts and switches in the order of the plan.
    pub nodes: Vec<Node<S>>,
    /// For each node, its incoming links.
    pub inboxes: Vec<Inbox>,
    /// Paths of all channels, in the order of the channel numbers.
    pub channels: Vec<Channel>,
    /// If links lose cells at ports that are not event-driven: for each link, the channels of its port in the order of
    /// their indices at the port (slots). Otherwise empty.
    pub lossy_channels: Vec<Vec<ChannelId>>,
}

/// Builds the initial state of the simulation of `plan`.
///
/// # Errors
/// A condition that the plan violates.
pub fn build<S: BuildServer>(plan: &Plan) -> Result<Parts<S>, PlanError> {
    let draft = Draft::new(plan)?;
    let nodes = (0..plan.nodes.len())
        .map(|node| match &plan.nodes[node].kind {
            NodeKind::Host => Node::Host(draft.host(node)),
            NodeKind::Switch(settings) => Node::Switch(draft.switch(node, settings)),
        })
        .collect();
    let inboxes = draft
        .incoming
        .iter()
        .map(|links| Inbox::new(links.clone(), order(plan, links)))
        .collect();
    let loses_ahead = draft.loses_ahead::<S>();
    Ok(Parts {
        nodes,
        inboxes,
        lossy_channels: if loses_ahead { draft.users } else { Vec::new() },
        channels: draft.channels,
    })
}

impl<'a> Draft<'a> {
    fn new(plan: &'a Plan) -> Result<Draft<'a>, PlanError> {
        let mut draft = Draft {
            plan,
            port_of: alloc::vec![0; plan.links.len()],
            users: alloc::vec![Vec::new(); plan.links.len()],
            has_credit: alloc::vec![false; plan.nodes.len()],
            changes: alloc::vec![false; plan.nodes.len()],
            controlled_before: Vec::new(),
            back: alloc::vec![None; plan.links.len()],
            returns_for: alloc::vec![None; plan.links.len()],
            pools: alloc::vec![Default::default(); plan.links.len()],
            outgoing: alloc::vec![Vec::new(); plan.nodes.len()],
            incoming: alloc::vec![Vec::new(); plan.nodes.len()],
            arriving: alloc::vec![Vec::new(); plan.nodes.len()],
            leaving: alloc::vec![Vec::new(); plan.nodes.len()],
            channels: alloc::vec![Channel::default(); 2 * plan.flows.len()],
            further: plan.further()?,
            links_err: plan.links_err(),
        };
        for channel in plan.channels() {
            draft.check_path(channel)?;
            for &link in draft.path(channel) {
                draft.users[link].push(channel);
            }
        }
        for (node, _) in plan.changes.iter().flat_map(|change| &change.switches) {
            draft.changes[*node] = true;
        }
        draft.controlled_before = draft.users.iter().map(|u| draft.counted(u)).collect();
        draft.find_ways_of_credit()?;
        let mut is_used: Vec<bool> = draft.users.iter().map(|users| !users.is_empty()).collect();
        draft
            .back
            .iter()
            .flatten()
            .for_each(|back| is_used[*back] = true);
        for (index, link) in plan.links.iter().enumerate() {
            if is_used[index] {
                draft.port_of[index] = draft.outgoing[link.from].len() as u32;
                draft.outgoing[link.from].push(index);
                draft.incoming[link.to].push(index as u32);
            }
        }
        for channel in plan.channels() {
            draft.channels[channel.index()].hops = draft
                .path(channel)
                .iter()
                .map(|&link| draft.hop(channel, link))
                .collect();
            for hop in &mut draft.channels[channel.index()].hops {
                let arriving = &mut draft.arriving[plan.links[hop.link].to];
                hop.label = arriving.len() as u32;
                arriving.push(channel);
            }
        }
        for flow in draft.further.values().flatten() {
            let node = plan.links[plan.flows[*flow].forward[0]].from;
            draft.arriving[node].push(ChannelId::forward(*flow));
        }
        for (index, flow) in plan.flows.iter().enumerate() {
            if let Some((first, last)) = flow.forward.first().zip(flow.forward.last()) {
                let root = plan.flows[draft.root_of(index)].forward.first();
                let first = root.unwrap_or(first);
                draft.leaving[plan.links[*first].from].push(ChannelId::forward(index));
                draft.leaving[plan.links[*last].to].push(ChannelId::backward(index));
            }
        }
        draft.check_loops()?;
        draft.check_branches()?;
        draft.check_policers()?;
        draft.check_shapers()?;
        draft.check_orders()?;
        Ok(draft)
    }

    /// Checks that the path of `channel` leads from one host through switches to another host, without a loop.
    fn check_path(&self, channel: ChannelId) -> Result<(), PlanError> {
        let (links, path) = (&self.plan.links, self.path(channel));
        let name = &self.plan.flows[channel.flow()].name;
        let is_host = |node: usize| matches!(self.plan.nodes[node].kind, NodeKind::Host);
        if path.iter().any(|link| *link >= links.len()) {
            return Err(PlanError(format!(
                "flow {name} uses a link that does not exist"
            )));
        }
        let Some((first, last)) = path.first().zip(path.last()) else {
            return if channel.is_forward() {
                Err(PlanError(format!("flow {name} has no path")))
            } else {
                Ok(())
            };
        };
        // A further branch of a point-to-multipoint channel begins and ends at a switch.
        let is_end =
            |node: usize| self.plan.flows[channel.flow()].branch.is_some() || is_host(node);
        if !is_end(links[*first].from) || !is_end(links[*last].to) {
            return Err(PlanError(format!(
                "flow {name} does not lead from a host to a host"
            )));
        }
        let mut seen = alloc::vec![links[*first].from];
        for pair in path.windows(2) {
            if links[pair[0]].to != links[pair[1]].from || is_host(links[pair[0]].to) {
                return Err(PlanError(format!(
                    "the path of flow {name} is broken or crosses a host"
                )));
            }
        }
        for link in path {
            if seen.contains(&links[*link].to) {
                return Err(PlanError(format!("the path of flow {name} has a loop")));
            }
            seen.push(links[*link].to);
        }
        Ok(())
    }

    fn hop(&self, channel: ChannelId, link: usize) -> Hop {
        // A channel crosses a link only once. So the channel's index among the channels of the link is its slot
        // (index) at the port.
        let slot = self.users[link].binary_search(&channel).unwrap_or(0) as u32;
        Hop {
            link,
            port: self.port_of[link],
            slot,
            label: 0,
        }
    }

    fn log(&self) -> Log {
        Log::new(self.plan.measure.events, self.plan.measure.event_limit)
    }

    fn switch<S: BuildServer>(&self, node: usize, settings: &SwitchPlan) -> Switch<S> {
        let queues: Vec<Vec<usize>> = self.outgoing[node]
            .iter()
            .map(|link| self.used_queues(*link, settings))
            .collect();
        let ports = self.outgoing[node].iter().zip(&queues);
        let ports = ports
            .map(|(link, used)| (self.switch_port(*link, settings, used), *link as u32))
            .collect();
        let mut ports: Vec<(Port<S>, u32)> = ports;
        let table = self.arriving[node]
            .iter()
            .map(|channel| self.route(node, *channel, settings, &queues));
        let mut table: Vec<Route> = table.collect();
        let relays = self.relays(node, &mut table, ports.len());
        for relay in &relays {
            ports[relay.port as usize].0.expect_virtual_sources();
        }
        let policed = self.policed(node, &mut table, ports.len() + relays.len());
        let before = ports.len() + relays.len() + policed.len();
        let branch_points = self.branch_points(node, &mut table, before);
        let prompt = self.prompt::<S>(node);
        let feedback = self.feedback(node);
        let mut switch = Switch::new(ports, table, relays, policed, self.log(), prompt);
        switch.feedback = feedback;
        switch.branch_points = branch_points;
        switch.notified = self.notified(node, settings);
        switch
    }

    /// For each channel with the dynamic GCRA at switch `node`: label (VPI/VCI) of the opposite channel's cells, and
    /// index of the channel's policer among the policers of the switch.
    fn feedback(&self, node: usize) -> Vec<(u32, u32)> {
        let policed = self.arriving[node]
            .iter()
            .filter(|channel| self.is_policed(node, **channel));
        let mut found = Vec::new();
        for (index, channel) in (0..).zip(policed) {
            let config = &self.plan.flows[channel.flow()].policer;
            let is_dynamic = config.as_ref().is_some_and(|it| it.dynamic.is_some());
            if let Some(label) = self
                .label_at(node, channel.reverse())
                .filter(|_| is_dynamic)
            {
                found.push((label, index));
            }
        }
        found.sort_unstable();
        found
    }

    /// The channels for which switch `node` may generate backward RM cells: those whose ABR loops do not end there, at
    /// ports with a control scheme that generates such cells.
    fn notified(&self, node: usize, settings: &SwitchPlan) -> Vec<Notified> {
        let notified = |(label, channel): (u32, &ChannelId)| {
            let link = self.hop_from(node, *channel)?.link;
            let is_relayed = self.plan.vsvd(node).is_some() && self.has_loop(channel.flow());
            let generates = self.class(*channel) == ServiceClass::Abr
                && !is_relayed
                && self.plan.control_of(link, settings).generates();
            if !generates {
                return None;
            }
            Some(Notified {
                label,
                opposite: self.label_at(node, channel.reverse())?,
                port: self.hop_from(node, channel.reverse())?.port,
                generated: 0,
            })
        };
        (0..)
            .zip(&self.arriving[node])
            .filter_map(notified)
            .collect()
    }

    /// Label (VPI/VCI) of the cells of `channel` that arrive at `node`.
    fn label_at(&self, node: usize, channel: ChannelId) -> Option<u32> {
        let hops = &self.channels[channel.index()].hops;
        let into = hops
            .iter()
            .find(|hop| self.plan.links[hop.link].to == node)?;
        Some(into.label)
    }

    /// True if switch `node` polices `channel`: the first switch of a forward channel with a policer.
    fn is_policed(&self, node: usize, channel: ChannelId) -> bool {
        let enters = |link: &usize| self.plan.links[*link].to == node;
        let flow = &self.plan.flows[channel.flow()];
        channel.is_forward()
            && (flow.policer.is_some() || flow.gfr.is_some())
            && self.path(channel).first().is_some_and(enters)
    }

    /// An ABR source for `channel` that obeys all rules, even if the flow's own source misbehaves.
    fn obeying(&self, channel: ChannelId) -> AbrSource {
        let first = self.path(channel)[0];
        let link = &self.plan.links[first];
        let config = self.plan.flows[channel.flow()].abr.obeying();
        AbrSource::new(&config, link.rate, self.loop_round_trip(link.from, channel))
    }

    /// The policers of switch `node`. Changes the routes of the policed channels in `table` so that the routes lead to
    /// the policers. `before` is the number of the switch's ports and relays.
    fn policed(&self, node: usize, table: &mut [Route], before: usize) -> Vec<Policed> {
        let mut policed = Vec::new();
        for (channel, route) in self.arriving[node].iter().zip(table) {
            if !self.is_policed(node, *channel) {
                continue;
            }
            let flow = &self.plan.flows[channel.flow()];
            let (mut enforcers, mut model) = (None, None);
            if let Some(config) = &flow.gfr {
                let policer = GfrPolicer::new(config, ServiceRate::of_cells);
                enforcers = Some(Enforcer::Frames(policer));
            } else if let Some(config) = &flow.policer {
                let policer = Policer::new(config, ServiceRate::of_cells);
                model = config.dynamic.as_ref().map(|_| self.obeying(*channel));
                let pcr = config.pcr.cells_per_second();
                let first = model.as_ref().map_or(pcr, |model| model.acr());
                enforcers = Some(Enforcer::Rates(policer.beginning_with(config, first, pcr)));
            }
            if let Some(enforcer) = enforcers {
                let model = model.map(Box::new);
                policed.push(Policed::new(*channel, enforcer, model, route.port));
                route.port = (before + policed.len() - 1) as u32;
            }
        }
        policed
    }

    /// True if ACR of the source of `flow` follows SES rules 8 and 9, and its feedback passes the first switch, which
    /// must not end the ABR loop.
    fn obeys_rules(&self, flow: &FlowPlan) -> bool {
        let first = flow.forward.first().map(|link| self.plan.links[*link].to);
        let ends_loop = first.is_some_and(|node| self.plan.vsvd(node).is_some());
        flow.service == ServiceClass::Abr && flow.abr.follows_tm4() && !ends_loop
    }

    /// Checks that a flow with a shaper has neither RM cells nor credit, which set the sending times of its cells, and that
    /// the path of a flow with a shaper at ports has a port with a queue for each channel.
    fn check_shapers(&self) -> Result<(), PlanError> {
        for (index, flow) in self.plan.flows.iter().enumerate() {
            let forward = ChannelId::forward(index);
            let is_paced = self.carries(forward, ServiceClass::Abr) || self.is_credited(forward);
            let is_shaped = flow.shaper.is_some() || flow.port_shaper.is_some();
            let fault = if is_shaped && is_paced {
                "has a shaper, but ABR or credit sets the times of its cells"
            } else if flow.port_shaper.is_some() && !self.has_channel_queues(flow) {
                "has a shaper at ports, but no port has a queue for each channel"
            } else {
                continue;
            };
            return Err(PlanError(format!("flow {} {fault}", flow.name)));
        }
        Ok(())
    }

    /// True if a port on the way of the forward channel has a queue for each channel.
    fn has_channel_queues(&self, flow: &FlowPlan) -> bool {
        let mut nodes = flow.forward.iter().map(|link| self.plan.links[*link].from);
        nodes.any(|node| match &self.plan.nodes[node].kind {
            NodeKind::Switch(settings) => settings.schedule.is_some(),
            NodeKind::Host => false,
        })
    }

    /// Checks that the forward channel of each flow with a policer passes a switch, which polices the channel, and that
    /// there is no credit control, under which no cell may be dropped.
    fn check_policers(&self) -> Result<(), PlanError> {
        let flows = self.plan.flows.iter();
        let policed = flows.filter(|flow| flow.policer.is_some() || flow.gfr.is_some());
        for flow in policed {
            let is_dynamic = |policer: &PolicerConfig| policer.dynamic.is_some();
            let fault = if flow.policer.as_ref().is_some_and(is_dynamic) && !self.obeys_rules(flow)
            {
                "a policer that follows the rate of ABR, but no rate by rules 8 and 9"
            } else if flow.gfr.is_some() && flow.policer.is_some() {
                "a policer beside a GFR contract"
            } else if flow.gfr.is_some()
                && !(flow.service == ServiceClass::Ubr && flow.source.over_tcp())
            {
                "a GFR contract, but no frames, or another class than UBR"
            } else if flow.forward.len() < 2 {
                "a policer, but passes no switch"
            } else if self.plan.fcvc.is_some() {
                "a policer, but there is credit control"
            } else {
                continue;
            };
            return Err(PlanError(format!("flow {} has {fault}", flow.name)));
        }
        Ok(())
    }

    /// Indices of the queues of a port that some channel uses, in order of priority. Other queues
    /// would stay empty, so leaving them out changes no result. The departures of a single queue
    /// can be computed ahead of time.
    fn used_queues(&self, link: usize, settings: &SwitchPlan) -> Vec<usize> {
        let classes = self.users[link]
            .iter()
            .flat_map(|channel| [self.class(*channel), self.rm_class(*channel)]);
        let queues: Vec<usize> = classes.map(|class| queue_of(settings, class)).collect();
        (0..settings.priority.len())
            .filter(|queue| queues.contains(queue))
            .collect()
    }

    fn switch_port<S: BuildServer>(
        &self,
        link: usize,
        settings: &SwitchPlan,
        used: &[usize],
    ) -> Port<S> {
        let channels = self.users[link].len();
        let rate = self.plan.links[link].rate;
        let controlled = used
            .iter()
            .position(|queue| settings.priority[*queue].contains(&ServiceClass::Abr));
        let classes: Vec<&[ServiceClass]> = used
            .iter()
            .map(|queue| &settings.priority[*queue][..])
            .collect();
        let rm_first = settings.rm_first && controlled.is_some();
        // A port without a queue for ABR has no control scheme.
        let control = if controlled.is_some() {
            self.plan.control_of(link, settings)
        } else {
            &ControlConfig::default()
        };
        Port::new(PortSettings {
            rate,
            delay: self.plan.links[link].delay,
            queues: used
                .iter()
                .map(|queue| self.switch_queue(link, settings, *queue))
                .collect(),
            controlled: controlled.unwrap_or(0),
            rm_first,
            orders: self
                .orders(link, settings, used)
                .expect("orders of service that have been checked"),
            control: control.build(PortFacts {
                seed: self.port_stream(link, "control").bits(),
                rate: ServiceRate::of_cells(rate),
                channels: self.controlled_channels(link),
            }),
            channels,
            prompt: self.prompt_port::<S>(link, &classes),
            losses: self.losses_ahead::<S>(link),
            may_change: self.changes[self.plan.links[link].from],
        })
    }

    fn switch_queue(&self, link: usize, settings: &SwitchPlan, queue: usize) -> QueueSettings {
        let classes = settings.priority[queue].clone();
        let by_credit = self.credited_buffer(link, &classes);
        let seed = self.port_stream(link, &format!("discard {queue}")).bits();
        let mut discard = settings.discard.build_seeded(self.users[link].len(), seed);
        discard.prepare(seed, &self.minimum_shares(link, settings, queue));
        QueueSettings {
            classes,
            buffer: by_credit.unwrap_or(settings.buffer.0),
            tagged_buffer: match settings.clp_threshold {
                Some(cells) if by_credit.is_none() => cells.0,
                _ => u64::MAX,
            },
            is_credited: by_credit.is_some(),
            discard,
        }
    }

    /// Random stream for the port of `link`, for user-defined components.
    fn port_stream(&self, link: usize, purpose: &str) -> Stream {
        Stream::new(self.plan.seed, &self.plan.links[link].name, purpose)
    }

    /// Number of channels over `link` with ABR cells. The control scheme of the port keeps state for so many
    /// channels.
    fn controlled_channels(&self, link: usize) -> usize {
        self.users[link]
            .iter()
            .filter(|c| self.carries(**c, ServiceClass::Abr))
            .count()
    }

    fn route(
        &self,
        node: usize,
        channel: ChannelId,
        settings: &SwitchPlan,
        queues: &[Vec<usize>],
    ) -> Route {
        let hop = self.hop_from(node, channel);
        // The backward channel of a further branch ends at a switch; its cells go on with the channel of the root.
        let onward = || {
            let branch = self.plan.flows[channel.flow()].branch.as_ref()?;
            self.hop_from(node, ChannelId::backward(branch.of))
        };
        let hop = hop.or_else(onward).unwrap_or(Hop {
            link: 0,
            port: 0,
            slot: 0,
            label: 0,
        });
        let used = &queues[hop.port as usize];
        let queue_of = |class: ServiceClass| {
            let queue = queue_of(settings, class);
            used.iter().position(|used| *used == queue).unwrap_or(0) as u8
        };
        let opposite = self
            .hop_from(node, channel.reverse())
            .map(|hop| (hop.port, self.control_slot(hop)));
        let has_loop = self.carries(channel, ServiceClass::Abr);
        Route {
            port: hop.port,
            link: hop.link as u32,
            slot: hop.slot,
            queue: queue_of(self.class(channel)),
            rm_queue: queue_of(self.rm_class(channel)),
            label: hop.label,
            opposite: opposite.filter(|_| has_loop),
            channel,
            controlled: self.class(channel) == ServiceClass::Abr,
            control_slot: if has_loop { self.control_slot(hop) } else { 0 },
        }
    }

    /// Index of a channel among the channels with ABR cells on the link of its `hop`. The control scheme of the
    /// port uses this index for the channel.
    fn control_slot(&self, hop: Hop) -> u32 {
        self.controlled_before[hop.link][hop.slot as usize]
    }

    /// For each channel of `users`, the number of channels with ABR cells before this channel in the list.
    fn counted(&self, users: &[ChannelId]) -> Vec<u32> {
        let mut before = 0;
        let count = |channel: &ChannelId| {
            let found = before;
            before += u32::from(self.carries(*channel, ServiceClass::Abr));
            found
        };
        users.iter().map(count).collect()
    }

    fn host<S: BuildServer>(&self, node: usize) -> Host<S> {
        let ports = self.outgoing[node]
            .iter()
            .map(|link| (self.host_port(*link), *link as u32))
            .collect();
        let mut terminals: Vec<Option<Terminal>> =
            self.arriving[node].iter().map(|_| None).collect();
        for channel in &self.leaving[node] {
            let terminal = Some(self.terminal(node, *channel));
            let ends_here = |hop: &&Hop| self.plan.links[hop.link].to == node;
            let last = self.channels[channel.reverse().index()].hops.last();
            match last.filter(ends_here) {
                Some(hop) => terminals[hop.label as usize] = terminal,
                None => terminals.push(terminal),
            }
        }
        let mut terminals: Vec<Terminal> = terminals.into_iter().flatten().collect();
        // Most hosts have one terminal; a vector would keep memory for four.
        terminals.shrink_to_fit();
        Host::new(terminals, ports, self.log(), self.prompt::<S>(node))
    }

    fn host_port<S: BuildServer>(&self, link: usize) -> Port<S> {
        let channels = self.users[link].len();
        let rate = self.plan.links[link].rate;
        let queues = self.host_queues(link);
        let queue = |classes: &Vec<ServiceClass>| QueueSettings {
            classes: classes.clone(),
            buffer: u64::MAX,
            tagged_buffer: u64::MAX,
            is_credited: false,
            discard: DiscardConfig::default().build(channels),
        };
        Port::new(PortSettings {
            rate,
            delay: self.plan.links[link].delay,
            queues: queues.iter().map(queue).collect(),
            controlled: 0,
            rm_first: false,
            orders: None,
            control: ControlConfig::default().build(PortFacts {
                seed: 0,
                rate: ServiceRate::of_cells(rate),
                channels,
            }),
            channels,
            prompt: self
                .prompt_port::<S>(link, &queues.iter().map(Vec::as_slice).collect::<Vec<_>>()),
            losses: self.losses_ahead::<S>(link),
            may_change: false,
        })
    }

    /// The terminal of a flow at `node`, where `channel` begins: the source of the flow if `channel` is forward,
    /// otherwise the destination.
    fn terminal(&self, node: usize, channel: ChannelId) -> Terminal {
        let flow = &self.plan.flows[channel.flow()];
        let is_source = channel.is_forward();
        let hop = self.hop_from(node, channel);
        let sends = hop.is_some();
        let hop = hop.unwrap_or(Hop {
            link: 0,
            port: 0,
            slot: 0,
            label: 0,
        });
        let rate = self.plan.links[hop.link].rate;
        let end_name = if is_source { "source" } else { "destination" };
        let name = format!("{}/{end_name}", flow.name);
        let stream = |purpose: &str| Stream::new(self.plan.seed, &name, purpose);
        let over_tcp = flow.source.over_tcp();
        let phases = Phases::draw(
            &flow.tcp,
            self.plan.seed,
            &self.plan.nodes[node].name,
            &name,
        );
        let demand = flow.source.demand(flow.start, stream("source"));
        // Sources of raw cells (without TCP) set the sending times themselves.
        let paced = !matches!(demand, Demand::Cells(_));
        let has_source = is_source && flow.branch.is_none();
        let (app, supply) = Self::app(flow, demand, has_source, phases, &stream);
        let processing = over_tcp
            && (flow.tcp.processing_time > Ps::ZERO || flow.tcp.processing_variation > Ps::ZERO);
        Terminal::new(TerminalSettings {
            channel,
            port: hop.port,
            label: hop.label,
            slot: hop.slot,
            shaper: if sends {
                self.shaper(flow, channel, rate, paced)
            } else {
                Shaper::None
            },
            destination: self.destination(flow, channel.reverse(), rate),
            queue: SourceQueue::new(
                flow.source_queue.0,
                flow.source_queue_refuses,
                flow.tcp.header_bytes,
                flow.encapsulation,
            ),
            app,
            start: flow.start,
            sends: flow.sends,
            supply,
            processing: processing.then(|| {
                (
                    flow.tcp.processing_time,
                    flow.tcp.processing_variation,
                    stream("processing"),
                )
            }),
            stamps: self.plan.measure.cell_delay,
        })
    }

    fn app(
        flow: &FlowPlan,
        demand: Demand,
        is_source: bool,
        phases: Phases,
        stream: &dyn Fn(&str) -> Stream,
    ) -> (App, Supply) {
        let sender = || {
            App::Sender(Box::new(TcpSender::with_stream(
                &flow.tcp,
                phases.timer,
                stream("recovery"),
            )))
        };
        let none = Supply::Bytes(0);
        match (demand, is_source) {
            (Demand::Bytes(bytes), true) => (sender(), Supply::Bytes(bytes)),
            (Demand::Writes(writes), true) => (sender(), Supply::Writes(Box::new(writes))),
            (Demand::Bytes(_) | Demand::Writes(_), false) => (
                App::Receiver(Box::new(TcpReceiver::with_phases(
                    &flow.tcp,
                    phases.delayed_ack,
                    phases.timer,
                ))),
                none,
            ),
            (Demand::Cells(cells), true) => (App::Cells(cells), none),
            (Demand::Persistent, true) => (App::Persistent, none),
            (Demand::Cells(_) | Demand::Persistent, false) => (App::Sink, none),
        }
    }

    /// The destination half of the ABR end system at the terminal where `channel` begins, if the
    /// flow has RM cells. `rate` is the rate of the channel's first link.
    fn destination(
        &self,
        flow: &FlowPlan,
        channel: ChannelId,
        rate: Rate,
    ) -> Option<AbrDestination> {
        let destination = || AbrDestination::new(&flow.abr, ServiceRate::of_cells(rate));
        match self.class(channel) {
            ServiceClass::Abr => Some(destination()),
            _ => self
                .carries(channel, ServiceClass::Abr)
                .then(|| destination().of_rm_cells_only()),
        }
    }

    /// The shaper of a channel whose first link has the rate `rate`. The shaper sets the sending times of the
    /// cells if `paced` is true, or if the rate of their class is controlled.
    fn shaper(&self, flow: &FlowPlan, channel: ChannelId, rate: Rate, paced: bool) -> Shaper {
        let abr = || {
            let from = self
                .path(channel)
                .first()
                .map_or(0, |link| self.plan.links[*link].from);
            // Only the source of a flow misbehaves, not its destination.
            let config = match channel.is_forward() {
                true => flow.abr.clone(),
                // A leaf sends only backward RM cells.
                false => AbrConfig {
                    frm_needs_data: flow.abr.frm_needs_data || self.is_multipoint(channel.flow()),
                    ..flow.abr.obeying()
                },
            };
            AbrSource::new(&config, rate, self.loop_round_trip(from, channel))
        };
        match self.class(channel) {
            ServiceClass::Abr => Shaper::Abr(Box::new(abr())),
            _ if self.carries(channel, ServiceClass::Abr) => {
                Shaper::Split(Box::new(SplitSource::new(abr(), rate)))
            }
            _ if self.is_credited(channel) => Shaper::Credited(Box::new(CreditedSource::new(
                Sender::new(
                    self.channels[channel.index()]
                        .hops
                        .first()
                        .map_or(0, |hop| self.allocation(channel, hop.link)),
                ),
                rate,
            ))),
            _ if channel.is_forward()
                && let Some(shaper) = &flow.shaper =>
            {
                Shaper::Bucket(Box::new(BucketSource::new(&shaper.contract())))
            }
            _ if paced => Shaper::Unshaped(UnshapedSource::new(None, rate)),
            _ => Shaper::None,
        }
    }
}

/// The order of cells that arrive at the same instant over `links`, which end at one node; `None`
/// for the order of the links.
fn order(plan: &Plan, links: &[u32]) -> Option<Order> {
    let names = links
        .iter()
        .map(|link| plan.links[*link as usize].name.as_str());
    match plan.simultaneous_cells {
        SimultaneousCells::AsWritten => None,
        SimultaneousCells::Drawn => Order::drawn(plan.seed, "simultaneous cells", names),
    }
}

/// Index of the queue of `class` at a switch port. Classes that no queue lists share the last
/// queue.
fn queue_of(settings: &SwitchPlan, class: ServiceClass) -> usize {
    let found = settings
        .priority
        .iter()
        .position(|classes| classes.contains(&class));
    found.unwrap_or(settings.priority.len().saturating_sub(1))
}

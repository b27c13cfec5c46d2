//! Reads the state of a simulation between two calls of a run, for traces and event logs. Reading
//! changes nothing.

use alloc::vec::Vec;

use super::event::Event;
use super::node::Node;
use super::simulation::Simulation;
use super::terminal::App;
use crate::atm::cell::ServiceClass;
use crate::atm::server::Server;
use crate::net::channel::ChannelId;

/// Description of a switch's output port, for traces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SwitchPort {
    /// Index of the link that the port feeds.
    pub link: usize,
    /// For each queue, in order of priority: the service classes and the limit in cells (`u64::MAX`
    /// for no limit).
    pub queues: Vec<(Vec<ServiceClass>, u64)>,
    /// True if virtual sources feed the port. The channel of each virtual source has a queue before the port.
    pub virtual_sources: bool,
}

/// Queue lengths and counters of a switch port at one instant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PortState {
    /// Number of cells in each queue, including the cell in service.
    pub lengths: Vec<u64>,
    /// Number of cells that have left the port since the start of the run.
    pub departed: u64,
    /// Number of credit cells among `departed`.
    pub credit_cells: u64,
    /// Number of cells that the port has refused since the start of the run.
    pub dropped: u64,
    /// Number of cells in the queues of virtual sources before the port; `None` if no virtual
    /// source feeds the port.
    pub in_front: Option<u64>,
}

impl<S: Server> Simulation<S> {
    fn switches(&self) -> impl Iterator<Item = usize> + use<S> {
        let switches: Vec<usize> = (0..self.stations.len())
            .filter(|node| self.is_switch(*node))
            .collect();
        switches.into_iter()
    }

    /// The output ports of all switches that at least one channel uses, in the order of the report.
    pub fn switch_ports(&self) -> Vec<SwitchPort> {
        let ports = self
            .switches()
            .flat_map(|node| self.stations[node].node.ports());
        ports
            .map(|(port, link)| SwitchPort {
                link: *link as usize,
                queues: port
                    .queues()
                    .map(|queue| (queue.classes.clone(), queue.buffer))
                    .collect(),
                virtual_sources: port.front_length().is_some(),
            })
            .collect()
    }

    /// The present state of each port of [`Simulation::switch_ports`].
    pub fn port_states(&mut self) -> Vec<PortState> {
        let now = self.now();
        let mut states = Vec::new();
        for node in self.switches() {
            for (port, link) in self.stations[node].node.ports_mut() {
                let out = &mut self.links.outlet(*link);
                let lengths = (0..port.queue_count())
                    .map(|q| port.queue_length(now, q, out))
                    .collect();
                let (counts, departed) = port.counts(now, out);
                let (dropped, in_front) = (
                    counts.iter().map(|queue| queue.dropped).sum(),
                    port.front_length(),
                );
                let credit_cells = port.credit_cells_sent();
                states.push(PortState {
                    lengths,
                    departed,
                    credit_cells,
                    dropped,
                    in_front,
                });
            }
        }
        states
    }

    /// ACR of the forward channel of `flow` in cells/s; `None` if the channel is not ABR.
    pub fn acr(&self, flow: usize) -> Option<f64> {
        self.terminal(ChannelId::forward(flow))
            .abr()
            .map(|source| source.acr())
    }

    /// The switches that end the ABR loop of the forward channel of `flow` and begin a new loop, in
    /// order of the path. Each comes with the ACR of its virtual source in cells/s.
    pub fn virtual_acrs(&self, flow: usize) -> Vec<(&str, f64)> {
        let channel = ChannelId::forward(flow);
        let switch = |before: usize| {
            let link = self.network.channels[channel.index()].hops[before - 1].link;
            self.plan().nodes[self.plan().links[link].to].name.as_str()
        };
        self.relays_of(channel)
            .map(|(before, relay)| (switch(before), relay.source().acr()))
            .collect()
    }

    /// ACR in cells/s of the virtual source for the forward channel of `flow` at the end of `link`; `None` if
    /// there is no such virtual source.
    pub fn virtual_acr(&self, flow: usize, link: usize) -> Option<f64> {
        let channel = ChannelId::forward(flow);
        let hops = &self.network.channels[channel.index()].hops;
        let mut relays = self.relays_of(channel);
        let found = relays.find(|(before, _)| hops[before - 1].link == link);
        found.map(|(_, relay)| relay.source().acr())
    }

    /// Indices of the links that end at virtual sources of the forward channel of `flow`, in order
    /// of the path.
    pub fn links_to_virtual_sources(&self, flow: usize) -> Vec<usize> {
        let channel = ChannelId::forward(flow);
        let hops = &self.network.channels[channel.index()].hops;
        self.relays_of(channel)
            .map(|(before, _)| hops[before - 1].link)
            .collect()
    }

    /// Number of cells in the source queue of `flow`. `None` for sources whose cells leave as soon as they are
    /// generated, and for persistent sources, which always have a cell to send.
    pub fn source_queue(&self, flow: usize) -> Option<u64> {
        let source = self.terminal(ChannelId::forward(flow));
        source.may_wait().then(|| source.queue().cells())
    }

    /// Congestion window of `flow` and its acknowledged data, both in bytes; `None` without TCP.
    pub fn tcp_window(&self, flow: usize) -> Option<(u64, u64)> {
        match self.terminal(ChannelId::forward(flow)).app() {
            App::Sender(sender) => Some((sender.cwnd(), sender.snd_una())),
            _ => None,
        }
    }

    /// Slow start threshold of `flow` in bytes; `None` without TCP.
    pub fn slow_start_threshold(&self, flow: usize) -> Option<u64> {
        match self.terminal(ChannelId::forward(flow)).app() {
            App::Sender(sender) => Some(sender.ssthresh()),
            _ => None,
        }
    }

    /// Explicit rate in the last BRM that has reached the source of `flow`, in cells/s; `None`
    /// before the first BRM, or if the flow is not ABR.
    pub fn explicit_rate(&self, flow: usize) -> Option<f64> {
        self.terminal(ChannelId::forward(flow))
            .abr()
            .and_then(|source| source.explicit_rate())
    }

    /// Number of cells that the source of `flow` may send with its present credit; `None` without credit control.
    pub fn credit_balance(&self, flow: usize) -> Option<u32> {
        self.terminal(ChannelId::forward(flow)).credit_balance()
    }

    /// Statistics of the control scheme since the start, for each port of
    /// [`Simulation::switch_ports`]: names and values.
    pub fn control_statistics(&self) -> Vec<Vec<(&'static str, f64)>> {
        self.switches()
            .flat_map(|node| self.stations[node].node.ports())
            .map(|(port, _)| port.control().statistics())
            .collect()
    }

    /// Number of data cells that have been sent on `channel`.
    pub fn data_cells_sent(&self, channel: ChannelId) -> u64 {
        self.terminal(channel).counts().data_sent
    }

    /// Number of data cells of `channel` that have arrived, and the sequence number that the next data cell has
    /// if none is lost, modulo [`Info::NUMBERS`](crate::atm::cell::Info::NUMBERS).
    pub fn data_cells_received(&self, channel: ChannelId) -> (u64, u32) {
        let terminal = self.terminal(channel.reverse());
        (terminal.counts().data_received, terminal.next_number())
    }

    /// Number of cells that are on links or queued at switches now.
    pub fn cells_held(&self) -> u64 {
        let links: usize = self.links.iter().map(|link| link.len()).sum();
        let ports = self
            .nodes()
            .flat_map(Node::ports)
            .map(|(port, _)| port.held().len());
        let relayed = self
            .network
            .plan
            .channels()
            .flat_map(|channel| self.relays_of(channel));
        let waiting = relayed.map(|(_, relay)| relay.held().count());
        (links + ports.sum::<usize>() + waiting.sum::<usize>()) as u64
    }

    /// The first `limit` logged events of all nodes in order of time, and the number of further
    /// events. Events of one instant are in the order of their nodes.
    pub fn events(&self, limit: usize) -> (Vec<Event>, u64) {
        let mut events: Vec<Event> = self
            .nodes()
            .flat_map(|node| node.log().events())
            .copied()
            .collect();
        events.sort_by_key(|event| event.at);
        let omitted: u64 = self.nodes().map(|node| node.log().omitted).sum();
        let beyond = events.len().saturating_sub(limit);
        events.truncate(limit);
        (events, omitted + beyond as u64)
    }
}

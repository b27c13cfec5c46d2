//! Lists every cell that is on a link or in a queue at one instant.

use super::node::Node;
use super::simulation::Simulation;
use crate::atm::cell::{Info, Kind};
use crate::atm::server::Server;
use crate::kernel::Ps;
use crate::net::channel::ChannelId;

/// A cell between its source and its destination at one instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held {
    /// Index of the link on which the cell is, or which the cell's queue feeds.
    pub link: usize,
    /// Channel of the cell; `None` for a cell of credit control.
    pub channel: Option<ChannelId>,
    /// Kind and header bits of the cell.
    pub info: Info,
    /// Time at which the last bit of the cell arrives at the end of the link; `None` for a cell in a queue whose
    /// departures are not computed ahead of time. If departures are computed ahead of time, a cell that arrives
    /// later than one link delay plus one cell time from now is still queued.
    pub arrives: Option<Ps>,
}

impl<S: Server> Simulation<S> {
    /// All cells of the simulation: first the cells on links, link by link in order of arrival, then the cells in
    /// queues.
    pub fn cells(&self) -> impl Iterator<Item = Held> {
        self.on_links().chain(self.queued())
    }

    fn on_links(&self) -> impl Iterator<Item = Held> {
        self.links.iter().enumerate().flat_map(move |(link, ring)| {
            ring.units().map(move |cell| {
                let of_channel = cell.info.kind() != Kind::Credit;
                Held {
                    link,
                    channel: of_channel.then(|| self.channel_at(link, cell.label)),
                    info: cell.info,
                    arrives: Some(cell.at),
                }
            })
        })
    }

    fn queued(&self) -> impl Iterator<Item = Held> {
        self.nodes().flat_map(move |node| {
            let at_ports = node.ports().iter().flat_map(|(port, link)| {
                let link = *link as usize;
                port.held().into_iter().map(move |cell| (link, cell))
            });
            let relays = match node {
                Node::Switch(switch) => Some(switch.relays.iter().flat_map(|relay| {
                    let link = switch.ports[relay.port as usize].1 as usize;
                    relay.held().map(move |cell| (link, cell))
                })),
                Node::Host(_) => None,
            };
            let all = at_ports.chain(relays.into_iter().flatten());
            all.map(move |(link, cell)| Held {
                link,
                channel: Some(self.channel_at(link, cell.label)),
                info: cell.info,
                arrives: None,
            })
        })
    }

    /// The channel whose cells have the label (VPI/VCI) `label` on `link`.
    fn channel_at(&self, link: usize, label: u32) -> ChannelId {
        match &self.stations[self.network.plan.links[link].to].node {
            Node::Host(host) => host.terminals[label as usize].channel.reverse(),
            Node::Switch(switch) => switch.table[label as usize].channel,
        }
    }
}

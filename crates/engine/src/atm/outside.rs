//! Access to user-defined control schemes and rate laws between two calls of a run. The program that runs the
//! simulation reads the counters of the flows and ports, and sets the next actions of the schemes and laws.

use core::any::Any;

use super::node::Node;
use super::simulation::Simulation;
use crate::atm::server::Server;
use crate::custom::PortFromOutside;
use crate::net::channel::ChannelId;

/// The source of a flow's forward channel with a user-defined rate law, at one instant. The counters count from
/// the start of the run.
pub struct LawFromOutside<'s> {
    /// State of the user-defined rate law.
    pub law: &'s mut dyn Any,
    /// ACR of the source in cells/s.
    pub acr: f64,
    /// Number of data cells that the source has sent.
    pub sent: u64,
    /// Number of data cells that have arrived at the destination.
    pub received: u64,
    /// Sequence number of the next data cell if no cell is lost, modulo
    /// [`Info::NUMBERS`](crate::atm::cell::Info::NUMBERS).
    pub next_number: u32,
}

impl<S: Server> Simulation<S> {
    /// The switch port that feeds `link`; `None` if its control scheme is not user-defined or
    /// permits no access.
    pub fn port_from_outside(&mut self, link: usize) -> Option<PortFromOutside<'_>> {
        let (now, node) = (self.now(), self.network.plan.links.get(link)?.from);
        let ports = match &mut self.stations[node].node {
            Node::Switch(switch) => &mut switch.ports,
            Node::Host(_) => return None,
        };
        let (port, _) = ports
            .iter_mut()
            .find(|(_, feeds)| *feeds as usize == link)?;
        let out = &mut self.links.outlet(link as u32);
        let queue = port.controlled_length(now, out);
        let (counts, departed) = port.counts(now, out);
        Some(PortFromOutside {
            queue,
            departed,
            dropped: counts.iter().map(|queue| queue.dropped).sum(),
            scheme: port.control_mut().as_any_mut()?,
        })
    }

    /// The source of `flow`; `None` if its rate law is not user-defined or permits no access.
    pub fn law_from_outside(&mut self, flow: usize) -> Option<LawFromOutside<'_>> {
        let channel = ChannelId::forward(flow);
        let (received, next_number) = self.data_cells_received(channel);
        let sent = self.data_cells_sent(channel);
        let acr = self.acr(flow)?;
        let (node, index) = *self.network.begins.get(channel.index())?;
        let terminal = match &mut self.stations[node].node {
            Node::Host(host) => &mut host.terminals[index],
            Node::Switch(_) => return None,
        };
        Some(LawFromOutside {
            law: terminal.abr_mut()?.law_mut()?,
            acr,
            sent,
            received,
            next_number,
        })
    }
}

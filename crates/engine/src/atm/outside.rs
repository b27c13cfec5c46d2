//! Schemes and laws from outside the engine, reached between two slices of a run: the program that
//! runs the simulation reads their counts and sets what they do next.

use core::any::Any;

use super::node::Node;
use super::simulation::Simulation;
use crate::atm::server::Server;
use crate::net::channel::ChannelId;

/// An output port with a control scheme from outside the engine, at one instant. Counts are since
/// the start of the run.
pub struct PortFromOutside<'s> {
    /// State of the control scheme.
    pub scheme: &'s mut dyn Any,
    /// Cells of the controlled queue: the length that the scheme's timer would get.
    pub queue: u64,
    /// Cells of all queues whose service has completed.
    pub departed: u64,
    /// Cells of all queues that were refused.
    pub dropped: u64,
}

/// The source of a flow's forward channel with a law from outside the engine, at one instant.
/// Counts are since the start of the run.
pub struct LawFromOutside<'s> {
    /// State of the law.
    pub law: &'s mut dyn Any,
    /// ACR of the source in cells/s.
    pub acr: f64,
    /// Data cells that the source has sent.
    pub sent: u64,
    /// Data cells that have arrived at the destination.
    pub received: u64,
    /// Number that follows the number of the last data cell that arrived, modulo
    /// [`Info::NUMBERS`](crate::atm::cell::Info::NUMBERS).
    pub next_number: u32,
}

impl<S: Server> Simulation<S> {
    /// The switch port that feeds `link`; `None` if it has no scheme that can be reached.
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

    /// The source of `flow`; `None` if it has no law that can be reached.
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

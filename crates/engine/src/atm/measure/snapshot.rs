//! Snapshots of all counters. The counters count from the start of the run.

use alloc::vec::Vec;

use crate::atm::node::Node;
use crate::atm::policed::Policed;
use crate::atm::port::Losses;
use crate::atm::server::Server;
use crate::atm::simulation::Simulation;
use crate::atm::terminal::App;
use crate::atm::window::{Bytes, Sends, Snapshot};
use crate::endsystem::Counters;
use crate::net::channel::ChannelId;
use crate::tcp::SenderStats;

impl<S: Server> Simulation<S> {
    /// Present values of all counters.
    pub(super) fn snapshot(&mut self) -> Snapshot {
        let at = self.now;
        let sends = self
            .network
            .plan
            .channels()
            .map(|channel| self.sends(channel))
            .collect();
        let flows = (0..self.network.plan.flows.len())
            .map(|flow| self.bytes(flow))
            .collect();
        let (mut ports, mut served) = (Vec::new(), Vec::new());
        for node in 0..self.stations.len() {
            let counted = self.is_switch(node);
            let counts = self.stations[node]
                .node
                .ports_mut()
                .iter_mut()
                .filter(|_| counted);
            let (counts, times) = counts
                .map(|(port, link)| {
                    let out = &mut self.links.outlet(*link);
                    (port.counts(at, out), port.served(at, out))
                })
                .unzip();
            ports.push(counts);
            served.push(times);
        }
        let fronts = (0..self.stations.len())
            .map(|node| self.front_integrals(node))
            .collect();
        Snapshot {
            at,
            sends,
            flows,
            ports,
            served,
            fronts,
        }
    }

    fn sends(&mut self, channel: ChannelId) -> Sends {
        let now = self.now;
        let (losses, relayed) = (self.losses(channel), self.relayed(channel));
        let policed = self.policed(channel).map(Policed::counts);
        let delivered = self.terminal(channel.reverse()).counts().cells_received;
        let (copied, answers) = self.at_branch_point(channel);
        let terminal = self.terminal_mut(channel);
        let mut counts = terminal.counts();
        counts.data_sent += copied.data;
        counts.cells_sent += copied.data + copied.rm + copied.out_of_rate;
        let mut abr = terminal
            .abr()
            .map_or(Counters::default(), |source| *source.counters());
        abr.frms += copied.rm;
        abr.out_of_rate_frms += copied.out_of_rate;
        Sends {
            counts,
            abr,
            losses,
            policed,
            relayed,
            delivered: delivered + answers,
            queue_integral: terminal.queue().integral(now),
            queue_drops: terminal.queue().dropped(),
        }
    }

    /// Cells and bytes of `channel` that switches have refused and links have lost, summed over its
    /// path.
    pub(in crate::atm) fn losses(&self, channel: ChannelId) -> Losses {
        let mut sum = self
            .policed(channel)
            .map(Policed::losses)
            .unwrap_or_default();
        for hop in &self.network.channels[channel.index()].hops {
            let node = self.network.plan.links[hop.link].from;
            let lost = self.stations[node].node.ports()[hop.port as usize]
                .0
                .losses(hop.slot);
            sum.cells += lost.cells;
            sum.bytes += lost.bytes;
            sum.packets += lost.packets;
            sum.repeated += lost.repeated;
            sum.cells_on_link += lost.cells_on_link;
            sum.bytes_on_link += lost.bytes_on_link;
        }
        sum
    }

    /// The policer of `channel` at the first switch of its path; `None` if no policer there is in this part of the
    /// network.
    pub(super) fn policed(&self, channel: ChannelId) -> Option<&Policed> {
        let hop = self.network.channels[channel.index()].hops.first()?;
        let (node, _) = self.receiver(hop.link);
        match &self.stations.get(node)?.node {
            Node::Switch(switch) => switch.policer_of(hop.label),
            Node::Host(_) => None,
        }
    }

    fn bytes(&self, flow: usize) -> Bytes {
        let [source, destination] = self.terminals(flow);
        let (delivered, arrived) = match destination.app() {
            App::Receiver(receiver) => {
                let stats = receiver.stats();
                (
                    stats.delivered_bytes,
                    stats.delivered_bytes + stats.duplicate_bytes + receiver.held_bytes(),
                )
            }
            App::Router(router) => (router.arrived_bytes, router.arrived_bytes),
            _ => (
                48 * destination.counts().data_received,
                48 * destination.counts().data_received,
            ),
        };
        let (acked, sender) = match source.app() {
            App::Sender(sender) => (sender.snd_una(), *sender.stats()),
            _ => (0, SenderStats::default()),
        };
        Bytes {
            delivered,
            arrived,
            acked,
            sender,
        }
    }
}

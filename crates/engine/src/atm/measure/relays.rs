//! Contributions of virtual sources and destinations, and of switches that generate RM cells, to the accounts of
//! cells.

use alloc::vec::Vec;

use crate::atm::branch::Copied;
use crate::atm::node::Node;
use crate::atm::relay::{Relay, RelayCounts};
use crate::atm::server::Server;
use crate::atm::simulation::Simulation;
use crate::net::channel::{ChannelId, Hop};

impl<S: Server> Simulation<S> {
    /// The relays (virtual destinations and sources) of `channel` in this part of the network, in order of the
    /// path. Each comes with the number of links before this relay on the path.
    pub(in crate::atm) fn relays_of(
        &self,
        channel: ChannelId,
    ) -> impl Iterator<Item = (usize, &Relay)> {
        let hops = self.network.channels[channel.index()]
            .hops
            .iter()
            .enumerate();
        hops.filter_map(|(before, hop)| {
            let (node, _) = self.receiver(hop.link);
            let Node::Switch(switch) = &self.stations.get(node)?.node else {
                return None;
            };
            let relay = switch.relay_of(hop.label)?;
            Some((before + 1, &switch.relays[relay]))
        })
    }

    /// Counts of the RM cells of `channel` that begin or end at each switch on its path in this part of the network,
    /// in relays (virtual sources and destinations) or because the switch generates them. Each comes with the number
    /// of links before this switch on the path.
    fn changes_of(&self, channel: ChannelId) -> impl Iterator<Item = (usize, RelayCounts)> {
        let generated = self.network.channels[channel.reverse().index()].hops.iter();
        let generated = generated.filter_map(move |hop| {
            let (node, _) = self.receiver(hop.link);
            let Node::Switch(switch) = &self.stations.get(node)?.node else {
                return None;
            };
            let hops = &self.network.channels[channel.index()].hops;
            let links = &self.network.plan.links;
            let from = |onward: &Hop| links[onward.link].from == links[hop.link].to;
            let counts = RelayCounts {
                inserted: switch.generated_for(hop.label),
                absorbed: 0,
            };
            Some((hops.iter().position(from)?, counts))
        });
        let relayed = self.relays_of(channel);
        relayed
            .map(|(before, relay)| (before, relay.counts()))
            .chain(generated)
            .chain(self.consolidated(channel))
    }

    /// As [`Simulation::changes_of`], the counts of branch points that consolidate the backward RM cells of `channel`.
    fn consolidated(&self, channel: ChannelId) -> impl Iterator<Item = (usize, RelayCounts)> {
        let hops = self.network.channels[channel.index()].hops.iter();
        hops.enumerate().filter_map(|(before, hop)| {
            let (node, _) = self.receiver(hop.link);
            let Node::Switch(switch) = &self.stations.get(node)?.node else {
                return None;
            };
            let (inserted, absorbed) = switch.consolidated(hop.label)?;
            Some((before + 1, RelayCounts { inserted, absorbed }))
        })
    }

    /// The cells copied to `channel` at the branch point where this further branch begins, and the backward RM cells of
    /// `channel` that the branch point has received; zeros for other channels.
    pub(super) fn at_branch_point(&self, channel: ChannelId) -> (Copied, u64) {
        let plan = &self.network.plan.flows[channel.flow()];
        let none = (Copied::default(), 0);
        let (Some(_), Some(first)) = (&plan.branch, plan.forward.first()) else {
            return none;
        };
        let node = self.network.plan.links[*first].from;
        match &self.stations[node].node {
            Node::Switch(switch) => match switch.branch_of(channel) {
                Some((point, _)) if channel.is_forward() => (point.copied, 0),
                Some((_, branch)) => (Copied::default(), branch.answers),
                None => none,
            },
            Node::Host(_) => none,
        }
    }

    /// Numbers of RM cells of `channel` that switches on its path have inserted and absorbed.
    pub(super) fn relayed(&self, channel: ChannelId) -> RelayCounts {
        let counts = self.changes_of(channel).map(|(_, counts)| counts);
        counts.fold(RelayCounts::default(), |sum, one| RelayCounts {
            inserted: sum.inserted + one.inserted,
            absorbed: sum.absorbed + one.absorbed,
        })
    }

    /// Correction of the number of link crossings of a channel. RM cells that begin at switches make additional
    /// crossings; RM cells that end at switches make fewer. The sum is modulo 2^64.
    pub(super) fn relayed_crossings(&self, channel: ChannelId) -> u64 {
        let hops = self.network.channels[channel.index()].hops.len();
        let beyond = |(before, counts): (usize, RelayCounts)| {
            let RelayCounts { inserted, absorbed } = counts;
            let links = (hops - before) as u64;
            (inserted * links).wrapping_sub(absorbed * links)
        };
        self.changes_of(channel)
            .map(beyond)
            .fold(0, u64::wrapping_add)
    }

    /// By node and port: greatest number of cells in the queues of virtual sources before the port; `None` if no
    /// virtual source feeds the port.
    pub(super) fn front_maxima(&self) -> Vec<Vec<Option<u64>>> {
        self.nodes()
            .map(|node| {
                node.ports()
                    .iter()
                    .map(|(port, _)| port.front_longest())
                    .collect()
            })
            .collect()
    }

    /// For each port of `node`: time integral of the number of cells in the queues of virtual sources; `None` if
    /// no virtual source feeds the port.
    pub(super) fn front_integrals(&mut self, node: usize) -> Vec<Option<f64>> {
        let now = self.now;
        let ports = self.stations[node].node.ports_mut().iter_mut();
        ports
            .map(|(port, _)| port.front_length().map(|_| port.front_integral(now)))
            .collect()
    }
}

//! Accounts of all cells: conservation, crossings and the digest.

use alloc::vec::Vec;

use crate::atm::cell::Kind;
use crate::atm::server::Server;
use crate::kernel::Digest;
use crate::network::node::Node;
use crate::network::simulation::Simulation;
use crate::network::window::Snapshot;

/// Cells of a channel on links and in queues.
#[derive(Clone, Copy, Default)]
pub struct InFlight {
    /// Cells.
    pub cells: u64,
    /// Application bytes in them.
    pub bytes: u64,
    /// Number of link crossings that they have not completed.
    pub crossings: u64,
}

impl<S: Server> Simulation<S> {
    /// Cells in flight of each channel.
    pub(super) fn in_flight(&self) -> Vec<InFlight> {
        let mut found = alloc::vec![InFlight::default(); self.channels.len()];
        let channel_at =
            |link: usize, label: u32| match &self.stations[self.plan.links[link].to].node {
                Node::Host(host) => host.terminals[label as usize].channel.reverse(),
                Node::Switch(switch) => switch.table[label as usize].channel,
            };
        let mut add = |link: usize, label: u32, payload: u32| {
            let channel = channel_at(link, label).index();
            let hops = &self.channels[channel].hops;
            let crossed = hops.iter().position(|hop| hop.link == link).unwrap_or(0);
            let entry = &mut found[channel];
            entry.cells += 1;
            entry.bytes += payload as u64;
            entry.crossings += (hops.len() - crossed) as u64;
        };
        for (index, link) in self.links.iter().enumerate() {
            let of_channels = link.cells().filter(|cell| cell.info.kind() != Kind::Credit);
            of_channels.for_each(|cell| add(index, cell.label, cell.info.payload()));
        }
        for node in self.nodes() {
            for (port, link) in node.ports() {
                port.held()
                    .iter()
                    .for_each(|cell| add(*link as usize, cell.label, cell.info.payload()));
            }
            let Node::Switch(switch) = node else { continue };
            for relay in &switch.relays {
                let link = switch.ports[relay.port as usize].1 as usize;
                relay
                    .held()
                    .for_each(|cell| add(link, cell.label, cell.info.payload()));
            }
        }
        found
    }

    /// Checks that under credit control no channel has ever had more cells at a node than
    /// allocated.
    pub(super) fn check_allocations(&self) {
        for (port, _) in self.nodes().flat_map(Node::ports) {
            for (slot, most) in port.allocations() {
                let longest = port.longest_of(slot);
                assert!(
                    longest <= most,
                    "{longest} cells of a channel in a buffer of {most}"
                );
            }
        }
    }

    /// Cells that have crossed a link so far.
    pub fn cell_hops(&mut self) -> u64 {
        let last = self.snapshot();
        self.crossings(&last, &self.in_flight())
    }

    pub(super) fn crossings(&self, last: &Snapshot, in_flight: &[InFlight]) -> u64 {
        let mut crossings = 0;
        for (channel, send) in self.plan.channels().zip(&last.sends) {
            let hops = &self.channels[channel.index()].hops;
            crossings += send.counts.cells_sent * hops.len() as u64;
            crossings = crossings.wrapping_add(self.relayed_crossings(channel))
                - in_flight[channel.index()].crossings;
            for (crossed, hop) in hops.iter().enumerate() {
                let node = self.plan.links[hop.link].from;
                let lost = self.stations[node].node.ports()[hop.port as usize]
                    .0
                    .losses(hop.slot);
                crossings -= lost.cells * (hops.len() - crossed) as u64;
                // A link that loses a cell still counts as crossed.
                crossings -= lost.cells_on_link * (hops.len() - crossed - 1) as u64;
            }
        }
        // Cells of credit control count when they have been sent.
        crossings
            + self
                .nodes()
                .flat_map(Node::ports)
                .map(|(port, _)| port.credit_cells_sent())
                .sum::<u64>()
    }

    pub(super) fn digest(&self, last: &Snapshot) -> Digest {
        let mut digest = Digest::default();
        for send in &last.sends {
            digest.add(send.counts.cells_sent);
            digest.add(send.losses.cells);
            if send.losses.cells_on_link > 0 {
                digest.add(send.losses.cells_on_link);
            }
        }
        for (node, ports) in self.nodes().zip(&last.ports) {
            if let Node::Host(host) = node {
                host.terminals
                    .iter()
                    .for_each(|terminal| digest.add(terminal.digest().value()));
            }
            for ((port, _), (queues, departed)) in node.ports().iter().zip(ports) {
                digest.add(port.digest().value());
                digest.add(*departed);
                queues.iter().for_each(|queue| digest.add(queue.arrived));
            }
            if let Node::Switch(switch) = node {
                switch
                    .relays
                    .iter()
                    .for_each(|relay| digest.add(relay.digest().value()));
            }
        }
        digest
    }
}

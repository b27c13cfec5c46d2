//! Accounts over all cells: conservation of cells and bytes, link crossings, and the digest.

use alloc::vec::Vec;

use crate::atm::node::Node;
use crate::atm::server::Server;
use crate::atm::simulation::Simulation;
use crate::atm::window::Snapshot;
use crate::kernel::Digest;

/// The cells of one channel that are on links or in queues at one instant.
#[derive(Clone, Copy, Default)]
pub struct InFlight {
    /// Number of cells of the channel on links and in queues.
    pub cells: u64,
    /// Application bytes in the channel's cells on links and in queues.
    pub bytes: u64,
    /// Sum over the channel's cells on links and in queues of the number of links that each cell still has to
    /// cross. The link on which the cell is counts.
    pub crossings: u64,
}

impl<S: Server> Simulation<S> {
    /// For each channel, its cells on links and in queues now.
    pub(in crate::atm) fn in_flight(&self) -> Vec<InFlight> {
        let mut found = alloc::vec![InFlight::default(); self.network.channels.len()];
        for cell in self.cells() {
            let Some(channel) = cell.channel else {
                continue;
            };
            let hops = &self.network.channels[channel.index()].hops;
            let crossed = hops.iter().position(|hop| hop.link == cell.link);
            let entry = &mut found[channel.index()];
            entry.cells += 1;
            entry.bytes += cell.info.payload() as u64;
            entry.crossings += (hops.len() - crossed.unwrap_or(0)) as u64;
        }
        found
    }

    /// Checks that under credit control no channel has ever had more cells at a node than its
    /// allocation.
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

    /// Number of link crossings of all cells since the start of the run.
    pub fn cell_hops(&mut self) -> u64 {
        let last = self.snapshot();
        self.crossings(&last, &self.in_flight())
    }

    pub(super) fn crossings(&self, last: &Snapshot, in_flight: &[InFlight]) -> u64 {
        let mut crossings = 0;
        for (channel, send) in self.network.plan.channels().zip(&last.sends) {
            let hops = &self.network.channels[channel.index()].hops;
            crossings += send.counts.cells_sent * hops.len() as u64;
            crossings = crossings.wrapping_add(self.relayed_crossings(channel))
                - in_flight[channel.index()].crossings;
            // A channel is policed behind its first link.
            let policed = self
                .policed(channel)
                .map_or(0, |policed| policed.losses().cells);
            crossings -= policed * hops.len().saturating_sub(1) as u64;
            for (crossed, hop) in hops.iter().enumerate() {
                let node = self.network.plan.links[hop.link].from;
                let lost = self.stations[node].node.ports()[hop.port as usize]
                    .0
                    .losses(hop.slot);
                crossings -= lost.cells * (hops.len() - crossed) as u64;
                // A cell that a link loses counts as having crossed this link.
                crossings -= lost.cells_on_link * (hops.len() - crossed - 1) as u64;
            }
        }
        // Cells of credit control count as soon as they are sent.
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
                let policed = switch.policed.iter();
                policed.for_each(|policed| digest.add(policed.digest().value()));
            }
        }
        digest
    }
}

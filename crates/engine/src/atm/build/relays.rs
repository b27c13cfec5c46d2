//! Builds the relays (virtual destinations and sources) of switches that end ABR loops and begin
//! new ones.

use alloc::format;
use alloc::vec::Vec;

use crate::atm::cell::{Info, ServiceClass};
use crate::atm::draft::Draft;
use crate::atm::plan::{PlanError, loop_round_trip};
use crate::atm::port::Arrival;
use crate::atm::relay::{Relay, RelaySettings};
use crate::atm::server::Queued;
use crate::atm::switch::Route;
use crate::endsystem::{AbrDestination, AbrSource, VsVdConfig};
use crate::kernel::{Ps, ServiceRate};
use crate::net::channel::ChannelId;

impl Draft<'_> {
    /// Checks that the forward and the backward channel of a flow pass the same switches with
    /// virtual sources.
    pub(super) fn check_loops(&self) -> Result<(), PlanError> {
        for (index, flow) in self.plan.flows.iter().enumerate() {
            let forward = self.splits(ChannelId::forward(index));
            let backward = self.splits(ChannelId::backward(index));
            if !forward.iter().eq(backward.iter().rev()) {
                let message = format!(
                    "flow {} does not pass the same virtual sources there and back",
                    flow.name
                );
                return Err(PlanError(message));
            }
        }
        Ok(())
    }

    /// Indices of the switches on the path of `channel` that end an ABR loop and begin a new loop, in order of
    /// the path.
    fn splits(&self, channel: ChannelId) -> Vec<usize> {
        let path = self
            .path(channel)
            .iter()
            .map(|link| self.plan.links[*link].to);
        path.filter(|node| self.has_loop(channel.flow()) && self.plan.vsvd(*node).is_some())
            .collect()
    }

    /// True if both channels of the flow carry RM cells.
    pub(super) fn has_loop(&self, flow: usize) -> bool {
        ChannelId::both(flow)
            .into_iter()
            .all(|channel| self.class(channel) == ServiceClass::Abr)
    }

    /// The relays (virtual destinations and sources) of switch `node`. The two relays of a flow follow one
    /// another. Changes the routes of the relayed channels in `table` so that the routes lead to the relays.
    /// `ports` is the number of the switch's ports.
    pub(super) fn relays(&self, node: usize, table: &mut [Route], ports: usize) -> Vec<Relay> {
        let Some(config) = self.plan.vsvd(node) else {
            return Vec::new();
        };
        let mut relays = Vec::new();
        // In the order of channel numbers, so that the two relays of a flow are neighbours in the list.
        for (label, channel) in self.arriving[node].iter().enumerate() {
            if !self.has_loop(channel.flow()) {
                continue;
            }
            relays.push(self.relay(node, *channel, &table[label], config));
            table[label].port = (ports + relays.len() - 1) as u32;
            table[label].opposite = None;
        }
        relays
    }

    fn relay(&self, node: usize, channel: ChannelId, route: &Route, config: &VsVdConfig) -> Relay {
        let abr = &self.plan.flows[channel.flow()].abr.obeying();
        let access = self.plan.links[self.path(channel)[0]].rate;
        let behind = self
            .hop_from(node, channel)
            .map_or(access, |hop| self.plan.links[hop.link].rate);
        let Route {
            slot,
            control_slot,
            queue,
            controlled,
            label,
            port,
            ..
        } = *route;
        Relay::new(RelaySettings {
            channel,
            port,
            arrival: Arrival {
                slot,
                control_slot,
                queue: queue.into(),
                controlled,
                cell: Queued {
                    label,
                    info: Info::data(0),
                },
            },
            source: AbrSource::new(abr, behind, self.loop_round_trip(node, channel)),
            destination: AbrDestination::new(abr, ServiceRate::of_cells(access)),
            config: config.clone(),
        })
    }

    /// Fixed round-trip time (FRTT) of the ABR loop of `channel` that begins at `node`; of the longest loop to a leaf for
    /// a point-to-multipoint channel.
    pub(super) fn loop_round_trip(&self, node: usize, channel: ChannelId) -> Ps {
        let links = &self.plan.links;
        let there = self.path(channel);
        let begin = there
            .iter()
            .position(|link| links[*link].from == node)
            .unwrap_or(there.len());
        let ends = |node: usize| self.plan.vsvd(node).is_some();
        let back = self.path(channel.reverse());
        let own = loop_round_trip(links, &there[begin..], back, ends);
        if !channel.is_forward() {
            return own;
        }
        let further = self.further.get(&channel.flow()).into_iter().flatten();
        let over = |flow: &usize| {
            let at = self.branches_at(*flow)?;
            let before = loop_round_trip(links, there, back, |node| node == at);
            let behind = self.loop_round_trip(at, ChannelId::forward(*flow));
            Some(before.saturating_add(behind))
        };
        further.filter_map(over).fold(own, Ps::max)
    }
}

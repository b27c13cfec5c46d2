//! Applies the changes of a plan (new settings of switches and flows) at their instants.

use super::node::Node;
use super::plan::{Change, FlowChange};
use super::simulation::Simulation;
use crate::atm::server::Server;
use crate::kernel::Ps;
use crate::net::channel::ChannelId;

impl<S: Server> Simulation<S> {
    /// Instant of the next change of the plan; `NEVER` if no change is left.
    pub(super) fn next_change(&self) -> Ps {
        let next = self.network.plan.changes.get(self.network.changed);
        next.map_or(Ps::NEVER, |change| change.at)
    }

    /// Applies all changes due by the present instant, and returns the instant of the next change; `NEVER` if
    /// none is left. A run divided into parts must pause at each such instant and call this method. Other runs
    /// need not call the method.
    pub fn make_due_change(&mut self) -> Ps {
        while self.next_change() <= self.now {
            self.make_next_change();
        }
        self.tell_receivers();
        self.next_change()
    }

    /// Applies the next change of the plan. All events before its instant must have been processed.
    pub(super) fn make_next_change(&mut self) {
        let Change {
            at,
            switches,
            flows,
        } = self.network.plan.changes[self.network.changed].clone();
        self.network.changed += 1;
        for (node, to) in &switches {
            if let Node::Switch(switch) = &mut self.stations[*node].node {
                switch.change(at, to, &mut self.links);
            }
            self.reschedule(*node);
        }
        for (flow, to) in &flows {
            self.change_flow(at, *flow, to);
        }
    }

    fn change_flow(&mut self, at: Ps, flow: usize, to: &FlowChange) {
        let mut to_destination = to.clone();
        // A leaf sends only backward RM cells.
        to_destination.abr.frm_needs_data |= self.network.plan.is_multipoint(flow);
        for (channel, to) in ChannelId::both(flow).into_iter().zip([to, &to_destination]) {
            let (node, terminal) = self.network.begins[channel.index()];
            if let Node::Host(host) = &mut self.stations[node].node {
                host.change(at, terminal, to);
            }
            self.reschedule(node);
        }
        for node in 0..self.stations.len() {
            if let Node::Switch(switch) = &mut self.stations[node].node
                && switch.change_loops(at, flow, to)
            {
                self.reschedule(node);
            }
        }
    }
}

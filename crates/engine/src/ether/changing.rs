//! The changes of a plan, made when their instants have come.

use super::node::Node;
use super::plan::change::Change;
use super::simulation::Simulation;
use crate::kernel::Ps;
use crate::net::channel::ChannelId;

impl Simulation {
    /// Instant of the next change; `NEVER` if there are no more.
    pub(super) fn next_change(&self) -> Ps {
        let next = self.network.plan.changes.get(self.network.changed);
        next.map_or(Ps::NEVER, |change| change.at)
    }

    /// Makes the change of the present instant, if it has not been made, and returns the instant of
    /// the next; `NEVER` if there are no more. A run in parts stops there; a run in one part need
    /// not call this.
    pub fn make_due_change(&mut self) -> Ps {
        while self.next_change() <= self.now {
            self.make_next_change();
        }
        self.next_change()
    }

    /// Makes the next change, before whose instant everything has been processed.
    pub(super) fn make_next_change(&mut self) {
        let Change {
            at,
            switches,
            flows,
        } = self.network.plan.changes[self.network.changed].clone();
        self.network.changed += 1;
        for (node, to) in &switches {
            if let Node::Switch(switch) = &mut self.stations[*node].node {
                switch.change_settings(at, to);
            }
            self.reschedule(*node);
        }
        for (flow, to) in &flows {
            let (node, endpoint) = self.network.begin(ChannelId::forward(*flow));
            if let Node::Host(host) = &mut self.stations[node].node {
                host.change(at, endpoint, to);
            }
            self.reschedule(node);
        }
    }
}

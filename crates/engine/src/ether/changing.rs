//! Makes the planned changes of switches and flows during a run, each at its instant.

use super::node::Node;
use super::plan::change::Change;
use super::simulation::Simulation;
use crate::kernel::Ps;
use crate::net::channel::ChannelId;

impl Simulation {
    /// Instant of the next change; `NEVER` without a further change.
    pub(super) fn next_change(&self) -> Ps {
        let next = self.network.plan.changes.get(self.network.changed);
        next.map_or(Ps::NEVER, |change| change.at)
    }

    /// Makes the changes of the present instant, unless they are made already. Returns the instant of the
    /// next change; `NEVER` without a further change. A run in several partitions stops at each change and
    /// calls this. A run in one partition need not call this.
    pub fn make_due_change(&mut self) -> Ps {
        while self.next_change() <= self.now {
            self.make_next_change();
        }
        self.next_change()
    }

    /// Makes the next change. All events before its instant have been processed.
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

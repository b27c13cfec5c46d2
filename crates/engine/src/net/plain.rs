//! The schedule of the plain engine: one instant after the other, and at each of them all nodes in order.

use super::node::Node;
use super::simulation::{Simulation, Station};
use crate::kernel::Ps;

impl<N: Node> Simulation<N> {
    /// Earliest instant at which a unit arrives, a node has an event, or a service starts or ends.
    pub(crate) fn earliest(&self) -> Ps {
        let arrivals = self.stations.iter().map(|station| station.inbox.first());
        let events = self.nodes().map(Node::next_event);
        let services = self.nodes().map(Node::next_service);
        arrivals
            .chain(events)
            .chain(services)
            .min()
            .unwrap_or(Ps::NEVER)
    }

    /// Processes the completions of the instant `now`.
    pub(crate) fn complete(&mut self, now: Ps) {
        for node in 0..self.stations.len() {
            self.advance_ports(node, now);
            self.tell_of_output(node);
        }
    }

    /// Processes all that happens at `node` at the instant `now`, after its completions.
    pub(crate) fn instant(&mut self, node: usize, now: Ps) {
        let next = Ps(now.0 + 1);
        let Station {
            inbox,
            node: at_work,
            ..
        } = &mut self.stations[node];
        at_work.turn(inbox, &mut self.links, next, next);
        self.advance_ports(node, next);
        self.tell_of_output(node);
        for input in 0..self.stations[node].inbox.links().len() {
            self.tell_receiver(self.stations[node].inbox.links()[input] as usize);
        }
    }

    fn advance_ports(&mut self, node: usize, now: Ps) {
        self.stations[node].node.advance(now, &mut self.links);
    }

    /// Updates the receivers of all links that a node feeds, whose first units may have changed.
    pub(crate) fn tell_of_output(&mut self, node: usize) {
        self.links.forget_fresh();
        let fed = |simulation: &Self, port| simulation.stations[node].node.feeds().nth(port);
        let mut port = 0;
        while let Some(link) = fed(self, port) {
            self.tell_receiver(link as usize);
            port += 1;
        }
    }

    /// Updates the receiver of a link, whether the link was empty or not.
    fn tell_receiver(&mut self, link: usize) {
        let at = self.links[link].next_arrival();
        let (node, input) = self.receiver(link);
        self.stations[node].inbox.expect(input, at);
    }
}

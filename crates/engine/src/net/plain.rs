//! The schedule of the plain engine, the reference for the fast engine: instant after instant, and
//! at each instant all nodes in order.

use super::node::Node;
use super::simulation::{Simulation, Station};
use crate::kernel::Ps;

impl<N: Node> Simulation<N> {
    /// Earliest time of any event: a unit arrives, a node has a timer, or a service (transmission) starts or
    /// ends.
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

    /// Ends the services that end at the instant `now`, at all nodes.
    pub(crate) fn complete(&mut self, now: Ps) {
        for node in 0..self.stations.len() {
            self.advance_ports(node, now);
            self.tell_of_output(node);
        }
    }

    /// Processes the arrivals, timers and service starts of `node` at the instant `now`.
    /// [`Simulation::complete`] must come first.
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

    /// Updates the schedule for each link that `node` feeds: the time at which the link's first unit arrives at
    /// the receiving node.
    pub(crate) fn tell_of_output(&mut self, node: usize) {
        self.links.forget_fresh();
        let fed = |simulation: &Self, port| simulation.stations[node].node.feeds().nth(port);
        let mut port = 0;
        while let Some(link) = fed(self, port) {
            self.tell_receiver(link as usize);
            port += 1;
        }
    }

    /// Updates the schedule for one link: the time at which its first unit arrives at the receiving node. The
    /// link may have been empty before.
    fn tell_receiver(&mut self, link: usize) {
        let at = self.links[link].next_arrival();
        let (node, input) = self.receiver(link);
        self.stations[node].inbox.expect(input, at);
    }
}

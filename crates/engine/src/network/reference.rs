//! The plain reference engine: it always processes the globally earliest instant, asks every node,
//! and has eager ports.
//!
//! It shares the end systems, switches and control schemes with [`Simulation`], but neither its
//! schedule (lookahead, turns, lags) nor its servers. Tests compare the two cell by cell.

use super::node::Node;
use super::plan::Plan;
use super::plan::PlanError;
use super::report::Report;
use super::simulation::{Simulation, Station};
use crate::atm::server::EagerServer;
use crate::kernel::Ps;

/// Moments of a run at which a watcher is called.
#[derive(Clone, Copy, Debug)]
pub(super) enum Moment {
    /// All events before this instant have been processed.
    Before(Ps),
    /// All completions of an instant have been processed.
    Completed(Ps),
    /// A node has processed all its events of an instant.
    Turn(Ps, usize),
}

/// A simulation without short cuts.
pub struct Reference(Simulation<EagerServer>);

impl Reference {
    /// A simulation at time zero.
    ///
    /// # Errors
    /// As [`Simulation::new`].
    pub fn new(plan: Plan) -> Result<Reference, PlanError> {
        Simulation::new(plan).map(Reference)
    }

    /// Processes everything before `until`, one instant after the other: completions, then timers
    /// and arrivals, then service starts.
    pub fn run_until(&mut self, until: Ps) {
        self.run_watched(until, &mut |_, _| ());
    }

    /// Does the same; `look` is called whenever nodes may have sent or received something.
    pub(super) fn run_watched(&mut self, until: Ps, look: &mut dyn FnMut(&mut Reference, Moment)) {
        loop {
            let now = self.earliest().min(self.0.next_change());
            look(self, Moment::Before(now.min(until)));
            if now >= until {
                break;
            }
            if self.0.next_change() == now {
                self.0.make_next_change();
                (0..self.0.stations.len()).for_each(|node| self.tell_of_output(node));
                continue;
            }
            self.complete(now);
            look(self, Moment::Completed(now));
            for node in 0..self.0.stations.len() {
                self.instant(node, now);
                look(self, Moment::Turn(now, node));
            }
        }
        self.0.now = until;
    }

    /// The state so far, for samples and reports. Only the reference may run it.
    pub fn state(&mut self) -> &mut Simulation<EagerServer> {
        &mut self.0
    }

    /// Runs over the whole measuring window and reports, see [`Simulation::measure`].
    ///
    /// # Panics
    /// As [`Simulation::report`].
    pub fn measure(&mut self, from: Ps, to: Ps, end: Ps) -> Report {
        self.run_until(from);
        self.0.begin_window();
        self.run_until(to);
        self.0.end_window();
        self.run_until(end);
        self.0.report()
    }

    fn earliest(&self) -> Ps {
        let arrivals = self.0.stations.iter().map(|station| station.inbox.first());
        let events = self.0.nodes().map(Node::next_event);
        let services = self
            .0
            .nodes()
            .flat_map(Node::ports)
            .map(|(port, _)| port.next_event());
        arrivals
            .chain(events)
            .chain(services)
            .min()
            .unwrap_or(Ps::NEVER)
    }

    fn complete(&mut self, now: Ps) {
        for node in 0..self.0.stations.len() {
            self.advance_ports(node, now);
            self.tell_of_output(node);
        }
    }

    fn instant(&mut self, node: usize, now: Ps) {
        let next = Ps(now.0 + 1);
        let links = &mut self.0.links;
        let Station {
            inbox,
            node: at_work,
            ..
        } = &mut self.0.stations[node];
        match at_work {
            Node::Host(host) => host.turn(inbox, links, next, next),
            Node::Switch(switch) => switch.turn(inbox, links, next),
        }
        self.advance_ports(node, next);
        self.tell_of_output(node);
        for input in 0..self.0.stations[node].inbox.links().len() {
            self.tell_receiver(self.0.stations[node].inbox.links()[input] as usize);
        }
    }

    fn advance_ports(&mut self, node: usize, now: Ps) {
        for (port, link) in self.0.stations[node].node.ports_mut() {
            port.advance(now, &mut self.0.links.outlet(*link));
        }
    }

    /// Updates the receivers of all links that a node feeds, whose first cells may have changed.
    fn tell_of_output(&mut self, node: usize) {
        self.0.links.forget_fresh();
        for port in 0..self.0.stations[node].node.ports().len() {
            self.tell_receiver(self.0.stations[node].node.ports()[port].1 as usize);
        }
    }

    /// Updates the receiver of a link, whether the link was empty or not.
    fn tell_receiver(&mut self, link: usize) {
        let at = self.0.links[link].next_arrival();
        let (node, input) = self.0.receiver(link);
        self.0.stations[node].inbox.expect(input, at);
    }
}

//! A simulation of an ATM network of hosts and switches.

use alloc::sync::Arc;
use alloc::vec::Vec;

use super::build::{Parts, build};
use super::network::Network;
use super::node::Node;
use super::plan::{LinkPlan, Plan, PlanError, change, least_transit};
use super::server::{BuildServer, LazyServer, Server};
use super::transport::{Link, Links};
use super::window::Window;
use crate::kernel::Ps;
use crate::net::simulation::LinkFacts;
use crate::net::{Stopwatch, partition, simulation};

/// A simulation of ATM hosts and switches joined by links. `S` is the type of the servers at ports.
pub type Simulation<S = LazyServer> = simulation::Simulation<Node<S>>;
/// A part of a partitioned simulation, made by
/// [`Simulation::divide`](simulation::Simulation::divide).
pub type Part<S = LazyServer> = partition::Part<Node<S>>;

impl<S: BuildServer> Simulation<S> {
    /// A simulation of `plan` at time zero.
    ///
    /// # Errors
    /// If the path of a flow is invalid, see [`PlanError`]. Plans that come from scenario files have been checked
    /// before.
    pub fn new(plan: Plan) -> Result<Simulation<S>, PlanError> {
        change::check(&plan)?;
        let Parts {
            nodes,
            inboxes,
            channels,
            lossy_channels,
        } = build(&plan)?;
        // A host with one incoming link may process cells without bodies late, because the order of these cells
        // is known. A host with several incoming links would have to merge them for this.
        let patient = |link: &LinkPlan| {
            matches!(&nodes[link.to], Node::Host(_))
                && !nodes[link.to].is_prompt()
                && inboxes[link.to].links().len() == 1
        };
        let links = Links::new(plan.links.iter().map(|link| Link::new(patient(link))));
        let lines = plan.links.iter().map(facts).collect();
        let network = Network {
            begins: begins(&nodes, channels.len()),
            channels: channels.into(),
            lossy_channels: lossy_channels.into(),
            window: Window::default(),
            changed: 0,
            queued: Vec::new(),
            plan: Arc::new(plan),
        };
        Ok(Simulation::of_nodes(nodes, inboxes, links, lines, network))
    }
}

// These methods are not generic, so that the loop of a run is compiled and optimised in this crate.
impl Simulation {
    /// Processes all events before `until`. The result does not depend on how a run is divided into
    /// calls.
    pub fn run_until(&mut self, until: Ps) {
        self.run_timed(until, &mut ());
    }
}

impl<S: Server> Simulation<S> {
    /// The plan from which the simulation was built.
    pub fn plan(&self) -> &Plan {
        &self.network.plan
    }

    /// Runs as [`Simulation::run_until`](simulation::Simulation::run_until) does, and measures the
    /// processor time of each node with `stopwatch`. The result does not depend on the stopwatch.
    pub fn run_timed(&mut self, until: Ps, stopwatch: &mut impl Stopwatch) {
        while self.next_change() < until {
            self.advance(self.next_change(), stopwatch);
            self.make_next_change();
        }
        self.advance(until, stopwatch);
    }
}

impl<S: Server> Part<S> {
    /// Records the present queue lengths of the part, as
    /// [`Simulation::sample`](simulation::Simulation::sample) does for a whole simulation.
    pub fn sample(&mut self) {
        let queued = self.state().sample_queues();
        self.state().network.queued.push(queued);
    }
}

/// Facts about a link for the transport. The smallest unit of ATM is a cell.
fn facts(link: &LinkPlan) -> LinkFacts {
    LinkFacts {
        from: link.from,
        to: link.to,
        delay: link.delay,
        unit: link.rate.cell_time_ceil(),
        lookahead: least_transit(link),
    }
}

fn begins<S>(nodes: &[Node<S>], channels: usize) -> Vec<(usize, usize)> {
    let mut begins = alloc::vec![(0, 0); channels];
    for (node, kind) in nodes.iter().enumerate() {
        let Node::Host(host) = kind else { continue };
        for (index, terminal) in host.terminals.iter().enumerate() {
            begins[terminal.channel.index()] = (node, index);
        }
    }
    begins
}

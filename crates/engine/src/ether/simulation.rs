//! A simulation of a network of hosts and switches joined by Ethernet.

use alloc::sync::Arc;
use alloc::vec::Vec;

use super::build::{Parts, build};
use super::frame::LEAST_ON_WIRE;
use super::line::OctetClock;
use super::node::{Network, Node};
use super::plan::{Plan, PlanError, change, least_transit};
use super::reserves::Reserves;
use super::transport::{Link, Links};
use super::window::Window;
use crate::kernel::Ps;
use crate::net::simulation::LinkFacts;
use crate::net::{LinkPlan, Stopwatch, partition, simulation};

/// Hosts and switches joined by Ethernet.
pub type Simulation = simulation::Simulation<Node>;
/// A partition of a simulation, made by [`Simulation::divide`](simulation::Simulation::divide).
pub type Part = partition::Part<Node>;

impl Simulation {
    /// A simulation at time zero.
    ///
    /// # Errors
    /// If the plan is invalid; see [`PlanError`].
    pub fn new(plan: Plan) -> Result<Simulation, PlanError> {
        plan.check()?;
        change::check(&plan)?;
        Reserves::of(&plan).map_or(Ok(()), |reserves| reserves.check())?;
        let Parts {
            nodes,
            inboxes,
            begins,
        } = build(&plan);
        let links = Links::new(plan.links.iter().map(|_| Link::new(false)));
        let lines: Vec<LinkFacts> = plan.links.iter().map(facts).collect();
        let network = Network {
            begins: begins.into(),
            window: Window::default(),
            changed: 0,
            plan: Arc::new(plan),
        };
        Ok(Simulation::of_nodes(nodes, inboxes, links, lines, network))
    }

    /// The plan that the simulation was built from.
    pub fn plan(&self) -> &Plan {
        &self.network.plan
    }

    /// Processes all events before `until`. The result does not depend on the division of a run into calls.
    pub fn run_until(&mut self, until: Ps) {
        self.run_timed(until, &mut ());
    }

    /// As [`Simulation::run_until`](simulation::Simulation::run_until), with a stopwatch that has no effect
    /// on the result.
    pub fn run_timed(&mut self, until: Ps, stopwatch: &mut impl Stopwatch) {
        while self.next_change() < until {
            self.advance(self.next_change(), stopwatch);
            self.make_next_change();
        }
        self.advance(until, stopwatch);
    }

    /// Processes all events before `until` by the plain schedule, the reference for the fast one: instant
    /// after instant, and at each instant all nodes in order, without lookahead.
    pub fn run_plainly(&mut self, until: Ps) {
        while self.next_change() < until {
            self.advance_plainly(self.next_change());
            self.make_next_change();
        }
        self.advance_plainly(until);
    }

    fn advance_plainly(&mut self, until: Ps) {
        loop {
            let now = self.earliest();
            if now >= until {
                break;
            }
            for node in 0..self.stations.len() {
                self.instant(node, now);
            }
        }
        self.advance(until, &mut ());
    }
}

/// Facts about a link for the transport [`crate::net`]. The smallest unit is the shortest frame with its
/// preamble.
fn facts(link: &LinkPlan) -> LinkFacts {
    LinkFacts {
        from: link.from,
        to: link.to,
        delay: link.delay,
        unit: OctetClock::new(link.rate).ceil(LEAST_ON_WIRE),
        lookahead: least_transit(link),
    }
}

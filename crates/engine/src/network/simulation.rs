//! A simulation at work: which node goes next, and how far it may go alone.

use alloc::vec::Vec;

use super::build::{Channel, Node, Parts, PlanError, build};
use super::inbox::Inbox;
use super::measure::Window;
use super::plan::{LinkPlan, Plan};
use crate::atm::link::Link;
use crate::atm::server::{LazyServer, Server};
use crate::kernel::{Ps, Tournament};

/// How long a node on which nothing depends, or that depends on nothing, works in one turn at
/// least, in cell times of its links: long enough to be worth a turn, short enough for the cache.
const UNTIED_CELLS: u64 = 128;

/// How a node is tied to the others.
#[derive(Clone, Copy, Debug)]
struct Ties {
    /// What reaches the node after an event elsewhere takes at least this long. For a node that
    /// nothing reaches, the length of a turn.
    lookahead: Ps,
    /// How long the node may lag behind its arrivals: above zero only if it sends nothing.
    lag: Ps,
}

/// Nodes joined by links. Each works alone for as long as nothing that is not on its links yet can
/// reach it; then the node with the earliest event goes next.
pub struct Simulation<S: Server = LazyServer> {
    pub(super) plan: Plan,
    pub(super) nodes: Vec<Node<S>>,
    pub(super) inboxes: Vec<Inbox>,
    pub(super) links: Vec<Link>,
    pub(super) channels: Vec<Channel>,
    /// Node and terminal of the source and the destination of each flow.
    pub(super) ends: Vec<[(usize, usize); 2]>,
    pub(super) window: Window,
    /// For each link, its place among the inputs of the node it leads to.
    input_of: Vec<u32>,
    ties: Vec<Ties>,
    schedule: Tournament,
    fresh: Vec<u32>,
    pub(super) now: Ps,
    /// Most cells held on links and in queues at the end of a slice, and their bytes then.
    pub(super) peak: (usize, usize),
}

impl<S: Server> Simulation<S> {
    /// A simulation at time zero.
    ///
    /// # Errors
    /// If a flow's path is not one, see [`PlanError`]. Scenario files are checked before.
    pub fn new(plan: Plan) -> Result<Simulation<S>, PlanError> {
        let Parts { nodes, inboxes, channels } = build(&plan)?;
        let mut input_of = alloc::vec![0; plan.links.len()];
        for inbox in &inboxes {
            for (input, link) in inbox.links().iter().enumerate() {
                input_of[*link as usize] = input as u32;
            }
        }
        let ties = Ties::of_all(&plan.links, &inboxes);
        let mut schedule = Tournament::new(nodes.len());
        for (index, node) in nodes.iter().enumerate() {
            schedule.set(index, node.next_event());
        }
        let links = plan.links.iter().map(|_| Link::default()).collect();
        Ok(Simulation {
            ends: ends(&nodes, plan.flows.len()),
            window: Window::default(),
            plan,
            nodes,
            inboxes,
            links,
            channels,
            input_of,
            ties,
            schedule,
            fresh: Vec::new(),
            now: Ps::ZERO,
            peak: (0, 0),
        })
    }

    /// What the simulation was built from.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }
    /// Everything before this instant has happened.
    pub fn now(&self) -> Ps {
        self.now
    }

    /// Lets everything before `until` happen. How a run is sliced changes nothing.
    pub fn run_until(&mut self, until: Ps) {
        loop {
            let (at, node) = self.schedule.first();
            if at >= until {
                break;
            }
            // Whatever is not on its way yet begins with an event elsewhere, at `at` or later.
            let horizon = at.saturating_add(self.ties[node].lookahead).min(until);
            self.turn(node, horizon);
        }
        for node in 0..self.nodes.len() {
            if self.inboxes[node].first().0 < until {
                self.turn(node, until);
            }
        }
        self.now = until;
        self.note_storage();
    }

    fn turn(&mut self, node: usize, horizon: Ps) {
        let (inbox, fresh) = (&mut self.inboxes[node], &mut self.fresh);
        match &mut self.nodes[node] {
            Node::Host(host) => host.turn(inbox, &mut self.links, horizon, fresh),
            Node::Switch(switch) => switch.turn(inbox, &mut self.links, horizon, fresh),
        }
        self.reschedule(node);
        self.tell_receivers();
    }

    fn reschedule(&mut self, node: usize) {
        let arrival = self.inboxes[node].first().0.saturating_add(self.ties[node].lag);
        self.schedule.set(node, arrival.min(self.nodes[node].next_event()));
    }

    /// Links that were empty and are no longer get their place in the receivers' merges.
    fn tell_receivers(&mut self) {
        while let Some(link) = self.fresh.pop() {
            let at = self.links[link as usize].next_arrival();
            let node = self.plan.links[link as usize].to;
            self.inboxes[node].expect(self.input_of[link as usize] as usize, at);
            let due = at.saturating_add(self.ties[node].lag);
            if due < self.schedule.get(node) {
                self.schedule.set(node, due);
            }
        }
    }

    fn note_storage(&mut self) {
        let (mut cells, mut bytes) = (0, 0);
        for link in &self.links {
            cells += link.len();
            bytes += link.bytes();
        }
        for node in &self.nodes {
            for (port, _) in node.ports() {
                let (port_bytes, port_cells) = port.storage();
                cells += port_cells;
                bytes += port_bytes;
            }
        }
        if cells > self.peak.0 {
            self.peak = (cells, bytes);
        }
    }
}

fn ends<S>(nodes: &[Node<S>], flows: usize) -> Vec<[(usize, usize); 2]> {
    let mut ends = alloc::vec![[(0, 0); 2]; flows];
    for (node, kind) in nodes.iter().enumerate() {
        let Node::Host(host) = kind else { continue };
        for (index, terminal) in host.terminals.iter().enumerate() {
            let channel = terminal.channel as usize;
            ends[channel / 2][channel % 2] = (node, index);
        }
    }
    ends
}

impl Ties {
    fn of_all(links: &[LinkPlan], inboxes: &[Inbox]) -> Vec<Ties> {
        let untied = |link: &LinkPlan| Ps(link.rate.cell_time_ceil().0 * UNTIED_CELLS).max(link.delay);
        let mut sends = alloc::vec![None; inboxes.len()];
        let used = inboxes.iter().flat_map(|inbox| inbox.links()).map(|link| &links[*link as usize]);
        for link in used {
            let shortest: &mut Option<Ps> = &mut sends[link.from];
            *shortest = Some(shortest.map_or(untied(link), |turn| turn.min(untied(link))));
        }
        let tie = |(inbox, sends): (&Inbox, Option<Ps>)| {
            let used = inbox.links().iter().map(|link| &links[*link as usize]);
            let lookahead = used.clone().map(|link| link.delay + link.rate.cell_time_floor()).min();
            let lag = if sends.is_some() { None } else { used.map(untied).min() };
            Ties { lookahead: lookahead.or(sends).unwrap_or(Ps::from_ms(1)), lag: lag.unwrap_or(Ps::ZERO) }
        };
        inboxes.iter().zip(sends).map(tie).collect()
    }
}

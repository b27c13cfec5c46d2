//! The fast simulation: the order in which nodes are processed, and how far each may advance alone.

use alloc::sync::Arc;
use alloc::vec::Vec;

use super::build::{Parts, build};
use super::channel::{Channel, ChannelId};
use super::event::Event;
use super::inbox::Inbox;
use super::links::Links;
use super::node::Node;
use super::plan::{LinkPlan, Plan, PlanError, change};
use super::schedule::Schedule;
use super::stopwatch::Stopwatch;
use super::storage::Storage;
use super::window::Window;
use crate::atm::link::Link;
use crate::atm::server::{BuildServer, Departure, LazyServer, Server};
use crate::discard::Cause;
use crate::kernel::Ps;

/// Least length of a turn, in cell times of its links, for a node that receives from or sends to no
/// other: long enough to outweigh the cost of a turn, short enough for the cache.
const UNTIED_CELLS: u64 = 512;

/// Greatest lookahead of a host that sends cells ahead, in cell times of its links: with a longer one
/// its turns are long enough.
const AHEAD_CELLS: u64 = 64;

/// Turns within a call between two measurements of the storage, which look at every node: some
/// thousands, or as many as there are nodes if that is more.
pub(super) fn turns_until_look(nodes: usize) -> u32 {
    const TURNS: u32 = 1 << 12;
    TURNS.max(nodes as u32)
}

/// Relations of a node to the others.
#[derive(Clone, Debug)]
pub(super) struct Ties {
    /// Least time from an event elsewhere to its effect at the node. For a node without senders,
    /// the length of a turn; `NEVER` if its senders are in other parts.
    lookahead: Ps,
    /// Time by which the node may lag behind its arrivals; above zero only if it sends nothing.
    lag: Ps,
    /// True if the lookahead is so short that the node should send cells ahead.
    is_near: bool,
    /// Nodes that send to this one, each with the least transit time of a cell.
    senders: Vec<(u32, Ps)>,
    /// Instant before which all arrivals are on a link already.
    safe_until: Ps,
    /// Number of further turns in which the clocks of the senders are not read, because they
    /// brought no gain.
    patience: u32,
    /// Value of `patience` after the next reading without gain.
    patience_next: u32,
}

/// A node and its scheduling data, stored together because every turn needs all of them.
#[derive(Clone)]
pub(super) struct Station<S> {
    pub(super) node: Node<S>,
    pub(super) inbox: Inbox,
    pub(super) ties: Ties,
    /// Instant before which the node has processed everything.
    pub(super) clock: Ps,
}

/// The node at the far end of a link.
#[derive(Clone, Copy, Debug)]
pub(super) struct Receiver {
    /// Its number; [`NOWHERE`] if it belongs to another part.
    pub(super) node: u32,
    /// Index of the link among the node's inputs.
    pub(super) input: u32,
    /// Copied from the node's [`Ties`].
    pub(super) lag: Ps,
}

/// Number of a node, or of the node of a channel's end, that is not among those of a simulation:
/// one of another part.
pub(super) const NOWHERE: u32 = u32::MAX;

/// Largest number of turns between two readings of the senders' clocks.
const MOST_PATIENCE: u32 = 64;

/// Nodes joined by links. Each node is processed alone, up to the earliest time at which a cell
/// could reach it that is not on its links yet; then the node with the earliest event is next.
#[derive(Clone)]
pub struct Simulation<S: Server = LazyServer> {
    pub(super) plan: Arc<Plan>,
    pub(super) stations: Vec<Station<S>>,
    pub(super) links: Links,
    pub(super) channels: Arc<[Channel]>,
    /// By link and slot, the channels whose cells the link may lose without an event; empty if links
    /// lose none.
    pub(super) lossy_channels: Arc<[Vec<ChannelId>]>,
    /// For each channel: node and terminal that it leaves.
    pub(super) begins: Vec<(usize, usize)>,
    pub(super) window: Window,
    /// For each link, the node that receives its cells.
    pub(super) receivers: Vec<Receiver>,
    /// Links to another part that hold cells which have not been posted, or have held some that were
    /// taken back.
    pub(super) leaving: Vec<u32>,
    pub(super) schedule: Schedule,
    /// Least time from an event to its effect at another node.
    pub(super) least_lookahead: Ps,
    pub(super) now: Ps,
    /// Number of changes of the plan that have been made.
    pub(super) changed: usize,
    /// The largest storage seen, and the last.
    pub(super) peak: Storage,
    pub(super) held: Storage,
    /// Turns until the next measurement.
    pub(super) until_look: u32,
}

impl<S: BuildServer> Simulation<S> {
    /// A simulation at time zero.
    ///
    /// # Errors
    /// If the path of a flow is invalid, see [`PlanError`]. Scenario files are checked before.
    pub fn new(plan: Plan) -> Result<Simulation<S>, PlanError> {
        change::check(&plan)?;
        let Parts {
            nodes,
            inboxes,
            channels,
            lossy_channels,
        } = build(&plan)?;
        let ties = Ties::of_all(&plan.links, &inboxes);
        let schedule = Schedule::new(nodes.iter().map(Node::next_event));
        // A host with one link may handle cells without bodies late, because their order is known;
        // with several links it would have to merge them.
        let patient = |link: &LinkPlan| {
            matches!(&nodes[link.to], Node::Host(_))
                && !nodes[link.to].is_prompt()
                && inboxes[link.to].links().len() == 1
        };
        let links = Links::new(plan.links.iter().map(|link| Link::new(patient(link))));
        Ok(Simulation {
            receivers: receivers(&plan.links, &inboxes, &ties),
            leaving: Vec::new(),
            begins: begins(&nodes, channels.len()),
            window: Window::default(),
            stations: stations(nodes, inboxes, ties),
            links,
            channels: channels.into(),
            lossy_channels: lossy_channels.into(),
            schedule,
            least_lookahead: plan.links.iter().map(lookahead).min().unwrap_or(Ps::NEVER),
            now: Ps::ZERO,
            changed: 0,
            peak: Storage::default(),
            held: Storage::default(),
            until_look: turns_until_look(plan.nodes.len()),
            plan: Arc::new(plan),
        })
    }
}

impl<S: Server> Simulation<S> {
    /// The plan that the simulation was built from.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }
    /// Instant before which everything has been processed.
    pub fn now(&self) -> Ps {
        self.now
    }
    /// The largest storage measured so far. The engine measures from time to time, depending on how
    /// a run is divided into calls.
    pub fn peak_storage(&self) -> Storage {
        self.peak
    }

    /// The storage measured last: that of now after [`Simulation::run_until`].
    pub fn storage(&self) -> Storage {
        self.held
    }

    /// Processes everything before `until`. The result does not depend on how a run is divided into
    /// calls.
    pub fn run_until(&mut self, until: Ps) {
        self.run_timed(until, &mut ());
    }

    /// The same, measured by a stopwatch, which has no effect on the result.
    pub fn run_timed(&mut self, until: Ps, stopwatch: &mut impl Stopwatch) {
        while self.next_change() < until {
            self.advance(self.next_change(), stopwatch);
            self.make_next_change();
        }
        self.advance(until, stopwatch);
    }

    /// [`Simulation::run_timed`] without a change on the way.
    fn advance(&mut self, until: Ps, stopwatch: &mut impl Stopwatch) {
        self.work(until, until, stopwatch);
        self.catch_up(until, stopwatch);
        self.note_storage();
    }

    /// Processes every event before `until` from which something follows for another node. Nodes
    /// that send nothing may lag behind; nodes that nothing reaches may run ahead, up to `limit`.
    pub(super) fn work(&mut self, until: Ps, limit: Ps, stopwatch: &mut impl Stopwatch) {
        loop {
            let at = self.schedule.first();
            if at >= until {
                break;
            }
            // What happens at a node in this round affects no other before the bound, hence no
            // other that is due in it before its own horizon.
            let bound = at.saturating_add(self.least_lookahead).min(until);
            for node in self.schedule.round(bound) {
                let horizon = self.horizon(at, node, until, limit);
                self.turn(node, horizon, until);
                stopwatch.lap(node);
                self.until_look -= 1;
                if self.until_look == 0 {
                    self.note_storage();
                }
            }
        }
    }

    /// Processes the rest of what happens before `until`, after [`Simulation::work`].
    pub(super) fn catch_up(&mut self, until: Ps, stopwatch: &mut impl Stopwatch) {
        for node in 0..self.stations.len() {
            let mut incoming = self.stations[node].inbox.links().iter();
            if incoming.any(|link| self.links[*link as usize].next_arrival() < until) {
                self.turn(node, until, until);
                stopwatch.lap(node);
            }
        }
        self.settle(until);
        self.tell_receivers();
        self.now = until;
    }

    /// Processes completions before `until` that have no further effects: at ports that report the
    /// others, and of cells that their links lose.
    fn settle(&mut self, until: Ps) {
        let last = Ps(until.0.saturating_sub(1));
        if !self.lossy_channels.is_empty() {
            self.log_losses(last);
        }
        let prompt = self
            .stations
            .iter_mut()
            .filter(|station| station.node.is_prompt());
        for (port, link) in prompt.flat_map(|station| station.node.ports_mut()) {
            port.advance(last, &mut self.links.outlet(*link));
        }
    }

    /// Logs the cells that links have lost until `last`.
    fn log_losses(&mut self, last: Ps) {
        for station in &mut self.stations {
            let (ports, log) = station.node.ports_and_log();
            let mut losses = Vec::new();
            for (port, link) in ports {
                let channels = &self.lossy_channels[*link as usize];
                let lost = port.take_losses(last).into_iter();
                losses.extend(lost.map(|Departure { at, slot, info, .. }| {
                    Event::loss(at, (channels[slot as usize], *link), Cause::LinkError, info)
                }));
            }
            // At one instant in the order of the ports.
            losses.sort_by_key(|loss| loss.at);
            log.add_losses(losses);
        }
    }

    /// Time up to which `node` may be processed alone, if the earliest event of all is at `at`: at most
    /// `until`, or `limit` if nothing reaches it.
    fn horizon(&mut self, at: Ps, node: usize, until: Ps, limit: Ps) -> Ps {
        let ties = &mut self.stations[node].ties;
        if ties.senders.is_empty() {
            if ties.lookahead == Ps::NEVER {
                return until;
            }
            // Such nodes end their turns at the same times, so that their receivers have long
            // turns, too.
            return Ps((self.schedule.get(node).0 / ties.lookahead.0)
                .saturating_add(1)
                .saturating_mul(ties.lookahead.0))
            .min(limit);
        }
        self.tied_horizon(at, node).min(until)
    }

    /// The same for a node with senders, whatever may be processed at all.
    #[inline]
    fn tied_horizon(&mut self, at: Ps, node: usize) -> Ps {
        let ties = &mut self.stations[node].ties;
        // A cell that is not on its way yet follows from an event elsewhere, at `at` or later.
        let anyway = at.saturating_add(ties.lookahead);
        if ties.safe_until > anyway {
            return ties.safe_until;
        }
        if ties.patience > 0 {
            ties.patience -= 1;
            return anyway;
        }
        let clock = |sender: u32| self.stations[sender as usize].clock;
        let told = self.stations[node]
            .ties
            .senders
            .iter()
            .map(|(sender, way)| clock(*sender).max(at).saturating_add(*way));
        let told = told.min().unwrap_or(anyway);
        let ties = &mut self.stations[node].ties;
        ties.safe_until = told;
        if ties.safe_until.0 - at.0 < 2 * ties.lookahead.0 {
            ties.patience = ties.patience_next;
            ties.patience_next = (2 * ties.patience_next).min(MOST_PATIENCE);
        } else {
            ties.patience_next = 1;
        }
        ties.safe_until.max(anyway)
    }

    /// Measures the storage now.
    pub(super) fn note_storage(&mut self) {
        self.held = Storage::of(&self.links, self.nodes());
        if self.held.cells > self.peak.cells {
            self.peak = self.held;
        }
        self.until_look = turns_until_look(self.stations.len());
    }

    /// Lets `node` process what happens before `horizon`, and send cells ahead until `ahead` if that
    /// pays.
    #[inline(always)]
    fn turn(&mut self, node: usize, horizon: Ps, ahead: Ps) {
        let station = &mut self.stations[node];
        let ahead = if station.ties.is_near { ahead } else { horizon };
        let next_event = match &mut station.node {
            Node::Host(host) => {
                host.turn(&mut station.inbox, &mut self.links, horizon, ahead);
                host.next_event()
            }
            Node::Switch(switch) => {
                switch.turn(&mut station.inbox, &mut self.links, horizon);
                switch.next_event()
            }
        };
        station.clock = horizon;
        let arrival = station.inbox.first().saturating_add(station.ties.lag);
        self.schedule.set(node, arrival.min(next_event));
        self.tell_receivers();
    }

    /// Schedules a node whose own next event may have changed.
    pub(super) fn reschedule(&mut self, node: usize) {
        let station = &self.stations[node];
        let arrival = station.inbox.first().saturating_add(station.ties.lag);
        let next = arrival.min(station.node.next_event());
        self.schedule.set(node, next);
    }

    /// Every node, in order.
    pub(super) fn nodes(&self) -> impl Iterator<Item = &Node<S>> {
        self.stations.iter().map(|station| &station.node)
    }

    /// The node at the far end of a link, and the index of the link among its inputs.
    pub(super) fn receiver(&self, link: usize) -> (usize, usize) {
        let Receiver { node, input, .. } = self.receivers[link];
        (node as usize, input as usize)
    }

    /// Updates the receivers of links whose first cell has changed.
    #[inline(always)]
    pub(super) fn tell_receivers(&mut self) {
        while let Some((link, at)) = self.links.pop_fresh() {
            let Receiver { node, input, lag } = self.receivers[link as usize];
            let Some(station) = self.stations.get_mut(node as usize) else {
                // The node belongs to another part, which is told by mail.
                self.leaving.push(link);
                continue;
            };
            station.inbox.expect(input as usize, at);
            let due = at.saturating_add(lag);
            self.schedule.bring_forward(node as usize, due);
        }
    }
}

/// Least time from an event at one end of a link to its effect at the other.
pub(super) fn lookahead(link: &LinkPlan) -> Ps {
    link.delay + link.rate.cell_time_floor()
}

fn receivers(links: &[LinkPlan], inboxes: &[Inbox], ties: &[Ties]) -> Vec<Receiver> {
    let receiver = |link: &LinkPlan| Receiver {
        node: link.to as u32,
        input: 0,
        lag: ties[link.to].lag,
    };
    let mut receivers: Vec<Receiver> = links.iter().map(receiver).collect();
    for inbox in inboxes {
        for (input, link) in inbox.links().iter().enumerate() {
            receivers[*link as usize].input = input as u32;
        }
    }
    receivers
}

fn stations<S>(nodes: Vec<Node<S>>, inboxes: Vec<Inbox>, ties: Vec<Ties>) -> Vec<Station<S>> {
    let parts = nodes.into_iter().zip(inboxes).zip(ties);
    parts
        .map(|((node, inbox), ties)| Station {
            node,
            inbox,
            ties,
            clock: Ps::ZERO,
        })
        .collect()
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

impl Ties {
    /// The same among the nodes of a part. `number` gives the number there of a node; `None` if it
    /// belongs to another part, all of whose cells have been collected when the part works.
    pub(super) fn within(&self, number: impl Fn(u32) -> Option<u32>) -> Ties {
        let inner = self.senders.iter();
        let inner = inner.filter_map(|(sender, way)| Some((number(*sender)?, *way)));
        let senders: Vec<(u32, Ps)> = inner.collect();
        let shortest = senders.iter().map(|(_, way)| *way).min();
        let lookahead = if self.senders.is_empty() {
            self.lookahead
        } else {
            // With senders in other parts only, a turn may take all that has been collected.
            shortest.unwrap_or(Ps::NEVER)
        };
        Ties {
            lookahead,
            lag: self.lag,
            is_near: self.is_near,
            senders,
            safe_until: Ps::ZERO,
            patience: 0,
            patience_next: 1,
        }
    }

    fn of_all(links: &[LinkPlan], inboxes: &[Inbox]) -> Vec<Ties> {
        let untied =
            |link: &LinkPlan| Ps(link.rate.cell_time_ceil().0 * UNTIED_CELLS).max(link.delay);
        let mut sends = alloc::vec![None; inboxes.len()];
        let used = inboxes
            .iter()
            .flat_map(|inbox| inbox.links())
            .map(|link| &links[*link as usize]);
        for link in used {
            let shortest: &mut Option<Ps> = &mut sends[link.from];
            *shortest = Some(shortest.map_or(untied(link), |turn| turn.min(untied(link))));
        }
        let tie = |(inbox, sends): (&Inbox, Option<Ps>)| {
            let used = inbox.links().iter().map(|link| &links[*link as usize]);
            let least = used.clone().map(lookahead).min();
            let lag = if sends.is_some() {
                None
            } else {
                used.clone().map(untied).min()
            };
            let way = |link: &LinkPlan| (link.from as u32, lookahead(link));
            let near =
                |link: &LinkPlan| lookahead(link).0 <= AHEAD_CELLS * link.rate.cell_time_floor().0;
            Ties {
                lookahead: least.or(sends).unwrap_or(Ps::from_ms(1)),
                is_near: used.clone().any(near),
                lag: lag.unwrap_or(Ps::ZERO),
                senders: used.map(way).collect(),
                safe_until: Ps::ZERO,
                patience: 0,
                patience_next: 1,
            }
        };
        inboxes.iter().zip(sends).map(tie).collect()
    }
}

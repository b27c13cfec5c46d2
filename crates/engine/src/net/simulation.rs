//! The fast simulation: the order in which nodes are processed, and how far each may advance alone.

use alloc::sync::Arc;
use alloc::vec::Vec;

use super::inbox::Inbox;
use super::links::Links;
use super::node::Node;
use super::schedule::Schedule;
use super::stopwatch::Stopwatch;
use super::storage::Storage;
use super::unit::Word;
use crate::kernel::Ps;

/// Facts about a link that the link layer gives, which defines the units and so their least size.
#[derive(Clone, Copy, Debug)]
pub struct LinkFacts {
    /// Node that sends.
    pub from: usize,
    /// Node that receives.
    pub to: usize,
    /// Propagation delay of the link.
    pub delay: Ps,
    /// Time of a least unit, rounded up.
    pub unit: Ps,
    /// Least time from an event at one end to its effect at the other: the propagation and the time of a
    /// least unit, rounded down.
    pub lookahead: Ps,
}

/// Least length of a turn, in least units of its links, for a node that receives from or sends to no
/// other: long enough to outweigh the cost of a turn, short enough for the cache.
const UNTIED_UNITS: u64 = 512;

/// Greatest lookahead of a node that sends units ahead, in least units of its links: with a longer one the
/// node's turns are long enough.
const AHEAD_UNITS: u64 = 64;

/// Turns within a call between two measurements of the storage, which visit every node: some
/// thousands, or as many as there are nodes if that is more.
pub(crate) fn turns_until_look(nodes: usize) -> u32 {
    const TURNS: u32 = 1 << 12;
    TURNS.max(nodes as u32)
}

/// Relations of a node to the nodes from which it receives units.
#[derive(Clone, Debug)]
pub(crate) struct Ties {
    /// Least time from an event elsewhere to its effect at the node. For a node without senders,
    /// the length of a turn; `NEVER` if its senders are in other parts.
    lookahead: Ps,
    /// Time by which the node may lag behind its arrivals; above zero only if it sends nothing.
    lag: Ps,
    /// True if the lookahead is so short that the node should send units ahead of time.
    is_near: bool,
    /// Nodes that send to this one, each with the least transit time of a unit.
    senders: Vec<(u32, Ps)>,
    /// Instant before which all arrivals are on a link already.
    safe_until: Ps,
    /// Number of further turns in which the clocks of the senders are not read, because the last
    /// readings brought no gain.
    patience: u32,
    /// Value of `patience` after the next reading without gain.
    patience_next: u32,
}

/// A node and its scheduling data, stored together because every turn needs all of them.
#[derive(Clone)]
pub(crate) struct Station<N: Node> {
    pub(crate) node: N,
    pub(crate) inbox: Inbox<N::Word>,
    pub(crate) ties: Ties,
    /// Instant before which the node has processed everything.
    pub(crate) clock: Ps,
}

/// The node at the far end of a link.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Receiver {
    /// Number of the receiving node; [`NOWHERE`] if the node belongs to another part.
    pub(crate) node: u32,
    /// Index of the link among the node's inputs.
    pub(crate) input: u32,
    /// Value of `lag` in the node's [`Ties`].
    pub(crate) lag: Ps,
}

/// Stands for the number of a node that belongs to another part of the simulation.
pub(crate) const NOWHERE: u32 = u32::MAX;

/// Largest number of turns between two readings of the senders' clocks.
const MOST_PATIENCE: u32 = 64;

/// Nodes joined by links. A node is processed alone, up to the earliest time at which a unit could
/// reach it that is not on its links yet. Then the node with the earliest event is next.
#[derive(Clone)]
pub struct Simulation<N: Node> {
    pub(crate) stations: Vec<Station<N>>,
    pub(crate) links: Links<N::Word>,
    /// State of the link layer beside the nodes.
    pub(crate) network: N::Network,
    pub(crate) lines: Arc<[LinkFacts]>,
    /// For each link, the node that receives its units.
    pub(crate) receivers: Vec<Receiver>,
    /// Links to another part that hold units which have not been posted, or that held units which
    /// were taken back.
    pub(crate) leaving: Vec<u32>,
    pub(crate) schedule: Schedule,
    /// Least time from an event to its effect at another node.
    pub(crate) least_lookahead: Ps,
    pub(crate) now: Ps,
    /// The largest storage measured so far. `held` is the storage measured last.
    pub(crate) peak: Storage,
    pub(crate) held: Storage,
    /// Number of turns until the storage is measured next.
    pub(crate) until_look: u32,
}

impl<N: Node> Simulation<N> {
    /// A simulation at time zero of nodes with their inboxes, and links without units.
    pub(crate) fn of_nodes(
        nodes: Vec<N>,
        inboxes: Vec<Inbox<N::Word>>,
        links: Links<N::Word>,
        lines: Vec<LinkFacts>,
        network: N::Network,
    ) -> Simulation<N> {
        let ties = Ties::of_all(&lines, &inboxes);
        Simulation {
            schedule: Schedule::new(nodes.iter().map(Node::next_event)),
            receivers: receivers(&lines, &inboxes, &ties),
            leaving: Vec::new(),
            until_look: turns_until_look(nodes.len()),
            stations: stations(nodes, inboxes, ties),
            links,
            network,
            least_lookahead: lines
                .iter()
                .map(|line| line.lookahead)
                .min()
                .unwrap_or(Ps::NEVER),
            lines: lines.into(),
            now: Ps::ZERO,
            peak: Storage::default(),
            held: Storage::default(),
        }
    }

    /// Instant before which everything has been processed.
    pub fn now(&self) -> Ps {
        self.now
    }
    /// The largest storage measured so far. The storage is measured from time to time, at instants
    /// that depend on how a run is divided into calls.
    pub fn peak_storage(&self) -> Storage {
        self.peak
    }

    /// The storage measured last; after [`Simulation::run_until`] it is that of the present instant.
    pub fn storage(&self) -> Storage {
        self.held
    }

    /// Processes everything before `until`. The result does not depend on how a run is divided into
    /// calls, nor on the stopwatch.
    pub(crate) fn advance(&mut self, until: Ps, stopwatch: &mut impl Stopwatch) {
        self.work(until, until, stopwatch);
        self.catch_up(until, stopwatch);
        self.note_storage();
    }

    /// Processes every event before `until` that affects another node. Nodes that send nothing may
    /// lag behind; nodes that nothing reaches may run ahead, up to `limit`.
    pub(crate) fn work(&mut self, until: Ps, limit: Ps, stopwatch: &mut impl Stopwatch) {
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

    /// Processes the events before `until` that [`Simulation::work`] has left.
    pub(crate) fn catch_up(&mut self, until: Ps, stopwatch: &mut impl Stopwatch) {
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

    /// Processes completions before `until` that cause nothing else.
    fn settle(&mut self, until: Ps) {
        let last = Ps(until.0.saturating_sub(1));
        for station in &mut self.stations {
            station.node.settle(last, &mut self.links, &self.network);
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

    /// Time up to which a node with senders may be processed alone, without regard to the end of
    /// the call.
    #[inline]
    fn tied_horizon(&mut self, at: Ps, node: usize) -> Ps {
        let ties = &mut self.stations[node].ties;
        // A unit that is not on its way yet follows from an event elsewhere, at `at` or later.
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

    /// Measures the storage of all units now.
    pub(crate) fn note_storage(&mut self) {
        let mut held = Storage::of_links(&self.links);
        self.nodes().for_each(|node| node.add_storage(&mut held));
        self.held = held;
        if self.held.units > self.peak.units {
            self.peak = self.held;
        }
        self.until_look = turns_until_look(self.stations.len());
    }

    /// Processes the events of `node` before `horizon`. A node with a short lookahead may also send units
    /// that are due from `horizon` to `ahead`.
    #[inline(always)]
    fn turn(&mut self, node: usize, horizon: Ps, ahead: Ps) {
        let station = &mut self.stations[node];
        let ahead = if station.ties.is_near { ahead } else { horizon };
        let inbox = &mut station.inbox;
        let next_event = station.node.turn(inbox, &mut self.links, horizon, ahead);
        station.clock = horizon;
        let arrival = station.inbox.first().saturating_add(station.ties.lag);
        self.schedule.set(node, arrival.min(next_event));
        self.tell_receivers();
    }

    /// Schedules a node whose own next event may have changed.
    pub(crate) fn reschedule(&mut self, node: usize) {
        let station = &self.stations[node];
        let arrival = station.inbox.first().saturating_add(station.ties.lag);
        let next = arrival.min(station.node.next_event());
        self.schedule.set(node, next);
    }

    /// Every node, in order.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = &N> {
        self.stations.iter().map(|station| &station.node)
    }

    /// Number of the node at the far end of a link, and index of the link among that node's inputs.
    pub(crate) fn receiver(&self, link: usize) -> (usize, usize) {
        let Receiver { node, input, .. } = self.receivers[link];
        (node as usize, input as usize)
    }

    /// Updates the receivers of links whose first unit has changed.
    #[inline(always)]
    pub(crate) fn tell_receivers(&mut self) {
        while let Some((link, at)) = self.links.pop_fresh() {
            let Receiver { node, input, lag } = self.receivers[link as usize];
            let Some(station) = self.stations.get_mut(node as usize) else {
                // The node belongs to another part, which gets the time by mail.
                self.leaving.push(link);
                continue;
            };
            station.inbox.expect(input as usize, at);
            let due = at.saturating_add(lag);
            self.schedule.bring_forward(node as usize, due);
        }
    }
}

fn receivers<W: Word>(lines: &[LinkFacts], inboxes: &[Inbox<W>], ties: &[Ties]) -> Vec<Receiver> {
    let receiver = |line: &LinkFacts| Receiver {
        node: line.to as u32,
        input: 0,
        lag: ties[line.to].lag,
    };
    let mut receivers: Vec<Receiver> = lines.iter().map(receiver).collect();
    for inbox in inboxes {
        for (input, link) in inbox.links().iter().enumerate() {
            receivers[*link as usize].input = input as u32;
        }
    }
    receivers
}

fn stations<N: Node>(
    nodes: Vec<N>,
    inboxes: Vec<Inbox<N::Word>>,
    ties: Vec<Ties>,
) -> Vec<Station<N>> {
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

impl Ties {
    /// The ties among the nodes of a part alone. `number` gives the number of a node within the
    /// part. It is `None` for a node of another part, whose units have all been collected when the
    /// part is processed.
    pub(crate) fn within(&self, number: impl Fn(u32) -> Option<u32>) -> Ties {
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

    fn of_all<W: Word>(lines: &[LinkFacts], inboxes: &[Inbox<W>]) -> Vec<Ties> {
        let untied = |line: &LinkFacts| Ps(line.unit.0 * UNTIED_UNITS).max(line.delay);
        let mut sends = alloc::vec![None; inboxes.len()];
        let used = inboxes
            .iter()
            .flat_map(|inbox| inbox.links())
            .map(|link| &lines[*link as usize]);
        for line in used {
            let shortest: &mut Option<Ps> = &mut sends[line.from];
            *shortest = Some(shortest.map_or(untied(line), |turn| turn.min(untied(line))));
        }
        let tie = |(inbox, sends): (&Inbox<W>, Option<Ps>)| {
            let used = inbox.links().iter().map(|link| &lines[*link as usize]);
            let least = used.clone().map(|line| line.lookahead).min();
            let lag = if sends.is_some() {
                None
            } else {
                used.clone().map(untied).min()
            };
            let way = |line: &LinkFacts| (line.from as u32, line.lookahead);
            let near = |line: &LinkFacts| line.lookahead.0 <= AHEAD_UNITS * line.unit.0;
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

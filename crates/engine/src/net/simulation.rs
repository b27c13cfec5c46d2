//! The simulation loop of the fast engine. The loop decides which node is processed next, and up to which time a
//! node may be processed without the other nodes.

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

/// Facts about a link that the link layer (ATM or Ethernet) states. The link layer defines the
/// units (cells or frames), hence the size of the smallest unit.
#[derive(Clone, Copy, Debug)]
pub struct LinkFacts {
    /// Index of the sending node.
    pub from: usize,
    /// Index of the receiving node.
    pub to: usize,
    /// Propagation delay of the link.
    pub delay: Ps,
    /// Transmission time of the smallest unit, rounded up to a picosecond.
    pub unit: Ps,
    /// Least time from an event at the sending node to its effect at the receiving node:
    /// propagation delay plus transmission time of the smallest unit, rounded down.
    pub lookahead: Ps,
}

/// Least simulated length of a turn (one call of [`Node::turn`]) for a node with no incoming or no outgoing
/// links, in transmission times of the smallest unit. A turn of this length repays the cost of a call, and its
/// units fit into the cache.
const UNTIED_UNITS: u64 = 512;

/// Greatest lookahead, in transmission times of the smallest unit, with which a node sends units ahead of time.
/// With a greater lookahead, one call of [`Node::turn`] processes enough units without sending ahead.
const AHEAD_UNITS: u64 = 64;

/// Number of calls of [`Node::turn`] between two measurements of the storage: 4,096, or the number
/// of nodes if this is greater. Each measurement visits every node.
pub(crate) fn turns_until_look(nodes: usize) -> u32 {
    const TURNS: u32 = 1 << 12;
    TURNS.max(nodes as u32)
}

/// Limits on the time up to which a node can be processed alone: its lookahead, and the nodes whose links end at
/// it.
#[derive(Clone, Debug)]
pub(crate) struct Ties {
    /// Least time from an event at another node to its effect at this node. For a node without incoming links:
    /// the span that one call of [`Node::turn`] processes. `NEVER` if all sending nodes are in other parts of a
    /// partitioned simulation.
    lookahead: Ps,
    /// Time by which the node may process its arrivals late; above zero only for a node without
    /// outgoing links.
    lag: Ps,
    /// True if the lookahead is so short that the node should send units ahead of time: it also sends units that
    /// depart after the end of the processed span.
    is_near: bool,
    /// Nodes whose links end at this node. Each has the least time (ps) from an event at the sending node to the
    /// arrival of a unit at this node.
    senders: Vec<(u32, Ps)>,
    /// Time before which every unit that will arrive at the node is already on a link, as computed
    /// from the clocks of the sending nodes.
    safe_until: Ps,
    /// Number of further calls of [`Node::turn`] for which `safe_until` is not computed again,
    /// because the last computations gained little over the lookahead.
    patience: u32,
    /// Value that `patience` gets after the next computation of `safe_until` that gains little.
    patience_next: u32,
}

/// A node, its incoming links and its scheduling data, in one struct because every call of
/// [`Node::turn`] uses all of them.
#[derive(Clone)]
pub(crate) struct Station<N: Node> {
    pub(crate) node: N,
    pub(crate) inbox: Inbox<N::Word>,
    pub(crate) ties: Ties,
    /// Time before which the node has processed all events.
    pub(crate) clock: Ps,
}

/// The node at which a link ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Receiver {
    /// Index of the receiving node; [`NOWHERE`] if the node belongs to another part of a
    /// partitioned simulation.
    pub(crate) node: u32,
    /// Index of the link among the incoming links of the receiving node.
    pub(crate) input: u32,
    /// Time by which the receiving node may process arrivals late: `lag` of its [`Ties`].
    pub(crate) lag: Ps,
}

/// Takes the place of a node's index if the node belongs to another part of a partitioned
/// simulation.
pub(crate) const NOWHERE: u32 = u32::MAX;

/// Largest number of calls of [`Node::turn`] between two readings of the clocks of the nodes that
/// send to the node.
const MOST_PATIENCE: u32 = 64;

/// Nodes joined by links. Each node is processed without the others, until a unit could arrive that is not on a
/// link to the node yet. The node with the earliest event is processed next.
#[derive(Clone)]
pub struct Simulation<N: Node> {
    pub(crate) stations: Vec<Station<N>>,
    pub(crate) links: Links<N::Word>,
    /// State of the link layer that belongs to the whole network, not to one node.
    pub(crate) network: N::Network,
    pub(crate) lines: Arc<[LinkFacts]>,
    /// For each link, the node at which the link ends.
    pub(crate) receivers: Vec<Receiver>,
    /// Indices of links to other parts with units added or taken back.
    /// [`Part::post`](super::partition::Part::post) moves these links to the lists of the receiving parts and
    /// empties this list.
    pub(crate) leaving: Vec<u32>,
    pub(crate) schedule: Schedule,
    /// Least time from an event at any node to its effect at another node.
    pub(crate) least_lookahead: Ps,
    pub(crate) now: Ps,
    /// Storage at the measurement with the most units so far; `held` is the storage at the last
    /// measurement.
    pub(crate) peak: Storage,
    pub(crate) held: Storage,
    /// Number of calls of [`Node::turn`] until the storage is measured next.
    pub(crate) until_look: u32,
}

impl<N: Node> Simulation<N> {
    /// A simulation at time zero. `nodes` and `inboxes` have one entry for each node, `links` and
    /// `lines` one for each link; the links have no units.
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

    /// Time before which all events have been processed.
    pub fn now(&self) -> Ps {
        self.now
    }
    /// Storage at the measurement with the most units so far. The times of the measurements depend
    /// on how a run is divided into calls.
    pub fn peak_storage(&self) -> Storage {
        self.peak
    }

    /// Storage at the last measurement. [`Simulation::run_until`] ends with a measurement.
    pub fn storage(&self) -> Storage {
        self.held
    }

    /// Processes all events before `until`. The result does not depend on the division of a run into calls, or on
    /// the stopwatch.
    pub(crate) fn advance(&mut self, until: Ps, stopwatch: &mut impl Stopwatch) {
        self.work(until, until, stopwatch);
        self.catch_up(until, stopwatch);
        self.note_storage();
    }

    /// Processes every event before `until` that affects another node. Nodes without outgoing links
    /// may process their events later, in [`Simulation::catch_up`]. Nodes without incoming links
    /// may be processed beyond `until`, up to `limit`.
    pub(crate) fn work(&mut self, until: Ps, limit: Ps, stopwatch: &mut impl Stopwatch) {
        loop {
            let at = self.schedule.first();
            if at >= until {
                break;
            }
            // An event in this round affects no other node before `bound`. So the nodes of the
            // round do not affect one another within the round.
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

    /// Processes the events before `until` that [`Simulation::work`] has not processed, at nodes
    /// that may process their arrivals late.
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

    /// Ends, at all nodes, the services that end before `until` and cause no further event.
    fn settle(&mut self, until: Ps) {
        let last = Ps(until.0.saturating_sub(1));
        for station in &mut self.stations {
            station.node.settle(last, &mut self.links, &self.network);
        }
    }

    /// Time up to which `node` may be processed without the other nodes. `at` is the time of the earliest event
    /// of all nodes. The result is at most `until`, or at most `limit` for a node without incoming links.
    fn horizon(&mut self, at: Ps, node: usize, until: Ps, limit: Ps) -> Ps {
        let ties = &mut self.stations[node].ties;
        if ties.senders.is_empty() {
            if ties.lookahead == Ps::NEVER {
                return until;
            }
            // Nodes with equal lookahead end their calls of `Node::turn` at the same times, so that the nodes to
            // which they send have long calls, too.
            return Ps((self.schedule.get(node).0 / ties.lookahead.0)
                .saturating_add(1)
                .saturating_mul(ties.lookahead.0))
            .min(limit);
        }
        self.tied_horizon(at, node).min(until)
    }

    /// Time up to which a node with incoming links may be processed without the other nodes. `at` is the time of
    /// the earliest event of all nodes. The call of [`Simulation::work`] may end before this time.
    #[inline]
    fn tied_horizon(&mut self, at: Ps, node: usize) -> Ps {
        let ties = &mut self.stations[node].ties;
        // A unit that is not on a link yet follows from an event at another node, at `at` or later.
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

    /// Measures the storage of all units on links and in nodes now.
    pub(crate) fn note_storage(&mut self) {
        let mut held = Storage::of_links(&self.links);
        self.nodes().for_each(|node| node.add_storage(&mut held));
        self.held = held;
        if self.held.units > self.peak.units {
            self.peak = self.held;
        }
        self.until_look = turns_until_look(self.stations.len());
    }

    /// Processes the events of `node` before `horizon`. A node with a short lookahead also sends
    /// units whose service starts from `horizon` to `ahead`.
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

    /// Updates the time of a node's next event in the schedule, after this event may have changed.
    pub(crate) fn reschedule(&mut self, node: usize) {
        let station = &self.stations[node];
        let arrival = station.inbox.first().saturating_add(station.ties.lag);
        let next = arrival.min(station.node.next_event());
        self.schedule.set(node, next);
    }

    /// All nodes, in the order of their indices.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = &N> {
        self.stations.iter().map(|station| &station.node)
    }

    /// Index of the node at which a link ends, and index of the link among the incoming links of
    /// this node.
    pub(crate) fn receiver(&self, link: usize) -> (usize, usize) {
        let Receiver { node, input, .. } = self.receivers[link];
        (node as usize, input as usize)
    }

    /// Updates the schedule of each node at the end of a link whose first unit has changed: the time at which
    /// this unit arrives.
    #[inline(always)]
    pub(crate) fn tell_receivers(&mut self) {
        while let Some((link, at)) = self.links.pop_fresh() {
            let Receiver { node, input, lag } = self.receivers[link as usize];
            let Some(station) = self.stations.get_mut(node as usize) else {
                // The receiving node belongs to another part. That part gets the unit and its arrival time as
                // mail between parts.
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
    /// The lookahead and the sending nodes of this node, restricted to nodes of its own part. `number` maps the
    /// index of a node to the index within the part, or to `None` if the node belongs to another part. The units
    /// of other parts have been collected before the part runs.
    pub(crate) fn within(&self, number: impl Fn(u32) -> Option<u32>) -> Ties {
        let inner = self.senders.iter();
        let inner = inner.filter_map(|(sender, way)| Some((number(*sender)?, *way)));
        let senders: Vec<(u32, Ps)> = inner.collect();
        let shortest = senders.iter().map(|(_, way)| *way).min();
        let lookahead = if self.senders.is_empty() {
            self.lookahead
        } else {
            // If all sending nodes are in other parts, one call may process all units that have been collected.
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

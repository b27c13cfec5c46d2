//! Divides a simulation into parts for parallel threads, and joins the parts again.

use alloc::vec::Vec;

use super::mail::Mail;
use super::part::{Cut, Part};
use crate::kernel::Ps;
use crate::net::link::Link;
use crate::net::links::Links;
use crate::net::node::{Network, Node};
use crate::net::schedule::Schedule;
use crate::net::simulation::{NOWHERE, Receiver, Simulation, turns_until_look};
use crate::net::storage::Storage;

/// For each node, the number of its part and the index of the node within the part.
struct Places(Vec<(u32, u32)>);

impl Places {
    fn new(parts: &[usize]) -> Places {
        let mut nodes = alloc::vec![0; count(parts)];
        let place = |part: &usize| {
            nodes[*part] += 1;
            (*part as u32, nodes[*part] - 1)
        };
        Places(parts.iter().map(place).collect())
    }
    fn part(&self, node: usize) -> usize {
        self.0[node].0 as usize
    }
    /// Index of `node` within `part`; `None` if the node belongs to another part.
    fn number(&self, part: usize, node: usize) -> Option<u32> {
        let (of, number) = self.0[node];
        (of as usize == part).then_some(number)
    }
}

fn count(parts: &[usize]) -> usize {
    parts.iter().max().map_or(0, |last| last + 1)
}

impl<N: Node> Simulation<N> {
    /// Divides the simulation into parts. `parts` has one part number for each node, from 0.
    /// Afterwards the simulation has no nodes, and must not be used until [`Simulation::join`]
    /// returns the nodes.
    ///
    /// # Panics
    /// If `parts` does not have as many numbers as there are nodes.
    pub fn divide(&mut self, parts: &[usize]) -> Vec<Part<N>> {
        assert_eq!(parts.len(), self.stations.len(), "a part for each node");
        self.tell_receivers();
        let places = Places::new(parts);
        let mut divided: Vec<Part<N>> = (0..count(parts))
            .map(|number| self.empty_part(number, &places))
            .collect();
        for (node, mut station) in core::mem::take(&mut self.stations).into_iter().enumerate() {
            let number = |sender: u32| places.number(parts[node], sender as usize);
            let within = station.ties.within(number);
            let Part { own, ties, .. } = &mut divided[parts[node]];
            ties.push(core::mem::replace(&mut station.ties, within));
            for link in station.inbox.links() {
                own.links[*link as usize] = core::mem::take(&mut self.links[*link as usize]);
            }
            own.stations.push(station);
        }
        for part in &mut divided {
            let due = part.nodes.iter().map(|node| self.schedule.get(*node));
            part.own.schedule = Schedule::new(due);
            self.find_cuts(part, &places);
        }
        self.take_unsettled(&mut divided, &places);
        divided
    }

    /// A part with its number and the numbers of its nodes, but without nodes.
    fn empty_part(&mut self, number: usize, places: &Places) -> Part<N> {
        let receiver = |receiver: &Receiver| Receiver {
            node: places
                .number(number, receiver.node as usize)
                .unwrap_or(NOWHERE),
            ..*receiver
        };
        let nodes: Vec<usize> = (0..places.0.len())
            .filter(|node| places.part(*node) == number)
            .collect();
        let within = |node: usize| places.number(number, node);
        let own = Simulation {
            stations: Vec::new(),
            links: Links::new((0..self.links.len()).map(|_| Link::default())),
            network: self.network.part(&nodes, &within),
            lines: self.lines.clone(),
            receivers: self.receivers.iter().map(receiver).collect(),
            leaving: Vec::new(),
            schedule: Schedule::new([].into_iter()),
            least_lookahead: self.least_lookahead,
            now: self.now,
            peak: Storage::default(),
            held: Storage::default(),
            until_look: turns_until_look(self.stations.len()),
        };
        Part {
            number,
            own,
            nodes,
            ties: Vec::new(),
            senders: Vec::new(),
            receivers: Vec::new(),
            cuts: alloc::vec![u32::MAX; self.links.len()],
            settle: alloc::vec![Ps::NEVER; self.links.len()],
            leaving: Vec::new(),
        }
    }

    /// Moves units on links between parts back to the sending part, if a port of this part may still mark the
    /// units.
    fn take_unsettled(&self, parts: &mut [Part<N>], places: &Places) {
        let (mut settled, mut unsettled) = (Mail::default(), Mail::default());
        for number in 0..parts.len() {
            let nodes = parts[number].own.nodes();
            let links: Vec<u32> = nodes.flat_map(Node::feeds_unsettled).collect();
            for link in links {
                let index = link as usize;
                let line = self.lines[index];
                let receiver = places.part(line.to);
                if receiver == number {
                    continue;
                }
                let settle = line.lookahead;
                parts[number].settle[index] = settle;
                let all = &mut parts[receiver].own.links[index];
                settled.add(link, all, self.now.saturating_add(settle));
                unsettled.add(link, all, Ps::NEVER);
                parts[receiver].collect(&mut settled);
                parts[number].collect(&mut unsettled);
            }
        }
    }

    /// Fills `part.senders` and `part.receivers` with the links between the part and each other
    /// part.
    fn find_cuts(&self, part: &mut Part<N>, places: &Places) {
        let nodes = part.own.stations.iter();
        let links: Vec<(bool, u32)> = nodes
            .flat_map(|station| {
                let into = station.inbox.links().iter().map(|link| (true, *link));
                into.chain(station.node.feeds().map(|link| (false, link)))
            })
            .collect();
        for (is_incoming, link) in links {
            let line = &self.lines[link as usize];
            let (cuts, other) = if is_incoming {
                (&mut part.senders, places.part(line.from))
            } else {
                (&mut part.receivers, places.part(line.to))
            };
            if other == part.number {
                continue;
            }
            let lookahead = line.lookahead;
            match cuts.iter_mut().find(|cut| cut.part == other) {
                Some(cut) => {
                    cut.lookahead = cut.lookahead.min(lookahead);
                    cut.links.push(link);
                }
                None => cuts.push(Cut {
                    part: other,
                    lookahead,
                    links: alloc::vec![link],
                }),
            }
        }
        for (number, cut) in (0..).zip(&part.receivers) {
            for link in &cut.links {
                part.cuts[*link as usize] = number;
            }
        }
        part.leaving = part.receivers.iter().map(|_| Vec::new()).collect();
    }

    /// Joins all parts of [`Simulation::divide`] to one simulation again. All parts must be at the same instant,
    /// after [`Part::catch_up`], and must have collected all units from other parts.
    ///
    /// # Panics
    /// If the parts are at different instants, or have not been sampled equally often.
    pub fn join(&mut self, mut parts: Vec<Part<N>>) {
        let Some(now) = parts.first().map(Part::now) else {
            return;
        };
        let mut owner = alloc::vec![0; parts.iter().map(|part| part.nodes.len()).sum()];
        let mut due = alloc::vec![Ps::NEVER; owner.len()];
        let (mut left, mut peak) = (Mail::default(), Storage::default());
        for part in &mut parts {
            assert!(part.now() == now, "parts at different instants");
            peak.join(part.own.peak);
            part.post_all(&mut left);
            for (number, node) in part.nodes.iter().enumerate() {
                owner[*node] = part.number;
                due[*node] = part.own.schedule.get(number);
                for link in part.own.stations[number].inbox.links() {
                    let link = *link as usize;
                    self.links[link] = core::mem::take(&mut part.own.links[link]);
                }
            }
        }
        self.schedule = Schedule::new(due.into_iter());
        let (mut stations, mut networks) = (Vec::new(), Vec::new());
        for mut part in parts {
            let nodes = core::mem::take(&mut part.nodes);
            let (of_part, network) = part.into_state();
            stations.push(of_part.into_iter());
            networks.push((nodes, network));
        }
        self.network.join(networks);
        for part in owner {
            let Some(station) = stations[part].next() else {
                unreachable!("a part has all its nodes")
            };
            self.stations.push(station);
        }
        left.deliver(&mut self.links);
        self.tell_receivers();
        self.now = now;
        if peak.units > self.peak.units {
            self.peak = peak;
        }
    }
}

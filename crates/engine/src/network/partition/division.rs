//! Divides a simulation into parts, and puts it together again.

use alloc::vec::Vec;

use super::mail::Mail;
use super::part::{Cut, Part};
use crate::atm::link::Link;
use crate::atm::server::Server;
use crate::kernel::Ps;
use crate::network::links::Links;
use crate::network::node::Node;
use crate::network::schedule::Schedule;
use crate::network::simulation::{NOWHERE, Receiver, Simulation, lookahead, turns_until_look};
use crate::network::storage::Storage;
use crate::network::window::Window;

/// The part of each node, and the node's number there.
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
    /// Number of a node in `part`, if it belongs to it.
    fn number(&self, part: usize, node: usize) -> Option<u32> {
        let (of, number) = self.0[node];
        (of as usize == part).then_some(number)
    }
}

fn count(parts: &[usize]) -> usize {
    parts.iter().max().map_or(0, |last| last + 1)
}

impl<S: Server> Simulation<S> {
    /// Divides the simulation into parts; `parts` has the number of the part of each node, from 0.
    /// It has no nodes left until [`Simulation::join`] gives them back, and must not be used before.
    ///
    /// # Panics
    /// If `parts` does not have as many numbers as there are nodes.
    pub fn divide(&mut self, parts: &[usize]) -> Vec<Part<S>> {
        assert_eq!(parts.len(), self.stations.len(), "a part for each node");
        self.tell_receivers();
        let places = Places::new(parts);
        let mut divided: Vec<Part<S>> = (0..count(parts))
            .map(|number| self.empty_part(number, &places))
            .collect();
        let samples = core::mem::take(&mut self.window.samples);
        for (node, ports) in samples.into_iter().enumerate() {
            divided[parts[node]].own.window.samples.push(ports);
        }
        for (node, mut station) in core::mem::take(&mut self.stations).into_iter().enumerate() {
            let number = |sender: u32| places.number(parts[node], sender as usize);
            let within = station.ties.within(number);
            let Part {
                own, ties, nodes, ..
            } = &mut divided[parts[node]];
            ties.push(core::mem::replace(&mut station.ties, within));
            nodes.push(node);
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

    /// A part without nodes, which knows the numbers that they will have.
    fn empty_part(&self, number: usize, places: &Places) -> Part<S> {
        let receiver = |receiver: &Receiver| Receiver {
            node: places
                .number(number, receiver.node as usize)
                .unwrap_or(NOWHERE),
            ..*receiver
        };
        let begins = |(node, terminal): &(usize, usize)| {
            let node = places.number(number, *node).unwrap_or(NOWHERE);
            (node as usize, *terminal)
        };
        let own = Simulation {
            plan: self.plan.clone(),
            stations: Vec::new(),
            links: Links::new((0..self.links.len()).map(|_| Link::default())),
            channels: self.channels.clone(),
            lossy_channels: self.lossy_channels.clone(),
            begins: self.begins.iter().map(begins).collect(),
            window: Window::default(),
            receivers: self.receivers.iter().map(receiver).collect(),
            leaving: Vec::new(),
            schedule: Schedule::new([].into_iter()),
            least_lookahead: self.least_lookahead,
            now: self.now,
            changed: self.changed,
            peak: Storage::default(),
            held: Storage::default(),
            until_look: turns_until_look(self.stations.len()),
        };
        Part {
            number,
            own,
            nodes: Vec::new(),
            ties: Vec::new(),
            senders: Vec::new(),
            receivers: Vec::new(),
            cuts: alloc::vec![u32::MAX; self.links.len()],
            settle: alloc::vec![Ps::NEVER; self.links.len()],
            leaving: Vec::new(),
            queued: Vec::new(),
        }
    }

    /// Gives each part the cells on links to others that it may still mark.
    fn take_unsettled(&self, parts: &mut [Part<S>], places: &Places) {
        let (mut settled, mut unsettled) = (Mail::default(), Mail::default());
        for number in 0..parts.len() {
            let ports = parts[number].own.nodes().flat_map(Node::ports);
            let marking = ports.filter(|(port, _)| port.marks_later());
            let links: Vec<u32> = marking.map(|(_, link)| *link).collect();
            for link in links {
                let plan = &self.plan.links[link as usize];
                let (receiver, index) = (places.part(plan.to), link as usize);
                if receiver == number {
                    continue;
                }
                let settle = lookahead(plan);
                parts[number].settle[index] = settle;
                let all = &mut parts[receiver].own.links[index];
                settled.add(link, all, self.now.saturating_add(settle));
                unsettled.add(link, all, Ps::NEVER);
                parts[receiver].collect(&mut settled);
                parts[number].collect(&mut unsettled);
            }
        }
    }

    /// Finds the links between a part and the others.
    fn find_cuts(&self, part: &mut Part<S>, places: &Places) {
        let nodes = part.own.stations.iter();
        let links: Vec<(bool, u32)> = nodes
            .flat_map(|station| {
                let into = station.inbox.links().iter().map(|link| (true, *link));
                into.chain(station.node.ports().iter().map(|(_, link)| (false, *link)))
            })
            .collect();
        for (is_incoming, link) in links {
            let plan = &self.plan.links[link as usize];
            let (cuts, other) = if is_incoming {
                (&mut part.senders, places.part(plan.from))
            } else {
                (&mut part.receivers, places.part(plan.to))
            };
            if other == part.number {
                continue;
            }
            let lookahead = lookahead(plan);
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

    /// Puts the simulation together again from all parts of [`Simulation::divide`], which have caught
    /// up with one instant and collected all mail.
    ///
    /// # Panics
    /// If the parts are at different instants, or have not been sampled equally often.
    pub fn join(&mut self, mut parts: Vec<Part<S>>) {
        let Some((now, sampled)) = parts.first().map(|part| (part.now(), part.queued.len())) else {
            return;
        };
        let mut owner = alloc::vec![0; self.plan.nodes.len()];
        let mut due = alloc::vec![Ps::NEVER; owner.len()];
        let (mut left, mut queued, mut peak) =
            (Mail::default(), alloc::vec![0; sampled], Storage::default());
        for part in &mut parts {
            assert!(part.now() == now && part.queued.len() == sampled);
            for (sum, of_part) in queued.iter_mut().zip(&part.queued) {
                *sum += of_part;
            }
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
        let mut nodes: Vec<_> = parts.into_iter().map(Part::into_nodes).collect();
        for part in owner {
            let Some((station, samples)) = nodes[part].next() else {
                unreachable!("a part has all its nodes")
            };
            self.stations.push(station);
            self.window.samples.extend(samples);
        }
        left.deliver(&mut self.links);
        self.tell_receivers();
        self.now = now;
        self.window.queued_max = self.window.queued_max.max(queued.into_iter().max());
        if peak.cells > self.peak.cells {
            self.peak = peak;
        }
    }
}

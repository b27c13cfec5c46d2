//! Everything that travels, as it goes: what packet captures and time-space diagrams are made of.
//!
//! Only the plain engine can be observed. It calls back instant by instant and keeps nothing, so a span may be as long
//! as one likes.

use alloc::vec::Vec;

use super::build::Node;
use super::log::{Event, Log};
use super::reference::{Moment, Reference};
use crate::atm::cell::{Body, Info};
use crate::kernel::Ps;
use crate::tcp::Segment;

/// A cell on a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crossing {
    /// Index of the link.
    pub link: u32,
    /// Channel: twice the flow's number, plus one for the backward direction. None of a cell of credit control, which
    /// belongs to no channel.
    pub channel: Option<u32>,
    /// Header bits on this link, and the number among the data cells of the channel, modulo [`Info::NUMBERS`].
    pub info: Info,
    /// Contents on this link of an RM cell, of a credit cell, or the PDU that the cell ends; none of other data cells, whose
    /// PDU [`Observer::on_pdu`] told before.
    pub body: Option<Body>,
    /// When its last bit left.
    pub left: Ps,
    /// When its last bit arrives.
    pub arrives: Ps,
}

/// A PDU whose first cell leaves its end system's queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PduStart {
    /// When.
    pub at: Ps,
    /// Channel: twice the flow's number, plus one for the backward direction.
    pub channel: u32,
    /// Number of its first cell among the data cells of the channel, modulo [`Info::NUMBERS`].
    pub first: u32,
    /// Cells into which it is cut.
    pub cells: u16,
    /// Those of them that are sent, the first ones; the source queue has refused the others.
    pub sent: u16,
    /// The TCP segment inside. There are no other PDUs: sources that do not use TCP send bare cells.
    pub segment: Segment,
}

/// Who is told what travels, in order of time. At one instant PDUs come first, then losses, then cells.
///
/// A port is observed at the link that it feeds, and by what it refuses.
pub trait Observer {
    /// A cell has been put on a link; on each link in order.
    fn on_cell(&mut self, _cell: &Crossing) {}
    /// A PDU begins. All cells of its channel from its first number on, as many as it says are sent, are its own.
    fn on_pdu(&mut self, _pdu: &PduStart) {}
    /// A cell was refused by a buffer or lost by a link ([`What::Loss`](super::log::What::Loss)), or an end system's queue
    /// had no room for a whole PDU ([`What::Refusal`](super::log::What::Refusal)).
    fn on_loss(&mut self, _loss: &Event) {}
}

/// What a node has to tell an observer of an instant besides the cells on its links.
#[derive(Clone, Debug, Default)]
pub struct Tap {
    /// PDUs that began.
    pub pdus: Vec<PduStart>,
    /// What was lost.
    pub losses: Vec<Event>,
}

impl Reference {
    /// Runs to `until`, and tells `observer` what cells are put on links, what PDUs begin, and what is lost from now to
    /// then. Slices of a run tell together what the whole would.
    pub fn observe(&mut self, until: Ps, observer: &mut dyn Observer) {
        let mut watch = Watch::new(self);
        for node in 0..self.nodes() {
            self.log(node).tap = Some(Tap::default());
        }
        self.run_watched(until, &mut |reference, moment| {
            watch.look(reference, moment, observer)
        });
        for node in 0..self.nodes() {
            self.log(node).tap = None;
        }
    }

    fn nodes(&mut self) -> usize {
        self.state().stations.len()
    }

    fn log(&mut self, node: usize) -> &mut Log {
        match &mut self.state().stations[node].node {
            Node::Host(host) => &mut host.log,
            Node::Switch(switch) => &mut switch.log,
        }
    }
}

/// What has been seen of each link.
struct Watch {
    /// For each link the channel by label at its far end.
    channels: Vec<Vec<Option<u32>>>,
    /// Cells on the link when it was looked at last, and how many of them have not been told: the newest.
    seen: Vec<(usize, usize)>,
    delays: Vec<Ps>,
    /// Whether there are cells that have been seen and not told, because they leave after the instant of the look.
    ahead: bool,
}

impl Watch {
    /// What has left before now has been told.
    fn new(reference: &mut Reference) -> Watch {
        let simulation = reference.state();
        let mut channels = alloc::vec![Vec::new(); simulation.links.len()];
        for (channel, of) in simulation.channels.iter().enumerate() {
            for hop in &of.hops {
                let (table, label): (&mut Vec<Option<u32>>, _) =
                    (&mut channels[hop.link], hop.label as usize);
                table.resize(table.len().max(label + 1), None);
                table[label] = Some(channel as u32);
            }
        }
        let delays: Vec<Ps> = simulation
            .plan
            .links
            .iter()
            .map(|link| link.delay)
            .collect();
        let seen = simulation.links.iter().zip(&delays).map(|(link, delay)| {
            let ahead = link
                .cells()
                .filter(|cell| cell.at.0 - delay.0 >= simulation.now.0);
            (link.len(), ahead.count())
        });
        Watch {
            seen: seen.collect(),
            channels,
            delays,
            ahead: true,
        }
    }

    fn look(&mut self, reference: &mut Reference, moment: Moment, observer: &mut dyn Observer) {
        match moment {
            // Starting what starts at an instant, a port also completes what ends one picosecond later.
            Moment::Before(_) if !self.ahead => {}
            Moment::Before(next) => {
                self.ahead = false;
                (0..reference.nodes())
                    .for_each(|node| self.look_at(reference, node, next, observer));
            }
            Moment::Completed(now) => {
                (0..reference.nodes())
                    .for_each(|node| self.look_at(reference, node, Ps(now.0 + 1), observer));
            }
            Moment::Turn(now, node) => self.look_at(reference, node, Ps(now.0 + 1), observer),
        }
    }

    /// Tells what `node` has lost since the last look at it, and sent `before` an instant; notes what it has received.
    fn look_at(
        &mut self,
        reference: &mut Reference,
        node: usize,
        before: Ps,
        observer: &mut dyn Observer,
    ) {
        if let Some(tap) = &mut reference.log(node).tap {
            tap.pdus.drain(..).for_each(|pdu| observer.on_pdu(&pdu));
            tap.losses
                .drain(..)
                .for_each(|loss| observer.on_loss(&loss));
        }
        let simulation = reference.state();
        let station = &simulation.stations[node];
        for link in station.inbox.links() {
            let (seen, _) = &mut self.seen[*link as usize];
            *seen = simulation.links[*link as usize].len().min(*seen);
        }
        for (_, index) in station.node.ports() {
            let link = &simulation.links[*index as usize];
            let (delay, channels) = (
                self.delays[*index as usize],
                &self.channels[*index as usize],
            );
            let (seen, ahead) = &mut self.seen[*index as usize];
            let untold = *ahead + link.len() - *seen;
            (*seen, *ahead) = (link.len(), untold);
            for (cell, body) in link.sent_last(untold) {
                let left = Ps(cell.at.0 - delay.0);
                if left >= before {
                    self.ahead = true;
                    break;
                }
                *ahead -= 1;
                let is_credit = matches!(body, Some(Body::Credit(_)));
                let channel = channels.get(cell.label as usize).copied().flatten();
                observer.on_cell(&Crossing {
                    link: *index,
                    channel: channel.filter(|_| !is_credit),
                    info: cell.info.without_stamp(),
                    body: body.copied().filter(|body| !matches!(body, Body::Stamp(_))),
                    left,
                    arrives: cell.at,
                });
            }
        }
    }
}

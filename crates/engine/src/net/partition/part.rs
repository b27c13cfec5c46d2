//! Some nodes of a simulation, which run apart from the others.

use alloc::vec::Vec;

use super::mail::Mail;
use crate::kernel::Ps;
use crate::net::node::Node;
use crate::net::simulation::{Simulation, Station, Ties};

/// The links from one part to another, which the partition cuts.
#[derive(Clone, Debug)]
pub struct Cut {
    /// Number of the other part.
    pub part: usize,
    /// Least time from an event in the part that sends to the arrival of a unit that follows from it:
    /// the shortest propagation plus the time of a least unit.
    pub lookahead: Ps,
    /// Indices of these links.
    pub links: Vec<u32>,
}

/// A part of a simulation, made by [`Simulation::divide`].
pub struct Part<N: Node> {
    pub(super) number: usize,
    /// Nodes of the part, numbered from 0, and all links. Links that leave the part hold units that
    /// have not been posted.
    pub(super) own: Simulation<N>,
    /// Numbers of the part's nodes among the nodes of all parts, in order.
    pub(super) nodes: Vec<usize>,
    /// For each node, its lookahead and its senders in all parts.
    pub(super) ties: Vec<Ties>,
    pub(super) senders: Vec<Cut>,
    pub(super) receivers: Vec<Cut>,
    /// For each link that leaves the part, the index of its cut in `receivers`.
    pub(super) cuts: Vec<u32>,
    /// For each link that leaves the part and whose units may be marked until their service starts
    /// ([`Node::feeds_unsettled`]), the least time from that start to the arrival; `NEVER` for others.
    pub(super) settle: Vec<Ps>,
    /// For each of `receivers`, the links that hold units for it, or that held units which were
    /// taken back.
    pub(super) leaving: Vec<Vec<u32>>,
}

impl<N: Node> Part<N> {
    /// Number of the part among all parts, from 0.
    pub fn number(&self) -> usize {
        self.number
    }
    /// Instant before which the part has processed every event that affects another node.
    pub fn now(&self) -> Ps {
        self.own.now
    }
    /// Links from other parts to this one, for each part that sends units.
    pub fn senders(&self) -> &[Cut] {
        &self.senders
    }
    /// Links from this part to others, for each part that receives units.
    pub fn receivers(&self) -> &[Cut] {
        &self.receivers
    }

    /// Puts the units of `mail` on the part's links, and empties `mail`.
    pub fn collect(&mut self, mail: &mut Mail<N::Word>) {
        mail.deliver(&mut self.own.links);
        self.own.tell_receivers();
    }

    /// Moves units that have left the part over `cut`, an index into [`Part::receivers`], to the end of
    /// `mail`. Units that the port may still mark stay on their link; they arrive no earlier than
    /// [`Part::now`] plus the lookahead of the cut.
    pub fn post(&mut self, cut: usize, mail: &mut Mail<N::Word>) {
        self.sort_leaving();
        let (links, settle, now) = (&mut self.own.links, &self.settle, self.own.now);
        self.leaving[cut].retain(|number| {
            let link = &mut links[*number as usize];
            // What starts at `now` or later may be marked.
            mail.add(*number, link, now.saturating_add(settle[*number as usize]));
            !link.is_empty()
        });
    }

    /// Adds all units that have left the part to `mail`.
    pub(super) fn post_all(&mut self, mail: &mut Mail<N::Word>) {
        self.sort_leaving();
        for number in self.leaving.iter_mut().flat_map(|links| links.drain(..)) {
            mail.add(number, &mut self.own.links[number as usize], Ps::NEVER);
        }
    }

    /// True if units may have left the part over `cut` that have not been posted.
    pub fn has_mail(&mut self, cut: usize) -> bool {
        self.sort_leaving();
        !self.leaving[cut].is_empty()
    }

    /// Assigns the links that hold units to the cuts to which they belong.
    fn sort_leaving(&mut self) {
        self.own.tell_receivers();
        for link in self.own.leaving.drain(..) {
            self.leaving[self.cuts[link as usize] as usize].push(link);
        }
    }

    /// Processes the events before `until`; all mail with units that arrive before `until` must have been
    /// collected. Nodes that affect no other node may lag behind. Nodes that nothing reaches may run ahead,
    /// but not beyond `limit`, the next instant at which the part's state is read or the parts are joined.
    pub fn run_until(&mut self, until: Ps, limit: Ps) {
        self.own.work(until, limit, &mut ());
        self.own.now = until;
    }

    /// Processes what [`Part::run_until`] has left to do before [`Part::now`], and measures the
    /// storage. It must be called before the part's state is read, and at the end of the run in
    /// parts.
    pub fn catch_up(&mut self) {
        self.own.catch_up(self.own.now, &mut ());
        self.own.note_storage();
    }

    /// Nodes of the part with their ties to the nodes of all parts, and the state of the link layer.
    pub(super) fn into_state(self) -> (Vec<Station<N>>, N::Network) {
        let stations = self.own.stations.into_iter().zip(self.ties);
        let tied = stations.map(|(station, ties)| Station { ties, ..station });
        (tied.collect(), self.own.network)
    }

    /// State of the part, for reading the state of its own nodes; other nodes are not in it.
    pub fn state(&mut self) -> &mut Simulation<N> {
        &mut self.own
    }
}

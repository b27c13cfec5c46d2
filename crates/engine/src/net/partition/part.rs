//! Some nodes of a partitioned simulation, which one thread runs.

use alloc::vec::Vec;

use super::mail::Mail;
use crate::kernel::Ps;
use crate::net::node::Node;
use crate::net::simulation::{Simulation, Station, Ties};

/// All links from one part of a partitioned simulation to another part.
#[derive(Clone, Debug)]
pub struct Cut {
    /// Number of the part at the other end of the links.
    pub part: usize,
    /// Least time from an event in the sending part to the arrival of a unit that the event causes,
    /// over all these links: propagation delay plus transmission time of the smallest unit.
    pub lookahead: Ps,
    /// Indices of the links.
    pub links: Vec<u32>,
}

/// A part of a simulation, made by [`Simulation::divide`].
pub struct Part<N: Node> {
    pub(super) number: usize,
    /// The part's nodes, numbered from 0, and all links of the network. Links to other parts have
    /// units only until they are posted.
    pub(super) own: Simulation<N>,
    /// Index of each node of the part among all nodes of the network, in order.
    pub(super) nodes: Vec<usize>,
    /// For each node of the part, its lookahead and the nodes of all parts that send to the node.
    pub(super) ties: Vec<Ties>,
    pub(super) senders: Vec<Cut>,
    pub(super) receivers: Vec<Cut>,
    /// For each link to another part, the index in `receivers` of the entry that contains the link; `u32::MAX`
    /// for other links.
    pub(super) cuts: Vec<u32>,
    /// For each link to another part on which a port may mark a unit until its service starts
    /// ([`Node::feeds_unsettled`]): the least time from this start to the arrival of the unit; `NEVER` for other
    /// links.
    pub(super) settle: Vec<Ps>,
    /// For each entry of `receivers`, the links that may hold units for the other part.
    pub(super) leaving: Vec<Vec<u32>>,
}

impl<N: Node> Part<N> {
    /// Number of the part among all parts, from 0.
    pub fn number(&self) -> usize {
        self.number
    }
    /// Time before which the part has processed every event that affects another node.
    pub fn now(&self) -> Ps {
        self.own.now
    }
    /// The links from other parts to this part, one entry for each sending part.
    pub fn senders(&self) -> &[Cut] {
        &self.senders
    }
    /// The links from this part to other parts, one entry for each receiving part.
    pub fn receivers(&self) -> &[Cut] {
        &self.receivers
    }

    /// Puts the units of `mail` on the part's links, and empties `mail`.
    pub fn collect(&mut self, mail: &mut Mail<N::Word>) {
        mail.deliver(&mut self.own.links);
        self.own.tell_receivers();
    }

    /// Moves the units for another part to the end of `mail`. `cut` is the index of the other part's links in
    /// [`Part::receivers`]. Units that the sending port may still mark stay on their link. These units arrive no
    /// earlier than [`Part::now`] plus the lookahead of the cut.
    pub fn post(&mut self, cut: usize, mail: &mut Mail<N::Word>) {
        self.sort_leaving();
        let (links, settle, now) = (&mut self.own.links, &self.settle, self.own.now);
        self.leaving[cut].retain(|number| {
            let link = &mut links[*number as usize];
            // A unit whose service starts at `now` or later may still be marked.
            mail.add(*number, link, now.saturating_add(settle[*number as usize]));
            !link.is_empty()
        });
    }

    /// Moves all units for other parts to `mail`.
    pub(super) fn post_all(&mut self, mail: &mut Mail<N::Word>) {
        self.sort_leaving();
        for number in self.leaving.iter_mut().flat_map(|links| links.drain(..)) {
            mail.add(number, &mut self.own.links[number as usize], Ps::NEVER);
        }
    }

    /// True if links of `cut` (an index into [`Part::receivers`]) may hold units for the other part.
    pub fn has_mail(&mut self, cut: usize) -> bool {
        self.sort_leaving();
        !self.leaving[cut].is_empty()
    }

    /// Assigns each link with units for another part to the entry of that part in [`Part::receivers`].
    fn sort_leaving(&mut self) {
        self.own.tell_receivers();
        for link in self.own.leaving.drain(..) {
            self.leaving[self.cuts[link as usize] as usize].push(link);
        }
    }

    /// Processes the events before `until`. All units from other parts that arrive before `until` must have been
    /// collected. Nodes without outgoing links may process their events later, in [`Part::catch_up`]. Nodes
    /// without incoming links may be processed up to `limit`: the next instant at which the part's state is read
    /// or the parts are joined.
    pub fn run_until(&mut self, until: Ps, limit: Ps) {
        self.own.work(until, limit, &mut ());
        self.own.now = until;
    }

    /// Processes the events before [`Part::now`] that [`Part::run_until`] has not processed, and
    /// measures the storage. Must be called before the part's state is read, and before
    /// [`Simulation::join`].
    pub fn catch_up(&mut self) {
        self.own.catch_up(self.own.now, &mut ());
        self.own.note_storage();
    }

    /// The part's nodes, each with its lookahead and the nodes that send to it, in whichever part these are. Also
    /// the part's state of the link layer.
    pub(super) fn into_state(self) -> (Vec<Station<N>>, N::Network) {
        let stations = self.own.stations.into_iter().zip(self.ties);
        let tied = stations.map(|(station, ties)| Station { ties, ..station });
        (tied.collect(), self.own.network)
    }

    /// The part's simulation, from which the state of the part's own nodes can be read. Nodes of
    /// other parts are not in it.
    pub fn state(&mut self) -> &mut Simulation<N> {
        &mut self.own
    }
}

//! Some nodes of a simulation, which run apart from the others.

use alloc::vec::Vec;

use super::mail::Mail;
use crate::atm::server::{LazyServer, Server};
use crate::kernel::{Ps, Summary};
use crate::network::simulation::{Simulation, Station, Ties};

/// The links from one part to another.
#[derive(Clone, Debug)]
pub struct Cut {
    /// Number of the other part.
    pub part: usize,
    /// Least time from an event in the part that sends to the arrival of a cell that follows from it:
    /// the shortest propagation plus a cell time.
    pub lookahead: Ps,
    /// The links.
    pub links: Vec<u32>,
}

/// A part of a simulation, made by [`Simulation::divide`].
pub struct Part<S: Server = LazyServer> {
    pub(super) number: usize,
    /// Its nodes, numbered from 0, and all links: those that leave the part hold what has not been
    /// posted.
    pub(super) own: Simulation<S>,
    /// Numbers of its nodes among those of all parts, in order.
    pub(super) nodes: Vec<usize>,
    /// For each node, its lookahead and its senders in all parts.
    pub(super) ties: Vec<Ties>,
    pub(super) senders: Vec<Cut>,
    pub(super) receivers: Vec<Cut>,
    /// For each link that leaves the part, its cut among `receivers`.
    pub(super) cuts: Vec<u32>,
    /// For each link that leaves the part and whose cells may be marked until their service starts
    /// ([`Port::marks_later`]), the least time from that start to the arrival; `NEVER` for others.
    ///
    /// [`Port::marks_later`]: crate::atm::port::Port::marks_later
    pub(super) settle: Vec<Ps>,
    /// For each of `receivers`, the links that hold cells, or have held some that were taken back.
    pub(super) leaving: Vec<Vec<u32>>,
    /// Sum of the part's queues at each of its samples.
    pub(super) queued: Vec<u64>,
}

impl<S: Server> Part<S> {
    /// Its number among the parts, from 0.
    pub fn number(&self) -> usize {
        self.number
    }
    /// Instant before which the part has processed everything from which something follows for
    /// another node.
    pub fn now(&self) -> Ps {
        self.own.now
    }
    /// Parts that send cells to this one.
    pub fn senders(&self) -> &[Cut] {
        &self.senders
    }
    /// Parts to which this one sends cells.
    pub fn receivers(&self) -> &[Cut] {
        &self.receivers
    }

    /// Puts the cells of `mail`, which it empties, on the part's links.
    pub fn collect(&mut self, mail: &mut Mail) {
        mail.deliver(&mut self.own.links);
        self.own.tell_receivers();
    }

    /// Adds the cells that have left the part over `cut`, one of [`Part::receivers`], to `mail`. Cells that
    /// may still be marked stay; they do not arrive before [`Part::now`] and the lookahead.
    pub fn post(&mut self, cut: usize, mail: &mut Mail) {
        self.sort_leaving();
        let (links, settle, now) = (&mut self.own.links, &self.settle, self.own.now);
        self.leaving[cut].retain(|number| {
            let link = &mut links[*number as usize];
            // What starts at `now` or later may be marked.
            mail.add(*number, link, now.saturating_add(settle[*number as usize]));
            !link.is_empty()
        });
    }

    /// Adds all cells that have left the part to `mail`.
    pub(super) fn post_all(&mut self, mail: &mut Mail) {
        self.sort_leaving();
        for number in self.leaving.iter_mut().flat_map(|links| links.drain(..)) {
            mail.add(number, &mut self.own.links[number as usize], Ps::NEVER);
        }
    }

    /// True if cells may have left the part over `cut` that have not been posted.
    pub fn has_mail(&mut self, cut: usize) -> bool {
        self.sort_leaving();
        !self.leaving[cut].is_empty()
    }

    /// Notes the links that hold cells with the cuts to which they belong.
    fn sort_leaving(&mut self) {
        self.own.tell_receivers();
        for link in self.own.leaving.drain(..) {
            self.leaving[self.cuts[link as usize] as usize].push(link);
        }
    }

    /// Processes the events before `until`; all mail with cells that arrive before it has been
    /// collected. Nodes from which nothing follows may lag behind. Nodes that nothing reaches may run
    /// ahead, but not beyond `limit`, the next instant at which the part is looked at or joined.
    pub fn run_until(&mut self, until: Ps, limit: Ps) {
        self.own.work(until, limit, &mut ());
        self.own.now = until;
    }

    /// Processes what [`Part::run_until`] has left to do before [`Part::now`]. It must precede every
    /// look at the part, and the end of the run in parts. Measures the storage as well.
    pub fn catch_up(&mut self) {
        self.own.catch_up(self.own.now, &mut ());
        self.own.note_storage();
    }

    /// [`Simulation::sample`] for the part's queues.
    pub fn sample(&mut self) {
        let queued = self.own.sample_queues();
        self.queued.push(queued);
    }

    /// Its nodes, tied to those of all parts again, with the samples of their ports if there are any.
    pub(super) fn into_nodes(
        self,
    ) -> impl Iterator<Item = (Station<S>, Option<Vec<Vec<Summary>>>)> {
        let samples = self.own.window.samples.into_iter().map(Some);
        let samples = samples.chain(core::iter::repeat(None));
        let stations = self.own.stations.into_iter().zip(self.ties);
        let tied = stations.map(|(station, ties)| Station { ties, ..station });
        tied.zip(samples)
    }

    /// The part's state, for looks at its own nodes: flows whose source is here, and the ports of
    /// its own switches in the order of the report. It knows of nothing else.
    pub fn state(&mut self) -> &mut Simulation<S> {
        &mut self.own
    }
}

//! The incoming links of a node, merged by arrival time. Units with equal arrival times are in the
//! order of the links, or in a random order.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::batch::{Arrived, Batch};
use super::link::Link;
use super::links::Links;
use super::simultaneous::Order;
use super::unit::{Unit, Word};
use crate::kernel::{Ps, Tournament};

/// Units that an event-driven node receives in one call of [`Node::turn`](super::node::Node::turn),
/// in order of time: from sorted batches if sorting is faster, otherwise merged unit by unit.
/// `DRAWN`: the order of equal times is random.
pub struct Arrivals<'a, W: Word, const DRAWN: bool> {
    inbox: &'a mut Inbox<W>,
    batch: Option<Box<Batch<W>>>,
    /// Number of units of the batch that the node has received.
    taken: usize,
    /// Index of the incoming link of the unit received last.
    input: usize,
    /// Stamp (sending time) of the unit received last, if this unit has a stamp.
    stamp: Ps,
    /// Arrival time of the next unit.
    next: Ps,
    /// Time before which units are received in this call of
    /// [`Node::turn`](super::node::Node::turn).
    horizon: Ps,
    /// Arrival time of the first unit that was merged unit by unit, not from a batch. `merged` is the number of
    /// units merged since then.
    merged_since: Ps,
    merged: u64,
}

impl<'a, W: Word, const DRAWN: bool> Arrivals<'a, W, DRAWN> {
    /// Begins a call of [`Node::turn`](super::node::Node::turn) in which the node receives the units that arrive
    /// before `horizon`. [`Arrivals::end`] must follow.
    pub fn new(
        inbox: &'a mut Inbox<W>,
        links: &mut Links<W>,
        horizon: Ps,
    ) -> Arrivals<'a, W, DRAWN> {
        let (next, merged_since) = (Ps::NEVER, Ps::ZERO);
        let mut arrivals = Arrivals {
            inbox,
            batch: None,
            taken: 0,
            input: 0,
            stamp: Ps::NEVER,
            next,
            horizon,
            merged_since,
            merged: 0,
        };
        arrivals.look(links);
        arrivals
    }
    /// Sorts the next batch of units, if a batch is faster than merging the links unit by unit.
    #[inline(never)]
    fn look(&mut self, links: &mut Links<W>) {
        self.batch = self.inbox.take_batch(self.horizon, links);
        self.taken = 0;
        self.next = match &self.batch {
            Some(batch) => batch.arrivals()[0].unit.at,
            None => self.inbox.first(),
        };
        self.merged_since = self.next;
    }
    /// Index of the link of the unit received last.
    #[inline]
    pub fn link(&self) -> u32 {
        self.inbox.links[self.input]
    }
    /// Arrival time of the next unit. The time is at or after `horizon` of [`Arrivals::new`] if no further unit
    /// arrives before `horizon`.
    #[inline]
    pub fn next(&self) -> Ps {
        self.next
    }
    /// Receives the next unit. If the unit has a record, [`Arrivals::record`] must follow.
    #[inline(always)]
    pub fn take(&mut self, links: &mut Links<W>) -> Option<Unit<W>> {
        let Some(batch) = &self.batch else {
            return self.merge(links);
        };
        let arrived = &batch.arrivals()[self.taken];
        let Arrived { unit, input, .. } = *arrived;
        self.input = input as usize;
        if unit.info.is_stamped() {
            self.stamp = batch.stamp(arrived);
        }
        self.skip(1, links);
        Some(unit)
    }
    #[inline(always)]
    fn merge(&mut self, links: &mut Links<W>) -> Option<Unit<W>> {
        self.input = self.inbox.next::<DRAWN>().1;
        let unit = self.inbox.receive(self.input, links)?;
        if unit.info.is_stamped()
            && let Some(sent) = links[self.inbox.links[self.input] as usize].pop_stamp()
        {
            self.stamp = sent;
        }
        self.next = self.inbox.first();
        self.merged += 1;
        Some(unit)
    }
    /// The next units that are contiguous in memory, if all units come on one link; empty if the
    /// node has several incoming links. [`Arrivals::discard`] receives these units.
    #[inline]
    pub fn stretch<'l>(&self, links: &'l Links<W>) -> &'l [Unit<W>] {
        match self.inbox.only() {
            Some(only) => links[only as usize].stretch(),
            None => &[],
        }
    }
    /// Receives the next `count` units of [`Arrivals::stretch`], none of which has a record.
    #[inline]
    pub fn discard(&mut self, count: usize, links: &mut Links<W>) {
        if let Some(only) = self.inbox.only() {
            let link = &mut links[only as usize];
            link.discard(count);
            self.next = link.next_arrival();
            self.inbox.note_due(self.next);
        }
    }
    /// The units of the sorted batch that the node has not received yet, in order; empty while
    /// links are merged unit by unit.
    #[inline]
    pub fn sorted(&self) -> &[Arrived<W>] {
        match &self.batch {
            Some(batch) => &batch.arrivals()[self.taken..],
            None => &[],
        }
    }
    /// Receives the next `count` units of [`Arrivals::sorted`]. [`Arrivals::record`] must
    /// not be called for these units.
    #[inline]
    pub fn skip(&mut self, count: usize, links: &mut Links<W>) {
        self.taken += count;
        match self.sorted().first() {
            Some(behind) => self.next = behind.unit.at,
            None => {
                self.give_back();
                self.look(links);
            }
        }
    }
    /// The record that follows the unit received last, which must have a record. `info` is the header word of the
    /// unit. Each further call returns the next further record of the unit; all must be received.
    #[inline]
    pub fn record(&self, info: W, links: &mut Links<W>) -> W::Record {
        if info.is_stamped() {
            return W::stamp(self.stamp);
        }
        self.inbox.record(self.input, info, links)
    }
    fn give_back(&mut self) {
        self.inbox.batch = self.batch.take().or(self.inbox.batch.take());
    }
    /// Returns the storage of the batch to the inbox and updates the density of arrivals, after the
    /// node has received its units.
    pub fn end(mut self) {
        self.give_back();
        if self.merged > 0 {
            self.inbox
                .note_merged(self.merged, self.horizon - self.merged_since);
        }
    }
}

/// The incoming links of a node, merged by arrival time of their units.
#[derive(Clone)]
pub struct Inbox<W: Word> {
    links: Vec<u32>,
    heads: Tournament,
    /// Storage for batches; `None` while a batch is in use, and for a node with one incoming link.
    batch: Option<Box<Batch<W>>>,
    /// Random order of units that arrive at one instant; `None` for the order of the links.
    order: Option<Order>,
}

impl<W: Word> Inbox<W> {
    /// An inbox of the links with the indices `links`, which have no units yet.
    pub fn new(links: Vec<u32>, order: Option<Order>) -> Inbox<W> {
        let heads = Tournament::new(links.len());
        let batch = (links.len() > 1).then(|| Box::new(Batch::new(links.len())));
        Inbox {
            links,
            heads,
            batch,
            order,
        }
    }
    /// Arrival time of the earliest unit on all incoming links; `NEVER` if no unit is on them.
    #[inline]
    pub fn first(&self) -> Ps {
        self.heads.first().0
    }
    /// Arrival time of the earliest unit, and the index of its link among the incoming links. The constant
    /// `DRAWN` must equal [`Inbox::is_drawn`]; a constant saves a check for each unit.
    #[inline(always)]
    pub fn next<const DRAWN: bool>(&self) -> (Ps, usize) {
        let (at, input) = self.heads.first();
        let is_tie = DRAWN && at.is_scheduled() && self.heads.first_except(input) == at;
        if is_tie {
            (at, self.draw(at, input))
        } else {
            (at, input)
        }
    }
    /// Of the inputs with a unit that arrives at `at`, the first in the random order. `first` is
    /// the lowest of these inputs.
    fn draw(&self, at: Ps, first: usize) -> usize {
        let Some(order) = &self.order else {
            return first;
        };
        let mut best = order.rank(at, first);
        self.heads
            .for_each_at(at, &mut |input| best = best.min(order.rank(at, input)));
        best.1
    }
    /// True if the order of units that arrive at one instant is random.
    #[inline]
    pub fn is_drawn(&self) -> bool {
        self.order.is_some()
    }
    /// Sets the arrival time `at` of the first unit on the link of `input`; `NEVER` if the link has
    /// no unit.
    #[inline]
    pub fn expect(&mut self, input: usize, at: Ps) {
        if at <= self.heads.get(input) {
            self.heads.bring_forward(input, at);
        } else {
            self.heads.set(input, at);
        }
    }
    /// Receives the next unit from the incoming link with index `input`.
    #[inline(always)]
    pub fn receive(&mut self, input: usize, links: &mut Links<W>) -> Option<Unit<W>> {
        let (unit, next) = links[self.links[input] as usize].pop()?;
        self.heads.set(input, next);
        Some(unit)
    }
    /// The record that follows the unit last received from the incoming link `input`. The unit must have a
    /// record; `info` is the header word of the unit.
    #[inline]
    pub fn record(&self, input: usize, info: W, links: &mut Links<W>) -> W::Record {
        links[self.links[input] as usize].pop_record(info)
    }
    /// Index of the incoming link if the node has exactly one incoming link; `None` otherwise.
    #[inline]
    pub fn only(&self) -> Option<u32> {
        match self.links[..] {
            [only] => Some(only),
            _ => None,
        }
    }
    /// Sets the time at which the node must next process units of its only incoming link. Before this time the
    /// node may leave arrived units on the link.
    #[inline]
    pub fn note_due(&mut self, due: Ps) {
        self.heads.set(0, due);
    }
    /// Moves the node's only incoming link out of `links`. [`Inbox::put_only`] must put it back. `None` for a
    /// node with several incoming links.
    #[inline]
    pub fn take_only(&self, links: &mut Links<W>) -> Option<Link<W>> {
        self.only()
            .map(|only| core::mem::take(&mut links[only as usize]))
    }
    /// Puts the link of [`Inbox::take_only`] back into `links`.
    #[inline]
    pub fn put_only(&mut self, link: Link<W>, links: &mut Links<W>) {
        self.note_due(link.due());
        links[self.links[0] as usize] = link;
    }
    /// Indices of the incoming links among all links, in the order of the inputs.
    pub fn links(&self) -> &[u32] {
        &self.links
    }

    /// Sorts the units that arrive before `limit` into a batch, if so many are expected that a
    /// batch is faster than merging; `None` otherwise. [`Inbox::give_back`] must return
    /// the batch.
    #[inline(always)]
    pub fn take_batch(&mut self, limit: Ps, links: &mut Links<W>) -> Option<Box<Batch<W>>> {
        let begin = self.first();
        if !self.batch.as_ref()?.is_worth_it(begin, limit) {
            return None;
        }
        self.sort_batch(begin, limit, links)
    }

    #[inline(never)]
    fn sort_batch(&mut self, begin: Ps, limit: Ps, links: &mut Links<W>) -> Option<Box<Batch<W>>> {
        let mut batch = self.batch.take()?;
        let end = batch.end(begin, limit);
        batch.open(begin, end);
        for (input, link) in self.links.iter().enumerate() {
            if self.heads.get(input) >= end {
                continue;
            }
            let link = &mut links[*link as usize];
            batch.collect(link, input as u32);
            self.heads.put(input, link.next_arrival());
        }
        self.heads.rebuild();
        batch.sort();
        if let Some(order) = &self.order {
            batch.draw(order);
        }
        Some(batch)
    }
    /// Takes back the storage of a batch after the node has processed all its units.
    pub fn give_back(&mut self, batch: Box<Batch<W>>) {
        self.batch = Some(batch);
    }
    /// Sets the density of arrivals to `units` units, merged one by one, per `span`. By this
    /// density [`Inbox::take_batch`] later decides whether a batch is faster.
    #[inline]
    pub fn note_merged(&mut self, units: u64, span: Ps) {
        if let Some(batch) = &mut self.batch {
            batch.note(units, span);
        }
    }
}

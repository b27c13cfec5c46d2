//! The incoming links of a node, merged by arrival time; equal times in the order of the links, or
//! in a random order.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::batch::{Arrived, Batch};
use super::link::Link;
use super::links::Links;
use super::simultaneous::Order;
use super::unit::{Unit, Word};
use crate::kernel::{Ps, Tournament};

/// Arrivals at a prompt node, in order: from sorted batches if these are faster, otherwise merged
/// one by one.
pub struct Arrivals<'a, W: Word, const DRAWN: bool> {
    inbox: &'a mut Inbox<W>,
    batch: Option<Box<Batch<W>>>,
    /// Number of units of the batch that have been received.
    taken: usize,
    /// Input of the unit received last.
    input: usize,
    /// Stamp of the unit received last, if that unit is stamped.
    stamp: Ps,
    /// Arrival time of the next unit.
    next: Ps,
    /// End of the turn, before which units are received.
    horizon: Ps,
    /// Time since which units have been merged one by one. `merged` is the number of these units.
    merged_since: Ps,
    merged: u64,
}

impl<'a, W: Word, const DRAWN: bool> Arrivals<'a, W, DRAWN> {
    /// Arrivals of a turn that ends before `horizon`; [`Arrivals::end`] must be called at its end.
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
    /// Sorts a batch, if that is faster than merging.
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
    /// Arrival time of the next unit; at the horizon or later if none arrives in this turn.
    #[inline]
    pub fn next(&self) -> Ps {
        self.next
    }
    /// Receives the next unit; if it has a record, [`Arrivals::record`] must follow.
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
    /// The next units that are contiguous in memory, if all units come on one link;
    /// [`Arrivals::discard`] receives them. Empty if units come on several links.
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
    /// The units of a sorted batch that have not been received, in order; empty if units are merged
    /// one by one.
    #[inline]
    pub fn sorted(&self) -> &[Arrived<W>] {
        match &self.batch {
            Some(batch) => &batch.arrivals()[self.taken..],
            None => &[],
        }
    }
    /// Receives the next `count` units of [`Arrivals::sorted`]. [`Arrivals::record`] must not follow.
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
    /// The record of the unit received last, which has one; `info` is its word.
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
    /// Ends the turn, and returns the storage of its batch.
    pub fn end(mut self) {
        self.give_back();
        if self.merged > 0 {
            self.inbox
                .note_merged(self.merged, self.horizon - self.merged_since);
        }
    }
}

/// The incoming links of a node, merged by arrival time.
#[derive(Clone)]
pub struct Inbox<W: Word> {
    links: Vec<u32>,
    heads: Tournament,
    /// Storage for batches; `None` while one is in use, and for a node with one input.
    batch: Option<Box<Batch<W>>>,
    /// Random order of units that arrive at one instant; `None` if it is the order of the links.
    order: Option<Order>,
}

impl<W: Word> Inbox<W> {
    /// An inbox of links without units.
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
    /// Time of the earliest arrival.
    #[inline]
    pub fn first(&self) -> Ps {
        self.heads.first().0
    }
    /// Time of the earliest arrival, and the input on which it comes. `DRAWN` must equal
    /// [`Inbox::is_drawn`]; as a constant it is not checked for every unit.
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
    /// The first of the inputs with an arrival at `at`, in the random order.
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
    /// Records that the first unit on the link of `input` arrives at `at`, `NEVER` if there is none.
    #[inline]
    pub fn expect(&mut self, input: usize, at: Ps) {
        if at <= self.heads.get(input) {
            self.heads.bring_forward(input, at);
        } else {
            self.heads.set(input, at);
        }
    }
    /// Receives the next unit from `input`.
    #[inline(always)]
    pub fn receive(&mut self, input: usize, links: &mut Links<W>) -> Option<Unit<W>> {
        let (unit, next) = links[self.links[input] as usize].pop()?;
        self.heads.set(input, next);
        Some(unit)
    }
    /// The record of the unit last received from `input`, whose word is `info`. The unit must have a record.
    #[inline]
    pub fn record(&self, input: usize, info: W, links: &mut Links<W>) -> W::Record {
        links[self.links[input] as usize].pop_record(info)
    }
    /// Index of the incoming link, if the node has only one.
    #[inline]
    pub fn only(&self) -> Option<u32> {
        match self.links[..] {
            [only] => Some(only),
            _ => None,
        }
    }
    /// Sets the time at which the only link must be handled next.
    #[inline]
    pub fn note_due(&mut self, due: Ps) {
        self.heads.set(0, due);
    }
    /// Removes the only link of a node from `links` temporarily; [`Inbox::put_only`] must follow.
    #[inline]
    pub fn take_only(&self, links: &mut Links<W>) -> Option<Link<W>> {
        self.only()
            .map(|only| core::mem::take(&mut links[only as usize]))
    }
    /// Puts the only link of a node back into `links`.
    #[inline]
    pub fn put_only(&mut self, link: Link<W>, links: &mut Links<W>) {
        self.note_due(link.due());
        links[self.links[0] as usize] = link;
    }
    /// Indices of the incoming links, in order.
    pub fn links(&self) -> &[u32] {
        &self.links
    }

    /// Takes a sorted batch of the units that arrive before `limit`, if so many are expected that a
    /// batch is faster than merging. [`Inbox::give_back`] must follow.
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
    /// Takes back the storage of a batch, all of whose units have been processed.
    pub fn give_back(&mut self, batch: Box<Batch<W>>) {
        self.batch = Some(batch);
    }
    /// Records that `units` units were merged one by one over `span`. This updates the density of
    /// arrivals by which the next turn decides if a batch is faster.
    #[inline]
    pub fn note_merged(&mut self, units: u64, span: Ps) {
        if let Some(batch) = &mut self.batch {
            batch.note(units, span);
        }
    }
}

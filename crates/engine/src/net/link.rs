//! A link: the ring buffer of the units on the link, with the times at which they arrive at the far
//! end.

use alloc::vec::Vec;

use super::unit::{Unit, Word};
use crate::kernel::{Ps, Ring, Tail};

/// Units (cells or frames) on a link, in order of arrival. A port that computes departures ahead of time puts a
/// unit here while the unit is still queued. So the ring buffer may also contain the port's queue.
#[derive(Clone)]
pub struct Link<W: Word> {
    units: Ring<Unit<W>>,
    /// Records that are not stamps (for instance contents of RM cells), each with the arrival time of its unit.
    /// Further records of a unit ([`Word::further`]) follow its first.
    records: Ring<(Ps, W::Record)>,
    /// Stamps: the sending times of plain units, present if delays are measured. Many units may have stamps, so
    /// stamps have a ring buffer of their own.
    stamps: Ring<Ps>,
    /// True if the receiving node may process plain units (whose contents no node acts on) late, together with
    /// the next unit that has a record.
    patient: bool,
}

/// Number of plain units (whose contents no node acts on) on a link above which even a `patient` receiving node
/// processes them, to limit memory.
const MOST_UNSEEN: usize = 256;

impl<W: Word> Default for Link<W> {
    fn default() -> Link<W> {
        Link::new(false)
    }
}

impl<W: Word> Link<W> {
    /// An empty link. `patient` is true if the time at which the receiving node processes plain units (whose
    /// contents no node acts on) does not affect the node's state.
    pub fn new(patient: bool) -> Link<W> {
        Link {
            units: Ring::default(),
            records: Ring::default(),
            stamps: Ring::default(),
            patient,
        }
    }
    /// Puts a unit on the link. `unit.at` must not be earlier than the arrival time of the unit that was put on
    /// the link before. Returns true if [`Link::due`] has changed, so that the scheduler must update the
    /// receiving node.
    #[inline(always)]
    pub fn push(&mut self, unit: Unit<W>, record: Option<&W::Record>) -> bool {
        debug_assert_eq!(unit.info.has_record(), record.is_some());
        let is_due = self.push_plain(unit);
        match record {
            None => is_due,
            Some(record) => self.push_record(unit.at, record) || is_due,
        }
    }
    /// Puts the record of the newest unit on the link; the unit arrives at `at`. Returns true if [`Link::due`]
    /// has changed.
    #[inline]
    fn push_record(&mut self, at: Ps, record: &W::Record) -> bool {
        if let Some(sent) = W::stamp_in(record) {
            self.push_stamp(sent);
            return false;
        }
        let first = self.records.is_empty();
        self.records.push((at, *record));
        self.patient && first
    }
    /// Puts a further record of the last unit on the link; the unit arrives at `at`.
    #[inline]
    pub fn push_further(&mut self, at: Ps, record: &W::Record) {
        self.records.push((at, *record));
    }
    /// Puts a plain unit (whose contents no node acts on) on the link, as [`Link::push`] does. If the unit has a
    /// stamp, [`Link::push_stamp`] must follow.
    #[inline(always)]
    pub fn push_plain(&mut self, unit: Unit<W>) -> bool {
        let unseen = self.units.len();
        let is_due = if self.patient {
            unseen == MOST_UNSEEN
        } else {
            unseen == 0
        };
        self.units.push(unit);
        is_due
    }
    /// Prefetches the memory into which the next unit will be put.
    #[inline(always)]
    pub fn prefetch_tail(&self) {
        self.units.prefetch_tail();
    }
    /// Puts the stamp (sending time) of a plain unit on the link. The unit itself must be put there separately.
    #[inline(always)]
    pub fn push_stamp(&mut self, sent: Ps) {
        self.stamps.push(sent);
    }
    /// Removes the oldest stamp. For each stamped unit that the receiver has popped, this method must be called
    /// once, in the order of the units.
    #[inline(always)]
    pub fn pop_stamp(&mut self) -> Option<Ps> {
        self.stamps.pop()
    }
    /// True if stamps are on the link.
    #[inline(always)]
    pub fn has_stamps(&self) -> bool {
        !self.stamps.is_empty()
    }
    /// Moves the oldest `count` stamps to the end of `stamps`. These stamps belong to units that
    /// have already been received.
    pub fn move_stamps(&mut self, mut count: usize, stamps: &mut Vec<Ps>) {
        drain(&mut self.stamps, stamps, |next| {
            let ready = count.min(next.len());
            count -= ready;
            ready
        });
    }
    /// Free places for units without a record, to be filled in the order of arrivals, and the ring buffer of
    /// stamps. Each unit with a stamp needs one entry in this buffer. [`Outlet::note`] must follow.
    #[inline(always)]
    pub fn tail(&mut self) -> (Tail<'_, Unit<W>>, &mut Ring<Ps>) {
        (self.units.tail(), &mut self.stamps)
    }
    /// True if putting the newest `count` units, all plain, on the link has changed [`Link::due`]: for one of
    /// these units [`Link::push`] would have returned true.
    #[inline(always)]
    fn is_due_by(&self, count: usize) -> bool {
        let due = if self.patient { MOST_UNSEEN } else { 0 };
        let unseen = self.units.len() - count;
        unseen <= due && due < self.units.len()
    }
    /// Latest time at which the receiving node must process units of the link; `NEVER` if there is
    /// no such time.
    #[inline]
    pub fn due(&self) -> Ps {
        if self.patient && self.units.len() <= MOST_UNSEEN {
            return self.records.front().map_or(Ps::NEVER, |(at, _)| *at);
        }
        self.next_arrival()
    }
    /// Arrival time of the next unit; `NEVER` if no unit is on the link.
    #[inline]
    pub fn next_arrival(&self) -> Ps {
        self.units.front().map_or(Ps::NEVER, |unit| unit.at)
    }
    /// Receives the next unit. If the unit has a record, [`Link::pop_record`] must follow. Also returns the
    /// arrival time of the unit after this one, `NEVER` if none follows.
    #[inline]
    pub fn pop(&mut self) -> Option<(Unit<W>, Ps)> {
        let (unit, behind) = self.units.pop_and_peek()?;
        Some((unit, behind.map_or(Ps::NEVER, |unit| unit.at)))
    }
    /// The next units that are contiguous in memory; [`Link::discard`] receives these units.
    #[inline]
    pub fn stretch(&self) -> &[Unit<W>] {
        self.units.stretch()
    }
    /// True if the next unit has a stamp (sending time).
    #[inline(always)]
    pub fn begins_stamped(&self) -> bool {
        let next = self.units.front();
        next.is_some_and(|unit| unit.info.is_stamped())
    }
    /// The next units that are contiguous in memory, and the ring buffer with the stamps of all units, oldest
    /// first.
    #[inline]
    pub fn stamped_stretch(&mut self) -> (&[Unit<W>], &mut Ring<Ps>) {
        (self.units.stretch(), &mut self.stamps)
    }
    /// Receives the next `count` units. For each unit with a record, [`Link::pop_record`] must
    /// follow.
    #[inline]
    pub fn discard(&mut self, count: usize) {
        self.units.discard(count);
    }
    /// The record that follows the unit received last, which must have a record. `info` is the header word of the
    /// unit. Each further call returns the next further record of the unit; all must be received.
    ///
    /// Records are never returned as an `Option`. The processor would write an `Option` in two parts and read
    /// both at once in the next copy, which causes a stall.
    #[inline]
    pub fn pop_record(&mut self, info: W) -> W::Record {
        if info.is_plain() {
            W::stamp(
                self.stamps
                    .pop()
                    .expect("a stamp lies on the link of its unit"),
            )
        } else {
            let (_, record) = *self
                .records
                .front()
                .expect("a record lies on the link of its unit");
            self.records.discard(1);
            record
        }
    }
    /// The unit behind which `behind` further units are on the link, so that a port can mark this unit. The
    /// receiving node must not have received the unit.
    #[inline]
    pub fn before_newest_mut(&mut self, behind: u64) -> &mut Unit<W> {
        self.units.before_newest_mut(behind as usize)
    }
    /// Removes the newest `count` units. They must be plain (no node acts on their contents), and must all have
    /// stamps (`stamped`) or all have none. The receiving node must not have received any of these units.
    pub fn take_back(&mut self, count: usize, stamped: bool) {
        self.units.take_back(count);
        if stamped {
            self.stamps.take_back(count);
        }
    }
    /// Moves the units that arrive before `limit` to the end of `units`, their records to `records`
    /// and their stamps to `stamps`. Returns the number of units moved.
    pub fn drain_into(
        &mut self,
        limit: Ps,
        units: &mut Vec<Unit<W>>,
        records: &mut Vec<(Ps, W::Record)>,
        stamps: &mut Vec<Ps>,
    ) -> usize {
        let before = units.len();
        drain(&mut self.units, units, |next| {
            next.partition_point(|unit| unit.at < limit)
        });
        drain(&mut self.records, records, |next| {
            next.partition_point(|(at, _)| *at < limit)
        });
        let drained = &units[before..];
        let mut stamped = if self.units.is_empty() {
            self.stamps.len()
        } else {
            drained.iter().filter(|unit| unit.info.is_stamped()).count()
        };
        drain(&mut self.stamps, stamps, |next| {
            let ready = stamped.min(next.len());
            stamped -= ready;
            ready
        });
        drained.len()
    }
    /// Number of units on the link.
    pub fn len(&self) -> usize {
        self.units.len()
    }
    /// True if no unit is on the link.
    pub fn is_empty(&self) -> bool {
        self.units.is_empty()
    }
    /// Bytes allocated for the link.
    pub fn bytes(&self) -> usize {
        self.units.bytes() + self.records.bytes() + self.stamps.bytes()
    }
    /// Units on the link, oldest first.
    pub fn units(&self) -> impl Iterator<Item = &Unit<W>> {
        self.units.iter()
    }
    /// The `count` newest units on the link, oldest first, each with its first record if the record is not a
    /// stamp. The link must hold at least `count` units.
    pub fn sent_last(&self, count: usize) -> impl Iterator<Item = (&Unit<W>, Option<&W::Record>)> {
        let recorded = self
            .units
            .newest(count)
            .filter(|unit| !unit.info.is_plain());
        let records = recorded.map(|unit| 1 + unit.info.further()).sum();
        let mut records = self.records.newest(records);
        let mut further = 0;
        self.units.newest(count).map(move |unit| {
            let record = if unit.info.is_plain() {
                None
            } else {
                let first = records.nth(further);
                further = unit.info.further();
                first
            };
            (unit, record.map(|(_, record)| record))
        })
    }
}

/// Moves the oldest values of `ring` to the end of `into`. `ready` gets the next contiguous values
/// and returns how many of them to move.
fn drain<T: Copy>(ring: &mut Ring<T>, into: &mut Vec<T>, mut ready: impl FnMut(&[T]) -> usize) {
    loop {
        let next = ring.stretch();
        let (all, taken) = (next.len(), ready(next));
        into.extend_from_slice(&next[..taken]);
        ring.discard(taken);
        if taken < all || ring.is_empty() {
            return;
        }
    }
}

/// A link for the port that feeds the link, and the list of links for which the scheduler must update the
/// receiving node.
pub struct Outlet<'a, W: Word> {
    /// The link that the port feeds.
    pub link: &'a mut Link<W>,
    /// Index of the link.
    pub number: u32,
    /// Indices of links whose [`Link::due`] may have changed since the scheduler last updated their receiving
    /// nodes.
    pub fresh: &'a mut Vec<u32>,
}

impl<W: Word> Outlet<'_, W> {
    /// Puts a unit on the link, see [`Link::push`].
    #[inline(always)]
    pub fn push(&mut self, unit: Unit<W>, record: Option<&W::Record>) {
        if self.link.push(unit, record) {
            self.fresh.push(self.number);
        }
    }
    /// Puts a plain unit (whose contents no node acts on) on the link, see [`Link::push_plain`]. If the unit has
    /// a stamp, [`Link::push_stamp`] must follow.
    #[inline(always)]
    pub fn push_plain(&mut self, unit: Unit<W>) {
        if self.link.push_plain(unit) {
            self.fresh.push(self.number);
        }
    }
    /// Puts several units without records on the link, in the order of their arrivals.
    pub fn push_row(&mut self, mut units: &[Unit<W>]) {
        debug_assert!(units.iter().all(|unit| !unit.info.has_record()));
        while !units.is_empty() {
            let (mut tail, _) = self.link.tail();
            let mut fitting = units.iter();
            while !tail.is_full()
                && let Some(unit) = fitting.next()
            {
                tail.push(*unit);
            }
            let count = tail.close();
            self.note(count);
            units = &units[count..];
        }
    }
    /// Removes the units put last on the link, see [`Link::take_back`].
    pub fn take_back(&mut self, count: usize, stamped: bool) {
        self.link.take_back(count, stamped);
        // The receiving node may be scheduled for a unit that was removed.
        self.fresh.push(self.number);
    }
    /// Must be called after `count` units have been written into [`Link::tail`]. Adds the link to the list
    /// `fresh` if [`Link::due`] has changed.
    #[inline(always)]
    pub fn note(&mut self, count: usize) {
        if self.link.is_due_by(count) {
            self.fresh.push(self.number);
        }
    }
}

//! A link: the ring buffer of the units on it, with the times at which they arrive at its far end.

use alloc::vec::Vec;

use super::unit::{Unit, Word};
use crate::kernel::{Ps, Ring, Tail};

/// Units on their way over a link, in order of arrival. A port that computes departures ahead puts
/// a unit here while it is still queued, so the ring buffer may also hold the port's queue.
#[derive(Clone)]
pub struct Link<W: Word> {
    units: Ring<Unit<W>>,
    /// Records other than stamps, each with the arrival time of its unit.
    records: Ring<(Ps, W::Record)>,
    /// Stamps: the sending times of plain units. Stamped units are many, so their stamps have a ring buffer
    /// of their own.
    stamps: Ring<Ps>,
    /// True if the receiver may handle plain units late, together with the next unit that has a record.
    patient: bool,
}

/// Number of plain units after which even a patient receiver handles them, to limit
/// memory.
const MOST_UNSEEN: usize = 256;

impl<W: Word> Default for Link<W> {
    fn default() -> Link<W> {
        Link::new(false)
    }
}

impl<W: Word> Link<W> {
    /// An empty link; `patient` if the receiver's state does not depend on when it handles plain
    /// units.
    pub fn new(patient: bool) -> Link<W> {
        Link {
            units: Ring::default(),
            records: Ring::default(),
            stamps: Ring::default(),
            patient,
        }
    }
    /// Sends a unit; `unit.at` must not be before the arrival of the unit sent last. Returns true
    /// if [`Link::due`] has changed, which the receiver must then take into account.
    #[inline(always)]
    pub fn push(&mut self, unit: Unit<W>, record: Option<&W::Record>) -> bool {
        debug_assert_eq!(unit.info.has_record(), record.is_some());
        let is_due = self.push_plain(unit);
        match record {
            None => is_due,
            Some(record) => self.push_record(unit.at, record) || is_due,
        }
    }
    /// Sends the record of the unit sent last, which arrives at `at`. Returns true if this has changed
    /// [`Link::due`].
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
    /// Sends a plain unit, as [`Link::push`] does; if the unit is stamped, [`Link::push_stamp`]
    /// must follow.
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
    /// Prefetches the place of the next unit that is sent.
    #[inline(always)]
    pub fn prefetch_tail(&self) {
        self.units.prefetch_tail();
    }
    /// Sends the stamp of a plain unit.
    #[inline(always)]
    pub fn push_stamp(&mut self, sent: Ps) {
        self.stamps.push(sent);
    }
    /// Takes the stamp of a stamped unit that has been received without it, in the order of these
    /// units.
    #[inline(always)]
    pub fn pop_stamp(&mut self) -> Option<Ps> {
        self.stamps.pop()
    }
    /// True if stamps are on the link.
    #[inline(always)]
    pub fn has_stamps(&self) -> bool {
        !self.stamps.is_empty()
    }
    /// Moves the next `count` stamps, those of stamped units that have been received without them, to the end
    /// of `stamps`.
    pub fn move_stamps(&mut self, mut count: usize, stamps: &mut Vec<Ps>) {
        drain(&mut self.stamps, stamps, |next| {
            let ready = count.min(next.len());
            count -= ready;
            ready
        });
    }
    /// Free places for units without a record, in the order of their arrivals, and the list of time
    /// stamps. Each stamped unit needs one time stamp. [`Outlet::note`] must follow.
    #[inline(always)]
    pub fn tail(&mut self) -> (Tail<'_, Unit<W>>, &mut Ring<Ps>) {
        (self.units.tail(), &mut self.stamps)
    }
    /// True if the last `count` units, which are plain, have changed [`Link::due`]: for one of them
    /// [`Link::push`] would have returned true.
    #[inline(always)]
    fn is_due_by(&self, count: usize) -> bool {
        let due = if self.patient { MOST_UNSEEN } else { 0 };
        let unseen = self.units.len() - count;
        unseen <= due && due < self.units.len()
    }
    /// Time at which the receiver must handle units at the latest; `NEVER` if it need not.
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
    /// Receives the next unit; if the unit has a record, [`Link::pop_record`] must follow. Also returns the
    /// arrival time of the unit behind it, `NEVER` if there is none.
    #[inline]
    pub fn pop(&mut self) -> Option<(Unit<W>, Ps)> {
        let (unit, behind) = self.units.pop_and_peek()?;
        Some((unit, behind.map_or(Ps::NEVER, |unit| unit.at)))
    }
    /// The next units that are contiguous in memory; [`Link::discard`] receives them.
    #[inline]
    pub fn stretch(&self) -> &[Unit<W>] {
        self.units.stretch()
    }
    /// True if the next unit is stamped.
    #[inline(always)]
    pub fn begins_stamped(&self) -> bool {
        let next = self.units.front();
        next.is_some_and(|unit| unit.info.is_stamped())
    }
    /// The next units that are contiguous in memory, and the stamps of all units, oldest first.
    #[inline]
    pub fn stamped_stretch(&mut self) -> (&[Unit<W>], &mut Ring<Ps>) {
        (self.units.stretch(), &mut self.stamps)
    }
    /// Receives the next `count` units; for each that has a record, [`Link::pop_record`] must follow.
    #[inline]
    pub fn discard(&mut self, count: usize) {
        self.units.discard(count);
    }
    /// The record of the unit received last, which has one; `info` is the word of the unit.
    ///
    /// Not an `Option`, here and wherever a record is handed on: it would be stored in two parts that are
    /// loaded as one at the next copy, for which a processor waits.
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
    /// The unit behind which `behind` other units are on the link, so that it can be marked. The receiver
    /// must not have received it.
    #[inline]
    pub fn before_newest_mut(&mut self, behind: u64) -> &mut Unit<W> {
        self.units.before_newest_mut(behind as usize)
    }
    /// Takes the last `count` units back, which are plain, all stamped or all not; none of them may
    /// have been received.
    pub fn take_back(&mut self, count: usize, stamped: bool) {
        self.units.take_back(count);
        if stamped {
            self.stamps.take_back(count);
        }
    }
    /// Moves the units that arrive before `limit` to the end of `units`, their records to that of `records`
    /// and their stamps to that of `stamps`. Returns the number of units.
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
    /// Bytes of storage of the link.
    pub fn bytes(&self) -> usize {
        self.units.bytes() + self.records.bytes() + self.stamps.bytes()
    }
    /// Units on the link, oldest first.
    pub fn units(&self) -> impl Iterator<Item = &Unit<W>> {
        self.units.iter()
    }
    /// The `count` units sent last with their records other than stamps, oldest first; the link must
    /// hold that many.
    pub fn sent_last(&self, count: usize) -> impl Iterator<Item = (&Unit<W>, Option<&W::Record>)> {
        let records = self
            .units
            .newest(count)
            .filter(|unit| !unit.info.is_plain())
            .count();
        let mut records = self.records.newest(records);
        self.units.newest(count).map(move |unit| {
            let record = if unit.info.is_plain() {
                None
            } else {
                records.next()
            };
            (unit, record.map(|(_, record)| record))
        })
    }
}

/// Moves the oldest values of `ring`; `ready` gives the number of the next contiguous values that
/// may be moved.
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

/// The link that a port feeds, and the list of links whose receivers must be updated.
pub struct Outlet<'a, W: Word> {
    /// The link that the port feeds.
    pub link: &'a mut Link<W>,
    /// Index of the link.
    pub number: u32,
    /// Indices of links whose [`Link::due`] may have changed since their receivers were updated.
    pub fresh: &'a mut Vec<u32>,
}

impl<W: Word> Outlet<'_, W> {
    /// Sends a unit, see [`Link::push`].
    #[inline(always)]
    pub fn push(&mut self, unit: Unit<W>, record: Option<&W::Record>) {
        if self.link.push(unit, record) {
            self.fresh.push(self.number);
        }
    }
    /// Sends a plain unit, as [`Outlet::push`] does; if the unit is stamped, [`Link::push_stamp`]
    /// must follow.
    #[inline(always)]
    pub fn push_plain(&mut self, unit: Unit<W>) {
        if self.link.push_plain(unit) {
            self.fresh.push(self.number);
        }
    }
    /// Sends units without records, as [`Outlet::push`] does, in the order of their arrivals.
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
    /// Takes back units that were sent last, see [`Link::take_back`].
    pub fn take_back(&mut self, count: usize, stamped: bool) {
        self.link.take_back(count, stamped);
        // The receiver may have been told of a unit that will not come.
        self.fresh.push(self.number);
    }
    /// Notes that the last `count` units have been written into the [`Link::tail`] of the link.
    #[inline(always)]
    pub fn note(&mut self, count: usize) {
        if self.link.is_due_by(count) {
            self.fresh.push(self.number);
        }
    }
}

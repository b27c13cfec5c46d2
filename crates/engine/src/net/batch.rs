//! Sorts many units (cells or frames) that arrive at a node by arrival time: a counting sort into buckets of
//! time, then an insertion sort.

use alloc::vec::Vec;

use super::link::Link;
use super::simultaneous::Order;
use super::unit::{Unit, Word};
use crate::kernel::Ps;

/// A unit that has arrived at a node, and the incoming link on which the unit arrived.
#[derive(Clone, Copy)]
pub struct Arrived<W> {
    /// The arrived unit.
    pub unit: Unit<W>,
    /// Index of the unit's link among the node's incoming links. Of units with equal arrival times
    /// the one with the lower index comes first.
    pub input: u32,
    /// Index of the unit's stamp (its sending time) in `Batch::stamps`, if the unit has a stamp.
    stamp: u32,
}

/// A batch of units that arrive at a node, and the recent density of arrivals.
///
/// Units are counted by bucket of time while they are copied off their links, link by link. The
/// sort keeps this order of links among equal arrival times.
#[derive(Clone)]
pub struct Batch<W> {
    inputs: u64,
    /// Units copied off their links: the first `count` entries. The entries after the first `count` are unused.
    arrived: Vec<Arrived<W>>,
    count: usize,
    sorted: Vec<Arrived<W>>,
    /// Stamps (sending times) of those units that have stamps, in the order in which the units were copied.
    stamps: Vec<Ps>,
    /// For each bucket of `1 << shift` picoseconds from `begin` on, the number of its units. During the sort, the
    /// entry of a bucket is the index at which the bucket's next unit is put.
    places: Vec<u32>,
    begin: Ps,
    end: Ps,
    shift: u32,
    /// Recent arrivals at the node, in units per picosecond.
    density: f64,
}

impl<W: Word> Batch<W> {
    /// Least number of units for which sorting a batch is faster than merging the links unit by unit. Each batch
    /// visits every link, so at a node with many incoming links the least number is half their number instead.
    const LEAST: u64 = 8;
    /// Approximate number of units of a batch, or `UNITS_PER_INPUT` for each incoming link if that is more. A
    /// batch of this size repays the visit to every link, and fits into the cache.
    const UNITS: u64 = 1_024;
    const UNITS_PER_INPUT: u64 = 4;

    /// An empty batch for a node with `inputs` incoming links.
    pub fn new(inputs: usize) -> Batch<W> {
        let inputs = inputs as u64;
        Batch {
            inputs,
            arrived: Vec::new(),
            count: 0,
            sorted: Vec::new(),
            stamps: Vec::new(),
            places: Vec::new(),
            begin: Ps::ZERO,
            end: Ps::ZERO,
            shift: 0,
            density: 0.0,
        }
    }
    /// True if a batch is faster than a merge, judged by the number of units that arrive between `begin` and
    /// `limit` at the recent density.
    #[inline]
    pub fn is_worth_it(&self, begin: Ps, limit: Ps) -> bool {
        limit.saturating_sub(begin).0 as f64 * self.density
            >= Self::LEAST.max(self.inputs / 2) as f64
    }
    /// Sets the recent density of arrivals to `units` units in the time `span`.
    pub fn note(&mut self, units: u64, span: Ps) {
        self.density = units as f64 / span.0.max(1) as f64;
    }
    /// Time at which a batch that begins at `begin` should end, at most `limit`, so that it has
    /// about `UNITS` units.
    pub fn end(&self, begin: Ps, limit: Ps) -> Ps {
        let units = Self::UNITS.max(Self::UNITS_PER_INPUT * self.inputs);
        let span = (units as f64 / self.density) as u64;
        limit.min(begin.saturating_add(Ps(span.max(1))))
    }
    /// Empties the batch and makes buckets for the arrivals in `begin..end`.
    pub fn open(&mut self, begin: Ps, end: Ps) {
        (self.begin, self.end, self.count) = (begin, end, 0);
        self.stamps.clear();
        self.divide(((end - begin).0 as f64 * self.density) as usize);
    }
    /// Divides the span of the batch into buckets of a power of two of picoseconds, one to two
    /// buckets for each of `units` units.
    fn divide(&mut self, units: usize) {
        let span = (self.end - self.begin).0;
        let buckets = (2 * units.max(1)).next_power_of_two() as u64;
        self.shift = (span / buckets).checked_ilog2().map_or(0, |bits| bits + 1);
        self.places.clear();
        self.places.resize((span >> self.shift) as usize + 1, 0);
    }
    /// Moves the units of `link` that arrive before the end of the batch, and their stamps (sending times), into
    /// the batch. Records that are not stamps stay on the link. The method must be called for the links in the
    /// order of `input`.
    #[inline(always)]
    pub fn collect(&mut self, link: &mut Link<W>, input: u32) {
        while link.next_arrival() < self.end {
            if link.has_stamps() {
                let (added, stamped) = self.add::<true>(link.stretch(), input);
                link.discard(added);
                link.move_stamps(stamped, &mut self.stamps);
            } else {
                let (added, _) = self.add::<false>(link.stretch(), input);
                link.discard(added);
            }
        }
    }
    /// Copies the leading units of `units` that arrive before the end of the batch, as far as storage is free.
    /// `STAMPED`: some units may have stamps (sending times). Returns the number of units copied, and how many of
    /// them have stamps.
    #[inline(always)]
    fn add<const STAMPED: bool>(&mut self, units: &[Unit<W>], input: u32) -> (usize, usize) {
        if self.arrived.len() == self.count {
            self.make_room();
        }
        let (places, begin, end, shift) = (&mut self.places[..], self.begin, self.end, self.shift);
        let room = self.arrived[self.count..].iter_mut();
        let first = self.stamps.len() as u32;
        let (mut added, mut stamp) = (0, first);
        for (unit, room) in units.iter().zip(room) {
            if unit.at >= end {
                break;
            }
            places[((unit.at.0 - begin.0) >> shift) as usize] += 1;
            *room = Arrived {
                unit: *unit,
                input,
                stamp,
            };
            stamp += u32::from(STAMPED && unit.info.is_stamped());
            added += 1;
        }
        self.count += added;
        (added, (stamp - first) as usize)
    }
    /// The stamp (sending time) of a unit of the batch. The unit must have a stamp.
    #[inline(always)]
    pub fn stamp(&self, of: &Arrived<W>) -> Ps {
        self.stamps[of.stamp as usize]
    }
    /// Makes storage for at least one more unit.
    #[cold]
    fn make_room(&mut self) {
        let none = Arrived {
            unit: Unit {
                at: Ps::NEVER,
                label: 0,
                info: W::default(),
            },
            input: 0,
            stamp: 0,
        };
        let room = (2 * self.arrived.len()).max(8 * Self::LEAST as usize);
        self.arrived.resize(room, none);
        self.sorted.resize(room, none);
    }
    /// Sorts the arrivals by time, and equal times by input.
    pub fn sort(&mut self) {
        self.note(self.count as u64, self.end - self.begin);
        if self.count > 2 * self.places.len() {
            // More than twice the expected number of units has arrived, so the buckets were too wide.
            self.divide(self.count);
            for arrived in &self.arrived[..self.count] {
                self.places[((arrived.unit.at.0 - self.begin.0) >> self.shift) as usize] += 1;
            }
        }
        sum_before(&mut self.places);
        let (places, begin, shift) = (&mut self.places[..], self.begin, self.shift);
        let sorted = &mut self.sorted[..self.count];
        for arrived in &self.arrived[..self.count] {
            let place = &mut places[((arrived.unit.at.0 - begin.0) >> shift) as usize];
            sorted[*place as usize] = *arrived;
            *place += 1;
        }
        sort_nearly_sorted(sorted);
    }
    /// Puts the units of the batch that arrive at the same instant into the random order of `order`.
    pub fn draw(&mut self, order: &Order) {
        for simultaneous in
            self.sorted[..self.count].chunk_by_mut(|one, other| one.unit.at == other.unit.at)
        {
            simultaneous.sort_unstable_by_key(|arrived| {
                order.rank(arrived.unit.at, arrived.input as usize)
            });
        }
    }
    /// The sorted arrivals of the batch.
    pub fn arrivals(&self) -> &[Arrived<W>] {
        &self.sorted[..self.count]
    }
}

/// Replaces each count by the sum of all counts before it.
fn sum_before(counts: &mut [u32]) {
    let mut sum = 0;
    // Sums four counts at a time: each sum then depends on one addition of the step before, not on
    // four.
    let (fours, rest) = counts.as_chunks_mut::<4>();
    for four in fours {
        let [a, b, c, d] = *four;
        *four = [sum, sum + a, sum + (a + b), sum + (a + b + c)];
        sum += a + b + (c + d);
    }
    for count in rest {
        sum += core::mem::replace(count, sum);
    }
}

/// Sorts arrivals by time. Arrivals with equal times keep their order.
fn sort_nearly_sorted<W: Word>(arrivals: &mut [Arrived<W>]) {
    let mut latest = Ps::ZERO;
    for i in 0..arrivals.len() {
        if arrivals[i].unit.at >= latest {
            latest = arrivals[i].unit.at;
            continue;
        }
        let (moving, mut hole) = (arrivals[i], i);
        while hole > 0 && moving.unit.at < arrivals[hole - 1].unit.at {
            arrivals[hole] = arrivals[hole - 1];
            hole -= 1;
        }
        arrivals[hole] = moving;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Stream;

    /// A header word whose units are all plain (without other records than stamps). The field says whether the
    /// units have stamps.
    #[derive(Clone, Copy, Default)]
    struct Plain {
        stamped: bool,
    }

    impl Word for Plain {
        type Record = Ps;
        fn has_record(self) -> bool {
            self.stamped
        }
        fn is_plain(self) -> bool {
            true
        }
        fn stamp(sent: Ps) -> Ps {
            sent
        }
        fn stamp_in(record: &Ps) -> Option<Ps> {
            Some(*record)
        }
    }

    #[test]
    fn sorts_by_time_and_input_and_keeps_stamps() {
        let mut stream = Stream::new(1, "batch", "test");
        for span in [1u64, 7, 1_000, 5_000_000_000] {
            let mut batch = Batch::new(4);
            // The density of the first batch is known when the second batch begins. The second batch has fewer
            // units than this density predicts.
            for units in [125u32, 70] {
                batch.open(Ps(1_000), Ps(1_000 + span));
                let mut expected = Vec::new();
                for input in 0..4 {
                    let mut times: Vec<u64> = (0..units)
                        .map(|_| 1_000 + stream.below(Ps(span + span / 8)).0)
                        .collect();
                    times.sort_unstable();
                    let on_link: Vec<Unit<Plain>> = (0..)
                        .zip(&times)
                        .map(|(label, at)| Unit {
                            at: Ps(*at),
                            label,
                            info: Plain {
                                stamped: label % 3 == 0,
                            },
                        })
                        .collect();
                    let arrives = on_link.iter().filter(|unit| unit.at.0 < 1_000 + span);
                    expected.extend(arrives.map(|unit| (unit.at.0, input, unit.label)));
                    let mut link = Link::new(false);
                    for unit in &on_link {
                        link.push_plain(*unit);
                        if unit.info.is_stamped() {
                            link.push_stamp(Ps(unit.at.0 - 500));
                        }
                    }
                    batch.collect(&mut link, input);
                    assert!(link.next_arrival().0 >= 1_000 + span);
                }
                batch.sort();
                expected.sort_unstable();
                let key = |arrived: &Arrived<Plain>| {
                    (arrived.unit.at.0, arrived.input, arrived.unit.label)
                };
                assert!(batch.arrivals().iter().map(key).eq(expected));
                for arrived in batch.arrivals() {
                    if arrived.unit.info.is_stamped() {
                        assert_eq!(batch.stamp(arrived).0, arrived.unit.at.0 - 500);
                    }
                }
            }
        }
    }
}

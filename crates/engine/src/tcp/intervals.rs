//! Sets of byte positions as intervals. A receiver uses them for data held out of order, a sender for data known
//! to have arrived.

use alloc::vec::Vec;

/// Received or reported bytes from position `from` to before position `to`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Interval {
    /// Position of the first byte.
    pub from: u64,
    /// Position after the last byte.
    pub to: u64,
    /// Number of the last insertion that changed the interval; the greatest such number belongs to
    /// the most recent insertion.
    pub touched: u64,
}

impl Interval {
    /// Number of bytes in the interval.
    pub const fn len(self) -> u64 {
        self.to - self.from
    }
    /// True if the interval has no bytes.
    pub const fn is_empty(self) -> bool {
        self.to == self.from
    }
}

/// A sorted list of intervals that neither overlap nor touch each other.
#[derive(Clone, Debug, Default)]
pub struct Intervals {
    sorted: Vec<Interval>,
    bytes: u64,
    insertions: u64,
}

impl Intervals {
    /// Adds the bytes `from..to`, at least one, and merges intervals that overlap or touch. Returns
    /// the number of bytes that were not in the set.
    pub fn insert(&mut self, from: u64, to: u64) -> u64 {
        self.insertions += 1;
        let touched = self.insertions;
        let first = self.sorted.partition_point(|held| held.to < from);
        let last = self.sorted.partition_point(|held| held.from <= to);
        let before = self.bytes;
        if first == last {
            self.sorted.insert(first, Interval { from, to, touched });
            self.bytes += to - from;
        } else {
            let known: u64 = self.sorted[first..last].iter().map(|held| held.len()).sum();
            let merged = Interval {
                from: self.sorted[first].from.min(from),
                to: self.sorted[last - 1].to.max(to),
                touched,
            };
            self.sorted[first] = merged;
            self.sorted.drain(first + 1..last);
            self.bytes += merged.len() - known;
        }
        self.bytes - before
    }

    /// Removes every interval that begins at or below `position`. Returns the end of the last removed interval,
    /// or `position` if this is greater.
    pub fn release(&mut self, position: u64) -> u64 {
        let reached = self.sorted.partition_point(|held| held.from <= position);
        if reached == 0 {
            return position;
        }
        let end = self.sorted[reached - 1].to;
        self.bytes -= self.sorted.drain(..reached).map(Interval::len).sum::<u64>();
        end.max(position)
    }

    /// Removes all bytes below `position`.
    pub fn forget_below(&mut self, position: u64) {
        let gone = self.sorted.partition_point(|held| held.to <= position);
        self.bytes -= self.sorted.drain(..gone).map(Interval::len).sum::<u64>();
        if let Some(cut) = self
            .sorted
            .first_mut()
            .filter(|first| first.from < position)
        {
            self.bytes -= position - cut.from;
            cut.from = position;
        }
    }

    /// Removes all intervals.
    pub fn clear(&mut self) {
        self.sorted.clear();
        self.bytes = 0;
    }

    /// All intervals in ascending order.
    pub fn as_slice(&self) -> &[Interval] {
        &self.sorted
    }
    /// The interval that contains the byte `position`.
    pub fn at(&self, position: u64) -> Option<Interval> {
        let next = self.sorted.partition_point(|held| held.to <= position);
        self.sorted
            .get(next)
            .copied()
            .filter(|held| held.from <= position)
    }
    /// The first interval that begins above `position`.
    pub fn after(&self, position: u64) -> Option<Interval> {
        self.sorted
            .get(self.sorted.partition_point(|held| held.from <= position))
            .copied()
    }
    /// Number of bytes of `from..to` that are in the set.
    pub fn covered(&self, from: u64, to: u64) -> u64 {
        let first = self.sorted.partition_point(|held| held.to <= from);
        let within = self.sorted[first..]
            .iter()
            .take_while(|held| held.from < to);
        within
            .map(|held| held.to.min(to) - held.from.max(from))
            .sum()
    }
    /// Number of bytes in the set.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }
    /// True if the set is empty.
    pub fn is_empty(&self) -> bool {
        self.sorted.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(set: &Intervals) -> Vec<(u64, u64)> {
        set.as_slice()
            .iter()
            .map(|held| (held.from, held.to))
            .collect()
    }

    #[test]
    fn intervals_merge_only_where_they_touch() {
        let mut set = Intervals::default();
        assert_eq!(
            [(10, 20), (30, 40), (50, 60)].map(|(from, to)| set.insert(from, to)),
            [10, 10, 10]
        );
        assert_eq!(pairs(&set), [(10, 20), (30, 40), (50, 60)]);
        assert_eq!(set.insert(20, 50), 20);
        assert_eq!((pairs(&set), set.bytes()), (alloc::vec![(10, 60)], 50));
        assert_eq!(set.insert(15, 25), 0);
    }

    #[test]
    fn what_is_below_a_position_goes_and_an_interval_across_it_is_cut_or_released() {
        let mut set = Intervals::default();
        assert_eq!(
            [(10, 20), (30, 40), (50, 60)].map(|(from, to)| set.insert(from, to)),
            [10; 3]
        );
        assert_eq!(
            (set.covered(15, 55), set.covered(20, 30), set.covered(0, 99)),
            (20, 0, 30)
        );
        assert_eq!(
            (
                set.at(20),
                set.at(39).map(|held| held.from),
                set.after(30).map(|held| held.from)
            ),
            (None, Some(30), Some(50))
        );
        let mut cut = set.clone();
        cut.forget_below(35);
        assert_eq!(
            (pairs(&cut), cut.bytes()),
            (alloc::vec![(35, 40), (50, 60)], 15)
        );
        assert_eq!((set.release(5), set.release(35)), (5, 40));
        assert_eq!((pairs(&set), set.bytes()), (alloc::vec![(50, 60)], 10));
    }
}
